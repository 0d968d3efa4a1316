/* plan_keep - plans that are kept by their structure, so that the next graph of that structure goes
 * from nodes to launches without being cut and lowered again.
 *
 * What a plan depends on besides its nodes' identity is its key: ops, dtypes, extents, attributes,
 * who reads whom, what is held, how leaves lie in memory; never the value of a scalar or an
 * address. Callers: plan.c; runtime.c closes the store. Invariant: a plan that is being used is
 * not in the store. */
#ifndef ARR_PLAN_KEEP_H
#define ARR_PLAN_KEEP_H

#include "runtime/plan.h"

typedef struct PlanStore PlanStore;

/* The store of rt, made if there is none; NULL: out of memory (nothing is kept then). */
PlanStore *plan_store(Runtime *rt);
void plan_store_close(Runtime *rt);
/* Give the kept plans back. */
void plan_store_trim(Runtime *rt);
/* Memory for n nodes that lasts until the next call. NULL: out of memory. */
Node **plan_store_nodes(PlanStore *s, int n);
/* The plan of these nodes' structure (in order of age, indices set; marks of 2 are the roots), or
 * false. It takes the place of *p, whose arena it leaves alone. */
bool plan_find(PlanStore *s, Node *const *node, int n, Plan *p);
/* p has run, and nobody holds anything of it any more: keep it for the next time, if its structure
 * was seen before. false: it is the caller's still. */
bool plan_keep(PlanStore *s, Plan *p);
/* What the store holds for a plan that was found and is not going to be kept. */
void plan_kept_free(PlanStore *s, Plan *p);

#endif
