/* builtin_walk - functions that walk over the elements of values and give tuples.
 * Callers: the table of builtin_values. */
#ifndef ARR_BUILTIN_WALK_H
#define ARR_BUILTIN_WALK_H

#include "interp/builtin.h"

Status walk_zip(State *A, const Value *args, Value *out);
Status walk_enumerate(State *A, const Value *args, Value *out);
Status walk_map(State *A, const Value *args, Value *out);
Status walk_filter(State *A, const Value *args, Value *out);
Status walk_sorted(State *A, const Value *args, Value *out);

#endif
