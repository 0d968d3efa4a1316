"""Special cases of elementwise functions as tables: signed zeros, infinities, nan, ends of ranges.
Usage: special.py ARR [options]. Last line: "N passed, N failed, N skipped".

TABLES holds the lines of the array API standard with NumPy's answers where it leaves a choice, one
"arguments -> result" each; p stands for a positive finite number, n for its negative, and so on
(NAMED). Each is tested on f16, bf16, f32 and f64. Then NumPy itself on the grid of all pairs."""
import itertools
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "parity"))
import oracle as o  # noqa: E402

INF, NAN = float("inf"), float("nan")
NAMED = {
    "p": [0.5, 1.0, 2.0, 3.0, 100.0], "n": [-0.5, -1.0, -2.0, -3.0, -100.0], "f": [-2.0, 0.5, 3.0],
    "odd": [1.0, 3.0, 7.0], "-odd": [-1.0, -3.0, -7.0], "even": [2.0, 4.0, 0.5, 2.5],
    "-even": [-2.0, -4.0, -0.5, -2.5], "big": [1.5, 2.0, -2.0, -100.0], "small": [0.5, -0.5, 0.25],
    "one": [1.0, -1.0], "any": [0.0, -0.0, 1.0, -2.5, INF, -INF, NAN], "frac": [0.5, -0.5, 2.5],
    "x": [0.5, -2.0, INF, -INF, NAN], "real": [0.0, -0.0, 1.0, -2.0, INF, -INF],
    "half": [0.5], "0": [0.0], "-0": [-0.0], "1": [1.0], "-1": [-1.0], "inf": [INF], "-inf": [-INF],
    "nan": [NAN],
}
TABLES = {
    "{} // {}": """
        nan any -> nan; any nan -> nan; inf inf -> nan; inf -inf -> nan; -inf inf -> nan
        -inf -inf -> nan; 0 0 -> nan; 0 -0 -> nan; -0 0 -> nan; -0 -0 -> nan
        0 p -> 0; -0 p -> -0; 0 n -> -0; -0 n -> 0; p 0 -> inf; p -0 -> -inf; n 0 -> -inf
        n -0 -> inf; inf f -> nan; -inf f -> nan; inf 0 -> inf; inf -0 -> -inf; -inf 0 -> -inf
        p inf -> 0; n -inf -> 0; n inf -> -1; p -inf -> -1; 0 inf -> 0; -0 inf -> -0""",
    "{} % {}": """
        nan any -> nan; any nan -> nan; inf any -> nan; -inf any -> nan; real 0 -> nan
        real -0 -> nan; 0 p -> 0; -0 p -> 0; 0 n -> -0; -0 n -> -0; 0 inf -> 0; 0 -inf -> -0
        p inf -> a; n -inf -> a; p -inf -> -inf; n inf -> inf; inf inf -> nan; -inf inf -> nan""",
    "{} ** {}": """
        any 0 -> 1; any -0 -> 1; 1 any -> 1; nan x -> nan; p nan -> nan; n nan -> nan; 0 nan -> nan
        inf nan -> nan; big inf -> inf; big -inf -> 0; one inf -> 1; one -inf -> 1; small inf -> 0
        small -inf -> inf; inf p -> inf; inf inf -> inf; inf n -> 0; inf -inf -> 0; -inf odd -> -inf
        -inf even -> inf; -inf inf -> inf; -inf -odd -> -0; -inf -even -> 0; -inf -inf -> 0
        0 p -> 0; 0 inf -> 0; 0 n -> inf; 0 -inf -> inf; -0 odd -> -0; -0 even -> 0; -0 inf -> 0
        -0 -odd -> -inf; -0 -even -> inf; -0 -inf -> inf; n frac -> nan; -inf half -> inf
        -0 half -> 0""",
    "{} / {}": """
        nan any -> nan; any nan -> nan; inf inf -> nan; inf -inf -> nan; -inf inf -> nan; 0 0 -> nan
        -0 0 -> nan; 0 -0 -> nan; 0 p -> 0; -0 p -> -0; 0 n -> -0; -0 n -> 0; p 0 -> inf
        p -0 -> -inf; n 0 -> -inf; n -0 -> inf; inf p -> inf; inf n -> -inf; -inf p -> -inf
        -inf n -> inf; inf 0 -> inf; -inf 0 -> -inf; p inf -> 0; p -inf -> -0; n inf -> -0
        n -inf -> 0""",
    "atan2({}, {})": """
        nan any -> nan; any nan -> nan; p 0 -> pi/2; p -0 -> pi/2; 0 p -> 0; 0 0 -> 0; 0 -0 -> pi
        0 n -> pi; -0 p -> -0; -0 0 -> -0; -0 -0 -> -pi; -0 n -> -pi; n 0 -> -pi/2; n -0 -> -pi/2
        p inf -> 0; p -inf -> pi; n inf -> -0; n -inf -> -pi; inf f -> pi/2; -inf f -> -pi/2
        inf inf -> pi/4; inf -inf -> 3pi/4; -inf inf -> -pi/4; -inf -inf -> -3pi/4; 0 inf -> 0
        0 -inf -> pi""",
    "hypot({}, {})": """
        inf any -> inf; -inf any -> inf; any inf -> inf; any -inf -> inf; nan f -> nan; f nan -> nan
        0 p -> b; -0 p -> b; p 0 -> a; p -0 -> a; 0 0 -> 0; -0 -0 -> 0""",
    "maximum({}, {})": "nan any -> nan; any nan -> nan; inf real -> inf; p n -> a; n p -> b",
    "minimum({}, {})": "nan any -> nan; any nan -> nan; -inf real -> -inf; p n -> b; n p -> a",
    "fmax({}, {})": "nan real -> b; real nan -> a; nan nan -> nan; p n -> a",
    "fmin({}, {})": "nan real -> b; real nan -> a; nan nan -> nan; p n -> b",
    "fmod({}, {})": """
        nan any -> nan; any nan -> nan; inf any -> nan; real 0 -> nan; real -0 -> nan; 0 p -> 0
        -0 p -> -0; 0 n -> 0; p inf -> a; n inf -> a; p -inf -> a""",
    "copysign({}, {})": "nan any -> nan; p n -> -a; n p -> -a; p -0 -> -a; p 0 -> a; 0 n -> -0; -0 p -> 0",
    "logaddexp({}, {})": """
        nan any -> nan; any nan -> nan; inf real -> inf; real inf -> inf; -inf -inf -> -inf
        -inf f -> b; f -inf -> a""",
    "sign({})": "nan -> nan; 0 -> 0; -0 -> 0; p -> 1; n -> -1; inf -> 1; -inf -> -1",
    "round({})": "nan -> nan; 0 -> 0; -0 -> -0; half -> 0; inf -> inf; -inf -> -inf",
    "round(-{})": "half -> -0; 1 -> -1",
    "floor({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> -inf; half -> 0",
    "ceil({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> -inf; half -> 1",
    "trunc({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> -inf; half -> 0",
    "ceil(-{})": "half -> -0",
    "trunc(-{})": "half -> -0",
    "abs({})": "nan -> nan; -0 -> 0; -inf -> inf; n -> -a",
    "clip({}, 0, 1)": "nan -> nan; inf -> 1; -inf -> 0; half -> a",
    "clip(1, {}, 2)": "nan -> nan; half -> 1",
    "clip(1, 0, {})": "nan -> nan; half -> a",
    "exp({})": "nan -> nan; 0 -> 1; -0 -> 1; inf -> inf; -inf -> 0",
    "exp2({})": "nan -> nan; 0 -> 1; -0 -> 1; inf -> inf; -inf -> 0",
    "expm1({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> -1",
    "log({})": "nan -> nan; n -> nan; 0 -> -inf; -0 -> -inf; 1 -> 0; inf -> inf; -inf -> nan",
    "log2({})": "nan -> nan; n -> nan; 0 -> -inf; -0 -> -inf; 1 -> 0; inf -> inf; -inf -> nan",
    "log10({})": "nan -> nan; n -> nan; 0 -> -inf; -0 -> -inf; 1 -> 0; inf -> inf; -inf -> nan",
    "log1p({})": "nan -> nan; -1 -> -inf; 0 -> 0; -0 -> -0; inf -> inf; -inf -> nan",
    "sqrt({})": "nan -> nan; n -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> nan; 1 -> 1",
    "cbrt({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> -inf; 1 -> 1",
    "sin({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> nan; -inf -> nan",
    "cos({})": "nan -> nan; 0 -> 1; -0 -> 1; inf -> nan; -inf -> nan",
    "tan({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> nan; -inf -> nan",
    "asin({})": "nan -> nan; 0 -> 0; -0 -> -0; big -> nan; inf -> nan; 1 -> pi/2; -1 -> -pi/2",
    "acos({})": "nan -> nan; 1 -> 0; -1 -> pi; big -> nan; inf -> nan; 0 -> pi/2",
    "atan({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> pi/2; -inf -> -pi/2; 1 -> pi/4",
    "sinh({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> -inf",
    "cosh({})": "nan -> nan; 0 -> 1; -0 -> 1; inf -> inf; -inf -> inf",
    "tanh({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> 1; -inf -> -1",
    "asinh({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> -inf",
    "acosh({})": "nan -> nan; 1 -> 0; small -> nan; n -> nan; inf -> inf; -inf -> nan; 0 -> nan",
    "atanh({})": "nan -> nan; 0 -> 0; -0 -> -0; 1 -> inf; -1 -> -inf; big -> nan; inf -> nan",
    "erf({})": "nan -> nan; 0 -> 0; -0 -> -0; inf -> 1; -inf -> -1",
    "erfc({})": "nan -> nan; 0 -> 1; inf -> 0; -inf -> 2",
    "gamma({})": "nan -> nan; 0 -> inf; -0 -> -inf; -1 -> nan; inf -> inf; -inf -> nan; 1 -> 1",
    "lgamma({})": "nan -> nan; 0 -> inf; -0 -> inf; -1 -> inf; inf -> inf; -inf -> inf; 1 -> 0",
    "sinc({})": "nan -> nan; 0 -> 1; -0 -> 1",
    "reciprocal({})": "nan -> nan; 0 -> inf; -0 -> -inf; inf -> 0; -inf -> -0",
    "sigmoid({})": "nan -> nan; 0 -> a+1/2; inf -> 1; -inf -> 0",
    "relu({})": "nan -> nan; 0 -> 0; n -> 0; inf -> inf; -inf -> 0; p -> a",
    "softplus({})": "nan -> nan; inf -> inf; -inf -> 0",
    "float(signbit({}))": "nan -> 0; -0 -> 1; 0 -> 0; -inf -> 1; inf -> 0; n -> 1",
}
PI = np.pi
RESULT = {"0": 0.0, "-0": -0.0, "1": 1.0, "2": 2.0, "-1": -1.0, "inf": INF, "-inf": -INF, "nan": NAN,
          "pi": PI, "-pi": -PI, "pi/2": PI / 2, "-pi/2": -PI / 2, "pi/4": PI / 4, "-pi/4": -PI / 4,
          "3pi/4": 3 * PI / 4, "-3pi/4": -3 * PI / 4, "a+1/2": 0.5}
UNARY_NUMPY = {"sign": np.sign, "round": np.rint, "floor": np.floor, "ceil": np.ceil,
               "trunc": np.trunc, "abs": np.abs, "signbit": np.signbit, "sqrt": np.sqrt,
               "reciprocal": lambda x: type(x.flat[0])(1) / x, "isnan": np.isnan, "isinf": np.isinf}
BINARY_NUMPY = {"{} // {}": np.floor_divide, "{} % {}": np.remainder, "{} / {}": np.divide,
                "maximum({}, {})": np.maximum, "minimum({}, {})": np.minimum,
                "fmax({}, {})": np.fmax, "fmin({}, {})": np.fmin, "fmod({}, {})": np.fmod,
                "copysign({}, {})": np.copysign, "nextafter({}, {})": np.nextafter,
                "{} < {}": np.less, "{} == {}": np.equal, "{} >= {}": np.greater_equal,
                "{} * {}": np.multiply, "{} - {}": np.subtract}


def lines():
    """(expression, arguments, result)"""
    for expression, text in TABLES.items():
        for line in text.replace("\n", ";").split(";"):
            if not line.strip():
                continue
            left, right = line.split("->")
            names = left.split()
            for args in itertools.product(*(NAMED[n] for n in names)):
                if expression == "{} ** {}" and "nan" in names and (args[0] == 1 or args[1] == 0):
                    continue # the lines on 1 and on 0
                want = right.strip()
                value = {"a": args[0], "-a": -args[0]}.get(want)
                if want == "b":
                    value = args[1]
                yield expression, args, RESULT[want] if value is None else value


def differs(got, want, d, close):
    g, w = float(got), float(want)
    if w != w:
        return g == g
    if close and w not in (0.0, 1.0, -1.0) and abs(w) != INF:
        return abs(g - w) > 2 * abs(w) * 2.0 ** -o.FORMAT[d][0]
    return g != w or np.signbit(g) != np.signbit(w)


def zeros_agree(expression, got, want):
    """Of two zeros either is right; NumPy's nextafter differs between dtypes."""
    return expression[:4] in ("maxi", "mini", "fmax", "fmin", "next") and got == 0 and want == 0


def grid(d):
    mant, emin, emax = o.FORMAT[d]
    v = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 78.0, 0.1, 2.0**emin, 2.0 ** (emin - mant),
         2.0**emax, 2.0**emax * (2 - 2.0**-mant), INF]
    v += [6e-8, 1e15] if d in ("f32", "f64") else []
    return o.round_to(np.array(v + [-x for x in v] + [NAN]), d)


def main():
    arr, options, score = sys.argv[1], sys.argv[2:], o.Score()
    table = list(lines())
    with tempfile.TemporaryDirectory() as tmp, np.errstate(all="ignore"):
        program, checks = [], []

        def case(expression, d, args, wants, close):
            i = len(checks)
            names = []
            for j, a in enumerate(args):
                np.save(os.path.join(tmp, f"x{i}_{j}.npy"), a)
                file = f'load("x{i}_{j}.npy")'
                names.append(f"bf16({file})" if d == "bf16" else file)
            e = expression.format(*names)
            e = e.replace("clip(1, ", f"clip(ones({len(args[0])}, {d}), ") \
                .replace("float(signbit", "f32(signbit")
            program.append(f'save("r{i}.npy", {f"f32({e})" if d == "bf16" else e})')
            checks.append((expression, d, args, wants, close))

        for d in o.FLOATS:
            for expression, group in itertools.groupby(table, lambda t: t[0]):
                group = list(group)
                args = [o.round_to(np.array(c), d) for c in zip(*(g[1] for g in group))]
                case(expression, d, args, [g[2] for g in group], True)
            x = grid(d)
            a, b = np.repeat(x, len(x)), np.tile(x, len(x))
            for name, f in UNARY_NUMPY.items():
                if d != "bf16":
                    case(name + "({})", d, [x], f(x), False)
            for expression, f in BINARY_NUMPY.items():
                if d != "bf16":
                    case(expression, d, [a, b], f(a, b), False)
        rc, out, err = o.run(arr, "\n".join(program) + "\n", tmp, options)
        score.check(rc == 0, f"special: exit status {rc}: {out} {err}")
        for i, (expression, d, args, wants, close) in enumerate(checks):
            path = os.path.join(tmp, f"r{i}.npy")
            got = np.load(path) if os.path.exists(path) else [None] * len(wants)
            for k, want in enumerate(wants):
                bad = got[k] is None or (differs(got[k], want, d, close) and
                                         not zeros_agree(expression, got[k], want))
                given = ", ".join(repr(float(a[k])) for a in args)
                score.check(not bad, f"{expression} {d} of {given}: {got[k]}, not {want}")
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
