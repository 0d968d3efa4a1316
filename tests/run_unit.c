/* run_unit - a unit's directives, its state, one evaluation as a prompt makes it. */
#include "tests/run.h"

#include <stdlib.h>
#include <string.h>

void unit_fail(Unit *u, size_t line, const char *what, const char *expected, const char *actual) {
    u->failed++;
    fprintf(u->out, "%s:%zu: %s\n", u->path, line, what);
    if (expected) fprintf(u->out, "  expected: %s\n", expected);
    if (actual) fprintf(u->out, "  actual:   %s\n", actual);
}

void split_lines(const Text *t, Paths *lines) {
    const char *s = t->text, *end = t->text + t->n;
    while (s < end) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        Text one = {0};
        if (!stop) stop = end;
        text_add(&one, s, (size_t)(stop - s));
        paths_add(lines, one.text);
        free(one.text);
        s = stop + 1;
    }
}

static bool copy(char *to, size_t size, const char *from) {
    return snprintf(to, size, "%s", from) < (int)size;
}

static bool direct(Unit *u, const char *word, const char *rest) {
    if (strcmp(word, "device") == 0) return copy(u->device, sizeof u->device, rest);
    if (strcmp(word, "switches") == 0) return copy(u->switches, sizeof u->switches, rest);
    if (strcmp(word, "float") == 0) return copy(u->flt, sizeof u->flt, rest);
    if (strcmp(word, "dir") == 0) return copy(u->dir, sizeof u->dir, rest);
    if (strcmp(word, "args") == 0) return copy(u->words, sizeof u->words, rest);
    if (strcmp(word, "threads") == 0) return (u->threads = atoi(rest)) > 0;
    if (strcmp(word, "script") == 0) return u->script = true;
    if (strcmp(word, "slow") == 0) return u->slow = true;
    return false;
}

bool unit_direct(Unit *u, const Paths *lines) {
    for (size_t i = 0; i < lines->n && is_prefix(lines->item[i], "#"); i++) {
        char word[32] = "", rest[256] = "";
        if (!is_prefix(lines->item[i], "#:")) continue;
        if (sscanf(lines->item[i], "#: %31s %255[^\n]", word, rest) < 1 || !direct(u, word, rest))
            unit_fail(u, i + 1, "unknown directive", NULL, lines->item[i]);
    }
    bool other = *u->device && strncmp(u->device, u->o->device, strlen(u->device)) != 0;
    if (!other && !(u->slow && u->sanitized)) return false;
    u->skipped++;
    return true;
}

static void on_write(void *user, const char *text, size_t n) {
    text_add(&((Unit *)user)->printed, text, n);
}

static void on_notice(void *user, const char *text) { text_puts(&((Unit *)user)->notices, text); }

/* An empty directory of the unit's own, its name in `tmp`. */
static arr_status set_tmp(Unit *u) {
    char dir[600];
    arr_value *v = NULL;
    size_t n = (size_t)snprintf(dir, sizeof dir, "%s/", u->o->tmp);
    for (const char *c = u->path; *c && n < sizeof dir - 1; c++) dir[n++] = *c == '/' ? '_' : *c;
    dir[n] = '\0';
    make_dirs(dir);
    arr_status s = arr_value_string(u->A, dir, n, &v);
    if (s == ARR_OK) s = arr_set(u->A, "tmp", v);
    arr_value_free(v);
    return s;
}

bool unit_open(Unit *u, const char *more_switches) {
    arr_config config = ARR_CONFIG_INIT;
    char switches[1024];
    snprintf(switches, sizeof switches, "%s %s %s%s %s", u->o->switches ? u->o->switches : "",
             u->switches, *u->flt ? "float=" : "", u->flt, more_switches);
    config.device = u->o->device;
    config.switches = switches;
    config.threads = u->threads ? u->threads : 1;
    config.write = on_write;
    config.notice = on_notice;
    config.user = u;
    arr_status s = arr_open(&config, &u->A);
    if (s == ARR_OK) s = set_tmp(u);
    if (s == ARR_OK) return true;
    unit_fail(u, 0, "cannot open a state", NULL, arr_status_name(s));
    return false;
}

void unit_close(Unit *u) {
    arr_close(u->A);
    u->A = NULL;
    free(u->printed.text);
    free(u->notices.text);
    u->printed = u->notices = (Text){0};
}

static arr_status show(Unit *u, const arr_value *v, Text *out) {
    const char *text;
    if (!v || arr_value_kind(v) == ARR_KIND_NONE) return ARR_OK;
    arr_status s = arr_value_format(v, &text);
    if (s != ARR_OK) return s;
    text_puts(out, text);
    text_puts(out, "\n");
    if (!u->describe || arr_value_kind(v) != ARR_KIND_ARRAY) return ARR_OK;
    s = arr_value_describe(v, &text);
    if (s == ARR_OK) text_puts(out, text);
    return s;
}

arr_status unit_eval(Unit *u, const char *text, size_t n, const char *name, Text *out) {
    arr_value *v = NULL;
    u->printed.n = 0;
    arr_status s = arr_eval_n(u->A, text, n, name, &v);
    Text value = {0};
    if (s == ARR_OK) s = show(u, v, &value); /* may force, and print into `printed` meanwhile */
    arr_value_free(v);
    text_add(out, u->printed.text ? u->printed.text : "", u->printed.n);
    if (value.n) text_add(out, value.text, value.n);
    free(value.text);
    text_trim(out);
    return s;
}
