/* compact_count - how many of each tile of 4096 bytes are true. */
extern "C" __global__ void __launch_bounds__(256) @name@(const xu8 *mask, const xi64 n, xi64 *count,
                                                         const xi64 tiles) {
    __shared__ xi32 warp_count[8];
    for (xi64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        xi32 mine = 0;
        for (int k = 0; k < 16; k++) {
            const xi64 e = tile * 4096 + k * 256 + threadIdx.x;
            mine += e < n && mask[e] != 0;
        }
        for (int d = 16; d > 0; d >>= 1) mine += (xi32)__shfl_down_sync(0xffffffffu, mine, d, 32);
        if (threadIdx.x % 32 == 0) warp_count[threadIdx.x / 32] = mine;
        __syncthreads();
        if (threadIdx.x == 0) {
            xi64 all = 0;
            for (int w = 0; w < 8; w++) all += warp_count[w];
            count[tile] = all;
        }
        __syncthreads();
    }
}
