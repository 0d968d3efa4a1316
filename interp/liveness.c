/* liveness - marks the reads after which a local is not read again, so that eval moves the value
 * out instead of copying it.
 *
 * Why: a node that a variable holds is stored by the kernel that computes it, and is never updated
 * in place. `u = step(u)` must not keep the old u alive while step runs, nor a temporary after its
 * last use.
 *
 * One walk backwards over a body, in the reverse order of evaluation, with the set of slots that
 * are read later. A loop's head needs what its body reads before binding it (a first walk without
 * marking) and what comes after the loop. In a try block, what the handler needs is live
 * throughout. Callers: resolve. Invariant: a mark is never wrong, only sometimes missing (slots
 * past SLOTS_MAX, captured slots). */
#include "interp/liveness.h"
#include "interp/resolve.h"

#include <string.h>

enum { SLOTS_MAX = 256, WORDS = SLOTS_MAX / 64 };

typedef struct Set {
    uint64_t w[WORDS];
} Set;

typedef struct Walk {
    Set live;              /* read later than the point reached */
    Set always;            /* live throughout: the needs of the handlers around */
    Set at_break, at_next; /* live where break and continue go */
    bool mark;
    bool script; /* slots are the module's variables, else the function's */
} Walk;

static bool set_has(const Set *s, int32_t slot) { return s->w[slot / 64] >> (slot % 64) & 1; }
static void set_add(Set *s, int32_t slot) { s->w[slot / 64] |= 1ull << (slot % 64); }
static void set_del(Set *s, int32_t slot) { s->w[slot / 64] &= ~(1ull << (slot % 64)); }
static void set_join(Set *s, const Set *other) {
    for (int i = 0; i < WORDS; i++) s->w[i] |= other->w[i];
}

/* The place of a name in the sets, -1: none. */
static int32_t place(const Walk *w, const AstName *name) {
    int32_t i = w->script ? (name->slot < -1 ? name_global(name) : -1) : name->slot;
    return i < SLOTS_MAX ? i : -1;
}

static void walk(Walk *w, AstNode *n);

static void read_name(Walk *w, const AstName *name) {
    int32_t i = place(w, name);
    if (i >= 0) set_add(&w->live, i);
}

static void bound_name(Walk *w, const AstName *name) {
    int32_t i = place(w, name);
    if (i >= 0 && !set_has(&w->always, i)) set_del(&w->live, i);
}

static void final_name(Walk *w, AstNode *n) {
    int32_t i = place(w, &n->name);
    if (i < 0) return;
    if (w->mark && !set_has(&w->live, i)) n->flags |= AST_FINAL;
    set_add(&w->live, i);
}

static void walk_items(Walk *w, AstNode *n) {
    for (int32_t i = n->n; i-- > 0;) walk(w, n->items[i]);
}

/* The names that a target binds; paths only change theirs, which they read. */
static void bind_names(Walk *w, const AstNode *t) {
    if (t->kind == AST_NAME) bound_name(w, &t->name);
    for (int32_t i = 0; t->kind == AST_TUPLE && i < t->n; i++) bind_names(w, t->items[i]);
}

/* What evaluating a target reads: the name of a path and its indices. */
static void read_target(Walk *w, AstNode *t) {
    if (t->kind == AST_TUPLE) {
        for (int32_t i = t->n; i-- > 0;) read_target(w, t->items[i]);
        return;
    }
    for (; t->kind == AST_INDEX || t->kind == AST_FIELD; t = t->a) {
        if (t->kind == AST_INDEX) walk_items(w, t);
        if (t->a->kind == AST_NAME) read_name(w, &t->a->name);
    }
}

static void walk_call(Walk *w, AstNode *n) {
    walk_items(w, n);
    AstNode *c = n->a;
    if (c->kind == AST_NAME) {
        read_name(w, &c->name); /* looked at, not taken */
    } else if (c->kind == AST_FIELD && !(c->flags & AST_PAREN)) {
        read_name(w, &c->name);
        walk(w, c->a);
    } else {
        walk(w, c);
    }
}

/* Parts of which each may be the last one evaluated: and, or. */
static void walk_short(Walk *w, AstNode *n) {
    Set after = w->live;
    for (int32_t i = n->n; i-- > 0;) {
        walk(w, n->items[i]);
        if (i > 0) set_join(&w->live, &after);
    }
}

static void walk_cond(Walk *w, AstNode *n) {
    Set after = w->live;
    walk(w, n->b);
    Set yes = w->live;
    w->live = after;
    walk(w, n->c);
    set_join(&w->live, &yes);
    walk(w, n->a);
}

static void walk_if(Walk *w, AstNode *n) {
    Set after = w->live; /* live-in of what follows the pairs seen so far */
    int32_t i = n->n;
    if (n->n % 2) walk(w, n->items[--i]);
    for (; i > 0; i -= 2) {
        Set otherwise = w->live;
        w->live = after;
        walk(w, n->items[i - 1]);
        set_join(&w->live, &otherwise);
        walk(w, n->items[i - 2]);
    }
}

/* head: the condition of while; target: of for. */
static void walk_turn(Walk *w, AstNode *head, AstNode *target, AstNode *body) {
    walk(w, body);
    if (target) {
        bind_names(w, target);
        read_target(w, target);
    }
    if (head) { /* whether true or not, what follows the loop may come next */
        set_join(&w->live, &w->at_break);
        walk(w, head);
    }
}

static void walk_loop(Walk *w, AstNode *head, AstNode *target, AstNode *body) {
    Set after = w->live, at_break = w->at_break, at_next = w->at_next;
    bool mark = w->mark;
    w->at_break = after;
    w->at_next = after;
    w->mark = false;
    walk_turn(w, head, target, body); /* what a turn reads before binding it */
    set_join(&w->live, &after);
    w->at_next = w->live;
    w->mark = mark;
    if (mark) {
        Set at_head = w->live;
        walk_turn(w, head, target, body);
        set_join(&w->live, &at_head);
    }
    w->at_break = at_break;
    w->at_next = at_next;
}

static void walk_try(Walk *w, AstNode *n) {
    Set after = w->live, always = w->always;
    walk(w, n->b);
    bound_name(w, &n->name);
    Set handler = w->live;
    w->live = after;
    set_join(&w->always, &handler);
    set_join(&w->live, &w->always);
    walk(w, n->a);
    set_join(&w->live, &handler);
    w->always = always;
}

static void walk_captures(Walk *w, const AstFn *fn) {
    const FnInfo *info = fn->info;
    for (int32_t i = 0; !w->script && i < info->ncaptures; i++) {
        if (info->captures[i].from < SLOTS_MAX) set_add(&w->live, info->captures[i].from);
    }
}

static void walk_statement(Walk *w, AstNode *n) {
    switch (n->kind) {
    case AST_ASSIGN:
        bind_names(w, n->a);
        read_target(w, n->a);
        walk(w, n->b);
        break;
    case AST_OPASSIGN:
        if (n->a->kind == AST_NAME) bound_name(w, &n->a->name);
        walk(w, n->b);
        read_target(w, n->a);
        if (n->a->kind == AST_NAME) read_name(w, &n->a->name);
        break;
    case AST_IF: walk_if(w, n); break;
    case AST_WHILE: walk_loop(w, n->a, NULL, n->b); break;
    case AST_FOR:
        walk_loop(w, NULL, n->a, n->c);
        walk(w, n->b);
        break;
    case AST_BREAK:
        w->live = w->at_break;
        set_join(&w->live, &w->always);
        break;
    case AST_CONTINUE:
        w->live = w->at_next;
        set_join(&w->live, &w->always);
        break;
    case AST_RETURN:
        w->live = w->always;
        if (n->a) walk(w, n->a);
        break;
    case AST_FNDEF:
        bound_name(w, &n->fn->name);
        walk_captures(w, n->fn);
        break;
    case AST_DEL: /* the name must still be bound */
        for (int32_t i = 0; i < n->n; i++) read_name(w, &n->items[i]->name);
        break;
    case AST_TRY: walk_try(w, n); break;
    case AST_IMPORT: bound_name(w, &n->name); break;
    default: break;
    }
}

static void walk(Walk *w, AstNode *n) {
    if (!n) return;
    switch (n->kind) {
    case AST_NAME: final_name(w, n); break;
    case AST_CALL: walk_call(w, n); break;
    case AST_AND:
    case AST_OR: walk_short(w, n); break;
    case AST_COND: walk_cond(w, n); break;
    case AST_FN: walk_captures(w, n->fn); break;
    case AST_ASSERT: { /* the message is read only where the condition fails */
        Set after = w->live;
        walk(w, n->b);
        set_join(&w->live, &after);
        walk(w, n->a);
        break;
    }
    case AST_ASSIGN:
    case AST_OPASSIGN:
    case AST_IF:
    case AST_WHILE:
    case AST_FOR:
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_RETURN:
    case AST_FNDEF:
    case AST_DEL:
    case AST_TRY:
    case AST_IMPORT: walk_statement(w, n); break;
    default:
        walk_items(w, n);
        walk(w, n->c);
        walk(w, n->b);
        walk(w, n->a);
    }
}

/* Add the variables that functions below n read: they may be called at any time. */
static void collect(Walk *w, AstNode *n, bool inside) {
    if (!n) return;
    bool function = n->kind == AST_FN || n->kind == AST_FNDEF;
    if (inside && (n->kind == AST_NAME || n->kind == AST_FIELD)) read_name(w, &n->name);
    for (int32_t i = 0; function && i < n->fn->nparams; i++)
        collect(w, n->fn->params[i].value, true);
    if (function) collect(w, n->fn->body, true);
    collect(w, n->a, inside);
    collect(w, n->b, inside);
    collect(w, n->c, inside);
    for (int32_t i = 0; i < n->n; i++) collect(w, n->items[i], inside);
}

void liveness_mark_script(AstNode *root) {
    Walk w = {.mark = true, .script = true};
    collect(&w, root, false);
    w.always = w.live;
    walk(&w, root);
}

/* Defaults are evaluated before the body: their reads need no marks. */
void liveness_mark(const AstFn *fn) {
    Walk w = {.mark = true};
    walk(&w, fn->body);
}
