/* builtin_args - how builtins read their arguments into a scratch (see builtin_util.h).
 *
 * Callers: the builtin families. Invariant: every refusal names the builtin, the parameter and what
 * was given, and says what would do. */
#include "interp/builtin_util.h"
#include "interp/array_build.h"
#include "runtime/exec.h"

#include <stdio.h>
#include <string.h>

enum { WHAT_TEXT = 96 };

/* "fn: what", made for each argument though few are refused: so by hand. */
static const char *label(const Calc *c, const char *what, char out[WHAT_TEXT]) {
    const char *part[] = {c->fn, ": ", what};
    size_t n = 0;
    for (int i = 0; i < 3; i++)
        for (const char *s = part[i]; *s && n + 1 < WHAT_TEXT; s++) out[n++] = *s;
    out[n] = '\0';
    return out;
}

Value calc_number(Calc *c, const char *what, const Value *v) {
    if (!calc_ok(c) || value_is_number(v)) return calc_ok(c) ? *v : VALUE_UNSET;
    return calc_array(c, what, v);
}

Value calc_array(Calc *c, const char *what, const Value *v) {
    char text[WHAT_TEXT];
    Node *n = NULL;
    if (!calc_ok(c)) return VALUE_UNSET;
    Status s = value_to_node(c->A, label(c, what, text), v, &n);
    return calc_keep_node(c, s, n);
}

static Value refuse_complex(Calc *c, const char *what, Value x) {
    if (!calc_ok(c) || !dtype_is_complex(calc_type(c, x))) return x;
    char text[SHAPE_TEXT];
    calc_describe(x, text);
    return calc_fail(c, ARR_ERR_DTYPE, "%s must be real, not %s: use real(x), imag(x) or abs(x)",
                     what, text);
}

Value calc_real(Calc *c, const char *what, const Value *v) {
    return refuse_complex(c, what, calc_array(c, what, v));
}

Value calc_float_array(Calc *c, const char *what, const Value *v) {
    Value x = calc_array(c, what, v);
    return calc_ok(c) ? calc_cast(c, x, calc_float_type(c, x)) : x;
}

Value calc_index_array(Calc *c, const char *what, const Value *v) {
    Value x = calc_array(c, what, v);
    if (!calc_ok(c)) return x;
    DType t = calc_type(c, x);
    if (!dtype_is_int(t) && t != DT_bool && calc_size(x) > 0) {
        char text[SHAPE_TEXT];
        calc_describe(x, text);
        return calc_fail(c, ARR_ERR_DTYPE, "%s must be integers, not %s: write i64(x)", what, text);
    }
    if (t != DT_u64) return calc_cast(c, x, DT_i64);
    Node *n = NULL;
    Status st = graph_positions(calc_rt(c), x.node, &n);
    return calc_keep_node(c, st, n);
}

int64_t calc_int(Calc *c, const char *what, const Value *v) {
    char text[WHAT_TEXT];
    int64_t i = 0;
    if (calc_ok(c) && !calc_check(c, value_to_int(c->A, label(c, what, text), v, &i))) return 0;
    return i;
}

int64_t calc_count(Calc *c, const char *what, const Value *v) {
    int64_t i = calc_int(c, what, v);
    if (i < 0) {
        calc_fail(c, ARR_ERR_VALUE, "%s must not be negative, it is %lld", what, (long long)i);
        return 0;
    }
    return i;
}

double calc_float(Calc *c, const char *what, const Value *v) {
    char text[WHAT_TEXT];
    double f = 0;
    if (calc_ok(c) && !calc_check(c, value_to_float(c->A, label(c, what, text), v, &f))) return 0;
    return f;
}

bool calc_flag(Calc *c, const char *what, const Value *v) {
    char text[WHAT_TEXT];
    bool b = false;
    if (calc_ok(c)) calc_check(c, arg_flag(c->A, label(c, what, text), v, &b));
    return b;
}

const char *calc_str(Calc *c, const char *what, const Value *v) {
    char text[WHAT_TEXT];
    const char *s = "";
    size_t n;
    if (calc_ok(c) && !calc_check(c, arg_str(c->A, label(c, what, text), v, &s, &n))) return "";
    return s;
}

int calc_choice(Calc *c, const char *what, const Value *v, const char *const *words, int n) {
    const char *s = calc_str(c, what, v);
    char list[256] = "";
    for (int i = 0; i < n; i++) {
        if (strcmp(s, words[i]) == 0) return i;
        size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s\"%s\"", i ? ", " : "", words[i]);
    }
    calc_fail(c, ARR_ERR_VALUE, "%s must be one of %s, not \"%s\"", what, list, s);
    return 0;
}

DType calc_dtype(Calc *c, const Value *v, DType dflt) {
    char text[WHAT_TEXT];
    DType t = dflt;
    if (!calc_ok(c) || !calc_given(v)) return dflt;
    calc_check(c, arg_dtype(c->A, label(c, "dtype", text), v, dflt, &t));
    return t;
}

int calc_axis(Calc *c, const Value *v, int rank) {
    int axis = 0;
    if (calc_ok(c)) calc_check(c, arg_axis(c->A, c->fn, v, rank, &axis));
    return axis;
}

uint32_t calc_axes(Calc *c, const Value *v, int rank) {
    uint32_t axes = 0;
    if (calc_ok(c)) calc_check(c, arg_axes(c->A, c->fn, v, rank, &axes));
    return axes;
}

static int array_ints(Calc *c, const char *what, Value x, int64_t out[MAX_RANK]) {
    int64_t n = calc_size(x);
    if (calc_rank(x) > 1 || n > MAX_RANK) {
        char text[SHAPE_TEXT];
        calc_describe(x, text);
        calc_fail(c, ARR_ERR_SHAPE, "%s must be at most %d integers, not %s", what, MAX_RANK, text);
        return 0;
    }
    Value v = calc_index_array(c, what, &x);
    if (calc_ok(c)) calc_check(c, exec_read(calc_rt(c), v.node, out));
    return calc_ok(c) ? (int)n : 0;
}

int calc_ints(Calc *c, const char *what, const Value *v, int64_t out[MAX_RANK]) {
    if (!calc_ok(c)) return 0;
    if (v->kind == V_RANGE) return array_ints(c, what, calc_array(c, what, v), out);
    if (v->kind == V_ARRAY && calc_rank(*v) > 0) return array_ints(c, what, *v, out);
    if (v->kind != V_TUPLE) {
        out[0] = calc_int(c, what, v);
        return calc_ok(c) ? 1 : 0;
    }
    if (v->tuple->n > MAX_RANK) {
        calc_fail(c, ARR_ERR_LIMIT, "%s has %u items: an array has at most %d axes", what,
                  v->tuple->n, MAX_RANK);
        return 0;
    }
    for (uint32_t i = 0; i < v->tuple->n; i++) out[i] = calc_int(c, what, &v->tuple->items[i]);
    return calc_ok(c) ? (int)v->tuple->n : 0;
}

Shape calc_extents(Calc *c, const char *what, const Value *v, DType *dtype) {
    char text[WHAT_TEXT];
    Shape s = {.rank = 0};
    if (calc_ok(c)) calc_check(c, arg_shape(c->A, label(c, what, text), v, &s, dtype));
    if (calc_ok(c)) return s;
    return (Shape){.rank = 0};
}

Value calc_trailing_dtype(Calc *c, const Value *v, Value dflt, Value *dtype) {
    if (!calc_ok(c) || v->kind != V_DTYPE) return *v;
    if (calc_given(dtype)) {
        calc_fail(c, ARR_ERR_ARGUMENT, "dtype is given twice, %s and dtype=", dtype_name(v->dtype));
        return dflt;
    }
    *dtype = *v;
    return dflt;
}

int calc_operands(Calc *c, const char *what, const Value *v, Value **items) {
    bool rows = v->kind == V_ARRAY && calc_rank(*v) > 0;
    *items = NULL;
    if (!calc_ok(c)) return 0;
    if (!rows && v->kind != V_TUPLE) {
        char text[SHAPE_TEXT];
        value_describe(v, text);
        calc_fail(c, ARR_ERR_TYPE, "%s must be a tuple of arrays, not %s: write %s((a, b))", what,
                  text, c->fn);
        return 0;
    }
    int64_t n = rows ? calc_dim(*v, 0) : v->tuple->n;
    if (n == 0 || n > 1 << 24) {
        calc_fail(c, ARR_ERR_VALUE, "%s must hold at least one array%s", what,
                  n ? " and not as many as here" : "");
        return 0;
    }
    size_t bytes = (size_t)n * sizeof(Value);
    Value *p = calc_alloc(c, bytes);
    for (int64_t i = 0; i < n && calc_ok(c); i++)
        p[i] = rows ? calc_pick(c, *v, 0, i) : calc_number(c, what, &v->tuple->items[i]);
    if (!calc_ok(c)) {
        calc_free(c, p, bytes);
        return 0;
    }
    *items = p;
    return (int)n;
}

void calc_free_operands(Calc *c, Value *items, int n) {
    calc_free(c, items, (size_t)n * sizeof(Value));
}

Value calc_checked(Calc *c, Value index, int axis, int64_t n) {
    if (!calc_ok(c)) return VALUE_UNSET;
    Node *r = NULL;
    Status s = graph_checked(calc_rt(c), index.node, n, axis, &r);
    return calc_keep_node(c, s, r);
}
