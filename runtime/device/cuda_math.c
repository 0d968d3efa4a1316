/* cuda_math - products through cuBLAS and Philox words through cuRAND.
 *
 * Callers: device ops. Each library is opened, with its one handle, at the first use. cuBLAS gets
 * its own workspace: with the shared one, results may differ from run to run. Products are plain
 * f32 and f64, TF32 only where medium precision was asked for; halves multiply exactly and
 * accumulate in f32.
 * Invariant: all work goes to the device's stream. */
#ifndef ARR_NO_CUDA
#include "runtime/device/cuda.h"

enum { BLAS_WORKSPACE = 32 << 20 }; /* cuBLAS's recommendation for Hopper; enough elsewhere */

static Status check_blas(Cuda *c, cublasStatus_t s, const char *what) {
    Cx *cx = c->dev.cx;
    if (s == CUBLAS_STATUS_SUCCESS) return ARR_OK;
    TRY(cuda_check(c, cudaGetLastError(), what));
    return error_set(cx, ARR_ERR_DEVICE, cx->span, "%s failed in %s: %s", c->dev.name, what,
                     c->lib.cublasGetStatusString(s));
}

static Status open_library(Cuda *c, CudaLibId id, const char *what) {
    Cx *cx = c->dev.cx;
    char why[400];
    if (cuda_lib_open(&c->lib, cx->opts.cuda_path, id, why, sizeof why)) return ARR_OK;
    return error_set(
        cx, ARR_ERR_DEVICE, cx->span,
        "%s on %s needs %s, which cannot be opened: %s; install the CUDA Toolkit 13 or "
        "set CUDA_PATH to it",
        what, c->dev.name, cuda_lib_soname(id), why);
}

static Status open_blas(Cuda *c) {
    if (c->blas) return ARR_OK;
    TRY(open_library(c, CLIB_cublas, "a matrix product"));
    if (!c->blas_workspace) TRY(pool_take(c->pool, BLAS_WORKSPACE, &c->blas_workspace));
    cublasHandle_t h;
    TRY(check_blas(c, c->lib.cublasCreate_v2(&h), "starting cuBLAS"));
    Status s = check_blas(c, c->lib.cublasSetStream_v2(h, c->stream), "starting cuBLAS");
    if (s == ARR_OK)
        s = check_blas(c, c->lib.cublasSetWorkspace_v2(h, c->blas_workspace, BLAS_WORKSPACE),
                       "starting cuBLAS");
    if (s == ARR_OK)
        s = check_blas(
            c,
            c->lib.cublasSetMathMode(h, CUBLAS_DEFAULT_MATH |
                                            CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
            "starting cuBLAS");
    if (s == ARR_OK)
        c->blas = h;
    else
        (void)c->lib.cublasDestroy_v2(h);
    return s;
}

static cudaDataType data_type(DType d) {
    switch (d) {
    case DT_f16: return CUDA_R_16F;
    case DT_bf16: return CUDA_R_16BF;
    case DT_f64: return CUDA_R_64F;
    case DT_c64: return CUDA_C_32F;
    case DT_c128: return CUDA_C_64F;
    default: return CUDA_R_32F;
    }
}

/* A row-major operand of rows x cols as cuBLAS sees it: read as column-major it is the transpose,
 * so a plain one needs no operation and a transposed one CUBLAS_OP_T. false: not a matrix that
 * cuBLAS can read (overlapping or reversed rows). */
typedef struct Side {
    cublasOperation_t op;
    int64_t ld;
} Side;

static bool side(int64_t rows, int64_t cols, int64_t row, int64_t col, Side *out) {
    if (col == 1 || cols == 1) {
        out->op = CUBLAS_OP_N;
        out->ld = rows == 1 && row < cols ? cols : row; /* unused where there is one row */
        if (out->ld >= cols) return true;
    }
    if (row == 1 || rows == 1) {
        out->op = CUBLAS_OP_T;
        out->ld = cols == 1 && col < rows ? rows : col;
        if (out->ld >= rows) return true;
    }
    return false;
}

static cublasComputeType_t compute_type(const DevMatmul *m) {
    if (m->dtype == DT_f64 || m->dtype == DT_c128) return CUBLAS_COMPUTE_64F;
    bool rounded = m->dtype == DT_f32 && m->precision == PRECISION_MEDIUM;
    return rounded ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

static const void *constant(DType d, bool one) {
    static const float f[2][2] = {{0, 0}, {1, 0}};
    static const double g[2][2] = {{0, 0}, {1, 0}};
    return d == DT_f64 || d == DT_c128 ? (const void *)g[one] : (const void *)f[one];
}

static Status zero_rows(Cuda *c, const DevMatmul *m) {
    size_t size = dtype_size(m->dtype);
    for (int64_t b = 0; b < m->batch; b++) {
        char *p = (char *)m->c + (size_t)(b * m->c_batch) * size;
        TRY(cuda_check(c,
                       cudaMemset2DAsync(p, (size_t)m->c_row * size, 0, (size_t)m->n * size,
                                         (size_t)m->m, c->stream),
                       "clearing a product"));
    }
    return ARR_OK;
}

/* C = A B row-major is C' = B' A' column-major: operands change places, extents too. */
static Status multiply(Cuda *c, const DevMatmul *m) {
    Cx *cx = c->dev.cx;
    Side a, b;
    if (m->m == 0 || m->n == 0 || m->batch == 0) return ARR_OK;
    if (m->k == 0) return zero_rows(c, m);
    if (!side(m->m, m->k, m->a_row, m->a_col, &a) || !side(m->k, m->n, m->b_row, m->b_col, &b))
        return error_set(cx, ARR_ERR_INTERNAL, cx->span,
                         "a matrix product was given strides that cuBLAS cannot read");
    TRY(open_blas(c));
    cudaDataType t = data_type(m->dtype);
    cublasComputeType_t in = compute_type(m);
    cudaDataType u = m->widened ? CUDA_R_32F : t;
    const void *one = constant(m->dtype, true), *beta = constant(m->dtype, m->added);
    int64_t ldc = m->c_row < m->n ? m->n : m->c_row;
    if (m->batch == 1)
        return check_blas(c,
                          c->lib.cublasGemmEx_64(c->blas, b.op, a.op, m->n, m->m, m->k, one, m->b,
                                                 t, b.ld, m->a, t, a.ld, beta, m->c, u, ldc, in,
                                                 CUBLAS_GEMM_DEFAULT),
                          "a matrix product");
    return check_blas(c,
                      c->lib.cublasGemmStridedBatchedEx_64(
                          c->blas, b.op, a.op, m->n, m->m, m->k, one, m->b, t, b.ld, m->b_batch,
                          m->a, t, a.ld, m->a_batch, beta, m->c, u, ldc, m->c_batch, m->batch, in,
                          CUBLAS_GEMM_DEFAULT),
                      "a matrix product");
}

Status cuda_matmul(Device *d, const DevMatmul *m) {
    Cuda *c = (Cuda *)d;
    int was;
    TRY(cuda_enter(c, &was));
    Status s = cuda_before_launch(c);
    if (s == ARR_OK) s = multiply(c, m);
    if (s == ARR_OK) s = cuda_after_launch(c);
    cuda_leave(c, was);
    return s;
}

/* ---- cuRAND ---- */

static Status check_rand(Cuda *c, curandStatus_t s, const char *what) {
    Cx *cx = c->dev.cx;
    if (s == CURAND_STATUS_SUCCESS) return ARR_OK;
    TRY(cuda_check(c, cudaGetLastError(), what));
    return error_set(cx, ARR_ERR_DEVICE, cx->span, "%s failed in %s: cuRAND status %d", c->dev.name,
                     what, (int)s);
}

/* The legacy ordering is the one whose word map Arr promises; it is set, not assumed. */
static Status open_rand(Cuda *c) {
    if (c->rand) return ARR_OK;
    TRY(open_library(c, CLIB_curand, "drawing raw words"));
    curandGenerator_t g;
    TRY(check_rand(c, c->lib.curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10),
                   "starting cuRAND"));
    Status s = check_rand(c, c->lib.curandSetStream(g, c->stream), "starting cuRAND");
    if (s == ARR_OK)
        s = check_rand(c, c->lib.curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY),
                       "starting cuRAND");
    if (s == ARR_OK)
        c->rand = g;
    else
        (void)c->lib.curandDestroyGenerator(g);
    return s;
}

static Status draw_words(Cuda *c, uint64_t key, uint32_t *dst, size_t words) {
    if (words == 0) return ARR_OK;
    TRY(open_rand(c));
    TRY(check_rand(c, c->lib.curandSetPseudoRandomGeneratorSeed(c->rand, key), "drawing words"));
    TRY(check_rand(c, c->lib.curandSetGeneratorOffset(c->rand, 0), "drawing words"));
    return check_rand(c, c->lib.curandGenerate(c->rand, dst, words), "drawing words");
}

Status cuda_philox(Device *d, uint64_t key, uint32_t *dst, size_t words) {
    Cuda *c = (Cuda *)d;
    int was;
    TRY(cuda_enter(c, &was));
    Status s = cuda_before_launch(c);
    if (s == ARR_OK) s = draw_words(c, key, dst, words);
    if (s == ARR_OK) s = cuda_after_launch(c);
    cuda_leave(c, was);
    return s;
}

void cuda_math_close(Cuda *c) {
    if (c->rand) (void)c->lib.curandDestroyGenerator(c->rand);
    if (c->blas) (void)c->lib.cublasDestroy_v2(c->blas);
    if (c->blas_workspace) pool_give(c->pool, c->blas_workspace, BLAS_WORKSPACE);
    c->rand = NULL, c->blas = NULL, c->blas_workspace = NULL;
}
#else
typedef int cuda_math_not_built;
#endif
