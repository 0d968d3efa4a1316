/* values - every kind of value into a state and out of it again, every dtype, wrong kinds, NULLs
 * (T99). */
#include "tests/api/check.h"

#include <math.h>

static arr_value *get(arr_state *A, const char *name) {
    arr_value *v = NULL;
    CHECK(arr_get(A, name, &v) == ARR_OK && v);
    return v;
}

static void test_scalars(arr_state *A) {
    arr_value *v = NULL;
    int64_t i = 0;
    double d = 0;
    int b = 0;
    CHECK(arr_value_int(A, -7, &v) == ARR_OK && arr_set(A, "i", v) == ARR_OK);
    arr_value_free(v);
    CHECK(arr_value_float(A, 2.5, &v) == ARR_OK && arr_set(A, "d", v) == ARR_OK);
    arr_value_free(v);
    CHECK(arr_value_bool(A, 1, &v) == ARR_OK && arr_set(A, "b", v) == ARR_OK);
    arr_value_free(v);
    CHECK(arr_value_complex(A, 1, -2, &v) == ARR_OK && arr_set(A, "c", v) == ARR_OK);
    arr_value_free(v);
    CHECK(arr_eval(A, "r = (i * 2, d * 2, not b, c * 1j)", "t") == ARR_OK);
    v = get(A, "r");
    CHECK(arr_value_kind(v) == ARR_KIND_TUPLE && arr_value_len(v) == 4);
    arr_value *item = NULL;
    CHECK(arr_value_item(v, 0, &item) == ARR_OK && arr_value_as_int(item, &i) == ARR_OK);
    CHECK(i == -14 && arr_value_kind(item) == ARR_KIND_INT);
    CHECK(arr_value_as_string(item, &(const char *){0}, &(size_t){0}) == ARR_ERR_TYPE);
    arr_value_free(item);
    CHECK(arr_value_item(v, 1, &item) == ARR_OK && arr_value_as_float(item, &d) == ARR_OK);
    CHECK(d == 5.0);
    arr_value_free(item);
    CHECK(arr_value_item(v, 2, &item) == ARR_OK && arr_value_as_bool(item, &b) == ARR_OK && !b);
    arr_value_free(item);
    CHECK(arr_value_item(v, 3, &item) == ARR_OK && arr_value_kind(item) == ARR_KIND_COMPLEX);
    arr_value_free(item);
    CHECK(arr_value_item(v, 4, &item) != ARR_OK);
    arr_value_free(v);
}

static void test_strings(arr_state *A) {
    arr_value *v = NULL;
    const char *text = NULL;
    size_t n = 0;
    CHECK(arr_value_string(A, "h\xc3\xa9llo", 6, &v) == ARR_OK && arr_set(A, "s", v) == ARR_OK);
    arr_value_free(v);
    CHECK(arr_eval(A, "n = len(s); t = s + \"!\"", "t") == ARR_OK);
    v = get(A, "t");
    CHECK(arr_value_as_string(v, &text, &n) == ARR_OK && n == 7);
    CHECK(text && memcmp(text, "h\xc3\xa9llo!", 7) == 0 && arr_value_len(v) == 7);
    arr_value_free(v);
    v = get(A, "n");
    int64_t i = 0;
    CHECK(arr_value_as_int(v, &i) == ARR_OK && i == 5);
    arr_value_free(v);
    CHECK(arr_value_string(A, "\xff", 1, &v) != ARR_OK);
}

/* Any byte but 0 is true. */
static void test_booleans(arr_state *A) {
    static const unsigned char bytes[] = {0, 1, 7, 255};
    arr_value *v = NULL;
    int64_t n = 0;
    CHECK(arr_value_array(A, ARR_BOOL, 1, (int64_t[]){4}, bytes, &v) == ARR_OK);
    CHECK(arr_set(A, "m", v) == ARR_OK);
    arr_value_free(v);
    CHECK(arr_eval(A, "n = sum(m) + sum(i64(m)) + sum(m & true)", "t") == ARR_OK);
    v = get(A, "n");
    CHECK(arr_value_as_int(v, &n) == ARR_OK && n == 9);
    arr_value_free(v);
}

static void test_arrays(arr_state *A) {
    static const int64_t shape[] = {2, 3};
    double in[] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
    arr_value *v = NULL;
    const char *text = NULL;
    CHECK(arr_value_array(A, ARR_F64, 2, shape, in, &v) == ARR_OK && arr_set(A, "x", v) == ARR_OK);
    in[0] = 99; /* it was copied */
    arr_value_free(v);
    CHECK(arr_eval(A, "y = (x * 2).T", "t") == ARR_OK);
    v = get(A, "y");
    CHECK(arr_value_kind(v) == ARR_KIND_ARRAY && arr_value_dtype(v) == ARR_F64);
    CHECK(arr_value_rank(v) == 2 && arr_value_shape(v)[0] == 3 && arr_value_shape(v)[1] == 2);
    CHECK(arr_value_len(v) == 3);
    CHECK(arr_value_read(v, out, sizeof out - 1) != ARR_OK);
    CHECK(arr_value_read(v, out, sizeof out) == ARR_OK && out[0] == 2 && out[1] == 8);
    CHECK(arr_value_format(v, &text) == ARR_OK && strcmp(text, "[[ 2.  8.]\n [ 4. 10.]\n"
                                                               " [ 6. 12.]]") == 0);
    CHECK(arr_value_describe(v, &text) == ARR_OK && strcmp(text, "f64[3,2]") == 0);
    CHECK(arr_value_as_int(v, &(int64_t){0}) != ARR_OK);
    arr_value_free(v);
    CHECK(arr_value_array(A, ARR_F64, 2, (int64_t[]){-1, 3}, in, &v) != ARR_OK);
    CHECK(arr_value_array(A, ARR_F64, 2, (int64_t[]){INT64_MAX, 3}, in, &v) != ARR_OK);
}

static void test_dtypes(arr_state *A) {
    for (int d = ARR_BOOL; d <= ARR_C128; d++) {
        unsigned char in[4 * 16] = {0}, out[4 * 16] = {0};
        arr_value *v = NULL;
        for (int i = 0; i < 4; i++) in[i] = (unsigned char)(i & 1);
        CHECK(arr_value_array(A, (arr_dtype)d, 1, (int64_t[]){4}, in, &v) == ARR_OK);
        CHECK(arr_set(A, "x", v) == ARR_OK);
        arr_value_free(v);
        v = get(A, "x");
        CHECK((int)arr_value_dtype(v) == d);
        CHECK(arr_value_read(v, out, sizeof out) == ARR_OK && memcmp(in, out, sizeof in) == 0);
        arr_value_free(v);
    }
}

static void test_records(arr_state *A) {
    arr_value *v = NULL, *f = NULL;
    double d = 0;
    CHECK(arr_eval(A, "p = record(x=1.5, y=[1, 2])", "t") == ARR_OK);
    v = get(A, "p");
    CHECK(arr_value_kind(v) == ARR_KIND_RECORD);
    CHECK(arr_value_field(v, "x", &f) == ARR_OK && arr_value_as_float(f, &d) == ARR_OK && d == 1.5);
    arr_value_free(f);
    CHECK(arr_value_field(v, "z", &f) != ARR_OK);
    arr_value_free(v);
    CHECK(arr_get(A, "never_bound", &v) == ARR_ERR_NAME);
    CHECK(arr_set(A, "not a name", f) != ARR_OK);
}

static void test_null(arr_state *A) {
    CHECK(arr_open(NULL, NULL) == ARR_ERR_ARGUMENT);
    CHECK(arr_eval(NULL, "1", "t") == ARR_ERR_ARGUMENT);
    CHECK(arr_eval(A, NULL, "t") == ARR_ERR_ARGUMENT);
    CHECK(arr_value_int(A, 1, NULL) == ARR_ERR_ARGUMENT);
    CHECK(arr_value_read(NULL, NULL, 0) == ARR_ERR_ARGUMENT);
    CHECK(arr_get(A, NULL, NULL) == ARR_ERR_ARGUMENT);
    arr_value_free(NULL);
    arr_close(NULL);
    arr_interrupt(NULL);
}

int main(void) {
    static Sink sink;
    arr_state *A = open_into(&sink);
    test_scalars(A);
    test_strings(A);
    test_booleans(A);
    test_arrays(A);
    test_dtypes(A);
    test_records(A);
    test_null(A);
    arr_close(A);
    return finish();
}
