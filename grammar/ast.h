/* ast - the syntax tree: node kinds (ast.def), their fields, the dump.
 *
 * Callers: the parser builds nodes through make.h; the interpreter reads them. Everything lives
 * in the arena given to parse_source, names and text included, and dies with it.
 *
 * Invariants: a tree is at most AST_DEPTH_MAX deep, because left spines of operators are one node
 * (BINARY, AND, OR hold all their operands) and `elif` chains are one IF; so walks may recurse. The
 * parser has checked what needs no values: targets, argument and parameter order and doubles,
 * break/continue/return in their places, the operands of |>. */
#ifndef ARR_AST_H
#define ARR_AST_H

#include "runtime/base/buf.h"
#include "runtime/base/ops.h"

typedef enum AstKind {
#define AST(kind, word, what) AST_##kind,
#include "grammar/ast.def"
#undef AST
    AST_COUNT
} AstKind;

enum {
    AST_DEPTH_MAX = 256, /* levels of a tree */
    AST_NEST_MAX = 200,  /* open brackets */
    /* flags */
    AST_PAREN = 1,   /* any expression: it stood in its own parentheses; a TUPLE () or (a, b) too */
    AST_QUIET = 2,   /* any simple statement: ended by `;` (the prompt shows nothing) */
    AST_NEGATED = 4, /* IN: `not in` */
    AST_PIPED = 8,   /* CALL: written x |> f(k); items[0] is x */
    AST_PATH = 16    /* IMPORT: a file's path, not a stdlib module */
};

typedef struct AstNode AstNode;

/* A name as written. sym and slot are the interpreter's: NULL and -1 from the parser. */
typedef struct AstName {
    const char *text; /* NUL-terminated */
    int32_t len;
    int32_t slot;
    void *sym;
    Span span;
} AstName;

typedef struct AstText { /* of strings: UTF-8, NUL-terminated, may hold NULs */
    const char *data;
    size_t len;
} AstText;

typedef struct AstParam {
    AstName name;
    AstNode *value; /* the default, or NULL; evaluated at each call that lacks it */
    Span span;      /* name and default */
    bool rest;      /* `rest...`: takes what is left as a tuple; always the last */
} AstParam;

typedef struct AstFn {
    AstName name; /* text NULL: anonymous */
    AstParam *params;
    int32_t nparams;
    bool is_block; /* body: a BLOCK; else an expression, the result */
    AstNode *body;
    AstText doc; /* the `#` lines directly above a top-level fn, without `# `; data NULL: none */
    Span head;   /* from `fn` to the closing parenthesis */
    void *info;  /* the interpreter's */
} AstFn;

/* One step of a left spine: `op` with the operand items[i] of the same index. */
typedef struct AstLink {
    Op op;
    Span at; /* the operator */
} AstLink;

/* Fields by kind; what is not named is zero. Lists are items[0 .. n).
 *
 *   INT      i
 *   UINT     u
 *   FLOAT    f
 *   IMAG     f           the imaginary part
 *   BOOL     i           0 or 1
 *   NONE, ELLIPSIS, LAST
 *   STRING   text
 *   FSTRING  items       STRING and HOLE, possibly none
 *   HOLE     a, b        expression; its format spec: NULL, STRING or FSTRING
 *   NAME     name        a name that is read; as a target or in DEL: bound or removed
 *   TUPLE    items
 *   LIST     items
 *   BINARY   a, items, links   a, then n >= 1 steps from the left:
 *                        acc = a; for each i: acc = acc links[i].op items[i]
 *                        ops: add sub mul div floordiv mod matmul pow bit_* shl shr eq ne lt le
 *                        gt ge. The text of a partial result is [a.span.lo, items[i].span.hi).
 *   UNARY    op, a       OP_neg or OP_bit_not
 *   AND, OR  items       n >= 2, short-circuit from the left
 *   NOT      a
 *   IN       a, b        a in b; AST_NEGATED
 *   COND     a, b, c     condition, value if true, value if false
 *   CALL     a, items    callee; arguments in order: expressions and SPREADs, then NAMEDs (a SPREAD
 *                        may follow a NAMED no more). A callee that is a FIELD without AST_PAREN is
 *                        the form x.f(y). AST_PIPED: items[0] stood left of |>; then a FIELD callee
 *                        is dotted through modules and records.
 *   NAMED    name, a
 *   SPREAD   a
 *   INDEX    a, items    base; items: expressions, SLICEs, ELLIPSIS; n >= 1
 *   SLICE    a, b, c     lo, hi, step; each may be NULL
 *   FIELD    a, name
 *   FN       fn
 *   DISCARD              a target
 *
 *   BLOCK    items       statements; the root of a source is one too
 *   EXPR     a           AST_QUIET: ended by `;`
 *   ASSIGN   a, b        target, value (a TUPLE without AST_PAREN if several). Targets: NAME,
 * DISCARD, TUPLE of targets, or INDEX/FIELD chains down to a NAME OPASSIGN op, a, b    a: NAME, or
 * an INDEX/FIELD chain down to a NAME IF       items       condition, BLOCK, condition, BLOCK, ...;
 * n odd: the last is else's BLOCK WHILE    a, b        condition, BLOCK FOR      a, b, c target,
 * iterable, BLOCK BREAK, CONTINUE FNDEF    fn          fn->name is bound RETURN   a           NULL:
 * none DEL      items       NAMEs ASSERT   a, b        condition; message or NULL TRY      a, b,
 * name  BLOCK, handler BLOCK, the name that the error is bound to IMPORT   text, name  path
 * (AST_PATH) or stdlib module; the name to bind */
struct AstNode {
    uint8_t kind; /* AstKind */
    uint8_t flags;
    uint16_t depth; /* levels of this tree: a leaf is 1 */
    int16_t op;     /* Op of UNARY and OPASSIGN */
    int32_t n;
    Span span; /* all of its text, own parentheses (AST_PAREN) included */
    Span at;   /* where a caret stands: the operator (BINARY: the last), the field, `[...]`, the
                  callee; else span */
    AstNode *a, *b, *c;
    AstNode **items;
    union {
        int64_t i;
        uint64_t u;
        double f;
        AstText text;
        AstLink *links;
        AstFn *fn;
    };
    AstName name;
    void *cache; /* the interpreter's: a literal's value, a resolved callee, ...; NULL from here */
};

static inline bool ast_is_statement(const AstNode *n) { return n->kind >= AST_BLOCK; }
const char *ast_word(AstKind kind);
/* An operator as it is written: "+", "@". */
const char *ast_operator(Op op);
/* The tree as text, one node a line, indented by two blanks a level; then a newline. */
void ast_dump(Buf *out, const AstNode *n);

#endif
