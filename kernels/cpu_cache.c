/* cpu_cache - plans by the structure of their work (see cpu_cache.h).
 *
 * Callers: run_cpu.c. A table of a few places, by hash; a newcomer drives out what was there. The
 * key is a flat list of 64-bit words and the program's instructions. */
#include "kernels/cpu_cache.h"
#include "kernels/cache.h"
#include "kernels/program_level.h"

#include <string.h>

/* Beyond this much work making the plan does not show; larger programs come from no loop. */
enum {
    PLACES = 64,
    WORK_MOST = 1 << 16,
    KEY_INSTR = 192,
    KEY_SCALARS = 64,
    KEY_WORDS = 512,
    MEMORY_MOST = 24,
    MADE = 32
};

typedef struct Key {
    int nword, ninstr;
    int64_t word[KEY_WORDS];
    Instr code[KEY_INSTR];
} Key;

typedef struct Kept {
    Key *key; /* NULL: empty */
    uint64_t hash;
    int row;
    int ntouching;
    uint16_t touching[MEMORY_MOST];  /* of a numbered program: instructions that load and store */
    uint8_t first[PROG_MAX_SCALARS]; /* of a numbered program: the first parameter that was equal */
    CpuPlan plan;
    Arena mem;
} Kept;

/* Something made for a numbered program. */
typedef struct Made {
    uint64_t serial; /* 0: empty */
    int64_t n;
    void *it; /* NULL: it was taken */
    void (*drop)(Cx *cx, void *made);
    int ntouching;
    uint16_t touching[MEMORY_MOST];
    uint8_t first[PROG_MAX_SCALARS];
} Made;

struct CpuCache {
    Cx *cx;
    Made made[MADE];
    Key key; /* of the work at hand */
    uint64_t hash;
    Kept place[PLACES];
};

Status cpu_cache_open(Cx *cx, CpuCache **out) {
    *out = mem_zalloc(&cx->mem, sizeof **out);
    if (!*out) return error_memory(cx, sizeof **out);
    (*out)->cx = cx;
    return ARR_OK;
}

static void forget(CpuCache *c, Kept *k) {
    if (!k->key) return;
    mem_free(&c->cx->mem, k->key, sizeof *k->key);
    arena_free(&k->mem);
    k->key = NULL;
}

void cpu_cache_close(CpuCache *c) {
    if (!c) return;
    for (int i = 0; i < PLACES; i++) forget(c, &c->place[i]);
    for (int i = 0; i < MADE; i++)
        if (c->made[i].it) c->made[i].drop(c->cx, c->made[i].it);
    mem_free(&c->cx->mem, c, sizeof *c);
}

typedef struct Bytes {
    uintptr_t lo, hi;
} Bytes;

static Bytes slot_bytes(const Program *p, const ProgArgs *a, int slot, size_t item) {
    const SlotArg *s = &a->slot[slot];
    int64_t lo = s->offset, hi = lo;
    for (int d = 0; d < p->rank; d++) {
        int64_t span = s->stride[d] * (a->dim[d] - 1);
        *(span < 0 ? &lo : &hi) += span;
    }
    uintptr_t base = (uintptr_t)s->ptr;
    return (Bytes){base + (uintptr_t)(lo * (int64_t)item),
                   base + (uintptr_t)((hi + 1) * (int64_t)item)};
}

/* Does it write what it reads? How that is done depends on where. Gathers read anywhere. */
static bool overlaps(const Program *p, const ProgArgs *a) {
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        if (i->kind == P_GATHER) return true;
        if (i->kind != P_STORE) continue;
        Bytes w = slot_bytes(p, a, i->slot, dtype_size((DType)i->dtype));
        for (int j = 0; j < p->ninstr; j++) {
            const Instr *o = &p->code[j];
            if (j == k || (o->kind != P_LOAD && o->kind != P_STORE)) continue;
            Bytes r = slot_bytes(p, a, o->slot, dtype_size((DType)o->dtype));
            if (w.lo < r.hi && r.lo < w.hi) return true;
        }
    }
    return false;
}

static bool add_word(Key *key, int64_t v) {
    if (key->nword == KEY_WORDS) return false;
    key->word[key->nword++] = v;
    return true;
}

/* The first parameter that is equal: plans share the blocks of such. */
static int first_equal(const Program *p, const ProgArgs *a, int k) {
    for (int j = 0; j < k; j++)
        if (p->scalar_type[j] == p->scalar_type[k] &&
            memcmp(a->scalar[j], a->scalar[k], dtype_size((DType)p->scalar_type[k])) == 0)
            return j;
    return k;
}

/* The same of instructions that are known to touch memory. */
static bool touching_overlap(const Program *p, const ProgArgs *a, const uint16_t *at, int n) {
    Bytes b[MEMORY_MOST];
    for (int k = 0; k < n; k++) {
        const Instr *i = &p->code[at[k]];
        b[k] = slot_bytes(p, a, i->slot, dtype_size((DType)i->dtype));
        for (int j = 0; j < k; j++) {
            bool store = i->kind == P_STORE || p->code[at[j]].kind == P_STORE;
            if (store && b[k].lo < b[j].hi && b[j].lo < b[k].hi) return true;
        }
    }
    return false;
}

/* Which they are; -1: too many, or a gather, which reads anywhere. */
static int find_touching(const Program *p, uint16_t *at) {
    int n = 0;
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        if (i->kind == P_GATHER) return -1;
        if (i->kind != P_LOAD && i->kind != P_STORE) continue;
        if (n == MEMORY_MOST) return -1;
        at[n++] = (uint16_t)k;
    }
    return n;
}

/* A program's number stands for all but the parameters. */
static bool make_short_key(CpuCache *c, const Program *p, int64_t n, bool whole) {
    Key *key = &c->key;
    key->nword = key->ninstr = 0;
    if (n > WORK_MOST) return false;
    add_word(key, n * 2 + whole);
    add_word(key, (int64_t)p->serial);
    c->hash = cache_hash(0, key->word, (size_t)key->nword * sizeof *key->word);
    return true;
}

/* Parameters that were equal are. */
static bool still_equal(const uint8_t *first, const Program *p, const ProgArgs *a) {
    for (int i = 0; i < p->nscalar; i++)
        if (first[i] != i &&
            memcmp(a->scalar[i], a->scalar[first[i]], dtype_size((DType)p->scalar_type[i])) != 0)
            return false;
    return true;
}

static bool make_key(CpuCache *c, const Program *p, const ProgArgs *a, int64_t n, bool whole) {
    Key *key = &c->key;
    if (p->serial) return make_short_key(c, p, n, whole);
    key->nword = 0;
    key->ninstr = p->ninstr;
    if (p->ninstr > KEY_INSTR || p->nscalar > KEY_SCALARS || n > WORK_MOST) return false;
    if (overlaps(p, a)) return false;
    memcpy(key->code, p->code, p->ninstr * sizeof *p->code);
    bool room = add_word(key, n * 2 + whole) && add_word(key, p->rank) && add_word(key, p->nslot);
    for (int d = 0; d < p->rank && room; d++) room = add_word(key, a->dim[d]);
    for (int s = 0; s < p->nslot && room; s++)
        for (int d = 0; d < p->rank && room; d++) room = add_word(key, a->slot[s].stride[d]);
    for (int k = 0; k < p->nscalar && room; k++)
        room = add_word(key, first_equal(p, a, k) * 256 + p->scalar_type[k]);
    if (!room) return false;
    c->hash = cache_hash(0, key->word, (size_t)key->nword * sizeof *key->word);
    c->hash = cache_hash(c->hash, key->code, (size_t)key->ninstr * sizeof *key->code);
    return true;
}

static bool same_key(const Key *a, const Key *b) {
    return a->nword == b->nword && a->ninstr == b->ninstr &&
           memcmp(a->word, b->word, (size_t)a->nword * sizeof *a->word) == 0 &&
           memcmp(a->code, b->code, (size_t)a->ninstr * sizeof *a->code) == 0;
}

CpuPlan *cpu_cache_find(CpuCache *c, const Program *p, const ProgArgs *a, int64_t n, bool whole,
                        int *row) {
    c->hash = 0;
    if (!make_key(c, p, a, n, whole)) return c->key.nword = 0, NULL;
    Kept *k = &c->place[c->hash % PLACES];
    if (!k->key || k->hash != c->hash || !same_key(k->key, &c->key)) return NULL;
    if (p->serial && touching_overlap(p, a, k->touching, k->ntouching))
        return c->key.nword = 0, NULL;
    if (p->serial && !still_equal(k->first, p, a)) return forget(c, k), NULL;
    k->plan.p = p;
    k->plan.args = a;
    *row = k->row;
    return &k->plan;
}

bool cpu_cache_keep(CpuCache *c, int row, const CpuPlan *plan, Arena *mem) {
    if (c->key.nword == 0) return false;
    Kept *k = &c->place[c->hash % PLACES];
    /* a place is taken by what comes twice in a row, so that work done once costs no copy */
    if (k->hash != c->hash) return k->hash = c->hash, forget(c, k), false;
    uint16_t touching[MEMORY_MOST];
    int ntouching = find_touching(plan->p, touching);
    if (plan->p->serial &&
        (ntouching < 0 || touching_overlap(plan->p, plan->args, touching, ntouching)))
        return false;
    Key *key = mem_alloc(&c->cx->mem, sizeof *key);
    if (!key) return false; /* the plan is the caller's still: nothing is lost */
    *key = c->key;
    forget(c, k);
    k->key = key;
    k->row = row;
    k->ntouching = ntouching;
    memcpy(k->touching, touching, sizeof touching);
    for (int i = 0; i < plan->p->nscalar; i++)
        k->first[i] = (uint8_t)first_equal(plan->p, plan->args, i);
    k->plan = *plan;
    k->mem = *mem;
    return true;
}

void *cpu_cache_take(CpuCache *c, const Program *p, const ProgArgs *a, int64_t n) {
    Made *m = &c->made[p->serial % MADE];
    void *it = m->it;
    if (!p->serial || m->serial != p->serial || m->n != n || !it) return NULL;
    if (touching_overlap(p, a, m->touching, m->ntouching) || !still_equal(m->first, p, a))
        return NULL;
    m->it = NULL;
    return it;
}

bool cpu_cache_put(CpuCache *c, const Program *p, const ProgArgs *a, int64_t n, void *made,
                   void (*drop)(Cx *cx, void *made)) {
    Made *m = &c->made[p->serial % MADE];
    if (!p->serial) return false;
    if (m->serial != p->serial || m->n != n || m->it) {
        uint16_t touching[MEMORY_MOST];
        int ntouching = find_touching(p, touching);
        if (ntouching < 0 || touching_overlap(p, a, touching, ntouching)) return false;
        if (m->it) m->drop(c->cx, m->it);
        *m = (Made){.serial = p->serial, .n = n, .ntouching = ntouching};
        memcpy(m->touching, touching, sizeof touching);
        for (int i = 0; i < p->nscalar; i++) m->first[i] = (uint8_t)first_equal(p, a, i);
    }
    m->it = made;
    m->drop = drop;
    return true;
}
