/* sig - the signatures of builtins, parsed from their text at their first call.
 * Callers: call.c (binding), help. */
#ifndef ARR_SIG_H
#define ARR_SIG_H

#include "interp/state.h"

typedef enum SigKind {
    SIG_NEEDED,   /* name */
    SIG_DEFAULT,  /* name=literal */
    SIG_OPTIONAL, /* name=   (V_UNSET when left out) */
    SIG_REST,     /* name... */
    SIG_NAMED     /* name=... */
} SigKind;

typedef struct SigParam {
    Symbol name;
    SigKind kind;
    Value value; /* the default; owned */
} SigParam;

typedef struct Sig {
    Symbol name;
    int n, npositional; /* parameters before the first rest */
    int nneeded;
    int rest, named; /* their places, -1 if there is none */
    SigParam params[BUILTIN_MAX_PARAMS];
} Sig;

/* Kept by the state; NULL: out of memory (reported). */
const Sig *sig_of(State *A, const BuiltinDef *def);
/* One of the host's; ARR_ERR_ARGUMENT says what is wrong with the text. Freed with sig_free. */
Status sig_parse(State *A, const char *text, Sig **out);
void sig_free(State *A, Sig *sig);
void sigs_free(State *A);

#endif
