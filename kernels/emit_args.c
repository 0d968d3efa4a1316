/* emit_args - the parameters of an emitted kernel: declared in its text, filled in at its launch.
 *
 * One walk serves both, with a sink that either prints a declaration or stores a value, so that the
 * order and the types cannot differ. What is structure decides what is there; extents, strides,
 * scalars and pointers are values. Callers: emit_cuda.c (text), run_cuda.c (launches).
 * Names: p<slot> pointer, a<slot> first number of an iota or draw, t<slot>_<loop> stride,
 * d m h<loop> extent and its division, f<loop> step of
 * the flat number, g l<slot> gather stride and length, k<scalar>. */
#include "kernels/emit_cuda.h"

#include <stdio.h>
#include <string.h>

typedef struct Sink {
    const EmitPlan *e;
    const EmitLaunch *l;
    Buf *text;       /* declarations, or NULL */
    LaunchArgs *out; /* values, or NULL */
    bool full;
} Sink;

static void declare(Sink *s, const char *type, const char *fmt, int a, int b) {
    if (s->text->len && s->text->data[s->text->len - 1] != '(') buf_str(s->text, ", ");
    buf_printf(s->text, "%s ", type);
    char name[32];
    size_t n = 0;
    for (const char *f = fmt; *f; f++) { /* %a and %b: the two numbers */
        if (*f == '%')
            n += (size_t)snprintf(name + n, sizeof name - n, "%d", *++f == 'a' ? a : b);
        else
            name[n++] = *f;
    }
    buf_add(s->text, name, n);
}

static void add(Sink *s, const char *type, const char *fmt, int a, int b, const void *value,
                size_t size) {
    if (s->text) declare(s, type, fmt, a, b);
    if (!s->out) return;
    if (s->out->n == LAUNCH_MAX_PARAMS) {
        s->full = true;
        return;
    }
    union LaunchValue *v = &s->out->value[s->out->n];
    memcpy(v->bytes, value, size);
    s->out->ptr[s->out->n++] = v;
}

static void add_long(Sink *s, const char *fmt, int a, int b, int64_t value) {
    add(s, "const xi64", fmt, a, b, &value, sizeof value);
}

static void add_index(Sink *s, const char *fmt, int a, int b, int64_t value) {
    int32_t narrow = (int32_t)value;
    if (s->e->v.wide)
        add(s, "const I", fmt, a, b, &value, sizeof value);
    else
        add(s, "const I", fmt, a, b, &narrow, sizeof narrow);
}

static void add_int(Sink *s, const char *name, int value) {
    int32_t v = value;
    add(s, "const int", name, 0, 0, &v, sizeof v);
}

static void add_pointer(Sink *s, const char *type, const char *fmt, int a, void *p) {
    add(s, type, fmt, a, 0, &p, sizeof p);
}

/* Magic number and shift for n / d, 0 <= n < 2^(bits - 1): h = ceil(log2 d),
 * m = 2^bits (2^h - d) / d + 1; then n / d = (high(n m) + n) >> h. */
static void divider(int64_t d, bool wide, uint64_t *magic, int *shift) {
    int h = 0;
    if (d < 1) d = 1;
    while (((uint64_t)1 << h) < (uint64_t)d) h++;
    unsigned __int128 excess = ((unsigned __int128)1 << h) - (unsigned __int128)d;
    *magic = (uint64_t)((excess << (wide ? 64 : 32)) / (unsigned __int128)d + 1);
    *shift = h;
}

static void add_loop(Sink *s, int j) {
    uint64_t magic;
    int shift;
    int64_t d = s->l ? s->l->args->dim[j] : 1;
    divider(d, s->e->v.wide, &magic, &shift);
    uint32_t narrow = (uint32_t)magic;
    add_index(s, "d%a", j, 0, d);
    if (s->e->v.wide)
        add(s, "const xu64", "m%a", j, 0, &magic, sizeof magic);
    else
        add(s, "const xu32", "m%a", j, 0, &narrow, sizeof narrow);
    int32_t h = shift;
    add(s, "const int", "h%a", j, 0, &h, sizeof h);
}

/* Tiles know their indices: extents, and the steps of the flat number. */
static void add_tile_loop(Sink *s, int j) {
    int64_t step = 1;
    if (s->l)
        for (int k = j + 1; k < s->e->p->rank; k++) step *= s->l->args->dim[k];
    add_index(s, "d%a", j, 0, s->l ? s->l->args->dim[j] : 1);
    add_index(s, "f%a", j, 0, step);
}

/* Loops whose index is taken out of a flat number by division: all but the first of their nest
 * (outer, reduced), where anything is strided. */
static void add_loops(Sink *s) {
    const EmitPlan *e = s->e;
    bool any = false;
    if (e->v.shape == EMIT_TILE) {
        for (int j = 0; j < e->p->rank; j++) add_tile_loop(s, j);
        return;
    }
    for (int slot = 0; slot < e->p->nslot; slot++)
        any |= e->slot_instr[slot] >= 0 && e->p->cls[slot] == ACC_STRIDED;
    if (!any) return;
    for (int j = 1; j < e->p->rank; j++)
        if (j != e->nouter && (j < e->nouter || e->v.shape != EMIT_FOLD)) add_loop(s, j);
}

static void *element(const SlotArg *a, DType d) {
    return (char *)a->ptr + a->offset * (int64_t)dtype_size(d);
}

static void add_slot(Sink *s, int slot) {
    static const SlotArg none;
    const Instr *i = &s->e->p->code[s->e->slot_instr[slot]];
    const SlotArg *a = s->l ? &s->l->args->slot[slot] : &none;
    bool numbers = i->kind == P_IOTA || i->kind == P_DRAW;
    if (numbers) {
        add_long(s, "a%a", slot, 0, a->offset);
    } else {
        char type[64];
        bool writes = i->kind == P_STORE;
        snprintf(type, sizeof type, "%s%s *", writes ? "" : "const ",
                 emit_memory_type((DType)i->dtype));
        add_pointer(s, type, "p%a", slot, a->ptr ? element(a, (DType)i->dtype) : NULL);
    }
    if (s->e->p->cls[slot] == ACC_STRIDED)
        for (int j = 0; j < s->e->p->rank; j++) {
            if (numbers)
                add_long(s, "t%a_%b", slot, j, a->stride[j]);
            else
                add_index(s, "t%a_%b", slot, j, a->stride[j]);
        }
    if (i->kind == P_GATHER) {
        add_long(s, "g%a", slot, 0, a->gather_stride);
        add_long(s, "l%a", slot, 0, a->gather_len);
    }
}

static void add_scalar(Sink *s, int index) {
    static const uint8_t none[16];
    DType d = (DType)s->e->p->scalar_type[index];
    char type[32];
    snprintf(type, sizeof type, "const %s", emit_memory_type(d));
    add(s, type, "k%a", index, 0, s->l ? s->l->args->scalar[index] : none, dtype_size(d));
}

static void add_scalars(Sink *s) {
    const EmitPlan *e = s->e;
    bool used[PROG_MAX_SCALARS + 3] = {false};
    for (int k = 0; k < e->p->ninstr; k++) {
        const Instr *i = &e->p->code[k];
        if (!e->inner[k] && !e->outer[k]) continue;
        if (i->kind == P_SCALAR || i->kind == P_DRAW || (i->kind == P_REDUCE && i->sub == RED_VAR))
            used[i->index] = true;
        if (i->kind == P_DRAW && i->sub == DRAW_RANDINT)
            used[i->index + 1] = used[i->index + 2] = true;
    }
    for (int k = 0; k < e->p->nscalar; k++)
        if (used[k]) add_scalar(s, k);
}

static void walk(Sink *s) {
    static const EmitLaunch none;
    const EmitPlan *e = s->e;
    const EmitLaunch *l = s->l ? s->l : &none;
    add_index(s, "lo", 0, 0, l->lo);
    add_index(s, "hi", 0, 0, l->hi);
    uint64_t mode = l->mode;
    add(s, "const xu64", "mode", 0, 0, &mode, sizeof mode);
    if (!emit_is_map(e)) {
        add_index(s, "reduced", 0, 0, l->reduced);
        add_index(s, "nchunk", 0, 0, l->nchunk);
        add_int(s, "group", l->group);
        if (e->v.shape != EMIT_CHAIN) add_pointer(s, "S *", "part", 0, l->part);
    }
    if (e->v.shape == EMIT_FOLD) add_pointer(s, "const S *", "from", 0, l->from);
    if (e->v.shape == EMIT_FOLD) add_pointer(s, "xu32 *", "arrivals", 0, l->arrivals);
    if (e->v.shape == EMIT_COMPACT) add_pointer(s, "xu64 *", "posts", 0, l->posts);
    if (e->has_gather) add_pointer(s, "xi64 *", "record", 0, l->fault);
    add_loops(s);
    for (int slot = 0; slot < e->p->nslot; slot++)
        if (e->slot_instr[slot] >= 0) add_slot(s, slot);
    add_scalars(s);
}

void emit_params(const EmitPlan *e, Buf *out) {
    Buf text;
    buf_init(&text, e->cx);
    Sink s = {e, NULL, &text, NULL, false};
    walk(&s);
    buf_str(out, buf_text(&text));
    if (text.failed) out->failed = 1;
    buf_free(&text);
}

bool emit_launch_args(const EmitPlan *e, const EmitLaunch *l, LaunchArgs *out) {
    Sink s = {e, l, NULL, out, false};
    out->n = 0;
    walk(&s);
    return !s.full;
}
