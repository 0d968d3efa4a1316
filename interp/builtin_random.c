/* builtin_random - draws of random numbers.
 *
 * Every call of a drawing builtin takes the next key of the seed, exactly one, whether it succeeds,
 * is empty or fails: that is what `drawing` wraps around each of them. All
 * draws are lazy leaves; distributions are elementwise work on them, orders are stable sorts of
 * 64-bit keys. Parameters that are arrays are checked at the call, which forces them. */
#include "interp/builtin_util.h"
#include "interp/api_limits.h"

#include <errno.h>
#include <math.h>
#include <sys/random.h>

typedef Value (*Draw)(Calc *c, const Value *args);

static Status drawing(State *A, const char *fn, Draw draw, const Value *args, Value *out) {
    Calc c;
    uint64_t k = A->rt->draws;
    calc_open(&c, A, fn);
    Value r = draw(&c, args);
    A->rt->draws = k + 1;
    return calc_done(&c, r, out);
}

static Value raw(Calc *c, DrawKind kind, DType t, Shape s, int64_t low, uint64_t range) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *n = NULL;
    Status st = graph_draw(calc_rt(c), kind, t, &s, low, range, &n);
    return calc_keep_node(c, st, n);
}

/* Halves of the distributions other than the uniform are rounded from f32. */
static Value draw(Calc *c, DrawKind kind, DType t, Shape s) {
    bool native = t == DT_f32 || t == DT_f64 || (kind == DRAW_UNIFORM && dtype_is_half(t));
    if (!calc_ok(c)) return VALUE_UNSET;
    if (!native && !dtype_is_half(t))
        return calc_fail(c, ARR_ERR_DTYPE, "random numbers are floats, not %s: cast the result",
                         dtype_name(t));
    return calc_cast(c, raw(c, kind, native ? t : DT_f32, s, 0, 0), t);
}

/* ---- seed ---- */

/* splitmix64's finalizer: draw k has key mix64(mix64(seed) + k * golden ratio). */
static uint64_t mix64(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static Status random_seed(State *A, const Value *args, Value *out) {
    Calc c;
    uint64_t s = 0;
    calc_open(&c, A, "seed");
    if (args[0].kind == V_UINT) {
        s = args[0].u;
    } else if (calc_given(&args[0])) {
        s = (uint64_t)calc_int(&c, "s", &args[0]);
    } else {
        ssize_t n;
        do n = getrandom(&s, sizeof s, 0);
        while (n < 0 && errno == EINTR);
        if (n != sizeof s) calc_fail(&c, ARR_ERR_IO, "the system gives no random seed");
    }
    if (calc_ok(&c)) {
        A->rt->seed = mix64(s);
        A->rt->draws = 0;
    }
    return calc_done(&c, VALUE_NONE, out);
}

/* ---- plain draws ---- */

static Value plain(Calc *c, DrawKind kind, const Value *args) {
    DType d = DT_COUNT;
    Shape s = calc_extents(c, "shape", &args[0], calc_given(&args[1]) ? NULL : &d);
    return draw(c, kind, calc_dtype(c, &args[1], d == DT_COUNT ? calc_rt(c)->flt : d), s);
}

static Value draw_rand(Calc *c, const Value *args) { return plain(c, DRAW_UNIFORM, args); }
static Value draw_randn(Calc *c, const Value *args) { return plain(c, DRAW_NORMAL, args); }

static Status random_rand(State *A, const Value *args, Value *out) {
    return drawing(A, "rand", draw_rand, args, out);
}
static Status random_randn(State *A, const Value *args, Value *out) {
    return drawing(A, "randn", draw_randn, args, out);
}

/* ---- integers ---- */

static __int128 wide_int(Calc *c, const char *what, const Value *v) {
    return v->kind == V_UINT ? (__int128)v->u : (__int128)calc_int(c, what, v);
}

static void int_limits(DType t, __int128 *lo, __int128 *hi) {
    int bits = (int)dtype_size(t) * 8;
    bool is_signed = dtype_kind(t) == DK_INT;
    *lo = is_signed ? -((__int128)1 << (bits - 1)) : 0;
    *hi = (__int128)1 << (is_signed ? bits - 1 : bits);
    if (t == DT_bool) *hi = 2;
}

static Shape optional_size(Calc *c, const Value *size) {
    return calc_given(size) ? calc_extents(c, "size", size, NULL) : (Shape){.rank = 0};
}

static Value draw_randint(Calc *c, const Value *args) {
    Value type = args[3], size = calc_trailing_dtype(c, &args[2], VALUE_NONE, &type);
    DType t = calc_dtype(c, &type, DT_i64);
    Shape s = optional_size(c, &size);
    __int128 low = wide_int(c, "low", &args[0]), high = low, lo, hi;
    if (calc_given(&args[1]))
        high = wide_int(c, "high", &args[1]);
    else
        low = 0;
    if (!calc_ok(c)) return VALUE_UNSET;
    if (!dtype_is_int(t) && t != DT_bool)
        return calc_fail(c, ARR_ERR_DTYPE, "dtype must be an integer dtype, not %s", dtype_name(t));
    int_limits(t, &lo, &hi);
    if (low >= high)
        return calc_fail(c, ARR_ERR_VALUE, "low must be below high: %lld to %lld is empty",
                         (long long)low, (long long)high);
    if (low < lo || high > hi)
        return calc_fail(c, ARR_ERR_VALUE, "low and high go beyond %s", dtype_name(t));
    uint64_t range = (uint64_t)(high - low); /* 2^64 is 0, as the draw has it */
    return calc_cast(c, raw(c, DRAW_RANDINT, DT_i64, s, (int64_t)(uint64_t)low, range), t);
}

static Status random_randint(State *A, const Value *args, Value *out) {
    return drawing(A, "randint", draw_randint, args, out);
}

/* ---- distributions with parameters ---- */

/* The shape of a draw with these parameters: size, or what they broadcast to. */
static Shape draw_shape(Calc *c, const Value *size, const Value *params, int n) {
    Shape s = {.rank = 0}, fit;
    for (int i = 0; i < n && calc_ok(c); i++) {
        Shape p = calc_shape(params[i]);
        if (!shape_broadcast(&s, &p, &s)) {
            calc_fail(c, ARR_ERR_SHAPE, "the parameters' shapes do not broadcast together");
            break;
        }
    }
    if (!calc_ok(c) || !calc_given(size)) return s;
    Shape want = optional_size(c, size);
    if (calc_ok(c) && (!shape_broadcast(&s, &want, &fit) || !shape_equal(&fit, &want))) {
        char a[SHAPE_TEXT], b[SHAPE_TEXT];
        shape_text(calc_rt(c)->flt, &s, a);
        shape_text(calc_rt(c)->flt, &want, b);
        calc_fail(c, ARR_ERR_SHAPE, "parameters of shape %s do not broadcast to size %s", a, b);
    }
    return want;
}

/* The float dtype of the draw: dtype, or what the array parameters promote to. */
static DType draw_dtype(Calc *c, const Value *type, const Value *params, int n) {
    DType t = DT_COUNT;
    for (int i = 0; i < n && calc_ok(c); i++) {
        if (params[i].kind != V_ARRAY) continue;
        DType p = calc_float_type(c, params[i]);
        t = t == DT_COUNT ? p : calc_promote(c, t, p);
    }
    if (!calc_ok(c)) return DT_f64;
    return calc_dtype(c, type, t == DT_COUNT ? calc_rt(c)->flt : t);
}

/* Fail if low <= v does not hold everywhere (and v <= high where that is a number). */
static void check_bounds(Calc *c, const char *what, Value v, double low, double high) {
    if (!calc_ok(c)) return;
    Value bad = calc_2(c, OP_lt, v, value_float(low));
    if (!isnan(high)) {
        Value in = calc_2(c, OP_le, v, value_float(high));
        bad = calc_2(c, OP_bit_or, bad, calc_1(c, OP_bit_not, in));
    }
    if (bad.kind == V_ARRAY)
        bad = calc_reduce(c, RED_ANY, bad, calc_all_axes(calc_rank(bad)), false);
    if (!calc_read_bool(c, bad)) return;
    if (isnan(high))
        calc_fail(c, ARR_ERR_VALUE, "%s must not be negative", what);
    else
        calc_fail(c, ARR_ERR_VALUE, "%s must lie from %s to %s", what, calc_text(low).s,
                  calc_text(high).s);
}

static Value real_param(Calc *c, const char *what, const Value *v) {
    Value x = calc_number(c, what, v);
    if (calc_ok(c) && dtype_is_complex(calc_type(c, x)))
        return calc_fail(c, ARR_ERR_DTYPE, "%s must be real", what);
    return x;
}

/* a + b * draw, in the draw's dtype. */
static Value scaled(Calc *c, DrawKind kind, Value a, Value b, const Value *size, Value type) {
    Value sz = calc_trailing_dtype(c, size, VALUE_NONE, &type), params[2] = {a, b};
    DType t = draw_dtype(c, &type, params, 2);
    Value u = draw(c, kind, t, draw_shape(c, &sz, params, 2));
    if (a.kind == V_ARRAY) a = calc_cast(c, a, t);
    if (b.kind == V_ARRAY) b = calc_cast(c, b, t);
    return calc_add(c, a, calc_mul(c, b, u));
}

static Value draw_uniform(Calc *c, const Value *args) {
    Value low = real_param(c, "low", &args[0]), high = real_param(c, "high", &args[1]);
    return scaled(c, DRAW_UNIFORM, low, calc_sub(c, high, low), &args[2], args[3]);
}

static Value draw_normal(Calc *c, const Value *args) {
    Value loc = real_param(c, "loc", &args[0]), scale = real_param(c, "scale", &args[1]);
    check_bounds(c, "scale", scale, 0, (double)NAN);
    return scaled(c, DRAW_NORMAL, loc, scale, &args[2], args[3]);
}

static Value draw_exponential(Calc *c, const Value *args) {
    Value scale = real_param(c, "scale", &args[0]);
    check_bounds(c, "scale", scale, 0, (double)NAN);
    return scaled(c, DRAW_EXPONENTIAL, value_float(0), scale, &args[1], args[2]);
}

static Value draw_bernoulli(Calc *c, const Value *args) {
    Value type = args[2], size = calc_trailing_dtype(c, &args[1], VALUE_NONE, &type);
    Value p = real_param(c, "p", &args[0]), none = VALUE_NONE;
    check_bounds(c, "p", p, 0, 1);
    Shape s = draw_shape(c, &size, &p, 1);
    Value u = draw(c, DRAW_UNIFORM, draw_dtype(c, &none, &p, 1), s);
    return calc_cast(c, calc_2(c, OP_lt, u, p), calc_dtype(c, &type, DT_bool));
}

static Status random_uniform(State *A, const Value *args, Value *out) {
    return drawing(A, "uniform", draw_uniform, args, out);
}
static Status random_normal(State *A, const Value *args, Value *out) {
    return drawing(A, "normal", draw_normal, args, out);
}
static Status random_exponential(State *A, const Value *args, Value *out) {
    return drawing(A, "exponential", draw_exponential, args, out);
}
static Status random_bernoulli(State *A, const Value *args, Value *out) {
    return drawing(A, "bernoulli", draw_bernoulli, args, out);
}

/* ---- orders ---- */

static Value random_order(Calc *c, int64_t n) {
    return calc_argsort(c, raw(c, DRAW_KEYS64, DT_u64, calc_shape1(n), 0, 0), 0, false);
}

static bool is_whole(Calc *c, const Value *v) {
    if (v->kind == V_INT) return true;
    return v->kind == V_ARRAY && calc_rank(*v) == 0 && dtype_is_int(calc_type(c, *v));
}

static Value draw_permutation(Calc *c, const Value *args) {
    if (is_whole(c, &args[0])) return random_order(c, calc_count(c, "x", &args[0]));
    Value x = calc_array(c, "x", &args[0]);
    if (calc_ok(c) && calc_rank(x) == 0)
        return calc_fail(c, ARR_ERR_SHAPE, "x must be an integer or have axes");
    int axis = calc_ok(c) ? calc_axis(c, &args[1], calc_rank(x)) : 0;
    return calc_take(c, x, random_order(c, calc_dim(x, axis)), axis);
}

static Status random_permutation(State *A, const Value *args, Value *out) {
    return drawing(A, "permutation", draw_permutation, args, out);
}

static Value draw_shuffle(Calc *c, const Value *args) {
    if (is_whole(c, &args[0]))
        return calc_fail(c, ARR_ERR_TYPE, "x must be an array: permutation(n) shuffles 0 to n - 1");
    return draw_permutation(c, args);
}

static Status random_shuffle(State *A, const Value *args, Value *out) {
    return drawing(A, "shuffle", draw_shuffle, args, out);
}

/* ---- choice and multinomial ---- */

/* Probabilities as an f64 vector, checked; *positive: how many are above 0. */
static Value probabilities(Calc *c, const char *what, const Value *v, int64_t *positive) {
    Value p = calc_cast(c, calc_real(c, what, v), DT_f64);
    size_t bytes;
    *positive = 0;
    if (calc_ok(c) && (calc_rank(p) != 1 || calc_dim(p, 0) == 0))
        return calc_fail(c, ARR_ERR_SHAPE, "%s must be a vector of probabilities", what);
    double *host = calc_read(c, p, DT_f64, &bytes), sum = 0;
    for (int64_t i = 0; host && i < calc_dim(p, 0); i++) {
        if (i % STEPS == 0 && !calc_check(c, state_step(c->A, STEPS))) break;
        if (!(host[i] >= 0 && host[i] <= 1)) {
            calc_fail(c, ARR_ERR_VALUE, "%s must lie from 0 to 1, element %lld is %s", what,
                      (long long)i, calc_text(host[i]).s);
            break;
        }
        sum += host[i];
        *positive += host[i] > 0;
    }
    if (host) calc_free(c, host, bytes);
    if (calc_ok(c) && !(fabs(sum - 1) < 1e-7)) /* as generous as sums of f32 need */
        return calc_fail(c, ARR_ERR_VALUE, "%s must sum to 1, not %s: divide it by its sum", what,
                         calc_text(sum).s);
    return p;
}

/* The running sums of p, the last one 1. */
static Value distribution(Calc *c, Value p) {
    Value sums = calc_scan(c, RED_SUM, p, 0, DT_COUNT);
    return calc_div(c, sums, calc_pick(c, sums, 0, calc_dim(p, 0) - 1));
}

static Value chosen_without(Calc *c, int64_t n, Value p, int64_t positive, Shape s) {
    int64_t m = 0;
    if (!calc_ok(c) || !calc_check(c, shape_count(&c->A->cx, SPAN_NONE, &s, 8, &m)))
        return VALUE_UNSET;
    bool weighted = p.kind == V_ARRAY;
    if (m > (weighted ? positive : n))
        return calc_fail(c, ARR_ERR_VALUE,
                         "%lld different elements cannot be chosen among %lld: use replace=true",
                         (long long)m, (long long)(weighted ? positive : n));
    Value order;
    if (weighted) { /* of exponential times with rates p the first m: as drawing one by one */
        Value t = raw(c, DRAW_EXPONENTIAL, DT_f64, calc_shape1(n), 0, 0);
        Value never = value_float((double)INFINITY), possible = calc_2(c, OP_gt, p, value_float(0));
        order = calc_argsort(c, calc_where(c, possible, calc_div(c, t, p), never), 0, false);
    } else {
        order = random_order(c, n);
    }
    return calc_reshape(c, calc_slice(c, order, 0, 0, m, 1), s);
}

static Value draw_choice(Calc *c, const Value *args) {
    bool whole = is_whole(c, &args[0]), replace = calc_flag(c, "replace", &args[2]);
    Shape s = optional_size(c, &args[1]);
    Value x = whole ? VALUE_UNSET : calc_array(c, "a", &args[0]), p = VALUE_UNSET, index;
    if (!whole && calc_ok(c) && calc_rank(x) == 0)
        return calc_fail(c, ARR_ERR_SHAPE, "a must be an integer or have axes");
    int axis = whole || !calc_ok(c) ? 0 : calc_axis(c, &args[4], calc_rank(x));
    int64_t n = whole ? calc_count(c, "a", &args[0]) : calc_dim(x, axis), positive = 0;
    if (calc_given(&args[3])) p = probabilities(c, "p", &args[3], &positive);
    if (calc_ok(c) && p.kind == V_ARRAY && calc_dim(p, 0) != n)
        return calc_fail(c, ARR_ERR_SHAPE, "p has %lld probabilities for %lld elements",
                         (long long)calc_dim(p, 0), (long long)n);
    if (calc_ok(c) && n == 0 && shape_size(&s) > 0)
        return calc_fail(c, ARR_ERR_VALUE, "there is nothing to choose from: a is empty");
    if (!replace) {
        index = chosen_without(c, n, p, positive, s);
    } else if (p.kind == V_ARRAY) {
        index = calc_search(c, distribution(c, p), raw(c, DRAW_UNIFORM, DT_f64, s, 0, 0), true);
    } else {
        index = raw(c, DRAW_RANDINT, DT_i64, s, 0, (uint64_t)(n > 0 ? n : 1));
    }
    return whole ? index : calc_take(c, x, index, axis);
}

static Status random_choice(State *A, const Value *args, Value *out) {
    return drawing(A, "choice", draw_choice, args, out);
}

static Value draw_multinomial(Calc *c, const Value *args) {
    int64_t n = calc_count(c, "n", &args[0]), positive;
    Value p = probabilities(c, "pvals", &args[1], &positive);
    Shape s = optional_size(c, &args[2]);
    if (calc_ok(c) && s.rank > MAX_RANK - 2)
        return calc_fail(c, ARR_ERR_LIMIT, "size has too many axes");
    s = calc_shape_insert(calc_shape_insert(s, s.rank, n), s.rank + 1, 1);
    Value u = raw(c, DRAW_UNIFORM, DT_f64, s, 0, 0), hi = distribution(c, p);
    int64_t k = calc_dim(p, 0);
    if (!calc_ok(c)) return VALUE_UNSET;
    /* Category j holds [hi[j-1], hi[j]); the last one reaches to 1, and none begins below 0. */
    Value j = calc_arange(c, k),
          before = calc_2(c, OP_maximum, calc_sub(c, j, value_int(1)), value_int(0));
    Value lo = calc_where(c, calc_2(c, OP_eq, j, value_int(0)), value_float(0),
                          calc_take(c, hi, before, 0));
    Value in = calc_2(c, OP_bit_and, calc_2(c, OP_ge, u, lo), calc_2(c, OP_lt, u, hi));
    return calc_reduce(c, RED_COUNT, in, 1u << (s.rank - 2), false);
}

static Status random_multinomial(State *A, const Value *args, Value *out) {
    return drawing(A, "multinomial", draw_multinomial, args, out);
}

const BuiltinDef builtin_random[] = {
    {"seed(s=none)", random_seed,
     "Begin the sequence of draws that belongs to s; without s, one that the system chooses. "
     "Element\n"
     "i of the k-th draw after seed(s) depends on s, k and i alone, on every device. Every call of "
     "a\n"
     "drawing function is one draw, failed and unused ones too.\n"
     "  seed(1); a = rand(2); seed(1); array_equal(a, rand(2)) #=> true"},
    {"rand(shape..., dtype=none)", random_rand,
     "Uniform random numbers in [0, 1), never 1, of that shape; a dtype may follow: f64, f32, f16 "
     "or\n"
     "bf16, the default float unless said. Without extents, a 0-d array.\n"
     "  rand(2, 3).shape #=> (2, 3)\n"
     "  rand(4, f32).dtype #=> f32"},
    {"randn(shape..., dtype=none)", random_randn,
     "Random numbers of the normal distribution with mean 0 and deviation 1 (Box-Muller), of that\n"
     "shape; a float dtype may follow.\n"
     "  randn(2, 3, f32).dtype #=> f32"},
    {"randint(low, high=none, size=none, dtype=none)", random_randint,
     "Random integers from low up to, not including, high; randint(n) draws from [0, n). "
     "Unbiased.\n"
     "size is an integer or a tuple, without it a 0-d array comes; the dtype is i64 unless said. "
     "An\n"
     "empty range, or one beyond the dtype, is an error.\n"
     "  randint(3, 4, 2) #=> [3 3]\n"
     "  randint(10, size=(2, 2), dtype=u8).dtype #=> u8"},
    {"uniform(low=0.0, high=1.0, size=none, dtype=none)", random_uniform,
     "low + (high - low) * u for uniform u in [0, 1). low and high may be arrays, which broadcast "
     "to\n"
     "size, or give the shape where there is none.\n"
     "  uniform(2, 2, 3) #=> [2. 2. 2.]\n"
     "  uniform([0.0, 10.0], [1.0, 11.0]).shape #=> (2,)"},
    {"normal(loc=0.0, scale=1.0, size=none, dtype=none)", random_normal,
     "Random numbers of the normal distribution with mean loc and deviation scale, which may be\n"
     "arrays. A negative scale is an error.\n"
     "  normal(5, 0, 2) #=> [5. 5.]"},
    {"exponential(scale=1.0, size=none, dtype=none)", random_exponential,
     "Random numbers of the exponential distribution with mean scale, which may be an array. A\n"
     "negative scale is an error.\n"
     "  exponential(1, 5).shape #=> (5,)\n"
     "  exponential(0, 2) #=> [0. 0.]"},
    {"bernoulli(p, size=none, dtype=none)", random_bernoulli,
     "Booleans that are true with probability p, a number or an array in [0, 1]; dtype says "
     "another\n"
     "dtype for 0 and 1.\n"
     "  bernoulli(1.0, 2) #=> [ true  true]\n"
     "  bernoulli(0, 2, i64) #=> [0 0]"},
    {"permutation(x, axis=0)", random_permutation,
     "Of an integer n, the numbers 0 to n - 1 in random order; of an array, its parts along the "
     "axis\n"
     "in random order.\n"
     "  sort(permutation(4)) #=> [0 1 2 3]"},
    {"shuffle(x, axis=0)", random_shuffle,
     "The parts of an array along the axis in random order. Unlike NumPy's it changes nothing: "
     "write\n"
     "x = shuffle(x).\n"
     "  sort(shuffle([3, 1, 2])) #=> [1 2 3]"},
    {"choice(a, size=none, replace=true, p=none, axis=0)", random_choice,
     "Random elements of an array along the axis, or of 0 to n - 1 for an integer n; p gives "
     "their\n"
     "probabilities, which must sum to 1. With replace=false no element comes twice.\n"
     "  choice([7], 3) #=> [7 7 7]\n"
     "  sort(choice(3, 3, replace=false)) #=> [0 1 2]\n"
     "  choice(2, 2, p=[0.0, 1.0]) #=> [1 1]"},
    {"multinomial(n, pvals, size=none)", random_multinomial,
     "How often each of the outcomes with probabilities pvals (summing to 1) comes in n tries; "
     "with\n"
     "size, that many times. Shape size + (outcomes), i64.\n"
     "  sum(multinomial(20, [0.5, 0.5])) #=> 20\n"
     "  multinomial(5, [0.0, 1.0], 2) #=> [[0 5]\n"
     "                                #=>  [0 5]]"},
    {NULL, NULL, NULL},
};
