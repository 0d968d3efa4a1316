/* builtin_stats - order statistics: median, quantile, percentile, and the median without nan.
 *
 * Callers: calls by name. All sort along the reduced axes, merged into one at the end, and pick or
 * gather from that; nan sorts last, so the last element tells whether there is one. */
#include "interp/builtin_util.h"
#include "interp/api_limits.h"

#include <math.h>

/* An argument with its reduced axes moved to the end, merged and sorted. */
typedef struct Order {
    Value sorted;
    Value shares; /* V_UNSET, or the running sums of the sorted elements' weights over their sum */
    int64_t n;    /* extent of the last axis */
    Shape kept;   /* the result's shape for one quantile */
    DType type;   /* the result's dtype */
} Order;

static Value merged(Calc *c, Value x, uint32_t axes) {
    int perm[MAX_RANK], n = 0, rank = calc_rank(x);
    Shape s = {.rank = 0};
    for (int i = 0; i < rank; i++)
        if (!(axes >> i & 1)) {
            s.dim[s.rank++] = calc_dim(x, i);
            perm[n++] = i;
        }
    for (int i = 0; i < rank; i++)
        if (axes >> i & 1) perm[n++] = i;
    if (s.rank == MAX_RANK) return calc_fail(c, ARR_ERR_LIMIT, "more than %d axes", MAX_RANK);
    s.dim[s.rank++] = calc_reduced(x, axes);
    return calc_reshape(c, calc_transpose(c, x, perm), s);
}

/* Weights of x's elements: of its shape, or a vector along the one axis; none negative. */
static Value weights_for(Calc *c, const Value *weights, Value x, const Value *axis) {
    Value w = calc_real(c, "weights", weights);
    if (!calc_ok(c)) return VALUE_UNSET;
    Shape s = calc_shape(x), ws = calc_shape(w);
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    calc_describe(w, a);
    calc_describe(x, b);
    if (!shape_equal(&s, &ws)) {
        bool one = calc_given(axis) && axis->kind != V_TUPLE;
        int at = one ? calc_axis(c, axis, s.rank) : 0;
        if (!one || !calc_ok(c) || ws.rank != 1 || ws.dim[0] != s.dim[at])
            return calc_fail(c, ARR_ERR_SHAPE,
                             "weights must have a's shape, or be a vector along the one axis: %s "
                             "for %s",
                             a, b);
        Shape line = calc_shape_kept(s, calc_all_axes(s.rank));
        line.dim[at] = s.dim[at];
        w = calc_broadcast(c, calc_reshape(c, w, line), s);
    }
    Value bad = calc_2(c, OP_lt, w, value_int(0));
    bad = calc_reduce(c, RED_ANY, bad, calc_all_axes(calc_rank(w)), false);
    if (calc_read_bool(c, bad)) return calc_fail(c, ARR_ERR_VALUE, "weights must not be negative");
    return calc_cast(c, w, DT_f64);
}

/* Sort with the weights; a share of 0 at the front lies below every quantile. */
static void sort_weighted(Calc *c, Order *o, Value flat, Value w) {
    int last = calc_rank(flat) - 1;
    Value at = calc_argsort(c, flat, last, false);
    o->sorted = calc_take_along(c, flat, at, last, false);
    Value sums = calc_scan(c, RED_SUM, calc_take_along(c, w, at, last, false), last, DT_COUNT);
    Value all = calc_slice(c, sums, last, o->n - 1, 1, 1);
    Value zero = calc_2(c, OP_eq, sums, value_float(0));
    o->shares = calc_where(c, zero, value_float(-1), calc_div(c, sums, all));
}

static Order ordered(Calc *c, const Value *a, const Value *axis, const Value *keepdims,
                     const Value *weights) {
    Order o = {.n = 0, .type = DT_f64, .shares = VALUE_UNSET};
    Value x = calc_real(c, "a", a);
    if (calc_ok(c) && calc_type(c, x) == DT_bool) x = calc_cast(c, x, DT_i64);
    uint32_t axes = calc_axes(c, axis, calc_rank(x));
    bool keep = calc_flag(c, "keepdims", keepdims);
    if (!calc_ok(c)) return o;
    o.type = calc_float_type(c, x);
    Value flat = merged(c, x, axes);
    o.n = calc_dim(flat, -1);
    o.kept = keep ? calc_shape_kept(calc_shape(x), axes)
                  : calc_shape_without(calc_shape(flat), calc_rank(flat) - 1);
    if (calc_ok(c) && weights && calc_given(weights) && o.n > 0)
        sort_weighted(c, &o, flat, merged(c, weights_for(c, weights, x, axis), axes));
    else if (calc_ok(c))
        o.sorted = calc_sort(c, flat, calc_rank(flat) - 1, false);
    return o;
}

static Value all_nan(Calc *c, DType t, Shape s) {
    return calc_full(c, t, s, value_float((double)NAN));
}

/* nan where the sorted elements end in one. */
static Value nan_wins(Calc *c, const Order *o, Value r) {
    if (!calc_ok(c) || !dtype_is_float(calc_type(c, o->sorted))) return r;
    Value last = calc_pick(c, o->sorted, calc_rank(o->sorted) - 1, o->n - 1);
    if (calc_rank(r) > calc_rank(last)) last = calc_expand(c, last, calc_rank(last));
    return calc_where(c, calc_1(c, OP_isnan, last), value_float((double)NAN), r);
}

/* ---- median ---- */

static Value halfway(Calc *c, Value a, Value b, DType t) {
    DType wide = dtype_is_half(t) ? DT_f32 : dtype_kind(calc_type(c, a)) < DK_FLOAT ? DT_f64 : t;
    Value sum = calc_add(c, calc_cast(c, a, wide), calc_cast(c, b, wide));
    return calc_cast(c, calc_mul(c, sum, value_float(0.5)), t);
}

static Value median_of(Calc *c, const Order *o) {
    if (!calc_ok(c)) return VALUE_UNSET;
    if (o->n == 0) return all_nan(c, o->type, o->kept);
    int last = calc_rank(o->sorted) - 1;
    Value lo = calc_pick(c, o->sorted, last, (o->n - 1) / 2), r;
    if (!calc_ok(c)) return VALUE_UNSET;
    if (o->n % 2 == 1)
        r = calc_cast(c, lo, o->type);
    else
        r = halfway(c, lo, calc_pick(c, o->sorted, last, o->n / 2), o->type);
    return calc_reshape(c, nan_wins(c, o, r), o->kept);
}

static Status stats_median(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "median");
    Order o = ordered(&c, &args[0], &args[1], &args[2], NULL);
    return calc_done(&c, median_of(&c, &o), out);
}

static Value median_without_nan(Calc *c, const Order *o) {
    if (!calc_ok(c)) return VALUE_UNSET;
    if (o->n == 0 || !dtype_is_float(calc_type(c, o->sorted))) return median_of(c, o);
    int last = calc_rank(o->sorted) - 1;
    Value there = calc_1(c, OP_bit_not, calc_1(c, OP_isnan, o->sorted));
    Value count = calc_reduce(c, RED_COUNT, there, 1u << last, true);
    Value lo = calc_2(c, OP_floordiv, calc_sub(c, count, value_int(1)), value_int(2));
    Value hi = calc_2(c, OP_floordiv, count, value_int(2));
    lo = calc_2(c, OP_maximum, lo, value_int(0)); /* all nan: the first is one */
    hi = calc_2(c, OP_minimum, hi, value_int(o->n - 1));
    Value a = calc_take_along(c, o->sorted, lo, last, false);
    Value b = calc_take_along(c, o->sorted, hi, last, false);
    if (!calc_ok(c)) return VALUE_UNSET;
    Value odd = calc_2(c, OP_eq, lo, hi); /* no sum then, which could overflow */
    return calc_reshape(c, calc_where(c, odd, a, halfway(c, a, b, o->type)), o->kept);
}

static Status stats_nanmedian(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "nanmedian");
    Order o = ordered(&c, &args[0], &args[1], &args[2], NULL);
    return calc_done(&c, median_without_nan(&c, &o), out);
}

/* ---- quantiles ---- */

typedef enum Method {
    LINEAR,
    LOWER,
    HIGHER,
    NEAREST,
    MIDPOINT,
    HAZEN,
    WEIBULL,
    MEDIAN_UNBIASED,
    NORMAL_UNBIASED,
    INTERPOLATED_CDF,
    INVERTED_CDF,
    AVERAGED_CDF,
    CLOSEST,
    METHODS
} Method;

static const char *const method_names[METHODS] = {"linear",
                                                  "lower",
                                                  "higher",
                                                  "nearest",
                                                  "midpoint",
                                                  "hazen",
                                                  "weibull",
                                                  "median_unbiased",
                                                  "normal_unbiased",
                                                  "interpolated_inverted_cdf",
                                                  "inverted_cdf",
                                                  "averaged_inverted_cdf",
                                                  "closest_observation"};

/* The whole number nearest below place 1 + at - 1/2, of equally near ones the odd, counted from 0.
 */
static double closest(double at) {
    double whole = floor(at - 0.5), share = at - 0.5 - whole;
    return share == 0 && fmod(whole, 2) == 0 ? whole - 1 : whole;
}

/* Does the method pick an element? Its dtype is kept then. */
static bool picks(Method m) {
    return m == LOWER || m == HIGHER || m == NEAREST || m == INVERTED_CDF || m == CLOSEST;
}

/* Hyndman and Fan's position of quantile q among n sorted elements, counted from 0. */
static double position(Method m, double q, double n) {
    double alpha = 1, beta = 1;
    switch (m) {
    case HAZEN: alpha = beta = 0.5; break;
    case WEIBULL: alpha = beta = 0; break;
    case MEDIAN_UNBIASED: alpha = beta = 1.0 / 3; break;
    case NORMAL_UNBIASED: alpha = beta = 3.0 / 8; break;
    case INTERPOLATED_CDF: alpha = 0; break;
    case INVERTED_CDF: return ceil(n * q) - 1;
    case CLOSEST: return closest(n * q);
    case AVERAGED_CDF: return n * q == floor(n * q) ? n * q - 0.5 : ceil(n * q) - 1;
    default: break;
    }
    double at = m <= MIDPOINT ? (n - 1) * q : n * q + (alpha + q * (1 - alpha - beta)) - 1;
    switch (m) {
    case LOWER: return floor(at);
    case HIGHER: return ceil(at);
    case NEAREST: return rint(at);
    case MIDPOINT: return 0.5 * (floor(at) + ceil(at));
    default: return at;
    }
}

/* a + (b - a) t, from the nearer end, so that t = 1 gives b. */
static Value between(Calc *c, Value a, Value b, Value t) {
    Value d = calc_sub(c, b, a), up = calc_add(c, a, calc_mul(c, d, t));
    Value down = calc_sub(c, b, calc_mul(c, d, calc_sub(c, value_float(1), t)));
    return calc_where(c, calc_2(c, OP_ge, t, value_float(0.5)), down, up);
}

/* With weights, for each quantile the first element whose share reaches it. */
static Value at_shares(Calc *c, const Order *o, const double *q, int64_t k) {
    int axis = calc_rank(o->sorted) - 1;
    Value below = calc_2(c, OP_lt, calc_expand(c, o->shares, axis + 1), calc_host_f64(c, q, k));
    Value at = calc_reduce(c, RED_COUNT, below, 1u << axis, false);
    at = calc_2(c, OP_minimum, at, value_int(o->n - 1));
    return nan_wins(c, o, calc_take_along(c, o->sorted, at, axis, false));
}

/* Results along a last axis, one for each of the k quantiles. */
static Value at_quantiles(Calc *c, const Order *o, Method m, const double *q, int64_t k) {
    size_t bytes = (size_t)k * 3 * sizeof(double) + 1;
    double *t = calc_alloc(c, bytes);
    if (!t) return VALUE_UNSET;
    int64_t *lo = (int64_t *)(t + k), *hi = lo + k;
    for (int64_t i = 0; i < k; i++) {
        if (i % STEPS == 0 && !calc_check(c, state_step(c->A, STEPS))) break;
        double at = position(m, q[i], (double)o->n), last = (double)(o->n - 1);
        at = at < 0 ? 0 : at > last ? last : at;
        lo[i] = (int64_t)floor(at);
        hi[i] = lo[i] + 1 < o->n ? lo[i] + 1 : lo[i];
        t[i] = at - floor(at);
    }
    int axis = calc_rank(o->sorted) - 1;
    Value a = calc_take(c, o->sorted, calc_host_i64(c, lo, k), axis);
    if (picks(m)) {
        calc_free(c, t, bytes);
        return nan_wins(c, o, a);
    }
    Value b = calc_take(c, o->sorted, calc_host_i64(c, hi, k), axis);
    DType wide = calc_ok(c) && dtype_kind(calc_type(c, a)) < DK_FLOAT ? DT_f64 : o->type;
    Value weight = calc_cast(c, calc_host_f64(c, t, k), wide);
    calc_free(c, t, bytes);
    a = calc_cast(c, a, wide);
    Value r = between(c, a, calc_cast(c, b, wide), weight);
    if (calc_ok(c)) r = calc_where(c, calc_2(c, OP_eq, weight, value_float(0)), a, r);
    return calc_cast(c, nan_wins(c, o, r), o->type);
}

static Status quantiles(State *A, const char *fn, double whole, const Value *args, Value *out) {
    Calc c;
    size_t bytes = 0;
    calc_open(&c, A, fn);
    bool weighted = calc_given(&args[5]);
    Order o = ordered(&c, &args[0], &args[2], &args[4], &args[5]);
    Value q = calc_real(&c, "q", &args[1]), r = VALUE_UNSET;
    Method m = (Method)calc_choice(&c, "method", &args[3], method_names, METHODS);
    if (weighted && m != INVERTED_CDF)
        calc_fail(&c, ARR_ERR_VALUE, "weights need method=\"inverted_cdf\", not \"%s\"",
                  method_names[m]);
    int64_t k = calc_size(q);
    double *want = calc_read(&c, q, DT_f64, &bytes);
    for (int64_t i = 0; want && i < k; i++) {
        if (i % STEPS == 0 && !calc_check(&c, state_step(A, STEPS))) break;
        if (!(want[i] >= 0 && want[i] <= whole))
            calc_fail(&c, ARR_ERR_VALUE, "q must lie from 0 to %s, not %s", calc_text(whole).s,
                      calc_text(want[i]).s);
        want[i] /= whole;
    }
    Shape qs = calc_shape(q), s = qs;
    if (calc_ok(&c) && qs.rank + o.kept.rank > MAX_RANK)
        calc_fail(&c, ARR_ERR_LIMIT, "more than %d axes", MAX_RANK);
    for (int i = 0; i < o.kept.rank && calc_ok(&c); i++) s.dim[s.rank++] = o.kept.dim[i];
    if (calc_ok(&c) && o.n == 0) {
        r = all_nan(&c, o.type, s);
    } else if (calc_ok(&c)) {
        r = weighted ? at_shares(&c, &o, want, k) : at_quantiles(&c, &o, m, want, k);
        r = calc_reshape(&c, calc_move_axis(&c, r, calc_rank(r) - 1, 0), s);
    }
    calc_free(&c, want, bytes);
    return calc_done(&c, r, out);
}

static Status stats_quantile(State *A, const Value *args, Value *out) {
    return quantiles(A, "quantile", 1, args, out);
}
static Status stats_percentile(State *A, const Value *args, Value *out) {
    return quantiles(A, "percentile", 100, args, out);
}

const BuiltinDef builtin_stats[] = {
    {"median(a, axis=none, keepdims=false)", stats_median,
     "The middle element in order over axes, or the mean of the two middle ones; a nan wins, of "
     "no\n"
     "elements it is nan. Integers give the default float.\n"
     "  median([3, 1, 2]) #=> 2.0\n"
     "  median([[1, 2], [3, 5]], axis=0) #=> [2.  3.5]"},
    {"nanmedian(a, axis=none, keepdims=false)", stats_nanmedian,
     "The median of the elements that are not nan; nan where there are none.\n"
     "  nanmedian([1.0, nan, 3.0]) #=> 2.0"},
    {"quantile(a, q, axis=none, method=\"linear\", keepdims=false, weights=none)", stats_quantile,
     "The elements below which the share q lies, over axes; q, in [0, 1], may be an array, whose "
     "axes\n"
     "then come first. Between two elements method decides: \"linear\", \"lower\", \"higher\",\n"
     "\"nearest\", \"midpoint\", or one of Hyndman and Fan's by NumPy's name. A nan wins, and of "
     "no\n"
     "elements it is nan. Integers give the default float, themselves where the method picks one.\n"
     "weights (with method=\"inverted_cdf\") are of a's shape or a vector along the axis.\n"
     "  quantile([1, 2, 3, 4], 0.5) #=> 2.5\n"
     "  quantile([1, 2, 3, 4], [0, 1]) #=> [1. 4.]"},
    {"percentile(a, q, axis=none, method=\"linear\", keepdims=false, weights=none)",
     stats_percentile,
     "The quantile for q in hundredths: percentile(a, 50) is the median.\n"
     "  percentile([1, 2, 3, 4, 5], 25) #=> 2.0"},
    {NULL, NULL, NULL},
};
