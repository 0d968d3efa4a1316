/* chain - outputs [lo, hi) whose reductions feed one another: their elements are walked as often as
 * needed. An output of one chunk is the work of a group of threads as in rows; a longer one that of
 * a block, a warp a chunk. A thread meets the same elements in every walk, so that what waits for a
 * later one, in shared memory where there is room, needs no barrier. */
extern "C" __global__ void __launch_bounds__(@walkers@) @name@(@params@) {
    const int t = threadIdx.x & (group - 1), mine = threadIdx.x / group;
    const int rows = nchunk == 1 ? (int)blockDim.x / group : 1;
    const I start = nchunk == 1 ? 0 : (I)mine * CHUNK;
    @places@
    for (I first = lo + (I)blockIdx.x * rows; first < hi; first += (I)gridDim.x * rows) {
        const I wanted = nchunk == 1 ? first + mine : first;
        const bool working = wanted < hi; /* the others still take part in shuffles */
        const I o = working ? wanted : lo;
        const int length = !working ? 0 : reduced - start < CHUNK ? (int)(reduced - start) : CHUNK;
        const bool leader = working && t == 0 && (nchunk == 1 || mine == 0);
        @outer@
        @fetch@
        @walks@
    }
}
