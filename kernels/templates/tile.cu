/* tile - a map over tiles of SIDE x SIDE elements of the last loop and the crossing one. Operands whose
 * neighbours lie along the crossing loop are read in that direction into shared memory (rows of
 * SIDE + 1 keep its banks apart) and fetched from there; everything else is accessed along the last loop. */
extern "C" __global__ void __launch_bounds__(SIDE * 8, 1) @name@(@params@) {
    @shared@
    @items@
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    for (I item = blockIdx.x; item < items; item += gridDim.x) {
        const I corner_last = item % across * SIDE;
        const I corner_cross = item / across % along * SIDE;
        @rest@
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            @crossing@
        }
        __syncthreads();
        @arrays@
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            @element@
            @loads@
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const int j = u;
            @element@
            const bool on = inside;
            const xi64 place = i;
            @body@
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            @element@
            @stores@
        }
        __syncthreads(); /* the next tile reuses the shared ones */
    }
}
