/* Unit tests of the kernels' disk cache: entries are compared by their texts, damage is found, and
 * any number of processes may write and be killed at any moment (T88). Needs no GPU: an image is
 * any bytes. Run from anywhere; works in a folder of its own below $TMPDIR or /tmp. */
#include "kernels/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int passed, failed, notices;
static Cx cx;
static DiskCache disk;
static const char target[] = "sm_90 13.0", name[] = "map_1", text[] = "__global__ void map_1() {}";

static void check(bool ok, const char *what, int line) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("tests/unit/cache.c:%d: %s\n", line, what);
    }
}
#define CHECK(e) check(e, #e, __LINE__)

static void count_notice(void *user, const char *why) {
    (void)user, (void)why;
    notices++;
}

/* The path of the only entry. */
static void entry(char path[1024]) {
    DIR *d = opendir(cx.opts.cache_dir);
    path[0] = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n > 7 && strcmp(e->d_name + n - 7, ".kernel") == 0)
            snprintf(path, 1024, "%s/%s", cx.opts.cache_dir, e->d_name);
    }
    if (d) closedir(d);
}

static void empty_folder(void) {
    DIR *d = opendir(cx.opts.cache_dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
}

/* 1: the image of `size` bytes that `fill` wrote; 0: none; -1: something else. */
static int look(const DiskKey *k, size_t size) {
    void *image;
    size_t n;
    disk_read(&disk, k, &image, &n);
    if (!image) return 0;
    const unsigned char *p = image;
    int r = n == size ? 1 : -1;
    for (size_t i = 0; i < n && r == 1; i++)
        if (p[i] != (unsigned char)(i * 7 + size)) r = -1;
    mem_free(&cx.mem, image, n);
    return r;
}

static unsigned char *fill(size_t size) {
    unsigned char *p = malloc(size);
    for (size_t i = 0; p && i < size; i++) p[i] = (unsigned char)(i * 7 + size);
    return p;
}

static void put(const DiskKey *k, size_t size) {
    unsigned char *p = fill(size);
    disk_write(&disk, k, p, size);
    free(p);
}

static void test_texts(void) {
    DiskKey k = disk_key(target, name, text);
    CHECK(look(&k, 100) == 0);
    put(&k, 100);
    CHECK(look(&k, 100) == 1);
    const char *other[3][3] = {{"sm_80 13.0", name, text},
                               {target, "map_2", text},
                               {target, name, "__global__ void map_1() {;"}};
    for (int i = 0; i < 3; i++) {
        DiskKey o = disk_key(other[i][0], other[i][1], other[i][2]);
        CHECK(o.hash[0] != k.hash[0] || o.hash[1] != k.hash[1]);
        memcpy(o.hash, k.hash, sizeof o.hash); /* two kernels of one hash */
        CHECK(look(&o, 100) == 0);
        CHECK(look(&k, 100) == 1);
    }
    empty_folder();
}

static void test_damage(void) {
    DiskKey k = disk_key(target, name, text);
    char path[1024];
    for (int at = 0; at < 260; at += 3) {
        put(&k, 100);
        entry(path);
        int fd = open(path, O_RDWR);
        struct stat st;
        char c;
        CHECK(fd >= 0 && fstat(fd, &st) == 0);
        if (at >= st.st_size) {
            close(fd);
            break;
        }
        CHECK(pread(fd, &c, 1, at) == 1);
        c ^= 4;
        CHECK(pwrite(fd, &c, 1, at) == 1);
        close(fd);
        CHECK(look(&k, 100) == 0);
        put(&k, 100);
        CHECK(truncate(path, at) == 0);
        CHECK(look(&k, 100) == 0);
        entry(path);
        CHECK(path[0] == 0); /* what is no entry is gone */
    }
    empty_folder();
}

/* 32 processes write and read one entry; whoever reads, reads it whole. */
static void test_many(void) {
    enum { MANY = 32, TURNS = 20, SIZE = 200000 };
    DiskKey k = disk_key(target, name, text);
    pid_t pid[MANY];
    for (int i = 0; i < MANY; i++) {
        pid[i] = fork();
        if (pid[i] != 0) continue;
        int wrong = 0;
        for (int t = 0; t < TURNS; t++) {
            wrong |= look(&k, SIZE) < 0;
            put(&k, SIZE);
            wrong |= look(&k, SIZE) != 1;
        }
        _exit(wrong || notices);
    }
    for (int i = 0; i < MANY; i++) {
        int status = 1;
        CHECK(pid[i] > 0 && waitpid(pid[i], &status, 0) == pid[i] && status == 0);
    }
    CHECK(look(&k, SIZE) == 1);
    empty_folder();
}

/* Killed in the middle of a write: the old entry, the new one or none. */
static void test_killed(void) {
    enum { TURNS = 40, SIZE = 4 << 20 };
    DiskKey k = disk_key(target, name, text);
    for (int t = 0; t < TURNS; t++) {
        if (t % 8 == 0) empty_folder();
        pid_t pid = fork();
        if (pid == 0) {
            for (;;) put(&k, SIZE);
        }
        struct timespec wait = {0, 500000L * (t % 10 + 1)};
        nanosleep(&wait, NULL);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        CHECK(look(&k, SIZE) >= 0);
    }
    put(&k, SIZE);
    CHECK(look(&k, SIZE) == 1);
    empty_folder();
}

/* A folder that cannot be written: one notice, and no more tries. */
static void test_unwritable(void) {
    DiskKey k = disk_key(target, name, text);
    DiskCache other = {.cx = &cx};
    char before[sizeof cx.opts.cache_dir];
    memcpy(before, cx.opts.cache_dir, sizeof before);
    strcpy(cx.opts.cache_dir, "/proc/none/kernels");
    disk_write(&other, &k, "abc", 3);
    disk_write(&other, &k, "abc", 3);
    CHECK(notices == 1 && other.off);
    memcpy(cx.opts.cache_dir, before, sizeof before);
}

int main(void) {
    const char *tmp = getenv("TMPDIR");
    mem_init(&cx.mem, NULL, NULL);
    opts_init(&cx.opts);
    cx.notice = count_notice;
    snprintf(cx.opts.cache_dir, sizeof cx.opts.cache_dir, "%s/arr_cache_%ld",
             tmp && strlen(tmp) < 200 ? tmp : "/tmp", (long)getpid());
    disk.cx = &cx;
    test_texts();
    test_damage();
    test_many();
    test_killed();
    test_unwritable();
    empty_folder();
    rmdir(cx.opts.cache_dir);
    CHECK(atomic_load(&cx.mem.live) == 0);
    printf("unit/cache: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
