/* numtext - numbers to text (see numtext.h; the way back is numparse.c).
 *
 * Shortest digits come from Schubfach (Giulietti, "The Schubfach way to render doubles"): the
 * value and the two ends of the interval that rounds to it are scaled by one 128-bit power of ten
 * and rounded to odd, which decides every comparison exactly. It works for any significand of at
 * most 53 bits, so one routine serves all float dtypes. Exactly rounded digits come from the whole
 * decimal expansion, which every double has. */
#include "runtime/base/numtext.h"
#include "runtime/base/pow10.h"

#include <math.h>
#include <string.h>

/* A float dtype: |v| = c * 2^q with c < 2^precision and q >= lowest. */
typedef struct FloatKind {
    int precision, lowest;
    double exponent_from; /* NumPy writes scalars with an exponent from here */
} FloatKind;

/* 10^min(16, decimal digits that are always kept), but f64 has Python's 10^16 */
static const FloatKind f16_kind = {11, -24, 1e3}, bf16_kind = {8, -133, 1e2},
                       f32_kind = {24, -149, 1e6}, f64_kind = {53, -1074, 1e16};

static const FloatKind *float_kind(DType d) {
    switch (d) {
    case DT_f16: return &f16_kind;
    case DT_bf16: return &bf16_kind;
    case DT_f32:
    case DT_c64: return &f32_kind;
    default: return &f64_kind;
    }
}

static uint64_t bits_of(double v) {
    uint64_t u;
    memcpy(&u, &v, 8);
    return u;
}

/* |v| as c * 2^q in that kind; 0 is 0 * 2^lowest. */
static uint64_t decompose(const FloatKind *kind, double v, int *q) {
    uint64_t bits = bits_of(v);
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t c = bits & ((1ull << 52) - 1);
    *q = -1074;
    if (biased) {
        c |= 1ull << 52;
        *q = biased - 1075;
    }
    int wanted = *q + 53 - kind->precision;
    if (wanted < kind->lowest) wanted = kind->lowest;
    if (wanted > *q) {
        c = wanted - *q < 64 ? c >> (wanted - *q) : 0;
        *q = wanted;
    }
    return c;
}

/* floor(g * cp / 2^127), its last bit set if anything was cut off */
static uint64_t round_to_odd(Pow10 g, uint64_t cp) {
    uint64_t x_hi = (uint64_t)((unsigned __int128)g.lo * cp >> 64);
    unsigned __int128 y = (unsigned __int128)g.hi * cp + x_hi;
    return (uint64_t)(y >> 64) | ((uint64_t)y > 1);
}

/* Shortest decimal s * 10^k in the interval that rounds to c * 2^q, the nearest of them. */
static uint64_t shortest(const FloatKind *kind, uint64_t c, int q, int *k) {
    bool even = (c & 1) == 0;
    /* below a power of two the neighbour is half as far away */
    bool closer = c == 1ull << (kind->precision - 1) && q > kind->lowest;
    /* k = floor(log10(2^q)), or of 3/4 of it; h makes the products 2^127 times the scaled value */
    *k = (int)(((int64_t)q * 1262611 - (closer ? 524031 : 0)) >> 22);
    int h = q + (int)(((int64_t) - *k * 1741647) >> 19) + 1;
    Pow10 g = pow10_up(-*k);
    uint64_t low = round_to_odd(g, (4 * c - 2 + closer) << h) + !even;
    uint64_t mid = round_to_odd(g, (4 * c) << h);
    uint64_t high = round_to_odd(g, (4 * c + 2) << h) - !even;
    uint64_t s = mid / 4;
    if (s >= 10) {
        uint64_t sp = s / 10;
        bool down = low <= 40 * sp, up = 40 * sp + 40 <= high;
        if (down != up) {
            ++*k;
            return sp + up;
        }
    }
    bool down = low <= 4 * s, up = 4 * s + 4 <= high;
    if (down != up) return s + up;
    uint64_t half = 4 * s + 2;
    return s + (mid > half || (mid == half && (s & 1)));
}

/* Decimal digits of u, most significant first. */
static int put_u64(uint64_t u, char *out) {
    char tmp[20];
    int n = 0;
    do {
        tmp[n++] = (char)('0' + u % 10);
        u /= 10;
    } while (u);
    for (int i = 0; i < n; i++) out[i] = tmp[n - 1 - i];
    return n;
}

int numtext_shortest(DType d, double v, char digits[NUMTEXT_DIGITS], int *exp10, bool *neg) {
    const FloatKind *kind = float_kind(d);
    *neg = bits_of(v) >> 63;
    *exp10 = 0;
    int q, k, n = 0;
    uint64_t c = decompose(kind, v, &q);
    if (c == 0) {
        digits[n++] = '0';
        return n;
    }
    uint64_t s;
    if (q <= 0 && q > -kind->precision && (c & ((1ull << -q) - 1)) == 0) {
        s = c >> -q; /* an integer whose neighbours are no integers */
        k = 0;
    } else {
        s = shortest(kind, c, q, &k);
    }
    n = put_u64(s, digits);
    *exp10 = n - 1 + k;
    while (n > 1 && digits[n - 1] == '0') n--;
    return n;
}

/* "1e+16", "1.5e-07": at least two digits of exponent. */
static int put_scientific(const char *digits, int n, int exp10, char *out) {
    int len = 0;
    out[len++] = digits[0];
    if (n > 1) {
        out[len++] = '.';
        memcpy(out + len, digits + 1, (size_t)n - 1);
        len += n - 1;
    }
    out[len++] = 'e';
    out[len++] = exp10 < 0 ? '-' : '+';
    int e = exp10 < 0 ? -exp10 : exp10;
    if (e < 10) out[len++] = '0';
    return len + put_u64((uint64_t)e, out + len);
}

/* "120.5", "0.001"; with ".0" behind an integer if dot_zero. -4 <= exp10 < 17. */
static int put_positional(const char *digits, int n, int exp10, bool dot_zero, char *out) {
    int len = 0;
    if (exp10 < 0) {
        out[len++] = '0';
        out[len++] = '.';
        for (int i = -1; i > exp10; i--) out[len++] = '0';
        memcpy(out + len, digits, (size_t)n);
        return len + n;
    }
    for (int i = 0; i <= exp10; i++) out[len++] = i < n ? digits[i] : '0';
    if (n > exp10 + 1) {
        out[len++] = '.';
        memcpy(out + len, digits + exp10 + 1, (size_t)(n - exp10 - 1));
        len += n - exp10 - 1;
    } else if (dot_zero) {
        out[len++] = '.';
        out[len++] = '0';
    }
    return len;
}

/* One real of dtype d as NumPy and Python print it. plus: a sign for positive numbers too. */
static int put_real(DType d, double v, bool dot_zero, bool plus, char *out) {
    int len = 0;
    bool neg = signbit(v) != 0;
    if (neg && !isnan(v))
        out[len++] = '-';
    else if (plus)
        out[len++] = '+';
    if (isnan(v) || isinf(v)) {
        memcpy(out + len, isnan(v) ? "nan" : "inf", 3);
        return len + 3;
    }
    char digits[NUMTEXT_DIGITS];
    int exp10, n = numtext_shortest(d, v, digits, &exp10, &neg);
    double size = fabs(v);
    if (v == 0 || (size >= 1e-4 && size < float_kind(d)->exponent_from))
        return len + put_positional(digits, n, exp10, dot_zero, out + len);
    return len + put_scientific(digits, n, exp10, out + len);
}

static int put_complex(DType d, double re, double im, char *out) {
    int len = 0;
    if (re == 0 && !signbit(re)) {
        len = put_real(d, im, false, false, out);
        out[len++] = 'j';
        return len;
    }
    out[len++] = '(';
    len += put_real(d, re, false, false, out + len);
    len += put_real(d, im, false, true, out + len);
    out[len++] = 'j';
    out[len++] = ')';
    return len;
}

static int end(char *out, int len) {
    out[len] = '\0';
    return len;
}

int numtext_repr(double v, char out[NUMTEXT_REAL]) {
    return end(out, put_real(DT_f64, v, true, false, out));
}

int numtext_repr_complex(double re, double im, char out[NUMTEXT_ELEMENT]) {
    return end(out, put_complex(DT_c128, re, im, out));
}

int numtext_u64(uint64_t u, char out[NUMTEXT_REAL]) { return end(out, put_u64(u, out)); }

int numtext_i64(int64_t i, char out[NUMTEXT_REAL]) {
    int len = 0;
    if (i < 0) out[len++] = '-';
    return end(out, len + put_u64(i < 0 ? 0 - (uint64_t)i : (uint64_t)i, out + len));
}

int numtext_scalar(const Scalar *s, char out[NUMTEXT_ELEMENT]) {
    switch (s->kind) {
    case SC_BOOL: strcpy(out, s->b ? "true" : "false"); return s->b ? 4 : 5;
    case SC_INT: return numtext_i64(s->i, out);
    case SC_UINT: return numtext_u64(s->u, out);
    case SC_FLOAT: return numtext_repr(s->f, out);
    case SC_COMPLEX: break;
    }
    return numtext_repr_complex(s->c.re, s->c.im, out);
}

int numtext_element(DType d, const void *p, char out[NUMTEXT_ELEMENT]) {
    Scalar s = scalar_load(d, p);
    if (s.kind == SC_FLOAT) return end(out, put_real(d, s.f, true, false, out));
    if (s.kind == SC_COMPLEX) return end(out, put_complex(d, s.c.re, s.c.im, out));
    return numtext_scalar(&s, out);
}

/* --- exactly rounded digits --- */

enum { LIMB = 1000000000, LIMBS = 90 }; /* 810 digits, least significant limb first */

static void limbs_mul(uint32_t *w, int *n, uint32_t m) {
    uint64_t carry = 0;
    for (int i = 0; i < *n; i++) {
        carry += (uint64_t)w[i] * m;
        w[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    if (carry) w[(*n)++] = (uint32_t)carry;
}

/* |v| = m * 2^e; for a negative e that is m * 5^-e / 10^-e. */
void decimal_exact(double v, Decimal *out) {
    int e;
    uint64_t m = decompose(&f64_kind, v, &e);
    *out = (Decimal){.neg = signbit(v) != 0, .n = 1};
    out->digits[0] = '0';
    if (m == 0) return;
    int zeros = __builtin_ctzll(m);
    m >>= zeros;
    e += zeros;
    uint32_t w[LIMBS] = {(uint32_t)(m % LIMB), (uint32_t)(m / LIMB)};
    int n = m / LIMB ? 2 : 1;
    for (int i = e; i > 0; i -= 29) limbs_mul(w, &n, 1u << (i < 29 ? i : 29));
    for (int i = -e; i > 0; i -= 12) {
        uint32_t five = 1;
        for (int j = 0; j < 12 && j < i; j++) five *= 5;
        limbs_mul(w, &n, five);
    }
    int len = put_u64(w[n - 1], out->digits);
    for (int i = n - 2; i >= 0; i--) {
        uint32_t x = w[i];
        for (int j = 8; j >= 0; j--, x /= 10) out->digits[len + j] = (char)('0' + x % 10);
        len += 9;
    }
    out->exp10 = len - 1 + (e < 0 ? e : 0);
    while (len > 1 && out->digits[len - 1] == '0') len--;
    out->n = len;
}

static void decimal_zero(Decimal *d) {
    d->n = 1;
    d->exp10 = 0;
    d->digits[0] = '0';
}

void decimal_round(Decimal *d, int keep) {
    if (keep >= d->n) return;
    if (keep < 0) {
        decimal_zero(d);
        return;
    }
    char next = d->digits[keep];
    bool odd = keep > 0 && (d->digits[keep - 1] & 1); /* '0' is even */
    bool up = next > '5' || (next == '5' && (keep + 1 < d->n || odd));
    int n = keep;
    if (up) {
        while (n > 0 && d->digits[n - 1] == '9') n--;
        if (n == 0) {
            d->digits[n++] = '1';
            d->exp10++;
        } else {
            d->digits[n - 1]++;
        }
    } else {
        while (n > 0 && d->digits[n - 1] == '0') n--;
    }
    d->n = n;
    if (n == 0) decimal_zero(d);
}

static void put_zeros(Buf *out, int n) {
    static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";
    for (int chunk = (int)sizeof zeros - 1; n > 0; n -= chunk)
        buf_add(out, zeros, (size_t)(n < chunk ? n : chunk));
}

/* Digits of d from place 10^hi down to 10^lo. */
static void put_places(Buf *out, const Decimal *d, int hi, int lo) {
    int before = hi - d->exp10; /* zeros before the first digit */
    if (before > hi - lo + 1) before = hi - lo + 1;
    if (before > 0) {
        put_zeros(out, before);
        hi -= before;
    }
    int first = d->exp10 - hi, n = hi - lo + 1;
    int have = d->n - first < n ? d->n - first : n;
    if (have < 0) have = 0;
    if (have) buf_add(out, d->digits + first, (size_t)have);
    put_zeros(out, n - have);
}

static void put_fixed(Buf *out, const Decimal *d, int places, bool point) {
    put_places(out, d, d->exp10 > 0 ? d->exp10 : 0, 0);
    if (places > 0 || point) buf_char(out, '.');
    if (places > 0) put_places(out, d, -1, -places);
}

static void put_exponent(Buf *out, const Decimal *d, int places, bool point, char e) {
    buf_char(out, d->digits[0]);
    if (places > 0 || point) buf_char(out, '.');
    if (places > 0) put_places(out, d, d->exp10 - 1, d->exp10 - places);
    int size = d->exp10 < 0 ? -d->exp10 : d->exp10;
    buf_char(out, e);
    buf_str(out, d->exp10 < 0 ? "-" : "+");
    if (size < 10) buf_char(out, '0');
    char text[NUMTEXT_REAL];
    buf_add(out, text, (size_t)numtext_u64((uint64_t)size, text));
}

void numtext_format(Buf *out, double v, char type, int precision, bool alternate) {
    bool upper = type < 'a';
    if (isnan(v) || isinf(v)) {
        buf_str(out, isnan(v) ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf"));
        return;
    }
    Decimal d;
    decimal_exact(v, &d);
    char e = upper ? 'E' : 'e';
    switch (type) {
    case 'e':
    case 'E':
        decimal_round(&d, precision + 1);
        put_exponent(out, &d, precision, alternate, e);
        return;
    case 'f':
    case 'F':
        decimal_round(&d, d.exp10 + 1 + precision);
        put_fixed(out, &d, precision, alternate);
        return;
    default: break;
    }
    if (precision == 0) precision = 1;
    decimal_round(&d, precision);
    bool fixed = d.exp10 >= -4 && d.exp10 < precision;
    int places = fixed ? precision - 1 - d.exp10 : precision - 1;
    int needed = fixed ? d.n - 1 - d.exp10 : d.n - 1;
    if (!alternate && places > needed) places = needed > 0 ? needed : 0;
    if (fixed)
        put_fixed(out, &d, places, alternate);
    else
        put_exponent(out, &d, places, alternate, e);
}
