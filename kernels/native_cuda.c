/* native_cuda - native kernels on a GPU: scans, compaction, indexed writes, products.
 *
 * Callers: kernel.c. Each is a template in templates/ whose holes are element types and
 * expressions; sorting is native_cuda_sort.c.
 * Invariant: results do not depend on how threads are scheduled. */
#include "kernels/native_cuda.h"

#include <stdio.h>
#include <string.h>

enum {
    NATIVE_BLOCKS = 1 << 16,
    LAUNCH_BLOCKS = 1 << 20,
    SCAN_TILE = 4096,
    SCAN_GROUP = 32,
    SCAN_SHORT = 512
};

/* ---- launching ---- */

int64_t native_blocks(int64_t work) {
    int64_t n = (work + BLOCK - 1) / BLOCK;
    return n < 1 ? 1 : n > NATIVE_BLOCKS ? NATIVE_BLOCKS : n;
}

static void fill_native(const void *ctx, const char *hole, size_t n, Buf *out) {
    const Native *t = ctx;
    if (n == 4 && memcmp(hole, "name", 4) == 0) buf_printf(out, "arr_%s", t->file);
    for (const Hole *h = t->hole; h->name; h++)
        if (strlen(h->name) == n && memcmp(h->name, hole, n) == 0) buf_str(out, h->text);
}

static Status build_native(Kernels *k, Device *d, const Native *t, DevKernel **out) {
    Buf kernel, text;
    char file[80], name[64];
    snprintf(file, sizeof file, "kernels/templates/%s.cu", t->file);
    snprintf(name, sizeof name, "arr_%s", t->file);
    buf_init(&kernel, k->cx);
    buf_init(&text, k->cx);
    Status s = emit_template(k->cx, file, fill_native, t, &kernel);
    if (s == ARR_OK) s = emit_with_helpers(k->cx, &kernel, t->complex, &text);
    if (s == ARR_OK) s = cache_build(k->cache, d, k->key.data, k->key.len, text.data, name, out);
    buf_free(&kernel);
    buf_free(&text);
    return s;
}

Status native_launch(Kernels *k, Device *d, const Native *t, int64_t blocks, unsigned threads,
                     void **params) {
    DevKernel *kernel;
    if (!k->cache) TRY(cache_open(k->cx, &k->cache));
    buf_clear(&k->key);
    buf_str(&k->key, t->file);
    for (const Hole *h = t->hole; h->name; h++) buf_printf(&k->key, "|%s=%s", h->name, h->text);
    TRY(buf_status(&k->key));
    kernel = cache_find(k->cache, d, k->key.data, k->key.len);
    if (!kernel) TRY(build_native(k, d, t, &kernel));
    if (blocks > LAUNCH_BLOCKS) blocks = LAUNCH_BLOCKS; /* they loop */
    DevLaunch l = {{(unsigned)(blocks < 1 ? 1 : blocks), 1, 1}, {threads, 1, 1}, 0, params, false};
    return d->ops->launch(d, kernel, &l);
}

/* ---- a user's kernel ---- */

static Status refuse_user(Kernels *k, Status s) {
    char text[ERROR_MESSAGE_MAX];
    if (s != ARR_ERR_INTERNAL) return s;
    memcpy(text, k->cx->err.message, sizeof text);
    error_clear(k->cx);
    return error_set(k->cx, ARR_ERR_VALUE, k->cx->span, "%s", text);
}

Status kernel_user(Kernels *k, Device *d, const char *text, const char *name, const DevLaunch *l) {
    if (!d->ops->launch)
        return error_set(k->cx, ARR_ERR_DEVICE, k->cx->span, "%s needs a GPU", name);
    if (!k->cache) TRY(cache_open(k->cx, &k->cache));
    buf_clear(&k->key);
    buf_printf(&k->key, "user|%s|%s", name, text);
    TRY(buf_status(&k->key));
    DevKernel *kernel = cache_find(k->cache, d, k->key.data, k->key.len);
    if (!kernel) {
        Status s = cache_build(k->cache, d, k->key.data, k->key.len, text, name, &kernel);
        if (s != ARR_OK) return refuse_user(k, s);
    }
    return d->ops->launch(d, kernel, l);
}

/* ---- expressions ---- */

static Status cast_text(Cx *cx, DType from, DType to, const char *v, const char *wrap,
                        char out[NATIVE_TEXT]) {
    Buf b;
    buf_init(&b, cx);
    if (wrap) buf_printf(&b, "%s(", wrap);
    if (emit_value_type(from) == emit_value_type(to) && !dtype_is_half(to))
        buf_str(&b, v);
    else
        emit_cast(&b, from, to, v);
    if (wrap) buf_char(&b, ')');
    Status s = buf_status(&b);
    snprintf(out, NATIVE_TEXT, "%s", buf_text(&b));
    buf_free(&b);
    return s;
}

Status native_load_text(Cx *cx, DType memory, DType acc, const char *v, char out[NATIVE_TEXT]) {
    char value[32];
    snprintf(value, sizeof value, "%s_value(%s)", dtype_name(memory), v);
    return cast_text(cx, memory, acc, dtype_is_half(memory) ? value : v, NULL, out);
}

Status native_store_text(Cx *cx, DType acc, DType memory, const char *v, char out[NATIVE_TEXT]) {
    char bits[32];
    snprintf(bits, sizeof bits, "%s_bits", dtype_name(memory));
    if (!dtype_is_half(memory)) return cast_text(cx, acc, memory, v, NULL, out);
    return cast_text(cx, acc, DT_f32, v, bits, out); /* its rounding is the only one */
}

static DType accumulator(DType d) { return dtype_is_half(d) ? DT_f32 : d; }

/* ---- scans ---- */

static const char *scan_function(ReduceKind op) {
    switch (op) {
    case RED_PROD: return "x_mul";
    case RED_MIN: return "x_minimum";
    case RED_MAX: return "x_maximum";
    default: return "x_add";
    }
}

typedef struct Scan {
    ReduceKind op;
    DType in_type, out_type, acc;
    AxisShape s;
    const void *in;
    void *out;         /* NULL: totals only */
    void *totals;      /* one a tile */
    const void *carry; /* totals, scanned */
    int64_t tiles;
    char load[NATIVE_TEXT], store[NATIVE_TEXT];
} Scan;

static Status scan_kernel(Kernels *k, Scan *c, const char *file, Native *out) {
    TRY(native_load_text(k->cx, c->in_type, c->acc, "x", c->load));
    TRY(native_store_text(k->cx, c->acc, c->out_type, "v", c->store));
    *out = (Native){file,
                    {{"in", emit_memory_type(c->in_type)},
                     {"out", emit_memory_type(c->out_type)},
                     {"acc", emit_value_type(c->acc)},
                     {"op", scan_function(c->op)},
                     {"load", c->load},
                     {"store", c->store},
                     {NULL, NULL}},
                    dtype_is_complex(c->acc)};
    return ARR_OK;
}

static Status scan_launch(Kernels *k, Device *d, Scan *c) {
    Native n;
    TRY(scan_kernel(k, c, "scan_columns", &n));
    void *params[] = {&c->in,      &c->out,    &c->totals,  &c->carry,
                      &c->s.outer, &c->s.axis, &c->s.inner, &c->tiles};
    return native_launch(k, d, &n, native_blocks(c->s.outer * c->tiles * c->s.inner), BLOCK,
                         params);
}

/* ---- long rows: one launch ---- */

/* May rows of elements of d at p be accessed in vectors that fill 16 bytes of acc? */
static bool rows_aligned(const void *p, DType d, DType acc, AxisShape s) {
    size_t size = dtype_size(d), bytes = size * (16 / dtype_size(acc));
    size_t align = bytes < 16 ? bytes : 16;
    bool rows = s.outer == 1 || (size_t)s.axis * size % align == 0;
    return (uintptr_t)p % align == 0 && rows;
}

static Status scan_rows(Kernels *k, Device *d, Scan *c) {
    Native n;
    int64_t items = c->s.outer * c->tiles, upper = SCAN_TILE;
    int64_t groups = c->tiles / SCAN_GROUP + 1; /* and the one that whole ones end before */
    int64_t uppers = (c->tiles + upper - 1) / upper;
    int32_t vector = rows_aligned(c->in, c->in_type, c->acc, c->s) |
                     rows_aligned(c->out, c->out_type, c->acc, c->s) << 1;
    size_t words = dtype_size(c->acc) > 4 ? 2 : 1;
    int64_t lag = (int64_t)d->ops->multiprocessors(d) * 7 / (int64_t)words;
    if (lag > items) lag = items;
    size_t bytes = 16 + (size_t)(items + c->s.outer * (2 * groups + uppers)) * words * 8;
    void *posts = NULL;
    TRY(scan_kernel(k, c, "scan_tiles", &n));
    if (c->tiles > 1) TRY(d->ops->alloc(d, bytes, &posts));
    Status s = posts ? d->ops->zero(d, posts, bytes) : ARR_OK;
    void *params[] = {&c->in, &c->out, &posts,  &c->s.axis, &c->tiles,
                      &items, &groups, &uppers, &vector,    &lag};
    int64_t turns = posts ? 2 * items : items;
    if (s == ARR_OK) s = native_launch(k, d, &n, turns, SCAN_TILE / SCAN_GROUP, params);
    if (posts) d->ops->release(d, posts, bytes);
    return s;
}

/* ---- other lines ---- */

/* Levels: elements, tiles' totals, totals of those, ...; SCAN_TILE to one. Totals go up, then every
 * level is scanned in place with the one above it as carries. */
enum { SCAN_LEVELS = 6 };

typedef struct Level {
    void *totals;
    int64_t tiles;
} Level;

static Status scan_up(Kernels *k, Device *d, const Scan *first, Level *level, int *levels) {
    Scan c = *first;
    c.out = NULL;
    for (*levels = 0; c.s.axis > SCAN_TILE; (*levels)++) {
        Level *l = &level[*levels];
        l->tiles = c.tiles = (c.s.axis + SCAN_TILE - 1) / SCAN_TILE;
        size_t bytes = (size_t)(c.s.outer * c.tiles * c.s.inner) * dtype_size(c.acc);
        TRY(d->ops->alloc(d, bytes, &l->totals));
        c.totals = l->totals;
        Status s = scan_launch(k, d, &c);
        if (s != ARR_OK) {
            (*levels)++;
            return s;
        }
        c.in = l->totals, c.in_type = c.out_type = c.acc, c.s.axis = c.tiles;
    }
    return ARR_OK;
}

static Status scan_down(Kernels *k, Device *d, const Scan *first, const Level *level, int levels) {
    for (int i = levels; i >= 0; i--) {
        Scan c = *first;
        if (i > 0) {
            c.in = c.out = level[i - 1].totals;
            c.in_type = c.out_type = c.acc, c.s.axis = level[i - 1].tiles;
        }
        c.tiles = (c.s.axis + SCAN_TILE - 1) / SCAN_TILE;
        c.carry = i < levels ? level[i].totals : NULL;
        TRY(scan_launch(k, d, &c));
    }
    return ARR_OK;
}

Status native_cuda_scan(Kernels *k, Device *d, ReduceKind op, DType d_in, DType d_out, AxisShape s,
                        const void *in, void *out) {
    Level level[SCAN_LEVELS];
    int levels = 0;
    if (s.outer == 0 || s.axis == 0 || s.inner == 0) return ARR_OK;
    Scan c = {.op = op, .in_type = d_in, .out_type = d_out, .acc = accumulator(d_out)};
    c.s = s, c.in = in, c.out = out, c.tiles = (s.axis + SCAN_TILE - 1) / SCAN_TILE;
    bool rows = s.inner == 1 && s.axis > SCAN_SHORT && dtype_size(c.acc) <= 8;
    if (rows && c.tiles <= (int64_t)SCAN_TILE * SCAN_TILE) return scan_rows(k, d, &c);
    Status st = scan_up(k, d, &c, level, &levels);
    if (st == ARR_OK) st = scan_down(k, d, &c, level, levels);
    for (int i = 0; i < levels; i++) {
        size_t bytes = (size_t)(s.outer * level[i].tiles * s.inner) * dtype_size(c.acc);
        d->ops->release(d, level[i].totals, bytes);
    }
    return st;
}

/* ---- positions of true bytes ---- */

/* The numbers 0, 1, ... of which those are kept whose byte is true. */
static int positions_program(Program *p, ProgArgs *a, Cx *cx, const uint8_t *mask, int64_t n,
                             int64_t *index) {
    program_init(p, cx, 1, 0);
    memset(a, 0, sizeof *a);
    a->dim[0] = n;
    for (int s = 0; s < 3; s++) a->slot[program_slot(p)].stride[0] = 1;
    a->slot[0].ptr = (void *)(uintptr_t)mask;
    a->slot[2].ptr = index;
    int keep = program_add(p, (Instr){.kind = P_LOAD, .dtype = DT_bool, .slot = 0});
    int number = program_add(p, (Instr){.kind = P_IOTA, .dtype = DT_i64, .slot = 1});
    program_add(p, (Instr){.kind = P_STORE, .dtype = DT_i64, .a = (uint16_t)number, .slot = 2});
    program_canonicalize(p, a);
    return keep;
}

Status native_cuda_nonzero(Kernels *k, Device *d, const uint8_t *mask, int64_t n, int64_t *index,
                           int64_t *count) {
    Cx *cx = k->cx;
    struct {
        Program program;
        ProgArgs args;
    } * w;
    *count = 0;
    if (n == 0) return ARR_OK;
    w = mem_alloc(&cx->mem, sizeof *w);
    if (!w) return error_memory(cx, sizeof *w);
    int keep = positions_program(&w->program, &w->args, cx, mask, n, index);
    Status s = cuda_run_compact(k, d, &w->program, &w->args, keep, 2, count);
    mem_free(&cx->mem, w, sizeof *w);
    return s;
}

/* ---- indexed writes ---- */

const char *native_item_type(size_t size) {
    switch (size) {
    case 1: return "xu8";
    case 2: return "xu16";
    case 4: return "xu32";
    case 8: return "xu64";
    default: return "xc128"; /* 16 bytes that are only moved */
    }
}

static Status check_indices(Kernels *k, Device *d, const int64_t *index, int64_t n, int64_t axis,
                            int64_t fault[3]) {
    Native check = {"put_check", {{NULL, NULL}}, false};
    int64_t earlier[3];
    void *record;
    TRY(kernel_faults(k, d, earlier)); /* the record must be ours alone */
    TRY(kernel_fault_record(k, d, &record));
    void *params[] = {&index, &n, &axis, &record};
    TRY(native_launch(k, d, &check, native_blocks(n), BLOCK, params));
    TRY(kernel_faults(k, d, fault));
    if (!fault[0] && earlier[0]) memcpy(fault, earlier, sizeof earlier);
    return ARR_OK;
}

Status native_cuda_put(Kernels *k, Device *d, size_t itemsize, AxisShape s, const int64_t *index,
                       int64_t nindex, const void *value, void *out, int64_t fault[3]) {
    void *winner;
    size_t bytes = (size_t)s.axis * sizeof(int64_t);
    memset(fault, 0, 3 * sizeof *fault);
    if (nindex == 0) return ARR_OK;
    TRY(check_indices(k, d, index, nindex, s.axis, fault));
    if (fault[0] || s.outer == 0 || s.inner == 0) return ARR_OK;
    TRY(d->ops->alloc(d, bytes, &winner));
    Native clear = {"put_clear", {{NULL, NULL}}, false};
    Native mark = {"put_mark", {{NULL, NULL}}, false};
    Native write = {
        "put_write", {{"item", native_item_type(itemsize)}, {NULL, NULL}}, itemsize == 16};
    void *clear_params[] = {&winner, &s.axis};
    void *mark_params[] = {&index, &nindex, &s.axis, &winner};
    void *write_params[] = {&index, &nindex, &winner, &value, &out, &s.outer, &s.axis, &s.inner};
    Status st = native_launch(k, d, &clear, native_blocks(s.axis), BLOCK, clear_params);
    if (st == ARR_OK) st = native_launch(k, d, &mark, native_blocks(nindex), BLOCK, mark_params);
    if (st == ARR_OK)
        st = native_launch(k, d, &write, native_blocks(s.outer * nindex * s.inner), BLOCK,
                           write_params);
    d->ops->release(d, winner, bytes);
    return st;
}

/* ---- products ---- */

Status native_cuda_matmul(Kernels *k, Device *d, const DevMatmul *m) {
    char load[NATIVE_TEXT], store[NATIVE_TEXT];
    DevMatmul p = *m;
    DType acc = accumulator(m->dtype);
    if (p.m == 0 || p.n == 0 || p.batch == 0) return ARR_OK;
    TRY(native_load_text(k->cx, m->dtype, acc, "v", load));
    TRY(native_store_text(k->cx, acc, m->dtype, "sum", store));
    Native n = {"matmul",
                {{"item", emit_memory_type(m->dtype)},
                 {"acc", m->dtype == DT_bool ? "xi32" : emit_value_type(acc)},
                 {"load", load},
                 {"store", m->dtype == DT_bool ? "sum != 0" : store},
                 {NULL, NULL}},
                dtype_is_complex(m->dtype)};
    void *params[] = {&p.a,     &p.b,     &p.c,       &p.m,       &p.n,
                      &p.k,     &p.batch, &p.a_row,   &p.a_col,   &p.b_row,
                      &p.b_col, &p.c_row, &p.a_batch, &p.b_batch, &p.c_batch};
    int64_t tiles = ((p.m + 15) / 16) * ((p.n + 15) / 16);
    int64_t all;
    if (!mul_i64(tiles, p.batch, &all) || all > NATIVE_BLOCKS) all = NATIVE_BLOCKS;
    return native_launch(k, d, &n, all, BLOCK, params);
}
