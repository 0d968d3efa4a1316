/* reduce_cpu - reductions on the CPU, bit for bit the tree of sums (kernel.h).
 *
 * Callers: run_cpu. Each output runs over r in chunks of 4096, in 128 lanes by r mod 128; lanes and
 * then chunks are combined pairwise. Two walks give the same tree: `rows`, where blocks lie along
 * the reduced loops, and `columns`, where neighbouring outputs lie side by side in memory and are
 * folded together, a row at a time, lane by lane in the order in which the tree combines them.
 * A program may hold several reductions; they share the walk. Results of a slab of outputs are kept
 * and then given to the plan that finishes the outputs.
 * Invariant: states of chunks depend on the chunk alone, so any thread may compute any of them. */
#include "kernels/cpu_cache.h"
#include "kernels/program_level.h"
#include "kernels/reduce_state.h"

#include <string.h>

typedef struct Reduction {
    Device *d;
    const Program *p;
    ProgArgs *a;
    Arena mem;
    Space all, outer, inner; /* all loops; the outputs'; the reduced */
    CpuPlan plan, finish;    /* of the elements; of the outputs */
    Red red[PROG_MAX_SLOTS]; /* every reduction's result is used by some store */
    int nred;
    bool columns;
    int64_t r, nchunk; /* reduced elements, chunks an output */
    int64_t slab;      /* outputs at a time */
    bool fixed[PROG_MAX_SLOTS];
    /* the slab in work */
    int64_t lo, hi, part, panel;
    WorkSet set;
    char *state; /* of the threads */
    size_t state_bytes;
} Reduction;

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- rows ---- */

/* Whole outputs in one block: they are short. */
static void rows_short(Reduction *j, CpuWork *w, Acc *acc, int64_t lo, int64_t hi) {
    int64_t each = j->plan.block / j->r;
    for (int64_t o = lo; o < hi; o += each) {
        int64_t count = min64(each, hi - o);
        plan_run(&j->plan, w, o * j->r, count * j->r);
        for (int k = 0; k < j->nred; k++) {
            const Red *red = &j->red[k];
            const char *x = w->at[red->in];
            for (int64_t i = 0; i < count; i++) {
                acc_begin(&acc[k]);
                acc_add(red, &acc[k], x + (size_t)(i * j->r) * red->in_item, j->r, 0);
                acc_end(red, &acc[k], o + i - j->lo);
            }
        }
    }
}

static void rows_chunk(Reduction *j, CpuWork *w, Acc *acc, int64_t item) {
    int64_t o = j->lo + item / j->nchunk, start = item % j->nchunk * CHUNK;
    int64_t end = min64(start + CHUNK, j->r);
    for (int k = 0; k < j->nred; k++) acc_begin(&acc[k]);
    for (int64_t r = start; r < end; r += j->plan.block) {
        int64_t n = min64(j->plan.block, end - r);
        plan_run(&j->plan, w, o * j->r + r, n);
        for (int k = 0; k < j->nred; k++) acc_add(&j->red[k], &acc[k], w->at[j->red[k].in], n, r);
    }
    for (int k = 0; k < j->nred; k++) acc_end(&j->red[k], &acc[k], item);
}

static int rows_part(void *ctx, int64_t part, int thread) {
    Reduction *j = ctx;
    CpuWork *w = &j->set.work[thread];
    Acc *acc = (Acc *)(void *)(j->state + (size_t)thread * j->state_bytes);
    int64_t items = (j->hi - j->lo) * j->nchunk;
    int64_t lo = part * j->part, hi = min64(lo + j->part, items);
    if (j->r <= j->plan.block) {
        rows_short(j, w, acc, j->lo + lo, j->lo + hi);
    } else {
        for (int64_t i = lo; i < hi && !device_stopped(j->d); i++) rows_chunk(j, w, acc, i);
    }
    return w->fault[0] != 0 || device_stopped(j->d);
}

/* ---- columns ---- */

/* Slots' bases for reduced element r. */
static void move_bases(Reduction *j, int64_t *base, int64_t r) {
    for (int s = 0; s < j->p->nslot; s++) base[s] = space_offset(&j->inner, s, r);
}

static int reversed(int lane) {
    int r = 0;
    for (int b = 1; b < LANES; b <<= 1) r = r << 1 | !!(lane & b);
    return r;
}

/* One lane of a chunk of n outputs into node `at` of every reduction. */
static void column_lane(Reduction *j, CpuWork *w, Node *node, int64_t *base, int at, int64_t o,
                        int64_t n, int64_t first, int64_t end) {
    for (int64_t r = first; r < end; r += LANES) {
        move_bases(j, base, r);
        plan_run(&j->plan, w, o, n);
        for (int k = 0; k < j->nred; k++)
            node_add(&j->red[k], &node[k * NODES + at], w->at[j->red[k].in], n, r, r == first);
    }
}

/* The lanes in the order of the tree's leaves: after leaf b come as many joins as b ends in ones. A
 * lane without elements is left out; then those right of it are empty too. */
static void columns_chunk(Reduction *j, CpuWork *w, Node *node, int64_t *base, int64_t panel,
                          int64_t chunk) {
    int64_t o = j->lo + panel * j->panel, n = min64(j->panel, j->hi - o);
    int64_t start = chunk * CHUNK, end = min64(start + CHUNK, j->r);
    int64_t count[NODES];
    int top = 0;
    for (int b = 0; b < LANES && !device_stopped(j->d); b++) {
        int64_t first = start + reversed(b);

        count[top] = first < end ? (end - first + LANES - 1) / LANES : 0;
        if (count[top]) column_lane(j, w, node, base, top, o, n, first, end);
        for (int ones = b; ones & 1; ones >>= 1, top--) {
            if (count[top])
                for (int k = 0; k < j->nred; k++)
                    node_join(&j->red[k], &node[k * NODES + top - 1], &node[k * NODES + top], n,
                              count[top - 1], count[top]);
            count[top - 1] += count[top];
        }
        top++;
    }
    for (int k = 0; k < j->nred; k++)
        node_end(&j->red[k], &node[k * NODES], n, (o - j->lo) * j->nchunk + chunk, j->nchunk);
}

/* | bases | nodes | their arrays ... | */
static size_t columns_state(const Reduction *j) {
    size_t n = 0;
    for (int k = 0; k < j->nred; k++) n += NODES * node_bytes(&j->red[k], j->panel);
    return PROG_MAX_SLOTS * sizeof(int64_t) + (size_t)(j->nred * NODES) * sizeof(Node) + n + 64;
}

static void columns_state_init(const Reduction *j, char *p, Node **node, int64_t **base) {
    *base = (int64_t *)(void *)p;
    p += PROG_MAX_SLOTS * sizeof(int64_t);
    *node = (Node *)(void *)p;
    p += (size_t)(j->nred * NODES) * sizeof(Node);
    p += (64 - (uintptr_t)p % 64) % 64;
    for (int k = 0; k < j->nred; k++)
        for (int i = 0; i < NODES; i++, p += node_bytes(&j->red[k], j->panel))
            node_init(&j->red[k], &(*node)[k * NODES + i], p, j->panel);
}

static int columns_part(void *ctx, int64_t part, int thread) {
    Reduction *j = ctx;
    CpuWork *w = &j->set.work[thread];
    Node *node;
    int64_t *base;
    columns_state_init(j, j->state + (size_t)thread * j->state_bytes, &node, &base);
    w->base = base;
    columns_chunk(j, w, node, base, part / j->nchunk, part % j->nchunk);
    return w->fault[0] != 0 || device_stopped(j->d);
}

/* ---- building ---- */

/* Reductions over fewer elements than this are walked by columns wherever their elements lie: what
 * rows cost for each output would be most of the work. */
enum { FEW = 64 };

/* Neighbouring outputs side by side (columns) or elements of one output (rows)? What more bytes of
 * operands favour. */
static bool prefers_columns(const Reduction *j) {
    const Space *o = &j->outer, *r = &j->inner;
    size_t row = 0, column = 0;
    if (o->rank == 0 || r->rank == 0 || o->dim[o->rank - 1] < 16) return false;
    bool draws = false;
    for (int k = 0; k < j->p->ninstr; k++) draws |= j->p->code[k].kind == P_DRAW;
    if (r->size < FEW && !draws) return true; /* numbers are drawn in runs, along the rows */
    for (int k = 0; k < j->p->ninstr; k++) {
        const Instr *i = &j->p->code[k];
        if (i->kind != P_LOAD && i->kind != P_GATHER) continue;
        int64_t so = o->stride[i->slot * MAX_RANK + o->rank - 1];
        int64_t sr = r->stride[i->slot * MAX_RANK + r->rank - 1];
        if (so == 1 || so == -1) column += dtype_size((DType)i->dtype);
        if (sr == 1 || sr == -1) row += dtype_size((DType)i->dtype);
    }
    return column > row;
}

static Status find_reductions(Reduction *j) {
    for (int k = 0; k < j->p->ninstr; k++) {
        if (j->p->code[k].kind != P_REDUCE) continue;
        if (j->nred == PROG_MAX_SLOTS)
            return error_set(j->d->cx, ARR_ERR_INTERNAL, SPAN_NONE, "too many reductions");
        red_init(&j->red[j->nred++], &j->p->code[k], k, j->columns, j->r);
    }
    return ARR_OK;
}

static Status build_elements(Reduction *j) {
    bool keep[PROG_MAX_INSTR] = {false}, level[PROG_MAX_INSTR];
    int kept[PROG_MAX_SLOTS];
    const Program *p = j->p;
    program_levels(p, level);
    for (int k = 0; k < p->ninstr; k++)
        keep[k] = p->code[k].kind == P_STORE && !level[p->code[k].a];
    for (int k = 0; k < j->nred; k++) keep[p->code[j->red[k].instr].a] = true;
    for (int s = 0; s < p->nslot; s++) j->fixed[s] = space_is_uniform(&j->inner, s);
    PlanWants wants = {.keep = keep, .size = j->r};
    if (j->columns) {
        wants.fixed = j->fixed;
        wants.size = j->outer.size;
    } else if (j->r < BLOCK_MOST) {
        wants.size = j->all.size;
    }
    TRY(plan_build(&j->plan, &j->mem, p, j->a, j->columns ? &j->outer : &j->all, &wants));
    for (int k = 0; k < j->nred; k++) {
        Red *red = &j->red[k];
        red->loops = j->plan.loops;
        red->in = plan_convert(&j->plan, j->plan.of_instr[p->code[red->instr].a], red->in_type);
        red->in_item = dtype_size(red->in_type);
        red_bind(red);
        kept[k] = red->in;
    }
    return plan_finish(&j->plan, &j->mem, kept, j->nred);
}

static Status build_finish(Reduction *j, int64_t outputs) {
    bool keep[PROG_MAX_INSTR] = {false}, given[PROG_MAX_INSTR] = {false}, level[PROG_MAX_INSTR];
    const Program *p = j->p;
    program_levels(p, level);
    for (int k = 0; k < p->ninstr; k++) {
        keep[k] = p->code[k].kind == P_STORE && level[p->code[k].a];
        given[k] = p->code[k].kind == P_REDUCE;
    }
    PlanWants wants = {.keep = keep, .given = given, .size = min64(j->slab, outputs)};
    TRY(plan_build(&j->finish, &j->mem, p, j->a, &j->outer, &wants));
    return plan_finish(&j->finish, &j->mem, NULL, 0);
}

/* ---- running ---- */

/* States of chunks and results of a slab take at most some 16 MiB. */
static void choose_slab(Reduction *j, int64_t outputs) {
    size_t each = 0;
    for (int k = 0; k < j->nred; k++) each += red_bytes(&j->red[k], j->nchunk);
    int64_t most = (int64_t)((16 << 20) / (each ? each : 1));
    j->panel = j->columns ? min64(j->plan.block, outputs) : 1;
    /* few elements: all of a panel's operands stay in the cache while it is walked */
    if (j->columns && j->r < FEW) j->panel = min64(j->panel, 8192 / j->r > 128 ? 8192 / j->r : 128);
    if (most < 1) most = 1;
    if (j->columns) most = (most / j->panel + 1) * j->panel;
    j->slab = min64(most, outputs);
}

static Status run_elements(Reduction *j) {
    int64_t outputs = j->hi - j->lo, parts;
    DevPart run = j->columns ? columns_part : rows_part;
    if (j->columns) {
        parts = (outputs + j->panel - 1) / j->panel * j->nchunk;
        j->state_bytes = columns_state(j);
    } else {
        int64_t each = min64(j->r, CHUNK), cost = min64(plan_cost(&j->plan) * each, 1 << 17);
        j->part = part_size(j->d, outputs * j->nchunk, 1, cost);
        parts = (outputs * j->nchunk + j->part - 1) / j->part;
        j->state_bytes = (size_t)j->nred * sizeof(Acc);
    }
    j->state_bytes = (j->state_bytes + 63) / 64 * 64;
    TRY(work_new(j->d, &j->plan, parts, &j->set));
    size_t bytes = j->state_bytes * (size_t)j->set.n;
    void *state = NULL;
    Status s = j->d->ops->alloc(j->d, bytes, &state);
    j->state = state;
    if (s == ARR_OK) s = j->d->ops->parallel(j->d, run, j, parts, NULL);
    if (state) j->d->ops->release(j->d, state, bytes);
    work_free(j->d, j->a, &j->set);
    return s;
}

/* Chunks of outputs into results. */
typedef struct FoldJob {
    Reduction *j;
    int64_t part;
} FoldJob;

static int fold_part(void *ctx, int64_t part, int thread) {
    FoldJob *f = ctx;
    Reduction *j = f->j;
    int64_t lo = part * f->part, hi = min64(lo + f->part, j->hi - j->lo);
    (void)thread;
    for (int k = 0; k < j->nred; k++) {
        for (int64_t o = lo; o < hi && j->nchunk > 1; o++) red_fold(&j->red[k], o, j->nchunk, j->r);
        red_results(&j->red[k], j->a, lo, hi, j->nchunk, j->r);
    }
    return 0;
}

static Status fold_chunks(Reduction *j) {
    FoldJob f = {.j = j};
    int64_t outputs = j->hi - j->lo;
    f.part = part_size(j->d, outputs, 1, min64(j->nchunk * j->nred * 16, 1 << 17));
    return j->d->ops->parallel(j->d, fold_part, &f, (outputs + f.part - 1) / f.part, NULL);
}

static Status run_slab(Reduction *j, int64_t lo, int64_t hi) {
    j->lo = lo;
    j->hi = hi;
    if (j->r > 0) {
        TRY(run_elements(j));
        if (j->a->fault[0]) return ARR_OK;
    }
    TRY(fold_chunks(j));
    size_t bytes = ((size_t)j->finish.nvalue + 1) * sizeof(char *);
    char **given = mem_zalloc(&j->d->cx->mem, bytes);
    if (!given) return error_memory(j->d->cx, bytes);
    for (int k = 0; k < j->nred; k++) {
        int v = j->finish.of_instr[j->red[k].instr];
        if (v >= 0) given[v] = j->red[k].result;
    }
    Status s = map_run(j->d, &j->finish, j->a, lo, hi, given);
    mem_free(&j->d->cx->mem, given, bytes);
    return s;
}

static Status run_slabs(Reduction *j, int64_t lo, int64_t hi) {
    size_t bytes = 0;
    void *memory = NULL;
    for (int k = 0; k < j->nred; k++)
        bytes += (red_bytes(&j->red[k], j->nchunk) * (size_t)j->slab + 63) / 64 * 64 + 192;
    TRY(j->d->ops->alloc(j->d, bytes, &memory));
    char *p = memory;
    for (int k = 0; k < j->nred; k++) p = red_place(&j->red[k], p, j->slab, j->nchunk);
    Status s = ARR_OK;
    for (int64_t o = lo; o < hi && s == ARR_OK && !j->a->fault[0]; o += j->slab)
        s = run_slab(j, o, min64(o + j->slab, hi));
    j->d->ops->release(j->d, memory, bytes);
    return s;
}

static Status build(Reduction *j, int64_t outputs) {
    const Program *p = j->p;
    int outer = p->rank - p->nred;
    TRY(space_init(&j->all, &j->mem, p, j->a, 0, p->rank));
    TRY(space_init(&j->outer, &j->mem, p, j->a, 0, outer));
    TRY(space_init(&j->inner, &j->mem, p, j->a, outer, p->rank));
    j->r = j->inner.size;
    j->nchunk = j->r > CHUNK ? (j->r + CHUNK - 1) / CHUNK : 1;
    j->columns = prefers_columns(j);
    TRY(find_reductions(j));
    TRY(build_elements(j));
    choose_slab(j, outputs);
    return build_finish(j, outputs);
}

static void drop(Cx *cx, void *made) {
    Reduction *j = made;
    arena_free(&j->mem);
    mem_free(&cx->mem, j, sizeof *j);
}

/* What was built for this program before, with these arguments. */
static Reduction *built_before(CpuCache *c, const Program *p, ProgArgs *a, int64_t outputs) {
    Reduction *j = c ? cpu_cache_take(c, p, a, outputs) : NULL;
    if (!j) return NULL;
    j->p = j->plan.p = j->finish.p = p;
    j->a = a;
    j->plan.args = j->finish.args = a;
    for (int k = 0; k < j->nred; k++) j->red[k].code = &p->code[j->red[k].instr];
    return j;
}

static Status build_new(Device *d, const Program *p, ProgArgs *a, int64_t outputs,
                        Reduction **out) {
    Reduction *j = mem_zalloc(&d->cx->mem, sizeof *j);
    *out = j;
    if (!j) return error_memory(d->cx, sizeof *j);
    j->d = d;
    j->p = p;
    j->a = a;
    arena_init(&j->mem, d->cx);
    return build(j, outputs);
}

Status reduce_cpu(CpuCache *c, Device *d, const Program *p, ProgArgs *a, int64_t lo, int64_t hi) {
    Reduction *j = built_before(c, p, a, hi - lo);
    Status s = j ? ARR_OK : build_new(d, p, a, hi - lo, &j);
    if (!j) return s;
    if (s == ARR_OK) s = run_slabs(j, lo, hi);
    if (s != ARR_OK || !c || !cpu_cache_put(c, p, a, hi - lo, j, drop)) drop(d->cx, j);
    return s;
}
