/* sort_finish - sorted places back to the array's layout: place p is rank p % axis of segment
 * p / axis. values and positions may be NULL. */
extern "C" __global__ void __launch_bounds__(256) @name@(const @bits@ *in, const @index@ *index,
                                                         const xi64 n, const xi64 axis,
                                                         const xi64 inner, @bits@ *values,
                                                         xi64 *positions) {
    for (xi64 p = blockIdx.x * (xi64)256 + threadIdx.x; p < n; p += gridDim.x * (xi64)256) {
        const xi64 segment = p / axis, rank = p % axis;
        const xi64 to = (segment / inner * axis + rank) * inner + segment % inner;
        const xi64 from = (xi64)index[p];
        if (values) values[to] = in[from];
        if (positions) positions[to] = from / inner % axis;
    }
}
