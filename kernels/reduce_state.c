/* reduce_state - states of reductions and their joins (see reduce_state.h).
 *
 * Callers: reduce_cpu.c, on worker threads. Joins are those of the tree of sums: lanes at distances
 * 64, 32, ... 1, missing ones not added; Welford/Chan weights are rounded once from f64. */
#include "kernels/reduce_state.h"

#include "kernels/scalar.h"

#include <math.h>
#include <string.h>

/* ---- kinds ---- */

static DType sum_type(const Instr *i) {
    return dtype_is_half((DType)i->dtype) ? DT_f32 : (DType)i->dtype;
}

/* Variances of integers and f64 are computed in f64, of the others in f32. */
static DType var_type(const Instr *i) {
    DType t = (DType)i->type;
    return t == DT_f32 || dtype_is_half(t) ? DT_f32 : DT_f64;
}

void red_init(Red *r, const Instr *code, int instr, bool columns, int64_t elements) {
    ReduceKind kind = (ReduceKind)code->sub;
    DType value = dtype_is_half((DType)code->type) ? DT_f32 : (DType)code->type;
    *r = (Red){.code = code, .instr = instr, .out_type = (DType)code->dtype, .in_type = value};
    r->max = kind == RED_MAX || kind == RED_ARGMAX;
    switch (kind) {
    case RED_SUM:
    case RED_PROD: r->in_type = sum_type(code); break;
    case RED_ANY:
    case RED_ALL: r->in_type = DT_bool; break;
    case RED_COUNT:
        r->shape = columns ? SHAPE_FOLD : SHAPE_COUNT;
        r->in_type = columns ? DT_i64 : DT_bool;
        break;
    case RED_VAR:
        r->shape = SHAPE_WELFORD;
        r->spread = x_spread(elements);
        r->in_type = var_type(code);
        break;
    case RED_MIN:
    case RED_MAX: r->shape = dtype_is_float(value) ? SHAPE_EXTREME : SHAPE_FOLD; break;
    case RED_ARGMIN:
    case RED_ARGMAX: r->shape = SHAPE_EXTREME; break;
    }
}

static Op fold_op(ReduceKind kind) {
    switch (kind) {
    case RED_PROD: return OP_mul;
    case RED_ANY: return OP_bit_or;
    case RED_ALL: return OP_bit_and;
    case RED_MIN: return OP_minimum;
    case RED_MAX: return OP_maximum;
    default: return OP_add;
    }
}

void red_bind(Red *r) {
    const Loop *loops = dtype_is_complex(r->in_type) ? loops_complex[r->in_type == DT_c128]
                                                     : r->loops->op[r->in_type];
    if (r->shape == SHAPE_FOLD) r->fold = loops[fold_op((ReduceKind)r->code->sub)];
}

/* ---- tables ---- */

static size_t state_item(const Red *r) {
    return r->shape == SHAPE_COUNT ? 8 : dtype_size(r->in_type);
}

static size_t more_item(const Red *r) {
    return r->shape == SHAPE_WELFORD ? dtype_size(r->in_type) : r->shape == SHAPE_EXTREME ? 8 : 0;
}

size_t red_bytes(const Red *r, int64_t nchunk) {
    return (state_item(r) + more_item(r)) * (size_t)nchunk + dtype_size(r->out_type);
}

static char *aligned(char *p) { return p + (64 - (uintptr_t)p % 64) % 64; }

char *red_place(Red *r, char *memory, int64_t outputs, int64_t nchunk) {
    size_t n = (size_t)(outputs * nchunk);
    r->part = aligned(memory);
    r->more = aligned(r->part + n * state_item(r));
    r->result = aligned(r->more + n * more_item(r));
    return r->result + (size_t)outputs * dtype_size(r->out_type);
}

/* ---- a chunk in lanes ---- */

void acc_begin(Acc *acc) {
    acc->rows = 0;
    acc->tail = 0;
    acc->count = 0;
    acc->x.index = -1;
}

static void welford(const Red *red, size_t n, char *ma, char *Ma, const char *mb, const char *Mb,
                    int64_t na, int64_t nb) {
    red->loops->welford(red->in_type, n, ma, Ma, mb, Mb, na, nb, red->spread);
}

/* A row of m lanes (m < 128: the last one). */
static void add_row(const Red *red, Acc *acc, const char *x, size_t m) {
    if (acc->rows == 0) {
        memcpy(acc->lane, x, m * red->in_item);
        if (red->shape == SHAPE_WELFORD) memset(acc->more, 0, m * red->in_item);
    } else if (red->shape == SHAPE_FOLD) {
        red->fold(m, acc->lane, acc->lane, x, NULL);
    } else {
        welford(red, m, acc->lane, acc->more, x, NULL, acc->rows, 1);
    }
    if (m == LANES)
        acc->rows++;
    else
        acc->tail = (int)m;
}

void acc_add(const Red *red, Acc *acc, const char *x, int64_t n, int64_t r) {
    if (red->shape == SHAPE_EXTREME) {
        red->loops->extreme(red->in_type, red->max, (size_t)n, x, r, &acc->x);
    } else if (red->shape == SHAPE_COUNT) {
        acc->count += red->loops->count((size_t)n, (const uint8_t *)x);
    } else {
        for (int64_t i = 0; i < n; i += LANES)
            add_row(red, acc, x + (size_t)i * red->in_item,
                    n - i < LANES ? (size_t)(n - i) : LANES);
    }
}

/* Joins lane i + d into lane i for i < m; counts differ at most at a few places. */
static void join_welford(const Red *red, Acc *acc, int64_t *count, int d, int m) {
    size_t item = red->in_item;
    for (int i = 0, k; i < m; i = k) {
        for (k = i + 1; k < m && count[k] == count[i] && count[k + d] == count[i + d];) k++;
        size_t at = (size_t)i * item, other = (size_t)(i + d) * item;
        welford(red, (size_t)(k - i), acc->lane + at, acc->more + at, acc->lane + other,
                acc->more + other, count[i], count[i + d]);
    }
    for (int i = 0; i < m; i++) count[i] += count[i + d];
}

static void join_lanes(const Red *red, Acc *acc, int64_t *count, int n) {
    for (int d = LANES / 2; d > 0; d /= 2) {
        if (n <= d) continue;
        if (red->shape == SHAPE_FOLD)
            red->fold((size_t)(n - d), acc->lane, acc->lane, acc->lane + (size_t)d * red->in_item,
                      NULL);
        else
            join_welford(red, acc, count, d, n - d);
        n = d;
    }
}

void acc_end(const Red *red, Acc *acc, int64_t entry) {
    int64_t count[LANES];
    char *part = red->part + (size_t)entry * state_item(red);
    if (red->shape == SHAPE_EXTREME) {
        memcpy(part, acc->x.bits, red->in_item);
        memcpy(red->more + entry * 8, &acc->x.index, 8);
        return;
    }
    if (red->shape == SHAPE_COUNT) {
        memcpy(part, &acc->count, 8);
        return;
    }
    int n = acc->rows ? LANES : acc->tail;
    if (red->shape == SHAPE_WELFORD)
        for (int i = 0; i < n; i++) count[i] = acc->rows + (i < acc->tail);
    join_lanes(red, acc, count, n);
    memcpy(part, acc->lane, red->in_item);
    if (red->shape == SHAPE_WELFORD)
        memcpy(red->more + (size_t)entry * red->in_item, acc->more, red->in_item);
}

/* ---- chunks of an output: the same rule, with states as elements ---- */

/* States [at, at + n), n <= 4096, into state `to`. Each counts `each` elements, the last `last`. */
static int64_t fold_states(const Red *red, Acc *acc, int64_t at, int64_t n, int64_t to,
                           int64_t each, int64_t last) {
    int64_t count[LANES] = {0}, total = 0;
    size_t item = red->in_item;
    for (int64_t i = 0; i < n; i++) {
        int64_t lane = i % LANES, nb = i + 1 < n ? each : last;
        char *v = acc->lane + (size_t)lane * item, *m = acc->more + (size_t)lane * item;
        const char *x = red->part + (size_t)(at + i) * item;
        const char *M = red->more + (size_t)(at + i) * item;
        if (i < LANES) {
            memcpy(v, x, item);
            if (red->shape == SHAPE_WELFORD) memcpy(m, M, item);
        } else if (red->shape == SHAPE_FOLD) {
            red->fold(1, v, v, x, NULL);
        } else {
            welford(red, 1, v, m, x, M, count[lane], nb);
        }
        count[lane] += nb;
        total += nb;
    }
    join_lanes(red, acc, count, n < LANES ? (int)n : LANES);
    memcpy(red->part + (size_t)to * item, acc->lane, item);
    if (red->shape == SHAPE_WELFORD) memcpy(red->more + (size_t)to * item, acc->more, item);
    return total;
}

static void fold_tree(const Red *red, int64_t first, int64_t n, int64_t elements) {
    Acc acc;
    int64_t each = CHUNK, last = elements - (n - 1) * CHUNK;
    while (n > 1) {
        int64_t groups = (n + CHUNK - 1) / CHUNK, done = 0;
        for (int64_t g = 0; g < groups; g++) {
            int64_t at = g * CHUNK, m = n - at < CHUNK ? n - at : CHUNK;
            done =
                fold_states(red, &acc, first + at, m, first + g, each, at + m == n ? last : each);
        }
        n = groups;
        each *= CHUNK;
        last = done;
    }
}

void red_fold(Red *r, int64_t o, int64_t nchunk, int64_t elements) {
    int64_t first = o * nchunk;
    if (r->shape == SHAPE_FOLD || r->shape == SHAPE_WELFORD) {
        fold_tree(r, first, nchunk, elements);
        return;
    }
    for (int64_t c = 1; c < nchunk; c++) {
        if (r->shape == SHAPE_COUNT)
            ((int64_t *)(void *)r->part)[first] += ((int64_t *)(void *)r->part)[first + c];
        else
            r->loops->extreme_join(r->in_type, r->max, 1, r->part + (size_t)first * r->in_item,
                                   (int64_t *)(void *)r->more + first,
                                   r->part + (size_t)(first + c) * r->in_item,
                                   (int64_t *)(void *)r->more + first + c);
    }
}

/* ---- results ---- */

static void empty_result(const Red *r, char *out) {
    Scalar s = {.kind = SC_INT, .i = 0};
    if (r->code->sub == RED_PROD || r->code->sub == RED_ALL) s.i = 1;
    if (r->code->sub == RED_VAR) s = (Scalar){.kind = SC_FLOAT, .f = NAN};
    scalar_store(&s, r->out_type, out);
}

/* An element that is not finite makes the variance nan, by a mean that is not finite either; adding
 * mean - mean changes nothing else. */
static void var_result(const Red *r, const ProgArgs *a, const char *mean, const char *m2, int64_t n,
                       char *out) {
    double ddof;
    memcpy(&ddof, a->scalar[r->code->index], sizeof ddof);
    if (r->in_type == DT_f32) {
        float M, m, v;
        memcpy(&M, m2, sizeof M);
        memcpy(&m, mean, sizeof m);
        v = (float)x_variance((double)(M + (m - m)), n, ddof, r->spread);
        if (r->out_type == DT_f32)
            memcpy(out, &v, sizeof v);
        else
            r->loops->cast[DT_f32][r->out_type](1, out, &v, NULL, NULL);
    } else {
        double M, m, v;
        memcpy(&M, m2, sizeof M);
        memcpy(&m, mean, sizeof m);
        v = x_variance(M + (m - m), n, ddof, r->spread);
        if (r->out_type == DT_f64)
            memcpy(out, &v, sizeof v);
        else
            r->loops->cast[DT_f64][r->out_type](1, out, &v, NULL, NULL);
    }
}

void red_results(Red *r, const ProgArgs *a, int64_t lo, int64_t hi, int64_t nchunk,
                 int64_t elements) {
    bool place = r->code->sub == RED_ARGMIN || r->code->sub == RED_ARGMAX;
    size_t size = dtype_size(r->out_type), item = state_item(r);
    if (nchunk == 1 && elements > 0 && !place && r->shape != SHAPE_WELFORD &&
        (r->shape == SHAPE_COUNT || r->in_type == r->out_type)) {
        memcpy(r->result + (size_t)lo * size, r->part + (size_t)lo * size,
               (size_t)(hi - lo) * size);
        return;
    }
    for (int64_t o = lo; o < hi; o++) {
        char *out = r->result + (size_t)o * size;
        const char *v = r->part + (size_t)(o * nchunk) * item;
        if (elements == 0)
            empty_result(r, out);
        else if (place)
            memcpy(out, r->more + o * nchunk * 8, 8);
        else if (r->shape == SHAPE_WELFORD)
            var_result(r, a, v, r->more + (size_t)(o * nchunk) * item, elements, out);
        else if (r->shape == SHAPE_COUNT || r->in_type == r->out_type)
            memcpy(out, v, size);
        else
            r->loops->cast[r->in_type][r->out_type](1, out, v, NULL, NULL);
    }
}

/* ---- neighbouring outputs ---- */

size_t node_bytes(const Red *red, int64_t n) {
    return ((red->in_item + more_item(red)) * (size_t)n + 127) / 64 * 64;
}

void node_init(const Red *red, Node *node, char *memory, int64_t n) {
    node->value = memory;
    node->more = memory + (red->in_item * (size_t)n + 63) / 64 * 64;
}

void node_add(const Red *red, Node *node, const char *x, int64_t n, int64_t r, bool first) {
    size_t m = (size_t)n;
    if (first) {
        memcpy(node->value, x, m * red->in_item);
        if (red->shape == SHAPE_WELFORD) memset(node->more, 0, m * red->in_item);
        if (red->shape == SHAPE_EXTREME) access_fill(node->more, sizeof r, m, &r);
    } else if (red->shape == SHAPE_FOLD) {
        red->fold(m, node->value, node->value, x, NULL);
    } else if (red->shape == SHAPE_WELFORD) {
        welford(red, m, node->value, node->more, x, NULL, r % CHUNK / LANES, 1);
    } else {
        red->loops->extreme_rows(red->in_type, red->max, m, x, r, node->value,
                                 (int64_t *)(void *)node->more);
    }
}

void node_join(const Red *red, Node *a, const Node *b, int64_t n, int64_t na, int64_t nb) {
    size_t m = (size_t)n;
    if (red->shape == SHAPE_FOLD)
        red->fold(m, a->value, a->value, b->value, NULL);
    else if (red->shape == SHAPE_WELFORD)
        welford(red, m, a->value, a->more, b->value, b->more, na, nb);
    else
        red->loops->extreme_join(red->in_type, red->max, m, a->value, (int64_t *)(void *)a->more,
                                 b->value, (const int64_t *)(const void *)b->more);
}

/* One element after another where an output has several chunks; all at once where it has one. */
static void spread(char *to, const char *from, size_t item, int64_t n, int64_t step) {
    if (step == 1) {
        memcpy(to, from, (size_t)n * item);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(to + (size_t)(i * step) * item, from + (size_t)i * item, item);
}

void node_end(const Red *red, const Node *node, int64_t n, int64_t entry, int64_t nchunk) {
    size_t item = red->in_item, more = more_item(red);
    spread(red->part + (size_t)entry * item, node->value, item, n, nchunk);
    if (more) spread(red->more + (size_t)entry * more, node->more, more, n, nchunk);
}
