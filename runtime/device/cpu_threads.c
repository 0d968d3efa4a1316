/* cpu_threads - a fixed set of worker threads that share out the numbered parts of one job.
 *
 * Callers: cpu.c. A job is a function and a count; threads take the next part from one atomic
 * counter, the caller's thread takes part as thread 0. Where the workers have a job already (of
 * another state that shares them, or of the caller's own, from within a part) the caller works
 * alone and waits for nobody. Workers block every signal (they belong to the host's threads) and
 * never allocate. Started at the first job, so that a state that does no work has none. After a
 * fork the child has no workers: the stored pid says so. Invariant: between jobs all workers wait
 * for `serial` to change. */
#include "runtime/device/cpu.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

typedef struct Job {
    Cx *cx; /* of the state that has it */
    DevPart fn;
    void *ctx;
    int64_t nparts;
    _Atomic int *interrupt;
    _Atomic int64_t next;
    _Atomic int rc, cancelled;
} Job;

struct Threads {
    Cx *cx;
    _Atomic int count; /* threads in all; fewer once some could not be started */
    int started;       /* workers that have arrived */
    size_t bytes;      /* of worker[] */
    pid_t pid;
    pthread_t *worker; /* count - 1 of them */
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    unsigned serial; /* of the job, under lock */
    int busy;        /* workers that have not finished it, under lock */
    int stop;
    pthread_mutex_t use; /* held by the caller whose job it is */
    Job *job;            /* under lock */
};

static void take_parts(Job *j, int thread) {
    for (;;) {
        if (atomic_load_explicit(&j->rc, memory_order_relaxed)) return;
        int64_t part = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
        if (part >= j->nparts) return;
        if (atomic_load_explicit(j->interrupt, memory_order_relaxed)) {
            atomic_store(&j->cancelled, 1);
            return;
        }
        if (thread == 0 && j->cx->poll) j->cx->poll(j->cx);
        int rc = j->fn(j->ctx, part, thread), none = 0;
        if (rc) atomic_compare_exchange_strong(&j->rc, &none, rc);
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
        Job *job = t->job;
        pthread_mutex_unlock(&t->lock);
        take_parts(job, thread);
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
    pthread_mutex_init(&t->use, NULL);
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
        pthread_mutex_destroy(&t->use);
        pthread_cond_destroy(&t->wake);
        pthread_cond_destroy(&t->idle);
    }
    Cx *cx = t->cx;
    mem_free(&cx->mem, t->worker, t->bytes);
    mem_free(&cx->mem, t, sizeof *t);
}

int threads_count(const Threads *t) { return t->count; }

/* Publish the job and wake everyone; answers whether there is anyone. */
static bool publish(Threads *t, Job *job) {
    if (!t->serial) start_workers(t);
    if (t->count == 1) {
        t->serial = 1;
        return false;
    }
    pthread_mutex_lock(&t->lock);
    t->job = job;
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

bool threads_run(Threads *t, Cx *cx, DevPart fn, void *ctx, int64_t nparts, _Atomic int *interrupt,
                 int *rc) {
    Job job = {.cx = cx, .fn = fn, .ctx = ctx, .nparts = nparts, .interrupt = interrupt};
    bool mine =
        nparts > 1 && t->count > 1 && t->pid == getpid() && pthread_mutex_trylock(&t->use) == 0;
    bool together = mine && publish(t, &job);
    take_parts(&job, 0);
    if (together) wait_idle(t);
    if (mine) pthread_mutex_unlock(&t->use);
    if (rc) *rc = atomic_load(&job.rc);
    return !atomic_load(&job.cancelled);
}
