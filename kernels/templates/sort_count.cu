/* sort_count - digits of a tile: count[d * tiles + tile] elements of the tile have digit d. A
 * segment is one row to sort: element e's is numbered (e / (axis inner)) inner + e % inner. */
extern "C" __global__ void __launch_bounds__(256) @name@(const @key@ *key, const @index@ *index,
                                                         const xi64 n, const int shift,
                                                         const int by_segment, const xi64 axis,
                                                         const xi64 inner, xi64 *count,
                                                         const xi64 tiles) {
    __shared__ xu32 bin[256];
    for (xi64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        bin[threadIdx.x] = 0;
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            const xi64 e = tile * 8192 + k * 256 + threadIdx.x;
            if (e < n) atomicAdd(bin + sort_digit(key, index, e, shift, by_segment, axis, inner), 1u);
        }
        __syncthreads();
        count[threadIdx.x * tiles + tile] = bin[threadIdx.x];
        __syncthreads();
    }
}
