/* Unit tests of grammar/: the golden files of tests/dump/grammar (NAME.arr with NAME.tokens and
 * NAME.ast; errors.txt, a source and its error in turn), spans, depth, small stacks, failing
 * allocations. Run from the repository's root; --update rewrites the golden files for review. */
#include "grammar/parse.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static bool update;
static Cx cx;

static void check(bool ok, const char *what, const char *about) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("tests/unit/grammar.c: %s: %s\n", about, what);
    }
}

static Status parse(const char *text, size_t n, Arena *arena, AstNode **root) {
    arena_init(arena, &cx);
    error_clear(&cx);
    return parse_source(&cx, arena, 1, text, n, root);
}

/* The status of a text, nothing kept. */
static Status status_of(const char *text, size_t n) {
    Arena arena;
    AstNode *root;
    Status st = parse(text, n, &arena, &root);
    arena_free(&arena);
    return st;
}

/* --- golden files ----------------------------------------------------------------------------- */

#define DIR "tests/dump/grammar/"

static char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t cap = 1 << 20;
    char *s = malloc(cap);
    *n = fread(s, 1, cap - 1, f);
    s[*n] = '\0';
    fclose(f);
    return s;
}

static void compare(const char *path, const Buf *got) {
    size_t n = 0;
    if (update) {
        FILE *f = fopen(path, "wb");
        fwrite(got->data, 1, got->len, f);
        fclose(f);
        return;
    }
    char *want = read_file(path, &n);
    check(want && n == got->len && memcmp(want, got->data, n) == 0, "differs", path);
    free(want);
}

/* A child's text lies in its parent's, a caret in its node's; names are what stands there. */
static bool spans_nest(const AstNode *n, const char *text) {
    const AstNode *part[3] = {n->a, n->b, n->c};
    bool ok = n->span.lo <= n->span.hi && n->at.lo >= n->span.lo && n->at.hi <= n->span.hi;
    if (n->kind == AST_NAME) {
        ok = ok && memcmp(text + n->name.span.lo, n->name.text, (size_t)n->name.len) == 0;
    }
    for (int32_t i = 0; ok && i < 3 + n->n; i++) {
        const AstNode *c = i < 3 ? part[i] : n->items[i - 3];
        if (!c) continue;
        ok = c->span.lo >= n->span.lo && c->span.hi <= n->span.hi && c->depth < n->depth &&
             spans_nest(c, text);
    }
    return ok;
}

static void test_golden(const char *name) {
    char path[200];
    size_t n;
    Arena arena;
    AstNode *root;
    Buf b;
    snprintf(path, sizeof path, DIR "%s.arr", name);
    char *text = read_file(path, &n);
    check(text != NULL, "cannot be read", path);
    if (!text) return;
    buf_init(&b, &cx);
    check(parse_dump_tokens(&cx, 1, text, n, &b) == ARR_OK, "tokens", path);
    snprintf(path, sizeof path, DIR "%s.tokens", name);
    compare(path, &b);
    buf_clear(&b);
    check(parse(text, n, &arena, &root) == ARR_OK, cx.err.message, path);
    if (root) {
        ast_dump(&b, root);
        snprintf(path, sizeof path, DIR "%s.ast", name);
        compare(path, &b);
        check(spans_nest(root, text), "spans do not nest", path);
    }
    arena_free(&arena);
    buf_free(&b);
    for (size_t i = 0; i <= n; i++) status_of(text, i); /* every beginning: no crash, no leak */
    free(text);
}

/* errors.txt: a line of source (\N: a newline), then `  #! status line:column message`. */
static void test_errors(void) {
    size_t n;
    char *all = read_file(DIR "errors.txt", &n), *next;
    check(all != NULL, "cannot be read", DIR "errors.txt");
    Buf out;
    buf_init(&out, &cx);
    for (char *line = all; line && *line; line = next) {
        char *end = strchr(line, '\n'), source[400];
        size_t len = 0;
        next = strchr(end + 1, '\n') + 1;
        for (char *s = line; s < end; s++) {
            bool newline = s[0] == '\\' && s[1] == 'N';
            source[len++] = newline ? '\n' : *s;
            s += newline;
        }
        Status st = status_of(source, len);
        unsigned row = 1, column = 1;
        for (uint32_t i = 0; i < cx.err.span.lo; i++) {
            column = source[i] == '\n' ? 1 : column + (((unsigned char)source[i] & 0xC0) != 0x80);
            row += source[i] == '\n';
        }
        buf_add(&out, line, (size_t)(end - line));
        const char *word = st == ARR_OK           ? "ok"
                           : st == ARR_INCOMPLETE ? "incomplete"
                           : st == ARR_ERR_LIMIT  ? "limit"
                                                  : "syntax";
        buf_printf(&out, "\n  #! %s %u:%u %s\n", word, row, column, cx.err.message);
    }
    compare(DIR "errors.txt", &out);
    buf_free(&out);
    free(all);
}

/* --- size and depth --------------------------------------------------------------------------- */

/* head, then part n times, then tail */
static char *repeat(const char *head, const char *part, int n, const char *tail) {
    size_t h = strlen(head), p = strlen(part), t = strlen(tail);
    char *s = malloc(h + p * (size_t)n + t + 1), *to = s + h;
    memcpy(s, head, h);
    for (int i = 0; i < n; i++, to += p) memcpy(to, part, p);
    memcpy(to, tail, t + 1);
    return s;
}

static void expect(Status want, const char *head, const char *part, int n, const char *tail) {
    char *s = repeat(head, part, n, tail);
    Arena arena;
    AstNode *root;
    Buf b;
    Status st = parse(s, strlen(s), &arena, &root);
    buf_init(&b, &cx);
    if (root) ast_dump(&b, root);
    buf_free(&b);
    arena_free(&arena);
    check(st == want, cx.err.message, part);
    free(s);
}

enum { MANY = 100000, SOME = 20000 };

static void *test_sizes(void *unused) {
    expect(ARR_OK, "x = ", "a + ", MANY, "b");
    expect(ARR_OK, "x = ", "a * b - ", SOME, "b");
    expect(ARR_OK, "x = ", "a and ", SOME, "b");
    expect(ARR_OK, "x = ", "a and b or ", SOME, "b");
    expect(ARR_OK, "x = [", "1, ", SOME, "]");
    expect(ARR_OK, "f(", "a, ", SOME, ")");
    expect(ARR_OK, "if a { b }", " elif a { b }", SOME, "");
    expect(ARR_OK, "", "x = 1\n", SOME, "");
    expect(ARR_OK, "x = f\"", "{a} b", SOME, "\"");
    expect(ARR_OK, "x = a", "\n# comment\n", SOME, "|> f");
    expect(ARR_INCOMPLETE, "x = ", "(", AST_NEST_MAX, "1");
    expect(ARR_ERR_LIMIT, "x = ", "(", AST_NEST_MAX + 1, "1");
    static const char *const deep[] = {
        "(",  "[",    "f(",    "x[",           "if x {",   "fn f() {", "f\"{",
        "- ", "not ", "a ** ", "a if b else ", "fn(x) = ", "(a, "};
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        expect(ARR_ERR_LIMIT, "", deep[i], MANY, "x");
    }
    expect(ARR_ERR_LIMIT, "x", ".f()", MANY, "");
    expect(ARR_ERR_LIMIT, "x", " |> f", MANY, "");
    return unused;
}

/* The same, and the dumps of what parses, on a stack of 256 KiB. */
static void test_small_stack(void) {
    pthread_attr_t attr;
    pthread_t t;
    size_t size = 256 << 10;
#if defined(__SANITIZE_ADDRESS__)
    size *= 4; /* frames with red zones */
#endif
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, size);
    check(pthread_create(&t, &attr, test_sizes, NULL) == 0, "thread", "small stack");
    pthread_join(t, NULL);
    pthread_attr_destroy(&attr);
}

/* Allocation n fails, for n = 1, 2, ... until all succeed: a status each time, nothing left. */
static void test_allocations(const char *text) {
    Status st = ARR_ERR_MEMORY;
    int64_t live = atomic_load(&cx.mem.live);
    int n = 0;
    for (; st == ARR_ERR_MEMORY && n < 10000; n++) {
        cx.mem.fail_at = n + 1;
        st = status_of(text, strlen(text));
        cx.mem.fail_at = 0;
        if (atomic_load(&cx.mem.live) != live) break;
    }
    check(st != ARR_ERR_MEMORY && atomic_load(&cx.mem.live) == live, "allocations", text);
    error_clear(&cx);
}

static void test_text(void) {
    check(status_of("", 0) == ARR_OK, "empty", "text");
    check(status_of("x = 1\0", 6) == ARR_ERR_SYNTAX, "NUL byte", "text");
    check(status_of("x = '\xff'", 7) == ARR_ERR_SYNTAX, "not UTF-8", "text");
    check(status_of("x = '\xe2\x82", 7) == ARR_ERR_SYNTAX, "cut UTF-8", "text");
    static const char dos[] = "\xef\xbb\xbfx = 1\r\nif x {\r\n y }\r\nelse { z }\r\n";
    check(status_of(dos, sizeof dos - 1) == ARR_OK, "byte order mark, CR LF", "text");
    check(parse_is_keyword("elif", 4) && !parse_is_keyword("lambda", 6), "keywords", "text");
}

int main(int argc, char **argv) {
    update = argc > 1 && strcmp(argv[1], "--update") == 0;
    mem_init(&cx.mem, NULL, NULL);
    test_golden("page");
    test_golden("expressions");
    test_golden("statements");
    test_golden("continued");
    test_errors();
    test_small_stack();
    test_allocations(
        "fn f(a, b=1) { return f\"{a:{b}}\" + [1, (2, 3.5e300)][0] if a else c and d }");
    test_allocations("x = (1 +\n y = 3");
    test_allocations("x = \"\"\"abc");
    test_text();
    check(atomic_load(&cx.mem.live) == 0, "memory is left", "end");
    printf("unit/grammar: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
