/* compact_write - positions of true bytes, in order: a warp takes 512 neighbouring bytes of a tile
 * in 16 turns, so that order is kept by construction. upto[t]: true bytes up to the end of tile t. */
extern "C" __global__ void __launch_bounds__(256) @name@(const xu8 *mask, const xi64 n,
                                                         const xi64 *upto, xi64 *index,
                                                         const xi64 tiles) {
    __shared__ xi32 warp_count[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (xi64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const xi64 first = tile * 4096 + warp * 512 + lane;
        xi32 mine = 0;
        for (int k = 0; k < 16; k++) {
            const xi64 e = first + k * 32;
            mine += __popc(__ballot_sync(0xffffffffu, e < n && mask[e] != 0));
        }
        if (lane == 0) warp_count[warp] = mine;
        __syncthreads();
        xi64 at = tile ? upto[tile - 1] : 0;
        for (int w = 0; w < warp; w++) at += warp_count[w];
        for (int k = 0; k < 16; k++) {
            const xi64 e = first + k * 32;
            const bool on = e < n && mask[e] != 0;
            const xu32 all = __ballot_sync(0xffffffffu, on);
            if (on) index[at + __popc(all & ((1u << lane) - 1u))] = e;
            at += __popc(all);
        }
        __syncthreads();
    }
}
