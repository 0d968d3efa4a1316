/* text - strings, f-strings, comments above functions, strange characters; and the check of the
 * whole source, done before the first token so that the rules need not think of broken UTF-8. */
#include "grammar/text.h"
#include "gen/grammar/parse.h"
#include <string.h>

/* --- UTF-8 ------------------------------------------------------------------------------------ */

/* Length of the well-formed sequence at s, 0 if it is none; *cp its code point. */
static uint32_t decode(const unsigned char *s, uint32_t n, uint32_t *cp) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0x80) return *cp = s[0], 1;
    uint32_t len = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || len > n) return 0;
    uint32_t c = s[0] & (0x7Fu >> len);
    for (uint32_t i = 1; i < len; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3Fu);
    }
    if (c < least[len] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 0;
    *cp = c;
    return len;
}

static void add_code_point(Buf *b, uint32_t c) {
    if (c < 0x80) {
        buf_char(b, (char)c);
    } else if (c < 0x800) {
        buf_char(b, (char)(0xC0 | c >> 6));
        buf_char(b, (char)(0x80 | (c & 0x3F)));
    } else if (c < 0x10000) {
        buf_char(b, (char)(0xE0 | c >> 12));
        buf_char(b, (char)(0x80 | (c >> 6 & 0x3F)));
        buf_char(b, (char)(0x80 | (c & 0x3F)));
    } else {
        buf_char(b, (char)(0xF0 | c >> 18));
        buf_char(b, (char)(0x80 | (c >> 12 & 0x3F)));
        buf_char(b, (char)(0x80 | (c >> 6 & 0x3F)));
        buf_char(b, (char)(0x80 | (c & 0x3F)));
    }
}

Status lexer_check_text(Cx *cx, uint32_t src, const char *text, size_t n) {
    const unsigned char *s = (const unsigned char *)text;
    if (n > UINT32_MAX - 8) {
        return error_set(cx, ARR_ERR_LIMIT, (Span){src, 0, 0}, "a source of %zu bytes is too long",
                         n);
    }
    for (size_t i = 0; i < n;) {
        uint32_t cp, len = decode(s + i, (uint32_t)(n - i), &cp);
        Span span = {src, (uint32_t)i, (uint32_t)i + 1};
        if (len == 0) {
            return error_set(cx, ARR_ERR_SYNTAX, span,
                             "the source is not UTF-8: byte 0x%02x at offset %zu", s[i], i);
        }
        if (cp == 0) {
            return error_set(cx, ARR_ERR_SYNTAX, span, "the source holds a NUL byte at offset %zu",
                             i);
        }
        i += len;
    }
    return ARR_OK;
}

void lexer_place(const char *text, uint32_t at, uint32_t *line, uint32_t *column) {
    *line = *column = 1;
    for (uint32_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            ++*column;
        }
    }
}

Status text_strange(Lexer *lx, Token *tok) {
    static const struct {
        uint32_t cp;
        const char *instead;
    } known[] = {
        {0x2212, "minus is written -"},
        {0x2013, "minus is written -"},
        {0x00D7, "a product is written *"},
        {0x00B7, "a product is written *"},
        {0x00F7, "a quotient is written /"},
        {0x2264, "less or equal is written <="},
        {0x2265, "greater or equal is written >="},
        {0x2260, "inequality is written !="},
        {0x201C, "strings stand between \" and \""},
        {0x201D, "strings stand between \" and \""},
        {0x2018, "strings stand between ' and '"},
        {0x2019, "strings stand between ' and '"},
        {0x00B2, "a square is written x ** 2"},
        {0x03C0, "the constant is named pi"},
        {0x221E, "the constant is named inf"},
        {0x00A0, "a no-break space is no blank here"},
        {0x2026, "the ellipsis is written ..."},
    };
    uint32_t cp = 0, len = decode((const unsigned char *)lx->text + tok->lo, lx->n - tok->lo, &cp);
    Span span = {lx->src, tok->lo, tok->lo + len};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].cp == cp)
            return error_set(lx->cx, ARR_ERR_SYNTAX, span, "%s", known[i].instead);
    }
    if (cp == '`') return error_set(lx->cx, ARR_ERR_SYNTAX, span, "a backtick has no meaning here");
    if (cp < 0x20 || cp == 0x7F) {
        return error_set(lx->cx, ARR_ERR_SYNTAX, span,
                         "a control character, 0x%02x, outside of strings", cp);
    }
    return error_set(lx->cx, ARR_ERR_SYNTAX, span, "`%.*s` has no meaning here%s", (int)len,
                     lx->text + tok->lo,
                     cp >= 0x80 ? ": names are ASCII letters, digits and _" : "");
}

/* --- strings ---------------------------------------------------------------------------------- */

typedef struct Quote {
    uint32_t at; /* where the string began, for errors */
    char c;
    bool triple;
    enum { PLAIN, HOLED, SPEC } mode;
} Quote;

static bool at_quote(const Lexer *lx, const Quote *q) {
    const char *s = lx->text + lx->pos;
    uint32_t left = lx->n - lx->pos;
    if (q->triple) return left >= 3 && s[0] == q->c && s[1] == q->c && s[2] == q->c;
    return left >= 1 && s[0] == q->c;
}

static Status not_closed(Lexer *lx, const Quote *q) {
    const Bracket *b = &lx->open[lx->depth];
    lx->incomplete = q->triple && lx->pos >= lx->n;
    if (q->mode == PLAIN && b->kind == BR_HOLE && b->quote == (uint8_t)q->c && !q->triple) {
        return error_set(lx->cx, ARR_ERR_SYNTAX, (Span){lx->src, b->at, q->at + 1},
                         "the `{` of an f-string is not closed before its quote");
    }
    if (q->mode == SPEC) {
        return error_set(lx->cx, ARR_ERR_SYNTAX, (Span){lx->src, q->at, q->at + 1},
                         "the `{` of an f-string is not closed");
    }
    return error_set(lx->cx, ARR_ERR_SYNTAX, (Span){lx->src, q->at, lx->pos},
                     q->triple ? "the string is not closed by \"\"\""
                               : "the string is not closed on its line; text over several lines "
                                 "stands between \"\"\" and \"\"\"");
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if ((c | 32) >= 'a' && (c | 32) <= 'f') return (c | 32) - 'a' + 10;
    return -1;
}

/* The hex digits from s on, at most max of them; their count. */
static uint32_t read_hex(const char *s, const char *end, uint32_t max, uint32_t *out) {
    uint32_t n = 0;
    *out = 0;
    for (; n < max && s + n < end && hex_value(s[n]) >= 0; n++) {
        *out = *out << 4 | (uint32_t)hex_value(s[n]);
    }
    return n;
}

/* lx->pos stands at a backslash. */
static Status read_escape(Lexer *lx, Buf *b) {
    static const char from[] = "ntr\\\"'0", to[] = "\n\t\r\\\"'\0";
    const char *s = lx->text + lx->pos, *end = lx->text + lx->n;
    uint32_t used = 2, cp = 0;
    const char *known = s + 1 < end ? memchr(from, s[1], sizeof from - 1) : NULL;
    if (known) {
        cp = (unsigned char)to[known - from];
    } else if (s + 1 < end && s[1] == 'x') {
        if (read_hex(s + 2, end, 2, &cp) != 2) goto bad_x;
        used = 4;
    } else if (s + 2 < end && s[1] == 'u' && s[2] == '{') {
        uint32_t n = read_hex(s + 3, end, 6, &cp);
        used = 4 + n;
        if (n == 0 || s + 3 + n >= end || s[3 + n] != '}') goto bad_u;
        if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF)) goto bad_u;
    } else {
        goto unknown;
    }
    add_code_point(b, cp);
    lx->pos += used;
    return ARR_OK;
bad_x:
    return error_set(lx->cx, ARR_ERR_SYNTAX, (Span){lx->src, lx->pos, lx->pos + 2},
                     "two hexadecimal digits follow \\x");
bad_u:
    return error_set(lx->cx, ARR_ERR_SYNTAX, (Span){lx->src, lx->pos, lx->pos + 2},
                     "a code point in braces follows \\u: \\u{1F600}");
unknown:
    if (s + 1 < end && s[1] == 'u') goto bad_u;
    return error_set(
        lx->cx, ARR_ERR_SYNTAX, (Span){lx->src, lx->pos, lx->pos + 1},
        "escapes are \\n \\t \\r \\\\ \\\" \\' \\0 \\xHH \\u{...}: a backslash itself is "
        "written \\\\");
}

/* Does the text end here? Doubled braces of f-strings are not seen as ends. */
static bool at_end(const Lexer *lx, const Quote *q) {
    char c = lx->text[lx->pos];
    if (q->mode == SPEC) return c == '{' || c == '}';
    if (q->mode == HOLED && c == '{') return !(lx->pos + 1 < lx->n && lx->text[lx->pos + 1] == '{');
    return at_quote(lx, q);
}

/* One character of text, or one escape. */
static Status read_char(Lexer *lx, const Quote *q, Buf *b) {
    const char *s = lx->text + lx->pos;
    uint32_t left = lx->n - lx->pos;
    if (*s == '\\') return read_escape(lx, b);
    if (q->mode == HOLED && (*s == '{' || *s == '}')) {
        if (left < 2 || s[1] != *s) {
            return error_set(lx->cx, ARR_ERR_SYNTAX, (Span){lx->src, lx->pos, lx->pos + 1},
                             "a single `}` in an f-string: a brace is written }}");
        }
        lx->pos++;
    }
    if (!(*s == '\r' && left > 1 && s[1] == '\n')) buf_char(b, *s);
    lx->pos++;
    return ARR_OK;
}

/* Text from lx->pos up to, not including, what ends it. */
static Status read_text(Lexer *lx, const Quote *q, const AstText **out) {
    Status st = ARR_OK;
    AstText *t = NULL;
    Buf b;
    buf_init(&b, lx->cx);
    for (;;) {
        if (lx->pos >= lx->n || (lx->text[lx->pos] == '\n' && !q->triple) ||
            (q->mode == SPEC && at_quote(lx, q))) {
            st = not_closed(lx, q);
            goto out;
        }
        if (at_end(lx, q)) break;
        if ((st = read_char(lx, q, &b)) != ARR_OK) goto out;
    }
    if ((st = buf_status(&b)) != ARR_OK) goto out;
    t = arena_alloc(lx->arena, sizeof *t);
    if (t) t->data = arena_strdup(lx->arena, buf_text(&b), b.len);
    if (!t || !t->data) {
        st = error_memory(lx->cx, b.len + sizeof *t);
        goto out;
    }
    t->len = b.len;
    *out = t;
out:
    buf_free(&b);
    return st;
}

Status text_open(Lexer *lx, int *kind, Token *tok) {
    bool f = (lx->text[tok->lo] | 32) == 'f';
    Quote q = {.at = tok->lo, .c = lx->text[tok->lo + f], .triple = lx->pos - tok->lo - f == 3};
    if (f) {
        TRY(lexer_open(lx, BR_TEXT, tok->lo));
        lx->open[lx->depth].quote = (uint8_t)q.c;
        lx->open[lx->depth].triple = q.triple;
        *kind = TK_FSTART;
    } else {
        TRY(read_text(lx, &q, &tok->text));
        lx->pos += q.triple ? 3 : 1;
        *kind = TK_STRING;
    }
    tok->hi = lx->pos;
    return ARR_OK;
}

/* lx->pos stands behind a hole's `{`. */
static bool hole_is_empty(const Lexer *lx) {
    uint32_t i = lx->pos;
    while (i < lx->n && strchr(" \t\r\n", lx->text[i])) i++;
    return i < lx->n && (lx->text[i] == '}' || lx->text[i] == ':');
}

static Status open_hole(Lexer *lx, Token *tok) {
    TRY(lexer_open(lx, BR_HOLE, lx->pos));
    lx->pos++;
    if (!hole_is_empty(lx)) return ARR_OK;
    return error_set(lx->cx, ARR_ERR_SYNTAX, (Span){lx->src, tok->lo, tok->lo + 1},
                     "an expression is missing in the {} of an f-string; a brace is written {{");
}

Status text_next(Lexer *lx, int *kind, Token *tok) {
    const Bracket *b = &lx->open[lx->depth];
    Quote q = {.at = b->at, .c = (char)b->quote, .triple = b->triple};
    q.mode = b->kind == BR_SPEC ? SPEC : HOLED;
    if (lx->pos >= lx->n || !at_end(lx, &q)) {
        *kind = TK_FTEXT;
        TRY(read_text(lx, &q, &tok->text));
    } else if (lx->text[lx->pos] == '{') {
        *kind = TK_LHOLE;
        TRY(open_hole(lx, tok));
    } else if (q.mode == SPEC) {
        *kind = TK_RHOLE;
        lx->pos++;
        lx->depth--;
    } else {
        *kind = TK_FEND;
        lx->pos += q.triple ? 3 : 1;
        lx->depth--;
    }
    tok->hi = lx->pos;
    return ARR_OK;
}

/* --- comments above functions ----------------------------------------------------------------- */

/* The line that ends before byte `end` (a newline's place): its start, and that of its `#` text. */
static bool comment_line(const Lexer *lx, uint32_t end, uint32_t *start, uint32_t *text) {
    uint32_t lo = end;
    while (lo > 0 && lx->text[lo - 1] != '\n') lo--;
    uint32_t i = lo;
    while (i < end && (lx->text[i] == ' ' || lx->text[i] == '\t')) i++;
    if (i >= end || lx->text[i] != '#' || (i + 1 < end && lx->text[i + 1] == '!')) return false;
    if (lo < lx->last_end) return false; /* inside a string that ends on this line */
    i++;
    if (i < end && lx->text[i] == ' ') i++;
    *start = lo;
    *text = i;
    return true;
}

Status text_doc(Lexer *lx, uint32_t fn, const AstText **out) {
    uint32_t first = fn, lo, text, end;
    while (first > 0 && (lx->text[first - 1] == ' ' || lx->text[first - 1] == '\t')) first--;
    if (first == 0 || lx->text[first - 1] != '\n') return ARR_OK;
    uint32_t last = first; /* start of the line with `fn` */
    while (first > 0 && comment_line(lx, first - 1, &lo, &text)) first = lo;
    if (first == last) return ARR_OK;
    AstText *t = arena_alloc(lx->arena, sizeof *t);
    char *p = arena_alloc(lx->arena, last - first + 1);
    if (!t || !p) return error_memory(lx->cx, last - first + 1);
    t->data = p;
    for (lo = first; lo < last; lo = end + 1) {
        end = (uint32_t)((const char *)memchr(lx->text + lo, '\n', last - lo) - lx->text);
        comment_line(lx, end, &lo, &text);
        uint32_t stop = end > text && lx->text[end - 1] == '\r' ? end - 1 : end;
        memcpy(p, lx->text + text, stop - text);
        p += stop - text;
        *p++ = '\n';
    }
    *--p = '\0';
    t->len = (size_t)(p - t->data);
    *out = t;
    return ARR_OK;
}
