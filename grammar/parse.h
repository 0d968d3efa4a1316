/* parse - source text to syntax tree: runs the lexer (lexer.re) and the grammar (parse.y).
 * Callers: the interpreter (chunks, files, the stdlib, the prompt's "is it whole?").
 * Invariant: it evaluates nothing and keeps nothing; all output lives in the caller's arena. */
#ifndef ARR_PARSE_H
#define ARR_PARSE_H

#include "grammar/ast.h"

/* Parse n bytes of source number src (used in spans only).
 *   ARR_OK           *out is the root, a BLOCK (empty for empty text)
 *   ARR_INCOMPLETE   the text ends inside a statement: an open bracket or triple quote, an operator
 *                    that waits for its operand, an error at the very end (`if x`; but `if x` with
 *                    its newline is wrong for good, the brace stands on the line of its head); an
 *                    error is set as well, for callers that have no more text
 *   ARR_ERR_SYNTAX   error set, with its span
 *   ARR_ERR_LIMIT    nested deeper than AST_NEST_MAX or AST_DEPTH_MAX, error set
 *   ARR_ERR_MEMORY   error set
 * A leading `|>` takes LAST as its left side. With DUMP_TOKENS or DUMP_AST in cx->opts.dump, both
 * stages are written to cx->dump. */
Status parse_source(Cx *cx, Arena *arena, uint32_t src, const char *text, size_t n, AstNode **out);

/* The same as the body of a function with these parameters (names, all different): *out is a BLOCK
 * whose one statement is an EXPR with that FN. `return` may stand in the text; a last statement
 * that is an expression gives the function's result. */
Status parse_body(Cx *cx, Arena *arena, uint32_t src, const char *text, size_t n,
                  const char *const *params, int nparams, AstNode **out);

/* The tokens of a source, one a line: "1:5 NAME x". Stops at the first lexical error. */
Status parse_dump_tokens(Cx *cx, uint32_t src, const char *text, size_t n, Buf *out);

/* Is it one of the language's keywords? i-th keyword, NULL past the end (completion, messages). */
bool parse_is_keyword(const char *name, size_t n);
const char *parse_keyword(size_t i);

#endif
