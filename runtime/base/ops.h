/* ops - the op table as data: names, arity, operator levels and result dtypes.
 * Callers: grammar-facing tables in interp, graph (dtypes), kernels (expressions), help. */
#ifndef ARR_OPS_H
#define ARR_OPS_H

#include "runtime/base/dtype.h"

typedef enum Op {
#define OP(name, spelling, level, arity, rule, identity, example, expr) OP_##name,
#define STRUCT(name, arity, what) OP_##name,
#include "runtime/base/ops.def"
#undef OP
#undef STRUCT
    OP_COUNT
} Op;

typedef enum OpLevel {
    OL_STRUCT,
    OL_HIDDEN,
    OL_NAME,
    OL_CMP,
    OL_BITOR,
    OL_BITXOR,
    OL_BITAND,
    OL_SHIFT,
    OL_ADD,
    OL_MUL,
    OL_UNARY,
    OL_POW
} OpLevel;

/* How operands are promoted (all to one dtype T unless said) and what comes out. */
typedef enum OpRule {
    OR_NONE,     /* STRUCT rows */
    OR_ARITH,    /* any number -> T; bool with bool is an error ("use & | ^ ~") */
    OR_MODULO,   /* as ARITH; complex is an error */
    OR_DIV,      /* integers to the default float -> T; bool with bool is an error */
    OR_EQUAL,    /* any -> bool; mixed u64/signed and weak scalars out of range are exact */
    OR_ORDER,    /* as EQUAL; complex is an error */
    OR_BITS,     /* integers or bool -> T */
    OR_SHIFT,    /* integers (bool: error) -> T */
    OR_NUM,      /* any number, bool is an error -> T */
    OR_ROUND,    /* real -> T (integers unchanged); complex is an error */
    OR_ABS,      /* as NUM; complex -> its real dtype; bool unchanged */
    OR_REAL,     /* any -> real dtype of T */
    OR_ANGLE,    /* integers to the default float -> real dtype of T */
    OR_FLOAT,    /* integers and bool to the default float -> T, complex allowed */
    OR_REALF,    /* as FLOAT; complex is an error */
    OR_PRED,     /* any -> bool */
    OR_PREDREAL, /* real -> bool */
    OR_MINMAX,   /* real or bool -> T */
    OR_SELECT,   /* a is bool, b and c promote to T -> T */
    OR_INTEGER,  /* integers -> T */
    OR_TOCOMPLEX /* reals to the default float -> complex of T */
} OpRule;

typedef struct OpInfo {
    const char *name;     /* enum name: "add" */
    const char *spelling; /* "+" or the builtin's name */
    OpLevel level;
    int arity; /* -1: any */
    OpRule rule;
    const char *identity; /* or NULL */
    const char *example;  /* or NULL */
    const char *expr;     /* the meaning column as text; NULL for STRUCT rows */
} OpInfo;

const OpInfo *op_info(Op op);
static inline bool op_is_elementwise(Op op) { return op < OP_leaf; }
/* The builtin op of that name (level NAME), for calls like exp(x). */
bool op_find(const char *name, size_t n, Op *out);
/* An operator of that spelling and arity. */
bool op_find_operator(const char *spelling, int arity, Op *out);
/* "cannot add", "cannot apply exp to": how messages begin. */
const char *op_verb(Op op, char out[64]);

/* One operand as the rules see it. */
typedef struct OpArg {
    bool weak;   /* a language scalar: value in s */
    DType dtype; /* of an array operand */
    Scalar s;
} OpArg;

/* Result dtypes by the op's rule: *in is what every operand (b and c of SELECT) is cast to before
 * the expression, *out the result's dtype. Errors (position cx->span) name the op, both dtypes and
 * the remedy. All operands weak is the caller's case (scalar arithmetic). For EQUAL/ORDER of
 * operands with no common dtype (u64 with signed; a weak integer that does not fit) *in is the
 * array's dtype and *exact tells how to finish: 0 normal, otherwise compare by kernels' exact
 * helper (u64 against i64) or fold to a constant (-1: scalar is below every value, 1: above). */
typedef struct OpTypes {
    DType in, out;
    enum { OPX_NORMAL, OPX_MIXED_SIGN, OPX_BELOW, OPX_ABOVE } exact;
} OpTypes;
Status op_types(Cx *cx, Op op, const OpArg *args, int n, DType flt, OpTypes *out);

#endif
