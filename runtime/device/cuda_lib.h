/* cuda_lib - the toolkit's libraries (NVRTC, cuBLAS, cuRAND), opened at their first use.
 *
 * Each library and function is listed once, in cuda_lib.def. Looked for, in this order: the folder
 * given (a toolkit, or a folder of libraries), the toolkit found at build, the usual places, pip's
 * nvidia folders, the loader's path. Callers: cuda.c, cuda_rtc.c, the compile helper. */
#ifndef ARR_CUDA_LIB_H
#define ARR_CUDA_LIB_H

#ifndef ARR_NO_CUDA
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <curand.h>
#include <nvrtc.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum CudaLibId {
#define LIBRARY(id, soname) CLIB_##id,
#define FN(id, result, symbol, arguments)
#include "runtime/device/cuda_lib.def"
#undef LIBRARY
#undef FN
    CLIB_COUNT
} CudaLibId;

enum { CUDA_LIB_PATH = 512 };

typedef struct CudaLib {
    void *handle[CLIB_COUNT]; /* NULL: not open */
#define LIBRARY(id, soname)
#define FN(id, result, symbol, arguments) result(*symbol) arguments;
#include "runtime/device/cuda_lib.def"
#undef LIBRARY
#undef FN
} CudaLib;

/* The library's file, without opening it; false where only the loader might know one. */
bool cuda_lib_find(const char *cuda_path, CudaLibId id, char path[CUDA_LIB_PATH]);
/* Open and bind (nothing to do if open). On failure false and one line of why. */
bool cuda_lib_open(CudaLib *l, const char *cuda_path, CudaLibId id, char *why, size_t n);
void cuda_lib_close(CudaLib *l);
const char *cuda_lib_soname(CudaLibId id);
#endif

#endif
