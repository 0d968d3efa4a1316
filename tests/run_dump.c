/* run_dump - golden dumps: tests/dump/.../NAME.arr is run once for every sibling NAME.<stage> with
 * that stage's dump on, and what is dumped must equal the sibling byte for byte. */
#include "tests/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const stages[] = {"tokens", "ast", "graph", "plan", "program", "cuda"};

/* The first line that differs, of both. */
static void fail_at_line(Unit *u, const char *golden, const char *expected, const char *actual) {
    size_t line = 1, same = 0, i = 0;
    for (; expected[i] && expected[i] == actual[i]; i++)
        if (expected[i] == '\n') line++, same = i + 1;
    char a[200], b[200];
    snprintf(a, sizeof a, "%.*s", (int)strcspn(expected + same, "\n"), expected + same);
    snprintf(b, sizeof b, "%.*s", (int)strcspn(actual + same, "\n"), actual + same);
    unit_fail(u, line, golden, a, b);
}

static void compare(Unit *u, const char *golden, const Text *expected) {
    Text actual = {0};
    text_add(&actual, u->notices.text ? u->notices.text : "", u->notices.n);
    if (text_same(expected, &actual)) {
        u->passed++;
    } else if (u->o->update) {
        if (!write_file(golden, &actual)) unit_fail(u, 0, "cannot be written", NULL, golden);
        fprintf(u->out, "%s: rewritten\n", golden);
    } else {
        text_puts(&actual, "");
        fail_at_line(u, golden, expected->text, actual.text);
    }
    free(actual.text);
}

static void run_stage(Unit *u, const char *stage, const Text *text) {
    char golden[1024];
    Text expected = {0};
    snprintf(golden, sizeof golden, "%.*s.%s", (int)strlen(u->path) - 4, u->path, stage);
    if (access(golden, F_OK) != 0) return;
    if (!read_file(golden, &expected)) unit_fail(u, 0, "cannot be read", NULL, golden);
    if (unit_open(u, "")) {
        u->notices.n = 0;
        arr_set_switch(u->A, "dump", stage);
        fprintf(u->out, "\001at %s\n", golden);
        /* The first two stages need no run. */
        if (strcmp(stage, "tokens") == 0 || strcmp(stage, "ast") == 0)
            arr_parse_check(u->A, text->text, text->n);
        else if (arr_run_file(u->A, u->path, 0, NULL) != ARR_OK)
            unit_fail(u, 0, golden, "no error", arr_error_text(u->A));
        compare(u, golden, &expected);
    }
    unit_close(u);
    free(expected.text);
}

void dump_run(Unit *u) {
    Text t = {0};
    Paths lines = {0};
    if (!read_file(u->path, &t))
        unit_fail(u, 0, "cannot be read", NULL, NULL);
    else
        split_lines(&t, &lines);
    if (!unit_direct(u, &lines))
        for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) run_stage(u, stages[i], &t);
    paths_free(&lines);
    free(t.text);
}
