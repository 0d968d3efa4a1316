/* file - whole files in, whole files out: reading with pread, writing to a temporary name that is
 * renamed over the target when everything is there.
 * Callers: npy, csv. Errors are ARR_ERR_IO with the path and the system's reason. */
#ifndef ARR_FILE_H
#define ARR_FILE_H

#include "runtime/base/error.h"

/* The system's word for an errno, thread-safe. */
const char *file_reason(int err, char out[128]);

/* All bytes of a regular file: *data of *n bytes (plus a NUL), freed with mem_free(n + 1). */
Status file_read_all(Cx *cx, Span at, const char *path, char **data, size_t *n);
/* n bytes at offset; fewer is an error that names both counts. */
Status file_read_at(Cx *cx, Span at, const char *path, int fd, int64_t offset, void *dst, size_t n);

/* A file that is being written; nothing of the target changes before file_commit. */
typedef struct FileOut {
    Cx *cx;
    Span at;
    const char *path; /* borrowed */
    char *tmp;        /* path with a suffix */
    size_t tmp_size;
    int fd;
} FileOut;
Status file_create(Cx *cx, Span at, const char *path, FileOut *out);
Status file_write(FileOut *f, const void *p, size_t n);
Status file_commit(FileOut *f); /* closes in any case */
void file_abandon(FileOut *f);  /* after an error, instead of file_commit */

#endif
