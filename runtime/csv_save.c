/* csv_save - numbers to text files (see csv.h).
 *
 * Callers: save. Invariant: every element is the shortest text that reads back in its dtype; the
 * file appears when it is whole. */
#include "runtime/csv.h"
#include "runtime/base/file.h"
#include "runtime/base/numtext.h"

enum { CHUNK = 1 << 16 };

static int put_element(DType d, const char *p, char *out) {
    if (d != DT_bool) return numtext_element(d, p, out);
    *out = *p ? '1' : '0';
    return 1;
}

static Status put_rows(FileOut *f, char *text, char delimiter, DType d, int64_t rows,
                       int64_t columns, const char *p) {
    size_t n = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++, p += dtype_size(d)) {
            if (n > CHUNK - NUMTEXT_ELEMENT - 2) {
                TRY(file_write(f, text, n));
                n = 0;
            }
            if (j > 0) text[n++] = delimiter;
            n += (size_t)put_element(d, p, text + n);
        }
        text[n++] = '\n'; /* room was left for it */
        if (columns == 0 && n > CHUNK - 2) {
            TRY(file_write(f, text, n));
            n = 0;
        }
    }
    return file_write(f, text, n);
}

Status csv_save(Cx *cx, Span at, const char *path, char delimiter, DType d, const Shape *s,
                const void *data) {
    if (s->rank > 2) {
        char text[SHAPE_TEXT];
        shape_text(d, s, text);
        return error_set(cx, ARR_ERR_SHAPE, at,
                         "cannot write %s: text files hold at most 2 axes, not %s: use .npy", path,
                         text);
    }
    FileOut f;
    char *text = mem_alloc(&cx->mem, CHUNK);
    if (!text) return error_memory(cx, CHUNK);
    int64_t rows = s->rank > 0 ? s->dim[0] : 1, columns = s->rank > 1 ? s->dim[1] : 1;
    Status st = file_create(cx, at, path, &f);
    if (st == ARR_OK) {
        st = put_rows(&f, text, delimiter, d, rows, columns, data);
        if (st == ARR_OK)
            st = file_commit(&f);
        else
            file_abandon(&f);
    }
    mem_free(&cx->mem, text, CHUNK);
    return st;
}
