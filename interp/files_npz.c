/* files_npz - several arrays in one file: zip archives with one .npy a member, as np.savez makes.
 *
 * Callers: load, save. A stored member is read in place, a deflated one through an anonymous file,
 * since .npy is read from files. Invariant: members that are no .npy are an error, not left out. */
#include "interp/builtin_files.h"
#include "interp/api_limits.h"
#include "runtime/zip.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- load ---- */

/* n bytes as a file without a name; -1: the system refuses. */
static int anonymous_file(State *A, const uint8_t *data, size_t n) {
    int fd = memfd_create("npz", MFD_CLOEXEC);
    enum { PIECE = 1 << 24 };
    for (size_t at = 0; fd >= 0 && at < n;) {
        ssize_t put = pwrite(fd, data + at, n - at < PIECE ? n - at : PIECE, (off_t)at);
        if (put <= 0 || interrupted(A)) {
            close(fd);
            return -1;
        }
        at += (size_t)put;
    }
    return fd;
}

static Value read_part(Calc *c, const char *path, int fd, int64_t lo, int64_t hi) {
    NpyInfo info;
    Cx *cx = &c->A->cx;
    if (!calc_ok(c) || !calc_check(c, npy_open_part(cx, cx->span, path, fd, lo, hi, &info)))
        return VALUE_UNSET;
    return files_read_npy(c, path, &info);
}

static Value read_deflated(Calc *c, const ZipIn *z, const ZipMember *m) {
    uint8_t *data = NULL;
    Value r = VALUE_UNSET;
    if (!calc_check(c, zip_read(z, m, &data))) return r;
    int fd = anonymous_file(c->A, data, (size_t)m->size);
    calc_free(c, data, (size_t)m->size + 1);
    if (interrupted(c->A)) {
        if (fd >= 0) close(fd);
        return calc_keep(c, error_interrupted(&c->A->cx), VALUE_NONE);
    }
    if (fd < 0)
        return calc_fail(c, ARR_ERR_IO, "cannot unpack %s: the system gives no memory file",
                         z->path);
    r = read_part(c, z->path, fd, 0, m->size);
    close(fd);
    return r;
}

static Value read_member(Calc *c, const ZipIn *z, const ZipMember *m) {
    if (m->deflated) return read_deflated(c, z, m);
    calc_check(c, zip_check(z, m));
    return read_part(c, z->path, z->fd, m->offset, m->offset + m->packed);
}

/* "x.npy" -> x. */
static Symbol member_name(Calc *c, const ZipIn *z, const ZipMember *m) {
    size_t n = strlen(m->name);
    if (n <= 4 || strcmp(m->name + n - 4, ".npy") != 0) {
        calc_fail(c, ARR_ERR_IO, "%s holds %s, which is no .npy", z->path, m->name);
        return -1;
    }
    Symbol s = symbol_intern(c->A, m->name, n - 4);
    if (s < 0) calc_check(c, ARR_ERR_MEMORY);
    return s;
}

static Value read_members(Calc *c, const ZipIn *z) {
    Value made = VALUE_NONE;
    Status st = value_record(c->A, (uint32_t)z->n, &made);
    Value r = calc_keep(c, st, made);
    for (size_t i = 0; i < z->n && calc_ok(c); i++) {
        Symbol name = member_name(c, z, &z->members[i]);
        calc_check(c, state_step(c->A, 1 + i));
        for (size_t k = 0; k < i && calc_ok(c); k++)
            if (r.record->fields[k].name == name)
                calc_fail(c, ARR_ERR_IO, "%s holds %s twice", z->path, z->members[i].name);
        Value x = calc_ok(c) ? read_member(c, z, &z->members[i]) : VALUE_UNSET;
        if (!calc_ok(c)) break;
        r.record->fields[i].name = name;
        r.record->fields[i].value = value_retain(x);
    }
    return r;
}

Value files_load_npz(Calc *c, const char *path) {
    ZipIn z;
    Cx *cx = &c->A->cx;
    if (!calc_ok(c) || !calc_check(c, zip_open(cx, cx->span, path, &z))) return VALUE_UNSET;
    Value r = VALUE_UNSET;
    if (z.n > UINT16_MAX)
        calc_fail(c, ARR_ERR_LIMIT, "%s holds too many arrays", path);
    else
        r = read_members(c, &z);
    zip_close(&z);
    return r;
}

/* ---- save ---- */

static void save_member(Calc *c, ZipOut *z, const char *name, const Value *v) {
    char header[NPY_HEADER_MAX], full[256];
    size_t len = 0, bytes = 0, n = strlen(name);
    Value x = calc_array(c, name, v);
    if (calc_ok(c) && n + 5 > sizeof full)
        calc_fail(c, ARR_ERR_VALUE, "the name %.40s... is too long", name);
    if (!calc_ok(c)) return;
    memcpy(full, name, n);
    memcpy(full + n, ".npy", 5);
    Shape s = calc_shape(x);
    DType t = calc_type(c, x);
    Cx *cx = &c->A->cx;
    if (!calc_check(c, npy_header_make(cx, cx->span, z->file.path, t, &s, header, &len))) return;
    void *data = calc_read(c, x, t, &bytes);
    if (data) calc_check(c, zip_add(z, full, header, len, data, bytes - 1));
    calc_free(c, data, bytes);
}

static void save_fields(Calc *c, ZipOut *z, const Record *r) {
    for (uint32_t i = 0; i < r->n && calc_ok(c); i++)
        save_member(c, z, symbol_text(c->A, r->fields[i].name), &r->fields[i].value);
}

void files_save_npz(Calc *c, const char *path, const Value *x, const Record *named) {
    ZipOut z;
    Cx *cx = &c->A->cx;
    if (!calc_ok(c) || !calc_check(c, zip_create(cx, cx->span, path, &z))) return;
    if (x->kind == V_RECORD)
        save_fields(c, &z, x->record);
    else if (x->kind != V_UNSET)
        save_member(c, &z, "arr_0", x);
    save_fields(c, &z, named);
    Status st = zip_finish(&z, c->status);
    calc_check(c, st);
}
