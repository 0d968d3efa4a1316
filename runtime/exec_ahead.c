/* exec_ahead - before a plan of several kernels runs, those that are not known are compiled side by
 * side.
 *
 * Callers: exec. Values that do not exist yet are taken as contiguous, which is how they will be
 * made; where that is wrong a kernel is compiled that nobody needs, and the one that is needed
 * later, alone. Invariant: runs nothing and changes no value; errors but an interrupt are left to
 * the run itself. */
#include "runtime/exec_run.h"

#include <string.h>

static Status load_place(void *ctx, Use *u, Place *out) {
    const Node *n = u->node->node;
    (void)ctx;
    *out = (Place){.ptr = NULL};
    shape_strides(&n->shape, out->stride);
    if (n->state != NODE_DONE) return ARR_OK;
    out->offset = n->value->offset;
    memcpy(out->stride, n->value->stride, (size_t)n->shape.rank * sizeof *out->stride);
    return ARR_OK;
}

static Status store_place(void *ctx, Use *u, Place *out) {
    (void)ctx, (void)u;
    *out = (Place){.ptr = NULL};
    return ARR_OK;
}

static bool is_for_gpu(const Run *r, const Group *g) {
    return g->kind == GROUP_LOOPS && !g->chain && place_is_cuda(r->rt, g->work);
}

static Status foresee_all(Run *r, Lowered *work) {
    LowerMemory mem = {.ctx = r, .load = load_place, .store = store_place};
    for (Group *g = r->plan.groups; g; g = g->next) {
        if (!is_for_gpu(r, g)) continue;
        TRY(lower_group(&r->plan, g, &mem, work));
        TRY(kernel_foresee(r->rt->kernels, r->rt->cuda, &work->program, &work->args));
    }
    return ARR_OK;
}

Status run_ahead(Run *r) {
    int count = 0;
    int64_t work_most = 0;
    Device *d;
    if (r->plan.kept || r->plan.again || r->masked || r->plan.ngroup < 2) return ARR_OK;
    for (const Group *g = r->plan.groups; g; g = g->next) {
        count += is_for_gpu(r, g);
        if (g->work > work_most) work_most = g->work;
    }
    if (count < 2) return ARR_OK;
    TRY(place_device(r->rt, work_most, &d)); /* as the first of them would */
    if (d != r->rt->cuda || !kernel_foresee_begin(r->rt->kernels, d)) return ARR_OK;
    Lowered *work = mem_alloc(&r->cx->mem, sizeof *work);
    if (!work) return ARR_OK; /* compiled one by one then */
    Status s = foresee_all(r, work);
    mem_free(&r->cx->mem, work, sizeof *work);
    if (s == ARR_OK) s = kernel_foresee_end(r->rt->kernels, r->rt->cuda);
    if (s == ARR_OK || error_is_stop(r->cx, s)) return s;
    error_clear(r->cx);
    return ARR_OK;
}
