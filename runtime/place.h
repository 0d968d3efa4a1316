/* place - which device runs a piece of work, and getting values there.
 *
 * Callers: exec, runtime. In automatic mode the choice is a function of the work alone (kind of op,
 * shapes, dtypes), never of where values lie or of time: results whose last bits differ between
 * devices are so the same on every run. A group of fused operations is one piece of work: it goes
 * where its largest member alone would go, so that what is computed along the way need not cross.
 * Invariant: a node's twin holds the same elements as its value, on another device. */
#ifndef ARR_PLACE_H
#define ARR_PLACE_H

#include "runtime/graph.h"

enum { PLACE_AUTO, PLACE_CPU, PLACE_CUDA };

/* Worth a GPU: below 2^16 elements a launch with its copies (tens of microseconds) costs more than
 * the CPU's whole work. Products, sorts and scans are weighed in the same unit. */
enum { PLACE_WORTH = 1 << 16 };

/* The weight of running this node alone. */
int64_t place_node_work(const Node *n);
/* Would work of that weight run on the GPU? Opens nothing. */
bool place_is_cuda(Runtime *rt, int64_t work);
/* The device for work of that weight; opens the GPU if it is needed. */
Status place_device(Runtime *rt, int64_t work, Device **out);
/* The GPU, opened; ARR_ERR_DEVICE with the reason where it cannot be. */
Status place_cuda(Runtime *rt, Device **out);
/* Work on the GPU has failed with s. In automatic mode, if it is the GPU that cannot be used (lost,
 * or without its libraries), that is said once, everything goes to the CPU from now on, and the
 * answer is true: the error is gone, try again. */
bool place_fall_back(Runtime *rt, Status s);
/* The value of a done node on device d (copied there if need be): borrowed from the node. */
Status place_value(Runtime *rt, Node *n, Device *d, Array **out);
/* A fresh contiguous copy of a on its own device. */
Status place_copy(Runtime *rt, const Array *a, Array **out);
/* Write a's elements into out: one shape, one device, memory that does not overlap. */
Status place_copy_into(Runtime *rt, const Array *a, const Array *out);
/* A contiguous array with a's elements on d; a new reference, maybe to a itself. */
Status place_contiguous(Runtime *rt, Array *a, Device *d, Array **out);

#endif
