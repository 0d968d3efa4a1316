# More of the rules by section: the rarer ones, and what is refused.

# ---- Lexical ----
"""a
b"""                                                     #=> a
                                                         #=> b
'it\'s \\ "q"'                                           #=> it's \ "q"
1 +
2                                                        #=> 3
(1
+ 2)                                                     #=> 3
x = [3, 1, 2]
    |> sort
x                                                        #=> [1 2 3]
if false { y = 1 }
else { y = 2 }
y                                                        #=> 2
1 if
true else 2                                              #=> 1
a = 1; b = 2; a + b                                      #=> 3
1.5.shape                                                #=> ()
1..shape                                                 #! syntax: a field's name follows the point
0xffffffffffffffff                                       #=> 18446744073709551615
1__0                                                     #! syntax: 1__0 is not a number
012                                                      #! syntax: an integer does not begin with 0: octal is written 0o17
"\q"                                                     #! syntax: escapes are \n \t \r \\ \" \' \0 \xHH \u{...}: a backslash itself is written \\
"\u{1F600}".len()                                        #=> 1
f"{[1.5, 2.5]:.1f}"                                      #! type: cannot format f64[2] with '.1f': 'f' is for one number: write map(fn(v) = format(v, ".1f"), x), or round(x, d)
f"{1.5:>8.2f}|{-1:05d}|{255:#x}|{8:o}|{65:>+6}"          #=>     1.50|-0001|0xff|10|   +65
f"{'x':^5}|{'x':>>3}|{3.14159:.3}|{1e10:g}|{0.5:.0%}"    #=>   x  |>>x|3.14|1e+10|50%
f"{record(a=1).a}{'a' if true else 'b'}"                 #=> 1a
f"{(1, 2)}"                                              #=> (1, 2)
f"{1j:.1f}"                                              #=> 0.0+1.0j
pi = 3; pi                                               #=> 3
del pi; pi                                               #=> 3.141592653589793
args                                                     #=> ()
e                                                        #=> 2.718281828459045

# ---- Statements ----
a, b = [1, 2], 3; a                                      #=> [1 2]
a, b = (1,)                                              #! 1 value for 2 names
a, b = 5                                                 #! type: unpacking needs a range, tuple, string or array, not int: write range(n)
x = (1, (2, 3)); (a, (b, c)) = x; c                      #=> 3
x = [1, 2]; i = 0; x[i] += 5; x                          #=> [6 2]
x = record(a=(1, 2)); x.a[0] = 5; x                      #=> record(a=(5, 2))
x = record(a=record(b=[1, 2])); x.a.b[1] = 9; x.a.b      #=> [1 9]
x = (1, 2); y = x; x[0] = 3; (x, y)                      #=> ((3, 2), (1, 2))
s = "abc"; s[0] = "x"                                    #! type: elements of a string cannot be assigned: only arrays have assignable elements
for i in range(3) { if i == 1 { continue }; print(i) }   #=> 0
                                                         #=> 2
i = 0; while true { i += 1; if i > 4 { break } }; i      #=> 5
fn f(a, b) { return a, b }
f(1, 2)                                                  #=> (1, 2)
fn f(a, b=a * 2) = b
f(4)                                                     #=> 8
fn f() { return }
f() == none                                              #=> true
fn outer_fn() { k = 5; g = fn(x) = x + k; k = 6; return g(1) }
outer_fn()                                               #=> 6
fn fib(n) { if n < 2 { return n }; return fib(n - 1) + fib(n - 2) }
fib(15)                                                  #=> 610
try { x = [1, 2][9] } catch err { print(err.kind) }      #=> index
try { error("a") } catch err { print(err.kind, err.message) } #=> user a
assert true
assert [1, 2] == [1, 2]                                  #! type: a condition must be one boolean, not bool[2]: use any(x) or all(x), or where(x, a, b) and & | ~ element by element
import nosuch                                            #! nosuch
import "nosuch.arr" as q                                 #! nosuch.arr
np = 3; np + 1                                           #=> 4
fn lam(x) = x ** 2, 3                                    #! syntax: several results stand in parentheses: fn f(x) = (a, b)
map(fn(x) = x + 1, (1, 2))                               #=> (2, 3)
fn kw(a, k=1) = a + k
kw(1, zz=2)                                              #! zz
kw(1, 2, 3)                                              #! argument: kw takes 2 arguments, 3 are given
kw()                                                     #! argument: kw needs an argument for 'a'
kw(1, a=2)                                               #! argument: kw gets two values for 'a'
lambda                                                   #! fn
def                                                      #! fn
x && y                                                   #! syntax: `and` joins booleans, `&` boolean arrays: no &&
x = 5; x++                                               #! syntax: there is no ++ and no unary +: write x += 1, or a + b
not 1                                                    #! type: the operand of not must be one boolean, not int: write x != 0
1 and true                                               #! type: an operand of and must be one boolean, not int: write x != 0
[true] and [false]                                       #=> false
[true, true] and true                                    #! all
"a" + "b"                                                #=> ab
"a" * 3                                                  #=> aaa
"a" < "b"                                                #=> true
(1, 2) < (1, 3)                                          #! type: cannot compare (<) a tuple of 2 and a tuple of 2
"a" == 1                                                 #=> false
() == ()                                                 #=> true
none == 0                                                #=> false
~5                                                       #=> -6
~[true, false]                                           #=> [false  true]
-[true]                                                  #! dtype: cannot negate bool: use & | ^ ~ on booleans, or i64(m) to count
5 ^ 3                                                    #=> 6
1 | 2 & 3 ^ 1                                            #=> 3
7 @ 2                                                    #! shape: cannot multiply int @ int: @ is for arrays with at least one axis: use *
2 ** -2 ** 1                                             #=> 0.25
-3 ** 2                                                  #=> -9
10 - 2 - 3                                               #=> 5
1 if false else 2 if false else 3                        #=> 3

# ---- Values ----
[1, 2.5, true]                                           #=> [1.  2.5 1. ]
[1, 2j]                                                  #=> [1.+0.j 0.+2.j]
[[1, 2], [3.5, 4]]                                       #=> [[1.  2. ]
                                                         #=>  [3.5 4. ]]
[f32(1.5), 2].dtype                                      #=> f32
[[1, 2], 3]                                              #! shape: an array: all parts must have one shape, here are i64[2] and i64[]: to join them end to end write concat((a, b))
array((1, 2, 3), f32)                                    #=> [1. 2. 3.]
x = zeros(2, f32); x[0] = 1; x.dtype                     #=> f32
bool(2), bool([0])                                       #=> (true, [false])
int(2.9), int(-2.9), int(true)                           #=> (2, -2, 1)
float("nan"), float("inf"), float("-1e3")                #=> (nan, inf, -1000.0)
int("0x10")                                              #! value: int cannot read '0x10'
int("a")                                                 #! cannot read
complex(1, 2) * 1j                                       #=> (-2+1j)
range(5)[1:3]                                            #=> range(1, 3)
len(range(0, 10, 3))                                     #=> 4
range(10)[-1]                                            #=> 9
3 in range(5)                                            #=> true
tuple                                                    #! name: unknown name 'tuple': write (a, b)
(1, 2)[5]                                                #! index: index 5 is out of range for a tuple of length 2
(1, 2, 3)[1:]                                            #=> (2, 3)
record(x=1).y                                            #! y
"abc".upper()                                            #=> ABC
[3, 1].sort()                                            #=> [1 3]
[1, 2].foo                                               #! foo
(1,)                                                     #=> (1,)
min(zip((1, 2), (3, 4))[1])                              #=> 2
sorted(("b", "a"), key=fn(s) = s)                        #=> ('a', 'b')
sorted((3, -4), key=abs)                                 #=> (3, -4)
enumerate(("x", "y"), 1)                                 #=> ((1, 'x'), (2, 'y'))

# ---- Dtypes ----
i8([100]) + 100                                          #=> [-56]
u8([1]) - u8([2])                                        #=> [255]
(u8([1]) + i64([1])).dtype                               #=> i64
(u32([1]) * i8([1])).dtype                               #=> i64
(u8([1]) / u8([2])).dtype                                #=> f64
(f16([1]) / 3).dtype                                     #=> f16
(c64([1]) + f64([1])).dtype                              #=> c128
(i64([1]) + c64([1])).dtype                              #=> c64
(bool([1]) + f16([1])).dtype                             #=> f16
i32(f32([2147483648.0]))                                 #=> [2147483647]
u8(f32([-5.5, 3.9]))                                     #=> [0 3]
bool([0.0, nan, 2])                                      #=> [false  true  true]
f32(16777217)                                            #=> 1.6777216e+07
i32([7, -7]) % i32([3, 3])                               #=> [1 2]
[7.5, -7.5] // 2                                         #=> [ 3. -4.]
[5.5, -5.5] % 3                                          #=> [2.5 0.5]
1.0 / 0.0                                                #=> inf
[1.0] / [0.0]                                            #=> [inf]
1 / 0                                                    #=> inf
0 ** 0                                                   #=> 1
[2] ** 0.5                                               #=> [1.41421356]
u8([16]) ** 2                                            #=> [0]
[1 + 2j] * [3 - 1j]                                      #=> [5.+5.j]
[1 + 2j] < [2]                                           #! dtype: cannot compare (<) c128 and i64: complex numbers have no order; compare real(x), imag(x) or abs(x)
[1 + 2j] == [1 + 2j]                                     #=> [ true]
arange(0, 1, 0.3)                                        #=> [0.  0.3 0.6 0.9]
cumsum(u8([255, 255])).dtype                             #=> u64
prod([true, true]).dtype                                 #=> i64
cumsum(f16([1, 2])).dtype                                #=> f16
sum(f32([1, 2]), dtype=f64).dtype                        #=> f64
max([3, 1], where=[false, true])                         #=> 1
sum([[1, 2], [3, 4]], axis=(0, 1), keepdims=true)        #=> [[10]]
argmin([2, 1, 1])                                        #=> 1
minimum([1.0, nan], [nan, 2.0])                          #=> [nan nan]
clip([nan, 5.0], 0, 1)                                   #=> [nan  1.]
clip([1, 2], none, 1)                                    #=> [1 1]
nanmax([nan, nan])                                       #=> nan
set_default_float(f32); zeros(1).dtype                   #=> f32
(1.5 * [2]).dtype                                        #=> f32
set_default_float(f64)

# ---- Shapes and indexing ----
x = arange(24).reshape(2, 3, 4)
x[1, [0, 2], 1:3]                                        #=> [[13 14]
                                                         #=>  [21 22]]
x[:, [0, 1], [1, 2]].shape                               #=> (2, 2)
x[[0, 1], :, [1, 2]].shape                               #=> (2, 3)
x[x > 20]                                                #=> [21 22 23]
x[..., 0].shape                                          #=> (2, 3)
x[none, 0].shape                                         #=> (1, 3, 4)
x[1, 2, 3]                                               #=> 23
x[0, 0, ::-1]                                            #=> [3 2 1 0]
x[5]                                                     #! 5
x[0, 0, 0, 0]                                            #! index: too many indices: 4 for i64[2,3,4], which has 3 axes
x[1.5]                                                   #! type: float cannot be an index: integers, slices, masks and integer arrays can
x["a"]                                                   #! type: a string cannot be an index: integers, slices, masks and integer arrays can
x[[true, false]].shape                                   #=> (1, 3, 4)
x[[true]]                                                #! index: the mask bool[1] does not match i64[2,3,4]: axis 0 has 1 and 2 elements
x[::0]                                                   #! value: the step of a slice must not be 0
y = arange(5); y[[1, 1, 2]] = [7, 8, 9]; y               #=> [0 8 9 3 4]
y = arange(5); y[y > 2] = 0; y                           #=> [0 1 2 0 0]
y = arange(5); y[1:3] = [1, 2, 3]                        #! shape: cannot assign i64[3] where the index selects i64[2]
y = arange(5); y[::2] = -1; y                            #=> [-1  1 -1  3 -1]
take(arange(5), [7], mode="clip")                        #=> [4]
max_at([1, 2], [0, 0], [5, 3])                           #=> [5 2]
reshape(arange(6), 4, -1)                                #! shape: reshape: i64[6] does not fit into i64[4,-1]: the known extents do not divide its size
zeros(2, 3).reshape(3, 2).shape                          #=> (3, 2)
eye(2, 3)                                                #=> [[1. 0. 0.]
                                                         #=>  [0. 1. 0.]]
eval(5, [1])                                             #=> (5, [1])
"x" in ("x", "y")                                        #=> true
print(1.0e22, 123456789.123, 1e-7, f32(1e6), f16(1000.0)) #=> 1e+22 123456789.123 1e-07 1e+06 1e+03
print([1e-10, 1.0])                                      #=> [1.e-10 1.e+00]
print([1+2j, 3.5])                                       #=> [1. +2.j 3.5+0.j]
print([nan, inf, -1.5])                                  #=> [ nan  inf -1.5]
print(u8([1, 200]), f16([0.1]), bf16([0.1]))             #=> [  1 200] [0.1] [0.1]
print(zeros(0), zeros(2, 0))                             #=> [] []
print((1.5, "a", none, [1]))                             #=> (1.5, 'a', none, [1])
print(f32, fn(x) = x)                                    #=> f32 fn(x)
print(arange(2000))                                      #=> [   0    1    2 ... 1997 1998 1999]
