/* graph_make - nodes without array operands (leaves, constants, iotas, draws) and conversions.
 *
 * Callers: interp. A constant has every shape at no cost: it is a parameter of the kernels that
 * read it. Invariant: an array without elements is always a constant, so that nothing downstream
 * meets an extent of 0 in work to be done. */
#include "runtime/graph_build.h"

#include <string.h>

Status graph_constant(Runtime *rt, DType t, const Shape *s, const void *element, Node **out) {
    TRY(node_new(rt, OP_scalar, t, s, out));
    memcpy((*out)->at.scalar.bits, element, dtype_size(t));
    return ARR_OK;
}

Status graph_zeros(Runtime *rt, DType t, const Shape *s, Node **out) {
    static const uint8_t zero[16];
    return graph_constant(rt, t, s, zero, out);
}

Status graph_full(Runtime *rt, DType t, const Shape *s, const Scalar *v, Node **out) {
    uint8_t bits[16] = {0};
    scalar_store(v, t, bits);
    return graph_constant(rt, t, s, bits, out);
}

Status graph_leaf(Runtime *rt, Array *value, Node **out) {
    Status s = node_new(rt, OP_leaf, value->dtype, &value->shape, out);
    if (s != ARR_OK) {
        array_release(rt->cx, value);
        return s;
    }
    (*out)->value = value;
    (*out)->state = NODE_DONE;
    return ARR_OK;
}

Status graph_host(Runtime *rt, DType t, const Shape *s, const void *data, Node **out) {
    Array *a;
    int64_t count;
    *out = NULL;
    TRY(shape_count(rt->cx, rt->cx->span, s, dtype_size(t), &count));
    if (count == 0) return graph_zeros(rt, t, s, out);
    TRY(array_from_host(rt->cx, rt->cpu, t, s, data, &a));
    if (t == DT_bool) array_settle_bools(a->buf->ptr, count);
    return graph_leaf(rt, a, out);
}

Status graph_iota(Runtime *rt, const Shape *s, Node **out) {
    int64_t count;
    *out = NULL;
    TRY(shape_count(rt->cx, rt->cx->span, s, sizeof(int64_t), &count));
    if (count == 0) return graph_zeros(rt, DT_i64, s, out);
    return node_new(rt, OP_iota, DT_i64, s, out);
}

/* splitmix64's finalizer. */
static uint64_t mix64(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

Status graph_draw(Runtime *rt, DrawKind kind, DType t, const Shape *s, int64_t low, uint64_t range,
                  Node **out) {
    uint64_t key = mix64(rt->seed + rt->draws++ * 0x9e3779b97f4a7c15u);
    int64_t count;
    *out = NULL;
    TRY(shape_count(rt->cx, rt->cx->span, s, dtype_size(t), &count));
    if (count == 0) return graph_zeros(rt, t, s, out);
    TRY(node_new(rt, OP_draw, t, s, out));
    Node *n = *out;
    n->at.draw.kind = (uint8_t)kind;
    n->at.draw.key = key;
    n->at.draw.low = low;
    n->at.draw.range = range;
    return ARR_OK;
}

Status graph_cast(Runtime *rt, Node *a, DType to, Node **out) {
    Cx *cx = rt->cx;
    DType from = (DType)a->dtype;
    *out = NULL;
    if (from == to) return node_same(a, out);
    if (dtype_is_complex(from) && !dtype_is_complex(to) && to != DT_bool) {
        char text[SHAPE_TEXT];
        node_text(a, text);
        return error_set(cx, ARR_ERR_DTYPE, cx->span,
                         "cannot cast %s to %s: use real(x), imag(x) or abs(x)", text,
                         dtype_name(to));
    }
    if (a->op == OP_scalar) {
        Scalar s = scalar_load(from, a->at.scalar.bits);
        return graph_full(rt, to, &a->shape, &s, out);
    }
    TRY(node_new(rt, OP_cast, to, &a->shape, out));
    node_use(*out, a);
    return ARR_OK;
}

Status graph_bitcast(Runtime *rt, Node *a, DType to, Node **out) {
    Cx *cx = rt->cx;
    DType from = (DType)a->dtype;
    *out = NULL;
    if (from == to) return node_same(a, out);
    if (dtype_size(from) != dtype_size(to) || from == DT_bool || to == DT_bool) {
        char text[SHAPE_TEXT];
        node_text(a, text);
        return error_set(cx, ARR_ERR_DTYPE, cx->span,
                         "bitcast: %s has %zu bytes an element and %s has %zu; they must agree and "
                         "neither may be bool",
                         text, dtype_size(from), dtype_name(to), dtype_size(to));
    }
    if (a->op == OP_scalar) return graph_constant(rt, to, &a->shape, a->at.scalar.bits, out);
    TRY(node_new(rt, OP_bitcast, to, &a->shape, out));
    node_use(*out, a);
    return ARR_OK;
}
