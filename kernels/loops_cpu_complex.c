/* loops_cpu_complex - op loops of complex dtypes: scalar code, shared by all instruction sets. */
#include "kernels/loops_cpu.h"
#include "kernels/scalar.h"
#include "kernels/loops_names.h"

#undef bool /* a dtype's name here, pasted into others; the type is xbool */

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define XT c64
#define T Complex64
#define TR float
#define KIND_COMPLEX
#include "kernels/loops_type.h"
#define XT c128
#define T Complex128
#define TR double
#define KIND_COMPLEX
#include "kernels/loops_type.h"

const Loop *const loops_complex[2] = {loops_c64, loops_c128};
