/* format - text of arrays as NumPy's print writes them, and Python's format mini-language.
 *
 * format_array asks only for the elements that are shown, so that the rest need never leave the
 * device. Callers: value_format (print, str, repr), f-strings, format(). Errors are raised at
 * out->cx->span; text goes to *out, which a failed call leaves with a partial line. */
#ifndef ARR_FORMAT_H
#define ARR_FORMAT_H

#include "runtime/base/shape.h"
#include "runtime/base/buf.h"

/* NumPy's print options. */
enum { FORMAT_THRESHOLD = 1000, FORMAT_EDGE = 3, FORMAT_PRECISION = 8, FORMAT_WIDTH = 75 };

/* The corners that print shows. Along axis a, shown[a] elements: all, or the first and the last
 * FORMAT_EDGE where the array is summarised (more than FORMAT_THRESHOLD elements) and the axis is
 * longer than 2 * FORMAT_EDGE. An array without elements shows none. */
typedef struct FormatWindow {
    bool whole;   /* every element is shown */
    bool summary; /* more than FORMAT_THRESHOLD elements (all may still be shown) */
    int64_t shown[MAX_RANK];
    int64_t count; /* product of shown */
} FormatWindow;
void format_window(const Shape *s, FormatWindow *out);
/* Where the k-th shown element of an axis lies in the array. */
int64_t format_window_index(const FormatWindow *w, const Shape *s, int axis, int64_t k);

/* Copy `count` elements in C order from index[] to dst. A run stays inside the last axis, but for
 * one case: if the whole array is shown it is asked for at once (index all 0, count its size).
 * exec_read_run and exec_read do these two. */
typedef Status (*FormatRead)(void *user, const int64_t *index, int64_t count, void *dst);

/* print(x) of an array: what NumPy 2.3+ prints, booleans as true and false. Rank 0 as the shortest
 * text in its dtype. */
Status format_array(Buf *out, DType d, const Shape *s, FormatRead read, void *user);
/* The same from the shown elements, packed in C order (window.count of them). */
Status format_array_shown(Buf *out, DType d, const Shape *s, const void *shown);

/* Python's format mini-language: [[fill]align][sign][#][0][width][, or _][.precision][type] with
 * types d b o x X e E f F g G % for numbers (floats not as integers, complex only e f g) and s for
 * strings. An empty spec is the plain text. Width and fill count code points. Errors say which part
 * of the spec is wrong and for what kind of value. */
Status format_spec_scalar(Buf *out, const char *spec, size_t n, const Scalar *s);
Status format_spec_string(Buf *out, const char *spec, size_t n, const char *utf8, size_t len);

#endif
