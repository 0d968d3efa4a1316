/* eval_stmt - statements.
 *
 * Callers: call.c (bodies), api and module (chunks). Invariant: a statement that fails has changed
 * no variable; loops poll for interruption and turn pending work out at their back edge, at the
 * same place every time round. */
#include "interp/eval.h"
#include "interp/env.h"
#include "interp/api_limits.h"
#include "interp/module.h"
#include "interp/try.h"
#include "interp/watch.h"
#include "runtime/exec.h"

#include <string.h>

static Status exec_statement(State *A, Frame *f, AstNode *n, Flow *flow);

/* ---- expressions alone ---- */

static bool calls_eval(const AstNode *n) {
    if (n->kind != AST_CALL) return false;
    const AstName *name = &n->a->name;
    bool named = n->a->kind == AST_NAME || n->a->kind == AST_FIELD;
    return named && name->len == 4 && memcmp(name->text, "eval", 4) == 0;
}

/* A variable to write the result back to: the first argument, or what a method was called on. */
static const AstNode *result_name(Frame *f, const AstNode *n) {
    if (n->kind != AST_CALL) return NULL;
    const AstNode *x = n->a->kind == AST_FIELD && !(n->flags & AST_PIPED) ? n->a->a
                       : n->n > 0                                         ? n->items[0]
                                                                          : NULL;
    if (!x || x->kind != AST_NAME) return NULL;
    const Value *v = frame_variable(f, &x->name);
    return v && !value_callable(v) ? x : NULL;
}

static COLD Status unused(State *A, Frame *f, const AstNode *n) {
    size_t len = 0;
    const char *text = source_text(A, n->span, &len);
    if (!text || len > 60 || memchr(text, '\n', len)) {
        text = "this expression";
        len = strlen(text);
    }
    int shown = (int)len;
    const AstNode *name = result_name(f, n);
    if (name) {
        return error_set(&A->cx, ARR_ERR_VALUE, n->span,
                         "the result of %.*s is not used: arguments are values, write %s = %.*s",
                         shown, text, name->name.text, shown, text);
    }
    return error_set(&A->cx, ARR_ERR_VALUE, n->span,
                     "the result of %.*s is not used: write x = %.*s, or print(%.*s)", shown, text,
                     shown, text, shown, text);
}

static APART Status exec_expr(State *A, Frame *f, AstNode *n) {
    Value v;
    TRY(eval(A, f, n->a, &v));
    Status st = watched_settle(A, f);
    if (st != ARR_OK) {
        value_release(A, v);
        return st;
    }
    if (v.kind == V_NONE) return ARR_OK;
    if (f->prompt) {
        if (n->flags & AST_QUIET || f->blocks > 1) { /* only the top level's values are shown */
            value_release(A, v);
            return ARR_OK;
        }
        Value old = A->last;
        A->last = v;
        A->last_span = n->a->span;
        A->last_fresh = true;
        value_release(A, old);
        return ARR_OK;
    }
    value_release(A, v);
    return calls_eval(n->a) ? ARR_OK : unused(A, f, n->a);
}

/* ---- control ---- */

static Status turn(State *A) {
    TRY(state_step(A, 1));
    return exec_pending_full(A->rt) ? exec_flush(A->rt) : ARR_OK;
}

static APART Status exec_if(State *A, Frame *f, AstNode *n, Flow *flow) {
    int32_t i = 0;
    for (; i + 1 < n->n; i += 2) {
        bool c;
        TRY(eval_test(A, f, n->items[i], &c));
        if (c) return exec_block(A, f, n->items[i + 1], flow);
    }
    return i < n->n ? exec_block(A, f, n->items[i], flow) : ARR_OK;
}

/* After a turn of a loop: does the flow leave it? */
static bool leaves(Flow *flow) {
    Flow did = *flow;
    if (did != FLOW_RETURN) *flow = FLOW_NEXT;
    return did == FLOW_BREAK || did == FLOW_RETURN;
}

static APART Status exec_while(State *A, Frame *f, AstNode *n, Flow *flow) {
    for (;;) {
        bool c;
        TRY(eval_test(A, f, n->a, &c));
        if (!c) return ARR_OK;
        TRY(exec_block(A, f, n->b, flow));
        if (leaves(flow)) return ARR_OK;
        TRY(turn(A));
    }
}

static Status for_turns(State *A, Frame *f, AstNode *n, Iter *it, Flow *flow) {
    for (;;) {
        bool more;
        Value v;
        A->cx.span = n->b->span;
        TRY(iter_next(A, it, &more, &v));
        if (!more) return ARR_OK;
        if (n->a->kind == AST_NAME) {
            frame_bind(A, f, &n->a->name, v);
        } else {
            Status st = bind_target(A, f, n->a, &v);
            value_release(A, v);
            TRY(st);
        }
        TRY(exec_block(A, f, n->c, flow));
        if (leaves(flow)) return ARR_OK;
        TRY(turn(A));
    }
}

static APART Status exec_for(State *A, Frame *f, AstNode *n, Flow *flow) {
    Value over;
    Iter it;
    TRY(eval(A, f, n->b, &over));
    A->cx.span = n->b->span;
    Status st = watched_settle(A, f);
    if (st == ARR_OK) st = iter_begin(A, "for", &over, &it);
    if (st == ARR_OK) st = for_turns(A, f, n, &it, flow);
    value_release(A, over);
    return st;
}

static APART Status exec_return(State *A, Frame *f, AstNode *n, Flow *flow) {
    Value v = VALUE_NONE;
    if (n->a) TRY(eval(A, f, n->a, &v));
    value_release(A, f->result);
    f->result = v;
    *flow = FLOW_RETURN;
    return ARR_OK;
}

/* ---- del, assert, fn, import ---- */

static Status check_del(State *A, Frame *f, const AstNode *t) {
    if (frame_variable(f, &t->name)) {
        if (name_is_local(&t->name) || !f->fn) return ARR_OK;
        return error_set(&A->cx, ARR_ERR_NAME, t->span,
                         "a function cannot remove %s, a name of the file", t->name.text);
    }
    Value base = symbol_base(A, name_symbol(&t->name));
    if (base.kind != V_UNSET && !name_is_local(&t->name)) {
        return error_set(&A->cx, ARR_ERR_NAME, t->span,
                         "%s is the language's own and nothing hides it", t->name.text);
    }
    return eval_unbound(A, f, &t->name);
}

static APART Status exec_del(State *A, Frame *f, AstNode *n) {
    for (int32_t i = 0; i < n->n; i++) TRY(check_del(A, f, n->items[i]));
    for (int32_t i = 0; i < n->n; i++) {
        Value *v = frame_variable(f, &n->items[i]->name);
        if (!v) continue; /* named twice */
        Value old = *v;
        *v = VALUE_UNSET;
        value_release(A, old);
    }
    return ARR_OK;
}

static APART Status exec_assert(State *A, Frame *f, AstNode *n) {
    bool holds;
    TRY(eval_test(A, f, n->a, &holds));
    if (holds) return ARR_OK;
    size_t len = 0;
    const char *text = source_text(A, n->a->span, &len);
    if (!n->b) {
        return error_set(&A->cx, ARR_ERR_ASSERT, n->span, "assertion failed: %.*s", (int)len,
                         text ? text : "");
    }
    Value message;
    TRY(eval(A, f, n->b, &message));
    Buf b;
    buf_init(&b, &A->cx);
    A->cx.span = n->span;
    Status st = value_format(A, &message, false, &b);
    value_release(A, message);
    if (st == ARR_OK) st = error_set(&A->cx, ARR_ERR_ASSERT, n->span, "%s", buf_text(&b));
    buf_free(&b);
    return st;
}

static APART Status exec_fndef(State *A, Frame *f, AstNode *n) {
    Value v;
    TRY(eval_fn(A, f, n, &v));
    frame_bind(A, f, &n->fn->name, v);
    return ARR_OK;
}

static APART Status exec_import(State *A, Frame *f, AstNode *n) {
    Value v;
    TRY(module_import(A, f, n, &v));
    frame_bind(A, f, &n->name, v);
    return ARR_OK;
}

/* ---- the dispatch ---- */

static Status exec_statement(State *A, Frame *f, AstNode *n, Flow *flow) {
    switch (n->kind) {
    case AST_EXPR: return exec_expr(A, f, n);
    case AST_ASSIGN: return exec_assign(A, f, n);
    case AST_OPASSIGN: return exec_opassign(A, f, n);
    case AST_IF: return exec_if(A, f, n, flow);
    case AST_WHILE: return exec_while(A, f, n, flow);
    case AST_FOR: return exec_for(A, f, n, flow);
    case AST_BREAK: *flow = FLOW_BREAK; return ARR_OK;
    case AST_CONTINUE: *flow = FLOW_CONTINUE; return ARR_OK;
    case AST_RETURN: return exec_return(A, f, n, flow);
    case AST_FNDEF: return exec_fndef(A, f, n);
    case AST_DEL: return exec_del(A, f, n);
    case AST_ASSERT: return exec_assert(A, f, n);
    case AST_TRY: return exec_try(A, f, n, flow);
    case AST_IMPORT: return exec_import(A, f, n);
    case AST_BLOCK: return exec_block(A, f, n, flow);
    default:
        return error_set(&A->cx, ARR_ERR_INTERNAL, n->span, "no such statement: %s",
                         ast_word((AstKind)n->kind));
    }
}

Status exec_block(State *A, Frame *f, AstNode *block, Flow *flow) {
    Status st = stack_check(A);
    f->blocks++;
    for (int32_t i = 0; i < block->n && *flow == FLOW_NEXT && st == ARR_OK; i++) {
        st = limits_spend(&A->cx, 1);
        if (st == ARR_OK) st = exec_statement(A, f, block->items[i], flow);
        if (st == ARR_OK && exec_pending_large(A->rt)) st = exec_flush(A->rt);
        Error *e = &A->cx.err;
        if (st != ARR_OK && !e->span.src) e->span = block->items[i]->span;
    }
    f->blocks--;
    return st;
}
