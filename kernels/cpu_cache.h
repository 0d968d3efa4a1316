/* cpu_cache - plans of maps that ran lately, for loops that run the same program again.
 *
 * Callers: run_cpu.c. A plan depends on the program, extents and strides, on which parameters are
 * equal, and on memory that overlaps; it is used again where all of that is as it was, compared in
 * full. Invariant: an entry holds its own copy of what it is compared with. */
#ifndef ARR_CPU_CACHE_H
#define ARR_CPU_CACHE_H

#include "kernels/cpu_plan.h"

/* The plan of this work with these arguments put in; NULL: there is none. n: outputs of the run;
 * whole: all that there are. *row as it was kept. */
CpuPlan *cpu_cache_find(CpuCache *c, const Program *p, const ProgArgs *a, int64_t n, bool whole,
                        int *row);
/* Keep the plan that was made in mem for the work that find has just not found. true: plan and
 * memory are the cache's now. Only what is small, comes again, and reads nothing that it writes. */
bool cpu_cache_keep(CpuCache *c, int row, const CpuPlan *plan, Arena *mem);

/* Whatever else was made ready for n outputs of a numbered program (Program.serial): taken out of
 * the cache, so that nobody drops it while it is used. NULL: nothing is there, or not for these
 * parameters and addresses. */
void *cpu_cache_take(CpuCache *c, const Program *p, const ProgArgs *a, int64_t n);
/* Put it there (again). false: it is the caller's. */
bool cpu_cache_put(CpuCache *c, const Program *p, const ProgArgs *a, int64_t n, void *made,
                   void (*drop)(Cx *cx, void *made));

#endif
