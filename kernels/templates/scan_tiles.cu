/* scan_tiles - running combination along contiguous rows. A thread has a segment of 32 elements of a
 * tile of 4096: segments are combined one element after another, the 128 segment totals one after
 * another, and an element is (tile's carry) op ((segment's carry) op (its own)), so that every run
 * and backend gives the same bits. A tile is met twice: its total is found and posted (see prelude)
 * `lag` tiles before its elements are written, when they still are in the chip's cache and what
 * precedes them has long been posted, so that nobody waits. posts, which follow the ticket of the
 * turns, is NULL where a row is one tile. vector: bit 0 operands, bit 1 results may be accessed in
 * vectors. */
extern "C" __global__ void __launch_bounds__(128, sizeof(@acc@) > 4 ? 6 : 8)
    @name@(const @in@ *in, @out@ *out, xu64 *posts, const xi64 axis, const xi64 tiles,
           const xi64 items, const xi64 groups, const xi64 uppers, const int vector, const xi64 lag) {
    typedef @acc@ A;
    enum { SEGMENT = 32, SEGMENTS = 128, TILE = SEGMENT * SEGMENTS, WORDS = sizeof(A) > 4 ? 2 : 1 };
    enum { UNIT = 16 / sizeof(A), UNITS = SEGMENT / UNIT };
    enum { TURN = UNITS < 8 ? UNITS : 8 }; /* units on their way */
    struct O {
        static __device__ __forceinline__ A op(A a, A b) { return @op@(a, b); }
    };
    __shared__ Pack<UNIT, A> element[SEGMENTS * UNITS]; /* apart in the banks: see place_of */
    __shared__ Pack<UNIT, A> before[SEGMENTS / UNIT];   /* segments' totals, then all before each */
    __shared__ Ahead<A> ahead;
    __shared__ xi64 ticket;
    const int t = threadIdx.x;
    const xi64 turns = posts ? 2 * items : items;
    for (xi64 own = blockIdx.x; own < turns; own += gridDim.x) {
        if (posts && t == 0) ticket = (xi64)atomicAdd(posts, 1ull);
        __syncthreads();
        const xi64 turn = posts ? ticket : own;
        const xi64 past = turn - lag, pairs = items - lag; /* totals, both by turns, elements */
        const bool write = !posts || (past >= 0 && (past >= 2 * pairs || past & 1));
        const xi64 item = !posts || past < 0  ? turn
                          : past >= 2 * pairs ? past - pairs
                                              : past / 2 + (write ? 0 : lag);
        const xi64 row = item / tiles, tile = item % tiles;
        const xi64 start = row * axis + tile * TILE, rest = axis - tile * TILE;
#pragma unroll 1
        for (int k = 0; k < UNITS; k += TURN) {
            @in@ raw[TURN * UNIT];
#pragma unroll
            for (int j = 0; j < TURN; j++) {
                const int e = ((k + j) * SEGMENTS + t) * UNIT;
                if (write)
                    load_last<UNIT>(raw + j * UNIT, in + start + e, rest - e, vector & 1);
                else
                    load<UNIT>(raw + j * UNIT, in + start + e, rest - e, vector & 1);
            }
#pragma unroll
            for (int j = 0; j < TURN; j++) {
                Pack<UNIT, A> q;
#pragma unroll
                for (int e = 0; e < UNIT; e++) {
                    const @in@ x = raw[j * UNIT + e];
                    q.at[e] = @load@;
                }
                element[place_of<UNITS>((k + j) * SEGMENTS + t)] = q;
            }
        }
        __syncthreads();
        A sum = A{}; /* past the end of a row stands what nobody uses */
#pragma unroll
        for (int k = 0; k < UNITS; k++) {
            Pack<UNIT, A> q = element[place_of<UNITS>(t * UNITS + k)];
#pragma unroll
            for (int e = 0; e < UNIT; e++) {
                sum = k + e == 0 ? q.at[e] : O::op(sum, q.at[e]);
                q.at[e] = sum;
            }
            if (write) element[place_of<UNITS>(t * UNITS + k)] = q;
        }
        before[t / UNIT].at[t % UNIT] = sum;
        __syncthreads();
        const Posts post_at = {posts + 2 + row * tiles * WORDS,
                               posts + 2 + (items + row * groups) * WORDS,
                               posts + 2 + (items + items / tiles * groups + row * groups) * WORDS,
                               posts + 2 + (items + items / tiles * groups * 2 + row * uppers) * WORDS};
        if (t == 0) {
#pragma unroll 8
            for (int s = 0; s < SEGMENTS / UNIT; s++) {
                Pack<UNIT, A> q = before[s];
#pragma unroll
                for (int e = 0; e < UNIT; e++) {
                    const A own = q.at[e];
                    q.at[e] = sum;
                    sum = s + e == 0 ? own : O::op(sum, own);
                }
                before[s] = q;
            }
            if (!write) post(post_at.total, tile, sum);
            if (write && posts) (void)await<A>(post_at.total, tile); /* results may replace operands */
        } else if (write && tile > 0) {
            look_back<O>(ahead, post_at, tile);
        } else if (!write && (tile & 31) == 31 && t / 32 == 1) {
            close_group<O>(ahead, post_at, tile >> 5);
        }
        __syncthreads();
        if (!write) continue;
        A carry = A{};
        if (tile > 0) carry = carried<O>(ahead, tile);
#pragma unroll 4
        for (int k = 0; k < UNITS; k++) {
            const int u = k * SEGMENTS + t, e = u * UNIT, s = u / UNITS;
            const Pack<UNIT, A> q = element[place_of<UNITS>(u)];
            const A first = before[s / UNIT].at[s % UNIT];
            @out@ y[UNIT];
#pragma unroll
            for (int i = 0; i < UNIT; i++) {
                A v = q.at[i];
                if (s > 0) v = O::op(first, v);
                if (tile > 0) v = O::op(carry, v);
                y[i] = @store@;
            }
            store_last<UNIT>(out + start + e, y, rest - e, vector & 2);
        }
        __syncthreads(); /* the next tile reuses the shared arrays */
    }
}
