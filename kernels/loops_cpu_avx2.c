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
