/* mem - the one door to host memory. Every allocation of the library goes through here, so that a
 * host's allocator is honoured, failures can be injected (ARR_FAIL_ALLOC=n) and leaks counted.
 * Callers: everything. Invariant: live is the number of blocks not yet freed. */
#ifndef ARR_MEM_H
#define ARR_MEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Mem {
    void *(*alloc)(void *user, void *p, size_t old, size_t n); /* as arr_config.alloc */
    void *user;
    _Atomic int64_t live;  /* blocks */
    _Atomic int64_t bytes; /* bytes in live blocks */
    int64_t fail_at;       /* the fail_at-th allocation from now fails; 0: never */
    int64_t limit;         /* bytes that may be live at a time; 0: any number */
    bool refused;          /* by the limit, and not reported yet */
    /* Gives back what is only kept for later; told before an allocation is refused by the limit. */
    void (*reclaim)(void *user);
    void *reclaim_user;
} Mem;

void mem_init(Mem *m, void *(*alloc)(void *, void *, size_t, size_t), void *user);
/* n > 0 bytes, 64-byte aligned only through mem_alloc_aligned. NULL on failure: the caller
 * reports with error_memory. Worker threads never allocate. */
void *mem_alloc(Mem *m, size_t n);
void *mem_zalloc(Mem *m, size_t n);
void *mem_realloc(Mem *m, void *p, size_t old, size_t n);
/* A block of n bytes goes to another Mem of the same allocator, or comes from it: false, and
 * nothing has changed, where the limit forbids it. */
void mem_disown(Mem *m, size_t n);
bool mem_adopt(Mem *m, size_t n);
void mem_free(Mem *m, void *p, size_t n); /* n: the size it was asked with; p NULL allowed */

#endif
