/* eval_field - x.name: members of modules, fields of records, attributes of arrays and numbers.
 *
 * Callers: eval (reads), eval_call (members and fields that are called), eval_assign (record_with).
 * Invariant: nothing is forced; the shape of a node is known when it is built. */
#include "interp/eval.h"
#include "interp/env.h"
#include "interp/ops_scalar.h"

#include <string.h>

const Value *field_member(State *A, const Value *x, Symbol name) {
    if (x->kind == V_RECORD) return record_find(x->record, name);
    if (x->kind == V_MODULE && symbol_text(A, name)[0] != '_') return module_get(x->module, name);
    return NULL;
}

Status record_with(State *A, const Record *r, Symbol name, const Value *v, Value *out) {
    bool fresh = !record_find(r, name);
    TRY(value_record(A, r->n + fresh, out));
    Record *c = out->record;
    for (uint32_t i = 0; i < r->n; i++) {
        bool same = r->fields[i].name == name;
        c->fields[i].name = r->fields[i].name;
        c->fields[i].value = value_retain(same ? *v : r->fields[i].value);
    }
    if (fresh) {
        c->fields[r->n].name = name;
        c->fields[r->n].value = value_retain(*v);
    }
    return ARR_OK;
}

Status field_index(State *A, const Value *items, int n, Symbol *out) {
    if (n != 1 || items[0].kind != V_STR || items[0].str->len == 0) {
        return error_set(
            &A->cx, ARR_ERR_TYPE, A->cx.span,
            "a record cannot be indexed but by the name of one field: r.x or r[\"x\"]");
    }
    *out = symbol_intern(A, items[0].str->text, items[0].str->len);
    return *out < 0 ? ARR_ERR_MEMORY : ARR_OK;
}

/* ---- attributes ---- */

typedef enum Attribute {
    AT_SHAPE,
    AT_NDIM,
    AT_SIZE,
    AT_DTYPE,
    AT_NBYTES,
    AT_T,
    AT_MT,
    AT_REAL,
    AT_IMAG,
    AT_COUNT
} Attribute;

static const char *const attribute_names[AT_COUNT] = {"shape", "ndim", "size", "dtype", "nbytes",
                                                      "T",     "mT",   "real", "imag"};

static Status shape_tuple(State *A, const Shape *s, Value *out) {
    TRY(value_tuple(A, (uint32_t)s->rank, out));
    for (int i = 0; i < s->rank; i++) out->tuple->items[i] = value_int(s->dim[i]);
    return ARR_OK;
}

static Status transposed(State *A, Node *n, bool matrix, Value *out) {
    int perm[MAX_RANK], rank = n->shape.rank;
    if (matrix && rank < 2) {
        char text[SHAPE_TEXT];
        shape_text((DType)n->dtype, &n->shape, text);
        return error_set(&A->cx, ARR_ERR_SHAPE, SPAN_NONE,
                         ".mT swaps the last two axes, and %s has fewer", text);
    }
    for (int i = 0; i < rank; i++) perm[i] = matrix ? i : rank - 1 - i;
    if (matrix) {
        perm[rank - 2] = rank - 1;
        perm[rank - 1] = rank - 2;
    }
    Node *t;
    TRY(graph_transpose(A->rt, n, perm, &t));
    *out = value_node(t);
    return ARR_OK;
}

static Status array_attribute(State *A, Node *n, Attribute a, Value *out) {
    switch (a) {
    case AT_SHAPE: return shape_tuple(A, &n->shape, out);
    case AT_NDIM: *out = value_int(n->shape.rank); return ARR_OK;
    case AT_SIZE: *out = value_int(node_size(n)); return ARR_OK;
    case AT_DTYPE: *out = value_dtype((DType)n->dtype); return ARR_OK;
    case AT_NBYTES:
        *out = value_int(node_size(n) * (int64_t)dtype_size((DType)n->dtype));
        return ARR_OK;
    case AT_T:
    case AT_MT: return transposed(A, n, a == AT_MT, out);
    default: {
        Value x = {.kind = V_ARRAY, .node = n};
        return apply_op(A, a == AT_REAL ? OP_real : OP_imag, &x, 1, out);
    }
    }
}

static DType scalar_dtype(const Value *v) {
    switch (v->kind) {
    case V_BOOL: return DT_bool;
    case V_INT: return DT_i64;
    case V_UINT: return DT_u64;
    case V_FLOAT: return DT_f64;
    default: return DT_c128;
    }
}

static Status scalar_attribute(State *A, const Value *x, Attribute a, Value *out) {
    DType d = scalar_dtype(x);
    switch (a) {
    case AT_SHAPE: return value_tuple(A, 0, out);
    case AT_NDIM: *out = value_int(0); return ARR_OK;
    case AT_SIZE: *out = value_int(1); return ARR_OK;
    case AT_DTYPE: *out = value_dtype(d); return ARR_OK;
    case AT_NBYTES: *out = value_int((int64_t)dtype_size(d)); return ARR_OK;
    case AT_T:
    case AT_MT: *out = *x; return ARR_OK;
    default: return apply_op(A, a == AT_REAL ? OP_real : OP_imag, x, 1, out);
    }
}

/* ---- what is not there ---- */

static COLD Status no_member(State *A, const Value *x, const char *word) {
    enum { MOST = 256 };
    const char *words[MOST], *owner = "the record";
    size_t n = 0;
    if (x->kind == V_RECORD) {
        for (uint32_t i = 0; i < x->record->n && n < MOST; i++) {
            words[n++] = symbol_text(A, x->record->fields[i].name);
        }
    } else {
        const Module *m = x->module;
        owner = symbol_text(A, m->name);
        for (int32_t i = 0; i < m->n && n < MOST; i++) {
            const char *name = symbol_text(A, m->vars[i].name);
            if (m->vars[i].value.kind != V_UNSET && name[0] != '_') words[n++] = name;
        }
    }
    const char *near = suggest_word(word, words, n);
    if (word[0] == '_' && x->kind == V_MODULE) {
        return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE,
                         "%s is private to %s: names with a leading _ are", word, owner);
    }
    return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "%s has no %s '%s'%s%s%s", owner,
                     x->kind == V_RECORD ? "field" : "member", word, near ? ": did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

static COLD Status no_attribute(State *A, const Value *x, Symbol name) {
    char text[SHAPE_TEXT];
    const char *word = symbol_text(A, name), *foreign = suggest_foreign(word);
    value_describe(x, text);
    bool counted = x->kind == V_STR || x->kind == V_TUPLE || x->kind == V_RANGE;
    if (counted && (!strcmp(word, "shape") || !strcmp(word, "size"))) {
        return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "%s has no attribute '%s': write len(x)",
                         text, word);
    }
    Value base = symbol_base(A, name);
    if (value_callable(&base)) {
        return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE,
                         "%s has no attribute '%s': it is a function, call it: x.%s()", text, word,
                         word);
    }
    if (x->kind == V_FN || x->kind == V_BUILTIN) {
        return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE,
                         "a function has no attributes: call it first, f(x).%s", word);
    }
    if (foreign) {
        return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "%s has no attribute '%s': write %s",
                         text, word, foreign);
    }
    const char *near = suggest_word(word, attribute_names, AT_COUNT);
    char function[NAME_TEXT];
    if ((!near || !value_is_number(x)) && suggest_name(A, word, function)) near = function;
    return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "%s has no attribute '%s'%s%s%s", text, word,
                     near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

Status eval_field(State *A, const Value *x, Symbol name, Value *out) {
    const Value *member = field_member(A, x, name);
    if (member) {
        *out = value_retain(*member);
        return ARR_OK;
    }
    const char *word = symbol_text(A, name);
    if (x->kind == V_RECORD || x->kind == V_MODULE) return no_member(A, x, word);
    for (int a = 0; a < AT_COUNT && value_is_number(x); a++) {
        if (strcmp(word, attribute_names[a]) != 0) continue;
        return x->kind == V_ARRAY ? array_attribute(A, x->node, (Attribute)a, out)
                                  : scalar_attribute(A, x, (Attribute)a, out);
    }
    return no_attribute(A, x, name);
}
