/* repl - statements one by one, as a prompt evaluates them: read, check whether the text is whole,
 * evaluate, show the value. Uses the public interface only.
 *
 * Caller: main.c. Both answer the process's exit status. */
#ifndef ARR_REPL_H
#define ARR_REPL_H

#include "interp/arr.h"

/* The interactive prompt. history: file or NULL. */
int repl_run(arr_state *A, const char *history);
/* A text given at once (`-e`): values are shown; the first error ends it. */
int repl_text(arr_state *A, const char *text, size_t n, const char *name);

#endif
