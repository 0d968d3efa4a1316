/* sort_nans - nans whose bits are not last in the order of a sort: *flag becomes 1 where there are
 * any; where out is given, it receives the elements with nans that are last. Elements are bits. */
extern "C" __global__ void __launch_bounds__(256) @name@(const @bits@ *in, const xi64 n, xu32 *flag,
                                                         @bits@ *out) {
    const @bits@ sign = @sign@, last = @descending@ ? ~(@bits@)0 : (@bits@)~sign;
    const xi64 step = gridDim.x * (xi64)256;
    bool found = false;
    for (xi64 e = blockIdx.x * (xi64)256 + threadIdx.x; e < n; e += 8 * step) {
        @bits@ x[8];
#pragma unroll
        for (int u = 0; u < 8; u++) x[u] = in[e + u * step < n ? e + u * step : e];
#pragma unroll
        for (int u = 0; u < 8; u++) {
            const bool nan = (@bits@)(x[u] & ~sign) > @infinity@;
            found |= nan && (x[u] & sign) != (last & sign);
            if (out && e + u * step < n) out[e + u * step] = nan ? last : x[u];
        }
    }
    if (found && !out) atomicExch(flag, 1u);
}
