/* npy - .npy files: opening, reading and writing (headers: npy_header.c).
 *
 * Callers: load and save. Invariant: nothing is allocated by a size that the file does not have,
 * and dst is only written inside count * dtype_size bytes. */
#include "runtime/npy.h"
#include "runtime/array.h"
#include "runtime/base/file.h"

#include <string.h>
#include <unistd.h>

/* Bytes of a column-major file that are turned at a time: a few fit in the second-level cache. */
enum { SLAB = 1 << 18 };

static Status open_part(Cx *cx, Span at, const char *path, int fd, int64_t lo, int64_t hi,
                        NpyInfo *out) {
    uint8_t prefix[NPY_PREFIX];
    int64_t size = hi - lo;
    size_t n = size < NPY_PREFIX ? (size_t)size : NPY_PREFIX, extent = 0;
    TRY(file_read_at(cx, at, path, fd, lo, prefix, n));
    TRY(npy_header_extent(cx, at, path, prefix, n, size, &extent));
    uint8_t *header = mem_alloc(&cx->mem, extent);
    if (!header) return error_memory(cx, extent);
    Status s = file_read_at(cx, at, path, fd, lo, header, extent);
    if (s == ARR_OK) s = npy_header_parse(cx, at, path, header, extent, size, out);
    mem_free(&cx->mem, header, extent);
    out->fd = fd;
    out->offset += lo;
    return s;
}

Status npy_open_part(Cx *cx, Span at, const char *path, int fd, int64_t lo, int64_t hi,
                     NpyInfo *out) {
    *out = (NpyInfo){.fd = -1};
    Status s = open_part(cx, at, path, fd, lo, hi, out);
    if (s != ARR_OK) out->fd = -1;
    return s;
}

Status npy_open(Cx *cx, Span at, const char *path, NpyInfo *out) {
    int fd;
    int64_t size;
    *out = (NpyInfo){.fd = -1};
    TRY(file_open(cx, at, path, &fd, &size));
    Status s = npy_open_part(cx, at, path, fd, 0, size, out);
    out->owned = s == ARR_OK;
    if (s != ARR_OK) close(fd);
    return s;
}

void npy_close(NpyInfo *info) {
    if (info->owned && info->fd >= 0) close(info->fd);
    info->fd = -1;
    info->owned = false;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The machine's order, booleans 0 or 1. */
static void make_native(const NpyInfo *info, void *p, int64_t count) {
    if (info->dtype == DT_bool) array_settle_bools(p, count);
    if (!info->swap) return;
    size_t size = dtype_size(dtype_real(info->dtype));
    int64_t n = count * (int64_t)(dtype_size(info->dtype) / size);
    if (size == 2) {
        uint16_t *w = p;
        for (int64_t i = 0; i < n; i++) w[i] = __builtin_bswap16(w[i]);
    } else if (size == 4) {
        uint32_t *w = p;
        for (int64_t i = 0; i < n; i++) w[i] = __builtin_bswap32(w[i]);
    } else if (size == 8) {
        uint64_t *w = p;
        for (int64_t i = 0; i < n; i++) w[i] = __builtin_bswap64(w[i]);
    }
}

/* A slab of a column-major file: `columns` runs of `length` elements each along axis 0, which in
 * memory lie `stride` apart; column c begins at dst[place[c]]. */
typedef struct Slab {
    int64_t columns, length, stride;
    const int64_t *place;
} Slab;

/* Bands of 16 rows: 16 lines of the destination are written side by side. */
#define TURN(type)                                                             \
    do {                                                                       \
        const type *from = src;                                                \
        type *to = dst;                                                        \
        for (int64_t lo = 0; lo < s->length; lo += 16) {                       \
            int64_t hi = lo + 16 < s->length ? lo + 16 : s->length;            \
            for (int64_t c = 0; c < s->columns; c++) {                         \
                for (int64_t i = lo; i < hi; i++)                              \
                    to[s->place[c] + i * s->stride] = from[c * s->length + i]; \
            }                                                                  \
        }                                                                      \
    } while (0)

static void turn(const Slab *s, size_t size, const void *src, void *dst) {
    switch (size) {
    case 1: TURN(uint8_t); break;
    case 2: TURN(uint16_t); break;
    case 4: TURN(uint32_t); break;
    case 8: TURN(uint64_t); break;
    default: TURN(Complex128); break;
    }
}

/* Odometer over the axes from 1 on, the first of them running fastest; gives the next column's
 * place. */
static int64_t next_place(const Shape *s, const int64_t *stride, int64_t *index, int64_t place) {
    for (int a = 1; a < s->rank; a++) {
        place += stride[a];
        if (++index[a] < s->dim[a]) return place;
        place -= index[a] * stride[a];
        index[a] = 0;
    }
    return place;
}

static Status read_fortran(Cx *cx, Span at, const char *path, const NpyInfo *info, void *dst) {
    size_t size = dtype_size(info->dtype);
    int64_t fits = SLAB / (int64_t)size, rows = info->shape.dim[0], stride[MAX_RANK];
    int64_t columns = rows < fits ? fits / rows : 1; /* at a time */
    int64_t index[MAX_RANK] = {0}, place = 0, total = info->count / rows;
    shape_strides(&info->shape, stride);
    if (columns > total) columns = total;
    size_t places_size = (size_t)columns * sizeof(int64_t);
    char *src = mem_alloc(&cx->mem, SLAB);
    int64_t *places = mem_alloc(&cx->mem, places_size);
    Status st = src && places ? ARR_OK : error_memory(cx, SLAB + places_size);
    for (int64_t done = 0; st == ARR_OK && done < total; done += columns) {
        Slab s = {.columns = total - done < columns ? total - done : columns,
                  .stride = stride[0],
                  .place = places};
        for (int64_t c = 0; c < s.columns; c++) {
            places[c] = place;
            place = next_place(&info->shape, stride, index, place);
        }
        for (int64_t row = 0; st == ARR_OK && row < rows; row += s.length) {
            s.length = rows - row < fits ? rows - row : fits;
            int64_t n = s.columns * s.length;
            st = file_read_at(cx, at, path, info->fd,
                              info->offset + (done * rows + row) * (int64_t)size, src,
                              (size_t)n * size);
            if (st != ARR_OK) break;
            make_native(info, src, n);
            turn(&s, size, src, (char *)dst + (size_t)(row * stride[0]) * size);
        }
    }
    mem_free(&cx->mem, src, SLAB);
    mem_free(&cx->mem, places, places_size);
    return st;
}

Status npy_read(Cx *cx, Span at, const char *path, const NpyInfo *info, void *dst) {
    if (info->count == 0) return ARR_OK;
    if (info->fortran && info->shape.rank > 1) return read_fortran(cx, at, path, info, dst);
    size_t bytes = (size_t)info->count * dtype_size(info->dtype);
    TRY(file_read_at(cx, at, path, info->fd, info->offset, dst, bytes));
    make_native(info, dst, info->count);
    return ARR_OK;
}

bool npy_in_pieces(const NpyInfo *info) { return !info->fortran || info->shape.rank <= 1; }

int npy_read_piece(const NpyInfo *info, char *dst, size_t at, size_t n) {
    int rc = file_read_piece(info->fd, info->offset + (int64_t)at, dst, n);
    if (rc == 0) make_native(info, dst, (int64_t)(n / dtype_size(info->dtype)));
    return rc;
}

/* --- writing ---------------------------------------------------------------------------------- */

Status npy_write(Cx *cx, Span at, const char *path, DType d, const Shape *s, const void *data) {
    char header[NPY_HEADER_MAX];
    size_t len;
    TRY(npy_header_make(cx, at, path, d, s, header, &len));
    FileOut f;
    TRY(file_create(cx, at, path, &f));
    Status st = file_write(&f, header, len);
    if (st == ARR_OK) st = file_write(&f, data, (size_t)shape_size(s) * dtype_size(d));
    if (st == ARR_OK) return file_commit(&f);
    file_abandon(&f);
    return st;
}
