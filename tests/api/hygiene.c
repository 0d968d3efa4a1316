/* hygiene - what a host keeps as it was: errno, locale, rounding and denormals, signals' mask and
 * handlers, umask, working directory and environment, after every call of whatever outcome; and no
 * descriptor and no thread is left behind. */
#include "tests/api/check.h"

#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static Sink sink;

typedef struct Host {
    int error, rounding, umask;
    unsigned control;
    char locale[128], folder[512];
    sigset_t mask;
    void (*handler[32])(int);
    char **environment;
} Host;

extern char **environ;

static void look(Host *h) {
    memset(h, 0, sizeof *h);
    h->error = errno;
    h->rounding = fegetround();
    h->umask = (int)umask(0);
    umask((mode_t)h->umask);
#if defined(__x86_64__)
    h->control = _mm_getcsr() & ~0x3fu; /* but what has been raised */
#endif
    snprintf(h->locale, sizeof h->locale, "%s", setlocale(LC_ALL, NULL));
    CHECK(getcwd(h->folder, sizeof h->folder) != NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &h->mask);
    for (int s = 1; s < 32; s++) {
        struct sigaction a;
        if (sigaction(s, NULL, &a) == 0) h->handler[s] = a.sa_handler;
    }
    h->environment = environ;
}

static void same(const Host *a, const char *after) {
    Host b;
    look(&b);
    bool equal = memcmp(a, &b, sizeof b) == 0;
    if (!equal)
        printf("after %s: errno %d %d, rounding %d %d, umask %o %o, control %x %x, %s %s\n", after,
               a->error, b.error, a->rounding, b.rounding, a->umask, b.umask, a->control, b.control,
               a->locale, b.locale);
    CHECK(equal);
}

static int entries(const char *folder) {
    int n = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

static int descriptors(void) { return entries("/proc/self/fd"); }
static int threads(void) { return entries("/proc/self/task"); }

static const char *const texts[] = {
    "x = 1.5; print(x, [1, 2.5])",
    "x = rand(300, 300); y = x @ x; print(sum(y) > 0, sqrt(-1.0), 1.0 / 0.0)",
    "x = [1, 2",
    "x = [1, 2][7]; print(x)",
    "x = nosuch(1)",
    "error(\"no\")",
    "x = load(\"/no/such/file.npy\")",
    "save(\"/no/such/folder/x.npy\", [1])",
    "save(\"arr-hygiene.npy\", [1, 2]); x = load(\"arr-hygiene.npy\")",
    "save(\"arr-hygiene.npz\", a=[1, 2], b=[3]); x = load(\"arr-hygiene.npz\")",
    "save(\"arr-hygiene.csv\", [[1.5, 2]]); x = load(\"arr-hygiene.csv\")",
    "save(\"arr-hygiene.txt\", bytes(\"1 2 x\")); x = load(\"arr-hygiene.txt\")",
    "save(\"arr-hygiene.png\", u8([[1, 2]])); x = load(\"arr-hygiene.png\")",
    "save(\"arr-hygiene.npy\", bytes(\"no such format\")); x = load(\"arr-hygiene.npy\")",
    "import \"/no/such/module.arr\" as m",
    "import numpy as np\nx = np.concatenate(([1], [2]))",
    "x = exists(\"/etc\")",
    "sleep(0.01)",
    "x = 5e-324 * 3.0; y = array([1e-310]) * 0.5; print(y[0] > 0)",
    "x = sort(rand(100000)); y = cumsum(x); print(len(str(x)) > 0)",
    "fn f(n) = f(n + 1)\nx = f(0)",
    "while true { x = 1 }",
    "x = zeros(10 ** 15); eval(x)",
    "exit(3)",
    "help(sum)",
    "x = devices(); y = mem()",
};

static void evaluate_all(arr_state *A, const Host *before) {
    arr_limits l = ARR_LIMITS_INIT;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int limited = 0; limited < 2; limited++) {
            if (!limited && strncmp(texts[i], "while", 5) == 0) continue;
            l.seconds = limited ? 0.05 : 0;
            l.host_bytes = limited ? 1 << 24 : 0;
            arr_set_limits(A, &l);
            same(before, "arr_set_limits");
            arr_eval(A, texts[i], "t");
            same(before, texts[i]);
        }
    }
}

static void other_calls(arr_state *A, const Host *before) {
    arr_value *v = NULL;
    const char *text;
    double d;
    arr_set_limits(A, NULL);
    CHECK(arr_eval(A, "x = arange(5) * 1.5", "t") == ARR_OK);
    CHECK(arr_get(A, "x", &v) == ARR_OK);
    same(before, "arr_get");
    arr_value_format(v, &text);
    same(before, "arr_value_format");
    arr_value_as_float(v, &d);
    same(before, "arr_value_as_float");
    arr_value_free(v);
    arr_get(A, "none such", &v);
    arr_run_file(A, "/no/such/file.arr", 0, NULL);
    same(before, "arr_run_file");
    arr_parse_check(A, "x = (", 5);
    arr_error_text(A);
    same(before, "arr_error_text");
}

static void run(const Host *before, const char *device, const arr_limits *limits) {
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    config.threads = 2;
    config.write = sink_write;
    config.user = &sink;
    config.device = device;
    config.limits = limits;
    arr_open(&config, &A);
    same(before, "arr_open");
    if (A) {
        sink.n = 0;
        evaluate_all(A, before);
        other_calls(A, before);
    }
    arr_close(A);
    same(before, "arr_close");
}

int main(void) {
    char folder[] = "/tmp/arr-hygiene-XXXXXX", remove[64];
    Host before;
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    /* not the defaults, so that resetting shows */
    setlocale(LC_ALL, "de_DE.UTF-8");
    umask(027);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    fesetround(FE_UPWARD);
    errno = 4711;
    look(&before);
    run(&before, "none", NULL); /* refused; libraries are loaded once */
    arr_limits roots = ARR_LIMITS_INIT;
    roots.files = ARR_FILES_ROOTS;
    roots.roots = (const char *const[]){folder};
    roots.nroots = 1;
    for (int turn = 0; turn < 3; turn++) {
        int open = descriptors(), running = threads();
        errno = 4711;
        look(&before);
        run(&before, "cpu", NULL);
        run(&before, "cpu", &roots);
        run(&before, "cpu", &(arr_limits){.size = sizeof(arr_limits), .host_bytes = 1000});
        run(&before, "none", NULL);
        errno = 0;
        /* OpenBLAS starts threads of its own at its first use, and keeps them */
        if (turn > 0) CHECK(descriptors() == open && threads() == running);
    }
    fesetround(FE_TONEAREST);
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    CHECK(chdir("/") == 0 && system(remove) == 0);
    return finish();
}
