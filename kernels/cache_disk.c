/* cache_disk - compiled kernels as files, one a kernel, named by hash.
 *
 *     offset 0   magic "arrk0002"
 *            8   bytes of the texts, u64
 *           16   image bytes, u64
 *           24   checksum of texts and image, u64
 *           32   target, name, CUDA text, each with its NUL
 *                image
 *
 * Many processes share the folder: a file is written under a temporary name and renamed, so that a
 * reader sees a whole file or none; a file that was cut or changed fails its checksum and is
 * deleted, and one whose texts are others (two kernels of one hash) is no entry. The folder's size
 * is bounded, the least recently used files go first (a hit touches its file). Trouble with the
 * folder is one notice, and memory only from then on. Callers: cache.c. Invariant: nothing here
 * fails a computation. */
#include "kernels/cache.h"
#include "runtime/device/shared.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DISK_MAGIC "arrk0002"
#define DISK_SUFFIX ".kernel"
enum { DISK_PATH = 640, DISK_LOOK_EVERY = 64, DISK_STALE_SECONDS = 3600, DISK_NAMES = 4096 };
static const int64_t DISK_BYTES = (int64_t)256 << 20; /* some ten thousand kernels */

typedef struct DiskHead {
    char magic[8];
    uint64_t ntext, nimage, sum;
} DiskHead;

DiskKey disk_key(const char *target, const char *name, const char *text) {
    DiskKey k = {.text = {target, name, text}};
    for (int i = 0; i < 2; i++) {
        uint64_t h = i ? 0xA0761D6478BD642Fu : 0xE7037ED1A0B428DBu;
        h = cache_hash(h, target, strlen(target));
        h = cache_hash(h, name, strlen(name));
        k.hash[i] = cache_hash(h, text, strlen(text));
    }
    return k;
}

static size_t texts_size(const DiskKey *k) {
    size_t n = 0;
    for (int i = 0; i < 3; i++) n += strlen(k->text[i]) + 1;
    return n;
}

static uint64_t checksum(const DiskKey *k, const void *image, size_t n) {
    uint64_t h = 0;
    for (int i = 0; i < 3; i++) h = cache_hash(h, k->text[i], strlen(k->text[i]) + 1);
    return cache_hash(h, image, n);
}

static void path_of(const DiskCache *c, const DiskKey *k, char path[DISK_PATH]) {
    snprintf(path, DISK_PATH, "%s/%016llx%016llx" DISK_SUFFIX, c->cx->opts.cache_dir,
             (unsigned long long)k->hash[0], (unsigned long long)k->hash[1]);
}

static bool wanted(const DiskCache *c) { return !c->off && c->cx->opts.cache_dir[0]; }

/* ---- reading ---- */

static bool read_full(int fd, void *data, size_t n, off_t at) {
    char *p = data;
    while (n > 0) {
        ssize_t r = pread(fd, p, n, at);
        if (r == 0 || (r < 0 && errno != EINTR)) return false;
        if (r > 0) p += r, n -= (size_t)r, at += r;
    }
    return true;
}

/* Do the file's texts say what is asked for? */
static bool same_texts(const DiskKey *k, const char *p) {
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(k->text[i]) + 1;
        if (memcmp(p, k->text[i], n) != 0) return false;
        p += n;
    }
    return true;
}

/* *bad: the file is no entry of ours (out of memory is not the file's fault). */
static void *read_image(DiskCache *c, const DiskKey *k, int fd, size_t *n, bool *bad) {
    Mem *mem = &c->cx->mem;
    DiskHead head;
    struct stat st;
    size_t ntext = texts_size(k);
    *bad = true;
    if (fstat(fd, &st) != 0 || !read_full(fd, &head, sizeof head, 0)) return NULL;
    if (memcmp(head.magic, DISK_MAGIC, sizeof head.magic) != 0 || head.nimage == 0 ||
        head.ntext > (uint64_t)st.st_size || head.nimage > (uint64_t)st.st_size ||
        (uint64_t)st.st_size != head.ntext + head.nimage + sizeof head)
        return NULL;
    *bad = false;
    if (head.ntext != ntext) return NULL;
    *n = (size_t)head.nimage;
    void *image = mem_alloc(mem, *n);
    char *texts = mem_alloc(mem, ntext);
    bool found = image && texts && read_full(fd, texts, ntext, sizeof head);
    if (found && same_texts(k, texts)) {
        found = read_full(fd, image, *n, (off_t)(sizeof head + ntext)) &&
                checksum(k, image, *n) == head.sum;
        *bad = !found;
    } else {
        found = false;
    }
    mem_free(mem, texts, ntext);
    if (found) return image;
    mem_free(mem, image, *n);
    return NULL;
}

void disk_read(DiskCache *c, const DiskKey *k, void **image, size_t *n) {
    char path[DISK_PATH];
    *n = 0;
    shared_find_image(c->cx, k->hash, k->text, image, n);
    if (*image || !wanted(c)) return;
    path_of(c, k, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    bool bad;
    *image = read_image(c, k, fd, n, &bad);
    if (*image) shared_keep_image(c->cx, k->hash, k->text, *image, *n);
    if (*image)
        (void)futimens(fd, NULL);
    else if (bad)
        (void)unlink(path);
    close(fd);
}

/* ---- bounding ---- */

typedef struct DiskFile {
    char name[56];
    int64_t bytes;
    time_t used;
} DiskFile;

/* Sift-down heap sort by time of use, oldest first: no recursion, no allocation. */
static void sift(DiskFile *f, size_t at, size_t n) {
    for (size_t child; (child = at * 2 + 1) < n; at = child) {
        if (child + 1 < n && f[child + 1].used > f[child].used) child++;
        if (f[at].used >= f[child].used) return;
        DiskFile t = f[at];
        f[at] = f[child], f[child] = t;
    }
}

static void sort_by_use(DiskFile *f, size_t n) {
    for (size_t i = n / 2; i-- > 0;) sift(f, i, n);
    for (size_t i = n; i-- > 1;) {
        DiskFile t = f[0];
        f[0] = f[i], f[i] = t;
        sift(f, 0, i);
    }
}

/* Files of ours in the folder; temporary ones that a killed process left are removed. */
static size_t list_files(int dir_fd, DIR *dir, DiskFile *f, int64_t *total) {
    size_t n = 0;
    time_t now = time(NULL);
    for (struct dirent *e; (e = readdir(dir)) && n < DISK_NAMES;) {
        struct stat st;
        size_t len = strlen(e->d_name);
        const char *suffix = strstr(e->d_name, DISK_SUFFIX);
        if (!suffix || len >= sizeof f->name || fstatat(dir_fd, e->d_name, &st, 0) != 0) continue;
        if (strcmp(suffix, DISK_SUFFIX) != 0) {
            if (now - st.st_mtime > DISK_STALE_SECONDS) (void)unlinkat(dir_fd, e->d_name, 0);
            continue;
        }
        memcpy(f[n].name, e->d_name, len + 1);
        f[n].bytes = st.st_size;
        f[n].used = st.st_mtime;
        *total += st.st_size;
        n++;
    }
    return n;
}

static void bound_folder(DiskCache *c) {
    Mem *mem = &c->cx->mem;
    int64_t total = 0;
    DIR *dir = opendir(c->cx->opts.cache_dir);
    if (!dir) return;
    DiskFile *f = mem_alloc(mem, DISK_NAMES * sizeof *f);
    if (f) {
        size_t n = list_files(dirfd(dir), dir, f, &total);
        /* a folder with more names than we look at is full whatever its bytes */
        if (total > DISK_BYTES || n == DISK_NAMES) {
            int64_t target = total > DISK_BYTES ? DISK_BYTES / 4 * 3 : total / 4 * 3;
            sort_by_use(f, n);
            for (size_t i = 0; i < n && total > target; i++) {
                (void)unlinkat(dirfd(dir), f[i].name, 0);
                total -= f[i].bytes;
            }
        }
    }
    mem_free(mem, f, DISK_NAMES * sizeof *f);
    closedir(dir);
}

/* ---- writing ---- */

static bool write_full(int fd, const void *data, size_t n) {
    const char *p = data;
    while (n > 0) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno != EINTR) return false;
        if (w > 0) p += w, n -= (size_t)w;
    }
    return true;
}

static bool make_folders(const char *folder) {
    char part[DISK_PATH];
    struct stat st;
    size_t n = strlen(folder);
    if (stat(folder, &st) == 0) return S_ISDIR(st.st_mode);
    for (size_t i = 1; i <= n && n < sizeof part; i++) {
        if (folder[i] != '/' && folder[i] != 0) continue;
        memcpy(part, folder, i);
        part[i] = 0;
        if (mkdir(part, 0700) != 0 && errno != EEXIST) return false;
    }
    return true;
}

static bool write_file(const char *path, const DiskHead *head, const DiskKey *k,
                       const void *image) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool ok = write_full(fd, head, sizeof *head);
    for (int i = 0; i < 3 && ok; i++) ok = write_full(fd, k->text[i], strlen(k->text[i]) + 1);
    ok = ok && write_full(fd, image, (size_t)head->nimage);
    return close(fd) == 0 && ok;
}

void disk_write(DiskCache *c, const DiskKey *k, const void *image, size_t n) {
    char path[DISK_PATH], temporary[DISK_PATH + 48];
    shared_keep_image(c->cx, k->hash, k->text, image, n);
    if (!wanted(c)) return;
    DiskHead head = {.ntext = texts_size(k), .nimage = n, .sum = checksum(k, image, n)};
    memcpy(head.magic, DISK_MAGIC, sizeof head.magic);
    path_of(c, k, path);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now); /* a killed process may have left our pid's name */
    snprintf(temporary, sizeof temporary, "%s.%ld.%u.%lx", path, (long)getpid(), c->serial++,
             (unsigned long)now.tv_nsec);
    bool ok = make_folders(c->cx->opts.cache_dir) && write_file(temporary, &head, k, image);
    if (ok) ok = rename(temporary, path) == 0;
    if (!ok) {
        int why = errno;
        (void)unlink(temporary);
        c->off = true;
        char text[96];
        notice_send(c->cx, "compiled kernels are not kept: %s cannot be written (%s)",
                    c->cx->opts.cache_dir, strerror_r(why, text, sizeof text));
        return;
    }
    if (c->writes++ % DISK_LOOK_EVERY == 0) bound_folder(c);
}
