/* fuzz_eval - libFuzzer target: any bytes as a program.
 *
 * Run in an empty directory (programs may save files). Each input gets a fresh state with a bounded
 * allocator and 100 ms until arr_interrupt. Invariant: whatever the input, a status comes back, and
 * the state still computes 1 + 1 and closes without leaks. */
#include "interp/arr.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { MEMORY_MAX = 64 << 20 };

typedef struct Host {
    size_t used;
} Host;

static arr_state *volatile running;

static void on_alarm(int sig) {
    (void)sig;
    if (running) arr_interrupt(running);
}

static void *bounded_alloc(void *user, void *p, size_t old, size_t n) {
    Host *h = user;
    if (n > old && h->used + (n - old) > MEMORY_MAX) return NULL;
    if (n == 0) {
        free(p);
        h->used -= old;
        return NULL;
    }
    void *q = realloc(p, n);
    if (q) h->used += n - old;
    return q;
}

static void set_timer(int ms) {
    struct itimerval t = {{0, ms * 1000}, {0, ms * 1000}};
    setitimer(ITIMER_REAL, &t, NULL);
}

static void must(int ok) {
    if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    Host host = {0};
    arr_config cfg = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    arr_value *v = NULL;
    int64_t two = 0;
    cfg.device = "cpu";
    cfg.threads = 1;
    cfg.alloc = bounded_alloc;
    cfg.user = &host;
    must(arr_open(&cfg, &A) == ARR_OK);
    signal(SIGALRM, on_alarm);
    running = A;
    set_timer(100);
    arr_eval_n(A, (const char *)data, n, "fuzz", NULL);
    running = NULL;
    set_timer(0);
    /* A late alarm may have left the flag set: the first call then reports it and clears it. */
    if (arr_eval_n(A, "del x_", 6, "clear", NULL) == ARR_OK) {
    }
    if (arr_eval_n(A, "1 + 1", 5, "after", &v) == ARR_OK) {
        must(arr_value_as_int(v, &two) == ARR_OK);
        must(two == 2);
    } else {
        must(arr_error_status(A) == ARR_ERR_MEMORY);
    }
    arr_value_free(v);
    arr_close(A);
    must(host.used == 0);
    return 0;
}
