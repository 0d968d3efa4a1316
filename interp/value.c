/* value - reference counts, construction, equality and names of values.
 *
 * Callers: all of interp. Invariant: releasing never recurses. A container whose count reaches zero
 * is put on a list in the state; whoever began the release works that list off, so that a tuple
 * nested a million deep is freed on a small stack. */
#include "interp/api.h"

#include <stdio.h>
#include <string.h>

Value value_retain(Value v) {
    switch (v.kind) {
    case V_STR: v.str->refs++; break;
    case V_TUPLE: v.tuple->refs++; break;
    case V_RECORD: v.record->refs++; break;
    case V_RANGE: v.range->refs++; break;
    case V_SLICE: v.slice->refs++; break;
    case V_FN: v.fn->refs++; break;
    case V_ARRAY: node_retain(v.node); break;
    default: break;
    }
    return v;
}

static size_t tuple_size(uint32_t n) { return sizeof(Tuple) + n * sizeof(Value); }
static size_t record_size(uint32_t n) {
    return sizeof(Record) + n * sizeof(((Record *)0)->fields[0]);
}

static void free_tuple(State *A, Tuple *t) {
    for (uint32_t i = 0; i < t->n; i++) value_release(A, t->items[i]);
    mem_free(&A->cx.mem, t, tuple_size(t->n));
}

static void free_record(State *A, Record *r) {
    for (uint32_t i = 0; i < r->n; i++) value_release(A, r->fields[i].value);
    mem_free(&A->cx.mem, r, record_size(r->n));
}

static void free_function(State *A, Function *f) {
    for (uint32_t i = 0; i < f->ncaptured; i++) value_release(A, f->captured[i]);
    if (f->host) api_drop_host(A, f->host);
    source_release(A, f->source);
    mem_free(&A->cx.mem, f, sizeof *f + f->ncaptured * sizeof(Value));
}

static void drain(State *A) {
    if (A->draining) return;
    A->draining = true;
    for (;;) {
        if (A->trash_tuples) {
            Tuple *t = A->trash_tuples;
            A->trash_tuples = t->trash;
            free_tuple(A, t);
        } else if (A->trash_records) {
            Record *r = A->trash_records;
            A->trash_records = r->trash;
            free_record(A, r);
        } else if (A->trash_fns) {
            Function *f = A->trash_fns;
            A->trash_fns = f->trash;
            free_function(A, f);
        } else {
            break;
        }
    }
    A->draining = false;
}

void value_release(State *A, Value v) {
    switch (v.kind) {
    case V_STR:
        if (--v.str->refs == 0) mem_free(&A->cx.mem, v.str, sizeof(Str) + v.str->len + 1);
        break;
    case V_RANGE:
        if (--v.range->refs == 0) mem_free(&A->cx.mem, v.range, sizeof(RangeObj));
        break;
    case V_SLICE: /* holds integers and none only */
        if (--v.slice->refs == 0) mem_free(&A->cx.mem, v.slice, sizeof(SliceObj));
        break;
    case V_ARRAY: node_release(A->rt, v.node); break;
    case V_TUPLE:
        if (--v.tuple->refs > 0) break;
        v.tuple->trash = A->trash_tuples;
        A->trash_tuples = v.tuple;
        drain(A);
        break;
    case V_RECORD:
        if (--v.record->refs > 0) break;
        v.record->trash = A->trash_records;
        A->trash_records = v.record;
        drain(A);
        break;
    case V_FN:
        if (--v.fn->refs > 0) break;
        v.fn->trash = A->trash_fns;
        A->trash_fns = v.fn;
        drain(A);
        break;
    default: break;
    }
}

/* ---- making ---- */

Status function_bound(State *A, const BuiltinDef *def, const char *name, const Value *captured,
                      uint32_t n, Value *out) {
    size_t bytes = sizeof(Function) + n * sizeof(Value);
    Symbol symbol = symbol_intern(A, name, strlen(name));
    if (symbol < 0) return ARR_ERR_MEMORY;
    Function *f = mem_zalloc(&A->cx.mem, bytes);
    if (!f) return error_memory(&A->cx, bytes);
    f->refs = 1;
    f->name = symbol;
    f->bound = def;
    f->ncaptured = n;
    for (uint32_t i = 0; i < n; i++) f->captured[i] = value_retain(captured[i]);
    *out = (Value){.kind = V_FN, .fn = f};
    return ARR_OK;
}

static uint32_t count_points(const char *s, size_t n) {
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++) count += (s[i] & 0xc0) != 0x80;
    return count;
}

/* A piece at a time, so that a stop is seen in texts of gigabytes. */
static bool fill_text(State *A, Str *s, size_t at, const char *p, size_t n) {
    enum { PIECE = 1 << 24 };
    while (n > 0 && !interrupted(A)) {
        size_t m = n < PIECE ? n : PIECE;
        s->count += count_points(p, m);
        memcpy(s->text + at, p, m);
        at += m;
        p += m;
        n -= m;
    }
    return n == 0;
}

Status value_str2(State *A, const char *a, size_t na, const char *b, size_t nb, Value *out) {
    size_t n = na + nb;
    if (n >= UINT32_MAX) {
        return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE, "a string of %zu bytes is too long", n);
    }
    Str *s = mem_alloc(&A->cx.mem, sizeof *s + n + 1);
    if (!s) return error_memory(&A->cx, n);
    s->refs = 1;
    s->len = (uint32_t)n;
    s->count = 0;
    if (!fill_text(A, s, 0, a, na) || !fill_text(A, s, na, b, nb)) {
        mem_free(&A->cx.mem, s, sizeof *s + n + 1);
        return error_interrupted(&A->cx);
    }
    s->text[n] = '\0';
    *out = (Value){.kind = V_STR, .str = s};
    return ARR_OK;
}

Status value_str(State *A, const char *utf8, size_t n, Value *out) {
    return value_str2(A, utf8, n, "", 0, out);
}

Status value_tuple(State *A, uint32_t n, Value *out) {
    Tuple *t = mem_alloc(&A->cx.mem, tuple_size(n));
    if (!t) return error_memory(&A->cx, tuple_size(n));
    t->refs = 1;
    t->n = n;
    t->trash = NULL;
    for (uint32_t i = 0; i < n; i++) {
        t->items[i] = VALUE_NONE;
        if (i % (1 << 20) != 0 || i == 0 || !interrupted(A)) continue;
        mem_free(&A->cx.mem, t, tuple_size(n));
        return error_interrupted(&A->cx);
    }
    *out = (Value){.kind = V_TUPLE, .tuple = t};
    return ARR_OK;
}

Status value_record(State *A, uint32_t n, Value *out) {
    Record *r = mem_alloc(&A->cx.mem, record_size(n));
    if (!r) return error_memory(&A->cx, record_size(n));
    r->refs = 1;
    r->n = n;
    r->trash = NULL;
    for (uint32_t i = 0; i < n; i++) {
        r->fields[i].name = -1;
        r->fields[i].value = VALUE_NONE;
    }
    *out = (Value){.kind = V_RECORD, .record = r};
    return ARR_OK;
}

const Value *record_find(const Record *r, Symbol name) {
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->fields[i].name == name) return &r->fields[i].value;
    }
    return NULL;
}

Status value_range(State *A, int64_t start, int64_t stop, int64_t step, Value *out) {
    if (step == 0) {
        return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "range: the step is 0");
    }
    RangeObj *r = mem_alloc(&A->cx.mem, sizeof *r);
    if (!r) return error_memory(&A->cx, sizeof *r);
    *r = (RangeObj){1, start, stop, step};
    *out = (Value){.kind = V_RANGE, .range = r};
    return ARR_OK;
}

/* Differences are taken unsigned: the two ends may be 2^64 apart. */
int64_t range_len(const RangeObj *r) {
    uint64_t gap, step;
    if (r->step > 0) {
        if (r->start >= r->stop) return 0;
        gap = (uint64_t)r->stop - (uint64_t)r->start;
        step = (uint64_t)r->step;
    } else {
        if (r->start <= r->stop) return 0;
        gap = (uint64_t)r->start - (uint64_t)r->stop;
        step = 0 - (uint64_t)r->step;
    }
    uint64_t n = (gap - 1) / step + 1;
    return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

Value value_from_scalar(Scalar s) {
    switch (s.kind) {
    case SC_BOOL: return value_bool(s.b);
    case SC_INT: return value_int(s.i);
    case SC_UINT:
        if (s.u <= INT64_MAX) return value_int((int64_t)s.u);
        return (Value){.kind = V_UINT, .u = s.u};
    case SC_FLOAT: return value_float(s.f);
    default: return (Value){.kind = V_COMPLEX, .c = s.c};
    }
}

/* ---- words ---- */

const char *value_kind_name(ValueKind k) {
    switch (k) {
    case V_UNSET: return "unset";
    case V_NONE: return "none";
    case V_BOOL: return "bool";
    case V_INT:
    case V_UINT: return "int";
    case V_FLOAT: return "float";
    case V_COMPLEX: return "complex";
    case V_DTYPE: return "dtype";
    case V_ELLIPSIS: return "ellipsis";
    case V_STR: return "string";
    case V_TUPLE: return "tuple";
    case V_RECORD: return "record";
    case V_RANGE: return "range";
    case V_SLICE: return "slice";
    case V_FN:
    case V_BUILTIN: return "function";
    case V_MODULE: return "module";
    case V_ARRAY: return "array";
    }
    return "value";
}

void value_describe(const Value *v, char out[SHAPE_TEXT]) {
    switch (v->kind) {
    case V_ARRAY: shape_text((DType)v->node->dtype, &v->node->shape, out); break;
    case V_NONE: snprintf(out, SHAPE_TEXT, "none"); break;
    case V_STR: snprintf(out, SHAPE_TEXT, "a string"); break;
    case V_TUPLE: snprintf(out, SHAPE_TEXT, "a tuple of %u", v->tuple->n); break;
    case V_DTYPE: snprintf(out, SHAPE_TEXT, "the dtype %s", dtype_name(v->dtype)); break;
    case V_BOOL:
    case V_INT:
    case V_UINT:
    case V_FLOAT:
    case V_COMPLEX: snprintf(out, SHAPE_TEXT, "%s", value_kind_name(v->kind)); break;
    case V_ELLIPSIS: snprintf(out, SHAPE_TEXT, "..."); break;
    default: snprintf(out, SHAPE_TEXT, "a %s", value_kind_name(v->kind)); break;
    }
}

/* ---- equality ---- */

static bool scalars_equal(const Value *a, const Value *b) {
    if (a->kind == V_COMPLEX || b->kind == V_COMPLEX) {
        Complex128 x = {0, 0}, y = {0, 0};
        const Value *v[2] = {a, b};
        Complex128 *c[2] = {&x, &y};
        for (int i = 0; i < 2; i++) {
            if (v[i]->kind == V_COMPLEX)
                *c[i] = v[i]->c;
            else if (v[i]->kind == V_FLOAT)
                c[i]->re = v[i]->f;
            else if (v[i]->kind == V_UINT)
                c[i]->re = (double)v[i]->u;
            else
                c[i]->re = v[i]->kind == V_BOOL ? v[i]->b : (double)v[i]->i;
        }
        return x.re == y.re && x.im == y.im;
    }
    if (a->kind == V_FLOAT && b->kind == V_FLOAT) return a->f == b->f;
    if (b->kind == V_FLOAT) return scalars_equal(b, a);
    if (a->kind == V_FLOAT) { /* exact: the float must be that integer */
        if (b->kind == V_BOOL) return a->f == (double)b->b;
        if (b->kind == V_UINT) {
            return a->f >= 9223372036854775808.0 && a->f < 18446744073709551616.0 &&
                   (uint64_t)a->f == b->u;
        }
        return a->f >= -9223372036854775808.0 && a->f < 9223372036854775808.0 &&
               (double)(int64_t)a->f == a->f && (int64_t)a->f == b->i;
    }
    if ((a->kind == V_UINT) != (b->kind == V_UINT)) return false;
    if (a->kind == V_UINT) return a->u == b->u;
    int64_t x = a->kind == V_BOOL ? a->b : a->i, y = b->kind == V_BOOL ? b->b : b->i;
    return x == y;
}

static bool equal_deep(const Value *a, const Value *b, int depth);

static bool records_equal(const Record *a, const Record *b, int depth) {
    if (a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const Value *other = record_find(b, a->fields[i].name);
        if (!other || !equal_deep(&a->fields[i].value, other, depth)) return false;
    }
    return true;
}

/* Nesting past the bound counts as unequal: such values come from loops, not from programs. */
static bool equal_deep(const Value *a, const Value *b, int depth) {
    if (depth > 200) return false;
    if (value_is_scalar(a) && value_is_scalar(b)) return scalars_equal(a, b);
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case V_DTYPE: return a->dtype == b->dtype;
    case V_STR:
        return a->str->len == b->str->len && memcmp(a->str->text, b->str->text, a->str->len) == 0;
    case V_TUPLE:
        if (a->tuple->n != b->tuple->n) return false;
        for (uint32_t i = 0; i < a->tuple->n; i++) {
            if (!equal_deep(&a->tuple->items[i], &b->tuple->items[i], depth + 1)) return false;
        }
        return true;
    case V_RECORD: return records_equal(a->record, b->record, depth + 1);
    case V_RANGE: {
        int64_t n = range_len(a->range);
        if (n != range_len(b->range)) return false;
        return n == 0 ||
               (a->range->start == b->range->start && (n == 1 || a->range->step == b->range->step));
    }
    case V_SLICE:
        return equal_deep(&a->slice->lo, &b->slice->lo, depth + 1) &&
               equal_deep(&a->slice->hi, &b->slice->hi, depth + 1) &&
               equal_deep(&a->slice->step, &b->slice->step, depth + 1);
    case V_FN: return a->fn == b->fn;
    case V_BUILTIN: return a->builtin == b->builtin;
    case V_MODULE: return a->module == b->module;
    case V_ARRAY: return a->node == b->node;
    default: return true; /* none, ellipsis */
    }
}

bool value_equal(const Value *a, const Value *b) { return equal_deep(a, b, 0); }
