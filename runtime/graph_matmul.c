/* graph_matmul - matrix products of every rank by NumPy's rules.
 *
 * Callers: `@`, matmul, dot and what is built on them. One-dimensional operands get an extent of 1
 * and lose it again, batches are broadcast by views.
 * Invariant: a matmul node's operands have one rank, at least 2, one dtype, the same batch extents
 * and inner extents that agree and are not 0. */
#include "runtime/graph_build.h"

#include <stdio.h>

static Status refuse(Runtime *rt, Status kind, const Node *a, const Node *b, const char *why) {
    char ta[SHAPE_TEXT], tb[SHAPE_TEXT];
    node_text(a, ta);
    node_text(b, tb);
    Status s = error_set(rt->cx, kind, rt->cx->span, "cannot matmul %s and %s: %s", ta, tb, why);
    error_note(rt->cx, "a: %s, b: %s", ta, tb);
    return s;
}

static Status refuse_inner(Runtime *rt, const Node *a, const Node *b, int64_t p, int64_t q) {
    char why[128];
    int ra = a->shape.rank, rb = b->shape.rank;
    const char *hint = "";
    if (rb > 1 && b->shape.dim[rb - 1] == p)
        hint = "; write a @ b.mT";
    else if (ra > 1 && a->shape.dim[ra - 2] == q)
        hint = "; write a.mT @ b";
    snprintf(why, sizeof why, "the inner axes are %lld and %lld%s", (long long)p, (long long)q,
             hint);
    return refuse(rt, ARR_ERR_SHAPE, a, b, why);
}

static Status matmul_dtype(Runtime *rt, const Node *a, const Node *b, DType *t) {
    if (a->dtype == DT_bool && b->dtype == DT_bool)
        return refuse(rt, ARR_ERR_DTYPE, a, b, "use any(x & y), or i64(m) to count");
    if (!dtype_promote((DType)a->dtype, (DType)b->dtype, t))
        return refuse(rt, ARR_ERR_DTYPE, a, b,
                      "no dtype holds both u64 and signed integers; cast one side: i64(x) of the "
                      "u64, or u64(x) of the other");
    return ARR_OK;
}

/* x as t with the shape batch + (rows, columns). */
static Status operand(Runtime *rt, Node *x, DType t, const Shape *batch, int64_t rows, int64_t cols,
                      Node **out) {
    Node *cast = NULL, *matrix = NULL;
    Shape s = x->shape;
    if (s.rank == 1) s = (Shape){.rank = 2, .dim = {rows, cols}};
    Status st = graph_cast(rt, x, t, &cast);
    if (st == ARR_OK) st = graph_reshape(rt, cast, &s, &matrix);
    s = *batch;
    s.dim[s.rank++] = rows;
    s.dim[s.rank++] = cols;
    if (st == ARR_OK) st = graph_broadcast(rt, matrix, &s, out);
    node_release(rt, cast);
    node_release(rt, matrix);
    return st;
}

static Shape batch_of(const Shape *s) {
    Shape b = *s;
    b.rank = s->rank > 2 ? s->rank - 2 : 0;
    return b;
}

static Status product(Runtime *rt, Node *x_take, Node *y_take, DType t, const Shape *s,
                      Node **out) {
    int64_t inner = x_take->shape.dim[x_take->shape.rank - 1];
    bool empty = inner == 0 || shape_size(s) == 0;
    Status st = empty ? graph_zeros(rt, t, s, out) : node_new(rt, OP_matmul, t, s, out);
    if (st == ARR_OK && !empty) {
        if (t == DT_f32) (*out)->at.precision = (uint8_t)rt->cx->opts.precision;
        node_take(rt, *out, x_take);
        node_take(rt, *out, y_take);
        return ARR_OK;
    }
    node_release(rt, x_take);
    node_release(rt, y_take);
    return st;
}

Status graph_matmul(Runtime *rt, Node *a, Node *b, Node **out) {
    int ra = a->shape.rank, rb = b->shape.rank;
    DType t;
    *out = NULL;
    if (ra == 0 || rb == 0)
        return refuse(rt, ARR_ERR_SHAPE, a, b, "an operand has no axes; write a * b");
    TRY(matmul_dtype(rt, a, b, &t));
    int64_t m = ra > 1 ? a->shape.dim[ra - 2] : 1, k = a->shape.dim[ra - 1];
    int64_t n = rb > 1 ? b->shape.dim[rb - 1] : 1, kb = b->shape.dim[rb > 1 ? rb - 2 : 0];
    if (k != kb) return refuse_inner(rt, a, b, k, kb);
    Shape batch, ba = batch_of(&a->shape), bb = batch_of(&b->shape);
    if (!shape_broadcast(&ba, &bb, &batch))
        return refuse(rt, ARR_ERR_SHAPE, a, b, "the leading axes do not broadcast");
    Shape s = batch;
    s.dim[s.rank++] = m;
    s.dim[s.rank++] = n;
    Node *x = NULL, *y = NULL, *p = NULL;
    TRY(operand(rt, a, t, &batch, m, k, &x));
    Status st = operand(rt, b, t, &batch, k, n, &y);
    if (st != ARR_OK) {
        node_release(rt, x);
        return st;
    }
    TRY(product(rt, x, y, t, &s, &p));
    if (ra == 1) s.dim[s.rank - 2] = s.dim[s.rank - 1], s.rank--;
    if (rb == 1) s.rank--;
    st = graph_reshape(rt, p, &s, out);
    node_release(rt, p);
    return st;
}
