/* eval_call - call expressions: which value is called, and the arguments in order.
 *
 * Callers: eval. Invariant: a called name that is bound to something that cannot be called means
 * the builtin of that name; x.f(y) is a member's or field's call, or else f(x, y). */
#include "interp/eval.h"
#include "interp/builtin_ops.h"

#include <string.h>

/* The builtin or dtype behind a called name, if the name's own value does not serve. */
static bool base_callable(State *A, Symbol name, Value *out) {
    Value base = symbol_base(A, name);
    if (!value_callable(&base)) return false;
    *out = value_retain(base);
    return true;
}

static COLD Status not_callable(State *A, const AstName *name, const Value *v) {
    char text[SHAPE_TEXT];
    value_describe(v, text);
    bool indexable = v->kind == V_ARRAY || v->kind == V_TUPLE || v->kind == V_STR;
    return error_set(&A->cx, ARR_ERR_TYPE, name->span, "%s is %s and cannot be called%s%s%s",
                     name->text, text, indexable ? ": an index is written " : "",
                     indexable ? name->text : "", indexable ? "[i]" : "");
}

static Status named_callee(State *A, Frame *f, AstName *name, Value *out) {
    Value *v = frame_variable(f, name);
    if (v && value_callable(v)) {
        *out = value_retain(*v);
        return ARR_OK;
    }
    if (base_callable(A, name_symbol(name), out)) return ARR_OK;
    return v ? not_callable(A, name, v) : eval_unbound(A, f, name);
}

/* x.dtype(y) casts y; other attributes cannot be called. Takes x. */
static COLD Status attribute_callee(State *A, const AstNode *field, Value x, Value *receiver,
                                    Value *callee) {
    const char *word = field->name.text;
    value_release(A, x);
    *receiver = VALUE_UNSET;
    if (value_callable(callee)) return ARR_OK;
    bool extents = callee->kind == V_TUPLE;
    value_release(A, *callee);
    return error_set(&A->cx, ARR_ERR_TYPE, field->at,
                     "%s is an attribute, no function: write x.%s%s", word, word,
                     extents ? ", an extent is x.shape[0]" : "");
}

/* x.f(...): *receiver is V_UNSET where f is a member or field of x. */
static COLD Status method_callee(State *A, Frame *f, AstNode *field, Value *receiver,
                                 Value *callee) {
    Value x;
    TRY(eval(A, f, field->a, &x));
    const Value *member = field_member(A, &x, name_symbol(&field->name));
    if (member) {
        *callee = value_retain(*member);
        *receiver = VALUE_UNSET;
        value_release(A, x);
        return ARR_OK;
    }
    Status st;
    if (x.kind == V_MODULE) {
        A->cx.span = field->at;
        st = eval_field(A, &x, name_symbol(&field->name), callee);
    } else {
        Value *v = frame_variable(f, &field->name);
        Value base = symbol_base(A, name_symbol(&field->name));
        bool known = (v && value_callable(v)) || value_callable(&base);
        if (known) {
            st = named_callee(A, f, &field->name, callee);
        } else { /* an attribute, or a word of NumPy: both are said by eval_field */
            A->cx.span = field->at;
            st = eval_field(A, &x, name_symbol(&field->name), callee);
            if (st == ARR_OK) return attribute_callee(A, field, x, receiver, callee);
        }
    }
    if (st == ARR_OK)
        *receiver = x;
    else
        value_release(A, x);
    return st;
}

static Status find_callee(State *A, Frame *f, AstNode *n, Value *receiver, Value *callee) {
    AstNode *c = n->a;
    *receiver = VALUE_UNSET;
    if (c->kind == AST_NAME) return named_callee(A, f, &c->name, callee);
    bool method = c->kind == AST_FIELD && !(c->flags & AST_PAREN) && !(n->flags & AST_PIPED);
    if (method) return method_callee(A, f, c, receiver, callee);
    return eval(A, f, c, callee);
}

/* ---- arguments ---- */

typedef struct Counted {
    int npos, nnamed;
    bool spread;
} Counted;

static Counted count_args(const AstNode *n) {
    Counted c = {0};
    for (int32_t i = 0; i < n->n; i++) {
        if (n->items[i]->kind == AST_NAMED)
            c.nnamed++;
        else
            c.npos++;
        c.spread |= n->items[i]->kind == AST_SPREAD;
    }
    return c;
}

/* array([0.1], f32): the dtype that a list literal's numbers are converted to at once. */
static DType list_dtype(State *A, Frame *f, const AstNode *n, const Value *callee) {
    DType d = DT_COUNT;
    if (n->n == 0 || n->items[0]->kind != AST_LIST) return d;
    if (callee->kind == V_DTYPE) return callee->dtype;
    if (callee->kind != V_BUILTIN || strncmp(callee->builtin->sig, "array(", 6) != 0) return d;
    for (int32_t i = 1; i < n->n; i++) {
        AstNode *a = n->items[i];
        if (a->kind == AST_SPREAD) continue;
        if (a->kind == AST_NAMED && strcmp(a->name.text, "dtype") != 0) continue;
        AstNode *e = a->kind == AST_NAMED ? a->a : a;
        if (e->kind != AST_NAME) continue; /* only looked at: it is evaluated in its turn */
        const Value *v = frame_variable(f, &e->name);
        Value base = v ? *v : symbol_base(A, name_symbol(&e->name));
        if (base.kind == V_DTYPE) d = base.dtype;
    }
    return d;
}

static Status eval_args(State *A, Frame *f, AstNode *n, const Value *callee, const Counted *c,
                        Value *args) {
    DType d = list_dtype(A, f, n, callee);
    int at = 0;
    for (int32_t i = 0; i < n->n; i++) {
        AstNode *a = n->items[i];
        if (a->kind == AST_NAMED) {
            args[c->npos + 2 * (i - c->npos)] = value_int(name_symbol(&a->name));
            TRY(eval(A, f, a->a, &args[c->npos + 2 * (i - c->npos) + 1]));
        } else if (a->kind == AST_SPREAD) {
            TRY(eval(A, f, a->a, &args[at++]));
        } else if (i == 0 && d != DT_COUNT) {
            TRY(eval_list(A, f, a, d, &args[at++]));
        } else {
            TRY(eval(A, f, a, &args[at++]));
        }
    }
    return ARR_OK;
}

/* Arguments with the spread ones taken apart, in a second region of the stack. */
static Status spread_args(State *A, AstNode *n, int lead, const Counted *c, Value *args,
                          CallArgs *out, size_t *taken) {
    int64_t total = lead;
    for (int i = 0; i < c->npos; i++) {
        Iter it;
        if (n->items[i]->kind != AST_SPREAD) {
            total++;
            continue;
        }
        A->cx.span = n->items[i]->span;
        TRY(iter_begin(A, "spreading with ...", &args[lead + i], &it));
        if (it.n > INT16_MAX) {
            return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE,
                             "spreading with ... passes %lld arguments: at most %d",
                             (long long)it.n, INT16_MAX);
        }
        total += it.n;
    }
    *taken = (size_t)total + 2 * (size_t)c->nnamed;
    Value *p = stack_take(A, *taken);
    if (!p) return ARR_ERR_MEMORY;
    out->args = p;
    out->npos = (int)total;
    int64_t at = 0;
    for (int i = 0; i < lead; i++) p[at++] = value_retain(args[i]);
    for (int i = 0; i < c->npos; i++) {
        const Value *v = &args[lead + i];
        if (n->items[i]->kind != AST_SPREAD) {
            p[at++] = value_retain(*v);
            continue;
        }
        Iter it;
        TRY(iter_begin(A, "spreading with ...", v, &it));
        for (bool more = true; more;) {
            TRY(iter_next(A, &it, &more, &p[at]));
            at += more;
        }
    }
    for (int i = 0; i < 2 * c->nnamed; i++) p[at++] = value_retain(args[lead + c->npos + i]);
    return ARR_OK;
}

static COLD Status call_spread(State *A, AstNode *n, int lead, const Counted *c,
                               const Value *callee, CallArgs *ca, Value *out) {
    CallArgs wide = {.nnamed = c->nnamed, .at = ca->at};
    size_t taken = 0;
    Status st = spread_args(A, n, lead, c, ca->args, &wide, &taken);
    if (st == ARR_OK) st = call_value(A, callee, &wide, out);
    if (wide.args) stack_give(A, wide.args, taken);
    return st;
}

/* An op with plain positional arguments needs no binding. */
static bool direct_op(const Value *callee, const CallArgs *ca, Op *op) {
    return callee->kind == V_BUILTIN && ca->nnamed == 0 && builtin_is_op(callee->builtin, op) &&
           op_info(*op)->arity == ca->npos;
}

/* Say what the named arguments of a failed builtin are; their values are still in the variables. */
static COLD void note_args(State *A, Frame *f, AstNode *n) {
    enum { MOST = 6 };
    Span spans[MOST];
    const Value *values[MOST];
    int count = 0;
    bool method = n->a->kind == AST_FIELD;
    for (int32_t i = method ? -1 : 0; i < n->n && count < MOST; i++) {
        AstNode *a = i < 0                            ? n->a->a
                     : n->items[i]->kind == AST_NAMED ? n->items[i]->a
                                                      : n->items[i];
        const Value *v = a->kind == AST_NAME ? frame_variable(f, &a->name) : NULL;
        if (!v) continue;
        spans[count] = a->span;
        values[count++] = v;
    }
    eval_note_values(A, spans, values, count);
}

static bool is_library(const Value *callee) {
    return callee->kind == V_BUILTIN ||
           (callee->kind == V_FN && callee->fn->module && callee->fn->module->is_stdlib);
}

Status eval_call(State *A, Frame *f, AstNode *n, Value *out) {
    Value receiver, callee;
    TRY(find_callee(A, f, n, &receiver, &callee));
    Counted c = count_args(n);
    int lead = receiver.kind != V_UNSET;
    size_t taken = (size_t)(lead + c.npos + 2 * c.nnamed);
    Value *args = stack_take(A, taken);
    if (!args) {
        value_release(A, receiver);
        value_release(A, callee);
        return ARR_ERR_MEMORY;
    }
    if (lead) args[0] = receiver;
    CallArgs ca = {args, lead + c.npos, c.nnamed, n->at};
    Op op;
    Status st = eval_args(A, f, n, &callee, &c, args + lead);
    A->cx.span = n->at;
    if (st != ARR_OK) {
        /* nothing was called */
    } else if (c.spread) {
        st = call_spread(A, n, lead, &c, &callee, &ca, out);
    } else if (direct_op(&callee, &ca, &op)) {
        st = apply_op(A, op, args, ca.npos, out);
    } else {
        st = call_value(A, &callee, &ca, out);
    }
    if (st != ARR_OK && is_library(&callee)) {
        A->cx.span = n->at;
        note_args(A, f, n);
    }
    stack_give(A, args, taken);
    value_release(A, callee);
    return st;
}
