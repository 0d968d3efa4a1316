/* liveness - which read of a local is its last: see liveness.c.
 * Callers: the resolver (marks), eval (moves). */
#ifndef ARR_LIVENESS_H
#define ARR_LIVENESS_H

#include "interp/state.h"

/* A flag of NAME nodes, beside those of ast.h: nothing reads the slot again before it is bound. */
enum { AST_FINAL = 128 };

/* Mark the final reads in a resolved function. Writes only flags. */
void liveness_mark(const AstFn *fn);

#endif
