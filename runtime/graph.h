/* graph - lazy array nodes. Building a node checks shapes and dtypes and runs nothing.
 *
 * Nodes are counted. A node's inputs are retained by it; `refs - uses` are the references from
 * outside the graph (variables, containers, handles): such a node is "held". Freeing and walking
 * are loops, never recursion. When a node has run it becomes a leaf (value set, inputs released);
 * a node whose operation failed keeps the error and every use raises it again. Callers: interp
 * builds, exec runs. */
#ifndef ARR_GRAPH_H
#define ARR_GRAPH_H

#include "kernels/kernel.h"
#include "runtime/array.h"

typedef struct Node Node;
typedef struct Runtime Runtime;

/* Affine map of indices: input axis j is start[j] + step[j] * (index of output axis axis[j]), or
 * just start[j] where axis[j] < 0. Slices, flips, transposes, new axes and broadcasts are all of
 * this kind, and so are their compositions. */
typedef struct ViewMap {
    int in_rank;
    int64_t start[MAX_RANK], step[MAX_RANK];
    int8_t axis[MAX_RANK];
} ViewMap;

/* Element i along axis j of an update's value becomes element start[j] + i * step[j] of its base.
 */
typedef struct Rect {
    int64_t start[MAX_RANK], step[MAX_RANK];
} Rect;

/* + - * / and negations of float arrays of one dtype and shape and of numbers, made as one node:
 * the text of an expression that is evaluated again and again. It becomes nodes of its own, one for
 * each step, where a plan is cut (node_expand); a plan that is known needs none. */
enum { NODE_EXPR = OP_COUNT, EXPR_INPUTS = 12, EXPR_CONSTS = 16, EXPR_STEPS = 32 };
/* An operand of a step: an input, a constant, or an earlier step. */
enum { EXPR_CONST = 64, EXPR_STEP = 128 };

typedef struct ExprStep {
    uint16_t op;
    uint8_t a, b; /* b: not used by OP_neg */
} ExprStep;

typedef struct Expr {
    struct Expr *next; /* of the runtime's */
    uint64_t serial;
    uint8_t nin, nconst, nstep; /* the last step is the value */
    ExprStep step[EXPR_STEPS];
    Scalar constant[EXPR_CONSTS]; /* SC_INT, SC_FLOAT */
} Expr;

typedef enum NodeState { NODE_PENDING, NODE_DONE, NODE_FAILED } NodeState;

struct Node {
    uint32_t refs; /* all references */
    uint32_t uses; /* those from inputs of pending nodes */
    uint16_t op;   /* Op */
    uint8_t dtype;
    uint8_t state;
    uint8_t nin;          /* inputs; concat keeps its own count in nconcat */
    uint8_t mark;         /* scratch of walks, 0 between them */
    uint8_t listed;       /* in the runtime's list of pending nodes */
    uint8_t counted;      /* its value's bytes are in pending_bytes */
    uint8_t more_pending; /* of an expression: steps that it stands for, but one */
    uint32_t index;       /* scratch of the current plan */
    uint64_t id;          /* serial number: inputs have lower ones than the nodes made of them */
    Span span;            /* of the operation in the source */
    Node *in[3];
    Node **more; /* concat: all operands; NULL otherwise */
    int32_t nmore;
    union {
        struct {
            uint8_t bits[16];
        } scalar;      /* OP_scalar, in dtype */
        ViewMap *view; /* OP_view */
        struct {
            uint8_t kind, keepdims;
            uint32_t axes;
            double ddof;
        } reduce; /* axes: bit mask of in[0]'s */
        struct {
            uint8_t kind;
            uint8_t again; /* it was drawn whole before, and not kept */
            uint64_t key;
            int64_t low;
            uint64_t range;
        } draw;
        struct {
            uint8_t kind;
            int8_t axis, named; /* named: what an index out of range calls the axis of take, put */
            bool descending;
        } along;           /* scan, sort, argsort, take, put, concat */
        uint8_t precision; /* matmul: PRECISION_*, of f32; else 0 */
        const Expr *expr;  /* NODE_EXPR */
        Rect *rect;        /* update: of the base; extents are in[1]'s */
    } at;
    Array *value;      /* NODE_DONE */
    Array *twin;       /* the same elements on another device, or NULL */
    Error *error;      /* NODE_FAILED */
    Node *prev, *next; /* list of pending nodes, oldest first */
    Shape shape;       /* last, and extents beyond the rank are not set: it is most of the node */
};

/* Everything array work of one state hangs on. */
struct Runtime {
    Cx *cx;
    Device *cpu;
    Device *cuda; /* NULL until the first work worth it */
    Kernels *kernels;
    int cuda_state; /* 0 not tried, 1 open, -1 unavailable (notice sent) */
    int place;      /* 0: auto, 1: cpu, 2: cuda (explicit: everything runs there) */
    int cuda_index;
    int32_t process;       /* pid_t of the process that opened the GPU */
    DType flt;             /* default float of the running file: DT_f32 or DT_f64 */
    Node *oldest, *newest; /* pending nodes but constants and iotas, which cost nothing to keep */
    int64_t npending, pending_bytes; /* count; bytes only pending nodes keep alive (estimate) */
    int64_t nlive;                   /* nodes alive, for the leak check */
    uint64_t serial;
    struct PlanStore *plans; /* plan_keep.h; NULL until one is kept */
    Expr *exprs;             /* all there are: as many as places in programs, but bounded */
    int nexpr;
    Node *spare; /* freed nodes kept for the next ones, linked by next */
    int nspare;
    unsigned dumps;          /* numbers the files of ARR_DUMP_DIR */
    struct Profile *profile; /* NULL until something was profiled */
    /* Told of each new node (inputs not yet set) and of each that fails for good, to whose error it
     * may add the calls that built the node. Either may be NULL. */
    void (*watch)(Runtime *rt, Node *n);
    void (*failing)(Runtime *rt, const Node *n, Error *e);
    uint64_t seed;  /* draws: mix64 state of the last seed() */
    uint64_t draws; /* k of the next draw */
};

/* What the states of an arr_shared have together (runtime/device/shared.h): one reference, the
 * caller's; NULL: out of memory. threads as arr_config has it. */
typedef struct Shared Shared;
Shared *runtime_share_new(void *(*alloc)(void *, void *, size_t, size_t), void *user, int threads);
Shared *runtime_share_retain(Shared *s);
void runtime_share_release(Shared *s); /* NULL allowed */
/* Has it this allocator? */
bool runtime_share_fits(const Shared *s, void *(*alloc)(void *, void *, size_t, size_t),
                        void *user);

/* Open with the switches in cx->opts (device, threads, cache). No GPU is touched. */
Status runtime_open(Cx *cx, Runtime **out);
void runtime_close(Runtime *rt); /* NULL allowed; nodes must be gone (debug builds assert) */
/* Is this the child of a process that has used a GPU through rt? Then it is gone. NULL allowed. */
bool runtime_forked(Runtime *rt);
/* Give back what is only kept for later: pooled memory, plans, spare nodes. */
void runtime_reclaim(Runtime *rt);
/* "cpu", "cuda", "cuda:1", "auto". ARR_ERR_DEVICE if an explicit choice cannot be had. */
Status runtime_set_device(Runtime *rt, Span at, const char *name);
/* Name of the device where a value of this size and dtype lives or would be computed. */
const char *runtime_device_name(Runtime *rt, const Node *n);

Node *node_retain(Node *n);
void node_release(Runtime *rt, Node *n); /* NULL allowed; loops, never recurses */
static inline bool node_held(const Node *n) { return n->refs > n->uses; }
/* One reference from outside that keeps n but does not ask for its value to be stored (a variable
 * that is not going to be read), and the way back, which must come before that reference ends. */
static inline void node_weaken(Node *n) { n->uses++; }
static inline void node_strengthen(Node *n) { n->uses--; }
int64_t node_size(const Node *n);
static inline int node_inputs(const Node *n) { return n->more ? n->nmore : n->nin; }
static inline Node *node_input(const Node *n, int i) { return n->more ? n->more[i] : n->in[i]; }
/* "f32[3,4]" */
void node_text(const Node *n, char out[SHAPE_TEXT]);
/* exec: n has run and becomes a leaf of this value (consumed), or has failed for good (e consumed).
 * Its inputs are released. */
void node_finish(Runtime *rt, Node *n, Array *value_take);
void node_fail(Runtime *rt, Node *n, Error *e_take);
/* The memory with n's value is gone (a lost GPU): n has failed from now on (e consumed). */
void node_lose(Runtime *rt, Node *n, Error *e_take);

/* An operand: an array node, or a weak language scalar (node NULL). */
typedef struct Operand {
    Node *node;
    Scalar s;
} Operand;

/* All builders: position of errors and of the node is cx->span; *out is a new reference; operands
 * are borrowed. */

/* Elementwise op by its row: promotes, casts, broadcasts. At least one operand is a node. Special
 * cases (x ** 2, comparisons out of range, bool errors) are decided here. */
Status graph_apply(Runtime *rt, Op op, const Operand *args, int n, Node **out);
/* The expression of these steps; *out NULL where there are too many already. */
Status graph_expr(Runtime *rt, const Expr *steps, const Expr **out);
/* Its value for these inputs: arrays of one float dtype and one shape, of rank 1 and more, and
 * integers or floats; at least one array. */
Status graph_apply_expr(Runtime *rt, const Expr *e, const Operand *inputs, Node **out);
/* A node of an expression becomes its last step; the other steps are its inputs. index: given to
 * the nodes that are made. constant[EXPR_CONSTS]: those of an older node of the same expression,
 * dtype and shape, or NULL each, to be filled. */
Status node_expand(Runtime *rt, Node *n, uint32_t index, Node **constant);
Status graph_cast(Runtime *rt, Node *a, DType to, Node **out); /* complex to real: error */
Status graph_bitcast(Runtime *rt, Node *a, DType to, Node **out);
Status graph_leaf(Runtime *rt, Array *value_take, Node **out); /* consumes the array */
Status graph_host(Runtime *rt, DType t, const Shape *s, const void *data, Node **out); /* copies */
Status graph_full(Runtime *rt, DType t, const Shape *s, const Scalar *v, Node **out);  /* lazy */
Status graph_iota(Runtime *rt, const Shape *s, Node **out); /* i64 flat index */
Status graph_draw(Runtime *rt, DrawKind kind, DType t, const Shape *s, int64_t low, uint64_t range,
                  Node **out); /* takes the next key */

Status graph_view(Runtime *rt, Node *a, const Shape *s, const ViewMap *m, Node **out);
Status graph_broadcast(Runtime *rt, Node *a, const Shape *s, Node **out);
Status graph_transpose(Runtime *rt, Node *a, const int *perm, Node **out);
Status graph_reshape(Runtime *rt, Node *a, const Shape *s, Node **out); /* counts must agree */

/* axes: bit mask over a's axes. Result dtype by ops.h's rules (acc: DT_COUNT or the `dtype=`
 * given). RED_VAR answers the variance. Empty min/max/argmin: ARR_ERR_VALUE naming the axis. */
Status graph_reduce(Runtime *rt, ReduceKind kind, Node *a, uint32_t axes, bool keepdims, DType acc,
                    double ddof, Node **out);
Status graph_scan(Runtime *rt, ReduceKind kind, Node *a, int axis, DType acc, Node **out);
Status graph_sort(Runtime *rt, Node *a, int axis, bool descending, Node **out);
Status graph_argsort(Runtime *rt, Node *a, int axis, bool descending, Node **out);
/* NumPy's matmul rules for every rank (1-d operands included), batched by broadcasting. */
Status graph_matmul(Runtime *rt, Node *a, Node *b, Node **out);
/* An index array as i64: what is too large for it stays out of range instead of wrapping. */
Status graph_positions(Runtime *rt, Node *index, Node **out);
/* index, i64, counted from the start of an axis of n elements: negative ones count from its end,
 * and each is checked when the work runs. axis: the axis's name in the error. */
Status graph_checked(Runtime *rt, Node *index, int64_t n, int axis, Node **out);
/* A take or put that stands for indexing another array than its input: the axis's name there. */
void graph_name_axis(Node *n, int axis);
/* a[..., index, ...] with an integer array along one axis: shape a[:axis] + index + a[axis+1:]. */
Status graph_take(Runtime *rt, Node *a, Node *index, int axis, Node **out);
/* base with a rectangle (start, step, extents = value's shape, same rank) replaced; value already
 * has base's dtype and the rectangle's shape. */
Status graph_update(Runtime *rt, Node *base, const int64_t *start, const int64_t *step, Node *value,
                    Node **out);
/* base with base[..., index, ...] = value along one axis; value broadcasts to the indexed shape. */
Status graph_put(Runtime *rt, Node *base, Node *index, Node *value, int axis, Node **out);
/* x[index] as a constant, where x has its value on the CPU; *out NULL where it has not, or an index
 * is out of range. */
Status graph_fetch(Runtime *rt, const Node *x, const int64_t *index, Node **out);
/* Is pending x small, and made of constants, counting, draws and stored values alone, by ops that
 * cannot fail? Then whoever reads it element by element does well to force it first. */
bool graph_is_handy(const Node *x);
/* x[index] = e at once, in x's own buffer: if x has its value on the CPU, `refs` references are all
 * there are to it, nothing pending reads it, every index is in range, and e is an element that is
 * known and fits. false: nothing has been done. */
bool graph_store(Runtime *rt, Node *x, uint32_t refs, const int64_t *index, const Operand *e);
Status graph_concat(Runtime *rt, Node *const *parts, int n, int axis, Node **out);

#endif
