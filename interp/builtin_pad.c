/* builtin_pad - borders around an array: of constants, of its own elements, of statistics of them.
 *
 * Callers: calls by name. A border of one number is one rectangle in an array of it; elements of
 * the array's own are gathered by an index vector; statistics and ramps are joined on, axis by
 * axis, so that the corners follow from the borders before. */
#include "interp/builtin_util.h"
#include "interp/api_limits.h"

/* One pair for each axis from v: a number, (before, after), or one pair for each axis. */
static void pairs(Calc *c, const char *what, const Value *v, int rank, Value out[][2]) {
    const Value *one = v;
    if (v->kind == V_TUPLE && v->tuple->n == 1) one = &v->tuple->items[0]; /* ((1, 2),) */
    bool nested = v->kind == V_TUPLE && v->tuple->n > 0 && v->tuple->items[0].kind == V_TUPLE;
    if (v->kind == V_ARRAY && calc_rank(*v) > 0) {
        if (calc_rank(*v) > 2 || calc_dim(*v, -1) != 2) {
            calc_fail(c, ARR_ERR_SHAPE,
                      "%s must be a number, (before, after), or such a pair for "
                      "each axis",
                      what);
            return;
        }
        Value wide = calc_broadcast(c, *v, calc_shape2(rank, 2));
        for (int i = 0; i < rank && calc_ok(c); i++)
            for (int j = 0; j < 2; j++) out[i][j] = calc_pick(c, calc_pick(c, wide, 0, i), 0, j);
        return;
    }
    if (nested && v->tuple->n != 1 && (int)v->tuple->n != rank)
        calc_fail(c, ARR_ERR_SHAPE, "%s has %u pairs for %d axes", what, v->tuple->n, rank);
    for (int i = 0; i < rank && calc_ok(c); i++) {
        const Value *p = nested && v->tuple->n > 1 ? &v->tuple->items[i] : one;
        bool pair = p->kind == V_TUPLE;
        if (pair && (p->tuple->n < 1 || p->tuple->n > 2)) {
            calc_fail(c, ARR_ERR_SHAPE,
                      "%s must be a number, (before, after), or such a pair for "
                      "each axis",
                      what);
            return;
        }
        out[i][0] = pair ? p->tuple->items[0] : *p;
        out[i][1] = pair ? p->tuple->items[p->tuple->n - 1] : *p;
    }
}

typedef enum PadMode {
    PAD_CONSTANT,
    PAD_EDGE,
    PAD_REFLECT,
    PAD_SYMMETRIC,
    PAD_WRAP,
    PAD_RAMP,
    PAD_MAXIMUM,
    PAD_MINIMUM,
    PAD_MEAN,
    PAD_MEDIAN,
    PAD_EMPTY,
    PAD_MODES
} PadMode;

/* Which element of an axis of n stands at place i, counted from its first; i may lie outside. */
static int64_t padded_index(PadMode mode, int64_t i, int64_t n) {
    if (mode == PAD_EDGE) return i < 0 ? 0 : i >= n ? n - 1 : i;
    int64_t period = mode == PAD_REFLECT ? 2 * (n - 1) : mode == PAD_SYMMETRIC ? 2 * n : n;
    if (period == 0) return 0;
    i %= period;
    if (i < 0) i += period;
    if (i < n) return i;
    return mode == PAD_REFLECT ? period - i : period - 1 - i;
}

static Value pad_axis(Calc *c, Value x, int axis, PadMode mode, int64_t before, int64_t after) {
    int64_t n = calc_dim(x, axis), total;
    if (!calc_ok(c) || (before == 0 && after == 0)) return x;
    if (n == 0)
        return calc_fail(c, ARR_ERR_VALUE, "axis %d is empty: only mode=\"constant\" can extend it",
                         axis);
    Shape line = calc_shape1(n);
    if (!add_i64(n, before, &line.dim[0]) || !add_i64(line.dim[0], after, &line.dim[0]) ||
        !calc_check(c, shape_count(&c->A->cx, SPAN_NONE, &line, sizeof(int64_t), &total)))
        return calc_fail(c, ARR_ERR_LIMIT, "the result is too large");
    size_t bytes = (size_t)total * sizeof(int64_t);
    int64_t *index = calc_alloc(c, bytes);
    for (int64_t i = 0; index && i < total; i++) {
        if (i % STEPS == 0 && !calc_check(c, state_step(c->A, STEPS))) break;
        index[i] = padded_index(mode, i - before, n);
    }
    Value at = index ? calc_host_i64(c, index, total) : VALUE_UNSET;
    calc_free(c, index, index ? bytes : 0);
    return calc_take(c, x, at, axis);
}

/* A number for the border; 0 and 1 will do for booleans. */
static Value border_value(Calc *c, Value v, DType t) {
    bool bit = t == DT_bool && v.kind == V_INT && (v.i == 0 || v.i == 1);
    return calc_as(c, "constant_values", bit ? value_bool(v.i) : v, t);
}

/* Where every number is the same, one rectangle in an array of it; otherwise axis by axis. */
static Value pad_constant(Calc *c, Value x, const int64_t (*width)[2], Value (*value)[2]) {
    int rank = calc_rank(x);
    bool same = true;
    for (int i = 0; i < rank && calc_ok(c); i++)
        for (int j = 0; j < 2; j++)
            same &= value_is_scalar(&value[i][j]) && value_equal(&value[i][j], &value[0][0]);
    if (!calc_ok(c) || rank == 0) return x;
    DType t = calc_type(c, x);
    for (int i = 0; i < rank && !same && calc_ok(c); i++) {
        Value part[3] = {x, x, x};
        for (int j = 0; j < 2 && calc_ok(c); j++) {
            Shape s = calc_shape(x);
            s.dim[i] = width[i][j];
            part[2 * j] = calc_broadcast(c, border_value(c, value[i][j], t), s);
        }
        x = calc_concat(c, part, 3, i);
    }
    if (!same || !calc_ok(c)) return x;
    int64_t start[MAX_RANK], step[MAX_RANK];
    Shape s = calc_shape(x);
    for (int i = 0; i < rank; i++) {
        start[i] = width[i][0];
        step[i] = 1;
        if (!add_i64(s.dim[i], width[i][0], &s.dim[i]) ||
            !add_i64(s.dim[i], width[i][1], &s.dim[i]))
            return calc_fail(c, ARR_ERR_LIMIT, "the result is too large");
    }
    Value base = calc_broadcast(c, border_value(c, value[0][0], t), s);
    return calc_update(c, base, start, step, x);
}

/* The middle one of the sorted elements along an axis, which stays, or half of the middle two. */
static Value middle(Calc *c, Value x, int axis) {
    int64_t n = calc_dim(x, axis);
    x = calc_sort(c, x, axis, false);
    Value hi = calc_slice(c, x, axis, n / 2, 1, 1);
    Value r = n % 2 ? hi
                    : calc_mul(c, calc_add(c, calc_slice(c, x, axis, n / 2 - 1, 1, 1), hi),
                               value_float(0.5));
    if (!calc_ok(c) || !dtype_is_float(calc_type(c, x))) return r;
    Value last = calc_slice(c, x, axis, n - 1, 1, 1); /* nan sorts last, and wins */
    return calc_where(c, calc_1(c, OP_isnan, last), last, r);
}

/* A statistic of the `count` elements at one end of an axis, which is kept at extent 1. */
static Value end_statistic(Calc *c, Value x, int axis, PadMode mode, int64_t count, bool end) {
    int64_t n = calc_dim(x, axis);
    if (!calc_ok(c)) return VALUE_UNSET;
    if (count > n) count = n;
    if (count == 0)
        return calc_fail(c, ARR_ERR_VALUE, "stat_length 0, or an empty axis, has no statistic");
    DType t = calc_type(c, x);
    x = calc_slice(c, x, axis, end ? n - count : 0, count, 1);
    if (mode == PAD_MAXIMUM || mode == PAD_MINIMUM)
        return calc_reduce(c, mode == PAD_MAXIMUM ? RED_MAX : RED_MIN, x, 1u << axis, true);
    DType wide = dtype_kind(t) < DK_FLOAT ? DT_f64 : dtype_is_half(t) ? DT_f32 : t;
    x = calc_cast(c, x, wide);
    Value r = mode == PAD_MEDIAN ? middle(c, x, axis)
                                 : calc_div(c, calc_reduce(c, RED_SUM, x, 1u << axis, true),
                                            value_float((double)count));
    if (dtype_kind(t) < DK_FLOAT) r = calc_1(c, OP_rint, r);
    return calc_cast(c, r, t);
}

/* From the end value up to the edge, which is not reached. */
static Value ramp(Calc *c, Value x, int axis, Value from, int64_t width, bool end) {
    int64_t n = calc_dim(x, axis);
    if (!calc_ok(c)) return VALUE_UNSET;
    if (n == 0) return calc_fail(c, ARR_ERR_VALUE, "axis %d is empty: it has no edge", axis);
    DType t = calc_type(c, x);
    DType wide = dtype_is_complex(t) ? DT_c128 : DT_f64;
    Shape line = calc_shape_kept(calc_shape(x), calc_all_axes(calc_rank(x)));
    line.dim[axis] = width;
    Value edge = calc_cast(c, calc_slice(c, x, axis, end ? n - 1 : 0, 1, 1), wide);
    Value i = calc_cast(c, calc_iota_along(c, line, axis), DT_f64);
    if (end) i = calc_sub(c, value_float((double)(width - 1)), i);
    Value span = calc_div(c, calc_sub(c, edge, from), value_float((double)width));
    Value r = calc_add(c, from, calc_mul(c, i, span));
    if (dtype_is_int(t)) r = calc_1(c, OP_floor, r);
    return calc_cast(c, r, t);
}

/* What one end of an axis is continued with. */
typedef struct PadEnds {
    PadMode mode;
    Value (*length)[2]; /* of statistics; NULL: all elements */
    Value (*value)[2];  /* where ramps begin */
} PadEnds;

static Value pad_ends(Calc *c, Value x, int axis, const PadEnds *p, const int64_t width[2]) {
    Value part[3] = {x, x, x};
    int n = 0;
    for (int j = 0; j < 2 && calc_ok(c); j++) {
        if (j == 1) part[n++] = x;
        if (width[j] == 0) continue;
        Shape s = calc_shape(x);
        s.dim[axis] = width[j];
        if (p->mode == PAD_RAMP) {
            part[n++] = ramp(c, x, axis, p->value[axis][j], width[j], j == 1);
        } else {
            int64_t all = calc_dim(x, axis);
            int64_t count = p->length ? calc_count(c, "stat_length", &p->length[axis][j]) : all;
            Value v = end_statistic(c, x, axis, p->mode, count, j == 1);
            part[n++] = calc_ok(c) ? calc_broadcast(c, v, s) : v;
        }
    }
    return calc_ok(c) ? calc_concat(c, part, n, axis) : VALUE_UNSET;
}

static Status join_pad(State *A, const Value *args, Value *out) {
    static const char *const words[PAD_MODES] = {"constant", "edge",        "reflect", "symmetric",
                                                 "wrap",     "linear_ramp", "maximum", "minimum",
                                                 "mean",     "median",      "empty"};
    Calc c;
    Value w[MAX_RANK][2], value[MAX_RANK][2], zero = value_int(0);
    int64_t width[MAX_RANK][2];
    calc_open(&c, A, "pad");
    Value x = calc_array(&c, "array", &args[0]);
    int rank = calc_rank(x);
    pairs(&c, "pad_width", &args[1], rank, w);
    PadMode mode = (PadMode)calc_choice(&c, "mode", &args[2], words, PAD_MODES);
    for (int i = 0; i < rank && calc_ok(&c); i++)
        for (int j = 0; j < 2; j++) width[i][j] = calc_count(&c, "pad_width", &w[i][j]);
    PadEnds ends = {mode, NULL, value};
    bool statistic = mode > PAD_RAMP && mode < PAD_EMPTY;
    if (calc_given(&args[4]) && !statistic)
        calc_fail(&c, ARR_ERR_ARGUMENT, "stat_length is of modes with a statistic, not of \"%s\"",
                  words[mode]);
    if (calc_given(&args[5]) && mode != PAD_RAMP)
        calc_fail(&c, ARR_ERR_ARGUMENT, "end_values are of mode \"linear_ramp\", not of \"%s\"",
                  words[mode]);
    if (mode >= PAD_RAMP && mode != PAD_EMPTY) {
        bool some = statistic && calc_given(&args[4]);
        const Value *from = calc_given(&args[5]) ? &args[5] : &zero;
        if (some) ends.length = value;
        if (some || mode == PAD_RAMP)
            pairs(&c, some ? "stat_length" : "end_values", some ? &args[4] : from, rank, value);
        for (int i = 0; i < rank && calc_ok(&c); i++)
            for (int j = 0; j < 2 && mode == PAD_RAMP; j++)
                value[i][j] = calc_number(&c, "end_values", &value[i][j]);
        for (int i = 0; i < rank && calc_ok(&c); i++) x = pad_ends(&c, x, i, &ends, width[i]);
    } else if (mode == PAD_CONSTANT || mode == PAD_EMPTY) {
        pairs(&c, "constant_values", mode == PAD_EMPTY ? &zero : &args[3], rank, value);
        x = pad_constant(&c, x, (const int64_t(*)[2])width, value);
    } else {
        for (int i = 0; i < rank && calc_ok(&c); i++)
            x = pad_axis(&c, x, i, mode, width[i][0], width[i][1]);
    }
    return calc_done(&c, x, out);
}

const BuiltinDef builtin_pad[] = {
    {"pad(array, pad_width, mode=\"constant\", constant_values=0, stat_length=none, "
     "end_values=none)",
     join_pad,
     "The array with a border. pad_width is a number, (before, after), or a tuple of such pairs, "
     "one\n"
     "for each axis; constant_values likewise. mode is \"constant\", \"edge\", \"reflect\",\n"
     "\"symmetric\" or \"wrap\", \"linear_ramp\" (from end_values to the edge), or \"maximum\", "
     "\"minimum\",\n"
     "\"mean\" or \"median\" of the stat_length elements at that end (none: all), or \"empty\" "
     "(zeros). The\n"
     "dtype stays.\n"
     "  pad([1, 2], 1) #=> [0 1 2 0]\n"
     "  pad([1, 2, 3], (0, 2), mode=\"reflect\") #=> [1 2 3 2 1]\n"
     "  pad([1, 2], (1, 2), constant_values=9) #=> [9 1 2 9 9]"},
    {NULL, NULL, NULL},
};
