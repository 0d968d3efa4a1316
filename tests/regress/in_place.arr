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
