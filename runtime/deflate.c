/* deflate - zlib, with the memory and the statuses of this library (see deflate.h).
 *
 * Callers: zip, png. zlib counts in 32 bits: long inputs and outputs are handed over in pieces.
 * Invariant: what zlib allocates goes through base/mem and is returned before a call ends. */
#include "runtime/deflate.h"

#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

/* Before each block of zlib's stands its size, in as much room as keeps the block aligned. */
enum { HEAD = 16, PIECE = 1 << 22, OUT_PIECE = 1 << 14, LEVEL = 6, MEMORY = 8 };

/* zlib's name for the form: the window's bits, negative without header and checksum. */
static int window(DeflateForm form) { return form == DEFLATE_RAW ? -MAX_WBITS : MAX_WBITS; }

static void *take(void *mem, unsigned items, unsigned size) {
    size_t n = (size_t)items * size + HEAD;
    char *p = mem_alloc(mem, n);
    if (!p) return NULL;
    memcpy(p, &n, sizeof n);
    return p + HEAD;
}

static void give(void *mem, void *block) {
    char *p = (char *)block - HEAD;
    size_t n;
    memcpy(&n, p, sizeof n);
    mem_free(mem, p, n);
}

static uInt piece(size_t left) { return (uInt)(left < PIECE ? left : PIECE); }

Status deflate_decode(Cx *cx, DeflateForm form, const uint8_t *src, size_t n, uint8_t *dst,
                      size_t size, bool *fine) {
    z_stream z = {.zalloc = take, .zfree = give, .opaque = &cx->mem, .next_in = src};
    size_t in = n, room = size;
    int r = inflateInit2(&z, window(form));
    *fine = false;
    if (r != Z_OK) return error_memory(cx, 1 << MAX_WBITS);
    uint8_t more = 0; /* zlib wants somewhere to write even where there is nothing left to */
    z.next_out = size > 0 ? dst : &more;
    while (r == Z_OK) {
        if (z.avail_in == 0) in -= z.avail_in = piece(in);
        if (z.avail_out == 0) room -= z.avail_out = piece(room);
        r = inflate(&z, Z_NO_FLUSH);
        if (cx->interrupt) break;
    }
    *fine = r == Z_STREAM_END && room == 0 && z.avail_out == 0;
    inflateEnd(&z);
    if (r == Z_OK && cx->interrupt) return error_interrupted(cx);
    return r == Z_MEM_ERROR ? error_memory(cx, 1 << MAX_WBITS) : ARR_OK;
}

Status deflate_encode(Cx *cx, const uint8_t *src, size_t n, Buf *out) {
    z_stream z = {.zalloc = take, .zfree = give, .opaque = &cx->mem, .next_in = src};
    uint8_t block[OUT_PIECE];
    size_t in = n;
    int r = deflateInit2(&z, LEVEL, Z_DEFLATED, window(DEFLATE_ZLIB), MEMORY, Z_DEFAULT_STRATEGY);
    if (r != Z_OK) return error_memory(cx, 1 << (MAX_WBITS + 2));
    while (r == Z_OK) {
        if (z.avail_in == 0) in -= z.avail_in = piece(in);
        z.next_out = block;
        z.avail_out = OUT_PIECE;
        r = deflate(&z, in > 0 ? Z_NO_FLUSH : Z_FINISH);
        buf_add(out, block, OUT_PIECE - z.avail_out);
        if (cx->interrupt) break;
    }
    deflateEnd(&z);
    if (r == Z_OK && cx->interrupt) return error_interrupted(cx);
    return buf_status(out);
}

Status crc_long(Cx *cx, const void *p, size_t n, uint32_t *crc) {
    const char *from = p;
    while (n > 0) {
        size_t m = piece(n);
        if (cx->interrupt) return error_interrupted(cx);
        *crc = crc_add(*crc, from, m);
        from += m;
        n -= m;
    }
    return ARR_OK;
}

uint32_t crc_add(uint32_t crc, const void *p, size_t n) { return (uint32_t)crc32_z(crc, p, n); }
