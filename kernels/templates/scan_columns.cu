/* scan_columns - the scan of scan_tiles where neighbours along the axis are not neighbours in
 * memory, or rows are short: a thread takes one tile of one column, in the same hierarchy. */
extern "C" __global__ void __launch_bounds__(256) @name@(const @in@ *in, @out@ *out, @acc@ *totals,
                                                         const @acc@ *carry, const xi64 outer,
                                                         const xi64 axis, const xi64 inner,
                                                         const xi64 tiles) {
    typedef @acc@ A;
    enum { SEGMENT = 32, TILE = 4096 };
    const xi64 items = outer * tiles * inner;
    for (xi64 item = blockIdx.x * (xi64)256 + threadIdx.x; item < items;
         item += gridDim.x * (xi64)256) {
        const xi64 i = item % inner, rest = item / inner, tile = rest % tiles, o = rest / tiles;
        const xi64 start = (o * axis + tile * TILE) * inner + i;
        const xi64 left = axis - tile * TILE;
        const int n = left < TILE ? (int)left : (int)TILE;
        A before = A{}, sum = A{}; /* segments so far; this segment */
        for (int e = 0; e < n; e++) {
            const @in@ x = in[start + e * inner];
            const A a = @load@;
            if (e % SEGMENT == 0) {
                if (e == SEGMENT) before = sum;
                if (e > SEGMENT) before = @op@(before, sum);
                sum = a;
            } else {
                sum = @op@(sum, a);
            }
            if (!out) continue;
            A v = sum;
            if (e >= SEGMENT) v = @op@(before, v);
            if (tile > 0) v = @op@(carry[item - inner], v);
            out[start + e * inner] = @store@;
        }
        if (!out) totals[item] = n > SEGMENT ? @op@(before, sum) : sum;
    }
}
