# language.md, "Values": records, tuples, ranges, slices, conversions to scalars

record()                                          #=> record()
record(1)                                         #! record needs a record, a tuple of pairs or named fields, not int
record(x=1, x=2)                                  #! the argument `x` is given twice
r = record(x=1, y=2); record(r, x=3)              #=> record(x=3, y=2)
r = record(x=1); s = record(r, z=3); print(r, s)  #=> record(x=1) record(x=1, z=3)
record(zip(("a","b"), (1,2)))                     #=> record(a=1, b=2)
record(zip(("a","a"), (1,2)))                     #=> record(a=2)
record(zip(("a b","b"), (1,2)))                   #=> record(a b=1, b=2)
record(zip((1,2), (1,2)))                         #! record: a field's name must be a string that is not empty, not int
record((1,2))                                     #! record: a tuple must hold (name, value) pairs: record(zip(names, values))
record((("a",1),("b",2)), c=3)                    #=> record(a=1, b=2, c=3)
record("abc")                                     #! record needs a record, a tuple of pairs or named fields, not a string
fields(record(x=1, y=2))                          #=> ('x', 'y')
fields(3)                                         #! fields needs a record, not int
fields()                                          #! fields needs an argument for 'r'
map(fn(v) = v * 2, record(x=1, y=[1,2]))          #=> record(x=2, y=[2 4])
map(fn(a, b) = a + b, record(x=1), record(x=2))   #! map needs a range, tuple, string or array, not a record: use fields(r) for the names, map(f, r)
map(fn(a, b) = a + b, (1,2), (3,4))               #=> (4, 6)
map(fn(a, b) = a + b, (1,2), (3,4,5))             #! map: the lengths differ: 2 and 3
map(sqrt, [1.,4.])                                #=> (1.0, 2.0)
map(3, (1,))                                      #! map: f must be a function, not int: it comes first, map(f, x)
map(sqrt)                                         #! map takes 1 to 16 values, 0 are given
map(sqrt, 5)                                      #! map needs a range, tuple, string or array, not int: write range(n)
map(upper, "abc")                                 #=> ('A', 'B', 'C')
r = record(x=1); r.y                              #! the record has no field 'y'
r = record(xval=1); r.xvla                        #! the record has no field 'xvla': did you mean 'xval'?
r = record(x=1); r["x"]                           #=> 1
r = record(x=1); r["y"]                           #! name: the record has no field 'y'
r = record(x=1); r[0]                             #! type: a record cannot be indexed but by the name of one field: r.x or r["x"]
r = record(x=1); r["x", "x"]                      #! type: a record cannot be indexed but by the name of one field: r.x or r["x"]
r = record(zip(("a-b", "if"), ([1, 2], 3))); r["a-b"][1], r["if"]   #=> (2, 3)
r = record(x=[1, 2]); r["x"][0] = 9; r["z"] = 5; r["z"] += 1; r   #=> record(x=[9 2], z=6)
r = record(x=1); r[""] = 2                        #! type: a record cannot be indexed but by the name of one field: r.x or r["x"]
r = record(a=1, b=2); for k in fields(r) { r[k] = r[k] * 10 }; r   #=> record(a=10, b=20)
r = record(x=1); r.x.y = 3                        #! fields of int cannot be assigned: only records have assignable fields
r = record(x=1); len(r)                           #=> 1
() + (1,)                                         #=> (1,)
(1,2,3)[1:]                                       #=> (2, 3)
(1,2,3)[::-1]                                     #=> (3, 2, 1)
(1,2,3)[-1]                                       #=> 3
(1,2,3)[5]                                        #! index 5 is out of range for a tuple of length 3
(1,2,3)[1.5]                                      #! float cannot be an index: integers, slices, masks and integer arrays can
(1,2,3)[[0,1]]                                    #! index must be one integer, not i64[2]
(1,2,3)[0,1]                                      #! a tuple takes one index, not 2
(1,2,3)[none]                                     #! none cannot be an index: integers, slices, masks and integer arrays can
(1,2,3)[[1][0]]                                   #=> 2
"hello"[1:3]                                      #=> el
"hello"[-1]                                       #=> o
"héllo"[::-1]                                     #=> olléh
"hello"[9]                                        #! index 9 is out of range for a string of length 5
"abc"[:"a"]                                       #! a slice bound must be an integer, not a string
"abc"[::0]                                        #! the step of a slice must not be 0
(1,2)[::0]                                        #! the step of a slice must not be 0
range(10)[2]                                      #=> 2
range(10)[2:5]                                    #=> range(2, 5)
range(10)[::-1]                                   #=> range(9, -1, -1)
range(3)[5]                                       #! index 5 is out of range for a range of length 3
len(range(0,10,3))                                #=> 4
range(5, 0, -2)                                   #=> range(5, 0, -2)
range(1, 2, 0)                                    #! range: the step is 0
range()                                           #! range needs an argument for 'start'
range(1.5)                                        #! range: stop must be an integer, not float: write int(x), or // for /
range(1,2,3,4)                                    #! range takes 3 arguments, 4 are given
range("a")                                        #! range: stop must be an integer, not a string
range([3][0])                                     #=> range(0, 3)
range(9223372036854775807)                        #=> range(0, 9223372036854775807)
len(range(-9223372036854775807, 9223372036854775807)) #=> 9223372036854775807
range(true)                                       #=> range(0, 1)
slice(1)                                          #=> slice(none, 1, none)
slice(1, 2, 3)                                    #=> slice(1, 2, 3)
slice()                                           #! slice needs an argument for 'lo'
slice("a")                                        #! slice: hi must be an integer, not a string
x = arange(5); s = slice(1, 4); x[s]              #=> [1 2 3]
slice(1,4).lo                                     #! a slice has no attribute 'lo'
x = arange(5); x[slice(none, none, -1)]           #=> [4 3 2 1 0]
"hello"[slice(1,3)]                               #=> el
zip()                                             #! zip takes 1 to 16 values, 0 are given
zip((1,2))                                        #=> ((1,), (2,))
zip((1,2), (3,))                                  #! zip: the lengths differ: 2 and 1
zip("ab", [1,2], range(2))                        #=> (('a', 1, 0), ('b', 2, 1))
zip(1, 2)                                         #! zip needs a range, tuple, string or array, not int: write range(n)
enumerate("ab")                                   #=> ((0, 'a'), (1, 'b'))
enumerate("ab", 1)                                #=> ((1, 'a'), (2, 'b'))
enumerate("ab", start=5)                          #=> ((5, 'a'), (6, 'b'))
enumerate(5)                                      #! enumerate needs a range, tuple, string or array, not int: write range(n)
enumerate([[1,2],[3,4]])                          #=> ((0, [1 2]), (1, [3 4]))
enumerate("ab", 1.5)                              #! enumerate: start must be an integer, not float: write int(x), or // for /
filter(fn(x) = x > 1, [1,2,3])                    #=> (2, 3)
filter(fn(x) = x, (1,2))                          #! filter: the answer of f must be one boolean, not int: write x != 0
filter(fn(x) = x > "a", "abc")                    #=> ('b', 'c')
filter(3, (1,))                                   #! filter: f must be a function, not int: it comes first, filter(f, x)
filter(fn(x)=true, 3)                             #! filter needs a range, tuple, string or array, not int: write range(n)
sorted((3,1,2))                                   #=> (1, 2, 3)
sorted([3,1,2])                                   #=> (1, 2, 3)
sorted("hello")                                   #=> ('e', 'h', 'l', 'l', 'o')
sorted((3,1,2), descending=true)                  #=> (3, 2, 1)
sorted((3,1,2), reverse=true)                     #! sorted has no parameter 'reverse': did you mean 'descending'?
sorted(("b", "a"), key=fn(x) = x)                 #=> ('a', 'b')
sorted((1, "a"))                                  #! sorted: int and a string have no order
sorted(range(3,0,-1))                             #=> (1, 2, 3)
sorted((nan, 1.0, 2))                             #=> (1.0, 2, nan)
sorted(((2,"b"),(1,"a")))                         #=> ((1, 'a'), (2, 'b'))
sorted(((2,"b"),(1,"a")), key=fn(t) = t[0])       #=> ((1, 'a'), (2, 'b'))
sorted(5)                                         #! sorted needs a range, tuple, string or array, not int: write range(n)
sorted((1j, 2))                                   #! sorted: complex and int have no order
len("é")                                          #=> 1
len([[1,2],[3,4],[5,6]])                          #=> 3
len(5)                                            #! int has no length: it has no axes
len(f32(1))                                       #! f32[] has no length: it has no axes
len(none)                                         #! none has no length
len()                                             #! len needs an argument for 'x'
len((1,),(2,))                                    #! len takes 1 argument, 2 are given
int("12")                                         #=> 12
int(" 12 ")                                       #=> 12
int("1_000")                                      #! int cannot read '1_000'
int("0x1f")                                       #! int cannot read '0x1f'
int("12a")                                        #! int cannot read '12a'
int("")                                           #! int cannot read ''
int("1.5")                                        #! int: '1.5' is no integer: write int(float(s))
int("99999999999999999999")                       #! int: '99999999999999999999' does not fit 64 bits
int(1.9)                                          #=> 1
int(-1.9)                                         #=> -1
int(1e20)                                         #! int: 1e+20 does not fit 64 bits
int(nan)                                          #! int: nan does not fit 64 bits
int(inf)                                          #! int: inf does not fit 64 bits
int(true)                                         #=> 1
int([3])                                          #=> 3
int([1,2])                                        #! int needs one number, not i64[2]: a dtype casts an array, i64(x), f64(x)
int(1j)                                           #! int: a complex number does not convert: use int(real(x))
int((1,))                                         #! int needs one number or text, not a tuple of 1
int(none)                                         #! int needs one number or text, not none
int(18446744073709551615)                         #=> 18446744073709551615
int("ff", 16)                                     #! int takes 1 argument, 2 are given
int(f32([2.7])[0])                                #=> 2
float("1.5")                                      #=> 1.5
float("1e400")                                    #=> inf
float("nan")                                      #=> nan
float("-inf")                                     #=> -inf
float("infinity")                                 #=> inf
float("abc")                                      #! float cannot read 'abc'
float(" 1.5\n")                                   #=> 1.5
float("1_0.5")                                    #! float cannot read '1_0.5'
float("0x1p3")                                    #! float cannot read '0x1p3'
float(1j)                                         #! float: a complex number does not convert: use real(x)
float([1,2])                                      #! float needs one number, not i64[2]: a dtype casts an array, i64(x), f64(x)
float(true)                                       #=> 1.0
float(f32([0.1])[0])                              #=> 0.10000000149011612
complex(1,2)                                      #=> (1+2j)
complex("1+2j")                                   #=> (1+2j)
complex("x")                                      #! complex cannot read 'x'
complex([1.5])                                    #=> (1.5+0j)
complex(1, 2j)                                    #=> (-1+0j)
complex(1,"a")                                    #! complex needs one number or text, not a string
bool(1)                                           #=> true
bool("a")                                         #! bool does not read text: write bool(float(s)) or bool(int(s))
bool("")                                          #! bool does not read text: write bool(float(s)) or bool(int(s))
bool([1,2])                                       #=> [ true  true]
bool(none)                                        #! bool: x must be an array, not none
bool(nan)                                         #=> true
kind(bool(3))                                     #=> bool
bool([3])                                         #=> [ true]
kind(bool([3][0]))                                #=> array
