/* fuse_own - groups for nodes that go into memory: loops over an elementwise root or a reduction,
 * views of what is there already, updates and concatenations with a loop group for each part, and
 * the work of native kernels.
 *
 * Callers: fuse.c. Invariant: groups are made in descending order of their roots, and stay so. */
#include "runtime/fuse.h"
#include "runtime/place.h"

static Group *group_new(Plan *p, GroupKind kind, PNode *root) {
    Group *g = arena_alloc(&p->arena, sizeof *g);
    if (!g) return NULL;
    g->kind = (uint8_t)kind;
    g->root = root;
    g->order = root->node->id;
    g->work = place_node_work(root->node);
    return g;
}

static Group *group_add(Plan *p, GroupKind kind, PNode *root) {
    Group *g = group_new(p, kind, root);
    if (!g) return NULL;
    g->next = p->groups; /* roots come in descending order */
    p->groups = g;
    p->ngroup++;
    root->own = g;
    return g;
}

/* The loops of a shape, C order, and the identity. */
static Access *identity(Plan *p, Group *g, const Shape *s) {
    int loop[MAX_RANK] = {0}; /* numbered from 1, 0: none */
    for (int j = 0; j < s->rank; j++) {
        if (s->dim[j] == 1) continue;
        g->dim[g->nloop++] = s->dim[j];
        loop[j] = g->nloop;
    }
    Access *a = access_new(p, g, s->rank);
    for (int j = 0; a && j < s->rank; j++)
        if (loop[j]) access_row(g, a, j)[loop[j]] = 1;
    return a;
}

/* The flat index under the loops of a shape that were just made. */
static Access *flat_identity(Plan *p, Group *g, const Access *a, const Shape *s) {
    Access *flat = access_new(p, g, 1);
    if (flat) access_flat(g, a, s, flat->v);
    return flat;
}

/* An elementwise root: loops over its shape. */
static Status own_map(Plan *p, PNode *pn) {
    Group *g = group_add(p, GROUP_LOOPS, pn);
    Access *a = g ? identity(p, g, &pn->node->shape) : NULL;
    Use *u = a ? fuse_request(p, g, pn, a, false) : NULL;
    TRY(fuse_store(p, u));
    return fuse_join(p, u, NULL);
}

/* A reshape root: loops over its input's shape, since the elements' order is the same. */
static Status own_reshape(Plan *p, PNode *pn) {
    const Node *in = pn->node->in[0];
    Group *g = group_add(p, GROUP_LOOPS, pn);
    Access *a = g ? identity(p, g, &in->shape) : NULL;
    Access *flat = a ? flat_identity(p, g, a, &in->shape) : NULL;
    Use *u = flat ? fuse_request(p, g, pn, flat, false) : NULL;
    TRY(fuse_store(p, u));
    return fuse_join(p, u, a);
}

static Status own_reduce(Plan *p, PNode *pn) {
    Group *g = group_add(p, GROUP_LOOPS, pn);
    Access *a = g ? identity(p, g, &pn->node->shape) : NULL;
    Use *u = a ? fuse_request(p, g, pn, a, false) : NULL;
    TRY(fuse_store(p, u));
    return fuse_join_reduce(p, u, FIT_OUTER);
}

/* A group that works on its root's inputs as they are. */
static Group *group_reading(Plan *p, GroupKind kind, PNode *root) {
    const Node *n = root->node;
    Group *g = group_add(p, kind, root);
    if (!g) return NULL;
    g->nread = node_inputs(n);
    g->read = arena_alloc(&p->arena, (size_t)g->nread * sizeof *g->read);
    if (!g->read) return NULL;
    for (int k = 0; k < g->nread; k++) g->read[k] = plan_node(p, node_input(n, k));
    return g;
}

/* A loop group for each computed input of an update or concat, visiting all of it. */
static Status add_part(Plan *p, Group *whole, int k) {
    PNode *n = whole->read[k];
    Group *g = group_new(p, GROUP_PART, n);
    if (!g) return fuse_no_memory(p);
    g->order = whole->order;
    g->part = k;
    g->nstore = 1;
    Access *a = identity(p, g, &n->node->shape);
    if (!a || !fuse_request(p, g, n, a, false)) return fuse_no_memory(p);
    Group **at = &whole->parts;
    while (*at) at = &(*at)->next;
    *at = g;
    return ARR_OK;
}

static Status own_parts(Plan *p, PNode *pn) {
    Group *g = group_reading(p, GROUP_PARTS, pn);
    if (!g) return fuse_no_memory(p);
    if (pn->node->op == OP_update) {
        fuse_need_whole(g->read[0], g);
        return add_part(p, g, 1);
    }
    for (int k = 0; k < g->nread; k++) TRY(add_part(p, g, k));
    return ARR_OK;
}

static Status own_whole(Plan *p, GroupKind kind, PNode *pn) {
    Group *g = group_reading(p, kind, pn);
    if (!g) return fuse_no_memory(p);
    for (int k = 0; k < g->nread; k++) fuse_need_whole(g->read[k], g);
    return ARR_OK;
}

/* The node whose elements a chain of views and reshapes renames. */
PNode *fuse_renamed(Plan *p, PNode *pn) {
    while (fuse_is_renaming(pn->node)) pn = plan_node(p, pn->node->in[0]);
    return pn;
}

static bool will_be_in_memory(const PNode *pn) {
    return pn->node->op == OP_leaf || pn->root || (pn->held && !pn->cheap) || pn->whole ||
           pn->own || !fuse_is_fusible(pn->node);
}

Status fuse_own_group(Plan *p, PNode *pn) {
    const Node *n = pn->node;
    if (fuse_is_renaming(n) && (!p->cx->opts.fuse || will_be_in_memory(fuse_renamed(p, pn))))
        return own_whole(p, GROUP_VIEW, pn);
    switch (n->op) {
    case OP_reshape: return own_reshape(p, pn);
    case OP_reduce: return own_reduce(p, pn);
    case OP_update:
    case OP_concat: return own_parts(p, pn);
    default: return fuse_is_fusible(n) ? own_map(p, pn) : own_whole(p, GROUP_NATIVE, pn);
    }
}
