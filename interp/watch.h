/* watch - nodes whose work can fail on data: who built them, and which of them a try block must
 * decide.
 * Callers: state (installs it), try. See watch.c. */
#ifndef ARR_WATCH_H
#define ARR_WATCH_H

#include "interp/state.h"

void watch_install(State *A);
/* Let go of held nodes down to `keep` of them. */
void watched_drop(State *A, int32_t keep);
void watch_free(State *A);

#endif
