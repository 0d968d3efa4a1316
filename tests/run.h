/* run - what the files of the runner share (see run.c). */
#ifndef TESTS_RUN_H
#define TESTS_RUN_H

#include "interp/arr.h"

#include <stdbool.h>
#include <stdio.h>

/* ---- run_util.c: text, lines, paths. Out of memory ends the process. ------------------------- */

typedef struct Text {
    char *text; /* NUL-terminated once something was added */
    size_t n, cap;
} Text;
void text_add(Text *t, const char *s, size_t n);
void text_puts(Text *t, const char *s);
/* Blanks at line ends and empty lines at the end are dropped. */
void text_trim(Text *t);
bool text_same(const Text *a, const Text *b);

typedef struct Paths {
    char **item;
    size_t n, cap;
} Paths;
/* A file, a directory's tests in order, or "help"; those that hold `only` (NULL: all). */
void paths_find(Paths *p, const char *path, const char *only);
void paths_add(Paths *p, const char *path);
void paths_free(Paths *p);

bool is_suffix(const char *s, const char *end);
bool is_prefix(const char *s, const char *begin);
/* A directory and its parents. */
void make_dirs(const char *path);
bool read_file(const char *path, Text *out);
bool write_file(const char *path, const Text *t);

/* ---- a unit ---------------------------------------------------------------------------------- */

typedef struct RunOptions {
    const char *device, *switches, *only, *tmp;
    bool update;
    int jobs;
} RunOptions;

typedef struct Unit {
    const RunOptions *o;
    const char *path;
    FILE *out; /* failures; lines that begin with \001 are for the parent */
    bool sanitized;
    int passed, failed, skipped;
    /* directives */
    char device[32], switches[256], dir[256], flt[8], words[256];
    int threads;
    bool script, slow;
    /* the state and what it said */
    arr_state *A;
    Text printed, notices;
    bool describe; /* a line of dtype and shape after arrays, as the prompt has */
} Unit;

/* run_unit.c */
void unit_fail(Unit *u, size_t line, const char *what, const char *expected, const char *actual);
/* Directives of a file's first lines; true: the unit is skipped (and counted). */
bool unit_direct(Unit *u, const Paths *lines);
bool unit_open(Unit *u, const char *more_switches);
void unit_close(Unit *u);
/* Evaluate as a prompt does: what was printed, then the value. */
arr_status unit_eval(Unit *u, const char *text, size_t n, const char *name, Text *out);
/* Split into lines; every item is one, without its newline. */
void split_lines(const Text *t, Paths *lines);

/* run_example.c, run_dump.c */
void example_run(Unit *u);
void markdown_run(Unit *u);
void help_run(Unit *u);
void dump_run(Unit *u);

#endif
