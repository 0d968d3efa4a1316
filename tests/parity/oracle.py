"""What the parity tests share: Arr's dtypes in NumPy's terms, one rounding to any float format, the
summation tree, and running a program with `arr`. Figures come from NumPy and the C library only.

An array of dtype bf16 is held as float32 with bf16 values; everything else in its own dtype."""
import os
import subprocess

import numpy as np

BOOL = ["bool"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
INTS = SIGNED + UNSIGNED
FLOATS = ["f16", "bf16", "f32", "f64"]
COMPLEX = ["c64", "c128"]
ALL = BOOL + INTS + FLOATS + COMPLEX

NP = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16,
    "bf16": np.float32, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
    "c128": np.complex128,
}
BITS = {d: NP[d]().itemsize * 8 for d in ALL}
# explicit bits of the significand, lowest and highest exponent
FORMAT = {"f16": (10, -14, 15), "bf16": (7, -126, 127), "f32": (23, -126, 127),
          "f64": (52, -1022, 1023)}
LD = np.longdouble


def kind(d):
    return ("b" if d == "bool" else "i" if d in SIGNED else "u" if d in UNSIGNED
            else "f" if d in FLOATS else "c")


def promote(a, b):
    """The dtype of two arrays together; None: an error that asks for a cast."""
    if a == b:
        return a
    ka, kb = kind(a), kind(b)
    if "b" in (ka, kb):
        return b if ka == "b" else a
    if ka == kb == "f":
        if {a, b} == {"f16", "bf16"}:
            return "f32"
        return a if BITS[a] > BITS[b] or b in ("f16", "bf16") and a not in ("f16", "bf16") else b
    if ka == kb:
        return a if BITS[a] > BITS[b] else b
    if ka in "iu" and kb in "iu":
        s, u = (a, b) if ka == "i" else (b, a)
        if u == "u64":
            return None
        return s if BITS[s] > BITS[u] else SIGNED[SIGNED.index("i" + str(BITS[u])) + 1]
    if ka in "iu" or kb in "iu":
        return b if ka in "iu" else a
    c, f = (a, b) if ka == "c" else (b, a)
    return "c128" if f == "f64" else c


def round_to(x, d):
    """Real numbers (long double or narrower) rounded once, half to even, to the float dtype d."""
    mant, emin, emax = FORMAT[d]
    x = np.asarray(x, LD)
    with np.errstate(all="ignore"):
        finite = np.isfinite(x)
        safe = np.where(finite, x, LD(0))
        _, e = np.frexp(safe)
        q = np.maximum(e - (mant + 1), emin - mant)
        y = np.ldexp(np.rint(np.ldexp(safe, -q)), q)
        y = np.where(np.abs(y) >= np.ldexp(LD(1), emax + 1), np.copysign(LD(np.inf), y), y)
        y = np.copysign(y, safe)
        return np.where(finite, y, x).astype(NP[d])


def cast(x, src, dst):
    """An explicit cast; None where it is an error."""
    ks, kd = kind(src), kind(dst)
    with np.errstate(all="ignore"):
        if ks == "c" and kd != "c":
            return x != 0 if kd == "b" else None
        if kd == "b":
            return x != 0
        if kd == "c":
            part = "f32" if dst == "c64" else "f64"
            re, im = (x.real, x.imag) if ks == "c" else (x, np.zeros(x.shape))
            out = np.empty(x.shape, NP[dst])
            out.real, out.imag = round_to(re.astype(LD), part), round_to(im.astype(LD), part)
            return out
        if kd == "f":
            return round_to(x.astype(LD), dst)
        if ks == "f":
            info = np.iinfo(NP[dst])
            t = np.trunc(np.where(np.isnan(x), 0, x).astype(LD))
            big, small = t >= LD(info.max), t <= LD(info.min)
            t = np.where(big | small, LD(0), t).astype(NP[dst])
            return np.where(big, info.max, np.where(small, info.min, t)).astype(NP[dst])
        return x.astype(NP[dst])


def ordered(x, d):
    """Floats as integers that are neighbours where the floats are; both zeros are 0."""
    size = {"f16": np.int16, "bf16": np.int32, "f32": np.int32, "f64": np.int64}[d]
    i = np.ascontiguousarray(x, NP[d]).view(size)
    low = np.iinfo(size).min
    i = np.where(i < 0, low - i, i)
    return i.astype(object) // 65536 if d == "bf16" else i.astype(object)


# ---- the summation tree --------------------------------------------------------------------------


def pairwise(parts, combine):
    """128 partial results (None: no element) combined at distances 64, 32, ... 1."""
    parts = list(parts) + [None] * (128 - len(parts))
    step = 64
    while step:
        for i in range(step):
            a, b = parts[i], parts[i + step]
            parts[i] = a if b is None else b if a is None else combine(a, b)
        step //= 2
    return parts[0]


def tree(items, combine):
    """One dimension of numbers, by the tree of sums; None for no items."""
    while True:
        chunks = []
        for at in range(0, len(items), 4096):
            chunk = items[at:at + 4096]
            lanes = []
            for lane in range(min(128, len(chunk))):
                acc = chunk[lane]
                for x in chunk[lane + 128::128]:
                    acc = combine(acc, x)
                lanes.append(acc)
            chunks.append(pairwise(lanes, combine))
        if len(chunks) <= 1:
            return chunks[0] if chunks else None
        items = chunks


# ---- running -------------------------------------------------------------------------------------


def write(path, x):
    np.save(path, x)


def run(arr, program, directory, options=(), env=None, timeout=600):
    """Runs a program text in a directory; (exit status, standard output, standard error)."""
    path = os.path.join(directory, "program.arr")
    with open(path, "w") as f:
        f.write(program)
    e = dict(os.environ, ARR_CACHE_DIR="")
    e.update(env or {})
    r = subprocess.run([os.path.abspath(arr), *options, "program.arr"], cwd=directory, env=e,
                       capture_output=True, text=True, timeout=timeout)
    return r.returncode, r.stdout, r.stderr


class Score:
    """Counts, and prints the first failures."""

    most = 40

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, ok, text):
        if ok:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= self.most:
            print(text)

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed else 0
