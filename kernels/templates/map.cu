/* map - outputs [lo, hi): a block takes tiles of BLOCK * UNROLL vectors, neighbouring threads
 * neighbouring vectors; all loads of a tile are on their way before the first is used. Whole tiles
 * of vectors are moved without looking at each. */
extern "C" __global__ void __launch_bounds__(BLOCK) @name@(@params@) {
    const I tile = BLOCK * VEC * UNROLL;
    for (I t = lo + (I)blockIdx.x * tile; t < hi; t += (I)gridDim.x * tile) {
        const bool whole = @whole@;
        @arrays@
        if (whole) {
            const I left = VEC;
            const xu64 vectors = ~0ull;
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = t + (u * BLOCK + (int)threadIdx.x) * VEC;
                @loads@
            }
        } else {
            const xu64 vectors = mode;
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = t + (u * BLOCK + (int)threadIdx.x) * VEC;
                const I left = hi - i;
                @loads@
            }
        }
#pragma unroll
        for (int j = 0; j < UNROLL * VEC; j++) {
            const I i = t + (j / VEC * BLOCK + (int)threadIdx.x) * VEC + j % VEC;
            const bool on = i < hi;
            const xi64 place = i;
            @body@
        }
        if (whole) {
            const I left = VEC;
            const xu64 vectors = ~0ull;
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = t + (u * BLOCK + (int)threadIdx.x) * VEC;
                @stores@
            }
        } else {
            const xu64 vectors = mode;
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = t + (u * BLOCK + (int)threadIdx.x) * VEC;
                const I left = hi - i;
                @stores@
            }
        }
    }
}
