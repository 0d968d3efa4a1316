"""Random index expressions, read, assigned and in `op=`, against NumPy.

    indexing.py ARR [--n CASES] [--seed S] [--only I] [options for arr]

Integers, slices, `...`, newaxis, integer arrays, ranges and masks of every rank are mixed over
arrays of all dtypes with extents of 0 and 1. Many cases share a process; what a case gives comes
back in one .npz. Where an index names an element twice, the last in C order must win, so assignments
are made element by element here. Last line: "N passed, N failed, N skipped"."""
import os
import random
import re
import sys
import tempfile

import numpy as np

import oracle as o

BATCH = 500


# ---- what a case is made of ----------------------------------------------------------------------


def literal(v):
    """An array's elements as Arr writes them."""
    v = np.asarray(v)
    if v.size == 0:
        t = "bool" if v.dtype == bool else "i64"
        return f"zeros({tuple(v.shape)!r}, {t})"
    if v.ndim == 0:
        return f"array({str(v[()]).lower()})"
    text = np.array2string(v, separator=",", threshold=10**9)
    return re.sub(r"\s+", "", text).lower()


class Index:
    """Items of one index for a shape: their text, and what NumPy takes."""

    def __init__(self, rng, shape):
        self.rng, self.shape = rng, shape
        self.text, self.items = [], []
        self.axis = 0
        self.broken = False
        self.common = [rng.choice([1, 2, 3]) for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))]
        if rng.random() < 0.05 and self.common:
            self.common[rng.randrange(len(self.common))] = 0
        arrays = rng.random() < 0.7
        ellipsis = rng.random() < 0.3
        while True:
            left = len(shape) - self.axis
            if ellipsis and rng.random() < 0.3:
                ellipsis = False
                self.add("...", Ellipsis)
                self.axis += rng.randint(0, left)
            elif left == 0 or rng.random() < 0.12:
                break
            else:
                self.item(shape[self.axis], left, arrays)
        if rng.random() < 0.15:
            self.add("newaxis", None)

    def add(self, text, item, axes=0):
        self.text.append(text)
        self.items.append(item)
        self.axis += axes

    def item(self, n, left, arrays):
        kinds = ["slice"] * 4 + ["integer", "integer", "new"]
        if arrays:
            kinds += ["array"] * 5 + ["mask"] * 2 + ["choice"] * (self.rng.random() < 0.1)
        getattr(self, self.rng.choice(kinds))(n, left)

    def number(self, n):
        """An integer in range, or once in a while one that is not."""
        if n == 0 or (not self.broken and self.rng.random() < 0.02):
            self.broken = True
            return self.rng.choice([n, -n - 1, n + 7])
        return self.rng.randint(-n, n - 1)

    def integer(self, n, left):
        i = self.number(n)
        d = self.rng.choice(["", "", "", "i64", "i8", "i32"] + (["u8", "u64"] if i >= 0 else []))
        self.add(f"{d}({i})" if d else str(i), i, 1)

    def slice(self, n, left):
        def bound():
            return self.rng.choice([None, None, self.rng.randint(-n - 2, n + 2)])
        low, high, step = bound(), bound(), self.rng.choice([None, None, 1, 2, -1, -1, -2, 3, -3])
        if self.rng.random() < 0.3:
            text = "slice({}, {}, {})".format(*("none" if v is None else v for v in (low, high, step)))
        else:
            text = ("" if low is None else str(low)) + ":" + ("" if high is None else str(high))
            if step is not None:
                text += f":{step}"
        self.add(text, slice(low, high, step), 1)

    def new(self, n, left):
        self.add("newaxis", None)

    def array(self, n, left):
        rng = self.rng
        shape = [1 if rng.random() < 0.2 else d for d in self.common]
        shape = shape[rng.randint(0, len(shape)):] if rng.random() < 0.3 else shape
        if rng.random() < 0.01:
            shape = shape + [5]
        if not shape:
            return self.integer(n, left)
        if len(shape) == 1 and 0 < shape[0] <= n and rng.random() < 0.2:
            return self.add(f"range({shape[0]})", np.arange(shape[0]), 1)
        flat = [self.number(n) for _ in range(int(np.prod(shape)))] if n else []
        if n == 0 and 0 not in shape:
            flat, self.broken = [0] * int(np.prod(shape)), True
        v = np.array(flat, dtype=np.int64).reshape(shape)
        text, low = literal(v), v.min(initial=0)
        if rng.random() < 0.3:
            text = rng.choice(["i8", "i16", "i32"] + (["u8", "u32", "u64"] if low >= 0 else []))
            text += f"({literal(v)})"
        self.add(text, v, 1)

    def mask(self, n, left):
        rank = self.rng.randint(1, min(left, 3))
        shape = self.shape[self.axis:self.axis + rank]
        m = np.array([self.rng.random() < 0.5 for _ in range(int(np.prod(shape)))], bool)
        if self.rng.random() < 0.02:
            shape = shape[:-1] + (shape[-1] + 1,)
            m = np.ones(int(np.prod(shape)), bool)
        self.add(literal(m.reshape(shape)), m.reshape(shape), rank)

    def choice(self, n, left):
        b = self.rng.random() < 0.6
        self.add(str(b).lower() if self.rng.random() < 0.5 else f"array({str(b).lower()})", b)

    def finished(self):
        """(text within the brackets, NumPy's index); a tuple now and then."""
        if not self.text:
            return "...", (Ellipsis,)
        text = ", ".join(self.text)
        plain = ":" not in text and "..." not in text or "slice(" in text and "..." not in text
        if plain and not re.search(r"(^|[\s,]):|:([\s,]|$)|\d:", text) and self.rng.random() < 0.3:
            text = f"({text}{',' if len(self.text) == 1 else ''})"
        return text, tuple(self.items)


def elements(rng, d, shape):
    n = int(np.prod(shape))
    if d == "bool":
        return (rng.integers(0, 2, n) > 0).reshape(shape)
    v = rng.integers(0 if o.kind(d) == "u" else -60, 60, n)
    if o.kind(d) == "c":
        return (v + 1j * rng.integers(-9, 9, n)).astype(o.NP[d]).reshape(shape)
    return v.astype(o.NP[d]).reshape(shape)


def scalar_dtype(d, v):
    """The dtype of an array of d with a weak scalar."""
    if isinstance(v, bool):
        return d
    if isinstance(v, int):
        return "i64" if d == "bool" else d
    if isinstance(v, float):
        return d if o.kind(d) in "fc" else "f64"
    return {"f32": "c64", "f16": "c64", "bf16": "c64", "c64": "c64"}.get(d, "c128")


class Refused(Exception):
    """What Arr must refuse; kind None: any kind of error will do."""

    def __init__(self, kind=None, message=None):
        self.kind, self.message = kind, message


def read(x, index):
    try:
        return np.array(x[index])
    except IndexError as e:
        m = re.match(r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)", str(e))
        if m and m.group(3) != "0":
            raise Refused("index", "index {} is out of range for axis {} with {} elements".format(
                *m.groups())) from None
        raise Refused() from None
    except ValueError:
        raise Refused() from None


def assign(x, d, index, e, ed):
    """x with its elements replaced one by one, in C order; ed: e's dtype, None for a scalar."""
    if (o.promote(d, ed) if ed else scalar_dtype(d, e)) != d:
        raise Refused()
    places = read(np.arange(x.size).reshape(x.shape), index)
    v = np.array(e).astype(o.NP[d])
    while v.ndim > places.ndim and v.shape[0] == 1:
        v = v[0]
    try:
        v = np.broadcast_to(v, places.shape)
    except ValueError:
        raise Refused("shape") from None
    y = x.copy().reshape(-1)
    for p, one in zip(places.reshape(-1), v.reshape(-1)):
        y[p] = one
    return y.reshape(x.shape)


class Case:
    def __init__(self, seed, number):
        self.rng = rng = random.Random(seed * 1000003 + number)
        self.np = np.random.default_rng([seed, number])
        self.d = rng.choice(o.ALL)
        self.shape = tuple(rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 5] if rng.random() < 0.25 else
                                      [1, 2, 3, 4]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 3, 4])))
        self.original = self.x = elements(self.np, self.d, self.shape)
        self.text, self.index = Index(rng, self.shape).finished()
        self.want = self.kind = self.message = None
        self.lines = [f"x = inputs.x{number}" if self.d != "bf16" else f"x = bf16(inputs.x{number})"]
        if rng.random() < 0.25 and self.x.ndim:
            self.turn()
        try:
            self.act()
        except Refused as r:
            self.kind = r.kind or ""
            self.message = r.message if self.one else None # values are looked at late
        self.number = number

    def turn(self):
        """A view of the input: what is indexed need not lie in one piece."""
        n = self.x.ndim
        if self.rng.random() < 0.5:
            self.lines.append("x = x[" + ", ".join(["::-1"] * n) + "]")
            self.x = self.x[(slice(None, None, -1),) * n]
        else:
            self.lines.append("x = (x.T * 1).T" if self.d != "bool" else "x = x.T.T")

    def value(self, shape):
        """(text, value, dtype or None) to assign where an index selects a shape."""
        rng = self.rng
        if rng.random() < 0.3:
            v = rng.choice([1, 0, 7, True, 2.5 if o.kind(self.d) in "fc" else 3, -1 if o.kind(self.d) != "u" else 4])
            if self.d == "bool" and rng.random() < 0.8:
                v = bool(v % 2)
            return str(v).lower(), v, None
        s = [1 if rng.random() < 0.15 else n for n in shape]
        s = s[rng.randint(0, len(s)):] if rng.random() < 0.2 else s
        if rng.random() < 0.1:
            s = [1] + s
        if rng.random() < 0.03:
            s = s + [3]
        d = self.d if rng.random() < 0.8 else rng.choice([t for t in o.ALL if t != "bf16"])
        v = elements(self.np, d, tuple(s))
        self.inputs = {"v": v}
        return (f"inputs.v{{}}" if d != "bf16" else "bf16(inputs.v{})"), v, d

    def act(self):
        self.inputs, self.one = {}, True
        what = self.rng.choice(["read", "chain", "assign", "assign", "op"])
        if what == "read":
            self.lines.append(f"r = x[{self.text}]")
            self.want = read(self.x, self.index)
        elif what == "chain":
            self.chain()
        elif what == "assign":
            try:
                shape = self.x[self.index].shape
            except (IndexError, ValueError):
                shape = ()
            text, e, ed = self.value(shape)
            self.lines += [f"x[{self.text}] = {text}", "r = x"]
            self.want = assign(self.x, self.d, self.index, e, ed)
        else:
            self.op()

    def chain(self):
        """x[i][j], read or assigned."""
        self.one = False
        write = self.rng.random() < 0.5
        self.lines.append((f"r = x[{self.text}]" if not write else f"x[{self.text}]") + "[{}]" +
                          (" = {}" if write else ""))
        first = read(self.x, self.index)
        text, index = Index(self.rng, first.shape).finished()
        if not write:
            self.lines[-1] = self.lines[-1].format(text)
            self.want = read(first, index)
            return
        self.lines[-1] = self.lines[-1].format(text, "true" if self.d == "bool" else "9")
        self.lines.append("r = x")
        inner = assign(first, self.d, index, True if self.d == "bool" else 9, None)
        self.want = assign(self.x, self.d, self.index, inner, self.d)

    def op(self):
        if self.d == "bool":
            sign, e = self.rng.choice(["|", "^"]), True
        else:
            sign, e = self.rng.choice(["+", "-", "*"]), 3
        self.lines += [f"x[{self.text}] {sign}= {str(e).lower()}", "r = x"]
        old = read(self.x, self.index)
        one = np.array(e, self.x.dtype)
        with np.errstate(all="ignore"):
            new = {"+": lambda: old + one, "-": lambda: old - one, "*": lambda: old * one,
                   "|": lambda: old | one, "^": lambda: old ^ one}[sign]()
        if self.d == "bf16":
            new = o.round_to(new, "bf16")
        self.want = assign(self.x, self.d, self.index, new, self.d)

    def program(self):
        body = "\n    ".join(line.replace("{}", str(self.number)) for line in self.lines)
        k = self.number
        return f"""r = none
try {{
    {body}
    eval(r)
    print({k}, r.dtype)
}} catch err {{
    print({k}, "!", err.kind, err.message)
    r = 0
}}
r{k} = f32(r) if kind(r) == "array" and r.dtype == bf16 else r
"""

    def differs(self, head, got):
        """What is wrong; None: nothing."""
        if self.kind is not None:
            if not head.startswith("! "):
                return f"is no error, NumPy's is one ({self.kind or 'any'})"
            kind, text = head[2:].split(" ", 1)
            if kind == "internal" or self.kind and kind not in (self.kind, "shape"):
                return f"the error is {head[2:]!r}, not of kind {self.kind}"
            if self.message and kind == "index" and text != self.message and \
                    "no elements" not in text:
                return f"the error is {text!r}, not {self.message!r}"
            return None
        if head.startswith("! index the mask bool[0]"):
            return None  # NumPy lets an empty mask pass on an axis of another extent
        if head != self.d:
            return f"{head!r} instead of {self.d}"
        want = np.asarray(self.want)
        if got.shape != want.shape:
            return f"shape {got.shape}, not {want.shape}"
        if not np.array_equal(got, want):
            return f"{got.tolist()}, not {want.tolist()}"
        return None


# ---- running -------------------------------------------------------------------------------------


def run_batch(arr, cases, args, score, seed):
    with tempfile.TemporaryDirectory() as directory:
        inputs = {}
        for c in cases:
            inputs[f"x{c.number}"] = c.original
            for name, v in c.inputs.items():
                inputs[f"{name}{c.number}"] = v
        np.savez(os.path.join(directory, "in.npz"), **inputs)
        text = 'inputs = load("in.npz")\n' + "".join(c.program() for c in cases)
        names = ", ".join(f"r{c.number}=r{c.number}" for c in cases)
        rc, out, err = o.run(arr, text + f'save("out.npz", {names})\n', directory, args)
        if rc:
            score.check(False, f"indexing.py: exit status {rc}: {err}")
            return
        heads = dict(line.split(" ", 1) for line in out.splitlines() if line[0].isdigit())
        with np.load(os.path.join(directory, "out.npz")) as results:
            for c in cases:
                why = c.differs(heads.get(str(c.number), "nothing"), results[f"r{c.number}"])
                program = "; ".join(c.lines).replace("{}", str(c.number))
                score.check(why is None, f"indexing.py --seed {seed} --only {c.number}: "
                                         f"{c.d}{list(c.shape)} {program}: {why}")


def main():
    arr, args = sys.argv[1], sys.argv[2:]
    n, seed, only = 4000, 1, None
    while args and args[0] in ("--n", "--seed", "--only"):
        v = int(args[1])
        n, seed, only = (v if args[0] == "--n" else n, v if args[0] == "--seed" else seed,
                         v if args[0] == "--only" else only)
        args = args[2:]
    score = o.Score()
    numbers = list(range(n)) if only is None else [only]
    for at in range(0, len(numbers), BATCH):
        run_batch(arr, [Case(seed, i) for i in numbers[at:at + BATCH]], args, score, seed)
    print(f"seed {seed}")
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
