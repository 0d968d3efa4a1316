/* array_build - arrays from parts: list literals, array(), tuples where an array is wanted.
 * Callers: eval (lists), value_to_node, builtins that take tuples of arrays. */
#ifndef ARR_ARRAY_BUILD_H
#define ARR_ARRAY_BUILD_H

#include "interp/state.h"

typedef struct ArrayParts {
    const Value *items; /* borrowed, C order over shape */
    size_t n;
    Shape shape;      /* of the nested lists: its extents multiply to n */
    DType dtype;      /* convert to this; DT_COUNT: what the parts promote to */
    const char *what; /* for messages: "an array", a parameter's name */
} ArrayParts;

/* Scalars alone give one host array, converted from 64 bits once (integers must fit); otherwise
 * parts are stacked: promoted, scalars among them weak, all of one shape. Tuples and ranges count
 * as arrays. */
Status array_build(State *A, const ArrayParts *p, Node **out);
/* The dtype that a scalar has as an array: i64, u64, bool, the default float or complex. */
DType array_default_dtype(State *A, const Value *v);
/* The error for an integer that does not fit dtype d: names i64(x) or int(x). */
Status array_not_fitting(State *A, const Value *v, DType d);

#endif
