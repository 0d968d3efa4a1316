/* help - what help(f) prints.
 * Callers: the table of builtin_system. */
#ifndef ARR_HELP_H
#define ARR_HELP_H

#include "interp/builtin.h"

Status system_help(State *A, const Value *args, Value *out);

#endif
