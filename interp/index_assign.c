/* index_assign - the value that x becomes by x[...] = e.
 *
 * A rectangle is one update node. Index arrays and masks put their elements into the basic view,
 * which then updates the rectangle; a mask with one value is a `where`, which fuses. The dtype of x
 * never changes. Callers: eval's targets. Invariant: x is not changed; the result is
 * a new node that the plan may compute in place. */
#include "interp/index.h"
#include "interp/state.h"
#include "runtime/exec.h"

/* e must not widen x: promoting both gives x's dtype. */
static Status refuse_dtype(State *A, const Node *x, const Value *e, DType wide) {
    char xt[SHAPE_TEXT], et[SHAPE_TEXT];
    shape_text((DType)x->dtype, &x->shape, xt);
    value_describe(e, et);
    return error_set(&A->cx, ARR_ERR_DTYPE, A->cx.span,
                     "cannot assign %s into %s, which would become %s: cast the value with "
                     "%s(...), or make the array with dtype %s",
                     et, xt, dtype_name(wide), dtype_name((DType)x->dtype), dtype_name(wide));
}

static Status refuse_mixed(State *A, const Node *x, const Value *e) {
    char xt[SHAPE_TEXT], et[SHAPE_TEXT];
    shape_text((DType)x->dtype, &x->shape, xt);
    value_describe(e, et);
    return error_set(&A->cx, ARR_ERR_DTYPE, A->cx.span,
                     "cannot assign %s into %s: cast the value with %s(...)", et, xt,
                     dtype_name((DType)x->dtype));
}

/* e as a node of x's dtype, any shape. */
static Status assigned_value(State *A, const Node *x, const Value *e, Node **out) {
    DType t = (DType)x->dtype, wide;
    if (e->kind == V_ARRAY) {
        if (!dtype_promote(t, (DType)e->node->dtype, &wide)) return refuse_mixed(A, x, e);
        if (wide != t) return refuse_dtype(A, x, e, wide);
        return graph_cast(A->rt, e->node, t, out);
    }
    if (!value_is_scalar(e)) {
        Node *n;
        TRY(value_to_node(A, "assigned value", e, &n));
        Value v = value_node(n);
        Status s = assigned_value(A, x, &v, out);
        node_release(A->rt, n);
        return s;
    }
    Scalar s;
    Shape none = {0};
    TRY(value_to_scalar(A, "assigned value", e, &s));
    wide = dtype_weak(t, &s, A->rt->flt);
    if (wide != t) return refuse_dtype(A, x, e, wide);
    if (!scalar_fits(&s, t)) {
        char text[64];
        scalar_text(&s, text);
        return error_set(&A->cx, ARR_ERR_DTYPE, A->cx.span,
                         "%s does not fit %s: widen the array first, x = i64(x)", text,
                         dtype_name(t));
    }
    return graph_full(A->rt, t, &none, &s, out);
}

/* value broadcast to `want`; leading extents of 1 that it has too many are dropped, as NumPy does
 * in assignments. */
static Status fit_value(State *A, Node *value, const Shape *want, Node **out) {
    Shape got = value->shape, both;
    int extra = got.rank - want->rank;
    for (int k = 0; k < extra; k++)
        if (got.dim[k] != 1) extra = -1;
    if (extra > 0) {
        Shape cut = shape_make(want->rank, got.dim + extra);
        Node *flat;
        TRY(graph_reshape(A->rt, value, &cut, &flat));
        Status s = fit_value(A, flat, want, out);
        node_release(A->rt, flat);
        return s;
    }
    if (!shape_broadcast(&got, want, &both) || !shape_equal(&both, want)) {
        char g[SHAPE_TEXT], w[SHAPE_TEXT];
        shape_text((DType)value->dtype, &got, g);
        shape_text((DType)value->dtype, want, w);
        return error_set(&A->cx, ARR_ERR_SHAPE, A->cx.span,
                         "cannot assign %s where the index selects %s", g, w);
    }
    return graph_broadcast(A->rt, value, want, out);
}

/* Replace the rectangle of the basic items (arrays count as whole axes) by value, which has the
 * shape of the basic view. */
static Status update_rectangle(State *A, Node *x, const IndexPlan *p, Node *value, Node **out) {
    int64_t start[MAX_RANK] = {0}, step[MAX_RANK];
    Shape rect = {.rank = x->shape.rank};
    for (int k = 0; k < p->n; k++) {
        const IndexItem *it = &p->item[k];
        if (it->kind == IX_NEW || it->fresh) continue;
        int width = it->kind == IX_MASK ? it->node->shape.rank : 1;
        for (int j = 0; j < width; j++) {
            int axis = it->axis + j;
            bool whole = it->kind == IX_ARRAY || it->kind == IX_MASK;
            start[axis] = whole ? 0 : it->start;
            step[axis] = it->kind == IX_SLICE ? it->step : 1;
            rect.dim[axis] = whole ? x->shape.dim[axis] : it->kind == IX_INT ? 1 : it->count;
        }
    }
    Node *shaped;
    TRY(graph_reshape(A->rt, value, &rect, &shaped));
    Status s = graph_update(A->rt, x, start, step, shaped, out);
    node_release(A->rt, shaped);
    return s;
}

static bool is_whole(const IndexPlan *p, const Shape *shape) {
    for (int k = 0; k < p->n; k++) {
        const IndexItem *it = &p->item[k];
        if (it->kind == IX_INT || it->kind == IX_NEW || it->fresh) return false;
        if (it->kind == IX_SLICE &&
            (it->start != 0 || it->step != 1 || it->count != shape->dim[it->axis]))
            return false;
    }
    return true;
}

/* One mask over leading axes of the view, at `axis`, with a value that does not run along the
 * selected elements: where(mask, value, view). */
static Status put_where(State *A, Node *view, Node *mask, int axis, Node *value, Node **out) {
    Shape ms = {.rank = view->shape.rank}, rest = {0};
    int width = mask->shape.rank, after = view->shape.rank - axis - width;
    Node *m = NULL, *wide = NULL, *v = NULL;
    for (int j = 0; j < ms.rank; j++)
        ms.dim[j] = j >= axis && j < axis + width ? view->shape.dim[j] : 1;
    rest = shape_make(after, view->shape.dim + axis + width);
    Status s = fit_value(A, value, &rest, &v);
    if (s == ARR_OK) s = graph_reshape(A->rt, mask, &ms, &m);
    if (s == ARR_OK) s = graph_broadcast(A->rt, m, &view->shape, &wide);
    if (s == ARR_OK)
        s = graph_apply(A->rt, OP_where, (Operand[]){{.node = wide}, {.node = v}, {.node = view}},
                        3, out);
    node_release(A->rt, m);
    node_release(A->rt, wide);
    node_release(A->rt, v);
    return s;
}

/* Is a mask the only array, and does the value not run along the selected elements? Then its rank,
 * leading extents of 1 apart, is that of the axes after the mask at most. */
static bool mask_takes_where(const IndexPlan *p, const Node *view, const int at[INDEX_MAX],
                             const Node *value, int *which) {
    int lead = 0;
    if (p->narrays != 1) return false;
    while (lead < value->shape.rank && value->shape.dim[lead] == 1) lead++;
    for (int k = 0; k < p->n; k++)
        if (p->item[k].kind == IX_MASK) {
            *which = k;
            return value->shape.rank - lead <=
                   view->shape.rank - at[k] - p->item[k].node->shape.rank;
        }
    return false;
}

static Status put_one(State *A, Node *view, const IndexArrays *ia, Node *value, Node **out) {
    Node *v;
    TRY(fit_value(A, value, &ia->result, &v));
    Status s = graph_put(A->rt, view, ia->index[0], v, ia->axis[0], out);
    if (s == ARR_OK && ia->named[0] >= 0) graph_name_axis(*out, ia->named[0]);
    node_release(A->rt, v);
    return s;
}

/* Several arrays, or one that stands apart. */
static Status put_merged(State *A, Node *view, const IndexArrays *ia, Node *value, Node **out) {
    Node *merged = NULL, *positions = NULL, *v = NULL;
    int axis = 0;
    TRY(fit_value(A, value, &ia->result, &v));
    Status s = index_merge(A, view, ia, &merged, &axis, &positions);
    if (s == ARR_OK) s = graph_put(A->rt, merged, positions, v, axis, out);
    node_release(A->rt, merged);
    node_release(A->rt, positions);
    node_release(A->rt, v);
    return s;
}

/* The basic view with its indexed elements replaced; same shape as the view. */
static Status put_arrays(State *A, const IndexPlan *p, Node *view, const int at[INDEX_MAX],
                         Node *value, Node **out) {
    int which = 0;
    if (mask_takes_where(p, view, at, value, &which))
        return put_where(A, view, p->item[which].node, at[which], value, out);
    IndexArrays ia = {0};
    Node *work = node_retain(view), *put = NULL;
    Status s = index_arrays(A, p, at, &work, &ia);
    if (s == ARR_OK)
        s = ia.n == 1 && (!ia.front || ia.axis[0] == 0) ? put_one(A, work, &ia, value, &put)
                                                        : put_merged(A, work, &ia, value, &put);
    if (s == ARR_OK) s = graph_reshape(A->rt, put, &view->shape, out);
    node_release(A->rt, put);
    node_release(A->rt, work);
    index_arrays_free(A, &ia);
    return s;
}

static Status assign_array(State *A, Node *x, const Value *items, int n, const Value *e,
                           Node **out) {
    IndexPlan p;
    int at[INDEX_MAX];
    Node *value = NULL, *view = NULL, *part = NULL;
    TRY(index_plan(A, (DType)x->dtype, &x->shape, items, n, &p));
    Status s = assigned_value(A, x, e, &value);
    if (s == ARR_OK) s = index_basic(A, x, &p, &view, at);
    if (s == ARR_OK)
        s = p.narrays ? put_arrays(A, &p, view, at, value, &part)
                      : fit_value(A, value, &view->shape, &part);
    node_release(A->rt, view);
    node_release(A->rt, value);
    if (s == ARR_OK) {
        if (p.narrays && is_whole(&p, &x->shape))
            *out = node_retain(part);
        else
            s = update_rectangle(A, x, &p, part, out);
    }
    node_release(A->rt, part);
    index_plan_free(A, &p);
    return s;
}

Status index_assign(State *A, const Value *x, const Value *items, int n, const Value *e,
                    Value *out) {
    Node *node;
    if (x->kind == V_ARRAY) {
        TRY(assign_array(A, x->node, items, n, e, &node));
        *out = value_node(node);
        return ARR_OK;
    }
    char text[SHAPE_TEXT];
    value_describe(x, text);
    return error_set(&A->cx, ARR_ERR_TYPE, A->cx.span,
                     "elements of %s cannot be assigned: only arrays have assignable elements",
                     text);
}

bool index_store(State *A, const Value *x, uint32_t refs, const Value *items, int n,
                 const Value *e) {
    int64_t index[MAX_RANK];
    Operand o = {0};
    if (x->kind != V_ARRAY || !index_integers(x->node, items, n, index)) return false;
    if (e->kind == V_ARRAY)
        o.node = e->node;
    else if (e->kind == V_INT)
        o.s = (Scalar){.kind = SC_INT, .i = e->i};
    else if (e->kind == V_FLOAT)
        o.s = (Scalar){.kind = SC_FLOAT, .f = e->f};
    else if (e->kind == V_BOOL)
        o.s = (Scalar){.kind = SC_BOOL, .b = e->b};
    else
        return false;
    return graph_store(A->rt, x->node, refs, index, &o);
}
