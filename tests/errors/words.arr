# Words and signs of other languages, and slips: what is written instead

lambda x: x                                       #! there is no lambda: a function is written fn(x) = e
f = lambda x: x + 1                               #! there is no lambda: a function is written fn(x) = e
def f(x): return x                                #! there is no def: a function is written fn f(x) = e or fn f(x) { ... }
def f(x) { return x }                             #! there is no def: a function is written fn f(x) = e or fn f(x) { ... }
True                                              #! unknown name 'True': write true
None == 3                                         #! unknown name 'None': write none
1 && 2                                            #! `and` joins booleans, `&` boolean arrays: no &&
true || false                                     #! `or` joins booleans, `|` boolean arrays: no ||
!true                                             #! `not` negates a boolean, `~` a boolean array; there is no !
x = 3; x++                                        #! there is no ++ and no unary +: write x += 1, or a + b
x = 3; ++x                                        #! there is no ++ and no unary +: write x += 1, or a + b
x != 3 ? 1 : 2                                    #! a conditional is written a if c else b
for (i = 0; i < 3; i++) { }                       #! an assignment is a statement of its own; == compares
for i in range(3): print(i)                       #! a block is written { ... }, not behind a `:`
if true: print(1)                                 #! a block is written { ... }, not behind a `:`
while true: print(1)                              #! a block is written { ... }, not behind a `:`
if (true) { print(1) }                            #=> 1
from numpy import array                           #! a module is imported whole: import name, or import "file.arr" as m
try: x = 1                                        #! a block is written { ... }, not behind a `:`
try { } except e { }                              #! errors are caught by catch err { ... }
try { x = 1 } finally { }                         #! there is no finally: write it behind the try
raise ValueError("x")                             #! an error is raised by a call: error("message")
x is none                                         #! == compares, x == none included; there is no is
x = 1; x is not none                              #! == compares, x == none included; there is no is
class A { }                                       #! there are no classes: named values are kept in a record, record(x=1, y=2)
with open("x") as f { }                           #! there is no with: a file is read whole by load("file")
yield 3                                           #! there are no generators: return a tuple or an array
global x                                          #! a function cannot change its file's names: take them as arguments, return what changed
pass                                              #! unknown name 'pass': write an empty block, { }
elif                                              #! elif stands behind the } of an if
else { }                                          #! else stands behind the } of an if, or in a if c else b
x = {1, 2}                                        #! a record is written record(a=1, b=2): braces hold statements
x = {"a": 1}                                      #! a record is written record(a=1, b=2): braces hold statements
x = {}                                            #! a record is written record(a=1, b=2): braces hold statements
[x for x in range(3)]                             #! there are no comprehensions: map(fn(x) = e, xs) gives a tuple, array operations need no loop
[x * 2 for x in (1,2) if x > 1]                   #! there are no comprehensions: map(fn(x) = e, xs) gives a tuple, array operations need no loop
f(*args)                                          #! a tuple is spread over arguments by f(xs...)
f(**kw)                                           #! arguments are named one by one: f(a=1, b=2)
print "hello"                                     #! print is a function: print(x)
'a' 'b'                                           #! strings are joined by +
x := 3                                            #! assignment is written = and is a statement of its own
x = y = 3                                         #! an assignment is a statement of its own; == compares
a[1,:] = 3                                        #! unknown name 'a'
x..y                                              #! a field's name follows the point
x->y                                              #! a function is written fn(x) = e, without an arrow
// comment                                        #! a comment begins with # and ends with its line
/* c */ 1                                         #! a comment begins with # and ends with its line
-- comment                                        #! unknown name 'comment'
% comment                                         #! `%` cannot begin a statement
fn f(x: int) = x                                  #! an argument is named by `=`: f(a=1); parameters have no types
fn f(x) -> int { return x }                       #! a function is written fn(x) = e, without an arrow
fn f(x) return x                                  #! `return` cannot stand behind `)`
fn f(x) => x                                      #! a function is written fn(x) = e, without an arrow
function f(x) { }                                 #! a function is written fn f(x) = e or fn f(x) { ... }
let x = 3                                         #! a name is bound by x = e alone
var x = 3                                         #! a name is bound by x = e alone
const x = 3                                       #! a name is bound by x = e alone
return = 5                                        #! `return` is a keyword, no name
in = 3                                            #! `in` is a keyword, no name
x = if true { 1 } else { 2 }                      #! a conditional is written a if c else b
x = if true then 1 else 2                         #! a conditional is written a if c else b
switch x { }                                      #! there is no switch: if ... { } elif ... { } else { }
do { } while true                                 #! a block stands behind if, elif, else, while, for, try, catch or fn
a = [1 2 3]                                       #! an operator or a comma is missing between `1` and `2`
a = (1 2)                                         #! an operator or a comma is missing between `1` and `2`
f(x y)                                            #! an operator or a comma is missing between `x` and `y`
a = 1 2                                           #! an operator or a comma is missing between `1` and `2`
5 = 5                                             #! a literal cannot be assigned to; == compares
"abc                                              #! the string is not closed on its line; text over several lines stands between """ and """
$x                                                #! `$` has no meaning here
`x`                                               #! a backtick has no meaning here
x = "a" "b"                                       #! strings are joined by +
é = 3                                             #! `é` has no meaning here: names are ASCII letters, digits and _
0xg                                               #! 0xg is not a number
1e5x                                              #! 1e5x is not a number
2x                                                #! 2x is not a number: a product is written 2 * x
2(3)                                              #! int cannot be called
nan == nan                                        #=> false
print(nan is nan)                                 #! == compares, x == none included; there is no is
a.b.c = 3                                         #! unknown name 'a'
a.1                                               #! an operator or a comma is missing between `a` and `.1`
a.if                                              #! `if` is a keyword, no name
@decorator                                        #! `@` cannot begin a statement
x = not in y                                      #! `in` is a keyword, no name
1 not 2                                           #! `2` cannot stand behind `not`
True and False                                    #! unknown name 'True': write true
power(2, 3)                                       #! unknown name 'power': write a ** b
x = [1]; x.astype(f32)                            #! i64[1] has no attribute 'astype': write the dtype called: f32(x)
x = [1]; x.astype(np.float32)                     #! i64[1] has no attribute 'astype': write the dtype called: f32(x)
np.array([1])                                     #! unknown name 'np': write the names without np., or import numpy as np first
range(3).tolist()                                 #! a range has no attribute 'tolist': write the array itself
elementwise(1)                                    #! unknown name 'elementwise'
concatenate(([1],[2]))                            #! unknown name 'concatenate': write concat((a, b))
arange(3).reshape((3,1)).flaten()                 #! i64[3,1] has no attribute 'flaten': did you mean 'flatten'?
arange(3).T()                                     #! T is an attribute, no function: write x.T
arange(3).shape()                                 #! shape is an attribute, no function: write x.shape, an extent is x.shape[0]
arange(3).shape(0)                                #! shape is an attribute, no function: write x.shape, an extent is x.shape[0]
std([1,2], ddof=1, axs=0)                         #! std has no parameter 'axs': did you mean 'axis'?
isinstance(1, int)                                #! unknown name 'isinstance': write kind(x) == "..."
type(1)                                           #! unknown name 'type': write kind(x), or x.dtype
str.upper("a")                                    #! upper takes 1 argument, 2 are given
"a,b".split(",")[0].upper()                       #=> A
"{} {}".format(1,2)                               #! format takes 2 arguments, 3 are given
"%d" % 3                                          #! cannot apply % to a string and int: write f"{x:d}"
"a" in None                                       #! unknown name 'None': write none
input()                                           #! unknown name 'input': write args, or load("file")
open("x")                                         #! unknown name 'open': write load("file")
math.sqrt(2)                                      #! unknown name 'math': write the names without math.
jnp.sum(1)                                        #! unknown name 'jnp': write the names without jnp.
torch.zeros(3)                                    #! unknown name 'torch': write the names without torch.
pd.read_csv("x")                                  #! unknown name 'pd': write the names without pd.: load("file.csv") reads a table
plt.plot(1)                                       #! unknown name 'plt': write save("file.png", x) for an image
length(3)                                         #! unknown name 'length': write len(x)
printf("x")                                       #! unknown name 'printf': write print(x), print(f"{x:.3f}")
println("x")                                      #! unknown name 'println': write print(x)
echo(1)                                           #! unknown name 'echo': write print(x)
size([1])                                         #! unknown name 'size': write x.size
ndim([1])                                         #! unknown name 'ndim': write x.ndim
shape([1])                                        #! unknown name 'shape': write x.shape
reversed((1,2))                                   #! unknown name 'reversed': write x[::-1], or flip(x)
any_thing                                         #! unknown name 'any_thing'
maxx([1])                                         #! unknown name 'maxx': did you mean 'max'?
Sum([1])                                          #! unknown name 'Sum': did you mean 'sum'?
SUM([1])                                          #! unknown name 'SUM': did you mean 'sum'?
