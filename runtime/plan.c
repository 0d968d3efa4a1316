/* plan - the nodes that a force needs, in order of age, with common sub-expressions found.
 *
 * Callers: exec, explain. A node's inputs are older than the node, so that age is an order of
 * running; it is also the order of the program, in which readers of an old value mostly come before
 * its update, so that the update finds itself alone. Where a pending reader outside of the plan is
 * in an update's way, it is taken in.
 * Invariant: marks are 0 again when plan_open returns. */
#include "runtime/plan_keep.h"

#include <string.h>

const char *cut_text(Cut c) {
    static const char *const text[] = {
        "",
        "asked for",
        "held by a variable, read in another order",
        "read by several groups",
        "read at several places",
        "needed whole in memory",
        "has a kernel of its own",
        "the reader's loops do not follow the reshape",
        "the group would become too large",
        "fusion is off",
    };
    return text[c];
}

/* ---- collecting ---- */

enum { ROOT = 2 }; /* a mark: it was asked for */

typedef struct List {
    Plan *p;
    Node **node;
    int n, cap;
    bool readers; /* some were taken in */
} List;

static Status list_add(List *l, Node *n) {
    if (n->mark) return ARR_OK;
    if (l->n == l->cap) {
        int cap = l->cap ? l->cap * 2 : 64;
        Node **wide = arena_raw(&l->p->arena, (size_t)cap * sizeof *wide);
        if (!wide) return error_memory(l->p->cx, (size_t)cap * sizeof *wide);
        if (l->n) memcpy(wide, l->node, (size_t)l->n * sizeof *wide);
        l->node = wide;
        l->cap = cap;
    }
    n->mark = 1;
    l->node[l->n++] = n;
    return ARR_OK;
}

/* Everything that list[from..] needs. */
static Status list_close_over(List *l, int from) {
    Cx *cx = l->p->cx;
    for (int i = from; i < l->n; i++) {
        Node *n = l->node[i];
        if (n->state == NODE_FAILED) return error_raise(cx, n->error, cx->span);
        for (int k = 0; k < node_inputs(n); k++) TRY(list_add(l, node_input(n, k)));
    }
    return ARR_OK;
}

/* Uses of n by nodes of the list. */
static uint32_t uses_within(const List *l, const Node *n) {
    uint32_t uses = 0;
    for (int i = 0; i < l->n; i++)
        for (int k = 0; k < node_inputs(l->node[i]); k++) uses += node_input(l->node[i], k) == n;
    return uses;
}

/* Does some node below n hold an error? Those of the list are marked, and known not to. */
static Status cone_fails(List *l, Node *n, bool *fails) {
    List cone = {.p = l->p};
    *fails = false;
    Status s = list_add(&cone, n);
    for (int i = 0; i < cone.n && s == ARR_OK && !*fails; i++) {
        *fails = cone.node[i]->state == NODE_FAILED;
        for (int k = 0; k < node_inputs(cone.node[i]) && s == ARR_OK; k++)
            s = list_add(&cone, node_input(cone.node[i], k));
    }
    for (int i = 0; i < cone.n; i++) cone.node[i]->mark = 0;
    return s;
}

/* Take in the held pending nodes that read base, and that are older than its update. Every pending
 * node is younger than its inputs, so that one pass from the oldest finds all readers: their index
 * is set. */
static Status take_readers_in(List *l, const Node *base, const Node *update) {
    int from = l->n;
    for (Node *n = l->p->rt->oldest; n && n->id < update->id; n = n->next) {
        n->index = n == base;
        for (int k = 0; k < node_inputs(n) && !n->index; k++) {
            const Node *in = node_input(n, k);
            n->index = in == base || (in->listed && in->index);
        }
        if (!n->index || n == base || n->mark || !node_held(n)) continue;
        bool fails;
        TRY(cone_fails(l, n, &fails));
        if (!fails) TRY(list_add(l, n));
    }
    return list_close_over(l, from);
}

static Status take_all_readers_in(List *l) {
    for (int i = 0; i < l->n; i++) {
        const Node *n = l->node[i];
        if (n->op != OP_update && n->op != OP_put) continue;
        const Node *base = n->in[0];
        if (node_held(base) || base->uses == 1 || base->uses <= uses_within(l, base)) continue;
        l->readers = true;
        TRY(take_readers_in(l, base, n));
    }
    return ARR_OK;
}

/* Nodes were found from the youngest on, so that reversed they are all but in order: insertion,
 * until that has moved more than a few places a node. */
static bool list_insert(List *l) {
    enum { MOVES_EACH = 8 };
    int64_t moves = (int64_t)MOVES_EACH * l->n;
    for (int i = 0, j = l->n - 1; i < j; i++, j--) {
        Node *t = l->node[i];
        l->node[i] = l->node[j], l->node[j] = t;
    }
    for (int i = 1; i < l->n; i++) {
        Node *n = l->node[i];
        int at = i;
        for (; at > 0 && l->node[at - 1]->id > n->id; at--) l->node[at] = l->node[at - 1];
        l->node[at] = n;
        if ((moves -= i - at) < 0) return false;
    }
    return true;
}

/* By age, oldest first: merges runs from one array to the other. */
static Status list_sort(List *l) {
    if (list_insert(l)) return ARR_OK;
    Node **from = l->node, **to;
    to = arena_raw(&l->p->arena, (size_t)l->n * sizeof *to);
    if (!to) return error_memory(l->p->cx, (size_t)l->n * sizeof *to);
    for (int run = 1; run < l->n; run *= 2) {
        for (int lo = 0; lo < l->n; lo += 2 * run) {
            int mid = lo + run < l->n ? lo + run : l->n, hi = mid + run < l->n ? mid + run : l->n;
            for (int i = lo, a = lo, b = mid; i < hi; i++)
                to[i] = a < mid && (b == hi || from[a]->id < from[b]->id) ? from[a++] : from[b++];
        }
        Node **t = from;
        from = to, to = t;
    }
    l->node = from;
    return ARR_OK;
}

/* ---- common sub-expressions ---- */

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t mix_bytes(uint64_t h, const void *p, size_t n) {
    const unsigned char *b = p;
    uint64_t v;
    for (; n >= 8; n -= 8, b += 8) {
        memcpy(&v, b, 8);
        h = mix(h, v);
    }
    v = 0;
    memcpy(&v, b, n);
    return mix(h, v);
}

static uint64_t value_hash(const Plan *p, const Node *n) {
    uint64_t h = mix(n->op, n->dtype);
    h = mix_bytes(h, n->shape.dim, (size_t)n->shape.rank * sizeof *n->shape.dim);
    if (n->state == NODE_DONE) return mix(h, (uintptr_t)n->value->buf);
    if (n->op == OP_scalar) return mix_bytes(h, n->at.scalar.bits, dtype_size((DType)n->dtype));
    for (int k = 0; k < node_inputs(n); k++)
        h = mix(h, (uint64_t)(plan_node(p, node_input(n, k))->equal - p->node));
    if (n->op == OP_draw) h = mix(h, n->at.draw.key);
    if (n->op == OP_matmul) h = mix(h, n->at.precision);
    if (n->op == OP_view) h = mix_bytes(h, n->at.view->start, (size_t)n->at.view->in_rank * 8);
    return h;
}

static bool same_view(const ViewMap *a, const ViewMap *b) {
    size_t n = (size_t)a->in_rank;
    return memcmp(a->start, b->start, n * sizeof *a->start) == 0 &&
           memcmp(a->step, b->step, n * sizeof *a->step) == 0 && memcmp(a->axis, b->axis, n) == 0;
}

static bool same_rect(const Rect *a, const Rect *b, int rank) {
    size_t n = (size_t)rank * sizeof(int64_t);
    return memcmp(a->start, b->start, n) == 0 && memcmp(a->step, b->step, n) == 0;
}

bool plan_same_array(const Array *a, const Array *b) {
    size_t n = (size_t)a->shape.rank * sizeof *a->stride;
    return a == b ||
           (a->buf == b->buf && a->offset == b->offset && memcmp(a->stride, b->stride, n) == 0);
}

static bool same_attributes(const Node *a, const Node *b) {
    switch (a->op) {
    case OP_scalar:
        return memcmp(a->at.scalar.bits, b->at.scalar.bits, dtype_size((DType)a->dtype)) == 0;
    case OP_view: return same_view(a->at.view, b->at.view);
    case OP_update: return same_rect(a->at.rect, b->at.rect, a->shape.rank);
    case OP_reduce:
        return a->at.reduce.kind == b->at.reduce.kind && a->at.reduce.axes == b->at.reduce.axes &&
               a->at.reduce.keepdims == b->at.reduce.keepdims &&
               memcmp(&a->at.reduce.ddof, &b->at.reduce.ddof, sizeof(double)) == 0;
    case OP_draw:
        return a->at.draw.kind == b->at.draw.kind && a->at.draw.key == b->at.draw.key &&
               a->at.draw.low == b->at.draw.low && a->at.draw.range == b->at.draw.range;
    case OP_matmul: return a->at.precision == b->at.precision;
    case OP_scan:
    case OP_sort:
    case OP_argsort:
    case OP_take:
    case OP_put:
    case OP_concat:
        return a->at.along.kind == b->at.along.kind && a->at.along.axis == b->at.along.axis &&
               a->at.along.descending == b->at.along.descending;
    default: return true;
    }
}

/* Today: constants count by their values. */
static bool equal_value(const Plan *p, const Node *a, const Node *b) {
    int n = node_inputs(a);
    if (a->op != b->op || a->dtype != b->dtype || a->state != b->state || n != node_inputs(b) ||
        !shape_equal(&a->shape, &b->shape))
        return false;
    if (a->state == NODE_DONE) return plan_same_array(a->value, b->value);
    for (int k = 0; k < n; k++)
        if (plan_node(p, node_input(a, k))->equal != plan_node(p, node_input(b, k))->equal)
            return false;
    return same_attributes(a, b);
}

/* Is computing it twice worth more than a kernel that is compiled once for all constants? */
static bool is_costly(const Node *n) {
    if (n->state == NODE_DONE || n->op >= OP_COUNT) return false;
    switch (op_info((Op)n->op)->rule) {
    case OR_FLOAT:
    case OR_REALF:
    case OR_ANGLE: return n->op != OP_sqrt;
    default: return n->op == OP_pow;
    }
}

static bool same_inputs(const Plan *p, const Node *a, const Node *b) {
    for (int k = 0; k < node_inputs(a) && a->state != NODE_DONE; k++)
        if (plan_node(p, node_input(a, k)) != plan_node(p, node_input(b, k))) return false;
    return true;
}

/* The same whatever the constants are, for nodes of equal values. A kernel's structure must not
 * depend on constants that are equal by chance, unless it spares a costly function. */
static bool same_value(const Plan *p, const Node *a, const Node *b) {
    return a->op != OP_scalar && (same_inputs(p, a, b) || is_costly(a));
}

/* Each node's representative: the oldest node of the same value. Of nodes that are equal by chance
 * only a few are kept to be compared with. */
static Status find_common(Plan *p) {
    enum { BY_CHANCE = 8 };
    uint32_t cap = 16;
    while (cap < (uint32_t)p->n * 2) cap *= 2;
    uint32_t *table = arena_alloc(&p->arena, cap * sizeof *table); /* 1 + position, 0: free */
    if (!table) return error_memory(p->cx, cap * sizeof *table);
    for (int i = 0; i < p->n; i++) {
        PNode *pn = &p->node[i], *rep = NULL;
        int chance = 0;
        uint32_t h = (uint32_t)value_hash(p, pn->node) & (cap - 1);
        for (; table[h] && !rep; h = (h + 1) & (cap - 1)) {
            PNode *other = &p->node[table[h] - 1];
            if (!equal_value(p, other->node, pn->node)) continue;
            pn->equal = other->equal;
            if (same_value(p, other->node, pn->node)) rep = other;
            if (rep) p->chance |= !same_inputs(p, other->node, pn->node);
            if (++chance == (pn->node->op == OP_scalar ? 1 : BY_CHANCE)) break;
        }
        if (!rep) {
            if (!table[h]) table[h] = (uint32_t)i + 1;
            continue;
        }
        pn->rep = rep;
        pn->twin = rep->twin;
        rep->twin = pn;
        rep->held |= pn->held;
    }
    return ARR_OK;
}

/* ---- what may be computed again ---- */

static bool is_renaming(const Node *n) { return n->op == OP_view || n->op == OP_reshape; }

/* Its value will be in memory, or is. */
static bool is_solid(const PNode *pn) {
    switch (pn->node->op) {
    case OP_leaf:
    case OP_reduce:
    case OP_scan:
    case OP_matmul:
    case OP_sort:
    case OP_argsort:
    case OP_update:
    case OP_put:
    case OP_concat: return true;
    default: return pn->root || (pn->held && !is_renaming(pn->node));
    }
}

/* Numbers like start + i * step are cheaper to compute than to read. 0: n is not of this kind. */
static uint8_t range_steps(const Plan *p, const Node *n) {
    enum { STEPS_MOST = 6 };
    int steps = 0, ranges = 0;
    switch (n->op) {
    case OP_iota: return 1;
    case OP_view: return plan_node(p, n->in[0])->steps;
    case OP_cast:
    case OP_add:
    case OP_sub:
    case OP_mul:
        for (int k = 0; k < node_inputs(n); k++) {
            const PNode *in = plan_node(p, node_input(n, k));
            if (in->steps)
                ranges++, steps = in->steps + 1;
            else if (in->node->op != OP_scalar)
                return 0;
        }
        return ranges == 1 && steps <= STEPS_MOST ? (uint8_t)steps : 0;
    default: return 0;
    }
}

static void find_cheap(Plan *p) {
    for (int i = 0; i < p->n; i++) {
        PNode *pn = &p->node[i];
        const Node *n = pn->node;
        pn->steps = range_steps(p, n);
        if (pn->steps) {
            pn->cheap = true;
            continue;
        }
        switch (n->op) {
        case OP_leaf:
        case OP_scalar:
        case OP_iota: pn->cheap = true; break;
        case OP_draw: pn->cheap = !pn->held || !n->at.draw.again; break;
        case OP_cast:
        case OP_bitcast: pn->cheap = plan_node(p, n->in[0])->cheap; break;
        case OP_view:
        case OP_reshape: {
            const PNode *in = plan_node(p, n->in[0]);
            pn->cheap = in->cheap || is_solid(in);
            break;
        }
        default: break;
        }
    }
}

/* ---- opening and closing ---- */

static Status collect(List *l, Node *const *roots, int n) {
    for (int i = 0; i < n; i++) TRY(list_add(l, roots[i]));
    TRY(list_close_over(l, 0));
    TRY(take_all_readers_in(l));
    return list_sort(l);
}

/* The nodes are the plan's, in order of age. From here on plan_close gives them back. */
static void bind(Plan *p, Node *const *node) {
    for (int i = 0; i < p->n; i++) {
        int from = p->from ? p->from[i] : i;
        if (from < 0) continue;
        p->node[i].node = node_retain(node[from]);
        node[from]->uses++;
    }
}

static Status fill(Plan *p, const List *l) {
    int32_t *from = p->from;
    p->node = arena_alloc(&p->arena, (size_t)l->n * sizeof *p->node);
    if (!p->node) return error_memory(p->cx, (size_t)l->n * sizeof *p->node);
    for (int i = 0; i < l->n; i++) {
        PNode *pn = &p->node[i];
        pn->rep = pn;
        pn->equal = pn;
        pn->first = UINT64_MAX;
        pn->held = l->node[i]->state == NODE_PENDING && node_held(l->node[i]);
    }
    p->n = l->n;
    p->from = NULL; /* all are there */
    bind(p, l->node);
    p->from = from;
    TRY(find_common(p));
    for (int i = 0; i < p->n; i++)
        if (l->node[i]->mark == ROOT && l->node[i]->state == NODE_PENDING)
            p->node[i].rep->root = true;
    find_cheap(p);
    return ARR_OK;
}

/* Numbers the nodes, marks the roots and no others. */
static void number(const List *l, Node *const *roots, int n) {
    for (int i = 0; i < l->n; i++) {
        l->node[i]->index = (uint32_t)i;
        l->node[i]->mark = 0;
    }
    for (int i = 0; i < n; i++) roots[i]->mark = ROOT;
}

static void unmark(const List *l) {
    for (int i = 0; i < l->n; i++) l->node[i]->mark = 0;
}

/* A plan of this structure that was cut before, with these nodes. */
static bool find_kept(Plan *p, const List *l) {
    PlanStore *store = plan_store(p->rt);
    if (!store || !p->cx->opts.fuse || p->cx->opts.dump || p->cx->opts.profile) return false;
    if (!plan_find(store, l->node, l->n, p)) return false;
    bind(p, l->node);
    plan_count_uses(p);
    return true;
}

/* Expressions that were met: the constants of the text are the same wherever it stands. */
typedef struct Met {
    const Expr *expr;
    const Node *first;
    Node *constant[EXPR_CONSTS];
} Met;

enum { MET = 16 };

static Node **constants_of(Met *met, int *n, const Node *x) {
    int i = 0;
    for (; i < *n; i++)
        if (met[i].expr == x->at.expr && met[i].first->dtype == x->dtype &&
            shape_equal(&met[i].first->shape, &x->shape))
            return met[i].constant;
    if (i == MET) i = MET - 1;
    *n = i + 1;
    met[i] = (Met){.expr = x->at.expr, .first = x};
    return met[i].constant;
}

/* Expressions become the nodes that they stand for; *l is collected anew. What came from where is
 * noted for a plan that is going to be kept. */
static Status expand(Plan *p, List *l, Node *const *roots, int n) {
    const List before = *l;
    bool any = false;
    Met met[MET];
    int nmet = 0;
    unmark(l);
    for (int i = 0; i < before.n; i++) {
        if (before.node[i]->op != NODE_EXPR) continue;
        any = true;
        Node *x = before.node[i];
        TRY(node_expand(p->rt, x, UINT32_MAX, constants_of(met, &nmet, x)));
    }
    if (!any) return number(l, roots, n), ARR_OK;
    *l = (List){.p = p};
    TRY(collect(l, roots, n));
    if (before.readers || l->readers) p->hash = 0; /* numbers were lost on the way */
    p->from = arena_raw(&p->arena, (size_t)(l->n + 1) * sizeof *p->from);
    if (!p->from) return error_memory(p->cx, (size_t)l->n * sizeof *p->from);
    for (int i = 0; i < l->n; i++) {
        uint32_t at = l->node[i]->index;
        bool known = at < (uint32_t)before.n && before.node[at] == l->node[i];
        p->from[i] = known ? (int32_t)at : -1;
    }
    return number(l, roots, n), ARR_OK;
}

Status plan_open(Runtime *rt, Node *const *roots, int n, bool known, Plan *p) {
    *p = (Plan){.rt = rt, .cx = rt->cx};
    arena_init(&p->arena, rt->cx);
    List l = {.p = p};
    Status s = collect(&l, roots, n);
    if (s == ARR_OK) {
        number(&l, roots, n);
        Arena own = p->arena;
        if (known && find_kept(p, &l)) {
            unmark(&l);
            arena_free(&own);
            return ARR_OK;
        }
        s = expand(p, &l, roots, n);
    }
    if (s == ARR_OK) s = fill(p, &l);
    unmark(&l);
    return s;
}

void plan_drop(Plan *p, PNode *pn) {
    Node *n = pn->node;
    if (!n) return;
    pn->node = NULL;
    n->uses--;
    node_release(p->rt, n);
}

void plan_close(Plan *p, bool ran) {
    for (int i = p->n - 1; i >= 0; i--) plan_drop(p, &p->node[i]);
    PlanStore *store = p->hash ? p->rt->plans : NULL;
    if (store && ran && plan_keep(store, p)) return;
    if (store) plan_kept_free(store, p);
    arena_free(&p->arena);
}
