/* sort_cpu - what sorting is made of on the CPU: order-preserving keys, radix passes, merges.
 *
 * native_sort.c chooses among four kinds of entries: bare keys of 32 or 64 bits where only values
 * are wanted, pairs of a key and a place where places are wanted too. Equal keys keep their order
 * everywhere. Narrower dtypes use the low bits of 32. */
#ifndef ARR_SORT_CPU_H
#define ARR_SORT_CPU_H

#include "runtime/base/dtype.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct Pair32 {
    uint32_t key, at;
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

/* An entry kind: sort p of n entries with help of q, in p at the end; merge sorted a and b, entries
 * [lo, hi) of the result, to out + lo. bits: of the keys that matter. stop: looked at every few
 * milliseconds; once it is set, sort answers false and leaves p and q in disorder. */
typedef struct SortKind {
    size_t size;
    bool (*sort)(void *p, void *q, int64_t n, int bits, _Atomic int *stop);
    void (*merge)(const void *a, int64_t na, const void *b, int64_t nb, int64_t lo, int64_t hi,
                  void *out);
} SortKind;
extern const SortKind sort_key32, sort_key64, sort_pair32, sort_pair64;

#endif
