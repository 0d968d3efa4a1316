/* fuzz_archive - libFuzzer target: any bytes as deflated data, as a zip archive and as a PNG file
 * (with its checksums put right, so that the rest is reached). Invariant: a status comes back,
 * refusals have a message, and no memory is left. */
#include "runtime/deflate.h"
#include "runtime/png.h"
#include "runtime/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void must(int ok) {
    if (!ok) abort();
}

static void as_deflate(Cx *cx, const uint8_t *data, size_t n) {
    size_t size = n > 1 ? (size_t)data[0] << 8 | data[1] : 0;
    uint8_t *out = malloc(size + 1);
    bool fine;
    must(out != NULL);
    for (int form = DEFLATE_RAW; n > 2 && form <= DEFLATE_ZLIB; form++)
        must(deflate_decode(cx, (DeflateForm)form, data + 2, n - 2, out, size, &fine) == ARR_OK);
    free(out);
}

/* What is encoded decodes to the same. */
static void there_and_back(Cx *cx, const uint8_t *data, size_t n) {
    uint8_t *out = malloc(n + 1);
    bool fine;
    Buf z;
    must(out != NULL);
    buf_init(&z, cx);
    must(deflate_encode(cx, data, n, &z) == ARR_OK);
    must(deflate_decode(cx, DEFLATE_ZLIB, (const uint8_t *)z.data, z.len, out, n, &fine) == ARR_OK);
    must(fine && memcmp(out, data, n) == 0);
    buf_free(&z);
    free(out);
}

static void as_zip(Cx *cx, const char *path) {
    ZipIn z;
    Status st = zip_open(cx, SPAN_NONE, path, &z);
    must(st == ARR_OK || cx->err.message[0]);
    for (size_t i = 0; st == ARR_OK && i < z.n; i++) {
        uint8_t *p = NULL;
        Status one = zip_read(&z, &z.members[i], &p);
        must(one == ARR_OK || cx->err.message[0]);
        if (one == ARR_OK) mem_free(&cx->mem, p, (size_t)z.members[i].size + 1);
        error_clear(cx);
        zip_check(&z, &z.members[i]);
        error_clear(cx);
    }
    if (st == ARR_OK) zip_close(&z);
    error_clear(cx);
}

static void put32(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void fix_checksums(uint8_t *p, size_t n) {
    for (size_t at = 8; n >= 12 && at <= n - 12;) {
        size_t len =
            (size_t)p[at] << 24 | (size_t)p[at + 1] << 16 | (size_t)p[at + 2] << 8 | p[at + 3];
        if (len > n - at - 12) return;
        put32(p + at + 8 + len, crc_add(0, p + at + 4, len + 4));
        at += len + 12;
    }
}

static void as_png(Cx *cx, const char *path) {
    PngData d;
    Status st = png_load(cx, SPAN_NONE, path, &d);
    must(st == ARR_OK || cx->err.message[0]);
    if (st == ARR_OK) png_free(cx, &d);
    error_clear(cx);
}

static void with_file(Cx *cx, const uint8_t *data, size_t n, void (*use)(Cx *, const char *)) {
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data, n) == (ssize_t)n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    use(cx, path);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    Cx cx;
    memset(&cx, 0, sizeof cx);
    mem_init(&cx.mem, NULL, NULL);
    if (n == 0) return 0;
    as_deflate(&cx, data, n);
    there_and_back(&cx, data, n);
    with_file(&cx, data, n, as_zip);
    uint8_t *copy = malloc(n);
    must(copy != NULL);
    memcpy(copy, data, n);
    fix_checksums(copy, n);
    with_file(&cx, copy, n, as_png);
    free(copy);
    must(atomic_load(&cx.mem.live) == 0);
    return 0;
}
