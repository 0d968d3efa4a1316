/* try - try statements, and the pending work that must be decided before one is left.
 * Callers: eval_stmt. */
#ifndef ARR_TRY_H
#define ARR_TRY_H

#include "interp/eval.h"

Status exec_try(State *A, Frame *f, AstNode *n, Flow *flow);
/* Let go of watched nodes down to `keep` of them. */
void watched_drop(State *A, int32_t keep);

#endif
