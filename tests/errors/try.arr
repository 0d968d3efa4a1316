# try and catch.

try { error("boom") } catch err { w = err }
w.message                                         #=> boom
w.kind                                            #=> user
kind(w.line)                                      #=> int
fields(w)                                         #=> ('message', 'kind', 'file', 'line')
try { undefined_here } catch err { w = err.kind }
w                                                 #=> name

# an error inside a handler goes on
try { error("one") } catch err { error("two") }   #! user: two

# what fails later is decided before the block is left
i = [0, 9]
a = [1, 2, 3]
w = "none"
try { b = a[i] } catch err { w = err.kind }
w                                                 #=> index
fn late(a, i) {
    try { return a[i] } catch err { return "caught " + err.kind }
}
late(a, i)                                        #=> caught index
late(a, [2, 0])                                   #=> [3 1]
try { sum(a[i] * 0) } catch err { w = "dropped " + err.kind }
w                                                 #=> dropped index
fn loop(a) {
    for k in range(3) {
        try {
            if k == 1 { break }
            c = a[[7]]
        } catch err { last = k }
    }
    return last
}
loop(a)                                           #=> 0

# what was done stays done, what failed changed nothing
p = 1
try {
    p = 2
    p, q = 3, missing_name
} catch err { }
p                                                 #=> 2

# what fails on data is found before its statement changes a variable
x = zeros(3)
try { x[[7]] = 1 } catch err { w = err.kind }
x, w                                              #=> ([0. 0. 0.], 'index')
try { x[0] = 1; x[[0, 9]] += 1; x[1] = 1 } catch err { w = err.line }
x                                                 #=> [1. 0. 0.]
y = 5
try { y, z = a[[1]], a[[8]] } catch err { w = err.kind }
y                                                 #=> 5
try { z = x[[3]] } catch err { w = err.kind }
z                                                 #! name: unknown name 'z'
r = record(x=x, y=y)
try { r.x[[4]] = 2 } catch err { w = err.kind }
r                                                 #=> record(x=[1. 0. 0.], y=5)
try { x[a[[5]]] = 1 } catch err { w = err.kind }
x                                                 #=> [1. 0. 0.]
fn outside(x) { x[[7]] = 1; return x }
try { x = outside(x) } catch err { w = err.kind }
x                                                 #=> [1. 0. 0.]
fn inside(x) {
    for k in range(3) {
        try { x[[k * 2]] = k + 1 } catch err { seen = err.message }
    }
    return x, seen
}
inside(x)                                         #=> ([1. 0. 2.], 'index 4 is out of range for axis 0 with 3 elements')
try { try { x[[7]] = 1 } catch err { x[1] = 5 }; x[[8]] = 1 } catch err { w = err.message }
x, w                                              #=> ([1. 5. 0.], 'index 8 is out of range for axis 0 with 3 elements')
try { for v in a[[0, 7]] { x[0] = 9 } } catch err { w = err.kind }
x                                                 #=> [1. 5. 0.]

# a caught error leaves a usable session
fn deep(n) = 1 + deep(n)
try { deep(0) } catch err { w = err.kind }
w                                                 #=> limit
1 + 1                                             #=> 2
