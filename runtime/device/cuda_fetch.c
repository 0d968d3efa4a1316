/* cuda_fetch - copies to the host that go on while the host does other things.
 *
 * The bytes go to pinned memory of the fetch's own, since a copy into the host's pageable memory
 * would be waited for; whoever ends the fetch copies them on. One pinned buffer is kept for the
 * next fetch: making one costs as much as copying it. Callers: device ops.
 * Invariant: a fetch is ended exactly once, but by an interrupt; its memory is given back only when
 * the copy engine has done with it. */
#ifndef ARR_NO_CUDA
#include "runtime/device/cuda.h"

#include <string.h>

enum { FETCH_KEPT = 64 << 20 }; /* a larger buffer is given back at once */

struct DevFetch {
    char *pinned;
    size_t n, cap;
    cudaEvent_t event;
};

static Status take_pinned(Cuda *c, size_t n, DevFetch *f) {
    if (c->fetch_spare && c->fetch_cap >= n) {
        f->pinned = c->fetch_spare;
        f->cap = c->fetch_cap;
        c->fetch_spare = NULL;
        return ARR_OK;
    }
    f->cap = n;
    if (cudaMallocHost((void **)&f->pinned, n) == cudaSuccess) return ARR_OK;
    f->pinned = NULL;
    (void)cudaGetLastError();
    return error_memory(c->dev.cx, n);
}

static void give_pinned(Cuda *c, DevFetch *f) {
    if (!c->fetch_spare && f->cap <= FETCH_KEPT) {
        c->fetch_spare = f->pinned;
        c->fetch_cap = f->cap;
    } else if (f->pinned) {
        (void)cudaFreeHost(f->pinned);
    }
}

static void fetch_free(Cuda *c, DevFetch *f) {
    if (!c->dev.gone) {
        if (f->event) (void)cudaEventDestroy(f->event);
        give_pinned(c, f);
    }
    mem_free(&c->dev.cx->mem, f, sizeof *f);
}

static Status submit(Cuda *c, const void *src, DevFetch *f) {
    TRY(take_pinned(c, f->n, f));
    TRY(cuda_check(c, cudaEventCreateWithFlags(&f->event, cudaEventDisableTiming),
                   "creating an event"));
    TRY(cuda_check(c, cudaMemcpyAsync(f->pinned, src, f->n, cudaMemcpyDeviceToHost, c->stream),
                   "copying from the GPU"));
    return cuda_check(c, cudaEventRecord(f->event, c->stream), "copying from the GPU");
}

Status cuda_fetch_start(Device *d, const void *src, size_t n, DevFetch **out) {
    Cuda *c = (Cuda *)d;
    int was;
    *out = NULL;
    DevFetch *f = mem_zalloc(&d->cx->mem, sizeof *f);
    if (!f) return error_memory(d->cx, sizeof *f);
    f->n = n;
    Status s = cuda_enter(c, &was);
    if (s == ARR_OK) {
        s = submit(c, src, f);
        if (s != ARR_OK) fetch_free(c, f);
        cuda_leave(c, was);
    } else {
        mem_free(&d->cx->mem, f, sizeof *f);
    }
    if (s == ARR_OK) {
        d->stats.to_host += (int64_t)n;
        *out = f;
    }
    return s;
}

Status cuda_fetch_end(Device *d, DevFetch *f, void *host, bool wait, bool *done) {
    Cuda *c = (Cuda *)d;
    int was;
    *done = false;
    Status s = cuda_enter(c, &was);
    if (s != ARR_OK) { /* lost: nothing writes any more */
        fetch_free(c, f);
        return s;
    }
    cudaError_t e = wait ? cudaSuccess : cudaEventQuery(f->event);
    if (wait) s = cuda_wait_event(c, f->event);
    if (e != cudaSuccess && e != cudaErrorNotReady) s = cuda_check(c, e, "copying from the GPU");
    *done = s == ARR_OK && e == cudaSuccess;
    if (*done) memcpy(host, f->pinned, f->n);
    if (*done || (s != ARR_OK && s != ARR_ERR_INTERRUPT && s != ARR_ERR_LIMIT)) fetch_free(c, f);
    cuda_leave(c, was);
    return s;
}

void cuda_fetch_close(Cuda *c) {
    if (c->fetch_spare) (void)cudaFreeHost(c->fetch_spare);
    c->fetch_spare = NULL;
}
#else
typedef int cuda_fetch_not_built;
#endif
