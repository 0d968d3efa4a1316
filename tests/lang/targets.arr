# language.md, "Statements": targets, conditions, loops, errors, parameters

a, b = 1, 2, 3                                    #! 3 values for 2 names
a, b, c = [1,2]                                   #! 2 values for 3 names
a, b = [[1,2],[3,4]]; b                           #=> [3 4]
a, b = 5                                          #! unpacking needs a range, tuple, string or array, not int: write range(n)
a, b = "xy"; b                                    #=> y
a, b = range(2); b                                #=> 1
a, b = f32(1)                                     #! unpacking needs a range, tuple, string or array, not f32[]: a 0-d array has no first axis
a, _ = 1, 2; _                                    #! unknown name '_'
_                                                 #! unknown name '_'
(a, b), ms = (1, 2), 3; a + b + ms                #=> 6
((a, b), (c,)), d = ((1, 2), (3,)), 4; print(a, b, c, d) #=> 1 2 3 4
[a, b] = 1, 2; b                                  #! names on the left stand in parentheses or bare: a, b = e
(a) = 3; a                                        #=> 3
a, = (7,); a                                      #=> 7
() = ()                                           #! the list of targets is empty
a = b = 3                                         #! an assignment is a statement of its own; == compares
x = [1,2,3]; x[0], x[1] = x[1], x[0]; x           #=> [2 1 3]
g = record(dz=[1.,2.], q=record(w=[0,0])); g.dz[-1] = 0; g.q.w[1] = 5; g #=> record(dz=[1. 0.], q=record(w=[0 5]))
z = zeros(4); m = [true,false,true]; z[1:-1][m[:2]] = 1; z #=> [0. 1. 0. 0.]
t = ([1,2],[3]); t[0][1] = 5; t                   #=> ([1 5], [3])
s = "abc"; s[0] = "x"                             #! elements of a string cannot be assigned: only arrays have assignable elements
t = (record(a=1), 2); t[0].a = 5; t               #=> (record(a=5), 2)
r = record(a=(1,2)); r.b = 3; r                   #=> record(a=(1, 2), b=3)
5 = x                                             #! a literal cannot be assigned to; == compares
f(x) = 3                                          #! a call's result cannot be assigned to; an element is written x[i] = e
x + 1 = 3                                         #! an operation cannot be assigned to; == compares
x = [1,2]; x.shape = 3                            #! fields of i64[2] cannot be assigned: only records have assignable fields
x = 3; x **= 2; x //= 2; x %= 3; x <<= 4; x |= 1; x ^= 3; x &= 7; x -= 1; x >>= 1; x *= 5; x /= 2; x #=> 0.0
a = eye(2); a @= a; a                             #=> [[1. 0.]
                                                  #=>  [0. 1.]]
a, b += 1                                         #! left of += stands one name, x[i] or x.f
r = record(a=1); r.a += 4; r                      #=> record(a=5)
x = [1,2,3]; x[0] += 1.5                          #! cannot assign f64[] into i64[3], which would become f64: cast the value with i64(...), or make the array with dtype f64
if 1 { 2 }                                        #! a condition must be one boolean, not int: write x != 0
if [1,2] == [1,2] { 2 }                           #! a condition must be one boolean, not bool[2]: use any(x) or all(x), or where(x, a, b) and & | ~ element by element
if [1,2][0] == 1 { print("yes") }                 #=> yes
if true print(1)                                  #! an operator or a comma is missing between `true` and `print`
if "a" { }                                        #! a condition must be one boolean, not a string: write len(x) > 0
if none { }                                       #! a condition must be one boolean, not none: write x != none
while 1 { }                                       #! a condition must be one boolean, not int: write x != 0
for x in (1, "a", [1,2]) { print(x) }             #=> 1
                                                  #=> a
                                                  #=> [1 2]
for a, b in [[1,2],[3,4]] { print(a+b) }          #=> 3
                                                  #=> 7
for a, b in zip((1,2),(3,4)) { print(a, b) }      #=> 1 3
                                                  #=> 2 4
for (a, b), c in (((1,2),3),) { print(a,b,c) }    #=> 1 2 3
for c in "héy" { print(c) }                       #=> h
                                                  #=> é
                                                  #=> y
for k in record(a=1) { print(k) }                 #! for needs a range, tuple, string or array, not a record: use fields(r) for the names, map(f, r)
for i in 5 { }                                    #! for needs a range, tuple, string or array, not int: write range(n)
for i in 1.5 { }                                  #! for needs a range, tuple, string or array, not float
for i in range(3) { if i == 1 { continue }; if i == 2 { break }; print(i) }  #=> 0
break                                             #! break stands outside of a loop
fn f() { break }                                  #! break stands outside of a loop
while true { fn g() { continue } }                #! continue stands outside of a loop
return 5                                          #! return stands outside of a function
del sum                                           #! sum is the language's own and nothing hides it
x = [1]; del x[0]                                 #! del takes names: del x, y
assert false                                      #! assertion failed: false
assert false, "oops"                              #! oops
assert 1 == 2, f"no {1+1}"                        #! no 2
assert 1                                          #! a condition must be one boolean, not int: write x != 0
try { x = 1 } catch { }                           #! a name for the error is missing: catch err { ... }
try { error("a") } catch e { error(e.message + "b") } #! ab
try { try { error("in") } catch a { error("out") } } catch b { print(b.message) } #=> out
for i in range(3) { try { if i == 1 { continue }; print(i) } catch e {} } #=> 0
                                                  #=> 2
error()                                           #! error needs an argument for 'message'
error("a", 2)                                     #! error: kind must be a string, not int
error(5)                                          #! 5
error("multi\nline")                              #! multi
fn f(a, a) = 1                                    #! two parameters are named `a`
fn f(a=1, b) = 1                                  #! `b` needs a default too: it follows a parameter that has one
fn f(rest..., b) = 1                              #! `rest...` takes all that is left: no parameter follows it
fn f(if) = 1                                      #! `if` is a keyword, no name
