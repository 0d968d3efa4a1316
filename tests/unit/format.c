/* Unit tests of number text, array printing and format specs: golden cases that NumPy and Python
 * wrote (tests/gen/format_array.py and numtext.py), and what they cannot show. Run from the
 * repository's root; `format -` takes more cases from the standard input. */
#include "interp/format.h"
#include "runtime/base/numtext.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static Cx cx;

static void check(bool ok, const char *what, const char *expected, const char *actual) {
    if (ok) {
        passed++;
        return;
    }
    failed++;
    if (failed < 20) {
        printf("tests/unit/format.c: %s\n  expected: %s\n  actual:   %s\n", what, expected, actual);
    }
}

static void check_text(const char *what, const char *expected, const char *actual) {
    check(strcmp(expected, actual) == 0, what, expected, actual);
}

/* --- cases from files ------------------------------------------------------------------------- */

static size_t from_hex(const char *s, uint8_t *out) {
    size_t n = 0;
    unsigned byte;
    for (; sscanf(s + 2 * n, "%2x", &byte) == 1; n++) out[n] = (uint8_t)byte;
    return n;
}

/* "array f32 3 4 : hex" */
static void array_case(const char *line, const char *expected) {
    char name[8];
    Shape s = {0};
    int used = 0, more = 0;
    DType d = DT_bool;
    sscanf(line, "array %7s%n", name, &used);
    check(dtype_find(name, strlen(name), &d), "dtype of the case", name, "");
    for (long long dim; sscanf(line + used, "%lld%n", &dim, &more) == 1; used += more)
        s.dim[s.rank++] = dim;
    const char *hex = strstr(line, " : ") + 3;
    FormatWindow w;
    format_window(&s, &w);
    size_t bytes = (size_t)w.count * dtype_size(d);
    uint8_t *data = malloc(bytes + 1);
    size_t n = from_hex(hex, data);
    check(n == bytes, line, "as many bytes as are shown", "");
    Buf out;
    buf_init(&out, &cx);
    if (n == bytes) {
        check(format_array_shown(&out, d, &s, data) == ARR_OK, line, "success", cx.err.message);
        check(strcmp(expected, buf_text(&out)) == 0, line, expected, buf_text(&out));
    }
    buf_free(&out);
    free(data);
}

/* "format f 3 0 HEX": numtext_format of the double; "repr 0 HEX" an element of a dtype; "parse
 * TEXT" gives the bits or "bad"; "spec KIND:SPEC|VALUE" a format spec, "error" where it is refused.
 */
static void number_case(const char *line, const char *expected) {
    char out[NUMTEXT_ELEMENT] = "", type, name[8];
    unsigned long long u;
    int precision, alternate, used;
    DType d = DT_bool;
    double v = 0;
    if (sscanf(line, "format %c %d %d %llx", &type, &precision, &alternate, &u) == 4) {
        Buf b;
        buf_init(&b, &cx);
        memcpy(&v, &u, 8);
        numtext_format(&b, v, type, precision, alternate);
        check_text(line, expected, buf_text(&b));
        buf_free(&b);
    } else if (sscanf(line, "repr %7s %llx", name, &u) == 2 && dtype_find(name, strlen(name), &d)) {
        numtext_element(d, &u, out);
        check_text(line, expected, out);
    } else if (sscanf(line, "parse %n", &used) == 0 && strncmp(line, "parse ", 6) == 0) {
        NumParse r = numtext_parse_f64(line + 6, strlen(line + 6), &v);
        memcpy(&u, &v, 8);
        snprintf(out, sizeof out, "%016llx", u);
        check_text(line, expected, r == NUM_OK ? out : "bad");
    } else {
        check(false, line, "a known case", "");
    }
}

static void spec_case(const char *line, const char *expected) {
    char kind[16];
    int used = 0;
    sscanf(line, "spec %15[a-z]:%n", kind, &used);
    const char *spec = line + used, *bar = strrchr(spec, '|'), *value = bar + 1;
    Scalar s = {0};
    Buf b;
    buf_init(&b, &cx);
    Status st;
    if (strcmp(kind, "int") == 0) {
        s.kind = SC_INT;
        if (numtext_parse_i64(value, strlen(value), &s.i) != NUM_OK) {
            s.kind = SC_UINT;
            numtext_parse_u64(value, strlen(value), 10, &s.u);
        }
    } else if (strcmp(kind, "float") == 0) {
        s.kind = SC_FLOAT;
        numtext_parse_f64(value, strlen(value), &s.f);
    } else if (strcmp(kind, "complex") == 0) {
        s.kind = SC_COMPLEX;
        numtext_parse_complex(value, strlen(value), &s.c);
    } else {
        s.kind = SC_BOOL;
        s.b = strcmp(value, "true") == 0;
    }
    if (strcmp(kind, "str") == 0)
        st = format_spec_string(&b, spec, (size_t)(bar - spec), value, strlen(value));
    else
        st = format_spec_scalar(&b, spec, (size_t)(bar - spec), &s);
    check_text(line, expected, st == ARR_OK ? buf_text(&b) : "error");
    if (st != ARR_OK) check(cx.err.message[0] != '\0', line, "a message", "");
    error_clear(&cx);
    buf_free(&b);
}

/* A case is a line, its expected text in further lines, and a line "=". */
static void run_cases(FILE *f, const char *path) {
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    check(f != NULL, path, "a file", "none");
    while (f && (n = getline(&line, &cap, f)) > 0) {
        char *text = NULL, *about = strndup(line, (size_t)n - 1);
        size_t text_cap = 0, len = 0;
        FILE *expected = open_memstream(&text, &text_cap);
        while ((n = getline(&line, &cap, f)) > 0 && strcmp(line, "=\n") != 0) {
            if (len) fputc('\n', expected);
            len += fwrite(line, 1, (size_t)n - 1, expected);
        }
        fclose(expected);
        if (strncmp(about, "array ", 6) == 0)
            array_case(about, text);
        else if (strncmp(about, "spec ", 5) == 0)
            spec_case(about, text);
        else
            number_case(about, text);
        free(text);
        free(about);
    }
    free(line);
    if (f && f != stdin) fclose(f);
}

/* --- what the files cannot show --------------------------------------------------------------- */

/* The digits 10^exp10 * D.DDD as bf16. */
static uint16_t as_bf16(const char *digits, int n, int exp10) {
    char text[DECIMAL_DIGITS + 16];
    double v = -1;
    int len = snprintf(text, sizeof text, "%.*se%d", n, digits, exp10 - n + 1);
    numtext_parse_f64(text, (size_t)len, &v);
    return bf16_from_f64(v);
}

/* Every bf16: the text reads back, and no shorter one does. */
static void bf16_texts(void) {
    unsigned back = 0, shortest = 0;
    for (unsigned h = 0; h < 0x7f80; h++) {
        double v = bf16_to_f32((uint16_t)h);
        char digits[NUMTEXT_DIGITS];
        int exp10;
        bool neg;
        Decimal shorter;
        int n = numtext_shortest(DT_bf16, v, digits, &exp10, &neg);
        back += as_bf16(digits, n, exp10) == h;
        decimal_exact(v, &shorter);
        decimal_round(&shorter, n - 1);
        shortest += n == 1 || as_bf16(shorter.digits, shorter.n, shorter.exp10) != h;
    }
    check(back == 0x7f80, "every bf16 reads back", "", "");
    check(shortest == 0x7f80, "every bf16 is shortest", "", "");
}

typedef struct Source {
    const Shape *shape;
    int64_t elements; /* that were asked for */
} Source;

/* The i-th element in C order is i. */
static Status read_counting(void *user, const int64_t *index, int64_t count, void *dst) {
    Source *src = user;
    int64_t flat = 0, *to = dst;
    for (int a = 0; a < src->shape->rank; a++) flat = flat * src->shape->dim[a] + index[a];
    for (int64_t i = 0; i < count; i++) to[i] = flat + i;
    src->elements += count;
    return ARR_OK;
}

/* T81: only what is shown is read. */
static void print_huge(void) {
    Shape s = {3, {1000000, 8, 1000000}};
    Source src = {&s, 0};
    Buf b;
    buf_init(&b, &cx);
    check(format_array(&b, DT_i64, &s, read_counting, &src) == ARR_OK, "huge", "success", "");
    check(src.elements == 216, "only the corners are read", "216", "");
    check(strstr(buf_text(&b), "7999999999998 7999999999999]]]") != NULL, "the last corner",
          "7999999999999", buf_text(&b));
    buf_clear(&b);
    Shape small = {2, {2, 3}};
    src = (Source){&small, 0};
    check(format_array(&b, DT_i64, &small, read_counting, &src) == ARR_OK, "small", "success", "");
    check_text("whole arrays are read at once", "[[0 1 2]\n [3 4 5]]", buf_text(&b));
    buf_free(&b);
}

static void parse_integers(void) {
    int64_t i = 0;
    uint64_t u = 0;
    check(numtext_parse_i64("-9223372036854775808", 20, &i) == NUM_OK && i == INT64_MIN, "minimum",
          "-2^63", "");
    check(numtext_parse_i64("9223372036854775808", 19, &i) == NUM_RANGE, "2^63", "range", "");
    check(numtext_parse_i64("+7", 2, &i) == NUM_OK && i == 7, "+7", "7", "");
    check(numtext_parse_i64("-", 1, &i) == NUM_SYNTAX, "-", "syntax", "");
    check(numtext_parse_i64("1.0", 3, &i) == NUM_SYNTAX, "1.0", "syntax", "");
    check(numtext_parse_u64("18446744073709551615", 20, 10, &u) == NUM_OK && u == UINT64_MAX,
          "maximum", "2^64-1", "");
    check(numtext_parse_u64("18446744073709551616", 20, 10, &u) == NUM_RANGE, "2^64", "range", "");
    check(numtext_parse_u64("fFfF", 4, 16, &u) == NUM_OK && u == 65535, "ffff", "65535", "");
    check(numtext_parse_u64("12", 2, 2, &u) == NUM_SYNTAX, "12 in base 2", "syntax", "");
    Complex128 c;
    check(numtext_parse_complex("(1-2.5j)", 8, &c) == NUM_OK && c.re == 1 && c.im == -2.5,
          "complex", "1-2.5j", "");
    check(numtext_parse_complex("3J", 2, &c) == NUM_OK && c.re == 0 && c.im == 3, "3J", "3j", "");
    check(numtext_parse_complex("1+2", 3, &c) == NUM_SYNTAX, "1+2", "syntax", "");
    check(numtext_parse_complex("nan+infj", 8, &c) == NUM_OK && isnan(c.re) && isinf(c.im), "nan",
          "nan+infj", "");
}

int main(int argc, char **argv) {
    mem_init(&cx.mem, NULL, NULL);
    /* T82: nothing may follow the host's locale */
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) setlocale(LC_ALL, "");
    if (argc > 1 && strcmp(argv[1], "-") == 0) {
        run_cases(stdin, "standard input");
    } else {
        static const char *const files[] = {"arrays", "numbers", "specs"};
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            char path[64];
            snprintf(path, sizeof path, "tests/dump/format/%s.txt", files[i]);
            run_cases(fopen(path, "r"), path);
        }
        bf16_texts();
        print_huge();
        parse_integers();
    }
    check(atomic_load(&cx.mem.live) == 0, "everything is freed", "0", "");
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
