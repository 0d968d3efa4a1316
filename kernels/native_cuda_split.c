/* native_cuda_split - f32 products on the tensor cores at the accuracy of f32.
 *
 * Callers: runtime/exec_struct, for f32 at PRECISION_HIGH. Each row of A and column of B is scaled
 * by a power of two and written as the sum of two halves; of the four products of parts the one of
 * the two low parts is below what f32 keeps:
 *
 *     A: | low high high | low high high | ...       chunks of PART_CHUNK elements of the inner
 * extent, B: | high low high | high low high | ...       three times as long
 *
 * The tensor cores' sums are truncated, so a chunk's sum is short and is added to C in f32. Pieces
 * of C stay in the GPU's cache from one chunk to the next. Invariant: what decides between this and
 * the product as it is are shapes, room, and infinities and nans in the operands. */
#include "kernels/native_cuda.h"

#define CHUNK_TEXT "256" /* for the templates */
enum { PART_CHUNK = 256, PIECE_ROWS = 2048, PIECE_COLUMNS = 4096 };

typedef struct Side {
    const float *x;
    int64_t vectors, k, step; /* rows of A or columns of B; from one to the next, or of elements */
    bool across;              /* a vector's neighbours in memory are other vectors */
    int right;                /* it is B */
    int64_t wide, ld;         /* k and vectors, rounded up to what the library takes quickly */
    char *parts;
    int32_t *power; /* one a vector */
    uint32_t *most; /* one a vector, where across */
} Side;

typedef struct Split {
    Side a, b;
    char *memory;
    size_t bytes;
    int32_t *odd;
    float *sum; /* C scaled: C itself where its rows are aligned, as the library likes them */
    int64_t sum_row;
} Split;

static int64_t up8(int64_t n) { return (n + 7) / 8 * 8; }

static size_t room(size_t n) { return (n + 255) / 256 * 256; }

static size_t part_bytes(const Side *s) {
    return room(3 * 2 * (size_t)s->wide * (size_t)(s->across ? s->ld : s->vectors));
}

/* Everything in one piece of memory; without it `memory` is NULL. */
static void take_memory(Kernels *k, Device *d, const DevMatmul *m, Split *s) {
    size_t pa = part_bytes(&s->a), pb = part_bytes(&s->b);
    size_t va = room(4 * (size_t)s->a.vectors), vb = room(4 * (size_t)s->b.vectors);
    bool aligned = (uintptr_t)m->c % 16 == 0 && m->c_row % 4 == 0 && m->c_batch % 4 == 0;
    size_t sum = aligned ? 0 : room(4 * (size_t)m->m * (size_t)up8(m->n));
    s->bytes = pa + pb + 2 * (va + vb) + sum + 256;
    if (d->ops->alloc(d, s->bytes, (void **)&s->memory) != ARR_OK) {
        error_clear(k->cx);
        s->memory = NULL;
        return;
    }
    char *p = s->memory;
    s->odd = (int32_t *)(void *)p, p += 256;
    s->a.most = (uint32_t *)(void *)p, p += va;
    s->b.most = (uint32_t *)(void *)p, p += vb;
    s->a.power = (int32_t *)(void *)p, p += va;
    s->b.power = (int32_t *)(void *)p, p += vb;
    s->a.parts = p, p += pa;
    s->b.parts = p, p += pb;
    s->sum = sum ? (float *)(void *)p : NULL;
    s->sum_row = sum ? up8(m->n) : m->c_row;
}

/* ---- splitting ---- */

static Status split_rows(Kernels *k, Device *d, Split *p, Side *s) {
    Native n = {"split_rows", {{"chunk", CHUNK_TEXT}, {NULL, NULL}}, false};
    void *params[] = {&s->x, &s->parts, &s->power, &p->odd,  &s->vectors,
                      &s->k, &s->wide,  &s->step,  &s->right};
    return native_launch(k, d, &n, s->vectors, BLOCK, params);
}

static Status split_columns(Kernels *k, Device *d, Split *p, Side *s) {
    Native most = {"split_most", {{NULL, NULL}}, false};
    Native write = {"split_columns", {{"chunk", CHUNK_TEXT}, {NULL, NULL}}, false};
    void *mp[] = {&s->x, &s->most, &s->vectors, &s->k, &s->step};
    void *wp[] = {&s->x, &s->parts, &s->most, &s->power, &p->odd,  &s->vectors,
                  &s->k, &s->wide,  &s->ld,   &s->step,  &s->right};
    int64_t tiles = (s->vectors + 63) / 64 * ((s->k + 511) / 512);
    TRY(native_launch(k, d, &most, tiles, BLOCK, mp));
    tiles = (s->ld + 127) / 128 * ((s->wide + 31) / 32);
    return native_launch(k, d, &write, tiles, BLOCK, wp);
}

static Status split(Kernels *k, Device *d, Split *p, Side *s) {
    return s->across ? split_columns(k, d, p, s) : split_rows(k, d, p, s);
}

/* ---- products of parts ---- */

/* Vectors from `first` of a chunk's parts, as the library sees them. */
static const void *part_at(const Side *s, int64_t first, int64_t chunk) {
    int64_t k = 3 * chunk;
    return s->parts + 2 * (s->across ? k * s->ld + first : first * 3 * s->wide + k);
}

static Status piece(Device *d, const DevMatmul *m, const Split *p, int64_t row, int64_t col) {
    const Side *a = &p->a, *b = &p->b;
    DevMatmul h = {.dtype = DT_f16,
                   .m = m->m - row < PIECE_ROWS ? m->m - row : PIECE_ROWS,
                   .n = m->n - col < PIECE_COLUMNS ? m->n - col : PIECE_COLUMNS,
                   .batch = 1,
                   .c = (p->sum ? p->sum : (float *)m->c) + row * p->sum_row + col,
                   .a_row = a->across ? 1 : 3 * a->wide,
                   .a_col = a->across ? a->ld : 1,
                   .b_row = b->across ? b->ld : 1,
                   .b_col = b->across ? 1 : 3 * b->wide,
                   .c_row = p->sum_row,
                   .widened = true};
    for (int64_t at = 0; at < a->wide; at += PART_CHUNK) {
        h.k = 3 * (a->wide - at < PART_CHUNK ? a->wide - at : PART_CHUNK);
        h.a = part_at(a, row, at);
        h.b = part_at(b, col, at);
        h.added = at > 0;
        TRY(d->ops->matmul(d, &h));
    }
    return ARR_OK;
}

static Status unscale(Kernels *k, Device *d, const DevMatmul *m, Split *p) {
    Native n = {"split_scale", {{NULL, NULL}}, false};
    DevMatmul q = *m;
    void *sum = p->sum ? p->sum : q.c;
    int32_t vector = !p->sum;
    void *params[] = {&sum,        &p->sum_row, &q.c, &q.c_row, &p->a.power,
                      &p->b.power, &q.m,        &q.n, &vector};
    return native_launch(k, d, &n, (m->n + 1023) / 1024 * ((m->m + 7) / 8), BLOCK, params);
}

/* *odd: an operand is not finite, and nothing was done. The products wait for the answer: it costs
 * less than a product in vain. */
static Status multiply(Kernels *k, Device *d, const DevMatmul *m, Split *p, bool again,
                       int32_t *odd) {
    if (!again) {
        TRY(d->ops->zero(d, p->odd, (size_t)(p->a.parts - p->memory)));
        TRY(split(k, d, p, &p->a));
        TRY(split(k, d, p, &p->b));
        TRY(d->ops->download(d, odd, p->odd, sizeof *odd));
    }
    if (*odd) return ARR_OK;
    for (int64_t i = 0; i < m->m; i += PIECE_ROWS)
        for (int64_t j = 0; j < m->n; j += PIECE_COLUMNS) TRY(piece(d, m, p, i, j));
    return unscale(k, d, m, p);
}

static Side left_side(const DevMatmul *m) {
    Side s = {.vectors = m->m, .k = m->k, .across = m->a_col != 1};
    s.step = s.across ? m->a_col : m->a_row;
    s.wide = up8(m->k), s.ld = up8(m->m);
    return s;
}

static Side right_side(const DevMatmul *m) {
    Side s = {.vectors = m->n, .k = m->k, .across = m->b_row != 1, .right = 1};
    s.step = s.across ? m->b_row : m->b_col;
    s.wide = up8(m->k), s.ld = up8(m->n);
    return s;
}

/* One product after the other: their operands are large. */
static Status all_products(Kernels *k, Device *d, const DevMatmul *m, Split *p) {
    int32_t odd = 0;
    for (int64_t z = 0; z < m->batch; z++) {
        DevMatmul one = *m;
        bool again = z > 0 && m->a_batch == 0 && m->b_batch == 0;
        one.a = (const float *)m->a + z * m->a_batch;
        one.b = (const float *)m->b + z * m->b_batch;
        one.c = (float *)m->c + z * m->c_batch;
        one.batch = 1;
        p->a.x = one.a, p->b.x = one.b;
        TRY(multiply(k, d, &one, p, again, &odd));
        if (odd) TRY(d->ops->matmul(d, &one));
    }
    return ARR_OK;
}

Status native_cuda_split_matmul(Kernels *k, Device *d, const DevMatmul *m) {
    Split p = {.a = left_side(m), .b = right_side(m)};
    if (m->m > 0 && m->n > 0 && m->k > 0) take_memory(k, d, m, &p);
    if (!p.memory) return d->ops->matmul(d, m);
    Status s = all_products(k, d, m, &p);
    d->ops->release(d, p.memory, p.bytes);
    return s;
}
