/* builtin_system - the program and its machine: clocks, measuring, devices, forcing, explaining,
 * leaving.
 *
 * Callers: the binder. help is in help.c. Invariant: nothing here changes a value; where and when
 * something is computed is all that these functions decide. */
#include "interp/eval.h"
#include "interp/help.h"
#include "interp/api_limits.h"
#include "runtime/exec.h"
#include "runtime/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- time ---- */

static Status system_time(State *A, const Value *args, Value *out) {
    (void)args;
    *out = value_float(state_clock() - A->started);
    return ARR_OK;
}

static Status system_clock(State *A, const Value *args, Value *out) {
    (void)A;
    (void)args;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    *out = value_float((double)t.tv_sec + 1e-9 * (double)t.tv_nsec);
    return ARR_OK;
}

static Status system_sleep(State *A, const Value *args, Value *out) {
    (void)out;
    double seconds;
    TRY(value_to_float(A, "sleep: seconds", &args[0], &seconds));
    if (!(seconds >= 0 && seconds < 1e9)) {
        return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "sleep: seconds must be from 0 to 1e9");
    }
    double end = state_clock() + seconds;
    for (double left = seconds; left > 0; left = end - state_clock()) {
        if (interrupted(A)) return error_interrupted(&A->cx);
        double slice = left < 0.02 ? left : 0.02; /* an interrupt is seen within 20 ms */
        struct timespec t = {0, (long)(slice * 1e9)};
        nanosleep(&t, NULL);
    }
    return ARR_OK;
}

/* ---- forcing ---- */

typedef struct Nodes {
    Node **list;
    int n, cap;
} Nodes;

static Status nodes_add(State *A, Nodes *nodes, Node *n) {
    if (nodes->n == nodes->cap) {
        int cap = nodes->cap ? nodes->cap * 2 : 16;
        Node **p = mem_realloc(&A->cx.mem, nodes->list, (size_t)nodes->cap * sizeof *p,
                               (size_t)cap * sizeof *p);
        if (!p) return error_memory(&A->cx, (size_t)cap * sizeof *p);
        nodes->list = p;
        nodes->cap = cap;
    }
    nodes->list[nodes->n++] = n;
    return ARR_OK;
}

static Status nodes_of(State *A, const Value *v, Nodes *nodes) {
    TRY(stack_check(A));
    TRY(state_step(A, 1));
    if (v->kind == V_ARRAY) return nodes_add(A, nodes, v->node);
    for (uint32_t i = 0; v->kind == V_TUPLE && i < v->tuple->n; i++) {
        TRY(nodes_of(A, &v->tuple->items[i], nodes));
    }
    for (uint32_t i = 0; v->kind == V_RECORD && i < v->record->n; i++) {
        TRY(nodes_of(A, &v->record->fields[i].value, nodes));
    }
    return ARR_OK;
}

/* All arrays in v, in one plan. */
static Status force(State *A, const Value *v) {
    Nodes nodes = {0};
    Status st = nodes_of(A, v, &nodes);
    if (st == ARR_OK && nodes.n) st = exec_force(A->rt, nodes.list, nodes.n);
    mem_free(&A->cx.mem, nodes.list, (size_t)nodes.cap * sizeof *nodes.list);
    return st;
}

static Status system_eval(State *A, const Value *args, Value *out) {
    TRY(force(A, &args[0]));
    const Tuple *t = args[0].tuple;
    *out = value_retain(t->n == 1 ? t->items[0] : args[0]);
    return ARR_OK;
}

static Status system_sync(State *A, const Value *args, Value *out) {
    (void)args;
    (void)out;
    return exec_sync(A->rt);
}

static Status system_explain(State *A, const Value *args, Value *out) {
    (void)out;
    const Tuple *t = args[0].tuple;
    for (uint32_t i = 0; i < t->n; i++) {
        Node *n;
        TRY(value_to_node(A, "explain: x", &t->items[i], &n));
        Buf b;
        buf_init(&b, &A->cx);
        Status st = exec_explain(A->rt, n, &b);
        if (st == ARR_OK) st = buf_status(&b);
        if (st == ARR_OK) st = state_write(A, b.data, b.len);
        buf_free(&b);
        node_release(A->rt, n);
        TRY(st);
    }
    return ARR_OK;
}

/* ---- bench ---- */

static Status run_once(State *A, const Value *f, Value *out) {
    TRY(call_values(A, f, NULL, 0, out));
    Status st = force(A, out);
    if (st == ARR_OK) st = exec_sync(A->rt);
    if (st != ARR_OK) value_release(A, *out);
    return st;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static Status measure(State *A, const Value *f, double *ms, int64_t n, Value *result) {
    Span span = A->cx.span;
    TRY(run_once(A, f, result));
    for (int64_t i = 0; i < n; i++) {
        value_release(A, *result); /* its memory is what the next run is going to use */
        *result = VALUE_NONE;
        A->cx.span = span;
        double begin = state_clock();
        Status st = run_once(A, f, result);
        if (st != ARR_OK) {
            *result = VALUE_NONE;
            return st;
        }
        ms[i] = 1e3 * (state_clock() - begin);
    }
    qsort(ms, (size_t)n, sizeof *ms, by_size);
    return ARR_OK;
}

static Status system_bench(State *A, const Value *args, Value *out) {
    int64_t n;
    TRY(arg_function(A, "bench: f", &args[0]));
    TRY(value_to_int(A, "bench: n", &args[1], &n));
    if (n < 1 || n > 1000000) {
        return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "bench: n must be from 1 to 1000000");
    }
    size_t size = (size_t)n * sizeof(double);
    double *ms = mem_alloc(&A->cx.mem, size);
    if (!ms) return error_memory(&A->cx, size);
    Value result = VALUE_NONE;
    Status st = measure(A, &args[0], ms, n, &result);
    if (st == ARR_OK) st = value_tuple(A, 2, out);
    if (st == ARR_OK) {
        double median = n % 2 ? ms[n / 2] : 0.5 * (ms[n / 2 - 1] + ms[n / 2]);
        out->tuple->items[0] = result;
        out->tuple->items[1] = value_float(median);
    } else {
        value_release(A, result);
    }
    mem_free(&A->cx.mem, ms, size);
    return st;
}

/* ---- devices ---- */

static Status system_device(State *A, const Value *args, Value *out) {
    const char *name;
    size_t n;
    if (args[0].kind != V_NONE) {
        TRY(arg_str(A, "device: name", &args[0], &name, &n));
        return runtime_set_device(A->rt, A->cx.span, name);
    }
    name = A->rt->place == 0 ? "auto" : A->rt->place == 1 ? "cpu" : "cuda";
    if (A->rt->place == 2 && A->rt->cuda) name = A->rt->cuda->name;
    return value_str(A, name, strlen(name), out);
}

static Status system_devices(State *A, const Value *args, Value *out) {
    (void)args;
    int n = device_cuda_likely() ? device_cuda_count() : 0;
    TRY(value_tuple(A, (uint32_t)(1 + n), out));
    Status st = value_str(A, "cpu", 3, &out->tuple->items[0]);
    for (int i = 0; i < n && st == ARR_OK; i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "cuda:%d", i);
        st = value_str(A, name, (size_t)len, &out->tuple->items[1 + i]);
    }
    if (st == ARR_OK) return ARR_OK;
    value_release(A, *out);
    *out = VALUE_NONE;
    return st;
}

/* The device that a name means, opened; of GPUs the one in use. */
static Status device_named(State *A, const Value *v, Device **out) {
    const char *name;
    size_t n;
    TRY(arg_str(A, "to: device", v, &name, &n));
    *out = A->rt->cpu;
    if (strcmp(name, "cpu") == 0) return ARR_OK;
    if (strncmp(name, "cuda", 4) == 0) {
        TRY(place_cuda(A->rt, out));
        if (strcmp(name, "cuda") == 0 || strcmp(name, (*out)->name) == 0) return ARR_OK;
    }
    return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE,
                     "to: no device '%s' is in use: device(\"%s\") chooses one", name, name);
}

static Status system_to(State *A, const Value *args, Value *out) {
    Device *d;
    Node *x, *moved;
    Array *there;
    TRY(device_named(A, &args[1], &d));
    TRY(value_to_node(A, "to: x", &args[0], &x));
    Status st = exec_force(A->rt, &x, 1);
    if (st == ARR_OK) st = place_value(A->rt, x, d, &there);
    if (st == ARR_OK) st = graph_leaf(A->rt, array_retain(there), &moved);
    node_release(A->rt, x);
    if (st == ARR_OK) *out = value_node(moved);
    return st;
}

static Status set_field(State *A, Record *r, uint32_t i, const char *name, int64_t v) {
    r->fields[i].name = symbol_intern(A, name, strlen(name));
    r->fields[i].value = value_int(v);
    return r->fields[i].name < 0 ? ARR_ERR_MEMORY : ARR_OK;
}

static Status device_record(State *A, const Device *d, Value *out) {
    const DevStats *s = &d->stats;
    TRY(value_record(A, 7, out));
    Record *r = out->record;
    Status st = set_field(A, r, 0, "used", s->bytes_used);
    if (st == ARR_OK) st = set_field(A, r, 1, "peak", s->bytes_peak);
    if (st == ARR_OK) st = set_field(A, r, 2, "cached", s->bytes_cached);
    if (st == ARR_OK) st = set_field(A, r, 3, "to_host", s->to_host);
    if (st == ARR_OK) st = set_field(A, r, 4, "compiles", s->compiles);
    if (st == ARR_OK) st = set_field(A, r, 5, "allocs", s->alloc_misses);
    if (st == ARR_OK) st = set_field(A, r, 6, "launches", s->launches);
    if (st != ARR_OK) value_release(A, *out);
    return st;
}

static Status system_mem(State *A, const Value *args, Value *out) {
    (void)args;
    const Device *devices[2] = {A->rt->cpu, A->rt->cuda};
    static const char *const names[2] = {"cpu", "cuda"};
    uint32_t n = A->rt->cuda ? 2 : 1;
    TRY(value_record(A, n, out));
    for (uint32_t i = 0; i < n; i++) {
        Record *r = out->record;
        Status st = device_record(A, devices[i], &r->fields[i].value);
        if (st != ARR_OK) r->fields[i].value = VALUE_NONE;
        r->fields[i].name = symbol_intern(A, names[i], strlen(names[i]));
        if (st == ARR_OK && r->fields[i].name < 0) st = ARR_ERR_MEMORY;
        if (st == ARR_OK) continue;
        value_release(A, *out);
        *out = VALUE_NONE;
        return st;
    }
    return ARR_OK;
}

/* ---- the program ---- */

static Status system_set_default_float(State *A, const Value *args, Value *out) {
    (void)out;
    bool fits = args[0].kind == V_DTYPE && (args[0].dtype == DT_f32 || args[0].dtype == DT_f64);
    if (!fits) {
        return error_set(&A->cx, ARR_ERR_DTYPE, SPAN_NONE, "set_default_float takes f32 or f64");
    }
    if (A->frame) A->frame->module->flt = args[0].dtype;
    A->rt->flt = args[0].dtype;
    return ARR_OK;
}

static Status system_matmul_precision(State *A, const Value *args, Value *out) {
    const char *word = opts_precision_name(A->cx.opts.precision);
    size_t n;
    if (args[0].kind == V_NONE) return value_str(A, word, strlen(word), out);
    TRY(arg_str(A, "matmul_precision: precision", &args[0], &word, &n));
    if (opts_set(&A->cx.opts, "matmul_precision", word)) return ARR_OK;
    return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE,
                     "matmul_precision takes \"highest\", \"high\" or \"medium\", not '%s'", word);
}

static Status system_exit(State *A, const Value *args, Value *out) {
    (void)out;
    int64_t code;
    TRY(value_to_int(A, "exit: code", &args[0], &code));
    if (code < 0 || code > 255) {
        return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "exit: code must be from 0 to 255");
    }
    A->exit_code = (int)code;
    return error_set(&A->cx, ARR_ERR_EXIT, SPAN_NONE, "exit(%d)", A->exit_code);
}

const BuiltinDef builtin_system[] = {
    {"time()", system_time, "Seconds since the program began, on a clock that never goes back."},
    {"clock()", system_clock, "Seconds since the beginning of 1970."},
    {"sleep(seconds)", system_sleep, "Waits. An interrupt ends it."},
    {"bench(f, n=3)", system_bench,
     "Runs f() once to warm up and n times to measure, forced and synchronized. Gives (result,\n"
     "median milliseconds).\n"
     "  bench(fn() = 1 + 1)[0] #=> 2"},
    {"device(name=none)", system_device,
     "Chooses where arrays are computed from now on: \"cpu\", \"cuda\", \"cuda:1\" or \"auto\" (a "
     "GPU\n"
     "where there is one and the work is worth it). Without a name: the choice in force."},
    {"devices()", system_devices, "The devices of this machine, as names for device()."},
    {"to(x, device)", system_to,
     "x with its elements on a device (\"cpu\", \"cuda\"): computed, and copied there if need be. "
     "Work\n"
     "on it goes where device() says, so this only decides when copying is done."},
    {"sync()", system_sync, "Waits until the device has done all work given to it."},
    {"mem()", system_mem,
     "A record of each device in use: bytes in use, their peak, bytes kept for reuse, bytes copied "
     "to\n"
     "the host, kernels compiled, and how often the system was asked for memory."},
    {"eval(values...)", system_eval,
     "Computes pending arrays now, all in one plan, those in tuples and records too. Gives its\n"
     "argument back (several: a tuple); the result need not be used.\n"
     "  eval([1, 2] + 1) #=> [2 3]"},
    {"explain(values...)", system_explain,
     "Prints what computing a value would do: the groups of operations that become one kernel "
     "each,\n"
     "why each ends where it does, inputs, bytes, kernel names. Computes nothing."},
    {"set_default_float(dtype)", system_set_default_float,
     "The float dtype of literals in arrays, rand, zeros, mean of integers and so on, in the file "
     "that\n"
     "says it, from here on: f32 or f64. Complex follows (c64, c128)."},
    {"matmul_precision(precision=none)", system_matmul_precision,
     "What products of f32 arrays that are built from now on may cost in accuracy on a GPU: "
     "\"highest\"\n"
     "is f32 throughout; \"high\" splits the operands of large ones into halves for the tensor "
     "cores, "
     "with\n"
     "errors like f32's, measured by the norms of rows and columns, in half the time; \"medium\" "
     "rounds\n"
     "operands to TF32 (11 bits). On the CPU all are the same f32 product. Without a precision: "
     "the\n"
     "choice in force.\n"
     "  matmul_precision() #=> highest"},
    {"exit(code=0)", system_exit, "Ends the program."},
    {"help(f=)", system_help,
     "Signature, meaning and examples of a function; without one, all builtins by family."},
    {NULL, NULL, NULL},
};
