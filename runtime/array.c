/* array - counted buffers and strided views of them (see array.h).
 *
 * Callers: graph, exec, files, the API. Nothing here looks at elements.
 * Invariant: every buffer is at least one byte long, so that a pointer to the elements of an empty
 * array is as good as any other. */
#include "runtime/array.h"

#include <assert.h>
#include <string.h>

Status buffer_new(Device *d, size_t bytes, Buffer **out) {
    *out = NULL;
    if (bytes == 0) bytes = 1;
    Buffer *b = mem_alloc(&d->cx->mem, sizeof *b);
    if (!b) return error_memory(d->cx, sizeof *b);
    *b = (Buffer){.refs = 1, .device = d, .bytes = bytes};
    Status s = d->ops->alloc(d, bytes, &b->ptr);
    if (s != ARR_OK) {
        mem_free(&d->cx->mem, b, sizeof *b);
        return s;
    }
    *out = b;
    return ARR_OK;
}

Status buffer_lend(Device *d, void *ptr, size_t bytes, void (*release)(void *user), void *user,
                   Buffer **out) {
    *out = NULL;
    Buffer *b = mem_alloc(&d->cx->mem, sizeof *b);
    if (!b) return error_memory(d->cx, sizeof *b);
    *b = (Buffer){1, d, ptr, bytes, true, release, user};
    *out = b;
    return ARR_OK;
}

Buffer *buffer_retain(Buffer *b) {
    b->refs++;
    return b;
}

void buffer_release(Buffer *b) {
    assert(b->refs > 0);
    if (--b->refs > 0) return;
    Device *d = b->device;
    if (!b->lent)
        d->ops->release(d, b->ptr, b->bytes);
    else if (b->release)
        b->release(b->user);
    mem_free(&d->cx->mem, b, sizeof *b);
}

Status array_view(Cx *cx, Buffer *buf, DType t, const Shape *s, const int64_t *stride,
                  int64_t offset, Array **out) {
    Array *a = mem_alloc(&cx->mem, sizeof *a);
    *out = NULL;
    if (!a) return error_memory(cx, sizeof *a);
    a->refs = 1;
    a->dtype = t;
    a->shape = *s;
    a->offset = offset;
    a->buf = buffer_retain(buf);
    memcpy(a->stride, stride, (size_t)s->rank * sizeof *stride);
    *out = a;
    return ARR_OK;
}

Status array_new(Cx *cx, Device *d, DType t, const Shape *s, Array **out) {
    int64_t n, stride[MAX_RANK];
    Buffer *b;
    *out = NULL;
    TRY(shape_count(cx, cx->span, s, dtype_size(t), &n));
    TRY(buffer_new(d, (size_t)n * dtype_size(t), &b));
    shape_strides(s, stride);
    Status st = array_view(cx, b, t, s, stride, 0, out);
    buffer_release(b);
    return st;
}

Status array_from_host(Cx *cx, Device *d, DType t, const Shape *s, const void *data, Array **out) {
    TRY(array_new(cx, d, t, s, out));
    size_t bytes = (size_t)array_size(*out) * dtype_size(t);
    Status st = bytes ? d->ops->upload(d, (*out)->buf->ptr, data, bytes) : ARR_OK;
    if (st != ARR_OK) {
        array_release(cx, *out);
        *out = NULL;
    }
    return st;
}

void array_settle_bools(void *p, int64_t n) {
    uint8_t *b = p;
    for (int64_t i = 0; i < n; i++) b[i] = b[i] != 0;
}

Array *array_retain(Array *a) {
    a->refs++;
    return a;
}

void array_release(Cx *cx, Array *a) {
    assert(a->refs > 0);
    if (--a->refs > 0) return;
    buffer_release(a->buf);
    mem_free(&cx->mem, a, sizeof *a);
}

bool array_is_contiguous(const Array *a) { return shape_is_contiguous(&a->shape, a->stride); }

bool array_is_own(const Array *a) { return a->refs == 1 && a->buf->refs == 1 && !a->buf->lent; }

int64_t array_size(const Array *a) { return shape_size(&a->shape); }
