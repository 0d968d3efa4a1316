/* run_cpu - kernel programs on the CPU: maps, and the threads' shares of all work.
 *
 * Callers: kernel.c; reduce_cpu.c for the finish of its outputs. A range of outputs is cut into
 * parts, a part into blocks; the threads take parts until none is left. The interrupt flag is seen
 * between parts (device.h), which are a few milliseconds of work at most.
 * Invariant: a block's result does not depend on the cut. */
#include "kernels/run_cpu.h"
#include "kernels/cpu_cache.h"
#include "kernels/program_level.h"

#include <string.h>

/* Below this cost (elements times steps) waking a thread takes longer than the work: some ten
 * microseconds of a core. */
enum { COST_ALONE = 1 << 17, COST_MOST = 1 << 22 };

int64_t part_size(Device *d, int64_t n, int64_t unit, int64_t cost) {
    int64_t threads = d->ops->threads(d);
    if (threads < 2 && n <= COST_MOST / cost) return n;
    if (n <= COST_ALONE / cost) return n;
    int64_t size = n / (threads * 8), least = COST_ALONE / 2 / cost, most = COST_MOST / cost;
    size = size < least ? least : size > most ? most : size;
    return (size / unit + 1) * unit;
}

typedef struct MapJob {
    const CpuPlan *plan;
    CpuWork *work; /* [thread] */
    int64_t lo, hi, part;
} MapJob;

static int map_part(void *ctx, int64_t part, int thread) {
    MapJob *j = ctx;
    CpuWork *w = &j->work[thread];
    int64_t lo = j->lo + part * j->part, hi = j->hi - lo < j->part ? j->hi : lo + j->part;
    for (int64_t at = lo; at < hi; at += j->plan->block) {
        int64_t n = hi - at < j->plan->block ? hi - at : j->plan->block;
        plan_run(j->plan, w, at, n);
    }
    return w->fault[0] != 0;
}

/* The lowest fault of all threads. Parts are taken in order, so every lower one has been run. */
static void collect_faults(ProgArgs *a, const CpuWork *work, int n) {
    int64_t lowest = INT64_MAX;
    for (int t = 0; t < n; t++) {
        const int64_t *f = work[t].fault;
        if (!f[0] || f[3] >= lowest) continue;
        lowest = f[3];
        memcpy(a->fault, f, sizeof a->fault);
    }
}

Status work_new(Device *d, const CpuPlan *plan, int64_t parts, WorkSet *out) {
    int64_t threads = d->ops->threads(d);
    size_t head = sizeof(CpuWork), each = plan_work_bytes(plan);
    out->n = (int)(threads < parts ? threads : parts);
    if (parts > 1) out->n = (int)threads; /* any of them may come */
    if (out->n < 1) out->n = 1;
    head = (head * (size_t)out->n + 63) / 64 * 64;
    out->bytes = head + each * (size_t)out->n;
    TRY(d->ops->alloc(d, out->bytes, &out->memory));
    out->work = out->memory;
    for (int t = 0; t < out->n; t++)
        plan_work_init(plan, &out->work[t], (char *)out->memory + head + each * (size_t)t);
    return ARR_OK;
}

void work_free(Device *d, ProgArgs *a, WorkSet *w) {
    if (!w->memory) return;
    collect_faults(a, w->work, w->n);
    d->ops->release(d, w->memory, w->bytes);
    w->memory = NULL;
}

Status map_run(Device *d, CpuPlan *plan, ProgArgs *a, int64_t lo, int64_t hi, char **given) {
    MapJob j = {.plan = plan, .lo = lo, .hi = hi};
    j.part = part_size(d, hi - lo, plan->block, plan_cost(plan));
    int64_t parts = (hi - lo + j.part - 1) / j.part;
    WorkSet set = {0};
    TRY(work_new(d, plan, parts, &set));
    for (int t = 0; t < set.n; t++) {
        set.work[t].given = given;
        set.work[t].given_from = lo;
    }
    j.work = set.work;
    Status s = d->ops->parallel(d, map_part, &j, parts, NULL);
    work_free(d, a, &set);
    return s;
}

/* ---- tiles ---- */

/* Columns and rows of a tile: whole cache lines of small elements in both directions. */
enum { TILE_COLS = 64, TILE_LEAST = 8 };

typedef struct TileJob {
    const CpuPlan *plan;
    CpuWork *work;
    int row;
    int64_t rows, cols;   /* extents of a tile */
    int64_t down, across; /* tiles along the two loops */
    int64_t part;         /* tiles of a part */
    int64_t tiles;
} TileJob;

/* Tile number t: across first, then down, then the other loops from the last. */
static void tile_at(const TileJob *j, int64_t t, CpuTile *out) {
    const Space *s = &j->plan->space;
    int last = s->rank - 1;
    out->row = j->row;
    out->start[last] = t % j->across * j->cols;
    t /= j->across;
    out->start[j->row] = t % j->down * j->rows;
    t /= j->down;
    for (int d = last - 1; d >= 0; d--) {
        if (d == j->row) continue;
        out->start[d] = t % s->dim[d];
        t /= s->dim[d];
    }
    int64_t below = s->dim[j->row] - out->start[j->row], right = s->dim[last] - out->start[last];
    out->rows = below < j->rows ? below : j->rows;
    out->cols = right < j->cols ? right : j->cols;
}

static int tile_part(void *ctx, int64_t part, int thread) {
    TileJob *j = ctx;
    CpuWork *w = &j->work[thread];
    for (int64_t t = part * j->part; t < (part + 1) * j->part && t < j->tiles; t++) {
        CpuTile tile;
        tile_at(j, t, &tile);
        w->tile = &tile;
        plan_run(j->plan, w, t * j->plan->block, tile.rows * tile.cols);
    }
    return w->fault[0] != 0;
}

/* The loop along which a loaded slot lies in memory, if that is not the last one; -1: none. */
static int tile_row(const Program *p, const Space *s) {
    if (s->rank < 2 || s->dim[s->rank - 1] < TILE_LEAST) return -1;
    for (int k = 0; k < p->ninstr; k++) {
        if (p->code[k].kind != P_LOAD) continue;
        const int64_t *st = s->stride + p->code[k].slot * MAX_RANK;
        int64_t last = st[s->rank - 1];
        if (last >= -1 && last <= 1) continue;
        for (int d = 0; d < s->rank - 1; d++)
            if (st[d] == 1 && s->dim[d] >= TILE_LEAST) return d;
    }
    return -1;
}

static Status run_tiles(Device *d, const CpuPlan *plan, ProgArgs *a, int row) {
    const Space *s = &plan->space;
    TileJob j = {.plan = plan, .row = row, .cols = TILE_COLS};
    if (j.cols > s->dim[s->rank - 1]) j.cols = s->dim[s->rank - 1];
    j.rows = plan->block / j.cols;
    if (j.rows > s->dim[row]) j.rows = s->dim[row];
    j.across = (s->dim[s->rank - 1] + j.cols - 1) / j.cols;
    j.down = (s->dim[row] + j.rows - 1) / j.rows;
    j.tiles = s->size / s->dim[row] / s->dim[s->rank - 1] * j.across * j.down;
    j.part = part_size(d, j.tiles, 1, plan_cost(plan) * j.rows * j.cols);
    int64_t parts = (j.tiles + j.part - 1) / j.part;
    WorkSet set = {0};
    TRY(work_new(d, plan, parts, &set));
    j.work = set.work;
    Status st = d->ops->parallel(d, tile_part, &j, parts, NULL);
    work_free(d, a, &set);
    return st;
}

static Status run_with(Device *d, CpuPlan *plan, ProgArgs *a, int64_t lo, int64_t hi, int row) {
    return row < 0 ? map_run(d, plan, a, lo, hi, NULL) : run_tiles(d, plan, a, row);
}

/* c may be NULL: nothing is kept. */
static Status run_map(CpuCache *c, Device *d, const Program *p, ProgArgs *a, int64_t lo,
                      int64_t hi) {
    bool keep[PROG_MAX_INSTR] = {false};
    bool whole = lo == 0 && hi == program_outputs(p, a);
    Arena mem;
    Space space;
    CpuPlan plan;
    int row = -1;
    CpuPlan *known = c ? cpu_cache_find(c, p, a, hi - lo, whole, &row) : NULL;
    if (known) return run_with(d, known, a, lo, hi, row);
    for (int k = 0; k < p->ninstr; k++) keep[k] = p->code[k].kind == P_STORE;
    PlanWants wants = {.keep = keep, .size = hi - lo};
    arena_init(&mem, d->cx);
    Status s = space_init(&space, &mem, p, a, 0, p->rank);
    if (s == ARR_OK && whole) row = tile_row(p, &space);
    wants.tiled = row >= 0;
    if (s == ARR_OK) s = plan_build(&plan, &mem, p, a, &space, &wants);
    if (s == ARR_OK) s = plan_finish(&plan, &mem, NULL, 0);
    if (s == ARR_OK) s = run_with(d, &plan, a, lo, hi, row);
    if (s != ARR_OK || !c || !cpu_cache_keep(c, row, &plan, &mem)) arena_free(&mem);
    return s;
}

/* Outputs [lo, hi) that are whole rows of the outermost loop: the program over these alone. false:
 * they are not. */
static bool narrowed(const Program *p, const ProgArgs *a, int64_t lo, int64_t hi, ProgArgs *out) {
    int64_t n = program_outputs(p, a), row = p->rank > 1 && a->dim[0] > 0 ? n / a->dim[0] : 0;
    if (row == 0 || hi - lo == n || lo % row != 0 || hi % row != 0) return false;
    *out = *a;
    out->dim[0] = (hi - lo) / row;
    for (int s = 0; s < p->nslot; s++) out->slot[s].offset += lo / row * a->slot[s].stride[0];
    return true;
}

static Status run_part(CpuCache *c, Device *d, const Program *p, ProgArgs *a, int64_t lo,
                       int64_t hi) {
    ProgArgs part;
    if (!narrowed(p, a, lo, hi, &part)) return run_map(c, d, p, a, lo, hi);
    Status s = run_map(c, d, p, &part, 0, hi - lo);
    memcpy(a->fault, part.fault, sizeof a->fault);
    return s;
}

Status run_cpu(CpuCache *c, Device *d, const Program *p, ProgArgs *a, int64_t lo, int64_t hi) {
    memset(a->fault, 0, sizeof a->fault);
    if (lo >= hi) return ARR_OK;
    d->stats.launches++;
    if (program_is_chain(p)) return chain_cpu(d, p, a, lo, hi);
    return p->nred ? reduce_cpu(c, d, p, a, lo, hi) : run_part(c, d, p, a, lo, hi);
}
