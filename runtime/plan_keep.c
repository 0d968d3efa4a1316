/* plan_keep - a table of plans by the structure of their nodes (see plan_keep.h).
 *
 * Callers: plan.c. A few places, by hash; a structure is kept when it comes twice in a row at its
 * place, so that work done once costs no more than the key. The key has a word or a few for each
 * node, oldest first; inputs are named by their distance. Invariant: two graphs of one key are cut
 * and lowered alike, except for addresses, offsets of leaves and scalars; where equal constants had
 * an influence (Plan.chance), they are compared. */
#include "runtime/plan_keep.h"

#include <string.h>

/* Larger graphs come from no loop, and their planning is a small part of their work. */
enum { PLACES = 32, NODES_MOST = 600, LEAVES_MOST = 64, GROUPS_MOST = 24, WORDS_EACH = 16 };

typedef struct Kept {
    Plan plan;
    uint64_t *word;
    int nword;
} Kept;

struct PlanStore {
    Runtime *rt;
    Node **node;
    int cap;
    uint64_t *word; /* the key at hand; none if nword is 0 */
    int nword;
    uint64_t hash;
    uint64_t seen[PLACES];
    Kept *place[PLACES];
};

PlanStore *plan_store(Runtime *rt) {
    if (rt->plans) return rt->plans;
    PlanStore *s = mem_zalloc(&rt->cx->mem, sizeof *s);
    if (s) s->rt = rt;
    return rt->plans = s;
}

static void forget(PlanStore *s, int at) {
    Kept *k = s->place[at];
    if (!k) return;
    Mem *m = &s->rt->cx->mem;
    arena_free(&k->plan.arena);
    mem_free(m, k->word, (size_t)k->nword * sizeof *k->word);
    mem_free(m, k, sizeof *k);
    s->place[at] = NULL;
}

void plan_store_trim(Runtime *rt) {
    for (int i = 0; rt->plans && i < PLACES; i++) forget(rt->plans, i);
}

void plan_store_close(Runtime *rt) {
    PlanStore *s = rt->plans;
    if (!s) return;
    Mem *m = &rt->cx->mem;
    for (int i = 0; i < PLACES; i++) forget(s, i);
    mem_free(m, s->node, (size_t)s->cap * sizeof *s->node);
    mem_free(m, s->word, (size_t)NODES_MOST * WORDS_EACH * sizeof *s->word);
    mem_free(m, s, sizeof *s);
    rt->plans = NULL;
}

Node **plan_store_nodes(PlanStore *s, int n) {
    if (n <= s->cap) return s->node;
    int cap = s->cap ? s->cap : 256;
    while (cap < n) cap *= 2;
    Node **wide = mem_realloc(&s->rt->cx->mem, s->node, (size_t)s->cap * sizeof *wide,
                              (size_t)cap * sizeof *wide);
    if (!wide) return NULL;
    s->node = wide;
    s->cap = cap;
    return wide;
}

/* ---- keys ---- */

typedef struct Key {
    uint64_t *word;
    int n, most;
    const Node *special[LEAVES_MOST]; /* leaves and draws so far: equal ones are one */
    int nspecial;
} Key;

static void add(Key *k, uint64_t v) {
    if (k->n < k->most) k->word[k->n] = v;
    k->n++;
}

static void add_all(Key *k, const int64_t *v, int n) {
    for (int i = 0; i < n; i++) add(k, (uint64_t)v[i]);
}

static bool same_draw(const Node *a, const Node *b) {
    return a->at.draw.key == b->at.draw.key && a->at.draw.low == b->at.draw.low &&
           a->at.draw.range == b->at.draw.range;
}

/* Which of the leaves or draws before it is the same? */
static bool add_special(Key *k, const Node *n) {
    int i = 0;
    for (; i < k->nspecial; i++) {
        const Node *x = k->special[i];
        if (x->state != n->state) continue;
        if (n->state == NODE_DONE ? plan_same_array(x->value, n->value) : same_draw(x, n)) break;
    }
    add(k, (uint64_t)i);
    if (i < k->nspecial) return true;
    if (k->nspecial == LEAVES_MOST) return false;
    k->special[k->nspecial++] = n;
    return true;
}

static void add_view(Key *k, const ViewMap *m) {
    add(k, (uint64_t)m->in_rank);
    for (int j = 0; j < m->in_rank; j++) {
        add(k, (uint64_t)m->start[j]);
        add(k, (uint64_t)m->step[j] << 8 | (uint8_t)m->axis[j]);
    }
}

/* All that same_attributes (plan.c) compares and that lowering reads. */
static bool add_attributes(Key *k, const Node *n) {
    uint64_t bits;
    switch (n->op) {
    case OP_leaf: add_all(k, n->value->stride, n->shape.rank); return add_special(k, n);
    case OP_view: add_view(k, n->at.view); return true;
    case OP_update:
        add_all(k, n->at.rect->start, n->shape.rank);
        add_all(k, n->at.rect->step, n->shape.rank);
        return true;
    case OP_reduce:
        memcpy(&bits, &n->at.reduce.ddof, sizeof bits);
        add(k, bits);
        add(k, (uint64_t)n->at.reduce.axes << 16 | (uint64_t)n->at.reduce.kind << 8 |
                   n->at.reduce.keepdims);
        return true;
    case OP_draw: add(k, n->at.draw.kind * 2u + n->at.draw.again); return add_special(k, n);
    case OP_matmul: add(k, n->at.precision); return true;
    case NODE_EXPR: add(k, n->at.expr->serial); return true;
    case OP_scan:
    case OP_sort:
    case OP_argsort:
    case OP_take:
    case OP_put:
    case OP_concat:
        add(k, (uint64_t)n->at.along.kind << 16 | (uint64_t)(uint8_t)n->at.along.axis << 8 |
                   n->at.along.descending);
        return true;
    default: return true;
    }
}

enum { KEY_DONE = 1, KEY_HELD = 2, KEY_ROOT = 4, KEY_SHAPE = 8 };

static bool add_node(Key *k, Node *const *node, int i) {
    const Node *n = node[i], *before = i > 0 ? node[i - 1] : NULL;
    int inputs = node_inputs(n);
    uint64_t flags = 0, head;
    if (n->state == NODE_DONE) flags |= KEY_DONE;
    if (n->state == NODE_PENDING && node_held(n)) flags |= KEY_HELD;
    if (n->state == NODE_PENDING && n->mark == 2) flags |= KEY_ROOT;
    if (before && shape_equal(&n->shape, &before->shape)) flags |= KEY_SHAPE;
    head = n->op | (uint64_t)n->dtype << 12 | flags << 20 | (uint64_t)inputs << 24;
    if (inputs > 0) head |= (uint64_t)(i - (int)node_input(n, 0)->index) << 40;
    if (inputs > 1) head |= (uint64_t)(i - (int)node_input(n, 1)->index) << 52;
    add(k, head);
    for (int j = 2; j < inputs; j++) add(k, node_input(n, j)->index);
    if (!(flags & KEY_SHAPE)) {
        add(k, (uint64_t)n->shape.rank);
        add_all(k, n->shape.dim, n->shape.rank);
    }
    return add_attributes(k, n);
}

static bool make_key(PlanStore *s, Node *const *node, int n) {
    Key k = {.most = NODES_MOST * WORDS_EACH};
    s->nword = 0;
    if (n > NODES_MOST) return false;
    if (!s->word) s->word = mem_alloc(&s->rt->cx->mem, (size_t)k.most * sizeof *s->word);
    if (!s->word) return false;
    k.word = s->word;
    /* where work would run has a say in what is joined */
    add(&k, (uint64_t)s->rt->place << 8 | (uint8_t)s->rt->cuda_state);
    for (int i = 0; i < n; i++)
        if (!add_node(&k, node, i)) return false;
    if (k.n > k.most) return false;
    s->nword = k.n;
    uint64_t h = (uint64_t)k.n;
    for (int i = 0; i < k.n; i++) {
        h = (h ^ k.word[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    s->hash = h;
    return true;
}

/* ---- finding and keeping ---- */

/* Nodes were made one because of constants that were equal: are they still? */
static bool still_equal(const Plan *p, Node *const *node) {
    for (int i = 0; i < p->n && p->chance; i++) { /* no expressions: see may_keep */
        const Node *n = node[i], *first = node[p->node[i].equal - p->node];
        if (n->op != OP_scalar || n == first) continue;
        if (memcmp(n->at.scalar.bits, first->at.scalar.bits, dtype_size((DType)n->dtype)) != 0)
            return false;
    }
    return true;
}

bool plan_find(PlanStore *s, Node *const *node, int n, Plan *p) {
    if (!make_key(s, node, n)) return false;
    int at = (int)(s->hash % PLACES);
    Kept *k = s->place[at];
    p->hash = s->hash;
    p->again = s->seen[at] == s->hash;
    s->seen[at] = s->hash;
    if (!k || k->plan.hash != s->hash || k->nword != s->nword ||
        memcmp(k->word, s->word, (size_t)k->nword * sizeof *k->word) != 0 ||
        !still_equal(&k->plan, node))
        return false;
    s->place[at] = NULL;
    *p = k->plan;
    p->kept = k;
    return true;
}

/* Steps of expressions are not there the next time: nothing may ask for their nodes. */
static bool needs_no_steps(const Plan *p) {
    for (const Group *g = p->groups; g; g = g->next) {
        if (g->kind != GROUP_LOOPS || !g->kept) return false;
        for (const Use *u = g->uses; u; u = u->in_group)
            if ((u->store || u->kind != USE_MEMBER) && p->from[u->node - p->node] < 0) return false;
    }
    return !p->chance;
}

static bool may_keep(const PlanStore *s, const Plan *p) {
    return p->again && p->ngroup <= GROUPS_MOST && s->hash == p->hash && s->nword > 0 &&
           (!p->from || needs_no_steps(p));
}

bool plan_keep(PlanStore *s, Plan *p) {
    Mem *m = &s->rt->cx->mem;
    Kept *k = p->kept;
    int at = (int)(p->hash % PLACES);
    if (!k) {
        if (!may_keep(s, p)) return false;
        k = mem_zalloc(m, sizeof *k);
        if (!k) return false;
        k->nword = s->nword;
        k->word = mem_alloc(m, (size_t)k->nword * sizeof *k->word);
        if (!k->word) return mem_free(m, k, sizeof *k), false;
        memcpy(k->word, s->word, (size_t)k->nword * sizeof *k->word);
    }
    forget(s, at);
    k->plan = *p;
    k->plan.kept = NULL;
    s->place[at] = k;
    return true;
}

void plan_kept_free(PlanStore *s, Plan *p) {
    Mem *m = &s->rt->cx->mem;
    Kept *k = p->kept;
    if (!k) return;
    mem_free(m, k->word, (size_t)k->nword * sizeof *k->word);
    mem_free(m, k, sizeof *k);
    p->kept = NULL;
}
