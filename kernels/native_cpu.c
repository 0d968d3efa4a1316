/* native_cpu - compaction, indexed writes and integer products on the CPU (see native_cpu.h).
 *
 * Callers: kernel.c. Scans and sorts have files of their own. Work is cut by the shape alone and
 * shared between threads; indices are all checked before anything is written. */
#include "kernels/native_cpu.h"
#include "kernels/cpu_plan.h"

#include <string.h>

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- positions of true bytes ---- */

typedef struct Compact {
    const LoopSet *loops;
    const uint8_t *mask;
    int64_t n, *index;
    int64_t *start; /* [part] true bytes in the part, then before it */
} Compact;

enum { COMPACT_PART = 1 << 16 };

static int count_part(void *ctx, int64_t part, int thread) {
    Compact *c = ctx;
    int64_t at = part * COMPACT_PART;
    (void)thread;
    c->start[part] = c->loops->count((size_t)min64(COMPACT_PART, c->n - at), c->mask + at);
    return 0;
}

static int write_part(void *ctx, int64_t part, int thread) {
    Compact *c = ctx;
    int64_t at = part * COMPACT_PART, end = min64(at + COMPACT_PART, c->n);
    int64_t *out = c->index + c->start[part];
    (void)thread;
    for (int64_t i = at; i < end; i++)
        if (c->mask[i]) *out++ = i;
    return 0;
}

Status native_cpu_nonzero(Device *d, const uint8_t *mask, int64_t n, int64_t *index,
                          int64_t *count) {
    int64_t parts = (n + COMPACT_PART - 1) / COMPACT_PART, total = 0;
    void *memory;
    *count = 0;
    if (n == 0) return ARR_OK;
    TRY(d->ops->alloc(d, (size_t)parts * sizeof(int64_t), &memory));
    Compact c = {loops_cpu(), mask, n, index, memory};
    d->stats.launches++;
    Status s = d->ops->parallel(d, count_part, &c, parts, NULL);
    for (int64_t p = 0; p < parts && s == ARR_OK; p++) {
        int64_t here = c.start[p];
        c.start[p] = total;
        total += here;
    }
    if (s == ARR_OK) s = d->ops->parallel(d, write_part, &c, parts, NULL);
    d->ops->release(d, memory, (size_t)parts * sizeof(int64_t));
    if (s == ARR_OK) *count = total;
    return s;
}

/* ---- indexed writes ---- */

typedef struct Put {
    const Device *d;
    size_t item;
    AxisShape s;
    const int64_t *index;
    int64_t n, part;
    const char *value;
    char *out;
} Put;

/* Every outer row on one thread, j in order: the last one wins. */
static int put_part(void *ctx, int64_t part, int thread) {
    const Put *c = ctx;
    size_t run = (size_t)c->s.inner * c->item;
    (void)thread;
    for (int64_t o = part * c->part; o < min64(c->s.outer, (part + 1) * c->part); o++) {
        char *out = c->out + (size_t)(o * c->s.axis) * run;
        const char *value = c->value + (size_t)(o * c->n) * run;
        for (int64_t j = 0; j < c->n; j++) {
            if (j % (1 << 16) == 0 && device_stopped(c->d)) return 1;
            int64_t k = c->index[j] < 0 ? c->index[j] + c->s.axis : c->index[j];
            memcpy(out + (size_t)k * run, value + (size_t)j * run, run);
        }
    }
    return 0;
}

Status native_cpu_put(Device *d, size_t itemsize, AxisShape s, const int64_t *index, int64_t nindex,
                      const void *value, void *out, int64_t fault[3]) {
    fault[0] = fault[1] = fault[2] = 0;
    for (int64_t j = 0; j < nindex; j++) {
        /* nothing is written yet, whatever waits for that */
        if (j % (1 << 20) == 0 && d->cx->interrupt) return error_interrupted(d->cx);
        if (index[j] >= -s.axis && index[j] < s.axis) continue;
        fault[0] = 1;
        fault[1] = index[j];
        fault[2] = s.axis;
        return ARR_OK;
    }
    if (s.outer == 0 || s.inner == 0 || nindex == 0) return ARR_OK;
    Put c = {d, itemsize, s, index, nindex, 1, value, out};
    c.part = part_size(d, s.outer, 1, min64(nindex * s.inner + 1, 1 << 15));
    d->stats.launches++;
    return d->ops->parallel(d, put_part, &c, (s.outer + c.part - 1) / c.part, NULL);
}

/* ---- products ---- */

/* A part makes ROWS x COLS of C over slices of DEPTH of the inner extent, in increasing order. The
 * slice of B is packed and widened once, so that the inner loop runs along rows. Integers wrap in
 * 32 or 64 unsigned bits; halves are summed in f32. */
enum { ROWS = 32, COLS = 256, DEPTH = 64 };

typedef struct Product {
    const Device *d;
    const DevMatmul *m;
    int64_t down, across; /* tiles of a C */
    char *scratch;
} Product;

enum { SCRATCH_EACH = (ROWS * COLS + DEPTH * COLS) * 16 };

#define PRODUCT(name, T, A, WIDEN, NARROW, STEP)                                              \
    static void name(const Product *p, int64_t z, int64_t i0, int64_t j0, char *scratch) {    \
        const DevMatmul *m = p->m;                                                            \
        A *sum = (A *)(void *)scratch, *right = sum + ROWS * COLS;                            \
        const T *a = (const T *)m->a + z * m->a_batch, *b = (const T *)m->b + z * m->b_batch; \
        T *c = (T *)m->c + z * m->c_batch;                                                    \
        int64_t rows = min64(ROWS, m->m - i0), cols = min64(COLS, m->n - j0);                 \
        memset(sum, 0, ROWS *COLS * sizeof *sum);                                             \
        for (int64_t k0 = 0; k0 < m->k && !device_stopped(p->d); k0 += DEPTH) {               \
            int64_t depth = min64(DEPTH, m->k - k0);                                          \
            for (int64_t k = 0; k < depth; k++)                                               \
                for (int64_t j = 0; j < cols; j++) {                                          \
                    T v = b[(k0 + k) * m->b_row + (j0 + j) * m->b_col];                       \
                    right[k * COLS + j] = WIDEN;                                              \
                }                                                                             \
            for (int64_t i = 0; i < rows; i++)                                                \
                for (int64_t k = 0; k < depth; k++) {                                         \
                    T v = a[(i0 + i) * m->a_row + (k0 + k) * m->a_col];                       \
                    A x = WIDEN, *s = sum + i * COLS;                                         \
                    const A *y = right + k * COLS;                                            \
                    for (int64_t j = 0; j < cols; j++) STEP;                                  \
                }                                                                             \
        }                                                                                     \
        for (int64_t i = 0; i < rows; i++)                                                    \
            for (int64_t j = 0; j < cols; j++) {                                              \
                A v = sum[i * COLS + j];                                                      \
                c[(i0 + i) * m->c_row + j0 + j] = NARROW;                                     \
            }                                                                                 \
    }
#define REAL_STEP s[j] += x * y[j]
#define COMPLEX_STEP \
    (s[j].re += x.re * y[j].re - x.im * y[j].im, s[j].im += x.re * y[j].im + x.im * y[j].re)
PRODUCT(product_bool, uint8_t, uint32_t, v != 0, v != 0, s[j] |= x & y[j])
PRODUCT(product_8, uint8_t, uint32_t, v, (uint8_t)v, REAL_STEP)
PRODUCT(product_16, uint16_t, uint32_t, v, (uint16_t)v, REAL_STEP)
PRODUCT(product_32, uint32_t, uint32_t, v, v, REAL_STEP)
PRODUCT(product_64, uint64_t, uint64_t, v, v, REAL_STEP)
PRODUCT(product_f16, uint16_t, float, f16_to_f32(v), f16_from_f32(v), REAL_STEP)
PRODUCT(product_bf16, uint16_t, float, bf16_to_f32(v), bf16_from_f32(v), REAL_STEP)
PRODUCT(product_f32, float, float, v, v, REAL_STEP)
PRODUCT(product_f64, double, double, v, v, REAL_STEP)
PRODUCT(product_c64, Complex64, Complex64, v, v, COMPLEX_STEP)
PRODUCT(product_c128, Complex128, Complex128, v, v, COMPLEX_STEP)

static int product_part(void *ctx, int64_t part, int thread) {
    const Product *p = ctx;
    int64_t tiles = p->down * p->across, z = part / tiles, tile = part % tiles;
    int64_t i = tile / p->across * ROWS, j = tile % p->across * COLS;
    char *scratch = p->scratch + (size_t)thread * SCRATCH_EACH;
    switch (p->m->dtype) {
    case DT_bool: product_bool(p, z, i, j, scratch); break;
    case DT_i8:
    case DT_u8: product_8(p, z, i, j, scratch); break;
    case DT_i16:
    case DT_u16: product_16(p, z, i, j, scratch); break;
    case DT_i32:
    case DT_u32: product_32(p, z, i, j, scratch); break;
    case DT_i64:
    case DT_u64: product_64(p, z, i, j, scratch); break;
    case DT_f16: product_f16(p, z, i, j, scratch); break;
    case DT_bf16: product_bf16(p, z, i, j, scratch); break;
    case DT_f32: product_f32(p, z, i, j, scratch); break;
    case DT_f64: product_f64(p, z, i, j, scratch); break;
    case DT_c64: product_c64(p, z, i, j, scratch); break;
    case DT_c128: product_c128(p, z, i, j, scratch); break;
    case DT_COUNT: break;
    }
    return device_stopped(p->d);
}

Status native_cpu_matmul(Device *d, const DevMatmul *m) {
    if (m->m == 0 || m->n == 0 || m->batch == 0) return ARR_OK;
    Product p = {
        .d = d, .m = m, .down = (m->m + ROWS - 1) / ROWS, .across = (m->n + COLS - 1) / COLS};
    size_t bytes = SCRATCH_EACH * (size_t)d->ops->threads(d);
    void *memory;
    TRY(d->ops->alloc(d, bytes, &memory));
    p.scratch = memory;
    d->stats.launches++;
    Status s = d->ops->parallel(d, product_part, &p, p.down * p.across * m->batch, NULL);
    d->ops->release(d, memory, bytes);
    return s;
}
