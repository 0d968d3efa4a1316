/* cuda_copy - host memory to the GPU and back.
 *
 * The driver stages ordinary (pageable) memory at about 6 GB/s with one thread. Large copies go
 * through a ring of pinned buffers instead, filled or emptied by several threads while the copy
 * engine works on the others (measured on an H200: 29 GB/s with three buffers of 16 MiB and eight
 * threads; pinned memory itself moves at 55). Callers: device ops.
 * Invariant: a buffer of the ring is touched only after its event; the host's memory is not read
 * or written after a call has returned. */
#ifndef ARR_NO_CUDA
#include "runtime/device/cuda.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
    CUDA_SMALL = 64 << 10, /* printing reads a few KiB: one pinned buffer, no driver staging */
    CUDA_CHUNK = 16 << 20, /* of the ring */
    CUDA_LARGE = 8 << 20,  /* below, the driver's own staging is as fast as starting threads */
    COPY_THREADS = 8       /* where the machine has them: more did not help */
};

/* ---- threads that move the pieces of one chunk between the ring and the host ---- */

typedef struct Copier {
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    pthread_t thread[COPY_THREADS];
    int nthread;       /* helpers beside the calling thread */
    int turn, working; /* chunk number; helpers still at it */
    bool quit;
    DevPiece move; /* what is done with each piece */
    void *ctx;
    char *host; /* the chunk's buffer of the ring; its place in the transfer; its bytes */
    size_t at, n;
    int rc; /* the first failure */
} Copier;

typedef struct CopierPart {
    Copier *copier;
    int part;
} CopierPart;

static int move_part(const Copier *k, int part) {
    size_t parts = (size_t)k->nthread + 1;
    size_t each = (k->n / parts + 63) & ~(size_t)63, lo = each * (size_t)part;
    if (lo >= k->n) return 0;
    size_t len = k->n - lo < each || part == k->nthread ? k->n - lo : each;
    return k->move(k->ctx, k->host + lo, k->at + lo, len);
}

static void *copier_run(void *p) {
    CopierPart *mine = p;
    Copier *k = mine->copier;
    int seen = 0;
    pthread_mutex_lock(&k->lock);
    for (;;) {
        while (k->turn == seen && !k->quit) pthread_cond_wait(&k->go, &k->lock);
        if (k->turn == seen) break; /* quit */
        seen = k->turn;
        pthread_mutex_unlock(&k->lock);
        int rc = move_part(k, mine->part);
        pthread_mutex_lock(&k->lock);
        if (rc && !k->rc) k->rc = rc;
        if (--k->working == 0) pthread_cond_signal(&k->done);
    }
    pthread_mutex_unlock(&k->lock);
    return NULL;
}

/* Threads live for one large copy: starting them costs 0.1 ms, a large copy 1 ms and more. */
static void copier_start(Copier *k, CopierPart part[COPY_THREADS], int limit) {
    memset(k, 0, sizeof *k);
    pthread_mutex_init(&k->lock, NULL);
    pthread_cond_init(&k->go, NULL);
    pthread_cond_init(&k->done, NULL);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int want = cores > COPY_THREADS ? COPY_THREADS : (int)cores;
    if (limit > 0 && want > limit) want = limit;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (int i = 0; i < want - 1; i++) {
        part[i] = (CopierPart){k, i};
        if (pthread_create(&k->thread[i], NULL, copier_run, &part[i]) != 0) break;
        k->nthread++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* 0, or what a piece answered. */
static int copier_move(Copier *k, char *host, size_t at, size_t n) {
    pthread_mutex_lock(&k->lock);
    k->host = host, k->at = at, k->n = n;
    k->working = k->nthread;
    k->turn++;
    pthread_cond_broadcast(&k->go);
    pthread_mutex_unlock(&k->lock);
    int rc = move_part(k, k->nthread);
    pthread_mutex_lock(&k->lock);
    while (k->working) pthread_cond_wait(&k->done, &k->lock);
    if (rc && !k->rc) k->rc = rc;
    pthread_mutex_unlock(&k->lock);
    return k->rc;
}

static void copier_stop(Copier *k) {
    pthread_mutex_lock(&k->lock);
    k->quit = true;
    pthread_cond_broadcast(&k->go);
    pthread_mutex_unlock(&k->lock);
    for (int i = 0; i < k->nthread; i++) pthread_join(k->thread[i], NULL);
    pthread_cond_destroy(&k->go);
    pthread_cond_destroy(&k->done);
    pthread_mutex_destroy(&k->lock);
}

/* ---- the ring ---- */

/* false: no pinned memory to be had; the driver's staging must do. */
static bool ring_ready(Cuda *c) {
    for (int i = 0; i < CUDA_RING; i++) {
        if (!c->ring[i] && cudaMallocHost((void **)&c->ring[i], CUDA_CHUNK) != cudaSuccess) {
            c->ring[i] = NULL;
            (void)cudaGetLastError();
            return false;
        }
        if (!c->ring_event[i] &&
            cudaEventCreateWithFlags(&c->ring_event[i], cudaEventDisableTiming) != cudaSuccess) {
            c->ring_event[i] = NULL;
            (void)cudaGetLastError();
            return false;
        }
    }
    return true;
}

static size_t piece(size_t at, size_t n) { return n - at < CUDA_CHUNK ? n - at : CUDA_CHUNK; }

static Status upload_ring(Cuda *c, Copier *k, char *dst, size_t n, cudaStream_t stream) {
    int i = 0;
    for (size_t at = 0; at < n; at += CUDA_CHUNK, i = (i + 1) % CUDA_RING) {
        size_t len = piece(at, n);
        TRY(cuda_wait_event(c, c->ring_event[i]));
        if (copier_move(k, c->ring[i], at, len)) return ARR_OK;
        TRY(cuda_check(c,
                       cudaMemcpyAsync(dst + at, c->ring[i], len, cudaMemcpyHostToDevice, stream),
                       "copying to the GPU"));
        TRY(cuda_check(c, cudaEventRecord(c->ring_event[i], stream), "copying to the GPU"));
    }
    return ARR_OK;
}

static Status download_piece(Cuda *c, int i, const char *src, size_t len) {
    TRY(cuda_check(c, cudaMemcpyAsync(c->ring[i], src, len, cudaMemcpyDeviceToHost, c->stream),
                   "copying from the GPU"));
    return cuda_check(c, cudaEventRecord(c->ring_event[i], c->stream), "copying from the GPU");
}

/* Pieces are asked for CUDA_RING ahead; the oldest is emptied while the others are on their way. */
static Status download_ring(Cuda *c, Copier *k, const char *src, size_t n) {
    size_t asked = 0;
    int i = 0;
    for (int j = 0; j < CUDA_RING && asked < n; j++, asked += CUDA_CHUNK)
        TRY(download_piece(c, j, src + asked, piece(asked, n)));
    for (size_t at = 0; at < n; at += CUDA_CHUNK, i = (i + 1) % CUDA_RING) {
        TRY(cuda_wait_event(c, c->ring_event[i]));
        if (copier_move(k, c->ring[i], at, piece(at, n))) return ARR_OK;
        if (asked >= n) continue;
        TRY(download_piece(c, i, src + asked, piece(asked, n)));
        asked += CUDA_CHUNK;
    }
    return ARR_OK;
}

/* An interrupted copy may leave pieces on their way: the ring's events guard them, since every
 * use of a buffer first waits for its event (uploads) or follows it in the stream (downloads). */
static Status through_ring(Cuda *c, char *dst, const char *src, size_t n, DevPiece move, void *ctx,
                           int *rc) {
    Copier k;
    CopierPart part[COPY_THREADS];
    copier_start(&k, part, c->dev.cx->opts.threads);
    k.move = move, k.ctx = ctx;
    cudaStream_t stream = dst ? cuda_upload_stream(c, dst) : c->stream;
    Status s = dst ? upload_ring(c, &k, dst, n, stream) : download_ring(c, &k, src, n);
    copier_stop(&k);
    *rc = k.rc;
    Status after = cuda_uploaded(c, stream); /* what was cut short may be on its way as well */
    return s == ARR_OK ? after : s;
}

static int piece_from(void *ctx, char *host, size_t at, size_t n) {
    memcpy(host, (const char *)ctx + at, n);
    return 0;
}
static int piece_to(void *ctx, char *host, size_t at, size_t n) {
    memcpy((char *)ctx + at, host, n);
    return 0;
}

static Status upload(Cuda *c, void *dst, const void *host, size_t n) {
    int rc;
    c->dev.stats.from_host += (int64_t)n;
    if (n >= CUDA_LARGE && ring_ready(c))
        return through_ring(c, dst, NULL, n, piece_from, (void *)(uintptr_t)host, &rc);
    /* returns when the host's memory has been read */
    return cuda_check(c, cudaMemcpyAsync(dst, host, n, cudaMemcpyHostToDevice, c->stream),
                      "copying to the GPU");
}

static Status download(Cuda *c, void *host, const void *src, size_t n) {
    int rc;
    c->dev.stats.to_host += (int64_t)n;
    TRY(cuda_wait(c)); /* the work before it, interruptibly */
    if (n >= CUDA_LARGE && ring_ready(c)) return through_ring(c, NULL, src, n, piece_to, host, &rc);
    if (n <= CUDA_SMALL && !c->small &&
        cudaMallocHost((void **)&c->small, CUDA_SMALL) != cudaSuccess) {
        c->small = NULL;
        (void)cudaGetLastError();
    }
    void *to = n <= CUDA_SMALL && c->small ? c->small : host;
    TRY(cuda_check(c, cudaMemcpyAsync(to, src, n, cudaMemcpyDeviceToHost, c->stream),
                   "copying from the GPU"));
    /* microseconds for small pieces; into pageable memory the call above has done it */
    TRY(cuda_check(c, cudaStreamSynchronize(c->stream), "copying from the GPU"));
    if (to != host) memcpy(host, to, n);
    return ARR_OK;
}

static Status pieces(Cuda *c, char *dst, const char *src, size_t n, DevPiece move, void *ctx,
                     int *rc) {
    if (!ring_ready(c)) return error_memory(c->dev.cx, (size_t)CUDA_RING * CUDA_CHUNK);
    if (src) TRY(cuda_wait(c)); /* the work before it, interruptibly */
    *(dst ? &c->dev.stats.from_host : &c->dev.stats.to_host) += (int64_t)n;
    return through_ring(c, dst, src, n, move, ctx, rc);
}

static Status enter_pieces(Device *d, char *dst, const char *src, size_t n, DevPiece move,
                           void *ctx, int *rc) {
    Cuda *c = (Cuda *)d;
    int was;
    *rc = 0;
    if (n == 0) return ARR_OK;
    TRY(cuda_enter(c, &was));
    Status s = pieces(c, dst, src, n, move, ctx, rc);
    cuda_leave(c, was);
    return s;
}
Status cuda_upload_pieces(Device *d, void *dst, size_t n, DevPiece fill, void *ctx, int *rc) {
    return enter_pieces(d, dst, NULL, n, fill, ctx, rc);
}
Status cuda_download_pieces(Device *d, const void *src, size_t n, DevPiece take, void *ctx,
                            int *rc) {
    return enter_pieces(d, NULL, src, n, take, ctx, rc);
}

Status cuda_upload(Device *d, void *dst, const void *host, size_t n) {
    Cuda *c = (Cuda *)d;
    int was;
    if (n == 0) return ARR_OK;
    TRY(cuda_enter(c, &was));
    Status s = upload(c, dst, host, n);
    cuda_leave(c, was);
    return s;
}

Status cuda_download(Device *d, void *host, const void *src, size_t n) {
    Cuda *c = (Cuda *)d;
    int was;
    if (n == 0) return ARR_OK;
    TRY(cuda_enter(c, &was));
    Status s = download(c, host, src, n);
    cuda_leave(c, was);
    return s;
}

void cuda_copy_close(Cuda *c) {
    for (int i = 0; i < CUDA_RING; i++) {
        if (c->ring[i]) (void)cudaFreeHost(c->ring[i]);
        if (c->ring_event[i]) (void)cudaEventDestroy(c->ring_event[i]);
    }
    if (c->small) (void)cudaFreeHost(c->small);
}
#else
typedef int cuda_copy_not_built;
#endif
