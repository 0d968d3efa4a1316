/* index - x[...] taken apart: the items of an index normalised against a shape.
 * Callers: index.c (reading) and index_assign.c. See index.c for the method. */
#ifndef ARR_INDEX_H
#define ARR_INDEX_H

#include "interp/builtin.h"

typedef enum IndexKind { IX_INT, IX_SLICE, IX_NEW, IX_ARRAY, IX_MASK } IndexKind;

typedef struct IndexItem {
    IndexKind kind;
    int axis;                   /* of x; IX_NEW: the axis it stands before */
    bool fresh;                 /* IX_ARRAY: over a new axis of extent 1, as for a mask of rank 0 */
    int64_t start, count, step; /* IX_INT: start; IX_SLICE: all */
    Node *node;                 /* IX_ARRAY: i64, IX_MASK: bool; owned */
} IndexItem;

enum { INDEX_MAX = 2 * MAX_RANK };

typedef struct IndexPlan {
    int n;
    IndexItem item[INDEX_MAX];
    int narrays;  /* items that are IX_ARRAY or IX_MASK */
    int ellipsis; /* items before `...`; -1: there is none */
} IndexPlan;

/* Items for an array of this dtype and shape: `...` and missing axes filled with whole slices,
 * 0-d integer arrays taken as integers. Integers out of range are an error here. */
Status index_plan(State *A, DType t, const Shape *shape, const Value *items, int n, IndexPlan *out);
void index_plan_free(State *A, IndexPlan *p);
/* A slice of an axis with n elements: start, count and step. */
Status index_slice(State *A, const SliceObj *s, int64_t n, IndexItem *out);
/* The error for a value that cannot be an index. */
Status index_wrong(State *A, const Value *v);

/* index_sequence.c: reading other values than arrays. */
Status index_tuple(State *A, const Tuple *t, const Value *items, int n, Value *out);
Status index_string(State *A, const Str *s, const Value *items, int n, Value *out);
Status index_range(State *A, const RangeObj *r, const Value *items, int n, Value *out);

/* Are the items integers alone, as many as x has axes? Then *index holds them, as they are. */
bool index_integers(const Node *x, const Value *items, int n, int64_t *index);

/* The basic part as a view of x: integers drop their axis, slices and new axes apply, arrays and
 * masks leave their axes whole. *at[i]: axis of the view where item i begins, -1 for integers. */
Status index_basic(State *A, Node *x, const IndexPlan *p, Node **out, int at[INDEX_MAX]);

/* Masks become position arrays: afterwards every advanced item is one i64 array over one axis of
 * *view. A mask over k > 1 axes merges them (reshape). */
typedef struct IndexArrays {
    int n;
    int axis[MAX_RANK];    /* axes of the view, ascending */
    int named[MAX_RANK];   /* the axis of x that it stands for; -1: a mask's places, all inside */
    Node *index[MAX_RANK]; /* owned */
    bool front;            /* NumPy: a slice between them puts the indexed axes first */
    Shape shape;           /* of the index arrays, broadcast together */
    Shape result;          /* of view[index arrays] */
} IndexArrays;
Status index_arrays(State *A, const IndexPlan *p, const int at[INDEX_MAX], Node **view,
                    IndexArrays *out);
void index_arrays_free(State *A, IndexArrays *ia);

/* All index arrays as one along an axis of *merged, which has view's elements: view[...] is
 * take(*merged, *positions, *axis). */
Status index_merge(State *A, Node *view, const IndexArrays *ia, Node **merged, int *axis,
                   Node **positions);

#endif
