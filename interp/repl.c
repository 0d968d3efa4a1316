/* repl - the prompt, its `:` commands, and `-e` (see repl.h).
 *
 * A statement is whole when arr_parse_check says so; until then lines are collected. Invariant: the
 * collected text is empty whenever the primary prompt shows. */
#include "interp/repl.h"
#include "interp/lineedit.h"
#include "interp/signals.h"

#include <ctype.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Repl {
    arr_state *A;
    const char *name; /* of the text in messages */
    bool describe;    /* a last line with dtype and shape after arrays */
    char *text;       /* the statement so far */
    size_t n, cap;
    size_t line; /* of the statement's first line in the text, from 0 */
    bool over;   /* leave the loop with `status` */
    int status;
} Repl;

/* ---- showing -------------------------------------------------------------------------------- */

static void show_error(Repl *r) {
    fflush(stdout);
    fputs(arr_error_text(r->A), stderr);
}

static arr_status show_value(Repl *r, const arr_value *v) {
    const char *text;
    if (!v || arr_value_kind(v) == ARR_KIND_NONE) return ARR_OK;
    arr_status s = arr_value_format(v, &text);
    if (s != ARR_OK) return s;
    puts(text);
    if (!r->describe || arr_value_kind(v) != ARR_KIND_ARRAY) return ARR_OK;
    s = arr_value_describe(v, &text);
    if (s == ARR_OK) puts(text);
    return s;
}

/* ---- evaluating ----------------------------------------------------------------------------- */

static arr_status eval_shown(Repl *r, const char *text, size_t n) {
    arr_value *v = NULL;
    signals_busy(r->A);
    arr_status s = arr_eval_n(r->A, text, n, r->name, &v);
    if (s == ARR_OK) s = show_value(r, v);
    signals_idle();
    if (s == ARR_ERR_EXIT) {
        r->over = true;
        r->status = arr_exit_code(r->A);
    } else if (s != ARR_OK) {
        show_error(r);
    }
    arr_value_free(v);
    fflush(stdout);
    return s;
}

static bool append(Repl *r, const char *text, size_t n) {
    if (r->n + n + 1 > r->cap) {
        size_t cap = 2 * r->cap + n + 256;
        char *p = realloc(r->text, cap);
        if (!p) return false;
        r->text = p;
        r->cap = cap;
    }
    memcpy(r->text + r->n, text, n);
    r->n += n;
    r->text[r->n] = '\0';
    return true;
}

/* Blank lines before the statement, so that positions are those of the whole text. */
static bool begin(Repl *r) {
    for (size_t i = 0; r->n == 0 && i < r->line; i++)
        if (!append(r, "\n", 1)) return false;
    return true;
}

/* Does the first line of text that says something belong to the statement before it? */
static bool line_continues(const char *text, const char *end) {
    static const char *const words[] = {"else", "elif", "catch"};
    while (text < end) {
        if (*text == '#')
            while (text < end && *text != '\n') text++;
        else if (isspace((unsigned char)*text))
            text++;
        else
            break;
    }
    size_t n = (size_t)(end - text);
    if (n >= 2 && text[0] == '|' && text[1] == '>') return true;
    if (n >= 2 && text[0] == '.') return isalpha((unsigned char)text[1]) || text[1] == '_';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t k = strlen(words[i]);
        bool begins = n >= k && memcmp(text, words[i], k) == 0;
        if (begins && (n == k || !(isalnum((unsigned char)text[k]) || text[k] == '_'))) return true;
    }
    return false;
}

/* Nothing but blanks and comments: what may turn out to be the help of a function below. */
static bool is_comment(const char *text, size_t n) {
    size_t i = 0;
    while (i < n && isspace((unsigned char)text[i])) i++;
    if (i == n || text[i] != '#') return false;
    for (; i < n; i++) {
        if (text[i] == '#')
            while (i < n && text[i] != '\n') i++;
        else if (!isspace((unsigned char)text[i]))
            return false;
    }
    return true;
}

/* One more line. rest to end: what is known to follow. ARR_INCOMPLETE: more are needed. */
static arr_status feed(Repl *r, const char *line, size_t n, const char *rest, const char *end) {
    if (!begin(r) || !append(r, line, n) || !append(r, "\n", 1)) {
        fputs("out of memory\n", stderr);
        return ARR_ERR_MEMORY;
    }
    bool more = rest < end && (line_continues(rest, end) || is_comment(r->text, r->n));
    if (more || arr_parse_check(r->A, r->text, r->n) == ARR_INCOMPLETE) return ARR_INCOMPLETE;
    arr_status s = eval_shown(r, r->text, r->n);
    r->n = 0;
    return s;
}

/* ---- commands ------------------------------------------------------------------------------- */

static void list_switches(void) {
    const char *name, *help;
    for (size_t i = 0; (name = arr_switch_name(i, &help)); i++)
        printf("  :set %s=...%*s %s\n", name, (int)(12 - strlen(name)), "", help);
}

static void command_set(Repl *r, char *words) {
    char *value = strchr(words, '=');
    if (!*words) {
        list_switches();
        return;
    }
    if (!value) {
        fputs("write :set name=value; :set alone lists the names\n", stderr);
        return;
    }
    *value++ = '\0';
    if (arr_set_switch(r->A, words, value) != ARR_OK) show_error(r);
}

/* :profile on, :profile off, and :profile, which shows the table and begins anew. */
static void command_profile(Repl *r, const char *word) {
    const char *text;
    bool on = strcmp(word, "on") == 0;
    if (on || strcmp(word, "off") == 0) {
        if (arr_set_switch(r->A, "profile", on ? "1" : "0") != ARR_OK) show_error(r);
    } else if (*word) {
        fputs("write :profile on, :profile off, or :profile for the table\n", stderr);
    } else if (arr_profile(r->A, &text) == ARR_OK) {
        fputs(text, stdout);
    } else {
        show_error(r);
    }
}

static void command_help(Repl *r, const char *topic) {
    char text[256];
    if (*topic) {
        int n = snprintf(text, sizeof text, "help(%s)", topic);
        if (n > 0 && (size_t)n < sizeof text) eval_shown(r, text, (size_t)n);
        return;
    }
    puts("An expression shows its value; a `;` at its end hides it. Tab completes names.\n"
         "  help(sum)        what a function does\n"
         "  :help sum        the same\n"
         "  :set name=value  a debug switch; :set alone lists them\n"
         "  :profile on      count and time kernels; :profile shows them, :profile off stops\n"
         "  :quit            leave (so does Ctrl-D)\n"
         "Ctrl-C drops the line, or stops what runs.");
}

static void command(Repl *r, char *line) {
    char *words = line + strcspn(line, " \t");
    if (*words) *words++ = '\0';
    words += strspn(words, " \t");
    size_t n = strlen(words);
    while (n && (words[n - 1] == ' ' || words[n - 1] == '\t')) words[--n] = '\0';
    if (strcmp(line, ":quit") == 0 || strcmp(line, ":q") == 0)
        r->over = true;
    else if (strcmp(line, ":help") == 0)
        command_help(r, words);
    else if (strcmp(line, ":set") == 0)
        command_set(r, words);
    else if (strcmp(line, ":profile") == 0)
        command_profile(r, words);
    else
        fprintf(stderr, "unknown command %s: there are :help, :set, :profile and :quit\n", line);
}

/* ---- loops ---------------------------------------------------------------------------------- */

/* The lines of one entry; a paste is several. */
static void feed_entry(Repl *r, char *text) {
    const char *last = text + strlen(text);
    while (!r->over) {
        char *end = strchr(text, '\n');
        if (end) *end = '\0';
        const char *rest = end ? end + 1 : last;
        if (r->n == 0 && text[0] == ':')
            command(r, text);
        else
            feed(r, text, strlen(text), rest, last);
        if (!end) return;
        text = end + 1;
    }
}

int repl_run(arr_state *A, const char *history) {
    Repl r = {.A = A, .name = "prompt", .describe = true};
    printf("Arr %s. :help tells more, Ctrl-D leaves.\n", arr_version());
    lineedit_open(A, history);
    while (!r.over) {
        char *line = NULL;
        switch (lineedit_read(r.n ? "... " : ">>> ", &line)) {
        case LINE_OK: feed_entry(&r, line); break;
        case LINE_INTERRUPT: r.n = 0; break;
        case LINE_END: puts(""); /* fall through */
        case LINE_TERMINATE: r.over = true; break;
        }
        free(line);
        if (signals_taken() == SIGTERM) r.over = true;
    }
    lineedit_close();
    free(r.text);
    return r.status;
}

int repl_text(arr_state *A, const char *text, size_t n, const char *name) {
    Repl r = {.A = A, .name = name};
    const char *end = text + n;
    arr_status s = ARR_OK;
    size_t line = 0;
    while (text < end && !r.over && (s == ARR_OK || s == ARR_INCOMPLETE)) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        if (r.n == 0) r.line = line;
        s = feed(&r, text, (size_t)(stop - text), stop < end ? stop + 1 : end, end);
        text = stop + 1;
        line++;
    }
    if (s == ARR_INCOMPLETE) s = eval_shown(&r, r.text, r.n); /* for its message */
    free(r.text);
    if (r.over) return r.status;
    return s == ARR_OK ? 0 : 1;
}
