/* number - decimal text to double, exactly rounded and in no locale.
 * Callers: the lexer, readers of text files. Invariant: the result is the double nearest to the
 * decimal value, ties to even; too large is infinity, too small is zero or subnormal. */
#ifndef ARR_NUMBER_H
#define ARR_NUMBER_H

#include <stddef.h>

/* Read `[+-] digits [. digits] [e [+-] digits]` (digits on one side of the point suffice) at the
 * start of s. Answers the bytes used; 0, with *out unchanged, if there is no number. */
size_t number_read(const char *s, size_t n, double *out);

#endif
