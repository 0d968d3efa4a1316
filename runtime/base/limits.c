/* limits - counting, and the words of a limit that is reached (see limits.h).
 *
 * Callers: interp, exec, the kernel cache. Invariant: the interrupt flag is only raised from 0, so
 * that the first cause is the one told, and only limits_end takes a limit out of it. */
#include "runtime/base/limits.h"
#include "runtime/base/error.h"
#include "runtime/base/numtext.h"
#include "runtime/base/roots.h"
#include "runtime/base/timer.h"

Status limits_error(Cx *cx, int stop) {
    const Limits *l = &cx->limits;
    char seconds[NUMTEXT_REAL];
    switch (stop) {
    case STOP_TIME:
        numtext_repr(l->seconds, seconds);
        return error_set(cx, ARR_ERR_LIMIT, cx->span,
                         "the time limit of %s s is reached: do less in one call, or let the host "
                         "raise arr_limits.seconds",
                         seconds);
    case STOP_OPERATIONS:
        return error_set(cx, ARR_ERR_LIMIT, cx->span,
                         "the limit of %llu operations is reached: do less in one call, or let the "
                         "host raise arr_limits.operations",
                         (unsigned long long)l->operations);
    default:
        return error_set(cx, ARR_ERR_LIMIT, cx->span,
                         "the output limit of %llu bytes is reached: print less, or let the host "
                         "raise arr_limits.output_bytes",
                         (unsigned long long)l->output);
    }
}

Status limits_stop(Cx *cx, int stop) {
    int none = 0;
    atomic_compare_exchange_strong(&cx->interrupt, &none, stop);
    return limits_error(cx, stop);
}

bool limits_last(const Cx *cx) { return atomic_load(&cx->interrupt) > STOP_HOST; }

Status limits_spend_counted(Cx *cx, uint64_t n) {
    Limits *l = &cx->limits;
    if (n > l->operations - l->operated) {
        l->operated = l->operations;
        return limits_stop(cx, STOP_OPERATIONS);
    }
    l->operated += n;
    return ARR_OK;
}

Status limits_compile(Cx *cx, uint64_t n) {
    Limits *l = &cx->limits;
    if (!l->kernels || (l->compiled <= l->kernels && n <= l->kernels - l->compiled)) {
        l->compiled += n;
        return ARR_OK;
    }
    return error_set(cx, ARR_ERR_LIMIT, cx->span,
                     "the limit of %llu compiled kernels is reached: use fewer kinds of array "
                     "expressions, or let the host raise arr_limits.kernels",
                     (unsigned long long)l->kernels);
}

size_t limits_output(Cx *cx, size_t n) {
    Limits *l = &cx->limits;
    if (!l->output) return n;
    uint64_t left = l->output - l->written;
    if (n > left) n = (size_t)left;
    l->written += n;
    return n;
}

Status limits_begin(Cx *cx) {
    Limits *l = &cx->limits;
    l->operated = l->written = 0;
    return l->seconds > 0 ? timer_set(l->timer, l->seconds) : ARR_OK;
}

void limits_end(Cx *cx) {
    if (cx->limits.seconds > 0) timer_clear(cx->limits.timer);
    atomic_store(&cx->limits.expired, 0);
    int stop = atomic_load(&cx->interrupt);
    if (stop > STOP_HOST) atomic_compare_exchange_strong(&cx->interrupt, &stop, 0);
}

void limits_free(Cx *cx) {
    timer_free(cx->limits.timer);
    roots_free(&cx->mem, cx->limits.roots);
    cx->limits.timer = NULL;
    cx->limits.roots = NULL;
}
