/* Unit tests of lanes: independent products of a plan go to several, each after what it reads, and
 * memory that is given back waits for the join. The GPU is the CPU under another name, whose
 * products note which lane they are on and check that their operands were made before. */
#include "runtime/device/pool.h"
#include "runtime/exec.h"
#include "runtime/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static void check(bool ok, const char *what, int line) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("tests/unit/lanes.c:%d: %s\n", line, what);
    }
}
#define CHECK(e) check(e, #e, __LINE__)

/* ---- a GPU with lanes ---- */

enum { WRITES = 256, FREED = 4096 };

static struct {
    Device dev;
    DeviceOps ops;
    const DeviceOps *cpu;
    bool open;
    int now, opened, joined, follows, products, side; /* side: products on other lanes than 0 */
    int given[DEV_LANES], seen[DEV_LANES][DEV_LANES];
    struct {
        const void *p;
        int lane, number;
    } write[WRITES]; /* since lanes were opened */
    int nwrite, unordered;
    struct {
        void *p;
        size_t n;
    } freed[FREED]; /* while they are */
    int nfreed;
} gpu;

static Status lanes_open_(Device *d) {
    (void)d;
    CHECK(!gpu.open && gpu.now == 0);
    gpu.open = true;
    gpu.opened++;
    gpu.nwrite = 0;
    memset(gpu.given, 0, sizeof gpu.given);
    memset(gpu.seen, 0, sizeof gpu.seen);
    return ARR_OK;
}
static Status lane_use(Device *d, int lane) {
    (void)d;
    CHECK(gpu.open && lane >= 0 && lane < DEV_LANES);
    gpu.now = lane;
    return ARR_OK;
}
static Status lane_follow(Device *d, int lane) {
    (void)d;
    CHECK(gpu.open && lane != gpu.now);
    gpu.follows++;
    gpu.seen[gpu.now][lane] = gpu.given[lane];
    for (int i = 0; i < DEV_LANES; i++)
        if (gpu.seen[lane][i] > gpu.seen[gpu.now][i]) gpu.seen[gpu.now][i] = gpu.seen[lane][i];
    return ARR_OK;
}
static void lanes_join(Device *d) {
    gpu.joined += gpu.open;
    gpu.open = false;
    gpu.now = 0;
    while (gpu.nfreed > 0) {
        gpu.nfreed--;
        gpu.cpu->release(d, gpu.freed[gpu.nfreed].p, gpu.freed[gpu.nfreed].n);
    }
}
static int64_t lanes_held(Device *d) { return (void)d, 0; }

static void gpu_release(Device *d, void *p, size_t n) {
    if (!gpu.open || gpu.nfreed == FREED) {
        gpu.cpu->release(d, p, n);
        return;
    }
    gpu.freed[gpu.nfreed].p = p;
    gpu.freed[gpu.nfreed++].n = n;
}

static void check_read(const void *p) {
    for (int i = 0; i < gpu.nwrite; i++) {
        if (gpu.write[i].p != p || gpu.write[i].lane == gpu.now) continue;
        if (gpu.write[i].number > gpu.seen[gpu.now][gpu.write[i].lane]) gpu.unordered++;
    }
}

static Status gpu_matmul(Device *d, const DevMatmul *m) {
    gpu.products++;
    if (gpu.open) {
        check_read(m->a);
        check_read(m->b);
        gpu.side += gpu.now != 0;
        gpu.write[gpu.nwrite].p = m->c;
        gpu.write[gpu.nwrite].lane = gpu.now;
        gpu.write[gpu.nwrite++].number = ++gpu.given[gpu.now];
    }
    return gpu.cpu->matmul(d, m);
}
static void gpu_close(Device *d) { (void)d; }

/* ---- states ---- */

typedef struct World {
    Cx cx;
    Runtime *rt;
} World;

static void world_open(World *w, const char *streams) {
    memset(w, 0, sizeof *w);
    memset(&gpu, 0, sizeof gpu);
    mem_init(&w->cx.mem, NULL, NULL);
    opts_init(&w->cx.opts);
    opts_set(&w->cx.opts, "streams", streams);
    w->cx.opts.threads = 1;
    if (runtime_open(&w->cx, &w->rt) != ARR_OK) exit(1);
    gpu.cpu = w->rt->cpu->ops;
    gpu.dev = *w->rt->cpu;
    gpu.ops = *gpu.cpu;
    gpu.ops.kind = "cuda";
    gpu.ops.close = gpu_close;
    gpu.ops.release = gpu_release;
    gpu.ops.matmul = gpu_matmul;
    gpu.ops.lanes_open = lanes_open_;
    gpu.ops.lane_use = lane_use;
    gpu.ops.lane_follow = lane_follow;
    gpu.ops.lanes_join = lanes_join;
    gpu.ops.lanes_held = lanes_held;
    gpu.dev.ops = &gpu.ops;
    w->rt->cuda = &gpu.dev;
    w->rt->cuda_state = 1;
    w->rt->place = PLACE_CUDA;
}

static void world_close(World *w) {
    kernels_close(w->rt->kernels); /* while the device is there */
    w->rt->kernels = NULL;
    CHECK(!gpu.open && gpu.nfreed == 0);
    w->rt->cuda = NULL;
    CHECK(w->rt->nlive == 0);
    runtime_close(w->rt);
    CHECK(atomic_load(&w->cx.mem.live) == 0);
}

static void must(World *w, Status s, int line) {
    if (s == ARR_OK) return;
    failed++;
    printf("tests/unit/lanes.c:%d: %s\n", line, w->cx.err.message);
    exit(1);
}
#define MUST(e) must(w, e, __LINE__)

enum { SIDE = 104, BASES = 4, STEPS = 14, TURNS = 60 };

static uint64_t rng;
static uint32_t rnd(uint32_t n) {
    rng ^= rng << 13, rng ^= rng >> 7, rng ^= rng << 17;
    return (uint32_t)(rng >> 20) % n;
}

static Node *matrix(World *w, int k) {
    Shape s = {.rank = 2, .dim = {SIDE, SIDE}};
    static float v[SIDE * SIDE];
    Node *n;
    Array *a;
    for (int i = 0; i < SIDE * SIDE; i++) v[i] = (float)((i * 7 + k * 3) % 5 - 2) / 64;
    MUST(array_from_host(&w->cx, &gpu.dev, DT_f32, &s, v, &a));
    MUST(graph_leaf(w->rt, a, &n));
    return n;
}

static Node *apply(World *w, Op op, Node *a, Node *b) {
    Operand in[2] = {{.node = a}, {.node = b}};
    Node *n;
    MUST(graph_apply(w->rt, op, in, 2, &n));
    return n;
}

/* A random graph of products and sums; the roots' elements one after another. */
static float *random_graph(World *w, unsigned seed, int *nroot) {
    Node *node[BASES + STEPS], *root[BASES + STEPS];
    int n = 0;
    rng = 0x9e3779b97f4a7c15u * (seed + 1);
    for (; n < BASES; n++) node[n] = matrix(w, n);
    for (; n < BASES + STEPS; n++) {
        Node *a = node[rnd((uint32_t)n)], *b = node[rnd((uint32_t)n)];
        if (rnd(3) == 0)
            node[n] = apply(w, OP_add, a, b);
        else
            MUST(graph_matmul(w->rt, a, b, &node[n]));
    }
    *nroot = 1 + (int)rnd(4);
    for (int i = 0; i < *nroot; i++) root[i] = node[n - 1 - i];
    for (int i = 0; i < n - *nroot; i++) /* some stay held */
        if (rnd(4)) node_release(w->rt, node[i]), node[i] = NULL;
    MUST(exec_force(w->rt, root, *nroot));
    CHECK(!gpu.open && gpu.now == 0);
    float *got = malloc((size_t)*nroot * SIDE * SIDE * sizeof *got);
    for (int i = 0; i < *nroot; i++) MUST(exec_read(w->rt, root[i], got + (size_t)i * SIDE * SIDE));
    for (int i = 0; i < n; i++)
        if (node[i]) node_release(w->rt, node[i]);
    return got;
}

static void test_random(void) {
    World world, *w = &world;
    float *want[TURNS], *got;
    int nroot;
    world_open(w, "1");
    for (int i = 0; i < TURNS; i++) want[i] = random_graph(w, (unsigned)i / 2, &nroot);
    CHECK(gpu.opened == 0);
    world_close(w);
    world_open(w, "2");
    for (int i = 0; i < TURNS; i++) { /* each twice: plans are kept */
        got = random_graph(w, (unsigned)i / 2, &nroot);
        CHECK(memcmp(got, want[i], (size_t)nroot * SIDE * SIDE * sizeof *got) == 0);
        free(got);
        free(want[i]);
    }
    CHECK(gpu.unordered == 0);
    CHECK(gpu.opened == gpu.joined && gpu.opened > TURNS / 2 && gpu.side > TURNS);
    world_close(w);
}

/* One chain stays where it is; two products overlap, and their sum waits for both. */
static void test_choice(void) {
    World world, *w = &world;
    Node *a, *b, *p, *q, *s;
    world_open(w, "2");
    a = matrix(w, 0), b = matrix(w, 1);
    MUST(graph_matmul(w->rt, a, b, &p));
    MUST(graph_matmul(w->rt, p, b, &q));
    MUST(exec_force(w->rt, &q, 1));
    CHECK(gpu.opened == 0 && gpu.products == 2);
    node_release(w->rt, p);
    node_release(w->rt, q);
    MUST(graph_matmul(w->rt, a, b, &p));
    MUST(graph_matmul(w->rt, b, a, &q));
    s = apply(w, OP_add, p, q);
    MUST(exec_force(w->rt, &s, 1));
    CHECK(gpu.opened == 1 && gpu.joined == 1 && gpu.side == 1 && gpu.follows == 1);
    CHECK(gpu.products == 4 && gpu.unordered == 0);
    for (Node **n = (Node *[]){a, b, p, q, s, NULL}; *n; n++) node_release(w->rt, *n);
    world_close(w);
}

/* ---- the pool ---- */

static void *raw_alloc(void *user, size_t bytes) { return (void)user, malloc(bytes); }
static void raw_free(void *user, void *p, size_t bytes) { (void)user, (void)bytes, free(p); }

static void test_pool(void) {
    Cx cx;
    DevStats stats = {0};
    Pool *pool;
    int64_t clock = 5;
    void *p, *q, *again;
    PoolRaw raw = {raw_alloc, raw_free, NULL, NULL, false, &clock};
    memset(&cx, 0, sizeof cx);
    mem_init(&cx.mem, NULL, NULL);
    if (pool_new(&cx, raw, &stats, &pool) != ARR_OK) exit(1);
    CHECK(pool_take(pool, 1000, &p) == ARR_OK && pool_taken_at(pool) == -1);
    pool_give(pool, p, 1000);
    clock = 6;
    CHECK(pool_take(pool, 1000, &again) == ARR_OK && again == p && pool_taken_at(pool) == 5);
    pool_hold(pool, true);
    pool_give(pool, p, 1000);
    CHECK(pool_held(pool) > 0 && stats.bytes_used == 0);
    CHECK(pool_take(pool, 1000, &q) == ARR_OK && q != p && pool_taken_at(pool) == -1);
    pool_give(pool, q, 1000);
    clock = 9;
    pool_hold(pool, false);
    CHECK(pool_held(pool) == 0);
    CHECK(pool_take(pool, 1000, &again) == ARR_OK && pool_taken_at(pool) == 9);
    CHECK(again == p || again == q);
    pool_hold(pool, true);
    pool_give(pool, again, 1000);
    pool_trim(pool, 0); /* what is held is memory too */
    CHECK(stats.bytes_cached == 0 && pool_held(pool) == 0);
    pool_hold(pool, false);
    pool_free(pool);
    CHECK(atomic_load(&cx.mem.live) == 0);
}

int main(void) {
    test_pool();
    test_choice();
    test_random();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
