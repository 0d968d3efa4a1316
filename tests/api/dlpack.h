/* dlpack - DLPack's structs as the specification lays them out, written down a second time so that
 * the library's own are tested and not merely repeated. Callers: arrays.c, cuda.c. */
#ifndef TESTS_API_DLPACK_H
#define TESTS_API_DLPACK_H

#include <stdint.h>

typedef struct DLTensor {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;

struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor t;
};

#endif
