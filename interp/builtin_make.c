/* builtin_make - arrays from nothing or in the form of another: zeros and the like, identity and
 * triangular matrices, diagonals.
 *
 * Callers: calls by name. Everything here is lazy: a constant or a comparison of two index vectors,
 * which fuses into whatever uses it and takes no memory. */
#include "interp/array_build.h"
#include "interp/builtin_util.h"

#include <string.h>

/* ---- array ---- */

static Value from_tuple(Calc *c, const Value *v, DType d) {
    ArrayParts parts = {.items = v->tuple->items,
                        .n = v->tuple->n,
                        .dtype = d,
                        .what = c->fn,
                        .shape = {.rank = 1, .dim = {v->tuple->n}}};
    Node *n = NULL;
    Status s = array_build(c->A, &parts, &n);
    return calc_keep_node(c, s, n);
}

/* One number as a 0-d array of dtype d. */
static Value from_scalar(Calc *c, const Value *v, DType d) {
    ArrayParts parts = {.items = v, .n = 1, .dtype = d, .what = c->fn, .shape = {.rank = 0}};
    Node *n = NULL;
    Status s = array_build(c->A, &parts, &n);
    return calc_keep_node(c, s, n);
}

static Status make_array(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "array");
    DType d = calc_dtype(&c, &args[1], DT_COUNT);
    Value x = VALUE_UNSET;
    if (calc_ok(&c) && args[0].kind == V_TUPLE) {
        x = from_tuple(&c, &args[0], d);
    } else if (calc_ok(&c) && value_is_scalar(&args[0])) {
        x = from_scalar(&c, &args[0], d);
    } else {
        x = calc_array(&c, "object", &args[0]);
        if (calc_ok(&c) && d != DT_COUNT) x = calc_cast(&c, x, d);
    }
    int64_t ndmin = calc_count(&c, "ndmin", &args[2]);
    if (calc_ok(&c) && ndmin > MAX_RANK)
        calc_fail(&c, ARR_ERR_LIMIT, "ndmin is at most %d", MAX_RANK);
    while (calc_ok(&c) && calc_rank(x) < ndmin) x = calc_expand(&c, x, 0);
    return calc_done(&c, x, out);
}

/* ---- constants ---- */

static Status constant(State *A, const char *fn, const Value *args, int64_t value, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    DType d = DT_COUNT;
    Shape s = calc_extents(&c, "shape", &args[0], calc_given(&args[1]) ? NULL : &d);
    d = calc_dtype(&c, &args[1], d == DT_COUNT ? A->rt->flt : d);
    return calc_done(&c, calc_full(&c, d, s, value_int(value)), out);
}

static Status make_zeros(State *A, const Value *args, Value *out) {
    return constant(A, "zeros", args, 0, out);
}
static Status make_ones(State *A, const Value *args, Value *out) {
    return constant(A, "ones", args, 1, out);
}
static Status make_empty(State *A, const Value *args, Value *out) {
    return constant(A, "empty", args, 0, out);
}

/* value, a scalar or an array that broadcasts, in shape s and dtype d. */
static Value filled(Calc *c, Shape s, Value value, DType d) {
    if (!calc_ok(c)) return VALUE_UNSET;
    if (value.kind == V_ARRAY) return calc_broadcast(c, calc_cast(c, value, d), s);
    Scalar x;
    if (!calc_check(c, value_to_scalar(c->A, c->fn, &value, &x))) return VALUE_UNSET;
    bool integer = x.kind == SC_INT || x.kind == SC_UINT;
    if ((integer && !scalar_fits(&x, d)) || (x.kind == SC_COMPLEX && !dtype_is_complex(d)))
        return from_scalar(c, &value, d); /* which says why not */
    return calc_full(c, d, s, value);
}

static Status make_full(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "full");
    Shape s = calc_extents(&c, "shape", &args[0], NULL);
    Value v = calc_number(&c, "fill_value", &args[1]);
    DType d = calc_ok(&c) ? calc_dtype(&c, &args[2], calc_type(&c, v)) : DT_f64;
    return calc_done(&c, filled(&c, s, v, d), out);
}

static Status like(State *A, const char *fn, const Value *x, const Value *value, const Value *dtype,
                   const Value *shape, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    Value a = calc_array(&c, "a", x), v = calc_number(&c, "fill_value", value);
    DType d = calc_ok(&c) ? calc_dtype(&c, dtype, calc_type(&c, a)) : DT_f64;
    Shape s = calc_given(shape) ? calc_extents(&c, "shape", shape, NULL) : calc_shape(a);
    return calc_done(&c, filled(&c, s, v, d), out);
}

static Status make_zeros_like(State *A, const Value *args, Value *out) {
    Value zero = value_int(0);
    return like(A, "zeros_like", &args[0], &zero, &args[1], &args[2], out);
}
static Status make_ones_like(State *A, const Value *args, Value *out) {
    Value one = value_int(1);
    return like(A, "ones_like", &args[0], &one, &args[1], &args[2], out);
}
static Status make_empty_like(State *A, const Value *args, Value *out) {
    Value zero = value_int(0);
    return like(A, "empty_like", &args[0], &zero, &args[1], &args[2], out);
}
static Status make_full_like(State *A, const Value *args, Value *out) {
    return like(A, "full_like", &args[0], &args[1], &args[2], &args[3], out);
}

static Status make_copy(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "copy");
    return calc_done(&c, calc_number(&c, "a", &args[0]), out);
}

/* ---- bands: comparisons of row and column numbers ---- */

/* op(row + k, column) over the last two axes of s. */
static Value band(Calc *c, Op op, Shape s, int64_t k) {
    if (!calc_ok(c)) return VALUE_UNSET;
    int64_t n = s.dim[s.rank - 2], m = s.dim[s.rank - 1];
    k = k < -n ? -n : k > m ? m : k; /* further out changes nothing, and cannot overflow */
    Value row = calc_iota_along(c, s, s.rank - 2), col = calc_iota_along(c, s, s.rank - 1);
    return calc_2(c, op, k ? calc_add(c, row, value_int(k)) : row, col);
}

static Shape rows_by_columns(Calc *c, const Value *n, const Value *m) {
    int64_t rows = calc_count(c, "n", n);
    return calc_shape2(rows, calc_given(m) ? calc_count(c, "m", m) : rows);
}

static Status banded(State *A, const char *fn, Op op, const Value *n, const Value *m,
                     const Value *k, const Value *dtype, Value *out) {
    Calc c;
    Value none = VALUE_NONE, zero = value_int(0), type = *dtype;
    calc_open(&c, A, fn);
    Value m_arg = calc_trailing_dtype(&c, m, none, &type);
    Value k_arg = calc_trailing_dtype(&c, k, zero, &type);
    DType d = calc_dtype(&c, &type, A->rt->flt);
    Shape s = rows_by_columns(&c, n, &m_arg);
    int64_t offset = calc_int(&c, "k", &k_arg);
    return calc_done(&c, calc_cast(&c, band(&c, op, s, offset), d), out);
}

static Status make_eye(State *A, const Value *args, Value *out) {
    return banded(A, "eye", OP_eq, &args[0], &args[1], &args[2], &args[3], out);
}
static Status make_identity(State *A, const Value *args, Value *out) {
    Value none = VALUE_NONE, zero = value_int(0);
    return banded(A, "identity", OP_eq, &args[0], &none, &zero, &args[1], out);
}
static Status make_tri(State *A, const Value *args, Value *out) {
    return banded(A, "tri", OP_ge, &args[0], &args[1], &args[2], &args[3], out);
}

/* x where op(row + k, column) holds, 0 elsewhere. */
static Status masked(State *A, const char *fn, Op op, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    Value x = calc_array(&c, "m", &args[0]);
    int64_t k = calc_int(&c, "k", &args[1]);
    if (calc_ok(&c) && calc_rank(x) == 0) {
        char text[SHAPE_TEXT];
        calc_describe(x, text);
        calc_fail(&c, ARR_ERR_SHAPE, "m must have two axes or more, not %s", text);
    }
    if (calc_ok(&c) && calc_rank(x) == 1) /* each row is the vector */
        x = calc_broadcast(&c, x, calc_shape2(calc_size(x), calc_size(x)));
    Value zero =
        calc_full(&c, calc_ok(&c) ? calc_type(&c, x) : DT_f64, (Shape){.rank = 0}, value_int(0));
    return calc_done(&c, calc_where(&c, band(&c, op, calc_shape(x), k), x, zero), out);
}

static Status make_tril(State *A, const Value *args, Value *out) {
    return masked(A, "tril", OP_ge, args, out);
}
static Status make_triu(State *A, const Value *args, Value *out) {
    return masked(A, "triu", OP_le, args, out);
}

static Status band_indices(State *A, const char *fn, Op op, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, fn);
    Shape s = rows_by_columns(&c, &args[0], &args[2]);
    Value flat = calc_nonzero(&c, band(&c, op, s, calc_int(&c, "k", &args[1])));
    Value m = value_int(s.dim[1]);
    Value pair[2] = {calc_2(&c, OP_floordiv, flat, m), calc_2(&c, OP_mod, flat, m)};
    return calc_done(&c, calc_tuple(&c, pair, 2), out);
}

static Status make_tril_indices(State *A, const Value *args, Value *out) {
    return band_indices(A, "tril_indices", OP_ge, args, out);
}
static Status make_triu_indices(State *A, const Value *args, Value *out) {
    return band_indices(A, "triu_indices", OP_le, args, out);
}

/* ---- diagonals ---- */

/* The k-th diagonal of the first two axes of a matrix. */
static Value diagonal_of(Calc *c, Value x, int64_t k) {
    int64_t n = calc_dim(x, 0), m = calc_dim(x, 1);
    k = k < -n ? -n : k > m ? m : k;
    int64_t row = k < 0 ? -k : 0, col = k > 0 ? k : 0;
    int64_t len = n - row < m - col ? n - row : m - col;
    ViewMap map = {.in_rank = 2, .start = {row, col}, .step = {1, 1}, .axis = {0, 0}};
    return calc_view(c, x, calc_shape1(len > 0 ? len : 0), &map);
}

static Value matrix_of(Calc *c, Value v, int64_t k) {
    int64_t n = calc_dim(v, 0), room = k < 0 ? -k : k, size;
    DType d = calc_type(c, v);
    if (room < 0 || !add_i64(n, room, &size))
        return calc_fail(c, ARR_ERR_LIMIT, "k %lld is too large", (long long)k);
    Shape square = calc_shape2(n, n);
    Value zero = calc_full(c, d, (Shape){.rank = 0}, value_int(0));
    Value core = calc_where(c, band(c, OP_eq, square, 0), v, zero);
    if (k == 0) return core;
    int64_t start[2] = {k < 0 ? room : 0, k > 0 ? room : 0}, step[2] = {1, 1};
    return calc_update(c, calc_full(c, d, calc_shape2(size, size), value_int(0)), start, step,
                       core);
}

static Status make_diag(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "diag");
    Value x = calc_array(&c, "v", &args[0]);
    int64_t k = calc_int(&c, "k", &args[1]);
    Value r = VALUE_UNSET;
    if (calc_ok(&c) && calc_rank(x) == 1) {
        r = matrix_of(&c, x, k);
    } else if (calc_ok(&c) && calc_rank(x) == 2) {
        r = diagonal_of(&c, x, k);
    } else if (calc_ok(&c)) {
        char text[SHAPE_TEXT];
        calc_describe(x, text);
        calc_fail(&c, ARR_ERR_SHAPE, "v must have one or two axes, not %s", text);
    }
    return calc_done(&c, r, out);
}

/* Where all index numbers agree; a tall matrix may begin again after a row left out. */
static Value diagonal_mask(Calc *c, Shape s, bool wrap) {
    if (wrap && s.rank == 2 && s.dim[0] > s.dim[1]) {
        Value flat = calc_iota(c, s);
        return calc_2(c, OP_eq, calc_2(c, OP_mod, flat, value_int(s.dim[1] + 1)), value_int(0));
    }
    Value first = calc_iota_along(c, s, 0), mask = VALUE_UNSET;
    for (int i = 1; i < s.rank; i++) {
        Value same = calc_2(c, OP_eq, first, calc_iota_along(c, s, i));
        mask = i == 1 ? same : calc_2(c, OP_bit_and, mask, same);
    }
    return mask;
}

static Status make_fill_diagonal(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "fill_diagonal");
    Value x = calc_array(&c, "a", &args[0]), v = calc_number(&c, "val", &args[1]);
    bool wrap = calc_flag(&c, "wrap", &args[2]);
    Shape s = calc_shape(x);
    bool cube = true;
    for (int i = 1; i < s.rank; i++) cube &= s.dim[i] == s.dim[0];
    if (calc_ok(&c) && (s.rank < 2 || (s.rank > 2 && !cube))) {
        char text[SHAPE_TEXT];
        calc_describe(x, text);
        calc_fail(&c, ARR_ERR_SHAPE, "a must be a matrix, or have equal extents, not %s", text);
    }
    if (calc_ok(&c)) v = calc_as(&c, "val", v, calc_type(&c, x));
    if (calc_ok(&c) && calc_rank(v) > 0) { /* one value for each row of the diagonal */
        int64_t n = s.dim[0] < s.dim[1] ? s.dim[0] : s.dim[1];
        if (calc_rank(v) != 1 || calc_dim(v, 0) != n || wrap)
            calc_fail(&c, ARR_ERR_SHAPE, "val must be one number, or %lld of them (without wrap)",
                      (long long)n);
        Value row = calc_2(&c, OP_minimum, calc_iota_along(&c, s, 0), value_int(n - 1));
        if (calc_ok(&c) && n > 0) v = calc_take(&c, v, row, 0);
    }
    Value r = calc_size(x) == 0 ? x : calc_where(&c, diagonal_mask(&c, s, wrap), v, x);
    return calc_done(&c, r, out);
}

const BuiltinDef builtin_make[] = {
    {"array(object, dtype=none, ndmin=0)", make_array,
     "An array from a number, a tuple (nested as deep as you like), a range or an array. The "
     "dtype\n"
     "is what the parts promote to, or dtype. Numbers are converted once from 64 bits; an integer\n"
     "that does not fit dtype is an error, and so are parts of different shapes. With fewer axes "
     "than\n"
     "ndmin, more of extent 1 come first.\n"
     "  array((1, 2.5)) #=> [1.  2.5]\n"
     "  array(range(3), u8) #=> [0 1 2]\n"
     "  array(((1, 2), (3, 4))).shape #=> (2, 2)"},
    {"zeros(shape..., dtype=none)", make_zeros,
     "An array of zeros of that shape, given as integers or one tuple; a dtype may follow. The "
     "dtype\n"
     "is the default float unless said. A negative extent is an error.\n"
     "  zeros(3) #=> [0. 0. 0.]\n"
     "  zeros(1, 2, i32) #=> [[0 0]]\n"
     "  zeros((2, 0)).shape #=> (2, 0)"},
    {"ones(shape..., dtype=none)", make_ones,
     "An array of ones of that shape, given as integers or one tuple; a dtype may follow. The "
     "dtype\n"
     "is the default float unless said.\n"
     "  ones(2, u8) #=> [1 1]\n"
     "  ones(()) #=> 1.0"},
    {"full(shape, fill_value, dtype=none)", make_full,
     "An array of that shape (an integer or a tuple) with every element fill_value; an array\n"
     "there broadcasts. The dtype is fill_value's unless said. An integer that does not fit is an "
     "error.\n"
     "  full(3, 7) #=> [7 7 7]\n"
     "  full((2, 2), [1, 2]) #=> [[1 2]\n"
     "                       #=>  [1 2]]"},
    {"empty(shape..., dtype=none)", make_empty,
     "As zeros: an array of that shape whose elements are going to be assigned.\n"
     "  empty(2, 3).shape #=> (2, 3)"},
    {"zeros_like(a, dtype=none, shape=none)", make_zeros_like,
     "Zeros in the shape and dtype of a; dtype and shape say others.\n"
     "  zeros_like([1, 2]) #=> [0 0]"},
    {"ones_like(a, dtype=none, shape=none)", make_ones_like,
     "Ones in the shape and dtype of a; dtype and shape say others.\n"
     "  ones_like([1, 2], f32) #=> [1. 1.]"},
    {"full_like(a, fill_value, dtype=none, shape=none)", make_full_like,
     "An array in the shape and dtype of a, or of dtype, filled with fill_value, which is cast as "
     "NumPy's\n"
     "is (2.7 becomes 2 where a holds integers); an integer that does not fit is an error.\n"
     "  full_like([1, 2], 9) #=> [9 9]"},
    {"empty_like(a, dtype=none, shape=none)", make_empty_like,
     "As zeros_like: an array in the shape of a whose elements are going to be assigned.\n"
     "  empty_like([[1, 2]]).shape #=> (1, 2)"},
    {"eye(n, m=none, k=0, dtype=none)", make_eye,
     "An n by m matrix (m = n where left out) with ones on the k-th diagonal and zeros elsewhere; "
     "k\n"
     "counts to the right of the main diagonal. A dtype may follow; the default is the default\n"
     "float.\n"
     "  eye(2) #=> [[1. 0.]\n"
     "         #=>  [0. 1.]]\n"
     "  eye(2, 3, k=1, dtype=i32) #=> [[0 1 0]\n"
     "                            #=>  [0 0 1]]"},
    {"identity(n, dtype=none)", make_identity,
     "The n by n identity matrix: eye(n).\n"
     "  identity(2, u8) #=> [[1 0]\n"
     "                  #=>  [0 1]]"},
    {"diag(v, k=0)", make_diag,
     "Of a vector, the matrix with v on its k-th diagonal; of a matrix, its k-th diagonal as a\n"
     "vector. More axes are an error.\n"
     "  diag([1, 2]) #=> [[1 0]\n"
     "               #=>  [0 2]]\n"
     "  diag([[1, 2], [3, 4]]) #=> [1 4]"},
    {"tri(n, m=none, k=0, dtype=none)", make_tri,
     "An n by m matrix (m = n where left out) with ones at and below the k-th diagonal.\n"
     "  tri(2, 3, k=1, dtype=i64) #=> [[1 1 0]\n"
     "                            #=>  [1 1 1]]"},
    {"tril(m, k=0)", make_tril,
     "m with zeros above the k-th diagonal of its last two axes; a vector is each row of a "
     "matrix.\n"
     "  tril([[1, 2], [3, 4]]) #=> [[1 0]\n"
     "                         #=>  [3 4]]"},
    {"triu(m, k=0)", make_triu,
     "m with zeros below the k-th diagonal of its last two axes; a vector is each row of a "
     "matrix.\n"
     "  triu([[1, 2], [3, 4]]) #=> [[1 2]\n"
     "                         #=>  [0 4]]"},
    {"tril_indices(n, k=0, m=none)", make_tril_indices,
     "Row and column numbers, as a tuple of two i64 vectors in C order, of the elements at and "
     "below\n"
     "the k-th diagonal of an n by m matrix (m = n where left out).\n"
     "  tril_indices(2) #=> ([0 1 1], [0 0 1])"},
    {"triu_indices(n, k=0, m=none)", make_triu_indices,
     "Row and column numbers, as a tuple of two i64 vectors in C order, of the elements at and "
     "above\n"
     "the k-th diagonal of an n by m matrix (m = n where left out).\n"
     "  triu_indices(2) #=> ([0 0 1], [0 1 1])"},
    {"fill_diagonal(a, val, wrap=false)", make_fill_diagonal,
     "a with its main diagonal set to val, a number or a vector as long as the diagonal. a is a\n"
     "matrix, or has more axes of one extent. With wrap, the diagonal of a tall matrix begins "
     "again\n"
     "after a row left out. Unlike NumPy's it changes nothing: write a = fill_diagonal(a, v).\n"
     "  fill_diagonal([[1, 2], [3, 4]], 0) #=> [[0 2]\n"
     "                                     #=>  [3 0]]"},
    {"copy(a)", make_copy,
     "a itself: values are immutable, and an array that somebody else still holds is never "
     "written\n"
     "in place.\n"
     "  copy([1, 2]) #=> [1 2]"},
    {NULL, NULL, NULL},
};
