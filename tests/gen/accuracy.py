"""Writes the tables of exact values that tests/accuracy/functions.py checks elementary functions
against: one file a function, with points where functions go wrong (subnormals, ends of ranges, near
zeros and poles, huge arguments, near ties of cancelling terms) and some from everywhere.

Usage: accuracy.py DIRECTORY [--points N] [--only NAME,...]. Needs mpmath. A line is
    DTYPE ARGUMENT... RESULT REST, or of complex dtypes DTYPE RE IM RE IM,
with floats as the hexadecimal of their bits; RESULT is the exact value rounded, REST the exact value
less it, in hundredths of RESULT's unit in the last place."""
import math
import os
import random
import struct
import sys

import mpmath
from mpmath import mp, mpf

# explicit bits of the significand, lowest and highest exponent, struct codes, hex digits
FORMAT = {"f32": (23, -126, 127, "<f", "<I", 8), "f64": (52, -1022, 1023, "<d", "<Q", 16)}
INF = mpf("inf")
TINY = mpmath.ldexp(mpf(1), -5000) # underflows everywhere


def bits(x, d):
    _, _, _, f, i, n = FORMAT[d]
    return f"{struct.unpack(i, struct.pack(f, x))[0]:0{n}x}"


def round_to(v, d):
    """(float, hundredths of a unit that are left), by one rounding."""
    mant, emin, emax = FORMAT[d][:3]
    if v == 0 or mpmath.isnan(v):
        return float(v), 0
    if mpmath.isinf(v):
        return float(v), 0
    m, e = mpmath.frexp(abs(v))
    e = min(max(int(e) - 1, emin), emax)
    scaled = mpmath.ldexp(v, mant - e)
    n = int(mpmath.nint(scaled))
    if abs(n) >= 1 << (mant + 1) and e == emax:
        beyond = abs(scaled) - (1 << (mant + 1))
        s = 1 if n > 0 else -1
        return s * math.inf, s * int(min(beyond, 5) * 100)
    return math.copysign(math.ldexp(n, e - mant), v), int(mpmath.nint((scaled - n) * 100))


def to(x, d):
    """A Python float as one of d (to nearest), inf where it is beyond."""
    if d == "f64" or math.isinf(x) or math.isnan(x):
        return x
    return round_to(mpf(x), d)[0]


def step(x, n, d):
    """The n-th neighbour of x."""
    _, _, _, f, i, size = FORMAT[d]
    sign = 1 << (size * 4 - 1)
    u = struct.unpack(i, struct.pack(f, x))[0]
    k = (-(u - sign) if u & sign else u) + n
    u = sign - k if k < 0 else k
    return struct.unpack(f, struct.pack(i, u))[0]


def near(x, d, reach=2):
    x = to(float(x), d)
    return [step(x, n, d) for n in range(-reach, reach + 1)] if math.isfinite(x) else []


def anywhere(r, d):
    mant, emin, emax = FORMAT[d][:3]
    x = math.ldexp(r.uniform(1, 1.9), r.randint(emin - mant, emax))
    return to(r.choice((-1, 1)) * x, d)


def signed(xs):
    return [s * x for x in xs for s in (1, -1)]


def extremes(d):
    mant, emin, emax = FORMAT[d][:3]
    least, normal = math.ldexp(1.0, emin - mant), math.ldexp(1.0, emin)
    top = math.ldexp(2 - math.ldexp(1.0, -mant), emax)
    eps = math.ldexp(1.0, -mant)
    return signed([least, 3 * least, normal - least, normal, 1.5 * normal, top, eps, eps / 2, eps / 8,
                   math.ldexp(1.0, -mant // 2), math.ldexp(1.3, -mant // 3), 1.0])


def close_to_turns(d):
    """Arguments next to multiples of half pi: by continued fractions, for each exponent."""
    mant, _, emax = FORMAT[d][:3]
    out = []
    with mp.workprec(2600):
        for e in range(-mant, emax - mant + 1):
            x = mpmath.ldexp(2 / mp.pi, e)
            q0, q1, y = 1, 0, x
            best = None
            for _ in range(200):
                a = int(mpmath.floor(y))
                q0, q1 = a * q0 + q1, q0
                if q0 >= 1 << (mant + 1):
                    break
                best = q0
                y = 1 / (y - a)
            if best and best >= 1 << (mant - 4):
                v = mpmath.ldexp(best, e)
                err = abs(v * 2 / mp.pi - mpmath.nint(v * 2 / mp.pi))
                out.append((err, float(v)))
    out.sort()
    return [x for _, x in out]


TURNS = {}


def turns(d):
    if d not in TURNS:
        TURNS[d] = close_to_turns(d)
    return TURNS[d]


# ---- exact values --------------------------------------------------------------------------------


def x_exp(x):
    return TINY if x < -1200 else INF if x > 1200 else mp.exp(x)


def x_expm1(x):
    return mpf(-1) if x < -1200 else INF if x > 1200 else mp.expm1(x)


def x_sinh(x):
    return INF if x > 1200 else -INF if x < -1200 else mp.sinh(x)


def x_erfc(x):
    return TINY if x > 60 else mp.erfc(x)


def x_gamma(x):
    if x > 400:
        return INF
    if x < 0 and x == mpmath.floor(x):
        return mpf("nan")
    if x < -400:
        return TINY if int(mpmath.floor(x)) % 2 == 0 else -TINY
    return mp.gamma(x)


def x_lgamma(x):
    if x > 0:
        return mp.re(mp.loggamma(x))
    if x == mpmath.floor(x):
        return INF
    # log |pi / (sin(pi x) gamma(1 - x))|
    return mp.log(mp.pi) - mp.log(abs(mp.sinpi(x))) - mp.re(mp.loggamma(1 - x))


def x_sigmoid(x):
    if x < -1200:
        return TINY
    return mpf(1) if x > 1200 else 1 / (1 + mp.exp(-x))


def x_softplus(x):
    if x < -1200:
        return TINY
    return x if x > 1200 else mp.log1p(mp.exp(x))


def x_gelu(x):
    if x < -100:
        return -TINY
    return x if x > 100 else x * mp.erfc(-x / mp.sqrt(2)) / 2


def x_gelu_tanh(x):
    u = 2 * mp.sqrt(2 / mp.pi) * (x + mpf(float(0.044715)) * x ** 3)
    return x * x_sigmoid(u)


def x_pow(a, b):
    if b == 0 or a == 1:
        return mpf(1)
    n = b == mpmath.floor(b)
    if a < 0 and not n:
        return mpf("nan")
    s = -1 if a < 0 and n and int(b) % 2 else 1
    e = b * mp.log(abs(a))
    return s * (INF if e > 1200 else TINY if e < -1200 else mp.exp(e))


def x_logaddexp(a, b):
    m, n = max(a, b), min(a, b)
    if m - n > 4000:
        return m
    return mp.log(mp.exp(m) + mp.exp(n)) if abs(m) < 5000 else m + mp.log1p(mp.exp(n - m))


def x_sinc(x):
    return mpf(0) if x == mpmath.floor(x) else mp.sin(mp.pi * x) / (mp.pi * x)


def x_tan(x):
    return mp.sin(x) / mp.cos(x)


# name: (exact, domain, interval for uniform points, more points)
ANY = (-math.inf, math.inf)


def around(*xs):
    return lambda d: [y for x in xs for y in near(x, d)]


def ends(d, *more):
    """Where exp over- and underflows."""
    a, b = {"f32": (88.72283905206835, -103.97207708399179),
            "f64": (709.782712893384, -745.1332191019411)}[d]
    return [y for x in (a, b, a - 0.7, b / 1.19, a + 0.7, 1.0, 0.5, *more) for y in near(x, d)]


LN2 = math.log(2)
UNARY = {
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), ANY, (-30, 30), around(1, 8, 27)),
    "exp": (x_exp, ANY, (-20, 20), ends),
    "exp2": (lambda x: x_exp(x * mp.ln2), ANY, (-20, 20),
             lambda d: [y for x in ({"f32": (128, -149, -150, -126), "f64": (1024, -1074, -1075, -1022)}
                                    [d]) for y in near(x, d)]),
    "expm1": (x_expm1, ANY, (-3, 3), ends),
    "log": (mp.log, (0, math.inf), (0, 3), around(1, 0.5, 2, math.e, 0.7, 1.4)),
    "log2": (lambda x: mp.log(x) / mp.ln2, (0, math.inf), (0, 3), around(1, 0.5, 2, 8, 0.7, 1.4)),
    "log10": (lambda x: mp.log(x) / mp.ln10, (0, math.inf), (0, 3), around(1, 10, 0.1, 1000, 0.7)),
    "log1p": (mp.log1p, (-1, math.inf), (-1, 2), around(-1, -0.5, 1, 1e-8, -1e-8)),
    "sin": (mp.sin, ANY, (-10, 10), lambda d: turns(d)[:30]),
    "cos": (mp.cos, ANY, (-10, 10), lambda d: turns(d)[:30]),
    "tan": (x_tan, ANY, (-10, 10), lambda d: turns(d)[:30]),
    "asin": (mp.asin, (-1, 1), (-1, 1), around(1, -1, 0.5, 0.7071)),
    "acos": (mp.acos, (-1, 1), (-1, 1), around(1, -1, 0.5, 0.7071, 0)),
    "atan": (mp.atan, ANY, (-4, 4), around(1, 0.4142, 2.4142)),
    "sinh": (x_sinh, ANY, (-4, 4), lambda d: ends(d, 22)),
    "cosh": (lambda x: abs(x_sinh(x)) if abs(x) > 1100 else mp.cosh(x), ANY, (-4, 4), lambda d: ends(d, 22)),
    "tanh": (lambda x: mp.sign(x) if abs(x) > 1200 else mp.tanh(x), ANY, (-4, 4), around(9, 19, 0.55, 22)),
    "asinh": (lambda x: mp.sign(x) * mp.log(abs(x) + mp.sqrt(x * x + 1)), ANY, (-4, 4), around(1, 2.0**28)),
    "acosh": (mp.acosh, (1, math.inf), (1, 5), around(1, 1.0001, 2)),
    "atanh": (mp.atanh, (-1, 1), (-1, 1), around(1, -1, 0.5)),
    "erf": (lambda x: mp.sign(x) if abs(x) > 60 else mp.erf(x), ANY, (-4, 4), around(1, 0.84, 3.9, 5.9)),
    "erfc": (x_erfc, ANY, (-4, 10), lambda d: near(1, d) + near(10.05, d) + near(26.54, d) + near(27.2, d) +
             [to(x / 8, d) for x in range(60, 220)]),
    "gamma": (x_gamma, ANY, (-6, 8), lambda d: [y for x in
              (1, 2, -1, -2, -3.5, 35.04, 34, -33.5, -38.2, -41.3, 171.6243769, 170.5, -170.5, -171.5, -176.2, -183.4, 1.4616321)
              for y in near(x, d)]),
    "lgamma": (x_lgamma, ANY, (-6, 6), lambda d: [y for x in
               (1, 2, 1.4616321, 3, -2.4570247, -2.7476826, -3.1435808, -3.9552942, -0.5, -4.03936, -1, -2, 2.5e305, 1e36)
               for y in near(x, d)] + [to(m + k * 1e-3, d) for m in (1, 2) for k in range(-9, 10)]),
    "sqrt": (mp.sqrt, (0, math.inf), (0, 4), around(1, 2)),
    "reciprocal": (lambda x: 1 / x, ANY, (-4, 4), around(1, 3)),
    "degrees": (lambda x: x * 180 / mp.pi, ANY, (-7, 7), around(math.pi)),
    "radians": (lambda x: x * mp.pi / 180, ANY, (-400, 400), around(180)),
    "sinc": (x_sinc, ANY, (-5, 5),
             lambda d: [y for x in (0.5, 1, 2, 3, -1, 100, 1e-8, 1000003, 1e-4) for y in near(x, d)]),
    "sigmoid": (x_sigmoid, ANY, (-20, 20), ends),
    "silu": (lambda x: x * x_sigmoid(x), ANY, (-20, 20), ends),
    "softplus": (x_softplus, ANY, (-20, 20), ends),
    "gelu": (x_gelu, (-5, math.inf), (-5, 4), around(1)),
    "gelu_tanh": (x_gelu_tanh, (-3, math.inf), (-3, 4), around(1)),
}


def unary_points(name, d, n, r):
    exact, (lo, hi), (a, b), more = UNARY[name]
    xs = extremes(d) + more(d)
    while len(xs) < n:
        k = r.random()
        x = to(r.uniform(a, b), d) if k < 0.55 else anywhere(r, d)
        if k > 0.85:
            x = to(math.copysign(math.exp(r.uniform(-12, 7)), r.random() - 0.5), d)
        xs.append(x)
    return [(x,) for x in dict.fromkeys(xs) if lo <= x <= hi and math.isfinite(x) and x != 0]


def pairs_pow(d, n, r):
    top, bottom = (128, -149) if d == "f32" else (1024, -1074)
    out = []
    for a in (1.5, 0.1, 10.0, 1 + 2.0**-20, 1 - 2.0**-20, 0.9999, 2.0, 0.5, 7.0, 1e-30, 1e30, math.pi):
        for e in (top, bottom, top - 1, bottom + 24, 1, -1):
            b = e * LN2 / math.log(to(a, d))
            out += [(a, y) for y in near(b, d, 1)]
    for s in (2, 3, -1, 5, 0.5, 1.0 / 3, -2, 1, 4.5):
        out += [(x, s) for x in extremes(d)]
    while len(out) < n:
        k = r.random()
        a = math.exp(r.uniform(-5, 5)) if k < 0.5 else abs(anywhere(r, d)) if k < 0.8 else 1 + r.uniform(-1, 1) * 2.0**-r.randint(4, 22)
        a = to(a, d)
        if a <= 0 or a == 1:
            continue
        b = r.uniform(bottom, top) * LN2 / math.log(a) if r.random() < 0.8 else r.uniform(-3, 3)
        if r.random() < 0.1:
            a, b = -a, round(b)
        out.append((a, b))
    return out


def pairs_any(d, n, r):
    ex = extremes(d)
    out = [(x, y) for x in ex[::3] for y in ex[1::4]]
    while len(out) < n:
        k = r.random()
        a, b = anywhere(r, d), anywhere(r, d)
        if k < 0.3:
            a, b = r.uniform(-3, 3), r.uniform(-3, 3)
        elif k < 0.6: # of like size
            try:
                b = a * math.exp(r.uniform(-20, 20))
            except OverflowError:
                continue
        elif k < 0.7:
            b = a * r.choice((-1, 1)) * (1 + r.uniform(-1, 1) * 2.0**-r.randint(2, 22))
        out.append((a, b))
    return out


def pairs_logaddexp(d, n, r):
    out = [(x, y) for x in extremes(d)[::3] for y in extremes(d)[1::4]]
    while len(out) < n:
        k = r.random()
        p = r.random() if k < 0.25 else math.exp(-r.uniform(0, 30))
        a, b = to(math.log(p), d), to(math.log1p(-p), d) # e^a + e^b is about 1
        if k > 0.6:
            a = r.uniform(-3, 3) if k < 0.75 else anywhere(r, d)
            b = a + r.uniform(-40, 40)
        if k > 0.9:
            b = to(a, d) + r.choice((-1, 1)) * 2.0**-r.randint(1, 50)
        if k < 0.08:
            b = step(b, r.randint(-3, 3), d)
        if k > 0.97:
            a, b = -r.uniform(0, 1e-3), -r.uniform(10, 800 if d == "f64" else 100)
        if 0.3 < k < 0.45: # a tiny result: b = log(1 - e^a) for tiny a
            a = -math.exp(-r.uniform(1, 36 if d == "f64" else 16))
            a = to(a, d)
            b = float(mp.log(-mp.expm1(mpf(a))))
        out.append((a, b) if r.random() < 0.5 else (b, a))
    return out


BINARY = {
    "pow": (x_pow, pairs_pow),
    "atan2": (lambda a, b: mp.atan2(a, b), pairs_any),
    "hypot": (lambda a, b: mp.sqrt(a * a + b * b), pairs_any),
    "logaddexp": (x_logaddexp, pairs_logaddexp),
}


# ---- complex functions: exact values as pairs; what counts is the distance over the modulus ---------


def c_exp(z):
    return mp.exp(z.real) * mpmath.mpc(mp.cos(z.imag), mp.sin(z.imag))


def c_expm1(z):
    return mpmath.mpc(mp.expm1(z.real) * mp.cos(z.imag) - 2 * mp.sin(z.imag / 2) ** 2,
                      mp.exp(z.real) * mp.sin(z.imag))


def c_log1p(z):
    return mpmath.mpc(mp.log1p(z.real * 2 + z.real ** 2 + z.imag ** 2) / 2, mp.arg(1 + z))


COMPLEX = {
    "exp": (c_exp, 760), "exp2": (lambda z: c_exp(z * mp.ln2), 1100), "expm1": (c_expm1, 700),
    "log": (mp.log, None), "log2": (lambda z: mp.log(z) / mp.ln2, None),
    "log10": (lambda z: mp.log(z) / mp.ln10, None), "log1p": (c_log1p, None),
    "sqrt": (mp.sqrt, None), "sin": (mp.sin, 760), "cos": (mp.cos, 760),
    "tan": (lambda z: mp.sin(z) / mp.cos(z), 300),
    "asin": (mp.asin, None), "acos": (mp.acos, None), "atan": (mp.atan, None), "sinh": (mp.sinh, 760),
    "cosh": (mp.cosh, 760), "tanh": (lambda z: mp.sinh(z) / mp.cosh(z), 300), "asinh": (mp.asinh, None),
    "acosh": (mp.acosh, None), "atanh": (mp.atanh, None),
    "reciprocal": (lambda z: 1 / z, None), "abs": (abs, None),
}


def complex_points(d, n, r, limit):
    part = "f32" if d == "c64" else "f64"
    ones = [1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1e-3, -1e-3, 3.0]
    out = [(x, y) for x in ones for y in (1e-9, -1e-9, 1.0, -2.0)]
    while len(out) < n:
        k = r.random()
        x, y = r.uniform(-4, 4), r.uniform(-4, 4)
        if k < 0.3: # near one of 1, -1, i, -i, 0
            a, b = r.choice([(1, 0), (-1, 0), (0, 1), (0, -1), (0, 0)])
            x, y = (v + r.choice((-1, 1)) * 2.0**-r.randint(2, 30) for v in (a, b))
        elif k < 0.45: # near the unit circle
            t = r.uniform(-math.pi, math.pi)
            s = 1 + r.choice((-1, 1)) * 2.0**-r.randint(2, 60)
            x, y = s * math.cos(t), s * math.sin(t)
        elif k < 0.65:
            x, y = anywhere(r, part), anywhere(r, part)
        elif k < 0.75:
            x = anywhere(r, part)
            y = x * r.uniform(-3, 3)
        elif k < 0.85:
            most = 100 if d == "c64" else limit or 80
            x, y = r.uniform(-most, most), r.uniform(-80, 80)
            x, y = (x, y) if r.random() < 0.5 else (y, x)
        x, y = to(x, part), to(y, part)
        if not (math.isfinite(x) and math.isfinite(y)) or x == 0 or y == 0:
            continue
        if limit and max(abs(x), abs(y)) > limit:
            continue
        out.append((x, y))
    return [tuple(to(v, part) for v in p) for p in out]


def complex_lines(name, d, n):
    r = random.Random(f"{name} {d}")
    part = "f32" if d == "c64" else "f64"
    exact, limit = COMPLEX[name]
    with mp.workprec(2300 if part == "f64" else 400):
        for p in complex_points(d, n, r, limit):
            v = exact(mpmath.mpc(*p))
            ref, rest = zip(*(round_to(x, part) for x in (mp.re(v), mp.im(v))))
            yield (f"{d} {bits(p[0], part)} {bits(p[1], part)} {bits(ref[0], part)} "
                   f"{bits(ref[1], part)}")


def precision(name, d):
    if name in ("pow", "logaddexp", "sigmoid", "silu", "softplus", "acosh", "asinh"):
        return 1500 if d == "f64" else 400
    return 1400 if name in ("sin", "cos", "tan", "cosh", "sinc", "lgamma") and d == "f64" else 360


def lines(name, d, n):
    r = random.Random(f"{name} {d}")
    if name in UNARY:
        exact, points = UNARY[name][0], unary_points(name, d, n, r)
    else:
        exact, make = BINARY[name]
        points = [tuple(to(x, d) for x in p) for p in make(d, n, r)]
        points = [p for p in dict.fromkeys(points) if all(math.isfinite(x) for x in p)]
    with mp.workprec(precision(name, d)):
        for p in points:
            try:
                v = exact(*(mpf(x) for x in p))
            except (ZeroDivisionError, ValueError):
                continue # a pole
            if mpmath.isnan(v) or isinstance(v, mpmath.mpc):
                continue
            result, rest = round_to(v, d)
            yield f"{d} {' '.join(bits(x, d) for x in p)} {bits(result, d)} {rest}"


def main():
    directory, n = sys.argv[1], 170
    only = None
    for o, v in zip(sys.argv[2:], sys.argv[3:]):
        n = int(v) if o == "--points" else n
        only = v.split(",") if o == "--only" else only
    names = {**UNARY, **BINARY, **COMPLEX}
    os.makedirs(directory, exist_ok=True)
    for name in only or names:
        with open(os.path.join(directory, name + ".txt"), "w") as f:
            for d in FORMAT if name not in COMPLEX or name in UNARY else ():
                f.writelines(line + "\n" for line in lines(name, d, n))
            if name in COMPLEX:
                for d in ("c64", "c128"):
                    f.writelines(line + "\n" for line in complex_lines(name, d, n // 2))


if __name__ == "__main__":
    main()
