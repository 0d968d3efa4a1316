"""Arr beside NumPy on this machine: one row each of tests/bench/cpu.arr. Usage: cpu.py ARR"""
import subprocess
import sys
import time

import numpy as np

# How many times NumPy's speed is the goal.
GOALS = {"chain": 8, "sum": 1.8, "sumsqdiff": 4, "loop_6op_2000": 6, "pi": 5, "rand": 2.5,
         "randn": 4, "transpose": 8, "cumsum": 4, "standardize": 3, "matmul2000": 1, "start": 25}


def median(f, n=5):
    f()
    times = []
    for _ in range(n):
        begun = time.perf_counter()
        f()
        times.append((time.perf_counter() - begun) * 1e3)
    return float(np.median(times))


def numpy_rows():
    r = np.random.default_rng(1)
    n = 1 << 25
    a, b, c = (r.random(n, dtype=np.float32) for _ in range(3))
    m, x = a.reshape(4096, 8192), r.random((2000, 2000), dtype=np.float32)
    a1, b1 = a[:1000].copy(), b[:1000].copy()

    def steps():
        v = a1
        for _ in range(2000):
            v = (v * 0.999 + b1 * 0.001 - 0.5) * 1.0001 + 0.5

    def pi():
        u, v = r.random(n, dtype=np.float32), r.random(n, dtype=np.float32)
        return 4 * (u * u + v * v < 1).mean()
    return {
        "chain": lambda: np.sqrt(a * a + b * b) * np.exp(-c), "sum": lambda: a.sum(),
        "sumsqdiff": lambda: ((a - b) ** 2).sum(), "loop_6op_2000": steps, "pi": pi,
        "rand": lambda: r.random(n, dtype=np.float32),
        "randn": lambda: r.standard_normal(n, dtype=np.float32), "sum_axis0": lambda: m.sum(0),
        "sum_axis1": lambda: m.sum(1), "transpose": lambda: np.ascontiguousarray(m.T),
        "cumsum": lambda: np.cumsum(a), "standardize": lambda: (m - m.mean(0)) / m.std(0),
        "matmul2000": lambda: x @ x, "sort_2^24": lambda: np.sort(a[:1 << 24]),
    }


def process(*command):
    def f():
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return median(f, 9)


def show(name, arr, numpy):
    goal = GOALS.get(name)
    verdict = "" if goal is None else f"goal {goal}" if numpy / arr >= goal else f"goal {goal} MISSED"
    print(f"{name:16s} {arr:10.3f} {numpy:10.3f} {numpy / arr:8.2f}x  {verdict}", flush=True)


def main():
    arr = sys.argv[1]
    out = subprocess.run([arr, "--device", "cpu", "tests/bench/cpu.arr"], check=True,
                         capture_output=True, text=True).stdout
    rows = numpy_rows()
    print(f"{'':16s} {'arr ms':>10s} {'numpy ms':>10s}")
    for line in out.splitlines():
        name, ms = line.split(",")
        show(name, float(ms), median(rows[name]))
    show("start", process(arr, "--device", "cpu", "-e", "print(sum([1, 2, 3]))"),
         process(sys.executable, "-c", "import numpy; print(numpy.array([1, 2, 3]).sum())"))


if __name__ == "__main__":
    main()
