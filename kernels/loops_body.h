/* loops_body - the loops of one instruction set. Included once by each loops_cpu_<set>.c, which
 * defines the set's vectors:
 *   SET                         its name, a token
 *   VEC32, N32, VEC64, N64      vectors of float and double and their lengths
 *   GET32 PUT32 GET64 PUT64     unaligned load and store
 *   VECI, NI                    vectors of 64-bit lanes: SPLATI ADDI XORI, SHRI (by 32), MULI (of
 * low halves), LANESI and PUTQUADS (see loops_draw.h) DECLARE1, DECLARE2(sleef, acc)      SLEEF's
 * functions of that width CALL32_1 CALL32_2 CALL64_1 CALL64_2(op, sleef, acc, x...)  a call of one
 * Loops over plain C are vectorised by the compiler; elementary functions call SLEEF a vector at a
 * time, and tails go through a padded vector, never through libm. Invariant: an element's bits do
 * not depend on its place, on n or on the set. */
#include "kernels/loops_cpu.h"
#include "kernels/scalar.h"
#include "kernels/loops_names.h"

#undef bool /* a dtype's name here, pasted into others; the type is xbool */

#include <string.h>

/* Iterations do not depend on each other: out is an operand itself, or does not overlap it. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* ---- elementary functions ---- */

#define MATH1(op, sleef, acc) DECLARE1(sleef, acc)
#define MATH2(op, sleef, acc) DECLARE2(sleef, acc)
#define EDGE1 MATH1
#define EDGE2 MATH2
#define HELPER1 MATH1
#include "kernels/math.def"
#undef MATH1
#undef MATH2
#undef EDGE1
#undef EDGE2
#undef HELPER1

#define MATH_LOOP1(op, sleef, acc, s, T, W)                                        \
    static void math_##op##_##s(size_t n, void *out, const void *a, const void *b, \
                                const void *c) {                                   \
        const T *pa = a;                                                           \
        T *po = out;                                                               \
        size_t i = 0;                                                              \
        (void)b, (void)c;                                                          \
        for (; i + N##W <= n; i += N##W)                                           \
            PUT##W(po + i, CALL##W##_1(op, sleef, acc, GET##W(pa + i)));           \
        if (i < n) {                                                               \
            T t[N##W] = {0};                                                       \
            memcpy(t, pa + i, (n - i) * sizeof(T));                                \
            PUT##W(t, CALL##W##_1(op, sleef, acc, GET##W(t)));                     \
            memcpy(po + i, t, (n - i) * sizeof(T));                                \
        }                                                                          \
    }
#define MATH_LOOP2(op, sleef, acc, s, T, W)                                              \
    static void math_##op##_##s(size_t n, void *out, const void *a, const void *b,       \
                                const void *c) {                                         \
        const T *pa = a, *pb = b;                                                        \
        T *po = out;                                                                     \
        size_t i = 0;                                                                    \
        (void)c;                                                                         \
        for (; i + N##W <= n; i += N##W)                                                 \
            PUT##W(po + i, CALL##W##_2(op, sleef, acc, GET##W(pa + i), GET##W(pb + i))); \
        if (i < n) {                                                                     \
            T t[N##W] = {0}, u[N##W] = {0};                                              \
            memcpy(t, pa + i, (n - i) * sizeof(T));                                      \
            memcpy(u, pb + i, (n - i) * sizeof(T));                                      \
            PUT##W(t, CALL##W##_2(op, sleef, acc, GET##W(t), GET##W(u)));                \
            memcpy(po + i, t, (n - i) * sizeof(T));                                      \
        }                                                                                \
    }
/* A strip at a time, for the arguments must still be there when the answers are looked at. */
enum { STRIP = 256 };
/* A copy of so few elements of unknown number would be a slow string instruction. */
#define STRIP_COPY(t, p, m, T, W)                                                  \
    do {                                                                           \
        if (m == STRIP)                                                            \
            for (size_t k = 0; k < STRIP; k += N##W) PUT##W(t + k, GET##W(p + k)); \
        else                                                                       \
            memcpy(t, p, m * sizeof(T));                                           \
    } while (0)
#define EDGE_LOOP1(op, s, T, W)                                                             \
    static void math_##op##_##s(size_t n, void *out, const void *a, const void *b,          \
                                const void *c) {                                            \
        const T *pa = a;                                                                    \
        T *po = out, t[STRIP];                                                              \
        (void)b, (void)c;                                                                   \
        for (size_t at = 0; at < n; at += STRIP) {                                          \
            size_t m = n - at < STRIP ? n - at : STRIP;                                     \
            int any = 0;                                                                    \
            STRIP_COPY(t, pa + at, m, T, W);                                                \
            math_raw_##op##_##s(m, po + at, t, NULL, NULL);                                 \
            for (size_t i = 0; i < m; i++) any |= edge_##op##_##s(t[i], po[at + i]);        \
            for (size_t i = 0; i < m && any; i++)                                           \
                if (edge_##op##_##s(t[i], po[at + i])) po[at + i] = fixed_##op##_##s(t[i]); \
        }                                                                                   \
    }
#define EDGE_LOOP2(op, s, T, W)                                                            \
    static void math_##op##_##s(size_t n, void *out, const void *a, const void *b,         \
                                const void *c) {                                           \
        const T *pa = a, *pb = b;                                                          \
        T *po = out, t[STRIP], u[STRIP];                                                   \
        (void)c;                                                                           \
        for (size_t at = 0; at < n; at += STRIP) {                                         \
            size_t m = n - at < STRIP ? n - at : STRIP;                                    \
            int any = 0;                                                                   \
            STRIP_COPY(t, pa + at, m, T, W);                                               \
            STRIP_COPY(u, pb + at, m, T, W);                                               \
            math_raw_##op##_##s(m, po + at, t, u, NULL);                                   \
            for (size_t i = 0; i < m; i++) any |= edge_##op##_##s(t[i], u[i], po[at + i]); \
            for (size_t i = 0; i < m && any; i++)                                          \
                if (edge_##op##_##s(t[i], u[i], po[at + i]))                               \
                    po[at + i] = fixed_##op##_##s(t[i], u[i]);                             \
        }                                                                                  \
    }
#define MATH1(op, sleef, acc)                  \
    MATH_LOOP1(op, sleef, acc, f32, float, 32) \
    MATH_LOOP1(op, sleef, acc, f64, double, 64)
#define MATH2(op, sleef, acc)                  \
    MATH_LOOP2(op, sleef, acc, f32, float, 32) \
    MATH_LOOP2(op, sleef, acc, f64, double, 64)
#define EDGE1(op, sleef, acc)      \
    MATH1(raw_##op, sleef, acc)    \
    EDGE_LOOP1(op, f32, float, 32) \
    EDGE_LOOP1(op, f64, double, 64)
#define EDGE2(op, sleef, acc)      \
    MATH2(raw_##op, sleef, acc)    \
    EDGE_LOOP2(op, f32, float, 32) \
    EDGE_LOOP2(op, f64, double, 64)
#define HELPER1 MATH1
#include "kernels/math.def"
#undef MATH1
#undef MATH2
#undef EDGE1
#undef EDGE2
#undef HELPER1

#if defined(__FMA__) || defined(__AVX512F__)
/* SLEEF's expf, operation by operation, with the edge of x_exp_f32 (e^(x-1) * e above 88): inlined
 * it takes a third of the time that the calls take. k = rint(x / ln 2) falls out of the low bits of
 * a sum with 1.5 * 2^23; 2^k is two factors, so that subnormal results are rounded once. */
static inline float exp_inline(float x) {
    const float magic = 12582912.0f;
    float d = x > 88.0f ? x - 1.0f : x,
          k = d * 1.442695040888963407359924681001892137426645954152985f;
    k += magic;
    uint32_t bits, half, low, high;
    memcpy(&bits, &k, sizeof bits);
    bits -= 0x4b400000u;
    k -= magic;
    float s = __builtin_fmaf(k, -0.693145751953125f, d), u = 0.000198527617612853646278381f, a, b;
    s = __builtin_fmaf(k, -1.428606765330187045e-06f, s);
    u = __builtin_fmaf(u, s, 0.00139304355252534151077271f);
    u = __builtin_fmaf(u, s, 0.00833336077630519866943359f);
    u = __builtin_fmaf(u, s, 0.0416664853692054748535156f);
    u = __builtin_fmaf(u, s, 0.166666671633720397949219f);
    u = __builtin_fmaf(u, s, 0.5f);
    u = 1.0f + __builtin_fmaf(s * s, u, s);
    half = (uint32_t)((int32_t)bits >> 1);
    low = (half + 127u) << 23;
    high = (bits - half + 127u) << 23;
    memcpy(&a, &low, sizeof a);
    memcpy(&b, &high, sizeof b);
    u = u * a * b;
    u = d < -104.0f ? 0.0f : u;
    u = 100.0f < d ? __builtin_inff() : u;
    return x > 88.0f ? u * 2.718281828459045f : u;
}

static void math_inline_exp_f32(size_t n, void *out, const void *a, const void *b, const void *c) {
    const float *pa = a;
    float *po = out;
    (void)b, (void)c;
    INDEPENDENT
    for (size_t i = 0; i < n; i++) po[i] = exp_inline(pa[i]);
}
#define EXP_F32 math_inline_exp_f32
#else
#define EXP_F32 math_exp_f32
#endif

/* What scalar.h composes of elementary functions, a strip at a time. */

/* logaddexp of n <= STRIP pairs of numbers in m and b (x_logaddexp_wide); m receives the result. */
static void strip_logaddexp(size_t n, double *m, double *b, int spare) {
    double t[STRIP], sum[STRIP];
    int any = 0;
    for (size_t i = 0; i < n; i++) {
        double x = m[i], y = b[i];
        m[i] = x > y ? x : y;
        b[i] = x > y ? y : x;
        t[i] = b[i] - m[i];
    }
    math_exp_f64(n, t, t, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        double d = m[i] - b[i], fixed = t[i] - t[i] * x_lost(m[i], b[i], d);
        t[i] = d < 700.0 ? fixed : t[i];
    }
    math_log1p_f64(n, t, t, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        double same = (m[i] + X_LN2) + X_LN2_LOW, r = m[i] + t[i];
        any |= x_cancelled(m[i], t[i], r, spare);
        sum[i] = m[i] == b[i] ? same : r;
    }
    for (size_t i = 0; i < n && any; i++)
        if (m[i] != b[i] && x_cancelled(m[i], t[i], sum[i], spare)) sum[i] = x_logsum(m[i], b[i]);
    for (size_t i = 0; i < n; i++) m[i] = sum[i];
}

#define COMPOSED(s, T, SPARE)                                                                     \
    static void math_logaddexp_##s(size_t n, void *out, const void *a, const void *b,             \
                                   const void *c) {                                               \
        const T *pa = a, *pb = b;                                                                 \
        T *po = out;                                                                              \
        double x[STRIP], y[STRIP];                                                                \
        (void)c;                                                                                  \
        for (size_t at = 0; at < n; at += STRIP) {                                                \
            size_t m = n - at < STRIP ? n - at : STRIP;                                           \
            for (size_t i = 0; i < m; i++) x[i] = (double)pa[at + i], y[i] = (double)pb[at + i];  \
            strip_logaddexp(m, x, y, SPARE);                                                      \
            for (size_t i = 0; i < m; i++) po[at + i] = (T)x[i];                                  \
        }                                                                                         \
    }                                                                                             \
    static void math_sinc_##s(size_t n, void *out, const void *a, const void *b, const void *c) { \
        const T *pa = a;                                                                          \
        T *po = out, t[STRIP];                                                                    \
        (void)b, (void)c;                                                                         \
        for (size_t at = 0; at < n; at += STRIP) {                                                \
            size_t m = n - at < STRIP ? n - at : STRIP;                                           \
            for (size_t i = 0; i < m; i++) t[i] = pa[at + i] - 2 * X(x_rint, s)(pa[at + i] / 2);  \
            math_sinpi_##s(m, t, t, NULL, NULL);                                                  \
            INDEPENDENT                                                                           \
            for (size_t i = 0; i < m; i++) {                                                      \
                T x = pa[at + i];                                                                 \
                po[at + i] = x * x < (T)1e-30 ? (T)1 : (T)((double)t[i] * X_1_PI / (double)x);    \
            }                                                                                     \
        }                                                                                         \
    }
COMPOSED(f32, float, X_SPARE_F32)
COMPOSED(f64, double, 0)

/* The vector loop of an op, NULL if its expression is the loop. */
#define HELPER1(op, sleef, acc)
static inline Loop math_loop_f32(Op op) {
    if (op == OP_exp) return EXP_F32;
    switch (op) {
#define MATH1(op, sleef, acc) \
    case OP_##op:             \
        return math_##op##_f32;
#define MATH2 MATH1
#define EDGE1 MATH1
#define EDGE2 MATH1
#include "kernels/math.def"
#undef MATH1
    case OP_logaddexp: return math_logaddexp_f32;
    case OP_sinc: return math_sinc_f32;
    default: return NULL;
    }
}
static inline Loop math_loop_f64(Op op) {
    switch (op) {
#define MATH1(op, sleef, acc) \
    case OP_##op:             \
        return math_##op##_f64;
#include "kernels/math.def"
#undef MATH1
#undef MATH2
#undef EDGE1
#undef EDGE2
    case OP_logaddexp: return math_logaddexp_f64;
    case OP_sinc: return math_sinc_f64;
    default: return NULL;
    }
}
#undef HELPER1

/* ---- ops, dtype by dtype ---- */

#define XT bool
#define T uint8_t
#define TR uint8_t
#define KIND_BOOL
#include "kernels/loops_type.h"
#define XT i8
#define T int8_t
#define TR int8_t
#define KIND_INT
#include "kernels/loops_type.h"
#define XT i16
#define T int16_t
#define TR int16_t
#define KIND_INT
#include "kernels/loops_type.h"
#define XT i32
#define T int32_t
#define TR int32_t
#define KIND_INT
#include "kernels/loops_type.h"
#define XT i64
#define T int64_t
#define TR int64_t
#define KIND_INT
#include "kernels/loops_type.h"
#define XT u8
#define T uint8_t
#define TR uint8_t
#define KIND_INT
#include "kernels/loops_type.h"
#define XT u16
#define T uint16_t
#define TR uint16_t
#define KIND_INT
#include "kernels/loops_type.h"
#define XT u32
#define T uint32_t
#define TR uint32_t
#define KIND_INT
#include "kernels/loops_type.h"
#define XT u64
#define T uint64_t
#define TR uint64_t
#define KIND_INT
#include "kernels/loops_type.h"
#define XT f32
#define T float
#define TR float
#define TC Complex64
#define KIND_FLOAT
#include "kernels/loops_type.h"
#define XT f64
#define T double
#define TR double
#define TC Complex128
#define KIND_FLOAT
#include "kernels/loops_type.h"

#include "kernels/loops_cast.h"
#include "kernels/loops_draw.h"
#include "kernels/loops_fold.h"

#define SET_GLUE_(a, b) a##_##b
#define SET_GLUE(a, b) SET_GLUE_(a, b)
#define SET_TEXT_(a) #a
#define SET_TEXT(a) SET_TEXT_(a)

const LoopSet SET_GLUE(loops, SET) = {
    .name = SET_TEXT(SET),
    .op = {[DT_bool] = loops_bool,
           [DT_i8] = loops_i8,
           [DT_i16] = loops_i16,
           [DT_i32] = loops_i32,
           [DT_i64] = loops_i64,
           [DT_u8] = loops_u8,
           [DT_u16] = loops_u16,
           [DT_u32] = loops_u32,
           [DT_u64] = loops_u64,
           [DT_f32] = loops_f32,
           [DT_f64] = loops_f64},
    .left = {[DT_f32] = lefts_f32, [DT_f64] = lefts_f64},
    .right = {[DT_f32] = rights_f32, [DT_f64] = rights_f64},
    .cast = {[DT_bool] = casts_bool,
             [DT_i8] = casts_i8,
             [DT_i16] = casts_i16,
             [DT_i32] = casts_i32,
             [DT_i64] = casts_i64,
             [DT_u8] = casts_u8,
             [DT_u16] = casts_u16,
             [DT_u32] = casts_u32,
             [DT_u64] = casts_u64,
             [DT_f16] = casts_f16,
             [DT_bf16] = casts_bf16,
             [DT_f32] = casts_f32,
             [DT_f64] = casts_f64,
             [DT_c64] = casts_c64,
             [DT_c128] = casts_c128},
    .draw = draw_elements,
    .extreme = extreme,
    .extreme_rows = extreme_rows,
    .extreme_join = extreme_join,
    .welford = welford,
    .count = count_true,
};
