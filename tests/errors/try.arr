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

# a caught error leaves a usable session
fn deep(n) = 1 + deep(n)
try { deep(0) } catch err { w = err.kind }
w                                                 #=> limit
1 + 1                                             #=> 2
