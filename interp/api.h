/* api - the insides of the public interface: handles of values and calls of host functions.
 * Callers: api.c, api_value.c, call.c. */
#ifndef ARR_API_H
#define ARR_API_H

#include "interp/state.h"

/* A handle: a value and the state that it belongs to. Listed in the state, so that arr_close can
 * let go of the values; a handle outlives its state as an empty shell. */
struct arr_value {
    uint32_t life; /* HANDLE_ALIVE */
    bool borrowed; /* of a host function's call: freed with it */
    State *A;      /* NULL once the state is closed */
    Value v;
    Span span; /* of the expression that made it, where errors of showing it belong */
    arr_value *prev, *next;
    char *text; /* what arr_value_format answered */
    size_t text_size;
    struct Mapping *maps; /* of its elements: api_array.c */
    void *raw;            /* booleans of arr_value_array_make that the host may still write */
    void *(*alloc)(void *user, void *p, size_t old, size_t n); /* frees the shell */
    void *user;
};

enum { HANDLE_ALIVE = 0x41727256, HANDLE_FREED = 0x64656164 };

/* The booleans that the host has written become 0 and 1. */
void api_settle(arr_value *h);

/* The state of a handle that is about to be used; NULL: it was given back, or its state closed.
 * Debug builds keep what was freed, to know it again. */
static inline State *handle_state(const arr_value *h) {
    if (!h || h->life != HANDLE_ALIVE) return NULL;
    if (h->raw) api_settle((arr_value *)(uintptr_t)h);
    return h->A;
}
/* Is it a handle of A that may be used? */
static inline bool handle_of(const State *A, const arr_value *h) {
    return A && handle_state(h) == A;
}

/* A new handle for v (taken). */
Status api_handle(State *A, Value v, arr_value **out);
/* Empty all handles: the state is about to go. */
void api_orphan_handles(State *A);
/* Begin and end of a call into the state: errors of the last one are gone; `st` is kept. */
Status api_begin(State *A);
Status api_end(State *A, Status st);
Status api_call_host(State *A, Function *fn, const Value *args, int n, Value *out);
/* Is this a name that a program can use? */
bool api_is_name(const char *s);
/* A call that ends before it began: ARR_ERR_ARGUMENT with its reason. */
Status api_refuse(State *A, const char *why);
/* The error for a handle that is none of A's; inside api_begin and api_end. */
Status api_bad_handle(State *A);
/* A host function is gone: its owner is told. */
void api_drop_host(State *A, HostFn *h);
/* Text and maps of a handle. */
void api_drop_caches(arr_value *h);
/* The last of a closed state: memory and devices. */
void api_end_state(State *A);
/* Bind a top-level variable to v (taken). */
Status api_set_variable(State *A, const char *name, Value v);
/* Give back all maps of a handle, or the elements that wait for being filled. */
void api_drop_maps(arr_value *h);
/* The bytes of h's elements, if h is an array and cap bytes at dst hold them. */
Status api_read_size(State *A, const arr_value *h, const void *dst, size_t cap, size_t *need);
/* Complete the reads under way; their fences become shells. */
void api_finish_fences(State *A);

#endif
