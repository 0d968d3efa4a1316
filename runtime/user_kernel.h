/* user_kernel - a user's own CUDA C as a function: reading its parameters, and launching it.
 *
 * Callers: cuda_kernel and the functions that it makes. A kernel's parameters are the inputs, in
 * order, then one pointer an output. Inputs are values: their pointers must be const. Invariant:
 * nothing is compiled or launched before the whole call has been checked. */
#ifndef ARR_USER_KERNEL_H
#define ARR_USER_KERNEL_H

#include "runtime/graph.h"

enum { USER_PARAMS = 64, USER_NAME = 64, USER_TYPE = 32 };

typedef struct UserParam {
    char name[USER_NAME]; /* "" where it has none */
    char type[USER_TYPE]; /* without const and the star: "float" */
    DType dtype;          /* DT_COUNT: a type that is not one of ours */
    bool pointer, constant;
} UserParam;

typedef struct UserSignature {
    int n;
    UserParam param[USER_PARAMS];
    size_t at; /* of __global__ in the source */
    bool as_c; /* it is declared extern "C", by itself or in a block */
} UserSignature;

/* The parameters of the kernel `name` in a source. false: *why says what is missing. */
bool user_signature(const char *source, const char *name, UserSignature *out, char why[160]);

/* One argument, in the kernel's order. */
typedef struct UserArg {
    Node *node;              /* an input array (borrowed); NULL: the bytes */
    unsigned char bytes[16]; /* a scalar, in its parameter's type */
} UserArg;

typedef struct UserCall {
    const char *source, *name; /* as it is to be compiled: with extern "C" before the kernel */
    int ninput, noutput;
    UserArg input[USER_PARAMS];
    DType dtype[USER_PARAMS]; /* of the outputs */
    Shape shape[USER_PARAMS];
    int64_t grid[3], block[3], shared;
} UserCall;

/* Forces the inputs, compiles where needed, launches; outputs begin as zeros. out[noutput] receive
 * new references. ARR_ERR_DEVICE without a GPU; ARR_ERR_VALUE with the compiler's log. */
Status user_run(Runtime *rt, const UserCall *call, Node **out);

#endif
