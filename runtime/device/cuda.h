/* cuda - the GPU backend's own parts: one Cuda is one GPU with its streams, pool and libraries.
 *
 * Private to runtime/device/cuda*.c. A Cuda begins with its Device, so that pointers convert. All
 * work goes to the non-blocking stream of the lane in use (lane 0 but while lanes are open), which
 * gives device.h's order; large uploads may have one of their own, which that one waits for. Every
 * entry point makes the GPU current for its call and puts the host's choice back (cuda_enter,
 * cuda_leave), and answers ARR_ERR_DEVICE once the GPU is lost: after a sticky error nothing on it
 * can be trusted, and the context, which belongs to the host too, is never reset. */
#ifndef ARR_CUDA_H
#define ARR_CUDA_H

#ifndef ARR_NO_CUDA
#include "runtime/device/cuda_lib.h"
#include "runtime/device/device.h"
#include "runtime/device/pool.h"
#include "runtime/device/rtc_helper.h"

/* A ring of pinned buffers; how far the host may run ahead of the GPU: CUDA_MARKS times
 * CUDA_MARK_EVERY launches, so that an interrupt leaves little to wait for. */
enum { CUDA_RING = 3, CUDA_MARKS = 4, CUDA_MARK_EVERY = 16 };
/* Releases of large blocks whose events are remembered. */
enum { CUDA_FREED = 8 };

enum { RTC_MORE = 7 };

/* What a lane has of its own. Of the lane in use these fields of Cuda count instead. */
typedef struct CudaLane {
    cudaStream_t stream; /* NULL until its first use */
    cublasHandle_t blas;
    void *blas_workspace;
    cudaEvent_t event; /* for other lanes to wait for */
    bool used;         /* since lanes were opened */
} CudaLane;

typedef struct Cuda {
    Device dev;
    int index; /* GPU number */
    int sm;    /* compute capability: 90 for 9.0 */
    int multiprocessors;
    int shared_memory;   /* bytes that a block can ask for */
    bool lost;           /* a sticky error was seen */
    bool no_cub;         /* libarr_cub.so is not to be had */
    cudaStream_t stream; /* of the lane in use */
    CudaLane lane[DEV_LANES];
    int now;             /* the lane in use */
    bool open;           /* lanes are open ... */
    cudaEvent_t fork;    /* ... since then */
    cudaStream_t copier; /* of large uploads; NULL until the first */
    cudaEvent_t copied;
    void *taken;          /* the block handed out last, NULL if it may be in use by now; free ... */
    int64_t taken_at;     /* ... before the next large release; -1: it never was in use ... */
    int64_t taken_after;  /* ... and handed out after so many launches */
    cudaEvent_t event;    /* for waiting */
    cudaEvent_t timer[2]; /* of cuda_clock; NULL until its first call */
    cudaEvent_t mark[CUDA_MARKS];
    int64_t submitted; /* launches */
    cudaEvent_t freed[CUDA_FREED];
    int64_t releases; /* of large blocks, each followed by the event of its number */
    Pool *pool;
    /* staging: pinned host memory */
    char *small;           /* downloads of at most CUDA_SMALL bytes */
    char *ring[CUDA_RING]; /* large copies; NULL until the first */
    cudaEvent_t ring_event[CUDA_RING];
    char *fetch_spare; /* kept by cuda_fetch.c, of fetch_cap bytes; or NULL */
    size_t fetch_cap;
    /* libraries */
    CudaLib lib;
    cublasHandle_t blas;
    void *blas_workspace;
    curandGenerator_t rand;
    Rtc rtc, more[RTC_MORE]; /* the others only for several compiles at once */
    char target[CUDA_LIB_PATH + 256];
} Cuda;

/* Make the GPU current; *was is for cuda_leave. Reports a lost GPU. */
Status cuda_enter(Cuda *c, int *was);
void cuda_leave(Cuda *c, int was);
/* Turn a runtime error into a status; notes a lost GPU. */
Status cuda_check(Cuda *c, cudaError_t e, const char *what);
/* Wait for everything submitted so far by polling, so that an interrupt is seen. */
Status cuda_wait(Cuda *c);
Status cuda_wait_event(Cuda *c, cudaEvent_t e);
/* Around a launch: waits first when the host is too far ahead (interruptibly: nothing has been
 * launched yet); counts it after. */
Status cuda_before_launch(Cuda *c);
Status cuda_after_launch(Cuda *c);

/* cuda_lane.c */
Status cuda_lanes_open(Device *d);
Status cuda_lane_use(Device *d, int lane);
Status cuda_lane_follow(Device *d, int lane);
void cuda_lanes_join(Device *d);
int64_t cuda_lanes_held(Device *d);
/* All lanes but 0, and what libraries have on each. */
void cuda_lanes_close(Cuda *c);
/* A block of so many bytes has been given back. */
void cuda_released(Cuda *c, size_t bytes);
/* The stream of a large upload to dst: one of its own where dst is known to be out of use by then,
 * so that what runs on the GPU meanwhile goes on. uploaded: what follows comes after it. */
cudaStream_t cuda_upload_stream(Cuda *c, const void *dst);
Status cuda_uploaded(Cuda *c, cudaStream_t stream);

/* cuda_copy.c */
Status cuda_upload(Device *d, void *dst, const void *host, size_t n);
Status cuda_download(Device *d, void *host, const void *src, size_t n);
Status cuda_upload_pieces(Device *d, void *dst, size_t n, DevPiece fill, void *ctx, int *rc);
Status cuda_download_pieces(Device *d, const void *src, size_t n, DevPiece take, void *ctx,
                            int *rc);
void cuda_copy_close(Cuda *c);

/* cuda_fetch.c */
Status cuda_fetch_start(Device *d, const void *src, size_t n, DevFetch **out);
Status cuda_fetch_end(Device *d, DevFetch *f, void *host, bool wait, bool *done);
void cuda_fetch_close(Cuda *c);

/* cuda_rtc.c */
Status cuda_compile(Device *d, const char *text, const char *name, void **image, size_t *n);
Status cuda_compile_many(Device *d, int n, const char *const *text, const char *const *name,
                         void **image, size_t *size);
Status cuda_load(Device *d, const void *image, size_t n, const char *name, DevKernel **out);
void cuda_unload(Device *d, DevKernel *k);
Status cuda_launch(Device *d, DevKernel *k, const DevLaunch *l);
const char *cuda_target(Device *d);

/* cuda_sort.c */
Status cuda_sort(Device *d, DevSort *s, bool *done);

/* cuda_math.c */
Status cuda_matmul(Device *d, const DevMatmul *m);
Status cuda_philox(Device *d, uint64_t key, uint32_t *dst, size_t words);
void cuda_math_close(Cuda *c);
#endif

#endif
