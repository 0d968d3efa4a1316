/* npy - NumPy's .npy files: reading versions 1.0, 2.0 and 3.0 and writing 1.0 byte for byte as
 * np.save does.
 *
 * Callers: load and save, later the .npz reader (which hands in a part of an open file). Nothing in
 * a header is evaluated, sizes are checked against the file before anything is allocated, files are
 * read with pread and never mapped. Every refusal is ARR_ERR_IO and names the file. */
#ifndef ARR_NPY_H
#define ARR_NPY_H

#include "runtime/base/shape.h"

typedef struct NpyInfo {
    int fd;
    bool owned; /* npy_close closes fd */
    DType dtype;
    Shape shape;
    bool fortran;   /* the file holds the elements in column-major order */
    bool swap;      /* the file has the other byte order */
    int64_t offset; /* of the first element in the file */
    int64_t count;  /* elements; count * dtype_size bytes are there */
} NpyInfo;

/* Open path and read its header. On failure nothing is left open. */
Status npy_open(Cx *cx, Span at, const char *path, NpyInfo *out);
/* The .npy that lies in bytes [lo, hi) of an open file (which stays the caller's); path is for
 * messages. */
Status npy_open_part(Cx *cx, Span at, const char *path, int fd, int64_t lo, int64_t hi,
                     NpyInfo *out);
/* All elements, native and in C order, to dst (count * dtype_size bytes). May be called again. */
Status npy_read(Cx *cx, Span at, const char *path, const NpyInfo *info, void *dst);
/* Bytes [at, at + n) of what npy_read gives, on any thread; at and n multiples of the element's
 * size. Not for column-major files of several axes (npy_in_pieces). 0, or not. */
bool npy_in_pieces(const NpyInfo *info);
int npy_read_piece(const NpyInfo *info, char *dst, size_t at, size_t n);
void npy_close(NpyInfo *info);

/* The header alone from memory: bytes[0..n) is the beginning of a file of `size` bytes. Fills all
 * but fd and owned. */
Status npy_header_parse(Cx *cx, Span at, const char *path, const uint8_t *bytes, size_t n,
                        int64_t size, NpyInfo *out);
/* How many bytes of the file npy_header_parse needs, from its first 12 (fewer if the file is
 * shorter). */
enum { NPY_PREFIX = 12 };
Status npy_header_extent(Cx *cx, Span at, const char *path, const uint8_t *bytes, size_t n,
                         int64_t size, size_t *extent);
/* The whole header that np.save writes for a C-contiguous array: its length, a multiple of 64. */
enum { NPY_HEADER_MAX = 1024 };
Status npy_header_make(Cx *cx, Span at, const char *path, DType d, const Shape *s,
                       char out[NPY_HEADER_MAX], size_t *len);

/* Write C-order data as path (through a temporary file and a rename). bf16 has no .npy type: an
 * error that asks for a cast. */
Status npy_write(Cx *cx, Span at, const char *path, DType d, const Shape *s, const void *data);

#endif
