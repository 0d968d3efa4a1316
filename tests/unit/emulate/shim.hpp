/* shim - enough of CUDA's C++ to run emitted kernels on the host: one fiber a thread, so that warps
 * and blocks can wait for one another. Pasted in front of a kernel's text by emulate.c and compiled
 * by the host's C++ compiler; slow, exact, and free of a GPU.
 * Invariant: a block runs to its end before the next one starts. */
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cfenv>
#include <tuple>
#include <utility>
#include <ucontext.h>

#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
#define __constant__
#define __restrict__
#define __launch_bounds__(...)

struct Dim3 {
    unsigned x, y, z;
};
static Dim3 blockIdx, blockDim, gridDim, threadIdx;

/* ---- fibers ---- */

namespace shim {
enum { STACK = 64 << 10, THREADS = 1024 };
struct Fiber {
    ucontext_t at;
    char *stack;
    bool done;
};
static Fiber fiber[THREADS];
static ucontext_t home;
static int current, nthread, ndone;
static int block_waiting, block_turn;
static int warp_waiting[THREADS / 32], warp_turn[THREADS / 32];
static unsigned slot[2][THREADS];
static int parity[THREADS / 32];
static void (*body)(void *);
static void *body_arg;

static void to_next() {
    int from = current;
    do current = (current + 1) % nthread;
    while (fiber[current].done && ndone < nthread);
    threadIdx = {(unsigned)current, 0, 0};
    if (ndone == nthread)
        swapcontext(&fiber[from].at, &home);
    else if (current != from)
        swapcontext(&fiber[from].at, &fiber[current].at);
    threadIdx = {(unsigned)from, 0, 0};
    current = from;
}

static void entry() {
    body(body_arg);
    fiber[current].done = true;
    ndone++;
    to_next();
}

static void run_block() {
    ndone = 0, block_waiting = block_turn = 0;
    for (int w = 0; w < THREADS / 32; w++) warp_waiting[w] = warp_turn[w] = parity[w] = 0;
    for (int t = 0; t < nthread; t++) {
        Fiber &f = fiber[t];
        if (!f.stack) f.stack = (char *)malloc(STACK);
        getcontext(&f.at);
        f.at.uc_stack.ss_sp = f.stack;
        f.at.uc_stack.ss_size = STACK;
        f.at.uc_link = nullptr;
        f.done = false;
        makecontext(&f.at, entry, 0);
    }
    current = 0;
    threadIdx = {0, 0, 0};
    swapcontext(&home, &fiber[0].at);
}

static void warp_barrier() {
    int w = current / 32, turn = warp_turn[w];
    if (++warp_waiting[w] == (nthread < 32 ? nthread : 32)) {
        warp_waiting[w] = 0;
        warp_turn[w]++;
        return;
    }
    while (warp_turn[w] == turn) to_next();
}

template <class... A, size_t... N>
static void apply(void (*f)(A...), void **p, std::index_sequence<N...>) {
    f(*(std::remove_const_t<A> *)p[N]...);
}

template <class... A> static void launch(void (*f)(A...), const unsigned *grid, const unsigned *block, void **p) {
    struct Call {
        void (*f)(A...);
        void **p;
    } call = {f, p};
    body = [](void *c) {
        Call *k = (Call *)c;
        apply(k->f, k->p, std::index_sequence_for<A...>());
    };
    body_arg = &call;
    gridDim = {grid[0], grid[1], grid[2]};
    blockDim = {block[0], block[1], block[2]};
    nthread = (int)block[0];
    for (unsigned b = 0; b < grid[0]; b++) {
        blockIdx = {b, 0, 0};
        run_block();
    }
}
} // namespace shim

static void __syncthreads() {
    int turn = shim::block_turn;
    if (++shim::block_waiting == shim::nthread - shim::ndone) {
        shim::block_waiting = 0;
        shim::block_turn++;
        return;
    }
    while (shim::block_turn == turn) shim::to_next();
}
static void __syncwarp() { shim::warp_barrier(); }
static void __threadfence() {}
static void __nanosleep(unsigned) { shim::to_next(); } /* others may post what is waited for */

/* Two barriers: all have written, all have read. */
static unsigned shim_exchange(unsigned v, int source) {
    int w = shim::current / 32;
    shim::slot[0][shim::current] = v;
    shim::warp_barrier();
    unsigned r = shim::slot[0][w * 32 + source];
    shim::warp_barrier();
    return r;
}
static unsigned __shfl_down_sync(unsigned, unsigned v, int d, int width = 32) {
    int lane = shim::current % 32, in = lane % width;
    return shim_exchange(v, in + d < width ? lane + d : lane);
}
static unsigned __shfl_up_sync(unsigned, unsigned v, int d, int width = 32) {
    int lane = shim::current % 32, in = lane % width;
    return shim_exchange(v, in - d >= 0 ? lane - d : lane);
}
static unsigned __shfl_sync(unsigned, unsigned v, int s, int width = 32) {
    int lane = shim::current % 32;
    return shim_exchange(v, lane / width * width + s % width);
}
static unsigned __ballot_sync(unsigned, int p) {
    int w = shim::current / 32;
    shim::slot[0][shim::current] = p != 0;
    shim::warp_barrier();
    unsigned r = 0;
    for (int i = 0; i < 32 && w * 32 + i < shim::nthread; i++) r |= shim::slot[0][w * 32 + i] << i;
    shim::warp_barrier();
    return r;
}
static unsigned __match_any_sync(unsigned, int v) {
    int w = shim::current / 32;
    shim::slot[0][shim::current] = (unsigned)v;
    shim::warp_barrier();
    unsigned r = 0;
    for (int i = 0; i < 32 && w * 32 + i < shim::nthread; i++)
        r |= (unsigned)(shim::slot[0][w * 32 + i] == (unsigned)v) << i;
    shim::warp_barrier();
    return r;
}
static int __popc(unsigned v) { return __builtin_popcount(v); }
static int __ffs(int v) { return __builtin_ffs(v); }
static int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }

template <class T> static T atomicCAS(T *p, T expect, T v) {
    T old = *p;
    if (old == expect) *p = v;
    return old;
}
template <class T> static T atomicExch(T *p, T v) {
    T old = *p;
    *p = v;
    return old;
}
template <class T> static T atomicAdd(T *p, T v) {
    T old = *p;
    *p = old + v;
    return old;
}
static unsigned atomicInc(unsigned *p, unsigned most) {
    unsigned old = *p;
    *p = old >= most ? 0 : old + 1;
    return old;
}
template <class T> static T atomicMax(T *p, T v) {
    T old = *p;
    if (v > old) *p = v;
    return old;
}

/* ---- intrinsics ---- */

static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static unsigned __float_as_uint(float f) {
    unsigned u;
    memcpy(&u, &f, 4);
    return u;
}
static float __uint_as_float(unsigned u) {
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static long long __double_as_longlong(double d) {
    long long u;
    memcpy(&u, &d, 8);
    return u;
}
static double __longlong_as_double(long long u) {
    double d;
    memcpy(&d, &u, 8);
    return d;
}
template <class T> static float shim_toward_zero(T v) {
    float f = (float)v;
    if (!(f - f == 0)) return f == f && v == v && (double)v - (double)v == 0 ? copysignf(3.40282347e38f, f) : f;
    long double a = fabsl((long double)f), b = fabsl((long double)v);
    return a > b ? nextafterf(f, 0.0f) : f;
}
static float __double2float_rz(double v) { return shim_toward_zero(v); }
static float __ll2float_rz(long long v) { return shim_toward_zero(v); }
static float __ull2float_rz(unsigned long long v) { return shim_toward_zero(v); }
static float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
template <class T> static T __ldcs(const T *p) { return *p; }
template <class T> static void __stcs(T *p, T v) { *p = v; }
static float sinpif(float x) { return (float)sinl(3.14159265358979323846264L * fmodl(x, 2)); }
static float cospif(float x) { return (float)cosl(3.14159265358979323846264L * fmodl(x, 2)); }
static double sinpi(double x) { return (double)sinl(3.14159265358979323846264L * fmodl(x, 2)); }
static double cospi(double x) { return (double)cosl(3.14159265358979323846264L * fmodl(x, 2)); }

/* In place of the PTX conversions (emulate.c rewrites those statements). */
static float shim_f16_value(unsigned short h) {
    unsigned s = (unsigned)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31) return __uint_as_float(s | 0x7f800000u | m << 13);
    if (e == 0) return copysignf((float)m * 5.9604644775390625e-8f, s ? -1.0f : 1.0f);
    return __uint_as_float(s | (e + 112) << 23 | m << 13);
}
static unsigned short shim_f16_bits(float f) {
    unsigned u = __float_as_uint(f), s = u >> 16 & 0x8000;
    if (f != f) return (unsigned short)(s | 0x7e00);
    float a = fabsf(f);
    if (a >= 65520.0f) return (unsigned short)(s | 0x7c00);
    if (a < 6.103515625e-5f) return (unsigned short)(s | (unsigned)nearbyintf(a * 16777216.0f));
    u = __float_as_uint(a);
    return (unsigned short)(s | ((u + 0xfff + (u >> 13 & 1)) >> 13) - (112 << 10));
}
