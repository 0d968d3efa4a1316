/* format_spec - Python's format mini-language for numbers and strings (see format.h).
 *
 * A spec is parsed once into a Spec; the value is then written as three parts, | sign and prefix |
 * digits | rest |, so that grouping and zero padding know where the digits are. Callers: f-strings,
 * format(). Errors quote the spec and are those of Python's format, said in Arr's words. */
#include "interp/format.h"
#include "runtime/base/numtext.h"

#include <math.h>
#include <string.h>

enum { SIZE_MAX_SPEC = 1000000 }; /* of width and precision */

typedef struct Spec {
    const char *text; /* all of it, for messages */
    size_t n;
    char fill[4]; /* one code point */
    int fill_bytes;
    char align; /* < > ^ =, 0 where not given */
    char sign;  /* + - blank, 0 */
    char group; /* , _ or 0 */
    char type;  /* 0 where not given */
    bool alternate;
    int width, precision; /* -1 where not given */
} Spec;

/* --- parsing ---------------------------------------------------------------------------------- */

static Status refuse(Cx *cx, const Spec *s, const char *what) {
    return error_set(cx, ARR_ERR_VALUE, cx->span, "cannot format with '%.*s': %s",
                     (int)(s->n < 64 ? s->n : 64), s->text, what);
}

static int utf8_length(const char *s, size_t n) {
    unsigned char c = (unsigned char)s[0];
    size_t len = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    return (int)(len < n ? len : n);
}

static bool is_one_of(char c, const char *set) { return c != '\0' && strchr(set, c) != NULL; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A number at text[*i], -1 if there is none. */
static Status parse_size(Cx *cx, const Spec *s, const char *what, size_t *i, int *out) {
    *out = -1;
    int v = 0;
    for (; *i < s->n && is_digit(s->text[*i]); ++*i) {
        v = v * 10 + (s->text[*i] - '0');
        if (v > SIZE_MAX_SPEC) {
            return error_set(cx, ARR_ERR_LIMIT, cx->span,
                             "cannot format with '%.*s': a %s is at most 1000000",
                             (int)(s->n < 64 ? s->n : 64), s->text, what);
        }
        *out = v;
    }
    return ARR_OK;
}

static void parse_align(Spec *s, size_t *i) {
    int first = utf8_length(s->text, s->n);
    if ((size_t)first < s->n && is_one_of(s->text[first], "<>^=")) {
        memcpy(s->fill, s->text, (size_t)first);
        s->fill_bytes = first;
        s->align = s->text[first];
        *i = (size_t)first + 1;
    } else if (is_one_of(s->text[0], "<>^=")) {
        s->align = s->text[0];
        *i = 1;
    }
}

static bool take(const Spec *s, size_t *i, const char *set, char *out) {
    if (*i >= s->n || !is_one_of(s->text[*i], set)) return false;
    *out = s->text[(*i)++];
    return true;
}

static Status spec_parse(Cx *cx, const char *text, size_t n, Spec *s) {
    *s = (Spec){.text = text, .n = n, .width = -1, .precision = -1};
    size_t i = 0;
    char c;
    if (n > 0) parse_align(s, &i);
    take(s, &i, "+- ", &s->sign);
    s->alternate = take(s, &i, "#", &c);
    if (take(s, &i, "0", &c)) { /* a fill character before the alignment counts more */
        if (!s->fill_bytes) s->fill[0] = '0';
        if (!s->fill_bytes) s->fill_bytes = 1;
        if (!s->align) s->align = '0';
    }
    TRY(parse_size(cx, s, "width", &i, &s->width));
    take(s, &i, ",_", &s->group);
    if (take(s, &i, ",_", &c)) return refuse(cx, s, "only one of ',' and '_' can group digits");
    if (take(s, &i, ".", &c)) {
        TRY(parse_size(cx, s, "precision", &i, &s->precision));
        if (s->precision < 0) return refuse(cx, s, "a number follows the '.'");
    }
    if (i < n) s->type = text[i++];
    if (i < n || (s->type && !is_one_of(s->type, "bdoxXeEfFgGs%"))) {
        return refuse(cx, s,
                      "after [fill][<>^=][+- ][#][0][width][,][.precision] comes one of "
                      "d x b o e f g % s");
    }
    if (!s->fill_bytes) {
        s->fill[0] = ' ';
        s->fill_bytes = 1;
    }
    return ARR_OK;
}

static Status refuse_type(Cx *cx, const Spec *s, const char *kind, const char *remedy) {
    return error_set(cx, ARR_ERR_TYPE, cx->span, "cannot format %s with '%.*s': '%c' is %s", kind,
                     (int)(s->n < 64 ? s->n : 64), s->text, s->type, remedy);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void put_fill(Buf *out, const Spec *s, int64_t n) {
    for (; n > 0 && !out->failed; n--) buf_add(out, s->fill, (size_t)s->fill_bytes);
}

static int64_t code_points(const char *s, size_t n) {
    int64_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)s[i] & 0xc0) != 0x80;
    return count;
}

/* The text within the width. */
static void put_aligned(Buf *out, const Spec *s, char align, const char *text, size_t n) {
    int64_t pad = s->width - code_points(text, n), left = 0;
    if (pad < 0) pad = 0;
    if (align == '>') left = pad;
    if (align == '^') left = pad / 2;
    put_fill(out, s, left);
    buf_add(out, text, n);
    put_fill(out, s, pad - left);
}

/* Digits with a separator each `size` from the right, zeros before them up to `least` characters
 * in all (a separator never comes first). */
static void put_grouped(Buf *out, char group, int size, const char *digits, int n, int64_t least) {
    int64_t total = n;
    if (group) {
        while (total + (total - 1) / size < least) total++;
    } else if (total < least) {
        total = least;
    }
    for (int64_t i = 0; i < total && !out->failed; i++) {
        int64_t left = total - i;
        if (group && i > 0 && left % size == 0) buf_char(out, group);
        buf_char(out, left > n ? '0' : digits[n - left]);
    }
}

/* A number as | head: sign, 0x | digits | tail: fraction, exponent, % |. */
typedef struct Parts {
    char head[4];
    int head_n;
    const char *digits, *tail;
    int digits_n, tail_n;
    int group_size;
} Parts;

static Status put_number(Buf *out, const Spec *s, const Parts *p) {
    char align = s->align ? s->align : '>';
    bool zeros = align == '0' || (align == '=' && s->fill[0] == '0' && s->fill_bytes == 1);
    int64_t least = zeros ? (int64_t)s->width - p->head_n - p->tail_n : 0;
    Buf text;
    buf_init(&text, out->cx);
    buf_add(&text, p->head, align == '=' && !zeros ? 0 : (size_t)p->head_n);
    put_grouped(&text, s->group, p->group_size, p->digits, p->digits_n, least);
    buf_add(&text, p->tail, (size_t)p->tail_n);
    if (zeros) {
        buf_add(out, text.data, text.len);
    } else if (align == '=') { /* the fill stands between sign and digits */
        buf_add(out, p->head, (size_t)p->head_n);
        put_fill(out, s, (int64_t)s->width - p->head_n - (int64_t)text.len);
        buf_add(out, text.data, text.len);
    } else {
        put_aligned(out, s, align, text.data, text.len);
    }
    Status st = buf_status(&text);
    buf_free(&text);
    return st == ARR_OK ? buf_status(out) : st;
}

static void put_sign(Parts *p, const Spec *s, bool neg) {
    if (neg)
        p->head[p->head_n++] = '-';
    else if (s->sign == '+' || s->sign == ' ')
        p->head[p->head_n++] = s->sign;
}

static Status format_integer(Buf *out, const Spec *s, bool neg, uint64_t size) {
    char digits[64], *d = digits + sizeof digits;
    int base = s->type == 'b' ? 2 : s->type == 'o' ? 8 : s->type == 'x' || s->type == 'X' ? 16 : 10;
    const char *figures = s->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    Cx *cx = out->cx;
    if (s->precision >= 0) return refuse(cx, s, "an integer has no precision: use f, e or g");
    if (s->group == ',' && base != 10) return refuse(cx, s, "',' groups decimal digits: use '_'");
    do {
        *--d = figures[size % (unsigned)base];
        size /= (unsigned)base;
    } while (size);
    Parts p = {.digits = d, .digits_n = (int)(digits + sizeof digits - d), .tail = ""};
    p.group_size = base == 10 ? 3 : 4;
    put_sign(&p, s, neg);
    if (s->alternate && base != 10) {
        p.head[p.head_n++] = '0';
        p.head[p.head_n++] = s->type;
    }
    return put_number(out, s, &p);
}

/* Without a type: the shortest text, or, with a precision, like g but with a digit behind the point
 * where there is no exponent (point). */
static void put_general(Buf *out, const Spec *s, double v, bool point) {
    char text[NUMTEXT_REAL];
    if (s->precision < 0 || !isfinite(v)) {
        int n = numtext_repr(fabs(v), text);
        if (!point && n > 2 && memcmp(text + n - 2, ".0", 2) == 0) n -= 2;
        int mantissa = (int)strcspn(text, "e");
        buf_add(out, text, (size_t)(mantissa < n ? mantissa : n));
        if (s->alternate && isfinite(v) && !memchr(text, '.', (size_t)n)) buf_char(out, '.');
        if (mantissa < n) buf_add(out, text + mantissa, (size_t)(n - mantissa));
        return;
    }
    int precision = s->precision ? s->precision : 1;
    Decimal d;
    decimal_exact(v, &d);
    decimal_round(&d, precision);
    if (point && d.exp10 == precision - 1) { /* all digits before the point: then an exponent */
        numtext_format(out, v, 'e', s->alternate ? precision - 1 : d.n - 1, s->alternate);
        return;
    }
    size_t begun = out->len;
    numtext_format(out, v, 'g', precision, s->alternate);
    if (out->failed || !point) return;
    if (!memchr(out->data + begun, '.', out->len - begun) &&
        !memchr(out->data + begun, 'e', out->len - begun))
        buf_str(out, ".0");
}

/* |v| by the spec's type, without sign. point: see put_general. */
static void put_real(Buf *out, const Spec *s, double v, bool point) {
    int precision = s->precision < 0 ? 6 : s->precision;
    if (!s->type) {
        put_general(out, s, v, point);
    } else if (s->type == '%') {
        numtext_format(out, v * 100, 'f', precision, s->alternate);
        buf_char(out, '%');
    } else {
        numtext_format(out, v, s->type, precision, s->alternate);
    }
}

/* How many decimal digits begin the text. */
static int leading_digits(const char *text, size_t n) {
    size_t i = 0;
    while (i < n && is_digit(text[i])) i++;
    return (int)i;
}

static Status format_float(Buf *out, const Spec *s, double v) {
    Buf text;
    buf_init(&text, out->cx);
    put_real(&text, s, v, true);
    Status st = buf_status(&text);
    if (st == ARR_OK) {
        Parts p = {.digits = text.data, .group_size = 3};
        p.digits_n = leading_digits(text.data, text.len);
        p.tail = text.data + p.digits_n;
        p.tail_n = (int)text.len - p.digits_n;
        put_sign(&p, s, signbit(v) && !isnan(v));
        if (p.digits_n == 0) { /* inf and nan count as digits, which are never grouped */
            Spec plain = *s;
            plain.group = 0;
            p.digits = text.data;
            p.digits_n = (int)text.len;
            p.tail_n = 0;
            st = put_number(out, &plain, &p);
        } else {
            st = put_number(out, s, &p);
        }
    }
    buf_free(&text);
    return st;
}

/* One half of a complex number with its sign. */
static Status put_half(Buf *out, const Spec *s, char sign, double v) {
    Spec half = *s;
    half.sign = sign;
    half.width = -1;
    half.align = '>';
    Buf text;
    buf_init(&text, out->cx);
    put_real(&text, &half, v, false);
    Status st = buf_status(&text);
    if (st == ARR_OK) {
        Parts p = {.digits = text.data, .group_size = 3};
        p.digits_n = leading_digits(text.data, text.len);
        if (p.digits_n == 0) {
            half.group = 0;
            p.digits_n = (int)text.len;
        }
        p.tail = text.data + p.digits_n;
        p.tail_n = (int)text.len - p.digits_n;
        put_sign(&p, &half, signbit(v) && !isnan(v));
        st = put_number(out, &half, &p);
    }
    buf_free(&text);
    return st;
}

static Status format_complex(Buf *out, const Spec *s, Complex128 c) {
    Cx *cx = out->cx;
    if (s->align == '=') return refuse(cx, s, "complex numbers have no '=' alignment");
    if (s->fill[0] == '0') return refuse(cx, s, "complex numbers are not padded with zeros");
    bool bare = !s->type, real = !bare || c.re != 0 || signbit(c.re);
    Buf text;
    buf_init(&text, cx);
    if (bare && real) buf_char(&text, '(');
    Status st = real ? put_half(&text, s, s->sign, c.re) : ARR_OK;
    if (st == ARR_OK) st = put_half(&text, s, real ? '+' : s->sign, c.im);
    buf_str(&text, bare && real ? "j)" : "j");
    if (st == ARR_OK) st = buf_status(&text);
    if (st == ARR_OK) put_aligned(out, s, s->align ? s->align : '>', text.data, text.len);
    buf_free(&text);
    return st == ARR_OK ? buf_status(out) : st;
}

/* --- the two entries -------------------------------------------------------------------------- */

static Status format_whole(Buf *out, const Spec *s, bool neg, uint64_t size) {
    if (!s->type || is_one_of(s->type, "dboxX")) return format_integer(out, s, neg, size);
    return format_float(out, s, neg ? -(double)size : (double)size);
}

Status format_spec_scalar(Buf *out, const char *spec, size_t n, const Scalar *v) {
    static const char *const kinds[] = {"a bool", "an integer", "an integer", "a float",
                                        "a complex number"};
    Cx *cx = out->cx;
    Spec s;
    if (n == 0) {
        char text[NUMTEXT_ELEMENT];
        buf_add(out, text, (size_t)numtext_scalar(v, text));
        return buf_status(out);
    }
    TRY(spec_parse(cx, spec, n, &s));
    if (s.type == 's') return refuse_type(cx, &s, kinds[v->kind], "for strings: use str(x)");
    bool whole = s.type && is_one_of(s.type, "dboxX");
    switch (v->kind) {
    case SC_BOOL: return format_whole(out, &s, false, v->b);
    case SC_INT:
        return format_whole(out, &s, v->i < 0, v->i < 0 ? 0 - (uint64_t)v->i : (uint64_t)v->i);
    case SC_UINT: return format_whole(out, &s, false, v->u);
    case SC_FLOAT:
        if (whole) return refuse_type(cx, &s, kinds[v->kind], "for integers: use .0f, or int(x)");
        return format_float(out, &s, v->f);
    case SC_COMPLEX: break;
    }
    if (whole || s.type == '%') {
        return refuse_type(cx, &s, kinds[v->kind], "for real numbers: use real(x) and imag(x)");
    }
    return format_complex(out, &s, v->c);
}

static Status refuse_for_string(Cx *cx, const Spec *s) {
    if (s->type && s->type != 's')
        return refuse_type(cx, s, "a string", "for numbers: use int(x) or float(x)");
    if (s->sign) return refuse(cx, s, "a string has no sign");
    if (s->alternate) return refuse(cx, s, "a string has no '#' form");
    if (s->group) return refuse(cx, s, "a string has no digits to group");
    if (s->align == '=') return refuse(cx, s, "'=' aligns numbers: use <, > or ^");
    return ARR_OK;
}

Status format_spec_string(Buf *out, const char *spec, size_t n, const char *utf8, size_t len) {
    Spec s;
    TRY(spec_parse(out->cx, spec, n, &s));
    TRY(refuse_for_string(out->cx, &s));
    size_t cut = 0;
    if (s.precision < 0) cut = len;
    for (int i = 0; i < s.precision && cut < len; i++)
        cut += (size_t)utf8_length(utf8 + cut, len - cut);
    char align = s.align && s.align != '0' ? s.align : '<';
    put_aligned(out, &s, align, utf8, cut);
    return buf_status(out);
}
