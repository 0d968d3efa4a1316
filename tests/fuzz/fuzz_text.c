/* fuzz_text - libFuzzer target: number texts and format specs. Invariant: a number that is written
 * and read is the same number; whatever the spec, a status comes back and no memory is left. */
#include "interp/format.h"
#include "runtime/base/numtext.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void must(int ok) {
    if (!ok) abort();
}

static void round_trip(double v) {
    char text[NUMTEXT_REAL];
    double back = 0;
    int n = numtext_repr(v, text);
    must(n < NUMTEXT_REAL && text[n] == '\0');
    must(numtext_parse_f64(text, (size_t)n, &back) == NUM_OK);
    must(isnan(v) ? isnan(back) : memcmp(&v, &back, 8) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    Cx cx;
    Buf b;
    double v;
    Complex128 c;
    if (n < 9) return 0;
    memset(&cx, 0, sizeof cx);
    mem_init(&cx.mem, NULL, NULL);
    buf_init(&b, &cx);
    memcpy(&v, data, 8);
    round_trip(v);
    Scalar s = {.kind = data[8] % 5};
    if (s.kind == SC_BOOL)
        s.b = data[0] & 1;
    else if (s.kind == SC_COMPLEX)
        s.c = (Complex128){v, v};
    else
        memcpy(&s.i, data, 8);
    const char *text = (const char *)data + 9;
    n -= 9;
    if (numtext_parse_f64(text, n, &v) == NUM_OK) round_trip(v);
    numtext_parse_complex(text, n, &c);
    Status st = format_spec_scalar(&b, text, n, &s);
    must((st == ARR_OK) == (cx.err.status == ARR_OK));
    error_clear(&cx);
    format_spec_string(&b, text, n, "gr\xc3\xb6\xc3\x9f", 6);
    buf_free(&b);
    must(atomic_load(&cx.mem.live) == 0);
    return 0;
}
