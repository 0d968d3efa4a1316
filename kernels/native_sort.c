/* native_sort - stable sorts on the CPU (native_cpu_sort).
 *
 * Lines are shared between threads, each a radix sort of its keys. A long line alone is cut into a
 * piece for each thread, and the sorted pieces are merged pairwise, every merge again in parts on
 * all threads. Where only values are wanted they are made from the keys; the zeros, which are one
 * key, are then put back with their own signs in their own order.
 * Callers: kernel.c. The result does not depend on how the work was cut. */
#include "kernels/cpu_plan.h"
#include "kernels/native_cpu.h"
#include "kernels/sort_cpu.h"

#include <string.h>

/* A line is worth sharing from ALONE elements on; a part of a merge has MERGE_PART. */
enum { ALONE = 1 << 16, MERGE_PART = 1 << 16, PIECES = 64 };
enum { STOPPED = 1 }; /* what a part answers that saw the interrupt */

typedef struct Sort {
    const SortKind *kind;
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
    int64_t line, pieces, cut[PIECES + 1];
    char *from, *to;
    int64_t merge[PIECES]; /* first part of the merge of pieces 2 i and 2 i + 1 */
    int64_t negative[PIECES];
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
        for (int64_t i = 0; i < n; i++) e[i] = (Pair32){k[i], (uint32_t)(lo + i)};
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
        if (!c->kind->sort(p, q, c->s.axis, key_bits(c), c->stop)) return STOPPED;
        put_entries(c, line, 0, c->s.axis, p);
        if (negative && !c->index) restore_zeros(c, line, p);
    }
    return 0;
}

/* ---- a long line ---- */

static int piece_part(void *ctx, int64_t part, int thread) {
    enum { STRETCH = 1 << 20 }; /* entries between two looks at the interrupt */
    Sort *c = ctx;
    int64_t begin = c->cut[part], end = c->cut[part + 1];
    size_t size = c->kind->size;
    (void)thread;
    c->negative[part] = 0;
    for (int64_t lo = begin, hi; lo < end; lo = hi) {
        hi = end - lo < STRETCH ? end : lo + STRETCH;
        if (c->stop && atomic_load_explicit(c->stop, memory_order_relaxed)) return STOPPED;
        char *p = c->from + (size_t)lo * size, *q = c->to + (size_t)lo * size;
        c->negative[part] += make_entries(c, c->line, lo, hi, p, q);
    }
    char *p = c->from + (size_t)begin * size, *q = c->to + (size_t)begin * size;
    return c->kind->sort(p, q, end - begin, key_bits(c), c->stop) ? 0 : STOPPED;
}

static int merge_part(void *ctx, int64_t part, int thread) {
    Sort *c = ctx;
    size_t size = c->kind->size;
    int64_t m = 0;
    (void)thread;
    while (2 * (m + 1) < c->pieces && c->merge[m + 1] <= part) m++;
    int64_t a = c->cut[2 * m], b = c->cut[2 * m + 1];
    int64_t end = 2 * m + 2 <= c->pieces ? c->cut[2 * m + 2] : b;
    int64_t lo = (part - c->merge[m]) * MERGE_PART, n = end - a;
    int64_t hi = n - lo < MERGE_PART ? n : lo + MERGE_PART;
    c->kind->merge(c->from + (size_t)a * size, b - a, c->from + (size_t)b * size, end - b, lo, hi,
                   c->to + (size_t)a * size);
    return 0;
}

/* Pieces 2 i and 2 i + 1 become piece i; a last odd one is copied by the same parts. */
static Status merge_round(Device *d, Sort *c) {
    int64_t parts = 0, merges = (c->pieces + 1) / 2;
    for (int64_t m = 0; m < merges; m++) {
        int64_t end = 2 * m + 2 <= c->pieces ? c->cut[2 * m + 2] : c->cut[2 * m + 1];
        c->merge[m] = parts;
        parts += (end - c->cut[2 * m] + MERGE_PART - 1) / MERGE_PART;
    }
    TRY(d->ops->parallel(d, merge_part, c, parts, NULL));
    for (int64_t m = 0; m < merges; m++) c->cut[m] = c->cut[2 * m];
    c->cut[merges] = c->s.axis;
    c->pieces = merges;
    char *t = c->from;
    c->from = c->to, c->to = t;
    return ARR_OK;
}

static int put_part(void *ctx, int64_t part, int thread) {
    Sort *c = ctx;
    int64_t lo = part * MERGE_PART, hi = lo + MERGE_PART;
    (void)thread;
    put_entries(c, c->line, lo, hi < c->s.axis ? hi : c->s.axis, c->from);
    return 0;
}

static Status sort_long(Device *d, Sort *c, int64_t line) {
    int64_t pieces = d->ops->threads(d), negative = 0;
    c->line = line;
    c->pieces = pieces = pieces < PIECES ? pieces : PIECES;
    for (int64_t i = 0; i <= pieces; i++) c->cut[i] = c->s.axis / pieces * i;
    c->cut[pieces] = c->s.axis;
    c->from = c->scratch;
    c->to = c->scratch + c->each / 2;
    TRY(run_parts(d, piece_part, c, pieces));
    for (int64_t i = 0; i < pieces; i++) negative += c->negative[i];
    while (c->pieces > 1) TRY(merge_round(d, c));
    TRY(d->ops->parallel(d, put_part, c, (c->s.axis + MERGE_PART - 1) / MERGE_PART, NULL));
    if (negative && !c->index) restore_zeros(c, line, c->from);
    return ARR_OK;
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
    bool share = s.axis >= ALONE && lines < threads;
    c.each = 2 * ((c.kind->size * (size_t)s.axis + 63) / 64 * 64);
    c.part = part_size(d, lines, 1, s.axis < 1 << 12 ? s.axis * 32 : 1 << 17);
    int64_t parts = (lines + c.part - 1) / c.part;
    size_t bytes = c.each * (size_t)(share || parts == 1 ? 1 : threads);
    void *memory;
    TRY(d->ops->alloc(d, bytes, &memory));
    c.scratch = memory;
    d->stats.launches++;
    Status st = ARR_OK;
    if (!share) st = run_parts(d, lines_part, &c, parts);
    for (int64_t line = 0; line < lines && share && st == ARR_OK; line++)
        st = sort_long(d, &c, line);
    d->ops->release(d, memory, bytes);
    return st;
}
