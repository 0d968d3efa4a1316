/* kernel - running programs and native kernels on a device: the runtime's only way to do work.
 *
 * On the CPU a program runs in blocks (run_cpu); on a GPU it is emitted as CUDA text, compiled once
 * per structure, and launched (emit_cuda, cache). Native kernels are the work that no program
 * expresses. All take device pointers; all of one state share one Kernels.
 *
 * The tree of sums, the same on every backend. A reduction runs over r, the C-order number of an
 * element among the reduced ones, whatever the strides. Chunks of 4096 consecutive r; in each, 128
 * lanes by r mod 128, each in increasing r; lanes are combined pairwise at distances 64, 32, ... 1;
 * the chunks' results are combined by the same rule again. Missing elements are not added. */
#ifndef ARR_KERNEL_H
#define ARR_KERNEL_H

#include "kernels/program.h"
#include "runtime/device/device.h"

typedef struct Kernels Kernels;
Status kernels_open(Cx *cx, Kernels **out);
void kernels_close(Kernels *k); /* NULL allowed; before the devices are closed */

/* Run outputs [lo, hi) (flat C order over the outer loops) of a verified, canonicalized program.
 * name is for dumps and profiles. A gather out of range is reported through a->fault (on a GPU only
 * after kernel_faults) and writes nothing wild. */
Status kernel_run(Kernels *k, Device *d, const Program *p, ProgArgs *a, int64_t lo, int64_t hi,
                  const char *name);
/* GPU: run all outputs of a map. Its store to slot `kept`, which is dense, takes only the outputs
 * for which value `keep` (bool) holds, one after another, in order: *count of them. Waits. */
Status kernel_compact(Kernels *k, Device *d, const Program *p, ProgArgs *a, int keep, int kept,
                      int64_t *count);
/* Kernels of several programs are compiled side by side where they are foreseen: begin, foresee
 * each (values that do not exist yet as they will probably lie), end. Nothing runs, nothing is
 * promised. false: d is no GPU, or foreseeing has found nothing new for long. */
bool kernel_foresee_begin(Kernels *k, Device *d);
Status kernel_foresee(Kernels *k, Device *d, const Program *p, ProgArgs *a);
Status kernel_foresee_end(Kernels *k, Device *d);
/* GPU: wait and fetch the first gather fault since the last call; fault[0] == 0 if none. */
Status kernel_faults(Kernels *k, Device *d, int64_t fault[3]);

/* A contiguous view of the work of natives: outer x axis x inner elements, C order, dense. */
typedef struct AxisShape {
    int64_t outer, axis, inner;
} AxisShape;

/* Cumulative op (RED_SUM, RED_PROD, RED_MIN, RED_MAX) along the axis; in has dtype d_in, out d_out
 * (accumulates in d_out; halves in f32). Fixed association: the tree of sums above. */
Status native_scan(Kernels *k, Device *d, ReduceKind op, DType d_in, DType d_out, AxisShape s,
                   const void *in, void *out);
/* Stable sort along the axis; nan last whatever the direction. out_values and/or out_index (i64)
 * may be NULL. */
Status native_sort(Kernels *k, Device *d, DType t, AxisShape s, bool descending, const void *in,
                   void *out_values, int64_t *out_index);
/* Flat positions of true bytes, in order: *count of them, in index (room for n). */
Status native_nonzero(Kernels *k, Device *d, const uint8_t *mask, int64_t n, int64_t *index,
                      int64_t *count);
/* out[o, index[j], i] = value[o, j, i]: last j wins. All indices are checked (against s.axis,
 * negative ones count from the end) before the first write: fault as in ProgArgs. */
Status native_put(Kernels *k, Device *d, size_t itemsize, AxisShape s, const int64_t *index,
                  int64_t nindex, const void *value, void *out, int64_t fault[3]);
/* Products of integer, bool and half dtypes (exact modulo 2^n; i8 accumulates wide enough), and of
 * anything the library cannot do: same strides as DevMatmul. Floats go to device ops->matmul. */
Status native_matmul(Kernels *k, Device *d, const DevMatmul *m);
/* An f32 product of a GPU at PRECISION_HIGH, by the device's ops->matmul: of operands split into
 * halves where that is faster, else of the operands as they are. */
Status native_split_matmul(Kernels *k, Device *d, const DevMatmul *m);

/* GPU: a user's kernel, compiled as it stands (once, and kept on disk). Its compiler's refusal is
 * ARR_ERR_VALUE with the log. */
Status kernel_user(Kernels *k, Device *d, const char *text, const char *name, const DevLaunch *l);

/* Emission alone, for golden tests and ARR_DUMP=cuda: text of the CUDA kernel. */
Status emit_cuda(Cx *cx, const Program *p, const char *name, Buf *out);

#endif
