/* loops_fold - loops of reductions that are no op loops: extremes with their places, Welford/Chan,
 * counting (loops_body.h includes this for each set). Sums and products fold with the loops of add
 * and mul themselves. Results do not depend on how elements are cut into calls. */

/* A block's extreme by lanes without its place; then the place, if it beats what there is: rarely
 * on most data, so the search costs little. */
#define EXTREME(s, T, I, way, BETTER)                                                      \
    static xbool block_##way##_##s(size_t n, const T *p, T *best) {                        \
        enum { LANES = 256 / sizeof(T) };                                                  \
        T m[LANES];                                                                        \
        I nan[LANES] = {0}, any = 0;                                                       \
        size_t i = 0;                                                                      \
        for (size_t j = 0; j < LANES; j++) m[j] = p[0];                                    \
        for (; i + LANES <= n; i += LANES) {                                               \
            for (size_t j = 0; j < LANES; j++) {                                           \
                T x = p[i + j];                                                            \
                m[j] = x BETTER m[j] ? x : m[j];                                           \
                nan[j] |= (I)(x != x);                                                     \
            }                                                                              \
        }                                                                                  \
        for (; i < n; i++) {                                                               \
            m[0] = p[i] BETTER m[0] ? p[i] : m[0];                                         \
            any |= (I)(p[i] != p[i]);                                                      \
        }                                                                                  \
        for (size_t j = 0; j < LANES; j++) {                                               \
            m[0] = m[j] BETTER m[0] ? m[j] : m[0];                                         \
            any |= nan[j];                                                                 \
        }                                                                                  \
        *best = m[0];                                                                      \
        return any != 0;                                                                   \
    }                                                                                      \
    /* The first nan or the first that equals best, which is there: by stretches first. */ \
    static size_t place_##way##_##s(size_t n, const T *p, T best, xbool nan) {             \
        enum { LANES = 256 / sizeof(T) };                                                  \
        size_t i = 0;                                                                      \
        for (; i + LANES <= n; i += LANES) {                                               \
            I hit = 0;                                                                     \
            for (size_t j = 0; j < LANES; j++)                                             \
                hit |= (I)((p[i + j] == best) | (p[i + j] != p[i + j]));                   \
            if (hit) break;                                                                \
        }                                                                                  \
        while (nan ? p[i] == p[i] : p[i] != best) i++;                                     \
        return i;                                                                          \
    }                                                                                      \
    static void extreme_##way##_##s(size_t n, const void *in, int64_t base, Extreme *x) {  \
        const T *p = in;                                                                   \
        T best, now;                                                                       \
        memcpy(&now, x->bits, sizeof now);                                                 \
        if (n == 0 || (x->index >= 0 && now != now)) return;                               \
        xbool nan = block_##way##_##s(n, p, &best);                                        \
        if (!nan && x->index >= 0 && !(best BETTER now)) return;                           \
        size_t i = place_##way##_##s(n, p, best, nan);                                     \
        memcpy(x->bits, &p[i], sizeof now);                                                \
        x->index = base + (int64_t)i;                                                      \
    }                                                                                      \
    static void rows_##way##_##s(size_t n, const void *in, int64_t r, void *value,         \
                                 int64_t *index) {                                         \
        const T *p = in;                                                                   \
        T *v = value;                                                                      \
        INDEPENDENT                                                                        \
        for (size_t i = 0; i < n; i++) {                                                   \
            T x = p[i], y = v[i];                                                          \
            xbool better = x BETTER y || (x != x && y == y);                               \
            v[i] = better ? x : y;                                                         \
            index[i] = better ? r : index[i];                                              \
        }                                                                                  \
    }                                                                                      \
    static void join_##way##_##s(size_t n, void *va, int64_t *ia, const void *vb,          \
                                 const int64_t *ib) {                                      \
        T *x = va;                                                                         \
        const T *y = vb;                                                                   \
        for (size_t i = 0; i < n; i++) {                                                   \
            xbool b = y[i] BETTER x[i] || (y[i] != y[i] && x[i] == x[i]);                  \
            xbool a = x[i] BETTER y[i] || (x[i] != x[i] && y[i] == y[i]);                  \
            if (b || (!a && ib[i] < ia[i])) x[i] = y[i], ia[i] = ib[i];                    \
        }                                                                                  \
    }
#define EXTREMES(s, T, I) EXTREME(s, T, I, min, <) EXTREME(s, T, I, max, >)
EXTREMES(bool, uint8_t, uint8_t)
EXTREMES(i8, int8_t, uint8_t)
EXTREMES(i16, int16_t, uint16_t)
EXTREMES(i32, int32_t, uint32_t)
EXTREMES(i64, int64_t, uint64_t)
EXTREMES(u8, uint8_t, uint8_t)
EXTREMES(u16, uint16_t, uint16_t)
EXTREMES(u32, uint32_t, uint32_t)
EXTREMES(u64, uint64_t, uint64_t)
EXTREMES(f32, float, uint32_t)
EXTREMES(f64, double, uint64_t)

#define EXTREME_CASE(s)                                            \
    case DT_##s:                                                   \
        (max ? extreme_max_##s : extreme_min_##s)(n, in, base, x); \
        break;
#define ROWS_CASE(s)                                                 \
    case DT_##s:                                                     \
        (max ? rows_max_##s : rows_min_##s)(n, in, r, value, index); \
        break;
#define ALL_REALS(M) M(bool) M(i8) M(i16) M(i32) M(i64) M(u8) M(u16) M(u32) M(u64) M(f32) M(f64)

static void extreme(DType t, xbool max, size_t n, const void *in, int64_t base, Extreme *x) {
    switch (t) {
        ALL_REALS(EXTREME_CASE)
    default: break;
    }
}

#define JOIN_CASE(s) \
    case DT_##s: (max ? join_max_##s : join_min_##s)(n, va, ia, vb, ib); break;

static void extreme_join(DType t, xbool max, size_t n, void *va, int64_t *ia, const void *vb,
                         const int64_t *ib) {
    switch (t) {
        ALL_REALS(JOIN_CASE)
    default: break;
    }
}

static void extreme_rows(DType t, xbool max, size_t n, const void *in, int64_t r, void *value,
                         int64_t *index) {
    switch (t) {
        ALL_REALS(ROWS_CASE)
    default: break;
    }
}

#define WELFORD(s, T)                                                                         \
    static void welford_##s(size_t n, T *ma, T *Ma, const T *mb, const T *Mb, T wmean, T wm2, \
                            T spread) {                                                       \
        if (Mb) {                                                                             \
            INDEPENDENT                                                                       \
            for (size_t i = 0; i < n; i++)                                                    \
                x_welford_##s(&ma[i], &Ma[i], mb[i], Mb[i], wmean, wm2, spread);              \
        } else {                                                                              \
            INDEPENDENT                                                                       \
            for (size_t i = 0; i < n; i++)                                                    \
                x_welford_##s(&ma[i], &Ma[i], mb[i], (T)0, wmean, wm2, spread);               \
        }                                                                                     \
    }
WELFORD(f32, float)
WELFORD(f64, double)

static void welford(DType t, size_t n, void *ma, void *Ma, const void *mb, const void *Mb,
                    int64_t na, int64_t nb, double spread) {
    double wmean = x_weight_mean_f64(na, nb, 0), wm2 = x_weight_m2_f64(na, nb, 0);
    if (t == DT_f32)
        welford_f32(n, ma, Ma, mb, Mb, (float)wmean, (float)wm2, (float)spread);
    else
        welford_f64(n, ma, Ma, mb, Mb, wmean, wm2, spread);
}

static int64_t count_true(size_t n, const uint8_t *mask) {
    int64_t total = 0;
    for (size_t i = 0; i < n; i++) total += mask[i] != 0;
    return total;
}
