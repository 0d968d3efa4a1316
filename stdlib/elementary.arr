# elementary - elementwise compositions. Present without an import.

# a + (b - a) * t: from a at t = 0 to b at t = 1.
#   lerp(2.0, 4.0, 0.25) #=> 2.5
fn lerp(a, b, t) {
    a = _argument(a, "a", "number")
    return a + (_argument(b, "b", "number") - a) * _argument(t, "t", "number")
}

# The polynomial with coefficients p, the highest power first, at x, by Horner's rule.
#   polyval([1, 0, 2], 3) #=> 11
#   polyval((1, 0, 2), [1, 2]) #=> [3 6]
fn polyval(p, x) {
    x = _argument(x, "x", "number")
    if kind(p) != "tuple" { p = _argument(p, "p") }
    y = 0
    for c in p { y = y * x + c }
    return y
}
