/* matmul - products that cuBLAS does not do: exact integers, and any strides. A block makes a tile
 * of 16 x 16 results over slices of 16 of the inner extent, in increasing order. */
extern "C" __global__ void __launch_bounds__(256) @name@(
    const @item@ *a, const @item@ *b, @item@ *c, const xi64 m, const xi64 n, const xi64 k,
    const xi64 batch, const xi64 a_row, const xi64 a_col, const xi64 b_row, const xi64 b_col,
    const xi64 c_row, const xi64 a_batch, const xi64 b_batch, const xi64 c_batch) {
    typedef @acc@ A;
    enum { T = 16 };
    __shared__ A left[T][T + 1], right[T][T + 1];
    const int x = threadIdx.x % T, y = threadIdx.x / T;
    const xi64 across = (n + T - 1) / T, down = (m + T - 1) / T;
    for (xi64 tile = blockIdx.x; tile < across * down * batch; tile += gridDim.x) {
        const xi64 z = tile / (across * down), place = tile % (across * down);
        const xi64 row = place / across * T + y, col = place % across * T + x;
        A sum = A{};
        for (xi64 step = 0; step < k; step += T) {
            A p = A{}, q = A{};
            if (row < m && step + x < k) {
                const @item@ v = a[z * a_batch + row * a_row + (step + x) * a_col];
                p = @load@;
            }
            if (col < n && step + y < k) {
                const @item@ v = b[z * b_batch + (step + y) * b_row + col * b_col];
                q = @load@;
            }
            left[y][x] = p;
            right[y][x] = q;
            __syncthreads();
#pragma unroll
            for (int i = 0; i < T; i++) sum = x_add(sum, x_mul(left[y][i], right[i][x]));
            __syncthreads();
        }
        if (row < m && col < n) c[z * c_batch + row * c_row + col] = @store@;
    }
}
