/* fuse - cuts a plan into groups.
 *
 * Nodes are decided from the youngest to the oldest, so that all readers of a node are settled
 * before it. Each reader has left a request: its group, and which elements it reads. A node joins
 * the group of its readers if they are all in one group and read the same elements; cheap nodes
 * (constants, iotas, draws, views and casts of what is in memory anyway) join every group that
 * reads them. Anything else is put into memory by a group of its own. What a variable holds is
 * stored on the way when the group visits all of it.
 *
 * Two groups that share a node and walk the same loops become one when no third group stands
 * between them. A reduction joins the elementwise work on its results, whose loops become its outer
 * loops, or that on its elements with its results (fuse_chain.c). Callers: plan.h's plan_fuse.
 * Invariant: what a group makes is read by groups of a higher order only. */
#include "runtime/fuse.h"

/* Every reader becomes a load. */
static void read_from_memory(Plan *p, PNode *pn) {
    if (p->cx->opts.fuse) fuse_merge_readers(p, pn, true);
    for (Use *u = pn->uses; u; u = u->of_node) {
        u->group = fuse_group(u->group);
        if (u->access)
            fuse_load(u);
        else
            fuse_whole(u);
    }
}

static Status materialise(Plan *p, PNode *pn, Cut why) {
    pn->cut = (uint8_t)why;
    read_from_memory(p, pn);
    return fuse_own_group(p, pn);
}

/* Views of what is stored anyway need not be stored. */
static bool wants_store(Plan *p, PNode *pn) {
    if (pn->root) return true;
    if (!pn->held || pn->cheap) return false;
    if (!fuse_is_renaming(pn->node)) return true;
    PNode *base = fuse_renamed(p, pn);
    return !base->held && !base->root && !base->cheap;
}

/* A reshape of what lies in memory in order is the same memory. */
static bool is_plain_reshape(Plan *p, const PNode *pn) {
    if (pn->node->op != OP_reshape) return false;
    const Node *in = plan_node(p, pn->node->in[0])->node;
    return pn->uses->of_node || (in->op == OP_leaf && array_is_contiguous(in->value));
}

/* Join all readers of a cheap node, or the one reader of another; CUT_NONE if that was done. */
static Status join_readers(Plan *p, PNode *pn, Cut *cut) {
    Node *n = pn->node;
    bool store_it = wants_store(p, pn);
    Access *through = NULL;
    Use *u = pn->uses;
    *cut = CUT_NONE;
    if (is_plain_reshape(p, pn)) return *cut = CUT_RESHAPE, ARR_OK;
    for (Use *w = u; w; w = w->of_node)
        if (!fuse_has_room(w->group, n, store_it)) return *cut = CUT_BOUND, ARR_OK;
    if (n->op == OP_reduce) {
        Fit fit = fuse_reduce_fits(p, u);
        if (fit == FIT_NO) return *cut = CUT_KIND, ARR_OK;
        if (store_it) TRY(fuse_store(p, u));
        return fuse_join_reduce(p, u, fit);
    }
    if (n->op == OP_reshape) {
        bool ok;
        through = access_reshape(p, u->group, u->access, &n->in[0]->shape, &n->shape, &ok);
        if (!ok) return *cut = CUT_RESHAPE, ARR_OK;
        if (!through) return fuse_no_memory(p);
    }
    if (store_it) {
        const Group *g = u->group;
        if (!access_is_bijective(g, u->access, &n->shape, 0) &&
            !(g->chain && access_is_bijective(g, u->access, &n->shape, g->nred)))
            return *cut = CUT_HELD, ARR_OK;
        TRY(fuse_store(p, u));
    }
    for (Use *next; u; u = next) {
        next = u->of_node;
        TRY(fuse_join(p, u, through));
    }
    return ARR_OK;
}

/* The reader that runs before all others; NULL if there is none (a group that reads at several
 * places, parts of one concat). */
static Use *first_reader(PNode *pn) {
    Use *first = pn->uses;
    bool twice = false;
    for (Use *u = first->of_node; u; u = u->of_node) {
        if (u->group->order == first->group->order) twice = true;
        if (u->group->order >= first->group->order) continue;
        first = u;
        twice = false;
    }
    return twice ? NULL : first;
}

/* May the first reader's group compute the node and store it for the others? */
static bool may_pass_on(PNode *pn) {
    const Node *n = pn->node;
    const Use *u = first_reader(pn);
    return u && fuse_is_fusible(n) && n->op != OP_reshape && u->access &&
           fuse_has_room(u->group, n, true) &&
           access_is_bijective(u->group, u->access, &n->shape, 0);
}

static Status pass_on(Plan *p, PNode *pn) {
    Use *first = first_reader(pn);
    for (Use *u = pn->uses; u; u = u->of_node)
        if (u != first) fuse_load(u);
    TRY(fuse_store(p, first));
    return fuse_join(p, first, NULL);
}

static Status decide(Plan *p, PNode *pn) {
    const Node *n = pn->node;
    bool fuse = p->cx->opts.fuse;
    if (n->op == OP_leaf) return read_from_memory(p, pn), ARR_OK;
    bool alone = !pn->uses || pn->cheap || fuse_is_renaming(n);
    bool needed = pn->whole || (pn->root && alone) || (pn->held && !pn->uses);
    if (!pn->uses && !needed) return ARR_OK; /* only equal nodes of it are read */
    fuse_settle(pn);
    if (needed) return materialise(p, pn, pn->root ? CUT_ROOT : pn->whole ? CUT_WHOLE : CUT_HELD);
    if (!fuse && n->op != OP_scalar) return materialise(p, pn, CUT_OFF);
    if (!fuse_is_fusible(n) && n->op != OP_reduce) return materialise(p, pn, CUT_KIND);
    if (!pn->cheap && pn->uses->of_node) {
        fuse_merge_readers(p, pn, false);
        const Use *u = pn->uses;
        if (u->of_node && may_pass_on(pn)) return pass_on(p, pn);
        if (u->of_node)
            return materialise(p, pn, u->group == u->of_node->group ? CUT_ACCESS : CUT_SHARED);
    }
    if (n->op == OP_draw) fuse_merge_readers(p, pn, true);
    Cut cut;
    TRY(join_readers(p, pn, &cut));
    return cut == CUT_NONE ? ARR_OK : materialise(p, pn, cut);
}

/* Count the uses, so that nodes can go after their last group. */
static void count_uses(Group *g) {
    for (Use *u = g->uses; u; u = u->in_group) u->node->left++;
    for (Group *part = g->parts; part; part = part->next) count_uses(part);
    for (int k = 0; k < g->nread; k++) g->read[k]->left++;
    if (g->kind != GROUP_PART && g->kind != GROUP_LOOPS) g->root->left++;
}

/* What is asked about a group each time that it runs. */
static Status summarize(Plan *p, Group *g) {
    for (const Use *u = g->uses; u; u = u->in_group) {
        g->nstored += u->store && !u->same;
        g->gathers |= u->kind == USE_WHOLE;
        g->draws |= u->kind == USE_MEMBER && u->node->node->op == OP_draw;
    }
    g->stored = arena_raw(&p->arena, (size_t)(g->nstored + 1) * sizeof *g->stored);
    if (!g->stored) return fuse_no_memory(p);
    int n = 0;
    for (Use *u = g->uses; u; u = u->in_group)
        if (u->store && !u->same) g->stored[n++] = u;
    for (Group *part = g->parts; part; part = part->next) TRY(summarize(p, part));
    return ARR_OK;
}

void plan_count_uses(Plan *p) {
    if (p->ngroup == 1 && p->groups->kind == GROUP_LOOPS) return;
    for (int i = 0; i < p->n; i++) p->node[i].left = 0;
    for (Group *g = p->groups; g; g = g->next) count_uses(g);
}

Status plan_fuse(Plan *p) {
    if (p->fused) return ARR_OK;
    for (int i = p->n - 1; i >= 0; i--) {
        if (i % 256 == 255 && p->cx->interrupt) return error_interrupted(p->cx);
        if (p->node[i].rep == &p->node[i]) TRY(decide(p, &p->node[i]));
    }
    plan_count_uses(p);
    for (Group *g = p->groups; g; g = g->next) TRY(summarize(p, g));
    p->fused = true;
    return ARR_OK;
}
