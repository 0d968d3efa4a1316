/* cache - loaded GPU kernels: a table in memory over a folder on disk over the compiler.
 *
 * In memory a kernel is found by the bytes of its structure (program and variant, see kernel.c);
 * on disk by its CUDA text and the device's target text, so that an entry can never be stale:
 * whatever changes the code changes the text. Callers: kernel.c, native_cuda.c.
 * Invariant: a kernel handed out stays loaded until the next cache_get. */
#ifndef ARR_CACHE_H
#define ARR_CACHE_H

#include "kernels/kernel.h"

typedef struct Cache Cache;

Status cache_open(Cx *cx, Cache **out);
void cache_close(Cache *c); /* unloads everything; NULL allowed; before the devices are closed */

/* The kernel of this structure on d, NULL if it is not in memory. */
DevKernel *cache_find(Cache *c, Device *d, const void *key, size_t n);
/* Kernels unloaded so far to make room: while it is the same, kernels found before are there. */
uint64_t cache_dropped(const Cache *c);
/* Note that this kernel will be wanted on d, unless it is there already, in memory or on disk; then
 * compile all that were noted at once, where there are several (Device.compile_many). What does not
 * work is left to cache_build; only an interrupt is an error. */
void cache_foresee_begin(Cache *c); /* what was noted before is forgotten */
void cache_foresee(Cache *c, Device *d, const void *key, size_t n, const char *text,
                   const char *name);
Status cache_compile_foreseen(Cache *c, Device *d);
/* Load it from disk or compile it, and remember it under key. */
Status cache_build(Cache *c, Device *d, const void *key, size_t n, const char *text,
                   const char *name, DevKernel **out);

/* cache_disk.c: images by hash. */
typedef struct DiskCache {
    Cx *cx;
    bool off;        /* unwritable or not wanted: memory only */
    int writes;      /* since the folder's size was last looked at */
    unsigned serial; /* of temporary names */
} DiskCache;

/* What an entry is for: the file is found by the hash, and holds the three texts to be compared. */
typedef struct DiskKey {
    uint64_t hash[2];
    const char *text[3]; /* target, kernel's name, CUDA text: borrowed */
} DiskKey;

DiskKey disk_key(const char *target, const char *name, const char *text);
/* *image NULL when there is no valid entry; else from mem, n bytes. */
void disk_read(DiskCache *c, const DiskKey *key, void **image, size_t *n);
void disk_write(DiskCache *c, const DiskKey *key, const void *image, size_t n);
uint64_t cache_hash(uint64_t seed, const void *data, size_t n);

#endif
