/* loops_type - the op loops of one dtype, expanded from ops.def. Included by loops_body.h and
 * loops_cpu_complex.c once per dtype, after defining:
 *   XT     the dtype's name       T  its C type in memory
 *   KIND_BOOL, KIND_INT, KIND_FLOAT or KIND_COMPLEX: its kind
 *   TR     the type of abs, real, imag and angle      TC the type of complex(a, b) (KIND_FLOAT)
 * Leaves the table loops_<XT>, of floats lefts_<XT> and rights_<XT> too (one operand is the same
 * element throughout), and undefines what it was given. */

#define LOOP_NAME(name) X_GLUE(X_GLUE(loop, name), XT)

#if defined(KIND_BOOL)
#define XV xbool
#else
#define XV T
#endif

#if defined(KIND_FLOAT)
/* Elementary functions: the vector library's loop; for all other ops this folds to nothing. */
#define TRY_MATH(name)                            \
    Loop math = X_GLUE(math_loop, XT)(OP_##name); \
    if (math) {                                   \
        math(n, out, va, vb, vc);                 \
        return;                                   \
    }
#else
#define TRY_MATH(name)
#endif

/* Of a sum or product of floats the loop's own instructions are half the time: four vectors a turn.
 */
#if defined(KIND_FLOAT) && !defined(__clang__)
#define FOUR_EACH _Pragma("GCC unroll 4")
#else
#define FOUR_EACH
#endif

/* What the kinds have. Each RULE either makes a loop or nothing. */
#define MAKE(name, arity, U, expr) MAKE_##arity(name, U, expr)
#define MAKE_1(name, U, expr)                                                        \
    static void LOOP_NAME(name)(size_t n, void *out, const void *va, const void *vb, \
                                const void *vc) {                                    \
        TRY_MATH(name)                                                               \
        const T *pa = va;                                                            \
        U *po = out;                                                                 \
        (void)vb, (void)vc;                                                          \
        INDEPENDENT                                                                  \
        for (size_t i = 0; i < n; i++) {                                             \
            XV a = pa[i];                                                            \
            po[i] = expr;                                                            \
        }                                                                            \
    }
#define MAKE_2(name, U, expr)                                                        \
    static void LOOP_NAME(name)(size_t n, void *out, const void *va, const void *vb, \
                                const void *vc) {                                    \
        TRY_MATH(name)                                                               \
        const T *pa = va, *pb = vb;                                                  \
        U *po = out;                                                                 \
        (void)vc;                                                                    \
        INDEPENDENT FOUR_EACH for (size_t i = 0; i < n; i++) {                       \
            XV a = pa[i], b = pb[i];                                                 \
            po[i] = expr;                                                            \
        }                                                                            \
    }
#define MAKE_3(name, U, expr)                                                        \
    static void LOOP_NAME(name)(size_t n, void *out, const void *va, const void *vb, \
                                const void *vc) {                                    \
        const T *pa = va, *pb = vb, *pc = vc;                                        \
        U *po = out;                                                                 \
        INDEPENDENT                                                                  \
        for (size_t i = 0; i < n; i++) {                                             \
            XV a = pa[i], b = pb[i], c = pc[i];                                      \
            po[i] = expr;                                                            \
        }                                                                            \
    }
#define MAKE_SELECT(name, expr)                                                      \
    static void LOOP_NAME(name)(size_t n, void *out, const void *va, const void *vb, \
                                const void *vc) {                                    \
        const uint8_t *pa = va;                                                      \
        const T *pb = vb, *pc = vc;                                                  \
        T *po = out;                                                                 \
        INDEPENDENT                                                                  \
        for (size_t i = 0; i < n; i++) {                                             \
            xbool a = pa[i];                                                         \
            T b = pb[i], c = pc[i];                                                  \
            po[i] = expr;                                                            \
        }                                                                            \
    }
#define ENTRY(name, arity, U, expr) [OP_##name] = LOOP_NAME(name),
#define ENTRY_SELECT(name, expr) [OP_##name] = LOOP_NAME(name),

#define IF_ANY(...) __VA_ARGS__
#define IF_NONE(...)
#if defined(KIND_BOOL)
#define IF_NUMBER IF_NONE
#define IF_REALNUM IF_NONE
#define IF_REAL IF_ANY
#define IF_INT IF_NONE
#define IF_BITS IF_ANY
#define IF_FLOAT IF_NONE
#define IF_REALF IF_NONE
#define IF_ANGLE IF_NONE
#elif defined(KIND_INT)
#define IF_NUMBER IF_ANY
#define IF_REALNUM IF_ANY
#define IF_REAL IF_ANY
#define IF_INT IF_ANY
#define IF_BITS IF_ANY
#define IF_FLOAT IF_NONE
#define IF_REALF IF_NONE
#define IF_ANGLE IF_NONE
#elif defined(KIND_FLOAT)
#define IF_NUMBER IF_ANY
#define IF_REALNUM IF_ANY
#define IF_REAL IF_ANY
#define IF_INT IF_NONE
#define IF_BITS IF_NONE
#define IF_FLOAT IF_ANY
#define IF_REALF IF_ANY
#define IF_ANGLE IF_ANY
#else
#define IF_NUMBER IF_ANY
#define IF_REALNUM IF_NONE
#define IF_REAL IF_NONE
#define IF_INT IF_NONE
#define IF_BITS IF_NONE
#define IF_FLOAT IF_ANY
#define IF_REALF IF_NONE
#define IF_ANGLE IF_ANY
#endif

#define RULE_ARITH(n, ar, e) IF_NUMBER(DO(n, ar, T, e))
#define RULE_MODULO(n, ar, e) IF_REALNUM(DO(n, ar, T, e))
#define RULE_DIV(n, ar, e) IF_FLOAT(DO(n, ar, T, e))
#define RULE_EQUAL(n, ar, e) DO(n, ar, uint8_t, e)
#define RULE_ORDER(n, ar, e) IF_REAL(DO(n, ar, uint8_t, e))
#define RULE_BITS(n, ar, e) IF_BITS(DO(n, ar, T, e))
#define RULE_SHIFT(n, ar, e) IF_INT(DO(n, ar, T, e))
#define RULE_NUM(n, ar, e) IF_NUMBER(DO(n, ar, T, e))
#define RULE_ROUND(n, ar, e) IF_REAL(DO(n, ar, T, e))
#define RULE_ABS(n, ar, e) DO(n, ar, TR, e)
#define RULE_REAL(n, ar, e) DO(n, ar, TR, e)
#define RULE_ANGLE(n, ar, e) IF_ANGLE(DO(n, ar, TR, e))
#define RULE_FLOAT(n, ar, e) IF_FLOAT(DO(n, ar, T, e))
#define RULE_REALF(n, ar, e) IF_REALF(DO(n, ar, T, e))
#define RULE_PRED(n, ar, e) DO(n, ar, uint8_t, e)
#define RULE_PREDREAL(n, ar, e) IF_REAL(DO(n, ar, uint8_t, e))
#define RULE_MINMAX(n, ar, e) IF_REAL(DO(n, ar, T, e))
#define RULE_SELECT(n, ar, e) DO_SELECT(n, e)
#define RULE_INTEGER(n, ar, e) IF_INT(DO(n, ar, T, e))
#define RULE_TOCOMPLEX(n, ar, e) IF_REALF(DO(n, ar, TC, e))

#define OP(name, spelling, level, arity, rule, identity, example, expr) \
    RULE_##rule(name, arity, (expr))
#define STRUCT(name, arity, what)

#define DO MAKE
#define DO_SELECT MAKE_SELECT
#include "runtime/base/ops.def"
#undef DO
#undef DO_SELECT

#define DO ENTRY
#define DO_SELECT ENTRY_SELECT
static const Loop X_GLUE(loops, XT)[OP_leaf] = {
#include "runtime/base/ops.def"
};
#undef DO
#undef DO_SELECT

#if defined(KIND_FLOAT)
#define LOOP_SIDE(name, side) X_GLUE(X_GLUE(loop##side, name), XT)
/* Elementary functions have none: what would be a loop around them folds to nothing. */
#define SIDE(name, U, expr, side, A, B)                                                    \
    static void LOOP_SIDE(name, side)(size_t n, void *out, const void *va, const void *vb, \
                                      const void *vc) {                                    \
        const T *pa = va, *pb = vb;                                                        \
        U *po = out;                                                                       \
        (void)vc;                                                                          \
        if (X_GLUE(math_loop, XT)(OP_##name)) return;                                      \
        const XV one = side ? *pb : *pa;                                                   \
        INDEPENDENT FOUR_EACH for (size_t i = 0; i < n; i++) {                             \
            XV a = A, b = B;                                                               \
            po[i] = expr;                                                                  \
        }                                                                                  \
    }
#define SIDES_1(name, U, expr)
#define SIDES_2(name, U, expr)         \
    SIDE(name, U, expr, 0, one, pb[i]) \
    SIDE(name, U, expr, 1, pa[i], one)
#define SIDES(name, arity, U, expr) SIDES_##arity(name, U, expr)
#define LEFT_1(name)
#define LEFT_2(name) [OP_##name] = LOOP_SIDE(name, 0),
#define LEFT(name, arity, U, expr) LEFT_##arity(name)
#define RIGHT_1(name)
#define RIGHT_2(name) [OP_##name] = LOOP_SIDE(name, 1),
#define RIGHT(name, arity, U, expr) RIGHT_##arity(name)
#undef RULE_MODULO
#undef RULE_NUM
#undef RULE_ROUND
#undef RULE_ABS
#undef RULE_REAL
#undef RULE_ANGLE
#undef RULE_FLOAT
#undef RULE_REALF
#undef RULE_PRED
#undef RULE_PREDREAL
#undef RULE_SELECT
#undef RULE_TOCOMPLEX
#define RULE_MODULO(n, ar, e)
#define RULE_NUM(n, ar, e)
#define RULE_ROUND(n, ar, e)
#define RULE_ABS(n, ar, e)
#define RULE_REAL(n, ar, e)
#define RULE_ANGLE(n, ar, e)
#define RULE_FLOAT(n, ar, e)
#define RULE_REALF(n, ar, e)
#define RULE_PRED(n, ar, e)
#define RULE_PREDREAL(n, ar, e)
#define RULE_SELECT(n, ar, e)
#define RULE_TOCOMPLEX(n, ar, e)
#define DO SIDES
#include "runtime/base/ops.def"
#undef DO
#define DO LEFT
static const Loop X_GLUE(lefts, XT)[OP_leaf] = {
#include "runtime/base/ops.def"
};
#undef DO
#define DO RIGHT
static const Loop X_GLUE(rights, XT)[OP_leaf] = {
#include "runtime/base/ops.def"
};
#undef DO
#undef SIDE
#undef LOOP_SIDE
#undef SIDES
#undef SIDES_1
#undef SIDES_2
#undef LEFT
#undef LEFT_1
#undef LEFT_2
#undef RIGHT
#undef RIGHT_1
#undef RIGHT_2
#endif

#undef OP
#undef STRUCT
#undef LOOP_NAME
#undef FOUR_EACH
#undef XV
#undef TRY_MATH
#undef MAKE
#undef MAKE_1
#undef MAKE_2
#undef MAKE_3
#undef MAKE_SELECT
#undef ENTRY
#undef ENTRY_SELECT
#undef IF_ANY
#undef IF_NONE
#undef IF_NUMBER
#undef IF_REALNUM
#undef IF_REAL
#undef IF_INT
#undef IF_BITS
#undef IF_FLOAT
#undef IF_REALF
#undef IF_ANGLE
#undef RULE_ARITH
#undef RULE_MODULO
#undef RULE_DIV
#undef RULE_EQUAL
#undef RULE_ORDER
#undef RULE_BITS
#undef RULE_SHIFT
#undef RULE_NUM
#undef RULE_ROUND
#undef RULE_ABS
#undef RULE_REAL
#undef RULE_ANGLE
#undef RULE_FLOAT
#undef RULE_REALF
#undef RULE_PRED
#undef RULE_PREDREAL
#undef RULE_MINMAX
#undef RULE_SELECT
#undef RULE_INTEGER
#undef RULE_TOCOMPLEX
#undef KIND_BOOL
#undef KIND_INT
#undef KIND_FLOAT
#undef KIND_COMPLEX
#undef XT
#undef T
#undef TR
#undef TC
