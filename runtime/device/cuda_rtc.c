/* cuda_rtc - kernels: text to image through NVRTC, image to loaded kernel, launches.
 *
 * Callers: kernels/ through device ops; rtc_helper.c (rtc_compile_here). Contraction is off and
 * division, square root and subnormals are exact, which costs nothing measurable and keeps results
 * the same on every backend. A GPU newer than NVRTC knows gets PTX of the newest architecture,
 * which the driver finishes. Invariant: target() changes whenever the compiler's output might. */
#ifndef ARR_NO_CUDA
#include "runtime/device/cuda.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Part of the target's text too, so that a change of flags changes every key. */
static const char *const flags[] = {"--std=c++17",       "--fmad=false",     "--ftz=false",
                                    "--prec-div=true",   "--prec-sqrt=true", "-default-device",
                                    "--disable-warnings"};
enum { NFLAGS = sizeof flags / sizeof *flags, RTC_MAX_ARCHS = 64 };

struct DevKernel {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned shared; /* dynamic shared memory that it may be launched with */
};

/* ---- compiling ---- */

/* The newest architecture that NVRTC knows, and whether sm is one of them. */
static int newest_arch(const CudaLib *l, int sm, bool *known) {
    int n = 0, arch[RTC_MAX_ARCHS], newest = 75;
    *known = false;
    if (l->nvrtcGetNumSupportedArchs(&n) != NVRTC_SUCCESS || n <= 0 || n > RTC_MAX_ARCHS ||
        l->nvrtcGetSupportedArchs(arch) != NVRTC_SUCCESS) {
        *known = true; /* let the compiler judge */
        return sm;
    }
    for (int i = 0; i < n; i++) {
        if (arch[i] == sm) *known = true;
        if (arch[i] > newest && arch[i] <= sm) newest = arch[i];
    }
    return newest;
}

static void take_log(const CudaLib *l, nvrtcProgram p, Mem *mem, RtcResult *out) {
    size_t n = 0;
    if (l->nvrtcGetProgramLogSize(p, &n) != NVRTC_SUCCESS || n == 0) return;
    char *all = mem_alloc(mem, n);
    if (!all) return;
    if (l->nvrtcGetProgramLog(p, all) == NVRTC_SUCCESS)
        snprintf(out->log, sizeof out->log, "%s", all);
    mem_free(mem, all, n);
}

static void take_image(const CudaLib *l, nvrtcProgram p, bool ptx, Mem *mem, RtcResult *out) {
    size_t n = 0;
    nvrtcResult r = ptx ? l->nvrtcGetPTXSize(p, &n) : l->nvrtcGetCUBINSize(p, &n);
    out->outcome = RTC_FAILED;
    if (r != NVRTC_SUCCESS || n == 0) return;
    void *image = mem_alloc(mem, n);
    if (!image) return;
    r = ptx ? l->nvrtcGetPTX(p, image) : l->nvrtcGetCUBIN(p, image);
    if (r != NVRTC_SUCCESS) {
        mem_free(mem, image, n);
        return;
    }
    out->image = image;
    out->nimage = n;
    out->outcome = RTC_DONE;
}

void rtc_compile_here(Mem *mem, const RtcJob *job, RtcResult *out) {
    CudaLib lib;
    memset(&lib, 0, sizeof lib);
    memset(out, 0, sizeof *out);
    out->outcome = RTC_FAILED;
    /* Opened by every call and never closed: the loader counts, and NVRTC does not like to go. */
    if (!cuda_lib_open(&lib, job->cuda_path, CLIB_nvrtc, out->log, sizeof out->log)) {
        out->outcome = RTC_NO_LIBRARY;
        return;
    }
    bool known;
    int arch = newest_arch(&lib, job->sm, &known);
    char target[48];
    snprintf(target, sizeof target, "--gpu-architecture=%s_%d", known ? "sm" : "compute",
             known ? job->sm : arch);
    const char *option[NFLAGS + 1] = {target};
    for (int i = 0; i < NFLAGS; i++) option[i + 1] = flags[i];
    nvrtcProgram p = NULL;
    nvrtcResult r = lib.nvrtcCreateProgram(&p, job->text, job->name, 0, NULL, NULL);
    if (r == NVRTC_SUCCESS) r = lib.nvrtcCompileProgram(p, NFLAGS + 1, option);
    if (r == NVRTC_SUCCESS) {
        take_image(&lib, p, !known, mem, out);
    } else {
        out->outcome = RTC_REJECTED;
        snprintf(out->log, sizeof out->log, "%s", lib.nvrtcGetErrorString(r));
        if (p) take_log(&lib, p, mem, out);
    }
    if (p) (void)lib.nvrtcDestroyProgram(&p);
}

Status cuda_compile(Device *d, const char *text, const char *name, void **image, size_t *n) {
    Cuda *c = (Cuda *)d;
    Cx *cx = d->cx;
    RtcResult r;
    *image = NULL;
    *n = 0;
    RtcJob job = {text, name, c->sm, cx->opts.cuda_path};
    TRY(rtc_run(&c->rtc, &job, &r));
    switch (r.outcome) {
    case RTC_DONE:
        d->stats.compiles++;
        *image = r.image;
        *n = r.nimage;
        return ARR_OK;
    case RTC_REJECTED:
        return error_set(cx, ARR_ERR_INTERNAL, cx->span, "the kernel %s does not compile: %.800s",
                         name, r.log);
    case RTC_NO_LIBRARY:
        return error_set(cx, ARR_ERR_DEVICE, cx->span,
                         "kernels for %s need %s, which cannot be opened: %.400s; install the CUDA "
                         "Toolkit 13 or set CUDA_PATH to it",
                         d->name, cuda_lib_soname(CLIB_nvrtc), r.log);
    default:
        return error_set(cx, ARR_ERR_DEVICE, cx->span, "compiling the kernel %s failed: %.400s",
                         name, r.log[0] ? r.log : "the compiler gave no reason");
    }
}

Status cuda_compile_many(Device *d, int n, const char *const *text, const char *const *name,
                         void **image, size_t *size) {
    Cuda *c = (Cuda *)d;
    Cx *cx = d->cx;
    Rtc *team[1 + RTC_MORE] = {&c->rtc};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int helpers = 1;
    size_t jobs_bytes = (size_t)n * sizeof(RtcJob), out_bytes = (size_t)n * sizeof(RtcResult);
    RtcJob *job = mem_alloc(&cx->mem, jobs_bytes);
    RtcResult *out = mem_alloc(&cx->mem, out_bytes);
    Status s = job && out ? ARR_OK : error_memory(cx, out_bytes);
    for (; helpers <= RTC_MORE && helpers < n && helpers < processors; helpers++)
        team[helpers] = &c->more[helpers - 1];
    for (int i = 0; i < n && s == ARR_OK; i++)
        job[i] = (RtcJob){text[i], name[i], c->sm, cx->opts.cuda_path};
    if (s == ARR_OK) s = rtc_run_many(team, helpers, job, n, out);
    for (int i = 0; i < n; i++) {
        bool done = s == ARR_OK && out[i].outcome == RTC_DONE;
        image[i] = done ? out[i].image : NULL;
        size[i] = done ? out[i].nimage : 0;
        d->stats.compiles += done;
    }
    mem_free(&cx->mem, job, jobs_bytes);
    mem_free(&cx->mem, out, out_bytes);
    return s;
}

/* ---- the target ---- */

/* Text for the cache key: what the code runs on, what compiles it (the library's file, size and
 * time: its version would need it open, 30 ms), and how. */
const char *cuda_target(Device *d) {
    Cuda *c = (Cuda *)d;
    char path[CUDA_LIB_PATH], real[PATH_MAX];
    struct stat st;
    if (c->target[0]) return c->target;
    int n = snprintf(c->target, sizeof c->target, "sm_%d %d ", c->sm, CUDART_VERSION);
    for (int i = 0; i < NFLAGS; i++)
        n += snprintf(c->target + n, sizeof c->target - (size_t)n, "%s ", flags[i]);
    size_t left = sizeof c->target - (size_t)n;
    char *end = c->target + n;
    if (cuda_lib_find(d->cx->opts.cuda_path, CLIB_nvrtc, path) && stat(path, &st) == 0)
        snprintf(end, left, "%.400s %lld %lld", realpath(path, real) ? real : path,
                 (long long)st.st_size, (long long)st.st_mtime);
    else
        snprintf(end, left, "%s", cuda_lib_soname(CLIB_nvrtc));
    return c->target;
}

/* ---- loading and launching ---- */

Status cuda_load(Device *d, const void *image, size_t n, const char *name, DevKernel **out) {
    Cuda *c = (Cuda *)d;
    Cx *cx = d->cx;
    int was;
    (void)n;
    *out = NULL;
    DevKernel *k = mem_zalloc(&cx->mem, sizeof *k);
    if (!k) return error_memory(cx, sizeof *k);
    Status s = cuda_enter(c, &was);
    if (s == ARR_OK) {
        s = cuda_check(c, cudaLibraryLoadData(&k->library, image, NULL, NULL, 0, NULL, NULL, 0),
                       "loading a kernel");
        if (s == ARR_OK)
            s = cuda_check(c, cudaLibraryGetKernel(&k->kernel, k->library, name),
                           "finding a kernel in its image");
        if (s != ARR_OK && k->library) (void)cudaLibraryUnload(k->library);
        cuda_leave(c, was);
    }
    if (s != ARR_OK)
        mem_free(&cx->mem, k, sizeof *k);
    else
        *out = k;
    return s;
}

void cuda_unload(Device *d, DevKernel *k) {
    Cuda *c = (Cuda *)d;
    int was = c->index;
    if (!k) return;
    if (!d->gone) {
        (void)cudaGetDevice(&was);
        if (was != c->index) (void)cudaSetDevice(c->index);
        (void)cudaLibraryUnload(k->library);
        (void)cudaGetLastError();
        cuda_leave(c, was);
    }
    mem_free(&d->cx->mem, k, sizeof *k);
}

/* What a kernel may be launched with unasked: 48 KB. Who asks for shared memory gets as much of the
 * multiprocessor's as there is. */
static Status allow_shared(Cuda *c, DevKernel *k, unsigned bytes) {
    const void *f = (const void *)k->kernel;
    if (bytes <= k->shared) return ARR_OK;
    TRY(cuda_check(c,
                   cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
                   "asking for shared memory"));
    k->shared = bytes;
    return cuda_check(c,
                      cudaFuncSetAttribute(f, cudaFuncAttributePreferredSharedMemoryCarveout,
                                           cudaSharedmemCarveoutMaxShared),
                      "asking for shared memory");
}

Status cuda_launch(Device *d, DevKernel *k, const DevLaunch *l) {
    Cuda *c = (Cuda *)d;
    int was;
    TRY(cuda_enter(c, &was));
    dim3 grid = {l->grid[0], l->grid[1], l->grid[2]},
         block = {l->block[0], l->block[1], l->block[2]};
    cudaLaunchAttribute early = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how = {grid, block, l->shared, c->stream, &early, l->follows && c->sm >= 90};
    Status s = allow_shared(c, k, l->shared);
    if (s == ARR_OK) s = cuda_before_launch(c);
    if (s == ARR_OK)
        s = cuda_check(c, cudaLaunchKernelExC(&how, (const void *)k->kernel, l->params),
                       "launching a kernel");
    if (s == ARR_OK) s = cuda_after_launch(c);
    /* uninterruptible: what was launched may work in place and must count as done */
    if (s == ARR_OK && d->cx->opts.sync)
        s = cuda_check(c, cudaStreamSynchronize(c->stream), "running a kernel");
    cuda_leave(c, was);
    return s;
}
#else
#include "runtime/device/rtc_helper.h"

#include <stdio.h>
#include <string.h>

void rtc_compile_here(Mem *mem, const RtcJob *job, RtcResult *out) {
    (void)mem, (void)job;
    memset(out, 0, sizeof *out);
    out->outcome = RTC_NO_LIBRARY;
    snprintf(out->log, sizeof out->log, "this build has no CUDA");
}
#endif
