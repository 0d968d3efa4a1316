/* runtime - opening and closing what array work hangs on, and choosing the device.
 *
 * Callers: state open and close, the device builtin. The CPU is open from the start; a GPU is
 * opened by the first work worth it, or when it is asked for by name. Invariant: in automatic mode
 * a GPU that cannot be had costs one notice and nothing else. */
#include "runtime/device/shared.h"
#include "runtime/place.h"
#include "runtime/plan_keep.h"
#include "runtime/profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Without seed() every run draws other numbers. Where the system has none to give, the clock. */
static uint64_t system_seed(void) {
    uint64_t s;
    struct timespec t;
    if (getrandom(&s, sizeof s, GRND_NONBLOCK) == sizeof s) return s;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000007u + (uint64_t)t.tv_nsec;
}

static int place_of(const char *name) {
    return strncmp(name, "cuda", 4) == 0 ? PLACE_CUDA
           : strcmp(name, "cpu") == 0    ? PLACE_CPU
                                         : PLACE_AUTO;
}

static int index_of(const char *name) {
    const char *colon = strchr(name, ':');
    return colon ? (int)strtol(colon + 1, NULL, 10) : 0;
}

Shared *runtime_share_new(void *(*alloc)(void *, void *, size_t, size_t), void *user, int threads) {
    return shared_new(alloc, user, threads);
}
Shared *runtime_share_retain(Shared *s) { return shared_retain(s); }
void runtime_share_release(Shared *s) { shared_release(s); }
bool runtime_share_fits(const Shared *s, void *(*alloc)(void *, void *, size_t, size_t),
                        void *user) {
    return shared_fits(s, alloc, user);
}

Status runtime_open(Cx *cx, Runtime **out) {
    Runtime *rt = mem_zalloc(&cx->mem, sizeof *rt);
    *out = NULL;
    if (!rt) return error_memory(cx, sizeof *rt);
    rt->cx = cx;
    rt->flt = cx->opts.float32 ? DT_f32 : DT_f64;
    rt->seed = system_seed();
    rt->place = place_of(cx->opts.device);
    rt->cuda_index = index_of(cx->opts.device);
    Status s = device_open_cpu(cx, &rt->cpu);
    if (s == ARR_OK) s = kernels_open(cx, &rt->kernels);
    /* What cannot work is said now; what can is opened when it is needed. */
    if (s == ARR_OK && rt->place == PLACE_CUDA && !device_cuda_likely()) {
        Device *gpu;
        s = place_cuda(rt, &gpu);
    }
    if (s != ARR_OK) {
        runtime_close(rt);
        return s;
    }
    *out = rt;
    return ARR_OK;
}

static void free_spare(Runtime *rt) {
    while (rt->spare) {
        Node *n = rt->spare;
        rt->spare = n->next;
        mem_free(&rt->cx->mem, n, sizeof *n);
    }
    rt->nspare = 0;
}

bool runtime_forked(Runtime *rt) {
    if (!rt || !rt->cuda || rt->process == getpid()) return false;
    return rt->cuda->gone = true;
}

/* Plans in hand are not in the store, and blocks in use are not in the pool. */
void runtime_reclaim(Runtime *rt) {
    free_spare(rt);
    plan_store_trim(rt);
    if (rt->cpu) rt->cpu->ops->trim(rt->cpu);
}

void runtime_close(Runtime *rt) {
    if (!rt) return;
    Mem *m = &rt->cx->mem;
    assert(rt->nlive == 0);
    free_spare(rt);
    profile_free(rt);
    plan_store_close(rt);
    for (Expr *e = rt->exprs, *next; e; e = next) {
        next = e->next;
        mem_free(m, e, sizeof *e);
    }
    kernels_close(rt->kernels);
    device_close(rt->cuda);
    device_close(rt->cpu);
    mem_free(m, rt, sizeof *rt);
}

Status runtime_set_device(Runtime *rt, Span at, const char *name) {
    Cx *cx = rt->cx;
    Opts probe = cx->opts;
    if (!opts_set(&probe, "device", name))
        return error_set(cx, ARR_ERR_DEVICE, at,
                         "there is no device \"%s\": \"cpu\", \"cuda\", \"cuda:1\" or \"auto\"",
                         name);
    int place = place_of(name), index = index_of(name);
    if (place == PLACE_CUDA) {
        if (rt->cuda && rt->cuda_index != index)
            return error_set(cx, ARR_ERR_DEVICE, at,
                             "cuda:%d is in use: another GPU needs a new process", rt->cuda_index);
        int before = rt->cuda_index;
        Span span = cx->span;
        Device *gpu;
        rt->cuda_index = index;
        cx->span = at;
        Status s = place_cuda(rt, &gpu);
        cx->span = span;
        if (s != ARR_OK) {
            rt->cuda_index = before;
            return s;
        }
    }
    rt->place = place;
    cx->opts = probe;
    return ARR_OK;
}

const char *runtime_device_name(Runtime *rt, const Node *n) {
    if (n->state == NODE_DONE) return n->value->buf->device->name;
    return place_is_cuda(rt, place_node_work(n)) ? rt->cuda ? rt->cuda->name : "cuda:0"
                                                 : rt->cpu->name;
}
