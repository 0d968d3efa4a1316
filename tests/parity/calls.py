"""Calls of builtins, written so that Arr and Python read them alike, against NumPy: the script that
imports this has the table of calls and hands it to main.

What NumPy refuses, Arr must refuse; otherwise dtype (by Arr's promotion), shape and elements must
agree."""
import os
import re
import sys
import tempfile

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

import oracle as o

NAME = os.path.basename(sys.argv[0])
# what Arr refuses by its own rules and NumPy does not
OWN = ("without axes", "must have an axis", "cannot cast c", "on booleans", "for a boolean",
       "of a matrix is", "ord is a number", "must have one sign", "must be a real number",
       "must be one number", "places along axis", "does not go into bool")
# of no elements these are nan, or have no variables; NumPy refuses some of that
EMPTY = ("average", "quantile", "percentile", "cov", "corrcoef")
BATCH = 800
SHAPES = [(), (1,), (0,), (4,), (6,), (2, 3), (3, 3), (1, 3), (3, 1), (0, 3), (3, 0), (2, 1, 3), (2, 2, 2)]
MOST = ["bool", "i8", "i32", "i64", "u8", "u64", "f16", "f32", "f64", "c64", "c128", "i16", "u16", "u32",
        "bf16"]
REAL = [d for d in MOST if o.kind(d) != "c"]
NUMBERS = [d for d in MOST if d != "bool"]
INTS = ["i8", "i32", "i64", "u8", "u32"]

NP_NAMES = {
    "np": np, "concat": np.concatenate, "sliding_window": sliding_window_view, "flatten": np.ravel,
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
        return v.astype(o.NP[d]).reshape(s)  # bf16 is held in f32, exactly

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
            ZeroDivisionError, RuntimeError):
        return None
    return [np.asarray(v) for v in r] if isinstance(r, (tuple, list)) else [np.asarray(r)]


def arr_text(text):
    return text.replace("True", "true").replace("None", "none").replace("False", "false")


class Call:
    def __init__(self, number, text, d, shape, want, inputs):
        self.number, self.text, self.d, self.shape, self.want = number, text, d, shape, want
        self.inputs = inputs

    def view(self, v):
        """How the operand is stored: as it is, reversed, or transposed, and undone by a view."""
        return ["", "r" if v.ndim else "", "t"][self.number % 3]

    def program(self, key):
        loads = ""
        for n, v in self.inputs.items():
            name, view = f"inputs.{n}_{key}", self.view(v)
            loads += f"{n} = bf16({name}{view})" if self.d == "bf16" else f"{n} = {name}{view}"
            loads += {"": "", "r": "[..., ::-1]", "t": ".T"}[view] + "; "
        k = self.number
        return f"""try {{
    {loads}
    r = {arr_text(self.text)}
    if kind(r) != "tuple" {{ r = (r,) }}
    r = map(fn(v) = array(v), r)
    eval(r)
    print({k}, len(r), map(fn(v) = str(v.dtype), r))
    results = results + map(fn(v) = f32(v) if v.dtype == bf16 else v, r)
    names = names + map(fn(i) = f"n{k}_{{i}}", range(len(r)))
}} catch err {{ print({k}, "!", err.kind, err.message) }}
"""

    def expected(self, head, results):
        if 0 in self.shape and self.text.startswith(EMPTY):
            return None
        if self.want is None:
            return None if head.startswith("! ") and not head.startswith("! internal") else \
                f"gives {head}, NumPy refuses"
        if head.startswith("! ") and any(w in head for w in OWN):
            return None
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
        if self.d == "bf16" and want.dtype == np.float32 and t != "bf16" and "f32" not in self.text:
            return f"dtype {t}, not bf16"
        if self.d == "u64" and want.dtype.kind == "f":
            return None  # NumPy takes u64 with a number for f64
        if got.dtype.kind != want.dtype.kind and not {got.dtype.kind, want.dtype.kind} <= set("iu"):
            return f"dtype {got.dtype}, not {want.dtype}"
        if got.dtype != want.dtype and want.dtype.kind in "fc" and self.d in ("f64", "c128"):
            return f"dtype {got.dtype}, not {want.dtype}"
        if got.dtype != want.dtype and want.dtype.kind in "iub" and self.d not in ("i8", "u8", "i16", "u16", "i32", "u32", "bool"):
            return f"dtype {got.dtype}, not {want.dtype}"
        if want.dtype.kind in "iub":
            same = np.array_equal(got, want)
        else:
            tol = {"f16": 4e-3, "bf16": 4e-2, "f32": 1e-5, "c64": 1e-5}.get(self.d, 1e-11)
            same = np.allclose(got, want, rtol=tol, atol=tol, equal_nan=True)
        return None if same else f"{got.tolist()}, not {want.tolist()}"


def calls(table, more, only):
    space, number = names() | more, 0
    for group, (dtypes, shapes, text) in enumerate(table):
        for line in text.strip().splitlines():
            if not line or only and only not in line:
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
                view = c.view(v)
                stored[f"{n}_{key}{view}"] = (v[..., ::-1] if view == "r" else v.T if view == "t" else v).copy()
        np.savez(os.path.join(fold, "in.npz"), **stored)
        text = 'import numpy as np\ninputs = load("in.npz")\nresults = ()\nnames = ()\n'
        text += "".join(c.program(key) for c, key in batch)
        text += 'save("out.npz", record(zip(names, results)))\n'
        rc, out, err = o.run(arr, text, fold, args)
        if rc:
            return score.check(False, f"{NAME}: exit status {rc}: {err}")
        heads = dict(x.split(" ", 1) for x in out.splitlines() if re.match(r"\d+ ", x))
        results = dict(np.load(os.path.join(fold, "out.npz")))
        for c, _ in batch:
            why = c.expected(heads.get(str(c.number), "! internal nothing"), results)
            shown[c.text] = shown.get(c.text, 0) + (why is not None)
            if why is not None and shown[c.text] > 2:
                score.failed += 1
            else:
                score.check(why is None, f"{NAME}: {c.text} of {c.d}{list(c.shape)}: {why}")


def main(table, more={}):
    """Of a table of (dtypes, shapes, calls); more: NumPy's side of names that it lacks."""
    arr, args = sys.argv[1], sys.argv[2:]
    only = None
    if args and args[0] == "--only":
        only, args = args[1], args[2:]
    score, shown = o.Score(), {}
    score.most = 4000
    every = list(calls(table, more, only))
    for at in range(0, len(every), BATCH):
        run_batch(arr, every[at:at + BATCH], args, score, shown)
    return score.finish()
