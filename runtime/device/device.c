/* device - what all backends share: closing, and whether a GPU is worth trying.
 *
 * Callers: runtime/ (opening and choosing). Backends live in cpu.c and cuda.c; a build without the
 * CUDA Toolkit (ARR_NO_CUDA) has the stand-ins below instead of cuda*.c.
 * Invariant: nothing here touches the driver; a program that never needs the GPU never starts it.
 */
#include "runtime/device/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

void device_close(Device *d) {
    if (d) d->ops->close(d);
}

/* Where installers put the driver's library; anything else is left to the loader. */
static const char *const driver_places[] = {"/usr/lib/x86_64-linux-gnu",
                                            "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
                                            "/usr/local/nvidia/lib64"};

bool device_cuda_likely(void) {
#ifndef ARR_NO_CUDA
    if (access("/dev/nvidiactl", F_OK) != 0) return false;
    for (size_t i = 0; i < sizeof driver_places / sizeof *driver_places; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/libcuda.so.1", driver_places[i]);
        if (access(path, F_OK) == 0) return true;
    }
    void *h = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (h) dlclose(h);
    return h != NULL;
#else
    (void)driver_places;
    return false;
#endif
}

#ifdef ARR_NO_CUDA
Status device_open_cuda(Cx *cx, int n, Device **out) {
    *out = NULL;
    return error_set(cx, ARR_ERR_DEVICE, cx->span,
                     "cuda:%d cannot be opened: this build has no CUDA (it was built where no CUDA "
                     "Toolkit 13 was found); use device(\"cpu\")",
                     n);
}

int device_cuda_count(void) { return 0; }
#endif
