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

enum { SEGMENT = 32, TILE = 4096, GROUP = 512, ABREAST = 8, LEVELS = 6 };

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
    Loop op;                       /* of type, for carries */
    TileScan tile;
    AxisShape s;
    const char *in;
    char *out;
    bool direct;         /* elements lie as they are scanned */
    char *scratch;       /* of the threads, where not direct */
    size_t scratch_each; /* two buffers of a tile of the widest element */
    /* the group in work */
    int64_t line, first, tiles;
    char *totals, *carries; /* [tile of the group]; carries[t] is what precedes tile t */
    bool write;
    int64_t part;
} Scan;

static int64_t line_start(const Scan *c, int64_t line) {
    return line / c->s.inner * c->s.axis * c->s.inner + line % c->s.inner;
}

static void gather(const char *in, int64_t stride, size_t item, int64_t n, char *out) {
    for (int64_t i = 0; i < n; i++)
        memcpy(out + (size_t)i * item, in + (size_t)(i * stride) * item, item);
}

static void scatter(char *out, int64_t stride, size_t item, int64_t n, const char *in) {
    for (int64_t i = 0; i < n; i++)
        memcpy(out + (size_t)(i * stride) * item, in + (size_t)i * item, item);
}

/* Casts a tile's elements between two buffers; answers where they are then. */
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

static void run_tile(const Scan *c, int thread, int64_t line, int64_t tile, const void *carry,
                     bool write, void *total) {
    int64_t at = tile * TILE, n = c->s.axis - at < TILE ? c->s.axis - at : TILE;
    int64_t start = line_start(c, line) + at * c->s.inner;
    size_t in_item = dtype_size(c->in_type), out_item = dtype_size(c->out_type);
    const char *in = c->in + (size_t)start * in_item;
    char *out = c->out + (size_t)start * out_item;
    if (c->direct) {
        c->tile(in, out, n, carry, write, total);
        return;
    }
    char *a = c->scratch + (size_t)thread * c->scratch_each, *b = a + c->scratch_each / 2;
    gather(in, c->s.inner, in_item, n, a);
    char *v = convert(c, c->in_type, c->type, n, a, b);
    c->tile(v, v, n, carry, write, total);
    if (!write) return;
    char *other = v == a ? b : a;
    v = convert(c, c->type == DT_u8 && c->out_type == DT_bool ? DT_bool : c->type, c->out_type, n,
                v, other);
    scatter(out, c->s.inner, out_item, n, v);
}

static int group_part(void *ctx, int64_t part, int thread) {
    Scan *c = ctx;
    size_t item = dtype_size(c->type);
    char total[16];
    for (int64_t t = part * c->part; t < (part + 1) * c->part && t < c->tiles; t++) {
        bool begins = c->first + t == 0;
        run_tile(c, thread, c->line, c->first + t, begins ? NULL : c->carries + (size_t)t * item,
                 c->write, c->write ? total : c->totals + (size_t)t * item);
    }
    return 0;
}

/* A long line: its tiles on all threads, group by group. */
static Status scan_line(Scan *c, int64_t line, int64_t tiles) {
    Carry level[LEVELS];
    char carry[16];
    size_t item = dtype_size(c->type);
    memset(level, 0, sizeof level);
    c->line = line;
    for (c->first = 0; c->first < tiles; c->first += GROUP) {
        c->tiles = tiles - c->first < GROUP ? tiles - c->first : GROUP;
        c->part = 8;
        int64_t parts = (c->tiles + c->part - 1) / c->part;
        c->write = false;
        TRY(c->d->ops->parallel(c->d, group_part, c, parts, NULL));
        for (int64_t t = 0; t < c->tiles; t++) {
            memcpy(c->carries + (size_t)t * item, carry,
                   item); /* of the line's first tile: unused */
            carry_push(level, c->op, item, c->totals + (size_t)t * item, carry);
        }
        c->write = true;
        TRY(c->d->ops->parallel(c->d, group_part, c, parts, NULL));
    }
    return ARR_OK;
}

/* Many lines: each on one thread, its tiles in order. */
static int lines_part(void *ctx, int64_t part, int thread) {
    Scan *c = ctx;
    int64_t tiles = (c->s.axis + TILE - 1) / TILE, lines = c->s.outer * c->s.inner;
    size_t item = dtype_size(c->type);
    for (int64_t line = part * c->part; line < (part + 1) * c->part && line < lines; line++) {
        Carry level[LEVELS];
        char total[16], carry[16];
        if (tiles > 1) memset(level, 0, sizeof level);
        for (int64_t t = 0; t < tiles; t++) {
            run_tile(c, thread, line, t, t ? carry : NULL, true, total);
            if (t + 1 < tiles) carry_push(level, c->op, item, total, carry);
        }
    }
    return 0;
}

static Status scan_all(Scan *c) {
    int64_t lines = c->s.outer * c->s.inner, tiles = (c->s.axis + TILE - 1) / TILE;
    if (tiles < 16 || lines >= 4 * c->d->ops->threads(c->d)) {
        int64_t cost = c->s.axis < 1 << 15 ? c->s.axis : 1 << 15;
        c->part = part_size(c->d, lines, 1, cost);
        return c->d->ops->parallel(c->d, lines_part, c, (lines + c->part - 1) / c->part, NULL);
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
    /* | totals of a group | carries | two tiles a thread | */
    size_t totals = GROUP * sizeof(Complex128);
    c.scratch_each = c.direct ? 0 : 2 * TILE * sizeof(Complex128);
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
