/* builtin_util - Calc: a scratch in which a builtin puts its expression together.
 *
 *     Calc c;
 *     calc_open(&c, A, "softmax");
 *     Value x = calc_array(&c, "x", &args[0]);
 *     uint32_t axes = calc_axes(&c, &args[1], calc_rank(x));
 *     Value e = calc_1(&c, OP_exp, calc_sub(&c, x, calc_reduce(&c, RED_MAX, x, axes, true)));
 *     return calc_done(&c, calc_div(&c, e, calc_reduce(&c, RED_SUM, e, axes, true)), out);
 *
 * Every Value that a function here returns belongs to the scratch and is released by calc_done;
 * only the result is kept. After the first failure all functions do nothing and return V_UNSET
 * (numbers: 0, shapes: rank 0), so that a chain needs one check, the one of calc_done. A loop over
 * something that a failure may have left undefined asks calc_ok first. Messages begin with the
 * builtin's name and the parameter's: "full: shape must be an integer, not a string". Invariant:
 * nothing is forced except by the calc_read_* and calc_nonzero. */
#ifndef ARR_BUILTIN_UTIL_H
#define ARR_BUILTIN_UTIL_H

#include "interp/state.h"
#include "runtime/base/numtext.h"

enum { CALC_INLINE = 40 };

typedef struct Calc {
    State *A;
    const char *fn; /* for messages */
    Status status;
    int n, cap;
    Value *own;
    Value first[CALC_INLINE];
} Calc;

void calc_open(Calc *c, State *A, const char *fn);
/* Release everything but the result, which becomes *out (V_NONE where there is none). */
Status calc_done(Calc *c, Value result, Value *out);
static inline bool calc_ok(const Calc *c) { return c->status == ARR_OK; }
/* Hand a new reference (or the failure s) over to the scratch. */
Value calc_keep(Calc *c, Status s, Value v);
Value calc_keep_node(Calc *c, Status s, Node *n);
/* Fail with "<fn>: ..."; answers V_UNSET. */
Value calc_fail(Calc *c, Status s, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Take over the status of a call that is none of this module's. */
bool calc_check(Calc *c, Status s);
/* The runtime, for direct calls of graph_*. */
static inline Runtime *calc_rt(const Calc *c) { return c->A->rt; }

/* ---- arguments ------------------------------------------------------------------------------ */

/* Given at all: neither left out nor none. */
static inline bool calc_given(const Value *v) { return v->kind != V_UNSET && v->kind != V_NONE; }
/* A number: scalars stay scalars; tuples and ranges become arrays. */
Value calc_number(Calc *c, const char *what, const Value *v);
/* An array: scalars become 0-d. */
Value calc_array(Calc *c, const char *what, const Value *v);
/* The same, complex refused. */
Value calc_real(Calc *c, const char *what, const Value *v);
/* An array of floats (integers and booleans become the default float), complex allowed. */
Value calc_float_array(Calc *c, const char *what, const Value *v);
/* An array of i64 from integers and booleans. */
Value calc_index_array(Calc *c, const char *what, const Value *v);
int64_t calc_int(Calc *c, const char *what, const Value *v);
/* An integer that is not negative. */
int64_t calc_count(Calc *c, const char *what, const Value *v);
double calc_float(Calc *c, const char *what, const Value *v);
bool calc_flag(Calc *c, const char *what, const Value *v);
const char *calc_str(Calc *c, const char *what, const Value *v);
/* One of n words; its number. */
int calc_choice(Calc *c, const char *what, const Value *v, const char *const *words, int n);
DType calc_dtype(Calc *c, const Value *v, DType dflt);
int calc_axis(Calc *c, const Value *v, int rank);
uint32_t calc_axes(Calc *c, const Value *v, int rank); /* none: all */
/* An integer, or a tuple or 1-d array of at most MAX_RANK integers; the count. */
int calc_ints(Calc *c, const char *what, const Value *v, int64_t out[MAX_RANK]);
Shape calc_extents(Calc *c, const char *what, const Value *v, DType *dtype);
/* A dtype that stands where another argument was expected (arange(5, f32)): moved to *dtype, and
 * what is left is dflt. */
Value calc_trailing_dtype(Calc *c, const Value *v, Value dflt, Value *dtype);
/* The operands of concat and the like: a tuple's items, or an array's rows. The count; 0 on
 * failure, otherwise *items goes back through calc_free_operands. */
int calc_operands(Calc *c, const char *what, const Value *v, Value **items);
void calc_free_operands(Calc *c, Value *items, int n);
/* index, i64, counted from the start of an axis of n elements; each of its elements is checked to
 * lie in [-n, n) when the work runs. */
Value calc_checked(Calc *c, Value index, int axis, int64_t n);

/* ---- properties ----------------------------------------------------------------------------- */

Shape calc_shape(Value v); /* scalars: rank 0 */
int calc_rank(Value v);
int64_t calc_dim(Value v, int axis); /* axis < 0 counts from the end */
int64_t calc_size(Value v);
DType calc_type(const Calc *c, Value v);       /* scalars: what they are as arrays */
DType calc_float_type(const Calc *c, Value v); /* the default float where it is no float */
static inline uint32_t calc_all_axes(int rank) { return rank >= 32 ? ~0u : (1u << rank) - 1; }
int64_t calc_reduced(Value v, uint32_t axes); /* elements along these axes */
void calc_describe(Value v, char out[SHAPE_TEXT]);

/* ---- building ------------------------------------------------------------------------------- */

Value calc_1(Calc *c, Op op, Value a);
Value calc_2(Calc *c, Op op, Value a, Value b);
Value calc_where(Calc *c, Value cond, Value a, Value b);
static inline Value calc_add(Calc *c, Value a, Value b) { return calc_2(c, OP_add, a, b); }
static inline Value calc_sub(Calc *c, Value a, Value b) { return calc_2(c, OP_sub, a, b); }
static inline Value calc_mul(Calc *c, Value a, Value b) { return calc_2(c, OP_mul, a, b); }
static inline Value calc_div(Calc *c, Value a, Value b) { return calc_2(c, OP_div, a, b); }
Value calc_cast(Calc *c, Value a, DType to);
/* value as an element of an array of dtype `to`: passes as an assignment does, otherwise an error
 * that names the cast. */
Value calc_as(Calc *c, const char *what, Value v, DType to);
/* The dtype of numbers together: arrays promote, scalars are weak. */
DType calc_common(Calc *c, const Value *v, int n);
/* The common dtype of two arrays, DT_COUNT with an error where there is none. */
DType calc_promote(Calc *c, DType a, DType b);
Value calc_reduce(Calc *c, ReduceKind kind, Value a, uint32_t axes, bool keepdims);
Value calc_reduce_as(Calc *c, ReduceKind kind, Value a, uint32_t axes, bool keepdims, DType acc);
Value calc_scan(Calc *c, ReduceKind kind, Value a, int axis, DType acc);
Value calc_sort(Calc *c, Value a, int axis, bool descending);
Value calc_argsort(Calc *c, Value a, int axis, bool descending);
Value calc_take(Calc *c, Value a, Value index, int axis);
Value calc_put(Calc *c, Value base, Value index, Value value, int axis);
Value calc_update(Calc *c, Value base, const int64_t *start, const int64_t *step, Value value);
Value calc_concat(Calc *c, const Value *parts, int n, int axis); /* one dtype */
Value calc_matmul(Calc *c, Value a, Value b);
Value calc_reshape(Calc *c, Value a, Shape s);
Value calc_ravel(Calc *c, Value a);
Value calc_broadcast(Calc *c, Value a, Shape s);
Value calc_view(Calc *c, Value a, Shape s, const ViewMap *m);
Value calc_transpose(Calc *c, Value a, const int *perm);
Value calc_move_axis(Calc *c, Value a, int from, int to);
/* a[..., start : start + count*step : step, ...] along one axis; everything inside. */
Value calc_slice(Calc *c, Value a, int axis, int64_t start, int64_t count, int64_t step);
Value calc_pick(Calc *c, Value a, int axis, int64_t i); /* the axis is dropped */
Value calc_expand(Calc *c, Value a, int axis);          /* a new axis before `axis` of the result */
Value calc_full(Calc *c, DType t, Shape s, Value v);    /* v a scalar */
Value calc_iota(Calc *c, Shape s);
/* The index along one axis, i64, broadcast over the shape (no memory). */
Value calc_iota_along(Calc *c, Shape s, int axis);
Value calc_arange(Calc *c, int64_t n);
Value calc_host(Calc *c, DType t, Shape s, const void *data);
Value calc_host_i64(Calc *c, const int64_t *data, int64_t n);
Value calc_host_f64(Calc *c, const double *data, int64_t n);
Value calc_nonzero(Calc *c, Value mask); /* flat positions; forces */
Value calc_tuple(Calc *c, const Value *items, int n);
/* The elements of x at index numbers along one axis, place by place; index has x's rank. With check
 * its range is checked when the work runs; without, all is known to lie in [0, extent). */
Value calc_take_along(Calc *c, Value x, Value index, int axis, bool check);
/* Reductions of the runs ptr[k] to ptr[k+1] of x's first axis; ptr an i64 vector, checked, forced.
 */
Value calc_segments(Calc *c, ReduceKind kind, Value x, Value ptr);
/* The pieces of the string args[0] between separators args[1] (none: words), as a tuple. */
Status text_split(State *A, const Value *args, Value *out);
/* mean's dtypes for elements of t: the result's, and *acc to accumulate in. */
DType calc_mean_dtype(const Calc *c, DType t, DType *acc);
/* Where each of v would be put into the sorted vector to keep it sorted: before its equals or, with
 * right, behind them. i64 in v's shape; nan counts as the largest. Lazy: a bisection by gathers. */
Value calc_search(Calc *c, Value sorted, Value v, bool right);

/* ---- reading (forces) ----------------------------------------------------------------------- */

double calc_read_float(Calc *c, Value v);
int64_t calc_read_int(Calc *c, Value v);
bool calc_read_bool(Calc *c, Value v);
/* All elements in C order as dtype t, in memory of the scratch's state: *bytes to free it with
 * (mem_free). NULL on failure. */
void *calc_read(Calc *c, Value v, DType t, size_t *bytes);
void *calc_alloc(Calc *c, size_t bytes);
void calc_free(Calc *c, void *p, size_t bytes);

/* A number for a message, the same in every locale: calc_text(x).s. */
typedef struct NumberText {
    char s[NUMTEXT_REAL];
} NumberText;
NumberText calc_text(double x);

static inline Shape calc_shape1(int64_t n) { return (Shape){.rank = 1, .dim = {n}}; }
static inline Shape calc_shape2(int64_t n, int64_t m) { return (Shape){.rank = 2, .dim = {n, m}}; }
Shape calc_shape_without(Shape s, int axis);
Shape calc_shape_insert(Shape s, int axis, int64_t n); /* rank at most MAX_RANK - 1 */
/* The shape after a reduction, axes kept as 1. */
Shape calc_shape_kept(Shape s, uint32_t axes);

#endif
