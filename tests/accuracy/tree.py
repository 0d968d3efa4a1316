"""Sums, products, means, variances, extremes and scans, bit for bit, against a slow reference of the
tree in which they are defined. Usage: tree.py ARR [options]. Last line: "N passed, N failed, N
skipped".

The tree: chunks of 4096 consecutive elements (C order of the reduced axes), 128 lanes in each by the
number modulo 128, in increasing order; lanes at distances 64, 32, ... 1; chunks by the same rule.
Halves accumulate in f32 and are rounded at the end.

Scans: segments of 32 elements one after another; the totals of a tile's 128 segments one after
another; tiles' totals by the same rule again. An element is (what lies before its tile) op ((what lies
before its segment in the tile) op (its segment up to it))."""
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "parity"))
import oracle as o  # noqa: E402

LANES, CHUNK, SEGMENT = 128, 4096, 32


def lanes_of(chunk):
    return [chunk[i::LANES] for i in range(min(LANES, len(chunk)))]


def joined(states, join):
    """states: a list; the tree's join at distances 64 ... 1."""
    states = list(states)
    step = LANES // 2
    while step:
        for i in range(step):
            if i + step < len(states):
                states[i] = join(states[i], states[i + step])
        states = states[:step]
        step //= 2
    return states[0]


def tree(states, join):
    """The recursion over chunks of states that are joined one after another in their lanes."""
    while len(states) > 1:
        out = []
        for at in range(0, len(states), CHUNK):
            lanes = []
            for lane in lanes_of(states[at:at + CHUNK]):
                s = lane[0]
                for t in lane[1:]:
                    s = join(s, t)
                lanes.append(s)
            out.append(joined(lanes, join))
        states = out
    return states[0]


def vector_tree(x, op):
    """The same for numbers, with the lanes of a chunk side by side (op: a ufunc)."""
    while len(x) > 1:
        out = []
        for at in range(0, len(x), CHUNK):
            c = x[at:at + CHUNK]
            acc = c[:LANES].copy()
            for row in range(LANES, len(c), LANES):
                more = c[row:row + LANES]
                acc[:len(more)] = op(acc[:len(more)], more)
            step = LANES // 2
            while step:
                m = len(acc) - step
                if m > 0:
                    acc[:m] = op(acc[:m], acc[step:])
                    acc = acc[:step]
                step //= 2
            out.append(acc[0])
        x = np.array(out, x.dtype)
    return x[0]


def complex_mul(a, b):
    """(ac - bd, ad + bc), each operation rounded."""
    out = np.empty(np.broadcast(a, b).shape, np.result_type(a, b))
    out.real = a.real * b.real - a.imag * b.imag
    out.imag = a.real * b.imag + a.imag * b.real
    return out


def wide(d):
    """The dtype in which d is summed."""
    return "f32" if d in ("f16", "bf16") else "i64" if d in o.BOOL + o.SIGNED else \
        "u64" if d in o.UNSIGNED else d


def spread(n):
    """Differences are scaled by this before they are squared: 4^-e is at most 1 / (2 n)."""
    return 2.0 ** -(((2 * n - 1).bit_length() + 1) // 2)


def welford(t, scale):
    """Joins (n, mean, M2)."""
    def join(a, b):
        (na, ma, Ma), (nb, mb, Mb) = a, b
        n = na + nb
        d = t(mb - ma)
        f = t(d * t(scale))
        m = t(ma + d * t(np.float64(nb) / np.float64(n)))
        weight = t(np.float64(na) * np.float64(nb) / np.float64(n))
        return n, m, t(t(Ma + Mb) + t(t(f * f) * weight))
    return join


def vector_welford(x, t, scale):
    """A chunk's state, lanes side by side; then the tree over chunks."""
    states = []
    for at in range(0, len(x), CHUNK):
        c = x[at:at + CHUNK]
        n = np.zeros(LANES, int)
        mean, M = np.zeros(LANES, t), np.zeros(LANES, t)
        for row in range(0, len(c), LANES):
            v = c[row:row + LANES]
            k = len(v)
            if row == 0:
                mean[:k] = v
            else:
                before = row // LANES
                d = v - mean[:k]
                f = d * t(scale)
                mean[:k] = mean[:k] + d * t(1.0 / (before + 1))
                M[:k] = M[:k] + f * f * t(np.float64(before) / np.float64(before + 1))
            n[:k] += 1
        states.append(joined([(int(n[i]), mean[i], M[i]) for i in range(min(LANES, len(c)))],
                             welford(t, scale)))
    return tree(states, welford(t, scale))


def variance(x, d, ddof=0):
    t = np.float32 if d in ("f32", "f16", "bf16") else np.float64
    scale = spread(len(x))
    n, mean, M = vector_welford(x.astype(t), t, scale)
    return t(np.float64(M + (mean - mean)) / (np.float64(n - ddof) * scale * scale))


def scan(x, op):
    """The running op of a vector."""
    n = len(x)
    parts = -(-n // SEGMENT)
    own = np.concatenate([x, np.repeat(x[-1:], parts * SEGMENT - n)]).reshape(parts, SEGMENT)
    for e in range(1, SEGMENT): # what is past the end is cut off below
        own[:, e] = op(own[:, e - 1], own[:, e])
    last = np.arange(parts) * SEGMENT + SEGMENT - 1
    total = own.reshape(-1)[np.minimum(last, n - 1)]
    tile = CHUNK // SEGMENT
    tiles = -(-parts // tile)
    sums = []
    for t in range(tiles):
        before = total[t * tile:t * tile + 1]
        for k in range(t * tile + 1, min((t + 1) * tile, parts)):
            own[k] = op(before, own[k])
            before = op(before, total[k:k + 1])
        sums.append(before[0])
    out = own.reshape(-1)[:n]
    if tiles > 1:
        carry = scan(np.array(sums, x.dtype), op)
        for t in range(1, tiles):
            out[t * CHUNK:(t + 1) * CHUNK] = op(carry[t - 1:t], out[t * CHUNK:(t + 1) * CHUNK])
    return out


def first_extreme(x, best):
    """Index: of nan the first, else of equal elements the lowest."""
    if x.dtype.kind == "f" and np.isnan(x).any():
        return int(np.flatnonzero(np.isnan(x))[0])
    return int(np.flatnonzero(x == best(x))[0])


def reference(name, d, x):
    """x: a vector of the dtype that holds d. (dtype of the result, value)"""
    w = wide(d)
    if name in ("sum", "prod"):
        op = np.add if name == "sum" else complex_mul if d in o.COMPLEX else np.multiply
        r = vector_tree(x.astype(o.NP[w]), op)
        return (d, o.round_to(r, d)) if d in ("f16", "bf16") else (w, r)
    if name == "mean":
        if d in o.INTS + o.BOOL:
            return "f64", vector_tree(x.astype(np.float64), np.add) / np.float64(len(x))
        r = vector_tree(x.astype(o.NP[w]), np.add)
        n = np.float32(len(x)) if w in ("f32", "c64") else np.float64(len(x))
        if d in o.COMPLEX: # the quotient of complex numbers
            k = type(n)(1) / n
            return d, o.NP[d](complex(r.real * k, r.imag * k))
        r = r / n
        return d, o.round_to(r, d) if d in ("f16", "bf16") else r
    if name in ("var", "std"):
        r = variance(x, d)
        out = d if d in o.FLOATS else "f64"
        if name == "std":
            r = o.round_to(r, d) if d in ("f16", "bf16") else r
            r = np.sqrt(r.astype(np.float32) if d in ("f16", "bf16") else r)
        return out, o.round_to(r, d) if d in ("f16", "bf16") else r
    i = first_extreme(x, np.min if name.endswith("min") else np.max)
    return ("i64", np.int64(i)) if name.startswith("arg") else (d, x[i])


def numbers(d, n, r):
    if d == "bool":
        return r.integers(0, 2, n) > 0
    if d in o.INTS:
        i = np.iinfo(o.NP[d])
        return r.integers(i.min, i.max, n, o.NP[d], endpoint=True)
    if d in o.COMPLEX:
        return (r.normal(0.3, 1, n) + 1j * r.normal(0, 1, n)).astype(o.NP[d])
    return o.round_to(r.normal(1, 2, n) * (3.0 if d == "f16" else 1.0), d)


REDUCE = ["sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax"]


class Cases:
    def __init__(self, directory):
        self.dir, self.program, self.wants = directory, [], []

    def load(self, name, d, x):
        np.save(os.path.join(self.dir, name + ".npy"), x)
        file = f'load("{name}.npy")'
        self.program.append(f"{name} = " + (f"bf16({file})" if d == "bf16" else file))

    def want(self, label, expression, d, value):
        i = len(self.wants)
        e = f"f32({expression})" if d == "bf16" else expression
        self.program.append(f'save("out{i}.npy", {e})')
        self.wants.append((label, d, np.asarray(value, o.NP[d])))

    def run(self, arr, options, score):
        rc, out, err = o.run(arr, "\n".join(self.program) + "\n", self.dir, options)
        score.check(rc == 0, f"tree: exit status {rc}: {out} {err}")
        for i, (label, d, want) in enumerate(self.wants):
            path = os.path.join(self.dir, f"out{i}.npy")
            got = np.load(path) if os.path.exists(path) else None
            if got is None or got.dtype != want.dtype or got.shape != want.shape:
                score.check(False, f"{label}: {got}, not {want}")
                continue
            same = (got == want) | ((got != got) & (want != want))
            if d in o.FLOATS and not label.startswith("std"):
                same &= (np.signbit(got) == np.signbit(want)) | (got != got)
            score.check(bool(same.all()), f"{label}: {got.ravel()[~same.ravel()][:3]}, "
                        f"not {want.ravel()[~same.ravel()][:3]}")


def add_sizes(c, r):
    """Vectors whose lengths lie around the tree's joints."""
    sizes = [1, 2, 127, 128, 129, 255, 4095, 4096, 4097, 8192, 4096 * 128 - 1, 4096 * 128 + 1]
    for d in o.ALL:
        for n in sizes:
            if n > 10000 and d not in ("f32", "f64", "f16", "i32", "c64"):
                continue
            x = numbers(d, n, r)
            v = f"v_{d}_{n}"
            c.load(v, d, x)
            for name in REDUCE:
                if d in o.COMPLEX and name in REDUCE[3:]:
                    continue
                if n > 10000 and name in ("min", "max", "argmin", "argmax", "std"):
                    continue
                c.want(f"{name} {d}[{n}]", f"{name}({v})", *reference(name, d, x))


def add_axes(c, r):
    """Several axes, transposes, steps, broadcasts, all against the vectors that they stand for."""
    views = [("{}", lambda a: a), ("{}.T", lambda a: a.T), ("{}[::-1, :, ::2]", lambda a: a[::-1, :, ::2]),
             ("{}[:, ::-3]", lambda a: a[:, ::-3]), ("swapaxes({}, 0, 1)", lambda a: a.swapaxes(0, 1))]
    for d in ("f32", "f64", "f16", "bf16", "i16", "c64"):
        for k, shape in enumerate([(5, 130, 7), (3, 4, 33)]):
            x = numbers(d, int(np.prod(shape)), r).reshape(shape)
            v = f"a_{d}_{k}"
            c.load(v, d, x)
            for text, view in views:
                y = view(x)
                for axis in [None, 0, 1, 2, (0, 1), (0, 2), (2, 1)]:
                    axes = tuple(range(3)) if axis is None else (axis,) if isinstance(axis, int) \
                        else tuple(sorted(axis))
                    kept = [a for a in range(3) if a not in axes]
                    t = y.transpose(kept + list(axes)).reshape([y.shape[a] for a in kept] + [-1])
                    rows = t.reshape(-1, t.shape[-1])
                    for name in ("sum", "var", "argmax", "prod"):
                        if d in o.COMPLEX and name in ("var", "argmax"):
                            continue
                        if name == "argmax" and isinstance(axis, tuple):
                            continue
                        if name == "prod" and (text != "{}" or d not in ("f32", "c64")):
                            continue
                        wants = [reference(name, d, row) for row in rows]
                        value = np.array([w[1] for w in wants]).reshape(t.shape[:-1])
                        a = "none" if axis is None else str(axis)
                        c.want(f"{name} {d}{list(shape)} {text} axis {a}",
                               f"{name}({text.format(v)}, axis={a})", wants[0][0], value)


def scanned(name, d, x):
    w = d if name in ("cummin", "cummax") else wide(d)
    op = {"cumsum": np.add, "cumprod": complex_mul if d in o.COMPLEX else np.multiply,
          "cummin": np.minimum, "cummax": np.maximum}[name]
    if d in ("f16", "bf16"):
        return d, o.round_to(scan(x.astype(np.float32), op), d)
    return w, scan(x.astype(o.NP[w]), op)


def add_scans(c, r):
    for d in ("f32", "f64", "f16", "bf16", "c64", "i32", "u8", "bool"):
        for n in (1, 31, 32, 33, 4095, 4096, 4097, 3 * 4096 + 5, 4096 * 40 + 1):
            if n > 20000 and d not in ("f32", "f64"):
                continue
            x = numbers(d, n, r)
            if d in o.FLOATS + o.COMPLEX:
                x = o.round_to(1 + (x - 1) / 64, d) if d in o.FLOATS else (x / np.abs(x)).astype(x.dtype)
            v = f"s_{d}_{n}"
            c.load(v, d, x)
            for name in ("cumsum", "cumprod", "cummin", "cummax"):
                if d in o.COMPLEX + o.BOOL and name in ("cummin", "cummax"):
                    continue
                c.want(f"{name} {d}[{n}]", f"{name}({v})", *scanned(name, d, x))
    for d in ("f32", "c64", "i16"):
        x = numbers(d, 3 * 70 * 5, r).reshape(3, 70, 5)
        c.load(f"sa_{d}", d, x)
        for axis in range(3):
            for text, y in ((f"sa_{d}", x), (f"sa_{d}[:, ::-1]", x[:, ::-1]), (f"sa_{d}.T", x.T)):
                lines = np.moveaxis(y, axis, -1)
                rows = [scanned("cumsum", d, row)[1] for row in lines.reshape(-1, lines.shape[-1])]
                want = np.moveaxis(np.array(rows).reshape(lines.shape), -1, axis)
                c.want(f"cumsum {text} axis {axis}", f"cumsum({text}, axis={axis})", wide(d), want)


def add_wheres(c, r):
    """What is left out is the operation's identity, not absent."""
    x = numbers("f32", 5000, r)
    c.load("w", "f32", x)
    c.want("sum with where", "sum(w, where=w > 0)", "f32",
           vector_tree(np.where(x > 0, x, np.float32(0)), np.add))


def add_variances(c, r):
    """Scaled: a variance that can be represented does not overflow."""
    c.want("var of large f64", "var(f64([1e8, 1e8 + 1, 1e8 + 2]))", "f64", 2 / 3)
    for d, big in (("f64", 1.2e154), ("f32", 1.5e19)):
        for n in (2, 3, 129, 5000, 9000):
            x = np.where(np.arange(n) % 2 == 0, big, -big).astype(o.NP[d])
            c.load(f"big_{d}_{n}", d, x)
            c.want(f"var of {n} large {d}", f"var(big_{d}_{n})", *reference("var", d, x))
            score_finite(c, d, n, x)
    x = np.zeros(100000, np.float32)
    x[77] = 1e21 # its square overflows, its variance does not
    c.load("outlier", "f32", x)
    c.want("var with an outlier", "var(outlier)", *reference("var", "f32", x))
    c.want("it is finite", "isfinite(var(outlier))", "bool", True)
    c.want("var of integers", "var(i32([1, 2, 4]))", "f64", variance(np.array([1, 2, 4]), "i32"))
    c.want("var with ddof", "var(w, ddof=1)", "f32", variance(np.load(c.dir + "/w.npy"), "f32", 1))


def score_finite(c, d, n, x):
    c.want(f"var of {n} large {d} is finite", f"isfinite(var(big_{d}_{n}))", "bool", True)


def add_nans(c):
    for d in ("f32", "f64", "f16"):
        x = np.array([1, 2, np.nan, 0, np.nan, -np.inf], o.NP[d])
        c.load(f"n_{d}", d, x)
        z = np.array([0.0, -0.0, 0.0, -0.0], o.NP[d])
        c.load(f"z_{d}", d, z)
        for name in ("min", "max", "argmin", "argmax", "sum", "var"):
            c.want(f"{name} {d} with nan", f"{name}(n_{d})", *reference(name, d, x))
        for name in ("min", "max", "argmin", "argmax"):
            c.want(f"{name} {d} of zeros", f"{name}(z_{d})", *reference(name, d, z))
            c.want(f"{name} {d} of zeros, reversed", f"{name}(z_{d}[::-1])",
                   *reference(name, d, z[::-1]))


def add_bins(c, r):
    """Weights are sorted by bin, then summed in the tree; add_at adds that to the old element."""
    n = 20000
    where = r.integers(0, 3, n)
    where[:5000] = 1
    for d in ("f32", "f64", "i32"):
        w = numbers(d, n, r) if d != "i32" else r.integers(-9, 9, n).astype(np.int32)
        c.load(f"bin_{d}", "i64", where)
        c.load(f"weight_{d}", d, w)
        out = wide(d)
        bins = [vector_tree(w[where == k].astype(o.NP[out]), np.add) for k in range(3)]
        c.want(f"bincount {d}", f"bincount(bin_{d}, weight_{d})", out, bins)
        if d != "i32":
            c.want(f"histogram {d}", f"histogram(bin_{d}, 3, range=(-0.5, 2.5), weights=weight_{d})[0]",
                   out, bins)
        old = numbers(d, 3, r) if d != "i32" else np.array([5, 6, 7], np.int32)
        c.load(f"old_{d}", d, old)
        total = [o.NP[d](old[k] + o.NP[d](bins[k])) for k in range(3)]
        c.want(f"add_at {d}", f"add_at(old_{d}, bin_{d}, weight_{d})", d, total)


def main():
    arr, options, score = sys.argv[1], sys.argv[2:], o.Score()
    r = np.random.default_rng(4096)
    with tempfile.TemporaryDirectory() as tmp, np.errstate(all="ignore"):
        c = Cases(tmp)
        add_sizes(c, r)
        add_axes(c, r)
        add_scans(c, r)
        add_wheres(c, r)
        add_variances(c, r)
        add_nans(c)
        add_bins(c, r)
        c.run(arr, options, score)
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
