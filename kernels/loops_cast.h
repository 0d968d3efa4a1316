/* loops_cast - casts between dtypes, one loop a pair (loops_body.h includes this for each set).
 *
 * Rules: integers wrap; float to integer truncates, saturates into the
 * target's own range, nan is 0; to a half there is one rounding from the exact value. Pairs without
 * a loop go in steps (cast_next). All conversions are branch-free and in range for the C type that
 * they convert to, so that they vectorise and stay defined. */

/* lo: the least value; above: the greatest plus one, exact in any float. */
#define SATURATE(f, F, t, I, W, lo, above, most) \
    static inline I sat_##f##_##t(F a) {         \
        F x = a != a ? (F)0 : a;                 \
        x = x < (F)(lo) ? (F)(lo) : x;           \
        F y = x >= (F)(above) ? (F)0 : x;        \
        I r = (I)(W)y;                           \
        return x >= (F)(above) ? (I)(most) : r;  \
    }
#define SATURATES(f, F)                                                 \
    SATURATE(f, F, i8, int8_t, int32_t, -128.0, 128.0, INT8_MAX)        \
    SATURATE(f, F, i16, int16_t, int32_t, -32768.0, 32768.0, INT16_MAX) \
    SATURATE(f, F, i32, int32_t, int32_t, -0x1p31, 0x1p31, INT32_MAX)   \
    SATURATE(f, F, i64, int64_t, int64_t, -0x1p63, 0x1p63, INT64_MAX)   \
    SATURATE(f, F, u8, uint8_t, int32_t, 0.0, 256.0, UINT8_MAX)         \
    SATURATE(f, F, u16, uint16_t, int32_t, 0.0, 65536.0, UINT16_MAX)    \
    SATURATE(f, F, u32, uint32_t, uint32_t, 0.0, 0x1p32, UINT32_MAX)    \
    SATURATE(f, F, u64, uint64_t, uint64_t, 0.0, 0x1p64, UINT64_MAX)
SATURATES(f32, float)
SATURATES(f64, double)

/* ---- halves ---- */

static inline float half_f16(uint16_t h) {
    uint32_t u = (uint32_t)(h & 0x7fff) << 13;
    /* as a float, exponent off by 112; subnormals become normal by the exact product */
    uint32_t v = x_bits_f32(x_from_bits_f32(u) * 0x1p112f);
    v = (h & 0x7c00) == 0x7c00 ? u | 0x7f800000u : v;
    return x_from_bits_f32(v | (uint32_t)(h & 0x8000) << 16);
}

static inline float half_bf16(uint16_t h) { return x_from_bits_f32((uint32_t)h << 16); }

static inline uint16_t f16_half(float f) {
    uint32_t u = x_bits_f32(f), m = u & 0x7fffffffu;
    uint32_t normal = (m - (112u << 23) + 0xfffu + (m >> 13 & 1)) >> 13;
    /* subnormals: adding 0.5 leaves their multiple of 2^-24, rounded, in the low bits */
    uint32_t small = x_bits_f32(x_from_bits_f32(m) + 0.5f) - 0x3f000000u;
    uint32_t r = m < (113u << 23) ? small : normal;
    r = m >= (143u << 23) ? 0x7c00u : r;
    r = m > (255u << 23) ? 0x7e00u : r;
    return (uint16_t)(r | (u >> 16 & 0x8000u));
}

static inline uint16_t bf16_half(float f) {
    uint32_t u = x_bits_f32(f);
    uint32_t r = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
    return (uint16_t)((u & 0x7fffffffu) > (255u << 23) ? (u >> 16) | 0x40u : r);
}

/* Round to odd: what a second rounding to 11 bits or fewer sees as the exact value. */
static inline float odd_f64(double d) {
    float f = (float)d;
    uint32_t u = x_bits_f32(f);
    double back = (double)f, ab = back < 0 ? -back : back, ad = d < 0 ? -d : d;
    uint32_t down = ab > ad ? u - 1 : u; /* towards zero; from inf to the greatest float */
    return x_from_bits_f32(d == d && back != d ? down | 1u : u);
}

static inline double odd_u64(uint64_t u) {
    double high = (double)(int64_t)(u >> 11 | (uint64_t)((u & 0x7ff) != 0)) * 2048.0;
    return u >> 53 ? high : (double)(int64_t)(u & (((uint64_t)1 << 53) - 1));
}

static inline double odd_i64(int64_t i) {
    double d = odd_u64(i < 0 ? (uint64_t)0 - (uint64_t)i : (uint64_t)i);
    return i < 0 ? -d : d;
}

/* ---- loops ---- */

#define CAST(f, F, t, U, e)                                                              \
    static void cast_##f##_##t(size_t n, void *out, const void *in, const void *unused1, \
                               const void *unused2) {                                    \
        const F *p = in;                                                                 \
        U *q = out;                                                                      \
        (void)unused1, (void)unused2;                                                    \
        INDEPENDENT                                                                      \
        for (size_t i = 0; i < n; i++) {                                                 \
            F a = p[i];                                                                  \
            q[i] = e;                                                                    \
        }                                                                                \
    }
#define CAST_INTS(f, F)                    \
    CAST(f, F, bool, uint8_t, a != 0)      \
    CAST(f, F, i8, int8_t, (int8_t)a)      \
    CAST(f, F, i16, int16_t, (int16_t)a)   \
    CAST(f, F, i32, int32_t, (int32_t)a)   \
    CAST(f, F, i64, int64_t, (int64_t)a)   \
    CAST(f, F, u8, uint8_t, (uint8_t)a)    \
    CAST(f, F, u16, uint16_t, (uint16_t)a) \
    CAST(f, F, u32, uint32_t, (uint32_t)a) \
    CAST(f, F, u64, uint64_t, (uint64_t)a) \
    CAST(f, F, f32, float, (float)a)       \
    CAST(f, F, f64, double, (double)a)
#define CAST_FLOATS(f, F)                       \
    CAST(f, F, bool, uint8_t, a != 0)           \
    CAST(f, F, i8, int8_t, sat_##f##_i8(a))     \
    CAST(f, F, i16, int16_t, sat_##f##_i16(a))  \
    CAST(f, F, i32, int32_t, sat_##f##_i32(a))  \
    CAST(f, F, i64, int64_t, sat_##f##_i64(a))  \
    CAST(f, F, u8, uint8_t, sat_##f##_u8(a))    \
    CAST(f, F, u16, uint16_t, sat_##f##_u16(a)) \
    CAST(f, F, u32, uint32_t, sat_##f##_u32(a)) \
    CAST(f, F, u64, uint64_t, sat_##f##_u64(a)) \
    CAST(f, F, f32, float, (float)a)            \
    CAST(f, F, f64, double, (double)a)
CAST_INTS(bool, uint8_t)
CAST_INTS(i8, int8_t)
CAST_INTS(i16, int16_t)
CAST_INTS(i32, int32_t)
CAST_INTS(i64, int64_t)
CAST_INTS(u8, uint8_t)
CAST_INTS(u16, uint16_t)
CAST_INTS(u32, uint32_t)
CAST_INTS(u64, uint64_t)
CAST_FLOATS(f32, float)
CAST_FLOATS(f64, double)
CAST(f16, uint16_t, f32, float, half_f16(a))
CAST(bf16, uint16_t, f32, float, half_bf16(a))
CAST(f32, float, f16, uint16_t, f16_half(a))
CAST(f32, float, bf16, uint16_t, bf16_half(a))
CAST(f64, double, f16, uint16_t, f16_half(odd_f64(a)))
CAST(f64, double, bf16, uint16_t, bf16_half(odd_f64(a)))
CAST(i64, int64_t, f16, uint16_t, f16_half(odd_f64(odd_i64(a))))
CAST(i64, int64_t, bf16, uint16_t, bf16_half(odd_f64(odd_i64(a))))
CAST(u64, uint64_t, f16, uint16_t, f16_half(odd_f64(odd_u64(a))))
CAST(u64, uint64_t, bf16, uint16_t, bf16_half(odd_f64(odd_u64(a))))
CAST(f32, float, c64, Complex64, ((Complex64){a, 0}))
CAST(f64, double, c128, Complex128, ((Complex128){a, 0}))
CAST(c64, Complex64, c128, Complex128, ((Complex128){a.re, a.im}))
CAST(c128, Complex128, c64, Complex64, ((Complex64){(float)a.re, (float)a.im}))
CAST(c64, Complex64, bool, uint8_t, a.re != 0 || a.im != 0)
CAST(c128, Complex128, bool, uint8_t, a.re != 0 || a.im != 0)
CAST(c64, Complex64, f32, float, a.re)
CAST(c128, Complex128, f64, double, a.re)

#define CASTS_REAL(f)                                                                \
    [DT_bool] = cast_##f##_bool, [DT_i8] = cast_##f##_i8, [DT_i16] = cast_##f##_i16, \
    [DT_i32] = cast_##f##_i32, [DT_i64] = cast_##f##_i64, [DT_u8] = cast_##f##_u8,   \
    [DT_u16] = cast_##f##_u16, [DT_u32] = cast_##f##_u32, [DT_u64] = cast_##f##_u64, \
    [DT_f32] = cast_##f##_f32, [DT_f64] = cast_##f##_f64
#define CASTS_HALF(f) [DT_f16] = cast_##f##_f16, [DT_bf16] = cast_##f##_bf16
static const Loop casts_bool[DT_COUNT] = {CASTS_REAL(bool)};
static const Loop casts_i8[DT_COUNT] = {CASTS_REAL(i8)};
static const Loop casts_i16[DT_COUNT] = {CASTS_REAL(i16)};
static const Loop casts_i32[DT_COUNT] = {CASTS_REAL(i32)};
static const Loop casts_i64[DT_COUNT] = {CASTS_REAL(i64), CASTS_HALF(i64)};
static const Loop casts_u8[DT_COUNT] = {CASTS_REAL(u8)};
static const Loop casts_u16[DT_COUNT] = {CASTS_REAL(u16)};
static const Loop casts_u32[DT_COUNT] = {CASTS_REAL(u32)};
static const Loop casts_u64[DT_COUNT] = {CASTS_REAL(u64), CASTS_HALF(u64)};
static const Loop casts_f16[DT_COUNT] = {[DT_f32] = cast_f16_f32};
static const Loop casts_bf16[DT_COUNT] = {[DT_f32] = cast_bf16_f32};
static const Loop casts_f32[DT_COUNT] = {CASTS_REAL(f32), CASTS_HALF(f32), [DT_c64] = cast_f32_c64};
static const Loop casts_f64[DT_COUNT] = {CASTS_REAL(f64),
                                         CASTS_HALF(f64), [DT_c128] = cast_f64_c128};
static const Loop casts_c64[DT_COUNT] = {
    [DT_bool] = cast_c64_bool, [DT_f32] = cast_c64_f32, [DT_c128] = cast_c64_c128};
static const Loop casts_c128[DT_COUNT] = {
    [DT_bool] = cast_c128_bool, [DT_f64] = cast_c128_f64, [DT_c64] = cast_c128_c64};
