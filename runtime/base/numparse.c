/* numparse - text to numbers (declared in numtext.h).
 *
 * Up to 19 digits go into one integer w, so the value is w * 10^q: one exact operation of doubles
 * where both are small, otherwise one 128-bit product (Lemire, "Number parsing at a gigabyte per
 * second"; without a fallback since Mushtak and Lemire, 2023). With more digits the value lies
 * between w and w + 1: where these two give different doubles the big integers of number.c
 * decide. */
#include "runtime/base/numtext.h"
#include "runtime/base/number.h"
#include "runtime/base/pow10.h"

#include <math.h>
#include <string.h>

static const Pow10 powers[POW10_MAX - POW10_MIN + 1] = {
#define P(hi, lo) {hi, lo},
#include "runtime/base/pow10.def"
#undef P
};

Pow10 pow10_at(int q) { return powers[q - POW10_MIN]; }

static double from_bits(uint64_t bits) {
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

/* w * 10^q to the nearest double, w > 0. */
static double product(uint64_t w, int64_t q) {
    if (q < POW10_MIN) return 0;
    if (q > 308) return from_bits(0x7ffull << 52);
    int zeros = __builtin_clzll(w);
    w <<= zeros;
    Pow10 g = pow10_at((int)q);
    unsigned __int128 p = (unsigned __int128)w * g.hi;
    /* 55 bits are needed; only if all those below are ones can the table's lower half matter */
    if (((uint64_t)(p >> 64) & 0x1ff) == 0x1ff) p += (unsigned __int128)w * g.lo >> 64;
    uint64_t hi = (uint64_t)(p >> 64), lo = (uint64_t)p;
    int upper = (int)(hi >> 63), shift = upper + 9;
    uint64_t m = hi >> shift;
    /* floor(q * log2(10)) + 63, biased */
    int e = (int)((217706 * q) >> 16) + 63 + upper - zeros + 1023;
    if (e <= 0) { /* subnormal, or rounds up to the first normal */
        if (1 - e >= 64) return 0;
        m >>= 1 - e;
        return from_bits((m + (m & 1)) >> 1);
    }
    /* exactly between two doubles: possible only for these q; then to even */
    if (lo <= 1 && q >= -4 && q <= 23 && (m & 3) == 1 && m << shift == hi) m &= ~1ull;
    m = (m + (m & 1)) >> 1;
    if (m >> 53) {
        m = 1ull << 52;
        e++;
    }
    if (e >= 0x7ff) return from_bits(0x7ffull << 52);
    return from_bits((m & ((1ull << 52) - 1)) | (uint64_t)e << 52);
}

static double convert(uint64_t w, int64_t q) {
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (w == 0) return 0;
    if (w <= 1ull << 53 && q >= -22 && q <= 22)
        return q < 0 ? (double)w / exact[-q] : (double)w * exact[q];
    return product(w, q);
}

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Does s[0..n) begin with the lower-case word, in any case? */
static bool begins(const char *s, size_t n, const char *word, size_t len) {
    if (n < len) return false;
    for (size_t i = 0; i < len; i++)
        if ((s[i] | 0x20) != word[i]) return false;
    return true;
}

static size_t scan_word(const char *s, size_t n, double *out) {
    *out = INFINITY;
    if (begins(s, n, "infinity", 8)) return 8;
    if (begins(s, n, "inf", 3)) return 3;
    *out = NAN;
    return begins(s, n, "nan", 3) ? 3 : 0;
}

/* The exponent behind a mantissa: *i moves behind it if there is one. */
static int64_t scan_exponent(const char *s, size_t n, size_t *i) {
    size_t j = *i;
    if (j >= n || (s[j] | 0x20) != 'e') return 0;
    j++;
    bool minus = j < n && s[j] == '-';
    if (j < n && (s[j] == '-' || s[j] == '+')) j++;
    if (j >= n || !is_digit(s[j])) return 0;
    int64_t e = 0;
    for (; j < n && is_digit(s[j]); j++)
        if (e < 1000000000) e = e * 10 + (s[j] - '0');
    *i = j;
    return minus ? -e : e;
}

/* A mantissa as far as it was read: w has the first 19 significant digits. */
typedef struct Mantissa {
    uint64_t w;
    int64_t exp;    /* the value is about w * 10^exp */
    int digits;     /* significant ones in w */
    bool any, more; /* a digit was seen; digits were left out of w */
} Mantissa;

static size_t scan_digits(const char *s, size_t n, size_t i, bool fraction, Mantissa *m) {
    for (; i < n && is_digit(s[i]); i++) {
        m->any = true;
        if (m->digits < 19) {
            m->w = m->w * 10 + (uint64_t)(s[i] - '0');
            m->digits += m->w != 0;
            m->exp -= fraction;
        } else {
            m->more = m->more || s[i] != '0';
            m->exp += !fraction;
        }
    }
    return i;
}

size_t numtext_scan_f64(const char *s, size_t n, double *out) {
    size_t i = n > 0 && (s[0] == '-' || s[0] == '+');
    bool neg = i && s[0] == '-';
    Mantissa m = {0, 0, 0, false, false};
    i = scan_digits(s, n, i, false, &m);
    if (i < n && s[i] == '.') {
        size_t after = scan_digits(s, n, i + 1, true, &m);
        if (m.any) i = after;
    }
    if (!m.any) {
        size_t len = scan_word(s + i, n - i, out);
        if (neg) *out = -*out;
        return len ? i + len : 0;
    }
    m.exp += scan_exponent(s, n, &i);
    double d = convert(m.w, m.exp);
    if (m.more && convert(m.w + 1, m.exp) != d) return number_read(s, n, out);
    *out = neg ? -d : d;
    return i;
}

NumParse numtext_parse_f64(const char *s, size_t n, double *out) {
    size_t len = numtext_scan_f64(s, n, out);
    return len && len == n ? NUM_OK : NUM_SYNTAX;
}

NumParse numtext_parse_complex(const char *s, size_t n, Complex128 *out) {
    if (n >= 2 && s[0] == '(' && s[n - 1] == ')') {
        s++;
        n -= 2;
    }
    double re, im;
    size_t len = numtext_scan_f64(s, n, &re);
    if (!len) return NUM_SYNTAX;
    if (len == n) {
        *out = (Complex128){re, 0};
        return NUM_OK;
    }
    if (len + 1 == n && (s[len] | 0x20) == 'j') {
        *out = (Complex128){0, re};
        return NUM_OK;
    }
    if (s[len] != '+' && s[len] != '-') return NUM_SYNTAX;
    size_t second = numtext_scan_f64(s + len, n - len, &im);
    if (!second || len + second + 1 != n || (s[n - 1] | 0x20) != 'j') return NUM_SYNTAX;
    *out = (Complex128){re, im};
    return NUM_OK;
}

NumParse numtext_parse_u64(const char *s, size_t n, int base, uint64_t *out) {
    uint64_t u = 0;
    bool over = false;
    if (n == 0) return NUM_SYNTAX;
    for (size_t i = 0; i < n; i++) {
        int c = (unsigned char)s[i], digit;
        if (is_digit(s[i]))
            digit = c - '0';
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (c | 0x20) - 'a' + 10;
        else
            return NUM_SYNTAX;
        if (digit >= base) return NUM_SYNTAX;
        over = over || __builtin_mul_overflow(u, (uint64_t)base, &u) ||
               __builtin_add_overflow(u, (uint64_t)digit, &u);
    }
    *out = u;
    return over ? NUM_RANGE : NUM_OK;
}

NumParse numtext_parse_i64(const char *s, size_t n, int64_t *out) {
    size_t sign = n > 0 && (s[0] == '-' || s[0] == '+');
    bool neg = sign && s[0] == '-';
    uint64_t u;
    NumParse r = numtext_parse_u64(s + sign, n - sign, 10, &u);
    if (r != NUM_OK) return r;
    if (u > (uint64_t)INT64_MAX + neg) return NUM_RANGE;
    *out = neg ? (int64_t)(0 - u) : (int64_t)u;
    return NUM_OK;
}
