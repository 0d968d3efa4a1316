/* mem - counting, failing on demand, and the host's allocator behind one door (see mem.h).
 *
 * Callers: everything in the library that needs host memory. The counters are atomic because a
 * block may be freed by another thread than the one that made it; fail_at is only touched by the
 * state's own thread, since worker threads never allocate.
 * Invariant: every successful allocation adds one to live, every free of a block takes it back. */
#include "runtime/base/mem.h"

#include <stdlib.h>
#include <string.h>

static void *system_alloc(void *user, void *p, size_t old, size_t n) {
    (void)user;
    (void)old;
    if (n == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, n);
}

void mem_init(Mem *m, void *(*alloc)(void *, void *, size_t, size_t), void *user) {
    m->alloc = alloc ? alloc : system_alloc;
    m->user = user;
    atomic_init(&m->live, 0);
    atomic_init(&m->bytes, 0);
    m->fail_at = m->limit = 0;
    m->refused = false;
    m->reclaim = NULL;
}

/* Is this the allocation that the failing-allocation loop wants to lose? */
static int fails_now(Mem *m) { return m->fail_at > 0 && --m->fail_at == 0; }

static bool too_much(const Mem *m, size_t n) {
    int64_t left = m->limit - atomic_load(&m->bytes);
    return left < 0 || n > (size_t)left;
}

/* Do n bytes more pass the limit, even without what is kept for later? */
static bool over_limit(Mem *m, size_t n) {
    if (!m->limit || !too_much(m, n)) return false;
    if (m->reclaim) m->reclaim(m->reclaim_user);
    bool over = too_much(m, n);
    m->refused |= over;
    return over;
}

void *mem_alloc(Mem *m, size_t n) {
    if (n == 0) n = 1;
    if (fails_now(m) || over_limit(m, n)) return NULL;
    void *p = m->alloc(m->user, NULL, 0, n);
    if (!p) return NULL;
    atomic_fetch_add(&m->live, 1);
    atomic_fetch_add(&m->bytes, (int64_t)n);
    return p;
}

void *mem_zalloc(Mem *m, size_t n) {
    void *p = mem_alloc(m, n);
    if (p) memset(p, 0, n ? n : 1);
    return p;
}

void *mem_realloc(Mem *m, void *p, size_t old, size_t n) {
    if (!p) return mem_alloc(m, n);
    if (n == 0) n = 1;
    if (old == 0) old = 1;
    if (n > old && (fails_now(m) || over_limit(m, n - old))) return NULL;
    void *q = m->alloc(m->user, p, old, n);
    if (!q) return NULL;
    atomic_fetch_add(&m->bytes, (int64_t)n - (int64_t)old);
    return q;
}

void mem_disown(Mem *m, size_t n) {
    atomic_fetch_sub(&m->live, 1);
    atomic_fetch_sub(&m->bytes, (int64_t)n);
}

bool mem_adopt(Mem *m, size_t n) {
    if (over_limit(m, n)) return false;
    atomic_fetch_add(&m->live, 1);
    atomic_fetch_add(&m->bytes, (int64_t)n);
    return true;
}

void mem_free(Mem *m, void *p, size_t n) {
    if (!p) return;
    if (n == 0) n = 1;
    m->alloc(m->user, p, n, 0);
    atomic_fetch_sub(&m->live, 1);
    atomic_fetch_sub(&m->bytes, (int64_t)n);
}
