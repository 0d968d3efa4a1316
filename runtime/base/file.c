/* file - see file.h.
 *
 * Callers: npy, csv. Invariant: a FileWriter between file_create and its end owns one descriptor
 * and at most one temporary file. The texts of system errors are our own, since strerror follows
 * the locale. */
#include "runtime/base/file.h"
#include "runtime/base/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRANSFER = 1 << 22 }; /* bytes between two looks at the interrupt flag */

/* The host's limits keep the path away. */
static Status refuse_outside(Cx *cx, Span at, const char *verb, const char *path) {
    char roots[512];
    if (cx->limits.files == ARR_FILES_NONE)
        return error_set(cx, ARR_ERR_LIMIT, at,
                         "cannot %s %s: this program may use no files: the host allows them by "
                         "arr_limits.files",
                         verb, path);
    roots_text(cx->limits.roots, roots, sizeof roots);
    return error_set(cx, ARR_ERR_LIMIT, at,
                     "cannot %s %s: it is not below %s, or leaves it by .. or a link: give a path "
                     "that stays there",
                     verb, path, roots);
}

static Status refuse(Cx *cx, Span at, const char *verb, const char *path, int error) {
    if (error == EXDEV && cx->limits.files != ARR_FILES_ALL)
        return refuse_outside(cx, at, verb, path);
    static const struct {
        int error;
        const char *text;
    } texts[] = {
        {ENOENT, "there is no such file or folder"},
        {EACCES, "permission denied"},
        {EPERM, "permission denied"},
        {EISDIR, "it is a folder"},
        {ENOTDIR, "a part of the path is no folder"},
        {ENOSPC, "no space is left on the disk"},
        {EDQUOT, "the disk quota is used up"},
        {EROFS, "the file system is read-only"},
        {EFBIG, "the file is too large"},
        {EMFILE, "too many files are open"},
        {ENFILE, "too many files are open"},
        {ENAMETOOLONG, "the name is too long"},
        {ELOOP, "too many symbolic links"},
        {EIO, "input/output error"},
        {EPIPE, "the reader has closed the pipe"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].error == error)
            return error_set(cx, ARR_ERR_IO, at, "cannot %s %s: %s", verb, path, texts[i].text);
    }
    return error_set(cx, ARR_ERR_IO, at, "cannot %s %s: system error %d", verb, path, error);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* A pipe waits for its other side, and an interrupt must end that: it is opened without blocking
 * and looked at every PATIENCE milliseconds. */
enum { PATIENCE = 20 };

static Status await(Cx *cx, int fd, short events) {
    struct pollfd p = {.fd = fd, .events = events};
    while (!cx->interrupt)
        if (poll(&p, 1, PATIENCE) > 0) return ARR_OK;
    return error_interrupted(cx);
}

/* own: the host named the path. */
static int open_path(Cx *cx, const char *path, int flags, bool own) {
    if (own || cx->limits.files == ARR_FILES_ALL) return open(path, flags);
    return roots_open(cx->limits.roots, path, flags);
}

static Status open_any(Cx *cx, Span at, const char *path, bool own, int *fd, struct stat *st) {
    do {
        *fd = open_path(cx, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, own);
    } while (*fd < 0 && errno == EINTR && !cx->interrupt);
    if (*fd < 0 && errno == EINTR) return error_interrupted(cx);
    if (*fd < 0) return refuse(cx, at, "read", path, errno);
    int error = fstat(*fd, st) != 0 ? errno : S_ISDIR(st->st_mode) ? EISDIR : 0;
    if (!error) return ARR_OK;
    close(*fd);
    *fd = -1;
    return refuse(cx, at, "read", path, error);
}

Status file_open(Cx *cx, Span at, const char *path, int *fd, int64_t *size) {
    struct stat st;
    TRY(open_any(cx, at, path, false, fd, &st));
    *size = st.st_size;
    if (S_ISREG(st.st_mode)) return ARR_OK;
    close(*fd);
    *fd = -1;
    return error_set(cx, ARR_ERR_IO, at, "cannot read %s: it is not a regular file", path);
}

Status file_read_at(Cx *cx, Span at, const char *path, int fd, int64_t offset, void *dst,
                    size_t n) {
    for (size_t done = 0; done < n;) {
        if (cx->interrupt) return error_interrupted(cx);
        size_t want = n - done < TRANSFER ? n - done : TRANSFER;
        ssize_t got = pread(fd, (char *)dst + done, want, (off_t)(offset + (int64_t)done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return refuse(cx, at, "read", path, errno);
        if (got == 0) {
            return error_set(
                cx, ARR_ERR_IO, at,
                "cannot read %s: expected %lld bytes at %lld, found %lld: the file has "
                "become shorter",
                path, (long long)n, (long long)offset, (long long)done);
        }
        done += (size_t)got;
    }
    return ARR_OK;
}

int file_read_piece(int fd, int64_t offset, char *dst, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(fd, dst + done, n - done, (off_t)(offset + (int64_t)done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        done += (size_t)got;
    }
    return 0;
}

int file_write_piece(int fd, int64_t offset, const char *src, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t put = pwrite(fd, src + done, n - done, (off_t)(offset + (int64_t)done));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return -1;
        done += (size_t)put;
    }
    return 0;
}

/* Room for one byte more and the NUL. */
static Status grow(Cx *cx, char **data, size_t *cap) {
    size_t wanted = *cap ? *cap * 2 : 1 << 16;
    char *p = wanted > *cap ? mem_realloc(&cx->mem, *data, *cap, wanted) : NULL;
    if (!p) return error_memory(cx, wanted);
    *data = p;
    *cap = wanted;
    return ARR_OK;
}

static Status read_stream(Cx *cx, Span at, const char *path, int fd, char **data, size_t *n,
                          size_t *cap) {
    for (;;) {
        if (cx->interrupt) return error_interrupted(cx);
        if (*cap - *n < 2) TRY(grow(cx, data, cap));
        size_t room = *cap - *n - 1;
        ssize_t got = read(fd, *data + *n, room < TRANSFER ? room : TRANSFER);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) {
            TRY(await(cx, fd, POLLIN));
            continue;
        }
        if (got < 0) return refuse(cx, at, "read", path, errno);
        if (got == 0) return ARR_OK;
        *n += (size_t)got;
    }
}

static Status read_all(Cx *cx, Span at, const char *path, bool own, char **data, size_t *n) {
    struct stat st;
    int fd;
    size_t cap = 0;
    *data = NULL;
    *n = 0;
    TRY(open_any(cx, at, path, own, &fd, &st));
    Status s = ARR_OK;
    if (S_ISREG(st.st_mode)) { /* room to see the end without growing */
        cap = (size_t)st.st_size + 2;
        *data = mem_alloc(&cx->mem, cap);
        if (!*data) s = error_memory(cx, cap);
    }
    if (s == ARR_OK && S_ISFIFO(st.st_mode)) s = await(cx, fd, POLLIN); /* for a writer */
    if (s == ARR_OK) s = read_stream(cx, at, path, fd, data, n, &cap);
    close(fd);
    char *exact = s == ARR_OK ? mem_realloc(&cx->mem, *data, cap, *n + 1) : NULL;
    if (s == ARR_OK && !exact) s = error_memory(cx, *n + 1);
    if (s != ARR_OK) {
        if (*data) mem_free(&cx->mem, *data, cap);
        *data = NULL;
        *n = 0;
        return s;
    }
    exact[*n] = '\0';
    *data = exact;
    return ARR_OK;
}

Status file_read_all(Cx *cx, Span at, const char *path, char **data, size_t *n) {
    return read_all(cx, at, path, false, data, n);
}

Status file_read_own(Cx *cx, Span at, const char *path, char **data, size_t *n) {
    return read_all(cx, at, path, true, data, n);
}

/* --- looking ---------------------------------------------------------------------------------- */

Status file_exists(Cx *cx, Span at, const char *path, bool *out) {
    int fd = open_path(cx, path, O_PATH | O_CLOEXEC, false);
    *out = fd >= 0;
    if (fd >= 0) close(fd);
    bool outside = fd < 0 && errno == EXDEV && cx->limits.files != ARR_FILES_ALL;
    return outside ? refuse_outside(cx, at, "look for", path) : ARR_OK;
}

Status file_identity(Cx *cx, Span at, const char *path, char *out) {
    struct stat st;
    if (cx->limits.files == ARR_FILES_ALL) {
        if (!realpath(path, out)) snprintf(out, PATH_MAX, "%s", path);
        return ARR_OK;
    }
    int fd = roots_open(cx->limits.roots, path, O_PATH | O_CLOEXEC);
    if (fd < 0) return refuse(cx, at, "read", path, errno);
    int bad = fstat(fd, &st), error = errno;
    close(fd);
    if (bad) return refuse(cx, at, "read", path, error);
    snprintf(out, PATH_MAX, "%llu:%llu", (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
    return ARR_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void release(FileOut *f) {
    Mem *m = &f->cx->mem;
    if (f->fd >= 0) close(f->fd);
    if (f->folder >= 0) close(f->folder);
    f->fd = f->folder = -1;
    if (f->target) mem_free(m, f->target, f->target_size);
    if (f->temp) mem_free(m, f->temp, f->temp_size);
    f->target = f->temp = NULL;
}

static int folder_of(const FileOut *f) { return f->folder >= 0 ? f->folder : AT_FDCWD; }

void file_abandon(FileOut *f) {
    if (f->temp) unlinkat(folder_of(f), f->temp, 0);
    release(f);
}

/* target: where a symbolic link leads, so that the link stays. */
static Status find_target(FileOut *f) {
    char real[PATH_MAX];
    const char *target = f->path;
    if (f->cx->limits.files != ARR_FILES_ALL) {
        f->folder = roots_folder(f->cx->limits.roots, f->path, real);
        if (f->folder < 0) return refuse(f->cx, f->at, "write", f->path, errno);
        target = real;
    } else if (realpath(f->path, real)) {
        target = real;
    }
    f->target_size = strlen(target) + 1;
    f->target = mem_alloc(&f->cx->mem, f->target_size);
    if (!f->target) return error_memory(f->cx, f->target_size);
    memcpy(f->target, target, f->target_size);
    return ARR_OK;
}

/* A new file in target's folder; its name does not grow with the target's. */
static Status open_temp(FileOut *f, mode_t mode) {
    const char *slash = strrchr(f->target, '/');
    int folder = slash ? (int)(slash - f->target) + 1 : 0;
    f->temp_size = (size_t)folder + 64;
    f->temp = mem_alloc(&f->cx->mem, f->temp_size);
    if (!f->temp) return error_memory(f->cx, f->temp_size);
    for (int i = 0; i < 10000; i++) {
        snprintf(f->temp, f->temp_size, "%.*s.arr-%ld-%d.tmp", folder, f->target, (long)getpid(),
                 i);
        f->fd = openat(folder_of(f), f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (f->fd >= 0) {
            if (mode) (void)!fchmod(f->fd, mode);
            return ARR_OK;
        }
        if (errno != EEXIST && errno != EINTR) break;
    }
    int error = errno;
    mem_free(&f->cx->mem, f->temp, f->temp_size); /* not ours: must not be unlinked */
    f->temp = NULL;
    errno = error;
    return ARR_OK;
}

/* A named pipe is waited for until somebody reads it. */
static Status open_in_place(FileOut *f) {
    int flags = O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK | (f->folder >= 0 ? O_NOFOLLOW : 0);
    for (;;) {
        f->fd = openat(folder_of(f), f->target, flags);
        if (f->fd >= 0 || (errno != ENXIO && errno != EINTR)) return ARR_OK;
        if (f->cx->interrupt) return error_interrupted(f->cx);
        poll(NULL, 0, PATIENCE);
    }
}

static Status start(FileOut *f) {
    struct stat st;
    TRY(find_target(f));
    int follow = f->folder >= 0 ? AT_SYMLINK_NOFOLLOW : 0;
    bool there = fstatat(folder_of(f), f->target, &st, follow) == 0;
    if (there && S_ISDIR(st.st_mode)) return refuse(f->cx, f->at, "write", f->path, EISDIR);
    if (there && faccessat(folder_of(f), f->target, W_OK, 0) != 0)
        return refuse(f->cx, f->at, "write", f->path, errno);
    if (!there || S_ISREG(st.st_mode)) TRY(open_temp(f, there ? st.st_mode & 0777 : 0));
    int error = errno;
    if (f->fd < 0 && there) { /* a device or pipe, or a folder where no file can be added */
        TRY(open_in_place(f));
        error = errno;
    }
    return f->fd >= 0 ? ARR_OK : refuse(f->cx, f->at, "write", f->path, error);
}

Status file_create(Cx *cx, Span at, const char *path, FileOut *f) {
    *f = (FileOut){.cx = cx, .at = at, .path = path, .fd = -1, .folder = -1};
    Status s = start(f);
    if (s != ARR_OK) file_abandon(f);
    return s;
}

Status file_write(FileOut *f, const void *p, size_t n) {
    for (size_t done = 0; done < n;) {
        if (f->cx->interrupt) return error_interrupted(f->cx);
        size_t want = n - done < TRANSFER ? n - done : TRANSFER;
        ssize_t put = write(f->fd, (const char *)p + done, want);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno == EAGAIN) {
            TRY(await(f->cx, f->fd, POLLOUT));
            continue;
        }
        if (put < 0) return refuse(f->cx, f->at, "write", f->path, errno);
        done += (size_t)put;
    }
    return ARR_OK;
}

Status file_commit(FileOut *f) {
    int bad = close(f->fd); /* tells of delayed write errors */
    f->fd = -1;
    int folder = folder_of(f);
    if ((bad && errno != EINTR) || (f->temp && renameat(folder, f->temp, folder, f->target) != 0)) {
        Status s = refuse(f->cx, f->at, "write", f->path, errno);
        file_abandon(f);
        return s;
    }
    release(f);
    return ARR_OK;
}
