/* split_most - most[v], 0 before, becomes the bits of the largest absolute value of vector v, whose
 * neighbours in memory are the other vectors. Which block comes first does not matter. */
extern "C" __global__ void __launch_bounds__(256) @name@(const xf32 *x, xu32 *most,
                                                         const xi64 vectors, const xi64 k,
                                                         const xi64 step) {
    enum { ACROSS = 64, ROWS = 512 };
    const xi64 across = (vectors + ACROSS - 1) / ACROSS, down = (k + ROWS - 1) / ROWS;
    for (xi64 tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const xi64 v = tile % across * ACROSS + threadIdx.x % ACROSS;
        const xi64 first = tile / across * ROWS, end = first + ROWS < k ? first + ROWS : k;
        xu32 m = 0;
        if (v >= vectors) continue;
#pragma unroll 8
        for (xi64 i = first + threadIdx.x / ACROSS; i < end; i += 256 / ACROSS) {
            const xu32 bits = __float_as_uint(x[i * step + v]) & 0x7fffffffu;
            m = bits > m ? bits : m;
        }
        atomicMax(most + v, m);
    }
}
