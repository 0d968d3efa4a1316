/* sort_special - *flag becomes 1 where a nan or a negative zero is among the elements, whose order
 * by bits is not that of a sort. */
extern "C" __global__ void __launch_bounds__(256) @name@(const @in@ *in, const xi64 n, xu32 *flag) {
    const xi64 step = gridDim.x * (xi64)256;
    bool found = false;
    for (xi64 e = blockIdx.x * (xi64)256 + threadIdx.x; e < n; e += 8 * step) {
        @in@ x[8];
#pragma unroll
        for (int u = 0; u < 8; u++) x[u] = in[e + u * step < n ? e + u * step : e];
#pragma unroll
        for (int u = 0; u < 8; u++) found |= x[u] != x[u] || (x[u] == 0 && x_signbit(x[u]));
    }
    if (found) atomicExch(flag, 1u);
}
