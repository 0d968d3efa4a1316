/* graph_apply - elementwise nodes: dtypes by the op table, broadcasting made explicit.
 *
 * Callers: the evaluator's operators and the builtins. Every input of the node that comes out has
 * the node's shape and the dtype that the rule names, by casts and views put in between; scalars
 * become constants. Invariant: only a comparison of u64 with i64 has inputs of two dtypes (apart
 * from where's condition). */
#include "runtime/graph_build.h"

#include <stdio.h>
#include <string.h>

static void operand_text(const Operand *a, char out[SHAPE_TEXT]) {
    if (a->node)
        node_text(a->node, out);
    else
        scalar_text(&a->s, out);
}

/* The one remedy that is nearly always meant: (n) meets (n, m). */
static const char *remedy(const Operand *args, int x, int y) {
    static const char *const column[3] = {"a[:, newaxis]", "b[:, newaxis]", "c[:, newaxis]"};
    const Shape *s = &args[x].node->shape, *t = &args[y].node->shape;
    if (s->rank == 1 && t->rank == 2 && s->dim[0] == t->dim[0]) return column[x];
    if (t->rank == 1 && s->rank == 2 && s->dim[0] == t->dim[0]) return column[y];
    return NULL;
}

static Status refuse_shapes(Runtime *rt, Op op, const Operand *args, int n, int x, int y) {
    Cx *cx = rt->cx;
    const Shape *s = &args[x].node->shape, *t = &args[y].node->shape;
    int from_end = shape_mismatch(s, t);
    char head[64], text[3][SHAPE_TEXT], axes[96], hint[64] = "";
    long long p = s->dim[s->rank - 1 - from_end], q = t->dim[t->rank - 1 - from_end];
    for (int i = 0; i < n; i++) operand_text(&args[i], text[i]);
    if (from_end == 0)
        snprintf(axes, sizeof axes, "the last axes are %lld and %lld", p, q);
    else
        snprintf(axes, sizeof axes, "the axes %d are %lld and %lld", -1 - from_end, p, q);
    const char *write = remedy(args, x, y);
    if (write) snprintf(hint, sizeof hint, "; write %s", write);
    Status st = error_set(cx, ARR_ERR_SHAPE, cx->span, "%s %s and %s: %s%s", op_verb(op, head),
                          text[x], text[y], axes, hint);
    if (n == 2)
        error_note(cx, "a: %s, b: %s", text[0], text[1]);
    else
        error_note(cx, "a: %s, b: %s, c: %s", text[0], text[1], text[2]);
    return st;
}

static Status broadcast_all(Runtime *rt, Op op, const Operand *args, int n, Shape *out) {
    const Node *first = NULL;
    *out = (Shape){.rank = 0};
    for (int i = 0; i < n; i++) {
        const Node *x = args[i].node;
        if (!x) continue;
        if (!first) {
            first = x;
            out->rank = x->shape.rank;
            memcpy(out->dim, x->shape.dim, (size_t)out->rank * sizeof *out->dim);
        }
        if (shape_equal(out, &x->shape) || shape_broadcast(out, &x->shape, out)) continue;
        for (int k = 0; k < i; k++)
            if (args[k].node && shape_mismatch(&args[k].node->shape, &x->shape) >= 0)
                return refuse_shapes(rt, op, args, n, k, i);
    }
    return ARR_OK;
}

/* An operand as an array of dtype t and shape s. */
static Status operand_node(Runtime *rt, const Operand *a, DType t, const Shape *s, Node **out) {
    Node *cast;
    if (!a->node) return graph_full(rt, t, s, &a->s, out);
    TRY(graph_cast(rt, a->node, t, &cast));
    Status st = graph_broadcast(rt, cast, s, out);
    node_release(rt, cast);
    return st;
}

/* A comparison with a scalar that lies below or above every value of the dtype. */
static Status compare_outside(Runtime *rt, Op op, const Operand *args, bool above, const Shape *s,
                              Node **out) {
    bool scalar_right = args[1].node == NULL;
    bool left_less = scalar_right == above; /* the left operand is the lesser */
    bool r = false;
    switch (op) {
    case OP_ne: r = true; break;
    case OP_lt:
    case OP_le: r = left_less; break;
    case OP_gt:
    case OP_ge: r = !left_less; break;
    default: break;
    }
    return graph_full(rt, DT_bool, s, &(Scalar){.kind = SC_BOOL, .b = r}, out);
}

static DType input_dtype(Op op, const OpTypes *t, const Operand *a, int i) {
    if (t->exact == OPX_MIXED_SIGN) return a->node->dtype == DT_u64 ? DT_u64 : DT_i64;
    return op == OP_where && i == 0 ? DT_bool : t->in;
}

/* What the expression gives before a cast to t->out: a quotient of integers is computed in f64. */
static DType result_dtype(Op op, const OpTypes *t) {
    return op_info(op)->rule == OR_DIV ? t->in : t->out;
}

static Status build(Runtime *rt, Op op, const OpTypes *t, const Operand *args, int n,
                    const Shape *s, Node **out) {
    Node *in[3] = {NULL, NULL, NULL}, *node = NULL;
    Status st = ARR_OK;
    for (int i = 0; i < n && st == ARR_OK; i++)
        st = operand_node(rt, &args[i], input_dtype(op, t, &args[i], i), s, &in[i]);
    if (st == ARR_OK) st = node_new(rt, op, result_dtype(op, t), s, &node);
    for (int i = 0; i < n; i++) {
        if (st == ARR_OK)
            node_take(rt, node, in[i]);
        else
            node_release(rt, in[i]);
    }
    if (st != ARR_OK) return st;
    st = graph_cast(rt, node, t->out, out);
    node_release(rt, node);
    return st;
}

/* x ** 2, ** 3, ** 4 as products from the left, x ** -1 as 1 / x: for an integer scalar exponent.
 */
static bool small_power(Op op, const Operand *args) {
    if (op != OP_pow || !args[0].node || args[1].node || args[1].s.kind != SC_INT) return false;
    int64_t e = args[1].s.i;
    return e == -1 || (e >= 2 && e <= 4);
}

static Status power(Runtime *rt, const OpTypes *t, const Operand *args, Node **out) {
    Node *x, *p = NULL;
    if (args[1].s.i == -1) {
        Operand inverse[2] = {{.s = {.kind = SC_INT, .i = 1}}, args[0]};
        return graph_apply(rt, OP_div, inverse, 2, out);
    }
    TRY(graph_cast(rt, args[0].node, t->in, &x));
    Status st = ARR_OK;
    for (int64_t e = 1; e < args[1].s.i && st == ARR_OK; e++) {
        Operand product[2] = {{.node = p ? p : x}, {.node = x}};
        Node *next = NULL;
        st = graph_apply(rt, OP_mul, product, 2, &next);
        node_release(rt, p);
        p = next;
    }
    node_release(rt, x);
    *out = p;
    return st;
}

/* Most work: + - * / of an f32 or f64 array with its like or a number. Then x is the array, and
 * there is nothing to promote, to broadcast or to refuse. */
static const Node *plain_pair(Op op, const Operand *args, int n) {
    if (n != 2 || (op != OP_add && op != OP_sub && op != OP_mul && op != OP_div)) return NULL;
    const Node *x = args[0].node ? args[0].node : args[1].node;
    if (!x || (x->dtype != DT_f32 && x->dtype != DT_f64)) return NULL;
    if (x->op == OP_scalar || x->shape.rank == 0) return NULL;
    for (int i = 0; i < 2; i++) {
        const Node *y = args[i].node;
        if (y == x) continue;
        if (y && (y->dtype != x->dtype || !shape_equal(&y->shape, &x->shape))) return NULL;
        if (!y && args[i].s.kind != SC_INT && args[i].s.kind != SC_FLOAT) return NULL;
    }
    return x;
}

static Status plain_input(Runtime *rt, const Operand *a, const Node *x, Node **out) {
    if (a->node) return node_same(a->node, out);
    TRY(node_like(rt, OP_scalar, (DType)x->dtype, x, out));
    scalar_store(&a->s, (DType)x->dtype, (*out)->at.scalar.bits);
    return ARR_OK;
}

static Status build_plain(Runtime *rt, Op op, const Operand *args, const Node *x, Node **out) {
    Node *a, *b;
    TRY(plain_input(rt, &args[0], x, &a));
    Status s = plain_input(rt, &args[1], x, &b);
    if (s == ARR_OK) {
        s = node_like(rt, op, (DType)x->dtype, x, out);
        if (s == ARR_OK) return node_take(rt, *out, a), node_take(rt, *out, b), ARR_OK;
        node_release(rt, b);
    }
    node_release(rt, a);
    return s;
}

Status graph_apply(Runtime *rt, Op op, const Operand *args, int n, Node **out) {
    OpArg as[3] = {0};
    OpTypes t;
    Shape s;
    *out = NULL;
    const Node *plain = plain_pair(op, args, n);
    if (plain) return build_plain(rt, op, args, plain, out);
    for (int i = 0; i < n; i++) {
        as[i].weak = args[i].node == NULL;
        if (as[i].weak)
            as[i].s = args[i].s;
        else
            as[i].dtype = (DType)args[i].node->dtype;
    }
    TRY(op_types(rt->cx, op, as, n, rt->flt, &t));
    TRY(broadcast_all(rt, op, args, n, &s));
    int64_t count;
    TRY(shape_count(rt->cx, rt->cx->span, &s, dtype_size(t.out), &count));
    if (count == 0) return graph_zeros(rt, t.out, &s, out);
    uint8_t known[16];
    if (s.rank == 0 && graph_fold(rt, op, &t, result_dtype(op, &t), args, n, known))
        return graph_constant(rt, t.out, &s, known, out);
    if (small_power(op, args)) return power(rt, &t, args, out);
    if (t.exact == OPX_BELOW || t.exact == OPX_ABOVE)
        return compare_outside(rt, op, args, t.exact == OPX_ABOVE, &s, out);
    return build(rt, op, &t, args, n, &s, out);
}
