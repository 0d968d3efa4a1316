/* native_scan - running sums, products, minima and maxima on the CPU (native_cpu_scan).
 *
 * The association is fixed, so that every run, thread count and backend gives the same bits: in
 * segments of 32 elements one after another; the totals of a tile's 128 segments one after another;
 * tiles' totals by the same rule again; an element is (tile's carry) op ((segment's carry) op (its
 * own)), a carry that does not exist is left out. A line is cut into groups of tiles that stay in
 * the cache: totals of a group on all threads, carries, then the elements on all threads.
 * Callers: kernel.c. */
#include "kernels/cpu_plan.h"
#include "kernels/native_cpu.h"
#include "kernels/scalar.h"

#include <string.h>

enum { SEGMENT = 32, TILE = 4096, GROUP = 128, ABREAST = 8, ABREAST_MOST = 16, LEVELS = 6 };

/* n elements of a tile, in place. carry: NULL if there is none. write false: total only. */
typedef void (*TileScan)(const void *in, void *out, int64_t n, const void *carry, bool write,
                         void *total);

/* Segments run eight abreast: one alone would wait for each sum before the next. */
#define TILE_SCAN(op, s, T)                                                                        \
    static void tile_##op##_##s(const void *vin, void *vout, int64_t n, const void *vcarry,        \
                                bool write, void *total) {                                         \
        const T *in = vin, *carry = vcarry;                                                        \
        T *out = vout, sum[TILE / SEGMENT], before;                                                \
        int64_t segments = (n + SEGMENT - 1) / SEGMENT, k = 0;                                     \
        for (; (k + ABREAST) * SEGMENT <= n; k += ABREAST) {                                       \
            const T *p = in + k * SEGMENT;                                                         \
            T *q = out + k * SEGMENT, v[ABREAST];                                                  \
            for (int j = 0; j < ABREAST; j++) v[j] = p[j * SEGMENT];                               \
            for (int e = 0; e < SEGMENT; e++) {                                                    \
                for (int j = 0; j < ABREAST; j++) {                                                \
                    if (e > 0) v[j] = x_##op##_##s(v[j], p[j * SEGMENT + e]);                      \
                    if (write) q[j * SEGMENT + e] = v[j];                                          \
                }                                                                                  \
            }                                                                                      \
            for (int j = 0; j < ABREAST; j++) sum[k + j] = v[j];                                   \
        }                                                                                          \
        for (; k < segments; k++) {                                                                \
            int64_t end = (k + 1) * SEGMENT < n ? (k + 1) * SEGMENT : n;                           \
            T v = in[k * SEGMENT];                                                                 \
            for (int64_t e = k * SEGMENT; e < end; e++) {                                          \
                if (e > k * SEGMENT) v = x_##op##_##s(v, in[e]);                                   \
                if (write) out[e] = v;                                                             \
            }                                                                                      \
            sum[k] = v;                                                                            \
        }                                                                                          \
        before = sum[0];                                                                           \
        for (k = 0; k < segments; k++) {                                                           \
            int64_t end = (k + 1) * SEGMENT < n ? (k + 1) * SEGMENT : n;                           \
            if (write && k > 0)                                                                    \
                for (int64_t e = k * SEGMENT; e < end; e++) out[e] = x_##op##_##s(before, out[e]); \
            if (write && carry)                                                                    \
                for (int64_t e = k * SEGMENT; e < end; e++) out[e] = x_##op##_##s(*carry, out[e]); \
            if (k > 0) before = x_##op##_##s(before, sum[k]);                                      \
        }                                                                                          \
        memcpy(total, &before, sizeof before);                                                     \
    }
#define TILE_SUMS(s, T) TILE_SCAN(add, s, T) TILE_SCAN(mul, s, T)
#define TILE_ORDERS(s, T) TILE_SCAN(minimum, s, T) TILE_SCAN(maximum, s, T)
TILE_SUMS(i64, int64_t)
TILE_SUMS(u64, uint64_t)
TILE_SUMS(f32, float)
TILE_SUMS(f64, double)
TILE_SUMS(c64, Complex64)
TILE_SUMS(c128, Complex128)
TILE_ORDERS(i8, int8_t)
TILE_ORDERS(i16, int16_t)
TILE_ORDERS(i32, int32_t)
TILE_ORDERS(i64, int64_t)
TILE_ORDERS(u8, uint8_t)
TILE_ORDERS(u16, uint16_t)
TILE_ORDERS(u32, uint32_t)
TILE_ORDERS(u64, uint64_t)
TILE_ORDERS(f32, float)
TILE_ORDERS(f64, double)

/* Sums narrower than 64 bits wrap as the low bits of those of 64 bits do: they are scanned wide. */
static DType scan_type(ReduceKind op, DType out) {
    bool sums = op == RED_SUM || op == RED_PROD;
    if (dtype_is_half(out)) return DT_f32;
    if (out == DT_bool) return sums ? DT_i64 : DT_u8;
    if (sums && dtype_is_int(out)) return dtype_kind(out) == DK_INT ? DT_i64 : DT_u64;
    return out;
}

static TileScan tile_scan(ReduceKind op, DType t) {
#define PAIR(first, second, s) [DT_##s] = { tile_##first##_##s, tile_##second##_##s }
    static const TileScan sums[DT_COUNT][2] = {PAIR(add, mul, i64), PAIR(add, mul, u64),
                                               PAIR(add, mul, f32), PAIR(add, mul, f64),
                                               PAIR(add, mul, c64), PAIR(add, mul, c128)};
    static const TileScan orders[DT_COUNT][2] = {
        PAIR(minimum, maximum, i8),  PAIR(minimum, maximum, i16), PAIR(minimum, maximum, i32),
        PAIR(minimum, maximum, i64), PAIR(minimum, maximum, u8),  PAIR(minimum, maximum, u16),
        PAIR(minimum, maximum, u32), PAIR(minimum, maximum, u64), PAIR(minimum, maximum, f32),
        PAIR(minimum, maximum, f64)};
#undef PAIR
    bool order = op == RED_MIN || op == RED_MAX;
    return (order ? orders : sums)[t][op == RED_PROD || op == RED_MAX];
}

/* ---- carries: the scan of totals, one at a time ---- */

/* Totals pushed so far at one level: the segment's own, the tile's segments before it, the carry of
 * the tile from the level above. */
typedef struct Carry {
    int64_t n;
    char own[16], before[16], carry[16];
} Carry;

/* Push total x; out receives everything up to it. The level above is pushed when a tile is full. */
static void carry_push(Carry *level, Loop op, size_t item, const void *x, void *out) {
    char up[16];
    memcpy(up, x, item);
    for (int l = 0; l < LEVELS; l++) {
        Carry *c = &level[l];
        int64_t place = c->n % TILE;
        if (place % SEGMENT == 0)
            memcpy(c->own, up, item);
        else
            op(1, c->own, c->own, up, NULL);
        if (l == 0) {
            memcpy(out, c->own, item);
            if (place >= SEGMENT) op(1, out, c->before, out, NULL);
            if (c->n >= TILE) op(1, out, c->carry, out, NULL);
        }
        c->n++;
        if (c->n % SEGMENT != 0) return;
        if (place < SEGMENT)
            memcpy(c->before, c->own, item);
        else
            op(1, c->before, c->before, c->own, NULL);
        if (c->n % TILE != 0) return;
        /* the tile is full: its total goes up, what comes down is the next tile's carry */
        memcpy(up, c->before, item);
        Carry *above = &level[l + 1];
        if (l + 1 == LEVELS) return;
        int64_t spot = above->n % TILE;
        char sum[16];
        memcpy(sum, up, item);
        if (spot % SEGMENT != 0) op(1, sum, above->own, sum, NULL);
        if (spot >= SEGMENT) op(1, sum, above->before, sum, NULL);
        if (above->n >= TILE) op(1, sum, above->carry, sum, NULL);
        memcpy(c->carry, sum, item);
    }
}

/* ---- lines ---- */

typedef struct Scan {
    Device *d;
    const LoopSet *loops;
    DType in_type, out_type, type; /* type: what is scanned */
    Loop op;                       /* of type */
    TileScan tile;
    AxisShape s;
    const char *in;
    char *out;
    bool direct;         /* elements lie as they are scanned */
    int64_t abreast;     /* neighbouring lines that a thread takes together */
    char *scratch;       /* of the threads, where not direct */
    size_t scratch_each; /* tiles of those lines, two of them of the widest element */
    /* the group in work */
    int64_t line, first, tiles;
    char *totals, *carries; /* [tile of the group]; carries[t] is what precedes tile t */
    int pass;
    int64_t part;
} Scan;

/* What run_tiles does with a tile. */
enum { ONLY_TOTAL, WITH_CARRY };

static int64_t line_start(const Scan *c, int64_t line) {
    return line / c->s.inner * c->s.axis * c->s.inner + line % c->s.inner;
}

/* n elements of k neighbouring lines to or from one line after another. */
#define TRANSPOSE(name, T)                                                                       \
    static void name(char *lines, char *memory, int64_t stride, int64_t n, int64_t k, bool in) { \
        T *q = (T *)(void *)lines, *p = (T *)(void *)memory;                                     \
        for (int64_t i = 0; i < n && in; i++)                                                    \
            for (int64_t l = 0; l < k; l++) q[l * n + i] = p[i * stride + l];                    \
        for (int64_t i = 0; i < n && !in; i++)                                                   \
            for (int64_t l = 0; l < k; l++) p[i * stride + l] = q[l * n + i];                    \
    }
TRANSPOSE(transpose8, uint8_t)
TRANSPOSE(transpose16, uint16_t)
TRANSPOSE(transpose32, uint32_t)
TRANSPOSE(transpose64, uint64_t)
TRANSPOSE(transpose128, Complex128)

static void transpose(char *lines, char *memory, int64_t stride, size_t item, int64_t n, int64_t k,
                      bool in) {
    switch (item) {
    case 1: transpose8(lines, memory, stride, n, k, in); break;
    case 2: transpose16(lines, memory, stride, n, k, in); break;
    case 4: transpose32(lines, memory, stride, n, k, in); break;
    case 8: transpose64(lines, memory, stride, n, k, in); break;
    default: transpose128(lines, memory, stride, n, k, in); break;
    }
}

/* Casts all lines' elements between two buffers; answers where they are then. */
static char *convert(const Scan *c, DType from, DType to, int64_t n, char *a, char *b) {
    while (from != to) {
        DType next = cast_next(from, to);
        c->loops->cast[from][next]((size_t)n, b, a, NULL, NULL);
        char *t = a;
        a = b, b = t;
        from = next;
    }
    return a;
}

/* Tile number `tile` of k lines from `line`. carry: of line l at l * 16, NULL in the first tile. */
static void run_tiles(const Scan *c, int thread, int64_t line, int64_t k, int64_t tile,
                      const char *carry, int pass, char *total) {
    int64_t at = tile * TILE, n = c->s.axis - at < TILE ? c->s.axis - at : TILE;
    int64_t start = line_start(c, line) + at * c->s.inner;
    size_t in_item = dtype_size(c->in_type), out_item = dtype_size(c->out_type);
    char *in = (char *)c->in + (size_t)start * in_item, *out = c->out + (size_t)start * out_item;
    bool write = pass == WITH_CARRY;
    if (c->direct) {
        c->tile(in, out, n, carry, write, total);
        return;
    }
    char *a = c->scratch + (size_t)thread * c->scratch_each, *b = a + c->scratch_each / 2;
    transpose(a, in, c->s.inner, in_item, n, k, true);
    char *v = convert(c, c->in_type, c->type, k * n, a, b);
    for (int64_t l = 0; l < k; l++) {
        char *x = v + (size_t)(l * n) * dtype_size(c->type);
        c->tile(x, x, n, carry ? carry + l * 16 : NULL, write, total + l * 16);
    }
    if (!write) return;
    char *other = v == a ? b : a;
    DType from = c->out_type == DT_bool && c->type == DT_u8 ? DT_bool : c->type;
    v = convert(c, from, c->out_type, k * n, v, other);
    transpose(v, out, c->s.inner, out_item, n, k, false);
}

/* ---- a long line: its tiles on all threads, group by group ----
 * Where elements lie as they are scanned, a tile is written without its carry, which joins in a
 * second pass while the group is still in the cache. Elsewhere rounding forbids that: the first
 * pass finds the totals alone. */

static int first_pass(void *ctx, int64_t part, int thread) {
    Scan *c = ctx;
    size_t item = dtype_size(c->type);
    for (int64_t t = part * c->part; t < (part + 1) * c->part && t < c->tiles; t++)
        run_tiles(c, thread, c->line, 1, c->first + t, NULL, c->direct ? WITH_CARRY : ONLY_TOTAL,
                  c->totals + (size_t)t * item);
    return 0;
}

static int second_pass(void *ctx, int64_t part, int thread) {
    Scan *c = ctx;
    size_t item = dtype_size(c->type);
    char total[16], block[512 * 16];
    for (int64_t t = part * c->part; t < (part + 1) * c->part && t < c->tiles; t++) {
        const char *carry = c->carries + (size_t)t * item;
        int64_t at = (c->first + t) * TILE, n = c->s.axis - at < TILE ? c->s.axis - at : TILE;
        if (!c->direct) {
            run_tiles(c, thread, c->line, 1, c->first + t, at ? carry : NULL, WITH_CARRY, total);
            continue;
        }
        char *out = c->out + (size_t)(line_start(c, c->line) + at) * item;
        if (at == 0) continue;
        access_fill(block, item, 512, carry);
        for (int64_t i = 0; i < n; i += 512, out += 512 * item)
            c->op(n - i < 512 ? (size_t)(n - i) : 512, out, block, out, NULL);
    }
    return 0;
}

static Status scan_line(Scan *c, int64_t line, int64_t tiles) {
    Carry level[LEVELS];
    char carry[16] = {0};
    size_t item = dtype_size(c->type);
    memset(level, 0, sizeof level);
    c->line = line;
    c->part = 8;
    for (c->first = 0; c->first < tiles; c->first += GROUP) {
        c->tiles = tiles - c->first < GROUP ? tiles - c->first : GROUP;
        int64_t parts = (c->tiles + c->part - 1) / c->part;
        TRY(c->d->ops->parallel(c->d, first_pass, c, parts, NULL));
        for (int64_t t = 0; t < c->tiles; t++) {
            memcpy(c->carries + (size_t)t * item, carry,
                   item); /* of the line's first tile: unused */
            carry_push(level, c->op, item, c->totals + (size_t)t * item, carry);
        }
        TRY(c->d->ops->parallel(c->d, second_pass, c, parts, NULL));
    }
    return ARR_OK;
}

/* ---- many lines: each on one thread, its tiles in order ---- */

static void scan_bundle(const Scan *c, int thread, int64_t line, int64_t k) {
    int64_t tiles = (c->s.axis + TILE - 1) / TILE;
    Carry level[ABREAST_MOST][LEVELS];
    char total[ABREAST_MOST * 16], carry[ABREAST_MOST * 16];
    if (tiles > 1) memset(level, 0, sizeof level);
    for (int64_t t = 0; t < tiles && !device_stopped(c->d); t++) {
        run_tiles(c, thread, line, k, t, t ? carry : NULL, WITH_CARRY, total);
        for (int64_t l = 0; l < k && t + 1 < tiles; l++)
            carry_push(level[l], c->op, dtype_size(c->type), total + l * 16, carry + l * 16);
    }
}

/* Bundles of neighbouring lines, those at the end of an outer row thinner. */
static int lines_part(void *ctx, int64_t part, int thread) {
    Scan *c = ctx;
    int64_t bundles = (c->s.inner + c->abreast - 1) / c->abreast, all = bundles * c->s.outer;
    for (int64_t b = part * c->part; b < (part + 1) * c->part && b < all; b++) {
        int64_t i = b % bundles * c->abreast, left = c->s.inner - i;
        scan_bundle(c, thread, b / bundles * c->s.inner + i, left < c->abreast ? left : c->abreast);
    }
    return device_stopped(c->d);
}

static Status scan_all(Scan *c) {
    int64_t lines = c->s.outer * c->s.inner, tiles = (c->s.axis + TILE - 1) / TILE;
    if (tiles < 16 || lines >= 4 * c->d->ops->threads(c->d)) {
        int64_t n = c->s.axis < 1 << 15 ? c->s.axis : 1 << 15;
        int64_t bundles = (c->s.inner + c->abreast - 1) / c->abreast * c->s.outer;
        c->part =
            part_size(c->d, bundles, 1, n * c->abreast < 1 << 15 ? n * c->abreast * 4 : 1 << 17);
        return c->d->ops->parallel(c->d, lines_part, c, (bundles + c->part - 1) / c->part, NULL);
    }
    for (int64_t line = 0; line < lines; line++) TRY(scan_line(c, line, tiles));
    return ARR_OK;
}

Status native_cpu_scan(Device *d, ReduceKind op, DType d_in, DType d_out, AxisShape s,
                       const void *in, void *out) {
    if (s.outer == 0 || s.axis == 0 || s.inner == 0) return ARR_OK;
    static const Op ops[] = {
        [RED_SUM] = OP_add, [RED_PROD] = OP_mul, [RED_MIN] = OP_minimum, [RED_MAX] = OP_maximum};
    Scan c = {.d = d, .loops = loops_cpu(), .in_type = d_in, .out_type = d_out, .s = s};
    c.type = scan_type(op, d_out);
    c.tile = tile_scan(op, c.type);
    c.op = dtype_is_complex(c.type) ? loops_complex[c.type == DT_c128][ops[op]]
                                    : c.loops->op[c.type][ops[op]];
    c.in = in;
    c.out = out;
    c.direct = s.inner == 1 && d_in == c.type && d_out == c.type;
    c.abreast = s.inner < ABREAST_MOST ? s.inner : ABREAST_MOST;
    /* | totals of a group | carries | tiles of a thread's lines, twice | */
    size_t totals = GROUP * sizeof(Complex128);
    c.scratch_each = c.direct ? 0 : 2 * (size_t)c.abreast * TILE * sizeof(Complex128);
    size_t bytes = 2 * totals + c.scratch_each * (size_t)d->ops->threads(d);
    void *memory;
    TRY(d->ops->alloc(d, bytes, &memory));
    c.totals = memory;
    c.carries = c.totals + totals;
    c.scratch = c.carries + totals;
    d->stats.launches++;
    Status st = scan_all(&c);
    d->ops->release(d, memory, bytes);
    return st;
}
