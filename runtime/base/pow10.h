/* pow10 - the 128-bit powers of ten that printing and parsing of numbers share.
 * Callers: numtext.c and numparse.c only. The table is pow10.def. */
#ifndef ARR_POW10_H
#define ARR_POW10_H

#include <stdint.h>

enum { POW10_MIN = -342, POW10_MAX = 324 };

/* (hi * 2^64 + lo) * 2^e is about 10^q; the highest bit of hi is set. */
typedef struct Pow10 {
    uint64_t hi, lo;
} Pow10;

/* As tabulated: truncated, but rounded up for -27 <= q < 0. POW10_MIN <= q <= POW10_MAX. */
Pow10 pow10_at(int q);

/* Rounded up where not exact: 5^55 is the largest power of five below 2^128. */
static inline Pow10 pow10_up(int q) {
    Pow10 p = pow10_at(q);
    if (q < -27 || q > 55) {
        p.lo++;
        p.hi += p.lo == 0;
    }
    return p;
}

#endif
