/* timer - one thread that raises the interrupt flag when a time is over.
 *
 * Callers: limits. The thread waits without using the processor, blocks every signal (they belong
 * to the host's threads) and touches nothing but the two flags. Setting and clearing it, once a
 * call of the host, costs two locks and wakes nobody. */
#ifndef ARR_TIMER_H
#define ARR_TIMER_H

#include "runtime/base/error.h"

typedef struct Timer Timer;

/* Starts the thread. ARR_ERR_LIMIT where the system gives none. */
Status timer_new(Cx *cx, Timer **out);
void timer_free(Timer *t); /* ends it; NULL allowed */
/* From now on in so many seconds. In the child of a fork the thread is started again. */
Status timer_set(Timer *t, double seconds);
/* Not any more: on return it will not happen. */
void timer_clear(Timer *t);

#endif
