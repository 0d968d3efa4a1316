/* plan - what one force is going to do: the nodes it needs, cut into groups that run one by one.
 *
 *     nodes (plan.c)  ->  groups and uses (fuse.c, access.c)  ->  programs (lower.c)  ->  exec
 *
 * A loop group is one kernel program: a loop nest, and the values that are computed in it. Where a
 * group reads or computes an element of a node there is a Use: the node, and which of its elements,
 * as an affine function of the loops (Access). The other groups are work of native kernels, views
 * that need no work, and updates and concatenations, whose parts are loop groups that write into a
 * rectangle.
 *
 * Everything lies in the plan's arena. The plan holds one reference to each of its nodes that
 * counts as a use, so that "held" keeps meaning held from outside. Callers: exec, explain.
 * Invariant: groups are in an order in which every value is made before it is read. */
#ifndef ARR_PLAN_H
#define ARR_PLAN_H

#include "runtime/graph.h"

typedef struct Group Group;
typedef struct PNode PNode;
typedef struct Use Use;

/* Index along axis j of the node: v[j * (1 + nloop)] + sum over d of v[j * (1 + nloop) + 1 + d] *
 * loop d. Extents of 1 have index 0, so that equal accesses have equal numbers. Where the rank
 * differs from the node's it is 1: the flat C index. */
typedef struct Access {
    struct Access *next; /* of the group */
    int rank;
    int64_t *v;
} Access;

/* Why a node is a group's root instead of part of its reader's group. */
typedef enum Cut {
    CUT_NONE,
    CUT_ROOT,    /* it was asked for */
    CUT_HELD,    /* a variable holds it, and the reader does not visit all of it in a row */
    CUT_SHARED,  /* several groups read it */
    CUT_ACCESS,  /* it is read at several places */
    CUT_WHOLE,   /* its reader needs all of it in memory */
    CUT_KIND,    /* its operation has a kernel of its own */
    CUT_RESHAPE, /* the reader's loops do not follow the reshape */
    CUT_BOUND,   /* the group would become too large */
    CUT_OFF      /* fusion is switched off */
} Cut;
const char *cut_text(Cut c);

struct PNode {
    Node *node;     /* NULL once the plan is done with it */
    PNode *rep;     /* itself, or an older node with the same value (common sub-expression) */
    PNode *twin;    /* of a rep: the next node with its value */
    PNode *equal;   /* itself, or the oldest node that has its value today */
    Use *uses;      /* requests of groups, newest first */
    Group *own;     /* the group that puts its value into memory */
    uint64_t first; /* order of the earliest group that reads it from memory */
    uint32_t left;  /* uses by groups that have not run */
    uint8_t cut;    /* Cut */
    bool root;      /* asked for */
    bool held;      /* it or a twin is held from outside, and pending */
    bool cheap;     /* may be computed again wherever it is read */
    uint8_t steps;  /* of a range of numbers: instructions that make it from the index; else 0 */
    bool whole;     /* some group needs it in memory */
};

typedef enum UseKind {
    USE_OPEN,   /* requested, not decided yet */
    USE_MEMBER, /* computed here */
    USE_LOAD,   /* read from memory */
    USE_WHOLE   /* in memory as a whole: what a gather reads from; no access */
} UseKind;

struct Use {
    Use *of_node, *in_group; /* lists */
    PNode *node;
    Group *group;
    Access *access;
    Use *in[3];   /* a member's operands; of a take: index, source */
    Use *same;    /* after groups were merged: another use that is equal */
    uint8_t kind; /* UseKind */
    bool inner;   /* a reduction of the group is computed from it */
    bool store;   /* written to memory as well */
    bool outer;   /* lower, in a chain: computed once per output, from reductions */
    int spread;   /* lower: 1 + the instruction that spreads it over the elements; 0 none yet */
    int value;    /* lower: the instruction */
    Array *out;   /* exec: where it is stored */
};

typedef enum GroupKind {
    GROUP_LOOPS, /* one kernel program that makes its stored uses */
    GROUP_PART,  /* the same as a part of GROUP_PARTS: writes into a rectangle */
    GROUP_PARTS, /* update, concat */
    GROUP_VIEW,  /* view, reshape: another way to look at a value */
    GROUP_NATIVE /* matmul, scan, sort, argsort, put */
} GroupKind;

struct Group {
    Group *next;   /* in order of running; of a part: the next part */
    Group *merged; /* it became part of that group */
    Group *parts;  /* GROUP_PARTS */
    PNode **read;  /* VIEW, NATIVE, PARTS: the nodes of the root's inputs */
    int nread;
    uint8_t kind;
    int part;        /* GROUP_PART: which input */
    PNode *root;     /* the newest node that it makes */
    uint64_t order;  /* the root's id */
    int nloop, nred; /* the last nred loops are reduced away */
    bool chain;      /* results of reductions are used for the reduced elements */
    int64_t dim[MAX_RANK];
    Access *accesses;
    Use *uses; /* once decided: ascending ids, so that operands come first */
    int nuse, nslot, nscalar, nstore;
    int64_t work; /* for placement: the largest member */
    Use **stored; /* those that are written to memory */
    int nstored;
    bool gathers, draws;
    struct LoweredKept *kept; /* lower.h; NULL: it is lowered anew each time */
};

typedef struct Plan {
    Runtime *rt;
    Cx *cx;
    Arena arena;
    PNode *node; /* ascending ids */
    int n;
    Group *groups;
    int ngroup;
    bool fused;        /* the groups are there */
    bool chance;       /* some nodes are one because their constants are equal today */
    uint64_t hash;     /* of its structure, 0: it has no key (plan_keep.h) */
    bool again;        /* the structure has come before: it is going to be kept */
    int32_t *from;     /* of each node: its number among those that the key is of, -1: a step of an
                          expression. NULL: there were no expressions */
    struct Kept *kept; /* the store's part of a plan that was found there */
} Plan;

/* The nodes that the roots need, common sub-expressions found. A failed node in the cone of a root
 * is raised. known: it may be one that was cut before (fused), and may be kept. Always followed by
 * plan_close; ran: all its groups have run. */
Status plan_open(Runtime *rt, Node *const *roots, int n, bool known, Plan *out);
void plan_close(Plan *p, bool ran);
/* Cut into groups, unless it is. */
Status plan_fuse(Plan *p);
/* How often groups read each node, anew. Nobody asks where there is but one group of loops. */
void plan_count_uses(Plan *p);
/* The same elements in memory. */
bool plan_same_array(const Array *a, const Array *b);
/* The plan does not need this node any longer. */
void plan_drop(Plan *p, PNode *n);
static inline PNode *plan_node(const Plan *p, const Node *n) { return p->node[n->index].rep; }

/* ---- access.c ---- */

/* Zero rows for a node of that rank. NULL: out of memory (not reported). */
Access *access_new(Plan *p, Group *g, int rank);
bool access_equal(const Group *g, const Access *a, const Access *b);
/* Row j: [0] the constant, [1 + d] the factor of loop d. */
static inline int64_t *access_row(const Group *g, const Access *a, int j) {
    return a->v + (size_t)j * (size_t)(1 + g->nloop);
}
/* An element offset for these strides: row[0] the constant, row[1 + d] the stride of loop d. */
void access_strides(const Group *g, const Access *a, const int64_t *stride, int64_t *row);
/* The same for the flat C index in a node of shape s. */
void access_flat(const Group *g, const Access *a, const Shape *s, int64_t *row);
/* Do the loops but the last `skip` visit every element of a node of shape s once? */
bool access_is_bijective(const Group *g, const Access *a, const Shape *s, int skip);
/* Through a view: the elements of its input (of shape in). */
Access *access_view(Plan *p, Group *g, const Access *a, const ViewMap *m, const Shape *in);
/* Through a reshape from shape `in` to `out`: splits loops where that makes it affine. *ok false:
 * it is not. NULL with *ok true: out of memory. */
Access *access_reshape(Plan *p, Group *g, const Access *a, const Shape *in, const Shape *out,
                       bool *ok);
/* Add a loop after the others (not of extent 1 unless it must be there). */
Status group_add_loop(Plan *p, Group *g, int64_t dim);

#endif
