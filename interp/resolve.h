/* resolve - names of a tree to places: one pass over a source before it runs.
 * Callers: api and module, after parsing. See resolve.c for the rules. */
#ifndef ARR_RESOLVE_H
#define ARR_RESOLVE_H

#include "interp/state.h"

Status resolve_source(State *A, Source *s, Module *m);

/* AstName.slot after resolving: 0 and up, a slot of the function; below -1, a variable of the
 * module; -1, no variable (a field's or an argument's name). */
static inline bool name_is_local(const AstName *n) { return n->slot >= 0; }
static inline int32_t name_global(const AstName *n) { return -2 - n->slot; }
static inline Symbol name_symbol(const AstName *n) { return (Symbol)((intptr_t)n->sym - 1); }

#endif
