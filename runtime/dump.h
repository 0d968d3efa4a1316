/* dump - graphs, plans and programs as text and as dot, for ARR_DUMP and explain.
 *
 * Callers: exec. Text goes to cx->dump, or into numbered files in opts.dump_dir (graphs and plans
 * as .dot beside). Nodes are numbered within their plan, so that the same program always dumps the
 * same. Invariant: nothing here changes what runs. */
#ifndef ARR_DUMP_H
#define ARR_DUMP_H

#include "runtime/lower.h"

typedef struct DumpClock {
    bool on;
    int64_t start; /* nanoseconds */
    char what[96]; /* the group's operations, which are gone once it has run */
} DumpClock;

/* Each does nothing unless its stage is switched on. */
Status dump_graph(Plan *p);
Status dump_plan(Plan *p); /* after plan_fuse */
Status dump_program(Plan *p, const Program *program);
DumpClock dump_clock(Plan *p, const Group *g);
void dump_time(Plan *p, const DumpClock *start, int step, const Device *d);

/* What a node is, without its number: "mul f32[3,4] %1 %2". */
void dump_node(const Plan *p, const Node *n, Buf *out);
/* "mul", "sum", "uniform". */
const char *dump_word(const Node *n);
/* The operations of a group, oldest first: "mul add sum". */
void dump_operations(const Group *g, Buf *out);

#endif
