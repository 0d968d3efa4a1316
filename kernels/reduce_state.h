/* reduce_state - what a reduction knows half way: of a chunk (rows), of a lane of neighbouring
 * outputs (columns), of a chunk's result in a table, and how two of them become one.
 *
 * Callers: reduce_cpu.c. Four kinds of state: one value folded by an op's own loop (sum, prod, any,
 * all, min and max of integers); the extreme with its place (argmin, argmax, min and max of floats,
 * so that of 0 and -0 the first is taken); mean and squared deviations (var); a count. */
#ifndef ARR_REDUCE_STATE_H
#define ARR_REDUCE_STATE_H

#include "kernels/cpu_plan.h"

typedef enum RedShape { SHAPE_FOLD, SHAPE_EXTREME, SHAPE_WELFORD, SHAPE_COUNT } RedShape;

typedef struct Red {
    int instr;
    const Instr *code;
    RedShape shape;
    bool max;
    double spread; /* WELFORD: the scale of differences */
    DType in_type; /* of the operand as it is folded; the state's value */
    DType out_type;
    int in; /* the operand's value in the plan */
    size_t in_item;
    Loop fold; /* SHAPE_FOLD */
    const LoopSet *loops;
    char *part;   /* [output * nchunk + chunk] values (WELFORD: means; COUNT: i64) */
    char *more;   /* WELFORD: squared deviations; EXTREME: i64 places */
    char *result; /* [output] of out_type */
} Red;

/* columns: counts are folded as sums of i64; elements: of an output. */
void red_init(Red *r, const Instr *code, int instr, bool columns, int64_t elements);
void red_bind(Red *r);                          /* once loops is set */
size_t red_bytes(const Red *r, int64_t nchunk); /* of an output in the tables */
char *red_place(Red *r, char *memory, int64_t outputs, int64_t nchunk); /* answers the end */
/* Combine the nchunk states of output o (of r elements in all) into the first one. */
void red_fold(Red *r, int64_t o, int64_t nchunk, int64_t elements);
/* First states of outputs [lo, hi) as results. */
void red_results(Red *r, const ProgArgs *a, int64_t lo, int64_t hi, int64_t nchunk,
                 int64_t elements);

/* A chunk along the reduced elements: 128 lanes. */
typedef struct Acc {
    _Alignas(64) char lane[LANES * 16];
    _Alignas(64) char more[LANES * 8];
    int64_t rows; /* full rows of lanes so far */
    int tail;     /* lanes of the last, partial row */
    int64_t count;
    Extreme x;
} Acc;

void acc_begin(Acc *acc);
/* Elements r .. r + n - 1; all but the last call of a chunk with n a multiple of 128. */
void acc_add(const Red *red, Acc *acc, const char *x, int64_t n, int64_t r);
void acc_end(const Red *red, Acc *acc, int64_t entry);

/* A lane (or several joined) of n neighbouring outputs. */
enum { NODES = 9 }; /* the depth of a tree of 128 leaves, and one in work */
typedef struct Node {
    char *value, *more;
} Node;

size_t node_bytes(const Red *red, int64_t n);
void node_init(const Red *red, Node *node, char *memory, int64_t n);
/* Row r of n outputs; first: of its lane (before: rows of the lane so far follow from r). */
void node_add(const Red *red, Node *node, const char *x, int64_t n, int64_t r, bool first);
/* a of na elements becomes both. */
void node_join(const Red *red, Node *a, const Node *b, int64_t n, int64_t na, int64_t nb);
/* n outputs into the table, nchunk entries apart. */
void node_end(const Red *red, const Node *node, int64_t n, int64_t entry, int64_t nchunk);

#endif
