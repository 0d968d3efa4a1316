/* api_array - what the parts of the public interface that deal in memory share.
 * Callers: api_array.c, api_dlpack.c. */
#ifndef ARR_API_ARRAY_H
#define ARR_API_ARRAY_H

#include "interp/api.h"

Status api_need_array(State *A, const arr_value *h); /* an error, if h is none */
/* The elements of a as a view; stride gets its steps and must live as long. */
void api_view_of(const Array *a, int64_t stride[MAX_RANK], arr_view *v);

#endif
