/* api_dlpack - the public interface: arrays exchanged with other libraries as DLPack tensors.
 *
 * The structs below are those of DLPack 1.0 (github.com/dmlc/dlpack, include/dlpack/dlpack.h),
 * whose binary layout is its contract. Callers: hosts. Invariant: memory that was handed out stays
 * until its tensor is given back, the state's own memory with it, even after arr_close. */
#include "interp/api_array.h"
#include "runtime/exec.h"
#include "runtime/place.h"

typedef struct DLPackVersion {
    uint32_t major, minor;
} DLPackVersion;

typedef struct DLDevice {
    int32_t device_type, device_id;
} DLDevice;

typedef struct DLDataType {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides; /* strides in elements; NULL: C order */
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
enum { DL_INT, DL_UINT, DL_FLOAT, DL_BFLOAT = 4, DL_COMPLEX = 5, DL_BOOL = 6 };
enum { DL_READ_ONLY = 1, DL_MAJOR = 1, DL_MINOR = 0 };

static const DLDataType dl_type[DT_COUNT] = {
    [DT_bool] = {DL_BOOL, 8, 1},  [DT_i8] = {DL_INT, 8, 1},       [DT_i16] = {DL_INT, 16, 1},
    [DT_i32] = {DL_INT, 32, 1},   [DT_i64] = {DL_INT, 64, 1},     [DT_u8] = {DL_UINT, 8, 1},
    [DT_u16] = {DL_UINT, 16, 1},  [DT_u32] = {DL_UINT, 32, 1},    [DT_u64] = {DL_UINT, 64, 1},
    [DT_f16] = {DL_FLOAT, 16, 1}, [DT_bf16] = {DL_BFLOAT, 16, 1}, [DT_f32] = {DL_FLOAT, 32, 1},
    [DT_f64] = {DL_FLOAT, 64, 1}, [DT_c64] = {DL_COMPLEX, 64, 1}, [DT_c128] = {DL_COMPLEX, 128, 1},
};

/* ---- out ---- */

typedef struct Export {
    DLManagedTensorVersioned tensor;
    State *A;
    Array *a;
    int64_t shape[MAX_RANK], stride[MAX_RANK];
} Export;

static void export_free(DLManagedTensorVersioned *t) {
    if (!t) return;
    Export *e = t->manager_ctx;
    State *A = e->A;
    array_release(&A->cx, e->a);
    mem_free(&A->cx.mem, e, sizeof *e);
    if (--A->nexports == 0 && A->nshells >= 0) api_end_state(A);
}

/* The array where it lies: on the GPU its work is waited for. */
static Status export_array(State *A, Node *n, Array **out) {
    bool made = n->state == NODE_PENDING && n->op == OP_scalar;
    if (!made) TRY(exec_force(A->rt, &n, 1));
    Device *d = n->value ? n->value->buf->device : A->rt->cpu;
    TRY(exec_array(A->rt, n, d, out));
    if (d == A->rt->cpu) return ARR_OK;
    Status st = d->ops->sync(d);
    if (st != ARR_OK) array_release(&A->cx, *out);
    return st;
}

static void describe(Export *e) {
    const Array *a = e->a;
    arr_view v;
    api_view_of(a, e->stride, &v);
    for (int j = 0; j < a->shape.rank; j++) {
        e->shape[j] = a->shape.dim[j];
        e->stride[j] = a->stride[j];
    }
    bool host = v.place == ARR_PLACE_HOST;
    e->tensor = (DLManagedTensorVersioned){
        .version = {DL_MAJOR, DL_MINOR},
        .manager_ctx = e,
        .deleter = export_free,
        .flags = DL_READ_ONLY,
        .dl_tensor = {.data = v.data,
                      .device = {host ? DL_CPU : DL_CUDA, v.device},
                      .ndim = a->shape.rank,
                      .dtype = dl_type[a->dtype],
                      .shape = e->shape,
                      .strides = e->stride},
    };
}

arr_status arr_value_to_dlpack(const arr_value *h, struct DLManagedTensorVersioned **out) {
    State *A = handle_state(h);
    if (out) *out = NULL;
    if (!A || !out) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Status st = api_need_array(A, h);
    Export *e = st == ARR_OK ? mem_zalloc(&A->cx.mem, sizeof *e) : NULL;
    if (st == ARR_OK && !e) st = error_memory(&A->cx, sizeof *e);
    if (st == ARR_OK) st = export_array(A, h->v.node, &e->a);
    if (st != ARR_OK) {
        mem_free(&A->cx.mem, e, sizeof *e);
        return api_end(A, st);
    }
    e->A = A;
    describe(e);
    A->nexports++;
    *out = &e->tensor;
    return api_end(A, ARR_OK);
}

/* ---- in ---- */

static void import_free(void *user) {
    DLManagedTensorVersioned *t = user;
    if (t->deleter) t->deleter(t);
}

static Status refuse(State *A, const char *what, long long is) {
    return error_set(&A->cx, ARR_ERR_ARGUMENT, SPAN_NONE, "the tensor's %s, %lld, is not supported",
                     what, is);
}

/* The tensor as a view; its shape and strides (in bytes) go to the arrays given. */
static Status tensor_view(State *A, const DLManagedTensorVersioned *m, int64_t stride[MAX_RANK],
                          arr_view *v) {
    const DLTensor *t = &m->dl_tensor;
    int d = 0;
    if (m->version.major != DL_MAJOR) return refuse(A, "DLPack version", m->version.major);
    while (d < DT_COUNT && (dl_type[d].code != t->dtype.code || dl_type[d].bits != t->dtype.bits))
        d++;
    if (d == DT_COUNT || t->dtype.lanes != 1)
        return refuse(A, "type (256 code + bits)", t->dtype.code * 256 + t->dtype.bits);
    if (t->ndim < 0 || t->ndim > MAX_RANK) return refuse(A, "rank", t->ndim);
    bool cuda = t->device.device_type == DL_CUDA || t->device.device_type == DL_CUDA_MANAGED;
    if (!cuda && t->device.device_type != DL_CPU && t->device.device_type != DL_CUDA_HOST)
        return refuse(A, "device type", t->device.device_type);
    *v = (arr_view){.data = t->data ? (char *)t->data + t->byte_offset : NULL,
                    .dtype = (arr_dtype)d,
                    .rank = t->ndim,
                    .shape = t->shape,
                    .strides = t->strides ? stride : NULL,
                    .place = cuda ? ARR_PLACE_CUDA : ARR_PLACE_HOST,
                    .device = t->device.device_id};
    for (int j = 0; t->strides && j < t->ndim; j++) {
        if (!mul_i64(t->strides[j], (int64_t)dtype_size((DType)d), &stride[j]))
            return refuse(A, "stride", t->strides[j]);
    }
    return ARR_OK;
}

arr_status arr_value_from_dlpack(arr_state *A, struct DLManagedTensorVersioned *tensor,
                                 arr_value **out) {
    int64_t stride[MAX_RANK];
    arr_view v;
    if (out) *out = NULL;
    if (!A || !tensor || !out) return ARR_ERR_ARGUMENT;
    TRY(api_begin(A));
    Status st = tensor_view(A, tensor, stride, &v);
    TRY(api_end(A, st));
    return arr_value_array_wrap(A, &v, import_free, tensor, out);
}
