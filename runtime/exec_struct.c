/* exec_struct - runs the groups that are no plain loops: views of values, updates and
 * concatenations, and the work of native kernels and libraries.
 *
 * Callers: exec. An update writes into its base's own buffer when nothing else can see it;
 * otherwise into a copy. Invariant: nothing is written into a buffer that a failure, an interrupt
 * or another reader could still need as it was. */
#include "runtime/exec_run.h"

#include <string.h>

/* ---- views ---- */

static void view_strides(const Array *a, const ViewMap *m, Array *out) {
    memset(out->stride, 0, sizeof out->stride);
    out->offset = a->offset;
    for (int j = 0; j < m->in_rank; j++) {
        out->offset += m->start[j] * a->stride[j];
        if (m->axis[j] >= 0) out->stride[m->axis[j]] += m->step[j] * a->stride[j];
    }
}

/* Strides of a's elements under another shape, false if there are none. Axes of the two shapes are
 * matched in blocks of equal products; within a block of the old shape elements must follow each
 * other evenly. */
static bool reshape_strides(const Array *a, const Shape *s, int64_t *stride) {
    const Shape *old = &a->shape;
    int i = 0, k = 0;
    while (i < old->rank || k < s->rank) {
        int i0 = i, k0 = k;
        int64_t p = i < old->rank ? old->dim[i++] : 1, q = k < s->rank ? s->dim[k++] : 1;
        while (p != q) {
            if (p < q)
                p *= old->dim[i++];
            else
                q *= s->dim[k++];
        }
        int64_t last = 0, run = 1;
        bool first = true;
        for (int j = i - 1; j >= i0; j--) {
            if (old->dim[j] == 1) continue;
            if (first) last = a->stride[j], first = false;
            if (a->stride[j] != last * run) return false;
            run *= old->dim[j];
        }
        run = last;
        for (int j = k - 1; j >= k0; j--) {
            stride[j] = run;
            run *= s->dim[j];
        }
    }
    return true;
}

/* Would a view keep far more memory alive than it shows? Then it is copied. Broadcasts are not. */
static bool is_small_part(const Array *view) {
    int64_t n = 1;
    for (int j = 0; j < view->shape.rank; j++) {
        if (view->shape.dim[j] > 1 && view->stride[j] == 0) return false;
        n *= view->shape.dim[j];
    }
    return (size_t)n * dtype_size(view->dtype) < view->buf->bytes / 4;
}

static Status view_value(Run *r, const Node *n, Array *a, Array **out) {
    Array v = {.dtype = a->dtype, .shape = n->shape, .buf = a->buf};
    if (n->op == OP_view) {
        view_strides(a, n->at.view, &v);
        if (is_small_part(&v)) return place_copy(r->rt, &v, out);
    } else {
        v.offset = a->offset;
        if (!reshape_strides(a, &n->shape, v.stride)) {
            Array *dense;
            TRY(place_copy(r->rt, a, &dense));
            shape_strides(&n->shape, v.stride);
            Status s = array_view(r->cx, dense->buf, a->dtype, &n->shape, v.stride, 0, out);
            array_release(r->cx, dense);
            return s;
        }
    }
    return array_view(r->cx, a->buf, a->dtype, &n->shape, v.stride, v.offset, out);
}

/* On the device where the value is: looking at it elsewhere is no work. */
Status run_view(Run *r, Group *g) {
    Array *a = g->read[0]->node->value, *out;
    r->device = a->buf->device;
    TRY(view_value(r, g->root->node, a, &out));
    run_publish(r, g->root, out);
    array_release(r->cx, out);
    return ARR_OK;
}

/* ---- updates and concatenations ---- */

static Place rect_place(const Array *a, const Rect *rect) {
    Place p = {.ptr = a->buf->ptr, .offset = a->offset};
    for (int j = 0; j < a->shape.rank; j++) {
        p.offset += rect->start[j] * a->stride[j];
        p.stride[j] = rect->step[j] * a->stride[j];
    }
    return p;
}

/* Inputs of n that are the node itself. */
static uint32_t edges(const Node *n, const Node *in) {
    uint32_t count = 0;
    for (int k = 0; k < node_inputs(n); k++) count += node_input(n, k) == in;
    return count;
}

/* References to node `of` from the plan, the update n and those of members[from..) that are ours.
 */
static uint32_t known_references(const Node *of, const Node *n, PNode *const *member,
                                 const bool *ours, int from, int count) {
    uint32_t known = 1 + edges(n, of); /* the plan's */
    for (int i = from; i < count; i++)
        if (ours[i]) known += edges(member[i]->node, of);
    return known;
}

/* Is base's array seen by nobody but the update n, and by nodes that only this group computes? A
 * member is ours if all that refers to it is ours: what anything else still needs would be computed
 * again later, from a base that is gone. Members come in ascending ids, readers after operands. */
static bool is_alone(const PNode *base, const Node *n, const Group *part) {
    const Node *b = base->node;
    const Array *a = b->value;
    PNode *member[PROG_MAX_INSTR];
    bool ours[PROG_MAX_INSTR];
    int count = 0;
    if (!array_is_own(a) || b->twin) return false;
    for (const Use *u = part ? part->uses : NULL; u; u = u->in_group) {
        if (u->kind != USE_MEMBER || (count && member[count - 1] == u->node)) continue;
        if (count == PROG_MAX_INSTR) return false;
        member[count++] = u->node;
    }
    for (int i = count - 1; i >= 0; i--) {
        const PNode *m = member[i];
        uint32_t uses = 1 + (m == part->root); /* the root is an input of the update as well */
        ours[i] = m->left == uses && !m->twin && !node_held(m->node) &&
                  m->node->refs == known_references(m->node, n, member, ours, i + 1, count);
    }
    return b->refs == known_references(b, n, member, ours, 0, count);
}

/* Memory as an affine function of loops: elements row[0] + sum of i[d] * row[1 + d]. */
typedef struct Span64 {
    int64_t lo, hi;
} Span64;

static Span64 row_span(const Group *g, const int64_t *row) {
    Span64 s = {row[0], row[0]};
    for (int d = 0; d < g->nloop; d++) {
        int64_t reach = row[1 + d] * (g->dim[d] - 1);
        *(reach < 0 ? &s.lo : &s.hi) += reach;
    }
    return s;
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b, b = r;
    }
    return a < 0 ? -a : a;
}

/* Can the two ever name one number? No if their ranges are apart, or if all their steps have a
 * common divisor that the distance of their starts has not. */
static bool rows_apart(const Group *g, const int64_t *a, const int64_t *b) {
    Span64 x = row_span(g, a), y = row_span(g, b);
    if (x.hi < y.lo || y.hi < x.lo) return true;
    int64_t step = 0;
    for (int d = 0; d < g->nloop; d++) step = gcd(gcd(step, a[1 + d]), b[1 + d]);
    return step ? (a[0] - b[0]) % step != 0 : a[0] != b[0];
}

/* Along some axis of the base the elements read are others than those written. The access is that
 * of the base itself. */
static bool axes_apart(const Group *part, const Use *read, const Use *root, const Rect *rect) {
    const Shape *s = &read->node->node->shape;
    int64_t row[1 + MAX_RANK];
    if (read->access->rank != s->rank || root->access->rank != s->rank) return false;
    for (int j = 0; j < s->rank; j++) {
        const int64_t *v = access_row(part, root->access, j);
        for (int d = 0; d <= part->nloop; d++) row[d] = rect->step[j] * v[d];
        row[0] += rect->start[j];
        if (rows_apart(part, access_row(part, read->access, j), row)) return true;
    }
    return false;
}

/* Does the part read the buffer that it writes to only where it is about to write, or where it
 * never writes? */
static bool reads_aligned(Run *r, const Group *part, const PNode *whole, const Rect *rect,
                          const Place *to) {
    const Array *base = whole->node->value;
    int64_t from[1 + MAX_RANK], target[1 + MAX_RANK];
    const Use *root = NULL;
    for (const Use *u = part->uses; u; u = u->in_group) {
        if (u->kind == USE_WHOLE) return false; /* a gather: it may fail, and reads anywhere */
        if (u->node == part->root) root = u;
    }
    if (!root) return false;
    access_strides(part, root->access, to->stride, target);
    target[0] += to->offset;
    for (const Use *u = part->uses; u; u = u->in_group) {
        Array *a;
        if (u->kind != USE_LOAD) continue;
        if (run_value(r, u->node, &a) != ARR_OK) return false;
        if (a->buf != base->buf) continue;
        access_strides(part, u->access, a->stride, from);
        from[0] += a->offset;
        if (memcmp(from, target, (size_t)(1 + part->nloop) * sizeof *from) == 0) continue;
        if (a->dtype == base->dtype && rows_apart(part, from, target)) continue;
        if (u->node != whole || !axes_apart(part, u, root, rect)) return false;
    }
    return true;
}

static bool has_repeats(const Array *a) {
    for (int j = 0; j < a->shape.rank; j++)
        if (a->shape.dim[j] > 1 && a->stride[j] == 0) return true;
    return false;
}

/* Copying around a rectangle pays when it leaves out half of an array that is worth two copies. On
 * a GPU each side of it is a launch, and a whole copy of 32 MiB takes no longer than two. */
enum { AROUND_LEAST = 1 << 15, AROUND_LEAST_CUDA = 1 << 23 };

static bool is_block(const Run *r, const Node *n) {
    const Shape *v = &n->in[1]->shape;
    for (int j = 0; j < v->rank; j++)
        if (v->dim[j] > 1 && n->at.rect->step[j] != 1) return false;
    int64_t least = r->device == r->rt->cpu ? AROUND_LEAST : AROUND_LEAST_CUDA;
    return node_size(n) >= least && node_size(n->in[1]) >= node_size(n) / 2;
}

/* Elements [lo, hi) along an axis of a part of a. */
static void narrow(Array *a, int axis, int64_t lo, int64_t hi) {
    a->offset += lo * a->stride[axis];
    a->shape.dim[axis] = hi - lo;
}

static Status copy_slab(Run *r, const Array *a, const Array *out, int axis, int64_t lo,
                        int64_t hi) {
    if (lo >= hi) return ARR_OK;
    Array from = *a, to = *out;
    narrow(&from, axis, lo, hi);
    narrow(&to, axis, lo, hi);
    return place_copy_into(r->rt, &from, &to);
}

/* A new array with a's elements outside of the rectangle that n is about to write: axis by axis
 * what lies before and behind it. */
static Status copy_around(Run *r, const Node *n, const Array *a, Array **out) {
    TRY(array_new(r->cx, r->device, a->dtype, &a->shape, out));
    Array from = *a, to = **out;
    Status s = ARR_OK;
    for (int j = 0; j < a->shape.rank && s == ARR_OK; j++) {
        int64_t lo = n->at.rect->start[j], hi = lo + n->in[1]->shape.dim[j];
        s = copy_slab(r, &from, &to, j, 0, lo);
        if (s == ARR_OK) s = copy_slab(r, &from, &to, j, hi, a->shape.dim[j]);
        narrow(&from, j, lo, hi);
        narrow(&to, j, lo, hi);
    }
    if (s == ARR_OK) return s;
    array_release(r->cx, *out);
    *out = NULL;
    return s;
}

/* Writing in place cannot be interrupted: 2^26 elements, or 2^30 operations on them, take some
 * 50 ms of all cores. A function (sin, gamma) counts as many. */
enum { IN_PLACE_MOST = 1 << 26, IN_PLACE_OPERATIONS = 1 << 30, FUNCTION_COST = 64 };

static bool is_function(const Node *n) {
    if (!op_is_elementwise((Op)n->op)) return n->op == OP_draw;
    OpRule rule = op_info((Op)n->op)->rule;
    return rule == OR_FLOAT || rule == OR_REALF || rule == OR_ANGLE || n->op == OP_pow;
}

static bool is_brief(const Group *part, int64_t elements) {
    int64_t cost = 0;
    for (const Use *u = part ? part->uses : NULL; u; u = u->in_group) {
        const Node *n = u->node->node;
        if (u->kind == USE_MEMBER && n) cost += is_function(n) ? FUNCTION_COST : 1;
    }
    return elements <= IN_PLACE_MOST && elements <= IN_PLACE_OPERATIONS / (cost + 1);
}

static Status update_target(Run *r, Group *g, Array **out) {
    PNode *base = g->read[0];
    const Node *n = g->root->node;
    Array *a;
    TRY(run_value(r, base, &a));
    Place to = rect_place(a, n->at.rect);
    bool in_place = a == base->node->value && is_alone(base, n, g->parts) && !has_repeats(a) &&
                    is_brief(g->parts, node_size(n->in[1])) &&
                    reads_aligned(r, g->parts, base, n->at.rect, &to);
    if (!in_place && r->cx->err.status != ARR_OK) return r->cx->err.status;
    if (!in_place) return is_block(r, n) ? copy_around(r, n, a, out) : place_copy(r->rt, a, out);
    *out = array_retain(a);
    return ARR_OK;
}

static Status run_update(Run *r, Group *g) {
    Array *out;
    TRY(update_target(r, g, &out));
    Place to = rect_place(out, g->root->node->at.rect);
    r->in_place = out == g->read[0]->node->value;
    Status s = run_loops(r, g->parts, &to);
    r->in_place = false;
    if (s == ARR_OK) run_publish(r, g->root, out);
    array_release(r->cx, out);
    return s;
}

static Status run_concat(Run *r, Group *g) {
    const Node *n = g->root->node;
    int axis = n->at.along.axis;
    Array *out;
    TRY(array_new(r->cx, r->device, (DType)n->dtype, &n->shape, &out));
    Place to = {.ptr = out->buf->ptr, .offset = 0};
    memcpy(to.stride, out->stride, sizeof to.stride);
    Status s = ARR_OK;
    for (Group *part = g->parts; part && s == ARR_OK; part = part->next) {
        int64_t extent = part->root->node->shape.dim[axis];
        s = run_loops(r, part, &to);
        to.offset += extent * out->stride[axis];
    }
    if (s == ARR_OK) run_publish(r, g->root, out);
    array_release(r->cx, out);
    return s;
}

Status run_parts(Run *r, Group *g) {
    return g->root->node->op == OP_update ? run_update(r, g) : run_concat(r, g);
}

/* ---- native kernels ---- */

static AxisShape axis_shape(const Shape *s, int axis) {
    AxisShape a = {1, s->dim[axis], 1};
    for (int j = 0; j < axis; j++) a.outer *= s->dim[j];
    for (int j = axis + 1; j < s->rank; j++) a.inner *= s->dim[j];
    return a;
}

/* Input k, contiguous on the device: a new reference. */
static Status dense_input(Run *r, Group *g, int k, Array **out) {
    Array *a;
    *out = NULL;
    TRY(run_value(r, g->read[k], &a));
    return place_contiguous(r->rt, a, r->device, out);
}

static void *elements(const Array *a) {
    return (char *)a->buf->ptr + (size_t)a->offset * dtype_size(a->dtype);
}

static Status run_along(Run *r, Group *g, Array *out) {
    const Node *n = g->root->node;
    Kernels *k = r->rt->kernels;
    AxisShape s = axis_shape(&n->shape, n->at.along.axis);
    Array *in;
    TRY(dense_input(r, g, 0, &in));
    Status st;
    if (n->op == OP_scan)
        st = native_scan(k, r->device, (ReduceKind)n->at.along.kind, in->dtype, out->dtype, s,
                         elements(in), elements(out));
    else if (n->op == OP_sort)
        st = native_sort(k, r->device, in->dtype, s, n->at.along.descending, elements(in),
                         elements(out), NULL);
    else
        st = native_sort(k, r->device, in->dtype, s, n->at.along.descending, elements(in), NULL,
                         elements(out));
    array_release(r->cx, in);
    return st;
}

/* The base's own array where nobody else sees it, since all indices are checked before the first
 * write; otherwise a copy. */
static Status put_target(Run *r, Group *g, Array **out) {
    PNode *base = g->read[0];
    Array *a;
    TRY(run_value(r, base, &a));
    if (a == base->node->value && array_is_contiguous(a) && array_size(a) <= IN_PLACE_MOST &&
        is_alone(base, g->root->node, NULL)) {
        *out = array_retain(a);
        return ARR_OK;
    }
    return place_copy(r->rt, a, out);
}

static Status run_put(Run *r, Group *g) {
    const Node *n = g->root->node;
    int axis = n->at.along.axis;
    AxisShape s = axis_shape(&n->shape, axis);
    Array *index = NULL, *value = NULL, *out = NULL;
    int64_t fault[3] = {0};
    Status st = dense_input(r, g, 1, &index);
    if (st == ARR_OK) st = dense_input(r, g, 2, &value);
    if (st == ARR_OK) st = put_target(r, g, &out);
    r->cx->hold = st == ARR_OK && out == g->read[0]->node->value;
    if (st == ARR_OK)
        st = native_put(r->rt->kernels, r->device, dtype_size(out->dtype), s, elements(index),
                        array_size(index), elements(value), elements(out), fault);
    r->cx->hold = false;
    if (st == ARR_OK && fault[0])
        st = run_fail_index(r, g->root, fault);
    else if (st == ARR_OK)
        run_publish(r, g->root, out);
    if (index) array_release(r->cx, index);
    if (value) array_release(r->cx, value);
    if (out) array_release(r->cx, out);
    return st;
}

/* ---- products ---- */

/* Strides of a matrix as the libraries take them: one of them 1 and the other long enough. An
 * extent of 1 leaves its stride free. */
static bool matrix_strides(int64_t rows, int64_t cols, int64_t *row, int64_t *col) {
    if (cols == 1 && *row >= 1) *col = 1;
    if (rows == 1 && *col == 1) *row = cols;
    if (rows == 1 && *col >= 1 && *col != 1) *row = 1;
    return (*col == 1 && *row >= cols) || (*row == 1 && *col >= rows);
}

typedef struct Matrix {
    Array *a; /* owned */
    int64_t row, col;
} Matrix;

static Status matrix_input(Run *r, Group *g, int k, Matrix *out) {
    Array *a;
    out->a = NULL;
    TRY(run_value(r, g->read[k], &a));
    for (int turn = 0; turn < 2; turn++) {
        int n = a->shape.rank;
        out->row = a->stride[n - 2];
        out->col = a->stride[n - 1];
        if (matrix_strides(a->shape.dim[n - 2], a->shape.dim[n - 1], &out->row, &out->col)) break;
        TRY(place_copy(r->rt, a, &out->a));
        a = out->a;
    }
    if (!out->a) out->a = array_retain(a);
    return ARR_OK;
}

/* Batches that all three arrays walk with one stride: the last axes that do. *first is the first of
 * them. */
static void batch_axes(const Array *a, const Array *b, int nbatch, int *first, DevMatmul *m) {
    m->batch = 1;
    *first = nbatch;
    for (int j = nbatch - 1; j >= 0; j--) {
        int64_t n = a->shape.dim[j];
        if (n > 1 && m->batch == 1) {
            m->a_batch = a->stride[j];
            m->b_batch = b->stride[j];
        } else if (n > 1 && (a->stride[j] != m->a_batch * m->batch ||
                             b->stride[j] != m->b_batch * m->batch)) {
            return;
        }
        m->batch *= n;
        *first = j;
    }
}

static Status one_matmul(Run *r, const DevMatmul *m) {
    if (m->dtype == DT_f32 && m->precision == PRECISION_HIGH && r->device != r->rt->cpu)
        return native_split_matmul(r->rt->kernels, r->device, m);
    bool library = dtype_is_complex(m->dtype) || m->dtype == DT_f32 || m->dtype == DT_f64 ||
                   (dtype_is_half(m->dtype) && r->device != r->rt->cpu);
    return library ? r->device->ops->matmul(r->device, m)
                   : native_matmul(r->rt->kernels, r->device, m);
}

/* Batches [first, nbatch) at once, the others one after the other. */
static Status all_matmuls(Run *r, const Array *a, const Array *b, Array *c, DevMatmul *m) {
    int nbatch = c->shape.rank - 2, first;
    int64_t index[MAX_RANK] = {0}, turns = 1, ao = a->offset, bo = b->offset, co = 0;
    size_t item = dtype_size(m->dtype);
    batch_axes(a, b, nbatch, &first, m);
    m->c_batch = m->m * m->n;
    for (int j = 0; j < first; j++) turns *= c->shape.dim[j];
    for (int64_t t = 0; t < turns; t++) {
        if (t > 0 && cx_stopped(r->cx)) return error_interrupted(r->cx);
        m->a = (char *)a->buf->ptr + (size_t)ao * item;
        m->b = (char *)b->buf->ptr + (size_t)bo * item;
        m->c = (char *)c->buf->ptr + (size_t)co * item;
        TRY(one_matmul(r, m));
        co += m->c_batch * m->batch;
        for (int j = first - 1; j >= 0; j--) {
            ao += a->stride[j];
            bo += b->stride[j];
            if (++index[j] < c->shape.dim[j]) break;
            ao -= a->stride[j] * index[j];
            bo -= b->stride[j] * index[j];
            index[j] = 0;
        }
    }
    return ARR_OK;
}

static Status run_matmul(Run *r, Group *g, Array *out) {
    Matrix a = {0}, b = {0};
    int n = out->shape.rank;
    Status s = matrix_input(r, g, 0, &a);
    if (s == ARR_OK) s = matrix_input(r, g, 1, &b);
    if (s == ARR_OK) {
        DevMatmul m = {.dtype = out->dtype,
                       .m = out->shape.dim[n - 2],
                       .n = out->shape.dim[n - 1],
                       .k = a.a->shape.dim[n - 1],
                       .a_row = a.row,
                       .a_col = a.col,
                       .b_row = b.row,
                       .b_col = b.col,
                       .c_row = out->shape.dim[n - 1],
                       .precision = g->root->node->at.precision};
        s = all_matmuls(r, a.a, b.a, out, &m);
    }
    if (a.a) array_release(r->cx, a.a);
    if (b.a) array_release(r->cx, b.a);
    return s;
}

static uint64_t native_operations(const Node *n) {
    int64_t each = 1, size = node_size(n), all;
    if (n->op == OP_matmul) each = 2 * n->in[0]->shape.dim[n->in[0]->shape.rank - 1];
    if (n->op == OP_sort || n->op == OP_argsort) /* what comparing them takes */
        while (size >> each > 0) each++;
    return mul_i64(size, each, &all) ? (uint64_t)all : UINT64_MAX;
}

Status run_native(Run *r, Group *g) {
    const Node *n = g->root->node;
    Array *out;
    TRY(limits_spend(r->cx, native_operations(n)));
    if (n->op == OP_put) return run_put(r, g);
    TRY(array_new(r->cx, r->device, (DType)n->dtype, &n->shape, &out));
    Status s = n->op == OP_matmul ? run_matmul(r, g, out) : run_along(r, g, out);
    if (s == ARR_OK) run_publish(r, g->root, out);
    array_release(r->cx, out);
    return s;
}
