/* shape - extents and strides (see shape.h).
 *
 * Callers: graph (shapes at construction), lower, array, files, indexing. Nothing here allocates.
 * Invariant: no product or sum wraps; a shape whose element count does not fit 63 bits never gets
 * past shape_count. */
#include "runtime/base/shape.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool mul_i64(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }
bool add_i64(int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow(a, b, out); }

Shape shape_make(int rank, const int64_t *dim) {
    assert(rank >= 0 && rank <= MAX_RANK);
    Shape s = {.rank = rank};
    if (rank > 0) memcpy(s.dim, dim, (size_t)rank * sizeof *dim);
    return s;
}

bool shape_equal(const Shape *a, const Shape *b) {
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i]) return false;
    return true;
}

/* "[3,4]", cut with "..." where it does not fit. */
static void extents_text(const Shape *s, char *out, size_t size) {
    size_t n = 0;
    out[n++] = '[';
    for (int i = 0; i < s->rank; i++) {
        char one[32];
        int len = snprintf(one, sizeof one, i ? ",%lld" : "%lld", (long long)s->dim[i]);
        if (n + (size_t)len + 6 > size) {
            memcpy(out + n, ",...", 4);
            n += 4;
            break;
        }
        memcpy(out + n, one, (size_t)len);
        n += (size_t)len;
    }
    out[n++] = ']';
    out[n] = '\0';
}

void shape_text(DType d, const Shape *s, char out[SHAPE_TEXT]) {
    size_t n = strlen(dtype_name(d));
    memcpy(out, dtype_name(d), n);
    extents_text(s, out + n, SHAPE_TEXT - n);
}

Status shape_count(Cx *cx, Span at, const Shape *s, size_t itemsize, int64_t *out) {
    char text[SHAPE_TEXT];
    bool empty = false;
    for (int i = 0; i < s->rank; i++) {
        if (s->dim[i] < 0) {
            extents_text(s, text, sizeof text);
            return error_set(cx, ARR_ERR_VALUE, at, "negative extent %lld in shape %s",
                             (long long)s->dim[i], text);
        }
        empty |= s->dim[i] == 0;
    }
    int64_t n = empty ? 0 : 1, bytes;
    bool fits = true;
    for (int i = 0; i < s->rank && !empty; i++) fits = fits && mul_i64(n, s->dim[i], &n);
    if (!fits || !mul_i64(n, (int64_t)itemsize, &bytes)) {
        extents_text(s, text, sizeof text);
        return error_set(cx, ARR_ERR_LIMIT, at,
                         "shape %s is too large: %zu bytes an element pass 2^63 bytes in all", text,
                         itemsize);
    }
    *out = n;
    return ARR_OK;
}

int64_t shape_size(const Shape *s) {
    for (int i = 0; i < s->rank; i++)
        if (s->dim[i] == 0) return 0;
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) n *= s->dim[i];
    return n;
}

bool shape_broadcast(const Shape *a, const Shape *b, Shape *out) {
    if (shape_mismatch(a, b) >= 0) return false;
    const Shape *high = a->rank >= b->rank ? a : b, *low = high == a ? b : a;
    Shape r = *high;
    for (int i = 1; i <= low->rank; i++) {
        int64_t *d = &r.dim[r.rank - i];
        if (*d == 1) *d = low->dim[low->rank - i];
    }
    *out = r;
    return true;
}

int shape_mismatch(const Shape *a, const Shape *b) {
    for (int i = 1; i <= a->rank && i <= b->rank; i++) {
        int64_t x = a->dim[a->rank - i], y = b->dim[b->rank - i];
        if (x != y && x != 1 && y != 1) return i - 1;
    }
    return -1;
}

void shape_strides(const Shape *s, int64_t stride[MAX_RANK]) {
    int64_t n = 1;
    for (int i = s->rank - 1; i >= 0; i--) {
        stride[i] = n;
        if (s->dim[i] > 0) n *= s->dim[i]; /* of an empty array any stride will do */
    }
}

bool shape_is_contiguous(const Shape *s, const int64_t *stride) {
    int64_t n = 1;
    for (int i = s->rank - 1; i >= 0; i--) {
        if (s->dim[i] == 0) return true;
        if (s->dim[i] != 1 && stride[i] != n) return false;
        n *= s->dim[i];
    }
    return true;
}

Status shape_axis(Cx *cx, Span at, const char *what, int64_t axis, int rank, int *out) {
    if (axis < -rank || axis >= rank) {
        if (rank == 0)
            return error_set(cx, ARR_ERR_VALUE, at, "%s: axis %lld of an array without axes", what,
                             (long long)axis);
        return error_set(cx, ARR_ERR_VALUE, at,
                         "%s: axis %lld is out of range for rank %d (%d to %d)", what,
                         (long long)axis, rank, -rank, rank - 1);
    }
    *out = (int)(axis < 0 ? axis + rank : axis);
    return ARR_OK;
}

/* A bound as Python takes it: from the end if negative, then into [low, high]. */
static int64_t clip_bound(int64_t v, int64_t n, int64_t low, int64_t high) {
    if (v < 0) v = v < -n ? low : v + n;
    return v < low ? low : v > high ? high : v;
}

void slice_resolve(int64_t n, bool has_lo, int64_t lo, bool has_hi, int64_t hi, int64_t step,
                   int64_t *start, int64_t *count) {
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    int64_t a = has_lo ? clip_bound(lo, n, low, high) : step > 0 ? low : high;
    int64_t b = has_hi ? clip_bound(hi, n, low, high) : step > 0 ? high : low;
    uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    int64_t span = step > 0 ? b - a : a - b;
    *count = span > 0 ? (int64_t)(((uint64_t)span - 1) / stride) + 1 : 0;
    *start = *count ? a : 0;
}
