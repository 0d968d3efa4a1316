/* Unit tests of the CPU backend: every walk of maps and reductions against plain code that follows
 * the rules in words, native kernels, and the same bits from every instruction set. */
#include "kernels/loops_cpu.h"
#include "kernels/sort_cpu.h"
#include "tests/unit/cpu_program.h"

#include <math.h>

/* ---- reductions: the tree, in its plainest form ---- */

static float tree(const float *x, int64_t n, int64_t stride) {
    if (n > 4096) {
        int64_t chunks = (n + 4095) / 4096;
        float *part = malloc((size_t)chunks * sizeof *part);
        for (int64_t c = 0; c < chunks; c++)
            part[c] = tree(x + c * 4096 * stride, c + 1 < chunks ? 4096 : n - c * 4096, stride);
        float r = tree(part, chunks, 1);
        free(part);
        return r;
    }
    float lane[128];
    for (int64_t i = 0; i < n; i++) {
        float v = x[i * stride];
        lane[i % 128] = i < 128 ? v : lane[i % 128] + v;
    }
    for (int64_t d = 64; d > 0; d /= 2)
        for (int64_t i = 0; i < d && i + d < (n < 128 ? n : 128); i++)
            if (i + d < n) lane[i] += lane[i + d];
    return lane[0];
}

static void test_sum(int64_t outer, int64_t n, bool columns) {
    int64_t count = outer * n, dim[] = {outer, n};
    float *x = take((size_t)count * 4), *y = take((size_t)outer * 4);
    for (int64_t i = 0; i < count; i++) x[i] = (float)(random_unit() - 0.3);
    int64_t so = columns ? 1 : n, sr = columns ? outer : 1;
    begin(2, 1, dim);
    int v = load(DT_f32, x, (int64_t[]){so, sr});
    store(DT_f32, reduce(RED_SUM, DT_f32, DT_f32, v), y, (int64_t[]){1, 0});
    run();
    bool same = true;
    for (int64_t o = 0; o < outer; o++) {
        float want = tree(x + o * so, n, sr);
        same = same && memcmp(&want, &y[o], 4) == 0;
    }
    char name[64];
    snprintf(name, sizeof name, "sum %lld x %lld %s", (long long)outer, (long long)n,
             columns ? "columns" : "rows");
    CHECK_NAMED(same, name);
    give(x, (size_t)count * 4);
    give(y, (size_t)outer * 4);
}

static void test_sums(void) {
    static const int64_t sizes[] = {1, 2, 3, 31, 127, 128, 129, 200, 1000, 4095, 4096, 4097, 10000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_sum(5, sizes[i], false);
        test_sum(300, sizes[i], false);
        test_sum(37, sizes[i], true);
        test_sum(1100, sizes[i] < 4098 ? sizes[i] : 4097, true);
    }
    test_sum(1, 4096 * 130 + 17, false);
    test_sum(1, 4096 * 4096 + 5000, false);
    test_sum(20, 4096 * 33 + 1, true);
}

static void test_extremes(void) {
    enum { N = 9000, COLUMNS = 40 };
    float *x = take(N * COLUMNS * 4);
    float *lo = take(COLUMNS * 4);
    int64_t *at = take(COLUMNS * 8);
    for (int way = 0; way < 2; way++) {
        for (int64_t i = 0; i < N * COLUMNS; i++) x[i] = (float)(random_word() % 50) - 25;
        int64_t so = way ? 1 : N, sr = way ? COLUMNS : 1;
        x[3 * so + 77 * sr] = x[3 * so + 8000 * sr] = NAN;
        for (int64_t r = 0; r < N; r++) x[7 * so + r * sr] = r < 200 ? 1 : r % 2 ? 0.0f : -0.0f;
        begin(2, 1, (int64_t[]){COLUMNS, N});
        int v = load(DT_f32, x, (int64_t[]){so, sr});
        int least = reduce(RED_MIN, DT_f32, DT_f32, v);
        int place = reduce(RED_ARGMIN, DT_f32, DT_i64, v);
        store(DT_f32, least, lo, (int64_t[]){1, 0});
        store(DT_i64, place, at, (int64_t[]){1, 0});
        run();
        bool same = true;
        for (int o = 0; o < COLUMNS; o++) {
            int64_t best = 0;
            for (int64_t r = 1; r < N; r++) {
                float a = x[o * so + r * sr], b = x[o * so + best * sr];
                if (a < b || (a != a && b == b)) best = r;
            }
            same = same && at[o] == best &&
                   (memcmp(&lo[o], &x[o * so + best * sr], 4) == 0 || lo[o] != lo[o]);
        }
        CHECK(same);
        CHECK(at[3] == 77 && at[7] == 200 && signbit(lo[7]));
    }
    give(x, N * COLUMNS * 4);
    give(lo, COLUMNS * 4);
    give(at, COLUMNS * 8);
}

/* sum, count, any, all and var of one operand in one program, with work before and after. */
static void test_several(void) {
    enum { N = 5000, OUT = 33 };
    double *x = take(N * OUT * 8), *y = take(OUT * 8), *var = take(OUT * 8);
    int64_t *count = take(OUT * 8);
    uint8_t *any = take(OUT), *all = take(OUT);
    for (int way = 0; way < 2; way++) {
        for (int64_t i = 0; i < N * OUT; i++) x[i] = 1e8 + (double)(random_word() % 7);
        int64_t so = way ? 1 : N, sr = way ? OUT : 1;
        double limit = 1e8 + 3, ddof = 1;
        begin(2, 1, (int64_t[]){OUT, N});
        int v = load(DT_f64, x, (int64_t[]){so, sr});
        int mask = apply(OP_gt, DT_f64, DT_bool, v, scalar(DT_f64, &limit), 0);
        int sum = reduce(RED_SUM, DT_f64, DT_f64, v);
        int n = reduce(RED_COUNT, DT_bool, DT_i64, mask);
        int some = reduce(RED_ANY, DT_bool, DT_bool, mask);
        int every = reduce(RED_ALL, DT_f64, DT_bool, v);
        int spread = program_add(&prog, (Instr){.kind = P_REDUCE,
                                                .sub = RED_VAR,
                                                .type = DT_f64,
                                                .dtype = DT_f64,
                                                .a = (uint16_t)v,
                                                .index = (uint16_t)parameter(DT_f64, &ddof)});
        int less = apply(OP_sub, DT_f64, DT_f64, sum, spread, 0);
        store(DT_f64, less, y, (int64_t[]){1, 0});
        store(DT_f64, spread, var, (int64_t[]){1, 0});
        store(DT_i64, n, count, (int64_t[]){1, 0});
        store(DT_bool, some, any, (int64_t[]){1, 0});
        store(DT_bool, every, all, (int64_t[]){1, 0});
        run();
        bool ok = true;
        for (int o = 0; o < OUT; o++) {
            double total = 0, square = 0, mean;
            int64_t c = 0;
            for (int64_t r = 0; r < N; r++) total += x[o * so + r * sr] - 1e8;
            mean = total / N;
            for (int64_t r = 0; r < N; r++) {
                double d = x[o * so + r * sr] - 1e8 - mean;
                square += d * d;
                c += x[o * so + r * sr] > limit;
            }
            ok = ok && count[o] == c && any[o] == 1 && all[o] == 1;
            ok = ok && fabs(var[o] - square / (N - 1)) < 1e-9 * var[o];
            ok = ok && fabs(y[o] + var[o] - total - 1e8 * N) < 1e-3;
        }
        CHECK(ok);
    }
    give(x, N * OUT * 8);
    give(y, OUT * 8);
    give(var, OUT * 8);
    give(count, OUT * 8);
    give(any, OUT);
    give(all, OUT);
}

/* Many reductions of one operand, each with a conversion of its own. */
static void test_many(void) {
    enum { N = 700 };
    uint16_t x[N];
    double sum64 = 0;
    float sum32 = 0;
    int64_t whole = 0, count = 0;
    for (int i = 0; i < N; i++) x[i] = f16_from_f32((float)(i % 9));
    begin(1, 1, (int64_t[]){N});
    int v = load(DT_f16, x, (int64_t[]){1});
    for (int i = 0; i < 8; i++) reduce(RED_SUM, DT_f16, DT_i64, v);
    store(DT_f64, reduce(RED_SUM, DT_f16, DT_f64, v), &sum64, (int64_t[]){0});
    store(DT_f32, reduce(RED_SUM, DT_f16, DT_f32, v), &sum32, (int64_t[]){0});
    store(DT_i64, reduce(RED_SUM, DT_f16, DT_i64, v), &whole, (int64_t[]){0});
    store(DT_i64, reduce(RED_COUNT, DT_f16, DT_i64, v), &count, (int64_t[]){0});
    run();
    int64_t want = 0, nonzero = 0;
    for (int i = 0; i < N; i++) want += i % 9, nonzero += i % 9 != 0;
    CHECK(sum64 == (double)want && sum32 == (float)want && whole == want && count == nonzero);
}

static void test_var_case(void) {
    double x[3] = {1e8, 1e8 + 1, 1e8 + 2}, y = 0, ddof = 0;
    begin(1, 1, (int64_t[]){3});
    int v = load(DT_f64, x, (int64_t[]){1});
    int r = program_add(&prog, (Instr){.kind = P_REDUCE,
                                       .sub = RED_VAR,
                                       .type = DT_f64,
                                       .dtype = DT_f64,
                                       .a = (uint16_t)v,
                                       .index = (uint16_t)parameter(DT_f64, &ddof)});
    store(DT_f64, r, &y, (int64_t[]){0});
    run();
    CHECK(fabs(y - 2.0 / 3) < 1e-15);
}

/* ---- maps: strides, broadcasts, halves, gathers, ranges ---- */

static void test_strides(void) {
    enum { A = 7, B = 33, C = 65 };
    int32_t *x = take(A * B * C * 4), *row = take(C * 4), *y = take(A * B * C * 4);
    for (int i = 0; i < A * B * C; i++) x[i] = i * 3 + 1;
    for (int i = 0; i < C; i++) row[i] = i;
    /* y[a, b, c] = x transposed (stored [C][A][B]) * 2 + row[c] + reversed x */
    int32_t two = 2;
    begin(3, 0, (int64_t[]){A, B, C});
    int v = load(DT_i32, x, (int64_t[]){B, 1, A * B});
    int w = load(DT_i32, row, (int64_t[]){0, 0, 1});
    int u = program_add(
        &prog, (Instr){.kind = P_LOAD,
                       .dtype = DT_i32,
                       .slot = (uint16_t)slot(x, A * B * C - 1, (int64_t[]){-B * C, -C, -1})});
    int t = apply(OP_mul, DT_i32, DT_i32, v, scalar(DT_i32, &two), 0);
    t = apply(OP_add, DT_i32, DT_i32, t, w, 0);
    t = apply(OP_add, DT_i32, DT_i32, t, u, 0);
    store(DT_i32, t, y, (int64_t[]){B * C, C, 1});
    program_canonicalize(&prog, &args);
    /* in pieces that cut rows anywhere */
    for (int64_t at = 0; at < A * B * C; at += 1001)
        run_cpu(NULL, dev, &prog, &args, at, at + 1001 < A * B * C ? at + 1001 : A * B * C);
    bool ok = true;
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++)
            for (int c = 0; c < C; c++) {
                int i = (a * B + b) * C + c;
                ok = ok && y[i] == x[c * A * B + a * B + b] * 2 + c + x[A * B * C - 1 - i];
            }
    CHECK(ok);
    give(x, A * B * C * 4);
    give(row, C * 4);
    give(y, A * B * C * 4);
}

static void test_halves(void) {
    enum { N = 3000 };
    uint16_t *x = take(N * 2), *y = take(N * 2), *z = take(N * 2);
    for (int i = 0; i < N; i++) {
        x[i] = f16_from_f64(random_unit() * 4 - 2);
        y[i] = f16_from_f64(random_unit() * 4 - 2);
    }
    begin(1, 0, (int64_t[]){N});
    int a = load(DT_f16, x, (int64_t[]){1}), b = load(DT_f16, y, (int64_t[]){1});
    int s = apply(OP_add, DT_f16, DT_f16, a, b, 0);
    int p = apply(OP_mul, DT_f16, DT_f16, s, a, 0);
    int m = apply(OP_lt, DT_f16, DT_bool, p, b, 0);
    int n = apply(OP_nextafter, DT_f16, DT_f16, b, a, 0);
    store(DT_f16, apply(OP_where, DT_f16, DT_f16, m, p, n), z, (int64_t[]){1});
    run();
    bool ok = true;
    for (int i = 0; i < N; i++) {
        float fa = f16_to_f32(x[i]), fb = f16_to_f32(y[i]);
        float fs = f16_to_f32(f16_from_f32(fa + fb));
        uint16_t hp = f16_from_f32(fs * fa);
        if (f16_to_f32(hp) < fb) {
            ok = ok && z[i] == hp;
        } else { /* the neighbour: nothing lies between */
            float fz = f16_to_f32(z[i]);
            ok = ok && (fa > fb ? fz > fb : fa < fb ? fz < fb : fz == fb);
            ok = ok && abs((int)(z[i] & 0x7fff) - (int)(y[i] & 0x7fff)) <= 1;
        }
    }
    CHECK(ok);
    give(x, N * 2);
    give(y, N * 2);
    give(z, N * 2);
}

static void test_gather(void) {
    enum { N = 100000, LEN = 1000 };
    double *x = take(LEN * 8), *y = take(N * 8);
    int64_t *index = take(N * 8);
    for (int i = 0; i < LEN; i++) x[i] = i;
    for (int i = 0; i < N; i++) index[i] = (int64_t)(random_word() % (2 * LEN)) - LEN;
    for (int bad = 0; bad < 2; bad++) {
        if (bad) index[71234] = LEN + 5, index[90000] = -LEN - 1;
        begin(1, 0, (int64_t[]){N});
        int i = load(DT_i64, index, (int64_t[]){1});
        int s = slot(x, 0, (int64_t[]){0});
        args.slot[s].gather_stride = 1;
        args.slot[s].gather_len = LEN;
        int v = program_add(
            &prog,
            (Instr){.kind = P_GATHER, .dtype = DT_f64, .a = (uint16_t)i, .slot = (uint16_t)s});
        store(DT_f64, v, y, (int64_t[]){1});
        run();
        if (bad) {
            CHECK(args.fault[0] && args.fault[1] == LEN + 5 && args.fault[2] == LEN);
        } else {
            bool ok = !args.fault[0];
            for (int k = 0; k < N; k++)
                ok = ok && y[k] == (double)(index[k] < 0 ? index[k] + LEN : index[k]);
            CHECK(ok);
        }
    }
    give(x, LEN * 8);
    give(y, N * 8);
    give(index, N * 8);
}

/* x = x * 2 + x reversed would be a race; x = x * 2 + 1 over itself is not. */
static void test_in_place(void) {
    enum { N = 200000 };
    float *x = take(N * 4), two = 2, one = 1;
    for (int i = 0; i < N; i++) x[i] = (float)i;
    begin(1, 0, (int64_t[]){N});
    int v = load(DT_f32, x, (int64_t[]){1});
    int w = apply(OP_mul, DT_f32, DT_f32, v, scalar(DT_f32, &two), 0);
    w = apply(OP_add, DT_f32, DT_f32, w, v, 0);
    w = apply(OP_add, DT_f32, DT_f32, w, scalar(DT_f32, &one), 0);
    store(DT_f32, w, x, (int64_t[]){1});
    run();
    bool ok = true;
    for (int i = 0; i < N; i++) ok = ok && x[i] == (float)i * 2 + (float)i + 1;
    CHECK(ok);
    give(x, N * 4);
}

static void test_mixed_and_iota(void) {
    uint64_t u[4] = {0, 5, UINT64_MAX, (uint64_t)1 << 63};
    int64_t s[4] = {-1, 5, -1, INT64_MAX}, n[4];
    uint8_t lt[4], ge[4];
    begin(1, 0, (int64_t[]){4});
    int a = load(DT_u64, u, (int64_t[]){1}), b = load(DT_i64, s, (int64_t[]){1});
    int i = program_add(&prog, (Instr){.kind = P_IOTA,
                                       .dtype = DT_i64,
                                       .slot = (uint16_t)slot(NULL, 10, (int64_t[]){-3})});
    Instr cmp = {
        .kind = P_CMPMIX, .op = OP_lt, .dtype = DT_bool, .a = (uint16_t)b, .b = (uint16_t)a};
    int x = program_add(&prog, cmp);
    cmp.op = OP_ge, cmp.a = (uint16_t)a, cmp.b = (uint16_t)b;
    int y = program_add(&prog, cmp);
    store(DT_i64, i, n, (int64_t[]){1});
    store(DT_bool, x, lt, (int64_t[]){1});
    store(DT_bool, y, ge, (int64_t[]){1});
    run();
    CHECK(n[0] == 10 && n[3] == 1);
    CHECK(lt[0] && !lt[1] && lt[2] && lt[3]);
    CHECK(ge[0] && ge[1] && ge[2] && ge[3]);
}

/* ---- random numbers ---- */

static void philox_word(uint64_t key, uint64_t i, uint32_t *out) {
    uint64_t q = i / 4;
    uint32_t c[4] = {(uint32_t)(q >> 16), 0, (uint32_t)q & 0xffff, 0};
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int r = 0; r < 10; r++) {
        uint64_t p = (uint64_t)0xD2511F53u * c[0], s = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t n[4] = {(uint32_t)(s >> 32) ^ c[1] ^ k0, (uint32_t)s,
                         (uint32_t)(p >> 32) ^ c[3] ^ k1, (uint32_t)p};
        memcpy(c, n, sizeof c);
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    *out = c[i % 4];
}

static void test_draws(void) {
    const LoopSet *l;
    for (int s = 0; (l = loops_cpu_at(s)); s++) {
        uint32_t w[700], want;
        float f[700];
        double d[700];
        int64_t r[700];
        uint64_t first = 4 * 65536 - 301, key = 0x0123456789abcdefu;
        bool ok = true;
        l->draw(DRAW_WORDS32, DT_u32, key, 0, 0, first, 700, w);
        l->draw(DRAW_UNIFORM, DT_f32, key, 0, 0, first, 700, f);
        for (int i = 0; i < 700; i++) {
            philox_word(key, first + (uint64_t)i, &want);
            ok = ok && w[i] == want && f[i] == (float)(want >> 8) * 0x1p-24f;
        }
        CHECK(ok);
        l->draw(DRAW_UNIFORM, DT_f64, key, 0, 0, first, 700, d);
        l->draw(DRAW_RANDINT, DT_i64, key, -5, 3000000000u, first, 700, r);
        for (int i = 0; i < 700; i++) {
            uint32_t a, b;
            philox_word(key, 2 * (first + (uint64_t)i), &a);
            philox_word(key, 2 * (first + (uint64_t)i) + 1, &b);
            ok = ok && d[i] == (double)(((uint64_t)b << 32 | a) >> 11) * 0x1p-53;
            ok = ok && r[i] >= -5 && r[i] < 3000000000 - 5;
        }
        CHECK(ok);
        /* any cut gives the same numbers */
        float whole[700], part[700];
        l->draw(DRAW_NORMAL, DT_f32, key, 0, 0, first, 700, whole);
        l->draw(DRAW_NORMAL, DT_f32, key, 0, 0, first, 133, part);
        l->draw(DRAW_NORMAL, DT_f32, key, 0, 0, first + 133, 567, part + 133);
        CHECK(memcmp(whole, part, sizeof whole) == 0);
        double sum = 0, square = 0;
        for (uint64_t at = 0; at < 200; at++) {
            l->draw(DRAW_NORMAL, DT_f64, key, 0, 0, at * 700, 700, d);
            for (int i = 0; i < 700; i++) sum += d[i], square += d[i] * d[i];
        }
        CHECK(fabs(sum / 140000) < 0.01 && fabs(square / 140000 - 1) < 0.015);
    }
}

/* ---- instruction sets: the same bits ---- */

static void fill_operand(DType t, void *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double v = (random_unit() - 0.5) * exp2((double)(random_word() % 60) - 30);
        if (i % 97 == 0) v = i % 2 ? NAN : INFINITY;
        if (i % 89 == 0) v = i % 2 ? -0.0 : -INFINITY;
        Scalar s = {.kind = SC_FLOAT, .f = v};
        if (dtype_is_int(t))
            s = (Scalar){.kind = SC_INT, .i = (int64_t)(random_word() >> (i % 64))};
        if (t == DT_bool) s = (Scalar){.kind = SC_BOOL, .b = random_word() & 1};
        scalar_store(&s, t, (char *)p + i * dtype_size(t));
    }
}

/* Equal bits, any nan for any nan. */
static bool same_elements(DType t, const void *a, const void *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t item = dtype_size(t);
        const char *x = (const char *)a + i * item, *y = (const char *)b + i * item;
        if (memcmp(x, y, item) == 0) continue;
        Scalar s = scalar_load(t, x), u = scalar_load(t, y);
        if (s.kind == SC_FLOAT && s.f != s.f && u.f != u.f) continue;
        return false;
    }
    return true;
}

static DType result_of(Op op, DType t) {
    OpRule r = op_info(op)->rule;
    if (r == OR_EQUAL || r == OR_ORDER || r == OR_PRED || r == OR_PREDREAL) return DT_bool;
    if (r == OR_TOCOMPLEX) return dtype_complex(t);
    return t;
}

static void test_sets(void) {
    enum { N = 4099 };
    static double a[N], b[N], c[N], x[2 * N], y[2 * N];
    const LoopSet *best = loops_cpu_at(0), *l;
    for (int t = 0; t < DT_COUNT; t++) {
        if (!best->op[t]) continue;
        for (int op = 0; op < OP_leaf; op++) {
            Loop loop = best->op[t][op];
            if (!loop) continue;
            fill_operand(op_info((Op)op)->rule == OR_SELECT ? DT_bool : (DType)t, a, N);
            fill_operand((DType)t, b, N);
            fill_operand((DType)t, c, N);
            if (op == OP_pow && dtype_is_int((DType)t)) { /* long exponents only cost time */
                for (size_t i = 0; i < N * dtype_size((DType)t); i++)
                    ((uint8_t *)b)[i] &= i % dtype_size((DType)t) ? 0 : 15;
            }
            loop(N, x, a, b, c);
            for (int s = 1; (l = loops_cpu_at(s)); s++) {
                l->op[t][op](N - 1, y, a, b, c);
                char name[64];
                snprintf(name, sizeof name, "%s of %s: %s and %s", op_info((Op)op)->name,
                         dtype_name((DType)t), best->name, l->name);
                CHECK_NAMED(same_elements(result_of((Op)op, (DType)t), x, y, N - 1), name);
            }
        }
        for (int to = 0; to < DT_COUNT; to++) {
            if (!best->cast[t][to]) continue;
            fill_operand((DType)t, a, N);
            best->cast[t][to](N, x, a, NULL, NULL);
            for (int s = 1; (l = loops_cpu_at(s)); s++) {
                l->cast[t][to](N - 3, y, a, NULL, NULL);
                char name[64];
                snprintf(name, sizeof name, "cast %s to %s: %s", dtype_name((DType)t),
                         dtype_name((DType)to), l->name);
                CHECK_NAMED(same_elements((DType)to, x, y, N - 3), name);
            }
        }
    }
}

/* Every cast against the single-element conversions of runtime/base. */
static void test_casts(void) {
    enum { N = 500 };
    char *x = take(N * 16), *y = take(N * 16);
    for (int from = 0; from < DT_COUNT; from++) {
        for (int to = 0; to < DT_COUNT; to++) {
            fill_operand((DType)from, x, N);
            begin(1, 0, (int64_t[]){N});
            int v = load((DType)from, x, (int64_t[]){1});
            store((DType)to, cast((DType)from, (DType)to, v), y, (int64_t[]){1});
            run();
            char want[N * 16];
            for (int i = 0; i < N; i++) {
                Scalar s = scalar_load((DType)from, x + (size_t)i * dtype_size((DType)from));
                scalar_store(&s, (DType)to, want + (size_t)i * dtype_size((DType)to));
            }
            char name[64];
            snprintf(name, sizeof name, "cast %s to %s", dtype_name((DType)from),
                     dtype_name((DType)to));
            CHECK_NAMED(same_elements((DType)to, want, y, N), name);
        }
    }
    give(x, N * 16);
    give(y, N * 16);
}

/* ---- native kernels ---- */

/* The scan's tree, by recursion. */
static void scan_reference(float *x, int64_t n) {
    float total[128], *totals = malloc((size_t)(n / 4096 + 1) * sizeof *totals);
    int64_t tiles = (n + 4095) / 4096;
    for (int64_t t = 0; t < tiles; t++) {
        float *p = x + t * 4096;
        int64_t m = n - t * 4096 < 4096 ? n - t * 4096 : 4096, segments = (m + 31) / 32;
        for (int64_t s = 0; s < segments; s++) {
            for (int64_t e = s * 32 + 1; e < s * 32 + 32 && e < m; e++) p[e] = p[e - 1] + p[e];
            total[s] = p[s * 32 + 31 < m ? s * 32 + 31 : m - 1];
        }
        for (int64_t s = 1; s < segments; s++) total[s] = total[s - 1] + total[s];
        for (int64_t e = 32; e < m; e++) p[e] = total[e / 32 - 1] + p[e];
        totals[t] = total[segments - 1];
    }
    if (tiles > 1) {
        scan_reference(totals, tiles);
        for (int64_t e = 4096; e < n; e++) x[e] = totals[e / 4096 - 1] + x[e];
    }
    free(totals);
}

static void test_scan(int64_t outer, int64_t axis, int64_t inner) {
    int64_t n = outer * axis * inner;
    float *x = take((size_t)n * 4), *y = take((size_t)n * 4);
    float *line = malloc((size_t)axis * 4);
    for (int64_t i = 0; i < n; i++) x[i] = (float)(random_unit() - 0.4);
    Status s = native_cpu_scan(dev, RED_SUM, DT_f32, DT_f32, (AxisShape){outer, axis, inner}, x, y);
    bool ok = s == ARR_OK;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            int64_t start = o * axis * inner + i;
            for (int64_t a = 0; a < axis; a++) line[a] = x[start + a * inner];
            scan_reference(line, axis);
            for (int64_t a = 0; a < axis; a++)
                ok = ok && memcmp(&line[a], &y[start + a * inner], 4) == 0;
        }
    char name[64];
    snprintf(name, sizeof name, "scan %lld %lld %lld", (long long)outer, (long long)axis,
             (long long)inner);
    CHECK_NAMED(ok, name);
    give(x, (size_t)n * 4);
    give(y, (size_t)n * 4);
    free(line);
}

static void test_scans(void) {
    test_scan(3, 1, 1);
    test_scan(2, 33, 3);
    test_scan(1, 4096, 1);
    test_scan(2, 5000, 2);
    test_scan(1, 4096 * 40 + 100, 1);
    test_scan(1, 4096 * 4100 + 77, 1);
    test_scan(5, 4096 * 20 + 1, 2);
    uint8_t b[5] = {1, 0, 1, 1, 0}, m[5];
    int64_t c[5];
    native_cpu_scan(dev, RED_SUM, DT_bool, DT_i64, (AxisShape){1, 5, 1}, b, c);
    CHECK(c[0] == 1 && c[2] == 2 && c[4] == 3);
    native_cpu_scan(dev, RED_MAX, DT_bool, DT_bool, (AxisShape){1, 5, 1}, b, m);
    CHECK(m[0] == 1 && m[4] == 1);
    uint8_t p[4] = {200, 200, 3, 2}, q[4];
    native_cpu_scan(dev, RED_PROD, DT_u8, DT_u8, (AxisShape){1, 4, 1}, p, q);
    CHECK(q[0] == 200 && q[1] == (uint8_t)40000 && q[3] == (uint8_t)240000);
    uint16_t h[3] = {0x3c00, 0x3c00, 0x3c00}, g[3];
    native_cpu_scan(dev, RED_SUM, DT_f16, DT_f16, (AxisShape){1, 3, 1}, h, g);
    CHECK(g[2] == 0x4200);
}

static void test_sorts(void) {
    enum { OUT = 3, N = 3000, IN = 2 };
    for (int t = 0; t < DT_COUNT; t++) {
        if (dtype_is_complex((DType)t)) continue;
        size_t item = dtype_size((DType)t);
        char *x = take(OUT * N * IN * item), *y = take(OUT * N * IN * item);
        int64_t *at = take(OUT * N * IN * 8);
        fill_operand((DType)t, x, OUT * N * IN);
        for (int down = 0; down < 2; down++) {
            native_cpu_sort(dev, (DType)t, (AxisShape){OUT, N, IN}, down, x, y, at);
            bool ok = true;
            for (int o = 0; o < OUT; o++)
                for (int i = 0; i < IN; i++)
                    for (int k = 1; k < N; k++) {
                        int64_t here = ((int64_t)o * N + k) * IN + i, before = here - IN;
                        Scalar a = scalar_load((DType)t, y + before * (int64_t)item);
                        Scalar b = scalar_load((DType)t, y + here * (int64_t)item);
                        double fa = a.kind == SC_FLOAT  ? a.f
                                    : a.kind == SC_BOOL ? a.b
                                                        : (double)a.i;
                        double fb = b.kind == SC_FLOAT  ? b.f
                                    : b.kind == SC_BOOL ? b.b
                                                        : (double)b.i;
                        if (a.kind == SC_UINT) fa = (double)a.u;
                        if (b.kind == SC_UINT) fb = (double)b.u;
                        bool order = fb != fb || (down ? fa >= fb : fa <= fb);
                        if (fa == fb && a.kind == SC_FLOAT) order = order && at[before] < at[here];
                        ok = ok && order;
                        int64_t from = ((int64_t)o * N + at[here]) * IN + i;
                        ok = ok &&
                             memcmp(y + here * (int64_t)item, x + from * (int64_t)item, item) == 0;
                    }
            CHECK_NAMED(ok, dtype_name((DType)t));
        }
        give(x, OUT * N * IN * item);
        give(y, OUT * N * IN * item);
        give(at, OUT * N * IN * 8);
    }
}

/* One long line, shared between threads: values alone, and with places. */
static void test_long_sort(void) {
    enum { N = 300000 };
    float *x = take(N * 4), *y = take(N * 4), *z = take(N * 4);
    int64_t *at = take(N * 8);
    AxisShape s = {1, N, 1};
    for (int i = 0; i < N; i++) x[i] = (float)(random_word() % 2000) - 1000;
    for (int i = 0; i < N; i += 50) x[i] = i % 4 ? -0.0f : i % 3 ? 0.0f : NAN;
    for (int down = 0; down < 2; down++) {
        CHECK(native_cpu_sort(dev, DT_f32, s, down, x, y, NULL) == ARR_OK);
        CHECK(native_cpu_sort(dev, DT_f32, s, down, x, z, at) == ARR_OK);
        bool ok = true;
        for (int i = 0; i < N; i++) {
            ok = ok && (memcmp(&y[i], &z[i], 4) == 0 || (y[i] != y[i] && z[i] != z[i]));
            ok = ok && memcmp(&z[i], &x[at[i]], 4) == 0;
            if (i == 0) continue;
            bool tie = z[i - 1] == z[i] || (z[i - 1] != z[i - 1] && z[i] != z[i]);
            ok = ok && (tie ? at[i - 1] < at[i] : z[i] != z[i] || (z[i - 1] < z[i]) == !down);
        }
        CHECK(ok);
    }
    give(x, N * 4);
    give(y, N * 4);
    give(z, N * 4);
    give(at, N * 8);
}

static void test_compaction_and_put(void) {
    enum { N = 200001 };
    uint8_t *mask = take(N);
    int64_t *index = take(N * 8), count = 0, k = 0;
    for (int i = 0; i < N; i++) mask[i] = random_word() % 3 == 0;
    CHECK(native_cpu_nonzero(dev, mask, N, index, &count) == ARR_OK);
    bool ok = true;
    for (int i = 0; i < N; i++)
        if (mask[i]) ok = ok && index[k++] == i;
    CHECK(ok && k == count);
    give(mask, N);
    give(index, N * 8);
    int32_t out[12] = {0}, value[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t at[4] = {0, -1, 0, 1}, fault[3];
    AxisShape s = {1, 3, 2};
    CHECK(native_cpu_put(dev, 4, s, at, 4, value, out, fault) == ARR_OK && !fault[0]);
    CHECK(out[0] == 5 && out[1] == 6 && out[2] == 7 && out[4] == 3 && out[5] == 4);
    at[2] = 3;
    CHECK(native_cpu_put(dev, 4, s, at, 4, value, out, fault) == ARR_OK);
    CHECK(fault[0] && fault[1] == 3 && fault[2] == 3 && out[0] == 5);
}

static void test_products(void) {
    enum { M = 37, N = 300, K = 70 };
    int64_t *a = take(M * K * 8), *b = take(K * N * 8), *c = take(M * N * 8);
    for (int i = 0; i < M * K; i++) a[i] = (int64_t)random_word();
    for (int i = 0; i < K * N; i++) b[i] = (int64_t)random_word();
    DevMatmul m = {.dtype = DT_i64,
                   .m = M,
                   .n = N,
                   .k = K,
                   .batch = 1,
                   .a = a,
                   .b = b,
                   .c = c,
                   .a_row = K,
                   .a_col = 1,
                   .b_row = 1,
                   .b_col = K,
                   .c_row = N};
    CHECK(native_cpu_matmul(dev, &m) == ARR_OK);
    bool ok = true;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            uint64_t s = 0;
            for (int k = 0; k < K; k++) s += (uint64_t)a[i * K + k] * (uint64_t)b[j * K + k];
            ok = ok && s == (uint64_t)c[i * N + j];
        }
    CHECK(ok);
    double *x = (double *)a, *y = (double *)b, *z = (double *)c;
    for (int i = 0; i < M * K; i++) x[i] = (double)(i % 17) - 8;
    for (int i = 0; i < K * N; i++) y[i] = (double)(i % 13) - 6;
    m.dtype = DT_f64;
    CHECK(dev->ops->matmul(dev, &m) == ARR_OK);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += x[i * K + k] * y[j * K + k];
            ok = ok && s == z[i * N + j];
        }
    CHECK(ok);
    m.b_row = 0, m.b_col = 1; /* a broadcast row: the library cannot address it */
    CHECK(dev->ops->matmul(dev, &m) == ARR_OK);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += x[i * K + k] * y[j];
            ok = ok && s == z[i * N + j];
        }
    CHECK(ok);
    give(a, M * K * 8);
    give(b, K * N * 8);
    give(c, M * N * 8);
}

static void test_pool(void) {
    void *p, *q;
    dev->ops->trim(dev);
    CHECK(dev->stats.bytes_cached == 0);
    int64_t used = dev->stats.bytes_used, misses = dev->stats.alloc_misses;
    CHECK(dev->ops->alloc(dev, 1000, &p) == ARR_OK && (uintptr_t)p % 256 == 0);
    CHECK(dev->stats.bytes_used == used + 1024);
    dev->ops->release(dev, p, 1000);
    CHECK(dev->stats.bytes_used == used && dev->stats.bytes_cached == 1024);
    CHECK(dev->ops->alloc(dev, 1024, &q) == ARR_OK && q == p);
    CHECK(dev->stats.alloc_misses == misses + 1);
    CHECK(dev->ops->alloc(dev, 5 << 20, &p) == ARR_OK && (uintptr_t)p % (2 << 20) == 0);
    dev->ops->release(dev, p, 5 << 20);
    dev->ops->release(dev, q, 1024);
    CHECK(dev->ops->alloc(dev, (size_t)1 << 46, &p) == ARR_ERR_MEMORY && !p);
    CHECK(strstr(cx.err.message, "64.0 TiB asked for") != NULL);
    CHECK(dev->stats.bytes_cached == 0); /* dropped before giving up */
    error_clear(&cx);
}

static void test_interrupt(void) {
    enum { N = 1 << 22 };
    float *x = take((size_t)N * 4);
    begin(1, 0, (int64_t[]){N});
    int v = load(DT_f32, x, (int64_t[]){1});
    store(DT_f32, apply(OP_sqrt, DT_f32, DT_f32, v, 0, 0), x, (int64_t[]){1});
    program_canonicalize(&prog, &args);
    cx.interrupt = 1;
    CHECK(run_cpu(NULL, dev, &prog, &args, 0, N) == ARR_ERR_INTERRUPT && !cx.interrupt);
    error_clear(&cx);
    give(x, (size_t)N * 4);
}

/* A sort that is told to stop says so; one that is not told sorts. */
static void test_sort_stops(void) {
    enum { ENTRIES = 5000 };
    static uint64_t p[ENTRIES], q[ENTRIES];
    _Atomic int stop = 1;
    for (uint64_t i = 0; i < ENTRIES; i++) p[i] = i * 0x9e3779b97f4a7c15u;
    CHECK(!sort_key64.sort(p, q, ENTRIES, 64, &stop));
    stop = 0;
    CHECK(sort_key64.sort(p, q, ENTRIES, 64, &stop));
    bool sorted = true;
    for (int i = 1; i < ENTRIES; i++) sorted = sorted && p[i - 1] <= p[i];
    CHECK(sorted);
}

/* Entry i of a pattern: mixed, few values, rising, falling, near the greatest, all alike. */
static uint64_t sort_entry(int pattern, uint64_t i) {
    uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
    const uint64_t entry[] = {mixed, mixed % 3, i, ~i, ~(mixed & 1), 7};
    return entry[pattern];
}

/* The sorts in vectors give what the radix sorts give. */
static void test_sort_vectors(void) {
    enum { MOST = 3000 };
    static uint64_t p[MOST], q[MOST], x[MOST];
    static uint32_t p32[MOST], x32[MOST];
    const SortQuick *wide = sort_quick(&sort_key64), *narrow = sort_quick(&sort_key32);
    bool same = true;
    for (int64_t n = 0; n <= MOST && wide && narrow; n += n < 150 ? 1 : 570) {
        for (int pattern = 0; pattern < 6; pattern++) {
            for (int64_t i = 0; i < n; i++) {
                p[i] = x[i] = sort_entry(pattern, (uint64_t)i);
                p32[i] = x32[i] = (uint32_t)p[i];
            }
            same = same && wide->sort(p, q, n, 64, NULL) && narrow->sort(p32, q, n, 32, NULL);
            sort_key64.sort(x, q, n, 64, NULL);
            sort_key32.sort(x32, q, n, 32, NULL);
            same = same && memcmp(p, x, (size_t)n * sizeof *p) == 0;
            same = same && memcmp(p32, x32, (size_t)n * sizeof *p32) == 0;
        }
    }
    CHECK(same);
}

/* Passes over digits, in pieces: what one radix sort gives, for any cut. */
static void test_sort_passes(void) {
    enum { N = 5000, CUT = 1237 };
    static _Alignas(64) Pair32 p[N], q[N], x[N], spare[N];
    Pair32 *from = p, *to = q;
    for (uint32_t i = 0; i < N; i++)
        p[i] = x[i] = (Pair32){.key = (uint32_t)sort_entry(0, i) & 0xff0f00ffu, .at = i};
    for (int shift = 0; shift < 32; shift += SORT_DIGIT) {
        int64_t count[2][SORT_DIGITS], sum = 0;
        sort_pair32.count(from, CUT, shift, count[0]);
        sort_pair32.count(from + CUT, N - CUT, shift, count[1]);
        for (int k = 0; k < 2 * SORT_DIGITS; k++) {
            int64_t here = count[k % 2][k / 2];
            count[k % 2][k / 2] = sum;
            sum += here;
        }
        sort_pair32.spread(from + CUT, N - CUT, shift, count[1], to, shift == 8);
        sort_pair32.spread(from, CUT, shift, count[0], to, shift == 8);
        Pair32 *t = from;
        from = to, to = t;
    }
    CHECK(sort_pair32.sort(x, spare, N, 32, NULL));
    CHECK(memcmp(from, x, sizeof x) == 0);
}

int main(void) {
    start();
    test_sort_stops();
    test_sort_vectors();
    test_sort_passes();
    test_sums();
    test_extremes();
    test_several();
    test_many();
    test_var_case();
    test_strides();
    test_halves();
    test_gather();
    test_in_place();
    test_mixed_and_iota();
    test_draws();
    test_sets();
    test_casts();
    test_scans();
    test_sorts();
    test_long_sort();
    test_compaction_and_put();
    test_products();
    test_pool();
    test_interrupt();
    return finish("unit/cpu");
}
