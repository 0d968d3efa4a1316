/* prelude - stdlib functions that are names of the language: their module is loaded when one of
 * them is first used. Callers: env (what a name means), symbol (what may be remembered), lists of
 * names. */
#ifndef ARR_PRELUDE_H
#define ARR_PRELUDE_H

#include "interp/state.h"

/* The function of that name, borrowed; V_UNSET if none, or (an error is pending) if its module
 * could not be loaded. */
Value prelude_find(State *A, const char *name, size_t n);
bool prelude_has(const char *name, size_t n);
size_t prelude_count(void);
const char *prelude_name(size_t i);

#endif
