/* dtype - the dtype table, promotion, and single elements (see dtype.h).
 *
 * Callers: every layer that handles elements one at a time; kernels have their own vector casts
 * with the same rules. Invariant: a conversion rounds once, from the exact value, to nearest even,
 * and never depends on the target's own float-to-integer instruction. */
#include "runtime/base/dtype.h"
#include "runtime/base/numtext.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *npy;
    uint8_t kind, size;
} table[DT_COUNT] = {
#define DTYPE(name, ctype, kind, size, npy) {#name, npy, DK_##kind, size},
#include "runtime/base/dtype.def"
#undef DTYPE
};

const char *dtype_name(DType d) { return table[d].name; }
size_t dtype_size(DType d) { return table[d].size; }
DKind dtype_kind(DType d) { return (DKind)table[d].kind; }
const char *dtype_npy(DType d) { return table[d].npy; }

bool dtype_find(const char *name, size_t n, DType *out) {
    for (int d = 0; d < DT_COUNT; d++) {
        if (strlen(table[d].name) == n && memcmp(table[d].name, name, n) == 0) {
            *out = (DType)d;
            return true;
        }
    }
    return false;
}

DType dtype_real(DType d) { return d == DT_c64 ? DT_f32 : d == DT_c128 ? DT_f64 : d; }

DType dtype_complex(DType d) {
    return d == DT_c64 || d == DT_f32 || dtype_is_half(d) ? DT_c64 : DT_c128;
}

static DType signed_of_size(size_t size) {
    return size <= 1 ? DT_i8 : size == 2 ? DT_i16 : size == 4 ? DT_i32 : DT_i64;
}

bool dtype_promote(DType a, DType b, DType *out) {
    DKind ka = dtype_kind(a), kb = dtype_kind(b);
    if (ka > kb) {
        DType t = a;
        a = b, b = t;
        DKind k = ka;
        ka = kb, kb = k;
    }
    size_t sa = dtype_size(a), sb = dtype_size(b);
    if (ka == kb) { /* same kind: the wider; the two halves meet in f32 */
        *out = a == b ? a : sa == sb ? DT_f32 : sa > sb ? a : b;
    } else if (ka == DK_BOOL) {
        *out = b;
    } else if (kb == DK_UINT) { /* a signed: the narrowest signed that holds both */
        if (sb == 8) return false;
        *out = signed_of_size(sa > 2 * sb ? sa : 2 * sb);
    } else if (ka == DK_FLOAT) { /* with complex */
        *out = a == DT_f64 ? DT_c128 : b;
    } else { /* integer with float or complex: who chose f32 keeps it */
        *out = b;
    }
    return true;
}

DType dtype_weak(DType array, const Scalar *s, DType flt) {
    DKind k = dtype_kind(array);
    switch (s->kind) {
    case SC_BOOL: return array;
    case SC_INT: return k == DK_BOOL ? DT_i64 : array;
    case SC_UINT: return k == DK_BOOL ? DT_u64 : array;
    case SC_FLOAT: return k >= DK_FLOAT ? array : flt;
    case SC_COMPLEX: return dtype_complex(k >= DK_FLOAT ? array : flt);
    }
    return array;
}

/* Range of an integer dtype: [*lo, *hi]. */
static void int_range(DType d, int64_t *lo, uint64_t *hi) {
    unsigned bits = (unsigned)dtype_size(d) * 8;
    if (dtype_kind(d) == DK_INT) {
        *hi = UINT64_MAX >> (65 - bits);
        *lo = -(int64_t)*hi - 1;
    } else {
        *hi = UINT64_MAX >> (64 - bits);
        *lo = 0;
    }
}

bool scalar_fits(const Scalar *s, DType d) {
    if (!dtype_is_int(d)) return true;
    int64_t lo;
    uint64_t hi;
    int_range(d, &lo, &hi);
    if (s->kind == SC_INT) return s->i >= lo && (s->i < 0 || (uint64_t)s->i <= hi);
    if (s->kind == SC_UINT) return s->u <= hi;
    return true;
}

/* Truncate and saturate into the dtype's range, nan to 0: the bits as two's complement. Every limit
 * below is exact in a double, and what passes lies inside the target's range. */
static uint64_t int_from_double(double v, DType d) {
    int64_t lo;
    uint64_t hi;
    int_range(d, &lo, &hi);
    if (isnan(v)) return 0;
    double above = ldexp(1.0, (int)dtype_size(d) * 8 - (dtype_kind(d) == DK_INT)); /* hi + 1 */
    if (v >= above) return hi;
    if (v <= (double)lo) return (uint64_t)lo;
    return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}

/* Round to nearest even from a double with `drop` of its 52 fraction bits beyond the target's.
 * The target has ebits exponent bits; subnormals drop more bits. */
static uint16_t half_from_f64(double d, int ebits, int fbits) {
    uint64_t u;
    memcpy(&u, &d, 8);
    uint16_t sign = (uint16_t)(u >> 48 & 0x8000);
    uint16_t inf = (uint16_t)(((1u << ebits) - 1) << fbits);
    u &= UINT64_MAX >> 1;
    if (u > (uint64_t)0x7ff << 52) return (uint16_t)(sign | inf | 1u << (fbits - 1));
    int bias = (1 << (ebits - 1)) - 1;
    int e = (int)(u >> 52) - 1023 + bias; /* the target's exponent field */
    if (e >= (1 << ebits) - 1) return sign | inf;
    if (u >> 52 == 0) return sign; /* a double's subnormal is far below half of the least target */
    uint64_t m = (u & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    int drop = 52 - fbits;
    if (e < 1) { /* subnormal of the target: the leading bit becomes an ordinary one */
        drop += 1 - e;
        e = 0;
        if (drop > 54) return sign;
    } else {
        e--; /* the leading bit adds it back */
    }
    uint64_t q = m >> drop, rest = m & (((uint64_t)1 << drop) - 1),
             half = (uint64_t)1 << (drop - 1);
    q += rest > half || (rest == half && (q & 1));
    return (uint16_t)(sign | (((uint64_t)e << fbits) + q)); /* a carry runs into the exponent */
}

uint16_t f16_from_f64(double d) { return half_from_f64(d, 5, 10); }
uint16_t bf16_from_f64(double d) { return half_from_f64(d, 8, 7); }
uint16_t f16_from_f32(float f) { return half_from_f64((double)f, 5, 10); }
uint16_t bf16_from_f32(float f) { return half_from_f64((double)f, 8, 7); }

float f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023, u;
    float f;
    if (e == 31) {
        u = sign | 0x7f800000u | m << 13;
    } else if (e != 0) {
        u = sign | (e + 112) << 23 | m << 13;
    } else { /* zero and subnormals: m * 2^-24 is exact */
        f = (float)m * 0x1p-24f;
        return sign ? -f : f;
    }
    memcpy(&f, &u, 4);
    return f;
}

float bf16_to_f32(uint16_t h) {
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

/* A double with the integer's value, rounded to odd: rounding it again to 24 bits or fewer gives
 * what one rounding of the exact value gives. */
static double odd_from_u64(uint64_t u) {
    int shift = 0;
    uint64_t lost = 0;
    while (u >> 53) {
        lost |= u & 1;
        u >>= 1;
        shift++;
    }
    return ldexp((double)(u | lost), shift);
}

static double odd_from_scalar(const Scalar *s) {
    if (s->kind == SC_UINT) return odd_from_u64(s->u);
    return s->i < 0 ? -odd_from_u64(0 - (uint64_t)s->i) : odd_from_u64((uint64_t)s->i);
}

static double scalar_double(const Scalar *s) {
    switch (s->kind) {
    case SC_BOOL: return s->b;
    case SC_INT: return (double)s->i;
    case SC_UINT: return (double)s->u;
    case SC_FLOAT: return s->f;
    case SC_COMPLEX: return s->c.re;
    }
    return 0;
}

/* As double for a target narrower than double. */
static double scalar_odd(const Scalar *s) {
    return s->kind == SC_INT || s->kind == SC_UINT ? odd_from_scalar(s) : scalar_double(s);
}

static bool scalar_true(const Scalar *s) {
    switch (s->kind) {
    case SC_BOOL: return s->b;
    case SC_INT: return s->i != 0;
    case SC_UINT: return s->u != 0;
    case SC_FLOAT: return s->f != 0;
    case SC_COMPLEX: return s->c.re != 0 || s->c.im != 0;
    }
    return false;
}

static uint64_t scalar_bits(const Scalar *s, DType d) {
    switch (s->kind) {
    case SC_BOOL: return s->b;
    case SC_INT: return (uint64_t)s->i;
    case SC_UINT: return s->u;
    default: return int_from_double(scalar_double(s), d);
    }
}

void scalar_store(const Scalar *s, DType d, void *out) {
    double im = s->kind == SC_COMPLEX ? s->c.im : 0;
    switch (d) {
    case DT_bool: *(uint8_t *)out = scalar_true(s); return;
    case DT_f16: memcpy(out, &(uint16_t){f16_from_f64(scalar_odd(s))}, 2); return;
    case DT_bf16: memcpy(out, &(uint16_t){bf16_from_f64(scalar_odd(s))}, 2); return;
    case DT_f32: memcpy(out, &(float){(float)scalar_odd(s)}, 4); return;
    case DT_f64: memcpy(out, &(double){scalar_double(s)}, 8); return;
    case DT_c64: memcpy(out, &(Complex64){(float)scalar_odd(s), (float)im}, 8); return;
    case DT_c128: memcpy(out, &(Complex128){scalar_double(s), im}, 16); return;
    default: break;
    }
    uint64_t bits = scalar_bits(s, d);
    switch (dtype_size(d)) {
    case 1: memcpy(out, &(uint8_t){(uint8_t)bits}, 1); break;
    case 2: memcpy(out, &(uint16_t){(uint16_t)bits}, 2); break;
    case 4: memcpy(out, &(uint32_t){(uint32_t)bits}, 4); break;
    default: memcpy(out, &bits, 8); break;
    }
}

Scalar scalar_load(DType d, const void *p) {
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        float f32;
        double f64;
        Complex64 c64;
        Complex128 c128;
    } v;
    memcpy(&v, p, dtype_size(d));
    switch (d) {
    case DT_bool: return (Scalar){.kind = SC_BOOL, .b = v.u8 != 0};
    case DT_i8: return (Scalar){.kind = SC_INT, .i = v.i8};
    case DT_i16: return (Scalar){.kind = SC_INT, .i = v.i16};
    case DT_i32: return (Scalar){.kind = SC_INT, .i = v.i32};
    case DT_i64: return (Scalar){.kind = SC_INT, .i = v.i64};
    case DT_u8: return (Scalar){.kind = SC_INT, .i = v.u8};
    case DT_u16: return (Scalar){.kind = SC_INT, .i = v.u16};
    case DT_u32: return (Scalar){.kind = SC_INT, .i = v.u32};
    case DT_u64:
        if (v.u64 > INT64_MAX) return (Scalar){.kind = SC_UINT, .u = v.u64};
        return (Scalar){.kind = SC_INT, .i = (int64_t)v.u64};
    case DT_f16: return (Scalar){.kind = SC_FLOAT, .f = f16_to_f32(v.u16)};
    case DT_bf16: return (Scalar){.kind = SC_FLOAT, .f = bf16_to_f32(v.u16)};
    case DT_f32: return (Scalar){.kind = SC_FLOAT, .f = v.f32};
    case DT_f64: return (Scalar){.kind = SC_FLOAT, .f = v.f64};
    case DT_c64: return (Scalar){.kind = SC_COMPLEX, .c = {v.c64.re, v.c64.im}};
    case DT_c128: return (Scalar){.kind = SC_COMPLEX, .c = v.c128};
    case DT_COUNT: break;
    }
    return (Scalar){.kind = SC_BOOL};
}

void scalar_text(const Scalar *s, char out[64]) {
    char text[NUMTEXT_ELEMENT]; /* no scalar needs more than 52 bytes */
    int n = numtext_scalar(s, text);
    memcpy(out, text, (size_t)n + 1);
}
