/* eval - the tree walk: expressions to values, statements to effects on a frame.
 * Callers: api (chunks), module (files), call.c (function bodies). */
#ifndef ARR_EVAL_H
#define ARR_EVAL_H

#include "interp/resolve.h"
#include "interp/state.h"

/* What a statement did to the flow of control. */
typedef enum Flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } Flow;

/* An expression's value: *out is a new reference on ARR_OK and untouched otherwise. */
Status eval(State *A, Frame *f, AstNode *n, Value *out);
/* A block's statements. FLOW_RETURN: f->result is the value. */
Status exec_block(State *A, Frame *f, AstNode *block, Flow *flow);

/* ---- parts, by file ---- */

/* eval.c: a list literal, its numbers converted to d at once (DT_COUNT: what they promote to). */
Status eval_list(State *A, Frame *f, AstNode *n, DType d, Value *out);
/* The items of an index as values on the stack, until index_items_free (in reverse order); slices
 * written lo:hi live on the stack too and must not be retained. */
Status eval_index_items(State *A, Frame *f, AstNode *n, Value **items, int *count, size_t *taken);
void index_items_free(State *A, Value *items, int count, size_t taken);
/* index_read, where a tuple as the only item stands for its parts. */
Status index_get(State *A, const Value *x, const Value *items, int n, Value *out);
/* The function that a FN or FNDEF makes here, with what it captures. */
Status eval_fn(State *A, Frame *f, AstNode *n, Value *out);
/* One boolean: the condition of if, while, assert. */
Status eval_test(State *A, Frame *f, AstNode *n, bool *out);
Status eval_name(State *A, Frame *f, AstName *name, Value *out);
/* The variable behind a name: NULL if it is not bound. */
Value *frame_variable(Frame *f, const AstName *name);
/* The error for a name without value. */
Status eval_unbound(State *A, Frame *f, const AstName *name);
/* Where a name of the running code was bound; SPAN_NONE if it is not. */
Span frame_bound(const Frame *f, Symbol name);
/* Bind a name (takes v). */
void frame_bind(State *A, Frame *f, const AstName *name, Value v);

/* eval_ops.c: one operator on two values; all kinds. */
Status eval_binary(State *A, Op op, const Value *a, const Value *b, Value *out);
Status eval_unary(State *A, Op op, const Value *a, Value *out);
Status eval_in(State *A, const Value *a, const Value *b, bool *out);
/* `==` of containers, arrays inside compared (and forced). */
Status eval_equal(State *A, const Value *a, const Value *b, bool *out);
/* Add "a: f32[3], b: f32[4]" to the pending error. text: the operands' source. */
void eval_note_operands(State *A, Span left, const Value *a, Span right, const Value *b);

void eval_note_values(State *A, const Span *spans, const Value *const *values, int n);

/* eval_call.c */
Status eval_call(State *A, Frame *f, AstNode *n, Value *out);
/* eval_field.c: x.name as a value. */
Status eval_field(State *A, const Value *x, Symbol name, Value *out);
/* The member or field of a module or record: NULL if x is neither or has none. */
const Value *field_member(State *A, const Value *x, Symbol name);
/* The name in r["name"], an index of a record. */
Status field_index(State *A, const Value *items, int n, Symbol *out);
/* r with one field set, as a new record. */
Status record_with(State *A, const Record *r, Symbol name, const Value *v, Value *out);

/* eval_assign.c */
Status exec_assign(State *A, Frame *f, AstNode *n);
Status exec_opassign(State *A, Frame *f, AstNode *n);
/* Bind target(s) to v (borrowed). */
Status bind_target(State *A, Frame *f, AstNode *target, const Value *v);

/* A walk over the elements of a value: for, unpacking, map, zip. */
typedef struct Iter {
    Value of; /* borrowed: the caller keeps it */
    int64_t i, n;
    size_t byte; /* strings */
} Iter;
/* ARR_ERR_TYPE where v has no elements: `what` names the place. */
Status iter_begin(State *A, const char *what, const Value *v, Iter *it);
/* The next element; *more false at the end. */
Status iter_next(State *A, Iter *it, bool *more, Value *out);

/* format_value.c: a value by a format spec, as in f"{v:spec}". */
Status value_format_spec(State *A, const Value *v, const char *spec, size_t n, Buf *out);

/* ---- calls (call.c) ---- */

/* Arguments on the value stack: npos values, then nnamed pairs of a V_INT (the symbol) and a value.
 * A call may move values out (leaving V_UNSET). */
typedef struct CallArgs {
    Value *args;
    int npos, nnamed;
    Span at; /* of the call */
} CallArgs;
bool value_callable(const Value *v);
Status call_value(State *A, const Value *callee, const CallArgs *ca, Value *out);
/* The same with n borrowed positional arguments. */
Status call_values(State *A, const Value *callee, const Value *args, int n, Value *out);

#endif
