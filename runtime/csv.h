/* csv - numbers in text files: comma-separated, or separated by blanks.
 *
 * Callers: load and save. Loading: a first row with a field that is not a number is a header and is
 * skipped; blank lines and lines that begin with '#' are too; a UTF-8 mark, blanks around fields,
 * CRLF and a missing last newline are accepted; a field may stand in double quotes; an empty field
 * is nan. All fields integers: i64 (u64 where one passes 2^63-1 and none is negative); otherwise
 * f64, or c128 where one is complex. One column gives shape (rows), more give (rows, columns).
 * Errors are ARR_ERR_IO and name file, line, column and text. */
#ifndef ARR_CSV_H
#define ARR_CSV_H

#include "runtime/base/shape.h"

typedef struct CsvOptions {
    char delimiter; /* ',' ';' '\t' ..., or ' ': runs of blanks and tabs */
    int header;     /* rows to skip; -1: one if the first row is not all numbers */
    bool typed;     /* dtype was asked for */
    DType dtype;
} CsvOptions;
#define CSV_OPTIONS ((CsvOptions){',', -1, false, DT_f64})

typedef struct CsvData {
    DType dtype;
    Shape shape;  /* rank 1 or 2 */
    void *data;   /* C order; NULL where there are no elements */
    size_t bytes; /* what data was allocated with */
} CsvData;

Status csv_load(Cx *cx, Span at, const char *path, const CsvOptions *opt, CsvData *out);
/* The same from memory; path is for messages. */
Status csv_parse(Cx *cx, Span at, const char *path, const char *text, size_t n,
                 const CsvOptions *opt, CsvData *out);
void csv_free(Cx *cx, CsvData *d);

/* Rank 0, 1 (one element a line) or 2, each element with the shortest digits that read back in its
 * dtype; booleans as 0 and 1. Through a temporary file and a rename. */
Status csv_save(Cx *cx, Span at, const char *path, char delimiter, DType d, const Shape *s,
                const void *data);

#endif
