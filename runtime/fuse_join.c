/* fuse_join - requests for the elements of a node, and what becomes of them: a load, or a member of
 * the group whose operands are requested in turn.
 *
 * Callers: fuse*.c. Bounds of groups are kept here: a request may become a load, so that it counts
 * as a pointer of the kernel until it has become something else. Invariant: within a group, equal
 * accesses of one node are one use. */
#include "runtime/fuse.h"
#include "runtime/place.h"

#include <string.h>

/* A kernel of 256 operations compiles in 0.2 s, one of 1,000 in 0.8 (measured, NVRTC 13.0). */
enum { GROUP_USES = 300, GROUP_SLOTS = PROG_MAX_SLOTS - 4, GROUP_SCALARS = PROG_MAX_SCALARS - 8 };

/* An index read this often is computed once, not at every element. */
enum { INDEX_READS = 4 };

Group *fuse_group(Group *g) {
    while (g->merged) g = g->merged;
    return g;
}

bool fuse_is_fusible(const Node *n) {
    if (op_is_elementwise((Op)n->op)) return true;
    switch (n->op) {
    case OP_scalar:
    case OP_iota:
    case OP_draw:
    case OP_cast:
    case OP_bitcast:
    case OP_view:
    case OP_reshape:
    case OP_take: return true;
    default: return false;
    }
}

/* ---- requests ---- */

static Use *use_new(Plan *p, Group *g, PNode *n, Access *a) {
    Use *u = arena_alloc(&p->arena, sizeof *u);
    if (!u) return NULL;
    u->node = n;
    u->group = g;
    u->access = a;
    u->of_node = n->uses;
    n->uses = u;
    g->nuse++;
    return u;
}

/* Group g reads these elements of n, for a reduction or not. One request for equal ones. NULL: out
 * of memory. */
Use *fuse_request(Plan *p, Group *g, PNode *n, Access *a, bool inner) {
    for (Use *u = n->uses; u; u = u->of_node)
        if (u->group == g && u->access && access_equal(g, u->access, a)) {
            u->inner |= inner;
            return u;
        }
    Use *u = use_new(p, g, n, a);
    if (!u) return NULL;
    u->inner = inner;
    if (n->node->op == OP_scalar)
        g->nscalar++;
    else
        g->nslot++;
    return u;
}

/* Group g, or the step that it is part of, needs n in memory. */
void fuse_need_whole(PNode *n, const Group *g) {
    n->whole = true;
    if (g->order < n->first) n->first = g->order;
}

static void decided(Use *u, UseKind kind) {
    u->kind = (uint8_t)kind;
    u->in_group = u->group->uses; /* nodes come in descending order: the list ascends */
    u->group->uses = u;
}

void fuse_whole(Use *u) { decided(u, USE_WHOLE); }

void fuse_load(Use *u) {
    decided(u, USE_LOAD);
    if (u->group->order < u->node->first) u->node->first = u->group->order;
}

/* ---- members ---- */

static Status member_operands(Plan *p, Use *u) {
    Group *g = u->group;
    const Node *n = u->node->node;
    for (int k = 0; k < n->nin; k++) {
        PNode *in = plan_node(p, n->in[k]);
        u->in[k] = fuse_request(p, g, in, u->access, u->inner);
        if (!u->in[k]) return fuse_no_memory(p);
    }
    return ARR_OK;
}

static Status member_view(Plan *p, Use *u) {
    const Node *n = u->node->node;
    Access *a = access_view(p, u->group, u->access, n->at.view, &n->in[0]->shape);
    u->in[0] = a ? fuse_request(p, u->group, plan_node(p, n->in[0]), a, u->inner) : NULL;
    return u->in[0] ? ARR_OK : fuse_no_memory(p);
}

/* The index's elements: the axes that stand in the place of the indexed one. */
static Status member_take(Plan *p, Use *u) {
    Group *g = u->group;
    const Node *n = u->node->node;
    PNode *source = plan_node(p, n->in[0]), *index = plan_node(p, n->in[1]);
    const Shape *is = &n->in[1]->shape;
    Access *a = access_new(p, g, is->rank);
    if (!a) return fuse_no_memory(p);
    for (int j = 0; j < is->rank; j++)
        memcpy(access_row(g, a, j), access_row(g, u->access, n->at.along.axis + j),
               (size_t)(1 + g->nloop) * sizeof(int64_t));
    u->in[0] = fuse_request(p, g, index, a, u->inner);
    u->in[1] = use_new(p, g, source, NULL);
    if (!u->in[0] || !u->in[1]) return fuse_no_memory(p);
    fuse_need_whole(source, g);
    if (!index->cheap && !fuse_is_renaming(index->node) &&
        node_size(n) / INDEX_READS >= node_size(index->node))
        fuse_need_whole(index, g);
    return ARR_OK;
}

/* The use becomes a member of its group; its operands are requested. The access of a reshape's
 * operand was found before. */
Status fuse_join(Plan *p, Use *u, Access *through) {
    const Node *n = u->node->node;
    Group *g = u->group;
    decided(u, USE_MEMBER);
    int64_t size = node_size(n);
    if (size > g->work) g->work = size;
    if (n->op == OP_scalar || n->op == OP_iota) return ARR_OK;
    if (n->op == OP_draw) {
        g->nscalar += 3;
        return ARR_OK;
    }
    if (n->op != OP_take) g->nslot--; /* its own request needs no pointer any more */
    if (n->op == OP_view) return member_view(p, u);
    if (n->op == OP_take) return member_take(p, u);
    if (n->op == OP_reshape) {
        u->in[0] = fuse_request(p, g, plan_node(p, n->in[0]), through, u->inner);
        return u->in[0] ? ARR_OK : fuse_no_memory(p);
    }
    return member_operands(p, u);
}

bool fuse_sums_fit(const Group *a, const Group *b) {
    return a->nuse + b->nuse <= GROUP_USES &&
           a->nslot + b->nslot + a->nstore + b->nstore <= GROUP_SLOTS &&
           a->nscalar + b->nscalar <= GROUP_SCALARS;
}

bool fuse_has_room(const Group *g, const Node *n, bool store) {
    return g->nuse + node_inputs(n) <= GROUP_USES &&
           g->nslot + g->nstore + node_inputs(n) + store <= GROUP_SLOTS &&
           g->nscalar + 4 <= GROUP_SCALARS;
}

/* ---- reductions ---- */

/* The access of a reduction's input: kept axes as the result's, reduced ones over new loops. */
static Access *reduce_input(Plan *p, Group *g, const Node *n, const Access *out, int first_red) {
    const Shape *in = &n->in[0]->shape;
    Access *a = access_new(p, g, in->rank);
    for (int j = 0, k = 0, d = first_red; a && j < in->rank; j++) {
        bool gone = n->at.reduce.axes >> j & 1;
        int64_t *row = access_row(g, a, j);
        if (gone && in->dim[j] > 1) row[1 + d++] = 1;
        if (!gone) memcpy(row, access_row(g, out, k), (size_t)(1 + g->nloop) * sizeof *row);
        if (!gone || n->at.reduce.keepdims) k++;
    }
    return a;
}

static int reduce_loops(const Node *n, int64_t dim[MAX_RANK]) {
    int count = 0;
    const Shape *in = &n->in[0]->shape;
    for (int j = 0; j < in->rank; j++)
        if ((n->at.reduce.axes >> j & 1) && in->dim[j] > 1) dim[count++] = in->dim[j];
    if (count == 0) dim[count++] = 1; /* P_REDUCE needs a loop */
    return count;
}

Status fuse_join_reduce(Plan *p, Use *u, Fit fit) {
    Group *g = u->group;
    const Node *n = u->node->node;
    int64_t dim[MAX_RANK];
    int count = reduce_loops(n, dim);
    for (int d = 0; d < count && g->nred == 0 && fit == FIT_OUTER; d++)
        TRY(group_add_loop(p, g, dim[d]));
    g->nred = count;
    g->chain |= fit == FIT_CHAIN;
    decided(u, USE_MEMBER);
    g->nslot--;
    g->nscalar++;
    if (place_node_work(n) > g->work) g->work = place_node_work(n);
    Access *a = reduce_input(p, g, n, u->access, g->nloop - g->nred);
    u->in[0] = a ? fuse_request(p, g, plan_node(p, n->in[0]), a, true) : NULL;
    return u->in[0] ? ARR_OK : fuse_no_memory(p);
}

/* What the group stores so far must be computed from the reduction, as its root is. */
static bool fits_outer(const Use *u, const int64_t *dim, int count) {
    const Group *g = u->group;
    if (u->inner || g->chain) return false;
    if (g->nred == 0) {
        if (g->nloop + count > MAX_RANK || g->nstore != 1) return false;
    } else if (g->nred != count ||
               memcmp(dim, g->dim + g->nloop - g->nred, (size_t)count * sizeof *dim) != 0) {
        return false;
    }
    return access_is_bijective(g, u->access, &u->node->node->shape, g->nred);
}

Fit fuse_reduce_fits(Plan *p, const Use *u) {
    int64_t dim[MAX_RANK];
    if (u->group->kind != GROUP_LOOPS) return FIT_NO;
    int count = reduce_loops(u->node->node, dim);
    if (fits_outer(u, dim, count)) return FIT_OUTER;
    return fuse_chain_fits(p, u, dim, count) ? FIT_CHAIN : FIT_NO;
}

Status fuse_store(Plan *p, Use *u) {
    if (!u) return fuse_no_memory(p);
    u->store = true;
    u->group->nstore++;
    return ARR_OK;
}
