/* fold - the states of an output's chunks become one, by the rule of rows: `reduced` states an
 * output, taken as the elements of chunks of CHUNK. Where those are several, whoever brings the last
 * one's state to part folds them (arrivals: how many have come; NULL: that is another launch's). */
extern "C" __global__ void __launch_bounds__(BLOCK, 1) @name@(@params@) {
    enum { AHEAD = sizeof(S) <= 8 ? 8 : sizeof(S) <= 16 ? 4 : 2 }; /* loads on their way, by lanes */
    const int t = threadIdx.x & (group - 1);
    const I items = (hi - lo) * nchunk, mine = threadIdx.x / group;
    const I step = (I)gridDim.x * (BLOCK / group);
    wait_previous();
    for (I first = (I)blockIdx.x * (BLOCK / group); first < items; first += step) {
        const bool working = first + mine < items;
        const I item = working ? first + mine : 0;
        const I out = nchunk == 1 ? item : item / nchunk;
        const I start = (nchunk == 1 ? 0 : item % nchunk) * CHUNK;
        I length = !working ? 0 : reduced - start < CHUNK ? reduced - start : CHUNK;
        const S *states = from + out * reduced + start;
        bool finishes = working;
        S s[4];
        for (bool last = !part;; last = true) {
#pragma unroll
            for (int l = 0; l < 4; l++) s[l].empty();
#pragma unroll 1
            for (I base = 0; base < length; base += LANES * AHEAD) {
                S x[AHEAD * 4];
#pragma unroll
                for (int j = 0; j < AHEAD * 4; j++) {
                    const I i = base + j / 4 * LANES + 4 * t + j % 4;
                    if (i < length) x[j] = states[i];
                }
#pragma unroll
                for (int j = 0; j < AHEAD * 4; j++) {
                    const I i = base + j / 4 * LANES + 4 * t + j % 4;
                    if (i >= length) continue;
                    if (base == 0 && j < 4)
                        s[j % 4] = x[j];
                    else
                        s[j % 4].join(x[j]);
                }
            }
            combine(s, t, group, length);
            if (last) break;
            if (t == 0 && working) part[item] = s[0];
            finishes = working && arrivals && last_here(arrivals + out, (int)nchunk, t);
            if (!finishes) break;
            states = part + out * nchunk, length = nchunk;
        }
        if (t == 0 && finishes) {
            const S &result = s[0];
            const I o = lo + out;
            @outer@
            @finish@
        }
    }
}
