/* chain_cpu - programs whose reductions feed one another, on the CPU: a thread takes a few outputs
 * at a time and walks their elements as often as needed, while they are in its cache.
 *
 *     for each unit of outputs:  for each walk:  elements -> chunks -> results -> outputs' values
 *
 * Callers: run_cpu. A unit is one output, or as many short ones as fill a block. Values of outputs
 * that the next walk needs are spread over a block; values of elements that were costly to make are
 * kept for the unit. Reductions are those of reduce_cpu's rows: chunk by chunk, in lanes.
 * Invariant: a unit's result depends on the unit alone, so any thread may compute any of them. */
#include "kernels/cpu_plan.h"
#include "kernels/program_level.h"
#include "kernels/reduce_state.h"

#include <string.h>

/* A value that waits for a later walk: spread over elements, or made from them. */
typedef struct Waiting {
    int instr;
    size_t item;
} Waiting;

typedef struct Walk {
    CpuPlan plan, finish; /* of the elements; of what then is known of the outputs */
    int first_red, nred;  /* reductions of the walk */
    bool need[PROG_MAX_INSTR];
} Walk;

/* A thread's. */
typedef struct Worker {
    CpuWork *plan, *finish; /* [walk] */
    Red *red;
    Acc *acc;
    char **spread, **kept; /* [Waiting]: a block; the unit */
} Worker;

typedef struct Chain {
    Device *d;
    const Program *p;
    ProgArgs *a;
    Arena mem;
    Space all, outer, inner;
    uint8_t phase[PROG_MAX_INSTR];
    bool reduced[PROG_MAX_INSTR], kept[PROG_MAX_INSTR];
    int nwalk, nred, nspread, nkept;
    Walk *walk;
    Red red[PROG_MAX_SLOTS];
    Waiting spread[PROG_MAX_INSTR], keep[PROG_MAX_INSTR];
    int64_t r, nchunk, unit; /* elements and chunks of an output; outputs at a time */
    int block;               /* elements at a time */
    int64_t lo, hi, part;    /* the run in work */
    Worker *worker;
} Chain;

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- a unit ---- */

/* Where this block's elements of what was handed in are. */
static void give(const Chain *j, const Worker *t, int q, int64_t at, int64_t from) {
    CpuWork *w = &t->plan[q];
    const int *of = j->walk[q].plan.of_instr;
    w->given_from = at;
    for (int k = 0; k < j->nspread; k++)
        if (of[j->spread[k].instr] >= 0) w->given[of[j->spread[k].instr]] = t->spread[k];
    for (int k = 0; k < j->nkept; k++)
        if (of[j->keep[k].instr] >= 0)
            w->given[of[j->keep[k].instr]] = t->kept[k] + (at - from) * (int64_t)j->keep[k].item;
}

/* Kept values that were not made where they are kept. */
static void keep_block(const Chain *j, const Worker *t, int q, int64_t at, int64_t from,
                       int64_t n) {
    for (int k = 0; k < j->nkept; k++) {
        const Waiting *x = &j->keep[k];
        if (j->phase[x->instr] != q) continue;
        char *to = t->kept[k] + (at - from) * (int64_t)x->item;
        const char *made = t->plan[q].at[j->walk[q].plan.of_instr[x->instr]];
        if (made != to) memcpy(to, made, (size_t)n * x->item);
    }
}

static void run_block(const Chain *j, const Worker *t, int q, int64_t at, int64_t from, int64_t n) {
    give(j, t, q, at, from);
    plan_run(&j->walk[q].plan, &t->plan[q], at, n);
    keep_block(j, t, q, at, from, n);
}

static const char *operand(const Worker *t, int q, const Red *red) {
    return t->plan[q].at[red->in];
}

/* Whole outputs in one block: they are short. */
static void walk_short(const Chain *j, const Worker *t, int q, int64_t o, int64_t n) {
    const Walk *walk = &j->walk[q];
    run_block(j, t, q, o * j->r, o * j->r, n * j->r);
    for (int k = 0; k < walk->nred; k++) {
        const Red *red = &t->red[walk->first_red + k];
        const char *x = operand(t, q, red);
        for (int64_t i = 0; i < n; i++) {
            acc_begin(t->acc);
            acc_add(red, t->acc, x + (size_t)(i * j->r) * red->in_item, j->r, 0);
            acc_end(red, t->acc, i);
        }
    }
}

static void walk_long(const Chain *j, const Worker *t, int q, int64_t o) {
    const Walk *walk = &j->walk[q];
    const Red *red = t->red + walk->first_red;
    for (int64_t c = 0; c < j->nchunk && !device_stopped(j->d); c++) {
        int64_t end = min64((c + 1) * CHUNK, j->r);
        for (int k = 0; k < walk->nred; k++) acc_begin(&t->acc[k]);
        for (int64_t r = c * CHUNK; r < end; r += j->block) {
            int64_t n = min64(j->block, end - r);
            run_block(j, t, q, o * j->r + r, o * j->r, n);
            for (int k = 0; k < walk->nred; k++)
                acc_add(&red[k], &t->acc[k], operand(t, q, &red[k]), n, r);
        }
        for (int k = 0; k < walk->nred; k++) acc_end(&red[k], &t->acc[k], c);
    }
}

static void reduce(const Chain *j, const Worker *t, int q, int64_t n) {
    for (int k = 0; k < j->walk[q].nred; k++) {
        Red *red = &t->red[j->walk[q].first_red + k];
        for (int64_t i = 0; i < n && j->nchunk > 1; i++) red_fold(red, i, j->nchunk, j->r);
        red_results(red, j->a, 0, n, j->nchunk, j->r);
    }
}

/* What is known of the outputs after walk q, for the walks that follow. */
static void spread(const Chain *j, const Worker *t, int q, int64_t n) {
    const CpuPlan *plan = &j->walk[q].finish;
    for (int k = 0; k < j->nspread; k++) {
        const Waiting *x = &j->spread[k];
        if (j->phase[x->instr] != q + 1) continue;
        const char *from = t->finish[q].at[plan->of_instr[j->p->code[x->instr].a]];
        if (j->r > j->block) {
            access_fill(t->spread[k], x->item, (size_t)j->block, from);
            continue;
        }
        for (int64_t i = 0; i < n; i++)
            access_fill(t->spread[k] + (size_t)(i * j->r) * x->item, x->item, (size_t)j->r,
                        from + (size_t)i * x->item);
    }
}

static void finish(const Chain *j, const Worker *t, int q, int64_t o, int64_t n) {
    const CpuPlan *plan = &j->walk[q].finish;
    CpuWork *w = &t->finish[q];
    w->given_from = o;
    for (int k = 0; k < j->nred; k++) {
        int v = plan->of_instr[t->red[k].instr];
        if (v >= 0) w->given[v] = t->red[k].result;
    }
    plan_run(plan, w, o, n);
    spread(j, t, q, n);
}

static int chain_part(void *ctx, int64_t part, int thread) {
    Chain *j = ctx;
    Worker *t = &j->worker[thread];
    int64_t lo = j->lo + part * j->part, hi = min64(lo + j->part, j->hi);
    for (int64_t o = lo; o < hi; o += j->unit) {
        int64_t n = min64(j->unit, hi - o);
        for (int q = 0; q < j->nwalk; q++) {
            if (j->r > j->block)
                walk_long(j, t, q, o);
            else
                walk_short(j, t, q, o, n);
            reduce(j, t, q, n);
            finish(j, t, q, o, n);
            if (t->plan[q].fault[0] || t->finish[q].fault[0] || device_stopped(j->d)) return 1;
        }
    }
    return 0;
}

/* ---- building ---- */

static Status build_elements(Chain *j, int q) {
    Walk *walk = &j->walk[q];
    const Program *p = j->p;
    bool keep[PROG_MAX_INSTR] = {false}, given[PROG_MAX_INSTR] = {false};
    int kept[PROG_MAX_INSTR], n = 0;
    chain_needs(p, j->phase, j->kept, q, walk->need);
    for (int k = 0; k < p->ninstr; k++) {
        bool earlier = j->kept[k] && j->phase[k] < q;
        given[k] = walk->need[k] && (earlier || p->code[k].kind == P_SPREAD);
        if (!walk->need[k] || given[k]) continue;
        keep[k] |= p->code[k].kind == P_STORE || j->kept[k];
        if (p->code[k].kind == P_REDUCE) keep[p->code[k].a] = true;
    }
    PlanWants wants = {
        .keep = keep, .given = given, .size = j->r < BLOCK_MOST ? j->all.size : j->r};
    TRY(plan_build(&walk->plan, &j->mem, p, j->a, &j->all, &wants));
    for (int k = 0; k < walk->nred; k++) {
        Red *red = &j->red[walk->first_red + k];
        red->loops = walk->plan.loops;
        red->in =
            plan_convert(&walk->plan, walk->plan.of_instr[p->code[red->instr].a], red->in_type);
        red->in_item = dtype_size(red->in_type);
        red_bind(red);
        kept[n++] = red->in;
    }
    for (int k = 0; k < j->nkept; k++) {
        int v = walk->plan.of_instr[j->keep[k].instr];
        if (v < 0 || j->phase[j->keep[k].instr] != q) continue;
        if (walk->plan.value[v].home == HOME_REGISTER) walk->plan.value[v].home = HOME_GIVEN;
        kept[n++] = v;
    }
    return plan_finish(&walk->plan, &j->mem, kept, n);
}

static Status build_finish(Chain *j, int q) {
    Walk *walk = &j->walk[q];
    const Program *p = j->p;
    bool keep[PROG_MAX_INSTR] = {false}, given[PROG_MAX_INSTR] = {false};
    int kept[PROG_MAX_INSTR], n = 0;
    for (int k = 0; k < p->ninstr; k++) {
        given[k] = p->code[k].kind == P_REDUCE;
        if (p->code[k].kind == P_STORE) keep[k] |= j->reduced[k] && j->phase[k] == q + 1;
        if (p->code[k].kind == P_SPREAD && j->phase[k] == q + 1) keep[p->code[k].a] = true;
    }
    PlanWants wants = {.keep = keep, .given = given, .size = j->unit};
    TRY(plan_build(&walk->finish, &j->mem, p, j->a, &j->outer, &wants));
    for (int k = 0; k < j->nspread; k++)
        if (j->phase[j->spread[k].instr] == q + 1)
            kept[n++] = walk->finish.of_instr[p->code[j->spread[k].instr].a];
    return plan_finish(&walk->finish, &j->mem, kept, n);
}

/* Reductions in the order of their walks. */
static Status find_reductions(Chain *j) {
    for (int q = 0; q < j->nwalk; q++) {
        j->walk[q].first_red = j->nred;
        for (int k = 0; k < j->p->ninstr; k++) {
            if (j->p->code[k].kind != P_REDUCE || j->phase[k] != q + 1) continue;
            if (j->nred == PROG_MAX_SLOTS)
                return error_set(j->d->cx, ARR_ERR_INTERNAL, SPAN_NONE, "too many reductions");
            red_init(&j->red[j->nred++], &j->p->code[k], k, false, j->r);
        }
        j->walk[q].nred = j->nred - j->walk[q].first_red;
    }
    return ARR_OK;
}

static void find_waiting(Chain *j) {
    for (int k = 0; k < j->p->ninstr; k++) {
        Waiting x = {k, dtype_size((DType)j->p->code[k].dtype)};
        if (j->p->code[k].kind == P_SPREAD) j->spread[j->nspread++] = x;
        if (j->kept[k]) j->keep[j->nkept++] = x;
    }
}

static Status build(Chain *j) {
    const Program *p = j->p;
    int outer = p->rank - p->nred;
    TRY(space_init(&j->all, &j->mem, p, j->a, 0, p->rank));
    TRY(space_init(&j->outer, &j->mem, p, j->a, 0, outer));
    TRY(space_init(&j->inner, &j->mem, p, j->a, outer, p->rank));
    j->r = j->inner.size;
    j->nchunk = (j->r + CHUNK - 1) / CHUNK;
    j->nwalk = program_phases(p, j->phase);
    program_levels(p, j->reduced);
    chain_kept(p, j->phase, j->nwalk, false, j->kept);
    j->walk = arena_alloc(&j->mem, (size_t)j->nwalk * sizeof *j->walk);
    if (!j->walk) return error_memory(j->d->cx, (size_t)j->nwalk * sizeof *j->walk);
    TRY(find_reductions(j));
    find_waiting(j);
    j->block = BLOCK_MOST;
    for (int q = 0; q < j->nwalk; q++) {
        TRY(build_elements(j, q));
        if (j->walk[q].plan.block < j->block) j->block = j->walk[q].plan.block;
    }
    j->unit = j->r > j->block ? 1 : j->block / j->r;
    int64_t unit = j->unit;
    for (int q = 0; q < j->nwalk; q++) {
        TRY(build_finish(j, q));
        unit = min64(unit, j->walk[q].finish.block);
    }
    j->unit = unit;
    return ARR_OK;
}

/* ---- memory of the threads ---- */

/* The next n bytes of a thread's memory, from base on (NULL: they are only counted). */
static void *claim(char *base, size_t *used, size_t n) {
    void *p = base ? base + *used : NULL;
    *used += (n + 63) / 64 * 64;
    return p;
}

static void place_work(const CpuPlan *plan, CpuWork *w, char *base, size_t *used) {
    char *memory = claim(base, used, plan_work_bytes(plan));
    char **given = claim(base, used, ((size_t)plan->nvalue + 1) * sizeof(char *));
    if (!base) return;
    plan_work_init(plan, w, memory);
    w->given = given;
}

static size_t place_worker(const Chain *j, Worker *t, char *base) {
    enum { SKEW = 192 }; /* arrays a power of two apart would fall on the same cache sets */
    size_t used = 0, walks = (size_t)j->nwalk;
    t->plan = claim(base, &used, walks * sizeof *t->plan);
    t->finish = claim(base, &used, walks * sizeof *t->finish);
    t->red = claim(base, &used, (size_t)j->nred * sizeof *t->red);
    t->acc = claim(base, &used, (size_t)j->nred * sizeof *t->acc);
    t->spread = claim(base, &used, (size_t)j->nspread * sizeof(char *));
    t->kept = claim(base, &used, (size_t)j->nkept * sizeof(char *));
    if (base) memcpy(t->red, j->red, (size_t)j->nred * sizeof *t->red);
    for (int q = 0; q < j->nwalk; q++) {
        place_work(&j->walk[q].plan, base ? &t->plan[q] : NULL, base, &used);
        place_work(&j->walk[q].finish, base ? &t->finish[q] : NULL, base, &used);
    }
    for (int k = 0; k < j->nred; k++) {
        size_t n = red_bytes(&j->red[k], j->nchunk) * (size_t)j->unit + 256;
        char *at = claim(base, &used, n);
        if (base) (void)red_place(&t->red[k], at, j->unit, j->nchunk);
    }
    for (int k = 0; k < j->nspread; k++) {
        char *at = claim(base, &used, (size_t)j->block * j->spread[k].item + SKEW);
        if (base) t->spread[k] = at;
    }
    for (int k = 0; k < j->nkept; k++) {
        char *at = claim(base, &used, (size_t)(j->unit * j->r) * j->keep[k].item + SKEW);
        if (base) t->kept[k] = at;
    }
    return used;
}

/* The lowest fault of all threads. */
static void collect_faults(Chain *j, int threads) {
    int64_t lowest = INT64_MAX;
    for (int t = 0; t < threads; t++)
        for (int q = 0; q < 2 * j->nwalk; q++) {
            const Worker *w = &j->worker[t];
            const int64_t *f = q < j->nwalk ? w->plan[q].fault : w->finish[q - j->nwalk].fault;
            int64_t at = q < j->nwalk ? f[3] : f[3] * j->r;
            if (!f[0] || at >= lowest) continue;
            lowest = at;
            memcpy(j->a->fault, f, sizeof j->a->fault);
        }
}

static Status run(Chain *j) {
    Device *d = j->d;
    int64_t outputs = j->hi - j->lo, cost = 1;
    for (int q = 0; q < j->nwalk; q++) cost += plan_cost(&j->walk[q].plan);
    j->part = part_size(d, outputs, j->unit, min64(cost * j->r, 1 << 20));
    int64_t parts = (outputs + j->part - 1) / j->part;
    int threads = parts > 1 ? d->ops->threads(d) : 1;
    Worker sizing = {0};
    size_t each = place_worker(j, &sizing, NULL);
    size_t head = ((size_t)threads * sizeof(Worker) + 63) / 64 * 64;
    void *memory = NULL;
    TRY(d->ops->alloc(d, head + each * (size_t)threads, &memory));
    j->worker = memory;
    for (int t = 0; t < threads; t++)
        (void)place_worker(j, &j->worker[t], (char *)memory + head + each * (size_t)t);
    Status s = d->ops->parallel(d, chain_part, j, parts, NULL);
    collect_faults(j, threads);
    d->ops->release(d, memory, head + each * (size_t)threads);
    return s;
}

Status chain_cpu(Device *d, const Program *p, ProgArgs *a, int64_t lo, int64_t hi) {
    Chain *j = mem_zalloc(&d->cx->mem, sizeof *j);
    if (!j) return error_memory(d->cx, sizeof *j);
    j->d = d, j->p = p, j->a = a;
    j->lo = lo, j->hi = hi;
    arena_init(&j->mem, d->cx);
    Status s = build(j);
    if (s == ARR_OK) s = run(j);
    arena_free(&j->mem);
    mem_free(&d->cx->mem, j, sizeof *j);
    return s;
}
