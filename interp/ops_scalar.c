/* ops_scalar - operators on scalars, and the elementwise functions of one or two scalars that are
 * worth a direct call; any other op runs as a 0-d array.
 *
 * Callers: eval's operators, apply_op. Invariant: results are those of Python's scalars and of
 * an f64 or i64 array, but for integer overflow, which is an error here. Functions that libm gives
 * to less than 2 ulp are taken from it; others go through long double. */
#include "interp/ops_scalar.h"
#include "runtime/exec.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static Status overflow(State *A, Op op, const Value *a, const Value *b) {
    const char *sign = op_info(op)->spelling;
    if (!b) {
        return error_set(
            &A->cx, ARR_ERR_VALUE, SPAN_NONE,
            "integer overflow: %s(%lld) does not fit 64 bits: write float(x) for floats", sign,
            (long long)a->i);
    }
    return error_set(
        &A->cx, ARR_ERR_VALUE, SPAN_NONE,
        "integer overflow: %lld %s %lld does not fit 64 bits: write float(x) for floats",
        (long long)a->i, sign, (long long)b->i);
}

static Status refuse(State *A, Op op, const Value *args, int n, const char *remedy) {
    char head[64];
    return error_set(&A->cx, ARR_ERR_DTYPE, SPAN_NONE, "%s %s%s%s: %s", op_verb(op, head),
                     value_kind_name(args[0].kind), n > 1 ? " and " : "",
                     n > 1 ? value_kind_name(args[1].kind) : "", remedy);
}

static Status refuse_big(State *A, const Value *v) {
    return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE,
                     "%llu is beyond the 64-bit integers: it serves where the other side is u64 or "
                     "float",
                     (unsigned long long)v->u);
}

static double as_float(const Value *v) {
    switch (v->kind) {
    case V_BOOL: return v->b;
    case V_INT: return (double)v->i;
    case V_UINT: return (double)v->u;
    case V_FLOAT: return v->f;
    default: return v->c.re;
    }
}

static Complex128 as_complex(const Value *v) {
    return v->kind == V_COMPLEX ? v->c : (Complex128){as_float(v), 0};
}

static Value make_complex(double re, double im) {
    return (Value){.kind = V_COMPLEX, .c = {re, im}};
}

/* ---- integers ---- */

static Status int_pow(State *A, const Value *a, const Value *b, Value *out) {
    int64_t base = a->i, e = b->i, r = 1;
    if (e < 0) {
        *out = value_float(pow((double)base, (double)e));
        return ARR_OK;
    }
    if (base == 0 || base == 1 || base == -1) { /* any exponent */
        *out = value_int(e == 0 ? 1 : base == -1 && e % 2 == 0 ? 1 : base);
        return ARR_OK;
    }
    while (e > 0) {
        if (e & 1 && !mul_i64(r, base, &r)) return overflow(A, OP_pow, a, b);
        e >>= 1;
        if (e > 0 && !mul_i64(base, base, &base)) return overflow(A, OP_pow, a, b);
    }
    *out = value_int(r);
    return ARR_OK;
}

static int64_t int_floordiv(int64_t a, int64_t b) {
    if (b == 0) return 0;
    if (b == -1) return (int64_t)(0 - (uint64_t)a);
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t int_mod(int64_t a, int64_t b) {
    if (b == 0 || b == -1) return 0;
    int64_t m = a % b;
    return m != 0 && (m < 0) != (b < 0) ? m + b : m;
}

static Status int_shl(State *A, const Value *a, const Value *b, Value *out) {
    int64_t x = a->i, n = b->i;
    if (n < 0 || x == 0) {
        *out = value_int(0);
        return ARR_OK;
    }
    int64_t r = n < 63 ? (int64_t)((uint64_t)x << n) : 0;
    if (n >= 63 || r >> n != x) {
        if (n == 63 && x == -1)
            r = INT64_MIN;
        else
            return overflow(A, OP_shl, a, b);
    }
    *out = value_int(r);
    return ARR_OK;
}

static Status int_binary(State *A, Op op, const Value *a, const Value *b, Value *out) {
    int64_t x = a->i, y = b->i, r = 0;
    bool fits = true;
    switch (op) {
    case OP_add: fits = !__builtin_add_overflow(x, y, &r); break;
    case OP_sub: fits = !__builtin_sub_overflow(x, y, &r); break;
    case OP_mul: fits = !__builtin_mul_overflow(x, y, &r); break;
    case OP_div: *out = value_float((double)x / (double)y); return ARR_OK;
    case OP_floordiv: r = int_floordiv(x, y); break;
    case OP_mod: r = int_mod(x, y); break;
    case OP_pow: return int_pow(A, a, b, out);
    case OP_bit_and: r = x & y; break;
    case OP_bit_or: r = x | y; break;
    case OP_bit_xor: r = x ^ y; break;
    case OP_shl: return int_shl(A, a, b, out);
    case OP_shr: r = y < 0 ? (x < 0 ? -1 : 0) : x >> (y > 63 ? 63 : y); break;
    default: return ARR_INCOMPLETE;
    }
    if (!fits) return overflow(A, op, a, b);
    *out = value_int(r);
    return ARR_OK;
}

/* ---- floats: NumPy's floor division and remainder ---- */

static double float_divmod(double a, double b, double *mod) {
    double m = fmod(a, b);
    if (b == 0) {
        *mod = m;
        return a / b;
    }
    double q = (a - m) / b;
    if (m != 0) {
        if ((b < 0) != (m < 0)) {
            m += b;
            q -= 1;
        }
    } else {
        m = copysign(0.0, b);
    }
    *mod = m;
    if (q == 0) return copysign(0.0, a / b);
    double f = floor(q);
    return q - f > 0.5 ? f + 1 : f;
}

/* An integer exponent of 2, 3, 4 is a product from the left, of -1 a reciprocal. */
static double float_pow(double x, const Value *e) {
    if (e->kind == V_INT) {
        switch (e->i) {
        case 2: return x * x;
        case 3: return x * x * x;
        case 4: return x * x * x * x;
        case -1: return 1 / x;
        default: break;
        }
    }
    return pow(x, as_float(e));
}

static Status float_binary(Op op, const Value *a, const Value *b, Value *out) {
    double x = as_float(a), y = as_float(b), m;
    switch (op) {
    case OP_add: x += y; break;
    case OP_sub: x -= y; break;
    case OP_mul: x *= y; break;
    case OP_div: x /= y; break;
    case OP_floordiv: x = float_divmod(x, y, &m); break;
    case OP_mod:
        float_divmod(x, y, &m);
        x = m;
        break;
    case OP_pow: x = float_pow(x, b); break;
    default: return ARR_INCOMPLETE;
    }
    *out = value_float(x);
    return ARR_OK;
}

/* ---- complex: plain product, Smith's quotient ---- */

static Complex128 complex_mul(Complex128 a, Complex128 b) {
    return (Complex128){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static Complex128 complex_div(Complex128 a, Complex128 b) {
    if (fabs(b.re) >= fabs(b.im)) {
        if (b.re == 0 && b.im == 0) return (Complex128){a.re / fabs(b.re), a.im / fabs(b.re)};
        double r = b.im / b.re, d = 1.0 / (b.re + b.im * r);
        return (Complex128){(a.re + a.im * r) * d, (a.im - a.re * r) * d};
    }
    double r = b.re / b.im, d = 1.0 / (b.re * r + b.im);
    return (Complex128){(a.re * r + a.im) * d, (a.im * r - a.re) * d};
}

/* C's complex is laid out as two doubles; CMPLX is not everywhere. */
static double complex to_c(Complex128 z) {
    double complex c;
    memcpy(&c, &z, sizeof c);
    return c;
}
static Complex128 from_c(double complex z) { return (Complex128){creal(z), cimag(z)}; }

static Complex128 complex_pow(Complex128 a, const Value *e) {
    if (e->kind == V_INT && e->i >= 0 && e->i <= 4) {
        Complex128 r = {1, 0};
        if (e->i > 0) r = a;
        for (int64_t i = 1; i < e->i; i++) r = complex_mul(r, a);
        return r;
    }
    if (e->kind == V_INT && e->i == -1) return complex_div((Complex128){1, 0}, a);
    Complex128 b = as_complex(e);
    if (b.re == 0 && b.im == 0) return (Complex128){1, 0};
    if (a.re == 0 && a.im == 0 && b.re > 0 && b.im == 0) return (Complex128){0, 0};
    return from_c(cpow(to_c(a), to_c(b)));
}

static Status complex_binary(State *A, Op op, const Value *a, const Value *b, Value *out) {
    Complex128 x = as_complex(a), y = as_complex(b), r;
    switch (op) {
    case OP_add: r = (Complex128){x.re + y.re, x.im + y.im}; break;
    case OP_sub: r = (Complex128){x.re - y.re, x.im - y.im}; break;
    case OP_mul: r = complex_mul(x, y); break;
    case OP_div: r = complex_div(x, y); break;
    case OP_pow: r = complex_pow(x, b); break;
    case OP_floordiv:
    case OP_mod:
        return refuse(A, op, (Value[]){*a, *b}, 2, "complex numbers have no floor division");
    default: return ARR_INCOMPLETE;
    }
    *out = make_complex(r.re, r.im);
    return ARR_OK;
}

/* ---- comparisons ---- */

/* An integer v (int, uint or bool) against a float. */
static int compare_float(const Value *v, double f) {
    if (isnan(f)) return 2;
    if (f >= 18446744073709551616.0) return -1;
    if (f < -9223372036854775808.0) return 1;
    double whole = floor(f);
    if (v->kind == V_UINT) {
        if (whole < 9223372036854775808.0) return 1;
        uint64_t w = (uint64_t)whole;
        return v->u < w ? -1 : v->u > w ? 1 : whole < f ? -1 : 0;
    }
    if (whole >= 9223372036854775808.0) return -1;
    int64_t i = v->kind == V_BOOL ? v->b : v->i, w = (int64_t)whole;
    return i < w ? -1 : i > w ? 1 : whole < f ? -1 : 0;
}

int scalar_compare(const Value *a, const Value *b) {
    if (a->kind == V_FLOAT && b->kind == V_FLOAT) {
        return a->f < b->f ? -1 : a->f > b->f ? 1 : a->f == b->f ? 0 : 2;
    }
    if (b->kind == V_FLOAT) return compare_float(a, b->f);
    if (a->kind == V_FLOAT) {
        int c = compare_float(b, a->f);
        return c == 2 ? 2 : -c;
    }
    if (a->kind == V_UINT || b->kind == V_UINT) {
        if (a->kind != b->kind) return a->kind == V_UINT ? 1 : -1;
        return a->u < b->u ? -1 : a->u > b->u;
    }
    int64_t x = a->kind == V_BOOL ? a->b : a->i, y = b->kind == V_BOOL ? b->b : b->i;
    return x < y ? -1 : x > y;
}

static Status compare(State *A, Op op, const Value *args, Value *out) {
    if (args[0].kind == V_COMPLEX || args[1].kind == V_COMPLEX) {
        if (op != OP_eq && op != OP_ne) {
            return refuse(A, op, args, 2,
                          "complex numbers have no order: compare abs(x) or real(x)");
        }
        *out = value_bool(value_equal(&args[0], &args[1]) == (op == OP_eq));
        return ARR_OK;
    }
    int c = scalar_compare(&args[0], &args[1]);
    bool r = false;
    switch (op) {
    case OP_eq: r = c == 0; break;
    case OP_ne: r = c != 0; break;
    case OP_lt: r = c == -1; break;
    case OP_le: r = c == -1 || c == 0; break;
    case OP_gt: r = c == 1; break;
    default: r = c == 1 || c == 0; break;
    }
    *out = value_bool(r);
    return ARR_OK;
}

/* ---- operators ---- */

static const char use_bits[] = "use & | ^ ~, or i64(m) to count";

static Status bool_binary(State *A, Op op, const Value *args, Value *out) {
    bool x = args[0].b, y = args[1].b;
    switch (op) {
    case OP_bit_and: *out = value_bool(x && y); return ARR_OK;
    case OP_bit_or: *out = value_bool(x || y); return ARR_OK;
    case OP_bit_xor: *out = value_bool(x != y); return ARR_OK;
    default: return refuse(A, op, args, 2, use_bits);
    }
}

static bool is_bits(Op op) {
    OpRule r = op_info(op)->rule;
    return r == OR_BITS || r == OR_SHIFT;
}

static Status binary(State *A, Op op, const Value *args, Value *out) {
    const Value *a = &args[0], *b = &args[1];
    if (a->kind == V_INT && b->kind == V_INT) return int_binary(A, op, a, b, out);
    ValueKind widest = a->kind > b->kind ? a->kind : b->kind;
    if (widest == V_BOOL) return bool_binary(A, op, args, out);
    if (widest >= V_FLOAT && is_bits(op)) return refuse(A, op, args, 2, "bits are of integers");
    if (widest == V_COMPLEX) return complex_binary(A, op, a, b, out);
    if (widest == V_FLOAT) return float_binary(op, a, b, out);
    if (widest == V_UINT) return refuse_big(A, a->kind == V_UINT ? a : b);
    Value x = value_int(a->kind == V_BOOL ? a->b : a->i);
    Value y = value_int(b->kind == V_BOOL ? b->b : b->i);
    if (op_info(op)->rule == OR_SHIFT && (a->kind == V_BOOL || b->kind == V_BOOL)) {
        return refuse(A, op, args, 2, "shifts are of integers: write i64(x)");
    }
    return int_binary(A, op, &x, &y, out);
}

static Status negate(State *A, const Value *a, Value *out) {
    switch (a->kind) {
    case V_BOOL: return refuse(A, OP_neg, a, 1, use_bits);
    case V_INT:
        if (a->i == INT64_MIN) return overflow(A, OP_neg, a, NULL);
        *out = value_int(-a->i);
        return ARR_OK;
    case V_UINT: return refuse_big(A, a);
    case V_FLOAT: *out = value_float(-a->f); return ARR_OK;
    default: *out = make_complex(-a->c.re, -a->c.im); return ARR_OK;
    }
}

static Status bit_not(State *A, const Value *a, Value *out) {
    if (a->kind == V_BOOL)
        *out = value_bool(!a->b);
    else if (a->kind == V_INT)
        *out = value_int(~a->i);
    else if (a->kind == V_UINT)
        return refuse_big(A, a);
    else
        return refuse(A, OP_bit_not, a, 1, "bits are of integers");
    return ARR_OK;
}

/* ---- functions ---- */

static double one_float(Op op, double x, bool *known) {
    switch (op) {
    case OP_sqrt: return sqrt(x);
    case OP_exp: return exp(x);
    case OP_exp2: return exp2(x);
    case OP_expm1: return expm1(x);
    case OP_log: return log(x);
    case OP_log2: return log2(x);
    case OP_log10: return log10(x);
    case OP_log1p: return log1p(x);
    case OP_sin: return sin(x);
    case OP_cos: return cos(x);
    case OP_tan: return tan(x);
    case OP_asin: return asin(x);
    case OP_acos: return acos(x);
    case OP_atan: return atan(x);
    case OP_sinh: return (double)sinhl(x);
    case OP_cosh: return (double)coshl(x);
    case OP_tanh: return (double)tanhl(x);
    case OP_asinh: return (double)asinhl(x);
    case OP_acosh: return (double)acoshl(x);
    case OP_atanh: return (double)atanhl(x);
    case OP_cbrt: return (double)cbrtl(x);
    default: *known = false; return 0;
    }
}

/* false: not one of the direct ones. */
static bool one_direct(Op op, const Value *a, Value *out) {
    if (a->kind == V_COMPLEX || a->kind == V_UINT || a->kind == V_BOOL) return false;
    bool is_int = a->kind == V_INT;
    switch (op) {
    case OP_abs:
        *out = is_int ? value_int(a->i < 0 ? (int64_t)(0 - (uint64_t)a->i) : a->i)
                      : value_float(fabs(a->f));
        return true;
    case OP_sign:
        if (is_int)
            *out = value_int((a->i > 0) - (a->i < 0));
        else
            *out = value_float(isnan(a->f) ? a->f : (a->f > 0) - (a->f < 0));
        return true;
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_rint:
        if (is_int)
            *out = *a;
        else if (op == OP_floor)
            *out = value_float(floor(a->f));
        else if (op == OP_ceil)
            *out = value_float(ceil(a->f));
        else if (op == OP_trunc)
            *out = value_float(trunc(a->f));
        else
            *out = value_float(rint(a->f));
        return true;
    case OP_isnan: *out = value_bool(!is_int && isnan(a->f)); return true;
    case OP_isinf: *out = value_bool(!is_int && isinf(a->f)); return true;
    case OP_isfinite: *out = value_bool(is_int || isfinite(a->f)); return true;
    default: break;
    }
    bool known = true;
    double r = one_float(op, as_float(a), &known);
    if (known) *out = value_float(r);
    return known;
}

static bool two_direct(Op op, const Value *a, const Value *b, Value *out) {
    if (op != OP_minimum && op != OP_maximum) return false;
    bool ints = a->kind == V_INT && b->kind == V_INT,
         floats = a->kind == V_FLOAT || a->kind == V_INT;
    floats &= b->kind == V_FLOAT || b->kind == V_INT;
    if (ints) {
        bool first = op == OP_minimum ? a->i <= b->i : a->i >= b->i;
        *out = first ? *a : *b;
        return true;
    }
    if (!floats) return false;
    double x = as_float(a), y = as_float(b);
    bool first = isnan(x) || (!isnan(y) && (op == OP_minimum ? x <= y : x >= y));
    *out = value_float(first ? x : y);
    return true;
}

/* As 0-d arrays in 64 bits, whatever the default float. */
static Status through_graph(State *A, Op op, const Value *args, int n, Value *out) {
    Runtime *rt = A->rt;
    DType flt = rt->flt;
    rt->flt = DT_f64;
    Node *in[3] = {0}, *node = NULL;
    Operand operands[3] = {{0}};
    Status st = ARR_OK;
    for (int i = 0; i < n && st == ARR_OK; i++) {
        st = value_to_node(A, op_info(op)->spelling, &args[i], &in[i]);
        operands[i].node = in[i];
    }
    if (st == ARR_OK) st = graph_apply(rt, op, operands, n, &node);
    rt->flt = flt;
    Scalar s;
    if (st == ARR_OK) st = exec_scalar(rt, node, &s);
    if (st == ARR_OK) *out = value_from_scalar(s);
    node_release(rt, node);
    for (int i = 0; i < n; i++) node_release(rt, in[i]);
    return st;
}

static bool is_operator(Op op) { return op_info(op)->level > OL_NAME; }

Status scalar_apply(State *A, Op op, const Value *args, int n, Value *out) {
    OpRule rule = op_info(op)->rule;
    if (rule == OR_EQUAL || rule == OR_ORDER) return compare(A, op, args, out);
    if (n == 2 && is_operator(op)) {
        Status st = binary(A, op, args, out);
        if (st != ARR_INCOMPLETE) return st;
    }
    if (op == OP_neg) return negate(A, args, out);
    if (op == OP_bit_not) return bit_not(A, args, out);
    if (n == 1 && one_direct(op, args, out)) return ARR_OK;
    if (n == 2 && two_direct(op, &args[0], &args[1], out)) return ARR_OK;
    if (op == OP_where && args[0].kind == V_BOOL && args[1].kind == args[2].kind) {
        *out = args[0].b ? args[1] : args[2];
        return ARR_OK;
    }
    return through_graph(A, op, args, n, out);
}
