/* lower_again - the arguments of a group that was lowered before, for other nodes.
 *
 * Callers: exec. The program, its extents and strides stay; addresses, offsets and scalars are
 * those of the present nodes, found where lower.c noted that they came from. Invariant: a slot's
 * strides follow from the group and from the strides of the memory behind it, which are compared.
 */
#include "kernels/program_level.h"
#include "runtime/lower.h"

#include <string.h>

static int place_rank(const LowerNotes *n, int slot) {
    bool strided = n->slot[slot] == SLOT_LOAD || n->slot[slot] == SLOT_TARGET;
    return strided ? n->use[slot]->node->node->shape.rank : 0;
}

/* Where the slot's memory lies now. */
static Status find_place(const LowerNotes *n, int slot, const LowerMemory *mem, Place *out) {
    switch ((SlotFrom)n->slot[slot]) {
    case SLOT_LOAD: return mem->load(mem->ctx, n->use[slot], out);
    case SLOT_STORE: return mem->store(mem->ctx, n->use[slot], out);
    case SLOT_TARGET: *out = *mem->target; return ARR_OK;
    default: return ARR_OK;
    }
}

static Status keep_strides(Plan *p, LoweredKept *k, const LowerMemory *mem) {
    const LowerNotes *n = &k->low.notes;
    for (int s = 0; s < k->low.program.nslot; s++) {
        Place at;
        int rank = place_rank(n, s);
        if (n->slot[s] != SLOT_LOAD && n->slot[s] != SLOT_TARGET) continue;
        TRY(find_place(n, s, mem, &at));
        k->stride[s] = arena_raw(&p->arena, (size_t)(rank + 1) * sizeof **k->stride);
        if (!k->stride[s]) return error_memory(p->cx, (size_t)rank * sizeof **k->stride);
        memcpy(k->stride[s], at.stride, (size_t)rank * sizeof **k->stride);
    }
    return ARR_OK;
}

/* Indices of 64 bits may be of 32 the next time. */
Status lower_keep(Plan *p, Group *g, const LowerMemory *mem, const Lowered *low, uint64_t serial) {
    if (low->program.wide) return ARR_OK;
    LoweredKept *k = arena_raw(&p->arena, sizeof *k);
    if (!k) return error_memory(p->cx, sizeof *k);
    k->low = *low;
    k->low.program.serial = serial;
    TRY(keep_strides(p, k, mem));
    g->kept = k;
    return ARR_OK;
}

static void put_scalars(Lowered *low) {
    const LowerNotes *n = &low->notes;
    for (int i = 0; i < low->program.nscalar; i++) {
        const Node *x = n->node[i]->node;
        uint8_t *to = low->args.scalar[i];
        if (!x) continue; /* a constant of an expression, which stays */
        switch ((ScalarFrom)n->scalar[i]) {
        case SCALAR_NODE: memcpy(to, x->at.scalar.bits, sizeof x->at.scalar.bits); break;
        case SCALAR_KEY: memcpy(to, &x->at.draw.key, sizeof x->at.draw.key); break;
        case SCALAR_LOW: memcpy(to, &x->at.draw.low, sizeof x->at.draw.low); break;
        case SCALAR_RANGE: memcpy(to, &x->at.draw.range, sizeof x->at.draw.range); break;
        case SCALAR_FIXED: break;
        }
    }
}

Status lower_again(Group *g, const LowerMemory *mem, bool *ok) {
    LoweredKept *k = g->kept;
    *ok = false;
    if (!k) return ARR_OK;
    ProgArgs *a = &k->low.args;
    const LowerNotes *n = &k->low.notes;
    for (int s = 0; s < k->low.program.nslot; s++) {
        Place at;
        if (n->slot[s] == SLOT_NUMBER) continue;
        TRY(find_place(n, s, mem, &at));
        size_t bytes = (size_t)place_rank(n, s) * sizeof *at.stride;
        if (bytes && memcmp(at.stride, k->stride[s], bytes) != 0) return ARR_OK;
        a->slot[s].ptr = at.ptr;
        a->slot[s].offset = at.offset + n->start[s];
        if (program_slot_is_wide(&k->low.program, a, &a->slot[s])) return ARR_OK;
    }
    put_scalars(&k->low);
    memset(a->fault, 0, sizeof a->fault);
    *ok = true;
    return ARR_OK;
}
