/* csv - reading tables of numbers. See csv.h for what is accepted.
 *
 * One pass over the text: rows are split into fields, fields parsed by numtext into a growing table
 * of f64 that remembers whether all of them were integers, and turned into the result's dtype at
 * the end. 64-bit integers beyond 2^53 are kept exactly by a second table of the same length, made
 * when the first such field is met. Invariant: nothing but the Cx's allocator and error is touched.
 */
#include "runtime/csv.h"
#include "runtime/base/file.h"
#include "runtime/base/numtext.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    Cx *cx;
    Span at;
    const char *path;
    const CsvOptions *opt;
    const char *p, *end;
    int64_t line;
    /* table: `count` cells of 16 bytes */
    Complex128 *cell;
    int64_t *exact; /* as integers, or NULL while f64 holds all of them exactly */
    int64_t count, cap;
    int64_t columns, rows;
    bool integers, complexes, negative, beyond; /* beyond: an integer passes 2^63-1 */
    bool header_done;
} Reader;

static Status bad_field(Reader *r, int64_t column, const char *s, size_t n) {
    return error_set(r->cx, ARR_ERR_IO, r->at,
                     "'%s', line %lld, column %lld: '%.*s' is not a number", r->path,
                     (long long)r->line, (long long)column, n > 60 ? 60 : (int)n, s);
}

static bool is_space(char c) { return c == ' ' || c == '\t'; }

static Status grow(Reader *r) {
    int64_t cap = r->cap ? r->cap * 2 : 1024;
    size_t old = (size_t)r->cap * sizeof *r->cell, new = (size_t)cap * sizeof *r->cell;
    Complex128 *cell = mem_realloc(&r->cx->mem, r->cell, old, new);
    if (!cell) return error_memory(r->cx, new);
    r->cell = cell;
    if (r->exact) {
        int64_t *exact = mem_realloc(&r->cx->mem, r->exact, (size_t)r->cap * sizeof *exact,
                                     (size_t)cap * sizeof *exact);
        if (!exact) return error_memory(r->cx, (size_t)cap * sizeof *exact);
        r->exact = exact;
    }
    r->cap = cap;
    return ARR_OK;
}

/* From now on integers are kept beside the floats. */
static Status keep_exact(Reader *r) {
    r->exact = mem_alloc(&r->cx->mem, (size_t)r->cap * sizeof *r->exact);
    if (!r->exact) return error_memory(r->cx, (size_t)r->cap * sizeof *r->exact);
    for (int64_t k = 0; k < r->count; k++) r->exact[k] = (int64_t)r->cell[k].re;
    return ARR_OK;
}

static Status add_integer(Reader *r, int64_t i, bool unsigned_) {
    double d = unsigned_ ? (double)(uint64_t)i : (double)i;
    bool fits = !unsigned_ && i >= -(1LL << 53) && i <= (1LL << 53);
    if (!fits && r->integers && !r->exact) TRY(keep_exact(r));
    if (r->exact) r->exact[r->count] = i;
    r->negative |= !unsigned_ && i < 0;
    r->beyond |= unsigned_;
    r->cell[r->count++] = (Complex128){d, 0};
    return ARR_OK;
}

static bool parse_unsigned(const char *s, size_t n, uint64_t *out) {
    if (n && *s == '+') s++, n--;
    return n && numtext_parse_u64(s, n, 10, out) == NUM_OK;
}

/* One field; *ok false (no error) if it is not a number. */
static Status add_field(Reader *r, const char *s, size_t n, bool *ok) {
    int64_t i;
    uint64_t u;
    double d;
    *ok = true;
    if (r->count == r->cap) TRY(grow(r));
    if (n == 0) {
        r->integers = false;
        r->cell[r->count++] = (Complex128){NAN, 0};
        return ARR_OK;
    }
    if (r->integers) {
        if (numtext_parse_i64(s, n, &i) == NUM_OK) return add_integer(r, i, false);
        if (parse_unsigned(s, n, &u)) return add_integer(r, (int64_t)u, true);
    }
    Complex128 c = {0, 0};
    if (numtext_parse_f64(s, n, &d) == NUM_OK) {
        c.re = d;
    } else if (numtext_parse_complex(s, n, &c) == NUM_OK) {
        r->complexes = true;
    } else {
        *ok = false;
        return ARR_OK;
    }
    r->integers = false;
    r->cell[r->count++] = c;
    return ARR_OK;
}

/* The next field of the line [*p, end): its text without blanks and quotes. */
static void next_field(const Reader *r, const char **p, const char *end, const char **s,
                       size_t *n) {
    char delimiter = r->opt->delimiter;
    const char *lo = *p, *hi;
    while (lo < end && is_space(*lo) && *lo != delimiter) lo++;
    if (lo < end && *lo == '"') {
        hi = memchr(lo + 1, '"', (size_t)(end - lo - 1));
        if (!hi) hi = end;
        *s = lo + 1;
        *n = (size_t)(hi - *s);
        *p = hi < end ? hi + 1 : end;
        while (*p < end && *(*p) != delimiter) ++*p;
    } else {
        const char *q = lo;
        while (q < end && *q != delimiter && !(delimiter == ' ' && *q == '\t')) q++;
        hi = q;
        *p = q;
        *s = lo;
        *n = (size_t)(hi - lo);
    }
    while (*n && is_space((*s)[*n - 1])) --*n;
    while (*n && is_space(**s)) ++*s, --*n;
}

static Status ragged(Reader *r, int64_t columns) {
    return error_set(r->cx, ARR_ERR_IO, r->at,
                     "'%s', line %lld: %lld columns, the rows above have %lld", r->path,
                     (long long)r->line, (long long)columns, (long long)r->columns);
}

/* A whole line; *numbers false if a field is not a number and may be one of a header. */
static Status read_row(Reader *r, const char *lo, const char *hi, bool maybe_header,
                       bool *numbers) {
    int64_t columns = 0, first = r->count;
    bool more = true, blanks = r->opt->delimiter == ' ';
    *numbers = true;
    while (more) {
        const char *s;
        size_t n;
        bool ok;
        while (blanks && lo < hi && is_space(*lo)) lo++;
        if (blanks && lo == hi) break;
        next_field(r, &lo, hi, &s, &n);
        columns++;
        TRY(add_field(r, s, n, &ok));
        if (!ok && maybe_header) {
            *numbers = false;
            r->count = first;
            return ARR_OK;
        }
        if (!ok) return bad_field(r, columns, s, n);
        more = lo < hi;
        if (more) lo++; /* the delimiter: a field follows, perhaps an empty one */
    }
    if (r->rows && columns != r->columns) return ragged(r, columns);
    r->columns = columns;
    r->rows++;
    return ARR_OK;
}

static bool is_skipped(const char *lo, const char *hi) {
    while (lo < hi && is_space(*lo)) lo++;
    return lo == hi || *lo == '#';
}

static Status read_lines(Reader *r) {
    int skip = r->opt->header > 0 ? r->opt->header : 0;
    bool maybe_header = r->opt->header < 0;
    while (r->p < r->end) {
        const char *hi = memchr(r->p, '\n', (size_t)(r->end - r->p)), *next;
        next = hi ? hi + 1 : r->end;
        if (!hi) hi = r->end;
        if (hi > r->p && hi[-1] == '\r') hi--;
        r->line++;
        const char *lo = r->p;
        r->p = next;
        if ((r->line & 4095) == 0 && atomic_load(&r->cx->interrupt))
            return error_interrupted(r->cx);
        if (is_skipped(lo, hi)) continue;
        if (skip > 0) {
            skip--;
            continue;
        }
        bool numbers, was_integers = r->integers;
        TRY(read_row(r, lo, hi, maybe_header, &numbers));
        if (!numbers) r->integers = was_integers, r->complexes = false;
        maybe_header = false;
    }
    return ARR_OK;
}

/* Element k in the result's dtype. */
static void store_cell(const Reader *r, int64_t k, DType d, char *out) {
    Scalar s;
    if (r->integers) {
        int64_t i = r->exact ? r->exact[k] : (int64_t)r->cell[k].re;
        if (r->beyond && i < 0)
            s = (Scalar){.kind = SC_UINT, .u = (uint64_t)i};
        else
            s = (Scalar){.kind = SC_INT, .i = i};
    } else if (r->complexes) {
        s = (Scalar){.kind = SC_COMPLEX, .c = r->cell[k]};
    } else {
        s = (Scalar){.kind = SC_FLOAT, .f = r->cell[k].re};
    }
    scalar_store(&s, d, out + (size_t)k * dtype_size(d));
}

static Status finish(Reader *r, CsvData *out) {
    if (r->integers && r->beyond && r->negative)
        return error_set(r->cx, ARR_ERR_IO, r->at,
                         "'%s' holds integers below 0 and beyond 2^63-1: no integer dtype holds "
                         "both, load it with dtype=f64",
                         r->path);
    if (r->opt->typed && r->complexes && !dtype_is_complex(r->opt->dtype))
        return error_set(r->cx, ARR_ERR_DTYPE, r->at,
                         "'%s' holds complex numbers: load it with dtype=c128", r->path);
    bool integers = r->integers && r->count > 0;
    out->dtype = r->opt->typed  ? r->opt->dtype
                 : integers     ? (r->beyond ? DT_u64 : DT_i64)
                 : r->complexes ? DT_c128
                                : DT_f64;
    out->shape.rank = r->columns > 1 ? 2 : 1;
    out->shape.dim[0] = r->rows;
    out->shape.dim[1] = r->columns;
    if (r->count == 0) return ARR_OK;
    out->bytes = (size_t)r->count * dtype_size(out->dtype);
    out->data = mem_alloc(&r->cx->mem, out->bytes);
    if (!out->data) return error_memory(r->cx, out->bytes);
    if (out->dtype == DT_f64 && !r->complexes && !r->exact)
        for (int64_t k = 0; k < r->count; k++) ((double *)out->data)[k] = r->cell[k].re;
    else
        for (int64_t k = 0; k < r->count; k++) store_cell(r, k, out->dtype, out->data);
    return ARR_OK;
}

Status csv_parse(Cx *cx, Span at, const char *path, const char *text, size_t n,
                 const CsvOptions *opt, CsvData *out) {
    Reader r = {
        .cx = cx, .at = at, .path = path, .opt = opt, .p = text, .end = text + n, .integers = true};
    *out = (CsvData){0};
    if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) r.p += 3;
    Status s = read_lines(&r);
    if (s == ARR_OK) s = finish(&r, out);
    mem_free(&cx->mem, r.cell, (size_t)r.cap * sizeof *r.cell);
    mem_free(&cx->mem, r.exact, (size_t)r.cap * sizeof *r.exact);
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

static int cell_text(DType d, const void *p, char text[NUMTEXT_ELEMENT]) {
    if (d != DT_bool) return numtext_element(d, p, text);
    text[0] = *(const uint8_t *)p ? '1' : '0';
    text[1] = 0;
    return 1;
}

Status csv_save(Cx *cx, Span at, const char *path, char delimiter, DType d, const Shape *s,
                const void *data) {
    FileOut f;
    Buf b;
    if (s->rank > 2) {
        char text[SHAPE_TEXT];
        shape_text(d, s, text);
        return error_set(cx, ARR_ERR_SHAPE, at, "cannot save %s as text: at most 2 axes, use .npy",
                         text);
    }
    int64_t rows = s->rank > 0 ? s->dim[0] : 1, columns = s->rank > 1 ? s->dim[1] : 1;
    const char *p = data;
    TRY(file_create(cx, at, path, &f));
    buf_init(&b, cx);
    Status st = ARR_OK;
    for (int64_t i = 0; i < rows && st == ARR_OK; i++) {
        for (int64_t j = 0; j < columns; j++, p += dtype_size(d)) {
            char text[NUMTEXT_ELEMENT];
            int n = cell_text(d, p, text);
            if (j) buf_char(&b, delimiter);
            buf_add(&b, text, (size_t)n);
        }
        buf_char(&b, '\n');
        if (b.len < 1 << 16 && i + 1 < rows) continue;
        st = buf_status(&b);
        if (st == ARR_OK) st = file_write(&f, b.data, b.len);
        buf_clear(&b);
    }
    buf_free(&b);
    if (st == ARR_OK) return file_commit(&f);
    file_abandon(&f);
    return st;
}
