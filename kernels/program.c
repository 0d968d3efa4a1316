/* program - constructing, canonicalizing and printing kernel programs.
 *
 * Called by runtime/lower (building) and by the two back ends (text as key, counts). Invariant:
 * nothing here depends on extents, strides or scalars except through the access classes, the index
 * width and the loops that were merged; so equal texts mean one kernel. */
#include "kernels/program.h"
#include "kernels/program_level.h"
#include <assert.h>
#include <string.h>

void program_init(Program *p, Cx *cx, int rank, int nred) {
    p->cx = cx;
    p->rank = (uint8_t)rank;
    p->nred = (uint8_t)nred;
    p->wide = 0;
    p->serial = 0;
    p->ninstr = p->nslot = p->nscalar = 0;
}

int program_slot(Program *p) {
    if (p->nslot == PROG_MAX_SLOTS) return -1;
    p->cls[p->nslot] = ACC_STRIDED;
    return p->nslot++;
}

int program_scalar(Program *p, DType d) {
    if (p->nscalar == PROG_MAX_SCALARS) return -1;
    p->scalar_type[p->nscalar] = (uint8_t)d;
    return p->nscalar++;
}

int program_add(Program *p, Instr i) {
    if (p->ninstr == PROG_MAX_INSTR) return -1;
    p->code[p->ninstr] = i;
    return p->ninstr++;
}

static int64_t extent_product(const ProgArgs *a, int lo, int hi) {
    int64_t n = 1;
    for (int d = lo; d < hi; d++) n *= a->dim[d];
    return n;
}

int64_t program_outputs(const Program *p, const ProgArgs *a) {
    return extent_product(a, 0, p->rank - p->nred);
}

int64_t program_reduced(const Program *p, const ProgArgs *a) {
    return extent_product(a, p->rank - p->nred, p->rank);
}

int instr_operands(const Instr *i, int out[3]) {
    switch (i->kind) {
    case P_CAST:
    case P_BITCAST:
    case P_GATHER:
    case P_REDUCE:
    case P_SPREAD:
    case P_STORE: out[0] = i->a; return 1;
    case P_CMPMIX:
        out[0] = i->a;
        out[1] = i->b;
        return 2;
    case P_OP:
        out[0] = i->a;
        out[1] = i->b;
        out[2] = i->c;
        return op_info((Op)i->op)->arity;
    default: return 0;
    }
}

bool instr_has_slot(const Instr *i) {
    return i->kind == P_LOAD || i->kind == P_IOTA || i->kind == P_DRAW || i->kind == P_GATHER ||
           i->kind == P_STORE;
}

void program_levels(const Program *p, bool reduced[PROG_MAX_INSTR]) {
    for (int k = 0; k < p->ninstr; k++) {
        int use[3], n = instr_operands(&p->code[k], use);
        reduced[k] = p->code[k].kind == P_REDUCE;
        if (p->code[k].kind == P_SPREAD) continue;
        for (int j = 0; j < n && !reduced[k]; j++) reduced[k] = reduced[use[j]];
    }
}

bool program_is_chain(const Program *p) {
    for (int k = 0; k < p->ninstr; k++)
        if (p->code[k].kind == P_SPREAD) return true;
    return false;
}

int program_phases(const Program *p, uint8_t phase[PROG_MAX_INSTR]) {
    bool reduced[PROG_MAX_INSTR];
    int walks = 0;
    program_levels(p, reduced);
    for (int k = 0; k < p->ninstr; k++) {
        int use[3], n = instr_operands(&p->code[k], use);
        phase[k] = 0;
        for (int j = 0; j < n; j++)
            if (phase[use[j]] > phase[k]) phase[k] = phase[use[j]];
        phase[k] = (uint8_t)(phase[k] + (p->code[k].kind == P_REDUCE));
        int last = reduced[k] ? phase[k] : p->code[k].kind == P_STORE ? phase[k] + 1 : 0;
        if (last > walks) walks = last;
    }
    return p->nred ? walks : 0;
}

/* May loops d and d+1 be walked as one by every slot? */
static bool mergeable(const Program *p, const ProgArgs *a, int d) {
    if (d + 1 == p->rank - p->nred) return false; /* one outer, one reduced */
    for (int s = 0; s < p->nslot; s++)
        if (a->slot[s].stride[d] != a->slot[s].stride[d + 1] * a->dim[d + 1]) return false;
    return true;
}

static void merge_loops(Program *p, ProgArgs *a, int d) {
    if (d + 1 >= p->rank - p->nred) p->nred--;
    a->dim[d] *= a->dim[d + 1];
    for (int s = 0; s < p->nslot; s++) a->slot[s].stride[d] = a->slot[s].stride[d + 1];
    for (int j = d + 1; j + 1 < p->rank; j++) {
        a->dim[j] = a->dim[j + 1];
        for (int s = 0; s < p->nslot; s++) a->slot[s].stride[j] = a->slot[s].stride[j + 1];
    }
    p->rank--;
}

static AccessClass classify(const ProgArgs *a, const SlotArg *s, int loops, int rank) {
    bool contig = true, bcast = true;
    int64_t run = 1;
    for (int d = rank - 1; d >= 0; d--) bcast &= s->stride[d] == 0;
    for (int d = loops - 1; d >= 0; d--) {
        contig &= a->dim[d] == 1 || s->stride[d] == run;
        run *= a->dim[d];
    }
    return bcast ? ACC_BCAST : contig ? ACC_CONTIG : ACC_STRIDED;
}

/* Does an element of the slot, or the loop count itself, lie beyond 32-bit index arithmetic? */
bool program_slot_is_wide(const Program *p, const ProgArgs *a, const SlotArg *s) {
    int64_t reach = s->offset < 0 ? -s->offset : s->offset;
    for (int d = 0; d < p->rank; d++) {
        int64_t step = s->stride[d] < 0 ? -s->stride[d] : s->stride[d], span;
        if (a->dim[d] < 1) continue;
        if (!mul_i64(step, a->dim[d] - 1, &span) || !add_i64(reach, span, &reach)) return true;
    }
    return reach > INT32_MAX;
}

void program_canonicalize(Program *p, ProgArgs *a) {
    bool reduced[PROG_MAX_INSTR];
    for (int d = 0; d + 1 < p->rank;)
        if (mergeable(p, a, d))
            merge_loops(p, a, d);
        else
            d++;
    int64_t total = extent_product(a, 0, p->rank);
    p->wide = total > INT32_MAX;
    program_levels(p, reduced);
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        if (!instr_has_slot(i)) continue;
        const SlotArg *s = &a->slot[i->slot];
        int loops = i->kind == P_STORE && reduced[i->a] ? p->rank - p->nred : p->rank;
        p->cls[i->slot] = (uint8_t)classify(a, s, loops, p->rank);
        if (i->kind == P_IOTA || i->kind == P_DRAW) continue; /* always 64-bit numbers */
        if (program_slot_is_wide(p, a, s)) p->wide = 1;
    }
}

/* ---- verifier ------------------------------------------------------------------------------- */

static Status wrong(Cx *cx, int k, const char *what) {
    return error_set(cx, ARR_ERR_INTERNAL, SPAN_NONE, "kernel program, instruction %d: %s", k,
                     what);
}

static const char *check_types(const Program *p, const Instr *i, const int *use, int n) {
    for (int j = 0; j < n; j++) {
        int t = p->code[use[j]].dtype;
        bool choice = i->kind == P_OP && op_info((Op)i->op)->rule == OR_SELECT && j == 0;
        if (choice && t != DT_bool) return "the choice of a where is not bool";
        if (choice) continue;
        switch (i->kind) {
        case P_OP:
        case P_CAST:
        case P_BITCAST:
        case P_REDUCE:
            if (t != i->type) return "an operand has another dtype than stated";
            break;
        case P_GATHER:
            if (t != DT_i64) return "a gather's index is not i64";
            break;
        case P_STORE:
            if (t != i->dtype) return "a store has another dtype than its value";
            break;
        case P_SPREAD:
            if (t != i->dtype) return "a spread value has another dtype than its source";
            break;
        default: break;
        }
    }
    return NULL;
}

Status program_verify(Cx *cx, const Program *p) {
    uint8_t used[PROG_MAX_SLOTS] = {0};
    bool reduced[PROG_MAX_INSTR];
    if (p->rank < 1 || p->rank > MAX_RANK || p->nred > p->rank)
        return wrong(cx, 0, "impossible loops");
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        int use[3], n = instr_operands(i, use);
        for (int j = 0; j < n; j++) {
            if (use[j] >= k) return wrong(cx, k, "an operand is not computed yet");
            if (p->code[use[j]].kind == P_STORE) return wrong(cx, k, "a store has no value");
        }
        const char *bad = check_types(p, i, use, n);
        if (bad) return wrong(cx, k, bad);
        if (instr_has_slot(i)) {
            if (i->slot >= p->nslot) return wrong(cx, k, "no such slot");
            if (used[i->slot]++) return wrong(cx, k, "a slot is used twice");
        }
        if ((i->kind == P_SCALAR || i->kind == P_DRAW) && i->index >= p->nscalar)
            return wrong(cx, k, "no such scalar");
        if (i->kind == P_REDUCE && !p->nred) return wrong(cx, k, "a reduction without loops");
    }
    program_levels(p, reduced);
    for (int k = 0; k < p->ninstr; k++) {
        if (p->code[k].kind == P_REDUCE && reduced[p->code[k].a])
            return wrong(cx, k, "a reduction of a reduction");
        if (p->code[k].kind == P_SPREAD && !reduced[p->code[k].a])
            return wrong(cx, k, "what is spread is no result of a reduction");
    }
    return ARR_OK;
}

/* ---- text ----------------------------------------------------------------------------------- */

const char *reduce_name(ReduceKind k) {
    static const char *const names[] = {"sum", "prod",   "min",    "max", "any",
                                        "all", "argmin", "argmax", "var", "count"};
    return names[k];
}

const char *draw_name(DrawKind k) {
    static const char *const names[] = {"words32",     "uniform", "normal",
                                        "exponential", "randint", "keys64"};
    return names[k];
}

static const char *class_name(uint8_t c) {
    return c == ACC_CONTIG ? "contig" : c == ACC_BCAST ? "bcast" : "strided";
}

static void text_operands(Buf *out, const Instr *i) {
    int use[3], n = instr_operands(i, use);
    for (int j = 0; j < n; j++) buf_printf(out, " v%d", use[j]);
}

static void text_instr(Buf *out, const Program *p, int k) {
    const Instr *i = &p->code[k];
    const char *type = dtype_name((DType)i->type), *slot = class_name(p->cls[i->slot]);
    if (i->kind != P_STORE) buf_printf(out, "v%d:%s = ", k, dtype_name((DType)i->dtype));
    switch ((InstrKind)i->kind) {
    case P_LOAD: buf_printf(out, "load s%d %s", i->slot, slot); break;
    case P_SCALAR: buf_printf(out, "scalar p%d", i->index); break;
    case P_IOTA: buf_printf(out, "iota s%d %s", i->slot, slot); break;
    case P_DRAW:
        buf_printf(out, "draw.%s s%d %s p%d", draw_name((DrawKind)i->sub), i->slot, slot, i->index);
        break;
    case P_OP: buf_printf(out, "%s.%s", op_info((Op)i->op)->name, type); break;
    case P_CAST: buf_printf(out, "cast.%s", type); break;
    case P_BITCAST: buf_printf(out, "bitcast.%s", type); break;
    case P_CMPMIX: buf_printf(out, "mixed_%s", op_info((Op)i->op)->name); break;
    case P_GATHER: buf_printf(out, "gather s%d %s", i->slot, slot); break;
    case P_REDUCE:
        buf_printf(out, "reduce.%s.%s", reduce_name((ReduceKind)i->sub), type);
        if (i->sub == RED_VAR) buf_printf(out, " p%d", i->index);
        break;
    case P_SPREAD: buf_str(out, "spread"); break;
    case P_STORE:
        buf_printf(out, "store.%s s%d %s", dtype_name((DType)i->dtype), i->slot, slot);
        break;
    }
    text_operands(out, i);
    buf_char(out, '\n');
}

void program_text(Buf *out, const Program *p) {
    buf_printf(out, "program loops %d reduced %d index %d\n", p->rank, p->nred, p->wide ? 64 : 32);
    for (int k = 0; k < p->nscalar; k++)
        buf_printf(out, "p%d:%s\n", k, dtype_name((DType)p->scalar_type[k]));
    for (int k = 0; k < p->ninstr; k++) text_instr(out, p, k);
}
