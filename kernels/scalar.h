/* scalar - the helpers that ops.def's meaning column names, one text for C and for CUDA.
 *
 * cc compiles it for the block loops (loops_body.h: the name of a helper there ends in its type,
 * x_add_i32); for CUDA the same text is pasted in front of every kernel (NVRTC, no headers), where
 * the helpers are overloads (x_add). FN declares a helper in either way and X(name, type) names
 * one. f16 and bf16 have no helpers: operands are widened to f32 and the result is rounded once.
 * Invariant: + - * / sqrt fma, comparisons, integer and complex arithmetic are plain IEEE
 * operations in a fixed order, so both compilers (contraction off) give the same bits. */
#ifndef ARR_SCALAR_H
#define ARR_SCALAR_H

#ifdef __CUDACC_RTC__
typedef signed char xi8;
typedef short xi16;
typedef int xi32;
typedef long long xi64;
typedef unsigned char xu8;
typedef unsigned short xu16;
typedef unsigned int xu32;
typedef unsigned long long xu64;
typedef bool xbool;
struct xc64 {
    float re, im;
};
struct xc128 {
    double re, im;
};
#define PLAIN __device__ __forceinline__
#define FN(ret, name, type) PLAIN ret name
#define X(name, type) name
#else
#include "runtime/base/dtype.h"
#pragma push_macro("bool")
#undef bool /* the dtype's name is pasted below; the type is xbool */
typedef int8_t xi8;
typedef int16_t xi16;
typedef int32_t xi32;
typedef int64_t xi64;
typedef uint8_t xu8;
typedef uint16_t xu16;
typedef uint32_t xu32;
typedef uint64_t xu64;
typedef _Bool xbool;
typedef Complex64 xc64;
typedef Complex128 xc128;
#if defined(__x86_64__)
#define X_HAS_FMA __builtin_cpu_supports("fma")
#else
#define X_HAS_FMA 1
#endif
#define PLAIN static inline
#define FN(ret, name, type) PLAIN ret name##_##type
#define X(name, type) name##_##type
#endif
typedef float xf32;
typedef double xf64;

/* ---- bits ---- */

#ifdef __CUDACC_RTC__
FN(xu32, x_bits, f32)(xf32 a) { return __float_as_uint(a); }
FN(xu64, x_bits, f64)(xf64 a) { return (xu64)__double_as_longlong(a); }
PLAIN xf32 x_from_bits_f32(xu32 u) { return __uint_as_float(u); }
PLAIN xf64 x_from_bits_f64(xu64 u) { return __longlong_as_double((xi64)u); }
#else
FN(xu32, x_bits, f32)(xf32 a) {
    return ((union {
               xf32 f;
               xu32 u;
           }){.f = a})
        .u;
}
FN(xu64, x_bits, f64)(xf64 a) {
    return ((union {
               xf64 f;
               xu64 u;
           }){.f = a})
        .u;
}
PLAIN xf32 x_from_bits_f32(xu32 bits) {
    return ((union {
               xu32 u;
               xf32 f;
           }){.u = bits})
        .f;
}
PLAIN xf64 x_from_bits_f64(xu64 bits) {
    return ((union {
               xu64 u;
               xf64 f;
           }){.u = bits})
        .f;
}
#endif
#define X_INF32 x_from_bits_f32(0x7f800000u)
#define X_NAN32 x_from_bits_f32(0x7fc00000u)
#define X_INF64 x_from_bits_f64((xu64)0x7ff00000 << 32)
#define X_NAN64 x_from_bits_f64((xu64)0x7ff80000 << 32)
#define X_PI 3.141592653589793
#define X_1_PI 0.3183098861837907
#define X_LN2 0.6931471805599453
#define X_LN10 2.302585092994046

/* ---- elementary functions of one real argument: the platform's ----
 * C: SLEEF's finz functions (cinz where the machine has no fma), the scalar twins of the vector
 * ones in the loops, same bits. CUDA: the device's own, f32 through f64 where the f32 one misses
 * the bound of 2 ulp. */

#ifdef __CUDACC_RTC__
#define X_MATH1(name, fn)                            \
    FN(xf32, name, f32)(xf32 a) { return fn##f(a); } \
    FN(xf64, name, f64)(xf64 a) { return fn(a); }
#define X_MATH1_WIDE(name, fn)                                \
    FN(xf32, name, f32)(xf32 a) { return (xf32)fn((xf64)a); } \
    FN(xf64, name, f64)(xf64 a) { return fn(a); }
#define X_MATH2(name, fn)                                       \
    FN(xf32, name, f32)(xf32 a, xf32 b) { return fn##f(a, b); } \
    FN(xf64, name, f64)(xf64 a, xf64 b) { return fn(a, b); }
#define X_MATH2_WIDE(name, fn)                                                 \
    FN(xf32, name, f32)(xf32 a, xf32 b) { return (xf32)fn((xf64)a, (xf64)b); } \
    FN(xf64, name, f64)(xf64 a, xf64 b) { return fn(a, b); }
X_MATH1(x_sqrt, sqrt)
X_MATH1(x_floor, floor)
X_MATH1(x_ceil, ceil)
X_MATH1(x_trunc, trunc)
X_MATH1(x_rint, rint)
X_MATH1(x_cbrt, cbrt)
X_MATH1(x_exp, exp)
X_MATH1(x_exp2, exp2)
X_MATH1(x_expm1, expm1)
X_MATH1(x_log, log)
X_MATH1(x_log2, log2)
X_MATH1(x_log10, log10)
X_MATH1(x_log1p, log1p)
X_MATH1(x_sin, sin)
X_MATH1(x_cos, cos)
X_MATH1_WIDE(x_tan, tan)
X_MATH1(x_asin, asin)
X_MATH1(x_acos, acos)
X_MATH1(x_atan, atan)
X_MATH1_WIDE(x_sinh, sinh)
X_MATH1(x_cosh, cosh)
X_MATH1(x_tanh, tanh)
X_MATH1_WIDE(x_asinh, asinh)
X_MATH1_WIDE(x_acosh, acosh)
X_MATH1_WIDE(x_atanh, atanh)
X_MATH1(x_erf, erf)
X_MATH1_WIDE(x_lgamma, lgamma)
X_MATH1(x_sinpi, sinpi)
X_MATH1(x_cospi, cospi)
X_MATH2(x_fmod, fmod)
X_MATH2_WIDE(x_pow, pow)
X_MATH2_WIDE(x_atan2, atan2)
X_MATH2_WIDE(x_hypot, hypot)
FN(xf32, x_fma, f32)(xf32 a, xf32 b, xf32 c) { return __fmaf_rn(a, b, c); }
FN(xf64, x_fma, f64)(xf64 a, xf64 b, xf64 c) { return __fma_rn(a, b, c); }
/* Of a normal number well inside the range, within 1 ulp. */
PLAIN xf32 x_reciprocal_near(xf32 a) {
    xf32 r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return __fmaf_rn(r, __fmaf_rn(-a, r, 1.0f), r);
}
#include "kernels/scalar_special.h"
FN(xf32, x_erfc, f32)(xf32 a) { return special_erfc_f32(a); }
FN(xf64, x_erfc, f64)(xf64 a) { return special_erfc_f64(a); }
FN(xf32, x_gamma, f32)(xf32 a) { return (xf32)special_gamma_f64((xf64)a); }
FN(xf64, x_gamma, f64)(xf64 a) { return special_gamma_f64(a); }
#else
#include "kernels/scalar_sleef.h"
#endif

/* ---- integers: U is unsigned and at least 32 bits wide, so nothing overflows ---- */

#ifdef __CUDACC_RTC__
/* Out of the compiler's sight: it makes a negation in 16 bits of it, which its assembler merges
 * into a conversion after it, so that -(-32768) became 32768 as i64 (CUDA 13.0, sm_90). */
PLAIN xu32 x_negated_xu32(xu32 a) {
    asm("neg.s32 %0, %0;" : "+r"(a));
    return a;
}
PLAIN xu64 x_negated_xu64(xu64 a) { return 0 - a; }
#define X_NEGATED(U, a) x_negated_##U(a)
#else
#define X_NEGATED(U, a) ((U)0 - (a))
#endif

#define X_INT_COMMON(s, T, U, BITS)                                     \
    FN(T, x_add, s)(T a, T b) { return (T)((U)a + (U)b); }              \
    FN(T, x_sub, s)(T a, T b) { return (T)((U)a - (U)b); }              \
    FN(T, x_mul, s)(T a, T b) { return (T)((U)a * (U)b); }              \
    FN(T, x_neg, s)(T a) { return (T)X_NEGATED(U, (U)a); }              \
    FN(T, x_not, s)(T a) { return (T)(~(U)a); }                         \
    FN(T, x_one, s)(T a) {                                              \
        (void)a;                                                        \
        return (T)1;                                                    \
    }                                                                   \
    FN(T, x_conj, s)(T a) { return a; }                                 \
    FN(T, x_popcount, s)(T a) {                                         \
        xu64 v = (xu64)a & (~(xu64)0 >> (64 - BITS));                   \
        v = v - (v >> 1 & 0x5555555555555555u);                         \
        v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u); \
        v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;                       \
        return (T)(v * 0x0101010101010101u >> 56);                      \
    }

/* What integers and booleans answer to the questions of floats. */
#define X_TRIVIAL(s, T)                                     \
    FN(xbool, x_eq, s)(T a, T b) { return a == b; }         \
    FN(xbool, x_ne, s)(T a, T b) { return a != b; }         \
    FN(T, x_floor, s)(T a) { return a; }                    \
    FN(T, x_ceil, s)(T a) { return a; }                     \
    FN(T, x_trunc, s)(T a) { return a; }                    \
    FN(T, x_rint, s)(T a) { return a; }                     \
    FN(T, x_real, s)(T a) { return a; }                     \
    FN(T, x_imag, s)(T a) {                                 \
        (void)a;                                            \
        return (T)0;                                        \
    }                                                       \
    FN(xbool, x_isnan, s)(T a) {                            \
        (void)a;                                            \
        return 0;                                           \
    }                                                       \
    FN(xbool, x_isinf, s)(T a) {                            \
        (void)a;                                            \
        return 0;                                           \
    }                                                       \
    FN(xbool, x_isfinite, s)(T a) {                         \
        (void)a;                                            \
        return 1;                                           \
    }                                                       \
    FN(T, x_minimum, s)(T a, T b) { return b < a ? b : a; } \
    FN(T, x_maximum, s)(T a, T b) { return b > a ? b : a; } \
    FN(T, x_fmin, s)(T a, T b) { return b < a ? b : a; }    \
    FN(T, x_fmax, s)(T a, T b) { return b > a ? b : a; }

/* Quotients: by zero 0, the least integer by -1 wraps, both without a trap. C has no vector integer
 * division, so 32 bits and less go through f64, whose quotient is exact enough: it differs from the
 * next integer by 1/b > 2^-33, its own rounding by less than 2^32 * 2^-53. */
#if defined(__CUDACC_RTC__)
#define X_QUOT32(T, a, b) ((T)((a) / (b)))
#else
#define X_QUOT32(T, a, b) ((T)((double)(a) / (double)(b)))
#endif
#define X_QUOT64(T, a, b) ((a) / (b))

#define X_SIGNED(s, T, U, BITS, QUOT)                                                   \
    X_INT_COMMON(s, T, U, BITS)                                                         \
    X_TRIVIAL(s, T)                                                                     \
    FN(T, x_abs, s)(T a) { return a < 0 ? (T)X_NEGATED(U, (U)a) : a; }                  \
    FN(T, x_sign, s)(T a) { return (T)((a > 0) - (a < 0)); }                            \
    FN(xbool, x_signbit, s)(T a) { return a < 0; }                                      \
    FN(T, x_floordiv, s)(T a, T b) {                                                    \
        T d = (b == 0 || b == -1) ? (T)1 : b;                                           \
        T q = QUOT(T, a, d);                                                            \
        T r = (T)((U)a - (U)q * (U)d);                                                  \
        q = (T)((U)q - (U)(r != 0 && (r < 0) != (d < 0)));                              \
        return b == 0 ? (T)0 : b == -1 ? (T)((U)0 - (U)a) : q;                          \
    }                                                                                   \
    FN(T, x_mod, s)(T a, T b) {                                                         \
        T d = (b == 0 || b == -1) ? (T)1 : b;                                           \
        T q = QUOT(T, a, d);                                                            \
        T r = (T)((U)a - (U)q * (U)d);                                                  \
        return r != 0 && (r < 0) != (d < 0) ? (T)((U)r + (U)d) : r;                     \
    }                                                                                   \
    FN(T, x_fmod, s)(T a, T b) {                                                        \
        T d = (b == 0 || b == -1) ? (T)1 : b;                                           \
        T q = QUOT(T, a, d);                                                            \
        return (T)((U)a - (U)q * (U)d);                                                 \
    }                                                                                   \
    FN(T, x_shl, s)(T a, T b) { return b < 0 || b >= BITS ? (T)0 : (T)((U)a << b); }    \
    FN(T, x_shr, s)(T a, T b) { return (T)(a >> (b < 0 || b >= BITS ? BITS - 1 : b)); } \
    FN(T, x_pow, s)(T a, T b) {                                                         \
        if (b < 0) return a == 1 ? (T)1 : a == -1 ? (T)(b & 1 ? -1 : 1) : (T)0;         \
        U r = 1, p = (U)a;                                                              \
        for (; b != 0; b = (T)(b >> 1), p *= p)                                         \
            if (b & 1) r *= p;                                                          \
        return (T)r;                                                                    \
    }                                                                                   \
    FN(T, x_gcd, s)(T a, T b) {                                                         \
        U x = a < 0 ? (U)0 - (U)a : (U)a, y = b < 0 ? (U)0 - (U)b : (U)b;               \
        while (y != 0) {                                                                \
            U r = x % y;                                                                \
            x = y;                                                                      \
            y = r;                                                                      \
        }                                                                               \
        return (T)x;                                                                    \
    }                                                                                   \
    FN(T, x_lcm, s)(T a, T b) {                                                         \
        U x = a < 0 ? (U)0 - (U)a : (U)a, y = b < 0 ? (U)0 - (U)b : (U)b;               \
        T d = X(x_gcd, s)(a, b);                                                        \
        U g = d < 0 ? (U)0 - (U)d : (U)d;                                               \
        return g == 0 ? (T)0 : (T)(x / g * y);                                          \
    }

#define X_UNSIGNED(s, T, U, BITS, QUOT)                                     \
    X_INT_COMMON(s, T, U, BITS)                                             \
    X_TRIVIAL(s, T)                                                         \
    FN(T, x_abs, s)(T a) { return a; }                                      \
    FN(T, x_sign, s)(T a) { return (T)(a != 0); }                           \
    FN(xbool, x_signbit, s)(T a) {                                          \
        (void)a;                                                            \
        return 0;                                                           \
    }                                                                       \
    FN(T, x_floordiv, s)(T a, T b) {                                        \
        T d = b == 0 ? (T)1 : b;                                            \
        T q = QUOT(T, a, d);                                                \
        return b == 0 ? (T)0 : q;                                           \
    }                                                                       \
    FN(T, x_mod, s)(T a, T b) {                                             \
        T d = b == 0 ? (T)1 : b;                                            \
        T q = QUOT(T, a, d);                                                \
        return b == 0 ? (T)0 : (T)((U)a - (U)q * (U)d);                     \
    }                                                                       \
    FN(T, x_fmod, s)(T a, T b) { return X(x_mod, s)(a, b); }                \
    FN(T, x_shl, s)(T a, T b) { return b >= BITS ? (T)0 : (T)((U)a << b); } \
    FN(T, x_shr, s)(T a, T b) { return b >= BITS ? (T)0 : (T)(a >> b); }    \
    FN(T, x_pow, s)(T a, T b) {                                             \
        U r = 1, p = (U)a;                                                  \
        for (; b != 0; b = (T)(b >> 1), p *= p)                             \
            if (b & 1) r *= p;                                              \
        return (T)r;                                                        \
    }                                                                       \
    FN(T, x_gcd, s)(T a, T b) {                                             \
        while (b != 0) {                                                    \
            T r = (T)(a % b);                                               \
            a = b;                                                          \
            b = r;                                                          \
        }                                                                   \
        return a;                                                           \
    }                                                                       \
    FN(T, x_lcm, s)(T a, T b) {                                             \
        T g = X(x_gcd, s)(a, b);                                            \
        return g == 0 ? (T)0 : (T)((U)(a / g) * (U)b);                      \
    }

X_SIGNED(i8, xi8, xu32, 8, X_QUOT32)
X_SIGNED(i16, xi16, xu32, 16, X_QUOT32)
X_SIGNED(i32, xi32, xu32, 32, X_QUOT32)
X_SIGNED(i64, xi64, xu64, 64, X_QUOT64)
X_UNSIGNED(u8, xu8, xu32, 8, X_QUOT32)
X_UNSIGNED(u16, xu16, xu32, 16, X_QUOT32)
X_UNSIGNED(u32, xu32, xu32, 32, X_QUOT32)
X_UNSIGNED(u64, xu64, xu64, 64, X_QUOT64)

X_TRIVIAL(bool, xbool)
FN(xbool, x_not, bool)(xbool a) { return !a; }
FN(xbool, x_abs, bool)(xbool a) { return a; }
FN(xbool, x_signbit, bool)(xbool a) {
    (void)a;
    return 0;
}

/* u64 against i64, exactly: -1, 0, 1 (P_CMPMIX). */
PLAIN xi32 x_cmp_mixed(xu64 a, xi64 b) { return b < 0 || a > (xu64)b ? 1 : a < (xu64)b ? -1 : 0; }

/* ---- real floats ---- */

/* floordiv and mod are NumPy's: from fmod, so that (a // b) * b + a % b is a. */
#define X_FLOAT(s, T, U, EXPONENT, INF, NAN_)                                            \
    FN(T, x_add, s)(T a, T b) { return a + b; }                                          \
    FN(T, x_sub, s)(T a, T b) { return a - b; }                                          \
    FN(T, x_mul, s)(T a, T b) { return a * b; }                                          \
    FN(T, x_div, s)(T a, T b) { return a / b; }                                          \
    FN(T, x_neg, s)(T a) { return -a; }                                                  \
    FN(T, x_one, s)(T a) {                                                               \
        (void)a;                                                                         \
        return (T)1;                                                                     \
    }                                                                                    \
    FN(T, x_conj, s)(T a) { return a; }                                                  \
    FN(T, x_real, s)(T a) { return a; }                                                  \
    FN(T, x_imag, s)(T a) {                                                              \
        (void)a;                                                                         \
        return (T)0;                                                                     \
    }                                                                                    \
    FN(xbool, x_eq, s)(T a, T b) { return a == b; }                                      \
    FN(xbool, x_ne, s)(T a, T b) { return a != b; }                                      \
    FN(xbool, x_isnan, s)(T a) { return a != a; }                                        \
    FN(xbool, x_isinf, s)(T a) { return a == INF || a == -INF; }                         \
    FN(xbool, x_isfinite, s)(T a) { return (X(x_bits, s)(a) & EXPONENT) != EXPONENT; }   \
    FN(xbool, x_signbit, s)(T a) { return X(x_bits, s)(a) >> (sizeof(T) * 8 - 1) != 0; } \
    FN(T, x_abs, s)(T a) { return x_from_bits_##s(X(x_bits, s)(a) & (~(U)0 >> 1)); }     \
    FN(T, x_copysign, s)(T a, T b) {                                                     \
        return x_from_bits_##s((X(x_bits, s)(a) & (~(U)0 >> 1)) |                        \
                               (X(x_bits, s)(b) & ~(~(U)0 >> 1)));                       \
    }                                                                                    \
    FN(T, x_sign, s)(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? (T)0 : a; }   \
    FN(T, x_minimum, s)(T a, T b) { return a <= b || a != a ? a : b; }                   \
    FN(T, x_maximum, s)(T a, T b) { return a >= b || a != a ? a : b; }                   \
    FN(T, x_fmin, s)(T a, T b) { return a <= b || b != b ? a : b; }                      \
    FN(T, x_fmax, s)(T a, T b) { return a >= b || b != b ? a : b; }                      \
    FN(T, x_degrees, s)(T a) { return a * (T)57.29577951308232; }                        \
    FN(T, x_radians, s)(T a) { return a * (T)0.017453292519943295; }                     \
    FN(T, x_angle, s)(T a) { return a != a ? a : X(x_signbit, s)(a) ? (T)X_PI : (T)0; }  \
    FN(T, x_floordiv, s)(T a, T b) {                                                     \
        T m = X(x_fmod, s)(a, b);                                                        \
        T q = (a - m) / b;                                                               \
        if (m != 0 && (b < 0) != (m < 0)) q -= (T)1;                                     \
        T f = X(x_floor, s)(q);                                                          \
        if (q - f > (T)0.5) f += (T)1;                                                   \
        if (q == 0) f = X(x_copysign, s)((T)0, a / b);                                   \
        return b == 0 ? a / b : f;                                                       \
    }                                                                                    \
    FN(T, x_mod, s)(T a, T b) {                                                          \
        T m = X(x_fmod, s)(a, b);                                                        \
        if (m == 0) return X(x_copysign, s)(m, b);                                       \
        return (b < 0) != (m < 0) ? m + b : m;                                           \
    }                                                                                    \
    FN(T, x_nextafter, s)(T a, T b) {                                                    \
        if (a != a || b != b) return a + b;                                              \
        if (a == b) return b;                                                            \
        U u = X(x_bits, s)(a);                                                           \
        if (a == 0) return X(x_copysign, s)(x_from_bits_##s((U)1), b);                   \
        u = (a < b) == (a > 0) ? u + 1 : u - 1;                                          \
        return x_from_bits_##s(u);                                                       \
    }                                                                                    \
    /* sinpi serves a limited range: the whole turns are taken off first, exactly */     \
    FN(T, x_sinc, s)(T a) {                                                              \
        T r = a - 2 * X(x_rint, s)(a / 2);                                               \
        return a * a < (T)1e-30 ? (T)1 : (T)((xf64)X(x_sinpi, s)(r) * X_1_PI / (xf64)a); \
    }

X_FLOAT(f32, xf32, xu32, 0x7f800000u, X_INF32, X_NAN32)
X_FLOAT(f64, xf64, xu64, ((xu64)0x7ff00000 << 32), X_INF64, X_NAN64)

/* The neighbour of a towards b for f16 (inf 0x7c00) and bf16 (inf 0x7f80), on their bits. */
PLAIN xu16 x_nextafter_half(xu16 a, xu16 b, xu16 inf) {
    xi32 x = a & 0x7fff, y = b & 0x7fff;
    if (x > inf) return a;
    if (y > inf) return b;
    x = a & 0x8000 ? -x : x;
    y = b & 0x8000 ? -y : y;
    if (x == y) return b;
    x += x < y ? 1 : -1;
    return (xu16)(x < 0 || (x == 0 && (a & 0x8000)) ? -x | 0x8000 : x);
}

#include "kernels/scalar_logsum.h"

#include "kernels/scalar_complex.h"

/* ---- variance: Welford/Chan ----
 * Two disjoint sets of na and nb elements with means ma, mb and squared deviations Ma, Mb become
 * one in ma, Ma. The weights are rounded once from f64, so that counts beyond 2^24 stay exact. A
 * single element is a set with nb = 1, Mb = 0; the first element of a lane is copied, not added.
 * Differences are scaled before they are squared, by x_spread(n) for n elements in all, a power of
 * 2 whose square is at most 1 / (2 n): nothing overflows where the variance does not, and no digit
 * changes. */
PLAIN xf64 x_spread(xi64 n) {
    xu64 exponent = (X(x_bits, f64)((xf64)(2 * n - 1)) >> 52) - 1023;
    return x_pow2(-(xi32)((exponent + 2) / 2));
}
/* The variance of n elements, from the squared deviations as they are kept. */
PLAIN xf64 x_variance(xf64 M, xi64 n, xf64 ddof, xf64 spread) {
    return M / (((xf64)n - ddof) * spread * spread);
}
#define X_WELFORD(s, T)                                                            \
    FN(T, x_weight_mean, s)(xi64 na, xi64 nb, T t) {                               \
        (void)t;                                                                   \
        return (T)((xf64)nb / (xf64)(na + nb));                                    \
    }                                                                              \
    FN(T, x_weight_m2, s)(xi64 na, xi64 nb, T t) {                                 \
        (void)t;                                                                   \
        return (T)((xf64)na * (xf64)nb / (xf64)(na + nb));                         \
    }                                                                              \
    FN(void, x_welford, s)(T * ma, T * Ma, T mb, T Mb, T wmean, T wm2, T spread) { \
        T d = mb - *ma, e = d * spread;                                            \
        *ma = *ma + d * wmean;                                                     \
        *Ma = (*Ma + Mb) + e * e * wm2;                                            \
    }
X_WELFORD(f32, xf32)
X_WELFORD(f64, xf64)

#ifndef __CUDACC_RTC__
#pragma pop_macro("bool")
#endif
#endif
