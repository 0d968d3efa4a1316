/* letter_case - the same letter in the other case, for all of Unicode.
 *
 * Callers: upper and lower. The table is letter_case.def. Letters without one other letter (the
 * German sharp s among them), digits and signs stay as they are. Nothing depends on the locale. */
#ifndef ARR_LETTER_CASE_H
#define ARR_LETTER_CASE_H

#include <stdint.h>

uint32_t letter_upper(uint32_t c);
uint32_t letter_lower(uint32_t c);

#endif
