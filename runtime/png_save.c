/* png_save - writing pictures: every row filtered by the one above, then deflated.
 *
 * Callers: save. */
#include "runtime/base/file.h"
#include "runtime/deflate.h"
#include "runtime/png.h"

#include <string.h>

static void put32(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static Status put_chunk(FileOut *f, const char *type, const void *data, size_t n) {
    uint8_t head[8], tail[4];
    put32(head, (uint32_t)n);
    memcpy(head + 4, type, 4);
    put32(tail, crc_add(crc_add(0, head + 4, 4), data, n));
    TRY(file_write(f, head, 8));
    TRY(file_write(f, data, n));
    return file_write(f, tail, 4);
}

/* Rows of samples, high byte first, each behind its filter: 2, the difference from the row above.
 */
static void filter_rows(DType d, const Shape *s, int channels, const void *data, uint8_t *out) {
    int64_t n = s->dim[1] * channels;

    for (int64_t y = 0; y < s->dim[0]; y++) {
        *out++ = 2;
        for (int64_t i = 0; i < n; i++) {
            unsigned v, up = 0;
            if (d == DT_u16) {
                const uint16_t *p = (const uint16_t *)data + y * n + i;
                v = *p;
                if (y > 0) up = p[-n];
                *out++ = (uint8_t)((v >> 8) - (up >> 8));
            } else {
                const uint8_t *p = (const uint8_t *)data + y * n + i;
                unsigned scale = d == DT_bool ? 255 : 1;
                v = *p * scale;
                if (y > 0) up = p[-n] * scale;
            }
            *out++ = (uint8_t)(v - up);
        }
    }
}

static Status write_file(FileOut *f, const uint8_t header[13], const Buf *z) {
    static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
    enum { CHUNK = 1 << 30 };
    TRY(file_write(f, magic, 8));
    TRY(put_chunk(f, "IHDR", header, 13));
    for (size_t at = 0; at < z->len; at += CHUNK)
        TRY(put_chunk(f, "IDAT", z->data + at, z->len - at < CHUNK ? z->len - at : CHUNK));
    return put_chunk(f, "IEND", "", 0);
}

Status png_save(Cx *cx, Span at, const char *path, DType d, const Shape *s, const void *data) {
    static const uint8_t types[5] = {0, 0, 4, 2, 6};
    int64_t channels = s->rank == 3 ? s->dim[2] : 1;
    bool fits = (s->rank == 2 || s->rank == 3) && channels >= 1 && channels <= 4 &&
                s->dim[0] >= 1 && s->dim[1] >= 1 && s->dim[0] <= INT32_MAX &&
                s->dim[1] <= INT32_MAX;
    char text[SHAPE_TEXT];
    shape_text(d, s, text);
    if (!fits)
        return error_set(
            cx, ARR_ERR_SHAPE, at,
            "cannot write %s: a picture is (height, width) or (height, width, channels) "
            "with 1 to 4 channels, not %s",
            path, text);
    if (d != DT_u8 && d != DT_u16 && d != DT_bool)
        return error_set(cx, ARR_ERR_DTYPE, at,
                         "cannot write %s: a picture holds u8, u16 or bool, not %s: write "
                         "u8(round(x * 255))",
                         path, text);
    size_t bytes = d == DT_u16 ? 2 : 1;
    size_t n = (size_t)s->dim[0] * (1 + (size_t)(s->dim[1] * channels) * bytes);
    uint8_t header[13] = {0}, *rows = mem_alloc(&cx->mem, n);
    if (!rows) return error_memory(cx, n);
    Buf z;
    buf_init(&z, cx);
    put32(header, (uint32_t)s->dim[1]);
    put32(header + 4, (uint32_t)s->dim[0]);
    header[8] = (uint8_t)(8 * bytes);
    header[9] = types[channels];
    filter_rows(d, s, (int)channels, data, rows);
    Status st = deflate_encode(cx, rows, n, &z);
    mem_free(&cx->mem, rows, n);
    FileOut f;
    if (st == ARR_OK) st = file_create(cx, at, path, &f);
    if (st == ARR_OK) {
        st = write_file(&f, header, &z);
        if (st == ARR_OK)
            st = file_commit(&f);
        else
            file_abandon(&f);
    }
    buf_free(&z);
    return st;
}
