/* eval_expr - expressions that are evaluated again and again become one node of the graph each.
 * Callers: eval. */
#ifndef ARR_EVAL_EXPR_H
#define ARR_EVAL_EXPR_H

#include "interp/eval.h"

/* Marks of a BINARY node's cache, besides what eval_expr keeps there. */
extern const char expr_seen, expr_never;
/* The first time that it gave an array. */
static inline void expr_note(AstNode *n) {
    if (!n->cache) n->cache = (void *)(uintptr_t)&expr_seen;
}
static inline bool expr_is_due(const AstNode *n) {
    return n->cache && n->cache != (const void *)&expr_never;
}
/* A BINARY node that is due. */
Status eval_expr(State *A, Frame *f, AstNode *n, Value *out);

#endif
