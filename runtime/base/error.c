/* error - the pending error of a state: set once, decorated, saved into failed nodes, raised again.
 *
 * Callers: every function that can fail. An error that is already pending is never replaced, since
 * the first one is the cause and later ones are its consequences. Text is cut at the buffers' ends,
 * never allocated, so that running out of memory can be reported like anything else. */
#include "runtime/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>

Status error_set(Cx *cx, Status s, Span span, const char *fmt, ...) {
    Error *e = &cx->err;
    if (e->status != ARR_OK) return e->status;
    e->status = s;
    e->span = span.src ? span : cx->span;
    e->needed = SPAN_NONE;
    e->chained = false;
    e->nframes = 0;
    e->notes[0] = '\0';
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->message, sizeof e->message, fmt, ap);
    va_end(ap);
    return s;
}

void error_note(Cx *cx, const char *fmt, ...) {
    Error *e = &cx->err;
    if (e->status == ARR_OK) return;
    size_t len = strlen(e->notes);
    if (len + 2 >= sizeof e->notes) return;
    if (len > 0) e->notes[len++] = '\n';
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->notes + len, sizeof e->notes - len, fmt, ap);
    va_end(ap);
}

/* The innermost half of the chain and the outermost half are kept: where it happened, and how the
 * program got there. */
void error_frame(Cx *cx, Span span, const char *fn) {
    Error *e = &cx->err;
    if (e->status == ARR_OK || e->chained) return;
    int at = e->nframes;
    if (at >= ERROR_FRAMES_MAX) {
        at = ERROR_FRAMES_MAX - 1;
        ErrorFrame *half = e->frames + ERROR_FRAMES_MAX / 2;
        memmove(half, half + 1, (ERROR_FRAMES_MAX / 2 - 1) * sizeof *half);
    }
    e->frames[at] = (ErrorFrame){span, fn};
    e->nframes++;
}

Status error_memory(Cx *cx, size_t bytes) {
    if (cx->mem.refused) {
        cx->mem.refused = false;
        return error_set(cx, ARR_ERR_LIMIT, cx->span,
                         "the limit of %lld bytes of host memory is reached: %zu bytes asked for, "
                         "%lld in use: let go of arrays (del), or let the host raise "
                         "arr_limits.host_bytes",
                         (long long)cx->mem.limit, bytes, (long long)atomic_load(&cx->mem.bytes));
    }
    return error_set(cx, ARR_ERR_MEMORY, cx->span, "out of memory: %zu bytes could not be had",
                     bytes);
}

Status error_interrupted(Cx *cx) {
    int stop = atomic_load(&cx->interrupt);
    if (stop > STOP_HOST) return limits_error(cx, stop);
    atomic_store(&cx->interrupt, 0);
    int none = 0; /* the timer may have found the flag taken */
    if (atomic_load(&cx->limits.expired))
        atomic_compare_exchange_strong(&cx->interrupt, &none, STOP_TIME);
    return error_set(cx, ARR_ERR_INTERRUPT, cx->span, "interrupted");
}

bool error_is_stop(const Cx *cx, Status s) {
    return s == ARR_ERR_INTERRUPT || (s == ARR_ERR_LIMIT && limits_last(cx));
}

void error_clear(Cx *cx) {
    Error *e = &cx->err;
    e->status = ARR_OK;
    e->span = e->needed = SPAN_NONE;
    e->chained = false;
    e->nframes = 0;
    e->message[0] = e->notes[0] = '\0';
}

Error *error_save(Cx *cx) {
    Error *e = mem_alloc(&cx->mem, sizeof *e);
    if (!e) return NULL;
    *e = cx->err;
    error_clear(cx);
    return e;
}

Status error_raise(Cx *cx, const Error *e, Span needed) {
    if (cx->err.status != ARR_OK) return cx->err.status;
    cx->err = *e;
    bool same = needed.src == e->span.src && needed.lo <= e->span.lo && needed.hi >= e->span.hi;
    if (needed.src && !same && !e->needed.src) cx->err.needed = needed;
    return e->status;
}

void error_free(Cx *cx, Error *e) { mem_free(&cx->mem, e, sizeof *e); }

void notice_send(Cx *cx, const char *fmt, ...) {
    if (!cx->notice) return;
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cx->notice(cx->user, text);
}
