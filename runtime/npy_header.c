/* npy_header - the header of a .npy file, parsed and made (see npy.h).
 *
 * The header's text is a Python literal: { 'descr': '<f4', 'fortran_order': False, 'shape': (3, 4),
 * } in any order and spacing. It is read by a parser for just that; whatever else stands where a
 * descr should be is skipped by its brackets, to be quoted in the refusal. Callers: npy.c, fuzzing.
 * Invariant: nothing beyond bytes[0..n) is looked at. */
#include "runtime/npy.h"
#include "runtime/base/numtext.h"

#include <stdio.h>
#include <string.h>

enum {
    HEADER_LIMIT = 10000, /* NumPy's own */
    GROWTH_DIGITS = 21,   /* digits of 2^64 and one: the first axis may grow in place */
    QUOTED = 60           /* bytes of a refused text that a message shows */
};

typedef struct Text {
    const char *s;
    size_t n;
} Text;

/* The literal as it is read. */
typedef struct Parser {
    Cx *cx;
    Span at;
    const char *path;
    const char *p, *end;
    int major;
    Text descr; /* raw, quotes included */
    Shape shape;
    bool fortran, has_descr, has_fortran, has_shape;
} Parser;

static Status malformed(Parser *ps, const char *what) {
    return error_set(ps->cx, ARR_ERR_IO, ps->at, "cannot read %s: malformed .npy header: %s",
                     ps->path, what);
}

/* --- the prefix: 6 bytes of magic, version, length of the text -------------------------------- */

static Status not_npy(Cx *cx, Span at, const char *path, const uint8_t *b, size_t n) {
    char hex[3 * 6 + 1] = "";
    for (size_t i = 0; i < n && i < 6; i++) snprintf(hex + 3 * i, 4, " %02x", b[i]);
    if (n == 0) return error_set(cx, ARR_ERR_IO, at, "cannot read %s: the file is empty", path);
    bool zip = n >= 4 && memcmp(b, "PK\3\4", 4) == 0;
    return error_set(cx, ARR_ERR_IO, at,
                     "cannot read %s: not a .npy file: it begins with%s, expected 93 4e 55 4d 50 "
                     "59%s",
                     path, hex, zip ? " (this is a zip file: .npz)" : "");
}

Status npy_header_extent(Cx *cx, Span at, const char *path, const uint8_t *b, size_t n,
                         int64_t size, size_t *extent) {
    if (n < 6 || memcmp(b, "\x93NUMPY", 6) != 0) return not_npy(cx, at, path, b, n);
    if (n >= 8 && (b[6] < 1 || b[6] > 3 || b[7] != 0)) {
        return error_set(cx, ARR_ERR_IO, at,
                         "cannot read %s: .npy version %d.%d: versions 1.0, 2.0 and 3.0 are known",
                         path, b[6], b[7]);
    }
    size_t prefix = n >= 8 && b[6] == 1 ? 10 : 12;
    if (n < prefix) {
        return error_set(cx, ARR_ERR_IO, at,
                         "cannot read %s: not fully written: expected a header of more than %zu "
                         "bytes, found %lld",
                         path, prefix, (long long)size);
    }
    uint64_t len = b[8] | (uint64_t)b[9] << 8;
    if (prefix == 12) len |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
    if (len > HEADER_LIMIT) {
        return error_set(cx, ARR_ERR_IO, at,
                         "cannot read %s: its header has %llu characters: at most %d are read",
                         path, (unsigned long long)len, HEADER_LIMIT);
    }
    *extent = prefix + (size_t)len;
    if ((int64_t)*extent <= size) return ARR_OK;
    return error_set(cx, ARR_ERR_IO, at,
                     "cannot read %s: not fully written: expected %zu bytes of header, found %lld",
                     path, *extent, (long long)size);
}

/* --- the literal ------------------------------------------------------------------------------ */

static void skip_blanks(Parser *ps) {
    while (ps->p < ps->end && strchr(" \t\n\r\f", *ps->p) && *ps->p) ps->p++;
}

static bool take(Parser *ps, char c) {
    skip_blanks(ps);
    if (ps->p >= ps->end || *ps->p != c) return false;
    ps->p++;
    return true;
}

static bool take_word(Parser *ps, const char *word) {
    size_t n = strlen(word);
    skip_blanks(ps);
    if ((size_t)(ps->end - ps->p) < n || memcmp(ps->p, word, n) != 0) return false;
    char after = ps->p + n < ps->end ? ps->p[n] : ' ';
    if ((after | 0x20) >= 'a' && (after | 0x20) <= 'z') return false;
    ps->p += n;
    return true;
}

/* A quoted text, its quotes included. */
static bool take_string(Parser *ps, Text *out) {
    skip_blanks(ps);
    if (ps->p >= ps->end || (*ps->p != '\'' && *ps->p != '"')) return false;
    const char *s = ps->p + 1;
    while (s < ps->end && *s != *ps->p && *s != '\n') s += *s == '\\' ? 2 : 1;
    if (s >= ps->end || *s != *ps->p) return false;
    *out = (Text){ps->p, (size_t)(s + 1 - ps->p)};
    ps->p = s + 1;
    return true;
}

/* Any other value, to be quoted: up to the comma or brace that ends it. */
static Status take_raw(Parser *ps, Text *out) {
    int depth = 0;
    Text inner;
    skip_blanks(ps);
    const char *from = ps->p;
    while (ps->p < ps->end) {
        char c = *ps->p;
        if (depth == 0 && (c == ',' || c == '}')) break;
        if (c == '\'' || c == '"') {
            if (!take_string(ps, &inner)) return malformed(ps, "a text without its second quote");
            continue;
        }
        if (strchr("([{", c) && c) depth++;
        if (strchr(")]}", c) && c) depth--;
        if (depth < 0) break;
        ps->p++;
    }
    *out = (Text){from, (size_t)(ps->p - from)};
    if (out->n == 0 || ps->p == ps->end) return malformed(ps, "a value is missing");
    return ARR_OK;
}

static Status parse_dim(Parser *ps) {
    skip_blanks(ps);
    bool minus = take(ps, '-');
    const char *from = ps->p;
    while (ps->p < ps->end && *ps->p >= '0' && *ps->p <= '9') ps->p++;
    int64_t dim = 0;
    NumParse r = numtext_parse_i64(from, (size_t)(ps->p - from), &dim);
    if (r == NUM_SYNTAX) return malformed(ps, "shape is not a tuple of integers");
    if (minus && dim != 0) return malformed(ps, "shape has a negative extent");
    if (r == NUM_RANGE) return malformed(ps, "shape has an extent beyond 2^63-1");
    if (ps->major < 3 && ps->p < ps->end && *ps->p == 'L') ps->p++; /* written by Python 2 */
    if (ps->shape.rank == MAX_RANK) {
        return error_set(ps->cx, ARR_ERR_IO, ps->at,
                         "cannot read %s: its array has more than %d axes", ps->path, MAX_RANK);
    }
    ps->shape.dim[ps->shape.rank++] = dim;
    return ARR_OK;
}

static Status parse_shape(Parser *ps) {
    bool comma = true, any = false;
    if (!take(ps, '(')) return malformed(ps, "shape is not a tuple");
    while (!take(ps, ')')) {
        if (!comma) return malformed(ps, "shape is not a tuple of integers");
        TRY(parse_dim(ps));
        any = true;
        comma = take(ps, ',');
    }
    if (any && ps->shape.rank == 1 && !comma) return malformed(ps, "shape is not a tuple");
    return ARR_OK;
}

static Status parse_value(Parser *ps, Text key) {
    bool *seen = NULL;
    if (key.n == 7 && memcmp(key.s + 1, "descr", 5) == 0) seen = &ps->has_descr;
    if (key.n == 15 && memcmp(key.s + 1, "fortran_order", 13) == 0) seen = &ps->has_fortran;
    if (key.n == 7 && memcmp(key.s + 1, "shape", 5) == 0) seen = &ps->has_shape;
    if (!seen) {
        return error_set(ps->cx, ARR_ERR_IO, ps->at,
                         "cannot read %s: malformed .npy header: unknown key %.*s", ps->path,
                         (int)(key.n < QUOTED ? key.n : QUOTED), key.s);
    }
    if (*seen) return malformed(ps, "a key stands twice");
    *seen = true;
    if (seen == &ps->has_shape) return parse_shape(ps);
    if (seen == &ps->has_descr) {
        return take_string(ps, &ps->descr) ? ARR_OK : take_raw(ps, &ps->descr);
    }
    ps->fortran = take_word(ps, "True");
    if (!ps->fortran && !take_word(ps, "False"))
        return malformed(ps, "fortran_order is neither True nor False");
    return ARR_OK;
}

static Status parse_dict(Parser *ps) {
    Text key;
    bool comma = true;
    if (!take(ps, '{')) return malformed(ps, "it does not begin with '{'");
    while (!take(ps, '}')) {
        if (!comma) return malformed(ps, "a ',' is missing");
        if (!take_string(ps, &key)) return malformed(ps, "a key is missing");
        if (!take(ps, ':')) return malformed(ps, "a ':' is missing");
        TRY(parse_value(ps, key));
        comma = take(ps, ',');
    }
    skip_blanks(ps);
    if (ps->p < ps->end) return malformed(ps, "something follows the '}'");
    if (!ps->has_descr) return malformed(ps, "the key 'descr' is missing");
    if (!ps->has_fortran) return malformed(ps, "the key 'fortran_order' is missing");
    if (!ps->has_shape) return malformed(ps, "the key 'shape' is missing");
    return ARR_OK;
}

/* --- what it means ---------------------------------------------------------------------------- */

static Status refuse_descr(Parser *ps, const char *why) {
    int n = (int)(ps->descr.n < QUOTED ? ps->descr.n : QUOTED);
    return error_set(ps->cx, ARR_ERR_IO, ps->at, "cannot read %s: unsupported dtype %.*s%s%s",
                     ps->path, n, ps->descr.s, n < (int)ps->descr.n ? "..." : "", why);
}

static const char *why_not(char kind) {
    switch (kind) {
    case 'O': return " (Python objects: a pickle, which is never read)";
    case 'S':
    case 'a':
    case 'U': return " (text)";
    case 'V': return " (raw bytes; NumPy saves bfloat16 so too)";
    case 'M':
    case 'm': return " (dates and times)";
    case 'f': return " (a long double)";
    default: return "";
    }
}

/* "'<f4'": order, kind and size. */
static Status parse_descr(Parser *ps, NpyInfo *out) {
    const char *s = ps->descr.s + 1;
    size_t n = ps->descr.n - 2;
    if (ps->descr.s[0] != '\'' && ps->descr.s[0] != '"') {
        return refuse_descr(ps, ps->descr.s[0] == '[' ? " (a structure)" : " (a sub-array)");
    }
    char order = '=';
    if (n > 0 && strchr("<>|=", s[0]) && s[0]) {
        order = s[0];
        s++;
        n--;
    }
    for (int d = 0; d < DT_COUNT; d++) {
        const char *name = dtype_npy((DType)d); /* "<f4": compare without the order */
        if (!*name || strlen(name) != n + 1 || memcmp(name + 1, s, n) != 0) continue;
        out->dtype = (DType)d;
        const uint16_t one = 1;
        bool little = *(const uint8_t *)&one;
        out->swap = dtype_size((DType)d) > 1 && order == (little ? '>' : '<');
        return ARR_OK;
    }
    return refuse_descr(ps, n > 0 ? why_not(s[0]) : "");
}

/* Are the elements there? A shape without elements may still be too large for any array. */
static Status check_size(Parser *ps, NpyInfo *out, int64_t size) {
    int64_t bytes = (int64_t)dtype_size(out->dtype);
    out->count = 1;
    for (int a = 0; a < out->shape.rank; a++) {
        int64_t dim = out->shape.dim[a];
        out->count *= dim != 0;
        if (dim != 0 && !mul_i64(bytes, dim, &bytes)) {
            char text[SHAPE_TEXT];
            shape_text(out->dtype, &out->shape, text);
            return error_set(ps->cx, ARR_ERR_IO, ps->at,
                             "cannot read %s: the shape of %s is too large: its product passes "
                             "2^63-1 bytes",
                             ps->path, text);
        }
    }
    bytes *= out->count; /* 0 where an extent is */
    out->count = bytes / (int64_t)dtype_size(out->dtype);
    if (bytes <= size - out->offset) return ARR_OK;
    char text[SHAPE_TEXT];
    shape_text(out->dtype, &out->shape, text);
    return error_set(ps->cx, ARR_ERR_IO, ps->at,
                     "cannot read %s: not fully written: expected %lld bytes of data for %s, found "
                     "%lld",
                     ps->path, (long long)bytes, text, (long long)(size - out->offset));
}

Status npy_header_parse(Cx *cx, Span at, const char *path, const uint8_t *b, size_t n, int64_t size,
                        NpyInfo *out) {
    size_t extent = 0;
    TRY(npy_header_extent(cx, at, path, b, n < NPY_PREFIX ? n : NPY_PREFIX, size, &extent));
    if (extent > n) extent = n;
    size_t prefix = b[6] == 1 ? 10 : 12;
    Parser ps = {.cx = cx, .at = at, .path = path, .major = b[6]};
    ps.p = (const char *)b + prefix;
    ps.end = (const char *)b + extent;
    TRY(parse_dict(&ps));
    out->offset = (int64_t)extent;
    out->shape = ps.shape;
    out->fortran = ps.fortran;
    TRY(parse_descr(&ps, out));
    return check_size(&ps, out, size);
}

/* --- making one ------------------------------------------------------------------------------- */

Status npy_header_make(Cx *cx, Span at, const char *path, DType d, const Shape *s,
                       char out[NPY_HEADER_MAX], size_t *len) {
    if (!*dtype_npy(d)) {
        return error_set(cx, ARR_ERR_DTYPE, at,
                         "cannot write %s: .npy files have no %s: save f32(x)", path,
                         dtype_name(d));
    }
    char text[NPY_HEADER_MAX];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "{'descr': '%s', 'fortran_order': False, 'shape': (", dtype_npy(d));
    for (int a = 0; a < s->rank; a++) {
        n += (size_t)snprintf(text + n, sizeof text - n, a ? ", %lld" : "%lld",
                              (long long)s->dim[a]);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, s->rank == 1 ? ",), }" : "), }");
    if (s->rank > 0) {
        char first[NUMTEXT_REAL];
        int room = GROWTH_DIGITS - numtext_i64(s->dim[0], first);
        memset(text + n, ' ', (size_t)room);
        n += (size_t)room;
    }
    size_t before = 10 + n + 1, pad = 64 - before % 64; /* 1 to 64 */
    memcpy(out, "\x93NUMPY\1\0", 8);
    size_t field = n + pad + 1;
    out[8] = (char)(field & 0xff);
    out[9] = (char)(field >> 8);
    memcpy(out + 10, text, n);
    memset(out + 10 + n, ' ', pad);
    out[10 + n + pad] = '\n';
    *len = 10 + field;
    return ARR_OK;
}
