"""Random arrays and what NumPy's print says of them, for tests/unit/format.c.

    python3 tests/gen/format_array.py 1 700 900 > tests/dump/format/arrays.txt
    python3 tests/gen/format_array.py 7 3000 | build/tests/unit/format -

Arguments are a seed, how many arrays, and how many characters a case may have (others are left out).

A case is a line `array DTYPE DIMS... : HEX` with the bytes of the elements that print shows, then
the text, then a line with a single `=`. Booleans are written true and false.
"""

import sys

import numpy as np

DTYPES = "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128".split()
CODES = "?bhiqBHIQefdFD"


def corners(a, edge=3):
    """The elements that a summary shows."""
    for axis in range(a.ndim):
        if a.shape[axis] > 2 * edge:
            n = a.shape[axis]
            a = np.take(a, list(range(edge)) + list(range(n - edge, n)), axis)
    return a


def shape_of(rng):
    kind = rng.integers(12)
    if kind == 0:
        return ()
    if kind == 1:
        return [(0,), (0, 3), (3, 0), (2, 0, 2), (1,), (1, 1), (1, 1, 1)][rng.integers(7)]
    if kind == 2:
        return (int(rng.integers(995, 1010)),)
    if kind == 3:
        return (int(rng.integers(1, 40)), int(rng.integers(25, 80)))
    if kind == 4:
        return (int(rng.integers(2, 12)), int(rng.integers(2, 12)), int(rng.integers(5, 40)))
    if kind == 5:
        return (2, 3, 2, 2)
    if kind == 6:
        return (int(rng.integers(1, 8)), 7, 1, 8, 4)
    if kind == 7:
        return (int(rng.integers(1, 300)),)
    if kind == 8:
        return (int(rng.integers(200, 700)), int(rng.integers(1, 8)))
    return (int(rng.integers(1, 9)),) if kind < 11 else (int(rng.integers(1, 6)),) * 2


def reals(rng, n, code):
    """Floats of many sorts."""
    kind = rng.integers(11)
    if kind == 0:
        v = rng.integers(-100, 100, n).astype("d")
    elif kind == 1:
        v = np.round(rng.uniform(-10, 10, n), int(rng.integers(1, 5)))
    elif kind == 2:
        v = rng.standard_normal(n)
    elif kind == 3:
        v = 10.0 ** rng.uniform(-6, 9, n)
    elif kind == 4:
        v = rng.uniform(0, 1, n) * 10.0 ** rng.integers(-5, 12)
    elif kind == 5:
        v = 2.0 ** rng.integers(-30, 30, n)
    elif kind == 6:
        v = 10.0 ** rng.uniform(-320, 300, n)
    elif kind == 7:
        v = rng.integers(0, 3, n) * 10.0 ** rng.integers(-4, 4, n)
    elif kind == 8:
        v = rng.uniform(0.5, 2, n) * rng.choice([1e-4, 1e3, 1e6, 1e8])
    elif kind == 9:
        v = rng.integers(0, 256, n * 8, dtype="B").view("d")
    else:
        v = np.zeros(n) * rng.choice([1, -1], n)
    v = np.array(v, "d")
    if rng.integers(3) == 0 and n:
        with np.errstate(all="ignore"):
            v = v * rng.choice([1, -1], n)
        for bad in rng.choice([np.nan, np.inf, -np.inf, -0.0], int(rng.integers(1, 3))):
            v[rng.integers(0, n, max(1, n // int(rng.integers(1, 20))))] = bad
    return v.astype(code)


def array_of(rng, code, shape):
    n = int(np.prod(shape))
    if code == "?":
        return rng.integers(0, 2, n).astype("?").reshape(shape)
    if code in "efd":
        return reals(rng, n, code).reshape(shape)
    if code in "FD":
        a = np.zeros(n, code)
        a.real, a.imag = (reals(rng, n, code.replace("F", "f").replace("D", "d")) for _ in "ri")
        return a.reshape(shape)
    info = np.iinfo(code)
    small = rng.integers(3)
    if small == 0:
        lo, hi = info.min, info.max
    else:
        lo, hi = (max(info.min, -9), 99) if small == 1 else (0, 2)
    return rng.integers(lo, hi, n, dtype=code, endpoint=True).reshape(shape)


def words(text):
    return text.replace("True", "true").replace("False", "false")


def main():
    rng = np.random.default_rng(int(sys.argv[1]))
    np.seterr(all="ignore")
    for i in range(int(sys.argv[2])):
        which = i % len(DTYPES)
        a = array_of(rng, CODES[which], shape_of(rng))
        shown = corners(a) if a.size > 1000 else a
        dims = "".join(f" {n}" for n in a.shape)
        case = f"array {DTYPES[which]}{dims} : {np.ascontiguousarray(shown).tobytes().hex()}\n"
        case += words(str(a)) + "\n=\n"
        if len(sys.argv) < 4 or len(case) < int(sys.argv[3]):
            sys.stdout.write(case)


main()
