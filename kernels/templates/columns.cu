/* columns - outputs [lo, hi), neighbours in memory: a block is `group` rows of threads (a power of
 * two, at most 32), each row as wide as the block allows. The thread in row g owns the lanes g,
 * g + group, g + 2 group, g + 3 group of its output's chunk, and loads UNROLL elements ahead (a
 * multiple of four) where all are there. part and result as in rows. */
extern "C" __global__ void __launch_bounds__(COLUMN_BLOCK, 1) @name@(@params@) {
    __shared__ S shared_state[COLUMN_BLOCK];
    let_next(); /* fold, where there is one */
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
        if (g == 0 && working) {
            if (part) {
                part[column * nchunk + chunk] = s[0];
            } else {
                const S &result = s[0];
                @finish@
            }
        }
        __syncthreads(); /* the next item reuses shared_state */
    }
}
