/* lineedit - one line from a terminal: editing, history and completion by GNU readline.
 *
 * Caller: repl.c. Part of the program alone (readline is under the GPL; the library stays free of
 * it). Invariant: the terminal is in its own mode whenever lineedit_read is not running. */
#ifndef ARR_LINEEDIT_H
#define ARR_LINEEDIT_H

#include "interp/arr.h"

typedef enum LineStatus {
    LINE_OK,
    LINE_END,       /* Ctrl-D or end of input */
    LINE_INTERRUPT, /* Ctrl-C: the line is dropped */
    LINE_TERMINATE  /* SIGTERM */
} LineStatus;

/* history: the file that lines are kept in, or NULL. Names are completed from A. */
void lineedit_open(arr_state *A, const char *history);
/* *line is malloc'ed, without its newline; a paste may bring several lines at once. */
LineStatus lineedit_read(const char *prompt, char **line);
void lineedit_close(void);

#endif
