/* sort_cpu - what sorting is made of on the CPU: order-preserving keys, radix passes.
 *
 * native_sort.c chooses among four kinds of entries: bare keys of 32 or 64 bits where only values
 * are wanted, pairs of a key and a place where places are wanted too. Equal keys keep their order
 * everywhere. Narrower dtypes use the low bits of 32. */
#ifndef ARR_SORT_CPU_H
#define ARR_SORT_CPU_H

#include "runtime/base/dtype.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct Pair32 { /* one number: key, then place */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint32_t at, key;
#else
    uint32_t key, at;
#endif
} Pair32;
typedef struct Pair64 {
    uint64_t key, at;
} Pair64;

/* Keys of n elements `stride` apart into out (u32 for dtypes of up to 4 bytes, else u64): -0 and 0
 * are one key, nan is the greatest in either direction, `descending` complements the others.
 * Answers the number of -0 elements. */
int64_t sort_keys(DType t, const void *in, int64_t stride, int64_t n, bool descending, void *out);
/* The elements of such keys; zeros are +0. */
void sort_values(DType t, const void *keys, int64_t n, bool descending, void *out, int64_t stride);
/* The key of zero, in either direction. */
uint64_t sort_zero(DType t, bool descending);

enum { SORT_DIGIT = 8, SORT_DIGITS = 1 << SORT_DIGIT };
/* An entry kind: sort p of n entries with help of q, in p at the end. bits: of the keys that
 * matter. stop: looked at every few milliseconds; once it is set, sort answers false and leaves p
 * and q in disorder. */
typedef struct SortKind {
    size_t size;
    bool (*sort)(void *p, void *q, int64_t n, int bits, _Atomic int *stop);
    /* One pass over a digit, shared between threads: counts of a piece's digits, then its entries
     * to q, those of digit d from at[d] on, which moves. q is aligned to lines of 64 bytes; big: q
     * does not stay in the cache. */
    void (*count)(const void *p, int64_t n, int shift, int64_t count[SORT_DIGITS]);
    void (*spread)(const void *p, int64_t n, int shift, int64_t at[SORT_DIGITS], void *q, bool big);
} SortKind;
extern const SortKind sort_key32, sort_key64, sort_pair32, sort_pair64;

/* Entries that are sorted as integers, in vectors. sort as above. split: entries [0, answer) are
 * not above the others, 0 < answer; *done: they are all the same; -1: stopped. At least 64 entries.
 */
typedef struct SortQuick {
    bool (*sort)(void *p, void *q, int64_t n, int bits, _Atomic int *stop);
    int64_t (*split)(void *p, void *q, int64_t n, bool *done, _Atomic int *stop);
} SortQuick;
extern const SortQuick sort_quick32, sort_quick64; /* AVX-512 */
/* The sort in vectors for entries of a kind, as far as this processor has one; NULL: none. */
const SortQuick *sort_quick(const SortKind *kind);

#endif
