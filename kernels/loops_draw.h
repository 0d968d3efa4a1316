/* loops_draw - random elements by their number (loops_body.h includes this for each set).
 *
 * Words are those of cuRAND's Philox4x32-10: word i is lane i mod 4 of quad
 * i / 4. A chunk of elements is computed from the quads that it touches, whole, and the part asked
 * for is copied out, so that an element depends on its number alone. */

enum { DRAW_CHUNK = 512, DRAW_QUADS = DRAW_CHUNK / 2 + 2 };

/* The ten rounds' keys, in all lanes. */
typedef struct PhiloxKeys {
    VECI k[10], l[10];
} PhiloxKeys;

static inline void philox_keys(uint64_t key, PhiloxKeys *out) {
    for (uint32_t r = 0; r < 10; r++) {
        out->k[r] = SPLATI((uint32_t)key + r * 0x9E3779B9u);
        out->l[r] = SPLATI((uint32_t)(key >> 32) + r * 0xBB67AE85u);
    }
}

/* NI quads, a 64-bit lane each: of a state word only the low half counts, and one multiplication
 * gives both halves of a product. */
#define PHILOX_ROUND(r)                                                          \
    {                                                                            \
        VECI p = MULI(a, SPLATI(0xD2511F53u)), q = MULI(c, SPLATI(0xCD9E8D57u)); \
        a = XORI(XORI(SHRI(q), b), keys->k[r]);                                  \
        c = XORI(XORI(SHRI(p), d), keys->l[r]);                                  \
        b = q, d = p;                                                            \
    }
static inline void philox_lanes(const PhiloxKeys *keys, VECI low, VECI high, VECI attempt,
                                uint32_t *out) {
    VECI a = high, b = SPLATI(0), c = low, d = attempt;
    PHILOX_ROUND(0)
    PHILOX_ROUND(1)
    PHILOX_ROUND(2)
    PHILOX_ROUND(3)
    PHILOX_ROUND(4)
    PHILOX_ROUND(5)
    PHILOX_ROUND(6)
    PHILOX_ROUND(7)
    PHILOX_ROUND(8)
    PHILOX_ROUND(9)
    PUTQUADS(out, a, b, c, d);
}

/* Quads quad .. quad + n - 1, which share all but the low 16 bits of their number. */
static void philox_run(uint64_t key, uint64_t quad, uint32_t attempt, size_t n, uint32_t *out) {
    PhiloxKeys keys;
    VECI high = SPLATI(quad >> 16), low = ADDI(SPLATI(quad & 0xffffu), LANESI);
    size_t i = 0;
    philox_keys(key, &keys);
    for (; i + NI <= n; i += NI) {
        philox_lanes(&keys, low, high, SPLATI(attempt), out + 4 * i);
        low = ADDI(low, SPLATI(NI));
    }
    if (i < n) {
        uint32_t rest[4 * NI];
        philox_lanes(&keys, low, high, SPLATI(attempt), rest);
        memcpy(out + 4 * i, rest, (n - i) * 4 * sizeof *out);
    }
}

static void philox(uint64_t key, uint64_t quad, uint32_t attempt, size_t n, uint32_t *out) {
    while (n > 0) {
        size_t m = 0x10000 - (size_t)(quad & 0xffff);
        if (m > n) m = n;
        philox_run(key, quad, attempt, m, out);
        quad += m, n -= m, out += 4 * m;
    }
}

static inline uint64_t join_words(const uint32_t *w) { return (uint64_t)w[1] << 32 | w[0]; }

/* A 32-bit integer as a double without the processor's help, exactly. */
static inline double word_f64(uint32_t w) {
    return x_from_bits_f64((uint64_t)0x43300000 << 32 | w) - 0x1p52;
}

static void uniform_f64(size_t n, const uint32_t *w, double *out) {
    for (size_t i = 0; i < n; i++) {
        uint64_t v = join_words(w + 2 * i) >> 11;
        out[i] = (word_f64((uint32_t)(v >> 32)) * 0x1p32 + word_f64((uint32_t)v)) * 0x1p-53;
    }
}

static void uniform_f32(size_t n, const uint32_t *w, float *out, int shift, float scale) {
    for (size_t i = 0; i < n; i++) out[i] = (float)(int32_t)(w[i] >> shift) * scale;
}

/* In (0, 1]: never 0, so that the logarithm is finite. */
static inline float open_f32(uint32_t w) { return ((float)w + 0.5f) * 0x1p-32f; }
static inline double open_f64(uint64_t w) { return ((double)w + 0.5) * 0x1p-64; }

static void exponential_f32(size_t n, const uint32_t *w, float *out) {
    for (size_t i = 0; i < n; i++) out[i] = open_f32(w[i]);
    math_log_f32(n, out, out, NULL, NULL);
    for (size_t i = 0; i < n; i++) out[i] = -out[i];
}

static void exponential_f64(size_t n, const uint32_t *w, double *out) {
    for (size_t i = 0; i < n; i++) out[i] = open_f64(join_words(w + 2 * i));
    math_log_f64(n, out, out, NULL, NULL);
    for (size_t i = 0; i < n; i++) out[i] = -out[i];
}

/* Box-Muller: n elements, n even. */
static void normal_f32(size_t n, const uint32_t *w, float *out) {
    float r[DRAW_CHUNK / 2 + 4] = {0}, t[DRAW_CHUNK / 2 + 4] = {0}, s[DRAW_CHUNK / 2 + 4];
    size_t m = n / 2;
    for (size_t j = 0; j < m; j++) {
        r[j] = open_f32(w[2 * j]);
        t[j] = (float)w[2 * j + 1] * 0x1p-31f;
    }
    math_log_f32(m, r, r, NULL, NULL);
    math_sinpi_f32(m, s, t, NULL, NULL);
    math_cospi_f32(m, t, t, NULL, NULL);
    for (size_t j = 0; j < m; j++) r[j] = __builtin_sqrtf(-2.0f * r[j]);
    for (size_t j = 0; j < m; j++) {
        out[2 * j] = r[j] * t[j];
        out[2 * j + 1] = r[j] * s[j];
    }
}

static void normal_f64(size_t n, const uint32_t *w, double *out) {
    double r[DRAW_CHUNK / 2 + 4] = {0}, t[DRAW_CHUNK / 2 + 4] = {0}, s[DRAW_CHUNK / 2 + 4];
    size_t m = n / 2;
    for (size_t j = 0; j < m; j++) {
        r[j] = open_f64(join_words(w + 4 * j));
        t[j] = (double)join_words(w + 4 * j + 2) * 0x1p-63;
    }
    math_log_f64(m, r, r, NULL, NULL);
    math_sinpi_f64(m, s, t, NULL, NULL);
    math_cospi_f64(m, t, t, NULL, NULL);
    for (size_t j = 0; j < m; j++) r[j] = __builtin_sqrt(-2.0 * r[j]);
    for (size_t j = 0; j < m; j++) {
        out[2 * j] = r[j] * t[j];
        out[2 * j + 1] = r[j] * s[j];
    }
}

/* low + [0, range), unbiased: the high half of range * word; where the low half falls among the
 * products that would be too many, the same word of the next attempt. range 0 is 2^64. */
static int64_t randint_one(uint64_t key, uint64_t number, int64_t low, uint64_t range) {
    uint32_t w[4];
    xbool wide = range == 0 || range > (uint64_t)1 << 32;
    uint64_t unfair = range == 0 ? 0 : wide ? (0 - range) % range : ((uint64_t)1 << 32) % range;
    for (uint32_t t = 0;; t++) {
        philox(key, number / (wide ? 2 : 4), t, 1, w);
        if (!wide) {
            uint64_t product = (uint64_t)w[number & 3] * range;
            if ((uint32_t)product >= unfair) return (int64_t)((uint64_t)low + (product >> 32));
            continue;
        }
        uint64_t v = join_words(w + 2 * (number & 1));
        if (range == 0) return (int64_t)((uint64_t)low + v);
        unsigned __int128 product = (unsigned __int128)v * range;
        if ((uint64_t)product >= unfair)
            return (int64_t)((uint64_t)low + (uint64_t)(product >> 64));
    }
}

static void randint(size_t n, const uint32_t *w, uint64_t key, uint64_t first, int64_t low,
                    uint64_t range, int64_t *out) {
    xbool wide = range == 0 || range > (uint64_t)1 << 32, again = wide;
    if (!wide) {
        uint32_t unfair = (uint32_t)(((uint64_t)1 << 32) % range);
        for (size_t i = 0; i < n; i++) {
            uint64_t product = (uint64_t)w[i] * range;
            again |= (uint32_t)product < unfair;
            out[i] = (int64_t)((uint64_t)low + (product >> 32));
        }
    }
    if (!again) return;
    for (size_t i = 0; i < n; i++) out[i] = randint_one(key, first + i, low, range);
}

/* Words that an element takes. */
static int draw_words(DrawKind kind, DType t, uint64_t range) {
    if (kind == DRAW_KEYS64) return 2;
    if (kind == DRAW_RANDINT) return range == 0 || range > (uint64_t)1 << 32 ? 2 : 1;
    return t == DT_f64 ? 2 : 1;
}

/* n elements from whole quads w; half dtypes get their f32 numbers rounded. */
static void draw_chunk(DrawKind kind, DType t, size_t n, const uint32_t *w, void *out) {
    float narrow[DRAW_CHUNK + 8];
    xbool half = dtype_is_half(t);
    float *f = half ? narrow : out;
    switch (kind) {
    case DRAW_UNIFORM:
        if (t == DT_f64)
            uniform_f64(n, w, out);
        else if (t == DT_f32)
            uniform_f32(n, w, out, 8, 0x1p-24f);
        else if (t == DT_f16)
            uniform_f32(n, w, f, 21, 0x1p-11f);
        else
            uniform_f32(n, w, f, 24, 0x1p-8f);
        break;
    case DRAW_NORMAL:
        if (t == DT_f64)
            normal_f64(n, w, out);
        else
            normal_f32(n, w, f);
        break;
    case DRAW_EXPONENTIAL:
        if (t == DT_f64)
            exponential_f64(n, w, out);
        else
            exponential_f32(n, w, f);
        break;
    case DRAW_KEYS64:
        for (size_t i = 0; i < n; i++) ((uint64_t *)out)[i] = join_words(w + 2 * i);
        break;
    default: memcpy(out, w, n * sizeof *w); break;
    }
    if (half) (t == DT_f16 ? cast_f32_f16 : cast_f32_bf16)(n, out, f, NULL, NULL);
}

static void draw_elements(DrawKind kind, DType t, uint64_t key, int64_t low, uint64_t range,
                          uint64_t first, size_t n, void *out) {
    uint32_t w[4 * DRAW_QUADS];
    double chunk[DRAW_CHUNK + 8]; /* the widest element is 8 bytes */
    size_t item = dtype_size(t), per = 4 / (size_t)draw_words(kind, t, range);
    char *po = out;
    while (n > 0) {
        size_t m = n < DRAW_CHUNK ? n : DRAW_CHUNK, skip = (size_t)(first % per);
        if (m + skip > DRAW_CHUNK) m -= skip;
        size_t quads = (m + skip + per - 1) / per;
        philox(key, first / per, 0, quads, w);
        if (kind == DRAW_RANDINT) {
            randint(m, w + skip * (4 / per), key, first, low, range, (int64_t *)(void *)po);
        } else if (skip == 0 && m % per == 0) {
            draw_chunk(kind, t, m, w, po);
        } else {
            draw_chunk(kind, t, quads * per, w, chunk);
            memcpy(po, (char *)chunk + skip * item, m * item);
        }
        po += m * item, first += m, n -= m;
    }
}
