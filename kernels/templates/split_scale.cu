/* split_scale - c[i, j] = sum[i, j] 2^(left[i] + right[j]), with one rounding. A thread takes four
 * columns of eight rows. The rows of sum begin at multiples of 16 bytes, and c's if `vector`. */
extern "C" __global__ void __launch_bounds__(256) @name@(const xf32 *sum, const xi64 sum_step,
                                                         xf32 *c, const xi64 step,
                                                         const xi32 *left,
                                                         const xi32 *right, const xi64 rows,
                                                         const xi64 columns, const xi32 vector) {
    enum { ROWS = 8, ACROSS = 1024 };
    const xi64 tiles = (columns + ACROSS - 1) / ACROSS, down = (rows + ROWS - 1) / ROWS;
    for (xi64 tile = blockIdx.x; tile < tiles * down; tile += gridDim.x) {
        const xi64 j = tile % tiles * ACROSS + 4 * threadIdx.x, i = tile / tiles * ROWS;
        xi32 power[4];
        xf32 v[ROWS][4];
        if (j >= columns) continue;
        for (int e = 0; e < 4; e++) power[e] = j + e < columns ? right[j + e] : 0;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            load<4>(v[r], sum + (i + r) * sum_step + j, i + r < rows ? columns - j : 0, true);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const xi32 p = i + r < rows ? left[i + r] : 0;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const xi64 bits = (xi64)(1023 + p + power[e]) << 52;
                v[r][e] = (xf32)((xf64)v[r][e] * __longlong_as_double(bits));
            }
            store<4>(c + (i + r) * step + j, v[r], i + r < rows ? columns - j : 0, vector != 0);
        }
    }
}
