/* Unit tests of the CUDA half of kernels/: random kernel programs and native kernels run on the CPU
 * device and on a GPU, element for element alike. Without a GPU it is the emulated one
 * (tests/unit/emulate). Only operations whose bits are promised are drawn.
 * Run from the repository's root; `kernels_cuda N SEED [cuda [small]]` draws N programs; on a GPU
 * it also compares Philox words with cuRAND's; small spares time for checking tools. */
#include "tests/unit/emulate/emulate.c"

#include "kernels/kernel_cuda.h"
#include "kernels/program_level.h"

#include <math.h>

static int passed, failed, skipped;
static Cx cx;
static Device *cpu, *gpu;
static Kernels *kernels;

static void complain(const char *what) {
    failed++;
    if (failed < 20) printf("tests/unit/kernels_cuda.c: %s\n", what);
}

static void ok(Status s, const char *what) {
    if (s == ARR_OK) return;
    printf("%s: %s\n", what, cx.err.message);
    exit(1);
}

/* ---- numbers ---- */

static uint64_t seed = 1;
static uint64_t word(void) {
    seed += 0x9E3779B97F4A7C15u;
    uint64_t z = seed;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}
static int below(int n) { return (int)(word() % (uint64_t)n); }
static bool chance(int percent) { return below(100) < percent; }

static void fill(DType d, void *p, int64_t n) {
    size_t size = dtype_size(d);
    static const double specials[] = {0.0,       -0.0, 1.0, -1.0,  INFINITY,
                                      -INFINITY, NAN,  0.5, 255.0, -3.0};
    for (int64_t i = 0; i < n; i++) {
        char *at = (char *)p + (size_t)i * size;
        Scalar s = {.kind = SC_FLOAT};
        if (dtype_is_complex(d)) {
            s.kind = SC_COMPLEX;
            s.c = (Complex128){below(7) - 3.0, below(9) / 4.0};
        } else if (dtype_is_float(d)) {
            s.f = chance(8) ? specials[below(10)] : ((double)(int64_t)word() * 0x1p-60);
        } else {
            s.kind = SC_INT;
            s.i = chance(10) ? (int64_t)(word() >> 1) : below(41) - 20;
            if (d == DT_bool) s.i &= 1;
            uint64_t bits = (uint64_t)s.i;
            memcpy(at, &bits, size);
            continue;
        }
        scalar_store(&s, d, at);
    }
}

/* Bits alike; of nans only that they are. */
static bool alike(DType d, const void *a, const void *b) {
    size_t size = dtype_size(d);
    if (memcmp(a, b, size) == 0) return true;
    if (dtype_is_complex(d)) {
        DType r = dtype_real(d);
        return alike(r, a, b) && alike(r, (const char *)a + size / 2, (const char *)b + size / 2);
    }
    if (!dtype_is_float(d)) return false;
    Scalar x = scalar_load(d, a), y = scalar_load(d, b);
    return x.f != x.f && y.f != y.f;
}

/* ---- the GPU's memory ---- */

static void *to_gpu(const void *host, size_t n) {
    void *p;
    if (n == 0) n = 1;
    ok(gpu->ops->alloc(gpu, n, &p), "alloc");
    if (host) ok(gpu->ops->upload(gpu, p, host, n), "upload");
    return p;
}
static void from_gpu(void *host, const void *p, size_t n) {
    ok(gpu->ops->download(gpu, host, p, n), "download");
}
static void gpu_free(void *p, size_t n) { gpu->ops->release(gpu, p, n ? n : 1); }

/* ---- random programs ---- */

enum { MAX_VALUES = 40, MEMORY = 1 << 20 };

typedef struct Memory {
    DType d;
    int64_t elements;
    void *cpu, *gpu; /* gpu: in the GPU's memory */
    bool out;
} Memory;

typedef struct Draft {
    Program p;
    ProgArgs a;
    Memory memory[PROG_MAX_SLOTS];
    int values[MAX_VALUES], nvalues; /* live, of the level being built */
    int turned;                      /* percent of slots whose loops change places */
} Draft;

static const DType dtypes[] = {DT_bool, DT_i8,   DT_i32, DT_i64, DT_u8,  DT_u16, DT_u64,
                               DT_f16,  DT_bf16, DT_f32, DT_f64, DT_c64, DT_c128};
static DType any_dtype(void) {
    return chance(40) ? DT_f32 : dtypes[below(sizeof dtypes / sizeof *dtypes)];
}

static int add(Draft *w, Instr i) {
    int v = program_add(&w->p, i);
    if (i.kind != P_STORE) w->values[w->nvalues++] = v;
    return v;
}
static DType type_of(const Draft *w, int v) { return (DType)w->p.code[v].dtype; }

static void make_memory(Memory *m, DType d, int64_t elements, bool out) {
    size_t bytes = (size_t)elements * dtype_size(d);
    m->d = d, m->out = out, m->elements = elements;
    ok(cpu->ops->alloc(cpu, bytes, &m->cpu), "alloc");
    fill(d, m->cpu, elements);
    m->gpu = to_gpu(m->cpu, bytes);
}

/* Strides over some of the loops, contiguous in a random order of them, now and then reversed,
 * spread or broadcast; memory for all that. */
static void place_slot(Draft *w, int slot, DType d, int loops, bool out) {
    SlotArg *s = &w->a.slot[slot];
    Memory *m = &w->memory[slot];
    int order[MAX_RANK];
    int64_t run = chance(10) ? 2 : 1, low = 0;
    memset(s, 0, sizeof *s);
    for (int j = 0; j < loops; j++) order[j] = j;
    if (chance(w->turned))
        for (int j = loops - 1; j > 0; j--) {
            int k = below(j + 1), t = order[j];
            order[j] = order[k], order[k] = t;
        }
    for (int j = loops - 1; j >= 0; j--) {
        int axis = order[j];
        if (!out && chance(15)) continue; /* broadcast */
        s->stride[axis] = chance(10) ? -run : run;
        if (s->stride[axis] < 0) low -= s->stride[axis] * (w->a.dim[axis] - 1);
        run *= w->a.dim[axis];
    }
    s->offset = low + (chance(30) ? below(5) : 0);
    make_memory(m, d, run + s->offset + 1, out);
}

static int add_load(Draft *w, DType d, int loops) {
    int slot = program_slot(&w->p);
    place_slot(w, slot, d, loops, false);
    return add(w, (Instr){.kind = P_LOAD, .dtype = d, .slot = (uint16_t)slot});
}

static int cast_to(Draft *w, int v, DType d) {
    DType from = type_of(w, v);
    if (from == d) return v;
    if (dtype_is_complex(from) && !dtype_is_complex(d)) { /* real part first */
        DType r = dtype_real(from);
        v = add(w,
                (Instr){.kind = P_OP, .op = OP_real, .type = from, .dtype = r, .a = (uint16_t)v});
        return cast_to(w, v, d);
    }
    return add(w, (Instr){.kind = P_CAST, .type = from, .dtype = d, .a = (uint16_t)v});
}

static int random_value(Draft *w) { return w->values[below(w->nvalues)]; }

static int add_number(Draft *w, DType d) {
    int s = program_scalar(&w->p, d);
    fill(d, w->a.scalar[s], 1);
    return add(w, (Instr){.kind = P_SCALAR, .dtype = d, .index = (uint16_t)s});
}

static void add_op(Draft *w) {
    static const Op floats[] = {OP_add,  OP_sub,  OP_mul, OP_div,      OP_minimum,  OP_maximum,
                                OP_fmin, OP_fmax, OP_mod, OP_floordiv, OP_copysign, OP_fmod};
    static const Op one_float[] = {OP_sqrt, OP_floor, OP_rint, OP_abs, OP_neg, OP_sign, OP_trunc};
    static const Op ints[] = {OP_add,     OP_sub,    OP_mul,     OP_minimum, OP_maximum,
                              OP_bit_and, OP_bit_or, OP_bit_xor, OP_mod,     OP_floordiv,
                              OP_shl,     OP_shr,    OP_gcd,     OP_fmod};
    static const Op one_int[] = {OP_abs, OP_neg, OP_sign, OP_bit_not, OP_popcount};
    static const Op compare[] = {OP_eq, OP_ne, OP_lt, OP_le, OP_gt, OP_ge};
    static const Op complexes[] = {OP_add, OP_sub, OP_mul, OP_div};
    int a = random_value(w);
    DType d = type_of(w, a);
    if (chance(25)) {
        a = cast_to(w, a, any_dtype());
        d = type_of(w, a);
    }
    int b = chance(25) ? add_number(w, d) : cast_to(w, random_value(w), d);
    Instr i = {.kind = P_OP, .type = d, .dtype = d, .a = (uint16_t)a, .b = (uint16_t)b};
    if (chance(15) && !dtype_is_complex(d)) {
        i.op = compare[below(6)], i.dtype = DT_bool;
    } else if (chance(12)) {
        i.op = OP_where, i.c = i.b, i.b = i.a, i.a = (uint16_t)cast_to(w, random_value(w), DT_bool);
    } else if (d == DT_bool) {
        static const Op logic[] = {OP_bit_and, OP_bit_or, OP_bit_xor, OP_bit_not, OP_eq};
        i.op = logic[below(5)];
    } else if (dtype_is_complex(d)) {
        i.op = complexes[below(4)];
    } else if (dtype_is_int(d)) {
        i.op = chance(25) ? one_int[below(5)] : ints[below(14)];
    } else {
        i.op = chance(25) ? one_float[below(7)] : floats[below(12)];
    }
    add(w, i);
}

static void add_leaf(Draft *w, int loops) {
    static const struct {
        DrawKind kind;
        DType d;
    } draws[] = {{DRAW_WORDS32, DT_u32}, {DRAW_UNIFORM, DT_f32},  {DRAW_UNIFORM, DT_f64},
                 {DRAW_UNIFORM, DT_f16}, {DRAW_UNIFORM, DT_bf16}, {DRAW_RANDINT, DT_i64},
                 {DRAW_KEYS64, DT_u64}};
    int which = below(10), slot;
    if (which < 6) {
        add_load(w, any_dtype(), loops);
    } else if (which < 7) {
        slot = program_slot(&w->p);
        place_slot(w, slot, DT_u8, loops, false);
        add(w, (Instr){.kind = P_IOTA, .dtype = DT_i64, .slot = (uint16_t)slot});
    } else if (which < 9) {
        int k = below(7), key = program_scalar(&w->p, DT_u64);
        uint64_t bits[3] = {word(), word() >> 30, chance(50) ? 6 : word()};
        memcpy(w->a.scalar[key], bits, 8);
        slot = program_slot(&w->p);
        place_slot(w, slot, DT_u8, loops, false);
        if (draws[k].kind == DRAW_RANDINT)
            for (int j = 1; j < 3; j++)
                memcpy(w->a.scalar[program_scalar(&w->p, j == 1 ? DT_i64 : DT_u64)], &bits[j], 8);
        add(w, (Instr){.kind = P_DRAW,
                       .sub = (uint8_t)draws[k].kind,
                       .dtype = (uint8_t)draws[k].d,
                       .slot = (uint16_t)slot,
                       .index = (uint16_t)key});
    } else {
        DType d = any_dtype();
        slot = program_slot(&w->p);
        place_slot(w, slot, d, loops, false);
        SlotArg *s = &w->a.slot[slot];
        /* along an axis of 3 beside what the loops address */
        Memory *m = &w->memory[slot];
        s->gather_len = m->elements > 3 ? 3 : 1, s->gather_stride = 0;
        int index = add(w, (Instr){.kind = P_SCALAR,
                                   .dtype = DT_i64,
                                   .index = (uint16_t)program_scalar(&w->p, DT_i64)});
        int64_t at = below(2) - 1;
        memcpy(w->a.scalar[w->p.code[index].index], &at, 8);
        add(w, (Instr){.kind = P_GATHER,
                       .dtype = (uint8_t)d,
                       .slot = (uint16_t)slot,
                       .a = (uint16_t)index});
    }
}

static void add_store(Draft *w, int v, int loops) {
    int slot = program_slot(&w->p);
    if (slot < 0) return;
    place_slot(w, slot, type_of(w, v), loops, true);
    add(w, (Instr){.kind = P_STORE,
                   .dtype = (uint8_t)type_of(w, v),
                   .slot = (uint16_t)slot,
                   .a = (uint16_t)v});
}

static void add_reduce(Draft *w, int v) {
    DType d = type_of(w, v), out = d;
    ReduceKind kind = (ReduceKind)below(10);
    if (dtype_is_complex(d) && kind != RED_SUM) kind = RED_PROD;
    bool integer = d == DT_bool || dtype_is_int(d);
    int ddof = 0;
    if (kind == RED_COUNT && d != DT_bool) { /* of bool, as lowering has it */
        int keep = w->nvalues;
        v = cast_to(w, v, DT_bool);
        w->nvalues = keep; /* not a value of an output */
        d = DT_bool;
    }
    switch (kind) {
    case RED_SUM:
    case RED_PROD: out = dtype_kind(d) == DK_UINT ? DT_u64 : integer ? DT_i64 : d; break;
    case RED_ANY:
    case RED_ALL: out = DT_bool; break;
    case RED_ARGMIN:
    case RED_ARGMAX:
    case RED_COUNT: out = DT_i64; break;
    case RED_VAR: {
        double one = below(2);
        out = integer ? DT_f64 : d;
        ddof = program_scalar(&w->p, DT_f64);
        memcpy(w->a.scalar[ddof], &one, 8);
        break;
    }
    default: break;
    }
    add(w, (Instr){.kind = P_REDUCE,
                   .sub = (uint8_t)kind,
                   .type = (uint8_t)d,
                   .dtype = (uint8_t)out,
                   .a = (uint16_t)v,
                   .index = (uint16_t)ddof});
}

/* The results of reductions used for the elements again, one to three times. */
static void add_chain(Draft *w, const int *elements, int n, int rank, int nred) {
    bool reduced[PROG_MAX_INSTR];
    int kept[MAX_VALUES];
    if (n > MAX_VALUES - 20) n = MAX_VALUES - 20;
    memcpy(kept, elements, (size_t)n * sizeof *kept);
    for (int turn = 0; turn < 3; turn++) {
        int from = w->values[below(w->nvalues)];
        program_levels(&w->p, reduced);
        if (!reduced[from]) return;
        memcpy(w->values, kept, (size_t)n * sizeof *kept);
        w->nvalues = n;
        int x = random_value(w);
        DType d = type_of(w, x);
        int s = add(
            w, (Instr){.kind = P_SPREAD, .dtype = (uint8_t)type_of(w, from), .a = (uint16_t)from});
        s = cast_to(w, s, d);
        x = add(w, (Instr){.kind = P_OP,
                           .op = d == DT_bool ? OP_bit_xor : OP_add,
                           .type = (uint8_t)d,
                           .dtype = (uint8_t)d,
                           .a = (uint16_t)x,
                           .b = (uint16_t)s});
        if (chance(50)) add_op(w);
        x = w->values[w->nvalues - 1];
        if (n < MAX_VALUES - 20) kept[n++] = x;
        if (turn == 2 || chance(40)) add_store(w, x, rank);
        w->nvalues = 0;
        add_reduce(w, x);
        if (chance(30)) add_op(w);
        add_store(w, w->values[w->nvalues - 1], rank - nred);
        if (chance(40)) return;
    }
}

static void draft(Draft *w) {
    static const int64_t extents[] = {1, 2, 3, 5, 8, 16, 33, 64, 100, 130};
    bool transposed = chance(15); /* large enough for tiles in shared memory */
    int rank = 1 + below(4), nred = chance(55) ? 1 + below(rank) : 0;
    memset(w, 0, sizeof *w);
    if (transposed) rank = 2 + below(2), nred = 0;
    w->turned = transposed ? 75 : 35;
    program_init(&w->p, &cx, rank, nred);
    int64_t total = 1;
    for (int j = 0; j < rank; j++) {
        w->a.dim[j] = transposed ? 17 + below(50) : extents[below(10)];
        while (total * w->a.dim[j] > 40000) w->a.dim[j] = (w->a.dim[j] + 1) / 2;
        total *= w->a.dim[j];
    }
    if (total < 20000 && chance(40)) w->a.dim[below(rank)] *= 20000 / total; /* several chunks */
    int leaves = 1 + below(4), ops = below(7);
    for (int i = 0; i < leaves; i++) add_leaf(w, rank);
    for (int i = 0; i < ops && w->nvalues < MAX_VALUES - 12; i++) add_op(w);
    if (!nred || chance(25)) add_store(w, w->values[w->nvalues - 1], rank);
    if (!nred) {
        if (chance(20)) add_store(w, random_value(w), rank);
        return;
    }
    int reductions = 1 + below(3), inner[3];
    for (int i = 0; i < reductions; i++) inner[i] = i ? random_value(w) : w->values[w->nvalues - 1];
    int elements[MAX_VALUES], nelements = w->nvalues;
    memcpy(elements, w->values, sizeof elements);
    w->nvalues = 0; /* from here once an output */
    for (int i = 0; i < reductions; i++) add_reduce(w, inner[i]);
    if (rank > nred && chance(30)) add_load(w, any_dtype(), rank - nred);
    ops = below(3);
    for (int i = 0; i < ops; i++) add_op(w);
    bool reduced[PROG_MAX_INSTR] = {false};
    for (int k = 0; k < w->p.ninstr; k++) {
        const Instr *i = &w->p.code[k];
        reduced[k] = i->kind == P_REDUCE;
        if (i->kind == P_OP || i->kind == P_CAST)
            reduced[k] = reduced[i->a] || (i->kind == P_OP && reduced[i->b]) ||
                         (i->kind == P_OP && i->op == OP_where && reduced[i->c]);
    }
    for (int i = 0; i < w->nvalues; i++)
        if (reduced[w->values[i]] && (i < reductions || chance(60)))
            add_store(w, w->values[i], rank - nred);
    if (chance(40)) add_chain(w, elements, nelements, rank, nred);
}

/* The same program on both devices; args with the pointers of one. */
static void point(Draft *w, ProgArgs *a, bool on_gpu) {
    *a = w->a;
    for (int s = 0; s < w->p.nslot; s++)
        a->slot[s].ptr = on_gpu ? w->memory[s].gpu : w->memory[s].cpu;
}

static void show(const Draft *w, const char *what) {
    Buf b;
    buf_init(&b, &cx);
    program_text(&b, &w->p);
    printf("%s\n%sextents", what, buf_text(&b));
    for (int j = 0; j < w->p.rank; j++) printf(" %lld", (long long)w->a.dim[j]);
    printf("\n");
    buf_free(&b);
}

static void compare(Draft *w, const Draft *shown) {
    for (int s = 0; s < w->p.nslot; s++) {
        const Memory *m = &w->memory[s];
        if (!m->out) continue;
        size_t size = dtype_size(m->d);
        char *got = malloc((size_t)m->elements * size);
        from_gpu(got, m->gpu, (size_t)m->elements * size);
        for (int64_t i = 0; i < m->elements; i++) {
            const char *x = (char *)m->cpu + (size_t)i * size, *y = got + (size_t)i * size;
            if (alike(m->d, x, y)) continue;
            Scalar p = scalar_load(m->d, x), q = scalar_load(m->d, y);
            char what[300], tp[64], tq[64];
            scalar_text(&p, tp);
            scalar_text(&q, tq);
            snprintf(what, sizeof what, "slot %d element %lld: cpu %s, cuda %s", s, (long long)i,
                     tp, tq);
            complain(what);
            show(shown, "in");
            free(got);
            return;
        }
        free(got);
    }
    passed++;
}

/* All outputs, or all up to one and then the others. */
static void test_draft(Draft *w, bool cuts) {
    static Draft before;
    ProgArgs *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    ok(program_verify(&cx, &w->p), "verify");
    program_canonicalize(&w->p, &w->a);
    before = *w;
    point(w, a, false);
    point(w, b, true);
    int64_t n = program_outputs(&w->p, &w->a), cut = cuts && chance(30) ? below((int)n + 1) : 0;
    ok(kernel_run(kernels, cpu, &w->p, a, 0, n, "p"), "on the CPU");
    ok(kernel_run(kernels, gpu, &w->p, b, 0, cut, "p"), "emulated");
    ok(kernel_run(kernels, gpu, &w->p, b, cut, n, "p"), "emulated");
    int64_t fault[3];
    ok(kernel_faults(kernels, gpu, fault), "faults");
    if ((a->fault[0] != 0) != (fault[0] != 0) || (fault[0] && a->fault[1] != fault[1])) {
        complain("faults differ");
        show(&before, "in");
    } else if (fault[0]) {
        passed++;
    } else {
        compare(w, &before);
    }
    for (int s = 0; s < w->p.nslot; s++) {
        size_t bytes = (size_t)w->memory[s].elements * dtype_size(w->memory[s].d);
        if (w->memory[s].cpu) cpu->ops->release(cpu, w->memory[s].cpu, bytes);
        if (w->memory[s].gpu) gpu->ops->release(gpu, w->memory[s].gpu, bytes);
    }
    free(a);
    free(b);
}

static void test_program(void) {
    static Draft w;
    draft(&w);
    test_draft(&w, true);
}

/* Outputs of several chunks, whose neighbours in memory are reduced elements or other outputs. */
static void test_long(int64_t outputs, int64_t n, bool columns, DType d) {
    static const ReduceKind kinds[] = {RED_SUM, RED_VAR, RED_ARGMAX, RED_MIN};
    static Draft w;
    memset(&w, 0, sizeof w);
    program_init(&w.p, &cx, 2, 1);
    w.a.dim[0] = outputs, w.a.dim[1] = n;
    int in = program_slot(&w.p), x, ddof = program_scalar(&w.p, DT_f64);
    w.a.slot[in].stride[0] = columns ? 1 : n, w.a.slot[in].stride[1] = columns ? outputs : 1;
    make_memory(&w.memory[in], d, outputs * n, false);
    x = add(&w, (Instr){.kind = P_LOAD, .dtype = d, .slot = (uint16_t)in});
    for (size_t k = 0; k < 4; k++) {
        DType t = kinds[k] == RED_ARGMAX ? DT_i64 : d;
        int slot = program_slot(&w.p), r;
        w.a.slot[slot].stride[0] = 1;
        make_memory(&w.memory[slot], t, outputs, true);
        r = add(&w, (Instr){.kind = P_REDUCE,
                            .sub = (uint8_t)kinds[k],
                            .type = d,
                            .dtype = t,
                            .a = (uint16_t)x,
                            .index = (uint16_t)ddof});
        add(&w, (Instr){.kind = P_STORE, .dtype = t, .slot = (uint16_t)slot, .a = (uint16_t)r});
    }
    test_draft(&w, false);
}

static void test_longs(bool real, bool small) {
    test_long(3, 4096 * 3 + 5, false, DT_f32);
    test_long(1, 4096 * 40, false, DT_f64);
    test_long(70, 4096 * 2 + 1, true, DT_f32);
    test_long(9, 4097, true, DT_f64);
    if (!real || small) return;
    test_long(8, 4096 * 4097 + 3, true, DT_f32);
    test_long(5000, 4096 * 2 + 3, true, DT_f32);
    for (int i = 0; i < 3; i++) { /* counters are left as they were found */
        test_long(1, 4096 * 4097 + 3, false, DT_f32);
        test_long(300, 4096 * 5 + 3, false, DT_f64);
    }
}

/* ---- native kernels ---- */

static void expect(DType d, const void *x, const void *y, int64_t n, const char *what) {
    size_t size = dtype_size(d);
    for (int64_t i = 0; i < n; i++)
        if (!alike(d, (const char *)x + (size_t)i * size, (const char *)y + (size_t)i * size)) {
            char text[200];
            snprintf(text, sizeof text, "%s %s: element %lld of %lld differs", what, dtype_name(d),
                     (long long)i, (long long)n);
            complain(text);
            return;
        }
    passed++;
}

/* One array on both sides; n elements of at most 16 bytes. */
typedef struct Both {
    void *host, *back, *gpu;
    size_t bytes;
} Both;

static Both both(int64_t n, DType d) {
    Both b = {NULL, NULL, NULL, ((size_t)n + 1) * 16};
    b.host = calloc(1, b.bytes);
    b.back = calloc(1, b.bytes);
    fill(d, b.host, n);
    b.gpu = to_gpu(b.host, b.bytes);
    return b;
}

static void *back(Both *b) {
    from_gpu(b->back, b->gpu, b->bytes);
    return b->back;
}

static void drop(Both b) {
    gpu_free(b.gpu, b.bytes);
    free(b.host);
    free(b.back);
}

static const AxisShape shapes[] = {{1, 1, 1},  {3, 700, 1},  {1, 9000, 1},
                                   {2, 40, 3}, {1, 4500, 2}, {50, 5, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void test_scan(AxisShape s, ReduceKind kind, DType in) {
    DType out = in == DT_i32 && kind != RED_MIN && kind != RED_MAX ? DT_i64 : in;
    int64_t n = s.outer * s.axis * s.inner;
    Both p = both(n, in), x = both(n, out);
    ok(native_scan(kernels, cpu, kind, in, out, s, p.host, x.host), "scan");
    ok(native_scan(kernels, gpu, kind, in, out, s, p.gpu, x.gpu), "scan on the GPU");
    expect(out, x.host, back(&x), n, "scan");
    drop(p), drop(x);
}

/* Rows of several groups of tiles; on a GPU also one of several groups of those, often enough to
 * meet all orders in which blocks may come. */
static void test_scans(bool real, bool small) {
    static const ReduceKind kinds[] = {RED_SUM, RED_PROD, RED_MIN, RED_MAX};
    static const DType types[] = {DT_f32, DT_f16, DT_i32, DT_c64};
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t t = 0; t < 4; t++)
            test_scan(shapes[s], types[t] == DT_c64 ? RED_SUM : kinds[(s + t) % 4], types[t]);
    test_scan((AxisShape){1, 4096 * 66 + 5, 1}, RED_SUM, DT_f32);
    test_scan((AxisShape){2, 4096 * 33, 1}, RED_MAX, DT_f32);
    /* small accumulators: several to a unit, few units to a thread */
    test_scan((AxisShape){2, 4096 * 3 + 7, 1}, RED_MAX, DT_u8);
    test_scan((AxisShape){1, 4097, 1}, RED_MIN, DT_i16);
    test_scan((AxisShape){1, 4096 * 2, 1}, RED_MAX, DT_i8);
    if (!real || small) return;
    for (int i = 0; i < 4; i++) {
        test_scan((AxisShape){1, 20000003, 1}, RED_SUM, DT_f32);
        test_scan((AxisShape){3, 6000000, 1}, RED_SUM, DT_i32);
        test_scan((AxisShape){2000, 9001, 1}, RED_SUM, DT_f64);
    }
}

/* Values alone: zeros and nans of both signs among them. */
static void test_values(DType d, int64_t n, bool descending) {
    Both p = both(n, d), x = both(n, d);
    size_t size = dtype_size(d);
    for (int64_t i = 0; i < n; i++) {
        char *at = (char *)p.host + (size_t)i * size;
        Scalar v = scalar_load(d, at);
        if (dtype_is_float(d) && v.f != v.f && chance(50))
            at[size - 1] = (char)(at[size - 1] ^ 0x80);
    }
    ok(gpu->ops->upload(gpu, p.gpu, p.host, (size_t)n * size), "upload");
    AxisShape s = {1, n, 1};
    ok(native_sort(kernels, cpu, d, s, descending, p.host, x.host, NULL), "sort of values");
    ok(native_sort(kernels, gpu, d, s, descending, p.gpu, x.gpu, NULL), "the same on the GPU");
    expect(d, x.host, back(&x), n, "sort of values");
    drop(p), drop(x);
}

static void test_sorts(void) {
    static const DType types[] = {DT_f32, DT_i8, DT_f64, DT_u16, DT_bf16, DT_bool};
    for (size_t s = 0; s < SHAPES; s++) {
        DType d = types[s];
        int64_t n = shapes[s].outer * shapes[s].axis * shapes[s].inner;
        Both p = both(n, d), x = both(n, d), i = both(n, DT_i64);
        ok(native_sort(kernels, cpu, d, shapes[s], s % 2, p.host, x.host, i.host), "sort");
        ok(native_sort(kernels, gpu, d, shapes[s], s % 2, p.gpu, x.gpu, i.gpu), "sort on the GPU");
        expect(d, x.host, back(&x), n, "sort");
        expect(DT_i64, i.host, back(&i), n, "argsort");
        drop(p), drop(x), drop(i);
    }
    static const DType alone[] = {DT_f32, DT_f64, DT_i32, DT_u64, DT_f16};
    for (int i = 0; i < 10; i++) test_values(alone[i / 2], i < 8 ? 20001 : 3000, i % 2);
}

/* The elements above a half, of several tiles and a part of one. */
static void test_masked(DType d, int64_t n) {
    static Program p;
    static ProgArgs a;
    Both x = both(n, d), y = both(n, d);
    Scalar half = {.kind = SC_FLOAT, .f = 0.5};
    size_t size = dtype_size(d);
    int64_t found = 0, there = -1;
    memset(&a, 0, sizeof a);
    program_init(&p, &cx, 1, 0);
    int in = program_slot(&p), out = program_slot(&p), number = program_scalar(&p, d);
    a.dim[0] = n, a.slot[in].stride[0] = a.slot[out].stride[0] = 1;
    a.slot[in].ptr = x.gpu, a.slot[out].ptr = y.gpu;
    scalar_store(&half, d, a.scalar[number]);
    int v = program_add(&p, (Instr){.kind = P_LOAD, .dtype = d, .slot = (uint16_t)in});
    int k = program_add(&p, (Instr){.kind = P_SCALAR, .dtype = d, .index = (uint16_t)number});
    int keep = program_add(&p, (Instr){.kind = P_OP,
                                       .op = OP_gt,
                                       .type = d,
                                       .dtype = DT_bool,
                                       .a = (uint16_t)v,
                                       .b = (uint16_t)k});
    program_add(&p, (Instr){.kind = P_STORE, .dtype = d, .slot = (uint16_t)out, .a = (uint16_t)v});
    program_canonicalize(&p, &a);
    ok(kernel_compact(kernels, gpu, &p, &a, keep, out, &there), "a mask on the GPU");
    for (int64_t i = 0; i < n; i++) {
        const char *at = (char *)x.host + (size_t)i * size;
        if (scalar_load(d, at).f > 0.5) memcpy((char *)y.host + (size_t)found++ * size, at, size);
    }
    if (found != there) complain("a mask keeps another number");
    if (found == there) expect(d, y.host, back(&y), found, "mask");
    drop(x), drop(y);
}

static void test_nonzero(bool real, bool small) {
    static const int64_t sizes[] = {1, 31, 4096, 10001, 150001, 40000001};
    for (size_t s = 0; s < (real && !small ? 6 : 5); s++) {
        int64_t n = sizes[s], found, there;
        Both mask = both(n, DT_bool), x = both(n, DT_i64);
        ok(native_nonzero(kernels, cpu, mask.host, n, x.host, &found), "nonzero");
        ok(native_nonzero(kernels, gpu, mask.gpu, n, x.gpu, &there), "nonzero on the GPU");
        if (found != there)
            complain("nonzero counts differ");
        else
            expect(DT_i64, x.host, back(&x), found, "nonzero");
        drop(mask), drop(x);
    }
}

static void test_put(void) {
    static const size_t items[] = {1, 2, 4, 8, 16};
    static const DType types[] = {DT_u8, DT_u16, DT_i32, DT_i64, DT_c128};
    for (int s = 0; s < 6; s++) {
        int64_t outer = 1 + s % 2, axis = 50, inner = 1 + s % 3, n = 80, fx[3], fy[3];
        size_t item = items[s % 5];
        DType d = types[s % 5];
        AxisShape shape = {outer, axis, inner};
        Both index = both(n, DT_i64), value = both(outer * n * inner, d);
        Both x = both(outer * axis * inner, d);
        int64_t *j = index.host;
        for (int64_t k = 0; k < n; k++) j[k] = below((int)axis * 2) - axis;
        if (s == 5) j[17] = 50, j[40] = -51;
        ok(gpu->ops->upload(gpu, index.gpu, j, (size_t)n * 8), "upload");
        ok(native_put(kernels, cpu, item, shape, j, n, value.host, x.host, fx), "put");
        ok(native_put(kernels, gpu, item, shape, index.gpu, n, value.gpu, x.gpu, fy),
           "put on the GPU");
        if (fx[0] != fy[0] || (fx[0] && (fx[1] != fy[1] || fx[2] != fy[2])))
            complain("put's faults differ");
        else
            expect(d, x.host, back(&x), outer * axis * inner, "put");
        drop(index), drop(value), drop(x);
    }
}

static void test_matmul(void) {
    static const DType types[] = {DT_i32, DT_u8, DT_i64};
    for (int s = 0; s < 3; s++) {
        int64_t m = 20 + s, n = 17, k = s == 2 ? 0 : 35, batch = 1 + s % 2;
        DType d = types[s];
        Both a = both(batch * m * (k + 1), d), b = both(batch * (k + 1) * n, d);
        Both x = both(batch * m * n, d);
        DevMatmul p = {d, m, n, k,     batch, a.host, b.host, x.host, k,    1,
                       1, k, n, m * k, k * n, m * n,  0,      false,  false};
        ok(native_matmul(kernels, cpu, &p), "matmul");
        p.a = a.gpu, p.b = b.gpu, p.c = x.gpu;
        ok(native_matmul(kernels, gpu, &p), "matmul on the GPU");
        expect(d, x.host, back(&x), batch * m * n, "matmul");
        drop(a), drop(b), drop(x);
    }
}

/* An operand of a product of f32: rows x columns (or transposed), of elements of many sizes; its
 * rows or columns are scaled apart. */
static void fill_operand(Both *x, int64_t n, int64_t inner, bool rows, int spread) {
    float *v = x->host;
    for (int64_t i = 0; i < n * inner; i++) {
        int64_t vector = rows ? i / inner : i % n;
        v[i] = ldexpf((float)below(1 << 24) - (1 << 23),
                      (int)(vector * 37 % (2 * spread + 1)) - spread);
        if (chance(20)) v[i] = ldexpf(v[i], -below(30));
    }
    ok(gpu->ops->upload(gpu, x->gpu, v, x->bytes), "upload");
}

/* Each element within 2^-20 of the norms of its row and column, which is far below what a single
 * half or TF32 keeps. */
static void compare_product(const DevMatmul *p, const float *a, const float *b, const float *c) {
    double worst = 0;
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            double sum = 0, aa = 0, bb = 0;
            for (int64_t k = 0; k < p->k; k++) {
                double x = (double)a[i * p->a_row + k * p->a_col];
                double y = (double)b[k * p->b_row + j * p->b_col];
                sum += x * y, aa += x * x, bb += y * y;
            }
            double off = fabs((double)c[i * p->c_row + j] - sum) - 0x1p-149;
            if (off > 0 && off / sqrt(aa * bb) > worst) worst = off / sqrt(aa * bb);
        }
    if (worst > 0x1p-20)
        complain("a split product is off");
    else
        passed++;
}

/* Products of split operands: every layout, odd extents, several chunks of the inner extent, rows
 * and columns from subnormal to large; then an infinity, which is the plain product's. */
static void test_split_matmul(void) {
    static const int64_t extents[][3] = {
        {5, 7, 3}, {9, 4, 300}, {1, 1, 1}, {33, 17, 261}, {8, 130, 520}};
    for (int s = 0; s < 12; s++) {
        int64_t m = extents[s % 5][0], n = extents[s % 5][1], k = extents[s % 5][2];
        bool ta = s & 1, tb = s & 2;
        Both a = both(m * k, DT_f32), b = both(k * n, DT_f32), x = both(m * n, DT_f32);
        fill_operand(&a, m, k, !ta, s < 8 ? 60 : 20);
        fill_operand(&b, n, k, tb, s < 8 ? 10 : 40);
        DevMatmul p = {.dtype = DT_f32,
                       .m = m,
                       .n = n,
                       .k = k,
                       .batch = 1,
                       .a = a.gpu,
                       .b = b.gpu,
                       .c = x.gpu,
                       .a_row = ta ? 1 : k,
                       .a_col = ta ? m : 1,
                       .b_row = tb ? 1 : n,
                       .b_col = tb ? k : 1,
                       .c_row = n};
        ok(native_cuda_split_matmul(kernels, gpu, &p), "split matmul");
        compare_product(&p, a.host, b.host, back(&x));
        if (s == 11) {
            ((float *)a.host)[2] = INFINITY;
            ok(gpu->ops->upload(gpu, a.gpu, a.host, a.bytes), "upload");
            ok(native_cuda_split_matmul(kernels, gpu, &p), "split matmul of an infinity");
            back(&x);
            memcpy(x.host, x.back, x.bytes);
            ok(gpu->ops->matmul(gpu, &p), "matmul of an infinity");
            expect(DT_f32, x.host, back(&x), m * n, "a product of an infinity");
        }
        drop(a), drop(b), drop(x);
    }
}

/* ---- a real GPU: products and Philox words by the libraries ---- */

/* A sum of products that is 0 may have either sign, by the order in which it is made. */
static void drop_zero_signs(DType d, void *p, int64_t n) {
    size_t size = dtype_size(dtype_real(d)), count = (size_t)n * (dtype_size(d) / size);
    for (size_t i = 0; i < count; i++) {
        unsigned char *v = (unsigned char *)p + i * size;
        bool zero = (v[size - 1] & 0x7f) == 0;
        for (size_t k = 0; k + 1 < size; k++) zero &= v[k] == 0;
        if (zero) v[size - 1] = 0;
    }
}

/* Small integers multiply exactly in any order, so bits must agree, transposed or batched. */
static void test_library_matmul(void) {
    static const DType types[] = {DT_f32, DT_f64, DT_f16, DT_bf16, DT_c64, DT_c128};
    for (int s = 0; s < 24; s++) {
        int64_t m = 1 + below(40), n = 1 + below(40), k = s == 3 ? 0 : 1 + below(30);
        int64_t batch = 1 + below(3);
        DType d = types[s % 6];
        bool ta = chance(50), tb = chance(50);
        Both a = both(batch * m * (k + 1), d), b = both(batch * (k + 1) * n, d);
        Both x = both(batch * m * n, d), *side[2] = {&a, &b};
        for (int t = 0; t < 2; t++) {
            for (int64_t i = 0; i < batch * (t ? n : m) * (k + 1); i++) {
                Scalar v = {.kind = SC_FLOAT, .f = below(3) - 1};
                scalar_store(&v, d, (char *)side[t]->host + (size_t)i * dtype_size(d));
            }
            ok(gpu->ops->upload(gpu, side[t]->gpu, side[t]->host, side[t]->bytes), "upload");
        }
        DevMatmul p = {d,          m,          n,     k,          batch,
                       a.gpu,      b.gpu,      x.gpu, ta ? 1 : k, ta ? m : 1,
                       tb ? 1 : n, tb ? k : 1, n,     m * k,      chance(30) ? 0 : k * n,
                       m * n,      0,          false, false};
        ok(gpu->ops->matmul(gpu, &p), "matmul of the library");
        back(&x);
        memcpy(x.host, x.back, x.bytes);
        ok(native_matmul(kernels, gpu, &p), "matmul");
        back(&x);
        drop_zero_signs(d, x.host, batch * m * n);
        drop_zero_signs(d, x.back, batch * m * n);
        expect(d, x.host, x.back, batch * m * n, "library matmul");
        drop(a), drop(b), drop(x);
    }
}

static void draw_words(uint64_t key, int64_t first, int64_t n, void *out) {
    static Program p;
    static ProgArgs a;
    memset(&a, 0, sizeof a);
    program_init(&p, &cx, 1, 0);
    int s = program_slot(&p), o = program_slot(&p), k = program_scalar(&p, DT_u64);
    int v = program_add(&p, (Instr){.kind = P_DRAW,
                                    .sub = DRAW_WORDS32,
                                    .dtype = DT_u32,
                                    .slot = (uint16_t)s,
                                    .index = (uint16_t)k});
    program_add(&p,
                (Instr){.kind = P_STORE, .dtype = DT_u32, .slot = (uint16_t)o, .a = (uint16_t)v});
    memcpy(a.scalar[k], &key, 8);
    a.dim[0] = n, a.slot[s].offset = first, a.slot[s].stride[0] = a.slot[o].stride[0] = 1;
    a.slot[o].ptr = out;
    program_canonicalize(&p, &a);
    ok(kernel_run(kernels, gpu, &p, &a, 0, n, "words"), "words");
}

/* cuRAND is the oracle, beyond 2^32 words too where the GPU has the memory. */
static void test_philox(bool small) {
    enum { PIECE = 1 << 20 };
    int64_t big = ((int64_t)1 << 32) + PIECE, most = 1 << 22;
    if (!small && gpu->memory > (int64_t)40 << 30) most = big;
    uint64_t key = word();
    size_t bytes = (size_t)most * 4;
    uint32_t *mine = malloc(PIECE * 4), *theirs = malloc(PIECE * 4);
    char *all = to_gpu(NULL, bytes), *piece = to_gpu(NULL, PIECE * 4);
    ok(gpu->ops->philox(gpu, key, (uint32_t *)(void *)all, (size_t)most), "cuRAND");
    for (int64_t at = 0; at < most; at += most / 4 - 12345) {
        int64_t n = most - at < PIECE ? most - at : PIECE;
        draw_words(key, at, n, piece);
        from_gpu(mine, piece, (size_t)n * 4);
        from_gpu(theirs, all + (size_t)at * 4, (size_t)n * 4);
        expect(DT_u32, mine, theirs, n, "Philox words and cuRAND's");
    }
    gpu_free(all, bytes);
    gpu_free(piece, PIECE * 4);
    free(mine);
    free(theirs);
}

static void on_notice(void *user, const char *text) {
    (void)user;
    printf("notice: %s\n", text);
}

int main(int argc, char **argv) {
    int programs = argc > 1 ? atoi(argv[1]) : 24;
    bool real = argc > 3 && strcmp(argv[3], "cuda") == 0;
    bool small = argc > 4 && strcmp(argv[4], "small") == 0;
    if (argc > 2) seed = (uint64_t)atoll(argv[2]);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    printf("0 passed, 0 failed, 1 skipped\n"); /* fibers and sanitizers do not go together */
    return 0;
#endif
    mem_init(&cx.mem, NULL, NULL);
    opts_init(&cx.opts);
    cx.notice = on_notice;
    cx.opts.inprocess = small;
    ok(device_open_cpu(&cx, &cpu), "cpu");
    if (real) ok(device_open_cuda(&cx, 0, &gpu), "cuda");
    if (!real && emulated_open(&cx, &gpu) != ARR_OK) {
        printf("0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    ok(kernels_open(&cx, &kernels), "kernels");
    for (int i = 0; i < programs; i++) test_program();
    test_scans(real, small);
    test_longs(real, small);
    test_sorts();
    test_masked(DT_f32, 8192 * 40 + 77);
    test_masked(DT_f64, 8192 * 3);
    test_masked(DT_bf16, 5);
    test_nonzero(real, small);
    test_put();
    test_matmul();
    test_split_matmul();
    if (real) {
        test_library_matmul();
        test_philox(small);
    }
    kernels_close(kernels);
    device_close(gpu);
    device_close(cpu);
    if (cx.mem.live != 0) complain("memory is still held");
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0;
}
