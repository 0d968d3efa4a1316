/* api - the public interface: states, evaluation, errors, variables, what the host is told.
 *
 * Argument checks and ownership only; the work is done elsewhere. Callers: hosts. Invariant: no
 * call leaves a pending error in the context: it is moved to last_error, where arr_error_* find it
 * until the next call. */
#include "interp/api.h"
#include "interp/env.h"
#include "interp/eval.h"
#include "interp/api_limits.h"
#include "interp/liveness.h"
#include "interp/module.h"
#include "runtime/base/file.h"
#include "runtime/profile.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *arr_version(void) {
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
    return TEXT(ARR_VERSION_MAJOR) "." TEXT(ARR_VERSION_MINOR) "." TEXT(ARR_VERSION_PATCH);
}

const char *arr_status_name(arr_status s) {
    switch (s) {
    case ARR_OK: return "ok";
    case ARR_INCOMPLETE: return "incomplete";
    case ARR_ERR_SYNTAX: return "syntax";
    case ARR_ERR_NAME: return "name";
    case ARR_ERR_TYPE: return "type";
    case ARR_ERR_DTYPE: return "dtype";
    case ARR_ERR_SHAPE: return "shape";
    case ARR_ERR_INDEX: return "index";
    case ARR_ERR_VALUE: return "value";
    case ARR_ERR_ARGUMENT: return "argument";
    case ARR_ERR_IO: return "io";
    case ARR_ERR_MEMORY: return "memory";
    case ARR_ERR_DEVICE: return "device";
    case ARR_ERR_LIMIT: return "limit";
    case ARR_ERR_INTERRUPT: return "interrupt";
    case ARR_ERR_ASSERT: return "assert";
    case ARR_ERR_USER: return "user";
    case ARR_ERR_EXIT: return "exit";
    case ARR_ERR_INTERNAL: return "internal";
    }
    return "unknown";
}

/* ---- open and close ---- */

static void *host_alloc(const arr_config *c, void *p, size_t old, size_t n) {
    if (c->alloc) return c->alloc(c->user, p, old, n);
    if (n == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, n);
}

/* The caller's struct, of whatever version, as ours. */
static bool read_config(const arr_config *from, arr_config *c) {
    *c = (arr_config)ARR_CONFIG_INIT;
    if (!from) return true;
    if (from->size == 0 || from->size > sizeof *c) return false;
    memcpy(c, from, from->size);
    return true;
}

arr_status arr_shared_open(const arr_config *config, arr_shared **out) {
    arr_config c;
    if (!out) return ARR_ERR_ARGUMENT;
    *out = NULL;
    if (!read_config(config, &c)) return ARR_ERR_ARGUMENT;
    *out = (arr_shared *)runtime_share_new(c.alloc, c.user, c.threads);
    return *out ? ARR_OK : ARR_ERR_MEMORY;
}

void arr_shared_close(arr_shared *s) { runtime_share_release((Shared *)s); }

arr_status arr_open(const arr_config *config, arr_state **out) {
    int host_errno = errno;
    if (!out) return ARR_ERR_ARGUMENT;
    *out = NULL;
    arr_config c;
    if (!read_config(config, &c)) return ARR_ERR_ARGUMENT;
    if (c.shared && !runtime_share_fits((Shared *)c.shared, c.alloc, c.user))
        return ARR_ERR_ARGUMENT;
    State *A = host_alloc(&c, NULL, 0, sizeof *A);
    if (!A) return ARR_ERR_MEMORY;
    memset((void *)A, 0, sizeof *A);
    A->nshells = -1;
    mem_init(&A->cx.mem, c.alloc, c.user);
    A->host_alloc = c.alloc;
    A->user = c.user;
    arr_status st = state_open(A, &c);
    if (st != ARR_OK) {
        if (c.notice && A->cx.err.message[0]) c.notice(c.user, A->cx.err.message);
        state_empty(A);
        state_close(A);
        host_alloc(&c, A, sizeof *A, 0);
        errno = host_errno;
        return st;
    }
    errno = host_errno;
    *out = A;
    return ARR_OK;
}

void arr_close(arr_state *A) {
    if (!A || A->nshells >= 0) return;
    if (!state_is_idle(A)) { /* from a host function, or beside a call: better lost than broken */
        if (A->notice) A->notice(A->user, "arr_close: a call of this state is running");
        return;
    }
    int host_errno = errno;
    (void)runtime_forked(A->rt);
    api_finish_fences(A);
    A->nexports++; /* what is emptied may be the state's own tensors: the end comes after it */
    A->nshells = A->nhandles + A->nfences;
    api_orphan_handles(A);
    state_empty(A);
    if (--A->nexports == 0) api_end_state(A);
    errno = host_errno;
}

void api_end_state(State *A) {
    arr_config c = {.alloc = A->host_alloc, .user = A->user};
    state_close(A);
    assert(atomic_load(&A->cx.mem.live) == A->nshells);
    host_alloc(&c, A, sizeof *A, 0);
}

/* ---- the frame of every call ---- */

Status api_begin(State *A) {
    TRY(state_enter(A));
    if (A->entered == 0) {
        stack_enter(A);
        error_clear(&A->cx);
        A->status = ARR_OK;
        A->last_error.status = ARR_OK;
        A->cx.span = SPAN_NONE;
        if (A->progress) A->begun = A->next_progress = state_clock();
    }
    A->entered++;
    return ARR_OK;
}

/* A host function may call in while a program runs; what fails then is its own affair, unless it
 * hands the status on (api_call_host). */
Status api_end(State *A, Status st) {
    A->entered--;
    if (st != ARR_OK) {
        if (A->cx.err.status == ARR_OK) error_set(&A->cx, st, SPAN_NONE, "%s", arr_status_name(st));
        A->last_error = A->cx.err;
        error_clear(&A->cx);
    }
    A->status = st;
    if (st != ARR_OK && A->entered == 0 && A->report && st != ARR_INCOMPLETE)
        A->report(A->report_user, st, arr_error_text(A));
    if (A->entered == 0) state_leave(A);
    return st;
}

Status api_refuse(State *A, const char *why) {
    TRY(api_begin(A));
    return api_end(A, error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE, "%s", why));
}

Status api_bad_handle(State *A) {
    return error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE,
                     "a handle is NULL, was given back, or belongs to another state");
}

/* ---- evaluation ---- */

/* Parse and run a source; *value: the last expression's value for a prompt. script: nothing is
 * going to follow it. */
static Status run_text(State *A, const char *name, const char *text, size_t n, bool script,
                       Value *value) {
    Source *s;
    TRY(source_new(A, name, text, n, &s));
    Status st = source_parse(A, s);
    if (st == ARR_INCOMPLETE && script) st = ARR_ERR_SYNTAX; /* nothing can follow a file */
    A->last_fresh = false;
    if (st == ARR_OK) st = resolve_source(A, s, A->main);
    if (st == ARR_OK && script) liveness_mark_script(s->root);
    if (st == ARR_OK) st = module_run(A, A->main, s, value != NULL);
    if (st == ARR_OK && value && A->last_fresh) *value = value_retain(A->last);
    source_release(A, s);
    return st;
}

arr_status arr_eval_n(arr_state *A, const char *text, size_t n, const char *name,
                      arr_value **value) {
    if (value) *value = NULL;
    if (!A || (!text && n)) return ARR_ERR_ARGUMENT;
    Value v = VALUE_NONE;
    TRY(api_begin(A));
    Status st = run_text(A, name ? name : "text", text, n, false, value ? &v : NULL);
    if (st == ARR_OK && value) st = api_handle(A, v, value);
    if (st == ARR_OK && value) (*value)->span = A->last_span;
    return api_end(A, st);
}

arr_status arr_eval(arr_state *A, const char *text, const char *name) {
    if (!text) return ARR_ERR_ARGUMENT;
    return arr_eval_n(A, text, strlen(text), name, NULL);
}

static Status set_args(State *A, int argc, char **argv) {
    Value t;
    TRY(value_tuple(A, (uint32_t)argc, &t));
    for (int i = 0; i < argc; i++) {
        Status st = value_str(A, argv[i], strlen(argv[i]), &t.tuple->items[i]);
        if (st != ARR_OK) {
            t.tuple->items[i] = VALUE_NONE;
            value_release(A, t);
            return st;
        }
    }
    value_release(A, A->args);
    A->args = t;
    Symbol s = symbol_find(A, "args", 4);
    if (s >= 0) A->symbols.entries[s].base_known = false;
    return ARR_OK;
}

static Status run_file(State *A, const char *path, int argc, char **argv) {
    char *text;
    size_t n;
    TRY(set_args(A, argc, argv));
    TRY(file_read_own(&A->cx, SPAN_NONE, path, &text, &n));
    Status st = module_set_dir(A, A->main, path);
    if (st == ARR_OK) st = run_text(A, path, text, n, true, NULL);
    mem_free(&A->cx.mem, text, n + 1);
    return st;
}

arr_status arr_run_file(arr_state *A, const char *path, int argc, char **argv) {
    if (!A || !path || argc < 0 || (argc && !argv)) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    return api_end(A, run_file(A, path, argc, argv));
}

arr_status arr_parse_check(arr_state *A, const char *text, size_t n) {
    if (!A || (!text && n)) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Source *s;
    Status st = source_new(A, "text", text, n, &s);
    if (st == ARR_OK) {
        st = source_parse(A, s);
        source_release(A, s);
    }
    return api_end(A, st);
}

/* ---- errors ---- */

const char *arr_error_text(arr_state *A) {
    if (!A || A->status == ARR_OK) return "";
    buf_clear(&A->error_text);
    report_error(A, &A->last_error, &A->error_text);
    A->error_text.failed = 0;
    return buf_text(&A->error_text);
}

const char *arr_error_message(arr_state *A) {
    return A && A->status != ARR_OK ? A->last_error.message : "";
}

arr_status arr_error_status(arr_state *A) { return A ? A->status : ARR_ERR_ARGUMENT; }

int arr_error_line(arr_state *A) {
    int line = 0, column;
    if (A && A->status != ARR_OK) source_position(A, A->last_error.span, &line, &column);
    return line;
}

int arr_exit_code(arr_state *A) { return A ? A->exit_code : 0; }

void arr_interrupt(arr_state *A) {
    int none = 0; /* a limit that is reached stops it as well, and stays */
    if (A) atomic_compare_exchange_strong(&A->cx.interrupt, &none, STOP_HOST);
}

/* ---- what the host is told ---- */

void arr_set_write(arr_state *A, void (*write)(void *user, const char *text, size_t n),
                   void *user) {
    if (!A) return;
    A->write = write;
    A->write_user = user;
}

void arr_set_error(arr_state *A, void (*error)(void *user, arr_status status, const char *text),
                   void *user) {
    if (!A) return;
    A->report = error;
    A->report_user = user;
}

void arr_set_import(arr_state *A, arr_import_fn load, void *user) {
    if (!A) return;
    A->import = load;
    A->import_user = user;
}

enum { PROGRESS_MS = 100 };

static void tell_progress(Cx *cx) {
    State *A = (State *)cx;
    double now = state_clock();
    if (now < A->next_progress) return;
    A->next_progress = now + 1e-3 * PROGRESS_MS;
    if (A->progress(A->progress_user, now - A->begun)) arr_interrupt(A);
}

void arr_set_progress(arr_state *A, int (*progress)(void *user, double seconds), void *user) {
    if (!A) return;
    A->progress = progress;
    A->progress_user = user;
    A->cx.poll = progress ? tell_progress : NULL;
    if (progress) A->begun = A->next_progress = state_clock();
}

/* ---- switches ---- */

arr_status arr_set_switch(arr_state *A, const char *name, const char *value) {
    if (!A || !name || !value) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Status st = ARR_OK;
    if (!opts_set(&A->cx.opts, name, value)) {
        st = error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE,
                       "no switch %s, or it does not take the value '%s'", name, value);
    } else if (strcmp(name, "device") == 0) {
        st = runtime_set_device(A->rt, SPAN_NONE, value);
    } else if (strcmp(name, "float") == 0) {
        A->main->flt = A->cx.opts.float32 ? DT_f32 : DT_f64;
        A->rt->flt = A->main->flt;
    } else if (strcmp(name, "fail_alloc") == 0) {
        A->cx.mem.fail_at = A->cx.opts.fail_alloc;
    }
    return api_end(A, st);
}

arr_status arr_profile(arr_state *A, const char **text) {
    if (text) *text = "";
    if (!A || !text) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    buf_clear(&A->profile_text);
    Status st = profile_table(A->rt, &A->profile_text);
    if (st == ARR_OK) *text = buf_text(&A->profile_text);
    return api_end(A, st);
}

const char *arr_switch_name(size_t i, const char **help) {
    const char *ignored;
    return opts_name(i, help ? help : &ignored);
}

/* ---- variables ---- */

bool api_is_name(const char *s) {
    if (parse_is_keyword(s, strlen(s))) return false;
    if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_')) return false;
    for (; *s; s++) {
        bool ok = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_' ||
                  (*s >= '0' && *s <= '9');
        if (!ok) return false;
    }
    return true;
}

Status api_set_variable(State *A, const char *name, Value v) {
    if (!api_is_name(name)) {
        value_release(A, v);
        return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "'%s' is not a name", name);
    }
    Symbol s = symbol_intern(A, name, strlen(name));
    int32_t at = s < 0 ? -1 : module_index(A, A->main, s);
    if (at < 0) {
        value_release(A, v);
        return ARR_ERR_MEMORY;
    }
    module_bind(A, A->main, at, v, SPAN_NONE);
    return ARR_OK;
}

arr_status arr_set(arr_state *A, const char *name, const arr_value *v) {
    if (!A || !name) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    if (!handle_of(A, v)) return api_end(A, api_bad_handle(A));
    return api_end(A, api_set_variable(A, name, value_retain(v->v)));
}

arr_status arr_get(arr_state *A, const char *name, arr_value **out) {
    if (out) *out = NULL;
    if (!A || !name || !out) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Symbol s = symbol_find(A, name, strlen(name));
    const Value *v = s < 0 ? NULL : module_get(A->main, s);
    Status st = v ? api_handle(A, value_retain(*v), out)
                  : error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "no variable '%s'", name);
    return api_end(A, st);
}

const char *arr_name_at(arr_state *A, const char *prefix, size_t i) {
    if (!A || !prefix) return NULL;
    size_t n = strlen(prefix);
    for (int32_t k = 0; k < A->main->n; k++) {
        const GlobalVar *v = &A->main->vars[k];
        const char *name = symbol_text(A, v->name);
        if (v->value.kind != V_UNSET && strncmp(name, prefix, n) == 0 && i-- == 0) return name;
    }
    char name[NAME_TEXT];
    for (size_t k = 0; env_base_name(k, name); k++) {
        if (strncmp(name, prefix, n) != 0) continue;
        Symbol s = symbol_find(A, name, strlen(name));
        if (s >= 0 && module_get(A->main, s)) continue; /* hidden: listed above */
        if (i-- > 0) continue;
        buf_clear(&A->text);
        buf_str(&A->text, name);
        return buf_text(&A->text);
    }
    return NULL;
}
