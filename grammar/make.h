/* make - constructors of syntax tree nodes: one call per grammar action.
 *
 * Callers: parse.y. They check what the grammar leaves open (targets, argument order, chained
 * comparisons, operands of |>) and keep the tree's depth. Invariant: once p->status is not ARR_OK
 * every constructor returns NULL or an empty list and touches nothing; so actions need no checks.
 */
#ifndef ARR_MAKE_H
#define ARR_MAKE_H

#include "grammar/lexer.h"

typedef struct Parser {
    Cx *cx;
    Arena *arena;
    Lexer lx;
    Status status; /* the first failure */
    AstNode *root;
    int kind, prev_kind; /* the token in the grammar's hands, the one before */
    Token tok, prev;
    void *lemon;
    bool refused;       /* by the grammar: status is SYNTAX, no error is set yet */
    uint64_t fed, stop; /* tokens given to the grammar; how many it shall get */
} Parser;

typedef struct AstList {
    AstNode **items;
    int32_t n, cap;
} AstList;

typedef struct ParamList {
    AstParam *items;
    int32_t n, cap;
} ParamList;

Span make_span(const Parser *p, uint32_t lo, uint32_t hi);
/* Set p's error; the message is error_set's. */
void make_fail(Parser *p, Span at, const char *fmt, ...) PRINTF_LIKE(3, 4);

AstList make_list(Parser *p, AstList list, AstNode *item); /* list with item added */
AstList make_pair(Parser *p, AstNode *first, AstNode *second);
AstNode *make_group(Parser *p, Token open, AstNode *inner, Token close); /* (e) */
AstNode *make_tuple(Parser *p, AstList items);                           /* bare: a, b */
AstNode *make_targets(Parser *p, AstList items);                         /* a tuple if several */
AstNode *make_paren_tuple(Parser *p, Token open, AstList items, Token close);
AstNode *make_array(Parser *p, Token open, AstList items, Token close);

AstNode *make_int(Parser *p, Token t);
AstNode *make_float(Parser *p, AstKind kind, Token t);           /* FLOAT, IMAG */
AstNode *make_word(Parser *p, AstKind kind, Token t, int64_t i); /* BOOL NONE ELLIPSIS LAST ... */
AstNode *make_string(Parser *p, Token t);
AstNode *make_fstring(Parser *p, Token open, AstList parts, Token close);
AstNode *make_hole(Parser *p, Token open, AstNode *e, AstList *spec, Token colon, Token close);
AstNode *make_name(Parser *p, Token t);

AstNode *make_binary(Parser *p, Op op, AstNode *a, Token t, AstNode *b);
AstNode *make_compare(Parser *p, Op op, AstNode *a, Token t, AstNode *b);
AstNode *make_in(Parser *p, AstNode *a, Token first, Token last, bool negated, AstNode *b);
AstNode *make_unary(Parser *p, Op op, Token t, AstNode *a);
AstNode *make_not(Parser *p, Token t, AstNode *a);
AstNode *make_logic(Parser *p, AstKind kind, AstNode *a, Token t, AstNode *b); /* AND, OR */
AstNode *make_cond(Parser *p, AstNode *then, Token t, AstNode *cond, AstNode *other);
AstNode *make_pipe(Parser *p, AstNode *x, Token t, AstNode *f);

AstNode *make_call(Parser *p, AstNode *f, Token open, AstList args, Token close);
AstList make_arg(Parser *p, AstList args, AstNode *arg); /* args with arg, order checked */
AstNode *make_named(Parser *p, AstNode *name, Token eq, AstNode *value);
AstNode *make_spread(Parser *p, AstNode *a, Token dots);
AstNode *make_index(Parser *p, AstNode *a, Token open, AstList items, Token close);
AstNode *make_slice(Parser *p, AstNode *lo, Token c1, AstNode *hi, const Token *c2, AstNode *step);
AstNode *make_field(Parser *p, AstNode *a, Token dot, Token name);

ParamList make_param(Parser *p, ParamList list, Token name, AstNode *value, const Token *dots);
/* name NULL: anonymous. close is the parameters' `)`. */
AstNode *make_fn(Parser *p, Token fn, const Token *name, ParamList params, Token close,
                 AstNode *body);

AstNode *make_block(Parser *p, const Token *open, AstList items, const Token *close);
AstNode *make_expr(Parser *p, AstNode *e);
AstNode *make_quiet(Parser *p, AstNode *statement, Token semi);
AstNode *make_assign(Parser *p, AstNode *target, Token eq, AstNode *value);
AstNode *make_opassign(Parser *p, AstNode *target, Token t, AstNode *value);
AstNode *make_if(Parser *p, Token t, AstNode *cond, AstNode *block);
AstNode *make_elif(Parser *p, AstNode *node, AstNode *cond, AstNode *block); /* cond NULL: else */
AstNode *make_while(Parser *p, Token t, AstNode *cond, AstNode *block);
AstNode *make_for(Parser *p, Token t, AstNode *target, AstNode *e, AstNode *block);
AstNode *make_return(Parser *p, Token t, AstNode *e);
AstNode *make_del(Parser *p, Token t, AstList names);
AstNode *make_assert(Parser *p, Token t, AstNode *cond, AstNode *message);
AstNode *make_try(Parser *p, Token t, AstNode *block, Token name, AstNode *handler);
AstNode *make_import(Parser *p, Token t, bool path, Token from, Token name);

/* For the constructors among themselves: a node of depth 1; n made deeper than a child of its; n
 * with these items; the capacity that an array of n items grown one by one has. */
AstNode *make_node(Parser *p, AstKind kind, uint32_t lo, uint32_t hi);
AstNode *make_above(Parser *p, AstNode *n, const AstNode *child);
AstNode *make_items(Parser *p, AstNode *n, AstList list);
int32_t make_cap(int32_t n);
AstName make_name_of(Parser *p, Token t);

/* root as the body of a function without a name of its own, in a BLOCK of its own. */
AstNode *make_body(Parser *p, AstNode *root, const char *const *params, int nparams);

/* break, continue and return stand inside loops and functions; in_fn: root is a function's body. */
Status check_places(Cx *cx, const AstNode *root, bool in_fn);
/* The error for p's token, which the grammar, in the state before it, cannot take. */
Status explain_unexpected(Parser *p);

#endif
