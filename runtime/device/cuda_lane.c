/* cuda_lane - work that overlaps: lanes of kernels, and large uploads beside them.
 *
 * Callers: device ops, cuda_copy.c. A lane is a stream with what libraries keep for it. Side lanes
 * begin at the fork, an event on lane 0 from before all that is submitted while lanes are open; at
 * the join lane 0 waits for each of them. In between the pool hands out only memory that was free
 * at the fork, so that what a lane writes nobody else can still be using.
 * Invariant: unless lanes are open, everything that was submitted is ordered on lane 0. */
#ifndef ARR_NO_CUDA
#include "runtime/device/cuda.h"

#include <assert.h>

/* ---- lanes ---- */

static cudaStream_t stream_of(const Cuda *c, int lane) {
    return lane == c->now ? c->stream : c->lane[lane].stream;
}

static void switch_to(Cuda *c, int lane) {
    CudaLane *was = &c->lane[c->now], *is = &c->lane[lane];
    if (lane == c->now) return;
    was->stream = c->stream, was->blas = c->blas, was->blas_workspace = c->blas_workspace;
    c->stream = is->stream, c->blas = is->blas, c->blas_workspace = is->blas_workspace;
    c->now = lane;
}

static Status new_stream(Cuda *c, cudaStream_t *stream, cudaEvent_t *event) {
    if (!*event)
        TRY(cuda_check(c, cudaEventCreateWithFlags(event, cudaEventDisableTiming),
                       "creating an event"));
    if (*stream) return ARR_OK;
    return cuda_check(c, cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking),
                      "creating a stream");
}

static Status open_lanes(Cuda *c) {
    if (!c->fork)
        TRY(cuda_check(c, cudaEventCreateWithFlags(&c->fork, cudaEventDisableTiming),
                       "creating an event"));
    if (!c->lane[0].event)
        TRY(cuda_check(c, cudaEventCreateWithFlags(&c->lane[0].event, cudaEventDisableTiming),
                       "creating an event"));
    return cuda_check(c, cudaEventRecord(c->fork, c->stream), "recording an event");
}

Status cuda_lanes_open(Device *d) {
    Cuda *c = (Cuda *)d;
    int was;
    assert(!c->open && c->now == 0);
    TRY(cuda_enter(c, &was));
    Status s = open_lanes(c);
    cuda_leave(c, was);
    if (s != ARR_OK) return s;
    for (int i = 0; i < DEV_LANES; i++) c->lane[i].used = i == 0;
    pool_hold(c->pool, true);
    c->open = true;
    return ARR_OK;
}

static Status use_lane(Cuda *c, int lane) {
    CudaLane *l = &c->lane[lane];
    if (l->used) return ARR_OK;
    TRY(new_stream(c, &l->stream, &l->event));
    TRY(cuda_check(c, cudaStreamWaitEvent(l->stream, c->fork, 0), "ordering streams"));
    l->used = true;
    return ARR_OK;
}

Status cuda_lane_use(Device *d, int lane) {
    Cuda *c = (Cuda *)d;
    int was;
    assert(c->open);
    if (lane == c->now) return ARR_OK;
    TRY(cuda_enter(c, &was));
    Status s = use_lane(c, lane);
    cuda_leave(c, was);
    if (s == ARR_OK) switch_to(c, lane);
    return s;
}

static Status follow(Cuda *c, int lane) {
    cudaEvent_t e = c->lane[lane].event;
    TRY(cuda_check(c, cudaEventRecord(e, stream_of(c, lane)), "recording an event"));
    return cuda_check(c, cudaStreamWaitEvent(c->stream, e, 0), "ordering streams");
}

Status cuda_lane_follow(Device *d, int lane) {
    Cuda *c = (Cuda *)d;
    int was;
    assert(c->open);
    if (lane == c->now || !c->lane[lane].used) return ARR_OK;
    TRY(cuda_enter(c, &was));
    Status s = follow(c, lane);
    cuda_leave(c, was);
    return s;
}

/* Where events fail the host waits instead: what it can't order it must not go past. */
static void join(Cuda *c, int lane) {
    CudaLane *l = &c->lane[lane];
    if (cudaEventRecord(l->event, l->stream) == cudaSuccess &&
        cudaStreamWaitEvent(c->stream, l->event, 0) == cudaSuccess)
        return;
    (void)cudaStreamSynchronize(l->stream);
    (void)cudaGetLastError();
}

void cuda_lanes_join(Device *d) {
    Cuda *c = (Cuda *)d;
    int was = c->index;
    if (!c->open) return;
    switch_to(c, 0);
    (void)cudaGetDevice(&was);
    if (was != c->index) (void)cudaSetDevice(c->index);
    for (int i = 1; i < DEV_LANES && !c->lost; i++)
        if (c->lane[i].used) join(c, i);
    cuda_leave(c, was);
    c->open = false;
    pool_hold(c->pool, false);
}

int64_t cuda_lanes_held(Device *d) { return pool_held(((Cuda *)d)->pool); }

void cuda_lanes_close(Cuda *c) {
    cuda_lanes_join(&c->dev);
    for (int i = 0; i < DEV_LANES; i++) {
        CudaLane *l = &c->lane[i];
        if (l->event) (void)cudaEventDestroy(l->event);
        if (i == 0 || !l->stream) continue;
        (void)cudaStreamSynchronize(l->stream);
        switch_to(c, i);
        cuda_math_close(c);
        switch_to(c, 0);
        (void)cudaStreamDestroy(l->stream);
    }
    if (c->copier) (void)cudaStreamSynchronize(c->copier);
    if (c->copier) (void)cudaStreamDestroy(c->copier);
    if (c->copied) (void)cudaEventDestroy(c->copied);
    if (c->fork) (void)cudaEventDestroy(c->fork);
    for (int i = 0; i < CUDA_FREED; i++)
        if (c->freed[i]) (void)cudaEventDestroy(c->freed[i]);
}

/* ---- uploads ---- */

/* Only what is worth an upload of its own is noted: an event costs half a microsecond. While lanes
 * are open the join counts as the release, and no event is behind it. */
void cuda_released(Cuda *c, size_t bytes) {
    enum { LARGE = 32 << 20 };
    int was;
    if (bytes < LARGE || c->open || c->lost || c->dev.cx->opts.streams == 1) return;
    if (cuda_enter(c, &was) != ARR_OK) return error_clear(c->dev.cx);
    cudaEvent_t *e = &c->freed[(c->releases + 1) % CUDA_FREED];
    if ((*e || cudaEventCreateWithFlags(e, cudaEventDisableTiming) == cudaSuccess) &&
        cudaEventRecord(*e, c->stream) == cudaSuccess)
        c->releases++;
    else
        (void)cudaGetLastError();
    cuda_leave(c, was);
}

/* The first remembered event behind the uses of a block that was free before release at + 1. */
static cudaEvent_t freed_after(const Cuda *c, int64_t at) {
    int64_t oldest = c->releases - CUDA_FREED + 1, wanted = at + 1 > oldest ? at + 1 : oldest;
    return wanted > c->releases ? NULL : c->freed[wanted % CUDA_FREED];
}

cudaStream_t cuda_upload_stream(Cuda *c, const void *dst) {
    cudaEvent_t freed = NULL;
    bool idle = dst == c->taken && c->submitted == c->taken_after && !c->open;
    c->taken = NULL;
    if (c->dev.cx->opts.streams == 1 || !idle) return c->stream;
    if (c->taken_at >= 0 && !(freed = freed_after(c, c->taken_at))) return c->stream;
    if (new_stream(c, &c->copier, &c->copied) != ARR_OK) {
        error_clear(c->dev.cx);
        return c->stream;
    }
    if (freed && cudaStreamWaitEvent(c->copier, freed, 0) != cudaSuccess) {
        (void)cudaGetLastError();
        return c->stream;
    }
    return c->copier;
}

Status cuda_uploaded(Cuda *c, cudaStream_t stream) {
    if (stream == c->stream) return ARR_OK;
    cudaError_t e = cudaEventRecord(c->copied, stream);
    if (e == cudaSuccess) e = cudaStreamWaitEvent(c->stream, c->copied, 0);
    if (e != cudaSuccess) (void)cudaStreamSynchronize(stream);
    return cuda_check(c, e, "ordering a copy");
}
#else
typedef int cuda_lane_not_built;
#endif
