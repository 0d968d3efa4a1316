/* index - reading x[...]: one basic view, then at most one gather.
 *
 * Integers, slices, `...` and new axes together are one affine view of x (no work, fuses). Masks
 * become arrays of positions. One index array is a gather along its axis; several are broadcast and
 * become one array of flat positions, each checked when the work runs. NumPy's rules throughout.
 * Callers: eval and the take-like builtins. Invariant: x is never changed. */
#include "interp/index.h"
#include "interp/state.h"
#include "runtime/exec.h"

static Status too_many(State *A, DType t, const Shape *shape, int used) {
    char text[SHAPE_TEXT];
    shape_text(t, shape, text);
    return error_set(&A->cx, ARR_ERR_INDEX, A->cx.span,
                     "too many indices: %d for %s, which has %d %s", used, text, shape->rank,
                     shape->rank == 1 ? "axis" : "axes");
}

static Status out_of_range(State *A, int64_t i, int axis, int64_t n) {
    return error_set(&A->cx, ARR_ERR_INDEX, A->cx.span,
                     "index %lld is out of range for axis %d with %lld elements", (long long)i,
                     axis, (long long)n);
}

/* lo, hi or step of a slice: none or an integer. */
static Status slice_bound(State *A, const Value *v, bool *has, int64_t *out) {
    *has = v->kind != V_NONE && v->kind != V_UNSET;
    return *has ? value_to_int(A, "slice bound", v, out) : ARR_OK;
}

Status index_slice(State *A, const SliceObj *s, int64_t n, IndexItem *out) {
    bool has_lo, has_hi, has_step;
    int64_t lo = 0, hi = 0, step = 1;
    TRY(slice_bound(A, &s->lo, &has_lo, &lo));
    TRY(slice_bound(A, &s->hi, &has_hi, &hi));
    TRY(slice_bound(A, &s->step, &has_step, &step));
    if (!has_step) step = 1;
    if (step == 0)
        return error_set(&A->cx, ARR_ERR_VALUE, A->cx.span, "the step of a slice must not be 0");
    out->kind = IX_SLICE;
    out->step = step;
    slice_resolve(n, has_lo, lo, has_hi, hi, step, &out->start, &out->count);
    return ARR_OK;
}

/* Axes of x that an item uses up; -1: an ellipsis. */
static int item_width(const Value *v) {
    switch (v->kind) {
    case V_NONE: return 0;
    case V_ELLIPSIS: return -1;
    case V_BOOL: return 0;
    case V_ARRAY: return v->node->dtype == DT_bool ? v->node->shape.rank : 1;
    default: return 1;
    }
}

static Status plan_mask(State *A, DType t, const Shape *shape, int axis, Node *m, IndexItem *out) {
    for (int k = 0; k < m->shape.rank; k++)
        if (m->shape.dim[k] != shape->dim[axis + k]) {
            char mt[SHAPE_TEXT], xt[SHAPE_TEXT];
            shape_text(DT_bool, &m->shape, mt);
            shape_text(t, shape, xt);
            return error_set(&A->cx, ARR_ERR_INDEX, A->cx.span,
                             "the mask %s does not match %s: axis %d has %lld and %lld elements",
                             mt, xt, axis + k, (long long)m->shape.dim[k],
                             (long long)shape->dim[axis + k]);
        }
    out->kind = IX_MASK;
    out->node = node_retain(m);
    return ARR_OK;
}

static Status plan_integer(State *A, int64_t i, const Shape *shape, int axis, IndexItem *out) {
    int64_t n = shape->dim[axis];
    if (i < -n || i >= n) return out_of_range(A, i, axis, n);
    out->kind = IX_INT;
    out->start = i < 0 ? i + n : i;
    return ARR_OK;
}

/* A mask without axes: a new axis in front with all of x or nothing of it. */
static Status plan_choice(State *A, const Value *v, IndexItem *out) {
    bool b;
    Scalar zero = {.kind = SC_INT};
    TRY(value_to_bool(A, "index", v, &b));
    Shape s = {.rank = 1, .dim = {b}};
    out->kind = IX_ARRAY;
    out->fresh = true;
    return graph_full(A->rt, DT_i64, &s, &zero, &out->node);
}

Status index_wrong(State *A, const Value *v) {
    char text[SHAPE_TEXT];
    value_describe(v, text);
    return error_set(&A->cx, ARR_ERR_TYPE, A->cx.span,
                     "%s cannot be an index: integers, slices, masks and integer arrays can", text);
}

static Status plan_item(State *A, DType t, const Shape *shape, int axis, const Value *v,
                        IndexItem *out) {
    int64_t i;
    out->axis = axis;
    switch (v->kind) {
    case V_INT: return plan_integer(A, v->i, shape, axis, out);
    case V_SLICE: return index_slice(A, v->slice, shape->dim[axis], out);
    case V_NONE: out->kind = IX_NEW; return ARR_OK;
    case V_BOOL: return plan_choice(A, v, out);
    case V_RANGE: {
        out->kind = IX_ARRAY;
        return value_to_node(A, "index", v, &out->node);
    }
    case V_ARRAY:
        if (v->node->dtype == DT_bool)
            return v->node->shape.rank > 0 ? plan_mask(A, t, shape, axis, v->node, out)
                                           : plan_choice(A, v, out);
        if (v->node->shape.rank == 1 && v->node->shape.dim[0] == 0) { /* [] has no integers */
            out->kind = IX_ARRAY;
            return graph_cast(A->rt, v->node, DT_i64, &out->node);
        }
        if (!dtype_is_int(v->node->dtype)) return index_wrong(A, v);
        if (v->node->shape.rank == 0) {
            TRY(value_to_int(A, "index", v, &i));
            return plan_integer(A, i, shape, axis, out);
        }
        out->kind = IX_ARRAY;
        return graph_positions(A->rt, v->node, &out->node);
    default: return index_wrong(A, v);
    }
}

Status index_plan(State *A, DType t, const Shape *shape, const Value *items, int n, IndexPlan *p) {
    int used = 0, ellipses = 0, axis = 0;
    p->n = p->narrays = 0;
    p->ellipsis = -1;
    if (n == 1 && items[0].kind == V_TUPLE) { /* a tuple equals its parts */
        n = (int)items[0].tuple->n;
        items = items[0].tuple->items;
    }
    for (int k = 0; k < n; k++) {
        int w = item_width(&items[k]);
        if (w < 0)
            ellipses++;
        else
            used += w;
    }
    if (ellipses > 1)
        return error_set(&A->cx, ARR_ERR_INDEX, A->cx.span, "an index has one `...` at most");
    if (used > shape->rank) return too_many(A, t, shape, used);
    if (n > MAX_RANK) return too_many(A, t, shape, n);
    for (int k = 0; k <= n; k++) {
        int fill = k == n                        ? shape->rank - axis
                   : items[k].kind == V_ELLIPSIS ? shape->rank - used
                                                 : 0;
        if (k < n && items[k].kind == V_ELLIPSIS) p->ellipsis = p->n;
        for (; fill > 0; fill--, axis++)
            p->item[p->n++] =
                (IndexItem){.kind = IX_SLICE, .axis = axis, .step = 1, .count = shape->dim[axis]};
        if (k == n || items[k].kind == V_ELLIPSIS) continue;
        IndexItem it = {0};
        Status s = plan_item(A, t, shape, axis, &items[k], &it);
        if (s != ARR_OK) {
            index_plan_free(A, p);
            return s;
        }
        p->item[p->n++] = it;
        if (it.kind == IX_ARRAY || it.kind == IX_MASK) p->narrays++;
        axis += item_width(&items[k]);
    }
    return ARR_OK;
}

void index_plan_free(State *A, IndexPlan *p) {
    for (int k = 0; k < p->n; k++) node_release(A->rt, p->item[k].node);
    p->n = 0;
}

Status index_basic(State *A, Node *x, const IndexPlan *p, Node **out, int at[INDEX_MAX]) {
    ViewMap m = {.in_rank = x->shape.rank};
    Shape s = {0};
    for (int k = 0; k < p->n; k++) {
        const IndexItem *it = &p->item[k];
        int width = it->kind == IX_NEW ? 1 : it->kind == IX_MASK ? it->node->shape.rank : 1;
        at[k] = it->kind == IX_INT ? -1 : s.rank;
        if (it->kind == IX_INT) {
            m.start[it->axis] = it->start;
            m.axis[it->axis] = -1;
            continue;
        }
        if (s.rank + width > MAX_RANK)
            return error_set(&A->cx, ARR_ERR_LIMIT, A->cx.span, "an array has at most %d axes",
                             MAX_RANK);
        if (it->kind == IX_NEW || it->fresh) {
            s.dim[s.rank++] = 1;
        } else if (it->kind == IX_SLICE) {
            m.start[it->axis] = it->start;
            m.step[it->axis] = it->step;
            m.axis[it->axis] = (int8_t)s.rank;
            s.dim[s.rank++] = it->count;
        } else {
            for (int j = 0; j < width; j++) {
                m.step[it->axis + j] = 1;
                m.axis[it->axis + j] = (int8_t)s.rank;
                s.dim[s.rank++] = x->shape.dim[it->axis + j];
            }
        }
    }
    return graph_view(A->rt, x, &s, &m, out);
}

/* Merge `width` axes of *view from `axis` on; replaces *view. */
static Status merge_axes(State *A, Node **view, int axis, int width) {
    Shape s = {.rank = (*view)->shape.rank - width + 1};
    for (int j = 0; j < s.rank; j++)
        s.dim[j] = (*view)->shape.dim[j < axis ? j : j + (j > axis ? width - 1 : 0)];
    s.dim[axis] = 1;
    for (int j = 0; j < width; j++) s.dim[axis] *= (*view)->shape.dim[axis + j];
    Node *merged;
    TRY(graph_reshape(A->rt, *view, &s, &merged));
    node_release(A->rt, *view);
    *view = merged;
    return ARR_OK;
}

/* NumPy: integers count as index arrays when they stand beside one, and any slice, new axis or
 * `...` (of no axes too) between the first and the last of them moves the indexed axes to the
 * front. */
static bool arrays_apart(const IndexPlan *p) {
    int first = -1, last = -1;
    for (int k = 0; k < p->n; k++) {
        IndexKind kind = p->item[k].kind;
        if (kind == IX_INT || kind == IX_ARRAY || kind == IX_MASK) {
            if (first < 0) first = k;
            last = k;
        }
    }
    if (first < p->ellipsis && p->ellipsis <= last) return true;
    for (int k = first; k <= last && k >= 0; k++)
        if (p->item[k].kind == IX_SLICE || p->item[k].kind == IX_NEW) return true;
    return false;
}

static Status broadcast_arrays(State *A, IndexArrays *ia) {
    ia->shape = ia->index[0]->shape;
    for (int k = 1; k < ia->n; k++) {
        Shape s;
        if (!shape_broadcast(&ia->shape, &ia->index[k]->shape, &s)) {
            char a[SHAPE_TEXT], b[SHAPE_TEXT];
            shape_text(DT_i64, &ia->shape, a);
            shape_text(DT_i64, &ia->index[k]->shape, b);
            return error_set(&A->cx, ARR_ERR_SHAPE, A->cx.span,
                             "index arrays %s and %s do not broadcast together", a, b);
        }
        ia->shape = s;
    }
    return ARR_OK;
}

static bool is_indexed(const IndexArrays *ia, int axis) {
    for (int k = 0; k < ia->n; k++)
        if (ia->axis[k] == axis) return true;
    return false;
}

/* Where the index arrays' axes begin in the result. */
static int place_of(const IndexArrays *ia) { return ia->front ? 0 : ia->axis[0]; }

static Status result_shape(State *A, const Node *view, IndexArrays *ia) {
    int place = place_of(ia), rest = view->shape.rank - ia->n;
    Shape *s = &ia->result;
    *s = (Shape){.rank = 0};
    if (rest + ia->shape.rank > MAX_RANK)
        return error_set(&A->cx, ARR_ERR_LIMIT, A->cx.span, "an array has at most %d axes",
                         MAX_RANK);
    for (int j = 0, kept = 0; j <= view->shape.rank; j++) {
        if (kept == place && s->rank == place)
            for (int i = 0; i < ia->shape.rank; i++) s->dim[s->rank++] = ia->shape.dim[i];
        if (j == view->shape.rank || is_indexed(ia, j)) continue;
        s->dim[s->rank++] = view->shape.dim[j];
        kept++;
    }
    return ARR_OK;
}

/* An array that selects nothing is never read, so its indices are checked at once: an index out of
 * range is an error all the same, unless broadcasting left none. Forces. */
static Status check_unread(State *A, const Node *view, const IndexArrays *ia) {
    static const ReduceKind kinds[2] = {RED_MIN, RED_MAX};
    if (shape_size(&ia->result) > 0 || shape_size(&ia->shape) == 0) return ARR_OK;
    for (int k = 0; k < 2 * ia->n; k++) {
        Node *index = ia->index[k / 2], *r;
        int64_t n = view->shape.dim[ia->axis[k / 2]];
        Scalar v;
        if (ia->named[k / 2] < 0) continue;
        uint32_t all = index->shape.rank >= 32 ? ~0u : (1u << index->shape.rank) - 1;
        TRY(graph_reduce(A->rt, kinds[k % 2], index, all, false, DT_COUNT, 0, &r));
        Status s = exec_scalar(A->rt, r, &v);
        node_release(A->rt, r);
        TRY(s);
        if (v.i < -n || v.i >= n) return out_of_range(A, v.i, ia->named[k / 2], n);
    }
    return ARR_OK;
}

Status index_arrays(State *A, const IndexPlan *p, const int at[INDEX_MAX], Node **view,
                    IndexArrays *ia) {
    int merged = 0; /* axes that merging has taken away so far */
    Status s = ARR_OK;
    ia->n = 0;
    ia->front = arrays_apart(p);
    for (int k = 0; k < p->n && s == ARR_OK; k++) {
        const IndexItem *it = &p->item[k];
        if (it->kind != IX_ARRAY && it->kind != IX_MASK) continue;
        int axis = at[k] - merged;
        Node *index = NULL;
        if (it->kind == IX_ARRAY) {
            index = node_retain(it->node);
        } else {
            int width = it->node->shape.rank;
            if (width > 1) s = merge_axes(A, view, axis, width);
            merged += width - 1;
            if (s == ARR_OK) s = exec_nonzero(A->rt, it->node, &index);
        }
        if (s != ARR_OK) break;
        ia->axis[ia->n] = axis;
        ia->named[ia->n] = it->kind == IX_MASK || it->fresh ? -1 : it->axis;
        ia->index[ia->n++] = index;
    }
    if (s == ARR_OK) s = broadcast_arrays(A, ia);
    if (s == ARR_OK) s = result_shape(A, *view, ia);
    if (s == ARR_OK) s = check_unread(A, *view, ia);
    if (s != ARR_OK) index_arrays_free(A, ia);
    return s;
}

void index_arrays_free(State *A, IndexArrays *ia) {
    for (int k = 0; k < ia->n; k++) node_release(A->rt, ia->index[k]);
    ia->n = 0;
}

/* *sum += a * scale, or a * scale at first; takes a. */
static Status add_scaled(State *A, Node *a, int64_t scale, Node **sum) {
    Node *scaled = NULL, *both = NULL;
    Operand times[2] = {{.node = a}, {.s = {.kind = SC_INT, .i = scale}}};
    Status s = scale == 1 ? ARR_OK : graph_apply(A->rt, OP_mul, times, 2, &scaled);
    if (scale == 1) scaled = node_retain(a);
    node_release(A->rt, a);
    if (s == ARR_OK && *sum) {
        Operand plus[2] = {{.node = *sum}, {.node = scaled}};
        s = graph_apply(A->rt, OP_add, plus, 2, &both);
        node_release(A->rt, scaled);
    } else {
        both = scaled;
    }
    node_release(A->rt, *sum);
    *sum = both;
    return s;
}

/* Numbers 0, 1, ... along one axis of the result, broadcast over the others. */
static Status count_along(State *A, const Shape *s, int axis, Node **out) {
    Shape line = {.rank = 1, .dim = {s->dim[axis]}};
    ViewMap m = {.in_rank = 1, .step = {1}, .axis = {(int8_t)axis}};
    Node *numbers;
    TRY(graph_iota(A->rt, &line, &numbers));
    Status st = graph_view(A->rt, numbers, s, &m, out);
    node_release(A->rt, numbers);
    return st;
}

/* Are the arrays over axes that stand side by side, and so in the result? */
static bool are_adjacent(const IndexArrays *ia) {
    return ia->axis[ia->n - 1] - ia->axis[0] == ia->n - 1 && place_of(ia) == ia->axis[0];
}

/* sum over the arrays of index * stride, of the arrays' shape. */
static Status array_positions(State *A, const Node *view, const IndexArrays *ia,
                              const int64_t *stride, Node **out) {
    Status s = ARR_OK;
    *out = NULL;
    Scalar zero = {.kind = SC_INT};
    if (shape_size(&ia->shape) == 0) return graph_full(A->rt, DT_i64, &ia->shape, &zero, out);
    for (int k = 0; k < ia->n && s == ARR_OK; k++) {
        Node *in;
        s = ia->named[k] < 0 ? (in = node_retain(ia->index[k]), ARR_OK)
                             : graph_checked(A->rt, ia->index[k], view->shape.dim[ia->axis[k]],
                                             ia->named[k], &in);
        if (s == ARR_OK) s = add_scaled(A, in, stride[ia->axis[k]], out);
    }
    if (s == ARR_OK && !shape_equal(&(*out)->shape, &ia->shape)) {
        Node *wide;
        s = graph_broadcast(A->rt, *out, &ia->shape, &wide);
        if (s != ARR_OK) return s;
        node_release(A->rt, *out);
        *out = wide;
    }
    return s;
}

/* Positions of the arrays' shape plus those of the other axes, in the result's order. */
static Status all_positions(State *A, const Node *view, const IndexArrays *ia,
                            const int64_t *stride, Node **positions) {
    int place = place_of(ia), width = ia->shape.rank, axis = 0;
    ViewMap m = {.in_rank = width};
    for (int i = 0; i < width; i++) {
        m.step[i] = 1;
        m.axis[i] = (int8_t)(place + i);
    }
    Node *wide;
    TRY(graph_view(A->rt, *positions, &ia->result, &m, &wide));
    node_release(A->rt, *positions);
    *positions = wide;
    for (int j = 0; j < view->shape.rank; j++) {
        if (is_indexed(ia, j)) continue;
        if (axis == place) axis += width;
        Node *along;
        TRY(count_along(A, &ia->result, axis++, &along));
        TRY(add_scaled(A, along, stride[j], positions));
    }
    return ARR_OK;
}

Status index_merge(State *A, Node *view, const IndexArrays *ia, Node **merged, int *axis,
                   Node **positions) {
    const Shape *vs = &view->shape;
    bool adjacent = are_adjacent(ia);
    int from = adjacent ? ia->axis[0] : 0, to = adjacent ? from + ia->n : vs->rank;
    int64_t stride[MAX_RANK], size = 1;
    Shape s = {.rank = 0};
    for (int j = to; j-- > from;) {
        stride[j] = size;
        size *= vs->dim[j];
    }
    for (int j = 0; j < from; j++) s.dim[s.rank++] = vs->dim[j];
    s.dim[s.rank++] = size;
    for (int j = to; j < vs->rank; j++) s.dim[s.rank++] = vs->dim[j];
    *axis = from;
    *merged = *positions = NULL;
    Status st = array_positions(A, view, ia, stride, positions);
    if (st == ARR_OK && !adjacent) st = all_positions(A, view, ia, stride, positions);
    if (st == ARR_OK) st = graph_reshape(A->rt, view, &s, merged);
    if (st == ARR_OK) return ARR_OK;
    node_release(A->rt, *positions);
    *positions = NULL;
    return st;
}

static Status read_one(State *A, Node *view, const IndexArrays *ia, Node **out) {
    int axis = ia->axis[0], width = ia->shape.rank, rank, n = 0, perm[MAX_RANK];
    Node *taken;
    TRY(graph_take(A->rt, view, ia->index[0], axis, &taken));
    if (ia->named[0] >= 0) graph_name_axis(taken, ia->named[0]);
    if (!ia->front || axis == 0) {
        *out = taken;
        return ARR_OK;
    }
    rank = taken->shape.rank; /* an integer stands apart: the indexed axes go first */
    for (int j = 0; j < width; j++) perm[n++] = axis + j;
    for (int j = 0; j < rank; j++)
        if (j < axis || j >= axis + width) perm[n++] = j;
    Status s = graph_transpose(A->rt, taken, perm, out);
    node_release(A->rt, taken);
    return s;
}

static Status read_arrays(State *A, Node *view, const IndexArrays *ia, Node **out) {
    if (ia->n == 1) return read_one(A, view, ia, out);
    Node *merged, *positions;
    int axis;
    TRY(index_merge(A, view, ia, &merged, &axis, &positions));
    Status s = graph_take(A->rt, merged, positions, axis, out);
    node_release(A->rt, merged);
    node_release(A->rt, positions);
    return s;
}

bool index_integers(const Node *x, const Value *items, int n, int64_t *index) {
    if (n != x->shape.rank) return false;
    for (int j = 0; j < n; j++) {
        if (items[j].kind != V_INT) return false;
        index[j] = items[j].i;
    }
    return true;
}

/* A mask of x's shape alone: its elements at once where a GPU can; else *out is NULL. */
static Status read_masked(State *A, Node *x, const Value *items, int n, Node **out) {
    *out = NULL;
    if (n != 1 || items[0].kind != V_ARRAY || x->shape.rank == 0) return ARR_OK;
    Node *mask = items[0].node;
    if (mask->dtype != DT_bool || !shape_equal(&mask->shape, &x->shape)) return ARR_OK;
    return exec_masked(A->rt, x, mask, out);
}

static Status read_array(State *A, Node *x, const Value *items, int n, Node **out) {
    IndexPlan p;
    IndexArrays ia = {0};
    int at[INDEX_MAX];
    Node *view = NULL;
    TRY(read_masked(A, x, items, n, out));
    if (*out) return ARR_OK;
    TRY(index_plan(A, x->dtype, &x->shape, items, n, &p));
    Status s = index_basic(A, x, &p, &view, at);
    if (s == ARR_OK && p.narrays) {
        s = index_arrays(A, &p, at, &view, &ia);
        if (s == ARR_OK) s = read_arrays(A, view, &ia, out);
        index_arrays_free(A, &ia);
        node_release(A->rt, view);
    } else if (s == ARR_OK) {
        *out = view;
    }
    index_plan_free(A, &p);
    return s;
}

/* x[i, j], where that can be had at once; *out NULL: not so. */
static Status read_element(State *A, Node *x, const Value *items, int n, Node **out) {
    int64_t index[MAX_RANK];
    *out = NULL;
    if (!index_integers(x, items, n, index)) return ARR_OK;
    if (graph_is_handy(x)) TRY(exec_force(A->rt, &x, 1));
    return graph_fetch(A->rt, x, index, out);
}

Status index_read(State *A, const Value *x, const Value *items, int n, Value *out) {
    char text[SHAPE_TEXT];
    Node *node;
    switch (x->kind) {
    case V_ARRAY:
        TRY(read_element(A, x->node, items, n, &node));
        if (node) return *out = value_node(node), ARR_OK;
        TRY(read_array(A, x->node, items, n, &node));
        *out = value_node(node);
        return ARR_OK;
    case V_TUPLE: return index_tuple(A, x->tuple, items, n, out);
    case V_STR: return index_string(A, x->str, items, n, out);
    case V_RANGE: return index_range(A, x->range, items, n, out);
    default:
        value_describe(x, text);
        return error_set(&A->cx, ARR_ERR_TYPE, A->cx.span, "%s cannot be indexed%s", text,
                         x->kind == V_FN || x->kind == V_BUILTIN ? ": it is called, f(x)" : "");
    }
}
