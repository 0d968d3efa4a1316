/* env - variables of modules (an indexed table with a hash beside it) and the language's own names.
 *
 * Callers: resolve, eval, module, api, suggest. Invariant: a variable keeps its index for the life
 * of its module, so that trees may hold it; unbinding leaves V_UNSET behind. */
#include "interp/env.h"
#include "interp/prelude.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t spread(Symbol s) { return (uint32_t)s * 2654435769u; }

static bool rehash(State *A, Module *m) {
    int32_t cap = m->table_cap ? m->table_cap * 2 : 64;
    int32_t *t = mem_alloc(&A->cx.mem, (size_t)cap * sizeof *t);
    if (!t) return false;
    memset(t, 0xff, (size_t)cap * sizeof *t);
    mem_free(&A->cx.mem, m->table, (size_t)m->table_cap * sizeof *t);
    m->table = t;
    m->table_cap = cap;
    for (int32_t k = 0; k < m->n; k++) {
        uint32_t i = spread(m->vars[k].name) & ((uint32_t)cap - 1);
        while (t[i] >= 0) i = (i + 1) & ((uint32_t)cap - 1);
        t[i] = k;
    }
    return true;
}

int32_t module_find(const Module *m, Symbol name) {
    if (m->table_cap == 0) return -1;
    uint32_t mask = (uint32_t)m->table_cap - 1;
    for (uint32_t i = spread(name) & mask; m->table[i] >= 0; i = (i + 1) & mask) {
        if (m->vars[m->table[i]].name == name) return m->table[i];
    }
    return -1;
}

int32_t module_index(State *A, Module *m, Symbol name) {
    int32_t at = module_find(m, name);
    if (at >= 0) return at;
    if (m->n == m->cap) {
        int32_t cap = m->cap ? m->cap * 2 : 32;
        GlobalVar *v =
            mem_realloc(&A->cx.mem, m->vars, (size_t)m->cap * sizeof *v, (size_t)cap * sizeof *v);
        if (!v) goto fail;
        m->vars = v;
        m->cap = cap;
    }
    if ((m->n + 1) * 2 > m->table_cap && !rehash(A, m)) goto fail;
    m->vars[m->n] = (GlobalVar){.name = name};
    uint32_t mask = (uint32_t)m->table_cap - 1, i = spread(name) & mask;
    while (m->table[i] >= 0) i = (i + 1) & mask;
    m->table[i] = m->n;
    return m->n++;
fail:
    error_memory(&A->cx, sizeof *m->vars);
    return -1;
}

const Value *module_get(const Module *m, Symbol name) {
    int32_t at = module_find(m, name);
    if (at < 0 || m->vars[at].value.kind == V_UNSET) return NULL;
    global_strengthen(&m->vars[at]);
    return &m->vars[at].value;
}

void global_weaken(GlobalVar *v) {
    if (v->weak || v->value.kind != V_ARRAY || v->value.node->state != NODE_PENDING) return;
    node_weaken(v->value.node);
    v->weak = true;
}

void module_bind(State *A, Module *m, int32_t index, Value v, Span at) {
    GlobalVar *var = &m->vars[index];
    global_strengthen(var);
    Value old = var->value;
    if (old.kind == V_UNSET) var->bound = at;
    var->value = v;
    value_release(A, old);
}

static char *copy_text(State *A, const char *s, size_t *size) {
    *size = strlen(s) + 1;
    char *p = mem_alloc(&A->cx.mem, *size);
    if (p) memcpy(p, s, *size);
    return p;
}

static void module_free(State *A, Module *m) {
    Mem *mem = &A->cx.mem;
    for (int32_t i = 0; i < m->n; i++) value_release(A, m->vars[i].value);
    mem_free(mem, m->vars, (size_t)m->cap * sizeof *m->vars);
    mem_free(mem, m->table, (size_t)m->table_cap * sizeof *m->table);
    mem_free(mem, m->key, m->key_size);
    mem_free(mem, m->dir, m->dir_size);
    mem_free(mem, m, sizeof *m);
}

Status module_new(State *A, const char *key, const char *name, const char *dir, Module **out) {
    Module *m = mem_zalloc(&A->cx.mem, sizeof *m);
    if (!m) return error_memory(&A->cx, sizeof *m);
    if (key) m->key = copy_text(A, key, &m->key_size);
    m->dir = copy_text(A, dir, &m->dir_size);
    m->name = symbol_intern(A, name, strlen(name));
    m->flt = DT_f64;
    if ((key && !m->key) || !m->dir || m->name < 0) {
        module_free(A, m);
        return error_memory(&A->cx, sizeof *m);
    }
    m->next = A->modules;
    A->modules = m;
    *out = m;
    return ARR_OK;
}

void modules_free(State *A) {
    /* values first: a function of one module may be held by another */
    for (Module *m = A->modules; m; m = m->next) {
        for (int32_t i = 0; i < m->n; i++) {
            Value v = m->vars[i].value;
            global_strengthen(&m->vars[i]);
            m->vars[i].value = VALUE_UNSET;
            value_release(A, v);
        }
    }
    while (A->modules) {
        Module *m = A->modules;
        A->modules = m->next;
        module_free(A, m);
    }
    A->main = NULL;
}

/* ---- what the language binds ---- */

static const struct {
    const char *name;
    Value value;
} constants[] = {
    {"pi", {.kind = V_FLOAT, .f = 3.141592653589793}},
    {"e", {.kind = V_FLOAT, .f = 2.718281828459045}},
    {"inf", {.kind = V_FLOAT, .f = INFINITY}},
    {"nan", {.kind = V_FLOAT, .f = NAN}},
    {"newaxis", {.kind = V_NONE}},
};
enum { NCONSTANTS = sizeof constants / sizeof *constants };

Value env_base(State *A, const char *name, size_t n) {
    for (size_t i = 0; i < NCONSTANTS; i++) {
        if (strlen(constants[i].name) == n && memcmp(constants[i].name, name, n) == 0) {
            return constants[i].value;
        }
    }
    if (n == 4 && memcmp(name, "args", 4) == 0) return A->args;
    /* bool the dtype is also bool the conversion: a dtype that is called casts */
    DType d;
    if (dtype_find(name, n, &d)) return value_dtype(d);
    Value builtin = builtin_find(A, name, n);
    return builtin.kind != V_UNSET ? builtin : prelude_find(A, name, n);
}

bool env_base_name(size_t i, char out[NAME_TEXT]) {
    const char *name;
    size_t n, rest = NCONSTANTS + 1 + DT_COUNT;
    if (i < NCONSTANTS) {
        name = constants[i].name;
    } else if (i == NCONSTANTS) {
        name = "args";
    } else if (i < rest) {
        name = dtype_name((DType)(i - NCONSTANTS - 1));
    } else if (i - rest < prelude_count()) {
        name = prelude_name(i - rest);
    } else {
        const BuiltinDef *def = builtin_at(i - rest - prelude_count());
        if (!def) return false;
        snprintf(out, NAME_TEXT, "%.*s", (int)builtin_name_length(def), def->sig);
        return true;
    }
    n = strlen(name);
    if (n >= NAME_TEXT) n = NAME_TEXT - 1;
    memcpy(out, name, n);
    out[n] = '\0';
    return true;
}
