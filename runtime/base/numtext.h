/* numtext - numbers to text and back, the same in every locale and on every thread.
 *
 * Shortest digits (what reads back to the same value in its dtype, as Python's repr and NumPy's
 * unique mode), exactly rounded e/f/g formats, and correctly rounded parsing. Callers: printing,
 * format specs, messages, the lexer, CSV files. Nothing here allocates but numtext_format, which
 * writes to a Buf; nothing depends on setlocale. */
#ifndef ARR_NUMTEXT_H
#define ARR_NUMTEXT_H

#include "runtime/base/buf.h"
#include "runtime/base/dtype.h"

/* Sizes of the buffers that the functions below write to, the final NUL included. */
enum { NUMTEXT_DIGITS = 32, NUMTEXT_REAL = 32, NUMTEXT_ELEMENT = 72 };

/* Shortest digits of |v| in dtype d (f16, bf16, f32 or f64; v is exact in d and finite): writes n
 * ASCII digits without leading or trailing zeros and returns n; the value is D.DDD times
 * 10^*exp10. Zero is one digit '0' with exponent 0. *neg is v's sign, that of -0.0 included. */
int numtext_shortest(DType d, double v, char digits[NUMTEXT_DIGITS], int *exp10, bool *neg);

/* As Python prints a float: "1.0", "-4.0", "1e+16", "inf", "nan". Returns the length. */
int numtext_repr(double v, char out[NUMTEXT_REAL]);
/* As Python prints a complex: "(1+2j)", "1j", "(nan+infj)", "(-0+1j)". */
int numtext_repr_complex(double re, double im, char out[NUMTEXT_ELEMENT]);
/* One element as NumPy 2.3+ prints a scalar of that dtype, the shortest that reads back in it:
 * exponent form from 1e16 for f64, 1e6 for f32, 1e3 for f16, 1e2 for bf16, and below 1e-4; complex
 * in Python's form; booleans true and false. */
int numtext_element(DType d, const void *p, char out[NUMTEXT_ELEMENT]);
/* A language scalar as Python prints it, booleans true and false. */
int numtext_scalar(const Scalar *s, char out[NUMTEXT_ELEMENT]);
int numtext_i64(int64_t i, char out[NUMTEXT_REAL]);
int numtext_u64(uint64_t u, char out[NUMTEXT_REAL]);

/* The exact decimal expansion of |v| (finite), or that expansion rounded. A double has at most 767
 * significant digits. */
enum { DECIMAL_DIGITS = 800 };
typedef struct Decimal {
    bool neg;
    int n;     /* digits, no leading zero (0 is one '0'), no trailing zeros */
    int exp10; /* the value is D.DDD times 10^exp10 */
    char digits[DECIMAL_DIGITS];
} Decimal;
void decimal_exact(double v, Decimal *out);
/* Round half to even to `keep` significant digits (keep may be 0 or negative: then the result is 0
 * or one digit '1' at the place above). */
void decimal_round(Decimal *d, int keep);

/* C's and Python's %e %f %g (type 'e' 'f' 'g' 'E' 'F' 'G') of |v| with exact rounding, no sign:
 * the caller writes it. alternate: '#', keeps the point and, for g, trailing zeros. inf and nan
 * come out as words. 0 <= precision <= 10^6. */
void numtext_format(Buf *out, double v, char type, int precision, bool alternate);

/* Parsing. The whole of s[0..n) must be the number: no blanks, no underscores. */
typedef enum NumParse { NUM_OK, NUM_SYNTAX, NUM_RANGE } NumParse;
/* [+-] digits [. digits] [e [+-] digits], inf, infinity, nan in any case; correctly rounded;
 * overflow is inf, as in Python. Never NUM_RANGE. */
NumParse numtext_parse_f64(const char *s, size_t n, double *out);
/* Python's complex: "1+2j", "(1+2j)", "3j", "1.5", "nan-infj". */
NumParse numtext_parse_complex(const char *s, size_t n, Complex128 *out);
/* [+-] decimal digits. */
NumParse numtext_parse_i64(const char *s, size_t n, int64_t *out);
/* Digits of base 2, 8, 10 or 16, no sign, no prefix. NUM_RANGE beyond 2^64-1. */
NumParse numtext_parse_u64(const char *s, size_t n, int base, uint64_t *out);
/* The longest number that s[0..n) begins with: its length, 0 if none. */
size_t numtext_scan_f64(const char *s, size_t n, double *out);

#endif
