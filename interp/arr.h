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
} arr_config;
#define ARR_CONFIG_INIT \
    { sizeof(arr_config), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

ARR_API const char *arr_version(void);
ARR_API const char *arr_status_name(arr_status s);

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

/* Ask a running evaluation to stop with ARR_ERR_INTERRUPT. Async-signal-safe, any thread. */
ARR_API void arr_interrupt(arr_state *A);

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
/* Copy a C-contiguous host array of the given dtype and shape (elements, not bytes). */
ARR_API arr_status arr_value_array(arr_state *A, arr_dtype dtype, int rank, const int64_t *shape,
                                   const void *data, arr_value **out);
ARR_API void arr_value_free(arr_value *v);

/* Reading values. Wrong kinds answer ARR_ERR_TYPE. as_int and as_float also read one-element
 * arrays (and force them). */
ARR_API arr_kind arr_value_kind(const arr_value *v);
ARR_API arr_status arr_value_as_bool(const arr_value *v, int *out);
ARR_API arr_status arr_value_as_int(const arr_value *v, int64_t *out);
ARR_API arr_status arr_value_as_float(const arr_value *v, double *out);
ARR_API arr_status arr_value_as_string(const arr_value *v, const char **utf8, size_t *n);
ARR_API size_t arr_value_len(const arr_value *v); /* tuple items, string bytes, first axis */
ARR_API arr_status arr_value_item(const arr_value *v, size_t i, arr_value **out); /* tuple */
ARR_API arr_status arr_value_field(const arr_value *v, const char *name, arr_value **out);
ARR_API arr_dtype arr_value_dtype(const arr_value *v);
ARR_API int arr_value_rank(const arr_value *v);
ARR_API const int64_t *arr_value_shape(const arr_value *v);
/* Force an array and copy its elements, C order, to dst (cap bytes must hold all of them). */
ARR_API arr_status arr_value_read(const arr_value *v, void *dst, size_t cap);
/* "f32[3,4] cuda:0": an array's dtype, shape and, off the CPU, device; another value's kind. Forces
 * nothing but sizes that depend on data. */
ARR_API arr_status arr_value_describe(const arr_value *v, const char **text);
/* Text as print shows it. */
ARR_API arr_status arr_value_format(const arr_value *v, const char **text);

/* Host functions: callable from Arr under `name`. args are borrowed for the call; *out becomes the
 * result (leave NULL for none). On failure return a status, after arr_fail for a message. */
typedef arr_status (*arr_host_fn)(arr_state *A, void *user, size_t nargs,
                                  const arr_value *const *args, arr_value **out);
ARR_API arr_status arr_define(arr_state *A, const char *name, arr_host_fn fn, void *user);
ARR_API arr_status arr_fail(arr_state *A, arr_status s, const char *message);
/* Call an Arr function value. *out belongs to the caller. */
ARR_API arr_status arr_call(arr_state *A, const arr_value *fn, size_t nargs,
                            const arr_value *const *args, arr_value **out);

#ifdef __cplusplus
}
#endif
#endif
