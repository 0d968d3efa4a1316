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
 * loops. Callers: plan.h's plan_fuse. Invariant: what a group makes is read by groups of a higher
 * order only. */
#include "runtime/place.h"
#include "runtime/plan.h"

#include <assert.h>
#include <string.h>

/* A kernel of 256 operations compiles in 0.2 s, one of 1,000 in 0.8 (traps.md). */
enum { GROUP_USES = 300, GROUP_SLOTS = PROG_MAX_SLOTS - 4, GROUP_SCALARS = PROG_MAX_SCALARS - 8 };

static Group *find(Group *g) {
    while (g->merged) g = g->merged;
    return g;
}

static Status no_memory(Plan *p) { return error_memory(p->cx, sizeof(Group)); }

static bool is_fusible(const Node *n) {
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

static bool is_renaming(const Node *n) { return n->op == OP_view || n->op == OP_reshape; }

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
static Use *request(Plan *p, Group *g, PNode *n, Access *a, bool inner) {
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
static void need_whole(PNode *n, const Group *g) {
    n->whole = true;
    if (g->order < n->first) n->first = g->order;
}

static void decided(Use *u, UseKind kind) {
    u->kind = (uint8_t)kind;
    u->in_group = u->group->uses; /* nodes come in descending order: the list ascends */
    u->group->uses = u;
}

static void load(Use *u) {
    decided(u, USE_LOAD);
    if (u->group->order < u->node->first) u->node->first = u->group->order;
}

/* ---- members ---- */

static Status member_operands(Plan *p, Use *u) {
    Group *g = u->group;
    const Node *n = u->node->node;
    for (int k = 0; k < n->nin; k++) {
        PNode *in = plan_node(p, n->in[k]);
        u->in[k] = request(p, g, in, u->access, u->inner);
        if (!u->in[k]) return no_memory(p);
    }
    return ARR_OK;
}

static Status member_view(Plan *p, Use *u) {
    const Node *n = u->node->node;
    Access *a = access_view(p, u->group, u->access, n->at.view, &n->in[0]->shape);
    u->in[0] = a ? request(p, u->group, plan_node(p, n->in[0]), a, u->inner) : NULL;
    return u->in[0] ? ARR_OK : no_memory(p);
}

/* The index's elements: the axes that stand in the place of the indexed one. */
static Status member_take(Plan *p, Use *u) {
    Group *g = u->group;
    const Node *n = u->node->node;
    PNode *source = plan_node(p, n->in[0]), *index = plan_node(p, n->in[1]);
    const Shape *is = &n->in[1]->shape;
    Access *a = access_new(p, g, is->rank);
    if (!a) return no_memory(p);
    for (int j = 0; j < is->rank; j++)
        memcpy(access_row(g, a, j), access_row(g, u->access, n->at.along.axis + j),
               (size_t)(1 + g->nloop) * sizeof(int64_t));
    u->in[0] = request(p, g, index, a, u->inner);
    u->in[1] = use_new(p, g, source, NULL);
    if (!u->in[0] || !u->in[1]) return no_memory(p);
    need_whole(source, g);
    return ARR_OK;
}

/* The use becomes a member of its group; its operands are requested. The access of a reshape's
 * operand was found before. */
static Status join(Plan *p, Use *u, Access *through) {
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
        u->in[0] = request(p, g, plan_node(p, n->in[0]), through, u->inner);
        return u->in[0] ? ARR_OK : no_memory(p);
    }
    return member_operands(p, u);
}

static bool has_room(const Group *g, const Node *n, bool store) {
    return g->nuse + node_inputs(n) <= GROUP_USES &&
           g->nslot + g->nstore + node_inputs(n) + store <= GROUP_SLOTS &&
           g->nscalar + 4 <= GROUP_SCALARS;
}

/* ---- merging groups ---- */

static bool is_mergeable(const Group *a, const Group *b) {
    return a->kind == GROUP_LOOPS && b->kind == GROUP_LOOPS && a->nloop == b->nloop &&
           a->nred == b->nred && memcmp(a->dim, b->dim, (size_t)a->nloop * sizeof *a->dim) == 0 &&
           a->nuse + b->nuse <= GROUP_USES &&
           a->nslot + b->nslot + a->nstore + b->nstore <= GROUP_SLOTS &&
           a->nscalar + b->nscalar <= GROUP_SCALARS;
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
static void settle_requests(PNode *pn) {
    for (Use *u = pn->uses; u; u = u->of_node) u->group = find(u->group);
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
static void merge_readers(Plan *p, PNode *pn, bool in_memory) {
    const Shape *s = &pn->node->shape;
    for (Use *u = pn->uses; u; u = u->of_node)
        for (Use *w = u->of_node; w; w = w->of_node) {
            Group *a = find(u->group), *b = find(w->group);
            if (a == b || !u->access || !w->access || !is_mergeable(a, b)) continue;
            if (!access_equal(a, u->access, w->access)) continue;
            if (in_memory && !access_is_bijective(a, u->access, s, 0)) continue;
            Group *old = a->order < b->order ? a : b, *young = old == a ? b : a;
            if (may_wait(old, young)) merge(p, old, young);
        }
    settle_requests(pn);
}

/* ---- groups of their own ---- */

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

static Status store(Plan *p, Use *u) {
    if (!u) return no_memory(p);
    u->store = true;
    u->group->nstore++;
    return ARR_OK;
}

/* An elementwise root: loops over its shape. */
static Status own_map(Plan *p, PNode *pn) {
    Group *g = group_add(p, GROUP_LOOPS, pn);
    Access *a = g ? identity(p, g, &pn->node->shape) : NULL;
    Use *u = a ? request(p, g, pn, a, false) : NULL;
    TRY(store(p, u));
    return join(p, u, NULL);
}

/* A reshape root: loops over its input's shape, since the elements' order is the same. */
static Status own_reshape(Plan *p, PNode *pn) {
    const Node *in = pn->node->in[0];
    Group *g = group_add(p, GROUP_LOOPS, pn);
    Access *a = g ? identity(p, g, &in->shape) : NULL;
    Access *flat = a ? flat_identity(p, g, a, &in->shape) : NULL;
    Use *u = flat ? request(p, g, pn, flat, false) : NULL;
    TRY(store(p, u));
    return join(p, u, a);
}

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

/* u, a reduction's result under the group's outer loops, becomes a member; the reduced loops are
 * added unless they are there. */
static Status join_reduce(Plan *p, Use *u) {
    Group *g = u->group;
    const Node *n = u->node->node;
    int64_t dim[MAX_RANK];
    int count = reduce_loops(n, dim);
    if (g->nred == 0) {
        for (int d = 0; d < count; d++) TRY(group_add_loop(p, g, dim[d]));
        g->nred = count;
    }
    decided(u, USE_MEMBER);
    g->nslot--;
    g->nscalar++;
    if (place_node_work(n) > g->work) g->work = place_node_work(n);
    Access *a = reduce_input(p, g, n, u->access, g->nloop - g->nred);
    u->in[0] = a ? request(p, g, plan_node(p, n->in[0]), a, true) : NULL;
    return u->in[0] ? ARR_OK : no_memory(p);
}

static Status own_reduce(Plan *p, PNode *pn) {
    Group *g = group_add(p, GROUP_LOOPS, pn);
    Access *a = g ? identity(p, g, &pn->node->shape) : NULL;
    Use *u = a ? request(p, g, pn, a, false) : NULL;
    TRY(store(p, u));
    return join_reduce(p, u);
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
    if (!g) return no_memory(p);
    g->order = whole->order;
    g->part = k;
    g->nstore = 1;
    Access *a = identity(p, g, &n->node->shape);
    if (!a || !request(p, g, n, a, false)) return no_memory(p);
    Group **at = &whole->parts;
    while (*at) at = &(*at)->next;
    *at = g;
    return ARR_OK;
}

static Status own_parts(Plan *p, PNode *pn) {
    Group *g = group_reading(p, GROUP_PARTS, pn);
    if (!g) return no_memory(p);
    if (pn->node->op == OP_update) {
        need_whole(g->read[0], g);
        return add_part(p, g, 1);
    }
    for (int k = 0; k < g->nread; k++) TRY(add_part(p, g, k));
    return ARR_OK;
}

static Status own_whole(Plan *p, GroupKind kind, PNode *pn) {
    Group *g = group_reading(p, kind, pn);
    if (!g) return no_memory(p);
    for (int k = 0; k < g->nread; k++) need_whole(g->read[k], g);
    return ARR_OK;
}

/* The node whose elements a chain of views and reshapes renames. */
static PNode *renamed(Plan *p, PNode *pn) {
    while (is_renaming(pn->node)) pn = plan_node(p, pn->node->in[0]);
    return pn;
}

static bool will_be_in_memory(const PNode *pn) {
    return pn->node->op == OP_leaf || pn->root || pn->held || pn->whole || pn->own ||
           !is_fusible(pn->node);
}

static Status own_group(Plan *p, PNode *pn) {
    const Node *n = pn->node;
    if (is_renaming(n) && (!p->cx->opts.fuse || will_be_in_memory(renamed(p, pn))))
        return own_whole(p, GROUP_VIEW, pn);
    switch (n->op) {
    case OP_reshape: return own_reshape(p, pn);
    case OP_reduce: return own_reduce(p, pn);
    case OP_update:
    case OP_concat: return own_parts(p, pn);
    default: return is_fusible(n) ? own_map(p, pn) : own_whole(p, GROUP_NATIVE, pn);
    }
}

/* ---- deciding ---- */

/* Every reader becomes a load, and the node gets its own group. */
static Status materialise(Plan *p, PNode *pn, Cut why) {
    pn->cut = (uint8_t)why;
    if (p->cx->opts.fuse) merge_readers(p, pn, true);
    for (Use *u = pn->uses; u; u = u->of_node) {
        u->group = find(u->group);
        if (u->access)
            load(u);
        else
            decided(u, USE_WHOLE);
    }
    return own_group(p, pn);
}

/* Views of what is stored anyway need not be stored. */
static bool wants_store(Plan *p, PNode *pn) {
    if (pn->root) return true;
    if (!pn->held || pn->cheap) return false;
    if (!is_renaming(pn->node)) return true;
    PNode *base = renamed(p, pn);
    return !base->held && !base->root && !base->cheap;
}

/* May the reduction be computed in its only reader's group? What that group stores so far must be
 * computed from the reduction, as its root is. */
static bool reduce_fits(const Use *u) {
    const Group *g = u->group;
    const Node *n = u->node->node;
    int64_t dim[MAX_RANK];
    if (g->kind != GROUP_LOOPS || u->inner) return false;
    int count = reduce_loops(n, dim);
    if (g->nred == 0) {
        if (g->nloop + count > MAX_RANK || g->nstore != 1) return false;
    } else if (g->nred != count ||
               memcmp(dim, g->dim + g->nloop - g->nred, (size_t)count * sizeof *dim) != 0) {
        return false;
    }
    return access_is_bijective(g, u->access, &n->shape, g->nred);
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
        if (!has_room(w->group, n, store_it)) return *cut = CUT_BOUND, ARR_OK;
    if (n->op == OP_reduce) {
        if (!reduce_fits(u)) return *cut = CUT_KIND, ARR_OK;
        if (store_it) TRY(store(p, u));
        return join_reduce(p, u);
    }
    if (n->op == OP_reshape) {
        bool ok;
        through = access_reshape(p, u->group, u->access, &n->in[0]->shape, &n->shape, &ok);
        if (!ok) return *cut = CUT_RESHAPE, ARR_OK;
        if (!through) return no_memory(p);
    }
    if (store_it) {
        if (!access_is_bijective(u->group, u->access, &n->shape, 0)) return *cut = CUT_HELD, ARR_OK;
        TRY(store(p, u));
    }
    for (Use *next; u; u = next) {
        next = u->of_node;
        TRY(join(p, u, through));
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
    return u && is_fusible(n) && n->op != OP_reshape && u->access && has_room(u->group, n, true) &&
           access_is_bijective(u->group, u->access, &n->shape, 0);
}

static Status pass_on(Plan *p, PNode *pn) {
    Use *first = first_reader(pn);
    for (Use *u = pn->uses; u; u = u->of_node)
        if (u != first) load(u);
    TRY(store(p, first));
    return join(p, first, NULL);
}

static Status decide(Plan *p, PNode *pn) {
    const Node *n = pn->node;
    bool fuse = p->cx->opts.fuse;
    if (n->op == OP_leaf) {
        if (fuse) merge_readers(p, pn, true);
        for (Use *u = pn->uses; u; u = u->of_node) {
            u->group = find(u->group);
            decided(u, u->access ? USE_LOAD : USE_WHOLE);
        }
        return ARR_OK;
    }
    bool alone = !pn->uses || pn->cheap || is_renaming(n);
    bool needed = pn->whole || (pn->root && alone) || (pn->held && !pn->uses);
    if (!pn->uses && !needed) return ARR_OK; /* only equal nodes of it are read */
    settle_requests(pn);
    if (needed) return materialise(p, pn, pn->root ? CUT_ROOT : pn->whole ? CUT_WHOLE : CUT_HELD);
    if (!fuse && n->op != OP_scalar) return materialise(p, pn, CUT_OFF);
    if (!is_fusible(n) && n->op != OP_reduce) return materialise(p, pn, CUT_KIND);
    if (!pn->cheap && pn->uses->of_node) {
        merge_readers(p, pn, false);
        const Use *u = pn->uses;
        if (u->of_node && may_pass_on(pn)) return pass_on(p, pn);
        if (u->of_node)
            return materialise(p, pn, u->group == u->of_node->group ? CUT_ACCESS : CUT_SHARED);
    }
    if (n->op == OP_draw) merge_readers(p, pn, true);
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

Status plan_fuse(Plan *p) {
    for (int i = p->n - 1; i >= 0; i--)
        if (p->node[i].rep == &p->node[i]) TRY(decide(p, &p->node[i]));
    for (Group *g = p->groups; g; g = g->next) count_uses(g);
    return ARR_OK;
}
