/* builtin_library - what the functions of stdlib/ check their arguments with.
 *
 * Callers: the functions of stdlib, by a name that no list or suggestion shows. A function of the
 * library that hands an argument on would be refused in the words of the callee; here it is refused
 * under the name of the function that was called and of its own parameter. */
#include "interp/builtin_util.h"

#include <string.h>

typedef enum Wanted {
    ARRAY,
    NUMBER,
    REAL,
    FLOATS,
    FLAG,
    MASK,
    INTEGER,
    FLOAT,
    AXES,
    WANTED
} Wanted;

static const char *const wanted_names[WANTED] = {"array", "number",  "real",  "floats", "flag",
                                                 "mask",  "integer", "float", "axes"};

/* The function that runs, without a private helper's leading _. */
static const char *running(const State *A) {
    const Frame *f = A->frame;
    const char *name = f && f->self ? symbol_text(A, f->self->name) : "";
    return name[0] == '_' ? name + 1 : name;
}

static Value as_mask(Calc *c, const char *what, const Value *v) {
    Value m = v->kind == V_BOOL ? *v : calc_array(c, what, v);
    if (!calc_ok(c) || calc_type(c, m) == DT_bool) return m;
    char text[SHAPE_TEXT];
    calc_describe(m, text);
    return calc_fail(c, ARR_ERR_DTYPE, "%s must be booleans, not %s", what, text);
}

static Value as_real(Calc *c, const char *what, const Value *v) {
    Value x = calc_number(c, what, v);
    if (calc_ok(c) && dtype_is_complex(calc_type(c, x))) calc_real(c, what, &x); /* refuses */
    return x;
}

/* Real numbers of a float dtype: integers become the default one, so that unsigned ones cannot
 * wrap. */
static Value as_floats(Calc *c, const char *what, const Value *v) {
    Value x = as_real(c, what, v);
    if (!calc_ok(c) || dtype_kind(calc_type(c, x)) >= DK_FLOAT) return x;
    if (x.kind != V_ARRAY) return value_float(calc_float(c, what, &x));
    return calc_cast(c, x, calc_float_type(c, x));
}

/* none, an integer or a tuple; which axes there are is the reduction's to say. */
static Value as_axes(Calc *c, const char *what, const Value *v) {
    if (v->kind == V_NONE || v->kind == V_TUPLE) return *v;
    return value_int(calc_int(c, what, v));
}

static Status library_argument(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, running(A));
    const char *what = calc_str(&c, "name", &args[1]);
    Value r = VALUE_UNSET;
    switch ((Wanted)calc_choice(&c, "kind", &args[2], wanted_names, WANTED)) {
    case ARRAY: r = calc_array(&c, what, &args[0]); break;
    case NUMBER: r = calc_number(&c, what, &args[0]); break;
    case REAL: r = as_real(&c, what, &args[0]); break;
    case FLOATS: r = as_floats(&c, what, &args[0]); break;
    case AXES: r = as_axes(&c, what, &args[0]); break;
    case FLAG: r = value_bool(calc_flag(&c, what, &args[0])); break;
    case MASK: r = as_mask(&c, what, &args[0]); break;
    case INTEGER: r = value_int(calc_int(&c, what, &args[0])); break;
    case FLOAT: r = value_float(calc_float(&c, what, &args[0])); break;
    default: break;
    }
    return calc_done(&c, r, out);
}

const BuiltinDef builtin_library[] = {
    {"_argument(x, name, kind=\"array\")", library_argument,
     "x, checked to be what the parameter of that name of the running function needs."},
    {NULL, NULL, NULL},
};
