/* limits_cuda - limits and forks of states that use a GPU: memory, compiled kernels, time within
 * launches, and a child that is told to open a new state. Skipped without one. */
#include "tests/api/check.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static Sink sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static arr_state *open_cuda(void) {
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    config.device = "cuda";
    config.write = sink_write;
    config.user = &sink;
    return arr_open(&config, &A) == ARR_OK ? A : NULL;
}

static void reaches(arr_state *A, const char *text, const char *word) {
    arr_status s = arr_eval(A, text, "t");
    bool named = s == ARR_ERR_LIMIT && strstr(arr_error_message(A), word) != NULL;
    if (!named) printf("  %s\n  %s: %s\n", text, arr_status_name(s), arr_error_text(A));
    CHECK(named);
    CHECK(prints(A, &sink, "print(sum(ones(1000)))", "1000.0\n"));
}

static void test_memory(arr_state *A) {
    arr_limits l = ARR_LIMITS_INIT;
    CHECK(prints(A, &sink, "print(sum(ones(1000)))", "1000.0\n"));
    l.device_bytes = 64 << 20;
    CHECK(arr_set_limits(A, &l) == ARR_OK);
    reaches(A, "x = rand(10000000); eval(x)", "device_bytes");
    CHECK(prints(A, &sink, "try { x = rand(10000000); eval(x) } catch e { print(e.kind) }",
                 "limit\n"));
    for (int i = 0; i < 20; i++) { /* what the pool keeps is given up first */
        char text[64];
        snprintf(text, sizeof text, "x = rand(%d); eval(x); del x", 2000000 + i * 200000);
        CHECK(arr_eval(A, text, "t") == ARR_OK);
    }
    CHECK(arr_set_limits(A, NULL) == ARR_OK);
    CHECK(arr_eval(A, "x = rand(10000000); eval(x); del x", "t") == ARR_OK);
}

static void test_kernels(void) {
    arr_limits l = ARR_LIMITS_INIT;
    arr_state *A = open_cuda();
    l.kernels = 3;
    CHECK(A && arr_set_limits(A, &l) == ARR_OK);
    if (!A) return;
    CHECK(prints(A, &sink, "print(sum(ones(1000)))", "1000.0\n"));
    arr_status s = ARR_OK;
    const char *word = "";
    static const char *const ops[] = {"sin", "cos", "exp", "sqrt", "tanh", "erf"};
    for (int i = 0; i < 6 && s == ARR_OK; i++) {
        char text[64];
        snprintf(text, sizeof text, "x = %s(ones(1000)) + %s(ones(1000)); eval(x)", ops[i],
                 ops[5 - i]);
        s = arr_eval(A, text, "t");
        word = arr_error_message(A);
    }
    CHECK(s == ARR_ERR_LIMIT && strstr(word, "kernels"));
    CHECK(prints(A, &sink, "print(sum(ones(1000)))", "1000.0\n")); /* it is there */
    arr_close(A);
}

static void test_time(arr_state *A) {
    static const char *const programs[] = {
        "x = rand(4000, 4000, f32); while true { x = x @ x / 2000 ; eval(x) }",
        "x = rand(20000000); while true { x = sqrt(x * 2 + 1); eval(x) }",
        "x = rand(20000000); while true { x = sort(x); eval(x) }",
        "x = rand(20000000); while true { x = cumsum(x) / 1e7; eval(x) }",
        "x = rand(10); while true { x = sqrt(x + 1) }",
        "while true { x = sum(rand(1000000)); y = int(x) }",
        ("x = rand(12000, 12000); x = x @ x; x = x @ x; x = x @ x; x = x @ x; x = x @ x; x = x @ "
         "x; "
         "x = x @ x; x = x @ x; print(x[0, 0])"),
    };
    arr_limits l = ARR_LIMITS_INIT;
    l.seconds = 0.2;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        CHECK(arr_set_limits(A, NULL) == ARR_OK);
        arr_eval(A, "x = eval(rand(1000000)); y = x @ x; z = eval(sort(x), cumsum(x))", "warm");
        CHECK(arr_set_limits(A, &l) == ARR_OK);
        double begun = now();
        arr_status s = arr_eval(A, programs[i], "t");
        double took = now() - begun;
        printf("%4.0f ms: %s\n", 1e3 * took, programs[i]);
        CHECK(s == ARR_ERR_LIMIT && took < 1);
    }
    CHECK(arr_set_limits(A, NULL) == ARR_OK);
    CHECK(prints(A, &sink, "print(sum(ones(1000)))", "1000.0\n"));
}

/* ---- fork ---- */

static int in_child(arr_state *A, arr_value *v, arr_fence *fence) {
    char data[16];
    double d;
    failed = 0;
    CHECK(arr_eval(A, "print(1)", "t") == ARR_ERR_DEVICE);
    CHECK(strstr(arr_error_message(A), "forked") != NULL);
    CHECK(arr_value_read(v, data, sizeof data) == ARR_ERR_DEVICE);
    CHECK(arr_value_as_float(v, &d) == ARR_ERR_DEVICE);
    arr_value_free(v);
    CHECK(arr_fence_poll(fence) == ARR_ERR_DEVICE);
    arr_fence_free(fence);
    arr_close(A);
    A = open_into(&sink); /* the CPU is there */
    CHECK(prints(A, &sink, "print(sum(ones(1000)))", "1000.0\n"));
    arr_close(A);
    A = open_cuda();
    if (A) { /* opened when it is needed: then it says why not */
        CHECK(arr_eval(A, "print(sum(ones(1000)))", "t") == ARR_ERR_DEVICE);
        printf("in the child: %s\n", arr_error_message(A));
        arr_close(A);
    }
    fflush(stdout);
    return failed != 0;
}

static void test_fork(arr_state *A) {
    static double data[1000000];
    arr_value *v = NULL;
    arr_fence *fence = NULL;
    int status = 0;
    CHECK(arr_eval(A, "x = rand(1000000); y = x * 3", "t") == ARR_OK);
    CHECK(arr_get(A, "y", &v) == ARR_OK);
    CHECK(arr_value_read_start(v, data, sizeof data, NULL, NULL, &fence) == ARR_OK);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(in_child(A, v, fence));
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(arr_fence_wait(fence) == ARR_OK);
    arr_fence_free(fence);
    arr_value_free(v);
    /* the parent goes on, its compiler's helper too */
    CHECK(prints(A, &sink, "print(all(y == x * 3), sum(floor(ones(777) * 1.5 + 0.25)))",
                 "true 777.0\n"));
}

int main(void) {
    arr_state *A = open_cuda();
    if (!A || arr_eval(A, "x = eval(ones(10))", "t") != ARR_OK) {
        arr_close(A);
        puts("no GPU\n0 passed, 0 failed, 1 skipped");
        return 0;
    }
    test_memory(A);
    test_time(A);
    test_fork(A);
    arr_close(A);
    test_kernels();
    return finish();
}
