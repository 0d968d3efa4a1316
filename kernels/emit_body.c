/* emit_body - the statements of a kernel: one flat statement an instruction (NVRTC's stack does not
 * bear nested ones), values named v<instruction>.
 *
 * Callers: emit_cuda.c, inside the templates' loops. Around the inner body stand: j the element's
 * place in the loaded arrays, i its flat index (reductions: its place among the reduced elements),
 * on whether it exists, place its number for faults; in reductions l, the lane in hand, and before,
 * the lane's elements so far. Around the finish: o the output, result its reduced state.
 * Invariant: an instruction that both levels need is computed in both, from the same operands. */
#include "kernels/emit_cuda.h"
#include "kernels/program_level.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- expressions ---- */

/* ops.def's meaning with its operands' values in place of a, b, c. */
static void op_expression(Buf *out, const Instr *i) {
    const char *p = op_info((Op)i->op)->expr;
    const uint16_t operand[3] = {i->a, i->b, i->c};
    while (*p) {
        size_t n = 0;
        while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
        if (n == 1 && *p >= 'a' && *p <= 'c')
            buf_printf(out, "v%d", operand[*p - 'a']);
        else
            buf_add(out, p, n ? n : 1);
        p += n ? n : 1;
    }
}

static void rounded(Buf *out, DType d, bool open) {
    if (!dtype_is_half(d)) return;
    if (open)
        buf_printf(out, "%s_round(", dtype_name(d));
    else
        buf_char(out, ')');
}

/* An element in memory as a value, and back. */
static void from_memory(Buf *out, DType d, const char *element) {
    if (dtype_is_half(d))
        buf_printf(out, "%s_value(%s)", dtype_name(d), element);
    else
        buf_str(out, element);
}

static void to_memory(Buf *out, DType d, int value) {
    if (dtype_is_half(d))
        buf_printf(out, "%s_bits(v%d)", dtype_name(d), value);
    else
        buf_printf(out, "v%d", value);
}

/* The neighbour of a half is found on its bits. */
static void next_half(Buf *out, const Instr *i) {
    const char *half = dtype_name((DType)i->dtype);
    buf_printf(out, "%s_value(x_nextafter_half(%s_bits(v%d), %s_bits(v%d), %s))", half, half, i->a,
               half, i->b, i->dtype == DT_f16 ? "0x7c00" : "0x7f80");
}

static void bitcast(Buf *out, const Instr *i) {
    DType from = (DType)i->type, to = (DType)i->dtype;
    if (dtype_is_half(to)) buf_printf(out, "%s_value(", dtype_name(to));
    buf_printf(out, "same_bits<%s>(", emit_memory_type(to));
    to_memory(out, from, i->a);
    buf_str(out, dtype_is_half(to) ? "))" : ")");
}

static void compare_mixed(Buf *out, const EmitPlan *e, const Instr *i) {
    static const struct {
        Op op;
        const char *sign;
    } signs[] = {{OP_eq, "=="}, {OP_ne, "!="}, {OP_lt, "<"},
                 {OP_le, "<="}, {OP_gt, ">"},  {OP_ge, ">="}};
    bool first_u64 = e->p->code[i->a].dtype == DT_u64;
    const char *sign = "==";
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (signs[k].op == (Op)i->op) sign = signs[k].sign;
    if (first_u64)
        buf_printf(out, "x_cmp_mixed(v%d, v%d) %s 0", i->a, i->b, sign);
    else
        buf_printf(out, "0 %s x_cmp_mixed(v%d, v%d)", sign, i->b, i->a);
}

const char *emit_draw_type(const Instr *i) {
    bool wide = i->dtype == DT_f64;
    switch ((DrawKind)i->sub) {
    case DRAW_WORDS32: return "DrawWords32";
    case DRAW_KEYS64: return "DrawKeys64";
    case DRAW_NORMAL: return wide ? "DrawNormal_f64" : "DrawNormal_f32";
    case DRAW_EXPONENTIAL: return wide ? "DrawExponential_f64" : "DrawExponential_f32";
    case DRAW_UNIFORM:
        return wide                  ? "DrawUniform_f64"
               : i->dtype == DT_f16  ? "DrawUniform_f16"
               : i->dtype == DT_bf16 ? "DrawUniform_bf16"
                                     : "DrawUniform_f32";
    default: return "";
    }
}

/* ---- leaves: where an element is depends on the level ---- */

typedef enum Level { INNER, OUTER } Level;

/* The element's offset from its slot's pointer (or first number). */
static void offset(Buf *out, const EmitPlan *e, int slot, Level level) {
    uint8_t cls = e->p->cls[slot];
    if (cls == ACC_BCAST)
        buf_char(out, '0');
    else if (cls == ACC_STRIDED)
        buf_printf(out, level == INNER ? "o%d[j]" : "b%d", slot);
    else if (level == OUTER)
        buf_printf(out, "b%d", slot);
    else if (emit_is_map(e))
        buf_char(out, 'i');
    else
        buf_printf(out, "b%d + i", slot);
}

static void load(Buf *out, const EmitPlan *e, const Instr *i, Level level) {
    char element[64];
    bool bcast = e->p->cls[i->slot] == ACC_BCAST;
    if (bcast)
        snprintf(element, sizeof element, level == INNER ? "x%d" : "p%d[0]", i->slot);
    else if (level == INNER)
        snprintf(element, sizeof element, "x%d[j]", i->slot);
    else
        snprintf(element, sizeof element, "p%d[b%d]", i->slot, i->slot);
    from_memory(out, (DType)i->dtype, element);
}

static void number(Buf *out, const EmitPlan *e, int slot, Level level) {
    buf_printf(out, "a%d + (xi64)(", slot);
    offset(out, e, slot, level);
    buf_char(out, ')');
}

static void draw(Buf *out, const EmitPlan *e, const Instr *i, Level level) {
    bool array = level == INNER && e->p->cls[i->slot] == ACC_CONTIG && i->sub != DRAW_RANDINT;
    if (array) {
        buf_printf(out, "x%d[j]", i->slot);
        return;
    }
    if (i->sub == DRAW_RANDINT)
        buf_printf(out, "draw_randint(k%d, ", i->index);
    else
        buf_printf(out, "draw<%s>(k%d, ", emit_draw_type(i), i->index);
    number(out, e, i->slot, level);
    if (i->sub == DRAW_RANDINT)
        buf_printf(out, ", (xi64)k%d, (xu64)k%d", i->index + 1, i->index + 2);
    buf_char(out, ')');
}

static void gather(Buf *out, const EmitPlan *e, const Instr *i, Level level) {
    int s = i->slot;
    if (dtype_is_half((DType)i->dtype)) buf_printf(out, "%s_value(", dtype_name((DType)i->dtype));
    buf_printf(out, "gather(p%d + (", s);
    offset(out, e, s, level);
    buf_printf(out, "), v%d, g%d, l%d, %s, record)", i->a, s, s,
               level == INNER ? "on, place" : "true, (xi64)o");
    if (dtype_is_half((DType)i->dtype)) buf_char(out, ')');
}

/* ---- reductions ---- */

static DType accumulator(const Instr *i) {
    DType d = (DType)i->dtype;
    DType t = (DType)i->type; /* variances of integers are computed in f64 */
    if (i->sub == RED_VAR) return t == DT_f32 || dtype_is_half(t) ? DT_f32 : DT_f64;
    return dtype_is_half(d) ? DT_f32 : d;
}

static bool ordered_exactly(DType d) { return d == DT_bool || dtype_is_int(d); }

static void state_type(Buf *out, const Instr *i) {
    DType t = (DType)i->type;
    switch ((ReduceKind)i->sub) {
    case RED_SUM: buf_printf(out, "StateSum<%s>", emit_value_type(accumulator(i))); return;
    case RED_PROD: buf_printf(out, "StateProd<%s>", emit_value_type(accumulator(i))); return;
    case RED_VAR: buf_printf(out, "StateVar<%s>", emit_value_type(accumulator(i))); return;
    case RED_ANY: buf_str(out, "StateAny"); return;
    case RED_ALL: buf_str(out, "StateAll"); return;
    case RED_COUNT: buf_str(out, "StateCount"); return;
    case RED_MIN:
    case RED_MAX:
        buf_printf(out, "%s<%s, %s%s>", ordered_exactly(t) ? "StateOrder" : "StateExtreme",
                   emit_value_type(t), i->sub == RED_MAX ? "true" : "false",
                   ordered_exactly(t) ? "" : ", I");
        return;
    case RED_ARGMIN:
    case RED_ARGMAX:
        buf_printf(out, "StateExtreme<%s, %s, I>", emit_value_type(t),
                   i->sub == RED_ARGMAX ? "true" : "false");
    }
}

/* The operand as the state takes it. */
static void state_operand(Buf *out, const Instr *i) {
    char v[16];
    snprintf(v, sizeof v, "v%d", i->a);
    switch ((ReduceKind)i->sub) {
    case RED_SUM:
    case RED_PROD:
    case RED_VAR: {
        DType from = (DType)i->type, to = accumulator(i);
        if (emit_value_type(from) == emit_value_type(to))
            buf_str(out, v);
        else
            emit_cast(out, from, to, v);
        return;
    }
    case RED_ANY:
    case RED_ALL:
    case RED_COUNT: emit_cast(out, (DType)i->type, DT_bool, v); return;
    default: buf_str(out, v);
    }
}

static void accumulate(Buf *out, int k, const Instr *i) {
    buf_str(out, "if (on) { if (before == 0) s[l].");
    buf_printf(out, "s%d.first(", k);
    state_operand(out, i);
    buf_str(out, i->sub == RED_VAR ? ", i, reduced" : ", i");
    buf_printf(out, "); else s[l].s%d.next(", k);
    state_operand(out, i);
    buf_str(out, ", i, before); }");
}

static void reduced_value(Buf *out, const EmitPlan *e, int k, const Instr *i) {
    DType d = (DType)i->dtype;
    char result[24] = "result";
    if (e->v.shape == EMIT_CHAIN) snprintf(result, sizeof result, "result%d", e->phase[k] - 1);
    rounded(out, d, true);
    switch ((ReduceKind)i->sub) {
    case RED_VAR: buf_printf(out, "%s.s%d.variance(k%d)", result, k, i->index); break;
    case RED_ARGMIN:
    case RED_ARGMAX: buf_printf(out, "%s.s%d.r", result, k); break;
    case RED_ANY:
    case RED_ALL: buf_printf(out, "%s.s%d.v != 0", result, k); break;
    default: buf_printf(out, "%s.s%d.v", result, k);
    }
    rounded(out, d, false);
}

/* An element and its index. */
static size_t placed_size(size_t value, bool wide, size_t *align) {
    size_t index = wide ? 8 : 4;
    *align = value > index ? value : index;
    return 2 * *align;
}

static size_t state_size(const EmitPlan *e, const Instr *i, size_t *align) {
    size_t value = dtype_is_half((DType)i->type) ? 4 : dtype_size((DType)i->type);
    size_t sum = dtype_size(accumulator(i));
    *align = 8;
    switch ((ReduceKind)i->sub) {
    case RED_SUM:
    case RED_PROD: *align = dtype_is_complex(accumulator(i)) ? sum / 2 : sum; return sum;
    case RED_ANY:
    case RED_ALL: *align = 4; return 4;
    case RED_COUNT: return 8;
    case RED_VAR: return 8 + (3 * sum + 7) / 8 * 8;
    case RED_MIN:
    case RED_MAX:
        if (!ordered_exactly((DType)i->type)) return placed_size(value, e->v.wide, align);
        *align = value;
        return value;
    default: return placed_size(value, e->v.wide, align);
    }
}

size_t emit_state_size(const EmitPlan *e) {
    size_t at = 0, most = 1;
    for (int k = 0; k < e->p->ninstr; k++) {
        size_t align;
        if (e->p->code[k].kind != P_REDUCE) continue;
        size_t n = state_size(e, &e->p->code[k], &align);
        at = (at + align - 1) / align * align + n;
        if (align > most) most = align;
    }
    return (at + most - 1) / most * most;
}

/* The state of some reductions together: what a thread, a chunk and part hold. */
static void state_struct(const EmitPlan *e, const char *name, const bool *of, Buf *out) {
    static const char *const verbs[] = {"void empty()", "void join(const "};
    buf_printf(out, "struct %s {\n", name);
    for (int k = 0; k < e->p->ninstr; k++) {
        if (!of[k]) continue;
        buf_str(out, "    ");
        state_type(out, &e->p->code[k]);
        buf_printf(out, " s%d;\n", k);
    }
    buf_printf(out,
               "    __device__ __forceinline__ %s further_on(int d, int group) const { return {",
               name);
    for (int k = 0; k < e->p->ninstr; k++)
        if (of[k]) buf_printf(out, "s%d.further_on(d, group), ", k);
    buf_str(out, "}; }\n");
    for (int v = 0; v < 2; v++) {
        buf_printf(out, "    __device__ __forceinline__ %s", verbs[v]);
        if (v) buf_printf(out, "%s &b)", name);
        buf_str(out, " {");
        for (int k = 0; k < e->p->ninstr; k++)
            if (of[k]) buf_printf(out, v ? " s%d.join(b.s%d);" : " s%d.empty();", k, k);
        buf_str(out, " }\n");
    }
    buf_str(out, "};\n");
}

void emit_state(const EmitPlan *e, Buf *out) {
    bool chain = e->v.shape == EMIT_CHAIN;
    for (int q = 0; q < (chain ? e->walks : 1); q++) {
        bool of[PROG_MAX_INSTR] = {false}, any = false;
        char name[16] = "S";
        for (int k = 0; k < e->p->ninstr; k++) {
            of[k] = e->p->code[k].kind == P_REDUCE && (!chain || e->phase[k] == q + 1);
            any |= of[k];
        }
        if (chain) snprintf(name, sizeof name, "S%d", q);
        if (any) state_struct(e, name, of, out);
    }
}

/* ---- statements ---- */

static void value(Buf *out, const EmitPlan *e, int k, Level level) {
    const Instr *i = &e->p->code[k];
    DType d = (DType)i->dtype;
    char v[16];
    switch ((InstrKind)i->kind) {
    case P_LOAD: load(out, e, i, level); break;
    case P_SCALAR:
        snprintf(v, sizeof v, "k%d", i->index);
        from_memory(out, d, v);
        break;
    case P_IOTA: number(out, e, i->slot, level); break;
    case P_DRAW: /* uniform halves are exact, the others f32 numbers to be rounded */
        rounded(out, d, true);
        draw(out, e, i, level);
        rounded(out, d, false);
        break;
    case P_OP:
        if (i->op == OP_nextafter && dtype_is_half(d)) {
            next_half(out, i);
            break;
        }
        rounded(out, d, true);
        op_expression(out, i);
        rounded(out, d, false);
        break;
    case P_CAST:
        snprintf(v, sizeof v, "v%d", i->a);
        emit_cast(out, (DType)i->type, d, v);
        break;
    case P_BITCAST: bitcast(out, i); break;
    case P_CMPMIX: compare_mixed(out, e, i); break;
    case P_GATHER: gather(out, e, i, level); break;
    case P_REDUCE: reduced_value(out, e, k, i); break;
    case P_SPREAD: buf_printf(out, "v%d", i->a); break;
    case P_STORE: break;
    }
}

static void store(Buf *out, const EmitPlan *e, const Instr *i, Level level) {
    int s = i->slot;
    uint8_t cls = e->p->cls[s];
    if (level == OUTER && e->v.shape == EMIT_CHAIN) buf_str(out, "if (leader) ");
    if (level == INNER && cls != ACC_BCAST)
        buf_printf(out, "y%d[j] = ", s);
    else if (level == INNER)
        buf_printf(out, "if (on) p%d[0] = ", s);
    else if (cls == ACC_BCAST)
        buf_printf(out, "p%d[0] = ", s);
    else
        buf_printf(out, "p%d[b%d] = ", s, s);
    to_memory(out, (DType)i->dtype, i->a);
    buf_char(out, ';');
}

static void shared_value(Buf *out, DType d, int k) {
    char element[24];
    snprintf(element, sizeof element, "w%d[j]", k);
    buf_printf(out, "const %s v%d = ", emit_value_type(d), k);
    from_memory(out, d, element);
    buf_str(out, ";\n");
}

/* For a later walk. */
static void hand_on(Buf *out, const EmitPlan *e, int k) {
    if (!e->shared.handed[k]) return;
    buf_printf(out, "w%d[j] = ", k);
    to_memory(out, (DType)e->p->code[k].dtype, k);
    buf_str(out, ";\n");
}

/* ---- quotients by what an output has one of: f32 and what is computed in it ----
 * Only in walks that reduce nothing: elements that were not fine are computed again. */

static bool divides(const EmitPlan *e, int k) {
    const Instr *i = &e->p->code[k];
    bool narrow = i->type == DT_f32 || dtype_is_half((DType)i->type);
    return e->inner[k] && !e->shared.taken[k] && i->kind == P_OP && i->op == OP_div && narrow &&
           e->p->code[i->b].kind == P_SPREAD;
}

static bool is_quick(const EmitPlan *e) {
    bool any = false;
    for (int k = 0; k < e->p->ninstr; k++) {
        if (e->inner[k] && e->p->code[k].kind == P_REDUCE) return false;
        any |= divides(e, k);
    }
    return any;
}

void emit_divisors(const EmitPlan *e, Buf *out) {
    bool done[PROG_MAX_INSTR] = {false};
    for (int k = 0; k < e->p->ninstr && is_quick(e); k++) {
        int b = e->p->code[k].b;
        if (!divides(e, k) || done[b]) continue;
        done[b] = true;
        buf_printf(out, "const Divisor d%d = divisor(v%d);\n", b, e->p->code[b].a);
    }
}

void emit_divisors_fine(const EmitPlan *e, Buf *out) {
    bool done[PROG_MAX_INSTR] = {false};
    buf_str(out, "true");
    for (int k = 0; k < e->p->ninstr && is_quick(e); k++) {
        int b = e->p->code[k].b;
        if (divides(e, k) && !done[b]) buf_printf(out, " && d%d.fine", b);
        done[b] |= divides(e, k);
    }
}

static void statement(Buf *out, const EmitPlan *e, int k, Level level) {
    const Instr *i = &e->p->code[k];
    if (level == INNER && e->shared.taken[k]) {
        shared_value(out, (DType)i->dtype, k);
        return;
    }
    if (i->kind == P_STORE) {
        store(out, e, i, level);
    } else if (i->kind == P_REDUCE && level == INNER) {
        accumulate(out, k, i);
    } else {
        buf_printf(out, "const %s v%d = ", emit_value_type((DType)i->dtype), k);
        value(out, e, k, level);
        buf_char(out, ';');
    }
    buf_char(out, '\n');
    if (level == INNER) hand_on(out, e, k);
}

void emit_inner_body(const EmitPlan *e, Buf *out) {
    for (int k = 0; k < e->p->ninstr; k++)
        if (e->inner[k]) statement(out, e, k, INNER);
}

void emit_quick_body(const EmitPlan *e, Buf *out) {
    bool quick = is_quick(e);
    for (int k = 0; k < e->p->ninstr; k++) {
        const Instr *i = &e->p->code[k];
        if (!e->inner[k]) continue;
        if (!quick || !divides(e, k)) {
            statement(out, e, k, INNER);
            continue;
        }
        buf_printf(out, "const xf32 v%d = ", k);
        rounded(out, (DType)i->dtype, true);
        buf_printf(out, "quotient(v%d, d%d, &fine)", i->a, i->b);
        rounded(out, (DType)i->dtype, false);
        buf_str(out, ";\n");
        hand_on(out, e, k);
    }
}

void emit_finish(const EmitPlan *e, Buf *out) {
    for (int k = 0; k < e->p->ninstr; k++)
        if (e->outer[k]) statement(out, e, k, OUTER);
}

/* ---- outputs of which some are kept ---- */

void emit_condition(const EmitPlan *e, Buf *out) { buf_printf(out, "v%d", e->v.keep); }

void emit_kept_value(const EmitPlan *e, Buf *out) { buf_printf(out, "y%d[j]", e->v.kept); }

void emit_kept_pointer(const EmitPlan *e, Buf *out) { buf_printf(out, "p%d", e->v.kept); }

void emit_kept_type(const EmitPlan *e, Buf *out) {
    const Instr *i = &e->p->code[e->slot_instr[e->v.kept]];
    buf_str(out, emit_memory_type((DType)i->dtype));
}
