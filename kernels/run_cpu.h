/* run_cpu - a kernel program on the CPU device, in cache-sized blocks on all threads. */
#ifndef ARR_RUN_CPU_H
#define ARR_RUN_CPU_H

#include "kernels/program.h"
#include "runtime/device/device.h"

/* Outputs [lo, hi) of a verified, canonicalized program; a gather out of range is reported in
 * a->fault. */
Status run_cpu(Device *d, const Program *p, ProgArgs *a, int64_t lo, int64_t hi);

#endif
