/* place - choosing a device and moving values between devices and layouts (see place.h).
 *
 * Callers: exec, runtime. A value is moved as the range of memory that its elements span where they
 * lie densely in it, so that transposes and slices stay views on the other side.
 * Invariant: copies never change a node's own value, only its twin. */
#include "runtime/place.h"
#include "runtime/device/cuda_foresee.h"

#include <string.h>
#include <unistd.h>

/* ---- choosing ---- */

static int64_t clamp_mul(int64_t a, int64_t b) {
    int64_t r;
    return mul_i64(a, b, &r) ? r : INT64_MAX;
}

int64_t place_node_work(const Node *n) {
    int64_t size = node_size(n);
    switch (n->op) {
    case OP_matmul: { /* a multiply-add is a quarter of an element: 2^18 of them are worth it */
        const Shape *a = &n->in[0]->shape;
        int64_t k = a->dim[a->rank - 1];
        return clamp_mul(size, k) / 4;
    }
    case OP_reduce: return node_size(n->in[0]);
    case OP_sort:
    case OP_argsort: return clamp_mul(size, 8);
    case OP_draw: return clamp_mul(size, 2);
    default: return size;
    }
}

bool place_is_cuda(Runtime *rt, int64_t work) {
    if (rt->place != PLACE_AUTO) return rt->place == PLACE_CUDA;
    if (work < PLACE_WORTH || rt->cuda_state < 0) return false;
    if (rt->cuda_state == 0 && !device_cuda_likely()) rt->cuda_state = -1;
    return rt->cuda_state >= 0;
}

/* Is a product waiting that goes to the GPU's library? */
static bool product_pending(Runtime *rt) {
    for (const Node *n = rt->oldest; n; n = n->next)
        if (n->op == OP_matmul && !dtype_is_int((DType)n->dtype) && n->dtype != DT_bool &&
            place_is_cuda(rt, place_node_work(n)))
            return true;
    return false;
}

static Status start_cuda(Runtime *rt) {
    Foresee f = {.started = false};
    if (product_pending(rt)) foresee_products(&f, rt->cx);
    Status s = device_open_cuda(rt->cx, rt->cuda_index, &rt->cuda);
    foresee_end(&f);
    return s;
}

Status place_cuda(Runtime *rt, Device **out) {
    *out = rt->cuda;
    if (rt->cuda) return ARR_OK;
    TRY(start_cuda(rt));
    rt->cuda_state = 1;
    rt->process = getpid();
    *out = rt->cuda;
    return ARR_OK;
}

bool place_fall_back(Runtime *rt, Status s) {
    if (s != ARR_ERR_DEVICE || rt->place != PLACE_AUTO || rt->cuda_state < 0) return false;
    notice_send(rt->cx, "%s; working on the CPU", rt->cx->err.message);
    error_clear(rt->cx);
    rt->cuda_state = -1;
    return true;
}

Status place_device(Runtime *rt, int64_t work, Device **out) {
    *out = rt->cpu;
    if (!place_is_cuda(rt, work)) return ARR_OK;
    Status s = place_cuda(rt, out);
    if (!place_fall_back(rt, s)) return s;
    *out = rt->cpu;
    return ARR_OK;
}

/* ---- moving ---- */

/* Elements [*lo, *hi] of the buffer are those that a reaches. */
static void array_span(const Array *a, int64_t *lo, int64_t *hi) {
    *lo = *hi = a->offset;
    for (int j = 0; j < a->shape.rank; j++) {
        int64_t reach = (a->shape.dim[j] - 1) * a->stride[j];
        if (reach < 0)
            *lo += reach;
        else
            *hi += reach;
    }
}

typedef struct CopyWork {
    Program program;
    ProgArgs args;
} CopyWork;

/* out[i] = a[i] in C order, both on d. */
static void copy_program(CopyWork *w, Cx *cx, const Array *a, const Array *out) {
    Program *p = &w->program;
    int rank = a->shape.rank ? a->shape.rank : 1;
    program_init(p, cx, rank, 0);
    const Array *of[2] = {a, out};
    for (int i = 0; i < 2; i++) {
        SlotArg *s = &w->args.slot[program_slot(p)];
        *s = (SlotArg){.ptr = of[i]->buf->ptr, .offset = of[i]->offset};
        for (int j = 0; j < a->shape.rank; j++) s->stride[j] = of[i]->stride[j];
    }
    w->args.dim[0] = 1;
    for (int j = 0; j < a->shape.rank; j++) w->args.dim[j] = a->shape.dim[j];
    int v = program_add(p, (Instr){.kind = P_LOAD, .dtype = (uint8_t)a->dtype, .slot = 0});
    program_add(p,
                (Instr){.kind = P_STORE, .dtype = (uint8_t)a->dtype, .a = (uint16_t)v, .slot = 1});
    program_canonicalize(p, &w->args);
}

Status place_copy_into(Runtime *rt, const Array *a, const Array *out) {
    Device *d = a->buf->device;
    CopyWork *w = mem_zalloc(&rt->cx->mem, sizeof *w);
    if (!w) return error_memory(rt->cx, sizeof *w);
    copy_program(w, rt->cx, a, out);
    Status s = kernel_run(rt->kernels, d, &w->program, &w->args, 0,
                          program_outputs(&w->program, &w->args), "copy");
    mem_free(&rt->cx->mem, w, sizeof *w);
    return s;
}

Status place_copy(Runtime *rt, const Array *a, Array **out) {
    Device *d = a->buf->device;
    size_t item = dtype_size(a->dtype), n = (size_t)array_size(a) * item;
    TRY(array_new(rt->cx, d, a->dtype, &a->shape, out));
    if (n == 0) return ARR_OK;
    Status s =
        array_is_contiguous(a)
            ? d->ops->copy(d, (*out)->buf->ptr, (char *)a->buf->ptr + (size_t)a->offset * item, n)
            : place_copy_into(rt, a, *out);
    if (s != ARR_OK) {
        array_release(rt->cx, *out);
        *out = NULL;
    }
    return s;
}

static Status transfer(Runtime *rt, void *dst, Device *to, const void *src, Device *from,
                       size_t n) {
    if (from == rt->cpu) return to->ops->upload(to, dst, src, n);
    return from->ops->download(from, dst, src, n);
}

/* The memory range that a spans, on d, seen with a's strides. */
static Status move_range(Runtime *rt, const Array *a, Device *d, Array **out) {
    Buffer *b;
    int64_t lo, hi;
    size_t item = dtype_size(a->dtype);
    *out = NULL;
    array_span(a, &lo, &hi);
    size_t n = (size_t)(hi - lo + 1) * item;
    TRY(buffer_new(d, n, &b));
    Status s = transfer(rt, b->ptr, d, (char *)a->buf->ptr + (size_t)lo * item, a->buf->device, n);
    if (s == ARR_OK) s = array_view(rt->cx, b, a->dtype, &a->shape, a->stride, a->offset - lo, out);
    buffer_release(b);
    return s;
}

static Status move(Runtime *rt, Array *a, Device *d, Array **out) {
    int64_t lo, hi, size = array_size(a);
    if (size == 0) return array_new(rt->cx, d, a->dtype, &a->shape, out);
    array_span(a, &lo, &hi);
    /* a GPU that was given up may still give its memory, but runs no kernel that makes it dense */
    bool idle = a->buf->device == rt->cuda && rt->cuda_state < 0;
    if (idle || hi - lo + 1 <= size + size / 4) return move_range(rt, a, d, out);
    Array *dense;
    TRY(place_copy(rt, a, &dense));
    Status s = move_range(rt, dense, d, out);
    array_release(rt->cx, dense);
    return s;
}

Status place_value(Runtime *rt, Node *n, Device *d, Array **out) {
    *out = n->value;
    if (n->value->buf->device == d) return ARR_OK;
    if (n->twin && n->twin->buf->device != d) {
        array_release(rt->cx, n->twin);
        n->twin = NULL;
    }
    if (!n->twin) TRY(move(rt, n->value, d, &n->twin));
    *out = n->twin;
    return ARR_OK;
}

Status place_contiguous(Runtime *rt, Array *a, Device *d, Array **out) {
    Array *here = NULL;
    *out = NULL;
    if (a->buf->device != d) TRY(move(rt, a, d, &here));
    if (!here) here = array_retain(a);
    if (array_is_contiguous(here)) {
        *out = here;
        return ARR_OK;
    }
    Status s = place_copy(rt, here, out);
    array_release(rt->cx, here);
    return s;
}
