/* program - the kernel program: one fused group as a flat list of instructions over a loop nest.
 *
 * Built by runtime/lower, run by kernels/run_cpu (blocks) or emitted by kernels/emit_cuda. It is
 * index-pure: every instruction is a function of the loop indices and of memory that the program
 * does not write, so that any range of its outputs can be run alone, again, or elsewhere.
 *
 *   loops:   i[0] .. i[rank-1], C order; the last `nred` of them are reduced away
 *   outputs: one element per combination of the outer loops (all of them when nred is 0)
 *   values:  instruction k computes value k; operands name earlier values
 *   chain:   a program with a P_SPREAD walks an output's elements several times: a reduction and
 *            what it is made from may need the results of others
 *
 * What is structure (in the canonical text, hence in the kernel's key): ops, dtypes, rank, nred,
 * each slot's access class, index width. What is a parameter (never in the text): extents,
 * strides, offsets, pointers, scalars, keys. */
#ifndef ARR_PROGRAM_H
#define ARR_PROGRAM_H

#include "runtime/base/buf.h"
#include "runtime/base/ops.h"
#include "runtime/base/shape.h"

enum {
    PROG_MAX_INSTR = 512, /* design: groups of at most 256 ops, plus loads and casts */
    PROG_MAX_SLOTS = 48,  /* pointers of one kernel; bounded by 4 KiB of parameters */
    PROG_MAX_SCALARS = 128
};

typedef enum InstrKind {
    P_LOAD,    /* slot: element at the slot's address */
    P_SCALAR,  /* index: parameter `index`, of dtype */
    P_IOTA,    /* slot: offset + sum(i * stride) as i64 (no memory) */
    P_DRAW,    /* slot: flat element number (as IOTA); draw: kind; index: key parameter (2 scalars
                  for randint: then low and range follow at index+1, index+2) */
    P_OP,      /* op over a, b, c: all of dtype `type` (SELECT: a is bool) -> dtype */
    P_CAST,    /* a (of dtype `type`) -> dtype */
    P_BITCAST, /* a (of dtype `type`) -> dtype of the same size */
    P_CMPMIX,  /* op (comparison) over a and b, one u64 and the other i64, exact -> bool */
    P_GATHER,  /* slot's address + wrap(a) * gather_stride; a is i64, checked against gather_len */
    P_REDUCE,  /* red over value a (of dtype `type`) along the reduced loops -> dtype */
    P_SPREAD,  /* a, which exists once per output, for each of its reduced elements */
    P_STORE    /* slot = value a (of dtype): a P_REDUCE or later value stores once per output */
} InstrKind;

typedef enum ReduceKind {
    RED_SUM,
    RED_PROD,
    RED_MIN,
    RED_MAX,
    RED_ANY,
    RED_ALL,
    RED_ARGMIN,
    RED_ARGMAX, /* -> i64: C-order index among the reduced axes, lowest wins */
    RED_VAR,    /* Welford/Chan M2 / (n - ddof): ddof is scalar parameter `index` (f64) */
    RED_COUNT
} ReduceKind;

typedef enum DrawKind {
    DRAW_WORDS32, /* u32 word i */
    DRAW_UNIFORM, /* f32, f64, f16, bf16 in [0, 1) */
    DRAW_NORMAL,  /* f32, f64 */
    DRAW_EXPONENTIAL,
    DRAW_RANDINT, /* i64: low + [0, range); range 0 means 2^64 */
    DRAW_KEYS64   /* u64 from words 2i, 2i+1: sort keys of permutation */
} DrawKind;

typedef struct Instr {
    uint8_t kind;     /* InstrKind */
    uint8_t dtype;    /* of the value (P_STORE: of the memory) */
    uint8_t type;     /* operand dtype of OP, CAST, BITCAST, REDUCE */
    uint8_t sub;      /* ReduceKind, DrawKind */
    uint16_t op;      /* Op of P_OP, P_CMPMIX */
    uint16_t a, b, c; /* operand values */
    uint16_t slot;    /* LOAD IOTA DRAW GATHER STORE */
    uint16_t index;   /* first scalar parameter */
} Instr;

/* How a slot's address depends on the loops: the variants that are worth a kernel of their own. */
typedef enum AccessClass {
    ACC_CONTIG, /* stride 1 on the last loop, C order over all loops (outer loops for results) */
    ACC_BCAST,  /* all strides 0 */
    ACC_STRIDED /* anything else */
} AccessClass;

typedef struct Program {
    Cx *cx;
    uint8_t rank; /* 1 .. MAX_RANK loops (0-d work has one loop of extent 1) */
    uint8_t nred; /* trailing reduced loops, 0: a map */
    uint8_t wide; /* 1: index arithmetic needs 64 bits (emit_cuda) */
    uint16_t ninstr, nslot, nscalar;
    uint64_t
        serial; /* not 0: all runs with this number have this code, these extents and strides */
    Instr code[PROG_MAX_INSTR];
    uint8_t cls[PROG_MAX_SLOTS]; /* AccessClass */
    uint8_t scalar_type[PROG_MAX_SCALARS];
} Program;

typedef struct SlotArg {
    void *ptr;                         /* device memory; NULL for IOTA and DRAW */
    int64_t offset;                    /* elements */
    int64_t stride[MAX_RANK];          /* elements, one per loop (0 on reduced loops of a result) */
    int64_t gather_stride, gather_len; /* P_GATHER: along the indexed axis */
} SlotArg;

/* The parameters of one run. */
typedef struct ProgArgs {
    int64_t dim[MAX_RANK];
    SlotArg slot[PROG_MAX_SLOTS];
    uint8_t scalar[PROG_MAX_SCALARS][16]; /* element bits in scalar_type */
    int64_t fault[3]; /* out: [0] != 0: a gather failed; [1] index, [2] axis length */
} ProgArgs;

/* Building: each answers the value number, or -1 when the program is full. */
void program_init(Program *p, Cx *cx, int rank, int nred);
int program_slot(Program *p);            /* a fresh slot number */
int program_scalar(Program *p, DType d); /* a fresh parameter number */
int program_add(Program *p, Instr i);

/* Outputs of the program: product of the outer extents. */
int64_t program_outputs(const Program *p, const ProgArgs *a);
/* Reduced elements per output. */
int64_t program_reduced(const Program *p, const ProgArgs *a);
/* Fill cls[] and wide from the args' strides; merge loops that all slots traverse as one. Call
 * once after building, before the key is taken. */
void program_canonicalize(Program *p, ProgArgs *a);
/* Structure check (operands defined before use, dtypes agree, slots used once as load or store,
 * stores last in their level). ARR_ERR_INTERNAL with what is wrong. */
Status program_verify(Cx *cx, const Program *p);
/* Canonical text: the cache key and the `program` dump. Names, never enum numbers. */
void program_text(Buf *out, const Program *p);
const char *reduce_name(ReduceKind k);
const char *draw_name(DrawKind k);

#endif
