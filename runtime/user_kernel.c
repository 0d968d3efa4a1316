/* user_kernel - see user_kernel.h. The source is read as text: comments are skipped, the kernel is
 * the name before a parenthesis after __global__, and a parameter's type is what stands before its
 * name. What cannot be read so (a typedef's name, a struct) is taken as it is given. */
#include "runtime/user_kernel.h"
#include "runtime/exec.h"
#include "runtime/place.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- reading the source ---- */

/* Past blanks and comments. */
static const char *skip(const char *p) {
    for (;;) {
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (p[0] == '/' && p[1] == '/') {
            while (*p && *p != '\n') p++;
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else {
            return p;
        }
    }
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The next token's length: a word (a number with its separators), a string or character, a line
 * for the preprocessor, or one character. */
static size_t token(const char *p) {
    bool number = isdigit((unsigned char)*p);
    size_t n = 0;
    if (*p == '"' || *p == '\'') {
        for (n = 1; p[n] && p[n] != *p && p[n] != '\n'; n++) n += p[n] == '\\' && p[n + 1];
        return n + (p[n] == *p);
    }
    if (*p == '#') {
        while (p[n] && p[n] != '\n') n += p[n] == '\\' && p[n + 1] ? 2 : 1;
        return n;
    }
    while (is_word(p[n]) || (number && p[n] == '\'' && is_word(p[n + 1]))) n++;
    return n ? n : *p != 0;
}

static bool token_is(const char *p, size_t n, const char *word) {
    return strlen(word) == n && memcmp(p, word, n) == 0;
}

/* Past what stands in parentheses, p at the opening one; NULL: it does not close. */
static const char *past_group(const char *p) {
    int depth = 0;
    for (p = skip(p); *p; p = skip(p + token(p))) {
        depth += *p == '(';
        depth -= *p == ')';
        if (depth == 0) return p + 1;
    }
    return NULL;
}

/* Where in a source: the declaration so far, and the blocks round it. */
typedef struct Reading {
    const char *global; /* __global__ in this declaration */
    int depth, c_depth; /* open braces; those round the outermost open extern "C" {, or -1 */
    enum { PLAIN, EXTERN, EXTERN_C, DECLARED_C } linkage; /* in this declaration */
} Reading;

static void read_token(Reading *r, const char *p, size_t n) {
    if (*p == '{') {
        if (r->linkage == EXTERN_C && r->c_depth < 0) r->c_depth = r->depth;
        r->depth++;
    }
    if (*p == '}') {
        r->depth--;
        if (r->depth <= r->c_depth) r->c_depth = -1;
    }
    if (*p == ';' || *p == '{' || *p == '}') {
        r->global = NULL;
        r->linkage = PLAIN;
    } else if (token_is(p, n, "extern")) {
        r->linkage = EXTERN;
    } else if (r->linkage == EXTERN && token_is(p, n, "\"C\"")) {
        r->linkage = EXTERN_C;
    } else if (r->linkage != PLAIN) { /* more stands between: what is declared, not a block */
        r->linkage = r->linkage == EXTERN ? PLAIN : DECLARED_C;
    }
    if (token_is(p, n, "__global__")) r->global = p;
}

/* The opening parenthesis of the kernel's parameters; fills in where its __global__ stands. */
static const char *find_kernel(const char *source, const char *name, UserSignature *out) {
    Reading r = {.c_depth = -1};
    for (const char *p = skip(source); *p; p = skip(p + token(p))) {
        size_t n = token(p);
        read_token(&r, p, n);
        if (!r.global || !token_is(p, n, name) || *skip(p + n) != '(') continue;
        out->at = (size_t)(r.global - source);
        out->as_c = r.c_depth >= 0 || r.linkage == DECLARED_C;
        return skip(p + n);
    }
    return NULL;
}

static const struct {
    const char *type;
    DType dtype;
} types[] = {
    {"bool", DT_bool},
    {"char", DT_i8},
    {"signed char", DT_i8},
    {"unsigned char", DT_u8},
    {"short", DT_i16},
    {"unsigned short", DT_u16},
    {"int", DT_i32},
    {"unsigned int", DT_u32},
    {"unsigned", DT_u32},
    {"long", DT_i64},
    {"unsigned long", DT_u64},
    {"long long", DT_i64},
    {"long long int", DT_i64},
    {"unsigned long long", DT_u64},
    {"size_t", DT_u64},
    {"float", DT_f32},
    {"double", DT_f64},
    {"long int", DT_i64},
    {"unsigned long long int", DT_u64},
};

static void add_word(char *type, const char *p, size_t n) {
    size_t have = strlen(type);
    if (have + n + 2 > USER_TYPE) return;
    if (have) type[have++] = ' ';
    memcpy(type + have, p, n);
    type[have + n] = '\0';
}

/* The words of one parameter; the last is its name where there are two or more and the one before
 * it can end a type. */
static void read_param(const char *p, const char *end, UserParam *out) {
    const char *word[16];
    size_t length[16];
    int n = 0;
    memset(out, 0, sizeof *out);
    out->dtype = DT_COUNT;
    for (p = skip(p); p < end; p = skip(p + token(p))) {
        size_t len = token(p);
        if (*p == '*' || *p == '[') out->pointer = true;
        if (!is_word(*p)) {
            if (*p == '[') break;
            continue;
        }
        if (token_is(p, len, "const")) {
            out->constant |= !out->pointer; /* of what it points to */
            continue;
        }
        if (token_is(p, len, "__restrict__") || token_is(p, len, "restrict")) continue;
        if (n < 16) word[n] = p, length[n++] = len;
    }
    static const char *const kinds[] = {"unsigned", "signed", "char", "short", "int",    "long",
                                        "float",    "double", "bool", "void",  "size_t", "struct"};
    bool type_word = false;
    for (size_t i = 0; n > 0 && i < sizeof kinds / sizeof *kinds; i++)
        type_word |= token_is(word[n - 1], length[n - 1], kinds[i]);
    int words = n > 1 && !type_word ? n - 1 : n;
    if (words < n && length[n - 1] < USER_NAME) memcpy(out->name, word[n - 1], length[n - 1]);
    for (int i = 0; i < words; i++) add_word(out->type, word[i], length[i]);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].type, out->type) == 0) out->dtype = types[i].dtype;
}

static bool read_params(const char *open, UserSignature *out) {
    const char *close = past_group(open), *begin = open + 1;
    int depth = 0;
    if (!close) return false;
    close--;
    if (skip(begin) == close) return true;
    for (const char *p = begin; p <= close && out->n < USER_PARAMS; p = skip(p + token(p))) {
        depth += *p == '(' || *p == '<' || *p == '[';
        depth -= (*p == ')' && p < close) || *p == '>' || *p == ']';
        if (p < close && (*p != ',' || depth > 0)) continue;
        read_param(begin, p, &out->param[out->n++]);
        begin = p + 1;
        if (p == close) return true;
    }
    return false;
}

bool user_signature(const char *source, const char *name, UserSignature *out, char why[160]) {
    memset(out, 0, sizeof *out);
    const char *open = find_kernel(source, name, out);
    if (!open) {
        snprintf(why, 160, "the source has no __global__ function %.64s", name);
        return false;
    }
    if (!read_params(open, out)) {
        snprintf(why, 160, "the parameters of %.64s cannot be read, or are more than %d", name,
                 USER_PARAMS);
        return false;
    }
    return true;
}

/* ---- running ---- */

static Status input_pointer(Runtime *rt, Device *d, Node *n, Array **out) {
    Array *a;
    TRY(exec_force(rt, &n, 1));
    TRY(place_value(rt, n, d, &a));
    return place_contiguous(rt, a, d, out);
}

typedef struct Launch {
    Array *in[USER_PARAMS], *out[USER_PARAMS];
    void *pointer[USER_PARAMS];
    void *params[USER_PARAMS];
} Launch;

static Status collect(Runtime *rt, Device *d, const UserCall *call, Launch *l) {
    for (int i = 0; i < call->ninput; i++) {
        l->params[i] = (void *)(uintptr_t)call->input[i].bytes;
        if (!call->input[i].node) continue;
        TRY(input_pointer(rt, d, call->input[i].node, &l->in[i]));
        const Array *a = l->in[i];
        l->pointer[i] = (char *)a->buf->ptr + (size_t)a->offset * dtype_size(a->dtype);
        l->params[i] = &l->pointer[i];
    }
    for (int k = 0; k < call->noutput; k++) {
        int i = call->ninput + k;
        TRY(array_new(rt->cx, d, call->dtype[k], &call->shape[k], &l->out[k]));
        l->pointer[i] = l->out[k]->buf->ptr;
        l->params[i] = &l->pointer[i];
        size_t bytes = (size_t)array_size(l->out[k]) * dtype_size(call->dtype[k]);
        if (bytes) TRY(d->ops->zero(d, l->pointer[i], bytes));
    }
    return ARR_OK;
}

static Status launch(Runtime *rt, Device *d, const UserCall *call, Launch *l) {
    DevLaunch how = {{(unsigned)call->grid[0], (unsigned)call->grid[1], (unsigned)call->grid[2]},
                     {(unsigned)call->block[0], (unsigned)call->block[1], (unsigned)call->block[2]},
                     (unsigned)call->shared,
                     l->params,
                     false};
    TRY(collect(rt, d, call, l));
    if (call->grid[0] * call->grid[1] * call->grid[2] == 0) return ARR_OK;
    return kernel_user(rt->kernels, d, call->source, call->name, &how);
}

Status user_run(Runtime *rt, const UserCall *call, Node **out) {
    Device *d;
    Launch *l;
    memset(out, 0, (size_t)call->noutput * sizeof *out);
    if (rt->place == PLACE_CPU)
        return error_set(rt->cx, ARR_ERR_DEVICE, rt->cx->span,
                         "%s is CUDA and needs a GPU, and this program runs on the CPU",
                         call->name);
    TRY(place_cuda(rt, &d));
    l = mem_zalloc(&rt->cx->mem, sizeof *l);
    if (!l) return error_memory(rt->cx, sizeof *l);
    Status s = launch(rt, d, call, l);
    for (int k = 0; k < call->noutput && s == ARR_OK; k++) {
        s = graph_leaf(rt, l->out[k], &out[k]);
        l->out[k] = NULL;
    }
    for (int i = 0; i < USER_PARAMS; i++) {
        if (l->in[i]) array_release(rt->cx, l->in[i]);
        if (l->out[i]) array_release(rt->cx, l->out[i]);
        if (s != ARR_OK && i < call->noutput) {
            node_release(rt, out[i]);
            out[i] = NULL;
        }
    }
    mem_free(&rt->cx->mem, l, sizeof *l);
    return s;
}
