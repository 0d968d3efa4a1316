/* host - functions of the host called from Arr, functions of Arr called from the host, errors that
 * cross the border, a last value that is read; the process is left as it
 * was (T97, T98). */
#include "tests/api/check.h"

#include <locale.h>
#include <signal.h>
#include <time.h>

static arr_status add_up(arr_state *A, void *user, size_t nargs, const arr_value *const *args,
                         arr_value **out) {
    double sum = 0, d;
    ++*(int *)user;
    for (size_t i = 0; i < nargs; i++) {
        if (arr_value_as_float(args[i], &d) != ARR_OK)
            return arr_fail(A, ARR_ERR_TYPE, "add_up takes numbers");
        sum += d;
    }
    return arr_value_float(A, sum, out);
}

static arr_status twice(arr_state *A, void *user, size_t nargs, const arr_value *const *args,
                        arr_value **out) {
    arr_value *once = NULL;
    (void)user;
    if (nargs != 2) return arr_fail(A, ARR_ERR_ARGUMENT, "twice(f, x)");
    arr_status s = arr_call(A, args[0], 1, args + 1, &once);
    if (s == ARR_OK) s = arr_call(A, args[0], 1, (const arr_value *const[]){once}, out);
    arr_value_free(once);
    return s;
}

static arr_status nothing(arr_state *A, void *user, size_t nargs, const arr_value *const *args,
                          arr_value **out) {
    (void)A, (void)user, (void)nargs, (void)args, (void)out;
    return ARR_OK;
}

static void test_host_functions(arr_state *A, Sink *s) {
    int calls = 0;
    CHECK(arr_define(A, "add_up", add_up, &calls) == ARR_OK);
    CHECK(arr_define(A, "twice", twice, NULL) == ARR_OK);
    CHECK(arr_define(A, "nothing", nothing, NULL) == ARR_OK);
    CHECK(prints(A, s, "print(add_up(1, 2.5, sum([1, 2])))", "6.5\n") && calls == 1);
    CHECK(prints(A, s, "print(twice(fn(x) = x * 3, 2))", "18\n"));
    CHECK(prints(A, s, "nothing()", ""));
    CHECK(prints(A, s, "try { add_up(\"x\") } catch err { print(err.kind, err.message) }",
                 "type add_up takes numbers\n"));
    CHECK(arr_eval(A, "a = 1\ntwice(fn(x) = missing, 2)", "t") == ARR_ERR_NAME);
    CHECK(arr_error_line(A) == 2);
    CHECK(arr_eval(A, "print(nothing)", "t") == ARR_OK);
}

/* T85: an expression of 5,000 operations is cut into groups and takes a bounded time; nesting has a
 * limit that is an error. */
static void test_long_text(arr_state *A, Sink *s) {
    enum { OPS = 5000, EACH = 8, DEEP = 100000 };
    char *text = malloc(OPS * EACH + DEEP + 64), *at = text;
    struct timespec begun, ended;
    at += sprintf(at, "v = eval(arange(3) * 1.0)\nprint(v");
    for (int i = 0; i < OPS; i++) at += sprintf(at, i % 2 ? " - %d" : " + v*%d", i % 10);
    sprintf(at, ")");
    clock_gettime(CLOCK_MONOTONIC, &begun);
    /* the even ones add (0 + 2 + 4 + 6 + 8) * 500 times v, the odd ones take 25 * 500 away */
    CHECK(prints(A, s, text, "[-12500.  -2499.   7502.]\n"));
    clock_gettime(CLOCK_MONOTONIC, &ended);
    CHECK(ended.tv_sec - begun.tv_sec < 5);
    at = text + sprintf(text, "print(");
    for (int i = 0; i < DEEP; i++) *at++ = '(';
    *at = '\0';
    arr_status st = arr_eval(A, text, "t");
    CHECK(st == ARR_ERR_LIMIT || st == ARR_ERR_SYNTAX);
    CHECK(prints(A, s, "print(1)", "1\n"));
    free(text);
}

static void test_call(arr_state *A) {
    arr_value *f = NULL, *x = NULL, *y = NULL;
    int64_t i = 0;
    CHECK(arr_eval(A, "fn f(x, k=10) = x + k", "t") == ARR_OK && arr_get(A, "f", &f) == ARR_OK);
    CHECK(arr_value_kind(f) == ARR_KIND_FUNCTION && arr_value_int(A, 5, &x) == ARR_OK);
    CHECK(arr_call(A, f, 1, (const arr_value *const[]){x}, &y) == ARR_OK);
    CHECK(arr_value_as_int(y, &i) == ARR_OK && i == 15);
    arr_value_free(y);
    y = NULL;
    CHECK(arr_call(A, f, 0, NULL, &y) == ARR_ERR_ARGUMENT && y == NULL);
    CHECK(arr_call(A, x, 0, NULL, &y) == ARR_ERR_TYPE);
    arr_value_free(f);
    arr_value_free(x);
}

static void test_errors(arr_state *A) {
    arr_value *v = NULL;
    int64_t i = 0;
    CHECK(arr_eval(A, "x = 1\ny = [1, 2] + [1, 2, 3]\n", "demo.arr") == ARR_ERR_SHAPE);
    CHECK(arr_error_status(A) == ARR_ERR_SHAPE && arr_error_line(A) == 2);
    CHECK(strstr(arr_error_text(A), "demo.arr:2:12") && strstr(arr_error_text(A), "i64[2]"));
    CHECK(strncmp(arr_error_text(A), "error: ", 7) == 0);
    CHECK(arr_eval(A, "x = 2", "t") == ARR_OK && strcmp(arr_error_text(A), "") == 0);
    CHECK(arr_eval(A, "x = 3; exit(7)", "t") == ARR_ERR_EXIT && arr_exit_code(A) == 7);
    CHECK(arr_eval_n(A, "x\0", 2, "t", &v) == ARR_ERR_SYNTAX);
    CHECK(arr_eval_n(A, "x + \xff", 5, "t", &v) == ARR_ERR_SYNTAX);
    CHECK(arr_eval_n(A, "x + 1", 5, "t", &v) == ARR_OK && arr_value_as_int(v, &i) == ARR_OK);
    CHECK(i == 4);
    arr_value_free(v);
    CHECK(arr_parse_check(A, "f(1,", 4) == ARR_INCOMPLETE);
    CHECK(arr_parse_check(A, "f(1))", 5) == ARR_ERR_SYNTAX);
    CHECK(arr_parse_check(A, "f(1)", 4) == ARR_OK);
    CHECK(arr_run_file(A, "/nowhere/x.arr", 0, NULL) == ARR_ERR_IO);
    CHECK(arr_set_switch(A, "fuse", "0") == ARR_OK && arr_set_switch(A, "fuse", "1") == ARR_OK);
    CHECK(arr_set_switch(A, "nonsense", "1") != ARR_OK);
    CHECK(arr_name_at(A, "linsp", 0) && strcmp(arr_name_at(A, "linsp", 0), "linspace") == 0);
    CHECK(arr_name_at(A, "linsp", 1) == NULL);
}

/* The host's own settings are as they were, whatever ran; a decimal comma changes nothing. */
static void test_surroundings(arr_state *A, Sink *s) {
    struct sigaction before, after;
    sigaction(SIGINT, NULL, &before);
    setlocale(LC_ALL, "de_DE.UTF-8");
    CHECK(
        prints(A, s, "print(1.5, [0.25, 2.5], f\"{1234.5:,.2f}\")", "1.5 [0.25 2.5 ] 1,234.50\n"));
    setlocale(LC_ALL, "C");
    sigaction(SIGINT, NULL, &after);
    CHECK(before.sa_handler == after.sa_handler && before.sa_flags == after.sa_flags);
    volatile double tiny = 5e-324;
    CHECK(tiny * 1.0 != 0); /* subnormals are not flushed */
}

int main(void) {
    static Sink sink;
    arr_state *A = open_into(&sink);
    test_host_functions(A, &sink);
    test_call(A);
    test_long_text(A, &sink);
    test_errors(A);
    test_surroundings(A, &sink);
    arr_close(A);
    return finish();
}
