/* format_array - arrays as NumPy's print writes them (see format.h).
 *
 * Two passes over the shown elements: the first finds the common layout (exponents or not, widths
 * left and right of the point), the second writes rows of equally wide words. Follows NumPy 2.3+,
 * legacy modes off: floatmode "maxprec", separator " ". bf16, which NumPy does not have, follows
 * the same rules. Callers: value_format. Invariant: only window elements are looked at. */
#include "interp/format.h"
#include "runtime/base/numtext.h"

#include <math.h>
#include <string.h>

/* --- which elements --------------------------------------------------------------------------- */

void format_window(const Shape *s, FormatWindow *out) {
    *out = (FormatWindow){.whole = true, .count = 1};
    out->summary = shape_size(s) > FORMAT_THRESHOLD;
    for (int a = 0; a < s->rank; a++) {
        bool cut = out->summary && s->dim[a] > 2 * FORMAT_EDGE;
        out->shown[a] = cut ? 2 * FORMAT_EDGE : s->dim[a];
        out->whole = out->whole && !cut;
        out->count *= out->shown[a];
    }
}

int64_t format_window_index(const FormatWindow *w, const Shape *s, int axis, int64_t k) {
    bool tail = w->shown[axis] < s->dim[axis] && k >= FORMAT_EDGE;
    return tail ? s->dim[axis] - w->shown[axis] + k : k;
}

/* One line of the window along the last axis: one run, or its two ends. */
static Status read_line(const FormatWindow *w, const Shape *s, DType d, int64_t *index,
                        FormatRead read, void *user, char *dst) {
    int last = s->rank - 1;
    bool cut = w->shown[last] < s->dim[last];
    int64_t head = cut ? FORMAT_EDGE : w->shown[last], tail = w->shown[last] - head;
    index[last] = 0;
    TRY(read(user, index, head, dst));
    if (!cut) return ARR_OK;
    index[last] = s->dim[last] - tail;
    return read(user, index, tail, dst + (size_t)head * dtype_size(d));
}

static Status read_window(Cx *cx, const FormatWindow *w, const Shape *s, DType d, FormatRead read,
                          void *user, char *dst) {
    int64_t at[MAX_RANK] = {0}, index[MAX_RANK] = {0};
    if (w->whole) return read(user, index, w->count, dst);
    size_t line = (size_t)w->shown[s->rank - 1] * dtype_size(d);
    for (;;) {
        if (cx->interrupt) return error_interrupted(cx);
        for (int a = 0; a < s->rank - 1; a++) index[a] = format_window_index(w, s, a, at[a]);
        TRY(read_line(w, s, d, index, read, user, dst));
        dst += line;
        int a = s->rank - 2;
        while (a >= 0 && ++at[a] == w->shown[a]) at[a--] = 0;
        if (a < 0) return ARR_OK;
    }
}

/* --- layout of floats ------------------------------------------------------------------------- */

/* How all elements (or all real parts, all imaginary parts) are written. */
typedef struct FloatLayout {
    DType dtype;     /* real */
    bool plus;       /* imaginary parts carry their sign always */
    bool exponents;  /* d.ddde+dd */
    int left, right; /* width before and behind the point; right includes the exponent */
    int places;      /* digits behind the point: at most, or exactly with exponents */
    int exponent;    /* digits of the exponents */
} FloatLayout;

/* One finite number's digits: D.DDD times 10^exp10. */
typedef struct Digits {
    bool neg;
    int n, exp10;
    char digit[DECIMAL_DIGITS];
} Digits;

static double real_part(DType d, const char *shown, int64_t i, bool imag) {
    const char *p = shown + (size_t)i * dtype_size(d);
    Scalar s = scalar_load(d, p);
    if (s.kind == SC_COMPLEX) return imag ? s.c.im : s.c.re;
    return s.f;
}

static double round_to(DType d, double v) {
    switch (d) {
    case DT_f16: return f16_to_f32(f16_from_f64(v));
    case DT_bf16: return bf16_to_f32(bf16_from_f64(v));
    case DT_f32: return (float)v;
    default: return v;
    }
}

/* 10^min(8, decimal digits that the dtype always keeps) */
static double exponent_from(DType d) {
    switch (d) {
    case DT_f16: return 1e3;
    case DT_bf16: return 1e2;
    case DT_f32: return 1e6;
    default: return 1e8;
    }
}

static bool wants_exponents(DType d, double least, double most) {
    if (most >= exponent_from(d) || least < round_to(d, 1e-4)) return true;
    double ratio = d == DT_f64 ? most / least : (double)((float)most / (float)least);
    return round_to(d, ratio) > 1000;
}

static void exact_digits(double v, int keep, Digits *out) {
    Decimal x;
    decimal_exact(v, &x);
    decimal_round(&x, keep);
    out->n = x.n;
    out->exp10 = x.exp10;
    memcpy(out->digit, x.digits, (size_t)x.n);
}

/* The number that the first n digits give, one unit of the last added if up. */
static double digits_value(const Digits *x, int n, bool up) {
    char text[DECIMAL_DIGITS + 16];
    int len = 0, carry = up;
    for (int i = n - 1; i >= 0; i--) {
        int digit = (i < x->n ? x->digit[i] - '0' : 0) + carry;
        carry = digit == 10;
        text[i + 1] = (char)('0' + digit % 10);
    }
    text[0] = (char)('0' + carry);
    len = n + 1;
    text[len++] = 'e';
    len += numtext_i64(x->exp10 - n + 1, text + len);
    double v = 0;
    numtext_parse_f64(text, (size_t)len, &v);
    return v;
}

/* More digits than v needs: the exact ones, rounded. Below a power of two the neighbour is half as
 * far away as above; there the nearer of two texts may be the one that reads back as the neighbour,
 * and NumPy then takes the other. */
static void widen(DType d, double v, int keep, Digits *x) {
    Digits exact;
    int power;
    exact_digits(v, DECIMAL_DIGITS, &exact);
    if (frexp(fabs(v), &power) == 0.5 && exact.n > keep) {
        double down = digits_value(&exact, keep, false), up = digits_value(&exact, keep, true);
        bool low = round_to(d, down) == fabs(v), high = round_to(d, up) == fabs(v);
        if (low != high) exact_digits(low ? down : up, keep, x);
        if (low != high) return;
    }
    exact_digits(v, keep, x);
}

/* The digits that are written: the shortest, but at most `most` behind the point and at least
 * `least` (those of scientific form only). */
static void find_digits(const FloatLayout *l, double v, int most, int least, Digits *x) {
    x->n = numtext_shortest(l->dtype, v, x->digit, &x->exp10, &x->neg);
    if (v == 0) return;
    int keep = l->exponents ? most + 1 : x->exp10 + 1 + most;
    if (x->n > keep)
        exact_digits(v, keep, x);
    else if (l->exponents && x->n < least + 1)
        widen(l->dtype, v, least + 1, x);
}

static int max(int a, int b) { return a > b ? a : b; }

static int count_digits(int e) {
    char text[NUMTEXT_REAL];
    return max(2, numtext_i64(e < 0 ? -e : e, text));
}

/* What one finite number needs. */
static void grow_layout(FloatLayout *l, double v) {
    Digits x;
    find_digits(l, v, FORMAT_PRECISION, 0, &x);
    int sign = x.neg || l->plus;
    if (l->exponents) {
        l->left = max(l->left, sign + 1);
        l->places = max(l->places, x.n - 1);
        l->exponent = max(l->exponent, count_digits(x.exp10));
    } else {
        l->left = max(l->left, sign + max(x.exp10, 0) + 1);
        l->right = max(l->right, x.n - 1 - x.exp10);
    }
}

static FloatLayout float_layout(DType d, const char *shown, int64_t count, bool imag) {
    FloatLayout l = {.dtype = dtype_real(d), .plus = imag, .places = 0};
    double least = INFINITY, most = 0;
    bool special = false, minus_inf = false;
    for (int64_t i = 0; i < count; i++) {
        double v = real_part(d, shown, i, imag), size = fabs(v);
        special = special || !isfinite(v);
        minus_inf = minus_inf || v == -INFINITY;
        if (!isfinite(v) || v == 0) continue;
        if (size < least) least = size;
        if (size > most) most = size;
    }
    l.exponents = most > 0 && wants_exponents(l.dtype, least, most);
    for (int64_t i = 0; i < count; i++) {
        double v = real_part(d, shown, i, imag);
        if (isfinite(v)) grow_layout(&l, v);
    }
    if (l.exponents)
        l.right = l.places + l.exponent + 2;
    else
        l.places = FORMAT_PRECISION;
    if (special) l.left = max(l.left, 3 + (l.plus || minus_inf) - (l.right + 1));
    return l;
}

/* --- words ------------------------------------------------------------------------------------ */

static void put_spaces(Buf *out, int64_t n) {
    for (; n > 0; n--) buf_char(out, ' ');
}

/* `n` digits from x.digit[first], zeros where there are none. */
static void put_digits(Buf *out, const Digits *x, int first, int n) {
    for (int i = first; i < first + n; i++) buf_char(out, i >= 0 && i < x->n ? x->digit[i] : '0');
}

static void put_special(Buf *out, const FloatLayout *l, double v) {
    bool neg = v < 0, sign = neg || l->plus;
    put_spaces(out, l->left + l->right + 1 - 3 - sign);
    if (sign) buf_char(out, neg ? '-' : '+');
    buf_str(out, isnan(v) ? "nan" : "inf");
}

/* Answers how many blanks end the word. */
static int put_float(Buf *out, const FloatLayout *l, double v) {
    if (!isfinite(v)) {
        put_special(out, l, v);
        return 0;
    }
    Digits x;
    find_digits(l, v, l->places, l->places, &x);
    int sign = x.neg || l->plus, whole = l->exponents ? 1 : max(x.exp10, 0) + 1;
    put_spaces(out, l->left - sign - whole);
    if (sign) buf_char(out, x.neg ? '-' : '+');
    put_digits(out, &x, l->exponents || x.exp10 >= 0 ? 0 : x.exp10, whole);
    buf_char(out, '.');
    if (l->exponents) {
        put_digits(out, &x, 1, l->places);
        buf_str(out, x.exp10 < 0 ? "e-" : "e+");
        char text[NUMTEXT_REAL];
        int n = numtext_i64(x.exp10 < 0 ? -x.exp10 : x.exp10, text);
        for (int i = n; i < l->exponent; i++) buf_char(out, '0');
        buf_add(out, text, (size_t)n);
        return 0;
    }
    int places = max(x.n - 1 - x.exp10, 0);
    put_digits(out, &x, x.exp10 + 1, places);
    put_spaces(out, l->right - places);
    return l->right - places;
}

typedef struct Printer {
    Buf *out;
    DType dtype;
    const Shape *shape;
    FormatWindow window;
    const char *shown;
    int64_t next; /* element that is written next */
    int width;    /* of every word */
    FloatLayout re, im;
} Printer;

/* The j stands before the blanks that end the imaginary part. */
static void put_complex(Printer *p, int64_t i) {
    put_float(p->out, &p->re, real_part(p->dtype, p->shown, i, false));
    int blanks = put_float(p->out, &p->im, real_part(p->dtype, p->shown, i, true));
    if (blanks == 0 || p->out->failed) {
        buf_char(p->out, 'j');
        return;
    }
    p->out->data[p->out->len - (size_t)blanks] = 'j';
    buf_char(p->out, ' ');
}

static void put_word(Printer *p) {
    int64_t i = p->next++;
    if (dtype_is_complex(p->dtype)) {
        put_complex(p, i);
    } else if (dtype_is_float(p->dtype)) {
        put_float(p->out, &p->re, real_part(p->dtype, p->shown, i, false));
    } else {
        char text[NUMTEXT_ELEMENT];
        int n = numtext_element(p->dtype, p->shown + (size_t)i * dtype_size(p->dtype), text);
        put_spaces(p->out, p->width - n);
        buf_add(p->out, text, (size_t)n);
    }
}

static void measure(Printer *p) {
    int64_t count = p->window.count;
    if (dtype_is_float(p->dtype) || dtype_is_complex(p->dtype)) {
        p->re = float_layout(p->dtype, p->shown, count, false);
        p->width = p->re.left + p->re.right + 1;
        if (!dtype_is_complex(p->dtype)) return;
        p->im = float_layout(p->dtype, p->shown, count, true);
        p->width += p->im.left + p->im.right + 2;
        return;
    }
    p->width = p->dtype == DT_bool ? 5 : 0;
    for (int64_t i = 0; i < count; i++) {
        char text[NUMTEXT_ELEMENT];
        p->width = max(
            p->width, numtext_element(p->dtype, p->shown + (size_t)i * dtype_size(p->dtype), text));
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Begin a word of that width: on a new line where it would pass the limit, unless the line is
 * empty. *used counts the line's characters, its indent included. */
static void begin_word(Buf *out, int width, int limit, int indent, int *used) {
    if (*used + width > limit && *used > indent) {
        while (out->len && out->data[out->len - 1] == ' ') out->data[--out->len] = '\0';
        buf_char(out, '\n');
        put_spaces(out, indent);
        *used = indent;
    }
    *used += width;
}

static Status put_row(Printer *p, int axis) {
    Buf *out = p->out;
    int indent = axis + 1, limit = FORMAT_WIDTH - axis - 1, used = indent;
    int64_t n = p->window.shown[axis];
    bool cut = n < p->shape->dim[axis];
    if (out->cx->interrupt) return error_interrupted(out->cx);
    for (int64_t i = 0; i < n; i++) {
        if (cut && i == FORMAT_EDGE) {
            begin_word(out, 3, limit, indent, &used);
            buf_str(out, "... ");
            used++;
        }
        begin_word(out, p->width, limit, indent, &used);
        put_word(p);
        if (i + 1 < n) buf_char(out, ' ');
        used++;
    }
    return buf_status(out);
}

/* Depth is at most MAX_RANK. */
static Status put_axis(Printer *p, int axis) {
    Buf *out = p->out;
    int left = p->shape->rank - axis;
    buf_char(out, '[');
    if (left == 1) {
        TRY(put_row(p, axis));
        buf_char(out, ']');
        return ARR_OK;
    }
    int64_t n = p->window.shown[axis];
    bool cut = n < p->shape->dim[axis];
    for (int64_t i = 0; i < n; i++) {
        if (cut && i == FORMAT_EDGE) {
            put_spaces(out, axis + 1);
            buf_str(out, "...");
            for (int k = 1; k < left; k++) buf_char(out, '\n');
        }
        if (i > 0) put_spaces(out, axis + 1);
        TRY(put_axis(p, axis + 1));
        for (int k = 1; k < left && i + 1 < n; k++) buf_char(out, '\n');
    }
    buf_char(out, ']');
    return ARR_OK;
}

Status format_array_shown(Buf *out, DType d, const Shape *s, const void *shown) {
    Printer p = {.out = out, .dtype = d, .shape = s, .shown = shown};
    format_window(s, &p.window);
    if (p.window.count == 0) {
        buf_str(out, "[]");
    } else if (s->rank == 0) {
        char text[NUMTEXT_ELEMENT];
        buf_add(out, text, (size_t)numtext_element(d, shown, text));
    } else {
        measure(&p);
        TRY(put_axis(&p, 0));
    }
    return buf_status(out);
}

Status format_array(Buf *out, DType d, const Shape *s, FormatRead read, void *user) {
    Cx *cx = out->cx;
    FormatWindow w;
    format_window(s, &w);
    if (w.count == 0) return format_array_shown(out, d, s, NULL);
    size_t bytes = (size_t)w.count * dtype_size(d);
    char *shown = mem_alloc(&cx->mem, bytes);
    if (!shown) return error_memory(cx, bytes);
    Status st = read_window(cx, &w, s, d, read, user, shown);
    if (st == ARR_OK) st = format_array_shown(out, d, s, shown);
    mem_free(&cx->mem, shown, bytes);
    return st;
}
