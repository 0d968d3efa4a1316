# Rules of laziness, random numbers, errors, printing and text, a line each.

# ---- Laziness ----
x = zeros(3)[[5]]; 1                                     #=> 1
x = zeros(3)[[5]]; print(x)                              #! index 5
x = zeros(3)[arange(4)]; try { eval(x) } catch err { print(err.kind) }; try { y = x + 1; print(y) } catch err { print(err.kind) } #=> index
                                                         #=> index
try { x = zeros(3)[[9]] } catch err { print("left", err.kind) }  #=> left index
fn early() { try { x = zeros(3)[[9]]; return 1 } catch err { return err.kind } }
early()                                                  #=> index
x = [1, 2]; try { x[0] = 5; x[7] = 1 } catch err { err.kind == "index" }; x   #=> [5 2]
x = arange(4); n = x[x > 1].size; n                      #=> 2
a = rand(10); array_equal(a, a)                          #=> true
r, ms = bench(fn() = [1, 2], n=2); r                     #=> [1 2]
ms >= 0.0                                                #=> true
sync() == none                                           #=> true
a = [1.0, 2.0]; b = a; b[0] = 9; (a, b)                  #=> ([1. 2.], [9. 2.])
a = [1, 2, 3]; a[1:] = a[:-1]; a                         #=> [1 1 2]
a = arange(5); a[1:] = a[:-1] * 2; a[:-1] = a[1:]; a     #=> [0 2 4 6 6]
eval(record(x=[1]), (2,))                                #=> (record(x=[1]), (2,))
if [5] == [5] { print("one") }                           #=> one
if [1, 2][0] == 1 { print("yes") }                       #=> yes
k = [3][0]; range(k)                                     #=> range(0, 3)
zeros([2][0], 1).shape                                   #=> (2, 1)
x = arange(6); x[[2][0]]                                 #=> 2
while [false][0] { }
x = 0; for v in [1, 2, 3] { x += v }; x                  #=> 6
# ---- Random ----
seed(5); a = rand(3); seed(5); b = rand(3); array_equal(a, b)   #=> true
seed(5); rand(2); c = rand(3); seed(5); rand(1); d = rand(3); array_equal(c, d) #=> true
seed(5); a = rand(6)[2:4]; seed(5); b = rand(2, 3).ravel()[2:4]; array_equal(a, b) #=> true
seed(1); x = rand(1000, f16); max(x) < 1                 #=> true
rand().shape                                             #=> ()
randint(3, size=(2, 2)).shape                            #=> (2, 2)
seed(2); try { rand(-1) } catch err { }; a = rand(2); seed(2); rand(0); b = rand(2); array_equal(a, b) #=> true
sort(permutation(5))                                     #=> [0 1 2 3 4]
sum(multinomial(10, [0.2, 0.8], size=3), axis=1)         #=> [10 10 10]
# ---- Errors ----
sin(1, 2)                                                #! sin
zeros(3) @ zeros(4)                                      #! shape: cannot matmul f64[3] and f64[4]: the inner axes are 3 and 4
np.array                                                 #! name: unknown name 'np': write the names without np., or import numpy as np first
x = zeros(3); x.sum()                                    #=> 0.0
zeros(3).nosuchfield                                     #! nosuchfield
a = [1, 2, 3]; b = [1, 2]; a + b                         #! last axes are 3 and 2
[[1, 2, 3], [4, 5, 6]] + [1, 2]                          #! write b[:, newaxis]
"a" + 1                                                  #! str(x)
(1, 2) + [3]                                             #! type: cannot add a tuple of 2 and i64[1]: array(t) makes an array of a tuple
none + 1                                                 #! none
print + 1                                                #! type: cannot add a function and int: call the function, f(x)
5(3)                                                     #! cannot be called
[1, 2](0)                                                #! x[i]
x.shape = 3                                              #! type: fields of f64[3] cannot be assigned: only records have assignable fields
u64([1]) + i64([1])                                      #! cast one side
self                                                     #! name: unknown name 'self': write the record as an argument
len = 5; len + 1                                         #=> 6
len([1, 2])                                              #=> 2
del len
null                                                     #! none
elseif                                                   #! name: unknown name 'elseif': write elif
np.zeros                                                 #! name: unknown name 'np': write the names without np., or import numpy as np first
# ---- Printing ----
print(array(1.5), f16(0.1), bf16(3.14159), f32(1e-8))    #=> 1.5 0.1 3.14 1e-08
print(1e15, 1e16, 123456.789e3, -0.0)                    #=> 1000000000000000.0 1e+16 123456789.0 -0.0
print([0.1, 0.123456789, 100.5])                         #=> [1.00000000e-01 1.23456789e-01 1.00500000e+02]
print(1 + 2j, 1e20j, -0.0 - 1j)                          #=> (1+2j) 1e+20j (-0-1j)
print([1e-320, 1.0])                                     #=> [1.e-320 1.e+000]
print([[1.5, 2], [3, 400]])                              #=> [[  1.5   2. ]
                                                         #=>  [  3.  400. ]]
print([[]], [[[1]]])                                     #=> [] [[[1]]]
print(u64([18446744073709551615]))                       #=> [18446744073709551615]
print(("a\n", 'it\'s', "q\"", "é"))                      #=> ('a\n', "it's", 'q"', 'é')
print(record(a="x", b=[1]))                              #=> record(a='x', b=[1])
print(range(3), slice(1, 2))                             #=> range(0, 3) slice(1, 2, none)
print()                                                  #=>
print((true, none, 1.0, f32(2)))                         #=> (true, none, 1.0, 2.0)
print(c64([1+1e-8j]))                                    #=> [1.+1.e-08j]
str([1, 2]) + repr("a")                                  #=> [1 2]'a'
print([true], bool([[1, 0]]))                            #=> [ true] [[ true false]]
# ---- Strings, tuples, records ----
"abcdef"[1:4]                                            #=> bcd
"abcdef"[-2:]                                            #=> ef
"abc"[5]                                                 #! 5
"abc"[1:99]                                              #=> bc
split("a b  c")                                          #=> ('a', 'b', 'c')
split("a,,b", ",")                                       #=> ('a', '', 'b')
split("abc", "")                                         #! value: split: sep must not be empty
join(", ", map(str, (1, 2)))                             #=> 1, 2
join("", ())                                             #=>
strip("xxaxx", "x")                                      #=> a
replace("abab", "ab", "c")                               #=> cc
find("hello", "l")                                       #=> 2
startswith("abc", "ab"), endswith("abc", "bc")           #=> (true, true)
lower("ABC"), upper("abc")                               #=> ('abc', 'ABC')
"b" in "abc", "" in "abc"                                #=> (true, true)
"abc" < "abd", "a" >= "b", "a" != "a"                    #=> (true, false, false)
int(" 42 "), int("-7"), float("1e-3"), float(" .5 ")     #=> (42, -7, 0.001, 0.5)
float("x")                                               #! cannot read
int("1.5")                                               #! int(float(s))
len(()), len((1, (2, 3)))                                #=> (0, 2)
(1, 2) * 2                                               #=> (1, 2, 1, 2)
(1, 2) == [1, 2]                                         #=> false
(1, "a", none)[1:]                                       #=> ('a', none)
zip((1, 2), "ab", [3, 4])                                #=> ((1, 'a', 3), (2, 'b', 4))
map(fn(a, b) = a + b, (1, 2), (3, 4))                    #=> (4, 6)
filter(fn(c) = c != "a", "banana")                       #=> ('b', 'n', 'n')
sorted([3, 1, 2])                                        #=> (1, 2, 3)
sorted(("bb", "a"), key=len)                             #=> ('a', 'bb')
r = record(x=1); r.y = 2; r                              #=> record(x=1, y=2)
r = record(x=1); s = record(r, x=3); (r, s)              #=> (record(x=1), record(x=3))
for k in fields(record(a=1, b=2)) { print(k) }           #=> a
                                                         #=> b
len(record(a=1))                                         #=> 1
record(a=1) == record(a=1), record(a=1) == record(a=2)   #=> (true, false)
format(3.14159, ".2f"), format(255, "x"), format("a", ">3") #=> ('3.14', 'ff', '  a')
format(1234567, ","), format(0.5, "%"), format(5, "03d") #=> ('1,234,567', '50.000000%', '005')
format(1e-7), format(true), format([1, 2])               #=> ('1e-07', 'true', '[1 2]')
format(3, "q")                                           #! value: cannot format with 'q': after [fill][<>^=][+- ][#][0][width][,][.precision] comes one of d x b o e f g % s
format("a", "d")                                         #! type: cannot format a string with 'd': 'd' is for numbers: use int(x) or float(x)
f"{3:{5}}|"                                              #=>     3|
f"{1.5}{2:>4}{'z'}"                                      #=> 1.5   2z
f"{f32(0.1)} {[0.1][0]:.3f} {i8([5])[0]:d}"              #=> 0.1 0.100 5
f"{'a' + 'b'} {record(q=1).q} {fn(x) = x}"               #=> ab 1 fn(x)
f"{-5 // 2} {2 ** 0.5:.3e}"                              #=> -3 1.414e+00
f"{1e6:.0f} {123.456:8.1f}| {0.00001234:g} {1e20:g}"     #=> 1000000    123.5| 1.234e-05 1e+20
f"{12:b} {12:o} {12:X} {12:#o} {-12:#x}"                 #=> 1100 14 C 0o14 -0xc
f"{inf:.1f} {nan:5.2f} {-inf:g}"                         #=> inf   nan -inf
f"{3:s}"                                                 #! type: cannot format an integer with 's': 's' is for strings: use str(x)
f"{1.0:d}"                                               #! type: cannot format a float with 'd': 'd' is for integers: use .0f, or int(x)
f"{5:.2f} {5:e} {true:d} {7:+}"                          #=> 5.00 5.000000e+00 1 +7
f"{'é':>3}|{'abc':.2}|{'x':<3}|"                         #=>   é|ab|x  |
upper("é ß ÿ ж ǆ ά 𐐨"), lower("É ẞ Ÿ Ж Ǆ Ά 𐐀")              #=> ('É ß Ÿ Ж Ǆ Ά 𐐀', 'é ß ÿ ж ǆ ά 𐐨')
upper("ı"), lower("K"), len(upper("aé1"))                #=> ('I', 'k', 3)
