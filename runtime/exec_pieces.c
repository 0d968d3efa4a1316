/* exec_pieces - large arrays between files and a GPU: reading or writing the file, staging and
 * copying go on at the same time, and no copy of the whole lies in the host's memory.
 *
 * Callers: load, save. Invariant: where anything stands against it nothing has been done, and the
 * caller takes the usual way, which finds the same trouble and words it. */
#include "runtime/exec.h"
#include "runtime/place.h"

/* From here on the pieces of a copy keep several threads busy. */
static const size_t WORTH_PIECES = (size_t)64 << 20;

/* The trouble is left to the usual way; an interrupt is not. */
static Status leave(Runtime *rt, Status s) {
    if (s == ARR_OK || error_is_stop(rt->cx, s)) return s;
    error_clear(rt->cx);
    return ARR_OK;
}

bool exec_is_large(Runtime *rt, const Node *n) {
    size_t bytes = (size_t)node_size(n) * dtype_size((DType)n->dtype);
    return bytes >= WORTH_PIECES && (n->state != NODE_DONE ? place_is_cuda(rt, place_node_work(n))
                                                           : n->value->buf->device != rt->cpu);
}

Status exec_read_pieces(Runtime *rt, Node *n, DevPiece take, void *ctx, bool *done, int *rc) {
    size_t bytes = (size_t)node_size(n) * dtype_size((DType)n->dtype);
    Array *dense;
    *done = false;
    *rc = 0;
    if (bytes < WORTH_PIECES || n->op == OP_scalar) return ARR_OK;
    TRY(exec_force(rt, &n, 1));
    Device *d = n->value->buf->device;
    if (!d->ops->download_pieces || n->twin || rt->cuda_state < 0) return ARR_OK;
    Status s = place_contiguous(rt, n->value, d, &dense);
    if (s != ARR_OK) return leave(rt, s);
    const char *from =
        (const char *)dense->buf->ptr + (size_t)dense->offset * dtype_size(dense->dtype);
    s = d->ops->download_pieces(d, from, bytes, take, ctx, rc);
    *done = s == ARR_OK;
    array_release(rt->cx, dense);
    return leave(rt, s);
}

Status exec_make_pieces(Runtime *rt, DType t, const Shape *s, DevPiece fill, void *ctx,
                        Array **out) {
    int64_t n;
    int rc = 0;
    Device *d;
    *out = NULL;
    TRY(shape_count(rt->cx, rt->cx->span, s, dtype_size(t), &n));
    size_t bytes = (size_t)n * dtype_size(t);
    if (bytes < WORTH_PIECES || !place_is_cuda(rt, n)) return ARR_OK;
    Status st = place_device(rt, n, &d);
    if (st != ARR_OK || !d->ops->upload_pieces) return leave(rt, st);
    st = array_new(rt->cx, d, t, s, out);
    if (st == ARR_OK) st = d->ops->upload_pieces(d, (*out)->buf->ptr, bytes, fill, ctx, &rc);
    if (*out && (st != ARR_OK || rc != 0)) {
        array_release(rt->cx, *out);
        *out = NULL;
    }
    return leave(rt, st);
}
