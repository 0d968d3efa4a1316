/* cpu_plan - a kernel program made ready for the CPU: block steps over registers.
 *
 * run_cpu and reduce_cpu build one plan for each level of a program (map, inside of a reduction,
 * finish of the outputs) and run it block by block: a block is n consecutive elements, in C order,
 * of the plan's Space. Values live where they cost least: contiguous operands in place, results
 * straight in contiguous destinations, broadcast operands and what depends on them alone once a
 * thread, everything else in registers of one block, reused after their last use.
 * Invariant: a plan is read-only while it runs; all that changes is in a thread's CpuWork. */
#ifndef ARR_CPU_PLAN_H
#define ARR_CPU_PLAN_H

#include "kernels/loops_cpu.h"
#include "kernels/run_cpu.h"

/* The tree of sums (kernel.h): chunks of consecutive elements, lanes inside. */
enum { CHUNK = 4096, LANES = 128 };
/* Elements of a block: the most, and the least that is worth a call. */
enum { BLOCK_MOST = 4096, BLOCK_LEAST = 256 };

/* Loops that a block walks, merged as far as all slots allow; of extent 1 there are none. */
typedef struct Space {
    int rank;
    int64_t dim[MAX_RANK];
    int64_t size;    /* product */
    int64_t *stride; /* [slot * MAX_RANK + loop], elements */
} Space;

/* Loops [from, to) of the program. ARR_ERR_MEMORY if the arena is empty. */
Status space_init(Space *s, Arena *mem, const Program *p, const ProgArgs *a, int from, int to);
/* Offset of flat element i of the space, in elements, without the slot's own offset. */
int64_t space_offset(const Space *s, int slot, int64_t i);
bool space_is_contiguous(const Space *s, int slot);
bool space_is_uniform(const Space *s, int slot);

typedef enum Home {
    HOME_REGISTER, /* reg */
    HOME_ONCE,     /* computed once a thread, a block long: reg counts those */
    HOME_SLOT,     /* in place: the slot's memory (operand or destination) */
    HOME_ELEMENT,  /* one parameter, for loops that take it so: slot is its number */
    HOME_GIVEN     /* handed in by the caller: the results of reductions */
} Home;

typedef struct PlanValue {
    uint8_t dtype, home;
    uint16_t reg, slot;
} PlanValue;

typedef enum StepKind {
    STEP_LOOP,
    STEP_FETCH,
    STEP_IOTA,
    STEP_DRAW,
    STEP_MIXED,
    STEP_GATHER,
    STEP_SCALAR,
    STEP_PUT
} StepKind;

typedef struct Step {
    uint8_t kind, dtype, sub, swap;
    uint16_t op, out, a, b, c, slot, index;
    Loop loop;
} Step;

typedef struct CpuPlan {
    const LoopSet *loops;
    const Program *p;
    const ProgArgs *args;
    Space space;
    int block;                /* elements, a power of two */
    int room;                 /* elements that registers hold: block, or the whole work */
    int nvalue, nstep, nonce; /* nonce: the first of the steps, run once a thread */
    PlanValue *value;
    Step *step;
    int nreg, nfixed; /* registers; HOME_ONCE values */
    size_t reg_bytes; /* of one register or HOME_ONCE value */
    int64_t cost;     /* of a run's element: plan_cost */
    bool has_numbers; /* a scratch block of i64 is needed */
    int64_t size;     /* of the longest run */
    bool tiled;
    const bool *fixed;
    uint16_t *moving; /* values with HOME_SLOT or HOME_GIVEN: their pointers move */
    int nmoving;
    int *of_instr; /* instruction -> value, -1: not in this plan */
} CpuPlan;

/* What the caller wants from a program's instructions. */
typedef struct PlanWants {
    const bool *keep;  /* [instruction]: compute it (operands follow) */
    const bool *given; /* [instruction]: handed in, not computed */
    int64_t size;      /* elements of the longest run: bounds the block */
    bool tiled;        /* blocks are tiles (CpuTile): nothing is used in place */
    const bool *fixed; /* [slot]: its base never moves; NULL: none moves. What is uniform
                          over the space but moves is not computed once */
} PlanWants;

Status plan_build(CpuPlan *plan, Arena *mem, const Program *p, const ProgArgs *a,
                  const Space *space, const PlanWants *wants);
/* The value converted to a dtype: a new value, with its steps (once a reduction). For operands of
 * reductions, between plan_build and plan_finish. */
int plan_convert(CpuPlan *plan, int value, DType to);
/* Places values, chooses the block. keep[n]: values that must outlive the last step. */
Status plan_finish(CpuPlan *plan, Arena *mem, const int *keep, int n);

/* The steps of a block, weighed: 1 is an addition. */
static inline int64_t plan_cost(const CpuPlan *plan) { return plan->cost; }

/* A block that is not a run of the space but a box in two of its loops: element r * cols + c. Used
 * where an operand's neighbours in memory lie along another loop than the last (a transpose), so
 * that both it and the result are walked along whole cache lines. */
typedef struct CpuTile {
    int64_t start[MAX_RANK]; /* of the box, one a loop of the space */
    int row;                 /* the loop of the rows; the columns' is the last */
    int64_t rows, cols;
} CpuTile;

/* A thread's share. */
typedef struct CpuWork {
    char **at;           /* [value] */
    char *memory;        /* registers, then HOME_ONCE values, then numbers */
    int64_t *numbers;    /* a block */
    const int64_t *base; /* [slot] elements to add to every offset; NULL: none */
    char **given;        /* [value] where element `given_from` of the space is */
    int64_t given_from;
    const CpuTile *tile; /* the block in work, where the plan is tiled */
    bool ready;          /* HOME_ONCE values are there */
    int64_t fault[4];    /* [0] seen, [1] index, [2] axis length, [3] element */
} CpuWork;

size_t plan_work_bytes(const CpuPlan *plan); /* of one thread, a multiple of 64 */
void plan_work_init(const CpuPlan *plan, CpuWork *w, void *memory);
/* Elements [at, at + n) of the space; n <= plan->block. */
void plan_run(const CpuPlan *plan, CpuWork *w, int64_t at, int64_t n);

/* cpu_access.c: elements [at, at + n) of a slot's space to and from contiguous memory. */
void access_fetch(const CpuPlan *plan, int slot, const char *base, size_t item, int64_t at,
                  int64_t n, void *out);
void access_put(const CpuPlan *plan, int slot, char *base, size_t item, int64_t at, int64_t n,
                const void *in);
/* offset + sum(i * stride) as numbers. */
void access_numbers(const CpuPlan *plan, int slot, int64_t base, int64_t at, int64_t n,
                    int64_t *out);
/* The same for the elements of a tile. */
void tile_fetch(const CpuPlan *plan, const CpuTile *t, int slot, const char *base, size_t item,
                void *out);
void tile_put(const CpuPlan *plan, const CpuTile *t, int slot, char *base, size_t item,
              const void *in);
void tile_numbers(const CpuPlan *plan, const CpuTile *t, int slot, int64_t base, int64_t *out);
void access_fill(void *out, size_t item, size_t n, const void *element);

/* run_cpu.c: the threads' works for so many parts, in one block of pool memory; freeing it puts the
 * lowest fault into a. */
typedef struct WorkSet {
    CpuWork *work;
    int n;
    void *memory;
    size_t bytes;
} WorkSet;
Status work_new(Device *d, const CpuPlan *plan, int64_t parts, WorkSet *out);
void work_free(Device *d, ProgArgs *a, WorkSet *w);

/* reduce_cpu.c */
/* c may be NULL: nothing is kept. */
Status reduce_cpu(CpuCache *c, Device *d, const Program *p, ProgArgs *a, int64_t lo, int64_t hi);
/* chain_cpu.c: programs that walk an output's elements several times. */
Status chain_cpu(Device *d, const Program *p, ProgArgs *a, int64_t lo, int64_t hi);
/* run_cpu.c: run a plan over [lo, hi) of its space on all threads. given: NULL or [value]
 * pointers to element lo. */
Status map_run(Device *d, CpuPlan *plan, ProgArgs *a, int64_t lo, int64_t hi, char **given);
/* Elements that a part of work should have, and whether threads are worth waking. */
int64_t part_size(Device *d, int64_t n, int64_t unit, int64_t cost);

#endif
