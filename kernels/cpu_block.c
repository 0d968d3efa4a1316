/* cpu_block - runs a plan's steps on one block with one thread's registers (see cpu_plan.h).
 *
 * Callers: run_cpu.c and reduce_cpu.c, on worker threads: nothing here allocates or reports errors.
 * A gather out of range is noted, the lowest element first, and reads nothing. */
#include "kernels/cpu_plan.h"

#include <string.h>

size_t plan_work_bytes(const CpuPlan *plan) {
    size_t n = (size_t)plan->nvalue * sizeof(char *);
    n = (n + 63) / 64 * 64 + (size_t)(plan->nreg + plan->nfixed) * plan->reg_bytes;
    if (plan->has_numbers) n += (size_t)plan->room * sizeof(int64_t);
    return (n + 63) / 64 * 64;
}

void plan_work_init(const CpuPlan *plan, CpuWork *w, void *memory) {
    char *p = memory;
    memset(w, 0, sizeof *w);
    w->at = memory;
    p += ((size_t)plan->nvalue * sizeof(char *) + 63) / 64 * 64;
    w->memory = p;
    for (int v = 0; v < plan->nvalue; v++) {
        const PlanValue *x = &plan->value[v];
        w->at[v] = NULL;
        if (x->home == HOME_REGISTER) w->at[v] = p + x->reg * plan->reg_bytes;
        if (x->home == HOME_ELEMENT) w->at[v] = (char *)(uintptr_t)plan->args->scalar[x->slot];
        if (x->home == HOME_ONCE) w->at[v] = p + (size_t)(plan->nreg + x->reg) * plan->reg_bytes;
    }
    w->numbers = (int64_t *)(void *)(p + (size_t)(plan->nreg + plan->nfixed) * plan->reg_bytes);
}

/* First element of the slot's space for this block's base, in elements. */
static int64_t slot_offset(const CpuPlan *plan, const CpuWork *w, int slot) {
    return plan->args->slot[slot].offset + (w->base ? w->base[slot] : 0);
}

static char *slot_base(const CpuPlan *plan, const CpuWork *w, int slot, size_t item) {
    return (char *)plan->args->slot[slot].ptr + slot_offset(plan, w, slot) * (int64_t)item;
}

static void move_pointers(const CpuPlan *plan, CpuWork *w, int64_t at) {
    for (int k = 0; k < plan->nmoving; k++) {
        int v = plan->moving[k];
        const PlanValue *x = &plan->value[v];
        int64_t item = (int64_t)dtype_size((DType)x->dtype);
        if (x->home == HOME_SLOT)
            w->at[v] = slot_base(plan, w, x->slot, (size_t)item) + at * item;
        else
            w->at[v] = w->given[v] + (at - w->given_from) * item;
    }
}

/* The numbers of a slot in this block. */
static void numbers(const CpuPlan *plan, const CpuWork *w, int slot, int64_t at, int64_t n,
                    int64_t *out) {
    int64_t first = slot_offset(plan, w, slot);
    if (w->tile)
        tile_numbers(plan, w->tile, slot, first, out);
    else
        access_numbers(plan, slot, first, at, n, out);
}

static uint64_t scalar_u64(const CpuPlan *plan, int index) {
    uint64_t v;
    memcpy(&v, plan->args->scalar[index], sizeof v);
    return v;
}

static void run_draw(const CpuPlan *plan, CpuWork *w, const Step *s, int64_t at, int64_t n) {
    DrawKind kind = (DrawKind)s->sub;
    DType t = (DType)s->dtype;
    uint64_t key = scalar_u64(plan, s->index), range = 0;
    int64_t low = 0, first = slot_offset(plan, w, s->slot);
    size_t item = dtype_size(t);
    char *out = w->at[s->out];
    if (kind == DRAW_RANDINT) {
        low = (int64_t)scalar_u64(plan, s->index + 1);
        range = scalar_u64(plan, s->index + 2);
    }
    if (!w->tile && space_is_contiguous(&plan->space, s->slot)) {
        plan->loops->draw(kind, t, key, low, range, (uint64_t)(first + at), (size_t)n, out);
        return;
    }
    numbers(plan, w, s->slot, at, n, w->numbers);
    for (int64_t i = 0, m; i < n; i += m) { /* runs of successive numbers */
        for (m = 1; i + m < n && w->numbers[i + m] == w->numbers[i] + m;) m++;
        plan->loops->draw(kind, t, key, low, range, (uint64_t)w->numbers[i], (size_t)m,
                          out + i * (int64_t)item);
    }
}

/* -1, 0, 1 as a is below, equal to, above b: exact for a u64 and an i64. */
static int compare_mixed(uint64_t a, int64_t b) {
    return b < 0 || a > (uint64_t)b ? 1 : a < (uint64_t)b ? -1 : 0;
}

static void run_mixed(CpuWork *w, const Step *s, int64_t n) {
    const uint64_t *a = (const uint64_t *)(const void *)w->at[s->swap ? s->b : s->a];
    const int64_t *b = (const int64_t *)(const void *)w->at[s->swap ? s->a : s->b];
    uint8_t *out = (uint8_t *)w->at[s->out];
    int sign = s->swap ? -1 : 1;
    for (int64_t i = 0; i < n; i++) {
        int c = sign * compare_mixed(a[i], b[i]);
        switch ((Op)s->op) {
        case OP_eq: out[i] = c == 0; break;
        case OP_ne: out[i] = c != 0; break;
        case OP_lt: out[i] = c < 0; break;
        case OP_le: out[i] = c <= 0; break;
        case OP_gt: out[i] = c > 0; break;
        default: out[i] = c >= 0; break;
        }
    }
}

static void note_fault(CpuWork *w, int64_t element, int64_t index, int64_t length) {
    if (w->fault[0] && w->fault[3] <= element) return;
    w->fault[0] = 1;
    w->fault[1] = index;
    w->fault[2] = length;
    w->fault[3] = element;
}

/* Offsets of the elements into numbers; a bad index gets the length of the axis times a stride that
 * is never used: -1 marks it. */
static bool gather_offsets(const SlotArg *arg, CpuWork *w, const int64_t *index, int64_t at,
                           int64_t n) {
    int64_t len = arg->gather_len;
    bool good = true;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = index[i] < 0 ? index[i] + len : index[i];
        bool ok = k >= 0 && k < len;
        good &= ok;
        w->numbers[i] += (ok ? k : 0) * arg->gather_stride;
    }
    for (int64_t i = 0; i < n && !good; i++) {
        int64_t k = index[i] < 0 ? index[i] + len : index[i];
        if (k >= 0 && k < len) continue;
        note_fault(w, at + i, index[i], len);
        return false;
    }
    return true;
}

static void run_gather(const CpuPlan *plan, CpuWork *w, const Step *s, int64_t at, int64_t n) {
    const SlotArg *arg = &plan->args->slot[s->slot];
    const int64_t *offset = w->numbers;
    size_t item = dtype_size((DType)s->dtype);
    void *out = w->at[s->out];
    numbers(plan, w, s->slot, at, n, w->numbers);
    if (!gather_offsets(arg, w, (const int64_t *)(const void *)w->at[s->a], at, n)) {
        memset(out, 0, (size_t)n * item);
        return;
    }
    switch (item) {
#define GATHER(T)                                            \
    case sizeof(T): {                                        \
        const T *p = arg->ptr;                               \
        T *q = out;                                          \
        for (int64_t i = 0; i < n; i++) q[i] = p[offset[i]]; \
        break;                                               \
    }
        GATHER(uint8_t)
        GATHER(uint16_t)
        GATHER(uint32_t)
        GATHER(uint64_t)
        GATHER(Complex128)
#undef GATHER
    }
}

static void run_step(const CpuPlan *plan, CpuWork *w, const Step *s, int64_t at, int64_t n) {
    size_t item = dtype_size((DType)s->dtype);
    char **p = w->at;
    switch ((StepKind)s->kind) {
    case STEP_LOOP: s->loop((size_t)n, p[s->out], p[s->a], p[s->b], p[s->c]); break;
    case STEP_FETCH:
        if (w->tile)
            tile_fetch(plan, w->tile, s->slot, slot_base(plan, w, s->slot, item), item, p[s->out]);
        else
            access_fetch(plan, s->slot, slot_base(plan, w, s->slot, item), item, at, n, p[s->out]);
        break;
    case STEP_IOTA: numbers(plan, w, s->slot, at, n, (int64_t *)(void *)p[s->out]); break;
    case STEP_DRAW: run_draw(plan, w, s, at, n); break;
    case STEP_MIXED: run_mixed(w, s, n); break;
    case STEP_GATHER: run_gather(plan, w, s, at, n); break;
    case STEP_SCALAR: access_fill(p[s->out], item, (size_t)n, plan->args->scalar[s->index]); break;
    case STEP_PUT:
        if (w->tile)
            tile_put(plan, w->tile, s->slot, slot_base(plan, w, s->slot, item), item, p[s->a]);
        else
            access_put(plan, s->slot, slot_base(plan, w, s->slot, item), item, at, n, p[s->a]);
        break;
    }
}

void plan_run(const CpuPlan *plan, CpuWork *w, int64_t at, int64_t n) {
    if (!w->ready) {
        const CpuTile *tile = w->tile;
        w->tile = NULL; /* constants fill a register, not a tile */
        for (int k = 0; k < plan->nonce; k++) run_step(plan, w, &plan->step[k], 0, plan->room);
        w->tile = tile;
        w->ready = true;
    }
    move_pointers(plan, w, at);
    for (int k = plan->nonce; k < plan->nstep; k++) {
        const Step *s = &plan->step[k];
        if (s->kind == STEP_LOOP)
            s->loop((size_t)n, w->at[s->out], w->at[s->a], w->at[s->b], w->at[s->c]);
        else
            run_step(plan, w, s, at, n);
    }
}
