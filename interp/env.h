/* env - top-level names of modules, and what the language binds by itself.
 * Callers: the resolver (indices), eval (reads and binds through them), api, module. */
#ifndef ARR_ENV_H
#define ARR_ENV_H

#include "interp/state.h"

/* The index of a name among a module's variables, made if new (unbound). -1: out of memory. */
int32_t module_index(State *A, Module *m, Symbol name);
/* The same without making it: -1 if unknown. */
int32_t module_find(const Module *m, Symbol name);
/* The bound value or NULL. */
const Value *module_get(const Module *m, Symbol name);
/* After the last read of a script's variable: a pending array in it need not be stored. It stays
 * readable; whoever reads it strengthens it first. */
void global_weaken(GlobalVar *v);
static inline void global_strengthen(GlobalVar *v) {
    if (__builtin_expect(v->weak, 0)) {
        node_strengthen(v->value.node);
        v->weak = false;
    }
}
/* Bind (takes v). at: where, for messages about hidden names. */
void module_bind(State *A, Module *m, int32_t index, Value v, Span at);
Status module_new(State *A, const char *key, const char *name, const char *dir, Module **out);
void modules_free(State *A);

/* A builtin, dtype or constant of that name; V_UNSET if none. Borrowed. */
Value env_base(State *A, const char *name, size_t n);
/* The i-th name that the language binds, copied to out (cut to its size); false past the end:
 * completion and suggestions. */
bool env_base_name(size_t i, char out[NAME_TEXT]);

#endif
