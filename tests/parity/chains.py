"""Rows whose reductions feed one another: fused as unfused, and a GPU as the CPU, bit for bit.

    chains.py ARR [--device cuda] [--dtype D] [--quick]

Row lengths stand around those at which a GPU's kernel changes: a chunk of 4096, what fits shared
memory with one value or two, blocks of 512 threads. Each result is boiled down to one number by its
bits, so that nothing but text is compared. Chains with exp or log are compared on one backend only:
their bits are not promised across. Last line: "N passed, N failed"."""
import os
import subprocess
import sys

HEAD = """
fn bits(y) {{
    b = bitcast(where(isnan(y), 0, y), {u}).ravel()
    return sum(i64(b) * (arange(b.size) * 2 + 1))
}}
seed(5)
x = eval({d}((rand({rows}, {n} + 3) - 0.5) * 4 * {scale})) # draws whose bits are promised
w = eval({d}(rand({n} + 3) + 0.5))
fn rows(f) = (f(x[:, :{n}]), f(x[:, 3:]), f(x[1:, 1:-2]))
"""
# name: (is it promised across backends?, function of rows)
CHAINS = {
    "standard": (True, "(v - mean(v, axis=1, keepdims=true)) / std(v, axis=1, keepdims=true)"),
    "shares": (True, "v / sum(abs(v), axis=1, keepdims=true)"),
    "range": (True, "(v - min(v, axis=1, keepdims=true)) / "
                    "(max(v, axis=1, keepdims=true) - min(v, axis=1, keepdims=true))"),
    "norm": (True, "layer_norm(v, weight=w[:v.shape[1]], bias=w[1:1 + v.shape[1]])"),
    "roots": (True, "sqrt(abs(v) / max(abs(v), axis=1, keepdims=true)) - "
                    "mean(sqrt(abs(v) / max(abs(v), axis=1, keepdims=true)), axis=1, keepdims=true)"),
    "mask": (True, "{d}(v > mean(v, axis=1, keepdims=true)) + "
                   "mean({d}(v > mean(v, axis=1, keepdims=true)), axis=1, keepdims=true)"),
    "zeros": (True, "({d}(trunc(v)) * -1) / (max(v, axis=1, keepdims=true) * {d}(0.3))"),
    "softmax": (False, "softmax(v, axis=1)"),
    "log_softmax": (False, "log_softmax(v, axis=1)"),
    "logsumexp": (False, "v - logsumexp(v, axis=1, keepdims=true)"),
}
LENGTHS = [256, 300, 1023, 4096, 4097, 9000, 14400, 16384, 24576, 28700, 29100, 49153, 57500, 58500,
           65540, 70000]
UNSIGNED = {"f16": "u16", "f32": "u32", "f64": "u64"}


def program(d, n, scale):
    rows = max(65, (1 << 17) // n + 2)
    text = HEAD.format(d=d, n=n, rows=rows, u=UNSIGNED[d], scale=scale)
    for name, (_, body) in CHAINS.items():
        text += "a, b, c = rows(fn(v) = " + body.format(d=d) + ")\n"
        text += f'print("{name}", bits(a), bits(b), bits(c))\n'
    return text


def run(arr, text, options, fuse="1"):
    r = subprocess.run([arr, *options, "-"], input=text, text=True, capture_output=True,
                       env=dict(os.environ, ARR_FUSE=fuse), check=False)
    return r.stdout.splitlines() + [x for x in r.stderr.splitlines() if "error" in x]


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def main():
    arr, quick = sys.argv[1], "--quick" in sys.argv
    device = option("--device", "cpu")
    passed = failed = 0
    only = option("--dtype", "")
    for d, scale in [("f32", 1), ("f64", 1), ("f16", 1), ("f32", 1e-30), ("f32", 1e25)]:
        if only not in ("", d):
            continue
        for n in LENGTHS[::3] if quick or scale != 1 else LENGTHS:
            text = program(d, n, scale)
            fused = run(arr, text, ["--device", device])
            others = {"unfused": run(arr, text, ["--device", device], fuse="0")}
            if device != "cpu":
                others["on the CPU"] = run(arr, text, ["--device", "cpu"])
            for how, lines in others.items():
                for name, (promised, _) in CHAINS.items():
                    if how != "unfused" and not promised:
                        continue
                    a, b = ([x for x in k if x.startswith(name + " ")] for k in (fused, lines))
                    if a == b and a:
                        passed += 1
                        continue
                    failed += 1
                    print(f"{d} * {scale}, rows of {n}, {name}: {a or fused[-1:]}, {how} "
                          f"{b or lines[-1:]}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
