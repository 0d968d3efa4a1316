/* liveness - which read of a variable is its last: see liveness.c.
 * Callers: the resolver and api (mark), eval (moves, weakens). */
#ifndef ARR_LIVENESS_H
#define ARR_LIVENESS_H

#include "interp/state.h"

/* A flag of NAME nodes, beside those of ast.h: nothing reads the variable again before it is bound.
 */
enum { AST_FINAL = 128 };

/* Mark the final reads of locals in a resolved function. Writes only flags. */
void liveness_mark(const AstFn *fn);
/* The same for the variables of a script that is run once, from its top level. */
void liveness_mark_script(AstNode *root);

#endif
