/* run_cuda - a program on a GPU: choose the variant, find or build its kernel, launch it.
 *
 * Callers: kernel.c. A map is one launch. A reduction is one launch over all chunks and, where an
 * output has several, a further one that folds the chunks' states, CHUNK to one (the tree of sums;
 * more than 2^36 elements take one more).
 * Invariant: variants are chosen from extents and strides alone, and any range of outputs gives the
 * bits of the whole. */
#include "kernels/kernel_cuda.h"
#include "kernels/program_level.h"

#include <string.h>

enum {
    /* Blocks beyond this many loop over tiles. Measured on an H200: what moves memory wants each
     * tile in a block of its own (2 to 4 %), what computes some 64 blocks a multiprocessor (10 %).
     */
    MAP_BLOCKS = 1 << 20,
    MAP_BLOCKS_EACH = 64,
    ROW_BLOCKS = 16384, /* measured: 8,192 to 16,384 of 256 threads serve an H200 best */
    COLUMN_BLOCKS = 1 << 20,
    NARROW_MAX = 1 << 30 /* indices run past the end by less than this */
};

typedef struct Run {
    Kernels *k;
    Device *d;
    const Program *p;
    ProgArgs *a;
    EmitPlan plan;
    EmitLaunch launch;
    LaunchMemo *memo; /* of this plan, NULL: none */
    bool follows;     /* the launch waits by itself for the one before it */
    bool ahead;       /* nothing runs: kernels are noted for being compiled */
} Run;

/* ---- finding the kernel ---- */

/* A numbered program (Program.serial) is asked for again and again: what was found out about it. */
struct LaunchMemo {
    uint64_t serial; /* 0: empty */
    Device *device;
    DevKernel *kernel; /* NULL: not found yet */
    uint64_t dropped;  /* kernels unloaded until it was found */
    EmitPlan plan;
};

enum { MEMOS = 64 };

static bool same_variant(const Variant *a, const Variant *b) {
    return a->shape == b->shape && a->wide == b->wide && a->cross == b->cross &&
           a->side == b->side && a->crossing == b->crossing && a->keep == b->keep &&
           a->kept == b->kept && a->shares == b->shares;
}

static LaunchMemo *memo_of(Run *r, const Variant *v) {
    Kernels *k = r->k;
    if (!r->p->serial) return NULL;
    if (!k->memos) k->memos = mem_zalloc(&k->cx->mem, MEMOS * sizeof *k->memos);
    return k->memos ? &k->memos[(r->p->serial * 4 + v->shape) % MEMOS] : NULL;
}

void cuda_memos_free(Kernels *k) {
    mem_free(&k->cx->mem, k->memos, k->memos ? MEMOS * sizeof *k->memos : 0);
}

static void prepare(Run *r, Variant v) {
    LaunchMemo *m = r->memo = memo_of(r, &v);
    if (m && m->serial == r->p->serial && m->device == r->d && same_variant(&m->plan.v, &v)) {
        r->plan = m->plan;
        r->plan.p = r->p;
        return;
    }
    emit_plan(&r->plan, r->k->cx, r->p, v);
    if (!m) return;
    m->serial = r->p->serial;
    m->device = r->d;
    m->kernel = NULL;
    m->plan = r->plan;
}

static void structure_key(const EmitPlan *e, Buf *key) {
    const Program *p = e->p;
    const uint16_t head[] = {p->rank,   p->nred,    p->ninstr, p->nslot,  p->nscalar, e->v.shape,
                             e->v.wide, e->v.cross, e->v.side, e->v.keep, e->v.kept,  e->v.shares};
    buf_clear(key);
    buf_add(key, head, sizeof head);
    buf_add(key, p->code, p->ninstr * sizeof *p->code);
    buf_add(key, p->cls, p->nslot);
    buf_add(key, &e->v.crossing, sizeof e->v.crossing);
    buf_add(key, p->scalar_type, p->nscalar);
}

static Status dump_text(const EmitPlan *e) {
    Cx *cx = e->cx;
    Buf text;
    if (!(cx->opts.dump & DUMP_CUDA) || !cx->dump) return ARR_OK;
    buf_init(&text, cx);
    buf_printf(&text, "/* %s */\n", e->name);
    Status s = emit_kernel(e, &text);
    if (s == ARR_OK) cx->dump(cx->user, text.data, text.len);
    buf_free(&text);
    return s;
}

static Status build_kernel(Run *r, DevKernel **out) {
    Kernels *k = r->k;
    Buf text;
    buf_init(&text, k->cx);
    Status s = emit_text(&r->plan, &text);
    if (s == ARR_OK) s = dump_text(&r->plan);
    if (s == ARR_OK)
        s = cache_build(k->cache, r->d, k->key.data, k->key.len, text.data, r->plan.name, out);
    buf_free(&text);
    return s;
}

static Status find_kernel(Run *r, DevKernel **out) {
    Kernels *k = r->k;
    LaunchMemo *m = r->memo;
    if (!k->cache) TRY(cache_open(k->cx, &k->cache));
    if (m && m->kernel && m->dropped == cache_dropped(k->cache)) return *out = m->kernel, ARR_OK;
    structure_key(&r->plan, &k->key);
    TRY(buf_status(&k->key));
    *out = cache_find(k->cache, r->d, k->key.data, k->key.len);
    if (!*out) TRY(build_kernel(r, out));
    if (m) m->kernel = *out;
    if (m) m->dropped = cache_dropped(k->cache);
    return ARR_OK;
}

/* In place of a launch: the kernel will be wanted. */
static Status foresee(Run *r) {
    Kernels *k = r->k;
    Buf text;
    buf_init(&text, k->cx);
    structure_key(&r->plan, &k->key);
    Status s = buf_status(&k->key);
    if (s == ARR_OK && !cache_find(k->cache, r->d, k->key.data, k->key.len)) {
        s = emit_text(&r->plan, &text);
        if (s == ARR_OK)
            cache_foresee(k->cache, r->d, k->key.data, k->key.len, text.data, r->plan.name);
    }
    buf_free(&text);
    return s;
}

static Status launch(Run *r, unsigned blocks, unsigned threads) {
    Kernels *k = r->k;
    DevKernel *kernel;
    if (r->ahead) return foresee(r);
    TRY(find_kernel(r, &kernel));
    if (r->plan.has_gather) TRY(kernel_fault_record(k, r->d, &r->launch.fault));
    if (!emit_launch_args(&r->plan, &r->launch, &k->args))
        return error_set(k->cx, ARR_ERR_INTERNAL, k->cx->span,
                         "a kernel has more parameters than a launch can take");
    DevLaunch l = {{blocks, 1, 1}, {threads, 1, 1}, r->launch.shared, k->args.ptr, r->follows};
    return r->d->ops->launch(r->d, kernel, &l);
}

static unsigned blocks_for(int64_t work, int64_t each, int64_t most) {
    int64_t n = (work + each - 1) / each;
    return (unsigned)(n < 1 ? 1 : n > most ? most : n);
}

/* ---- which slots may be accessed in vectors ---- */

/* All strides but the last loop's keep a vector's alignment. */
static bool steps_aligned(const Run *r, const SlotArg *s, size_t size, size_t align) {
    for (int j = 0; j + 1 < r->p->rank; j++)
        if (r->a->dim[j] > 1 && (uint64_t)(s->stride[j] * (int64_t)size) % align != 0) return false;
    return true;
}

/* Flat numbers begin at first and, in reductions, go on by `reduced` an output. */
static bool aligned_at(const Run *r, uint64_t start, int64_t unit, uint64_t align) {
    const EmitLaunch *l = &r->launch;
    bool map = emit_is_map(&r->plan), one = l->hi - l->lo == 1;
    int64_t each = map ? 1 : l->reduced;
    if ((start + (uint64_t)(l->lo * each * unit)) % align != 0) return false;
    return map || one || (uint64_t)(each * unit) % align == 0;
}

static bool vectors(const Run *r, int slot) {
    const Program *p = r->p;
    const Instr *i = &p->code[r->plan.slot_instr[slot]];
    const SlotArg *s = &r->a->slot[slot];
    size_t size = dtype_size((DType)i->dtype), align = size * (size_t)r->plan.vec;
    if (align > 16) align = 16;
    if (i->kind == P_IOTA) return false;
    if (i->kind == P_DRAW)
        return p->cls[slot] == ACC_CONTIG && aligned_at(r, (uint64_t)s->offset, 1, 4);
    uint64_t start = (uint64_t)(uintptr_t)s->ptr + (uint64_t)s->offset * size;
    if (p->cls[slot] == ACC_CONTIG) return aligned_at(r, start, (int64_t)size, align);
    return p->cls[slot] == ACC_STRIDED && s->stride[p->rank - 1] == 1 && start % align == 0 &&
           steps_aligned(r, s, size, align);
}

static uint64_t access_mode(const Run *r) {
    const Program *p = r->p;
    int64_t last = r->a->dim[p->rank - 1];
    bool map = emit_is_map(&r->plan);
    int loops = map ? p->rank : p->nred;
    bool rows = last % r->plan.vec == 0 && (!map || r->launch.lo % r->plan.vec == 0);
    uint64_t mode = rows ? (uint64_t)1 << 63 : 0;
    for (int s = 0; s < p->nslot; s++) {
        if (r->plan.slot_instr[s] < 0) continue;
        bool strided = p->cls[s] == ACC_STRIDED;
        if (strided && !rows && (loops > 1 || map)) continue; /* vectors would cross rows */
        if (vectors(r, s)) mode |= (uint64_t)1 << s;
    }
    return mode;
}

/* ---- maps ---- */

static bool needs_wide(const Program *p, const ProgArgs *a) {
    int64_t total = 1;
    for (int j = 0; j < p->rank; j++) total *= a->dim[j];
    return p->wide || total > NARROW_MAX;
}

/* The loop other than the last along which a strided operand's elements are neighbours; -1 if
 * there is none, or too little of it to be worth tiles. */
static int crossing_loop(const Program *p, const ProgArgs *a) {
    enum { WORTH = 16 };
    int last = p->rank - 1;
    if (a->dim[last] < WORTH) return -1;
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        if (i->kind != P_LOAD || p->cls[i->slot] != ACC_STRIDED) continue;
        const int64_t *step = a->slot[i->slot].stride;
        if (step[last] >= -1 && step[last] <= 1) continue;
        for (int j = 0; j < last; j++)
            if ((step[j] == 1 || step[j] == -1) && a->dim[j] >= WORTH) return j;
    }
    return -1;
}

static Status run_tiles(Run *r, int cross) {
    const Program *p = r->p;
    const int64_t *dim = r->a->dim;
    enum { LARGE = 512 };
    int last = p->rank - 1, side = dim[last] < LARGE || dim[cross] < LARGE ? 32 : 64;
    uint64_t crossing = emit_crossing(p, r->a, cross, 32);
    if (side == 64 && emit_crossing(p, r->a, cross, side) != crossing) side = 32;
    Variant v = {.shape = EMIT_TILE,
                 .wide = needs_wide(p, r->a),
                 .cross = (uint8_t)cross,
                 .side = (uint8_t)side,
                 .crossing = crossing};
    prepare(r, v);
    r->launch.mode = UINT64_MAX; /* vectors of one element */
    int64_t tiles = r->launch.hi / dim[last] / dim[cross];
    tiles *= ((dim[last] + side - 1) / side) * ((dim[cross] + side - 1) / side);
    return launch(r, blocks_for(tiles, 1, MAP_BLOCKS), (unsigned)side * 8);
}

static Status run_map(Run *r) {
    int cross = crossing_loop(r->p, r->a);
    bool whole = r->launch.lo == 0 && r->launch.hi == program_outputs(r->p, r->a);
    if (cross >= 0 && whole) return run_tiles(r, cross);
    prepare(r, (Variant){.shape = EMIT_MAP, .wide = needs_wide(r->p, r->a)});
    r->launch.mode = access_mode(r);
    int64_t tile = (int64_t)BLOCK * r->plan.vec * r->plan.unroll;
    int64_t most = MAP_BLOCKS;
    if (r->plan.computes) most = MAP_BLOCKS_EACH * r->d->ops->multiprocessors(r->d);
    return launch(r, blocks_for(r->launch.hi - r->launch.lo, tile, most), BLOCK);
}

/* ---- maps of which some outputs are kept ---- */

enum { POSTS_HEAD = 2 }; /* ticket, count */

static Status launch_compact(Run *r, int64_t items, size_t bytes, int64_t *count) {
    Device *d = r->d;
    void *posts;
    TRY(d->ops->alloc(d, bytes, &posts));
    r->launch.posts = posts;
    Status s = d->ops->zero(d, posts, bytes);
    if (s == ARR_OK) s = launch(r, blocks_for(items, 1, MAP_BLOCKS), BLOCK);
    if (s == ARR_OK) s = d->ops->download(d, count, (int64_t *)posts + 1, sizeof *count);
    d->ops->release(d, posts, bytes);
    return s;
}

static Status run_compact(Run *r, int keep, int kept, int64_t *count) {
    Variant v = {.shape = EMIT_COMPACT,
                 .wide = needs_wide(r->p, r->a),
                 .keep = (uint16_t)keep,
                 .kept = (uint16_t)kept};
    prepare(r, v);
    r->launch.mode = access_mode(r);
    int64_t tile = (int64_t)BLOCK * r->plan.vec * r->plan.unroll;
    int64_t items = (r->launch.hi + tile - 1) / tile;
    size_t bytes = (size_t)(POSTS_HEAD + items) * sizeof(int64_t);
    return launch_compact(r, items, bytes, count);
}

/* ---- reductions ---- */

/* Step of the innermost loop of [from, to) that is a loop at all; 0 if none. */
static int64_t inner_step(const ProgArgs *a, const SlotArg *s, int from, int to) {
    for (int j = to - 1; j >= from; j--)
        if (a->dim[j] > 1) return s->stride[j] < 0 ? -s->stride[j] : s->stride[j];
    return 0;
}

/* Are outputs rather than reduced elements neighbours in memory? Bytes decide. */
static bool prefers_columns(const Program *p, const ProgArgs *a) {
    enum { WORTH = 8 };
    int nouter = p->rank - p->nred;
    int64_t rows = 0, columns = 0, width = 1;
    for (int j = nouter - 1; j >= 0 && width == 1; j--) width = a->dim[j];
    if (width < WORTH) return false;
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        if (i->kind != P_LOAD && i->kind != P_STORE && i->kind != P_GATHER) continue;
        const SlotArg *s = &a->slot[i->slot];
        int64_t size = (int64_t)dtype_size((DType)i->dtype);
        int64_t along = inner_step(a, s, nouter, p->rank), across = inner_step(a, s, 0, nouter);
        if (along == 1)
            rows += size;
        else if (across == 1 && along != 0)
            columns += size;
    }
    return columns > rows;
}

/* Threads that have work: four lanes each, at most 32 (128 lanes). */
static int group_for(int64_t n) {
    int g = 1;
    while (g < LANES / 4 && 4 * g < n) g *= 2;
    return g;
}

static Status run_chunks(Run *r, bool columns) {
    EmitLaunch *l = &r->launch;
    int64_t items = (l->hi - l->lo) * l->nchunk;
    l->group = group_for(l->reduced);
    l->mode = columns ? UINT64_MAX : access_mode(r);
    if (columns) {
        int64_t width = r->plan.column_block / l->group;
        int64_t tiles = (l->hi - l->lo + width - 1) / width;
        return launch(r, blocks_for(tiles * l->nchunk, 1, COLUMN_BLOCKS),
                      (unsigned)r->plan.column_block);
    }
    return launch(r, blocks_for(items, BLOCK / l->group, ROW_BLOCKS), BLOCK);
}

static int64_t chunks_of(int64_t n) { return n <= CHUNK ? 1 : (n + CHUNK - 1) / CHUNK; }

/* One launch of fold: n states an output become m, or one where m is one chunk's. */
static Status fold_launch(Run *r, void *from, int64_t n, int64_t m, void *to) {
    EmitLaunch *l = &r->launch;
    int64_t outputs = l->hi - l->lo;
    l->reduced = n, l->nchunk = m;
    l->group = group_for(n);
    l->from = from, l->part = to, l->arrivals = NULL;
    if (m > 1 && m <= CHUNK) TRY(kernel_arrivals(r->k, r->d, (size_t)outputs, &l->arrivals));
    return launch(r, blocks_for(outputs * m, BLOCK / l->group, ROW_BLOCKS), BLOCK);
}

/* Fold n states an output, at from, until they are one. Takes from over. */
static Status fold(Run *r, void *from, int64_t n, size_t state) {
    Device *d = r->d;
    int64_t outputs = r->launch.hi - r->launch.lo;
    Status s = ARR_OK;
    prepare(r, (Variant){.shape = EMIT_FOLD, .wide = needs_wide(r->p, r->a)});
    r->follows = true;
    while (s == ARR_OK && from) {
        int64_t m = chunks_of(n);
        size_t bytes = (size_t)(outputs * m) * state;
        void *to = NULL;
        if (m > 1) s = d->ops->alloc(d, bytes, &to);
        if (s == ARR_OK) s = fold_launch(r, from, n, m, to);
        d->ops->release(d, from, (size_t)(outputs * n) * state);
        if (to && (m <= CHUNK || s != ARR_OK)) {
            d->ops->release(d, to, bytes);
            to = NULL;
        }
        from = to, n = m;
        r->follows = false;
    }
    return s;
}

/* Bytes of shared memory for what waits between the walks, and the outputs of a block that they
 * are for; false where they do not fit. */
static bool fit_shared(Run *r, int64_t *rows, int64_t *bytes) {
    enum { PADDING = 64, ENOUGH = 64 << 10 }; /* three such blocks keep a multiprocessor busy */
    const EmitLaunch *l = &r->launch;
    int64_t room = (l->reduced + LANES - 1) / LANES * LANES, each = room * r->plan.shared.bytes;
    int64_t fixed = 32 * (int64_t)(emit_state_size(&r->plan) + PADDING);
    int64_t most = r->d->ops->shared_memory(r->d) - fixed, warp = 32 / l->group;
    if (each == 0 || l->nchunk > SHARED_WALKERS / 32) return false;
    while (*rows > warp && *rows * each > ENOUGH) *rows /= 2;
    *bytes = *rows * each;
    return *bytes <= most;
}

/* All walks of an output by one group of threads, or by a block with a warp for each chunk. */
static Status run_chain(Run *r) {
    EmitLaunch *l = &r->launch;
    Variant v = {.shape = EMIT_CHAIN, .wide = needs_wide(r->p, r->a), .shares = 1};
    l->reduced = program_reduced(r->p, r->a);
    l->nchunk = chunks_of(l->reduced);
    l->group = group_for(l->reduced);
    if (l->nchunk > CHAIN_WALKERS / 32)
        return error_set(r->k->cx, ARR_ERR_INTERNAL, r->k->cx->span,
                         "a chain of reductions over more than 32 chunks");
    int64_t most = l->nchunk > 1 ? 1 : BLOCK / l->group, rows = most, bytes = 0;
    prepare(r, v);
    if (!fit_shared(r, &rows, &bytes)) {
        v.shares = 0, rows = most, bytes = 0;
        prepare(r, v);
    }
    l->mode = access_mode(r);
    l->shared = (unsigned)bytes;
    unsigned threads = (unsigned)(l->nchunk > 1 ? 32 * l->nchunk : rows * l->group);
    return launch(r, blocks_for(l->hi - l->lo, rows, COLUMN_BLOCKS), threads);
}

static Status run_reduction(Run *r) {
    Device *d = r->d;
    EmitLaunch *l = &r->launch;
    bool columns = prefers_columns(r->p, r->a);
    Variant v = {.shape = columns ? EMIT_COLUMNS : EMIT_ROWS, .wide = needs_wide(r->p, r->a)};
    prepare(r, v);
    l->reduced = program_reduced(r->p, r->a);
    l->nchunk = chunks_of(l->reduced);
    size_t state = emit_state_size(&r->plan), bytes = (size_t)((l->hi - l->lo) * l->nchunk) * state;
    void *part = NULL;
    if (l->nchunk > 1) TRY(d->ops->alloc(d, bytes, &part));
    l->part = part;
    Status s = run_chunks(r, columns);
    if (s == ARR_OK && part) return fold(r, part, l->nchunk, state);
    if (part) d->ops->release(d, part, bytes);
    return s;
}

/* Kernels alone: of the chunks, and of what folds their states. */
static Status foresee_reduction(Run *r) {
    bool columns = prefers_columns(r->p, r->a);
    Variant v = {.shape = columns ? EMIT_COLUMNS : EMIT_ROWS, .wide = needs_wide(r->p, r->a)};
    prepare(r, v);
    TRY(foresee(r));
    if (program_reduced(r->p, r->a) <= CHUNK) return ARR_OK;
    prepare(r, (Variant){.shape = EMIT_FOLD, .wide = v.wide});
    return foresee(r);
}

static Run *new_run(Kernels *k, Device *d, const Program *p, ProgArgs *a, int64_t lo, int64_t hi) {
    Cx *cx = k->cx;
    Run *r = mem_alloc(&cx->mem, sizeof *r);
    if (!r) return NULL;
    memset(&r->launch, 0, sizeof r->launch);
    r->k = k, r->d = d, r->p = p, r->a = a;
    r->launch.args = a, r->launch.lo = lo, r->launch.hi = hi;
    r->ahead = r->follows = false;
    return r;
}

Status cuda_run_program(Kernels *k, Device *d, const Program *p, ProgArgs *a, int64_t lo,
                        int64_t hi) {
    Run *r = new_run(k, d, p, a, lo, hi);
    if (!r) return error_memory(k->cx, sizeof *r);
    Status s = program_is_chain(p) ? run_chain(r) : p->nred ? run_reduction(r) : run_map(r);
    mem_free(&k->cx->mem, r, sizeof *r);
    return s;
}

Status cuda_foresee(Kernels *k, Device *d, const Program *p, ProgArgs *a) {
    Run *r = new_run(k, d, p, a, 0, program_outputs(p, a));
    Status s = ARR_OK;
    if (!r) return error_memory(k->cx, sizeof *r);
    r->ahead = true;
    if (!k->cache) s = cache_open(k->cx, &k->cache);
    if (s == ARR_OK)
        s = program_is_chain(p) ? run_chain(r) : p->nred ? foresee_reduction(r) : run_map(r);
    mem_free(&k->cx->mem, r, sizeof *r);
    return s;
}

Status cuda_run_compact(Kernels *k, Device *d, const Program *p, ProgArgs *a, int keep, int kept,
                        int64_t *count) {
    Run *r = new_run(k, d, p, a, 0, program_outputs(p, a));
    if (!r) return error_memory(k->cx, sizeof *r);
    Status s = run_compact(r, keep, kept, count);
    mem_free(&k->cx->mem, r, sizeof *r);
    return s;
}
