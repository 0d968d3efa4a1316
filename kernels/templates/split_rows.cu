/* split_rows - vectors of k neighbours, each times a power of two that brings its largest element to
 * [2^14, 2^15), as the sum of two halves; a block makes one. Behind each other stand, for every CHUNK
 * elements, low, high, high of a left operand and high, low, high of a right one; missing elements up
 * to `wide` are 0. power[v] undoes the scaling. An infinity or nan is noted in *odd. */
extern "C" __global__ void __launch_bounds__(256) @name@(const xf32 *x, xu16 *parts, xi32 *power,
                                                         xi32 *odd, const xi64 vectors, const xi64 k,
                                                         const xi64 wide, const xi64 step,
                                                         const xi32 right) {
    enum { CHUNK = @chunk@, KEPT = 8192 };
    __shared__ xf32 kept[KEPT];
    __shared__ xu32 most_of[8];
    for (xi64 v = blockIdx.x; v < vectors; v += gridDim.x) {
        const xf32 *row = x + v * step;
        xu32 most = 0;
#pragma unroll 8
        for (xi64 i = threadIdx.x; i < k; i += 256) {
            const xf32 f = row[i];
            if (i < KEPT) kept[i] = f;
            const xu32 bits = __float_as_uint(f) & 0x7fffffffu;
            most = bits > most ? bits : most;
        }
        for (int d = 16; d > 0; d /= 2) {
            const xu32 other = __shfl_down_sync(0xffffffffu, most, d);
            most = other > most ? other : most;
        }
        if (threadIdx.x % 32 == 0) most_of[threadIdx.x / 32] = most;
        __syncthreads();
        for (int w = 0; w < 8; w++) most = most_of[w] > most ? most_of[w] : most;
        /* each thread of a warp but the first has seen less than the warp */
        const xi32 s = split_power(most);
        if (threadIdx.x == 0) {
            power[v] = -s;
            if (most >= 0x7f800000u) *odd = 1;
        }
        for (xi64 i = 2 * (xi64)threadIdx.x; i < wide; i += 512) {
            const xf32 f = i < k ? i < KEPT ? kept[i] : row[i] : 0.0f;
            const xf32 g = i + 1 < k ? i + 1 < KEPT ? kept[i + 1] : row[i + 1] : 0.0f;
            const xu32 p = split_parts(f, s), q = split_parts(g, s);
            const xu32 high = (p & 0xffffu) | q << 16, low = p >> 16 | (q & 0xffff0000u);
            const xi64 first = i / CHUNK * CHUNK, left = wide - first;
            const xi64 w = left < CHUNK ? left : CHUNK;
            xu32 *out = (xu32 *)(parts + 3 * (v * wide + first) + (i - first));
            out[0] = right ? high : low;
            out[w / 2] = right ? low : high;
            out[w] = high;
        }
        __syncthreads(); /* the next vector reuses the shared ones */
    }
}
