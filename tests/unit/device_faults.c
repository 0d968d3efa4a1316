/* device_faults - each call of the device's table fails once, at every place where a program makes
 * it: memory, copies, work on threads, products. The program ends with that status, nothing is
 * lost, and the state goes on. */
#include "interp/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void check(bool ok, const char *what, const char *op, int n) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("tests/unit/device_faults.c: %s %d: %s\n", op, n, what);
    }
}

/* ---- a table that fails on demand ---- */

static const DeviceOps *real;
static const char *failing; /* the call of that name ... */
static int countdown;       /* ... fails when this reaches 0 */
static Status fault;

static bool fails(Device *d, const char *op, Status *s) {
    if (!failing || strcmp(op, failing) != 0 || --countdown != 0) return false;
    *s = error_set(d->cx, fault, d->cx->span, "%s fails on demand", op);
    return true;
}

static Status alloc(Device *d, size_t bytes, void **out) {
    Status s;
    *out = NULL;
    return fails(d, "alloc", &s) ? s : real->alloc(d, bytes, out);
}
static Status upload(Device *d, void *dst, const void *host, size_t n) {
    Status s;
    return fails(d, "upload", &s) ? s : real->upload(d, dst, host, n);
}
static Status download(Device *d, void *host, const void *src, size_t n) {
    Status s;
    return fails(d, "download", &s) ? s : real->download(d, host, src, n);
}
static Status copy(Device *d, void *dst, const void *src, size_t n) {
    Status s;
    return fails(d, "copy", &s) ? s : real->copy(d, dst, src, n);
}
static Status zero(Device *d, void *dst, size_t n) {
    Status s;
    return fails(d, "zero", &s) ? s : real->zero(d, dst, n);
}
static Status synchronize(Device *d) {
    Status s;
    return fails(d, "sync", &s) ? s : real->sync(d);
}
static Status parallel(Device *d, DevPart fn, void *ctx, int64_t nparts, int *rc) {
    Status s;
    return fails(d, "parallel", &s) ? s : real->parallel(d, fn, ctx, nparts, rc);
}
static Status matmul(Device *d, const DevMatmul *m) {
    Status s;
    return fails(d, "matmul", &s) ? s : real->matmul(d, m);
}

/* ---- programs ---- */

static const char program[] =
    "seed(1)\n"
    "a = rand(40, 50); b = f32(a) * 2 + 1; c = a.T[::2]; a[3:9, ::2] = 7.0\n"
    "p = a @ a.T; q = i64(a * 10) @ i64(a.T * 10)\n"
    "s = sort(a, axis=1); t = argsort(a.ravel()); u = cumsum(a, axis=0)\n"
    "v = a.ravel()[t]; w = a[a > 0.5]; x = nonzero(a > 0.9); y = softmax(a, axis=1)\n"
    "z = concat((a, a * 2)); a[[1, 2, 2]] = z[5:8]; k = sum(a, axis=0); l = unique(i64(a * 5))\n"
    "m = median(a, axis=1); n = histogram(a, bins=5); o = add_at(zeros(9), [1, 1, 3], 2.0)\n"
    "sync()\n"
    "print(sum(b), sum(c), sum(p), sum(q), sum(s), sum(t), sum(u), sum(v), sum(w), sum(y))\n"
    "print(sum(z), sum(a), sum(k), l, sum(m), n, o, len(x[0]))\n";

static char printed[1 << 13];
static void keep(void *user, const char *text, size_t n) {
    (void)user;
    strncat(printed, text, n < sizeof printed - strlen(printed) ? n : 0);
}

static size_t used;
static void *counted(void *user, void *p, size_t old, size_t n) {
    (void)user;
    used += n - old;
    if (n == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, n);
}

/* One run in which the n-th call of `op` fails; false when there are fewer. */
static bool run(const char *op, int n, Status status, const char *reference) {
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    config.threads = 2;
    config.write = keep;
    config.alloc = counted;
    if (arr_open(&config, &A) != ARR_OK) return check(false, "no state opens", op, n), false;
    DeviceOps ops = *(real = A->rt->cpu->ops);
    ops.alloc = alloc, ops.upload = upload, ops.download = download, ops.copy = copy;
    ops.zero = zero, ops.sync = synchronize, ops.parallel = parallel, ops.matmul = matmul;
    A->rt->cpu->ops = &ops;
    failing = op, countdown = n, fault = status;
    printed[0] = '\0';
    Status s = arr_eval(A, program, "t");
    bool reached = countdown <= 0;
    failing = NULL;
    /* something that is only kept for later may do without */
    check(s == ARR_OK || (reached && s == status), arr_status_name(s), op, n);
    if (s == ARR_OK && *reference) check(strcmp(printed, reference) == 0, printed, op, n);
    printed[0] = '\0';
    s = arr_eval(A, program, "t");
    if (s != ARR_OK) printf("%s", arr_error_text(A));
    bool same = !*reference || strcmp(printed, reference) == 0;
    check(s == ARR_OK && same, "the state does not go on", op, n);
    A->rt->cpu->ops = real;
    arr_close(A);
    check(used == 0, "memory is lost", op, n);
    return reached;
}

int main(void) {
    static const char *const ops[] = {"alloc", "upload", "download", "copy",
                                      "zero",  "sync",   "parallel", "matmul"};
    static char reference[sizeof printed];
    run("nothing", 1, ARR_ERR_DEVICE, "");
    strcpy(reference, printed);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        int n = 1;
        while (run(ops[i], n, i == 0 ? ARR_ERR_MEMORY : ARR_ERR_DEVICE, reference)) n++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
