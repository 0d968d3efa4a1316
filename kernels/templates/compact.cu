/* compact - the outputs of a map for which a condition holds, one after another, in order: a block
 * takes a tile by ticket, a warp neighbouring elements of it. What is kept is put in order in shared
 * memory first; where a tile's part begins comes by way of posts: ticket, how many in all, then a
 * tile's count or that of all up to it. Other stores are those of a map. */
extern "C" __global__ void __launch_bounds__(BLOCK, UNROLL * VEC > 16 ? 4 : 6) @name@(@params@) {
    enum { tile = BLOCK * VEC * UNROLL, PAIRS = (UNROLL + 1) / 2 };
    __shared__ @kept_type@ stage[tile];
    __shared__ I ticket, begins;
    __shared__ int warp_count[BLOCK / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const I items = (hi + tile - 1) / tile;
    for (I turn = blockIdx.x; turn < items; turn += gridDim.x) {
        if (threadIdx.x == 0) ticket = (I)atomicAdd(posts, 1ull);
        __syncthreads();
        const I item = ticket, t = item * tile;
        const bool whole = @whole@;
        bool keep[UNROLL * VEC];
        @arrays@
        if (whole) {
            const I left = VEC;
            const xu64 vectors = ~0ull;
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = t + ((warp * UNROLL + u) * 32 + lane) * VEC;
                @loads@
            }
        } else {
            const xu64 vectors = mode;
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = t + ((warp * UNROLL + u) * 32 + lane) * VEC;
                const I left = hi - i;
                @loads@
            }
        }
#pragma unroll
        for (int j = 0; j < UNROLL * VEC; j++) {
            const I i = t + ((warp * UNROLL + j / VEC) * 32 + lane) * VEC + j % VEC;
            const bool on = i < hi;
            const xi64 place = i;
            @body@
            keep[j] = on && @condition@;
        }
        /* how many each thread keeps of each vector, two to a word, added up over the warp */
        xu32 own[PAIRS], upto[PAIRS];
#pragma unroll
        for (int k = 0; k < PAIRS; k++) own[k] = 0;
#pragma unroll
        for (int j = 0; j < UNROLL * VEC; j++) own[j / VEC / 2] += (xu32)keep[j] << j / VEC % 2 * 16;
#pragma unroll
        for (int k = 0; k < PAIRS; k++) {
            upto[k] = own[k];
#pragma unroll
            for (int d = 1; d < 32; d *= 2) {
                const xu32 more = __shfl_up_sync(0xffffffffu, upto[k], d, 32);
                if (lane >= d) upto[k] += more;
            }
        }
        int first[UNROLL], count = 0; /* of this thread's vectors, within the warp's part */
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const int shift = u % 2 * 16;
            first[u] = count + (int)((upto[u / 2] - own[u / 2]) >> shift & 0xffffu);
            count += (int)(__shfl_sync(0xffffffffu, upto[u / 2], 31, 32) >> shift & 0xffffu);
        }
        if (lane == 0) warp_count[warp] = count;
        __syncthreads();
        int before = 0, all = 0;
#pragma unroll
        for (int w = 0; w < BLOCK / 32; w++) {
            if (w == warp) before = all;
            all += warp_count[w];
        }
        if (threadIdx.x == 0) post_count(posts + 2, item, all, item == 0);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            int at = before + first[u];
#pragma unroll
            for (int e = 0; e < VEC; e++) {
                const int j = u * VEC + e;
                if (keep[j]) stage[at] = @kept_value@;
                at += keep[j];
            }
        }
        if (whole) {
            const I left = VEC;
            const xu64 vectors = ~0ull;
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = t + ((warp * UNROLL + u) * 32 + lane) * VEC;
                @stores@
            }
        } else {
            const xu64 vectors = mode;
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const I i = t + ((warp * UNROLL + u) * 32 + lane) * VEC;
                const I left = hi - i;
                @stores@
            }
        }
        if (warp == 0 && item > 0) {
            const xi64 n = count_before(posts + 2, (xi64)item, all);
            if (lane == 0) begins = (I)n;
        }
        __syncthreads();
        const I begin = item > 0 ? begins : 0;
        if (threadIdx.x == 0 && item == items - 1) posts[1] = (xu64)(begin + all);
        for (int k = threadIdx.x; k < all; k += BLOCK) @kept_pointer@[begin + k] = stage[k];
        __syncthreads(); /* the next tile reuses the shared arrays */
    }
}
