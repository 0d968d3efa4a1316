/* put_check - note the first index that lies outside the axis; nothing has been written yet. */
extern "C" __global__ void __launch_bounds__(256) @name@(const xi64 *index, const xi64 n,
                                                         const xi64 axis, xi64 *record) {
    for (xi64 j = blockIdx.x * (xi64)256 + threadIdx.x; j < n; j += gridDim.x * (xi64)256) {
        const xi64 at = index[j] < 0 ? index[j] + axis : index[j];
        if ((xu64)at >= (xu64)axis) note_fault(record, j, index[j], axis);
    }
}
