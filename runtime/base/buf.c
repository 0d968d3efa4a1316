/* buf - growing byte buffers and arenas over mem (see buf.h).
 *
 * Callers: everything that builds text, and everything whose objects die together. A Buf that ran
 * out of memory swallows later adds and says so once, at buf_status; callers so need no check per
 * add. Arena blocks double in size up to a bound, and a request larger than a block gets its own.
 */
#include "runtime/base/buf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void buf_init(Buf *b, Cx *cx) { *b = (Buf){.cx = cx}; }

void buf_free(Buf *b) {
    if (!b->cx) return; /* never opened: the state failed before */
    mem_free(&b->cx->mem, b->data, b->cap);
    *b = (Buf){.cx = b->cx};
}

void buf_clear(Buf *b) {
    b->len = 0;
    b->failed = 0;
    if (b->data) b->data[0] = '\0';
}

/* Room for n more bytes and the NUL. */
static bool grow(Buf *b, size_t n) {
    if (b->failed) return false;
    if (n < b->cap - b->len) return true; /* cap 0: len is 0 too, so this asks n < 0 */
    size_t cap = b->cap ? b->cap : 64;
    while (cap - b->len <= n) {
        if (cap > SIZE_MAX / 2) {
            b->failed = 1;
            return false;
        }
        cap *= 2;
    }
    char *p = mem_realloc(&b->cx->mem, b->data, b->cap, cap);
    if (!p) {
        b->failed = 1;
        return false;
    }
    b->data = p;
    b->cap = cap;
    return true;
}

void buf_add(Buf *b, const void *p, size_t n) {
    if (!grow(b, n)) return;
    if (n > 0) memcpy(b->data + b->len, p, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void buf_str(Buf *b, const char *s) { buf_add(b, s, strlen(s)); }

void buf_char(Buf *b, char c) { buf_add(b, &c, 1); }

void buf_printf(Buf *b, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) b->failed = 1;
    if (n >= 0 && grow(b, (size_t)n)) {
        vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

Status buf_status(Buf *b) { return b->failed ? error_memory(b->cx, b->cap * 2) : ARR_OK; }

const char *buf_text(const Buf *b) { return b->data ? b->data : ""; }

/* Layout of a block: | next, size | padding to 16 | objects ... | */
typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t size; /* of the object area */
} ArenaBlock;

enum {
    ARENA_HEAD = (sizeof(ArenaBlock) + 15) / 16 * 16,
    ARENA_FIRST = 4096 - 64,    /* a page with the system allocator's own head */
    ARENA_LARGEST = 1024 * 1024 /* blocks stop doubling here */
};

void arena_init(Arena *a, Cx *cx) { *a = (Arena){.cx = cx}; }

static ArenaBlock *add_block(Arena *a, size_t need) {
    size_t size = a->head ? a->head->size * 2 : ARENA_FIRST;
    if (size > ARENA_LARGEST) size = ARENA_LARGEST;
    if (size < need) size = need;
    ArenaBlock *b = mem_alloc(&a->cx->mem, ARENA_HEAD + size);
    if (!b) return NULL;
    *b = (ArenaBlock){a->head, size};
    a->head = b;
    a->used = 0;
    return b;
}

void *arena_raw(Arena *a, size_t n) {
    if (n > SIZE_MAX / 2) return NULL;
    n = n ? (n + 15) / 16 * 16 : 16;
    if (!a->head || a->head->size - a->used < n) {
        if (!add_block(a, n)) return NULL;
    }
    char *p = (char *)a->head + ARENA_HEAD + a->used;
    a->used += n;
    return p;
}

void *arena_alloc(Arena *a, size_t n) {
    void *p = arena_raw(a, n);
    return p && n ? memset(p, 0, n) : p;
}

char *arena_strdup(Arena *a, const char *s, size_t n) {
    char *p = arena_alloc(a, n + 1);
    if (p && n > 0) memcpy(p, s, n);
    return p;
}

void arena_free(Arena *a) {
    for (ArenaBlock *b = a->head; b;) {
        ArenaBlock *next = b->next;
        mem_free(&a->cx->mem, b, ARENA_HEAD + b->size);
        b = next;
    }
    *a = (Arena){.cx = a->cx};
}
