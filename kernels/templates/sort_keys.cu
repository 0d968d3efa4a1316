/* sort_keys - an unsigned key for every element, in the order that the elements are to have: zeros
 * of both signs alike, nan last whatever the direction. Elements are their bits. index[e] = e. */
extern "C" __global__ void __launch_bounds__(256) @name@(const @bits@ *in, const xi64 n, @key@ *key,
                                                         @index@ *index) {
    for (xi64 e = blockIdx.x * (xi64)256 + threadIdx.x; e < n; e += gridDim.x * (xi64)256) {
        const @bits@ x = in[e];
        const @key@ k = @order@;
        key[e] = @nan@ ? (@key@)~(@key@)0 : @descending@ ? (@key@)~k : k;
        index[e] = (@index@)e;
    }
}
