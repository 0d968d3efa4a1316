/* api - the insides of the public interface: handles of values and calls of host functions.
 * Callers: api.c, api_value.c, call.c. */
#ifndef ARR_API_H
#define ARR_API_H

#include "interp/state.h"

/* A handle: a value and the state that it belongs to. Listed in the state, so that arr_close can
 * let go of the values; a handle outlives its state as an empty shell. */
struct arr_value {
    State *A; /* NULL once the state is closed */
    Value v;
    Span span; /* of the expression that made it, where errors of showing it belong */
    arr_value *prev, *next;
    char *text; /* what arr_value_format answered */
    size_t text_size;
    void *(*alloc)(void *user, void *p, size_t old, size_t n); /* frees the shell */
    void *user;
};

/* A new handle for v (taken). */
Status api_handle(State *A, Value v, arr_value **out);
/* Empty all handles: the state is about to go. */
void api_orphan_handles(State *A);
/* Begin and end of a call into the state: errors of the last one are gone; `st` is kept. */
Status api_begin(State *A);
Status api_end(State *A, Status st);
Status api_call_host(State *A, Function *fn, const Value *args, int n, Value *out);

#endif
