/* cuda_sort - sorting through libarr_cub.so (sort_cub.cu), which is opened at the first sort.
 *
 * Callers: device ops. Looked for in the switch lib_path's folder, else beside the library or the
 * program, in lib there or beside it, and on the loader's path; without it, or where it has nothing
 * for this GPU, *done is false and the caller has kernels of its own. A sort cannot be cut: an
 * interrupt waits for its end (some 5 ms for 2^28 elements). Invariant: all work goes to the
 * device's stream; temporary memory is the pool's. */
#ifndef ARR_NO_CUDA
#include "runtime/device/cuda.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder of the file that this function was loaded from. */
static bool own_folder(char path[PATH_MAX]) {
    Dl_info info;
    void *here;
    bool (*self)(char *) = own_folder;
    memcpy(&here, &self, sizeof here);
    if (!dladdr(here, &info) || !info.dli_fname || !realpath(info.dli_fname, path)) return false;
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
    return slash != NULL;
}

/* "" where none of the places has it: the loader may know one. */
static void find_folder(char folder[CUDA_LIB_PATH]) {
    static const char *const subs[] = {"", "/lib", "/..", "/../lib"};
    char own[PATH_MAX], path[PATH_MAX + 64];
    folder[0] = '\0';
    if (!own_folder(own)) return;
    for (size_t i = 0; i < sizeof subs / sizeof *subs; i++) {
        int n = snprintf(path, sizeof path, "%s%s", own, subs[i]);
        if (n < 0 || n >= CUDA_LIB_PATH) continue;
        memcpy(folder, path, (size_t)n + 1);
        snprintf(path + n, sizeof path - (size_t)n, "/%s", cuda_lib_soname(CLIB_cub));
        if (access(path, R_OK) == 0) return;
    }
    folder[0] = '\0';
}

static bool sort_ready(Cuda *c) {
    char folder[CUDA_LIB_PATH], why[400];
    if (c->no_cub || c->lib.handle[CLIB_cub]) return !c->no_cub;
    const char *chosen = c->dev.cx->opts.lib_path;
    if (!chosen[0]) find_folder(folder);
    c->no_cub = !cuda_lib_open(&c->lib, chosen[0] ? chosen : folder, CLIB_cub, why, sizeof why);
    return !c->no_cub;
}

static int call(Cuda *c, DevSort *s, void *temp, size_t *bytes) {
    if (s->values)
        return c->lib.arr_cub_sort_pairs(s->size, s->value_size, temp, bytes, s->key, s->value,
                                         s->n, s->bits, &s->where, c->stream);
    return c->lib.arr_cub_sort_keys(s->kind, s->size, temp, bytes, s->key[0], s->key[1], s->n,
                                    s->descending, c->stream);
}

static Status run(Cuda *c, DevSort *s, bool *done) {
    size_t bytes = 0;
    void *temp;
    int e = call(c, s, NULL, &bytes);
    if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorUnsupportedPtxVersion) {
        (void)cudaGetLastError();
        c->no_cub = true;
        return ARR_OK;
    }
    TRY(cuda_check(c, (cudaError_t)e, "sorting"));
    if (bytes == 0) bytes = 1;
    TRY(pool_take(c->pool, bytes, &temp));
    e = call(c, s, temp, &bytes);
    pool_give(c->pool, temp, bytes);
    *done = e == cudaSuccess;
    return cuda_check(c, (cudaError_t)e, "sorting");
}

Status cuda_sort(Device *d, DevSort *s, bool *done) {
    Cuda *c = (Cuda *)d;
    int was;
    *done = false;
    TRY(cuda_enter(c, &was));
    Status st = sort_ready(c) ? cuda_before_launch(c) : ARR_OK;
    if (st == ARR_OK && !c->no_cub) st = run(c, s, done);
    if (st == ARR_OK && *done) st = cuda_after_launch(c);
    cuda_leave(c, was);
    return st;
}
#else
typedef int cuda_sort_not_built;
#endif
