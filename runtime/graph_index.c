/* graph_index - gathers, updates of rectangles and of indexed elements, concatenation.
 *
 * Callers: interp's indexing and shape builtins. Indices are checked when the work runs; shapes and
 * dtypes here. Invariant: an update's value has its rectangle's shape and its base's dtype. */
#include "runtime/graph_build.h"

#include <assert.h>
#include <string.h>

Status graph_positions(Runtime *rt, Node *index, Node **out) {
    DType t = (DType)index->dtype;
    *out = NULL;
    if (!dtype_is_int(t)) {
        char text[SHAPE_TEXT];
        node_text(index, text);
        return error_set(rt->cx, ARR_ERR_DTYPE, rt->cx->span,
                         "an index array must hold integers, not %s; cast with i64(x)", text);
    }
    if (t != DT_u64) return graph_cast(rt, index, DT_i64, out);
    Node *low;
    Operand args[2] = {{.node = index}, {.s = {.kind = SC_INT, .i = INT64_MAX}}};
    TRY(graph_apply(rt, OP_minimum, args, 2, &low));
    Status s = graph_cast(rt, low, DT_i64, out);
    node_release(rt, low);
    return s;
}

/* a's shape with the axis replaced by the index's shape. */
static Status indexed_shape(Runtime *rt, const Node *a, const Node *index, int axis, Shape *s) {
    Cx *cx = rt->cx;
    assert(axis >= 0 && axis < a->shape.rank);
    if (a->shape.rank - 1 + index->shape.rank > MAX_RANK) {
        char ta[SHAPE_TEXT], ti[SHAPE_TEXT];
        node_text(a, ta);
        node_text(index, ti);
        return error_set(cx, ARR_ERR_LIMIT, cx->span, "%s indexed by %s has more than %d axes", ta,
                         ti, MAX_RANK);
    }
    *s = (Shape){.rank = 0};
    for (int j = 0; j < axis; j++) s->dim[s->rank++] = a->shape.dim[j];
    for (int j = 0; j < index->shape.rank; j++) s->dim[s->rank++] = index->shape.dim[j];
    for (int j = axis + 1; j < a->shape.rank; j++) s->dim[s->rank++] = a->shape.dim[j];
    return ARR_OK;
}

static Status refuse_empty_axis(Runtime *rt, const Node *a, int axis) {
    char text[SHAPE_TEXT];
    node_text(a, text);
    return error_set(rt->cx, ARR_ERR_INDEX, rt->cx->span,
                     "cannot index %s: axis %d has no elements", text, axis);
}

Status graph_take(Runtime *rt, Node *a, Node *index, int axis, Node **out) {
    Shape s;
    Node *i;
    *out = NULL;
    TRY(indexed_shape(rt, a, index, axis, &s));
    if (node_size(index) > 0 && a->shape.dim[axis] == 0) return refuse_empty_axis(rt, a, axis);
    TRY(graph_positions(rt, index, &i));
    Status st = shape_size(&s) == 0 ? graph_zeros(rt, (DType)a->dtype, &s, out)
                                    : node_new(rt, OP_take, (DType)a->dtype, &s, out);
    if (st != ARR_OK || (*out)->op != OP_take) {
        node_release(rt, i);
        return st;
    }
    node_use(*out, a);
    node_take(rt, *out, i);
    (*out)->at.along.axis = (*out)->at.along.named = (int8_t)axis;
    return ARR_OK;
}

void graph_name_axis(Node *n, int axis) {
    if (n->op == OP_take || n->op == OP_put) n->at.along.named = (int8_t)axis;
}

static Status with_number(Runtime *rt, Op op, Node *a, int64_t i, Node **out) {
    Operand args[2] = {{.node = a}, {.s = {.kind = SC_INT, .i = i}}};
    return graph_apply(rt, op, args, 2, out);
}

/* The check is a gather from n zeros, one in memory, which is added. */
Status graph_checked(Runtime *rt, Node *index, int64_t n, int axis, Node **out) {
    const int64_t nothing = 0;
    Shape one = {.rank = 1, .dim = {1}}, all = {.rank = 1, .dim = {n}};
    Node *zero = NULL, *zeros = NULL, *none = NULL, *neg = NULL, *up = NULL, *in = NULL;
    *out = NULL;
    if (node_size(index) == 0) return node_same(index, out);
    if (n == 0)
        return error_set(rt->cx, ARR_ERR_INDEX, rt->cx->span,
                         "cannot index axis %d: it has no elements", axis);
    Status st = graph_host(rt, DT_i64, &one, &nothing, &zero);
    if (st == ARR_OK) st = graph_broadcast(rt, zero, &all, &zeros);
    if (st == ARR_OK) st = graph_take(rt, zeros, index, 0, &none);
    if (st == ARR_OK) {
        graph_name_axis(none, axis);
        st = with_number(rt, OP_lt, index, 0, &neg);
    }
    if (st == ARR_OK) st = with_number(rt, OP_add, index, n, &up);
    Operand pick[3] = {{.node = neg}, {.node = up}, {.node = index}};
    if (st == ARR_OK) st = graph_apply(rt, OP_where, pick, 3, &in);
    Operand sum[2] = {{.node = in}, {.node = none}};
    if (st == ARR_OK) st = graph_apply(rt, OP_add, sum, 2, out);
    Node *made[] = {zero, zeros, none, neg, up, in};
    for (int i = 0; i < 6; i++) node_release(rt, made[i]);
    return st;
}

/* base alone, or value alone, where the rectangle is nothing or everything. */
static bool covers(const Node *base, const Node *value, const int64_t *start, const int64_t *step) {
    for (int j = 0; j < base->shape.rank; j++) {
        if (value->shape.dim[j] != base->shape.dim[j]) return false;
        if (base->shape.dim[j] > 1 && (start[j] != 0 || step[j] != 1)) return false;
    }
    return true;
}

Status graph_update(Runtime *rt, Node *base, const int64_t *start, const int64_t *step, Node *value,
                    Node **out) {
    Cx *cx = rt->cx;
    assert(base->dtype == value->dtype && base->shape.rank == value->shape.rank);
    *out = NULL;
    if (node_size(value) == 0) return node_same(base, out);
    if (covers(base, value, start, step)) return node_same(value, out);
    Rect *r = mem_zalloc(&cx->mem, sizeof *r);
    if (!r) return error_memory(cx, sizeof *r);
    for (int j = 0; j < base->shape.rank; j++) {
        r->start[j] = start[j];
        r->step[j] = value->shape.dim[j] > 1 ? step[j] : 0;
    }
    Status st = node_new(rt, OP_update, (DType)base->dtype, &base->shape, out);
    if (st != ARR_OK) {
        mem_free(&cx->mem, r, sizeof *r);
        return st;
    }
    (*out)->at.rect = r;
    node_use(*out, base);
    node_use(*out, value);
    return ARR_OK;
}

Status graph_put(Runtime *rt, Node *base, Node *index, Node *value, int axis, Node **out) {
    Shape s;
    Node *i = NULL, *cast = NULL, *v = NULL;
    *out = NULL;
    TRY(indexed_shape(rt, base, index, axis, &s));
    if (node_size(index) > 0 && base->shape.dim[axis] == 0)
        return refuse_empty_axis(rt, base, axis);
    if (shape_size(&s) == 0) return node_same(base, out);
    Status st = graph_positions(rt, index, &i);
    if (st == ARR_OK) st = graph_cast(rt, value, (DType)base->dtype, &cast);
    if (st == ARR_OK) st = graph_broadcast(rt, cast, &s, &v);
    if (st == ARR_OK) st = node_new(rt, OP_put, (DType)base->dtype, &base->shape, out);
    if (st == ARR_OK) {
        node_use(*out, base);
        node_use(*out, i);
        node_use(*out, v);
        (*out)->at.along.axis = (*out)->at.along.named = (int8_t)axis;
    }
    node_release(rt, i);
    node_release(rt, cast);
    node_release(rt, v);
    return st;
}

/* ---- concat ---- */

static Status concat_shape(Runtime *rt, Node *const *parts, int n, int axis, Shape *s, DType *t) {
    Cx *cx = rt->cx;
    char first[SHAPE_TEXT], other[SHAPE_TEXT];
    *s = parts[0]->shape;
    *t = (DType)parts[0]->dtype;
    node_text(parts[0], first);
    TRY(shape_axis(cx, cx->span, "concat", axis, s->rank, &axis));
    for (int i = 1; i < n; i++) {
        const Shape *p = &parts[i]->shape;
        bool fits = p->rank == s->rank;
        for (int j = 0; j < s->rank && fits; j++) fits = j == axis || p->dim[j] == s->dim[j];
        node_text(parts[i], other);
        if (!fits)
            return error_set(cx, ARR_ERR_SHAPE, cx->span,
                             "cannot concat %s and %s along axis %d: the other axes must agree",
                             first, other, axis);
        if (!dtype_promote(*t, (DType)parts[i]->dtype, t))
            return error_set(cx, ARR_ERR_DTYPE, cx->span,
                             "cannot concat %s and %s: no dtype holds both; cast one side", first,
                             other);
        if (!add_i64(s->dim[axis], p->dim[axis], &s->dim[axis]))
            return error_set(cx, ARR_ERR_LIMIT, cx->span, "concat: axis %d becomes too long", axis);
    }
    return ARR_OK;
}

/* Parts that have elements, in dtype t: *count of them in list. */
static Status concat_parts(Runtime *rt, Node *const *parts, int n, DType t, Node **list,
                           int *count) {
    for (int i = 0; i < n; i++) {
        if (node_size(parts[i]) == 0) continue;
        TRY(graph_cast(rt, parts[i], t, &list[*count]));
        ++*count;
    }
    return ARR_OK;
}

Status graph_concat(Runtime *rt, Node *const *parts, int n, int axis, Node **out) {
    Cx *cx = rt->cx;
    Shape s;
    DType t;
    int count = 0;
    *out = NULL;
    if (n == 0) return error_set(cx, ARR_ERR_VALUE, cx->span, "concat needs at least one array");
    TRY(concat_shape(rt, parts, n, axis, &s, &t));
    if (axis < 0) axis += s.rank;
    size_t bytes = (size_t)n * sizeof(Node *);
    Node **list = mem_zalloc(&cx->mem, bytes);
    if (!list) return error_memory(cx, bytes);
    Status st = concat_parts(rt, parts, n, t, list, &count);
    if (st == ARR_OK && count == 0)
        st = graph_zeros(rt, t, &s, out);
    else if (st == ARR_OK && count == 1)
        st = node_same(list[0], out);
    else if (st == ARR_OK)
        st = node_new(rt, OP_concat, t, &s, out);
    if (st == ARR_OK && count > 1) { /* the list becomes the node's, at its exact size */
        Node **exact = mem_realloc(&cx->mem, list, bytes, (size_t)count * sizeof *list);
        if (exact) {
            (*out)->more = exact;
            (*out)->nmore = count;
            (*out)->at.along.axis = (int8_t)axis;
            for (int i = 0; i < count; i++) exact[i]->uses++;
            return ARR_OK;
        }
        st = error_memory(cx, bytes);
        node_release(rt, *out);
        *out = NULL;
    }
    for (int i = 0; i < count; i++) node_release(rt, list[i]);
    mem_free(&cx->mem, list, bytes);
    return st;
}
