/* sort_scatter - every element to its place by one digit, stable: a warp takes 1024 neighbouring
 * elements of a tile in 32 turns; in a turn, lanes of one digit follow one another in lane order.
 * upto[d * tiles + tile]: elements of smaller digits, and of this one up to the tile's end. */
extern "C" __global__ void __launch_bounds__(256) @name@(
    const @key@ *key, const @index@ *index, @key@ *key_out, @index@ *index_out, const xi64 n,
    const int shift, const int by_segment, const xi64 axis, const xi64 inner, const xi64 *upto,
    const xi64 tiles) {
    __shared__ xu32 bin[8][256]; /* a warp's count of each digit, then the count before the warp */
    __shared__ xi64 start[256];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (xi64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        for (int w = 0; w < 8; w++) bin[w][threadIdx.x] = 0;
        const xi64 at = threadIdx.x * tiles + tile;
        start[threadIdx.x] = at ? upto[at - 1] : 0;
        __syncthreads();
        const xi64 first = tile * 8192 + warp * 1024 + lane;
        for (int k = 0; k < 32; k++) {
            const xi64 e = first + k * 32;
            if (e < n)
                atomicAdd(&bin[warp][sort_digit(key, index, e, shift, by_segment, axis, inner)], 1u);
        }
        __syncthreads();
        xu32 before = 0;
        for (int w = 0; w < 8; w++) {
            const xu32 here = bin[w][threadIdx.x];
            bin[w][threadIdx.x] = before;
            before += here;
        }
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            const xi64 e = first + k * 32;
            const bool on = e < n;
            const int d = on ? sort_digit(key, index, e, shift, by_segment, axis, inner) : 256;
            const xu32 peers = __match_any_sync(0xffffffffu, d);
            const xu32 rank = __popc(peers & ((1u << lane) - 1u));
            if (on) {
                const xi64 to = start[d] + bin[warp][d] + rank;
                key_out[to] = key[e];
                index_out[to] = index[e];
            }
            __syncwarp();
            if (on && rank == 0) bin[warp][d] += __popc(peers);
            __syncwarp();
        }
        __syncthreads();
    }
}
