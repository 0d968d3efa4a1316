a, (b, _), c[1:].d = e, f
a, = b
x += 1; y[i] **= 2
z.f @= w

if a { b } elif c { d; e }
elif f {
    g
}

else { h }
while a < b { break; continue }
if 0 { while c { if d { break }
 continue } }
for i in range(3) { x }
for a, (b, _) in zip(x, y), z { }
del x, y
assert c, "message"; assert d
try { f() }
catch err { print(err.message) }
import "file.arr" as m
import numpy as np
import stats

#!not this
# Documented,
#   in two lines.
fn f(a, b=1, rest...) = a +
    b
# about g
fn g() {
    # not about h
    fn h(x) { return }
    for x in y { fn i() = 1
        break }
    return a, b
}
x = fn() { return 1 }
k = f(fn(x) {
    y = x

    return y
}, [1,
    2], (3
    - 4))
l = a and
    not
    b if
  c else
  d
