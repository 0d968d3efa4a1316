/* arr.h - the public interface of libarr, the embeddable array language.
 *
 * The only installed header: declarations only. A host opens a state, evaluates text in it, reads
 * and writes its variables, and closes it:
 *
 *     arr_state *A = NULL;
 *     if (arr_open(NULL, &A) == ARR_OK && arr_eval(A, "print(sum([1, 2, 3]))", "host") != ARR_OK)
 *         fputs(arr_error_text(A), stderr);
 *     arr_close(A);
 *
 * Threads: a state is used by one thread at a time; different states are independent. A call while
 * another thread's runs answers ARR_ERR_ARGUMENT and touches nothing; only arr_interrupt may come
 * from anywhere. After fork() the child may go on with a state that has used no GPU; one that has
 * answers ARR_ERR_DEVICE to all but arr_close and arr_value_free.
 * Ownership: every arr_value returned through an out-parameter belongs to the caller, who gives it
 * back with arr_value_free. Text returned as const char * belongs to the state (or the value) and
 * lives until the next call with the same state (or until the value is freed).
 * The library never exits, aborts, prints to stdio or reads the environment; what `print` writes
 * goes through the config's write callback. */
#ifndef ARR_H
#define ARR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ARR_VERSION_MAJOR 0
#define ARR_VERSION_MINOR 1
#define ARR_VERSION_PATCH 0

#if defined(__GNUC__)
#define ARR_API __attribute__((visibility("default")))
#else
#define ARR_API
#endif

/* Every call that can fail answers one of these; arr_status_name gives the word that `err.kind`
 * and the tests use ("shape", "syntax", ...). */
typedef enum arr_status {
    ARR_OK = 0,
    ARR_INCOMPLETE,    /* the text ends inside a statement: feed more (arr_parse_check) */
    ARR_ERR_SYNTAX,    /* text that is not Arr */
    ARR_ERR_NAME,      /* unknown name */
    ARR_ERR_TYPE,      /* wrong kind of value */
    ARR_ERR_DTYPE,     /* dtypes that do not combine, casts refused */
    ARR_ERR_SHAPE,     /* shapes that do not fit */
    ARR_ERR_INDEX,     /* index out of range */
    ARR_ERR_VALUE,     /* right kind, impossible value */
    ARR_ERR_ARGUMENT,  /* wrong count or name of arguments, NULL handles */
    ARR_ERR_IO,        /* files */
    ARR_ERR_MEMORY,    /* host or device memory */
    ARR_ERR_DEVICE,    /* GPU, driver, run-time libraries, kernel compiler */
    ARR_ERR_LIMIT,     /* a limit was reached (nesting, recursion, size) */
    ARR_ERR_INTERRUPT, /* arr_interrupt was called */
    ARR_ERR_ASSERT,    /* assert failed */
    ARR_ERR_USER,      /* error("...") */
    ARR_ERR_EXIT,      /* the program called exit(n): see arr_exit_code */
    ARR_ERR_INTERNAL   /* a fault in Arr itself */
} arr_status;

/* Element types, in the order of runtime/base/dtype.def. */
typedef enum arr_dtype {
    ARR_BOOL,
    ARR_I8,
    ARR_I16,
    ARR_I32,
    ARR_I64,
    ARR_U8,
    ARR_U16,
    ARR_U32,
    ARR_U64,
    ARR_F16,
    ARR_BF16,
    ARR_F32,
    ARR_F64,
    ARR_C64,
    ARR_C128
} arr_dtype;

typedef enum arr_kind {
    ARR_KIND_NONE,
    ARR_KIND_BOOL,
    ARR_KIND_INT,
    ARR_KIND_UINT,
    ARR_KIND_FLOAT,
    ARR_KIND_COMPLEX,
    ARR_KIND_STRING,
    ARR_KIND_TUPLE,
    ARR_KIND_RECORD,
    ARR_KIND_RANGE,
    ARR_KIND_SLICE,
    ARR_KIND_FUNCTION,
    ARR_KIND_DTYPE,
    ARR_KIND_ARRAY,
    ARR_KIND_MODULE,
    ARR_KIND_ELLIPSIS
} arr_kind;

typedef struct arr_state arr_state;
typedef struct arr_shared arr_shared;
typedef struct arr_value arr_value;

/* Which files a program may load, save, look for and import. */
enum { ARR_FILES_ALL, ARR_FILES_NONE, ARR_FILES_ROOTS };

/* Limits for programs that others wrote; 0 each: none. Reaching one is ARR_ERR_LIMIT, whose message
 * names the limit, its value and what to do; the state stays usable.
 *
 * seconds, operations and output_bytes count from the beginning of the host's outermost call
 * (arr_eval, arr_run_file, arr_call, ...; seconds in arr_open too). Once one is reached every step
 * fails until that call ends; `try` does not catch it. The others are the state's: a program may
 * catch them, and go on with less.
 *
 * An operation is a statement, a turn of a loop, a call, an item that a builtin works through, and
 * of array work each step of each element (of a product: each multiplication and addition). Work
 * that would pass the limit is not begun. host_bytes is what the state holds through its allocator
 * (libraries' own, as OpenBLAS's buffers, are not in it); what is only kept for later is given up
 * first. device_bytes is a GPU's memory for arrays (the driver's context is not in it). kernels are
 * texts given to the CUDA compiler; what the CPU keeps of programs is bounded anyway.
 *
 * Files: ARR_FILES_ROOTS allows those below the folders `roots`, which must be there; a path that
 * is not below one, or leaves it by `..` or a link, is refused. The script of arr_run_file and the
 * cache of kernels are the host's and not bound by it. Where any limit is set cuda_kernel is
 * refused unless allow_cuda_kernel: a kernel of its own reads and writes the process's GPU memory,
 * and nothing stops it.
 *
 * Time is seen within some 50 ms on the CPU; exceptions as for arr_interrupt. */
typedef struct arr_limits {
    size_t size; /* sizeof(arr_limits): ARR_LIMITS_INIT */
    uint64_t host_bytes, device_bytes;
    double seconds;
    uint64_t operations;
    uint32_t recursion;    /* nested calls of Arr functions; C's own stack is guarded in any case */
    uint64_t output_bytes; /* of print, explain, help; what fits is written */
    uint32_t kernels;
    int files; /* ARR_FILES_ALL, _NONE, _ROOTS */
    const char *const *roots;
    size_t nroots;
    int allow_cuda_kernel;
} arr_limits;
#define ARR_LIMITS_INIT \
    { sizeof(arr_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Where elements lie. */
typedef enum arr_place {
    ARR_PLACE_HOST, /* memory of this process */
    ARR_PLACE_CUDA  /* memory of a GPU */
} arr_place;

/* Elements in somebody's memory, with strides: what arrays are made from, read into and mapped as.
 * Nothing in it is owned by it. ARR_VIEW_INIT leaves all at zero: host memory, C order. */
typedef struct arr_view {
    void *data; /* the element whose indices are all 0; Arr never writes through a source's */
    arr_dtype dtype;
    int rank;               /* 0 to 32 */
    const int64_t *shape;   /* rank extents, in elements */
    const int64_t *strides; /* rank steps, in bytes; any sign, 0 too; NULL: C order, no gaps */
    arr_place place;
    int device; /* number of the GPU, where place is ARR_PLACE_CUDA */
} arr_view;
#define ARR_VIEW_INIT \
    { 0, ARR_BOOL, 0, 0, 0, ARR_PLACE_HOST, 0 }

/* Set size to sizeof(arr_config) (ARR_CONFIG_INIT does) and leave what you do not need at zero. */
typedef struct arr_config {
    size_t size;
    const char *device;    /* "cpu" (default), "cuda", "cuda:N" or "auto" */
    int threads;           /* CPU worker threads; 0: as many as the machine has cores */
    const char *cache_dir; /* compiled kernels; NULL: memory only */
    const char *switches;  /* "name=value name=value": the debug switches of the README */
    /* what print writes; NULL: discarded. Must consume all n bytes. */
    void (*write)(void *user, const char *text, size_t n);
    void (*notice)(void *user, const char *text); /* one-line notices (cache not writable, ...) */
    /* realloc-like allocator: n == 0 frees, NULL on failure; old is the old size. NULL: malloc */
    void *(*alloc)(void *user, void *p, size_t old, size_t n);
    void *user;               /* handed to the callbacks above */
    const arr_limits *limits; /* copied; NULL: none */
    arr_shared *shared;       /* held until the state is closed; NULL: the state shares nothing */
} arr_config;
#define ARR_CONFIG_INIT \
    { sizeof(arr_config), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

ARR_API const char *arr_version(void);
ARR_API const char *arr_status_name(arr_status s);

/* What several states may have together, in any threads: the CPU's worker threads (while one
 * state's work has them, the others work alone), memory that no state needs at the moment, compiled
 * GPU kernels. (CUDA's context is the process's in any case.) Values never cross from state to
 * state. Of config (NULL: defaults) threads, alloc and user are read; the allocator must bear calls
 * from several threads, and that of the states must be the same. arr_shared_close gives the
 * caller's hold up; the states have holds of their own. After fork() a child opens its own. */
ARR_API arr_status arr_shared_open(const arr_config *config, arr_shared **out);
ARR_API void arr_shared_close(arr_shared *s);

/* Open a state. config NULL: defaults. On failure *out is NULL; the status says what kind of
 * trouble it was, and the notice callback, if there is one, gets the message. */
ARR_API arr_status arr_open(const arr_config *config, arr_state **out);
/* Close; NULL is allowed. Values still held by the host stay valid to free, nothing else. */
ARR_API void arr_close(arr_state *A);
/* Other limits from the next call on (copied); NULL: none. ARR_ERR_ARGUMENT while a call runs, or
 * for values that mean nothing; ARR_ERR_IO for a root that is no folder. On failure nothing has
 * changed. */
ARR_API arr_status arr_set_limits(arr_state *A, const arr_limits *limits);

/* Evaluate a chunk of text in the state's top-level scope. name stands in messages. */
ARR_API arr_status arr_eval(arr_state *A, const char *text, const char *name);
/* The same for n bytes (a NUL byte inside is a syntax error). value may be NULL; otherwise it
 * receives the value of the last expression statement (kind none if there was none), as a prompt
 * shows it; then unused results are not an error. */
ARR_API arr_status arr_eval_n(arr_state *A, const char *text, size_t n, const char *name,
                              arr_value **value);
/* Run a script file. argv: the words that the script sees as `args` (n may be 0). */
ARR_API arr_status arr_run_file(arr_state *A, const char *path, int argc, char **argv);
/* Would this text be a whole statement? ARR_OK, ARR_INCOMPLETE or ARR_ERR_SYNTAX; runs nothing. */
ARR_API arr_status arr_parse_check(arr_state *A, const char *text, size_t n);

/* The last error: whole message with position and operands; its one-line message; its position
 * (1-based, 0 if none). "" and 0 after success. */
ARR_API const char *arr_error_text(arr_state *A);
ARR_API const char *arr_error_message(arr_state *A);
ARR_API arr_status arr_error_status(arr_state *A);
ARR_API int arr_error_line(arr_state *A);
ARR_API int arr_exit_code(arr_state *A);

/* Ask a running evaluation to stop with ARR_ERR_INTERRUPT. Async-signal-safe, any thread. Answered
 * within some 50 ms, but for what cannot be cut: a library's sort or product of one panel on a GPU,
 * a kernel of the program's own, a call of the system that waits (a network file system), giving
 * back a value of many parts, and callbacks of the host. */
ARR_API void arr_interrupt(arr_state *A);

/* ---- what the state tells its host ----
 *
 * Each may be set and taken away (NULL) at any time, and has a user pointer of its own. They are
 * called by the thread that uses the state and may read values, but not evaluate.
 *
 * write: what print writes; must take all n bytes. error: the whole message of each call of the
 * host that fails, as arr_error_text gives it. progress: about ten times a second while array work
 * runs, with the seconds since the host's call began; an answer other than 0 stops it as
 * arr_interrupt does. */
ARR_API void arr_set_write(arr_state *A, void (*write)(void *user, const char *text, size_t n),
                           void *user);
ARR_API void arr_set_error(arr_state *A,
                           void (*error)(void *user, arr_status status, const char *text),
                           void *user);
ARR_API void arr_set_progress(arr_state *A, int (*progress)(void *user, double seconds),
                              void *user);
/* Where imports of files come from: asked for `path`, relative ones joined to the folder of the
 * importing file. ARR_OK and *text: that text is the file (it must stay until the next call of the
 * loader, or until the state closes); ARR_OK and *text NULL: read the file as usual; another
 * status: the import fails with it, with arr_fail's message if there is one. */
typedef arr_status (*arr_import_fn)(arr_state *A, void *user, const char *path, const char **text,
                                    size_t *n);
ARR_API void arr_set_import(arr_state *A, arr_import_fn load, void *user);

/* Set one debug switch of an open state ("dump", "plan"). The i-th switch's name, NULL past the
 * end; help may be NULL. Those that matter only when a state opens (device, threads, fail_alloc's
 * start) belong into the config. */
ARR_API arr_status arr_set_switch(arr_state *A, const char *name, const char *value);
ARR_API const char *arr_switch_name(size_t i, const char **help);

/* What ran since the switch "profile" was set to 1, or since the last call: a table of kernels and
 * library calls with count, time (milliseconds), bytes, rate and share of the floor, for people.
 * *text stays valid until the next call on A. */
ARR_API arr_status arr_profile(arr_state *A, const char **text);

/* Variables of the top-level scope. arr_set retains v; arr_get gives a new handle. */
ARR_API arr_status arr_set(arr_state *A, const char *name, const arr_value *v);
ARR_API arr_status arr_get(arr_state *A, const char *name, arr_value **out);
/* The i-th visible top-level name that begins with prefix (for completion), or NULL. */
ARR_API const char *arr_name_at(arr_state *A, const char *prefix, size_t i);

/* Making values. */
ARR_API arr_status arr_value_bool(arr_state *A, int b, arr_value **out);
ARR_API arr_status arr_value_int(arr_state *A, int64_t i, arr_value **out);
ARR_API arr_status arr_value_float(arr_state *A, double d, arr_value **out);
ARR_API arr_status arr_value_complex(arr_state *A, double re, double im, arr_value **out);
ARR_API arr_status arr_value_string(arr_state *A, const char *utf8, size_t n, arr_value **out);
ARR_API arr_status arr_value_tuple(arr_state *A, const arr_value *const *items, size_t n,
                                   arr_value **out);
/* n named values; two fields of one name are ARR_ERR_ARGUMENT, no names ARR_ERR_NAME. */
ARR_API arr_status arr_value_record(arr_state *A, const char *const *names,
                                    const arr_value *const *values, size_t n, arr_value **out);
ARR_API arr_status arr_value_none(arr_state *A, arr_value **out);
ARR_API arr_status arr_value_uint(arr_state *A, uint64_t u, arr_value **out);
/* The dtype itself, as the word f32 is one in a program. */
ARR_API arr_status arr_value_of_dtype(arr_state *A, arr_dtype dtype, arr_value **out);

/* Arrays. Booleans in host memory are bytes: any but 0 is true.
 *
 * arr_value_array copies elements in C order; arr_value_array_copy from any view, GPU memory
 * included (work on it must be done by then).
 *
 * arr_value_array_wrap copies nothing: the array is the caller's memory, until Arr needs it no more
 * and calls release(user), once, on the thread that then uses the state, maybe within arr_close.
 * Reads are deferred: from the call until release the memory must stay, and nobody may write into
 * it (x[i] = e in a program copies first). On failure release is not called. A view whose addresses
 * are no multiples of the element's size, and booleans that are other bytes than 0 and 1, are
 * copied (and released) at once. release may be NULL; it must not call into the state.
 *
 * arr_value_array_make gives memory for the elements, in C order, to be filled by the caller: *data
 * may be written until the value is first used (set, passed or read). */
ARR_API arr_status arr_value_array(arr_state *A, arr_dtype dtype, int rank, const int64_t *shape,
                                   const void *data, arr_value **out);
ARR_API arr_status arr_value_array_copy(arr_state *A, const arr_view *from, arr_value **out);
ARR_API arr_status arr_value_array_wrap(arr_state *A, const arr_view *memory,
                                        void (*release)(void *user), void *user, arr_value **out);
ARR_API arr_status arr_value_array_make(arr_state *A, arr_dtype dtype, int rank,
                                        const int64_t *shape, void **data, arr_value **out);
/* Give a handle back; the value goes when nobody holds it. NULL is allowed. */
ARR_API void arr_value_free(arr_value *v);

/* Reading values. Wrong kinds answer ARR_ERR_TYPE. as_int and as_float also read one-element
 * arrays (and force them). */
ARR_API arr_kind arr_value_kind(const arr_value *v);
ARR_API arr_status arr_value_as_bool(const arr_value *v, int *out);
ARR_API arr_status arr_value_as_int(const arr_value *v, int64_t *out);
ARR_API arr_status arr_value_as_float(const arr_value *v, double *out);
ARR_API arr_status arr_value_as_uint(const arr_value *v, uint64_t *out);
ARR_API arr_status arr_value_as_complex(const arr_value *v, double *re, double *im);
/* The text belongs to the value and ends with a NUL that n does not count. */
ARR_API arr_status arr_value_as_string(const arr_value *v, const char **utf8, size_t *n);
/* Tuple items, record fields, string bytes, elements of a range or of an array's first axis. */
ARR_API size_t arr_value_len(const arr_value *v);
ARR_API arr_status arr_value_item(const arr_value *v, size_t i, arr_value **out); /* of a tuple */
/* A record's field by name, a module's member too; the i-th field's name, NULL past the end. */
ARR_API arr_status arr_value_field(const arr_value *v, const char *name, arr_value **out);
ARR_API const char *arr_value_field_name(const arr_value *v, size_t i);
/* Of a range, or of a slice whose parts are all given. */
ARR_API arr_status arr_value_as_range(const arr_value *v, int64_t *start, int64_t *stop,
                                      int64_t *step);
/* An array's, a dtype's own, or that of a number; rank 0 and NULL for what is no array. */
ARR_API arr_dtype arr_value_dtype(const arr_value *v);
ARR_API int arr_value_rank(const arr_value *v);
ARR_API const int64_t *arr_value_shape(const arr_value *v);
/* Force an array and copy its elements, C order, to dst (cap bytes must hold all of them). */
ARR_API arr_status arr_value_read(const arr_value *v, void *dst, size_t cap);
/* The same into a view of the value's dtype and shape, with its strides (no two elements may share
 * memory); host memory only. */
ARR_API arr_status arr_value_read_view(const arr_value *v, const arr_view *to);
/* Force an array and show its elements where they lie, or a copy where they lie elsewhere: *out is
 * a view for reading only, whose shape and strides live as long as its data: until unmap, or until
 * the handle is freed or the state closed. Maps of a place count: as many calls of unmap end them.
 * No copy is made on the CPU for ARR_PLACE_HOST, nor on the array's own GPU for ARR_PLACE_CUDA,
 * whose elements are complete when the call returns. */
ARR_API arr_status arr_value_map(const arr_value *v, arr_place place, arr_view *out);
ARR_API void arr_value_unmap(const arr_value *v, arr_place place);
/* Start reading an array and return: the work and the copy are submitted. done(user, status), if
 * given, is called once, by the state's thread in one of the calls below or in arr_close; dst is
 * complete then (or never, if the status is not ARR_OK). dst must stay until then.
 * arr_fence_poll: ARR_OK when it is complete, ARR_INCOMPLETE when not yet, or why it failed;
 * arr_fence_wait waits. A fence is given back with arr_fence_free, which waits as well. On the CPU
 * the work is done by the calling thread at once. */
typedef struct arr_fence arr_fence;
ARR_API arr_status arr_value_read_start(const arr_value *v, void *dst, size_t cap,
                                        void (*done)(void *user, arr_status status), void *user,
                                        arr_fence **out);
ARR_API arr_status arr_fence_poll(arr_fence *f);
ARR_API arr_status arr_fence_wait(arr_fence *f);
ARR_API void arr_fence_free(arr_fence *f);

/* DLPack 1.0 (dlpack.h of dmlc/dlpack declares the struct). Out: forces, and waits for the work, so
 * that any stream may read; the tensor shares the array's memory, is marked read-only, keeps the
 * state's memory alive and is given back through its own deleter, by the state's thread and before
 * arr_close. bool is kDLBool, complex kDLComplex, bf16 kDLBfloat. In: takes over the tensor (its
 * deleter is called when the array goes) and copies nothing where arr_value_array_wrap would not;
 * CPU, CUDA, and CUDA's host and managed memory; work on it must be done by then. On failure the
 * tensor stays the caller's. */
struct DLManagedTensorVersioned;
ARR_API arr_status arr_value_to_dlpack(const arr_value *v, struct DLManagedTensorVersioned **out);
ARR_API arr_status arr_value_from_dlpack(arr_state *A, struct DLManagedTensorVersioned *tensor,
                                         arr_value **out);
/* "f32[3,4] cuda:0": an array's dtype, shape and, off the CPU, device; another value's kind. Forces
 * nothing but sizes that depend on data. */
ARR_API arr_status arr_value_describe(const arr_value *v, const char **text);
/* Text as print shows it. */
ARR_API arr_status arr_value_format(const arr_value *v, const char **text);

/* ---- functions ----
 *
 * Functions of the host, callable from Arr. args are borrowed for the call; *out becomes the result
 * (leave NULL for none). On failure return a status, after arr_fail for a message: the error stands
 * at the place of the call in the program. */
typedef arr_status (*arr_host_fn)(arr_state *A, void *user, size_t nargs,
                                  const arr_value *const *args, arr_value **out);
ARR_API arr_status arr_define(arr_state *A, const char *name, arr_host_fn fn, void *user);
ARR_API arr_status arr_fail(arr_state *A, arr_status s, const char *message);

/* A function with a signature: "blur(image, radius=3, mode=\"clamp\", out=, rest...)". A default is
 * a literal: a number, text, true false none inf nan pi, a dtype, (). A parameter `out=` may be
 * left out, and is NULL then; `rest...` collects what is left in a tuple, `named=...` (last) the
 * named arguments in a record. Calls may name arguments, and Arr checks count and names: fn gets
 * one value for each parameter. At most 12 parameters. */
typedef struct arr_function {
    size_t size;           /* sizeof(arr_function) */
    const char *signature; /* its first word is the function's name; copied */
    const char *doc;       /* what help shows below the signature; NULL: nothing; copied */
    arr_host_fn fn;
    void *user;
    void (*destroy)(void *user); /* called once, when the function is gone; NULL: nothing to do */
} arr_function;
/* As a top-level variable, or as a value. On failure destroy is not called. */
ARR_API arr_status arr_define_function(arr_state *A, const arr_function *f);
ARR_API arr_status arr_value_function(arr_state *A, const arr_function *f, arr_value **out);

/* Call a function value (an Arr function, a builtin, a dtype, a host function). *out belongs to the
 * caller; out may be NULL. arr_call_named: nnamed more arguments by name. */
ARR_API arr_status arr_call(arr_state *A, const arr_value *fn, size_t nargs,
                            const arr_value *const *args, arr_value **out);
ARR_API arr_status arr_call_named(arr_state *A, const arr_value *fn, size_t nargs,
                                  const arr_value *const *args, size_t nnamed,
                                  const char *const *names, const arr_value *const *values,
                                  arr_value **out);

/* Compile text once, run it many times: *out is a function value with these parameters, whose body
 * is the text. Names that the text binds are its own; others are the state's top-level variables.
 * The result is that of `return`, or the value of the last statement if that is an expression.
 * arr_run calls it with exactly nparams values (arr_call does as well); name stands in messages. */
ARR_API arr_status arr_compile(arr_state *A, const char *text, const char *name,
                               const char *const *params, size_t nparams, arr_value **out);
ARR_API arr_status arr_run(arr_state *A, const arr_value *program, size_t nargs,
                           const arr_value *const *args, arr_value **out);

#ifdef __cplusplus
}
#endif
#endif
