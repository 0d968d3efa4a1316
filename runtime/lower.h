/* lower - one loop group to one kernel program with its arguments.
 *
 * Callers: exec (to run it), explain and dumps (to show it). Where values lie is the caller's to
 * say, through a callback, so that a plan can be lowered without running.
 * Invariant: the program's structure depends on the group and on how values lie in memory, never on
 * scalars or extents. */
#ifndef ARR_LOWER_H
#define ARR_LOWER_H

#include "runtime/plan.h"

/* Memory of a node's value: strides along the node's axes, in elements. */
typedef struct Place {
    void *ptr;
    int64_t offset;
    int64_t stride[MAX_RANK];
} Place;

/* Where an argument comes from, so that it can be filled in again for the next graph. */
typedef enum SlotFrom { SLOT_NUMBER, SLOT_LOAD, SLOT_STORE, SLOT_TARGET } SlotFrom;
typedef enum ScalarFrom {
    SCALAR_FIXED,
    SCALAR_NODE,
    SCALAR_KEY,
    SCALAR_LOW,
    SCALAR_RANGE
} ScalarFrom;

typedef struct LowerNotes {
    Use *use[PROG_MAX_SLOTS];      /* whose memory it is */
    int64_t start[PROG_MAX_SLOTS]; /* elements beyond the value's own offset */
    uint8_t slot[PROG_MAX_SLOTS];  /* SlotFrom */
    PNode *node[PROG_MAX_SCALARS];
    uint8_t scalar[PROG_MAX_SCALARS]; /* ScalarFrom */
} LowerNotes;

typedef struct Lowered {
    Program program;
    ProgArgs args;
    LowerNotes notes;
} Lowered;

/* A group's work as it was lowered once, in the plan's arena. */
typedef struct LoweredKept {
    Lowered low;
    int64_t *stride[PROG_MAX_SLOTS]; /* of the memory that slots go to, as it was */
} LoweredKept;

typedef struct LowerMemory {
    void *ctx;
    /* Where u's node is read from, or where its stored elements go (C order: strides unused). */
    Status (*load)(void *ctx, Use *u, Place *out);
    Status (*store)(void *ctx, Use *u, Place *out);
    const Place *target; /* GROUP_PART: where its root goes */
} LowerMemory;

/* Fills *out, canonicalized, and verified with opts.verify. */
Status lower_group(Plan *p, Group *g, const LowerMemory *mem, Lowered *out);

/* lower_again.c: keep what was lowered for g, whose plan is kept (g->kept; nothing happens where it
 * cannot be). serial: a number that no program had. */
Status lower_keep(Plan *p, Group *g, const LowerMemory *mem, const Lowered *low, uint64_t serial);
/* Put the present nodes' memory and scalars into g->kept; *ok false: values lie otherwise than they
 * did, or there is nothing kept. */
Status lower_again(Group *g, const LowerMemory *mem, bool *ok);

#endif
