/* emit_cuda - a program and a variant become CUDA text: planning, templates, helpers.
 *
 * Callers: run_cuda.c, golden tests. The text is: the helpers that the kernel uses (picked from
 * kernels/scalar.h and templates/prelude.cu), the kernel's own types and constants, and its
 * template with the holes filled.
 * Invariant: text depends on structure and variant alone, so it can be a key. */
#include "kernels/emit_cuda.h"
#include "kernels/program_level.h"
#include "runtime/base/embed.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- planning ---- */

static void mark_needed(EmitPlan *e) {
    const Program *p = e->p;
    if (e->v.shape == EMIT_CHAIN) {
        emit_chain_levels(e);
        return;
    }
    if (e->v.shape == EMIT_COMPACT) e->inner[e->v.keep] = true;
    for (int k = p->ninstr - 1; k >= 0; k--) {
        const Instr *i = &p->code[k];
        if (i->kind == P_STORE) (e->reduced[i->a] ? e->outer : e->inner)[k] = true;
        int use[3], n = instr_operands(i, use);
        for (int j = 0; j < n; j++) {
            if (e->inner[k]) e->inner[use[j]] = true;
            if (e->outer[k] && i->kind != P_REDUCE) e->outer[use[j]] = true;
            if (e->outer[k] && i->kind == P_REDUCE) e->inner[use[j]] = true;
        }
        if (i->kind == P_REDUCE && e->outer[k]) e->inner[k] = true; /* accumulates there */
    }
    if (e->v.shape == EMIT_FOLD)
        for (int k = 0; k < p->ninstr; k++) e->inner[k] = false;
}

/* f32 functions that scalar.h computes in f64. */
static bool goes_wide(Op op) {
    static const Op wide[] = {OP_tan,    OP_sinh, OP_asinh, OP_acosh, OP_atanh,    OP_gamma,
                              OP_lgamma, OP_pow,  OP_atan2, OP_hypot, OP_logaddexp};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (wide[i] == op) return true;
    return false;
}

/* Rough cost of an instruction in instructions of the machine, for bounding unrolled text. array: a
 * draw whose quads of words serve neighbouring elements. */
static int weight(const Instr *i, bool array) {
    enum {
        CHEAP = 1,
        GATHER = 6,
        QUOTIENT = 4,
        REMAINDER = 12,
        FUNCTION = 8,
        DEVIATE = 20,
        LARGE = 24
    };
    if (i->kind == P_DRAW) return array ? i->sub == DRAW_NORMAL ? DEVIATE : FUNCTION : LARGE;
    if (i->kind == P_GATHER) return GATHER;
    if (i->kind == P_REDUCE) return i->sub == RED_VAR ? FUNCTION : CHEAP;
    if (i->kind != P_OP) return CHEAP;
    if (i->op == OP_mod || i->op == OP_floordiv) return REMAINDER;
    switch (op_info((Op)i->op)->rule) {
    case OR_FLOAT:
    case OR_REALF:
    case OR_ANGLE:
        return i->type == DT_f64 || dtype_is_complex((DType)i->type) || goes_wide((Op)i->op)
                   ? LARGE
                   : FUNCTION;
    case OR_DIV: return QUOTIENT;
    default: return i->op == OP_pow ? LARGE : CHEAP;
    }
}

/* Vectors of what is loaded, and as many as shared memory has room for what is kept. */
static void compact_unroll(EmitPlan *e) {
    enum { STAGE = 32 << 10 };
    const Program *p = e->p;
    size_t widest = 1, kept = 1;
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        bool loads = i->kind == P_LOAD && p->cls[i->slot] != ACC_BCAST;
        if (e->inner[k] && loads && dtype_size((DType)i->dtype) > widest)
            widest = dtype_size((DType)i->dtype);
        if (i->kind == P_STORE && i->slot == e->v.kept) kept = dtype_size((DType)i->dtype);
    }
    e->vec = widest >= 4 ? 4 : 8;
    e->unroll = 8;
    while (e->unroll > 1 && (size_t)(BLOCK * e->vec * e->unroll) * kept > STAGE) e->unroll /= 2;
    while (e->vec > 1 && (size_t)(BLOCK * e->vec * e->unroll) * kept > STAGE) e->vec /= 2;
}

/* Elements a thread and a turn: vectors of 16 bytes of the widest contiguous slot, as many of them
 * in flight as keeps the unrolled body small; one element where the body is large anyway. */
void emit_choose_unroll(EmitPlan *e) {
    const Program *p = e->p;
    int total = 0, loads = 0, moved = 0; /* instructions; inputs; bytes of an element */
    size_t widest = 1;
    bool contiguous = false;
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        if (!e->inner[k]) continue;
        if (e->shared.taken[k]) {
            total++;
            continue;
        }
        total += weight(i, i->kind == P_DRAW && p->cls[i->slot] == ACC_CONTIG);
        if (!instr_has_slot(i) || i->kind == P_IOTA || p->cls[i->slot] == ACC_BCAST) continue;
        if (i->kind != P_DRAW) moved += (int)dtype_size((DType)i->dtype);
        contiguous |= p->cls[i->slot] == ACC_CONTIG;
        loads += i->kind == P_LOAD || i->kind == P_GATHER;
        if (dtype_size((DType)i->dtype) > widest) widest = dtype_size((DType)i->dtype);
    }
    e->computes = 2 * total >= 3 * moved;
    e->vec = widest >= 16 ? 1 : (int)(16 / widest);
    if (e->vec > 8) e->vec = 8;
    if (!contiguous && e->vec > 4) e->vec = 4;
    e->unroll = loads > 0 ? 2 : 4;
    if (e->v.shape == EMIT_ROWS || e->v.shape == EMIT_CHAIN)
        e->vec = 4, e->unroll = loads < 2 ? 4 : 2;
    if (e->v.shape == EMIT_COLUMNS) { /* turns of a thread's four lanes */
        e->vec = 1, e->unroll = 4;
        while (e->unroll < 16 && e->unroll * 2 * total <= 96) e->unroll *= 2;
        return;
    }
    if (e->v.shape == EMIT_TILE) {
        e->vec = 1, e->unroll = e->v.side / 8;
        return;
    }
    if (e->v.shape == EMIT_COMPACT) compact_unroll(e);
    while (e->unroll > 1 && e->unroll * e->vec * total > 192) e->unroll /= 2;
    if (e->v.shape == EMIT_MAP || e->v.shape == EMIT_COMPACT)
        while (e->vec > 1 && e->vec * total > 256) e->vec /= 2;
}

/* Named by what it does, so that profiles can be read: "map_mul_mul_add_sqrt". */
static void choose_name(EmitPlan *e) {
    static const char *const shapes[] = {"map",  "rows",    "columns", "fold",
                                         "tile", "compact", "chain"};
    size_t n = (size_t)snprintf(e->name, sizeof e->name, "arr_%s", shapes[e->v.shape]);
    for (int k = 0; k < e->p->ninstr; k++) {
        const Instr *i = &e->p->code[k];
        const char *word = i->kind == P_OP       ? op_info((Op)i->op)->name
                           : i->kind == P_REDUCE ? reduce_name((ReduceKind)i->sub)
                           : i->kind == P_DRAW   ? draw_name((DrawKind)i->sub)
                                                 : NULL;
        if (!word || n + strlen(word) + 1 >= sizeof e->name) continue;
        n += (size_t)snprintf(e->name + n, sizeof e->name - n, "_%s", word);
    }
}

void emit_plan(EmitPlan *e, Cx *cx, const Program *p, Variant v) {
    memset(e, 0, sizeof *e);
    e->cx = cx, e->p = p, e->v = v;
    e->nouter = p->rank - p->nred;
    program_levels(p, e->reduced);
    mark_needed(e);
    for (int s = 0; s < p->nslot; s++) e->slot_instr[s] = -1;
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        bool needed = e->inner[k] || (e->outer[k] && i->kind != P_REDUCE);
        if (needed && instr_has_slot(i)) e->slot_instr[i->slot] = (int16_t)k;
        if (needed && i->kind == P_GATHER) e->has_gather = true;
    }
    emit_choose_unroll(e);
    e->column_block = 1024;
    if (p->nred)
        while (e->column_block > 128 && (size_t)e->column_block * emit_state_size(e) > 40 << 10)
            e->column_block /= 2;
    choose_name(e);
}

/* ---- templates ---- */

static const EmbedFile *embedded(Cx *cx, const char *name, Status *s) {
    const EmbedFile *f = embed_find(name);
    *s = f ? ARR_OK
           : error_set(cx, ARR_ERR_INTERNAL, cx->span, "the library was built without %s", name);
    return f;
}

/* Blanks at the end of out, where a line of its own begins; -1 within a line. */
static int line_indent(const Buf *out) {
    size_t n = out->len;
    while (n > 0 && out->data[n - 1] == ' ') n--;
    return n == 0 || out->data[n - 1] == '\n' ? (int)(out->len - n) : -1;
}

/* Lines that fill a hole of their own stand where the hole stood; nothing leaves no line. */
static const char *add_lines(const Buf *lines, const char *rest, Buf *out) {
    int indent = line_indent(out);
    if (indent < 0) {
        buf_add(out, lines->data, lines->len);
        return rest;
    }
    if (!out->failed) out->len -= (size_t)indent;
    for (const char *p = buf_text(lines); *p;) {
        size_t n = strcspn(p, "\n");
        buf_printf(out, "%*s%.*s\n", *p == '#' ? 0 : indent, "", (int)n, p);
        p += n + (p[n] == '\n');
    }
    return *rest == '\n' ? rest + 1 : rest;
}

Status emit_template(Cx *cx, const char *file, EmitFill fill, const void *ctx, Buf *out) {
    Status s;
    Buf lines;
    const EmbedFile *f = embedded(cx, file, &s);
    if (!f) return s;
    buf_init(&lines, cx);
    const char *p = f->text, *end = p + f->size;
    if (strncmp(p, "/*", 2) == 0) { /* the head comment is for people */
        p = strstr(p, "*/") + 2;
        while (isspace((unsigned char)*p)) p++;
    }
    for (const char *hole, *stop; p < end && (hole = strchr(p, '@')); p = stop) {
        buf_add(out, p, (size_t)(hole - p));
        stop = strchr(hole + 1, '@');
        buf_clear(&lines);
        fill(ctx, hole + 1, (size_t)(stop - hole - 1), &lines);
        if (lines.failed) break;
        stop = add_lines(&lines, stop + 1, out);
    }
    buf_str(out, p);
    s = lines.failed ? buf_status(&lines) : buf_status(out);
    buf_free(&lines);
    return s;
}

void emit_fill_hole(const void *ctx, const char *hole, size_t n, Buf *out) {
    const EmitPlan *e = ctx;
    static const struct {
        const char *name;
        void (*emit)(const EmitPlan *, Buf *);
    } holes[] = {
        {"params", emit_params},
        {"arrays", emit_arrays},
        {"loads", emit_loads},
        {"body", emit_inner_body},
        {"stores", emit_stores},
        {"outer", emit_outer_offsets},
        {"finish", emit_finish},
        {"whole", emit_whole},
        {"shared", emit_tile_shared},
        {"items", emit_tile_items},
        {"rest", emit_tile_rest},
        {"crossing", emit_tile_crossing},
        {"element", emit_tile_element},
        {"condition", emit_condition},
        {"kept_value", emit_kept_value},
        {"kept_type", emit_kept_type},
        {"kept_pointer", emit_kept_pointer},
        {"walks", emit_walks},
        {"places", emit_shared_places},
        {"fetch", emit_shared_fetch},
        {"walkers", emit_shared_walkers},
    };
    if (n == 4 && memcmp(hole, "name", 4) == 0) buf_str(out, e->name);
    for (size_t i = 0; i < sizeof holes / sizeof *holes; i++)
        if (strlen(holes[i].name) == n && memcmp(holes[i].name, hole, n) == 0)
            holes[i].emit(e, out);
}

Status emit_kernel(const EmitPlan *e, Buf *out) {
    static const char *const files[] = {
        "kernels/templates/map.cu",  "kernels/templates/rows.cu", "kernels/templates/columns.cu",
        "kernels/templates/fold.cu", "kernels/templates/tile.cu", "kernels/templates/compact.cu",
        "kernels/templates/chain.cu"};
    buf_printf(out, "typedef %s I;\n", e->v.wide ? "xi64" : "xi32");
    buf_printf(out, "enum { BLOCK = %d, VEC = %d, UNROLL = %d", BLOCK, e->vec, e->unroll);
    if (e->v.shape == EMIT_TILE) buf_printf(out, ", SIDE = %d", e->v.side);
    if (!emit_is_map(e))
        buf_printf(out, ", CHUNK = %d, LANES = %d, COLUMN_BLOCK = %d", CHUNK, LANES,
                   e->column_block);
    buf_str(out, " };\n");
    if (!emit_is_map(e)) emit_state(e, out);
    return emit_template(e->cx, files[e->v.shape], emit_fill_hole, e, out);
}

Status emit_with_helpers(Cx *cx, const Buf *kernel, bool complex, Buf *out) {
    Status s;
    Buf library;
    const EmbedFile *scalar = embedded(cx, "kernels/scalar.cu", &s);
    const EmbedFile *prelude = scalar ? embedded(cx, "kernels/templates/prelude.cu", &s) : NULL;
    if (!prelude) return s;
    buf_init(&library, cx);
    buf_add(&library, scalar->text, scalar->size);
    buf_add(&library, prelude->text, prelude->size);
    s = buf_status(&library);
    if (s == ARR_OK) s = emit_pick(cx, library.data, library.len, buf_text(kernel), complex, out);
    buf_free(&library);
    if (s != ARR_OK) return s;
    buf_add(out, kernel->data, kernel->len);
    return buf_status(out);
}

static bool names_complex(const Program *p) {
    for (int k = 0; k < p->ninstr; k++)
        if (dtype_is_complex((DType)p->code[k].dtype) || dtype_is_complex((DType)p->code[k].type))
            return true;
    return false;
}

Status emit_text(const EmitPlan *e, Buf *out) {
    Buf kernel;
    buf_init(&kernel, e->cx);
    Status s = emit_kernel(e, &kernel);
    if (s == ARR_OK) s = emit_with_helpers(e->cx, &kernel, names_complex(e->p), out);
    buf_free(&kernel);
    return s;
}

/* For people and golden tests: the kernel that an ordinary launch would use. */
Status emit_cuda(Cx *cx, const Program *p, const char *name, Buf *out) {
    EmitPlan *e = mem_alloc(&cx->mem, sizeof *e);
    if (!e) return error_memory(cx, sizeof *e);
    EmitShape shape = program_is_chain(p) ? EMIT_CHAIN : p->nred ? EMIT_ROWS : EMIT_MAP;
    emit_plan(e, cx, p, (Variant){.shape = (uint8_t)shape, .wide = p->wide, .shares = 1});
    buf_printf(out, "/* %s */\n", name && name[0] ? name : e->name);
    Status s = emit_kernel(e, out);
    mem_free(&cx->mem, e, sizeof *e);
    return s;
}
