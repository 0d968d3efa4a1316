/* cpu_threads - a fixed set of worker threads that share out the numbered parts of one job.
 *
 * Callers: cpu.c. A job is a function and a count; threads take the next part from one atomic
 * counter, the caller's thread takes part as thread 0. Workers block every signal (they belong to
 * the host's threads) and never allocate. Started at the first job, so that a state that does no
 * work has none. After a fork the child has no workers: the stored pid says so, and jobs then run
 * on the caller alone. Invariant: between jobs all workers wait for `serial` to change. */
#include "runtime/device/cpu.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct Threads {
    Cx *cx;
    int count, started; /* threads in all; workers that have arrived */
    size_t bytes;       /* of worker[] */
    pid_t pid;
    pthread_t *worker; /* count - 1 of them */
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    unsigned serial; /* of the job, under lock */
    int busy;        /* workers that have not finished it, under lock */
    int stop;
    /* the job */
    DevPart fn;
    void *ctx;
    int64_t nparts;
    _Atomic int *interrupt;
    _Atomic int64_t next;
    _Atomic int rc, cancelled;
};

static void take_parts(Threads *t, int thread) {
    for (;;) {
        if (atomic_load_explicit(&t->rc, memory_order_relaxed)) return;
        int64_t part = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
        if (part >= t->nparts) return;
        if (atomic_load_explicit(t->interrupt, memory_order_relaxed)) {
            atomic_store(&t->cancelled, 1);
            return;
        }
        if (thread == 0 && t->cx->poll) t->cx->poll(t->cx);
        int rc = t->fn(t->ctx, part, thread), none = 0;
        if (rc) atomic_compare_exchange_strong(&t->rc, &none, rc);
    }
}

static void *work(void *arg) {
    Threads *t = arg;
    pthread_mutex_lock(&t->lock);
    int thread = ++t->started; /* 1, 2, ... in the order of arrival */
    unsigned seen = 0;         /* threads start before the first job: serial is 0 */
    for (;;) {
        while (t->serial == seen && !t->stop) pthread_cond_wait(&t->wake, &t->lock);
        if (t->stop) break;
        seen = t->serial;
        pthread_mutex_unlock(&t->lock);
        take_parts(t, thread);
        pthread_mutex_lock(&t->lock);
        if (--t->busy == 0) pthread_cond_signal(&t->idle);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

Status threads_new(Cx *cx, int count, Threads **out) {
    Threads *t = mem_zalloc(&cx->mem, sizeof *t);
    *out = NULL;
    if (!t) return error_memory(cx, sizeof *t);
    t->cx = cx;
    t->count = count < 1 ? 1 : count;
    t->pid = getpid();
    t->bytes = (size_t)t->count * sizeof *t->worker;
    t->worker = mem_zalloc(&cx->mem, t->bytes);
    if (!t->worker) {
        Status s = error_memory(cx, t->bytes);
        mem_free(&cx->mem, t, sizeof *t);
        return s;
    }
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    pthread_cond_init(&t->idle, NULL);
    *out = t;
    return ARR_OK;
}

/* Fewer workers than wanted is no error: the work is done all the same. */
static int start_workers(Threads *t) {
    sigset_t all, old;
    int n = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (n < t->count - 1 && pthread_create(&t->worker[n], NULL, work, t) == 0) n++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    t->count = n + 1;
    return n;
}

void threads_free(Threads *t) {
    if (!t) return;
    if (t->serial && t->pid == getpid()) {
        pthread_mutex_lock(&t->lock);
        t->stop = 1;
        pthread_cond_broadcast(&t->wake);
        pthread_mutex_unlock(&t->lock);
        for (int i = 0; i < t->count - 1; i++) pthread_join(t->worker[i], NULL);
        pthread_mutex_destroy(&t->lock);
        pthread_cond_destroy(&t->wake);
        pthread_cond_destroy(&t->idle);
    }
    Cx *cx = t->cx;
    mem_free(&cx->mem, t->worker, t->bytes);
    mem_free(&cx->mem, t, sizeof *t);
}

int threads_count(const Threads *t) { return t->count; }

/* Publish the job and wake everyone; answers whether there is anyone. */
static bool publish(Threads *t) {
    if (!t->serial) start_workers(t);
    if (t->count == 1) {
        t->serial = 1;
        return false;
    }
    pthread_mutex_lock(&t->lock);
    t->busy = t->count - 1;
    t->serial += t->serial == UINT32_MAX ? 2 : 1; /* never 0 again: that means not started */
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    return true;
}

static void wait_idle(Threads *t) {
    pthread_mutex_lock(&t->lock);
    while (t->busy) pthread_cond_wait(&t->idle, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

bool threads_run(Threads *t, DevPart fn, void *ctx, int64_t nparts, _Atomic int *interrupt,
                 int *rc) {
    t->fn = fn;
    t->ctx = ctx;
    t->nparts = nparts;
    t->interrupt = interrupt;
    atomic_store(&t->next, 0);
    atomic_store(&t->rc, 0);
    atomic_store(&t->cancelled, 0);
    bool alone = nparts < 2 || t->count < 2 || t->pid != getpid() || !publish(t);
    take_parts(t, 0);
    if (!alone) wait_idle(t);
    if (rc) *rc = atomic_load(&t->rc);
    return !atomic_load(&t->cancelled);
}
