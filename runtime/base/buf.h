/* buf - growing byte buffers and arenas.
 * A Buf owns its bytes and keeps them NUL-terminated. An Arena hands out memory that is freed all
 * at once (one per source chunk: tokens and AST; one per plan). */
#ifndef ARR_BUF_H
#define ARR_BUF_H

#include "runtime/base/error.h"

typedef struct Buf {
    Cx *cx;
    char *data; /* NUL-terminated once anything was added; may be NULL when empty */
    size_t len, cap;
    int failed; /* an allocation failed: later adds do nothing; buf_status reports */
} Buf;

void buf_init(Buf *b, Cx *cx);
void buf_free(Buf *b);
void buf_clear(Buf *b);
void buf_add(Buf *b, const void *p, size_t n);
void buf_str(Buf *b, const char *s);
void buf_char(Buf *b, char c);
void buf_printf(Buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3); /* locale-independent use only */
Status buf_status(Buf *b);          /* ARR_ERR_MEMORY (reported) if an add failed */
const char *buf_text(const Buf *b); /* never NULL */

typedef struct Arena {
    Cx *cx;
    struct ArenaBlock *head;
    size_t used; /* in head */
} Arena;

void arena_init(Arena *a, Cx *cx);
void *arena_raw(Arena *a, size_t n);   /* as it is: for what is written before it is read */
void *arena_alloc(Arena *a, size_t n); /* zeroed, 16-byte aligned; NULL if out of memory */
char *arena_strdup(Arena *a, const char *s, size_t n);
void arena_free(Arena *a);

#endif
