# What is promised of one H200, measured: name, figure, bound. Run by tests/gpu/run.sh.
n = 2 ** 28
a = eval(rand(n, f32))
b = eval(rand(n, f32))
c = eval(rand(n, f32))

fn row(name, value, bound, met) = print(f"{name:44s} {value:12.4f}  {bound:20s} {'' if met else 'MISSED'}")

r, t = bench(fn() = -a, n=9)
copy_rate = 8.0 * n / float(t) / 1e6
print(f"{'copy rate, GB/s':44s} {copy_rate:12.1f}")
r, t = bench(fn() = sqrt(a * a + b * b) * exp(-c), n=9)
share = 16.0 * n / float(t) / 1e6 / copy_rate
row("chain of 2^28, ms", float(t), "1.02 at 4370 GB/s", float(t) <= 1.02)
row("chain of 2^28, share of the copy rate", share, ">= 0.85", share >= 0.85)
r, t = bench(fn() = a + b, n=9)
row("a + b, 2^28, ms", float(t), "0.77", float(t) <= 0.77)
r, t = bench(fn() = sum(a), n=9)
row("sum of 2^28, ms", float(t), "0.26", float(t) <= 0.26)
del a; del b; del c; del r

seed(7)
x = eval(rand(8000, 8000, f32))
y = eval(rand(8000, 8000, f32))
z, t = bench(fn() = x @ y, n=5)
row("8000 x 8000 product, ms", float(t), "21.2 (cuBLAS)", float(t) <= 22.3)
before = mem().cuda.to_host
print(z[0, :4], z[-3:, -3:], mean(z))
moved = mem().cuda.to_host - before
row("printing a corner of it, bytes copied", 1.0 * moved, "< 65536", moved < 65536)

# each structure is compiled once, whatever the scalars and shapes
v = eval(rand(5000, f32))
w = eval(sqrt(v[:900] * 2.5 + 1.0))
s = eval(sum(v[:901] * 0.5))
before = mem().cuda.compiles
for i in range(100) {
    w = eval(sqrt(v[:1000 + 7 * i] * (0.5 + i) + (1.0 - i)))
    s = eval(sum(v[:1000 + 9 * i] * (0.25 * i)))
}
compiled = mem().cuda.compiles - before
row("kernels compiled in a loop of 100 steps", 1.0 * compiled, "0 after the first", compiled == 0)

# T35: a scan over more than 2^31 elements is right
last = int(cumsum(full((2 ** 31 + 2,), 1, u8), dtype=u8)[-1])
row("the last of 2^31 + 2 ones summed up in u8", 1.0 * last, "2", last == 2)
