/* resolve - finds out for each name of a tree where its value lives.
 *
 * Only functions and files open scopes. In a function, parameters and all names that its text binds
 * anywhere are slots; a name that it only reads is a slot of the nearest enclosing function that
 * has it (then captured: copied in when the inner function is made, and again into its slots when
 * it is called), its own name, or else a variable of the module, looked up when the code runs.
 *
 * Callers: api, module. Invariant: the pass writes only the fields of the tree that ast.h leaves to
 * the interpreter (slot, sym, info), and runs once for a tree. */
#include "interp/resolve.h"
#include "interp/env.h"
#include "interp/liveness.h"

#include <string.h>

typedef struct Scope {
    struct Scope *up;
    FnInfo *info;
    int32_t cap, capture_cap;
    Symbol self; /* own name, -1: none */
} Scope;

typedef struct Resolver {
    State *A;
    Arena *arena;
    Module *module;
} Resolver;

static Status visit(Resolver *r, Scope *scope, AstNode *n);

static Status name_intern(Resolver *r, AstName *name) {
    Symbol s = symbol_intern(r->A, name->text, (size_t)name->len);
    if (s < 0) return ARR_ERR_MEMORY;
    name->sym = (void *)(intptr_t)(s + 1);
    return ARR_OK;
}

/* Arrays in the arena grow by copying; what is left behind dies with the tree. */
static void *arena_grow(Resolver *r, const void *old, int32_t n, int32_t *cap, size_t item) {
    int32_t more = *cap ? *cap * 2 : 8;
    void *p = arena_alloc(r->arena, (size_t)more * item);
    if (!p) return NULL;
    if (n) memcpy(p, old, (size_t)n * item);
    *cap = more;
    return p;
}

static Status scope_add(Resolver *r, Scope *s, Symbol name, Span bound, int32_t *slot) {
    FnInfo *info = s->info;
    if (info->nslots == s->cap) {
        FnSlot *p = arena_grow(r, info->slots, info->nslots, &s->cap, sizeof *p);
        if (!p) return error_memory(&r->A->cx, sizeof *p);
        info->slots = p;
    }
    *slot = info->nslots;
    info->slots[info->nslots++] = (FnSlot){name, bound};
    return ARR_OK;
}

static int32_t scope_own(const Scope *s, Symbol name) {
    for (int32_t i = 0; i < s->info->nslots; i++) {
        if (s->info->slots[i].name == name) return i;
    }
    return -1;
}

static Status scope_capture(Resolver *r, Scope *s, int32_t from, int32_t to) {
    FnInfo *info = s->info;
    if (info->ncaptures == s->capture_cap) {
        FnCapture *p = arena_grow(r, info->captures, info->ncaptures, &s->capture_cap, sizeof *p);
        if (!p) return error_memory(&r->A->cx, sizeof *p);
        info->captures = p;
    }
    info->captures[info->ncaptures++] = (FnCapture){from, to};
    return ARR_OK;
}

/* *slot: of scope s, -1 if no function around here has the name. */
static Status scope_lookup(Resolver *r, Scope *s, Symbol name, int32_t *slot) {
    *slot = -1;
    if (!s) return ARR_OK;
    *slot = scope_own(s, name);
    if (*slot >= 0) return ARR_OK;
    if (!s->up) return ARR_OK; /* a function of the top level is found by name, as any other */
    if (s->self == name) {
        TRY(scope_add(r, s, name, s->info->ast->name.span, slot));
        s->info->self = *slot;
        return ARR_OK;
    }
    int32_t from;
    TRY(scope_lookup(r, s->up, name, &from));
    if (from < 0) return ARR_OK;
    TRY(scope_add(r, s, name, s->up->info->slots[from].bound, slot));
    return scope_capture(r, s, from, *slot);
}

static Status resolve_name(Resolver *r, Scope *s, AstName *name) {
    TRY(name_intern(r, name));
    int32_t slot;
    TRY(scope_lookup(r, s, name_symbol(name), &slot));
    if (slot < 0) {
        int32_t global = module_index(r->A, r->module, name_symbol(name));
        if (global < 0) return ARR_ERR_MEMORY;
        slot = -2 - global;
    }
    name->slot = slot;
    return ARR_OK;
}

/* ---- the names that a function binds ---- */

static Status bind_name(Resolver *r, Scope *s, AstName *name) {
    TRY(name_intern(r, name));
    int32_t slot;
    if (scope_own(s, name_symbol(name)) >= 0) return ARR_OK;
    return scope_add(r, s, name_symbol(name), name->span, &slot);
}

static Status bind_target(Resolver *r, Scope *s, AstNode *t) {
    while (t->kind == AST_INDEX || t->kind == AST_FIELD) t = t->a;
    if (t->kind == AST_NAME) return bind_name(r, s, &t->name);
    for (int32_t i = 0; t->kind == AST_TUPLE && i < t->n; i++) {
        TRY(bind_target(r, s, t->items[i]));
    }
    return ARR_OK;
}

static Status bind_all(Resolver *r, Scope *s, AstNode *n) {
    if (!n) return ARR_OK;
    switch (n->kind) {
    case AST_ASSIGN:
    case AST_OPASSIGN: return bind_target(r, s, n->a);
    case AST_FOR: TRY(bind_target(r, s, n->a)); return bind_all(r, s, n->c);
    case AST_FNDEF: return bind_name(r, s, &n->fn->name);
    case AST_IMPORT: return bind_name(r, s, &n->name);
    case AST_TRY:
        TRY(bind_all(r, s, n->a));
        TRY(bind_name(r, s, &n->name));
        return bind_all(r, s, n->b);
    case AST_WHILE: return bind_all(r, s, n->b);
    case AST_IF:
    case AST_BLOCK:
        for (int32_t i = 0; i < n->n; i++) TRY(bind_all(r, s, n->items[i]));
        return ARR_OK;
    default: return ARR_OK;
    }
}

/* ---- the walk ---- */

static Status visit_fn(Resolver *r, Scope *up, AstFn *fn, Symbol self) {
    FnInfo *info = arena_alloc(r->arena, sizeof *info);
    if (!info) return error_memory(&r->A->cx, sizeof *info);
    Scope s = {.up = up, .info = info, .self = self};
    info->ast = fn;
    info->self = -1;
    info->name = self >= 0 ? self : symbol_intern(r->A, "fn", 2);
    info->nparams = fn->nparams;
    fn->info = info;
    for (int32_t i = 0; i < fn->nparams; i++) {
        AstParam *p = &fn->params[i];
        int32_t slot = -1;
        TRY(name_intern(r, &p->name));
        TRY(scope_add(r, &s, name_symbol(&p->name), p->name.span, &slot));
        p->name.slot = slot;
        if (p->rest)
            info->has_rest = true;
        else if (!p->value)
            info->nrequired = i + 1;
    }
    if (fn->is_block) TRY(bind_all(r, &s, fn->body));
    for (int32_t i = 0; i < fn->nparams; i++) TRY(visit(r, &s, fn->params[i].value));
    TRY(visit(r, &s, fn->body));
    liveness_mark(fn);
    return ARR_OK;
}

static Status visit_parts(Resolver *r, Scope *scope, AstNode *n) {
    TRY(visit(r, scope, n->a));
    TRY(visit(r, scope, n->b));
    TRY(visit(r, scope, n->c));
    for (int32_t i = 0; i < n->n; i++) TRY(visit(r, scope, n->items[i]));
    return ARR_OK;
}

static Status visit(Resolver *r, Scope *scope, AstNode *n) {
    if (!n) return ARR_OK;
    TRY(stack_check(r->A));
    switch (n->kind) {
    case AST_NAME: return resolve_name(r, scope, &n->name);
    case AST_NAMED: TRY(name_intern(r, &n->name)); return visit(r, scope, n->a);
    case AST_FIELD: TRY(name_intern(r, &n->name)); return visit(r, scope, n->a);
    case AST_CALL: /* x.f(y): f may be a function in scope */
        if (n->a->kind == AST_FIELD && !(n->a->flags & AST_PAREN)) {
            TRY(resolve_name(r, scope, &n->a->name));
        }
        return visit_parts(r, scope, n);
    case AST_FN: return visit_fn(r, scope, n->fn, -1);
    case AST_FNDEF:
        TRY(resolve_name(r, scope, &n->fn->name));
        return visit_fn(r, scope, n->fn, name_symbol(&n->fn->name));
    case AST_ASSIGN: /* f = fn(x) = ...: the name is the function's */
        if (n->a->kind == AST_NAME && n->b->kind == AST_FN) {
            TRY(visit(r, scope, n->a));
            return visit_fn(r, scope, n->b->fn, name_symbol(&n->a->name));
        }
        return visit_parts(r, scope, n);
    case AST_TRY:
    case AST_IMPORT: TRY(resolve_name(r, scope, &n->name)); return visit_parts(r, scope, n);
    default: return visit_parts(r, scope, n);
    }
}

Status resolve_source(State *A, Source *s, Module *m) {
    Resolver r = {A, &s->arena, m};
    return visit(&r, NULL, s->root);
}
