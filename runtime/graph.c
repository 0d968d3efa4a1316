/* graph - nodes: making, counting, finishing, freeing.
 *
 * Callers: the builders (graph_*.c), exec, everybody who holds a value. A node leaves memory when
 * its last reference goes; its inputs follow over a list that is threaded through the dying nodes
 * themselves, so that a chain of any length is freed in constant stack.
 * Invariant: refs >= uses, and uses is the number of inputs of living pending nodes that are this
 * node. */
#include "runtime/graph_build.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { SPARE_NODES = 256 }; /* 128 KiB of freed nodes stand ready for a loop's next turn */

int64_t node_size(const Node *n) { return shape_size(&n->shape); }

void node_text(const Node *n, char out[SHAPE_TEXT]) { shape_text((DType)n->dtype, &n->shape, out); }

Node *node_retain(Node *n) {
    n->refs++;
    return n;
}

/* ---- the list of pending nodes ---- */

static void list_add(Runtime *rt, Node *n) {
    n->prev = rt->newest;
    n->next = NULL;
    if (rt->newest)
        rt->newest->next = n;
    else
        rt->oldest = n;
    rt->newest = n;
    n->listed = 1;
    rt->npending++;
}

static void list_remove(Runtime *rt, Node *n) {
    if (!n->listed) return;
    if (n->prev)
        n->prev->next = n->next;
    else
        rt->oldest = n->next;
    if (n->next)
        n->next->prev = n->prev;
    else
        rt->newest = n->prev;
    n->prev = n->next = NULL;
    n->listed = 0;
    rt->npending -= 1 + n->more_pending;
}

/* ---- making ---- */

static Node *node_memory(Runtime *rt) {
    Node *n = rt->spare;
    if (n) {
        rt->spare = n->next;
        rt->nspare--;
    } else {
        n = mem_alloc(&rt->cx->mem, sizeof *n);
    }
    if (n) memset(n, 0, offsetof(Node, shape));
    return n;
}

static Status node_bare(Runtime *rt, Op op, DType t, const Shape *s, Node **out) {
    *out = NULL;
    Node *n = node_memory(rt);
    if (!n) return error_memory(rt->cx, sizeof *n);
    n->refs = 1;
    n->op = (uint16_t)op;
    n->dtype = (uint8_t)t;
    n->shape.rank = s->rank;
    for (int j = 0; j < s->rank; j++) n->shape.dim[j] = s->dim[j];
    rt->nlive++;
    *out = n;
    return ARR_OK;
}

static Status node_make(Runtime *rt, Op op, DType t, const Shape *s, Node **out) {
    Node *n;
    TRY(node_bare(rt, op, t, s, out));
    n = *out;
    n->id = ++rt->serial;
    n->span = rt->cx->span;
    if (op != OP_scalar && op != OP_iota && op != OP_leaf) list_add(rt, n);
    if (rt->watch) rt->watch(rt, n);
    return ARR_OK;
}

Status node_before(Runtime *rt, Op op, uint64_t id, Node *n, Node **out) {
    TRY(node_bare(rt, op, (DType)n->dtype, &n->shape, out));
    Node *x = *out;
    x->id = id;
    x->span = n->span;
    if (op == OP_scalar || !n->listed) return ARR_OK;
    x->prev = n->prev;
    x->next = n;
    if (n->prev)
        n->prev->next = x;
    else
        rt->oldest = x;
    n->prev = x;
    x->listed = 1;
    rt->npending++;
    return ARR_OK;
}

Status node_new(Runtime *rt, Op op, DType t, const Shape *s, Node **out) {
    int64_t count;
    *out = NULL;
    TRY(shape_count(rt->cx, rt->cx->span, s, dtype_size(t), &count));
    return node_make(rt, op, t, s, out);
}

Status node_like(Runtime *rt, Op op, DType t, const Node *like, Node **out) {
    return node_make(rt, op, t, &like->shape, out);
}

void node_take(Runtime *rt, Node *n, Node *in) {
    (void)rt;
    assert(n->nin < 3 && in->id < n->id);
    n->in[n->nin++] = in;
    in->uses++;
}

void node_use(Node *n, Node *in) {
    assert(n->nin < 3 && in->id < n->id);
    n->in[n->nin++] = node_retain(in);
    in->uses++;
}

/* ---- ending ---- */

/* One reference less, a use among them or not. A node that dies is put on the list *dead. */
static void drop(Runtime *rt, Node *n, bool use, Node **dead) {
    assert(n->refs > 0 && (!use || n->uses > 0));
    n->refs--;
    if (use) n->uses--;
    if (n->refs == 0) {
        list_remove(rt, n);
        n->next = *dead;
        *dead = n;
    } else if (n->state == NODE_DONE && !node_held(n) && !n->counted) {
        n->counted = 1;
        rt->pending_bytes += (int64_t)n->value->buf->bytes;
    }
}

/* What only a pending node needs: inputs and attributes. */
static void strip(Runtime *rt, Node *n, Node **dead) {
    Mem *m = &rt->cx->mem;
    for (int i = 0, k = node_inputs(n); i < k; i++) drop(rt, node_input(n, i), true, dead);
    if (n->more) mem_free(m, n->more, (size_t)n->nmore * sizeof *n->more);
    if (n->state == NODE_PENDING && n->op == OP_view) mem_free(m, n->at.view, sizeof *n->at.view);
    if (n->state == NODE_PENDING && n->op == OP_update) mem_free(m, n->at.rect, sizeof *n->at.rect);
    n->more = NULL;
    n->nmore = 0;
    n->nin = 0;
}

void node_clear(Runtime *rt, Node *n) {
    Node *dead = NULL;
    for (int i = 0, k = node_inputs(n); i < k; i++) drop(rt, node_input(n, i), true, &dead);
    assert(!dead);
    if (n->more) mem_free(&rt->cx->mem, n->more, (size_t)n->nmore * sizeof *n->more);
    n->more = NULL;
    n->nmore = 0;
    n->nin = 0;
}

static void free_dead(Runtime *rt, Node *dead) {
    Cx *cx = rt->cx;
    while (dead) {
        Node *n = dead;
        dead = n->next;
        strip(rt, n, &dead);
        if (n->counted) rt->pending_bytes -= (int64_t)n->value->buf->bytes;
        if (n->value) array_release(cx, n->value);
        if (n->twin) array_release(cx, n->twin);
        if (n->error) error_free(cx, n->error);
        rt->nlive--;
        if (rt->nspare < SPARE_NODES) {
            n->next = rt->spare;
            rt->spare = n;
            rt->nspare++;
        } else {
            mem_free(&cx->mem, n, sizeof *n);
        }
    }
}

void node_release(Runtime *rt, Node *n) {
    if (!n) return;
    Node *dead = NULL;
    drop(rt, n, false, &dead);
    free_dead(rt, dead);
}

/* Neither pending nor in any list any more. */
static void settle(Runtime *rt, Node *n, NodeState state) {
    Node *dead = NULL;
    assert(n->state == NODE_PENDING);
    strip(rt, n, &dead);
    list_remove(rt, n);
    n->state = (uint8_t)state;
    n->op = OP_leaf;
    free_dead(rt, dead);
}

void node_finish(Runtime *rt, Node *n, Array *value) {
    n->value = value; /* first: an input that dies may share its buffer */
    settle(rt, n, NODE_DONE);
    if (!node_held(n)) {
        n->counted = 1;
        rt->pending_bytes += (int64_t)n->value->buf->bytes;
    }
}

void node_fail(Runtime *rt, Node *n, Error *e) {
    if (rt->failing) rt->failing(rt, n, e);
    n->error = e;
    settle(rt, n, NODE_FAILED);
}

void node_lose(Runtime *rt, Node *n, Error *e) {
    assert(n->state == NODE_DONE);
    if (rt->failing) rt->failing(rt, n, e);
    if (n->counted) rt->pending_bytes -= (int64_t)n->value->buf->bytes;
    n->counted = 0;
    array_release(rt->cx, n->value);
    if (n->twin) array_release(rt->cx, n->twin);
    n->value = n->twin = NULL;
    n->error = e;
    n->state = NODE_FAILED;
}
