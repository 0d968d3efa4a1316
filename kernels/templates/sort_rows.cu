/* sort_rows - the row of each sorted element as the next key: element e stands in row
 * (e / (axis * inner)) * inner + e % inner. */
extern "C" __global__ void __launch_bounds__(256) @name@(const @index@ *index, const xi64 n,
                                                         const xi64 axis, const xi64 inner,
                                                         @key@ *key) {
    for (xi64 p = blockIdx.x * (xi64)256 + threadIdx.x; p < n; p += gridDim.x * (xi64)256) {
        const xi64 e = (xi64)index[p];
        key[p] = (@key@)(e / (axis * inner) * inner + e % inner);
    }
}
