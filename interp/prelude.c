/* prelude - see the header. The table is prelude.def.
 *
 * Callers: env, symbol, help. Invariant: nothing of the stdlib is read before a program names one
 * of its functions, so that they cost nothing at the start. */
#include "interp/prelude.h"
#include "interp/env.h"
#include "interp/module.h"

#include <string.h>

static const struct {
    const char *name, *module;
} functions[] = {
#define PRELUDE(name, module) {#name, #module},
#include "interp/prelude.def"
#undef PRELUDE
};
enum { NFUNCTIONS = sizeof functions / sizeof *functions };

static size_t place(const char *name, size_t n) {
    size_t i = 0;
    while (i < NFUNCTIONS &&
           !(strlen(functions[i].name) == n && memcmp(functions[i].name, name, n) == 0))
        i++;
    return i;
}

bool prelude_has(const char *name, size_t n) { return place(name, n) < NFUNCTIONS; }

size_t prelude_count(void) { return NFUNCTIONS; }
const char *prelude_name(size_t i) { return functions[i].name; }

Value prelude_find(State *A, const char *name, size_t n) {
    size_t i = place(name, n);
    Module *m;
    if (i == NFUNCTIONS || A->cx.err.status != ARR_OK) return VALUE_UNSET;
    Span span = A->cx.span;
    Status st = module_stdlib(A, functions[i].module, &m);
    A->cx.span = span;
    if (st != ARR_OK) return VALUE_UNSET;
    Symbol s = symbol_intern(A, functions[i].name, n);
    const Value *v = s < 0 ? NULL : module_get(m, s);
    return v ? *v : VALUE_UNSET;
}
