/* deflate - encoding DEFLATE data with fixed codes, CRC-32 and Adler-32.
 *
 * Callers: zip (checksums), png. Repetitions are looked for at one earlier place, the latest with
 * the same four bytes: enough for pictures, and linear in time. */
#include "runtime/deflate.h"

#include <string.h>

typedef struct BitsOut {
    Buf *out;
    uint64_t bits;
    int nbits;
} BitsOut;

static void put_bits(BitsOut *b, uint32_t v, int n) {
    b->bits |= (uint64_t)v << b->nbits;
    b->nbits += n;
    for (; b->nbits >= 8; b->nbits -= 8, b->bits >>= 8) buf_char(b->out, (char)b->bits);
}

/* Huffman codes stand in the stream with their highest bit first. */
static void put_code(BitsOut *b, uint32_t code, int n) {
    uint32_t r = 0;
    for (int i = 0; i < n; i++) r |= (code >> i & 1) << (n - 1 - i);
    put_bits(b, r, n);
}

static void put_symbol(BitsOut *b, uint32_t s) {
    if (s < 144)
        put_code(b, 0x30 + s, 8);
    else if (s < 256)
        put_code(b, 0x190 + (s - 144), 9);
    else if (s < 280)
        put_code(b, s - 256, 7);
    else
        put_code(b, 0xC0 + (s - 280), 8);
}

/* Values come in classes of 2^k numbers, `per` classes for each k: the class, and what is left. */
static uint32_t value_class(uint32_t v, uint32_t per_bits, int *extra, uint32_t *rest) {
    uint32_t per = 1u << per_bits;
    *extra = 0;
    *rest = 0;
    if (v < 2 * per) return v;
    int top = 31 - __builtin_clz(v);
    *extra = top - (int)per_bits;
    *rest = v & ((1u << *extra) - 1);
    return ((uint32_t)*extra + 1) * per + ((v >> *extra) & (per - 1));
}

enum { MATCH_LEAST = 4, MATCH_MOST = 258, WINDOW = 32768 };

static void put_match(BitsOut *b, uint32_t length, uint32_t distance) {
    int extra;
    uint32_t rest, s;
    if (length == MATCH_MOST) {
        put_symbol(b, 285);
    } else {
        s = value_class(length - 3, 2, &extra, &rest);
        put_symbol(b, 257 + s);
        put_bits(b, rest, extra);
    }
    s = value_class(distance - 1, 1, &extra, &rest);
    put_code(b, s, 5);
    put_bits(b, rest, extra);
}

static uint32_t hash4(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v * 2654435761u >> (32 - DEFLATE_BITS);
}

static size_t match_length(const uint8_t *a, const uint8_t *b, size_t most) {
    size_t n = 0;
    while (n < most && a[n] == b[n]) n++;
    return n;
}

void deflate_raw(Buf *out, const uint8_t *src, size_t n, uint32_t *head) {
    BitsOut b = {.out = out};
    memset(head, 0xFF, DEFLATE_TABLE * sizeof *head);
    put_bits(&b, 1, 1); /* the last block */
    put_bits(&b, 1, 2); /* with fixed codes */
    for (size_t i = 0; i < n;) {
        size_t length = 0, back = 0;
        if (n - i >= MATCH_LEAST) {
            uint32_t *slot = &head[hash4(src + i)];
            back = (uint32_t)i - *slot; /* places are kept modulo 2^32, the window is far smaller */
            if (*slot != UINT32_MAX && back > 0 && back <= WINDOW && back <= i)
                length =
                    match_length(src + i - back, src + i, n - i < MATCH_MOST ? n - i : MATCH_MOST);
            *slot = (uint32_t)i;
        }
        if (length >= MATCH_LEAST) {
            put_match(&b, (uint32_t)length, (uint32_t)back);
            i += length;
        } else {
            put_symbol(&b, src[i++]);
        }
    }
    put_symbol(&b, 256);
    put_bits(&b, 0, (8 - b.nbits) & 7);
}

void crc_init(Crc *c) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t v = i;
        for (int k = 0; k < 8; k++) v = v & 1 ? v >> 1 ^ 0xEDB88320u : v >> 1;
        c->table[i] = v;
    }
}

uint32_t crc_add(const Crc *c, uint32_t crc, const void *p, size_t n) {
    const uint8_t *s = p;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) crc = crc >> 8 ^ c->table[(crc ^ s[i]) & 0xFF];
    return ~crc;
}

uint32_t adler_add(uint32_t adler, const void *p, size_t n) {
    const uint8_t *s = p;
    uint32_t a = adler & 0xFFFF, b = adler >> 16;
    while (n > 0) {
        size_t part = n < 5552 ? n : 5552; /* as many as cannot overflow 32 bits */
        for (size_t i = 0; i < part; i++) b += a += s[i];
        a %= 65521;
        b %= 65521;
        s += part;
        n -= part;
    }
    return b << 16 | a;
}
