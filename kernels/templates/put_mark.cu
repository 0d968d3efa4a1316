/* put_mark - winner[k]: the last j whose index is k (-1 before: none). Maxima do not depend on the
 * order of threads. */
extern "C" __global__ void __launch_bounds__(256) @name@(const xi64 *index, const xi64 n,
                                                         const xi64 axis, xi64 *winner) {
    for (xi64 j = blockIdx.x * (xi64)256 + threadIdx.x; j < n; j += gridDim.x * (xi64)256)
        atomicMax(winner + (index[j] < 0 ? index[j] + axis : index[j]), j);
}
