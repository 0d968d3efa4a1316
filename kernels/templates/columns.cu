/* columns - outputs [lo, hi), neighbours in memory: a block is `group` rows of threads (a power of
 * two, at most 32), each row as wide as the block allows. The thread in row g owns the lanes g,
 * g + group, g + 2 group, g + 3 group of its output's chunk, and loads UNROLL elements ahead (a
 * multiple of four) where all are there. Several chunks as in rows, a warp a column. */
extern "C" __global__ void __launch_bounds__(COLUMN_BLOCK, 1) @name@(@params@) {
    __shared__ S shared_state[COLUMN_BLOCK];
    const int width = (int)blockDim.x / group;
    const int x = (int)threadIdx.x % width, g = (int)threadIdx.x / width;
    const I tiles = (hi - lo + width - 1) / width, items = tiles * nchunk;
    for (I item = blockIdx.x; item < items; item += gridDim.x) {
        const I column = item % tiles * width + x, chunk = item / tiles;
        const bool working = lo + column < hi;
        const I o = working ? lo + column : lo;
        const I start = chunk * CHUNK;
        const int length = reduced - start < CHUNK ? (int)(reduced - start) : CHUNK;
        const bool whole = lo + (item % tiles + 1) * width <= hi; /* all threads of the block work */
        int base = 0;
        S s[4];
#pragma unroll
        for (int l = 0; l < 4; l++) s[l].empty();
        @outer@
#pragma unroll 1
        for (; whole && base + UNROLL * group <= length; base += UNROLL * group) {
            @arrays@
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = start + base + u * group + g;
                const int left = 1;
                @loads@
            }
#pragma unroll
            for (int j = 0; j < UNROLL; j++) {
                const int l = j % 4;
                const I i = start + base + j * group + g;
                const bool on = true;
                const xi64 before = (xu32)base / LANES + j / 4;
                const xi64 place = (xi64)o * reduced + i;
                @body@
            }
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = start + base + u * group + g;
                const int left = 1;
                @stores@
            }
        }
#pragma unroll 1
        for (; base < length; base += 4 * group) {
            enum { UNROLL = 4 };
            @arrays@
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = start + base + u * group + g;
                const I left = working ? start + length - i : 0;
                @loads@
            }
#pragma unroll
            for (int j = 0; j < UNROLL; j++) {
                const int l = j;
                const I i = start + base + j * group + g;
                const bool on = working && i < start + length;
                const xi64 before = (xu32)base / LANES;
                const xi64 place = (xi64)o * reduced + i;
                @body@
            }
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = start + base + u * group + g;
                const I left = working ? start + length - i : 0;
                @stores@
            }
        }
        if (2 * group + g < length) s[0].join(s[2]);
        if (3 * group + g < length) s[1].join(s[3]);
        if (group + g < length) s[0].join(s[1]);
        shared_state[threadIdx.x] = s[0];
        __syncthreads();
        for (int d = group / 2; d > 0; d >>= 1) {
            if (g < d && g + d < length) {
                s[0].join(shared_state[(g + d) * width + x]);
                shared_state[threadIdx.x] = s[0];
            }
            __syncthreads();
        }
        bool finishes = g == 0 && working;
        I done = column; /* whose state this thread holds */
        I at = chunk, count = nchunk;
        S *level = part;
        xu32 *arrived = arrivals;
        while (FOLDS && count > 1) { /* as in rows, a warp a column */
            const int t = threadIdx.x & 31;
            const I tile = item % tiles, chunks = (count + CHUNK - 1) / CHUNK, next = at / CHUNK;
            const int many = count - next * CHUNK < CHUNK ? (int)(count - next * CHUNK) : CHUNK;
            if (finishes) level[(xi64)done * count + at] = s[0];
            if (!last_block_here(arrived + tile * chunks + next, many)) {
                finishes = false;
                break;
            }
            done = tile * width + threadIdx.x / 32;
            finishes = (int)threadIdx.x / 32 < width && lo + done < hi;
            if (finishes) take_states(s, level + (xi64)done * count + next * CHUNK, many, t);
            combine(s, t, 32, finishes ? many : 0);
            finishes = finishes && t == 0;
            level += (xi64)(hi - lo) * count, arrived += tiles * chunks;
            at = next, count = chunks;
        }
        if (finishes) {
            const S &result = s[0];
            const I o = lo + done;
            @outer@
            @finish@
        }
        __syncthreads(); /* the next item reuses shared_state */
    }
}
