/* loops_cpu_avx512 - the block loops for processors with AVX-512 F, DQ, BW, VL (compiled so). */
#include <immintrin.h>

#define SET avx512
#define VEC32 __m512
#define N32 16
#define GET32(p) _mm512_loadu_ps(p)
#define PUT32(p, v) _mm512_storeu_ps(p, v)
#define VEC64 __m512d
#define N64 8
#define GET64(p) _mm512_loadu_pd(p)
#define PUT64(p, v) _mm512_storeu_pd(p, v)
#define DECLARE1(sleef, acc)                             \
    VEC32 Sleef_finz_##sleef##f16_##acc##avx512f(VEC32); \
    VEC64 Sleef_finz_##sleef##d8_##acc##avx512f(VEC64);
#define DECLARE2(sleef, acc)                                    \
    VEC32 Sleef_finz_##sleef##f16_##acc##avx512f(VEC32, VEC32); \
    VEC64 Sleef_finz_##sleef##d8_##acc##avx512f(VEC64, VEC64);
#define CALL32_1(op, sleef, acc, x) Sleef_finz_##sleef##f16_##acc##avx512f(x)
#define CALL64_1(op, sleef, acc, x) Sleef_finz_##sleef##d8_##acc##avx512f(x)
#define CALL32_2(op, sleef, acc, x, y) Sleef_finz_##sleef##f16_##acc##avx512f(x, y)
#define CALL64_2(op, sleef, acc, x, y) Sleef_finz_##sleef##d8_##acc##avx512f(x, y)
#include "kernels/loops_body.h"
