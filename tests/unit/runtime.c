/* Unit tests of runtime: random graphs against a plain evaluation of every element, fused and not;
 * updates in place; failed nodes; chains that must not recurse; allocation failures.
 * Arguments: first seed, last seed, device.
 * Values are small integers in every dtype, so that all orders of adding give the same bits. */
#include "runtime/exec.h"
#include "runtime/place.h"
#include "runtime/plan.h"
#include "runtime/user_kernel.h"

#include <dirent.h>
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

static const char *device = "cpu";

static void world_open(World *w, int fuse) {
    memset(w, 0, sizeof *w);
    mem_init(&w->cx.mem, NULL, NULL);
    opts_init(&w->cx.opts);
    opts_set(&w->cx.opts, "device", device);
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
        double t = op == OP_add                          ? v[0] + v[1]
                   : op == OP_sub                        ? v[0] - v[1]
                   : op == OP_mul                        ? v[0] * v[1]
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
    static void (*const adders[])(Pool *) = {
        add_leaf, add_iota,    add_binary, add_binary, add_binary, add_where,  add_view,
        add_view, add_reshape, add_reduce, add_take,   add_update, add_concat, add_binary};
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

/* ---- single rules ---- */

static Node *host(World *w, DType t, int rank, const int64_t *dim, const void *data) {
    Node *n = NULL;
    Shape s = shape_make(rank, dim);
    MUST(graph_host(w->rt, t, &s, data, &n));
    return n;
}

static Node *ramp(World *w, int64_t n) {
    Node *i, *r = NULL;
    Shape s = shape_make(1, &n);
    MUST(graph_iota(w->rt, &s, &i));
    MUST(graph_cast(w->rt, i, DT_f64, &r));
    node_release(w->rt, i);
    MUST(exec_force(w->rt, &r, 1));
    return r;
}

static Node *apply2(World *w, Op op, Node *a, Node *b) {
    Node *r = NULL;
    MUST(graph_apply(w->rt, op, (Operand[]){{.node = a}, {.node = b}}, 2, &r));
    return r;
}

static Node *apply_num(World *w, Op op, Node *a, double v) {
    Node *r = NULL;
    Operand args[2] = {{.node = a}, {.s = {.kind = SC_FLOAT, .f = v}}};
    MUST(graph_apply(w->rt, op, args, 2, &r));
    return r;
}

static Node *apply1(World *w, Op op, Node *a) {
    Node *r = NULL;
    MUST(graph_apply(w->rt, op, &(Operand){.node = a}, 1, &r));
    return r;
}

/* Node *a becomes its successor. */
static void become(World *w, Node **a, Node *next) {
    node_release(w->rt, *a);
    *a = next;
}

static Node *sum_all(World *w, Node *a) {
    Node *r = NULL;
    uint32_t axes = a->shape.rank ? (1u << a->shape.rank) - 1 : 0;
    MUST(graph_reduce(w->rt, RED_SUM, a, axes, false, DT_COUNT, 0, &r));
    return r;
}

static double number(World *w, Node *a) {
    Scalar s = {.kind = SC_FLOAT};
    MUST(exec_scalar(w->rt, a, &s));
    return s.kind == SC_FLOAT ? s.f : s.kind == SC_INT ? (double)s.i : s.kind == SC_BOOL ? s.b : -1;
}

static int groups(World *w, Node *const *roots, int n) {
    Plan p;
    int count = -1;
    if (!MUST(plan_open(w->rt, roots, n, false, &p)) && !MUST(plan_fuse(&p))) count = p.ngroup;
    plan_close(&p, false);
    return count;
}

static void test_fusion(void) {
    World world, *w = &world;
    world_open(w, 1);
    Node *a = ramp(w, 1000), *b = ramp(w, 1000);
    /* a chain with a reduction at its end, and arithmetic on that: one kernel */
    Node *m = apply2(w, OP_mul, a, b), *e = apply_num(w, OP_add, m, 1), *s = sum_all(w, e);
    Node *mean = apply_num(w, OP_div, s, 1000);
    node_release(w->rt, m);
    node_release(w->rt, e);
    node_release(w->rt, s);
    CHECK(groups(w, &mean, 1) == 1);
    CHECK(number(w, mean) == 332834.5);
    node_release(w->rt, mean);
    /* what a variable holds is stored on the way */
    Node *held = apply_num(w, OP_mul, a, 3);
    s = sum_all(w, held);
    CHECK(groups(w, &s, 1) == 1);
    CHECK(number(w, s) == 3 * 499500.0);
    CHECK(held->state == NODE_DONE);
    node_release(w->rt, s);
    node_release(w->rt, held);
    /* two results that share work: one kernel with two outputs */
    Node *t = apply1(w, OP_sqrt, a), *x = apply_num(w, OP_add, t, 1), *y = apply2(w, OP_mul, t, b);
    Node *both[2] = {x, y};
    node_release(w->rt, t);
    CHECK(groups(w, both, 2) == 1);
    MUST(exec_force(w->rt, both, 2));
    CHECK(x->state == NODE_DONE && y->state == NODE_DONE);
    node_release(w->rt, x);
    node_release(w->rt, y);
    /* equal expressions are computed once */
    Node *p1 = apply2(w, OP_mul, a, b), *p2 = apply2(w, OP_mul, a, b),
         *q = apply2(w, OP_sub, p1, p2);
    Plan plan;
    MUST(plan_open(w->rt, &q, 1, false, &plan));
    CHECK(plan_node(&plan, p1) == plan_node(&plan, p2));
    plan_close(&plan, false);
    s = sum_all(w, q);
    CHECK(number(w, s) == 0);
    CHECK(p1->state == NODE_DONE && p2->state == NODE_DONE && p1->value == p2->value);
    node_release(w->rt, p1);
    node_release(w->rt, p2);
    node_release(w->rt, q);
    node_release(w->rt, s);
    node_release(w->rt, a);
    node_release(w->rt, b);
    world_close(w);
}

static Node *set_range(World *w, Node *u, int64_t start, int64_t n, Node *value) {
    Node *v = NULL, *r = NULL;
    Shape s = shape_make(1, &n);
    int64_t step = 1;
    MUST(graph_broadcast(w->rt, value, &s, &v));
    MUST(graph_update(w->rt, u, &start, &step, v, &r));
    node_release(w->rt, v);
    return r;
}

static Node *slice(World *w, Node *u, int64_t start, int64_t n) {
    Node *r = NULL;
    Shape s = shape_make(1, &n);
    ViewMap m = {.in_rank = 1, .start = {start}, .step = {1}, .axis = {0}};
    MUST(graph_view(w->rt, u, &s, &m, &r));
    return r;
}

static void test_updates(void) {
    World world, *w = &world;
    world_open(w, 1);
    Shape one = {.rank = 0};
    Scalar nine = {.kind = SC_INT, .i = 9};
    Node *c, *u = ramp(w, 4096);
    MUST(graph_full(w->rt, DT_f64, &one, &nine, &c));
    /* nobody else sees u: the same buffer */
    const void *before = u->value->buf->ptr;
    become(w, &u, set_range(w, u, 3, 1, c));
    MUST(exec_force(w->rt, &u, 1));
    CHECK(u->value->buf->ptr == before);
    /* u[2:] = u[2:] * 2 reads what it is about to write */
    Node *v = slice(w, u, 2, 4094), *d = apply_num(w, OP_mul, v, 2);
    become(w, &u, set_range(w, u, 2, 4094, d));
    node_release(w->rt, v);
    node_release(w->rt, d);
    MUST(exec_force(w->rt, &u, 1));
    CHECK(u->value->buf->ptr == before);
    /* u[1:] = u[:-1] does not */
    v = slice(w, u, 0, 4095);
    become(w, &u, set_range(w, u, 1, 4095, v));
    node_release(w->rt, v);
    MUST(exec_force(w->rt, &u, 1));
    CHECK(u->value->buf->ptr != before);
    double got[8];
    int64_t zero = 0;
    MUST(exec_read_run(w->rt, u, &zero, 8, got));
    static const double want[8] = {0, 0, 1, 4, 18, 8, 10, 12};
    CHECK(memcmp(got, want, sizeof got) == 0);
    /* an older value that is still held stays as it was; a pending reader of it is run first */
    before = u->value->buf->ptr;
    Node *reader = sum_all(w, u), *old = node_retain(u);
    become(w, &u, set_range(w, u, 0, 4096 - 1, c));
    MUST(exec_force(w->rt, &u, 1));
    CHECK(old->value->buf->ptr == before && u->value->buf->ptr != before);
    before = u->value->buf->ptr;
    Node *late = sum_all(w, u);
    become(w, &u, set_range(w, u, 0, 10, c));
    MUST(exec_force(w->rt, &u, 1));
    CHECK(late->state == NODE_DONE && u->value->buf->ptr == before);
    node_release(w->rt, reader);
    node_release(w->rt, late);
    node_release(w->rt, old);
    /* a chain of updates in one plan: one buffer */
    before = u->value->buf->ptr;
    for (int i = 0; i < 20; i++) become(w, &u, set_range(w, u, i * 7, 5, c));
    MUST(exec_force(w->rt, &u, 1));
    CHECK(u->value->buf->ptr == before);
    node_release(w->rt, u);
    node_release(w->rt, c);
    world_close(w);
}

/* A large block written from its neighbours: only the rim is copied. */
static void test_block(void) {
    World world, *w = &world;
    enum { N = 200, M = 300 };
    int64_t dim[2] = {N, M}, start[2] = {1, 2}, step[2] = {1, 1};
    static double data[N * M], want[N * M], got[N * M];
    Shape s = {.rank = 2, .dim = {N - 2, M - 2}};
    world_open(w, 1);
    for (int i = 0; i < N * M; i++) want[i] = data[i] = i * 7 % 31;
    for (int i = 0; i < N - 2; i++)
        for (int j = 0; j < M - 2; j++) want[(i + 1) * M + j + 2] = data[i * M + j] * 2;
    Node *a = host(w, DT_f64, 2, dim, data), *v, *r;
    ViewMap m = {.in_rank = 2, .step = {1, 1}, .axis = {0, 1}};
    MUST(graph_view(w->rt, a, &s, &m, &v));
    Node *d = apply_num(w, OP_mul, v, 2);
    MUST(graph_update(w->rt, a, start, step, d, &r));
    MUST(exec_read(w->rt, r, got));
    CHECK(memcmp(got, want, sizeof got) == 0);
    Node *all[] = {a, v, d, r};
    for (int k = 0; k < 4; k++) node_release(w->rt, all[k]);
    world_close(w);
}

static void test_put(void) {
    World world, *w = &world;
    world_open(w, 1);
    int64_t three = 3, idx[3] = {1, -1, 1}, bad[3] = {0, 7, 2};
    double val[3] = {10, 20, 30}, got[5];
    Node *u = ramp(w, 5), *i = host(w, DT_i64, 1, &three, idx),
         *b = host(w, DT_i64, 1, &three, bad);
    Node *v = host(w, DT_f64, 1, &three, val), *r;
    MUST(graph_put(w->rt, u, i, v, 0, &r));
    MUST(exec_read(w->rt, r, got));
    static const double want[5] = {0, 30, 2, 3, 20};
    CHECK(memcmp(got, want, sizeof got) == 0);
    MUST(exec_read(w->rt, u, got));
    CHECK(got[1] == 1);
    node_release(w->rt, r);
    MUST(graph_put(w->rt, u, b, v, 0, &r));
    CHECK(exec_force(w->rt, &r, 1) == ARR_ERR_INDEX);
    CHECK(strcmp(w->cx.err.message, "index 7 is out of range for axis 0 with 5 elements") == 0);
    error_clear(&w->cx);
    CHECK(r->state == NODE_FAILED);
    node_release(w->rt, r);
    /* two gathers in one kernel: the one that fails is named, the other is not to blame */
    Node *good, *wrong;
    MUST(graph_take(w->rt, u, i, 0, &good));
    w->cx.span = (Span){1, 70, 80};
    MUST(graph_take(w->rt, u, b, 0, &wrong));
    w->cx.span = (Span){1, 90, 95};
    Node *sum = apply2(w, OP_add, good, wrong);
    CHECK(exec_force(w->rt, &sum, 1) == ARR_ERR_INDEX);
    CHECK(w->cx.err.span.lo == 70 && w->cx.err.needed.lo == 90);
    error_clear(&w->cx);
    CHECK(wrong->state == NODE_FAILED && good->state != NODE_FAILED);
    CHECK(exec_force(w->rt, &sum, 1) == ARR_ERR_INDEX);
    error_clear(&w->cx);
    Node *other = apply_num(w, OP_mul, u, 2);
    MUST(exec_flush(w->rt));
    CHECK(other->state == NODE_DONE && sum->state == NODE_FAILED);
    Node *all[] = {u, i, b, v, good, wrong, sum, other};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) node_release(w->rt, all[k]);
    world_close(w);
}

/* a @ b for every pair of layouts, against loops. */
static void test_matmul(void) {
    World world, *w = &world;
    world_open(w, 1);
    static const DType types[] = {DT_f64, DT_f32, DT_i32, DT_c128, DT_f16};
    for (int t = 0; t < 5; t++)
        for (int layout = 0; layout < 16; layout++) {
            int64_t da[3] = {2, 4, 3}, db[3] = {2, 3, 5}, dc[3] = {2, 4, 5};
            double va[24], vb[30], want[40], got[40];
            for (int i = 0; i < 24; i++) va[i] = i % 7 - 3;
            for (int i = 0; i < 30; i++) vb[i] = i % 5 - 2;
            if (layout & 1) da[1] = 3, da[2] = 4;
            if (layout & 2) db[1] = 5, db[2] = 3;
            Node *x = host(w, DT_f64, 3, da, va), *y = host(w, DT_f64, 3, db, vb), *n;
            int swap[3] = {0, 2, 1};
            MUST(graph_cast(w->rt, x, types[t], &n));
            become(w, &x, n);
            MUST(graph_cast(w->rt, y, types[t], &n));
            become(w, &y, n);
            if (layout & 1) MUST(graph_transpose(w->rt, x, swap, &n)), become(w, &x, n);
            if (layout & 2) MUST(graph_transpose(w->rt, y, swap, &n)), become(w, &y, n);
            ViewMap pick = {.in_rank = 3, .step = {0, 1, 1}, .axis = {-1, 0, 1}, .start = {1}};
            if (layout & 4) { /* one matrix against a batch */
                Shape s = {.rank = 2, .dim = {3, 5}};
                MUST(graph_view(w->rt, y, &s, &pick, &n));
                become(w, &y, n);
            }
            if (layout & 8) { /* rows reversed: strides no library takes */
                ViewMap flip = {
                    .in_rank = 3, .step = {1, -1, 1}, .axis = {0, 1, 2}, .start = {0, 3, 0}};
                MUST(graph_view(w->rt, x, &x->shape, &flip, &n));
                become(w, &x, n);
            }
            for (int64_t i = 0; i < 40; i++) {
                int64_t b = i / 20, r = i / 5 % 4, c = i % 5, rr = layout & 8 ? 3 - r : r;
                int64_t bb = layout & 4 ? 1 : b;
                want[i] = 0;
                for (int64_t k = 0; k < 3; k++)
                    want[i] += va[layout & 1 ? b * 12 + k * 4 + rr : b * 12 + rr * 3 + k] *
                               vb[layout & 2 ? bb * 15 + c * 3 + k : bb * 15 + k * 5 + c];
            }
            Node *p, *q;
            MUST(graph_matmul(w->rt, x, y, &p));
            CHECK(p->shape.rank == 3 && memcmp(p->shape.dim, dc, sizeof dc) == 0);
            if (types[t] == DT_c128)
                MUST(graph_apply(w->rt, OP_real, &(Operand){.node = p}, 1, &q));
            else
                MUST(graph_cast(w->rt, p, DT_f64, &q));
            MUST(exec_read(w->rt, q, got));
            CHECK(memcmp(got, want, sizeof got) == 0);
            Node *all[] = {x, y, p, q};
            for (int k = 0; k < 4; k++) node_release(w->rt, all[k]);
        }
    world_close(w);
}

static void test_along(void) {
    World world, *w = &world;
    world_open(w, 1);
    int64_t dim[2] = {2, 3}, index[6];
    double data[6] = {3, 1, 2, 6, 5, 4}, got[6];
    Node *x = host(w, DT_f64, 2, dim, data), *r;
    int swap[2] = {1, 0};
    Node *t;
    MUST(graph_transpose(w->rt, x, swap, &t)); /* (3,2): not contiguous */
    MUST(graph_scan(w->rt, RED_SUM, t, 0, DT_COUNT, &r));
    MUST(exec_read(w->rt, r, got));
    CHECK(memcmp(got, (double[]){3, 6, 4, 11, 6, 15}, sizeof got) == 0);
    node_release(w->rt, r);
    MUST(graph_sort(w->rt, t, 0, false, &r));
    MUST(exec_read(w->rt, r, got));
    CHECK(memcmp(got, (double[]){1, 4, 2, 5, 3, 6}, sizeof got) == 0);
    node_release(w->rt, r);
    MUST(graph_argsort(w->rt, x, 1, true, &r));
    MUST(exec_read(w->rt, r, index));
    CHECK(memcmp(index, (int64_t[]){0, 2, 1, 0, 1, 2}, sizeof index) == 0);
    node_release(w->rt, r);
    Node *mask = apply_num(w, OP_gt, t, 2.5);
    MUST(exec_nonzero(w->rt, mask, &r));
    CHECK(r->shape.rank == 1 && r->shape.dim[0] == 4);
    MUST(exec_read(w->rt, r, index));
    CHECK(memcmp(index, (int64_t[]){0, 1, 3, 5}, 4 * sizeof *index) == 0);
    Node *all[] = {x, t, r, mask};
    for (int k = 0; k < 4; k++) node_release(w->rt, all[k]);
    world_close(w);
}

/* x = x + 1, a million times: at the end only, and flushed as a loop does. */
static void *long_chains(void *unused) {
    (void)unused;
    World world, *w = &world;
    world_open(w, 1);
    for (int flush = 0; flush < 2; flush++) {
        int64_t n = flush ? 1000000 : 100000;
        Node *x = ramp(w, 3);
        for (int64_t i = 0; i < n; i++) {
            become(w, &x, apply_num(w, OP_add, x, 1));
            if (flush && exec_pending_full(w->rt)) MUST(exec_flush(w->rt));
        }
        double got[3];
        MUST(exec_read(w->rt, x, got));
        CHECK(got[0] == (double)n && got[2] == (double)n + 2);
        node_release(w->rt, x);
    }
    /* never run, only freed */
    Node *x = ramp(w, 3);
    for (int64_t i = 0; i < 200000; i++) become(w, &x, apply_num(w, OP_add, x, 1));
    node_release(w->rt, x);
    world_close(w);
    return NULL;
}

static void test_chains(void) {
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 << 10);
    if (pthread_create(&thread, &attr, long_chains, NULL) == 0)
        pthread_join(thread, NULL);
    else
        CHECK(!"no thread");
    pthread_attr_destroy(&attr);
}

static void test_messages(void) {
    World world, *w = &world;
    world_open(w, 1);
    static const double zeros[12];
    int64_t d34[2] = {3, 4}, d5 = 5, d3 = 3;
    Node *a = host(w, DT_f32, 2, d34, zeros), *b = host(w, DT_f32, 1, &d5, zeros), *r;
    Node *c = host(w, DT_f32, 1, &d3, zeros);
    CHECK(graph_apply(w->rt, OP_add, (Operand[]){{.node = a}, {.node = b}}, 2, &r) ==
          ARR_ERR_SHAPE);
    CHECK(strcmp(w->cx.err.message, "cannot add f32[3,4] and f32[5]: the last axes are 4 and 5") ==
          0);
    CHECK(strcmp(w->cx.err.notes, "a: f32[3,4], b: f32[5]") == 0);
    error_clear(&w->cx);
    CHECK(graph_apply(w->rt, OP_mul, (Operand[]){{.node = c}, {.node = a}}, 2, &r) ==
          ARR_ERR_SHAPE);
    CHECK(strcmp(w->cx.err.message, "cannot multiply f32[3] and f32[3,4]: the last axes are 3 and "
                                    "4; write a[:, newaxis]") == 0);
    error_clear(&w->cx);
    CHECK(graph_matmul(w->rt, a, a, &r) == ARR_ERR_SHAPE);
    CHECK(strcmp(w->cx.err.message, "cannot matmul f32[3,4] and f32[3,4]: the inner axes are 4 and "
                                    "3; write a @ b.mT") == 0);
    error_clear(&w->cx);
    CHECK(graph_reshape(w->rt, a, &(Shape){.rank = 1, .dim = {5}}, &r) == ARR_ERR_SHAPE);
    error_clear(&w->cx);
    CHECK(graph_iota(w->rt, &(Shape){.rank = 2, .dim = {1ll << 40, 1ll << 40}}, &r) ==
          ARR_ERR_LIMIT);
    error_clear(&w->cx);
    node_release(w->rt, a);
    node_release(w->rt, b);
    node_release(w->rt, c);
    world_close(w);
}

/* Every allocation of a piece of work fails once: an error, nothing lost, and it works afterwards.
 */
static Status work(World *w, Node *a, double *got) {
    Node *t = NULL, *s = NULL, *u = NULL, *m = NULL, *parts[2];
    int64_t start = 1, step = 2;
    Shape half = {.rank = 1, .dim = {4}};
    Status st = graph_apply(w->rt, OP_mul, (Operand[]){{.node = a}, {.node = a}}, 2, &t);
    if (st == ARR_OK) st = graph_reduce(w->rt, RED_SUM, t, 1, true, DT_COUNT, 0, &s);
    if (st == ARR_OK) st = graph_broadcast(w->rt, s, &half, &m);
    if (st == ARR_OK) st = graph_update(w->rt, t, &start, &step, m, &u);
    parts[0] = t, parts[1] = u;
    Node *c = NULL;
    if (st == ARR_OK) st = graph_concat(w->rt, parts, 2, 0, &c);
    if (st == ARR_OK) st = exec_read(w->rt, c, got);
    Node *all[] = {t, s, u, m, c};
    for (int k = 0; k < 5; k++) node_release(w->rt, all[k]);
    return st;
}

/* T90: whichever allocation fails, the work ends, and nothing is lost. */
static int fail_each(World *w, Node *a, const double want[16], bool cold) {
    double got[16];
    int64_t live = w->rt->nlive;
    int n = 0;
    for (;; n++) {
        if (cold) { /* nothing is kept from the last turn */
            kernels_close(w->rt->kernels);
            MUST(kernels_open(&w->cx, &w->rt->kernels));
        }
        w->cx.mem.fail_at = n + 1;
        memset(got, 0, sizeof got);
        Status st = work(w, a, got);
        bool reached = w->cx.mem.fail_at == 0;
        w->cx.mem.fail_at = 0;
        CHECK(w->rt->nlive == live);
        if (st == ARR_OK)
            CHECK(memcmp(got, want, sizeof got) == 0);
        else
            CHECK(st == ARR_ERR_MEMORY && w->cx.err.status == ARR_ERR_MEMORY);
        error_clear(&w->cx);
        if (!reached || n > 2000) break;
    }
    return n;
}

static void test_memory(void) {
    World world, *w = &world;
    double want[16];
    world_open(w, 1);
    Node *a = ramp(w, 8);
    MUST(work(w, a, want));
    int cold = fail_each(w, a, want, true), warm = fail_each(w, a, want, false);
    CHECK(cold > 20 && cold < 2000);
    CHECK(warm > 10 && warm <= cold);
    node_release(w->rt, a);
    world_close(w);
}

/* The flag is seen before a plan's next group, and the values stay pending. */
static void test_interrupt(void) {
    World world, *w = &world;
    world_open(w, 1);
    Node *a = ramp(w, 100), *s = sum_all(w, a);
    atomic_store(&w->cx.interrupt, 1);
    CHECK(exec_force(w->rt, &s, 1) == ARR_ERR_INTERRUPT && s->state == NODE_PENDING);
    error_clear(&w->cx);
    CHECK(number(w, s) == 4950);
    node_release(w->rt, a);
    node_release(w->rt, s);
    world_close(w);
}

/* Work of one structure again and again: with other numbers, some of them equal at times, and over
 * memory that overlaps at times. */
static void test_again(void) {
    World world, *w = &world;
    world_open(w, 1);
    enum { N = 700 };
    double want[N], got[N];
    Node *a = ramp(w, N);
    for (int i = 0; i < N; i++) want[i] = i;
    for (int turn = 0; turn < 40; turn++) {
        double p = turn % 3, q = turn % 4 ? turn % 5 : p, r = turn % 2 ? p : 7;
        become(w, &a, apply_num(w, OP_mul, a, 0.5));
        become(w, &a, apply_num(w, OP_add, a, p));
        become(w, &a, apply_num(w, OP_sub, a, q));
        become(w, &a, apply_num(w, OP_add, a, r));
        MUST(exec_force(w->rt, &a, 1));
        for (int i = 0; i < N; i++) want[i] = want[i] * 0.5 + p - q + r;
        if (turn % 7 == 3) { /* a[:] reversed into its own lower half */
            ViewMap back = {.in_rank = 1, .start = {N - 1}, .step = {-1}, .axis = {0}};
            Shape half = {.rank = 1, .dim = {N / 2}};
            Node *v, *u, *b = node_retain(a);
            MUST(graph_view(w->rt, a, &half, &back, &v));
            become(w, &v, apply_num(w, OP_add, v, 1));
            MUST(graph_update(w->rt, b, (int64_t[]){0}, (int64_t[]){1}, v, &u));
            node_release(w->rt, v);
            node_release(w->rt, b);
            become(w, &a, u);
            MUST(exec_force(w->rt, &a, 1));
            for (int i = 0; i < N / 2; i++) want[i] = want[N - 1 - i] + 1;
        }
        MUST(exec_read(w->rt, a, got));
        CHECK(memcmp(got, want, sizeof got) == 0);
    }
    node_release(w->rt, a);
    world_close(w);
}

/* ---- a GPU that fails ---- */

/* The CPU under another name, with a launch, but whose kernel compiler is not there; and which is
 * lost when `lost` says so. */
static struct {
    Device dev;
    DeviceOps ops;
    const DeviceOps *cpu;
    bool lost, compiler;
    int notices, compiles, ahead;
} gpu;

static Status gone(Device *d) {
    return error_set(d->cx, ARR_ERR_DEVICE, d->cx->span, "cuda:0 was lost");
}
static Status gpu_alloc(Device *d, size_t n, void **out) {
    *out = NULL;
    return gpu.lost ? gone(d) : gpu.cpu->alloc(d, n, out);
}
static Status gpu_upload(Device *d, void *dst, const void *host, size_t n) {
    return gpu.lost ? gone(d) : gpu.cpu->upload(d, dst, host, n);
}
static Status gpu_download(Device *d, void *host, const void *src, size_t n) {
    return gpu.lost ? gone(d) : gpu.cpu->download(d, host, src, n);
}
static Status gpu_compile(Device *d, const char *text, const char *name, void **image, size_t *n) {
    (void)text, (void)name;
    *image = gpu.compiler ? mem_alloc(&d->cx->mem, 1) : NULL;
    *n = 1;
    gpu.compiles++;
    if (*image) return ARR_OK;
    return error_set(d->cx, ARR_ERR_DEVICE, d->cx->span, "libnvrtc.so.13 was not found");
}
/* All but the first of several. */
static Status gpu_compile_many(Device *d, int n, const char *const *text, const char *const *name,
                               void **image, size_t *size) {
    (void)text, (void)name;
    for (int i = 0; i < n; i++) {
        image[i] = i ? mem_alloc(&d->cx->mem, 1) : NULL;
        size[i] = i ? 1 : 0;
        d->stats.compiles += i > 0;
    }
    gpu.ahead += n;
    return ARR_OK;
}
static Status gpu_load(Device *d, const void *image, size_t n, const char *name, DevKernel **out) {
    (void)image, (void)n, (void)name;
    *out = (DevKernel *)(void *)d;
    return ARR_OK;
}
static void gpu_unload(Device *d, DevKernel *k) { (void)d, (void)k; }
static Status gpu_launch(Device *d, DevKernel *k, const DevLaunch *l) {
    (void)k, (void)l;
    return gpu.compiler ? ARR_OK : gone(d);
}
static const char *gpu_target(Device *d) {
    (void)d;
    return "sm_90";
}
static void gpu_close(Device *d) { (void)d; }
static void count_notice(void *user, const char *text) {
    (void)user;
    CHECK(strstr(text, "working on the CPU") != NULL);
    gpu.notices++;
}

static void gpu_open(World *w) {
    const char *before = device;
    device = "auto";
    world_open(w, 1);
    device = before;
    gpu.cpu = w->rt->cpu->ops;
    gpu.dev = *w->rt->cpu;
    gpu.ops = *gpu.cpu;
    gpu.ops.kind = "cuda";
    gpu.ops.close = gpu_close;
    gpu.ops.alloc = gpu_alloc;
    gpu.ops.upload = gpu_upload;
    gpu.ops.download = gpu_download;
    gpu.ops.compile = gpu_compile;
    gpu.ops.launch = gpu_launch;
    gpu.ops.load = gpu_load;
    gpu.ops.unload = gpu_unload;
    gpu.ops.target = gpu_target;
    gpu.dev.ops = &gpu.ops;
    strcpy(gpu.dev.name, "cuda:0");
    gpu.lost = gpu.compiler = false;
    gpu.notices = gpu.compiles = gpu.ahead = 0;
    w->cx.notice = count_notice;
    w->rt->cuda = &gpu.dev;
    w->rt->cuda_state = 1;
}

enum { SIDE = 64 };

/* A product large enough for a GPU, and it is there. */
static Node *product(World *w) {
    int64_t d[2] = {SIDE, SIDE};
    double v[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) v[i] = i % 5;
    Node *a = host(w, DT_f64, 2, d, v), *p;
    MUST(graph_matmul(w->rt, a, a, &p));
    MUST(exec_force(w->rt, &p, 1));
    CHECK(p->value->buf->device == w->rt->cuda);
    node_release(w->rt, a);
    return p;
}

/* No kernel compiler: the CPU does it, said once; values are fetched from the GPU. */
static void test_no_compiler(void) {
    World world, *w = &world;
    gpu_open(w);
    Node *p = product(w), *big, *twice, *t;
    double first[SIDE * SIDE], got[SIDE * SIDE];
    MUST(exec_read(w->rt, p, first));
    int swap[2] = {1, 0};
    MUST(graph_transpose(w->rt, p, swap, &t)); /* dense on the way: a kernel, if it could be */
    MUST(exec_read(w->rt, t, got));
    CHECK(gpu.notices == 1 && got[1] == first[SIDE] && got[SIDE] == first[1]);
    w->rt->cuda_state = 1;
    MUST(graph_full(w->rt, DT_f64, &(Shape){.rank = 2, .dim = {1 << 10, SIDE}},
                    &(Scalar){.kind = SC_FLOAT, .f = 2}, &big));
    MUST(graph_matmul(w->rt, big, p, &twice));
    node_release(w->rt, big);
    MUST(graph_apply(w->rt, OP_add, (Operand[]){{.node = twice}, {.node = twice}}, 2, &big));
    Node *all_of = sum_all(w, big);
    double v = number(w, all_of) / 4;
    double want = 0;
    for (int i = 0; i < SIDE * SIDE; i++) want += first[i] * 1024;
    CHECK(v == want && gpu.notices == 2);
    CHECK(!place_is_cuda(w->rt, 1 << 20));
    Node *all[] = {p, big, twice, t, all_of};
    for (int k = 0; k < 5; k++) node_release(w->rt, all[k]);
    w->rt->cuda = NULL;
    world_close(w);
}

/* T102: a GPU that does not answer any more: what lived there alone has failed, one notice, and
 * everything else goes on. */
static void test_lost(void) {
    World world, *w = &world;
    gpu_open(w);
    Node *p = product(w), *q, *far;
    gpu.lost = true;
    MUST(graph_apply(w->rt, OP_add, (Operand[]){{.node = p}, {.s = {.kind = SC_INT, .i = 1}}}, 2,
                     &q));
    MUST(graph_matmul(w->rt, q, q, &far));
    for (int turn = 0; turn < 3; turn++) {
        CHECK(exec_force(w->rt, &far, 1) == ARR_ERR_DEVICE);
        error_clear(&w->cx);
    }
    CHECK(p->state == NODE_FAILED && q->state == NODE_PENDING && gpu.notices <= 1);
    MUST(exec_flush(w->rt));
    CHECK(q->state == NODE_FAILED && far->state == NODE_FAILED && w->rt->npending == 0);
    Node *a = ramp(w, 1 << 17), *s = sum_all(w, a);
    CHECK(number(w, s) == 131071.0 * 65536);
    CHECK(gpu.notices == 1);
    MUST(exec_sync(w->rt));
    Node *all[] = {p, q, far, a, s};
    for (int k = 0; k < 5; k++) node_release(w->rt, all[k]);
    w->rt->cuda = NULL;
    world_close(w);
}

/* T86: neither scalars nor extents, 1 among them, are in a kernel's key. */
static void test_compiled_once(void) {
    World world, *w = &world;
    gpu_open(w);
    gpu.compiler = true;
    w->rt->place = PLACE_CUDA;
    for (int turn = 0; turn < 100; turn++) {
        int64_t n = turn == 50 ? 1 : 1 + turn * 1000;
        Shape s = shape_make(1, &n);
        Node *i, *x;
        MUST(graph_iota(w->rt, &s, &i));
        MUST(graph_cast(w->rt, i, DT_f64, &x));
        become(w, &x, apply_num(w, OP_mul, x, turn));
        become(w, &x, apply_num(w, OP_add, x, 1.5 * turn));
        MUST(exec_force(w->rt, &x, 1));
        become(w, &x, apply_num(w, OP_sub, x, turn + 1));
        become(w, &x, apply_num(w, OP_div, x, turn + 2));
        MUST(exec_force(w->rt, &x, 1));
        node_release(w->rt, i);
        node_release(w->rt, x);
    }
    CHECK(gpu.compiles == 2);
    kernels_close(w->rt->kernels); /* while the device is there */
    w->rt->kernels = NULL;
    w->rt->cuda = NULL;
    world_close(w);
}

static void remove_folder(const char *dir) {
    char path[600];
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        (void)unlink(path);
    }
    if (d) closedir(d);
    CHECK(rmdir(dir) == 0);
}

/* What another process has compiled is compiled no more: the compiler is not even asked for. */
static void test_warm(void) {
    char dir[] = "/tmp/arr-warm-XXXXXX";
    CHECK(mkdtemp(dir) != NULL);
    for (int turn = 0; turn < 2; turn++) {
        World world, *w = &world;
        gpu_open(w);
        snprintf(w->cx.opts.cache_dir, sizeof w->cx.opts.cache_dir, "%s", dir);
        gpu.compiler = true;
        w->rt->place = PLACE_CUDA;
        Node *x = ramp(w, 1000);
        become(w, &x, apply_num(w, OP_mul, x, 2.5));
        MUST(exec_force(w->rt, &x, 1));
        become(w, &x, sum_all(w, x));
        MUST(exec_force(w->rt, &x, 1));
        node_release(w->rt, x);
        CHECK(turn ? gpu.compiles == 0 : gpu.compiles >= 2);
        kernels_close(w->rt->kernels); /* while the device is there */
        w->rt->kernels = NULL;
        w->rt->cuda = NULL;
        world_close(w);
    }
    remove_folder(dir);
}

/* Kernels of one plan are compiled together before it runs; what that does not give, when it is
 * needed. */
/* What a user's source says of its kernels. */
static void test_signatures(void) {
    static const char source[] =
        "#define OPENS {\n"
        "extern \"C\" { int f(void) { return '}'; } }\n"
        "const char *text = \"extern \\\"C\\\" {\"; // {\n"
        "__global__ void outside(int a, float *y) {}\n"
        "extern \"C\" { namespace n { __global__ void inside(const float *x) {} } }\n"
        "extern \"C\" __global__ void itself(float *) { int n = 1'000'000; }\n"
        "__global__ void last() {}\n";
    static const struct {
        const char *name;
        int n;
        bool as_c;
    } kernels[] = {
        {"outside", 2, false}, {"inside", 1, true}, {"itself", 1, true}, {"last", 0, false}};
    UserSignature sig;
    char why[160];
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        CHECK(user_signature(source, kernels[i].name, &sig, why));
        CHECK(sig.n == kernels[i].n && sig.as_c == kernels[i].as_c);
    }
    CHECK(!user_signature(source, "f", &sig, why));
}

static void test_ahead(void) {
    World world, *w = &world;
    gpu_open(w);
    gpu.compiler = true;
    gpu.ops.compile_many = gpu_compile_many;
    w->rt->place = PLACE_CUDA;
    for (int turn = 0; turn < 4; turn++) {
        Node *root[4];
        for (int k = 0; k < 4; k++) {
            Node *a = ramp(w, 1000 + 100 * k);
            root[k] = node_retain(a);
            for (int j = 0; j <= k; j++)
                become(w, &root[k], apply_num(w, OP_mul, root[k], j + 1.5));
            if (k == 3) become(w, &root[k], sum_all(w, root[k]));
            node_release(w->rt, a);
        }
        int before = gpu.compiles;
        MUST(exec_force(w->rt, root, 4));
        CHECK(gpu.ahead == 4 && gpu.compiles - before == (turn == 0));
        for (int k = 0; k < 4; k++) node_release(w->rt, root[k]);
    }
    kernels_close(w->rt->kernels);
    w->rt->kernels = NULL;
    w->rt->cuda = NULL;
    world_close(w);
}

int main(int argc, char **argv) {
    unsigned long from = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    unsigned long to = argc > 2 ? strtoul(argv[2], NULL, 10) : from + 300;
    if (argc > 3) device = argv[3];
    test_fusion();
    test_updates();
    test_block();
    test_put();
    test_matmul();
    test_along();
    test_messages();
    test_memory();
    test_interrupt();
    test_again();
    if (strcmp(device, "cpu") == 0) {
        test_no_compiler();
        test_lost();
        test_compiled_once();
        test_signatures();
        test_ahead();
        test_warm();
    }
    test_chains();
    test_random(from, to);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
