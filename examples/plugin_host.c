/* A host that runs plugins which others wrote: each in a state of its own with limits, with two
 * functions of the host to call and no files. Whatever a plugin does, the host gets a status.
 *
 *     plugin_host [PLUGIN.arr...]      without: seven plugins of its own, most of them hostile
 *
 * prints: good: score 42.5
 * prints: endless: limit: took too long
 * prints: greedy: limit: wanted too much memory
 * prints: deep: limit: calls nest too deep
 * prints: curious: limit: looked for files
 * prints: loud: limit: printed too much
 * prints: broken: name: unknown name 'scroe': did you mean 'score'?
 * prints: modest: score 7.0 */
#include <arr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Plugin {
    const char *name, *text;
    double score;
} Plugin;

static arr_status score(arr_state *A, void *user, size_t nargs, const arr_value *const *args,
                        arr_value **out) {
    Plugin *p = user;
    (void)nargs, (void)out;
    arr_status st = arr_value_as_float(args[0], &p->score); /* computes it: a limit may end that */
    return st == ARR_ERR_TYPE ? arr_fail(A, st, "score(x) takes one number") : st;
}

static arr_status samples(arr_state *A, void *user, size_t nargs, const arr_value *const *args,
                          arr_value **out) {
    static const double data[] = {40, 41, 42, 43, 44, 45};
    arr_view v = ARR_VIEW_INIT;
    (void)user, (void)nargs, (void)args;
    v.data = (void *)(size_t)data, v.dtype = ARR_F64, v.rank = 1, v.shape = (int64_t[]){6};
    return arr_value_array_wrap(A, &v, NULL, NULL, out);
}

/* Which limit it was: the message says it in words. */
static const char *in_short(arr_status st, const char *message) {
    static const struct {
        const char *word, *text;
    } known[] = {{"time", "took too long"},
                 {"memory", "wanted too much memory"},
                 {"recursion", "calls nest too deep"},
                 {"file", "looked for files"},
                 {"output", "printed too much"}};
    for (size_t i = 0; st == ARR_ERR_LIMIT && i < sizeof known / sizeof *known; i++)
        if (strstr(message, known[i].word)) return known[i].text;
    return message;
}

static void run(Plugin *p) {
    arr_limits limits = ARR_LIMITS_INIT;
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    limits.seconds = 0.5;
    limits.host_bytes = 64 << 20;
    limits.recursion = 100;
    limits.output_bytes = 10000;
    limits.files = ARR_FILES_NONE;
    config.limits = &limits;
    config.threads = 1;
    arr_function tell = {.size = sizeof tell,
                         .signature = "score(x)",
                         .doc = "Tells the host the plugin's score, one number.",
                         .fn = score,
                         .user = p};
    arr_function data = {.size = sizeof data,
                         .signature = "samples()",
                         .doc = "The samples to be judged: f64, one axis.",
                         .fn = samples};
    arr_status st = arr_open(&config, &A);
    if (st == ARR_OK) st = arr_define_function(A, &tell);
    if (st == ARR_OK) st = arr_define_function(A, &data);
    if (st == ARR_OK) st = arr_eval(A, p->text, p->name);
    if (st == ARR_OK)
        printf("%s: score %.1f\n", p->name, p->score);
    else
        printf("%s: %s: %s\n", p->name, arr_status_name(st), in_short(st, arr_error_message(A)));
    arr_close(A);
}

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = f ? calloc(1, 1 << 20) : NULL;
    if (text && fread(text, 1, (1 << 20) - 1, f) == 0) perror(path);
    if (f) fclose(f);
    return text;
}

int main(int argc, char **argv) {
    Plugin own[] = {
        {"good", "score(mean(samples()))", 0},
        {"endless", "x = ones(1000)\nwhile true { try { x = x * 1.0001 } catch err { } }", 0},
        {"greedy", "x = eval(rand(10 ** 9))\nscore(sum(x))", 0},
        {"deep", "fn f(n) = f(n + 1) + 1\nscore(f(0))", 0},
        {"curious", "score(sum(bytes(load(\"/etc/passwd\", u8, 100))))", 0},
        {"loud", "while true { print(\"a plugin that never stops talking\") }", 0},
        {"broken", "scroe(1)", 0},
        {"modest", "score(7)", 0},
    };
    for (size_t i = 0; argc == 1 && i < sizeof own / sizeof *own; i++) run(&own[i]);
    for (int i = 1; i < argc; i++) {
        Plugin p = {argv[i], read_file(argv[i]), 0};
        if (p.text) run(&p);
        free((char *)(size_t)p.text);
    }
    return 0;
}
