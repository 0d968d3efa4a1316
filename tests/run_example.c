/* run_example - statements with expectations: test files, scripts, blocks of a README, help texts.
 *
 * Invariant: an expectation belongs to the statement on whose last line it stands or begins below.
 */
#include "tests/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a statement must give, and the lines it stands in (for --update). */
typedef struct Expect {
    char kind; /* '=' output, '!' error, 0 nothing said */
    size_t first, count, column;
    Text text;
} Expect;

typedef struct File {
    Unit *u;
    Paths lines;
    char **fresh; /* replaced lines under --update; "" deletes */
    size_t begin, end;
} File;

/* ---- marks ----------------------------------------------------------------------------------- */

static const char *find_mark(const char *line) {
    for (const char *c = line; (c = strchr(c, '#')); c++) {
        bool mark = is_prefix(c, "#=>") || (is_prefix(c, "#!") && !is_prefix(c, "#!/"));
        if (mark && (c == line || c[-1] == ' ' || c[-1] == '\t')) return c;
    }
    return NULL;
}

static bool is_empty(const char *from, const char *to) {
    while (from < to && (*from == ' ' || *from == '\t' || *from == '\r')) from++;
    return from == to || *from == '#';
}

static void take_mark(Expect *e, const char *line, const char *mark, size_t i) {
    bool output = mark[1] == '=';
    const char *s = mark + (output ? 3 : 2);
    if (*s == ' ') s++;
    if (!e->kind) {
        e->kind = output ? '=' : '!';
        e->first = i;
        e->column = (size_t)(mark - line);
    } else {
        text_puts(&e->text, "\n");
    }
    e->count = i - e->first + 1;
    text_puts(&e->text, s);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Does the next line with code continue what already is a statement? */
static bool is_continued(const File *f, size_t i) {
    static const char *const begins[] = {"|>", "else", "elif", "catch"};
    for (; i < f->end; i++) {
        const char *s = f->lines.item[i] + strspn(f->lines.item[i], " \t");
        if (find_mark(s)) return false;
        if (*s == '\0' || *s == '#') continue;
        for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
            if (is_prefix(s, begins[k])) return true;
        return s[0] == '.' && (s[1] == '_' || (s[1] | 32) >= 'a');
    }
    return false;
}

/* Collect one statement from line i on; the number of the line after it. */
static size_t collect(File *f, size_t i, Text *code, Expect *e) {
    bool whole = false;
    for (; i < f->end && !whole; i++) {
        const char *line = f->lines.item[i], *mark = find_mark(line);
        const char *stop = mark ? mark : line + strlen(line);
        if (mark) take_mark(e, line, mark, i);
        text_add(code, line, (size_t)(stop - line));
        text_puts(code, "\n");
        arr_status s = arr_parse_check(f->u->A, code->text, code->n);
        whole = s != ARR_INCOMPLETE && (e->kind || !is_continued(f, i + 1));
    }
    for (; i < f->end; i++) {
        const char *line = f->lines.item[i], *mark = find_mark(line);
        if (!mark || !is_empty(line, mark) || (e->kind && (mark[1] == '=') != (e->kind == '=')))
            break;
        take_mark(e, line, mark, i);
    }
    text_trim(&e->text);
    return i;
}

/* "kind: part", "kind:", "part", "" against an error. */
static bool error_fits(const char *expected, arr_status s, const char *text) {
    const char *colon = strchr(expected, ':');
    size_t n = colon ? (size_t)(colon - expected) : 0;
    for (int k = ARR_INCOMPLETE; colon && k <= ARR_ERR_INTERNAL; k++) {
        const char *name = arr_status_name((arr_status)k);
        if (strlen(name) != n || memcmp(name, expected, n) != 0) continue;
        if (s != (arr_status)k) return false;
        expected = colon + 1;
        expected += strspn(expected, " ");
        break;
    }
    return strstr(text, expected) != NULL;
}

/* ---- --update -------------------------------------------------------------------------------- */

static void set_fresh(File *f, size_t i, const Text *t) {
    free(f->fresh[i]);
    f->fresh[i] = t->text;
}

static void update(File *f, const Expect *e, const char *mark, const char *actual) {
    Text t = {0};
    char pad[256];
    text_add(&t, f->lines.item[e->first], e->column);
    snprintf(pad, sizeof pad, "\n%*s", (int)(e->column < 200 ? e->column : 200), "");
    for (const char *s = actual;; s++) {
        size_t n = strcspn(s, "\n");
        text_puts(&t, mark);
        if (n) text_puts(&t, " ");
        text_add(&t, s, n);
        s += n;
        if (!*s) break;
        text_puts(&t, pad);
    }
    set_fresh(f, e->first, &t);
    for (size_t i = 1; i < e->count; i++) {
        Text gone = {0};
        text_puts(&gone, "");
        set_fresh(f, e->first + i, &gone);
    }
}

static void write_fresh(File *f) {
    Text t = {0};
    bool changed = false;
    for (size_t i = 0; i < f->lines.n; i++) {
        const char *line = f->fresh[i] ? f->fresh[i] : f->lines.item[i];
        changed |= f->fresh[i] != NULL;
        if (f->fresh[i] && !*line && *f->lines.item[i]) continue;
        text_puts(&t, line);
        text_puts(&t, "\n");
    }
    if (changed && !write_file(f->u->path, &t)) unit_fail(f->u, 0, "cannot be written", NULL, NULL);
    free(t.text);
}

/* ---- judging --------------------------------------------------------------------------------- */

static void judge(File *f, size_t line, const Expect *e, arr_status s, const Text *out) {
    Unit *u = f->u;
    char message[1024] = "";
    if (s != ARR_OK)
        snprintf(message, sizeof message, "%s: %s", arr_status_name(s), arr_error_message(u->A));
    bool good = e->kind == '!'   ? s != ARR_OK && error_fits(e->text.text, s, arr_error_text(u->A))
                : e->kind == '=' ? s == ARR_OK && text_same(&e->text, out)
                                 : s == ARR_OK;
    if (good) {
        u->passed += e->kind != 0;
        return;
    }
    const char *actual = s != ARR_OK ? message : out->text;
    unit_fail(u, line, e->kind == '!' ? "another error expected" : "differs",
              e->kind ? e->text.text : "no error", actual);
    if (!u->o->update || !e->kind) return;
    u->failed--;
    update(f, e, s == ARR_OK ? "#=>" : "#!", actual);
}

/* One statement from line i on; the number of the line after it. */
static size_t run_statement(File *f, size_t i) {
    Text code = {0}, padded = {0}, out = {0};
    Expect e = {0};
    size_t next = collect(f, i, &code, &e);
    fprintf(f->u->out, "\001at %s:%zu\n", f->u->path, i + 1);
    for (size_t k = 0; k < i; k++) text_puts(&padded, "\n"); /* positions are the file's */
    text_add(&padded, code.text, code.n);
    arr_status s = unit_eval(f->u, padded.text, padded.n, f->u->path, &out);
    judge(f, i + 1, &e, s, &out);
    free(code.text);
    free(padded.text);
    free(out.text);
    free(e.text.text);
    return next;
}

static void run_lines(File *f, size_t begin, size_t end) {
    f->begin = begin;
    f->end = end;
    for (size_t i = begin; i < end;) {
        const char *line = f->lines.item[i];
        if (is_empty(line, line + strlen(line)))
            i++;
        else
            i = run_statement(f, i);
    }
}

static bool file_open(File *f, Unit *u) {
    Text t = {0};
    *f = (File){.u = u};
    bool ok = read_file(u->path, &t);
    if (ok)
        split_lines(&t, &f->lines);
    else
        unit_fail(u, 0, "cannot be read", NULL, NULL);
    f->fresh = calloc(f->lines.n + 1, sizeof *f->fresh);
    free(t.text);
    return ok && f->fresh;
}

static void file_close(File *f) {
    if (f->u->o->update && f->fresh) write_fresh(f);
    for (size_t i = 0; i < f->lines.n && f->fresh; i++) free(f->fresh[i]);
    free(f->fresh);
    paths_free(&f->lines);
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* The whole file as `arr file.arr` runs it; its marks in order are its output, and its error. */
static void run_script(File *f) {
    Unit *u = f->u;
    Expect e = {0}, error = {0};
    Text out = {0};
    char *words[16], *save = NULL;
    int nwords = 0;
    char *file = realpath(u->path, NULL);
    for (char *w = strtok_r(u->words, " ", &save); w && nwords < 16; w = strtok_r(NULL, " ", &save))
        words[nwords++] = w;
    for (size_t i = 0; i < f->lines.n; i++) {
        const char *line = f->lines.item[i], *mark = find_mark(line);
        if (mark) take_mark(mark[1] == '=' ? &e : &error, line, mark, i);
    }
    if (*u->dir && chdir(u->dir) != 0) unit_fail(u, 1, "no such directory", NULL, u->dir);
    arr_status s = arr_run_file(u->A, file ? file : u->path, nwords, words);
    free(file);
    text_add(&out, u->printed.text ? u->printed.text : "", u->printed.n);
    text_trim(&out);
    text_trim(&e.text);
    text_trim(&error.text);
    fprintf(u->out, "\001at %s:1\n", u->path);
    bool ends = error.kind ? s != ARR_OK && error_fits(error.text.text, s, arr_error_text(u->A))
                           : s == ARR_OK;
    if (!ends)
        unit_fail(u, 1, "ends otherwise", error.text.text, arr_error_text(u->A));
    else
        u->passed++;
    if (!text_same(&e.text, &out))
        unit_fail(u, 1, "prints otherwise", e.text.text, out.text);
    else
        u->passed += e.kind != 0;
    free(out.text);
    free(e.text.text);
    free(error.text.text);
}

void example_run(Unit *u) {
    File f;
    if (file_open(&f, u) && !unit_direct(u, &f.lines)) {
        if (unit_open(u, "")) {
            if (u->script)
                run_script(&f);
            else
                run_lines(&f, 0, f.lines.n);
        }
        unit_close(u);
    }
    file_close(&f);
}

/* ---- Markdown -------------------------------------------------------------------------------- */

/* A session at the prompt: ">>> " and "... " begin what is typed, the rest is what is shown. */
static void run_session(File *f, size_t begin, size_t end) {
    f->u->describe = true;
    for (size_t i = begin; i < end;) {
        Text code = {0}, out = {0};
        Expect e = {.kind = '='};
        size_t first = i;
        do text_puts(&code, f->lines.item[i] + 4), text_puts(&code, "\n");
        while (++i < end && is_prefix(f->lines.item[i], "... "));
        for (; i < end && !is_prefix(f->lines.item[i], ">>> "); i++) {
            text_puts(&e.text, f->lines.item[i]);
            text_puts(&e.text, "\n");
        }
        text_trim(&e.text);
        if (is_prefix(e.text.text, "error:")) e.kind = '!';
        arr_status s = unit_eval(f->u, code.text, code.n, "prompt", &out);
        judge(f, first + 1, &e, s, &out);
        free(code.text);
        free(out.text);
        free(e.text.text);
    }
    f->u->describe = false;
}

void markdown_run(Unit *u) {
    File f;
    if (file_open(&f, u) && unit_open(u, "")) {
        for (size_t i = 0, end; i < f.lines.n; i++) {
            if (strcmp(f.lines.item[i], "```arr") != 0) continue;
            for (end = ++i; end < f.lines.n && !is_prefix(f.lines.item[end], "```"); end++)
                continue;
            if (i < end && is_prefix(f.lines.item[i], ">>> "))
                run_session(&f, i, end);
            else
                run_lines(&f, i, end);
            i = end;
        }
    }
    unit_close(u);
    file_close(&f);
}

/* ---- help ------------------------------------------------------------------------------------ */

/* Every name has a help text, and the examples in it are true. */
static void run_help(Unit *u, const char *name) {
    File f = {.u = u};
    Text out = {0};
    char call[128];
    int n = snprintf(call, sizeof call, "help(%s)", name);
    fprintf(u->out, "\001at %s: %s\n", u->path, name);
    arr_status s = unit_eval(u, call, (size_t)n, "help", &out);
    if (s != ARR_OK || out.n == 0)
        unit_fail(u, 0, call, "a text", s != ARR_OK ? arr_error_text(u->A) : "nothing");
    else
        u->passed++;
    split_lines(&out, &f.lines);
    f.fresh = calloc(f.lines.n + 1, sizeof *f.fresh);
    f.end = f.lines.n;
    for (size_t i = 0; i < f.lines.n && f.fresh;)
        i = find_mark(f.lines.item[i]) ? run_statement(&f, i) : i + 1;
    free(f.fresh);
    free(out.text);
    paths_free(&f.lines);
}

void help_run(Unit *u) {
    Paths names = {0};
    const char *name;
    if (unit_open(u, "")) {
        for (size_t i = 0; (name = arr_name_at(u->A, "", i)); i++)
            if (strcmp(name, "tmp") != 0) paths_add(&names, name);
        if (!names.n) unit_fail(u, 0, "no names", NULL, NULL);
    }
    unit_close(u);
    for (size_t i = 0; i < names.n; i++) {
        if (unit_open(u, "")) run_help(u, names.item[i]);
        unit_close(u);
    }
    paths_free(&names);
}
