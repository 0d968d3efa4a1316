/* letter_case - see the header. Two tables of rows, searched by halves. */
#include "interp/letter_case.h"

#include <stddef.h>

/* Every step-th code point from first to last has its other letter `shift` away. */
typedef struct CaseRow {
    uint32_t first, last;
    int32_t step, shift;
} CaseRow;

static const CaseRow upper_rows[] = {
#define UPPER(first, last, step, shift) {first, last, step, shift},
#define LOWER(first, last, step, shift)
#include "interp/letter_case.def"
#undef UPPER
#undef LOWER
};

static const CaseRow lower_rows[] = {
#define UPPER(first, last, step, shift)
#define LOWER(first, last, step, shift) {first, last, step, shift},
#include "interp/letter_case.def"
#undef UPPER
#undef LOWER
};

static uint32_t shifted(const CaseRow *rows, size_t n, uint32_t c) {
    size_t lo = 0, hi = n;
    while (lo < hi) { /* the first row that does not end before c */
        size_t mid = (lo + hi) / 2;
        if (rows[mid].last < c)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == n || c < rows[lo].first) return c;
    const CaseRow *r = &rows[lo];
    return (c - r->first) % (uint32_t)r->step == 0 ? c + (uint32_t)r->shift : c;
}

uint32_t letter_upper(uint32_t c) {
    if (c < 128) return c >= 'a' && c <= 'z' ? c - 32 : c;
    return shifted(upper_rows, sizeof upper_rows / sizeof *upper_rows, c);
}

uint32_t letter_lower(uint32_t c) {
    if (c < 128) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return shifted(lower_rows, sizeof lower_rows / sizeof *lower_rows, c);
}
