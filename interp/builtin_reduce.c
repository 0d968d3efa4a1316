/* builtin_reduce - reductions over axes: sum prod min max mean var std any all argmin argmax
 * count_nonzero.
 *
 * Callers: calls by name. The work is graph_reduce's; here stand the arguments that all of them
 * share (axis, keepdims, where), masks (what is left out becomes the identity) and the dtypes of
 * means: integers accumulate in f64, halves in f32, and the result is rounded once. */
#include "interp/builtin_util.h"

#include <math.h>

/* The arguments of one reduction. */
typedef struct Reduction {
    Value x, where; /* where: V_UNSET or a bool array in x's shape */
    Value mean;     /* of var: V_UNSET, or the mean as it was given */
    uint32_t axes;
    bool keep;
} Reduction;

static Value mask_of(Calc *c, Value x, const Value *v) {
    if (!calc_ok(c) || v->kind == V_UNSET || v->kind == V_NONE) return VALUE_UNSET;
    Value m = calc_array(c, "where", v);
    if (!calc_ok(c)) return VALUE_UNSET;
    Shape xs = calc_shape(x), ms = calc_shape(m), both;
    bool fits = shape_broadcast(&xs, &ms, &both) && shape_equal(&both, &xs);
    if (calc_type(c, m) != DT_bool || !fits) {
        char a[SHAPE_TEXT], b[SHAPE_TEXT];
        calc_describe(m, a);
        calc_describe(x, b);
        return calc_fail(c, fits ? ARR_ERR_DTYPE : ARR_ERR_SHAPE,
                         "where must be booleans that broadcast to %s, not %s", b, a);
    }
    return calc_broadcast(c, m, xs);
}

static Reduction reduction(Calc *c, const Value *x, const Value *axis, const Value *keepdims,
                           const Value *where) {
    Reduction r = {.x = calc_array(c, "a", x)};
    r.axes = calc_axes(c, axis, calc_rank(r.x));
    r.keep = calc_flag(c, "keepdims", keepdims);
    r.where = mask_of(c, r.x, where);
    return r;
}

static bool is_masked(const Reduction *r) { return r->where.kind == V_ARRAY; }

/* The value that leaves a minimum (or maximum) as it is. */
static Value extreme(DType t, bool largest) {
    int bits = (int)dtype_size(t) * 8;
    switch (dtype_kind(t)) {
    case DK_BOOL: return value_bool(largest);
    case DK_INT: {
        int64_t hi = (int64_t)(~(uint64_t)0 >> (65 - bits));
        return value_int(largest ? hi : -hi - 1);
    }
    case DK_UINT:
        if (!largest) return value_int(0);
        if (bits == 64) return (Value){.kind = V_UINT, .u = ~(uint64_t)0};
        return value_int((int64_t)(~(uint64_t)0 >> (64 - bits)));
    default: return value_float(largest ? (double)INFINITY : -(double)INFINITY);
    }
}

static Value identity(DType t, ReduceKind kind) {
    switch (kind) {
    case RED_PROD: return t == DT_bool ? value_bool(true) : value_int(1);
    case RED_MIN: return extreme(t, true);
    case RED_MAX: return extreme(t, false);
    default: return t == DT_bool ? value_bool(false) : value_int(0);
    }
}

/* x with the identity where the mask is false. */
static Value masked(Calc *c, const Reduction *r, ReduceKind kind) {
    if (!calc_ok(c) || !is_masked(r)) return r->x;
    DType t = calc_type(c, r->x);
    Value none = calc_full(c, t, (Shape){.rank = 0}, identity(t, kind));
    return calc_where(c, r->where, r->x, none);
}

/* r with the number that the reduction begins with. */
static Value begun(Calc *c, Op op, Value r, const Value *initial) {
    if (!calc_ok(c) || !calc_given(initial)) return r;
    Value v = calc_number(c, "initial", initial);
    if (calc_ok(c) && calc_rank(v) > 0)
        return calc_fail(c, ARR_ERR_SHAPE, "initial must be one number");
    return calc_ok(c) ? calc_2(c, op, r, calc_as(c, "initial", v, calc_type(c, r))) : r;
}

static Status accumulate(State *A, const char *fn, ReduceKind kind, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    Value type = args[2], axis = calc_trailing_dtype(&c, &args[1], VALUE_NONE, &type);
    Reduction r = reduction(&c, &args[0], &axis, &args[3], &args[5]);
    DType acc = calc_dtype(&c, &type, DT_COUNT);
    Value s = calc_reduce_as(&c, kind, masked(&c, &r, kind), r.axes, r.keep, acc);
    return calc_done(&c, begun(&c, kind == RED_SUM ? OP_add : OP_mul, s, &args[4]), out);
}

static Status reduce_sum(State *A, const Value *args, Value *out) {
    return accumulate(A, "sum", RED_SUM, args, out);
}
static Status reduce_prod(State *A, const Value *args, Value *out) {
    return accumulate(A, "prod", RED_PROD, args, out);
}

static Status bounds(State *A, const char *fn, const char *other, ReduceKind kind,
                     const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    if (args[1].tuple->n > 0)
        calc_fail(&c, ARR_ERR_ARGUMENT,
                  "a second positional argument has no meaning: write %s(a, b) for two arrays, "
                  "%s(x, axis=1) for an axis",
                  other, fn);
    Reduction r = reduction(&c, &args[0], &args[2], &args[3], &args[5]);
    Value m = VALUE_UNSET;
    if (calc_ok(&c) && calc_given(&args[4]) && calc_reduced(r.x, r.axes) == 0) {
        DType t = calc_type(&c, r.x); /* of nothing there is the identity, where initial follows */
        Shape s = calc_shape_kept(calc_shape(r.x), r.axes);
        for (int i = s.rank - 1; i >= 0 && !r.keep; i--)
            if (r.axes >> i & 1) s = calc_shape_without(s, i);
        m = calc_full(&c, t, s, identity(t, kind));
    } else {
        m = calc_reduce(&c, kind, masked(&c, &r, kind), r.axes, r.keep);
    }
    Op op = kind == RED_MIN ? OP_minimum : OP_maximum;
    return calc_done(&c, begun(&c, op, m, &args[4]), out);
}

static Status reduce_min(State *A, const Value *args, Value *out) {
    return bounds(A, "min", "minimum", RED_MIN, args, out);
}
static Status reduce_max(State *A, const Value *args, Value *out) {
    return bounds(A, "max", "maximum", RED_MAX, args, out);
}

/* Among the masked elements the first that equals their extreme, nan equal to nan. */
static Value masked_place(Calc *c, const Reduction *r, bool largest) {
    ReduceKind kind = largest ? RED_MAX : RED_MIN;
    Value best = calc_reduce(c, kind, masked(c, r, kind), r->axes, true);
    Value hit = calc_2(c, OP_eq, r->x, best);
    if (calc_ok(c) && dtype_is_float(calc_type(c, r->x))) {
        Value both = calc_2(c, OP_bit_and, calc_1(c, OP_isnan, r->x), calc_1(c, OP_isnan, best));
        hit = calc_2(c, OP_bit_or, hit, both);
    }
    return calc_reduce(c, RED_ARGMAX, calc_2(c, OP_bit_and, hit, r->where), r->axes, r->keep);
}

static Status place(State *A, const char *fn, bool largest, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    Reduction r = reduction(&c, &args[0], &args[1], &args[2], &args[3]);
    Value i = is_masked(&r)
                  ? masked_place(&c, &r, largest)
                  : calc_reduce(&c, largest ? RED_ARGMAX : RED_ARGMIN, r.x, r.axes, r.keep);
    return calc_done(&c, i, out);
}

static Status reduce_argmin(State *A, const Value *args, Value *out) {
    return place(A, "argmin", false, args, out);
}
static Status reduce_argmax(State *A, const Value *args, Value *out) {
    return place(A, "argmax", true, args, out);
}

static Status truth(State *A, const char *fn, ReduceKind kind, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    Reduction r = reduction(&c, &args[0], &args[1], &args[2], &args[3]);
    Value x = calc_cast(&c, r.x, DT_bool);
    if (is_masked(&r) && kind == RED_ALL)
        x = calc_2(&c, OP_bit_or, x, calc_1(&c, OP_bit_not, r.where));
    else if (is_masked(&r))
        x = calc_2(&c, OP_bit_and, x, r.where);
    return calc_done(&c, calc_reduce(&c, kind, x, r.axes, r.keep), out);
}

static Status reduce_any(State *A, const Value *args, Value *out) {
    return truth(A, "any", RED_ANY, args, out);
}
static Status reduce_all(State *A, const Value *args, Value *out) {
    return truth(A, "all", RED_ALL, args, out);
}
static Status reduce_count_nonzero(State *A, const Value *args, Value *out) {
    return truth(A, "count_nonzero", RED_COUNT, args, out);
}

/* ---- mean, var, std ---- */

DType calc_mean_dtype(const Calc *c, DType t, DType *acc) {
    DType out = dtype_kind(t) < DK_FLOAT ? c->A->rt->flt : t;
    *acc = dtype_kind(t) < DK_FLOAT ? DT_f64 : dtype_is_half(t) ? DT_f32 : t;
    return out;
}

/* How many elements go into each result: a number, or an array where there is a mask. */
static Value counted(Calc *c, const Reduction *r, bool keep, DType acc) {
    if (!is_masked(r)) return value_float((double)calc_reduced(r->x, r->axes));
    return calc_cast(c, calc_reduce(c, RED_COUNT, r->where, r->axes, keep), dtype_real(acc));
}

static Value mean_of(Calc *c, const Reduction *r, bool keep, DType acc) {
    Value s = calc_reduce_as(c, RED_SUM, masked(c, r, RED_SUM), r->axes, keep, acc);
    return calc_div(c, s, counted(c, r, keep, acc));
}

/* The accumulating dtype and the result's, from x's or from the dtype asked for. */
static DType mean_types(Calc *c, const Reduction *r, const Value *type, DType *acc) {
    *acc = DT_f64;
    if (!calc_ok(c)) return DT_f64;
    DType t = calc_dtype(c, type, calc_type(c, r->x));
    DType out = calc_mean_dtype(c, t, acc);
    if (calc_given(type) && dtype_kind(t) < DK_FLOAT && calc_ok(c))
        calc_fail(c, ARR_ERR_DTYPE, "dtype must be a float or complex, not %s", dtype_name(t));
    return out;
}

static Status reduce_mean(State *A, const Value *args, Value *out) {
    Calc c;
    DType acc;
    calc_open(&c, A, "mean");
    Value type = args[2], axis = calc_trailing_dtype(&c, &args[1], VALUE_NONE, &type);
    Reduction r = reduction(&c, &args[0], &axis, &args[3], &args[4]);
    DType t = mean_types(&c, &r, &type, &acc);
    return calc_done(&c, calc_cast(&c, mean_of(&c, &r, r.keep, acc), t), out);
}

/* Without a mask: Welford in one pass. */
static Value plain_variance(Calc *c, const Reduction *r, Value x, DType acc, double ddof) {
    if (!calc_ok(c)) return VALUE_UNSET;
    double n = (double)calc_reduced(x, r->axes);
    Node *v = NULL;
    Status s =
        graph_reduce(calc_rt(c), RED_VAR, x.node, r->axes, r->keep, acc, ddof < n ? ddof : n, &v);
    return calc_keep_node(c, s, v);
}

/* With one, or the mean given: the mean first, then the squares of the distances from it. */
static Value masked_variance(Calc *c, Reduction *r, DType acc, double ddof) {
    r->x = calc_cast(c, r->x, acc);
    Value mean = r->mean.kind == V_UNSET ? mean_of(c, r, true, acc) : calc_cast(c, r->mean, acc);
    Value d = calc_sub(c, r->x, mean);
    if (calc_ok(c) && calc_rank(d) != calc_rank(r->x))
        return calc_fail(c, ARR_ERR_SHAPE,
                         "mean does not broadcast to a: keepdims=true gives it so");
    Reduction squares = {.x = calc_2(c, OP_mul, d, d), .where = r->where, .axes = r->axes};
    Value s = calc_reduce(c, RED_SUM, masked(c, &squares, RED_SUM), r->axes, r->keep);
    Value n = calc_sub(c, counted(c, r, r->keep, acc), value_float(ddof));
    return calc_div(c, s, calc_2(c, OP_maximum, n, value_float(0)));
}

static Value variance_real(Calc *c, Reduction *r, DType acc, double ddof) {
    if (is_masked(r) || r->mean.kind != V_UNSET) return masked_variance(c, r, acc, ddof);
    return plain_variance(c, r, calc_cast(c, r->x, acc), acc, ddof);
}

static Value variance(Calc *c, const Value *args, DType *type) {
    DType acc;
    Value t = args[2], axis = calc_trailing_dtype(c, &args[1], VALUE_NONE, &t);
    Reduction r = reduction(c, &args[0], &axis, &args[4], &args[5]);
    double ddof = calc_float(c, "ddof", &args[3]);
    if (calc_given(&args[6])) r.mean = calc_array(c, "mean", &args[6]);
    if (calc_given(&args[7])) {
        if (ddof != 0) calc_fail(c, ARR_ERR_ARGUMENT, "ddof and correction are one: give one");
        ddof = calc_float(c, "correction", &args[7]);
    }
    *type = dtype_real(mean_types(c, &r, &t, &acc));
    if (!calc_ok(c)) return VALUE_UNSET;
    if (!dtype_is_complex(calc_type(c, r.x))) return variance_real(c, &r, dtype_real(acc), ddof);
    Reduction re = r, im = r;
    re.x = calc_1(c, OP_real, r.x);
    im.x = calc_1(c, OP_imag, r.x);
    if (r.mean.kind != V_UNSET) {
        re.mean = calc_1(c, OP_real, r.mean);
        im.mean = calc_1(c, OP_imag, r.mean);
    }
    acc = dtype_real(acc);
    bool none = !is_masked(&r) && ddof >= (double)calc_reduced(r.x, r.axes);
    if (none) ddof = 0; /* divided by 0 together: inf + nan would be nan */
    Value both = calc_add(c, variance_real(c, &re, acc, ddof), variance_real(c, &im, acc, ddof));
    return none ? calc_div(c, both, value_float(0)) : both;
}

static Status reduce_var(State *A, const Value *args, Value *out) {
    Calc c;
    DType t;
    calc_open(&c, A, "var");
    Value v = variance(&c, args, &t);
    return calc_done(&c, calc_cast(&c, v, t), out);
}

static Status reduce_std(State *A, const Value *args, Value *out) {
    Calc c;
    DType t;
    calc_open(&c, A, "std");
    Value v = variance(&c, args, &t);
    return calc_done(&c, calc_1(&c, OP_sqrt, calc_cast(&c, v, t)), out);
}

#define SHARED_HELP                                                                               \
    "axis is an integer, a tuple or none (all axes); keepdims leaves reduced axes at extent 1;\n" \
    "where, booleans that broadcast to a, says which elements count.\n"

const BuiltinDef builtin_reduce[] = {
    {"sum(a, axis=none, dtype=none, keepdims=false, initial=, where=)", reduce_sum,
     "The sum over axes. Booleans and integers give i64, unsigned ones u64; f16 and bf16 "
     "accumulate\n"
     "in f32. The order of additions is fixed, so the same elements give the same bits "
     "everywhere.\n"
     "Of no elements it is 0. dtype says another dtype to add in, initial a number to "
     "add.\n" SHARED_HELP "  sum([1, 2, 3]) #=> 6\n"
     "  sum([[1, 2], [3, 4]], axis=0) #=> [4 6]\n"
     "  sum([1.5, 2.5, 9.0], where=[true, true, false]) #=> 4.0"},
    {"prod(a, axis=none, dtype=none, keepdims=false, initial=, where=)", reduce_prod,
     "The product over axes. Booleans and integers give i64, unsigned ones u64, and wrap; of no\n"
     "elements it is 1. initial is one factor more.\n" SHARED_HELP "  prod([2, 3, 4]) #=> 24\n"
     "  prod(zeros(0)) #=> 1.0"},
    {"min(a, more..., axis=none, keepdims=false, initial=, where=)", reduce_min,
     "The smallest element over axes; a nan wins. Of no elements it is an error, or initial, which "
     "is\n"
     "one element more. For two arrays write minimum(a, b).\n" SHARED_HELP
     "  min([3, 1, 2]) #=> 1\n"
     "  min([[3, 1], [2, 4]], axis=1) #=> [1 2]"},
    {"max(a, more..., axis=none, keepdims=false, initial=, where=)", reduce_max,
     "The largest element over axes; a nan wins. Of no elements it is an error, or initial, which "
     "is\n"
     "one element more. For two arrays write maximum(a, b).\n" SHARED_HELP
     "  max([3, 1, 2]) #=> 3\n"
     "  max([[3, 1], [2, 4]], axis=0, keepdims=true) #=> [[3 4]]"},
    {"mean(a, axis=none, dtype=none, keepdims=false, where=)", reduce_mean,
     "The mean over axes: the sum over the count. Integers are added in f64 and give the default\n"
     "float, f16 and bf16 in f32. Of no elements it is nan.\n" SHARED_HELP
     "  mean([1, 2, 4]) #=> 2.3333333333333335\n"
     "  mean([[1.0, 3.0], [5.0, 7.0]], axis=0) #=> [3. 5.]"},
    {"var(a, axis=none, dtype=none, ddof=0, keepdims=false, where=, mean=none, "
     "correction=none)",
     reduce_var,
     "The variance over axes: the mean square distance from the mean, with the count less ddof as\n"
     "divisor, by Welford's method. Dtypes as mean's; of complex numbers it is real. correction "
     "is\n"
     "another name of ddof; a mean that is known already (with keepdims) may be "
     "given.\n" SHARED_HELP "  var([1, 2, 3, 4]) #=> 1.25\n"
     "  var([1, 2, 3, 4], ddof=1) #=> 1.6666666666666667"},
    {"std(a, axis=none, dtype=none, ddof=0, keepdims=false, where=, mean=none, "
     "correction=none)",
     reduce_std,
     "The standard deviation over axes: the square root of var.\n" SHARED_HELP
     "  std([1.0, 3.0]) #=> 1.0"},
    {"any(a, axis=none, keepdims=false, where=)", reduce_any,
     "Is any element true (or not 0)? Of no elements it is false.\n" SHARED_HELP
     "  any([false, true]) #=> true\n"
     "  any([[0, 0], [0, 2]], axis=1) #=> [false  true]"},
    {"all(a, axis=none, keepdims=false, where=)", reduce_all,
     "Are all elements true (or not 0)? Of no elements it is true.\n" SHARED_HELP
     "  all([1, 2, 0]) #=> false\n"
     "  all(zeros(0)) #=> true"},
    {"argmin(a, axis=none, keepdims=false, where=)", reduce_argmin,
     "The place of the smallest element over axes, i64: the lowest of equals, the first nan. Over\n"
     "several axes it counts them in C order. Of no elements it is an error.\n" SHARED_HELP
     "  argmin([3, 1, 1]) #=> 1"},
    {"argmax(a, axis=none, keepdims=false, where=)", reduce_argmax,
     "The place of the largest element over axes, i64: the lowest of equals, the first nan. Over\n"
     "several axes it counts them in C order. Of no elements it is an error.\n" SHARED_HELP
     "  argmax([3, 7, 7]) #=> 1\n"
     "  argmax([[1, 9], [8, 2]], axis=1) #=> [1 0]"},
    {"count_nonzero(a, axis=none, keepdims=false, where=)", reduce_count_nonzero,
     "How many elements over axes are true (or not 0), i64.\n" SHARED_HELP
     "  count_nonzero([0, 3, 0, 4]) #=> 2"},
    {NULL, NULL, NULL},
};
