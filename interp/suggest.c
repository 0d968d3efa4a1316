/* suggest - the word that was meant: near names, and Arr's words for NumPy's and Python's.
 *
 * Callers: messages about unknown names, fields and parameters. Invariant: nothing is suggested
 * unless it is likely a slip, since a wrong hint is worse than none. */
#include "interp/env.h"
#include "interp/state.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *word, *arr;
} foreign[] = {
#define SUGGEST(word, arr) {word, arr},
#include "interp/suggest.def"
#undef SUGGEST
};

const char *suggest_foreign(const char *word) {
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        if (strcmp(foreign[i].word, word) == 0) return foreign[i].arr;
    }
    return NULL;
}

enum { WORD_MAX = 48 };

static int min3(int a, int b, int c) {
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Optimal string alignment, three rows. */
int suggest_distance(const char *a, const char *b, int limit) {
    int n = (int)strlen(a), m = (int)strlen(b);
    int gap = n > m ? n - m : m - n;
    if (gap > limit || n > WORD_MAX || m > WORD_MAX) return limit + 1;
    int rows[3][WORD_MAX + 1];
    for (int j = 0; j <= m; j++) rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            row[j] = min3(up[j] + 1, row[j - 1] + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && up2[j - 2] + 1 < row[j]) row[j] = up2[j - 2] + 1;
        }
    }
    int d = rows[n % 3][m];
    return d > limit ? limit + 1 : d;
}

/* Slips allowed in a word of this length. */
static int slips(const char *word) {
    size_t n = strlen(word);
    return n <= 2 ? 0 : n <= 5 ? 1 : 2;
}

/* The same but for capitals counts as one slip. */
static int slip_distance(const char *word, const char *candidate, int limit) {
    bool same = strcasecmp(word, candidate) == 0 && strcmp(word, candidate) != 0;
    return same && limit >= 1 ? 1 : suggest_distance(word, candidate, limit);
}

/* Keep the nearer of two candidates. */
static void consider(const char *word, const char *candidate, int *best, char out[NAME_TEXT]) {
    int d = slip_distance(word, candidate, *best - 1);
    if (d >= *best || d == 0) return;
    *best = d;
    size_t n = strlen(candidate);
    if (n >= NAME_TEXT) n = NAME_TEXT - 1;
    memcpy(out, candidate, n);
    out[n] = '\0';
}

const char *suggest_word(const char *word, const char *const *words, size_t n) {
    int best = slips(word) + 1;
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        int d = slip_distance(word, words[i], best - 1);
        if (d >= best || d == 0) continue;
        best = d;
        found = words[i];
    }
    return found;
}

/* Parameters under the names that other libraries give them. */
static const char *const params_elsewhere[][2] = {
    {"dim", "axis"},
    {"dims", "axis"},
    {"axes", "axis"},
    {"keepdim", "keepdims"},
    {"reverse", "descending"},
    {"correction", "ddof"},
    {"unbiased", "ddof"},
    {"n", "shape"},
    {"size", "shape"},
    {"p", "ord"},
    {"a", "x"},
    {"x", "a"},
    {"input", "x"},
    {"other", "b"},
    {"num", "n"},
    {"low", "lo"},
    {"high", "hi"},
    {"separator", "sep"},
    {"delimiter", "sep"},
    {"fmt", "spec"},
    {"default", "base"},
    {"repeats", "n"},
    {"reps", "n"},
    {"shift", "n"},
};

const char *suggest_param(const char *word, const char *const *params, size_t n) {
    const char *near = suggest_word(word, params, n);
    for (size_t k = 0; k < sizeof params_elsewhere / sizeof *params_elsewhere && !near; k++) {
        if (strcmp(params_elsewhere[k][0], word) != 0) continue;
        for (size_t i = 0; i < n && !near; i++) {
            if (strcmp(params[i], params_elsewhere[k][1]) == 0) near = params[i];
        }
    }
    return near;
}

bool suggest_name(State *A, const char *word, char out[NAME_TEXT]) {
    int best = slips(word) + 1, start = best;
    const Frame *f = A->frame;
    for (int32_t i = 0; f && f->fn && i < f->fn->nslots; i++) {
        consider(word, symbol_text(A, f->fn->slots[i].name), &best, out);
    }
    const Module *m = f ? f->module : A->main;
    for (int32_t i = 0; i < m->n; i++) {
        if (m->vars[i].value.kind == V_UNSET) continue;
        consider(word, symbol_text(A, m->vars[i].name), &best, out);
    }
    char name[NAME_TEXT];
    for (size_t i = 0; env_base_name(i, name); i++) consider(word, name, &best, out);
    return best < start;
}

/* Functions of the language that are still to be written: no other name is meant. */
static bool comes_later(const char *name) {
    static const char *const later[] = {
        "det",      "slogdet", "inv",      "solve",    "solve_triangular",
        "lu",       "lstsq",   "qr",       "svd",      "solve_tridiagonal",
        "svdvals",  "eigh",    "eigvalsh", "eig",      "matrix_rank",
        "cholesky", "pinv",    "expm",     "cond",     "fftshift",
        "fft",      "ifft",    "rfft",     "irfft",    "ifftshift",
        "fft2",     "ifft2",   "rfft2",    "irfft2",   "fftn",
        "ifftn",    "fftfreq", "rfftfreq", "convolve", "correlate",
        "conv2d",   "hann",    "hamming",  "blackman",
    };
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(name, later[i]) == 0) return true;
    return false;
}

Status report_unknown_name(State *A, Span at, const char *name) {
    char near[NAME_TEXT];
    if (comes_later(name)) {
        return error_set(&A->cx, ARR_ERR_NAME, at, "unknown name '%s': this version has no %s yet",
                         name, name);
    }
    const char *arr = suggest_foreign(name);
    if (arr) {
        return error_set(&A->cx, ARR_ERR_NAME, at, "unknown name '%s': write %s", name, arr);
    }
    if (suggest_name(A, name, near)) {
        return error_set(&A->cx, ARR_ERR_NAME, at, "unknown name '%s': did you mean '%s'?", name,
                         near);
    }
    return error_set(&A->cx, ARR_ERR_NAME, at, "unknown name '%s'", name);
}
