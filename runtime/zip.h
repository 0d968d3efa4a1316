/* zip - archives of files: reading members that are stored or deflated, writing stored ones.
 *
 * Callers: load and save of .npz. Sizes and places are checked against the file before anything is
 * read; zip64 is understood and written where it is needed. Failures are ARR_ERR_IO and name the
 * archive. */
#ifndef ARR_ZIP_H
#define ARR_ZIP_H

#include "runtime/base/buf.h"
#include "runtime/base/file.h"

typedef struct ZipMember {
    char *name;       /* NUL-terminated, without NUL inside */
    size_t name_size; /* what it was allocated with */
    bool deflated;
    uint32_t crc;
    int64_t offset; /* of the data in the archive */
    int64_t packed, size;
} ZipMember;

typedef struct ZipIn {
    Cx *cx;
    Span at;
    const char *path; /* borrowed */
    int fd;
    int64_t size;
    ZipMember *members;
    size_t n, members_size;
} ZipIn;

Status zip_open(Cx *cx, Span at, const char *path, ZipIn *out);
/* The bytes of a member, checked against its CRC: m->size of them, to be freed with mem_free and
 * m->size + 1. */
Status zip_read(const ZipIn *z, const ZipMember *m, uint8_t **out);
/* A stored member against its CRC, without keeping it. */
Status zip_check(const ZipIn *z, const ZipMember *m);
void zip_close(ZipIn *z);

typedef struct ZipOut {
    FileOut file;
    Buf directory;
    int64_t at, count;
} ZipOut;

Status zip_create(Cx *cx, Span at, const char *path, ZipOut *out);
/* One member from two pieces: a header and data. */
Status zip_add(ZipOut *z, const char *name, const void *head, size_t nhead, const void *data,
               size_t ndata);
/* Finish the archive, or (after any failure) drop it. Always called once. */
Status zip_finish(ZipOut *z, Status so_far);

#endif
