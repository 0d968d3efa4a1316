/* native_cuda - launching a native kernel: a template, its holes, its parameters.
 *
 * Private to native_cuda*.c. A kernel is built once for a template and its holes' texts. */
#ifndef ARR_NATIVE_CUDA_H
#define ARR_NATIVE_CUDA_H

#include "kernels/kernel_cuda.h"

typedef struct Hole {
    const char *name, *text;
} Hole;

typedef struct Native {
    const char *file; /* "scan_tiles": kernels/templates/scan_tiles.cu */
    Hole hole[8];     /* name NULL ends */
    bool complex;     /* helpers for complex numbers are needed */
} Native;

/* At least enough threads (BLOCK a block) for `work` items of one thread each. */
Status native_launch(Kernels *k, Device *d, const Native *n, int64_t blocks, unsigned threads,
                     void **params);
int64_t native_blocks(int64_t work);
/* The unsigned type of that many bytes (16: two words) that are only moved, or are a key. */
const char *native_item_type(size_t size);
/* An expression for a hole: v, an element in memory, as a value of dtype acc; and back. */
enum { NATIVE_TEXT = 160 };
Status native_load_text(Cx *cx, DType memory, DType acc, const char *v, char out[NATIVE_TEXT]);
Status native_store_text(Cx *cx, DType acc, DType memory, const char *v, char out[NATIVE_TEXT]);

#endif
