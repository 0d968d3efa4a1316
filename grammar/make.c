/* make - constructors of expressions (statements: make_stmt.c).
 *
 * The left spine of binary operators grows in one node, so that a sum of 10^5 terms is flat; the
 * depth of everything else is kept in the nodes and bounded, so that all walks may recurse. */
#include "grammar/make.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- nodes and lists -------------------------------------------------------------------------- */

Span make_span(const Parser *p, uint32_t lo, uint32_t hi) { return (Span){p->lx.src, lo, hi}; }

void make_fail(Parser *p, Span at, const char *fmt, ...) {
    char text[ERROR_MESSAGE_MAX];
    if (p->status != ARR_OK) return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    p->status = error_set(p->cx, ARR_ERR_SYNTAX, at, "%s", text);
}

static void *allot(Parser *p, size_t n) {
    void *m = arena_alloc(p->arena, n);
    if (!m) p->status = error_memory(p->cx, n);
    return m;
}

AstNode *make_node(Parser *p, AstKind kind, uint32_t lo, uint32_t hi) {
    if (p->status != ARR_OK) return NULL;
    AstNode *n = allot(p, sizeof *n);
    if (!n) return NULL;
    n->kind = (uint8_t)kind;
    n->depth = 1;
    n->op = -1;
    n->span = n->at = make_span(p, lo, hi);
    n->name.slot = -1;
    return n;
}

AstNode *make_above(Parser *p, AstNode *n, const AstNode *child) {
    if (!n || !child || child->depth < n->depth) return n;
    n->depth = (uint16_t)(child->depth + 1);
    if (n->depth <= AST_DEPTH_MAX) return n;
    if (p->status == ARR_OK) {
        p->status =
            error_set(p->cx, ARR_ERR_LIMIT, n->at, "nested deeper than %d levels", AST_DEPTH_MAX);
    }
    return NULL;
}

AstNode *make_items(Parser *p, AstNode *n, AstList list) {
    if (!n) return NULL;
    n->items = list.items;
    n->n = list.n;
    for (int32_t i = 0; n && i < list.n; i++) n = make_above(p, n, list.items[i]);
    return n;
}

int32_t make_cap(int32_t n) {
    int32_t cap = n ? 4 : 0;
    while (cap < n) cap *= 2;
    return cap;
}

/* A copy of a full array of n elements with the next capacity. */
static void *widen(Parser *p, void *old, int32_t n, size_t size, int32_t *cap) {
    *cap = make_cap(n + 1);
    void *m = allot(p, (size_t)*cap * size);
    if (m && n) memcpy(m, old, (size_t)n * size);
    return m;
}

AstList make_list(Parser *p, AstList list, AstNode *item) {
    if (p->status != ARR_OK) return (AstList){0};
    if (list.n == list.cap) {
        list.items = widen(p, list.items, list.n, sizeof *list.items, &list.cap);
        if (!list.items) return (AstList){0};
    }
    list.items[list.n++] = item;
    return list;
}

AstList make_pair(Parser *p, AstNode *first, AstNode *second) {
    return make_list(p, make_list(p, (AstList){0}, first), second);
}

AstName make_name_of(Parser *p, Token t) {
    return (AstName){t.text->data, (int32_t)t.text->len, -1, NULL, make_span(p, t.lo, t.hi)};
}

/* --- leaves ----------------------------------------------------------------------------------- */

AstNode *make_int(Parser *p, Token t) {
    AstNode *n = make_node(p, t.u >> 63 ? AST_UINT : AST_INT, t.lo, t.hi);
    if (n) n->u = t.u;
    return n;
}

AstNode *make_float(Parser *p, AstKind kind, Token t) {
    AstNode *n = make_node(p, kind, t.lo, t.hi);
    if (n) n->f = t.f;
    return n;
}

AstNode *make_word(Parser *p, AstKind kind, Token t, int64_t i) {
    AstNode *n = make_node(p, kind, t.lo, t.hi);
    if (n) n->i = i;
    return n;
}

AstNode *make_string(Parser *p, Token t) {
    AstNode *n = make_node(p, AST_STRING, t.lo, t.hi);
    if (n) n->text = *t.text;
    return n;
}

AstNode *make_name(Parser *p, Token t) {
    AstNode *n = make_node(p, AST_NAME, t.lo, t.hi);
    if (n) n->name = make_name_of(p, t);
    return n;
}

AstNode *make_fstring(Parser *p, Token open, AstList parts, Token close) {
    return make_items(p, make_node(p, AST_FSTRING, open.lo, close.hi), parts);
}

AstNode *make_hole(Parser *p, Token open, AstNode *e, AstList *spec, Token colon, Token close) {
    AstNode *n = make_node(p, AST_HOLE, open.lo, close.hi);
    if (!n) return NULL;
    n->a = e;
    n->at = e->at;
    if (spec && spec->n == 1 && spec->items[0]->kind == AST_STRING)
        n->b = spec->items[0];
    else if (spec && spec->n)
        n->b = make_fstring(p, colon, *spec, close);
    return make_above(p, make_above(p, n, e), n->b);
}

/* --- groups ----------------------------------------------------------------------------------- */

AstNode *make_group(Parser *p, Token open, AstNode *inner, Token close) {
    if (p->status != ARR_OK) return NULL;
    inner->flags |= AST_PAREN;
    inner->span = make_span(p, open.lo, close.hi);
    return inner;
}

AstNode *make_tuple(Parser *p, AstList items) {
    if (p->status != ARR_OK) return NULL;
    uint32_t lo = items.items[0]->span.lo, hi = items.items[items.n - 1]->span.hi;
    return make_items(p, make_node(p, AST_TUPLE, lo, hi), items);
}

AstNode *make_targets(Parser *p, AstList items) {
    if (p->status != ARR_OK) return NULL;
    return items.n == 1 ? items.items[0] : make_tuple(p, items);
}

AstNode *make_paren_tuple(Parser *p, Token open, AstList items, Token close) {
    AstNode *n = make_node(p, AST_TUPLE, open.lo, close.hi);
    if (n) n->flags |= AST_PAREN;
    return make_items(p, n, items);
}

AstNode *make_array(Parser *p, Token open, AstList items, Token close) {
    return make_items(p, make_node(p, AST_LIST, open.lo, close.hi), items);
}

/* --- operators -------------------------------------------------------------------------------- */

/* One more step of the spine n. Items and links have grown together, at powers of two. */
static AstNode *add_step(Parser *p, AstNode *n, Op op, Token t, AstNode *b) {
    int32_t cap = make_cap(n->n);
    if (n->n == cap) {
        n->items = widen(p, n->items, n->n, sizeof *n->items, &cap);
        n->links = widen(p, n->links, n->n, sizeof *n->links, &cap);
        if (!n->items || !n->links) return NULL;
    }
    n->at = make_span(p, t.lo, t.hi);
    n->items[n->n] = b;
    n->links[n->n++] = (AstLink){op, n->at};
    n->span.hi = b->span.hi;
    return make_above(p, n, b);
}

AstNode *make_binary(Parser *p, Op op, AstNode *a, Token t, AstNode *b) {
    if (p->status != ARR_OK) return NULL;
    if (a->kind == AST_BINARY && !(a->flags & AST_PAREN)) return add_step(p, a, op, t, b);
    AstNode *n = make_node(p, AST_BINARY, a->span.lo, b->span.hi);
    if (!n) return NULL;
    n->a = a;
    n->at = make_span(p, t.lo, t.hi);
    n = make_above(p, n, a);
    return n ? add_step(p, n, op, t, b) : NULL;
}

static bool is_comparison(Op op) { return op_info(op)->level == OL_CMP; }

static bool is_bare_comparison(const AstNode *n) {
    if (n->flags & AST_PAREN) return false;
    return n->kind == AST_IN || (n->kind == AST_BINARY && is_comparison(n->links[n->n - 1].op));
}

/* Where the comparison's right side begins in a's text. */
static uint32_t right_side(const AstNode *a) {
    return a->kind == AST_IN ? a->b->span.lo : a->items[a->n - 1]->span.lo;
}

/* a < b < c: what to write instead, with the operands' own text if that is short. */
static void refuse_chain(Parser *p, const AstNode *a, Span at, const char *and, const AstNode *b) {
    enum { LONG = 40 };
    const char *s = p->lx.text;
    uint32_t mid = right_side(a);
    if (a->kind == AST_IN) and = "and";
    bool longer = a->span.hi - a->span.lo > LONG || b->span.hi - mid > LONG ||
                  memchr(s + a->span.lo, '\n', b->span.hi - a->span.lo);
    if (longer) {
        make_fail(p, at, "comparisons do not chain: write (a < b) %s (b < c)", and);
    } else {
        make_fail(p, at, "comparisons do not chain: write (%.*s) %s (%.*s)",
                  (int)(a->span.hi - a->span.lo), s + a->span.lo, and, (int)(b->span.hi - mid),
                  s + mid);
    }
}

AstNode *make_compare(Parser *p, Op op, AstNode *a, Token t, AstNode *b) {
    if (p->status != ARR_OK) return NULL;
    if (!is_bare_comparison(a)) return make_binary(p, op, a, t, b);
    refuse_chain(p, a, make_span(p, t.lo, t.hi), "&", b);
    return NULL;
}

AstNode *make_in(Parser *p, AstNode *a, Token first, Token last, bool negated, AstNode *b) {
    if (p->status != ARR_OK) return NULL;
    if (is_bare_comparison(a)) {
        refuse_chain(p, a, make_span(p, first.lo, last.hi), "and", b);
        return NULL;
    }
    AstNode *n = make_node(p, AST_IN, a->span.lo, b->span.hi);
    if (!n) return NULL;
    n->at = make_span(p, first.lo, last.hi);
    n->a = a;
    n->b = b;
    if (negated) n->flags |= AST_NEGATED;
    return make_above(p, make_above(p, n, a), b);
}

static AstNode *prefix(Parser *p, AstKind kind, Token t, AstNode *a) {
    if (p->status != ARR_OK) return NULL;
    AstNode *n = make_node(p, kind, t.lo, a->span.hi);
    if (!n) return NULL;
    n->at = make_span(p, t.lo, t.hi);
    n->a = a;
    return make_above(p, n, a);
}

AstNode *make_unary(Parser *p, Op op, Token t, AstNode *a) {
    if (p->status != ARR_OK) return NULL;
    if (op == OP_neg && a->kind == AST_UINT && a->u == (uint64_t)1 << 63) {
        a->kind = AST_INT; /* the bits are i64's minimum already */
        a->flags = 0;
        a->span = a->at = make_span(p, t.lo, a->span.hi);
        return a;
    }
    AstNode *n = prefix(p, AST_UNARY, t, a);
    if (n) n->op = (int16_t)op;
    return n;
}

AstNode *make_not(Parser *p, Token t, AstNode *a) { return prefix(p, AST_NOT, t, a); }

AstNode *make_logic(Parser *p, AstKind kind, AstNode *a, Token t, AstNode *b) {
    if (p->status != ARR_OK) return NULL;
    AstNode *n = a;
    AstList list = {0};
    if (a->kind == kind && !(a->flags & AST_PAREN)) {
        list = (AstList){a->items, a->n, make_cap(a->n)};
    } else {
        n = make_node(p, kind, a->span.lo, b->span.hi);
        list = make_list(p, list, a);
        n = make_above(p, n, a);
    }
    list = make_list(p, list, b);
    if (!n || p->status != ARR_OK) return NULL;
    n->items = list.items;
    n->n = list.n;
    n->span.hi = b->span.hi;
    n->at = make_span(p, t.lo, t.hi);
    return make_above(p, n, b);
}

AstNode *make_cond(Parser *p, AstNode *then, Token t, AstNode *cond, AstNode *other) {
    if (p->status != ARR_OK) return NULL;
    AstNode *n = make_node(p, AST_COND, then->span.lo, other->span.hi);
    if (!n) return NULL;
    n->at = make_span(p, t.lo, t.hi);
    n->a = cond;
    n->b = then;
    n->c = other;
    return make_above(p, make_above(p, make_above(p, n, cond), then), other);
}

/* --- pipes ------------------------------------------------------------------------------------ */

static bool is_dotted(const AstNode *f) {
    while (f->kind == AST_FIELD && !(f->flags & AST_PAREN)) f = f->a;
    return f->kind == AST_NAME;
}

static const char *pipe_left_fault(const AstNode *x) {
    if (x->flags & AST_PAREN) return NULL;
    if (is_bare_comparison(x)) return x->kind == AST_IN ? "`in`" : "a comparison";
    if (x->kind == AST_NOT) return "`not`";
    if (x->kind == AST_AND) return "`and`";
    return x->kind == AST_OR ? "`or`" : NULL;
}

AstNode *make_pipe(Parser *p, AstNode *x, Token t, AstNode *f) {
    if (p->status != ARR_OK) return NULL;
    const char *fault = pipe_left_fault(x);
    if (fault) {
        make_fail(p, make_span(p, t.lo, t.hi),
                  "left of |> stands %s: put parentheses around what is meant", fault);
        return NULL;
    }
    bool call = f->kind == AST_CALL && !(f->flags & AST_PAREN) && is_dotted(f->a);
    if (!call && !is_dotted(f) && !(f->flags & AST_PAREN)) {
        make_fail(p, f->at,
                  "right of |> stands a function's name, one call f(k), or a function in "
                  "parentheses: x |> (fn(v) = v + 1)");
        return NULL;
    }
    AstNode *n = make_node(p, AST_CALL, x->span.lo, f->span.hi);
    if (!n) return NULL;
    n->flags |= AST_PIPED;
    n->a = call ? f->a : f;
    n->at = n->a->at;
    AstList args = make_list(p, (AstList){0}, x);
    for (int32_t i = 0; call && i < f->n; i++) args = make_list(p, args, f->items[i]);
    if (p->status != ARR_OK) return NULL;
    return make_items(p, make_above(p, n, n->a), args);
}

/* --- calls, indices, fields ------------------------------------------------------------------- */

AstNode *make_call(Parser *p, AstNode *f, Token open, AstList args, Token close) {
    (void)open;
    if (p->status != ARR_OK) return NULL;
    AstNode *n = make_node(p, AST_CALL, f->span.lo, close.hi);
    if (!n) return NULL;
    n->a = f;
    n->at = f->at;
    return make_items(p, make_above(p, n, f), args);
}

/* Names are compared pair by pair, so their number is bounded. */
enum { ARGS_MAX = 1000 };

static AstList too_many(Parser *p, Span at) {
    p->status =
        error_set(p->cx, ARR_ERR_LIMIT, at, "more than %d named arguments or parameters", ARGS_MAX);
    return (AstList){0};
}

AstList make_arg(Parser *p, AstList args, AstNode *arg) {
    if (p->status != ARR_OK) return (AstList){0};
    const AstNode *last = args.n ? args.items[args.n - 1] : NULL;
    if (args.n >= ARGS_MAX && args.items[args.n - ARGS_MAX]->kind == AST_NAMED) {
        return too_many(p, arg->at);
    }
    if (last && last->kind == AST_NAMED && arg->kind != AST_NAMED) {
        make_fail(p, arg->at, "an argument without a name cannot follow `%s=`", last->name.text);
    }
    for (int32_t i = args.n - 1; arg->kind == AST_NAMED && i >= 0; i--) {
        if (args.items[i]->kind != AST_NAMED) break;
        if (strcmp(args.items[i]->name.text, arg->name.text) != 0) continue;
        make_fail(p, arg->at, "the argument `%s` is given twice", arg->name.text);
    }
    return make_list(p, args, arg);
}

AstNode *make_named(Parser *p, AstNode *name, Token eq, AstNode *value) {
    if (p->status != ARR_OK) return NULL;
    if (name->kind != AST_NAME || (name->flags & AST_PAREN)) {
        make_fail(p, make_span(p, eq.lo, eq.hi),
                  "left of `=` among arguments stands an argument's name; == compares");
        return NULL;
    }
    AstNode *n = make_node(p, AST_NAMED, name->span.lo, value->span.hi);
    if (!n) return NULL;
    n->at = name->span;
    n->name = name->name;
    n->a = value;
    return make_above(p, n, value);
}

AstNode *make_spread(Parser *p, AstNode *a, Token dots) {
    if (p->status != ARR_OK) return NULL;
    AstNode *n = make_node(p, AST_SPREAD, a->span.lo, dots.hi);
    if (!n) return NULL;
    n->at = a->at;
    n->a = a;
    return make_above(p, n, a);
}

AstNode *make_index(Parser *p, AstNode *a, Token open, AstList items, Token close) {
    if (p->status != ARR_OK) return NULL;
    AstNode *n = make_node(p, AST_INDEX, a->span.lo, close.hi);
    if (!n) return NULL;
    n->at = make_span(p, open.lo, close.hi);
    n->a = a;
    return make_items(p, make_above(p, n, a), items);
}

AstNode *make_slice(Parser *p, AstNode *lo, Token c1, AstNode *hi, const Token *c2, AstNode *step) {
    uint32_t end = step ? step->span.hi : c2 ? c2->hi : hi ? hi->span.hi : c1.hi;
    AstNode *n = make_node(p, AST_SLICE, lo ? lo->span.lo : c1.lo, end);
    if (!n) return NULL;
    n->a = lo;
    n->b = hi;
    n->c = step;
    return make_above(p, make_above(p, make_above(p, n, lo), hi), step);
}

AstNode *make_field(Parser *p, AstNode *a, Token dot, Token name) {
    (void)dot;
    if (p->status != ARR_OK) return NULL;
    AstNode *n = make_node(p, AST_FIELD, a->span.lo, name.hi);
    if (!n) return NULL;
    n->at = make_span(p, name.lo, name.hi);
    n->a = a;
    n->name = make_name_of(p, name);
    return make_above(p, n, a);
}

/* --- functions -------------------------------------------------------------------------------- */

ParamList make_param(Parser *p, ParamList list, Token name, AstNode *value, const Token *dots) {
    if (p->status != ARR_OK) return (ParamList){0};
    Span at = make_span(p, name.lo, name.hi);
    const AstParam *last = list.n ? &list.items[list.n - 1] : NULL;
    if (list.n >= ARGS_MAX) too_many(p, at);
    if (last && last->rest) {
        make_fail(p, at, "`%s...` takes all that is left: no parameter follows it",
                  last->name.text);
    } else if (last && last->value && !value && !dots) {
        make_fail(p, at, "`%s` needs a default too: it follows a parameter that has one",
                  name.text->data);
    }
    for (int32_t i = 0; i < list.n; i++) {
        const char *other = list.items[i].name.text;
        if (strcmp(other, "_") == 0 || strcmp(other, name.text->data) != 0) continue;
        make_fail(p, at, "two parameters are named `%s`", other);
    }
    if (p->status == ARR_OK && list.n == list.cap) {
        list.items = widen(p, list.items, list.n, sizeof *list.items, &list.cap);
    }
    if (p->status != ARR_OK) return (ParamList){0};
    uint32_t hi = value ? value->span.hi : dots ? dots->hi : name.hi;
    list.items[list.n++] =
        (AstParam){make_name_of(p, name), value, make_span(p, name.lo, hi), dots};
    return list;
}

AstNode *make_fn(Parser *p, Token fn, const Token *name, ParamList params, Token close,
                 AstNode *body) {
    if (p->status != ARR_OK) return NULL;
    AstNode *n = make_node(p, name ? AST_FNDEF : AST_FN, fn.lo, body->span.hi);
    AstFn *f = n ? allot(p, sizeof *f) : NULL;
    if (!f) return NULL;
    n->fn = f;
    if (name) f->name = make_name_of(p, *name);
    if (name && fn.text) f->doc = *fn.text;
    if (!name) f->name.slot = -1;
    f->params = params.items;
    f->nparams = params.n;
    f->is_block = body->kind == AST_BLOCK;
    f->body = body;
    f->head = make_span(p, fn.lo, close.hi);
    n->at = name ? f->name.span : make_span(p, fn.lo, fn.hi);
    n = make_above(p, n, body);
    for (int32_t i = 0; i < params.n; i++) n = make_above(p, n, params.items[i].value);
    return n;
}
