/* arrays - memory of the host as arrays: copied, lent with strides and owners, filled in place;
 * read into strided memory, mapped, read while other things go on; exchanged as DLPack tensors. */
#include "tests/api/check.h"
#include "tests/api/dlpack.h"

static arr_value *get(arr_state *A, const char *name) {
    arr_value *v = NULL;
    CHECK(arr_get(A, name, &v) == ARR_OK);
    return v;
}

static void count(void *user) { ++*(int *)user; }

static void test_copy(arr_state *A, Sink *s) {
    int32_t m[4][6];
    arr_value *v = NULL;
    for (int i = 0; i < 24; i++) m[i / 6][i % 6] = i;
    /* every second column, rows from the last to the first */
    arr_view view = {.data = &m[3][0],
                     .dtype = ARR_I32,
                     .rank = 2,
                     .shape = (int64_t[]){4, 3},
                     .strides = (int64_t[]){-24, 8}};
    CHECK(arr_value_array_copy(A, &view, &v) == ARR_OK && arr_set(A, "x", v) == ARR_OK);
    arr_value_free(v);
    m[3][0] = -1; /* it was copied */
    CHECK(prints(A, s, "print(x)", "[[18 20 22]\n [12 14 16]\n [ 6  8 10]\n [ 0  2  4]]\n"));
    /* packed structs: addresses are no multiples of the size */
    unsigned char packed[3 * 5];
    for (int i = 0; i < 3; i++) {
        float f = 1.5f * (float)i;
        packed[5 * i] = 7;
        memcpy(packed + 5 * i + 1, &f, sizeof f);
    }
    view = (arr_view){.data = packed + 1,
                      .dtype = ARR_F32,
                      .rank = 1,
                      .shape = (int64_t[]){3},
                      .strides = (int64_t[]){5}};
    CHECK(arr_value_array_copy(A, &view, &v) == ARR_OK && arr_set(A, "x", v) == ARR_OK);
    arr_value_free(v);
    CHECK(prints(A, s, "print(x)", "[0.  1.5 3. ]\n"));
    /* one element, broadcast */
    view.strides = (int64_t[]){0};
    CHECK(arr_value_array_copy(A, &view, &v) == ARR_OK && arr_set(A, "x", v) == ARR_OK);
    arr_value_free(v);
    CHECK(prints(A, s, "print(x)", "[0. 0. 0.]\n"));
}

static void test_wrap(arr_state *A, Sink *s) {
    enum { N = 1000 };
    static double data[N];
    int gone = 0;
    arr_value *v = NULL;
    for (int i = 0; i < N; i++) data[i] = i;
    arr_view view = {.data = data + N - 1,
                     .dtype = ARR_F64,
                     .rank = 1,
                     .shape = (int64_t[]){N / 2},
                     .strides = (int64_t[]){-16}};
    CHECK(arr_value_array_wrap(A, &view, count, &gone, &v) == ARR_OK);
    CHECK(arr_set(A, "w", v) == ARR_OK);
    arr_view seen;
    CHECK(arr_value_map(v, ARR_PLACE_HOST, &seen) == ARR_OK);
    CHECK(seen.data == view.data && seen.strides[0] == -16); /* nothing was copied */
    arr_value_unmap(v, ARR_PLACE_HOST);
    arr_value_free(v);
    CHECK(prints(A, s, "print(w[0], w[-1], sum(w))", "999.0 1.0 250000.0\n"));
    /* nobody writes into it */
    CHECK(prints(A, s, "w[0] = -5.0\nw += 1\nprint(w[0])", "-4.0\n") && data[N - 1] == N - 1);
    CHECK(prints(A, s, "w = 0", "") && gone == 1);
    view = (arr_view){.data = data, .dtype = ARR_F64, .rank = 1, .shape = (int64_t[]){N}};
    CHECK(arr_value_array_wrap(A, &view, count, &gone, &v) == ARR_OK &&
          arr_set(A, "w", v) == ARR_OK);
    arr_value_free(v);
    CHECK(prints(A, s, "for i in range(3) { w[i] = 7.0 }\nprint(w[:4])", "[7. 7. 7. 3.]\n"));
    CHECK(data[0] == 0 && data[2] == 2);
    CHECK(prints(A, s, "del w", "") && gone == 2);
    /* what cannot be lent is copied, and released at once */
    unsigned char bools[] = {1, 0, 9};
    view = (arr_view){.data = bools, .dtype = ARR_BOOL, .rank = 1, .shape = (int64_t[]){3}};
    CHECK(arr_value_array_wrap(A, &view, count, &gone, &v) == ARR_OK && gone == 3);
    CHECK(arr_set(A, "b", v) == ARR_OK &&
          prints(A, s, "print(b, sum(b))", "[ true false  true] 2\n"));
    arr_value_free(v);
    bools[2] = 1;
    CHECK(arr_value_array_wrap(A, &view, count, &gone, &v) == ARR_OK && gone == 3);
    arr_value_free(v);
    CHECK(gone == 4);
    view.shape = (int64_t[]){0};
    view.data = NULL;
    CHECK(arr_value_array_wrap(A, &view, count, &gone, &v) == ARR_OK && gone == 5);
    arr_value_free(v);
}

static void test_bad_views(arr_state *A) {
    static double data[4];
    int gone = 0;
    arr_value *v = NULL;
    const int64_t four[] = {4}, huge[] = {INT64_MAX / 4}, below[] = {-1}, far[] = {INT64_MAX / 2};
    const arr_view bad[] = {
        {.data = NULL, .dtype = ARR_F64, .rank = 1, .shape = four},
        {.data = data, .dtype = ARR_F64, .rank = 1, .shape = NULL},
        {.data = data, .dtype = ARR_F64, .rank = -1, .shape = four},
        {.data = data, .dtype = ARR_F64, .rank = 33, .shape = four},
        {.data = data, .dtype = (arr_dtype)99, .rank = 1, .shape = four},
        {.data = data, .dtype = ARR_F64, .rank = 1, .shape = below},
        {.data = data, .dtype = ARR_F64, .rank = 1, .shape = four, .strides = far},
        {.data = data, .dtype = ARR_F64, .rank = 1, .shape = huge},
        {.data = data, .dtype = ARR_F64, .rank = 1, .shape = four, .place = (arr_place)5},
        {.data = data,
         .dtype = ARR_F64,
         .rank = 1,
         .shape = four,
         .place = ARR_PLACE_CUDA,
         .device = 77},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(arr_value_array_wrap(A, &bad[i], count, &gone, &v) != ARR_OK && !v);
        CHECK(arr_error_message(A)[0] != '\0');
        CHECK(arr_value_array_copy(A, &bad[i], &v) != ARR_OK && !v);
    }
    CHECK(gone == 0);
    CHECK(arr_value_array_wrap(A, NULL, count, &gone, &v) == ARR_ERR_ARGUMENT);
}

static void test_make(arr_state *A, Sink *s) {
    void *data = NULL;
    arr_value *v = NULL;
    CHECK(arr_value_array_make(A, ARR_F32, 2, (int64_t[]){2, 2}, &data, &v) == ARR_OK);
    memcpy(data, (float[]){1, 2, 3, 4}, 16);
    CHECK(arr_set(A, "m", v) == ARR_OK);
    arr_value_free(v);
    CHECK(prints(A, s, "print(m @ m)", "[[ 7. 10.]\n [15. 22.]]\n"));
    CHECK(arr_value_array_make(A, ARR_BOOL, 1, (int64_t[]){3}, &data, &v) == ARR_OK);
    memcpy(data, "\x00\x05\xff", 3);
    CHECK(arr_set(A, "m", v) == ARR_OK &&
          prints(A, s, "print(sum(m), m)", "2 [false  true  true]\n"));
    arr_value_free(v);
    CHECK(arr_value_array_make(A, ARR_F32, 1, (int64_t[]){0}, &data, &v) == ARR_OK && !data);
    arr_value_free(v);
    CHECK(arr_value_array_make(A, ARR_F32, 1, (int64_t[]){INT64_MAX}, &data, &v) != ARR_OK && !v);
}

static void test_read_view(arr_state *A) {
    double out[3][4];
    arr_value *v = NULL;
    CHECK(arr_eval(A, "r = arange(6.0).reshape(2, 3)", "t") == ARR_OK);
    v = get(A, "r");
    memset(out, 0, sizeof out);
    arr_view to = {.data = &out[0][3], /* transposed, from the right */
                   .dtype = ARR_F64,
                   .rank = 2,
                   .shape = (int64_t[]){2, 3},
                   .strides = (int64_t[]){-8, 32}};
    CHECK(arr_value_read_view(v, &to) == ARR_OK);
    CHECK(out[0][3] == 0 && out[1][3] == 1 && out[2][3] == 2 && out[0][2] == 3 && out[2][2] == 5);
    CHECK(out[0][0] == 0 && out[0][1] == 0);
    to.strides = (int64_t[]){0, 8};
    CHECK(arr_value_read_view(v, &to) == ARR_ERR_ARGUMENT);
    to.strides = NULL;
    to.dtype = ARR_F32;
    CHECK(arr_value_read_view(v, &to) == ARR_ERR_SHAPE);
    CHECK(strcmp(arr_error_message(A), "the array is f64[2,3], the view f32[2,3]") == 0);
    arr_value_free(v);
}

static void test_map(arr_state *A, Sink *s) {
    arr_view a, b;
    arr_value *v = NULL;
    CHECK(arr_eval(A, "x = eval((arange(12) * 2).reshape(3, 4))\nt = x.T[1:]", "t") == ARR_OK);
    v = get(A, "t");
    CHECK(arr_value_map(v, ARR_PLACE_HOST, &a) == ARR_OK && a.rank == 2 && a.shape[0] == 3);
    CHECK(*(int64_t *)((char *)a.data + a.strides[0] + a.strides[1]) == 12); /* x[1, 2] */
    CHECK(arr_value_map(v, ARR_PLACE_HOST, &b) == ARR_OK && b.data == a.data);
    /* what is mapped stays, whatever the program does */
    CHECK(prints(A, s, "x[:] = 0\ndel t\nprint(sum(x))", "0\n"));
    CHECK(*(int64_t *)((char *)a.data + a.strides[0] + a.strides[1]) == 12);
    arr_value_unmap(v, ARR_PLACE_HOST);
    CHECK(*(int64_t *)((char *)a.data + a.strides[0]) == 4);
    arr_value_unmap(v, ARR_PLACE_HOST);
    arr_value_unmap(v, ARR_PLACE_HOST); /* once too often */
    arr_value_free(v);
    CHECK(arr_eval(A, "c = full((2, 2), 3.5)\ne = zeros(0)", "t") == ARR_OK);
    v = get(A, "c");
    CHECK(arr_value_map(v, ARR_PLACE_HOST, &a) == ARR_OK && ((double *)a.data)[3] == 3.5);
    arr_value_free(v); /* with its map */
    v = get(A, "e");
    CHECK(arr_value_map(v, ARR_PLACE_HOST, &a) == ARR_OK && a.shape[0] == 0);
    arr_value_free(v);
    CHECK(arr_value_int(A, 1, &v) == ARR_OK);
    CHECK(arr_value_map(v, ARR_PLACE_HOST, &a) == ARR_ERR_TYPE);
    arr_value_free(v);
}

static int done_status = -1;
static void on_done(void *user, arr_status st) {
    ++*(int *)user;
    done_status = (int)st;
}

static void test_fence(arr_state *A) {
    double out[4] = {0};
    int calls = 0;
    arr_value *v = NULL;
    arr_fence *f = NULL;
    CHECK(arr_eval(A, "f = arange(4.0) * 3", "t") == ARR_OK);
    v = get(A, "f");
    CHECK(arr_value_read_start(v, out, 8, on_done, &calls, &f) == ARR_ERR_ARGUMENT && !f);
    CHECK(arr_value_read_start(v, out, sizeof out, on_done, &calls, &f) == ARR_OK);
    CHECK(arr_fence_wait(f) == ARR_OK && calls == 1 && done_status == ARR_OK && out[3] == 9);
    CHECK(arr_fence_poll(f) == ARR_OK && calls == 1);
    arr_fence_free(f);
    arr_fence_free(NULL);
    arr_value_free(v);
    CHECK(arr_eval(A, "g = arange(3)[array([5])]", "t") == ARR_OK);
    v = get(A, "g");
    CHECK(arr_value_read_start(v, out, sizeof out, on_done, &calls, &f) == ARR_ERR_INDEX && !f);
    CHECK(calls == 1);
    arr_value_free(v);
}

/* ---- DLPack ---- */

static void mark_gone(struct DLManagedTensorVersioned *t) { ++*(int *)t->manager_ctx; }

static void test_dlpack(arr_state *A, Sink *s) {
    static float data[] = {0, 1, 2, 3, 4, 5};
    int gone = 0;
    arr_value *v = NULL;
    struct DLManagedTensorVersioned in = {
        1,         1, &gone,
        mark_gone, 0, {data, 1, 0, 2, 2, 32, 1, (int64_t[]){2, 2}, (int64_t[]){1, 2}, 4}};
    CHECK(arr_value_from_dlpack(A, &in, &v) == ARR_OK && arr_set(A, "d", v) == ARR_OK);
    arr_value_free(v);
    CHECK(prints(A, s, "print(d)", "[[1. 3.]\n [2. 4.]]\n") && gone == 0);
    CHECK(prints(A, s, "del d", "") && gone == 1);
    in.major = 2;
    CHECK(arr_value_from_dlpack(A, &in, &v) == ARR_ERR_ARGUMENT && gone == 1);
    in.major = 1;
    in.t.lanes = 4;
    CHECK(arr_value_from_dlpack(A, &in, &v) == ARR_ERR_ARGUMENT);
    in.t.lanes = 1, in.t.device_type = 10;
    CHECK(arr_value_from_dlpack(A, &in, &v) == ARR_ERR_ARGUMENT && gone == 1);

    struct DLManagedTensorVersioned *out = NULL, *again = NULL;
    CHECK(arr_eval(A, "o = (arange(6) + 1).reshape(2, 3).T", "t") == ARR_OK);
    v = get(A, "o");
    CHECK(arr_value_to_dlpack(v, &out) == ARR_OK);
    arr_value_free(v);
    CHECK(out->major == 1 && (out->flags & 1) && out->t.device_type == 1 && out->t.ndim == 2);
    CHECK(out->t.code == 0 && out->t.bits == 64 && out->t.shape[0] == 3 && out->t.shape[1] == 2);
    const int64_t *p = (const int64_t *)((char *)out->t.data + out->t.byte_offset);
    CHECK(p[2 * out->t.strides[0] + out->t.strides[1]] == 6);
    CHECK(prints(A, s, "o[:] = 0", "") && p[0] == 1);
    /* and back: the same memory again */
    CHECK(arr_value_from_dlpack(A, out, &v) == ARR_OK);
    CHECK(arr_value_to_dlpack(v, &again) == ARR_OK && again->t.data == p);
    CHECK(arr_set(A, "own", v) == ARR_OK); /* its own tensor, until arr_close */
    arr_value_free(v);
    again->deleter(again);
}

/* A tensor may be given back after its state was closed. */
static void test_late(void) {
    Sink sink;
    arr_state *A = open_into(&sink);
    struct DLManagedTensorVersioned *out = NULL;
    arr_value *v = NULL;
    double host = 0;
    arr_fence *f = NULL;
    int gone = 0;
    arr_view view = {.data = &host, .dtype = ARR_F64};
    CHECK(arr_eval(A, "x = arange(100000.0)", "t") == ARR_OK);
    v = get(A, "x");
    CHECK(arr_value_to_dlpack(v, &out) == ARR_OK);
    arr_value_free(v);
    CHECK(arr_eval(A, "s = sum(x)", "t") == ARR_OK);
    v = get(A, "s");
    CHECK(arr_value_read_start(v, &host, sizeof host, NULL, NULL, &f) == ARR_OK);
    arr_value_free(v);
    CHECK(arr_value_array_wrap(A, &view, count, &gone, &v) == ARR_OK);
    arr_close(A);
    CHECK(host == 4999950000.0 && gone == 1);
    CHECK(((double *)out->t.data)[99999] == 99999);
    out->deleter(out);
    CHECK(arr_fence_poll(f) == ARR_OK);
    arr_fence_free(f);
    arr_value_free(v);
}

int main(void) {
    static Sink sink;
    arr_state *A = open_into(&sink);
    test_copy(A, &sink);
    test_wrap(A, &sink);
    test_bad_views(A);
    test_make(A, &sink);
    test_read_view(A);
    test_map(A, &sink);
    test_fence(A);
    test_dlpack(A, &sink);
    arr_close(A);
    test_late();
    return finish();
}
