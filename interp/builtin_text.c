/* builtin_text - functions of strings: join strip replace find upper lower startswith endswith, and
 * split's for strings (its row stands in builtin_join, beside arrays').
 *
 * Strings are UTF-8; positions count code points. Called as `split(s)` or `s.split()`. Invariant:
 * every result is valid UTF-8, because cuts are made only where a whole substring matched or at
 * ASCII blanks. */
#include "interp/builtin_util.h"
#include "interp/letter_case.h"
#include "interp/api_limits.h"

#include <string.h>

typedef struct Text {
    const char *p;
    size_t n;
} Text;

static Status text_arg(State *A, const char *what, const Value *v, Text *out) {
    return arg_str(A, what, v, &out->p, &out->n);
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Byte position of sub in s at or after `from`, or -1. */
static int64_t find_bytes(Text s, Text sub, size_t from) {
    if (from > s.n) return -1;
    const char *hit = memmem(s.p + from, s.n - from, sub.p, sub.n);
    return hit ? hit - s.p : -1;
}

static int64_t count_points(const char *p, size_t n) {
    int64_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)p[i] & 0xC0) != 0x80;
    return count;
}

/* The next piece of s from *at on; false when there is none. sep.n == 0: runs of blanks. */
static bool next_piece(Text s, Text sep, size_t *at, Text *piece) {
    if (sep.n == 0) {
        while (*at < s.n && is_blank(s.p[*at])) ++*at;
        size_t lo = *at;
        while (*at < s.n && !is_blank(s.p[*at])) ++*at;
        *piece = (Text){s.p + lo, *at - lo};
        return *at > lo;
    }
    if (*at > s.n) return false;
    int64_t hit = find_bytes(s, sep, *at);
    size_t hi = hit < 0 ? s.n : (size_t)hit;
    *piece = (Text){s.p + *at, hi - *at};
    *at = hit < 0 ? s.n + 1 : hi + sep.n;
    return true;
}

Status text_split(State *A, const Value *args, Value *out) {
    Text s, sep = {"", 0}, piece;
    size_t at = 0;
    uint32_t n = 0;
    TRY(text_arg(A, "split: s", &args[0], &s));
    if (args[1].kind != V_NONE) {
        TRY(text_arg(A, "split: sep", &args[1], &sep));
        if (sep.n == 0)
            return error_set(&A->cx, ARR_ERR_VALUE, A->cx.span, "split: sep must not be empty");
    }
    for (; next_piece(s, sep, &at, &piece); n++) TRY(state_step(A, 0));
    TRY(value_tuple(A, n, out));
    at = 0;
    for (uint32_t k = 0; k < n && next_piece(s, sep, &at, &piece); k++) {
        Status st = state_step(A, 1);
        if (st == ARR_OK) st = value_str(A, piece.p, piece.n, &out->tuple->items[k]);
        if (st != ARR_OK) {
            value_release(A, *out);
            *out = VALUE_NONE;
            return st;
        }
    }
    return ARR_OK;
}

static Status text_join(State *A, const Value *args, Value *out) {
    Text sep, part;
    Buf b;
    if (args[0].kind != V_STR && args[1].kind == V_STR)
        return error_set(&A->cx, ARR_ERR_TYPE, A->cx.span,
                         "join: the separator comes first: \", \".join((a, b))");
    TRY(text_arg(A, "join: sep", &args[0], &sep));
    if (args[1].kind != V_TUPLE)
        return error_set(&A->cx, ARR_ERR_TYPE, A->cx.span,
                         "join: parts must be a tuple of strings: \", \".join((a, b))");
    buf_init(&b, &A->cx);
    Status st = ARR_OK;
    for (uint32_t k = 0; k < args[1].tuple->n && st == ARR_OK; k++) {
        st = state_step(A, 1);
        if (st == ARR_OK) st = text_arg(A, "join: parts", &args[1].tuple->items[k], &part);
        if (st != ARR_OK) break;
        if (k) buf_add(&b, sep.p, sep.n);
        buf_add(&b, part.p, part.n);
    }
    if (st == ARR_OK) st = buf_status(&b);
    if (st == ARR_OK) st = value_str(A, buf_text(&b), b.len, out);
    buf_free(&b);
    return st;
}

/* Is the code point at p (width bytes) among chars? chars NULL: blanks. */
static bool strips(const char *p, size_t width, const Text *chars) {
    if (!chars) return width == 1 && is_blank(*p);
    return find_bytes(*chars, (Text){p, width}, 0) >= 0;
}

static size_t point_width(const char *p, const char *end) {
    size_t w = 1;
    while (p + w < end && ((unsigned char)p[w] & 0xC0) == 0x80) w++;
    return w;
}

static Status text_strip(State *A, const Value *args, Value *out) {
    Text s, set, *chars = NULL;
    TRY(text_arg(A, "strip: s", &args[0], &s));
    if (args[1].kind != V_NONE) {
        TRY(text_arg(A, "strip: chars", &args[1], &set));
        chars = &set;
    }
    const char *lo = s.p, *hi = s.p + s.n;
    while (lo < hi) {
        size_t w = point_width(lo, hi);
        TRY(state_step(A, 1));
        if (!strips(lo, w, chars)) break;
        lo += w;
    }
    while (hi > lo) {
        const char *p = hi - 1;
        TRY(state_step(A, 1));
        while (p > lo && ((unsigned char)*p & 0xC0) == 0x80) p--;
        if (!strips(p, (size_t)(hi - p), chars)) break;
        hi = p;
    }
    return value_str(A, lo, (size_t)(hi - lo), out);
}

static Status text_replace(State *A, const Value *args, Value *out) {
    Text s, old, new;
    Buf b;
    size_t at = 0;
    TRY(text_arg(A, "replace: s", &args[0], &s));
    TRY(text_arg(A, "replace: old", &args[1], &old));
    TRY(text_arg(A, "replace: new", &args[2], &new));
    if (old.n == 0)
        return error_set(&A->cx, ARR_ERR_VALUE, A->cx.span, "replace: old must not be empty");
    buf_init(&b, &A->cx);
    Status st = ARR_OK;
    for (int64_t hit; st == ARR_OK && (hit = find_bytes(s, old, at)) >= 0;
         at = (size_t)hit + old.n) {
        st = state_step(A, 1);
        buf_add(&b, s.p + at, (size_t)hit - at);
        buf_add(&b, new.p, new.n);
    }
    buf_add(&b, s.p + at, s.n - at);
    if (st == ARR_OK) st = buf_status(&b);
    if (st == ARR_OK) st = value_str(A, buf_text(&b), b.len, out);
    buf_free(&b);
    return st;
}

static Status text_find(State *A, const Value *args, Value *out) {
    Text s, sub;
    TRY(text_arg(A, "find: s", &args[0], &s));
    TRY(text_arg(A, "find: sub", &args[1], &sub));
    int64_t hit = find_bytes(s, sub, 0);
    *out = value_int(hit < 0 ? -1 : count_points(s.p, (size_t)hit));
    return ARR_OK;
}

/* The code point at p (the text is valid); *n its bytes. */
static uint32_t decode(const char *p, size_t *n) {
    const uint8_t *u = (const uint8_t *)p;
    *n = u[0] < 0x80 ? 1 : u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : 4;
    uint32_t c = *n == 1 ? u[0] : u[0] & (0x7Fu >> *n);
    for (size_t i = 1; i < *n; i++) c = c << 6 | (u[i] & 0x3Fu);
    return c;
}

static void encode(Buf *b, uint32_t c) {
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    uint32_t lead = more == 0 ? 0 : 0xF00u >> (more + 1) & 0xFFu;
    buf_char(b, (char)(lead | c >> 6 * more));
    for (int i = more - 1; i >= 0; i--) buf_char(b, (char)(0x80u | (c >> 6 * i & 0x3Fu)));
}

static Status map_letters(State *A, const char *what, const Value *v, uint32_t (*other)(uint32_t),
                          Value *out) {
    Text s;
    TRY(text_arg(A, what, v, &s));
    Buf b;
    buf_init(&b, &A->cx);
    Status st = ARR_OK;
    size_t n, turn = 0;
    for (size_t i = 0; i < s.n && st == ARR_OK; i += n) {
        if (++turn % STEPS == 0) st = state_step(A, STEPS);
        encode(&b, other(decode(s.p + i, &n)));
    }
    if (st == ARR_OK) st = buf_status(&b);
    if (st == ARR_OK) st = value_str(A, buf_text(&b), b.len, out);
    buf_free(&b);
    return st;
}

static Status text_upper(State *A, const Value *args, Value *out) {
    return map_letters(A, "upper: s", &args[0], letter_upper, out);
}

static Status text_lower(State *A, const Value *args, Value *out) {
    return map_letters(A, "lower: s", &args[0], letter_lower, out);
}

static Status text_startswith(State *A, const Value *args, Value *out) {
    Text s, part;
    TRY(text_arg(A, "startswith: s", &args[0], &s));
    TRY(text_arg(A, "startswith: prefix", &args[1], &part));
    *out = value_bool(part.n <= s.n && memcmp(s.p, part.p, part.n) == 0);
    return ARR_OK;
}

static Status text_endswith(State *A, const Value *args, Value *out) {
    Text s, part;
    TRY(text_arg(A, "endswith: s", &args[0], &s));
    TRY(text_arg(A, "endswith: suffix", &args[1], &part));
    *out = value_bool(part.n <= s.n && memcmp(s.p + s.n - part.n, part.p, part.n) == 0);
    return ARR_OK;
}

const BuiltinDef builtin_text[] = {
    {"join(sep, parts)", text_join,
     "The strings of a tuple with sep between them.\n"
     "  \", \".join((\"a\", \"b\")) #=> a, b"},
    {"strip(s, chars=none)", text_strip,
     "The string without blanks (or without the characters in chars) at both ends.\n"
     "  strip(\"  x \") #=> x\n"
     "  strip(\"--x-\", \"-\") #=> x"},
    {"replace(s, old, new)", text_replace,
     "The string with every old replaced by new, from the left. An empty old is an error.\n"
     "  replace(\"a-b-c\", \"-\", \"+\") #=> a+b+c"},
    {"find(s, sub)", text_find,
     "Position of the first sub in s, counted in code points; -1 where there is none.\n"
     "  find(\"hello\", \"l\") #=> 2"},
    {"upper(s)", text_upper,
     "The string in capitals. Letters without one such letter stay as they are; the locale does "
     "not\n"
     "matter.\n"
     "  upper(\"abc1\") #=> ABC1"},
    {"lower(s)", text_lower,
     "The string in small letters; the locale does not matter.\n"
     "  lower(\"ABC1\") #=> abc1"},
    {"startswith(s, prefix)", text_startswith,
     "Does the string begin with prefix?\n"
     "  startswith(\"arr.h\", \"arr\") #=> true"},
    {"endswith(s, suffix)", text_endswith,
     "Does the string end with suffix?\n"
     "  endswith(\"arr.h\", \".h\") #=> true"},
    {NULL, NULL, NULL},
};
