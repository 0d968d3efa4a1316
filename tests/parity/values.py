"""NumPy values with Arr's rules, for programs.py: every function takes and gives arrays of one of
Arr's dtypes (bf16 held in float32) and computes what Arr promises bit for bit."""
import functools

import numpy as np

import oracle as o


def to_bf16(x):
    """float32 rounded to bf16, half to even."""
    shape = np.shape(x)
    x = np.ascontiguousarray(x, np.float32)
    u = x.view(np.uint32)
    r = (u + np.uint32(0x7FFF) + ((u >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(x), x, r.view(np.float32)).reshape(shape)


def cast(x, src, dst):
    """An explicit cast; the quick ways are those in which NumPy rounds once as well."""
    if src == dst:
        return x
    ks, kd = o.kind(src), o.kind(dst)
    if kd == "b":
        return x != 0
    if dst == "bf16" and src in ("f32", "f16", "bool", "i8", "u8"):
        return to_bf16(x.astype(np.float32))
    if ks == "f" and kd in "iu" or dst == "bf16":
        return o.cast(x, src, dst)
    return x.astype(o.NP[dst])


def in_dtype(d, f):
    """The result of a function of floats that is computed in f32 and rounded for bf16."""
    def g(*xs):
        r = f(*xs)
        return to_bf16(r) if d == "bf16" and r.dtype == np.float32 else r
    return g


def complex_product(x, y):
    out = np.empty(np.broadcast(x, y).shape, x.dtype)
    out.real = x.real * y.real - x.imag * y.imag
    out.imag = x.real * y.imag + x.imag * y.real
    return out


def power(d, x, n):
    """x ** 2, 3, 4: products from the left, each rounded."""
    r = x
    for _ in range(n - 1):
        r = binary("*", d)(r, x)
    return r


BINARY = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "//": np.floor_divide,
    "%": np.remainder, "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal,
    "!=": np.not_equal,
}


def first_of_equals(op, x, y):
    """minimum and its like; of two equals (two zeros) the first, where NumPy promises neither."""
    r = np.where(y < x if op in ("minimum", "fmin") else y > x, y, x)
    if x.dtype.kind != "f":
        return r
    if op[0] == "f":
        return np.where(np.isnan(x), y, r)
    return np.where(np.isnan(x), x, np.where(np.isnan(y), y, r))


for name in ("minimum", "maximum", "fmin", "fmax"):
    BINARY[name] = functools.partial(first_of_equals, name)


def running(name, x, axis):
    """cummax and cummin."""
    r, x = np.moveaxis(x.copy(), axis, 0), np.moveaxis(x, axis, 0)
    for k in range(1, len(r)):
        r[k] = BINARY["maximum" if name == "cummax" else "minimum"](r[k - 1], x[k])
    return np.moveaxis(r, 0, axis)


def binary(op, d):
    if op == "*" and o.kind(d) == "c":
        return complex_product
    return in_dtype(d, BINARY[op])


# ---- the tree of sums, all rows at once ----------------------------------------------------------


def tree(rows, combine):
    """rows[..., r] combined over r: chunks of 4096, 128 lanes, lanes at distances 64, 32, ... 1."""
    n = rows.shape[-1]
    if n > 4096:
        whole = n // 4096
        parts = tree(rows[..., :whole * 4096].reshape(*rows.shape[:-1], whole, 4096), combine)
        if n % 4096:
            rest = tree(rows[..., whole * 4096:], combine)
            parts = np.concatenate([parts, rest[..., None]], axis=-1)
        return tree(parts, combine)
    lanes = rows[..., :128].copy()
    for at in range(128, n, 128):
        part = rows[..., at:at + 128]
        k = part.shape[-1]
        lanes[..., :k] = combine(lanes[..., :k], part)
    n, step = min(n, 128), 64
    while step:
        if n > step:
            k = n - step
            lanes[..., :k] = combine(lanes[..., :k], lanes[..., step:n])
            n = step
        step //= 2
    return lanes[..., 0]


def rows_of(x, axes):
    """The reduced axes, in C order, as one last axis."""
    kept = [a for a in range(x.ndim) if a not in axes]
    count = int(np.prod([x.shape[a] for a in axes]))
    return x.transpose(kept + sorted(axes)).reshape([x.shape[a] for a in kept] + [count])


def accumulates(name, d):
    """The dtype of sum or prod over dtype d."""
    return ("i64" if o.kind(d) in "bi" else "u64" if o.kind(d) == "u" else d)


def reduce(name, x, d, axes, keep):
    rows = rows_of(x, axes)
    if name in ("sum", "prod"):
        acc = accumulates(name, d)
        wide = "f32" if acc in ("f16", "bf16") else acc
        rows = rows.astype(o.NP[wide])
        if o.kind(acc) in "iu":
            r = (np.sum if name == "sum" else np.prod)(rows, axis=-1, dtype=o.NP[acc])
        elif rows.shape[-1] == 0:
            r = np.full(rows.shape[:-1], name == "prod", o.NP[wide])
        else:
            r = tree(rows, np.add if name == "sum" else np.multiply)
        r = cast(np.asarray(r), wide, acc) if wide != acc else np.asarray(r)
    elif name == "mean":
        n = rows.shape[-1]
        r = (tree(rows, np.add) if n else np.zeros(rows.shape[:-1], rows.dtype))
        r = r / rows.dtype.type(n)
    elif name == "count_nonzero":
        r = np.count_nonzero(rows, axis=-1)
    elif name in ("max", "min") and rows.dtype.kind == "f":
        at = getattr(np, "arg" + name)(rows, axis=-1)
        r = np.take_along_axis(rows, np.asarray(at)[..., None], -1)[..., 0]
    else:
        r = getattr(np, name)(rows, axis=-1)
    r = np.asarray(r)
    return r.reshape([1 if a in axes else n for a, n in enumerate(x.shape)]) if keep else r
