/* lower - walks a group's uses, operands first, and writes one instruction for each (see lower.h).
 *
 * Views and reshapes vanish here: their work was done when accesses were composed. Strides of slots
 * are the products of accesses and the strides of values. Callers: exec, explain.
 * Invariant: an instruction's operands stand before it, because a node's inputs are older. */
#include "runtime/lower.h"

#include <assert.h>
#include <string.h>

typedef struct Lower {
    Plan *p;
    Group *g;
    const LowerMemory *mem;
    Program *program;
    ProgArgs *args;
    LowerNotes *notes;
} Lower;

static Status too_large(Lower *l) {
    return error_set(l->p->cx, ARR_ERR_INTERNAL, SPAN_NONE,
                     "a fused group does not fit a kernel program: %d instructions, %d slots, %d "
                     "scalars",
                     l->program->ninstr, l->program->nslot, l->program->nscalar);
}

static Use *same(Use *u) {
    while (u->same) u = u->same;
    return u;
}

static uint16_t operand(const Use *u, int k) {
    const Use *in = same(u->in[k]);
    return (uint16_t)(in->outer && !u->outer ? in->spread - 1 : in->value);
}
static DType operand_dtype(const Use *u, int k) { return (DType)u->in[k]->node->node->dtype; }

static Status add(Lower *l, Use *u, Instr i) {
    u->value = program_add(l->program, i);
    return u->value < 0 ? too_large(l) : ARR_OK;
}

/* Operands that lower_member turns into values. */
static int value_operands(const Use *u) {
    const Node *n = u->node->node;
    return u->kind != USE_MEMBER ? 0 : n->op == OP_take ? 1 : n->nin;
}

/* In a chain: is u once per output, because it is made from reductions and the reduced loops do not
 * move it? If not, what it needs of that kind is spread over the elements. */
static Status find_level(Lower *l, Use *u) {
    const Group *g = l->g;
    int n = value_operands(u);
    u->outer = g->chain && u->kind == USE_MEMBER && u->node->node->op == OP_reduce;
    u->spread = 0;
    if (!g->chain || u->outer || n == 0) return ARR_OK;
    for (int k = 0; k < n; k++) u->outer |= same(u->in[k])->outer;
    for (int j = 0; j < u->access->rank && u->outer; j++)
        for (int d = g->nloop - g->nred; d < g->nloop; d++)
            if (access_row(g, u->access, j)[1 + d] != 0) u->outer = false;
    for (int k = 0; k < n && !u->outer; k++) {
        Use *in = same(u->in[k]);
        if (!in->outer || in->spread) continue;
        in->spread = 1 + program_add(l->program, (Instr){.kind = P_SPREAD,
                                                         .dtype = in->node->node->dtype,
                                                         .a = (uint16_t)in->value});
        if (!in->spread) return too_large(l);
    }
    return ARR_OK;
}

/* A slot whose address is a place's or 0, + row over the loops. Work on one element has no loops:
 * the one that its program has is as long as an array's, so that the kernel for arrays serves it.
 */
static Status add_slot(Lower *l, const Place *at, const int64_t *row, Use *u, SlotFrom from,
                       uint16_t *out) {
    int s = program_slot(l->program);
    if (s < 0) return too_large(l);
    SlotArg *arg = &l->args->slot[s];
    const Node *of = u->node->node;
    l->notes->use[s] = u;
    l->notes->start[s] = row[0];
    l->notes->slot[s] = (uint8_t)from;
    arg->ptr = at ? at->ptr : NULL;
    arg->offset = (at ? at->offset : 0) + row[0];
    memset(arg->stride, 0, sizeof arg->stride);
    memcpy(arg->stride, row + 1, (size_t)l->g->nloop * sizeof *row);
    if (l->g->nloop == 0 && of->shape.rank > 0) arg->stride[0] = 1;
    arg->gather_stride = arg->gather_len = 0;
    *out = (uint16_t)s;
    return ARR_OK;
}

static Status add_scalar(Lower *l, DType t, const void *bits, PNode *of, ScalarFrom from,
                         uint16_t *out) {
    int s = program_scalar(l->program, t);
    if (s < 0) return too_large(l);
    l->notes->node[s] = of;
    l->notes->scalar[s] = (uint8_t)from;
    memset(l->args->scalar[s], 0, sizeof l->args->scalar[s]);
    memcpy(l->args->scalar[s], bits, dtype_size(t));
    *out = (uint16_t)s;
    return ARR_OK;
}

static Status lower_load(Lower *l, Use *u) {
    Place at;
    int64_t row[1 + MAX_RANK];
    Instr i = {.kind = P_LOAD, .dtype = u->node->node->dtype};
    TRY(l->mem->load(l->mem->ctx, u, &at));
    access_strides(l->g, u->access, at.stride, row);
    TRY(add_slot(l, &at, row, u, SLOT_LOAD, &i.slot));
    return add(l, u, i);
}

static Status lower_scalar(Lower *l, Use *u) {
    const Node *n = u->node->node;
    Instr i = {.kind = P_SCALAR, .dtype = n->dtype};
    TRY(add_scalar(l, (DType)n->dtype, n->at.scalar.bits, u->node, SCALAR_NODE, &i.index));
    return add(l, u, i);
}

static Status lower_iota(Lower *l, Use *u) {
    int64_t row[1 + MAX_RANK];
    Instr i = {.kind = P_IOTA, .dtype = DT_i64};
    access_flat(l->g, u->access, &u->node->node->shape, row);
    TRY(add_slot(l, NULL, row, u, SLOT_NUMBER, &i.slot));
    return add(l, u, i);
}

static Status lower_draw(Lower *l, Use *u) {
    const Node *n = u->node->node;
    int64_t row[1 + MAX_RANK];
    uint16_t unused;
    Instr i = {.kind = P_DRAW, .dtype = n->dtype, .sub = n->at.draw.kind};
    access_flat(l->g, u->access, &n->shape, row);
    TRY(add_slot(l, NULL, row, u, SLOT_NUMBER, &i.slot));
    TRY(add_scalar(l, DT_u64, &n->at.draw.key, u->node, SCALAR_KEY, &i.index));
    if (n->at.draw.kind == DRAW_RANDINT) {
        TRY(add_scalar(l, DT_i64, &n->at.draw.low, u->node, SCALAR_LOW, &unused));
        TRY(add_scalar(l, DT_u64, &n->at.draw.range, u->node, SCALAR_RANGE, &unused));
    }
    return add(l, u, i);
}

/* Address: the source's elements at the take's other axes; the index says where along its axis. */
static Status lower_take(Lower *l, Use *u) {
    const Node *n = u->node->node;
    const Shape *source = &n->in[0]->shape;
    int axis = n->at.along.axis, shift = n->shape.rank - source->rank;
    int64_t row[1 + MAX_RANK] = {0};
    Place at;
    Instr i = {.kind = P_GATHER, .dtype = n->dtype, .type = DT_i64, .a = operand(u, 0)};
    TRY(l->mem->load(l->mem->ctx, same(u->in[1]), &at));
    for (int j = 0; j < source->rank; j++) {
        if (j == axis) continue;
        const int64_t *v = access_row(l->g, u->access, j < axis ? j : j + shift);
        for (int d = 0; d <= l->g->nloop; d++) row[d] += at.stride[j] * v[d];
    }
    TRY(add_slot(l, &at, row, u, SLOT_LOAD, &i.slot));
    l->notes->use[i.slot] = same(u->in[1]);
    l->args->slot[i.slot].gather_stride = at.stride[axis];
    l->args->slot[i.slot].gather_len = source->dim[axis];
    return add(l, u, i);
}

static Status lower_reduce(Lower *l, Use *u) {
    const Node *n = u->node->node;
    Instr i = {.kind = P_REDUCE,
               .dtype = n->dtype,
               .type = (uint8_t)operand_dtype(u, 0),
               .sub = n->at.reduce.kind,
               .a = operand(u, 0)};
    if (i.sub == RED_VAR)
        TRY(add_scalar(l, DT_f64, &n->at.reduce.ddof, u->node, SCALAR_FIXED, &i.index));
    return add(l, u, i);
}

static Status lower_elementwise(Lower *l, Use *u) {
    const Node *n = u->node->node;
    Instr i = {.kind = P_OP, .dtype = n->dtype, .op = n->op};
    i.type = (uint8_t)operand_dtype(u, n->op == OP_where ? 1 : 0);
    if (n->nin == 2 && operand_dtype(u, 0) != operand_dtype(u, 1)) i.kind = P_CMPMIX;
    i.a = operand(u, 0);
    if (n->nin > 1) i.b = operand(u, 1);
    if (n->nin > 2) i.c = operand(u, 2);
    return add(l, u, i);
}

static Status lower_member(Lower *l, Use *u) {
    const Node *n = u->node->node;
    switch (n->op) {
    case OP_scalar: return lower_scalar(l, u);
    case OP_iota: return lower_iota(l, u);
    case OP_draw: return lower_draw(l, u);
    case OP_take: return lower_take(l, u);
    case OP_reduce: return lower_reduce(l, u);
    case OP_view:
    case OP_reshape: u->value = operand(u, 0); return ARR_OK;
    case OP_cast:
    case OP_bitcast:
        return add(l, u,
                   (Instr){.kind = n->op == OP_cast ? P_CAST : P_BITCAST,
                           .dtype = n->dtype,
                           .type = (uint8_t)operand_dtype(u, 0),
                           .a = operand(u, 0)});
    default: assert(op_is_elementwise((Op)n->op)); return lower_elementwise(l, u);
    }
}

static Status add_store(Lower *l, Use *u, const Place *at, const int64_t *row, SlotFrom from) {
    Instr i = {.kind = P_STORE, .dtype = u->node->node->dtype, .a = (uint16_t)u->value};
    TRY(add_slot(l, at, row, u, from, &i.slot));
    return program_add(l->program, i) < 0 ? too_large(l) : ARR_OK;
}

static Status lower_stores(Lower *l) {
    int64_t row[1 + MAX_RANK];
    Use *last = NULL;
    for (Use *u = l->g->uses; u; u = u->in_group) {
        if (u->kind != USE_WHOLE && u->node == l->g->root) last = same(u);
        if (!u->store || u->same) continue;
        Place at;
        TRY(l->mem->store(l->mem->ctx, u, &at));
        access_flat(l->g, u->access, &u->node->node->shape, row);
        TRY(add_store(l, u, &at, row, SLOT_STORE));
    }
    if (!l->mem->target) return ARR_OK;
    assert(last);
    access_strides(l->g, last->access, l->mem->target->stride, row);
    return add_store(l, last, l->mem->target, row, SLOT_TARGET);
}

Status lower_group(Plan *p, Group *g, const LowerMemory *mem, Lowered *out) {
    Lower l = {p, g, mem, &out->program, &out->args, &out->notes};
    int rank = g->nloop > 0 ? g->nloop : 1;
    program_init(&out->program, p->cx, rank, g->nred);
    memset(out->args.fault, 0, sizeof out->args.fault);
    out->args.dim[0] = 1;
    for (int d = 0; d < g->nloop; d++) out->args.dim[d] = g->dim[d];
    for (Use *u = g->uses; u; u = u->in_group) {
        if (u->same || u->kind == USE_WHOLE) continue;
        TRY(find_level(&l, u));
        TRY(u->kind == USE_LOAD ? lower_load(&l, u) : lower_member(&l, u));
    }
    TRY(lower_stores(&l));
    if (p->cx->opts.verify) TRY(program_verify(p->cx, &out->program));
    program_canonicalize(&out->program, &out->args);
    return ARR_OK;
}
