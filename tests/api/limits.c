/* limits - each limit of arr_limits is reached with a status and a message that names it, holds
 * through what a program may try, and leaves the state usable; files stay below their roots; states
 * keep out other threads and go on in the child of a fork. */
#include "tests/api/check.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static Sink sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs into the limit that `word` belongs to; afterwards all is as before. */
static void reaches(arr_state *A, const char *text, const char *word) {
    arr_status s = arr_eval(A, text, "t");
    bool named = s == ARR_ERR_LIMIT && strstr(arr_error_message(A), word) != NULL;
    if (!named) printf("  %s\n  %s: %s\n", text, arr_status_name(s), arr_error_text(A));
    CHECK(named);
    CHECK(arr_eval(A, "q = 1 + 1", "t") == ARR_OK);
}

static void passes(arr_state *A, const char *text) {
    arr_status s = arr_eval(A, text, "t");
    if (s != ARR_OK) printf("  %s\n  %s\n", text, arr_error_text(A));
    CHECK(s == ARR_OK);
}

static arr_state *open_limited(const arr_limits *limits) {
    arr_state *A = open_into(&sink);
    CHECK(arr_set_limits(A, limits) == ARR_OK);
    return A;
}

/* ---- time, operations, output: once reached until the call ends ---- */

static void test_time(void) {
    arr_limits l = ARR_LIMITS_INIT;
    l.seconds = 0.05;
    arr_state *A = open_limited(&l);
    for (int i = 0; i < 3; i++) reaches(A, "while true { x = 1 }", "seconds");
    reaches(A, "while true { try { while true { x = 1 } } catch e { y = e.message } }", "seconds");
    reaches(A, "try { while true { x = 1 } } catch e { caught = true }", "seconds");
    CHECK(arr_eval(A, "print(caught)", "t") == ARR_ERR_NAME);
    passes(A, "for i in range(1000) { x = i }");
    arr_value *v = NULL, *f = NULL;
    passes(A, "fn spin() { while true { x = 1 } }\nlate = sqrt(ones(10))");
    CHECK(arr_get(A, "spin", &f) == ARR_OK);
    CHECK(arr_call(A, f, 0, NULL, &v) == ARR_ERR_LIMIT && v == NULL);
    arr_value_free(f);
    /* many short calls in a row have the time each */
    double end = now() + 0.2;
    while (now() < end)
        if (arr_eval(A, "x = late + 1", "t") != ARR_OK) break;
    CHECK(now() >= end);
    /* an interrupt is an interrupt */
    arr_interrupt(A);
    CHECK(arr_eval(A, "while true { x = 1 }", "t") == ARR_ERR_INTERRUPT);
    /* work that the time cut off is there to be done */
    passes(A, "big = sqrt(rand(3000, 3000)); z = sum(big @ big)");
    CHECK(arr_eval(A, "print(z > 0)", "t") == ARR_ERR_LIMIT);
    CHECK(arr_set_limits(A, NULL) == ARR_OK);
    CHECK(prints(A, &sink, "print(z > 0)", "true\n"));
    passes(A, "t = time(); while time() - t < 0.1 { x = 1 }");
    arr_close(A);
}

static void test_operations(void) {
    arr_limits l = ARR_LIMITS_INIT;
    l.operations = 10000;
    arr_state *A = open_limited(&l);
    passes(A, "for i in range(1000) { x = i }");
    reaches(A, "for i in range(10000) { x = i }", "operations");
    reaches(A, "while true { try { error(\"no\") } catch e { x = 1 } }", "operations");
    reaches(A, "x = map(fn(v) = v, range(20000))", "operations");
    reaches(A, "x = split(\"a \" * 20000)", "operations");
    reaches(A, "x = sorted(range(5000), descending=true)", "operations");
    passes(A, "x = ones(30, 30) + 1; eval(x)");
    /* refused before it begins: no time is spent, nothing is written */
    double begun = now();
    reaches(A, "x = ones(2000, 2000); x = x @ x; eval(x)", "operations");
    reaches(A, "x = rand(1000000); eval(x)", "operations");
    reaches(A, "x = sort(arange(5000)); eval(x)", "operations");
    CHECK(now() - begun < 0.5);
    reaches(A, "try { x = rand(1000000); eval(x) } catch e { caught = true }", "operations");
    CHECK(arr_eval(A, "print(caught)", "t") == ARR_ERR_NAME);
    arr_close(A);
}

static void test_output(void) {
    arr_limits l = ARR_LIMITS_INIT;
    l.output_bytes = 10;
    arr_state *A = open_limited(&l);
    for (int i = 0; i < 2; i++) {
        sink.n = 0;
        reaches(A, "print(\"12345\")\nprint(\"67890\")\nprint(\"x\")", "output_bytes");
        CHECK(strcmp(sink.text, "12345\n6789") == 0);
    }
    sink.n = 0;
    reaches(A, "while true { try { print(\"12345678\") } catch e { x = 1 } }", "output_bytes");
    CHECK(sink.n == 10);
    reaches(A, "help(sum)", "output_bytes");
    CHECK(prints(A, &sink, "print(\"123456789\")", "123456789\n"));
    arr_close(A);
}

static void test_recursion(void) {
    arr_limits l = ARR_LIMITS_INIT;
    l.recursion = 20;
    arr_state *A = open_limited(&l);
    passes(A, "fn f(n) = 0 if n == 0 else 1 + f(n - 1)");
    CHECK(prints(A, &sink, "print(f(19))", "19\n"));
    reaches(A, "x = f(20)", "recursion");
    reaches(A, "x = map(fn(v) = f(v), range(30))", "recursion");
    CHECK(prints(A, &sink, "try { x = f(1000) } catch e { print(e.kind) }", "limit\n"));
    arr_close(A);
}

/* ---- memory ---- */

static void test_memory(void) {
    arr_limits l = ARR_LIMITS_INIT;
    arr_state *A = open_into(&sink);
    passes(A, "warm = sum(sqrt(rand(1000))) + 1; print(warm > 0)");
    l.host_bytes = 32 << 20;
    CHECK(arr_set_limits(A, &l) == ARR_OK);
    reaches(A, "x = rand(10000000); eval(x)", "host_bytes");
    reaches(A, "x = \"abc\" * 100000000", "host_bytes");
    reaches(A, "x = (1, 2, 3); while true { x = x + x }", "host_bytes");
    passes(A, "x = 0");
    reaches(A, "x = \"abcdefgh\"; while true { x = x + x }", "host_bytes");
    passes(A, "x = 0");
    CHECK(prints(A, &sink,
                 "try { x = rand(10000000); eval(x) } catch e { print(e.kind) }\nprint(7)",
                 "limit\n7\n"));
    /* what the pool keeps is given up before something is refused */
    for (int i = 0; i < 20; i++) {
        char text[64];
        snprintf(text, sizeof text, "x = rand(%d); eval(x); del x", 1000000 + i * 100000);
        passes(A, text);
    }
    CHECK(arr_set_limits(A, NULL) == ARR_OK);
    passes(A, "x = rand(10000000); eval(x)");
    arr_close(A);
}

/* For every limit from nothing on: refused, or it works, or the program is told. */
static void test_every_memory(void) {
    arr_config config = ARR_CONFIG_INIT;
    arr_limits l = ARR_LIMITS_INIT;
    config.threads = 1;
    config.limits = &l;
    int opened = 0, done = 0;
    for (uint64_t bytes = 1000; bytes < 4000000 && done < 3; bytes += bytes / 16) {
        arr_state *A = NULL;
        l.host_bytes = bytes;
        arr_status s = arr_open(&config, &A);
        CHECK((s == ARR_OK) == (A != NULL) && (s == ARR_OK || s == ARR_ERR_LIMIT));
        if (!A) continue;
        opened++;
        s = arr_eval(A, "x = arange(1000) * 2.0; y = map(str, (1, 2)); z = f\"{sum(x)}\"", "t");
        if (s != ARR_OK && s != ARR_ERR_LIMIT)
            printf("%llu: %s\n", (unsigned long long)bytes, arr_error_text(A));
        CHECK(s == ARR_OK || s == ARR_ERR_LIMIT);
        done += s == ARR_OK;
        arr_close(A);
    }
    CHECK(opened > 0 && done == 3);
}

/* ---- opening and setting ---- */

static char noticed[512];
static void keep_notice(void *user, const char *text) {
    (void)user;
    snprintf(noticed, sizeof noticed, "%s", text);
}

static void refused_open(const arr_limits *l, arr_status expected, const char *word) {
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    config.limits = l;
    config.notice = keep_notice;
    noticed[0] = '\0';
    CHECK(arr_open(&config, &A) == expected && !A);
    if (!strstr(noticed, word)) printf("  %s is not in: %s\n", word, noticed);
    CHECK(strstr(noticed, word) != NULL);
}

static void test_setting(void) {
    arr_limits l = ARR_LIMITS_INIT;
    l.host_bytes = 1000;
    refused_open(&l, ARR_ERR_LIMIT, "host_bytes");
    l = (arr_limits)ARR_LIMITS_INIT;
    l.seconds = 1e-9;
    refused_open(&l, ARR_ERR_LIMIT, "seconds");
    l.seconds = -1;
    refused_open(&l, ARR_ERR_ARGUMENT, "seconds");
    l = (arr_limits)ARR_LIMITS_INIT;
    l.files = ARR_FILES_ROOTS;
    refused_open(&l, ARR_ERR_ARGUMENT, "roots");
    l.roots = (const char *const[]){"/no/such/folder"};
    l.nroots = 1;
    refused_open(&l, ARR_ERR_IO, "/no/such/folder");
    arr_state *A = open_into(&sink);
    CHECK(arr_set_limits(A, &l) == ARR_ERR_IO);
    passes(A, "x = exists(\"/tmp\")"); /* nothing has changed */
    l.size = 0;
    CHECK(arr_set_limits(A, &l) == ARR_ERR_ARGUMENT);
    CHECK(arr_set_limits(NULL, NULL) == ARR_ERR_ARGUMENT);
    l = (arr_limits)ARR_LIMITS_INIT;
    l.seconds = 1e-9;
    CHECK(arr_set_limits(A, &l) == ARR_OK);
    CHECK(arr_eval(A, "for i in range(10 ** 6) { x = i }", "t") == ARR_ERR_LIMIT);
    CHECK(arr_set_limits(A, NULL) == ARR_OK);
    passes(A, "x = 1");
    arr_close(A);
}

static arr_status host_sets(arr_state *A, void *user, size_t n, const arr_value *const *args,
                            arr_value **out) {
    (void)user, (void)n, (void)args, (void)out;
    CHECK(arr_set_limits(A, NULL) == ARR_ERR_ARGUMENT);
    arr_close(A); /* refused: it is running */
    /* a nested call spends the outer one's time, and what it swallows comes again */
    CHECK(arr_eval(A, "while true { x = 1 }", "inner") == ARR_ERR_LIMIT);
    return ARR_OK;
}

static void test_nested(void) {
    arr_limits l = ARR_LIMITS_INIT;
    l.seconds = 0.05;
    arr_state *A = open_limited(&l);
    CHECK(arr_define(A, "host", host_sets, NULL) == ARR_OK);
    CHECK(arr_eval(A, "y = 0\nhost()\nfor i in range(10) { y = i + 1 }", "t") == ARR_ERR_LIMIT);
    CHECK(prints(A, &sink, "print(y)", "0\n"));
    reaches(A, "k = cuda_kernel(\"__global__ void f(float *x) { }\", \"f\")", "allow_cuda_kernel");
    l.allow_cuda_kernel = 1;
    CHECK(arr_set_limits(A, &l) == ARR_OK);
    passes(A, "k = cuda_kernel(\"__global__ void f(float *x) { }\", \"f\")");
    arr_close(A);
}

/* ---- files ---- */

static void put_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (!f) return;
    fputs(text, f);
    fclose(f);
}

static bool is_file(const char *path) { return access(path, F_OK) == 0; }

static void test_no_files(void) {
    arr_limits l = ARR_LIMITS_INIT;
    l.files = ARR_FILES_NONE;
    arr_state *A = open_limited(&l);
    reaches(A, "x = load(\"a.npy\")", "arr_limits.files");
    reaches(A, "save(\"/tmp/arr-limits-no.npy\", [1])", "arr_limits.files");
    reaches(A, "x = exists(\"/etc/passwd\")", "arr_limits.files");
    reaches(A, "import \"a.arr\" as a", "arr_limits.files");
    CHECK(!is_file("/tmp/arr-limits-no.npy"));
    passes(A, "import numpy as np\nx = np.concatenate(([1], [2]))");
    put_text("limits-host.arr", "y = 5\n");
    CHECK(arr_run_file(A, "limits-host.arr", 0, NULL) == ARR_OK); /* the host's own */
    unlink("limits-host.arr");
    arr_close(A);
}

/* The working directory is a new folder with in/, out/ and links between them. */
static void test_roots(void) {
    char here[512], text[2048];
    CHECK(mkdir("in", 0777) == 0 && mkdir("in/sub", 0777) == 0 && mkdir("out", 0777) == 0);
    CHECK(getcwd(here, sizeof here) != NULL);
    put_text("out/secret.csv", "1,2\n");
    put_text("in/fine.csv", "3,4\n");
    put_text("in/mod.arr", "v = 6\n");
    put_text("out/mod.arr", "v = 7\n");
    CHECK(symlink("../out/secret.csv", "in/link.csv") == 0);
    CHECK(symlink("../out", "in/folder") == 0);
    CHECK(symlink("fine.csv", "in/same.csv") == 0);
    CHECK(symlink("../fine.csv", "in/sub/up.csv") == 0);
    CHECK(symlink("/proc/self/cwd/out/secret.csv", "in/magic.csv") == 0);
    CHECK(symlink("in", "alias") == 0);
    arr_limits l = ARR_LIMITS_INIT;
    snprintf(text, sizeof text, "%s/alias", here);
    l.files = ARR_FILES_ROOTS;
    l.roots = (const char *const[]){text};
    l.nroots = 1;
    arr_state *A = open_limited(&l);
    CHECK(prints(A, &sink, "print(load(\"in/fine.csv\"), exists(\"in/none\"), exists(\"in\"))",
                 "[[3 4]] false true\n"));
    CHECK(prints(A, &sink, "print(load(\"alias//./sub/../fine.csv\"), load(\"in/same.csv\"))",
                 "[[3 4]] [[3 4]]\n"));
    CHECK(prints(A, &sink, "print(load(\"in/sub/up.csv\"))", "[[3 4]]\n"));
    snprintf(text, sizeof text, "print(load(\"%s/in/fine.csv\"), load(\"%s/alias/fine.csv\"))",
             here, here);
    CHECK(prints(A, &sink, text, "[[3 4]] [[3 4]]\n"));
    static const char *const outside[] = {"out/secret.csv",
                                          "in/../out/secret.csv",
                                          "in/link.csv",
                                          "in/folder/secret.csv",
                                          "/etc/passwd",
                                          "in/sub/../../out/x.csv",
                                          "in/magic.csv",
                                          "/proc/self/cwd/in/fine.csv",
                                          "../x.csv",
                                          "inx.csv",
                                          "/",
                                          "in/folder"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        snprintf(text, sizeof text, "x = load(\"%s\", f64)", outside[i]);
        reaches(A, text, "alias");
        snprintf(text, sizeof text, "x = exists(\"%s\")", outside[i]);
        reaches(A, text, "alias");
        if (strcmp(outside[i], "/") == 0 || strcmp(outside[i], "in/folder") == 0) continue;
        snprintf(text, sizeof text, "save(\"%s\", [1.5])", outside[i]);
        reaches(A, text, "alias");
    }
    reaches(A, "import \"out/mod.arr\" as m", "alias");
    passes(A, "import \"in/mod.arr\" as m\nassert m.v == 6\nimport \"in/sub/../mod.arr\" as n");
    passes(A, "save(\"in/new.npy\", [1, 2]); save(\"in/sub/new.npz\", x=[1]); "
              "save(\"in/new.csv\", [[1, 2]]); save(\"in/same.csv\", [[8, 9]])");
    CHECK(
        prints(A, &sink, "print(load(\"in/new.npy\"), load(\"in/fine.csv\"))", "[1 2] [[8 9]]\n"));
    CHECK(arr_eval(A, "save(\"in/none/new.npy\", [1])", "t") == ARR_ERR_IO);
    CHECK(arr_eval(A, "save(\"in/sub\", [1])", "t") == ARR_ERR_IO);
    CHECK(arr_eval(A, "x = load(\"in/none.csv\")", "t") == ARR_ERR_IO);
    CHECK(!is_file("in/sub/../../out/x.csv") && !is_file("../x.csv") && !is_file("inx.csv"));
    arr_close(A);
    A = open_into(&sink);
    CHECK(prints(A, &sink, "print(load(\"out/secret.csv\"))", "[[1 2]]\n")); /* as it was */
    arr_close(A);
}

static void test_files(void) {
    char folder[] = "/tmp/arr-limits-XXXXXX", before[512], remove[64];
    CHECK(getcwd(before, sizeof before) != NULL && mkdtemp(folder) && chdir(folder) == 0);
    test_no_files();
    test_roots();
    CHECK(chdir(before) == 0);
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    CHECK(system(remove) == 0);
}

/* ---- one thread at a time ---- */

typedef struct Meeting {
    arr_state *A;
    pthread_barrier_t inside, done;
} Meeting;

static arr_status wait_inside(arr_state *A, void *user, size_t n, const arr_value *const *args,
                              arr_value **out) {
    Meeting *m = user;
    (void)n, (void)args, (void)out;
    CHECK(arr_eval(A, "nested = 1", "t") == ARR_OK); /* the same thread may */
    pthread_barrier_wait(&m->inside);
    pthread_barrier_wait(&m->done);
    return ARR_OK;
}

static void *intrude(void *p) {
    Meeting *m = p;
    arr_value *v = NULL;
    pthread_barrier_wait(&m->inside);
    CHECK(arr_eval(m->A, "stolen = 1", "t") == ARR_ERR_ARGUMENT);
    CHECK(arr_value_int(m->A, 1, &v) == ARR_ERR_ARGUMENT && !v);
    CHECK(arr_set_limits(m->A, NULL) == ARR_ERR_ARGUMENT);
    arr_interrupt(m->A); /* this may come from anywhere */
    pthread_barrier_wait(&m->done);
    return NULL;
}

static void test_threads(void) {
    Meeting m = {.A = open_into(&sink)};
    pthread_t thread;
    pthread_barrier_init(&m.inside, NULL, 2);
    pthread_barrier_init(&m.done, NULL, 2);
    CHECK(arr_define(m.A, "meet", wait_inside, &m) == ARR_OK);
    CHECK(pthread_create(&thread, NULL, intrude, &m) == 0);
    CHECK(arr_eval(m.A, "meet()\nwhile true { x = 1 }", "t") == ARR_ERR_INTERRUPT);
    pthread_join(thread, NULL);
    CHECK(arr_eval(m.A, "print(stolen)", "t") == ARR_ERR_NAME);
    passes(m.A, "x = nested");
    arr_close(m.A);
    pthread_barrier_destroy(&m.inside);
    pthread_barrier_destroy(&m.done);
}

/* ---- fork ---- */

static int in_child(arr_state *A) {
    failed = 0;
    CHECK(prints(A, &sink, "print(sum(a))", "1000000.0\n"));
    CHECK(prints(A, &sink, "b = a @ a.T; print(b[0, 0], sum(sqrt(a)))", "1000.0 1000000.0\n"));
    CHECK(arr_eval(A, "while true { x = 1 }", "t") == ARR_ERR_LIMIT); /* its timer runs here too */
    arr_close(A);
    A = open_into(&sink);
    CHECK(prints(A, &sink, "print(sum(ones(10)))", "10.0\n"));
    arr_close(A);
    return failed != 0;
}

static void test_fork(void) {
    arr_config config = ARR_CONFIG_INIT;
    arr_limits l = ARR_LIMITS_INIT;
    arr_state *A = NULL;
    int status = 0;
    config.threads = 3;
    config.write = sink_write;
    config.user = &sink;
    config.limits = &l;
    l.seconds = 2;
    CHECK(arr_open(&config, &A) == ARR_OK);
    passes(A, "a = eval(ones(1000, 1000))\nb = eval(a @ a.T)"); /* workers and timer are there */
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(in_child(A));
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(prints(A, &sink, "print(sum(a))", "1000000.0\n")); /* the parent's is as it was */
    arr_close(A);
}

int main(void) {
    test_time();
    test_operations();
    test_output();
    test_recursion();
    test_memory();
    test_every_memory();
    test_setting();
    test_nested();
    test_files();
    test_threads();
    test_fork();
    return finish();
}
