/* scan_tiles - running combination along contiguous rows: a block takes a tile of 4096 elements, a
 * thread a segment of 32. Segments are combined one element after another, the 128 segment totals
 * one after another, and an element is (tile's carry) op ((segment's carry) op (its own)), so that
 * every run and backend gives the same bits. Without out, only the tiles' totals are written. */
extern "C" __global__ void __launch_bounds__(128) @name@(const @in@ *in, @out@ *out, @acc@ *totals,
                                                         const @acc@ *carry, const xi64 rows,
                                                         const xi64 axis, const xi64 tiles) {
    typedef @acc@ A;
    enum { SEGMENT = 32, SEGMENTS = 128, TILE = SEGMENT * SEGMENTS };
    __shared__ A element[TILE + SEGMENTS]; /* a segment apart by 33: no bank conflicts */
    __shared__ A before[SEGMENTS + 1];     /* before[s]: segments 0 .. s - 1 combined */
    const int t = threadIdx.x;
    for (xi64 item = blockIdx.x; item < rows * tiles; item += gridDim.x) {
        const xi64 row = item / tiles, tile = item % tiles, start = row * axis + tile * TILE;
        const xi64 rest = axis - tile * TILE;
        const int n = rest < TILE ? (int)rest : (int)TILE;
        for (int e = t; e < n; e += SEGMENTS) {
            const @in@ x = in[start + e];
            element[e + e / SEGMENT] = @load@;
        }
        __syncthreads();
        A *mine = element + t * (SEGMENT + 1);
        const int count = n - t * SEGMENT < SEGMENT ? n - t * SEGMENT : (int)SEGMENT;
        if (count > 0) {
            A sum = mine[0];
            for (int e = 1; e < count; e++) {
                sum = @op@(sum, mine[e]);
                mine[e] = sum;
            }
            before[t + 1] = sum;
        }
        __syncthreads();
        const int segments = (n + SEGMENT - 1) / SEGMENT;
        if (t == 0) {
            A sum = before[1];
#pragma unroll 8
            for (int s = 2; s <= segments; s++) {
                sum = @op@(sum, before[s]);
                before[s] = sum;
            }
        }
        __syncthreads();
        if (!out) {
            if (t == 0) totals[item] = before[segments];
        } else {
            for (int e = t; e < n; e += SEGMENTS) {
                A v = element[e + e / SEGMENT];
                if (e >= SEGMENT) v = @op@(before[e / SEGMENT], v);
                if (tile > 0) v = @op@(carry[item - 1], v);
                out[start + e] = @store@;
            }
        }
        __syncthreads(); /* the next tile reuses the shared arrays */
    }
}
