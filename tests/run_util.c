/* run_util - text, paths and files of the runner. */
#include "tests/run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void *grown(void *p, size_t size) {
    void *q = realloc(p, size);
    if (!q) {
        fputs("run: out of memory\n", stderr);
        exit(3);
    }
    return q;
}

void text_add(Text *t, const char *s, size_t n) {
    if (t->n + n + 1 > t->cap) {
        t->cap = 2 * t->cap + n + 64;
        t->text = grown(t->text, t->cap);
    }
    memcpy(t->text + t->n, s, n);
    t->n += n;
    t->text[t->n] = '\0';
}

void text_puts(Text *t, const char *s) { text_add(t, s, strlen(s)); }

void text_trim(Text *t) {
    size_t to = 0, kept = 0;
    if (!t->n) text_puts(t, "");
    for (size_t i = 0; i < t->n; i++) {
        char c = t->text[i];
        if (c == '\n') to = kept;
        t->text[to++] = c;
        if (c != ' ' && c != '\t' && c != '\r') kept = to;
    }
    to = kept;
    while (to && t->text[to - 1] == '\n') to--;
    t->n = to;
    t->text[to] = '\0';
}

bool text_same(const Text *a, const Text *b) {
    return a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

bool is_suffix(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

bool is_prefix(const char *s, const char *begin) { return strncmp(s, begin, strlen(begin)) == 0; }

void paths_add(Paths *p, const char *path) {
    if (p->n == p->cap) {
        p->cap = 2 * p->cap + 16;
        p->item = grown(p->item, p->cap * sizeof *p->item);
    }
    size_t n = strlen(path) + 1;
    p->item[p->n++] = memcpy(grown(NULL, n), path, n);
}

void paths_free(Paths *p) {
    for (size_t i = 0; i < p->n; i++) free(p->item[i]);
    free(p->item);
    *p = (Paths){0};
}

/* Not tests: what tests import (_name), material of other programs, hidden files. */
static bool is_passed_over(const char *name) {
    static const char *const names[] = {"fuzz", "bench", "parity", "api", "unit", "gpu", "tmp"};
    if (name[0] == '_' || name[0] == '.') return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static void find_in(Paths *p, const char *dir, const char *only) {
    struct dirent **entries;
    int n = scandir(dir, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[1024];
        struct stat st;
        const char *name = entries[i]->d_name;
        snprintf(path, sizeof path, "%s/%s", dir, name);
        bool known = !is_passed_over(name) && stat(path, &st) == 0;
        if (known && (S_ISDIR(st.st_mode) || is_suffix(name, ".arr"))) paths_find(p, path, only);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

void paths_find(Paths *p, const char *path, const char *only) {
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        find_in(p, path, only);
    else if (!only || strstr(path, only))
        paths_add(p, path);
}

void make_dirs(const char *path) {
    char part[1024];
    for (size_t i = 0; path[i] && i < sizeof part - 2; i++) {
        part[i] = path[i];
        part[i + 1] = '\0';
        if (path[i + 1] == '/' || !path[i + 1]) mkdir(part, 0777);
    }
}

bool read_file(const char *path, Text *out) {
    FILE *f = fopen(path, "rb");
    char buf[1 << 14];
    size_t n;
    if (!f) return false;
    text_puts(out, "");
    while ((n = fread(buf, 1, sizeof buf, f)) > 0) text_add(out, buf, n);
    bool ok = !ferror(f);
    fclose(f);
    return ok;
}

bool write_file(const char *path, const Text *t) {
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool ok = fwrite(t->text, 1, t->n, f) == t->n;
    return fclose(f) == 0 && ok;
}
