/* builtin_ops - one builtin for each NAME row of the op table, expanded from it.
 *
 * Callers: builtin.c, eval_call, help. Invariant: nothing is listed here; a new row of ops.def is a
 * new builtin. */
#include "interp/builtin_ops.h"
#include "interp/state.h"

#define SIG_1(name) name "(x)"
#define SIG_2(name) name "(x, y)"
#define SIG_3(name) name "(x, y, z)"
#define ROW_NAME(name, arity) \
    { SIG_##arity(#name), op_##name, NULL }
#define ROW_NONE \
    { NULL, NULL, NULL }
/* by level: only NAME rows are functions */
#define ROW_OF_HIDDEN(name, arity) ROW_NONE
#define ROW_OF_CMP(name, arity) ROW_NONE
#define ROW_OF_BITOR(name, arity) ROW_NONE
#define ROW_OF_BITXOR(name, arity) ROW_NONE
#define ROW_OF_BITAND(name, arity) ROW_NONE
#define ROW_OF_SHIFT(name, arity) ROW_NONE
#define ROW_OF_ADD(name, arity) ROW_NONE
#define ROW_OF_MUL(name, arity) ROW_NONE
#define ROW_OF_UNARY(name, arity) ROW_NONE
#define ROW_OF_POW(name, arity) ROW_NONE
#define ROW_OF_NAME(name, arity) ROW_NAME(name, arity)

#define OP(name, spelling, level, arity, rule, identity, example, expr)       \
    static inline Status op_##name(State *A, const Value *args, Value *out) { \
        return apply_op(A, OP_##name, args, arity, out);                      \
    }
#define STRUCT(name, arity, what)
#include "runtime/base/ops.def"
#undef OP
#undef STRUCT

static const BuiltinDef rows[OP_COUNT] = {
#define OP(name, spelling, level, arity, rule, identity, example, expr) \
    [OP_##name] = ROW_OF_##level(name, arity),
#define STRUCT(name, arity, what)
#include "runtime/base/ops.def"
#undef OP
#undef STRUCT
};

/* The one op whose operands have names of their own. */
static const BuiltinDef where_row = {"where(condition, x, y)", op_where, NULL};

/* Ops that a builtin of the families with more parameters stands for. */
static const BuiltinDef no_row = ROW_NONE;

const BuiltinDef *builtin_op_row(Op op) {
    if (op == OP_angle) return &no_row;
    return op == OP_where ? &where_row : &rows[op];
}

bool builtin_is_op(const BuiltinDef *def, Op *op) {
    if (def == &where_row) {
        *op = OP_where;
        return true;
    }
    if (def < rows || def >= rows + OP_COUNT) return false;
    *op = (Op)(def - rows);
    return true;
}
