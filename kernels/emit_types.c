/* emit_types - element types and casts in CUDA text.
 *
 * Callers: the other emit_*.c, native_cuda. Halves live in registers as floats that hold a half's
 * value exactly; every operation on them is rounded once by the text around it.
 * Invariant: casts follow dtype.h: one rounding to nearest even from the exact value, integers
 * wrap, floats truncate and saturate, nan becomes 0. */
#include "kernels/emit_cuda.h"

#include <string.h>

const char *emit_memory_type(DType d) {
    switch (d) {
    case DT_bool: return "xbool";
    case DT_i8: return "xi8";
    case DT_i16: return "xi16";
    case DT_i32: return "xi32";
    case DT_i64: return "xi64";
    case DT_u8: return "xu8";
    case DT_u16: return "xu16";
    case DT_u32: return "xu32";
    case DT_u64: return "xu64";
    case DT_f16:
    case DT_bf16: return "xu16";
    case DT_f32: return "xf32";
    case DT_f64: return "xf64";
    case DT_c64: return "xc64";
    default: return "xc128";
    }
}

const char *emit_value_type(DType d) { return dtype_is_half(d) ? "xf32" : emit_memory_type(d); }

/* To a half: narrow sources are exact in f32, wide ones go there by rounding to odd. */
static void cast_half(Buf *out, DType from, DType to, const char *v) {
    const char *half = dtype_name(to);
    if (from == to)
        buf_str(out, v);
    else if (from == DT_i64 || from == DT_u64 || from == DT_f64)
        buf_printf(out, "%s_round(odd_f32(%s))", half, v);
    else if (from == DT_i32 || from == DT_u32)
        buf_printf(out, "%s_round(odd_f32((xf64)%s))", half, v);
    else
        buf_printf(out, "%s_round((xf32)%s)", half, v);
}

void emit_cast(Buf *out, DType from, DType to, const char *v) {
    bool from_complex = dtype_is_complex(from);
    if (to == DT_bool && from_complex)
        buf_printf(out, "%s.re != 0 || %s.im != 0", v, v);
    else if (to == DT_bool)
        buf_printf(out, "%s != 0", v);
    else if (dtype_is_complex(to)) {
        const char *real = to == DT_c64 ? "xf32" : "xf64";
        if (from_complex)
            buf_printf(out, "x_make((%s)%s.re, (%s)%s.im)", real, v, real, v);
        else
            buf_printf(out, "x_make((%s)%s, (%s)0)", real, v, real);
    } else if (from_complex) { /* refused where the graph is built */
        char re[48];
        int n = 0;
        for (; v[n] && n < 40; n++) re[n] = v[n];
        memcpy(re + n, ".re", 4);
        emit_cast(out, dtype_real(from), to, re);
    } else if (dtype_is_half(to))
        cast_half(out, from, to, v);
    else if (dtype_is_int(to) && dtype_is_float(from))
        buf_printf(out, "to_%s(%s)", dtype_name(to), v);
    else
        buf_printf(out, "(%s)%s", emit_value_type(to), v);
}
