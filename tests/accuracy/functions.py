"""Elementary functions against exact values. Usage: functions.py ARR [options for arr] [--tables DIR]
[--worst]. Last line: "N passed, N failed, N skipped"; with --worst the largest error of each.

Points are those of NumPy's umath validation sets, read from the installed package, and those of
tables/*.txt (tests/gen/accuracy.py). f32 and f64 must lie within 2 units in the last place of the
exact value (functions composed in the library: within what their help states)."""
import glob
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "parity"))
import oracle as o  # noqa: E402

UINT = {"f32": np.uint32, "f64": np.uint64}
BOUND = 2.0
# Stated in the functions' help.
BOUNDS = {"sigmoid": 3, "silu": 4, "softplus": 3}
COMPLEX_BOUND = 4 # of the larger part's units
NAMES = {"arccos": "acos", "arcsin": "asin", "arctan": "atan", "arccosh": "acosh",
         "arcsinh": "asinh", "arctanh": "atanh"}
CALLS = {"gelu_tanh": 'gelu({}, approx="tanh")'}


def call(name, names):
    return CALLS.get(name, name + "({})").format(", ".join(names))


def tables(directory):
    """(label, function, dtype, arguments, rounded results, rest in units)"""
    for path in sorted(glob.glob(os.path.join(directory, "*.txt"))):
        name = os.path.basename(path)[:-4]
        rows = [line.split() for line in open(path)]
        for d in UINT:
            mine = [r[1:] for r in rows if r[0] == d]
            if not mine:
                continue
            cols = list(zip(*mine))
            args = [np.array([int(v, 16) for v in c], UINT[d]).view(o.NP[d]) for c in cols[:-2]]
            ref = np.array([int(v, 16) for v in cols[-2]], UINT[d]).view(o.NP[d])
            yield f"{name} {d}", name, d, args, ref, np.array(cols[-1], float) / 100


def pairs(re, im, d):
    z = np.empty(len(re), o.NP[d])
    z.real, z.imag = re, im
    return z


def complex_tables(directory):
    """(label, function, dtype, [argument], results)"""
    for path in sorted(glob.glob(os.path.join(directory, "*.txt"))):
        name = os.path.basename(path)[:-4]
        rows = [line.split() for line in open(path)]
        for d, part in (("c64", "f32"), ("c128", "f64")):
            mine = [[int(v, 16) for v in r[1:]] for r in rows if r[0] == d]
            if mine:
                v = np.array(mine, UINT[part]).view(o.NP[part])
                yield f"{name} {d}", name, d, [pairs(v[:, 0], v[:, 1], d)], pairs(v[:, 2], v[:, 3], d)


def complex_errors(got, ref, d):
    """Distances in units of the larger part."""
    part = "f32" if d == "c64" else "f64"
    big = np.maximum(np.abs(ref.real), np.abs(ref.imag))
    unit = np.spacing(np.where(np.isfinite(big), big, 1).astype(o.NP[part])).astype(float)
    e = 0
    for g, r in ((got.real, ref.real), (got.imag, ref.imag)):
        diff = np.where(g == r, 0, np.abs(g.astype(float) - r.astype(float)))
        e = np.maximum(e, diff / unit)
    return np.where(np.isnan(e), np.inf, e)


def umath():
    """NumPy's sets hold results rounded to nearest: the exact value is within half a unit."""
    package = os.path.join(os.path.dirname(np.__file__), "_core", "tests", "data")
    for path in sorted(glob.glob(os.path.join(package, "umath-validation-set-*.csv"))):
        name = os.path.basename(path)[len("umath-validation-set-"):-4]
        rows = [line.split(",") for line in open(path) if line.startswith("np.float")]
        for d, t in (("f32", "np.float32"), ("f64", "np.float64")):
            mine = [r for r in rows if r[0] == t]
            x, ref = (np.array([int(r[k], 16) for r in mine], UINT[d]).view(o.NP[d])
                      for k in (1, 2))
            name = NAMES.get(name, name)
            yield f"{name} {d} umath", name, d, [x], ref, np.zeros(len(ref))


def errors(got, ref, rest, d):
    """In units of the last place; nan where only one is nan."""
    steps = (o.ordered(got, d) - o.ordered(ref, d)).astype(float) - rest
    steps = np.where(got == ref, -rest * np.isfinite(ref), steps)
    nan = np.isnan(got) != np.isnan(ref)
    return np.where(np.isnan(got) & np.isnan(ref), 0, np.where(nan, np.inf, np.abs(steps)))


def allowed(name, d, args, ref):
    bound = np.full(ref.shape, BOUNDS.get(name, BOUND))
    if name == "lgamma": # below 0: or 4 eps absolute
        unit = np.spacing(np.abs(ref)).astype(float)
        eps = 2.0 ** -o.FORMAT[d][0]
        bound = np.where(args[0] < 0, np.maximum(bound, 4 * eps / unit), bound)
    if name.startswith("gelu"): # the exponential's argument is about its square
        x = np.abs(args[0].astype(float))
        bound = np.where(args[0] < 0, 4 + x * x * (2 if name == "gelu" else 6), 4)
    return bound


def main():
    argv = sys.argv[1:]
    arr, directory, worst, options = argv[0], os.path.join(HERE, "tables"), False, []
    i = 1
    while i < len(argv):
        if argv[i] == "--tables":
            i += 1
            directory = argv[i]
        elif argv[i] == "--worst":
            worst = True
        else:
            options.append(argv[i])
        i += 1
    score, cases, program = o.Score(), [*umath(), *tables(directory)], []
    complexes = [*complex_tables(directory)]
    with tempfile.TemporaryDirectory() as tmp, np.errstate(all="ignore"):
        for k, (label, name, d, args, ref, rest) in enumerate(cases):
            names = []
            for j, a in enumerate(args):
                np.save(os.path.join(tmp, f"x{k}_{j}.npy"), a)
                names.append(f'load("x{k}_{j}.npy")')
            program.append(f'save("r{k}.npy", {call(name, names)})')
        for k, (label, name, d, args, ref) in enumerate(complexes):
            np.save(os.path.join(tmp, f"c{k}.npy"), args[0])
            call_ = call(name, [f'load("c{k}.npy")'])
            program.append(f'save("c{k}r.npy", {call_})')
        rc, out, err = o.run(arr, "\n".join(program) + "\n", tmp, options)
        score.check(rc == 0, f"functions: exit status {rc}: {out} {err}")
        for k, (label, name, d, args, ref, rest) in enumerate(cases):
            path = os.path.join(tmp, f"r{k}.npy")
            if not os.path.exists(path):
                score.check(False, f"{label}: no result")
                continue
            got = np.load(path)
            e = errors(got, ref, rest, d)
            over = e - allowed(name, d, args, ref) > 0 if "umath" not in label else e > 2.5
            if name != "sinc": # a whole number's is an exact zero of either sign
                over |= (got == 0) & (ref == 0) & (np.signbit(got) != np.signbit(ref))
            for j in range(len(e)):
                score.check(not over[j], f"{label}({', '.join(str(a[j]) for a in args)}) = {got[j]}, "
                            f"not {ref[j]}: {e[j]:.2f} units")
            if worst:
                j = int(np.argmax(e))
                print(f"{label:24} {len(e):5} {e[j]:10.2f}  over {np.count_nonzero(over):4}  at "
                      f"{', '.join(repr(a[j]) for a in args)}")
        for k, (label, name, d, args, ref) in enumerate(complexes):
            got = np.load(os.path.join(tmp, f"c{k}r.npy"))
            e = complex_errors(got, ref, d)
            over = e > COMPLEX_BOUND
            for j in range(len(e)):
                score.check(not over[j], f"{label}({args[0][j]}) = {got[j]}, not {ref[j]}: "
                            f"{e[j]:.2f} units")
            if worst:
                j = int(np.argmax(e))
                print(f"{label:24} {len(e):5} {e[j]:10.2f}  over {np.count_nonzero(over):4}  at "
                      f"{args[0][j]!r}: {got[j]} {ref[j]}")
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
