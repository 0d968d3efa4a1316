/* sort_cpu - keys, radix sorts and their passes (see sort_cpu.h).
 *
 * Callers: native_sort.c, on worker threads: nothing here allocates. Digits of 11 bits make three
 * passes of 32-bit keys, of 8 bits four in short lines; a pass over a digit that all keys share is
 * left out. Invariant: entries with equal keys keep their order. */
#include "kernels/sort_cpu.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Counters of 2^11 buckets only pay for themselves in long lines. */
enum { DIGIT_SHORT = 8, DIGIT_LONG = 11, LONG = 8192, SHORT = 48 };
/* Entries between two looks at the stop flag. */
enum { STRETCH = 1 << 20 };
enum { BUCKETS = 1 << DIGIT_LONG, DIGITS = 64 / DIGIT_SHORT };

/* ---- keys ---- */

/* s: the dtype; U: its bits; K: the key; SIGN: the sign bit */
#define FLOAT_KEYS(s, U, K, SIGN, INF)                                                  \
    static int64_t keys_##s(const U *p, int64_t stride, int64_t n, bool down, K *out) { \
        const U all = (U)(SIGN | (SIGN - 1));                                           \
        int64_t negative = 0;                                                           \
        for (int64_t i = 0; i < n; i++) {                                               \
            U u = p[i * stride], size = (U)(u & (SIGN - 1));                            \
            negative += u == (U)SIGN;                                                   \
            U v = size == 0 ? (U)SIGN : u & SIGN ? (U)~u : (U)(u | SIGN);               \
            out[i] = size > INF ? all : down ? (U)~v : v;                               \
        }                                                                               \
        return negative;                                                                \
    }                                                                                   \
    static void values_##s(const K *keys, int64_t n, bool down, U *p, int64_t stride) { \
        const U all = (U)(SIGN | (SIGN - 1));                                           \
        for (int64_t i = 0; i < n; i++) {                                               \
            U k = (U)keys[i], v = down ? (U)~k : k;                                     \
            U u = v & SIGN ? (U)(v & (SIGN - 1)) : (U)~v;                               \
            p[i * stride] = k == all ? (U)(INF | (INF >> 1)) : u;                       \
        }                                                                               \
    }
/* FLIP: the sign bit of signed integers, 0 of unsigned ones */
#define INT_KEYS(s, U, K, FLIP)                                                         \
    static int64_t keys_##s(const U *p, int64_t stride, int64_t n, bool down, K *out) { \
        const U flip = (U)(down ? ~(U)FLIP : (U)FLIP);                                  \
        for (int64_t i = 0; i < n; i++) out[i] = (U)(p[i * stride] ^ flip);             \
        return 0;                                                                       \
    }                                                                                   \
    static void values_##s(const K *keys, int64_t n, bool down, U *p, int64_t stride) { \
        const U flip = (U)(down ? ~(U)FLIP : (U)FLIP);                                  \
        for (int64_t i = 0; i < n; i++) p[i * stride] = (U)(keys[i] ^ flip);            \
    }
#define SIGN64 ((uint64_t)1 << 63)
FLOAT_KEYS(f16, uint16_t, uint32_t, 0x8000u, 0x7c00u)
FLOAT_KEYS(bf16, uint16_t, uint32_t, 0x8000u, 0x7f80u)
FLOAT_KEYS(f32, uint32_t, uint32_t, 0x80000000u, 0x7f800000u)
FLOAT_KEYS(f64, uint64_t, uint64_t, SIGN64, ((uint64_t)0x7ff00000 << 32))
INT_KEYS(u8, uint8_t, uint32_t, 0)
INT_KEYS(u16, uint16_t, uint32_t, 0)
INT_KEYS(u32, uint32_t, uint32_t, 0)
INT_KEYS(u64, uint64_t, uint64_t, 0)
INT_KEYS(i8, uint8_t, uint32_t, 0x80u)
INT_KEYS(i16, uint16_t, uint32_t, 0x8000u)
INT_KEYS(i32, uint32_t, uint32_t, 0x80000000u)
INT_KEYS(i64, uint64_t, uint64_t, SIGN64)

int64_t sort_keys(DType t, const void *in, int64_t stride, int64_t n, bool descending, void *out) {
    switch (t) {
    case DT_bool:
    case DT_u8: return keys_u8(in, stride, n, descending, out);
    case DT_u16: return keys_u16(in, stride, n, descending, out);
    case DT_u32: return keys_u32(in, stride, n, descending, out);
    case DT_u64: return keys_u64(in, stride, n, descending, out);
    case DT_i8: return keys_i8(in, stride, n, descending, out);
    case DT_i16: return keys_i16(in, stride, n, descending, out);
    case DT_i32: return keys_i32(in, stride, n, descending, out);
    case DT_i64: return keys_i64(in, stride, n, descending, out);
    case DT_f16: return keys_f16(in, stride, n, descending, out);
    case DT_bf16: return keys_bf16(in, stride, n, descending, out);
    case DT_f32: return keys_f32(in, stride, n, descending, out);
    case DT_f64: return keys_f64(in, stride, n, descending, out);
    default: return 0; /* complex numbers have no order */
    }
}

void sort_values(DType t, const void *keys, int64_t n, bool descending, void *out, int64_t stride) {
    switch (t) {
    case DT_bool:
    case DT_u8: values_u8(keys, n, descending, out, stride); break;
    case DT_u16: values_u16(keys, n, descending, out, stride); break;
    case DT_u32: values_u32(keys, n, descending, out, stride); break;
    case DT_u64: values_u64(keys, n, descending, out, stride); break;
    case DT_i8: values_i8(keys, n, descending, out, stride); break;
    case DT_i16: values_i16(keys, n, descending, out, stride); break;
    case DT_i32: values_i32(keys, n, descending, out, stride); break;
    case DT_i64: values_i64(keys, n, descending, out, stride); break;
    case DT_f16: values_f16(keys, n, descending, out, stride); break;
    case DT_bf16: values_bf16(keys, n, descending, out, stride); break;
    case DT_f32: values_f32(keys, n, descending, out, stride); break;
    case DT_f64: values_f64(keys, n, descending, out, stride); break;
    default: break;
    }
}

uint64_t sort_zero(DType t, bool descending) {
    const uint64_t zero[2] = {0, 0};
    uint64_t key = 0;
    uint32_t narrow = 0;
    if (dtype_size(t) == 8) {
        sort_keys(t, zero, 1, 1, descending, &key);
        return key;
    }
    sort_keys(t, zero, 1, 1, descending, &narrow);
    return narrow;
}

/* ---- sorting ---- */

static int64_t stretch_end(int64_t lo, int64_t n) { return n - lo < STRETCH ? n : lo + STRETCH; }

static bool is_stopped(_Atomic int *stop) {
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* Entries of a digit gather in a line of the first-level cache and leave it together; past the
 * caches where they would only be in the way. */
enum { LINE = 64 };
#if defined(__SSE2__)
static inline void put_line(void *q, const void *line, bool big) {
    const __m128i *p = line;
    __m128i *to = q;
    for (int i = 0; i < LINE / 16; i++) {
        if (big)
            _mm_stream_si128(to + i, _mm_load_si128(p + i));
        else
            _mm_store_si128(to + i, _mm_load_si128(p + i));
    }
}
static inline void lines_done(bool big) {
    if (big) _mm_sfence();
}
#else
static inline void put_line(void *q, const void *line, bool big) {
    (void)big;
    memcpy(q, line, LINE);
}
static inline void lines_done(bool big) { (void)big; }
#endif

#define SORT_KIND(name, E, KEY)                                                                  \
    static void insert_##name(E *p, int64_t n) {                                                 \
        for (int64_t i = 1; i < n; i++) {                                                        \
            E x = p[i];                                                                          \
            int64_t j = i;                                                                       \
            for (; j > 0 && p[j - 1] KEY > x KEY; j--) p[j] = p[j - 1];                          \
            p[j] = x;                                                                            \
        }                                                                                        \
    }                                                                                            \
    static bool radix_##name(void *vp, void *vq, int64_t n, int bits, _Atomic int *stop) {       \
        E *p = vp, *q = vq;                                                                      \
        int64_t count[DIGITS * BUCKETS];                                                         \
        int digit = n < LONG ? DIGIT_SHORT : DIGIT_LONG, buckets = 1 << digit;                   \
        int digits = (bits + digit - 1) / digit;                                                 \
        if (n <= SHORT) {                                                                        \
            insert_##name(p, n);                                                                 \
            return true;                                                                         \
        }                                                                                        \
        memset(count, 0, (size_t)(digits * buckets) * sizeof count[0]);                          \
        for (int64_t lo = 0, hi; lo < n; lo = hi) {                                              \
            hi = stretch_end(lo, n);                                                             \
            if (is_stopped(stop)) return false;                                                  \
            for (int64_t i = lo; i < hi; i++)                                                    \
                for (int b = 0; b < digits; b++)                                                 \
                    count[b * buckets +                                                          \
                          (int)(p[i] KEY >> (b * digit) & (unsigned)(buckets - 1))]++;           \
        }                                                                                        \
        for (int b = 0; b < digits; b++) {                                                       \
            int64_t *c = count + b * buckets, sum = 0;                                           \
            if (c[p[0] KEY >> (b * digit) & (unsigned)(buckets - 1)] == n) continue;             \
            for (int k = 0; k < buckets; k++) {                                                  \
                int64_t here = c[k];                                                             \
                c[k] = sum;                                                                      \
                sum += here;                                                                     \
            }                                                                                    \
            for (int64_t lo = 0, hi; lo < n; lo = hi) {                                          \
                hi = stretch_end(lo, n);                                                         \
                if (is_stopped(stop)) return false;                                              \
                for (int64_t i = lo; i < hi; i++)                                                \
                    q[c[p[i] KEY >> (b * digit) & (unsigned)(buckets - 1)]++] = p[i];            \
            }                                                                                    \
            E *t = p;                                                                            \
            p = q, q = t;                                                                        \
        }                                                                                        \
        if (p != (E *)vp) memcpy(vp, p, (size_t)n * sizeof(E));                                  \
        return true;                                                                             \
    }                                                                                            \
    static void count_##name(const void *vp, int64_t n, int shift, int64_t count[SORT_DIGITS]) { \
        const E *p = vp;                                                                         \
        uint32_t c[4][SORT_DIGITS] = {0};                                                        \
        int64_t i = 0;                                                                           \
        for (; i + 4 <= n; i += 4)                                                               \
            for (int k = 0; k < 4; k++) c[k][(uint8_t)(p[i + k] KEY >> shift)]++;                \
        for (; i < n; i++) c[0][(uint8_t)(p[i] KEY >> shift)]++;                                 \
        for (int d = 0; d < SORT_DIGITS; d++)                                                    \
            count[d] = (int64_t)c[0][d] + c[1][d] + c[2][d] + c[3][d];                           \
    }                                                                                            \
    static void spread_##name(const void *vp, int64_t n, int shift, int64_t at[SORT_DIGITS],     \
                              void *vq, bool big) {                                              \
        enum { PER = LINE / sizeof(E) };                                                         \
        const E *p = vp;                                                                         \
        E *q = vq;                                                                               \
        _Alignas(LINE) E line[SORT_DIGITS][PER];                                                 \
        int64_t start[SORT_DIGITS];                                                              \
        memcpy(start, at, sizeof start);                                                         \
        for (int64_t i = 0; i < n; i++) {                                                        \
            E x = p[i];                                                                          \
            int d = (uint8_t)(x KEY >> shift);                                                   \
            int64_t to = at[d]++;                                                                \
            line[d][to % PER] = x;                                                               \
            if (to % PER != PER - 1) continue;                                                   \
            to -= PER - 1;                                                                       \
            if (to >= start[d])                                                                  \
                put_line(q + to, line[d], big);                                                  \
            else                                                                                 \
                memcpy(q + start[d], &line[d][start[d] - to],                                    \
                       (size_t)(to + PER - start[d]) * sizeof(E));                               \
        }                                                                                        \
        for (int d = 0; d < SORT_DIGITS; d++) {                                                  \
            int64_t from = at[d] / PER * PER, first = from < start[d] ? start[d] : from;         \
            memcpy(q + first, &line[d][first - from], (size_t)(at[d] - first) * sizeof(E));      \
        }                                                                                        \
        lines_done(big);                                                                         \
    }                                                                                            \
    const SortKind sort_##name = {sizeof(E), radix_##name, count_##name, spread_##name};
SORT_KIND(key32, uint32_t, )
SORT_KIND(key64, uint64_t, )
SORT_KIND(pair32, Pair32, .key)
SORT_KIND(pair64, Pair64, .key)

const SortQuick *sort_quick(const SortKind *kind) {
#if defined(__x86_64__)
    bool vectors = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (vectors && kind == &sort_key32) return &sort_quick32;
    if (vectors && (kind == &sort_key64 || kind == &sort_pair32)) return &sort_quick64;
#endif
    (void)kind;
    return NULL;
}
