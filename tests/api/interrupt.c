/* interrupt - a running evaluation is stopped soon, its variables are as before, and small stacks
 * are enough for big work (T84, T95). */
#include "tests/api/check.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SLOWNESS = 10, SMALL_STACK = 1 << 20 };
#else
enum { SLOWNESS = 1, SMALL_STACK = 256 << 10 };
#endif

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double sent;

static void *interrupt_soon(void *A) {
    usleep(100000 * SLOWNESS);
    sent = now();
    arr_interrupt(A);
    return NULL;
}

static void test_stops(const char *text) {
    static Sink sink;
    arr_state *A = open_into(&sink);
    pthread_t thread;
    CHECK(arr_eval(A, "x = 1; big = ones(4000, 4000)", "t") == ARR_OK);
    CHECK(pthread_create(&thread, NULL, interrupt_soon, A) == 0);
    CHECK(arr_eval(A, text, "t") == ARR_ERR_INTERRUPT);
    double late = now() - sent;
    pthread_join(thread, NULL);
    /* 100 ms on an idle machine; a busy one keeps threads and disks waiting */
    if (late > 0.1 * SLOWNESS) printf("%s: stopped after %.0f ms\n", text, 1e3 * late);
    CHECK(late <= 1.0 * SLOWNESS);
    CHECK(prints(A, &sink, "print(x, sum([1, 2]))", "1 3\n"));
    arr_close(A);
}

static void *in_small_stack(void *unused) {
    static Sink sink;
    arr_state *A = open_into(&sink);
    char *deep = malloc(20002);
    (void)unused;
    CHECK(prints(A, &sink, "x = zeros(3)\nfor i in range(100000) { x = x + 1 }\nprint(x[0])",
                 "100000.0\n"));
    CHECK(prints(A, &sink,
                 "x = zeros(3)\nfor i in range(3000) { x = sin(x) + i % 2 }\nprint(len(x))",
                 "3\n"));
    for (int i = 0; deep && i < 20000; i++) deep[i] = i < 10000 ? '(' : ')';
    if (deep) deep[20000] = '\0';
    arr_status s = deep ? arr_eval(A, deep, "t") : ARR_ERR_LIMIT;
    CHECK(s == ARR_ERR_LIMIT || s == ARR_ERR_SYNTAX);
    CHECK(arr_eval(A, "fn f(n) = f(n + 1)\nx = f(0)", "t") == ARR_ERR_LIMIT);
    CHECK(prints(A, &sink, "fn g(n) = 0 if n == 0 else 1 + g(n - 1)\nprint(g(50))", "50\n"));
    free(deep);
    arr_close(A);
    return NULL;
}

static void test_small_stack(void) {
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    CHECK(pthread_attr_setstacksize(&attr, SMALL_STACK) == 0);
    CHECK(pthread_create(&thread, &attr, in_small_stack, NULL) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

int main(void) {
    test_stops("while true { y = 1 }");
    test_stops("x = 1\nwhile true { big = sqrt(big * 2 + 1); eval(big) }");
    test_stops("z = big @ big @ big @ big; print(z[0, 0])");
    test_stops("z = rand(8000, 8000, f32); z = z @ z; print(z[0, 0])");
    test_stops("while true { z = sort(big.ravel()); eval(z) }");
    test_stops("while true { z = softmax(big.ravel()); eval(z) }");
    test_stops("while true { save(\"/tmp/arr-interrupt.npy\", big); z = "
               "load(\"/tmp/arr-interrupt.npy\") }");
    test_stops("z = sorted(range(10 ** 7), key=fn(v) = -v)");
    remove("/tmp/arr-interrupt.npy");
    test_small_stack();
    return finish();
}
