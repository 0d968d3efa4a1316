/* chain_walk - one walk over the elements of the output in hand (chain.cu), several vectors at a time
 * where they are whole and need no special care. Without reductions it ends with the last element. */
@open@
{
    @begin@
#pragma unroll 1
    for (int first = 0; first < length; first += LANES * UNROLL) {
        if (first + LANES * UNROLL <= length) {
            const int base = first;
            bool fine = @fine@;
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
                @quick@
            }
            if (fine) {
#pragma unroll
                for (int u = 0; u < UNROLL; u++) {
                    const I i = start + base + u * LANES + 4 * t;
                    const int left = VEC;
                    @stores@
                }
                continue;
            }
        }
        const int end = first + LANES * UNROLL < length ? first + LANES * UNROLL : length;
#pragma unroll 1
        for (int base = first; base < end; base += LANES) {
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
    }
    @close@
}
