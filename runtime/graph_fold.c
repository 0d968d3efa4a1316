/* graph_fold - 0-d arithmetic on elements that the host knows, done at once.
 *
 * Callers: the builders of elementwise nodes and views. A loop that reads, computes with and writes
 * single elements would otherwise build a plan for each of them. Only operations whose bits are the
 * same on every backend are folded, by the loops that the CPU's programs run, so that when an
 * element is computed changes no value.
 * Invariant: folding forces nothing and cannot fail on data. */
#include "kernels/loops_cpu.h"
#include "runtime/graph_build.h"

#include <string.h>

const void *graph_known(const Runtime *rt, const Node *n) {
    if (n->shape.rank != 0) return NULL;
    if (n->op == OP_scalar) return n->at.scalar.bits;
    if (n->state != NODE_DONE) return NULL;
    return graph_element(rt, n, n->value->offset);
}

const void *graph_element(const Runtime *rt, const Node *n, int64_t at) {
    if (n->value->buf->device != rt->cpu) return NULL;
    return (const char *)n->value->buf->ptr + at * (int64_t)dtype_size((DType)n->dtype);
}

static bool is_exact(Op op) {
    switch (op) {
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_div:
    case OP_floordiv:
    case OP_mod:
    case OP_neg:
    case OP_eq:
    case OP_ne:
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
    case OP_bit_and:
    case OP_bit_or:
    case OP_bit_xor:
    case OP_bit_not:
    case OP_abs:
    case OP_sqrt:
    case OP_minimum:
    case OP_maximum: return true;
    default: return false;
    }
}

/* The operand's element in dtype t. */
static bool load(const Runtime *rt, const Operand *a, DType t, void *out) {
    if (!a->node) return scalar_store(&a->s, t, out), true;
    const void *bits = graph_known(rt, a->node);
    if (!bits) return false;
    DType from = (DType)a->node->dtype;
    if (from == t) return memcpy(out, bits, dtype_size(t)), true;
    Scalar s = scalar_load(from, bits);
    scalar_store(&s, t, out);
    return true;
}

bool graph_fold(const Runtime *rt, Op op, const OpTypes *t, DType natural, const Operand *args,
                int n, void *out) {
    uint64_t in[3][2] = {{0}}, result[2] = {0};
    if (!is_exact(op) || t->exact != OPX_NORMAL || dtype_is_complex(t->in)) return false;
    const Loop *loops = loops_cpu()->op[t->in];
    if (dtype_is_half(t->in) || !loops || !loops[op]) return false;
    for (int i = 0; i < n; i++)
        if (!load(rt, &args[i], t->in, in[i])) return false;
    loops[op](1, result, in[0], in[1], in[2]);
    if (natural == t->out) {
        memcpy(out, result, dtype_size(natural));
    } else {
        Scalar s = scalar_load(natural, result);
        scalar_store(&s, t->out, out);
    }
    return true;
}

/* The element e as dtype t, where that is no widening and no failure. */
static bool element_bits(const Runtime *rt, const Operand *e, DType t, void *out) {
    if (e->node) return e->node->dtype == t && load(rt, e, t, out);
    if (dtype_weak(t, &e->s, rt->flt) != t || !scalar_fits(&e->s, t)) return false;
    scalar_store(&e->s, t, out);
    return true;
}

static bool element_offset(const Array *a, const int64_t *index, int64_t *at) {
    *at = a->offset;
    for (int j = 0; j < a->shape.rank; j++) {
        int64_t n = a->shape.dim[j], i = index[j] < 0 ? index[j] + n : index[j];
        if (i < 0 || i >= n) return false;
        *at += i * a->stride[j];
    }
    return true;
}

Status graph_fetch(Runtime *rt, const Node *x, const int64_t *index, Node **out) {
    int64_t at;
    *out = NULL;
    if (x->state != NODE_DONE || !element_offset(x->value, index, &at)) return ARR_OK;
    const void *bits = graph_element(rt, x, at);
    return bits ? graph_constant(rt, (DType)x->dtype, &(Shape){.rank = 0}, bits, out) : ARR_OK;
}

bool graph_is_handy(const Node *x) {
    enum { SMALL = 4096, DEPTH = 8 }; /* elements: as much time as two plans; ops */
    if (x->state != NODE_PENDING || node_size(x) > SMALL) return false;
    for (int depth = 0; depth < DEPTH; depth++) {
        const Node *in = NULL;
        if (x->state == NODE_DONE) return true;
        if (x->state != NODE_PENDING) return false;
        switch (x->op) {
        case OP_iota:
        case OP_draw: return true;
        case OP_view:
        case OP_reshape:
        case OP_cast:
        case OP_add:
        case OP_sub:
        case OP_mul:
            for (int i = 0; i < node_inputs(x); i++) {
                if (node_input(x, i)->op == OP_scalar) continue;
                if (in) return false;
                in = node_input(x, i);
            }
            if (!in) return false;
            x = in;
            break;
        default: return false;
        }
    }
    return false;
}

bool graph_store(Runtime *rt, Node *x, uint32_t refs, const int64_t *index, const Operand *e) {
    uint8_t bits[16];
    const Array *a = x->value;
    if (x->state != NODE_DONE || x->refs != refs || x->uses || x->twin) return false;
    if (!array_is_own(a) || a->buf->device != rt->cpu) return false;
    if (!array_is_contiguous(a) || !element_bits(rt, e, a->dtype, bits)) return false;
    int64_t at;
    if (!element_offset(a, index, &at)) return false;
    size_t item = dtype_size(a->dtype);
    memcpy((char *)a->buf->ptr + (size_t)at * item, bits, item);
    return true;
}
