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

/* ---- threads that copy pieces of one chunk ---- */

typedef struct Copier {
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    pthread_t thread[COPY_THREADS];
    int nthread;       /* helpers beside the calling thread */
    int turn, working; /* chunk number; helpers still at it */
    bool quit;
    char *dst;
    const char *src;
    size_t n;
} Copier;

typedef struct CopierPart {
    Copier *copier;
    int part;
} CopierPart;

static void copy_part(const Copier *k, int part) {
    size_t parts = (size_t)k->nthread + 1;
    size_t each = (k->n / parts + 63) & ~(size_t)63, lo = each * (size_t)part;
    if (lo >= k->n) return;
    size_t len = k->n - lo < each || part == k->nthread ? k->n - lo : each;
    memcpy(k->dst + lo, k->src + lo, len);
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
        copy_part(k, mine->part);
        pthread_mutex_lock(&k->lock);
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

static void copier_copy(Copier *k, char *dst, const char *src, size_t n) {
    pthread_mutex_lock(&k->lock);
    k->dst = dst, k->src = src, k->n = n;
    k->working = k->nthread;
    k->turn++;
    pthread_cond_broadcast(&k->go);
    pthread_mutex_unlock(&k->lock);
    copy_part(k, k->nthread);
    pthread_mutex_lock(&k->lock);
    while (k->working) pthread_cond_wait(&k->done, &k->lock);
    pthread_mutex_unlock(&k->lock);
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

static Status upload_ring(Cuda *c, Copier *k, char *dst, const char *src, size_t n) {
    int i = 0;
    for (size_t at = 0; at < n; at += CUDA_CHUNK, i = (i + 1) % CUDA_RING) {
        size_t len = piece(at, n);
        TRY(cuda_wait_event(c, c->ring_event[i]));
        copier_copy(k, c->ring[i], src + at, len);
        TRY(cuda_check(
            c, cudaMemcpyAsync(dst + at, c->ring[i], len, cudaMemcpyHostToDevice, c->stream),
            "copying to the GPU"));
        TRY(cuda_check(c, cudaEventRecord(c->ring_event[i], c->stream), "copying to the GPU"));
    }
    return ARR_OK;
}

static Status download_piece(Cuda *c, int i, const char *src, size_t len) {
    TRY(cuda_check(c, cudaMemcpyAsync(c->ring[i], src, len, cudaMemcpyDeviceToHost, c->stream),
                   "copying from the GPU"));
    return cuda_check(c, cudaEventRecord(c->ring_event[i], c->stream), "copying from the GPU");
}

/* Pieces are asked for CUDA_RING ahead; the oldest is emptied while the others are on their way. */
static Status download_ring(Cuda *c, Copier *k, char *dst, const char *src, size_t n) {
    size_t asked = 0;
    int i = 0;
    for (int j = 0; j < CUDA_RING && asked < n; j++, asked += CUDA_CHUNK)
        TRY(download_piece(c, j, src + asked, piece(asked, n)));
    for (size_t at = 0; at < n; at += CUDA_CHUNK, i = (i + 1) % CUDA_RING) {
        TRY(cuda_wait_event(c, c->ring_event[i]));
        copier_copy(k, dst + at, c->ring[i], piece(at, n));
        if (asked >= n) continue;
        TRY(download_piece(c, i, src + asked, piece(asked, n)));
        asked += CUDA_CHUNK;
    }
    return ARR_OK;
}

/* An interrupted copy may leave pieces on their way: the ring's events guard them, since every
 * use of a buffer first waits for its event (uploads) or follows it in the stream (downloads). */
static Status through_ring(Cuda *c, bool up, char *dst, const char *src, size_t n) {
    Copier k;
    CopierPart part[COPY_THREADS];
    copier_start(&k, part, c->dev.cx->opts.threads);
    Status s = up ? upload_ring(c, &k, dst, src, n) : download_ring(c, &k, dst, src, n);
    copier_stop(&k);
    return s;
}

static Status upload(Cuda *c, void *dst, const void *host, size_t n) {
    c->dev.stats.from_host += (int64_t)n;
    if (n >= CUDA_LARGE && ring_ready(c)) return through_ring(c, true, dst, host, n);
    /* returns when the host's memory has been read */
    return cuda_check(c, cudaMemcpyAsync(dst, host, n, cudaMemcpyHostToDevice, c->stream),
                      "copying to the GPU");
}

static Status download(Cuda *c, void *host, const void *src, size_t n) {
    c->dev.stats.to_host += (int64_t)n;
    TRY(cuda_wait(c)); /* the work before it, interruptibly */
    if (n >= CUDA_LARGE && ring_ready(c)) return through_ring(c, false, host, src, n);
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
