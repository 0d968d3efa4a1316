/* opts - one table of switches, one parser (see opts.h).
 *
 * Callers: main.c (environment), the prompt's :set, arr_open (arr_config.switches). A switch is set
 * whole or not at all: a bad value leaves the options as they were. */
#include "runtime/base/opts.h"

#include <string.h>

typedef enum SwitchKind {
    SW_TEXT,
    SW_FLAG,
    SW_INT,
    SW_COUNT,
    SW_DUMP,
    SW_DEVICE,
    SW_FLOAT,
    SW_PRECISION
} SwitchKind;

typedef struct Switch {
    const char *name, *help;
    SwitchKind kind;
    size_t at, size; /* of the field in Opts */
} Switch;

#define FIELD(f) offsetof(Opts, f), sizeof(((Opts *)0)->f)

static const Switch switches[] = {
    {"device", "cpu, cuda, cuda:N or auto", SW_DEVICE, FIELD(device)},
    {"threads", "CPU worker threads, 0: all cores", SW_INT, FIELD(threads)},
    {"dump", "stages to show: tokens,ast,graph,plan,program,cuda,alloc,time", SW_DUMP, FIELD(dump)},
    {"dump_dir", "folder that dumps are written to", SW_TEXT, FIELD(dump_dir)},
    {"fuse", "0: every operation its own kernel", SW_FLAG, FIELD(fuse)},
    {"verify", "1: check every kernel program before it runs", SW_FLAG, FIELD(verify)},
    {"sync", "1: wait after every launch", SW_FLAG, FIELD(sync)},
    {"streams", "independent GPU work overlaps: 0 where worth it, 1 never, 2 always", SW_INT,
     FIELD(streams)},
    {"profile", "1: count and time every kernel and library call", SW_FLAG, FIELD(profile)},
    {"float", "default float of programs: f32 or f64", SW_FLOAT, FIELD(float32)},
    {"matmul_precision", "of f32 products on a GPU: highest, high or medium", SW_PRECISION,
     FIELD(precision)},
    {"inprocess", "1: compile kernels in this process", SW_FLAG, FIELD(inprocess)},
    {"cache_dir", "folder of compiled kernels, empty: memory only", SW_TEXT, FIELD(cache_dir)},
    {"cuda_path", "the CUDA Toolkit's folder, empty: usual places", SW_TEXT, FIELD(cuda_path)},
    {"lib_path", "the folder of libarr_cub.so, empty: beside arr and the loader's", SW_TEXT,
     FIELD(lib_path)},
    {"fail_alloc", "the n-th allocation fails, 0: none", SW_COUNT, FIELD(fail_alloc)},
};

static const struct {
    const char *name;
    unsigned bit;
} dumps[] = {
    {"tokens", DUMP_TOKENS},   {"ast", DUMP_AST},   {"graph", DUMP_GRAPH}, {"plan", DUMP_PLAN},
    {"program", DUMP_PROGRAM}, {"cuda", DUMP_CUDA}, {"alloc", DUMP_ALLOC}, {"time", DUMP_TIME},
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

void opts_init(Opts *o) {
    memset(o, 0, sizeof *o);
    strcpy(o->device, "auto");
    o->fuse = 1;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Is the n-byte word a the name b, whatever a's case? */
static int same(const char *a, size_t n, const char *b) {
    if (strlen(b) != n) return 0;
    for (size_t i = 0; i < n; i++)
        if (lower(a[i]) != b[i]) return 0;
    return 1;
}

static int parse_int(const char *s, int64_t max, int64_t *out) {
    int64_t v = 0;
    if (!*s) return 0;
    for (; *s; s++) {
        if (*s < '0' || *s > '9' || v > (max - (*s - '0')) / 10) return 0;
        v = v * 10 + (*s - '0');
    }
    *out = v;
    return 1;
}

static int parse_flag(const char *s, int *out) {
    static const char *const words[] = {"0", "1", "false", "true", "off", "on", "no", "yes"};
    for (size_t i = 0; i < COUNT(words); i++)
        if (same(s, strlen(s), words[i])) return *out = i % 2, 1;
    return 0;
}

static int parse_dump(const char *s, unsigned *out) {
    unsigned bits = 0;
    if (strcmp(s, "0") == 0) s = "";
    while (*s) {
        size_t n = strcspn(s, ","), i = 0;
        while (i < COUNT(dumps) && !same(s, n, dumps[i].name)) i++;
        if (i == COUNT(dumps) && !same(s, n, "all")) return 0;
        bits |= i < COUNT(dumps) ? dumps[i].bit : DUMP_TIME * 2 - 1;
        s += n;
        if (*s == ',') s++;
    }
    *out = bits;
    return 1;
}

static int parse_device(const char *s) {
    int64_t n;
    if (strncmp(s, "cuda:", 5) == 0) return parse_int(s + 5, 1023, &n);
    return strcmp(s, "cpu") == 0 || strcmp(s, "cuda") == 0 || strcmp(s, "auto") == 0;
}

const char *opts_precision_name(int precision) {
    static const char *const words[] = {"highest", "high", "medium"};
    return precision >= 0 && precision < (int)COUNT(words) ? words[precision] : NULL;
}

static int parse_precision(const char *s, int *out) {
    const char *word;
    for (int i = 0; (word = opts_precision_name(i)); i++)
        if (same(s, strlen(s), word)) return *out = i, 1;
    return 0;
}

int opts_set(Opts *o, const char *name, const char *value) {
    const Switch *sw = NULL;
    for (size_t i = 0; i < COUNT(switches); i++)
        if (same(name, strlen(name), switches[i].name)) sw = &switches[i];
    if (!sw) return 0;
    char *field = (char *)o + sw->at;
    int64_t v;
    switch (sw->kind) {
    case SW_FLAG: return parse_flag(value, (int *)field);
    case SW_DUMP: return parse_dump(value, (unsigned *)field);
    case SW_INT:
        if (!parse_int(value, 4096, &v)) return 0;
        *(int *)field = (int)v;
        return 1;
    case SW_FLOAT:
        if (strcmp(value, "f32") != 0 && strcmp(value, "f64") != 0) return 0;
        *(int *)field = strcmp(value, "f32") == 0;
        return 1;
    case SW_PRECISION: return parse_precision(value, (int *)field);
    case SW_COUNT: return parse_int(value, INT64_MAX, (int64_t *)field);
    case SW_DEVICE:
        if (!parse_device(value)) return 0;
        break;
    case SW_TEXT: break;
    }
    if (strlen(value) >= sw->size) return 0;
    strcpy(field, value);
    return 1;
}

const char *opts_name(size_t i, const char **help) {
    if (i >= COUNT(switches)) return NULL;
    if (help) *help = switches[i].help;
    return switches[i].name;
}
