/* builtin_values - functions of values: print, text, lengths, conversions to scalars, ranges,
 * records.
 *
 * Callers: the binder. Functions that walk over elements (map, zip, ...) are in builtin_walk.c.
 * Invariant: only print, str, repr, format and the conversions force. */
#include "interp/builtin_walk.h"
#include "interp/eval.h"
#include "interp/api_limits.h"
#include "interp/ops_scalar.h"
#include "runtime/base/numtext.h"
#include "runtime/exec.h"

#include <math.h>
#include <string.h>

/* ---- text ---- */

static Status values_print(State *A, const Value *args, Value *out) {
    (void)out;
    const char *sep, *end;
    size_t nsep, nend;
    TRY(arg_str(A, "print: sep", &args[1], &sep, &nsep));
    TRY(arg_str(A, "print: end", &args[2], &end, &nend));
    Buf b;
    buf_init(&b, &A->cx);
    Status st = ARR_OK;
    const Tuple *t = args[0].tuple;
    for (uint32_t i = 0; i < t->n && st == ARR_OK; i++) {
        if (i > 0) buf_add(&b, sep, nsep);
        st = value_format(A, &t->items[i], false, &b);
    }
    buf_add(&b, end, nend);
    if (st == ARR_OK) st = buf_status(&b);
    if (st == ARR_OK) st = state_write(A, b.data, b.len);
    buf_free(&b);
    return st;
}

static Status text_of(State *A, const Value *v, bool repr, const char *spec, size_t n, Value *out) {
    Buf b;
    buf_init(&b, &A->cx);
    Status st = spec ? value_format_spec(A, v, spec, n, &b) : value_format(A, v, repr, &b);
    if (st == ARR_OK) st = buf_status(&b);
    if (st == ARR_OK) st = value_str(A, buf_text(&b), b.len, out);
    buf_free(&b);
    return st;
}

static Status values_str(State *A, const Value *args, Value *out) {
    return text_of(A, &args[0], false, NULL, 0, out);
}

static Status values_repr(State *A, const Value *args, Value *out) {
    return text_of(A, &args[0], true, NULL, 0, out);
}

static Status values_format(State *A, const Value *args, Value *out) {
    const char *spec;
    size_t n;
    TRY(arg_str(A, "format: spec", &args[1], &spec, &n));
    return text_of(A, &args[0], false, spec, n, out);
}

static Status values_kind(State *A, const Value *args, Value *out) {
    const char *name = value_kind_name(args[0].kind);
    return value_str(A, name, strlen(name), out);
}

/* The kinds that a program may raise by their names. */
static Status error_kind(State *A, const Value *v, Status *kind) {
    static const Status kinds[] = {ARR_ERR_USER,  ARR_ERR_TYPE,  ARR_ERR_DTYPE,    ARR_ERR_SHAPE,
                                   ARR_ERR_INDEX, ARR_ERR_VALUE, ARR_ERR_ARGUMENT, ARR_ERR_IO};
    const char *word;
    size_t n;
    TRY(arg_str(A, "error: kind", v, &word, &n));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(word, arr_status_name(kinds[i])) != 0) continue;
        *kind = kinds[i];
        return ARR_OK;
    }
    return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE,
                     "error: kind must be user, type, dtype, shape, index, value, argument or io, "
                     "not \"%s\"",
                     word);
}

static Status values_error(State *A, const Value *args, Value *out) {
    (void)out;
    Status kind = ARR_ERR_USER;
    TRY(error_kind(A, &args[1], &kind));
    Buf b;
    buf_init(&b, &A->cx);
    Status st = value_format(A, &args[0], false, &b);
    if (st == ARR_OK) st = error_set(&A->cx, kind, SPAN_NONE, "%s", buf_text(&b));
    buf_free(&b);
    return st;
}

/* ---- lengths and bytes ---- */

static Status values_len(State *A, const Value *args, Value *out) {
    const Value *v = &args[0];
    switch (v->kind) {
    case V_STR: *out = value_int(v->str->count); return ARR_OK;
    case V_TUPLE: *out = value_int(v->tuple->n); return ARR_OK;
    case V_RECORD: *out = value_int(v->record->n); return ARR_OK;
    case V_RANGE: *out = value_int(range_len(v->range)); return ARR_OK;
    case V_ARRAY:
        if (v->node->shape.rank == 0) break;
        *out = value_int(v->node->shape.dim[0]);
        return ARR_OK;
    default: break;
    }
    char text[SHAPE_TEXT];
    value_describe(v, text);
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE, "%s has no length%s", text,
                     value_is_number(v) ? ": it has no axes" : "");
}

static Status values_bytes(State *A, const Value *args, Value *out) {
    const Value *v = &args[0];
    Node *n;
    if (v->kind == V_STR) {
        Shape s = shape_make(1, (int64_t[]){v->str->len});
        TRY(graph_host(A->rt, DT_u8, &s, v->str->text, &n));
        *out = value_node(n);
        return ARR_OK;
    }
    Node *x;
    TRY(value_to_node(A, "bytes: x", v, &x));
    int64_t size = node_size(x) * (int64_t)dtype_size((DType)x->dtype);
    char *data = mem_alloc(&A->cx.mem, (size_t)size + 1);
    Status st = data ? exec_read(A->rt, x, data) : error_memory(&A->cx, (size_t)size);
    Shape s = shape_make(1, &size);
    if (st == ARR_OK) st = graph_host(A->rt, DT_u8, &s, data, &n);
    if (st == ARR_OK) *out = value_node(n);
    mem_free(&A->cx.mem, data, (size_t)size + 1);
    node_release(A->rt, x);
    return st;
}

/* ---- scalars ---- */

/* A number or one-element array as a scalar value; text is parsed by the caller. */
static Status one_number(State *A, const char *what, const Value *v, Value *out) {
    if (value_is_scalar(v)) {
        *out = *v;
        return ARR_OK;
    }
    char text[SHAPE_TEXT];
    if (v->kind != V_ARRAY || node_size(v->node) != 1) {
        value_describe(v, text);
        return error_set(&A->cx, v->kind == V_ARRAY ? ARR_ERR_SHAPE : ARR_ERR_TYPE, SPAN_NONE,
                         "%s needs one number%s, not %s%s", what,
                         v->kind == V_ARRAY ? "" : " or text", text,
                         v->kind == V_ARRAY ? ": a dtype casts an array, i64(x), f64(x)" : "");
    }
    Scalar s;
    TRY(exec_scalar(A->rt, v->node, &s));
    *out = value_from_scalar(s);
    return ARR_OK;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static void trim(const char **s, size_t *n) {
    while (*n && is_blank(**s)) ++*s, --*n;
    while (*n && is_blank((*s)[*n - 1])) --*n;
}

static Status bad_text(State *A, const char *what, const Str *s) {
    return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "%s cannot read '%.40s'", what, s->text);
}

static Status values_int(State *A, const Value *args, Value *out) {
    if (args[0].kind == V_STR) {
        const Str *s = args[0].str;
        const char *p = s->text;
        size_t n = s->len;
        int64_t i;
        trim(&p, &n);
        NumParse r = numtext_parse_i64(p, n, &i);
        if (r == NUM_RANGE) {
            return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "int: '%.40s' does not fit 64 bits",
                             s->text);
        }
        double d;
        if (r != NUM_OK && numtext_parse_f64(p, n, &d) == NUM_OK) {
            return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE,
                             "int: '%.40s' is no integer: write int(float(s))", s->text);
        }
        if (r != NUM_OK) return bad_text(A, "int", s);
        *out = value_int(i);
        return ARR_OK;
    }
    Value v;
    TRY(one_number(A, "int", &args[0], &v));
    switch (v.kind) {
    case V_BOOL: *out = value_int(v.b); return ARR_OK;
    case V_FLOAT: {
        double t = trunc(v.f);
        if (!(t >= -9223372036854775808.0 && t < 9223372036854775808.0)) {
            char text[NUMTEXT_REAL];
            numtext_repr(v.f, text);
            return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "int: %s does not fit 64 bits",
                             text);
        }
        *out = value_int((int64_t)t);
        return ARR_OK;
    }
    case V_COMPLEX:
        return error_set(&A->cx, ARR_ERR_DTYPE, SPAN_NONE,
                         "int: a complex number does not convert: use int(real(x))");
    default: *out = v; return ARR_OK;
    }
}

static Status values_float(State *A, const Value *args, Value *out) {
    double d;
    if (args[0].kind == V_STR) {
        const char *p = args[0].str->text;
        size_t n = args[0].str->len;
        trim(&p, &n);
        if (numtext_parse_f64(p, n, &d) != NUM_OK) return bad_text(A, "float", args[0].str);
        *out = value_float(d);
        return ARR_OK;
    }
    Value v;
    TRY(one_number(A, "float", &args[0], &v));
    if (v.kind == V_COMPLEX) {
        return error_set(&A->cx, ARR_ERR_DTYPE, SPAN_NONE,
                         "float: a complex number does not convert: use real(x)");
    }
    TRY(value_to_float(A, "float: x", &v, &d));
    *out = value_float(d);
    return ARR_OK;
}

static Status complex_part(State *A, const Value *v, Value *out) {
    TRY(one_number(A, "complex", v, out));
    if (out->kind == V_COMPLEX) return ARR_OK;
    double d;
    TRY(value_to_float(A, "complex: re", out, &d));
    *out = (Value){.kind = V_COMPLEX, .c = {d, 0}};
    return ARR_OK;
}

static Status values_complex(State *A, const Value *args, Value *out) {
    if (args[0].kind == V_STR) {
        const char *p = args[0].str->text;
        size_t n = args[0].str->len;
        Complex128 c;
        trim(&p, &n);
        if (numtext_parse_complex(p, n, &c) != NUM_OK) return bad_text(A, "complex", args[0].str);
        *out = (Value){.kind = V_COMPLEX, .c = c};
        return ARR_OK;
    }
    bool many = false;
    for (int i = 0; i < 2; i++) many |= args[i].kind == V_ARRAY && node_size(args[i].node) != 1;
    if (many) return apply_op(A, OP_make_complex, args, 2, out);
    Value re, im;
    TRY(complex_part(A, &args[0], &re));
    TRY(complex_part(A, &args[1], &im)); /* re + im * 1j */
    *out = (Value){.kind = V_COMPLEX, .c = {re.c.re - im.c.im, re.c.im + im.c.re}};
    return ARR_OK;
}

/* ---- ranges and slices ---- */

static Status values_range(State *A, const Value *args, Value *out) {
    int64_t start = 0, stop, step;
    bool two = args[1].kind != V_NONE;
    if (two) TRY(value_to_int(A, "range: start", &args[0], &start));
    TRY(value_to_int(A, "range: stop", &args[two], &stop));
    TRY(value_to_int(A, "range: step", &args[2], &step));
    return value_range(A, start, stop, step, out);
}

static Status slice_part(State *A, const char *what, const Value *v, Value *out) {
    *out = VALUE_NONE;
    if (v->kind == V_NONE || v->kind == V_UNSET) return ARR_OK;
    int64_t i;
    TRY(value_to_int(A, what, v, &i));
    *out = value_int(i);
    return ARR_OK;
}

static Status values_slice(State *A, const Value *args, Value *out) {
    bool one = args[1].kind == V_UNSET; /* slice(hi), as in Python */
    SliceObj s = {.refs = 1};
    TRY(slice_part(A, "slice: lo", one ? &args[1] : &args[0], &s.lo));
    TRY(slice_part(A, "slice: hi", one ? &args[0] : &args[1], &s.hi));
    TRY(slice_part(A, "slice: step", &args[2], &s.step));
    SliceObj *p = mem_alloc(&A->cx.mem, sizeof *p);
    if (!p) return error_memory(&A->cx, sizeof *p);
    *p = s;
    *out = (Value){.kind = V_SLICE, .slice = p};
    return ARR_OK;
}

/* ---- records ---- */

static Status pair_name(State *A, const Value *v, Symbol *out) {
    if (v->kind != V_STR || v->str->len == 0) {
        char text[SHAPE_TEXT];
        value_describe(v, text);
        return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE,
                         "record: a field's name must be a string that is not empty, not %s", text);
    }
    *out = symbol_intern(A, v->str->text, v->str->len);
    return *out < 0 ? ARR_ERR_MEMORY : ARR_OK;
}

/* A tuple of (name, value) pairs. */
static Status record_of_pairs(State *A, const Tuple *t, Value *out) {
    TRY(value_record(A, 0, out));
    for (uint32_t i = 0; i < t->n; i++) {
        const Value *pair = &t->items[i];
        Symbol name = -1;
        Value more;
        Status st = state_step(A, 1 + out->record->n); /* each is a copy of what there is */
        if (st != ARR_OK) {
            /* told below */
        } else if (pair->kind != V_TUPLE || pair->tuple->n != 2) {
            st = error_set(
                &A->cx, ARR_ERR_TYPE, SPAN_NONE,
                "record: a tuple must hold (name, value) pairs: record(zip(names, values))");
        }
        if (st == ARR_OK) st = pair_name(A, &pair->tuple->items[0], &name);
        if (st == ARR_OK) st = record_with(A, out->record, name, &pair->tuple->items[1], &more);
        value_release(A, *out);
        *out = VALUE_NONE;
        TRY(st);
        *out = more;
    }
    return ARR_OK;
}

static Status record_base(State *A, const Tuple *base, Value *out) {
    if (base->n == 0) return value_record(A, 0, out);
    const Value *v = &base->items[0];
    if (base->n > 1) {
        return error_set(
            &A->cx, ARR_ERR_ARGUMENT, SPAN_NONE,
            "record takes one record or tuple of pairs before its fields, %u are given", base->n);
    }
    if (v->kind == V_TUPLE) return record_of_pairs(A, v->tuple, out);
    if (v->kind == V_RECORD) {
        *out = value_retain(*v);
        return ARR_OK;
    }
    char text[SHAPE_TEXT];
    value_describe(v, text);
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE,
                     "record needs a record, a tuple of pairs or named fields, not %s", text);
}

static Status values_record(State *A, const Value *args, Value *out) {
    TRY(record_base(A, args[0].tuple, out));
    const Record *named = args[1].record;
    for (uint32_t i = 0; i < named->n; i++) {
        Value more;
        Status st =
            record_with(A, out->record, named->fields[i].name, &named->fields[i].value, &more);
        value_release(A, *out);
        *out = VALUE_NONE;
        TRY(st);
        *out = more;
    }
    return ARR_OK;
}

static Status values_fields(State *A, const Value *args, Value *out) {
    if (args[0].kind != V_RECORD) {
        char text[SHAPE_TEXT];
        value_describe(&args[0], text);
        return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE, "fields needs a record, not %s", text);
    }
    const Record *r = args[0].record;
    TRY(value_tuple(A, r->n, out));
    for (uint32_t i = 0; i < r->n; i++) {
        const char *name = symbol_text(A, r->fields[i].name);
        Status st = state_step(A, 1);
        if (st == ARR_OK) st = value_str(A, name, strlen(name), &out->tuple->items[i]);
        if (st == ARR_OK) continue;
        out->tuple->items[i] = VALUE_NONE;
        value_release(A, *out);
        *out = VALUE_NONE;
        return st;
    }
    return ARR_OK;
}

const BuiltinDef builtin_values[] = {
    {"print(values..., sep=\" \", end=\"\\n\")", values_print,
     "Writes values as text: arrays as NumPy's print does, booleans as true and false, none as "
     "none.\n"
     "Forces what it shows.\n"
     "  print([1, 2, 3] + 1, \"and\", 2.0) #=> [2 3 4] and 2.0"},
    {"str(x)", values_str, "The text that print shows.\n  str([1, 2]) + \"!\" #=> [1 2]!"},
    {"repr(x)", values_repr, "As str, strings in quotes.\n  repr(\"a\") #=> 'a'"},
    {"format(x, spec=\"\")", values_format,
     "The text of x by a spec of Python's format language, as in f\"{x:spec}\": fill, align, "
     "sign,\n"
     "width, `,`, precision and one of d b o x e f g % s. Numbers, one-element arrays and "
     "strings.\n"
     "  format(3.14159, \".2f\") #=> 3.14\n"
     "  format(42, \">6\") #=>     42"},
    {"len(x)", values_len,
     "Code points of a string, items of a tuple or record, numbers of a range, the first extent of "
     "an\n"
     "array.\n"
     "  len(\"abc\") #=> 3"},
    {"bytes(x)", values_bytes,
     "The bytes of a string (UTF-8) or of an array's elements in C order, as u8. Forces.\n"
     "  bytes(\"AB\") #=> [65 66]"},
    {"int(x)", values_int,
     "An integer scalar: of a number (truncated; nan and what does not fit 64 bits are errors), a\n"
     "one-element array, or decimal text. Forces.\n"
     "  int(2.9) #=> 2\n"
     "  int(\"-7\") #=> -7"},
    {"float(x)", values_float,
     "A 64-bit float scalar: of a real number, a one-element array, or decimal text. Forces.\n"
     "  float(\"1e-3\") #=> 0.001"},
    {"complex(re, im=0)", values_complex,
     "A complex scalar re + im * 1j, or one read from text; of arrays, a complex array.\n"
     "  complex(1, 2) #=> (1+2j)"},
    {"range(start, stop=none, step=1)", values_range,
     "The integers from start (0 if only one argument is given) up to stop, without it.\n"
     "  array(range(2, 8, 3)) #=> [2 5]"},
    {"slice(lo, hi=, step=none)", values_slice,
     "The index lo:hi:step as a value; slice(hi) is slice(none, hi).\n"
     "  arange(5)[slice(1, 4, 2)] #=> [1 3]"},
    {"record(base..., fields=...)", values_record,
     "A record of named fields; of another record, a changed copy; of (name, value) pairs.\n"
     "  record(x=1, y=2).y #=> 2\n"
     "  record(record(x=1), x=3) #=> record(x=3)\n"
     "  record(zip((\"a\", \"b\"), (1, 2))) #=> record(a=1, b=2)"},
    {"fields(r)", values_fields,
     "The names of a record's fields, a tuple of strings; r[name] is the field of a name.\n"
     "  fields(record(x=1, y=2)) #=> ('x', 'y')\n"
     "  record(x=1, y=2)[\"y\"] #=> 2"},
    {"kind(x)", values_kind,
     "What kind of value x is: none bool int float complex string tuple record range slice "
     "function\n"
     "dtype module array.\n"
     "  kind(1.5) #=> float"},
    {"error(message, kind=\"user\")", values_error,
     "Stops with an error, which try catches. kind is user, type, dtype, shape, index, value,\n"
     "argument or io.\n"
     "  error(\"diverged\") #! user: diverged\n"
     "  error(\"n is 0\", \"value\") #! value: n is 0"},
    {"zip(values...)", walk_zip,
     "Tuples of the elements at one place; all of one length.\n"
     "  zip((1, 2), \"ab\") #=> ((1, 'a'), (2, 'b'))"},
    {"enumerate(x, start=0)", walk_enumerate,
     "Tuples of a number and an element.\n  enumerate(\"ab\") #=> ((0, 'a'), (1, 'b'))"},
    {"map(f, values...)", walk_map,
     "f of each element (of the elements at one place), as a tuple; of a record, a record.\n"
     "  map(fn(x) = x * x, (1, 2, 3)) #=> (1, 4, 9)"},
    {"filter(f, x)", walk_filter,
     "The elements for which f is true, as a tuple.\n"
     "  filter(fn(x) = x > 1, (1, 2, 3)) #=> (2, 3)"},
    {"sorted(x, key=none, descending=false)", walk_sorted,
     "The elements in order, as a tuple; stable. key: a function of an element whose values are\n"
     "compared. Numbers, strings, and tuples of those.\n"
     "  sorted((3, 1, 2)) #=> (1, 2, 3)\n"
     "  sorted((\"bb\", \"a\"), key=len) #=> ('a', 'bb')"},
    {NULL, NULL, NULL},
};
