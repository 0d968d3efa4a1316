# Work on a GPU against the goals for one H200: name, median milliseconds, goal.
n = 2 ** 28
a = eval(rand(n, f32))
b = eval(rand(n, f32))
c = eval(rand(n, f32))
m = eval(a.reshape(16384, 16384))
x = eval(rand(8000, 8000, f32))
y = eval(rand(8000, 8000, f32))
a1 = eval(a[:1000])
b1 = eval(b[:1000])

fn row(name, goal, f) {
    r, ms = bench(f, n=9)
    t = float(ms)
    print(f"{name:24s} {t:10.4f} {goal:10.4f} {'' if t <= goal else 'MISSED'}")
}
fn steps() {
    v = a1
    for i in range(2000) { v = (v * 0.999 + b1 * 0.001 - 0.5) * 1.0001 + 0.5 }
    return v
}
fn cdf(v) = 0.5 * erfc(-v / sqrt(2.0))
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

row("copy (-a)", 0.50, fn() = -a)
row("chain", 1.02, fn() = sqrt(a * a + b * b) * exp(-c))
row("add", 0.77, fn() = a + b)
row("sum", 0.26, fn() = sum(a))
row("sumsqdiff", 0.52, fn() = sum((a - b) ** 2))
row("sum axis 0", 0.27, fn() = sum(m, axis=0))
row("sum axis 1", 0.27, fn() = sum(m, axis=1))
row("argmax", 0.27, fn() = argmax(a))
row("standardize", 0.80, fn() = (m - mean(m, axis=0)) / std(m, axis=0))
row("softmax", 0.56, fn() = softmax_rows(m))
row("black_scholes f32", 0.40, fn() = black_scholes(s, 100.0, 1.0, 0.02, 0.3))
row("pi, 2^29 points", 1.6, fn() = 4 * mean(rand(2 ** 29, f32) ** 2 + rand(2 ** 29, f32) ** 2 < 1))
row("rand", 0.29, fn() = rand(n, f32))
row("randn", 0.52, fn() = randn(n, f32))
row("cumsum", 0.65, fn() = cumsum(a))
row("transpose (-m.T)", 0.56, fn() = -m.T)
row("mask", 0.70, fn() = a[a > 0.5])
row("sort", 7.0, fn() = sort(a))
row("6-op step, 2000 times", 1.2, steps)
row("matmul 8000", 21.2, fn() = x @ y)
row("matmul 500", 0.027, fn() = x[:500, :500] @ y[:500, :500])
