/* builtin_grid - arrays of regular numbers: arange, linspace and its kin, coordinate grids.
 *
 * Callers: calls by name. Elements are functions of their index alone, computed in f64 (or i64) and
 * rounded once to the dtype, so that they are the same wherever and however they are computed. */
#include "interp/builtin_util.h"

#include <math.h>

/* ---- arange ---- */

/* Elements from start up to, but not at, stop. */
static int64_t count_ints(Calc *c, int64_t start, int64_t stop, int64_t step) {
    __int128 span = (__int128)stop - start, by = step;
    if (by < 0) {
        span = -span;
        by = -by;
    }
    __int128 n = span > 0 ? (span + by - 1) / by : 0;
    if (n > INT64_MAX / 8) calc_fail(c, ARR_ERR_LIMIT, "more than 2^60 elements");
    return (int64_t)n;
}

static bool is_before(double x, double stop, double step) { return step > 0 ? x < stop : x > stop; }

/* The quotient may be rounded up or down across an integer; the elements as computed decide. */
static int64_t count_floats(Calc *c, double start, double stop, double step) {
    double q = ceil((stop - start) / step);
    if (isnan(q) || q > 0x1p60) {
        calc_fail(c, ARR_ERR_VALUE, "the range from %s to %s by %s has no usable length",
                  calc_text(start).s, calc_text(stop).s, calc_text(step).s);
        return 0;
    }
    int64_t n = q > 0 ? (int64_t)q : 0;
    if (n > 0 && !is_before(start + (double)(n - 1) * step, stop, step)) return n - 1;
    if (is_before(start + (double)n * step, stop, step)) return n + 1;
    return n;
}

static Value int_range(Calc *c, const Value v[3]) {
    int64_t start = calc_int(c, "start", &v[0]), stop = calc_int(c, "stop", &v[1]);
    int64_t step = calc_int(c, "step", &v[2]);
    if (calc_ok(c) && step == 0) return calc_fail(c, ARR_ERR_VALUE, "step must not be 0");
    if (!calc_ok(c)) return VALUE_UNSET;
    Value x = calc_arange(c, count_ints(c, start, stop, step));
    if (step != 1) x = calc_mul(c, x, value_int(step));
    return start != 0 ? calc_add(c, x, value_int(start)) : x;
}

static Value float_range(Calc *c, const Value v[3]) {
    double start = calc_float(c, "start", &v[0]), stop = calc_float(c, "stop", &v[1]);
    double step = calc_float(c, "step", &v[2]);
    if (calc_ok(c) && step == 0) return calc_fail(c, ARR_ERR_VALUE, "step must not be 0");
    if (!calc_ok(c)) return VALUE_UNSET;
    Value x = calc_cast(c, calc_arange(c, count_floats(c, start, stop, step)), DT_f64);
    return calc_add(c, calc_mul(c, x, value_float(step)), value_float(start));
}

static Status grid_arange(State *A, const Value *args, Value *out) {
    Calc c;
    Value one = value_int(1), unset = VALUE_UNSET, type = args[3], v[3];
    calc_open(&c, A, "arange");
    v[0] = calc_number(&c, "start", &args[0]);
    v[1] = calc_trailing_dtype(&c, &args[1], unset, &type);
    v[2] = calc_trailing_dtype(&c, &args[2], one, &type);
    if (!calc_given(&v[1])) {
        v[1] = v[0];
        v[0] = value_int(0);
    } else {
        v[1] = calc_number(&c, "stop", &v[1]);
    }
    v[2] = calc_number(&c, "step", &v[2]);
    DType t = calc_ok(&c) ? calc_common(&c, v, 3) : DT_i64;
    if (calc_ok(&c) && dtype_is_complex(t))
        calc_fail(&c, ARR_ERR_DTYPE, "start, stop and step must be real numbers");
    Value x = dtype_is_float(t) ? float_range(&c, v) : int_range(&c, v);
    return calc_done(&c, calc_cast(&c, x, calc_dtype(&c, &type, t == DT_bool ? DT_i64 : t)), out);
}

/* ---- linspace ---- */

/* Points of a line: the lower half is measured from start, the upper half from stop, so that both
 * ends are exact and exchanging them mirrors the result. */
typedef struct Line {
    Value start, stop, step, middle;
    Value more; /* V_UNSET, or what broadcasts with the ends */
    int64_t num, parts;
    bool endpoint;
} Line;

static bool is_real_scalar(Value v) { return value_is_scalar(&v) && v.kind != V_COMPLEX; }

static double as_double(Calc *c, Value v) { return calc_float(c, "start", &v); }

static void line_steps(Calc *c, Line *l) {
    if (is_real_scalar(l->start) && is_real_scalar(l->stop)) {
        double a = as_double(c, l->start), b = as_double(c, l->stop), d = (double)l->parts;
        double span = b - a,
               step = isinf(span) && isfinite(a) && isfinite(b) ? b / d - a / d : span / d;
        l->start = value_float(a);
        l->stop = value_float(b);
        l->step = value_float(step);
        l->middle = value_float(0.5 * a + 0.5 * b);
        return;
    }
    DType t = dtype_is_complex(calc_type(c, l->start)) || dtype_is_complex(calc_type(c, l->stop))
                  ? DT_c128
                  : DT_f64;
    l->start = calc_cast(c, l->start, t);
    l->stop = calc_cast(c, l->stop, t);
    Value half = value_float(0.5);
    l->step = calc_div(c, calc_sub(c, l->stop, l->start), value_float((double)l->parts));
    l->middle = calc_add(c, calc_mul(c, half, l->start), calc_mul(c, half, l->stop));
}

/* Shape (num) followed by the broadcast shape of start and stop; f64 or c128. */
static Value line_points(Calc *c, Line *l) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Shape a = calc_shape(l->start), b = calc_shape(l->stop), s;
    if (!shape_broadcast(&a, &b, &s) || s.rank == MAX_RANK)
        return calc_fail(c, ARR_ERR_SHAPE, "start and stop do not broadcast together");
    Shape m = calc_shape(l->more);
    if (!shape_broadcast(&s, &m, &s) || s.rank == MAX_RANK)
        return calc_fail(c, ARR_ERR_SHAPE, "base does not broadcast with start and stop");
    l->parts = l->endpoint ? l->num - 1 : l->num;
    if (l->parts == 0) l->parts = 1;
    line_steps(c, l);
    Shape column = {.rank = s.rank + 1, .dim = {l->num}};
    for (int i = 1; i < column.rank; i++) column.dim[i] = 1;
    Value k = calc_reshape(c, calc_arange(c, l->num), column), i = calc_cast(c, k, DT_f64);
    Value up = calc_add(c, l->start, calc_mul(c, i, l->step));
    if (!l->endpoint || l->num == 1) return up;
    Value rest = calc_sub(c, value_float((double)l->parts), i);
    Value down = calc_sub(c, l->stop, calc_mul(c, rest, l->step));
    if (!is_real_scalar(l->step) || !isfinite(as_double(c, l->step))) /* 0 * inf is nan */
        down = calc_where(c, calc_2(c, OP_eq, i, value_float((double)l->parts)), l->stop, down);
    Value twice = calc_mul(c, k, value_int(2)), d = value_int(l->parts);
    Value upper = calc_where(c, calc_2(c, OP_eq, twice, d), l->middle, down);
    return calc_where(c, calc_2(c, OP_lt, twice, d), up, upper);
}

/* num, endpoint and dtype, the last of which may stand in the place of the others. */
static DType line_options(Calc *c, Line *l, const Value *num, const Value *endpoint, Value *type) {
    Value e = calc_trailing_dtype(c, endpoint, value_bool(true), type);
    l->num = calc_count(c, "num", num);
    l->endpoint = calc_flag(c, "endpoint", &e);
    Value ends[3] = {l->start, l->stop, value_float(0)};
    return calc_ok(c) ? calc_dtype(c, type, calc_common(c, ends, 3)) : DT_f64;
}

/* Into the dtype; integers take the floor, as NumPy's do. */
static Value line_finish(Calc *c, Value x, DType t) {
    if (calc_ok(c) && dtype_is_int(t)) x = calc_1(c, OP_floor, x);
    return calc_cast(c, x, t);
}

/* The points' own axis, the first, in its place among the others. */
static Value line_place(Calc *c, Value x, const Value *axis) {
    int at = calc_ok(c) ? calc_axis(c, axis, calc_rank(x)) : 0;
    return calc_ok(c) ? calc_move_axis(c, x, 0, at) : VALUE_UNSET;
}

static Status grid_linspace(State *A, const Value *args, Value *out) {
    Calc c;
    Line l = {.more = VALUE_UNSET};
    Value type = args[5], num = args[2], more = args[4];
    calc_open(&c, A, "linspace");
    l.start = calc_number(&c, "start", &args[0]);
    l.stop = calc_number(&c, "stop", &args[1]);
    num = calc_trailing_dtype(&c, &num, value_int(50), &type);
    more = calc_trailing_dtype(&c, &more, value_bool(false), &type);
    bool step = calc_flag(&c, "retstep", &more);
    DType t = line_options(&c, &l, &num, &args[3], &type);
    Value x = line_place(&c, line_finish(&c, line_points(&c, &l), t), &args[6]);
    if (step && calc_ok(&c)) {
        Value none = value_float((double)NAN); /* of one point there is none */
        Value pair[2] = {x, l.num > (l.endpoint ? 1 : 0) ? l.step : none};
        x = calc_tuple(&c, pair, 2);
    }
    return calc_done(&c, x, out);
}

static Status grid_logspace(State *A, const Value *args, Value *out) {
    Calc c;
    Line l = {.more = VALUE_UNSET};
    Value type = args[5];
    calc_open(&c, A, "logspace");
    l.start = calc_number(&c, "start", &args[0]);
    l.stop = calc_number(&c, "stop", &args[1]);
    Value base = calc_trailing_dtype(&c, &args[4], value_float(10), &type);
    base = calc_number(&c, "base", &base);
    DType t = line_options(&c, &l, &args[2], &args[3], &type);
    if (base.kind == V_ARRAY && calc_ok(&c)) { /* bases broadcast with the ends */
        l.more = base;
        Value ends[2] = {base, calc_full(&c, t, (Shape){.rank = 0}, value_int(0))};
        if (!calc_given(&type)) t = calc_common(&c, ends, 2);
        base = calc_cast(&c, base, dtype_is_complex(calc_type(&c, base)) ? DT_c128 : DT_f64);
    }
    Value x = calc_2(&c, OP_pow, base, line_points(&c, &l));
    return calc_done(&c, line_place(&c, line_finish(&c, x, t), &args[6]), out);
}

/* Where any element of x is so. */
static bool is_any(Calc *c, Value x) {
    if (x.kind == V_ARRAY) x = calc_reduce(c, RED_ANY, x, calc_all_axes(calc_rank(x)), false);
    return calc_read_bool(c, x);
}

/* The ends of a geometric line: same signs, and none of them 0. */
static void check_ends(Calc *c, Value a, Value b) {
    Value zero = value_int(0), one = value_int(1), none[2];
    if (!calc_ok(c)) return;
    for (int i = 0; i < 2; i++) none[i] = calc_2(c, OP_eq, i ? b : a, zero);
    if (is_any(c, calc_2(c, OP_bit_or, none[0], none[1])))
        calc_fail(c, ARR_ERR_VALUE, "start and stop must not be 0");
    if (!calc_ok(c) || dtype_is_complex(calc_type(c, a)) || dtype_is_complex(calc_type(c, b)))
        return;
    Value s = calc_where(c, calc_2(c, OP_lt, a, zero), one, zero);
    Value t = calc_where(c, calc_2(c, OP_lt, b, zero), one, zero);
    if (is_any(c, calc_2(c, OP_ne, s, t)))
        calc_fail(c, ARR_ERR_VALUE, "start and stop must have one sign: complex ends turn");
}

/* start times the powers of ten from 0 to log10(stop / start): of numbers with one sign these are
 * real, and both ends come out as they are. */
static Value geometric(Calc *c, Line *l, Value a, Value b) {
    if (!calc_ok(c)) return VALUE_UNSET;
    bool turns = dtype_is_complex(calc_type(c, a)) || dtype_is_complex(calc_type(c, b));
    DType wide = turns ? DT_c128 : DT_f64;
    a = calc_cast(c, a, wide);
    b = calc_cast(c, b, wide);
    Value from = a, to = b, unit = VALUE_UNSET;
    if (turns) { /* as if start were a positive number */
        unit = calc_div(c, a, calc_1(c, OP_abs, a));
        from = calc_cast(c, calc_1(c, OP_abs, a), wide);
        to = calc_div(c, b, unit);
    } else {
        unit = calc_1(c, OP_sign, a);
        from = calc_1(c, OP_abs, a);
        to = calc_1(c, OP_abs, b);
    }
    l->start = calc_1(c, OP_log10, from);
    l->stop = calc_1(c, OP_log10, to);
    Value x = calc_2(c, OP_pow, value_float(10), line_points(c, l));
    x = calc_mul(c, unit, x);
    if (!calc_ok(c)) return VALUE_UNSET;
    Value i = calc_iota_along(c, calc_shape(x), 0);
    if (l->endpoint && l->num > 1)
        x = calc_where(c, calc_2(c, OP_eq, i, value_int(l->num - 1)), b, x);
    return l->num > 0 ? calc_where(c, calc_2(c, OP_eq, i, value_int(0)), a, x) : x;
}

static Status grid_geomspace(State *A, const Value *args, Value *out) {
    Calc c;
    Line l = {.more = VALUE_UNSET};
    Value type = args[4];
    calc_open(&c, A, "geomspace");
    Value a = l.start = calc_number(&c, "start", &args[0]);
    Value b = l.stop = calc_number(&c, "stop", &args[1]);
    DType t = line_options(&c, &l, &args[2], &args[3], &type);
    check_ends(&c, a, b);
    Value x = line_finish(&c, geometric(&c, &l, a, b), t);
    return calc_done(&c, line_place(&c, x, &args[5]), out);
}

/* ---- grids ---- */

static Status grid_meshgrid(State *A, const Value *args, Value *out) {
    static const char *const words[] = {"xy", "ij"};
    Calc c;
    calc_open(&c, A, "meshgrid");
    int n = (int)args[0].tuple->n;
    Value x[MAX_RANK];
    Shape s = {.rank = n};
    bool swap = calc_choice(&c, "indexing", &args[1], words, 2) == 0 && n > 1;
    bool sparse = calc_flag(&c, "sparse", &args[2]);
    if (n > MAX_RANK) calc_fail(&c, ARR_ERR_LIMIT, "at most %d vectors", MAX_RANK);
    for (int i = 0; i < n && calc_ok(&c); i++) {
        int axis = swap && i < 2 ? 1 - i : i;
        x[i] = calc_array(&c, "x", &args[0].tuple->items[i]);
        s.dim[axis] = calc_size(x[i]);
    }
    for (int i = 0; i < n && calc_ok(&c); i++) {
        int axis = swap && i < 2 ? 1 - i : i;
        Shape line = calc_shape_kept(s, calc_all_axes(n));
        line.dim[axis] = s.dim[axis];
        x[i] = calc_reshape(&c, x[i], line);
        if (!sparse) x[i] = calc_broadcast(&c, x[i], s);
    }
    return calc_done(&c, calc_tuple(&c, x, n), out);
}

static Status grid_indices(State *A, const Value *args, Value *out) {
    Calc c;
    Value part[MAX_RANK] = {{0}};
    calc_open(&c, A, "indices");
    Shape s = calc_extents(&c, "dimensions", &args[0], NULL);
    DType t = calc_dtype(&c, &args[1], DT_i64);
    bool sparse = calc_flag(&c, "sparse", &args[2]);
    for (int i = 0; i < s.rank && calc_ok(&c); i++) {
        Shape line = calc_shape_kept(s, calc_all_axes(s.rank));
        line.dim[i] = s.dim[i];
        part[i] = calc_cast(&c, calc_iota_along(&c, sparse ? line : s, i), t);
        if (!sparse) part[i] = calc_expand(&c, part[i], 0);
    }
    Value r;
    if (sparse)
        r = calc_tuple(&c, part, s.rank);
    else if (s.rank == 0)
        r = calc_full(&c, t, calc_shape1(0), value_int(0));
    else
        r = calc_concat(&c, part, s.rank, 0);
    return calc_done(&c, r, out);
}

const BuiltinDef builtin_grid[] = {
    {"arange(start, stop=, step=1, dtype=none)", grid_arange,
     "The numbers start + i * step that lie before stop; arange(n) counts from 0. Integers give "
     "i64,\n"
     "a float among them the default float; a dtype may follow. Elements and length are computed "
     "in\n"
     "f64 (integers: in i64): the length is (stop - start) / step rounded up, without an element\n"
     "that would come out at stop. A step of 0 is an error.\n"
     "  arange(4) #=> [0 1 2 3]\n"
     "  arange(5, 0, -2) #=> [5 3 1]\n"
     "  arange(0, 1, 0.25) #=> [0.   0.25 0.5  0.75]\n"
     "  arange(3, f32) #=> [0. 1. 2.]"},
    {"linspace(start, stop, num=50, endpoint=true, retstep=false, dtype=none, axis=0)",
     grid_linspace,
     "num numbers at equal distances from start to stop, stop included exactly unless endpoint is\n"
     "false. The upper half is measured from stop, so that exchanging the ends mirrors the "
     "result.\n"
     "Arrays as ends broadcast; the numbers run along a new axis, at the place axis of the "
     "result.\n"
     "The dtype is the default float, that of the arrays, or dtype (integers take the floor). "
     "With\n"
     "retstep the result is a tuple: the numbers and their distance (nan of a single one).\n"
     "  linspace(0, 1, 5) #=> [0.   0.25 0.5  0.75 1.  ]\n"
     "  linspace(0, 1, 4, endpoint=false) #=> [0.   0.25 0.5  0.75]"},
    {"logspace(start, stop, num=50, endpoint=true, base=10.0, dtype=none, axis=0)", grid_logspace,
     "base to the powers of linspace(start, stop, num); the numbers run along axis. Start, stop "
     "and\n"
     "base may be arrays, which broadcast.\n"
     "  logspace(0, 3, 4) #=> [   1.   10.  100. 1000.]\n"
     "  logspace(0, 3, 4, base=2) #=> [1. 2. 4. 8.]"},
    {"geomspace(start, stop, num=50, endpoint=true, dtype=none, axis=0)", grid_geomspace,
     "num numbers from start to stop with one ratio between neighbours; both ends exact. The ends\n"
     "must not be 0 and must have one sign; between complex ones the numbers lie on a spiral. "
     "Arrays\n"
     "as ends broadcast; the numbers run along axis. The ends are read at once.\n"
     "  geomspace(1, 8, 4) #=> [1. 2. 4. 8.]"},
    {"meshgrid(xs..., indexing=\"xy\", sparse=false)", grid_meshgrid,
     "Coordinates of a grid: one array for each vector (others are flattened), as a tuple. With "
     "indexing \"xy\" the "
     "first\n"
     "vector runs along the columns, with \"ij\" along the first axis. sparse leaves the other "
     "axes\n"
     "at extent 1.\n"
     "  meshgrid([1, 2], [5, 6, 7])[0].shape #=> (3, 2)\n"
     "  meshgrid([1, 2], [5, 6], indexing=\"ij\")[0] #=> [[1 1]\n"
     "                                            #=>  [2 2]]"},
    {"indices(dimensions, dtype=none, sparse=false)", grid_indices,
     "Index numbers (i64 unless dtype says) of an array of these extents: result[k] holds the "
     "index\n"
     "along axis k. sparse\n"
     "gives a tuple of arrays that broadcast.\n"
     "  indices((2, 2))[0] #=> [[0 0]\n"
     "                     #=>  [1 1]]"},
    {NULL, NULL, NULL},
};
