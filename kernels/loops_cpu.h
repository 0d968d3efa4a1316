/* loops_cpu - block loops of the CPU backend: each op, cast and draw over n contiguous elements.
 *
 * One body (loops_body.h) is compiled for each instruction set and gives the same bits in all of
 * them; loops_cpu() picks the best that the processor has. Elements are raw: bool is a byte 0 or 1,
 * halves have casts but no ops (widen to f32, round the result). out may be one of the operands
 * where element sizes agree; it must not overlap them otherwise. Callers: run_cpu, reduce_cpu,
 * native_cpu. Nothing here allocates or fails. */
#ifndef ARR_LOOPS_CPU_H
#define ARR_LOOPS_CPU_H

#include "kernels/program.h"

typedef void (*Loop)(size_t n, void *out, const void *a, const void *b, const void *c);

/* The extreme element so far and where it is (StateExtreme of the CUDA templates): nan beats all,
 * ties keep the lowest index. */
typedef struct Extreme {
    int64_t index; /* -1: none yet */
    uint8_t bits[8];
} Extreme;

typedef struct LoopSet {
    const char *name;         /* "base", "avx2", "avx512" */
    const Loop *op[DT_COUNT]; /* [dtype of the operands][Op]; NULL where it has none */
    /* The same for floats with a (left) or b (right) one element that stands for all: those ops of
     * two operands that are no elementary functions, NULL the others. */
    const Loop *left[DT_COUNT], *right[DT_COUNT];
    const Loop *cast[DT_COUNT]; /* [from][to]; NULL: not in one step, see cast_next */
    /* Elements first, first + 1, ... of a draw; low and range of randint. */
    void (*draw)(DrawKind kind, DType t, uint64_t key, int64_t low, uint64_t range, uint64_t first,
                 size_t n, void *out);
    /* Fold n elements, numbers base, base + 1, ..., into x. */
    void (*extreme)(DType t, bool max, size_t n, const void *in, int64_t base, Extreme *x);
    /* Fold element number r of n neighbouring outputs into their extremes (value, index). */
    void (*extreme_rows)(DType t, bool max, size_t n, const void *in, int64_t r, void *value,
                         int64_t *index);
    /* Join n pairs of extremes; those of b win ties where their index is lower. */
    void (*extreme_join)(DType t, bool max, size_t n, void *va, int64_t *ia, const void *vb,
                         const int64_t *ib);
    /* Welford/Chan for n sets side by side (scalar.h x_welford); mb, Mb: the other sets, Mb NULL
     * where they are single elements; each of na, nb elements, of all that spread is for. */
    void (*welford)(DType t, size_t n, void *ma, void *Ma, const void *mb, const void *Mb,
                    int64_t na, int64_t nb, double spread);
    int64_t (*count)(size_t n, const uint8_t *mask); /* of true bytes */
} LoopSet;

const LoopSet *loops_cpu(void);
/* Every set that this processor can run, best first; NULL past the end (tests). */
const LoopSet *loops_cpu_at(int i);

/* The next dtype on the way of a cast whose last step is `to`, each step one loop; the chain rounds
 * once. from != to. */
DType cast_next(DType from, DType to);

extern const LoopSet loops_base, loops_avx2, loops_avx512;
/* Complex ops are scalar code: compiled once, shared by all sets. */
extern const Loop *const loops_complex[2]; /* c64, c128 */

#endif
