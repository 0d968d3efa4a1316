/* fuzz_npy - libFuzzer target: any bytes as the beginning of a .npy file of any size. Invariant: a
 * status comes back, refusals have a message, what is accepted fits in the file, and no memory is
 * left. */
#include "runtime/npy.h"

#include <stdlib.h>
#include <string.h>

static void must(int ok) {
    if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    Cx cx;
    NpyInfo info;
    size_t extent = 0;
    memset(&cx, 0, sizeof cx);
    mem_init(&cx.mem, NULL, NULL);
    /* half of the inputs are the header of a huge file, the others are whole files */
    int64_t size = n > 0 && (data[n - 1] & 1) ? INT64_MAX : (int64_t)n;
    Status st = npy_header_extent(&cx, SPAN_NONE, "f", data, n < NPY_PREFIX ? n : NPY_PREFIX, size,
                                  &extent);
    must(st != ARR_OK || (int64_t)extent <= size);
    must((st == ARR_OK) == (cx.err.status == ARR_OK));
    error_clear(&cx);
    if (st != ARR_OK || extent > n) return 0;
    st = npy_header_parse(&cx, SPAN_NONE, "f", data, extent, size, &info);
    must(st == ARR_OK || cx.err.message[0]);
    if (st == ARR_OK) {
        int64_t bytes = info.count * (int64_t)dtype_size(info.dtype);
        must(info.offset == (int64_t)extent && bytes >= 0 && bytes <= size - info.offset);
        must(shape_size(&info.shape) == info.count);
    }
    must(atomic_load(&cx.mem.live) == 0);
    return 0;
}
