/* error - statuses with a message, a position and operand notes; and the context that all layers
 * pass along.
 *
 * The first error wins: error_set keeps an error that is already set. A function that fails returns
 * the status that error_set gave it. Messages are one line, lower case, no full stop; they name the
 * operation, shapes and dtypes, and the remedy. Data errors found when work runs are copied into
 * the failed node (error_save) and raised again at each use (error_raise). */
#ifndef ARR_ERROR_H
#define ARR_ERROR_H

#include "interp/arr.h"
#include "runtime/base/limits.h"
#include "runtime/base/mem.h"
#include "runtime/base/opts.h"

#include <stdbool.h>

typedef arr_status Status;

/* Bytes [lo, hi) of source number src (0: no position). The interpreter owns the source table. */
typedef struct Span {
    uint32_t src, lo, hi;
} Span;
#define SPAN_NONE ((Span){0, 0, 0})

typedef struct ErrorFrame { /* one line of the call chain, innermost first */
    Span span;
    const char *fn; /* interned or static name of the called function */
} ErrorFrame;

enum { ERROR_MESSAGE_MAX = 1024, ERROR_NOTES_MAX = 1024, ERROR_FRAMES_MAX = 16 };

typedef struct Error {
    Status status; /* ARR_OK: none pending */
    Span span;     /* of the operation that caused it */
    Span needed;   /* "needed at", SPAN_NONE if the same statement */
    bool chained;  /* frames are whole: those of the cause, not of where it was needed */
    int nframes;   /* may exceed ERROR_FRAMES_MAX: the middle was dropped */
    ErrorFrame frames[ERROR_FRAMES_MAX];
    char message[ERROR_MESSAGE_MAX];
    char notes[ERROR_NOTES_MAX]; /* "a: f32[3,4], b: f32[5]" lines, '\n' between */
} Error;

/* What every layer gets: memory, switches, the pending error, the interrupt flag. Lives in
 * arr_state; nothing here is shared between states. */
struct Cx {
    Mem mem;
    Opts opts;
    Error err;
    Span span;             /* the operation being built: default position of errors */
    _Atomic int interrupt; /* STOP_HOST: set by arr_interrupt, cleared when it is reported; or a
                              limit, for good (limits.h) */
    struct Shared *shared; /* what several states have together; NULL: nothing */
    bool hold;             /* interrupts wait: the work under way overwrites what it reads */
    Limits limits;
    void (*poll)(struct Cx *cx); /* NULL; else called now and then by the state's own thread */
    void (*notice)(void *user, const char *text);
    void (*dump)(void *user, const char *text, size_t n); /* where ARR_DUMP goes */
    void *user;
};

/* Is the work to stop? The host gets a word in first. On the state's own thread. */
static inline bool cx_stopped(Cx *cx) {
    if (cx->poll) cx->poll(cx);
    return atomic_load_explicit(&cx->interrupt, memory_order_relaxed) != 0;
}

#if defined(__GNUC__)
#define PRINTF_LIKE(a, b) __attribute__((format(printf, a, b)))
#else
#define PRINTF_LIKE(a, b)
#endif

Status error_set(Cx *cx, Status s, Span span, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Add one line of operands to the pending error. */
void error_note(Cx *cx, const char *fmt, ...) PRINTF_LIKE(2, 3);
void error_frame(Cx *cx, Span span, const char *fn);
Status error_memory(Cx *cx, size_t bytes); /* out of host memory, or of the limit; at cx->span */
Status error_interrupted(Cx *cx);          /* what the flag says; clears arr_interrupt's */
/* Is the failure a stop, which nobody but the host's call may swallow? */
bool error_is_stop(const Cx *cx, Status s);
void error_clear(Cx *cx);
Error *error_save(Cx *cx); /* take the pending error; NULL if out of memory */
Status error_raise(Cx *cx, const Error *e, Span needed);
void error_free(Cx *cx, Error *e);
void notice_send(Cx *cx, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* n operations, as arr_limits counts them, are about to be done. */
static inline Status limits_spend(Cx *cx, uint64_t n) {
    if (__builtin_expect(cx->limits.operations == 0, 1)) return ARR_OK;
    return limits_spend_counted(cx, n);
}

#define TRY(expr)                                      \
    do {                                               \
        Status try_status_ = (expr);                   \
        if (try_status_ != ARR_OK) return try_status_; \
    } while (0)

#endif
