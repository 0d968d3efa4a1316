/* cpu_access - strided slots to and from blocks (see cpu_plan.h).
 *
 * Callers: plan_run. A block of a space is a few runs along its last loop, each with one stride;
 * the coordinates of a block are found by division once and then counted like an odometer.
 * Invariant: addresses are base + slot offset + sum(i * stride), whatever the block's cut. */
#include "kernels/cpu_plan.h"

#include <string.h>

/* Four at a time: the addresses of one step are computed side by side. */
#define COPY_STRIDED(name, T)                                                \
    static void name(T *q, const T *p, int64_t stride, size_t n) {           \
        size_t i = 0;                                                        \
        for (; i + 4 <= n; i += 4, p += 4 * stride) {                        \
            T a = p[0], b = p[stride], c = p[2 * stride], d = p[3 * stride]; \
            q[i] = a, q[i + 1] = b, q[i + 2] = c, q[i + 3] = d;              \
        }                                                                    \
        for (; i < n; i++, p += stride) q[i] = *p;                           \
    }
COPY_STRIDED(copy8, uint8_t)
COPY_STRIDED(copy16, uint16_t)
COPY_STRIDED(copy32, uint32_t)
COPY_STRIDED(copy64, uint64_t)
COPY_STRIDED(copy128, Complex128)

static void copy_strided(void *q, const void *p, int64_t stride, size_t item, size_t n) {
    switch (item) {
    case 1: copy8(q, p, stride, n); break;
    case 2: copy16(q, p, stride, n); break;
    case 4: copy32(q, p, stride, n); break;
    case 8: copy64(q, p, stride, n); break;
    default: copy128(q, p, stride, n); break;
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

/* ---- tiles ---- */

static int64_t tile_offset(const CpuPlan *plan, const CpuTile *t, int slot) {
    const int64_t *st = plan->space.stride + slot * MAX_RANK;
    int64_t offset = 0;
    for (int d = 0; d < plan->space.rank; d++) offset += t->start[d] * st[d];
    return offset;
}

/* Memory runs along the rows' loop: read along it, write across. */
#define TURN(name, T)                                                                       \
    static void name(T *q, const T *p, int64_t stride, int64_t rows, int64_t cols) {        \
        int64_t c = 0;                                                                      \
        for (; c + 4 <= cols; c += 4) {                                                     \
            const T *a = p + c * stride, *b = a + stride, *d = b + stride, *e = d + stride; \
            for (int64_t r = 0; r < rows; r++) {                                            \
                T *o = q + r * cols + c;                                                    \
                o[0] = a[r], o[1] = b[r], o[2] = d[r], o[3] = e[r];                         \
            }                                                                               \
        }                                                                                   \
        for (; c < cols; c++)                                                               \
            for (int64_t r = 0; r < rows; r++) q[r * cols + c] = p[c * stride + r];         \
    }
TURN(turn8, uint8_t)
TURN(turn16, uint16_t)
TURN(turn128, Complex128)

/* Squares of 16 bytes by 16 bytes are turned in registers. */
typedef uint32_t Four __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t Two __attribute__((vector_size(16), aligned(8), may_alias));
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

static void turn32(uint32_t *q, const uint32_t *p, int64_t stride, int64_t rows, int64_t cols) {
    int64_t whole = rows / 4 * 4, c = 0;
    for (; c + 4 <= cols; c += 4) {
        const uint32_t *from = p + c * stride;
        uint32_t *to = q + c;
        for (int64_t r = 0; r < whole; r += 4) {
            Four a = *(const Four *)(from + r), b = *(const Four *)(from + stride + r),
                 d = *(const Four *)(from + 2 * stride + r),
                 e = *(const Four *)(from + 3 * stride + r);
            Four ab = MIX(a, b, 0, 4, 1, 5), de = MIX(d, e, 0, 4, 1, 5);
            *(Four *)(to + r * cols) = MIX(ab, de, 0, 1, 4, 5);
            *(Four *)(to + (r + 1) * cols) = MIX(ab, de, 2, 3, 6, 7);
            ab = MIX(a, b, 2, 6, 3, 7), de = MIX(d, e, 2, 6, 3, 7);
            *(Four *)(to + (r + 2) * cols) = MIX(ab, de, 0, 1, 4, 5);
            *(Four *)(to + (r + 3) * cols) = MIX(ab, de, 2, 3, 6, 7);
        }
        for (int64_t r = whole; r < rows; r++)
            for (int k = 0; k < 4; k++) to[r * cols + k] = from[k * stride + r];
    }
    for (; c < cols; c++)
        for (int64_t r = 0; r < rows; r++) q[r * cols + c] = p[c * stride + r];
}

static void turn64(uint64_t *q, const uint64_t *p, int64_t stride, int64_t rows, int64_t cols) {
    int64_t whole = rows / 2 * 2, c = 0;
    for (; c + 2 <= cols; c += 2) {
        const uint64_t *from = p + c * stride;
        uint64_t *to = q + c;
        for (int64_t r = 0; r < whole; r += 2) {
            Two a = *(const Two *)(from + r), b = *(const Two *)(from + stride + r);
            *(Two *)(to + r * cols) = MIX(a, b, 0, 2);
            *(Two *)(to + (r + 1) * cols) = MIX(a, b, 1, 3);
        }
        for (int64_t r = whole; r < rows; r++)
            to[r * cols] = from[r], to[r * cols + 1] = from[stride + r];
    }
    for (; c < cols; c++)
        for (int64_t r = 0; r < rows; r++) q[r * cols + c] = p[c * stride + r];
}

static void turn(void *q, const void *p, int64_t stride, size_t item, int64_t rows, int64_t cols) {
    switch (item) {
    case 1: turn8(q, p, stride, rows, cols); break;
    case 2: turn16(q, p, stride, rows, cols); break;
    case 4: turn32(q, p, stride, rows, cols); break;
    case 8: turn64(q, p, stride, rows, cols); break;
    default: turn128(q, p, stride, rows, cols); break;
    }
}

void tile_fetch(const CpuPlan *plan, const CpuTile *t, int slot, const char *base, size_t item,
                void *out) {
    const int64_t *st = plan->space.stride + slot * MAX_RANK;
    int64_t down = st[t->row], across = st[plan->space.rank - 1];
    const char *from = base + tile_offset(plan, t, slot) * (int64_t)item;
    if (down == 1 && across != 1) {
        turn(out, from, across, item, t->rows, t->cols);
        return;
    }
    for (int64_t r = 0; r < t->rows; r++) {
        const char *p = from + r * down * (int64_t)item;
        char *q = (char *)out + (size_t)(r * t->cols) * item;
        if (across == 1)
            memcpy(q, p, (size_t)t->cols * item);
        else if (across == 0)
            access_fill(q, item, (size_t)t->cols, p);
        else
            copy_strided(q, p, across, item, (size_t)t->cols);
    }
}

void tile_put(const CpuPlan *plan, const CpuTile *t, int slot, char *base, size_t item,
              const void *in) {
    const int64_t *st = plan->space.stride + slot * MAX_RANK;
    int64_t down = st[t->row], across = st[plan->space.rank - 1];
    char *to = base + tile_offset(plan, t, slot) * (int64_t)item;
    for (int64_t r = 0; r < t->rows; r++) {
        char *q = to + r * down * (int64_t)item;
        const char *p = (const char *)in + (size_t)(r * t->cols) * item;
        if (across == 1)
            memcpy(q, p, (size_t)t->cols * item);
        else
            put_strided(q, across, p, item, (size_t)t->cols);
    }
}

void tile_numbers(const CpuPlan *plan, const CpuTile *t, int slot, int64_t base, int64_t *out) {
    const int64_t *st = plan->space.stride + slot * MAX_RANK;
    int64_t first = base + tile_offset(plan, t, slot);
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t c = 0; c < t->cols; c++)
            out[r * t->cols + c] = first + r * st[t->row] + c * st[plan->space.rank - 1];
}
