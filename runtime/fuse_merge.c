/* fuse_merge - two groups that walk the same loops and read the same become one kernel.
 *
 * Callers: fuse.c, when it comes to a node that both read. The older group then runs when the
 * younger one would, which is right as long as nobody reads its results before. Invariant: merging
 * changes no value, only how often something is loaded or computed. */
#include "runtime/fuse.h"

#include <string.h>

static bool is_mergeable(const Group *a, const Group *b) {
    return a->kind == GROUP_LOOPS && b->kind == GROUP_LOOPS && a->nloop == b->nloop &&
           a->nred == b->nred && memcmp(a->dim, b->dim, (size_t)a->nloop * sizeof *a->dim) == 0 &&
           fuse_sums_fit(a, b);
}

/* Nothing that `old` makes is read before `young` runs. */
static bool may_wait(const Group *old, const Group *young) {
    for (const Use *u = old->uses; u; u = u->in_group)
        if (u->store && u->node->first <= young->order) return false;
    return true;
}

static Use *merge_uses(Use *a, Use *b) {
    Use *head = NULL, **tail = &head;
    while (a && b) {
        Use **least = a->node < b->node ? &a : &b;
        *tail = *least;
        tail = &(*least)->in_group;
        *least = *tail;
    }
    *tail = a ? a : b;
    return head;
}

/* What both groups load or compute alike is done once. */
static void find_same(Group *g) {
    for (Use *u = g->uses; u; u = u->in_group)
        for (Use *w = u->in_group; w && w->node == u->node && !u->same; w = w->in_group)
            if (!w->same && w->access && u->access && w->kind == u->kind &&
                access_equal(g, u->access, w->access)) {
                w->same = u;
                u->store |= w->store;
            }
}

/* Both exist; old runs when young would. Undecided requests for the same elements of one node are
 * the caller's: they are found when the node is decided. */
static void merge(Plan *p, Group *old, Group *young) {
    for (Use *u = old->uses; u; u = u->in_group) u->group = young;
    Access **tail = &young->accesses;
    while (*tail) tail = &(*tail)->next;
    *tail = old->accesses;
    young->uses = merge_uses(old->uses, young->uses);
    young->nuse += old->nuse;
    young->nslot += old->nslot;
    young->nscalar += old->nscalar;
    young->nstore += old->nstore;
    if (old->work > young->work) young->work = old->work;
    old->merged = young;
    Group **at = &p->groups;
    while (*at != old) at = &(*at)->next;
    *at = old->next;
    p->ngroup--;
    find_same(young);
}

/* Requests follow their groups' merging, and equal ones become one. */
void fuse_settle(PNode *pn) {
    for (Use *u = pn->uses; u; u = u->of_node) u->group = fuse_group(u->group);
    for (Use *u = pn->uses; u; u = u->of_node)
        for (Use **w = &u->of_node; *w;) {
            Use *x = *w;
            bool equal = x->kind == USE_OPEN && u->kind == USE_OPEN && x->group == u->group &&
                         x->access && u->access && access_equal(u->group, x->access, u->access);
            if (equal) {
                x->same = u;
                u->inner |= x->inner;
                *w = x->of_node;
                u->group->nuse--;
                if (pn->node->op == OP_scalar)
                    u->group->nscalar--;
                else
                    u->group->nslot--;
            } else {
                w = &x->of_node;
            }
        }
}

/* Make one group of the readers of pn where that can be. If it will be in memory, only of those
 * that read all of it: less than that is not worth waiting for each other. */
void fuse_merge_readers(Plan *p, PNode *pn, bool in_memory) {
    const Shape *s = &pn->node->shape;
    for (Use *u = pn->uses; u; u = u->of_node)
        for (Use *w = u->of_node; w; w = w->of_node) {
            Group *a = fuse_group(u->group), *b = fuse_group(w->group);
            if (a == b || !u->access || !w->access || !is_mergeable(a, b)) continue;
            if (!access_equal(a, u->access, w->access)) continue;
            if (in_memory && !access_is_bijective(a, u->access, s, 0)) continue;
            Group *old = a->order < b->order ? a : b, *young = old == a ? b : a;
            if (may_wait(old, young)) merge(p, old, young);
        }
    fuse_settle(pn);
}
