/* prelude - what emitted kernels call beside kernels/scalar.h: index arithmetic, memory, random
 * words, casts, reduction states. emit_pick copies the parts that a kernel uses and what those use,
 * so each definition stands alone and there are no macros here.
 * Integer types are spelled by scalar.h: xi64 is a signed 64-bit integer, and so on. */

/* ---- index arithmetic: n / d by a multiplication (Granlund and Montgomery), 0 <= n < 2^31 or
 * 2^63: magic m and shift h come from the host, emit_args.c divider() ---- */

static __device__ __forceinline__ xi32 quot(xi32 n, xu32 m, xi32 h) {
    return (xi32)((__umulhi((xu32)n, m) + (xu32)n) >> h);
}

static __device__ __forceinline__ xi64 quot(xi64 n, xu64 m, xi32 h) {
    return (xi64)((__umul64hi((xu64)n, m) + (xu64)n) >> h);
}

/* ---- memory: vectors of V elements, as wide as the hardware moves (16 bytes) ---- */

template <int V, class T> struct alignas(sizeof(T) * V < 16 ? sizeof(T) * V : 16) Pack {
    T at[V];
};

/* n elements from p (at most V, may be 0 or less); in place of missing ones stands the first, or
 * zero where there is none: nobody uses them, and the compiler is spared a branch an element. */
template <int V, class T>
static __device__ __forceinline__ void load(T *x, const T *p, xi64 n, bool vector) {
    if (vector && n >= V) {
        const Pack<V, T> q = *(const Pack<V, T> *)p;
#pragma unroll
        for (int e = 0; e < V; e++) x[e] = q.at[e];
    } else if (n > 0) {
#pragma unroll
        for (int e = 0; e < V; e++) x[e] = p[e < n ? e : 0];
    } else {
#pragma unroll
        for (int e = 0; e < V; e++) x[e] = T{};
    }
}

template <int V, class T, class I>
static __device__ __forceinline__ void load_at(T *x, const T *p, const I *o, xi64 n, bool vector) {
    if (vector && n >= V) {
        load<V>(x, p + o[0], V, true);
    } else if (n > 0) {
#pragma unroll
        for (int e = 0; e < V; e++) x[e] = p[o[e < n ? e : 0]];
    } else {
#pragma unroll
        for (int e = 0; e < V; e++) x[e] = T{};
    }
}

template <int V, class T>
static __device__ __forceinline__ void store(T *p, const T *y, xi64 n, bool vector) {
    if (vector && n >= V) {
        Pack<V, T> q;
#pragma unroll
        for (int e = 0; e < V; e++) q.at[e] = y[e];
        *(Pack<V, T> *)p = q;
    } else {
#pragma unroll
        for (int e = 0; e < V; e++)
            if (e < n) p[e] = y[e];
    }
}

template <int V, class T, class I>
static __device__ __forceinline__ void store_at(T *p, const I *o, const T *y, xi64 n, bool vector) {
    if (vector && n >= V) {
        store<V>(p + o[0], y, V, true);
    } else {
#pragma unroll
        for (int e = 0; e < V; e++)
            if (e < n) p[o[e]] = y[e];
    }
}

/* From memory to shared memory, both aligned to N bytes: 4, 8 or 16. */
template <int N> static __device__ __forceinline__ void copy_ahead(void *to, const void *from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const xu32 at = (xu32)__cvta_generic_to_shared(to);
    if constexpr (N == 16) /* beside the first cache, of which little is left: a quarter faster */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(N));
#else
    *(Pack<N, xu8> *)to = *(const Pack<N, xu8> *)from;
#endif
}

/* A thread's copies are there. */
static __device__ __forceinline__ void fetched() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* A chunk's elements on their way to shared memory, a thread's vectors by the thread itself. */
template <int V, class T>
static __device__ __forceinline__ void fetch(T *to, const T *from, int t, int length, bool vector) {
    enum { BYTES = sizeof(T) * V, PIECE = BYTES < 16 ? BYTES : 16 };
    if (vector && length % V == 0) {
#pragma unroll 8
        for (int at = V * t; at < length; at += V * 32)
#pragma unroll
            for (int k = 0; k < BYTES; k += PIECE)
                copy_ahead<PIECE>((xu8 *)(to + at) + k, (const xu8 *)(from + at) + k);
    } else {
#pragma unroll 1
        for (int at = V * t; at < length; at += V * 32)
#pragma unroll
            for (int e = at; e < at + V; e++)
                if (e < length) to[e] = from[e];
    }
}

/* The same of what is not wanted again, and need not stay in the caches. */
template <int V, class T>
static __device__ __forceinline__ void load_last(T *x, const T *p, xi64 n, bool vector) {
    if (sizeof(T) * V == 16 && vector && n >= V) {
        union {
            xu32 word[4];
            T at[16 / sizeof(T)];
        } q;
        asm("ld.global.lu.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(q.word[0]), "=r"(q.word[1]), "=r"(q.word[2]), "=r"(q.word[3])
            : "l"(p));
#pragma unroll
        for (int e = 0; e < V; e++) x[e] = q.at[e];
    } else {
        load<V>(x, p, n, vector);
    }
}

template <int V, class T>
static __device__ __forceinline__ void store_last(T *p, const T *y, xi64 n, bool vector) {
    if (sizeof(T) * V == 16 && vector && n >= V) {
        union {
            xu32 word[4];
            T at[16 / sizeof(T)];
        } q;
#pragma unroll
        for (int e = 0; e < V; e++) q.at[e] = y[e];
        asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(q.word[0]),
                     "r"(q.word[1]), "r"(q.word[2]), "r"(q.word[3])
                     : "memory");
    } else {
        store<V>(p, y, n, vector);
    }
}

/* ---- gathers: an index out of range is noted and reads nothing ---- */

/* record: position, index, length, lock. The lowest position stays, so that the report does not
 * depend on timing; the lock is taken only while the position still falls. */
static __device__ __noinline__ void note_fault(xi64 *record, xi64 position, xi64 index, xi64 length) {
    volatile xi64 *now = record;
    if (now[0] <= position) return;
    while (atomicCAS((xu64 *)record + 3, 0ull, 1ull) != 0ull) continue;
    __threadfence();
    if (position < now[0]) {
        now[1] = index;
        now[2] = length;
        now[0] = position;
    }
    __threadfence();
    atomicExch((xu64 *)record + 3, 0ull);
}

template <class T>
static __device__ __forceinline__ T gather(const T *p, xi64 index, xi64 stride, xi64 length, bool on,
                                           xi64 position, xi64 *record) {
    const xi64 at = index < 0 ? index + length : index;
    if (!on) return T{};
    if ((xu64)at >= (xu64)length) {
        note_fault(record, position, index, length);
        return T{};
    }
    return p[at * stride];
}

template <class T, class F> static __device__ __forceinline__ T same_bits(F v) {
    union {
        F from;
        T to;
    } u;
    u.from = v;
    return u.to;
}

/* ---- halves: one rounding, from the exact value ---- */

static __device__ __forceinline__ xf32 f16_value(xu16 h) {
    xf32 f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}

static __device__ __forceinline__ xu16 f16_bits(xf32 f) {
    xu16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}

static __device__ __forceinline__ xf32 bf16_value(xu16 h) { return __uint_as_float((xu32)h << 16); }

static __device__ __forceinline__ xu16 bf16_bits(xf32 f) {
    const xu32 u = __float_as_uint(f);
    return f != f ? (xu16)(u >> 16 | 0x40) : (xu16)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

static __device__ __forceinline__ xf32 f16_round(xf32 f) { return f16_value(f16_bits(f)); }

static __device__ __forceinline__ xf32 bf16_round(xf32 f) { return bf16_value(bf16_bits(f)); }

/* 2^s times the largest of some absolute values, whose bits these are, lies in [2^14, 2^15); 0 where
 * it is 0 or not finite. */
static __device__ __forceinline__ xi32 split_power(xu32 bits) {
    const xi32 below = (xi32)(__float_as_uint((xf32)bits) >> 23) - (127 + 149);
    if (bits == 0u || bits >= 0x7f800000u) return 0;
    return 14 - (bits >> 23 ? (xi32)(bits >> 23) - 127 : below);
}

/* 2^s f as a half and, above it, the half nearest to what is left. */
static __device__ __forceinline__ xu32 split_parts(xf32 f, xi32 s) {
    const xi32 h = s / 2; /* 2^s may be no f32 */
    const xf32 v = f * __uint_as_float((xu32)(127 + h) << 23) *
                   __uint_as_float((xu32)(127 + s - h) << 23);
    const xu16 high = f16_bits(v);
    return (xu32)high | (xu32)f16_bits(v - f16_value(high)) << 16;
}

/* To f32 by truncation with the last bit set where anything was lost (round to odd): a second
 * rounding to 11 or 8 bits then sees on which side of the middle the exact value lay. */
static __device__ __forceinline__ xf32 odd_f32(xf64 v) {
    const xf32 f = __double2float_rz(v);
    return v == v && (xf64)f != v ? __uint_as_float(__float_as_uint(f) | 1u) : f;
}

static __device__ __forceinline__ xf32 odd_f32(xi64 v) {
    const xf32 f = __ll2float_rz(v);
    return (xi64)f != v ? __uint_as_float(__float_as_uint(f) | 1u) : f;
}

static __device__ __forceinline__ xf32 odd_f32(xu64 v) {
    const xf32 f = __ull2float_rz(v);
    return (xu64)f != v ? __uint_as_float(__float_as_uint(f) | 1u) : f;
}

/* ---- float to integer: truncate, saturate, nan is 0 ---- */

template <class T, class F>
static __device__ __forceinline__ T saturate(F v, F low, F high, T least, T most) {
    return v != v ? (T)0 : v <= low ? least : v >= high ? most : (T)v;
}

template <class F> static __device__ __forceinline__ xi8 to_i8(F v) {
    return (xi8)saturate<xi32>(v, (F)-128.0, (F)128.0, -128, 127);
}

template <class F> static __device__ __forceinline__ xi16 to_i16(F v) {
    return (xi16)saturate<xi32>(v, (F)-32768.0, (F)32768.0, -32768, 32767);
}

template <class F> static __device__ __forceinline__ xi32 to_i32(F v) {
    return saturate<xi32>(v, (F)-2147483648.0, (F)2147483648.0, -2147483647 - 1, 2147483647);
}

template <class F> static __device__ __forceinline__ xi64 to_i64(F v) {
    return saturate<xi64>(v, (F)-9223372036854775808.0, (F)9223372036854775808.0,
                          -9223372036854775807ll - 1, 9223372036854775807ll);
}

template <class F> static __device__ __forceinline__ xu8 to_u8(F v) {
    return (xu8)saturate<xu32>(v, (F)0, (F)256.0, 0u, 255u);
}

template <class F> static __device__ __forceinline__ xu16 to_u16(F v) {
    return (xu16)saturate<xu32>(v, (F)0, (F)65536.0, 0u, 65535u);
}

template <class F> static __device__ __forceinline__ xu32 to_u32(F v) {
    return saturate<xu32>(v, (F)0, (F)4294967296.0, 0u, 4294967295u);
}

template <class F> static __device__ __forceinline__ xu64 to_u64(F v) {
    return saturate<xu64>(v, (F)0, (F)18446744073709551616.0, 0ull, 18446744073709551615ull);
}

/* ---- Philox4x32-10 as cuRAND's host generator orders it ---- */

struct Quad {
    xu32 w0, w1, w2, w3;
};

static __device__ __forceinline__ Quad philox(xu64 key, xu64 quad, xu32 attempt) {
    xu32 a = (xu32)(quad >> 16), b = 0, c = (xu32)quad & 0xffffu, d = attempt;
    xu32 k = (xu32)key, l = (xu32)(key >> 32);
#pragma unroll
    for (int i = 0; i < 10; i++) {
        const xu32 ph = __umulhi(0xD2511F53u, a), pl = 0xD2511F53u * a;
        const xu32 qh = __umulhi(0xCD9E8D57u, c), ql = 0xCD9E8D57u * c;
        a = qh ^ b ^ k, b = ql, c = ph ^ d ^ l, d = pl;
        k += 0x9E3779B9u, l += 0xBB67AE85u;
    }
    return Quad{a, b, c, d};
}

static __device__ __forceinline__ xu32 pick(Quad q, int lane) {
    const xu32 lo = lane & 1 ? q.w1 : q.w0, hi = lane & 1 ? q.w3 : q.w2;
    return lane & 2 ? hi : lo;
}

static __device__ __forceinline__ xu64 join_words(xu32 low, xu32 high) { return (xu64)high << 32 | low; }

/* A draw is a struct: PER elements come from one quad (quads holds them in order). */

struct DrawWords32 {
    enum { PER = 4 };
    typedef xu32 T;
    static __device__ __forceinline__ void quads(Quad q, T *x) {
        x[0] = q.w0, x[1] = q.w1, x[2] = q.w2, x[3] = q.w3;
    }
};

struct DrawKeys64 {
    enum { PER = 2 };
    typedef xu64 T;
    static __device__ __forceinline__ void quads(Quad q, T *x) {
        x[0] = join_words(q.w0, q.w1), x[1] = join_words(q.w2, q.w3);
    }
};

struct DrawUniform_f32 {
    enum { PER = 4 };
    typedef xf32 T;
    static __device__ __forceinline__ T one(xu32 w) { return (xf32)(w >> 8) * 5.9604644775390625e-08f; }
    static __device__ __forceinline__ void quads(Quad q, T *x) {
        x[0] = one(q.w0), x[1] = one(q.w1), x[2] = one(q.w2), x[3] = one(q.w3);
    }
};

struct DrawUniform_f16 {
    enum { PER = 4 };
    typedef xf32 T;
    static __device__ __forceinline__ T one(xu32 w) { return (xf32)(w >> 21) * 0.00048828125f; }
    static __device__ __forceinline__ void quads(Quad q, T *x) {
        x[0] = one(q.w0), x[1] = one(q.w1), x[2] = one(q.w2), x[3] = one(q.w3);
    }
};

struct DrawUniform_bf16 {
    enum { PER = 4 };
    typedef xf32 T;
    static __device__ __forceinline__ T one(xu32 w) { return (xf32)(w >> 24) * 0.00390625f; }
    static __device__ __forceinline__ void quads(Quad q, T *x) {
        x[0] = one(q.w0), x[1] = one(q.w1), x[2] = one(q.w2), x[3] = one(q.w3);
    }
};

struct DrawUniform_f64 {
    enum { PER = 2 };
    typedef xf64 T;
    static __device__ __forceinline__ T one(xu64 w) {
        return (xf64)(w >> 11) * 1.1102230246251565404e-16;
    }
    static __device__ __forceinline__ void quads(Quad q, T *x) {
        x[0] = one(join_words(q.w0, q.w1)), x[1] = one(join_words(q.w2, q.w3));
    }
};

/* u in (0, 1]: never 0, so that its logarithm is finite. */
static __device__ __forceinline__ xf32 open_unit(xu32 w) {
    return ((xf32)w + 0.5f) * 2.3283064365386962891e-10f;
}

static __device__ __forceinline__ xf64 open_unit(xu64 w) {
    return ((xf64)w + 0.5) * 5.4210108624275221700e-20;
}

struct DrawExponential_f32 {
    enum { PER = 4 };
    typedef xf32 T;
    static __device__ __forceinline__ T one(xu32 w) { return -x_log(open_unit(w)); }
    static __device__ __forceinline__ void quads(Quad q, T *x) {
        x[0] = one(q.w0), x[1] = one(q.w1), x[2] = one(q.w2), x[3] = one(q.w3);
    }
};

struct DrawExponential_f64 {
    enum { PER = 2 };
    typedef xf64 T;
    static __device__ __forceinline__ T one(xu64 w) { return -x_log(open_unit(w)); }
    static __device__ __forceinline__ void quads(Quad q, T *x) {
        x[0] = one(join_words(q.w0, q.w1)), x[1] = one(join_words(q.w2, q.w3));
    }
};

/* The logarithm of a normal number, within 0.86 ulp: exponent, and a polynomial of the mantissa
 * in [2/3, 4/3). */
static __device__ __forceinline__ xf32 log_normal(xf32 a) {
    const xu32 e = (__float_as_uint(a) - 0x3f2aaaabu) & 0xff800000u;
    const xf32 m = __uint_as_float(__float_as_uint(a) - e) - 1.0f, s = m * m;
    xf32 r = __fmaf_rn(-0.130310059f, s, -0.121483512f), t = __fmaf_rn(0.140869141f, s, 0.139814854f);
    r = __fmaf_rn(r, s, -0.166846126f);
    t = __fmaf_rn(t, s, 0.200120345f);
    r = __fmaf_rn(r, s, -0.249996200f);
    r = __fmaf_rn(t, m, r);
    r = __fmaf_rn(r, m, 0.333331972f);
    r = __fmaf_rn(r, m, -0.5f);
    r = __fmaf_rn(r, s, m);
    return __fmaf_rn((xf32)(xi32)e * 1.1920928955078125e-07f, 0.693147182f, r);
}

/* The root of 0 or a number far from both ends of the range, rounded correctly. */
static __device__ __forceinline__ xf32 sqrt_normal(xf32 x) {
    const xf32 above = x + 1.2e-38f; /* x itself, but for 0 */
    xf32 r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(above));
    const xf32 g = x * r;
    return __fmaf_rn(__fmaf_rn(-g, g, x), 0.5f * r, g);
}

/* cos and sin of pi x, 0 <= x <= 2, within 0.97 ulp: the nearest quarter turn is taken away
 * exactly. */
static __device__ __forceinline__ void turn(xf32 x, xf32 *cosine, xf32 *sine) {
    const xf32 t = __fmaf_rn(x, 2.0f, 12582912.0f);
    const xu32 q = __float_as_uint(t); /* its low bits count the quarters */
    const xf32 y = __fmaf_rn(t - 12582912.0f, -0.5f, x), s = y * y;
    xf32 c = __fmaf_rn(0.231384277f, s, -1.33502197f), r = __fmaf_rn(-0.595703125f, s, 2.55039954f);
    c = __fmaf_rn(c, s, 4.05870390f);
    r = __fmaf_rn(r, s, -5.16772413f);
    c = __fmaf_rn(c, s, -4.93480206f);
    r = y * s * r;
    c = __fmaf_rn(c, s, 1.0f);
    r = __fmaf_rn(y, 3.14159274f, r);
    const xu32 a = __float_as_uint(q & 1u ? r : c), b = __float_as_uint(q & 1u ? c : r);
    *cosine = __uint_as_float(a ^ ((q + 1u) << 30 & 0x80000000u));
    *sine = __uint_as_float(b ^ (q << 30 & 0x80000000u));
}

struct DrawNormal_f32 {
    enum { PER = 4 };
    typedef xf32 T;
    static __device__ __forceinline__ void pair(xu32 u, xu32 v, T *x) {
        const xf32 r = sqrt_normal(-2.0f * log_normal(open_unit(u)));
        xf32 c, s;
        turn((xf32)v * 4.6566128730773925781e-10f, &c, &s);
        x[0] = r * c, x[1] = r * s;
    }
    static __device__ __forceinline__ void quads(Quad q, T *x) {
        pair(q.w0, q.w1, x);
        pair(q.w2, q.w3, x + 2);
    }
};

struct DrawNormal_f64 {
    enum { PER = 2 };
    typedef xf64 T;
    static __device__ __forceinline__ void quads(Quad q, T *x) {
        const xf64 r = x_sqrt(-2.0 * x_log(open_unit(join_words(q.w0, q.w1))));
        const xf64 angle = (xf64)join_words(q.w2, q.w3) * 1.0842021724855044340e-19;
        x[0] = r * x_cospi(angle), x[1] = r * x_sinpi(angle);
    }
};

/* Element n of a draw. */
template <class D> static __device__ __forceinline__ typename D::T draw(xu64 key, xi64 n) {
    typename D::T x[D::PER];
    D::quads(philox(key, (xu64)n / D::PER, 0u), x);
    typename D::T r = x[0];
#pragma unroll
    for (int i = 1; i < D::PER; i++)
        if ((int)(n % D::PER) == i) r = x[i];
    return r;
}

/* Elements n, n + 1, ... of a draw; whole: n and V are multiples of PER. The other branch computes
 * one at a time and shifts it in, which keeps x in registers. */
template <class D, int V>
static __device__ __forceinline__ void draws(typename D::T *x, xu64 key, xi64 n, bool whole) {
    if (V % D::PER == 0 && whole) {
#pragma unroll
        for (int e = 0; e < V; e += D::PER)
            D::quads(philox(key, (xu64)(n + e) / D::PER, 0u), x + e);
    } else {
#pragma unroll 1
        for (int e = 0; e < V; e++) {
            const typename D::T r = draw<D>(key, n + e);
#pragma unroll
            for (int k = 0; k + 1 < V; k++) x[k] = x[k + 1];
            x[V - 1] = r;
        }
    }
}

/* low + [0, range), unbiased: the high half of range * word, drawn again (attempt t in the last
 * counter word) where the low half falls among the few products that would be too many. range 0
 * means 2^64. */
static __device__ __forceinline__ xi64 draw_randint(xu64 key, xi64 n, xi64 low, xu64 range) {
    if (range == 0 || range > 0x100000000ull) {
        const xu64 unfair = range == 0 ? 0 : (0 - range) % range;
        for (xu32 t = 0;; t++) {
            const Quad q = philox(key, (xu64)n / 2, t);
            const xu64 w = n & 1 ? join_words(q.w2, q.w3) : join_words(q.w0, q.w1);
            if (range == 0) return (xi64)((xu64)low + w);
            if (w * range >= unfair) return (xi64)((xu64)low + __umul64hi(w, range));
        }
    }
    const xu32 unfair = range == 0x100000000ull ? 0u : (xu32)(0 - (xu32)range) % (xu32)range;
    for (xu32 t = 0;; t++) {
        const xu64 w = pick(philox(key, (xu64)n / 4, t), (int)(n & 3));
        const xu64 product = w * range;
        if ((xu32)product >= unfair) return (xi64)((xu64)low + (product >> 32));
    }
}

/* ---- across a group of threads of a warp: the value of the thread d further on ---- */

static __device__ __forceinline__ xi32 further(xi32 v, int d, int group) {
    return (xi32)__shfl_down_sync(0xffffffffu, (xu32)v, d, group);
}

static __device__ __forceinline__ xi64 further(xi64 v, int d, int group) {
    const xu32 low = __shfl_down_sync(0xffffffffu, (xu32)v, d, group);
    const xu32 high = __shfl_down_sync(0xffffffffu, (xu32)((xu64)v >> 32), d, group);
    return (xi64)((xu64)high << 32 | low);
}

static __device__ __forceinline__ xu64 further(xu64 v, int d, int group) {
    return (xu64)further((xi64)v, d, group);
}

static __device__ __forceinline__ xu32 further(xu32 v, int d, int group) {
    return __shfl_down_sync(0xffffffffu, v, d, group);
}

static __device__ __forceinline__ xi8 further(xi8 v, int d, int group) {
    return (xi8)further((xi32)v, d, group);
}

static __device__ __forceinline__ xi16 further(xi16 v, int d, int group) {
    return (xi16)further((xi32)v, d, group);
}

static __device__ __forceinline__ xu8 further(xu8 v, int d, int group) {
    return (xu8)further((xi32)v, d, group);
}

static __device__ __forceinline__ xu16 further(xu16 v, int d, int group) {
    return (xu16)further((xi32)v, d, group);
}

static __device__ __forceinline__ xbool further(xbool v, int d, int group) {
    return further((xi32)v, d, group) != 0;
}

static __device__ __forceinline__ xf32 further(xf32 v, int d, int group) {
    return __uint_as_float(further(__float_as_uint(v), d, group));
}

static __device__ __forceinline__ xf64 further(xf64 v, int d, int group) {
    return __longlong_as_double(further((xi64)__double_as_longlong(v), d, group));
}

static __device__ __forceinline__ xc64 further(xc64 v, int d, int group) {
    return xc64{further(v.re, d, group), further(v.im, d, group)};
}

static __device__ __forceinline__ xc128 further(xc128 v, int d, int group) {
    return xc128{further(v.re, d, group), further(v.im, d, group)};
}

/* ---- reduction states ----
 * first: a lane's first element; next: a later one, after `before` others; join: two lanes or
 * chunks. r is the element's C-order index among the reduced axes. */

template <class A> struct StateSum {
    A v;
    __device__ __forceinline__ void empty() { v = A{}; }
    __device__ __forceinline__ void first(A x, xi64) { v = x; }
    __device__ __forceinline__ void next(A x, xi64, xi64) { v = x_add(v, x); }
    __device__ __forceinline__ StateSum further_on(int d, int group) const {
        return {further(v, d, group)};
    }
    __device__ __forceinline__ void join(const StateSum &b) { v = x_add(v, b.v); }
};

template <class A> struct StateProd {
    A v;
    __device__ __forceinline__ void empty() { v = x_one(A{}); }
    __device__ __forceinline__ void first(A x, xi64) { v = x; }
    __device__ __forceinline__ void next(A x, xi64, xi64) { v = x_mul(v, x); }
    __device__ __forceinline__ StateProd further_on(int d, int group) const {
        return {further(v, d, group)};
    }
    __device__ __forceinline__ void join(const StateProd &b) { v = x_mul(v, b.v); }
};

struct StateAny {
    xi32 v;
    __device__ __forceinline__ void empty() { v = 0; }
    __device__ __forceinline__ void first(bool x, xi64) { v = x; }
    __device__ __forceinline__ void next(bool x, xi64, xi64) { v |= (xi32)x; }
    __device__ __forceinline__ StateAny further_on(int d, int group) const {
        return {further(v, d, group)};
    }
    __device__ __forceinline__ void join(const StateAny &b) { v |= b.v; }
};

struct StateAll {
    xi32 v;
    __device__ __forceinline__ void empty() { v = 1; }
    __device__ __forceinline__ void first(bool x, xi64) { v = x; }
    __device__ __forceinline__ void next(bool x, xi64, xi64) { v &= (xi32)x; }
    __device__ __forceinline__ StateAll further_on(int d, int group) const {
        return {further(v, d, group)};
    }
    __device__ __forceinline__ void join(const StateAll &b) { v &= b.v; }
};

struct StateCount {
    xi64 v;
    __device__ __forceinline__ void empty() { v = 0; }
    __device__ __forceinline__ void first(bool x, xi64) { v = x; }
    __device__ __forceinline__ void next(bool x, xi64, xi64) { v += (xi64)x; }
    __device__ __forceinline__ StateCount further_on(int d, int group) const {
        return {further(v, d, group)};
    }
    __device__ __forceinline__ void join(const StateCount &b) { v += b.v; }
};

/* The extreme element and where it is: nan wins, then the lowest r (so that of 0 and -0 the first
 * is taken whatever the order of combination). */
template <class T, bool MAX, class I> struct StateExtreme {
    T v;
    I r;
    static __device__ __forceinline__ bool beats(T a, T b) { /* nan is beside every order */
        return !(MAX ? a <= b : a >= b) && b == b;
    }
    __device__ __forceinline__ void empty() { v = T{}, r = 0; }
    __device__ __forceinline__ void first(T x, I at) { v = x, r = at; }
    __device__ __forceinline__ void next(T x, I at, xi64) {
        if (beats(x, v)) v = x, r = at;
    }
    __device__ __forceinline__ StateExtreme further_on(int d, int group) const {
        return {further(v, d, group), further(r, d, group)};
    }
    __device__ __forceinline__ void join(const StateExtreme &b) {
        if (beats(b.v, v) || (b.r < r && !beats(v, b.v))) v = b.v, r = b.r;
    }
};

/* Integers and booleans: equal elements are the same element. */
template <class T, bool MAX> struct StateOrder {
    T v;
    __device__ __forceinline__ void empty() { v = T{}; }
    __device__ __forceinline__ void first(T x, xi64) { v = x; }
    __device__ __forceinline__ void next(T x, xi64, xi64) { v = MAX ? (x > v ? x : v) : (x < v ? x : v); }
    __device__ __forceinline__ StateOrder further_on(int d, int group) const {
        return {further(v, d, group)};
    }
    __device__ __forceinline__ void join(const StateOrder &b) { next(b.v, 0, 0); }
};

/* Weights of an element that joins 0, 1, ... 31 others (a lane has at most 32 in a chunk):
 * x_weight_mean and x_weight_m2 of (k, 1), without their divisions, rounded to T once. */
template <class T> struct Steps {
    T mean[32], m2[32];
};

template <class T> static __constant__ Steps<T> steps[1] = {{
    {(T)(1.0 / 1), (T)(1.0 / 2), (T)(1.0 / 3), (T)(1.0 / 4), (T)(1.0 / 5), (T)(1.0 / 6),
     (T)(1.0 / 7), (T)(1.0 / 8), (T)(1.0 / 9), (T)(1.0 / 10), (T)(1.0 / 11), (T)(1.0 / 12),
     (T)(1.0 / 13), (T)(1.0 / 14), (T)(1.0 / 15), (T)(1.0 / 16), (T)(1.0 / 17), (T)(1.0 / 18),
     (T)(1.0 / 19), (T)(1.0 / 20), (T)(1.0 / 21), (T)(1.0 / 22), (T)(1.0 / 23), (T)(1.0 / 24),
     (T)(1.0 / 25), (T)(1.0 / 26), (T)(1.0 / 27), (T)(1.0 / 28), (T)(1.0 / 29), (T)(1.0 / 30),
     (T)(1.0 / 31), (T)(1.0 / 32)},
    {(T)(0.0 / 1), (T)(1.0 / 2), (T)(2.0 / 3), (T)(3.0 / 4), (T)(4.0 / 5), (T)(5.0 / 6),
     (T)(6.0 / 7), (T)(7.0 / 8), (T)(8.0 / 9), (T)(9.0 / 10), (T)(10.0 / 11), (T)(11.0 / 12),
     (T)(12.0 / 13), (T)(13.0 / 14), (T)(14.0 / 15), (T)(15.0 / 16), (T)(16.0 / 17), (T)(17.0 / 18),
     (T)(18.0 / 19), (T)(19.0 / 20), (T)(20.0 / 21), (T)(21.0 / 22), (T)(22.0 / 23), (T)(23.0 / 24),
     (T)(24.0 / 25), (T)(25.0 / 26), (T)(26.0 / 27), (T)(27.0 / 28), (T)(28.0 / 29), (T)(29.0 / 30),
     (T)(30.0 / 31), (T)(31.0 / 32)}}};

template <class T> struct StateVar {
    xi64 n;
    T mean, m2, spread;
    __device__ __forceinline__ void empty() { n = 0, mean = m2 = spread = (T)0; }
    /* all: how many there are in the end */
    __device__ __forceinline__ void first(T x, xi64, xi64 all) {
        n = 1, mean = x, m2 = (T)0, spread = (T)x_spread(all);
    }
    __device__ __forceinline__ void next(T x, xi64, xi64 before) {
        x_welford(&mean, &m2, x, (T)0, steps<T>->mean[before], steps<T>->m2[before], spread);
        n = before + 1;
    }
    __device__ __forceinline__ StateVar further_on(int d, int group) const {
        return {further(n, d, group), further(mean, d, group), further(m2, d, group),
                further(spread, d, group)};
    }
    __device__ __forceinline__ void join(const StateVar &b) {
        x_welford(&mean, &m2, b.mean, b.m2, x_weight_mean(n, b.n, (T)0), x_weight_m2(n, b.n, (T)0),
                  spread);
        n += b.n;
    }
    /* mean - mean: nan where an element was not finite, else nothing */
    __device__ __forceinline__ T variance(xf64 ddof) const {
        return (T)x_variance((xf64)(m2 + (mean - mean)), n, ddof, (xf64)spread);
    }
};

/* ---- many quotients by one number ---- */

struct Divisor {
    xf32 b, high, low; /* 1 / b in two parts, the first rounded correctly */
    bool fine;
};

static __device__ __forceinline__ Divisor divisor(xf32 b) {
    const xf32 high = x_div(1.0f, b), size = fabsf(b);
    return Divisor{b, high, __fmaf_rn(-b, high, 1.0f) * high, size >= 0x1p-60f && size <= 0x1p60f};
}

/* a / b, rounded correctly where *fine stays true: from within an ulp of it, one step with an exact
 * remainder and a correctly rounded 1 / b gives it (Markstein). Zeros and extremes are not fine. */
static __device__ __forceinline__ xf32 quotient(xf32 a, const Divisor &d, bool *fine) {
    const xf32 near = __fmaf_rn(a, d.high, a * d.low), size = fabsf(a);
    *fine = *fine && size >= 0x1p-60f && size <= 0x1p60f;
    return __fmaf_rn(__fmaf_rn(-d.b, near, a), d.high, near);
}

/* The 128 lanes of a chunk, four a thread (lane 4 t + l), combined at distances 64, 32, ... 1;
 * len: elements of the chunk, so that missing lanes are not added. The result is in thread 0's
 * s[0]. */
template <class S>
static __device__ __forceinline__ void combine(S *s, int t, int group, xi64 len) {
#pragma unroll 1
    for (int d = group / 2; d > 0; d >>= 1) {
#pragma unroll
        for (int l = 0; l < 4; l++) {
            const S other = s[l].further_on(d, group);
            if (4 * (t + d) + l < len) s[l].join(other);
        }
    }
    if (4 * t + 2 < len) s[0].join(s[2]);
    if (4 * t + 3 < len) s[1].join(s[3]);
    if (4 * t + 1 < len) s[0].join(s[1]);
}

/* Is this the last of n warps that come here? What the others wrote before is seen after. The
 * counter begins and ends as zero. */
static __device__ __forceinline__ bool last_here(xu32 *arrived, int n, int t) {
    xu32 before = 0;
    if (t == 0) {
        __threadfence();
        before = atomicInc(arrived, (xu32)n - 1);
    }
    const bool last = __shfl_sync(0xffffffffu, before, 0, 32) + 1 == (xu32)n;
    if (last) __threadfence();
    return last;
}

/* The next launch may come to the chip when all blocks of this one have; there it waits until what
 * this one does is done. */
static __device__ __forceinline__ void let_next() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

static __device__ __forceinline__ void wait_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* The first thread's, for the whole group. */
template <class S> static __device__ __forceinline__ S from_first(const S &s, int group) {
    enum { WORDS = (sizeof(S) + 3) / 4 };
    union {
        xu32 word[WORDS];
        S s;
    } u;
    u.s = s;
#pragma unroll
    for (int k = 0; k < WORDS; k++) u.word[k] = __shfl_sync(0xffffffffu, u.word[k], 0, group);
    return u.s;
}

/* The state of an output whose chunks, at most 32, are the block's warps' (or which has one): known
 * to all of its threads. s: of thread 0 of each warp. */
template <class S>
static __device__ __forceinline__ S of_chunks(S s, S *shared, int t, int mine, int group, int nchunk) {
    if (nchunk > 1) {
        __syncthreads();
        if (t == 0) shared[mine] = s;
        __syncthreads();
        s = shared[t < nchunk ? t : 0];
#pragma unroll 1
        for (int d = 16; d > 0; d >>= 1) {
            const S other = s.further_on(d, 32);
            if (t + d < nchunk) s.join(other);
        }
    }
    return from_first(s, group);
}

/* ---- tiles of a line, each of which needs what stands before it ----
 * The hierarchy is that of scans: the totals of 32 tiles one after another, the totals of 128 such
 * groups one after another, and the same rule again over those upper totals. A value that another
 * block waits for lies in words of 32 bits and a mark, so that no fence is needed. O::op combines. */

template <class A> static __device__ __forceinline__ void post(xu64 *words, xi64 at, A v) {
    enum { WORDS = sizeof(A) > 4 ? 2 : 1 };
    union {
        xu32 part[2];
        A v;
    } u = {{0, 0}};
    u.v = v;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        *(volatile xu64 *)(words + at * WORDS + k) = 1ull << 32 | u.part[k];
}

/* Is it posted? */
template <class A> static __device__ __forceinline__ bool peek(const xu64 *words, xi64 at, A *v) {
    enum { WORDS = sizeof(A) > 4 ? 2 : 1 };
    union {
        xu32 part[2];
        A v;
    } u = {{0, 0}};
    bool there = true;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const xu64 w = *(const volatile xu64 *)(words + at * WORDS + k);
        u.part[k] = (xu32)w;
        there = there && w >> 32;
    }
    *v = u.v;
    return there;
}

template <class A> static __device__ __forceinline__ A await(const xu64 *words, xi64 at) {
    A v;
    while (!peek(words, at, &v)) __nanosleep(40);
    return v;
}

/* Of one line: totals of tiles, of groups; all groups before one in its upper tile; upper totals. */
struct Posts {
    xu64 *total, *group, *before, *upper;
};

template <class A> struct Ahead {
    A list[128];
    A tiles, groups, upper; /* what precedes, at each level */
};

template <class O, class A> static __device__ __forceinline__ A in_order(const A *list, int n) {
    A sum = list[0];
#pragma unroll 8
    for (int i = 1; i < n; i++) sum = O::op(sum, list[i]);
    return sum;
}

/* Where unit u of a tile's elements waits: rows of ROW units, a thread's, that a warp reads along or
 * across without meeting in a bank. */
template <int ROW> static __device__ __forceinline__ int place_of(int u) {
    return u / ROW * ROW + ((u % ROW) ^ (u / ROW & 7 & (ROW - 1)));
}

/* All tiles of group g have a total, or will soon: the group's total, and what precedes the group
 * after it, from the nearest such value that is there and the groups since then (one after another
 * is one association, wherever it is taken up). By a warp. */
template <class O, class A>
static __device__ __forceinline__ void close_group(Ahead<A> &a, Posts p, xi64 g) {
    const int lane = threadIdx.x % 32, s = (int)(g & 127);
    A *group = a.list, *before = a.list + 32, *total = a.list + 64, b = A{};
    total[lane] = await<A>(p.total, g * 32 + lane);
    __syncwarp();
    if (lane == 0) group[0] = in_order<O>(total, 32);
    if (lane == 0) post(p.group, g, group[0]);
    if (lane > 0 && lane <= s) group[lane] = await<A>(p.group, g - lane);
    xu32 found;
    do {
        const bool there = lane < s ? peek(p.before, g - lane, &b) : lane == s;
        found = __ballot_sync(0xffffffffu, there);
    } while (!found);
    before[lane] = b;
    __syncwarp();
    if (lane != 0) return;
    int k = __ffs((int)found) - 1;
    A v = k == s ? group[k] : O::op(before[k], group[k]);
    while (--k >= 0) v = O::op(v, group[k]);
    if (s == 127)
        post(p.upper, g >> 7, v);
    else
        post(p.before, g + 1, v);
}

/* What precedes tile number `tile`, which is not the first; by warps 1 to 3. */
template <class O, class A>
static __device__ __forceinline__ void look_back(Ahead<A> &a, Posts p, xi64 tile) {
    const int lane = threadIdx.x % 32, part = threadIdx.x / 32;
    const xi64 last = tile - 1, top = last >> 12;
    const int n = (int)(last & 31) + 1;
    if (part == 1) {
        if (lane < n) a.list[lane] = await<A>(p.total, (last & ~31ll) + lane);
        __syncwarp();
        if (lane == 0) a.tiles = in_order<O>(a.list, n);
    } else if (part == 2) {
        if (lane == 0 && (last >> 5 & 127)) a.groups = await<A>(p.before, last >> 5);
    } else if (part == 3 && top > 0) {
        A before = A{}, own = A{};
        for (xi64 first = 0; first < top; first += 32) {
            const int m = top - first < 32 ? (int)(top - first) : 32;
            if (lane < m) a.list[96 + lane] = await<A>(p.upper, first + lane);
            __syncwarp();
            own = in_order<O>(a.list + 96, m);
            if (first + 32 < top) before = first ? O::op(before, own) : own;
            __syncwarp();
        }
        if (lane == 0) a.upper = top > 32 ? O::op(before, own) : own;
    }
}

/* After look_back and a barrier. */
template <class O, class A>
static __device__ __forceinline__ A carried(const Ahead<A> &a, xi64 tile) {
    A v = a.tiles;
    if ((tile - 1) >> 5 & 127) v = O::op(a.groups, v);
    if ((tile - 1) >> 12) v = O::op(a.upper, v);
    return v;
}

/* ---- counts, of which any association gives the same: a word a tile, its own count or that of all
 * up to it ---- */

static __device__ __forceinline__ void post_count(xu64 *words, xi64 at, xi64 n, bool upto) {
    *(volatile xu64 *)(words + at) = (upto ? 2ull : 1ull) << 62 | (xu64)n;
}

/* How many stand before tile `at`, which has n itself: the counts of the 32 tiles before it, and of
 * those before, until one knows all up to it. Posted for later tiles. In lane 0 of a warp. */
static __device__ __forceinline__ xi64 count_before(xu64 *words, xi64 at, xi64 n) {
    const int lane = threadIdx.x % 32;
    xi64 sum = 0;
    for (xi64 last = at - 1;; last -= 32) {
        xu32 upto, needed;
        xu64 w;
        for (;; __nanosleep(40)) {
            w = last >= lane ? *(const volatile xu64 *)(words + last - lane) : 2ull << 62;
            const xu32 missing = __ballot_sync(0xffffffffu, w >> 62 == 0);
            upto = __ballot_sync(0xffffffffu, w >> 62 == 2);
            needed = upto ? upto ^ (upto - 1) : ~0u; /* up to the nearest */
            if (!(missing & needed)) break;
        }
        xi64 own = needed >> lane & 1 ? (xi64)(w << 2 >> 2) : 0;
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) own += further(own, d, 32);
        sum += own;
        if (!upto) continue;
        if (lane == 0) post_count(words, at, sum + n, true);
        return sum;
    }
}

/* ---- sorting ---- */

/* The digit of element e: of its key, or of its segment's number. */
template <class K, class N>
static __device__ __forceinline__ int sort_digit(const K *key, const N *index, xi64 e, int shift,
                                                 int by_segment, xi64 axis, xi64 inner) {
    if (!by_segment) return (int)(key[e] >> shift & 255);
    const xi64 at = (xi64)index[e];
    return (int)((at / (axis * inner) * inner + at % inner) >> shift & 255);
}

/* Order-preserving bits of floats of 16, 32 and 64 bits. */
static __device__ __forceinline__ xu32 float_order16(xu32 bits) {
    const xu32 b = bits == 0x8000u ? 0u : bits;
    return b & 0x8000u ? ~b & 0xffffu : b | 0x8000u;
}

static __device__ __forceinline__ xu32 float_order32(xu32 bits) {
    const xu32 b = bits == 0x80000000u ? 0u : bits;
    return b & 0x80000000u ? ~b : b | 0x80000000u;
}

static __device__ __forceinline__ xu64 float_order64(xu64 bits) {
    const xu64 b = bits == 0x8000000000000000ull ? 0ull : bits;
    return b & 0x8000000000000000ull ? ~b : b | 0x8000000000000000ull;
}
