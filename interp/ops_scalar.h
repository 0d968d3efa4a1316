/* ops_scalar - arithmetic of the language's scalars: booleans, 64-bit integers and floats, complex
 * numbers of two of those. Exact where integers are; overflow is an error.
 * Callers: eval (operators), apply_op (elementwise builtins of scalars alone). */
#ifndef ARR_OPS_SCALAR_H
#define ARR_OPS_SCALAR_H

#include "interp/state.h"

/* args are scalars (value_is_scalar). Nothing is allocated for operators, comparisons and the
 * common functions. */
Status scalar_apply(State *A, Op op, const Value *args, int n, Value *out);
/* -1, 0, 1 exactly, whatever the kinds (no complex); 2 where a nan is among them. */
int scalar_compare(const Value *a, const Value *b);

#endif
