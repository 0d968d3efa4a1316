/* png - pictures: reading PNG files of every kind, writing grey, colour and alpha of 8 or 16 bits.
 *
 * Callers: load and save. A picture is (height, width) or (height, width, channels), with grey,
 * grey and alpha, red green blue, or those and alpha; palettes are resolved, 1, 2 and 4 bits scaled
 * to 8. Failures are ARR_ERR_IO and name the file. */
#ifndef ARR_PNG_H
#define ARR_PNG_H

#include "runtime/base/shape.h"

typedef struct PngData {
    DType dtype; /* u8 or u16 */
    Shape shape;
    void *data;
    size_t bytes; /* what data was allocated with */
} PngData;

Status png_load(Cx *cx, Span at, const char *path, PngData *out);
void png_free(Cx *cx, PngData *d);
/* bool (0 and 255), u8 or u16; rank 2, or 3 with 1 to 4 channels; nothing empty. */
Status png_save(Cx *cx, Span at, const char *path, DType d, const Shape *s, const void *data);

#endif
