# Expressions of float arrays become one node of the graph when they are evaluated again. Nothing of
# that may show: kinds that change, order of evaluation, errors, variables that end.
a = eval(linspace(0.0, 1.0, 5))
fn f(x, y) = (x * 2 + y - 1) * 0.5 + -x
t = ()
for x, y in ((a, a), (a, a), (a, a), (a, 1), (2, 3), (a, a), (1, a), (f32(a), f32(a)), (a, f32(a)),
             (a, true), (i32(a), a), (a[:0], a[:0]), (array(2.0), a), (a.reshape(5, 1), a), (a, 1j)) {
    r = f(x, y)
    t = t + (str(r.dtype) + str(r.shape) if kind(r) == "array" else kind(r),)
}
print(t) #=> ('f64(5,)', 'f64(5,)', 'f64(5,)', 'f64(5,)', 'float', 'f64(5,)', 'f64(5,)', 'f32(5,)', 'f64(5,)', 'f64(5,)', 'f64(5,)', 'f64(0,)', 'f64(5,)', 'f64(5, 5)', 'c128(5,)')
t = ()
for x, y in ((a, a), (a, a), (a, a), (a, 1), (2, 3), (1, a), (f32(a), f32(a)), (a.reshape(5, 1), a)) {
    r = f(x, y)
    w = (x * 2.0 + y - 1.0) * 0.5
    t = t + (bool(all(array(r) == w - x)),)
}
print(t) #=> (true, true, true, true, true, true, true, true)

# Errors as the first time, whichever turn; what stood left of them has been evaluated, what stands
# right has not.
log = ()
fn seen(v) = v
fn g(x, y, z) {
    return x * 2 + y * 3 - z
}
t = ()
for y in (a, a, a, a[:3], a, "no", a) {
    try { t = t + (int(sum(g(a, y, a))),) } catch err { t = t + (err.kind,) }
}
print(t) #=> (10, 10, 10, 'shape', 10, 'type', 10)
for y in (a, a, a, a[:3]) { z = a * 2 + (y * 3 - 1) } #! shape: cannot add f64[5] and f64[3]
for y in (a, a, a) { z = a * 2 + missing * 3 } #! name: missing
for i in range(5) { z = a * 2 + (a - 1) * int("1234x"[:i + 1]) } #! value: int

# Numbers are computed before they meet an array, as ever.
d = 3
t = ()
for i in range(6) { t = t + (float(sum(i / d * a + 2 * i * a - a * (1 - i) * 2)),) }
print(round(array(t), 3)) #=> [-5.     5.833 16.667 27.5   38.333 49.167]

# What is held on the way is a value of its own; what ends is not.
fn steps(n) {
    x = a
    kept = ()
    for i in range(n) {
        y = x * 0.5 + a
        x = y * y - x * 0.25 + 1
        if i % 7 == 2 { kept = kept + (y,) }
    }
    return x, kept
}
fn same_steps(n) {
    x = a
    kept = ()
    for i in range(n) {
        y = eval(eval(x * 0.5) + a)
        x = eval(eval(eval(y * y) - eval(x * 0.25)) + 1)
        if i % 7 == 2 { kept = kept + (y,) }
    }
    return x, kept
}
x, k = steps(3)
y, l = same_steps(3)
print(bool(all(x == y)), bool(all(k[0] == l[0]))) #=> true true
for n in (20, 40, 60) {
    x, k = steps(n)
    y, l = same_steps(n)
    assert bool(all((x == y) | (isnan(x) & isnan(y))))
    for i in range(len(k)) { assert bool(all((k[i] == l[i]) | (isnan(k[i]) & isnan(l[i])))) }
}

# A value that is changed in place after an expression has read it.
v = zeros(4)
w = zeros(4)
for i in range(9) {
    w = v * 2.0 + w - 1.0
    v[i % 4] = v[i % 4] + i
}
print(v, w) #=> [12.  6.  8. 10.] [23. 35. 39. 35.]
