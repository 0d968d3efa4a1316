/* csv - reading tables of numbers (csv.h says what is accepted; writing is csv_save.c).
 *
 * One pass over the text. Cells are 64-bit integers as long as all fields are; the first field that
 * is not turns what was read into f64, the first complex one into c128. Where a dtype is asked for,
 * each field is checked against it at once, so that its position can be told. Callers: load.
 * Invariant: there is room for as many cells as the text has separators and line ends, and one. */
#include "runtime/csv.h"
#include "runtime/base/file.h"
#include "runtime/base/numtext.h"

#include <math.h>
#include <string.h>

typedef enum Cells { CELLS_I64, CELLS_U64, CELLS_F64, CELLS_C128 } Cells;

typedef struct Reader {
    Cx *cx;
    Span at;
    const char *path;
    const CsvOptions *opt;
    const char *p, *end;  /* the rest of the text */
    int64_t line, column; /* of the field at p, from 1 */
    Cells cells;
    union {
        void *data;
        int64_t *i;
        uint64_t *u;
        double *f;
        Complex128 *c;
    };
    size_t cap; /* cells */
    int64_t count, rows, columns;
    int64_t first_line; /* where the first row stands */
    bool negative;      /* a negative integer was read */
} Reader;

enum { QUOTED = 40 }; /* bytes of a field that a message shows */

/* --- errors ----------------------------------------------------------------------------------- */

/* What the text holds at s, fit to be printed. */
static const char *quoted(const char *s, size_t n, char out[QUOTED + 8]) {
    size_t k = n < QUOTED ? n : QUOTED;
    while (k < n && k > 0 && ((unsigned char)s[k] & 0xc0) == 0x80) k--; /* whole characters */
    for (size_t i = 0; i < k; i++) out[i] = (unsigned char)s[i] < ' ' || s[i] == 0x7f ? '?' : s[i];
    memcpy(out + k, k < n ? "..." : "", k < n ? 4 : 1);
    return out;
}

static Status bad_field(Reader *r, const char *s, size_t n, const char *why, const char *more) {
    char text[QUOTED + 8];
    return error_set(r->cx, ARR_ERR_IO, r->at, "cannot read %s: line %lld, column %lld: '%s' %s%s",
                     r->path, (long long)r->line, (long long)r->column, quoted(s, n, text), why,
                     more);
}

static Status ragged(Reader *r, int64_t columns) {
    return error_set(r->cx, ARR_ERR_IO, r->at,
                     "cannot read %s: line %lld has %lld field%s, line %lld has %lld", r->path,
                     (long long)r->line, (long long)columns, columns == 1 ? "" : "s",
                     (long long)r->first_line, (long long)r->columns);
}

/* --- cells ------------------------------------------------------------------------------------ */

static void to_floats(Reader *r) {
    if (r->cells == CELLS_I64)
        for (int64_t k = 0; k < r->count; k++) r->f[k] = (double)r->i[k];
    else
        for (int64_t k = 0; k < r->count; k++) r->f[k] = (double)r->u[k];
    r->cells = CELLS_F64;
}

static Status to_complex(Reader *r) {
    if (r->cells < CELLS_F64) to_floats(r);
    size_t bytes = r->cap * sizeof(double);
    if (r->cap > SIZE_MAX / 2 / sizeof(double)) return error_memory(r->cx, SIZE_MAX);
    void *data = mem_realloc(&r->cx->mem, r->data, bytes, 2 * bytes);
    if (!data) return error_memory(r->cx, 2 * bytes);
    r->data = data;
    for (int64_t k = r->count - 1; k >= 0; k--) {
        double re = r->f[k];
        r->c[k] = (Complex128){re, 0};
    }
    r->cells = CELLS_C128;
    return ARR_OK;
}

static void add_float(Reader *r, double d) {
    if (r->cells < CELLS_F64) to_floats(r);
    if (r->cells == CELLS_F64)
        r->f[r->count++] = d;
    else
        r->c[r->count++] = (Complex128){d, 0};
}

static void add_integer(Reader *r, int64_t i) {
    if (r->cells >= CELLS_F64) {
        add_float(r, (double)i);
        return;
    }
    r->negative = r->negative || i < 0;
    r->i[r->count++] = i;
}

static Status add_complex(Reader *r, Complex128 c) {
    if (r->cells != CELLS_C128) TRY(to_complex(r));
    r->c[r->count++] = c;
    return ARR_OK;
}

/* An integer for a dtype of integers, or bool: it must fit. */
static Status add_typed(Reader *r, const Scalar *s, const char *text, size_t n) {
    DType d = r->opt->dtype;
    if (d == DT_bool) {
        r->i[r->count++] = s->kind == SC_INT ? s->i != 0 : s->u != 0;
        return ARR_OK;
    }
    if (!scalar_fits(s, d)) return bad_field(r, text, n, "does not fit ", dtype_name(d));
    r->i[r->count++] = s->kind == SC_INT ? s->i : (int64_t)s->u;
    return ARR_OK;
}

/* --- fields ----------------------------------------------------------------------------------- */

static bool wants_integers(const Reader *r) {
    return r->opt->typed && (dtype_is_int(r->opt->dtype) || r->opt->dtype == DT_bool);
}

static bool is_word(const char *s, size_t n, const char *word) {
    return n == strlen(word) && memcmp(s, word, n) == 0;
}

/* A field for integers only; a float that is one will do. */
static Status typed_field(Reader *r, const char *s, size_t n, bool *number) {
    Scalar v = {.kind = SC_INT};
    double d;
    if (n == 0)
        return bad_field(r, s, n, "is empty: there is no nan in ", dtype_name(r->opt->dtype));
    if (r->opt->dtype == DT_bool && (is_word(s, n, "true") || is_word(s, n, "True"))) {
        v.i = 1;
    } else if (r->opt->dtype == DT_bool && (is_word(s, n, "false") || is_word(s, n, "False"))) {
        v.i = 0;
    } else if (numtext_parse_i64(s, n, &v.i) == NUM_OK) {
        /* as it is */
    } else if (numtext_parse_u64(s, n, 10, &v.u) == NUM_OK) {
        v.kind = SC_UINT;
    } else if (numtext_parse_f64(s, n, &d) != NUM_OK) {
        *number = false;
        return ARR_OK;
    } else if (d != rint(d) || fabs(d) > 9007199254740992.0) {
        return bad_field(r, s, n, "is not an integer for ", dtype_name(r->opt->dtype));
    } else {
        v.i = (int64_t)d;
    }
    return add_typed(r, &v, s, n);
}

static Status beyond_i64(Reader *r, uint64_t u, const char *s, size_t n) {
    if (r->cells >= CELLS_F64) {
        add_float(r, (double)u);
        return ARR_OK;
    }
    if (r->negative)
        return bad_field(r, s, n, "passes 2^63-1 and others are negative: load it with dtype=f64",
                         "");
    r->cells = CELLS_U64;
    r->u[r->count++] = u;
    return ARR_OK;
}

/* Any field, its blanks and quotes taken off. *number false: it is none, and nothing is added. */
static Status add_field(Reader *r, const char *s, size_t n, bool *number) {
    int64_t i;
    uint64_t u;
    double d;
    Complex128 c;
    if (wants_integers(r)) return typed_field(r, s, n, number);
    bool plus = n > 0 && s[0] == '+';
    if (n == 0) {
        add_float(r, NAN);
    } else if (numtext_parse_i64(s, n, &i) == NUM_OK) {
        if (r->cells == CELLS_U64 && i < 0)
            return bad_field(r, s, n, "is negative and others pass 2^63-1: load it with dtype=f64",
                             "");
        add_integer(r, i);
    } else if (numtext_parse_u64(s + plus, n - plus, 10, &u) == NUM_OK) {
        return beyond_i64(r, u, s, n);
    } else if (numtext_parse_f64(s, n, &d) == NUM_OK) {
        add_float(r, d);
    } else if (numtext_parse_complex(s, n, &c) == NUM_OK) {
        if (r->opt->typed && !dtype_is_complex(r->opt->dtype))
            return bad_field(r, s, n, "is complex: load it with dtype=c128, not ",
                             dtype_name(r->opt->dtype));
        return add_complex(r, c);
    } else {
        *number = false;
    }
    return ARR_OK;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_end(char c) { return c == '\n' || c == '\r'; }

static bool is_separator(const Reader *r, char c) {
    return c == r->opt->delimiter || (r->opt->delimiter == ' ' && c == '\t');
}

static void skip_blanks(Reader *r) {
    char tab = r->opt->delimiter == '\t' ? ' ' : '\t'; /* a separating tab is no blank */
    while (r->p < r->end && (*r->p == ' ' || *r->p == tab)) r->p++;
}

/* A comment behind a field: '#' after a blank. */
static bool is_comment(const Reader *r, const char *q) {
    return q < r->end && *q == '#' && is_blank(q[-1]);
}

static void skip_to_end(Reader *r) {
    while (r->p < r->end && !is_end(*r->p)) r->p++;
}

/* Over the end of a line. */
static void next_line(Reader *r) {
    if (r->p < r->end && *r->p == '\r' && r->p + 1 < r->end && r->p[1] == '\n') r->p++;
    if (r->p < r->end) r->p++;
    r->line++;
}

/* A field in quotes. "" stands for one of them inside: numbers have none, and names are only
 * skipped, so they may stay doubled. */
static Status quoted_text(Reader *r, const char **s, size_t *n) {
    const char *from = ++r->p;
    for (; r->p < r->end; r->p++) {
        if (*r->p == '\n') r->line++;
        if (*r->p != '"') continue;
        if (r->p + 1 == r->end || r->p[1] != '"') break;
        r->p++;
    }
    if (r->p == r->end)
        return bad_field(r, from - 1, (size_t)(r->end - from) + 1, "has no second quote", "");
    *s = from;
    *n = (size_t)(r->p++ - from);
    const char *after = r->p;
    skip_blanks(r);
    bool apart = r->opt->delimiter == ' ' && r->p > after;
    if (r->p == r->end || is_end(*r->p) || is_separator(r, *r->p) || is_comment(r, r->p) || apart)
        return ARR_OK;
    return bad_field(r, from - 1, (size_t)(after - from) + 1, "is followed by other text", "");
}

/* The field at p, its blanks and quotes taken off; p moves to its end. */
static Status field_text(Reader *r, const char **s, size_t *n) {
    *s = r->p;
    *n = 0;
    if (r->p < r->end && *r->p == '"') {
        TRY(quoted_text(r, s, n));
    } else {
        while (r->p < r->end && !is_separator(r, *r->p) && !is_end(*r->p) &&
               !(r->p > *s && is_comment(r, r->p)))
            r->p++;
        *n = (size_t)(r->p - *s);
    }
    while (*n > 0 && is_blank((*s)[*n - 1])) --*n;
    while (*n > 0 && is_blank(**s)) ++*s, --*n;
    return ARR_OK;
}

static Status slow_field(Reader *r) {
    const char *s;
    size_t n;
    bool number = true;
    TRY(field_text(r, &s, &n));
    TRY(add_field(r, s, n, &number));
    return number ? ARR_OK : bad_field(r, s, n, "is not a number", "");
}

/* Does the field end at q, blanks aside? Then the rest of the text begins there. */
static bool ends_at(Reader *r, const char *q) {
    while (q < r->end && is_blank(*q) && !is_separator(r, *q)) q++;
    if (q < r->end && !is_separator(r, *q) && !is_end(*q) && !is_comment(r, q)) return false;
    r->p = q;
    return true;
}

/* The fields that most files have: at most 18 digits, or a decimal number. */
static bool fast_field(Reader *r) {
    const char *q = r->p;
    bool minus = q < r->end && *q == '-';
    int64_t i = 0;
    q += minus;
    const char *digits = q;
    while (q < r->end && (unsigned char)(*q - '0') < 10 && q - digits < 18)
        i = i * 10 + (*q++ - '0');
    if (q > digits && r->cells != CELLS_U64 && ends_at(r, q)) {
        if (minus && i == 0 && r->cells >= CELLS_F64)
            add_float(r, -0.0);
        else
            add_integer(r, minus ? -i : i);
        return true;
    }
    double d;
    size_t n = numtext_scan_f64(r->p, (size_t)(r->end - r->p), &d);
    /* integers of 19 digits and words go the slow way */
    if (n == 0 || (r->cells < CELLS_F64 && !memchr(r->p, '.', n)) || !ends_at(r, r->p + n))
        return false;
    add_float(r, d);
    return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* From one field to the next; false at the end of the line, where p then is. */
static bool next_field(Reader *r) {
    if (r->opt->delimiter == ' ') skip_blanks(r);
    if (r->p == r->end || is_end(*r->p)) return false;
    if (is_comment(r, r->p)) {
        skip_to_end(r);
        return false;
    }
    if (r->opt->delimiter != ' ') r->p++;
    skip_blanks(r);
    r->column++;
    return true;
}

static void begin_row(Reader *r) {
    r->column = 1;
    skip_blanks(r);
}

static Status read_row(Reader *r) {
    bool whole = wants_integers(r);
    int64_t line = r->line;
    begin_row(r);
    do {
        if ((r->count & 4095) == 0 && r->cx->interrupt) return error_interrupted(r->cx);
        if (whole || !fast_field(r)) TRY(slow_field(r));
    } while (next_field(r));
    if (r->rows++ > 0) return r->column == r->columns ? ARR_OK : ragged(r, r->column);
    r->columns = r->column;
    r->first_line = line;
    return ARR_OK;
}

static bool is_number(const Reader *r, const char *s, size_t n) {
    Complex128 c;
    bool truth = r->opt->typed && r->opt->dtype == DT_bool;
    if (truth && (is_word(s, n, "true") || is_word(s, n, "True"))) return true;
    if (truth && (is_word(s, n, "false") || is_word(s, n, "False"))) return true;
    return n == 0 || numtext_parse_complex(s, n, &c) == NUM_OK;
}

/* Is the row at p one of names? If it is not, p stays. */
static Status read_header(Reader *r, bool *header) {
    const char *from = r->p;
    int64_t line = r->line;
    *header = false;
    begin_row(r);
    do {
        const char *s;
        size_t n;
        if (r->cx->interrupt) return error_interrupted(r->cx);
        TRY(field_text(r, &s, &n));
        *header = *header || !is_number(r, s, n);
    } while (next_field(r));
    if (*header) {
        r->columns = r->column;
    } else {
        r->p = from;
        r->line = line;
    }
    return ARR_OK;
}

/* Blank lines (of separating tabs too) and comments are no rows. */
static bool skip_line(Reader *r) {
    const char *q = r->p;
    while (q < r->end && is_blank(*q)) q++;
    if (q < r->end && !is_end(*q) && *q != '#') return false;
    skip_to_end(r);
    return true;
}

static Status read_rows(Reader *r) {
    int skip = r->opt->header > 0 ? r->opt->header : 0;
    bool maybe_header = r->opt->header < 0, header = false;
    for (int64_t turn = 0; r->p < r->end; next_line(r), turn++) {
        if ((turn & 4095) == 0 && r->cx->interrupt) return error_interrupted(r->cx);
        if (skip_line(r)) continue;
        if (maybe_header) TRY(read_header(r, &header));
        maybe_header = false;
        if (skip > 0) {
            skip--;
            skip_to_end(r);
        } else if (!header) {
            TRY(read_row(r));
        }
        header = false;
    }
    return ARR_OK;
}

/* --- the result ------------------------------------------------------------------------------- */

static Scalar cell(const Reader *r, int64_t k) {
    switch (r->cells) {
    case CELLS_I64:
        if (r->opt->typed && r->opt->dtype == DT_u64)
            return (Scalar){.kind = SC_UINT, .u = r->u[k]};
        return (Scalar){.kind = SC_INT, .i = r->i[k]};
    case CELLS_U64: return (Scalar){.kind = SC_UINT, .u = r->u[k]};
    case CELLS_F64: return (Scalar){.kind = SC_FLOAT, .f = r->f[k]};
    case CELLS_C128: break;
    }
    return (Scalar){.kind = SC_COMPLEX, .c = r->c[k]};
}

static size_t cell_size(const Reader *r) {
    return r->cells == CELLS_C128 ? sizeof(Complex128) : sizeof(double);
}

static DType natural(const Reader *r) {
    static const DType dtypes[] = {DT_i64, DT_u64, DT_f64, DT_c128};
    return r->count ? dtypes[r->cells] : DT_f64;
}

/* In place, from the first cell on, or from the last where they grow. */
static Status convert(Reader *r, DType d) {
    size_t size = dtype_size(d), from = cell_size(r);
    if (d == natural(r)) return ARR_OK;
    if (size > from) return to_complex(r);
    for (int64_t k = 0; k < r->count; k++) {
        Scalar s = cell(r, k);
        if ((k & 0xffff) == 0 && r->cx->interrupt) return error_interrupted(r->cx);
        scalar_store(&s, d, (char *)r->data + (size_t)k * size);
    }
    return ARR_OK;
}

static Status finish(Reader *r, CsvData *out) {
    DType d = r->opt->typed ? r->opt->dtype : natural(r);
    out->dtype = d;
    out->shape.rank = r->columns > 1 ? 2 : 1;
    out->shape.dim[0] = r->rows;
    out->shape.dim[1] = r->columns;
    if (r->count == 0) return ARR_OK;
    TRY(convert(r, d));
    size_t held = r->cap * cell_size(r);
    out->bytes = (size_t)r->count * dtype_size(d);
    out->data = mem_realloc(&r->cx->mem, r->data, held, out->bytes);
    if (!out->data) return error_memory(r->cx, out->bytes);
    r->data = NULL;
    return ARR_OK;
}

static bool is_delimiter(char c) {
    return c == ' ' || c == '\t' || (c > ' ' && c < '0' && !strchr("\"#+-.()", c)) ||
           strchr(":;|/\\_^~&@!?*<>=%$", c);
}

static size_t count_cells(const char *text, size_t n, char delimiter) {
    size_t count = 1;
    char also = delimiter == ' ' ? '\t' : delimiter;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        count += (c == delimiter) | (c == also) | (c == '\n') | (c == '\r');
    }
    return count;
}

Status csv_parse(Cx *cx, Span at, const char *path, const char *text, size_t n,
                 const CsvOptions *opt, CsvData *out) {
    Reader r = {.cx = cx, .at = at, .path = path, .opt = opt, .line = 1};
    *out = (CsvData){.dtype = DT_f64};
    if (!opt->delimiter || !is_delimiter(opt->delimiter))
        return error_set(cx, ARR_ERR_VALUE, at, "cannot read %s: '%c' cannot separate numbers",
                         path, opt->delimiter);
    if (n >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return error_set(cx, ARR_ERR_IO, at, "cannot read %s: it is UTF-16 text, not UTF-8", path);
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        n -= 3;
    }
    r.p = text;
    r.end = text + n;
    r.cap = count_cells(text, n, opt->delimiter);
    r.data =
        r.cap <= SIZE_MAX / sizeof(double) ? mem_alloc(&cx->mem, r.cap * sizeof(double)) : NULL;
    if (!r.data) return error_memory(cx, r.cap * sizeof(double));
    r.cells = opt->typed && !wants_integers(&r) ? CELLS_F64 : CELLS_I64;
    Status s = read_rows(&r);
    if (s == ARR_OK) s = finish(&r, out);
    if (r.data) mem_free(&cx->mem, r.data, r.cap * cell_size(&r));
    return s;
}

Status csv_load(Cx *cx, Span at, const char *path, const CsvOptions *opt, CsvData *out) {
    char *text;
    size_t n;
    TRY(file_read_all(cx, at, path, &text, &n));
    Status s = csv_parse(cx, at, path, text, n, opt, out);
    mem_free(&cx->mem, text, n + 1);
    return s;
}

void csv_free(Cx *cx, CsvData *d) {
    mem_free(&cx->mem, d->data, d->bytes);
    d->data = NULL;
}
