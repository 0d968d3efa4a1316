/* try - an error in the first block becomes a record for the second one.
 *
 * Work is lazy, so an index out of range would be found long after the block, when variables have
 * taken the value that failed. Therefore what was built inside and can fail on data (watch.c holds
 * it) is forced before a statement of the block changes a variable, and the rest when the block is
 * left, by its end, by return or by break. What functions build that are called from the block
 * waits for the statement that calls. Callers: eval_stmt. Invariant: nothing is held beyond its
 * block. */
#include "interp/try.h"
#include "interp/watch.h"

#include <string.h>

/* Interrupts, limits that last, exit and the host's own trouble pass through. */
static bool catchable(State *A, Status st) {
    return !error_is_stop(&A->cx, st) && st != ARR_ERR_EXIT && st != ARR_ERR_INTERNAL;
}

static Status set_field(State *A, Record *r, uint32_t i, const char *name, Value v) {
    r->fields[i].value = v;
    r->fields[i].name = symbol_intern(A, name, strlen(name));
    return r->fields[i].name < 0 ? ARR_ERR_MEMORY : ARR_OK;
}

/* record(message=..., kind=..., file=..., line=...) */
static Status error_record(State *A, const Error *e, Value *out) {
    Value message, kind, file;
    int line, column;
    const Source *s = e->span.src ? source_find(A, e->span.src) : NULL;
    const char *file_name = s ? s->name : "", *kind_name = arr_status_name(e->status);
    source_position(A, e->span, &line, &column);
    TRY(value_record(A, 4, out));
    Record *r = out->record;
    Status st = value_str(A, e->message, strlen(e->message), &message);
    if (st == ARR_OK) st = set_field(A, r, 0, "message", message);
    if (st == ARR_OK) st = value_str(A, kind_name, strlen(kind_name), &kind);
    if (st == ARR_OK) st = set_field(A, r, 1, "kind", kind);
    if (st == ARR_OK) st = value_str(A, file_name, strlen(file_name), &file);
    if (st == ARR_OK) st = set_field(A, r, 2, "file", file);
    if (st == ARR_OK) st = set_field(A, r, 3, "line", value_int(line));
    if (st != ARR_OK) value_release(A, *out);
    return st;
}

static Status handle(State *A, Frame *f, AstNode *n, Flow *flow) {
    Error *e = error_save(&A->cx);
    if (!e) {
        error_clear(&A->cx);
        return error_memory(&A->cx, sizeof *e);
    }
    Value record;
    Status st = error_record(A, e, &record);
    error_free(&A->cx, e);
    TRY(st);
    frame_bind(A, f, &n->name, record);
    return exec_block(A, f, n->b, flow);
}

Status exec_try(State *A, Frame *f, AstNode *n, Flow *flow) {
    int32_t before = A->nwatched, outer = A->watched_from;
    Frame *frame = A->frame;
    const Frame *outer_frame = A->try_frame;
    Span span = A->cx.span;
    A->try_depth++;
    A->watched_from = before;
    A->try_frame = f;
    Status st = exec_block(A, f, n->a, flow);
    if (st == ARR_OK) st = watched_settle(A, f);
    watched_drop(A, before);
    A->watched_from = outer;
    A->try_frame = outer_frame;
    A->try_depth--;
    A->frame = frame;
    if (st == ARR_OK || !catchable(A, st)) return st;
    A->cx.span = span;
    if (*flow == FLOW_RETURN) { /* the value that was to be returned is part of what failed */
        value_release(A, f->result);
        f->result = VALUE_NONE;
    }
    *flow = FLOW_NEXT;
    return handle(A, f, n, flow);
}
