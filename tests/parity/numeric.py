"""Builtins that make, reduce and scan arrays, and the elementwise ones with options, against NumPy.

    numeric.py ARR [--only TEXT] [options for arr]

As builtins.py: each line of CALLS is read by Arr and by Python. Last line: "N passed, N failed,
N skipped"."""
import sys

import numpy as np

import oracle as o
from calls import MOST, REAL, main

WIDE = ["f32", "f64", "c128"]


def each(name, args, axes=("", "axis=0", "axis=-1", "axis=(0, 1)", "axis=()", "axis=2", "keepdims=True",
                           "axis=0, keepdims=True", "where=b != 0", "axis=1, where=a != b",
                           "axis=(-1, 0), keepdims=True, where=b != 2", "axis=(0, 0)")):
    return "".join(f"{name}({', '.join(filter(None, [args, x]))})\n" for x in axes)


SHORT = ("", "axis=0", "axis=-1", "axis=(0, 1)", "axis=2", "keepdims=True", "axis=0, keepdims=True",
         "axis=(0, 0)")
ALONG = ("", "axis=0", "axis=-1", "axis=1", "axis=None", "axis=3")
NANS = "where(b == 2, nan, a)"

CALLS = [
    (MOST, None, each("sum", "a") + each("prod", "a") + each("mean", "a", SHORT) + each("any", "a") +
     each("all", "a") + each("count_nonzero", "a", SHORT) + """
mean(a, where=b != 0)
mean(a, axis=0, where=b != 2)
sum(a, dtype=f32)
sum(a, 0, f64)
sum(a, dtype=c128)
prod(a, axis=-1, dtype=f64)
mean(a, dtype=f64)
cumsum(a, dtype=f64)
var(a)
var(a, 0)
var(a, axis=(0, -1), ddof=1)
var(a, ddof=2, keepdims=True)
var(a, axis=-1, where=b != 2)
std(a)
std(a, axis=0, ddof=1, keepdims=True)
std(a, axis=-1, where=b != 2)
zeros_like(a)
ones_like(a, dtype=f32)
full_like(a, 1)
full_like(a, a)
copy(a)
array(a, dtype=c128)
diag(a)
diag(a, 1)
diag(a, k=-2)
tril(a)
tril(a, 1)
tril(a, k=-1)
triu(a)
triu(a, -1)
triu(a, k=5)
meshgrid(a, v)
meshgrid(a, v, indexing="ij")
meshgrid(a, b, v, sparse=True)
meshgrid(a)
conj(a)
real(a)
imag(a)
isnan(a)
isinf(a)
isfinite(a)
square(a)
average(a)
average(a, axis=0)
average(a, weights=abs(b) + 1)
average(a, axis=-1, weights=abs(b) + 1, keepdims=True)
average(a, axis=0, returned=True)
average(a, 1, (1.0, 2.0, 3.0))
average(a, axis=-1, weights=[1, 2, 3], returned=True)
average(a, axis=(0, 1), weights=abs(b) + 1)
average(a, weights=[1, 2])
where(b != 2, a, 1)
where(b != 2, a, b)
where(b != 2, a, v)
""" + each("cumsum", "a", ALONG) + each("cumprod", "a", ALONG)),
    (REAL, None, each("min", "a", SHORT) + each("max", "a", SHORT) + each("ptp", "a", SHORT) +
     each("argmin", "a", ("", "axis=0", "axis=-1", "axis=2", "axis=0, keepdims=True", "keepdims=True")) +
     each("argmax", "a", ("", "axis=0", "axis=-1", "axis=2", "axis=0, keepdims=True", "keepdims=True")) +
     each("median", "a", SHORT) + each("max", NANS, SHORT) + each("min", NANS, SHORT) + each("argmax", NANS, ("", "axis=0")) +
     each("argmin", NANS, ("", "axis=-1")) + """
minimum(a, b)
maximum(a, 3)
fmin(a, b)
fmax(a, v)
floor(a)
ceil(a)
trunc(a)
clip(a, 1, 4)
clip(a, None, 3)
clip(a, 2, None)
clip(a, b, 5)
clip(a, min=1)
clip(a, a_min=1, a_max=3)
clip(a, a_min=4, a_max=1)
"""),
    (["i8", "i64", "u8", "f32", "f64", "c64", "c128"], None, """
diff(a)
diff(a, 2)
diff(a, n=0)
diff(a, n=1, axis=0)
diff(a, axis=0, n=9)
diff(a, -1)
diff(a, axis=3)
diff(a, prepend=b)
diff(a, 2, 0, b, a)
trapezoid(a)
trapezoid(a, axis=0)
trapezoid(a, dx=0.5)
trapezoid(a, x=arange(3))
trapezoid(a, [0.0, 1.0, 4.0], axis=-1)
trapezoid(a, x=[1, 2])
nan_to_num(a)
reciprocal(a * 1.0 + 20)
"""),
    (["i64", "f32", "f64", "c128"], None, """
gradient(a)
gradient(a, 2.0)
gradient(a, axis=0)
gradient(a, axis=-1)
gradient(a, axis=(0, 1))
gradient(a, axis=(1, 0))
gradient(a, 1.0, 2.0)
gradient(a, 2, axis=0)
gradient(a, edge_order=2)
gradient(a, 0.5, edge_order=2, axis=-1)
gradient(a, [0.0, 1.0, 4.0], axis=-1)
gradient(a, [0.0, 1.0, 4.0], axis=-1, edge_order=2)
gradient(a, [0, 1, 4], axis=0)
gradient(a, 2.0, [0.0, 1.5, 2.0])
gradient(a, [0.0, 1.0], axis=-1)
gradient(a, 1, 2, 3, 4)
gradient(a, edge_order=3)
cov(a)
cov(a, b)
cov(a, rowvar=False)
cov(a, bias=True)
cov(a, ddof=0)
cov(a, None, True, False, 2)
cov(a, fweights=[1, 2, 3])
cov(a, aweights=[0.5, 1.0, 2.0])
cov(a, fweights=[1, 2, 3], aweights=[0.5, 1.0, 2.0])
cov(a, fweights=[1, 2, 3], aweights=[0.5, 1.0, 2.0], ddof=0)
cov(a, aweights=[1.0, -2.0, 1.0])
cov(a, fweights=[1.5, 2.0, 1.0])
cov(a, ddof=0.5)
corrcoef(a)
corrcoef(a, b)
corrcoef(a, rowvar=False)
"""),
    (["i64", "u8", "f16", "f32", "f64"], None, """
quantile(a, 0.3)
quantile(a, 0.5, axis=0)
quantile(a, [0.25, 0.75], axis=-1)
quantile(a, [[0.0, 0.1], [0.9, 1.0]])
quantile(a, [0.25, 0.5], axis=(0, 1), keepdims=True)
quantile(a, 0.5, keepdims=True)
quantile(a, (), axis=0)
quantile(a, 1.5)
quantile(a, -0.1)
quantile(a, nan)
percentile(a, 30)
percentile(a, [0, 50, 100], axis=0)
percentile(a, 101)
percentile(a, 40, axis=0, method="lower")
quantile(a, 0.4, method="lower")
quantile(a, 0.4, method="higher")
quantile(a, [0.3, 0.5], method="nearest")
quantile(a, [0.3, 0.5], method="nearest", axis=-1)
quantile(a, 0.4, method="midpoint", axis=0)
quantile(a, 0.4, method="none")
""" + "".join(f'quantile(a, [0.0, 0.13, 0.5, 0.77, 1.0], method="{m}", axis=-1)\n' for m in (
        "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
        "hazen", "weibull", "median_unbiased", "normal_unbiased")) + """
median(where(b == 2, nan, a * 1.0), axis=0)
median(where(b == 2, nan, a * 1.0), axis=-1, keepdims=True)
quantile(where(b == 2, nan, a * 1.0), [0.2, 0.8], axis=-1)
nanmedian(where(b == 2, nan, a * 1.0))
nanmedian(where(b == 2, nan, a * 1.0), axis=0)
nanmedian(where(b == 2, nan, a * 1.0), axis=-1, keepdims=True)
nanmedian(a, axis=0)
nanmedian(where(a < 99, nan, a * 1.0), axis=0)
"""),
    (["bool", "i32", "u8", "f16", "f32", "f64", "c128"], None, "".join(
        each(f, NANS, SHORT) for f in ("nansum", "nanmean", "nanvar", "nanstd")) + """
nansum(a)
nanmean(a, 0)
nansum(where(b == 2, nan, a), dtype=f64)
nanvar(where(b == 2, nan, a), ddof=1, axis=0)
nanstd(where(b == 2, nan, a), axis=-1, ddof=2)
nanmean(where(b == 2, nan, a), axis=0, where=b != 3)
nansum(where(a != 99, nan, a), axis=0)
nanmean(where(a != 99, nan, a), axis=0)
"""),
    (["bool", "i32", "u8", "f16", "f32", "f64"], None, each("nanmin", NANS, SHORT) +
     each("nanmax", NANS, SHORT) + """
nanmin(a, axis=0)
nanmax(where(a != 99, nan, a), axis=0)
nanmin(where(a != 99, nan, a))
"""),
    (WIDE, None, """
diff(a, prepend=0)
diff(a, append=1)
diff(a, axis=0, prepend=1, append=2)
trapezoid(a, b, axis=0)
norm(a)
norm(a, 2, axis=0)
norm(a, ord=0.5, axis=-1)
norm(a, -2, axis=0)
norm(a, 2)
norm(a, -2)
norm(a, "nuc")
norm(a, "nuc", axis=(0, 1), keepdims=True)
norm(a, 2, axis=(0, 1))
norm(a, inf, axis=(0, -1))
norm(a, 5)
norm(a, "abc")
norm(a, "fro", axis=0)
norm(a, axis=2)
norm(a, axis=(0, 0))
norm(a, None, (1, 0), True)
norm(a, axis=())
angle(a)
"""),
    (["i32", "f16", "f32", "f64"], [(1,), (4,), (6,), (2, 3), (3, 3), (1, 3), (2, 2, 2)], each("logsumexp", "a", SHORT) + """
softmax(a)
softmax(a, axis=0)
softmax(a, -1)
log_softmax(a)
log_softmax(a, axis=-1)
layer_norm(a)
lerp(a, b, 0.25)
sigmoid(a)
relu(a)
silu(a)
softplus(a)
cummax(a)
cummax(a, 0)
cummin(a, axis=-1)
cummax(where(b == 2, nan, a))
cummin(where(b == 2, nan, a), axis=0)
segment_sum(a, (0, 1, 1))
segment_sum(a, [0, 0, 1])
segment_min(a, [0, 1])
segment_max(a, [0, 1])
segment_sum(a, [0, 99])
segment_sum(a, [1, 0])
segment_sum(a, [-1, 1])
logaddexp(a, b)
hypot(a, b)
copysign(a, b)
degrees(a)
radians(a)
signbit(a)
sinc(a)
atan2(a, b)
nan_to_num(where(b == 2, nan, a), nan=7.0)
nan_to_num(where(b == 2, inf, a * 1.0), posinf=1.0)
nan_to_num(where(b == 2, -inf, a * 1.0), neginf=-3.0)
fmod(a, 3)
divmod(a, 3)
divmod(a, b + 20)
"""),
    (["i64"], [(2, 3)], """
arange(5)
arange(0)
arange(-3)
arange(2, 7)
arange(7, 2)
arange(7, 2, -2)
arange(0, 1, 0.1)
arange(1.0)
arange(0, 5, dtype=f32)
arange(5, dtype=u8)
arange(0.5, 4)
arange(3, dtype=c128)
arange(0, 5, 0)
arange(1, 10, 3, u8)
arange(0, 3, -1)
arange(start=1, stop=4, step=2)
arange(0.0, 0.3, 0.1)
arange(0, -1, -0.25)
linspace(0, 1)
linspace(0, 1, 5)
linspace(0, 1, 1)
linspace(0, 1, 0)
linspace(0, 1, 5, endpoint=False)
linspace(0, 1, 1, False)
linspace(0, 10, 4, dtype=i32)
linspace(0, -10, 4, dtype=i64)
linspace(-1.5, 1.5, 4, dtype=i64)
linspace(0, 1, 3, dtype=f32)
linspace(3, 3, 4)
linspace(5, 1, 5)
linspace(0, 1j, 3)
linspace(1, 2 + 2j, 3)
linspace(0, 1, -1)
linspace(0, 1, 2.5)
linspace(0, 1, 5, retstep=True)
linspace(0, 1, 5, endpoint=False, retstep=True)
linspace([0, 1], [10, 20], 3)
linspace([0, 1], 5, 3)
linspace(0, [[1, 2], [3, 4]], 3, axis=-1)
linspace([0, 1], [10, 20], 3, axis=1)
linspace([0, 1], [10, 20], 1)
linspace([0, 1], [10, 20], 0)
linspace([0.0, 1.0], [10, 20], 4, endpoint=False, dtype=i32)
logspace(0, 2, 3)
logspace(0, 2, 4, endpoint=False)
logspace(0, 3, 4, base=2)
logspace(0, 2, 3, dtype=i32)
logspace(0, 2, 0)
logspace(0, 2, 1)
logspace([0, 1], [2, 3], 3)
logspace(0, [1, 2], 3, axis=-1)
logspace(0, 1j, 3)
geomspace(1, 1000, 4)
geomspace(1000, 1, 4)
geomspace(-1, -1000, 4)
geomspace(1, 256, 9, dtype=i64)
geomspace(1, 16, 4, endpoint=False)
geomspace(1, 2, 1)
geomspace(1, 2, 0)
geomspace(0, 2, 3)
geomspace(1, 0, 3)
geomspace(-1, 1, 3)
geomspace(1j, 1000j, 4)
geomspace(-1 + 0j, 1 + 0j, 5)
geomspace([1, 10], [100, 1000], 3)
eye(3)
eye(2, 3)
eye(3, 2, 1)
eye(3, k=-1)
eye(0)
eye(2, dtype=i32)
eye(2, 0)
eye(3, k=9)
eye(-1)
identity(2)
identity(0)
identity(2, i8)
tri(3)
tri(3, 4, 1)
tri(2, 3, -1, i32)
tri(3, k=-5)
tril_indices(3)
tril_indices(3, 1)
tril_indices(3, -1, 4)
triu_indices(3, k=1)
triu_indices(2, 0, 4)
triu_indices(0)
indices((2, 3))
indices((2, 3), dtype=f32)
indices((2, 3), sparse=True)
indices((0, 2))
indices(())
full((2, 2), 3)
full(2, 1.5)
full((2, 3), [1, 2, 3])
full((2,), [1, 2, 3])
full((), 2)
full((2, 0), 1j)
full(3, 1, f32)
full(-1, 2)
full((2,), True)
zeros((2, 3))
zeros((0,), dtype=i8)
zeros(-1)
zeros((2, -3))
zeros(2.5)
ones((2,), u8)
ones(())
meshgrid()
meshgrid(v, [1, 2], indexing="xx")
meshgrid([1, 2], [3, 4, 5], [6])
array([1, 2.5])
array([[1, 2], [3, 4]], dtype=f32)
array([True, False])
array([1, 2j])
diag([1, 2], 1)
diag([1, 2], k=-2)
diag([])
diag(zeros((2, 2, 2)))
polyval([1, 2, 3], v)
polyval([1.5, -2], 3)
polyval([], 3)
polyval([1, 2], [[1, 2], [3, 4]])
gcd(a, b)
lcm(a, b)
gcd(12, [8, 9])
average([], axis=0)
cov([1, 2, 3], [4, 5, 7])
cov([[1, 2, 3]], [[4, 5, 7], [1, 0, 2]])
cov([])
trapezoid([1, 2, 3], [0, 1, 3])
fill_diagonal(zeros((3, 3)), 5)
"""),
]


def filled(a, val, wrap=False):
    a = np.array(a)
    np.fill_diagonal(a, val, wrap)
    return a


def exps(x, axis):
    e = np.exp(np.float64(x) - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def as_float(f):
    """The function in f64, its result in the dtype of floats or f64."""
    def g(a, *args, **kw):
        a = np.asarray(a)
        r = np.asarray(f(a.astype(np.float64), *args, **kw))
        return r.astype(a.dtype) if a.dtype.kind == "f" else r
    return g


def scan(f):
    return lambda a, axis=None: f.accumulate(np.ravel(a) if axis is None else a,
                                             0 if axis is None else axis)


def segments(f):
    def g(x, ptr):
        p = [int(i) for i in np.asarray(ptr)]
        if p[0] < 0 or p[-1] > len(x) or sorted(p) != p:
            raise ValueError
        return np.stack([f(x[i:j], axis=0) for i, j in zip(p, p[1:])])
    return g


def normed(a):
    return (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5)


OURS = {
    "logsumexp": as_float(lambda a, axis=None, keepdims=False: np.log(
        np.sum(np.exp(a), axis=axis, keepdims=keepdims))),
    "softmax": as_float(lambda a, axis=None: exps(a, axis)),
    "log_softmax": as_float(lambda a, axis=None: np.log(exps(a, axis))),
    "layer_norm": as_float(normed), "sigmoid": as_float(lambda a: 1 / (1 + np.exp(-a))),
    "relu": lambda a: np.maximum(a, 0), "silu": as_float(lambda a: a / (1 + np.exp(-a))),
    "softplus": as_float(lambda a: np.log1p(np.exp(a))), "lerp": lambda a, b, t: a + (b - a) * t,
    "cummax": scan(np.maximum), "cummin": scan(np.minimum), "segment_sum": segments(np.sum),
    "segment_min": segments(np.min), "segment_max": segments(np.max),
}
NAMES = OURS | {d: o.NP[d] for d in o.ALL if d not in ("bool", "bf16")} | {"fill_diagonal": filled}

if __name__ == "__main__":
    sys.exit(main(CALLS, NAMES))
