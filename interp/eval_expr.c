/* eval_expr - + - * / and negations of float arrays and numbers as one node of the graph.
 *
 * The second time that an expression gives an array its tree is flattened: which leaves are arrays
 * and which are numbers, what is computed of numbers alone, and the steps on arrays (Expr). From
 * then on the leaves are evaluated in order and one node is built. Where a leaf turns out to be
 * something else, what was evaluated is used and the rest is evaluated as always; so nothing is
 * evaluated twice or in another order. Array steps of this kind cannot fail, which is why it does
 * not show that they are built last. Callers: eval.c. */
#include "interp/eval_expr.h"

#include <string.h>

const char expr_seen = 0, expr_never = 1;

enum { LEAVES = 24, CODES = 64, MISSES = 16 };

typedef enum CodeKind {
    CODE_ARRAY,   /* evaluate: the next input */
    CODE_NUMBER,  /* evaluate: push */
    CODE_LITERAL, /* push */
    CODE_PAIR,    /* pop b, pop a, push a op b */
    CODE_INPUT    /* pop: the next input */
} CodeKind;

typedef struct Code {
    uint8_t kind;
    bool swap;     /* CODE_PAIR: b was pushed before a */
    int32_t link;  /* of a pair's spine */
    AstNode *node; /* leaf, literal, spine */
} Code;

typedef struct Site {
    const Expr *expr;
    int32_t ncode, misses;
    Code code[];
} Site;

/* What has been evaluated. */
typedef struct Leaves {
    Value v[LEAVES];
    int n, taken;
} Leaves;

static void leaves_free(State *A, Leaves *l) {
    for (int i = l->taken; i < l->n; i++) value_release(A, l->v[i]);
}

static bool is_plain(Op op) { return op == OP_add || op == OP_sub || op == OP_mul || op == OP_div; }

static bool is_literal(const AstNode *n) { return n->kind == AST_INT || n->kind == AST_FLOAT; }

/* Is n a part of the expression rather than a leaf of it? */
static bool is_inner(const AstNode *n) {
    if (n->kind == AST_UNARY) return n->op == OP_neg;
    if (n->kind != AST_BINARY) return false;
    for (int32_t i = 0; i < n->n; i++)
        if (!is_plain(n->links[i].op)) return false;
    return true;
}

static bool is_number(const Value *v) { return v->kind == V_INT || v->kind == V_FLOAT; }

/* An array that goes with the first one (NULL: it is the first). */
static bool fits(const Value *v, const Node *first) {
    if (v->kind != V_ARRAY) return false;
    const Node *n = v->node;
    if (n->op == OP_scalar || n->shape.rank == 0) return false;
    if (!first) return n->dtype == DT_f32 || n->dtype == DT_f64;
    return n == first || (n->dtype == first->dtype && shape_equal(&n->shape, &first->shape));
}

/* ---- the rest of an expression, the usual way ---- */

static Status rest(State *A, Frame *f, AstNode *n, Leaves *l, Value *out);

static Status rest_spine(State *A, Frame *f, AstNode *n, Leaves *l, Value *out) {
    Value acc, b, r;
    TRY(rest(A, f, n->a, l, &acc));
    for (int32_t i = 0; i < n->n; i++) {
        Status st = rest(A, f, n->items[i], l, &b);
        if (st != ARR_OK) {
            value_release(A, acc);
            return st;
        }
        A->cx.span = n->links[i].at;
        st = eval_binary(A, n->links[i].op, &acc, &b, &r);
        if (st != ARR_OK) {
            Span left = {n->span.src, n->a->span.lo,
                         i > 0 ? n->items[i - 1]->span.hi : n->a->span.hi};
            eval_note_operands(A, left, &acc, n->items[i]->span, &b);
        }
        value_release(A, acc);
        value_release(A, b);
        TRY(st);
        acc = r;
    }
    *out = acc;
    return ARR_OK;
}

static Status rest_negation(State *A, Frame *f, AstNode *n, Leaves *l, Value *out) {
    Value a;
    TRY(rest(A, f, n->a, l, &a));
    A->cx.span = n->at;
    Status st = eval_unary(A, OP_neg, &a, out);
    if (st != ARR_OK) eval_note_operands(A, n->a->span, &a, SPAN_NONE, NULL);
    value_release(A, a);
    return st;
}

/* Takes the leaves that are there before it evaluates others. */
static Status rest(State *A, Frame *f, AstNode *n, Leaves *l, Value *out) {
    TRY(stack_check(A));
    if (is_inner(n))
        return n->kind == AST_UNARY ? rest_negation(A, f, n, l, out) : rest_spine(A, f, n, l, out);
    if (is_literal(n) || l->taken == l->n) return eval(A, f, n, out);
    *out = l->v[l->taken++];
    return ARR_OK;
}

/* ---- recording ---- */

typedef enum PartKind { PART_ARRAY, PART_NUMBER, PART_LITERAL } PartKind;

typedef struct Part {
    uint8_t kind;
    uint8_t code;  /* ARRAY: an operand of the steps */
    AstNode *node; /* LITERAL */
} Part;

typedef struct Recorder {
    State *A;
    Frame *f;
    Leaves *leaves;
    Expr expr;
    Operand input[EXPR_INPUTS];
    const Node *first;
    Value stack[LEAVES + 1];
    int top;
    Code code[CODES];
    int ncode;
    bool unfit; /* the usual way, for good */
} Recorder;

static Status unfit(Recorder *r) { return r->unfit = true, ARR_OK; }

static bool add_code(Recorder *r, Code c) {
    if (r->ncode == CODES) return r->unfit = true, false;
    r->code[r->ncode++] = c;
    return true;
}

static Status add_input(Recorder *r, const Value *v, Part *out) {
    if (r->expr.nin == EXPR_INPUTS) return unfit(r);
    *out = (Part){.kind = PART_ARRAY, .code = r->expr.nin};
    return value_to_operand(r->A, "an operand", v, &r->input[r->expr.nin++]);
}

static Status record_leaf(Recorder *r, AstNode *n, Part *out) {
    Leaves *l = r->leaves;
    *out = (Part){.kind = PART_LITERAL, .node = n};
    if (is_literal(n)) return ARR_OK;
    if (l->n == LEAVES) return unfit(r);
    Value *v = &l->v[l->n];
    TRY(eval(r->A, r->f, n, v));
    l->n++;
    if (is_number(v)) {
        out->kind = PART_NUMBER;
        r->stack[r->top++] = *v;
        add_code(r, (Code){.kind = CODE_NUMBER, .node = n});
        return ARR_OK;
    }
    if (!fits(v, r->first)) return unfit(r);
    if (!r->first) r->first = v->node;
    if (!add_code(r, (Code){.kind = CODE_ARRAY, .node = n})) return ARR_OK;
    return add_input(r, v, out);
}

static Status push_literal(Recorder *r, const Part *p) {
    if (p->kind != PART_LITERAL) return ARR_OK;
    if (r->top > LEAVES) return unfit(r);
    if (!add_code(r, (Code){.kind = CODE_LITERAL, .node = p->node})) return ARR_OK;
    return eval(r->A, r->f, p->node, &r->stack[r->top++]);
}

/* An operand of a step on arrays. */
static Status as_operand(Recorder *r, Part *p) {
    if (p->kind == PART_ARRAY) return ARR_OK;
    if (p->kind == PART_NUMBER) {
        if (!add_code(r, (Code){.kind = CODE_INPUT})) return ARR_OK;
        return add_input(r, &r->stack[--r->top], p);
    }
    if (r->expr.nconst == EXPR_CONSTS) return unfit(r);
    const AstNode *n = p->node;
    r->expr.constant[r->expr.nconst] = n->kind == AST_INT ? (Scalar){.kind = SC_INT, .i = n->i}
                                                          : (Scalar){.kind = SC_FLOAT, .f = n->f};
    *p = (Part){.kind = PART_ARRAY, .code = (uint8_t)(EXPR_CONST + r->expr.nconst++)};
    return ARR_OK;
}

static Status add_step(Recorder *r, Op op, const Part *a, const Part *b, Part *out) {
    if (r->expr.nstep == EXPR_STEPS) return unfit(r);
    r->expr.step[r->expr.nstep] = (ExprStep){(uint16_t)op, a->code, b ? b->code : 0};
    *out = (Part){.kind = PART_ARRAY, .code = (uint8_t)(EXPR_STEP + r->expr.nstep++)};
    return ARR_OK;
}

/* A number of two numbers, which may fail as it always does. */
static Status pair(State *A, const Code *c, Value *stack, int *top) {
    const AstNode *n = c->node;
    int32_t i = c->link;
    const Value *b = &stack[*top - 1 - c->swap], *a = &stack[*top - 2 + c->swap];
    Value x;
    A->cx.span = n->links[i].at;
    Status st = eval_binary(A, n->links[i].op, a, b, &x);
    if (st != ARR_OK) {
        Span left = {n->span.src, n->a->span.lo, i > 0 ? n->items[i - 1]->span.hi : n->a->span.hi};
        eval_note_operands(A, left, a, n->items[i]->span, b);
        return st;
    }
    stack[--*top - 1] = x;
    return ARR_OK;
}

/* A literal on the left is pushed when the right side has been. */
static Status record_pair(Recorder *r, Part *a, const Part *b, AstNode *n, int32_t link) {
    Code c = {.kind = CODE_PAIR, .node = n, .link = link};
    c.swap = a->kind == PART_LITERAL && b->kind == PART_NUMBER;
    TRY(push_literal(r, a));
    TRY(push_literal(r, b));
    if (r->unfit || !add_code(r, c)) return ARR_OK;
    TRY(pair(r->A, &c, r->stack, &r->top));
    *a = (Part){.kind = PART_NUMBER};
    return is_number(&r->stack[r->top - 1]) ? ARR_OK : unfit(r);
}

static Status record(Recorder *r, AstNode *n, Part *out);

static Status record_spine(Recorder *r, AstNode *n, Part *out) {
    Part b;
    TRY(record(r, n->a, out));
    for (int32_t i = 0; i < n->n && !r->unfit; i++) {
        TRY(record(r, n->items[i], &b));
        if (r->unfit) break;
        if (out->kind != PART_ARRAY && b.kind != PART_ARRAY) {
            TRY(record_pair(r, out, &b, n, i));
            continue;
        }
        TRY(as_operand(r, out));
        if (!r->unfit) TRY(as_operand(r, &b));
        if (!r->unfit) TRY(add_step(r, n->links[i].op, out, &b, out));
    }
    return ARR_OK;
}

/* After unfit nothing more is evaluated. */
static Status record(Recorder *r, AstNode *n, Part *out) {
    TRY(stack_check(r->A));
    if (!is_inner(n)) return record_leaf(r, n, out);
    if (n->kind == AST_BINARY) return record_spine(r, n, out);
    TRY(record(r, n->a, out));
    if (r->unfit || out->kind != PART_ARRAY) return unfit(r);
    return add_step(r, OP_neg, out, NULL, out);
}

static void keep_site(Frame *f, AstNode *n, const Recorder *r, const Expr *e) {
    if (!e || !f->source || !f->source->parsed) return;
    size_t codes = (size_t)r->ncode * sizeof *r->code;
    Site *s = arena_raw(&f->source->arena, sizeof *s + codes);
    if (!s) return;
    s->expr = e;
    s->ncode = r->ncode;
    s->misses = 0;
    memcpy(s->code, r->code, codes);
    n->cache = s;
}

static Status finish(State *A, const AstNode *n, const Expr *e, const Operand *input, Value *out) {
    Node *node;
    A->cx.span = n->at;
    TRY(graph_apply_expr(A->rt, e, input, &node));
    *out = value_node(node);
    return ARR_OK;
}

static APART Status record_site(State *A, Frame *f, AstNode *n, Leaves *l, Value *out) {
    Recorder r = {.A = A, .f = f, .leaves = l};
    Part whole = {.kind = PART_LITERAL};
    const Expr *e = NULL;
    n->cache = (void *)(uintptr_t)&expr_never; /* for good, unless a site is kept */
    if (!is_inner(n)) return eval(A, f, n, out);
    TRY(record(&r, n, &whole));
    bool fit = !r.unfit && whole.kind == PART_ARRAY && r.expr.nstep > 1;
    if (fit) TRY(graph_expr(A->rt, &r.expr, &e));
    keep_site(f, n, &r, e);
    return e ? finish(A, n, e, r.input, out) : rest(A, f, n, l, out);
}

/* ---- again ---- */

static Status missed(State *A, Frame *f, AstNode *n, Site *s, Leaves *l, Value *out) {
    if (++s->misses >= MISSES) n->cache = (void *)(uintptr_t)&expr_never;
    return rest(A, f, n, l, out);
}

static Status run_site(State *A, Frame *f, AstNode *n, Leaves *l, Value *out) {
    Site *s = n->cache;
    Operand input[EXPR_INPUTS];
    Value stack[LEAVES + 2];
    const Node *first = NULL;
    int top = 0, nin = 0;
    for (int32_t i = 0; i < s->ncode; i++) {
        const Code *c = &s->code[i];
        Value *v = &l->v[l->n];
        switch ((CodeKind)c->kind) {
        case CODE_ARRAY:
            TRY(eval(A, f, c->node, v));
            l->n++;
            if (!fits(v, first)) return missed(A, f, n, s, l, out);
            if (!first) first = v->node;
            input[nin++] = (Operand){.node = v->node};
            break;
        case CODE_NUMBER:
            TRY(eval(A, f, c->node, v));
            l->n++;
            if (!is_number(v)) return missed(A, f, n, s, l, out);
            stack[top++] = *v;
            break;
        case CODE_LITERAL: TRY(eval(A, f, c->node, &stack[top++])); break;
        case CODE_PAIR:
            TRY(pair(A, c, stack, &top));
            if (!is_number(&stack[top - 1])) return missed(A, f, n, s, l, out);
            break;
        case CODE_INPUT:
            TRY(value_to_operand(A, "an operand", &stack[--top], &input[nin++]));
            break;
        }
    }
    return finish(A, n, s->expr, input, out);
}

Status eval_expr(State *A, Frame *f, AstNode *n, Value *out) {
    Leaves l;
    l.n = l.taken = 0;
    TRY(stack_check(A));
    Status st = n->cache == (const void *)&expr_seen ? record_site(A, f, n, &l, out)
                                                     : run_site(A, f, n, &l, out);
    leaves_free(A, &l);
    return st;
}
