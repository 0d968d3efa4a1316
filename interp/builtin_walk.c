/* builtin_walk - zip, enumerate, map, filter, sorted.
 *
 * Callers: the binder, through builtin_values. Invariant: elements of arrays stay lazy; only filter
 * (its answers) and sorted (its keys) force. */
#include "interp/builtin_walk.h"
#include "interp/eval.h"
#include "interp/api_limits.h"
#include "interp/ops_scalar.h"
#include "runtime/exec.h"

#include <string.h>

enum { WALK_MAX = 16 }; /* values walked at once */

typedef struct Walk {
    Iter it[WALK_MAX];
    int n;
    int64_t len;
} Walk;

static Status walk_begin(State *A, const char *fn, const Tuple *values, Walk *w) {
    if (values->n == 0 || values->n > WALK_MAX) {
        return error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE,
                         "%s takes 1 to %d values, %u are given", fn, WALK_MAX, values->n);
    }
    w->n = (int)values->n;
    for (int i = 0; i < w->n; i++) {
        TRY(iter_begin(A, fn, &values->items[i], &w->it[i]));
        if (i > 0 && w->it[i].n != w->it[0].n) {
            return error_set(&A->cx, ARR_ERR_VALUE, SPAN_NONE,
                             "%s: the lengths differ: %lld and %lld", fn, (long long)w->it[0].n,
                             (long long)w->it[i].n);
        }
    }
    w->len = w->it[0].n;
    if (w->len > INT32_MAX) {
        return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE,
                         "%s: %lld elements are too many for a tuple", fn, (long long)w->len);
    }
    return ARR_OK;
}

/* The next elements into w->n values. */
static Status walk_next(State *A, Walk *w, Value *items) {
    for (int i = 0; i < w->n; i++) {
        bool more;
        TRY(iter_next(A, &w->it[i], &more, &items[i]));
    }
    return ARR_OK;
}

static Status fail_with(State *A, Value *made, Status st) {
    value_release(A, *made);
    *made = VALUE_NONE;
    return st;
}

Status walk_zip(State *A, const Value *args, Value *out) {
    Walk w;
    TRY(walk_begin(A, "zip", args[0].tuple, &w));
    TRY(value_tuple(A, (uint32_t)w.len, out));
    for (int64_t i = 0; i < w.len; i++) {
        Value row;
        Status st = value_tuple(A, (uint32_t)w.n, &row);
        if (st != ARR_OK) return fail_with(A, out, st);
        out->tuple->items[i] = row;
        st = walk_next(A, &w, row.tuple->items);
        if (st != ARR_OK) return fail_with(A, out, st);
    }
    return ARR_OK;
}

Status walk_enumerate(State *A, const Value *args, Value *out) {
    int64_t start;
    Iter it;
    TRY(value_to_int(A, "enumerate: start", &args[1], &start));
    TRY(iter_begin(A, "enumerate", &args[0], &it));
    if (it.n > INT32_MAX) {
        return error_set(&A->cx, ARR_ERR_LIMIT, SPAN_NONE, "enumerate: too many elements");
    }
    TRY(value_tuple(A, (uint32_t)it.n, out));
    for (int64_t i = 0; i < it.n; i++) {
        Value row;
        bool more;
        Status st = value_tuple(A, 2, &row);
        if (st != ARR_OK) return fail_with(A, out, st);
        out->tuple->items[i] = row;
        row.tuple->items[0] = value_int((int64_t)((uint64_t)start + (uint64_t)i));
        st = iter_next(A, &it, &more, &row.tuple->items[1]);
        if (st != ARR_OK) return fail_with(A, out, st);
    }
    return ARR_OK;
}

/* map(f, x): in x |> map(f) the function would be second. */
static Status function_first(State *A, const char *fn, const Value *f) {
    char text[SHAPE_TEXT];
    if (value_callable(f)) return ARR_OK;
    value_describe(f, text);
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE,
                     "%s: f must be a function, not %s: it comes first, %s(f, x)", fn, text, fn);
}

static Status map_record(State *A, const Value *f, const Record *r, Value *out) {
    TRY(value_record(A, r->n, out));
    for (uint32_t i = 0; i < r->n; i++) {
        out->record->fields[i].name = r->fields[i].name;
        Status st = call_values(A, f, &r->fields[i].value, 1, &out->record->fields[i].value);
        if (st != ARR_OK) return fail_with(A, out, st);
    }
    return ARR_OK;
}

Status walk_map(State *A, const Value *args, Value *out) {
    const Tuple *values = args[1].tuple;
    Span span = A->cx.span;
    TRY(function_first(A, "map", &args[0]));
    if (values->n == 1 && values->items[0].kind == V_RECORD) {
        return map_record(A, &args[0], values->items[0].record, out);
    }
    Walk w;
    TRY(walk_begin(A, "map", values, &w));
    TRY(value_tuple(A, (uint32_t)w.len, out));
    for (int64_t i = 0; i < w.len; i++) {
        Value row[WALK_MAX] = {{0}};
        A->cx.span = span;
        Status st = walk_next(A, &w, row);
        if (st == ARR_OK) st = call_values(A, &args[0], row, w.n, &out->tuple->items[i]);
        for (int k = 0; k < w.n; k++) value_release(A, row[k]);
        if (st != ARR_OK) return fail_with(A, out, st);
    }
    return ARR_OK;
}

/* A tuple's items in a growing list. */
typedef struct List {
    Value *items;
    uint32_t n, cap;
} List;

static Status list_add(State *A, List *l, Value v) {
    if (l->n == l->cap) {
        uint32_t cap = l->cap ? l->cap * 2 : 16;
        Value *p = mem_realloc(&A->cx.mem, l->items, l->cap * sizeof *p, cap * sizeof *p);
        if (!p) {
            value_release(A, v);
            return error_memory(&A->cx, cap * sizeof *p);
        }
        l->items = p;
        l->cap = cap;
    }
    l->items[l->n++] = v;
    return ARR_OK;
}

/* The list's items become a tuple's (or are released when st says so). */
static Status list_end(State *A, List *l, Status st, Value *out) {
    if (st == ARR_OK) st = value_tuple(A, l->n, out);
    for (uint32_t i = 0; i < l->n; i++) {
        if (st == ARR_OK)
            out->tuple->items[i] = l->items[i];
        else
            value_release(A, l->items[i]);
    }
    mem_free(&A->cx.mem, l->items, l->cap * sizeof *l->items);
    return st;
}

Status walk_filter(State *A, const Value *args, Value *out) {
    Iter it;
    List kept = {0};
    Span span = A->cx.span;
    TRY(function_first(A, "filter", &args[0]));
    Status st = iter_begin(A, "filter", &args[1], &it);
    for (bool more = true; st == ARR_OK;) {
        Value v, answer;
        bool keep = false;
        A->cx.span = span;
        st = iter_next(A, &it, &more, &v);
        if (st != ARR_OK || !more) break;
        st = call_values(A, &args[0], &v, 1, &answer);
        if (st == ARR_OK) {
            A->cx.span = span;
            st = value_to_bool(A, "filter: the answer of f", &answer, &keep);
            value_release(A, answer);
        }
        if (st == ARR_OK && keep)
            st = list_add(A, &kept, v);
        else
            value_release(A, v);
    }
    return list_end(A, &kept, st, out);
}

/* ---- sorted ---- */

/* -1, 0, 1; nan is last. */
static Status compare(State *A, const Value *a, const Value *b, int *out) {
    TRY(stack_check(A));
    TRY(state_step(A, 1));
    if (value_is_scalar(a) && value_is_scalar(b) && a->kind != V_COMPLEX && b->kind != V_COMPLEX) {
        int c = scalar_compare(a, b);
        bool a_nan = a->kind == V_FLOAT && a->f != a->f, b_nan = b->kind == V_FLOAT && b->f != b->f;
        *out = c == 2 ? a_nan - b_nan : c;
        return ARR_OK;
    }
    if (a->kind == V_STR && b->kind == V_STR) {
        size_t n = a->str->len < b->str->len ? a->str->len : b->str->len;
        int c = memcmp(a->str->text, b->str->text, n);
        if (c == 0) c = a->str->len < b->str->len ? -1 : a->str->len > b->str->len;
        *out = c < 0 ? -1 : c > 0;
        return ARR_OK;
    }
    if (a->kind == V_TUPLE && b->kind == V_TUPLE) {
        uint32_t n = a->tuple->n < b->tuple->n ? a->tuple->n : b->tuple->n;
        *out = 0;
        for (uint32_t i = 0; i < n && *out == 0; i++) {
            TRY(compare(A, &a->tuple->items[i], &b->tuple->items[i], out));
        }
        if (*out == 0) *out = a->tuple->n < b->tuple->n ? -1 : a->tuple->n > b->tuple->n;
        return ARR_OK;
    }
    char x[SHAPE_TEXT], y[SHAPE_TEXT];
    value_describe(a, x);
    value_describe(b, y);
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE, "sorted: %s and %s have no order", x, y);
}

/* 0-d arrays are compared by their element. */
static Status sort_key(State *A, const Value *f, const Value *v, Value *out) {
    Value k;
    if (f->kind == V_NONE)
        k = value_retain(*v);
    else
        TRY(call_values(A, f, v, 1, &k));
    if (k.kind == V_ARRAY && node_size(k.node) == 1) {
        Scalar s;
        Status st = exec_scalar(A->rt, k.node, &s);
        value_release(A, k);
        TRY(st);
        k = value_from_scalar(s);
    }
    *out = k;
    return ARR_OK;
}

/* Stable merge sort of positions, bottom up. */
static Status merge_sort(State *A, const Value *keys, uint32_t *at, uint32_t *room, uint32_t n,
                         bool descending) {
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t lo = 0; lo < n; lo += 2 * width) {
            uint32_t mid = lo + width < n ? lo + width : n, hi = n - mid < width ? n : mid + width;
            uint32_t i = lo, j = mid;
            for (uint32_t k = lo; k < hi; k++) {
                bool left = j >= hi;
                if (!left && i < mid) {
                    int c;
                    TRY(compare(A, &keys[at[i]], &keys[at[j]], &c));
                    left = descending ? c >= 0 : c <= 0;
                }
                room[k] = left ? at[i++] : at[j++];
            }
        }
        memcpy(at, room, n * sizeof *at);
    }
    return ARR_OK;
}

Status walk_sorted(State *A, const Value *args, Value *out) {
    bool descending;
    Iter it;
    Span span = A->cx.span;
    if (args[1].kind != V_NONE) TRY(arg_function(A, "sorted: key", &args[1]));
    TRY(arg_flag(A, "sorted: descending", &args[2], &descending));
    TRY(iter_begin(A, "sorted", &args[0], &it));
    List items = {0}, keys = {0};
    Status st = ARR_OK;
    for (bool more = true; st == ARR_OK;) {
        Value v, k;
        A->cx.span = span;
        st = iter_next(A, &it, &more, &v);
        if (st != ARR_OK || !more) break;
        st = list_add(A, &items, v);
        if (st == ARR_OK) st = sort_key(A, &args[1], &v, &k);
        if (st == ARR_OK) st = list_add(A, &keys, k);
    }
    uint32_t n = items.n;
    size_t size = 2 * (size_t)n * sizeof(uint32_t);
    uint32_t *at = mem_alloc(&A->cx.mem, size);
    if (st == ARR_OK && !at) st = error_memory(&A->cx, size);
    for (uint32_t i = 0; at && i < n; i++) at[i] = i;
    A->cx.span = span;
    if (st == ARR_OK) st = merge_sort(A, keys.items, at, at + n, n, descending);
    if (st == ARR_OK) st = value_tuple(A, n, out);
    for (uint32_t i = 0; i < n && st == ARR_OK; i++) {
        out->tuple->items[i] = value_retain(items.items[at[i]]);
    }
    Value none;
    mem_free(&A->cx.mem, at, size);
    list_end(A, &keys, ARR_INCOMPLETE, &none); /* releases */
    list_end(A, &items, ARR_INCOMPLETE, &none);
    return st;
}
