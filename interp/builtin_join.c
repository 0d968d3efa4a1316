/* builtin_join - arrays put together and taken apart: concat stack split, repetition, rolling.
 *
 * Callers: calls by name. Repetition is broadcasting and a reshape; everything else is made of
 * concat, update and slices. Invariant: the parts of a concat have one dtype when it is built. */
#include "interp/builtin_util.h"

/* ---- concat, stack ---- */

/* Cast all to the dtype, or to what they promote to. */
static void unify(Calc *c, Value *x, int n, const Value *dtype) {
    DType t = !calc_ok(c)         ? DT_f64
              : calc_given(dtype) ? calc_dtype(c, dtype, DT_f64)
                                  : calc_common(c, x, n);
    for (int i = 0; i < n && calc_ok(c); i++) {
        if (x[i].kind == V_ARRAY)
            x[i] = calc_cast(c, x[i], t);
        else
            x[i] = calc_as(c, "a number among the arrays", x[i], t);
    }
}

/* An array has rows, a number in a list of arrays has none: most likely concat(a, b) was meant. */
static void check_axes(Calc *c, const Value *arrays, const Value *x, int n) {
    for (int i = 0; i < n && calc_ok(c); i++) {
        if (calc_rank(x[i]) > 0) continue;
        if (arrays->kind == V_ARRAY)
            calc_fail(c, ARR_ERR_TYPE, "arrays must be a tuple of arrays: write concat((a, b))");
        else
            calc_fail(c, ARR_ERR_SHAPE, "part %d has no axes: stack((a, b)) joins numbers", i);
    }
}

static void check_parts(Calc *c, const Value *x, int n, int axis) {
    for (int i = 1; i < n && calc_ok(c); i++) {
        Shape a = calc_shape(x[0]), b = calc_shape(x[i]);
        if (a.rank == b.rank && axis >= 0) b.dim[axis] = a.dim[axis];
        if (shape_equal(&a, &b)) continue;
        char s[SHAPE_TEXT], t[SHAPE_TEXT];
        calc_describe(x[0], s);
        calc_describe(x[i], t);
        if (axis >= 0)
            calc_fail(c, ARR_ERR_SHAPE,
                      "part 0 is %s and part %d %s: they must agree but on axis %d", s, i, t, axis);
        else
            calc_fail(c, ARR_ERR_SHAPE, "part 0 is %s and part %d %s: they must have one shape", s,
                      i, t);
    }
}

static Value joined(Calc *c, Value *x, int n, int axis, const Value *dtype) {
    unify(c, x, n, dtype);
    check_parts(c, x, n, axis);
    return calc_concat(c, x, n, axis);
}

static Status join_concat(State *A, const Value *args, Value *out) {
    Calc c;
    Value *x, r = VALUE_UNSET;
    calc_open(&c, A, "concat");
    int n = calc_operands(&c, "arrays", &args[0], &x), axis = 0;
    for (int i = 0; i < n && args[1].kind == V_NONE; i++) x[i] = calc_ravel(&c, x[i]);
    check_axes(&c, &args[0], x, n);
    if (n > 0 && args[1].kind != V_NONE) axis = calc_axis(&c, &args[1], calc_rank(x[0]));
    if (calc_ok(&c)) r = joined(&c, x, n, axis, &args[2]);
    calc_free_operands(&c, x, n);
    return calc_done(&c, r, out);
}

static Status join_stack(State *A, const Value *args, Value *out) {
    Calc c;
    Value *x, r = VALUE_UNSET;
    calc_open(&c, A, "stack");
    int n = calc_operands(&c, "arrays", &args[0], &x);
    int axis = n > 0 ? calc_axis(&c, &args[1], calc_rank(x[0]) + 1) : 0;
    unify(&c, x, n, &args[2]);
    check_parts(&c, x, n, -1);
    for (int i = 0; i < n && calc_ok(&c); i++) x[i] = calc_expand(&c, x[i], axis);
    if (calc_ok(&c)) r = calc_concat(&c, x, n, axis);
    calc_free_operands(&c, x, n);
    return calc_done(&c, r, out);
}

static Status join_vstack(State *A, const Value *args, Value *out) {
    Calc c;
    Value *x, r = VALUE_UNSET;
    calc_open(&c, A, "vstack");
    int n = calc_operands(&c, "tup", &args[0], &x);
    unify(&c, x, n, &args[1]);
    for (int i = 0; i < n && calc_ok(&c); i++)
        if (calc_rank(x[i]) < 2) x[i] = calc_reshape(&c, x[i], calc_shape2(1, calc_size(x[i])));
    if (calc_ok(&c)) r = joined(&c, x, n, 0, &args[1]);
    calc_free_operands(&c, x, n);
    return calc_done(&c, r, out);
}

static Status join_hstack(State *A, const Value *args, Value *out) {
    Calc c;
    Value *x, r = VALUE_UNSET;
    calc_open(&c, A, "hstack");
    int n = calc_operands(&c, "tup", &args[0], &x);
    unify(&c, x, n, &args[1]);
    for (int i = 0; i < n && calc_ok(&c); i++)
        if (calc_rank(x[i]) == 0) x[i] = calc_reshape(&c, x[i], calc_shape1(1));
    if (calc_ok(&c)) r = joined(&c, x, n, calc_rank(x[0]) == 1 ? 0 : 1, &args[1]);
    calc_free_operands(&c, x, n);
    return calc_done(&c, r, out);
}

/* ---- split ---- */

/* Cut at the n places at[], ascending or not, as slices cut. */
static Value cut(Calc *c, Value x, int axis, const int64_t *at, int64_t n) {
    int64_t extent = calc_dim(x, axis), lo = 0, start, count;
    Value t = VALUE_UNSET;
    if (!calc_ok(c)) return t;
    Value made = VALUE_NONE;
    Status s = value_tuple(c->A, (uint32_t)n + 1, &made);
    t = calc_keep(c, s, made);
    for (int64_t i = 0; i <= n && calc_ok(c); i++) {
        slice_resolve(extent, i > 0, lo, i < n, i < n ? at[i] : 0, 1, &start, &count);
        Value part = calc_slice(c, x, axis, start, count, 1);
        if (calc_ok(c)) t.tuple->items[i] = value_retain(part);
        if (i < n) lo = at[i];
    }
    return t;
}

static Value split_evenly(Calc *c, Value x, int axis, int64_t n) {
    int64_t extent = calc_dim(x, axis);
    if (!calc_ok(c)) return VALUE_UNSET;
    if (n < 1 || n > 1 << 24 || extent % n != 0)
        return calc_fail(c, ARR_ERR_VALUE,
                         "axis %d has %lld elements, which do not make %lld equal "
                         "parts: give the places to cut at as a tuple",
                         axis, (long long)extent, (long long)n);
    size_t bytes = (size_t)n * sizeof(int64_t);
    int64_t *at = calc_alloc(c, bytes);
    for (int64_t i = 0; at && i < n; i++) at[i] = (i + 1) * (extent / n);
    Value t = cut(c, x, axis, at, n - 1);
    calc_free(c, at, at ? bytes : 0);
    return t;
}

static Status join_split(State *A, const Value *args, Value *out) {
    Calc c;
    if (args[0].kind == V_STR) {
        bool plain = args[2].kind == V_INT && args[2].i == 0; /* the default */
        if (!plain)
            return error_set(&A->cx, ARR_ERR_ARGUMENT, A->cx.span,
                             "split: a string takes a separator and nothing more");
        Value text[2] = {args[0], calc_given(&args[3]) ? args[3] : args[1]};
        return text_split(A, text, out);
    }
    calc_open(&c, A, "split");
    Value x = calc_array(&c, "x", &args[0]), r = VALUE_UNSET;
    int axis = calc_axis(&c, &args[2], calc_rank(x));
    const Value *how = &args[1];
    if (calc_ok(&c) && !calc_given(how))
        calc_fail(&c, ARR_ERR_ARGUMENT, "say how many parts, or where to cut: split(x, 2)");
    bool many = how->kind == V_TUPLE || how->kind == V_RANGE ||
                (how->kind == V_ARRAY && calc_rank(*how) > 0);
    if (many) {
        Value places = calc_ravel(&c, calc_index_array(&c, "indices_or_sections", how));
        size_t bytes = 0;
        int64_t *at = calc_read(&c, places, DT_i64, &bytes);
        if (at) r = cut(&c, x, axis, at, calc_size(places));
        calc_free(&c, at, bytes);
    } else {
        r = split_evenly(&c, x, axis, calc_int(&c, "indices_or_sections", how));
    }
    return calc_done(&c, r, out);
}

/* ---- repetition ---- */

static Status join_tile(State *A, const Value *args, Value *out) {
    Calc c;
    int64_t reps[MAX_RANK];
    calc_open(&c, A, "tile");
    Value x = calc_array(&c, "A", &args[0]), r = VALUE_UNSET;
    int n = calc_ints(&c, "reps", &args[1], reps), rank = calc_rank(x);
    int full = n > rank ? n : rank;
    Shape wide = {.rank = 0}, apart = {.rank = 0}, result = {.rank = full};
    for (int i = 0; i < full && calc_ok(&c); i++) {
        int64_t k = i >= full - n ? reps[i - (full - n)] : 1;
        int64_t d = i >= full - rank ? calc_dim(x, i - (full - rank)) : 1;
        if (k < 0) calc_fail(&c, ARR_ERR_VALUE, "reps must not be negative, %lld is", (long long)k);
        if (!mul_i64(k, d, &result.dim[i])) calc_fail(&c, ARR_ERR_LIMIT, "the result is too large");
        bool split = k != 1 && d != 1; /* an axis of its own for the copies */
        if (wide.rank + 1 + split > MAX_RANK)
            calc_fail(&c, ARR_ERR_LIMIT, "more than %d axes on the way", MAX_RANK);
        if (!calc_ok(&c)) break;
        if (split) {
            apart.dim[apart.rank++] = 1;
            wide.dim[wide.rank++] = k;
        }
        apart.dim[apart.rank++] = d;
        wide.dim[wide.rank++] = split ? d : k * d;
    }
    if (calc_ok(&c))
        r = calc_reshape(&c, calc_broadcast(&c, calc_reshape(&c, x, apart), wide), result);
    return calc_done(&c, r, out);
}

/* Element i comes counts[i] times: a gather by an index that is made here. */
static Value repeat_each(Calc *c, Value x, int axis, Value counts) {
    int64_t n = calc_dim(x, axis), total = 0;
    size_t bytes = 0, size = 0;
    if (calc_ok(c) && (calc_rank(counts) != 1 || calc_dim(counts, 0) != n)) {
        char text[SHAPE_TEXT];
        calc_describe(counts, text);
        return calc_fail(c, ARR_ERR_SHAPE, "repeats is %s for an axis of %lld elements", text,
                         (long long)n);
    }
    int64_t *times = calc_read(c, counts, DT_i64, &bytes);
    for (int64_t i = 0; times && calc_ok(c) && i < n; i++) {
        if (times[i] < 0) calc_fail(c, ARR_ERR_VALUE, "repeats must not be negative");
        if (!add_i64(total, times[i], &total))
            calc_fail(c, ARR_ERR_LIMIT, "the result is too large");
    }
    Value r = VALUE_UNSET;
    if (calc_ok(c)) {
        Shape line = calc_shape1(total);
        int64_t ignored;
        calc_check(c, shape_count(&c->A->cx, SPAN_NONE, &line, sizeof(int64_t), &ignored));
        size = (size_t)total * sizeof(int64_t) + 1;
        int64_t *index = calc_alloc(c, size), k = 0;
        for (int64_t i = 0; index && i < n; i++)
            for (int64_t j = 0; j < times[i]; j++) index[k++] = i;
        if (index) r = calc_take(c, x, calc_host_i64(c, index, total), axis);
        calc_free(c, index, size);
    }
    calc_free(c, times, bytes);
    return r;
}

static Value repeat_all(Calc *c, Value x, int axis, int64_t times) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Shape s = calc_shape(x), wide = s;
    if (times < 0) return calc_fail(c, ARR_ERR_VALUE, "repeats must not be negative");
    if (s.rank == MAX_RANK || !mul_i64(s.dim[axis], times, &s.dim[axis]))
        return calc_fail(c, ARR_ERR_LIMIT, "the result is too large");
    wide = calc_shape_insert(wide, axis + 1, times);
    return calc_reshape(c, calc_broadcast(c, calc_expand(c, x, axis + 1), wide), s);
}

static Status join_repeat(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "repeat");
    Value x = calc_array(&c, "a", &args[0]), r;
    if (!calc_given(&args[2])) x = calc_ravel(&c, x);
    int axis = calc_given(&args[2]) ? calc_axis(&c, &args[2], calc_rank(x)) : 0;
    Value counts = calc_index_array(&c, "repeats", &args[1]);
    if (calc_size(counts) == 1)
        r = repeat_all(&c, x, axis, calc_int(&c, "repeats", &counts));
    else
        r = repeat_each(&c, x, axis, counts);
    return calc_done(&c, r, out);
}

/* ---- roll ---- */

static Value rolled(Calc *c, Value x, int axis, int64_t shift) {
    int64_t n = calc_dim(x, axis);
    if (!calc_ok(c) || n == 0) return x;
    shift %= n;
    if (shift < 0) shift += n;
    if (shift == 0) return x;
    Value part[2] = {calc_slice(c, x, axis, n - shift, shift, 1),
                     calc_slice(c, x, axis, 0, n - shift, 1)};
    return calc_concat(c, part, 2, axis);
}

static Status join_roll(State *A, const Value *args, Value *out) {
    Calc c;
    int64_t shift[MAX_RANK], axes[MAX_RANK];
    calc_open(&c, A, "roll");
    Value x = calc_array(&c, "a", &args[0]), r = x;
    int n = calc_ints(&c, "shift", &args[1], shift);
    if (calc_ok(&c) && !calc_given(&args[2])) {
        r = calc_ravel(&c, x);
        for (int i = 0; i < n; i++) r = rolled(&c, r, 0, shift[i]);
        r = calc_reshape(&c, r, calc_shape(x));
    } else if (calc_ok(&c)) {
        int m = calc_ints(&c, "axis", &args[2], axes);
        if (calc_ok(&c) && n != m && n != 1 && m != 1)
            calc_fail(&c, ARR_ERR_SHAPE, "shift has %d numbers, axis %d", n, m);
        for (int i = 0; i < (n > m ? n : m) && calc_ok(&c); i++) {
            Value v = value_int(axes[m == 1 ? 0 : i]);
            int axis = calc_axis(&c, &v, calc_rank(x));
            r = rolled(&c, r, axis, shift[n == 1 ? 0 : i]);
        }
    }
    return calc_done(&c, r, out);
}

const BuiltinDef builtin_join[] = {
    {"concat(arrays, axis=0, dtype=none)", join_concat,
     "The arrays of a tuple one after another along an axis (none: as vectors), promoted to one\n"
     "dtype. Their other extents must agree.\n"
     "  concat(([1, 2], [3])) #=> [1 2 3]\n"
     "  concat(([[1], [2]], [[3], [4]]), axis=1) #=> [[1 3]\n"
     "                                           #=>  [2 4]]"},
    {"stack(arrays, axis=0, dtype=none)", join_stack,
     "The arrays of a tuple, all of one shape, along a new axis.\n"
     "  stack(([1, 2], [3, 4])) #=> [[1 2]\n"
     "                          #=>  [3 4]]\n"
     "  stack((1, 2.5)) #=> [1.  2.5]"},
    {"vstack(tup, dtype=none)", join_vstack,
     "The arrays of a tuple above one another: vectors as rows, others along the first axis.\n"
     "  vstack(([1, 2], [3, 4])) #=> [[1 2]\n"
     "                           #=>  [3 4]]"},
    {"hstack(tup, dtype=none)", join_hstack,
     "The arrays of a tuple side by side: vectors end to end, others along the second axis.\n"
     "  hstack(([1, 2], [3])) #=> [1 2 3]"},
    {"split(x, indices_or_sections=none, axis=0, sep=none)", join_split,
     "An array in parts along an axis, as a tuple: n equal ones for an integer n, which must "
     "divide\n"
     "the extent, or cut before the indices of a tuple. Of a string, its pieces between "
     "separators\n"
     "(second argument, or sep=), or the words between runs of blanks where none is given.\n"
     "  split([1, 2, 3, 4], 2) #=> ([1 2], [3 4])\n"
     "  split([1, 2, 3, 4], (1, 3)) #=> ([1], [2 3], [4])\n"
     "  split(\"a,b,,c\", \",\") #=> ('a', 'b', '', 'c')\n"
     "  \" two  words \".split() #=> ('two', 'words')"},
    {"tile(A, reps)", join_tile,
     "Copies of A side by side: reps of them along the last axis, or as many along each axis as a\n"
     "tuple says.\n"
     "  tile([1, 2], 2) #=> [1 2 1 2]\n"
     "  tile([1, 2], (2, 1)) #=> [[1 2]\n"
     "                       #=>  [1 2]]"},
    {"repeat(a, repeats, axis=none)", join_repeat,
     "Every element repeats times along an axis (none: of the vector of all elements); an array "
     "of\n"
     "repeats gives each element its own count.\n"
     "  repeat([1, 2], 2) #=> [1 1 2 2]\n"
     "  repeat([1, 2], [1, 3]) #=> [1 2 2 2]"},
    {"roll(a, shift, axis=none)", join_roll,
     "The elements shifted along an axis, those that leave at the end come in at the beginning;\n"
     "without axis in C order. shift and axis may be tuples.\n"
     "  roll([1, 2, 3, 4], 1) #=> [4 1 2 3]\n"
     "  roll([1, 2, 3, 4], -1) #=> [2 3 4 1]"},
    {NULL, NULL, NULL},
};
