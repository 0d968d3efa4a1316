/* builtin_files - load, save, exists.
 *
 * Callers: calls by name. What a file is follows from the end of its name: .npy, .npz, .csv, .txt,
 * .png, and anything else raw when dtype (and shape) are said. Loading reads at once, into memory
 * that becomes the array; saving forces. Invariant: a file appears whole or not at all (temporary
 * name, rename). */
#include "interp/builtin_files.h"
#include "runtime/base/file.h"
#include "runtime/csv.h"
#include "runtime/exec.h"
#include "runtime/png.h"

#include <string.h>
#include <unistd.h>

typedef enum Format { FILE_NPY, FILE_NPZ, FILE_CSV, FILE_TXT, FILE_PNG, FILE_RAW } Format;

static bool ends_with(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcasecmp(path + n - m, end) == 0;
}

static Format format_of(const char *path) {
    if (ends_with(path, ".npy")) return FILE_NPY;
    if (ends_with(path, ".npz")) return FILE_NPZ;
    if (ends_with(path, ".png")) return FILE_PNG;
    if (ends_with(path, ".csv") || ends_with(path, ".tsv")) return FILE_CSV;
    return ends_with(path, ".txt") ? FILE_TXT : FILE_RAW;
}

/* A path is a string without NUL bytes. */
static const char *path_arg(Calc *c, const Value *v) {
    const char *path = calc_str(c, "path", v);
    if (calc_ok(c) && (*path == '\0' || strlen(path) != v->str->len))
        calc_fail(c, ARR_ERR_VALUE, "path must be a file's name");
    return path;
}

static char delimiter_of(Calc *c, const char *path, const Value *v) {
    if (!calc_given(v)) return ends_with(path, ".csv") ? ',' : ends_with(path, ".tsv") ? '\t' : ' ';
    const char *s = calc_str(c, "delimiter", v);
    if (calc_ok(c) && (strlen(s) != 1 || (unsigned char)*s >= 0x80 || strchr("\n\r\"", *s)))
        calc_fail(c, ARR_ERR_VALUE, "delimiter must be one character, as \",\" or \";\"");
    return *s;
}

/* Uninitialised host memory as an array, to be read into. */
static Array *host_array(Calc *c, DType t, const Shape *s) {
    Array *a = NULL;
    if (calc_ok(c)) calc_check(c, array_new(&c->A->cx, calc_rt(c)->cpu, t, s, &a));
    return calc_ok(c) ? a : NULL;
}

static Value leaf(Calc *c, Array *a) {
    Node *n = NULL;
    if (!calc_ok(c)) {
        if (a) array_release(&c->A->cx, a);
        return VALUE_UNSET;
    }
    Status s = graph_leaf(calc_rt(c), a, &n);
    return calc_keep_node(c, s, n);
}

/* ---- load ---- */

static int piece_of_npy(void *ctx, char *host, size_t at, size_t n) {
    return npy_read_piece(ctx, host, at, n);
}

Value files_read_npy(Calc *c, const char *path, const NpyInfo *info) {
    Array *a = NULL;
    void *ctx = (void *)(uintptr_t)info;
    if (calc_ok(c) && npy_in_pieces(info))
        calc_check(c,
                   exec_make_pieces(calc_rt(c), info->dtype, &info->shape, piece_of_npy, ctx, &a));
    if (a) return leaf(c, a);
    a = host_array(c, info->dtype, &info->shape);
    if (a) calc_check(c, npy_read(&c->A->cx, c->A->cx.span, path, info, a->buf->ptr));
    return leaf(c, a);
}

static Value load_npy(Calc *c, const char *path) {
    NpyInfo info;
    if (!calc_ok(c) || !calc_check(c, npy_open(&c->A->cx, c->A->cx.span, path, &info)))
        return VALUE_UNSET;
    Value r = files_read_npy(c, path, &info);
    npy_close(&info);
    return r;
}

static Value load_png(Calc *c, const char *path) {
    PngData d;
    if (!calc_ok(c) || !calc_check(c, png_load(&c->A->cx, c->A->cx.span, path, &d)))
        return VALUE_UNSET;
    Value r = calc_host(c, d.dtype, d.shape, d.data);
    png_free(&c->A->cx, &d);
    return r;
}

static Value load_text(Calc *c, const char *path, char delimiter, const Value *header, DType t) {
    CsvOptions opt = CSV_OPTIONS;
    CsvData d;
    opt.delimiter = delimiter;
    if (calc_given(header)) {
        int64_t rows = calc_count(c, "header", header);
        opt.header = rows > 1 << 30 ? 1 << 30 : (int)rows;
    }
    if (t != DT_COUNT) {
        opt.typed = true;
        opt.dtype = t;
    }
    if (!calc_ok(c) || !calc_check(c, csv_load(&c->A->cx, c->A->cx.span, path, &opt, &d)))
        return VALUE_UNSET;
    Value r = calc_host(c, d.dtype, d.shape, d.data);
    csv_free(&c->A->cx, &d);
    return r;
}

/* The extents of a raw file: as said, one of them -1, or all the elements it holds. */
static Shape raw_shape(Calc *c, const char *path, const Value *shape, DType t, int64_t bytes) {
    int64_t dim[MAX_RANK], item = (int64_t)dtype_size(t), known = 1;
    Shape s = calc_shape1(bytes / item);
    int open = -1;
    if (calc_given(shape)) s = shape_make(calc_ints(c, "shape", shape, dim), dim);
    for (int i = 0; i < s.rank && calc_ok(c) && calc_given(shape); i++) {
        bool again = s.dim[i] == -1 && open >= 0;
        if (s.dim[i] < -1 || again)
            calc_fail(c, ARR_ERR_VALUE, "shape may leave one extent open by -1");
        if (s.dim[i] == -1)
            open = i;
        else if (!mul_i64(known, s.dim[i], &known))
            calc_fail(c, ARR_ERR_LIMIT, "shape is too large");
    }
    if (!calc_ok(c)) return (Shape){.rank = 0};
    if (open >= 0) {
        s.dim[open] = known > 0 ? bytes / item / known : 0;
        known *= s.dim[open];
    }
    if (!calc_given(shape) && bytes % item != 0)
        calc_fail(c, ARR_ERR_IO, "%s holds %lld bytes, no whole number of %s (%lld bytes each)",
                  path, (long long)bytes, dtype_name(t), (long long)item);
    int64_t want = calc_given(shape) ? known : s.dim[0], need;
    if (!mul_i64(want, item, &need) || need != bytes) {
        char text[SHAPE_TEXT];
        shape_text(t, &s, text);
        calc_fail(c, ARR_ERR_IO, "%s holds %lld bytes, %s needs %lld", path, (long long)bytes, text,
                  (long long)need);
    }
    return s;
}

static Value load_raw(Calc *c, const char *path, DType t, const Value *shape) {
    int fd;
    int64_t size;
    Cx *cx = &c->A->cx;
    if (!calc_ok(c) || !calc_check(c, file_open(cx, cx->span, path, &fd, &size)))
        return VALUE_UNSET;
    Shape s = raw_shape(c, path, shape, t, size);
    Array *a = host_array(c, t, &s);
    if (a) calc_check(c, file_read_at(cx, cx->span, path, fd, 0, a->buf->ptr, (size_t)size));
    close(fd);
    if (a && calc_ok(c) && t == DT_bool) array_settle_bools(a->buf->ptr, size);
    return leaf(c, a);
}

static Value reshaped(Calc *c, const char *path, Value x, const Value *shape) {
    Shape s = calc_extents(c, "shape", shape, NULL);
    if (calc_ok(c) && shape_size(&s) != calc_size(x))
        return calc_fail(c, ARR_ERR_SHAPE, "%s holds %lld elements, shape asks for %lld", path,
                         (long long)calc_size(x), (long long)shape_size(&s));
    return calc_reshape(c, x, s);
}

static Status files_load(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "load");
    const char *path = path_arg(&c, &args[0]);
    DType t = calc_dtype(&c, &args[1], DT_COUNT);
    Format f = format_of(path);
    bool shaped = calc_given(&args[2]);
    Value r = VALUE_UNSET;
    if (calc_ok(&c) && f == FILE_RAW && t == DT_COUNT)
        calc_fail(&c, ARR_ERR_VALUE,
                  "%s is neither .npy, .npz, .csv, .txt nor .png: say what it holds, "
                  "load(path, f32, (rows, columns))",
                  path);
    if (calc_ok(&c) && f == FILE_NPZ && (t != DT_COUNT || shaped))
        calc_fail(&c, ARR_ERR_ARGUMENT,
                  "the arrays of an archive have their own dtypes and shapes");
    switch (f) {
    case FILE_NPY: r = load_npy(&c, path); break;
    case FILE_NPZ: r = files_load_npz(&c, path); break;
    case FILE_PNG: r = load_png(&c, path); break;
    case FILE_RAW: r = load_raw(&c, path, t, &args[2]); break;
    default: r = load_text(&c, path, delimiter_of(&c, path, &args[3]), &args[4], t); break;
    }
    if (calc_ok(&c) && t != DT_COUNT) r = calc_cast(&c, r, t);
    if (calc_ok(&c) && shaped && f != FILE_RAW) r = reshaped(&c, path, r, &args[2]);
    return calc_done(&c, r, out);
}

/* ---- save ---- */

typedef struct Target {
    int fd;
    int64_t offset; /* of the elements */
} Target;

static int piece_to_file(void *ctx, char *host, size_t at, size_t n) {
    const Target *to = ctx;
    return file_write_piece(to->fd, to->offset + (int64_t)at, host, n);
}

/* From a GPU while it is being written; false: the usual way is to be taken. */
static bool save_in_pieces(Calc *c, const char *path, Format format, Value x, DType t,
                           const Shape *s) {
    char header[NPY_HEADER_MAX];
    size_t len = 0;
    bool done = false;
    int rc = 1;
    Cx *cx = &c->A->cx;
    FileOut f;
    if (format == FILE_NPY &&
        !calc_check(c, npy_header_make(cx, cx->span, path, t, s, header, &len)))
        return true;
    if (!calc_check(c, file_create(cx, cx->span, path, &f))) return true;
    if (file_is_seekable(&f) && calc_check(c, file_write(&f, header, len))) {
        Target to = {f.fd, (int64_t)len};
        calc_check(c, exec_read_pieces(calc_rt(c), x.node, piece_to_file, &to, &done, &rc));
    }
    if (calc_ok(c) && done && rc == 0)
        calc_check(c, file_commit(&f));
    else
        file_abandon(&f);
    return !calc_ok(c) || (done && rc == 0);
}

static void save_raw(Calc *c, const char *path, const void *data, size_t n) {
    FileOut f;
    if (!calc_check(c, file_create(&c->A->cx, c->A->cx.span, path, &f))) return;
    if (calc_check(c, file_write(&f, data, n)))
        calc_check(c, file_commit(&f));
    else
        file_abandon(&f);
}

static void save_array(Calc *c, const char *path, Format f, const Value *v,
                       const Value *delimiter) {
    size_t bytes = 0;
    Value x = calc_array(c, "arr", v);
    Shape s = calc_shape(x);
    DType t = calc_ok(c) ? calc_type(c, x) : DT_f64;
    if (calc_ok(c) && f != FILE_NPY && f != FILE_RAW && f != FILE_PNG && s.rank > 2)
        calc_fail(c, ARR_ERR_SHAPE, "text files hold two axes at most, not %d: use .npy", s.rank);
    char separator = f == FILE_CSV || f == FILE_TXT ? delimiter_of(c, path, delimiter) : ',';
    if (calc_ok(c) && (f == FILE_NPY || f == FILE_RAW) && exec_is_large(calc_rt(c), x.node) &&
        save_in_pieces(c, path, f, x, t, &s))
        return;
    void *data = calc_read(c, x, t, &bytes);
    Cx *cx = &c->A->cx;
    if (data && f == FILE_NPY)
        calc_check(c, npy_write(cx, cx->span, path, t, &s, data));
    else if (data && f == FILE_PNG)
        calc_check(c, png_save(cx, cx->span, path, t, &s, data));
    else if (data && f == FILE_RAW)
        save_raw(c, path, data, bytes - 1);
    else if (data)
        calc_check(c, csv_save(cx, cx->span, path, separator, t, &s, data));
    calc_free(c, data, bytes);
}

static Status files_save(State *A, const Value *args, Value *out) {
    Calc c;
    calc_open(&c, A, "save");
    const char *path = path_arg(&c, &args[0]);
    Format f = format_of(path);
    const Record *named = args[3].record;
    if (calc_ok(&c) && f != FILE_NPZ && (named->n > 0 || args[1].kind == V_RECORD))
        calc_fail(
            &c, ARR_ERR_ARGUMENT,
            "arr is a record or a name is given: only an archive holds those, end it with .npz");
    if (calc_ok(&c) && args[1].kind == V_UNSET && named->n == 0)
        calc_fail(&c, ARR_ERR_ARGUMENT, "what is to be saved: save(path, x)");
    if (f == FILE_NPZ)
        files_save_npz(&c, path, &args[1], named);
    else
        save_array(&c, path, f, &args[1], &args[2]);
    return calc_done(&c, VALUE_NONE, out);
}

static Status files_exists(State *A, const Value *args, Value *out) {
    Calc c;
    bool there = false;
    calc_open(&c, A, "exists");
    const char *path = path_arg(&c, &args[0]);
    if (calc_ok(&c)) calc_check(&c, file_exists(&A->cx, A->cx.span, path, &there));
    return calc_done(&c, value_bool(there), out);
}

const BuiltinDef builtin_files[] = {
    {"load(path, dtype=none, shape=none, delimiter=none, header=none)", files_load,
     "What a file holds, by the end of its name. .npy: the array, with its dtype and shape. .npz: "
     "a\n"
     "record of arrays. .csv (commas), .tsv (tabs) and .txt (blanks; delimiter says otherwise): "
     "i64\n"
     "where all fields are integers, else f64 or c128; a first row that is not all numbers is "
     "skipped,\n"
     "or as many rows as header says; one column gives a vector. .png: u8 or u16 of (height, "
     "width)\n"
     "or (height, width, channels). Any other file is raw: say dtype, and shape unless it is a "
     "vector.\n"
     "dtype casts.\n"
     "  save(\"/tmp/arr-help.npy\", [1, 2]); load(\"/tmp/arr-help.npy\") #=> [1 2]\n"
     "  save(\"/tmp/arr-help.npz\", x=[1, 2], y=3); load(\"/tmp/arr-help.npz\").x #=> [1 2]"},
    {"save(path, arr=, delimiter=none, named=...)", files_save,
     "Write an array to a file: as .npy, as text (.csv, .tsv, .txt: two axes at most), as a "
     "picture\n"
     "(.png: u8, u16 or bool), or raw, by the end of its name. .npz takes several, by name or in "
     "a\n"
     "record. A number is saved as a 0-d array. The file appears whole or not at all.\n"
     "  save(\"/tmp/arr-help.csv\", [[1, 2], [3, 4]]); load(\"/tmp/arr-help.csv\") #=> [[1 2]\n"
     "                                                                         #=>  [3 4]]"},
    {"exists(path)", files_exists,
     "Is there a file or folder of that name?\n"
     "  exists(\"/no/such/file\") #=> false"},
    {NULL, NULL, NULL},
};
