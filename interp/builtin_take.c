/* builtin_take - elements by index arrays: take, put, accumulate at, flat positions and their
 * parts.
 *
 * Callers: calls by name. Indices are checked when the work runs. Accumulation sorts by target and
 * reduces each run by the tree of sums (kernels/kernel.h), so it is the same on every backend. */
#include "interp/builtin_util.h"
#include "interp/api_limits.h"

/* ---- take ---- */

static Status take_take(State *A, const Value *args, Value *out) {
    static const char *const modes[] = {"raise", "wrap", "clip"};
    Calc c;
    calc_open(&c, A, "take");
    Value x = calc_array(&c, "a", &args[0]), index = calc_index_array(&c, "indices", &args[1]);
    if (!calc_given(&args[2])) x = calc_ravel(&c, x);
    int axis = calc_given(&args[2]) ? calc_axis(&c, &args[2], calc_rank(x)) : 0;
    int mode = calc_choice(&c, "mode", &args[3], modes, 3);
    int64_t n = calc_ok(&c) ? calc_dim(x, axis) : 0;
    if (mode > 0 && n == 0 && calc_size(index) > 0)
        calc_fail(&c, ARR_ERR_INDEX, "axis %d has no elements", axis);
    if (mode == 1) index = calc_2(&c, OP_mod, index, value_int(n));
    if (mode == 2)
        index = calc_2(&c, OP_minimum, calc_2(&c, OP_maximum, index, value_int(0)),
                       value_int(n > 0 ? n - 1 : 0));
    return calc_done(&c, calc_take(&c, x, index, axis), out);
}

/* Flat positions in an array of shape s of index numbers along one axis; on the other axes index
 * and the array broadcast. */
static Value flat_along(Calc *c, Shape s, Value index, int axis, bool check) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Shape is = calc_shape(index), full = s;
    bool fits = is.rank == s.rank;
    for (int i = 0; i < s.rank && fits; i++)
        if (i != axis) fits = is.dim[i] == s.dim[i] || is.dim[i] == 1 || s.dim[i] == 1;
    if (!fits) {
        char a[SHAPE_TEXT], b[SHAPE_TEXT];
        calc_describe(index, a);
        shape_text(DT_i64, &s, b);
        return calc_fail(c, ARR_ERR_SHAPE, "indices %s do not go along axis %d of %s", a, axis, b);
    }
    int64_t stride[MAX_RANK];
    for (int i = 0; i < s.rank; i++)
        if (i == axis || s.dim[i] == 1) full.dim[i] = is.dim[i];
    shape_strides(&s, stride);
    if (check) index = calc_checked(c, index, axis, s.dim[axis]);
    Value flat = calc_mul(c, index, value_int(stride[axis]));
    for (int i = 0; i < s.rank && calc_ok(c); i++)
        if (i != axis && s.dim[i] != 1)
            flat =
                calc_add(c, flat, calc_mul(c, calc_iota_along(c, full, i), value_int(stride[i])));
    return calc_broadcast(c, flat, full);
}

Value calc_take_along(Calc *c, Value x, Value index, int axis, bool check) {
    return calc_take(c, calc_ravel(c, x), flat_along(c, calc_shape(x), index, axis, check), 0);
}

static Status take_take_along_axis(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "take_along_axis");
    Value x = calc_array(&c, "arr", &args[0]), index = calc_index_array(&c, "indices", &args[1]);
    int axis = 0;
    if (calc_given(&args[2])) {
        axis = calc_axis(&c, &args[2], calc_rank(x));
    } else {
        x = calc_ravel(&c, x);
    }
    return calc_done(&c, calc_take_along(&c, x, index, axis, true), out);
}

static Status take_put_along_axis(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "put_along_axis");
    Value x = calc_array(&c, "arr", &args[0]), index = calc_index_array(&c, "indices", &args[1]);
    Value v = calc_number(&c, "values", &args[2]), r = VALUE_UNSET;
    int axis = calc_axis(&c, &args[3], calc_rank(x));
    Value flat = flat_along(&c, calc_shape(x), index, axis, true);
    if (calc_ok(&c)) v = calc_as(&c, "values", v, calc_type(&c, x));
    if (calc_ok(&c)) {
        v = calc_broadcast(&c, v, calc_shape(flat));
        r = calc_put(&c, calc_ravel(&c, x), calc_ravel(&c, flat), calc_ravel(&c, v), 0);
    }
    return calc_done(&c, calc_reshape(&c, r, calc_shape(x)), out);
}

/* ---- accumulate at ---- */

/* Positions over the leading axes that the indices address, as a vector, and how many axes. */
static Value positions(Calc *c, Value x, const Value *v, int *axes, Shape *shape) {
    const Value *items = v->kind == V_TUPLE ? v->tuple->items : v;
    int n = v->kind == V_TUPLE ? (int)v->tuple->n : 1;
    Value index[MAX_RANK], flat = VALUE_UNSET;
    *axes = n;
    *shape = (Shape){.rank = 0};
    if (calc_ok(c) && (n < 1 || n > calc_rank(x)))
        return calc_fail(c, ARR_ERR_INDEX, "indices are for %d axes, the array has %d", n,
                         calc_rank(x));
    for (int i = 0; i < n && calc_ok(c); i++) {
        Value item = calc_array(c, "indices", &items[i]);
        if (calc_ok(c) && n == 1 && calc_type(c, item) == DT_bool && calc_rank(item) > 0)
            return calc_fail(c, ARR_ERR_DTYPE, "indices must be integers: flatnonzero(mask)");
        index[i] = calc_index_array(c, "indices", &item);
        Shape s = calc_shape(index[i]);
        if (calc_ok(c) && !shape_broadcast(shape, &s, shape))
            return calc_fail(c, ARR_ERR_SHAPE, "the index arrays do not broadcast together");
    }
    for (int i = 0; i < n && calc_ok(c); i++) {
        int64_t extent = calc_dim(x, i);
        Value here = calc_checked(c, index[i], i, extent);
        flat = i == 0 ? here : calc_add(c, calc_mul(c, flat, value_int(extent)), here);
    }
    return calc_ravel(c, calc_broadcast(c, flat, *shape));
}

/* The runs of equal numbers in sorted order: their values and where they begin. */
static void runs(Calc *c, Value sorted, Value *value, Value *ptr) {
    int64_t n = calc_size(sorted), count = 0;
    size_t bytes = 0, size = ((size_t)n + 1) * sizeof(int64_t);
    int64_t *p = calc_read(c, sorted, DT_i64, &bytes);
    int64_t *at = calc_alloc(c, size), *what = calc_alloc(c, size);
    if (p && at && what) {
        for (int64_t i = 0; i < n; i++) {
            if (i % STEPS == 0 && !calc_check(c, state_step(c->A, STEPS))) break;
            if (i > 0 && p[i] == p[i - 1]) continue;
            what[count] = p[i];
            at[count++] = i;
        }
        at[count] = n;
        *value = calc_host_i64(c, what, count);
        *ptr = calc_host_i64(c, at, count + 1);
    }
    calc_free(c, what, what ? size : 0);
    calc_free(c, at, at ? size : 0);
    calc_free(c, p, bytes);
}

static Status accumulate(State *A, const char *fn, ReduceKind kind, Op op, const Value *args,
                         Value *out) {
    Calc c;
    int axes;
    Shape index;
    calc_open(&c, A, fn);
    Value x = calc_array(&c, "a", &args[0]), b = calc_number(&c, "b", &args[2]);
    Value at = positions(&c, x, &args[1], &axes, &index), r = x;
    DType t = calc_ok(&c) ? calc_type(&c, x) : DT_f64;
    if (calc_ok(&c)) b = calc_as(&c, "b", b, t);
    Shape xs = calc_shape(x), rows = {.rank = 1, .dim = {1}}, full = index, flat;
    for (int i = 0; i < axes && calc_ok(&c); i++) rows.dim[0] *= xs.dim[i];
    for (int i = axes; i < xs.rank && calc_ok(&c); i++) {
        rows.dim[rows.rank++] = xs.dim[i];
        if (full.rank == MAX_RANK)
            calc_fail(&c, ARR_ERR_LIMIT, "more than %d axes", MAX_RANK);
        else
            full.dim[full.rank++] = xs.dim[i];
    }
    flat = rows;
    flat.dim[0] = shape_size(&index);
    if (calc_ok(&c) && flat.dim[0] > 0) {
        Value target = VALUE_UNSET, ptr = VALUE_UNSET;
        b = calc_reshape(&c, calc_broadcast(&c, b, full), flat);
        Value order = calc_argsort(&c, at, 0, false);
        runs(&c, calc_take(&c, at, order, 0), &target, &ptr);
        Value part = calc_segments(&c, kind, calc_take(&c, b, order, 0), ptr);
        x = calc_reshape(&c, x, rows);
        Value old = calc_take(&c, x, target, 0);
        Value fresh = calc_2(&c, op, old, calc_cast(&c, part, t));
        r = calc_reshape(&c, calc_put(&c, x, target, fresh, 0), xs);
    }
    return calc_done(&c, r, out);
}

static Status take_add_at(State *A, const Value *args, Value *out) {
    return accumulate(A, "add_at", RED_SUM, OP_add, args, out);
}
static Status take_min_at(State *A, const Value *args, Value *out) {
    return accumulate(A, "min_at", RED_MIN, OP_minimum, args, out);
}
static Status take_max_at(State *A, const Value *args, Value *out) {
    return accumulate(A, "max_at", RED_MAX, OP_maximum, args, out);
}

/* ---- flat positions ---- */

/* All of v must lie in [0, n): forces it. */
static void check_places(Calc *c, const char *what, Value v, int64_t n) {
    if (!calc_ok(c) || calc_size(v) == 0) return;
    uint32_t all = calc_all_axes(calc_rank(v));
    int64_t lo = calc_read_int(c, calc_reduce(c, RED_MIN, v, all, false));
    int64_t hi = calc_read_int(c, calc_reduce(c, RED_MAX, v, all, false));
    if (calc_ok(c) && (lo < 0 || hi >= n))
        calc_fail(c, ARR_ERR_INDEX, "%s: %lld is out of range for %lld elements", what,
                  (long long)(lo < 0 ? lo : hi), (long long)n);
}

/* The i-th axis from the one that runs slowest: the first in C order, the last in Fortran's. */
static int slower(bool columns, int i, int rank) { return columns ? rank - 1 - i : i; }

static bool by_columns(Calc *c, const Value *order) {
    static const char *const words[] = {"C", "F"};
    return calc_choice(c, "order", order, words, 2) == 1;
}

static Status take_unravel_index(State *A, const Value *args, Value *out) {
    Calc c;
    Value part[MAX_RANK] = {{0}};
    calc_open(&c, A, "unravel_index");
    Value flat = calc_index_array(&c, "indices", &args[0]);
    Shape s = calc_extents(&c, "shape", &args[1], NULL);
    int64_t size = calc_ok(&c) ? shape_size(&s) : 0;
    bool columns = by_columns(&c, &args[2]);
    check_places(&c, "indices", flat, size);
    for (int i = s.rank - 1; i >= 0 && calc_ok(&c); i--) {
        int k = slower(columns, i, s.rank);
        part[k] = calc_2(&c, OP_mod, flat, value_int(s.dim[k]));
        flat = calc_2(&c, OP_floordiv, flat, value_int(s.dim[k]));
    }
    return calc_done(&c, calc_tuple(&c, part, s.rank), out);
}

/* Index numbers that lie in [0, n): checked, taken modulo n, or the nearest. */
static Value placed(Calc *c, int mode, Value part, int64_t n) {
    if (mode == 0) {
        check_places(c, "multi_index", part, n);
        return part;
    }
    if (calc_ok(c) && n == 0 && calc_size(part) > 0)
        return calc_fail(c, ARR_ERR_VALUE, "dims has an extent of 0, where there is no place");
    if (mode == 1) return calc_2(c, OP_mod, part, value_int(n));
    return calc_2(c, OP_minimum, calc_2(c, OP_maximum, part, value_int(0)), value_int(n - 1));
}

static Status take_ravel_multi_index(State *A, const Value *args, Value *out) {
    static const char *const modes[] = {"raise", "wrap", "clip"};
    Calc c;
    calc_open(&c, A, "ravel_multi_index");
    Shape s = calc_extents(&c, "dims", &args[1], NULL);
    Value flat = VALUE_UNSET, *index;
    int n = calc_operands(&c, "multi_index", &args[0], &index);
    if (calc_ok(&c) && n != s.rank)
        calc_fail(&c, ARR_ERR_SHAPE, "multi_index has %d parts for %d extents", n, s.rank);
    int mode = calc_choice(&c, "mode", &args[2], modes, 3);
    bool columns = by_columns(&c, &args[3]);
    for (int i = 0; i < n && calc_ok(&c); i++) {
        int k = slower(columns, i, n);
        Value part = calc_index_array(&c, "multi_index", &index[k]);
        part = placed(&c, mode, part, s.dim[k]);
        flat = i == 0 ? part : calc_add(&c, calc_mul(&c, flat, value_int(s.dim[k])), part);
    }
    calc_free_operands(&c, index, n);
    return calc_done(&c, flat, out);
}

const BuiltinDef builtin_take[] = {
    {"take(a, indices, axis=none, mode=\"raise\")", take_take,
     "The elements of a (without axis: of its vector in C order) at these indices along an axis.\n"
     "Negative ones count from the end; one out of range is an error when the work runs, or with\n"
     "mode=\"wrap\" is taken modulo the extent, with \"clip\" is the nearest from 0 on.\n"
     "  take([10, 20, 30], [2, 0]) #=> [30 10]\n"
     "  take([10, 20, 30], [4, -5], mode=\"clip\") #=> [30 10]\n"
     "  take([[1, 2], [3, 4]], [1], axis=1) #=> [[2]\n"
     "                                      #=>  [4]]"},
    {"take_along_axis(arr, indices, axis=-1)", take_take_along_axis,
     "For each place of indices the element of arr there along the axis: r[i, j] is\n"
     "arr[i, indices[i, j]] for axis 1. The other extents agree or are 1; axis=none takes "
     "vectors.\n"
     "  take_along_axis([[3, 1], [2, 4]], argsort([[3, 1], [2, 4]])) #=> [[1 3]\n"
     "                                                               #=>  [2 4]]"},
    {"put_along_axis(arr, indices, values, axis)", take_put_along_axis,
     "arr with values put at the places that take_along_axis would read. Of equal places the last "
     "in\n"
     "C order wins. Unlike NumPy's it changes nothing: write x = put_along_axis(x, i, v, 1).\n"
     "  put_along_axis([[1, 2], [3, 4]], [[0], [1]], 9, 1) #=> [[9 2]\n"
     "                                                     #=>  [3 9]]"},
    {"add_at(a, indices, b)", take_add_at,
     "a with b added at the indices (an integer array for the first axis, or a tuple of them), "
     "every\n"
     "one of equal places counted. The dtype stays. Unlike NumPy's add.at it changes nothing: "
     "write\n"
     "a = add_at(a, i, b).\n"
     "  add_at([0, 0, 0], [1, 1, 2], 1) #=> [0 2 1]"},
    {"min_at(a, indices, b)", take_min_at,
     "a with the smaller of a and every b at the indices, as add_at.\n"
     "  min_at([5, 5], [0, 0], [7, 3]) #=> [3 5]"},
    {"max_at(a, indices, b)", take_max_at,
     "a with the larger of a and every b at the indices, as add_at.\n"
     "  max_at([5, 5], [0, 0], [7, 3]) #=> [7 5]"},
    {"unravel_index(indices, shape, order=\"C\")", take_unravel_index,
     "Flat positions in C order (\"F\": the first axis running fastest) as index numbers along "
     "each\n"
     "axis of that shape, a tuple.\n"
     "  unravel_index([5, 3], (2, 3)) #=> ([1 1], [2 0])"},
    {"ravel_multi_index(multi_index, dims, mode=\"raise\", order=\"C\")", take_ravel_multi_index,
     "The flat positions in C order of index numbers along each axis, a tuple, in an array of "
     "extents\n"
     "dims. What lies outside is an error, or with mode \"wrap\" taken modulo the extent, with "
     "\"clip\" the\n"
     "nearest place. order as unravel_index has it.\n"
     "  ravel_multi_index(([1, 1], [2, 0]), (2, 3)) #=> [5 3]"},
    {NULL, NULL, NULL},
};
