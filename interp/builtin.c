/* builtin - finding builtins by name, applying ops, and the argument readers that the families
 * share.
 *
 * Callers: env (names), eval, the families. Invariant: readers refuse with the parameter's name,
 * what came, and what would do; they force one-element arrays only. */
#include "interp/builtin_ops.h"
#include "interp/ops_scalar.h"
#include "interp/sig.h"
#include "interp/state.h"
#include "runtime/exec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const BuiltinDef *const families[] = {
    builtin_values, builtin_make,   builtin_grid,  builtin_random, builtin_reduce,
    builtin_stats,  builtin_scan,   builtin_shape, builtin_join,   builtin_take,
    builtin_search, builtin_sets,   builtin_math,  builtin_linalg, builtin_files,
    builtin_text,   builtin_system, builtin_pad,   builtin_kernel, builtin_library,
};
enum { NFAMILIES = sizeof families / sizeof *families, NLISTED = NFAMILIES - 1 };

size_t builtin_name_length(const BuiltinDef *def) { return strcspn(def->sig, "("); }

/* A name is looked up once a state (symbols remember what they are), so a walk over the tables
 * costs less than an index would. */
Value builtin_find(State *A, const char *name, size_t n) {
    (void)A;
    for (size_t f = 0; f < NFAMILIES; f++) {
        for (const BuiltinDef *d = families[f]; d->sig; d++) {
            if (memcmp(d->sig, name, n < strlen(d->sig) ? n : 1) != 0) continue;
            if (builtin_name_length(d) == n) return (Value){.kind = V_BUILTIN, .builtin = d};
        }
    }
    Op op;
    if (op_find(name, n, &op) && builtin_op_row(op)->sig) {
        return (Value){.kind = V_BUILTIN, .builtin = builtin_op_row(op)};
    }
    return VALUE_UNSET;
}

const BuiltinDef *builtin_at(size_t i) {
    for (size_t f = 0; f < NLISTED; f++) {
        for (const BuiltinDef *d = families[f]; d->sig; d++) {
            if (i-- == 0) return d;
        }
    }
    for (int op = 0; op < OP_COUNT; op++) {
        const BuiltinDef *d = builtin_op_row((Op)op);
        if (d->sig && i-- == 0) return d;
    }
    return NULL;
}

/* ---- ops ---- */

/* "sqrt: x", for messages. */
static void op_param(State *A, Op op, int i, char *out, size_t size) {
    const BuiltinDef *row = builtin_op_row(op);
    const Sig *sig = row->sig ? sig_of(A, row) : NULL;
    const char *name = sig && i < sig->n ? symbol_text(A, sig->params[i].name) : "an operand";
    snprintf(out, size, "%s: %s", op_info(op)->spelling, name);
}

static Status apply_arrays(State *A, Op op, const Value *args, int n, Value *out) {
    Operand operands[3] = {{0}};
    Node *made[3] = {0}, *node = NULL; /* arrays of tuples and ranges */
    Status st = ARR_OK;
    for (int i = 0; i < n && st == ARR_OK; i++) {
        if (value_is_number(&args[i])) {
            st = value_to_operand(A, op_info(op)->spelling, &args[i], &operands[i]);
        } else {
            char what[64];
            op_param(A, op, i, what, sizeof what);
            st = value_to_node(A, what, &args[i], &made[i]);
            operands[i].node = made[i];
        }
    }
    if (st == ARR_OK) st = graph_apply(A->rt, op, operands, n, &node);
    for (int i = 0; i < n; i++) node_release(A->rt, made[i]);
    if (st == ARR_OK) *out = value_node(node);
    return st;
}

Status apply_op(State *A, Op op, const Value *args, int n, Value *out) {
    bool scalars = true;
    for (int i = 0; i < n; i++) scalars &= value_is_scalar(&args[i]);
    return scalars ? scalar_apply(A, op, args, n, out) : apply_arrays(A, op, args, n, out);
}

static bool is_word_char(char c) { return c == '_' || isalnum((unsigned char)c); }

/* Is the word in the text, not only as a part of another? */
static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word)) {
        if ((p == text || !is_word_char(p[-1])) && !is_word_char(p[n])) return true;
    }
    return false;
}

void name_error(State *A, const char *fn) {
    char text[ERROR_MESSAGE_MAX];
    char *message = A->cx.err.message;
    size_t n = strlen(fn);
    if (n == 0 || n > 64 || has_word(message, fn)) return;
    snprintf(text, sizeof text, "%s: %.*s", fn, ERROR_MESSAGE_MAX - 80, message);
    memcpy(message, text, sizeof text);
}

/* ---- readers ---- */

static Status refuse(State *A, const char *what, const char *wanted, const Value *v) {
    char text[SHAPE_TEXT];
    value_describe(v, text);
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE, "%s must be %s, not %s", what, wanted, text);
}

/* dtype="float32", dtype=int: the dtype that was meant. */
static COLD Status refuse_dtype(State *A, const char *what, const Value *v) {
    static const char *const functions[][2] = {
        {"int(", "i64"}, {"float(", "f64"}, {"complex(", "c128"}};
    const char *near = NULL;
    char wanted[64];
    DType d;
    if (v->kind == V_STR) {
        const char *arr = suggest_foreign(v->str->text);
        near = arr ? arr : v->str->text;
    }
    for (int i = 0; v->kind == V_BUILTIN && i < 3; i++) {
        size_t n = strlen(functions[i][0]);
        if (strncmp(v->builtin->sig, functions[i][0], n) == 0) near = functions[i][1];
    }
    if (near && !dtype_find(near, strlen(near), &d)) near = NULL;
    snprintf(wanted, sizeof wanted, "a dtype%s%s", near ? ", say " : "", near ? near : "");
    return refuse(A, what, wanted, v);
}

static Status add_extent(State *A, const char *what, const Value *v, Shape *out) {
    int64_t n;
    TRY(value_to_int(A, what, v, &n));
    if (out->rank == MAX_RANK) {
        return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE, "%s: more than %d axes", what, MAX_RANK);
    }
    if (n < 0) {
        return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "%s: an extent of %lld is negative",
                         what, (long long)n);
    }
    out->dim[out->rank++] = n;
    return ARR_OK;
}

static Status extents_of_array(State *A, const char *what, Node *n, Shape *out) {
    if (n->shape.dim[0] > MAX_RANK) {
        return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE, "%s: more than %d axes", what, MAX_RANK);
    }
    Value x = {.kind = V_ARRAY, .node = n};
    for (int64_t i = 0; i < n->shape.dim[0]; i++) {
        Value index = value_int(i), part;
        TRY(index_read(A, &x, &index, 1, &part));
        Status st = add_extent(A, what, &part, out);
        value_release(A, part);
        TRY(st);
    }
    return ARR_OK;
}

Status arg_shape(State *A, const char *what, const Value *v, Shape *out, DType *dtype) {
    out->rank = 0;
    if (v->kind == V_ARRAY && v->node->shape.rank == 1)
        return extents_of_array(A, what, v->node, out);
    if (v->kind != V_TUPLE) return add_extent(A, what, v, out);
    const Tuple *t = v->tuple;
    uint32_t n = t->n;
    if (n > 0 && dtype && t->items[n - 1].kind == V_DTYPE) *dtype = t->items[--n].dtype;
    if (n == 1 && t->items[0].kind != V_INT) { /* zeros((2, 3)) comes as ((2, 3),) */
        if (t->items[0].kind == V_TUPLE || t->items[0].kind == V_ARRAY) {
            return arg_shape(A, what, &t->items[0], out, NULL);
        }
    }
    const Value *last = n > 1 && dtype ? &t->items[n - 1] : NULL; /* zeros(2, "f32") */
    if (last && (last->kind == V_STR || last->kind == V_BUILTIN)) {
        char label[96];
        snprintf(label, sizeof label, "%.*s: dtype", (int)strcspn(what, ":"), what);
        return refuse_dtype(A, label, last);
    }
    for (uint32_t i = 0; i < n; i++) TRY(add_extent(A, what, &t->items[i], out));
    return ARR_OK;
}

Status arg_axis(State *A, const char *what, const Value *v, int rank, int *axis) {
    char label[96];
    int64_t i;
    snprintf(label, sizeof label, "%s: axis", what);
    TRY(value_to_int(A, label, v, &i));
    return shape_axis(&A->cx, SPAN_NONE, what, i, rank, axis);
}

Status arg_axes(State *A, const char *what, const Value *v, int rank, uint32_t *mask) {
    *mask = rank >= 32 ? ~0u : (1u << rank) - 1;
    if (v->kind == V_NONE || v->kind == V_UNSET) return ARR_OK;
    *mask = 0;
    bool tuple = v->kind == V_TUPLE;
    uint32_t n = tuple ? v->tuple->n : 1;
    for (uint32_t i = 0; i < n; i++) {
        int axis;
        TRY(arg_axis(A, what, tuple ? &v->tuple->items[i] : v, rank, &axis));
        if (*mask & 1u << axis) {
            return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "%s: axis %d is given twice", what,
                             axis);
        }
        *mask |= 1u << axis;
    }
    return ARR_OK;
}

Status arg_dtype(State *A, const char *what, const Value *v, DType dflt, DType *out) {
    *out = dflt;
    if (v->kind == V_NONE || v->kind == V_UNSET) return ARR_OK;
    if (v->kind != V_DTYPE) return refuse_dtype(A, what, v);
    *out = v->dtype;
    return ARR_OK;
}

Status arg_str(State *A, const char *what, const Value *v, const char **text, size_t *n) {
    if (v->kind != V_STR) return refuse(A, what, "a string", v);
    *text = v->str->text;
    *n = v->str->len;
    return ARR_OK;
}

Status arg_function(State *A, const char *what, const Value *v) {
    bool calls = v->kind == V_FN || v->kind == V_BUILTIN || v->kind == V_DTYPE;
    return calls ? ARR_OK : refuse(A, what, "a function", v);
}

Status arg_flag(State *A, const char *what, const Value *v, bool *out) {
    if (v->kind == V_BOOL) {
        *out = v->b;
        return ARR_OK;
    }
    if (v->kind != V_ARRAY || v->node->dtype != DT_bool || node_size(v->node) != 1) {
        return refuse(A, what, "true or false", v);
    }
    return value_to_bool(A, what, v, out);
}
