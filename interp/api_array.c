/* api_array - the public interface: arrays made from memory of the host or of a GPU, lent or
 * copied, and arrays read into or shown as such memory.
 *
 * Callers: hosts, api_dlpack. Views are checked here once and for all: shape, strides and addresses
 * do not overflow. Invariant: lent memory is a buffer like any other but that nobody writes into
 * it; its owner is told only when no device may still read it. */
#include "interp/api_array.h"
#include "runtime/exec.h"
#include "runtime/place.h"

#include <stdio.h>
#include <string.h>

enum { ALIGN = 256 }; /* of the pool's pointers, which kernels rely on */

/* ---- views ---- */

typedef struct Extent {
    Shape shape;
    int64_t stride[MAX_RANK]; /* bytes */
    int64_t count;            /* elements */
    uintptr_t lo, end;        /* addresses of the first byte and behind the last one */
    bool aligned;             /* addresses and steps are multiples of the element's size */
} Extent;

static Status bad_view(State *A, const char *why) {
    return error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE, "the view's %s", why);
}

/* The addresses that the elements take. */
static Status view_span(State *A, const arr_view *v, Extent *e) {
    int64_t lo = 0, hi = (int64_t)dtype_size((DType)v->dtype);
    for (int j = 0; j < v->rank; j++) {
        int64_t reach;
        if (!mul_i64(e->stride[j], e->shape.dim[j] - 1, &reach) ||
            (reach < 0 ? __builtin_add_overflow(lo, reach, &lo)
                       : __builtin_add_overflow(hi, reach, &hi)))
            return bad_view(A, "strides reach farther than memory");
    }
    uintptr_t data = (uintptr_t)v->data;
    if (__builtin_add_overflow(data, lo, &e->lo) || __builtin_add_overflow(data, hi, &e->end))
        return bad_view(A, "strides reach farther than memory");
    return ARR_OK;
}

static Status view_check(State *A, const arr_view *v, Extent *e) {
    if (v->rank < 0 || v->rank > MAX_RANK) return bad_view(A, "rank is not in 0 to 32");
    if (v->rank && !v->shape) return bad_view(A, "shape is NULL");
    if ((int)v->dtype < 0 || (int)v->dtype >= DT_COUNT) return bad_view(A, "dtype is unknown");
    if (v->place != ARR_PLACE_HOST && v->place != ARR_PLACE_CUDA)
        return bad_view(A, "place is unknown");
    int64_t item = (int64_t)dtype_size((DType)v->dtype);
    e->shape = shape_make(v->rank, v->shape);
    TRY(shape_count(&A->cx, SPAN_NONE, &e->shape, (size_t)item, &e->count));
    int64_t dense[MAX_RANK];
    shape_strides(&e->shape, dense);
    e->aligned = (uintptr_t)v->data % (uintptr_t)item == 0;
    for (int j = 0; j < v->rank; j++) {
        bool moves = e->shape.dim[j] > 1; /* else the step says nothing */
        e->stride[j] = v->strides && moves ? v->strides[j] : dense[j] * item;
        if (e->stride[j] % item != 0) e->aligned = false;
    }
    e->lo = e->end = (uintptr_t)v->data;
    if (e->count == 0) return ARR_OK;
    if (!v->data) return bad_view(A, "data is NULL");
    return view_span(A, v, e);
}

/* The GPU of a view, or the CPU. */
static Status view_device(State *A, const arr_view *v, Device **out) {
    char name[32];
    *out = A->rt->cpu;
    if (v->place == ARR_PLACE_HOST) return ARR_OK;
    TRY(place_cuda(A->rt, out));
    snprintf(name, sizeof name, "cuda:%d", v->device);
    if (strcmp(name, (*out)->name) == 0) return ARR_OK;
    return error_set(&A->cx, ARR_ERR_DEVICE, SPAN_NONE,
                     "the memory is on %s, and this state works on %s", name, (*out)->name);
}

/* ---- lent memory ---- */

typedef struct Loan {
    State *A;
    void (*release)(void *user);
    void *user;
} Loan;

/* Nothing may still be reading: an asynchronous copy to a GPU, a kernel there. */
static void wait_for_readers(State *A) {
    Device *d = A->rt->cuda;
    if (!d || A->rt->cuda_state < 0) return;
    bool held = A->cx.hold, clean = A->cx.err.status == ARR_OK;
    A->cx.hold = true;
    Status st = d->ops->sync(d);
    A->cx.hold = held;
    if (st != ARR_OK && clean) error_clear(&A->cx); /* it is met again where the GPU is used */
}

static void end_loan(void *user) {
    Loan loan = *(Loan *)user;
    wait_for_readers(loan.A);
    mem_free(&loan.A->cx.mem, user, sizeof loan);
    if (loan.release) loan.release(loan.user);
}

/* The view as an array of d. Nobody is told of its end, until loan_promise. */
static Status lend(State *A, Device *d, const arr_view *v, const Extent *e, Array **out) {
    int64_t item = (int64_t)dtype_size((DType)v->dtype), stride[MAX_RANK];
    uintptr_t base = e->lo / ALIGN * ALIGN;
    int64_t offset = ((int64_t)(uintptr_t)v->data - (int64_t)base) / item;
    for (int j = 0; j < v->rank; j++) stride[j] = e->stride[j] / item;
    Loan *loan = mem_alloc(&A->cx.mem, sizeof *loan);
    if (!loan) return error_memory(&A->cx, sizeof *loan);
    *loan = (Loan){A, NULL, NULL};
    Buffer *b;
    Status st = buffer_lend(d, (void *)base, (size_t)(e->end - base), end_loan, loan, &b);
    if (st != ARR_OK) {
        mem_free(&A->cx.mem, loan, sizeof *loan);
        return st;
    }
    st = array_view(&A->cx, b, (DType)v->dtype, &e->shape, stride, offset, out);
    buffer_release(b);
    return st;
}

/* Tell the owner of the memory behind n when it is needed no more; at once if it was copied. */
static void loan_promise(State *A, const Node *n, void (*release)(void *user), void *user) {
    if (n->value && n->value->buf->lent && n->value->buf->release == end_loan) {
        *(Loan *)n->value->buf->user = (Loan){A, release, user};
        return;
    }
    wait_for_readers(A);
    if (release) release(user);
}

/* ---- elements one by one, for what cannot be an array ---- */

/* Between memory with strides and memory in C order, on the host. */
static void move_items(char *strided, const Extent *e, size_t item, char *dense, bool gather) {
    int64_t index[MAX_RANK] = {0};
    int rank = e->shape.rank, last = rank - 1;
    int64_t run = rank ? e->shape.dim[last] : 1, step = rank ? e->stride[last] : 0;
    for (int64_t done = 0; done < e->count; done += run) {
        char *p = strided;
        for (int j = 0; j < last; j++) p += index[j] * e->stride[j];
        for (int64_t i = 0; i < run; i++, p += step, dense += item)
            gather ? memcpy(dense, p, item) : memcpy(p, dense, item);
        for (int j = last - 1; j >= 0 && ++index[j] == e->shape.dim[j]; j--) index[j] = 0;
    }
}

static Status gather(State *A, const arr_view *v, const Extent *e, Node **out) {
    Array *a;
    TRY(array_new(&A->cx, A->rt->cpu, (DType)v->dtype, &e->shape, &a));
    move_items(v->data, e, dtype_size((DType)v->dtype), a->buf->ptr, true);
    if (v->dtype == ARR_BOOL) array_settle_bools(a->buf->ptr, e->count);
    return graph_leaf(A->rt, a, out);
}

/* ---- making ---- */

static Status copy_view(State *A, const arr_view *v, Node **out) {
    Extent e;
    Device *d;
    TRY(view_check(A, v, &e));
    if (e.count == 0) return graph_host(A->rt, (DType)v->dtype, &e.shape, NULL, out);
    TRY(view_device(A, v, &d));
    bool host = d == A->rt->cpu;
    if (host && (!e.aligned || v->dtype == ARR_BOOL)) return gather(A, v, &e, out);
    if (!e.aligned) return bad_view(A, "addresses are no multiples of the element's size");
    Array *lent, *own;
    TRY(lend(A, d, v, &e, &lent));
    Status st = place_copy(A->rt, lent, &own);
    array_release(&A->cx, lent);
    TRY(st);
    return graph_leaf(A->rt, own, out);
}

/* Are all bytes of the booleans 0 or 1? */
static bool bools_settled(const arr_view *v, const Extent *e) {
    int64_t index[MAX_RANK] = {0};
    int last = e->shape.rank - 1;
    int64_t run = last >= 0 ? e->shape.dim[last] : 1, step = last >= 0 ? e->stride[last] : 0;
    unsigned all = 0;
    for (int64_t done = 0; done < e->count && all <= 1; done += run) {
        const uint8_t *p = v->data;
        for (int j = 0; j < last; j++) p += index[j] * e->stride[j];
        for (int64_t i = 0; i < run; i++) all |= p[i * step];
        for (int j = last - 1; j >= 0 && ++index[j] == e->shape.dim[j]; j--) index[j] = 0;
    }
    return all <= 1;
}

static Status wrap_view(State *A, const arr_view *v, Node **out) {
    Extent e;
    Device *d;
    Array *a;
    TRY(view_check(A, v, &e));
    TRY(view_device(A, v, &d));
    bool host = d == A->rt->cpu;
    bool fits = e.aligned && (v->dtype != ARR_BOOL || (host && bools_settled(v, &e)));
    if (!fits || e.count == 0) return copy_view(A, v, out);
    TRY(lend(A, d, v, &e, &a));
    return graph_leaf(A->rt, a, out);
}

/* The frame of the calls that make an array's handle. */
static arr_status handle_for(State *A, Status st, Node *n, arr_value **out) {
    if (st == ARR_OK) st = api_handle(A, value_node(n), out);
    return api_end(A, st);
}

arr_status arr_value_array(arr_state *A, arr_dtype dtype, int rank, const int64_t *shape,
                           const void *data, arr_value **out) {
    arr_view v = {.data = (void *)(uintptr_t)data, .dtype = dtype, .rank = rank, .shape = shape};
    return arr_value_array_copy(A, &v, out);
}

arr_status arr_value_array_copy(arr_state *A, const arr_view *from, arr_value **out) {
    if (out) *out = NULL;
    if (!A || !from || !out) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Node *n = NULL;
    Status st = copy_view(A, from, &n);
    return handle_for(A, st, n, out);
}

arr_status arr_value_array_wrap(arr_state *A, const arr_view *memory, void (*release)(void *user),
                                void *user, arr_value **out) {
    if (out) *out = NULL;
    if (!A || !memory || !out) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Node *n = NULL;
    arr_status st = wrap_view(A, memory, &n);
    st = handle_for(A, st, n, out);
    if (st == ARR_OK) loan_promise(A, (*out)->v.node, release, user);
    return st;
}

arr_status arr_value_array_make(arr_state *A, arr_dtype dtype, int rank, const int64_t *shape,
                                void **data, arr_value **out) {
    if (out) *out = NULL;
    if (data) *data = NULL;
    if (!A || !data || !out) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Extent e;
    Array *a = NULL;
    Node *n = NULL;
    arr_view v = {.data = &e, .dtype = dtype, .rank = rank, .shape = shape};
    Status st = view_check(A, &v, &e);
    if (st == ARR_OK && e.count == 0) st = graph_host(A->rt, (DType)dtype, &e.shape, NULL, &n);
    if (st == ARR_OK && e.count > 0) {
        st = array_new(&A->cx, A->rt->cpu, (DType)dtype, &e.shape, &a);
        if (st == ARR_OK) st = graph_leaf(A->rt, a, &n);
    }
    st = handle_for(A, st, n, out);
    if (st != ARR_OK || !a) return st;
    *data = a->buf->ptr;
    (*out)->raw = dtype == ARR_BOOL ? a->buf->ptr : NULL;
    return ARR_OK;
}

void api_settle(arr_value *h) {
    array_settle_bools(h->raw, node_size(h->v.node));
    h->raw = NULL;
}

/* ---- reading ---- */

Status api_need_array(State *A, const arr_value *h) {
    if (h->v.kind == V_ARRAY) return ARR_OK;
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE, "the value is a %s, not an array",
                     value_kind_name(h->v.kind));
}

/* The bytes of h's elements, if cap bytes at dst hold them. */
Status api_read_size(State *A, const arr_value *h, const void *dst, size_t cap, size_t *need) {
    TRY(api_need_array(A, h));
    *need = (size_t)node_size(h->v.node) * dtype_size((DType)h->v.node->dtype);
    if (cap >= *need && (dst || *need == 0)) return ARR_OK;
    return error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE,
                     "the array has %zu bytes, there is room for %zu", *need, dst ? cap : 0);
}

arr_status arr_value_read(const arr_value *h, void *dst, size_t cap) {
    State *A = handle_state(h);
    size_t need = 0;
    if (!A) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Status st = api_read_size(A, h, dst, cap, &need);
    if (st == ARR_OK && need) st = exec_read(A->rt, h->v.node, dst);
    return api_end(A, st);
}

/* What a view to be written into must be, for this array. */
static Status check_target(State *A, const Node *n, const arr_view *to, Extent *e) {
    TRY(view_check(A, to, e));
    if (to->place != ARR_PLACE_HOST) return bad_view(A, "memory is not the host's: map the array");
    bool same = (DType)to->dtype == (DType)n->dtype && e->shape.rank == n->shape.rank;
    for (int j = 0; same && j < n->shape.rank; j++) same = e->shape.dim[j] == n->shape.dim[j];
    if (!same) {
        char have[SHAPE_TEXT], want[SHAPE_TEXT];
        node_text(n, have);
        shape_text((DType)to->dtype, &e->shape, want);
        return error_set(&A->cx, ARR_ERR_SHAPE, SPAN_NONE, "the array is %s, the view %s", have,
                         want);
    }
    for (int j = 0; j < e->shape.rank; j++) {
        if (e->stride[j] == 0 && e->shape.dim[j] > 1)
            return bad_view(A, "elements share memory: a stride is 0");
    }
    return ARR_OK;
}

static Status read_view(State *A, Node *n, const arr_view *to) {
    Extent e;
    Array *a, *dense;
    TRY(check_target(A, n, to, &e));
    if (e.count == 0) return ARR_OK;
    TRY(exec_array(A->rt, n, A->rt->cpu, &a));
    Status st = place_contiguous(A->rt, a, A->rt->cpu, &dense);
    array_release(&A->cx, a);
    TRY(st);
    size_t item = dtype_size(dense->dtype);
    move_items(to->data, &e, item, (char *)dense->buf->ptr + (size_t)dense->offset * item, false);
    array_release(&A->cx, dense);
    return ARR_OK;
}

arr_status arr_value_read_view(const arr_value *h, const arr_view *to) {
    State *A = handle_state(h);
    if (!A || !to) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Status st = api_need_array(A, h);
    if (st == ARR_OK) st = read_view(A, h->v.node, to);
    return api_end(A, st);
}

/* ---- maps ---- */

typedef struct Mapping {
    struct Mapping *next;
    arr_place place;
    int count; /* calls that have not been undone */
    Array *a;  /* keeps the elements where they are */
    arr_view view;
    int64_t stride[MAX_RANK]; /* bytes */
} Mapping;

/* The elements on the device of a place; complete. */
static Status array_at(State *A, Node *n, arr_place place, Array **out) {
    Device *d = A->rt->cpu;
    if (place == ARR_PLACE_CUDA) TRY(place_cuda(A->rt, &d));
    TRY(exec_array(A->rt, n, d, out));
    if (d == A->rt->cpu) return ARR_OK;
    Status st = d->ops->sync(d);
    if (st != ARR_OK) array_release(&A->cx, *out);
    return st;
}

void api_view_of(const Array *a, int64_t stride[MAX_RANK], arr_view *v) {
    int64_t item = (int64_t)dtype_size(a->dtype);
    bool host = strcmp(a->buf->device->ops->kind, "cpu") == 0;
    for (int j = 0; j < a->shape.rank; j++) stride[j] = a->stride[j] * item;
    *v = (arr_view){.data = (char *)a->buf->ptr + a->offset * item,
                    .dtype = (arr_dtype)a->dtype,
                    .rank = a->shape.rank,
                    .shape = a->shape.dim,
                    .strides = stride,
                    .place = host ? ARR_PLACE_HOST : ARR_PLACE_CUDA};
    for (const char *p = host ? "" : a->buf->device->name + strlen("cuda:"); *p; p++)
        v->device = v->device * 10 + (*p - '0');
}

static Status map_array(State *A, arr_value *h, arr_place place, arr_view *out) {
    Mapping *m = h->maps;
    while (m && m->place != place) m = m->next;
    if (!m) {
        m = mem_zalloc(&A->cx.mem, sizeof *m);
        if (!m) return error_memory(&A->cx, sizeof *m);
        Status st = array_at(A, h->v.node, place, &m->a);
        if (st != ARR_OK) {
            mem_free(&A->cx.mem, m, sizeof *m);
            return st;
        }
        api_view_of(m->a, m->stride, &m->view);
        m->place = place;
        m->next = h->maps;
        h->maps = m;
    }
    m->count++;
    *out = m->view;
    return ARR_OK;
}

arr_status arr_value_map(const arr_value *v, arr_place place, arr_view *out) {
    arr_value *h = (arr_value *)(uintptr_t)v; /* the map is a cache, not the value */
    State *A = handle_state(v);
    if (out) *out = (arr_view)ARR_VIEW_INIT;
    if (!A || !out || (place != ARR_PLACE_HOST && place != ARR_PLACE_CUDA)) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Status st = api_need_array(A, h);
    if (st == ARR_OK) st = map_array(A, h, place, out);
    return api_end(A, st);
}

static void drop_map(State *A, Mapping **link) {
    Mapping *m = *link;
    *link = m->next;
    array_release(&A->cx, m->a);
    mem_free(&A->cx.mem, m, sizeof *m);
}

void arr_value_unmap(const arr_value *v, arr_place place) {
    arr_value *h = (arr_value *)(uintptr_t)v;
    State *A = handle_state(v);
    if (!A) return;
    for (Mapping **link = &h->maps; *link; link = &(*link)->next) {
        if ((*link)->place != place) continue;
        if (--(*link)->count == 0) drop_map(A, link);
        return;
    }
}

void api_drop_maps(arr_value *h) {
    while (h->maps) drop_map(h->A, &h->maps);
    h->raw = NULL;
}
