/* builtin_util - the scratch of builtins: ownership, properties and building (see the header).
 *
 * Callers: the builtin families. Invariant: a Value handed out is owned by the scratch, and after a
 * failure nothing is built any more, so that the first error stays the one that is reported. */
#include "interp/builtin_util.h"
#include "interp/array_build.h"
#include "runtime/exec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void calc_open(Calc *c, State *A, const char *fn) {
    c->A = A;
    c->fn = fn;
    c->status = ARR_OK;
    c->n = 0;
    c->cap = CALC_INLINE;
    c->own = c->first;
}

Status calc_done(Calc *c, Value result, Value *out) {
    if (calc_ok(c)) *out = result.kind == V_UNSET ? VALUE_NONE : value_retain(result);
    for (int i = c->n - 1; i >= 0; i--) value_release(c->A, c->own[i]);
    if (c->own != c->first) mem_free(&c->A->cx.mem, c->own, (size_t)c->cap * sizeof(Value));
    c->n = 0;
    c->own = c->first;
    return c->status;
}

bool calc_check(Calc *c, Status s) {
    if (calc_ok(c)) c->status = s;
    return calc_ok(c);
}

static bool grow(Calc *c) {
    size_t old = (size_t)c->cap * sizeof(Value), size = 2 * old;
    Value *p = mem_alloc(&c->A->cx.mem, size);
    if (!p) return calc_check(c, error_memory(&c->A->cx, size));
    memcpy(p, c->own, old);
    if (c->own != c->first) mem_free(&c->A->cx.mem, c->own, old);
    c->own = p;
    c->cap *= 2;
    return true;
}

Value calc_keep(Calc *c, Status s, Value v) {
    if (!calc_check(c, s)) return VALUE_UNSET;
    if (c->n == c->cap && !grow(c)) {
        value_release(c->A, v);
        return VALUE_UNSET;
    }
    c->own[c->n++] = v;
    return v;
}

Value calc_keep_node(Calc *c, Status s, Node *n) {
    if (s != ARR_OK && calc_ok(c)) name_error(c->A, c->fn);
    return calc_keep(c, s, s == ARR_OK ? value_node(n) : VALUE_UNSET);
}

Value calc_fail(Calc *c, Status s, const char *fmt, ...) {
    if (!calc_ok(c)) return VALUE_UNSET;
    char text[ERROR_MESSAGE_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    c->status = error_set(&c->A->cx, s, c->A->cx.span, "%s: %s", c->fn, text);
    return VALUE_UNSET;
}

/* ---- properties ---- */

Shape calc_shape(Value v) { return v.kind == V_ARRAY ? v.node->shape : (Shape){.rank = 0}; }
int calc_rank(Value v) { return v.kind == V_ARRAY ? v.node->shape.rank : 0; }
int64_t calc_size(Value v) { return v.kind == V_ARRAY ? node_size(v.node) : 1; }

int64_t calc_dim(Value v, int axis) {
    int rank = calc_rank(v);
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank ? v.node->shape.dim[axis] : 0;
}

DType calc_type(const Calc *c, Value v) {
    return v.kind == V_ARRAY ? (DType)v.node->dtype : array_default_dtype(c->A, &v);
}

DType calc_float_type(const Calc *c, Value v) {
    DType t = calc_type(c, v);
    return dtype_kind(t) < DK_FLOAT ? c->A->rt->flt : t;
}

int64_t calc_reduced(Value v, uint32_t axes) {
    int64_t n = 1;
    for (int i = 0; i < calc_rank(v); i++)
        if (axes >> i & 1) n *= v.node->shape.dim[i];
    return n;
}

void calc_describe(Value v, char out[SHAPE_TEXT]) { value_describe(&v, out); }

Shape calc_shape_without(Shape s, int axis) {
    for (int i = axis; i + 1 < s.rank; i++) s.dim[i] = s.dim[i + 1];
    if (s.rank > 0) s.rank--;
    return s;
}

Shape calc_shape_insert(Shape s, int axis, int64_t n) {
    if (s.rank >= MAX_RANK) return s;
    for (int i = s.rank; i > axis; i--) s.dim[i] = s.dim[i - 1];
    s.dim[axis] = n;
    s.rank++;
    return s;
}

Shape calc_shape_kept(Shape s, uint32_t axes) {
    for (int i = 0; i < s.rank; i++)
        if (axes >> i & 1) s.dim[i] = 1;
    return s;
}

/* ---- elementwise ---- */

static Value apply(Calc *c, Op op, const Value *args, int n) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Value r = VALUE_NONE;
    Status s = apply_op(c->A, op, args, n, &r);
    if (s != ARR_OK) name_error(c->A, c->fn);
    return calc_keep(c, s, r);
}

Value calc_1(Calc *c, Op op, Value a) { return apply(c, op, &a, 1); }
Value calc_2(Calc *c, Op op, Value a, Value b) { return apply(c, op, (Value[]){a, b}, 2); }

Value calc_where(Calc *c, Value cond, Value a, Value b) {
    return apply(c, OP_where, (Value[]){cond, a, b}, 3);
}

/* The scratch's own reference to a as an array (scalars become 0-d). */
static Value as_array(Calc *c, Value a) {
    if (!calc_ok(c) || a.kind == V_ARRAY) return a;
    Node *n = NULL;
    Status s = value_to_node(c->A, c->fn, &a, &n);
    return calc_keep_node(c, s, n);
}

Value calc_cast(Calc *c, Value a, DType to) {
    a = as_array(c, a);
    if (!calc_ok(c) || (DType)a.node->dtype == to) return a;
    Node *n = NULL;
    Status s = graph_cast(calc_rt(c), a.node, to, &n);
    return calc_keep_node(c, s, n);
}

DType calc_promote(Calc *c, DType a, DType b) {
    DType t = DT_COUNT;
    if (calc_ok(c) && !dtype_promote(a, b, &t)) {
        calc_fail(c, ARR_ERR_DTYPE, "%s and %s have no common dtype: cast one side, i64(x)",
                  dtype_name(a), dtype_name(b));
        return DT_COUNT;
    }
    return t;
}

DType calc_common(Calc *c, const Value *v, int n) {
    DType t = DT_COUNT;
    for (int i = 0; i < n; i++)
        if (v[i].kind == V_ARRAY)
            t = t == DT_COUNT ? calc_type(c, v[i]) : calc_promote(c, t, calc_type(c, v[i]));
    for (int i = 0; i < n && calc_ok(c); i++) {
        if (v[i].kind == V_ARRAY) continue;
        Scalar s;
        if (!calc_check(c, value_to_scalar(c->A, c->fn, &v[i], &s))) break;
        t = dtype_weak(t == DT_COUNT ? DT_bool : t, &s, c->A->rt->flt);
    }
    return t;
}

static Value scalar_as(Calc *c, const char *what, Value v, DType to) {
    Scalar s;
    char text[64];
    if (!calc_check(c, value_to_scalar(c->A, what, &v, &s))) return VALUE_UNSET;
    scalar_text(&s, text);
    if (dtype_weak(to, &s, c->A->rt->flt) != to) {
        return calc_fail(c, ARR_ERR_DTYPE,
                         "%s %s does not go into %s: write %s(%s) or cast the array", what, text,
                         dtype_name(to), dtype_name(to), text);
    }
    if (!scalar_fits(&s, to)) {
        return calc_fail(c, ARR_ERR_DTYPE, "%s %s does not fit %s: cast the array, i64(x)", what,
                         text, dtype_name(to));
    }
    return calc_full(c, to, (Shape){.rank = 0}, v);
}

Value calc_as(Calc *c, const char *what, Value v, DType to) {
    if (!calc_ok(c)) return VALUE_UNSET;
    if (v.kind != V_ARRAY) return scalar_as(c, what, v, to);
    DType t;
    if (!dtype_promote(to, (DType)v.node->dtype, &t) || t != to) {
        char text[SHAPE_TEXT];
        value_describe(&v, text);
        return calc_fail(c, ARR_ERR_DTYPE, "%s %s does not go into %s: cast it, %s(x)", what, text,
                         dtype_name(to), dtype_name(to));
    }
    return calc_cast(c, v, to);
}

/* ---- nodes ---- */

Value calc_reduce_as(Calc *c, ReduceKind kind, Value a, uint32_t axes, bool keepdims, DType acc) {
    a = as_array(c, a);
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status s = graph_reduce(calc_rt(c), kind, a.node, axes, keepdims, acc, 0, &n);
    return calc_keep_node(c, s, n);
}

Value calc_reduce(Calc *c, ReduceKind kind, Value a, uint32_t axes, bool keepdims) {
    return calc_reduce_as(c, kind, a, axes, keepdims, DT_COUNT);
}

Value calc_scan(Calc *c, ReduceKind kind, Value a, int axis, DType acc) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status s = graph_scan(calc_rt(c), kind, a.node, axis, acc, &n);
    return calc_keep_node(c, s, n);
}

Value calc_sort(Calc *c, Value a, int axis, bool descending) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status s = graph_sort(calc_rt(c), a.node, axis, descending, &n);
    return calc_keep_node(c, s, n);
}

Value calc_argsort(Calc *c, Value a, int axis, bool descending) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status s = graph_argsort(calc_rt(c), a.node, axis, descending, &n);
    return calc_keep_node(c, s, n);
}

Value calc_take(Calc *c, Value a, Value index, int axis) {
    index = as_array(c, index);
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status s = graph_take(calc_rt(c), a.node, index.node, axis, &n);
    return calc_keep_node(c, s, n);
}

Value calc_put(Calc *c, Value base, Value index, Value value, int axis) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status s = graph_put(calc_rt(c), base.node, index.node, value.node, axis, &n);
    return calc_keep_node(c, s, n);
}

Value calc_update(Calc *c, Value base, const int64_t *start, const int64_t *step, Value value) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status s = graph_update(calc_rt(c), base.node, start, step, value.node, &n);
    return calc_keep_node(c, s, n);
}

Value calc_concat(Calc *c, const Value *parts, int count, int axis) {
    if (!calc_ok(c)) return VALUE_UNSET;
    if (count == 1) return parts[0];
    size_t bytes = (size_t)count * sizeof(Node *);
    Node **nodes = calc_alloc(c, bytes), *n = NULL;
    if (!nodes) return VALUE_UNSET;
    for (int i = 0; i < count; i++) nodes[i] = parts[i].node;
    Status s = graph_concat(calc_rt(c), nodes, count, axis, &n);
    calc_free(c, nodes, bytes);
    return calc_keep_node(c, s, n);
}

Value calc_matmul(Calc *c, Value a, Value b) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status s = graph_matmul(calc_rt(c), a.node, b.node, &n);
    return calc_keep_node(c, s, n);
}

/* ---- shapes and views ---- */

Value calc_reshape(Calc *c, Value a, Shape s) {
    a = as_array(c, a);
    if (!calc_ok(c) || shape_equal(&a.node->shape, &s)) return a;
    Node *n = NULL;
    Status st = graph_reshape(calc_rt(c), a.node, &s, &n);
    return calc_keep_node(c, st, n);
}

Value calc_ravel(Calc *c, Value a) { return calc_reshape(c, a, calc_shape1(calc_size(a))); }

Value calc_broadcast(Calc *c, Value a, Shape s) {
    a = as_array(c, a);
    if (!calc_ok(c) || shape_equal(&a.node->shape, &s)) return a;
    Node *n = NULL;
    Status st = graph_broadcast(calc_rt(c), a.node, &s, &n);
    return calc_keep_node(c, st, n);
}

Value calc_view(Calc *c, Value a, Shape s, const ViewMap *m) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status st = graph_view(calc_rt(c), a.node, &s, m, &n);
    return calc_keep_node(c, st, n);
}

Value calc_transpose(Calc *c, Value a, const int *perm) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status s = graph_transpose(calc_rt(c), a.node, perm, &n);
    return calc_keep_node(c, s, n);
}

Value calc_move_axis(Calc *c, Value a, int from, int to) {
    int perm[MAX_RANK], n = 0, rank = calc_rank(a);
    if (from == to) return a;
    for (int i = 0, j = 0; i < rank; i++) {
        if (i == to) {
            perm[n++] = from;
        } else {
            if (j == from) j++;
            perm[n++] = j++;
        }
    }
    return calc_transpose(c, a, perm);
}

/* The map that leaves every axis of a as it is. */
static ViewMap whole(Value a) {
    ViewMap m = {.in_rank = calc_rank(a)};
    for (int i = 0; i < m.in_rank; i++) {
        m.step[i] = 1;
        m.axis[i] = (int8_t)i;
    }
    return m;
}

Value calc_slice(Calc *c, Value a, int axis, int64_t start, int64_t count, int64_t step) {
    if (!calc_ok(c)) return VALUE_UNSET;
    ViewMap m = whole(a);
    Shape s = calc_shape(a);
    m.start[axis] = start;
    m.step[axis] = step;
    s.dim[axis] = count;
    return calc_view(c, a, s, &m);
}

Value calc_pick(Calc *c, Value a, int axis, int64_t i) {
    if (!calc_ok(c)) return VALUE_UNSET;
    ViewMap m = whole(a);
    m.start[axis] = i;
    m.step[axis] = 0;
    m.axis[axis] = -1;
    for (int j = axis + 1; j < m.in_rank; j++) m.axis[j]--;
    return calc_view(c, a, calc_shape_without(calc_shape(a), axis), &m);
}

Value calc_expand(Calc *c, Value a, int axis) {
    a = as_array(c, a);
    if (!calc_ok(c)) return VALUE_UNSET;
    if (calc_rank(a) == MAX_RANK)
        return calc_fail(c, ARR_ERR_LIMIT, "an array has at most %d axes", MAX_RANK);
    ViewMap m = whole(a);
    for (int j = axis; j < m.in_rank; j++) m.axis[j]++;
    return calc_view(c, a, calc_shape_insert(calc_shape(a), axis, 1), &m);
}

Value calc_full(Calc *c, DType t, Shape s, Value v) {
    Scalar x;
    if (!calc_ok(c) || !calc_check(c, value_to_scalar(c->A, c->fn, &v, &x))) return VALUE_UNSET;
    Node *n = NULL;
    Status st = graph_full(calc_rt(c), t, &s, &x, &n);
    return calc_keep_node(c, st, n);
}

Value calc_iota(Calc *c, Shape s) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status st = graph_iota(calc_rt(c), &s, &n);
    return calc_keep_node(c, st, n);
}

Value calc_arange(Calc *c, int64_t n) { return calc_iota(c, calc_shape1(n)); }

Value calc_iota_along(Calc *c, Shape s, int axis) {
    Value line = calc_arange(c, s.dim[axis]);
    ViewMap m = {.in_rank = 1, .step = {1}, .axis = {(int8_t)axis}};
    return calc_view(c, line, s, &m);
}

Value calc_host(Calc *c, DType t, Shape s, const void *data) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status st = graph_host(calc_rt(c), t, &s, data, &n);
    return calc_keep_node(c, st, n);
}

Value calc_host_i64(Calc *c, const int64_t *data, int64_t n) {
    return calc_host(c, DT_i64, calc_shape1(n), data);
}

Value calc_host_f64(Calc *c, const double *data, int64_t n) {
    return calc_host(c, DT_f64, calc_shape1(n), data);
}

Value calc_nonzero(Calc *c, Value mask) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status s = exec_nonzero(calc_rt(c), mask.node, &n);
    return calc_keep(c, s, s == ARR_OK ? value_node(n) : VALUE_UNSET);
}

Value calc_tuple(Calc *c, const Value *items, int n) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Value t = VALUE_NONE;
    Status s = value_tuple(c->A, (uint32_t)n, &t);
    t = calc_keep(c, s, t);
    for (int i = 0; i < n && calc_ok(c); i++) t.tuple->items[i] = value_retain(items[i]);
    return t;
}

/* ---- reading ---- */

static Scalar read_scalar(Calc *c, Value v) {
    Scalar s = {.kind = SC_INT};
    if (!calc_ok(c)) return s;
    calc_check(c, v.kind == V_ARRAY ? exec_scalar(calc_rt(c), v.node, &s)
                                    : value_to_scalar(c->A, c->fn, &v, &s));
    return s;
}

double calc_read_float(Calc *c, Value v) {
    Scalar s = read_scalar(c, v);
    switch (s.kind) {
    case SC_BOOL: return s.b;
    case SC_INT: return (double)s.i;
    case SC_UINT: return (double)s.u;
    case SC_FLOAT: return s.f;
    default: return s.c.re;
    }
}

int64_t calc_read_int(Calc *c, Value v) {
    Scalar s = read_scalar(c, v);
    int64_t i;
    scalar_store(&s, DT_i64, &i);
    return i;
}

bool calc_read_bool(Calc *c, Value v) {
    Scalar s = read_scalar(c, v);
    uint8_t b;
    scalar_store(&s, DT_bool, &b);
    return b != 0;
}

void *calc_read(Calc *c, Value v, DType t, size_t *bytes) {
    v = calc_cast(c, v, t);
    *bytes = (size_t)calc_size(v) * dtype_size(t) + 1;
    void *p = calc_alloc(c, *bytes);
    if (p && !calc_check(c, exec_read(calc_rt(c), v.node, p))) {
        calc_free(c, p, *bytes);
        p = NULL;
    }
    return p;
}

void *calc_alloc(Calc *c, size_t bytes) {
    if (!calc_ok(c)) return NULL;
    void *p = mem_alloc(&c->A->cx.mem, bytes);
    if (!p) calc_check(c, error_memory(&c->A->cx, bytes));
    return p;
}

void calc_free(Calc *c, void *p, size_t bytes) { mem_free(&c->A->cx.mem, p, bytes); }

NumberText calc_text(double x) {
    NumberText t = {0};
    numtext_repr(x, t.s);
    return t;
}
