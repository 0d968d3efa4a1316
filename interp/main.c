/* main - the program `arr`: words of the command line and ARR_* of the environment become options,
 * then a file, a text, standard input or the prompt is run.
 *
 * Exit status: 0, 1 after a script's error, 2 for usage, what exit(n) says; after SIGINT or SIGTERM
 * the process ends by that signal. Invariant: the environment is read here and nowhere else. */
#include "interp/arr.h"
#include "interp/repl.h"
#include "interp/signals.h"
#include "runtime/device/rtc_helper.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 1024, EXIT_USAGE = 2, PIECE = 1 << 20 /* bytes: read in a few ms */ };

typedef struct Options {
    const char *device, *threads, *flt, *precision;
    const char *code; /* -e */
    bool history, profile;
    char **words; /* what follows the options */
    int nwords;
} Options;

static const char usage[] =
    "usage: arr [options] [file.arr [words...]]\n"
    "       arr [options] -e 'text' [words...]\n"
    "Without a file: the prompt, or the script on standard input.\n"
    "\n"
    "  -e TEXT            evaluate TEXT and show its values\n"
    "  --device NAME      cpu, cuda, cuda:N or auto (a GPU where there is one)\n"
    "  --float f32|f64    the default float (f64)\n"
    "  --matmul-precision highest|high|medium\n"
    "                     of f32 products on a GPU: f32 (highest), f32's accuracy by split\n"
    "                     tensor-core products, TF32\n"
    "  --threads N        CPU threads, 0: all cores\n"
    "  --profile          at the end, what ran: kernels and library calls, their times and bytes\n"
    "  --no-history       do not read or write the prompt's history\n"
    "  -h, --help         this text\n"
    "  -V, --version      the version\n"
    "\n"
    "Environment: ARR_HISTORY, ARR_CACHE_DIR, CUDA_PATH, and one variable for each switch:\n";

static int print_usage(FILE *out) {
    const char *name, *help;
    fputs(usage, out);
    for (size_t i = 0; (name = arr_switch_name(i, &help)); i++) {
        fputs("  ARR_", out);
        for (const char *c = name; *c; c++) fputc(toupper((unsigned char)*c), out);
        fprintf(out, "%*s %s\n", (int)(17 - strlen(name)), "", help);
    }
    return out == stdout ? 0 : EXIT_USAGE;
}

static int usage_error(const char *what, const char *word) {
    fprintf(stderr, "arr: %s%s\nSee arr --help.\n", what, word);
    return EXIT_USAGE;
}

/* ---- options -------------------------------------------------------------------------------- */

/* -1: go on; else the exit status. */
static int parse_options(Options *o, int argc, char **argv) {
    static const struct option longs[] = {
        {"device", required_argument, NULL, 'd'},
        {"float", required_argument, NULL, 'f'},
        {"threads", required_argument, NULL, 't'},
        {"profile", no_argument, NULL, 'p'},
        {"no-history", no_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {"matmul-precision", required_argument, NULL, 'm'},
        {NULL, 0, NULL, 0},
    };
    int c;
    while ((c = getopt_long(argc, argv, "+e:hV", longs, NULL)) != -1) {
        switch (c) {
        case 'e':
            if (o->code) return usage_error("-e is given twice: separate statements by ;", "");
            o->code = optarg;
            break;
        case 'd': o->device = optarg; break;
        case 'f': o->flt = optarg; break;
        case 't': o->threads = optarg; break;
        case 'm': o->precision = optarg; break;
        case 'p': o->profile = true; break;
        case 'n': o->history = false; break;
        case 'h': return print_usage(stdout);
        case 'V': return printf("arr %s\n", arr_version()) < 0;
        default: return fputs("See arr --help.\n", stderr), EXIT_USAGE;
        }
    }
    o->words = argv + optind;
    o->nwords = argc - optind;
    return -1;
}

/* "$VARIABLE/rest" into out; false where the variable is not set or the path too long. */
static bool path_below(char out[PATH_SIZE], const char *variable, const char *rest) {
    const char *base = getenv(variable);
    if (!base || !*base) return false;
    int n = snprintf(out, PATH_SIZE, "%s%s", base, rest);
    return n > 0 && n < PATH_SIZE;
}

/* Compiled kernels: ARR_CACHE_DIR (empty: memory only), else the user's cache folder. */
static const char *cache_dir(char out[PATH_SIZE]) {
    const char *dir = getenv("ARR_CACHE_DIR");
    if (dir) return *dir ? dir : NULL;
    if (path_below(out, "XDG_CACHE_HOME", "/arr")) return out;
    return path_below(out, "HOME", "/.cache/arr") ? out : NULL;
}

static const char *history_file(const Options *o, char out[PATH_SIZE]) {
    const char *file = getenv("ARR_HISTORY");
    if (!o->history) return NULL;
    if (file) return *file ? file : NULL;
    return path_below(out, "HOME", "/.arr_history") ? out : NULL;
}

/* Every ARR_NAME that is a switch; device, threads and cache_dir went into the config. */
static int set_switches(arr_state *A, const Options *o) {
    const char *name;
    const char *toolkit = getenv("CUDA_PATH");
    if (toolkit) arr_set_switch(A, "cuda_path", toolkit);
    for (size_t i = 0; (name = arr_switch_name(i, NULL)); i++) {
        char variable[64] = "ARR_";
        for (size_t k = 0; name[k] && k < sizeof variable - 5; k++)
            variable[4 + k] = (char)toupper((unsigned char)name[k]);
        const char *value = getenv(variable);
        if (!value || strcmp(name, "device") == 0 || strcmp(name, "threads") == 0 ||
            strcmp(name, "cache_dir") == 0)
            continue;
        if (arr_set_switch(A, name, value) != ARR_OK) {
            fprintf(stderr, "arr: %s=%s: %s\n", variable, value, arr_error_message(A));
            return EXIT_USAGE;
        }
    }
    if (o->flt && arr_set_switch(A, "float", o->flt) != ARR_OK)
        return usage_error("--float is f32 or f64, not ", o->flt);
    if (o->precision && arr_set_switch(A, "matmul_precision", o->precision) != ARR_OK)
        return usage_error("--matmul-precision is highest, high or medium, not ", o->precision);
    return o->profile && arr_set_switch(A, "profile", "1") != ARR_OK;
}

/* ---- the state ------------------------------------------------------------------------------ */

static void write_out(void *user, const char *text, size_t n) {
    (void)user;
    fwrite(text, 1, n, stdout);
}

static void write_notice(void *user, const char *text) {
    size_t n = strlen(text);
    (void)user;
    fflush(stdout);
    fprintf(stderr, "%s%s", text, n && text[n - 1] == '\n' ? "" : "\n");
}

static int open_state(const Options *o, arr_state **A) {
    arr_config config = ARR_CONFIG_INIT;
    char path[PATH_SIZE], *end = NULL;
    const char *threads = o->threads ? o->threads : getenv("ARR_THREADS");
    config.device = o->device ? o->device : getenv("ARR_DEVICE");
    if (!config.device || !*config.device) config.device = "auto";
    if (threads && *threads) {
        long n = strtol(threads, &end, 10);
        if (*end || n < 0 || n > 4096)
            return usage_error("threads is a number from 0 to 4096, not ", threads);
        config.threads = (int)n;
    }
    config.cache_dir = cache_dir(path);
    config.write = write_out;
    config.notice = write_notice;
    arr_status s = arr_open(&config, A);
    if (s == ARR_ERR_ARGUMENT)
        return usage_error("a device is cpu, cuda, cuda:N or auto, not ", config.device);
    if (s != ARR_OK) {
        fprintf(stderr, "arr: cannot start on device %s: %s error\n", config.device,
                arr_status_name(s));
        return 1;
    }
    return set_switches(*A, o);
}

/* `args` of a text that is no file. */
static arr_status set_args(arr_state *A, int n, char **words) {
    arr_value **items = calloc((size_t)n + 1, sizeof *items), *tuple = NULL;
    arr_status s = items ? ARR_OK : ARR_ERR_MEMORY;
    for (int i = 0; i < n && s == ARR_OK; i++)
        s = arr_value_string(A, words[i], strlen(words[i]), &items[i]);
    if (s == ARR_OK) s = arr_value_tuple(A, (const arr_value *const *)items, (size_t)n, &tuple);
    if (s == ARR_OK) s = arr_set(A, "args", tuple);
    arr_value_free(tuple);
    for (int i = 0; i < n && items; i++) arr_value_free(items[i]);
    free(items);
    return s;
}

/* ---- running -------------------------------------------------------------------------------- */

/* More of standard input, into the room at p: 0 at its end; -1: an error, EINTR where a signal came
 * that ends the program. */
static ssize_t read_some(char *p, size_t room) {
    struct pollfd ready[] = {{STDIN_FILENO, POLLIN, 0}, {signals_fd(), POLLIN, 0}};
    while (poll(ready, 2, -1) < 0)
        if (errno != EINTR) return -1;
    if (!ready[1].revents) return read(STDIN_FILENO, p, room < PIECE ? room : PIECE);
    errno = EINTR;
    return -1;
}

static char *read_stdin(size_t *n) {
    size_t cap = 1 << 16;
    char *text = malloc(cap);
    for (*n = 0; text;) {
        ssize_t got = read_some(text + *n, cap - *n);
        if (got < 0) {
            int error = errno;
            free(text);
            errno = error;
            return NULL;
        }
        *n += (size_t)got;
        if (got == 0) break;
        if (*n < cap) continue;
        char *more = realloc(text, cap *= 2);
        if (!more) free(text);
        text = more;
    }
    return text;
}

static int script_status(arr_state *A, arr_status s) {
    if (s == ARR_OK) return 0;
    if (s == ARR_ERR_EXIT) return arr_exit_code(A);
    fflush(stdout);
    fputs(arr_error_text(A), stderr);
    return 1;
}

/* `arr < file`, or `arr - words`. */
static int run_stdin(arr_state *A, const Options *o) {
    size_t n;
    char *text = read_stdin(&n);
    if (!text) {
        if (errno != EINTR)
            fprintf(stderr, "arr: cannot read standard input: %s\n", strerror(errno));
        return 1;
    }
    signals_busy(A);
    arr_status s = o->nwords > 1 ? set_args(A, o->nwords - 1, o->words + 1) : ARR_OK;
    if (s == ARR_OK) s = arr_eval_n(A, text, n, "stdin", NULL);
    signals_idle();
    free(text);
    return script_status(A, s);
}

static int run_file(arr_state *A, const Options *o) {
    signals_busy(A);
    arr_status s = arr_run_file(A, o->words[0], o->nwords - 1, o->words + 1);
    signals_idle();
    return script_status(A, s);
}

/* On the stream of messages: what a program prints stays as it is. */
static void show_profile(arr_state *A) {
    const char *text;
    fflush(stdout);
    fputs(arr_profile(A, &text) == ARR_OK ? text : arr_error_text(A), stderr);
}

static int run(arr_state *A, const Options *o, bool prompt) {
    char path[PATH_SIZE];
    if (o->code) {
        if (set_args(A, o->nwords, o->words) != ARR_OK) return script_status(A, ARR_ERR_MEMORY);
        return repl_text(A, o->code, strlen(o->code), "-e");
    }
    if (prompt) return repl_run(A, history_file(o, path));
    if (o->nwords && strcmp(o->words[0], "-") != 0) return run_file(A, o);
    return run_stdin(A, o);
}

/* What was printed must have arrived. */
static int flush_output(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "arr: cannot write to standard output: %s\n", strerror(errno));
    return status ? status : 1;
}

/* A standard stream that is closed stays unusable: no file that is opened later takes its place. */
static void keep_streams(void) {
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd) _exit(1);
    }
}

int main(int argc, char **argv) {
    keep_streams();
    if (argc == 2 && strcmp(argv[1], "--rtc-helper") == 0) return rtc_helper_main();
    Options o = {.history = true};
    arr_state *A = NULL;
    int status = parse_options(&o, argc, argv);
    if (status >= 0) return status;
    bool prompt = !o.code && !o.nwords && isatty(STDIN_FILENO);
    if (!signals_start(prompt)) {
        fprintf(stderr, "arr: cannot start: %s\n", strerror(errno));
        return 1;
    }
    signal(SIGXFSZ, SIG_IGN); /* a file past the limit is an error of save */
    status = open_state(&o, &A);
    if (A && status == 0) status = run(A, &o, prompt);
    if (A && o.profile) show_profile(A);
    arr_close(A);
    status = flush_output(status);
    int taken = signals_taken();
    if (taken == SIGTERM || (taken && !prompt)) signals_die(taken);
    return status;
}
