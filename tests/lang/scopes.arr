# The language, "Statements": scopes

# names bound in blocks live on
if true { inner = 1 }
inner                                             #=> 1
for k in range(3) { last = k }
last                                              #=> 2

# file names are looked up when the function runs
fn later() = not_yet()
fn not_yet() = 42
later()                                           #=> 42
fn not_yet() = 43
later()                                           #=> 43

# locals are captured by value when the inner function is evaluated, only those used
fn adders() {
    fs = ()
    for k in range(3) { fs = fs + (fn(x) = x + k,) }
    return fs
}
map(fn(f) = f(10), adders())                      #=> (10, 11, 12)
fn outer(n) {
    m = n + 1
    fn middle() {
        fn deepest() = n * m
        return deepest
    }
    n = 0
    return middle()()
}
outer(3)                                          #=> 12
fn twice(f) = fn(x) = f(f(x))
twice(twice(fn(x) = x + 1))(0)                    #=> 4

# an inner function sees itself, by fn and by assignment
fn sums(n) {
    fn down(k) = 0 if k == 0 else k + down(k - 1)
    up = fn(k) = 0 if k == 0 else k + up(k - 1)
    return down(n) + up(n)
}
sums(4)                                           #=> 20

# a parameter is a local
fn shadow(print) = print + 1
shadow(1)                                         #=> 2
print("still here")                               #=> still here

# defaults see earlier parameters and the file
base = 100
fn dflt(a, b=a + 1, c=base) = (a, b, c)
dflt(1)                                           #=> (1, 2, 100)
base = 200
dflt(1, c=0)                                      #=> (1, 2, 0)
dflt(1)                                           #=> (1, 2, 200)

# last uses: the value is moved, the result is the same
fn step(u) {
    u[1:-1] = 0.5 * (u[:-2] + u[2:])
    return u
}
fn run(u, n) {
    for i in range(n) { u = step(u) }
    return u
}
u = f64([0, 0, 8, 0, 0])
run(u, 2)                                         #=> [0. 0. 4. 0. 0.]
u                                                 #=> [0. 0. 8. 0. 0.]
fn uses(x, c) {
    y = x + 1 if c else x * 2
    z = y if not c else x
    while z < 10 {
        w = z
        z = w + y
        if z == 7 { continue }
    }
    return (x, y, z)
}
uses(3, true)                                     #=> (3, 4, 11)
uses(3, false)                                    #=> (3, 6, 12)
fn guarded(x) {
    try {
        y = x
        x = none + y
    } catch err { return x }
    return y
}
guarded(5)                                        #=> 5
fn both(t) = (t, t)
both((1,))                                        #=> ((1,), (1,))
fn path(x) {
    x[0] = x[1] + x[2]
    x[1:][0] = x[0]
    return x
}
path([1, 2, 3])                                   #=> [5 5 3]
fn unpack(t) {
    (a, b), c = t
    a, b = b, a
    return (a, b, c)
}
unpack(((1, 2), 3))                               #=> (2, 1, 3)
fn spread(f, t) = f(t..., k=t)
spread(fn(a, b, k) = (a, b, k), (1, 2))           #=> (1, 2, (1, 2))
