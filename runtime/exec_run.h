/* exec_run - one plan being run: what exec.c and exec_struct.c share.
 *
 * Callers: exec*.c alone. Invariant: when a group has run, the nodes that it made are leaves; what
 * failed for good is marked before its error is raised. */
#ifndef ARR_EXEC_RUN_H
#define ARR_EXEC_RUN_H

#include "runtime/lower.h"
#include "runtime/place.h"

typedef struct Lanes Lanes; /* exec_lanes.c */

typedef struct Run {
    Plan plan;
    Runtime *rt;
    Cx *cx;
    Lowered *work;                 /* for groups that are lowered anew */
    Lowered *now;                  /* of the group being run */
    Device *device;                /* where it runs */
    Lanes *lanes;                  /* NULL: everything one after another */
    int step;                      /* groups done */
    bool in_place;                 /* the group being run overwrites what it may read */
    bool stale;                    /* the plan is known, but values lie otherwise than they did */
    bool failed;                   /* a node was marked failed: its error is pending */
    Node *suspect[PROG_MAX_SLOTS]; /* one of these gathers failed, retained: to be run one by one */
    int nsuspect;
    const Node *masked; /* of this node only some outputs are stored, NULL: of none ... */
    int64_t *count;     /* ... this many */
} Run;

/* As exec_force of pending nodes. *failed: the error is that of a node that was marked failed.
 * count, of a single root that is where(mask, x, x): store the elements where mask holds, one after
 * another, and say how many; left alone where they were stored as where has them. May be NULL. */
Status run_force(Runtime *rt, Node *const *roots, int n, bool *failed, int64_t *count);

/* The value of a plan's node that is in memory, on the device of the group being run. */
Status run_value(Run *r, PNode *n, Array **out);
/* n and its twins become leaves of a (borrowed). */
void run_publish(Run *r, PNode *n, Array *a);
/* Lower and run a loop group; target as in LowerMemory. Extra outputs are published. */
Status run_loops(Run *r, Group *g, const Place *target);
/* An index out of range at n: mark it failed and raise. */
Status run_fail_index(Run *r, PNode *n, const int64_t fault[3]);

/* exec_ahead.c */
Status run_ahead(Run *r);

/* exec_lanes.c: a plan's independent groups may overlap on a GPU. lanes_enter comes before each
 * group's work, once its device is known. */
void lanes_begin(Run *r);
Status lanes_enter(Run *r, Group *g);
void lanes_made(Run *r, const PNode *rep, const Array *a);
bool lanes_ordered(const Run *r, const PNode *n); /* may the group being run read it? */
void lanes_end(Run *r);

/* exec_struct.c */
Status run_view(Run *r, Group *g);
Status run_parts(Run *r, Group *g);
Status run_native(Run *r, Group *g);

#endif
