/* scalar_logsum - log(e^a + e^b), exact to the last places also where it is about 0.
 *
 * Included by scalar.h alone, one text for C and for CUDA. Where e^a + e^b is near 1 its logarithm
 * is as small as the rounding of a and b, and any sum of doubles has lost it. Then both terms are
 * computed in 128-bit fixed point: e^b and 1 - e^a, each relative to its own size (about 2^-124),
 * and what their difference leaves is rounded.
 * Invariant: X128 is a fraction of 2^128 unless said otherwise; nothing here overflows. */
#ifndef ARR_SCALAR_LOGSUM_H
#define ARR_SCALAR_LOGSUM_H

#ifdef __CUDACC_RTC__
struct X128 {
    xu64 hi, lo;
};
#define RARE __device__ __noinline__
PLAIN xu64 x_mulhi(xu64 a, xu64 b) { return __umul64hi(a, b); }
#else
typedef struct X128 {
    xu64 hi, lo;
} X128;
#define RARE static __attribute__((noinline, unused))
PLAIN xu64 x_mulhi(xu64 a, xu64 b) {
    __extension__ typedef unsigned __int128 Wide;
    return (xu64)((Wide)a * b >> 64);
}
#endif

PLAIN X128 x_pair(xu64 hi, xu64 lo) {
    X128 r = {hi, lo};
    return r;
}
PLAIN X128 x_add128(X128 a, X128 b) {
    xu64 lo = a.lo + b.lo;
    return x_pair(a.hi + b.hi + (lo < a.lo), lo);
}
PLAIN X128 x_sub128(X128 a, X128 b) { return x_pair(a.hi - b.hi - (a.lo < b.lo), a.lo - b.lo); }
PLAIN xbool x_less128(X128 a, X128 b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }
PLAIN X128 x_shl128(X128 a, xi32 n) {
    if (n >= 128) return x_pair(0, 0);
    if (n >= 64) return x_pair(a.lo << (n - 64), 0);
    return n == 0 ? a : x_pair(a.hi << n | a.lo >> (64 - n), a.lo << n);
}
PLAIN X128 x_shr128(X128 a, xi32 n) {
    if (n >= 128) return x_pair(0, 0);
    if (n >= 64) return x_pair(0, a.hi >> (n - 64));
    return n == 0 ? a : x_pair(a.hi >> n, a.hi << (64 - n) | a.lo >> n);
}
/* The upper half of the product, less at most 2. */
PLAIN X128 x_mul128(X128 a, X128 b) {
    X128 r = x_pair(x_mulhi(a.hi, b.hi), a.hi * b.hi);
    xu64 p = a.hi * b.lo, q = p + a.lo * b.hi;
    r = x_add128(r, x_pair(0, x_mulhi(a.hi, b.lo)));
    r = x_add128(r, x_pair(0, x_mulhi(a.lo, b.hi)));
    return x_add128(r, x_pair(0, q < p));
}

/* 1/2! +- s/3! + s^2/4! +- ... up to 1/last!, for last <= 17 */
RARE X128 x_series128(X128 s, xi32 last, xbool alternating) {
    const xu64 inverse[32] = {0x8000000000000000u, 0,
                              0x2aaaaaaaaaaaaaaau, 0xaaaaaaaaaaaaaaaau,
                              0x0aaaaaaaaaaaaaaau, 0xaaaaaaaaaaaaaaaau,
                              0x0222222222222222u, 0x2222222222222222u,
                              0x005b05b05b05b05bu, 0x05b05b05b05b05b0u,
                              0x000d00d00d00d00du, 0x00d00d00d00d00d0u,
                              0x0001a01a01a01a01u, 0xa01a01a01a01a01au,
                              0x00002e3bc74aad8eu, 0x671f5583911ca002u,
                              0x0000049f93edde27u, 0xd71cbbc05b4fa999u,
                              0x0000006b99159fd5u, 0x138e3f9d1f92e0dfu,
                              0x00000008f76c77fcu, 0x6c4bdaa26d4c3d67u,
                              0x00000000b092309du, 0x43684be51c198e91u,
                              0x000000000c9cba54u, 0x603e4e905d6f8a2eu,
                              0x0000000000d73f9fu, 0x399dc0f88ec32b58u,
                              0x00000000000d73f9u, 0xf399dc0f88ec32b5u,
                              0x000000000000ca96u, 0x3b81856a53593028u};
    X128 r = x_pair(0, 0);
    for (xi32 n = last; n >= 2; n--) {
        X128 c = x_pair(inverse[2 * n - 4], inverse[2 * n - 3]);
        r = alternating ? x_sub128(c, x_mul128(s, r)) : x_add128(c, x_mul128(s, r));
    }
    return r;
}

/* e^-a = r * 2^*e with r from 1/2 to 1, for 0 < a < 1000: a = k log 2 - f, and e^f - 1 is squared
 * up from that of f / 16, each kept times what is still to be doubled. */
RARE X128 x_exp128(xf64 a, xi32 *e) {
    const X128 ln2 = x_pair(0xb17217f7d1cf79abu, 0xc9e3b39803f2f6afu);
    xu64 bits = X(x_bits, f64)(a), k = (xu64)(a * 1.4426950408889634) + 1;
    X128 m = x_pair(0, (bits & (((xu64)1 << 52) - 1)) | (xu64)1 << 52);
    xi32 shift = (xi32)(bits >> 52) - 947; /* m * 2^shift is a; whole numbers fall out at the top */
    m = shift >= 0 ? x_shl128(m, shift) : x_shr128(m, -shift);
    X128 f = x_sub128(x_pair(k * ln2.hi + x_mulhi(k, ln2.lo), k * ln2.lo), m);
    if (f.hi >> 62 == 3) { /* just below 0 */
        f = x_add128(f, ln2);
        k++;
    } else if (!x_less128(f, ln2)) {
        f = x_sub128(f, ln2);
        k--;
    }
    f = x_add128(f, x_shr128(x_mul128(x_mul128(f, f), x_series128(x_shr128(f, 4), 17, 0)), 4));
    for (xi32 n = 5; n > 1; n--) f = x_add128(f, x_shr128(x_mul128(f, f), n));
    *e = 1 - (xi32)k;
    f = x_shr128(f, 1);
    return x_pair(f.hi | (xu64)1 << 63, f.lo);
}

/* 1 - e^-a = r * 2^*e for 0 < a < 2; small ones by their series, relative to a. */
RARE X128 x_expm1_128(xf64 a, xi32 *e) {
    if (a >= 0.03125) {
        X128 r = x_exp128(a, e);
        r = x_shr128(r, -*e);
        *e = 0;
        return x_sub128(x_pair(0, 0), r);
    }
    xu64 bits = X(x_bits, f64)(a), exponent = bits >> 52;
    xu64 m = bits & (((xu64)1 << 52) - 1);
    if (exponent)
        m |= (xu64)1 << 52;
    else
        exponent = 1;
    X128 r = x_pair(m << 11, 0), whole;
    *e = (xi32)exponent - 1022;
    whole = x_shr128(r, -*e);
    return x_sub128(r, x_mul128(r, x_mul128(whole, x_series128(whole, 17, 1))));
}

PLAIN xf64 x_pow2(xi32 e) { return x_from_bits_f64((xu64)(1023 + e) << 52); }
PLAIN xf64 x_scale2(xf64 a, xi32 e) { return a * x_pow2(e / 2) * x_pow2(e - e / 2); }

/* log(e^m + e^n) for n < m < 0, m > -2, n > -1000 */
RARE xf64 x_logsum(xf64 m, xf64 n) {
    xi32 e, f;
    X128 y = x_exp128(-n, &e), v = x_expm1_128(-m, &f), d;
    if (e < f)
        y = x_shr128(y, f - e);
    else
        v = x_shr128(v, e - f);
    e = e < f ? f : e;
    xbool below = x_less128(y, v);
    d = below ? x_sub128(v, y) : x_sub128(y, v);
    if (d.hi == 0 && d.lo == 0) return 0.0;
    for (; d.hi >> 63 == 0; e--) d = x_shl128(d, 1);
    xf64 s = x_scale2((xf64)(d.hi >> 11), e - 53);
    xf64 t = x_scale2((xf64)((d.hi & 2047) << 53 | d.lo >> 11), e - 117);
    if (below) {
        s = -s;
        t = -t;
    }
    return X(x_log1p, f64)(s) + t / (1.0 + s);
}

/* Have more than `spare` leading places of m and l cancelled in r = m + l? */
PLAIN xbool x_cancelled(xf64 m, xf64 l, xf64 r, xi32 spare) {
    xi32 p = (xi32)(X(x_bits, f64)(r) >> 52 & 2047), q = (xi32)(X(x_bits, f64)(l) >> 52 & 2047);
    return m < 0 && p + spare < q;
}

#define X_LN2_LOW 2.3190468138462996e-17 /* log 2 less X_LN2 */

/* What the difference d = m - n has lost by rounding. */
PLAIN xf64 x_lost(xf64 m, xf64 n, xf64 d) {
    xf64 t = d - m;
    return (m - (d - t)) - (n + t);
}

PLAIN xf64 x_logaddexp_wide(xf64 a, xf64 b, xi32 spare) {
    if (a == b) return (a + X_LN2) + X_LN2_LOW; /* equal infinities too */
    xf64 m = a > b ? a : b, n = a > b ? b : a, d = m - n, e = X(x_exp, f64)(-d);
    if (d < 700.0) e = e - e * x_lost(m, n, d);
    xf64 l = X(x_log1p, f64)(e), r = m + l;
    return x_cancelled(m, l, r, spare) ? x_logsum(m, n) : r;
}

/* f32 has 29 places less than f64: most of them may be lost. */
enum { X_SPARE_F32 = 22 };
FN(xf64, x_logaddexp, f64)(xf64 a, xf64 b) { return x_logaddexp_wide(a, b, 0); }
FN(xf32, x_logaddexp, f32)(xf32 a, xf32 b) {
    return (xf32)x_logaddexp_wide((xf64)a, (xf64)b, X_SPARE_F32);
}

#endif
