/* array - materialised data: a counted buffer on one device, and strided views of it.
 * Callers: graph (leaves), exec, files, the API. Invariant: an Array never changes shape, and its
 * elements change only while exec holds the only reference to its buffer. */
#ifndef ARR_ARRAY_H
#define ARR_ARRAY_H

#include "runtime/base/shape.h"
#include "runtime/device/device.h"

typedef struct Buffer {
    uint32_t refs;
    Device *device;
    void *ptr;
    size_t bytes;
    bool lent;                   /* somebody else's memory: never written */
    void (*release)(void *user); /* told when lent memory is needed no more; may be NULL */
    void *user;
} Buffer;

typedef struct Array {
    uint32_t refs;
    DType dtype;
    Shape shape;
    int64_t stride[MAX_RANK]; /* elements */
    int64_t offset;           /* elements into buf */
    Buffer *buf;
} Array;

Status buffer_new(Device *d, size_t bytes, Buffer **out);
/* Memory that its owner lends until release(user) is called. ptr is aligned as the pool's is. */
Status buffer_lend(Device *d, void *ptr, size_t bytes, void (*release)(void *user), void *user,
                   Buffer **out);
Buffer *buffer_retain(Buffer *b);
void buffer_release(Buffer *b);

/* Uninitialised, C-contiguous. */
Status array_new(Cx *cx, Device *d, DType t, const Shape *s, Array **out);
/* From host elements in C order. */
Status array_from_host(Cx *cx, Device *d, DType t, const Shape *s, const void *data, Array **out);
/* A view: shares buf (retains it). */
Status array_view(Cx *cx, Buffer *buf, DType t, const Shape *s, const int64_t *stride,
                  int64_t offset, Array **out);
/* n booleans that came from outside, where any byte but 0 is true: each becomes 0 or 1, which is
 * what loops and kernels rely on. p is the host's memory. */
void array_settle_bools(void *p, int64_t n);
Array *array_retain(Array *a);
void array_release(Cx *cx, Array *a);
bool array_is_contiguous(const Array *a);
/* May the holder of the only reference to a write into its memory? */
bool array_is_own(const Array *a);
int64_t array_size(const Array *a);

#endif
