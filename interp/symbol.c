/* symbol - interned names: a number for each name, and what the language itself binds to it.
 *
 * Callers: the resolver, environments, records. Invariant: numbers are dense and never reused, the
 * text of a symbol lives as long as the state. Open addressing with linear probing, at most half
 * full. */
#include "interp/state.h"
#include "interp/env.h"
#include "interp/prelude.h"

#include <string.h>

static uint32_t hash_bytes(const char *p, size_t n) {
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)p[i]) * 16777619u;
    return h;
}

static int32_t *probe(const Symbols *s, const char *text, size_t n, uint32_t hash) {
    uint32_t mask = (uint32_t)s->table_cap - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        int32_t at = s->table[i];
        if (at < 0) return &s->table[i];
        const SymbolEntry *e = &s->entries[at];
        if (e->hash == hash && e->len == n && memcmp(e->text, text, n) == 0) return &s->table[i];
    }
}

static bool grow_table(State *A) {
    Symbols *s = &A->symbols;
    int32_t cap = s->table_cap ? s->table_cap * 2 : 256;
    int32_t *t = mem_alloc(&A->cx.mem, (size_t)cap * sizeof *t);
    if (!t) return false;
    memset(t, 0xff, (size_t)cap * sizeof *t);
    mem_free(&A->cx.mem, s->table, (size_t)s->table_cap * sizeof *t);
    s->table = t;
    s->table_cap = cap;
    uint32_t mask = (uint32_t)cap - 1;
    for (int32_t k = 0; k < s->n; k++) {
        uint32_t i = s->entries[k].hash & mask;
        while (t[i] >= 0) i = (i + 1) & mask;
        t[i] = k;
    }
    return true;
}

static bool grow_entries(State *A) {
    Symbols *s = &A->symbols;
    int32_t cap = s->cap ? s->cap * 2 : 128;
    SymbolEntry *e =
        mem_realloc(&A->cx.mem, s->entries, (size_t)s->cap * sizeof *e, (size_t)cap * sizeof *e);
    if (!e) return false;
    s->entries = e;
    s->cap = cap;
    return true;
}

Symbol symbol_find(const State *A, const char *text, size_t n) {
    if (A->symbols.table_cap == 0) return -1;
    return *probe(&A->symbols, text, n, hash_bytes(text, n));
}

Symbol symbol_intern(State *A, const char *text, size_t n) {
    Symbols *s = &A->symbols;
    uint32_t hash = hash_bytes(text, n);
    if (s->table_cap) {
        int32_t at = *probe(s, text, n, hash);
        if (at >= 0) return at;
    }
    char *copy = NULL;
    if ((s->n + 1) * 2 > s->table_cap && !grow_table(A)) goto fail;
    if (s->n == s->cap && !grow_entries(A)) goto fail;
    copy = mem_alloc(&A->cx.mem, n + 1);
    if (!copy) goto fail;
    memcpy(copy, text, n);
    copy[n] = '\0';
    s->entries[s->n] = (SymbolEntry){.text = copy, .len = (uint32_t)n, .hash = hash};
    *probe(s, text, n, hash) = s->n;
    return s->n++;
fail:
    error_memory(&A->cx, n + 1);
    return -1;
}

const char *symbol_text(const State *A, Symbol s) {
    return s >= 0 && s < A->symbols.n ? A->symbols.entries[s].text : "?";
}

Value symbol_base(State *A, Symbol s) {
    SymbolEntry *e = &A->symbols.entries[s];
    if (e->base_known) return e->base;
    Value base = env_base(A, e->text, e->len);
    e = &A->symbols.entries[s]; /* loading a module of the stdlib makes names */
    e->base = base;
    e->base_known = base.kind != V_UNSET || !prelude_has(e->text, e->len);
    return base;
}

void symbols_free(State *A) {
    Symbols *s = &A->symbols;
    for (int32_t i = 0; i < s->n; i++) {
        mem_free(&A->cx.mem, s->entries[i].text, s->entries[i].len + 1);
    }
    mem_free(&A->cx.mem, s->entries, (size_t)s->cap * sizeof *s->entries);
    mem_free(&A->cx.mem, s->table, (size_t)s->table_cap * sizeof *s->table);
    *s = (Symbols){0};
}
