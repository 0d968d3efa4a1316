/* native_sort - stable sorts on the CPU (native_cpu_sort): radix on order-preserving keys.
 *
 * An element becomes an unsigned key that orders as it does: -0 and 0 are one key, nan is the
 * greatest whatever the direction, descending complements the rest. Pairs of key and place are
 * sorted digit by digit, least first, passes over a digit that all keys share are left out; values
 * are then fetched by their places, so that equal keys keep their own bits and order.
 * Callers: kernel.c. Lines are shared between threads. */
#include "kernels/cpu_plan.h"
#include "kernels/native_cpu.h"

#include <string.h>

enum { DIGIT = 8, BUCKETS = 1 << DIGIT, SHORT = 48 };

typedef struct Pair32 {
    uint32_t key, at;
} Pair32;
typedef struct Pair64 {
    uint64_t key, at;
} Pair64;

#define PAIR_SORT(W)                                                                             \
    static void insertion##W(Pair##W *p, int64_t n) {                                            \
        for (int64_t i = 1; i < n; i++) {                                                        \
            Pair##W x = p[i];                                                                    \
            int64_t j = i;                                                                       \
            for (; j > 0 && p[j - 1].key > x.key; j--) p[j] = p[j - 1];                          \
            p[j] = x;                                                                            \
        }                                                                                        \
    }                                                                                            \
    /* Sorts p with the help of q; answers which of them holds the result. */                    \
    static Pair##W *radix##W(Pair##W *p, Pair##W *q, int64_t n, int bytes) {                     \
        int64_t count[8][BUCKETS];                                                               \
        if (n <= SHORT) {                                                                        \
            insertion##W(p, n);                                                                  \
            return p;                                                                            \
        }                                                                                        \
        memset(count, 0, (size_t)bytes * sizeof count[0]);                                       \
        for (int64_t i = 0; i < n; i++)                                                          \
            for (int b = 0; b < bytes; b++) count[b][p[i].key >> (b * DIGIT) & (BUCKETS - 1)]++; \
        for (int b = 0; b < bytes; b++) {                                                        \
            int64_t *c = count[b], sum = 0;                                                      \
            if (c[p[0].key >> (b * DIGIT) & (BUCKETS - 1)] == n) continue;                       \
            for (int k = 0; k < BUCKETS; k++) {                                                  \
                int64_t here = c[k];                                                             \
                c[k] = sum;                                                                      \
                sum += here;                                                                     \
            }                                                                                    \
            for (int64_t i = 0; i < n; i++)                                                      \
                q[c[p[i].key >> (b * DIGIT) & (BUCKETS - 1)]++] = p[i];                          \
            Pair##W *t = p;                                                                      \
            p = q, q = t;                                                                        \
        }                                                                                        \
        return p;                                                                                \
    }
PAIR_SORT(32)
PAIR_SORT(64)

/* ---- keys ---- */

/* The key of the element at p, in the low 8 * dtype_size bits. */
static uint64_t key_of(DType t, const char *p, bool descending) {
    uint64_t u = 0;
    size_t size = dtype_size(t);
    memcpy(&u, p, size); /* little-endian, as all supported machines are */
    uint64_t sign = (uint64_t)1 << (size * 8 - 1), most = sign | (sign - 1);
    if (dtype_is_float(t)) {
        static const uint64_t infs[] = {0x7c00, 0x7f80, 0x7f800000, (uint64_t)0x7ff00000 << 32};
        uint64_t magnitude = u & (sign - 1);
        if (magnitude > infs[t - DT_f16]) return most;
        if (magnitude == 0) u = 0;
        u = u & sign ? ~u & most : u | sign;
    } else if (dtype_kind(t) == DK_INT) {
        u ^= sign;
    }
    return descending ? ~u & most : u;
}

typedef struct Sort {
    DType t;
    AxisShape s;
    bool descending, narrow;
    const char *in;
    char *values;
    int64_t *index;
    char *scratch;
    size_t each;
    int64_t part;
} Sort;

static int64_t line_start(const Sort *c, int64_t line) {
    return line / c->s.inner * c->s.axis * c->s.inner + line % c->s.inner;
}

static void put_one(const Sort *c, int64_t start, int64_t i, int64_t from) {
    size_t item = dtype_size(c->t);
    int64_t to = start + i * c->s.inner;
    if (c->index) c->index[to] = from;
    if (c->values)
        memcpy(c->values + (size_t)to * item, c->in + (size_t)(start + from * c->s.inner) * item,
               item);
}

#define SORT_LINE(W)                                                                    \
    static void sort_line##W(const Sort *c, int64_t line, char *scratch) {              \
        Pair##W *p = (Pair##W *)(void *)scratch, *q = p + c->s.axis;                    \
        size_t item = dtype_size(c->t);                                                 \
        int64_t start = line_start(c, line);                                            \
        for (int64_t i = 0; i < c->s.axis; i++) {                                       \
            const char *x = c->in + (size_t)(start + i * c->s.inner) * item;            \
            p[i].key = (uint##W##_t)key_of(c->t, x, c->descending);                     \
            p[i].at = (uint##W##_t)i;                                                   \
        }                                                                               \
        p = radix##W(p, q, c->s.axis, (int)item);                                       \
        for (int64_t i = 0; i < c->s.axis; i++) put_one(c, start, i, (int64_t)p[i].at); \
    }
SORT_LINE(32)
SORT_LINE(64)

static int sort_part(void *ctx, int64_t part, int thread) {
    Sort *c = ctx;
    char *scratch = c->scratch + (size_t)thread * c->each;
    int64_t lines = c->s.outer * c->s.inner;
    for (int64_t line = part * c->part; line < (part + 1) * c->part && line < lines; line++) {
        if (c->narrow)
            sort_line32(c, line, scratch);
        else
            sort_line64(c, line, scratch);
    }
    return 0;
}

Status native_cpu_sort(Device *d, DType t, AxisShape s, bool descending, const void *in,
                       void *out_values, int64_t *out_index) {
    int64_t lines = s.outer * s.inner;
    if (lines == 0 || s.axis == 0) return ARR_OK;
    Sort c = {.t = t,
              .s = s,
              .descending = descending,
              .in = in,
              .values = out_values,
              .index = out_index};
    c.narrow = dtype_size(t) <= 4 && s.axis <= UINT32_MAX;
    size_t pair = c.narrow ? sizeof(Pair32) : sizeof(Pair64);
    c.each = (2 * pair * (size_t)s.axis + 63) / 64 * 64;
    int64_t cost = s.axis < 1 << 12 ? s.axis * 8 : 1 << 15;
    c.part = part_size(d, lines, 1, cost);
    int64_t parts = (lines + c.part - 1) / c.part;
    size_t bytes = c.each * (size_t)(parts > 1 ? d->ops->threads(d) : 1);
    void *memory;
    TRY(d->ops->alloc(d, bytes, &memory));
    c.scratch = memory;
    d->stats.launches++;
    Status st = d->ops->parallel(d, sort_part, &c, parts, NULL);
    d->ops->release(d, memory, bytes);
    return st;
}
