/* builtin_kernel - cuda_kernel: a user's own CUDA C as a function of arrays and scalars.
 *
 * Callers: calls by name. cuda_kernel reads the kernel's parameters once, to refuse early what
 * cannot work, and gives a function that hands its arguments on to kernel_call with the source and
 * the name. Invariant: a call runs at once, and only after everything about it has been checked. */
#include "interp/builtin_util.h"
#include "runtime/exec.h"
#include "runtime/user_kernel.h"

#include <stdio.h>
#include <string.h>

/* ---- a call ---- */

typedef struct KernelCall {
    Calc c;
    UserSignature sig;
    UserCall call;
    Value owner[USER_PARAMS]; /* what keeps the input nodes alive: the scratch's */
} KernelCall;

static void param_name(const UserParam *p, int i, char out[80]) {
    if (p->name[0])
        snprintf(out, 80, "'%s'", p->name);
    else
        snprintf(out, 80, "number %d", i + 1);
}

static void array_input(KernelCall *k, int i, const Value *v) {
    const UserParam *p = &k->sig.param[i];
    char name[80], text[SHAPE_TEXT];
    param_name(p, i, name);
    Value x = calc_array(&k->c, "an input", v);
    if (!calc_ok(&k->c)) return;
    calc_describe(x, text);
    DType t = calc_type(&k->c, x);
    if (!p->constant)
        calc_fail(&k->c, ARR_ERR_ARGUMENT,
                  "parameter %s is an input, which is a value: declare it const %s *", name,
                  p->type);
    else if (p->dtype != DT_COUNT && p->dtype != t && !(p->dtype == DT_u16 && dtype_is_half(t)) &&
             !(p->dtype == DT_u8 && t == DT_bool))
        calc_fail(&k->c, ARR_ERR_DTYPE, "parameter %s is %s *, not %s: cast it, %s(x)", name,
                  p->type, text, dtype_name(p->dtype));
    k->call.input[i].node = x.node;
}

static void scalar_input(KernelCall *k, int i, const Value *v) {
    const UserParam *p = &k->sig.param[i];
    char name[80], text[SHAPE_TEXT];
    Scalar s;
    param_name(p, i, name);
    value_describe(v, text);
    if (p->dtype == DT_COUNT) {
        calc_fail(&k->c, ARR_ERR_DTYPE, "parameter %s is %s: scalars are bool, integers and floats",
                  name, p->type);
        return;
    }
    Status st = v->kind == V_ARRAY && node_size(v->node) == 1 ? exec_scalar(k->c.A->rt, v->node, &s)
                : value_is_scalar(v)                          ? value_to_scalar(k->c.A, name, v, &s)
                                                              : ARR_ERR_TYPE;
    bool whole = dtype_is_int(p->dtype) || p->dtype == DT_bool;
    if (st == ARR_ERR_TYPE || (st == ARR_OK && whole && s.kind >= SC_FLOAT) ||
        (st == ARR_OK && s.kind == SC_COMPLEX))
        calc_fail(&k->c, ARR_ERR_TYPE, "parameter %s is %s, not %s", name, p->type, text);
    else if (st == ARR_OK && !scalar_fits(&s, p->dtype))
        calc_fail(&k->c, ARR_ERR_VALUE, "parameter %s is %s, which %s does not fit", name, p->type,
                  text);
    else if (calc_check(&k->c, st))
        scalar_store(&s, p->dtype, k->call.input[i].bytes);
}

/* One shape, or a tuple of shapes. */
static void output_shapes(KernelCall *k, const Value *v) {
    const Tuple *t = v->kind == V_TUPLE ? v->tuple : NULL;
    bool several = t && t->n > 0 && (t->items[0].kind == V_TUPLE || t->items[0].kind == V_NONE);
    k->call.noutput = several ? (int)t->n : 1;
    if (!calc_given(v)) {
        calc_fail(&k->c, ARR_ERR_ARGUMENT, "say the output's extents: shape=(n,)");
        return;
    }
    if (k->call.noutput > USER_PARAMS) {
        calc_fail(&k->c, ARR_ERR_ARGUMENT, "at most %d outputs", USER_PARAMS);
        return;
    }
    for (int i = 0; i < k->call.noutput && calc_ok(&k->c); i++)
        k->call.shape[i] = calc_extents(&k->c, "shape", several ? &t->items[i] : v, NULL);
}

/* One dtype for all outputs, or one each; none: what their parameters say. */
static void output_dtypes(KernelCall *k, const Value *v) {
    const Tuple *t = v->kind == V_TUPLE ? v->tuple : NULL;
    if (t && (int)t->n != k->call.noutput)
        calc_fail(&k->c, ARR_ERR_ARGUMENT, "%u dtypes for %d outputs", t->n, k->call.noutput);
    for (int i = 0; i < k->call.noutput && calc_ok(&k->c); i++) {
        const UserParam *p = &k->sig.param[k->call.ninput + i];
        char name[80];
        param_name(p, k->call.ninput + i, name);
        DType d = calc_dtype(&k->c, t ? &t->items[i] : v, p->dtype);
        if (calc_ok(&k->c) && !p->pointer)
            calc_fail(&k->c, ARR_ERR_ARGUMENT, "parameter %s is an output and must be a pointer",
                      name);
        else if (calc_ok(&k->c) && p->constant)
            calc_fail(&k->c, ARR_ERR_ARGUMENT, "parameter %s is an output and must not be const",
                      name);
        else if (calc_ok(&k->c) && d == DT_COUNT)
            calc_fail(&k->c, ARR_ERR_ARGUMENT, "say the dtype of output %s: dtype=f32", name);
        else if (calc_ok(&k->c) && p->dtype != DT_COUNT && p->dtype != d &&
                 !(p->dtype == DT_u16 && dtype_is_half(d)) && !(p->dtype == DT_u8 && d == DT_bool))
            calc_fail(&k->c, ARR_ERR_DTYPE, "output %s is %s *, not %s", name, p->type,
                      dtype_name(d));
        k->call.dtype[i] = d;
    }
}

/* Blocks or threads along up to three axes. */
static void extents3(KernelCall *k, const char *what, const Value *v, const int64_t most[3],
                     int64_t out[3]) {
    static const char *const axis[] = {"first", "second", "third"};
    int64_t dim[MAX_RANK];
    int n = calc_ints(&k->c, what, v, dim);
    if (calc_ok(&k->c) && (n < 1 || n > 3))
        calc_fail(&k->c, ARR_ERR_VALUE, "%s has one to three extents", what);
    for (int i = 0; i < 3 && calc_ok(&k->c); i++) {
        out[i] = i < n ? dim[i] : 1;
        if (out[i] < 1 || out[i] > most[i])
            calc_fail(&k->c, ARR_ERR_VALUE, "%s's %s extent must be from 1 to %lld, not %lld", what,
                      axis[i], (long long)most[i], (long long)out[i]);
    }
}

static void launch_shape(KernelCall *k, const Value *grid, const Value *block,
                         const Value *shared) {
    static const int64_t most_threads[] = {1024, 1024, 64},
                         most_blocks[] = {INT32_MAX, 65535, 65535};
    extents3(k, "block", block, most_threads, k->call.block);
    int64_t threads = k->call.block[0] * k->call.block[1] * k->call.block[2];
    if (calc_ok(&k->c) && threads > 1024)
        calc_fail(&k->c, ARR_ERR_VALUE, "a block has at most 1024 threads, not %lld",
                  (long long)threads);
    k->call.shared = calc_count(&k->c, "shared", shared);
    if (calc_ok(&k->c) && k->call.shared > 48 << 10)
        calc_fail(&k->c, ARR_ERR_VALUE, "shared must be at most %d bytes", 48 << 10);
    if (!calc_ok(&k->c)) return;
    if (calc_given(grid)) {
        extents3(k, "grid", grid, most_blocks, k->call.grid);
        return;
    }
    int64_t work = shape_size(&k->call.shape[0]);
    k->call.grid[0] = (work + threads - 1) / threads;
    k->call.grid[1] = k->call.grid[2] = 1;
    if (k->call.grid[0] > INT32_MAX)
        calc_fail(&k->c, ARR_ERR_VALUE, "more blocks than a grid has: say grid=");
}

/* The source with extern "C" before the kernel, so that its name stays what it is. */
static char *named_source(KernelCall *k, const Str *source, size_t *size) {
    static const char prefix[] = "extern \"C\" ";
    size_t at = k->sig.at, n = source->len, m = sizeof prefix - 1;
    bool there = k->sig.as_c;
    *size = n + m + 1;
    char *text = calc_alloc(&k->c, *size);
    if (!text) return NULL;
    if (there) m = 0;
    memcpy(text, source->text, at);
    memcpy(text + at, prefix, m);
    memcpy(text + at + m, source->text + at, n - at + 1);
    return text;
}

static Value results(KernelCall *k, Node **out) {
    Value r = VALUE_UNSET;
    int n = k->call.noutput;
    if (n == 1) return calc_keep_node(&k->c, ARR_OK, out[0]);
    Status s = value_tuple(k->c.A, (uint32_t)n, &r);
    for (int i = 0; i < n; i++) {
        if (s == ARR_OK)
            r.tuple->items[i] = value_node(out[i]);
        else
            node_release(k->c.A->rt, out[i]);
    }
    return calc_keep(&k->c, s, r);
}

/* args: source, name, the inputs, shape, dtype, grid, block, shared. */
static void put_together(KernelCall *k, const Value *args) {
    const Tuple *inputs = args[2].tuple;
    char why[160];
    if (!user_signature(args[0].str->text, args[1].str->text, &k->sig, why)) {
        calc_fail(&k->c, ARR_ERR_VALUE, "%s", why);
        return;
    }
    output_shapes(k, &args[3]);
    if (!calc_ok(&k->c)) return;
    k->call.ninput = (int)inputs->n;
    if ((int64_t)inputs->n + k->call.noutput != k->sig.n) {
        calc_fail(&k->c, ARR_ERR_ARGUMENT,
                  "it has %d parameters: %u inputs and %d outputs are given", k->sig.n, inputs->n,
                  k->call.noutput);
        return;
    }
    output_dtypes(k, &args[4]);
    for (int i = 0; i < k->call.ninput && calc_ok(&k->c); i++) {
        if (k->sig.param[i].pointer)
            array_input(k, i, &inputs->items[i]);
        else
            scalar_input(k, i, &inputs->items[i]);
    }
    launch_shape(k, &args[5], &args[6], &args[7]);
}

/* A kernel reads and writes what it wants of the process's memory. */
static Status kernel_allowed(State *A) {
    const Limits *l = &A->cx.limits;
    if (!l->set || l->cuda_kernel) return ARR_OK;
    return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE,
                     "this program may use no kernels of its own: the host allows them by "
                     "arr_limits.allow_cuda_kernel");
}

static Status kernel_call(State *A, const Value *args, Value *out) {
    Node *made[USER_PARAMS] = {NULL};
    Value r = VALUE_UNSET;
    size_t size = 0;
    TRY(kernel_allowed(A));
    KernelCall *k = mem_zalloc(&A->cx.mem, sizeof *k);
    if (!k) return error_memory(&A->cx, sizeof *k);
    calc_open(&k->c, A, args[1].str->text);
    put_together(k, args);
    char *text = named_source(k, args[0].str, &size);
    if (text) {
        k->call.source = text;
        k->call.name = args[1].str->text;
        if (calc_check(&k->c, user_run(A->rt, &k->call, made))) r = results(k, made);
        calc_free(&k->c, text, size);
    }
    Status s = calc_done(&k->c, r, out);
    mem_free(&A->cx.mem, k, sizeof *k);
    return s;
}

/* In no table: only functions made by cuda_kernel call it. */
static const BuiltinDef call_def = {
    "cuda_kernel(source, name, inputs..., shape=, dtype=none, grid=none, block=256, shared=0)",
    kernel_call, "A kernel's inputs in order; the outputs' shape and dtype."};

/* ---- making one ---- */

static bool is_identifier(const char *s) {
    if (!*s || (*s >= '0' && *s <= '9')) return false;
    for (; *s; s++)
        if (!(*s == '_' || (*s >= '0' && *s <= '9') || ((*s | 32) >= 'a' && (*s | 32) <= 'z')))
            return false;
    return true;
}

static Status cuda_kernel(State *A, const Value *args, Value *out) {
    Calc c;
    UserSignature sig;
    char why[160];
    Value r = VALUE_UNSET;
    TRY(kernel_allowed(A));
    calc_open(&c, A, "cuda_kernel");
    const char *source = calc_str(&c, "source", &args[0]), *name = calc_str(&c, "name", &args[1]);
    if (calc_ok(&c) && (!is_identifier(name) || strlen(name) >= USER_NAME))
        calc_fail(&c, ARR_ERR_VALUE, "name must be a C identifier of less than %d letters",
                  USER_NAME);
    if (calc_ok(&c) && strlen(source) != args[0].str->len)
        calc_fail(&c, ARR_ERR_VALUE, "source holds a NUL byte");
    if (calc_ok(&c) && !user_signature(source, name, &sig, why))
        calc_fail(&c, ARR_ERR_VALUE, "%s", why);
    if (calc_ok(&c)) {
        Status s = function_bound(A, &call_def, name, args, 2, &r);
        r = calc_keep(&c, s, r);
    }
    return calc_done(&c, r, out);
}

const BuiltinDef builtin_kernel[] = {
    {"cuda_kernel(source, name)", cuda_kernel,
     "The kernel `name` of CUDA C source as a function of arrays and scalars, on a GPU.\n"
     "The kernel's parameters are the inputs in order (const T *p of arrays, numbers as they "
     "are),\n"
     "then one pointer an output, which begins as zeros. The function takes the inputs and, by "
     "name,\n"
     "shape of the output (a tuple of shapes: several), dtype where the pointer does not say it, "
     "and\n"
     "grid (blocks; as many as give each output element a thread), block (256 threads) and shared\n"
     "(bytes), each one number or up to three. It runs at once; it is compiled at the first call\n"
     "and kept. Neither Ctrl-C nor a limit stops a kernel that runs. On the CPU the call is an "
     "error.\n"
     "  cuda_kernel(\"__global__ void f(const float *x, float *y) { y[0] = x[0]; }\", \"f\") #=> "
     "fn f(...)"},
    {NULL, NULL, NULL},
};
