/* eval_ops - operators on values of all kinds: scalars at once, arrays as nodes, strings and tuples
 * by what + * < == mean for them.
 *
 * Callers: eval, op= statements. Invariant: only `==` and `in` on containers or arrays force
 * anything. */
#include "interp/eval.h"
#include "interp/api_limits.h"
#include "interp/ops_scalar.h"
#include "runtime/exec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- equality and membership ---- */

static Status all_equal(State *A, const Value *a, const Value *b, bool *out) {
    Runtime *rt = A->rt;
    Node *x = NULL, *y = NULL, *eq = NULL, *all = NULL;
    *out = false;
    Status st = value_to_node(A, "an operand of ==", a, &x);
    if (st == ARR_OK) st = value_to_node(A, "an operand of ==", b, &y);
    if (st == ARR_OK && shape_equal(&x->shape, &y->shape)) {
        Operand args[2] = {{.node = x}, {.node = y}};
        Scalar s;
        st = graph_apply(rt, OP_eq, args, 2, &eq);
        if (st == ARR_OK) {
            uint32_t axes = (uint32_t)((1ull << eq->shape.rank) - 1);
            st = graph_reduce(rt, RED_ALL, eq, axes, false, DT_COUNT, 0, &all);
        }
        if (st == ARR_OK) st = exec_scalar(rt, all, &s);
        if (st == ARR_OK) *out = s.b;
    }
    node_release(rt, x);
    node_release(rt, y);
    node_release(rt, eq);
    node_release(rt, all);
    return st;
}

Status eval_equal(State *A, const Value *a, const Value *b, bool *out) {
    TRY(stack_check(A));
    TRY(state_step(A, 1));
    *out = false;
    if (value_is_number(a) && value_is_number(b)) {
        if (a->kind == V_ARRAY || b->kind == V_ARRAY) return all_equal(A, a, b, out);
    } else if (a->kind == V_TUPLE && b->kind == V_TUPLE) {
        if (a->tuple->n != b->tuple->n) return ARR_OK;
        *out = true;
        for (uint32_t i = 0; i < a->tuple->n && *out; i++) {
            TRY(eval_equal(A, &a->tuple->items[i], &b->tuple->items[i], out));
        }
        return ARR_OK;
    } else if (a->kind == V_RECORD && b->kind == V_RECORD) {
        if (a->record->n != b->record->n) return ARR_OK;
        *out = true;
        for (uint32_t i = 0; i < a->record->n && *out; i++) {
            const Value *other = record_find(b->record, a->record->fields[i].name);
            *out = other != NULL;
            if (other) TRY(eval_equal(A, &a->record->fields[i].value, other, out));
        }
        return ARR_OK;
    }
    *out = value_equal(a, b);
    return ARR_OK;
}

static Status in_array(State *A, const Value *a, const Value *b, bool *out) {
    Runtime *rt = A->rt;
    if (a->kind == V_ARRAY && node_size(a->node) != 1) {
        char text[SHAPE_TEXT];
        value_describe(a, text);
        return error_set(&A->cx, ARR_ERR_SHAPE, SPAN_NONE,
                         "in looks for one element, not %s: use isin(x, values)", text);
    }
    if (!value_is_number(a)) return ARR_OK;
    Operand args[2];
    TRY(value_to_operand(A, "the element", a, &args[0]));
    TRY(value_to_operand(A, "the array", b, &args[1]));
    Node *eq = NULL, *any = NULL;
    Scalar s;
    Status st = graph_apply(rt, OP_eq, args, 2, &eq);
    if (st == ARR_OK) {
        uint32_t axes = (uint32_t)((1ull << eq->shape.rank) - 1);
        st = graph_reduce(rt, RED_ANY, eq, axes, false, DT_COUNT, 0, &any);
    }
    if (st == ARR_OK) st = exec_scalar(rt, any, &s);
    if (st == ARR_OK) *out = s.b;
    node_release(rt, eq);
    node_release(rt, any);
    return st;
}

static bool in_range(const RangeObj *r, int64_t i) {
    int64_t n = range_len(r);
    if (n == 0) return false;
    int64_t lo = r->step > 0 ? r->start : r->stop + 1, hi = r->step > 0 ? r->stop - 1 : r->start;
    if (i < lo || i > hi) return false;
    uint64_t gap =
        i > r->start ? (uint64_t)i - (uint64_t)r->start : (uint64_t)r->start - (uint64_t)i;
    uint64_t step = r->step > 0 ? (uint64_t)r->step : 0 - (uint64_t)r->step;
    return gap % step == 0;
}

/* Is the number, or the one element of an array, in the range? */
static Status in_range_value(State *A, const Value *a, const RangeObj *r, bool *out) {
    Value one;
    if (a->kind == V_ARRAY && node_size(a->node) == 1) {
        Scalar s;
        TRY(exec_scalar(A->rt, a->node, &s));
        one = value_from_scalar(s);
        a = &one;
    }
    if (a->kind == V_FLOAT) {
        const double bound = 9223372036854775808.0; /* 2^63 */
        bool whole = a->f >= -bound && a->f < bound && a->f == (double)(int64_t)a->f;
        *out = whole && in_range(r, (int64_t)a->f);
        return ARR_OK;
    }
    if (a->kind == V_UINT || a->kind == V_COMPLEX || !value_is_number(a)) return ARR_OK;
    int64_t i;
    TRY(value_to_int(A, "the element", a, &i));
    *out = in_range(r, i);
    return ARR_OK;
}

Status eval_in(State *A, const Value *a, const Value *b, bool *out) {
    char text[SHAPE_TEXT];
    *out = false;
    switch (b->kind) {
    case V_STR:
        if (a->kind != V_STR) {
            value_describe(a, text);
            return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE,
                             "in a string only a string can be looked for, not %s", text);
        }
        *out = a->str->len == 0 || memmem(b->str->text, b->str->len, a->str->text, a->str->len);
        return ARR_OK;
    case V_TUPLE:
        for (uint32_t i = 0; i < b->tuple->n && !*out; i++) {
            TRY(eval_equal(A, a, &b->tuple->items[i], out));
        }
        return ARR_OK;
    case V_RANGE: return in_range_value(A, a, b->range, out);
    case V_ARRAY: return in_array(A, a, b, out);
    default:
        value_describe(b, text);
        return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE,
                         "in looks into a tuple, range, array or string, not %s%s", text,
                         b->kind == V_RECORD ? ": use fields(r)" : "");
    }
}

/* ---- strings and tuples ---- */

static Status concat_strings(State *A, const Str *a, const Str *b, Value *out) {
    return value_str2(A, a->text, a->len, b->text, b->len, out);
}

static COLD Status too_long(State *A, const char *what) {
    return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE, "the %s would be too long", what);
}

static Status concat_tuples(State *A, const Tuple *a, const Tuple *b, Value *out) {
    uint64_t n = (uint64_t)a->n + b->n;
    if (n > INT32_MAX) return too_long(A, "tuple");
    TRY(value_tuple(A, (uint32_t)n, out));
    for (uint64_t i = 0; i < n; i++) {
        Status st = i % STEPS == 0 ? state_step(A, STEPS) : ARR_OK;
        if (st != ARR_OK) {
            value_release(A, *out);
            return st;
        }
        out->tuple->items[i] = value_retain(i < a->n ? a->items[i] : b->items[i - a->n]);
    }
    return ARR_OK;
}

enum { UNIT = 1 << 16 }; /* bytes of a repeated string that are copied at once */

static Status repeat_string(State *A, const Str *s, int64_t times, Value *out) {
    if (times < 0) times = 0;
    int64_t len;
    if (!mul_i64(s->len, times, &len) || len > INT32_MAX) return too_long(A, "string");
    Buf unit, buf;
    buf_init(&unit, &A->cx);
    buf_init(&buf, &A->cx);
    while (unit.len < UNIT && (int64_t)unit.len < len && !unit.failed) {
        buf_add(&unit, s->text, s->len);
    }
    while ((int64_t)buf.len < len && !buf.failed && !unit.failed && !interrupted(A)) {
        size_t left = (size_t)len - buf.len;
        buf_add(&buf, unit.data, left < unit.len ? left : unit.len);
    }
    Status st = interrupted(A) ? error_interrupted(&A->cx) : buf_status(&unit);
    if (st == ARR_OK) st = buf_status(&buf);
    if (st == ARR_OK) st = value_str(A, buf_text(&buf), buf.len, out);
    buf_free(&unit);
    buf_free(&buf);
    return st;
}

static Status repeat_tuple(State *A, const Tuple *t, int64_t times, Value *out) {
    if (times < 0) times = 0;
    int64_t n;
    if (!mul_i64(t->n, times, &n) || n > INT32_MAX) return too_long(A, "tuple");
    TRY(value_tuple(A, (uint32_t)n, out));
    for (int64_t i = 0; i < n; i++) {
        Status st = i % STEPS == 0 ? state_step(A, STEPS) : ARR_OK;
        if (st != ARR_OK) {
            value_release(A, *out);
            return st;
        }
        out->tuple->items[i] = value_retain(t->items[i % t->n]);
    }
    return ARR_OK;
}

static Status compare_strings(Op op, const Str *a, const Str *b, Value *out) {
    size_t n = a->len < b->len ? a->len : b->len;
    int c = memcmp(a->text, b->text, n); /* UTF-8 sorts as its code points do */
    if (c == 0) c = a->len < b->len ? -1 : a->len > b->len;
    bool r = op == OP_lt ? c < 0 : op == OP_le ? c <= 0 : op == OP_gt ? c > 0 : c >= 0;
    *out = value_bool(r);
    return ARR_OK;
}

static const char *remedy_for(Op op, const Value *a, const Value *b) {
    const Value *v[2] = {a, b};
    for (int i = 0; i < 2 && v[i]; i++) {
        const Value *other = v[1 - i];
        if (v[i]->kind == V_NONE) return ": none is what a function without return gives";
        if (v[i]->kind == V_FN || v[i]->kind == V_BUILTIN) return ": call the function, f(x)";
        if (v[i]->kind == V_TUPLE && other && value_is_number(other)) {
            return ": array(t) makes an array of a tuple";
        }
        if (v[i]->kind == V_RANGE) return ": array(r) makes an array of a range";
        if (v[i]->kind == V_STR && op == OP_mod) return ": write f\"{x:d}\"";
        if (v[i]->kind == V_STR && op == OP_add) return ": write f\"{x}{y}\" or str(x)";
        if (v[i]->kind == V_STR && other && value_is_number(other)) {
            return ": int(s) and float(s) read numbers";
        }
    }
    return "";
}

static COLD Status refuse(State *A, Op op, const Value *a, const Value *b) {
    char head[64], x[SHAPE_TEXT], y[SHAPE_TEXT] = "";
    value_describe(a, x);
    if (b) value_describe(b, y);
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE, "%s %s%s%s%s", op_verb(op, head), x,
                     b ? " and " : "", y, remedy_for(op, a, b));
}

static COLD Status other_binary(State *A, Op op, const Value *left, const Value *right,
                                Value *out) {
    const Value *a = left, *b = right;
    if (op == OP_eq || op == OP_ne) {
        bool r;
        TRY(eval_equal(A, a, b, &r));
        *out = value_bool(r == (op == OP_eq));
        return ARR_OK;
    }
    if (a->kind == V_STR && b->kind == V_STR) {
        if (op == OP_add) return concat_strings(A, a->str, b->str, out);
        if (op == OP_lt || op == OP_le || op == OP_gt || op == OP_ge) {
            return compare_strings(op, a->str, b->str, out);
        }
    }
    if (a->kind == V_TUPLE && b->kind == V_TUPLE && op == OP_add) {
        return concat_tuples(A, a->tuple, b->tuple, out);
    }
    if (op == OP_mul && a->kind == V_INT) { /* 3 * "ab" */
        const Value *count = a;
        a = b;
        b = count;
    }
    if (op == OP_mul && b->kind == V_INT) {
        if (a->kind == V_STR) return repeat_string(A, a->str, b->i, out);
        if (a->kind == V_TUPLE) return repeat_tuple(A, a->tuple, b->i, out);
    }
    return refuse(A, op, left, right);
}

/* ---- arrays ---- */

static COLD Status matmul(State *A, const Value *a, const Value *b, Value *out) {
    if (a->kind != V_ARRAY || b->kind != V_ARRAY) {
        char x[SHAPE_TEXT], y[SHAPE_TEXT];
        value_describe(a, x);
        value_describe(b, y);
        bool bools = a->kind == V_BOOL && b->kind == V_BOOL;
        return error_set(&A->cx, bools ? ARR_ERR_DTYPE : ARR_ERR_SHAPE, SPAN_NONE,
                         "cannot multiply %s @ %s: @ is for arrays with at least one axis%s", x, y,
                         bools ? ": use & | ^ ~, or i64(m) to count" : ": use *");
    }
    Node *node;
    TRY(graph_matmul(A->rt, a->node, b->node, &node));
    *out = value_node(node);
    return ARR_OK;
}

Status eval_binary(State *A, Op op, const Value *a, const Value *b, Value *out) {
    bool scalars = value_is_scalar(a) && value_is_scalar(b);
    if (scalars && op != OP_matmul) return scalar_apply(A, op, (Value[]){*a, *b}, 2, out);
    if (!value_is_number(a) || !value_is_number(b)) return other_binary(A, op, a, b, out);
    if (op == OP_matmul) return matmul(A, a, b, out);
    Operand args[2];
    TRY(value_to_operand(A, "an operand", a, &args[0]));
    TRY(value_to_operand(A, "an operand", b, &args[1]));
    Node *node;
    TRY(graph_apply(A->rt, op, args, 2, &node));
    *out = value_node(node);
    return ARR_OK;
}

Status eval_unary(State *A, Op op, const Value *a, Value *out) {
    if (value_is_scalar(a)) return scalar_apply(A, op, a, 1, out);
    if (a->kind != V_ARRAY) return refuse(A, op, a, NULL);
    Operand arg = {.node = a->node};
    Node *node;
    TRY(graph_apply(A->rt, op, &arg, 1, &node));
    *out = value_node(node);
    return ARR_OK;
}

/* ---- notes ---- */

enum { OPERAND_TEXT = 32 };

/* The operand's source if it is short and says more than its value; else "". */
static void operand_text(State *A, Span span, char out[OPERAND_TEXT]) {
    size_t n = 0;
    const char *s = source_text(A, span, &n);
    out[0] = '\0';
    if (!s || n == 0 || n >= OPERAND_TEXT || memchr(s, '\n', n)) return;
    bool sign = n > 1 && s[0] == '-';
    if (isdigit((unsigned char)s[sign]) || s[0] == '"' || s[0] == '\'' || s[0] == '[') return;
    if (parse_is_keyword(s, n)) return; /* true, false, none */
    memcpy(out, s, n);
    out[n] = '\0';
}

static bool source_same(State *A, Span a, Span b) {
    size_t n, m;
    const char *x = source_text(A, a, &n), *y = source_text(A, b, &m);
    return x && y && n == m && memcmp(x, y, n) == 0;
}

/* An operand that is a variable over a builtin's name: say where it was hidden. */
static void note_hidden(State *A, const char *text, const Value *v) {
    Symbol s = symbol_find(A, text, strlen(text));
    if (s < 0 || !A->frame) return;
    Value base = symbol_base(A, s);
    if (base.kind == V_UNSET || value_equal(&base, v)) return;
    Span bound = frame_bound(A->frame, s);
    if (!bound.src) return;
    int line, column;
    source_position(A, bound, &line, &column);
    error_note(&A->cx, "%s: the %s of that name is hidden since line %d; del %s uncovers it", text,
               base.kind == V_BUILTIN || base.kind == V_FN ? "function"
               : base.kind == V_DTYPE                      ? "dtype"
                                                           : "constant",
               line, text);
}

/* One line "x: f32[3,4], y: f32[5]" for the pending error, if it was raised by the operation at
 * cx->span (in place of what the graph said about operands, whose names it does not know); then
 * what hides builtins among them. */
void eval_note_values(State *A, const Span *spans, const Value *const *values, int n) {
    Error *e = &A->cx.err;
    Status s = e->status;
    bool fits = s == ARR_ERR_SHAPE || s == ARR_ERR_DTYPE || s == ARR_ERR_TYPE ||
                s == ARR_ERR_INDEX || s == ARR_ERR_VALUE;
    if (!fits || e->span.src != A->cx.span.src || e->span.lo != A->cx.span.lo) return;
    char line[4 * SHAPE_TEXT], text[OPERAND_TEXT], what[SHAPE_TEXT];
    size_t len = 0;
    for (int i = 0; i < n; i++) {
        operand_text(A, spans[i], text);
        size_t m = strlen(text);
        bool said = i > 0 && source_same(A, spans[i - 1], spans[i]);
        if (!m || said || len + m + SHAPE_TEXT + 8 > sizeof line) continue;
        value_describe(values[i], what);
        len += (size_t)snprintf(line + len, sizeof line - len, "%s%s: %s", len ? ", " : "", text,
                                what);
    }
    if (len) {
        e->notes[0] = '\0';
        error_note(&A->cx, "%s", line);
    }
    for (int i = 0; i < n; i++) {
        operand_text(A, spans[i], text);
        if (text[0]) note_hidden(A, text, values[i]);
    }
}

void eval_note_operands(State *A, Span left, const Value *a, Span right, const Value *b) {
    eval_note_values(A, (Span[]){left, right}, (const Value *[]){a, b}, b ? 2 : 1);
}
