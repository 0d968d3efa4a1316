/* api_function - the public interface: functions of the host called from Arr, functions of Arr
 * called from the host, and texts compiled once to be run many times.
 *
 * Callers: hosts, call.c (api_call_host). Invariant: the handles that a host function gets for its
 * arguments live on the C stack, for the call alone. */
#include "interp/api.h"
#include "interp/eval.h"
#include "interp/resolve.h"
#include "interp/sig.h"

#include <string.h>

/* ---- making host functions ---- */

static void host_free(State *A, HostFn *h) {
    if (h->sig) sig_free(A, h->sig);
    mem_free(&A->cx.mem, h->signature, h->signature_size);
    mem_free(&A->cx.mem, h->doc, h->doc_size);
    mem_free(&A->cx.mem, h, sizeof *h);
}

void api_drop_host(State *A, HostFn *h) {
    void (*destroy)(void *user) = h->destroy;
    void *user = h->user;
    host_free(A, h);
    if (destroy) destroy(user);
}

static Status copy_text(State *A, const char *text, char **out, size_t *size) {
    size_t n = strlen(text) + 1;
    char *p = mem_alloc(&A->cx.mem, n);
    if (!p) return error_memory(&A->cx, n);
    memcpy(p, text, n);
    *out = p;
    *size = n;
    return ARR_OK;
}

static Status host_new(State *A, const arr_function *f, HostFn **out) {
    HostFn *h = mem_zalloc(&A->cx.mem, sizeof *h);
    if (!h) return error_memory(&A->cx, sizeof *h);
    h->fn = f->fn;
    h->user = f->user;
    Status st = copy_text(A, f->signature, &h->signature, &h->signature_size);
    if (st == ARR_OK && f->doc) st = copy_text(A, f->doc, &h->doc, &h->doc_size);
    if (st == ARR_OK && strchr(f->signature, '(')) st = sig_parse(A, f->signature, &h->sig);
    if (st != ARR_OK) {
        host_free(A, h);
        return st;
    }
    *out = h;
    return ARR_OK;
}

/* The function and its name. Its end is told from now on (destroy), so set last. */
static Status function_new(State *A, const arr_function *def, Value *out) {
    HostFn *h;
    Symbol name = symbol_intern(A, def->signature, strcspn(def->signature, "( "));
    if (name < 0) return ARR_ERR_MEMORY;
    TRY(host_new(A, def, &h));
    Function *f = mem_zalloc(&A->cx.mem, sizeof *f);
    if (!f) {
        host_free(A, h);
        return error_memory(&A->cx, sizeof *f);
    }
    f->refs = 1;
    f->host = h;
    f->name = name;
    *out = (Value){.kind = V_FN, .fn = f};
    return ARR_OK;
}

/* The caller's struct, of whatever version, as ours. */
static bool read_function(const arr_function *from, arr_function *f) {
    *f = (arr_function){0};
    if (!from || from->size == 0 || from->size > sizeof *f) return false;
    memcpy(f, from, from->size);
    return f->signature && f->fn;
}

arr_status arr_value_function(arr_state *A, const arr_function *def, arr_value **out) {
    arr_function f;
    if (out) *out = NULL;
    if (!A || !out) return ARR_ERR_ARGUMENT;
    if (!read_function(def, &f))
        return api_refuse(A, "the arr_function lacks size, signature or fn");
    TRY(api_begin(A));
    Value v;
    Status st = function_new(A, &f, &v);
    if (st == ARR_OK) st = api_handle(A, v, out);
    if (st == ARR_OK) (*out)->v.fn->host->destroy = f.destroy;
    return api_end(A, st);
}

arr_status arr_define_function(arr_state *A, const arr_function *def) {
    arr_function f;
    if (!A) return ARR_ERR_ARGUMENT;
    if (!read_function(def, &f))
        return api_refuse(A, "the arr_function lacks size, signature or fn");
    TRY(api_begin(A));
    Value v;
    Status st = function_new(A, &f, &v);
    if (st == ARR_OK) {
        HostFn *h = v.fn->host;
        st = api_set_variable(A, symbol_text(A, v.fn->name), v);
        if (st == ARR_OK) h->destroy = f.destroy;
    }
    return api_end(A, st);
}

arr_status arr_define(arr_state *A, const char *name, arr_host_fn fn, void *user) {
    if (!A || !name || !fn) return ARR_ERR_ARGUMENT;
    if (!api_is_name(name)) {
        TRY(api_begin(A));
        return api_end(A, error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "'%s' is not a name", name));
    }
    return arr_define_function(
        A,
        &(arr_function){.size = sizeof(arr_function), .signature = name, .fn = fn, .user = user});
}

/* ---- calls of the host ---- */

arr_status arr_fail(arr_state *A, arr_status s, const char *message) {
    if (!A || s == ARR_OK) return ARR_ERR_ARGUMENT;
    error_clear(&A->cx);
    return error_set(&A->cx, s, SPAN_NONE, "%s", message ? message : arr_status_name(s));
}

/* What a host function has answered becomes the call's outcome. */
static Status host_outcome(State *A, const Function *fn, Status st, arr_value *result, Value *out) {
    const char *name = symbol_text(A, fn->name);
    if (st != ARR_OK && A->cx.err.status == ARR_OK && A->status == st) {
        A->cx.err = A->last_error; /* handed on from a call of its own */
    } else if (st != ARR_OK) {
        st = error_set(&A->cx, st, SPAN_NONE, "%s failed", name);
    } else if (result && !handle_of(A, result)) {
        st = error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE,
                       "%s answered a value of another state, or one given back", name);
    }
    if (st != ARR_OK) return st;
    error_clear(&A->cx); /* one that the host function has dealt with */
    *out = result ? value_retain(result->v) : VALUE_NONE;
    return ARR_OK;
}

static APART Status call_with(State *A, Function *fn, arr_value *handle, const arr_value **list,
                              const Value *args, int n, Value *out) {
    arr_value *result = NULL;
    for (int i = 0; i < n; i++) {
        handle[i] = (arr_value){.life = HANDLE_ALIVE, .borrowed = true, .A = A, .v = args[i]};
        list[i] = args[i].kind == V_UNSET ? NULL : &handle[i];
    }
    A->status = ARR_OK;
    Status st = fn->host->fn(A, fn->host->user, (size_t)n, list, &result);
    st = host_outcome(A, fn, st, result, out);
    for (int i = 0; i < n; i++) api_drop_caches(&handle[i]);
    if (handle_of(A, result)) arr_value_free(result);
    return st;
}

Status api_call_host(State *A, Function *fn, const Value *args, int n, Value *out) {
    enum { FEW = 6 };
    if (n <= FEW) {
        arr_value handle[FEW];
        const arr_value *list[FEW];
        return call_with(A, fn, handle, list, args, n, out);
    }
    size_t size = (size_t)n * (sizeof(arr_value) + sizeof(arr_value *));
    arr_value *handle = mem_alloc(&A->cx.mem, size);
    if (!handle) return error_memory(&A->cx, size);
    Status st = call_with(A, fn, handle, (const arr_value **)(handle + n), args, n, out);
    mem_free(&A->cx.mem, handle, size);
    return st;
}

/* ---- calls by the host ---- */

static Status fill_positional(State *A, size_t n, const arr_value *const *args, Value *to) {
    for (size_t i = 0; i < n; i++) {
        if (!handle_of(A, args[i])) return api_bad_handle(A);
        to[i] = value_retain(args[i]->v);
    }
    return ARR_OK;
}

/* Pairs of a name's number and a value. */
static Status fill_named(State *A, size_t n, const char *const *names,
                         const arr_value *const *values, Value *to) {
    for (size_t i = 0; i < n; i++) {
        if (!names[i] || !handle_of(A, values[i])) return api_bad_handle(A);
        Symbol s = symbol_intern(A, names[i], strlen(names[i]));
        if (s < 0) return ARR_ERR_MEMORY;
        to[2 * i] = value_int(s);
        to[2 * i + 1] = value_retain(values[i]->v);
    }
    return ARR_OK;
}

arr_status arr_call_named(arr_state *A, const arr_value *fn, size_t nargs,
                          const arr_value *const *args, size_t nnamed, const char *const *names,
                          const arr_value *const *values, arr_value **out) {
    if (out) *out = NULL;
    if (!A) return ARR_ERR_ARGUMENT;
    if ((nargs && !args) || (nnamed && (!names || !values)) || nargs + nnamed > INT16_MAX)
        return api_refuse(A, "there are no arguments, or too many");
    TRY(api_begin(A));
    if (!handle_of(A, fn)) return api_end(A, api_bad_handle(A));
    size_t n = nargs + 2 * nnamed;
    Value v = VALUE_NONE, *list = stack_take(A, n);
    if (!list) return api_end(A, ARR_ERR_MEMORY);
    Status st = fill_positional(A, nargs, args, list);
    if (st == ARR_OK) st = fill_named(A, nnamed, names, values, list + nargs);
    CallArgs ca = {.args = list, .npos = (int)nargs, .nnamed = (int)nnamed, .at = A->cx.span};
    if (st == ARR_OK) st = call_value(A, &fn->v, &ca, &v);
    stack_give(A, list, n);
    if (st == ARR_OK && out)
        st = api_handle(A, v, out);
    else if (st == ARR_OK)
        value_release(A, v);
    return api_end(A, st);
}

arr_status arr_call(arr_state *A, const arr_value *fn, size_t nargs, const arr_value *const *args,
                    arr_value **out) {
    return arr_call_named(A, fn, nargs, args, 0, NULL, NULL, out);
}

/* ---- programs ---- */

static Status check_params(State *A, const char *const *params, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!params[i] || !api_is_name(params[i])) {
            return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "parameter %zu, '%s', is not a name",
                             i + 1, params[i] ? params[i] : "NULL");
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(params[i], params[k]) == 0)
                return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "two parameters are named '%s'",
                                 params[i]);
        }
    }
    return ARR_OK;
}

/* The value of the text's one expression: the function. */
static Status make_program(State *A, Source *s, Value *out) {
    Frame frame = {.module = A->main, .source = s, .result = VALUE_NONE, .caller = A->frame};
    TRY(resolve_source(A, s, A->main));
    A->frame = &frame;
    Status st = eval_fn(A, &frame, s->root->items[0]->a, out);
    A->frame = frame.caller;
    return st;
}

arr_status arr_compile(arr_state *A, const char *text, const char *name, const char *const *params,
                       size_t nparams, arr_value **out) {
    if (out) *out = NULL;
    if (!A) return ARR_ERR_ARGUMENT;
    if (!text || !out || (nparams && !params) || nparams > INT16_MAX)
        return api_refuse(A, "text, out or the parameters are NULL");
    TRY(api_begin(A));
    Source *s = NULL;
    Value v;
    Status st = check_params(A, params, nparams);
    if (st == ARR_OK) st = source_new(A, name ? name : "program", text, strlen(text), &s);
    if (st == ARR_OK) st = source_parse_body(A, s, params, (int)nparams);
    if (st == ARR_INCOMPLETE) st = ARR_ERR_SYNTAX; /* nothing is going to follow */
    if (st == ARR_OK) st = make_program(A, s, &v);
    if (st == ARR_OK) st = api_handle(A, v, out);
    source_release(A, s);
    return api_end(A, st);
}

arr_status arr_run(arr_state *A, const arr_value *program, size_t nargs,
                   const arr_value *const *args, arr_value **out) {
    return arr_call_named(A, program, nargs, args, 0, NULL, NULL, out);
}
