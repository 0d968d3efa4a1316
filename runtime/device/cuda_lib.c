/* cuda_lib - finding and binding the toolkit's libraries; see cuda_lib.h for the order.
 *
 * Callers: cuda.c (cuBLAS, cuRAND), cuda_rtc.c and the compile helper (NVRTC).
 * Invariant: a library counts as open only when every function of cuda_lib.def was bound. */
#ifndef ARR_NO_CUDA
#include "runtime/device/cuda_lib.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The toolkit that the build used; the Makefile says where. */
#ifndef ARR_CUDA_PATH
#define ARR_CUDA_PATH "/usr/local/cuda"
#endif

static const char *const sonames[CLIB_COUNT] = {
#define LIBRARY(id, soname) [CLIB_##id] = soname,
#define FN(id, result, symbol, arguments)
#include "runtime/device/cuda_lib.def"
#undef LIBRARY
#undef FN
};

const char *cuda_lib_soname(CudaLibId id) { return sonames[id]; }

static bool in_folder(const char *folder, const char *sub, const char *soname,
                      char path[CUDA_LIB_PATH]) {
    int n = snprintf(path, CUDA_LIB_PATH, "%s%s/%s", folder, sub, soname);
    return n > 0 && n < CUDA_LIB_PATH && access(path, R_OK) == 0;
}

/* A toolkit keeps its libraries in lib64 (or targets/), pip's folders in lib. */
static bool in_toolkit(const char *root, const char *soname, char path[CUDA_LIB_PATH]) {
    static const char *const subs[] = {"/lib64", "/lib", "/targets/x86_64-linux/lib",
                                       "/targets/sbsa-linux/lib", ""};
    if (!root[0]) return false;
    for (size_t i = 0; i < sizeof subs / sizeof *subs; i++)
        if (in_folder(root, subs[i], soname, path)) return true;
    return false;
}

static bool in_pattern(const char *pattern, const char *soname, char path[CUDA_LIB_PATH]) {
    glob_t g;
    bool found = false;
    if (glob(pattern, 0, NULL, &g) != 0) return false;
    for (size_t i = 0; i < g.gl_pathc && !found; i++)
        found = in_folder(g.gl_pathv[i], "", soname, path);
    globfree(&g);
    return found;
}

bool cuda_lib_find(const char *cuda_path, CudaLibId id, char path[CUDA_LIB_PATH]) {
    static const char *const folders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                          "/usr/lib64", "/usr/local/lib"};
    static const char *const patterns[] = {
        "/usr/local/cuda-13*/lib64",
        "/usr/local/lib/python3*/*-packages/nvidia/*/lib",
        "/usr/lib/python3*/*-packages/nvidia/*/lib",
        "/opt/*/lib/python3*/site-packages/nvidia/*/lib",
        "/opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib",
    };
    const char *soname = sonames[id];
    if (cuda_path && in_toolkit(cuda_path, soname, path)) return true;
    if (in_toolkit(ARR_CUDA_PATH, soname, path)) return true;
    if (in_toolkit("/usr/local/cuda", soname, path)) return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (in_folder(folders[i], "", soname, path)) return true;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (in_pattern(patterns[i], soname, path)) return true;
    return false;
}

/* POSIX gives functions as data pointers: copied, not cast, to please ISO C. */
static bool bind(void *handle, const char *symbol, void *slot) {
    void *p = dlsym(handle, symbol);
    memcpy(slot, &p, sizeof p);
    return p != NULL;
}

static const char *bind_all(CudaLib *l, CudaLibId id, void *handle) {
#define LIBRARY(lib, soname)
#define FN(lib, result, symbol, arguments) \
    if (id == CLIB_##lib && !bind(handle, #symbol, &l->symbol)) return #symbol;
#include "runtime/device/cuda_lib.def"
#undef LIBRARY
#undef FN
    return NULL;
}

bool cuda_lib_open(CudaLib *l, const char *cuda_path, CudaLibId id, char *why, size_t n) {
    if (l->handle[id]) return true;
    char path[CUDA_LIB_PATH];
    if (!cuda_lib_find(cuda_path, id, path)) snprintf(path, sizeof path, "%s", sonames[id]);
    void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!h) {
        const char *e = dlerror();
        snprintf(why, n, "%s", e ? e : "the loader gives no reason");
        return false;
    }
    const char *missing = bind_all(l, id, h);
    if (missing) {
        snprintf(why, n, "%s has no function %s: CUDA 13.0 or newer is needed", path, missing);
        dlclose(h);
        return false;
    }
    l->handle[id] = h;
    return true;
}

void cuda_lib_close(CudaLib *l) {
    for (int i = 0; i < CLIB_COUNT; i++)
        if (l->handle[i]) dlclose(l->handle[i]);
    memset(l, 0, sizeof *l);
}
#else
typedef int cuda_lib_not_built; /* ISO C wants something in every file */
#endif
