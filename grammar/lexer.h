/* lexer - bytes to tokens with byte spans; decides which newlines end a statement.
 *
 * Callers: parse.c feeds the tokens to the grammar; explain.c looks at the open brackets. The text
 * is known to be valid UTF-8 without NUL bytes (lexer_check_text). Token kinds are the TK_ numbers
 * of the grammar. Strings, names and numbers are finished here: the grammar sees values.
 *
 *   f"a{x:.3f}"   FSTART  FTEXT a  LHOLE  NAME x  FSPEC  FTEXT .3f  RHOLE  FEND
 *
 * Invariant: open[1 .. depth] are the brackets not yet closed, innermost last; text inside
 * f-strings is a bracket of its own, so the innermost one tells how the next byte is read. */
#ifndef ARR_LEXER_H
#define ARR_LEXER_H

#include "grammar/ast.h"

typedef struct Token {
    uint32_t lo, hi;
    union {
        uint64_t u;          /* INT */
        double f;            /* FLOAT, IMAG */
        const AstText *text; /* STRING, FTEXT, NAME; FN: the comment above, or NULL */
        Op op;               /* CMP, MULOP, SHIFT, OPEQ */
    };
} Token;

/* What is open. Blocks end lines, the others do not; TEXT and SPEC are read as text. */
typedef enum BracketKind {
    BR_NONE,
    BR_PAREN, /* ( */
    BR_INDEX, /* [ */
    BR_BLOCK, /* { */
    BR_TEXT,  /* f"...": between the quotes */
    BR_HOLE,  /* { of an f-string, up to `:` */
    BR_SPEC   /* after the `:` of a hole */
} BracketKind;

typedef struct Bracket {
    uint8_t kind;
    uint8_t quote; /* TEXT, HOLE, SPEC: the string's quote */
    bool triple;
    int16_t head; /* first token of the statement read inside, 0 before any */
    uint32_t at;
} Bracket;

typedef struct Lexer {
    Cx *cx;
    Arena *arena;
    uint32_t src;
    const char *text;
    uint32_t n, pos;
    int last;          /* the token before; 0 at the start */
    uint32_t last_end; /* where it ended, newlines not counted */
    bool waiting;      /* the token before continues over newlines: an operator, `,`, `=`, ... */
    bool incomplete;   /* the error was the end of the text inside a triple quote */
    int depth;
    Bracket open[AST_NEST_MAX + 1]; /* [0] is the source itself */
} Lexer;

void lexer_init(Lexer *lx, Cx *cx, Arena *arena, uint32_t src, const char *text, size_t n);
/* UTF-8, no NUL bytes, short enough for spans. */
Status lexer_check_text(Cx *cx, uint32_t src, const char *text, size_t n);
/* The next token; kind 0 at the end, again and again. */
Status lexer_next(Lexer *lx, int *kind, Token *tok);
/* Infix and prefix operators, `=` and `op=`: something follows them. */
bool lexer_is_operator(int kind);
/* "NAME", for dumps. */
const char *lexer_kind_name(int kind);
/* 1-based line and column (in code points) of a byte. */
void lexer_place(const char *text, uint32_t at, uint32_t *line, uint32_t *column);
bool lexer_keyword(const char *name, size_t n, int *kind);
const char *lexer_keyword_at(size_t i);

#endif
