/* failing - allocation n fails, for n = 1, 2, ...: a status comes back, the state goes on, and
 * nothing is lost (T97). */
#include "tests/api/check.h"

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
    return finish();
}
