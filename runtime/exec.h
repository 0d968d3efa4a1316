/* exec - runs pending nodes: plan (fuse), lower, launch. The only place where values appear.
 *
 * A forced node becomes a leaf on the device that its op, shape and dtype decide. Errors that
 * depend on data mark the failed nodes; out of memory, interrupts and limits leave them pending. */
#ifndef ARR_EXEC_H
#define ARR_EXEC_H

#include "runtime/graph.h"

/* Force roots (borrowed) in one plan. Nodes of their cones that are held become values too where
 * they lie on the way (see fuse). */
Status exec_force(Runtime *rt, Node *const *roots, int n);
/* Force every held pending node: called at a loop's back edge or by memory pressure when
 * exec_pending_full says so. */
bool exec_pending_full(Runtime *rt);
/* The same with a bound that straight-line code reaches rarely: several groups' worth of nodes. */
bool exec_pending_large(const Runtime *rt);
Status exec_flush(Runtime *rt);
/* Force n: its elements on d, with any strides; a new reference, maybe to n's own value. */
Status exec_array(Runtime *rt, Node *n, Device *d, Array **out);
/* Force and copy all elements, C order, to host memory of node_size * dtype_size bytes. */
Status exec_read(Runtime *rt, Node *n, void *dst);
/* The same piece by piece, from several threads, while other pieces are computed or copied: *done
 * false, and nothing was taken, where that gains nothing (small, or not on a GPU). *rc: what a
 * piece answered, if not 0. */
/* Is it worth trying? Runs nothing. */
bool exec_is_large(Runtime *rt, const Node *n);
Status exec_read_pieces(Runtime *rt, Node *n, DevPiece take, void *ctx, bool *done, int *rc);
/* A new array whose elements `fill` gives piece by piece, on the GPU; *out NULL where it had better
 * be made on the CPU (small, no GPU, no room there) or a piece failed. */
Status exec_make_pieces(Runtime *rt, DType t, const Shape *s, DevPiece fill, void *ctx,
                        Array **out);
/* Read `count` elements along the last axis starting at index[] (printing): for a value that is
 * there only these bytes are copied. */
Status exec_read_run(Runtime *rt, Node *n, const int64_t *index, int64_t count, void *dst);
/* One-element array as a scalar (forces). */
Status exec_scalar(Runtime *rt, Node *n, Scalar *out);
/* Flat positions of true elements of a bool node, as an i64 leaf of shape (count). Forces. */
Status exec_nonzero(Runtime *rt, Node *mask, Node **out);
/* The elements of x where mask, a bool node of its shape, holds: a leaf of shape (count), in C
 * order. Forces. *out is NULL where that is no work for a GPU, or has failed for good: take the
 * elements at exec_nonzero's positions. */
Status exec_masked(Runtime *rt, Node *x, Node *mask, Node **out);
/* Wait for the devices. */
Status exec_sync(Runtime *rt);

/* What running n would do: groups, why each was cut, inputs, bytes, kernel names. Runs nothing. */
Status exec_explain(Runtime *rt, Node *n, Buf *out);

#endif
