/* kernel_cuda - what the CUDA half of kernels/ shares: the state behind Kernels, launches by text,
 * and the native kernels on a GPU.
 *
 * Callers: kernel.c, run_cuda.c, native_cuda*.c. Contracts of native_cuda_* are those of kernel.h's
 * native_* of the same name. */
#ifndef ARR_KERNEL_CUDA_H
#define ARR_KERNEL_CUDA_H

#include "kernels/cache.h"
#include "kernels/emit_cuda.h"
#include "kernels/run_cpu.h"

/* A GPU's fault record, written by gathers: see templates/prelude.cu. */
typedef struct FaultCell {
    Device *device;
    void *record; /* four i64 in device memory; NULL until the first gather */
    bool armed;   /* a gather was launched since the last look */
    /* counters that reductions find and leave as zeros: launches follow one another */
    void *arrivals;
    size_t narrivals;
} FaultCell;

enum { KERNEL_DEVICES = 16 };

typedef struct LaunchMemo LaunchMemo; /* run_cuda.c */

struct Kernels {
    Cx *cx;
    Cache *cache;
    FaultCell fault[KERNEL_DEVICES];
    LaunchArgs args; /* of the launch being put together */
    Buf key;
    int idle;          /* times that foreseeing found nothing, in a row */
    LaunchMemo *memos; /* NULL until a numbered program has run */
    CpuCache *plans;   /* NULL until the CPU's first program */
};

/* The device's fault record, ready to be written. */
Status kernel_fault_record(Kernels *k, Device *d, void **record);

/* n counters of the device, all zero between launches. */
Status kernel_arrivals(Kernels *k, Device *d, size_t n, void **out);

void cuda_memos_free(Kernels *k);
/* The kernels that running it whole would need are noted in the cache. */
Status cuda_foresee(Kernels *k, Device *d, const Program *p, ProgArgs *a);
Status cuda_run_program(Kernels *k, Device *d, const Program *p, ProgArgs *a, int64_t lo,
                        int64_t hi);

Status cuda_run_compact(Kernels *k, Device *d, const Program *p, ProgArgs *a, int keep, int kept,
                        int64_t *count);

Status native_cuda_scan(Kernels *k, Device *d, ReduceKind op, DType d_in, DType d_out, AxisShape s,
                        const void *in, void *out);
Status native_cuda_sort(Kernels *k, Device *d, DType t, AxisShape s, bool descending,
                        const void *in, void *out_values, int64_t *out_index);
Status native_cuda_nonzero(Kernels *k, Device *d, const uint8_t *mask, int64_t n, int64_t *index,
                           int64_t *count);
Status native_cuda_put(Kernels *k, Device *d, size_t itemsize, AxisShape s, const int64_t *index,
                       int64_t nindex, const void *value, void *out, int64_t fault[3]);
Status native_cuda_matmul(Kernels *k, Device *d, const DevMatmul *m);
/* Of f32, split whatever the shape; as it is without room, and with an infinity or a nan. */
Status native_cuda_split_matmul(Kernels *k, Device *d, const DevMatmul *m);

#endif
