/* Unit tests of .npy and text files: what is accepted, every refusal, bytes as np.save writes them.
 * Files are made in a folder of their own below /tmp. */
#include "runtime/base/buf.h"
#include "runtime/base/file.h"
#include "runtime/base/numtext.h"
#include "runtime/base/roots.h"
#include "runtime/csv.h"
#include "runtime/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int passed, failed;
static Cx cx;
static char folder[64], path[128];

static void check(bool ok, const char *what, const char *about) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("tests/unit/files.c: %s: %s\n", about, what);
    }
}

/* The pending error holds all of these words. */
static void check_error(Status st, const char *about, const char *words) {
    char copy[256];
    snprintf(copy, sizeof copy, "%s", words);
    check(st != ARR_OK, "an error was expected", about);
    for (char *w = strtok(copy, "|"); w; w = strtok(NULL, "|")) {
        bool there = strstr(cx.err.message, w) != NULL;
        if (!there) printf("  message: %s\n", cx.err.message);
        check(there, w, about);
    }
    error_clear(&cx);
}

static void write_file(const void *p, size_t n) {
    FILE *f = fopen(path, "wb");
    fwrite(p, 1, n, f);
    fclose(f);
}

/* --- .npy ------------------------------------------------------------------------------------- */

/* A file of that version, header text and data; its length. */
static size_t make_npy(uint8_t *out, int major, const char *header, const void *data, size_t n) {
    size_t len = strlen(header), prefix = major == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (uint8_t)major;
    out[7] = 0;
    for (size_t i = 8; i < prefix; i++) out[i] = (uint8_t)(len >> (8 * (i - 8)));
    memcpy(out + prefix, header, len);
    memcpy(out + prefix + len, data, n);
    return prefix + len + n;
}

static Status load(NpyInfo *info, void *dst, size_t cap) {
    Status st = npy_open(&cx, SPAN_NONE, path, info);
    if (st != ARR_OK) return st;
    check((size_t)info->count * dtype_size(info->dtype) <= cap, "fits", path);
    st = npy_read(&cx, SPAN_NONE, path, info, dst);
    npy_close(info);
    return st;
}

static const int32_t six[] = {0, 1, 2, 3, 4, 5};

/* T71, T73: all these headers mean the same int32 array of shape (2, 3) in C order. */
static void accepted(void) {
    static const struct {
        int major;
        const char *header;
    } cases[] = {
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }          \n"},
        {1, "{'shape':(2,3),'fortran_order':False,'descr':\"<i4\"}\n"},
        {2, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n"},
        {3, "{'descr': 'i4', 'fortran_order': False, 'shape': (2, 3), }\n"},
        {1, "{'descr': '=i4', 'fortran_order': False, 'shape': (2L, 3L), }\n"},
        {2, " \t{ \"fortran_order\" : False ,\n 'shape' : ( 2 , 3 , ) , 'descr' : '<i4' } \n\n"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[512];
        int32_t got[6] = {0};
        NpyInfo info;
        write_file(bytes, make_npy(bytes, cases[i].major, cases[i].header, six, sizeof six));
        Status st = load(&info, got, sizeof got);
        check(st == ARR_OK, cx.err.message, cases[i].header);
        check(st == ARR_OK && info.dtype == DT_i32 && info.shape.rank == 2 &&
                  info.shape.dim[0] == 2 && info.shape.dim[1] == 3 && !memcmp(got, six, sizeof six),
              "the array", cases[i].header);
        error_clear(&cx);
    }
}

/* T70, T75: what is wrong is named, with the counts or the descr; nothing is evaluated. */
static void refused(void) {
    static const struct {
        const char *header, *words;
    } cases[] = {
        {"{'descr': '<i4', 'fortran_order': False}\n", "'shape' is missing"},
        {"{'descr': '<i4', 'shape': (2, 3)}\n", "'fortran_order' is missing"},
        {"{'fortran_order': False, 'shape': (2, 3)}\n", "'descr' is missing"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}\n", "unknown key 'x'"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), 'shape': (2, 3)}\n", "twice"},
        {"{'descr': '<i4', 'fortran_order': 0, 'shape': (2, 3)}\n", "neither True nor False"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': [2, 3]}\n", "not a tuple"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (6)}\n", "not a tuple"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, x)}\n", "not a tuple of integers"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3.0)}\n",
         "not a tuple of integers"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (,)}\n", "not a tuple of integers"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (-2, 3)}\n", "negative"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775808,)}\n", "2^63-1"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}\n",
         "too large"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}\n",
         "too large"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 4)}\n",
         "not fully written|expected 32 bytes|i32[2,4]|found 24"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}\n",
         "unsupported dtype '|O'|pickle"},
        {"{'descr': '<U7', 'fortran_order': False, 'shape': (2, 3)}\n", "'<U7'"},
        {"{'descr': '|S5', 'fortran_order': False, 'shape': (2, 3)}\n", "S5"},
        {"{'descr': '|V8', 'fortran_order': False, 'shape': (2, 3)}\n", "V8"},
        {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2, 3)}\n", "'<M8[ns]'"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (2, 3)}\n", "'<f16'|long double"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2, 3)}\n", "''"},
        {"{'descr': '<', 'fortran_order': False, 'shape': (2, 3)}\n", "'<'"},
        {"{'descr': [('x', '<f4'), ('', '|V4')], 'fortran_order': False, 'shape': (2,)}\n",
         "[('x', '<f4'), ('', '|V4')]"},
        {"{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (2,)}\n", "('<f4', (2,))"},
        {"{'descr': __import__('os').system('x'), 'fortran_order': False, 'shape': ()}\n",
         "unsupported dtype __import__"},
        {"", "malformed"},
        {"{", "malformed"},
        {"{'descr': '<i4", "malformed"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)} x\n", "follows"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[512];
        NpyInfo info;
        write_file(bytes, make_npy(bytes, 1, cases[i].header, six, sizeof six));
        Status st = npy_open(&cx, SPAN_NONE, path, &info);
        check(st == ARR_ERR_IO && strstr(cx.err.message, path), "status and file", cases[i].header);
        check_error(st, cases[i].header, cases[i].words);
        check(info.fd == -1, "nothing stays open", cases[i].header);
    }
}

static void refused_bytes(void) {
    uint8_t good[256], bad[256];
    NpyInfo info;
    size_t n = make_npy(good, 1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n",
                        six, sizeof six);
    for (size_t cut = 0; cut < n; cut++) { /* every shorter file */
        write_file(good, cut);
        check(npy_open(&cx, SPAN_NONE, path, &info) == ARR_ERR_IO, "cut file", "npy");
        error_clear(&cx);
    }
    static const struct {
        size_t at;
        uint8_t byte;
        const char *words;
    } changes[] = {
        {0, 0x92, "not a .npy file"}, {1, 'n', "not a .npy file"}, {6, 0, "version 0.0"},
        {6, 4, "version 4.0"},        {7, 1, "version 1.1"},       {9, 0xff, "at most 10000"},
        {8, 0xff, "bytes of header"}, {6, 255, "version 255.0"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        memcpy(bad, good, n);
        bad[changes[i].at] = changes[i].byte;
        write_file(bad, n);
        check_error(npy_open(&cx, SPAN_NONE, path, &info), "changed byte", changes[i].words);
    }
    write_file("MATLAB", 6);
    check_error(npy_open(&cx, SPAN_NONE, path, &info), "other file", "begins with 4d 41 54");
    write_file("PK\3\4....", 8);
    check_error(npy_open(&cx, SPAN_NONE, path, &info), "zip", ".npz");
    unlink(path);
    check_error(npy_open(&cx, SPAN_NONE, path, &info), "missing", "no such file");
    check_error(npy_open(&cx, SPAN_NONE, folder, &info), "folder", "folder");
    check_error(npy_open(&cx, SPAN_NONE, "/dev/null", &info), "device", "regular file");
}

/* T68, T69: column-major files of several ranks, larger than one slab, and the other byte order:
 * the element at C index i is i. */
static void orders(void) {
    static const Shape shapes[] = {{0, {0}},          {1, {1000}},         {2, {300, 517}},
                                   {2, {200000, 2}},  {2, {2, 100000}},    {3, {37, 41, 43}},
                                   {4, {3, 1, 5, 7}}, {3, {100003, 1, 3}}, {2, {0, 5}},
                                   {2, {1, 70000}},   {3, {2, 70000, 3}}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        const Shape *s = &shapes[k];
        int64_t n = shape_size(s);
        char header[256], dims[128] = "";
        for (int a = 0; a < s->rank; a++)
            snprintf(dims + strlen(dims), 32, "%lld, ", (long long)s->dim[a]);
        snprintf(header, sizeof header,
                 "{'descr': '>u4', 'fortran_order': True, 'shape': (%s), }\n", dims);
        uint8_t *bytes = malloc((size_t)n * 4 + 512);
        uint32_t *data = malloc((size_t)n * 4 + 4), *got = malloc((size_t)n * 4 + 4);
        for (int64_t f = 0; f < n; f++) { /* f counts as the file does */
            int64_t rest = f, place[MAX_RANK], flat = 0;
            for (int a = 0; a < s->rank; a++) {
                place[a] = rest % s->dim[a];
                rest /= s->dim[a];
            }
            for (int a = 0; a < s->rank; a++) flat = flat * s->dim[a] + place[a];
            data[f] = __builtin_bswap32((uint32_t)flat);
        }
        write_file(bytes, make_npy(bytes, 1, header, data, (size_t)n * 4));
        NpyInfo info;
        check(load(&info, got, (size_t)n * 4) == ARR_OK, cx.err.message, header);
        bool same = true;
        for (int64_t i = 0; i < n; i++) same = same && got[i] == (uint32_t)i;
        check(same, "elements in C order", header);
        error_clear(&cx);
        free(bytes);
        free(data);
        free(got);
    }
}

static void compare_bytes(const char *about, const char *head, size_t size) {
    char *data;
    size_t n;
    Status st = file_read_all(&cx, SPAN_NONE, path, &data, &n);
    check(st == ARR_OK, cx.err.message, about);
    if (st != ARR_OK) return;
    check(n == size && memcmp(data, "\x93NUMPY\1\0\x76\0", 10) == 0 &&
              memcmp(data + 10, head, strlen(head)) == 0 && data[127] == '\n' && data[126] == ' ',
          "bytes as np.save writes them", about);
    mem_free(&cx.mem, data, n + 1);
}

/* T74: data at a multiple of 64, headers as NumPy pads them. */
static void written(void) {
    static const char *const heads[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }                     ",
        "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }                     ",
        "{'descr': '<c16', 'fortran_order': False, 'shape': (), }                      ",
    };
    float f[6] = {1, 2, 3, 4, 5, 6};
    uint8_t b[3] = {1, 0, 1};
    Complex128 c = {1, -2}, back = {0, 0};
    Shape s = {2, {3, 2}}, one = {1, {3}}, none = {0, {0}};
    check(npy_write(&cx, SPAN_NONE, path, DT_f32, &s, f) == ARR_OK, cx.err.message, "f32");
    compare_bytes("f32[3,2]", heads[0], 128 + 24);
    check(npy_write(&cx, SPAN_NONE, path, DT_bool, &one, b) == ARR_OK, cx.err.message, "bool");
    compare_bytes("bool[3]", heads[1], 128 + 3);
    check(npy_write(&cx, SPAN_NONE, path, DT_c128, &none, &c) == ARR_OK, cx.err.message, "c128");
    compare_bytes("c128[]", heads[2], 128 + 16);
    NpyInfo info;
    check(load(&info, &back, sizeof back) == ARR_OK && back.re == 1 && back.im == -2, "read back",
          "c128");
    check_error(npy_write(&cx, SPAN_NONE, path, DT_bf16, &one, b), "bf16", "bf16|f32(x)");
    Shape many = {.rank = MAX_RANK};
    char header[NPY_HEADER_MAX];
    size_t len = 0;
    for (int a = 0; a < MAX_RANK; a++) many.dim[a] = INT64_MAX;
    check(npy_header_make(&cx, SPAN_NONE, path, DT_c128, &many, header, &len) == ARR_OK &&
              len % 64 == 0 && len <= sizeof header,
          "the longest header", "npy");
}

/* A .npy inside another file. */
static void parts(void) {
    uint8_t bytes[512];
    memcpy(bytes, "before", 6);
    size_t n = make_npy(bytes + 6, 1, "{'descr': '<i4', 'fortran_order': False, 'shape': (6,), }\n",
                        six, sizeof six);
    memcpy(bytes + 6 + n, "after", 5);
    write_file(bytes, n + 11);
    int fd;
    int64_t size;
    int32_t got[6];
    NpyInfo info;
    check(file_open(&cx, SPAN_NONE, path, &fd, &size) == ARR_OK, cx.err.message, "part");
    check(npy_open_part(&cx, SPAN_NONE, path, fd, 6, 6 + (int64_t)n, &info) == ARR_OK,
          cx.err.message, "part");
    check(npy_read(&cx, SPAN_NONE, path, &info, got) == ARR_OK && !memcmp(got, six, sizeof six),
          "its elements", "part");
    npy_close(&info);
    check_error(npy_open_part(&cx, SPAN_NONE, path, fd, 6, 5 + (int64_t)n, &info), "short part",
                "not fully written");
    close(fd);
}

/* --- writing files ---------------------------------------------------------------------------- */

static void replaced(void) {
    char link[160], other[160];
    struct stat st;
    Shape s = {1, {3}};
    snprintf(link, sizeof link, "%s/link.npy", folder);
    snprintf(other, sizeof other, "%s/no/such/folder.npy", folder);
    write_file("old", 3);
    chmod(path, 0640);
    check(symlink(path, link) == 0, "symlink", link);
    check(npy_write(&cx, SPAN_NONE, link, DT_i32, &s, six) == ARR_OK, cx.err.message, "link");
    check(lstat(link, &st) == 0 && S_ISLNK(st.st_mode), "the link stays", link);
    check(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640 && st.st_size == 140,
          "its target is replaced and keeps its mode", path);
    unlink(link);
    check_error(npy_write(&cx, SPAN_NONE, other, DT_i32, &s, six), "no folder", "no such file");
    check_error(npy_write(&cx, SPAN_NONE, folder, DT_i32, &s, six), "a folder", "folder");
    check(npy_write(&cx, SPAN_NONE, "/dev/null", DT_i32, &s, six) == ARR_OK, cx.err.message,
          "/dev/null");
    check_error(npy_write(&cx, SPAN_NONE, "/dev/full", DT_i32, &s, six), "/dev/full", "no space");
    cx.interrupt = 1;
    check(npy_write(&cx, SPAN_NONE, path, DT_i32, &s, six) == ARR_ERR_INTERRUPT, "interrupt", path);
    error_clear(&cx);
    cx.interrupt = 0;
    check(stat(path, &st) == 0 && st.st_size == 140, "what was there stays", path);
}

/* --- text ------------------------------------------------------------------------------------- */

/* A table as "dtype[shape] value value ...". */
static void table_text(const CsvData *d, Buf *out) {
    char text[SHAPE_TEXT];
    shape_text(d->dtype, &d->shape, text);
    buf_str(out, text);
    for (int64_t k = 0; k < shape_size(&d->shape); k++) {
        Scalar s = scalar_load(d->dtype, (char *)d->data + (size_t)k * dtype_size(d->dtype));
        numtext_scalar(&s, text);
        buf_char(out, ' ');
        buf_str(out, text);
    }
}

static void texts(void) {
    static const struct {
        char delimiter;
        const char *text, *dtype, *expected; /* "!words" for an error */
    } cases[] = {
        {',', "1,2\n3,4\n", "", "i64[2,2] 1 2 3 4"},
        {',', "1,2\r\n3,4", "", "i64[2,2] 1 2 3 4"},
        {',', "a,b\n1,2\n", "", "i64[1,2] 1 2"},
        {',',
         "\xef\xbb\xbf"
         "a,b\n1,2\n",
         "", "i64[1,2] 1 2"},
        {',', "1\n2\n3\n", "", "i64[3] 1 2 3"},
        {',', "\n1,2\n\n \n3,4\n\n", "", "i64[2,2] 1 2 3 4"},
        {',', " 1 , 2\n3\t, 4 \n", "", "i64[2,2] 1 2 3 4"},
        {',', "1,2.5\n-3,4\n", "", "f64[2,2] 1.0 2.5 -3.0 4.0"},
        {',', "1,\n,2\n", "", "f64[2,2] 1.0 nan nan 2.0"},
        {',', "1,nan\n-inf,1e3\n", "", "f64[2,2] 1.0 nan -inf 1000.0"},
        {',', "\"1\",\"2.5\"\n", "", "f64[1,2] 1.0 2.5"},
        {',', "\"a, \"\"b\"\"\n c\",d\n\"1\" ,2\n", "", "i64[1,2] 1 2"},
        {',', "# a comment\n1,2 # and one here\n#3,4\n", "", "i64[1,2] 1 2"},
        {',', "1\r2\r3", "", "i64[3] 1 2 3"},
        {',', "", "", "f64[0]"},
        {',', "a,b,c\n", "", "f64[0,3]"},
        {',', "a,b,c\n", "f32", "f32[0,3]"},
        {',', ",x\n0,7\n", "i32", "i32[1,2] 0 7"},
        {';', "1;2\n3;4\n", "", "i64[2,2] 1 2 3 4"},
        {'\t', "1\t\t3\n4\t5\t 6\n", "", "f64[2,3] 1.0 nan 3.0 4.0 5.0 6.0"},
        {' ', "  1  2\t3 \n4 5 6\n", "", "i64[2,3] 1 2 3 4 5 6"},
        {' ', "# x y\n1.5 2\n", "", "f64[1,2] 1.5 2.0"},
        {' ', "x \"y z\"\n\"1\" 2\n", "", "i64[1,2] 1 2"},
        {',', "9223372036854775807,-9223372036854775808\n", "",
         "i64[1,2] 9223372036854775807 -9223372036854775808"},
        {',', "18446744073709551615,1\n", "", "u64[1,2] 18446744073709551615 1"},
        {',', "1,18446744073709551615\n-1,2\n", "", "!line 2, column 1|-1|dtype=f64"},
        {',', "-1,9223372036854775808\n", "", "!line 1, column 2|dtype=f64"},
        {',', "0.5,9223372036854775808\n", "", "f64[1,2] 0.5 9.223372036854776e+18"},
        {',', "1,36893488147419103232\n", "", "f64[1,2] 1.0 3.6893488147419103e+19"},
        {',', "1+2j,3\n4,-1j\n", "", "c128[2,2] (1+2j) (3+0j) (4+0j) -1j"},
        {',', "1,2\n3\n", "", "!line 2 has 1 field,|line 1 has 2"},
        {',', "1,2\n3,4,5\n", "", "!line 2 has 3 fields|line 1 has 2"},
        {',', "1,2\n3,x4\n", "", "!line 2, column 2: 'x4' is not a number"},
        {',', "1,2\n3,4 5\n", "", "!line 2, column 2: '4 5'"},
        {',', "1,2\n\"3,4\n", "", "!second quote"},
        {',', "1,2\n\"3\"4,5\n", "", "!other text"},
        {',', "1,1.\n+3,.5\n", "", "f64[2,2] 1.0 1.0 3.0 0.5"},
        {',', "1,300\n", "u8", "!'300' does not fit u8"},
        {',', "1,-1\n", "u64", "!'-1' does not fit u64"},
        {',', "1,18446744073709551615\n", "u64", "u64[1,2] 1 18446744073709551615"},
        {',', "1,2.0\n1e2,3\n", "i16", "i16[2,2] 1 2 100 3"},
        {',', "1,2.5\n", "i64", "!'2.5' is not an integer for i64"},
        {',', "1,\n", "i64", "!column 2|is empty"},
        {',', "1,0\n7,-2\n", "bool", "bool[2,2] true false true true"},
        {',', "true,false\n", "bool", "bool[1,2] true false"},
        {',', "1,2\n3,4\n", "f32", "f32[2,2] 1.0 2.0 3.0 4.0"},
        {',', "0.1,16777217\n", "f16", "f16[1,2] 0.0999755859375 inf"},
        {',', "1,2\n", "c64", "c64[1,2] (1+0j) (2+0j)"},
        {',', "1,2\n", "c128", "c128[1,2] (1+0j) (2+0j)"},
        {',', "1,2j\n", "f64", "!is complex"},
        {',', "-0.0,-0\n", "f64", "f64[1,2] -0.0 -0.0"},
        {',',
         "\xff\xfe"
         "1",
         "", "!UTF-16"},
        {'1', "1", "", "!cannot separate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CsvOptions opt = CSV_OPTIONS;
        CsvData d;
        Buf b;
        opt.delimiter = cases[i].delimiter;
        opt.typed = dtype_find(cases[i].dtype, strlen(cases[i].dtype), &opt.dtype);
        /* a copy of just these bytes, so that reading beyond them is seen */
        size_t n = strlen(cases[i].text);
        char *text = malloc(n ? n : 1);
        memcpy(text, cases[i].text, n);
        Status st = csv_parse(&cx, SPAN_NONE, "t.csv", text, n, &opt, &d);
        free(text);
        buf_init(&b, &cx);
        if (cases[i].expected[0] == '!') {
            check_error(st, cases[i].text, cases[i].expected + 1);
        } else {
            check(st == ARR_OK, cx.err.message, cases[i].text);
            if (st == ARR_OK) table_text(&d, &b);
            if (strcmp(buf_text(&b), cases[i].expected)) printf("  actual: %s\n", buf_text(&b));
            check(strcmp(buf_text(&b), cases[i].expected) == 0, cases[i].expected, cases[i].text);
        }
        error_clear(&cx);
        csv_free(&cx, &d);
        buf_free(&b);
    }
}

static void saved_texts(void) {
    double f[6] = {0.1, -2, 1e300, NAN, -0.0, 1e16};
    Shape s = {2, {2, 3}}, flat = {1, {6}}, three = {3, {1, 2, 3}};
    char *text;
    size_t n = 0;
    CsvOptions opt = CSV_OPTIONS;
    CsvData d;
    check(csv_save(&cx, SPAN_NONE, path, ',', DT_f64, &s, f) == ARR_OK, cx.err.message, "save");
    if (file_read_all(&cx, SPAN_NONE, path, &text, &n) == ARR_OK) {
        check(strcmp(text, "0.1,-2.0,1e+300\nnan,-0.0,1e+16\n") == 0, text, "saved text");
        mem_free(&cx.mem, text, n + 1);
    }
    check(csv_load(&cx, SPAN_NONE, path, &opt, &d) == ARR_OK && d.dtype == DT_f64 &&
              shape_equal(&d.shape, &s) && !memcmp(d.data, f, 24) &&
              !memcmp((double *)d.data + 4, f + 4, 16),
          "read back", "f64[2,3]");
    csv_free(&cx, &d);
    check(csv_save(&cx, SPAN_NONE, path, ',', DT_f64, &flat, f) == ARR_OK, cx.err.message, "save");
    check(csv_load(&cx, SPAN_NONE, path, &opt, &d) == ARR_OK && shape_equal(&d.shape, &flat),
          "read back", "f64[6]");
    csv_free(&cx, &d);
    check_error(csv_save(&cx, SPAN_NONE, path, ',', DT_f64, &three, f), "three axes",
                "2 axes|.npy");
    check_error(csv_load(&cx, SPAN_NONE, folder, &opt, &d), "a folder", "folder");
}

/* Every allocation fails once. */
static void failing_allocations(void) {
    double f[6] = {1, 2, 3, 4, 5, 6};
    Shape s = {2, {2, 3}};
    for (int64_t k = 1;; k++) {
        CsvOptions opt = CSV_OPTIONS;
        CsvData d = {0};
        NpyInfo info;
        cx.mem.fail_at = k;
        Status st = csv_save(&cx, SPAN_NONE, path, ',', DT_f64, &s, f);
        if (st == ARR_OK) st = csv_load(&cx, SPAN_NONE, path, &opt, &d);
        csv_free(&cx, &d);
        if (st == ARR_OK) st = npy_write(&cx, SPAN_NONE, path, DT_f64, &s, f);
        if (st == ARR_OK) st = load(&info, f, sizeof f);
        error_clear(&cx);
        check(cx.mem.live == 0, "nothing leaks", "failing allocations");
        if (st == ARR_OK) break;
        check(st == ARR_ERR_MEMORY && k < 100, "the status", "failing allocations");
        if (k == 100) break;
    }
    cx.mem.fail_at = 0;
}

/* --- roots ------------------------------------------------------------------------------------ */

/* What a program may open below a folder, with openat2 and without. */
static void test_roots(bool walk) {
    char in[100], out[100], p[256];
    const char *root = in;
    Roots *r = NULL;
    snprintf(in, sizeof in, "%s/in%d", folder, walk);
    snprintf(out, sizeof out, "%s/out%d", folder, walk);
    check(mkdir(in, 0777) == 0 && mkdir(out, 0777) == 0, "folders", "roots");
    snprintf(path, sizeof path, "%s/a", in);
    write_file("x", 1);
    snprintf(path, sizeof path, "%s/b", out);
    write_file("x", 1);
    snprintf(p, sizeof p, "%s/leaves", in);
    check(symlink(out, p) == 0, "link", "roots");
    snprintf(p, sizeof p, "%s/up", in);
    check(symlink("..", p) == 0, "link", "roots");
    check(roots_new(&cx, &root, 1, walk, &r) == ARR_OK, "roots_new", "roots");
    const char *const inside[] = {"a", "./a", "/a", "none/../a"};
    const char *const outside[] = {"../out0/b", "leaves/b", "up/in0/a", "./../out0/b", "leaves"};
    for (int i = 0; i < 4; i++) {
        if (i == 3 && !walk) continue; /* the kernel wants the folder to be there */
        snprintf(p, sizeof p, "%s/%s", in, inside[i]);
        int fd = roots_open(r, p, O_RDONLY | O_CLOEXEC);
        check(fd >= 0, p, "roots");
        if (fd >= 0) close(fd);
    }
    for (int i = 0; i < 5; i++) {
        snprintf(p, sizeof p, "%s/%s", in, outside[i]);
        check(roots_open(r, p, O_RDONLY | O_CLOEXEC) < 0 && errno == EXDEV, p, "roots");
        check(roots_open(r, p, O_PATH | O_CLOEXEC) < 0 && errno == EXDEV, p, "roots");
    }
    check(roots_open(r, out, O_PATH | O_CLOEXEC) < 0 && errno == EXDEV, "another folder", "roots");
    check(roots_open(NULL, in, O_PATH | O_CLOEXEC) < 0 && errno == EXDEV, "no roots", "roots");
    roots_free(&cx.mem, r);
    snprintf(p, sizeof p, "rm -rf %s %s", in, out);
    check(system(p) == 0, "removed", "roots");
    snprintf(path, sizeof path, "%s/a.npy", folder);
}

int main(void) {
    mem_init(&cx.mem, NULL, NULL);
    snprintf(folder, sizeof folder, "/tmp/arr-files-%ld", (long)getpid());
    snprintf(path, sizeof path, "%s/a.npy", folder);
    check(mkdir(folder, 0700) == 0, "mkdir", folder);
    test_roots(false);
    test_roots(true);
    accepted();
    refused();
    refused_bytes();
    orders();
    written();
    parts();
    replaced();
    texts();
    saved_texts();
    failing_allocations();
    unlink(path);
    check(rmdir(folder) == 0, "no temporary file is left", folder);
    check(cx.mem.live == 0, "everything is freed", "memory");
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
