/* failing - allocation n fails, for n = 1, 2, ...: a status comes back, the state goes on, and
 * nothing is lost (T97). */
#include "tests/api/check.h"

#include <dirent.h>
#include <unistd.h>

static const char program[] =
    "fn f(x, k=2) { return x * k + 1 }\n"
    "a = arange(12).reshape(3, 4); a[1, 1:3] = 7\n"
    "b = f(f64(a)) |> sqrt\n"
    "r = record(x=a[0], y=\"text\" + str(1.5))\n"
    "t = map(fn(v) = v + 1, (1, 2, 3))\n"
    "for i in range(5) { b = b + i }\n"
    "x = b\n"
    "for i in range(120) { x = (x * 0.5 + b - 1.0) * 0.25 - x * 0.125 + 2.0 }\n"
    "try { error(f\"no {len(t)}\") } catch err { m = err.message }\n"
    "print(sum(b), sum(x), a[a > 5], r, t, m, argsort(-a[2]), mean(b, axis=0), (f64(a) @ "
    "f64(a.T))[0])\n";

static size_t used;

static void *counted(void *user, void *p, size_t old, size_t n) {
    (void)user;
    if (n == 0) {
        free(p);
        used -= old;
        return NULL;
    }
    void *q = realloc(p, n);
    if (q) used += n - old;
    return q;
}

/* Ordinary answers while an allocation fails: success (it was not needed), or out of memory. */
static bool is_memory(arr_status s) { return s == ARR_OK || s == ARR_ERR_MEMORY; }

/* One run with the n-th allocation failing from `when` on; true once n is beyond the last one. */
static bool run(long n, bool at_open, char *reference) {
    static Sink sink;
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    char switches[64];
    snprintf(switches, sizeof switches, "fail_alloc=%ld", n);
    config.threads = 1;
    config.write = sink_write;
    config.user = &sink;
    config.alloc = counted;
    config.switches = at_open ? switches : NULL;
    sink.n = 0;
    sink.text[0] = '\0';
    arr_status s = arr_open(&config, &A);
    if (!is_memory(s) || (s != ARR_OK) != (A == NULL)) CHECK(!"arr_open answers otherwise");
    bool beyond = false;
    if (A) {
        if (!at_open) CHECK(arr_set_switch(A, "fail_alloc", switches + 11) == ARR_OK);
        s = at_open ? ARR_OK : arr_eval(A, program, "t");
        if (!is_memory(s)) printf("n = %ld: %s", n, arr_error_text(A));
        CHECK(is_memory(s));
        arr_set_switch(A, "fail_alloc", "0");
        beyond = s == ARR_OK && (at_open || strcmp(sink.text, reference) == 0);
        if (s == ARR_OK && !at_open && !*reference) strcpy(reference, sink.text);
        /* After the failure everything works. */
        CHECK(prints(A, &sink, program, reference) || !*reference);
    }
    arr_close(A);
    if (used != 0) printf("n = %ld: %zu bytes are lost\n", n, used);
    CHECK(used == 0);
    return beyond;
}

/* ---- everything else of the interface, in one session ---- */

static arr_status host_twice(arr_state *A, void *user, size_t n, const arr_value *const *args,
                             arr_value **out) {
    double d;
    (void)user;
    if (n != 1) return arr_fail(A, ARR_ERR_ARGUMENT, "one number");
    arr_status s = arr_value_as_float(args[0], &d);
    return s == ARR_OK ? arr_value_float(A, 2 * d, out) : s;
}

#define STEP(e)                      \
    do {                             \
        arr_status s_ = (e);         \
        if (s_ != ARR_OK) return s_; \
    } while (0)

/* Values both ways; handles are given back by the caller. */
static arr_status values(arr_state *A, arr_value *v[8]) {
    static const int64_t shape[] = {2, 3};
    static const double data[] = {1, 2, 3, 4, 5, 6};
    double back[6];
    const char *text;
    STEP(arr_value_int(A, 7, &v[0]));
    STEP(arr_value_string(A, "text", 4, &v[1]));
    STEP(arr_value_tuple(A, (const arr_value *const[]){v[0], v[1]}, 2, &v[2]));
    STEP(arr_value_array(A, ARR_F64, 2, shape, data, &v[3]));
    STEP(arr_set(A, "given", v[3]));
    STEP(arr_set(A, "pair", v[2]));
    STEP(arr_eval_n(A, "given * 2 + 1", 13, "t", &v[4]));
    STEP(arr_value_read(v[4], back, sizeof back));
    CHECK(back[5] == 13);
    STEP(arr_value_format(v[4], &text));
    STEP(arr_value_item(v[2], 1, &v[5]));
    STEP(arr_define(A, "twice", host_twice, NULL));
    STEP(arr_eval(A, "y = twice(21) + sum(map(twice, (1, 2)))", "t"));
    STEP(arr_eval(A, "fn f(a, b) = a + b", "t"));
    STEP(arr_get(A, "f", &v[6]));
    return arr_call(A, v[6], 2, (const arr_value *const[]){v[0], v[0]}, &v[7]);
}

static arr_status session(arr_state *A, const char *folder) {
    arr_value *v[8] = {NULL};
    arr_limits l = ARR_LIMITS_INIT;
    l.seconds = 100;
    l.operations = (uint64_t)1 << 40;
    l.files = ARR_FILES_ROOTS;
    l.roots = &folder;
    l.nroots = 1;
    STEP(arr_set_limits(A, &l));
    arr_status s = values(A, v);
    for (int i = 0; i < 8; i++) arr_value_free(v[i]);
    STEP(s);
    STEP(arr_eval(A,
                  "save(\"a.npy\", [1, 2]); x = load(\"a.npy\")\n"
                  "save(\"a.npz\", p=x, q=[3.5]); y = load(\"a.npz\").q\n"
                  "save(\"a.csv\", [[1.5, 2]]); z = load(\"a.csv\")\n"
                  "save(\"a.png\", u8([[1, 2]])); w = load(\"a.png\")\n"
                  "save(\"m.arr\", bytes(\"v = 6\\nfn g(x) = x * v\\n\"))\n"
                  "import \"m.arr\" as m\nimport numpy as np\n"
                  "assert m.g(7) == 42 and exists(\"a.npz\") and not exists(\"b\")\n"
                  "k = np.concatenate((x, y))\ndel x, y, z, w, k, m, np",
                  "t"));
    return arr_set_limits(A, NULL);
}

/* The n-th allocation of a session fails; true once there are fewer. */
static bool run_session(long n, const char *folder) {
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    char text[32];
    snprintf(text, sizeof text, "%ld", n);
    config.threads = 1;
    config.alloc = counted;
    if (arr_open(&config, &A) != ARR_OK) {
        CHECK(!"a state opens");
        return true;
    }
    CHECK(arr_set_switch(A, "fail_alloc", text) == ARR_OK);
    arr_status s = session(A, folder);
    if (!is_memory(s)) printf("n = %ld: %s: %s", n, arr_status_name(s), arr_error_text(A));
    CHECK(is_memory(s));
    arr_set_switch(A, "fail_alloc", "0");
    arr_status again = session(A, folder);
    if (again != ARR_OK) printf("n = %ld, then: %s", n, arr_error_text(A));
    CHECK(again == ARR_OK);
    arr_close(A);
    if (used != 0) printf("n = %ld: %zu bytes are lost\n", n, used);
    CHECK(used == 0);
    return s == ARR_OK;
}

static int descriptors(void) {
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

static void test_session(void) {
    char folder[] = "/tmp/arr-failing-XXXXXX", remove[64];
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    int good = 0, open = descriptors();
    for (long n = 1; n < 20000 && good < 30; n += n < 200 ? 1 : 5)
        good = run_session(n, folder) ? good + 1 : 0;
    CHECK(good == 30 && descriptors() == open);
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    CHECK(chdir("/") == 0 && system(remove) == 0);
}

int main(void) {
    static char reference[1 << 14];
    CHECK(run(0, false, reference) || *reference);
    for (int open = 0; open < 2; open++) {
        /* A failure that only costs a cache entry also succeeds: three in a row are the end. */
        int good = 0;
        for (long n = 1; n < 20000 && good < 30; n += n < 400 ? 1 : 7)
            good = run(n, open != 0, reference) ? good + 1 : 0;
        CHECK(good > 0);
    }
    test_session();
    return finish();
}
