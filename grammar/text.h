/* text - the parts of the lexer that read text rather than code: strings with their escapes, the
 * text and holes of f-strings, comments that document a function, characters that are no token.
 * Callers: lexer.re. Invariant: lx->pos moves only over what was understood. */
#ifndef ARR_TEXT_H
#define ARR_TEXT_H

#include "grammar/lexer.h"

/* lx->pos stands behind the opening quotes, tok->lo before them (and before `f`). */
Status text_open(Lexer *lx, int *kind, Token *tok);
/* The next token inside an f-string's text or a hole's spec. */
Status text_next(Lexer *lx, int *kind, Token *tok);
/* The comment directly above the `fn` at that byte; *out stays NULL if there is none. */
Status text_doc(Lexer *lx, uint32_t fn, const AstText **out);
/* The error for a character that begins no token. */
Status text_strange(Lexer *lx, Token *tok);

/* Shared by both halves of the lexer. */
Status lexer_open(Lexer *lx, BracketKind kind, uint32_t at);

#endif
