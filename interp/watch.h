/* watch - nodes whose work can fail on data: who built them, and which of them a try block must
 * decide.
 * Callers: state (installs it), try. See watch.c. */
#ifndef ARR_WATCH_H
#define ARR_WATCH_H

#include "interp/state.h"

void watch_install(State *A);
/* Let go of held nodes down to `keep` of them. */
void watched_drop(State *A, int32_t keep);
/* Run what has been built since the innermost try block began. */
Status watched_force(State *A);
/* A statement of f is about to change variables: where f's try block could catch what its work may
 * still meet, that is decided first, so that the variables stay as they were. */
static inline Status watched_settle(State *A, const Frame *f) {
    return A->try_frame == f && A->nwatched > A->watched_from ? watched_force(A) : ARR_OK;
}
void watch_free(State *A);

#endif
