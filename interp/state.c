/* state - opening and closing, the value stack, and the guard of C's own stack.
 *
 * Callers: api. Invariant: opening does no work that a program may never need (no table is filled,
 * no device touched); closing gives back everything, which debug builds check. */
#include "interp/env.h"
#include "interp/api_limits.h"
#include "interp/sig.h"
#include "interp/state.h"
#include "interp/watch.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

double state_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

Status state_write(State *A, const char *text, size_t n) {
    size_t most = limits_output(&A->cx, n);
    if (A->write && most) A->write(A->write_user, text, most);
    return most < n ? limits_stop(&A->cx, STOP_OUTPUT) : ARR_OK;
}

/* ---- switches of the config: "name=value name=value" ---- */

static Status set_switches(State *A, const char *text) {
    while (*text) {
        char name[64], value[512];
        size_t n = strcspn(text, "= "), m;
        if (n == 0) {
            text++;
            continue;
        }
        m = text[n] == '=' ? strcspn(text + n + 1, " ") : 0;
        if (n >= sizeof name || m >= sizeof value || text[n] != '=') return ARR_ERR_ARGUMENT;
        memcpy(name, text, n);
        name[n] = '\0';
        memcpy(value, text + n + 1, m);
        value[m] = '\0';
        if (!opts_set(&A->cx.opts, name, value)) return ARR_ERR_ARGUMENT;
        text += n + 1 + m;
    }
    return ARR_OK;
}

static Status set_options(State *A, const arr_config *c) {
    Opts *o = &A->cx.opts;
    opts_init(o);
    char threads[32];
    const char *device = c->device ? c->device : "cpu";
    if (!opts_set(o, "device", device)) return ARR_ERR_ARGUMENT;
    if (c->cache_dir && !opts_set(o, "cache_dir", c->cache_dir)) return ARR_ERR_ARGUMENT;
    if (c->threads > 0) {
        int n = 0, v = c->threads;
        for (int k = v; k > 0; k /= 10) n++;
        threads[n] = '\0';
        for (; v > 0; v /= 10) threads[--n] = (char)('0' + v % 10);
        if (!opts_set(o, "threads", threads)) return ARR_ERR_ARGUMENT;
    }
    return c->switches ? set_switches(A, c->switches) : ARR_OK;
}

static void state_notice(void *user, const char *text) {
    State *A = user;
    A->notice(A->user, text);
}

/* Dumps go to the notices, as text with an end. Without memory for it a dump is left out. */
static void state_dump(void *user, const char *text, size_t n) {
    State *A = user;
    char *copy = mem_alloc(&A->cx.mem, n + 1);
    if (!copy) return;
    memcpy(copy, text, n);
    copy[n] = '\0';
    A->notice(A->user, copy);
    mem_free(&A->cx.mem, copy, n + 1);
}

Status state_open(State *A, const arr_config *config) {
    if (config->shared) A->cx.shared = runtime_share_retain((Shared *)config->shared);
    TRY(set_options(A, config));
    A->started = state_clock();
    TRY(state_limit(A, config->limits));
    A->notice = config->notice;
    A->cx.notice = config->notice ? state_notice : NULL;
    A->cx.dump = config->notice ? state_dump : NULL;
    A->cx.user = A;
    A->write = config->write;
    A->write_user = config->user;
    A->user = config->user;
    A->cx.mem.fail_at = A->cx.opts.fail_alloc;
    buf_init(&A->error_text, &A->cx);
    buf_init(&A->profile_text, &A->cx);
    buf_init(&A->text, &A->cx);
    TRY(module_new(A, NULL, "main", "", &A->main));
    A->main->flt = A->cx.opts.float32 ? DT_f32 : DT_f64;
    TRY(value_tuple(A, 0, &A->args));
    TRY(runtime_open(&A->cx, &A->rt));
    A->rt->flt = A->main->flt;
    watch_install(A);
    return state_opened_in_time(A);
}

static void stack_free(State *A) {
    while (A->stack) {
        StackBlock *b = A->stack;
        A->stack = b->prev;
        mem_free(&A->cx.mem, b, sizeof *b + b->cap * sizeof(Value));
    }
}

void state_empty(State *A) {
    if (A->rt) watch_free(A);
    value_release(A, A->last);
    modules_free(A);
    value_release(A, A->args);
    sources_free(A);
    sigs_free(A);
    stack_free(A);
    assert(!A->rt || A->rt->nlive == 0);
}

void state_close(State *A) {
    runtime_close(A->rt);
    runtime_share_release(A->cx.shared);
    A->cx.shared = NULL;
    symbols_free(A);
    limits_free(&A->cx);
    buf_free(&A->error_text);
    buf_free(&A->profile_text);
    buf_free(&A->text);
}

/* ---- the value stack ---- */

enum { STACK_VALUES = 2048 }; /* 48 KiB a block */

static StackBlock *stack_grow(State *A, size_t n) {
    size_t cap = n > STACK_VALUES ? n : STACK_VALUES,
           size = sizeof(StackBlock) + cap * sizeof(Value);
    StackBlock *b = mem_alloc(&A->cx.mem, size);
    if (!b) {
        error_memory(&A->cx, size);
        return NULL;
    }
    b->prev = A->stack;
    b->used = 0;
    b->cap = cap;
    A->stack = b;
    return b;
}

Value *stack_take(State *A, size_t n) {
    StackBlock *b = A->stack;
    if (!b || b->cap - b->used < n) {
        b = stack_grow(A, n);
        if (!b) return NULL;
    }
    Value *p = b->values + b->used;
    b->used += n;
    memset((void *)p, 0, n * sizeof *p); /* V_UNSET is 0 */
    return p;
}

void stack_give(State *A, Value *p, size_t n) {
    for (size_t i = n; i-- > 0;) value_release(A, p[i]);
    StackBlock *b = A->stack;
    assert(p == b->values + (b->used - n));
    b->used -= n;
    if (b->used == 0 && b->prev) { /* an empty block on top of another is given back */
        A->stack = b->prev;
        mem_free(&A->cx.mem, b, sizeof *b + b->cap * sizeof(Value));
    }
}

/* ---- C's stack ---- */

/* Room that everything below the evaluator (plans, kernels, libraries) may need. */
enum { STACK_RESERVE = 64 << 10, STACK_FIRST = 48 << 10 };

/* Asking for the stack's bounds costs tens of microseconds, so it is done when STACK_FIRST bytes of
 * it are used, not at each entry. */
static char *stack_lowest(void) {
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attr) != 0) return NULL;
    if (pthread_attr_getstack(&attr, &low, &size) != 0) low = NULL;
    pthread_attr_destroy(&attr);
    return low;
}

void stack_enter(State *A) {
    char *here = (char *)__builtin_frame_address(0);
    A->stack_hard = NULL;
    A->stack_soft = here - STACK_FIRST;
}

Status stack_exhausted(State *A) {
    char *here = (char *)__builtin_frame_address(0);
    if (!A->stack_hard) {
        char *low = stack_lowest();
        A->stack_hard = low ? low + STACK_RESERVE : A->stack_soft - STACK_RESERVE;
        if (A->stack_hard < A->stack_soft) A->stack_soft = A->stack_hard;
        if (here >= A->stack_soft) return ARR_OK;
    }
    if (A->depth == 0) {
        return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE, "the values are nested too deep");
    }
    return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE,
                     "nested too deep: %d calls are running: use a loop", A->depth);
}
