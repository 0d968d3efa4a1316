/* emit_access - where elements are, and moving them between memory and the arrays of the body.
 *
 * Callers: emit_cuda.c. A body's elements stand in arrays of UNROLL vectors of VEC elements:
 * x<slot> loaded elements and draws, y<slot> elements to store, o<slot> offsets of strided slots.
 * In the loops that move vector u stand i, its first index, and left, how many elements there are
 * from i. b<slot> is the outer part of an offset in reductions. A vector whose elements lie in one
 * row (bit 63 of mode) needs its index taken apart once; otherwise every element's is. Invariant:
 * iota and draw slots count in 64 bits, whatever the index width. */
#include "kernels/emit_cuda.h"

#include <stdio.h>

typedef struct Nest {
    int from, to; /* loops */
} Nest;

static Nest inner_nest(const EmitPlan *e) {
    return (Nest){emit_is_map(e) ? 0 : e->nouter, e->p->rank};
}

static const Instr *user(const EmitPlan *e, int slot) { return &e->p->code[e->slot_instr[slot]]; }

static bool counts(const EmitPlan *e, int slot) {
    return user(e, slot)->kind == P_IOTA || user(e, slot)->kind == P_DRAW;
}

static const char *offset_type(const EmitPlan *e, int slot) {
    return counts(e, slot) ? "xi64" : "I";
}

static bool inner_slot(const EmitPlan *e, int slot) {
    int k = e->slot_instr[slot];
    return k >= 0 && e->inner[k] && !e->shared.taken[k];
}

static bool any_strided(const EmitPlan *e) {
    for (int s = 0; s < e->p->nslot; s++)
        if (inner_slot(e, s) && e->p->cls[s] == ACC_STRIDED) return true;
    return false;
}

/* Does the draw fill an array, a quad of words at a time? */
static bool array_draw(const EmitPlan *e, int slot) {
    const Instr *i = user(e, slot);
    return i->kind == P_DRAW && i->sub != DRAW_RANDINT && e->p->cls[slot] == ACC_CONTIG;
}

/* Is it a slot whose elements lie in memory or in an array? */
static bool moves(const EmitPlan *e, int slot) {
    const Instr *i = user(e, slot);
    return i->kind == P_LOAD || i->kind == P_STORE || array_draw(e, slot);
}

void emit_arrays(const EmitPlan *e, Buf *out) {
    for (int s = 0; s < e->p->nslot; s++) {
        if (!inner_slot(e, s)) continue;
        const Instr *i = user(e, s);
        uint8_t cls = e->p->cls[s];
        if (i->kind == P_LOAD && cls == ACC_BCAST)
            buf_printf(out, "const %s x%d = p%d[0];\n", emit_memory_type((DType)i->dtype), s, s);
        else if (i->kind == P_LOAD)
            buf_printf(out, "%s x%d[UNROLL * VEC];\n", emit_memory_type((DType)i->dtype), s);
        if (array_draw(e, s))
            buf_printf(out, "%s x%d[UNROLL * VEC];\n", emit_value_type((DType)i->dtype), s);
        if (i->kind == P_STORE && cls != ACC_BCAST)
            buf_printf(out, "%s y%d[UNROLL * VEC];\n", emit_memory_type((DType)i->dtype), s);
        if (cls == ACC_STRIDED && !emit_crosses(e, s))
            buf_printf(out, "%s o%d[UNROLL * VEC];\n", offset_type(e, s), s);
    }
    emit_shared_arrays(e, out);
}

/* const I c<from> ... c<to - 1>: the loops' indices out of a flat one. */
static void coordinates(const EmitPlan *e, Nest n, const char *index, Buf *out) {
    (void)e;
    if (n.to - n.from == 1) {
        buf_printf(out, "const I c%d = %s;\n", n.from, index);
        return;
    }
    for (int j = n.to - 1; j > n.from; j--) {
        char rest[16];
        snprintf(rest, sizeof rest, "r%d", j + 1);
        const char *whole = j == n.to - 1 ? index : rest;
        buf_printf(out, "const I r%d = quot(%s, m%d, h%d);\n", j, whole, j, j);
        buf_printf(out, "const I c%d = %s - r%d * d%d;\n", j, whole, j, j);
    }
    buf_printf(out, "const I c%d = r%d;\n", n.from, n.from + 1);
}

/* base + sum of c * t over the nest. */
static void sum_of(const EmitPlan *e, int slot, Nest n, Buf *out) {
    bool based = !emit_is_map(e) && n.from == e->nouter;
    const char *type = offset_type(e, slot);
    if (based) buf_printf(out, "b%d", slot);
    for (int j = n.from; j < n.to; j++)
        buf_printf(out, "%s(%s)c%d * t%d_%d", j > n.from || based ? " + " : "", type, j, slot, j);
}

static void offsets_of_vector(const EmitPlan *e, Nest n, Buf *out) {
    coordinates(e, n, "i", out);
    for (int s = 0; s < e->p->nslot; s++) {
        if (!inner_slot(e, s) || e->p->cls[s] != ACC_STRIDED) continue;
        buf_printf(out, "{ const %s first = ", offset_type(e, s));
        sum_of(e, s, n, out);
        buf_printf(out,
                   ";\n_Pragma(\"unroll\") for (int e = 0; e < VEC; e++) "
                   "o%d[u * VEC + e] = first + e * t%d_%d; }\n",
                   s, s, n.to - 1);
    }
}

static void offsets_of_elements(const EmitPlan *e, Nest n, Buf *out) {
    buf_str(out, "_Pragma(\"unroll\") for (int e = 0; e < VEC; e++) {\n");
    buf_str(out, "const I at = i + e;\n");
    coordinates(e, n, "at", out);
    for (int s = 0; s < e->p->nslot; s++) {
        if (!inner_slot(e, s) || e->p->cls[s] != ACC_STRIDED) continue;
        buf_printf(out, "o%d[u * VEC + e] = ", s);
        sum_of(e, s, n, out);
        buf_str(out, ";\n");
    }
    buf_str(out, "}\n");
}

/* Which slots move whole vectors here (bits as in mode): the map template knows it of a whole tile
 * at once. */
static const char *vectors(const EmitPlan *e) {
    return e->v.shape == EMIT_MAP || e->v.shape == EMIT_COMPACT ? "vectors" : "mode";
}

/* Are all slots of a vectorized access, each vector in a row? Then a whole tile needs no checks. */
void emit_whole(const EmitPlan *e, Buf *out) {
    uint64_t mask = any_strided(e) ? (uint64_t)1 << 63 : 0;
    for (int s = 0; s < e->p->nslot; s++)
        if (inner_slot(e, s) && e->p->cls[s] != ACC_BCAST && moves(e, s)) mask |= (uint64_t)1 << s;
    buf_printf(out, "hi - t >= tile && (~mode & 0x%llxull) == 0", (unsigned long long)mask);
}

static void offsets(const EmitPlan *e, Buf *out) {
    Nest n = inner_nest(e);
    if (!any_strided(e)) return;
    if (e->v.shape == EMIT_TILE) {
        emit_tile_loads(e, out);
        return;
    }
    if (e->vec == 1 || n.to - n.from == 1) { /* a vector is an element, or every row is one */
        buf_str(out, "{\n");
        offsets_of_vector(e, n, out);
        buf_str(out, "}\n");
        return;
    }
    buf_printf(out, "if (%s >> 63) {\n", vectors(e));
    offsets_of_vector(e, n, out);
    buf_str(out, "} else {\n");
    offsets_of_elements(e, n, out);
    buf_str(out, "}\n");
}

/* The index of the vector's first element in a contiguous slot. */
static void contiguous_index(const EmitPlan *e, int slot, Buf *out) {
    if (emit_is_map(e))
        buf_char(out, 'i');
    else
        buf_printf(out, "b%d + i", slot);
}

void emit_loads(const EmitPlan *e, Buf *out) {
    offsets(e, out);
    emit_shared_loads(e, out);
    for (int s = 0; s < e->p->nslot; s++) {
        if (!inner_slot(e, s) || e->p->cls[s] == ACC_BCAST) continue;
        if (emit_crosses(e, s)) continue;
        if (user(e, s)->kind == P_LOAD && e->p->cls[s] == ACC_STRIDED) {
            buf_printf(out,
                       "load_at<VEC>(x%d + u * VEC, p%d, o%d + u * VEC, left, %s >> %d & 1);\n", s,
                       s, s, vectors(e), s);
        } else if (user(e, s)->kind == P_LOAD) {
            buf_printf(out, "load<VEC>(x%d + u * VEC, p%d + (", s, s);
            contiguous_index(e, s, out);
            buf_printf(out, "), left, %s >> %d & 1);\n", vectors(e), s);
        } else if (array_draw(e, s)) {
            buf_printf(out, "draws<%s, VEC>(x%d + u * VEC, k%d, a%d + (xi64)(",
                       emit_draw_type(user(e, s)), s, user(e, s)->index, s);
            contiguous_index(e, s, out);
            buf_printf(out, "), %s >> %d & 1);\n", vectors(e), s);
        }
    }
}

void emit_stores(const EmitPlan *e, Buf *out) {
    for (int s = 0; s < e->p->nslot; s++) {
        if (!inner_slot(e, s) || user(e, s)->kind != P_STORE || e->p->cls[s] == ACC_BCAST) continue;
        if (e->v.shape == EMIT_COMPACT && s == e->v.kept) continue;
        if (e->p->cls[s] == ACC_STRIDED) {
            buf_printf(out,
                       "store_at<VEC>(p%d, o%d + u * VEC, y%d + u * VEC, left, %s >> %d & 1);\n", s,
                       s, s, vectors(e), s);
        } else {
            buf_printf(out, "store<VEC>(p%d + (", s);
            contiguous_index(e, s, out);
            buf_printf(out, "), y%d + u * VEC, left, %s >> %d & 1);\n", s, vectors(e), s);
        }
    }
    emit_shared_stores(e, out);
}

/* b<slot> from the output's number o: what the outer loops add to each slot's offset. A result's
 * contiguous slot counts outputs, an operand's all elements. */
void emit_outer_offsets(const EmitPlan *e, Buf *out) {
    Nest n = {0, e->nouter};
    bool strided = false;
    for (int s = 0; s < e->p->nslot; s++)
        strided |= e->slot_instr[s] >= 0 && e->p->cls[s] == ACC_STRIDED;
    if (strided && n.to > 0) coordinates(e, n, "o", out);
    for (int s = 0; s < e->p->nslot; s++) {
        if (e->slot_instr[s] < 0 || e->p->cls[s] == ACC_BCAST) continue;
        const Instr *i = user(e, s);
        bool result = i->kind == P_STORE && e->reduced[i->a];
        buf_printf(out, "const %s b%d = ", offset_type(e, s), s);
        if (e->p->cls[s] == ACC_CONTIG)
            buf_printf(out, result ? "o" : "(%s)o * reduced", offset_type(e, s));
        else if (n.to == 0)
            buf_char(out, '0');
        else
            sum_of(e, s, n, out);
        buf_str(out, ";\n");
    }
}
