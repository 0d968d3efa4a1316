/* builtin_sets - sets, counts and tables: unique isin union1d intersect1d setdiff1d, bincount
 * histogram digitize, interp.
 *
 * Callers: calls by name. All of them sort or bisect; counts are differences of positions in the
 * sorted elements, weights are added segment by segment in the order of sums. Lengths that depend
 * on data force what they depend on. */
#include "interp/builtin_util.h"

#include <math.h>

/* ---- unique ---- */

typedef struct Unique {
    Value sorted, order;
    Value is_head, heads; /* where in sorted a new element begins: a mask, and its places */
    int64_t count, n;
} Unique;

/* First of its equals? With equal_nan nan is equal to nan. */
static Value head_mask(Calc *c, Value sorted, int64_t n, bool equal_nan) {
    Value a = calc_slice(c, sorted, 0, 1, n - 1, 1), b = calc_slice(c, sorted, 0, 0, n - 1, 1);
    Value differs = calc_2(c, OP_ne, a, b);
    if (equal_nan && calc_ok(c) && dtype_is_float(calc_type(c, sorted))) {
        Value both = calc_2(c, OP_bit_and, calc_1(c, OP_isnan, a), calc_1(c, OP_isnan, b));
        differs = calc_2(c, OP_bit_and, differs, calc_1(c, OP_bit_not, both));
    }
    Value first = calc_full(c, DT_bool, calc_shape1(1), value_bool(true));
    return calc_concat(c, (Value[]){first, differs}, 2, 0);
}

static Unique find_unique(Calc *c, Value x, bool order, bool equal_nan) {
    Unique u = {.n = calc_size(x)};
    x = calc_ravel(c, x);
    if (order) u.order = calc_argsort(c, x, 0, false);
    u.sorted = order ? calc_take(c, x, u.order, 0) : calc_sort(c, x, 0, false);
    u.is_head = u.n > 0 ? head_mask(c, u.sorted, u.n, equal_nan)
                        : calc_full(c, DT_bool, calc_shape1(0), value_bool(false));
    u.heads = calc_nonzero(c, u.is_head);
    u.count = calc_size(u.heads);
    return u;
}

static Value unique_values(Calc *c, Value x) {
    Unique u = find_unique(c, x, false, true);
    return calc_take(c, u.sorted, u.heads, 0);
}

/* For each element of the array of shape s the number of its value among the unique ones. */
static Value unique_inverse(Calc *c, const Unique *u, Shape s) {
    Value rank = calc_scan(c, RED_SUM, calc_cast(c, u->is_head, DT_i64), 0, DT_COUNT);
    rank = calc_sub(c, rank, value_int(1));
    Value base = calc_full(c, DT_i64, calc_shape1(u->n), value_int(0));
    return calc_reshape(c, calc_put(c, base, u->order, rank, 0), s);
}

/* Rows of x in lexical order, the first column first in importance, and where a new one begins. */
static Unique find_unique_rows(Calc *c, Value x) {
    Unique u = {.n = calc_dim(x, 0)};
    int64_t columns = calc_dim(x, 1);
    u.order = calc_arange(c, u.n);
    for (int64_t j = columns - 1; j >= 0 && calc_ok(c); j--) {
        Value key = calc_take(c, calc_pick(c, x, 1, j), u.order, 0);
        u.order = calc_take(c, u.order, calc_argsort(c, key, 0, false), 0);
    }
    u.sorted = calc_take(c, x, u.order, 0);
    if (u.n > 0 && columns > 0) {
        Value a = calc_slice(c, u.sorted, 0, 1, u.n - 1, 1);
        Value b = calc_slice(c, u.sorted, 0, 0, u.n - 1, 1);
        Value differs = calc_reduce(c, RED_ANY, calc_2(c, OP_ne, a, b), 2, false);
        Value first = calc_full(c, DT_bool, calc_shape1(1), value_bool(true));
        u.is_head = calc_concat(c, (Value[]){first, differs}, 2, 0);
    } else {
        u.is_head = calc_2(c, OP_eq, calc_arange(c, u.n), value_int(0));
    }
    u.heads = calc_nonzero(c, u.is_head);
    u.count = calc_size(u.heads);
    return u;
}

/* x with one axis first and the others merged; *rest is their shape. */
static Value as_rows(Calc *c, Value x, int axis, Shape *rest) {
    Value front = calc_move_axis(c, x, axis, 0);
    Shape s = calc_shape(front);
    *rest = s;
    return calc_reshape(c, front,
                        calc_shape2(s.dim[0], s.dim[0] > 0 ? calc_size(x) / s.dim[0] : 0));
}

static Status sets_unique(State *A, const Value *args, Value *out) {
    Calc c;
    Value part[4];
    Shape rest = {.rank = 0};
    int n = 1, axis = 0;
    calc_open(&c, A, "unique");
    Value x = calc_real(&c, "ar", &args[0]);
    bool index = calc_flag(&c, "return_index", &args[1]);
    bool inverse = calc_flag(&c, "return_inverse", &args[2]);
    bool counts = calc_flag(&c, "return_counts", &args[3]), rows = calc_given(&args[4]);
    if (rows) axis = calc_axis(&c, &args[4], calc_rank(x));
    Unique u = {.n = 0};
    if (rows && calc_ok(&c))
        u = find_unique_rows(&c, as_rows(&c, x, axis, &rest));
    else
        u = find_unique(&c, x, index || inverse, calc_flag(&c, "equal_nan", &args[5]));
    part[0] = calc_take(&c, u.sorted, u.heads, 0);
    if (rows) {
        rest.dim[0] = u.count;
        part[0] = calc_move_axis(&c, calc_reshape(&c, part[0], rest), 0, axis);
    }
    if (index) part[n++] = calc_take(&c, u.order, u.heads, 0);
    if (inverse) part[n++] = unique_inverse(&c, &u, rows ? calc_shape1(u.n) : calc_shape(x));
    if (counts) {
        Value end = calc_full(&c, DT_i64, calc_shape1(1), value_int(u.n));
        Value next = u.count > 0 ? calc_slice(&c, u.heads, 0, 1, u.count - 1, 1) : u.heads;
        next = calc_concat(&c, (Value[]){next, end}, 2, 0);
        part[n++] = u.count > 0 ? calc_sub(&c, next, u.heads) : u.heads;
    }
    return calc_done(&c, n == 1 ? part[0] : calc_tuple(&c, part, n), out);
}

/* ---- set operations ---- */

/* Is each of x among the sorted vector? nan is in nothing. */
static Value among(Calc *c, Value x, Value sorted) {
    Value lo = calc_search(c, sorted, x, false), hi = calc_search(c, sorted, x, true);
    Value in = calc_2(c, OP_lt, lo, hi);
    if (calc_ok(c) && dtype_is_float(calc_type(c, x)))
        in = calc_2(c, OP_bit_and, in, calc_1(c, OP_bit_not, calc_1(c, OP_isnan, x)));
    return in;
}

/* Both as vectors of one dtype. */
static void two_vectors(Calc *c, const char *what1, const char *what2, const Value *args,
                        Value x[2]) {
    x[0] = calc_ravel(c, calc_real(c, what1, &args[0]));
    x[1] = calc_ravel(c, calc_real(c, what2, &args[1]));
    DType t = calc_ok(c) ? calc_common(c, x, 2) : DT_f64;
    for (int i = 0; i < 2; i++) x[i] = calc_cast(c, x[i], t);
}

static Status sets_isin(State *A, const Value *args, Value *out) {
    Calc c;
    Value x[2];
    calc_open(&c, A, "isin");
    Value shaped = calc_real(&c, "element", &args[0]);
    two_vectors(&c, "element", "test_elements", args, x);
    Value in = among(&c, x[0], calc_sort(&c, x[1], 0, false));
    calc_flag(&c, "assume_unique", &args[2]);
    if (calc_flag(&c, "invert", &args[3])) in = calc_1(&c, OP_bit_not, in);
    return calc_done(&c, calc_reshape(&c, in, calc_shape(shaped)), out);
}

static Status sets_union1d(State *A, const Value *args, Value *out) {
    Calc c;
    Value x[2];
    calc_open(&c, A, "union1d");
    two_vectors(&c, "ar1", "ar2", args, x);
    return calc_done(&c, unique_values(&c, calc_concat(&c, x, 2, 0)), out);
}

/* The common elements and, with places, where each comes first in either. */
static Status sets_intersect1d(State *A, const Value *args, Value *out) {
    Calc c;
    Value x[2], part[3];
    calc_open(&c, A, "intersect1d");
    two_vectors(&c, "ar1", "ar2", args, x);
    calc_flag(&c, "assume_unique", &args[2]);
    bool places = calc_flag(&c, "return_indices", &args[3]);
    Unique u = find_unique(&c, x[0], places, true);
    Value values = calc_take(&c, u.sorted, u.heads, 0);
    Value order = places ? calc_argsort(&c, x[1], 0, false) : VALUE_UNSET;
    Value other = places ? calc_take(&c, x[1], order, 0) : calc_sort(&c, x[1], 0, false);
    Value keep = calc_nonzero(&c, among(&c, values, other));
    part[0] = calc_take(&c, values, keep, 0);
    if (places) {
        part[1] = calc_take(&c, calc_take(&c, u.order, u.heads, 0), keep, 0);
        part[2] = calc_take(&c, order, calc_search(&c, other, part[0], false), 0);
    }
    return calc_done(&c, places ? calc_tuple(&c, part, 3) : part[0], out);
}

static Status sets_setdiff1d(State *A, const Value *args, Value *out) {
    Calc c;
    Value x[2];
    calc_open(&c, A, "setdiff1d");
    two_vectors(&c, "ar1", "ar2", args, x);
    if (!calc_flag(&c, "assume_unique", &args[2])) x[0] = unique_values(&c, x[0]);
    Value in = among(&c, x[0], calc_sort(&c, x[1], 0, false));
    in = calc_1(&c, OP_bit_not, in);
    return calc_done(&c, calc_take(&c, x[0], calc_nonzero(&c, in), 0), out);
}

/* ---- counts ---- */

/* How often each of 0 to bins - 1 comes in a vector of numbers from 0 to bins, or the sums of the
 * weights where they do. By sorting; the fewer bytes a number has, the faster that goes. */
static Value count_bins(Calc *c, Value bin, int64_t bins, Value weights) {
    DType t = bins < 256                ? DT_u8
              : bins < 65536            ? DT_u16
              : bins < (int64_t)1 << 32 ? DT_u32
                                        : DT_i64;
    Value key = calc_cast(c, bin, t), order = VALUE_UNSET, sorted;
    bool weighted = weights.kind == V_ARRAY;
    if (weighted) {
        order = calc_argsort(c, key, 0, false);
        sorted = calc_take(c, key, order, 0);
    } else {
        sorted = calc_sort(c, key, 0, false);
    }
    Value ptr = calc_search(c, sorted, calc_cast(c, calc_arange(c, bins + 1), t), false);
    if (weighted) return calc_segments(c, RED_SUM, calc_take(c, weights, order, 0), ptr);
    return calc_sub(c, calc_slice(c, ptr, 0, 1, bins, 1), calc_slice(c, ptr, 0, 0, bins, 1));
}

static Value weights_of(Calc *c, const Value *v, Value x) {
    if (!calc_given(v)) return VALUE_UNSET;
    Value w = calc_array(c, "weights", v);
    Shape a = calc_shape(w), b = calc_shape(x);
    if (calc_ok(c) && !shape_equal(&a, &b))
        return calc_fail(c, ARR_ERR_SHAPE, "weights must have as many elements as the array");
    return calc_ravel(c, w);
}

static Status sets_bincount(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "bincount");
    Value x = calc_index_array(&c, "x", &args[0]), w = weights_of(&c, &args[1], x);
    int64_t bins = calc_count(&c, "minlength", &args[2]);
    if (calc_ok(&c) && calc_rank(x) != 1) calc_fail(&c, ARR_ERR_SHAPE, "x must be a vector");
    if (calc_size(x) > 0) {
        int64_t lo = calc_read_int(&c, calc_reduce(&c, RED_MIN, x, 1, false));
        int64_t hi = calc_read_int(&c, calc_reduce(&c, RED_MAX, x, 1, false));
        if (lo < 0) calc_fail(&c, ARR_ERR_VALUE, "x must not be negative, %lld is", (long long)lo);
        if (hi > (int64_t)1 << 40)
            calc_fail(&c, ARR_ERR_LIMIT, "x holds %lld, which makes too many bins", (long long)hi);
        if (hi >= bins) bins = hi + 1;
    }
    return calc_done(&c, calc_ok(&c) ? count_bins(&c, x, bins, w) : VALUE_UNSET, out);
}

/* Edges of equal bins over the range of x, or over the range given. */
static Value even_edges(Calc *c, Value x, int64_t bins, const Value *range, DType t) {
    double lo = 0, hi = 1;
    if (calc_given(range)) {
        if (range->kind != V_TUPLE || range->tuple->n != 2)
            return calc_fail(c, ARR_ERR_TYPE, "range must be a tuple (low, high)");
        lo = calc_float(c, "range", &range->tuple->items[0]);
        hi = calc_float(c, "range", &range->tuple->items[1]);
    } else if (calc_size(x) > 0) {
        lo = calc_read_float(c, calc_reduce(c, RED_MIN, x, 1, false));
        hi = calc_read_float(c, calc_reduce(c, RED_MAX, x, 1, false));
    }
    if (calc_ok(c) && (!isfinite(lo) || !isfinite(hi) || lo > hi))
        return calc_fail(c, ARR_ERR_VALUE,
                         "the range from %s to %s has no bins: give range=(low, high)",
                         calc_text(lo).s, calc_text(hi).s);
    if (bins < 1) return calc_fail(c, ARR_ERR_VALUE, "bins must be 1 or more");
    if (lo == hi) {
        lo -= 0.5;
        hi += 0.5;
    }
    Value i = calc_arange(c, bins + 1), step = value_float((hi - lo) / (double)bins);
    Value e = calc_add(c, calc_mul(c, calc_cast(c, i, DT_f64), step), value_float(lo));
    e = calc_where(c, calc_2(c, OP_eq, i, value_int(bins)), value_float(hi), e);
    return calc_cast(c, e, t);
}

/* Elements of the sorted vector at the share q of its length, between neighbours linearly. */
static double at_share(Calc *c, Value sorted, double q) {
    int64_t n = calc_dim(sorted, 0);
    double at = q * (double)(n - 1), low = floor(at);
    int64_t i = (int64_t)low, j = i + 1 < n ? i + 1 : i;
    double a = calc_read_float(c, calc_pick(c, sorted, 0, i));
    double b = calc_read_float(c, calc_pick(c, sorted, 0, j));
    return a + (b - a) * (at - low);
}

static double spread_of(Calc *c, Value x) {
    Node *v = NULL;
    if (!calc_ok(c)) return 0;
    Status s = graph_reduce(calc_rt(c), RED_VAR, x.node, 1, false, DT_f64, 0, &v);
    return sqrt(calc_read_float(c, calc_keep_node(c, s, v)));
}

typedef enum BinRule { BINS_AUTO, BINS_FD, BINS_SCOTT, BINS_RICE, BINS_STURGES, BINS_SQRT } BinRule;

static double fd_width(Calc *c, Value x, double n) {
    Value sorted = calc_sort(c, x, 0, false);
    return 2 * (at_share(c, sorted, 0.75) - at_share(c, sorted, 0.25)) / cbrt(n);
}

/* The width of a bin by a rule of NumPy's; 0 where it finds none. */
static double rule_width(Calc *c, BinRule rule, Value x, double span) {
    static const double pi = 3.141592653589793;
    double n = (double)calc_dim(x, 0), fd, sturges = span / (log2(n) + 1);
    switch (rule) {
    case BINS_SQRT: return span / sqrt(n);
    case BINS_STURGES: return sturges;
    case BINS_RICE: return span / (2 * cbrt(n));
    case BINS_SCOTT: return cbrt(24 * sqrt(pi) / n) * spread_of(c, x);
    case BINS_FD: return fd_width(c, x, n);
    default:
        fd = fd_width(c, x, n);
        fd = fd > span / sqrt(n) / 2 ? fd : span / sqrt(n) / 2;
        return sturges < fd ? sturges : fd;
    }
}

/* How many bins a rule makes of the elements in the range. */
static int64_t bins_by_rule(Calc *c, const Value *bins, Value x, const Value *range) {
    static const char *const words[] = {"auto", "fd", "scott", "rice", "sturges", "sqrt"};
    BinRule rule = (BinRule)calc_choice(c, "bins", bins, words, 6);
    bool whole = calc_ok(c) && dtype_kind(calc_type(c, x)) < DK_FLOAT;
    double lo = 0, hi = 0;
    x = calc_cast(c, x, DT_f64);
    if (calc_given(range) && range->kind == V_TUPLE && range->tuple->n == 2) {
        lo = calc_float(c, "range", &range->tuple->items[0]);
        hi = calc_float(c, "range", &range->tuple->items[1]);
        Value in = calc_2(c, OP_bit_and, calc_2(c, OP_ge, x, value_float(lo)),
                          calc_2(c, OP_le, x, value_float(hi)));
        Value kept = calc_nonzero(c, in);
        if (calc_ok(c)) x = calc_take(c, x, kept, 0);
    }
    if (!calc_ok(c) || calc_dim(x, 0) == 0) return 1;
    double least = calc_read_float(c, calc_reduce(c, RED_MIN, x, 1, false));
    double most = calc_read_float(c, calc_reduce(c, RED_MAX, x, 1, false));
    if (!calc_given(range)) {
        lo = least;
        hi = most;
    }
    double width = rule_width(c, rule, x, most - least);
    if (whole && width < 1 && width > 0) width = 1;
    double n = width > 0 ? ceil((hi - lo) / width) : 1;
    if (calc_ok(c) && !(n < 0x1p40)) {
        calc_fail(c, ARR_ERR_LIMIT, "bins=\"%s\" makes too many bins", words[rule]);
        return 1;
    }
    return n >= 1 ? (int64_t)n : 1;
}

static void check_ascending(Calc *c, const char *what, Value edges) {
    int64_t n = calc_dim(edges, 0);
    if (!calc_ok(c) || n < 2) return;
    Value ok = calc_2(c, OP_le, calc_slice(c, edges, 0, 0, n - 1, 1),
                      calc_slice(c, edges, 0, 1, n - 1, 1));
    if (!calc_read_bool(c, calc_reduce(c, RED_ALL, ok, 1, false)))
        calc_fail(c, ARR_ERR_VALUE, "%s must ascend", what);
}

/* The bin of each element, by comparison with the edges; the last bin holds its right edge, too.
 * What is outside, nan among it, goes into one more bin. */
static Value which_bin(Calc *c, Value x, Value edges) {
    int64_t bins = calc_dim(edges, 0) - 1;
    Value last = calc_pick(c, edges, 0, bins), outside = value_int(bins);
    Value i = calc_sub(c, calc_search(c, edges, x, true), value_int(1));
    i = calc_where(c, calc_2(c, OP_lt, i, value_int(0)), outside, i);
    return calc_where(c, calc_2(c, OP_eq, x, last), value_int(bins - 1), i);
}

static Status sets_histogram(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "histogram");
    Value raw = calc_real(&c, "a", &args[0]), w = weights_of(&c, &args[4], raw);
    Value x = calc_ravel(&c, raw), edges;
    DType t = calc_ok(&c) ? calc_float_type(&c, x) : DT_f64;
    bool whole = args[1].kind == V_INT || (args[1].kind == V_ARRAY && calc_rank(args[1]) == 0);
    if (args[1].kind == V_STR) {
        if (calc_given(&args[4]))
            calc_fail(&c, ARR_ERR_ARGUMENT, "weights need bins that are given, not a rule");
        int64_t n = bins_by_rule(&c, &args[1], x, &args[2]);
        edges = even_edges(&c, x, n, &args[2], t);
    } else if (whole) {
        edges = even_edges(&c, x, calc_int(&c, "bins", &args[1]), &args[2], t);
    } else {
        edges = calc_real(&c, "bins", &args[1]);
        if (calc_ok(&c) && (calc_rank(edges) != 1 || calc_dim(edges, 0) < 2))
            calc_fail(&c, ARR_ERR_SHAPE,
                      "bins must be an integer or a vector of two edges or more");
        edges = calc_cast(&c, edges, t);
        check_ascending(&c, "bins", edges);
    }
    bool density = calc_flag(&c, "density", &args[3]);
    int64_t bins = calc_dim(edges, 0) - 1;
    Value counts = calc_ok(&c) ? count_bins(&c, which_bin(&c, x, edges), bins, w) : VALUE_UNSET;
    if (density && calc_ok(&c)) {
        Value width = calc_sub(&c, calc_slice(&c, edges, 0, 1, bins, 1),
                               calc_slice(&c, edges, 0, 0, bins, 1));
        Value total = calc_reduce(&c, RED_SUM, counts, 1, false);
        counts = calc_div(&c, calc_div(&c, counts, width), total);
    }
    return calc_done(&c, calc_tuple(&c, (Value[]){counts, edges}, 2), out);
}

static Status sets_digitize(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "digitize");
    Value x = calc_number(&c, "x", &args[0]), bins = calc_real(&c, "bins", &args[1]);
    bool right = calc_flag(&c, "right", &args[2]);
    int64_t n = calc_dim(bins, 0);
    if (calc_ok(&c) && calc_rank(bins) != 1) calc_fail(&c, ARR_ERR_SHAPE, "bins must be a vector");
    bool down = false;
    if (calc_ok(&c) && n > 1) {
        Value first = calc_pick(&c, bins, 0, 0), last = calc_pick(&c, bins, 0, n - 1);
        down = calc_read_bool(&c, calc_2(&c, OP_gt, first, last));
    }
    if (down) bins = calc_slice(&c, bins, 0, n - 1, n, -1);
    check_ascending(&c, "bins (or its reverse)", bins);
    Value at = calc_search(&c, bins, x, !right);
    return calc_done(&c, down ? calc_sub(&c, value_int(n), at) : at, out);
}

/* ---- interpolation ---- */

/* The points of one period, sorted, with one more at either end. */
static void wrap_points(Calc *c, double period, Value *xp, Value *fp) {
    int64_t n = calc_dim(*xp, 0);
    Value p = value_float(period), x = calc_2(c, OP_mod, *xp, p),
          order = calc_argsort(c, x, 0, false);
    x = calc_take(c, x, order, 0);
    Value f = calc_take(c, *fp, order, 0);
    Value xs[3] = {calc_sub(c, calc_slice(c, x, 0, n - 1, 1, 1), p), x,
                   calc_add(c, calc_slice(c, x, 0, 0, 1, 1), p)};
    Value fs[3] = {calc_slice(c, f, 0, n - 1, 1, 1), f, calc_slice(c, f, 0, 0, 1, 1)};
    *xp = calc_concat(c, xs, 3, 0);
    *fp = calc_concat(c, fs, 3, 0);
}

static Value end_value(Calc *c, const char *what, const Value *v, Value fp, int64_t at) {
    return calc_given(v) ? calc_number(c, what, v) : calc_pick(c, fp, 0, at);
}

static Status sets_interp(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "interp");
    Value x = calc_cast(&c, calc_real(&c, "x", &args[0]), DT_f64);
    Value xp = calc_cast(&c, calc_real(&c, "xp", &args[1]), DT_f64);
    Value fp = calc_array(&c, "fp", &args[2]);
    fp = calc_cast(&c, fp, calc_ok(&c) && dtype_is_complex(calc_type(&c, fp)) ? DT_c128 : DT_f64);
    int64_t n = calc_dim(xp, 0);
    if (calc_ok(&c) && (calc_rank(xp) != 1 || calc_rank(fp) != 1 || n != calc_dim(fp, 0) || n == 0))
        calc_fail(&c, ARR_ERR_SHAPE, "xp and fp must be vectors of equal length, not empty");
    if (calc_given(&args[5]) && calc_ok(&c)) {
        double period = fabs(calc_float(&c, "period", &args[5]));
        if (period == 0) calc_fail(&c, ARR_ERR_VALUE, "period must not be 0");
        x = calc_2(&c, OP_mod, x, value_float(period));
        wrap_points(&c, period, &xp, &fp);
        n += 2;
    }
    if (!calc_ok(&c)) return calc_done(&c, VALUE_UNSET, out);
    Value left = end_value(&c, "left", &args[3], fp, 0),
          right = end_value(&c, "right", &args[4], fp, n - 1);
    /* The piece that x lies in: xp[j] <= x < xp[j + 1]. */
    Value j = calc_sub(&c, calc_search(&c, xp, x, true), value_int(1));
    Value lo = calc_2(&c, OP_minimum, calc_2(&c, OP_maximum, j, value_int(0)),
                      value_int(n > 1 ? n - 2 : 0));
    Value hi = n > 1 ? calc_add(&c, lo, value_int(1)) : lo;
    Value x0 = calc_take(&c, xp, lo, 0), x1 = calc_take(&c, xp, hi, 0);
    Value f0 = calc_take(&c, fp, lo, 0), f1 = calc_take(&c, fp, hi, 0);
    Value slope = calc_div(&c, calc_sub(&c, f1, f0), calc_sub(&c, x1, x0));
    Value y = calc_add(&c, calc_mul(&c, slope, calc_sub(&c, x, x0)), f0);
    y = calc_where(&c, calc_2(&c, OP_eq, x, calc_pick(&c, xp, 0, n - 1)),
                   calc_pick(&c, fp, 0, n - 1), y);
    y = calc_where(&c, calc_2(&c, OP_gt, x, calc_pick(&c, xp, 0, n - 1)), right, y);
    y = calc_where(&c, calc_2(&c, OP_lt, x, calc_pick(&c, xp, 0, 0)), left, y);
    y = calc_where(&c, calc_1(&c, OP_isnan, x), value_float((double)NAN), y);
    return calc_done(&c, y, out);
}

const BuiltinDef builtin_sets[] = {
    {"unique(ar, return_index=false, return_inverse=false, return_counts=false, axis=none,"
     " equal_nan=true)",
     sets_unique,
     "The different elements in ascending order (all nan as one, last), as a vector; with axis "
     "the\n"
     "different parts along it, in lexical order. With the flags a tuple: where each comes first,\n"
     "which of them each element is, how often each comes. nan is one element, or with\n"
     "equal_nan=false each is its own. Runs the work, since the length "
     "depends\n"
     "on it.\n"
     "  unique([3, 1, 3]) #=> [1 3]\n"
     "  unique([3, 1, 3], return_counts=true) #=> ([1 3], [1 2])"},
    {"isin(element, test_elements, assume_unique=false, invert=false)", sets_isin,
     "Is each element among test_elements (or, with invert, not)? nan is in nothing. "
     "assume_unique\n"
     "changes nothing here.\n"
     "  isin([1, 2, 3], [2, 5]) #=> [false  true false]"},
    {"union1d(ar1, ar2)", sets_union1d,
     "The different elements of both arrays in ascending order.\n"
     "  union1d([3, 1], [2, 3]) #=> [1 2 3]"},
    {"intersect1d(ar1, ar2, assume_unique=false, return_indices=false)", sets_intersect1d,
     "The different elements that are in both arrays, in ascending order; with return_indices "
     "also\n"
     "where each comes first in ar1 and in ar2. assume_unique changes nothing here.\n"
     "  intersect1d([3, 1, 3], [4, 3], return_indices=true) #=> ([3], [0], [1])\n"
     "  intersect1d([3, 1, 3], [3, 4]) #=> [3]"},
    {"setdiff1d(ar1, ar2, assume_unique=false)", sets_setdiff1d,
     "The different elements of ar1 that are not in ar2, in ascending order; with assume_unique "
     "in\n"
     "ar1's order, and as often as they come.\n"
     "  setdiff1d([3, 1, 2], [3]) #=> [1 2]"},
    {"bincount(x, weights=none, minlength=0)", sets_bincount,
     "How often each of 0, 1, 2 … comes in a vector of integers that are not negative, i64; with\n"
     "weights their sums, as sum adds. minlength is the least number of bins.\n"
     "  bincount([0, 1, 1, 3]) #=> [1 2 0 1]\n"
     "  bincount([0, 1, 1], weights=[0.5, 1.0, 2.0]) #=> [0.5 3. ]"},
    {"histogram(a, bins=10, range=none, density=false, weights=none)", sets_histogram,
     "Counts of the elements in bins, and the bins' edges, as a tuple: bins equal bins over range "
     "(or\n"
     "from the smallest to the largest element), or the edges themselves. A bin holds its left "
     "edge,\n"
     "the last one both. Counts are decided by comparison with the edges, which have a's float "
     "dtype.\n"
     "weights are added as sum adds; density divides by total and widths. bins may be a rule: "
     "\"auto\",\n"
     "\"fd\", \"scott\", \"rice\", \"sturges\" or \"sqrt\".\n"
     "  histogram([1, 2, 1], bins=[0, 1, 2, 3]) #=> ([0 2 1], [0. 1. 2. 3.])"},
    {"digitize(x, bins, right=false)", sets_digitize,
     "Which bin each element is in: i where bins[i-1] <= x < bins[i] (with right, <= at the right\n"
     "edge instead). bins ascend, or descend.\n"
     "  digitize([0.5, 2.0], [0, 1, 2]) #=> [1 3]"},
    {"interp(x, xp, fp, left=none, right=none, period=none)", sets_interp,
     "The piecewise linear function through the points (xp, fp) at x; xp ascends. Outside it is "
     "left\n"
     "and right, or the first and last of fp; or it repeats with period. Computed in f64.\n"
     "  interp(2.5, [1, 2, 3], [3, 2, 0]) #=> 1.0\n"
     "  interp([0, 4], [1, 2, 3], [3, 2, 0]) #=> [3. 0.]"},
    {NULL, NULL, NULL},
};
