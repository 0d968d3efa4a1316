"""Casts between all pairs of dtypes against exact rational arithmetic. Usage: casts.py ARR [options].
Last line: "N passed, N failed, N skipped".

One rounding to nearest even from the exact value, integers wrap among themselves, floats truncate
and saturate into integers, nan is 0 there. Operands lie on and beside halfway cases of every
narrower format, at ends of ranges and beyond. A value is the exact Fraction of an element here."""
import os
import sys
import tempfile
from fractions import Fraction

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "parity"))
import oracle as o  # noqa: E402

INF = float("inf")


def round_fraction(v, d):
    """An exact number rounded once, half to even, to the float dtype d; a Fraction or +-inf."""
    mant, emin, emax = o.FORMAT[d]
    if v == 0:
        return v
    a = abs(v)
    e = a.numerator.bit_length() - a.denominator.bit_length()
    e = e if Fraction(2) ** e <= a else e - 1
    unit = Fraction(2) ** (max(e, emin) - mant)
    r = round(a / unit) * unit # Python rounds halves to even
    if r >= Fraction(2) ** (emax + 1):
        return INF if v > 0 else -INF
    return r if v > 0 else -r


def expected(v, s, d):
    """v: a Fraction, +-inf or None for nan."""
    if d == "bool":
        return v is None or v != 0
    if d in o.FORMAT:
        return v if v is None or abs(v) == INF else round_fraction(v, d)
    info = np.iinfo(o.NP[d])
    if s in o.FORMAT:
        if v is None:
            return 0
        if abs(v) == INF:
            return info.max if v > 0 else info.min
        t = abs(v).numerator // abs(v).denominator
        return min(max(t if v > 0 else -t, info.min), info.max)
    n = int(v) % (1 << o.BITS[d])
    return n - (1 << o.BITS[d]) if n > info.max else n


def float_points(s):
    """Around every place where a narrower float rounds or an integer range ends."""
    mant, emin, emax = o.FORMAT[s]
    top = Fraction(2) ** emax * (2 - Fraction(1, 2**mant))
    least = Fraction(2) ** (emin - mant)
    out = [Fraction(0), least, 3 * least, Fraction(2) ** emin, Fraction(2) ** emin - least, top]
    for d in ("f16", "bf16", "f32"):
        m, lo, hi = o.FORMAT[d]
        for e in (lo - m - 2, lo - m - 1, lo - m, lo - 3, lo - 1, lo, -3, 0, 1, 7, hi - 1, hi):
            unit = Fraction(2) ** (max(e, lo) - m)
            for k in (0, 1, 2, 3, 2**m - 2, 2**m - 1):
                base = (Fraction(2) ** e if e >= lo else 0) + k * unit
                for half in (base, base + unit / 2, base + unit / 4, base + unit * 3 / 4):
                    for nudge in (0, 1, -1, Fraction(1, 2**20), -Fraction(1, 2**20)):
                        out.append(half + nudge * unit * Fraction(1, 2**26))
    for n in (7, 8, 15, 16, 31, 32, 63, 64):
        for x in (-1, 0, 1, Fraction(1, 2), -Fraction(1, 2), Fraction(2) ** n / 2**24,
                  -Fraction(2) ** n / 2**24, -Fraction(2) ** n / 2**53):
            out.append(Fraction(2) ** n + x)
    return [v for v in out] + [-v for v in out] + [Fraction(n, 4) for n in range(-12, 13)]


def int_points(s):
    i = np.iinfo(o.NP[s])
    out = [0, 1, 2, 3, 5, 100, i.max, i.max - 1, i.max // 2, i.min, i.min + 1]
    for n in range(3, o.BITS[s]):
        for m in (7, 10, 23, 52): # halfway between numbers of m + 1 bits, and beside
            if n > m + 1:
                half = 1 << (n - m - 1)
                for k in (1, 3, 2 ** (m + 1) - 1):
                    out += [(1 << n) + k * half + x for x in (-1, 0, 1)]
        out += [(1 << n) + x for x in (-1, 0, 1)]
    return [v for w in out for v in (w, -w) if i.min <= v <= i.max]


def source(s):
    """(array to save, exact values)"""
    if s == "bool":
        return np.array([False, True]), [Fraction(0), Fraction(1)]
    if s in o.INTS:
        v = sorted(set(int_points(s)))
        return np.array(v, o.NP[s]), [Fraction(x) for x in v]
    v = sorted({round_fraction(x, s) for x in float_points(s)})
    x = np.array([float(w) for w in v] + [np.nan, -0.0], o.NP[s])
    return x, [w if abs(w) == INF else Fraction(w) for w in v] + [None, Fraction(0)]


def matches(got, want, d, negative_zero):
    if want is None:
        return bool(np.isnan(got))
    if d == "bool" or d in o.INTS:
        return int(got) == int(want)
    if want in (INF, -INF):
        return float(got) == want
    if want == 0 and negative_zero:
        return float(got) == 0 and bool(np.signbit(got))
    return np.isfinite(got) and Fraction(float(got)) == want


def main():
    arr, options, score = sys.argv[1], sys.argv[2:], o.Score()
    real = [d for d in o.ALL if d not in o.COMPLEX]
    data = {s: source(s) for s in real}
    with tempfile.TemporaryDirectory() as tmp, np.errstate(all="ignore"):
        program = []
        for s in real:
            np.save(os.path.join(tmp, f"{s}.npy"), data[s][0])
            file = f'load("{s}.npy")'
            program.append(f"x = {f'bf16({file})' if s == 'bf16' else file}")
            for d in real:
                r = f"f32({d}(x))" if d == "bf16" else f"{d}(x)"
                program.append(f'save("{s}_{d}.npy", {r})')
            for d in o.COMPLEX:
                program.append(f'save("{s}_{d}.npy", {d}(x))')
        rc, out, err = o.run(arr, "\n".join(program) + "\n", tmp, options)
        score.check(rc == 0, f"casts: exit status {rc}: {out} {err}")
        for s in real:
            x, exact = data[s]
            for d in real + o.COMPLEX:
                got = np.load(os.path.join(tmp, f"{s}_{d}.npy"))
                score.check(got.dtype == o.NP[d], f"{d}({s}): {got.dtype}")
                to = {"c64": "f32", "c128": "f64"}.get(d, d)
                if d in o.COMPLEX:
                    score.check(not got.imag.any(), f"{d}({s}): imaginary parts")
                    got = got.real
                for g, v, w in zip(got, exact, x):
                    want = expected(v, s, to)
                    minus = s in o.FORMAT and v is not None and bool(np.signbit(w))
                    score.check(matches(g, want, to, minus), f"{d}({s}({w!r})) = {g!r}, not {want}")
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
