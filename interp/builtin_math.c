/* builtin_math - elementwise functions that are no single op: round clip pow divmod nan_to_num
 * bitcast.
 *
 * Callers: calls by name. Of scalars alone they give scalars, as the ops that they are made of do.
 * The plain compositions (lerp, sigmoid, polyval ...) are Arr functions in stdlib. */
#include "interp/builtin_util.h"

#include <math.h>

/* ---- round ---- */

/* To multiples of p = 10^k, halves to the even multiple; exact. In 64 bits, so that p fits. */
static Value round_integers(Calc *c, Value x, int64_t k) {
    DType t = calc_type(c, x);
    bool scalar = x.kind != V_ARRAY;
    if (k > 18) return scalar ? value_int(0) : calc_full(c, t, calc_shape(x), value_int(0));
    int64_t p = 1;
    for (; k > 0; k--) p *= 10;
    Value wide = scalar ? x : calc_cast(c, x, t == DT_u64 ? DT_u64 : DT_i64), unit = value_int(p);
    Value q = calc_2(c, OP_floordiv, wide, unit), r = calc_2(c, OP_mod, wide, unit);
    Value half = value_int(p / 2),
          odd = calc_2(c, OP_ne, calc_2(c, OP_mod, q, value_int(2)), value_int(0));
    Value tie = calc_2(c, OP_bit_and, calc_2(c, OP_eq, r, half), odd);
    Value up = calc_2(c, OP_bit_or, calc_2(c, OP_gt, r, half), tie);
    Value result = calc_mul(c, calc_where(c, up, calc_add(c, q, value_int(1)), q), unit);
    return scalar ? result : calc_cast(c, result, t);
}

/* Scaled, rounded, scaled back, as NumPy does; what is too large to scale has no digits there. */
static Value round_floats(Calc *c, Value x, int64_t d) {
    if (d == 0) return calc_1(c, OP_rint, x);
    Value p = value_float(pow(10, (double)(d < 0 ? -d : d)));
    Value scaled = calc_2(c, d > 0 ? OP_mul : OP_div, x, p);
    Value r = calc_2(c, d > 0 ? OP_div : OP_mul, calc_1(c, OP_rint, scaled), p);
    return calc_where(c, calc_1(c, OP_isfinite, scaled), r, x);
}

static Status math_round(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "round");
    Value x = calc_number(&c, "a", &args[0]), r = VALUE_UNSET;
    int64_t d = calc_int(&c, "decimals", &args[1]);
    DType t = calc_ok(&c) ? calc_type(&c, x) : DT_f64;
    if (dtype_kind(t) < DK_FLOAT && d >= 0) {
        r = x;
    } else if (dtype_is_int(t) && calc_ok(&c)) {
        r = round_integers(&c, x, -d);
    } else if (dtype_is_complex(t)) {
        Value re = round_floats(&c, calc_1(&c, OP_real, x), d);
        Value im = round_floats(&c, calc_1(&c, OP_imag, x), d);
        r = calc_2(&c, OP_make_complex, re, im);
    } else {
        r = round_floats(&c, x, d);
    }
    return calc_done(&c, r, out);
}

/* ---- angle ---- */

static Status math_angle(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "angle");
    Value r = calc_1(&c, OP_angle, calc_number(&c, "z", &args[0]));
    bool deg = calc_flag(&c, "deg", &args[1]);
    return calc_done(&c, deg ? calc_1(&c, OP_degrees, r) : r, out);
}

/* ---- clip, divmod ---- */

/* x and a bound, refused in clip's words. */
static Value bounded(Calc *c, Op op, const char *what, Value x, Value bound) {
    if (!calc_ok(c)) return VALUE_UNSET;
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    calc_describe(x, a);
    calc_describe(bound, b);
    DType t = calc_type(c, x);
    Scalar s;
    Shape xs = calc_shape(x), bs = calc_shape(bound), both;
    if (dtype_is_complex(t) || dtype_is_complex(calc_type(c, bound)))
        return calc_fail(c, ARR_ERR_DTYPE, "a and %s must be real, not %s and %s", what, a, b);
    if (!shape_broadcast(&xs, &bs, &both))
        return calc_fail(c, ARR_ERR_SHAPE, "a and %s do not broadcast together: %s and %s", what, a,
                         b);
    bool whole = x.kind == V_ARRAY && (bound.kind == V_INT || bound.kind == V_UINT);
    if (whole && calc_check(c, value_to_scalar(c->A, "clip", &bound, &s)) && !scalar_fits(&s, t) &&
        dtype_is_int(t)) {
        char text[64];
        scalar_text(&s, text);
        return calc_fail(c, ARR_ERR_DTYPE, "%s %s does not fit %s: cast the array, i64(x)", what,
                         text, dtype_name(t));
    }
    return calc_2(c, op, x, bound);
}

static Status math_clip(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "clip");
    Value x = calc_number(&c, "a", &args[0]);
    for (int i = 0; i < 2; i++) {
        const Value *plain = &args[1 + i], *named = &args[3 + i];
        const char *what = calc_given(named) ? (i == 0 ? "min" : "max")
                           : i == 0          ? "a_min"
                                             : "a_max";
        if (calc_given(plain) && calc_given(named))
            calc_fail(&c, ARR_ERR_ARGUMENT, "%s is given twice", what);
        const Value *bound = calc_given(named) ? named : plain;
        if (!calc_given(bound)) continue;
        x = bounded(&c, i == 0 ? OP_maximum : OP_minimum, what, x, calc_number(&c, what, bound));
    }
    return calc_done(&c, x, out);
}

static Status math_divmod(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "divmod");
    Value a = calc_number(&c, "x1", &args[0]), b = calc_number(&c, "x2", &args[1]);
    Value pair[2] = {calc_2(&c, OP_floordiv, a, b), calc_2(&c, OP_mod, a, b)};
    return calc_done(&c, calc_tuple(&c, pair, 2), out);
}

static Status math_pow(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "pow");
    Value x = calc_number(&c, "x1", &args[0]), y = calc_number(&c, "x2", &args[1]);
    return calc_done(&c, calc_2(&c, OP_pow, x, y), out);
}

/* ---- bits ---- */

static Status math_bitcast(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "bitcast");
    Value x = calc_array(&c, "x", &args[0]);
    DType t = calc_dtype(&c, &args[1], DT_i64);
    if (calc_ok(&c) && dtype_size(t) != dtype_size(calc_type(&c, x)))
        calc_fail(&c, ARR_ERR_DTYPE,
                  "dtype must have as many bytes as x: %s has %zu an element, %s %zu",
                  dtype_name(calc_type(&c, x)), dtype_size(calc_type(&c, x)), dtype_name(t),
                  dtype_size(t));
    if (calc_ok(&c) && t == DT_bool && calc_type(&c, x) != DT_bool)
        calc_fail(&c, ARR_ERR_DTYPE, "not every bit pattern is a boolean: write x != 0");
    Node *n = NULL;
    Status s = calc_ok(&c) ? graph_bitcast(A->rt, x.node, t, &n) : c.status;
    return calc_done(&c, calc_keep_node(&c, s, n), out);
}

/* ---- nan_to_num ---- */

static double largest(DType t) {
    switch (dtype_real(t)) {
    case DT_f16: return 65504;
    case DT_bf16: return 0x1.FEp127;
    case DT_f32: return 0x1.FFFFFEp127;
    default: return 0x1.FFFFFFFFFFFFFp1023;
    }
}

/* What stands for nan or an infinity: numbers that broadcast to x. */
static Value substitute(Calc *c, const char *what, const Value *v, Value x) {
    Value r = calc_number(c, what, v);
    if (!calc_ok(c)) return r;
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    calc_describe(r, a);
    calc_describe(x, b);
    Shape rs = calc_shape(r), xs = calc_shape(x), both;
    if (r.kind == V_BOOL || dtype_is_complex(calc_type(c, r)))
        return calc_fail(c, ARR_ERR_TYPE, "%s must be a real number, not %s", what, a);
    if (!shape_broadcast(&rs, &xs, &both) || !shape_equal(&both, &xs))
        return calc_fail(c, ARR_ERR_SHAPE, "%s, %s, does not broadcast to x, %s", what, a, b);
    return r;
}

static Value finite_parts(Calc *c, Value x, Value nan, Value high, Value low) {
    Value r = calc_where(c, calc_1(c, OP_isnan, x), nan, x);
    Value inf = value_float((double)INFINITY), minus = value_float(-(double)INFINITY);
    r = calc_where(c, calc_2(c, OP_eq, x, inf), high, r);
    return calc_where(c, calc_2(c, OP_eq, x, minus), low, r);
}

static Status math_nan_to_num(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "nan_to_num");
    Value x = calc_number(&c, "x", &args[0]);
    DType t = calc_ok(&c) ? calc_type(&c, x) : DT_i64;
    if (dtype_kind(t) < DK_FLOAT) return calc_done(&c, x, out);
    if (x.kind != V_ARRAY) t = DT_f64;
    Value nan = substitute(&c, "nan", &args[1], x);
    Value high =
        calc_given(&args[2]) ? substitute(&c, "posinf", &args[2], x) : value_float(largest(t));
    Value low =
        calc_given(&args[3]) ? substitute(&c, "neginf", &args[3], x) : value_float(-largest(t));
    Value r;
    if (dtype_is_complex(calc_type(&c, x))) {
        Value re = finite_parts(&c, calc_1(&c, OP_real, x), nan, high, low);
        Value im = finite_parts(&c, calc_1(&c, OP_imag, x), nan, high, low);
        r = calc_2(&c, OP_make_complex, re, im);
    } else {
        r = finite_parts(&c, x, nan, high, low);
    }
    return calc_done(&c, r, out);
}

const BuiltinDef builtin_math[] = {
    {"round(a, decimals=0)", math_round,
     "The nearest integer, or with decimals the nearest number with so many digits behind the "
     "point\n"
     "(negative: before it); halves go to the even side. The dtype stays.\n"
     "  round(2.5) #=> 2.0\n"
     "  round([1.25, 1.75], 1) #=> [1.2 1.8]\n"
     "  round(1250, -2) #=> 1200"},
    {"clip(a, a_min=none, a_max=none, min=none, max=none)", math_clip,
     "a with smaller elements raised to a_min (or min=) and larger ones lowered to a_max (max=); "
     "none\n"
     "leaves a side open. The bounds may be arrays; nan stays, and a nan bound gives nan.\n"
     "  clip([1, 5, 9], 2, 6) #=> [2 5 6]\n"
     "  clip(7, max=3) #=> 3"},
    {"angle(z, deg=false)", math_angle,
     "The angle of complex numbers, from -pi to pi, or in degrees; of negative numbers it is pi.\n"
     "Integers become the default float. Within 2 ulp of the exact value.\n"
     "  angle(-1.0) #=> 3.141592653589793\n"
     "  angle([1j, 1 + 1j], deg=true) #=> [90. 45.]"},
    {"pow(x1, x2)", math_pow,
     "x1 ** x2: x1 to the power x2.\n"
     "  pow(2, 10) #=> 1024\n"
     "  pow([2.0, 3.0], 2) #=> [4. 9.]"},
    {"divmod(x1, x2)", math_divmod,
     "The tuple (x1 // x2, x1 % x2).\n"
     "  divmod(7, 3) #=> (2, 1)\n"
     "  divmod([7, -7], 3) #=> ([ 2 -3], [1 2])"},
    {"nan_to_num(x, nan=0.0, posinf=none, neginf=none)", math_nan_to_num,
     "x with numbers for nan and the infinities; these are the largest finite ones of the dtype\n"
     "unless said. Integers stay as they are.\n"
     "  nan_to_num([nan, 1.0, inf], posinf=9) #=> [0. 1. 9.]"},
    {"bitcast(x, dtype)", math_bitcast,
     "The same bits read as another dtype with as many bytes.\n"
     "  bitcast(f32([1.0]), i32) #=> [1065353216]\n"
     "  bitcast(1.0, u64) #=> 4607182418800017408"},
    {NULL, NULL, NULL},
};
