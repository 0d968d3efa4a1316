/* profile - what the work of a state costs: for every kernel and library call, by what it does and
 * where it runs, how often, how long, how many bytes, and how far from the floor.
 *
 * Callers: exec (one step a group), the API (the table). A step is timed by the device's own clock,
 * from its submission to its end, so steps do not overlap while profiling is on. Steps that
 * compiled something are counted apart: their time is mostly the compiler's.
 * Invariant: while profiling is off nothing here is called. */
#ifndef ARR_PROFILE_H
#define ARR_PROFILE_H

#include "runtime/plan.h"

typedef struct Profile Profile;

/* About group g, which is going to run on d: to be called before its inputs are released. */
Status profile_begin(Plan *p, const Group *g, Device *d);
/* The step that was begun last has stored only so many elements of n. */
void profile_kept(Runtime *rt, const Node *n, int64_t count);
/* The step that was begun last has been submitted. */
Status profile_end(Plan *p, Device *d);
/* The table, most time first, in *out, and everything begins anew. A floor is the time that a copy
 * of the same bytes takes on that device, measured here. */
Status profile_table(Runtime *rt, Buf *out);
void profile_free(Runtime *rt);

#endif
