# Errors of f32 products on a GPU at every matmul_precision, measured against f64: as a whole (the norm
# of the error by that of the product), and of the worst element by the norms of its row and column.
fn norm_of(c, exact) = float(sqrt(sum((f64(c) - exact) ** 2) / sum(exact ** 2)))
fn worst_of(c, exact, x, y) {
    rows = sqrt(sum(f64(x) ** 2, axis=-1, keepdims=true))
    columns = sqrt(sum(f64(y) ** 2, axis=-2, keepdims=true))
    return float(max(abs(f64(c) - exact) / (rows * columns + 1e-300)))
}
# The bounds: an f32 sum of k rounded products is off by some 2^-24 sqrt(k); chunks of 256 on the tensor
# cores by at most 2^-19 whatever k is; TF32 keeps 11 bits.
all_bounds = (("highest", 4e-6), ("high", 2e-6), ("medium", 1e-3))
fn check(what, x, y, bounds=all_bounds) {
    exact = f64(x) @ f64(y)
    for p, bound in bounds {
        matmul_precision(p)
        c = x @ y
        norm, worst = norm_of(c, exact), worst_of(c, exact, x, y)
        print(f"{what:24s} {p:8s} norm {norm:.3g} worst {worst:.3g}")
        assert norm < bound and worst < bound, f"{what}: {p} is off by {norm} and {worst}"
    }
    matmul_precision("highest")
}
fn check_bits(what, x, y) {
    a = x @ y
    matmul_precision("high")
    b = x @ y
    matmul_precision("highest")
    assert array_equal(a, b, equal_nan=true), f"{what}: high differs from highest"
}
seed(11)
n = 2048
x, y = eval(rand(n, n, f32), rand(n, n, f32))
check("uniform", x, y)
u, v = eval(randn(n, n, f32), randn(n, n, f32))
check("normal", u, v)
left, right = f32(2.0 ** (rand(n, 1) * 60 - 40)), f32(2.0 ** (rand(n) * 50 - 20))
check("rows and columns scaled", u * left, v * right)
check("of many sizes", u * f32(rand(n, n) ** 12), v)
check("odd sizes", eval(1 * u[:1999, :2047]), eval(1 * v[:2047, :2001]))
check("transposed", u.T, v.T)
check("slices", u[1:, 3:2000], v[3:2000, 5:])
check("batched", stack([u, v]), stack([v, u])[:1])
tiny = f32(2.0 ** -135)
check("subnormal operand", eval(u * tiny), eval(v * f32(2.0 ** 60)), all_bounds[:2]) # TF32 has few
u[5, 7] = inf
check_bits("an infinity", u, v)
v[1000, 3] = nan
check_bits("a nan", u, v)
check_bits("small", eval(1 * x[:100, :100]), eval(1 * y[:100, :100]))
print("precision: all within bounds")
