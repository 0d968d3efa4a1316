/* roots - see roots.h.
 *
 * Callers: file.c, limits. A root is known by the name the host gave it and by its real one, since
 * the working directory is told by its real name. Invariant: a path is only looked up relative to
 * a root's descriptor; its text decides which root, never whether it stays inside. */
#include "runtime/base/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct Root {
    int fd;
    char *name, *real; /* absolute; real may be the same text */
} Root;

struct Roots {
    size_t n;
    bool walk;
    Root root[];
};

static size_t roots_size(size_t n) { return sizeof(Roots) + n * sizeof(Root); }

static void free_text(Mem *m, char *text) {
    if (text) mem_free(m, text, strlen(text) + 1);
}

void roots_free(Mem *m, Roots *r) {
    if (!r) return;
    for (size_t i = 0; i < r->n; i++) {
        if (r->root[i].fd >= 0) close(r->root[i].fd);
        free_text(m, r->root[i].name);
        free_text(m, r->root[i].real);
    }
    mem_free(m, r, roots_size(r->n));
}

static char *copy_text(Mem *m, const char *text) {
    size_t n = strlen(text) + 1;
    char *p = mem_alloc(m, n);
    if (p) memcpy(p, text, n);
    return p;
}

/* The path with the working directory before it, unless it is absolute; false: too long. */
static bool absolute(const char *path, char out[PATH_MAX]) {
    if (*path == '/') return snprintf(out, PATH_MAX, "%s", path) < PATH_MAX;
    if (!getcwd(out, PATH_MAX)) return false;
    /* the working directory has no links, so that .. right after it is its parent */
    while (strncmp(path, "../", 3) == 0 || strncmp(path, "./", 2) == 0) {
        char *last = path[1] == '.' ? strrchr(out, '/') : NULL;
        if (last) *last = '\0';
        path += strcspn(path, "/");
        path += strspn(path, "/");
    }
    size_t n = strlen(out);
    int more = snprintf(out + n, PATH_MAX - n, "/%s", path);
    return more >= 0 && (size_t)more < PATH_MAX - n;
}

static Status add_root(Cx *cx, const char *path, Root *r) {
    char text[PATH_MAX], real[PATH_MAX];
    r->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (r->fd < 0 || !absolute(path, text) || !realpath(path, real))
        return error_set(cx, ARR_ERR_IO, SPAN_NONE,
                         "arr_limits.roots: %s is no folder that can be opened", path);
    r->name = copy_text(&cx->mem, text);
    r->real = copy_text(&cx->mem, real);
    return r->name && r->real ? ARR_OK : error_memory(cx, PATH_MAX);
}

Status roots_new(Cx *cx, const char *const *path, size_t n, bool walk, Roots **out) {
    Roots *r = mem_zalloc(&cx->mem, roots_size(n));
    *out = NULL;
    if (!r) return error_memory(cx, roots_size(n));
    r->walk = walk;
    for (r->n = 0; r->n < n; r->n++) r->root[r->n].fd = -1;
    for (size_t i = 0; i < n; i++) {
        Status s = add_root(cx, path[i], &r->root[i]);
        if (s == ARR_OK) continue;
        roots_free(&cx->mem, r);
        return s;
    }
    *out = r;
    return ARR_OK;
}

/* Past slashes and parts that are a dot. */
static const char *next_part(const char *p) {
    for (;;) {
        while (*p == '/') p++;
        if (p[0] != '.' || (p[1] != '/' && p[1] != '\0')) return p;
        p++;
    }
}

/* The part of an absolute path behind the root's; NULL: it does not begin with it. */
static const char *behind(const char *root, const char *path) {
    const char *r = next_part(root), *p = next_part(path);
    while (*r) {
        size_t n = strcspn(r, "/");
        if (strncmp(r, p, n) != 0 || (p[n] != '/' && p[n] != '\0')) return NULL;
        r = next_part(r + n);
        p = next_part(p + n);
    }
    return *p ? p : ".";
}

/* ---- the two ways of opening ---- */

/* Parts are joined on a path without .. that no link can bend, since none is followed. */
static bool plain_path(const char *path, char out[PATH_MAX]) {
    size_t n = 0;
    for (const char *p = next_part(path); *p;) {
        size_t len = strcspn(p, "/");
        if (len == 2 && memcmp(p, "..", 2) == 0) {
            if (n == 0) return errno = EXDEV, false;
            while (n > 0 && out[--n] != '/') continue;
        } else {
            if (n + len + 2 > PATH_MAX) return errno = ENAMETOOLONG, false;
            if (n > 0) out[n++] = '/';
            memcpy(out + n, p, len);
            n += len;
        }
        p = next_part(p + len);
    }
    if (n == 0) out[n++] = '.';
    out[n] = '\0';
    return true;
}

static bool is_link(int dir, const char *name) {
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

static int walk_open(int root, const char *path, int flags) {
    char plain[PATH_MAX], *p = plain;
    if (!plain_path(path, plain)) return -1;
    for (int dir = root;;) {
        char *slash = strchr(p, '/');
        if (slash) *slash = '\0';
        int how = slash ? O_PATH | O_DIRECTORY | O_CLOEXEC : flags;
        int fd = openat(dir, p, how | O_NOFOLLOW), error = errno;
        bool link = fd < 0 ? is_link(dir, p) : (how & O_PATH) && is_link(dir, p);
        if (dir != root) close(dir);
        if (link) {
            if (fd >= 0) close(fd);
            return errno = EXDEV, -1;
        }
        errno = error;
        if (fd < 0 || !slash) return fd;
        dir = fd;
        p = slash + 1;
    }
}

/* ENOSYS and EPERM: the kernel, or what filters its calls, does not have it. */
static int open_beneath(const Roots *r, int root, const char *path, int flags) {
    struct open_how how = {.flags = (uint64_t)flags,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    enum { PATIENCE = 100 };
    if (r->walk) return walk_open(root, path, flags);
    for (int i = 0; i < PATIENCE; i++) {
        long fd = syscall(SYS_openat2, root, path, &how, sizeof how);
        if (fd >= 0) return (int)fd;
        if (errno == ENOSYS || errno == EPERM) return walk_open(root, path, flags);
        if (errno != EAGAIN) return -1; /* EAGAIN: somebody renamed a folder on the way */
    }
    return -1;
}

int roots_open(const Roots *r, const char *path, int flags) {
    char text[PATH_MAX];
    int error = EXDEV;
    if (r && !absolute(path, text)) return errno = ENAMETOOLONG, -1;
    for (size_t i = 0; r && i < r->n; i++) {
        const Root *root = &r->root[i];
        const char *rest = behind(root->name, text);
        if (!rest) rest = behind(root->real, text);
        if (!rest) continue;
        int fd = open_beneath(r, root->fd, rest, flags);
        if (fd >= 0 || errno == EINTR) return fd;
        if (error == EXDEV) error = errno; /* of the first root that it stays in */
    }
    errno = error;
    return -1;
}

/* "a/b" -> "a/", "b"; the folder is "./" where none is named. False: the last part is no name. */
static bool split(const char *path, char folder[PATH_MAX], char name[ROOTS_NAME]) {
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    size_t n = (size_t)(last - path), m = strlen(last);
    bool dots = strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
    if (m == 0 || dots) return errno = EISDIR, false;
    if (m >= ROOTS_NAME || n + 3 > PATH_MAX) return errno = ENAMETOOLONG, false;
    memcpy(name, last, m + 1);
    memcpy(folder, n ? path : "./", n ? n : 2);
    folder[n ? n : 2] = '\0';
    return true;
}

int roots_folder(const Roots *r, const char *path, char name[ROOTS_NAME]) {
    enum { LINKS = 40 };
    char folder[PATH_MAX], text[PATH_MAX], link[PATH_MAX];
    if (snprintf(text, PATH_MAX, "%s", path) >= PATH_MAX) return errno = ENAMETOOLONG, -1;
    for (int i = 0; i < LINKS; i++) {
        if (!split(text, folder, name)) return -1;
        int fd = roots_open(r, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) return -1;
        ssize_t n = readlinkat(fd, name, link, sizeof link - 1);
        if (n < 0) return fd;
        close(fd);
        if (r->walk || link[0] == '/') return errno = EXDEV, -1;
        link[n] = '\0';
        if (snprintf(text, PATH_MAX, "%s%s", folder, link) >= PATH_MAX)
            return errno = ENAMETOOLONG, -1;
    }
    return errno = ELOOP, -1;
}

void roots_text(const Roots *r, char *out, size_t size) {
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; r && i < r->n && n < size; i++) {
        int more = snprintf(out + n, size - n, "%s%s", i ? ", " : "", r->root[i].name);
        n += more > 0 ? (size_t)more : 0;
    }
}
