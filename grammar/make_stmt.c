/* make - constructors of statements (see make.h), and expressions turned into targets: the left
 * side of `=` was parsed as an expression, whose names, indices and fields are now places. */
#include "grammar/make.h"
#include <string.h>

AstNode *make_block(Parser *p, const Token *open, AstList items, const Token *close) {
    uint32_t lo = open ? open->lo : 0, hi = close ? close->hi : p->lx.n;
    return make_items(p, make_node(p, AST_BLOCK, lo, hi), items);
}

AstNode *make_expr(Parser *p, AstNode *e) {
    if (p->status != ARR_OK) return NULL;
    AstNode *n = make_node(p, AST_EXPR, e->span.lo, e->span.hi);
    if (!n) return NULL;
    n->at = e->at;
    n->a = e;
    return make_above(p, n, e);
}

AstNode *make_quiet(Parser *p, AstNode *statement, Token semi) {
    (void)semi;
    if (p->status != ARR_OK) return NULL;
    statement->flags |= AST_QUIET;
    return statement;
}

/* --- targets ---------------------------------------------------------------------------------- */

static bool is_discard(const AstNode *n) {
    return n->kind == AST_NAME && strcmp(n->name.text, "_") == 0;
}

/* A name with any chain of [index] and .field behind it? */
static bool is_place(const AstNode *n) {
    while ((n->kind == AST_INDEX || n->kind == AST_FIELD) && !(n->flags & AST_PAREN)) n = n->a;
    return n->kind == AST_NAME && !is_discard(n);
}

static const char *not_a_target(const AstNode *n) {
    if (n->kind <= AST_FSTRING) return "a literal cannot be assigned to; == compares";
    switch (n->kind) {
    case AST_CALL: return "a call's result cannot be assigned to; an element is written x[i] = e";
    case AST_LIST: return "names on the left stand in parentheses or bare: a, b = e";
    case AST_BINARY:
    case AST_IN: return "an operation cannot be assigned to; == compares";
    case AST_INDEX:
    case AST_FIELD: return "an assignment rebinds a name: x[i] = e or x.f = e, x being one";
    default: return "left of = stands a name, x[i], x.f or a list of them";
    }
}

/* Names read become names bound. Tuples nest no deeper than AST_DEPTH_MAX. */
static AstNode *to_target(Parser *p, AstNode *n) {
    if (p->status != ARR_OK) return NULL;
    if (is_discard(n)) {
        n->kind = AST_DISCARD;
    } else if (n->kind == AST_TUPLE) {
        if (n->n == 0) make_fail(p, n->at, "the list of targets is empty");
        for (int32_t i = 0; i < n->n; i++) to_target(p, n->items[i]);
    } else if (!is_place(n)) {
        make_fail(p, n->at, "%s", not_a_target(n));
    }
    return n;
}

AstNode *make_assign(Parser *p, AstNode *target, Token eq, AstNode *value) {
    if (!to_target(p, target) || p->status != ARR_OK) return NULL;
    AstNode *n = make_node(p, AST_ASSIGN, target->span.lo, value->span.hi);
    if (!n) return NULL;
    n->at = make_span(p, eq.lo, eq.hi);
    n->a = target;
    n->b = value;
    return make_above(p, make_above(p, n, target), value);
}

AstNode *make_opassign(Parser *p, AstNode *target, Token t, AstNode *value) {
    if (p->status != ARR_OK) return NULL;
    Span at = make_span(p, t.lo, t.hi);
    if (!is_place(target)) {
        make_fail(p, at, "left of %s= stands one name, x[i] or x.f", ast_operator(t.op));
        return NULL;
    }
    AstNode *n = make_node(p, AST_OPASSIGN, target->span.lo, value->span.hi);
    if (!n) return NULL;
    n->at = at;
    n->op = (int16_t)t.op;
    n->a = target;
    n->b = value;
    return make_above(p, make_above(p, n, target), value);
}

/* --- control ---------------------------------------------------------------------------------- */

AstNode *make_if(Parser *p, Token t, AstNode *cond, AstNode *block) {
    AstList list = make_pair(p, cond, block);
    if (p->status != ARR_OK) return NULL;
    AstNode *n = make_node(p, AST_IF, t.lo, block->span.hi);
    if (n) n->at = make_span(p, t.lo, t.hi);
    return make_items(p, n, list);
}

AstNode *make_elif(Parser *p, AstNode *node, AstNode *cond, AstNode *block) {
    if (p->status != ARR_OK) return NULL;
    AstList list = {node->items, node->n, make_cap(node->n)};
    if (cond) list = make_list(p, list, cond);
    list = make_list(p, list, block);
    if (p->status != ARR_OK) return NULL;
    node->items = list.items;
    node->n = list.n;
    node->span.hi = block->span.hi;
    return make_above(p, cond ? make_above(p, node, cond) : node, block);
}

/* A node at its keyword t with up to three parts, ending with the last of them. */
static AstNode *keyword(Parser *p, AstKind kind, Token t, AstNode *a, AstNode *b, AstNode *c) {
    if (p->status != ARR_OK) return NULL;
    const AstNode *last = c ? c : b ? b : a;
    AstNode *n = make_node(p, kind, t.lo, last ? last->span.hi : t.hi);
    if (!n) return NULL;
    n->at = make_span(p, t.lo, t.hi);
    n->a = a;
    n->b = b;
    n->c = c;
    return make_above(p, make_above(p, make_above(p, n, a), b), c);
}

AstNode *make_while(Parser *p, Token t, AstNode *cond, AstNode *block) {
    return keyword(p, AST_WHILE, t, cond, block, NULL);
}

AstNode *make_for(Parser *p, Token t, AstNode *target, AstNode *e, AstNode *block) {
    return keyword(p, AST_FOR, t, to_target(p, target), e, block);
}

AstNode *make_return(Parser *p, Token t, AstNode *e) {
    return keyword(p, AST_RETURN, t, e, NULL, NULL);
}

AstNode *make_assert(Parser *p, Token t, AstNode *cond, AstNode *message) {
    return keyword(p, AST_ASSERT, t, cond, message, NULL);
}

AstNode *make_try(Parser *p, Token t, AstNode *block, Token name, AstNode *handler) {
    AstNode *n = keyword(p, AST_TRY, t, block, handler, NULL);
    if (n) n->name = make_name_of(p, name);
    return n;
}

AstNode *make_del(Parser *p, Token t, AstList names) {
    if (p->status != ARR_OK) return NULL;
    for (int32_t i = 0; i < names.n; i++) {
        const AstNode *e = names.items[i];
        if (e->kind == AST_NAME && !(e->flags & AST_PAREN)) continue;
        make_fail(p, e->at, "del takes names: del x, y");
    }
    AstNode *n = make_node(p, AST_DEL, t.lo, t.hi);
    if (!n) return NULL;
    n->at = n->span;
    n->span.hi = names.items[names.n - 1]->span.hi;
    return make_items(p, n, names);
}

AstNode *make_import(Parser *p, Token t, bool path, Token from, Token name) {
    AstNode *n = make_node(p, AST_IMPORT, t.lo, name.hi);
    if (!n) return NULL;
    n->at = make_span(p, from.lo, from.hi);
    if (path) n->flags |= AST_PATH;
    n->text = *from.text;
    n->name = make_name_of(p, name);
    return n;
}

/* --- a text as a body ------------------------------------------------------------------------- */

AstNode *make_body(Parser *p, AstNode *root, const char *const *params, int nparams) {
    Token none = {0};
    ParamList list = {0};
    for (int i = 0; i < nparams; i++) {
        size_t len = strlen(params[i]);
        char *own = arena_alloc(p->arena, len + 1);
        if (own) memcpy(own, params[i], len + 1);
        AstText name = {own ? own : "", len};
        Token t = {.text = &name};
        list = make_param(p, list, t, NULL, NULL);
    }
    AstNode *last = root->n ? root->items[root->n - 1] : NULL;
    if (last && last->kind == AST_EXPR) last->kind = AST_RETURN;
    AstNode *fn = make_fn(p, none, NULL, list, none, root);
    AstNode *statement = fn ? make_expr(p, fn) : NULL;
    return make_block(p, NULL, make_list(p, (AstList){0}, statement), NULL);
}
