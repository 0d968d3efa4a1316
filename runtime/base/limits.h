/* limits - what a host allows the programs of a state: time, operations, output, kernels, memory of
 * a GPU, files. Memory of the host is counted in mem, where all of it passes.
 *
 * Time, operations and output count from the beginning of the host's outermost call. When one of
 * them is used up, the context's interrupt flag takes its number and keeps it until that call ends:
 * whatever looks for interrupts stops, again and again, and no `try` catches it. Callers: interp
 * (setting, steps), exec (work), file (roots). Invariant: where nothing is limited, no question
 * costs more than one load. */
#ifndef ARR_LIMITS_H
#define ARR_LIMITS_H

#include "interp/arr.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Cx Cx;

/* What the interrupt flag says; 0: nothing. */
enum { STOP_HOST = 1, STOP_TIME, STOP_OPERATIONS, STOP_OUTPUT };

typedef struct Limits {
    bool set; /* some limit is */
    bool cuda_kernel;
    int files;                            /* ARR_FILES_ */
    double seconds;                       /* 0: as long as it takes; likewise below */
    uint64_t operations, output, kernels; /* at most */
    uint64_t device_bytes;                /* of a GPU's pool */
    uint64_t operated, written, compiled; /* so far */
    struct Timer *timer;                  /* NULL until seconds were limited */
    struct Roots *roots;                  /* ARR_FILES_ROOTS */
    _Atomic int expired;                  /* the timer's word, whatever the flag says */
} Limits;

/* The pending error for what the flag says: ARR_ERR_LIMIT with the limit's name and value. The flag
 * stays. */
arr_status limits_error(Cx *cx, int stop);
/* Raise flag and error. */
arr_status limits_stop(Cx *cx, int stop);
/* Is a limit reached that lasts until the host's call ends? */
bool limits_last(const Cx *cx);
/* n more operations; refused, and nothing of them is to be done, if they would pass the limit. */
arr_status limits_spend_counted(Cx *cx, uint64_t n);
/* n more kernels for the compiler. */
arr_status limits_compile(Cx *cx, uint64_t n);
/* Of n bytes of output that many may be written; fewer than n: the limit is reached. */
size_t limits_output(Cx *cx, size_t n);

/* The host's outermost call begins and ends. */
arr_status limits_begin(Cx *cx);
void limits_end(Cx *cx);
void limits_free(Cx *cx);

#endif
