/* Unit tests of runtime: random graphs against a plain evaluation of every element, fused and not;
 * updates in place; failed nodes; chains that must not recurse; allocation failures. The CPU alone.
 * Values are small integers in every dtype, so that all orders of adding give the same bits. */
#include "runtime/exec.h"
#include "runtime/plan.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int passed, failed;
static unsigned long seed_now;

static void check(bool ok, const char *what, int line) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("tests/unit/runtime.c:%d: %s (seed %lu)\n", line, what, seed_now);
    }
}
#define CHECK(e) check(e, #e, __LINE__)

/* ---- states ---- */

typedef struct World {
    Cx cx;
    Runtime *rt;
} World;

static void world_open(World *w, int fuse) {
    memset(w, 0, sizeof *w);
    mem_init(&w->cx.mem, NULL, NULL);
    opts_init(&w->cx.opts);
    opts_set(&w->cx.opts, "device", "cpu");
    w->cx.opts.threads = 2;
    w->cx.opts.verify = 1;
    w->cx.opts.fuse = fuse;
    w->cx.span = (Span){1, 2, 3};
    if (runtime_open(&w->cx, &w->rt) != ARR_OK) {
        printf("runtime_open: %s\n", w->cx.err.message);
        exit(1);
    }
}

static void world_close(World *w) {
    CHECK(w->rt->nlive == 0);
    runtime_close(w->rt);
    CHECK(atomic_load(&w->cx.mem.live) == 0);
}

static Status must(World *w, Status s, int line) {
    if (s != ARR_OK) {
        failed++;
        printf("tests/unit/runtime.c:%d: %s (seed %lu)\n", line, w->cx.err.message, seed_now);
        error_clear(&w->cx);
    }
    return s;
}
#define MUST(e) must(w, e, __LINE__)

/* ---- a generator of graphs, with the values that they must have ---- */

static uint64_t rng;
static uint32_t rnd(uint32_t n) {
    rng ^= rng << 13, rng ^= rng >> 7, rng ^= rng << 17;
    return (uint32_t)(rng >> 20) % n;
}

enum { POOL = 12, STEPS = 30, MOST = 400 };

/* Reference values as doubles: all are integers of less than 2^53. */
typedef struct Item {
    Node *node;
    double *ref;
} Item;

typedef struct Pool {
    World *w;
    Item item[POOL];
    int n;
} Pool;

static int64_t count(const Node *n) { return node_size(n); }

static void item_free(Pool *p, int i) {
    node_release(p->w->rt, p->item[i].node);
    free(p->item[i].ref);
    p->item[i] = p->item[--p->n];
}

static void item_add(Pool *p, Node *n, double *ref) {
    if (p->n == POOL) item_free(p, (int)rnd(POOL));
    p->item[p->n++] = (Item){n, ref};
}

static double *room(int64_t n) { return malloc(sizeof(double) * (size_t)(n ? n : 1)); }

static void unflatten(int64_t i, const Shape *s, int64_t *index) {
    for (int j = s->rank - 1; j >= 0; j--) {
        index[j] = i % s->dim[j];
        i /= s->dim[j];
    }
}

static int64_t flatten(const int64_t *index, const Shape *s) {
    int64_t i = 0;
    for (int j = 0; j < s->rank; j++) i = i * s->dim[j] + index[j];
    return i;
}

static Shape random_shape(void) {
    Shape s = {.rank = (int)rnd(4)};
    for (int j = 0; j < s.rank; j++) s.dim[j] = 1 + rnd(5);
    return s;
}

static void add_leaf(Pool *p) {
    Shape s = random_shape();
    int64_t n = shape_size(&s);
    double *ref = room(n);
    double data[MOST];
    for (int64_t i = 0; i < n; i++) data[i] = ref[i] = (double)rnd(9) - 4;
    World *w = p->w;
    Node *node, *cast;
    static const DType types[] = {DT_f64, DT_i64, DT_f32, DT_i32};
    if (MUST(graph_host(w->rt, DT_f64, &s, data, &node))) return;
    MUST(graph_cast(w->rt, node, types[rnd(4)], &cast));
    node_release(w->rt, node);
    item_add(p, cast, ref);
}

static void add_iota(Pool *p) {
    World *w = p->w;
    Shape s = random_shape();
    Node *node;
    double *ref = room(shape_size(&s));
    for (int64_t i = 0; i < shape_size(&s); i++) ref[i] = (double)i;
    MUST(graph_iota(w->rt, &s, &node));
    item_add(p, node, ref);
}

static double clampv(double v) { return v > 50 ? 50 : v < -50 ? -50 : v; }

/* clamp(a op b), broadcast: bounded, so that nothing ever rounds. */
static void add_binary(Pool *p) {
    World *w = p->w;
    static const Op ops[] = {OP_add, OP_sub, OP_mul, OP_minimum, OP_maximum};
    Op op = ops[rnd(5)];
    const Item *a = &p->item[rnd((uint32_t)p->n)], *b = &p->item[rnd((uint32_t)p->n)];
    bool weak = rnd(4) == 0, left = rnd(2);
    Scalar sc = {.kind = SC_INT, .i = (int64_t)rnd(7) - 3};
    Operand args[2] = {{.node = a->node}, {.node = b->node}};
    if (weak) args[left ? 0 : 1] = (Operand){.s = sc};
    Shape s = weak ? (left ? b : a)->node->shape : a->node->shape;
    if (!weak && !shape_broadcast(&a->node->shape, &b->node->shape, &s)) return;
    if (shape_size(&s) > MOST) return;
    Node *r, *lo, *hi;
    if (MUST(graph_apply(w->rt, op, args, 2, &r))) return;
    Operand low[2] = {{.node = r}, {.s = {.kind = SC_INT, .i = 50}}};
    MUST(graph_apply(w->rt, OP_minimum, low, 2, &lo));
    Operand high[2] = {{.node = lo}, {.s = {.kind = SC_INT, .i = -50}}};
    MUST(graph_apply(w->rt, OP_maximum, high, 2, &hi));
    node_release(w->rt, r);
    node_release(w->rt, lo);
    double *ref = room(shape_size(&s));
    for (int64_t i = 0; i < shape_size(&s); i++) {
        double v[2];
        int64_t index[MAX_RANK], part[MAX_RANK];
        unflatten(i, &s, index);
        for (int k = 0; k < 2; k++) {
            const Item *x = k ? b : a;
            if (!args[k].node) {
                v[k] = (double)sc.i;
                continue;
            }
            const Shape *xs = &x->node->shape;
            for (int j = 0; j < xs->rank; j++)
                part[j] = xs->dim[j] == 1 ? 0 : index[s.rank - xs->rank + j];
            v[k] = x->ref[flatten(part, xs)];
        }
        double t = op == OP_add   ? v[0] + v[1]
                   : op == OP_sub ? v[0] - v[1]
                   : op == OP_mul ? v[0] * v[1]
                   : (op == OP_minimum) == (v[0] < v[1]) ? v[0]
                                                         : v[1];
        ref[i] = clampv(t);
    }
    item_add(p, hi, ref);
}

/* where(x < 1, x, -x) */
static void add_where(Pool *p) {
    World *w = p->w;
    const Item *a = &p->item[rnd((uint32_t)p->n)];
    Node *c, *neg, *r;
    Operand cmp[2] = {{.node = a->node}, {.s = {.kind = SC_INT, .i = 1}}};
    if (a->node->dtype == DT_bool) return;
    MUST(graph_apply(w->rt, OP_lt, cmp, 2, &c));
    MUST(graph_apply(w->rt, OP_neg, &(Operand){.node = a->node}, 1, &neg));
    Operand sel[3] = {{.node = c}, {.node = a->node}, {.node = neg}};
    MUST(graph_apply(w->rt, OP_where, sel, 3, &r));
    node_release(w->rt, c);
    node_release(w->rt, neg);
    double *ref = room(count(r));
    for (int64_t i = 0; i < count(r); i++) ref[i] = a->ref[i] < 1 ? a->ref[i] : 0 - a->ref[i];
    item_add(p, r, ref);
}

/* A random basic index: slices with any step, fixed indices, permuted axes, a new axis. */
static void add_view(Pool *p) {
    World *w = p->w;
    const Item *a = &p->item[rnd((uint32_t)p->n)];
    const Shape *in = &a->node->shape;
    ViewMap m = {.in_rank = in->rank};
    Shape s = {.rank = 0};
    int perm[MAX_RANK];
    for (int j = 0; j < in->rank; j++) perm[j] = j;
    for (int j = in->rank - 1; j > 0; j--) {
        int k = (int)rnd((uint32_t)j + 1), t = perm[j];
        perm[j] = perm[k];
        perm[k] = t;
    }
    for (int k = 0; k < in->rank; k++) {
        int j = rnd(3) ? k : perm[k];
        if (m.step[j]) return; /* an axis taken twice: not this time */
        int64_t n = in->dim[j], c = 1 + rnd((uint32_t)n), most = c > 1 ? (n - 1) / (c - 1) : 1;
        int64_t step = 1 + rnd((uint32_t)most);
        int64_t start = rnd((uint32_t)(n - (c - 1) * step));
        if (rnd(4) == 0) start += (c - 1) * step, step = -step;
        m.start[j] = start;
        m.step[j] = step;
        m.axis[j] = -1;
        if (rnd(5) == 0) continue;
        if (rnd(8) == 0 && s.rank < 4) s.dim[s.rank++] = 1 + rnd(3); /* broadcast */
        m.axis[j] = (int8_t)s.rank;
        s.dim[s.rank++] = c;
    }
    if (s.rank > 5 || shape_size(&s) > MOST) return;
    Node *r;
    if (MUST(graph_view(w->rt, a->node, &s, &m, &r))) return;
    double *ref = room(shape_size(&s));
    for (int64_t i = 0; i < shape_size(&s); i++) {
        int64_t index[MAX_RANK], from[MAX_RANK];
        unflatten(i, &s, index);
        for (int j = 0; j < in->rank; j++)
            from[j] = m.start[j] + (m.axis[j] < 0 ? 0 : m.step[j] * index[m.axis[j]]);
        ref[i] = a->ref[flatten(from, in)];
    }
    item_add(p, r, ref);
}

static void add_reshape(Pool *p) {
    World *w = p->w;
    const Item *a = &p->item[rnd((uint32_t)p->n)];
    int64_t left = count(a->node);
    Shape s = {.rank = 0};
    while (left > 1 && s.rank < 4) {
        int64_t d = 1 + rnd((uint32_t)left);
        while (left % d) d--;
        if (d == 1 && rnd(3)) continue;
        s.dim[s.rank++] = d;
        left /= d;
    }
    if (left > 1) s.dim[s.rank++] = left;
    Node *r;
    MUST(graph_reshape(w->rt, a->node, &s, &r));
    double *ref = room(count(r));
    memcpy(ref, a->ref, (size_t)count(r) * sizeof *ref);
    item_add(p, r, ref);
}

static void add_reduce(Pool *p) {
    World *w = p->w;
    const Item *a = &p->item[rnd((uint32_t)p->n)];
    const Shape *in = &a->node->shape;
    static const ReduceKind kinds[] = {RED_SUM, RED_MIN, RED_MAX, RED_ARGMIN, RED_ANY, RED_COUNT};
    ReduceKind kind = kinds[rnd(6)];
    uint32_t axes = rnd(1u << in->rank);
    bool keep = rnd(2);
    Node *r;
    if (MUST(graph_reduce(w->rt, kind, a->node, axes, keep, DT_COUNT, 0, &r))) return;
    double *ref = room(count(r));
    int64_t *seen = calloc((size_t)count(r), sizeof *seen);
    double *best = room(count(r));
    for (int64_t i = 0; i < count(a->node); i++) {
        int64_t index[MAX_RANK], out = 0;
        unflatten(i, in, index);
        for (int j = 0; j < in->rank; j++)
            if (!(axes >> j & 1)) out = out * in->dim[j] + index[j];
        double v = a->ref[i];
        bool first = seen[out]++ == 0;
        if (first) ref[out] = kind == RED_MIN || kind == RED_MAX ? v : 0, best[out] = v;
        if (kind == RED_SUM) ref[out] += v;
        if (kind == RED_COUNT) ref[out] += v != 0;
        if (kind == RED_ANY && v != 0) ref[out] = 1;
        if (kind == RED_MIN && v < ref[out]) ref[out] = v;
        if (kind == RED_MAX && v > ref[out]) ref[out] = v;
        if (kind == RED_ARGMIN && v < best[out]) best[out] = v, ref[out] = (double)(seen[out] - 1);
    }
    free(seen);
    free(best);
    /* kept small again */
    Node *c;
    if (kind == RED_ANY) {
        MUST(graph_cast(w->rt, r, DT_i64, &c));
    } else {
        Operand mod[2] = {{.node = r}, {.s = {.kind = SC_INT, .i = 11}}};
        MUST(graph_apply(w->rt, OP_mod, mod, 2, &c));
        for (int64_t i = 0; i < count(c); i++) {
            int64_t v = (int64_t)ref[i] % 11;
            ref[i] = (double)(v < 0 ? v + 11 : v);
        }
    }
    node_release(w->rt, r);
    item_add(p, c, ref);
}

static void add_take(Pool *p) {
    World *w = p->w;
    const Item *a = &p->item[rnd((uint32_t)p->n)];
    const Shape *in = &a->node->shape;
    if (in->rank == 0) return;
    int axis = (int)rnd((uint32_t)in->rank);
    int64_t n = in->dim[axis], index[6];
    Shape is = {.rank = 1, .dim = {1 + rnd(5)}};
    if (rnd(3) == 0) is = (Shape){.rank = 2, .dim = {2, 3}};
    for (int64_t i = 0; i < shape_size(&is); i++) index[i] = (int64_t)rnd(2 * (uint32_t)n) - n;
    Node *inode, *r;
    if (count(a->node) / n * shape_size(&is) > MOST || in->rank + is.rank > 6) return;
    MUST(graph_host(w->rt, DT_i64, &is, index, &inode));
    if (MUST(graph_take(w->rt, a->node, inode, axis, &r))) return;
    node_release(w->rt, inode);
    double *ref = room(count(r));
    for (int64_t i = 0; i < count(r); i++) {
        int64_t at[MAX_RANK], from[MAX_RANK], k = 0;
        unflatten(i, &r->shape, at);
        for (int j = 0; j < axis; j++) from[j] = at[j];
        for (int j = 0; j < is.rank; j++) k = k * is.dim[j] + at[axis + j];
        from[axis] = index[k] < 0 ? index[k] + n : index[k];
        for (int j = axis + 1; j < in->rank; j++) from[j] = at[j + is.rank - 1];
        ref[i] = a->ref[flatten(from, in)];
    }
    item_add(p, r, ref);
}

/* x[slices] = f(x[slices]), or a constant, or x[other slices]. */
static void add_update(Pool *p) {
    World *w = p->w;
    int which = (int)rnd((uint32_t)p->n);
    const Item *a = &p->item[which];
    const Shape *in = &a->node->shape;
    ViewMap m = {.in_rank = in->rank};
    Shape s = {.rank = in->rank};
    int64_t start[MAX_RANK], step[MAX_RANK];
    for (int j = 0; j < in->rank; j++) {
        int64_t n = in->dim[j];
        s.dim[j] = 1 + rnd((uint32_t)n);
        step[j] = s.dim[j] > 1 ? 1 + rnd((uint32_t)((n - 1) / (s.dim[j] - 1))) : 1;
        start[j] = rnd((uint32_t)(n - (s.dim[j] - 1) * step[j]));
        m.axis[j] = (int8_t)j;
        m.start[j] = rnd(2) ? start[j] : (int64_t)rnd((uint32_t)(n - (s.dim[j] - 1) * step[j]));
        m.step[j] = step[j];
        if (rnd(4) == 0) m.start[j] += (s.dim[j] - 1) * step[j], m.step[j] = -step[j];
    }
    Node *part, *value, *r;
    if (MUST(graph_view(w->rt, a->node, &s, &m, &part))) return;
    Operand args[2] = {{.node = part}, {.s = {.kind = SC_INT, .i = 1}}};
    MUST(graph_apply(w->rt, OP_maximum, args, 2, &value));
    node_release(w->rt, part);
    MUST(graph_cast(w->rt, value, (DType)a->node->dtype, &part));
    node_release(w->rt, value);
    MUST(graph_update(w->rt, a->node, start, step, part, &r));
    node_release(w->rt, part);
    double *ref = room(count(r));
    memcpy(ref, a->ref, (size_t)count(r) * sizeof *ref);
    for (int64_t i = 0; i < shape_size(&s); i++) {
        int64_t at[MAX_RANK], from[MAX_RANK], to[MAX_RANK];
        unflatten(i, &s, at);
        for (int j = 0; j < in->rank; j++) {
            from[j] = m.start[j] + m.step[j] * at[j];
            to[j] = start[j] + step[j] * at[j];
        }
        double v = a->ref[flatten(from, in)];
        ref[flatten(to, in)] = v > 1 ? v : 1;
    }
    if (rnd(2)) item_free(p, which); /* the update may be in place */
    item_add(p, r, ref);
}

static void add_concat(Pool *p) {
    World *w = p->w;
    const Item *a = &p->item[rnd((uint32_t)p->n)], *b = &p->item[rnd((uint32_t)p->n)];
    const Shape *x = &a->node->shape, *y = &b->node->shape;
    if (x->rank == 0 || x->rank != y->rank) return;
    int axis = (int)rnd((uint32_t)x->rank);
    for (int j = 0; j < x->rank; j++)
        if (j != axis && x->dim[j] != y->dim[j]) return;
    if (count(a->node) + count(b->node) > MOST) return;
    Node *parts[2] = {a->node, b->node}, *r;
    if (MUST(graph_concat(w->rt, parts, 2, axis, &r))) return;
    double *ref = room(count(r));
    for (int64_t i = 0; i < count(r); i++) {
        int64_t at[MAX_RANK];
        unflatten(i, &r->shape, at);
        bool second = at[axis] >= x->dim[axis];
        if (second) at[axis] -= x->dim[axis];
        ref[i] = second ? b->ref[flatten(at, y)] : a->ref[flatten(at, x)];
    }
    item_add(p, r, ref);
}

static bool item_right(World *w, const Item *x) {
    double got[MOST * 2];
    Node *n;
    if (graph_cast(w->rt, x->node, DT_f64, &n) != ARR_OK) return false;
    Status s = exec_read(w->rt, n, got);
    if (s != ARR_OK) printf("  %s\n", w->cx.err.message);
    error_clear(&w->cx);
    bool ok = s == ARR_OK;
    for (int64_t i = 0; i < count(n) && ok; i++) {
        ok = got[i] == x->ref[i];
        if (!ok) printf("  element %lld: %g, not %g\n", (long long)i, got[i], x->ref[i]);
    }
    node_release(w->rt, n);
    return ok;
}

static void random_graph(World *w, unsigned long seed) {
    static void (*const adders[])(Pool *) = {add_leaf,    add_iota,   add_binary, add_binary,
                                             add_binary,  add_where,  add_view,   add_view,
                                             add_reshape, add_reduce, add_take,   add_update,
                                             add_concat,  add_binary};
    Pool p = {.w = w};
    seed_now = seed;
    rng = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
    for (int i = 0; i < 3; i++) add_leaf(&p);
    for (int i = 0; i < STEPS; i++) {
        if (p.n < 2) add_leaf(&p);
        adders[rnd(sizeof adders / sizeof *adders)](&p);
        if (rnd(12) == 0 && p.n > 2) item_free(&p, (int)rnd((uint32_t)p.n));
        if (rnd(15) == 0) MUST(exec_flush(w->rt));
        if (rnd(15) == 0) CHECK(item_right(w, &p.item[rnd((uint32_t)p.n)]));
    }
    if (rnd(2)) {
        Node *roots[POOL];
        for (int i = 0; i < p.n; i++) roots[i] = p.item[i].node;
        MUST(exec_force(w->rt, roots, p.n));
    }
    for (int i = 0; i < p.n; i++) CHECK(item_right(w, &p.item[i]));
    while (p.n) item_free(&p, 0);
}

static void test_random(unsigned long from, unsigned long to) {
    for (int fuse = 0; fuse < 2; fuse++) {
        World w;
        world_open(&w, fuse);
        for (unsigned long s = from; s < to; s++) random_graph(&w, s);
        world_close(&w);
    }
    seed_now = 0;
}

int main(int argc, char **argv) {
    unsigned long from = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    unsigned long to = argc > 2 ? strtoul(argv[2], NULL, 10) : from + 300;
    test_random(from, to);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
