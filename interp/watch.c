/* watch - is told by the graph of each node that is built and of each that fails.
 *
 * An index out of range is found when the work runs, perhaps long after the function that asked for
 * it has returned. So the calls that were running when such a node was built are noted, for the
 * latest CHAINS_KEPT nodes, and put into its error when it fails. Inside a try block these nodes
 * are held as well, so that each of its statements can force them before it changes a variable.
 * Callers: the graph, through the runtime's hooks. Invariant: only ops whose work can fail on data
 * cost anything here. */
#include "interp/watch.h"
#include "runtime/exec.h"

enum { CHAINS_KEPT = 64, WATCHED_MOST = 64 };

typedef struct Chain {
    uint64_t node; /* its id; 0: none */
    uint64_t call; /* serial of the innermost call */
    int n;
    ErrorFrame frames[ERROR_FRAMES_MAX];
} Chain;

/* A new op whose work fails on some data is entered here. */
static bool fails_on_data(uint16_t op) { return op == OP_take || op == OP_put; }

/* What has run well since the block was entered need not be forced at its end. */
static void drop_done(State *A) {
    int32_t kept = A->watched_from;
    for (int32_t i = kept; i < A->nwatched; i++) {
        if (A->watched[i]->state == NODE_DONE)
            node_release(A->rt, A->watched[i]);
        else
            A->watched[kept++] = A->watched[i];
    }
    A->nwatched = kept;
}

static void hold(State *A, Node *n) {
    int32_t count = A->nwatched - A->watched_from;
    if (count >= WATCHED_MOST && (count & (count - 1)) == 0) drop_done(A); /* at 64, 128, ... */
    if (A->nwatched == A->watched_cap) {
        int32_t cap = A->watched_cap ? A->watched_cap * 2 : 16;
        Node **p = mem_realloc(&A->cx.mem, A->watched, (size_t)A->watched_cap * sizeof *p,
                               (size_t)cap * sizeof *p);
        if (!p) return; /* then the error comes where the value is used */
        A->watched = p;
        A->watched_cap = cap;
    }
    A->watched[A->nwatched++] = node_retain(n);
}

void watched_drop(State *A, int32_t keep) {
    while (A->nwatched > keep) node_release(A->rt, A->watched[--A->nwatched]);
}

Status watched_force(State *A) {
    int32_t from = A->watched_from;
    TRY(exec_force(A->rt, A->watched + from, A->nwatched - from));
    watched_drop(A, from);
    return ARR_OK;
}

static void note_calls(State *A, const Node *n) {
    if (!A->chains) {
        A->chains = mem_zalloc(&A->cx.mem, CHAINS_KEPT * sizeof *A->chains);
        if (!A->chains) return; /* then the error goes without them */
    }
    Chain *c = &A->chains[n->id % CHAINS_KEPT];
    c->node = n->id;
    c->call = A->frame->call;
    c->n = 0;
    for (const Frame *f = A->frame; f && f->fn; f = f->caller) {
        if (c->n == ERROR_FRAMES_MAX) break;
        c->frames[c->n++] = (ErrorFrame){f->called, symbol_text(A, f->self->name)};
    }
}

/* The context is the state's first member. */
static void built(Runtime *rt, Node *n) {
    State *A = (State *)rt->cx;
    if (!fails_on_data(n->op)) return;
    if (A->try_depth) hold(A, n);
    if (A->frame && A->frame->fn) note_calls(A, n);
}

/* While the call that built it still runs, its frames are added by the error's way out. */
static void failing(Runtime *rt, const Node *n, Error *e) {
    State *A = (State *)rt->cx;
    const Chain *c = A->chains ? &A->chains[n->id % CHAINS_KEPT] : NULL;
    if (!c || c->node != n->id) return;
    for (const Frame *f = A->frame; f; f = f->caller) {
        if (f->call == c->call) return;
    }
    for (int i = 0; i < c->n; i++) e->frames[i] = c->frames[i];
    e->nframes = c->n;
    e->chained = true;
}

void watch_install(State *A) {
    A->rt->watch = built;
    A->rt->failing = failing;
}

void watch_free(State *A) {
    watched_drop(A, 0);
    mem_free(&A->cx.mem, A->watched, (size_t)A->watched_cap * sizeof *A->watched);
    mem_free(&A->cx.mem, A->chains, CHAINS_KEPT * sizeof *A->chains);
    A->watched = NULL;
    A->chains = NULL;
}
