/* module - import: files and stdlib modules, each run once a state.
 * Callers: eval_stmt (import), api (the script that a host runs). */
#ifndef ARR_MODULE_H
#define ARR_MODULE_H

#include "interp/eval.h"

Status module_import(State *A, Frame *f, AstNode *n, Value *out);
/* The stdlib module of that name, run if it has not been. */
Status module_stdlib(State *A, const char *name, Module **out);
/* Run a resolved source's statements as the top level of m. */
Status module_run(State *A, Module *m, Source *s, bool prompt);
/* The directory of path: what m's imports are relative to. */
Status module_set_dir(State *A, Module *m, const char *path);

#endif
