# Errors that depend on data: found when the work runs, told from where it was asked for.

fn pick(a, i) {
    b = a + 1
    return b[i]
}
fn twice(a, i) = pick(a, i) * 2
x = [1, 2, 3]
y = twice(x, [0, 5])
print(y)                                          #! index: index 5 is out of range for axis 0 with 3 elements
print(y)                                          #! index: needed at
print(y)                                          #! index: in pick, called at
print(y)                                          #! index: in twice, called at
print(y + 1)                                      #! index: in twice, called at
twice(x, [0, 2])                                  #=> [4 8]

# while the call still runs, its own chain is told
fn inside(a, i) {
    c = a[i]
    return int(sum(c))
}
inside(x, [7])                                    #! index: in inside, called at

# never forced, never raised
z = x[[9]]
del z

# an assignment fails when it runs; then the value is failed for good
w = [1, 2, 3]
w[[0, 4]] = 7
sum(w)                                            #! index: 4
sum(w)                                            #! index: 4
w = [1]
w                                                 #=> [1]
