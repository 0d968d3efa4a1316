/* kernel - work goes to the CPU's loops or to compiled CUDA, by the device it is for.
 *
 * Callers: runtime/exec. The CPU reports a gather out of range in the program's own arguments at
 * once; a GPU notes the first one in a record that kernel_faults fetches when asked.
 * Invariant: no CUDA text, cache or record exists for a device before it gets its first kernel. */
#include "kernels/kernel_cuda.h"
#include "kernels/native_cpu.h"

#include <string.h>

static bool is_gpu(const Device *d) { return d->ops->launch != NULL; }

Status kernels_open(Cx *cx, Kernels **out) {
    Kernels *k = mem_zalloc(&cx->mem, sizeof *k);
    *out = NULL;
    if (!k) return error_memory(cx, sizeof *k);
    k->cx = cx;
    buf_init(&k->key, cx);
    *out = k;
    return ARR_OK;
}

void kernels_close(Kernels *k) {
    if (!k) return;
    cache_close(k->cache);
    cpu_cache_close(k->plans);
    cuda_memos_free(k);
    for (int i = 0; i < KERNEL_DEVICES; i++) {
        FaultCell *f = &k->fault[i];
        if (f->record) f->device->ops->release(f->device, f->record, FAULT_BYTES);
        if (f->arrivals)
            f->device->ops->release(f->device, f->arrivals, f->narrivals * sizeof(uint32_t));
    }
    buf_free(&k->key);
    mem_free(&k->cx->mem, k, sizeof *k);
}

/* On the CPU the CUDA dump shows what a GPU would run; a GPU's kernels show when they are built. */
static Status dump_cuda(Kernels *k, const Program *p) {
    Cx *cx = k->cx;
    Buf text;
    if (!(cx->opts.dump & DUMP_CUDA) || !cx->dump) return ARR_OK;
    buf_init(&text, cx);
    Status s = emit_cuda(cx, p, NULL, &text);
    if (s == ARR_OK) cx->dump(cx->user, text.data, text.len);
    buf_free(&text);
    return s;
}

Status kernel_run(Kernels *k, Device *d, const Program *p, ProgArgs *a, int64_t lo, int64_t hi,
                  const char *name) {
    (void)name; /* kernels are named by their structure: see emit_plan */
    if (lo >= hi) return ARR_OK;
    if (is_gpu(d)) return cuda_run_program(k, d, p, a, lo, hi);
    TRY(dump_cuda(k, p));
    if (!k->plans) TRY(cpu_cache_open(k->cx, &k->plans));
    return run_cpu(k->plans, d, p, a, lo, hi);
}

/* ---- compiling ahead ---- */

/* Programs whose kernels are all there are only looked at now and then. */
bool kernel_foresee_begin(Kernels *k, Device *d) {
    enum { PATIENCE = 8, NOW_AND_THEN = 16 };
    if (!is_gpu(d) || !d->ops->compile_many) return false;
    if (k->idle >= PATIENCE && k->idle++ % NOW_AND_THEN != 0) return false;
    if (k->cache) cache_foresee_begin(k->cache);
    return true;
}

Status kernel_foresee(Kernels *k, Device *d, const Program *p, ProgArgs *a) {
    return cuda_foresee(k, d, p, a);
}

Status kernel_foresee_end(Kernels *k, Device *d) {
    if (!k->cache) return ARR_OK;
    int64_t before = d->stats.compiles;
    Status s = cache_compile_foreseen(k->cache, d);
    k->idle = d->stats.compiles > before ? 0 : k->idle < (1 << 20) ? k->idle + 1 : k->idle;
    return s;
}

/* ---- faults ---- */

static FaultCell *cell_of(Kernels *k, Device *d) {
    for (int i = 0; i < KERNEL_DEVICES; i++) {
        if (k->fault[i].device == d) return &k->fault[i];
        if (!k->fault[i].device) return k->fault[i].device = d, &k->fault[i];
    }
    return NULL;
}

static Status clear_record(Device *d, void *record) {
    static const int64_t clean[FAULT_BYTES / 8] = {INT64_MAX};
    return d->ops->upload(d, record, clean, sizeof clean);
}

Status kernel_fault_record(Kernels *k, Device *d, void **record) {
    FaultCell *f = cell_of(k, d);
    if (!f) return error_set(k->cx, ARR_ERR_LIMIT, k->cx->span, "too many GPUs in one state");
    if (!f->record) {
        TRY(d->ops->alloc(d, FAULT_BYTES, &f->record));
        Status s = clear_record(d, f->record);
        if (s != ARR_OK) {
            d->ops->release(d, f->record, FAULT_BYTES);
            f->record = NULL;
            return s;
        }
    }
    f->armed = true;
    *record = f->record;
    return ARR_OK;
}

Status kernel_arrivals(Kernels *k, Device *d, size_t n, void **out) {
    enum { LEAST = 1024 };
    FaultCell *f = cell_of(k, d);
    void *more;
    if (!f) return error_set(k->cx, ARR_ERR_LIMIT, k->cx->span, "too many GPUs in one state");
    *out = f->arrivals;
    if (n <= f->narrivals) return ARR_OK;
    if (n < LEAST) n = LEAST;
    TRY(d->ops->alloc(d, n * sizeof(uint32_t), &more));
    Status s = d->ops->zero(d, more, n * sizeof(uint32_t));
    if (s != ARR_OK) {
        d->ops->release(d, more, n * sizeof(uint32_t));
        return s;
    }
    if (f->arrivals) d->ops->release(d, f->arrivals, f->narrivals * sizeof(uint32_t));
    *out = f->arrivals = more, f->narrivals = n;
    return ARR_OK;
}

Status kernel_faults(Kernels *k, Device *d, int64_t fault[3]) {
    int64_t record[FAULT_BYTES / 8];
    memset(fault, 0, 3 * sizeof *fault);
    if (!is_gpu(d)) return ARR_OK;
    FaultCell *f = cell_of(k, d);
    if (!f || !f->armed) return ARR_OK;
    TRY(d->ops->download(d, record, f->record, sizeof record));
    f->armed = false;
    if (record[0] == INT64_MAX) return ARR_OK;
    fault[0] = 1, fault[1] = record[1], fault[2] = record[2];
    return clear_record(d, f->record);
}

Status kernel_compact(Kernels *k, Device *d, const Program *p, ProgArgs *a, int keep, int kept,
                      int64_t *count) {
    return cuda_run_compact(k, d, p, a, keep, kept, count);
}

/* ---- native kernels ---- */

Status native_scan(Kernels *k, Device *d, ReduceKind op, DType d_in, DType d_out, AxisShape s,
                   const void *in, void *out) {
    return is_gpu(d) ? native_cuda_scan(k, d, op, d_in, d_out, s, in, out)
                     : native_cpu_scan(d, op, d_in, d_out, s, in, out);
}

Status native_sort(Kernels *k, Device *d, DType t, AxisShape s, bool descending, const void *in,
                   void *out_values, int64_t *out_index) {
    return is_gpu(d) ? native_cuda_sort(k, d, t, s, descending, in, out_values, out_index)
                     : native_cpu_sort(d, t, s, descending, in, out_values, out_index);
}

Status native_nonzero(Kernels *k, Device *d, const uint8_t *mask, int64_t n, int64_t *index,
                      int64_t *count) {
    return is_gpu(d) ? native_cuda_nonzero(k, d, mask, n, index, count)
                     : native_cpu_nonzero(d, mask, n, index, count);
}

Status native_put(Kernels *k, Device *d, size_t itemsize, AxisShape s, const int64_t *index,
                  int64_t nindex, const void *value, void *out, int64_t fault[3]) {
    return is_gpu(d) ? native_cuda_put(k, d, itemsize, s, index, nindex, value, out, fault)
                     : native_cpu_put(d, itemsize, s, index, nindex, value, out, fault);
}

Status native_matmul(Kernels *k, Device *d, const DevMatmul *m) {
    return is_gpu(d) ? native_cuda_matmul(k, d, m) : native_cpu_matmul(d, m);
}

/* Smaller products are faster as they are: splitting costs passes over the operands, and every
 * chunk of the inner extent one over the result. */
static bool worth_splitting(const DevMatmul *m) {
    double all = (double)m->m * (double)m->n * (double)m->k;
    return m->m >= 512 && m->n >= 512 && m->k >= 256 && all >= 6e9; /* measured on an H200 */
}

Status native_split_matmul(Kernels *k, Device *d, const DevMatmul *m) {
    return worth_splitting(m) ? native_cuda_split_matmul(k, d, m) : d->ops->matmul(d, m);
}
