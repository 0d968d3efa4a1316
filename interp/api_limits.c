/* api_limits - see api_limits.h.
 *
 * Callers: hosts (arr_set_limits), api, state. Invariant: owner is the thread between the first
 * state_enter and state_leave, so that all else in a state needs no lock. */
#include "interp/api_limits.h"
#include "interp/api.h"
#include "runtime/base/roots.h"
#include "runtime/base/timer.h"
#include "runtime/plan_keep.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* ---- one thread, one process ---- */

/* The memory of its GPU and the driver's threads stay with the parent. */
static COLD Status lost_by_fork(State *A) {
    error_clear(&A->cx);
    A->status = error_set(&A->cx, ARR_ERR_DEVICE, SPAN_NONE,
                          "this state used a GPU before the process forked: open a new state in "
                          "the child");
    A->last_error = A->cx.err;
    error_clear(&A->cx);
    atomic_store_explicit(&A->owner, 0, memory_order_release);
    return ARR_ERR_DEVICE;
}

static COLD Status refused_begin(State *A, Status st) {
    A->status = st;
    A->last_error = A->cx.err;
    error_clear(&A->cx);
    limits_end(&A->cx);
    atomic_store_explicit(&A->owner, 0, memory_order_release);
    return st;
}

Status state_enter(State *A) {
    uintptr_t self = (uintptr_t)pthread_self(), none = 0;
    if (atomic_load_explicit(&A->owner, memory_order_relaxed) == self) return ARR_OK; /* nested */
    if (!atomic_compare_exchange_strong_explicit(&A->owner, &none, self, memory_order_acquire,
                                                 memory_order_relaxed))
        return ARR_ERR_ARGUMENT;
    A->host_errno = errno;
    if (runtime_forked(A->rt)) return lost_by_fork(A);
    if (!A->cx.limits.set) return ARR_OK;
    error_clear(&A->cx);
    Status st = limits_begin(&A->cx);
    return st == ARR_OK ? st : refused_begin(A, st);
}

void state_leave(State *A) {
    if (A->cx.limits.set) limits_end(&A->cx);
    errno = A->host_errno;
    atomic_store_explicit(&A->owner, 0, memory_order_release);
}

bool state_is_idle(State *A) { return atomic_load(&A->owner) == 0; }

/* ---- limits ---- */

COLD Status depth_exhausted(State *A) {
    return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE,
                     "the limit of %d nested calls is reached: use a loop, or let the host raise "
                     "arr_limits.recursion",
                     A->depth_most);
}

static void reclaim(void *user) {
    State *A = user;
    if (A->rt) runtime_reclaim(A->rt);
}

static bool any(const arr_limits *l) {
    return l->host_bytes || l->device_bytes || l->seconds > 0 || l->operations || l->recursion ||
           l->output_bytes || l->kernels || l->files != ARR_FILES_ALL;
}

static Status check(State *A, const arr_limits *l) {
    const char *wrong = NULL;
    if (!(l->seconds >= 0)) wrong = "seconds must be 0 or more";
    if (l->files < ARR_FILES_ALL || l->files > ARR_FILES_ROOTS)
        wrong = "files must be ARR_FILES_ALL, _NONE or _ROOTS";
    if (l->files == ARR_FILES_ROOTS && (l->nroots == 0 || !l->roots))
        wrong = "ARR_FILES_ROOTS needs roots";
    for (size_t i = 0; !wrong && l->files == ARR_FILES_ROOTS && i < l->nroots; i++)
        if (!l->roots[i]) wrong = "a root is NULL";
    if (!wrong) return ARR_OK;
    return error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE, "arr_limits: %s", wrong);
}

Status state_limit(State *A, const arr_limits *given) {
    Limits *now = &A->cx.limits;
    arr_limits l = ARR_LIMITS_INIT;
    struct Roots *roots = NULL;
    if (given && (given->size == 0 || given->size > sizeof l)) return ARR_ERR_ARGUMENT;
    if (given) memcpy(&l, given, given->size);
    TRY(check(A, &l));
    if (l.files == ARR_FILES_ROOTS) TRY(roots_new(&A->cx, l.roots, l.nroots, false, &roots));
    if (l.seconds > 0 && !now->timer) {
        Status st = timer_new(&A->cx, &now->timer);
        if (st != ARR_OK) {
            roots_free(&A->cx.mem, roots);
            return st;
        }
    }
    roots_free(&A->cx.mem, now->roots);
    now->roots = roots;
    now->set = any(&l);
    now->cuda_kernel = l.allow_cuda_kernel != 0;
    now->files = l.files;
    now->seconds = l.seconds;
    now->operations = l.operations;
    now->output = l.output_bytes;
    now->kernels = l.kernels;
    now->device_bytes = l.device_bytes;
    A->depth_most = l.recursion && l.recursion < INT_MAX ? (int)l.recursion : INT_MAX;
    A->cx.mem.limit = l.host_bytes > INT64_MAX ? INT64_MAX : (int64_t)l.host_bytes;
    A->cx.mem.reclaim = reclaim;
    A->cx.mem.reclaim_user = A;
    return ARR_OK;
}

Status state_opened_in_time(State *A) {
    const Limits *l = &A->cx.limits;
    if (!(l->seconds > 0) || state_clock() - A->started < l->seconds) return ARR_OK;
    return limits_error(&A->cx, STOP_TIME);
}

arr_status arr_set_limits(arr_state *A, const arr_limits *limits) {
    if (!A) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Status st = A->entered > 1 ? error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE,
                                           "limits are set between calls, not while one runs")
                               : ARR_OK;
    /* the old ones end with this call, before the new ones are there */
    if (st == ARR_OK && A->cx.limits.set) limits_end(&A->cx);
    if (st == ARR_OK) st = state_limit(A, limits);
    return api_end(A, st);
}
