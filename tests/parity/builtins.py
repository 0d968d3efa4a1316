"""Builtins of shape, search, sets, bins and products against NumPy.

    builtins.py ARR [--only TEXT] [options for arr]

Each line of CALLS is one call, written so that Arr and Python read it alike; it is evaluated for
operands of several dtypes and shapes, extents of 0 and 1 among them. What NumPy refuses, Arr must
refuse; otherwise dtype (by Arr's promotion), shape and elements must agree. Last line: "N passed,
N failed, N skipped"."""
import os
import re
import sys
import tempfile

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

import oracle as o

BATCH = 800
SHAPES = [(), (1,), (0,), (4,), (6,), (2, 3), (3, 3), (1, 3), (3, 1), (0, 3), (3, 0), (2, 1, 3), (2, 2, 2)]
MOST = ["bool", "i8", "i32", "i64", "u8", "u64", "f16", "f32", "f64", "c64", "c128"]
REAL = [d for d in MOST if o.kind(d) != "c"]
NUMBERS = [d for d in MOST if d != "bool"]
INTS = ["i8", "i32", "i64", "u8", "u32"]
FEW = ["bool", "i32", "i64", "f32", "f64", "c128"]

# (dtypes of a, shapes of a or None for all, calls); b: another array of a's dtype and shape, v: a
# vector of 5 of it, s: v sorted, i: integers
CALLS = [
    (MOST, None, """
ravel(a)
flatten(a)
reshape(a, (-1,))
reshape(a, (1, -1))
reshape(a, (2, -1))
reshape(a, (-1, 0))
reshape(a, (3, -1, 1))
transpose(a)
swapaxes(a, 0, 1)
swapaxes(a, 0, -1)
moveaxis(a, 0, -1)
moveaxis(a, (0, 1), (-1, 0))
moveaxis(a, 2, 0)
expand_dims(a, 0)
expand_dims(a, -1)
expand_dims(a, (0, 2))
expand_dims(a, 5)
squeeze(a)
squeeze(a, 0)
squeeze(a, axis=(1,))
broadcast_to(a, (2, 3))
broadcast_to(a, (4, 2, 3, 3))
broadcast_to(a, (0,))
concat((a, b))
concat((a, b), axis=-1)
concat((a, b, a), axis=1)
concat((a, b), axis=None)
stack((a, b))
stack((a, b), axis=-1)
stack((a, b, b), 1)
vstack((a, b))
hstack((a, b))
split(a, 2)
split(a, 1)
split(a, 3, axis=1)
split(a, (1, 2), axis=-1)
split(a, (2, 1))
tile(a, 2)
tile(a, (2, 1))
tile(a, (1, 2, 2))
tile(a, 0)
repeat(a, 2)
repeat(a, 2, axis=0)
repeat(a, 0, axis=-1)
repeat(a, (1, 0, 2), axis=-1)
repeat(a, (1, 0, 2), axis=0)
flip(a)
flip(a, 0)
flip(a, axis=(0, 1))
flip(a, -1)
roll(a, 1)
roll(a, -2, axis=0)
roll(a, (1, 2), axis=(0, 1))
roll(a, 5, axis=-1)
roll(a, 1, axis=(0, 0))
rot90(a)
rot90(a, 2)
rot90(a, k=-1)
rot90(a, 3, (0, 2))
rot90(a, 1, axes=(1, 0))
take(a, (0, -1))
take(a, [[0, 1], [1, 0]], axis=0)
take(a, [0, 2], axis=-1)
take(a, 1, axis=0)
take(a, [7, -8], mode="wrap")
take(a, [7, -8], axis=0, mode="clip")
atleast_1d(a)
pad(a, 1)
pad(a, (1, 2))
pad(a, ((1, 0), (0, 2)))
pad(a, ((2, 1),), mode="edge")
pad(a, 2, mode="reflect")
pad(a, (3, 4), mode="symmetric")
pad(a, (5, 3), mode="wrap")
pad(a, 1, constant_values=1)
sliding_window(a, 2, axis=0)
sliding_window(a, 3, axis=-1)
sliding_window(a, (2, 2), axis=(0, 1))
sliding_window(a, (1, 2))
sliding_window(a, 4)
nonzero(a)
flatnonzero(a)
argwhere(a)
array_equal(a, b)
array_equal(a, a)
array_equal(a, 1)
"""),
    (REAL, None, """
unique(a)
unique(a, return_index=True)
unique(a, return_inverse=True)
unique(a, return_counts=True)
unique(a, True, True, True)
isin(a, v)
isin(a, v, invert=True)
isin(a, [])
union1d(a, v)
intersect1d(a, v)
setdiff1d(a, v)
intersect1d(a, v, return_indices=True)
unique(a, axis=0)
unique(a, axis=-1)
unique(a, axis=0, return_inverse=True, return_counts=True)
sort(a)
sort(a, axis=0)
sort(a, axis=None)
argsort(a)
argsort(a, axis=0)
argsort(a, 1)
lexsort((atleast_1d(a), atleast_1d(b)))
lexsort((atleast_1d(a), atleast_1d(b)), axis=0)
lexsort((v, s))
searchsorted(s, a)
searchsorted(s, a, side="right")
searchsorted(s, a, "left")
searchsorted(v, a, sorter=argsort(v))
digitize(a, s)
digitize(a, s, right=True)
digitize(a, flip(s))
histogram(a)
histogram(a, 4)
histogram(a, bins=3, range=(0, 10))
histogram(a, bins=[0, 1, 5, 5, 9])
histogram(a, bins=[0, 3, 2])
interp(a, [0, 1, 5], [1, 3, 2])
interp(a, [0, 1, 5], [1, 3, 2], left=-1, right=9)
interp(a, [0, 1, 5], [1, 3, 2], period=4)
interp(a, [0, 1, 5], [1, 3])
"""),
    (NUMBERS, None, """
isclose(a, b)
isclose(a, a + 1, atol=2)
allclose(a, b)
allclose(a, a)
allclose(a, b, 0.5, 3)
matmul(a, b)
dot(a, b)
dot(a, 2)
dot(a, v)
vdot(a, b)
inner(a, b)
inner(a, 3)
outer(a, b)
kron(a, b)
kron(a, v)
tensordot(a, b)
tensordot(a, b, axes=0)
tensordot(a, b, axes=1)
tensordot(a, b, axes=((0,), (0,)))
tensordot(a, b, axes=((-1, 0), (-1, 0)))
tensordot(a, b, 3)
trace(a)
trace(a, 1)
trace(a, offset=-1)
trace(a, 5)
trace(a, 0, 1, 0)
trace(a, axis1=0, axis2=2)
cross(a, b)
cross(a, b, axis=0)
cross(a, b, axisc=0)
matrix_power(a, 0)
matrix_power(a, 1)
matrix_power(a, 3)
norm(a)
norm(a, axis=0)
norm(a, axis=(0, 1))
norm(a, 1, axis=-1)
norm(a, inf)
norm(a, -inf, axis=0)
norm(a, 0, axis=0)
norm(a, "fro")
norm(a, 3, axis=-1, keepdims=True)
norm(a, 1)
norm(a, -1, axis=(0, 1), keepdims=True)
einsum("i->", a)
einsum("...->", a)
einsum("i...->...i", a)
einsum("ij->ji", a)
einsum("ij", a)
einsum("ji", a)
einsum("ii", a)
einsum("ii->i", outer(v, v))
einsum("i,i", a, b)
einsum("i,j->ij", a, b)
einsum("ij,ij->i", a, b)
einsum("ij,kj->ik", a, b)
einsum("ij,jk", a, b)
einsum("ij,jk,kl->il", a, b, a)
einsum("...i,...i->...", a, b)
einsum("...,...", a, b)
einsum("ijk,ijl->kl", a, b)
einsum("ijk->j", a)
einsum(",ij->ij", 2, a)
einsum("ij,j->i", a, v)
einsum("i->ii", a)
einsum("ij->ik", a)
einsum("i.j->i", a)
"""),
    (["i64", "u8", "f32", "f64", "bool"], [(1,), (4,), (6,), (0,), (2, 3), (3, 3), (2, 2, 2)], """
np.append(a, v)
np.append(a, b, 0)
np.delete(a, 0)
np.delete(a, [0, 1], axis=-1)
np.delete(a, slice(0, 1, 1), axis=0)
np.array_split(a, 2)
np.array_split(a, 4, axis=-1)
np.array_split(a, (1, 2))
np.hsplit(a, (1,))
np.vsplit(a, (1,))
np.compress([False, True], a, axis=0)
np.extract(a > 2, a)
np.resize(a, (2, 4))
np.trim_zeros(v)
np.broadcast_arrays(a, a[:1])
np.ix_(v, [1, 2])
np.diagonal(a)
np.diagonal(a, 1)
np.diagonal(a, 0, 1, 2)
np.fliplr(a)
np.flipud(a)
np.column_stack((a, b))
np.dstack((a, b))
np.atleast_2d(a)
np.atleast_3d(a)
np.rollaxis(a, 1)
np.rollaxis(a, 0, 2)
np.setxor1d(a, v)
np.diagflat(v, 1)
np.diag_indices(3)
np.where(a)
np.where(a > 2, a, b)
np.array_equiv(a, a[:1])
np.array_equiv(a, b)
np.histogram_bin_edges(a * 1.0, 4)
np.isreal(a)
np.iscomplex(a)
np.logical_and(a, b)
np.logical_not(a)
np.logical_xor(a, b)
np.unstack(a)
np.nanmax(a, axis=0)
np.nansum(a, axis=-1)
np.concatenate((a, b))
np.permute_dims(a)
np.cumulative_sum(v)
np.vander(v * 1, 3)
np.vander(v * 1, 3, increasing=True)
"""),
    (["i64", "f32", "f64"], [(1,), (4,), (2, 3), (3, 3), (2, 2, 2), (0, 3)], """
np.select([a > 3, a > 0], [a * 2, a], -1)
np.apply_along_axis(np.sum, 0, a)
np.apply_along_axis(np.sort, -1, a)
np.ediff1d(a)
np.float_power(a, 2)
np.heaviside(a * 1.0, 0.5)
np.nanprod(a)
np.nancumsum(a * 1.0, axis=0)
np.nanargmax(a * 1.0, axis=-1)
np.modf(a * 0.3)
np.vecdot(a, b)
np.matvec(a, a[..., 0, :])
np.vecmat(a[..., :, 0], a)
np.linalg.norm(a)
np.linalg.vector_norm(a)
np.linalg.vector_norm(a, axis=0)
np.linalg.matrix_norm(a)
np.linalg.trace(a)
np.linalg.diagonal(a)
np.linalg.multi_dot((a, a, a))
np.linalg.matrix_power(a, 2)
np.true_divide(a, 2)
np.floor_divide(a, 2)
np.remainder(a, 3)
np.fix(a * 0.7)
np.around(a * 0.7, 1)
np.isposinf(a)
np.logaddexp2(a * 1.0, b * 1.0)
"""),
    (INTS, [(0,), (1,), (4,), (6,), (2, 3), ()], """
bincount(abs(a))
bincount(abs(a), minlength=12)
bincount(a, minlength=-1)
bincount(concat((abs(a), [1])), weights=concat((b * 0.5, [2])))
unravel_index(abs(a), (5, 6))
unravel_index(a, (2, 3))
ravel_multi_index((abs(a) % 3, abs(b) % 4), (3, 4))
ravel_multi_index((a, b), (3, 4))
take_along_axis(a, abs(a) % 2, axis=-1)
take_along_axis(a, abs(a) % 2, axis=0)
take_along_axis(a, abs(a) % 2, axis=None)
"""),
    (["f32", "f64"], [(4,), (6,), (2, 3)], """
histogram(a, 5, density=True)
histogram(a, 5, weights=b)
histogram(a, [0, 2, 4], weights=b, density=True)
histogram(a, bins=0)
histogram(a, range=(3, 3))
histogram(a, range=(3, 1))
digitize(a, [[1]])
digitize(a, [1, 3, 2])
searchsorted([[1]], a)
"""),
]

NP_NAMES = {
    "np": np,
    "concat": np.concatenate, "sliding_window": sliding_window_view, "flatten": np.ravel,
    "norm": np.linalg.norm, "matrix_power": np.linalg.matrix_power, "inf": np.inf, "argsort":
    lambda x, axis=-1: np.argsort(x, axis=axis, kind="stable"), "abs": np.abs,
    "split": lambda x, n, axis=0: np.split(x, list(n) if isinstance(n, tuple) else n, axis),
}


def operands(d, shape, seed):
    g = np.random.default_rng(seed)

    def one(s):
        n = int(np.prod(s))
        if d == "bool":
            v = g.integers(0, 2, n) > 0
        elif o.kind(d) == "u":
            v = g.integers(0, 9, n)
        else:
            v = g.integers(-5, 9, n)
            if o.kind(d) == "f" and d != "f16":
                v = v + g.choice([0.0, 0.5], n)
            if o.kind(d) == "c":
                v = v + 1j * g.integers(-3, 3, n)
        return v.astype(o.NP[d]).reshape(s)

    v = one((5,))
    return {"a": one(shape), "b": one(shape), "v": v, "s": np.sort(v)}


def names():
    space = {k: getattr(np, k) for k in dir(np) if not k.startswith("_")}
    return space | NP_NAMES


def numpy_answer(text, inputs, space):
    """A list of arrays; None: refused."""
    try:
        with np.errstate(all="ignore"):
            r = eval(text, space | inputs)  # the calls of this file
    except (ValueError, IndexError, TypeError, np.exceptions.AxisError, np.linalg.LinAlgError,
            ZeroDivisionError):
        return None
    return [np.asarray(v) for v in r] if isinstance(r, (tuple, list)) else [np.asarray(r)]


def arr_text(text):
    return text.replace("True", "true").replace("None", "none").replace("False", "false")


class Call:
    def __init__(self, number, text, d, shape, want, inputs):
        self.number, self.text, self.d, self.shape, self.want = number, text, d, shape, want
        self.inputs = inputs

    def program(self, key):
        loads = "".join(f"{n} = inputs.{n}_{key}; " for n in self.inputs)
        k = self.number
        return f"""try {{
    {loads}
    r = {arr_text(self.text)}
    if kind(r) != "tuple" {{ r = (r,) }}
    r = map(fn(v) = array(v), r)
    eval(r)
    print({k}, len(r), map(fn(v) = str(v.dtype), r))
    results = results + r
    names = names + map(fn(i) = f"n{k}_{{i}}", range(len(r)))
}} catch err {{ print({k}, "!", err.kind, err.message) }}
"""

    def expected(self, head, results):
        if self.want is None:
            return None if head.startswith("! ") and not head.startswith("! internal") else \
                f"gives {head}, NumPy refuses"
        if self.shape == () and "without axes" in head or "must have an axis" in head:
            return None  # NumPy takes a number for a vector of one
        if head.startswith("! "):
            return f"{head}; NumPy gives {[w.tolist() for w in self.want][:3]}"
        count, types = head.split(" ", 1)
        if int(count) != len(self.want):
            return f"{count} results, not {len(self.want)}"
        types = re.findall(r"\w+", types)
        for i, (w, t) in enumerate(zip(self.want, types)):
            why = self.differs(results[f"n{self.number}_{i}"], w, t)
            if why:
                return f"result {i}: {why}"
        return None

    def differs(self, got, want, t):
        if got.shape != want.shape:
            return f"shape {got.shape}, not {want.shape}"
        if self.text.startswith("histogram") and want.dtype.kind in "iub":
            want = want.astype(got.dtype) if got.dtype.kind == "f" else want  # edges are floats
        if self.d == "u64" and want.dtype.kind == "f":
            return None  # NumPy takes u64 with a number for f64
        if got.dtype.kind != want.dtype.kind and not {got.dtype.kind, want.dtype.kind} <= set("iu"):
            return f"dtype {got.dtype}, not {want.dtype}"
        if got.dtype != want.dtype and want.dtype.kind in "fc" and self.d in ("f64", "c128"):
            return f"dtype {got.dtype}, not {want.dtype}"
        if got.dtype != want.dtype and want.dtype.kind in "iub" and self.d not in ("i8", "u8", "i32", "u32", "bool"):
            return f"dtype {got.dtype}, not {want.dtype}"
        if want.dtype.kind in "iub":
            same = np.array_equal(got, want)
        else:
            tol = {"f16": 4e-3, "f32": 1e-5, "c64": 1e-5}.get(self.d, 1e-11)
            same = np.allclose(got, want, rtol=tol, atol=tol, equal_nan=True)
        return None if same else f"{got.tolist()}, not {want.tolist()}"


def calls(only):
    space, number = names(), 0
    for group, (dtypes, shapes, text) in enumerate(CALLS):
        for line in text.strip().splitlines():
            if only and only not in line:
                continue
            for j, shape in enumerate(shapes or SHAPES):
                for i, d in enumerate(dtypes):
                    # every dtype on one shape, every shape on one dtype, and a few of the rest
                    if (i + j + len(line)) % 5 and shape != (2, 3) and d != "f64":
                        continue
                    inputs = operands(d, shape, [MOST.index(d) if d in MOST else 99, j])
                    yield Call(number, line, d, shape, numpy_answer(line, inputs, space), inputs), \
                        f"{d}_{group}_{j}"
                    number += 1


def run_batch(arr, batch, args, score, shown):
    with tempfile.TemporaryDirectory() as fold:
        stored = {}
        for c, key in batch:
            for n, v in c.inputs.items():
                stored[f"{n}_{key}"] = v
        np.savez(os.path.join(fold, "in.npz"), **stored)
        text = 'import numpy as np\ninputs = load("in.npz")\nresults = ()\nnames = ()\n'
        text += "".join(c.program(key) for c, key in batch)
        text += 'save("out.npz", record(zip(names, results)))\n'
        rc, out, err = o.run(arr, text, fold, args)
        if rc:
            return score.check(False, f"builtins.py: exit status {rc}: {err}")
        heads = dict(x.split(" ", 1) for x in out.splitlines() if re.match(r"\d+ ", x))
        results = dict(np.load(os.path.join(fold, "out.npz")))
        for c, _ in batch:
            why = c.expected(heads.get(str(c.number), "! internal nothing"), results)
            shown[c.text] = shown.get(c.text, 0) + (why is not None)
            if why is not None and shown[c.text] > 2:
                score.failed += 1
            else:
                score.check(why is None, f"builtins.py: {c.text} of {c.d}{list(c.shape)}: {why}")


def main():
    arr, args = sys.argv[1], sys.argv[2:]
    only = None
    if args and args[0] == "--only":
        only, args = args[1], args[2:]
    score, shown = o.Score(), {}
    score.most = 400
    every = list(calls(only))
    for at in range(0, len(every), BATCH):
        run_batch(arr, every[at:at + BATCH], args, score, shown)
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
