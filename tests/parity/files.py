"""Files that NumPy writes are read, and what is saved is what NumPy would save, byte for byte.

    files.py ARR [options for arr]

NumPy's own acceptance cases: every dtype in both byte orders, empty, 0-d, long, in C and in Fortran
order, reversed and strided; each of them cut one byte short; archives stored and deflated; text that
np.savetxt writes. Last line: "N passed, N failed, N skipped"."""
import io
import os
import sys
import tempfile

import numpy as np

import oracle as o

CODES = {"bool": "b1", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2",
         "u32": "u4", "u64": "u8", "f16": "f2", "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}


def arrays(dtype):
    long = (np.arange(1500) % 100).astype(dtype)
    table = long.reshape(30, 50)
    yield from [np.zeros(0, dtype), np.array(7).astype(dtype), long, table, table.T,
                table[::-1, ::2], table[:1], np.zeros((0, 3), dtype), table.reshape(5, 6, 50).T]


def npy(x, version=None):
    f = io.BytesIO()
    np.lib.format.write_array(f, x, version)
    return f.getvalue()


class Files:
    """Files in a folder, the program that reads them, and what it must print."""

    def __init__(self, fold):
        self.fold, self.lines, self.want, self.kept = fold, [], [], []

    def put(self, name, data):
        with open(os.path.join(self.fold, name), "wb") as f:
            f.write(data)
        return name

    def loads(self, data, x, d):
        """A file with these bytes is x; saved again it is what np.save makes of x in C order."""
        k = len(self.want)
        name = self.put(f"{k}.npy", data)
        self.lines.append(f'x = load("{name}"); print({k}, x.dtype, x.shape); save("back{k}.npy", x)')
        shape = str(x.shape)
        self.want.append(f"{k} {d} {shape}")
        native = np.ascontiguousarray(x).reshape(x.shape).astype(x.dtype.newbyteorder("="))
        self.kept.append((f"back{k}.npy", npy(native)))

    def fails(self, data):
        k = len(self.want)
        name = self.put(f"{k}.npy", data)
        self.lines.append(f'try {{ load("{name}"); print({k}, "no error") }} '
                          f'catch err {{ print({k}, err.kind) }}'.replace("load(", "_ = load("))
        self.want.append(f"{k} io")

    def says(self, line, want):
        k = len(self.want)
        self.lines.append(line.replace("K", str(k)))
        self.want.append(f"{k} {want}")


def fill(f):
    for d, code in CODES.items():
        for order in "<>":
            for x in arrays(np.dtype(order + code)):
                data = npy(x)
                f.loads(data, x, d)
                f.fails(data[:-1] if x.size else data[:-2])
    x = np.arange(6, dtype="<f4").reshape(2, 3)
    for version in ((2, 0), (3, 0)):
        f.loads(npy(x, version), x, "f32")
    good = npy(x)
    for bad in (b"\x92NUMPY", b"\x93numpy", b"\x93MATLB", b"\x93NUMPY\x06", b"", b"\x93NUM"):
        f.fails(bad + good[6:] if len(bad) == 6 else bad)
    for version in (b"\1\1", b"\0\0", b"\0\1", b"\2\1", b"\xff\xff"):
        f.fails(good[:6] + version + good[8:])
    f.fails(good.replace(b"'fortran_order': False,", b"                       "))
    f.fails(good.replace(b"'shape'", b"'extra': 0, 'shape'"))
    f.fails(good[:60])
    for bad in ("|O", "|S5", "<U7", "|V8", "<M8[ns]", "<f16"):
        f.fails(good.replace(b"<f4", bad.encode()))
    f.fails(npy(np.zeros(3, [("x", "<f4"), ("y", "<i2")])))
    f.fails(good.replace(b"(2, 3)", b"(2,-3)"))
    for save, name in ((np.savez, "stored.npz"), (np.savez_compressed, "deflated.npz")):
        save(os.path.join(f.fold, name), x=x, y=np.arange(5000) % 7, z=np.array(2.5), e=np.zeros((0, 2)))
        f.says(f'r = load("{name}"); print(K, fields(r), sum(r.x), sum(r.y), r.z, r.e.shape)',
               "('x', 'y', 'z', 'e') 15.0 14995 2.5 (0, 2)")
    np.savetxt(os.path.join(f.fold, "t.txt"), x)
    np.savetxt(os.path.join(f.fold, "t.csv"), np.array(x, int), fmt="%d", delimiter=",", header="a,b,c")
    f.says('r = load("t.txt"); print(K, r.dtype, r.shape, sum(r))', "f64 (2, 3) 15.0")
    f.says('r = load("t.csv"); print(K, r.dtype, r.shape, sum(r))', "i64 (2, 3) 15")


def back(fold, score):
    """What Arr saves, NumPy reads."""
    with np.load(os.path.join(fold, "ours.npz")) as r:
        ok = sorted(r.files) == ["a", "b", "c"] and r["a"].tolist() == [1, 2, 3] and \
            r["b"].dtype == np.complex64 and r["c"].shape == (2, 0)
        score.check(ok, f"files.py: ours.npz is {dict(r)}")
    t = np.loadtxt(os.path.join(fold, "ours.csv"), delimiter=",")
    score.check(t.tolist() == [[0.1, 1e300], [-2.0, 3.0]], f"files.py: ours.csv is {t}")
    t = np.loadtxt(os.path.join(fold, "ours.txt"))
    score.check(t.tolist() == [1, 2], f"files.py: ours.txt is {t}")
    raw = np.fromfile(os.path.join(fold, "ours.bin"), "<f4")
    score.check(raw.tolist() == [1.5, 2.5], f"files.py: ours.bin is {raw}")


def main():
    arr, args = sys.argv[1], sys.argv[2:]
    score = o.Score()
    with tempfile.TemporaryDirectory() as fold:
        f = Files(fold)
        fill(f)
        f.lines += ['save("ours.npz", a=[1, 2, 3], b=c64([1j]), c=zeros(2, 0))',
                    'save("ours.csv", [[0.1, 1e300], [-2, 3]])', 'save("ours.txt", [1, 2])',
                    'save("ours.bin", f32([1.5, 2.5]))']
        rc, out, err = o.run(arr, "\n".join(f.lines) + "\n", fold, args)
        score.check(rc == 0, f"files.py: exit status {rc}: {err}")
        for got, want in zip(out.splitlines() + ["nothing"] * len(f.want), f.want):
            score.check(got == want, f"files.py: {got!r}, not {want!r}")
        for name, want in f.kept:
            path = os.path.join(fold, name)
            got = open(path, "rb").read() if os.path.exists(path) else b""
            score.check(got == want, f"files.py: {name} has {len(got)} bytes, {got[:90]!r}, "
                                     f"not {len(want)}, {want[:90]!r}")
        if rc == 0:
            back(fold, score)
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
