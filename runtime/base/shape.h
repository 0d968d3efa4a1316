/* shape - extents, strides, broadcasting and slices. All products are checked in 64 bits.
 * Strides are in elements. Callers: graph, lower, array, npy, interp indexing. */
#ifndef ARR_SHAPE_H
#define ARR_SHAPE_H

#include "runtime/base/dtype.h"

enum { MAX_RANK = 32 };

typedef struct Shape {
    int rank;
    int64_t dim[MAX_RANK];
} Shape;

Shape shape_make(int rank, const int64_t *dim);
bool shape_equal(const Shape *a, const Shape *b);
/* Product of the extents; an error naming the shape where a dim is negative or count*itemsize
 * passes 2^63-1. */
Status shape_count(Cx *cx, Span at, const Shape *s, size_t itemsize, int64_t *out);
int64_t shape_size(const Shape *s); /* product, known to be valid */
/* NumPy broadcasting; false (out unchanged) if they do not combine. */
bool shape_broadcast(const Shape *a, const Shape *b, Shape *out);
/* The axis (from the end) where two shapes disagree, for messages; -1 if none. */
int shape_mismatch(const Shape *a, const Shape *b);
void shape_strides(const Shape *s, int64_t stride[MAX_RANK]); /* C order */
bool shape_is_contiguous(const Shape *s, const int64_t *stride);
/* "f32[3,4]"; rank 0 is "f32[]". out holds SHAPE_TEXT bytes. */
enum { SHAPE_TEXT = 256 };
void shape_text(DType d, const Shape *s, char out[SHAPE_TEXT]);
/* Normalise an axis; error naming `what` and the rank where out of range. */
Status shape_axis(Cx *cx, Span at, const char *what, int64_t axis, int rank, int *out);

/* lo:hi:step with Python's rules against extent n. has_lo / has_hi false: omitted. step != 0 (the
 * caller has checked). *start and *count are ready to use. */
void slice_resolve(int64_t n, bool has_lo, int64_t lo, bool has_hi, int64_t hi, int64_t step,
                   int64_t *start, int64_t *count);

/* Checked arithmetic: false on overflow. */
bool mul_i64(int64_t a, int64_t b, int64_t *out);
bool add_i64(int64_t a, int64_t b, int64_t *out);

#endif
