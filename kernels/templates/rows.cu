/* rows - outputs [lo, hi), each over `reduced` elements in chunks of CHUNK: a group of threads (a
 * power of two, at most a warp; fewer where all elements fit in 4 * group lanes) takes one chunk of
 * one output at a time, thread t the lanes 4 t .. 4 t + 3. Vectors that are whole are loaded UNROLL
 * ahead, without a question an element. With one chunk an output it finishes the output; otherwise
 * part receives the chunk's state. */
extern "C" __global__ void __launch_bounds__(BLOCK, 1) @name@(@params@) {
    const int t = threadIdx.x & (group - 1);
    let_next(); /* fold, where there is one */
    const I items = (hi - lo) * nchunk, mine = threadIdx.x / group;
    const I step = (I)gridDim.x * (BLOCK / group);
    for (I first = (I)blockIdx.x * (BLOCK / group); first < items; first += step) {
        const bool working = first + mine < items; /* the others still take part in shuffles */
        const I item = working ? first + mine : 0;
        const I o = lo + (nchunk == 1 ? item : item / nchunk);
        const I start = (nchunk == 1 ? 0 : item % nchunk) * CHUNK;
        const int length = !working ? 0 : reduced - start < CHUNK ? (int)(reduced - start) : CHUNK;
        int base = 0;
        S s[4];
#pragma unroll
        for (int l = 0; l < 4; l++) s[l].empty();
        @outer@
#pragma unroll 1
        for (; base + LANES * UNROLL <= length; base += LANES * UNROLL) {
            @arrays@
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = start + base + u * LANES + 4 * t;
                const int left = VEC;
                @loads@
            }
#pragma unroll
            for (int j = 0; j < UNROLL * 4; j++) {
                const int l = j % 4;
                const I i = start + base + j / 4 * LANES + 4 * t + l;
                const bool on = true;
                const xi64 before = (xu32)base / LANES + j / 4;
                const xi64 place = (xi64)o * reduced + i;
                @body@
            }
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = start + base + u * LANES + 4 * t;
                const int left = VEC;
                @stores@
            }
        }
#pragma unroll 1
        for (; base < length; base += LANES) {
            enum { UNROLL = 1, u = 0 };
            @arrays@
            {
                const I i = start + base + 4 * t;
                const I left = start + length - i;
                @loads@
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int l = j;
                const I i = start + base + 4 * t + l;
                const bool on = i < start + length;
                const xi64 before = (xu32)base / LANES;
                const xi64 place = (xi64)o * reduced + i;
                @body@
            }
            {
                const I i = start + base + 4 * t;
                const I left = start + length - i;
                @stores@
            }
        }
        combine(s, t, group, length);
        if (t == 0 && working) {
            if (part) {
                part[item] = s[0];
            } else {
                const S &result = s[0];
                @finish@
            }
        }
    }
}
