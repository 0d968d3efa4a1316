/* cpu - the CPU device's parts: its memory and copies (cpu.c), its threads (cpu_threads.c), and
 * products through OpenBLAS (cpu_lib.c). Callers: these three files only. */
#ifndef ARR_DEVICE_CPU_H
#define ARR_DEVICE_CPU_H

#include "runtime/device/device.h"
#include "runtime/device/pool.h"
#include "runtime/device/shared.h"

typedef struct BlasLib BlasLib;

typedef struct CpuDevice {
    Device dev; /* dev.impl points back here */
    Pool *pool;
    Threads *threads;
    BlasLib *blas; /* NULL until the first product */
} CpuDevice;

int threads_count(const Threads *t);
/* fn(ctx, part, thread) for every part in 0..nparts-1, thread in 0..count-1. False: the interrupt
 * flag was seen and parts are missing. *rc: the first non-zero answer, which stops the rest. */
bool threads_run(Threads *t, Cx *cx, DevPart fn, void *ctx, int64_t nparts, _Atomic int *interrupt,
                 int *rc);

Status cpu_matmul(Device *d, const DevMatmul *m);
void cpu_blas_close(CpuDevice *c);

#endif
