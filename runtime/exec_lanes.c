/* exec_lanes - which groups of a plan may overlap on a GPU, and where.
 *
 * Two groups are independent if neither reads, over any number of steps, what the other makes.
 * Where a plan has independent groups that are worth it, each group goes to a lane: on with the one
 * that made its last input, else to the one with the least to do. What it reads from other lanes it
 * waits for there, on the GPU. Groups that write in place, read back or leave the GPU come after
 * everything before them. Callers: exec.
 * Invariant: when a plan ends, all that it submitted is ordered on lane 0; memory that was released
 * while lanes were open is not used again before (device.h). */
#include "runtime/exec_run.h"

#include <assert.h>

/* Of a value made while lanes are open. */
typedef struct LaneNote {
    uint64_t behind; /* candidates that it depends on, itself included */
    uint32_t turn;   /* the opening of lanes that it was made in; others are in the past */
    uint32_t made;   /* groups that its lane had been given */
    int lane;
} LaneNote;

struct Lanes {
    LaneNote *note; /* of each node of the plan */
    size_t bytes;
    Device *device;
    bool open;
    int now;
    uint32_t turn;
    uint32_t given[DEV_LANES];           /* groups */
    uint32_t seen[DEV_LANES][DEV_LANES]; /* how many of [from] the groups of [to] come after */
    int64_t load[DEV_LANES];             /* what they weigh */
};

/* ---- what a group reads ---- */

typedef void (*SeeInput)(void *ctx, PNode *n);

static void see_inputs(const Group *g, SeeInput see, void *ctx) {
    for (int k = 0; k < g->nread; k++) see(ctx, g->read[k]->rep);
    for (const Use *u = g->uses; u; u = u->in_group)
        if (u->kind == USE_LOAD || u->kind == USE_WHOLE) see(ctx, u->node->rep);
    for (const Group *part = g->parts; part; part = part->next) {
        for (const Use *u = part->uses; u; u = u->in_group)
            if (u->kind == USE_LOAD || u->kind == USE_WHOLE) see(ctx, u->node->rep);
    }
}

static LaneNote *note_of(const Run *r, const PNode *n) {
    return &r->lanes->note[n->rep - r->plan.node];
}

/* ---- what is worth a lane ---- */

/* What overlaps must take longer than ordering streams does (some 20 microseconds until the work
 * of one begins after that of another) and leave a GPU room. Measured on an H200, two at a time:
 * sorts of up to 1.5 * 2^20 elements, many short kernels, take 10 to 20 % less together; larger
 * ones take more, for want of cache; products from 750 to 1500 rows 5 to 9 % less where many wait,
 * and more where they do not; maps, reductions and scans fill the GPU or are gone before the next
 * begins. */
enum { SORT_LEAST = 1 << 16, SORT_MOST = 3 << 19 };

static bool is_library_work(const Node *n) {
    if (n->op == OP_matmul) return n->at.precision != PRECISION_HIGH; /* it may look at operands */
    return n->op == OP_sort || n->op == OP_argsort || n->op == OP_scan;
}

/* What it writes is its own, and nothing of it is read back. */
static bool may_overlap(const Group *g) {
    if (g->kind == GROUP_LOOPS) return !g->gathers;
    return g->kind == GROUP_VIEW || (g->kind == GROUP_NATIVE && is_library_work(g->root->node));
}

static bool is_candidate(Runtime *rt, const Group *g) {
    if (g->kind == GROUP_VIEW || !may_overlap(g) || !place_is_cuda(rt, g->work)) return false;
    if (rt->cx->opts.streams > 1) return true;
    if (g->kind != GROUP_NATIVE) return false;
    const Node *n = g->root->node;
    int64_t size = node_size(n);
    return (n->op == OP_sort || n->op == OP_argsort) && size >= SORT_LEAST && size <= SORT_MOST;
}

/* In elements of a map: a product's multiply-adds are a quarter of one for placing, and some 50 an
 * element's time. */
static int64_t weight(const Group *g) {
    enum { PRODUCT = 12 };
    bool product = g->kind == GROUP_NATIVE && g->root->node->op == OP_matmul;
    return (product ? g->work / PRODUCT : g->work) + 1;
}

/* ---- is there anything independent? ---- */

typedef struct Behind {
    const Run *r;
    uint64_t mask;
} Behind;

static void add_behind(void *ctx, PNode *n) {
    Behind *b = ctx;
    b->mask |= note_of(b->r, n)->behind;
}

/* Each value's candidates; true if some candidate does not depend on all before it. */
static bool find_independent(Run *r) {
    enum { MOST = 64 };
    int count = 0;
    bool found = false;
    for (Group *g = r->plan.groups; g; g = g->next) {
        Behind b = {r, 0};
        see_inputs(g, add_behind, &b);
        if (count < MOST && is_candidate(r->rt, g)) {
            uint64_t before = ((uint64_t)1 << count) - 1;
            found |= (b.mask & before) != before;
            b.mask |= (uint64_t)1 << count++;
        }
        for (int k = 0; k < g->nstored; k++) note_of(r, g->stored[k]->node)->behind = b.mask;
        note_of(r, g->root)->behind = b.mask;
    }
    return found;
}

static int count_candidates(const Run *r) {
    int count = 0;
    for (const Group *g = r->plan.groups; g && count < 2; g = g->next)
        count += is_candidate(r->rt, g);
    return count;
}

void lanes_begin(Run *r) {
    const Opts *o = &r->cx->opts;
    Device *d = NULL;
    if (o->streams == 1 || o->sync || o->profile || o->dump || r->masked) return;
    if (count_candidates(r) < 2) return;
    Lanes *l = mem_zalloc(&r->cx->mem, sizeof *l);
    if (!l) return; /* one after another, then */
    r->lanes = l;
    l->bytes = (size_t)r->plan.n * sizeof *l->note;
    l->note = mem_zalloc(&r->cx->mem, l->bytes);
    if (l->note && find_independent(r) && place_cuda(r->rt, &d) == ARR_OK && d->ops->lanes_open) {
        l->device = d;
        return;
    }
    error_clear(r->cx); /* whatever it is, the groups meet it */
    lanes_end(r);
}

static void join(Run *r) {
    Lanes *l = r->lanes;
    if (!l->open) return;
    l->device->ops->lanes_join(l->device);
    l->open = false;
    l->now = 0;
}

void lanes_end(Run *r) {
    Lanes *l = r->lanes;
    join(r);
    mem_free(&r->cx->mem, l->note, l->note ? l->bytes : 0);
    mem_free(&r->cx->mem, l, sizeof *l);
    r->lanes = NULL;
}

/* ---- which lane ---- */

typedef struct Inputs {
    const Run *r;
    bool here, elsewhere; /* some lie on the lanes' device; on another, and not there too */
    int lane;             /* that made one of them as its last work, or any; -1 */
    bool last;
    uint32_t wanted[DEV_LANES]; /* so much of each lane must have been done */
} Inputs;

static void look(void *ctx, PNode *n) {
    Inputs *in = ctx;
    const Lanes *l = in->r->lanes;
    const LaneNote *note = note_of(in->r, n);
    const Node *node = n->node;
    if (node && node->state == NODE_DONE) {
        bool twin = node->twin && node->twin->buf->device == l->device;
        bool there = node->value->buf->device == l->device;
        in->here |= there;
        in->elsewhere |= !there && !twin;
    }
    if (!l->open || note->turn != l->turn) return;
    bool last = note->made == l->given[note->lane];
    if (note->made > in->wanted[note->lane]) in->wanted[note->lane] = note->made;
    if (in->last && (!last || l->load[note->lane] <= l->load[in->lane])) return;
    in->lane = note->lane;
    in->last = last;
}

static int least_loaded(const Lanes *l) {
    int best = 0;
    for (int i = 1; i < DEV_LANES; i++)
        if (l->load[i] < l->load[best]) best = i;
    return best;
}

static Status open(Run *r) {
    Lanes *l = r->lanes;
    TRY(l->device->ops->lanes_open(l->device));
    l->open = true;
    l->turn++;
    l->now = 0;
    for (int i = 0; i < DEV_LANES; i++) {
        l->given[i] = 0;
        l->load[i] = 0;
        for (int j = 0; j < DEV_LANES; j++) l->seen[i][j] = 0;
    }
    return ARR_OK;
}

/* What the lane comes after, the lanes that follow it later do too, but only as far as is noted. */
static Status follow(Lanes *l, const Inputs *in, int lane) {
    for (int i = 0; i < DEV_LANES; i++) {
        if (i == lane || in->wanted[i] <= l->seen[lane][i]) continue;
        TRY(l->device->ops->lane_follow(l->device, i));
        l->seen[lane][i] = l->given[i];
    }
    return ARR_OK;
}

/* Memory that waits for the join is better used again. */
static bool holds_much(const Lanes *l) {
    enum { SHARE = 16 };
    const Device *d = l->device;
    return d->memory > 0 && d->ops->lanes_held(l->device) > d->memory / SHARE;
}

static bool stays_on_device(const Run *r, const Group *g, const Inputs *in) {
    if (g->kind == GROUP_VIEW) return true;
    return r->device == r->lanes->device && may_overlap(g) && !in->elsewhere;
}

Status lanes_enter(Run *r, Group *g) {
    Lanes *l = r->lanes;
    Inputs in = {.r = r, .lane = -1};
    see_inputs(g, look, &in);
    if (!in.here && r->device != l->device) return ARR_OK; /* the CPU's own business */
    if (g->kind == GROUP_VIEW && !in.here) return ARR_OK;
    if (!stays_on_device(r, g, &in) || holds_much(l)) return join(r), ARR_OK;
    if (!l->open) {
        if (!is_candidate(r->rt, g)) return ARR_OK;
        TRY(open(r));
    }
    int lane = in.lane >= 0 && (in.last || !is_candidate(r->rt, g)) ? in.lane : least_loaded(l);
    TRY(l->device->ops->lane_use(l->device, lane));
    TRY(follow(l, &in, lane));
    l->now = lane;
    l->given[lane]++;
    l->load[lane] += weight(g);
    return ARR_OK;
}

void lanes_made(Run *r, const PNode *rep, const Array *a) {
    Lanes *l = r->lanes;
    LaneNote *n = note_of(r, rep);
    if (!l->open || a->buf->device != l->device) return;
    n->turn = l->turn;
    n->lane = l->now;
    n->made = l->given[l->now];
}

bool lanes_ordered(const Run *r, const PNode *n) {
    const Lanes *l = r->lanes;
    if (!l || !l->open) return true;
    const LaneNote *note = note_of(r, n);
    return note->turn != l->turn || note->lane == l->now ||
           note->made <= l->seen[l->now][note->lane];
}
