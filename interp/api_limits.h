/* api_limits - entering and leaving a state: one thread at a time, no GPU across a fork, and the
 * host's limits (runtime/base/limits.h) set, begun and ended.
 * Callers: api (every call), state (opening), eval, call and builtins (steps). */
#ifndef ARR_INTERP_LIMITS_H
#define ARR_INTERP_LIMITS_H

#include "interp/state.h"

/* Take the limits over, NULL: none. On failure the old ones hold. */
Status state_limit(State *A, const arr_limits *limits);
/* The state has been opened: within the time? */
Status state_opened_in_time(State *A);
/* The calling thread is about to work with the state. ARR_ERR_ARGUMENT, and nothing was touched,
 * while another one does; ARR_ERR_DEVICE in the child of a process that used a GPU. */
Status state_enter(State *A);
/* The outermost call of the host ends. */
void state_leave(State *A);
/* May arr_close take the state apart? Not while a call runs. */
bool state_is_idle(State *A);
/* More nested calls than allowed: reported. */
Status depth_exhausted(State *A);

/* Items between two calls of state_step in loops that take a nanosecond each. */
enum { STEPS = 1 << 14 };
/* n steps of the interpreter or of a builtin's loop, before they are done. */
static inline Status state_step(State *A, uint64_t n) {
    if (interrupted(A)) return error_interrupted(&A->cx);
    return limits_spend(&A->cx, n);
}

#endif
