/* fold - the states of an output's chunks become one, by the rule of rows: `reduced` states an
 * output, taken as the elements of chunks of CHUNK. */
extern "C" __global__ void __launch_bounds__(BLOCK) @name@(@params@) {
    const int t = threadIdx.x & (group - 1);
    const I items = (hi - lo) * nchunk, mine = threadIdx.x / group;
    const I step = (I)gridDim.x * (BLOCK / group);
    for (I first = (I)blockIdx.x * (BLOCK / group); first < items; first += step) {
        const bool working = first + mine < items;
        const I item = working ? first + mine : 0;
        const I out = nchunk == 1 ? item : item / nchunk;
        const I start = (nchunk == 1 ? 0 : item % nchunk) * CHUNK;
        const I length = !working ? 0 : reduced - start < CHUNK ? reduced - start : CHUNK;
        const S *states = from + out * reduced + start;
        S s[4];
#pragma unroll
        for (int l = 0; l < 4; l++) s[l].empty();
        for (I base = 0; base < length; base += LANES) {
#pragma unroll
            for (int l = 0; l < 4; l++) {
                const I i = base + 4 * t + l;
                if (i >= length) continue;
                if (base == 0)
                    s[l] = states[i];
                else
                    s[l].join(states[i]);
            }
        }
        combine(s, t, group, length);
        if (t == 0 && working) {
            if (part) {
                part[item] = s[0];
            } else {
                const S &result = s[0];
                const I o = lo + out;
                @outer@
                @finish@
            }
        }
    }
}
