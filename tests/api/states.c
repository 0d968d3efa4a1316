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

int main(void) {
    test_interleaved();
    test_threads();
    return finish();
}
