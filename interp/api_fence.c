/* api_fence - the public interface: reads of arrays that go on while the host does other things.
 *
 * Callers: hosts, arr_close. A fence is listed in its state while the read is under way; the
 * device's part is a fetch into memory of its own, from which the host's is filled when it is seen
 * to be complete. Invariant: done is called once, and only by the thread that uses the state. */
#include "interp/api.h"
#include "runtime/exec.h"
#include "runtime/place.h"

#include <string.h>

struct arr_fence {
    State *A; /* NULL once the state is closed */
    arr_fence *prev, *next;
    Device *device; /* whose fetch it is */
    DevFetch *fetch;
    Array *from; /* keeps the elements until the fetch has ended */
    void *dst;
    bool complete;
    arr_status status;
    void (*done)(void *user, arr_status status);
    void *user;
    void *(*alloc)(void *user, void *p, size_t old, size_t n); /* frees the shell */
    void *alloc_user;
};

static void complete(arr_fence *f, arr_status st) {
    if (f->from) array_release(&f->A->cx, f->from);
    f->from = NULL;
    f->fetch = NULL;
    f->complete = true;
    f->status = st;
    if (f->done) f->done(f->user, st);
}

/* Submit the copy, or do it, where the device has no other way. */
static Status start(State *A, Node *n, arr_fence *f) {
    Runtime *rt = A->rt;
    bool constant = n->op == OP_scalar && n->state == NODE_PENDING;
    if (!constant) TRY(exec_force(rt, &n, 1));
    Array *a = n->state == NODE_DONE ? n->value : NULL;
    Device *d = a ? a->buf->device : rt->cpu;
    size_t bytes = (size_t)node_size(n) * dtype_size((DType)n->dtype);
    if (!d->ops->fetch_start || rt->cuda_state < 0 || bytes == 0) {
        Status st = bytes ? exec_read(rt, n, f->dst) : ARR_OK;
        if (st == ARR_OK) complete(f, ARR_OK);
        return st;
    }
    TRY(place_contiguous(rt, a, d, &f->from));
    const char *src =
        (const char *)f->from->buf->ptr + (size_t)f->from->offset * dtype_size(f->from->dtype);
    f->device = d;
    Status st = d->ops->fetch_start(d, src, bytes, &f->fetch);
    if (st != ARR_OK) {
        array_release(&A->cx, f->from);
        f->from = NULL;
    }
    return st;
}

static void list(State *A, arr_fence *f) {
    f->next = A->fences;
    if (f->next) f->next->prev = f;
    A->fences = f;
    A->nfences++;
}

arr_status arr_value_read_start(const arr_value *h, void *dst, size_t cap,
                                void (*done)(void *user, arr_status status), void *user,
                                arr_fence **out) {
    State *A = handle_state(h);
    if (out) *out = NULL;
    if (!A || !out) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    size_t need;
    Status st = api_read_size(A, h, dst, cap, &need);
    arr_fence *f = st == ARR_OK ? mem_zalloc(&A->cx.mem, sizeof *f) : NULL;
    if (st == ARR_OK && !f) st = error_memory(&A->cx, sizeof *f);
    if (st != ARR_OK) return api_end(A, st);
    *f = (arr_fence){.A = A, .dst = dst, .done = done, .user = user};
    st = start(A, h->v.node, f);
    if (st == ARR_OK) {
        list(A, f);
        *out = f;
    } else {
        mem_free(&A->cx.mem, f, sizeof *f);
    }
    return api_end(A, st);
}

static arr_status look(arr_fence *f, bool wait) {
    if (!f) return ARR_ERR_ARGUMENT;
    if (f->complete || !f->A) return f->status;
    State *A = f->A;
    TRY(api_begin(A));
    bool done = false;
    Status st = f->device->ops->fetch_end(f->device, f->fetch, f->dst, wait, &done);
    if (st == ARR_ERR_INTERRUPT || st == ARR_ERR_LIMIT) return api_end(A, st); /* it goes on */
    if (st != ARR_OK || done) complete(f, st);
    st = api_end(A, st);
    return st == ARR_OK && !done ? ARR_INCOMPLETE : st;
}

arr_status arr_fence_poll(arr_fence *f) { return look(f, false); }
arr_status arr_fence_wait(arr_fence *f) { return look(f, true); }

static void unlist(State *A, arr_fence *f) {
    if (f->prev)
        f->prev->next = f->next;
    else
        A->fences = f->next;
    if (f->next) f->next->prev = f->prev;
    A->nfences--;
}

/* Whatever comes, the device writes no more and the fence is complete. */
static void finish(State *A, arr_fence *f) {
    bool held = A->cx.hold, done;
    if (!f->complete && runtime_forked(A->rt)) { /* the parent's read */
        f->device->ops->fetch_end(f->device, f->fetch, f->dst, false, &done);
        error_clear(&A->cx);
        complete(f, ARR_ERR_DEVICE);
        return;
    }
    A->cx.hold = true; /* not to be interrupted: the memory is about to go */
    look(f, true);
    A->cx.hold = held;
}

void arr_fence_free(arr_fence *f) {
    if (!f) return;
    if (!f->A) {
        f->alloc(f->alloc_user, f, sizeof *f, 0);
        return;
    }
    State *A = f->A;
    finish(A, f);
    unlist(A, f);
    mem_free(&A->cx.mem, f, sizeof *f);
}

void api_finish_fences(State *A) {
    for (arr_fence *f = A->fences; f; f = f->next) {
        finish(A, f);
        f->alloc = A->cx.mem.alloc;
        f->alloc_user = A->cx.mem.user;
        f->A = NULL;
    }
    A->fences = NULL;
}
