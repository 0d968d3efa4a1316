/* scalar_sleef - the elementary functions of scalar.h in C: SLEEF's scalar finz functions, the
 * twins of the vector ones in the loops, same bits (cinz where the machine has no fma), with their
 * edges repaired.
 *
 * Included by scalar.h alone, never for CUDA. What is exact is the compiler's own. math.def lists
 * the functions; the loops repair the same elements by the same edge_ and fixed_ functions.
 * Invariant: x_<op>_<type> of an element is what the loop of that op gives for it. */
#ifndef ARR_SCALAR_SLEEF_H
#define ARR_SCALAR_SLEEF_H

#define X_EXACT1(name, fn)                                       \
    FN(xf32, name, f32)(xf32 a) { return __builtin_##fn##f(a); } \
    FN(xf64, name, f64)(xf64 a) { return __builtin_##fn(a); }
X_EXACT1(x_sqrt, sqrt)
X_EXACT1(x_floor, floor)
X_EXACT1(x_ceil, ceil)
X_EXACT1(x_trunc, trunc)
X_EXACT1(x_rint, rint)
FN(xf32, x_fmod, f32)(xf32 a, xf32 b) { return __builtin_fmodf(a, b); }
FN(xf64, x_fmod, f64)(xf64 a, xf64 b) { return __builtin_fmod(a, b); }
FN(xf32, x_fma, f32)(xf32 a, xf32 b, xf32 c) { return __builtin_fmaf(a, b, c); }
FN(xf64, x_fma, f64)(xf64 a, xf64 b, xf64 c) { return __builtin_fma(a, b, c); }
/* SLEEF's own answer, then with its edges repaired. */
#define SLEEF1(op, sleef, acc)                                       \
    float Sleef_finz_##sleef##f1_##acc##purecfma(float);             \
    double Sleef_finz_##sleef##d1_##acc##purecfma(double);           \
    float Sleef_cinz_##sleef##f1_##acc##purec(float);                \
    double Sleef_cinz_##sleef##d1_##acc##purec(double);              \
    FN(xf32, x_##op, f32)(xf32 a) {                                  \
        return X_HAS_FMA ? Sleef_finz_##sleef##f1_##acc##purecfma(a) \
                         : Sleef_cinz_##sleef##f1_##acc##purec(a);   \
    }                                                                \
    FN(xf64, x_##op, f64)(xf64 a) {                                  \
        return X_HAS_FMA ? Sleef_finz_##sleef##d1_##acc##purecfma(a) \
                         : Sleef_cinz_##sleef##d1_##acc##purec(a);   \
    }
#define SLEEF2(op, sleef, acc)                                          \
    float Sleef_finz_##sleef##f1_##acc##purecfma(float, float);         \
    double Sleef_finz_##sleef##d1_##acc##purecfma(double, double);      \
    float Sleef_cinz_##sleef##f1_##acc##purec(float, float);            \
    double Sleef_cinz_##sleef##d1_##acc##purec(double, double);         \
    FN(xf32, x_##op, f32)(xf32 a, xf32 b) {                             \
        return X_HAS_FMA ? Sleef_finz_##sleef##f1_##acc##purecfma(a, b) \
                         : Sleef_cinz_##sleef##f1_##acc##purec(a, b);   \
    }                                                                   \
    FN(xf64, x_##op, f64)(xf64 a, xf64 b) {                             \
        return X_HAS_FMA ? Sleef_finz_##sleef##d1_##acc##purecfma(a, b) \
                         : Sleef_cinz_##sleef##d1_##acc##purec(a, b);   \
    }
#define MATH1(op, sleef, acc) SLEEF1(op, sleef, acc)
#define MATH2(op, sleef, acc) SLEEF2(op, sleef, acc)
#define EDGE1(op, sleef, acc) SLEEF1(raw_##op, sleef, acc)
#define EDGE2(op, sleef, acc) SLEEF2(raw_##op, sleef, acc)
#define HELPER1 MATH1
#include "kernels/math.def"
#undef MATH1
#undef MATH2
#undef EDGE1
#undef EDGE2
#undef HELPER1

/* Where SLEEF misses, given the arguments and its answer r; and what is right there. Near the
 * overflow of exp, e^(x-1) * e is; asinh and acosh of large x are log(2 x); tan, log1p and asinh of
 * tiny x are x itself; a power that seems to overflow is tried as a square. */
#define x_largest_f32 3.40282347e+38f
#define x_largest_f64 1.7976931348623157e+308
#define X_EDGES(s, T, LARGE)                                                                \
    PLAIN xbool edge_exp_##s(T a, T r) {                                                    \
        (void)r;                                                                            \
        return a > (T)LARGE;                                                                \
    }                                                                                       \
    PLAIN T fixed_exp_##s(T a) { return x_raw_exp_##s(a - 1) * (T)2.718281828459045; }      \
    PLAIN xbool edge_log1p_##s(T a, T r) {                                                  \
        (void)r;                                                                            \
        return a > (T)0x1p60 || (a < (T)0x1p-60 && a > (T)-0x1p-60);                        \
    }                                                                                       \
    PLAIN T fixed_log1p_##s(T a) { return a > 1 ? x_log_##s(a) : a; }                       \
    PLAIN xbool edge_tan_##s(T a, T r) {                                                    \
        (void)r;                                                                            \
        return a < (T)0x1p-30 && a > (T)-0x1p-30;                                           \
    }                                                                                       \
    PLAIN T fixed_tan_##s(T a) { return a; }                                                \
    PLAIN xbool edge_sinh_##s(T a, T r) {                                                   \
        (void)r;                                                                            \
        return a > (T)LARGE || a < -(T)LARGE;                                               \
    }                                                                                       \
    PLAIN T fixed_sinh_##s(T a) {                                                           \
        T e = x_raw_exp_##s((a < 0 ? -a : a) - 1) * (T)1.3591409142295225;                  \
        return a < 0 ? -e : e;                                                              \
    }                                                                                       \
    PLAIN xbool edge_cosh_##s(T a, T r) { return edge_sinh_##s(a, r); }                     \
    PLAIN T fixed_cosh_##s(T a) {                                                           \
        return x_raw_exp_##s((a < 0 ? -a : a) - 1) * (T)1.3591409142295225;                 \
    }                                                                                       \
    PLAIN xbool edge_asinh_##s(T a, T r) {                                                  \
        T m = a < 0 ? -a : a;                                                               \
        (void)r;                                                                            \
        return m > (T)0x1p30 || m < (T)0x1p-30;                                             \
    }                                                                                       \
    PLAIN T fixed_asinh_##s(T a) {                                                          \
        T m = a < 0 ? -a : a;                                                               \
        if (m < 1) return a;                                                                \
        m = x_log_##s(m) + (T)X_LN2;                                                        \
        return a < 0 ? -m : m;                                                              \
    }                                                                                       \
    PLAIN xbool edge_acosh_##s(T a, T r) {                                                  \
        (void)r;                                                                            \
        return a > (T)0x1p30;                                                               \
    }                                                                                       \
    PLAIN T fixed_acosh_##s(T a) { return x_log_##s(a) + (T)X_LN2; }                        \
    PLAIN xbool edge_pow_##s(T a, T b, T r) {                                               \
        return (r > x_largest_##s || r < -x_largest_##s) && a != 0 && a <= x_largest_##s && \
               a >= -x_largest_##s && b <= x_largest_##s && b >= -x_largest_##s;            \
    }                                                                                       \
    PLAIN T fixed_pow_##s(T a, T b) {                                                       \
        if (b == 1) return a;                                                               \
        T r = x_raw_pow_##s(a < 0 ? -a : a, b * (T)0.5);                                    \
        return x_raw_pow_##s(a, b) < 0 ? -(r * r) : r * r;                                  \
    }                                                                                       \
    PLAIN xbool edge_atan2_##s(T a, T b, T r) {                                             \
        T m = a < 0 ? -a : a;                                                               \
        (void)r;                                                                            \
        return b > 0 && m < b * (T)0x1p-30;                                                 \
    }                                                                                       \
    PLAIN T fixed_atan2_##s(T a, T b) { return a / b; }
X_EDGES(f32, xf32, 88.0)
X_EDGES(f64, xf64, 709.0)
/* Gamma far below 0, where its size nears the least normal numbers: from 16 steps further up. */
/* Below -190 nothing is left but the sign; a pole stays nan. */
PLAIN xf64 vanished_gamma(xf64 a) {
    xf64 n = __builtin_floor(a), h = 0.5 * n;
    return a == n ? X_NAN64 : h == __builtin_floor(h) ? 0.0 : -0.0;
}
PLAIN xbool edge_gamma_f64(xf64 a, xf64 r) { return (void)r, a < -170.0; }
PLAIN xf64 fixed_gamma_f64(xf64 a) {
    if (a < -190.0) return vanished_gamma(a);
    xf64 product = 1, rest = 0, g = x_raw_gamma_f64(a + 16);
    for (int i = 0; i < 16; i++) {
        xf64 t = a + i, p = product * t;
        rest = rest * t + __builtin_fma(product, t, -p);
        product = p;
    }
    return (g - g * (rest / product)) / product;
}
PLAIN xbool edge_gamma_f32(xf32 a, xf32 r) { return (void)r, a < -30.0f; }
PLAIN xf32 fixed_gamma_f32(xf32 a) {
    return (xf32)(a < -150.0f ? vanished_gamma(a) : x_raw_gamma_f64(a));
}
#define EDGE1(op, sleef, acc)                                   \
    FN(xf32, x_##op, f32)(xf32 a) {                             \
        xf32 r = x_raw_##op##_f32(a);                           \
        return edge_##op##_f32(a, r) ? fixed_##op##_f32(a) : r; \
    }                                                           \
    FN(xf64, x_##op, f64)(xf64 a) {                             \
        xf64 r = x_raw_##op##_f64(a);                           \
        return edge_##op##_f64(a, r) ? fixed_##op##_f64(a) : r; \
    }
#define EDGE2(op, sleef, acc)                                         \
    FN(xf32, x_##op, f32)(xf32 a, xf32 b) {                           \
        xf32 r = x_raw_##op##_f32(a, b);                              \
        return edge_##op##_f32(a, b, r) ? fixed_##op##_f32(a, b) : r; \
    }                                                                 \
    FN(xf64, x_##op, f64)(xf64 a, xf64 b) {                           \
        xf64 r = x_raw_##op##_f64(a, b);                              \
        return edge_##op##_f64(a, b, r) ? fixed_##op##_f64(a, b) : r; \
    }
#define MATH1(op, sleef, acc)
#define MATH2(op, sleef, acc)
#define HELPER1(op, sleef, acc)
#include "kernels/math.def"
#undef MATH1
#undef MATH2
#undef EDGE1
#undef EDGE2
#undef HELPER1

#endif
