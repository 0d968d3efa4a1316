/* array_build - arrays from parts: a table of scalars becomes one host array, anything else is
 * stacked through the graph.
 *
 * Callers: list literals, array(), value_to_node. Invariant: a number in the source is converted
 * once, from its 64 bits to the final dtype, never through another one. */
#include "interp/array_build.h"
#include "interp/api_limits.h"

#include <string.h>

DType array_default_dtype(State *A, const Value *v) {
    switch (v->kind) {
    case V_BOOL: return DT_bool;
    case V_UINT: return DT_u64;
    case V_FLOAT: return A->rt->flt;
    case V_COMPLEX: return dtype_complex(A->rt->flt);
    default: return DT_i64;
    }
}

Status array_not_fitting(State *A, const Value *v, DType d) {
    Scalar s;
    char text[64];
    TRY(value_to_scalar(A, "the value", v, &s));
    scalar_text(&s, text);
    return error_set(&A->cx, ARR_ERR_DTYPE, SPAN_NONE,
                     "%s does not fit %s: cast the array, i64(x), or make the number fit", text,
                     dtype_name(d));
}

/* What the scalars of p promote to: the widest kind among them. */
static Status scalars_dtype(State *A, const ArrayParts *p, DType *out) {
    ValueKind widest = V_BOOL;
    bool negative = false;
    for (size_t i = 0; i < p->n; i++) {
        const Value *v = &p->items[i];
        if (v->kind > widest) widest = v->kind;
        negative |= v->kind == V_INT && v->i < 0;
    }
    if (widest == V_UINT && negative) {
        return error_set(&A->cx, ARR_ERR_DTYPE, SPAN_NONE,
                         "%s: no integer dtype holds both a negative number and one beyond 2^63",
                         p->what);
    }
    *out = p->n == 0 ? A->rt->flt : array_default_dtype(A, &(Value){.kind = widest});
    return ARR_OK;
}

static Status build_scalars(State *A, const ArrayParts *p, Node **out) {
    DType d = p->dtype;
    if (d == DT_COUNT) TRY(scalars_dtype(A, p, &d));
    size_t item = dtype_size(d), size = p->n * item + 1;
    char *data = mem_alloc(&A->cx.mem, size);
    if (!data) return error_memory(&A->cx, size);
    Status st = ARR_OK;
    for (size_t i = 0; i < p->n && st == ARR_OK; i++) {
        Scalar s;
        if (i % STEPS == 0) st = state_step(A, p->n - i < STEPS ? p->n - i : STEPS);
        if (st == ARR_OK) st = value_to_scalar(A, p->what, &p->items[i], &s);
        if (st != ARR_OK) break;
        if (s.kind == SC_COMPLEX && !dtype_is_complex(d)) {
            st = error_set(&A->cx, ARR_ERR_DTYPE, SPAN_NONE,
                           "%s: a complex number does not convert to %s: use real(x)", p->what,
                           dtype_name(d));
        } else if (!scalar_fits(&s, d)) {
            st = array_not_fitting(A, &p->items[i], d);
        } else {
            scalar_store(&s, d, data + i * item);
        }
    }
    if (st == ARR_OK) st = graph_host(A->rt, d, &p->shape, data, out);
    mem_free(&A->cx.mem, data, size);
    return st;
}

/* Promote all arrays, then let the scalars among them in as weak ones. */
static Status stacked_dtype(State *A, const ArrayParts *p, Node *const *nodes, DType *out) {
    DType d = DT_COUNT;
    for (size_t i = 0; i < p->n; i++) {
        if (!nodes[i]) continue;
        DType t = (DType)nodes[i]->dtype;
        if (d != DT_COUNT && !dtype_promote(d, t, &d)) {
            return error_set(&A->cx, ARR_ERR_DTYPE, SPAN_NONE,
                             "%s: %s and %s have no common dtype: cast one side, i64(x)", p->what,
                             dtype_name(d), dtype_name(t));
        }
        if (d == DT_COUNT) d = t;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (nodes[i]) continue;
        Scalar s;
        TRY(value_to_scalar(A, p->what, &p->items[i], &s));
        DType t = dtype_weak(d, &s, A->rt->flt);
        if (!scalar_fits(&s, t)) return array_not_fitting(A, &p->items[i], t);
        d = t;
    }
    *out = d;
    return ARR_OK;
}

/* One part as a row: cast, with a new first axis of extent 1. */
static Status build_row(State *A, const Value *v, Node *node, DType d, const Shape *row,
                        Node **out) {
    if (!node) {
        Scalar s;
        TRY(value_to_scalar(A, "an array", v, &s));
        return graph_full(A->rt, d, row, &s, out);
    }
    Node *cast = NULL;
    TRY(graph_cast(A->rt, node, d, &cast));
    Status st = graph_reshape(A->rt, cast, row, out);
    node_release(A->rt, cast);
    return st;
}

static Status part_mismatch(State *A, const ArrayParts *p, const Shape *a, DType da, const Shape *b,
                            DType db) {
    char x[SHAPE_TEXT], y[SHAPE_TEXT];
    shape_text(da, a, x);
    shape_text(db, b, y);
    return error_set(&A->cx, ARR_ERR_SHAPE, SPAN_NONE,
                     "%s: all parts must have one shape, here are %s and %s: to join them end to "
                     "end write concat((a, b))",
                     p->what, x, y);
}

static Status build_stacked(State *A, const ArrayParts *p, Node **nodes, Node **out) {
    const Node *first = NULL;
    for (size_t i = 0; i < p->n; i++) {
        if (!nodes[i]) continue;
        if (!first) first = nodes[i];
        if (!shape_equal(&first->shape, &nodes[i]->shape)) {
            return part_mismatch(A, p, &first->shape, (DType)first->dtype, &nodes[i]->shape,
                                 (DType)nodes[i]->dtype);
        }
    }
    Shape part = first->shape;
    if (part.rank > 0) {
        for (size_t i = 0; i < p->n; i++) {
            if (nodes[i]) continue;
            Shape zero = shape_make(0, NULL);
            return part_mismatch(A, p, &part, (DType)first->dtype, &zero,
                                 array_default_dtype(A, &p->items[i]));
        }
    }
    if (part.rank + p->shape.rank > MAX_RANK) {
        return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE, "%s: more than %d axes", p->what,
                         MAX_RANK);
    }
    DType d = p->dtype;
    if (d == DT_COUNT) TRY(stacked_dtype(A, p, nodes, &d));
    Shape row = {.rank = part.rank + 1, .dim = {1}}, full = p->shape;
    memcpy(row.dim + 1, part.dim, (size_t)part.rank * sizeof part.dim[0]);
    memcpy(full.dim + full.rank, part.dim, (size_t)part.rank * sizeof part.dim[0]);
    full.rank += part.rank;
    size_t size = p->n * sizeof(Node *);
    Node **rows = mem_zalloc(&A->cx.mem, size);
    if (!rows) return error_memory(&A->cx, size);
    Node *joined = NULL;
    Status st = ARR_OK;
    for (size_t i = 0; i < p->n && st == ARR_OK; i++) {
        st = state_step(A, 1);
        if (st == ARR_OK) st = build_row(A, &p->items[i], nodes[i], d, &row, &rows[i]);
    }
    if (st == ARR_OK) st = graph_concat(A->rt, rows, (int)p->n, 0, &joined);
    if (st == ARR_OK) st = graph_reshape(A->rt, joined, &full, out);
    node_release(A->rt, joined);
    for (size_t i = 0; i < p->n; i++) node_release(A->rt, rows[i]);
    mem_free(&A->cx.mem, rows, size);
    return st;
}

static Status refuse_part(State *A, const ArrayParts *p, const Value *v) {
    char text[SHAPE_TEXT];
    value_describe(v, text);
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE, "%s cannot hold %s%s", p->what, text,
                     v->kind == V_STR ? ": a tuple can, (\"a\", \"b\")" : "");
}

Status array_build(State *A, const ArrayParts *p, Node **out) {
    bool scalars = true;
    for (size_t i = 0; i < p->n; i++) scalars &= value_is_scalar(&p->items[i]);
    if (scalars) return build_scalars(A, p, out);
    TRY(stack_check(A)); /* tuples in tuples come back here */
    size_t size = p->n * sizeof(Node *);
    Node **nodes = mem_zalloc(&A->cx.mem, size);
    if (!nodes) return error_memory(&A->cx, size);
    Status st = ARR_OK;
    for (size_t i = 0; i < p->n && st == ARR_OK; i++) {
        const Value *v = &p->items[i];
        if (value_is_scalar(v)) continue;
        st = state_step(A, 1);
        if (st != ARR_OK) break;
        bool fine = v->kind == V_ARRAY || v->kind == V_TUPLE || v->kind == V_RANGE;
        if (!fine) {
            st = refuse_part(A, p, v);
        } else if (v->kind == V_TUPLE) {
            ArrayParts inner = {
                v->tuple->items, v->tuple->n, {.rank = 1, .dim = {v->tuple->n}}, p->dtype, p->what};
            st = array_build(A, &inner, &nodes[i]);
        } else {
            st = value_to_node(A, p->what, v, &nodes[i]);
        }
    }
    if (st == ARR_OK) st = build_stacked(A, p, nodes, out);
    for (size_t i = 0; i < p->n; i++) node_release(A->rt, nodes[i]);
    mem_free(&A->cx.mem, nodes, size);
    return st;
}
