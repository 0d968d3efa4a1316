/* builtin_linalg - products of matrices and tensors, norms.
 *
 * Callers: calls by name. dot, tensordot and einsum are one thing: tensors whose axes carry labels,
 * contracted two at a time. A contraction moves the axes so that a batched matrix product does the
 * work; without a shared label to sum over it is a broadcast product, which fuses. */
#include "interp/builtin_util.h"

#include <math.h>
#include <string.h>

enum { LABELS = 52 + MAX_RANK }; /* a-z, A-Z, and the axes that `...` stands for */

typedef struct Tensor {
    Value x;
    int rank;
    uint8_t label[MAX_RANK]; /* of each axis, all different */
} Tensor;

/* One contraction problem: extents of labels, and how many tensors (and the output) still use each.
 */
typedef struct Network {
    Calc *c;
    int64_t extent[LABELS];
    int uses[LABELS];
} Network;

static int find_label(const Tensor *t, int label) {
    for (int i = 0; i < t->rank; i++)
        if (t->label[i] == label) return i;
    return -1;
}

static Tensor permuted(Network *net, Tensor t, const uint8_t *order, int n) {
    int perm[MAX_RANK];
    bool same = true;
    for (int i = 0; i < n; i++) {
        perm[i] = find_label(&t, order[i]);
        same &= perm[i] == i;
    }
    Tensor r = {.x = same ? t.x : calc_transpose(net->c, t.x, perm), .rank = n};
    memcpy(r.label, order, (size_t)n);
    return r;
}

/* Sum over the labels that nothing else uses. */
static Tensor summed(Network *net, Tensor t) {
    uint32_t axes = 0;
    Tensor r = {.rank = 0};
    for (int i = 0; i < t.rank; i++) {
        if (net->uses[t.label[i]] == 1) {
            axes |= 1u << i;
            net->uses[t.label[i]] = 0;
        } else {
            r.label[r.rank++] = t.label[i];
        }
    }
    DType d = calc_ok(net->c) ? calc_type(net->c, t.x) : DT_f64;
    r.x = axes ? calc_reduce_as(net->c, RED_SUM, t.x, axes, false, d) : t.x;
    return r;
}

/* Labels of a pair by what becomes of them. */
typedef struct Pairing {
    uint8_t batch[MAX_RANK], left[MAX_RANK], right[MAX_RANK], inner[MAX_RANK];
    int nbatch, nleft, nright, ninner;
} Pairing;

static Pairing pairing(const Network *net, const Tensor *a, const Tensor *b) {
    Pairing p = {.nbatch = 0};
    for (int i = 0; i < a->rank; i++) {
        uint8_t l = a->label[i];
        if (find_label(b, l) < 0)
            p.left[p.nleft++] = l;
        else if (net->uses[l] > 2)
            p.batch[p.nbatch++] = l;
        else
            p.inner[p.ninner++] = l;
    }
    for (int i = 0; i < b->rank; i++)
        if (find_label(a, b->label[i]) < 0) p.right[p.nright++] = b->label[i];
    return p;
}

static int64_t extent_of(const Network *net, const uint8_t *label, int n) {
    int64_t size = 1;
    for (int i = 0; i < n; i++)
        if (!mul_i64(size, net->extent[label[i]], &size)) return INT64_MAX;
    return size;
}

static int append(uint8_t *to, int n, const uint8_t *from, int m) {
    for (int i = 0; i < m; i++) to[n + i] = from[i];
    return n + m;
}

/* As a batch of matrices: labels in the given order, merged into (batch, rows, columns). */
static Value as_matrices(Network *net, const Tensor *t, const Pairing *p, const uint8_t *rows,
                         int nrows, const uint8_t *cols, int ncols) {
    uint8_t order[3 * MAX_RANK];
    int n = append(order, 0, p->batch, p->nbatch);
    n = append(order, n, rows, nrows);
    n = append(order, n, cols, ncols);
    Shape s = {.rank = 3,
               .dim = {extent_of(net, p->batch, p->nbatch), extent_of(net, rows, nrows),
                       extent_of(net, cols, ncols)}};
    return calc_reshape(net->c, permuted(net, *t, order, n).x, s);
}

/* With axes of extent 1 for the labels that it lacks. */
static Value spread(Network *net, const Tensor *t, const Tensor *like) {
    uint8_t order[MAX_RANK];
    Shape s = {.rank = like->rank};
    int n = 0;
    for (int i = 0; i < like->rank; i++) {
        bool has = find_label(t, like->label[i]) >= 0;
        s.dim[i] = has ? net->extent[like->label[i]] : 1;
        if (has) order[n++] = like->label[i];
    }
    return calc_reshape(net->c, permuted(net, *t, order, n).x, s);
}

static Tensor contract(Network *net, Tensor a, Tensor b) {
    Calc *c = net->c;
    Tensor r = {.rank = 0};
    a = summed(net, a);
    b = summed(net, b);
    if (!calc_ok(c)) return r;
    Pairing p = pairing(net, &a, &b);
    if (p.nbatch + p.nleft + p.nright > MAX_RANK) {
        calc_fail(c, ARR_ERR_LIMIT, "more than %d axes on the way", MAX_RANK);
        return r;
    }
    r.rank =
        append(r.label, append(r.label, append(r.label, 0, p.batch, p.nbatch), p.left, p.nleft),
               p.right, p.nright);
    for (int i = 0; i < r.rank; i++)
        net->uses[r.label[i]] -= find_label(&a, r.label[i]) >= 0 && find_label(&b, r.label[i]) >= 0;
    if (p.ninner == 0) {
        r.x = calc_mul(c, spread(net, &a, &r), spread(net, &b, &r));
        return r;
    }
    for (int i = 0; i < p.ninner; i++) net->uses[p.inner[i]] = 0;
    Value m = calc_matmul(c, as_matrices(net, &a, &p, p.left, p.nleft, p.inner, p.ninner),
                          as_matrices(net, &b, &p, p.inner, p.ninner, p.right, p.nright));
    Shape s = {.rank = r.rank};
    for (int i = 0; i < r.rank; i++) s.dim[i] = net->extent[r.label[i]];
    r.x = calc_reshape(c, m, s);
    return r;
}

/* Operations of contracting a pair, in floating point since only the order matters. */
static double cost(const Network *net, const Tensor *a, const Tensor *b) {
    double n = 1;
    for (int i = 0; i < a->rank; i++) n *= (double)net->extent[a->label[i]];
    for (int i = 0; i < b->rank; i++)
        if (find_label(a, b->label[i]) < 0) n *= (double)net->extent[b->label[i]];
    return n;
}

/* All tensors into one with the output's labels, the cheapest pair first. */
static Value contract_all(Network *net, Tensor *t, int n, const uint8_t *output, int rank) {
    while (n > 1 && calc_ok(net->c)) {
        int x = 0, y = 1;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                if (cost(net, &t[i], &t[j]) < cost(net, &t[x], &t[y])) {
                    x = i;
                    y = j;
                }
        t[x] = contract(net, t[x], t[y]);
        t[y] = t[--n];
    }
    if (!calc_ok(net->c)) return VALUE_UNSET;
    return permuted(net, summed(net, t[0]), output, rank).x;
}

static void unify_tensors(Calc *c, Tensor *t, int n) {
    DType d = DT_COUNT;
    for (int i = 0; i < n && calc_ok(c); i++) {
        DType own = calc_type(c, t[i].x);
        d = d == DT_COUNT ? own : calc_promote(c, d, own);
    }
    if (calc_ok(c) && d == DT_bool && n > 1)
        calc_fail(c, ARR_ERR_DTYPE, "booleans do not multiply: use & and any, or i64(m) to count");
    for (int i = 0; i < n; i++) t[i].x = calc_cast(c, t[i].x, d);
}

/* ---- matmul, dot, tensordot ---- */

static Status linalg_matmul(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "matmul");
    Value a = calc_array(&c, "x1", &args[0]), b = calc_array(&c, "x2", &args[1]);
    return calc_done(&c, calc_matmul(&c, a, b), out);
}

/* a and b with the axes in x and y summed together. */
static Value tensor_product(Calc *c, Value a, Value b, const int *x, const int *y, int n) {
    Network net = {.c = c};
    Tensor t[2] = {{.x = a, .rank = calc_rank(a)}, {.x = b, .rank = calc_rank(b)}};
    uint8_t output[2 * MAX_RANK];
    int rank = 0;
    if (t[0].rank + t[1].rank - 2 * n > MAX_RANK)
        return calc_fail(c, ARR_ERR_LIMIT, "more than %d axes", MAX_RANK);
    for (int k = 0; k < 2 && calc_ok(c); k++) {
        for (int i = 0; i < t[k].rank; i++) {
            const int *mine = k == 0 ? x : y;
            int label = k * MAX_RANK + i, j = 0;
            while (j < n && mine[j] != i) j++;
            if (j < n && k == 1) label = x[j];
            t[k].label[i] = (uint8_t)label;
            net.extent[label] = calc_dim(t[k].x, i);
            net.uses[label] += j < n ? 1 : 2;
            if (j == n) output[rank++] = (uint8_t)label;
        }
    }
    unify_tensors(c, t, 2);
    return contract_all(&net, t, 2, output, rank);
}

static Status linalg_dot(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "dot");
    Value a = calc_number(&c, "a", &args[0]), b = calc_number(&c, "b", &args[1]), r;
    int ra = calc_rank(a), rb = calc_rank(b);
    if (ra == 0 || rb == 0) {
        r = calc_mul(&c, a, b);
    } else if (ra <= 2 && rb <= 2) {
        r = calc_matmul(&c, a, b);
    } else {
        int x = ra - 1, y = rb > 1 ? rb - 2 : 0;
        if (calc_dim(a, x) != calc_dim(b, y)) {
            char s[SHAPE_TEXT], t[SHAPE_TEXT];
            calc_describe(a, s);
            calc_describe(b, t);
            calc_fail(&c, ARR_ERR_SHAPE, "%s and %s: the inner axes are %lld and %lld", s, t,
                      (long long)calc_dim(a, x), (long long)calc_dim(b, y));
        }
        r = tensor_product(&c, a, b, &x, &y, 1);
    }
    return calc_done(&c, r, out);
}

static Status linalg_tensordot(State *A, const Value *args, Value *out) {
    Calc c;
    int64_t given[2][MAX_RANK] = {{0}};
    int axes[2][MAX_RANK], n[2] = {0, 0};
    calc_open(&c, A, "tensordot");
    Value x[2] = {calc_array(&c, "a", &args[0]), calc_array(&c, "b", &args[1])};
    int ra = calc_rank(x[0]);
    if (args[2].kind == V_TUPLE && args[2].tuple->n == 2) {
        for (int k = 0; k < 2; k++)
            n[k] = calc_ints(&c, "axes", &args[2].tuple->items[k], given[k]);
    } else {
        int64_t count = calc_count(&c, "axes", &args[2]);
        if (count > ra || count > calc_rank(x[1])) {
            calc_fail(&c, ARR_ERR_VALUE, "axes is %lld, more than an array has", (long long)count);
            count = 0;
        }
        n[0] = n[1] = (int)count;
        for (int i = 0; i < n[0]; i++) {
            given[0][i] = ra - n[0] + i;
            given[1][i] = i;
        }
    }
    if (calc_ok(&c) && n[0] != n[1])
        calc_fail(&c, ARR_ERR_SHAPE, "axes names %d axes of a and %d of b", n[0], n[1]);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n[k] && calc_ok(&c); i++) {
            Value v = value_int(given[k][i]);
            axes[k][i] = calc_axis(&c, &v, calc_rank(x[k]));
            for (int j = 0; j < i; j++)
                if (axes[k][j] == axes[k][i]) calc_fail(&c, ARR_ERR_VALUE, "axes names one twice");
        }
    for (int i = 0; i < n[0] && calc_ok(&c); i++)
        if (calc_dim(x[0], axes[0][i]) != calc_dim(x[1], axes[1][i]))
            calc_fail(&c, ARR_ERR_SHAPE, "axis %d of a has %lld elements, axis %d of b %lld",
                      axes[0][i], (long long)calc_dim(x[0], axes[0][i]), axes[1][i],
                      (long long)calc_dim(x[1], axes[1][i]));
    Value r = calc_ok(&c) ? tensor_product(&c, x[0], x[1], axes[0], axes[1], n[0]) : VALUE_UNSET;
    return calc_done(&c, r, out);
}

/* ---- einsum ---- */

static int letter(char ch) {
    if (ch >= 'a' && ch <= 'z') return ch - 'a';
    return ch >= 'A' && ch <= 'Z' ? 26 + ch - 'A' : -1;
}

/* Labels of one term of the subscripts from *at on; `...` stands for `dots` axes. -1: failed. */
static int read_term(Calc *c, const char **at, int rank, int *dots, uint8_t out[MAX_RANK]) {
    int n = 0, where = -1, letters = 0;
    for (const char *p = *at; *p && *p != ',' && !(p[0] == '-' && p[1] == '>'); p++)
        letters += letter(*p) >= 0;
    if (rank >= 0) *dots = rank - letters;
    for (; **at && **at != ',' && !((*at)[0] == '-' && (*at)[1] == '>'); ++*at) {
        if (**at == ' ') continue;
        if (strncmp(*at, "...", 3) == 0 && where < 0) {
            where = n;
            for (int i = 0; i < *dots && n < MAX_RANK; i++)
                out[n++] = (uint8_t)(LABELS - *dots + i);
            *at += 2;
            continue;
        }
        int l = letter(**at);
        if (l < 0 || n == MAX_RANK) {
            calc_fail(c, ARR_ERR_VALUE, "subscripts hold letters, `,`, `->` and `...`, not '%c'",
                      **at);
            return -1;
        }
        out[n++] = (uint8_t)l;
    }
    if (rank >= 0 && (*dots < 0 || (where < 0 && *dots > 0))) {
        calc_fail(c, ARR_ERR_SHAPE, "subscripts name %d axes of an operand that has %d", letters,
                  rank);
        return -1;
    }
    return n;
}

/* The operand with one axis for each label: repeated labels take the diagonal, and an axis of
 * extent 1 that broadcasts is dropped. */
static Tensor labelled(Network *net, Value x, const uint8_t *label, int n) {
    Tensor t = {.rank = 0};
    ViewMap m = {.in_rank = n};
    Shape s = {.rank = 0};
    for (int i = 0; i < n; i++) {
        bool dropped = calc_dim(x, i) == 1 && net->extent[label[i]] != 1;
        int at = find_label(&t, label[i]);
        m.axis[i] = -1;
        if (dropped) continue;
        if (at < 0) {
            at = t.rank++;
            t.label[at] = label[i];
            s.dim[s.rank++] = calc_dim(x, i);
        }
        m.axis[i] = (int8_t)at;
        m.step[i] = 1;
    }
    t.x = calc_view(net->c, x, s, &m);
    return t;
}

static void note_extents(Network *net, Value x, const uint8_t *label, int n) {
    for (int i = 0; i < n; i++) {
        int64_t d = calc_dim(x, i), *e = &net->extent[label[i]];
        for (int j = 0; j < i && calc_ok(net->c); j++)
            if (label[j] == label[i] && calc_dim(x, j) != d)
                calc_fail(net->c, ARR_ERR_SHAPE,
                          "a label is repeated on axes of %lld and %lld elements of one operand",
                          (long long)calc_dim(x, j), (long long)d);
        if (*e < 0 || *e == 1) *e = d;
        if (d == *e || d == 1) continue;
        int l = label[i];
        if (l < 52)
            calc_fail(net->c, ARR_ERR_SHAPE, "label %c stands for %lld and for %lld elements",
                      l < 26 ? 'a' + l : 'A' + l - 26, (long long)*e, (long long)d);
        else
            calc_fail(net->c, ARR_ERR_SHAPE, "the axes of `...` do not broadcast together");
    }
}

/* Without `->`: the axes of `...`, then the letters that come once, in alphabetical order. */
static int implicit_output(const uint8_t (*label)[MAX_RANK], const int *rank, int n, int dots,
                           uint8_t out[MAX_RANK]) {
    int count[52] = {0}, m = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < rank[k]; i++)
            if (label[k][i] < 52) count[label[k][i]]++;
    for (int i = 0; i < dots && m < MAX_RANK; i++) out[m++] = (uint8_t)(LABELS - dots + i);
    for (int i = 0; i < 52; i++) { /* capitals first */
        int l = i < 26 ? i + 26 : i - 26;
        if (count[l] == 1 && m < MAX_RANK) out[m++] = (uint8_t)l;
    }
    return m;
}

static void check_output(Network *net, const uint8_t *out, int n) {
    bool seen[LABELS] = {false};
    for (int i = 0; i < n && calc_ok(net->c); i++) {
        if (seen[out[i]]) calc_fail(net->c, ARR_ERR_VALUE, "the output names a label twice");
        if (net->extent[out[i]] < 0)
            calc_fail(net->c, ARR_ERR_VALUE, "the output names a label that no operand has");
        seen[out[i]] = true;
        net->uses[out[i]]++;
    }
}

enum { EINSUM_MOST = 32 };

static Value einsum(Calc *c, const char *text, const Value *operands, int n) {
    Network net = {.c = c};
    Tensor part[EINSUM_MOST];
    uint8_t label[EINSUM_MOST][MAX_RANK], output[MAX_RANK];
    Value x[EINSUM_MOST];
    int rank[EINSUM_MOST], most = 0, dots = 0, m = 0;
    if (n < 1 || n > EINSUM_MOST)
        return calc_fail(c, ARR_ERR_ARGUMENT, "it takes 1 to %d operands, not %d", EINSUM_MOST, n);
    for (int i = 0; i < LABELS; i++) net.extent[i] = -1;
    for (int k = 0; k < n; k++) x[k] = calc_number(c, "operand", &operands[k]);
    DType t = calc_ok(c) ? calc_common(c, x, n) : DT_f64; /* numbers are weak */
    for (int k = 0; k < n; k++) x[k] = calc_as(c, "operand", x[k], t);
    for (int k = 0; k < n && calc_ok(c); k++) {
        if (k > 0 && *text++ != ',')
            return calc_fail(c, ARR_ERR_VALUE, "subscripts have %d terms for %d operands", k, n);
        rank[k] = read_term(c, &text, calc_rank(x[k]), &dots, label[k]);
        if (dots > most) most = dots;
        if (calc_ok(c)) note_extents(&net, x[k], label[k], rank[k]);
    }
    if (calc_ok(c) && *text == ',')
        return calc_fail(c, ARR_ERR_VALUE, "subscripts have more terms than the %d operands", n);
    if (calc_ok(c) && *text) {
        text += 2;
        if (most > 0 && !strstr(text, "..."))
            return calc_fail(c, ARR_ERR_VALUE, "the output must hold the operands' `...`");
        m = read_term(c, &text, -1, &most, output);
        if (calc_ok(c) && *text) calc_fail(c, ARR_ERR_VALUE, "subscripts go on behind the output");
    } else if (calc_ok(c)) {
        m = implicit_output((const uint8_t(*)[MAX_RANK])label, rank, n, most, output);
    }
    if (!calc_ok(c)) return VALUE_UNSET;
    check_output(&net, output, m);
    for (int k = 0; k < n && calc_ok(c); k++) {
        part[k] = labelled(&net, x[k], label[k], rank[k]);
        for (int i = 0; i < part[k].rank; i++) net.uses[part[k].label[i]]++;
    }
    unify_tensors(c, part, n);
    return contract_all(&net, part, n, output, m);
}

static Status linalg_einsum(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "einsum");
    const char *text = calc_str(&c, "subscripts", &args[0]);
    Value r =
        calc_ok(&c) ? einsum(&c, text, args[1].tuple->items, (int)args[1].tuple->n) : VALUE_UNSET;
    return calc_done(&c, r, out);
}

/* ---- norms ---- */

static Value abs_square(Calc *c, Value x) {
    if (!calc_ok(c) || !dtype_is_complex(calc_type(c, x))) return calc_mul(c, x, x);
    Value re = calc_1(c, OP_real, x), im = calc_1(c, OP_imag, x);
    return calc_add(c, calc_mul(c, re, re), calc_mul(c, im, im));
}

static Value euclidean(Calc *c, Value x, uint32_t axes, bool keep) {
    return calc_1(c, OP_sqrt, calc_reduce(c, RED_SUM, abs_square(c, x), axes, keep));
}

/* The largest of magnitudes; of none it is 0. */
static Value largest(Calc *c, Value a, uint32_t axes, bool keep) {
    bool none = calc_ok(c) && calc_reduced(a, axes) == 0;
    return calc_reduce(c, none ? RED_SUM : RED_MAX, a, axes, keep);
}

static Value vector_norm(Calc *c, Value x, double p, uint32_t axes, bool keep) {
    if (p == 2) return euclidean(c, x, axes, keep);
    Value a = calc_1(c, OP_abs, x);
    if (isinf(p) && p > 0) return largest(c, a, axes, keep);
    if (isinf(p)) return calc_reduce(c, RED_MIN, a, axes, keep);
    if (p == 1) return calc_reduce(c, RED_SUM, a, axes, keep);
    if (p == 0) {
        Value n = calc_reduce(c, RED_COUNT, calc_cast(c, a, DT_bool), axes, keep);
        return calc_ok(c) ? calc_cast(c, n, calc_type(c, a)) : VALUE_UNSET;
    }
    Value s = calc_reduce(c, RED_SUM, calc_2(c, OP_pow, a, value_float(p)), axes, keep);
    return calc_2(c, OP_pow, s, value_float(1 / p));
}

/* Sums along one axis, of them the largest or smallest along the other. */
static Value matrix_norm(Calc *c, Value x, double p, int row, int col, bool keep) {
    bool rows = isinf(p); /* sums of rows run along the columns */
    if (!rows && fabs(p) != 1)
        return calc_fail(c, ARR_ERR_VALUE,
                         "ord of a matrix is \"fro\", 1, -1, inf or -inf, not %s: 2, -2 and "
                         "\"nuc\" would need svdvals",
                         calc_text(p).s);
    Value s = calc_reduce(c, RED_SUM, calc_1(c, OP_abs, x), 1u << (rows ? col : row), true);
    uint32_t over = 1u << (rows ? row : col);
    s = p > 0 ? largest(c, s, over, true) : calc_reduce(c, RED_MIN, s, over, true);
    if (keep || !calc_ok(c)) return s;
    Shape r = {.rank = 0};
    for (int i = 0; i < calc_rank(x); i++)
        if (i != row && i != col) r.dim[r.rank++] = calc_dim(x, i);
    return calc_reshape(c, s, r);
}

static Status linalg_norm(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "norm");
    Value x = calc_float_array(&c, "x", &args[0]), r = VALUE_UNSET;
    int64_t given[MAX_RANK];
    int axes[2] = {0, 1}, n = calc_rank(x);
    DType t = calc_ok(&c) ? dtype_real(calc_type(&c, x)) : DT_f64;
    if (dtype_is_half(t)) x = calc_cast(&c, x, DT_f32);
    bool keep = calc_flag(&c, "keepdims", &args[3]), fro = args[1].kind == V_STR, plain = false;
    if (fro && calc_ok(&c) && strcmp(calc_str(&c, "ord", &args[1]), "fro") != 0)
        calc_fail(&c, ARR_ERR_VALUE, "ord is a number, inf, -inf or \"fro\", not \"%s\"%s",
                  args[1].str->text,
                  strcmp(args[1].str->text, "nuc") == 0 ? ", which would need svdvals" : "");
    double p = fro || !calc_given(&args[1]) ? 2 : calc_float(&c, "ord", &args[1]);
    if (calc_given(&args[2])) {
        n = calc_ints(&c, "axis", &args[2], given);
        for (int i = 0; i < n && i < 2; i++) {
            Value v = value_int(given[i]);
            axes[i] = calc_axis(&c, &v, calc_rank(x));
        }
        if (n == 2 && axes[0] == axes[1]) calc_fail(&c, ARR_ERR_VALUE, "axis names one twice");
    } else {
        plain = !calc_given(&args[1]); /* of all elements, whatever the rank */
    }
    if (calc_ok(&c) && !plain && (n < 1 || n > 2))
        calc_fail(&c, ARR_ERR_SHAPE, "it is of one axis or of two, not of %d: say axis=", n);
    if (plain)
        r = euclidean(&c, x, calc_all_axes(n), keep);
    else if (n == 1 && fro)
        calc_fail(&c, ARR_ERR_VALUE, "\"fro\" is a norm of matrices");
    else if (n == 1)
        r = vector_norm(&c, x, p, 1u << axes[0], keep);
    else if (fro || !calc_given(&args[1]))
        r = euclidean(&c, x, 1u << axes[0] | 1u << axes[1], keep);
    else
        r = matrix_norm(&c, x, p, axes[0], axes[1], keep);
    return calc_done(&c, calc_cast(&c, r, t), out);
}

const BuiltinDef builtin_linalg[] = {
    {"matmul(x1, x2)", linalg_matmul,
     "The matrix product x1 @ x2: over the last axis of x1 and the last but one of x2; a vector is "
     "a\n"
     "row on the left and a column on the right; axes before the last two broadcast. Integers are\n"
     "exact modulo 2^n, f16 and bf16 accumulate in f32.\n"
     "  matmul([[1, 2], [3, 4]], [1, 1]) #=> [3 7]"},
    {"dot(a, b)", linalg_dot,
     "Of vectors their inner product, of matrices their product, with a number the product of\n"
     "elements; otherwise the sum over the last axis of a and the last but one of b.\n"
     "  dot([1, 2], [3, 4]) #=> 11"},
    {"tensordot(a, b, axes=2)", linalg_tensordot,
     "The sum of products over axes: the last n of a with the first n of b for an integer n, or "
     "the\n"
     "axes of a and of b in a tuple of two.\n"
     "  tensordot([[1, 2], [3, 4]], [[1, 2], [3, 4]]) #=> 30\n"
     "  tensordot([1, 2], [3, 4], axes=0) #=> [[3 4]\n"
     "                                    #=>  [6 8]]"},
    {"einsum(subscripts, operands...)", linalg_einsum,
     "Products summed over labels, as NumPy's: \"ij,jk->ik\" is a matrix product, \"ii\" a trace,\n"
     "`...` the axes that have no label. Pairs are contracted by matrix products, the cheapest "
     "first.\n"
     "  einsum(\"ij,jk->ik\", [[1, 2], [3, 4]], [[1], [1]]) #=> [[3]\n"
     "                                                   #=>  [7]]\n"
     "  einsum(\"ii\", [[1, 2], [3, 4]]) #=> 5"},
    {"norm(x, ord=none, axis=none, keepdims=false)", linalg_norm,
     "The norm of vectors (along one axis) or matrices (along two): without ord the root of the "
     "sum\n"
     "of squares, of all elements where axis is none. ord is p for sum(|x|**p)**(1/p), inf or "
     "-inf\n"
     "for the largest or smallest, 0 for the count of elements that are not 0; of a matrix "
     "\"fro\",\n"
     "1 and -1 (sums of columns), inf and -inf (sums of rows).\n"
     "  norm([3.0, 4.0]) #=> 5.0\n"
     "  norm([[1, 2], [3, 4]], 1) #=> 6.0"},
    {NULL, NULL, NULL},
};
