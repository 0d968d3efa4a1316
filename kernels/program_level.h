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
/* Does an element of the slot lie beyond 32-bit index arithmetic? */
bool program_slot_is_wide(const Program *p, const ProgArgs *a, const SlotArg *s);

#endif
