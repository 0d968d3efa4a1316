# A graph of a structure that was seen before is run by the plan of that structure. What the plan
# depends on must be compared: values of constants where equal ones had an influence, arrays that
# are one, how they lie in memory, what is held.
x = eval(linspace(0.0, 1.0, 10))
fn f(c) = exp(x * 2.0) + exp(x * c)
t = ""
for c in (2.0, 2.0, 2.0, 2.0, 3.0, 2.0, 3.0) { t = t + f" {float(sum(f(c))):.4f}" }
print(t[1:]) #=> 66.1270 66.1270 66.1270 66.1270 101.3921 66.1270 101.3921

a = eval(arange(4.0))
b = eval(arange(4.0) * 10)
t = ()
for y in (a, a, a, a, b, a, b, b) { t = t + (int(sum(exp(a * 0) * a + exp(y * 0) * y)),) }
print(t) #=> (12, 12, 12, 12, 66, 12, 66, 66)

m = eval(arange(6.0).reshape(2, 3))
n = eval(arange(6.0).reshape(3, 2))
t = ()
for y in (m, m, m, n.T, m, n.T, n.T) { t = t + (int(sum((y + m * 2)[0] * array([1, 10, 100]))),) }
print(t) #=> (630, 630, 630, 840, 630, 840, 840)

# The same key of a draw twice, and two keys.
t = ()
for k in (1, 1, 1, 1, 2, 1) {
    seed(1)
    u = rand(3)
    seed(k)
    t = t + (bool(all(u == rand(3))),)
}
print(t) #=> (true, true, true, true, false, true)

# Held on the way or not.
t = ()
for i in range(8) {
    y = x * (i + 1)
    z = y + 1
    if i % 4 == 3 { y = none }
    t = t + (int(sum(z)) if y == none else int(sum(z) + sum(y)),)
}
print(t) #=> (20, 30, 40, 30, 60, 70, 80, 50)

# In place only where nobody else looks.
v = zeros(4)
kept = ()
for i in range(8) {
    v[1:3] = v[1:3] + i
    if i % 3 == 0 { kept = kept + (v,) }
}
print(v, kept[0], kept[1], kept[2]) #=> [ 0. 28. 28.  0.] [0. 0. 0. 0.] [0. 6. 6. 0.] [ 0. 21. 21.  0.]

# An index out of range fails where it is, and the next turn is well again.
q = ()
for i in (0, 1, 2, 3, 9, 1, 9, 2) {
    try { q = q + (int(sum(a[array([i, 0])] * 2)),) } catch err { q = q + (err.kind,) }
}
print(q) #=> (0, 2, 4, 6, 'index', 2, 'index', 4)
