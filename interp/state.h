/* state - what an arr_state is: context, runtime, names, sources, modules, the value stack, and the
 * counted objects that only the interpreter looks into (functions, modules).
 *
 * Callers: all of interp. Invariant: nothing that a program can make lives outside of a State, and
 * arr_close gives all of it back. */
#ifndef ARR_STATE_H
#define ARR_STATE_H

#include "grammar/parse.h"
#include "interp/builtin.h"

/* Functions that build messages: their buffers must not widen the frames of the evaluator. */
#define COLD __attribute__((noinline, cold))
/* Kept apart, so that a path of recursion pays for its own locals only. */
#define APART __attribute__((noinline))

/* ---- names ---------------------------------------------------------------------------------- */

/* Interned names, numbered from 0. -1: out of memory (reported) or, from symbol_find, unknown. */
Symbol symbol_intern(State *A, const char *text, size_t n);
Symbol symbol_find(const State *A, const char *text, size_t n);
const char *symbol_text(const State *A, Symbol s);
/* What the language itself binds to a name: a builtin, a dtype, a constant; V_UNSET if nothing.
 * Borrowed. */
Value symbol_base(State *A, Symbol s);

typedef struct SymbolEntry {
    char *text;
    uint32_t len, hash;
    bool base_known;
    Value base;
} SymbolEntry;

typedef struct Symbols {
    SymbolEntry *entries;
    int32_t n, cap;
    int32_t *table; /* open addressing, -1: free; table_cap is a power of two */
    int32_t table_cap;
} Symbols;
void symbols_free(State *A);

/* ---- sources -------------------------------------------------------------------------------- */

/* One text that was evaluated. Functions made from it keep it whole; afterwards the tree is freed
 * and the text is kept for error positions as long as it is among the latest SOURCES_KEPT. */
enum { SOURCES_KEPT = 512 };

typedef struct Source {
    uint32_t refs, number;
    char *name; /* stands in messages */
    size_t name_size, text_size;
    char *text;
    size_t n;
    bool parsed; /* arena and root are alive */
    Arena arena;
    AstNode *root;
    Value *kept; /* values cached in the tree, released with it */
    uint32_t nkept, kept_cap;
} Source;

Status source_new(State *A, const char *name, const char *text, size_t n, Source **out);
Status source_parse(State *A, Source *s);
/* As the body of a function with these parameters: the root's one statement is that function. */
Status source_parse_body(State *A, Source *s, const char *const *params, int n);
Source *source_retain(Source *s);
void source_release(State *A, Source *s);
Source *source_find(const State *A, uint32_t number); /* NULL if forgotten */
/* Keep v (taken) until the tree dies. */
Status source_keep(State *A, Source *s, Value v);
/* The text of a span, NULL if forgotten. */
const char *source_text(const State *A, Span span, size_t *n);
void sources_free(State *A);
/* 1-based line and column (code points) of a span's begin; line 0 if forgotten. */
void source_position(const State *A, Span span, int *line, int *column);

/* ---- modules and functions ------------------------------------------------------------------ */

typedef struct GlobalVar {
    Symbol name;
    Value value; /* V_UNSET: not bound */
    Span bound;  /* where it became bound */
    bool weak;   /* the value is a pending array that the script does not read again */
} GlobalVar;

/* The top level of a file, of a stdlib module, or of the prompt. Lives as long as the state. */
struct Module {
    Module *next;
    char *key; /* resolved path or stdlib name; NULL: the main program */
    size_t key_size;
    Symbol name; /* for messages */
    bool loading, is_stdlib;
    DType flt; /* default float of its code */
    char *dir; /* directory that its imports are relative to; "" : the working directory */
    size_t dir_size;
    GlobalVar *vars;
    int32_t n, cap;
    int32_t *table; /* symbol -> index, open addressing */
    int32_t table_cap;
};

/* What the resolver found out about a function's text; lives in the source's arena. */
typedef struct FnCapture {
    int32_t from, to; /* slot of the enclosing function, own slot */
} FnCapture;

typedef struct FnSlot {
    Symbol name;
    Span bound; /* the first place that binds it */
} FnSlot;

typedef struct FnInfo {
    const AstFn *ast;
    Symbol name; /* "fn" where it has none */
    int32_t nslots, nparams, nrequired;
    int32_t self; /* slot of its own name, or -1 */
    bool has_rest;
    int32_t ncaptures;
    FnCapture *captures;
    FnSlot *slots;
} FnInfo;

/* What the host gave to make a function of its own. */
typedef struct HostFn {
    arr_host_fn fn;
    void *user;
    void (*destroy)(void *user);
    char *signature, *doc; /* doc: NULL if there is none */
    size_t signature_size, doc_size;
    struct Sig *sig; /* NULL: any number of arguments, none by name */
} HostFn;

struct Function {
    uint32_t refs;
    uint32_t ncaptured;
    Function *trash;    /* link of the list that value_release works off */
    const FnInfo *info; /* NULL: a host function, or bound */
    Source *source;
    Module *module;
    Symbol name;
    HostFn *host;            /* owned; NULL: not the host's */
    const BuiltinDef *bound; /* called with the captured values before the call's own; or NULL */
    Value captured[];
};

/* One activation: of a function, or of a file's top level (slots NULL). */
typedef struct Frame {
    Value *slots;
    const FnInfo *fn;
    Function *self;
    Module *module;
    Source *source;
    Value result; /* of `return` */
    bool prompt;  /* results of expressions are shown, not refused */
    int blocks;   /* exec_block calls that are running for this frame */
    struct Frame *caller;
    Span called;   /* the place of the call */
    uint64_t call; /* serial number; 0: a top level */
} Frame;

/* ---- the state ------------------------------------------------------------------------------ */

typedef struct StackBlock {
    struct StackBlock *prev;
    size_t used, cap;
    Value values[];
} StackBlock;

typedef struct SigEntry {
    const BuiltinDef *def;
    struct Sig *sig;
} SigEntry;

struct arr_state {
    Cx cx; /* first: Cx and State convert into each other */
    Runtime *rt;
    Symbols symbols;
    Source **sources; /* by number, ascending */
    int32_t nsources, sources_cap;
    uint32_t next_source;
    Module *main;    /* the host's and the prompt's top level */
    Module *modules; /* all, main included */
    Frame *frame;    /* whose code runs; NULL: none */
    StackBlock *stack;
    SigEntry *sigs; /* parsed signatures of builtins, hashed by address */
    int32_t nsigs, sigs_cap;
    Value last;          /* the prompt's last value */
    Span last_span;      /* the expression that gave it */
    bool last_fresh;     /* the running chunk made it */
    Value args;          /* the program's words, a tuple */
    Tuple *trash_tuples; /* containers that wait for being freed: see value_release */
    Record *trash_records;
    Function *trash_fns;
    bool draining;
    int depth;                     /* nested calls */
    int depth_most;                /* of them: arr_limits.recursion */
    int entered;                   /* nested API calls that evaluate */
    int host_errno;                /* when that call began: it is the host's */
    _Atomic uintptr_t owner;       /* the thread whose call runs; 0: none (limits.h) */
    char *stack_soft, *stack_hard; /* lowest address that C frames may reach; NULL: not asked yet */
    int try_depth;                 /* try blocks that are running */
    Node **watched;                /* inside try: nodes that can fail on data (retained) */
    struct Chain *chains;          /* who built the latest of them: watch.c */
    uint64_t calls;                /* serial of the latest call */
    int32_t nwatched, watched_cap;
    int32_t watched_from;          /* the innermost try block's first */
    const struct Frame *try_frame; /* whose try block that is; NULL: none runs */
    void *(*host_alloc)(void *user, void *p, size_t old, size_t n); /* the config's, or NULL */
    void (*write)(void *user, const char *text, size_t n);
    void *write_user;
    void (*report)(void *user, arr_status status, const char *text); /* each failed call */
    void *report_user;
    int (*progress)(void *user, double seconds);
    void *progress_user;
    double begun, next_progress; /* of the host's call, and when progress is due: state_clock */
    arr_import_fn import;        /* where files come from that are imported; NULL: from disk */
    void *import_user;
    void (*notice)(void *user, const char *text); /* cx.notice and cx.dump end here */
    void *user;                                   /* of notice and the allocator */
    double started;                               /* monotonic seconds */
    int exit_code;
    Status status;    /* of the last API call */
    Error last_error; /* kept for arr_error_* */
    Buf error_text, profile_text;
    Buf text;                  /* what a const char * answer points into */
    struct arr_value *handles; /* held by the host */
    int64_t nhandles;
    struct arr_fence *fences; /* reads under way */
    int64_t nfences;
    int64_t nexports; /* of memory: api_dlpack.c */
    int64_t nshells;  /* handles and fences that outlive the state; -1 while it is open */
#ifndef NDEBUG
    struct arr_value *freed[64]; /* handles given back lately, to know them when they come again */
    unsigned nfreed;
#endif
};

/* The seam of arr_open: everything but allocation of A itself. */
Status state_open(State *A, const arr_config *config);
/* Closing in two steps: everything that programs made; then memory and devices. */
void state_empty(State *A);
void state_close(State *A);
/* Program output. */
Status state_write(State *A, const char *text, size_t n);
double state_clock(void); /* monotonic, seconds */

/* n values, V_UNSET; given back in reverse order by stack_give, which releases what they hold.
 * NULL: out of memory (reported). */
Value *stack_take(State *A, size_t n);
void stack_give(State *A, Value *p, size_t n);

/* An API call begins: where C's stack stands. */
void stack_enter(State *A);
/* ARR_ERR_LIMIT (reported) when C's own stack is nearly used up. */
Status stack_exhausted(State *A);
static inline Status stack_check(State *A) {
    char *here = (char *)__builtin_frame_address(0);
    return here < A->stack_soft ? stack_exhausted(A) : ARR_OK;
}
static inline bool interrupted(State *A) { return __builtin_expect(cx_stopped(&A->cx), 0); }

/* ---- errors in words (report.c, suggest.c) -------------------------------------------------- */

/* The whole picture of an error: message, place, source line, caret, operands, calls. */
void report_error(State *A, const Error *e, Buf *out);
/* Unknown name: the message with NumPy's, Python's or a near word. */
Status report_unknown_name(State *A, Span at, const char *name);
enum { NAME_TEXT = 64 }; /* room for a name of the language */
/* The nearest name that the running code could mean. */
bool suggest_name(State *A, const char *word, char out[NAME_TEXT]);
/* The parameter, one of n, that NumPy's or another library's word for it means, or a near one. */
const char *suggest_param(const char *word, const char *const *params, size_t n);
/* The nearest of n words within an edit distance that makes it a likely slip, or NULL. */
const char *suggest_word(const char *word, const char *const *words, size_t n);
/* The Arr word for a word of NumPy or Python, or NULL. */
const char *suggest_foreign(const char *word);
/* Distance in edits (a swap of neighbours is one), at most limit + 1. */
int suggest_distance(const char *a, const char *b, int limit);

#endif
