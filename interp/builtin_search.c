/* builtin_search - order and comparison: sorting, places of elements, bisection, closeness.
 *
 * Callers: calls by name; calc_search also by the counting and interpolating builtins. Everything
 * is lazy but what has a length that depends on data (nonzero and its kin). */
#include "interp/builtin_util.h"

/* ---- sort ---- */

/* x and the axis to sort along: axis=none sorts the vector of all elements. */
static Value sorted_along(Calc *c, const Value *args, int *axis) {
    Value x = calc_real(c, "a", &args[0]);
    if (args[1].kind == V_NONE) x = calc_ravel(c, x);
    if (calc_ok(c) && calc_rank(x) == 0) calc_fail(c, ARR_ERR_SHAPE, "a must have an axis to sort");
    *axis = args[1].kind == V_NONE ? 0 : calc_axis(c, &args[1], calc_rank(x));
    return x;
}

static Status search_sort(State *A, const Value *args, Value *out) {
    Calc c;
    int axis;
    calc_open(&c, A, "sort");
    Value x = sorted_along(&c, args, &axis);
    return calc_done(&c, calc_sort(&c, x, axis, calc_flag(&c, "descending", &args[2])), out);
}

static Status search_argsort(State *A, const Value *args, Value *out) {
    Calc c;
    int axis;
    calc_open(&c, A, "argsort");
    Value x = sorted_along(&c, args, &axis);
    return calc_done(&c, calc_argsort(&c, x, axis, calc_flag(&c, "descending", &args[2])), out);
}

/* One stable sort a key, the last one first in importance and last in time. */
static Status search_lexsort(State *A, const Value *args, Value *out) {
    Calc c;
    Value *key, order = VALUE_UNSET;
    calc_open(&c, A, "lexsort");
    int n = calc_operands(&c, "keys", &args[0], &key), axis = 0;
    for (int i = 0; i < n && calc_ok(&c); i++) {
        Value k = calc_real(&c, "keys", &key[i]);
        Shape a = calc_shape(key[0]), b = calc_shape(k);
        if (calc_ok(&c) && (!shape_equal(&a, &b) || b.rank == 0))
            calc_fail(&c, ARR_ERR_SHAPE, "the keys must be arrays of one shape");
        if (i == 0) axis = calc_axis(&c, &args[1], b.rank);
        if (i > 0)
            k = b.rank == 1 ? calc_take(&c, k, order, 0)
                            : calc_take_along(&c, k, order, axis, false);
        Value step = calc_argsort(&c, k, axis, false);
        if (i == 0)
            order = step;
        else if (b.rank == 1)
            order = calc_take(&c, order, step, 0);
        else
            order = calc_take_along(&c, order, step, axis, false);
    }
    calc_free_operands(&c, key, n);
    return calc_done(&c, order, out);
}

static Status search_topk(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "topk");
    Value x = calc_real(&c, "x", &args[0]);
    int64_t k = calc_count(&c, "k", &args[1]);
    int axis = calc_axis(&c, &args[2], calc_rank(x));
    bool largest = calc_flag(&c, "largest", &args[3]);
    if (calc_ok(&c) && k > calc_dim(x, axis))
        calc_fail(&c, ARR_ERR_VALUE, "k is %lld, axis %d has %lld elements", (long long)k, axis,
                  (long long)calc_dim(x, axis));
    Value order = calc_slice(&c, calc_argsort(&c, x, axis, largest), axis, 0, k, 1);
    Value pair[2] = {calc_take_along(&c, x, order, axis, false), order}; /* one sort for both */
    return calc_done(&c, calc_tuple(&c, pair, 2), out);
}

/* ---- bisection ---- */

/* Does the element at the probe come before v? nan is the largest. */
static Value comes_before(Calc *c, Value probe, Value v, bool right) {
    Value r = calc_2(c, right ? OP_le : OP_lt, probe, v);
    if (!calc_ok(c) || !dtype_is_float(calc_type(c, v))) return r;
    Value more = calc_1(c, OP_isnan, v);
    if (!right)
        more = calc_2(c, OP_bit_and, more, calc_1(c, OP_bit_not, calc_1(c, OP_isnan, probe)));
    return calc_2(c, OP_bit_or, r, more);
}

Value calc_search(Calc *c, Value sorted, Value v, bool right) {
    Value both[2] = {sorted, v};
    if (!calc_ok(c)) return VALUE_UNSET;
    DType t = calc_common(c, both, 2);
    if (calc_ok(c) && dtype_is_complex(t))
        return calc_fail(c, ARR_ERR_DTYPE, "complex numbers have no order");
    v = calc_cast(c, v, t);
    sorted = calc_cast(c, sorted, t);
    int64_t n = calc_size(sorted), step = 1;
    Value at = calc_full(c, DT_i64, calc_shape(v), value_int(0));
    while (step <= n / 2) step *= 2;
    for (; step > 0 && n > 0 && calc_ok(c); step /= 2) {
        Value next = calc_add(c, at, value_int(step));
        Value probe = calc_2(c, OP_minimum, calc_sub(c, next, value_int(1)), value_int(n - 1));
        Value go = calc_2(c, OP_bit_and, calc_2(c, OP_le, next, value_int(n)),
                          comes_before(c, calc_take(c, sorted, probe, 0), v, right));
        at = calc_where(c, go, next, at);
    }
    return at;
}

static Status search_searchsorted(State *A, const Value *args, Value *out) {
    static const char *const words[] = {"left", "right"};
    Calc c;
    calc_open(&c, A, "searchsorted");
    Value a = calc_real(&c, "a", &args[0]), v = calc_number(&c, "v", &args[1]);
    bool right = calc_choice(&c, "side", &args[2], words, 2) == 1;
    if (calc_ok(&c) && calc_rank(a) != 1) calc_fail(&c, ARR_ERR_SHAPE, "a must be a sorted vector");
    if (calc_given(&args[3])) {
        Value order = calc_index_array(&c, "sorter", &args[3]);
        if (calc_ok(&c) && (calc_rank(order) != 1 || calc_size(order) != calc_size(a)))
            calc_fail(&c, ARR_ERR_SHAPE, "sorter must hold one index for each element of a");
        a = calc_take(&c, a, order, 0);
    }
    return calc_done(&c, calc_search(&c, a, v, right), out);
}

/* ---- places ---- */

/* Index numbers along each axis of the true elements. */
static int true_places(Calc *c, const Value *v, bool scalar, Value part[MAX_RANK]) {
    Value x = calc_cast(c, calc_array(c, "a", v), DT_bool);
    if (calc_ok(c) && calc_rank(x) == 0 && !scalar)
        calc_fail(c, ARR_ERR_SHAPE, "a must have an axis: atleast_1d(x)");
    Value flat = calc_nonzero(c, x);
    for (int i = calc_rank(x) - 1; i >= 0; i--) {
        int64_t n = calc_dim(x, i);
        part[i] = i == 0 ? flat : calc_2(c, OP_mod, flat, value_int(n));
        flat = calc_2(c, OP_floordiv, flat, value_int(n));
    }
    return calc_rank(x);
}

static Status search_nonzero(State *A, const Value *args, Value *out) {
    Calc c;
    Value part[MAX_RANK] = {{0}};
    calc_open(&c, A, "nonzero");
    int rank = true_places(&c, &args[0], false, part);
    return calc_done(&c, calc_tuple(&c, part, rank), out);
}

static Status search_flatnonzero(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "flatnonzero");
    Value x = calc_cast(&c, calc_array(&c, "a", &args[0]), DT_bool);
    return calc_done(&c, calc_nonzero(&c, x), out);
}

static Status search_argwhere(State *A, const Value *args, Value *out) {
    Calc c;
    Value part[MAX_RANK] = {{0}};
    calc_open(&c, A, "argwhere");
    int rank = true_places(&c, &args[0], true, part);
    if (calc_ok(&c) && rank == 0) { /* one row without columns, or none */
        Value x = calc_array(&c, "a", &args[0]);
        bool there = calc_read_bool(&c, calc_cast(&c, x, DT_bool));
        return calc_done(&c, calc_iota(&c, calc_shape2(there, 0)), out);
    }
    for (int i = 0; i < rank; i++) part[i] = calc_expand(&c, part[i], 1);
    return calc_done(&c, calc_concat(&c, part, rank, 1), out);
}

/* ---- closeness ---- */

/* |a - b| <= atol + rtol * |b|, equal infinities, and nan beside nan if asked. */
static Value close_to(Calc *c, const Value *args) {
    Value a = calc_number(c, "a", &args[0]), b = calc_number(c, "b", &args[1]);
    Value rtol = calc_number(c, "rtol", &args[2]), atol = calc_number(c, "atol", &args[3]);
    bool nan_too = calc_flag(c, "equal_nan", &args[4]);
    if (!calc_ok(c)) return VALUE_UNSET;
    if (dtype_kind(calc_type(c, b)) < DK_FLOAT) /* differences of integers would wrap */
        b = b.kind == V_ARRAY ? calc_cast(c, b, DT_f64) : value_float(calc_float(c, "b", &b));
    Value room = calc_add(c, atol, calc_mul(c, rtol, calc_1(c, OP_abs, b)));
    Value near = calc_2(c, OP_le, calc_1(c, OP_abs, calc_sub(c, a, b)), room);
    Value ok = calc_2(c, OP_bit_and, near, calc_1(c, OP_isfinite, b));
    ok = calc_2(c, OP_bit_or, ok, calc_2(c, OP_eq, a, b));
    if (!nan_too) return ok;
    Value both = calc_2(c, OP_bit_and, calc_1(c, OP_isnan, a), calc_1(c, OP_isnan, b));
    return calc_2(c, OP_bit_or, ok, both);
}

static Status search_isclose(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "isclose");
    return calc_done(&c, close_to(&c, args), out);
}

static Value everywhere(Calc *c, Value x) {
    if (!calc_ok(c) || x.kind != V_ARRAY) return x;
    return calc_reduce(c, RED_ALL, x, calc_all_axes(calc_rank(x)), false);
}

static Status search_allclose(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "allclose");
    return calc_done(&c, everywhere(&c, close_to(&c, args)), out);
}

static Status search_array_equal(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "array_equal");
    Value a = calc_array(&c, "a1", &args[0]), b = calc_array(&c, "a2", &args[1]), r;
    bool nan_too = calc_flag(&c, "equal_nan", &args[2]);
    Shape s = calc_shape(a), t = calc_shape(b);
    if (!shape_equal(&s, &t)) return calc_done(&c, value_bool(false), out);
    r = calc_2(&c, OP_eq, a, b);
    if (nan_too) {
        Value both = calc_2(&c, OP_bit_and, calc_1(&c, OP_isnan, a), calc_1(&c, OP_isnan, b));
        r = calc_2(&c, OP_bit_or, r, both);
    }
    return calc_done(&c, everywhere(&c, r), out);
}

const BuiltinDef builtin_search[] = {
    {"sort(a, axis=-1, descending=false)", search_sort,
     "The elements in ascending order along an axis (none: all of them as a vector); nan last, "
     "also\n"
     "with descending. Complex numbers have no order.\n"
     "  sort([3, 1, 2]) #=> [1 2 3]\n"
     "  sort([1.0, nan, 2.0], descending=true) #=> [ 2.  1. nan]"},
    {"argsort(a, axis=-1, descending=false)", search_argsort,
     "The indices, i64, that sort an array along an axis (none: its vector). Equal elements keep "
     "their\n"
     "order; nan comes last.\n"
     "  argsort([3, 1, 2]) #=> [1 2 0]"},
    {"lexsort(keys, axis=-1)", search_lexsort,
     "The indices that sort by several keys, a tuple of arrays of one shape; the last one counts\n"
     "first.\n"
     "  lexsort(([2, 1, 3], [1, 1, 0])) #=> [2 1 0]"},
    {"topk(x, k, axis=-1, largest=true)", search_topk,
     "The k largest (or smallest) elements along an axis in order, and their indices, as a tuple.\n"
     "Equal elements come by their index; nan comes last.\n"
     "  topk([3, 9, 5], 2) #=> ([9 5], [1 2])"},
    {"searchsorted(a, v, side=\"left\", sorter=none)", search_searchsorted,
     "Where each of v would be put into the sorted vector a to keep it sorted: before its equals\n"
     "(left) or behind them (right). sorter holds the indices that sort a. nan counts as largest.\n"
     "  searchsorted([1, 3, 5], [3, 4]) #=> [1 2]\n"
     "  searchsorted([1, 3, 5], 3, side=\"right\") #=> 2"},
    {"nonzero(a)", search_nonzero,
     "Index numbers along each axis, as a tuple of vectors in C order, of the elements that are "
     "true\n"
     "or not 0. Their count is known only when the work has run, so this runs it.\n"
     "  nonzero([0, 3, 4]) #=> ([1 2],)"},
    {"flatnonzero(a)", search_flatnonzero,
     "Flat positions in C order of the elements that are true or not 0.\n"
     "  flatnonzero([[0, 3], [4, 0]]) #=> [1 2]"},
    {"argwhere(a)", search_argwhere,
     "One row of index numbers for each element that is true or not 0.\n"
     "  argwhere([[0, 3], [4, 0]]) #=> [[0 1]\n"
     "                             #=>  [1 0]]"},
    {"isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=false)", search_isclose,
     "Is |a - b| <= atol + rtol * |b|, element by element? Equal infinities are close; nan is "
     "close to\n"
     "nothing, or to nan with equal_nan.\n"
     "  isclose([1.0, 2.0], [1.0, 2.1]) #=> [ true false]"},
    {"allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=false)", search_allclose,
     "Are all elements close as isclose says?\n"
     "  allclose([1.0, 2.0], [1.0, 2.0 + 1e-9]) #=> true"},
    {"array_equal(a1, a2, equal_nan=false)", search_array_equal,
     "Have the arrays one shape and equal elements? Dtypes may differ.\n"
     "  array_equal([1, 2], [1.0, 2.0]) #=> true\n"
     "  array_equal([1, 2], [[1, 2]]) #=> false"},
    {NULL, NULL, NULL},
};
