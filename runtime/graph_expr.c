/* graph_expr - whole expressions as one node, and the nodes that they stand for.
 *
 * Callers: the evaluator builds them; plan.c has them expanded where it does not know the plan. The
 * ids of a node's steps are left free below its own, so that expanding it late changes no order.
 * Invariant: a node that is expanded has the value, the place in the list of pending nodes and the
 * count of pending steps that it had before. */
#include "runtime/graph_build.h"

#include <string.h>

/* As many as a large program has places; each is 900 bytes. */
enum { EXPRS_MOST = 4096 };

static bool same_steps(const Expr *a, const Expr *b) {
    if (a->nin != b->nin || a->nconst != b->nconst || a->nstep != b->nstep) return false;
    for (int k = 0; k < a->nstep; k++)
        if (a->step[k].op != b->step[k].op || a->step[k].a != b->step[k].a ||
            a->step[k].b != b->step[k].b)
            return false;
    for (int k = 0; k < a->nconst; k++) {
        const Scalar *x = &a->constant[k], *y = &b->constant[k];
        if (x->kind != y->kind) return false;
        if (x->kind == SC_INT ? x->i != y->i : memcmp(&x->f, &y->f, sizeof x->f) != 0) return false;
    }
    return true;
}

Status graph_expr(Runtime *rt, const Expr *steps, const Expr **out) {
    *out = NULL;
    for (Expr *e = rt->exprs; e; e = e->next)
        if (same_steps(e, steps)) return *out = e, ARR_OK;
    if (rt->nexpr == EXPRS_MOST) return ARR_OK;
    Expr *e = mem_alloc(&rt->cx->mem, sizeof *e);
    if (!e) return error_memory(rt->cx, sizeof *e);
    *e = *steps;
    e->serial = ++rt->serial;
    e->next = rt->exprs;
    rt->exprs = e;
    rt->nexpr++;
    *out = e;
    return ARR_OK;
}

static const Node *first_array(const Expr *e, const Operand *inputs) {
    int i = 0;
    while (i < e->nin && !inputs[i].node) i++;
    return i < e->nin ? inputs[i].node : NULL;
}

static Status constant_like(Runtime *rt, const Scalar *s, const Node *x, Node **out) {
    TRY(node_like(rt, OP_scalar, (DType)x->dtype, x, out));
    scalar_store(s, (DType)x->dtype, (*out)->at.scalar.bits);
    return ARR_OK;
}

/* Serial numbers that an expression's node takes, its own included: one a step, a constant and an
 * input. */
static uint64_t numbers_of(const Expr *e) { return (uint64_t)e->nconst + e->nstep + e->nin; }

Status graph_apply_expr(Runtime *rt, const Expr *e, const Operand *inputs, Node **out) {
    const Node *x = first_array(e, inputs);
    Node *in[EXPR_INPUTS], *n = NULL, **more = NULL;
    size_t bytes = (size_t)e->nin * sizeof *more;
    Status s = ARR_OK;
    int have = 0;
    *out = NULL;
    for (; have < e->nin && s == ARR_OK; have += s == ARR_OK) {
        if (inputs[have].node)
            in[have] = node_retain(inputs[have].node);
        else
            s = constant_like(rt, &inputs[have].s, x, &in[have]);
    }
    if (s == ARR_OK && e->nin > 3) {
        more = mem_alloc(&rt->cx->mem, bytes);
        if (!more) s = error_memory(rt->cx, bytes);
    }
    if (s == ARR_OK) {
        rt->serial += numbers_of(e) - 1;
        s = node_like(rt, (Op)NODE_EXPR, (DType)x->dtype, x, &n);
    }
    if (s != ARR_OK) {
        for (int i = 0; i < have; i++) node_release(rt, in[i]);
        mem_free(&rt->cx->mem, more, more ? bytes : 0);
        return s;
    }
    n->at.expr = e;
    n->more_pending = (uint8_t)(e->nstep - 1);
    rt->npending += n->more_pending;
    for (int i = 0; i < e->nin; i++) in[i]->uses++;
    memcpy(more ? more : n->in, in, bytes);
    n->more = more;
    n->nmore = more ? e->nin : 0;
    n->nin = more ? 0 : e->nin;
    *out = n;
    return ARR_OK;
}

/* ---- expanding ---- */

typedef struct Expansion {
    Node *in[EXPR_INPUTS], *constant[EXPR_CONSTS], *step[EXPR_STEPS];
} Expansion;

static Node *operand(const Expansion *x, uint8_t code) {
    if (code & EXPR_STEP) return x->step[code & (EXPR_STEPS - 1)];
    return code & EXPR_CONST ? x->constant[code & (EXPR_CONSTS - 1)] : x->in[code];
}

static void wire(const Expansion *x, const ExprStep *s, Node *n) {
    node_use(n, operand(x, s->a));
    if (s->op != OP_neg) node_use(n, operand(x, s->b));
}

/* The number that a step's operand names: a constant is made if it is not there yet, an input that
 * is a number of this expression alone is numbered as if it had been made now. */
static Status make_number(Runtime *rt, const Expr *e, Node *n, uint32_t index, uint8_t code,
                          uint64_t *id, Expansion *x, bool fresh, uint32_t *seen) {
    uint32_t k = code & (EXPR_CONSTS - 1), bit = code & EXPR_CONST ? k : EXPR_CONSTS + k;
    if ((code & EXPR_STEP) || (*seen >> bit & 1)) return ARR_OK;
    *seen |= (uint32_t)1 << bit;
    uint64_t here = (*id)++;
    if (!(code & EXPR_CONST)) {
        Node *in = x->in[code];
        if (in->op == OP_scalar && in->refs == 1) in->id = here;
        return ARR_OK;
    }
    if (!fresh) return ARR_OK;
    TRY(node_before(rt, OP_scalar, here, n, &x->constant[k]));
    scalar_store(&e->constant[k], (DType)n->dtype, x->constant[k]->at.scalar.bits);
    x->constant[k]->index = index;
    return ARR_OK;
}

/* All nodes but n's own last step, without inputs, in the order in which single operations would
 * have made them: a kernel's structure follows it, and one that is known is to be found again.
 * fresh: constants were not made before. */
static Status make_all(Runtime *rt, const Expr *e, Node *n, uint32_t index, Expansion *x,
                       bool fresh) {
    uint64_t id = n->id - (numbers_of(e) - 1);
    uint32_t seen = 0;
    for (int k = 0; k < e->nstep; k++) {
        const ExprStep *s = &e->step[k];
        TRY(make_number(rt, e, n, index, s->a, &id, x, fresh, &seen));
        if (s->op != OP_neg) TRY(make_number(rt, e, n, index, s->b, &id, x, fresh, &seen));
        if (k + 1 == e->nstep) break;
        TRY(node_before(rt, (Op)s->op, id++, n, &x->step[k]));
        x->step[k]->index = index;
    }
    return ARR_OK;
}

Status node_expand(Runtime *rt, Node *n, uint32_t index, Node **constant) {
    const Expr *e = n->at.expr;
    Expansion x = {{NULL}, {NULL}, {NULL}};
    bool fresh = e->nconst > 0 && !constant[0];
    for (int i = 0; i < e->nin; i++) x.in[i] = node_input(n, i);
    for (int k = 0; k < e->nconst && !fresh; k++) x.constant[k] = constant[k];
    Status s = make_all(rt, e, n, index, &x, fresh);
    if (s == ARR_OK) {
        Node last = *n; /* its inputs are given up when they have other readers */
        for (int k = 0; k + 1 < e->nstep; k++) wire(&x, &e->step[k], x.step[k]);
        n->nin = 0;
        n->more = NULL;
        wire(&x, &e->step[e->nstep - 1], n);
        n->op = e->step[e->nstep - 1].op;
        rt->npending -= n->more_pending;
        n->more_pending = 0;
        node_clear(rt, &last);
        memcpy(constant, x.constant, e->nconst * sizeof(Node *));
    }
    for (int k = 0; k < e->nconst && fresh; k++) node_release(rt, x.constant[k]);
    for (int k = 0; k + 1 < e->nstep; k++) node_release(rt, x.step[k]);
    return s;
}
