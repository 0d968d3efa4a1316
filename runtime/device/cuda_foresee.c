/* cuda_foresee - a library opened on a thread of its own (see cuda_foresee.h).
 *
 * The library stays open for as long as the process lives: who needs it opens it again, which then
 * costs nothing. Callers: place. Invariant: the thread allocates nothing from the state. */
#include "runtime/device/cuda_foresee.h"

#ifndef ARR_NO_CUDA
#include "runtime/device/cuda_lib.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>

static void *open_library(void *path) {
    (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return NULL;
}

void foresee_products(Foresee *f, const Cx *cx) {
    sigset_t all, old;
    char path[CUDA_LIB_PATH];
    f->started = false;
    if (!cuda_lib_find(cx->opts.cuda_path, CLIB_cublas, path)) return;
    if (snprintf(f->path, sizeof f->path, "%s", path) >= (int)sizeof f->path) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    f->started = pthread_create(&f->thread, NULL, open_library, f->path) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void foresee_end(Foresee *f) {
    if (f->started) pthread_join(f->thread, NULL);
    f->started = false;
}
#else
void foresee_products(Foresee *f, const Cx *cx) {
    (void)cx;
    f->started = false;
}

void foresee_end(Foresee *f) { f->started = false; }
#endif
