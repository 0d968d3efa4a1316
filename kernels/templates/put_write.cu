/* put_write - out[o, index[j], i] = value[o, j, i] for the j that win. */
extern "C" __global__ void __launch_bounds__(256) @name@(const xi64 *index, const xi64 n,
                                                         const xi64 *winner, const @item@ *value,
                                                         @item@ *out, const xi64 outer,
                                                         const xi64 axis, const xi64 inner) {
    const xi64 all = outer * n * inner;
    for (xi64 e = blockIdx.x * (xi64)256 + threadIdx.x; e < all; e += gridDim.x * (xi64)256) {
        const xi64 i = e % inner, j = e / inner % n, o = e / inner / n;
        const xi64 at = index[j] < 0 ? index[j] + axis : index[j];
        if (winner[at] == j) out[(o * axis + at) * inner + i] = value[e];
    }
}
