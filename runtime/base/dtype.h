/* dtype - element types: names, sizes, kinds, promotion, and single-element casts.
 * Callers: everything that handles elements. The table is dtype.def; the rules of promotion
 * and casts are NumPy's but where said here. f16 and bf16 elements are stored as their bits. */
#ifndef ARR_DTYPE_H
#define ARR_DTYPE_H

#include "runtime/base/error.h"
#include <stdbool.h>

typedef struct Complex64 {
    float re, im;
} Complex64;
typedef struct Complex128 {
    double re, im;
} Complex128;

typedef enum DType {
#define DTYPE(name, ctype, kind, size, npy) DT_##name,
#include "runtime/base/dtype.def"
#undef DTYPE
    DT_COUNT
} DType;

typedef enum DKind { DK_BOOL, DK_INT, DK_UINT, DK_FLOAT, DK_COMPLEX } DKind;

/* A scalar of the language, before it meets an array: 64-bit, weak. */
typedef struct Scalar {
    enum { SC_BOOL, SC_INT, SC_UINT, SC_FLOAT, SC_COMPLEX } kind;
    union {
        bool b;
        int64_t i;
        uint64_t u; /* SC_UINT: a literal from 2^63 to 2^64-1 */
        double f;
        Complex128 c;
    };
} Scalar;

const char *dtype_name(DType d);
size_t dtype_size(DType d);
DKind dtype_kind(DType d);
const char *dtype_npy(DType d); /* "" where .npy has none */
bool dtype_find(const char *name, size_t n, DType *out);
static inline bool dtype_is_float(DType d) {
    return d == DT_f16 || d == DT_bf16 || d == DT_f32 || d == DT_f64;
}
static inline bool dtype_is_complex(DType d) { return d == DT_c64 || d == DT_c128; }
static inline bool dtype_is_half(DType d) { return d == DT_f16 || d == DT_bf16; }
static inline bool dtype_is_int(DType d) { return d >= DT_i8 && d <= DT_u64; } /* not bool */
DType dtype_real(DType d);    /* c64 -> f32, c128 -> f64, others themselves */
DType dtype_complex(DType d); /* the complex wide enough for d */

/* Two arrays' common dtype; false for u64 with a signed integer (the caller's error asks for a
 * cast). */
bool dtype_promote(DType a, DType b, DType *out);
/* An array's dtype met by a weak scalar. flt: the default float (f32 or f64). Does not check that
 * the value fits: see scalar_fits. */
DType dtype_weak(DType array, const Scalar *s, DType flt);

/* Does the scalar convert to d without loss of integer range? Floats always fit floats. */
bool scalar_fits(const Scalar *s, DType d);
/* Convert by the rules of casts (integers wrap, float to integer truncates and saturates,
 * nan to 0, one rounding to nearest even), writing dtype_size(d) bytes. */
void scalar_store(const Scalar *s, DType d, void *out);
/* The element at p as a scalar (bool, i64, u64 beyond i64, f64, c128). */
Scalar scalar_load(DType d, const void *p);
/* Text of a scalar for messages, as it is printed: "3", "1.5", "true", "(1-2j)". */
void scalar_text(const Scalar *s, char out[64]);

/* Halves: one rounding to nearest even, nan kept nan, overflow to inf. */
uint16_t f16_from_f64(double d);
uint16_t f16_from_f32(float f);
float f16_to_f32(uint16_t h);
uint16_t bf16_from_f64(double d);
uint16_t bf16_from_f32(float f);
float bf16_to_f32(uint16_t h);

#endif
