/* put_clear - no index has been seen for any place. */
extern "C" __global__ void __launch_bounds__(256) @name@(xi64 *winner, const xi64 axis) {
    for (xi64 k = blockIdx.x * (xi64)256 + threadIdx.x; k < axis; k += gridDim.x * (xi64)256)
        winner[k] = -1;
}
