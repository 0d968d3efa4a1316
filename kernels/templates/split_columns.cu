/* split_columns - split_rows for vectors whose neighbours in memory are the other vectors: rows of
 * `across` halves, of each CHUNK rows those of low, high, high (a right operand: high, low, high)
 * behind each other. most: see split_most; it becomes the power that undoes the scaling. */
extern "C" __global__ void __launch_bounds__(256) @name@(const xf32 *x, xu16 *parts,
                                                         const xu32 *most, xi32 *power, xi32 *odd,
                                                         const xi64 vectors, const xi64 k,
                                                         const xi64 wide, const xi64 across,
                                                         const xi64 step, const xi32 right) {
    enum { CHUNK = @chunk@, ACROSS = 128, ROWS = 32 };
    const xi64 tiles = (across + ACROSS - 1) / ACROSS, down = (wide + ROWS - 1) / ROWS;
    for (xi64 tile = blockIdx.x; tile < tiles * down; tile += gridDim.x) {
        const xi64 v = tile % tiles * ACROSS + 2 * (threadIdx.x % 64);
        const xi64 begin = tile / tiles * ROWS, first = begin / CHUNK * CHUNK;
        const xi64 w = wide - first < CHUNK ? wide - first : CHUNK;
        if (v >= across) continue;
        const xu32 a = v < vectors ? most[v] : 0, b = v + 1 < vectors ? most[v + 1] : 0;
        const xi32 s = split_power(a), t = split_power(b);
        if (begin == 0 && threadIdx.x < 64) {
            if (v < vectors) power[v] = -s;
            if (v + 1 < vectors) power[v + 1] = -t;
            if (a >= 0x7f800000u || b >= 0x7f800000u) *odd = 1;
        }
#pragma unroll
        for (int u = 0; u < ROWS / 4; u++) {
            const xi64 i = begin + threadIdx.x / 64 + 4 * u;
            if (i >= wide) continue;
            const xf32 *at = x + i * step + v;
            const xf32 f = i < k && v < vectors ? at[0] : 0.0f;
            const xf32 g = i < k && v + 1 < vectors ? at[1] : 0.0f;
            const xu32 p = split_parts(f, s), q = split_parts(g, t);
            const xu32 high = (p & 0xffffu) | q << 16, low = p >> 16 | (q & 0xffff0000u);
            xu32 *out = (xu32 *)(parts + (3 * first + (i - first)) * across + v);
            out[0] = right ? high : low;
            out[w * across / 2] = right ? low : high;
            out[w * across] = high;
        }
    }
}
