/* scan_tiles - running combination along contiguous rows in one pass: a block takes a tile of 4096
 * elements by ticket, a thread a segment of 32. Segments are combined one element after another, the
 * 128 segment totals one after another, and an element is (tile's carry) op ((segment's carry) op
 * (its own)), so that every run and backend gives the same bits. Carries come by way of posts: ticket,
 * totals of all tiles, of each row's `groups` groups and `uppers` upper tiles (see prelude); NULL
 * where a row is one tile. vector: bit 0 operands, bit 1 results may be accessed in vectors. */
extern "C" __global__ void __launch_bounds__(128) @name@(const @in@ *in, @out@ *out, xu64 *posts,
                                                         const xi64 axis, const xi64 tiles,
                                                         const xi64 items, const xi64 groups,
                                                         const xi64 uppers, const int vector) {
    typedef @acc@ A;
    enum { SEGMENT = 32, SEGMENTS = 128, TILE = SEGMENT * SEGMENTS, WORDS = sizeof(A) > 4 ? 2 : 1 };
    enum { UNIT = 16 / sizeof(A), UNITS = SEGMENT / UNIT, ROW = UNITS + 1 }; /* apart in the banks */
    struct O {
        static __device__ __forceinline__ A op(A a, A b) { return @op@(a, b); }
    };
    __shared__ Pack<UNIT, A> element[SEGMENTS * ROW];
    __shared__ A before[SEGMENTS]; /* segments' totals, then all of the segments before */
    __shared__ Ahead<A> ahead;
    __shared__ xi64 ticket;
    const int t = threadIdx.x;
    for (xi64 turn = blockIdx.x; turn < items; turn += gridDim.x) {
        if (posts && t == 0) ticket = (xi64)atomicAdd(posts, 1ull);
        __syncthreads();
        const xi64 item = posts ? ticket : turn, row = item / tiles, tile = item % tiles;
        const xi64 start = row * axis + tile * TILE, rest = axis - tile * TILE;
        const Posts post_at = {posts + 2 + row * tiles * WORDS,
                               posts + 2 + (items + row * groups) * WORDS,
                               posts + 2 + (items + items / tiles * groups + row * uppers) * WORDS};
        @in@ raw[SEGMENT];
#pragma unroll
        for (int k = 0; k < UNITS; k++) {
            const int e = (k * SEGMENTS + t) * UNIT;
            load<UNIT>(raw + k * UNIT, in + start + e, rest - e, vector & 1);
        }
#pragma unroll
        for (int k = 0; k < UNITS; k++) {
            const int u = k * SEGMENTS + t;
            Pack<UNIT, A> q;
#pragma unroll
            for (int e = 0; e < UNIT; e++) {
                const @in@ x = raw[k * UNIT + e];
                q.at[e] = @load@;
            }
            element[u / UNITS * ROW + u % UNITS] = q;
        }
        __syncthreads();
        A mine[SEGMENT]; /* past the end of a row stands what nobody uses */
#pragma unroll
        for (int k = 0; k < UNITS; k++) {
            const Pack<UNIT, A> q = element[t * ROW + k];
#pragma unroll
            for (int e = 0; e < UNIT; e++) mine[k * UNIT + e] = q.at[e];
        }
#pragma unroll
        for (int e = 1; e < SEGMENT; e++) mine[e] = O::op(mine[e - 1], mine[e]);
        before[t] = mine[SEGMENT - 1];
        __syncthreads();
        if (t == 0) {
            A total = before[0];
#pragma unroll 8
            for (int s = 1; s < SEGMENTS; s++) {
                const A own = before[s];
                before[s] = total;
                total = O::op(total, own);
            }
            if (posts) post(post_at.total, tile, total);
        } else if (tile > 0) {
            look_back<O>(ahead, post_at, tile);
        }
        __syncthreads();
        const A first = before[t];
        A carry = A{};
        if (tile > 0) carry = carried<O>(ahead, tile);
#pragma unroll
        for (int e = 0; e < SEGMENT; e++) {
            if (t > 0) mine[e] = O::op(first, mine[e]);
            if (tile > 0) mine[e] = O::op(carry, mine[e]);
        }
#pragma unroll
        for (int k = 0; k < UNITS; k++) {
            Pack<UNIT, A> q;
#pragma unroll
            for (int e = 0; e < UNIT; e++) q.at[e] = mine[k * UNIT + e];
            element[t * ROW + k] = q;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < UNITS; k++) {
            const int u = k * SEGMENTS + t, e = u * UNIT;
            const Pack<UNIT, A> q = element[u / UNITS * ROW + u % UNITS];
            @out@ y[UNIT];
#pragma unroll
            for (int i = 0; i < UNIT; i++) {
                const A v = q.at[i];
                y[i] = @store@;
            }
            store<UNIT>(out + start + e, y, rest - e, vector & 2);
        }
        __syncthreads(); /* the next tile reuses the shared arrays */
    }
}
