/* file - whole files in, whole files out: reading with pread, writing to a temporary file that
 * takes the target's place when everything is there.
 *
 * Callers: npy, csv and other file formats. Files are never mapped. All failures are ARR_ERR_IO at
 * the given span with the path and the reason; long transfers stop when the state is interrupted.
 * Where a host allows files below some folders only, other paths are ARR_ERR_LIMIT. */
#ifndef ARR_FILE_H
#define ARR_FILE_H

#include "runtime/base/error.h"

/* Open a regular file for reading. *size is its length at this moment. */
Status file_open(Cx *cx, Span at, const char *path, int *fd, int64_t *size);
/* n bytes at offset; fewer is an error that names both counts. */
Status file_read_at(Cx *cx, Span at, const char *path, int fd, int64_t offset, void *dst, size_t n);
/* n bytes at offset without a word about it: 0, or not. May be called on several threads. */
int file_read_piece(int fd, int64_t offset, char *dst, size_t n);
int file_write_piece(int fd, int64_t offset, const char *src, size_t n);
/* All bytes of a file of any sort (a pipe too): *data of *n bytes plus a NUL, freed with
 * mem_free(n + 1). */
Status file_read_all(Cx *cx, Span at, const char *path, char **data, size_t *n);
/* The same for a file that the host named: its limits are for programs. */
Status file_read_own(Cx *cx, Span at, const char *path, char **data, size_t *n);
/* Is there a file or folder of that name? */
Status file_exists(Cx *cx, Span at, const char *path, bool *out);
/* A name that two paths to one file share; room for PATH_MAX bytes. */
Status file_identity(Cx *cx, Span at, const char *path, char *out);

/* A file that is being written; nothing of the target changes before file_commit. An existing file
 * keeps its mode, a symbolic link stays a link; what is not a regular file (a terminal, a pipe), or
 * lies in a folder that takes no new file, is written in place. */
typedef struct FileOut {
    Cx *cx;
    Span at;
    const char *path;    /* borrowed, for messages */
    char *target, *temp; /* what is replaced, and by what; temp NULL: in place */
    size_t target_size, temp_size;
    int fd;
    int folder; /* target and temp are relative to it; -1: to the working directory */
} FileOut;
Status file_create(Cx *cx, Span at, const char *path, FileOut *out);
Status file_write(FileOut *f, const void *p, size_t n);
/* May file_write_piece write anywhere into f->fd? */
static inline bool file_is_seekable(const FileOut *f) { return f->temp != NULL; }
Status file_commit(FileOut *f); /* closes in any case */
void file_abandon(FileOut *f);  /* after an error, instead of file_commit */

#endif
