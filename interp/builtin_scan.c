/* builtin_scan - along an axis: running sums and extremes, differences, gradients, trapezoids; and
 * sums of segments.
 *
 * Callers: calls by name; calc_segments also by the accumulating and counting builtins. Invariant:
 * a segment is reduced as an array of its own would be, element numbers counted from its beginning,
 * so its result does not depend on the segments beside it. */
#include "interp/builtin_util.h"
#include "interp/api_limits.h"
#include "runtime/exec.h"

/* ---- running ---- */

static Status running(State *A, const char *fn, ReduceKind kind, const Value *args,
                      const Value *dtype, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    Value x = calc_array(&c, "a", &args[0]), type = dtype ? *dtype : VALUE_NONE;
    Value axis = args[1];
    if (dtype) axis = calc_trailing_dtype(&c, &axis, VALUE_NONE, &type);
    if (!calc_given(&axis)) x = calc_ravel(&c, x);
    int along = calc_given(&axis) ? calc_axis(&c, &axis, calc_rank(x)) : 0;
    return calc_done(&c, calc_scan(&c, kind, x, along, calc_dtype(&c, &type, DT_COUNT)), out);
}

static Status scan_cumsum(State *A, const Value *args, Value *out) {
    return running(A, "cumsum", RED_SUM, args, &args[2], out);
}
static Status scan_cumprod(State *A, const Value *args, Value *out) {
    return running(A, "cumprod", RED_PROD, args, &args[2], out);
}
static Status scan_cummax(State *A, const Value *args, Value *out) {
    return running(A, "cummax", RED_MAX, args, NULL, out);
}
static Status scan_cummin(State *A, const Value *args, Value *out) {
    return running(A, "cummin", RED_MIN, args, NULL, out);
}

/* ---- differences ---- */

/* op(x[1:], x[:-1]) along an axis; nothing left of one element. */
static Value neighbours(Calc *c, Op op, Value x, int axis) {
    int64_t n = calc_dim(x, axis), m = n > 0 ? n - 1 : 0;
    Value next = calc_slice(c, x, axis, n > 0 ? 1 : 0, m, 1);
    return calc_2(c, op, next, calc_slice(c, x, axis, 0, m, 1));
}

static Value difference(Calc *c, Value x, int axis) {
    if (!calc_ok(c)) return VALUE_UNSET;
    return neighbours(c, calc_type(c, x) == DT_bool ? OP_ne : OP_sub, x, axis);
}

/* What stands before or behind x: a number becomes a layer. */
static Value border(Calc *c, const char *what, const Value *v, Value x, int axis) {
    Value b = calc_number(c, what, v);
    if (!calc_ok(c) || calc_rank(b) > 0) return b;
    Shape s = calc_shape(x);
    s.dim[axis] = 1;
    return calc_broadcast(c, calc_as(c, what, b, calc_common(c, (Value[]){x, b}, 2)), s);
}

static Status scan_diff(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "diff");
    Value x = calc_array(&c, "a", &args[0]), part[3];
    int64_t n = calc_count(&c, "n", &args[1]);
    int axis = calc_axis(&c, &args[2], calc_rank(x)), parts = 0;
    if (calc_given(&args[3])) part[parts++] = border(&c, "prepend", &args[3], x, axis);
    part[parts++] = x;
    if (calc_given(&args[4])) part[parts++] = border(&c, "append", &args[4], x, axis);
    if (parts > 1 && calc_ok(&c)) {
        DType t = calc_common(&c, part, parts);
        for (int i = 0; i < parts; i++) part[i] = calc_cast(&c, part[i], t);
        x = calc_concat(&c, part, parts, axis);
    }
    for (; n > 0 && calc_ok(&c) && calc_dim(x, axis) > 0; n--) {
        x = difference(&c, x, axis);
        calc_check(&c, state_step(A, 1));
        if (exec_pending_large(A->rt)) calc_check(&c, exec_flush(A->rt));
    }
    return calc_done(&c, x, out);
}

/* ---- gradient ---- */

/* Elements lo .. lo + count of axis 0 of x. */
static Value part_of(Calc *c, Value x, int64_t lo, int64_t count) {
    return calc_slice(c, x, 0, lo, count, 1);
}

static Value weigh(Calc *c, Value a, Value x, Value b, Value y, Value w, Value z) {
    return calc_add(c, calc_add(c, calc_mul(c, a, x), calc_mul(c, b, y)), calc_mul(c, w, z));
}

/* Along axis 0 at distance h. NumPy's formulas, in its order. */
static Value even_gradient(Calc *c, Value f, Value h, int64_t order) {
    int64_t n = calc_dim(f, 0);
    Value wide = calc_mul(c, value_float(2), h), part[3];
    part[1] = calc_div(c, calc_sub(c, part_of(c, f, 2, n - 2), part_of(c, f, 0, n - 2)), wide);
    if (order == 1) {
        part[0] = calc_div(c, calc_sub(c, part_of(c, f, 1, 1), part_of(c, f, 0, 1)), h);
        part[2] = calc_div(c, calc_sub(c, part_of(c, f, n - 1, 1), part_of(c, f, n - 2, 1)), h);
    } else {
        Value p = calc_div(c, value_float(1.5), h), q = calc_div(c, value_float(2), h);
        Value r = calc_div(c, value_float(0.5), h), minus_p = calc_1(c, OP_neg, p);
        part[0] = weigh(c, minus_p, part_of(c, f, 0, 1), q, part_of(c, f, 1, 1),
                        calc_1(c, OP_neg, r), part_of(c, f, 2, 1));
        part[2] = weigh(c, r, part_of(c, f, n - 3, 1), calc_1(c, OP_neg, q),
                        part_of(c, f, n - 2, 1), p, part_of(c, f, n - 1, 1));
    }
    return calc_concat(c, part, 3, 0);
}

/* Steps d (n - 1 of them, in f's rank) between the places. */
static Value uneven_gradient(Calc *c, Value f, Value d, int64_t order) {
    int64_t n = calc_dim(f, 0);
    Value part[3], d1 = part_of(c, d, 0, n - 2), d2 = part_of(c, d, 1, n - 2);
    Value both = calc_add(c, d1, d2), low = calc_mul(c, d1, both), high = calc_mul(c, d2, both);
    Value w[3] = {calc_div(c, calc_1(c, OP_neg, d2), low),
                  calc_div(c, calc_sub(c, d2, d1), calc_mul(c, d1, d2)), calc_div(c, d1, high)};
    part[1] = weigh(c, w[0], part_of(c, f, 0, n - 2), w[1], part_of(c, f, 1, n - 2), w[2],
                    part_of(c, f, 2, n - 2));
    Value first = part_of(c, d, 0, 1), last = part_of(c, d, n - 2, 1);
    if (order == 1) {
        part[0] = calc_div(c, calc_sub(c, part_of(c, f, 1, 1), part_of(c, f, 0, 1)), first);
        part[2] = calc_div(c, calc_sub(c, part_of(c, f, n - 1, 1), part_of(c, f, n - 2, 1)), last);
        return calc_concat(c, part, 3, 0);
    }
    for (int end = 0; end < 2; end++) { /* the parabola through the three places at an end */
        d1 = part_of(c, d, end ? n - 3 : 0, 1);
        d2 = part_of(c, d, end ? n - 2 : 1, 1);
        both = calc_add(c, d1, d2);
        low = calc_mul(c, d1, both);
        high = calc_mul(c, d2, both);
        Value near = calc_add(c, calc_mul(c, value_float(2), end ? d2 : d1), end ? d1 : d2);
        Value middle = calc_div(c, both, calc_mul(c, d1, d2));
        w[0] = end ? calc_div(c, d2, low) : calc_div(c, calc_1(c, OP_neg, near), low);
        w[1] = end ? calc_1(c, OP_neg, middle) : middle;
        w[2] = end ? calc_div(c, near, high) : calc_div(c, calc_1(c, OP_neg, d1), high);
        int64_t at = end ? n - 3 : 0;
        part[2 * end] = weigh(c, w[0], part_of(c, f, at, 1), w[1], part_of(c, f, at + 1, 1), w[2],
                              part_of(c, f, at + 2, 1));
    }
    return calc_concat(c, part, 3, 0);
}

static Value gradient_along(Calc *c, Value f, int axis, const Value *spacing, int64_t order) {
    int64_t n = calc_dim(f, axis);
    Value h = calc_number(c, "varargs", spacing), r;
    if (!calc_ok(c)) return VALUE_UNSET;
    if (n < order + 1)
        return calc_fail(c, ARR_ERR_SHAPE, "axis %d has %lld elements, edge_order %lld needs %lld",
                         axis, (long long)n, (long long)order, (long long)order + 1);
    f = calc_move_axis(c, f, axis, 0);
    if (calc_rank(h) == 0) {
        r = even_gradient(c, f, h, order);
    } else {
        if (calc_rank(h) != 1 || calc_dim(h, 0) != n)
            return calc_fail(c, ARR_ERR_SHAPE, "the places along axis %d must be %lld numbers",
                             axis, (long long)n);
        Shape s = {.rank = calc_rank(f), .dim = {n - 1}};
        for (int i = 1; i < s.rank; i++) s.dim[i] = 1;
        r = uneven_gradient(c, f, calc_reshape(c, difference(c, h, 0), s), order);
    }
    return calc_move_axis(c, r, 0, axis);
}

static Status scan_gradient(State *A, const Value *args, Value *out) {
    Calc c;
    int64_t given[MAX_RANK];
    Value r[MAX_RANK] = {{0}}, one = value_float(1);
    calc_open(&c, A, "gradient");
    Value f = calc_float_array(&c, "f", &args[0]);
    const Tuple *space = args[1].tuple;
    int64_t order = calc_int(&c, "edge_order", &args[3]);
    int n = calc_rank(f);
    for (int i = 0; i < n; i++) given[i] = i;
    if (calc_given(&args[2])) n = calc_ints(&c, "axis", &args[2], given);
    if (calc_ok(&c) && (order < 1 || order > 2))
        calc_fail(&c, ARR_ERR_VALUE, "edge_order must be 1 or 2");
    if (calc_ok(&c) && space->n > 1 && (int)space->n != n)
        calc_fail(&c, ARR_ERR_ARGUMENT, "%u spacings for %d axes", space->n, n);
    for (int i = 0; i < n && calc_ok(&c); i++) {
        Value v = value_int(given[i]);
        int axis = calc_axis(&c, &v, calc_rank(f));
        const Value *h = space->n == 0 ? &one : &space->items[space->n == 1 ? 0 : i];
        if (calc_ok(&c)) r[i] = gradient_along(&c, f, axis, h, order);
    }
    return calc_done(&c, n == 1 ? r[0] : calc_tuple(&c, r, n), out);
}

static Status scan_trapezoid(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "trapezoid");
    Value y = calc_float_array(&c, "y", &args[0]), d = calc_number(&c, "dx", &args[2]);
    int axis = calc_axis(&c, &args[3], calc_rank(y));
    if (calc_given(&args[1])) {
        Value x = calc_array(&c, "x", &args[1]);
        if (calc_ok(&c) && calc_rank(x) == 1) {
            Shape s = {.rank = calc_rank(y)};
            for (int i = 0; i < s.rank; i++) s.dim[i] = i == axis ? calc_dim(x, 0) : 1;
            x = calc_reshape(&c, x, s);
        }
        if (calc_ok(&c) && (calc_rank(x) != calc_rank(y) || calc_dim(x, axis) != calc_dim(y, axis)))
            calc_fail(&c, ARR_ERR_SHAPE, "x must have y's %lld places along axis %d",
                      (long long)calc_dim(y, axis), axis);
        d = difference(&c, x, axis);
    }
    Value strips = calc_mul(&c, d, neighbours(&c, OP_add, y, axis));
    Value area = calc_div(&c, strips, value_float(2));
    return calc_done(&c, calc_reduce(&c, RED_SUM, area, 1u << axis, false), out);
}

/* ---- segments ---- */

/* Segments of one class: those whose length has the same number of bits, so that padding all to the
 * longest at most doubles the work. */
static Value segment_class(Calc *c, ReduceKind kind, Value x, const int64_t *lo, const int64_t *len,
                           int64_t count, int64_t longest) {
    Shape grid = calc_shape2(count, longest), column = calc_shape2(count, 1);
    Value from = calc_host(c, DT_i64, column, lo), length = calc_host(c, DT_i64, column, len);
    Value k = calc_iota_along(c, grid, 1), inside = calc_2(c, OP_lt, k, length);
    Value index = calc_where(c, inside, calc_add(c, from, k), value_int(0));
    if (!calc_ok(c)) return VALUE_UNSET;
    Value taken = calc_take(c, x, index, 0);
    Shape mask = {.rank = calc_rank(taken), .dim = {count, longest}};
    for (int i = 2; i < mask.rank; i++) mask.dim[i] = 1;
    inside = calc_reshape(c, inside, mask);
    if (kind == RED_SUM) {
        Value zero = calc_full(c, calc_type(c, x), (Shape){.rank = 0}, value_int(0));
        taken = calc_where(c, inside, taken, zero);
    } else { /* the first element again changes no extreme */
        Value first = calc_expand(c, calc_pick(c, taken, 1, 0), 1);
        taken = calc_where(c, inside, taken, first);
    }
    return calc_reduce(c, kind, taken, 2, false);
}

static int bits_of(int64_t n) { return n > 0 ? 64 - __builtin_clzll((unsigned long long)n) : 0; }

/* Empty segments of a sum. */
static Value segment_zeros(Calc *c, Value x, int64_t count) {
    Shape s = calc_shape(x);
    s.dim[0] = 0;
    Value none = calc_reshape(c, calc_slice(c, x, 0, 0, 0, 1), calc_shape_insert(s, 0, count));
    return calc_reduce(c, RED_SUM, none, 2, false);
}

/* By classes of length; place[] tells where each segment's result came to stand. */
static Value by_class(Calc *c, ReduceKind kind, Value x, const int64_t *ptr, int64_t n,
                      int64_t *work) {
    int64_t *lo = work, *len = work + n, *place = work + 2 * n, done = 0;
    Value parts[65];
    int nparts = 0;
    for (int bits = 0; bits < 64 && calc_ok(c); bits++) {
        int64_t count = 0, longest = 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t size = ptr[i + 1] - ptr[i];
            if (i % STEPS == 0 && !calc_check(c, state_step(c->A, STEPS))) return VALUE_UNSET;
            if (bits_of(size) != bits) continue;
            lo[count] = ptr[i];
            len[count] = size;
            place[i] = done + count++;
            if (size > longest) longest = size;
        }
        if (count == 0) continue;
        done += count;
        if (bits == 0 && kind != RED_SUM)
            return calc_fail(c, ARR_ERR_VALUE, "a segment is empty, it has no %s",
                             kind == RED_MIN ? "minimum" : "maximum");
        parts[nparts++] = bits == 0 ? segment_zeros(c, x, count)
                                    : segment_class(c, kind, x, lo, len, count, longest);
    }
    Value all = calc_concat(c, parts, nparts, 0);
    return nparts == 1 ? all : calc_take(c, all, calc_host_i64(c, place, n), 0);
}

Value calc_segments(Calc *c, ReduceKind kind, Value x, Value ptr) {
    if (!calc_ok(c)) return VALUE_UNSET;
    if (calc_rank(x) == 0 || calc_rank(x) >= MAX_RANK)
        return calc_fail(c, ARR_ERR_SHAPE, "x must have an axis to cut");
    if (calc_rank(ptr) != 1 || calc_dim(ptr, 0) == 0)
        return calc_fail(c, ARR_ERR_SHAPE, "ptr must be a vector of n + 1 offsets for n segments");
    int64_t n = calc_dim(ptr, 0) - 1, rows = calc_dim(x, 0);
    size_t bytes = 0, size = (size_t)n * 3 * sizeof(int64_t) + 1;
    int64_t *at = calc_read(c, ptr, DT_i64, &bytes);
    for (int64_t i = 0; at && i <= n && calc_ok(c); i++) {
        if (i % STEPS == 0 && !calc_check(c, state_step(c->A, STEPS))) break;
        if (at[i] < (i ? at[i - 1] : 0) || at[i] > rows)
            calc_fail(c, ARR_ERR_VALUE,
                      "ptr must ascend from 0 to at most %lld, offset %lld is %lld",
                      (long long)rows, (long long)i, (long long)at[i]);
    }
    int64_t *work = calc_alloc(c, size);
    Value r = VALUE_UNSET;
    if (work && calc_ok(c)) r = n == 0 ? segment_zeros(c, x, 0) : by_class(c, kind, x, at, n, work);
    calc_free(c, work, work ? size : 0);
    calc_free(c, at, bytes);
    return r;
}

static Status segments(State *A, const char *fn, ReduceKind kind, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    Value x = calc_array(&c, "x", &args[0]), ptr = calc_index_array(&c, "ptr", &args[1]);
    return calc_done(&c, calc_segments(&c, kind, x, ptr), out);
}

static Status scan_segment_sum(State *A, const Value *args, Value *out) {
    return segments(A, "segment_sum", RED_SUM, args, out);
}
static Status scan_segment_min(State *A, const Value *args, Value *out) {
    return segments(A, "segment_min", RED_MIN, args, out);
}
static Status scan_segment_max(State *A, const Value *args, Value *out) {
    return segments(A, "segment_max", RED_MAX, args, out);
}

const BuiltinDef builtin_scan[] = {
    {"cumsum(a, axis=none, dtype=none)", scan_cumsum,
     "The running sum along an axis (none: of all elements in C order). Booleans and integers "
     "give\n"
     "i64, unsigned ones u64; f16 and bf16 accumulate in f32. The same bits on every run and "
     "device.\n"
     "  cumsum([1, 2, 3]) #=> [1 3 6]\n"
     "  cumsum([[1, 2], [3, 4]], axis=0) #=> [[1 2]\n"
     "                                   #=>  [4 6]]"},
    {"cumprod(a, axis=none, dtype=none)", scan_cumprod,
     "The running product along an axis (none: of all elements in C order); dtypes as cumsum's.\n"
     "  cumprod([1, 2, 3]) #=> [1 2 6]"},
    {"cummax(a, axis=none)", scan_cummax,
     "The largest element so far along an axis (none: of all elements in C order); a nan wins.\n"
     "  cummax([1, 3, 2]) #=> [1 3 3]"},
    {"cummin(a, axis=none)", scan_cummin,
     "The smallest element so far along an axis (none: of all elements in C order); a nan wins.\n"
     "  cummin([3, 1, 2]) #=> [3 1 1]"},
    {"diff(a, n=1, axis=-1, prepend=, append=)", scan_diff,
     "The differences of neighbours along an axis, n times; of booleans, whether they differ. "
     "prepend\n"
     "and append (a number or an array) are put at the ends first.\n"
     "  diff([1, 4, 9]) #=> [3 5]\n"
     "  diff([1, 4, 9], n=2) #=> [2]\n"
     "  diff([1, 4], prepend=0) #=> [1 3]"},
    {"gradient(f, varargs..., axis=none, edge_order=1)", scan_gradient,
     "The derivative along one axis, or a tuple of those along several (none: all): differences "
     "over\n"
     "two steps inside, over one (edge_order 1) or of second order (2) at the ends. The spacing is "
     "1,\n"
     "a number, or the places as a vector; one for all axes or one for each. Integers become the\n"
     "default float.\n"
     "  gradient([1.0, 2.0, 4.0]) #=> [1.  1.5 2. ]\n"
     "  gradient([1.0, 2.0, 4.0], 2.0) #=> [0.5  0.75 1.  ]"},
    {"trapezoid(y, x=none, dx=1.0, axis=-1)", scan_trapezoid,
     "The integral of y along an axis by trapezoids, at the places x (a vector, or an array like "
     "y)\n"
     "or at distance dx.\n"
     "  trapezoid([1, 2, 3]) #=> 4.0\n"
     "  trapezoid([1, 2, 3], x=[0, 2, 4]) #=> 8.0"},
    {"segment_sum(x, ptr)", scan_segment_sum,
     "Sums of segments of the first axis: segment k is x[ptr[k]:ptr[k+1]], so ptr holds one "
     "offset\n"
     "more than there are segments, ascending. An empty segment gives 0. Dtypes as sum's.\n"
     "  segment_sum([1, 2, 3, 4], [0, 2, 2, 4]) #=> [3 0 7]"},
    {"segment_min(x, ptr)", scan_segment_min,
     "The smallest element of each segment x[ptr[k]:ptr[k+1]]; an empty one is an error.\n"
     "  segment_min([3, 1, 2, 4], [0, 2, 4]) #=> [1 2]"},
    {"segment_max(x, ptr)", scan_segment_max,
     "The largest element of each segment x[ptr[k]:ptr[k+1]]; an empty one is an error.\n"
     "  segment_max([3, 1, 2, 4], [0, 2, 4]) #=> [3 4]"},
    {NULL, NULL, NULL},
};
