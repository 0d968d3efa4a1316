/* call - calling values: arguments are bound to parameters, then a body, a builtin or a host
 * function runs.
 *
 * Callers: eval_call, map and its like, the API. Invariant: each call passes the checks for C's
 * stack and for interruption; the default float follows the file whose code runs; an error on its
 * way out collects one line of the call chain a user function. */
#include "interp/eval.h"
#include "interp/api.h"
#include "interp/array_build.h"
#include "interp/api_limits.h"
#include "interp/sig.h"
#include "runtime/exec.h"

#include <stdio.h>
#include <string.h>

bool value_callable(const Value *v) {
    return v->kind == V_FN || v->kind == V_BUILTIN || v->kind == V_DTYPE;
}

static Symbol named_symbol(const CallArgs *ca, int i) {
    return (Symbol)ca->args[ca->npos + 2 * i].i;
}
static Value *named_value(const CallArgs *ca, int i) { return &ca->args[ca->npos + 2 * i + 1]; }

static Value take(Value *v) {
    Value r = *v;
    *v = VALUE_UNSET;
    return r;
}

/* ---- what can be wrong with arguments ---- */

static COLD Status too_many(State *A, const CallArgs *ca, const char *fn, int most) {
    return error_set(&A->cx, ARR_ERR_ARGUMENT, ca->at, "%s takes %d %s, %d are given", fn, most,
                     most == 1 ? "argument" : "arguments", ca->npos);
}

static COLD Status missing(State *A, const CallArgs *ca, const char *fn, Symbol param) {
    return error_set(&A->cx, ARR_ERR_ARGUMENT, ca->at, "%s needs an argument for '%s'", fn,
                     symbol_text(A, param));
}

static COLD Status doubled(State *A, const CallArgs *ca, const char *fn, Symbol param) {
    return error_set(&A->cx, ARR_ERR_ARGUMENT, ca->at, "%s gets two values for '%s'", fn,
                     symbol_text(A, param));
}

static COLD Status unknown_name(State *A, const CallArgs *ca, const char *fn, Symbol name,
                                const char *const *params, int n) {
    const char *word = symbol_text(A, name), *near = suggest_param(word, params, (size_t)n);
    char list[256] = "";
    for (int i = 0; i < n && !near; i++) {
        size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : ": it has ", params[i]);
    }
    return error_set(&A->cx, ARR_ERR_ARGUMENT, ca->at, "%s has no parameter '%s'%s%s%s", fn, word,
                     near ? ": did you mean '" : list, near ? near : "", near ? "'?" : "");
}

/* ---- user functions ---- */

static COLD Status unknown_user(State *A, const CallArgs *ca, const Function *f, Symbol name) {
    enum { MOST = 32 };
    const char *words[MOST];
    int n = f->info->nparams < MOST ? f->info->nparams : MOST;
    for (int i = 0; i < n; i++) words[i] = symbol_text(A, f->info->slots[i].name);
    return unknown_name(A, ca, symbol_text(A, f->name), name, words, n);
}

static Status bind_rest(State *A, const CallArgs *ca, int from, Value *slot) {
    int n = ca->npos > from ? ca->npos - from : 0;
    TRY(value_tuple(A, (uint32_t)n, slot));
    for (int i = 0; i < n; i++) slot->tuple->items[i] = take(&ca->args[from + i]);
    return ARR_OK;
}

static Status bind_user(State *A, const Function *f, const CallArgs *ca, Value *slots) {
    const FnInfo *info = f->info;
    const char *fn = symbol_text(A, f->name);
    int nplain = info->nparams - info->has_rest;
    if (ca->npos > nplain && !info->has_rest) return too_many(A, ca, fn, nplain);
    for (int i = 0; i < ca->npos && i < nplain; i++) slots[i] = take(&ca->args[i]);
    if (info->has_rest) TRY(bind_rest(A, ca, nplain, &slots[nplain]));
    for (int k = 0; k < ca->nnamed; k++) {
        Symbol name = named_symbol(ca, k);
        int i = 0;
        while (i < nplain && info->slots[i].name != name) i++;
        if (i == nplain) return unknown_user(A, ca, f, name);
        if (slots[i].kind != V_UNSET) return doubled(A, ca, fn, name);
        slots[i] = take(named_value(ca, k));
    }
    for (int i = 0; i < info->nrequired; i++) {
        bool open = slots[i].kind == V_UNSET && !info->ast->params[i].value;
        if (open) return missing(A, ca, fn, info->slots[i].name);
    }
    return ARR_OK;
}

static Status run_body(State *A, Frame *f, Value *out) {
    const AstFn *ast = f->fn->ast;
    for (int i = 0; i < f->fn->nparams; i++) {
        if (f->slots[i].kind != V_UNSET || !ast->params[i].value) continue;
        TRY(eval(A, f, ast->params[i].value, &f->slots[i]));
    }
    if (!ast->is_block) return eval(A, f, ast->body, out);
    Flow flow = FLOW_NEXT;
    Status st = exec_block(A, f, ast->body, &flow);
    if (st == ARR_OK)
        *out = f->result;
    else
        value_release(A, f->result);
    return st;
}

/* An error of a library function belongs to the call of it; other errors collect the chain. */
static COLD void failed_in(State *A, const Function *fn, const Frame *caller, Span at) {
    Error *e = &A->cx.err;
    bool own = fn->module->is_stdlib && caller && !caller->module->is_stdlib;
    const Source *s = own && e->span.src ? source_find(A, e->span.src) : NULL;
    if (s && strncmp(s->name, "stdlib/", 7) == 0) {
        e->span = at;
        e->nframes = 0;
        e->chained = false;
        e->notes[0] = '\0'; /* the call's own arguments are told instead */
        name_error(A, symbol_text(A, fn->name));
    } else {
        error_frame(&A->cx, at, symbol_text(A, fn->name));
    }
}

static Status run_function(State *A, Function *fn, Span at, Value *slots, Value *out) {
    const FnInfo *info = fn->info;
    Value self = {.kind = V_FN, .fn = fn};
    for (int i = 0; i < info->ncaptures; i++) {
        slots[info->captures[i].to] = value_retain(fn->captured[i]);
    }
    if (info->self >= 0) slots[info->self] = value_retain(self);
    Frame *caller = A->frame;
    Frame frame = {.slots = slots,
                   .fn = info,
                   .self = fn,
                   .module = fn->module,
                   .source = fn->source,
                   .result = VALUE_NONE,
                   .caller = caller,
                   .called = at,
                   .call = ++A->calls};
    DType flt = A->rt->flt;
    if (!fn->module->is_stdlib) A->rt->flt = fn->module->flt; /* else the caller's holds */
    A->frame = &frame;
    A->depth++;
    value_retain(self); /* it may be rebound while it runs */
    Status st = run_body(A, &frame, out);
    if (st != ARR_OK) failed_in(A, fn, caller, at);
    value_release(A, self);
    A->depth--;
    A->frame = caller;
    A->rt->flt = caller && !caller->module->is_stdlib ? caller->module->flt : flt;
    return st;
}

static Status call_user(State *A, Function *fn, const CallArgs *ca, Value *out) {
    TRY(stack_check(A));
    if (A->depth >= A->depth_most) return depth_exhausted(A);
    size_t n = (size_t)fn->info->nslots;
    Value *slots = stack_take(A, n);
    if (!slots) return ARR_ERR_MEMORY;
    Status st = bind_user(A, fn, ca, slots);
    if (st == ARR_OK && exec_pending_full(A->rt)) st = exec_flush(A->rt);
    if (st == ARR_OK) st = run_function(A, fn, ca->at, slots, out);
    stack_give(A, slots, n);
    return st;
}

/* ---- host functions ---- */

static Status bind_builtin(State *A, const Sig *sig, const CallArgs *ca, Value *args);

static Status call_host(State *A, Function *fn, const CallArgs *ca, Value *out) {
    const Sig *sig = fn->host->sig;
    if (sig) {
        Value *args = stack_take(A, (size_t)sig->n);
        if (!args) return ARR_ERR_MEMORY;
        Status st = bind_builtin(A, sig, ca, args);
        A->cx.span = ca->at;
        if (st == ARR_OK) st = api_call_host(A, fn, args, sig->n, out);
        stack_give(A, args, (size_t)sig->n);
        return st;
    }
    if (ca->nnamed) {
        return error_set(&A->cx, ARR_ERR_ARGUMENT, ca->at, "%s takes no named arguments",
                         symbol_text(A, fn->name));
    }
    A->cx.span = ca->at;
    return api_call_host(A, fn, ca->args, ca->npos, out);
}

/* ---- builtins ---- */

static COLD Status unknown_builtin(State *A, const CallArgs *ca, const Sig *sig, Symbol name) {
    const char *words[BUILTIN_MAX_PARAMS];
    for (int i = 0; i < sig->n; i++) words[i] = symbol_text(A, sig->params[i].name);
    return unknown_name(A, ca, symbol_text(A, sig->name), name, words, sig->n);
}

static Status bind_named(State *A, const Sig *sig, const CallArgs *ca, Value *args) {
    int extra = 0;
    for (int k = 0; k < ca->nnamed; k++) {
        Symbol name = named_symbol(ca, k);
        int i = 0;
        while (i < sig->n && (sig->params[i].name != name || i == sig->named || i == sig->rest))
            i++;
        if (i == sig->n && sig->named < 0) return unknown_builtin(A, ca, sig, name);
        if (i == sig->n) {
            extra++;
            continue;
        }
        if (args[i].kind != V_UNSET) return doubled(A, ca, symbol_text(A, sig->name), name);
        args[i] = take(named_value(ca, k));
    }
    if (sig->named < 0) return ARR_OK;
    Value record;
    TRY(value_record(A, (uint32_t)extra, &record));
    args[sig->named] = record;
    for (int k = 0, at = 0; k < ca->nnamed; k++) {
        if (named_value(ca, k)->kind == V_UNSET) continue;
        record.record->fields[at].name = named_symbol(ca, k);
        record.record->fields[at++].value = take(named_value(ca, k));
    }
    return ARR_OK;
}

static Status bind_builtin(State *A, const Sig *sig, const CallArgs *ca, Value *args) {
    const char *fn = symbol_text(A, sig->name);
    if (ca->npos > sig->npositional && sig->rest != sig->npositional) {
        return too_many(A, ca, fn, sig->npositional);
    }
    for (int i = 0; i < ca->npos && i < sig->npositional; i++) args[i] = take(&ca->args[i]);
    if (sig->rest >= 0) TRY(bind_rest(A, ca, sig->npositional, &args[sig->rest]));
    TRY(bind_named(A, sig, ca, args));
    for (int i = 0; i < sig->n; i++) {
        if (args[i].kind != V_UNSET) continue;
        if (sig->params[i].kind == SIG_NEEDED) return missing(A, ca, fn, sig->params[i].name);
        args[i] = value_retain(sig->params[i].value);
    }
    return ARR_OK;
}

/* What a builtin refuses is said in its name; error() has none. */
static COLD void name_refusal(State *A, Status st, const char *fn, Span at) {
    const Error *e = &A->cx.err;
    bool refusal = st == ARR_ERR_TYPE || st == ARR_ERR_DTYPE || st == ARR_ERR_SHAPE ||
                   st == ARR_ERR_INDEX || st == ARR_ERR_VALUE || st == ARR_ERR_ARGUMENT;
    bool here = e->span.src == at.src && e->span.lo == at.lo && e->span.hi == at.hi;
    if (refusal && here && fn[0] != '_' && strcmp(fn, "error") != 0) name_error(A, fn);
}

static Status call_builtin(State *A, const BuiltinDef *def, const CallArgs *ca, Value *out) {
    const Sig *sig = sig_of(A, def);
    if (!sig) return A->cx.err.status;
    Value *args = stack_take(A, (size_t)sig->n);
    if (!args) return ARR_ERR_MEMORY;
    Status st = bind_builtin(A, sig, ca, args);
    if (st == ARR_OK) {
        Value result = VALUE_NONE;
        A->cx.span = ca->at;
        st = def->fn(A, args, &result);
        if (st == ARR_OK)
            *out = result;
        else
            name_refusal(A, st, symbol_text(A, sig->name), ca->at);
    }
    stack_give(A, args, (size_t)sig->n);
    return st;
}

/* The captured arguments come first. */
static COLD Status call_bound(State *A, const Function *fn, const CallArgs *ca, Value *out) {
    int given = ca->npos + 2 * ca->nnamed, captured = (int)fn->ncaptured;
    CallArgs all = {.npos = captured + ca->npos, .nnamed = ca->nnamed, .at = ca->at};
    all.args = stack_take(A, (size_t)(captured + given));
    if (!all.args) return ARR_ERR_MEMORY;
    for (int i = 0; i < captured; i++) all.args[i] = value_retain(fn->captured[i]);
    for (int i = 0; i < given; i++) all.args[captured + i] = take(&ca->args[i]);
    Status st = call_builtin(A, fn->bound, &all, out);
    stack_give(A, all.args, (size_t)(captured + given));
    return st;
}

/* ---- dtypes: casts ---- */

static Status cast_scalar(State *A, const Value *v, DType d, Value *out) {
    Scalar s;
    TRY(value_to_scalar(A, "the value", v, &s));
    if (d == DT_bool) {
        bool b = s.kind == SC_BOOL      ? s.b
                 : s.kind == SC_COMPLEX ? s.c.re != 0 || s.c.im != 0
                 : s.kind == SC_FLOAT   ? s.f != 0
                                        : s.i != 0;
        *out = value_bool(b);
        return ARR_OK;
    }
    Shape zero = shape_make(0, NULL);
    ArrayParts one = {.items = v, .n = 1, .shape = zero, .dtype = d, .what = dtype_name(d)};
    Node *node;
    TRY(array_build(A, &one, &node));
    *out = value_node(node);
    return ARR_OK;
}

static COLD Status call_dtype(State *A, DType d, const CallArgs *ca, Value *out) {
    const char *fn = dtype_name(d);
    A->cx.span = ca->at;
    if (ca->nnamed || ca->npos != 1) {
        return error_set(&A->cx, ARR_ERR_ARGUMENT, ca->at,
                         "%s(x) casts one value, %d arguments are given%s", fn,
                         ca->npos + ca->nnamed, ca->npos > 1 ? ": write a list, [a, b]" : "");
    }
    const Value *v = &ca->args[0];
    if (value_is_scalar(v)) return cast_scalar(A, v, d, out);
    if (v->kind == V_STR) {
        return error_set(&A->cx, ARR_ERR_TYPE, ca->at,
                         "%s does not read text: write %s(float(s)) or %s(int(s))", fn, fn, fn);
    }
    Node *x, *node;
    if (v->kind == V_TUPLE) {
        return error_set(&A->cx, ARR_ERR_TYPE, ca->at,
                         "%s casts numbers and arrays, not a tuple: write array(t, %s)", fn, fn);
    }
    char what[32];
    snprintf(what, sizeof what, "%s: x", fn);
    TRY(value_to_node(A, what, v, &x));
    Status st = graph_cast(A->rt, x, d, &node);
    node_release(A->rt, x);
    if (st == ARR_OK) *out = value_node(node);
    return st;
}

/* ---- the door ---- */

static COLD Status not_callable(State *A, const Value *v, Span at) {
    char text[SHAPE_TEXT];
    value_describe(v, text);
    const char *remedy = v->kind == V_ARRAY || v->kind == V_TUPLE || v->kind == V_STR
                             ? ": an index is written x[i]"
                             : "";
    return error_set(&A->cx, ARR_ERR_TYPE, at, "%s cannot be called%s", text, remedy);
}

Status call_value(State *A, const Value *callee, const CallArgs *ca, Value *out) {
    TRY(state_step(A, 1));
    switch (callee->kind) {
    case V_FN:
        return callee->fn->info    ? call_user(A, callee->fn, ca, out)
               : callee->fn->bound ? call_bound(A, callee->fn, ca, out)
                                   : call_host(A, callee->fn, ca, out);
    case V_BUILTIN: return call_builtin(A, callee->builtin, ca, out);
    case V_DTYPE: return call_dtype(A, callee->dtype, ca, out);
    default: return not_callable(A, callee, ca->at);
    }
}

Status call_values(State *A, const Value *callee, const Value *args, int n, Value *out) {
    Value *copy = stack_take(A, (size_t)n);
    if (!copy) return ARR_ERR_MEMORY;
    for (int i = 0; i < n; i++) copy[i] = value_retain(args[i]);
    CallArgs ca = {.args = copy, .npos = n, .at = A->cx.span};
    Status st = call_value(A, callee, &ca, out);
    stack_give(A, copy, (size_t)n);
    return st;
}
