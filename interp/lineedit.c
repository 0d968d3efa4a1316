/* lineedit - readline's callback interface, so that a signal and a key are waited for together.
 * Readline keeps its state in globals; so does this file (see lineedit.h). */
#include "interp/lineedit.h"
#include "interp/signals.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HISTORY_MAX = 10000 };

static struct {
    arr_state *A;
    const char *history;
    char *line;
    bool done;
} edit;

static char *next_name(const char *prefix, int again) {
    static size_t at;
    if (!again) at = 0;
    const char *name = arr_name_at(edit.A, prefix, at++);
    return name ? strdup(name) : NULL;
}

static char **complete(const char *text, int start, int end) {
    (void)end;
    /* Inside a string or after a dot only readline's file names make sense. */
    int quotes = 0;
    for (int i = 0; i < start; i++) quotes += rl_line_buffer[i] == '"';
    if (quotes % 2) return NULL;
    rl_attempted_completion_over = 1;
    return rl_completion_matches(text, next_name);
}

void lineedit_open(arr_state *A, const char *history) {
    edit.A = A;
    edit.history = history;
    setlocale(LC_CTYPE, ""); /* how wide characters are; numbers keep their points */
    rl_readline_name = "arr";
    rl_attempted_completion_function = complete;
    rl_completion_append_character = '\0';
    rl_basic_word_break_characters = " \t\n\"'`@$><=;|&{}()[]+-*/%^~,:!.";
    using_history();
    stifle_history(HISTORY_MAX);
    if (history) read_history(history);
}

static void on_line(char *line) {
    edit.line = line;
    edit.done = true;
    rl_callback_handler_remove();
}

static LineStatus drop_line(void) {
    int taken = signals_taken();
    rl_free_line_state();
    rl_callback_sigcleanup();
    rl_callback_handler_remove();
    fputs(taken == SIGTERM ? "\n" : "^C\n", stdout);
    fflush(stdout);
    return taken == SIGTERM ? LINE_TERMINATE : LINE_INTERRUPT;
}

static void remember(const char *line) {
    if (!*line) return;
    HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
    if (last && strcmp(last->line, line) == 0) return;
    add_history(line);
    if (!edit.history) return;
    if (append_history(1, edit.history) == ENOENT) write_history(edit.history);
}

LineStatus lineedit_read(const char *prompt, char **line) {
    struct pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {signals_fd(), POLLIN, 0}};
    edit.done = false;
    edit.line = NULL;
    rl_callback_handler_install(prompt, on_line);
    while (!edit.done) {
        if (poll(fds, 2, -1) < 0) {
            /* Stopped and continued, or another window size: readline's own handlers noted it. */
            if (errno != EINTR) break;
            rl_check_signals();
            continue;
        }
        if (fds[1].revents) return drop_line();
        if (fds[0].revents) rl_callback_read_char();
    }
    if (!edit.done) rl_callback_handler_remove();
    if (!edit.line) return LINE_END;
    remember(edit.line);
    *line = edit.line;
    return LINE_OK;
}

void lineedit_close(void) {
    if (edit.history) history_truncate_file(edit.history, HISTORY_MAX);
}
