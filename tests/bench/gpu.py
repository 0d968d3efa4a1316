"""Arr beside its peers on one GPU: the rows of tests/bench/gpu.arr, each peer in a process of its own.

Usage: gpu.py ARR [--peers cupy,torch,compile,jax] [--only NAME,...]

Everything is timed one way, by the host's clock round a call and a synchronization, median of 9 after
warming up. A row's floor is its bytes over the copy rate that the first importable peer reaches in
this run (else Arr's own). A peer that cannot be imported is left out; one that fails says so."""
import json
import os
import subprocess
import sys
import time

PEERS = ("cupy", "torch", "compile", "jax")
N, SIDE = 1 << 28, 16384
ARRAY = 4 * N # bytes of the usual f32 array

# name: (bytes that have to move or None, goal in ms)
ROWS = {
    "copy": (2 * ARRAY, 0.50), "chain": (4 * ARRAY, 1.02), "add": (3 * ARRAY, 0.77),
    "sum": (ARRAY, 0.26), "sumsqdiff": (2 * ARRAY, 0.52), "sum axis 0": (ARRAY, 0.27),
    "sum axis 1": (ARRAY, 0.27), "argmax": (ARRAY, 0.27), "standardize": (3 * ARRAY, 0.80),
    "softmax": (2 * ARRAY, 0.56), "black_scholes f32": (20 << 26, 0.40),
    "black_scholes f64": (40 << 26, 1.0), "pi, 2^29 points": (None, 1.6), "rand": (ARRAY, 0.29),
    "randn": (ARRAY, 0.52), "cumsum": (2 * ARRAY, 0.65), "transpose": (2 * ARRAY, 0.56),
    "mask": (ARRAY * 3 // 2, 0.70), "sort": (None, 7.0), "6-op step, 2000 times": (None, 1.2),
    "matmul 8000": (None, 21.2), "matmul 500": (None, 0.027),
    "matmul 8000 high": (None, 9.0), "matmul 8000 medium": (None, 2.84),
}


def median(f, sync, n=9):
    for _ in range(3):
        f()
    sync()
    times = []
    for _ in range(n):
        begun = time.perf_counter()
        f()
        sync()
        times.append((time.perf_counter() - begun) * 1e3)
    return sorted(times)[n // 2]


def chain(xp):
    return lambda a, b, c: xp.sqrt(a * a + b * b) * xp.exp(-c)


def step(v, b):
    return (v * 0.999 + b * 0.001 - 0.5) * 1.0001 + 0.5


def steps(f, v, b):
    for _ in range(2000):
        v = f(v, b)
    return v


def black_scholes(xp, erf):
    def f(s, k, t):
        r, v = 0.02, 0.3
        d1 = (xp.log(s / k) + (r + v * v / 2) * t) / (v * xp.sqrt(t))
        d2 = d1 - v * xp.sqrt(t)
        price = s * 0.5 * (1 + erf(d1 * 0.7071067811865476)) - \
            k * xp.exp(-r * t) * 0.5 * (1 + erf(d2 * 0.7071067811865476))
        return price, price - s + k * xp.exp(-r * t)
    return f


def cupy_rows():
    import cupy as cp
    from cupyx.scipy.special import erf
    r = cp.random.default_rng(1)
    a, b, c = (r.random(N, dtype=cp.float32) for _ in range(3))
    m, out = a.reshape(SIDE, SIDE), cp.empty_like(a)
    x, y = (r.random((8000, 8000), dtype=cp.float32) for _ in range(2))
    p, q = x[:500, :500].copy(), y[:500, :500].copy()
    small = a[:1000].copy(), b[:1000].copy()
    s32 = [50 + 100 * a[:1 << 26], 50 + 100 * b[:1 << 26], 0.1 + c[:1 << 26]]
    s64 = [v.astype(cp.float64) for v in s32]

    def softmax():
        e = cp.exp(m - m.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def pi():
        u, v = (r.random(1 << 29, dtype=cp.float32) for _ in range(2))
        return 4 * (u * u + v * v < 1).mean()
    f = black_scholes(cp, erf)
    return cp.cuda.Device().synchronize, {
        "copy": lambda: cp.copyto(out, a), "chain": lambda: chain(cp)(a, b, c),
        "add": lambda: a + b, "sum": lambda: a.sum(), "sumsqdiff": lambda: ((a - b) ** 2).sum(),
        "sum axis 0": lambda: m.sum(0), "sum axis 1": lambda: m.sum(1),
        "argmax": lambda: a.argmax(), "standardize": lambda: (m - m.mean(0)) / m.std(0),
        "softmax": softmax, "black_scholes f32": lambda: f(*s32),
        "black_scholes f64": lambda: f(*s64), "pi, 2^29 points": pi,
        "rand": lambda: r.random(N, dtype=cp.float32),
        "randn": lambda: r.standard_normal(N, dtype=cp.float32), "cumsum": lambda: cp.cumsum(a),
        "transpose": lambda: cp.ascontiguousarray(m.T), "mask": lambda: a[a > 0.5],
        "sort": lambda: cp.sort(a), "6-op step, 2000 times": lambda: steps(step, *small),
        "matmul 8000": lambda: x @ y, "matmul 500": lambda: p @ q,
    }


def torch_rows(compiled):
    import torch
    torch.manual_seed(1)

    def rand(*shape):
        return torch.rand(*shape, device="cuda")
    a, b, c = (rand(N) for _ in range(3))
    m, out = a.view(SIDE, SIDE), torch.empty_like(a)
    x, y = rand(8000, 8000), rand(8000, 8000)
    p, q = x[:500, :500].contiguous(), y[:500, :500].contiguous()
    s32 = [50 + 100 * a[:1 << 26], 50 + 100 * b[:1 << 26], 0.1 + c[:1 << 26]]
    s64 = [v.double() for v in s32]
    sets = {
        "copy": (lambda: out.copy_(a), ()), "chain": (chain(torch), (a, b, c)),
        "add": (lambda a, b: a + b, (a, b)), "sum": (lambda a: a.sum(), (a,)),
        "sumsqdiff": (lambda a, b: ((a - b) ** 2).sum(), (a, b)),
        "sum axis 0": (lambda m: m.sum(0), (m,)), "sum axis 1": (lambda m: m.sum(1), (m,)),
        "argmax": (lambda a: a.argmax(), (a,)),
        "standardize": (lambda m: (m - m.mean(0)) / m.std(0, correction=0), (m,)),
        "softmax": (lambda m: torch.softmax(m, 1), (m,)),
        "black_scholes f32": (black_scholes(torch, torch.erf), s32),
        "black_scholes f64": (black_scholes(torch, torch.erf), s64),
        "pi, 2^29 points": (lambda: 4 * (rand(1 << 29) ** 2 + rand(1 << 29) ** 2 < 1).float().mean(),
                            ()),
        "rand": (lambda: rand(N), ()), "randn": (lambda: torch.randn(N, device="cuda"), ()),
        "cumsum": (lambda a: torch.cumsum(a, 0), (a,)),
        "transpose": (lambda m: m.T.contiguous(), (m,)), "mask": (lambda a: a[a > 0.5], (a,)),
        "sort": (lambda a: torch.sort(a)[0], (a,)),
        "matmul 8000": (lambda x, y: x @ y, (x, y)), "matmul 500": (lambda x, y: x @ y, (p, q)),
    }
    small = a[:1000].clone(), b[:1000].clone()
    one = torch.compile(step) if compiled else step
    rows = {"6-op step, 2000 times": lambda: steps(one, *small)}
    # what a compiler can gain from; the rest is the library's own
    gains = ("chain", "sumsqdiff", "standardize", "softmax", "black_scholes f32",
             "black_scholes f64", "pi, 2^29 points")
    for name, (f, given) in sets.items():
        if not compiled or name in gains:
            g = torch.compile(f) if compiled else f
            rows[name] = lambda g=g, given=given: g(*given)
    return torch.cuda.synchronize, rows


def jax_rows():
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    key = jax.random.key(1)

    def rand(k, *shape):
        return jax.random.uniform(k, shape, jnp.float32)
    a, b, c = (rand(k, N) for k in jax.random.split(key, 3))
    m = a.reshape(SIDE, SIDE)
    x, y = rand(key, 8000, 8000), rand(key, 8000, 8000)
    s32 = [50 + 100 * a[:1 << 26], 50 + 100 * b[:1 << 26], jnp.float32(0.1) + c[:1 << 26]]
    s64 = [v.astype(jnp.float64) for v in s32]
    small = a[:1000], b[:1000]
    f = black_scholes(jnp, jax.scipy.special.erf)

    def pi(k):
        u, v = (rand(i, 1 << 29) for i in jax.random.split(k))
        return 4 * (u * u + v * v < 1).mean()
    sets = {
        "chain": (chain(jnp), (a, b, c)), "add": (lambda a, b: a + b, (a, b)),
        "sum": (lambda a: a.sum(), (a,)), "sumsqdiff": (lambda a, b: ((a - b) ** 2).sum(), (a, b)),
        "sum axis 0": (lambda m: m.sum(0), (m,)), "sum axis 1": (lambda m: m.sum(1), (m,)),
        "argmax": (lambda a: a.argmax(), (a,)),
        "standardize": (lambda m: (m - m.mean(0)) / m.std(0), (m,)),
        "softmax": (lambda m: jax.nn.softmax(m, 1), (m,)), "black_scholes f32": (f, s32),
        "black_scholes f64": (f, s64), "pi, 2^29 points": (pi, (key,)),
        "rand": (lambda k: rand(k, N), (key,)), "cumsum": (jnp.cumsum, (a,)),
        "transpose": (lambda m: -m.T, (m,)), "sort": (jnp.sort, (a,)),
        "matmul 8000": (lambda x, y: x @ y, (x, y)),
        "matmul 500": (lambda x, y: x @ y, (x[:500, :500], y[:500, :500])),
        "6-op step, 2000 times": (lambda v, b: jax.lax.fori_loop(
            0, 2000, lambda _, v: step(v, b), v), small),
    }
    rows = {}
    for name, (g, given) in sets.items():
        jitted = jax.jit(g)
        rows[name] = lambda jitted=jitted, given=given: jax.block_until_ready(jitted(*given))
    return lambda: None, rows


def peer(name, only):
    """In a process of its own: one JSON object a row."""
    sync, rows = {"cupy": cupy_rows, "torch": lambda: torch_rows(False),
                  "compile": lambda: torch_rows(True), "jax": jax_rows}[name]()
    for row in ROWS:
        if row not in rows or (only and row not in only):
            continue
        try:
            print(json.dumps([row, median(rows[row], sync)]), flush=True)
        except Exception as e: # a peer's failure is a result as well
            print(json.dumps([row, type(e).__name__]), flush=True)


def option(argv, name, otherwise):
    return [v for v in argv[argv.index(name) + 1].split(",") if v] if name in argv else otherwise


def main():
    argv = sys.argv[1:]
    only = option(argv, "--only", [])
    if argv[0] == "--peer":
        return peer(argv[1], only)
    peers, table = option(argv, "--peers", PEERS), {row: {} for row in ROWS}
    columns = ["arr"]
    out = subprocess.run([argv[0], "--device", "cuda", "tests/bench/gpu.arr"], check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        name, ms = line.rsplit(",", 1)
        table.setdefault(name, {})["arr"] = float(ms)
    for p in peers:
        run = subprocess.run([sys.executable, "-W", "ignore", __file__, "--peer", p] +
                             (["--only", ",".join(only)] if only else []),
                             capture_output=True, text=True)
        rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("[")]
        if not rows:
            print(f"{p}: {(run.stderr.strip().splitlines() or ['no result'])[-1]}")
            continue
        columns.append(p)
        for row, ms in rows:
            table[row][p] = ms
    copies = [v for v in table["copy"].values() if isinstance(v, float)]
    rate = ROWS["copy"][0] / min(copies) # bytes a millisecond
    print(f"copy rate {rate / 1e6:.0f} GB/s; ms, and Arr's speed as a multiple of the fastest peer's")
    print(f"{'':24s}{'floor':>9s}" + "".join(f"{c:>10s}" for c in columns) +
          f"{'ratio':>8s}{'goal':>9s}")
    for row, cells in table.items():
        if only and row not in only:
            continue
        moved, goal = ROWS.get(row, (None, None))
        text = f"{row:24s}" + (f"{moved / rate:9.3f}" if moved else " " * 9)
        for c in columns:
            v = cells.get(c, "")
            text += f"{v:10.4f}" if isinstance(v, float) else f"{v[:9]:>10s}"
        mine = cells.get("arr")
        others = [v for c, v in cells.items() if c != "arr" and isinstance(v, float)]
        text += f"{min(others) / mine:8.2f}" if others and mine else " " * 8
        if goal:
            text += f"{goal:9.3f}" + ("" if mine and mine <= goal else "  MISSED")
        print(text, flush=True)


if __name__ == "__main__":
    main()
