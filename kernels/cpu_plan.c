/* cpu_plan - from instructions to block steps (see cpu_plan.h).
 *
 * Callers: run_cpu, reduce_cpu. Three passes over flat arrays: which instructions are wanted, their
 * steps (halves widened to f32 around each op, casts in single loops), then a place for each value.
 * Nothing here depends on the data; all memory is the caller's arena. */
#include "kernels/cpu_plan.h"
#include "kernels/program_level.h"

#include <string.h>

/* ---- spaces ---- */

static bool merges(const Space *s, int nslot, int d) {
    for (int k = 0; k < nslot; k++) {
        const int64_t *st = s->stride + k * MAX_RANK;
        if (st[d] != st[d + 1] * s->dim[d + 1]) return false;
    }
    return true;
}

static void drop_loop(Space *s, int nslot, int d) {
    s->rank--;
    for (int i = d; i < s->rank; i++) s->dim[i] = s->dim[i + 1];
    for (int k = 0; k < nslot; k++) {
        int64_t *st = s->stride + k * MAX_RANK;
        for (int i = d; i < s->rank; i++) st[i] = st[i + 1];
    }
}

Status space_init(Space *s, Arena *mem, const Program *p, const ProgArgs *a, int from, int to) {
    size_t bytes = (size_t)(p->nslot + 1) * MAX_RANK * sizeof *s->stride;
    s->stride = arena_raw(mem, bytes);
    if (!s->stride) return error_memory(mem->cx, bytes);
    s->rank = to - from;
    s->size = 1;
    for (int d = 0; d < s->rank; d++) s->size *= s->dim[d] = a->dim[from + d];
    for (int k = 0; k < p->nslot; k++)
        for (int d = 0; d < s->rank; d++) s->stride[k * MAX_RANK + d] = a->slot[k].stride[from + d];
    for (int d = s->rank - 1; d >= 0; d--)
        if (s->dim[d] == 1) drop_loop(s, p->nslot, d);
    for (int d = s->rank - 2; d >= 0; d--) {
        if (!merges(s, p->nslot, d)) continue;
        s->dim[d + 1] *= s->dim[d];
        drop_loop(s, p->nslot, d);
    }
    return ARR_OK;
}

int64_t space_offset(const Space *s, int slot, int64_t i) {
    const int64_t *st = s->stride + slot * MAX_RANK;
    int64_t offset = 0;
    for (int d = s->rank - 1; d >= 0; d--) {
        offset += (d > 0 ? i % s->dim[d] : i) * st[d];
        i /= s->dim[d];
    }
    return offset;
}

bool space_is_contiguous(const Space *s, int slot) {
    const int64_t *st = s->stride + slot * MAX_RANK;
    int64_t n = 1;
    for (int d = s->rank - 1; d >= 0; d--) {
        if (st[d] != n) return false;
        n *= s->dim[d];
    }
    return true;
}

bool space_is_uniform(const Space *s, int slot) {
    const int64_t *st = s->stride + slot * MAX_RANK;
    for (int d = 0; d < s->rank; d++)
        if (st[d] != 0) return false;
    return true;
}

/* ---- steps ---- */

enum { SEVERAL = 16 };

typedef struct Builder {
    CpuPlan *plan;
    const PlanWants *wants;
    int *wide;                /* [value]: its f32 version, -1 none yet */
    int *filled;              /* [value] with HOME_ELEMENT: a block of it, -1 none yet */
    uint16_t scalar[SEVERAL]; /* steps of the first different parameters */
    int nscalar;
} Builder;

/* Values and steps that an instruction may need: operands widened, casts in up to three steps; and
 * those of a reduction's operand. */
enum { VALUES_EACH = 6, STEPS_EACH = 6, EACH_REDUCE = 4 };

static int add_value(CpuPlan *plan, DType d) {
    plan->value[plan->nvalue] = (PlanValue){.dtype = (uint8_t)d, .home = HOME_REGISTER};
    return plan->nvalue++;
}

static void add_step(CpuPlan *plan, Step s) { plan->step[plan->nstep++] = s; }

int plan_convert(CpuPlan *plan, int value, DType to) {
    while (plan->value[value].dtype != to) {
        DType from = (DType)plan->value[value].dtype, next = cast_next(from, to);
        int v = add_value(plan, next);
        add_step(plan, (Step){.kind = STEP_LOOP,
                              .dtype = (uint8_t)next,
                              .op = OP_cast,
                              .out = (uint16_t)v,
                              .a = (uint16_t)value,
                              .b = (uint16_t)value,
                              .c = (uint16_t)value,
                              .loop = plan->loops->cast[from][next]});
        value = v;
    }
    return value;
}

static int widened(Builder *b, int value) {
    CpuPlan *plan = b->plan;
    if (!dtype_is_half((DType)plan->value[value].dtype)) return value;
    if (b->wide[value] < 0) b->wide[value] = plan_convert(plan, value, DT_f32);
    return b->wide[value];
}

static const Loop *op_loops(const CpuPlan *plan, DType type) {
    if (dtype_is_complex(type)) return loops_complex[type == DT_c128];
    return plan->loops->op[type];
}

static DType natural_result(Op op, DType type) {
    switch (op_info(op)->rule) {
    case OR_EQUAL:
    case OR_ORDER:
    case OR_PRED:
    case OR_PREDREAL: return DT_bool;
    case OR_ABS:
    case OR_REAL:
    case OR_ANGLE: return dtype_real(type);
    case OR_TOCOMPLEX: return dtype_complex(type);
    default: return type;
    }
}

/* where() moves elements whole: for halves the loop of u16. nextafter of halves is their own. */
static DType compute_type(const Instr *i) {
    if (!dtype_is_half((DType)i->type)) return (DType)i->type;
    return op_info((Op)i->op)->rule == OR_SELECT ? DT_u16 : DT_f32;
}

#define NEXTAFTER_HALF(name, inf)                                                        \
    static void name(size_t n, void *out, const void *a, const void *b, const void *c) { \
        const uint16_t *pa = a, *pb = b;                                                 \
        uint16_t *po = out;                                                              \
        (void)c;                                                                         \
        for (size_t i = 0; i < n; i++) po[i] = nextafter_half(pa[i], pb[i], inf);        \
    }

/* The neighbour of a towards b on the bits of a half whose infinity is inf (x_nextafter_half). */
static uint16_t nextafter_half(uint16_t a, uint16_t b, int inf) {
    int x = a & 0x7fff, y = b & 0x7fff;
    if (x > inf) return a;
    if (y > inf) return b;
    x = a & 0x8000 ? -x : x;
    y = b & 0x8000 ? -y : y;
    if (x == y) return b;
    x += x < y ? 1 : -1;
    return (uint16_t)(x < 0 || (x == 0 && (a & 0x8000)) ? -x | 0x8000 : x);
}
NEXTAFTER_HALF(nextafter_f16, 0x7c00)
NEXTAFTER_HALF(nextafter_bf16, 0x7f80)

static int filled(Builder *b, int value);

/* The loop for operands of which just one is a parameter: NULL if there is none. */
static Loop element_loop(const CpuPlan *plan, const Instr *i, const int *v, int n) {
    const Loop *side;
    if (n != 2 || i->op == OP_pow) return NULL;
    bool left = plan->value[v[0]].home == HOME_ELEMENT;
    if (left == (plan->value[v[1]].home == HOME_ELEMENT)) return NULL;
    side = left ? plan->loops->left[i->type] : plan->loops->right[i->type];
    return side ? side[i->op] : NULL;
}

static int build_op(Builder *b, const Instr *i, int *v, int n) {
    CpuPlan *plan = b->plan;
    Op op = (Op)i->op;
    DType type = compute_type(i), natural = natural_result(op, type);
    Loop loop = element_loop(plan, i, v, n);
    for (int j = 0; j < n && !loop; j++) v[j] = filled(b, v[j]);
    int use[3] = {v[0], v[0], v[0]};
    if (op == OP_nextafter && dtype_is_half((DType)i->type)) {
        loop = i->type == DT_f16 ? nextafter_f16 : nextafter_bf16;
        natural = (DType)i->type;
    }
    for (int j = 0; j < n; j++) use[j] = loop || type != DT_f32 ? v[j] : widened(b, v[j]);
    if (natural == DT_u16) natural = (DType)i->dtype; /* where of halves */
    if (!loop) loop = op_loops(plan, type)[op];
    int out = add_value(plan, natural);
    add_step(plan, (Step){.kind = STEP_LOOP,
                          .dtype = (uint8_t)natural,
                          .op = i->op,
                          .out = (uint16_t)out,
                          .a = (uint16_t)use[0],
                          .b = (uint16_t)use[1],
                          .c = (uint16_t)use[2],
                          .loop = loop});
    return plan_convert(plan, out, (DType)i->dtype);
}

/* An instruction with a step of its own kind. */
static int build_plain(Builder *b, const Instr *i, StepKind kind, const int *v, int n) {
    int out = add_value(b->plan, (DType)i->dtype);
    add_step(b->plan, (Step){.kind = (uint8_t)kind,
                             .dtype = i->dtype,
                             .sub = i->sub,
                             .op = i->op,
                             .out = (uint16_t)out,
                             .a = (uint16_t)(n > 0 ? v[0] : out),
                             .b = (uint16_t)(n > 1   ? v[1]
                                             : n > 0 ? v[0]
                                                     : out),
                             .c = (uint16_t)(n > 0 ? v[0] : out),
                             .slot = i->slot,
                             .index = i->index});
    return out;
}

static int build_load(Builder *b, const Instr *i) {
    CpuPlan *plan = b->plan;
    if (!space_is_contiguous(&plan->space, i->slot) || plan->space.rank == 0 || plan->tiled)
        return build_plain(b, i, STEP_FETCH, NULL, 0);
    int out = add_value(plan, (DType)i->dtype);
    plan->value[out].home = HOME_SLOT;
    plan->value[out].slot = i->slot;
    return out;
}

static int build_store(Builder *b, const Instr *i, const int *v) {
    add_step(b->plan, (Step){.kind = STEP_PUT,
                             .dtype = i->dtype,
                             .out = (uint16_t)v[0],
                             .a = (uint16_t)v[0],
                             .b = (uint16_t)v[0],
                             .c = (uint16_t)v[0],
                             .slot = i->slot});
    return v[0];
}

static int build_bits(Builder *b, const Instr *i, int v) {
    CpuPlan *plan = b->plan;
    if (plan->value[v].dtype == i->dtype) return v;
    /* the same bits under another name: a copy by the integer loop of that size (of 16 bytes there
     * is one dtype only) */
    static const DType of_size[9] = {[1] = DT_u8, [2] = DT_u16, [4] = DT_u32, [8] = DT_u64};
    DType as = of_size[dtype_size((DType)i->dtype)];
    Loop copy = plan->loops->cast[as][as];
    int out = add_value(plan, (DType)i->dtype);
    add_step(plan, (Step){.kind = STEP_LOOP,
                          .dtype = i->dtype,
                          .op = OP_bitcast,
                          .out = (uint16_t)out,
                          .a = (uint16_t)v,
                          .b = (uint16_t)v,
                          .c = (uint16_t)v,
                          .loop = copy});
    return out;
}

/* Parameters that happen to be equal share one block of copies: loops that were unrolled repeat
 * theirs, and those blocks compete for the cache. */
static int fill(Builder *b, const Instr *i) {
    CpuPlan *plan = b->plan;
    const uint8_t *bits = plan->args->scalar[i->index];
    for (int k = 0; k < b->nscalar; k++) {
        const Step *s = &plan->step[b->scalar[k]];
        if (s->dtype == i->dtype &&
            memcmp(plan->args->scalar[s->index], bits, dtype_size((DType)i->dtype)) == 0)
            return s->out;
    }
    if (b->nscalar < SEVERAL) b->scalar[b->nscalar++] = (uint16_t)plan->nstep;
    return build_plain(b, i, STEP_SCALAR, NULL, 0);
}

static int filled(Builder *b, int value) {
    const PlanValue *x = &b->plan->value[value];
    if (x->home != HOME_ELEMENT) return value;
    if (b->filled[value] < 0)
        b->filled[value] = fill(b, &(Instr){.dtype = x->dtype, .index = x->slot});
    return b->filled[value];
}

static int build_scalar(Builder *b, const Instr *i) {
    int v = add_value(b->plan, (DType)i->dtype);
    b->plan->value[v].home = HOME_ELEMENT;
    b->plan->value[v].slot = i->index;
    return v;
}

static int build_instr(Builder *b, const Instr *i) {
    CpuPlan *plan = b->plan;
    int use[3], v[3] = {0}, n = instr_operands(i, use);
    for (int j = 0; j < n; j++) v[j] = plan->of_instr[use[j]];
    for (int j = 0; j < n && i->kind != P_OP; j++) v[j] = filled(b, v[j]);
    switch ((InstrKind)i->kind) {
    case P_LOAD: return build_load(b, i);
    case P_SCALAR: return build_scalar(b, i);
    case P_IOTA: return build_plain(b, i, STEP_IOTA, v, 0);
    case P_DRAW: return build_plain(b, i, STEP_DRAW, v, 0);
    case P_OP: return build_op(b, i, v, n);
    case P_CAST: return plan_convert(plan, v[0], (DType)i->dtype);
    case P_BITCAST: return build_bits(b, i, v[0]);
    case P_CMPMIX: {
        int out = build_plain(b, i, STEP_MIXED, v, n);
        plan->step[plan->nstep - 1].swap = plan->value[v[0]].dtype != DT_u64;
        return out;
    }
    case P_GATHER: return build_plain(b, i, STEP_GATHER, v, n);
    case P_STORE: return build_store(b, i, v);
    case P_REDUCE:
    case P_SPREAD: break; /* given */
    }
    return -1;
}

/* Instructions that the kept ones need. */
static void mark(const Program *p, const PlanWants *w, bool need[PROG_MAX_INSTR]) {
    memcpy(need, w->keep, (size_t)p->ninstr * sizeof *need);
    for (int k = p->ninstr - 1; k >= 0; k--) {
        int use[3], n = instr_operands(&p->code[k], use);
        if (!need[k] || (w->given && w->given[k])) continue;
        for (int j = 0; j < n; j++) need[use[j]] = true;
    }
}

Status plan_build(CpuPlan *plan, Arena *mem, const Program *p, const ProgArgs *a,
                  const Space *space, const PlanWants *wants) {
    bool need[PROG_MAX_INSTR];
    mark(p, wants, need);
    int count = 1, reductions = 0;
    for (int k = 0; k < p->ninstr; k++) {
        count += need[k];
        reductions += p->code[k].kind == P_REDUCE;
    }
    memset(plan, 0, sizeof *plan);
    plan->loops = loops_cpu();
    plan->p = p;
    plan->args = a;
    plan->space = *space;
    plan->size = wants->size;
    plan->tiled = wants->tiled;
    plan->fixed = wants->fixed;
    Builder b = {.plan = plan, .wants = wants};
    size_t extra = (size_t)(reductions * EACH_REDUCE);
    size_t values = (size_t)(count * VALUES_EACH) + extra;
    size_t steps = (size_t)(count * STEPS_EACH) + extra;
    plan->value = arena_raw(mem, values * sizeof *plan->value);
    plan->step = arena_raw(mem, steps * sizeof *plan->step);
    plan->of_instr = arena_raw(mem, ((size_t)p->ninstr + 1) * sizeof *plan->of_instr);
    b.wide = arena_raw(mem, values * sizeof *b.wide);
    if (!plan->value || !plan->step || !plan->of_instr || !b.wide)
        return error_memory(mem->cx, steps * sizeof *plan->step);
    b.filled = arena_raw(mem, values * sizeof *b.filled);
    if (!b.filled) return error_memory(mem->cx, values * sizeof *b.filled);
    memset(b.wide, 0xff, values * sizeof *b.wide);
    memset(b.filled, 0xff, values * sizeof *b.filled);
    for (int k = 0; k < p->ninstr; k++) {
        plan->of_instr[k] = -1;
        if (!need[k]) continue;
        if (wants->given && wants->given[k]) {
            int v = add_value(plan, (DType)p->code[k].dtype);
            plan->value[v].home = HOME_GIVEN;
            plan->of_instr[k] = v;
        } else {
            int v = build_instr(&b, &p->code[k]);
            plan->of_instr[k] = wants->keep[k] && v >= 0 ? filled(&b, v) : v;
        }
    }
    return ARR_OK;
}

/* ---- places ---- */

static bool value_is_once(const CpuPlan *plan, int value) {
    int home = plan->value[value].home;
    return home == HOME_ONCE || home == HOME_ELEMENT;
}

/* Is this step's value the same for all elements of every block? */
static bool step_is_once(const CpuPlan *plan, const Step *s) {
    bool still = !plan->fixed || plan->fixed[s->slot];
    switch ((StepKind)s->kind) {
    case STEP_SCALAR: return true;
    case STEP_FETCH: return still && space_is_uniform(&plan->space, s->slot);
    case STEP_LOOP:
    case STEP_MIXED:
        return value_is_once(plan, s->a) && value_is_once(plan, s->b) && value_is_once(plan, s->c);
    default: return false;
    }
}

/* Moves those steps to the front, in order. */
static Status split_once(CpuPlan *plan, Arena *mem) {
    Step *rest = arena_raw(mem, ((size_t)plan->nstep + 1) * sizeof *rest);
    if (!rest) return error_memory(mem->cx, (size_t)plan->nstep * sizeof *rest);
    int n = 0;
    for (int k = 0; k < plan->nstep; k++) {
        Step s = plan->step[k];
        if (step_is_once(plan, &s)) {
            PlanValue *v = &plan->value[s.out];
            v->home = HOME_ONCE;
            v->reg = (uint16_t)plan->nfixed++;
            plan->step[plan->nonce++] = s;
        } else {
            rest[n++] = s;
        }
    }
    memcpy(plan->step + plan->nonce, rest, (size_t)n * sizeof *rest);
    return ARR_OK;
}

typedef struct Range {
    uintptr_t lo, hi;
} Range;

/* All bytes that a slot may touch. */
static Range slot_range(const CpuPlan *plan, int slot, size_t item) {
    const ProgArgs *a = plan->args;
    const SlotArg *s = &a->slot[slot];
    int64_t lo = s->offset, hi = lo;
    for (int d = 0; d < plan->p->rank; d++) {
        int64_t span = s->stride[d] * (a->dim[d] - 1);
        *(span < 0 ? &lo : &hi) += span;
    }
    if (s->gather_len > 0) {
        int64_t span = s->gather_stride * (s->gather_len - 1);
        *(span < 0 ? &lo : &hi) += span;
    }
    uintptr_t base = (uintptr_t)s->ptr;
    return (Range){base + (uintptr_t)(lo * (int64_t)item),
                   base + (uintptr_t)((hi + 1) * (int64_t)item)};
}

/* May the destination of `put` be written while blocks of `slot` are still to be read? Only if the
 * slot is read at the same places, and nothing is computed after the value. */
static bool may_overwrite(const CpuPlan *plan, const Step *put, int slot, size_t item, bool last) {
    size_t size = dtype_size((DType)put->dtype);
    Range w = slot_range(plan, put->slot, size), r = slot_range(plan, slot, item);
    if (w.hi <= r.lo || r.hi <= w.lo) return true;
    return last && size == item && w.lo == r.lo && space_is_contiguous(&plan->space, slot);
}

static bool may_store_directly(const CpuPlan *plan, const Step *put) {
    const PlanValue *v = &plan->value[put->a];
    if (v->home != HOME_REGISTER || plan->space.rank == 0 || plan->tiled) return false;
    if (!space_is_contiguous(&plan->space, put->slot)) return false;
    int producer = -1, final = -1;
    for (int k = plan->nonce; k < plan->nstep; k++) {
        if (plan->step[k].kind == STEP_PUT) continue;
        final = k;
        if (plan->step[k].out == put->a) producer = k;
    }
    for (int k = 0; k < plan->nstep; k++) {
        const Step *s = &plan->step[k];
        if ((s->kind == STEP_FETCH || s->kind == STEP_GATHER) &&
            !may_overwrite(plan, put, s->slot, dtype_size((DType)s->dtype), false))
            return false;
    }
    for (int k = 0; k < plan->nvalue; k++) {
        const PlanValue *u = &plan->value[k];
        if (u->home == HOME_SLOT &&
            !may_overwrite(plan, put, u->slot, dtype_size((DType)u->dtype), producer == final))
            return false;
    }
    return true;
}

/* Contiguous results are computed where they belong, without a copy. */
static void store_directly(CpuPlan *plan) {
    int n = plan->nonce;
    for (int k = plan->nonce; k < plan->nstep; k++) {
        Step s = plan->step[k];
        if (s.kind == STEP_PUT && may_store_directly(plan, &s)) {
            plan->value[s.a].home = HOME_SLOT;
            plan->value[s.a].slot = s.slot;
        } else {
            plan->step[n++] = s;
        }
    }
    plan->nstep = n;
}

/* Registers by a walk over the steps: freed after the last use, and an op's result takes the place
 * of an operand of its dtype that dies there. */
typedef struct Allocator {
    CpuPlan *plan;
    int *last;      /* [value] step of its last use */
    uint16_t *free; /* stack */
    int nfree;
} Allocator;

static bool dies(const Allocator *a, int value, int step) {
    return a->plan->value[value].home == HOME_REGISTER && a->last[value] == step;
}

static void release(Allocator *a, int value, int step) {
    if (!dies(a, value, step)) return;
    a->free[a->nfree++] = a->plan->value[value].reg;
    a->last[value] = -1; /* once only, though it may stand in several operands */
}

static uint16_t take(Allocator *a) {
    return a->nfree ? a->free[--a->nfree] : (uint16_t)a->plan->nreg++;
}

static void place_step(Allocator *a, int k) {
    CpuPlan *plan = a->plan;
    const Step *s = &plan->step[k];
    PlanValue *out = &plan->value[s->out];
    const int use[3] = {s->a, s->b, s->c};
    bool placed = s->kind == STEP_PUT || out->home != HOME_REGISTER;
    bool in_place = s->kind == STEP_LOOP && s->op < OP_leaf;
    for (int j = 0; j < 3 && !placed && in_place; j++) {
        if (!dies(a, use[j], k) || plan->value[use[j]].dtype != out->dtype) continue;
        out->reg = plan->value[use[j]].reg;
        a->last[use[j]] = -1;
        placed = true;
    }
    if (!placed) out->reg = take(a);
    for (int j = 0; j < 3; j++)
        if (use[j] != s->out) release(a, use[j], k);
    if (s->kind != STEP_PUT) release(a, s->out, k); /* nobody reads it */
}

static Status place(CpuPlan *plan, Arena *mem, const int *keep, int nkeep) {
    size_t n = (size_t)plan->nvalue + 1;
    Allocator a = {.plan = plan};
    a.last = arena_alloc(mem, n * sizeof *a.last);
    a.free = arena_raw(mem, n * sizeof *a.free);
    plan->moving = arena_raw(mem, n * sizeof *plan->moving);
    if (!a.last || !a.free || !plan->moving) return error_memory(mem->cx, n * sizeof *a.last);
    for (int k = plan->nonce; k < plan->nstep; k++) {
        const Step *s = &plan->step[k];
        a.last[s->a] = a.last[s->b] = a.last[s->c] = a.last[s->out] = k;
    }
    for (int k = 0; k < nkeep; k++) a.last[keep[k]] = plan->nstep;
    for (int k = plan->nonce; k < plan->nstep; k++) place_step(&a, k);
    for (int v = 0; v < plan->nvalue; v++) {
        int home = plan->value[v].home;
        if (home == HOME_SLOT || home == HOME_GIVEN) plan->moving[plan->nmoving++] = (uint16_t)v;
    }
    return ARR_OK;
}

/* A block's registers, constants and operands should stay in the first-level cache (32 KiB on most
 * processors, some of it for what streams through). */
static void choose_block(CpuPlan *plan) {
    enum { CACHE = 24 << 10, SKEW = 192 };
    size_t item = 1, each = 0;
    for (int v = 0; v < plan->nvalue; v++) {
        const PlanValue *x = &plan->value[v];
        size_t n = dtype_size((DType)x->dtype);
        if (x->home == HOME_SLOT || x->home == HOME_GIVEN)
            each += n;
        else if (x->home != HOME_ELEMENT && n > item)
            item = n;
    }
    each += (size_t)(plan->nreg + plan->nfixed) * item;
    int block = BLOCK_MOST;
    while (block > BLOCK_LEAST && (size_t)block * each > CACHE) block /= 2;
    plan->block = block;
    plan->room = plan->size < block ? (int)plan->size : block;
    /* registers a power of two apart would fall on the same cache sets */
    plan->reg_bytes = ((size_t)plan->room * item + 63) / 64 * 64 + SKEW;
}

/* Elementary functions, draws and gathers in steps that add or multiply. */
static int step_cost(const Step *s) {
    enum { FUNCTION = 8, GATHER = 4 };
    if (s->kind == STEP_DRAW) return FUNCTION;
    if (s->kind == STEP_GATHER) return GATHER;
    if (s->kind != STEP_LOOP || s->op >= OP_leaf) return 1;
    OpRule rule = op_info((Op)s->op)->rule;
    return s->op == OP_pow || rule == OR_FLOAT || rule == OR_REALF ? FUNCTION : 1;
}

static int64_t cost_of(const CpuPlan *plan) {
    int64_t cost = 1;
    for (int k = plan->nonce; k < plan->nstep; k++) cost += step_cost(&plan->step[k]);
    return cost;
}

Status plan_finish(CpuPlan *plan, Arena *mem, const int *keep, int n) {
    TRY(split_once(plan, mem));
    store_directly(plan);
    TRY(place(plan, mem, keep, n));
    for (int k = 0; k < plan->nstep; k++)
        plan->has_numbers |= plan->step[k].kind == STEP_GATHER || plan->step[k].kind == STEP_DRAW;
    choose_block(plan);
    plan->cost = cost_of(plan);
    return ARR_OK;
}
