/* number - decimal text to double.
 *
 * Short numbers are one exact division or product of two doubles. The others are a ratio of two big
 * integers, num / den * 2^k with 1 <= num / den < 2, whose bits are produced one by one; what is
 * left of num then decides the rounding. Slow (microseconds) but short, and right for every input.
 */
#include "runtime/base/number.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    /* No double's rounding depends on more than 767 significant digits, except on whether all of
     * those that follow are zero: a 1 is put in their place. */
    DIGITS_MAX = 770,
    /* 10^(770 + 345) has 3704 bits; num is shifted up to den's length and one bit beyond */
    WORDS_MAX = 120,
    EXP_CLAMP = 100000
};

typedef struct Big {
    int n; /* words in use, the last one is not zero */
    uint32_t w[WORDS_MAX];
} Big;

static void big_muladd(Big *b, uint32_t m, uint32_t add) {
    uint64_t carry = add;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->w[i] * m;
        b->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) b->w[b->n++] = (uint32_t)carry;
}

static void big_pow10(Big *b, int e) {
    for (; e >= 9; e -= 9) big_muladd(b, 1000000000u, 0);
    for (; e > 0; e--) big_muladd(b, 10, 0);
}

static int big_bits(const Big *b) {
    return b->n == 0 ? 0 : 32 * b->n - __builtin_clz(b->w[b->n - 1]);
}

static void big_shift(Big *b, int bits) {
    int words = bits / 32, rest = bits % 32;
    if (rest) big_muladd(b, 1u << rest, 0);
    if (!words) return;
    for (int i = b->n - 1; i >= 0; i--) b->w[i + words] = b->w[i];
    for (int i = 0; i < words; i++) b->w[i] = 0;
    b->n += words;
}

static int big_compare(const Big *a, const Big *b) {
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--) {
        if (a->w[i] != b->w[i]) return a->w[i] < b->w[i] ? -1 : 1;
    }
    return 0;
}

static void big_subtract(Big *a, const Big *b) { /* a >= b */
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        int64_t d = (int64_t)a->w[i] - (i < b->n ? b->w[i] : 0) + borrow;
        a->w[i] = (uint32_t)d;
        borrow = d >> 32;
    }
    while (a->n && !a->w[a->n - 1]) a->n--;
}

static double from_bits(uint64_t bits) {
    union {
        uint64_t u;
        double d;
    } x = {bits};
    return x.d;
}

/* num / den to the nearest double. */
static double ratio(Big *num, Big *den) {
    int k = big_bits(num) - big_bits(den);
    if (k > 0) big_shift(den, k);
    if (k < 0) big_shift(num, -k);
    if (big_compare(num, den) < 0) {
        big_shift(num, 1);
        k--;
    }
    if (k > 1023) return from_bits(0x7ffull << 52);
    int p = k >= -1022 ? 53 : 53 + 1022 + k; /* bits that the double keeps */
    if (p < 0) return 0.0;
    uint64_t q = 0;
    for (int i = 0; i < p; i++) {
        q <<= 1;
        if (big_compare(num, den) >= 0) {
            big_subtract(num, den);
            q |= 1;
        }
        big_shift(num, 1);
    }
    int half = big_compare(num, den);
    if (half > 0 || (half == 0 && (q & 1))) q++;
    /* a carry out of the mantissa runs into the exponent, up to infinity: that is its neighbour */
    return from_bits(k >= -1022 ? q + ((uint64_t)(k + 1022) << 52) : q);
}

/* digits (significant, no leading zeros) times 10^e */
static double convert(const char *digits, int n, int e) {
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (n == 0 || n + e < -330) return 0.0;
    if (n + e > 310) return from_bits(0x7ffull << 52);
    if (n <= 15 && e >= -22 && e <= 22) {
        double m = 0;
        for (int i = 0; i < n; i++) m = m * 10 + (digits[i] - '0');
        return e < 0 ? m / exact[-e] : m * exact[e];
    }
    Big num = {.n = 0}, den = {.n = 1, .w = {1}};
    for (int i = 0; i < n; i++) big_muladd(&num, 10, (uint32_t)(digits[i] - '0'));
    if (e >= 0)
        big_pow10(&num, e);
    else
        big_pow10(&den, -e);
    return ratio(&num, &den);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The exponent at s[i], if there is one; *i moves behind it. */
static int read_exponent(const char *s, size_t n, size_t *i) {
    size_t j = *i;
    if (j >= n || (s[j] != 'e' && s[j] != 'E')) return 0;
    j++;
    bool minus = j < n && s[j] == '-';
    if (j < n && (s[j] == '-' || s[j] == '+')) j++;
    if (j >= n || !is_digit(s[j])) return 0;
    int e = 0;
    for (; j < n && is_digit(s[j]); j++) {
        if (e < EXP_CLAMP) e = e * 10 + (s[j] - '0');
    }
    *i = j;
    return minus ? -e : e;
}

size_t number_read(const char *s, size_t n, double *out) {
    char digits[DIGITS_MAX + 1];
    int nd = 0;
    int64_t e = 0;
    bool any = false, point = false, lost = false;
    size_t i = 0;
    bool minus = n > 0 && s[0] == '-';
    if (n > 0 && (s[0] == '-' || s[0] == '+')) i++;
    for (; i < n; i++) {
        if (s[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(s[i])) break;
        any = true;
        if (point) e--;
        if (nd == 0 && s[i] == '0') continue;
        if (nd < DIGITS_MAX) {
            digits[nd++] = s[i];
        } else {
            lost = lost || s[i] != '0';
            e++;
        }
    }
    if (!any) return 0;
    if (lost) {
        digits[nd++] = '1';
        e--;
    }
    e += read_exponent(s, n, &i);
    while (nd > 0 && digits[nd - 1] == '0') {
        nd--;
        e++;
    }
    if (e > 2 * EXP_CLAMP) e = 2 * EXP_CLAMP;
    if (e < -2 * EXP_CLAMP) e = -2 * EXP_CLAMP;
    double d = convert(digits, nd, (int)e);
    *out = minus ? -d : d;
    return i;
}
