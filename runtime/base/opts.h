/* opts - the one parser of debug switches: main.c reads ARR_* from the environment, the REPL has
 * `:set name=value`, a host passes "name=value ..." in arr_config.switches. All end here. */
#ifndef ARR_OPTS_H
#define ARR_OPTS_H

#include <stddef.h>
#include <stdint.h>

enum {
    DUMP_TOKENS = 1,
    DUMP_AST = 2,
    DUMP_GRAPH = 4,
    DUMP_PLAN = 8,
    DUMP_PROGRAM = 16,
    DUMP_CUDA = 32,
    DUMP_ALLOC = 64,
    DUMP_TIME = 128
};

/* What an f32 product on a GPU may cost in accuracy: nothing, a tensor-core product of split
 * operands that is as accurate as an f32 one, or TF32. */
enum { PRECISION_HIGHEST, PRECISION_HIGH, PRECISION_MEDIUM };

typedef struct Opts {
    char device[32];     /* cpu, cuda, cuda:N, auto */
    char cache_dir[512]; /* "" : memory only */
    char dump_dir[512];  /* "" : dumps go to the notice stream */
    char cuda_path[512]; /* where the CUDA Toolkit is (main.c: CUDA_PATH); "" : usual places */
    char lib_path[512];  /* libarr_cub.so's; "": beside the library or program, the loader's */
    unsigned dump;       /* DUMP_* bits */
    int threads;         /* 0: all cores */
    int fuse;            /* 1; 0: every node its own group */
    int verify;          /* 1: run the program verifier on every program */
    int sync;            /* 1: wait after every launch */
    int streams;         /* 0: worthwhile independent work may overlap; 1: none; 2: all */
    int profile;         /* 1: count and time every kernel and library call */
    int float32;         /* 1: the default float of programs is f32 */
    int precision;       /* PRECISION_*: of f32 products that are built from now on */
    int inprocess;       /* 1: NVRTC in this process, not in a helper */
    int64_t fail_alloc;  /* 0: never */
} Opts;

void opts_init(Opts *o);
/* One switch, names as in the README without ARR_, any case: "dump=plan,program". 0: unknown name
 * or bad value (then *o is unchanged). */
int opts_set(Opts *o, const char *name, const char *value);
/* The i-th switch's name and one-line help, NULL past the end. */
const char *opts_name(size_t i, const char **help);
/* "highest", "high", "medium"; NULL past the end. */
const char *opts_precision_name(int precision);

#endif
