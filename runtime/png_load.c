/* png_load - reading pictures: chunks, decompression, filters, interlacing, palettes.
 *
 * Callers: load. Steps: all IDAT chunks joined and inflated; each row unfiltered against the one
 * above; samples of 1 to 16 bits spread to u8 or u16 and put in their place. Invariant: the size of
 * the inflated data follows from the header alone and is checked before anything is allocated by
 * it. */
#include "runtime/base/file.h"
#include "runtime/deflate.h"
#include "runtime/png.h"

#include <stdlib.h>
#include <string.h>

typedef struct Picture {
    Cx *cx;
    Span at;
    const char *path;
    int64_t width, height;
    int bits, type, channels;                /* channels as stored: 1 for a palette */
    bool interlaced, has_palette, has_alpha; /* has_alpha: a palette with transparency */
    uint8_t palette[256][4];
    int colours;
} Picture;

static Status damaged(const Picture *p, const char *why) {
    return error_set(p->cx, ARR_ERR_IO, p->at, "cannot read %s: %s", p->path, why);
}

static uint32_t get32(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

enum { GREY = 0, COLOUR = 2, PALETTE = 3, GREY_ALPHA = 4, COLOUR_ALPHA = 6 };

static Status read_header(Picture *p, const uint8_t *d, size_t n) {
    if (n != 13) return damaged(p, "its header is damaged");
    p->width = get32(d);
    p->height = get32(d + 4);
    p->bits = d[8];
    p->type = d[9];
    p->interlaced = d[12] == 1;
    static const uint8_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
    static const uint8_t depths[7] = {31, 0, 24, 15, 24, 0, 24}; /* bit k: 2^k bits are allowed */
    bool power = p->bits > 0 && (p->bits & (p->bits - 1)) == 0 && p->bits <= 16;
    bool known = p->type <= 6 && power && (depths[p->type] & p->bits);
    if (!known || d[10] || d[11] || d[12] > 1 || p->width < 1 || p->height < 1 ||
        p->width > INT32_MAX || p->height > INT32_MAX)
        return damaged(p, "its header describes no picture");
    p->channels = channels[p->type];
    return ARR_OK;
}

static void read_palette(Picture *p, const uint8_t *d, size_t n) {
    p->colours = (int)(n / 3 > 256 ? 256 : n / 3);
    p->has_palette = true;
    for (int i = 0; i < p->colours; i++) {
        memcpy(p->palette[i], d + 3 * i, 3);
        p->palette[i][3] = 255;
    }
}

static void read_transparency(Picture *p, const uint8_t *d, size_t n) {
    if (p->type != PALETTE) return; /* one transparent colour: left as it is */
    p->has_alpha = true;
    for (size_t i = 0; i < n && i < 256; i++) p->palette[i][3] = d[i];
}

/* Chunks into the picture; the compressed data to *idat. */
static Status read_chunks(Picture *p, const uint8_t *file, size_t n, Buf *idat) {
    size_t at = 8;
    bool begun = false, ended = false;
    while (!ended) {
        if (n - at < 12) return damaged(p, "it ends inside a picture");
        size_t len = get32(file + at);
        const uint8_t *type = file + at + 4, *d = file + at + 8;
        if (len > n - at - 12) return damaged(p, "it ends inside a picture");
        uint32_t crc = 0;
        TRY(crc_long(p->cx, type, len + 4, &crc));
        if (crc != get32(d + len)) return damaged(p, "a checksum is wrong");
        if (!begun && memcmp(type, "IHDR", 4) != 0) return damaged(p, "its header is missing");
        if (memcmp(type, "IHDR", 4) == 0) {
            if (begun) return damaged(p, "it has two headers");
            TRY(read_header(p, d, len));
            begun = true;
        } else if (memcmp(type, "PLTE", 4) == 0) {
            read_palette(p, d, len);
        } else if (memcmp(type, "tRNS", 4) == 0) {
            read_transparency(p, d, len);
        } else if (memcmp(type, "IDAT", 4) == 0) {
            buf_add(idat, d, len);
        } else if (memcmp(type, "IEND", 4) == 0) {
            ended = true;
        } else if (!(type[0] & 0x20)) {
            return damaged(p, "it needs a feature that is not known here");
        }
        at += len + 12;
    }
    if (p->type == PALETTE && !p->has_palette) return damaged(p, "its palette is missing");
    return buf_status(idat);
}

/* ---- rows ---- */

static int paeth(int a, int b, int c) {
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* Undo the filter of a row in place; up is the row above, or zeros. */
static bool unfilter(int filter, uint8_t *row, const uint8_t *up, size_t n, size_t step) {
    if (filter > 4) return false;
    for (size_t i = 0; i < n && filter > 0; i++) {
        int a = i < step ? 0 : row[i - step], b = up[i], c = i < step ? 0 : up[i - step];
        int add = filter == 1 ? a : filter == 2 ? b : filter == 3 ? (a + b) / 2 : paeth(a, b, c);
        row[i] = (uint8_t)(row[i] + add);
    }
    return true;
}

static int64_t row_bytes(const Picture *p, int64_t width) {
    return (width * p->channels * p->bits + 7) / 8;
}

static unsigned sample(const Picture *p, const uint8_t *row, int64_t i) {
    if (p->bits == 8) return row[i];
    if (p->bits == 16) return (unsigned)row[2 * i] << 8 | row[2 * i + 1];
    int64_t bit = i * p->bits;
    return row[bit / 8] >> (8 - p->bits - bit % 8) & ((1u << p->bits) - 1);
}

static int result_channels(const Picture *p) {
    return p->type == PALETTE ? (p->has_alpha ? 4 : 3) : p->channels;
}

/* The samples of one row to every step-th pixel of the result. */
static bool place_row(const Picture *p, const uint8_t *row, int64_t width, void *data, int64_t y,
                      int64_t x0, int64_t dx) {
    int nc = result_channels(p);
    for (int64_t x = 0; x < width; x++) {
        int64_t to = (y * p->width + x0 + x * dx) * nc;
        if (p->type == PALETTE) {
            unsigned colour = sample(p, row, x);
            if (colour >= (unsigned)p->colours) return false;
            memcpy((uint8_t *)data + to, p->palette[colour], (size_t)nc);
            continue;
        }
        for (int k = 0; k < nc; k++) {
            unsigned v = sample(p, row, x * nc + k);
            if (p->bits == 16)
                ((uint16_t *)data)[to + k] = (uint16_t)v;
            else
                ((uint8_t *)data)[to + k] =
                    (uint8_t)(p->bits < 8 ? v * 255 / ((1u << p->bits) - 1) : v);
        }
    }
    return true;
}

typedef struct Pass {
    int64_t x0, y0, dx, dy;
} Pass;
static const Pass adam7[7] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                              {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
static const Pass plain = {0, 0, 1, 1};

static int64_t pass_extent(int64_t n, int64_t from, int64_t step) {
    return n > from ? (n - from + step - 1) / step : 0;
}

/* Bytes of all rows with their filter bytes. */
static int64_t raw_bytes(const Picture *p) {
    int64_t n = 0;
    for (int i = 0; i < (p->interlaced ? 7 : 1); i++) {
        const Pass *s = p->interlaced ? &adam7[i] : &plain;
        int64_t w = pass_extent(p->width, s->x0, s->dx), h = pass_extent(p->height, s->y0, s->dy);
        if (w > 0) n += h * (1 + row_bytes(p, w));
    }
    return n;
}

static bool place_rows(const Picture *p, uint8_t *raw, const uint8_t *zeros, void *data) {
    size_t step = (size_t)(p->channels * p->bits + 7) / 8;
    for (int i = 0; i < (p->interlaced ? 7 : 1); i++) {
        const Pass *s = p->interlaced ? &adam7[i] : &plain;
        int64_t w = pass_extent(p->width, s->x0, s->dx), h = pass_extent(p->height, s->y0, s->dy);
        const uint8_t *up = zeros;
        for (int64_t y = 0; y < h && w > 0; y++) {
            size_t n = (size_t)row_bytes(p, w);
            if (p->cx->interrupt) return false;
            if (!unfilter(raw[0], raw + 1, up, n, step)) return false;
            up = raw + 1;
            if (!place_row(p, up, w, data, s->y0 + y * s->dy, s->x0, s->dx)) return false;
            raw += 1 + n;
        }
    }
    return true;
}

/* ---- the whole ---- */

static Status decode(Picture *p, const Buf *idat, PngData *out) {
    int64_t raw_n = raw_bytes(p), count;
    size_t line = (size_t)row_bytes(p, p->width);
    /* Nothing deflates below a thousandth: a small file asks for no large picture. */
    const uint8_t *z = (const uint8_t *)buf_text(idat);
    bool fine = false;
    if ((uint64_t)raw_n / 1100 > idat->len) return damaged(p, "its data is damaged");
    int nc = result_channels(p);
    out->dtype = p->bits == 16 ? DT_u16 : DT_u8;
    out->shape = (Shape){.rank = nc == 1 ? 2 : 3, .dim = {p->height, p->width, nc}};
    TRY(shape_count(p->cx, p->at, &out->shape, dtype_size(out->dtype), &count));
    out->bytes = (size_t)count * dtype_size(out->dtype);
    uint8_t *raw = mem_alloc(&p->cx->mem, (size_t)raw_n), *zeros = mem_zalloc(&p->cx->mem, line);
    out->data = mem_alloc(&p->cx->mem, out->bytes);
    Status st = ARR_OK;
    if (!raw || !zeros || !out->data) st = error_memory(p->cx, (size_t)raw_n + out->bytes);
    if (st == ARR_OK)
        st = deflate_decode(p->cx, DEFLATE_ZLIB, z, idat->len, raw, (size_t)raw_n, &fine);
    fine = st == ARR_OK && fine && place_rows(p, raw, zeros, out->data);
    if (st == ARR_OK && p->cx->interrupt) st = error_interrupted(p->cx);
    if (st == ARR_OK && !fine) st = damaged(p, "its data is damaged");
    mem_free(&p->cx->mem, raw, (size_t)raw_n);
    mem_free(&p->cx->mem, zeros, line);
    if (st != ARR_OK) png_free(p->cx, out);
    return st;
}

Status png_load(Cx *cx, Span at, const char *path, PngData *out) {
    static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
    Picture p = {.cx = cx, .at = at, .path = path};
    char *file;
    size_t n;
    Buf idat;
    *out = (PngData){.data = NULL};
    TRY(file_read_all(cx, at, path, &file, &n));
    buf_init(&idat, cx);
    Status st = n < 8 || memcmp(file, magic, 8) != 0 ? damaged(&p, "it is no PNG file") : ARR_OK;
    if (st == ARR_OK) st = read_chunks(&p, (const uint8_t *)file, n, &idat);
    if (st == ARR_OK) st = decode(&p, &idat, out);
    buf_free(&idat);
    mem_free(&cx->mem, file, n + 1);
    return st;
}

void png_free(Cx *cx, PngData *d) {
    mem_free(&cx->mem, d->data, d->bytes);
    d->data = NULL;
}
