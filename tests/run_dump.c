/* run_dump - golden dumps: tests/dump/.../NAME.arr is run once for every sibling NAME.<stage> with
 * that stage's dump on, and what is dumped must equal the sibling byte for byte. */
#include "tests/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const stages[] = {"tokens", "ast", "graph", "plan", "program", "cuda"};

static void compare(Unit *u, const char *golden, const Text *expected) {
    Text actual = {0};
    text_add(&actual, u->notices.text ? u->notices.text : "", u->notices.n);
    if (text_same(expected, &actual)) {
        u->passed++;
    } else if (u->o->update) {
        if (!write_file(golden, &actual)) unit_fail(u, 0, "cannot be written", NULL, golden);
        fprintf(u->out, "%s: rewritten\n", golden);
    } else {
        unit_fail(u, 0, golden, expected->text, actual.text);
    }
    free(actual.text);
}

static void run_stage(Unit *u, const char *stage) {
    char golden[1024];
    Text expected = {0};
    snprintf(golden, sizeof golden, "%.*s.%s", (int)strlen(u->path) - 4, u->path, stage);
    if (access(golden, F_OK) != 0) return;
    if (!read_file(golden, &expected)) unit_fail(u, 0, "cannot be read", NULL, golden);
    if (unit_open(u, "")) {
        u->notices.n = 0;
        arr_set_switch(u->A, "dump", stage);
        fprintf(u->out, "\001at %s\n", golden);
        /* Programs that end in an error show their first stages all the same. */
        arr_run_file(u->A, u->path, 0, NULL);
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
        for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) run_stage(u, stages[i]);
    paths_free(&lines);
    free(t.text);
}
