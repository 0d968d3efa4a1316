/* scalar_special - erfc and gamma where the GPU's own exceed 2 ulp.
 *
 * erfc(x) = exp(-x x) P(w) / (1 + 2 x) with w = x / (x + K) for x >= 0, where P, which is
 * (1 + 2 x) exp(x x) erfc(x), stays within 1 and 1.3 (after M. M. Shepherd and J. G. Laframboise,
 * Math. Comp. 36 (1981) 249): P = 1 + w Q(w), and what has to be exact is carried as a sum of two
 * floats. gamma steps to [1, 2) by its recurrence, with the product in two floats.
 * Coefficients: Chebyshev interpolation in 60 digits. Included by scalar.h alone; the plain C
 * compiler reads it for the tests. Error measured against 113-bit arithmetic: 1.5 ulp in f64, 1.9
 * in f32. */
#ifndef ARR_SCALAR_SPECIAL_H
#define ARR_SCALAR_SPECIAL_H

PLAIN xf64 special_erfc_f64(xf64 a) {
    xf64 x = a < 0 ? -a : a;
    if (x > 27.5) x = 27.5; /* underflows */
    xf64 s = x * x, rest = X(x_fma, f64)(x, x, -s);
    xf64 k = X(x_rint, f64)(s * -1.4426950408889634);
    xf64 r = X(x_fma, f64)(k, -0.6931471805598903, -s); /* exact: 42 bits of ln 2 */
    rest = X(x_fma, f64)(k, -5.497923018708371e-14, -rest);
    xf64 q = 2.0915442297780116e-09;
    q = X(x_fma, f64)(q, r, 2.5106274733573296e-08);
    q = X(x_fma, f64)(q, r, 2.75572718102198e-07);
    q = X(x_fma, f64)(q, r, 2.755725283351691e-06);
    q = X(x_fma, f64)(q, r, 2.4801587327007187e-05);
    q = X(x_fma, f64)(q, r, 0.00019841269876864356);
    q = X(x_fma, f64)(q, r, 0.0013888888888883327);
    q = X(x_fma, f64)(q, r, 0.008333333333325544);
    q = X(x_fma, f64)(q, r, 0.04166666666666667);
    q = X(x_fma, f64)(q, r, 0.1666666666666667);
    q = X(x_fma, f64)(q, r, 0.5) * (r * r);
    xf64 e = 1 + r, e_low = ((1 - e) + r) + (q + rest * (e + q)); /* exp(-x x) / 2^k */
    xf64 w = x / (x + 4), t = 2 * w - 1, p = 8.303592583380621e-10;
    p = X(x_fma, f64)(p, t, 4.203904179147532e-09);
    p = X(x_fma, f64)(p, t, -6.456132746531944e-10);
    p = X(x_fma, f64)(p, t, -3.4720635875059034e-08);
    p = X(x_fma, f64)(p, t, -5.3440177671266294e-09);
    p = X(x_fma, f64)(p, t, 2.3410096131309104e-07);
    p = X(x_fma, f64)(p, t, -7.705127733986259e-08);
    p = X(x_fma, f64)(p, t, -1.5794862896135703e-06);
    p = X(x_fma, f64)(p, t, 2.1603701769471738e-06);
    p = X(x_fma, f64)(p, t, 9.261259635684922e-06);
    p = X(x_fma, f64)(p, t, -3.170190524891866e-05);
    p = X(x_fma, f64)(p, t, -1.7096977013214337e-05);
    p = X(x_fma, f64)(p, t, 0.00031833924819537197);
    p = X(x_fma, f64)(p, t, -0.0007168526011234508);
    p = X(x_fma, f64)(p, t, -0.0007986937598246999);
    p = X(x_fma, f64)(p, t, 0.010862633719916552);
    p = X(x_fma, f64)(p, t, -0.04325810186231314);
    p = X(x_fma, f64)(p, t, 0.11759313293611601);
    p = X(x_fma, f64)(p, t, -0.2502538645586135);
    p = X(x_fma, f64)(p, t, 0.4377195345554073);
    p = X(x_fma, f64)(p, t, -0.6397976666280881);
    p = X(x_fma, f64)(p, t, 0.7759917751374705);
    p = X(x_fma, f64)(p, t, -0.74523247093223);
    p = X(x_fma, f64)(p, t, 0.465990237251105) * w;
    xf64 top = 1 + p, top_low = (1 - top) + p;
    xf64 twice = 2 * x, d = 1 + twice, b = d - twice;
    xf64 d_low = (twice - (d - b)) + (1 - b), y = 1 / d;
    xf64 f = top * y, f_low = (X(x_fma, f64)(-f, d, top) + (top_low - f * d_low)) * y;
    xf64 v = f * e;
    v = v + (X(x_fma, f64)(f, e, -v) + (f * e_low + f_low * e));
    /* 2^k in two factors, so that a subnormal result is rounded once */
    v = v * x_from_bits_f64((xu64)((x == x ? (xi64)k : 0) + 128 + 1023) << 52) * 0x1p-128;
    return a < 0 ? 2 - v : v;
}

PLAIN xf32 special_erfc_f32(xf32 a) {
    xf32 x = a < 0 ? -a : a;
    if (x > 10.5f) x = 10.5f; /* underflows */
    xf32 s = x * x, rest = X(x_fma, f32)(x, x, -s);
    xf32 k = X(x_rint, f32)(s * -1.44269502f);
    xf32 r = X(x_fma, f32)(k, -0.693145752f, -s); /* exact: 15 bits of ln 2 */
    rest = X(x_fma, f32)(k, -1.42860677e-06f, -rest);
    xf32 q = 0.000198919806f;
    q = X(x_fma, f32)(q, r, 0.00139345415f);
    q = X(x_fma, f32)(q, r, 0.00833331048f);
    q = X(x_fma, f32)(q, r, 0.0416664556f);
    q = X(x_fma, f32)(q, r, 0.166666672f);
    q = X(x_fma, f32)(q, r, 0.5f) * (r * r);
    xf32 e = 1 + r, e_low = ((1 - e) + r) + (q + rest * (e + q)); /* exp(-x x) / 2^k */
    xf32 twice = 2 * x, d = 1 + twice, b = d - twice, plus = x + 2;
    xf32 d_low = (twice - (d - b)) + (1 - b);
    xf32 both = x_reciprocal_near(d * plus),
         y = both * plus; /* one reciprocal serves both quotients */
    xf32 w = x * (both * d), t = 2 * w - 1, p = 0.000128692933f;
    p = X(x_fma, f32)(p, t, 0.000151881322f);
    p = X(x_fma, f32)(p, t, -0.000944244501f);
    p = X(x_fma, f32)(p, t, -0.00182817481f);
    p = X(x_fma, f32)(p, t, 0.00434835302f);
    p = X(x_fma, f32)(p, t, 0.0130405519f);
    p = X(x_fma, f32)(p, t, -0.0291108061f);
    p = X(x_fma, f32)(p, t, -0.0793196261f);
    p = X(x_fma, f32)(p, t, 0.407423079f);
    p = X(x_fma, f32)(p, t, -0.739484489f);
    p = X(x_fma, f32)(p, t, 0.553956747f) * w;
    xf32 top = 1 + p, top_low = (1 - top) + p;
    xf32 f = top * y, f_low = (X(x_fma, f32)(-f, d, top) + X(x_fma, f32)(-f, d_low, top_low)) * y;
    xf32 v = f * e;
    v = v + (X(x_fma, f32)(f, e, -v) + X(x_fma, f32)(f, e_low, f_low * e));
    v = v * x_from_bits_f32((xu32)((x == x ? (xi32)k : 0) + 64 + 127) << 23) * 0x1p-64f;
    return a < 0 ? 2 - v : v;
}

/* gamma(1.5 + u), -0.5 <= u <= 0.5, as high + *low */
PLAIN xf64 special_gamma_base(xf64 u, xf64 *low) {
    xf64 p = -0.00011918060538282103;
    p = X(x_fma, f64)(p, u, 0.00017877054902846353);
    p = X(x_fma, f64)(p, u, -8.938401795176073e-05);
    p = X(x_fma, f64)(p, u, 0.00013407432206073702);
    p = X(x_fma, f64)(p, u, -0.000318425630316548);
    p = X(x_fma, f64)(p, u, 0.0004776274435437428);
    p = X(x_fma, f64)(p, u, -0.0006721864891915583);
    p = X(x_fma, f64)(p, u, 0.0010082112193192704);
    p = X(x_fma, f64)(p, u, -0.001522718358989335);
    p = X(x_fma, f64)(p, u, 0.0022836521947962353);
    p = X(x_fma, f64)(p, u, -0.003422726711413278);
    p = X(x_fma, f64)(p, u, 0.0051315298230765775);
    p = X(x_fma, f64)(p, u, -0.007690216677416653);
    p = X(x_fma, f64)(p, u, 0.011522523362156005);
    p = X(x_fma, f64)(p, u, -0.017222442878105718);
    p = X(x_fma, f64)(p, u, 0.0258376061027181);
    p = X(x_fma, f64)(p, u, -0.03800193556100107);
    p = X(x_fma, f64)(p, u, 0.058610303826380196);
    p = X(x_fma, f64)(p, u, -0.07752305229977173);
    p = X(x_fma, f64)(p, u, 0.14464535904449782);
    p = X(x_fma, f64)(p, u, -0.10729480456477264);
    p = X(x_fma, f64)(p, u, 0.4148134536883018);
    p = X(x_fma, f64)(p, u, 0.03233839744888502) * u;
    xf64 high = 0.886226925452758 + p;
    *low = ((0.886226925452758 - high) + p) - 3.889748593548409e-17;
    return high;
}

PLAIN xf64 special_gamma_f64(xf64 a) {
    if (!(a > -190.0)) { /* only the sign is left, and the poles */
        xf64 n = X(x_floor, f64)(a), h = 0.5 * n;
        if (a != a || a == n) return X_NAN64;
        return h == X(x_floor, f64)(h) ? 0.0 : -0.0;
    }
    if (a > 172.0) return X_INF64;
    if (a == 0) return 1 / a;
    if (a < 0 && a == X(x_floor, f64)(a)) return X_NAN64;
    xf64 low, high, t = a;
    if (a >= 1) { /* factors a - 1, a - 2, … down to [1, 2): exact */
        while (t >= 2) t = t - 1;
        high = special_gamma_base(t - 1.5, &low);
        for (xf64 w = a - 1; w >= 1; w = w - 1) {
            xf64 p = high * w;
            low = X(x_fma, f64)(low, w, X(x_fma, f64)(high, w, -p));
            high = p;
        }
        return high > 0x1.fffffffffffffp1023 ? high : high + low;
    }
    xf64 d = 1, d_low = 0, steps = 0; /* the product below, divided out before it gets too large */
    while (t < 1) {
        steps = steps + 1;
        t = a + steps;
    }
    high = special_gamma_base(t - 1.5, &low);
    for (xf64 i = 0; i < steps; i = i + 1) {
        xf64 w = a + i, p = d * w;
        d_low = X(x_fma, f64)(d_low, w, X(x_fma, f64)(d, w, -p));
        d = p;
        if (i + 1 < steps && d < 0x1p500 && d > -0x1p500) continue;
        p = high / d;
        if (p > 0x1.fffffffffffffp1023 || p < -0x1.fffffffffffffp1023) return p;
        if (i + 1 == steps && p < 0x1p-900 && p > -0x1p-900)
            return (high + (low - p * d_low)) / d; /* subnormal perhaps: rounded once */
        low = (X(x_fma, f64)(-p, d, high) + (low - p * d_low)) / d;
        high = p;
        d = 1, d_low = 0;
    }
    return high + low;
}

#endif
