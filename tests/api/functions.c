/* functions - host functions with signatures, calls with names, programs compiled once, values of
 * every kind, and what a state tells its host. */
#include "tests/api/check.h"

static arr_value *get(arr_state *A, const char *name) {
    arr_value *v = NULL;
    CHECK(arr_get(A, name, &v) == ARR_OK);
    return v;
}

static void count(void *user) { ++*(int *)user; }

/* blur(image, radius=3, mode="clamp", out=, rest..., named=...): tells what it got. */
static arr_status blur(arr_state *A, void *user, size_t nargs, const arr_value *const *args,
                       arr_value **out) {
    int64_t radius;
    const char *mode, *field;
    char text[128];
    (void)user;
    if (nargs != 6) return arr_fail(A, ARR_ERR_INTERNAL, "six values");
    if (arr_value_as_int(args[1], &radius) != ARR_OK)
        return arr_fail(A, ARR_ERR_TYPE, "blur: radius is an integer");
    if (arr_value_as_string(args[2], &mode, NULL) != ARR_OK)
        return arr_fail(A, ARR_ERR_TYPE, "blur: mode is text");
    field = arr_value_field_name(args[5], 0);
    int n = snprintf(text, sizeof text, "%d %s %s %d %s", (int)radius, mode,
                     args[3] ? "out" : "no out", (int)arr_value_len(args[4]), field ? field : "-");
    return arr_value_string(A, text, (size_t)n, out);
}

static void test_signature(arr_state *A, Sink *s) {
    int gone = 0;
    arr_function f = {.size = sizeof f,
                      .signature =
                          "blur(image, radius=3, mode=\"clamp\", out=, rest..., named=...)",
                      .doc = "Blurs an image.",
                      .fn = blur,
                      .user = &gone,
                      .destroy = count};
    CHECK(arr_define_function(A, &f) == ARR_OK);
    CHECK(prints(A, s, "print(blur(1))", "3 clamp no out 0 -\n"));
    CHECK(prints(A, s, "print(blur(1, mode=\"wrap\", radius=5, out=2))", "5 wrap out 0 -\n"));
    CHECK(prints(A, s, "print(blur(1, 2, \"x\", 4, 5, 6, extra=1))", "2 x out 2 extra\n"));
    CHECK(arr_eval(A, "blur()", "t") == ARR_ERR_ARGUMENT);
    CHECK(strcmp(arr_error_message(A), "blur needs an argument for 'image'") == 0);
    CHECK(arr_eval(A, "x = 1\nblur(1, radius=\"a\")", "t") == ARR_ERR_TYPE &&
          arr_error_line(A) == 2);
    CHECK(arr_eval(A, "blur(1, image=2)", "t") == ARR_ERR_ARGUMENT);
    CHECK(prints(A, s, "help(blur)",
                 "blur(image, radius=3, mode=\"clamp\", out=, rest..., named=...)\n"
                 "Blurs an image.\n"));
    CHECK(prints(A, s, "g = blur\ndel blur\nprint(g(0))", "3 clamp no out 0 -\n") && gone == 0);
    CHECK(prints(A, s, "del g", "") && gone == 1);
    const char *bad[] = {"",
                         "(",
                         "f",
                         "f(",
                         "f(a",
                         "f(a b)",
                         "f(a=x)",
                         "1f(a)",
                         "f(a,,b)",
                         "if(a)",
                         "f(a, b, c, d, e, f, g, h, i, j, k, l, m)",
                         "f(a=\"b)",
                         "f(a) trailing"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f.signature = bad[i];
        bool plain = strcmp(bad[i], "f") == 0; /* any number of arguments */
        CHECK((arr_define_function(A, &f) == ARR_OK) == plain);
        if (!plain) CHECK(arr_error_message(A)[0] != '\0');
    }
    f.signature = NULL;
    CHECK(arr_define_function(A, &f) == ARR_ERR_ARGUMENT);
    CHECK(arr_define_function(A, NULL) == ARR_ERR_ARGUMENT);
    CHECK(gone == 1);
    CHECK(arr_eval(A, "del f", "t") == ARR_OK && gone == 2);
    arr_value *v = NULL, *r = NULL;
    f.signature = "h(image, radius=3, mode=\"clamp\", out=, rest..., named=...)";
    CHECK(arr_value_function(A, &f, &v) == ARR_OK && arr_value_kind(v) == ARR_KIND_FUNCTION);
    const char *text = NULL;
    CHECK(arr_call_named(A, v, 1, (const arr_value *const[]){v}, 1, (const char *const[]){"out"},
                         (const arr_value *const[]){v}, &r) == ARR_OK);
    CHECK(arr_value_as_string(r, &text, NULL) == ARR_OK && strcmp(text, "3 clamp out 0 -") == 0);
    arr_value_free(r);
    arr_value_free(v);
    CHECK(gone == 3);
}

static void test_call_named(arr_state *A) {
    arr_value *f = NULL, *x = NULL, *r = NULL;
    int64_t i = 0;
    CHECK(arr_eval(A, "fn f(a, b=10, rest...) = a - b", "t") == ARR_OK);
    f = get(A, "f");
    CHECK(arr_value_int(A, 3, &x) == ARR_OK);
    const arr_value *const one[] = {x};
    CHECK(arr_call_named(A, f, 0, NULL, 1, (const char *const[]){"a"}, one, &r) == ARR_OK);
    CHECK(arr_value_as_int(r, &i) == ARR_OK && i == -7);
    arr_value_free(r);
    CHECK(arr_call_named(A, f, 1, one, 1, (const char *const[]){"c"}, one, &r) == ARR_ERR_ARGUMENT);
    CHECK(arr_call_named(A, f, 1, one, 1, (const char *const[]){NULL}, one, &r) ==
          ARR_ERR_ARGUMENT);
    CHECK(arr_call_named(A, f, 1, (const arr_value *const[]){NULL}, 0, NULL, NULL, &r) ==
          ARR_ERR_ARGUMENT);
    CHECK(arr_error_message(A)[0] != '\0');
    CHECK(arr_call(A, x, 0, NULL, &r) == ARR_ERR_TYPE);
    arr_value_free(x);
    arr_value_free(f);
}

static double run(arr_state *A, const arr_value *p, double a, double b) {
    arr_value *in[2] = {NULL}, *r = NULL;
    double d = -1;
    CHECK(arr_value_float(A, a, &in[0]) == ARR_OK && arr_value_float(A, b, &in[1]) == ARR_OK);
    if (arr_run(A, p, 2, (const arr_value *const *)in, &r) == ARR_OK)
        CHECK(arr_value_as_float(r, &d) == ARR_OK);
    arr_value_free(in[0]);
    arr_value_free(in[1]);
    arr_value_free(r);
    return d;
}

static void test_compile(arr_state *A, Sink *s) {
    static const char *const ab[] = {"a", "b"};
    arr_value *p = NULL;
    CHECK(arr_eval(A, "k = 100", "t") == ARR_OK);
    CHECK(arr_compile(A, "c = a * a\nc + b + k", "poly", ab, 2, &p) == ARR_OK);
    CHECK(run(A, p, 3, 1) == 110 && run(A, p, 2, 0) == 104);
    CHECK(arr_get(A, "c", &(arr_value *){NULL}) == ARR_ERR_NAME); /* its own name */
    CHECK(arr_eval(A, "k = 0", "t") == ARR_OK && run(A, p, 3, 1) == 10);
    CHECK(arr_set(A, "poly", p) == ARR_OK && prints(A, s, "print(poly(1, 2))", "3\n"));
    CHECK(arr_run(A, p, 1, (const arr_value *const[]){p}, NULL) == ARR_ERR_ARGUMENT);
    arr_value_free(p);
    CHECK(arr_compile(A, "for i in range(10) { if i > a { return i * b } }\n0", "first", ab, 2,
                      &p) == ARR_OK);
    CHECK(run(A, p, 3.5, 2) == 8 && run(A, p, 50, 2) == 0);
    arr_value_free(p);
    CHECK(arr_compile(A, "x = a\ny = x[b]", "fails", ab, 2, &p) == ARR_OK);
    CHECK(run(A, p, 1, 1) == -1 && arr_error_line(A) == 2);
    CHECK(strstr(arr_error_text(A), "fails:2:") != NULL);
    arr_value_free(p);
    CHECK(arr_compile(A, "", "empty", NULL, 0, &p) == ARR_OK);
    arr_value *r = NULL;
    CHECK(arr_run(A, p, 0, NULL, &r) == ARR_OK && arr_value_kind(r) == ARR_KIND_NONE);
    arr_value_free(r);
    arr_value_free(p);
    CHECK(arr_compile(A, "a +", "t", ab, 2, &p) == ARR_ERR_SYNTAX && !p);
    CHECK(arr_compile(A, "} fn x() {", "t", ab, 2, &p) == ARR_ERR_SYNTAX && !p);
    CHECK(arr_compile(A, "break", "t", ab, 2, &p) == ARR_ERR_SYNTAX && !p);
    CHECK(arr_compile(A, "a b", "t", ab, 2, &p) == ARR_ERR_SYNTAX && arr_error_line(A) == 1);
    CHECK(arr_compile(A, "1", "t", (const char *const[]){"a", "a"}, 2, &p) == ARR_ERR_NAME);
    CHECK(arr_compile(A, "1", "t", (const char *const[]){"a", "if"}, 2, &p) == ARR_ERR_NAME);
    CHECK(arr_compile(A, "1", "t", (const char *const[]){"a", NULL}, 2, &p) == ARR_ERR_NAME);
    CHECK(arr_compile(A, NULL, "t", NULL, 0, &p) == ARR_ERR_ARGUMENT);
}

static void test_values(arr_state *A, Sink *s) {
    arr_value *a = NULL, *b = NULL, *r = NULL;
    uint64_t u = 0;
    int64_t lo, hi, step;
    double re, im;
    CHECK(arr_value_uint(A, UINT64_MAX, &a) == ARR_OK && arr_value_none(A, &b) == ARR_OK);
    CHECK(arr_value_as_uint(a, &u) == ARR_OK && u == UINT64_MAX);
    CHECK(arr_value_record(A, (const char *const[]){"big", "no"}, (const arr_value *const[]){a, b},
                           2, &r) == ARR_OK);
    CHECK(arr_set(A, "r", r) == ARR_OK && arr_value_len(r) == 2);
    CHECK(prints(A, s, "print(r.big, r.no)", "18446744073709551615 none\n"));
    CHECK(strcmp(arr_value_field_name(r, 1), "no") == 0 && !arr_value_field_name(r, 2));
    arr_value_free(r);
    CHECK(arr_value_record(A, (const char *const[]){"x", "x"}, (const arr_value *const[]){a, b}, 2,
                           &r) == ARR_ERR_ARGUMENT);
    CHECK(arr_value_record(A, (const char *const[]){"x", "2"}, (const arr_value *const[]){a, b}, 2,
                           &r) == ARR_ERR_NAME);
    arr_value_free(a);
    arr_value_free(b);
    CHECK(arr_value_of_dtype(A, ARR_BF16, &a) == ARR_OK && arr_value_kind(a) == ARR_KIND_DTYPE);
    CHECK(arr_set(A, "d", a) == ARR_OK && prints(A, s, "print(zeros(2, d).dtype)", "bf16\n"));
    arr_value_free(a);
    CHECK(arr_value_of_dtype(A, (arr_dtype)15, &a) == ARR_ERR_ARGUMENT);
    CHECK(arr_eval(A,
                   "g = range(2, 11, 3)\nz = 1 + 2j\nzs = [3j]\nneg = -1\nsl = slice(1, 5)\n"
                   "us = array([18446744073709551615], u64)",
                   "t") == ARR_OK);
    a = get(A, "g");
    CHECK(arr_value_as_range(a, &lo, &hi, &step) == ARR_OK && lo == 2 && hi == 11 && step == 3);
    arr_value_free(a);
    a = get(A, "sl");
    CHECK(arr_value_as_range(a, &lo, &hi, &step) == ARR_OK && lo == 1 && hi == 5 && step == 1);
    arr_value_free(a);
    a = get(A, "z");
    CHECK(arr_value_as_complex(a, &re, &im) == ARR_OK && re == 1 && im == 2);
    arr_value_free(a);
    a = get(A, "zs");
    CHECK(arr_value_as_complex(a, &re, &im) == ARR_OK && re == 0 && im == 3);
    arr_value_free(a);
    a = get(A, "us");
    CHECK(arr_value_as_uint(a, &u) == ARR_OK && u == UINT64_MAX);
    arr_value_free(a);
    a = get(A, "neg");
    CHECK(arr_value_as_uint(a, &u) == ARR_ERR_VALUE);
    CHECK(arr_value_as_complex(a, &re, &im) == ARR_OK && re == -1 && im == 0);
    arr_value_free(a);
}

/* Handles given back are known for a while in debug builds; release builds cannot tell. */
static void test_freed(arr_state *A) {
#ifndef NDEBUG
    arr_value *v = NULL;
    int64_t i;
    CHECK(arr_value_int(A, 7, &v) == ARR_OK);
    arr_value_free(v);
    CHECK(arr_set(A, "v", v) == ARR_ERR_ARGUMENT && arr_value_as_int(v, &i) == ARR_ERR_ARGUMENT);
    CHECK(arr_value_kind(v) == ARR_KIND_NONE);
    arr_value_free(v);
#else
    (void)A;
#endif
}

/* ---- what the host is told ---- */

static void on_error(void *user, arr_status st, const char *text) {
    snprintf(user, 256, "%s|%.200s", arr_status_name(st), text);
}

static int on_progress(void *user, double seconds) {
    ++*(int *)user;
    return seconds > 0.25;
}

static arr_status importer(arr_state *A, void *user, const char *path, const char **text,
                           size_t *n) {
    ++*(int *)user;
    if (strcmp(path, "virtual/shapes.arr") == 0) {
        *text = "import \"more.arr\" as more\nfn area(r) = more.k * r * r";
        *n = strlen(*text);
    } else if (strcmp(path, "virtual/more.arr") == 0) {
        *text = "k = 3";
        *n = 5;
    } else if (strcmp(path, "secret.arr") == 0) {
        return arr_fail(A, ARR_ERR_IO, "secret.arr is not for you");
    }
    return ARR_OK;
}

static void test_sinks(arr_state *A, Sink *s) {
    static char heard[256];
    static Sink other;
    int looks = 0, asked = 0;
    arr_set_error(A, on_error, heard);
    CHECK(arr_eval(A, "nope", "here") == ARR_ERR_NAME);
    CHECK(strncmp(heard, "name|error: ", 12) == 0 && strstr(heard, "here:1:1"));
    arr_set_error(A, NULL, NULL);
    other.n = 0;
    arr_set_write(A, sink_write, &other);
    CHECK(arr_eval(A, "print(1)", "t") == ARR_OK && strcmp(other.text, "1\n") == 0);
    arr_set_write(A, sink_write, s);
    arr_set_progress(A, on_progress, &looks);
    CHECK(arr_eval(A, "while true { q = sum(arange(100000.0)); eval(q) }", "t") ==
          ARR_ERR_INTERRUPT);
    CHECK(looks >= 1 && looks <= 30);
    arr_set_progress(A, NULL, NULL);
    arr_set_import(A, importer, &asked);
    CHECK(prints(A, s, "import \"virtual/shapes.arr\" as sh\nprint(sh.area(2))", "12\n") &&
          asked == 2);
    CHECK(prints(A, s, "import \"virtual/shapes.arr\" as sh2\nprint(sh2.area(1))", "3\n") &&
          asked == 2);
    CHECK(arr_eval(A, "import \"secret.arr\" as x", "t") == ARR_ERR_IO);
    CHECK(strcmp(arr_error_message(A), "secret.arr is not for you") == 0);
    CHECK(arr_eval(A, "import \"not/there.arr\" as x", "t") == ARR_ERR_IO);
    arr_set_import(A, NULL, NULL);
}

int main(void) {
    static Sink sink;
    arr_state *A = open_into(&sink);
    test_signature(A, &sink);
    test_call_named(A);
    test_compile(A, &sink);
    test_values(A, &sink);
    test_freed(A);
    test_sinks(A, &sink);
    arr_close(A);
    return finish();
}
