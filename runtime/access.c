/* access - which elements of a node a loop nest visits, as affine functions of its loops.
 *
 * Callers: fuse (composing accesses from a group's root down to its leaves), lower (strides).
 * Views compose exactly; a reshape goes through the flat C index, which is then taken apart again:
 * each loop must move along one axis of the input without carrying into the next, and a loop that
 * would carry is split in two where the extents divide (loops of 12 over a reshape of (3,4) become
 * loops of 3 and 4). Splitting a loop changes no value, so all accesses of the group follow.
 * Invariant: no loop has extent 1 but those that a reduction needs, and the factor of such a loop
 * is 0; rows of axes of extent 1 are 0. */
#include "runtime/plan.h"

#include <string.h>

static size_t row_width(const Group *g) { return (size_t)(1 + g->nloop); }

Access *access_new(Plan *p, Group *g, int rank) {
    Access *a = arena_alloc(&p->arena, sizeof *a);
    if (!a) return NULL;
    a->rank = rank;
    a->v = arena_alloc(&p->arena, (size_t)rank * row_width(g) * sizeof *a->v);
    if (!a->v) return NULL;
    a->next = g->accesses;
    g->accesses = a;
    return a;
}

bool access_equal(const Group *g, const Access *a, const Access *b) {
    if (a == b) return true;
    return a->rank == b->rank &&
           memcmp(a->v, b->v, (size_t)a->rank * row_width(g) * sizeof *a->v) == 0;
}

void access_strides(const Group *g, const Access *a, const int64_t *stride, int64_t *row) {
    memset(row, 0, row_width(g) * sizeof *row);
    for (int j = 0; j < a->rank; j++) {
        const int64_t *v = access_row(g, a, j);
        for (int d = 0; d <= g->nloop; d++) row[d] += stride[j] * v[d];
    }
}

void access_flat(const Group *g, const Access *a, const Shape *s, int64_t *row) {
    int64_t stride[MAX_RANK] = {1};
    if (a->rank == s->rank) shape_strides(s, stride);
    access_strides(g, a, stride, row);
}

bool access_is_bijective(const Group *g, const Access *a, const Shape *s, int skip) {
    int64_t row[1 + MAX_RANK], run = 1, size = shape_size(s);
    int loops = g->nloop - skip;
    access_flat(g, a, s, row);
    if (row[0] != 0) return false;
    for (int d = loops; d < g->nloop; d++)
        if (row[1 + d] != 0) return false;
    for (int found = 1;
         run < size && found;) { /* the loop whose steps are as long as the run so far */
        found = 0;
        for (int d = 0; d < loops && !found; d++)
            if (row[1 + d] == run && g->dim[d] > 1) run *= g->dim[d], found = 1;
    }
    int64_t visits = 1;
    for (int d = 0; d < loops; d++) visits *= g->dim[d];
    return run == size && visits == size;
}

Access *access_view(Plan *p, Group *g, const Access *a, const ViewMap *m, const Shape *in) {
    Access *r = access_new(p, g, m->in_rank);
    if (!r) return NULL;
    for (int j = 0; j < m->in_rank; j++) {
        if (in->dim[j] == 1) continue;
        int64_t *to = access_row(g, r, j);
        if (m->axis[j] >= 0) {
            const int64_t *from = access_row(g, a, m->axis[j]);
            for (int d = 0; d <= g->nloop; d++) to[d] = m->step[j] * from[d];
        }
        to[0] += m->start[j];
    }
    return r;
}

/* Make room for a loop at position d in every access of the group: the factor of the new loop is
 * that of the old one times `times` (0: the loop is new), and the loops from d on move up. */
static Status insert_loop(Plan *p, Group *g, int d, int64_t times) {
    size_t old = row_width(g), wide = old + 1;
    for (Access *a = g->accesses; a; a = a->next) {
        int64_t *v = arena_alloc(&p->arena, (size_t)a->rank * wide * sizeof *v);
        if (!v) return error_memory(p->cx, (size_t)a->rank * wide * sizeof *v);
        for (int j = 0; j < a->rank; j++) {
            const int64_t *from = a->v + (size_t)j * old;
            int64_t *to = v + (size_t)j * wide;
            memcpy(to, from, (size_t)(1 + d) * sizeof *to);
            to[1 + d] = times && d < g->nloop ? from[1 + d] * times : 0;
            memcpy(to + 2 + d, from + 1 + d, (size_t)(g->nloop - d) * sizeof *to);
        }
        a->v = v;
    }
    memmove(g->dim + d + 1, g->dim + d, (size_t)(g->nloop - d) * sizeof *g->dim);
    g->nloop++;
    return ARR_OK;
}

Status group_add_loop(Plan *p, Group *g, int64_t dim) {
    TRY(insert_loop(p, g, g->nloop, 0));
    g->dim[g->nloop - 1] = dim;
    return ARR_OK;
}

/* Loop d becomes two, the inner one of extent e, which divides it. */
static Status split_loop(Plan *p, Group *g, int d, int64_t e) {
    bool reduced = d >= g->nloop - g->nred;
    int64_t outer = g->dim[d] / e;
    TRY(insert_loop(p, g, d, e));
    g->dim[d] = outer;
    g->dim[d + 1] = e;
    if (reduced) g->nred++;
    return ARR_OK;
}

/* The axis along which a step of `f` elements moves: that of the largest stride within it. */
static int axis_of_step(const Shape *s, const int64_t *stride, int64_t f) {
    int best = -1;
    for (int k = 0; k < s->rank; k++)
        if (s->dim[k] > 1 && stride[k] <= f && (best < 0 || stride[k] > stride[best])) best = k;
    return best;
}

/* Does every index stay within its axis? */
static bool in_bounds(const Group *g, const Access *a, const Shape *s) {
    for (int k = 0; k < s->rank; k++) {
        const int64_t *row = access_row(g, a, k);
        int64_t lo = row[0], hi = row[0];
        for (int d = 0; d < g->nloop; d++) {
            int64_t reach = row[1 + d] * (g->dim[d] - 1);
            if (reach < 0)
                lo += reach;
            else
                hi += reach;
        }
        if (lo < 0 || hi >= s->dim[k]) return false;
    }
    return true;
}

/* Split loops until each moves along one axis of `in`. flat: the access as a flat index, rank 1, an
 * access of the group, so that it follows the splits. */
static Status split_for(Plan *p, Group *g, const Access *flat, const Shape *in,
                        const int64_t *stride, bool *ok) {
    *ok = true;
    for (int d = 0; d < g->nloop; d++) {
        int64_t f = flat->v[1 + d];
        if (f < 0) f = -f;
        if (f == 0) continue;
        int k = axis_of_step(in, stride, f);
        if (k < 0 || f % stride[k] != 0) return *ok = false, ARR_OK;
        int64_t q = f / stride[k], n = in->dim[k];
        if (q * (g->dim[d] - 1) < n) continue;
        if (n % q != 0 || g->dim[d] % (n / q) != 0 || n / q == 1 || g->nloop == MAX_RANK)
            return *ok = false, ARR_OK;
        TRY(split_loop(p, g, d, n / q)); /* loop d is now the outer one: look at it again */
        d--;
    }
    return ARR_OK;
}

Access *access_reshape(Plan *p, Group *g, const Access *a, const Shape *in, const Shape *out,
                       bool *ok) {
    int64_t stride[MAX_RANK];
    *ok = true;
    Access *flat = access_new(p, g, 1), *r;
    if (!flat) return NULL;
    access_flat(g, a, out, flat->v);
    shape_strides(in, stride);
    if (split_for(p, g, flat, in, stride, ok) != ARR_OK || !*ok) return NULL;
    r = access_new(p, g, in->rank);
    if (!r) return NULL;
    for (int k = 0; k < in->rank; k++) access_row(g, r, k)[0] = flat->v[0] / stride[k] % in->dim[k];
    for (int d = 0; d < g->nloop; d++) {
        int64_t f = flat->v[1 + d];
        if (f == 0) continue;
        int k = axis_of_step(in, stride, f < 0 ? -f : f);
        access_row(g, r, k)[1 + d] = f / stride[k];
    }
    *ok = in_bounds(g, r, in);
    return *ok ? r : NULL;
}
