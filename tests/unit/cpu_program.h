/* Building kernel programs in unit tests: one program at a time, in file-level variables. */
#ifndef ARR_TEST_CPU_PROGRAM_H
#define ARR_TEST_CPU_PROGRAM_H

#include "kernels/native_cpu.h"
#include "kernels/run_cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static Cx cx;
static Device *dev;
static Program prog;
static ProgArgs args;

static void check_at(bool ok, const char *what, const char *file, int line) {
    if (ok) {
        passed++;
    } else {
        failed++;
        if (failed < 40) printf("%s:%d: %s\n", file, line, what);
    }
}
#define CHECK(e) check_at(e, #e, __FILE__, __LINE__)
#define CHECK_NAMED(e, name) check_at(e, name, __FILE__, __LINE__)

static void *take(size_t n) {
    void *p = NULL;
    if (dev->ops->alloc(dev, n, &p) != ARR_OK) exit(2);
    return p;
}
static void give(void *p, size_t n) { dev->ops->release(dev, p, n); }

static void begin(int rank, int nred, const int64_t *dim) {
    program_init(&prog, &cx, rank, nred);
    memset(&args, 0, sizeof args);
    memcpy(args.dim, dim, (size_t)rank * sizeof *dim);
}
static int slot(void *p, int64_t offset, const int64_t *stride) {
    int s = program_slot(&prog);
    args.slot[s].ptr = p;
    args.slot[s].offset = offset;
    memcpy(args.slot[s].stride, stride, prog.rank * sizeof *stride);
    return s;
}
static int load(DType d, void *p, const int64_t *stride) {
    return program_add(
        &prog, (Instr){.kind = P_LOAD, .dtype = (uint8_t)d, .slot = (uint16_t)slot(p, 0, stride)});
}
static void store(DType d, int v, void *p, const int64_t *stride) {
    program_add(&prog, (Instr){.kind = P_STORE,
                               .dtype = (uint8_t)d,
                               .a = (uint16_t)v,
                               .slot = (uint16_t)slot(p, 0, stride)});
}
static int apply(Op op, DType type, DType out, int a, int b, int c) {
    return program_add(&prog, (Instr){.kind = P_OP,
                                      .op = (uint16_t)op,
                                      .type = (uint8_t)type,
                                      .dtype = (uint8_t)out,
                                      .a = (uint16_t)a,
                                      .b = (uint16_t)b,
                                      .c = (uint16_t)c});
}
static int cast(DType from, DType to, int a) {
    return program_add(
        &prog,
        (Instr){.kind = P_CAST, .type = (uint8_t)from, .dtype = (uint8_t)to, .a = (uint16_t)a});
}
static int parameter(DType d, const void *bits) {
    int s = program_scalar(&prog, d);
    memcpy(args.scalar[s], bits, dtype_size(d));
    return s;
}
static int scalar(DType d, const void *bits) {
    return program_add(
        &prog,
        (Instr){.kind = P_SCALAR, .dtype = (uint8_t)d, .index = (uint16_t)parameter(d, bits)});
}
static int reduce(ReduceKind kind, DType type, DType out, int a) {
    return program_add(&prog, (Instr){.kind = P_REDUCE,
                                      .sub = (uint8_t)kind,
                                      .type = (uint8_t)type,
                                      .dtype = (uint8_t)out,
                                      .a = (uint16_t)a});
}
static void run(void) {
    program_canonicalize(&prog, &args);
    if (program_verify(&cx, &prog) != ARR_OK ||
        run_cpu(NULL, dev, &prog, &args, 0, program_outputs(&prog, &args)) != ARR_OK) {
        CHECK(false);
        printf("  %s\n", cx.err.message);
        error_clear(&cx);
    }
}

static uint64_t random_state = 88172645463325252u;
static uint64_t random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 2685821657736338717u;
}
static double random_unit(void) { return (double)(random_word() >> 11) * 0x1p-53; }

static int finish(const char *name) {
    device_close(dev);
    CHECK(cx.mem.live == 0);
    printf("%s: %d passed, %d failed\n", name, passed, failed);
    return failed != 0;
}
static void start(void) {
    mem_init(&cx.mem, NULL, NULL);
    opts_init(&cx.opts);
    cx.opts.threads = 3;
    if (device_open_cpu(&cx, &dev) != ARR_OK) exit(2);
}

#endif
