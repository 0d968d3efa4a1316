# The rules of the language one after another, by its page's sections: what each says, in a line.

# ---- One page of it ----
a = [1,2,3]; v = a[1:]; v[0] = 9; a                     #=> [1 2 3]
f2 = fn() { x = 1; f = fn() = x; x = 2; return f() }
f2()                                                     #=> 1
x = 1; f = fn() = x; x = 2; f()                          #=> 2
0xff + 0b101 + 0o17 + 1_000                              #=> 1275
.5 + 1e-3                                                #=> 0.501
(2j, 1.5j, 1e-3j)                                        #=> (2j, 1.5j, 0.001j)
1.                                                       #=> 1.0
1.e3                                                     #! 1e3
18446744073709551615                                     #=> 18446744073709551615
-9223372036854775808                                     #=> -9223372036854775808
18446744073709551616                                     #! beyond 2^64-1
u64([1]) + 18446744073709551615                          #=> [0]
1.5 + 18446744073709551615                               #=> 1.8446744073709552e+19
1 + 18446744073709551615                                 #! u64
"a\tb\x41\u{e9}\0".len()                                  #=> 6
len("héllo")                                             #=> 5
"héllo"[1]                                               #=> é
"héllo"[::-1]                                            #=> olléh
f"x = {1.23456:.3f}"                                     #=> x = 1.235
f"{{a}} {1 + 1} {[1,2][0]}"                              #=> {a} 2 1
f"{42:08x}|{42:#b}|{-3:+d}|{3:>5}|{3:<5}|{3:^5}|{3:*^5}" #=> 0000002a|0b101010|-3|    3|3    |  3  |**3**
f"{1234567.891:,.2f} {0.25:%} {'ab':>4s} {12345:e} {0.0001:g}"   #=> 1,234,567.89 25.000000%   ab 1.234500e+04 0.0001
mean = mean([1.0, 3.0]); mean([5.0, 7.0])                #=> 6.0
newaxis == none                                          #=> true

# ---- Statements ----
p, q = 1, 2; p, q = q, p; (p, q)                         #=> (2, 1)
m, n = [[1, 2], [3, 4]]; m                               #=> [1 2]
m, n = 1, 2, 3                                           #! 3 values for 2 names
m, _ = (5, 6); m                                         #=> 5
(m, n), k = (1, 2), 3; m + n + k                         #=> 6
g = record(dz=[1, 2, 3]); g.dz[-1] = 0; g.dz             #=> [1 2 0]
z = arange(6).reshape(3, 2); z[1:-1][z[1:-1] > 2] = 1; z[1]   #=> [2 1]
x = [1.0, 2.0]; x @= [[1.0, 0.0], [0.0, 2.0]]; x         #=> [1. 4.]
x = 6; x <<= 1; x |= 1; x ^= 3; x &= 14; x               #=> 14
x = 7; x //= 2; x **= 2; x %= 5; x                       #=> 4
s = 0; for a, b in [[1, 2], [3, 4]] { s += a * b }; s    #=> 14
s = ""; for ch in "abc" { s = ch + s }; s                #=> cba
try { error("boom", "value") } catch err { print(err.kind, err.message, err.line >= 0) } #=> value boom true
assert 1 == 2, "no"                                      #! no
y = 3; del y; y                                          #! unknown name
sum([1, 2]); 5                                           #=> 5
+ 4                                                      #! unary
fn h(a, b=1, rest...) = (a, b, rest)
h(1)                                                     #=> (1, 1, ())
h(1, 2, 3, 4)                                            #=> (1, 2, (3, 4))
t = (1, 2, 3); h(t...)                                   #=> (1, 2, (3,))
h(b=5, a=1)                                              #=> (1, 5, ())
fn bl() { x = 1 }
bl() == none                                             #=> true
fn fact(n) = 1 if n < 2 else n * fact(n - 1)
fact(10)                                                 #=> 3628800
fn bad() { q9[0] = 1 }
bad()                                                    #! argument
w = 5; fn bad2() { y = w; w = 2 }
bad2()                                                   #! name: w has no value yet: bad2 binds it (line 59), so it is local here: take it as an argument and return it

# ---- Expressions, loosest first ----
1 < 2 < 3                                                #! write (1 < 2) & (2 < 3)
if 1 { print("x") }                                      #! != 0
if [true, false] { print("x") }                          #! any
true and false or true                                   #=> true
not true == false                                        #=> true
2 ** -1                                                  #=> 0.5
2 ** 3 ** 2                                              #=> 512
-2 ** 2                                                  #=> -4
3 not in (1, 2)                                          #=> true
"bc" in "abcd"                                           #=> true
2 in [1, 2]                                              #=> true
5 in range(0, 10, 5)                                     #=> true
[1, 2] |> sum                                            #=> 3
[1, 2] |> sum(axis=0)                                    #=> 3
3 |> (fn(x) = x * 2)                                     #=> 6
1 < 2 |> abs                                             #! parentheses
"a" == "a"                                               #=> true
(1, 2) == (1, 2)                                         #=> true
f32 == f32                                               #=> true
[1, 2] == none                                           #=> false
none == none                                             #=> true
[1, 2].shape == (2,)                                     #=> true
record(x=1) == record(x=1)                               #=> true
5.5.real                                                 #=> 5.5
[[1, 2], [3, 4]].T[0]                                    #=> [1 3]
zeros(2, 3, 4).mT.shape                                  #=> (2, 4, 3)
(1 + 2j).imag                                            #=> 2.0
r = record(f=fn(a) = a + 1); r.f(1)                      #=> 2

# ---- Values ----
record(record(x=1, y=2), x=3)                            #=> record(x=3, y=2)
record(zip(("a", "b"), (1, 2)))                          #=> record(a=1, b=2)
fields(record(x=1, y=2))                                 #=> ('x', 'y')
map(fn(v) = v * 2, record(x=1, y=2))                     #=> record(x=2, y=4)
slice(1, none, 2)                                        #=> slice(1, none, 2)
arange(6)[slice(1, none, 2)]                             #=> [1 3 5]
7 / 2                                                    #=> 3.5
sqrt(2 * pi)                                             #=> 2.5066282746310002
9223372036854775807 + 1                                  #! overflow
i64([9223372036854775807]) + 1                           #=> [-9223372036854775808]
1 << 63                                                  #! overflow
[[2]][[0]].shape                                         #=> (1, 1)
arange(5)[[2]].shape                                     #=> (1,)
[].shape                                                 #=> (0,)
[[1, 2], [3]]                                            #! concat((a, b))
(1, 2) + (3,)                                            #=> (1, 2, 3)
(1, 2, 3)[::-1]                                          #=> (3, 2, 1)
zip((1, 2), (3,))                                        #! value: zip: the lengths differ: 2 and 1
enumerate("ab")                                          #=> ((0, 'a'), (1, 'b'))
filter(fn(x) = x > 1, [1, 2, 3])                         #=> (2, 3)
sorted((3, 1, 2), descending=true)                       #=> (3, 2, 1)
sorted("cab")                                            #=> ('a', 'b', 'c')

# ---- Dtypes ----
f32([0.1])[0] == f32(0.1)                                #=> true
u8(300)                                                  #! dtype: 300 does not fit u8: cast the array, i64(x), or make the number fit
u8([300])                                                #! dtype: 300 does not fit u8: cast the array, i64(x), or make the number fit
u8(i64([300]))                                           #=> [44]
(f32([1.0]) + 1.5).dtype                                 #=> f32
(i32([1]) + 1.5).dtype                                   #=> f64
([true] + 1).dtype                                       #=> i64
(f32([1.0]) + 1j).dtype                                  #=> c64
u8([5]) == 300                                           #=> [false]
f32([1.0]) + 1e300                                       #=> [inf]
f16([65520.0])                                           #=> [inf]
x = f32([1.0, 2.0]); x[0] = 1e300; x                     #=> [inf  2.]
(i64([1]) * f32([1.0])).dtype                            #=> f32
(f16([1.0]) + bf16([1.0])).dtype                         #=> f32
(i8([1]) + u8([1])).dtype                                #=> i16
u64([1]) + i64([1])                                      #! i64(
u64([1]) < i64([-1])                                     #=> [false]
x = [1, 2]; x[0] = 1.5                                   #! cast
x = f32([1.0]); x[0] = f64([2.0])[0]                     #! f32(
f32(1e300)                                               #=> inf
i8(f64([300.0, nan, -1e9]))                              #=> [ 127    0 -128]
f64([1j])                                                #! real
true + true                                              #! & | ^ ~
[true] << [true]                                         #! & | ^ ~
[true] @ [true]                                          #! any(x & y), or i64(m)
-7 // 2                                                  #=> -4
-7 % 3                                                   #=> 2
[7] // 0                                                 #=> [0]
[7] % 0                                                  #=> [0]
7 // 0                                                   #=> 0
i64([-9223372036854775807]) - 1                          #=> [-9223372036854775808]
(i64([-9223372036854775807]) - 1) // -1                  #=> [-9223372036854775808]
abs(i8([-128]))                                          #=> [-128]
[2, 3] ** -1                                             #! value: cannot apply ** to i64 and -1: an integer to a negative power is no integer; cast first: f64(x)
[2, 1, -1] ** [-1, -1, -1]                               #=> [ 0  1 -1]
[1] << 64                                                #=> [0]
[-1] >> 70                                               #=> [-1]
[5] << -1                                                #=> [0]
max([1.0, nan])                                          #=> nan
argmax([1.0, nan, nan])                                  #=> 1
fmax(nan, 1.0)                                           #=> 1.0
sort([3.0, nan, 1.0], descending=true)                   #=> [ 3.  1. nan]
sum(u8([255, 255])).dtype                                #=> u64
sum(bf16([1.0])).dtype                                   #=> bf16
mean(i32([1, 2])).dtype                                  #=> f64
(sum([]), prod([]), all([]), any([]), mean([]))          #=> (0.0, 1.0, true, false, nan)
max([])                                                  #! axis
max(zeros(2, 0), axis=1)                                 #! axis 1
max([1], [2])                                            #! maximum
round([0.5, 1.5, 2.5])                                   #=> [0. 2. 2.]
round([1.25], 1)                                         #=> [1.2]
max([1j])                                                #! dtype: cannot apply max to c128[1]: complex numbers have no order; take real(x), imag(x) or abs(x)
sort([1j])                                               #! dtype: sort: a must be real, not c128[1]: use real(x), imag(x) or abs(x)

# ---- Shapes and indexing ----
zeros((2, 3)).shape == zeros(2, 3).shape                 #=> true
arange(10)[20:]                                          #=> []
arange(10)[-3::-3]                                       #=> [7 4 1]
arange(3)[5]                                             #! 5
arange(3)[[0, 5]]                                        #! index 5
x = zeros(3); x[[0, 0]] = [1, 2]; x                      #=> [2. 0. 0.]
add_at(zeros(3), [0, 0], [1.0, 2.0])                     #=> [3. 0. 0.]
x = arange(4); x[x > 1].shape                            #=> (2,)
arange(6).reshape(2, 3)[(1, 2)]                          #=> 5
arange(6).reshape(2, 3)[..., newaxis].shape              #=> (2, 3, 1)

# ---- Errors ----
f32([[1,2],[3,4]]) + f32([1,2,3])                        #! last axes are 2 and 3
[1,2,3] + [1,2]                                          #! shape: cannot add i64[3] and i64[2]: the last axes are 3 and 2
linspcae(0, 1)                                           #! linspace
concatenate                                              #! concat
arctan2                                                  #! atan2
power                                                    #! name: unknown name 'power': write a ** b
astype                                                   #! name: unknown name 'astype': write the dtype called: f32(x)
True                                                     #! true
None                                                     #! none
x = [1.0, 2.0, 3.0] + [[1.0], [2.0]]; x.shape            #=> (2, 3)

# ---- Printing ----
print(1, "a", [1.5], true, none, (1, "b"))               #=> 1 a [1.5] true none (1, 'b')
print(-4.0, 1e16, 1e-5)                                  #=> -4.0 1e+16 1e-05
print(f32(0.1))                                          #=> 0.1
print([true, false])                                     #=> [ true false]
print(1, 2, sep="-", end="!\n")                          #=> 1-2!
print(zeros(0, 3))                                       #=> []

# ---- Builtins ----
sliding_window(arange(5), 3)                             #=> [[0 1 2]
                                                         #=>  [1 2 3]
                                                         #=>  [2 3 4]]
sliding_window(arange(6), 2, step=2).shape               #=> (3, 2)
histogram(f32([0, 1, 2]), 2)[1].dtype                    #=> f32
bincount([0, 1, 1], weights=[1, 2, 3]).dtype             #=> i64
add_at(u8([1]), [0], u8([255]))                          #=> [0]
segment_sum([1, 2, 3], [0, 2, 3])                        #=> [3 3]
gelu(1.0)                                                #=> 0.8413447460685429
einsum("ij,jk->ik", eye(2), [[1.0], [2.0]]).shape        #=> (2, 1)
kind(1)                                                  #=> int
int("12") + float("1.5")                                 #=> 13.5
split("a,b", ",")                                        #=> ('a', 'b')
join("-", ("a", "b"))                                    #=> a-b
strip("  x ")                                            #=> x
replace("aaa", "a", "b")                                 #=> bbb
find("abc", "z")                                         #=> -1
bytes("é")                                               #=> [195 169]
bench(fn() = 5)[0]                                       #=> 5
eval((1, [2]))                                           #=> (1, [2])
exists("/nonexistent")                                   #=> false
popcount(u8([255, 3]))                                   #=> [8 2]
nextafter(1.0, 2.0)                                      #=> 1.0000000000000002
