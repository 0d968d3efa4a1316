# The rows that gpu.py shows beside the goals and the peers: name, median milliseconds of 9.
n = 2 ** 28
a = eval(rand(n, f32))
b = eval(rand(n, f32))
c = eval(rand(n, f32))
m = eval(a.reshape(16384, 16384))
x = eval(rand(8000, 8000, f32))
y = eval(rand(8000, 8000, f32))
p, q = eval(0 + x[:500, :500], 0 + y[:500, :500])
a1 = eval(a[:1000])
b1 = eval(b[:1000])

fn row(name, f) {
    r, ms = bench(f, n=9)
    print(f"{name},{float(ms):.5f}")
}
fn steps() {
    v = a1
    for i in range(2000) { v = (v * 0.999 + b1 * 0.001 - 0.5) * 1.0001 + 0.5 }
    return v
}
fn cdf(v) = 0.5 * (1 + erf(v * 0.7071067811865476))
fn black_scholes(s, k, t, r, v) {
    d1 = (log(s / k) + (r + 0.5 * v * v) * t) / (v * sqrt(t))
    d2 = d1 - v * sqrt(t)
    call = s * cdf(d1) - k * exp(-r * t) * cdf(d2)
    return call, call - s + k * exp(-r * t)
}
fn softmax_rows(v) {
    e = exp(v - max(v, axis=1, keepdims=true))
    return e / sum(e, axis=1, keepdims=true)
}
s = eval(50 + 100 * a[:2 ** 26])
k = eval(50 + 100 * b[:2 ** 26])
t = eval(0.1 + c[:2 ** 26])
s64, k64, t64 = eval(f64(s), f64(k), f64(t))

row("copy", fn() = -a)
row("chain", fn() = sqrt(a * a + b * b) * exp(-c))
row("add", fn() = a + b)
row("sum", fn() = sum(a))
row("sumsqdiff", fn() = sum((a - b) ** 2))
row("sum axis 0", fn() = sum(m, axis=0))
row("sum axis 1", fn() = sum(m, axis=1))
row("argmax", fn() = argmax(a))
row("standardize", fn() = (m - mean(m, axis=0)) / std(m, axis=0))
row("softmax", fn() = softmax_rows(m))
row("black_scholes f32", fn() = black_scholes(s, k, t, 0.02, 0.3))
row("black_scholes f64", fn() = black_scholes(s64, k64, t64, 0.02, 0.3))
row("pi, 2^29 points", fn() = 4 * mean(rand(2 ** 29, f32) ** 2 + rand(2 ** 29, f32) ** 2 < 1))
row("rand", fn() = rand(n, f32))
row("randn", fn() = randn(n, f32))
row("cumsum", fn() = cumsum(a))
row("transpose", fn() = -m.T)
row("mask", fn() = a[a > 0.5])
row("sort", fn() = sort(a))
row("6-op step, 2000 times", steps)
row("matmul 8000", fn() = x @ y)
row("matmul 500", fn() = p @ q)
matmul_precision("high")
row("matmul 8000 high", fn() = x @ y)
matmul_precision("medium")
row("matmul 8000 medium", fn() = x @ y)
matmul_precision("highest")
