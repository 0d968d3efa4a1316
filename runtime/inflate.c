/* inflate - decoding DEFLATE data: stored blocks, fixed and dynamic Huffman codes.
 *
 * Callers: zip, png. Every read and write is bounded; damaged input ends in false, whatever it is.
 * Invariant: bits holds the next nbits bits of the input, lowest first. */
#include "runtime/deflate.h"

#include <string.h>

typedef struct Bits {
    const uint8_t *p, *end;
    uint64_t bits;
    int nbits;
    bool failed; /* read past the end, or a code that does not exist */
} Bits;

static uint32_t take_bits(Bits *b, int n) {
    while (b->nbits < n) {
        if (b->p == b->end) {
            b->failed = true;
            return 0;
        }
        b->bits |= (uint64_t)*b->p++ << b->nbits;
        b->nbits += 8;
    }
    uint32_t v = (uint32_t)(b->bits & ((1u << n) - 1));
    b->bits >>= n;
    b->nbits -= n;
    return v;
}

enum { CODE_BITS = 15, SYMBOLS = 288 };

/* A canonical code: how many symbols have each length, and the symbols in order of their codes. */
typedef struct Huffman {
    uint16_t count[CODE_BITS + 1], symbol[SYMBOLS];
} Huffman;

/* false: more codes than the lengths allow. */
static bool huffman_build(Huffman *h, const uint8_t *length, int n) {
    uint16_t offset[CODE_BITS + 1];
    int left = 1;
    memset(h->count, 0, sizeof h->count);
    for (int i = 0; i < n; i++) h->count[length[i]]++;
    for (int i = 1; i <= CODE_BITS; i++) {
        left = 2 * left - h->count[i];
        if (left < 0) return false;
    }
    offset[1] = 0;
    for (int i = 1; i < CODE_BITS; i++) offset[i + 1] = (uint16_t)(offset[i] + h->count[i]);
    for (int i = 0; i < n; i++)
        if (length[i]) h->symbol[offset[length[i]]++] = (uint16_t)i;
    return true;
}

static int huffman_read(Bits *b, const Huffman *h) {
    int code = 0, first = 0, index = 0;
    for (int len = 1; len <= CODE_BITS; len++) {
        code |= (int)take_bits(b, 1);
        if (b->failed) return -1;
        int count = h->count[len];
        if (code - count < first) return h->symbol[index + (code - first)];
        index += count;
        first = 2 * (first + count);
        code <<= 1;
    }
    b->failed = true;
    return -1;
}

static const uint16_t length_base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[30] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_extra[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                           6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

static bool read_codes(Bits *b, const Huffman *lengths, const Huffman *distances, uint8_t *dst,
                       size_t size, size_t *at) {
    for (;;) {
        int s = huffman_read(b, lengths);
        if (s < 0) return false;
        if (s == 256) return true;
        if (s < 256) {
            if (*at == size) return false;
            dst[(*at)++] = (uint8_t)s;
            continue;
        }
        unsigned kind = (unsigned)s - 257;
        if (kind >= sizeof length_extra) return false;
        size_t n = length_base[kind] + take_bits(b, length_extra[kind]);
        int d = huffman_read(b, distances);
        if (d < 0 || d > 29) return false;
        size_t back = distance_base[d] + take_bits(b, distance_extra[d]);
        if (b->failed || back > *at || n > size - *at) return false;
        for (size_t i = 0; i < n; i++, ++*at) dst[*at] = dst[*at - back]; /* may overlap */
    }
}

static bool read_stored(Bits *b, uint8_t *dst, size_t size, size_t *at) {
    take_bits(b, b->nbits & 7); /* to a whole byte */
    uint32_t n = take_bits(b, 16), check = take_bits(b, 16);
    if (b->failed || n != (check ^ 0xFFFF) || n > size - *at) return false;
    for (; n > 0 && b->nbits > 0; n--) dst[(*at)++] = (uint8_t)take_bits(b, 8);
    if ((size_t)(b->end - b->p) < n) return false;
    memcpy(dst + *at, b->p, n);
    b->p += n;
    *at += n;
    return true;
}

/* The lengths of both codes, themselves coded by lengths. */
static bool read_dynamic(Bits *b, Huffman *lengths, Huffman *distances) {
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t length[SYMBOLS + 32] = {0};
    int nlen = (int)take_bits(b, 5) + 257, ndist = (int)take_bits(b, 5) + 1;
    int ncode = (int)take_bits(b, 4) + 4;
    if (b->failed || nlen > 286 || ndist > 30) return false;
    for (int i = 0; i < ncode; i++) length[order[i]] = (uint8_t)take_bits(b, 3);
    if (b->failed || !huffman_build(lengths, length, 19)) return false;
    memset(length, 0, sizeof length);
    for (int i = 0; i < nlen + ndist;) {
        int s = huffman_read(b, lengths), times = 1;
        uint8_t value = 0;
        if (s < 0) return false;
        if (s < 16) {
            value = (uint8_t)s;
        } else if (s == 16) {
            if (i == 0) return false;
            value = length[i - 1];
            times = 3 + (int)take_bits(b, 2);
        } else {
            times = s == 17 ? 3 + (int)take_bits(b, 3) : 11 + (int)take_bits(b, 7);
        }
        if (b->failed || i + times > nlen + ndist) return false;
        while (times-- > 0) length[i++] = value;
    }
    return huffman_build(lengths, length, nlen) && huffman_build(distances, length + nlen, ndist);
}

static void fixed_codes(Huffman *lengths, Huffman *distances) {
    uint8_t length[SYMBOLS];
    for (int i = 0; i < SYMBOLS; i++) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    huffman_build(lengths, length, SYMBOLS);
    memset(length, 5, 30);
    huffman_build(distances, length, 30);
}

bool inflate_raw(const uint8_t *src, size_t n, uint8_t *dst, size_t size, size_t *used) {
    Bits b = {.p = src, .end = src + n};
    Huffman lengths, distances;
    size_t at = 0;
    bool last = false;
    while (!last) {
        last = take_bits(&b, 1);
        uint32_t type = take_bits(&b, 2);
        bool ok = !b.failed && type < 3;
        if (ok && type == 0) {
            ok = read_stored(&b, dst, size, &at);
        } else if (ok) {
            if (type == 1)
                fixed_codes(&lengths, &distances);
            else
                ok = read_dynamic(&b, &lengths, &distances);
            ok = ok && read_codes(&b, &lengths, &distances, dst, size, &at);
        }
        if (!ok) return false;
    }
    if (used) *used = (size_t)(b.p - src) - (size_t)(b.nbits / 8);
    return at == size;
}
