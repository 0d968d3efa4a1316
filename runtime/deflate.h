/* deflate - compressed bytes as in zip and PNG files (RFC 1951, RFC 1950), and their checksums.
 *
 * Callers: zip, png. Decoding knows the size of the result and accepts nothing else; encoding finds
 * repetitions through a small hash table and writes fixed codes. Nothing here allocates. */
#ifndef ARR_DEFLATE_H
#define ARR_DEFLATE_H

#include "runtime/base/buf.h"

/* src[0..n) decoded into exactly size bytes at dst. false: damaged, or another size. *used (may be
 * NULL): bytes of src that were read. */
bool inflate_raw(const uint8_t *src, size_t n, uint8_t *dst, size_t size, size_t *used);
/* src[0..n) appended to out as one final block. head: scratch of DEFLATE_TABLE entries. */
enum { DEFLATE_BITS = 15, DEFLATE_TABLE = 1 << DEFLATE_BITS };
void deflate_raw(Buf *out, const uint8_t *src, size_t n, uint32_t *head);

typedef struct Crc {
    uint32_t table[256];
} Crc;
void crc_init(Crc *c);
/* Continue a CRC-32 (0 at the beginning) over n bytes. */
uint32_t crc_add(const Crc *c, uint32_t crc, const void *p, size_t n);
/* Continue an Adler-32 (1 at the beginning). */
uint32_t adler_add(uint32_t adler, const void *p, size_t n);

#endif
