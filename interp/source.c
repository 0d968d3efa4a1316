/* source - texts that were evaluated, by number: for trees, for functions made from them and for
 * the positions of errors.
 *
 * Callers: api, module (make them), functions (keep them), report (reads them). Invariant: numbers
 * ascend in A->sources; 0 is never a source (SPAN_NONE). A host may evaluate millions of chunks, so
 * texts that no function needs are forgotten once SOURCES_KEPT newer ones have come. */
#include "interp/state.h"

#include <string.h>

static void source_free(State *A, Source *s) {
    Mem *m = &A->cx.mem;
    for (uint32_t i = 0; i < s->nkept; i++) value_release(A, s->kept[i]);
    mem_free(m, s->kept, s->kept_cap * sizeof *s->kept);
    if (s->parsed) arena_free(&s->arena);
    mem_free(m, s->name, s->name_size);
    mem_free(m, s->text, s->text_size);
    mem_free(m, s, sizeof *s);
}

static void drop_tree(State *A, Source *s) {
    for (uint32_t i = 0; i < s->nkept; i++) value_release(A, s->kept[i]);
    mem_free(&A->cx.mem, s->kept, s->kept_cap * sizeof *s->kept);
    s->kept = NULL;
    s->nkept = s->kept_cap = 0;
    if (s->parsed) arena_free(&s->arena);
    s->parsed = false;
    s->root = NULL;
}

/* Forget the oldest texts that nobody needs. Half of the room is made at once, so that the table is
 * not moved for each new source. */
static void forget_old(State *A) {
    if (A->nsources < SOURCES_KEPT) return;
    int32_t kept = 0;
    for (int32_t i = 0; i < A->nsources; i++) {
        Source *s = A->sources[i];
        if (s->refs == 0 && i < A->nsources - SOURCES_KEPT / 2)
            source_free(A, s);
        else
            A->sources[kept++] = s;
    }
    A->nsources = kept;
}

Status source_new(State *A, const char *name, const char *text, size_t n, Source **out) {
    Mem *m = &A->cx.mem;
    forget_old(A);
    if (A->nsources == A->sources_cap) {
        int32_t cap = A->sources_cap ? A->sources_cap * 2 : 16;
        Source **p =
            mem_realloc(m, A->sources, (size_t)A->sources_cap * sizeof *p, (size_t)cap * sizeof *p);
        if (!p) return error_memory(&A->cx, (size_t)cap * sizeof *p);
        A->sources = p;
        A->sources_cap = cap;
    }
    Source *s = mem_zalloc(m, sizeof *s);
    if (!s) return error_memory(&A->cx, sizeof *s);
    s->name_size = strlen(name) + 1;
    s->text_size = n + 1;
    s->name = mem_alloc(m, s->name_size);
    s->text = mem_alloc(m, s->text_size);
    if (!s->name || !s->text) {
        source_free(A, s);
        return error_memory(&A->cx, n + 1);
    }
    memcpy(s->name, name, s->name_size);
    if (n) memcpy(s->text, text, n);
    s->text[n] = '\0';
    s->n = n;
    s->refs = 1;
    s->number = ++A->next_source;
    A->sources[A->nsources++] = s;
    *out = s;
    return ARR_OK;
}

Status source_parse(State *A, Source *s) {
    arena_init(&s->arena, &A->cx);
    s->parsed = true;
    return parse_source(&A->cx, &s->arena, s->number, s->text, s->n, &s->root);
}

Status source_parse_body(State *A, Source *s, const char *const *params, int n) {
    arena_init(&s->arena, &A->cx);
    s->parsed = true;
    return parse_body(&A->cx, &s->arena, s->number, s->text, s->n, params, n, &s->root);
}

Source *source_retain(Source *s) {
    s->refs++;
    return s;
}

void source_release(State *A, Source *s) {
    if (!s || --s->refs > 0) return;
    drop_tree(A, s);
}

void sources_free(State *A) {
    for (int32_t i = 0; i < A->nsources; i++) source_free(A, A->sources[i]);
    mem_free(&A->cx.mem, A->sources, (size_t)A->sources_cap * sizeof *A->sources);
    A->sources = NULL;
    A->nsources = A->sources_cap = 0;
}

Source *source_find(const State *A, uint32_t number) {
    int32_t lo = 0, hi = A->nsources;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (A->sources[mid]->number < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < A->nsources && A->sources[lo]->number == number ? A->sources[lo] : NULL;
}

Status source_keep(State *A, Source *s, Value v) {
    if (s->nkept == s->kept_cap) {
        uint32_t cap = s->kept_cap ? s->kept_cap * 2 : 8;
        Value *p = mem_realloc(&A->cx.mem, s->kept, s->kept_cap * sizeof *p, cap * sizeof *p);
        if (!p) {
            value_release(A, v);
            return error_memory(&A->cx, cap * sizeof *p);
        }
        s->kept = p;
        s->kept_cap = cap;
    }
    s->kept[s->nkept++] = v;
    return ARR_OK;
}

const char *source_text(const State *A, Span span, size_t *n) {
    const Source *s = span.src ? source_find(A, span.src) : NULL;
    if (!s || span.lo > span.hi || span.hi > s->n) return NULL;
    *n = span.hi - span.lo;
    return s->text + span.lo;
}

void source_position(const State *A, Span span, int *line, int *column) {
    const Source *s = span.src ? source_find(A, span.src) : NULL;
    *line = *column = 0;
    if (!s) return;
    size_t end = span.lo < s->n ? span.lo : s->n, begin = 0;
    *line = 1;
    for (const char *p = s->text; (p = memchr(p, '\n', (size_t)(s->text + end - p)));) {
        ++*line;
        begin = (size_t)(++p - s->text);
    }
    *column = 1;
    for (size_t i = begin; i < end; i++) *column += (s->text[i] & 0xc0) != 0x80;
}
