/* native_sort - stable sorts on the CPU (native_cpu_sort).
 *
 * Lines are shared between threads, each a sort of its keys. A long line is cut into pieces, and
 * each pass over a digit runs on all threads: counts of every piece, places, entries moved. Where
 * the processor sorts vectors, keys and (narrow key, place) as one number are sorted by them; a
 * long line is split between threads until there is enough for all.
 * Where only values are wanted they are made from the keys; the zeros, which are one key, are then
 * put back with their own signs in their own order. Callers: kernel.c. The result does not depend
 * on how the work was cut. */
#include "kernels/cpu_plan.h"
#include "kernels/native_cpu.h"
#include "kernels/sort_cpu.h"

#include <string.h>

/* A line is worth sharing from ALONE elements on where there are fewer lines than threads, from
 * ALWAYS on anyway; its pieces have PIECE elements, but there are PIECES at most. A buffer of BIG
 * bytes does not stay in the cache. Segments from SPLIT elements on are split, until each thread
 * has its SHARES. */
enum { ALONE = 1 << 16, ALWAYS = 1 << 20, PIECE = 1 << 19, PIECES = 4096, BIG = 4 << 20 };
enum { SPLIT = 1 << 15, SHARES = 8 };
enum { STOPPED = 1 }; /* what a part answers that saw the interrupt */

typedef struct Sort {
    const SortKind *kind;
    const SortQuick *quick; /* NULL: radix sorts */
    DType t;
    AxisShape s;
    bool descending;
    const char *in;
    char *values;
    int64_t *index;
    char *scratch; /* two buffers of a line a thread, or of the one line */
    size_t each;   /* bytes of the two */
    int64_t part;
    _Atomic int *stop; /* NULL: nothing may stop it */
    /* a long line */
    int64_t line, pieces, piece; /* elements of a piece, but the last */
    char *from, *to;
    int shift;                     /* of the digit in work */
    int64_t (*count)[SORT_DIGITS]; /* [piece] then where its entries go */
    int64_t *negative;             /* [piece] */
    int64_t nseg, *seg, *low;      /* segments of a split line begin here; [segment] their split */
} Sort;

static int64_t line_start(const Sort *c, int64_t line) {
    return line / c->s.inner * c->s.axis * c->s.inner + line % c->s.inner;
}

static int key_bits(const Sort *c) { return (int)dtype_size(c->t) * 8; }

/* Entries [lo, hi) of a line into p, keys by way of q. Answers the number of -0. */
static int64_t make_entries(const Sort *c, int64_t line, int64_t lo, int64_t hi, char *p, char *q) {
    size_t item = dtype_size(c->t);
    const char *in = c->in + (size_t)(line_start(c, line) + lo * c->s.inner) * item;
    int64_t n = hi - lo;
    if (!c->index) return sort_keys(c->t, in, c->s.inner, n, c->descending, p);
    int64_t negative = sort_keys(c->t, in, c->s.inner, n, c->descending, q);
    if (c->kind == &sort_pair32) {
        Pair32 *e = (Pair32 *)(void *)p;
        const uint32_t *k = (const uint32_t *)(const void *)q;
        for (int64_t i = 0; i < n; i++) e[i] = (Pair32){.key = k[i], .at = (uint32_t)(lo + i)};
    } else {
        Pair64 *e = (Pair64 *)(void *)p;
        const uint64_t *k = (const uint64_t *)(const void *)q;
        const uint32_t *narrow = (const uint32_t *)(const void *)q;
        bool wide = item == 8;
        for (int64_t i = 0; i < n; i++)
            e[i] = (Pair64){wide ? k[i] : narrow[i], (uint64_t)(lo + i)};
    }
    return negative;
}

static int64_t place_of(const Sort *c, const char *p, int64_t i) {
    if (c->kind == &sort_pair32) return ((const Pair32 *)(const void *)p)[i].at;
    return (int64_t)((const Pair64 *)(const void *)p)[i].at;
}

/* Sorted entries [lo, hi) of a line as results. */
static void put_entries(const Sort *c, int64_t line, int64_t lo, int64_t hi, const char *p) {
    size_t item = dtype_size(c->t);
    int64_t start = line_start(c, line), step = c->s.inner;
    if (!c->index) {
        sort_values(c->t, p + (size_t)lo * c->kind->size, hi - lo, c->descending,
                    c->values + (size_t)(start + lo * step) * item, step);
        return;
    }
    for (int64_t i = lo; i < hi; i++) {
        int64_t from = place_of(c, p, i);
        c->index[start + i * step] = from;
        if (c->values)
            memcpy(c->values + (size_t)(start + i * step) * item,
                   c->in + (size_t)(start + from * step) * item, item);
    }
}

static uint64_t key_at(const Sort *c, const char *p, int64_t i) {
    if (c->kind == &sort_key32) return ((const uint32_t *)(const void *)p)[i];
    return ((const uint64_t *)(const void *)p)[i];
}

/* Values only: the run of zeros gets the signs of the line's zeros, in their order. */
static void restore_zeros(const Sort *c, int64_t line, const char *p) {
    size_t item = dtype_size(c->t);
    uint64_t zero = sort_zero(c->t, c->descending), bits;
    int64_t lo = 0, hi = c->s.axis, start = line_start(c, line), step = c->s.inner;
    while (lo < hi) {
        int64_t i = lo + (hi - lo) / 2;
        if (key_at(c, p, i) < zero)
            lo = i + 1;
        else
            hi = i;
    }
    for (int64_t i = 0; i < c->s.axis; i++) {
        const char *x = c->in + (size_t)(start + i * step) * item;
        bits = 0;
        memcpy(&bits, x, item);
        if (bits << (64 - key_bits(c)) << 1 == 0)
            memcpy(c->values + (size_t)(start + lo++ * step) * item, x, item);
    }
}

/* Parts that look for the interrupt themselves as well, being long. */
static Status run_parts(Device *d, DevPart part, Sort *c, int64_t n) {
    int rc = 0;
    TRY(d->ops->parallel(d, part, c, n, &rc));
    return rc == STOPPED ? error_interrupted(d->cx) : ARR_OK;
}

static int lines_part(void *ctx, int64_t part, int thread) {
    Sort *c = ctx;
    char *p = c->scratch + (size_t)thread * c->each, *q = p + c->each / 2;
    int64_t lines = c->s.outer * c->s.inner;
    for (int64_t line = part * c->part; line < (part + 1) * c->part && line < lines; line++) {
        int64_t negative = make_entries(c, line, 0, c->s.axis, p, q);
        bool (*sort)(void *, void *, int64_t, int, _Atomic int *) =
            c->quick ? c->quick->sort : c->kind->sort;
        if (!sort(p, q, c->s.axis, key_bits(c), c->stop)) return STOPPED;
        put_entries(c, line, 0, c->s.axis, p);
        if (negative && !c->index) restore_zeros(c, line, p);
    }
    return 0;
}

/* ---- a long line ---- */

static int64_t piece_end(const Sort *c, int64_t part) {
    return part + 1 < c->pieces ? (part + 1) * c->piece : c->s.axis;
}

static int entries_part(void *ctx, int64_t part, int thread) {
    Sort *c = ctx;
    size_t at = (size_t)(part * c->piece) * c->kind->size;
    (void)thread;
    c->negative[part] =
        make_entries(c, c->line, part * c->piece, piece_end(c, part), c->from + at, c->to + at);
    return 0;
}

static int count_part(void *ctx, int64_t part, int thread) {
    Sort *c = ctx;
    int64_t at = part * c->piece;
    (void)thread;
    c->kind->count(c->from + (size_t)at * c->kind->size, piece_end(c, part) - at, c->shift,
                   c->count[part]);
    return 0;
}

static int spread_part(void *ctx, int64_t part, int thread) {
    Sort *c = ctx;
    int64_t at = part * c->piece;
    (void)thread;
    c->kind->spread(c->from + (size_t)at * c->kind->size, piece_end(c, part) - at, c->shift,
                    c->count[part], c->to, c->each / 2 >= BIG);
    return 0;
}

static int put_part(void *ctx, int64_t part, int thread) {
    Sort *c = ctx;
    (void)thread;
    put_entries(c, c->line, part * c->piece, piece_end(c, part), c->from);
    return 0;
}

/* Counts become places: by digit, then by piece. false: all entries share the digit. */
static bool places(Sort *c) {
    int64_t sum = 0;
    for (int d = 0; d < SORT_DIGITS; d++) {
        int64_t before = sum;
        for (int64_t i = 0; i < c->pieces; i++) {
            int64_t here = c->count[i][d];
            c->count[i][d] = sum;
            sum += here;
        }
        if (sum - before == c->s.axis) return false;
    }
    return true;
}

static Status radix_long(Device *d, Sort *c) {
    for (c->shift = 0; c->shift < key_bits(c); c->shift += SORT_DIGIT) {
        TRY(d->ops->parallel(d, count_part, c, c->pieces, NULL));
        if (!places(c)) continue;
        TRY(d->ops->parallel(d, spread_part, c, c->pieces, NULL));
        char *t = c->from;
        c->from = c->to, c->to = t;
    }
    return ARR_OK;
}

static int split_part(void *ctx, int64_t part, int thread) {
    Sort *c = ctx;
    size_t at = (size_t)c->seg[part] * c->kind->size;
    int64_t n = c->seg[part + 1] - c->seg[part];
    bool done;
    (void)thread;
    c->low[part] = n < SPLIT ? n : c->quick->split(c->from + at, c->to + at, n, &done, c->stop);
    return c->low[part] < 0 ? STOPPED : 0;
}

static int segment_part(void *ctx, int64_t part, int thread) {
    Sort *c = ctx;
    size_t at = (size_t)c->seg[part] * c->kind->size;
    int64_t n = c->seg[part + 1] - c->seg[part];
    (void)thread;
    return c->quick->sort(c->from + at, c->to + at, n, 0, c->stop) ? 0 : STOPPED;
}

/* Every round splits all segments, so that there are twice as many; empty ones are harmless. */
static Status quick_long(Device *d, Sort *c) {
    c->nseg = 1;
    c->seg[0] = 0;
    c->seg[1] = c->s.axis;
    while (c->nseg < SHARES * d->ops->threads(d) && c->s.axis / c->nseg >= SPLIT) {
        TRY(run_parts(d, split_part, c, c->nseg));
        for (int64_t i = c->nseg; i-- > 0;) {
            c->seg[2 * i + 2] = c->seg[i + 1];
            c->seg[2 * i + 1] = c->seg[i] + c->low[i];
        }
        c->nseg *= 2;
    }
    return run_parts(d, segment_part, c, c->nseg);
}

static Status sort_long(Device *d, Sort *c, int64_t line) {
    int64_t negative = 0;
    c->line = line;
    c->from = c->scratch;
    c->to = c->scratch + c->each / 2;
    TRY(d->ops->parallel(d, entries_part, c, c->pieces, NULL));
    for (int64_t i = 0; i < c->pieces; i++) negative += c->negative[i];
    TRY(c->quick ? quick_long(d, c) : radix_long(d, c));
    TRY(d->ops->parallel(d, put_part, c, c->pieces, NULL));
    if (negative && !c->index) restore_zeros(c, line, c->from);
    return ARR_OK;
}

/* The pieces of long lines, and what is noted about them. */
static Status long_lines(Device *d, Sort *c, int64_t lines) {
    int64_t threads = d->ops->threads(d);
    c->pieces = c->s.axis / PIECE;
    c->pieces = c->pieces < threads ? threads : c->pieces > PIECES ? PIECES : c->pieces;
    c->piece = c->s.axis / c->pieces;
    size_t counts = (size_t)c->pieces * sizeof *c->count;
    int64_t segments = 2 * SHARES * threads;
    size_t bytes = counts + (size_t)(c->pieces + 2 * segments + 1) * sizeof(int64_t);
    void *memory;
    TRY(d->ops->alloc(d, bytes, &memory));
    c->count = memory;
    c->negative = (int64_t *)(void *)((char *)memory + counts);
    c->seg = c->negative + c->pieces;
    c->low = c->seg + segments + 1;
    Status st = ARR_OK;
    for (int64_t line = 0; line < lines && st == ARR_OK; line++) st = sort_long(d, c, line);
    d->ops->release(d, memory, bytes);
    return st;
}

Status native_cpu_sort(Device *d, DType t, AxisShape s, bool descending, const void *in,
                       void *out_values, int64_t *out_index) {
    int64_t lines = s.outer * s.inner, threads = d->ops->threads(d);
    if (lines == 0 || s.axis == 0) return ARR_OK;
    Sort c = {.t = t,
              .s = s,
              .descending = descending,
              .stop = d->cx->hold ? NULL : &d->cx->interrupt,
              .in = in,
              .values = out_values,
              .index = out_index};
    bool narrow = dtype_size(t) <= 4;
    if (out_index)
        c.kind = narrow && s.axis <= UINT32_MAX ? &sort_pair32 : &sort_pair64;
    else
        c.kind = narrow ? &sort_key32 : &sort_key64;
    c.quick = sort_quick(c.kind);
    bool share = s.axis >= ALWAYS || (s.axis >= ALONE && lines < threads);
    c.each = 2 * ((c.kind->size * (size_t)s.axis + 63) / 64 * 64);
    c.part = part_size(d, lines, 1, s.axis < 1 << 12 ? s.axis * 32 : 1 << 17);
    int64_t parts = (lines + c.part - 1) / c.part;
    size_t bytes = c.each * (size_t)(share || parts == 1 ? 1 : threads);
    void *memory;
    TRY(d->ops->alloc(d, bytes, &memory));
    c.scratch = memory;
    d->stats.launches++;
    Status st = share ? long_lines(d, &c, lines) : run_parts(d, lines_part, &c, parts);
    d->ops->release(d, memory, bytes);
    return st;
}
