/* timer - see timer.h.
 *
 * Callers: limits. The thread sleeps until the deadline that was set when it last looked; a later
 * one is seen then, so that a host's calls in a row need not wake it. Invariant: deadline and idle
 * are only touched under the lock. */
#include "runtime/base/timer.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

struct Timer {
    Cx *cx;
    pid_t pid; /* whose thread it is */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct timespec deadline; /* tv_sec 0: none */
    struct timespec asleep;   /* until when the thread sleeps; tv_sec 0: until it is woken */
    bool stop;
};

static bool before(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void expire(Timer *t) {
    int none = 0;
    atomic_store(&t->cx->limits.expired, 1);
    atomic_compare_exchange_strong(&t->cx->interrupt, &none, STOP_TIME);
    t->deadline.tv_sec = 0;
}

static void *work(void *arg) {
    Timer *t = arg;
    pthread_mutex_lock(&t->lock);
    while (!t->stop) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (t->deadline.tv_sec && !before(&now, &t->deadline)) expire(t);
        t->asleep = t->deadline;
        if (t->asleep.tv_sec)
            pthread_cond_timedwait(&t->wake, &t->lock, &t->asleep);
        else
            pthread_cond_wait(&t->wake, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* A small stack, unless what the host keeps per thread asks for more. */
static int create(Timer *t) {
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)64 << 10);
    int bad = pthread_create(&t->thread, &attr, work, t);
    pthread_attr_destroy(&attr);
    return bad ? pthread_create(&t->thread, NULL, work, t) : 0;
}

static Status start(Timer *t) {
    pthread_condattr_t attr;
    sigset_t all, old;
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&t->wake, &attr);
    pthread_condattr_destroy(&attr);
    t->deadline.tv_sec = t->asleep.tv_sec = 0;
    t->pid = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int bad = create(t);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!bad) return ARR_OK;
    t->pid = 0;
    return error_set(t->cx, ARR_ERR_LIMIT, t->cx->span,
                     "the time cannot be limited: the system gives no thread for it");
}

Status timer_new(Cx *cx, Timer **out) {
    Timer *t = mem_zalloc(&cx->mem, sizeof *t);
    *out = NULL;
    if (!t) return error_memory(cx, sizeof *t);
    t->cx = cx;
    Status s = start(t);
    if (s != ARR_OK) {
        mem_free(&cx->mem, t, sizeof *t);
        return s;
    }
    *out = t;
    return ARR_OK;
}

/* In the child of a fork the thread is not there, and the lock is as the fork found it. */
void timer_free(Timer *t) {
    if (!t) return;
    if (t->pid == getpid()) {
        pthread_mutex_lock(&t->lock);
        t->stop = true;
        pthread_cond_signal(&t->wake);
        pthread_mutex_unlock(&t->lock);
        pthread_join(t->thread, NULL);
        pthread_cond_destroy(&t->wake);
        pthread_mutex_destroy(&t->lock);
    }
    mem_free(&t->cx->mem, t, sizeof *t);
}

Status timer_set(Timer *t, double seconds) {
    enum { LONG = 1000000000 }; /* 30 years, well inside of time_t */
    struct timespec at;
    if (t->pid != getpid()) TRY(start(t));
    if (seconds > LONG) seconds = LONG;
    time_t whole = (time_t)seconds;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += whole;
    at.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    if (at.tv_nsec >= 1000000000) {
        at.tv_nsec -= 1000000000;
        at.tv_sec++;
    }
    if (at.tv_sec == 0) at.tv_sec = 1; /* 0 means none: the machine has just started */
    pthread_mutex_lock(&t->lock);
    t->deadline = at;
    if (!t->asleep.tv_sec || before(&at, &t->asleep)) pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->lock);
    return ARR_OK;
}

void timer_clear(Timer *t) {
    pthread_mutex_lock(&t->lock);
    t->deadline.tv_sec = 0;
    pthread_mutex_unlock(&t->lock);
}
