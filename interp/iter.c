/* iter - walking over the elements of a value: ranges, tuples, strings by code point, arrays along
 * their first axis.
 * Callers: for statements, unpacking, map and its like. Invariant: elements of an array are views,
 * nothing is forced. */
#include "interp/eval.h"
#include "interp/api_limits.h"

#include <string.h>

static COLD Status no_elements(State *A, const char *what, const Value *v) {
    char text[SHAPE_TEXT];
    value_describe(v, text);
    const char *remedy = v->kind == V_INT      ? ": write range(n)"
                         : v->kind == V_RECORD ? ": use fields(r) for the names, map(f, r)"
                         : v->kind == V_ARRAY  ? ": a 0-d array has no first axis"
                                               : "";
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE,
                     "%s needs a range, tuple, string or array, not %s%s", what, text, remedy);
}

Status iter_begin(State *A, const char *what, const Value *v, Iter *it) {
    *it = (Iter){.of = *v};
    switch (v->kind) {
    case V_TUPLE: it->n = v->tuple->n; return ARR_OK;
    case V_STR: it->n = v->str->count; return ARR_OK;
    case V_RANGE: it->n = range_len(v->range); return ARR_OK;
    case V_ARRAY:
        if (v->node->shape.rank == 0) break;
        it->n = v->node->shape.dim[0];
        return ARR_OK;
    default: break;
    }
    return no_elements(A, what, v);
}

static Status next_char(State *A, Iter *it, Value *out) {
    const Str *s = it->of.str;
    size_t lo = it->byte, hi = lo + 1;
    while (hi < s->len && (s->text[hi] & 0xc0) == 0x80) hi++;
    it->byte = hi;
    return value_str(A, s->text + lo, hi - lo, out);
}

Status iter_next(State *A, Iter *it, bool *more, Value *out) {
    *more = it->i < it->n;
    if (!*more) return ARR_OK;
    TRY(state_step(A, 1));
    int64_t i = it->i++;
    switch (it->of.kind) {
    case V_TUPLE: *out = value_retain(it->of.tuple->items[i]); return ARR_OK;
    case V_STR: return next_char(A, it, out);
    case V_RANGE: {
        const RangeObj *r = it->of.range;
        *out = value_int((int64_t)((uint64_t)r->start + (uint64_t)i * (uint64_t)r->step));
        return ARR_OK;
    }
    default: {
        Value index = value_int(i);
        return index_read(A, &it->of, &index, 1, out);
    }
    }
}
