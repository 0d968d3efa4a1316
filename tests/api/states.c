/* states - many states: interleaved in one thread, side by side in several (T101). */
#include "tests/api/check.h"

#include <pthread.h>

enum { STATES = 3, THREADS = 4, TURNS = 8 };

static void test_interleaved(void) {
    static Sink sinks[STATES];
    arr_state *states[STATES];
    char text[128], expected[64];
    for (int i = 0; i < STATES; i++) states[i] = open_into(&sinks[i]);
    for (int turn = 0; turn < 4; turn++)
        for (int i = 0; i < STATES; i++) {
            snprintf(text, sizeof text, turn ? "x = x + %d" : "x = ones(4) * %d", i);
            CHECK(arr_eval(states[i], text, "t") == ARR_OK);
        }
    for (int i = 0; i < STATES; i++) {
        snprintf(expected, sizeof expected, "%d.0\n", 16 * i);
        CHECK(prints(states[i], &sinks[i], "print(sum(x))", expected));
    }
    CHECK(arr_eval(states[0], "error(\"no\")", "t") == ARR_ERR_USER);
    CHECK(arr_error_status(states[1]) == ARR_OK);
    for (int i = 0; i < STATES; i++) arr_close(states[i]);
}

static void *work(void *number) {
    Sink *sink = calloc(1, sizeof *sink);
    char text[256], expected[64];
    int k = *(int *)number;
    for (int turn = 0; turn < TURNS && sink; turn++) {
        arr_state *A = open_into(sink);
        snprintf(text, sizeof text,
                 "seed(%d); a = rand(300, 300); b = sum(sqrt(a) * %d + sin(a)); c = a @ a.T\n"
                 "x = arange(1000) %% %d; print(sum(x * x), c.shape)",
                 k, k, k + 2);
        long sum = 0;
        for (long i = 0; i < 1000; i++) sum += (i % (k + 2)) * (i % (k + 2));
        snprintf(expected, sizeof expected, "%ld (300, 300)\n", sum);
        CHECK(prints(A, sink, text, expected));
        arr_close(A);
    }
    free(sink);
    return NULL;
}

static void test_threads(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

/* What states have together: threads, memory, kernels; never values or errors. */
typedef struct Sharer {
    arr_shared *shared;
    int number, ok;
} Sharer;

static void *share(void *arg) {
    Sharer *me = arg;
    arr_config config = ARR_CONFIG_INIT;
    config.shared = me->shared;
    for (int turn = 0; turn < 4; turn++) {
        arr_state *A = NULL;
        arr_value *v = NULL;
        int64_t got = 0, k = me->number + turn;
        char text[160];
        snprintf(text, sizeof text,
                 "x = eval(arange(200000) * %d); y = sort(-x); z = x.reshape(200, 1000).T; "
                 "int(sum(x) + y[0] + sum(z) - max(x))",
                 (int)k);
        if (arr_open(&config, &A) != ARR_OK) return NULL;
        if (arr_eval_n(A, text, strlen(text), "t", &v) != ARR_OK) printf("%s", arr_error_text(A));
        arr_status st = arr_value_as_int(v, &got);
        arr_value_free(v);
        me->ok += st == ARR_OK && got == k * (INT64_C(199999) * 200000 - 2 * 199999);
        arr_close(A);
    }
    return NULL;
}

static void test_shared(void) {
    enum { THREADS = 6 };
    pthread_t thread[THREADS];
    Sharer s[THREADS];
    arr_config config = ARR_CONFIG_INIT;
    arr_shared *shared = NULL;
    config.threads = 3;
    CHECK(arr_shared_open(&config, &shared) == ARR_OK);
    for (int i = 0; i < THREADS; i++) {
        s[i] = (Sharer){shared, i + 1, 0};
        pthread_create(&thread[i], NULL, share, &s[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK(s[i].ok == 4);
    }
    /* the host's hold may end before its states do */
    arr_state *A = NULL;
    config.shared = shared;
    CHECK(arr_open(&config, &A) == ARR_OK);
    arr_shared_close(shared);
    CHECK(arr_eval(A, "assert sum(arange(10 ** 6)) == 499999500000", "t") == ARR_OK);
    arr_close(A);
    arr_shared_close(NULL);
    CHECK(arr_shared_open(NULL, NULL) == ARR_ERR_ARGUMENT);
    config.size = 0;
    CHECK(arr_shared_open(&config, &shared) == ARR_ERR_ARGUMENT);
}

/* A progress callback may read values while the workers have a job. */
typedef struct Reader {
    arr_value *v;
    int looks, wrong;
} Reader;

static int read_along(void *user, double seconds) {
    Reader *r = user;
    static double out[100000];
    r->looks++;
    r->wrong += arr_value_read(r->v, out, sizeof out) != ARR_OK || out[99999] != 0;
    return seconds > 0.4;
}

static void test_progress_reads(void) {
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    Reader r = {0};
    config.threads = 3;
    CHECK(arr_open(&config, &A) == ARR_OK);
    CHECK(arr_eval(A, "t = eval(arange(99999.0, -1.0, -1.0).reshape(100, 1000)).T[:, ::-1].T[::-1]",
                   "t") == ARR_OK);
    CHECK(arr_get(A, "t", &r.v) == ARR_OK);
    arr_set_progress(A, read_along, &r);
    CHECK(arr_eval(A, "while true { q = eval(cumsum(rand(300000))) }", "t") == ARR_ERR_INTERRUPT);
    CHECK(r.looks >= 2 && r.wrong == 0);
    arr_value_free(r.v);
    arr_close(A);
}

int main(void) {
    test_interleaved();
    test_threads();
    test_shared();
    test_progress_reads();
    return finish();
}
