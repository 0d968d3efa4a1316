# An update in place must not destroy what a pending value still reads.
fn make(n) = eval(arange(n) * 1.0)
fn f(u) {
    m = u * 2
    p = m + 1
    u[0:2] = m[0:2]
    return p, u
}
p, v = f(make(4))
v                                                 #=> [0. 2. 2. 3.]
p                                                 #=> [1. 3. 5. 7.]
fn g(u) {
    m = u * 2
    q = m[::-1]
    r = q + 1
    u[0:2] = m[0:2]
    return r, u
}
p, v = g(make(4))
v                                                 #=> [0. 2. 2. 3.]
p                                                 #=> [7. 5. 3. 1.]
fn h(u) {
    m = u * 2
    r = record(a=m + 1)
    u[0:2] = m[0:2]
    return r, u
}
p, v = h(make(4))
v                                                 #=> [0. 2. 2. 3.]
p.a                                               #=> [1. 3. 5. 7.]

# The head of a loop reads what is read again after the loop.
fn last(y) {
    x = [1]
    while any(x < 3) { x = y }
    return x
}
last([5])                                         #=> [5]
fn last_of(y) {
    x = [1]
    while true {
        if x[0] > 3 { break }
        x = y
    }
    return x
}
last_of([5])                                      #=> [5]

# Steps of a loop write into the old value's buffer, or change between two, once nobody else needs
# it: the peak says how many there were at most (2 MiB each, besides the blocks' registers).
fn relax(u) {
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u
}
u = zeros(512, 512)
u[0] = 1
u = eval(u)
asked = mem().cpu.allocs
for n in range(1000) { u = relax(u) }
f"{float(u[1, 256]):.6f}"                         #=> 0.964340
mem().cpu.peak < 2.2 * u.nbytes                   #=> true
mem().cpu.allocs - asked < 4                      #=> true
fn wave(u, v) {
    v[1:-1] += 0.1 * (u[:-2] - 2 * u[1:-1] + u[2:])
    u[1:-1] += 0.1 * v[1:-1]
    return u, v
}
u, v = eval(arange(2 ** 18) % 7 * 1.0, zeros(2 ** 18))
used = mem().cpu.used
for n in range(300) { u, v = wave(u, v) }
u, v = eval(u, v)
mem().cpu.used == used                            #=> true
mem().cpu.peak < used + 2.2 * u.nbytes            #=> true
for n in range(300) { u[1:] += 1; u *= 2; u *= 0.5 }
u = eval(u)
mem().cpu.peak < used + 2.2 * u.nbytes            #=> true

# What is read lies apart from what is written, though in one buffer: no copy.
w = eval(zeros(300, 60, 31) + 0.0)
used = mem().cpu.used
asked = mem().cpu.allocs
w[0] = 1
for i in range(1, 300) { w[i] = w[i - 1] * 0.5 + 1 }
w = eval(w)
f"{w[[0, 1, 2, 299], 0, 0]}"                      #=> [1.   1.5  1.75 2.  ]
mem().cpu.used - used                             #=> 0
mem().cpu.allocs - asked < 4                      #=> true
fn columns(a) {
    for j in range(1, 6) { a[:, j] = a[:, j - 1] + 1 }
    return a
}
columns(eval(zeros(3, 6)))[1]                     #=> [0. 1. 2. 3. 4. 5.]
fn colours(a) {
    a[1::2] = a[:-1:2] + a[2::2]
    a[2:-1:2] = a[1:-2:2] * a[3::2]
    return a
}
colours(eval(arange(9) * 1.0))                    #=> [  0.   2.  12.   6.  60.  10. 140.  14.   8.]
fn shifts(a) {
    a[1:] = a[:-1] + 1
    a[:-2] = a[2:] * 2
    a[::-1] = a + 0
    return a
}
shifts(eval(arange(6) * 1.0))                     #=> [ 5.  4. 10.  8.  6.  4.]
fn blocks(a) {
    a[:2, :2] = a[2:, 2:] + a[:2, 2:].T
    a[2:, :2] = a[:2, :2] - a[::-1, ::-1][:2, :2]
    a[:2] = a[1:3] + a[2:4]
    return a
}
blocks(eval(arange(16).reshape(4, 4) * 1.0))
#=> [[14. 25. 16. 18.]
#=>  [ 3. 15. 24. 26.]
#=>  [-3.  3. 10. 11.]
#=>  [ 6. 12. 14. 15.]]

# One element is written where it is only while nobody else can see the array.
a = eval(arange(4) * 1.0)
b = a
b[0] = 9
a                                                 #=> [0. 1. 2. 3.]
t = (b, 1)
b[1] = 8
t[0]                                              #=> [9. 1. 2. 3.]
r = b + 0
b[2] = 7
r                                                 #=> [9. 8. 2. 3.]
v = b[1:]
b[3] = 6
v                                                 #=> [8. 7. 3.]
e = b[3]
b[3] = 5
e                                                 #=> 6.0
fn keep(x) {
    old = fn() = x
    x[0] = 1
    return old(), x
}
keep(eval(zeros(2)))                              #=> ([0. 0.], [1. 0.])
fn caller(x) {
    x[0] = 1
    return x
}
z = eval(zeros(2))
w = caller(z)
z, w                                              #=> ([0. 0.], [1. 0.])
s = eval(full((3,), 5, u8))
s[0] = 300                                        #! dtype: 300 does not fit u8
s[0] = 1.5                                        #! dtype: cannot assign float into u8[3]
s[3] = 1                                          #! index: out of range
s[-4] = 1                                         #! index: out of range
s[-1] = true
s[1] += 250
s                                                 #=> [  5 255   1]
s[1] += 1
s[1] // 0, s[0] / s[2], s[0] < 6                  #=> (0, 5.0, true)
n = 0
fn next() { return 1 }
q = eval(zeros(3))
q[next() + next()] = 4
q                                                 #=> [0. 0. 4.]
m = eval(zeros(2, 3).T)
m[2, 1] = 1
m[0, 0] -= 2
m                                                 #=> [[-2.  0.]
#=>  [ 0.  0.]
#=>  [ 0.  1.]]
