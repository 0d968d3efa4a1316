"""Every op of the table on every dtype, every cast, every pair of dtypes, every reduction, against
NumPy. Usage: ops.py ARR [options for arr]. Last line: "N passed, N failed, N skipped".

Ops are read from runtime/base/ops.def; an op without a reference here is a failure, so a new row
needs one. Exact ops must agree bit for bit (zeros' signs too, nan with nan), the others within two
units in the last place of the exact value."""
import ctypes
import itertools
import os
import re
import sys
import tempfile

import numpy as np

import oracle as o
from oracle import LD

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SEED = 20250101
PI = LD("3.14159265358979323846264338327950288")
libm = ctypes.CDLL("libm.so.6")


def op_rows():
    text = open(os.path.join(ROOT, "runtime/base/ops.def")).read()
    for m in re.finditer(r'^OP\((\w+),\s*"([^"]+)",\s*(\w+),\s*(\d),\s*(\w+)', text, re.M):
        yield m.group(1), m.group(2), m.group(3), int(m.group(4)), m.group(5)


# ---- operands ------------------------------------------------------------------------------------


def edges(d):
    if d == "bool":
        return [False, True]
    k = o.kind(d)
    if k in "iu":
        i = np.iinfo(o.NP[d])
        return [v for v in [0, 1, 2, 3, 7, 8, 13, 31, 32, 63, 64, 100, i.max, i.max - 1, i.max // 2,
                            -1, -2, -3, -7, -64, i.min, i.min + 1] if i.min <= v <= i.max]
    mant, emin, emax = o.FORMAT[d]
    top = 2.0**emax * (2 - 2.0**-mant)
    pos = [0.0, 1.0, 0.5, 1.5, 2.5, 2.0, 3.0, 10.0, 0.1, 1e-3, 100.25, top, 2.0**emin,
           2.0**(emin - mant), 1 + 2.0**-mant, np.inf]
    return pos + [-v for v in pos] + [np.nan]


def real_operands(d, rng, n):
    """Two arrays: the grid of edges, then random pairs."""
    a, b = (np.array(v, dtype=None if o.kind(d) == "f" else o.NP[d])
            for v in zip(*itertools.product(edges(d), repeat=2)))
    k = o.kind(d)
    if k == "b":
        more = [rng.integers(0, 2, n) > 0 for _ in range(2)]
    elif k in "iu":
        i = np.iinfo(o.NP[d])
        wide = rng.integers(i.min, i.max, n, dtype=o.NP[d], endpoint=True)
        more = [wide, rng.integers(max(i.min, -9), 9, n).astype(o.NP[d])]
    else:
        lo, hi = o.FORMAT[d][1], o.FORMAT[d][2]
        near = rng.normal(0, 3, n)
        far = np.ldexp(rng.uniform(-2, 2, n), rng.integers(lo, hi, n))
        more = [np.concatenate([near[: n // 2], far[n // 2:]]),
                np.concatenate([rng.normal(0, 3, n - n // 4), far[: n // 4]])]
    x, y = np.concatenate([a, more[0]]), np.concatenate([b, more[1]])
    return (o.round_to(x, d), o.round_to(y, d)) if k == "f" else (x.astype(o.NP[d]),
                                                                 y.astype(o.NP[d]))


def operands(d, rng, n=1500):
    if o.kind(d) != "c":
        return real_operands(d, rng, n)
    part = "f32" if d == "c64" else "f64"
    return tuple((rng.normal(0, 2, n) + 1j * rng.normal(0, 2, n)).astype(o.NP[d]) for _ in range(2))


# ---- references ----------------------------------------------------------------------------------


def c_long_double(name):
    f = getattr(libm, name)
    f.restype, f.argtypes = ctypes.c_longdouble, [ctypes.c_longdouble]
    return lambda x: np.array([LD(f(float(v))) for v in x])


def wrap(values, d):
    n = o.BITS[d]
    out = [int(v) % (1 << n) for v in values]
    if o.kind(d) == "i":
        out = [v - (1 << n) if v >> (n - 1) else v for v in out]
    return np.array(out, dtype=o.NP[d])


def int_pow(x, y):
    if y >= 0:
        return pow(x, y, 1 << 64) if x >= 0 or y % 2 == 0 else -pow(-x, y, 1 << 64)
    return {1: 1, -1: 1 if y % 2 == 0 else -1}.get(x, 0)


def shift(x, y, width, left):
    if 0 <= y < width:
        return x << y if left else x >> y
    return 0 if left or x >= 0 else -1


def each(f):
    return lambda d, *args: wrap([f(*(int(v) for v in t)) for t in zip(*args)], d)


def gcd(a, b):
    return int(np.gcd(a, b, dtype=object))


INTEGER = {
    "add": each(lambda a, b: a + b), "sub": each(lambda a, b: a - b),
    "mul": each(lambda a, b: a * b), "floordiv": each(lambda a, b: a // b if b else 0),
    "mod": each(lambda a, b: a % b if b else 0), "neg": each(lambda a: -a), "pow": each(int_pow),
    "bit_and": each(lambda a, b: a & b), "bit_or": each(lambda a, b: a | b),
    "bit_xor": each(lambda a, b: a ^ b), "bit_not": each(lambda a: ~a),
    "shl": lambda d, a, b: each(lambda x, y: shift(x, y, o.BITS[d], True))(d, a, b),
    "shr": lambda d, a, b: each(lambda x, y: shift(x, y, o.BITS[d], False))(d, a, b),
    "abs": each(abs), "sign": each(lambda a: (a > 0) - (a < 0)), "square": each(lambda a: a * a),
    "floor": each(lambda a: a), "ceil": each(lambda a: a), "trunc": each(lambda a: a),
    "rint": each(lambda a: a), "conj": each(lambda a: a), "real": each(lambda a: a),
    "imag": each(lambda a: 0), "fmod": each(lambda a, b: a - b * int(abs(a) // abs(b) *
                                            (1 if (a < 0) == (b < 0) else -1)) if b else 0),
    "minimum": each(min), "maximum": each(max), "fmin": each(min), "fmax": each(max),
    "gcd": each(gcd), "lcm": each(lambda a, b: abs(a * b) // gcd(a, b) if a and b else 0),
    "popcount": lambda d, a: each(lambda x: bin(x & ((1 << o.BITS[d]) - 1)).count("1"))(d, a),
}
LOGICAL = {
    "bit_and": lambda d, a, b: a & b, "bit_or": lambda d, a, b: a | b,
    "bit_xor": lambda d, a, b: a ^ b, "bit_not": lambda d, a: ~a, "abs": lambda d, a: a,
    "minimum": lambda d, a, b: a & b, "maximum": lambda d, a, b: a | b,
    "fmin": lambda d, a, b: a & b, "fmax": lambda d, a, b: a | b, "real": lambda d, a: a,
    "imag": lambda d, a: a & False, "floor": lambda d, a: a, "ceil": lambda d, a: a,
    "trunc": lambda d, a: a, "rint": lambda d, a: a,
}


def narrow(f):
    """In the dtype that the op is computed in (f32 for the 16-bit ones), rounded once."""
    def g(d, *args):
        t = np.float64 if d == "f64" else np.float32
        return o.round_to(f(*(a.astype(t) for a in args)), d)
    return g


def wide(f):
    """In long double, rounded once."""
    return lambda d, *args: o.round_to(f(*(a.astype(LD) for a in args)), d)


def exact(f):
    """The same where long double would round a second time: f64 is the processor's own."""
    return lambda d, *args: f(*args) if d == "f64" else wide(f)(d, *args)


def step_towards(d, a, b):
    if d != "bf16":
        return np.where(a == b, b, np.nextafter(a, b))
    up = np.where(b > a, 1, -1)
    i = o.ordered(a, d) + np.where(a == b, 0, up)
    bits = np.where(i < 0, 0x8000 - i, i).astype(np.uint32) << np.uint32(16)
    out = bits.view(np.float32)
    out = np.where(out == 0, np.copysign(out, a), out)
    out = np.where(a == b, b, out)
    return np.where(np.isnan(a) | np.isnan(b), np.float32(np.nan), out).astype(np.float32)


def fused(d, a, b, c):
    f = libm.fma if d == "f64" else libm.fmaf
    t = ctypes.c_double if d == "f64" else ctypes.c_float
    f.restype, f.argtypes = t, [t] * 3
    return o.round_to(np.array([f(float(x), float(y), float(z)) for x, y, z in zip(a, b, c)],
                               o.NP["f64"] if d == "f64" else np.float32), d)


def pick(least, nan_wins):
    def f(a, b):
        r = np.where(a < b, a, b) if least else np.where(a > b, a, b)
        na, nb = np.isnan(a), np.isnan(b)
        if nan_wins:
            return np.where(na | nb, np.nan, r)
        return np.where(na, b, np.where(nb, a, r))
    return wide(f)


EXACT = {
    "add": exact(np.add), "sub": exact(np.subtract), "mul": exact(np.multiply),
    "div": exact(np.divide), "floordiv": narrow(np.floor_divide), "mod": narrow(np.remainder),
    "neg": exact(np.negative), "abs": exact(np.abs), "sign": exact(np.sign), "square": exact(np.square),
    "floor": exact(np.floor), "ceil": exact(np.ceil), "trunc": exact(np.trunc), "rint": exact(np.rint),
    "conj": exact(lambda a: a), "real": exact(lambda a: a), "imag": exact(np.zeros_like),
    "sqrt": exact(np.sqrt), "reciprocal": exact(lambda a: 1 / a), "fmod": narrow(np.fmod),
    "copysign": exact(np.copysign), "nextafter": step_towards, "fma": fused,
    "minimum": pick(True, True), "maximum": pick(False, True), "fmin": pick(True, False),
    "fmax": pick(False, False),
}
# What has no sign that could be told: zeros that tie, and values that underflow.
SIGNLESS_ZERO = {"minimum", "maximum", "fmin", "fmax", "gamma", "sinc"}


def sinc(x):
    n = np.rint(x)
    s = np.sin(PI * (x - n)) * np.where(np.fmod(n, 2) == 0, LD(1), LD(-1))
    return np.where(x == 0, LD(1), s / (PI * x))


def power(a, b):
    r = np.power(a, b)
    r = np.where((a == -np.inf) & (b == 0.5), LD(np.inf), r)
    return r


def angle(a):
    return np.arctan2(np.zeros_like(a), a)


APPROX = {
    "pow": wide(power), "cbrt": wide(np.cbrt), "exp": wide(np.exp), "exp2": wide(np.exp2),
    "expm1": wide(np.expm1), "log": wide(np.log), "log2": wide(np.log2), "log10": wide(np.log10),
    "log1p": wide(np.log1p), "sin": wide(np.sin), "cos": wide(np.cos), "tan": wide(np.tan),
    "asin": wide(np.arcsin), "acos": wide(np.arccos), "atan": wide(np.arctan),
    "sinh": wide(np.sinh), "cosh": wide(np.cosh), "tanh": wide(np.tanh),
    "asinh": wide(np.arcsinh), "acosh": wide(np.arccosh), "atanh": wide(np.arctanh),
    "atan2": wide(np.arctan2), "hypot": wide(np.hypot), "erf": wide(c_long_double("erfl")),
    "erfc": wide(c_long_double("erfcl")), "gamma": wide(c_long_double("tgammal")),
    "lgamma": wide(c_long_double("lgammal")), "degrees": wide(lambda a: a * (180 / PI)),
    "radians": wide(lambda a: a * (PI / 180)), "sinc": wide(sinc), "angle": wide(angle),
    "logaddexp": wide(np.logaddexp),
}
COMPLEX_FNS = {
    "sqrt": np.sqrt, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log,
    "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "reciprocal": np.reciprocal, "pow": np.power, "div": np.divide,
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative, "sign": np.sign,
    "square": np.square, "conj": np.conj, "abs": np.abs, "angle": np.angle, "real": np.real,
    "imag": np.imag,
}
COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
           "gt": np.greater, "ge": np.greater_equal}
PREDICATE = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit}

ERROR = "error"


def real_of(d):
    return {"c64": "f32", "c128": "f64"}.get(d, d)


def expected(name, rule, d, args):
    """(dtype, reference, how); how is "exact", "ulp" (two of them), "near" or "loose" (relative to
    the modulus), with "signless" where zeros have no sign; or ERROR."""
    k = o.kind(d)
    if rule in ("EQUAL", "ORDER"):
        if rule == "ORDER" and k == "c":
            return ERROR
        return "bool", COMPARE[name](*args), "exact"
    if rule in ("PRED", "PREDREAL"):
        if rule == "PREDREAL" and k == "c":
            return ERROR
        return "bool", PREDICATE[name](*args), "exact"
    if rule == "SELECT":
        return d, np.where(args[0] != 0, args[1], args[2]), "exact"
    if rule == "TOCOMPLEX":
        if k == "c":
            return ERROR
        part = d if d in ("f32", "f64") else "f32" if d in ("f16", "bf16") else "f64"
        out = np.empty(args[0].shape, np.complex64 if part == "f32" else np.complex128)
        out.real, out.imag = args
        return "c64" if part == "f32" else "c128", out, "exact"
    if k in "biu" and rule in ("FLOAT", "REALF", "DIV", "ANGLE"):
        if k == "b" and rule == "DIV":
            return ERROR
        args, d, k = [a.astype(np.float64) for a in args], "f64", "f"
    if k == "b":
        return (d, LOGICAL[name](d, *args), "exact") if name in LOGICAL and \
            rule in ("BITS", "ABS", "MINMAX", "REAL", "ROUND") else ERROR
    if k in "iu":
        return (d, INTEGER[name](d, *args), "exact") if name in INTEGER else None
    if rule in ("BITS", "SHIFT", "INTEGER"):
        return ERROR
    if k == "c":
        if name == "rint": # NumPy's round takes complex numbers, part by part
            return d, np.round(args[0]), "exact"
        if rule in ("ROUND", "REALF", "MINMAX", "MODULO"):
            return ERROR
        t = np.complex128 if d == "c64" else np.clongdouble
        ref = COMPLEX_FNS[name](*(a.astype(t) for a in args))
        how = "loose" if name == "pow" else "near"
        return real_of(d) if rule in ("ABS", "REAL", "ANGLE") else d, ref, how
    if name in EXACT:
        return d, EXACT[name](d, *args), "signless" if name in SIGNLESS_ZERO else "exact"
    how = "signless ulp" if name in SIGNLESS_ZERO else "ulp"
    if name == "logaddexp": # near its zero only as good as its operands
        how = "absolute ulp"
    if name == "lgamma": # below 0, where it crosses 0, 4 eps absolute
        how = "lgamma ulp"
    return (d, APPROX[name](d, *args), how) if name in APPROX else None


# ---- cases ---------------------------------------------------------------------------------------


class Cases:
    """Expressions over loaded operands, evaluated in one run of arr, one file for each result."""

    def __init__(self, directory):
        self.dir, self.lines, self.cases = directory, [], []

    def load(self, name, d, x):
        np.save(os.path.join(self.dir, name + ".npy"), x)
        file = f'load("{name}.npy")'
        self.lines.append(f"{name} = " + (f"bf16({file})" if d == "bf16" else file))

    def add(self, label, expression, want):
        i = len(self.cases)
        self.cases.append((label, want))
        bf16 = want != ERROR and want[0] == "bf16"
        self.lines.append(f'try {{ r = {expression}; save("out{i}.npy", {"f32(r)" if bf16 else "r"});'
                          f' print({i}, r.dtype) }} catch err {{ print({i}, "!", err.kind,'
                          f' err.message) }}')

    def run(self, arr, options, score):
        rc, out, err = o.run(arr, "\n".join(self.lines) + "\n", self.dir, options)
        answers = {}
        for line in out.splitlines():
            number, _, rest = line.partition(" ")
            answers[int(number)] = rest
        if rc != 0:
            score.check(False, f"ops: exit status {rc}: {err}")
        for i, (label, want) in enumerate(self.cases):
            score.check(*self.judge(i, label, want, answers.get(i, "nothing")))

    def judge(self, i, label, want, answer):
        if want == ERROR:
            return answer.startswith("!") and answer.split()[1] in ("type", "dtype"), \
                f"{label}: an error expected, not {answer}"
        dtype, ref, how = want
        if answer != dtype:
            return False, f"{label}: {answer}, not {dtype}"
        got = np.load(os.path.join(self.dir, f"out{i}.npy"))
        return compare(label, dtype, got, np.asarray(ref), how)


def show(got, ref, bad):
    i = np.flatnonzero(np.ravel(bad))[:3]
    return "; ".join(f"[{k}] {np.ravel(got)[k]!r} not {np.ravel(ref)[k]!r}" for k in i)


def compare(label, dtype, got, ref, how):
    if got.shape != ref.shape:
        return False, f"{label}: shape {got.shape}, not {ref.shape}"
    with np.errstate(all="ignore"):
        if how in ("near", "loose"):
            eps = 2.0**-22 if dtype in ("c64", "f32") else 2.0**-50
            eps *= 32 if how == "loose" else 1
            ref = ref.astype(np.clongdouble if got.dtype.kind == "c" else LD)
            bad = ~(np.abs(got - ref) <= eps * (np.abs(ref) + 1e-30) * 2)
        elif got.dtype.kind in "biu":
            bad = got != ref
        elif got.dtype.kind == "c":
            bad = ~((got == ref) | (np.isnan(got) & np.isnan(ref)))
        else:
            both_nan = np.isnan(got) & np.isnan(ref)
            if how.endswith("ulp"):
                far = np.abs(o.ordered(got, dtype) - o.ordered(ref.astype(got.dtype), dtype)) > 2
                if how == "absolute ulp":
                    far &= ~(np.abs(got - ref) <= 2.0 ** (1 - o.FORMAT[dtype][0]))
                if how == "lgamma ulp":
                    far &= ~(np.abs(got - ref) <= 4 * 2.0 ** (1 - o.FORMAT[dtype][0]))
                bad = far.astype(bool) | (np.isnan(got) != np.isnan(ref))
                bad |= (how == "ulp") & (got == 0) & (ref == 0) & (np.signbit(got) != np.signbit(ref))
            else:
                bad = got != ref
                if how == "exact":
                    bad = bad | (np.signbit(got) != np.signbit(ref))
            bad = bad & ~both_nan
    return not bad.any(), f"{label}: {np.count_nonzero(bad)} of {bad.size}: {show(got, ref, bad)}"


def add_ops(c, rng):
    for d in o.ALL:
        x, y = operands(d, rng)
        z = np.roll(y, 7)
        for name, v in (("a", x), ("b", y), ("c", z), ("m", x != 0)):
            c.load(f"{name}_{d}", "bool" if name == "m" else d, v)
        for name, spelling, level, arity, rule in op_rows():
            args, names = [x, y, z][:arity], [f"{v}_{d}" for v in "abc"[:arity]]
            if rule == "SELECT":
                args, names = [x != 0, x, y], [f"m_{d}", f"a_{d}", f"b_{d}"]
            if name == "pow" and o.kind(d) in "iu":
                # 0 to a negative power has no value to truncate
                keep = ~((x == 0) & (y < 0))
                c.load(f"p_{d}", d, x[keep])
                c.load(f"q_{d}", d, y[keep])
                args, names = [x[keep], y[keep]], [f"p_{d}", f"q_{d}"]
            with np.errstate(all="ignore"):
                want = expected(name, rule, d, args)
            if want is None:
                c.add(f"{name} {d}: no reference in tests/parity/ops.py", "1 +", ERROR)
                continue
            if level in ("NAME", "HIDDEN"):
                e = f"{'round' if name == 'rint' else spelling}({', '.join(names)})"
            else:
                e = f"{spelling}{names[0]}" if arity == 1 else f" {spelling} ".join(names)
            c.add(f"{name} {d}", e, want)


def add_pairs(c):
    for a, b in itertools.product(o.ALL, o.ALL):
        p = o.promote(a, b)
        e = f"zeros(2, {a}) * ones(2, {b})"
        if p is None or p == "bool":
            c.add(f"{a} with {b}", e, ERROR)
        else:
            c.add(f"{a} with {b}", e, (p, np.zeros(2, o.NP[p]), "signless"))


def add_casts(c, rng):
    for s in o.ALL:
        x = operands(s, rng)[0]
        for d in o.ALL:
            with np.errstate(all="ignore"):
                ref = o.cast(x, s, d)
            c.load(f"k_{s}", s, x)
            c.add(f"{d}({s})", f"{d}(k_{s})", ERROR if ref is None else (d, ref, "exact"))


# ---- reductions ----------------------------------------------------------------------------------


def reduced(f, x, axis, keepdims):
    """f over the flat, C-order list of the reduced axes."""
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(sorted(a % x.ndim for a in axes))
    kept = [a for a in range(x.ndim) if a not in axes]
    t = x.transpose(kept + list(axes)).reshape([x.shape[a] for a in kept] + [-1])
    out = np.array([f(row) for row in t.reshape(-1, t.shape[-1])]).reshape(t.shape[:-1])
    return out.reshape([1 if a in axes else x.shape[a] for a in range(x.ndim)]) if keepdims else out


def float_sum(d, x):
    t = np.float64 if d == "f64" else np.float32
    with np.errstate(all="ignore"):
        return o.tree(list(x.astype(t)), lambda a, b: a + b)


def reduction(name, d, x):
    """(dtype, function of a row, how)"""
    k = o.kind(d)
    acc = "u64" if k == "u" else "i64" if k in "bi" else d
    if name in ("any", "all", "count_nonzero"):
        f = {"any": np.any, "all": np.all, "count_nonzero": np.count_nonzero}[name]
        return ("i64" if name == "count_nonzero" else "bool"), f, "exact"
    if name in ("min", "max", "argmin", "argmax"):
        if k == "c":
            return None
        f = {"min": np.min, "max": np.max, "argmin": np.argmin, "argmax": np.argmax}[name]
        return (d if name in ("min", "max") else "i64"), f, "signless"
    if k == "c":
        add = lambda r: o.tree(list(r), lambda a, b: a + b)
        if name == "sum":
            return d, add, "exact"
        if name == "mean":
            return d, lambda r: add(r) / len(r), "near"
        return (d, lambda r: np.prod(r.astype(np.clongdouble)), "near") if name == "prod" else None
    if name in ("sum", "prod"):
        if k == "f":
            combine = (lambda a, b: a + b) if name == "sum" else (lambda a, b: a * b)
            t = np.float64 if d == "f64" else np.float32
            return d, lambda r: o.round_to(o.tree(list(r.astype(t)), combine), d), "exact"
        f = np.sum if name == "sum" else np.prod
        return acc, lambda r: f(r.astype(o.NP[acc]), dtype=o.NP[acc]), "exact"
    if name == "mean":
        if k == "f":
            t = np.float64 if d == "f64" else np.float32
            return d, lambda r: o.round_to(float_sum(d, r) / t(len(r)), d), "exact"
        return "f64", lambda r: LD(r.astype(LD).sum() / len(r)).astype(np.float64), "near"
    f = np.var if name == "var" else np.std
    out = d if k == "f" else "f64"
    if out in ("f16", "bf16"):
        return out, lambda r: o.round_to(f(r.astype(LD)), out), "ulp"
    return out, lambda r: f(r.astype(LD)), "loose" # of values that may lie close together


def add_reductions(c, rng):
    shapes = [((3, 4, 5), [None, 0, 1, -1, (0, 2), (1, 2)]), ((9001,), [None]),
              ((3, 4200), [0, 1, None])]
    for d in o.ALL:
        for s, (shape, axes) in enumerate(shapes):
            n = int(np.prod(shape))
            if o.kind(d) == "b":
                x = rng.integers(0, 2, n) > 0
            elif o.kind(d) in "iu":
                x = rng.integers(0, 100, n).astype(o.NP[d])
            elif o.kind(d) == "c":
                x = (rng.normal(0, 1, n) + 1j * rng.normal(0, 1, n)).astype(o.NP[d])
            else:
                x = o.round_to(rng.normal(1, 1, n), d)
            x = x.reshape(shape)
            c.load(f"r{s}_{d}", d, x)
            for name, axis in itertools.product(
                    ["sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin",
                     "argmax", "count_nonzero"], axes):
                if name in ("argmin", "argmax") and isinstance(axis, tuple):
                    continue
                if name == "prod" and n > 100 and o.kind(d) == "c":
                    continue
                want = reduction(name, d, x)
                a = "none" if axis is None else str(axis)
                keep = isinstance(axis, int) and axis == 1
                e = f"{name}(r{s}_{d}, axis={a}, keepdims={'true' if keep else 'false'})"
                if want is None:
                    c.add(f"{name} {d}", e, ERROR) if name in ("min", "max", "argmin", "argmax") \
                        else None
                    continue
                out, f, how = want
                with np.errstate(all="ignore"):
                    ref = reduced(f, x, axis, keep)
                c.add(f"{name} {d} {shape} axis {a}", e, (out, ref, how))
                if s == 0 and axis == 0 and name in ("sum", "mean"):
                    c.add(f"{name} {d} of a transpose", f"{name}(r{s}_{d}.T, axis=-1)",
                          (out, reduced(f, x.T, -1, False), how))


def main():
    arr, options = sys.argv[1], sys.argv[2:]
    score = o.Score()
    for add in (add_ops, add_casts, add_reductions):
        with tempfile.TemporaryDirectory() as directory:
            c = Cases(directory)
            add(c, np.random.default_rng(SEED))
            c.run(arr, options, score)
    with tempfile.TemporaryDirectory() as directory:
        c = Cases(directory)
        add_pairs(c)
        c.run(arr, options, score)
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
