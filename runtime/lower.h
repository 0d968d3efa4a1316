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

typedef struct Lowered {
    Program program;
    ProgArgs args;
} Lowered;

typedef struct LowerMemory {
    void *ctx;
    /* Where u's node is read from, or where its stored elements go (C order: strides unused). */
    Status (*load)(void *ctx, Use *u, Place *out);
    Status (*store)(void *ctx, Use *u, Place *out);
    const Place *target; /* GROUP_PART: where its root goes */
} LowerMemory;

/* Fills *out, canonicalized, and verified with opts.verify. */
Status lower_group(Plan *p, Group *g, const LowerMemory *mem, Lowered *out);

#endif
