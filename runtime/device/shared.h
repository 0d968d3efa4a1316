/* shared - what the states of an arr_shared have together: worker threads, memory that no state
 * needs at the moment, images of compiled GPU kernels.
 *
 * Callers: devices (threads, memory), kernels/cache_disk.c (images), the API. All calls may come
 * from several threads at once. A block belongs to one state or to the reserve, never to two:
 * states hand blocks over when their own pools give them up, so that no state waits for another's
 * work. Invariant: all of its memory comes from the allocator that its states have as well. */
#ifndef ARR_DEVICE_SHARED_H
#define ARR_DEVICE_SHARED_H

#include "runtime/device/device.h"

typedef struct Shared Shared;
typedef struct Threads Threads;

/* One reference, the caller's. threads: CPU threads of a job, 0: as many as there are processors.
 */
Shared *shared_new(void *(*alloc)(void *, void *, size_t, size_t), void *user, int threads);
Shared *shared_retain(Shared *s);
void shared_release(Shared *s); /* the last one ends it; NULL allowed */
/* Has it this allocator? */
bool shared_fits(const Shared *s, void *(*alloc)(void *, void *, size_t, size_t), void *user);

/* cpu_threads.c: count threads in all, the caller among them; the others start at the first work.
 */
Status threads_new(Cx *cx, int count, Threads **out);
void threads_free(Threads *t); /* NULL allowed */
/* The threads of cx->shared; processors: where their number was not given. */
Status shared_threads(Cx *cx, int processors, Threads **out);

/* A block of that many bytes of a device, that another state gave; NULL: none, or cx shares
 * nothing. counted: bytes of host memory that it means for cx->mem, 0 for a GPU's. */
void *shared_take(Cx *cx, const char *device, size_t bytes, size_t counted);
/* Hand one over, which nothing uses any more; `free` frees it, some day. false: it stays cx's. */
bool shared_give(Cx *cx, const char *device, void *p, size_t bytes, size_t counted,
                 void (*free)(Mem *mem, void *p, size_t bytes));
/* Free what the reserve has of a device. */
void shared_drop(Cx *cx, const char *device);

/* Images by two words of hash and three texts, as cache_disk.c's. *image: a copy from cx->mem. */
void shared_find_image(Cx *cx, const uint64_t hash[2], const char *const text[3], void **image,
                       size_t *n);
void shared_keep_image(Cx *cx, const uint64_t hash[2], const char *const text[3], const void *image,
                       size_t n);

#endif
