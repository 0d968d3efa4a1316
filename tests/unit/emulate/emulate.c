/* emulate - see emulate.h. A "compiled" image is a shared object's path; loading opens it. */
#include "tests/unit/emulate/emulate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef EMULATE_ROOT
#define EMULATE_ROOT "." /* of the repository, where tests run */
#endif
#define FOLDER EMULATE_ROOT "/build/emulate"
#define HEADER \
    FOLDER "/pch/tests/unit/emulate/shim.hpp.gch" /* found in front of the header itself */
#define COMPILER "${CXX:-g++} -std=c++17 -O0 -w -fPIC -ffp-contract=off -fwrapv"

#define SHARED_MEMORY 40000 /* of a block: little, so that tests meet its end */
#define TEXT_OF(x) #x
#define NUMBER(x) TEXT_OF(x)

struct DevKernel {
    void *handle;
    void (*run)(const unsigned *grid, const unsigned *block, void **params);
};

static Status no_memory(Device *d, size_t n) { return error_memory(d->cx, n); }

static Status emu_alloc(Device *d, size_t n, void **out) {
    /* exact, so that the sanitizer sees every byte out of range */
    *out = aligned_alloc(256, (n + 255) / 256 * 256);
    if (!*out) return no_memory(d, n);
    memset(*out, 0xa5, n);
    return ARR_OK;
}
static void emu_release(Device *d, void *p, size_t n) {
    (void)d, (void)n;
    free(p);
}
static void emu_trim(Device *d) { (void)d; }
static Status emu_upload(Device *d, void *dst, const void *host, size_t n) {
    d->stats.from_host += (int64_t)n;
    if (n) memcpy(dst, host, n);
    return ARR_OK;
}
static Status emu_download(Device *d, void *host, const void *src, size_t n) {
    d->stats.to_host += (int64_t)n;
    if (n) memcpy(host, src, n);
    return ARR_OK;
}
static Status emu_copy(Device *d, void *dst, const void *src, size_t n) {
    (void)d;
    if (n) memmove(dst, src, n);
    return ARR_OK;
}
static Status emu_zero(Device *d, void *dst, size_t n) {
    (void)d;
    if (n) memset(dst, 0, n);
    return ARR_OK;
}
static Status emu_sync(Device *d) {
    (void)d;
    return ARR_OK;
}
static int emu_threads(Device *d) {
    (void)d;
    return 1;
}
static const char *emu_target(Device *d) {
    (void)d;
    return "emulated";
}
static int emu_shared_memory(Device *d) {
    (void)d;
    return SHARED_MEMORY;
}
static int emu_multiprocessors(Device *d) {
    (void)d;
    return 2;
}

/* The PTX conversions have one-line twins in the shim. */
static void add_replaced(FILE *f, const char *text) {
    static const struct {
        const char *ptx, *host;
    } pairs[] = {
        {"asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(h));", "f = shim_f16_value(h);"},
        {"asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));", "r = 1.0f / a;"},
        {"asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(above));",
         "r = 1.0f / sqrtf(above);"},
        {"extern __shared__ Pack<16, xu8> shared_values[];",
         "static Pack<16, xu8> shared_values[" NUMBER(SHARED_MEMORY) " / 16];"},
        {"asm(\"ld.global.lu.v4.u32 {%0, %1, %2, %3}, [%4];\"\n"
         "            : \"=r\"(q.word[0]), \"=r\"(q.word[1]), \"=r\"(q.word[2]), "
         "\"=r\"(q.word[3])\n"
         "            : \"l\"(p));",
         "memcpy(q.word, p, 16);"},
        {"asm volatile(\"st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};\" ::\"l\"(p), "
         "\"r\"(q.word[0]),\n"
         "                     \"r\"(q.word[1]), \"r\"(q.word[2]), \"r\"(q.word[3])\n"
         "                     : \"memory\");",
         "memcpy(p, q.word, 16);"},
        {"asm(\"neg.s32 %0, %0;\" : \"+r\"(a));", "a = 0 - a;"},
        {"asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(f));", "h = shim_f16_bits(f);"},
    };
    while (*text) {
        size_t i = 0, n = sizeof pairs / sizeof *pairs;
        while (i < n && strncmp(text, pairs[i].ptx, strlen(pairs[i].ptx)) != 0) i++;
        if (i == n) {
            fputc(*text++, f);
            continue;
        }
        fputs(pairs[i].host, f);
        text += strlen(pairs[i].ptx);
    }
}

static uint64_t hash_text(const char *s) {
    uint64_t h = 1469598103934665603u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static Status emu_compile(Device *d, const char *text, const char *name, void **image, size_t *n) {
    char base[128], command[1024];
    struct stat st, shim;
    uint64_t h = hash_text(text);
    snprintf(base, sizeof base, FOLDER "/%s_%016llx", name, (unsigned long long)h);
    snprintf(command, sizeof command, "%s.so", base);
    *n = strlen(command) + 1;
    *image = mem_alloc(&d->cx->mem, *n);
    if (!*image) return no_memory(d, *n);
    memcpy(*image, command, *n);
    d->stats.compiles++;
    if (stat(command, &st) == 0 && stat(EMULATE_ROOT "/tests/unit/emulate/shim.hpp", &shim) == 0 &&
        st.st_mtime > shim.st_mtime)
        return ARR_OK;
    (void)mkdir(EMULATE_ROOT "/build", 0777);
    (void)mkdir(FOLDER, 0777);
    snprintf(command, sizeof command, "%s.cu", base);
    FILE *f = fopen(command, "w"); /* as it is, for the real compiler */
    if (f) fputs(text, f), fclose(f);
    snprintf(command, sizeof command, "%s.cpp", base);
    f = fopen(command, "w");
    if (f) {
        fputs("#include \"tests/unit/emulate/shim.hpp\"\n", f);
        add_replaced(f, text);
        fprintf(
            f,
            "\nextern \"C\" void shim_run(const unsigned *grid, const unsigned *block, void **p) "
            "{ shim::launch(%s, grid, block, p); }\n",
            name);
        fclose(f);
    }
    snprintf(command, sizeof command,
             COMPILER " -shared -I" FOLDER "/pch -I" EMULATE_ROOT
                      " -o %s.so.tmp %s.cpp && mv %s.so.tmp %s.so",
             base, base, base, base);
    if (f && system(command) == 0) return ARR_OK;
    mem_free(&d->cx->mem, *image, *n);
    *image = NULL;
    return error_set(d->cx, ARR_ERR_INTERNAL, d->cx->span, "%s.cpp does not compile", base);
}

static Status emu_load(Device *d, const void *image, size_t n, const char *name, DevKernel **out) {
    char path[512];
    (void)n, (void)name;
    snprintf(path, sizeof path, "%s", (const char *)image);
    DevKernel *k = malloc(sizeof *k);
    k->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *run = k->handle ? dlsym(k->handle, "shim_run") : NULL;
    if (!run) {
        free(k);
        return error_set(d->cx, ARR_ERR_INTERNAL, d->cx->span, "%s", dlerror());
    }
    memcpy(&k->run, &run, sizeof run);
    *out = k;
    return ARR_OK;
}

static void emu_unload(Device *d, DevKernel *k) {
    (void)d;
    if (k) dlclose(k->handle);
    free(k);
}

static Status emu_launch(Device *d, DevKernel *k, const DevLaunch *l) {
    d->stats.launches++;
    if (!l->grid[0] || l->grid[1] != 1 || l->grid[2] != 1 || l->block[1] != 1 || l->block[2] != 1)
        return error_set(d->cx, ARR_ERR_INTERNAL, d->cx->span, "a launch beyond the emulation");
    if (l->shared > SHARED_MEMORY)
        return error_set(d->cx, ARR_ERR_INTERNAL, d->cx->span, "too much shared memory");
    k->run(l->grid, l->block, l->params);
    return ARR_OK;
}

/* Products as the library would make them, by the definition. */
static Status emu_matmul(Device *d, const DevMatmul *m) {
    size_t size = dtype_size(m->dtype);
    for (int64_t z = 0; z < m->batch; z++)
        for (int64_t i = 0; i < m->m; i++)
            for (int64_t j = 0; j < m->n; j++) {
                Complex128 sum = {0, 0};
                for (int64_t k = 0; k < m->k; k++) {
                    int64_t at = z * m->a_batch + i * m->a_row + k * m->a_col;
                    int64_t bt = z * m->b_batch + k * m->b_row + j * m->b_col;
                    Scalar p = scalar_load(m->dtype, (const char *)m->a + (size_t)at * size);
                    Scalar q = scalar_load(m->dtype, (const char *)m->b + (size_t)bt * size);
                    Complex128 x = {p.f, 0}, y = {q.f, 0};
                    if (p.kind == SC_COMPLEX) x = p.c, y = q.c;
                    sum.re += x.re * y.re - x.im * y.im;
                    sum.im += x.re * y.im + x.im * y.re;
                }
                Scalar r = {.kind = SC_FLOAT, .f = sum.re};
                if (dtype_is_complex(m->dtype)) r = (Scalar){.kind = SC_COMPLEX, .c = sum};
                int64_t ct = z * m->c_batch + i * m->c_row + j;
                if (m->widened)
                    ((float *)m->c)[ct] = (float)sum.re + (m->added ? ((float *)m->c)[ct] : 0);
                else
                    scalar_store(&r, m->dtype, (char *)m->c + (size_t)ct * size);
            }
    d->stats.launches++;
    return ARR_OK;
}

/* Values alone, as the library sorts them: zeros alike, nans where their sign bits say. Pairs are
 * left to the kernels. */
typedef struct SortItem {
    uint64_t order;
    int64_t at;
} SortItem;

static int by_order(const void *a, const void *b) {
    const SortItem *x = a, *y = b;
    int c = (x->order > y->order) - (x->order < y->order);
    return c ? c : (x->at > y->at) - (x->at < y->at);
}

static Status emu_sort(Device *d, DevSort *s, bool *done) {
    size_t size = (size_t)s->size;
    uint64_t sign = (uint64_t)1 << (8 * size - 1), all = sign | (sign - 1);
    *done = !s->values;
    if (s->values) return ARR_OK;
    SortItem *item = malloc((size_t)s->n * sizeof *item + 1);
    if (!item) return no_memory(d, (size_t)s->n * sizeof *item);
    for (int64_t i = 0; i < s->n; i++) {
        uint64_t x = 0;
        memcpy(&x, (char *)s->key[0] + (size_t)i * size, size);
        if (s->kind == 'f') x = x == sign ? sign : x & sign ? ~x & all : x | sign;
        if (s->kind == 'i') x ^= sign;
        item[i] = (SortItem){s->descending ? ~x & all : x, i};
    }
    qsort(item, (size_t)s->n, sizeof *item, by_order);
    for (int64_t i = 0; i < s->n; i++)
        memcpy((char *)s->key[1] + (size_t)i * size, (char *)s->key[0] + (size_t)item[i].at * size,
               size);
    free(item);
    d->stats.launches++;
    return ARR_OK;
}

static void emu_close(Device *d) { free(d); }

static const DeviceOps emu_ops = {
    .kind = "cuda",
    .close = emu_close,
    .alloc = emu_alloc,
    .release = emu_release,
    .trim = emu_trim,
    .upload = emu_upload,
    .download = emu_download,
    .copy = emu_copy,
    .zero = emu_zero,
    .sync = emu_sync,
    .threads = emu_threads,
    .compile = emu_compile,
    .load = emu_load,
    .unload = emu_unload,
    .launch = emu_launch,
    .target = emu_target,
    .multiprocessors = emu_multiprocessors,
    .shared_memory = emu_shared_memory,
    .matmul = emu_matmul,
    .sort = emu_sort,
};

Status emulated_open(Cx *cx, Device **out) {
    *out = NULL;
    struct stat header, shim;
    bool fresh = stat(HEADER, &header) == 0 &&
                 stat(EMULATE_ROOT "/tests/unit/emulate/shim.hpp", &shim) == 0 &&
                 header.st_mtime > shim.st_mtime;
    if (!fresh &&
        system("mkdir -p " FOLDER "/pch/tests/unit/emulate && " COMPILER " -x c++-header -o " HEADER
               " " EMULATE_ROOT "/tests/unit/emulate/shim.hpp") != 0)
        return error_set(cx, ARR_ERR_DEVICE, cx->span, "no C++ compiler");
    Device *d = calloc(1, sizeof *d);
    if (!d) return error_memory(cx, sizeof *d);
    d->ops = &emu_ops;
    d->cx = cx;
    snprintf(d->name, sizeof d->name, "cuda:0");
    snprintf(d->model, sizeof d->model, "emulated");
    *out = d;
    return ARR_OK;
}
