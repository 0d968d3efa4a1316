/* sort_cpu_avx512 - entries sorted as integers by a quicksort of whole vectors (sort_cpu.h), for
 * processors with AVX-512 F, DQ, BW, VL (compiled so).
 *
 * Callers: native_sort.c through sort_cpu_quick, on worker threads: nothing here allocates. A
 * partition compresses what is below the pivot to the front, the rest by way of q; up to four
 * vectors are sorted by a bitonic network in registers. Equal entries are equal bits, so their
 * order is no question. Positions of samples are fixed; where they keep choosing badly, a radix
 * sort takes over. */
#include "kernels/sort_cpu.h"

#include <immintrin.h>

enum { STRETCH = 1 << 20 }; /* entries between two looks at the stop flag */

static bool is_stopped(_Atomic int *stop) {
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* Lanes whose number has bit 1, 2, 4, 8. */
enum { B1 = 0xaaaa, B2 = 0xcccc, B4 = 0xf0f0, B8 = 0xff00 };
static const uint32_t lanes32[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint64_t lanes64[8] = {0, 1, 2, 3, 4, 5, 6, 7};

#define QUICK(B, L, MASK, MERGE, SORT, RADIX)                                                      \
    /* Lane i meets lane i ^ d; `high` lanes keep the greater. */                                  \
    static inline __m512i meet##B(__m512i v, int d, MASK high) {                                   \
        __m512i at = _mm512_xor_si512(_mm512_loadu_si512(lanes##B), _mm512_set1_epi##B(d));        \
        __m512i w = _mm512_permutexvar_epi##B(at, v);                                              \
        return _mm512_mask_max_epu##B(_mm512_min_epu##B(v, w), high, v, w);                        \
    }                                                                                              \
    static inline void all##B(__m512i v[4], int d, MASK high) {                                    \
        for (int k = 0; k < 4; k++) v[k] = meet##B(v[k], d, high);                                 \
    }                                                                                              \
    static inline __m512i reversed##B(__m512i v) {                                                 \
        __m512i at = _mm512_xor_si512(_mm512_loadu_si512(lanes##B), _mm512_set1_epi##B(L - 1));    \
        return _mm512_permutexvar_epi##B(at, v);                                                   \
    }                                                                                              \
    static inline void pair##B(__m512i *a, __m512i *b) {                                           \
        __m512i low = _mm512_min_epu##B(*a, *b);                                                   \
        *b = _mm512_max_epu##B(*a, *b);                                                            \
        *a = low;                                                                                  \
    }                                                                                              \
    static inline void network##B(__m512i v[4]) {                                                  \
        __m512i t;                                                                                 \
        SORT(v)                                                                                    \
        v[1] = reversed##B(v[1]), v[3] = reversed##B(v[3]);                                        \
        pair##B(&v[0], &v[1]), pair##B(&v[2], &v[3]);                                              \
        MERGE(v)                                                                                   \
        t = reversed##B(v[2]);                                                                     \
        v[2] = reversed##B(v[3]), v[3] = t;                                                        \
        pair##B(&v[0], &v[2]), pair##B(&v[1], &v[3]);                                              \
        pair##B(&v[0], &v[1]), pair##B(&v[2], &v[3]);                                              \
        MERGE(v)                                                                                   \
    }                                                                                              \
    /* n <= 4 * L */                                                                               \
    static void few##B(uint##B##_t *p, int64_t n) {                                                \
        __m512i v[4];                                                                              \
        MASK there[4];                                                                             \
        for (int k = 0; k < 4; k++) {                                                              \
            int64_t left = n - k * L;                                                              \
            there[k] = (MASK)(left >= L ? ~0u : left <= 0 ? 0u : (1u << left) - 1u);               \
            v[k] = _mm512_mask_loadu_epi##B(_mm512_set1_epi##B(-1), there[k], p + k * L);          \
        }                                                                                          \
        network##B(v);                                                                             \
        for (int k = 0; k < 4; k++) _mm512_mask_storeu_epi##B(p + k * L, there[k], v[k]);          \
    }                                                                                              \
    static uint##B##_t pivot##B(const uint##B##_t *p, int64_t n) {                                 \
        uint##B##_t sample[4 * L];                                                                 \
        for (int k = 0; k < 4 * L; k++) sample[k] = p[n / (4 * L) * k + n / (8 * L)];              \
        few##B(sample, 4 * L);                                                                     \
        return sample[2 * L];                                                                      \
    }                                                                                              \
    /* Entries below the pivot (same: or equal to it) first; their number, -1: stopped. */         \
    static int64_t part##B(uint##B##_t *p, uint##B##_t *q, int64_t n, uint##B##_t pivot,           \
                           bool same, _Atomic int *stop) {                                         \
        const __m512i x = _mm512_set1_epi##B((long long)pivot), one = _mm512_set1_epi##B(1);       \
        /* v <= x is v < x + 1, but for the greatest x: then everything is */                      \
        const __m512i bound = same ? _mm512_add_epi##B(x, one) : x;                                \
        int64_t w = 0, r = 0, i = 0;                                                               \
        if (same && pivot == (uint##B##_t) - 1) return n;                                          \
        while (i + L <= n) {                                                                       \
            int64_t end = n - i < STRETCH ? n : i + STRETCH;                                       \
            if (n > STRETCH && is_stopped(stop)) return -1;                                        \
            for (; i + L <= end; i += L) {                                                         \
                __m512i v = _mm512_loadu_si512(p + i);                                             \
                MASK low = _mm512_cmplt_epu##B##_mask(v, bound);                                   \
                _mm512_storeu_si512(p + w, _mm512_maskz_compress_epi##B(low, v));                  \
                _mm512_storeu_si512(q + r, _mm512_maskz_compress_epi##B((MASK)~low, v));           \
                int below = __builtin_popcount(low);                                               \
                w += below, r += L - below;                                                        \
            }                                                                                      \
        }                                                                                          \
        if (i < n) {                                                                               \
            MASK rest = (MASK)((1u << (n - i)) - 1u);                                              \
            __m512i v = _mm512_maskz_loadu_epi##B(rest, p + i);                                    \
            MASK low = _mm512_mask_cmplt_epu##B##_mask(rest, v, bound),                            \
                 high = (MASK)(rest & ~low);                                                       \
            _mm512_mask_compressstoreu_epi##B(p + w, low, v);                                      \
            _mm512_mask_compressstoreu_epi##B(q + r, high, v);                                     \
            w += __builtin_popcount(low), r += __builtin_popcount(high);                           \
        }                                                                                          \
        for (i = 0; i + L <= r; i += L) _mm512_storeu_si512(p + w + i, _mm512_loadu_si512(q + i)); \
        if (i < r) {                                                                               \
            MASK rest = (MASK)((1u << (r - i)) - 1u);                                              \
            _mm512_mask_storeu_epi##B(p + w + i, rest, _mm512_maskz_loadu_epi##B(rest, q + i));    \
        }                                                                                          \
        return w;                                                                                  \
    }                                                                                              \
    /* Entries [0, answer) are not above the others; *done: and all the same. */                   \
    static int64_t split##B(void *p, void *q, int64_t n, bool *done, _Atomic int *stop) {          \
        uint##B##_t x = pivot##B(p, n);                                                            \
        int64_t w = part##B(p, q, n, x, false, stop);                                              \
        *done = w == 0;                                                                            \
        return w ? w : part##B(p, q, n, x, true, stop);                                            \
    }                                                                                              \
    static bool below##B(uint##B##_t *p, uint##B##_t *q, int64_t n, int depth,                     \
                         _Atomic int *stop) {                                                      \
        while (n > 4 * L) {                                                                        \
            bool done;                                                                             \
            if (depth-- == 0) return RADIX.sort(p, q, n, B, stop);                                 \
            int64_t w = split##B(p, q, n, &done, stop);                                            \
            if (w < 0) return false;                                                               \
            if (w <= n - w) {                                                                      \
                if (!done && !below##B(p, q, w, depth, stop)) return false;                        \
                p += w, n -= w;                                                                    \
            } else {                                                                               \
                if (!below##B(p + w, q, n - w, depth, stop)) return false;                         \
                n = done ? 0 : w;                                                                  \
            }                                                                                      \
        }                                                                                          \
        if (n > 1) few##B(p, n);                                                                   \
        return true;                                                                               \
    }                                                                                              \
    static bool sort##B(void *p, void *q, int64_t n, int bits, _Atomic int *stop) {                \
        int depth = 16;                                                                            \
        (void)bits;                                                                                \
        for (int64_t k = n; k > 1; k /= 2) depth += 2;                                             \
        return below##B(p, q, n, depth, stop);                                                     \
    }                                                                                              \
    const SortQuick sort_quick##B = {sort##B, split##B};

#define MERGE64(v) all64(v, 4, B4 & 255), all64(v, 2, B2 & 255), all64(v, 1, B1 & 255);
#define SORT64(v)                                                                             \
    all64(v, 1, (B1 ^ B2) & 255), all64(v, 2, (B2 ^ B4) & 255), all64(v, 1, (B1 ^ B4) & 255); \
    MERGE64(v)
#define MERGE32(v) all32(v, 8, B8), all32(v, 4, B4), all32(v, 2, B2), all32(v, 1, B1);
#define SORT32(v)                                                     \
    all32(v, 1, B1 ^ B2), all32(v, 2, B2 ^ B4), all32(v, 1, B1 ^ B4); \
    all32(v, 4, B4 ^ B8), all32(v, 2, B2 ^ B8), all32(v, 1, B1 ^ B8); \
    MERGE32(v)
QUICK(32, 16, __mmask16, MERGE32, SORT32, sort_key32)
QUICK(64, 8, __mmask8, MERGE64, SORT64, sort_key64)
