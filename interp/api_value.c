/* api_value - the public interface: making and reading values through handles.
 *
 * Callers: hosts. Invariant: a handle holds one reference to its value and is listed in its state
 * until it is freed or the state closes; freeing a shell needs only the allocator it came from. */
#include "interp/api.h"
#include "interp/env.h"
#include "runtime/exec.h"

#include <stdlib.h>
#include <string.h>

Status api_handle(State *A, Value v, arr_value **out) {
    arr_value *h = mem_zalloc(&A->cx.mem, sizeof *h);
    if (!h) {
        value_release(A, v);
        return error_memory(&A->cx, sizeof *h);
    }
    h->life = HANDLE_ALIVE;
    h->A = A;
    h->v = v;
    h->next = A->handles;
    if (h->next) h->next->prev = h;
    A->handles = h;
    A->nhandles++;
    *out = h;
    return ARR_OK;
}

static void drop_text(arr_value *h) {
    mem_free(&h->A->cx.mem, h->text, h->text_size);
    h->text = NULL;
    h->text_size = 0;
}

void api_drop_caches(arr_value *h) {
    drop_text(h);
    api_drop_maps(h);
}

/* The memory of a handle that was given back. Debug builds keep it for a while, marked, so that the
 * host's mistake is seen when the handle comes again. */
static void bury(State *A, arr_value *h) {
#ifndef NDEBUG
    enum { KEPT = sizeof A->freed / sizeof *A->freed };
    arr_value **grave = &A->freed[A->nfreed++ % KEPT], *old = *grave;
    h->life = HANDLE_FREED;
    *grave = h;
    h = old;
#endif
    mem_free(&A->cx.mem, h, sizeof *h);
}

static void empty_graves(State *A) {
#ifndef NDEBUG
    for (size_t i = 0; i < sizeof A->freed / sizeof *A->freed; i++) {
        mem_free(&A->cx.mem, A->freed[i], sizeof *A->freed[i]);
        A->freed[i] = NULL;
    }
#endif
    (void)A;
}

void api_orphan_handles(State *A) {
    for (arr_value *h = A->handles; h; h = h->next) {
        api_drop_caches(h);
        value_release(A, h->v);
        h->v = VALUE_NONE;
        h->alloc = A->cx.mem.alloc;
        h->user = A->cx.mem.user;
        h->A = NULL;
    }
    A->handles = NULL;
    empty_graves(A);
}

void arr_value_free(arr_value *h) {
    if (!h || h->life != HANDLE_ALIVE || h->borrowed) return;
    if (!h->A) { /* the state is gone: only its allocator is known */
        h->alloc(h->user, h, sizeof *h, 0);
        return;
    }
    State *A = h->A;
    if (h->prev)
        h->prev->next = h->next;
    else
        A->handles = h->next;
    if (h->next) h->next->prev = h->prev;
    A->nhandles--;
    api_drop_caches(h);
    Value v = h->v;
    bury(A, h);
    value_release(A, v);
}

/* ---- making ---- */

static arr_status make(arr_state *A, Value v, arr_value **out) {
    if (!A || !out) return ARR_ERR_ARGUMENT;
    *out = NULL;
    TRY(api_begin(A));
    return api_end(A, api_handle(A, v, out));
}

arr_status arr_value_bool(arr_state *A, int b, arr_value **out) {
    return make(A, value_bool(b != 0), out);
}

arr_status arr_value_int(arr_state *A, int64_t i, arr_value **out) {
    return make(A, value_int(i), out);
}

arr_status arr_value_float(arr_state *A, double d, arr_value **out) {
    return make(A, value_float(d), out);
}

arr_status arr_value_none(arr_state *A, arr_value **out) { return make(A, VALUE_NONE, out); }

arr_status arr_value_uint(arr_state *A, uint64_t u, arr_value **out) {
    Value v = u <= INT64_MAX ? value_int((int64_t)u) : (Value){.kind = V_UINT, .u = u};
    return make(A, v, out);
}

arr_status arr_value_of_dtype(arr_state *A, arr_dtype dtype, arr_value **out) {
    if (out) *out = NULL;
    if (A && ((int)dtype < 0 || (int)dtype >= DT_COUNT)) return api_refuse(A, "no such dtype");
    return make(A, value_dtype((DType)dtype), out);
}

arr_status arr_value_complex(arr_state *A, double re, double im, arr_value **out) {
    return make(A, (Value){.kind = V_COMPLEX, .c = {re, im}}, out);
}

/* Well-formed UTF-8: no overlong forms, surrogates or numbers past 0x10ffff. */
static bool is_utf8(const char *text, size_t n) {
    const uint8_t *s = (const uint8_t *)text;
    for (size_t i = 0; i < n;) {
        uint8_t c = s[i];
        size_t len = c < 0x80                ? 1
                     : c >= 0xc2 && c < 0xe0 ? 2
                     : c >= 0xe0 && c < 0xf0 ? 3
                     : c >= 0xf0 && c < 0xf5 ? 4
                                             : 0;
        if (len == 0 || i + len > n) return false;
        for (size_t k = 1; k < len; k++) {
            if ((s[i + k] & 0xc0) != 0x80) return false;
        }
        if (c == 0xe0 && s[i + 1] < 0xa0) return false;
        if (c == 0xed && s[i + 1] > 0x9f) return false;
        if (c == 0xf0 && s[i + 1] < 0x90) return false;
        if (c == 0xf4 && s[i + 1] > 0x8f) return false;
        i += len;
    }
    return true;
}

arr_status arr_value_string(arr_state *A, const char *utf8, size_t n, arr_value **out) {
    if (out) *out = NULL;
    if (!A || !out || (!utf8 && n)) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Value v;
    Status st = ARR_OK;
    if (!is_utf8(utf8, n)) {
        st = error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "the text is not valid UTF-8");
    }
    if (st == ARR_OK) st = value_str(A, utf8 ? utf8 : "", n, &v);
    if (st == ARR_OK) st = api_handle(A, v, out);
    return api_end(A, st);
}

static Status check_handles(State *A, const arr_value *const *items, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!handle_of(A, items[i])) return api_bad_handle(A);
    }
    return ARR_OK;
}

arr_status arr_value_tuple(arr_state *A, const arr_value *const *items, size_t n, arr_value **out) {
    if (out) *out = NULL;
    if (!A || !out || (!items && n) || n > INT32_MAX) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Value v;
    Status st = check_handles(A, items, n);
    if (st == ARR_OK) st = value_tuple(A, (uint32_t)n, &v);
    if (st == ARR_OK) {
        for (size_t i = 0; i < n; i++) v.tuple->items[i] = value_retain(items[i]->v);
        st = api_handle(A, v, out);
    }
    return api_end(A, st);
}

static Status fill_record(State *A, const char *const *names, const arr_value *const *values,
                          Record *r) {
    for (uint32_t i = 0; i < r->n; i++) r->fields[i].name = -1;
    for (uint32_t i = 0; i < r->n; i++) {
        const char *name = names[i] ? names[i] : "";
        if (!api_is_name(name))
            return error_set(&A->cx, ARR_ERR_NAME, SPAN_NONE, "'%s' is not a name", name);
        Symbol s = symbol_intern(A, name, strlen(name));
        if (s < 0) return ARR_ERR_MEMORY;
        if (record_find(r, s))
            return error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE, "two fields are named '%s'",
                             name);
        r->fields[i].name = s;
        r->fields[i].value = value_retain(values[i]->v);
    }
    return ARR_OK;
}

arr_status arr_value_record(arr_state *A, const char *const *names, const arr_value *const *values,
                            size_t n, arr_value **out) {
    if (out) *out = NULL;
    if (!A || !out || (n && (!names || !values)) || n > INT32_MAX) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Value v;
    Status st = check_handles(A, values, n);
    if (st == ARR_OK) st = value_record(A, (uint32_t)n, &v);
    if (st == ARR_OK) {
        st = fill_record(A, names, values, v.record);
        if (st == ARR_OK)
            st = api_handle(A, v, out);
        else
            value_release(A, v);
    }
    return api_end(A, st);
}

/* ---- reading ---- */

arr_kind arr_value_kind(const arr_value *h) {
    if (!handle_state(h)) return ARR_KIND_NONE;
    switch (h->v.kind) {
    case V_BOOL: return ARR_KIND_BOOL;
    case V_INT: return ARR_KIND_INT;
    case V_UINT: return ARR_KIND_UINT;
    case V_FLOAT: return ARR_KIND_FLOAT;
    case V_COMPLEX: return ARR_KIND_COMPLEX;
    case V_DTYPE: return ARR_KIND_DTYPE;
    case V_ELLIPSIS: return ARR_KIND_ELLIPSIS;
    case V_STR: return ARR_KIND_STRING;
    case V_TUPLE: return ARR_KIND_TUPLE;
    case V_RECORD: return ARR_KIND_RECORD;
    case V_RANGE: return ARR_KIND_RANGE;
    case V_SLICE: return ARR_KIND_SLICE;
    case V_FN:
    case V_BUILTIN: return ARR_KIND_FUNCTION;
    case V_MODULE: return ARR_KIND_MODULE;
    case V_ARRAY: return ARR_KIND_ARRAY;
    default: return ARR_KIND_NONE;
    }
}

arr_status arr_value_as_bool(const arr_value *h, int *out) {
    State *A = handle_state(h);
    if (!A || !out) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    bool b = false;
    Status st = value_to_bool(A, "the value", &h->v, &b);
    if (st == ARR_OK) *out = b;
    return api_end(A, st);
}

arr_status arr_value_as_int(const arr_value *h, int64_t *out) {
    State *A = handle_state(h);
    if (!A || !out) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    return api_end(A, value_to_int(A, "the value", &h->v, out));
}

arr_status arr_value_as_float(const arr_value *h, double *out) {
    State *A = handle_state(h);
    if (!A || !out) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    return api_end(A, value_to_float(A, "the value", &h->v, out));
}

arr_status arr_value_as_uint(const arr_value *h, uint64_t *out) {
    State *A = handle_state(h);
    if (!A || !out) return ARR_ERR_ARGUMENT;
    if (h->v.kind == V_UINT) {
        *out = h->v.u;
        return ARR_OK;
    }
    TRY(api_begin(A));
    int64_t i = 0;
    Status st = ARR_OK;
    Scalar s = {0};
    bool wide = h->v.kind == V_ARRAY && h->v.node->dtype == DT_u64;
    if (wide) {
        st = exec_scalar(A->rt, h->v.node, &s);
        i = (int64_t)s.i;
    } else {
        st = value_to_int(A, "the value", &h->v, &i);
        if (st == ARR_OK && i < 0)
            st = error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE, "the value, %lld, is negative",
                           (long long)i);
    }
    if (st == ARR_OK) *out = (uint64_t)i;
    return api_end(A, st);
}

static Status to_complex(State *A, const Value *v, Scalar *s) {
    if (v->kind == V_ARRAY) return exec_scalar(A->rt, v->node, s);
    return value_to_scalar(A, "the value", v, s);
}

arr_status arr_value_as_complex(const arr_value *h, double *re, double *im) {
    State *A = handle_state(h);
    if (!A || !re || !im) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Scalar s;
    Status st = to_complex(A, &h->v, &s);
    if (st == ARR_OK && s.kind == SC_COMPLEX) {
        *re = s.c.re;
        *im = s.c.im;
    } else if (st == ARR_OK) {
        *im = 0;
        st = value_to_float(A, "the value", &h->v, re);
    }
    return api_end(A, st);
}

arr_status arr_value_as_range(const arr_value *h, int64_t *start, int64_t *stop, int64_t *step) {
    if (!handle_state(h) || !start || !stop || !step) return ARR_ERR_ARGUMENT;
    if (h->v.kind == V_SLICE) {
        const SliceObj *s = h->v.slice;
        if (s->lo.kind != V_INT || s->hi.kind != V_INT) return ARR_ERR_TYPE;
        *start = s->lo.i;
        *stop = s->hi.i;
        *step = s->step.kind == V_INT ? s->step.i : 1;
        return ARR_OK;
    }
    if (h->v.kind != V_RANGE) return ARR_ERR_TYPE;
    *start = h->v.range->start;
    *stop = h->v.range->stop;
    *step = h->v.range->step;
    return ARR_OK;
}

arr_status arr_value_as_string(const arr_value *h, const char **utf8, size_t *n) {
    if (!handle_state(h) || !utf8) return ARR_ERR_ARGUMENT;
    if (h->v.kind != V_STR) return ARR_ERR_TYPE;
    *utf8 = h->v.str->text;
    if (n) *n = h->v.str->len;
    return ARR_OK;
}

size_t arr_value_len(const arr_value *h) {
    if (!handle_state(h)) return 0;
    switch (h->v.kind) {
    case V_STR: return h->v.str->len;
    case V_TUPLE: return h->v.tuple->n;
    case V_RECORD: return h->v.record->n;
    case V_RANGE: return (size_t)range_len(h->v.range);
    case V_ARRAY: return h->v.node->shape.rank ? (size_t)h->v.node->shape.dim[0] : 0;
    default: return 0;
    }
}

arr_status arr_value_item(const arr_value *h, size_t i, arr_value **out) {
    State *A = handle_state(h);
    if (out) *out = NULL;
    if (!A || !out) return ARR_ERR_ARGUMENT;
    if (h->v.kind != V_TUPLE) return ARR_ERR_TYPE;
    if (i >= h->v.tuple->n) return ARR_ERR_INDEX;
    TRY(api_begin(A));
    return api_end(A, api_handle(A, value_retain(h->v.tuple->items[i]), out));
}

arr_status arr_value_field(const arr_value *h, const char *name, arr_value **out) {
    State *A = handle_state(h);
    if (out) *out = NULL;
    if (!A || !out || !name) return ARR_ERR_ARGUMENT;
    if (h->v.kind != V_RECORD && h->v.kind != V_MODULE) return ARR_ERR_TYPE;
    Symbol s = symbol_find(A, name, strlen(name));
    const Value *v = s < 0                   ? NULL
                     : h->v.kind == V_RECORD ? record_find(h->v.record, s)
                                             : module_get(h->v.module, s);
    if (!v) return ARR_ERR_NAME;
    TRY(api_begin(A));
    return api_end(A, api_handle(A, value_retain(*v), out));
}

const char *arr_value_field_name(const arr_value *h, size_t i) {
    State *A = handle_state(h);
    if (!A || h->v.kind != V_RECORD || i >= h->v.record->n) return NULL;
    return symbol_text(A, h->v.record->fields[i].name);
}

arr_dtype arr_value_dtype(const arr_value *h) {
    if (!handle_state(h)) return ARR_BOOL;
    switch (h->v.kind) {
    case V_ARRAY: return (arr_dtype)h->v.node->dtype;
    case V_DTYPE: return (arr_dtype)h->v.dtype;
    case V_INT: return ARR_I64;
    case V_UINT: return ARR_U64;
    case V_FLOAT: return ARR_F64;
    case V_COMPLEX: return ARR_C128;
    default: return ARR_BOOL;
    }
}

int arr_value_rank(const arr_value *h) {
    return handle_state(h) && h->v.kind == V_ARRAY ? h->v.node->shape.rank : 0;
}

const int64_t *arr_value_shape(const arr_value *h) {
    return handle_state(h) && h->v.kind == V_ARRAY ? h->v.node->shape.dim : NULL;
}

/* The buffer's text becomes the handle's. */
static Status keep_text(arr_value *h, Buf *b, const char **text) {
    TRY(buf_status(b));
    size_t size = b->len + 1;
    char *p = mem_alloc(&h->A->cx.mem, size);
    if (!p) return error_memory(&h->A->cx, size);
    memcpy(p, buf_text(b), size);
    drop_text(h);
    h->text = p;
    h->text_size = size;
    *text = p;
    return ARR_OK;
}

arr_status arr_value_format(const arr_value *v, const char **text) {
    arr_value *h = (arr_value *)(uintptr_t)v; /* the text is a cache, not the value */
    State *A = handle_state(v);
    if (!A || !text) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    A->cx.span = h->span;
    Buf b;
    buf_init(&b, &A->cx);
    Status st = value_format(A, &h->v, false, &b);
    if (st == ARR_OK) st = keep_text(h, &b, text);
    buf_free(&b);
    return api_end(A, st);
}

arr_status arr_value_describe(const arr_value *v, const char **text) {
    arr_value *h = (arr_value *)(uintptr_t)v;
    State *A = handle_state(v);
    if (!A || !text) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Buf b;
    buf_init(&b, &A->cx);
    if (h->v.kind == V_ARRAY) {
        char shape[SHAPE_TEXT];
        value_describe(&h->v, shape);
        buf_str(&b, shape);
        const char *device = runtime_device_name(A->rt, h->v.node);
        if (strcmp(device, "cpu") != 0) buf_printf(&b, " %s", device);
    } else {
        buf_str(&b, value_kind_name(h->v.kind));
    }
    Status st = keep_text(h, &b, text);
    buf_free(&b);
    return api_end(A, st);
}
