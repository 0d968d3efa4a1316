/* fuse_chain - reductions whose results are used for the elements that they were made from, as in
 * x - max(x): one group walks each row as often as needed, while it is near.
 *
 * Callers: fuse_join.c. Only rows that lie in order in memory, and are short enough to stay in a
 * cache, gain by it. Invariant: the loops of such a
 * group are those of its elements, the reduced ones last. */
#include "runtime/fuse.h"

/* Measured: what each row costs beside its elements shows below 256 of them, what making the walks
 * ready costs below 2^17 in all. A row is one thread's work: long ones only where there are enough
 * to keep all threads busy. */
enum { ROW_LEAST = 256, ROW_ALONE = 1 << 14, ROW_MOST = 1 << 17, ROWS_ENOUGH = 64 };
enum { WORK_LEAST = 1 << 17 };

static bool is_worth(const Group *g, int reduced) {
    int64_t rows = 1, row = 1;
    for (int d = 0; d < g->nloop; d++) *(d < g->nloop - reduced ? &rows : &row) *= g->dim[d];
    if (row < ROW_LEAST || rows * row < WORK_LEAST) return false;
    return row <= ROW_ALONE || (row <= ROW_MOST && rows >= ROWS_ENOUGH);
}

static bool reduces_last_axes(const Node *n) {
    const Shape *s = &n->in[0]->shape;
    bool gone = false;
    for (int j = 0; j < s->rank; j++) {
        if (s->dim[j] == 1) continue;
        if (n->at.reduce.axes >> j & 1)
            gone = true;
        else if (gone)
            return false;
    }
    return gone;
}

/* The last axis that is one: neighbours along it are neighbours in memory. */
static int last_axis(const Shape *s) {
    int j = s->rank - 1;
    while (j >= 0 && s->dim[j] == 1) j--;
    return j;
}

/* Does the last axis of the view run along the last axis of its input (or along none of it)? */
static bool view_in_order(const Node *n) {
    const ViewMap *m = n->at.view;
    const Shape *in = &n->in[0]->shape;
    int from = last_axis(in), to = last_axis(&n->shape);
    for (int j = 0; j < from; j++)
        if (m->axis[j] == to && in->dim[j] > 1) return false;
    return true;
}

/* Are there no transposed operands? Looks as far as a few operations. */
static bool lies_in_order(Plan *p, const Node *n) {
    enum { FAR = 64 };
    const Node *list[FAR] = {n};
    for (int i = 0, count = 1; i < count; i++) {
        const Node *at = plan_node(p, list[i])->node;
        int last = last_axis(&at->shape);
        if (at->op == OP_leaf) {
            int64_t step = last < 0 ? 1 : at->value->stride[last];
            if (step != 1 && step != 0) return false;
            continue;
        }
        if (at->op == OP_view && !view_in_order(at)) return false;
        if (!fuse_is_fusible(at)) continue;
        for (int k = 0; k < at->nin && count < FAR; k++) list[count++] = at->in[k];
    }
    return true;
}

bool fuse_chain_fits(Plan *p, const Use *u, const int64_t *dim, int count) {
    const Group *g = u->group;
    const Node *n = u->node->node;
    int outer = g->nloop - count;
    if (outer < 0 || dim[0] == 1 || (g->nred != 0 && g->nred != count)) return false;
    for (int d = 0; d < count; d++)
        if (g->dim[outer + d] != dim[d]) return false;
    return access_is_bijective(g, u->access, &n->shape, count) && is_worth(g, count) &&
           reduces_last_axes(n) && lies_in_order(p, n->in[0]);
}
