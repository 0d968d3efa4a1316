/* report - errors as text: message, place, source line with carets, operands, where it was needed,
 * and the calls that led there.
 *
 * Callers: api (arr_error_text). Invariant: never fails for lack of a source: what is not known is
 * left out. */
#include "interp/state.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MAX_SHOWN = 160 };

/* The line that holds byte `at`. */
static void find_line(const Source *s, size_t at, size_t *begin, size_t *end) {
    *begin = at < s->n ? at : s->n;
    while (*begin > 0 && s->text[*begin - 1] != '\n') --*begin;
    *end = at < s->n ? at : s->n;
    while (*end < s->n && s->text[*end] != '\n') ++*end;
    if (*end > *begin && s->text[*end - 1] == '\r') --*end;
}

static bool starts_point(char c) { return (c & 0xc0) != 0x80; }

/* Bytes of the UTF-8 sequence at p: 0 if it is none that may be shown. */
static size_t sequence(const char *p, const char *end) {
    uint8_t c = (uint8_t)*p;
    size_t n = c < 0x80                ? 1
               : c >= 0xc2 && c < 0xe0 ? 2
               : c >= 0xe0 && c < 0xf0 ? 3
               : c < 0xf5              ? 4
                                       : 0;
    if (c < 0x20 ? c != '\t' : c == 0x7f || (c >= 0x80 && c < 0xc2)) return 0;
    if (n > (size_t)(end - p)) return 0;
    for (size_t i = 1; i < n; i++) {
        if (starts_point(p[i])) return 0;
    }
    return n;
}

/* A line of source, whatever its bytes: what is no text becomes `?`. */
static void add_line(Buf *out, const char *p, const char *end) {
    while (p < end) {
        size_t n = sequence(p, end);
        if (n)
            buf_add(out, p, n);
        else
            buf_char(out, '?');
        p += n ? n : 1;
    }
}

/* Carets under [lo, hi) of the line: one a code point, tabs kept so that they line up. */
static void add_carets(Buf *out, const Source *s, size_t begin, size_t end, size_t lo, size_t hi) {
    for (size_t i = begin; i < lo; i++) {
        if (starts_point(s->text[i])) buf_char(out, s->text[i] == '\t' ? '\t' : ' ');
    }
    if (hi > end) hi = end;
    size_t n = 0;
    for (size_t i = lo; i < hi; i++) n += starts_point(s->text[i]);
    if (n == 0) n = 1;
    for (size_t i = 0; i < n; i++) buf_char(out, '^');
}

/* "  demo.arr:3:7" and the line with carets. */
static void add_place(State *A, Buf *out, const char *lead, Span span) {
    const Source *s = span.src ? source_find(A, span.src) : NULL;
    if (!s) return;
    int line, column;
    source_position(A, span, &line, &column);
    buf_printf(out, "  %s%s:%d:%d\n", lead, s->name, line, column);
    size_t begin, end, lo = span.lo, hi = span.hi;
    find_line(s, lo, &begin, &end);
    if (lo > end) lo = end;
    bool cut_left = lo - begin > LINE_MAX_SHOWN / 2 && end - begin > LINE_MAX_SHOWN;
    if (cut_left) {
        begin = lo - LINE_MAX_SHOWN / 4;
        while (!starts_point(s->text[begin])) begin--;
    }
    if (end - begin > LINE_MAX_SHOWN) {
        end = begin + LINE_MAX_SHOWN;
        while (end < s->n && !starts_point(s->text[end])) end++;
    }
    char number[16];
    int width = snprintf(number, sizeof number, "%d", line);
    buf_printf(out, "    %s | ", number);
    add_line(out, s->text + begin, s->text + end);
    buf_printf(out, "\n    %*s | ", width, "");
    add_carets(out, s, begin, end, lo, hi);
    buf_char(out, '\n');
}

static void add_notes(Buf *out, const char *notes) {
    while (*notes) {
        size_t n = strcspn(notes, "\n");
        buf_str(out, "  ");
        buf_add(out, notes, n);
        buf_char(out, '\n');
        notes += n + (notes[n] == '\n');
    }
}

static void add_frame(State *A, Buf *out, const ErrorFrame *f) {
    const Source *s = f->span.src ? source_find(A, f->span.src) : NULL;
    int line, column;
    if (!s) return;
    source_position(A, f->span, &line, &column);
    buf_printf(out, "  in %s, called at %s:%d:%d\n", f->fn, s->name, line, column);
}

static void add_frames(State *A, const Error *e, Buf *out) {
    int shown = e->nframes < ERROR_FRAMES_MAX ? e->nframes : ERROR_FRAMES_MAX;
    for (int i = 0; i < shown; i++) {
        bool gap = e->nframes > ERROR_FRAMES_MAX && i == ERROR_FRAMES_MAX / 2;
        if (gap) buf_printf(out, "  ... %d calls more\n", e->nframes - ERROR_FRAMES_MAX);
        add_frame(A, out, &e->frames[i]);
    }
}

void report_error(State *A, const Error *e, Buf *out) {
    buf_printf(out, "error: %s\n", e->message);
    add_place(A, out, "", e->span);
    add_notes(out, e->notes);
    if (e->chained) add_frames(A, e, out);
    if (e->needed.src) add_place(A, out, "needed at ", e->needed);
    if (!e->chained) add_frames(A, e, out);
}
