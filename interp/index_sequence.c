/* index_sequence - x[...] of tuples, strings and ranges: one integer or one slice.
 *
 * Callers: index_read. Invariant: strings are cut between code points; a slice of a range is a
 * range. */
#include "interp/index.h"
#include "interp/api_limits.h"
#include "interp/state.h"

/* One index into a sequence of n elements: an integer (*is_slice false) or a slice. */
static Status sequence_index(State *A, const char *what, int64_t n, const Value *items, int nitems,
                             bool *is_slice, IndexItem *out) {
    if (nitems != 1)
        return error_set(&A->cx, ARR_ERR_INDEX, A->cx.span, "%s takes one index, not %d", what,
                         nitems);
    *is_slice = items[0].kind == V_SLICE;
    if (*is_slice) return index_slice(A, items[0].slice, n, out);
    bool integer =
        items[0].kind == V_INT || (items[0].kind == V_ARRAY && dtype_is_int(items[0].node->dtype));
    if (!integer) return index_wrong(A, &items[0]);
    int64_t i;
    TRY(value_to_int(A, "index", &items[0], &i));
    if (i < -n || i >= n)
        return error_set(&A->cx, ARR_ERR_INDEX, A->cx.span,
                         "index %lld is out of range for %s of length %lld", (long long)i, what,
                         (long long)n);
    out->start = i < 0 ? i + n : i;
    out->count = out->step = 1;
    return ARR_OK;
}

Status index_tuple(State *A, const Tuple *t, const Value *items, int n, Value *out) {
    bool slice;
    IndexItem it = {0};
    TRY(sequence_index(A, "a tuple", t->n, items, n, &slice, &it));
    if (!slice) {
        *out = value_retain(t->items[it.start]);
        return ARR_OK;
    }
    TRY(value_tuple(A, (uint32_t)it.count, out));
    for (int64_t k = 0; k < it.count; k++) {
        Status st = k % STEPS == 0 ? state_step(A, STEPS) : ARR_OK;
        if (st != ARR_OK) {
            value_release(A, *out);
            return st;
        }
        out->tuple->items[k] = value_retain(t->items[it.start + k * it.step]);
    }
    return ARR_OK;
}

Status index_range(State *A, const RangeObj *r, const Value *items, int n, Value *out) {
    bool slice;
    IndexItem it = {0};
    TRY(sequence_index(A, "a range", range_len(r), items, n, &slice, &it));
    int64_t start = r->start + it.start * r->step;
    if (!slice) {
        *out = value_int(start);
        return ARR_OK;
    }
    int64_t step, stop;
    if (!mul_i64(r->step, it.step, &step) || !mul_i64(step, it.count, &stop) ||
        !add_i64(start, stop, &stop))
        return error_set(&A->cx, ARR_ERR_VALUE, A->cx.span, "the slice passes 64-bit integers");
    return value_range(A, start, stop, step, out);
}

/* Byte offset of the code point number k; anything once the state is stopped. */
static size_t utf8_offset(State *A, const Str *s, int64_t k) {
    size_t i = 0;
    if (s->count == s->len) return (size_t)k;
    for (; i < s->len; i++) {
        if (((unsigned char)s->text[i] & 0xC0) != 0x80 && k-- == 0) break;
        if (i % (1 << 20) == 0 && interrupted(A)) break;
    }
    return i;
}

/* n pieces of the text, step apart, from `start` on; at: where each code point begins. */
static Status add_points(State *A, const Str *s, const uint32_t *at, const IndexItem *it, Buf *b) {
    for (int64_t j = 0; j < it->count; j++) {
        int64_t i = it->start + j * it->step;
        if (j % STEPS == 0) TRY(state_step(A, STEPS));
        buf_add(b, s->text + at[i], at[i + 1] - at[i]);
    }
    return buf_status(b);
}

Status index_string(State *A, const Str *s, const Value *items, int n, Value *out) {
    bool slice;
    IndexItem it = {0};
    TRY(sequence_index(A, "a string", s->count, items, n, &slice, &it));
    if (it.count == 0) return value_str(A, "", 0, out);
    if (it.step == 1) {
        size_t lo = utf8_offset(A, s, it.start), hi = utf8_offset(A, s, it.start + it.count);
        TRY(state_step(A, 1));
        return value_str(A, s->text + lo, hi - lo, out);
    }
    size_t size = ((size_t)s->count + 1) * sizeof(uint32_t), k = 0;
    uint32_t *at = mem_alloc(&A->cx.mem, size); /* where each code point begins, and the end */
    if (!at) return error_memory(&A->cx, size);
    for (uint32_t i = 0; i < s->len && !(i % (1 << 20) == 0 && interrupted(A)); i++)
        if (((unsigned char)s->text[i] & 0xC0) != 0x80) at[k++] = i;
    at[k] = s->len;
    Buf b;
    buf_init(&b, &A->cx);
    Status st = add_points(A, s, at, &it, &b);
    mem_free(&A->cx.mem, at, size);
    if (st == ARR_OK) st = value_str(A, buf_text(&b), b.len, out);
    buf_free(&b);
    return st;
}
