/* loops_cpu - which set of loops the processor gets, and the steps of casts.
 *
 * Callers: run_cpu, reduce_cpu, native_cpu. The choice is asked for anew each time (a few tests of
 * bits that libgcc keeps): the library has no writable state to remember it in. */
#include "kernels/loops_cpu.h"

const LoopSet *loops_cpu_at(int i) {
    const LoopSet *sets[4] = {NULL};
    int n = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        sets[n++] = &loops_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets[n++] = &loops_avx2;
#endif
    sets[n++] = &loops_base;
    return i < n ? sets[i] : NULL;
}

const LoopSet *loops_cpu(void) { return loops_cpu_at(0); }

DType cast_next(DType from, DType to) {
    if (dtype_is_half(from)) return DT_f32;
    if (dtype_is_complex(from)) {
        if (to == DT_bool || dtype_is_complex(to)) return to;
        return dtype_real(from);
    }
    if (dtype_is_complex(to)) return from == dtype_real(to) ? to : dtype_real(to);
    if (dtype_is_half(to)) {
        if (from == DT_i32 || from == DT_u32) return DT_f64; /* exact there, not in f32 */
        if (from < DT_i32 || from == DT_u8 || from == DT_u16) return DT_f32;
    }
    return to;
}
