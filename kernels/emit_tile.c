/* emit_tile - maps with operands whose neighbours lie along another loop than the results': both
 * sides are read and written in order by way of shared memory (templates/tile.cu).
 *
 * Callers: emit_cuda.c, emit_access.c. Variant.cross is the loop along which the slots of
 * Variant.crossing are neighbours; w<slot> is a crossing slot's tile, c<loop> a loop's index.
 * Invariant: shared memory holds SIDE x (SIDE + 1) elements a crossing slot, bounded by
 * emit_crossing. */
#include "kernels/emit_cuda.h"

#include <stdio.h>

static const Instr *user(const EmitPlan *e, int slot) { return &e->p->code[e->slot_instr[slot]]; }

static bool is_rest(const EmitPlan *e, int loop) {
    return loop != e->v.cross && loop != e->p->rank - 1;
}

bool emit_crosses(const EmitPlan *e, int slot) {
    return e->v.shape == EMIT_TILE && e->slot_instr[slot] >= 0 && (e->v.crossing >> slot & 1);
}

uint64_t emit_crossing(const Program *p, const ProgArgs *a, int cross, int side) {
    enum { SHARED = 40 << 10 };
    size_t used = 0, tile = (size_t)(side * (side + 1));
    uint64_t mask = 0;
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        if (i->kind != P_LOAD || p->cls[i->slot] != ACC_STRIDED) continue;
        const SlotArg *s = &a->slot[i->slot];
        int64_t along = s->stride[cross], across = s->stride[p->rank - 1];
        size_t bytes = tile * dtype_size((DType)i->dtype);
        bool crosses = (along == 1 || along == -1) && (across > 1 || across < -1);
        if (!crosses || used + bytes > SHARED) continue;
        used += bytes;
        mask |= (uint64_t)1 << i->slot;
    }
    return mask;
}

static void sum(Buf *out, const EmitPlan *e, const char *letter, int slot) {
    for (int j = 0; j < e->p->rank; j++) {
        buf_printf(out, "%sc%d * ", j ? " + " : "", j);
        if (slot < 0)
            buf_printf(out, "%s%d", letter, j);
        else
            buf_printf(out, "%s%d_%d", letter, slot, j);
    }
}

void emit_tile_shared(const EmitPlan *e, Buf *out) {
    for (int s = 0; s < e->p->nslot; s++)
        if (emit_crosses(e, s))
            buf_printf(out, "__shared__ %s w%d[SIDE][SIDE + 1];\n",
                       emit_memory_type((DType)user(e, s)->dtype), s);
}

/* How many tiles there are, and which one is in hand. */
void emit_tile_items(const EmitPlan *e, Buf *out) {
    int last = e->p->rank - 1;
    buf_printf(out, "const I across = (d%d + SIDE - 1) / SIDE;\n", last);
    buf_printf(out, "const I along = (d%d + SIDE - 1) / SIDE;\n", e->v.cross);
    buf_str(out, "const I items = across * along");
    for (int j = 0; j < last; j++)
        if (is_rest(e, j)) buf_printf(out, " * d%d", j);
    buf_str(out, ";\n");
}

void emit_tile_rest(const EmitPlan *e, Buf *out) {
    buf_str(out, "I rest = item / across / along;\n");
    for (int j = e->p->rank - 1; j >= 0; j--)
        if (is_rest(e, j)) buf_printf(out, "const I c%d = rest %% d%d;\nrest /= d%d;\n", j, j, j);
}

/* Past the edge the last element is read again: loads that are not asked for are all on their way
 * together. */
static void clamped(int loop, const char *corner, const char *more, Buf *out) {
    buf_printf(out, "const I c%d = %s + %s < d%d ? %s + %s : d%d - 1;\n", loop, corner, more, loop,
               corner, more, loop);
}

void emit_tile_crossing(const EmitPlan *e, Buf *out) {
    clamped(e->v.cross, "corner_cross", "x", out);
    clamped(e->p->rank - 1, "corner_last", "y + 8 * u", out);
    for (int s = 0; s < e->p->nslot; s++) {
        if (!emit_crosses(e, s)) continue;
        buf_printf(out, "w%d[y + 8 * u][x] = p%d[", s, s);
        sum(out, e, "t", s);
        buf_str(out, "];\n");
    }
}

void emit_tile_element(const EmitPlan *e, Buf *out) {
    int last = e->p->rank - 1;
    buf_printf(out, "const I c%d = corner_last + x, c%d = corner_cross + y + 8 * u;\n", last,
               e->v.cross);
    buf_printf(out, "const bool inside = c%d < d%d && c%d < d%d;\n", last, last, e->v.cross,
               e->v.cross);
    buf_str(out, "const I i = ");
    sum(out, e, "f", -1);
    buf_str(out, ", left = inside;\n");
}

/* Offsets and crossing elements; the other loads are emit_access's. */
void emit_tile_loads(const EmitPlan *e, Buf *out) {
    for (int s = 0; s < e->p->nslot; s++) {
        if (e->slot_instr[s] < 0 || e->p->cls[s] != ACC_STRIDED) continue;
        if (emit_crosses(e, s)) {
            buf_printf(out, "x%d[u] = inside ? w%d[x][y + 8 * u] : %s{};\n", s, s,
                       emit_memory_type((DType)user(e, s)->dtype));
            continue;
        }
        const char *type = user(e, s)->kind == P_IOTA || user(e, s)->kind == P_DRAW ? "(xi64)" : "";
        buf_printf(out, "o%d[u] = ", s);
        for (int j = 0; j < e->p->rank; j++)
            buf_printf(out, "%s%sc%d * t%d_%d", j ? " + " : "", type, j, s, j);
        buf_str(out, ";\n");
    }
}
