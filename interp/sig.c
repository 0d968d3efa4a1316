/* sig - signature text to parameters, and the table of those parsed so far.
 *
 * Callers: call.c, help. Invariant: a signature is parsed once a state; defaults are literals, so
 * they are evaluated here and borrowed by every call. The text is ours, so a mistake in it is an
 * internal error, not a user's. */
#include "interp/sig.h"
#include "runtime/base/numtext.h"

#include <math.h>
#include <string.h>

typedef struct Scan {
    State *A;
    const char *p;
} Scan;

static void skip_blanks(Scan *s) {
    while (*s->p == ' ') s->p++;
}

static size_t word_length(const char *p) {
    size_t n = 0;
    while (p[n] == '_' || (p[n] >= '0' && p[n] <= '9') || (p[n] >= 'a' && p[n] <= 'z') ||
           (p[n] >= 'A' && p[n] <= 'Z')) {
        n++;
    }
    return n;
}

static bool word_is(const char *p, size_t n, const char *word) {
    return strlen(word) == n && memcmp(p, word, n) == 0;
}

/* "text" with the escapes \n \t \\ \". */
static Status scan_string(Scan *s, Value *out) {
    char text[64];
    size_t n = 0;
    for (s->p++; *s->p && *s->p != '"' && n < sizeof text; s->p++) {
        char c = *s->p;
        if (c == '\\') {
            c = *++s->p;
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        text[n++] = c;
    }
    if (*s->p != '"') return ARR_ERR_INTERNAL;
    s->p++;
    return value_str(s->A, text, n, out);
}

static Status scan_word(Scan *s, size_t n, Value *out) {
    DType d;
    const char *p = s->p;
    s->p += n;
    if (word_is(p, n, "none"))
        *out = VALUE_NONE;
    else if (word_is(p, n, "true"))
        *out = value_bool(true);
    else if (word_is(p, n, "false"))
        *out = value_bool(false);
    else if (word_is(p, n, "inf"))
        *out = value_float(INFINITY);
    else if (word_is(p, n, "nan"))
        *out = value_float(NAN);
    else if (word_is(p, n, "pi"))
        *out = value_float(3.141592653589793);
    else if (dtype_find(p, n, &d))
        *out = value_dtype(d);
    else
        return ARR_ERR_INTERNAL;
    return ARR_OK;
}

static Status scan_number(Scan *s, Value *out) {
    bool minus = *s->p == '-';
    if (minus) s->p++;
    bool infinite = strncmp(s->p, "inf", 3) == 0;
    size_t n = infinite ? 3 : numtext_scan_f64(s->p, strlen(s->p), &(double){0});
    double d = INFINITY;
    int64_t i;
    if (n == 0) return ARR_ERR_INTERNAL;
    if (!infinite && numtext_parse_i64(s->p, n, &i) == NUM_OK) {
        *out = value_int(minus ? -i : i);
    } else {
        if (!infinite) numtext_scan_f64(s->p, n, &d);
        *out = value_float(minus ? -d : d);
    }
    s->p += n;
    return ARR_OK;
}

static Status scan_literal(Scan *s, Value *out) {
    if (*s->p == '"') return scan_string(s, out);
    if (s->p[0] == '(' && s->p[1] == ')') {
        s->p += 2;
        return value_tuple(s->A, 0, out);
    }
    if (*s->p == '-' || *s->p == '.' || (*s->p >= '0' && *s->p <= '9')) return scan_number(s, out);
    return scan_word(s, word_length(s->p), out);
}

static Status scan_param(Scan *s, SigParam *out) {
    size_t n = word_length(s->p);
    if (n == 0) return ARR_ERR_INTERNAL;
    *out = (SigParam){.name = symbol_intern(s->A, s->p, n)};
    if (out->name < 0) return ARR_ERR_MEMORY;
    s->p += n;
    if (strncmp(s->p, "...", 3) == 0) {
        out->kind = SIG_REST;
        s->p += 3;
    } else if (strncmp(s->p, "=...", 4) == 0) {
        out->kind = SIG_NAMED;
        s->p += 4;
    } else if (*s->p == '=') {
        s->p++;
        if (*s->p == ',' || *s->p == ')') {
            out->kind = SIG_OPTIONAL;
        } else {
            out->kind = SIG_DEFAULT;
            return scan_literal(s, &out->value);
        }
    }
    return ARR_OK;
}

static Status parse(State *A, const char *text, Sig *sig) {
    Scan s = {A, text};
    size_t n = word_length(text);
    sig->name = symbol_intern(A, text, n);
    sig->rest = sig->named = -1;
    sig->npositional = -1;
    if (sig->name < 0) return ARR_ERR_MEMORY;
    s.p += n;
    if (*s.p++ != '(') return ARR_ERR_INTERNAL;
    for (skip_blanks(&s); *s.p != ')'; skip_blanks(&s)) {
        if (sig->n == BUILTIN_MAX_PARAMS) return ARR_ERR_INTERNAL;
        SigParam *p = &sig->params[sig->n];
        TRY(scan_param(&s, p));
        if (p->kind == SIG_REST) sig->rest = sig->n;
        if (p->kind == SIG_NAMED) sig->named = sig->n;
        if ((p->kind == SIG_REST || p->kind == SIG_NAMED) && sig->npositional < 0) {
            sig->npositional = sig->n;
        }
        sig->n++;
        if (p->kind == SIG_NEEDED) sig->nneeded = sig->n;
        skip_blanks(&s);
        if (*s.p == ',')
            s.p++;
        else if (*s.p != ')')
            return ARR_ERR_INTERNAL;
    }
    if (s.p[1]) return ARR_ERR_INTERNAL;
    if (sig->npositional < 0) sig->npositional = sig->n;
    return ARR_OK;
}

void sig_free(State *A, Sig *sig) {
    for (int i = 0; i < sig->n; i++) value_release(A, sig->params[i].value);
    mem_free(&A->cx.mem, sig, sizeof *sig);
}

Status sig_parse(State *A, const char *text, Sig **out) {
    Sig *sig = mem_zalloc(&A->cx.mem, sizeof *sig);
    if (!sig) return error_memory(&A->cx, sizeof *sig);
    Status st = parse(A, text, sig);
    if (st == ARR_ERR_INTERNAL) {
        st = error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE,
                       "the signature '%s' is not of the form name(a, b=1, rest...), with at most "
                       "%d parameters and literals as defaults",
                       text, BUILTIN_MAX_PARAMS);
    }
    if (st == ARR_OK)
        *out = sig;
    else
        sig_free(A, sig);
    return st;
}

static uint32_t place(const State *A, const BuiltinDef *def) {
    return (uint32_t)((uintptr_t)def / sizeof *def * 2654435769u) & (uint32_t)(A->sigs_cap - 1);
}

static bool grow(State *A) {
    int32_t old_cap = A->sigs_cap, cap = old_cap ? old_cap * 2 : 64;
    SigEntry *old = A->sigs, *t = mem_zalloc(&A->cx.mem, (size_t)cap * sizeof *t);
    if (!t) return false;
    A->sigs = t;
    A->sigs_cap = cap;
    for (int32_t k = 0; k < old_cap; k++) {
        if (!old[k].def) continue;
        uint32_t i = place(A, old[k].def);
        while (t[i].def) i = (i + 1) & (uint32_t)(cap - 1);
        t[i] = old[k];
    }
    mem_free(&A->cx.mem, old, (size_t)old_cap * sizeof *old);
    return true;
}

const Sig *sig_of(State *A, const BuiltinDef *def) {
    uint32_t i = 0;
    if (A->sigs_cap) {
        for (i = place(A, def); A->sigs[i].def; i = (i + 1) & (uint32_t)(A->sigs_cap - 1)) {
            if (A->sigs[i].def == def) return A->sigs[i].sig;
        }
    }
    Sig *sig = mem_zalloc(&A->cx.mem, sizeof *sig);
    if (!sig || ((A->nsigs + 1) * 2 > A->sigs_cap && !grow(A))) {
        mem_free(&A->cx.mem, sig, sizeof *sig);
        error_memory(&A->cx, sizeof *sig);
        return NULL;
    }
    Status st = parse(A, def->sig, sig);
    if (st != ARR_OK) {
        error_set(&A->cx, st, SPAN_NONE, "a builtin's signature is wrong: %s", def->sig);
        sig_free(A, sig);
        return NULL;
    }
    i = place(A, def);
    while (A->sigs[i].def) i = (i + 1) & (uint32_t)(A->sigs_cap - 1);
    A->sigs[i] = (SigEntry){def, sig};
    A->nsigs++;
    return sig;
}

void sigs_free(State *A) {
    for (int32_t i = 0; i < A->sigs_cap; i++) {
        if (A->sigs[i].def) sig_free(A, A->sigs[i].sig);
    }
    mem_free(&A->cx.mem, A->sigs, (size_t)A->sigs_cap * sizeof *A->sigs);
    A->sigs = NULL;
    A->nsigs = A->sigs_cap = 0;
}
