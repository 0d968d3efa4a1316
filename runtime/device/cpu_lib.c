/* cpu_lib - products through OpenBLAS, opened at the first one, on our own threads.
 *
 * Callers: cpu.c (DeviceOps.matmul). OpenBLAS's last bits depend on its thread count and on how a
 * product is cut, so it runs with one thread of its own, and the product is cut into panels of C by
 * the shape alone; our threads share the panels, and an interrupt is seen between them. A host that
 * uses OpenBLAS itself keeps its thread count: it is set for our calls only and put back. Without
 * the library the same panels are computed by a plain loop.
 * Invariant: the bits of a product are a function of its operands and of the library alone. */
#include "runtime/device/cpu.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct BlasLib {
    void *handle; /* NULL: not to be had, the plain loop serves */
#define LIBRARY(id, soname)
#define FN(id, result, symbol, arguments) result(*symbol) arguments;
#include "runtime/device/cpu_lib.def"
#undef LIBRARY
#undef FN
};

/* CBLAS's own numbers. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

static const char *const sonames[] = {
#define LIBRARY(id, soname) soname,
#define FN(id, result, symbol, arguments)
#include "runtime/device/cpu_lib.def"
#undef LIBRARY
#undef FN
    "libopenblas.so", /* where only the development link is installed */
};

/* POSIX gives functions as data pointers: copied, not cast, to please ISO C. */
static bool bind(void *handle, const char *symbol, void *slot) {
    void *p = dlsym(handle, symbol);
    memcpy(slot, &p, sizeof p);
    return p != NULL;
}

static void blas_open(BlasLib *b) {
    for (size_t i = 0; i < sizeof sonames / sizeof *sonames && !b->handle; i++)
        b->handle = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL);
    if (!b->handle) return;
    bool all = true;
#define LIBRARY(id, soname)
#define FN(id, result, symbol, arguments) all = bind(b->handle, #symbol, &b->symbol) && all;
#include "runtime/device/cpu_lib.def"
#undef LIBRARY
#undef FN
    if (all) return;
    dlclose(b->handle);
    b->handle = NULL;
}

static Status blas_get(CpuDevice *c) {
    Cx *cx = c->dev.cx;
    if (c->blas) return ARR_OK;
    BlasLib *b = mem_zalloc(&cx->mem, sizeof *b);
    if (!b) return error_memory(cx, sizeof *b);
    blas_open(b);
    if (!b->handle)
        notice_send(cx,
                    "OpenBLAS (%s) was not found: products use a plain loop; install "
                    "libopenblas0 for speed",
                    sonames[0]);
    c->blas = b;
    return ARR_OK;
}

/* The library stays mapped: its threads cannot be taken back. */
void cpu_blas_close(CpuDevice *c) {
    mem_free(&c->dev.cx->mem, c->blas, sizeof *c->blas);
    c->blas = NULL;
}

/* One operand as CBLAS takes it. */
typedef struct Operand {
    const char *p;
    int trans;
    int64_t ld, row, col, batch; /* strides in elements */
} Operand;

/* A product and its panels. */
typedef struct Product {
    const BlasLib *blas;
    const DevMatmul *m;
    size_t item;
    Operand a, b;
    int64_t mp, np;     /* extents of a panel */
    int64_t rows, cols; /* panels of one C */
    int64_t together;   /* batches of one part, where C is small */
} Product;

static void plain_panel(const Product *p, const char *a, const char *b, char *c, int64_t m,
                        int64_t n);

static void blas_panel(const Product *p, const char *a, const char *b, char *c, int m, int n) {
    static const float one32[2] = {1, 0}, zero32[2] = {0, 0};
    static const double one64[2] = {1, 0}, zero64[2] = {0, 0};
    int k = (int)p->m->k, lda = (int)p->a.ld, ldb = (int)p->b.ld, ldc = (int)p->m->c_row;
    int ta = p->a.trans, tb = p->b.trans;
    const BlasLib *l = p->blas;
    switch (p->m->dtype) {
    case DT_f32:
        l->cblas_sgemm(ROW_MAJOR, ta, tb, m, n, k, 1, (const float *)a, lda, (const float *)b, ldb,
                       0, (float *)c, ldc);
        break;
    case DT_f64:
        l->cblas_dgemm(ROW_MAJOR, ta, tb, m, n, k, 1, (const double *)a, lda, (const double *)b,
                       ldb, 0, (double *)c, ldc);
        break;
    case DT_c64:
        l->cblas_cgemm(ROW_MAJOR, ta, tb, m, n, k, one32, a, lda, b, ldb, zero32, c, ldc);
        break;
    default:
        l->cblas_zgemm(ROW_MAJOR, ta, tb, m, n, k, one64, a, lda, b, ldb, zero64, c, ldc);
        break;
    }
}

/* c += a * b, row by row of b: the inner loop runs along rows where b has them. */
#define PLAIN(name, T, STEP)                                                                 \
    static void name(const Product *p, const T *a, const T *b, T *c, int64_t m, int64_t n) { \
        for (int64_t i = 0; i < m; i++) {                                                    \
            T *ci = c + i * p->m->c_row;                                                     \
            memset(ci, 0, (size_t)n * sizeof *ci);                                           \
            for (int64_t k = 0; k < p->m->k; k++) {                                          \
                T x = a[i * p->a.row + k * p->a.col];                                        \
                const T *bk = b + k * p->b.row;                                              \
                for (int64_t j = 0; j < n; j++) {                                            \
                    T y = bk[j * p->b.col];                                                  \
                    STEP;                                                                    \
                }                                                                            \
            }                                                                                \
        }                                                                                    \
    }
PLAIN(plain_f32, float, ci[j] += x * y)
PLAIN(plain_f64, double, ci[j] += x * y)
PLAIN(plain_c64, Complex64,
      (ci[j].re += x.re * y.re - x.im * y.im, ci[j].im += x.re * y.im + x.im * y.re))
PLAIN(plain_c128, Complex128,
      (ci[j].re += x.re * y.re - x.im * y.im, ci[j].im += x.re * y.im + x.im * y.re))

static void plain_panel(const Product *p, const char *a, const char *b, char *c, int64_t m,
                        int64_t n) {
    switch (p->m->dtype) {
    case DT_f32: plain_f32(p, (const float *)a, (const float *)b, (float *)c, m, n); break;
    case DT_f64: plain_f64(p, (const double *)a, (const double *)b, (double *)c, m, n); break;
    case DT_c64:
        plain_c64(p, (const Complex64 *)a, (const Complex64 *)b, (Complex64 *)c, m, n);
        break;
    default:
        plain_c128(p, (const Complex128 *)a, (const Complex128 *)b, (Complex128 *)c, m, n);
        break;
    }
}

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

static void one_panel(const Product *p, int64_t batch, int64_t panel) {
    const DevMatmul *m = p->m;
    int64_t i = panel / p->cols * p->mp, j = panel % p->cols * p->np, item = (int64_t)p->item;
    int64_t rows = min64(p->mp, m->m - i), cols = min64(p->np, m->n - j);
    const char *a = p->a.p + (batch * p->a.batch + i * p->a.row) * item;
    const char *b = p->b.p + (batch * p->b.batch + j * p->b.col) * item;
    char *c = (char *)m->c + (batch * m->c_batch + i * m->c_row + j) * item;
    if (p->blas->handle)
        blas_panel(p, a, b, c, (int)rows, (int)cols);
    else
        plain_panel(p, a, b, c, rows, cols);
}

static int product_part(void *ctx, int64_t part, int thread) {
    const Product *p = ctx;
    int64_t panels = p->rows * p->cols;
    (void)thread;
    if (panels > 1) {
        one_panel(p, part / panels, part % panels);
        return 0;
    }
    int64_t end = min64(p->m->batch, (part + 1) * p->together);
    for (int64_t batch = part * p->together; batch < end; batch++) one_panel(p, batch, 0);
    return 0;
}

/* Panels of 2^30 multiplications at most (some 50 ms on one core in f64), of 128 rows or columns at
 * least where C has them; a smaller product is shared by 16 threads at most, each with 2^26. */
static void cut(Product *p) {
    const DevMatmul *m = p->m;
    const double most = (double)(1 << 30), share = (double)(1 << 26), small = (double)(1 << 21);
    double work = (double)m->m * (double)m->n * (double)m->k;
    double parts = work / share < 16 ? work / share : work / most < 16 ? 16 : work / most;
    p->mp = m->m;
    p->np = m->n;
    /* The longer side of C first; the other when its panels would get thinner than 128. */
    while ((double)((m->m + p->mp - 1) / p->mp) * (double)((m->n + p->np - 1) / p->np) < parts) {
        int64_t *side = p->mp >= p->np ? &p->mp : &p->np;
        if (*side <= 128) break;
        *side = (*side / 2 + 31) / 32 * 32;
    }
    p->rows = (m->m + p->mp - 1) / p->mp;
    p->cols = (m->n + p->np - 1) / p->np;
    p->together = 1 + (int64_t)(small / (work + 1));
}

/* Strides as CBLAS wants them: one of them 1, the other at least the row's length. An extent of 1
 * makes its stride free. */
static bool fit_operand(Operand *o, int64_t rows, int64_t cols) {
    int64_t row = o->row, col = o->col;
    if ((col == 1 || cols == 1) && (rows == 1 || row >= cols)) {
        o->trans = NO_TRANS;
        o->ld = rows == 1 ? cols : row;
    } else if ((row == 1 || rows == 1) && (cols == 1 || col >= rows)) {
        o->trans = TRANS;
        o->ld = cols == 1 ? rows : col;
    } else {
        return false;
    }
    if (o->ld < 1) o->ld = 1;
    return o->ld <= INT32_MAX;
}

/* Operands that CBLAS cannot address (broadcast or overlapping rows) are copied first. */
static Status pack_operand(Device *d, Operand *o, size_t item, int64_t rows, int64_t cols,
                           int64_t batch, void **copy, size_t *bytes) {
    int64_t n, count = o->batch ? batch : 1;
    if (!o->batch) batch = 1;
    if (!__builtin_mul_overflow(rows, cols, &n) && !__builtin_mul_overflow(n, count, &n) &&
        !__builtin_mul_overflow(n, (int64_t)item, &n))
        *bytes = (size_t)n;
    else
        return error_set(d->cx, ARR_ERR_LIMIT, d->cx->span, "the product is too large");
    TRY(d->ops->alloc(d, *bytes, copy));
    char *dst = *copy;
    for (int64_t b = 0; b < count; b++)
        for (int64_t i = 0; i < rows && !device_stopped(d); i++)
            for (int64_t j = 0; j < cols; j++, dst += item)
                memcpy(dst, o->p + (b * o->batch + i * o->row + j * o->col) * (int64_t)item, item);
    *o = (Operand){*copy, NO_TRANS, cols, cols, 1, o->batch ? rows * cols : 0};
    return device_stopped(d) ? error_interrupted(d->cx) : ARR_OK;
}

static Status run_product(Device *d, Product *p) {
    int64_t panels = p->rows * p->cols;
    int64_t parts =
        panels > 1 ? panels * p->m->batch : (p->m->batch + p->together - 1) / p->together;
    const BlasLib *l = p->blas;
    int before = l->handle ? l->openblas_get_num_threads() : 1;
    if (before != 1) l->openblas_set_num_threads(1);
    Status s = d->ops->parallel(d, product_part, p, parts, NULL);
    if (before != 1) l->openblas_set_num_threads(before);
    return s;
}

Status cpu_matmul(Device *d, const DevMatmul *m) {
    CpuDevice *c = d->impl;
    if (m->m == 0 || m->n == 0 || m->batch == 0) return ARR_OK;
    TRY(blas_get(c));
    if (m->k > INT32_MAX || m->c_row > INT32_MAX)
        return error_set(d->cx, ARR_ERR_LIMIT, d->cx->span,
                         "matmul: an extent of %lld is beyond the library's 2^31 - 1",
                         (long long)(m->k > m->c_row ? m->k : m->c_row));
    Product p = {.blas = c->blas, .m = m, .item = dtype_size(m->dtype)};
    p.a = (Operand){.p = m->a, .row = m->a_row, .col = m->a_col, .batch = m->a_batch};
    p.b = (Operand){.p = m->b, .row = m->b_row, .col = m->b_col, .batch = m->b_batch};
    void *copy_a = NULL, *copy_b = NULL;
    size_t bytes_a = 0, bytes_b = 0;
    Status s = ARR_OK;
    if (!fit_operand(&p.a, m->m, m->k)) {
        s = pack_operand(d, &p.a, p.item, m->m, m->k, m->batch, &copy_a, &bytes_a);
        if (s != ARR_OK) goto out;
    }
    if (!fit_operand(&p.b, m->k, m->n)) {
        s = pack_operand(d, &p.b, p.item, m->k, m->n, m->batch, &copy_b, &bytes_b);
        if (s != ARR_OK) goto out;
    }
    cut(&p);
    d->stats.launches++;
    s = run_product(d, &p);
out:
    if (copy_a) d->ops->release(d, copy_a, bytes_a);
    if (copy_b) d->ops->release(d, copy_b, bytes_b);
    return s;
}
