/* pool - a caching allocator over a device's own allocator: freed blocks are kept by size class and
 * handed out again, so that a loop of array work reaches the system once.
 *
 * Callers: cpu.c and cuda.c, each with its raw functions. A block given back may still be read by
 * work submitted earlier; since a device does its work in order, the next user's work comes after
 * it, and reuse is safe without waiting (raw_free must wait if the system's free does not). Where
 * work overlaps for a time, pool_hold keeps what is given back until it is in order again.
 * Invariant: stats.bytes_used is what is handed out, bytes_cached what lies in the free lists. */
#ifndef ARR_POOL_H
#define ARR_POOL_H

#include "runtime/device/device.h"

typedef struct Pool Pool;

typedef struct PoolRaw {
    void *(*alloc)(void *user, size_t bytes); /* 256-byte aligned; NULL when it cannot be had */
    void (*free)(void *user, void *p, size_t bytes);
    int64_t (*available)(void *user); /* bytes the system could still give; -1 unknown */
    void *user;
    bool on_device;       /* a GPU's memory: the limit of device_bytes holds */
    const int64_t *clock; /* counts what may use memory; NULL: nothing asks */
} PoolRaw;

/* stats is borrowed and kept up to date. */
Status pool_new(Cx *cx, PoolRaw raw, DevStats *stats, Pool **out);
void pool_free(Pool *p); /* gives everything cached back; NULL allowed */
/* bytes > 0. On failure of the system the cache is dropped and the request tried once more; then
 * ARR_ERR_MEMORY with the bytes asked, used and available, or ARR_ERR_LIMIT, and *out NULL. */
Status pool_take(Pool *p, size_t bytes, void **out);
/* The clock when the block that was taken last had been given back; -1: it is new. */
int64_t pool_taken_at(const Pool *p);
/* While on, what is given back is not handed out again; off lets go of it. */
void pool_hold(Pool *p, bool on);
int64_t pool_held(const Pool *p); /* bytes */
/* bytes as they were asked. q NULL allowed. */
void pool_give(Pool *p, void *q, size_t bytes);
/* Give cached blocks back to the system until at most keep bytes are cached. */
void pool_trim(Pool *p, size_t keep);

#endif
