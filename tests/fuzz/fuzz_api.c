/* fuzz_api - libFuzzer target: bytes as a sequence of calls of the C API.
 *
 * Each byte pair chooses a call and its operands among a few handles, some of which are NULL or of
 * another state, texts and views, good and bad. Limits keep each input short. Invariant: whatever
 * the sequence, statuses come back, what was lent is released once, and states close without leaks.
 */
#include "interp/arr.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLES = 8 };

static const char *const texts[] = {
    "x = arange(12).reshape(3, 4)",
    "y = x * 2.5 + 1",
    "f = fn(a, b=2) = a * b",
    "x[1:, ::2] = 7",
    "z = y[y > 3]",
    "x = x.T",
    "r = record(a=1, b=[1, 2])",
    "print(x)",
    "t = (1, \"two\", none)",
    "x @ x",
    "1 +",
    "while true { }",
    "g(1)",
    "h(x, k=3)",
    "x = sort(-y.ravel())",
    "error(\"no\")",
    "\xff",
    "",
    "b = x > 2",
    "c = c64(x)",
    "e = zeros(0)",
    "exit(3)",
    "s = \"text\"",
    "del x",
};
static const char *const names[] = {"x", "y", "z", "f", "r", "t",  "b",
                                    "c", "e", "g", "h", "k", "1x", ""};

typedef struct Run {
    const uint8_t *at, *end;
    arr_state *A, *B;
    arr_value *v[HANDLES];
    arr_fence *fence;
    int lent, released;
} Run;

static void must(int ok) {
    if (!ok) abort();
}

static unsigned next(Run *r) { return r->at < r->end ? *r->at++ : 0; }
static const char *text(Run *r) { return texts[next(r) % (sizeof texts / sizeof *texts)]; }
static const char *name(Run *r) { return names[next(r) % (sizeof names / sizeof *names)]; }
static arr_value *value(Run *r) { return r->v[next(r) % HANDLES]; }

/* The slot that a call fills: what was there is given back. */
static arr_value **slot(Run *r) {
    arr_value **p = &r->v[next(r) % HANDLES];
    arr_value_free(*p);
    *p = NULL;
    return p;
}

static void released(void *user) { ++((Run *)user)->released; }

static arr_status host(arr_state *A, void *user, size_t n, const arr_value *const *args,
                       arr_value **out) {
    Run *r = user;
    double d = 0;
    if (n > 0 && args[0]) (void)arr_value_as_float(args[0], &d);
    if (next(r) % 4 == 0) return arr_fail(A, ARR_ERR_USER, "asked to fail");
    if (next(r) % 4 == 0) return arr_eval(A, text(r), "inner");
    return arr_value_float(A, d + 1, out);
}

static arr_view view(Run *r, int64_t shape[3], int64_t strides[3]) {
    static double memory[64];
    arr_view v = ARR_VIEW_INIT;
    v.rank = (int)(next(r) % 4);
    v.dtype = (arr_dtype)(next(r) % 16);
    for (int j = 0; j < 3; j++) {
        shape[j] = next(r) % 3;
        strides[j] = 8 * ((int64_t)(next(r) % 5) - 2);
    }
    /* whatever the strides, 2 steps of at most 16 bytes each way in three axes stay inside */
    v.data = memory + 24 + (next(r) % 8 == 0);
    v.shape = shape;
    v.strides = next(r) % 2 ? strides : NULL;
    if (next(r) % 16 == 0) v.data = NULL;
    return v;
}

static void read_things(Run *r, const arr_value *v) {
    static char bytes[8192];
    int64_t shape[3], strides[3], i, j, k;
    uint64_t u;
    double d, e;
    int b;
    const char *p;
    size_t n;
    arr_view w = view(r, shape, strides);
    switch (next(r) % 12) {
    case 0: (void)arr_value_as_int(v, &i); break;
    case 1: (void)arr_value_as_float(v, &d); break;
    case 2: (void)arr_value_as_bool(v, &b); break;
    case 3: (void)arr_value_as_string(v, &p, &n); break;
    case 4: (void)arr_value_read(v, bytes, next(r) * 32u); break;
    case 5: (void)arr_value_format(v, &p); break;
    case 6: (void)arr_value_describe(v, &p); break;
    case 7: (void)arr_value_as_uint(v, &u); break;
    case 8: (void)arr_value_as_complex(v, &d, &e); break;
    case 9: (void)arr_value_as_range(v, &i, &j, &k); break;
    case 10: (void)arr_value_field_name(v, next(r)); break;
    default: w.data = bytes + 4096; (void)arr_value_read_view(v, &w);
    }
    (void)arr_value_kind(v), (void)arr_value_len(v), (void)arr_value_rank(v),
        (void)arr_value_shape(v);
}

static void step(Run *r) {
    int64_t shape[3], strides[3];
    unsigned what = next(r) % 24;
    /* these fill a slot: what was in it is given back before operands are chosen */
    bool fills = what == 2 || what == 3 || (what >= 5 && what != 7 && what <= 10) || what == 14 ||
                 (what >= 19 && what <= 22);
    arr_value **out = fills ? slot(r) : NULL;
    arr_value *a = value(r), *b = value(r);
    const arr_value *pair[2] = {a, b};
    arr_view w;
    void *data;
    switch (what) {
    case 0:
    case 1: (void)arr_eval(r->A, text(r), "fuzz"); break;
    case 2: {
        const char *t = text(r);
        (void)arr_eval_n(r->A, t, strlen(t), "fuzz", out);
        break;
    }
    case 3: (void)arr_get(r->A, name(r), out); break;
    case 4: (void)arr_set(next(r) % 8 ? r->A : r->B, name(r), value(r)); break;
    case 5: (void)arr_value_float(next(r) % 8 ? r->A : r->B, next(r) * 0.5, out); break;
    case 6: (void)arr_value_string(r->A, (const char *)r->at, (size_t)(r->end - r->at), out); break;
    case 7:
        b = NULL;
        (void)arr_value_item(a, next(r) % 4, &b);
        arr_value_free(b);
        break;
    case 8:
        w = view(r, shape, strides);
        if (arr_value_array_wrap(r->A, &w, released, r, out) == ARR_OK) r->lent++;
        break;
    case 9: w = view(r, shape, strides), (void)arr_value_array_copy(r->A, &w, out); break;
    case 10:
        for (int j = 0; j < 3; j++) shape[j] = next(r) % 4;
        if (arr_value_array_make(r->A, (arr_dtype)(next(r) % 16), 2, shape, &data, out) == ARR_OK &&
            data)
            *(uint8_t *)data = (uint8_t)next(r);
        break;
    case 11: read_things(r, a); break;
    case 12: (void)arr_value_map(a, ARR_PLACE_HOST, &w); break;
    case 13: arr_value_unmap(a, ARR_PLACE_HOST); break;
    case 14: (void)arr_compile(r->A, text(r), "prog", names, next(r) % 3, out); break;
    case 15: (void)arr_run(r->A, a, next(r) % 3, pair, NULL); break;
    case 16: (void)arr_call_named(r->A, a, 1, pair, 1, &names[next(r) % 14], pair + 1, NULL); break;
    case 17: (void)arr_define(r->A, name(r), host, r); break;
    case 18: {
        const char *sig[] = {"h(x, k=1)", "g(a...)", "h(x", "h(x=, n=...)"};
        arr_function f = {sizeof f, sig[next(r) % 4], "help", host, r, NULL};
        (void)arr_define_function(r->A, &f);
        break;
    }
    case 19: {
        struct DLManagedTensorVersioned *t = NULL;
        if (arr_value_to_dlpack(a, &t) == ARR_OK && arr_value_from_dlpack(r->A, t, out) != ARR_OK)
            abort(); /* the tensor is ours, and good */
        break;
    }
    case 20: (void)arr_value_tuple(r->A, pair, 2, out); break;
    case 21: (void)arr_value_record(r->A, names + next(r) % 13, pair, 2, out); break;
    case 22: (void)out; break;
    default: {
        static char bytes[4096];
        arr_fence_free(r->fence);
        r->fence = NULL;
        (void)arr_value_read_start(a, bytes, sizeof bytes, NULL, NULL, &r->fence);
    }
    }
    (void)arr_error_text(r->A);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    Run r = {.at = data, .end = data + n};
    arr_limits limits = ARR_LIMITS_INIT;
    arr_config config = ARR_CONFIG_INIT;
    limits.operations = 20000;
    limits.recursion = 50;
    limits.output_bytes = 10000;
    limits.files = ARR_FILES_NONE;
    config.limits = &limits;
    config.threads = 1;
    must(arr_open(&config, &r.A) == ARR_OK && arr_open(&config, &r.B) == ARR_OK);
    for (int steps = 0; r.at < r.end && steps < 200; steps++) step(&r);
    for (int i = 0; i < HANDLES; i += 2) arr_value_free(r.v[i]);
    arr_close(r.A);
    arr_close(r.B);
    must(r.released == r.lent);
    for (int i = 1; i < HANDLES; i += 2) arr_value_free(r.v[i]);
    arr_fence_free(r.fence);
    return 0;
}
