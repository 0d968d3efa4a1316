/* cuda_foresee - what will be needed is opened while the GPU starts.
 *
 * Starting the driver takes some 200 ms of one thread, opening cuBLAS for the first time as long
 * again. Callers: place. */
#ifndef ARR_CUDA_FORESEE_H
#define ARR_CUDA_FORESEE_H

#include "runtime/base/error.h"

#include <pthread.h>

typedef struct Foresee {
    pthread_t thread;
    char path[512];
    bool started;
} Foresee;

/* Begin to open the library of products, on a thread of its own that touches nothing of the
 * state's. Where it cannot be opened the first product says so. */
void foresee_products(Foresee *f, const Cx *cx);
/* Always after it, wanted or not; waits. */
void foresee_end(Foresee *f);

#endif
