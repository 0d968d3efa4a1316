/* native_cuda_sort - a stable radix sort, least significant digit first: through CUB where its
 * library is there (device op sort), else by our own passes of 8 bits.
 *
 * Callers: kernel.c. All rows are sorted as one array of (key, index) pairs: first by the digits of
 * the key, then by those of the row's number, which stability turns into the order of rows. Values
 * are fetched through the sorted indices, so that zeros keep their sign and nans their bits. Values
 * alone of one row are sorted as they are, with nans that come last.
 * Invariant: equal elements stay in their order, in both directions. */
#include "kernels/native_cuda.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SORT_TILE = 8192, DIGITS = 256 };

typedef struct Sort {
    Kernels *k;
    Device *d;
    AxisShape s;
    int64_t n, tiles;
    const char *key_type, *index_type;
    size_t key_size, index_size;
    void *key[2], *index[2]; /* from and to of a pass; swapped */
    int64_t *count;          /* digits by tiles */
    bool by_library;         /* the device op sorts */
} Sort;

/* What kernels must know of a dtype: an element is taken as its bits. */
typedef struct KeyText {
    const char *bits;                 /* their type */
    char sign[24], infinity[24];      /* as constants */
    char order[NATIVE_TEXT], nan[96]; /* of element x: its key, increasing with x; is it a nan? */
} KeyText;

static void key_text(DType t, const char *key_type, KeyText *out) {
    static const Scalar endless = {.kind = SC_FLOAT, .f = INFINITY};
    uint64_t infinity = 0;
    int bits = (int)dtype_size(t) * 8;
    out->bits = native_item_type(dtype_size(t));
    snprintf(out->sign, sizeof out->sign, "0x%llxull", 1ull << (bits - 1));
    snprintf(out->infinity, sizeof out->infinity, "0");
    snprintf(out->nan, sizeof out->nan, "false");
    switch (dtype_kind(t)) {
    case DK_INT:
        snprintf(out->order, sizeof out->order, "(%s)x ^ (%s)%s", key_type, key_type, out->sign);
        break;
    case DK_FLOAT:
        scalar_store(&endless, t, &infinity);
        snprintf(out->infinity, sizeof out->infinity, "0x%llxull", (unsigned long long)infinity);
        snprintf(out->order, sizeof out->order, "float_order%d(x)", bits);
        snprintf(out->nan, sizeof out->nan, "(%s)(x & ~%s) > %s", out->bits, out->sign,
                 out->infinity);
        break;
    default: snprintf(out->order, sizeof out->order, "x"); break;
    }
}

static void swap(Sort *q) {
    void *key = q->key[0], *index = q->index[0];
    q->key[0] = q->key[1], q->index[0] = q->index[1];
    q->key[1] = key, q->index[1] = index;
}

static Status pass(Sort *q, int shift, int by_segment) {
    Native count = {
        "sort_count", {{"key", q->key_type}, {"index", q->index_type}, {NULL, NULL}}, false};
    Native scatter = count;
    scatter.file = "sort_scatter";
    void *count_params[] = {&q->key[0], &q->index[0], &q->n,     &shift,   &by_segment,
                            &q->s.axis, &q->s.inner,  &q->count, &q->tiles};
    void *scatter_params[] = {&q->key[0],  &q->index[0], &q->key[1],  &q->index[1],
                              &q->n,       &shift,       &by_segment, &q->s.axis,
                              &q->s.inner, &q->count,    &q->tiles};
    AxisShape bins = {1, DIGITS * q->tiles, 1};
    TRY(native_launch(q->k, q->d, &count, q->tiles, DIGITS, count_params));
    TRY(native_cuda_scan(q->k, q->d, RED_SUM, DT_i64, DT_i64, bins, q->count, q->count));
    TRY(native_launch(q->k, q->d, &scatter, q->tiles, DIGITS, scatter_params));
    swap(q);
    return ARR_OK;
}

static int bits_of(int64_t n) { /* of the numbers below n */
    int bits = 0;
    while (bits < 63 && (n - 1) >> bits > 0) bits++;
    return bits;
}

/* By the keys' low bits. by_library false afterwards: there is none, and nothing was done. */
static Status library_pass(Sort *q, int bits) {
    DevSort s = {.values = true,
                 .size = (int)q->key_size,
                 .value_size = (int)q->index_size,
                 .bits = bits,
                 .n = q->n,
                 .key = {q->key[0], q->key[1]},
                 .value = {q->index[0], q->index[1]}};
    TRY(q->d->ops->sort(q->d, &s, &q->by_library));
    if (q->by_library && s.where == 1) swap(q);
    return ARR_OK;
}

/* Then by rows: their numbers become the keys. */
static Status library_rows(Sort *q, int64_t rows) {
    Native n = {"sort_rows", {{"key", q->key_type}, {"index", q->index_type}, {NULL, NULL}}, false};
    void *params[] = {&q->index[0], &q->n, &q->s.axis, &q->s.inner, &q->key[0]};
    if (rows <= 1) return ARR_OK;
    TRY(native_launch(q->k, q->d, &n, native_blocks(q->n), BLOCK, params));
    return library_pass(q, bits_of(rows));
}

static Status own_passes(Sort *q, DType t, int64_t rows) {
    size_t counts = (size_t)(DIGITS * q->tiles) * sizeof(int64_t);
    TRY(q->d->ops->alloc(q->d, counts, (void **)&q->count));
    Status s = ARR_OK;
    for (int shift = 0; shift < (int)dtype_size(t) * 8 && s == ARR_OK; shift += 8)
        s = pass(q, shift, 0);
    for (int shift = 0; shift < bits_of(rows) && s == ARR_OK; shift += 8) s = pass(q, shift, 1);
    q->d->ops->release(q->d, q->count, counts);
    return s;
}

static Status sort_pairs(Sort *q, DType t, bool descending, const void *in) {
    KeyText x;
    key_text(t, q->key_type, &x);
    Native keys = {"sort_keys",
                   {{"bits", x.bits},
                    {"key", q->key_type},
                    {"index", q->index_type},
                    {"order", x.order},
                    {"nan", x.nan},
                    {"descending", descending ? "true" : "false"},
                    {NULL, NULL}},
                   false};
    void *params[] = {&in, &q->n, &q->key[0], &q->index[0]};
    TRY(native_launch(q->k, q->d, &keys, native_blocks(q->n), BLOCK, params));
    int64_t rows = q->s.outer * q->s.inner;
    if (q->d->ops->sort) TRY(library_pass(q, (int)dtype_size(t) * 8));
    return q->by_library ? library_rows(q, rows) : own_passes(q, t, rows);
}

static Status finish(Sort *q, DType t, const void *in, void *values, int64_t *positions) {
    Native n = {"sort_finish",
                {{"bits", native_item_type(dtype_size(t))}, {"index", q->index_type}, {NULL, NULL}},
                false};
    void *params[] = {&in, &q->index[0], &q->n, &q->s.axis, &q->s.inner, &values, &positions};
    return native_launch(q->k, q->d, &n, native_blocks(q->n), BLOCK, params);
}

static Status scratch(Sort *q, size_t bytes, void **out) {
    return q->d->ops->alloc(q->d, bytes, out);
}

static void give_back(Sort *q, void *p, size_t bytes) {
    if (p) q->d->ops->release(q->d, p, bytes);
}

/* ---- values alone, as they are ---- */

static char library_kind(DType t) {
    switch (dtype_kind(t)) {
    case DK_INT: return 'i';
    case DK_UINT: return 'u';
    case DK_FLOAT: return 'f';
    default: return 0;
    }
}

/* out NULL: answers whether a nan's bits would not come last, and waits for it; else *from, copied
 * there, with nans that do. */
static Status mend_nans(Kernels *k, Device *d, DType t, int64_t n, bool descending,
                        const void *from, void *out, bool *found) {
    KeyText x;
    uint32_t answer = 0;
    void *flag;
    key_text(t, "xu64", &x);
    Native mend = {"sort_nans",
                   {{"bits", x.bits},
                    {"sign", x.sign},
                    {"infinity", x.infinity},
                    {"descending", descending ? "true" : "false"},
                    {NULL, NULL}},
                   false};
    TRY(d->ops->alloc(d, sizeof answer, &flag));
    void *params[] = {&from, &n, &flag, &out};
    Status s = out ? ARR_OK : d->ops->zero(d, flag, sizeof answer);
    if (s == ARR_OK) s = native_launch(k, d, &mend, native_blocks(n / 16), BLOCK, params);
    if (s == ARR_OK && !out) s = d->ops->download(d, &answer, flag, sizeof answer);
    d->ops->release(d, flag, sizeof answer);
    *found = answer != 0;
    return s;
}

/* The library takes zeros of both signs for equal and leaves them in their order, as it should;
 * nans it sorts by their bits. */
static Status sort_values(Kernels *k, Device *d, DType t, int64_t n, bool descending,
                          const void *in, void *out, bool *done) {
    DevSort s = {.descending = descending,
                 .kind = library_kind(t),
                 .size = (int)dtype_size(t),
                 .n = n,
                 .key = {(void *)(uintptr_t)in, out}};
    size_t bytes = (size_t)n * dtype_size(t);
    bool nans = false;
    *done = false;
    if (!d->ops->sort || !s.kind || s.size < 4) return ARR_OK;
    if (s.kind == 'f') TRY(mend_nans(k, d, t, n, descending, in, NULL, &nans));
    if (!nans) return d->ops->sort(d, &s, done);
    TRY(d->ops->alloc(d, bytes, &s.key[0]));
    Status st = mend_nans(k, d, t, n, descending, in, s.key[0], &nans);
    if (st == ARR_OK) st = d->ops->sort(d, &s, done);
    d->ops->release(d, s.key[0], bytes);
    return st;
}

Status native_cuda_sort(Kernels *k, Device *d, DType t, AxisShape s, bool descending,
                        const void *in, void *out_values, int64_t *out_index) {
    Sort q;
    bool done = false;
    memset(&q, 0, sizeof q);
    q.k = k, q.d = d, q.s = s;
    q.n = s.outer * s.axis * s.inner;
    if (q.n == 0) return ARR_OK;
    if (dtype_is_complex(t))
        return error_set(k->cx, ARR_ERR_DTYPE, k->cx->span, "%s has no order", dtype_name(t));
    if (!out_index && s.axis == q.n)
        TRY(sort_values(k, d, t, q.n, descending, in, out_values, &done));
    if (done) return ARR_OK;
    bool wide_index = q.n > UINT32_MAX, wide_key = dtype_size(t) > 4 || wide_index;
    q.key_type = wide_key ? "xu64" : "xu32", q.key_size = wide_key ? 8 : 4;
    q.index_type = wide_index ? "xi64" : "xu32", q.index_size = wide_index ? 8 : 4;
    q.tiles = (q.n + SORT_TILE - 1) / SORT_TILE;
    size_t keys = (size_t)q.n * q.key_size, indices = (size_t)q.n * q.index_size;
    Status st = scratch(&q, keys, &q.key[0]);
    if (st == ARR_OK) st = scratch(&q, keys, &q.key[1]);
    if (st == ARR_OK) st = scratch(&q, indices, &q.index[0]);
    if (st == ARR_OK) st = scratch(&q, indices, &q.index[1]);
    if (st == ARR_OK) st = sort_pairs(&q, t, descending, in);
    if (st == ARR_OK) st = finish(&q, t, in, out_values, out_index);
    for (int i = 0; i < 2; i++) {
        give_back(&q, q.key[i], keys);
        give_back(&q, q.index[i], indices);
    }
    return st;
}
