# language.md, "Laziness" and "Errors": when errors that depend on data are told, and where

x = [1, 2, 3]
bad = x[[7]]
print("not yet")                                  #=> not yet
bad                                               #! index: index 7 is out of range for axis 0 with 3 elements
bad + 1                                           #! index: needed at
if sum(bad) > 3 { print(1) }                      #! index: needed at
print(x[[7]])                                     #! index: needed at
del bad

# leaving a try forces what was begun in it and can fail, reachable or not
try { y = x[[7]] } catch err { print(err.message, err.kind) }       #=> index 7 is out of range for axis 0 with 3 elements index
fn unreachable(x) { z = x[[9]]; return 1 }
try { y = unreachable(x) } catch err { print(err.message) }         #=> index 9 is out of range for axis 0 with 3 elements
fn returns(x) {
    try { return x[[7]] } catch err { return "caught" }
}
returns(x)                                        #=> caught
old = x[[8]]
try { y = old + 1 } catch err { print("not begun here") }

# a failed statement changes nothing; finished ones stay, draws stay drawn
k = 1
try { k, y = 5, [1][9] } catch err { }
k                                                 #=> 1
try { k = 2; error("a"); k = 3 } catch err { }
k                                                 #=> 2
total = 0
try { for i in range(5) { total += i; if i == 3 { error("x") } } } catch err { }
total                                             #=> 6
seed(1); first = rand(2); second = rand(2); seed(1)
try { drawn = rand(2); error("x") } catch err { }
all(rand(2) == second)                            #=> true

# out of memory is not remembered: the value may be asked for again
huge = tile([1, 2], 10 ** 12)
huge                                              #! memory: out of memory
huge                                              #! memory: out of memory

# every error has a place, also where only the end of a statement forces
device("tpu")                                     #! device: laziness.arr
a = ones(3, 4); b = ones(5); a + b                #! shape: a: f64[3,4], b: f64[5]
a = ones(3); b = ones(3, 4); a + b                #! shape: write a[:, newaxis]
fn outer(v) = inner(v) * 2
fn inner(v) = v + [1, 2, 3]
outer([1, 2])                                     #! shape: in outer, called at
map(fn(v) = v + "a", (1, 2))                      #! type: in fn, called at
fn deep(n) = deep(n + 1)
deep(0)                                           #! limit: calls are running: use a loop
t = ()
for i in range(100000) { t = (t,) }
t == t                                            #! limit: the values are nested too deep
t = 0

# elements of small arrays that are still to be computed are those of the whole
fn each(x) = array(map(fn(k) = x[k], range(len(x))))
seed(11); d = rand(50); d0 = d[0]; d7 = d[7]; seed(11); g = eval(rand(50))
d0 == g[0], d7 == g[7], array_equal(d, g), array_equal(each(d), g)   #=> (true, true, true, true)
array_equal(each(arange(20, 2, -3)), [20, 17, 14, 11, 8, 5])         #=> true
array_equal(each(g[::-2]), eval(g[::-2]))                            #=> true
array_equal(each(g.reshape(5, 10).T.ravel()), eval(g.reshape(5, 10).T.ravel()))   #=> true
t = g.reshape(5, 10).T; t[3, 4] == g[43], t[-1, 0] == g[9]           #=> (true, true)
bad = g[[99]] * 2; b0 = bad[0]; 1                                    #=> 1
b0                                                                   #! index: index 99
