/* ops - the op table as data, and the rules of result dtypes (see ops.h).
 *
 * Callers: graph (result dtypes of every node), the interpreter's tables, help, kernels. The rules
 * work on what all operands promote to; an operand that cannot take part is named in the error
 * together with what to write instead. Invariant: the answer depends on dtypes and scalar kinds
 * only, never on which operand came first, except that messages keep the order of the source. */
#include "runtime/base/ops.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const OpInfo table[OP_COUNT] = {
#define OP(name, spelling, level, arity, rule, identity, example, expr) \
    {#name, spelling, OL_##level, arity, OR_##rule, identity, example, #expr},
#define STRUCT(name, arity, what) {#name, #name, OL_STRUCT, arity, OR_NONE, NULL, NULL, NULL},
#include "runtime/base/ops.def"
#undef OP
#undef STRUCT
};

const OpInfo *op_info(Op op) { return &table[op]; }

bool op_find(const char *name, size_t n, Op *out) {
    for (int i = 0; i < OP_COUNT; i++) {
        const OpInfo *o = &table[i];
        if (o->level == OL_NAME && strlen(o->spelling) == n && memcmp(o->spelling, name, n) == 0) {
            *out = (Op)i;
            return true;
        }
    }
    return false;
}

bool op_find_operator(const char *spelling, int arity, Op *out) {
    for (int i = 0; i < OP_COUNT; i++) {
        const OpInfo *o = &table[i];
        if (o->level >= OL_CMP && o->arity == arity && strcmp(o->spelling, spelling) == 0) {
            *out = (Op)i;
            return true;
        }
    }
    return false;
}

const char *op_verb(Op op, char out[64]) {
    switch (op) {
    case OP_add: return "cannot add";
    case OP_sub: return "cannot subtract";
    case OP_mul: return "cannot multiply";
    case OP_div: return "cannot divide";
    case OP_neg: return "cannot negate";
    default: break;
    }
    const OpInfo *o = &table[op];
    bool compares = o->rule == OR_EQUAL || o->rule == OR_ORDER;
    snprintf(out, 64, compares ? "cannot compare (%s)" : "cannot apply %s to", o->spelling);
    return out;
}

static const char *arg_text(const OpArg *a, char out[64]) {
    if (!a->weak) return dtype_name(a->dtype);
    scalar_text(&a->s, out);
    return out;
}

/* "cannot add u8 and 300: <why>" */
static Status refuse(Cx *cx, Status s, Op op, const OpArg *args, int n, const char *why) {
    char head[64], text[3][64], list[224] = "";
    for (int i = 0; i < n; i++) {
        size_t len = strlen(list);
        const char *between = i == 0 ? "" : i + 1 < n ? ", " : " and ";
        snprintf(list + len, sizeof list - len, "%s%s", between, arg_text(&args[i], text[i]));
    }
    return error_set(cx, s, cx->span, "%s %s: %s", op_verb(op, head), list, why);
}

static Status refuse_dtype(Cx *cx, Op op, const OpArg *args, int n, const char *why) {
    return refuse(cx, ARR_ERR_DTYPE, op, args, n, why);
}

/* The dtypes of the array operands among args[first..n) together; bool when all are weak, which is
 * the neutral element of promotion. false: u64 met a signed integer. */
static bool promote_arrays(const OpArg *args, int first, int n, DType *out) {
    *out = DT_bool;
    for (int i = first; i < n; i++)
        if (!args[i].weak && !dtype_promote(*out, args[i].dtype, out)) return false;
    return true;
}

static DType meet_weak(DType t, const OpArg *args, int first, int n, DType flt) {
    for (int i = first; i < n; i++)
        if (args[i].weak) t = dtype_weak(t, &args[i].s, flt);
    return t;
}

static const OpArg *misfit(DType t, const OpArg *args, int first, int n) {
    for (int i = first; i < n; i++)
        if (args[i].weak && !scalar_fits(&args[i].s, t)) return &args[i];
    return NULL;
}

static Status refuse_mixed(Cx *cx, Op op, const OpArg *args, int n) {
    return refuse_dtype(cx, op, args, n,
                        "no dtype holds both u64 and signed integers; cast one side: i64(x) of the "
                        "u64, or u64(x) of the other");
}

static Status refuse_misfit(Cx *cx, Op op, const OpArg *args, int n, const OpArg *bad, DType t) {
    char why[256], text[64];
    scalar_text(&bad->s, text);
    snprintf(why, sizeof why,
             "%s does not fit %s; widen the array with i64(x), or its element with int(x)", text,
             dtype_name(t));
    return refuse_dtype(cx, op, args, n, why);
}

/* One dtype for args[first..n), or the error that says which cast is missing. */
static Status common(Cx *cx, Op op, const OpArg *args, int first, int n, DType flt, DType *out) {
    DType t;
    if (!promote_arrays(args, first, n, &t)) return refuse_mixed(cx, op, args, n);
    t = meet_weak(t, args, first, n, flt);
    const OpArg *bad = misfit(t, args, first, n);
    if (bad) return refuse_misfit(cx, op, args, n, bad, t);
    *out = t;
    return ARR_OK;
}

/* Comparisons: operands without a common dtype are compared exactly, never refused. */
static Status compare(Cx *cx, Op op, const OpArg *args, int n, DType flt, OpTypes *r) {
    r->out = DT_bool;
    if (!promote_arrays(args, 0, n, &r->in)) {
        r->in = DT_u64;
        r->exact = OPX_MIXED_SIGN;
        return ARR_OK;
    }
    r->in = meet_weak(r->in, args, 0, n, flt);
    if (op_info(op)->rule == OR_ORDER && dtype_is_complex(r->in))
        return refuse_dtype(cx, op, args, n,
                            "complex numbers have no order; compare real(x), imag(x) or abs(x)");
    const OpArg *bad = misfit(r->in, args, 0, n);
    if (bad) r->exact = bad->s.kind == SC_INT && bad->s.i < 0 ? OPX_BELOW : OPX_ABOVE;
    return ARR_OK;
}

static Status select_types(Cx *cx, Op op, const OpArg *args, int n, DType flt, OpTypes *r) {
    bool mask = args[0].weak ? args[0].s.kind == SC_BOOL : args[0].dtype == DT_bool;
    if (!mask) return refuse_dtype(cx, op, args, n, "the condition must be boolean; write x != 0");
    TRY(common(cx, op, args, 1, n, flt, &r->in));
    r->out = r->in;
    return ARR_OK;
}

/* An integer array to a negative scalar power would be a silent 0 (or 1). */
static bool negative_power(Op op, const OpArg *args, DType t) {
    return op == OP_pow && dtype_is_int(t) && args[1].weak && args[1].s.kind == SC_INT &&
           args[1].s.i < 0;
}

static Status arith(Cx *cx, Op op, const OpArg *args, int n, OpTypes *r) {
    if (r->in == DT_bool)
        return refuse_dtype(cx, op, args, n, "use & | ^ ~ on booleans, or i64(m) to count");
    if (negative_power(op, args, r->in))
        return refuse(cx, ARR_ERR_VALUE, op, args, n,
                      "an integer to a negative power is no integer; cast first: f64(x)");
    return ARR_OK;
}

/* Integer operands become the default float; where that is f32, a quotient is still computed in f64
 * and rounded once. */
static Status quotient(Cx *cx, Op op, const OpArg *args, int n, DType flt, OpTypes *r) {
    if (r->in == DT_bool)
        return refuse_dtype(cx, op, args, n, "use & | ^ ~ on booleans, or i64(m) to count");
    if (dtype_is_int(r->in)) {
        r->in = DT_f64;
        r->out = flt;
    }
    return ARR_OK;
}

static DType float_of(DType t, DType flt) { return dtype_kind(t) < DK_FLOAT ? flt : t; }

Status op_types(Cx *cx, Op op, const OpArg *args, int n, DType flt, OpTypes *out) {
    OpRule rule = op_info(op)->rule;
    OpTypes r = {DT_bool, DT_bool, OPX_NORMAL};
    assert(rule != OR_NONE && n == op_info(op)->arity);
    if (rule == OR_EQUAL || rule == OR_ORDER || rule == OR_SELECT) {
        TRY(rule == OR_SELECT ? select_types(cx, op, args, n, flt, &r)
                              : compare(cx, op, args, n, flt, &r));
        *out = r;
        return ARR_OK;
    }
    TRY(common(cx, op, args, 0, n, flt, &r.in));
    bool complex = dtype_is_complex(r.in), real_only = false;
    const char *why = NULL;
    r.out = r.in;
    switch (rule) {
    case OR_MODULO: real_only = true; /* fall through */
    case OR_ARITH: TRY(arith(cx, op, args, n, &r)); break;
    case OR_DIV: TRY(quotient(cx, op, args, n, flt, &r)); break;
    case OR_BITS:
        if (r.in != DT_bool && !dtype_is_int(r.in)) why = "it needs integers or booleans";
        break;
    case OR_SHIFT:
        if (r.in == DT_bool)
            why = "use & | ^ ~ on booleans, or i64(m) to count";
        else if (!dtype_is_int(r.in))
            why = "it needs integers";
        break;
    case OR_INTEGER:
        if (!dtype_is_int(r.in)) why = "it needs integers; cast with i64(x)";
        break;
    case OR_NUM:
        if (r.in == DT_bool) why = "it needs numbers; write i64(m) for a boolean";
        break;
    case OR_ABS:
    case OR_REAL: r.out = dtype_real(r.in); break;
    case OR_ANGLE:
        r.in = float_of(r.in, flt);
        r.out = dtype_real(r.in);
        break;
    case OR_REALF: real_only = true; /* fall through */
    case OR_FLOAT: r.in = r.out = float_of(r.in, flt); break;
    case OR_PREDREAL: real_only = true; /* fall through */
    case OR_PRED: r.out = DT_bool; break;
    case OR_ROUND:
    case OR_MINMAX: real_only = true; break;
    case OR_TOCOMPLEX:
        real_only = true;
        r.out = dtype_complex(float_of(r.in, flt));
        r.in = dtype_real(r.out);
        break;
    default: break;
    }
    if (complex && real_only) why = "it is not defined for complex numbers; use real, imag or abs";
    if (why) return refuse_dtype(cx, op, args, n, why);
    *out = r;
    return ARR_OK;
}
