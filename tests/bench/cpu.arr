# Each row: name, milliseconds (median of 5 after one to warm up). cpu.py runs it beside NumPy.
n = 2 ** 25
a = eval(rand(n, f32))
b = eval(rand(n, f32))
c = eval(rand(n, f32))
m = eval(a.reshape(4096, 8192))
x = eval(rand(2000, 2000, f32))
a1 = eval(a[:1000])
b1 = eval(b[:1000])

fn row(name, f) {
    r, ms = bench(f, n=5)
    print(f"{name},{float(ms):.4f}")
}
fn steps() {
    x = a1
    for i in range(2000) { x = (x * 0.999 + b1 * 0.001 - 0.5) * 1.0001 + 0.5 }
    return x
}
row("chain", fn() = sqrt(a * a + b * b) * exp(-c))
row("sum", fn() = sum(a))
row("sumsqdiff", fn() = sum((a - b) ** 2))
row("loop_6op_2000", steps)
row("pi", fn() = 4 * mean(rand(n, f32) ** 2 + rand(n, f32) ** 2 < 1))
row("rand", fn() = rand(n, f32))
row("randn", fn() = randn(n, f32))
row("sum_axis0", fn() = sum(m, axis=0))
row("sum_axis1", fn() = sum(m, axis=1))
row("transpose", fn() = -m.T)
row("cumsum", fn() = cumsum(a))
row("standardize", fn() = (m - mean(m, axis=0)) / std(m, axis=0))
row("matmul2000", fn() = x @ x)
row("sort_2^24", fn() = sort(a[:2 ** 24]))
