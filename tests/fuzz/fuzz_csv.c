/* fuzz_csv - libFuzzer target: a byte of options, then any bytes as a text table. Invariant: a
 * status comes back, refusals have a message, the table has the size that its shape says, and no
 * memory is left. */
#include "runtime/csv.h"

#include <stdlib.h>
#include <string.h>

static void must(int ok) {
    if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    Cx cx;
    CsvData d;
    CsvOptions opt = CSV_OPTIONS;
    if (n == 0) return 0;
    memset(&cx, 0, sizeof cx);
    mem_init(&cx.mem, NULL, NULL);
    opt.delimiter = ",; \t"[data[0] & 3];
    opt.header = (data[0] >> 2 & 3) - 1;
    opt.dtype = (DType)(data[0] >> 4);
    opt.typed = opt.dtype < DT_COUNT;
    if (!opt.typed) opt.dtype = DT_f64;
    Status st = csv_parse(&cx, SPAN_NONE, "t", (const char *)data + 1, n - 1, &opt, &d);
    must((st == ARR_OK) == (cx.err.status == ARR_OK) && (st == ARR_OK || cx.err.message[0]));
    if (st == ARR_OK) {
        int64_t count = shape_size(&d.shape);
        must((size_t)count * dtype_size(d.dtype) == d.bytes && (count == 0) == (d.data == NULL));
    } else {
        must(d.data == NULL);
    }
    csv_free(&cx, &d);
    must(atomic_load(&cx.mem.live) == 0);
    return 0;
}
