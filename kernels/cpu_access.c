/* cpu_access - strided slots to and from blocks (see cpu_plan.h).
 *
 * Callers: plan_run. A block of a space is a few runs along its last loop, each with one stride;
 * the coordinates of a block are found by division once and then counted like an odometer.
 * Invariant: addresses are base + slot offset + sum(i * stride), whatever the block's cut. */
#include "kernels/cpu_plan.h"

#include <string.h>

static void copy_strided(void *out, const char *in, int64_t stride, size_t item, size_t n) {
    switch (item) {
#define COPY(T)                                                       \
    case sizeof(T): {                                                 \
        T *q = out;                                                   \
        const T *p = (const T *)(const void *)in;                     \
        for (size_t i = 0; i < n; i++) q[i] = p[(int64_t)i * stride]; \
        break;                                                        \
    }
        COPY(uint8_t)
        COPY(uint16_t)
        COPY(uint32_t)
        COPY(uint64_t)
        COPY(Complex128)
#undef COPY
    }
}

static void put_strided(char *out, int64_t stride, const void *in, size_t item, size_t n) {
    switch (item) {
#define COPY(T)                                                       \
    case sizeof(T): {                                                 \
        T *q = (T *)(void *)out;                                      \
        const T *p = in;                                              \
        for (size_t i = 0; i < n; i++) q[(int64_t)i * stride] = p[i]; \
        break;                                                        \
    }
        COPY(uint8_t)
        COPY(uint16_t)
        COPY(uint32_t)
        COPY(uint64_t)
        COPY(Complex128)
#undef COPY
    }
}

void access_fill(void *out, size_t item, size_t n, const void *element) {
    if (n == 0) return;
    memcpy(out, element, item);
    for (size_t have = 1; have < n;) { /* doubling: the copies soon are long */
        size_t more = have < n - have ? have : n - have;
        memcpy((char *)out + have * item, out, more * item);
        have += more;
    }
}

/* Where a block is: coordinates, offset of the current run, elements left in it. */
typedef struct Walk {
    const Space *s;
    const int64_t *stride;
    int64_t i[MAX_RANK];
    int64_t offset, left;
} Walk;

static void walk_begin(Walk *w, const Space *s, int slot, int64_t at) {
    w->s = s;
    w->stride = s->stride + slot * MAX_RANK;
    w->offset = 0;
    w->left = s->size;
    if (s->rank == 0) return;
    for (int d = s->rank - 1; d >= 0; d--) {
        w->i[d] = d > 0 ? at % s->dim[d] : at;
        at /= s->dim[d];
        w->offset += w->i[d] * w->stride[d];
    }
    w->left = s->dim[s->rank - 1] - w->i[s->rank - 1];
}

/* To the start of the next run; the current one was used up. */
static void walk_next(Walk *w) {
    const Space *s = w->s;
    int d = s->rank - 1;
    w->offset -= w->i[d] * w->stride[d];
    w->i[d] = 0;
    while (--d >= 0) {
        w->offset += w->stride[d];
        if (++w->i[d] < s->dim[d]) break;
        w->offset -= s->dim[d] * w->stride[d];
        w->i[d] = 0;
    }
    w->left = s->dim[s->rank - 1];
}

/* For each run of the block: `offset`, `step`, `m` elements beginning with the block's `k`-th. */
#define FOR_RUNS(plan, slot, at, n)                                                     \
    Walk walk;                                                                          \
    walk_begin(&walk, &(plan)->space, slot, at);                                        \
    int64_t step = (plan)->space.rank ? walk.stride[(plan)->space.rank - 1] : 0, m = 0; \
    for (int64_t k = 0; k < (n); k += m, k < (n) ? walk_next(&walk) : (void)0)          \
        if (m = walk.left < (n)-k ? walk.left : (n)-k, m > 0)

void access_fetch(const CpuPlan *plan, int slot, const char *base, size_t item, int64_t at,
                  int64_t n, void *out) {
    FOR_RUNS(plan, slot, at, n) {
        const char *from = base + walk.offset * (int64_t)item;
        char *to = (char *)out + k * (int64_t)item;
        if (m == 1 || step == 1)
            memcpy(to, from, (size_t)m * item);
        else if (step == 0)
            access_fill(to, item, (size_t)m, from);
        else
            copy_strided(to, from, step, item, (size_t)m);
    }
}

void access_put(const CpuPlan *plan, int slot, char *base, size_t item, int64_t at, int64_t n,
                const void *in) {
    FOR_RUNS(plan, slot, at, n) {
        char *to = base + walk.offset * (int64_t)item;
        const char *from = (const char *)in + k * (int64_t)item;
        if (m == 1 || step == 1)
            memcpy(to, from, (size_t)m * item);
        else
            put_strided(to, step, from, item, (size_t)m);
    }
}

void access_numbers(const CpuPlan *plan, int slot, int64_t base, int64_t at, int64_t n,
                    int64_t *out) {
    FOR_RUNS(plan, slot, at, n) {
        int64_t first = base + walk.offset;
        for (int64_t i = 0; i < m; i++) out[k + i] = first + i * step;
    }
}
