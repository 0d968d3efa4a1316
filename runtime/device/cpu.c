/* cpu - the CPU as a device: pooled host memory, copies, and parts of work on threads.
 *
 * Callers: runtime/ and kernels/ through DeviceOps. All work is done on return. Blocks of 4 MiB and
 * more are aligned to huge pages and advised so: first touches of fresh memory cost more than the
 * arithmetic on it. Invariant: a request that the machine plainly cannot serve is refused here,
 * since an overcommitting system would grant it and kill the host later. */
#include "runtime/device/cpu.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    ALIGN = 256,         /* device.h's promise */
    HUGE_PAGE = 2 << 20, /* x86-64 and aarch64 alike */
    HUGE_FROM = 4 << 20,
    ASK_SYSTEM_FROM = 64 << 20, /* smaller requests are not worth reading /proc for */
    COPY_PART = 1 << 20         /* of copies shared between threads */
};

static CpuDevice *cpu(Device *d) { return d->impl; }

/* ---- memory ---- */

static size_t read_text(const char *path, char *out, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);
    if (fd >= 0) close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

static int64_t parse_digits(const char *s) {
    int64_t v = 0;
    while (*s == ' ' || *s == '\t') s++;
    if (*s < '0' || *s > '9') return -1;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *s - '0', &v)) return -1;
    return v;
}

static int64_t meminfo(const char *text, const char *key) {
    const char *p = strstr(text, key);
    int64_t kib = p ? parse_digits(p + strlen(key)) : -1;
    return kib < 0 ? -1 : kib * 1024;
}

/* What the system could still give: its own estimate, and a container's limit. */
static int64_t available(void *user) {
    char text[4096];
    (void)user;
    read_text("/proc/meminfo", text, sizeof text);
    int64_t free = meminfo(text, "MemAvailable:");
    if (read_text("/sys/fs/cgroup/memory.max", text, sizeof text)) {
        int64_t limit = parse_digits(text), used = 0;
        if (read_text("/sys/fs/cgroup/memory.current", text, sizeof text))
            used = parse_digits(text);
        if (limit >= 0 && used >= 0 && (free < 0 || limit - used < free)) free = limit - used;
    }
    return free;
}

static size_t raw_align(size_t bytes) { return bytes >= HUGE_FROM ? HUGE_PAGE : ALIGN; }

/* | padding | pointer as mem_alloc gave it | block, aligned ... | */
static size_t raw_size(size_t bytes) { return bytes + raw_align(bytes) + sizeof(void *); }

static char *base_of(void *p) {
    char *base;
    memcpy(&base, (char *)p - sizeof base, sizeof base);
    return base;
}

/* States that share a reserve have its allocator. */
static void free_kept(Mem *mem, void *p, size_t bytes) {
    mem_free(mem, base_of(p), raw_size(bytes));
}

static void *raw_alloc(void *user, size_t bytes) {
    CpuDevice *c = user;
    void *kept = shared_take(c->dev.cx, "cpu", bytes, raw_size(bytes));
    if (kept) return kept;
    if (bytes >= ASK_SYSTEM_FROM) {
        int64_t left = available(NULL);
        if (left >= 0 && bytes > (size_t)left) return NULL;
    }
    char *base = mem_alloc(&c->dev.cx->mem, raw_size(bytes));
    if (!base) shared_drop(c->dev.cx, "cpu"); /* the pool asks again */
    if (!base) return NULL;
    uintptr_t align = raw_align(bytes), at = (uintptr_t)base + sizeof base;
    char *p = base + ((at + align - 1) / align * align - (uintptr_t)base);
    memcpy(p - sizeof base, &base, sizeof base);
    if (bytes >= HUGE_FROM) madvise(p, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return p;
}

static void raw_free(void *user, void *p, size_t bytes) {
    CpuDevice *c = user;
    if (!shared_give(c->dev.cx, "cpu", p, bytes, raw_size(bytes), free_kept))
        mem_free(&c->dev.cx->mem, base_of(p), raw_size(bytes));
}

static Status cpu_alloc(Device *d, size_t bytes, void **out) {
    return pool_take(cpu(d)->pool, bytes ? bytes : 1, out);
}

static void cpu_release(Device *d, void *p, size_t bytes) {
    pool_give(cpu(d)->pool, p, bytes ? bytes : 1);
    /* The host has other uses for its memory: a quarter of it may lie idle here. */
    if (d->memory > 0 && d->stats.bytes_cached > d->memory / 4)
        pool_trim(cpu(d)->pool, (size_t)d->memory / 8);
}

static void cpu_trim(Device *d) { pool_trim(cpu(d)->pool, 0); }

/* ---- copies ---- */

typedef struct Copy {
    char *dst;
    const char *src; /* NULL: zero */
    size_t n;
} Copy;

static int copy_part(void *ctx, int64_t part, int thread) {
    const Copy *c = ctx;
    size_t at = (size_t)part * COPY_PART, n = c->n - at < COPY_PART ? c->n - at : COPY_PART;
    (void)thread;
    if (c->src)
        memcpy(c->dst + at, c->src + at, n);
    else
        memset(c->dst + at, 0, n);
    return 0;
}

static Status cpu_parallel(Device *d, DevPart fn, void *ctx, int64_t nparts, int *rc) {
    _Atomic int never = 0;
    _Atomic int *interrupt = d->cx->hold ? &never : &d->cx->interrupt;
    int said = 0;
    bool whole = threads_run(cpu(d)->threads, d->cx, fn, ctx, nparts, interrupt, &said);
    if (rc) *rc = said;
    return whole && !(said && device_stopped(d)) ? ARR_OK : error_interrupted(d->cx);
}

static Status cpu_copy(Device *d, void *dst, const void *src, size_t n) {
    Copy c = {dst, src, n};
    if (n == 0) return ARR_OK;
    return cpu_parallel(d, copy_part, &c, (int64_t)((n + COPY_PART - 1) / COPY_PART), NULL);
}

static Status cpu_upload(Device *d, void *dst, const void *host, size_t n) {
    d->stats.from_host += (int64_t)n;
    return cpu_copy(d, dst, host, n);
}

static Status cpu_download(Device *d, void *host, const void *src, size_t n) {
    d->stats.to_host += (int64_t)n;
    return cpu_copy(d, host, src, n);
}

static Status cpu_zero(Device *d, void *dst, size_t n) { return cpu_copy(d, dst, NULL, n); }

static Status cpu_sync(Device *d) {
    (void)d; /* everything is done on return */
    return ARR_OK;
}

static int cpu_threads(Device *d) { return threads_count(cpu(d)->threads); }

static const char *cpu_target(Device *d) {
    (void)d;
    return "cpu";
}

static int cpu_shared_memory(Device *d) {
    (void)d;
    return 0;
}

static int cpu_multiprocessors(Device *d) { return cpu_threads(d); }

/* ---- opening and closing ---- */

static void cpu_close(Device *d) {
    CpuDevice *c = cpu(d);
    Cx *cx = d->cx;
    cpu_blas_close(c);
    if (!cx->shared) threads_free(c->threads);
    pool_free(c->pool);
    mem_free(&cx->mem, c, sizeof *c);
}

static const DeviceOps cpu_ops = {
    .kind = "cpu",
    .close = cpu_close,
    .alloc = cpu_alloc,
    .release = cpu_release,
    .trim = cpu_trim,
    .upload = cpu_upload,
    .download = cpu_download,
    .copy = cpu_copy,
    .zero = cpu_zero,
    .sync = cpu_sync,
    .parallel = cpu_parallel,
    .threads = cpu_threads,
    .target = cpu_target,
    .multiprocessors = cpu_multiprocessors,
    .shared_memory = cpu_shared_memory,
    .matmul = cpu_matmul,
};

/* The processors this process may run on. */
static int processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

static void read_model(char out[96]) {
    char text[4096];
    read_text("/proc/cpuinfo", text, sizeof text);
    const char *p = strstr(text, "model name");
    p = p ? strstr(p, ": ") : NULL;
    snprintf(out, 96, "%.*s", p ? (int)strcspn(p + 2, "\n") : 3, p ? p + 2 : "CPU");
}

Status device_open_cpu(Cx *cx, Device **out) {
    *out = NULL;
    CpuDevice *c = mem_zalloc(&cx->mem, sizeof *c);
    if (!c) return error_memory(cx, sizeof *c);
    char text[4096];
    c->dev.ops = &cpu_ops;
    c->dev.cx = cx;
    c->dev.impl = c;
    strcpy(c->dev.name, "cpu");
    read_model(c->dev.model);
    read_text("/proc/meminfo", text, sizeof text);
    c->dev.memory = meminfo(text, "MemTotal:");
    if (c->dev.memory < 0) c->dev.memory = 0;
    PoolRaw raw = {raw_alloc, raw_free, available, c, false, NULL};
    Status s = pool_new(cx, raw, &c->dev.stats, &c->pool);
    if (s == ARR_OK)
        s = cx->shared ? shared_threads(cx, processors(), &c->threads)
                       : threads_new(cx, cx->opts.threads > 0 ? cx->opts.threads : processors(),
                                     &c->threads);
    if (s != ARR_OK) {
        cpu_close(&c->dev);
        return s;
    }
    *out = &c->dev;
    return ARR_OK;
}
