/* pool - free lists by size class over a device's raw allocator (see pool.h).
 *
 * Callers: cpu.c, cuda.c. Device memory cannot hold list links, so each block owns a small host
 * node; while a block is in use its node waits in `spare`, hence giving a block back never needs
 * memory and cannot fail. Invariant: nodes in the lists and in spare together are the raw blocks.
 */
#include "runtime/device/pool.h"

#include <stdio.h>

typedef struct Block {
    struct Block *next;
    void *p;
    int64_t at; /* the clock when it was given back */
    int cls;
} Block;

/* Eight classes an octave: at most an eighth of a block is unused. 256 bytes is the least. */
enum { CLASS_MIN_LOG = 8, CLASSES = (48 - CLASS_MIN_LOG) * 8 };

struct Pool {
    Cx *cx;
    PoolRaw raw;
    DevStats *stats;
    Block *spare;
    Block *list[CLASSES];
    Block *held; /* given back while holding */
    bool holding;
    int64_t held_bytes;
    int64_t taken_at;
};

/* The class that holds `bytes`, and its size; -1 beyond the largest. */
static int class_of(size_t bytes, size_t *size) {
    size_t n = bytes < ((size_t)1 << CLASS_MIN_LOG) ? (size_t)1 << CLASS_MIN_LOG : bytes;
    if (n > (size_t)1 << 47) return -1;
    int log = 63 - __builtin_clzll(n);
    size_t step = (size_t)1 << (log - 3);
    n = (n + step - 1) & ~(step - 1);
    log = 63 - __builtin_clzll(n); /* rounding up may have reached the next octave */
    *size = n;
    return (log - CLASS_MIN_LOG) * 8 + (int)(n >> (log - 3) & 7);
}

static size_t class_size(int c) { return (size_t)(8 + c % 8) << (c / 8 + CLASS_MIN_LOG - 3); }

Status pool_new(Cx *cx, PoolRaw raw, DevStats *stats, Pool **out) {
    Pool *p = mem_zalloc(&cx->mem, sizeof *p);
    *out = p;
    if (!p) return error_memory(cx, sizeof *p);
    p->cx = cx;
    p->raw = raw;
    p->stats = stats;
    return ARR_OK;
}

static void free_nodes(Pool *p, Block *b) {
    while (b) {
        Block *next = b->next;
        mem_free(&p->cx->mem, b, sizeof *b);
        b = next;
    }
}

void pool_free(Pool *p) {
    if (!p) return;
    pool_trim(p, 0);
    free_nodes(p, p->spare);
    mem_free(&p->cx->mem, p, sizeof *p);
}

static void put(Pool *p, Block *b) {
    b->at = p->raw.clock ? *p->raw.clock : 0;
    b->next = p->list[b->cls];
    p->list[b->cls] = b;
}

static void let_go(Pool *p) {
    while (p->held) {
        Block *b = p->held;
        p->held = b->next;
        put(p, b);
    }
    p->held_bytes = 0;
}

void pool_hold(Pool *p, bool on) {
    p->holding = on;
    if (!on) let_go(p);
}

int64_t pool_held(const Pool *p) { return p->held_bytes; }

int64_t pool_taken_at(const Pool *p) { return p->taken_at; }

/* Those that are held back may go too, since the system's free waits for them. */
void pool_trim(Pool *p, size_t keep) {
    if (keep == 0) let_go(p);
    for (int c = CLASSES - 1; c >= 0; c--) {
        while (p->list[c] && (size_t)p->stats->bytes_cached > keep) {
            Block *b = p->list[c];
            p->list[c] = b->next;
            p->raw.free(p->raw.user, b->p, class_size(c));
            p->stats->bytes_cached -= (int64_t)class_size(c);
            mem_free(&p->cx->mem, b, sizeof *b);
        }
    }
}

static void count_taken(DevStats *s, size_t size) {
    s->allocs++;
    s->bytes_used += (int64_t)size;
    if (s->bytes_used > s->bytes_peak) s->bytes_peak = s->bytes_used;
}

/* "12 bytes", "3.5 GiB" */
static void bytes_text(int64_t n, char out[32]) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int u = -1;
    int64_t tenths = n;
    while (tenths >= (u < 0 ? 1024 : 10240) && u < 5)
        tenths = u++ < 0 ? n * 10 / 1024 : tenths / 1024;
    if (u < 0)
        snprintf(out, 32, "%lld bytes", (long long)n);
    else
        snprintf(out, 32, "%lld.%lld %s", (long long)(tenths / 10), (long long)(tenths % 10),
                 units[u]);
}

/* Would a new block pass the limit of a GPU's memory? */
static bool over_limit(const Pool *p, size_t size) {
    uint64_t most = p->raw.on_device ? p->cx->limits.device_bytes : 0;
    uint64_t have = (uint64_t)(p->stats->bytes_used + p->stats->bytes_cached);
    return most && (have > most || size > most - have);
}

static void *new_block(Pool *p, size_t size) {
    return over_limit(p, size) ? NULL : p->raw.alloc(p->raw.user, size);
}

static Status refuse(Pool *p, size_t bytes, size_t size) {
    if (p->cx->mem.refused) return error_memory(p->cx, bytes);
    char asked[32], used[32], left[32] = "";
    int64_t available = p->raw.available ? p->raw.available(p->raw.user) : -1;
    bytes_text((int64_t)(bytes >> 1 > INT64_MAX / 2 ? INT64_MAX : bytes), asked);
    bytes_text(p->stats->bytes_used, used);
    if (over_limit(p, size)) {
        bytes_text((int64_t)p->cx->limits.device_bytes, left);
        return error_set(p->cx, ARR_ERR_LIMIT, p->cx->span,
                         "the limit of %s of a GPU's memory is reached: %s asked for, %s in use by "
                         "arrays: let go of arrays (del), or let the host raise "
                         "arr_limits.device_bytes",
                         left, asked, used);
    }
    if (available >= 0) bytes_text(available, left);
    return error_set(p->cx, ARR_ERR_MEMORY, p->cx->span,
                     "out of memory: %s asked for, %s in use by arrays%s%s%s", asked, used,
                     *left ? ", " : "", left, *left ? " available" : "");
}

Status pool_take(Pool *p, size_t bytes, void **out) {
    size_t size = 0;
    int c = class_of(bytes, &size);
    *out = NULL;
    if (c < 0) return refuse(p, bytes, bytes);
    Block *b = p->list[c];
    if (b) {
        p->list[c] = b->next;
        p->stats->bytes_cached -= (int64_t)size;
        p->taken_at = b->at;
    } else {
        b = mem_alloc(&p->cx->mem, sizeof *b);
        if (!b) return error_memory(p->cx, sizeof *b);
        b->p = new_block(p, size);
        if (!b->p) {
            pool_trim(p, 0);
            b->p = new_block(p, size);
        }
        if (!b->p) {
            mem_free(&p->cx->mem, b, sizeof *b);
            return refuse(p, bytes, size);
        }
        p->stats->alloc_misses++;
        p->taken_at = -1;
    }
    *out = b->p;
    b->next = p->spare;
    p->spare = b;
    count_taken(p->stats, size);
    return ARR_OK;
}

void pool_give(Pool *p, void *q, size_t bytes) {
    size_t size = 0;
    if (!q) return;
    int c = class_of(bytes, &size);
    Block *b = p->spare;
    p->spare = b->next;
    b->p = q;
    b->cls = c;
    if (p->holding) {
        b->next = p->held;
        p->held = b;
        p->held_bytes += (int64_t)size;
    } else {
        put(p, b);
    }
    p->stats->bytes_used -= (int64_t)size;
    p->stats->bytes_cached += (int64_t)size;
}
