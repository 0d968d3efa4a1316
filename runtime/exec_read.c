/* exec_read - values for the host: whole arrays, runs of elements, scalars.
 *
 * Callers: printing, files, conditions, the API. Only the bytes asked for leave a device; elements
 * of what is cheap to compute are computed alone. Invariant: what is read is in C order whatever
 * the strides. */
#include "runtime/exec.h"
#include "runtime/place.h"

#include <string.h>

static Status force_one(Runtime *rt, Node *n) { return exec_force(rt, &n, 1); }

static char *address(const Array *a, int64_t offset) {
    return (char *)a->buf->ptr + (size_t)offset * dtype_size(a->dtype);
}

/* n bytes of device memory. */
static Status fetch(Runtime *rt, Device *d, void *dst, const void *src, size_t n) {
    if (n == 0) return ARR_OK;
    if (d != rt->cpu) return d->ops->download(d, dst, src, n);
    memcpy(dst, src, n);
    return ARR_OK;
}

static void repeat(const void *element, size_t item, int64_t n, void *dst) {
    for (int64_t i = 0; i < n; i++) memcpy((char *)dst + (size_t)i * item, element, item);
}

/* The value where it lies already; on the CPU rather than elsewhere. */
static Array *nearest(Runtime *rt, const Node *n) {
    return n->twin && n->twin->buf->device == rt->cpu ? n->twin : n->value;
}

/* Where a is made dense: where it lies, unless nothing runs there any more. */
static Device *reading_device(const Runtime *rt, const Array *a) {
    return rt->cuda_state < 0 ? rt->cpu : a->buf->device;
}

Status exec_read(Runtime *rt, Node *n, void *dst) {
    size_t item = dtype_size((DType)n->dtype);
    Array *dense;
    if (n->op == OP_scalar && n->state == NODE_PENDING) {
        repeat(n->at.scalar.bits, item, node_size(n), dst);
        return ARR_OK;
    }
    TRY(force_one(rt, n));
    Array *a = nearest(rt, n);
    Status made = place_contiguous(rt, a, reading_device(rt, a), &dense);
    if (place_fall_back(rt, made)) made = place_contiguous(rt, a, rt->cpu, &dense);
    TRY(made);
    Status s = fetch(rt, dense->buf->device, dst, address(dense, dense->offset),
                     (size_t)array_size(dense) * item);
    array_release(rt->cx, dense);
    return s;
}

/* A constant's elements, which no plan stores. */
static Status constant_array(Runtime *rt, const Node *n, Device *d, Array **out) {
    Array *here, *there;
    TRY(array_new(rt->cx, rt->cpu, (DType)n->dtype, &n->shape, &here));
    repeat(n->at.scalar.bits, dtype_size((DType)n->dtype), node_size(n), here->buf->ptr);
    Status s = place_contiguous(rt, here, d, &there);
    array_release(rt->cx, here);
    *out = there;
    return s;
}

Status exec_array(Runtime *rt, Node *n, Device *d, Array **out) {
    *out = NULL;
    if (n->op == OP_scalar && n->state == NODE_PENDING) return constant_array(rt, n, d, out);
    Array *a;
    TRY(force_one(rt, n));
    TRY(place_value(rt, n, d, &a));
    *out = array_retain(a);
    return ARR_OK;
}

/* Of an operation with a scalar the other operand, else NULL. */
static const Node *beside_scalar(const Node *n) {
    if (n->op != OP_add && n->op != OP_sub && n->op != OP_mul) return NULL;
    return n->in[0]->op == OP_scalar ? n->in[1] : n->in[1]->op == OP_scalar ? n->in[0] : NULL;
}

/* Is any element of n computed as quickly as read? */
static bool is_cheap(const Node *n) {
    enum { STEPS_MOST = 8 };
    for (int step = 0; step < STEPS_MOST && n->state == NODE_PENDING; step++) {
        bool renames = n->op == OP_view || n->op == OP_cast || n->op == OP_bitcast;
        const Node *next = renames ? n->in[0] : beside_scalar(n);
        if (!next) break;
        n = next;
    }
    return n->state == NODE_DONE || n->op == OP_scalar || n->op == OP_iota || n->op == OP_draw;
}

static Status read_part(Runtime *rt, Node *n, const int64_t *index, int64_t count, void *dst) {
    ViewMap m = {.in_rank = n->shape.rank};
    Shape s = {.rank = 1, .dim = {count}};
    Node *part;
    for (int j = 0; j < m.in_rank; j++) {
        m.start[j] = index[j];
        m.axis[j] = (int8_t)(j == m.in_rank - 1 ? 0 : -1);
        m.step[j] = j == m.in_rank - 1;
    }
    TRY(graph_view(rt, n, &s, &m, &part));
    Status st = exec_read(rt, part, dst);
    node_release(rt, part);
    return st;
}

/* Strided elements of the CPU's memory. */
static void collect(const Array *a, int64_t at, int64_t stride, int64_t count, void *dst) {
    size_t item = dtype_size(a->dtype);
    for (int64_t i = 0; i < count; i++)
        memcpy((char *)dst + (size_t)i * item, address(a, at + i * stride), item);
}

Status exec_read_run(Runtime *rt, Node *n, const int64_t *index, int64_t count, void *dst) {
    size_t item = dtype_size((DType)n->dtype);
    int rank = n->shape.rank;
    if (count == 0) return ARR_OK;
    if (n->state == NODE_PENDING && rank > 0 && is_cheap(n))
        return read_part(rt, n, index, count, dst);
    if (rank == 0) return exec_read(rt, n, dst);
    TRY(force_one(rt, n));
    Array *a = nearest(rt, n);
    Device *d = a->buf->device;
    int64_t at = a->offset, stride = a->stride[rank - 1];
    for (int j = 0; j < rank; j++) at += index[j] * a->stride[j];
    if (stride == 1 || count == 1) return fetch(rt, d, dst, address(a, at), (size_t)count * item);
    if (d == rt->cpu) return collect(a, at, stride, count, dst), ARR_OK;
    Array *run, *dense;
    Shape s = {.rank = 1, .dim = {count}};
    TRY(array_view(rt->cx, a->buf, a->dtype, &s, &stride, at, &run));
    Status st = place_contiguous(rt, run, reading_device(rt, run), &dense);
    if (place_fall_back(rt, st)) st = place_contiguous(rt, run, rt->cpu, &dense);
    array_release(rt->cx, run);
    if (st != ARR_OK) return st;
    st = fetch(rt, dense->buf->device, dst, address(dense, dense->offset), (size_t)count * item);
    array_release(rt->cx, dense);
    return st;
}

Status exec_scalar(Runtime *rt, Node *n, Scalar *out) {
    uint8_t bits[16];
    if (node_size(n) != 1) {
        char text[SHAPE_TEXT];
        node_text(n, text);
        return error_set(rt->cx, ARR_ERR_SHAPE, rt->cx->span, "%s is not one element", text);
    }
    TRY(exec_read(rt, n, bits));
    *out = scalar_load((DType)n->dtype, bits);
    return ARR_OK;
}
