/* native_cpu - the native kernels of kernel.h on the CPU device. Contracts are those of kernel.h's
 * native_* of the same name; kernel.c chooses by the device. */
#ifndef ARR_NATIVE_CPU_H
#define ARR_NATIVE_CPU_H

#include "kernels/kernel.h"

Status native_cpu_scan(Device *d, ReduceKind op, DType d_in, DType d_out, AxisShape s,
                       const void *in, void *out);
Status native_cpu_sort(Device *d, DType t, AxisShape s, bool descending, const void *in,
                       void *out_values, int64_t *out_index);
Status native_cpu_nonzero(Device *d, const uint8_t *mask, int64_t n, int64_t *index,
                          int64_t *count);
Status native_cpu_put(Device *d, size_t itemsize, AxisShape s, const int64_t *index, int64_t nindex,
                      const void *value, void *out, int64_t fault[3]);
Status native_cpu_matmul(Device *d, const DevMatmul *m);

#endif
