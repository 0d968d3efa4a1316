/* format_value - any value as print shows it, on top of format.h for arrays and numtext.h for
 * numbers.
 *
 * Callers: print, str, repr, f-strings, the API. Invariant: arrays are forced, but only the shown
 * elements are copied; nested containers are followed as deep as C's stack allows. */
#include "interp/eval.h"
#include "interp/format.h"
#include "interp/api_limits.h"
#include "runtime/base/numtext.h"
#include "runtime/exec.h"

#include <string.h>

typedef struct Reader {
    State *A;
    Node *node;
} Reader;

static Status read_run(void *user, const int64_t *index, int64_t count, void *dst) {
    Reader *r = user;
    if (count == node_size(r->node)) return exec_read(r->A->rt, r->node, dst);
    return exec_read_run(r->A->rt, r->node, index, count, dst);
}

static Status format_node(State *A, Node *n, Buf *out) {
    Reader r = {A, n};
    return format_array(out, (DType)n->dtype, &n->shape, read_run, &r);
}

/* The second byte of a code point below 0xc0: a control, the fixed blank, the soft hyphen. */
static bool is_invisible(char c) {
    return (uint8_t)c < 0xa0 || (uint8_t)c == 0xa0 || (uint8_t)c == 0xad;
}

/* Python's repr: single quotes unless only those are inside. */
static void format_quoted(const Str *s, Buf *out) {
    bool has_single = memchr(s->text, '\'', s->len), has_double = memchr(s->text, '"', s->len);
    char quote = has_single && !has_double ? '"' : '\'';
    buf_char(out, quote);
    for (uint32_t i = 0; i < s->len; i++) {
        char c = s->text[i];
        if (i % STEPS == 0 && out->cx->interrupt) break; /* value_format says so */
        if (c == quote || c == '\\') {
            buf_char(out, '\\');
            buf_char(out, c);
        } else if (c == '\n') {
            buf_str(out, "\\n");
        } else if (c == '\t') {
            buf_str(out, "\\t");
        } else if (c == '\r') {
            buf_str(out, "\\r");
        } else if ((uint8_t)c == 0xc2 && is_invisible(s->text[i + 1])) {
            buf_printf(out, "\\x%02x", (unsigned)(uint8_t)s->text[++i]);
        } else if ((uint8_t)c < 0x20 || c == 0x7f) {
            buf_printf(out, "\\x%02x", (unsigned)(uint8_t)c);
        } else {
            buf_char(out, c);
        }
    }
    buf_char(out, quote);
}

static Status format_tuple(State *A, const Tuple *t, Buf *out) {
    buf_char(out, '(');
    for (uint32_t i = 0; i < t->n; i++) {
        if (i > 0) buf_str(out, ", ");
        TRY(value_format(A, &t->items[i], true, out));
    }
    buf_str(out, t->n == 1 ? ",)" : ")");
    return ARR_OK;
}

static Status format_record(State *A, const Record *r, Buf *out) {
    buf_str(out, "record(");
    for (uint32_t i = 0; i < r->n; i++) {
        buf_printf(out, "%s%s=", i > 0 ? ", " : "", symbol_text(A, r->fields[i].name));
        TRY(value_format(A, &r->fields[i].value, true, out));
    }
    buf_char(out, ')');
    return ARR_OK;
}

static void format_range(const RangeObj *r, Buf *out) {
    buf_printf(out, "range(%lld, %lld", (long long)r->start, (long long)r->stop);
    if (r->step != 1) buf_printf(out, ", %lld", (long long)r->step);
    buf_char(out, ')');
}

static Status format_slice(State *A, const SliceObj *s, Buf *out) {
    buf_str(out, "slice(");
    TRY(value_format(A, &s->lo, true, out));
    buf_str(out, ", ");
    TRY(value_format(A, &s->hi, true, out));
    buf_str(out, ", ");
    TRY(value_format(A, &s->step, true, out));
    buf_char(out, ')');
    return ARR_OK;
}

/* "fn f(a, b=1)": the head as it was written. */
static void format_function(State *A, const Function *f, Buf *out) {
    size_t n = 0;
    const char *head = f->info ? source_text(A, f->info->ast->head, &n) : NULL;
    if (!head) {
        buf_printf(out, "fn %s(...)", symbol_text(A, f->name));
        return;
    }
    for (size_t i = 0; i < n; i++) buf_char(out, head[i] == '\n' ? ' ' : head[i]);
}

Status value_format(State *A, const Value *v, bool repr, Buf *out) {
    TRY(stack_check(A));
    TRY(state_step(A, 1));
    char text[NUMTEXT_ELEMENT];
    Scalar s;
    switch (v->kind) {
    case V_UNSET:
    case V_NONE: buf_str(out, "none"); break;
    case V_BOOL:
    case V_INT:
    case V_UINT:
    case V_FLOAT:
    case V_COMPLEX:
        TRY(value_to_scalar(A, "a number", v, &s));
        numtext_scalar(&s, text);
        buf_str(out, text);
        break;
    case V_DTYPE: buf_str(out, dtype_name(v->dtype)); break;
    case V_ELLIPSIS: buf_str(out, "..."); break;
    case V_STR:
        if (repr)
            format_quoted(v->str, out);
        else
            buf_add(out, v->str->text, v->str->len);
        TRY(state_step(A, 0));
        break;
    case V_TUPLE: return format_tuple(A, v->tuple, out);
    case V_RECORD: return format_record(A, v->record, out);
    case V_RANGE: format_range(v->range, out); break;
    case V_SLICE: return format_slice(A, v->slice, out);
    case V_FN: format_function(A, v->fn, out); break;
    case V_BUILTIN: buf_str(out, v->builtin->sig); break;
    case V_MODULE: buf_printf(out, "module %s", symbol_text(A, v->module->name)); break;
    case V_ARRAY: return format_node(A, v->node, out);
    }
    return buf_status(out);
}

/* Numbers and one-element arrays by Python's rules for numbers, all else by those for strings. */
Status value_format_spec(State *A, const Value *v, const char *spec, size_t n, Buf *out) {
    Scalar scalar;
    if (n == 0) return value_format(A, v, false, out);
    if (v->kind == V_STR) return format_spec_string(out, spec, n, v->str->text, v->str->len);
    if (value_is_scalar(v)) {
        TRY(value_to_scalar(A, "the value", v, &scalar));
        return format_spec_scalar(out, spec, n, &scalar);
    }
    if (v->kind == V_ARRAY && node_size(v->node) == 1) {
        TRY(exec_scalar(A->rt, v->node, &scalar));
        return format_spec_scalar(out, spec, n, &scalar);
    }
    if (strchr("bdoxXeEfFgG%", spec[n - 1])) {
        char text[SHAPE_TEXT];
        value_describe(v, text);
        return error_set(&A->cx, ARR_ERR_TYPE, A->cx.span,
                         "cannot format %s with '%.*s': '%c' is for one number: write "
                         "map(fn(v) = format(v, \"%.*s\"), x), or round(x, d)",
                         text, (int)(n < 64 ? n : 64), spec, spec[n - 1], (int)(n < 64 ? n : 64),
                         spec);
    }
    Buf plain;
    buf_init(&plain, &A->cx);
    Status st = value_format(A, v, false, &plain);
    if (st == ARR_OK) st = format_spec_string(out, spec, n, buf_text(&plain), plain.len);
    buf_free(&plain);
    return st;
}
