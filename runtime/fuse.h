/* fuse - what the files that cut plans into groups share (see fuse.c).
 *
 * Callers: fuse*.c alone. Functions that answer NULL or false without an error have run out of
 * memory where they say so; fuse_no_memory reports it. Invariant: a use that is decided is in its
 * group's list, which is in ascending order of nodes. */
#ifndef ARR_FUSE_H
#define ARR_FUSE_H

#include "runtime/plan.h"

static inline Status fuse_no_memory(Plan *p) { return error_memory(p->cx, sizeof(Group)); }
static inline bool fuse_is_renaming(const Node *n) {
    return n->op == OP_view || n->op == OP_reshape;
}

/* The group that g has become part of. */
Group *fuse_group(Group *g);
/* Can the operation be an instruction of a program (reductions aside)? */
bool fuse_is_fusible(const Node *n);

/* fuse_join.c */

/* Group g reads these elements of n, for a reduction or not. One request for equal ones. NULL: out
 * of memory. */
Use *fuse_request(Plan *p, Group *g, PNode *n, Access *a, bool inner);
/* Group g, or the step that it is part of, needs n in memory. */
void fuse_need_whole(PNode *n, const Group *g);
/* What becomes of a request: read from memory; as a whole; a member, whose operands are requested
 * (the access of a reshape's operand is the caller's). u may be NULL where it says out of memory.
 */
void fuse_load(Use *u);
void fuse_whole(Use *u);
Status fuse_join(Plan *p, Use *u, Access *through);
/* The result of a reduction becomes a member. FIT_OUTER: the group's outer loops are the result's;
 * the reduced loops are added unless they are there. FIT_CHAIN: the group's last loops are the
 * reduced ones. */
typedef enum Fit { FIT_NO, FIT_OUTER, FIT_CHAIN } Fit;
Status fuse_join_reduce(Plan *p, Use *u, Fit fit);
Status fuse_store(Plan *p, Use *u);
/* Would one more member keep the group within its bounds? */
bool fuse_has_room(const Group *g, const Node *n, bool store);
bool fuse_sums_fit(const Group *a, const Group *b);
/* May the reduction be computed in its only reader's group, and how? */
Fit fuse_reduce_fits(Plan *p, const Use *u);
/* fuse_chain.c: FIT_CHAIN, for a reduction over loops of these extents? */
bool fuse_chain_fits(Plan *p, const Use *u, const int64_t *dim, int count);

/* fuse_merge.c */

/* Requests follow their groups' merging, and equal ones become one. */
void fuse_settle(PNode *pn);
/* Make one group of the readers of pn where that can be. If it will be in memory, only of those
 * that read all of it: less than that is not worth waiting for each other. */
void fuse_merge_readers(Plan *p, PNode *pn, bool in_memory);

/* fuse_own.c: a group that puts pn into memory. */
Status fuse_own_group(Plan *p, PNode *pn);
/* The node whose elements a chain of views and reshapes renames. */
PNode *fuse_renamed(Plan *p, PNode *pn);

#endif
