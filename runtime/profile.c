/* profile - see profile.h. Rows are found by device and text; there are as many as a program has
 * different kernels. */
#include "runtime/profile.h"
#include "runtime/dump.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WHAT = 96, SHOWN = 48 };

typedef struct Row {
    const Device *device;
    char what[WHAT];
    int64_t count, compiled; /* steps; those among them that compiled */
    double ms, compile_ms;   /* of the steps that did not, and of those that did */
    double bytes, flop;      /* of the steps that did not compile */
} Row;

struct Profile {
    Row *row;
    int n, cap;
    /* the step that runs */
    int now;
    int64_t compiles, began;
    double bytes, flop;
};

static int64_t nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static Profile *profile_of(Runtime *rt) {
    if (!rt->profile) rt->profile = mem_zalloc(&rt->cx->mem, sizeof *rt->profile);
    return rt->profile;
}

void profile_free(Runtime *rt) {
    Profile *f = rt->profile;
    if (!f) return;
    mem_free(&rt->cx->mem, f->row, (size_t)f->cap * sizeof *f->row);
    mem_free(&rt->cx->mem, f, sizeof *f);
    rt->profile = NULL;
}

/* ---- what a step is ---- */

static double node_bytes(const Node *n) {
    return (double)node_size(n) * (double)dtype_size((DType)n->dtype);
}

/* Every value that is read counts once, and every value that is written. */
static double group_bytes(const Group *g) {
    const PNode *last = NULL;
    double bytes = 0;
    for (const Use *u = g->uses; u; u = u->in_group) {
        if (u->store) bytes += node_bytes(u->node->node);
        if (u->kind == USE_MEMBER || u->node == last) continue;
        last = u->node;
        bytes += node_bytes(last->node);
    }
    for (int k = 0; k < g->nread; k++) bytes += node_bytes(g->read[k]->node);
    if (g->kind == GROUP_NATIVE) bytes += node_bytes(g->root->node);
    /* in place, what a part is written over is not moved */
    for (const Group *part = g->parts; part; part = part->next) bytes += group_bytes(part);
    return bytes;
}

static double group_flop(const Group *g) {
    const Node *n = g->root->node;
    if (g->kind != GROUP_NATIVE || n->op != OP_matmul) return 0;
    const Shape *a = &n->in[0]->shape;
    double each = dtype_is_complex((DType)n->dtype) ? 8 : 2;
    return each * (double)node_size(n) * (double)a->dim[a->rank - 1];
}

static void group_what(Plan *p, const Group *g, char what[WHAT]) {
    Buf b;
    buf_init(&b, p->cx);
    if (g->kind == GROUP_LOOPS)
        dump_operations(g, &b);
    else
        buf_str(&b, dump_word(g->root->node));
    const char *text = buf_text(&b);
    size_t n = strlen(text);
    if (n >= WHAT) n = WHAT - 1;
    memcpy(what, text, n);
    what[n] = '\0';
    buf_free(&b);
}

static int row_find(Runtime *rt, Profile *f, const Device *d, const char what[WHAT]) {
    for (int i = 0; i < f->n; i++)
        if (f->row[i].device == d && strcmp(f->row[i].what, what) == 0) return i;
    if (f->n == f->cap) {
        int cap = f->cap ? 2 * f->cap : 16;
        Row *row = mem_realloc(&rt->cx->mem, f->row, (size_t)f->cap * sizeof *row,
                               (size_t)cap * sizeof *row);
        if (!row) return -1;
        f->row = row;
        f->cap = cap;
    }
    f->row[f->n] = (Row){.device = d};
    memcpy(f->row[f->n].what, what, WHAT);
    return f->n++;
}

/* ---- a step ---- */

static Status clock_start(Device *d, int64_t *began) {
    *began = nanoseconds();
    return d->ops->clock ? d->ops->clock(d, false, NULL) : ARR_OK;
}

static Status clock_stop(Device *d, int64_t began, double *ms) {
    if (d->ops->clock) return d->ops->clock(d, true, ms);
    TRY(d->ops->sync(d));
    *ms = (double)(nanoseconds() - began) * 1e-6;
    return ARR_OK;
}

Status profile_begin(Plan *p, const Group *g, Device *d) {
    Profile *f = profile_of(p->rt);
    char what[WHAT];
    if (!f) return error_memory(p->cx, sizeof *f);
    group_what(p, g, what);
    f->now = row_find(p->rt, f, d, what);
    if (f->now < 0) return error_memory(p->cx, sizeof *f->row);
    f->bytes = group_bytes(g);
    f->flop = group_flop(g);
    f->compiles = d->stats.compiles + d->stats.disk_hits;
    return clock_start(d, &f->began);
}

void profile_kept(Runtime *rt, const Node *n, int64_t count) {
    double size = (double)dtype_size((DType)n->dtype);
    rt->profile->bytes -= (double)(node_size(n) - count) * size;
}

Status profile_end(Plan *p, Device *d) {
    Profile *f = p->rt->profile;
    Row *row = &f->row[f->now];
    double ms;
    TRY(clock_stop(d, f->began, &ms));
    row->count++;
    if (d->stats.compiles + d->stats.disk_hits > f->compiles) {
        row->compiled++;
        row->compile_ms += (double)(nanoseconds() - f->began) * 1e-6;
    } else {
        row->ms += ms;
        row->bytes += f->bytes;
        row->flop += f->flop;
    }
    return ARR_OK;
}

/* ---- the table ---- */

/* Bytes a millisecond that are read and written by a copy, the best of five; 0 if there is no room
 * for it. */
static Status copy_rate(Device *d, double *rate) {
    size_t n = (size_t)(d->ops->launch ? 256 : 64) << 20;
    void *from = NULL, *to = NULL;
    double best = 0, ms;
    int64_t began;
    *rate = 0;
    Status s = d->ops->alloc(d, n, &from);
    if (s == ARR_OK) s = d->ops->alloc(d, n, &to);
    if (s == ARR_OK) s = d->ops->zero(d, from, n);
    for (int i = 0; i < 5 && s == ARR_OK; i++) {
        s = clock_start(d, &began);
        if (s == ARR_OK) s = d->ops->copy(d, to, from, n);
        if (s == ARR_OK) s = clock_stop(d, began, &ms);
        if (s == ARR_OK && (best == 0 || ms < best)) best = ms;
    }
    if (from) d->ops->release(d, from, n);
    if (to) d->ops->release(d, to, n);
    if (s == ARR_ERR_MEMORY) {
        error_clear(d->cx);
        return ARR_OK;
    }
    if (best > 0) *rate = 2 * (double)n / best;
    return s;
}

static int by_time(const void *a, const void *b) {
    const Row *x = a, *y = b;
    double s = x->ms + x->compile_ms, t = y->ms + y->compile_ms;
    return (s < t) - (s > t);
}

static void table_row(const Row *r, double total, double rate, Buf *out) {
    int64_t timed = r->count - r->compiled;
    bool cut = strlen(r->what) > SHOWN;
    buf_printf(out, "%-7s %-*.*s%s%7lld ", r->device->name, cut ? SHOWN - 3 : SHOWN,
               cut ? SHOWN - 3 : SHOWN, r->what, cut ? "..." : "", (long long)r->count);
    if (timed == 0) {
        buf_printf(out, "%11s %5s %9s %9s %6s", "", "", "", "", "");
    } else {
        buf_printf(out, "%11.3f %4.0f%% %9.2f ", r->ms, 100 * r->ms / (total > 0 ? total : 1),
                   r->bytes * 1e-6);
        if (r->flop > 0)
            buf_printf(out, "%7.2f T ", r->flop / r->ms * 1e-9);
        else
            buf_printf(out, "%9.1f ", r->bytes / r->ms * 1e-6);
        if (rate > 0 && r->flop == 0)
            buf_printf(out, "%5.0f%%", 100 * r->bytes / rate / r->ms);
        else
            buf_printf(out, "%6s", "");
    }
    if (r->compiled) buf_printf(out, "  %lld in %.0f ms", (long long)r->compiled, r->compile_ms);
    buf_char(out, '\n');
}

Status profile_table(Runtime *rt, Buf *out) {
    Profile *f = rt->profile;
    double rate[2] = {0, 0}, total = 0;
    bool used[2] = {false, false};
    if (!f || f->n == 0) {
        buf_str(out, "nothing was profiled\n");
        return buf_status(out);
    }
    qsort(f->row, (size_t)f->n, sizeof *f->row, by_time);
    for (int i = 0; i < f->n; i++) {
        total += f->row[i].ms;
        used[f->row[i].device != rt->cpu] = true;
    }
    if (used[0]) TRY(copy_rate(rt->cpu, &rate[0]));
    if (used[1]) TRY(copy_rate(rt->cuda, &rate[1]));
    buf_printf(out, "%-7s %-*s%7s %11s %5s %9s %9s %6s  %s\n", "device", SHOWN, "operations",
               "count", "ms", "share", "MB", "GB/s", "floor", "compiled or loaded");
    for (int i = 0; i < f->n; i++)
        table_row(&f->row[i], total, rate[f->row[i].device != rt->cpu], out);
    buf_printf(out, "%.3f ms in all; floor: a copy's time as a share of the row's, at", total);
    if (rate[0] > 0) buf_printf(out, " %.1f GB/s (cpu)", rate[0] * 1e-6);
    if (rate[1] > 0) buf_printf(out, " %.1f GB/s (%s)", rate[1] * 1e-6, rt->cuda->name);
    buf_str(out, "; T: TFLOP/s\n");
    f->n = 0;
    return buf_status(out);
}
