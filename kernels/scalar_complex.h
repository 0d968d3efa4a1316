/* scalar_complex - the complex helpers of scalar.h, one text for C and for CUDA.
 *
 * Included by scalar.h alone, after its real ones. Arithmetic is written out in a fixed order, the
 * same bits everywhere; elementary functions are composed of the platform's real ones.
 * Invariant: c64 functions are those of c128, rounded. */
#ifndef ARR_SCALAR_COMPLEX_H
#define ARR_SCALAR_COMPLEX_H

#define X_COMPLEX(s, C, r, T)                                                                  \
    FN(C, x_make, s)(T re, T im) {                                                             \
        C z = {re, im};                                                                        \
        return z;                                                                              \
    }                                                                                          \
    FN(C, x_add, s)(C a, C b) { return X(x_make, s)(a.re + b.re, a.im + b.im); }               \
    FN(C, x_sub, s)(C a, C b) { return X(x_make, s)(a.re - b.re, a.im - b.im); }               \
    FN(C, x_mul, s)(C a, C b) {                                                                \
        return X(x_make, s)(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);             \
    }                                                                                          \
    FN(C, x_div, s)(C a, C b) { /* Smith, in NumPy's order */                                  \
        T p = X(x_abs, r)(b.re), q = X(x_abs, r)(b.im);                                        \
        if (p >= q) {                                                                          \
            if (p == 0 && q == 0) return X(x_make, s)(a.re / p, a.im / p);                     \
            T k = b.im / b.re, d = (T)1 / (b.re + b.im * k);                                   \
            return X(x_make, s)((a.re + a.im * k) * d, (a.im - a.re * k) * d);                 \
        }                                                                                      \
        T k = b.re / b.im, d = (T)1 / (b.im + b.re * k);                                       \
        return X(x_make, s)((a.re * k + a.im) * d, (a.im * k - a.re) * d);                     \
    }                                                                                          \
    FN(C, x_neg, s)(C a) { return X(x_make, s)(-a.re, -a.im); }                                \
    FN(C, x_one, s)(C a) {                                                                     \
        (void)a;                                                                               \
        return X(x_make, s)((T)1, (T)0);                                                       \
    }                                                                                          \
    FN(C, x_conj, s)(C a) { return X(x_make, s)(a.re, -a.im); }                                \
    FN(T, x_real, s)(C a) { return a.re; }                                                     \
    FN(T, x_imag, s)(C a) { return a.im; }                                                     \
    FN(xbool, x_eq, s)(C a, C b) { return a.re == b.re && a.im == b.im; }                      \
    FN(xbool, x_ne, s)(C a, C b) { return a.re != b.re || a.im != b.im; }                      \
    FN(xbool, x_isnan, s)(C a) { return a.re != a.re || a.im != a.im; }                        \
    FN(xbool, x_isinf, s)(C a) { return X(x_isinf, r)(a.re) || X(x_isinf, r)(a.im); }          \
    FN(xbool, x_isfinite, s)(C a) { return X(x_isfinite, r)(a.re) && X(x_isfinite, r)(a.im); } \
    FN(T, x_abs, s)(C a) { return X(x_hypot, r)(a.re, a.im); }                                 \
    FN(T, x_angle, s)(C a) { return X(x_atan2, r)(a.im, a.re); }                               \
    FN(C, x_sign, s)(C a) {                                                                    \
        T m = X(x_abs, r)(a.re), n = X(x_abs, r)(a.im);                                        \
        m = m > n || m != m ? m : n;                                                           \
        if (m == 0) return X(x_make, s)((T)0, (T)0);                                           \
        if (X(x_isinf, s)(a)) { /* NumPy's */                                                  \
            xbool p = X(x_isinf, r)(a.re), q = X(x_isinf, r)(a.im);                            \
            if (p && q) return X(x_make, s)(a.re - a.re, a.re - a.re);                         \
            return X(x_make, s)(p ? X(x_copysign, r)((T)1, a.re) : (T)0,                       \
                                q ? X(x_copysign, r)((T)1, a.im) : (T)0);                      \
        }                                                                                      \
        /* scaled, for the modulus to be as exact as can be and finite */                      \
        T k = m > (T)1 ? (T)0.0625 : (T)1024, x = a.re * k, y = a.im * k;                      \
        m = X(x_hypot, r)(x * k, y * k);                                                       \
        return X(x_make, s)(x * k / m, y * k / m);                                             \
    }

X_COMPLEX(c64, xc64, f32, xf32)
X_COMPLEX(c128, xc128, f64, xf64)
FN(xc64, x_complex, f32)(xf32 a, xf32 b) { return X(x_make, c64)(a, b); }
FN(xc128, x_complex, f64)(xf64 a, xf64 b) { return X(x_make, c128)(a, b); }

/* Transcendental functions of complex numbers: textbook forms in c128 (Kahan's for the inverse
 * ones, right on the branch cuts, signed zeros included); c64 goes through c128 and is rounded. */

FN(xc128, x_exp, c128)(xc128 z) {
    xf64 e = X(x_exp, f64)(z.re);
    if (z.im == 0) return X(x_make, c128)(e, z.im);
    if (z.re == -X_INF64 && !X(x_isfinite, f64)(z.im))
        return X(x_make, c128)(0.0, X(x_copysign, f64)(0.0, z.im));
    if (e == X_INF64 && z.re == X_INF64 && !X(x_isfinite, f64)(z.im))
        return X(x_make, c128)(e, X_NAN64);
    if (z.re > 700.0 && z.re < 1500.0) { /* exp alone may overflow where a small sine saves it */
        xf64 h = X(x_exp, f64)(z.re * 0.5);
        return X(x_make, c128)(h * X(x_cos, f64)(z.im) * h, h * X(x_sin, f64)(z.im) * h);
    }
    return X(x_make, c128)(e * X(x_cos, f64)(z.im), e * X(x_sin, f64)(z.im));
}
FN(xf64, x_logabs, c128)(xc128 z) {
    xf64 p = X(x_abs, f64)(z.re), q = X(x_abs, f64)(z.im);
    xf64 m = p > q ? p : q, n = p > q ? q : p;
    if (m > 0.5 && m < 1.5) return 0.5 * X(x_log1p, f64)((m - 1.0) * (m + 1.0) + n * n);
    if (m > 1e300 && m < X_INF64) /* the modulus may overflow */
        return X(x_log, f64)(X(x_hypot, f64)(p * 0.25, q * 0.25)) + 2.0 * X_LN2;
    if (m < 1e-290 && m > 0) /* or be subnormal, times 2^-108 then */
        return X(x_log, f64)(X(x_hypot, f64)(p * 0x1p108, q * 0x1p108)) - 108.0 * X_LN2;
    return X(x_log, f64)(X(x_hypot, f64)(p, q));
}
FN(xc128, x_log, c128)(xc128 z) {
    return X(x_make, c128)(X(x_logabs, c128)(z), X(x_atan2, f64)(z.im, z.re));
}
FN(xc128, x_sqrt, c128)(xc128 z) {
    xf64 m = X(x_hypot, f64)(z.re, z.im);
    if (z.re == 0 && z.im == 0) return X(x_make, c128)(0.0, z.im);
    if (X(x_isinf, f64)(z.im)) return X(x_make, c128)(X_INF64, z.im);
    if (z.re == X_INF64)
        return X(x_make, c128)(z.re, z.im != z.im ? z.im : X(x_copysign, f64)(0.0, z.im));
    if (z.re == -X_INF64)
        return X(x_make, c128)(z.im != z.im ? z.im : 0.0, X(x_copysign, f64)(X_INF64, z.im));
    xf64 k = 1.0; /* scaled so that m + |re| neither overflows nor loses its low bits */
    if (m > 4e307) {
        k = 2.0;
        z = X(x_make, c128)(z.re * 0.25, z.im * 0.25);
        m = X(x_hypot, f64)(z.re, z.im);
    } else if (m < 1e-290) {
        k = 7.450580596923828e-09; /* 2^-27 */
        z = X(x_make, c128)(z.re * 18014398509481984.0, z.im * 18014398509481984.0);
        m = X(x_hypot, f64)(z.re, z.im);
    }
    xf64 t = X(x_sqrt, f64)(0.5 * (m + X(x_abs, f64)(z.re)));
    if (z.re >= 0) return X(x_make, c128)(t * k, z.im / (2.0 * t) * k);
    return X(x_make, c128)(X(x_abs, f64)(z.im) / (2.0 * t) * k, X(x_copysign, f64)(t, z.im) * k);
}
FN(xc128, x_exp2, c128)(xc128 z) {
    xf64 e = X(x_exp2, f64)(z.re), t = z.im * X_LN2, h = 1.0;
    if (z.im == 0) return X(x_make, c128)(e, z.im);
    if (!X(x_isfinite, c128)(z)) return X(x_exp, c128)(z);
    /* what the product lost turns the angle a little further */
    xf64 lost = X(x_fma, f64)(z.im, X_LN2, -t) + z.im * X_LN2_LOW;
    xf64 c = X(x_cos, f64)(t), s = X(x_sin, f64)(t);
    if (z.re > 1000.0 && z.re < 2200.0) e = h = X(x_exp2, f64)(z.re * 0.5);
    return X(x_make, c128)(e * (c - s * lost) * h, e * (s + c * lost) * h);
}
FN(xc128, x_expm1, c128)(xc128 z) {
    xf64 s = X(x_sin, f64)(0.5 * z.im);
    return X(x_make, c128)(X(x_expm1, f64)(z.re) * X(x_cos, f64)(z.im) - 2.0 * s * s,
                           X(x_exp, f64)(z.re) * X(x_sin, f64)(z.im));
}
FN(xc128, x_log2, c128)(xc128 z) {
    xc128 w = X(x_log, c128)(z);
    return X(x_make, c128)(w.re / X_LN2, w.im / X_LN2);
}
FN(xc128, x_log10, c128)(xc128 z) {
    xc128 w = X(x_log, c128)(z);
    return X(x_make, c128)(w.re / X_LN10, w.im / X_LN10);
}
FN(xc128, x_log1p, c128)(xc128 z) {
    xf64 re = X(x_abs, f64)(z.re) < 0.5 && X(x_abs, f64)(z.im) < 0.5
                  ? 0.5 * X(x_log1p, f64)(z.re * (2.0 + z.re) + z.im * z.im)
                  : X(x_logabs, c128)(X(x_make, c128)(1.0 + z.re, z.im));
    return X(x_make, c128)(re, X(x_atan2, f64)(z.im, 1.0 + z.re));
}
/* cosh and sinh of x times cos and sin of y; where the former alone would overflow, in two steps.
 */
FN(xc128, x_sinh, c128)(xc128 z) {
    xf64 x = z.re, y = z.im;
    if (y == 0) return X(x_make, c128)(X(x_sinh, f64)(x), y);
    if (!X(x_isfinite, f64)(y)) {
        if (x == 0) return X(x_make, c128)(x, y - y);
        return X(x_make, c128)(X(x_isinf, f64)(x) ? X_INF64 : y - y, y - y);
    }
    if (x == 0) return X(x_make, c128)(x * X(x_cos, f64)(y), X(x_sin, f64)(y));
    if (X(x_abs, f64)(x) > 700.0 && X(x_isfinite, f64)(x)) {
        xf64 h = X(x_exp, f64)(X(x_abs, f64)(x) * 0.5), k = X(x_copysign, f64)(0.5 * h, x);
        return X(x_make, c128)(k * X(x_cos, f64)(y) * h, 0.5 * h * X(x_sin, f64)(y) * h);
    }
    return X(x_make, c128)(X(x_sinh, f64)(x) * X(x_cos, f64)(y),
                           X(x_cosh, f64)(x) * X(x_sin, f64)(y));
}
FN(xc128, x_cosh, c128)(xc128 z) {
    xf64 x = z.re, y = z.im;
    if (y == 0) return X(x_make, c128)(X(x_cosh, f64)(x), X(x_copysign, f64)(1.0, x) * y);
    if (x == 0)
        return X(x_make, c128)(X(x_cos, f64)(y), X(x_isfinite, f64)(y) ? x * X(x_sin, f64)(y) : x);
    if (!X(x_isfinite, f64)(y)) return X(x_make, c128)(X(x_isinf, f64)(x) ? X_INF64 : y - y, y - y);
    if (X(x_abs, f64)(x) > 700.0 && X(x_isfinite, f64)(x)) {
        xf64 h = X(x_exp, f64)(X(x_abs, f64)(x) * 0.5), k = X(x_copysign, f64)(0.5 * h, x);
        return X(x_make, c128)(0.5 * h * X(x_cos, f64)(y) * h, k * X(x_sin, f64)(y) * h);
    }
    return X(x_make, c128)(X(x_cosh, f64)(x) * X(x_cos, f64)(y),
                           X(x_sinh, f64)(x) * X(x_sin, f64)(y));
}
FN(xc128, x_tanh, c128)(xc128 z) {
    if (z.im == 0) return X(x_make, c128)(X(x_tanh, f64)(z.re), z.im);
    if (!X(x_isfinite, f64)(z.im) && !X(x_isinf, f64)(z.re))
        return X(x_make, c128)(z.re == 0 ? z.re : z.im - z.im, z.im - z.im);
    if (X(x_abs, f64)(z.re) > 20.0) { /* 1 - |tanh| is below 1e-17 */
        xf64 e = X(x_exp, f64)(-2.0 * X(x_abs, f64)(z.re));
        xf64 im = X(x_isfinite, f64)(z.im) ? 2.0 * e * X(x_sin, f64)(2.0 * z.im)
                                           : X(x_copysign, f64)(0.0, z.im);
        return X(x_make, c128)(X(x_copysign, f64)(1.0, z.re), im);
    }
    xf64 t = X(x_tan, f64)(z.im), b = 1.0 + t * t, h = X(x_sinh, f64)(z.re);
    xf64 k = X(x_sqrt, f64)(1.0 + h * h), d = 1.0 + b * h * h;
    if (X(x_isinf, f64)(t)) return X(x_make, c128)(k / h, 1.0 / t);
    return X(x_make, c128)(b * k * h / d, t / d);
}
/* sin(z) = -i sinh(iz) and so on: turning by i is exact. */
FN(xc128, x_sin, c128)(xc128 z) {
    xc128 w = X(x_sinh, c128)(X(x_make, c128)(-z.im, z.re));
    return X(x_make, c128)(w.im, -w.re);
}
FN(xc128, x_cos, c128)(xc128 z) { return X(x_cosh, c128)(X(x_make, c128)(-z.im, z.re)); }
FN(xc128, x_tan, c128)(xc128 z) {
    xc128 w = X(x_tanh, c128)(X(x_make, c128)(-z.im, z.re));
    return X(x_make, c128)(w.im, -w.re);
}
/* asin where a part is not finite, as C99's Annex G has it for asinh */
FN(xc128, x_asin_edge, c128)(xc128 z) {
    xbool p = X(x_isinf, f64)(z.re), q = X(x_isinf, f64)(z.im);
    xf64 turn = p && q ? 0.25 * X_PI : p ? 0.5 * X_PI : 0.0;
    if (z.im != z.im) return X(x_make, c128)(z.re == 0 ? z.re : z.im, p ? X_INF64 : z.im);
    if (z.re != z.re) return X(x_make, c128)(z.re, q ? z.im : z.re);
    return X(x_make, c128)(X(x_copysign, f64)(turn, z.re), X(x_copysign, f64)(X_INF64, z.im));
}
FN(xc128, x_asin, c128)(xc128 z) {
    if (!X(x_isfinite, c128)(z)) return X(x_asin_edge, c128)(z);
    xc128 p = X(x_sqrt, c128)(X(x_make, c128)(1.0 - z.re, -z.im));
    xc128 q = X(x_sqrt, c128)(X(x_make, c128)(1.0 + z.re, z.im));
    return X(x_make, c128)(X(x_atan2, f64)(z.re, p.re * q.re - p.im * q.im),
                           X(x_asinh, f64)(p.re * q.im - p.im * q.re));
}
FN(xc128, x_acos, c128)(xc128 z) {
    if (!X(x_isfinite, c128)(z)) {
        xc128 w = X(x_asin_edge, c128)(z);
        return X(x_make, c128)(0.5 * X_PI - w.re, -w.im);
    }
    xc128 p = X(x_sqrt, c128)(X(x_make, c128)(1.0 - z.re, -z.im));
    xc128 q = X(x_sqrt, c128)(X(x_make, c128)(1.0 + z.re, z.im));
    return X(x_make, c128)(2.0 * X(x_atan2, f64)(p.re, q.re),
                           X(x_asinh, f64)(q.re * p.im - q.im * p.re));
}
FN(xc128, x_asinh, c128)(xc128 z) {
    xc128 w = X(x_asin, c128)(X(x_make, c128)(-z.im, z.re));
    return X(x_make, c128)(w.im, -w.re);
}
FN(xc128, x_acosh, c128)(xc128 z) {
    if (!X(x_isfinite, c128)(z)) {
        xc128 w = X(x_acos, c128)(z);
        return X(x_make, c128)(X(x_abs, f64)(w.im), X(x_copysign, f64)(w.re, z.im));
    }
    xc128 p = X(x_sqrt, c128)(X(x_make, c128)(z.re - 1.0, z.im));
    xc128 q = X(x_sqrt, c128)(X(x_make, c128)(z.re + 1.0, z.im));
    return X(x_make, c128)(X(x_asinh, f64)(p.re * q.re + p.im * q.im),
                           2.0 * X(x_atan2, f64)(p.im, q.re));
}
FN(xc128, x_atanh, c128)(xc128 z) {
    if (z.im == 0 && X(x_abs, f64)(z.re) <= 1.0)
        return X(x_make, c128)(X(x_atanh, f64)(z.re), z.im);
    if (z.im != z.im)
        return X(x_make, c128)(
            z.re == 0 || X(x_isinf, f64)(z.re) ? X(x_copysign, f64)(0.0, z.re) : z.im, z.im);
    xf64 m = X(x_abs, f64)(z.re), y = z.im, n = 1.0 - m;
    if (m > 1e150 || X(x_abs, f64)(y) > 1e150) { /* squares would overflow: 1/z is the real part */
        xf64 k = X(x_hypot, f64)(m, y);
        return X(x_make, c128)(X(x_copysign, f64)(k == X_INF64 ? 0.0 : m / k / k, z.re),
                               X(x_copysign, f64)(0.5 * X_PI, y));
    }
    xf64 re = 0.25 * X(x_log1p, f64)(4.0 * m / (n * n + y * y));
    xf64 im = 0.5 * X(x_atan2, f64)(2.0 * y, n * (1.0 + m) - y * y);
    return X(x_make, c128)(X(x_copysign, f64)(re, z.re), im);
}
FN(xc128, x_atan, c128)(xc128 z) {
    xc128 w = X(x_atanh, c128)(X(x_make, c128)(-z.im, z.re));
    return X(x_make, c128)(w.im, -w.re);
}
/* NumPy's rules: zero bases first, small integer powers by products, the rest exp(b log a). */
FN(xc128, x_pow, c128)(xc128 a, xc128 b) {
    if (b.re == 0 && b.im == 0) return X(x_make, c128)(1.0, 0.0);
    if (a.re == 0 && a.im == 0)
        return b.re > 0 ? X(x_make, c128)(0.0, 0.0) : X(x_make, c128)(X_NAN64, X_NAN64);
    if (b.im == 0 && b.re == X(x_floor, f64)(b.re) && X(x_abs, f64)(b.re) <= 100.0) {
        xi32 n = (xi32)X(x_abs, f64)(b.re);
        xc128 r = {1.0, 0.0}, p = a;
        for (xbool first = 1; n != 0; n >>= 1, p = X(x_mul, c128)(p, p)) {
            if (!(n & 1)) continue;
            r = first ? p : X(x_mul, c128)(r, p);
            first = 0;
        }
        return b.re < 0 ? X(x_div, c128)(X(x_make, c128)(1.0, 0.0), r) : r;
    }
    return X(x_exp, c128)(X(x_mul, c128)(b, X(x_log, c128)(a)));
}

#define X_THROUGH_C128(name)                                              \
    FN(xc64, name, c64)(xc64 a) {                                         \
        xc128 w = X(name, c128)(X(x_make, c128)((xf64)a.re, (xf64)a.im)); \
        return X(x_make, c64)((xf32)w.re, (xf32)w.im);                    \
    }
X_THROUGH_C128(x_exp)
X_THROUGH_C128(x_log)
X_THROUGH_C128(x_sqrt)
X_THROUGH_C128(x_exp2)
X_THROUGH_C128(x_expm1)
X_THROUGH_C128(x_log2)
X_THROUGH_C128(x_log10)
X_THROUGH_C128(x_log1p)
X_THROUGH_C128(x_sinh)
X_THROUGH_C128(x_cosh)
X_THROUGH_C128(x_tanh)
X_THROUGH_C128(x_sin)
X_THROUGH_C128(x_cos)
X_THROUGH_C128(x_tan)
X_THROUGH_C128(x_asin)
X_THROUGH_C128(x_acos)
X_THROUGH_C128(x_atan)
X_THROUGH_C128(x_asinh)
X_THROUGH_C128(x_acosh)
X_THROUGH_C128(x_atanh)
FN(xc64, x_pow, c64)(xc64 a, xc64 b) {
    xc128 w = X(x_pow, c128)(X(x_make, c128)((xf64)a.re, (xf64)a.im),
                             X(x_make, c128)((xf64)b.re, (xf64)b.im));
    return X(x_make, c64)((xf32)w.re, (xf32)w.im);
}

#endif
