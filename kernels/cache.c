/* cache - the table of loaded kernels, open addressing by structure; see cache.h.
 *
 * Callers: kernel.c, native_cuda.c. The table is bounded: when it is full the kernels that were not
 * used for longest are unloaded, after the device has finished what may still run them.
 * Invariant: at most three quarters of the slots are taken, and a full probe ends at an empty one.
 */
#include "kernels/cache.h"

#include <stdio.h>
#include <string.h>

enum { CACHE_SLOTS = 4096, CACHE_FULL = CACHE_SLOTS * 3 / 4 };

typedef struct Entry {
    Device *device; /* NULL: empty */
    DevKernel *kernel;
    void *key;
    size_t nkey;
    uint64_t hash;
    uint64_t used; /* turn of the last use */
} Entry;

/* A kernel that will be wanted, and its image once it has been compiled. */
typedef struct Foreseen {
    char *text;
    size_t ntext;
    char name[64];
    void *image;
    size_t nimage;
} Foreseen;

enum { FORESEEN_MOST = 64 };

struct Cache {
    Cx *cx;
    Foreseen foreseen[FORESEEN_MOST];
    int nforeseen;
    DiskCache disk;
    uint64_t turn, dropped;
    int count;
    Entry slot[CACHE_SLOTS];
};

/* Multiply and fold, eight bytes at a time: structures are short and differ everywhere. */
uint64_t cache_hash(uint64_t seed, const void *data, size_t n) {
    const unsigned char *p = data;
    uint64_t h = seed ^ (n * 0x9E3779B97F4A7C15u);
    while (n > 0) {
        uint64_t w = 0;
        size_t take = n < 8 ? n : 8;
        memcpy(&w, p, take);
        h = (h ^ w) * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
        p += take;
        n -= take;
    }
    h *= 0xD6E8FEB86659FD93u;
    return h ^ h >> 29;
}

Status cache_open(Cx *cx, Cache **out) {
    *out = mem_zalloc(&cx->mem, sizeof **out);
    if (!*out) return error_memory(cx, sizeof **out);
    (*out)->cx = cx;
    (*out)->disk.cx = cx;
    return ARR_OK;
}

static void drop(Cache *c, Entry *e) {
    e->device->ops->unload(e->device, e->kernel);
    mem_free(&c->cx->mem, e->key, e->nkey);
    memset(e, 0, sizeof *e);
    c->count--;
    c->dropped++;
}

static void forget_foreseen(Cache *c) {
    for (int i = 0; i < c->nforeseen; i++) {
        Foreseen *f = &c->foreseen[i];
        mem_free(&c->cx->mem, f->text, f->ntext);
        mem_free(&c->cx->mem, f->image, f->nimage);
    }
    c->nforeseen = 0;
}

void cache_close(Cache *c) {
    if (!c) return;
    forget_foreseen(c);
    for (int i = 0; i < CACHE_SLOTS; i++)
        if (c->slot[i].device) drop(c, &c->slot[i]);
    mem_free(&c->cx->mem, c, sizeof *c);
}

uint64_t cache_dropped(const Cache *c) { return c->dropped; }

static uint64_t hash_of(const Device *d, const void *key, size_t n) {
    return cache_hash((uint64_t)(uintptr_t)d, key, n);
}

/* The entry, or the empty slot where it belongs. */
static Entry *probe(Cache *c, const Device *d, const void *key, size_t n, uint64_t hash) {
    for (uint64_t i = hash;; i++) {
        Entry *e = &c->slot[i % CACHE_SLOTS];
        if (!e->device) return e;
        if (e->hash == hash && e->device == d && e->nkey == n && memcmp(e->key, key, n) == 0)
            return e;
    }
}

DevKernel *cache_find(Cache *c, Device *d, const void *key, size_t n) {
    Entry *e = probe(c, d, key, n, hash_of(d, key, n));
    if (!e->device) return NULL;
    e->used = ++c->turn;
    return e->kernel;
}

/* Unload what lies in the older half of the uses, then put the rest where probes find it. */
static Status make_room(Cache *c) {
    Cx *cx = c->cx;
    if (c->count < CACHE_FULL) return ARR_OK;
    Entry *keep = mem_alloc(&cx->mem, CACHE_FULL * sizeof *keep);
    if (!keep) return error_memory(cx, CACHE_FULL * sizeof *keep);
    uint64_t oldest = UINT64_MAX;
    Status s = ARR_OK;
    for (int i = 0; i < CACHE_SLOTS; i++)
        if (c->slot[i].device && c->slot[i].used < oldest) oldest = c->slot[i].used;
    uint64_t limit = oldest + (c->turn - oldest) / 2;
    for (int i = 0; i < CACHE_SLOTS && s == ARR_OK; i++)
        if (c->slot[i].device && c->slot[i].used <= limit)
            s = c->slot[i].device->ops->sync(c->slot[i].device);
    int kept = 0;
    for (int i = 0; i < CACHE_SLOTS && s == ARR_OK; i++) {
        Entry *e = &c->slot[i];
        if (!e->device) continue;
        if (e->used <= limit)
            drop(c, e);
        else
            keep[kept++] = *e;
    }
    if (s == ARR_OK) {
        memset(c->slot, 0, sizeof c->slot);
        for (int i = 0; i < kept; i++)
            *probe(c, keep[i].device, keep[i].key, keep[i].nkey, keep[i].hash) = keep[i];
    }
    mem_free(&cx->mem, keep, CACHE_FULL * sizeof *keep);
    return s;
}

/* A damaged or foreign image that passed its checksum is refused by the driver: compile anew. */
static Status from_disk(Cache *c, Device *d, const DiskKey *disk, const char *name,
                        DevKernel **out) {
    Cx *cx = c->cx;
    void *image;
    size_t n;
    *out = NULL;
    disk_read(&c->disk, disk, &image, &n);
    if (!image) return ARR_OK;
    Status s = d->ops->load(d, image, n, name, out);
    mem_free(&cx->mem, image, n);
    if (s == ARR_OK) {
        d->stats.disk_hits++;
    } else if (s == ARR_ERR_DEVICE) {
        *out = NULL;
        error_clear(cx);
        s = ARR_OK;
    }
    return s;
}

/* ---- compiling ahead ---- */

static Foreseen *find_foreseen(Cache *c, const char *text, const char *name) {
    for (int i = 0; i < c->nforeseen; i++)
        if (strcmp(c->foreseen[i].name, name) == 0 && strcmp(c->foreseen[i].text, text) == 0)
            return &c->foreseen[i];
    return NULL;
}

static bool is_on_disk(Cache *c, Device *d, const char *text, const char *name) {
    DiskKey disk = disk_key(d->ops->target(d), name, text);
    void *image;
    size_t n;
    disk_read(&c->disk, &disk, &image, &n);
    mem_free(&c->cx->mem, image, n);
    return image != NULL;
}

void cache_foresee_begin(Cache *c) { forget_foreseen(c); }

void cache_foresee(Cache *c, Device *d, const void *key, size_t n, const char *text,
                   const char *name) {
    if (c->nforeseen == FORESEEN_MOST || strlen(name) >= sizeof c->foreseen[0].name) return;
    if (probe(c, d, key, n, hash_of(d, key, n))->device || find_foreseen(c, text, name)) return;
    if (is_on_disk(c, d, text, name)) return;
    Foreseen *f = &c->foreseen[c->nforeseen];
    memset(f, 0, sizeof *f);
    f->ntext = strlen(text) + 1;
    f->text = mem_alloc(&c->cx->mem, f->ntext);
    if (!f->text) return;
    memcpy(f->text, text, f->ntext);
    strcpy(f->name, name);
    c->nforeseen++;
}

Status cache_compile_foreseen(Cache *c, Device *d) {
    const char *text[FORESEEN_MOST], *name[FORESEEN_MOST];
    void *image[FORESEEN_MOST] = {NULL};
    size_t size[FORESEEN_MOST] = {0};
    int n = c->nforeseen;
    bool all = n >= 2 && d->ops->compile_many && limits_compile(c->cx, (uint64_t)n) == ARR_OK;
    error_clear(c->cx); /* one by one as many as the limit allows are compiled */
    if (!all) return forget_foreseen(c), ARR_OK;
    for (int i = 0; i < n; i++) {
        text[i] = c->foreseen[i].text;
        name[i] = c->foreseen[i].name;
    }
    Status s = d->ops->compile_many(d, n, text, name, image, size);
    for (int i = 0; i < n; i++) {
        c->foreseen[i].image = image[i];
        c->foreseen[i].nimage = size[i];
    }
    if (s == ARR_OK || error_is_stop(c->cx, s)) return s;
    error_clear(c->cx);
    return ARR_OK;
}

/* The image that was compiled ahead, the caller's; NULL: it was not. */
static void *take_foreseen(Cache *c, const char *text, const char *name, size_t *n) {
    Foreseen *f = find_foreseen(c, text, name);
    void *image = f ? f->image : NULL;
    if (!image) return NULL;
    *n = f->nimage;
    f->image = NULL;
    f->nimage = 0;
    return image;
}

static Status from_compiler(Cache *c, Device *d, const DiskKey *disk, const char *text,
                            const char *name, DevKernel **out) {
    Cx *cx = c->cx;
    size_t n;
    void *image = take_foreseen(c, text, name, &n);
    if (!image) TRY(limits_compile(cx, 1));
    if (!image) TRY(d->ops->compile(d, text, name, &image, &n));
    Status s = d->ops->load(d, image, n, name, out);
    if (s == ARR_OK) disk_write(&c->disk, disk, image, n);
    mem_free(&cx->mem, image, n);
    return s;
}

Status cache_build(Cache *c, Device *d, const void *key, size_t n, const char *text,
                   const char *name, DevKernel **out) {
    Cx *cx = c->cx;
    *out = NULL;
    TRY(make_room(c));
    void *copy = mem_alloc(&cx->mem, n);
    if (!copy) return error_memory(cx, n);
    memcpy(copy, key, n);
    DiskKey disk = disk_key(d->ops->target(d), name, text);
    Status s = from_disk(c, d, &disk, name, out);
    if (s == ARR_OK && !*out) s = from_compiler(c, d, &disk, text, name, out);
    if (s != ARR_OK) {
        mem_free(&cx->mem, copy, n);
        return s;
    }
    uint64_t hash = hash_of(d, key, n);
    Entry *e = probe(c, d, key, n, hash);
    *e = (Entry){d, *out, copy, n, hash, ++c->turn};
    c->count++;
    return ARR_OK;
}
