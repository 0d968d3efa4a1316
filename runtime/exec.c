/* exec - runs a plan group by group and turns nodes into leaves (see exec.h).
 *
 * Callers: interp, the API. Each group is placed on a device by its work, lowered, run over ranges
 * of its outputs so that an interrupt is seen, and its stored nodes are published at once: their
 * inputs go, and with them everything that nobody needs any more. So a failure midway keeps what
 * was done, and the rest stays pending. Invariant: no plan is open while another one is. */
#include "runtime/exec.h"
#include "runtime/dump.h"
#include "runtime/exec_run.h"
#include "runtime/profile.h"

#include <assert.h>
#include <string.h>

/* Elements of the loop nest between two looks at the interrupt flag: some 50 ms of arithmetic on
 * one core. A GPU gets everything at once; its queue is what an interrupt waits for. */
enum { RANGE_WORK = 1 << 24, RANGE_ROUND = 4096 };

/* Pending nodes after which a loop's back edge forces, and memory that only they keep alive. */
enum { FULL_NODES = 64, FULL_SMALL_NODES = 192, LARGE_NODES = 512 };
static const int64_t FULL_BYTES = (int64_t)256 << 20;

/* ---- values ---- */

/* What lived only on a GPU that does not answer any more has failed: whatever reads it has, too. */
static Status lose(Run *r, Node *n, Status s) {
    Error *e = error_save(r->cx);
    if (!e) return s;
    node_lose(r->rt, n, e);
    r->failed = true;
    return error_raise(r->cx, n->error, r->cx->span);
}

Status run_value(Run *r, PNode *n, Array **out) {
    assert(n->node->state == NODE_DONE && lanes_ordered(r, n));
    Status s = place_value(r->rt, n->node, r->device, out);
    bool gone = s == ARR_ERR_DEVICE && r->device == r->rt->cpu && r->rt->cuda_state < 0;
    return gone ? lose(r, n->node, s) : s;
}

void run_publish(Run *r, PNode *rep, Array *a) {
    if (r->lanes) lanes_made(r, rep, a);
    for (PNode *pn = rep; pn; pn = pn->twin)
        if (pn->node && pn->node->state == NODE_PENDING)
            node_finish(r->rt, pn->node, array_retain(a));
}

Status run_fail_index(Run *r, PNode *rep, const int64_t fault[3]) {
    Cx *cx = r->cx;
    const Node *first = NULL;
    for (PNode *pn = rep; pn; pn = pn->twin) {
        Node *n = pn->node;
        if (!n || n->state != NODE_PENDING) continue;
        error_set(cx, ARR_ERR_INDEX, n->span,
                  "index %lld is out of range for axis %d with %lld elements", (long long)fault[1],
                  n->at.along.named, (long long)fault[2]);
        Error *e = error_save(cx);
        if (!e) return ARR_ERR_INDEX; /* still pending, and raised */
        node_fail(r->rt, n, e);
        if (!first) first = n;
        r->failed = true;
    }
    return error_raise(cx, first->error, cx->span);
}

/* ---- loop groups ---- */

static Status load_place(void *ctx, Use *u, Place *out) {
    Array *a;
    TRY(run_value(ctx, u->node, &a));
    out->ptr = a->buf->ptr;
    out->offset = a->offset;
    memcpy(out->stride, a->stride, (size_t)a->shape.rank * sizeof *a->stride);
    return ARR_OK;
}

static Status store_place(void *ctx, Use *u, Place *out) {
    (void)ctx;
    out->ptr = u->out->buf->ptr;
    out->offset = u->out->offset;
    return ARR_OK;
}

/* Which gather failed? With several in the group they are run one by one afterwards. */
static Status gather_failed(Run *r, Group *g, const int64_t fault[3]) {
    PNode *take = NULL;
    int count = 0;
    for (Use *u = g->uses; u; u = u->in_group) {
        const Node *n = u->node->node;
        if (u->kind != USE_MEMBER || !n || n->op != OP_take ||
            n->in[0]->shape.dim[n->at.along.axis] != fault[2])
            continue;
        if (take == u->node) continue;
        take = u->node;
        count++;
    }
    if (count == 1) return run_fail_index(r, take, fault);
    for (Use *u = g->uses; u; u = u->in_group)
        if (u->kind == USE_MEMBER && u->node->node && u->node->node->op == OP_take &&
            r->nsuspect < PROG_MAX_SLOTS)
            r->suspect[r->nsuspect++] = node_retain(u->node->node);
    return ARR_ERR_INDEX;
}

static Status look_for_faults(Run *r, Group *g) {
    int64_t fault[3];
    if (!g->gathers) return ARR_OK;
    memcpy(fault, r->now->args.fault, sizeof fault);
    if (r->device != r->rt->cpu) TRY(kernel_faults(r->rt->kernels, r->device, fault));
    return fault[0] ? gather_failed(r, g, fault) : ARR_OK;
}

static int64_t range_outputs(const Run *r, const Program *p, const ProgArgs *a) {
    if (r->device != r->rt->cpu) return INT64_MAX;
    int64_t reduced = program_reduced(p, a), n = RANGE_WORK / (reduced > 0 ? reduced : 1);
    int64_t row = p->rank - p->nred > 1 && a->dim[0] > 0 ? program_outputs(p, a) / a->dim[0] : 0;
    if (row > 0 && row <= n) return n / row * row; /* whole ones can be run in any order */
    return n < RANGE_ROUND ? RANGE_ROUND : n / RANGE_ROUND * RANGE_ROUND;
}

/* All outputs, range by range; in place at once, since what was overwritten cannot be read again.
 */
static Status run_ranges(Run *r, const char *name) {
    Program *p = &r->now->program;
    ProgArgs *a = &r->now->args;
    int64_t n = program_outputs(p, a), step = r->in_place ? n : range_outputs(r, p, a);
    for (int64_t lo = 0; lo < n; lo += step) {
        if (step > n - lo) step = n - lo;
        if (lo > 0 && cx_stopped(r->cx)) return error_interrupted(r->cx);
        r->cx->hold = r->in_place;
        Status s = kernel_run(r->rt->kernels, r->device, p, a, lo, lo + step, name);
        r->cx->hold = false;
        if (s != ARR_OK) return s;
        if (a->fault[0]) break;
    }
    return ARR_OK;
}

static Status allocate_outputs(Run *r, Group *g) {
    for (int k = 0; k < g->nstored; k++) {
        Use *u = g->stored[k];
        const Node *n = u->node->node;
        TRY(array_new(r->cx, r->device, (DType)n->dtype, &n->shape, &u->out));
    }
    return ARR_OK;
}

static void release_outputs(Run *r, Group *g, bool publish) {
    for (int k = 0; k < g->nstored; k++) {
        Use *u = g->stored[k];
        if (!u->out) continue;
        if (publish) run_publish(r, u->node, u->out);
        array_release(r->cx, u->out);
        u->out = NULL;
    }
}

/* A draw that is drawn once need not be stored; one that is drawn again and again had better be,
 * where there is plenty of room for it. */
static void note_draws(Run *r, const Group *g) {
    enum { SHARE = 8 };
    if (!g->draws) return;
    for (const Use *u = g->uses; u; u = u->in_group) {
        Node *n = u->node->node;
        if (!n || u->kind != USE_MEMBER || u->store || n->op != OP_draw || n->at.draw.again)
            continue;
        if (node_size(n) > r->device->memory / SHARE / (int64_t)dtype_size((DType)n->dtype))
            continue;
        if (access_is_bijective(g, u->access, &n->shape, 0)) n->at.draw.again = true;
    }
}

/* Groups of a kept plan whose work is kept too: some 30 KiB each. */
enum { KEPT_GROUPS = 6 };

/* What comes a second time is lowered for good. */
static Status lower(Run *r, Group *g, const LowerMemory *mem) {
    bool again;
    TRY(lower_again(g, mem, &again));
    r->now = again ? &g->kept->low : r->work;
    if (again) return ARR_OK;
    if (r->plan.kept && r->plan.from) return r->stale = true, ARR_ERR_INTERNAL;
    if (!r->work) r->work = mem_alloc(&r->cx->mem, sizeof *r->work);
    r->now = r->work;
    if (!r->work) return error_memory(r->cx, sizeof *r->work);
    TRY(lower_group(&r->plan, g, mem, r->work));
    if ((!r->plan.kept && !r->plan.again) || g->kept || r->step >= KEPT_GROUPS) return ARR_OK;
    return lower_keep(&r->plan, g, mem, r->work, ++r->rt->serial);
}

/* ---- outputs of which some are kept (exec_mask.c) ---- */

/* The store of the root's elements, if this is a map that stores where(mask, x, x). */
static Instr *masked_store(Run *r, const Group *g) {
    Program *p = &r->now->program;
    const Use *root = NULL;
    for (const Use *u = g->uses; u; u = u->in_group)
        if (u->out && u->node->node == r->masked) root = u;
    if (!root || r->device == r->rt->cpu || p->nred > 0) return NULL;
    for (int k = 0; k < p->ninstr; k++) {
        Instr *i = &p->code[k];
        if (i->kind != P_STORE || r->now->args.slot[i->slot].ptr != root->out->buf->ptr) continue;
        const Instr *chosen = &p->code[i->a];
        bool whole = chosen->kind == P_OP && chosen->op == OP_where && chosen->b == chosen->c;
        return whole && p->cls[i->slot] == ACC_CONTIG ? i : NULL;
    }
    return NULL;
}

static uint64_t operations(const Program *p, const ProgArgs *a) {
    int64_t reduced = program_reduced(p, a), n;
    if (!mul_i64(program_outputs(p, a), reduced > 0 ? reduced : 1, &n)) return UINT64_MAX;
    return mul_i64(n, p->ninstr, &n) ? (uint64_t)n : UINT64_MAX;
}

/* For as long as it runs the store takes x itself, and the mask is the kernel's condition. */
static Status run_lowered(Run *r, Group *g) {
    Program *p = &r->now->program;
    Instr *store = r->masked ? masked_store(r, g) : NULL;
    TRY(limits_spend(r->cx, operations(p, &r->now->args)));
    if (!store) return run_ranges(r, "group");
    uint16_t chosen = store->a;
    uint64_t serial = p->serial;
    store->a = p->code[chosen].b;
    p->serial = 0; /* it is another program now */
    Status s = kernel_compact(r->rt->kernels, r->device, p, &r->now->args, p->code[chosen].a,
                              store->slot, r->count);
    store->a = chosen;
    p->serial = serial;
    return s;
}

Status run_loops(Run *r, Group *g, const Place *target) {
    LowerMemory mem = {.ctx = r, .load = load_place, .store = store_place, .target = target};
    Status s = allocate_outputs(r, g);
    if (s == ARR_OK) s = lower(r, g, &mem);
    if (s == ARR_OK) s = dump_program(&r->plan, &r->now->program);
    if (s == ARR_OK) s = run_lowered(r, g);
    if (s == ARR_OK) s = look_for_faults(r, g);
    if (s == ARR_OK) note_draws(r, g);
    release_outputs(r, g, s == ARR_OK);
    return s;
}

/* ---- the plan ---- */

static void release_uses(Run *r, PNode *pn) {
    if (--pn->left > 0) return;
    for (PNode *t = pn->twin; t; t = t->twin) plan_drop(&r->plan, t);
    plan_drop(&r->plan, pn);
}

/* As plan_fuse counted them. */
static void release_group(Run *r, Group *g) {
    for (Group *part = g->parts; part; part = part->next) release_group(r, part);
    for (Use *u = g->uses; u; u = u->in_group) release_uses(r, u->node);
    for (int k = 0; k < g->nread; k++) release_uses(r, g->read[k]);
    if (g->kind != GROUP_PART && g->kind != GROUP_LOOPS) release_uses(r, g->root);
}

static Status run_work(Run *r, Group *g) {
    switch (g->kind) {
    case GROUP_LOOPS: return run_loops(r, g, NULL);
    case GROUP_VIEW: return run_view(r, g);
    case GROUP_PARTS: return run_parts(r, g);
    default: return run_native(r, g);
    }
}

static Status run_kind(Run *r, Group *g) {
    TRY(place_device(r->rt, g->work, &r->device));
    if (r->lanes) TRY(lanes_enter(r, g));
    if (!r->cx->opts.profile || g->kind == GROUP_VIEW) return run_work(r, g);
    bool unknown = r->masked && *r->count < 0;
    TRY(profile_begin(&r->plan, g, r->device));
    TRY(run_work(r, g));
    if (unknown && *r->count >= 0) profile_kept(r->rt, r->masked, *r->count);
    return profile_end(&r->plan, r->device);
}

static Status run_group(Run *r, Group *g) {
    if (cx_stopped(r->cx)) return error_interrupted(r->cx);
    DumpClock clock = dump_clock(&r->plan, g);
    Status s = run_kind(r, g);
    if (!r->failed && place_fall_back(r->rt, s)) s = run_kind(r, g);
    if (s == ARR_OK && (r->cx->opts.sync || clock.on)) s = r->device->ops->sync(r->device);
    if (s == ARR_OK) dump_time(&r->plan, &clock, r->step, r->device);
    return s;
}

static Status run_plan(Run *r) {
    TRY(plan_fuse(&r->plan));
    TRY(dump_plan(&r->plan));
    Status s = run_ahead(r);
    if (s == ARR_OK && r->plan.ngroup > 1) lanes_begin(r);
    for (Group *g = r->plan.groups; g && s == ARR_OK; g = g->next) {
        s = run_group(r, g);
        if (s == ARR_OK && r->plan.ngroup > 1) release_group(r, g);
        r->step++;
    }
    if (r->lanes) lanes_end(r);
    if (r->work) mem_free(&r->cx->mem, r->work, sizeof *r->work);
    return s;
}

/* One of the gathers that ran together failed: the oldest that fails alone is it. */
static Status find_suspect(Run *r) {
    Status s = ARR_OK;
    for (int i = 0; i < r->nsuspect && s == ARR_OK; i++) s = exec_force(r->rt, &r->suspect[i], 1);
    for (int i = 0; i < r->nsuspect; i++) node_release(r->rt, r->suspect[i]);
    r->failed = s != ARR_OK;
    if (s != ARR_OK) return s;
    return error_set(r->cx, ARR_ERR_INTERNAL, r->cx->span,
                     "a gather failed among others and not alone");
}

Status run_force(Runtime *rt, Node *const *roots, int n, bool *failed, int64_t *count) {
    Run r = {.rt = rt, .cx = rt->cx, .masked = count ? roots[0] : NULL, .count = count};
    bool known = true;
    Status s;
    *failed = false;
    do {
        r.stale = false;
        s = plan_open(rt, roots, n, known, &r.plan);
        if (s == ARR_OK) s = dump_graph(&r.plan);
        if (s == ARR_OK) s = run_plan(&r);
        plan_close(&r.plan, s == ARR_OK);
        known = false; /* what has run is there, the rest is planned anew */
    } while (r.stale);
    if (r.nsuspect > 0) s = find_suspect(&r);
    *failed = r.failed;
    return s;
}

Status exec_force(Runtime *rt, Node *const *roots, int n) {
    bool pending = false, failed;
    for (int i = 0; i < n; i++) {
        if (roots[i]->state == NODE_FAILED)
            return error_raise(rt->cx, roots[i]->error, rt->cx->span);
        pending |= roots[i]->state == NODE_PENDING;
    }
    return pending ? run_force(rt, roots, n, &failed, NULL) : ARR_OK;
}

/* ---- flushing ---- */

/* Small work on the CPU costs its planning, and its kernels no compiling. */
static bool is_small_work(Runtime *rt, const Node *n) {
    enum { SMALL = 1 << 14 };
    int64_t work = place_node_work(n);
    return work <= SMALL && !place_is_cuda(rt, work);
}

bool exec_pending_full(Runtime *rt) {
    if (rt->npending > 0 && rt->pending_bytes >= FULL_BYTES) return true;
    if (rt->npending < FULL_NODES) return false;
    return rt->npending >= FULL_SMALL_NODES || !is_small_work(rt, rt->newest) ||
           !is_small_work(rt, rt->oldest);
}

bool exec_pending_large(const Runtime *rt) {
    return rt->npending >= LARGE_NODES || (rt->npending > 0 && rt->pending_bytes >= FULL_BYTES);
}

/* What reads a failed node has failed: one pass from the oldest. */
static Status spread_failures(Runtime *rt) {
    for (Node *n = rt->oldest, *next; n; n = next) {
        const Node *bad = NULL;
        next = n->next;
        for (int k = 0; k < node_inputs(n) && !bad; k++)
            if (node_input(n, k)->state == NODE_FAILED) bad = node_input(n, k);
        if (!bad) continue;
        Error *e = mem_alloc(&rt->cx->mem, sizeof *e);
        if (!e) return error_memory(rt->cx, sizeof *e);
        *e = *bad->error;
        node_fail(rt, n, e);
    }
    return ARR_OK;
}

static Status held_nodes(Runtime *rt, Node ***list, int *n, size_t *bytes) {
    *n = 0;
    *bytes = (size_t)rt->npending * sizeof **list;
    *list = mem_alloc(&rt->cx->mem, *bytes);
    if (!*list) return error_memory(rt->cx, *bytes);
    for (Node *p = rt->oldest; p; p = p->next)
        if (node_held(p)) (*list)[(*n)++] = p;
    return ARR_OK;
}

/* Errors that depend on data stay with the nodes that failed, until they are used. */
Status exec_flush(Runtime *rt) {
    for (;;) {
        Node **list;
        size_t bytes;
        int n;
        bool failed = false;
        TRY(spread_failures(rt));
        TRY(held_nodes(rt, &list, &n, &bytes));
        Status s = n > 0 ? run_force(rt, list, n, &failed, NULL) : ARR_OK;
        mem_free(&rt->cx->mem, list, bytes);
        if (!failed) return s;
        error_clear(rt->cx);
    }
}

Status exec_sync(Runtime *rt) {
    TRY(rt->cpu->ops->sync(rt->cpu));
    if (!rt->cuda || (rt->place == PLACE_AUTO && rt->cuda_state < 0)) return ARR_OK;
    Status s = rt->cuda->ops->sync(rt->cuda);
    return place_fall_back(rt, s) ? ARR_OK : s;
}
