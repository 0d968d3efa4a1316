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
#define VECI __m512i
#define NI 8
#define SPLATI(x) _mm512_set1_epi64((long long)(x))
#define LANESI \
    _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7) /* so that unpacking leaves quads in order */
#define ADDI(a, b) _mm512_add_epi64(a, b)
#define XORI(a, b) _mm512_xor_si512(a, b)
#define SHRI(a) _mm512_srli_epi64(a, 32)
#define MULI(a, b) _mm512_mul_epu32(a, b)
#define PAIRI(a, b) _mm512_mask_blend_epi32(0xaaaa, a, _mm512_slli_epi64(b, 32))
#define PUTQUADS(p, a, b, c, d)                                       \
    do {                                                              \
        __m512i ab = PAIRI(a, b), cd = PAIRI(c, d);                   \
        _mm512_storeu_si512(p, _mm512_unpacklo_epi64(ab, cd));        \
        _mm512_storeu_si512((p) + 16, _mm512_unpackhi_epi64(ab, cd)); \
    } while (0)
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
