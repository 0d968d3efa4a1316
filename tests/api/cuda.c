/* cuda - the C API beside a GPU: memory of the GPU taken and given, reads that go on while the host
 * works, host memory lent to work there. Skipped without one. */
#include "tests/api/check.h"
#include "tests/api/dlpack.h"

#include <sys/wait.h>
#include <unistd.h>

static void count(void *user) { ++*(int *)user; }

static arr_state *open_cuda(void) {
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    config.device = "cuda";
    return arr_open(&config, &A) == ARR_OK ? A : NULL;
}

static arr_value *result(arr_state *A, const char *text) {
    arr_value *v = NULL;
    if (arr_eval_n(A, text, strlen(text), "t", &v) != ARR_OK) printf("%s", arr_error_text(A));
    CHECK(v != NULL);
    return v;
}

static double number(arr_state *A, const char *text) {
    double d = -1;
    arr_value *v = result(A, text);
    CHECK(arr_value_as_float(v, &d) == ARR_OK);
    arr_value_free(v);
    return d;
}

static void test_host_memory(arr_state *A) {
    enum { N = 1 << 20 };
    float *data = malloc(N * sizeof *data);
    int gone = 0;
    arr_value *v = NULL;
    for (int i = 0; i < N; i++) data[i] = (float)(i % 1000);
    arr_view view = {.data = data + N - 1,
                     .dtype = ARR_F32,
                     .rank = 1,
                     .shape = (int64_t[]){N / 2},
                     .strides = (int64_t[]){-8}};
    CHECK(arr_value_array_wrap(A, &view, count, &gone, &v) == ARR_OK &&
          arr_set(A, "w", v) == ARR_OK);
    arr_value_free(v);
    double sum = 0;
    for (int i = N - 1; i >= 0; i -= 2) sum += data[i];
    CHECK(number(A, "sum(w, dtype=f64)") == sum);
    CHECK(number(A, "w[0] = -1.0; w[0] + w[1]") == -1 + data[N - 3] &&
          data[N - 1] == (N - 1) % 1000);
    CHECK(arr_eval(A, "del w", "t") == ARR_OK);
    CHECK(gone == 1);
    free(data);
}

static void test_maps(arr_state *A, arr_state *B) {
    arr_view gpu, host;
    arr_value *v = result(A, "x = arange(100000, dtype=f32).reshape(100, 1000); x.T[1:]"),
              *w = NULL;
    int gone = 0;
    CHECK(arr_value_map(v, ARR_PLACE_CUDA, &gpu) == ARR_OK && gpu.place == ARR_PLACE_CUDA);
    CHECK(arr_value_map(v, ARR_PLACE_HOST, &host) == ARR_OK && host.place == ARR_PLACE_HOST);
    CHECK(*(float *)((char *)host.data + 2 * host.strides[0] + 3 * host.strides[1]) == 3003);
    /* another state works on the same memory: lent, then copied */
    CHECK(arr_value_array_wrap(B, &gpu, count, &gone, &w) == ARR_OK &&
          arr_set(B, "w", w) == ARR_OK);
    arr_value_free(w);
    CHECK(number(B, "f64(w[2, 3])") == 3003 && number(B, "sum(w[5], dtype=f64)") == 4950600);
    CHECK(arr_value_array_copy(B, &gpu, &w) == ARR_OK && arr_set(B, "c", w) == ARR_OK);
    arr_value_free(w);
    CHECK(arr_eval(B, "del w", "t") == ARR_OK && gone == 1);
    arr_value_unmap(v, ARR_PLACE_CUDA);
    CHECK(arr_eval(A, "x = x * 0; eval(x)", "t") == ARR_OK);
    CHECK(*(float *)((char *)host.data + host.strides[1]) == 1001);
    arr_value_free(v);
    CHECK(number(B, "f64(c[2, 3])") == 3003);
    gpu.device = 9;
    CHECK(arr_value_array_copy(B, &gpu, &w) == ARR_ERR_DEVICE);
}

static void test_dlpack(arr_state *A, arr_state *B) {
    struct DLManagedTensorVersioned *t = NULL;
    arr_value *v = result(A, "(arange(1000000) * 2).reshape(1000, 1000).T"), *w = NULL;
    CHECK(arr_value_to_dlpack(v, &t) == ARR_OK && t->t.device_type == 2 && t->t.code == 0);
    arr_value_free(v);
    CHECK(arr_value_from_dlpack(B, t, &w) == ARR_OK && arr_set(B, "d", w) == ARR_OK);
    arr_value_free(w);
    CHECK(number(B, "float(d[3, 4])") == 8006 && number(B, "float(sum(d))") == 999999000000.0);
    CHECK(arr_eval(B, "del d", "t") == ARR_OK); /* and so the tensor is given back to A */
}

static void on_done(void *user, arr_status st) { *(int *)user = 100 + (int)st; }

static void test_fences(arr_state *A) {
    enum { N = 1 << 24 };
    float *out = calloc(N, sizeof *out);
    int told = 0, polls = 0;
    arr_fence *f = NULL;
    arr_value *v = result(A, "a = ones(4000, 4000, f32); b = a @ a @ a @ a; eval(b); "
                             "c = b[0, 0] * 0 + arange(16777216, dtype=f32); c");
    CHECK(arr_value_read_start(v, out, N * sizeof *out, on_done, &told, &f) == ARR_OK);
    while (arr_fence_poll(f) == ARR_INCOMPLETE) polls++;
    printf("  the host looked %d times while a read was under way\n", polls);
    CHECK(polls > 0 && told == 100 && out[N - 1] == N - 1 && out[1] == 1);
    arr_fence_free(f);
    memset(out, 0, N * sizeof *out);
    CHECK(arr_value_read_start(v, out, N * sizeof *out, NULL, NULL, &f) == ARR_OK);
    arr_value_free(v);
    CHECK(arr_fence_wait(f) == ARR_OK && out[N - 1] == N - 1);
    arr_fence_free(f);
    free(out);
}

static void test_close(void) {
    arr_state *A = open_cuda();
    float out[1000] = {0};
    arr_fence *f = NULL;
    struct DLManagedTensorVersioned *t = NULL;
    arr_value *v = result(A, "arange(1000, dtype=f32) + 1");
    CHECK(arr_value_read_start(v, out, sizeof out, NULL, NULL, &f) == ARR_OK);
    CHECK(arr_value_to_dlpack(v, &t) == ARR_OK);
    arr_value_free(v);
    arr_close(A);
    CHECK(out[999] == 1000 && arr_fence_poll(f) == ARR_OK);
    arr_fence_free(f);
    t->deleter(t);
}

static void test_fork(arr_state *A) {
    CHECK(number(A, "float(sum(ones(100000)))") == 100000);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        bool said = arr_eval(A, "print(1)", "t") == ARR_ERR_DEVICE &&
                    strstr(arr_error_message(A), "fork") != NULL;
        arr_close(A);
        _exit(said ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(number(A, "float(sum(ones(100000)))") == 100000);
}

int main(void) {
    arr_state *A = open_cuda(), *B = A ? open_cuda() : NULL;
    arr_value *v = NULL;
    if (!A || arr_eval_n(A, "sum(ones(10))", 13, "t", &v) != ARR_OK ||
        arr_value_as_float(v, &(double){0}) != ARR_OK) {
        arr_value_free(v);
        arr_close(A);
        arr_close(B);
        printf("0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    arr_value_free(v);
    test_host_memory(A);
    test_maps(A, B);
    test_dlpack(A, B);
    test_fences(A);
    test_fork(A);
    arr_close(B);
    arr_close(A);
    test_close();
    return finish();
}
