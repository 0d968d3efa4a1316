/* Unit test: every kernel text compiles for GPUs that are not here. NVRTC needs no GPU; without it
 * the test is skipped. Compiled are the golden kernels (tests/dump, NAME.cuda) for sm_75, sm_80,
 * sm_90 and sm_100, and for the oldest one a kernel with every op of dtypes of every kind, every
 * cast, every draw and every reduction. Run from the repository's root. */
#include "kernels/emit_cuda.h"
#include "runtime/device/rtc_helper.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int passed, failed;
static Cx cx;

/* Compiles in one process do not run side by side: every process makes all texts and compiles its
 * share of them. */
enum { MOST_JOBS = 8 };
static int turn, job, jobs;

static void compile(const char *name, const Buf *kernel, bool complex, int sm) {
    Buf text;
    RtcResult r;
    if (turn++ % jobs != job) return;
    buf_init(&text, &cx);
    if (emit_with_helpers(&cx, kernel, complex, &text) != ARR_OK) {
        printf("tests/unit/nvrtc.c: %s: %s\n", name, cx.err.message);
        exit(1);
    }
    RtcJob job = {text.data, name, sm, cx.opts.cuda_path};
    rtc_compile_here(&cx.mem, &job, &r);
    if (r.outcome == RTC_DONE) {
        passed++;
    } else {
        failed++;
        printf("tests/unit/nvrtc.c: %s for sm_%d does not compile: %s\n", name, sm, r.log);
    }
    mem_free(&cx.mem, r.image, r.nimage);
    buf_free(&text);
}

/* ---- golden kernels: one after another in a file, each begun by a comment with its name ---- */

static void golden_file(const char *path) {
    static const int archs[] = {75, 80, 90, 100};
    FILE *f = fopen(path, "r");
    if (!f) return;
    Buf all;
    buf_init(&all, &cx);
    char line[4096];
    while (fgets(line, sizeof line, f)) buf_str(&all, line);
    fclose(f);
    for (char *at = all.data; at;) {
        char *next = strstr(at + 1, "\n/* arr_");
        Buf one;
        buf_init(&one, &cx);
        buf_add(&one, at, next ? (size_t)(next - at) : strlen(at));
        for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
            compile(path, &one, strstr(one.data, "xc") != NULL, archs[i]);
        buf_free(&one);
        at = next;
    }
    buf_free(&all);
}

static void golden_files(void) {
    glob_t g;
    if (glob("tests/dump/*/*.cuda", 0, NULL, &g) == 0) {
        for (size_t i = 0; i < g.gl_pathc; i++) golden_file(g.gl_pathv[i]);
    } else {
        failed++;
        printf("tests/unit/nvrtc.c: there are no golden kernels; run from the root\n");
    }
    globfree(&g);
}

/* ---- everything there is, a dtype at a time ---- */

typedef struct Draft {
    Program p;
    const char *what;
    EmitShape shape;
    uint64_t crossing; /* EMIT_TILE: the slots that go through shared memory */
    int parts;
} Draft;

static Draft draft;

static void begin(const char *what, EmitShape shape) {
    bool map = shape == EMIT_MAP || shape == EMIT_TILE;
    draft.what = what, draft.shape = shape, draft.parts = 0;
    program_init(&draft.p, &cx, map ? 2 : 3, map ? 0 : 2);
}

static void finish(void) {
    Buf kernel;
    static EmitPlan e;
    if (!draft.parts) return;
    buf_init(&kernel, &cx);
    if (program_verify(&cx, &draft.p) != ARR_OK) {
        printf("tests/unit/nvrtc.c: %s: %s\n", draft.what, cx.err.message);
        exit(1);
    }
    Variant v = {.shape = (uint8_t)draft.shape};
    if (draft.shape == EMIT_TILE) v.crossing = draft.crossing, v.wide = 1, v.side = 64;
    emit_plan(&e, &cx, &draft.p, v);
    if (emit_kernel(&e, &kernel) != ARR_OK) exit(1);
    compile(draft.what, &kernel, strstr(kernel.data, "xc") != NULL, 75);
    buf_free(&kernel);
    begin(draft.what, draft.shape);
}

static uint16_t slot(AccessClass c) {
    int s = program_slot(&draft.p);
    draft.p.cls[s] = (uint8_t)c;
    return (uint16_t)s;
}

static uint16_t load(DType d) {
    return (uint16_t)program_add(
        &draft.p, (Instr){.kind = P_LOAD, .dtype = (uint8_t)d, .slot = slot(ACC_CONTIG)});
}

static void store(int v) {
    DType d = (DType)draft.p.code[v].dtype;
    program_add(
        &draft.p,
        (Instr){.kind = P_STORE, .dtype = (uint8_t)d, .slot = slot(ACC_STRIDED), .a = (uint16_t)v});
    draft.parts++;
    if (draft.p.nslot > PROG_MAX_SLOTS - 8 || draft.p.nscalar > PROG_MAX_SCALARS - 8) finish();
}

static void every_op(DType d) {
    for (int op = 0; op < OP_leaf; op++) {
        const OpInfo *info = op_info((Op)op);
        OpArg args[3];
        OpTypes t;
        for (int i = 0; i < info->arity; i++) {
            args[i].weak = false;
            args[i].dtype = info->rule == OR_SELECT && i == 0 ? DT_bool : d;
        }
        if (op_types(&cx, (Op)op, args, info->arity, DT_f64, &t) != ARR_OK) {
            error_clear(&cx);
            continue;
        }
        uint16_t v[3] = {0};
        for (int i = 0; i < info->arity; i++)
            v[i] = load(info->rule == OR_SELECT && i == 0 ? DT_bool : t.in);
        store(program_add(&draft.p, (Instr){.kind = P_OP,
                                            .op = (uint16_t)op,
                                            .type = (uint8_t)t.in,
                                            .dtype = (uint8_t)t.out,
                                            .a = v[0],
                                            .b = v[1],
                                            .c = v[2]}));
    }
}

static void every_cast(DType d) {
    for (int to = 0; to < DT_COUNT; to++) {
        if (to == (int)d || (dtype_is_complex(d) && !dtype_is_complex((DType)to))) continue;
        store(program_add(
            &draft.p,
            (Instr){.kind = P_CAST, .type = (uint8_t)d, .dtype = (uint8_t)to, .a = load(d)}));
        if (dtype_size(d) == dtype_size((DType)to) && !dtype_is_complex((DType)to))
            store(program_add(&draft.p, (Instr){.kind = P_BITCAST,
                                                .type = (uint8_t)d,
                                                .dtype = (uint8_t)to,
                                                .a = load(d)}));
    }
}

static void every_draw(void) {
    static const DType types[] = {DT_f32, DT_f64, DT_f16, DT_bf16, DT_u32, DT_u64, DT_i64};
    begin("draws", EMIT_MAP);
    for (int kind = 0; kind <= DRAW_KEYS64; kind++)
        for (int t = 0; t < 7; t++) {
            DType need = kind == DRAW_WORDS32   ? DT_u32
                         : kind == DRAW_KEYS64  ? DT_u64
                         : kind == DRAW_RANDINT ? DT_i64
                                                : types[t];
            if (need != types[t] || (kind <= DRAW_EXPONENTIAL && kind >= DRAW_UNIFORM && t > 3))
                continue;
            int key = program_scalar(&draft.p, DT_u64);
            program_scalar(&draft.p, DT_i64);
            program_scalar(&draft.p, DT_u64);
            store(program_add(&draft.p, (Instr){.kind = P_DRAW,
                                                .sub = (uint8_t)kind,
                                                .dtype = (uint8_t)types[t],
                                                .slot = slot(t % 2 ? ACC_STRIDED : ACC_CONTIG),
                                                .index = (uint16_t)key}));
        }
    finish();
}

static void every_reduction(DType d, EmitShape shape) {
    bool integer = d == DT_bool || dtype_is_int(d), complex = dtype_is_complex(d);
    begin(dtype_name(d), shape);
    uint16_t v = load(d);
    for (int k = 0; k <= RED_COUNT; k++) {
        DType out = d;
        if (k == RED_ARGMIN || k == RED_ARGMAX || k == RED_COUNT) out = DT_i64;
        if (k == RED_ANY || k == RED_ALL) out = DT_bool;
        if ((k == RED_SUM || k == RED_PROD) && integer) out = DT_i64;
        if (k == RED_VAR && integer) out = DT_f64;
        if (complex && k != RED_SUM && k != RED_PROD && k != RED_ANY && k != RED_ALL &&
            k != RED_COUNT)
            continue;
        int ddof = program_scalar(&draft.p, DT_f64);
        store(program_add(&draft.p, (Instr){.kind = P_REDUCE,
                                            .sub = (uint8_t)k,
                                            .type = (uint8_t)d,
                                            .dtype = (uint8_t)out,
                                            .a = v,
                                            .index = (uint16_t)ddof}));
    }
    finish();
}

/* A transposed operand, beside one that is not, an index and a draw. */
static void tile(DType d) {
    begin("tile", EMIT_TILE);
    uint16_t s = slot(ACC_STRIDED), t = slot(ACC_STRIDED), u = slot(ACC_CONTIG);
    int key = program_scalar(&draft.p, DT_u64);
    int a = program_add(&draft.p, (Instr){.kind = P_LOAD, .dtype = (uint8_t)d, .slot = s});
    draft.crossing = (uint64_t)1 << s;
    int i = program_add(&draft.p, (Instr){.kind = P_IOTA, .dtype = DT_i64, .slot = t});
    int w = program_add(&draft.p, (Instr){.kind = P_DRAW,
                                          .sub = DRAW_WORDS32,
                                          .dtype = DT_u32,
                                          .slot = u,
                                          .index = (uint16_t)key});
    int b = load(d);
    store(program_add(&draft.p, (Instr){.kind = P_OP,
                                        .op = OP_maximum,
                                        .type = (uint8_t)d,
                                        .dtype = (uint8_t)d,
                                        .a = (uint16_t)a,
                                        .b = (uint16_t)b}));
    store(i);
    store(w);
    finish();
}

static bool nvrtc_opens(void) {
    RtcJob work = {"", "nothing", 75, cx.opts.cuda_path};
    RtcResult r;
    rtc_compile_here(&cx.mem, &work, &r);
    mem_free(&cx.mem, r.image, r.nimage);
    if (r.outcome == RTC_NO_LIBRARY) printf("NVRTC cannot be opened: %s\n", r.log);
    return r.outcome != RTC_NO_LIBRARY;
}

static void all(void) {
    golden_files();
    every_draw();
    /* the others are made of the same macros */
    static const DType types[] = {DT_bool, DT_u8, DT_i32, DT_i64, DT_bf16, DT_f32, DT_f64, DT_c64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        begin(dtype_name(types[i]), EMIT_MAP);
        every_op(types[i]);
        every_cast(types[i]);
        finish();
    }
    tile(DT_f32);
    tile(DT_f16);
    every_reduction(DT_f32, EMIT_ROWS);
    every_reduction(DT_bf16, EMIT_COLUMNS);
    every_reduction(DT_bool, EMIT_FOLD);
    every_reduction(DT_c64, EMIT_ROWS);
    every_reduction(DT_i8, EMIT_COLUMNS);
}

/* Forks the jobs; their counts come back through a pipe. */
static void share(void) {
    int ends[2], counts[2];
    jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (jobs > MOST_JOBS) jobs = MOST_JOBS;
    if (pipe(ends) != 0) exit(1);
    fflush(stdout);
    for (job = 0; job < jobs; job++) {
        if (fork() != 0) continue;
        all();
        counts[0] = passed, counts[1] = failed;
        fflush(stdout);
        _exit(write(ends[1], counts, sizeof counts) != sizeof counts);
    }
    close(ends[1]);
    for (int i = 0; i < jobs; i++) {
        if (read(ends[0], counts, sizeof counts) != sizeof counts) {
            failed++; /* a job died */
            break;
        }
        passed += counts[0], failed += counts[1];
    }
    while (wait(NULL) > 0) continue;
}

int main(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    printf("0 passed, 0 failed, 1 skipped\n"); /* the compiler is not ours to sanitize */
    return 0;
#endif
    mem_init(&cx.mem, NULL, NULL);
    opts_init(&cx.opts);
    if (!nvrtc_opens()) {
        printf("0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    share();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
