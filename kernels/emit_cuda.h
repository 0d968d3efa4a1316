/* emit_cuda - kernel programs as CUDA text, and the parameters of their launches.
 *
 * A program becomes one of seven kernels (EmitShape), each a real CUDA file in templates/ with
 * holes that are filled with flat statements, one an instruction. A second walk over the same list
 * that declared the parameters collects their values for a launch, so the two cannot disagree.
 * Callers: run_cuda.c, the golden tests. Needs no toolkit.
 * Invariant: the text depends on the program's structure and the variant alone. */
#ifndef ARR_EMIT_CUDA_H
#define ARR_EMIT_CUDA_H

#include "kernels/kernel.h"

typedef enum EmitShape {
    EMIT_MAP,     /* no reduction: vectors of neighbouring elements */
    EMIT_ROWS,    /* a group of up to 32 threads walks one chunk of reduced elements */
    EMIT_COLUMNS, /* neighbouring threads own neighbouring outputs */
    EMIT_FOLD,    /* combines the chunks' results of ROWS or COLUMNS, a warp a chunk again */
    EMIT_TILE,    /* a map with operands that are neighbours along another loop */
    EMIT_COMPACT, /* a map of whose outputs only some are stored, one after another */
    EMIT_CHAIN    /* outputs whose elements are walked several times, by a block or a part of one */
} EmitShape;

typedef struct Variant {
    uint8_t shape;     /* EmitShape */
    uint8_t wide;      /* index arithmetic in 64 bits */
    uint8_t cross;     /* TILE: the loop along which crossing slots are neighbours */
    uint8_t side;      /* TILE: elements along each edge, 32 or 64; 8 times as many threads */
    uint64_t crossing; /* TILE: bit s: slot s goes through shared memory */
    uint16_t keep;     /* COMPACT: the value that says which outputs are stored */
    uint16_t kept;     /* COMPACT: the slot they go to */
    uint8_t shares;    /* CHAIN: values wait in shared memory for later walks */
} Variant;

/* Chunks and partial sums of reductions: kernel.h. A fault record: position, index, length,
 * lock, as i64. */
enum { CHUNK = 4096, LANES = 128, BLOCK = 256, FAULT_BYTES = 32 };

/* Values of elements that wait in shared memory for a later walk (emit_shared.c). */
typedef struct EmitShared {
    int bytes;                     /* an element, of all together */
    int16_t place[PROG_MAX_INSTR]; /* bytes an element that lie before it */
    bool kept[PROG_MAX_INSTR];
    bool ahead[PROG_MAX_INSTR];  /* comes from memory before the first walk */
    bool taken[PROG_MAX_INSTR];  /* by the walk in work */
    bool handed[PROG_MAX_INSTR]; /* by the walk in work to later ones */
} EmitShared;

typedef struct EmitPlan {
    Cx *cx;
    const Program *p;
    Variant v;
    int nouter;                   /* outer loops */
    bool computes;                /* rather than moves memory: what it costs is its instructions */
    int vec, unroll;              /* elements a vector, vectors in flight */
    int column_block;             /* threads of a COLUMNS block, bounded by shared memory */
    bool reduced[PROG_MAX_INSTR]; /* program_levels */
    bool inner[PROG_MAX_INSTR];   /* needed once an element */
    bool outer[PROG_MAX_INSTR];   /* needed once an output */
    int16_t slot_instr[PROG_MAX_SLOTS]; /* the instruction that uses the slot; -1: unused here */
    bool has_gather;
    int walks, walk;               /* CHAIN: how many; the one in work */
    uint8_t phase[PROG_MAX_INSTR]; /* CHAIN: program_phases, or of chain_shared */
    EmitShared shared;             /* CHAIN */
    char name[64];                 /* of the kernel */
} EmitPlan;

/* What the launch must know beyond the program's own arguments. */
typedef struct EmitLaunch {
    const ProgArgs *args;
    int64_t lo, hi;  /* outputs */
    int64_t reduced; /* reduced elements an output; FOLD: chunk results an output */
    int64_t nchunk;
    int group;         /* threads a chunk (ROWS, FOLD), row groups a block (COLUMNS) */
    uint64_t mode;     /* bit s: slot s may be accessed in vectors; bit 63: vectors lie in rows */
    void *part, *from; /* chunk results: written (NULL: finish the outputs), read */
    void *arrivals;    /* FOLD: zeros, an output */
    void *posts;       /* COMPACT: see templates/compact.cu */
    void *fault;
    unsigned shared; /* CHAIN: bytes of shared memory a block, beside what its text declares */
} EmitLaunch;

enum { LAUNCH_MAX_PARAMS = 2048 };

typedef struct LaunchArgs {
    int n;
    void *ptr[LAUNCH_MAX_PARAMS];
    union LaunchValue {
        int32_t i32;
        int64_t i64;
        void *p;
        unsigned char bytes[16];
    } value[LAUNCH_MAX_PARAMS];
} LaunchArgs;

static inline bool emit_is_map(const EmitPlan *e) {
    return e->v.shape == EMIT_MAP || e->v.shape == EMIT_TILE || e->v.shape == EMIT_COMPACT;
}

void emit_plan(EmitPlan *e, Cx *cx, const Program *p, Variant v);
/* vec and unroll for what is needed once an element. */
void emit_choose_unroll(EmitPlan *e);
/* The kernel's own text, without the helpers it calls. */
Status emit_kernel(const EmitPlan *e, Buf *out);
/* Helpers and kernel: what is compiled. */
Status emit_text(const EmitPlan *e, Buf *out);
/* A template filled by `fill` (called with each hole's name), with the helpers it calls in front.
 */
typedef void (*EmitFill)(const void *ctx, const char *hole, size_t n, Buf *out);
Status emit_template(Cx *cx, const char *file, EmitFill fill, const void *ctx, Buf *out);
Status emit_with_helpers(Cx *cx, const Buf *kernel, bool complex, Buf *out);
/* Bytes of one chunk result, as the device lays it out. */
size_t emit_state_size(const EmitPlan *e);
/* false: more parameters than a launch can take. */
bool emit_launch_args(const EmitPlan *e, const EmitLaunch *l, LaunchArgs *out);

/* A dtype in memory and in registers: halves are their bits there and a float here. */
const char *emit_memory_type(DType d);
const char *emit_value_type(DType d);
/* The expression of value v of dtype from as dtype to (casts as in dtype.h). */
void emit_cast(Buf *out, DType from, DType to, const char *v);

/* emit_args.c: declarations of the parameters ("const I lo, ..."). */
void emit_params(const EmitPlan *e, Buf *out);
/* emit_body.c: statements, one an instruction. */
void emit_inner_body(const EmitPlan *e, Buf *out);
void emit_finish(const EmitPlan *e, Buf *out);
/* CHAIN: divisors d<value> that serve all elements of a walk; are they fine; the body by them. */
void emit_divisors(const EmitPlan *e, Buf *out);
void emit_divisors_fine(const EmitPlan *e, Buf *out);
void emit_quick_body(const EmitPlan *e, Buf *out);
void emit_state(const EmitPlan *e, Buf *out); /* struct S; CHAIN: S0, S1, ... of the walks */
/* COMPACT: what decides over element j; its value, where such values go, and their type. */
void emit_condition(const EmitPlan *e, Buf *out);
void emit_kept_value(const EmitPlan *e, Buf *out);
void emit_kept_pointer(const EmitPlan *e, Buf *out);
void emit_kept_type(const EmitPlan *e, Buf *out);
const char *emit_draw_type(const Instr *i);
/* emit_access.c: offsets, loads and stores around the body. */
void emit_arrays(const EmitPlan *e, Buf *out);
void emit_loads(const EmitPlan *e, Buf *out);
void emit_whole(const EmitPlan *e, Buf *out);
void emit_stores(const EmitPlan *e, Buf *out);
void emit_outer_offsets(const EmitPlan *e, Buf *out);
/* emit_tile.c: the slots that are worth crossing at that loop, in tiles of that side; pieces of
 * templates/tile.cu. */
uint64_t emit_crossing(const Program *p, const ProgArgs *a, int cross, int side);
bool emit_crosses(const EmitPlan *e, int slot);
void emit_tile_shared(const EmitPlan *e, Buf *out);
void emit_tile_items(const EmitPlan *e, Buf *out);
void emit_tile_rest(const EmitPlan *e, Buf *out);
void emit_tile_crossing(const EmitPlan *e, Buf *out);
void emit_tile_element(const EmitPlan *e, Buf *out);
void emit_tile_loads(const EmitPlan *e, Buf *out);
/* emit_chain.c: inner and outer; the walks with what stands between them. */
void emit_chain_levels(EmitPlan *e);
void emit_walks(const EmitPlan *e, Buf *out);
/* emit_shared.c: what waits, and where; which walk takes and hands on what; the text of the walks'
 * memory, of what is fetched before them, and of what a vector moves. */
enum { SHARED_WALKERS = 512, CHAIN_WALKERS = 1024 }; /* threads of a block, with it and without */
void emit_shared_plan(EmitPlan *e);
void emit_shared_walk(EmitPlan *e, const bool *need);
void emit_shared_walkers(const EmitPlan *e, Buf *out);
void emit_shared_places(const EmitPlan *e, Buf *out);
void emit_shared_fetch(const EmitPlan *e, Buf *out);
void emit_shared_arrays(const EmitPlan *e, Buf *out);
void emit_shared_loads(const EmitPlan *e, Buf *out);
void emit_shared_stores(const EmitPlan *e, Buf *out);
void emit_fill_hole(const void *ctx, const char *hole, size_t n, Buf *out);
/* emit_pick.c: the definitions of library that text uses, directly or through one another, in
 * their order; those that name complex numbers only where asked. */
Status emit_pick(Cx *cx, const char *library, size_t n, const char *text, bool complex, Buf *out);

#endif
