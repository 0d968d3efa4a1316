/* graph_build - what the files that build nodes share.
 *
 * Callers: graph*.c alone. A builder makes a node with node_new, fills in what its op needs, and
 * hands inputs over with node_use or node_take; on failure it drops what it has with node_release.
 * Invariant: a node's inputs are older than the node (ids ascend along every path). */
#ifndef ARR_GRAPH_BUILD_H
#define ARR_GRAPH_BUILD_H

#include "runtime/graph.h"

/* A pending node without inputs, one reference. The shape is checked: negative or too large fails.
 */
Status node_new(Runtime *rt, Op op, DType t, const Shape *s, Node **out);
/* The same with the shape of a node whose element size is at least that of t: nothing to check. */
Status node_like(Runtime *rt, Op op, DType t, const Node *like, Node **out);
/* A node like n and older than it, of an id that was left free for it. */
Status node_before(Runtime *rt, Op op, uint64_t id, Node *n, Node **out);
/* in becomes the next input of n: borrowed, or with its reference consumed. */
void node_use(Node *n, Node *in);
/* n's inputs become nobody's: they were handed on. */
void node_clear(Runtime *rt, Node *n);
void node_take(Runtime *rt, Node *n, Node *in_take);
/* A constant of another shape or dtype: the same element. */
Status graph_constant(Runtime *rt, DType t, const Shape *s, const void *element, Node **out);
/* All zero bits. */
Status graph_zeros(Runtime *rt, DType t, const Shape *s, Node **out);

/* graph_fold.c: the element of a 0-d node where the host has it already, else NULL; element `at` of
 * the buffer of a node that has its value. */
const void *graph_known(const Runtime *rt, const Node *n);
const void *graph_element(const Runtime *rt, const Node *n, int64_t at);
/* The operation on such elements (and scalars), as t->out; natural: dtype of the loop's result.
 * false: not all are known, or it is not of those that are done at once. */
bool graph_fold(const Runtime *rt, Op op, const OpTypes *t, DType natural, const Operand *args,
                int n, void *out);

static inline Status node_same(Node *a, Node **out) {
    *out = node_retain(a);
    return ARR_OK;
}

#endif
