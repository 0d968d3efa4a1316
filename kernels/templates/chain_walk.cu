/* chain_walk - one walk over the elements of the output in hand (chain.cu). Without reductions it ends
 * with the last element. */
@open@
{
    int base = 0;
    S s[4];
#pragma unroll
    for (int l = 0; l < 4; l++) s[l].empty();
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
    @close@
}
