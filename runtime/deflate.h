/* deflate - compressed bytes as in zip and PNG files, through zlib, and their checksum.
 *
 * Callers: zip, png. Decoding knows the size of the result and accepts nothing else. */
#ifndef ARR_DEFLATE_H
#define ARR_DEFLATE_H

#include "runtime/base/buf.h"

typedef enum DeflateForm {
    DEFLATE_RAW, /* bare blocks, as zip has them */
    DEFLATE_ZLIB /* between zlib's header and checksum, as PNG has them */
} DeflateForm;

/* src[0..n) decoded into exactly size bytes at dst. *fine: false where it is damaged or decodes
 * into another size. Fails for want of memory alone. */
Status deflate_decode(Cx *cx, DeflateForm form, const uint8_t *src, size_t n, uint8_t *dst,
                      size_t size, bool *fine);
/* src[0..n) appended to out in zlib's form. */
Status deflate_encode(Cx *cx, const uint8_t *src, size_t n, Buf *out);
/* Continue a CRC-32 (0 at the beginning) over n bytes. */
uint32_t crc_add(uint32_t crc, const void *p, size_t n);
/* The same for long data, with an eye on interrupts. */
Status crc_long(Cx *cx, const void *p, size_t n, uint32_t *crc);

#endif
