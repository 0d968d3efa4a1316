/* loops_cpu_avx2 - the block loops for processors with AVX2 and FMA (compiled with -mavx2 -mfma).
 */
#include <immintrin.h>

#define SET avx2
#define VEC32 __m256
#define N32 8
#define GET32(p) _mm256_loadu_ps(p)
#define PUT32(p, v) _mm256_storeu_ps(p, v)
#define VEC64 __m256d
#define N64 4
#define GET64(p) _mm256_loadu_pd(p)
#define PUT64(p, v) _mm256_storeu_pd(p, v)
#define VECI __m256i
#define NI 4
#define SPLATI(x) _mm256_set1_epi64x((long long)(x))
#define LANESI _mm256_setr_epi64x(0, 2, 1, 3) /* so that unpacking leaves quads in order */
#define ADDI(a, b) _mm256_add_epi64(a, b)
#define XORI(a, b) _mm256_xor_si256(a, b)
#define SHRI(a) _mm256_srli_epi64(a, 32)
#define MULI(a, b) _mm256_mul_epu32(a, b)
#define PAIRI(a, b) _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), 0xaa)
#define PUTQUADS(p, a, b, c, d)                                                         \
    do {                                                                                \
        __m256i ab = PAIRI(a, b), cd = PAIRI(c, d);                                     \
        _mm256_storeu_si256((__m256i *)(void *)(p), _mm256_unpacklo_epi64(ab, cd));     \
        _mm256_storeu_si256((__m256i *)(void *)(p) + 1, _mm256_unpackhi_epi64(ab, cd)); \
    } while (0)
#define DECLARE1(sleef, acc)                         \
    VEC32 Sleef_finz_##sleef##f8_##acc##avx2(VEC32); \
    VEC64 Sleef_finz_##sleef##d4_##acc##avx2(VEC64);
#define DECLARE2(sleef, acc)                                \
    VEC32 Sleef_finz_##sleef##f8_##acc##avx2(VEC32, VEC32); \
    VEC64 Sleef_finz_##sleef##d4_##acc##avx2(VEC64, VEC64);
#define CALL32_1(op, sleef, acc, x) Sleef_finz_##sleef##f8_##acc##avx2(x)
#define CALL64_1(op, sleef, acc, x) Sleef_finz_##sleef##d4_##acc##avx2(x)
#define CALL32_2(op, sleef, acc, x, y) Sleef_finz_##sleef##f8_##acc##avx2(x, y)
#define CALL64_2(op, sleef, acc, x, y) Sleef_finz_##sleef##d4_##acc##avx2(x, y)
#include "kernels/loops_body.h"
