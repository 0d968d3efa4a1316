/* loops_cpu_base - the block loops for any processor of the architecture.
 *
 * Elementary functions are SLEEF's scalar ones: with fma where the processor has it, so that the
 * bits are those of the vector sets; a processor without it has no vector set either. */
#define SET base
#define VEC32 float
#define N32 1
#define GET32(p) (*(p))
#define PUT32(p, v) (*(p) = (v))
#define VEC64 double
#define N64 1
#define GET64(p) (*(p))
#define PUT64(p, v) (*(p) = (v))
#define VECI uint64_t
#define NI 1
#define SPLATI(x) ((uint64_t)(x))
#define LANESI 0u
#define ADDI(a, b) ((a) + (b))
#define XORI(a, b) ((a) ^ (b))
#define SHRI(a) ((a) >> 32)
#define MULI(a, b) ((uint64_t)(uint32_t)(a) * (b))
#define PUTQUADS(p, a, b, c, d) \
    ((p)[0] = (uint32_t)(a), (p)[1] = (uint32_t)(b), (p)[2] = (uint32_t)(c), (p)[3] = (uint32_t)(d))
/* scalar.h declares and wraps the functions */
#define DECLARE1(sleef, acc)
#define DECLARE2(sleef, acc)
#define CALL32_1(op, sleef, acc, x) x_##op##_f32(x)
#define CALL64_1(op, sleef, acc, x) x_##op##_f64(x)
#define CALL32_2(op, sleef, acc, x, y) x_##op##_f32(x, y)
#define CALL64_2(op, sleef, acc, x, y) x_##op##_f64(x, y)
#include "kernels/loops_body.h"
