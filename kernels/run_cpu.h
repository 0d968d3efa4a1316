/* run_cpu - a kernel program on the CPU device, in cache-sized blocks on all threads. */
#ifndef ARR_RUN_CPU_H
#define ARR_RUN_CPU_H

#include "kernels/program.h"
#include "runtime/device/device.h"

typedef struct CpuCache CpuCache; /* cpu_cache.h: how programs that ran lately were prepared */

Status cpu_cache_open(Cx *cx, CpuCache **out);
void cpu_cache_close(CpuCache *c); /* NULL allowed */

/* Outputs [lo, hi) of a verified, canonicalized program; a gather out of range is reported in
 * a->fault. c: plans to be used again, or NULL. */
Status run_cpu(CpuCache *c, Device *d, const Program *p, ProgArgs *a, int64_t lo, int64_t hi);

#endif
