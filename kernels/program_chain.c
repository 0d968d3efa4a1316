/* program_chain - what the walks of a chain (program.h) compute, and what they leave for later
 * ones.
 *
 * Callers: chain_cpu.c, emit_chain.c, emit_shared.c. Invariant: computing a value again gives the
 * same bits, so that what is kept is a question of cost alone. */
#include "kernels/program_level.h"

#include <string.h>

enum { COST_KEPT = 4, COST_FUNCTION = 8, COST_MOST = 100 };

static bool is_function(const Instr *i) {
    if (i->kind == P_DRAW || i->kind == P_GATHER) return true;
    if (i->kind != P_OP) return false;
    switch (op_info((Op)i->op)->rule) {
    case OR_FLOAT:
    case OR_REALF:
    case OR_ANGLE:
    case OR_DIV: return true;
    default: return i->op == OP_pow || i->op == OP_mod || i->op == OP_floordiv;
    }
}

/* In additions, from what is in memory. */
static void costs(const Program *p, uint8_t cost[PROG_MAX_INSTR]) {
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        int use[3], n = instr_operands(i, use);
        int c = is_function(i) ? COST_FUNCTION : i->kind == P_OP || i->kind == P_CAST;
        for (int j = 0; j < n && i->kind != P_SPREAD; j++) c += cost[use[j]];
        cost[k] = (uint8_t)(c < COST_MOST ? c : COST_MOST);
    }
}

static bool is_worth_keeping(const Program *p, int k, int cost, bool loads) {
    const Instr *i = &p->code[k];
    switch ((InstrKind)i->kind) {
    case P_LOAD: return loads && p->cls[i->slot] != ACC_BCAST;
    case P_SCALAR:
    case P_IOTA:
    case P_SPREAD: return false;
    default: return loads || cost >= COST_KEPT;
    }
}

/* What walk q is for. */
static void roots(const Program *p, const uint8_t *phase, const bool *kept, int q, bool *need) {
    bool reduced[PROG_MAX_INSTR];
    program_levels(p, reduced);
    for (int k = 0; k < p->ninstr; k++) {
        const Instr *i = &p->code[k];
        if (i->kind == P_REDUCE)
            need[k] = phase[k] == q + 1;
        else
            need[k] = !reduced[k] && phase[k] == q && (kept[k] || i->kind == P_STORE);
    }
}

void chain_needs(const Program *p, const uint8_t phase[PROG_MAX_INSTR],
                 const bool kept[PROG_MAX_INSTR], int q, bool need[PROG_MAX_INSTR]) {
    roots(p, phase, kept, q, need);
    for (int k = p->ninstr - 1; k >= 0; k--) {
        int use[3], n = instr_operands(&p->code[k], use);
        if (!need[k] || p->code[k].kind == P_SPREAD || (kept[k] && phase[k] < q)) continue;
        for (int j = 0; j < n; j++) need[use[j]] = true;
    }
}

void chain_kept(const Program *p, const uint8_t phase[PROG_MAX_INSTR], int walks, bool loads,
                bool kept[PROG_MAX_INSTR]) {
    uint8_t cost[PROG_MAX_INSTR];
    bool need[PROG_MAX_INSTR];
    costs(p, cost);
    memset(kept, 0, PROG_MAX_INSTR * sizeof *kept);
    for (int q = walks - 1; q > 0; q--) {
        roots(p, phase, kept, q, need);
        for (int k = p->ninstr - 1; k >= 0; k--) {
            int use[3], n = instr_operands(&p->code[k], use);
            if (!need[k] || p->code[k].kind == P_SPREAD) continue;
            if (phase[k] < q && is_worth_keeping(p, k, cost[k], loads)) kept[k] = true;
            if (phase[k] < q && kept[k]) continue;
            for (int j = 0; j < n; j++) need[use[j]] = true;
        }
    }
}

/* The first walk that needs each value, where all compute everything again. */
static void first_needs(const Program *p, const uint8_t *phase, int walks, uint8_t *first) {
    static const bool none[PROG_MAX_INSTR];
    bool need[PROG_MAX_INSTR];
    memset(first, walks, PROG_MAX_INSTR);
    for (int q = walks - 1; q >= 0; q--) {
        chain_needs(p, phase, none, q, need);
        for (int k = 0; k < p->ninstr; k++)
            if (need[k]) first[k] = (uint8_t)q;
    }
}

void chain_shared(const Program *p, int walks, uint8_t phase[PROG_MAX_INSTR],
                  bool kept[PROG_MAX_INSTR]) {
    uint8_t cost[PROG_MAX_INSTR], first[PROG_MAX_INSTR];
    bool need[PROG_MAX_INSTR];
    costs(p, cost);
    first_needs(p, phase, walks, first);
    memset(kept, 0, PROG_MAX_INSTR * sizeof *kept);
    for (int q = walks - 1; q > 0; q--) {
        roots(p, phase, kept, q, need);
        for (int k = p->ninstr - 1; k >= 0; k--) {
            const Instr *i = &p->code[k];
            int use[3], n = instr_operands(i, use);
            if (!need[k] || i->kind == P_SPREAD) continue;
            bool worth = i->kind == P_LOAD ? p->cls[i->slot] != ACC_BCAST : cost[k] >= COST_KEPT;
            if (first[k] < q && worth && !kept[k]) kept[k] = true, phase[k] = first[k];
            if (kept[k] && phase[k] < q) continue;
            for (int j = 0; j < n; j++) need[use[j]] = true;
        }
    }
}
