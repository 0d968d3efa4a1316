/* explain - what forcing a value would do, for people: groups, kernels, bytes, and why each group
 * ends where it ends. Runs nothing, opens no device.
 *
 * Callers: the explain builtin. Values that do not exist yet are taken as contiguous, which is how
 * they will be made. Invariant: leaves the graph as it was. */
#include "kernels/emit_cuda.h"
#include "runtime/dump.h"
#include "runtime/exec.h"
#include "runtime/place.h"

#include <string.h>

typedef struct Explain {
    Plan plan;
    Buf *out;
    Lowered *work;
    EmitPlan *emit;
    int64_t read, written; /* bytes of the group */
} Explain;

static int64_t node_bytes(const Node *n) {
    return node_size(n) * (int64_t)dtype_size((DType)n->dtype);
}

static Status load_place(void *ctx, Use *u, Place *out) {
    (void)ctx;
    const Node *n = u->node->node;
    *out = (Place){.ptr = NULL};
    shape_strides(&n->shape, out->stride);
    if (n->state != NODE_DONE) return ARR_OK;
    out->offset = n->value->offset;
    memcpy(out->stride, n->value->stride, (size_t)n->shape.rank * sizeof *out->stride);
    return ARR_OK;
}

static Status store_place(void *ctx, Use *u, Place *out) {
    (void)ctx;
    (void)u;
    *out = (Place){.ptr = NULL};
    return ARR_OK;
}

static void list_inputs(Explain *x, const Group *g) {
    const PNode *last = NULL;
    char text[SHAPE_TEXT];
    for (const Use *u = g->uses; u; u = u->in_group) {
        if (u->kind == USE_MEMBER || u->node == last) continue;
        last = u->node;
        node_text(last->node, text);
        buf_printf(x->out, "%s %s", x->read ? "," : "     reads", text);
        x->read += node_bytes(last->node);
    }
    for (int k = 0; k < g->nread; k++) {
        node_text(g->read[k]->node, text);
        buf_printf(x->out, "%s %s", x->read ? "," : "     reads", text);
        x->read += node_bytes(g->read[k]->node);
    }
    if (x->read) buf_printf(x->out, ": %lld bytes\n", (long long)x->read);
    for (const Use *u = g->uses; u; u = u->in_group)
        if (u->store) x->written += node_bytes(u->node->node);
    if (g->kind == GROUP_PART || g->kind == GROUP_NATIVE) x->written = node_bytes(g->root->node);
}

/* The kernel's name and loops, from the program that would run. */
static Status describe_program(Explain *x, Group *g) {
    Place target = {.ptr = NULL};
    LowerMemory mem = {.ctx = x, .load = load_place, .store = store_place};
    shape_strides(&g->root->node->shape, target.stride);
    if (g->kind == GROUP_PART) mem.target = &target;
    TRY(lower_group(&x->plan, g, &mem, x->work));
    const Program *p = &x->work->program;
    const ProgArgs *a = &x->work->args;
    Variant v = {.shape = p->nred ? EMIT_ROWS : EMIT_MAP, .wide = p->wide};
    emit_plan(x->emit, x->plan.cx, p, v);
    buf_printf(x->out, "     kernel %s: %lld outputs", x->emit->name,
               (long long)program_outputs(p, a));
    if (p->nred) buf_printf(x->out, " of %lld elements each", (long long)program_reduced(p, a));
    buf_printf(x->out, ", %d instructions\n", p->ninstr);
    return ARR_OK;
}

static Status describe(Explain *x, Group *g, int step) {
    char text[SHAPE_TEXT];
    const Node *n = g->root->node;
    const char *where = g->kind == GROUP_VIEW                ? "no work"
                        : place_is_cuda(x->plan.rt, g->work) ? "gpu"
                                                             : "cpu";
    node_text(n, text);
    if (step > 0)
        buf_printf(x->out, "  %d. %s of ", step, text);
    else
        buf_printf(x->out, "     part %d, %s of ", g->part + 1, text);
    if (g->kind == GROUP_LOOPS || g->kind == GROUP_PART)
        dump_operations(g, x->out);
    else
        buf_str(x->out, dump_word(n));
    if (step > 0) buf_printf(x->out, " (%s): %s", where, cut_text((Cut)g->root->cut));
    buf_char(x->out, '\n');
    x->read = x->written = 0;
    list_inputs(x, g);
    if (g->kind == GROUP_LOOPS || g->kind == GROUP_PART) TRY(describe_program(x, g));
    if (x->written) buf_printf(x->out, "     writes %lld bytes\n", (long long)x->written);
    for (Group *part = g->parts; part; part = part->next) TRY(describe(x, part, 0));
    return ARR_OK;
}

static Status describe_all(Explain *x, const Node *n) {
    char text[SHAPE_TEXT];
    TRY(plan_fuse(&x->plan));
    node_text(n, text);
    buf_printf(x->out, "%s: %d group%s\n", text, x->plan.ngroup, x->plan.ngroup == 1 ? "" : "s");
    int step = 0;
    for (Group *g = x->plan.groups; g; g = g->next) TRY(describe(x, g, ++step));
    return buf_status(x->out);
}

Status exec_explain(Runtime *rt, Node *n, Buf *out) {
    Cx *cx = rt->cx;
    Explain x = {.out = out};
    if (n->state == NODE_DONE) {
        char text[SHAPE_TEXT];
        node_text(n, text);
        buf_printf(out, "%s: in memory (%s)\n", text, n->value->buf->device->name);
        return buf_status(out);
    }
    x.work = mem_alloc(&cx->mem, sizeof *x.work);
    x.emit = mem_alloc(&cx->mem, sizeof *x.emit);
    Status s = x.work && x.emit ? ARR_OK : error_memory(cx, sizeof *x.work);
    if (s == ARR_OK) {
        s = plan_open(rt, &n, 1, false, &x.plan);
        if (s == ARR_OK) s = describe_all(&x, n);
        plan_close(&x.plan, false);
    }
    mem_free(&cx->mem, x.work, sizeof *x.work);
    mem_free(&cx->mem, x.emit, sizeof *x.emit);
    return s;
}
