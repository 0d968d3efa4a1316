/* builtin_shape - the same elements in another shape or order: reshape, transposition, new and
 * dropped axes, flips, windows.
 *
 * Callers: calls by name. All but reshape are affine maps of indices: views, which cost nothing and
 * fuse into what reads them. */
#include "interp/builtin_util.h"

/* Integers given one by one or as one tuple. */
static int spread_ints(Calc *c, const char *what, const Value *rest, int64_t out[MAX_RANK]) {
    const Tuple *t = rest->tuple;
    bool one = t->n == 1 && (t->items[0].kind == V_TUPLE || t->items[0].kind == V_ARRAY);
    return calc_ints(c, what, one ? &t->items[0] : rest, out);
}

/* ---- reshape ---- */

/* Do elements count with the first index running fastest? */
static bool by_columns(Calc *c, const Value *order) {
    static const char *const words[] = {"C", "F"};
    return calc_choice(c, "order", order, words, 2) == 1;
}

static Value reversed_axes(Calc *c, Value x) {
    int perm[MAX_RANK], rank = calc_rank(x);
    for (int i = 0; i < rank; i++) perm[i] = rank - 1 - i;
    return rank > 1 ? calc_transpose(c, x, perm) : x;
}

static Value refuse_reshape(Calc *c, Value x, Shape s, const char *why) {
    char from[SHAPE_TEXT], to[SHAPE_TEXT];
    calc_describe(x, from);
    shape_text(calc_type(c, x), &s, to);
    return calc_fail(c, ARR_ERR_SHAPE, "%s does not fit into %s: %s", from, to, why);
}

static Value reshaped(Calc *c, Value x, const int64_t *dim, int rank) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Shape s = shape_make(rank, dim);
    int64_t known = 1, size = calc_size(x);
    int open = -1;
    bool fits = true;
    for (int i = 0; i < rank; i++) {
        if (dim[i] == -1 && open >= 0)
            return refuse_reshape(c, x, s, "only one extent can be left open by -1");
        if (dim[i] < -1) return refuse_reshape(c, x, s, "an extent is negative");
        if (dim[i] == -1)
            open = i;
        else
            fits = fits && mul_i64(known, dim[i], &known);
    }
    if (open >= 0 && fits && known > 0 && size % known == 0) {
        s.dim[open] = size / known;
        known = size;
    } else if (open >= 0) {
        return refuse_reshape(c, x, s,
                              known == 0 ? "-1 beside 0 can be anything"
                                         : "the known extents do not divide its size");
    }
    if (!fits || known != size) return refuse_reshape(c, x, s, "the numbers of elements differ");
    return calc_reshape(c, x, s);
}

static Status shape_reshape(State *A, const Value *args, Value *out) {
    Calc c;
    int64_t dim[MAX_RANK];
    calc_open(&c, A, "reshape");
    Value x = calc_array(&c, "a", &args[0]);
    int rank = spread_ints(&c, "shape", &args[1], dim);
    if (!by_columns(&c, &args[2])) return calc_done(&c, reshaped(&c, x, dim, rank), out);
    for (int i = 0, j = rank - 1; i < j; i++, j--) {
        int64_t d = dim[i];
        dim[i] = dim[j];
        dim[j] = d;
    }
    Value r = reshaped(&c, reversed_axes(&c, x), dim, rank);
    return calc_done(&c, reversed_axes(&c, r), out);
}

static Status raveled(State *A, const char *fn, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    Value x = calc_array(&c, "a", &args[0]);
    if (by_columns(&c, &args[1])) x = reversed_axes(&c, x);
    return calc_done(&c, calc_ravel(&c, x), out);
}

static Status shape_ravel(State *A, const Value *args, Value *out) {
    return raveled(A, "ravel", args, out);
}
static Status shape_flatten(State *A, const Value *args, Value *out) {
    return raveled(A, "flatten", args, out);
}

/* ---- order of axes ---- */

/* Axes from user integers, each once. */
static bool distinct_axes(Calc *c, const char *what, const int64_t *given, int n, int rank,
                          int out[MAX_RANK]) {
    uint32_t seen = 0;
    for (int i = 0; i < n && calc_ok(c); i++) {
        Value v = value_int(given[i]);
        out[i] = calc_axis(c, &v, rank);
        if (calc_ok(c) && seen >> out[i] & 1)
            calc_fail(c, ARR_ERR_VALUE, "%s names axis %d twice", what, out[i]);
        seen |= 1u << out[i];
    }
    return calc_ok(c);
}

static Status shape_transpose(State *A, const Value *args, Value *out) {
    Calc c;
    int64_t axes[MAX_RANK];
    int perm[MAX_RANK];
    calc_open(&c, A, "transpose");
    Value x = calc_array(&c, "a", &args[0]), r = VALUE_UNSET;
    const Tuple *t = args[1].tuple;
    bool plain = t->n == 0 || (t->n == 1 && t->items[0].kind == V_NONE);
    int rank = calc_rank(x), n = plain ? rank : spread_ints(&c, "axes", &args[1], axes);
    for (int i = 0; i < rank && plain; i++) axes[i] = rank - 1 - i;
    if (calc_ok(&c) && n != rank)
        calc_fail(&c, ARR_ERR_SHAPE, "axes names %d axes, the array has %d", n, rank);
    if (distinct_axes(&c, "axes", axes, n, rank, perm)) r = calc_transpose(&c, x, perm);
    return calc_done(&c, r, out);
}

static Status shape_swapaxes(State *A, const Value *args, Value *out) {
    Calc c;
    int perm[MAX_RANK];
    calc_open(&c, A, "swapaxes");
    Value x = calc_array(&c, "a", &args[0]);
    Value p = value_int(calc_int(&c, "axis1", &args[1]));
    Value q = value_int(calc_int(&c, "axis2", &args[2]));
    int rank = calc_rank(x), i = calc_axis(&c, &p, rank), j = calc_axis(&c, &q, rank);
    for (int k = 0; k < rank; k++) perm[k] = k == i ? j : k == j ? i : k;
    return calc_done(&c, calc_transpose(&c, x, perm), out);
}

static Status shape_moveaxis(State *A, const Value *args, Value *out) {
    Calc c;
    int64_t from[MAX_RANK], to[MAX_RANK];
    int source[MAX_RANK], dest[MAX_RANK], perm[MAX_RANK];
    calc_open(&c, A, "moveaxis");
    Value x = calc_array(&c, "a", &args[0]), r = VALUE_UNSET;
    int rank = calc_rank(x);
    int n = calc_ints(&c, "source", &args[1], from), m = calc_ints(&c, "destination", &args[2], to);
    if (calc_ok(&c) && n != m)
        calc_fail(&c, ARR_ERR_SHAPE, "source has %d axes, destination %d", n, m);
    if (distinct_axes(&c, "source", from, n, rank, source) &&
        distinct_axes(&c, "destination", to, n, rank, dest)) {
        uint32_t moved = 0;
        for (int k = 0; k < rank; k++) perm[k] = -1;
        for (int k = 0; k < n; k++) {
            perm[dest[k]] = source[k];
            moved |= 1u << source[k];
        }
        for (int k = 0, next = 0; k < rank; k++) {
            if (perm[k] >= 0) continue;
            while (moved >> next & 1) next++;
            perm[k] = next++;
        }
        r = calc_transpose(&c, x, perm);
    }
    return calc_done(&c, r, out);
}

/* ---- axes of extent 1, broadcasting ---- */

static Status shape_expand_dims(State *A, const Value *args, Value *out) {
    Calc c;
    int64_t axes[MAX_RANK];
    int at[MAX_RANK];
    calc_open(&c, A, "expand_dims");
    Value x = calc_array(&c, "a", &args[0]), r = VALUE_UNSET;
    int n = calc_ints(&c, "axis", &args[1], axes), rank = calc_rank(x) + n;
    if (rank > MAX_RANK) calc_fail(&c, ARR_ERR_LIMIT, "an array has at most %d axes", MAX_RANK);
    if (calc_ok(&c) && distinct_axes(&c, "axis", axes, n, rank, at)) {
        uint32_t fresh = 0;
        Shape s = {.rank = rank};
        for (int k = 0; k < n; k++) fresh |= 1u << at[k];
        ViewMap m = {.in_rank = calc_rank(x)};
        for (int k = 0, j = 0; k < rank; k++) {
            s.dim[k] = fresh >> k & 1 ? 1 : calc_dim(x, j);
            if (fresh >> k & 1) continue;
            m.step[j] = 1;
            m.axis[j++] = (int8_t)k;
        }
        r = calc_view(&c, x, s, &m);
    }
    return calc_done(&c, r, out);
}

static Status shape_squeeze(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "squeeze");
    Value x = calc_array(&c, "a", &args[0]);
    int rank = calc_rank(x);
    uint32_t axes = calc_axes(&c, &args[1], rank);
    Shape s = {.rank = 0};
    for (int k = 0; k < rank; k++) {
        bool drop = axes >> k & 1 && calc_dim(x, k) == 1;
        if (!drop) s.dim[s.rank++] = calc_dim(x, k);
        if (calc_given(&args[1]) && axes >> k & 1 && !drop)
            calc_fail(&c, ARR_ERR_SHAPE, "axis %d has %lld elements, not 1", k,
                      (long long)calc_dim(x, k));
    }
    return calc_done(&c, calc_reshape(&c, x, s), out);
}

static Status shape_broadcast_to(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "broadcast_to");
    Value x = calc_array(&c, "array", &args[0]);
    Shape s = calc_extents(&c, "shape", &args[1], NULL), xs = calc_shape(x), both;
    if (calc_ok(&c) && (!shape_broadcast(&xs, &s, &both) || !shape_equal(&both, &s))) {
        char from[SHAPE_TEXT], to[SHAPE_TEXT];
        calc_describe(x, from);
        shape_text(calc_type(&c, x), &s, to);
        calc_fail(&c, ARR_ERR_SHAPE, "%s does not broadcast to %s", from, to);
    }
    return calc_done(&c, calc_broadcast(&c, x, s), out);
}

static Status shape_atleast_1d(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "atleast_1d");
    const Tuple *t = args[0].tuple;
    if (t->n == 0 || t->n > MAX_RANK)
        calc_fail(&c, ARR_ERR_ARGUMENT, "arys are one array or at most %d", MAX_RANK);
    Value x[MAX_RANK] = {{0}};
    for (uint32_t i = 0; i < t->n && calc_ok(&c); i++) {
        x[i] = calc_array(&c, "arys", &t->items[i]);
        if (calc_ok(&c) && calc_rank(x[i]) == 0) x[i] = calc_reshape(&c, x[i], calc_shape1(1));
    }
    return calc_done(&c, t->n == 1 ? x[0] : calc_tuple(&c, x, (int)t->n), out);
}

/* ---- flips ---- */

static Value flipped(Calc *c, Value x, uint32_t axes) {
    if (!calc_ok(c)) return VALUE_UNSET;
    ViewMap m = {.in_rank = calc_rank(x)};
    for (int k = 0; k < m.in_rank; k++) {
        bool back = axes >> k & 1 && calc_dim(x, k) > 0;
        m.start[k] = back ? calc_dim(x, k) - 1 : 0;
        m.step[k] = back ? -1 : 1;
        m.axis[k] = (int8_t)k;
    }
    return calc_view(c, x, calc_shape(x), &m);
}

static Status shape_flip(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "flip");
    Value x = calc_array(&c, "m", &args[0]);
    return calc_done(&c, flipped(&c, x, calc_axes(&c, &args[1], calc_rank(x))), out);
}

static Status shape_rot90(State *A, const Value *args, Value *out) {
    Calc c;
    int64_t plane[MAX_RANK] = {0, 1};
    int axes[MAX_RANK], perm[MAX_RANK], n = 2;
    calc_open(&c, A, "rot90");
    Value x = calc_array(&c, "m", &args[0]), r = VALUE_UNSET;
    int64_t k = calc_int(&c, "k", &args[1]) & 3;
    int rank = calc_rank(x);
    if (calc_given(&args[2])) n = calc_ints(&c, "axes", &args[2], plane);
    if (calc_ok(&c) && (n != 2 || rank < 2))
        calc_fail(&c, ARR_ERR_SHAPE, "it turns a plane: two axes of an array that has them");
    if (calc_ok(&c) && distinct_axes(&c, "axes", plane, 2, rank, axes)) {
        for (int i = 0; i < rank; i++) perm[i] = i;
        perm[axes[0]] = axes[1];
        perm[axes[1]] = axes[0];
        if (k == 0)
            r = x;
        else if (k == 1)
            r = calc_transpose(&c, flipped(&c, x, 1u << axes[1]), perm);
        else if (k == 2)
            r = flipped(&c, x, 1u << axes[0] | 1u << axes[1]);
        else
            r = flipped(&c, calc_transpose(&c, x, perm), 1u << axes[1]);
    }
    return calc_done(&c, r, out);
}

/* ---- windows ---- */

/* Axis `axis` becomes the places of the windows; their elements run along a new last axis. Gathered
 * by computed indices, so nothing is copied before the reader asks. */
static Value windows_along(Calc *c, Value x, int axis, int64_t window, int64_t step) {
    int64_t n = calc_dim(x, axis);
    if (!calc_ok(c)) return VALUE_UNSET;
    if (window < 1 || window > n)
        return calc_fail(c, ARR_ERR_SHAPE,
                         "window %lld does not fit into axis %d with %lld elements",
                         (long long)window, axis, (long long)n);
    if (step < 1)
        return calc_fail(c, ARR_ERR_VALUE, "step must be 1 or more, it is %lld", (long long)step);
    Shape s = calc_shape2((n - window) / step + 1, window);
    Value place = calc_iota_along(c, s, 0);
    if (step != 1) place = calc_mul(c, place, value_int(step));
    Value index = calc_add(c, place, calc_iota_along(c, s, 1));
    Value taken = calc_take(c, x, index, axis);
    return calc_ok(c) ? calc_move_axis(c, taken, axis + 1, calc_rank(taken) - 1) : VALUE_UNSET;
}

static Status shape_sliding_window(State *A, const Value *args, Value *out) {
    Calc c;
    int64_t window[MAX_RANK], step[MAX_RANK], given[MAX_RANK];
    int axes[MAX_RANK];
    calc_open(&c, A, "sliding_window");
    Value x = calc_array(&c, "x", &args[0]);
    int n = calc_ints(&c, "window", &args[1], window), rank = calc_rank(x), m = rank;
    for (int i = 0; i < rank; i++) given[i] = i;
    if (calc_given(&args[2])) m = calc_ints(&c, "axis", &args[2], given);
    int steps = calc_ints(&c, "step", &args[3], step);
    if (calc_ok(&c) && n != m)
        calc_fail(&c, ARR_ERR_SHAPE, "window has %d extents for %d axes: say axis=", n, m);
    if (calc_ok(&c) && steps != 1 && steps != n)
        calc_fail(&c, ARR_ERR_SHAPE, "step has %d numbers for %d axes", steps, n);
    if (calc_ok(&c) && rank + n > MAX_RANK)
        calc_fail(&c, ARR_ERR_LIMIT, "an array has at most %d axes", MAX_RANK);
    for (int i = 0; i < m && calc_ok(&c); i++) { /* an axis may have several windows */
        Value v = value_int(given[i]);
        axes[i] = calc_axis(&c, &v, rank);
        x = windows_along(&c, x, axes[i], window[i], step[steps == 1 ? 0 : i]);
    }
    return calc_done(&c, x, out);
}

const BuiltinDef builtin_shape[] = {
    {"reshape(a, shape..., order=\"C\")", shape_reshape,
     "The elements in C order under another shape, given as integers or one tuple; one extent may "
     "be\n"
     "-1 and follows from the others. The numbers of elements must agree. order=\"F\" counts with "
     "the\n"
     "first index running fastest.\n"
     "  reshape([1, 2, 3, 4], 2, 2) #=> [[1 2]\n"
     "                              #=>  [3 4]]\n"
     "  arange(6).reshape(-1, 3).shape #=> (2, 3)"},
    {"ravel(a, order=\"C\")", shape_ravel,
     "The elements in C order as a vector; order=\"F\" lets the first index run fastest.\n"
     "  ravel([[1, 2], [3, 4]]) #=> [1 2 3 4]"},
    {"flatten(a, order=\"C\")", shape_flatten,
     "The elements in C order as a vector, as ravel.\n"
     "  flatten([[1], [2]]) #=> [1 2]"},
    {"transpose(a, axes...)", shape_transpose,
     "The axes in another order, given as integers or one tuple; reversed where none are given.\n"
     "  transpose([[1, 2], [3, 4]]) #=> [[1 3]\n"
     "                              #=>  [2 4]]\n"
     "  zeros(2, 3, 4).transpose(1, 0, 2).shape #=> (3, 2, 4)"},
    {"swapaxes(a, axis1, axis2)", shape_swapaxes,
     "a with two axes exchanged.\n"
     "  swapaxes(zeros(2, 3, 4), 0, -1).shape #=> (4, 3, 2)"},
    {"moveaxis(a, source, destination)", shape_moveaxis,
     "a with the axes source (an integer or a tuple) at the places destination, the others in "
     "their\n"
     "order.\n"
     "  moveaxis(zeros(2, 3, 4), 0, -1).shape #=> (3, 4, 2)"},
    {"expand_dims(a, axis)", shape_expand_dims,
     "a with new axes of extent 1 at these places (an integer or a tuple) of the result.\n"
     "  expand_dims([1, 2], 0).shape #=> (1, 2)\n"
     "  expand_dims([1, 2], (0, 2)).shape #=> (1, 2, 1)"},
    {"squeeze(a, axis=none)", shape_squeeze,
     "a without its axes of extent 1, or without those of axis, which must have extent 1.\n"
     "  squeeze(zeros(1, 3, 1)).shape #=> (3,)"},
    {"broadcast_to(array, shape...)", shape_broadcast_to,
     "The array repeated along new axes and axes of extent 1 to that shape; takes no memory.\n"
     "  broadcast_to([1, 2], 2, 2) #=> [[1 2]\n"
     "                             #=>  [1 2]]"},
    {"atleast_1d(arys...)", shape_atleast_1d,
     "An array with one axis or more; of several, a tuple of them.\n"
     "  atleast_1d(5) #=> [5]"},
    {"flip(m, axis=none)", shape_flip,
     "The elements in reverse order along an axis, several, or all.\n"
     "  flip([1, 2, 3]) #=> [3 2 1]\n"
     "  flip([[1, 2], [3, 4]], axis=0) #=> [[3 4]\n"
     "                                 #=>  [1 2]]"},
    {"rot90(m, k=1, axes=none)", shape_rot90,
     "m turned k quarter turns in the plane of two axes, 0 and 1 unless said, from the first "
     "towards\n"
     "the second.\n"
     "  rot90([[1, 2], [3, 4]]) #=> [[2 4]\n"
     "                          #=>  [1 3]]"},
    {"sliding_window(x, window, axis=none, step=1)", shape_sliding_window,
     "All windows of x: window extents (an integer or a tuple) along as many axes, all of them "
     "unless\n"
     "axis says which. The window's axes come last; step is the distance of windows. Nothing is\n"
     "copied.\n"
     "  sliding_window([1, 2, 3, 4], 2) #=> [[1 2]\n"
     "                                  #=>  [2 3]\n"
     "                                  #=>  [3 4]]\n"
     "  sliding_window(arange(7), 3, step=2)[:, 0] #=> [0 2 4]"},
    {NULL, NULL, NULL},
};
