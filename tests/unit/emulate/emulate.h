/* emulate - a GPU that is none: kernels compiled by the host's C++ compiler over shim.hpp.
 *
 * The kernels layer sees a device with the CUDA backend's operations, so that emission, launches,
 * folds and native kernels are compared with the CPU's loops where there is no GPU. Built kernels
 * are kept below build/emulate, by hash. Callers: tests. */
#ifndef ARR_TEST_EMULATE_H
#define ARR_TEST_EMULATE_H

#include "runtime/device/device.h"

/* ARR_ERR_DEVICE where there is no C++ compiler. */
Status emulated_open(Cx *cx, Device **out);

#endif
