/* graph_view - nodes that only rename elements: affine views and reshapes.
 *
 * Callers: interp (indexing, shape builtins), the other builders (broadcasting). Views of views are
 * composed here, reshapes of reshapes collapse, and a reshape that only adds or drops extents of 1
 * is a view, so that what reaches the plan is as short as it can be.
 * Invariant: a view never leaves its input: every index it names exists. */
#include "runtime/graph_build.h"

#include <assert.h>
#include <string.h>

/* Axis j of the input for output axes of extent 1 or none: a fixed index. */
static void view_canonicalize(ViewMap *m, const Shape *s) {
    for (int j = 0; j < m->in_rank; j++) {
        if (m->axis[j] >= 0 && s->dim[m->axis[j]] > 1) continue;
        m->axis[j] = -1;
        m->step[j] = 0;
    }
}

/* inner: base -> a; outer: a -> result; out: base -> result. */
static void view_compose(const ViewMap *inner, const ViewMap *outer, ViewMap *out) {
    ViewMap r = {.in_rank = inner->in_rank};
    for (int j = 0; j < inner->in_rank; j++) {
        int k = inner->axis[j];
        r.start[j] = inner->start[j];
        r.axis[j] = -1;
        if (k < 0) continue;
        r.start[j] += inner->step[j] * outer->start[k];
        r.step[j] = inner->step[j] * outer->step[k];
        r.axis[j] = outer->axis[k];
    }
    *out = r;
}

static bool view_is_identity(const ViewMap *m, const Shape *in, const Shape *s) {
    if (!shape_equal(in, s)) return false;
    for (int j = 0; j < m->in_rank; j++) {
        if (m->start[j] != 0) return false;
        if (in->dim[j] > 1 && (m->axis[j] != j || m->step[j] != 1)) return false;
    }
    return true;
}

Status graph_view(Runtime *rt, Node *a, const Shape *s, const ViewMap *map, Node **out) {
    Cx *cx = rt->cx;
    ViewMap m = *map;
    int64_t count;
    assert(m.in_rank == a->shape.rank);
    *out = NULL;
    TRY(shape_count(cx, cx->span, s, dtype_size((DType)a->dtype), &count));
    if (count == 0) return graph_zeros(rt, (DType)a->dtype, s, out);
    if (a->op == OP_scalar) return graph_constant(rt, (DType)a->dtype, s, a->at.scalar.bits, out);
    view_canonicalize(&m, s);
    if (view_is_identity(&m, &a->shape, s)) return node_same(a, out);
    if (a->op == OP_view) {
        view_compose(a->at.view, &m, &m);
        a = a->in[0];
        if (view_is_identity(&m, &a->shape, s)) return node_same(a, out);
    }
    if (s->rank == 0 && a->state == NODE_DONE) {
        int64_t at = a->value->offset;
        for (int j = 0; j < m.in_rank; j++) at += m.start[j] * a->value->stride[j];
        const void *bits = graph_element(rt, a, at);
        if (bits) return graph_constant(rt, (DType)a->dtype, s, bits, out);
    }
    ViewMap *kept = mem_alloc(&cx->mem, sizeof *kept);
    if (!kept) return error_memory(cx, sizeof *kept);
    *kept = m;
    Status st = node_new(rt, OP_view, (DType)a->dtype, s, out);
    if (st != ARR_OK) {
        mem_free(&cx->mem, kept, sizeof *kept);
        return st;
    }
    (*out)->at.view = kept;
    node_use(*out, a);
    return ARR_OK;
}

Status graph_broadcast(Runtime *rt, Node *a, const Shape *s, Node **out) {
    Cx *cx = rt->cx;
    Shape both;
    *out = NULL;
    if (shape_equal(&a->shape, s)) return node_same(a, out);
    if (!shape_broadcast(&a->shape, s, &both) || !shape_equal(&both, s)) {
        char from[SHAPE_TEXT], to[SHAPE_TEXT];
        node_text(a, from);
        shape_text((DType)a->dtype, s, to);
        return error_set(cx, ARR_ERR_SHAPE, cx->span, "cannot broadcast %s to %s", from,
                         to + strlen(dtype_name((DType)a->dtype)));
    }
    ViewMap m = {.in_rank = a->shape.rank};
    int shift = s->rank - a->shape.rank;
    for (int j = 0; j < m.in_rank; j++) {
        m.axis[j] = (int8_t)(a->shape.dim[j] == 1 ? -1 : j + shift);
        m.step[j] = a->shape.dim[j] != 1;
    }
    return graph_view(rt, a, s, &m, out);
}

Status graph_transpose(Runtime *rt, Node *a, const int *perm, Node **out) {
    Shape s = {.rank = a->shape.rank};
    ViewMap m = {.in_rank = s.rank};
    for (int k = 0; k < s.rank; k++) {
        s.dim[k] = a->shape.dim[perm[k]];
        m.axis[perm[k]] = (int8_t)k;
        m.step[perm[k]] = 1;
    }
    return graph_view(rt, a, &s, &m, out);
}

/* Do the shapes differ in extents of 1 alone? Then *m is the view. */
static bool reshape_as_view(const Shape *from, const Shape *to, ViewMap *m) {
    int k = 0;
    *m = (ViewMap){.in_rank = from->rank};
    for (int j = 0; j < from->rank; j++) {
        m->axis[j] = -1;
        if (from->dim[j] == 1) continue;
        while (k < to->rank && to->dim[k] == 1) k++;
        if (k == to->rank || to->dim[k] != from->dim[j]) return false;
        m->axis[j] = (int8_t)k++;
        m->step[j] = 1;
    }
    while (k < to->rank && to->dim[k] == 1) k++;
    return k == to->rank;
}

Status graph_reshape(Runtime *rt, Node *a, const Shape *s, Node **out) {
    Cx *cx = rt->cx;
    int64_t count;
    ViewMap m;
    *out = NULL;
    TRY(shape_count(cx, cx->span, s, dtype_size((DType)a->dtype), &count));
    if (count != node_size(a)) {
        char from[SHAPE_TEXT], to[SHAPE_TEXT];
        node_text(a, from);
        shape_text((DType)a->dtype, s, to);
        return error_set(cx, ARR_ERR_SHAPE, cx->span,
                         "cannot reshape %s to %s: %lld elements do not make %lld", from,
                         to + strlen(dtype_name((DType)a->dtype)), (long long)node_size(a),
                         (long long)count);
    }
    if (shape_equal(&a->shape, s)) return node_same(a, out);
    if (count == 0) return graph_zeros(rt, (DType)a->dtype, s, out);
    if (a->op == OP_scalar) return graph_constant(rt, (DType)a->dtype, s, a->at.scalar.bits, out);
    if (a->op == OP_iota) return graph_iota(rt, s, out);
    if (reshape_as_view(&a->shape, s, &m)) return graph_view(rt, a, s, &m, out);
    if (a->op == OP_reshape) return graph_reshape(rt, a->in[0], s, out);
    TRY(node_new(rt, OP_reshape, (DType)a->dtype, s, out));
    node_use(*out, a);
    return ARR_OK;
}
