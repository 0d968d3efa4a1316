# The language, "Statements" and "Expressions": functions

fn add(a, b=10, rest...) = a + b + len(rest)
add(1)                                            #=> 11
add(1, 2)                                         #=> 3
add(1, 2, 3, 4)                                   #=> 5
add(b=5, a=1)                                     #=> 6
add()                                             #! argument: a
add(1, c=2)                                       #! argument: c
add(1, a=2)                                       #! argument: a
fn pair(x) { return x, x * x }
p, q = pair(3)
q                                                 #=> 9
pair(2)                                           #=> (2, 4)
fn nothing(x) { y = x }
nothing(1)
nothing(1) == none                                #=> true
xs = (1, 2)
add(xs...)                                        #=> 3

# methods, pipes
fn scale(x, k=2) = x * k
[1, 2].scale(3)                                   #=> [3 6]
[1, 2] |> scale                                   #=> [2 4]
[1, 2] |> scale(5) |> sum                         #=> 15
3 |> (fn(v) = v + 1)                              #=> 4
map(fn(v) = v * v, (1, 2, 3))                     #=> (1, 4, 9)
filter(fn(v) = v > 1, (1, 2, 3))                  #=> (2, 3)

# scopes: file names late, locals captured by value
x = 1
f = fn() = x
x = 2
f()                                               #=> 2
fn make() {
    v = 1
    g = fn() = v
    v = 2
    return g
}
make()()                                          #=> 1
fn counter() { x += 1 }
counter()                                         #! name: argument
fn late() {
    y = zz
    zz = 1
    return y
}
late()                                            #! name: zz
fn fact(n) = 1 if n <= 1 else n * fact(n - 1)
fact(10)                                          #=> 3628800
fn outer(n) {
    fn inner(k) = 0 if k == 0 else k + inner(k - 1)
    return inner(n)
}
outer(4)                                          #=> 10
fn deep(n) = deep(n + 1)
deep(0)                                           #! limit:
1 + 1                                             #=> 2

# defaults are evaluated at each call
k = 1
fn dflt(v=k) = v
k = 7
dflt()                                            #=> 7

# arguments are values
fn change(u) {
    u[0] = 99
    return u
}
a = [1, 2, 3]
b = change(a)
a                                                 #=> [1 2 3]
b                                                 #=> [99  2  3]

# a hidden builtin
mean = mean([1.0, 3.0])
mean                                              #=> 2.0
mean([2.0, 4.0])                                  #=> 3.0
del mean
mean([4.0, 6.0])                                  #=> 5.0

# attributes are no functions; an inner function sees only what is bound before it
a = f32([1, 2])
a.shape(0)                                        #! type: shape is an attribute, no function
a.T()                                             #! type: write x.T
a.dtype(3).dtype                                  #=> f32
fn pair_of() {
    fn g() = h()
    fn h() = 3
    return g()
}
pair_of()                                         #! name: bind it before the fn that uses it
[1, 2] |> map(fn(v) = v)                          #! type: it comes first, map(f, x)
