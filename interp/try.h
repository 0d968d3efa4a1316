/* try - try statements.
 * Callers: eval_stmt. */
#ifndef ARR_TRY_H
#define ARR_TRY_H

#include "interp/eval.h"

Status exec_try(State *A, Frame *f, AstNode *n, Flow *flow);

#endif
