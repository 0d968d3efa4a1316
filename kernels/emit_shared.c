/* emit_shared - values of elements that wait in shared memory for later walks of a chain.
 *
 *     own:  | room elements of the first value | room elements of the second | ...
 *
 * What lies in memory in the elements' order is fetched before the first walk, all of it on its way
 * at once; other values are handed on by the walk that makes them first. A value may take the place
 * of one that nobody asks for any more. Callers: emit_cuda.c, emit_chain.c, emit_access.c.
 * Invariant: an element is read and written by one thread alone, and by whole vectors: room is a
 * multiple of LANES, so those of the last one are there. */
#include "kernels/emit_cuda.h"
#include "kernels/program_level.h"

#include <string.h>

typedef struct Place {
    int at, size, until; /* bytes an element before it; an element's; the last walk that reads it */
} Place;

static int item(const EmitPlan *e, int k) { return (int)dtype_size((DType)e->p->code[k].dtype); }

/* A place for k, which is written in walk q (-1: before all) and last read in walk `until`. */
static int find_place(EmitPlan *e, Place *places, int *n, int k, int q, int until) {
    int i = 0;
    while (i < *n && (places[i].size != item(e, k) || places[i].until > q)) i++;
    if (i == *n) {
        places[(*n)++] = (Place){e->shared.bytes, item(e, k), 0};
        e->shared.bytes += item(e, k);
    }
    places[i].until = until;
    return places[i].at;
}

void emit_shared_plan(EmitPlan *e) {
    EmitShared *s = &e->shared;
    const Program *p = e->p;
    Place places[PROG_MAX_INSTR];
    int n = 0, until[PROG_MAX_INSTR] = {0};
    bool need[PROG_MAX_INSTR];
    if (!e->v.shares) return;
    chain_shared(p, e->walks, e->phase, s->kept);
    for (int q = 0; q < e->walks; q++) {
        chain_needs(p, e->phase, s->kept, q, need);
        for (int k = 0; k < p->ninstr; k++)
            if (need[k]) until[k] = q;
    }
    for (int q = -1; q < e->walks; q++)
        for (int k = 0; k < p->ninstr; k++) {
            const Instr *i = &p->code[k];
            if (!s->kept[k]) continue;
            s->ahead[k] = i->kind == P_LOAD && p->cls[i->slot] == ACC_CONTIG;
            if ((s->ahead[k] ? -1 : e->phase[k]) == q)
                s->place[k] = (int16_t)find_place(e, places, &n, k, q, until[k]);
        }
}

void emit_shared_walk(EmitPlan *e, const bool *need) {
    EmitShared *s = &e->shared;
    for (int k = 0; k < e->p->ninstr; k++) {
        bool made = e->phase[k] == e->walk && !s->ahead[k];
        s->taken[k] = s->kept[k] && need[k] && !made;
        s->handed[k] = s->kept[k] && made;
    }
}

void emit_shared_walkers(const EmitPlan *e, Buf *out) {
    buf_printf(out, "%d", e->v.shares ? SHARED_WALKERS : CHAIN_WALKERS);
}

void emit_shared_places(const EmitPlan *e, Buf *out) {
    if (!e->shared.bytes) return;
    buf_str(out, "extern __shared__ Pack<16, xu8> shared_values[];\n");
    buf_str(out, "const I room = (reduced + LANES - 1) / LANES * LANES;\n");
    buf_printf(out,
               "xu8 *const own = (xu8 *)shared_values + (nchunk == 1 ? mine * room * %d : 0);\n",
               e->shared.bytes);
    for (int k = 0; k < e->p->ninstr; k++) {
        const char *type = emit_memory_type((DType)e->p->code[k].dtype);
        if (e->shared.kept[k])
            buf_printf(out, "%s *const q%d = (%s *)(own + room * %d);\n", type, k, type,
                       e->shared.place[k]);
    }
}

void emit_shared_fetch(const EmitPlan *e, Buf *out) {
    bool any = false;
    for (int k = 0; k < e->p->ninstr; k++) any |= e->shared.ahead[k];
    if (!any) return;
    for (int k = 0; k < e->p->ninstr; k++) {
        int s = e->p->code[k].slot;
        if (e->shared.ahead[k])
            buf_printf(out,
                       "fetch<VEC>(q%d + start, p%d + (b%d + start), t, length, mode >> %d & 1);\n",
                       k, s, s, s);
    }
    buf_str(out, "fetched();\n");
}

void emit_shared_arrays(const EmitPlan *e, Buf *out) {
    for (int k = 0; k < e->p->ninstr; k++)
        if (e->shared.taken[k] || e->shared.handed[k])
            buf_printf(out, "%s w%d[UNROLL * VEC];\n", emit_memory_type((DType)e->p->code[k].dtype),
                       k);
}

void emit_shared_loads(const EmitPlan *e, Buf *out) {
    for (int k = 0; k < e->p->ninstr; k++)
        if (e->shared.taken[k])
            buf_printf(out, "load<VEC>(w%d + u * VEC, q%d + i, VEC, true);\n", k, k);
}

void emit_shared_stores(const EmitPlan *e, Buf *out) {
    for (int k = 0; k < e->p->ninstr; k++)
        if (e->shared.handed[k])
            buf_printf(out, "store<VEC>(q%d + i, w%d + u * VEC, VEC, true);\n", k, k);
}
