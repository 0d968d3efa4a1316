"""What the examples must print, computed with NumPy. Usage: oracle.py NAME -> the lines on stdout.

Figures come from NumPy alone, never from Arr; random words are made here by their definition.
"""
import math
import os
import sys

import numpy as np

DATA = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "data")


def show(a):
    return str(a).replace("True", "true").replace("False", "false")


def iris_kmeans():
    data = np.loadtxt(os.path.join(DATA, "iris.csv"), delimiter=",", skiprows=1)
    x, species = data[:, :4], data[:, 4].astype(int)
    centers, steps = x[[0, 50, 100]], 0
    while True:
        before = centers
        label = ((x[:, None, :] - centers) ** 2).sum(-1).argmin(1)
        centers = np.array([x[label == k].mean(0) for k in range(3)])
        steps += 1
        if np.allclose(centers, before, rtol=0, atol=1e-12):
            break
    inertia = ((x - centers[label]) ** 2).sum()
    print(f"steps {steps}")
    print("cluster sizes", show(np.bincount(label)))
    print(f"inertia {inertia:.6f}")
    print(f"agreement with species {(label == species).mean():.4f}")


def digits_pca():
    x = np.loadtxt(os.path.join(DATA, "digits.csv"), delimiter=",")[:, :64]
    w = np.linalg.eigvalsh(np.cov(x.T))[::-1]
    for k in range(3):
        print(f"component {k + 1}: variance {w[k]:.4f}, share {w[k] / w.sum():.4f}")


def digits_knn():
    data = np.loadtxt(os.path.join(DATA, "digits.csv"), delimiter=",")
    x, y = data[:, :64], data[:, 64].astype(int)
    d = ((x[1000:, None, :] - x[None, :1000, :]) ** 2).sum(-1)
    right = y[:1000][d.argmin(1)] == y[1000:]
    print(f"accuracy {right.mean():.4f} ({right.sum()} of {len(right)})")
    for k in range(10):
        of_k = y[1000:] == k
        print(k, (right & of_k).sum(), "of", of_k.sum())


def heat():
    u = np.zeros((64, 64))
    u[0] = 1
    for _ in range(500):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    print(f"mean temperature {u.mean():.9f}")
    print("centre column", show(u[::8, 32]))


def mandelbrot():
    w, h = 72, 28
    cr, ci = np.linspace(-2.1, 0.7, w), np.linspace(-1.2, 1.2, h)[:, None]
    x, y, count = np.zeros((h, w)), np.zeros((h, w)), np.zeros((h, w), int)
    for _ in range(60):
        inside = x * x + y * y <= 4
        count += inside
        x, y = np.where(inside, x * x - y * y + cr, x), np.where(inside, 2 * x * y + ci, y)
    for row in count:
        print("".join(" .:-=+*#%@"[min(c * 9 // 60, 9)] for c in row))
    print("points that stayed:", (count == 60).sum(), "turns in all:", count.sum())


def mix64(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
    return z ^ (z >> 31)


def philox_words(key, n):
    """Words 0..n-1 of the stream with this 64-bit key, as Arr defines them."""
    q = np.arange((n + 3) // 4, dtype=np.uint64)
    mask = np.uint64(0xFFFFFFFF)
    c = [q // np.uint64(65536), np.zeros_like(q), q % np.uint64(65536), np.zeros_like(q)]
    k0, k1 = np.uint64(key & 0xFFFFFFFF), np.uint64(key >> 32)
    for _ in range(10):
        p, r = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(r >> np.uint64(32)) ^ c[1] ^ k0, r & mask, (p >> np.uint64(32)) ^ c[3] ^ k1, p & mask]
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & mask, (k1 + np.uint64(0xBB67AE85)) & mask
    return np.stack(c, axis=1).ravel()[:n]


def rand(s, k, n):
    key = mix64((mix64(s) + k * 0x9E3779B97F4A7C15) & (2**64 - 1))
    w = philox_words(key, 2 * n)
    return (((w[1::2] << np.uint64(32)) | w[0::2]) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def pi():
    n = 2000000
    x, y = rand(42, 0, n), rand(42, 1, n)
    inside = int((x * x + y * y < 1).sum())
    print(f"{inside} of {n} inside, pi is about {4 * inside / n:.6f}")


def black_scholes():
    n = 100001
    s = np.linspace(50, 150, n)
    erfc = np.vectorize(math.erfc)
    cdf = lambda x: 0.5 * erfc(-x / math.sqrt(2))
    k, t, r, v = 100.0, 1.0, 0.02, 0.3
    d1 = (np.log(s / k) + (r + 0.5 * v * v) * t) / (v * math.sqrt(t))
    d2 = d1 - v * math.sqrt(t)
    call = s * cdf(d1) - k * math.exp(-r * t) * cdf(d2)
    put = k * math.exp(-r * t) * cdf(-d2) - s * cdf(-d1)
    print(f"mean call {call.mean():.9f}, mean put {put.mean():.9f}")
    print(f"at the money {call[n // 2]:.9f} {put[n // 2]:.9f}")
    print("parity holds true")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
