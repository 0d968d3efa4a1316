/* sort_cub - sorting through CUB's device-wide radix sort, as a shared object of its own.
 *
 * CUB brings the C++ runtime, static constructors and writable statics, which the library must not
 * have; nvcc builds this file where there is one. Caller: cuda_sort.c, which opens it at the first
 * sort; the functions are listed in cuda_lib.def. Works on the current GPU, in the given stream.
 * temp NULL: *bytes becomes the temporary memory that is needed, and nothing else is done.
 * Answers a cudaError_t. */
#include <cub/device/device_radix_sort.cuh>
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#define API extern "C" __attribute__((visibility("default")))

template <class K>
static int keys(void *temp, size_t *bytes, const void *in, void *out, int64_t n, int descending,
                cudaStream_t stream) {
    const K *from = static_cast<const K *>(in);
    K *to = static_cast<K *>(out);
    const int bits = 8 * sizeof(K);
    return descending ? cub::DeviceRadixSort::SortKeysDescending(temp, *bytes, from, to, n, 0, bits,
                                                                 stream)
                      : cub::DeviceRadixSort::SortKeys(temp, *bytes, from, to, n, 0, bits, stream);
}

/* type: "i32", "u64", "f32", ... as 'i', 'u' or 'f' and the size in bytes. */
API int arr_cub_sort_keys(char kind, int size, void *temp, size_t *bytes, const void *in, void *out,
                          int64_t n, int descending, cudaStream_t stream) {
    switch (kind * 16 + size) {
    case 'i' * 16 + 4: return keys<int32_t>(temp, bytes, in, out, n, descending, stream);
    case 'i' * 16 + 8: return keys<int64_t>(temp, bytes, in, out, n, descending, stream);
    case 'u' * 16 + 4: return keys<uint32_t>(temp, bytes, in, out, n, descending, stream);
    case 'u' * 16 + 8: return keys<uint64_t>(temp, bytes, in, out, n, descending, stream);
    case 'f' * 16 + 4: return keys<float>(temp, bytes, in, out, n, descending, stream);
    case 'f' * 16 + 8: return keys<double>(temp, bytes, in, out, n, descending, stream);
    default: return cudaErrorInvalidValue;
    }
}

template <class K, class V>
static int pairs(void *temp, size_t *bytes, void *const key[2], void *const value[2], int64_t n,
                 int bits, int *where, cudaStream_t stream) {
    cub::DoubleBuffer<K> k(static_cast<K *>(key[0]), static_cast<K *>(key[1]));
    cub::DoubleBuffer<V> v(static_cast<V *>(value[0]), static_cast<V *>(value[1]));
    int e = cub::DeviceRadixSort::SortPairs(temp, *bytes, k, v, n, 0, bits, stream);
    *where = k.selector;
    return e;
}

/* Stable, by the low `bits` bits of unsigned keys: what lies in key[0] and value[0] comes to lie in
 * key[*where] and value[*where], and the others are overwritten. */
API int arr_cub_sort_pairs(int key_size, int value_size, void *temp, size_t *bytes,
                           void *const key[2], void *const value[2], int64_t n, int bits, int *where,
                           cudaStream_t stream) {
    if (key_size == 4 && value_size == 4)
        return pairs<uint32_t, uint32_t>(temp, bytes, key, value, n, bits, where, stream);
    if (key_size == 8 && value_size == 4)
        return pairs<uint64_t, uint32_t>(temp, bytes, key, value, n, bits, where, stream);
    if (key_size == 4 && value_size == 8)
        return pairs<uint32_t, uint64_t>(temp, bytes, key, value, n, bits, where, stream);
    if (key_size == 8 && value_size == 8)
        return pairs<uint64_t, uint64_t>(temp, bytes, key, value, n, bits, where, stream);
    return cudaErrorInvalidValue;
}
