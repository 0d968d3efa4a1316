/* emit_pick - which helpers a kernel needs: the compiler's time grows with what it reads.
 *
 * Callers: emit_cuda.c. The library is plain C++ at namespace level: functions, templates, structs
 * and typedefs, comments between them, no macros (kernels/scalar.h is embedded preprocessed). A
 * definition's name is the word before its first parenthesis, brace or bracket, or before the end
 * of a typedef; overloads share one and are taken together.
 * Invariant: what is picked compiles by itself, in the library's order. */
#include "kernels/emit_cuda.h"

#include <ctype.h>
#include <string.h>

typedef struct Word {
    const char *p;
    size_t n;
} Word;

typedef struct Def {
    Word name, text;
    bool wanted, followed;
} Def;

typedef struct Library {
    Def *def;
    int n, cap;
} Library;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool same(Word a, Word b) { return a.n == b.n && memcmp(a.p, b.p, a.n) == 0; }

static bool is(Word a, const char *s) { return a.n == strlen(s) && memcmp(a.p, s, a.n) == 0; }

/* Past blanks, comments and preprocessor lines (line markers). */
static const char *skip(const char *p, const char *end) {
    while (p < end) {
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (*p == '#') {
            while (p < end && *p != '\n') p++;
        } else if (end - p > 1 && p[0] == '/' && p[1] == '*') {
            for (p += 2; end - p > 1 && !(p[0] == '*' && p[1] == '/');) p++;
            p += 2;
        } else {
            break;
        }
    }
    return p;
}

static const char *next_word(const char *p, const char *end, Word *w) {
    while (p < end && !is_word(*p)) p++;
    w->p = p;
    while (p < end && is_word(*p)) p++;
    w->n = (size_t)(p - w->p);
    return p;
}

/* The definition that begins at p ends at the semicolon or the closing brace of its level; a
 * struct's brace is followed by its semicolon. */
static const char *definition_end(const char *p, const char *end) {
    int depth = 0;
    bool body = false;
    for (; p < end; p++) {
        if (*p == '{') depth++, body = true;
        if (*p == '}') depth--;
        if (depth == 0 && *p == ';') return p + 1;
        if (depth == 0 && *p == '}' && body) {
            const char *q = skip(p + 1, end);
            return q < end && *q == ';' ? q + 1 : p + 1;
        }
    }
    return end;
}

static Word name_of(Word text) {
    const char *end = text.p + text.n;
    Word w, last = {text.p, 0};
    for (const char *p = text.p; p < end;) {
        p = next_word(p, end, &w);
        if (w.n == 0) break;
        if (is(w, "typedef")) { /* the word before the semicolon */
            for (; p < end && w.n; p = next_word(p, end, &w)) last = w;
            return last;
        }
        if (is(w, "alignas")) { /* struct alignas(...) Name { */
            while (p < end && *p != ')') p++;
            for (; p < end && *p != '{'; p = next_word(p, end, &w)) last = w;
            return last;
        }
        const char *q = skip(p, end);
        if (q < end && (*q == '(' || *q == '{' || *q == '[')) return w;
    }
    return last;
}

static bool add_def(Cx *cx, Library *l, Word text) {
    if (l->n == l->cap) {
        int cap = l->cap ? l->cap * 2 : 256;
        Def *def =
            mem_realloc(&cx->mem, l->def, (size_t)l->cap * sizeof *def, (size_t)cap * sizeof *def);
        if (!def) return false;
        l->def = def, l->cap = cap;
    }
    l->def[l->n++] = (Def){name_of(text), text, false, false};
    return true;
}

static bool split(Cx *cx, Library *l, const char *p, const char *end) {
    while ((p = skip(p, end)) < end) {
        const char *stop = definition_end(p, end);
        if (!add_def(cx, l, (Word){p, (size_t)(stop - p)})) return false;
        p = stop;
    }
    return true;
}

static void want(Library *l, Word text, bool complex) {
    const char *end = text.p + text.n;
    Word w;
    for (const char *p = next_word(text.p, end, &w); w.n; p = next_word(p, end, &w)) {
        if (isdigit((unsigned char)*w.p)) continue;
        for (int i = 0; i < l->n; i++)
            if (!l->def[i].wanted && same(l->def[i].name, w)) {
                Word t = l->def[i].text;
                l->def[i].wanted =
                    complex || (!memmem(t.p, t.n, "xc64", 4) && !memmem(t.p, t.n, "xc128", 5));
            }
    }
}

Status emit_pick(Cx *cx, const char *library, size_t n, const char *text, bool complex, Buf *out) {
    Library l = {NULL, 0, 0};
    Status s = ARR_OK;
    if (!split(cx, &l, library, library + n)) {
        s = error_memory(cx, (size_t)l.cap * 2 * sizeof *l.def);
        goto out;
    }
    want(&l, (Word){text, strlen(text)}, complex);
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < l.n; i++) {
            if (!l.def[i].wanted || l.def[i].followed) continue;
            l.def[i].followed = more = true;
            want(&l, l.def[i].text, complex);
        }
    }
    for (int i = 0; i < l.n; i++) {
        if (!l.def[i].wanted) continue;
        buf_add(out, l.def[i].text.p, l.def[i].text.n);
        buf_char(out, '\n');
    }
    s = buf_status(out);
out:
    mem_free(&cx->mem, l.def, (size_t)l.cap * sizeof *l.def);
    return s;
}
