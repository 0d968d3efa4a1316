/* index - reading x[...]: one basic view, then at most one gather.
 *
 * Integers, slices, `...` and new axes together are one affine view of x (no work, fuses). Masks
 * become arrays of positions. One index array is a gather along its axis; several are broadcast,
 * checked one by one, and become one array of flat positions over their merged axes. NumPy's rules
 * throughout. Callers: eval and the take-like builtins. Invariant: x is never changed. */
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

static Status plan_slice(State *A, const SliceObj *s, int64_t n, IndexItem *out) {
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

static Status wrong_index(State *A, const Value *v) {
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
    case V_SLICE: return plan_slice(A, v->slice, shape->dim[axis], out);
    case V_NONE: out->kind = IX_NEW; return ARR_OK;
    case V_RANGE: {
        out->kind = IX_ARRAY;
        return value_to_node(A, "index", v, &out->node);
    }
    case V_ARRAY:
        if (v->node->dtype == DT_bool && v->node->shape.rank > 0)
            return plan_mask(A, t, shape, axis, v->node, out);
        if (v->node->shape.rank == 1 && v->node->shape.dim[0] == 0) { /* [] has no integers */
            out->kind = IX_ARRAY;
            return graph_cast(A->rt, v->node, DT_i64, &out->node);
        }
        if (!dtype_is_int(v->node->dtype)) return wrong_index(A, v);
        if (v->node->shape.rank == 0) {
            TRY(value_to_int(A, "index", v, &i));
            return plan_integer(A, i, shape, axis, out);
        }
        out->kind = IX_ARRAY;
        return graph_positions(A->rt, v->node, &out->node);
    default: return wrong_index(A, v);
    }
}

Status index_plan(State *A, DType t, const Shape *shape, const Value *items, int n, IndexPlan *p) {
    int used = 0, ellipses = 0, axis = 0;
    p->n = p->narrays = 0;
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
        if (it->kind == IX_NEW) {
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

/* NumPy: integers count as index arrays when they stand beside one, and any slice or new axis
 * between the first and the last of them moves the indexed axes to the front. */
static bool arrays_apart(const IndexPlan *p) {
    int first = -1, last = -1;
    for (int k = 0; k < p->n; k++) {
        IndexKind kind = p->item[k].kind;
        if (kind == IX_INT || kind == IX_ARRAY || kind == IX_MASK) {
            if (first < 0) first = k;
            last = k;
        }
    }
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
        ia->index[ia->n++] = index;
    }
    if (s == ARR_OK) s = broadcast_arrays(A, ia);
    if (s != ARR_OK) index_arrays_free(A, ia);
    return s;
}

void index_arrays_free(State *A, IndexArrays *ia) {
    for (int k = 0; k < ia->n; k++) node_release(A->rt, ia->index[k]);
    ia->n = 0;
}

static Status operand_op(State *A, Op op, Node *a, int64_t b, Node **out) {
    Operand args[2] = {{.node = a}, {.s = {.kind = SC_INT, .i = b}}};
    return graph_apply(A->rt, op, args, 2, out);
}

/* Every element of index lies in [-n, n): forces it. */
static Status check_range(State *A, Node *index, int axis, int64_t n) {
    static const ReduceKind kinds[2] = {RED_MIN, RED_MAX};
    if (node_size(index) == 0) return ARR_OK;
    for (int k = 0; k < 2; k++) {
        Node *r;
        Scalar v;
        uint32_t all = index->shape.rank >= 32 ? ~0u : (1u << index->shape.rank) - 1;
        TRY(graph_reduce(A->rt, kinds[k], index, all, false, DT_COUNT, 0, &r));
        Status s = exec_scalar(A->rt, r, &v);
        node_release(A->rt, r);
        TRY(s);
        if (v.i < -n || v.i >= n) return out_of_range(A, v.i, axis, n);
    }
    return ARR_OK;
}

/* flat = flat * n + (index wrapped into [0, n)); takes and replaces *flat (NULL at first). */
static Status add_position(State *A, Node *index, int64_t n, Node **flat) {
    Node *neg = NULL, *up = NULL, *wrapped = NULL, *scaled = NULL, *sum = NULL;
    Status s = operand_op(A, OP_lt, index, 0, &neg);
    if (s == ARR_OK) s = operand_op(A, OP_add, index, n, &up);
    if (s == ARR_OK)
        s = graph_apply(A->rt, OP_where, (Operand[]){{.node = neg}, {.node = up}, {.node = index}},
                        3, &wrapped);
    if (s == ARR_OK && *flat) {
        s = operand_op(A, OP_mul, *flat, n, &scaled);
        if (s == ARR_OK)
            s = graph_apply(A->rt, OP_add, (Operand[]){{.node = scaled}, {.node = wrapped}}, 2,
                            &sum);
    } else if (s == ARR_OK) {
        sum = node_retain(wrapped);
    }
    node_release(A->rt, neg);
    node_release(A->rt, up);
    node_release(A->rt, wrapped);
    node_release(A->rt, scaled);
    node_release(A->rt, *flat);
    *flat = sum;
    return s;
}

Status index_merge(State *A, Node *view, const IndexArrays *ia, Node **merged, Node **flat,
                   int perm[MAX_RANK]) {
    int rank = view->shape.rank, n = 0;
    Node *front = NULL;
    *flat = *merged = NULL;
    for (int k = 0; k < ia->n; k++) perm[n++] = ia->axis[k];
    for (int j = 0; j < rank; j++) {
        bool taken = false;
        for (int k = 0; k < ia->n; k++) taken |= ia->axis[k] == j;
        if (!taken) perm[n++] = j;
    }
    Status s = ARR_OK;
    for (int k = 0; k < ia->n && s == ARR_OK; k++) {
        int64_t extent = view->shape.dim[ia->axis[k]];
        s = check_range(A, ia->index[k], ia->axis[k], extent);
        if (s == ARR_OK) s = add_position(A, ia->index[k], extent, flat);
    }
    if (s == ARR_OK) s = graph_transpose(A->rt, view, perm, &front);
    if (s == ARR_OK) s = merge_axes(A, &front, 0, ia->n);
    if (s == ARR_OK) {
        *merged = front;
        return ARR_OK;
    }
    node_release(A->rt, front);
    node_release(A->rt, *flat);
    *flat = NULL;
    return s;
}

/* Move the leading `width` axes of *x so that they begin at axis `to`; replaces *x. */
static Status move_front(State *A, Node **x, int width, int to) {
    int perm[MAX_RANK], n = 0, rank = (*x)->shape.rank;
    if (to == 0) return ARR_OK;
    for (int j = 0; j < to; j++) perm[n++] = width + j;
    for (int j = 0; j < width; j++) perm[n++] = j;
    for (int j = width + to; j < rank; j++) perm[n++] = j;
    Node *moved;
    TRY(graph_transpose(A->rt, *x, perm, &moved));
    node_release(A->rt, *x);
    *x = moved;
    return ARR_OK;
}

static Status read_arrays(State *A, Node *view, const IndexArrays *ia, Node **out) {
    if (ia->n == 1 && (!ia->front || ia->axis[0] == 0))
        return graph_take(A->rt, view, ia->index[0], ia->axis[0], out);
    Node *merged = NULL, *flat = NULL;
    int perm[MAX_RANK];
    if (ia->n == 1) { /* one array beside an integer that stands apart */
        Node *taken;
        TRY(graph_take(A->rt, view, ia->index[0], ia->axis[0], &taken));
        int n = 0, width = ia->index[0]->shape.rank, axis = ia->axis[0];
        for (int j = 0; j < width; j++) perm[n++] = axis + j;
        for (int j = 0; j < taken->shape.rank; j++)
            if (j < axis || j >= axis + width) perm[n++] = j;
        Status s = graph_transpose(A->rt, taken, perm, out);
        node_release(A->rt, taken);
        return s;
    }
    TRY(index_merge(A, view, ia, &merged, &flat, perm));
    Status s = graph_take(A->rt, merged, flat, 0, out);
    node_release(A->rt, merged);
    node_release(A->rt, flat);
    if (s == ARR_OK && !ia->front) s = move_front(A, out, ia->shape.rank, ia->axis[0]);
    return s;
}

static Status read_array(State *A, Node *x, const Value *items, int n, Node **out) {
    IndexPlan p;
    IndexArrays ia = {0};
    int at[INDEX_MAX];
    Node *view = NULL;
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

/* One index into a sequence of n elements: an integer (*is_slice false) or a slice. */
static Status sequence_index(State *A, const char *what, int64_t n, const Value *items, int nitems,
                             bool *is_slice, IndexItem *out) {
    if (nitems != 1)
        return error_set(&A->cx, ARR_ERR_INDEX, A->cx.span, "%s takes one index, not %d", what,
                         nitems);
    *is_slice = items[0].kind == V_SLICE;
    if (*is_slice) return plan_slice(A, items[0].slice, n, out);
    bool integer =
        items[0].kind == V_INT || (items[0].kind == V_ARRAY && dtype_is_int(items[0].node->dtype));
    if (!integer) return wrong_index(A, &items[0]);
    int64_t i;
    TRY(value_to_int(A, "index", &items[0], &i));
    if (i < -n || i >= n)
        return error_set(&A->cx, ARR_ERR_INDEX, A->cx.span,
                         "index %lld is out of range for %s of length %lld", (long long)i, what,
                         (long long)n);
    out->start = i < 0 ? i + n : i;
    out->count = out->step = 1;
    return ARR_OK;
}

static Status read_tuple(State *A, const Tuple *t, const Value *items, int n, Value *out) {
    bool slice;
    IndexItem it = {0};
    TRY(sequence_index(A, "a tuple", t->n, items, n, &slice, &it));
    if (!slice) {
        *out = value_retain(t->items[it.start]);
        return ARR_OK;
    }
    TRY(value_tuple(A, (uint32_t)it.count, out));
    for (int64_t k = 0; k < it.count; k++)
        out->tuple->items[k] = value_retain(t->items[it.start + k * it.step]);
    return ARR_OK;
}

static Status read_range(State *A, const RangeObj *r, const Value *items, int n, Value *out) {
    bool slice;
    IndexItem it = {0};
    TRY(sequence_index(A, "a range", range_len(r), items, n, &slice, &it));
    int64_t start = r->start + it.start * r->step;
    if (!slice) {
        *out = value_int(start);
        return ARR_OK;
    }
    int64_t step, stop;
    if (!mul_i64(r->step, it.step, &step) || !mul_i64(step, it.count, &stop) ||
        !add_i64(start, stop, &stop))
        return error_set(&A->cx, ARR_ERR_VALUE, A->cx.span, "the slice passes 64-bit integers");
    return value_range(A, start, stop, step, out);
}

/* Byte offset of the code point number k. */
static size_t utf8_offset(const Str *s, int64_t k) {
    size_t i = 0;
    if (s->count == s->len) return (size_t)k;
    for (; i < s->len; i++)
        if (((unsigned char)s->text[i] & 0xC0) != 0x80 && k-- == 0) break;
    return i;
}

static Status read_string(State *A, const Str *s, const Value *items, int n, Value *out) {
    bool slice;
    IndexItem it = {0};
    TRY(sequence_index(A, "a string", s->count, items, n, &slice, &it));
    if (it.count == 0) return value_str(A, "", 0, out);
    if (it.step == 1) {
        size_t lo = utf8_offset(s, it.start), hi = utf8_offset(s, it.start + it.count);
        return value_str(A, s->text + lo, hi - lo, out);
    }
    Buf b;
    buf_init(&b, &A->cx);
    for (int64_t k = 0; k < it.count; k++) {
        int64_t i = it.start + k * it.step;
        size_t lo = utf8_offset(s, i), hi = utf8_offset(s, i + 1);
        buf_add(&b, s->text + lo, hi - lo);
    }
    Status st = buf_status(&b);
    if (st == ARR_OK) st = value_str(A, buf_text(&b), b.len, out);
    buf_free(&b);
    return st;
}

Status index_read(State *A, const Value *x, const Value *items, int n, Value *out) {
    char text[SHAPE_TEXT];
    Node *node;
    switch (x->kind) {
    case V_ARRAY:
        TRY(read_array(A, x->node, items, n, &node));
        *out = value_node(node);
        return ARR_OK;
    case V_TUPLE: return read_tuple(A, x->tuple, items, n, out);
    case V_STR: return read_string(A, x->str, items, n, out);
    case V_RANGE: return read_range(A, x->range, items, n, out);
    default:
        value_describe(x, text);
        return error_set(&A->cx, ARR_ERR_TYPE, A->cx.span, "%s cannot be indexed", text);
    }
}
