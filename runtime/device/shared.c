/* shared - threads, spare memory and compiled images that several states have together; see
 * shared.h.
 *
 * Everything lies in lists under one lock, which is held for moments only. */
#include "runtime/device/shared.h"

#include <pthread.h>
#include <string.h>

enum {
    BLOCK_LEAST = 64 << 10,  /* smaller blocks cost the system no more than the lock does */
    BLOCKS_MOST = 256,       /* and lists stay short */
    RESERVE_CPU = 256 << 20, /* host memory that may lie idle */
    IMAGES_BYTES = 64 << 20  /* some thousand kernels */
};
static const size_t reserve_gpu = (size_t)4 << 30; /* a few percent of a large GPU */

typedef struct Block {
    struct Block *next;
    char device[32];
    void *p;
    size_t bytes;
    void (*free)(Mem *mem, void *p, size_t bytes);
    size_t counted;
} Block;

typedef struct Image {
    struct Image *next;
    uint64_t hash[2];
    size_t size, ntext, n; /* of all this; of the texts with their NULs; of the image */
    char bytes[];          /* texts, image */
} Image;

struct Shared {
    Cx cx; /* of its own: memory */
    pthread_mutex_t lock;
    _Atomic int refs;
    int threads_wanted, nblocks;
    Threads *threads;
    Block *blocks;
    size_t cpu_bytes, gpu_bytes, image_bytes;
    Image *images;
};

Shared *shared_new(void *(*alloc)(void *, void *, size_t, size_t), void *user, int threads) {
    Mem mem;
    mem_init(&mem, alloc, user);
    Shared *s = mem.alloc(user, NULL, 0, sizeof *s);
    if (!s) return NULL;
    memset((void *)s, 0, sizeof *s);
    mem_init(&s->cx.mem, alloc, user);
    pthread_mutex_init(&s->lock, NULL);
    atomic_init(&s->refs, 1);
    s->threads_wanted = threads;
    return s;
}

Shared *shared_retain(Shared *s) {
    atomic_fetch_add(&s->refs, 1);
    return s;
}

bool shared_fits(const Shared *s, void *(*alloc)(void *, void *, size_t, size_t), void *user) {
    Mem mem;
    mem_init(&mem, alloc, user);
    return s->cx.mem.alloc == mem.alloc && s->cx.mem.user == user;
}

/* ---- memory ---- */

static bool is_cpu(const Block *b) { return strcmp(b->device, "cpu") == 0; }

static void unlink_block(Shared *s, Block **at) {
    Block *b = *at;
    *at = b->next;
    s->nblocks--;
    *(is_cpu(b) ? &s->cpu_bytes : &s->gpu_bytes) -= b->bytes;
}

static void free_block(Shared *s, Block *b) {
    if (b->counted) mem_adopt(&s->cx.mem, b->counted);
    b->free(&s->cx.mem, b->p, b->bytes);
    mem_free(&s->cx.mem, b, sizeof *b);
}

void *shared_take(Cx *cx, const char *device, size_t bytes, size_t counted) {
    Shared *s = cx->shared;
    void *p = NULL;
    if (!s || bytes < BLOCK_LEAST || (counted && !mem_adopt(&cx->mem, counted))) return NULL;
    pthread_mutex_lock(&s->lock);
    for (Block **at = &s->blocks; *at && !p; at = &(*at)->next) {
        Block *b = *at;
        if (b->bytes != bytes || strcmp(b->device, device) != 0) continue;
        p = b->p;
        unlink_block(s, at);
        mem_free(&s->cx.mem, b, sizeof *b);
        break;
    }
    pthread_mutex_unlock(&s->lock);
    if (!p && counted) mem_disown(&cx->mem, counted);
    return p;
}

bool shared_give(Cx *cx, const char *device, void *p, size_t bytes, size_t counted,
                 void (*free)(Mem *mem, void *p, size_t bytes)) {
    Shared *s = cx->shared;
    if (!s || bytes < BLOCK_LEAST) return false;
    size_t most = strcmp(device, "cpu") == 0 ? RESERVE_CPU : reserve_gpu;
    pthread_mutex_lock(&s->lock);
    size_t *kept = strcmp(device, "cpu") == 0 ? &s->cpu_bytes : &s->gpu_bytes;
    bool room = s->nblocks < BLOCKS_MOST && bytes <= most && *kept <= most - bytes;
    Block *b = room ? mem_zalloc(&s->cx.mem, sizeof *b) : NULL;
    if (b) {
        *b = (Block){.next = s->blocks, .p = p, .bytes = bytes, .free = free, .counted = counted};
        memcpy(b->device, device, strlen(device) + 1); /* as short as Device.name */
        s->blocks = b;
        s->nblocks++;
        *kept += bytes;
    }
    pthread_mutex_unlock(&s->lock);
    if (b && counted) mem_disown(&cx->mem, counted);
    return b != NULL;
}

/* device NULL: all. */
static void drop_blocks(Shared *s, const char *device) {
    Block *gone = NULL;
    pthread_mutex_lock(&s->lock);
    for (Block **at = &s->blocks; *at;) {
        Block *b = *at;
        if (device && strcmp(b->device, device) != 0) {
            at = &b->next;
            continue;
        }
        unlink_block(s, at);
        b->next = gone;
        gone = b;
    }
    while (gone) {
        Block *b = gone;
        gone = b->next;
        free_block(s, b);
    }
    pthread_mutex_unlock(&s->lock);
}

void shared_drop(Cx *cx, const char *device) {
    if (cx->shared) drop_blocks(cx->shared, device);
}

/* ---- threads ---- */

Status shared_threads(Cx *cx, int processors, Threads **out) {
    Shared *s = cx->shared;
    Status st = ARR_OK;
    pthread_mutex_lock(&s->lock);
    int n = s->threads_wanted > 0 ? s->threads_wanted : processors;
    if (!s->threads && threads_new(&s->cx, n, &s->threads) != ARR_OK) {
        error_clear(&s->cx);
        st = ARR_ERR_MEMORY;
    }
    *out = s->threads;
    pthread_mutex_unlock(&s->lock);
    return st == ARR_OK ? st : error_memory(cx, (size_t)n * sizeof(pthread_t));
}

/* ---- images ---- */

static bool is_image_of(const Image *i, const uint64_t hash[2], const char *const text[3]) {
    if (i->hash[0] != hash[0] || i->hash[1] != hash[1]) return false;
    const char *p = i->bytes;
    for (int k = 0; k < 3; k++) {
        if (strcmp(p, text[k]) != 0) return false;
        p += strlen(p) + 1;
    }
    return true;
}

static Image *find_image(const Shared *s, const uint64_t hash[2], const char *const text[3]) {
    Image *i = s->images;
    while (i && !is_image_of(i, hash, text)) i = i->next;
    return i;
}

void shared_find_image(Cx *cx, const uint64_t hash[2], const char *const text[3], void **image,
                       size_t *n) {
    Shared *s = cx->shared;
    *image = NULL;
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    const Image *i = find_image(s, hash, text);
    if (i && (*image = mem_alloc(&cx->mem, i->n))) {
        memcpy(*image, i->bytes + i->ntext, i->n);
        *n = i->n;
    }
    pthread_mutex_unlock(&s->lock);
}

void shared_keep_image(Cx *cx, const uint64_t hash[2], const char *const text[3], const void *image,
                       size_t n) {
    Shared *s = cx->shared;
    size_t ntext = 0;
    if (!s) return;
    for (int k = 0; k < 3; k++) ntext += strlen(text[k]) + 1;
    size_t size = sizeof(Image) + ntext + n;
    pthread_mutex_lock(&s->lock);
    bool wanted = s->image_bytes + size <= IMAGES_BYTES && !find_image(s, hash, text);
    Image *i = wanted ? mem_alloc(&s->cx.mem, size) : NULL;
    if (i) {
        *i = (Image){s->images, {hash[0], hash[1]}, size, ntext, n};
        char *p = i->bytes;
        for (int k = 0; k < 3; k++, p += strlen(p) + 1) strcpy(p, text[k]);
        memcpy(p, image, n);
        s->images = i;
        s->image_bytes += size;
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- the end ---- */

void shared_release(Shared *s) {
    if (!s || atomic_fetch_sub(&s->refs, 1) > 1) return;
    threads_free(s->threads);
    drop_blocks(s, NULL);
    while (s->images) {
        Image *i = s->images;
        s->images = i->next;
        mem_free(&s->cx.mem, i, i->size);
    }
    pthread_mutex_destroy(&s->lock);
    s->cx.mem.alloc(s->cx.mem.user, s, sizeof *s, 0);
}
