/* exec_mask - what a mask leaves: the elements where it holds, or their positions.
 *
 * Callers: interp. How many there are is known only when the work has run, so both force. On a GPU
 * mask and elements are one kernel that stores what is kept and nothing else: the plan of
 * where(mask, x, x), whose store takes only the outputs for which the condition holds (exec.c).
 * Elsewhere positions are found first and taken by the caller.
 * Invariant: memory is made for the worst case, and given back where little of it is used. */
#include "runtime/exec.h"
#include "runtime/exec_run.h"

/* The first `count` elements of all. A copy of more than a quarter would cost more than it frees.
 */
static Status keep_first(Runtime *rt, Array *all, int64_t count, Node **out) {
    enum { SHARE = 4 };
    Shape s = {.rank = 1, .dim = {count}};
    int64_t one = 1;
    Array *used;
    if (count == 0) return graph_host(rt, all->dtype, &s, NULL, out);
    TRY(array_view(rt->cx, all->buf, all->dtype, &s, &one, all->offset, &used));
    if (count < array_size(all) / SHARE) {
        Array *fit;
        Status st = place_copy(rt, used, &fit);
        array_release(rt->cx, used);
        if (st != ARR_OK) return st;
        used = fit;
    }
    return graph_leaf(rt, used, out);
}

Status exec_masked(Runtime *rt, Node *x, Node *mask, Node **out) {
    int64_t count = -1;
    Node *chosen;
    bool failed = false;
    Operand args[3] = {{.node = mask}, {.node = x}, {.node = x}};
    *out = NULL;
    if (node_size(mask) == 0 || !place_is_cuda(rt, node_size(mask))) return ARR_OK;
    TRY(graph_apply(rt, OP_where, args, 3, &chosen));
    Status s = run_force(rt, &chosen, 1, &failed, &count);
    if (s == ARR_OK && count >= 0) s = keep_first(rt, chosen->value, count, out);
    node_release(rt, chosen);
    if (!failed) return s;
    error_clear(rt->cx); /* whoever uses the failed node is told */
    return ARR_OK;
}

static Status positions(Runtime *rt, Node *mask, Node **out) {
    Shape s = {.rank = 1, .dim = {node_size(mask)}};
    Node *flat, *number;
    TRY(graph_reshape(rt, mask, &s, &flat));
    Status st = graph_iota(rt, &s, &number);
    if (st == ARR_OK) {
        st = exec_masked(rt, number, flat, out);
        node_release(rt, number);
    }
    node_release(rt, flat);
    return st;
}

static Status find_nonzero(Runtime *rt, Node *mask, Node **out) {
    Cx *cx = rt->cx;
    int64_t n = node_size(mask), count = 0;
    Shape s = {.rank = 1, .dim = {n}};
    Device *d;
    Array *here, *dense = NULL, *index = NULL;
    TRY(exec_force(rt, &mask, 1));
    TRY(place_device(rt, n, &d));
    Status st = place_value(rt, mask, d, &here);
    if (st == ARR_OK) st = place_contiguous(rt, here, d, &dense);
    if (st == ARR_OK) st = array_new(cx, d, DT_i64, &s, &index);
    if (st == ARR_OK) {
        const uint8_t *bytes = (const uint8_t *)dense->buf->ptr + dense->offset;
        st = native_nonzero(rt->kernels, d, bytes, n, index->buf->ptr, &count);
    }
    if (st == ARR_OK) st = keep_first(rt, index, count, out);
    if (dense) array_release(cx, dense);
    if (index) array_release(cx, index);
    return st;
}

Status exec_nonzero(Runtime *rt, Node *mask, Node **out) {
    Cx *cx = rt->cx;
    *out = NULL;
    if (mask->dtype != DT_bool) {
        char text[SHAPE_TEXT];
        node_text(mask, text);
        return error_set(cx, ARR_ERR_DTYPE, cx->span, "a mask must be bool, not %s", text);
    }
    if (node_size(mask) == 0) return graph_host(rt, DT_i64, &(Shape){.rank = 1}, NULL, out);
    TRY(positions(rt, mask, out));
    if (*out) return ARR_OK;
    Status s = find_nonzero(rt, mask, out);
    return place_fall_back(rt, s) ? find_nonzero(rt, mask, out) : s;
}
