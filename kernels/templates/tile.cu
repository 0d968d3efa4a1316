/* tile - a map over tiles of 32 x 32 elements of the last loop and the crossing one. Operands whose
 * neighbours lie along the crossing loop are read in that direction into shared memory (rows of 33
 * keep its banks apart) and fetched from there; everything else is accessed along the last loop. */
extern "C" __global__ void __launch_bounds__(BLOCK) @name@(@params@) {
    @shared@
    @items@
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    for (I item = blockIdx.x; item < items; item += gridDim.x) {
        const I corner_last = item % across * 32, corner_cross = item / across % along * 32;
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
