/* zip - reading archives: the directory at the end, then members.
 *
 * Callers: see zip.h. Layout of a file: members (a local header, a name, extra fields, data), the
 * central directory (one entry a member), the end record (22 bytes and a comment), before it a
 * zip64 end record where counts or places pass 32 bits. Invariant: every number read from the file
 * is compared with its size before it is used. */
#include "runtime/zip.h"
#include "runtime/deflate.h"

#include <string.h>
#include <unistd.h>

enum {
    LOCAL_SIZE = 30,
    ENTRY_SIZE = 46,
    END_SIZE = 22,
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    COMMENT_MOST = 65535
};
#define SIG_LOCAL 0x04034b50u
#define SIG_ENTRY 0x02014b50u
#define SIG_END 0x06054b50u
#define SIG_LOCATOR 0x07064b50u
#define SIG_END64 0x06064b50u

static uint64_t get(const uint8_t *p, int bytes) {
    uint64_t v = 0;
    for (int i = bytes - 1; i >= 0; i--) v = v << 8 | p[i];
    return v;
}

static Status damaged(const ZipIn *z, const char *why) {
    return error_set(z->cx, ARR_ERR_IO, z->at, "cannot read %s: %s", z->path, why);
}

static Status read_at(const ZipIn *z, uint64_t offset, void *dst, uint64_t n) {
    if (offset > (uint64_t)z->size || n > (uint64_t)z->size - offset)
        return damaged(z, "its directory points outside the file");
    return file_read_at(z->cx, z->at, z->path, z->fd, (int64_t)offset, dst, (size_t)n);
}

typedef struct Directory {
    uint64_t offset, size, count;
} Directory;

/* Where zip64 keeps what does not fit the end record. */
static Status end64(const ZipIn *z, uint64_t end, Directory *d) {
    uint8_t p[END64_SIZE];
    if (end < LOCATOR_SIZE) return ARR_OK;
    TRY(read_at(z, end - LOCATOR_SIZE, p, LOCATOR_SIZE));
    if (get(p, 4) != SIG_LOCATOR) return ARR_OK;
    TRY(read_at(z, get(p + 8, 8), p, END64_SIZE));
    if (get(p, 4) != SIG_END64) return damaged(z, "its zip64 record is missing");
    *d = (Directory){.count = get(p + 32, 8), .size = get(p + 40, 8), .offset = get(p + 48, 8)};
    return ARR_OK;
}

static Status find_directory(const ZipIn *z, Directory *d) {
    int64_t n = z->size < END_SIZE + COMMENT_MOST ? z->size : END_SIZE + COMMENT_MOST;
    if (n < END_SIZE) return damaged(z, "it is no zip archive");
    uint8_t *tail = mem_alloc(&z->cx->mem, (size_t)n);
    if (!tail) return error_memory(z->cx, (size_t)n);
    Status st = read_at(z, (uint64_t)(z->size - n), tail, (uint64_t)n);
    int64_t i = n - END_SIZE;
    while (st == ARR_OK && i >= 0 && get(tail + i, 4) != SIG_END) i--;
    if (st == ARR_OK && i < 0) st = damaged(z, "it is no zip archive, or its end is missing");
    if (st == ARR_OK) {
        const uint8_t *p = tail + i;
        *d = (Directory){.count = get(p + 10, 2), .size = get(p + 12, 4), .offset = get(p + 16, 4)};
        st = end64(z, (uint64_t)(z->size - n + i), d);
    }
    mem_free(&z->cx->mem, tail, (size_t)n);
    return st;
}

/* 64-bit sizes and place from the extra fields, for those that are all ones in the entry. */
static void extra64(const uint8_t *extra, size_t n, uint64_t *size, uint64_t *packed,
                    uint64_t *offset) {
    uint64_t *wide[3] = {size, packed, offset};
    while (n >= 4) {
        size_t id = (size_t)get(extra, 2), len = (size_t)get(extra + 2, 2);
        if (len > n - 4) return;
        const uint8_t *p = extra + 4, *end = p + len;
        for (int i = 0; i < 3 && id == 1; i++) {
            if (*wide[i] != 0xFFFFFFFFu || end - p < 8) continue;
            *wide[i] = get(p, 8);
            p += 8;
        }
        extra += 4 + len;
        n -= 4 + len;
    }
}

static Status set_name(const ZipIn *z, ZipMember *m, const uint8_t *name, size_t n) {
    if (n == 0 || memchr(name, '\0', n)) return damaged(z, "a member has no proper name");
    m->name = mem_alloc(&z->cx->mem, n + 1);
    if (!m->name) return error_memory(z->cx, n + 1);
    m->name_size = n + 1;
    memcpy(m->name, name, n);
    m->name[n] = '\0';
    return ARR_OK;
}

/* The data begins behind the local header, whose extra fields may differ from the directory's. */
static Status locate(const ZipIn *z, ZipMember *m, uint64_t header) {
    uint8_t p[LOCAL_SIZE];
    TRY(read_at(z, header, p, LOCAL_SIZE));
    if (get(p, 4) != SIG_LOCAL) return damaged(z, "a member is not where the directory says");
    uint64_t data = header + LOCAL_SIZE + get(p + 26, 2) + get(p + 28, 2);
    if (data > (uint64_t)z->size || (uint64_t)m->packed > (uint64_t)z->size - data)
        return damaged(z, "a member does not end inside the file");
    m->offset = (int64_t)data;
    return ARR_OK;
}

/* One entry at p, n bytes are left of the directory; *used of them are its. */
static Status read_entry(ZipIn *z, const uint8_t *p, size_t n, size_t *used) {
    if (n < ENTRY_SIZE || get(p, 4) != SIG_ENTRY) return damaged(z, "its directory is damaged");
    size_t name = (size_t)get(p + 28, 2), extra = (size_t)get(p + 30, 2);
    size_t comment = (size_t)get(p + 32, 2);
    *used = ENTRY_SIZE + name + extra + comment;
    if (*used > n) return damaged(z, "its directory is damaged");
    uint64_t packed = get(p + 20, 4), size = get(p + 24, 4), header = get(p + 42, 4);
    uint64_t method = get(p + 10, 2);
    extra64(p + ENTRY_SIZE + name, extra, &size, &packed, &header);
    ZipMember *m = &z->members[z->n];
    *m = (ZipMember){.deflated = method == 8, .crc = (uint32_t)get(p + 16, 4)};
    TRY(set_name(z, m, p + ENTRY_SIZE, name));
    z->n++;
    if (get(p + 8, 2) & 1) return damaged(z, "it is encrypted");
    if (method != 0 && method != 8)
        return damaged(z, "a member is packed in a way other than deflate");
    bool odd =
        packed > (uint64_t)z->size || size > INT64_MAX / 2 || (method == 0 && packed != size);
    /* Nothing deflates to less than a thousandth. */
    if (odd || size / 1100 > packed) return damaged(z, "a member's sizes cannot be right");
    m->packed = (int64_t)packed;
    m->size = (int64_t)size;
    return locate(z, m, header);
}

static Status read_directory(ZipIn *z, const Directory *d) {
    if (d->size > (uint64_t)z->size || d->count > d->size / ENTRY_SIZE)
        return damaged(z, "its directory is damaged");
    if (d->count == 0) return ARR_OK;
    z->members_size = (size_t)d->count * sizeof *z->members;
    z->members = mem_zalloc(&z->cx->mem, z->members_size);
    if (!z->members) return error_memory(z->cx, z->members_size);
    uint8_t *p = mem_alloc(&z->cx->mem, (size_t)d->size);
    if (!p) return error_memory(z->cx, (size_t)d->size);
    Status st = read_at(z, d->offset, p, d->size);
    size_t at = 0, used = 0;
    for (uint64_t i = 0; i < d->count && st == ARR_OK; i++, at += used)
        st = read_entry(z, p + at, (size_t)d->size - at, &used);
    mem_free(&z->cx->mem, p, (size_t)d->size);
    return st;
}

Status zip_open(Cx *cx, Span at, const char *path, ZipIn *out) {
    *out = (ZipIn){.cx = cx, .at = at, .path = path, .fd = -1};
    Directory d = {0};
    TRY(file_open(cx, at, path, &out->fd, &out->size));
    Status st = find_directory(out, &d);
    if (st == ARR_OK) st = read_directory(out, &d);
    if (st != ARR_OK) zip_close(out);
    return st;
}

Status zip_read(const ZipIn *z, const ZipMember *m, uint8_t **out) {
    size_t packed_size = (size_t)m->packed + 1, size = (size_t)m->size + 1;
    uint8_t *packed = m->deflated ? mem_alloc(&z->cx->mem, packed_size) : NULL;
    uint8_t *data = mem_alloc(&z->cx->mem, size);
    Status st = ARR_OK;
    if (!data || (m->deflated && !packed)) st = error_memory(z->cx, size);
    if (st == ARR_OK)
        st = read_at(z, (uint64_t)m->offset, packed ? packed : data, (uint64_t)m->packed);
    bool fine = true;
    if (st == ARR_OK && packed)
        st = deflate_decode(z->cx, DEFLATE_RAW, packed, (size_t)m->packed, data, (size_t)m->size,
                            &fine);
    if (st == ARR_OK && !fine) st = damaged(z, "the data of a member is damaged");
    uint32_t crc = 0;
    if (st == ARR_OK) st = crc_long(z->cx, data, (size_t)m->size, &crc);
    if (st == ARR_OK && crc != m->crc) st = damaged(z, "the checksum of a member is wrong");
    mem_free(&z->cx->mem, packed, packed_size);
    if (st != ARR_OK)
        mem_free(&z->cx->mem, data, size);
    else
        *out = data;
    return st;
}

Status zip_check(const ZipIn *z, const ZipMember *m) {
    enum { PIECE = 1 << 18 };
    uint8_t *p = mem_alloc(&z->cx->mem, PIECE);
    if (!p) return error_memory(z->cx, PIECE);
    uint32_t sum = 0;
    Status st = ARR_OK;
    for (int64_t at = 0; at < m->packed && st == ARR_OK; at += PIECE) {
        int64_t n = m->packed - at < PIECE ? m->packed - at : PIECE;
        st = read_at(z, (uint64_t)(m->offset + at), p, (uint64_t)n);
        if (st == ARR_OK) sum = crc_add(sum, p, (size_t)n);
    }
    mem_free(&z->cx->mem, p, PIECE);
    if (st == ARR_OK && sum != m->crc) st = damaged(z, "the checksum of a member is wrong");
    return st;
}

void zip_close(ZipIn *z) {
    for (size_t i = 0; i < z->n; i++)
        mem_free(&z->cx->mem, z->members[i].name, z->members[i].name_size);
    mem_free(&z->cx->mem, z->members, z->members_size);
    z->members = NULL;
    z->n = 0;
    if (z->fd >= 0) close(z->fd);
    z->fd = -1;
}

/* ---- writing ---- */

static void put(Buf *b, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) buf_char(b, (char)(v >> 8 * i));
}

/* The fields that the local header and the directory's entry share. */
static void put_common(Buf *b, bool wide, uint32_t crc, uint64_t size, size_t name, size_t extra) {
    put(b, wide ? 45 : 20, 2); /* version that is needed */
    put(b, 0x800, 2);          /* the name is UTF-8 */
    put(b, 0, 2);              /* stored */
    put(b, 0, 2);              /* no time: 1 January 1980 */
    put(b, 0x21, 2);
    put(b, crc, 4);
    put(b, wide ? 0xFFFFFFFFu : size, 4);
    put(b, wide ? 0xFFFFFFFFu : size, 4);
    put(b, name, 2);
    put(b, extra, 2);
}

static void put_sizes64(Buf *b, uint64_t size, const uint64_t *offset) {
    put(b, 1, 2);
    put(b, offset ? 24 : 16, 2);
    put(b, size, 8);
    put(b, size, 8);
    if (offset) put(b, *offset, 8);
}

Status zip_create(Cx *cx, Span at, const char *path, ZipOut *out) {
    out->at = out->count = 0;
    buf_init(&out->directory, cx);
    return file_create(cx, at, path, &out->file);
}

Status zip_add(ZipOut *z, const char *name, const void *head, size_t nhead, const void *data,
               size_t ndata) {
    uint64_t size = (uint64_t)nhead + ndata, offset = (uint64_t)z->at;
    bool big = size >= 0xFFFFFFFFu, far = big || offset >= 0xFFFFFFFFu;
    uint32_t crc = crc_add(0, head, nhead);
    size_t n = strlen(name);
    TRY(crc_long(z->file.cx, data, ndata, &crc));
    Buf b, *d = &z->directory;
    buf_init(&b, z->file.cx);
    put(&b, SIG_LOCAL, 4);
    put_common(&b, big, crc, size, n, big ? 20 : 0);
    buf_add(&b, name, n);
    if (big) put_sizes64(&b, size, NULL);
    Status st = buf_status(&b);
    if (st == ARR_OK) st = file_write(&z->file, b.data, b.len);
    if (st == ARR_OK) st = file_write(&z->file, head, nhead);
    if (st == ARR_OK) st = file_write(&z->file, data, ndata);
    z->at += (int64_t)(b.len + size);
    buf_free(&b);
    put(d, SIG_ENTRY, 4);
    put(d, 45, 2); /* made by */
    put_common(d, far, crc, size, n, far ? 28 : 0);
    put(d, 0, 2); /* comment, disk, attributes */
    put(d, 0, 2);
    put(d, 0, 2);
    put(d, 0, 4);
    put(d, far ? 0xFFFFFFFFu : offset, 4);
    buf_add(d, name, n);
    if (far) put_sizes64(d, size, &offset);
    z->count++;
    return st == ARR_OK ? buf_status(d) : st;
}

/* Behind the directory: where it is, in 64 bits where that is needed. */
static void put_end(Buf *d, uint64_t offset, uint64_t size, uint64_t count) {
    bool wide = offset >= 0xFFFFFFFFu || size >= 0xFFFFFFFFu || count >= 0xFFFF;
    if (wide) {
        put(d, SIG_END64, 4);
        put(d, END64_SIZE - 12, 8);
        put(d, 45, 2);
        put(d, 45, 2);
        put(d, 0, 8);
        put(d, count, 8);
        put(d, count, 8);
        put(d, size, 8);
        put(d, offset, 8);
        put(d, SIG_LOCATOR, 4);
        put(d, 0, 4);
        put(d, offset + size, 8);
        put(d, 1, 4);
    }
    put(d, SIG_END, 4);
    put(d, 0, 4);
    put(d, wide ? 0xFFFF : count, 2);
    put(d, wide ? 0xFFFF : count, 2);
    put(d, wide ? 0xFFFFFFFFu : size, 4);
    put(d, wide ? 0xFFFFFFFFu : offset, 4);
    put(d, 0, 2);
}

Status zip_finish(ZipOut *z, Status so_far) {
    Buf *d = &z->directory;
    if (so_far == ARR_OK) {
        put_end(d, (uint64_t)z->at, d->len, (uint64_t)z->count);
        so_far = buf_status(d);
        if (so_far == ARR_OK) so_far = file_write(&z->file, d->data, d->len);
    }
    buf_free(d);
    if (so_far == ARR_OK) return file_commit(&z->file);
    file_abandon(&z->file);
    return so_far;
}
