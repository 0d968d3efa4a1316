/* builtin - functions written in C that are not ops: one row each, bound by their signature.
 *
 * The signature text is the single source for argument binding, error messages and help:
 *     "full(shape, value, dtype=none)"      parameters in order; `=literal` (none true false 1 1.5
 *     "zeros(shape..., dtype=none)"          "text" axis names) is the default
 *     "print(values..., sep=\" \", end=\"\\n\")"
 * `name...` collects the remaining positional arguments in a tuple; parameters after it are given
 * by name. `name=` without literal is optional and arrives as V_UNSET. `name=...` (last) collects
 * the named arguments that no parameter has, as a record (without fields if there are none). The
 * binder has checked count and names before fn runs: args[] holds one Value per parameter,
 * borrowed. *out is a new reference (V_NONE where nothing is returned; set beforehand). Errors:
 * cx->span is the call's span. */
#ifndef ARR_BUILTIN_H
#define ARR_BUILTIN_H

#include "interp/value.h"

typedef Status (*BuiltinFn)(State *A, const Value *args, Value *out);

enum { BUILTIN_MAX_PARAMS = 12 };

struct BuiltinDef {
    const char *sig;
    BuiltinFn fn;
    const char *help; /* "\n"-separated: what, shapes, dtypes, errors; examples "  expr #=> text" */
};

/* The families, each a table that ends with a NULL sig: builtin_make.c ... */
extern const BuiltinDef builtin_make[];   /* zeros, eye, diag, ... */
extern const BuiltinDef builtin_grid[];   /* arange, linspace, meshgrid, ... */
extern const BuiltinDef builtin_random[]; /* seed, rand, randn, ... */
extern const BuiltinDef builtin_reduce[]; /* sum, mean, argmax, ... */
extern const BuiltinDef builtin_stats[];  /* median, quantile, norm, cov, softmax, nansum, ... */
extern const BuiltinDef builtin_scan[];   /* cumsum, diff, gradient, segment_sum, ... */
extern const BuiltinDef builtin_shape[];  /* reshape, transpose, squeeze, flip, ... */
extern const BuiltinDef builtin_join[];   /* concat, stack, split, tile, ... */
extern const BuiltinDef builtin_pad[];    /* pad */
extern const BuiltinDef builtin_take[];   /* take, put_along_axis, add_at, ... */
extern const BuiltinDef builtin_search[]; /* sort, argsort, nonzero, searchsorted, ... */
extern const BuiltinDef builtin_sets[];   /* unique, isin, bincount, histogram, ... */
extern const BuiltinDef builtin_math[];   /* round, clip, divmod, ...: elementwise but not ops */
extern const BuiltinDef builtin_linalg[]; /* matmul, dot, norm, ... */
extern const BuiltinDef builtin_files[];  /* load, save, exists */
extern const BuiltinDef builtin_values[]; /* print, format, len, int, range, map, record, ... */
extern const BuiltinDef builtin_text[];   /* split, join, ... */
extern const BuiltinDef builtin_kernel[]; /* cuda_kernel */
extern const BuiltinDef builtin_system[]; /* time, bench, device, sync, eval, explain, exit, help */

extern const BuiltinDef builtin_library[]; /* for stdlib/ alone: found, but listed nowhere */

/* The builtin of that name (tables above, then NAME-level op rows): V_BUILTIN, or V_UNSET. */
Value builtin_find(State *A, const char *name, size_t n);
/* The i-th builtin, ops included, NULL past the end (completion, suggestions, help). */
const BuiltinDef *builtin_at(size_t i);
/* The length of the name at the start of a signature. */
size_t builtin_name_length(const BuiltinDef *def);

/* For functions: numbers in, applied through the graph or, all scalars, in 64 bits. */
Status apply_op(State *A, Op op, const Value *args, int n, Value *out);

/* Put the function's name before the pending error's message, unless it is in there. */
void name_error(State *A, const char *fn);

/* Shared argument readers; errors name the parameter. */
/* Extents from integers, one tuple, or a 1-d integer array; a trailing dtype in the tuple is taken
 * off into *dtype when dtype is not NULL (zeros(3, 3, f32)). */
Status arg_shape(State *A, const char *what, const Value *v, Shape *out, DType *dtype);
/* none, an integer, or a tuple of integers -> bit mask over `rank` axes (none: all). */
Status arg_axes(State *A, const char *what, const Value *v, int rank, uint32_t *mask);
Status arg_axis(State *A, const char *what, const Value *v, int rank, int *axis);
Status arg_dtype(State *A, const char *what, const Value *v, DType dflt, DType *out);
Status arg_str(State *A, const char *what, const Value *v, const char **text, size_t *n);
/* Something that can be called. */
Status arg_function(State *A, const char *what, const Value *v);
Status arg_flag(State *A, const char *what, const Value *v, bool *out);

/* Indexing, shared by eval and take-like functions (interp/index.c): x[items...] and the value that
 * x becomes by x[items...] = e. */
Status index_read(State *A, const Value *x, const Value *items, int n, Value *out);
Status index_assign(State *A, const Value *x, const Value *items, int n, const Value *e,
                    Value *out);
/* The same at once, in the array's own memory, for one element that is there: if the `refs`
 * references of the caller are the only ones to the array. false: nothing has been done. */
bool index_store(State *A, const Value *x, uint32_t refs, const Value *items, int n,
                 const Value *e);

#endif
