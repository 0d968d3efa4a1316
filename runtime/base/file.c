/* file - whole files in, whole files out. See file.h.
 * Invariant: after any failure no temporary file and no descriptor is left. */
#include "runtime/base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *file_reason(int err, char out[128]) {
    const char *text = strerrordesc_np(err); /* untranslated, hence the same in every locale */
    snprintf(out, 128, "%s", text ? text : "unknown error");
    return out;
}

static Status fail(Cx *cx, Span at, const char *what, const char *path, int err) {
    char reason[128];
    return error_set(cx, ARR_ERR_IO, at, "cannot %s '%s': %s", what, path,
                     file_reason(err, reason));
}

Status file_read_at(Cx *cx, Span at, const char *path, int fd, int64_t offset, void *dst,
                    size_t n) {
    size_t got = 0;
    while (got < n) {
        ssize_t r = pread(fd, (char *)dst + got, n - got, offset + (int64_t)got);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return fail(cx, at, "read", path, errno);
        if (r == 0)
            return error_set(cx, ARR_ERR_IO, at, "'%s' ends early: expected %zu bytes, found %zu",
                             path, n, got);
        got += (size_t)r;
    }
    return ARR_OK;
}

Status file_read_all(Cx *cx, Span at, const char *path, char **data, size_t *n) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(cx, at, "open", path, errno);
    Status s = ARR_OK;
    *data = NULL;
    if (fstat(fd, &st) != 0)
        s = fail(cx, at, "read", path, errno);
    else if (!S_ISREG(st.st_mode))
        s = error_set(cx, ARR_ERR_IO, at, "cannot read '%s': it is not a regular file", path);
    else
        *n = (size_t)st.st_size;
    if (s == ARR_OK && !(*data = mem_alloc(&cx->mem, *n + 1))) s = error_memory(cx, *n + 1);
    if (s == ARR_OK) {
        (*data)[*n] = 0;
        s = file_read_at(cx, at, path, fd, 0, *data, *n);
        if (s != ARR_OK) mem_free(&cx->mem, *data, *n + 1);
    }
    close(fd);
    return s;
}

Status file_create(Cx *cx, Span at, const char *path, FileOut *f) {
    *f = (FileOut){cx, at, path, NULL, strlen(path) + 32, -1};
    f->tmp = mem_alloc(&cx->mem, f->tmp_size);
    if (!f->tmp) return error_memory(cx, f->tmp_size);
    for (int k = 0; k < 100 && f->fd < 0; k++) { /* names may be taken by other writers */
        snprintf(f->tmp, f->tmp_size, "%s.%ld-%d.tmp", path, (long)getpid(), k);
        f->fd = open(f->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (f->fd < 0 && errno != EEXIST) break;
    }
    if (f->fd >= 0) return ARR_OK;
    Status s = fail(cx, at, "write", path, errno);
    mem_free(&cx->mem, f->tmp, f->tmp_size);
    f->tmp = NULL;
    return s;
}

Status file_write(FileOut *f, const void *p, size_t n) {
    const char *bytes = p;
    while (n > 0) {
        ssize_t r = write(f->fd, bytes, n);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return fail(f->cx, f->at, "write", f->path, errno);
        bytes += r;
        n -= (size_t)r;
    }
    return ARR_OK;
}

void file_abandon(FileOut *f) {
    if (f->fd >= 0) close(f->fd);
    if (f->tmp) {
        unlink(f->tmp);
        mem_free(&f->cx->mem, f->tmp, f->tmp_size);
    }
    f->fd = -1;
    f->tmp = NULL;
}

Status file_commit(FileOut *f) {
    int bad = close(f->fd);
    f->fd = -1;
    if (bad || rename(f->tmp, f->path) != 0) {
        Status s = fail(f->cx, f->at, "write", f->path, errno);
        file_abandon(f);
        return s;
    }
    mem_free(&f->cx->mem, f->tmp, f->tmp_size);
    f->tmp = NULL;
    return ARR_OK;
}
