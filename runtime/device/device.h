/* device - the backend contract: memory, copies, work, library calls.
 *
 * A Device is the CPU or one GPU. It knows pointers and sizes, kernel text and function pointers,
 * never a kernel program or a graph. Callers: kernels/ (work) and runtime/ (memory, copies).
 * Invariant: work on one device is done in the order it was submitted; download and sync wait,
 * everything else may return before the work is done (on the CPU it is done on return). */
#ifndef ARR_DEVICE_H
#define ARR_DEVICE_H

#include "runtime/base/dtype.h"

typedef struct Device Device;
typedef struct DevKernel DevKernel; /* a loaded GPU kernel */
typedef struct DevFetch DevFetch;   /* a copy to the host that is under way */

enum { DEV_LANES = 4 };

/* Part i of n of some work on the CPU: called on several threads, must not allocate. A non-zero
 * return stops the remaining parts and becomes device_parallel's *rc. */
typedef int (*DevPart)(void *ctx, int64_t part, int thread);

/* Bytes [at, at + n) of a transfer are wanted in, or have come to, `host`. Called on several
 * threads at once, must not allocate; non-zero stops the transfer and becomes its *rc. */
typedef int (*DevPiece)(void *ctx, char *host, size_t at, size_t n);

typedef struct DevLaunch {
    unsigned grid[3], block[3], shared;
    void **params; /* as cudaLaunchKernel takes them */
    bool follows;  /* the kernel waits by itself for the launch before it, and may begin sooner */
} DevLaunch;

/* C[b] = A[b] @ B[b]: row-major, possibly transposed by strides; element strides. One of each pair
 * of strides is 1 (the caller copies otherwise). */
typedef struct DevMatmul {
    DType dtype; /* f32 f64 c64 c128; f16 bf16 accumulate in f32 */
    int64_t m, n, k, batch;
    const void *a, *b;
    void *c;
    int64_t a_row, a_col, b_row, b_col, c_row; /* c_col is 1 */
    int64_t a_batch, b_batch, c_batch;         /* 0: shared by all batches */
    int precision;                             /* PRECISION_*: what f32 on a GPU asks for */
    bool widened, added;                       /* f16 alone: c is f32; what it holds is added to */
} DevMatmul;

/* A stable sort of n elements. values false: of key[0] into key[1], elements of kind 'i', 'u' or
 * 'f' and size 4 or 8 in the order of their type (a GPU's: zeros alike, a nan where its sign bit
 * says). Else: by the low `bits` bits of unsigned keys (4 or 8 bytes), with values (4 or 8): from
 * key[0] and value[0] into key[where] and value[where]; the others are overwritten. */
typedef struct DevSort {
    bool values, descending;
    char kind;
    int size, value_size, bits, where;
    int64_t n;
    void *key[2], *value[2];
} DevSort;

typedef struct DevStats {
    int64_t bytes_used, bytes_peak, bytes_cached; /* pool */
    int64_t allocs, alloc_misses;                 /* requests; those that reached the system */
    int64_t to_host, from_host;                   /* bytes copied */
    int64_t launches, compiles, disk_hits;
} DevStats;

typedef struct DeviceOps {
    const char *kind; /* "cpu", "cuda" */
    void (*close)(Device *);
    /* Pool memory, 256-byte aligned. *out NULL and ARR_ERR_MEMORY (reported with the bytes asked,
     * used and available) when it cannot be had even after the cache was dropped. */
    Status (*alloc)(Device *, size_t bytes, void **out);
    void (*release)(Device *, void *p, size_t bytes); /* may still be in use by submitted work */
    void (*trim)(Device *);                           /* give cached memory back */
    Status (*upload)(Device *, void *dst, const void *host, size_t n);
    Status (*download)(Device *, void *host, const void *src, size_t n); /* waits */
    /* GPU, else NULL: n bytes that `fill` gives piece by piece go to dst, or come from src and are
     * taken by `take` piece by piece, while others are on their way. Pieces begin at multiples of
     * 64. ARR_ERR_MEMORY, and nothing was done, without pinned memory for them. */
    Status (*upload_pieces)(Device *, void *dst, size_t n, DevPiece fill, void *ctx, int *rc);
    Status (*download_pieces)(Device *, const void *src, size_t n, DevPiece take, void *ctx,
                              int *rc);
    /* GPU, else NULL: n bytes are on their way to memory of the device's until fetch_end gives them
     * to `host` and ends the fetch: *done false, if it does not wait and they are not there yet. An
     * error ends it too, but an interrupt does not. */
    Status (*fetch_start)(Device *, const void *src, size_t n, DevFetch **out);
    Status (*fetch_end)(Device *, DevFetch *, void *host, bool wait, bool *done);
    Status (*copy)(Device *, void *dst, const void *src, size_t n);
    Status (*zero)(Device *, void *dst, size_t n);
    /* GPU, else NULL: independent work may go to lanes, which overlap. Everything goes to lane 0 in
     * the order it was submitted, unless lanes are open: then what follows lane_use(d, i) goes to
     * lane i, which begins after all that was submitted before lanes_open, and is ordered among
     * itself alone. lane_follow(d, i): what the lane in use gets next comes after all that lane i
     * was given. Memory that is released while lanes are open is handed out again after
     * lanes_join, which makes lane 0 the one in use and puts all that follows after everything;
     * it never fails. lanes_held: the bytes that wait for it. */
    Status (*lanes_open)(Device *);
    Status (*lane_use)(Device *, int lane);
    Status (*lane_follow)(Device *, int lane);
    void (*lanes_join)(Device *);
    int64_t (*lanes_held)(Device *);
    Status (*sync)(Device *); /* waits; polls the interrupt flag; reports sticky errors */
    /* CPU only: parts 0..nparts-1 on the pool's threads. */
    Status (*parallel)(Device *, DevPart fn, void *ctx, int64_t nparts, int *rc);
    int (*threads)(Device *);
    /* GPU only. compile: kernel text -> loaded kernel, through memory and disk caches kept by
     * kernels/cache. image may be handed in (disk cache) or is returned for it. */
    Status (*compile)(Device *, const char *text, const char *name, void **image, size_t *n);
    /* Several at once, in processes of their own: image[i] NULL where that did not work, for
     * whatever reason (compile says which). Only an interrupt is an error. */
    Status (*compile_many)(Device *, int n, const char *const *text, const char *const *name,
                           void **image, size_t *size);
    Status (*load)(Device *, const void *image, size_t n, const char *name, DevKernel **out);
    void (*unload)(Device *, DevKernel *);
    Status (*launch)(Device *, DevKernel *, const DevLaunch *);
    const char *(*target)(Device *); /* text for the cache key: "sm_90 13.0 <library stamp>" */
    int (*multiprocessors)(Device *);
    int (*shared_memory)(Device *); /* bytes that a block can have, at most */
    /* Time of the work submitted between clock(d, false, NULL) and clock(d, true, &ms), which
     * waits; NULL where the caller's clock will do. */
    Status (*clock)(Device *, bool end, double *ms);
    /* Both: products through OpenBLAS / cuBLAS, opened here at first use. */
    Status (*matmul)(Device *, const DevMatmul *);
    /* GPU, else NULL: sorting by a library; *done false where there is none. */
    Status (*sort)(Device *, DevSort *, bool *done);
    /* GPU: raw Philox words of one key through cuRAND; NULL where there is none. */
    Status (*philox)(Device *, uint64_t key, uint32_t *dst, size_t words);
} DeviceOps;

struct Device {
    const DeviceOps *ops;
    Cx *cx;
    char name[32];  /* "cpu", "cuda:0" */
    char model[96]; /* "NVIDIA H200" */
    int64_t memory; /* bytes in all, 0 unknown */
    bool gone;      /* a GPU of the process that this one forked from: only host memory is freed */
    DevStats stats;
    void *impl;
};

/* Is the work on d to end early? Long parts ask now and then, on any thread, and return non-zero;
 * what submitted them then fails as interrupted. */
static inline bool device_stopped(const Device *d) {
    return !d->cx->hold && atomic_load_explicit(&d->cx->interrupt, memory_order_relaxed) != 0;
}

/* The CPU is always there. */
Status device_open_cpu(Cx *cx, Device **out);
/* Is a GPU worth trying (/dev/nvidiactl and libcuda.so.1 exist)? Touches nothing else. */
bool device_cuda_likely(void);
/* Open GPU n: the context starts here (about 200 ms). ARR_ERR_DEVICE with the reason and remedy
 * where there is no driver, no GPU n, or a build without CUDA. */
Status device_open_cuda(Cx *cx, int n, Device **out);
int device_cuda_count(void);  /* 0 without a driver; starts the driver */
void device_close(Device *d); /* NULL allowed */

#endif
