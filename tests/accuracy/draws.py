"""Random numbers, element by element, against a slow reference of their definition. Usage: draws.py
ARR [options]. Last line: "N passed, N failed, N skipped".

Draw k after seed(s) has key mix64(mix64(s) + k * 0x9E3779B97F4A7C15). Word i is lane i mod 4 of
Philox4x32-10 at counter (q / 65536, attempt, q mod 65536, 0), q = i / 4, where the last word of the
counter counts attempts of randint. Words, uniforms, integers and orders are exact; logarithms and
sines within their bounds."""
import math
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "parity"))
import oracle as o  # noqa: E402

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def mix64(z):
    z &= M64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & M64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & M64
    return z ^ (z >> 31)


def key_of(seed, k):
    return mix64(mix64(seed) + k * 0x9E3779B97F4A7C15)


def philox(key, quad, attempt=0):
    c = [quad >> 16 & M32, 0, quad & 0xFFFF, attempt]
    k = [key & M32, key >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & M32, (p >> 32) ^ c[3] ^ k[1], p & M32]
        k = [(k[0] + 0x9E3779B9) & M32, (k[1] + 0xBB67AE85) & M32]
    return c


def word(key, i, attempt=0):
    return philox(key, i // 4, attempt)[i % 4]


def pair(key, i, attempt=0):
    """Words 2i (low) and 2i + 1 (high)."""
    return word(key, 2 * i + 1, attempt) << 32 | word(key, 2 * i, attempt)


def uniform(key, i, d):
    if d == "f64":
        return (pair(key, i) >> 11) * 2.0**-53
    bits = {"f32": 24, "f16": 11, "bf16": 8}[d]
    return (word(key, i) >> (32 - bits)) * 2.0**-bits


def open_unit(key, i, d):
    """In (0, 1], in the arithmetic of d; of the words that element i begins with."""
    if d == "f64":
        return (np.float64(pair(key, i)) + 0.5) * 2.0**-64
    return np.float64((np.float32(word(key, i)) + np.float32(0.5)) * np.float32(2.0**-32))


def normal(key, i, d):
    j = i // 2
    if d == "f64":
        u, angle = open_unit(key, 2 * j, d), np.float64(pair(key, 2 * j + 1)) * 2.0**-63
    else:
        u, angle = open_unit(key, 2 * j, d), np.float64(np.float32(word(key, 2 * j + 1)) *
                                                       np.float32(2.0**-31))
    r = math.sqrt(-2 * math.log(u))
    turn = float(angle) % 2.0 # exact; reduced for the sine to be exact near its zeros
    f = sinpi if i % 2 else cospi
    return r * f(turn)


def sinpi(t):
    if t > 1:
        return -sinpi(t - 1)
    if t > 0.5:
        return sinpi(1 - t)
    return math.sin(math.pi * t) if t <= 0.25 else math.cos(math.pi * (0.5 - t))


def cospi(t):
    if t > 1:
        t = 2 - t
    if t > 0.5:
        return -cospi(1 - t)
    return math.cos(math.pi * t) if t <= 0.25 else math.sin(math.pi * (0.5 - t))


def exponential(key, i, d):
    return -math.log(open_unit(key, i, d))


def randint(key, i, low, span):
    """The high half of span times the word; the word of the next attempt where that is unfair."""
    bits = 32 if span <= 1 << 32 else 64
    unfair = (1 << bits) % span
    t = 0
    while True:
        w = word(key, i, t) if bits == 32 else pair(key, i, t)
        product = w * span
        if product & ((1 << bits) - 1) >= unfair:
            return low + (product >> bits)
        t += 1


def stable_order(key, n):
    keys = [pair(key, i) for i in range(n)]
    return sorted(range(n), key=lambda i: keys[i])


N = 601 # odd, not a multiple of 4, past the blocks in which numbers are made


def cases():
    """(expression, dtype, how, reference of (key, element)); each is one draw."""
    for d in o.FLOATS:
        yield f"rand({N}, {d})", d, "exact", lambda k, i, d=d: uniform(k, i, d)
        yield f"randn({N}, {d})", d, "near", lambda k, i, d=d: normal(k, i, d)
    yield f"rand({N})", "f64", "exact", lambda k, i: uniform(k, i, "f64")
    for d in ("f32", "f64"):
        yield f"exponential({d}(1), ({N},))", d, "near", lambda k, i, d=d: exponential(k, i, d)
    for low, high, d in [(0, 10, "i64"), (-3, 4, "i64"), (0, 256, "u8"), (-128, 128, "i8"), (5, 6, "i32"),
                         (0, 3 << 30, "i64"), (0, 1 << 32, "i64"), (0, (1 << 32) + 1, "i64"),
                         (0, 3 << 61, "i64"), (-(1 << 63), (1 << 63) - 1, "i64")]:
        bottom = "-9223372036854775807 - 1" if low == -(1 << 63) else str(low)
        yield f"randint({bottom}, {high}, {N}, {d})", d, "exact", \
            lambda k, i, low=low, high=high: randint(k, i, low, high - low)
    yield f"permutation({N})", "i64", "order", stable_order
    yield f"permutation({N})[:5]", "i64", "order", lambda k, n: stable_order(k, N)[:5]
    yield f"choice({N}, 7, replace=false)", "i64", "order", lambda k, n: stable_order(k, N)[:7]
    yield f"rand({N}, f32)[5:9]", "f32", "exact", lambda k, i: uniform(k, i + 5, "f32")
    yield f"rand(7, {N}, f32)[3, ::2]", "f32", "exact", lambda k, i: uniform(k, 3 * N + 2 * i, "f32")
    for at in (1 << 32) - 2, (1 << 34) + 70000, (1 << 50) + 12345678901: # counters past 32 bits
        cut = f"[{at}:{at + 5}]"
        yield f"rand({1 << 51}, f32){cut}", "f32", "exact", lambda k, i, at=at: uniform(k, i + at, "f32")
        yield f"rand({1 << 51}){cut}", "f64", "exact", lambda k, i, at=at: uniform(k, i + at, "f64")
        yield f"randn({1 << 51}, f32){cut}", "f32", "near", lambda k, i, at=at: normal(k, i + at, "f32")
        yield f"randn({1 << 51}){cut}", "f64", "near", lambda k, i, at=at: normal(k, i + at, "f64")
        yield f"exponential(f64(1), ({1 << 51},)){cut}", "f64", "near", \
            lambda k, i, at=at: exponential(k, i + at, "f64")
        yield f"randint(0, 1000, {1 << 51}){cut}", "i64", "exact", lambda k, i, at=at: randint(k, i + at, 0, 1000)
        yield f"randint(0, {3 << 61}, {1 << 51}){cut}", "i64", "exact", \
            lambda k, i, at=at: randint(k, i + at, 0, 3 << 61)
    yield "rand(300000, f32)[299000:299010]", "f32", "exact", lambda k, i: uniform(k, i + 299000, "f32")


def main():
    arr, options, score = sys.argv[1], sys.argv[2:], o.Score()
    seeds = [0, 42, (1 << 63) - 1]
    with tempfile.TemporaryDirectory() as tmp:
        program, checks = [], []
        for seed in seeds:
            program.append(f"seed({seed})")
            for k, (e, d, how, f) in enumerate(cases()):
                i = len(checks)
                program.append(f'x{i} = {e}')
                checks.append((f"{e} after seed({seed})", key_of(seed, k), d, how, f))
        for i, (_, _, d, _, _) in enumerate(checks):
            program.append(f'save("r{i}.npy", {f"f32(x{i})" if d == "bf16" else f"x{i}"})')
        rc, out, err = o.run(arr, "\n".join(program) + "\n", tmp, options)
        score.check(rc == 0, f"draws: exit status {rc}: {out} {err}")
        for i, (label, key, d, how, f) in enumerate(checks):
            path = os.path.join(tmp, f"r{i}.npy")
            if not os.path.exists(path):
                score.check(False, f"{label}: no result")
                continue
            got = np.load(path)
            if how == "order":
                score.check(got.tolist() == f(key, len(got)), f"{label}: {got[:5]}")
                continue
            unit = 2.0 ** -o.FORMAT[d][0] if d in o.FORMAT else 0
            for j, g in enumerate(got.tolist()):
                want = f(key, j)
                ok = g == want if how == "exact" else abs(g - want) <= 4 * unit * max(abs(want), unit)
                score.check(ok, f"{label}[{j}]: {g}, not {want}")
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
