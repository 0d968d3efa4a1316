/* program_level - facts about instructions that the back ends share. */
#ifndef ARR_PROGRAM_LEVEL_H
#define ARR_PROGRAM_LEVEL_H

#include "kernels/program.h"

/* Operands of an instruction (values it reads): their number, and which. */
int instr_operands(const Instr *i, int out[3]);
bool instr_has_slot(const Instr *i);
/* reduced[k]: value k exists once per output (a reduction or computed from one), not once per
 * element of the loop nest. In a map (nred 0) nothing is reduced. */
void program_levels(const Program *p, bool reduced[PROG_MAX_INSTR]);
/* Some reduction's result is used for the elements again. */
bool program_is_chain(const Program *p);
/* The walks over an output's elements. phase[k]: of a value of an element, and of its store, the
 * first walk in which it can be computed; of a value of an output the number of walks after which
 * it can. Answers the number of walks (0 in a map). */
int program_phases(const Program *p, uint8_t phase[PROG_MAX_INSTR]);
/* Values of elements that a walk makes for later ones, rather than that those make them again: of
 * what they need, all that costs more than a few additions, and with `loads` also what was read.
 * need[k] of chain_needs: walk q computes instruction k, reduces it, stores it, or finds it made
 * (a spread value, or a kept one of an earlier walk). */
void chain_kept(const Program *p, const uint8_t phase[PROG_MAX_INSTR], int walks, bool loads,
                bool kept[PROG_MAX_INSTR]);
void chain_needs(
    const Program *p, const uint8_t phase[PROG_MAX_INSTR], const bool kept[PROG_MAX_INSTR], int q,
    bool need[PROG_MAX_INSTR]); /* The same for a memory that has room for whole outputs: of what a
                                 * walk makes or reads anyway, what a later one needs again and
                                 * would have to load or to compute at some cost. phase of what is
                                 * kept becomes the walk that makes it, so that chain_needs can be
                                 * asked next. */
void chain_shared(const Program *p, int walks, uint8_t phase[PROG_MAX_INSTR],
                  bool kept[PROG_MAX_INSTR]);

/* Does an element of the slot lie beyond 32-bit index arithmetic? */
bool program_slot_is_wide(const Program *p, const ProgArgs *a, const SlotArg *s);

#endif
