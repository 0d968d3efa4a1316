/* graph_reduce - reductions, scans and sorts: result dtypes, empty axes.
 *
 * Callers: interp. Operands are cast to the dtype that is accumulated in before the reduction, so
 * that kernels meet one dtype on both sides; casts cost nothing once fused.
 * Invariant: a reduce node reduces at least one axis and at least one element. */
#include "runtime/graph_build.h"

static bool is_order(ReduceKind k) {
    return k == RED_MIN || k == RED_MAX || k == RED_ARGMIN || k == RED_ARGMAX;
}

/* Integers add up in 64 bits. */
static DType sum_dtype(DType t) {
    DKind k = dtype_kind(t);
    return k == DK_UINT ? DT_u64 : k < DK_UINT ? DT_i64 : t;
}

static DType scan_dtype(ReduceKind kind, DType t) {
    return kind == RED_SUM || kind == RED_PROD ? sum_dtype(t) : t;
}

/* *in: what elements are cast to; *out: of the result (VAR of integers: the default float). */
static void reduce_dtypes(ReduceKind kind, DType t, DType acc, DType flt, DType *in, DType *out) {
    DType given = acc == DT_COUNT ? t : acc;
    *in = *out = given;
    switch (kind) {
    case RED_SUM:
    case RED_PROD: *in = *out = acc == DT_COUNT ? sum_dtype(t) : acc; break;
    case RED_ANY:
    case RED_ALL: *in = *out = DT_bool; break;
    case RED_COUNT:
        *in = DT_bool;
        *out = DT_i64;
        break;
    case RED_ARGMIN:
    case RED_ARGMAX: *out = DT_i64; break;
    case RED_VAR:
        if (dtype_kind(given) < DK_FLOAT) {
            *in = DT_f64;
            *out = acc == DT_COUNT ? flt : DT_f64;
        }
        break;
    default: break;
    }
}

static Status refuse_order(Runtime *rt, ReduceKind kind, const Node *a) {
    char text[SHAPE_TEXT];
    node_text(a, text);
    return error_set(rt->cx, ARR_ERR_DTYPE, rt->cx->span,
                     "cannot apply %s to %s: complex numbers have no order; take real(x), imag(x) "
                     "or abs(x)",
                     reduce_name(kind), text);
}

static Status refuse_empty(Runtime *rt, ReduceKind kind, const Node *a, uint32_t axes) {
    char text[SHAPE_TEXT];
    int axis = 0;
    node_text(a, text);
    for (int j = 0; j < a->shape.rank; j++)
        if ((axes >> j & 1) && a->shape.dim[j] == 0) axis = j;
    return error_set(rt->cx, ARR_ERR_VALUE, rt->cx->span,
                     "cannot apply %s to %s: axis %d has no elements", reduce_name(kind), text,
                     axis);
}

/* The result where nothing is reduced. */
static Status reduce_nothing(Runtime *rt, ReduceKind kind, DType t, const Shape *s, Node **out) {
    Scalar v = {.kind = SC_INT, .i = 0};
    if (kind == RED_PROD || kind == RED_ALL) v.i = 1;
    if (kind == RED_VAR) v = (Scalar){.kind = SC_FLOAT, .f = __builtin_nan("")};
    return graph_full(rt, t, s, &v, out);
}

static Shape reduced_shape(const Shape *in, uint32_t axes, bool keepdims) {
    Shape s = {.rank = 0};
    for (int j = 0; j < in->rank; j++) {
        bool gone = axes >> j & 1;
        if (!gone || keepdims) s.dim[s.rank++] = gone ? 1 : in->dim[j];
    }
    return s;
}

/* Over no axis: as over one more axis of extent 1. */
static Status reduce_no_axis(Runtime *rt, ReduceKind kind, Node *a, DType acc, double ddof,
                             Node **out) {
    Node *wide, *r;
    Shape s = a->shape;
    if (s.rank == MAX_RANK)
        return error_set(rt->cx, ARR_ERR_LIMIT, rt->cx->span,
                         "%s over no axis of an array of rank %d", reduce_name(kind), MAX_RANK);
    s.dim[s.rank++] = 1;
    TRY(graph_reshape(rt, a, &s, &wide));
    Status st = graph_reduce(rt, kind, wide, 1u << (s.rank - 1), false, acc, ddof, &r);
    node_release(rt, wide);
    if (st == ARR_OK) *out = r;
    return st;
}

/* var(re) + var(im) */
static Status complex_variance(Runtime *rt, Node *a, uint32_t axes, bool keepdims, double ddof,
                               Node **out) {
    static const Op part[2] = {OP_real, OP_imag};
    Node *half[2] = {NULL, NULL};
    Status st = ARR_OK;
    for (int i = 0; i < 2 && st == ARR_OK; i++) {
        Node *x;
        st = graph_apply(rt, part[i], &(Operand){.node = a}, 1, &x);
        if (st != ARR_OK) break;
        st = graph_reduce(rt, RED_VAR, x, axes, keepdims, DT_COUNT, ddof, &half[i]);
        node_release(rt, x);
    }
    if (st == ARR_OK)
        st = graph_apply(rt, OP_add, (Operand[]){{.node = half[0]}, {.node = half[1]}}, 2, out);
    node_release(rt, half[0]);
    node_release(rt, half[1]);
    return st;
}

Status graph_reduce(Runtime *rt, ReduceKind kind, Node *a, uint32_t axes, bool keepdims, DType acc,
                    double ddof, Node **out) {
    DType t = (DType)a->dtype, in, result;
    Node *cast, *r;
    *out = NULL;
    if (is_order(kind) && dtype_is_complex(t)) return refuse_order(rt, kind, a);
    if (axes == 0) return reduce_no_axis(rt, kind, a, acc, ddof, out);
    Shape s = reduced_shape(&a->shape, axes, keepdims);
    reduce_dtypes(kind, t, acc, rt->flt, &in, &result);
    if (node_size(a) == 0) {
        if (is_order(kind) && shape_size(&s) > 0) return refuse_empty(rt, kind, a, axes);
        return reduce_nothing(rt, kind, kind == RED_VAR ? dtype_real(result) : result, &s, out);
    }
    if (kind == RED_VAR && dtype_is_complex(in))
        return complex_variance(rt, a, axes, keepdims, ddof, out);
    TRY(graph_cast(rt, a, in, &cast));
    Status st = node_new(rt, OP_reduce, kind == RED_VAR ? in : result, &s, &r);
    if (st != ARR_OK) {
        node_release(rt, cast);
        return st;
    }
    node_take(rt, r, cast);
    r->at.reduce.kind = (uint8_t)kind;
    r->at.reduce.keepdims = keepdims;
    r->at.reduce.axes = axes;
    r->at.reduce.ddof = ddof;
    st = graph_cast(rt, r, result, out);
    node_release(rt, r);
    return st;
}

/* ---- along one axis ---- */

static Status along(Runtime *rt, Op op, const char *what, Node *a, int axis, DType t, Node **out) {
    if (axis < 0 || axis >= a->shape.rank)
        return shape_axis(rt->cx, rt->cx->span, what, axis, a->shape.rank, &axis);
    if (node_size(a) == 0) return graph_zeros(rt, t, &a->shape, out);
    TRY(node_new(rt, op, t, &a->shape, out));
    node_use(*out, a);
    (*out)->at.along.axis = (int8_t)axis;
    return ARR_OK;
}

Status graph_scan(Runtime *rt, ReduceKind kind, Node *a, int axis, DType acc, Node **out) {
    static const char *const names[] = {"cumsum", "cumprod", "cummin", "cummax"};
    Node *cast;
    *out = NULL;
    if (is_order(kind) && dtype_is_complex((DType)a->dtype)) return refuse_order(rt, kind, a);
    TRY(graph_cast(rt, a, acc == DT_COUNT ? (DType)a->dtype : acc, &cast));
    DType t = acc == DT_COUNT ? scan_dtype(kind, (DType)cast->dtype) : acc;
    Status st = along(rt, OP_scan, names[kind], cast, axis, t, out);
    node_release(rt, cast);
    if (st == ARR_OK && (*out)->op == OP_scan) (*out)->at.along.kind = (uint8_t)kind;
    return st;
}

static Status order(Runtime *rt, Op op, Node *a, int axis, bool descending, DType t, Node **out) {
    *out = NULL;
    if (dtype_is_complex((DType)a->dtype)) {
        char text[SHAPE_TEXT];
        node_text(a, text);
        return error_set(rt->cx, ARR_ERR_DTYPE, rt->cx->span,
                         "cannot sort %s: complex numbers have no order; sort real(x) or abs(x)",
                         text);
    }
    TRY(along(rt, op, op_info(op)->name, a, axis, t, out));
    if ((*out)->op == op) (*out)->at.along.descending = descending;
    return ARR_OK;
}

Status graph_sort(Runtime *rt, Node *a, int axis, bool descending, Node **out) {
    return order(rt, OP_sort, a, axis, descending, (DType)a->dtype, out);
}

Status graph_argsort(Runtime *rt, Node *a, int axis, bool descending, Node **out) {
    return order(rt, OP_argsort, a, axis, descending, DT_i64, out);
}
