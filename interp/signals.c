/* signals - the thread that waits for SIGINT and SIGTERM (see signals.h).
 *
 * Process-wide by nature, hence the file's one static. Part of the program, not of the library. */
#include "interp/signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock; /* guards what follows */
    arr_state *target;    /* being evaluated; NULL: idle */
    bool interrupted;     /* target was told, and is still running */
    bool keep_going;
    int taken;
    int pipe[2];
} sig = {.lock = PTHREAD_MUTEX_INITIALIZER, .pipe = {-1, -1}};

static sigset_t both(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

static void take(int number) {
    pthread_mutex_lock(&sig.lock);
    if (sig.taken != SIGTERM) sig.taken = number;
    /* A script that does not react to the first signal is ended by the second. */
    bool again = sig.target && sig.interrupted && (!sig.keep_going || number == SIGTERM);
    if (sig.target) {
        sig.interrupted = true;
        arr_interrupt(sig.target);
    } else if (write(sig.pipe[1], "", 1) < 0) {
        again = false; /* a full pipe wakes the reader as well */
    }
    pthread_mutex_unlock(&sig.lock);
    if (again) _exit(128 + number);
}

static void *wait_for_signals(void *unused) {
    (void)unused;
    sigset_t set = both();
    for (;;) {
        int number;
        if (sigwait(&set, &number) == 0) take(number);
    }
    return NULL;
}

bool signals_start(bool keep_going) {
    sigset_t set = both();
    pthread_t thread;
    sig.keep_going = keep_going;
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return false;
    if (pipe2(sig.pipe, O_CLOEXEC | O_NONBLOCK) != 0) return false;
    if (pthread_create(&thread, NULL, wait_for_signals, NULL) != 0) return false;
    return pthread_detach(thread) == 0;
}

void signals_busy(arr_state *A) {
    pthread_mutex_lock(&sig.lock);
    sig.target = A;
    sig.interrupted = false;
    /* What came while idle and was not asked for (between two prompts) is meant for this. */
    if (sig.taken) arr_interrupt(A);
    pthread_mutex_unlock(&sig.lock);
}

void signals_idle(void) {
    pthread_mutex_lock(&sig.lock);
    sig.target = NULL;
    pthread_mutex_unlock(&sig.lock);
}

int signals_fd(void) { return sig.pipe[0]; }

int signals_taken(void) {
    char drop[64];
    pthread_mutex_lock(&sig.lock);
    int taken = sig.taken;
    if (taken != SIGTERM) sig.taken = 0;
    while (read(sig.pipe[0], drop, sizeof drop) > 0) continue;
    pthread_mutex_unlock(&sig.lock);
    return taken;
}

void signals_die(int number) {
    sigset_t set = both();
    signal(number, SIG_DFL);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + number);
}
