/* value - the language's values: small tagged structs, counted objects behind them.
 *
 * Values are immutable for everybody who can see them; a counted object may be changed in place
 * only while its count is 1. Copying a Value by assignment borrows; value_retain makes a new
 * reference; whoever holds a reference releases it. Freeing is bounded in stack: containers are
 * released by a loop. Callers: all of interp. */
#ifndef ARR_VALUE_H
#define ARR_VALUE_H

#include "runtime/graph.h"

typedef struct Str Str;
typedef struct Tuple Tuple;
typedef struct Record Record;
typedef struct Function Function;
typedef struct Module Module;
typedef struct SliceObj SliceObj;
typedef struct RangeObj RangeObj;
typedef struct BuiltinDef BuiltinDef;

typedef enum ValueKind {
    V_UNSET, /* no value: a parameter that was not given. Never visible to a program */
    V_NONE,
    V_BOOL,
    V_INT,
    V_UINT,
    V_FLOAT,
    V_COMPLEX, /* scalars */
    V_DTYPE,
    V_ELLIPSIS,
    V_STR,
    V_TUPLE,
    V_RECORD,
    V_RANGE,
    V_SLICE,
    V_FN,
    V_BUILTIN,
    V_MODULE,
    V_ARRAY
} ValueKind;

typedef struct Value {
    ValueKind kind;
    union {
        bool b;
        int64_t i;
        uint64_t u; /* V_UINT: 2^63 .. 2^64-1 */
        double f;
        Complex128 c;
        DType dtype;
        Str *str;
        Tuple *tuple;
        Record *record;
        RangeObj *range;
        SliceObj *slice;
        Function *fn; /* user functions and host functions */
        const BuiltinDef *builtin;
        Module *module;
        Node *node; /* V_ARRAY */
    };
} Value;

struct Str { /* UTF-8, NUL-terminated */
    uint32_t refs;
    uint32_t len;   /* bytes */
    uint32_t count; /* code points */
    char text[];
};

struct Tuple {
    uint32_t refs;
    uint32_t n;
    Tuple *trash; /* list of containers about to be freed */
    Value items[];
};

typedef int32_t Symbol; /* interned name, see state.h */

struct Record {
    uint32_t refs;
    uint32_t n;
    Record *trash;
    struct {
        Symbol name;
        Value value;
    } fields[];
};

struct RangeObj {
    uint32_t refs;
    int64_t start, stop, step;
};

struct SliceObj {
    uint32_t refs;
    Value lo, hi, step; /* V_NONE or integers (0-d arrays were forced) */
};

typedef struct arr_state State;

#define VALUE_NONE ((Value){.kind = V_NONE})
#define VALUE_UNSET ((Value){.kind = V_UNSET})
static inline Value value_bool(bool b) { return (Value){.kind = V_BOOL, .b = b}; }
static inline Value value_int(int64_t i) { return (Value){.kind = V_INT, .i = i}; }
static inline Value value_float(double f) { return (Value){.kind = V_FLOAT, .f = f}; }
static inline Value value_dtype(DType d) { return (Value){.kind = V_DTYPE, .dtype = d}; }
static inline Value value_node(Node *n) { return (Value){.kind = V_ARRAY, .node = n}; } /* takes */
static inline bool value_is_scalar(const Value *v) {
    return v->kind >= V_BOOL && v->kind <= V_COMPLEX;
}
static inline bool value_is_number(const Value *v) {
    return value_is_scalar(v) || v->kind == V_ARRAY;
}

Value value_retain(Value v);
void value_release(State *A, Value v);
/* "a string", "f32[3,4]", "int": for messages. out holds SHAPE_TEXT bytes. */
void value_describe(const Value *v, char out[SHAPE_TEXT]);
const char *value_kind_name(ValueKind k); /* what kind(x) answers */

Status value_str(State *A, const char *utf8, size_t n, Value *out); /* copies; valid UTF-8 */
/* The string of both, one after the other. */
Status value_str2(State *A, const char *a, size_t na, const char *b, size_t nb, Value *out);
Status value_tuple(State *A, uint32_t n,
                   Value *out); /* n items V_NONE, to be filled by the caller */
Status value_record(State *A, uint32_t n, Value *out); /* n fields, names and values to be filled */
/* The field of that name, borrowed; NULL if there is none. */
const Value *record_find(const Record *r, Symbol name);
/* A function that calls def with n captured arguments (retained) before the call's own. */
Status function_bound(State *A, const BuiltinDef *def, const char *name, const Value *captured,
                      uint32_t n, Value *out);
Status value_range(State *A, int64_t start, int64_t stop, int64_t step, Value *out);
int64_t range_len(const RangeObj *r);

/* Conversions used everywhere; errors name `what` (a parameter) and the value. */
Status value_to_scalar(State *A, const char *what, const Value *v, Scalar *out); /* scalars only */
Value value_from_scalar(Scalar s);
/* An integer, or a one-element integer or bool array (forced). */
Status value_to_int(State *A, const char *what, const Value *v, int64_t *out);
/* One boolean, for conditions; integers and larger arrays are errors that say what to write. */
Status value_to_bool(State *A, const char *what, const Value *v, bool *out);
Status value_to_float(State *A, const char *what, const Value *v, double *out);
/* A node: arrays are retained; scalars become 0-d (i64, default float, c128/c64, bool); tuples and
 * ranges of numbers become arrays. */
Status value_to_node(State *A, const char *what, const Value *v, Node **out);
/* An operand of graph_apply: weak scalar or borrowed node. */
Status value_to_operand(State *A, const char *what, const Value *v, Operand *out);
/* `==` of values that are no arrays: one boolean. */
bool value_equal(const Value *a, const Value *b);

/* print's text of a value (repr false) or as inside a tuple (true: strings quoted). Forces. */
Status value_format(State *A, const Value *v, bool repr, Buf *out);

#endif
