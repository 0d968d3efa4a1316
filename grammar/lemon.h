/* lemon - what parse.y offers to parse.c and explain.c beside the token numbers.
 * Invariant: the parser's memory is mem's; its stack has a fixed size. */
#ifndef ARR_LEMON_H
#define ARR_LEMON_H

#include "grammar/make.h"

Status parse_lemon_new(Cx *cx, void **out);
void parse_lemon_free(Cx *cx, void *y); /* NULL is allowed */
void parse_lemon(void *y, int kind, Token tok, Parser *p);
/* Could the next token be of that kind? */
bool parse_lemon_takes(const void *y, int kind);

#endif
