/* emit_chain - programs that walk an output's elements several times (templates/chain.cu): which
 * instructions stand in which walk, and between them.
 *
 * Callers: emit_cuda.c. Every walk computes again what it needs of the elements; what exists once
 * per output is computed by all of its threads, and stored by one. Invariant: an instruction
 * between the walks stands there once, after the walk that it needs. */
#include "kernels/emit_cuda.h"
#include "kernels/program_level.h"

#include <stdio.h>
#include <string.h>

void emit_chain_levels(EmitPlan *e) {
    const Program *p = e->p;
    bool need[PROG_MAX_INSTR];
    e->walks = program_phases(p, e->phase);
    emit_shared_plan(e);
    for (int q = 0; q < e->walks; q++) {
        chain_needs(p, e->phase, e->shared.kept, q, need);
        for (int k = 0; k < p->ninstr; k++) e->inner[k] |= need[k];
    }
    for (int k = p->ninstr - 1; k >= 0; k--) {
        const Instr *i = &p->code[k];
        int use[3], n = instr_operands(i, use);
        if (i->kind == P_STORE && e->reduced[k]) e->outer[k] = true;
        if (i->kind == P_SPREAD) e->outer[i->a] = true;
        for (int j = 0; j < n && e->outer[k] && i->kind != P_REDUCE; j++) e->outer[use[j]] = true;
    }
}

static bool reduces(const EmitPlan *e) {
    for (int k = 0; k < e->p->ninstr; k++)
        if (e->inner[k] && e->p->code[k].kind == P_REDUCE) return true;
    return false;
}

static void fill_walk(const void *ctx, const char *hole, size_t n, Buf *out) {
    const EmitPlan *e = ctx;
    if (n == 4 && memcmp(hole, "open", n) == 0) {
        if (reduces(e)) buf_printf(out, "S%d result%d;\n", e->walk, e->walk);
    } else if (n == 5 && memcmp(hole, "begin", n) == 0) {
        buf_printf(out, "enum { UNROLL = %d };\n", e->unroll);
        emit_divisors(e, out);
        if (reduces(e))
            buf_printf(out,
                       "__shared__ S%d shared_state[32];\n"
                       "S%d s[4];\n"
                       "#pragma unroll\n"
                       "for (int l = 0; l < 4; l++) s[l].empty();\n",
                       e->walk, e->walk);
    } else if (n == 4 && memcmp(hole, "fine", n) == 0) {
        emit_divisors_fine(e, out);
    } else if (n == 5 && memcmp(hole, "quick", n) == 0) {
        emit_quick_body(e, out);
    } else if (n == 5 && memcmp(hole, "close", n) == 0) {
        if (reduces(e))
            buf_printf(out,
                       "combine(s, t, group, length);\n"
                       "result%d = of_chunks(s[0], shared_state, t, mine, group, (int)nchunk);\n",
                       e->walk);
    } else {
        emit_fill_hole(e, hole, n, out);
    }
}

/* Walk q of a copy of e that is only that. */
static void emit_walk(EmitPlan *w, const EmitPlan *e, int q, Buf *out) {
    *w = *e;
    w->walk = q;
    chain_needs(e->p, e->phase, e->shared.kept, q, w->inner);
    emit_shared_walk(w, w->inner);
    emit_choose_unroll(w);
    if (emit_template(e->cx, "kernels/templates/chain_walk.cu", fill_walk, w, out) != ARR_OK)
        out->failed = 1;
    for (int k = 0; k < e->p->ninstr; k++)
        w->outer[k] = e->outer[k] && (e->phase[k] > 0 ? e->phase[k] : 1) == q + 1;
    emit_finish(w, out);
}

void emit_walks(const EmitPlan *e, Buf *out) {
    EmitPlan *w = mem_alloc(&e->cx->mem, sizeof *w);
    if (!w) {
        out->failed = 1;
        return;
    }
    for (int q = 0; q < e->walks; q++) emit_walk(w, e, q, out);
    mem_free(&e->cx->mem, w, sizeof *w);
}
