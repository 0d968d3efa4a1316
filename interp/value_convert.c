/* value_convert - values where something particular is wanted: a scalar, an integer, a boolean, a
 * float, an array.
 *
 * Callers: eval, builtins, the API. Invariant: an error names what was wanted (`what`: a parameter
 * or a place), what came, and how to write it; arrays are forced only where one element is asked.
 */
#include "interp/array_build.h"
#include "interp/state.h"
#include "runtime/exec.h"

#include <string.h>

Status value_to_scalar(State *A, const char *what, const Value *v, Scalar *out) {
    switch (v->kind) {
    case V_BOOL: *out = (Scalar){.kind = SC_BOOL, .b = v->b}; return ARR_OK;
    case V_INT: *out = (Scalar){.kind = SC_INT, .i = v->i}; return ARR_OK;
    case V_UINT: *out = (Scalar){.kind = SC_UINT, .u = v->u}; return ARR_OK;
    case V_FLOAT: *out = (Scalar){.kind = SC_FLOAT, .f = v->f}; return ARR_OK;
    case V_COMPLEX: *out = (Scalar){.kind = SC_COMPLEX, .c = v->c}; return ARR_OK;
    default: break;
    }
    char text[SHAPE_TEXT];
    value_describe(v, text);
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE, "%s must be a number, not %s", what, text);
}

/* The one element of a one-element array. *one false: v is no such array. */
static Status one_element(State *A, const Value *v, bool *one, Scalar *out) {
    *one = v->kind == V_ARRAY && node_size(v->node) == 1;
    return *one ? exec_scalar(A->rt, v->node, out) : ARR_OK;
}

static Status want(State *A, Status kind, const char *what, const char *wanted, const Value *v,
                   const char *remedy) {
    char text[SHAPE_TEXT];
    value_describe(v, text);
    return error_set(&A->cx, kind, SPAN_NONE, "%s must be %s, not %s%s", what, wanted, text,
                     remedy);
}

Status value_to_int(State *A, const char *what, const Value *v, int64_t *out) {
    static const char wanted[] = "an integer";
    switch (v->kind) {
    case V_INT: *out = v->i; return ARR_OK;
    case V_BOOL: *out = v->b; return ARR_OK;
    case V_UINT:
        return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "%s is %llu, beyond the largest integer",
                         what, (unsigned long long)v->u);
    case V_FLOAT: return want(A, ARR_ERR_TYPE, what, wanted, v, ": write int(x), or // for /");
    case V_ARRAY: break;
    default: return want(A, ARR_ERR_TYPE, what, wanted, v, "");
    }
    DKind k = dtype_kind((DType)v->node->dtype);
    if (k == DK_FLOAT || k == DK_COMPLEX) {
        return want(A, ARR_ERR_TYPE, what, wanted, v, ": write int(x)");
    }
    bool one;
    Scalar s;
    TRY(one_element(A, v, &one, &s));
    if (!one) return want(A, ARR_ERR_SHAPE, what, "one integer", v, "");
    if (s.kind == SC_UINT && s.u > INT64_MAX) {
        return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "%s is %llu, beyond the largest integer",
                         what, (unsigned long long)s.u);
    }
    *out = s.kind == SC_BOOL ? s.b : s.kind == SC_UINT ? (int64_t)s.u : s.i;
    return ARR_OK;
}

Status value_to_bool(State *A, const char *what, const Value *v, bool *out) {
    if (v->kind == V_BOOL) {
        *out = v->b;
        return ARR_OK;
    }
    static const char wanted[] = "one boolean";
    if (v->kind != V_ARRAY) {
        bool number = value_is_scalar(v);
        const char *remedy = number                                   ? ": write x != 0"
                             : v->kind == V_NONE                      ? ": write x != none"
                             : v->kind == V_STR || v->kind == V_TUPLE ? ": write len(x) > 0"
                                                                      : "";
        return want(A, ARR_ERR_TYPE, what, wanted, v, remedy);
    }
    if (node_size(v->node) != 1) {
        return want(A, ARR_ERR_TYPE, what, wanted, v,
                    v->node->dtype == DT_bool
                        ? ": use any(x) or all(x), or where(x, a, b) and & | ~ element by element"
                        : ": compare it, then use any(x) or all(x), or where(x, a, b)");
    }
    if (v->node->dtype != DT_bool) {
        return want(A, ARR_ERR_TYPE, what, wanted, v, ": write x != 0");
    }
    Scalar s;
    TRY(exec_scalar(A->rt, v->node, &s));
    *out = s.b;
    return ARR_OK;
}

Status value_to_float(State *A, const char *what, const Value *v, double *out) {
    Scalar s;
    if (v->kind == V_ARRAY) {
        bool one;
        TRY(one_element(A, v, &one, &s));
        if (!one) return want(A, ARR_ERR_SHAPE, what, "one number", v, "");
    } else if (value_is_scalar(v)) {
        TRY(value_to_scalar(A, what, v, &s));
    } else {
        return want(A, ARR_ERR_TYPE, what, "a number", v,
                    v->kind == V_STR ? ": write float(x)" : "");
    }
    switch (s.kind) {
    case SC_BOOL: *out = s.b; break;
    case SC_INT: *out = (double)s.i; break;
    case SC_UINT: *out = (double)s.u; break;
    case SC_FLOAT: *out = s.f; break;
    default: return want(A, ARR_ERR_TYPE, what, "a real number", v, ": use real(x) or abs(x)");
    }
    return ARR_OK;
}

static Status range_to_node(State *A, const RangeObj *r, Node **out) {
    Runtime *rt = A->rt;
    int64_t n = range_len(r);
    Shape s = shape_make(1, &n);
    Node *flat = NULL, *scaled = NULL;
    Status st = graph_iota(rt, &s, &flat);
    if (st == ARR_OK) {
        Operand args[2] = {{.node = flat}, {.s = {.kind = SC_INT, .i = r->step}}};
        st = graph_apply(rt, OP_mul, args, 2, &scaled);
    }
    if (st == ARR_OK) {
        Operand args[2] = {{.node = scaled}, {.s = {.kind = SC_INT, .i = r->start}}};
        st = graph_apply(rt, OP_add, args, 2, out);
    }
    node_release(rt, flat);
    node_release(rt, scaled);
    return st;
}

Status value_to_node(State *A, const char *what, const Value *v, Node **out) {
    switch (v->kind) {
    case V_ARRAY: *out = node_retain(v->node); return ARR_OK;
    case V_BOOL:
    case V_INT:
    case V_UINT:
    case V_FLOAT:
    case V_COMPLEX: {
        Scalar s;
        TRY(value_to_scalar(A, what, v, &s));
        Shape zero = shape_make(0, NULL);
        return graph_full(A->rt, array_default_dtype(A, v), &zero, &s, out);
    }
    case V_RANGE: return range_to_node(A, v->range, out);
    case V_TUPLE: {
        ArrayParts parts = {.items = v->tuple->items,
                            .n = v->tuple->n,
                            .what = what,
                            .shape = {.rank = 1, .dim = {v->tuple->n}},
                            .dtype = DT_COUNT};
        return array_build(A, &parts, out);
    }
    default: break;
    }
    return want(A, ARR_ERR_TYPE, what, "an array", v, "");
}

Status value_to_operand(State *A, const char *what, const Value *v, Operand *out) {
    *out = (Operand){0};
    if (v->kind == V_ARRAY) {
        out->node = v->node;
        return ARR_OK;
    }
    return value_to_scalar(A, what, v, &out->s);
}
