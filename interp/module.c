/* module - import: finds a file or a stdlib module, runs it once, answers it as a value.
 *
 * Callers: eval_stmt, api. Invariant: a module is entered in the state's list before it runs, so
 * that a cycle is seen; one that failed loses its key, so that the next import tries again. */
#include "interp/module.h"
#include "interp/env.h"
#include "runtime/base/embed.h"
#include "runtime/base/file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* "a/b/c.arr" -> "a/b/"; "c.arr" -> "". */
static size_t dir_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

Status module_set_dir(State *A, Module *m, const char *path) {
    size_t n = dir_length(path);
    char *dir = mem_alloc(&A->cx.mem, n + 1);
    if (!dir) return error_memory(&A->cx, n + 1);
    memcpy(dir, path, n);
    dir[n] = '\0';
    mem_free(&A->cx.mem, m->dir, m->dir_size);
    m->dir = dir;
    m->dir_size = n + 1;
    return ARR_OK;
}

Status module_run(State *A, Module *m, Source *s, bool prompt) {
    Frame *caller = A->frame;
    Frame frame = {
        .module = m, .source = s, .result = VALUE_NONE, .prompt = prompt, .caller = caller};
    DType flt = A->rt->flt;
    A->frame = &frame;
    A->rt->flt = m->flt;
    Flow flow = FLOW_NEXT;
    Status st = exec_block(A, &frame, s->root, &flow);
    value_release(A, frame.result);
    A->frame = caller;
    A->rt->flt = caller ? flt : m->flt;
    return st;
}

static Module *module_loaded(State *A, const char *key) {
    for (Module *m = A->modules; m; m = m->next) {
        if (m->key && strcmp(m->key, key) == 0) return m;
    }
    return NULL;
}

static void forget_key(State *A, Module *m) {
    mem_free(&A->cx.mem, m->key, m->key_size);
    m->key = NULL;
    m->key_size = 0;
}

/* Run text as a new module. dir: of its own imports; shown: its name in messages. */
static Status load(State *A, const char *key, const char *name, const char *shown, const char *dir,
                   bool is_stdlib, const char *text, size_t n, Module **out) {
    Module *m;
    Source *s;
    TRY(module_new(A, key, name, dir, &m));
    m->is_stdlib = is_stdlib;
    m->flt = A->cx.opts.float32 && !is_stdlib ? DT_f32 : DT_f64;
    Status st = source_new(A, shown, text, n, &s);
    if (st == ARR_OK) {
        m->loading = true;
        st = source_parse(A, s);
        if (st == ARR_INCOMPLETE) st = ARR_ERR_SYNTAX;
        if (st == ARR_OK) st = resolve_source(A, s, m);
        if (st == ARR_OK) st = module_run(A, m, s, false);
        m->loading = false;
        source_release(A, s);
    }
    if (st != ARR_OK) forget_key(A, m);
    *out = m;
    return st;
}

Status module_stdlib(State *A, const char *name, Module **out) {
    enum { MOST = 256 };
    char key[MOST];
    if (strlen(name) + 16 > MOST) {
        return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "no stdlib module has such a long name");
    }
    snprintf(key, MOST, "stdlib/%s.arr", name);
    *out = module_loaded(A, key);
    if (*out) return ARR_OK;
    const EmbedFile *file = embed_find(key);
    if (!file) {
        return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE,
                         "there is no stdlib module '%s': a file is imported as import \"%s.arr\"",
                         name, name);
    }
    return load(A, key, name, key, "", true, file->text, file->size, out);
}

static Status import_stdlib(State *A, AstNode *n, Module **out) {
    A->cx.span = n->span;
    return module_stdlib(A, n->text.data, out);
}

/* The file as the host has it; *done false: it has it not. */
static Status import_from_host(State *A, AstNode *n, const char *path, bool *done, Module **out) {
    char key[PATH_MAX + 8], own[PATH_MAX];
    const char *text = NULL;
    size_t size = 0;
    *done = true;
    snprintf(key, sizeof key, "host:%s", path);
    *out = module_loaded(A, key);
    if (*out) return ARR_OK;
    A->cx.span = n->span;
    Status st = A->import(A, A->import_user, path, &text, &size);
    if (st != ARR_OK) return error_set(&A->cx, st, n->span, "the host gives no file %s", path);
    *done = text != NULL;
    if (!text) return ARR_OK;
    snprintf(own, sizeof own, "%.*s", (int)dir_length(path), path);
    return load(A, key, n->name.text, path, own, false, text, size, out);
}

static Status import_path(State *A, Frame *f, AstNode *n, Module **out) {
    char path[PATH_MAX], real[PATH_MAX];
    const char *name = n->text.data, *dir = name[0] == '/' ? "" : f->module->dir;
    if (strlen(dir) + n->text.len >= PATH_MAX || strlen(name) != n->text.len) {
        return error_set(&A->cx, ARR_ERR_IO, n->span, "the path is too long");
    }
    snprintf(path, PATH_MAX, "%s%s", dir, name);
    if (A->import) {
        bool done;
        Status st = import_from_host(A, n, path, &done, out);
        if (st != ARR_OK || done) return st;
    }
    TRY(file_identity(&A->cx, n->span, path, real));
    *out = module_loaded(A, real);
    if (*out) return ARR_OK;
    char *text;
    size_t size;
    TRY(file_read_all(&A->cx, n->span, path, &text, &size));
    char own[PATH_MAX];
    snprintf(own, PATH_MAX, "%.*s", (int)dir_length(path), path);
    Status st = load(A, real, n->name.text, path, own, false, text, size, out);
    mem_free(&A->cx.mem, text, size + 1);
    return st;
}

Status module_import(State *A, Frame *f, AstNode *n, Value *out) {
    Module *m;
    TRY(stack_check(A));
    Status st = n->flags & AST_PATH ? import_path(A, f, n, &m) : import_stdlib(A, n, &m);
    if (st != ARR_OK) {
        const Span *at = &A->cx.err.span; /* inside the file, not at the statement itself */
        if (at->src != n->span.src || at->lo != n->span.lo) error_frame(&A->cx, n->span, "import");
        return st;
    }
    if (m->loading) {
        return error_set(&A->cx, ARR_ERR_NAME, n->span,
                         "the imports go in a circle: %s is being imported already", n->text.data);
    }
    A->cx.span = n->span;
    *out = (Value){.kind = V_MODULE, .module = m};
    return ARR_OK;
}
