/* builtin_ops - elementwise ops of the op table as builtins.
 * Callers: builtin.c (finding), eval_call (calls without binding), help. */
#ifndef ARR_BUILTIN_OPS_H
#define ARR_BUILTIN_OPS_H

#include "interp/builtin.h"

/* A row for each op; sig NULL where the op is no function (operators, graph nodes). */
const BuiltinDef *builtin_op_row(Op op);
bool builtin_is_op(const BuiltinDef *def, Op *op);

#endif
