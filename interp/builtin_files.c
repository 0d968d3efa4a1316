/* builtin_files - load, save, exists.
 *
 * Callers: calls by name. What a file is follows from the end of its name: .npy, .csv, .txt, and
 * anything else raw when dtype (and shape) are said. Loading reads at once, into memory that
 * becomes the array; saving forces. Invariant: a file appears whole or not at all (temporary name,
 * rename). */
#include "interp/builtin_util.h"
#include "runtime/csv.h"
#include "runtime/exec.h"
#include "runtime/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum Format { FILE_NPY, FILE_CSV, FILE_TXT, FILE_RAW } Format;

static bool ends_with(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcasecmp(path + n - m, end) == 0;
}

static Format format_of(const char *path) {
    if (ends_with(path, ".npy")) return FILE_NPY;
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

static Value load_npy(Calc *c, const char *path) {
    NpyInfo info;
    if (!calc_ok(c) || !calc_check(c, npy_open(&c->A->cx, c->A->cx.span, path, &info)))
        return VALUE_UNSET;
    Array *a = host_array(c, info.dtype, &info.shape);
    if (a && info.count > 0)
        calc_check(c, npy_read(&c->A->cx, c->A->cx.span, path, &info, a->buf->ptr));
    npy_close(&info);
    return leaf(c, a);
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

static Value io_error(Calc *c, const char *verb, const char *path, const char *why) {
    return calc_fail(c, ARR_ERR_IO, "cannot %s %s: %s", verb, path, why);
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
    int64_t want = calc_given(shape) ? known : s.dim[0], need;
    if (!mul_i64(want, item, &need) || need != bytes) {
        char text[SHAPE_TEXT];
        shape_text(t, &s, text);
        calc_fail(c, ARR_ERR_IO, "%s holds %lld bytes, %s needs %lld", path, (long long)bytes, text,
                  (long long)need);
    }
    return s;
}

static bool read_exactly(int fd, char *p, int64_t n) {
    for (int64_t at = 0; at < n;) {
        ssize_t got = pread(fd, p + at, (size_t)(n - at), at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
    }
    return true;
}

static Value load_raw(Calc *c, const char *path, DType t, const Value *shape) {
    struct stat info;
    if (!calc_ok(c)) return VALUE_UNSET;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        if (fd >= 0) close(fd);
        return io_error(c, "load", path,
                        fd < 0 ? "there is no such file, or it may not be read"
                               : "it is no plain file");
    }
    Shape s = raw_shape(c, path, shape, t, info.st_size);
    Array *a = host_array(c, t, &s);
    if (a && info.st_size > 0 && !read_exactly(fd, a->buf->ptr, info.st_size))
        io_error(c, "load", path, "reading failed");
    close(fd);
    return leaf(c, a);
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
                  "%s is neither .npy nor .csv nor .txt: say what it holds, "
                  "load(path, f32, (rows, columns))",
                  path);
    if (f == FILE_RAW) {
        r = load_raw(&c, path, t, &args[2]);
    } else {
        if (f == FILE_NPY)
            r = load_npy(&c, path);
        else
            r = load_text(&c, path, delimiter_of(&c, path, &args[3]), &args[4], t);
        if (calc_ok(&c) && t != DT_COUNT) r = calc_cast(&c, r, t);
        if (calc_ok(&c) && shaped) {
            Shape s = calc_extents(&c, "shape", &args[2], NULL);
            if (calc_ok(&c) && shape_size(&s) != calc_size(r))
                calc_fail(&c, ARR_ERR_SHAPE, "%s holds %lld elements, shape asks for %lld", path,
                          (long long)calc_size(r), (long long)shape_size(&s));
            r = calc_reshape(&c, r, s);
        }
    }
    return calc_done(&c, r, out);
}

/* ---- save ---- */

static bool write_exactly(int fd, const char *p, size_t n) {
    while (n > 0) {
        ssize_t put = write(fd, p, n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

/* Elements alone, beside the target first, then renamed onto it. */
static void save_raw(Calc *c, const char *path, const void *data, size_t n) {
    size_t size = strlen(path) + 32;
    char *temp = calc_alloc(c, size);
    if (!temp) return;
    int fd = -1;
    for (int i = 0; i < 100 && fd < 0; i++) {
        snprintf(temp, size, "%s.%ld.%d.tmp", path, (long)getpid(), i);
        fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd < 0) {
        io_error(c, "save", path,
                 errno == ENOENT ? "there is no such folder" : "it cannot be written");
    } else {
        bool ok = write_exactly(fd, data, n);
        ok = close(fd) == 0 && ok && rename(temp, path) == 0;
        if (!ok) {
            unlink(temp);
            io_error(c, "save", path, "writing failed");
        }
    }
    calc_free(c, temp, size);
}

static Status files_save(State *A, const Value *args, Value *out) {
    Calc c;
    size_t bytes = 0;
    calc_open(&c, A, "save");
    const char *path = path_arg(&c, &args[0]);
    Value x = calc_array(&c, "x", &args[1]);
    Format f = format_of(path);
    Shape s = calc_shape(x);
    DType t = calc_ok(&c) ? calc_type(&c, x) : DT_f64;
    void *data = calc_read(&c, x, t, &bytes);
    Cx *cx = &A->cx;
    if (data && f == FILE_NPY) {
        calc_check(&c, npy_write(cx, cx->span, path, t, &s, data));
    } else if (data && f == FILE_RAW) {
        save_raw(&c, path, data, (size_t)shape_size(&s) * dtype_size(t));
    } else if (data && calc_rank(x) > 2) {
        calc_fail(&c, ARR_ERR_SHAPE, "text files hold two axes at most, not %d: use .npy", s.rank);
    } else if (data) {
        char delimiter = delimiter_of(&c, path, &args[2]);
        if (calc_ok(&c)) calc_check(&c, csv_save(cx, cx->span, path, delimiter, t, &s, data));
    }
    calc_free(&c, data, bytes);
    return calc_done(&c, VALUE_NONE, out);
}

static Status files_exists(State *A, const Value *args, Value *out) {
    Calc c;
    struct stat info;
    calc_open(&c, A, "exists");
    const char *path = path_arg(&c, &args[0]);
    return calc_done(&c, value_bool(calc_ok(&c) && stat(path, &info) == 0), out);
}

const BuiltinDef builtin_files[] = {
    {"load(path, dtype=none, shape=none, delimiter=none, header=none)", files_load,
     "The array in a file. .npy keeps its dtype and shape. .csv (commas), .tsv (tabs) and .txt\n"
     "(blanks; delimiter says otherwise) give i64 where all fields are integers, else f64 or c128; "
     "a\n"
     "first row that is not all numbers is skipped, or as many rows as header says; one column "
     "gives\n"
     "a vector. Any other file is raw: say dtype, and shape unless it is a vector. dtype casts.\n"
     "  save(\"/tmp/arr-help.npy\", [1, 2]); load(\"/tmp/arr-help.npy\") #=> [1 2]"},
    {"save(path, x, delimiter=none)", files_save,
     "Write an array to a file, as .npy, as text (.csv, .tsv, .txt: two axes at most) or raw, by "
     "the\n"
     "end of its name. A number is saved as a 0-d array. The file appears whole or not at all.\n"
     "  save(\"/tmp/arr-help.csv\", [[1, 2], [3, 4]]); load(\"/tmp/arr-help.csv\") #=> [[1 2]\n"
     "                                                                         #=>  [3 4]]"},
    {"exists(path)", files_exists,
     "Is there a file or folder of that name?\n"
     "  exists(\"/no/such/file\") #=> false"},
    {NULL, NULL, NULL},
};
