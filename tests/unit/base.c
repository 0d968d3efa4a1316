/* Unit tests of runtime/base: what no Arr program can reach one by one (single casts, every pair of
 * dtypes, slices against a direct count, allocation failures). Links the base objects alone. */
#include "runtime/base/buf.h"
#include "runtime/base/ops.h"
#include "runtime/base/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int passed, failed;

static void check(bool ok, const char *what, int line) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("tests/unit/base.c:%d: %s\n", line, what);
    }
}
#define CHECK(e) check(e, #e, __LINE__)

static Cx cx;

static DType promoted(DType a, DType b) {
    DType t;
    return dtype_promote(a, b, &t) ? t : DT_COUNT;
}

static void test_promotion(void) {
    CHECK(promoted(DT_i64, DT_f32) == DT_f32);
    CHECK(promoted(DT_f16, DT_bf16) == DT_f32);
    CHECK(promoted(DT_u8, DT_i8) == DT_i16);
    CHECK(promoted(DT_u32, DT_i8) == DT_i64);
    CHECK(promoted(DT_u64, DT_i8) == DT_COUNT);
    CHECK(promoted(DT_u64, DT_u8) == DT_u64);
    CHECK(promoted(DT_f64, DT_c64) == DT_c128);
    CHECK(promoted(DT_f16, DT_c64) == DT_c64);
    CHECK(promoted(DT_bool, DT_u16) == DT_u16);
    for (int a = 0; a < DT_COUNT; a++)
        for (int b = 0; b < DT_COUNT; b++)
            CHECK(promoted((DType)a, (DType)b) == promoted((DType)b, (DType)a));
}

static double stored(Scalar s, DType d) {
    uint8_t b[16];
    scalar_store(&s, d, b);
    Scalar r = scalar_load(d, b);
    return r.kind == SC_FLOAT  ? r.f
           : r.kind == SC_INT  ? (double)r.i
           : r.kind == SC_UINT ? (double)r.u
           : r.kind == SC_BOOL ? r.b
                               : r.c.re;
}
static Scalar flt(double f) { return (Scalar){.kind = SC_FLOAT, .f = f}; }
static Scalar num(int64_t i) { return (Scalar){.kind = SC_INT, .i = i}; }

static void test_casts(void) {
    CHECK(f16_from_f64(1 + 0x1p-11 + 0x1p-30) == 0x3c01); /* through f32 it would be 0x3c00 */
    CHECK(f16_from_f64(65520.0) == 0x7c00 && f16_from_f64(65519.9) == 0x7bff);
    CHECK(f16_from_f64(0x1p-25) == 0 && f16_from_f64(0x1.00001p-25) == 1);
    CHECK(f16_from_f64(-0.0) == 0x8000);
    CHECK((f16_from_f64(NAN) & 0x7fff) > 0x7c00 && (bf16_from_f32(NAN) & 0x7fff) > 0x7f80);
    int same = 0;
    for (unsigned h = 0; h < 65536; h++) {
        float f = f16_to_f32((uint16_t)h), g = bf16_to_f32((uint16_t)h);
        same += isnan(f) ? 1 : f16_from_f32(f) == h;
        same += isnan(g) ? 1 : bf16_from_f32(g) == h;
    }
    CHECK(same == 2 * 65536);
    CHECK(stored(flt(NAN), DT_i32) == 0 && stored(flt(3e9), DT_i32) == 2147483647.0);
    CHECK(stored(flt(-3e9), DT_i32) == -2147483648.0 && stored(flt(-2.9), DT_i32) == -2);
    CHECK(stored(flt(-1), DT_u8) == 0 && stored(flt(255.9), DT_u8) == 255);
    CHECK(stored(flt(1e30), DT_u64) == 0x1p64 && stored(flt(1e30), DT_i64) == 0x1p63);
    CHECK(stored(num(257), DT_u8) == 1 && stored(num(-1), DT_u16) == 65535);
    CHECK(stored(num(16777217), DT_f32) == 16777216.0);
    CHECK(stored(num((1LL << 60) + (1LL << 52) + 1), DT_bf16) == 0x1.02p60);
    CHECK(stored(num(-3), DT_bool) == 1 && stored(flt(NAN), DT_bool) == 1);
    CHECK(!scalar_fits(&(Scalar){.kind = SC_INT, .i = 300}, DT_u8));
    CHECK(scalar_fits(&(Scalar){.kind = SC_INT, .i = -128}, DT_i8));
    CHECK(!scalar_fits(&(Scalar){.kind = SC_UINT, .u = 1ull << 63}, DT_i64));
    CHECK(scalar_fits(&(Scalar){.kind = SC_UINT, .u = 1ull << 63}, DT_u64));
    char text[64];
    scalar_text(&(Scalar){.kind = SC_FLOAT, .f = 0.1}, text);
    CHECK(strcmp(text, "0.1") == 0);
    scalar_text(&(Scalar){.kind = SC_COMPLEX, .c = {1, -2}}, text);
    CHECK(strcmp(text, "(1-2j)") == 0);
}

static OpArg arr(DType d) { return (OpArg){.dtype = d}; }
static OpArg weak(Scalar s) { return (OpArg){.weak = true, .s = s}; }

/* "in out exact" of a binary op, or the error's message. */
static const char *types2(Op op, OpArg a, OpArg b) {
    static char text[ERROR_MESSAGE_MAX];
    OpTypes t;
    error_clear(&cx);
    if (op_types(&cx, op, (OpArg[]){a, b}, 2, DT_f64, &t) != ARR_OK) return cx.err.message;
    snprintf(text, sizeof text, "%s %s %d", dtype_name(t.in), dtype_name(t.out), (int)t.exact);
    return text;
}
#define TYPES(op, a, b, expected) CHECK(strcmp(types2(op, a, b), expected) == 0)
#define REFUSED(op, a, b, part) CHECK(strstr(types2(op, a, b), part) && cx.err.status != ARR_OK)

static void test_rules(void) {
    TYPES(OP_add, arr(DT_f32), weak(flt(1.5)), "f32 f32 0");
    TYPES(OP_add, arr(DT_i32), weak(flt(1.5)), "f64 f64 0");
    TYPES(OP_add, arr(DT_i32), weak(num(1)), "i32 i32 0");
    TYPES(OP_add, arr(DT_bool), weak(num(1)), "i64 i64 0");
    TYPES(OP_mul, arr(DT_bool), arr(DT_f32), "f32 f32 0");
    TYPES(OP_div, arr(DT_i8), arr(DT_i8), "f64 f64 0");
    TYPES(OP_lt, arr(DT_u8), weak(num(300)), "u8 bool 3");
    TYPES(OP_lt, arr(DT_u8), weak(num(-1)), "u8 bool 2");
    TYPES(OP_eq, arr(DT_u64), arr(DT_i8), "u64 bool 1");
    TYPES(OP_pow, arr(DT_i32), weak(num(2)), "i32 i32 0");
    TYPES(OP_make_complex, arr(DT_f16), arr(DT_i8), "f32 c64 0");
    TYPES(OP_add, arr(DT_f32), weak(((Scalar){.kind = SC_COMPLEX, .c = {0, 1}})), "c64 c64 0");
    REFUSED(OP_add, arr(DT_bool), arr(DT_bool), "i64(m)");
    REFUSED(OP_add, arr(DT_u8), weak(num(300)), "int(x)");
    REFUSED(OP_add, arr(DT_u64), arr(DT_i32), "cast one side");
    REFUSED(OP_lt, arr(DT_c64), arr(DT_c64), "real(x)");
    REFUSED(OP_pow, arr(DT_i32), weak(num(-1)), "negative power");
    REFUSED(OP_shl, arr(DT_bool), arr(DT_bool), "~");
    REFUSED(OP_bit_and, arr(DT_f32), arr(DT_i32), "integers or booleans");
    REFUSED(OP_mod, arr(DT_c64), arr(DT_f32), "complex");
    Op op;
    CHECK(op_find("exp", 3, &op) && op == OP_exp && !op_find("rint", 4, &op));
    CHECK(op_find_operator("-", 1, &op) && op == OP_neg);
    CHECK(op_find_operator("-", 2, &op) && op == OP_sub);
}

/* Every small slice, counted element by element as Python's range does. */
static void test_slices(void) {
    bool ok = true;
    for (int64_t n = 0; n <= 4; n++)
        for (int64_t step = -3; step <= 3; step++)
            for (int64_t lo = -7; lo <= 7; lo++)
                for (int64_t hi = -7; hi <= 7 && step; hi++) {
                    int64_t start, count, want = 0, first = 0;
                    int64_t a = lo < 0 ? lo + n : lo, b = hi < 0 ? hi + n : hi;
                    if (step > 0) {
                        a = a < 0 ? 0 : a;
                        for (int64_t i = a; i < b && i < n; i += step)
                            if (want++ == 0) first = i;
                    } else {
                        a = a >= n ? n - 1 : a;
                        b = b < -1 ? -1 : b;
                        for (int64_t i = a; i > b && i >= 0; i += step)
                            if (want++ == 0) first = i;
                    }
                    slice_resolve(n, true, lo, true, hi, step, &start, &count);
                    ok = ok && count == want && (want == 0 || start == first);
                }
    CHECK(ok);
    int64_t start, count;
    slice_resolve(5, false, 0, false, 0, -2, &start, &count);
    CHECK(start == 4 && count == 3);
    slice_resolve(5, true, INT64_MIN, true, INT64_MAX, INT64_MAX, &start, &count);
    CHECK(start == 0 && count == 1);
    slice_resolve(5, true, INT64_MAX, true, INT64_MIN, INT64_MIN, &start, &count);
    CHECK(start == 4 && count == 1);
}

static void test_shapes(void) {
    Shape a = shape_make(2, (int64_t[]){3, 1}), b = shape_make(2, (int64_t[]){1, 0}), r;
    CHECK(shape_broadcast(&a, &b, &r) && r.dim[0] == 3 && r.dim[1] == 0);
    Shape c = shape_make(1, (int64_t[]){5});
    Shape d = shape_make(2, (int64_t[]){3, 4});
    CHECK(!shape_broadcast(&c, &d, &r) && shape_mismatch(&c, &d) == 0);
    char text[SHAPE_TEXT];
    shape_text(DT_f32, &d, text);
    CHECK(strcmp(text, "f32[3,4]") == 0);
    int64_t n;
    Shape huge = shape_make(2, (int64_t[]){1000000000000, 1000000000000});
    error_clear(&cx);
    CHECK(shape_count(&cx, SPAN_NONE, &huge, 8, &n) == ARR_ERR_LIMIT);
    error_clear(&cx);
    int axis;
    CHECK(shape_axis(&cx, SPAN_NONE, "sum", -1, 2, &axis) == ARR_OK && axis == 1);
    CHECK(shape_axis(&cx, SPAN_NONE, "sum", 2, 2, &axis) == ARR_ERR_VALUE);
}

static void test_errors_and_memory(void) {
    error_clear(&cx);
    CHECK(error_set(&cx, ARR_ERR_SHAPE, SPAN_NONE, "first") == ARR_ERR_SHAPE);
    CHECK(error_set(&cx, ARR_ERR_VALUE, SPAN_NONE, "second") == ARR_ERR_SHAPE);
    for (uint32_t i = 0; i < 40; i++) error_frame(&cx, (Span){1, i, i}, "f");
    CHECK(cx.err.nframes == 40 && cx.err.frames[0].span.lo == 0);
    CHECK(cx.err.frames[7].span.lo == 7 && cx.err.frames[8].span.lo == 32);
    CHECK(cx.err.frames[15].span.lo == 39);
    error_clear(&cx);
    int64_t live = cx.mem.live;
    Buf buf;
    buf_init(&buf, &cx);
    for (int i = 0; i < 1000; i++) buf_printf(&buf, "%d,", i);
    CHECK(buf_status(&buf) == ARR_OK && strlen(buf_text(&buf)) == 3890);
    cx.mem.fail_at = 1;
    for (int i = 0; i < 1000; i++) buf_str(&buf, "0123456789");
    CHECK(buf_status(&buf) == ARR_ERR_MEMORY);
    error_clear(&cx);
    buf_free(&buf);
    Arena arena;
    arena_init(&arena, &cx);
    bool ok = true;
    for (size_t i = 1; i < 3000; i++) {
        char *p = arena_alloc(&arena, i);
        ok = ok && p && (uintptr_t)p % 16 == 0 && p[0] == 0 && p[i - 1] == 0;
        memset(p, 1, i);
    }
    CHECK(ok);
    arena_free(&arena);
    CHECK(cx.mem.live == live);
}

static void test_opts(void) {
    Opts o;
    opts_init(&o);
    CHECK(opts_set(&o, "DUMP", "plan,program") && o.dump == (DUMP_PLAN | DUMP_PROGRAM));
    CHECK(!opts_set(&o, "dump", "plan,nonsense") && o.dump == (DUMP_PLAN | DUMP_PROGRAM));
    CHECK(opts_set(&o, "device", "cuda:3") && !opts_set(&o, "device", "tpu"));
    CHECK(strcmp(o.device, "cuda:3") == 0);
    CHECK(opts_set(&o, "fuse", "0") && o.fuse == 0 && !opts_set(&o, "fuse", "2"));
    CHECK(opts_set(&o, "fail_alloc", "12") && o.fail_alloc == 12 && !opts_set(&o, "nothing", "1"));
}

int main(void) {
    mem_init(&cx.mem, NULL, NULL);
    test_promotion();
    test_casts();
    test_rules();
    test_slices();
    test_shapes();
    test_errors_and_memory();
    test_opts();
    printf("unit/base: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
