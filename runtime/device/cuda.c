/* cuda - a GPU as a device: context, stream, memory, waiting, errors.
 *
 * Callers: runtime/ through device_open_cuda. cudart is linked statically and starts the driver at
 * its first call, so nothing here runs before device_open_cuda or device_cuda_count.
 * Invariant: all work goes to the stream of the lane in use; host threads poll and never block in
 * the driver, so that an interrupt is seen within a millisecond. */
#ifndef ARR_NO_CUDA
#include "runtime/device/cuda.h"
#include "runtime/device/shared.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- entering, leaving, errors ---- */

Status cuda_enter(Cuda *c, int *was) {
    Cx *cx = c->dev.cx;
    *was = c->index;
    if (c->dev.gone)
        return error_set(cx, ARR_ERR_DEVICE, cx->span,
                         "%s belongs to the process that this one forked from", c->dev.name);
    if (c->lost)
        return error_set(cx, ARR_ERR_DEVICE, cx->span,
                         "%s was lost after an earlier fault and its values are gone; go on with "
                         "device(\"cpu\")",
                         c->dev.name);
    if (cudaGetDevice(was) != cudaSuccess) *was = c->index;
    if (*was == c->index) return ARR_OK;
    return cuda_check(c, cudaSetDevice(c->index), "choosing the GPU");
}

void cuda_leave(Cuda *c, int was) {
    if (was != c->index) (void)cudaSetDevice(was);
}

/* After an ordinary error (out of memory, a bad argument) the stream still answers; after a fault
 * of a kernel every call on the context repeats it. */
static bool is_lost(Cuda *c) {
    if (!c->stream) return false;
    cudaError_t e = cudaStreamQuery(c->stream);
    return e != cudaSuccess && e != cudaErrorNotReady;
}

Status cuda_check(Cuda *c, cudaError_t e, const char *what) {
    Cx *cx = c->dev.cx;
    if (e == cudaSuccess) return ARR_OK;
    (void)cudaGetLastError();
    if (is_lost(c)) c->lost = true;
    if (c->lost)
        return error_set(cx, ARR_ERR_DEVICE, cx->span,
                         "%s failed in %s: %s (%s); values that lived only there are lost, go on "
                         "with device(\"cpu\")",
                         c->dev.name, what, cudaGetErrorString(e), cudaGetErrorName(e));
    return error_set(cx, e == cudaErrorMemoryAllocation ? ARR_ERR_MEMORY : ARR_ERR_DEVICE, cx->span,
                     "%s failed in %s: %s (%s)", c->dev.name, what, cudaGetErrorString(e),
                     cudaGetErrorName(e));
}

/* ---- waiting ---- */

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Yield at first, so that short work ends without delay; later sleep a small share of what has
 * passed, at most a millisecond, so that long work costs no processor. */
static void pause_after(int64_t waited) {
    enum { YIELD = 3000000, SHARE = 32, LONGEST = 1000000 };
    if (waited < YIELD) {
        sched_yield();
        return;
    }
    struct timespec t = {0, waited / SHARE < LONGEST ? (long)(waited / SHARE) : LONGEST};
    nanosleep(&t, NULL);
}

Status cuda_wait_event(Cuda *c, cudaEvent_t e) {
    Cx *cx = c->dev.cx;
    for (int64_t begun = 0;;) {
        cudaError_t r = cudaEventQuery(e);
        if (r == cudaSuccess) return ARR_OK;
        if (r != cudaErrorNotReady) return cuda_check(c, r, "running kernels");
        if (!cx->hold && cx_stopped(cx)) return error_interrupted(cx);
        int64_t now = now_ns();
        if (!begun) begun = now;
        pause_after(now - begun);
    }
}

Status cuda_wait(Cuda *c) {
    TRY(cuda_check(c, cudaEventRecord(c->event, c->stream), "recording an event"));
    return cuda_wait_event(c, c->event);
}

static cudaEvent_t mark_of(const Cuda *c, int64_t launch) {
    return c->mark[launch / CUDA_MARK_EVERY % CUDA_MARKS];
}

Status cuda_before_launch(Cuda *c) {
    int64_t next = c->submitted + 1;
    /* its mark was last set CUDA_MARKS * CUDA_MARK_EVERY launches ago */
    return next % CUDA_MARK_EVERY == 0 ? cuda_wait_event(c, mark_of(c, next)) : ARR_OK;
}

Status cuda_after_launch(Cuda *c) {
    c->dev.stats.launches++;
    if (++c->submitted % CUDA_MARK_EVERY != 0) return ARR_OK;
    return cuda_check(c, cudaEventRecord(mark_of(c, c->submitted), c->stream),
                      "recording an event");
}

static Status cuda_sync(Device *d) {
    Cuda *c = (Cuda *)d;
    int was;
    TRY(cuda_enter(c, &was));
    Status s = cuda_wait(c);
    cuda_leave(c, was);
    return s;
}

/* ---- memory ---- */

static void *raw_alloc(void *user, size_t bytes) {
    Cuda *c = user;
    void *p = shared_take(c->dev.cx, c->dev.name, bytes, 0);
    if (p || cudaMalloc(&p, bytes) == cudaSuccess) return p;
    shared_drop(c->dev.cx, c->dev.name); /* the pool asks again */
    (void)cudaGetLastError();            /* out of memory is not sticky: the pool reports it */
    if (is_lost(c)) c->lost = true;
    return NULL;
}

static void free_kept(Mem *mem, void *p, size_t bytes) {
    (void)mem, (void)bytes;
    (void)cudaFree(p);
}

/* cudaFree waits for the work that may still use the block; so must who gives it to others. */
static void raw_free(void *user, void *p, size_t bytes) {
    Cuda *c = user;
    if (c->dev.gone) return;
    bool idle = c->dev.cx->shared && !c->lost && cudaDeviceSynchronize() == cudaSuccess;
    if (!idle || !shared_give(c->dev.cx, c->dev.name, p, bytes, 0, free_kept)) (void)cudaFree(p);
}

static int64_t raw_available(void *user) {
    size_t free_bytes = 0, total = 0;
    (void)user;
    if (cudaMemGetInfo(&free_bytes, &total) != cudaSuccess) return -1;
    return (int64_t)free_bytes;
}

static Status cuda_alloc(Device *d, size_t bytes, void **out) {
    Cuda *c = (Cuda *)d;
    int was;
    *out = NULL;
    TRY(cuda_enter(c, &was));
    Status s = pool_take(c->pool, bytes, out);
    c->taken = *out;
    c->taken_at = pool_taken_at(c->pool);
    c->taken_after = c->submitted;
    cuda_leave(c, was);
    return s;
}

static void cuda_release(Device *d, void *p, size_t bytes) {
    Cuda *c = (Cuda *)d;
    pool_give(c->pool, p, bytes);
    cuda_released(c, bytes);
}

static void cuda_trim(Device *d) {
    Cuda *c = (Cuda *)d;
    int was;
    if (c->lost || cuda_enter(c, &was) != ARR_OK) return;
    pool_trim(c->pool, 0);
    cuda_leave(c, was);
}

static Status cuda_copy(Device *d, void *dst, const void *src, size_t n) {
    Cuda *c = (Cuda *)d;
    int was;
    if (n == 0) return ARR_OK;
    TRY(cuda_enter(c, &was));
    c->taken = NULL;
    Status s =
        cuda_check(c, cudaMemcpyAsync(dst, src, n, cudaMemcpyDeviceToDevice, c->stream), "copying");
    cuda_leave(c, was);
    return s;
}

static Status cuda_zero(Device *d, void *dst, size_t n) {
    Cuda *c = (Cuda *)d;
    int was;
    if (n == 0) return ARR_OK;
    TRY(cuda_enter(c, &was));
    c->taken = NULL;
    Status s = cuda_check(c, cudaMemsetAsync(dst, 0, n, c->stream), "clearing memory");
    cuda_leave(c, was);
    return s;
}

static int cuda_multiprocessors(Device *d) { return ((Cuda *)d)->multiprocessors; }

static int cuda_shared_memory(Device *d) { return ((Cuda *)d)->shared_memory; }

static int cuda_threads(Device *d) {
    (void)d;
    return 1;
}

/* ---- time ---- */

static Status timer_mark(Cuda *c, bool end, double *ms) {
    float between = 0;
    for (int i = 0; i < 2; i++)
        if (!c->timer[i]) TRY(cuda_check(c, cudaEventCreate(&c->timer[i]), "creating an event"));
    TRY(cuda_check(c, cudaEventRecord(c->timer[end], c->stream), "recording an event"));
    if (!end) return ARR_OK;
    TRY(cuda_wait_event(c, c->timer[1]));
    TRY(cuda_check(c, cudaEventElapsedTime(&between, c->timer[0], c->timer[1]), "timing"));
    *ms = between;
    return ARR_OK;
}

static Status cuda_clock(Device *d, bool end, double *ms) {
    Cuda *c = (Cuda *)d;
    int was;
    TRY(cuda_enter(c, &was));
    Status s = timer_mark(c, end, ms);
    cuda_leave(c, was);
    return s;
}

/* ---- opening and closing ---- */

/* The driver's part is the parent's, its helper processes too: our ends of their sockets are
 * closed. */
static void cuda_close_gone(Cuda *c) {
    rtc_close(&c->rtc);
    for (int i = 0; i < RTC_MORE; i++) rtc_close(&c->more[i]);
    pool_free(c->pool);
    mem_free(&c->dev.cx->mem, c, sizeof *c);
}

static void cuda_close(Device *d) {
    Cuda *c = (Cuda *)d;
    Cx *cx = d->cx;
    int was = c->index;
    if (d->gone) {
        cuda_close_gone(c);
        return;
    }
    (void)cudaGetDevice(&was);
    (void)cudaSetDevice(c->index);
    cuda_lanes_close(c);
    if (c->stream) (void)cudaStreamSynchronize(c->stream);
    cuda_math_close(c);
    cuda_fetch_close(c);
    cuda_copy_close(c);
    rtc_close(&c->rtc);
    for (int i = 0; i < RTC_MORE; i++) rtc_close(&c->more[i]);
    pool_free(c->pool);
    if (c->event) (void)cudaEventDestroy(c->event);
    for (int i = 0; i < 2; i++)
        if (c->timer[i]) (void)cudaEventDestroy(c->timer[i]);
    for (int i = 0; i < CUDA_MARKS; i++)
        if (c->mark[i]) (void)cudaEventDestroy(c->mark[i]);
    if (c->stream) (void)cudaStreamDestroy(c->stream);
    cuda_lib_close(&c->lib);
    (void)cudaGetLastError();
    if (was != c->index) (void)cudaSetDevice(was);
    mem_free(&cx->mem, c, sizeof *c);
}

static const DeviceOps cuda_ops = {
    .kind = "cuda",
    .close = cuda_close,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .trim = cuda_trim,
    .upload = cuda_upload,
    .download = cuda_download,
    .upload_pieces = cuda_upload_pieces,
    .download_pieces = cuda_download_pieces,
    .fetch_start = cuda_fetch_start,
    .fetch_end = cuda_fetch_end,
    .copy = cuda_copy,
    .zero = cuda_zero,
    .lanes_open = cuda_lanes_open,
    .lane_use = cuda_lane_use,
    .lane_follow = cuda_lane_follow,
    .lanes_join = cuda_lanes_join,
    .lanes_held = cuda_lanes_held,
    .sync = cuda_sync,
    .parallel = NULL,
    .threads = cuda_threads,
    .compile = cuda_compile,
    .compile_many = cuda_compile_many,
    .load = cuda_load,
    .unload = cuda_unload,
    .launch = cuda_launch,
    .target = cuda_target,
    .multiprocessors = cuda_multiprocessors,
    .shared_memory = cuda_shared_memory,
    .clock = cuda_clock,
    .matmul = cuda_matmul,
    .sort = cuda_sort,
    .philox = cuda_philox,
};

int device_cuda_count(void) {
    int n = 0;
    if (cudaGetDeviceCount(&n) == cudaSuccess) return n;
    (void)cudaGetLastError();
    return 0;
}

static Status after_fork(Cx *cx, int n) {
    return error_set(cx, ARR_ERR_DEVICE, cx->span,
                     "cuda:%d cannot be opened: the driver does not start, as in a process that "
                     "forked after CUDA had been used: run another program (exec), or use "
                     "device(\"cpu\")",
                     n);
}

/* Is there a GPU n? In the words of what to do about it. */
static Status check_present(Cx *cx, int n) {
    int count = 0;
    cudaError_t e = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    if (e == cudaErrorInsufficientDriver)
        return error_set(
            cx, ARR_ERR_DEVICE, cx->span,
            "cuda:%d cannot be opened: the NVIDIA driver is missing or older than R580, "
            "which CUDA 13 needs; install it or use device(\"cpu\")",
            n);
    if (e == cudaErrorInitializationError) return after_fork(cx, n);
    if (e != cudaSuccess && e != cudaErrorNoDevice)
        return error_set(cx, ARR_ERR_DEVICE, cx->span,
                         "cuda:%d cannot be opened: %s (%s); use device(\"cpu\")", n,
                         cudaGetErrorString(e), cudaGetErrorName(e));
    if (count == 0)
        return error_set(
            cx, ARR_ERR_DEVICE, cx->span,
            "cuda:%d cannot be opened: there is no NVIDIA GPU here; use device(\"cpu\")", n);
    if (n < 0 || n >= count)
        return error_set(cx, ARR_ERR_DEVICE, cx->span,
                         "cuda:%d cannot be opened: the GPUs here are cuda:0 to cuda:%d", n,
                         count - 1);
    return ARR_OK;
}

static Status describe(Cuda *c) {
    int major = 0, minor = 0;
    size_t free_bytes = 0, total = 0;
    struct cudaDeviceProp prop;
    TRY(cuda_check(c, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, c->index),
                   "reading the GPU's properties"));
    TRY(cuda_check(c, cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, c->index),
                   "reading the GPU's properties"));
    TRY(cuda_check(
        c, cudaDeviceGetAttribute(&c->multiprocessors, cudaDevAttrMultiProcessorCount, c->index),
        "reading the GPU's properties"));
    TRY(cuda_check(c,
                   cudaDeviceGetAttribute(&c->shared_memory,
                                          cudaDevAttrMaxSharedMemoryPerBlockOptin, c->index),
                   "reading the GPU's properties"));
    TRY(cuda_check(c, cudaGetDeviceProperties(&prop, c->index), "reading the GPU's properties"));
    TRY(cuda_check(c, cudaMemGetInfo(&free_bytes, &total), "reading the GPU's memory"));
    c->sm = major * 10 + minor;
    c->dev.memory = (int64_t)total;
    snprintf(c->dev.model, sizeof c->dev.model, "%.90s", prop.name);
    if (c->sm < 75)
        return error_set(c->dev.cx, ARR_ERR_DEVICE, c->dev.cx->span,
                         "%s (%s) has compute capability %d.%d: CUDA 13 needs 7.5 or newer; use "
                         "device(\"cpu\")",
                         c->dev.name, c->dev.model, major, minor);
    return ARR_OK;
}

static Status start(Cuda *c) {
    Cx *cx = c->dev.cx;
    TRY(check_present(cx, c->index));
    cudaError_t e = cudaSetDevice(c->index);
    if (e == cudaErrorInitializationError) return after_fork(cx, c->index);
    TRY(cuda_check(c, e, "starting the GPU"));
    TRY(describe(c));
    TRY(cuda_check(c, cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking),
                   "creating a stream"));
    TRY(cuda_check(c, cudaEventCreateWithFlags(&c->event, cudaEventDisableTiming),
                   "creating an event"));
    for (int i = 0; i < CUDA_MARKS; i++)
        TRY(cuda_check(c, cudaEventCreateWithFlags(&c->mark[i], cudaEventDisableTiming),
                       "creating an event"));
    PoolRaw raw = {raw_alloc, raw_free, raw_available, c, true, &c->releases};
    TRY(pool_new(cx, raw, &c->dev.stats, &c->pool));
    rtc_init(&c->rtc, cx);
    for (int i = 0; i < RTC_MORE; i++) rtc_init(&c->more[i], cx);
    return ARR_OK;
}

Status device_open_cuda(Cx *cx, int n, Device **out) {
    *out = NULL;
    Cuda *c = mem_zalloc(&cx->mem, sizeof *c);
    if (!c) return error_memory(cx, sizeof *c);
    c->dev.ops = &cuda_ops;
    c->dev.cx = cx;
    c->dev.impl = c;
    c->index = n;
    snprintf(c->dev.name, sizeof c->dev.name, "cuda:%d", n);
    int was = -1;
    bool had = cudaGetDevice(&was) == cudaSuccess;
    Status s = start(c);
    if (s != ARR_OK)
        cuda_close(&c->dev);
    else
        *out = &c->dev;
    if (had && was != n) (void)cudaSetDevice(was);
    return s;
}
#else
typedef int cuda_not_built;
#endif
