/* signals - how the program takes SIGINT and SIGTERM: blocked in every thread, taken by one that
 * waits for them, so that nothing in the process is interrupted by a handler.
 *
 * Callers: main.c, repl.c, lineedit.c. Invariant: arr_interrupt is called only for a state that was
 * announced with signals_busy and not yet with signals_idle. */
#ifndef ARR_SIGNALS_H
#define ARR_SIGNALS_H

#include "interp/arr.h"

#include <stdbool.h>

/* First thing in main, before any thread exists; keep_going: a second SIGINT during one evaluation
 * does not end the process (the prompt). false: no thread or pipe to be had. */
bool signals_start(bool keep_going);
/* A begins to evaluate: signals interrupt it; idle: they wait at signals_fd. */
void signals_busy(arr_state *A);
void signals_idle(void);
/* Readable once a signal came while idle. */
int signals_fd(void);
/* The signal that came since the last call, 0 if none; SIGTERM goes before SIGINT and stays. */
int signals_taken(void);
/* End the process as the signal would have by default. */
void signals_die(int sig);

#endif
