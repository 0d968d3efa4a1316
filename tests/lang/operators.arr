# language.md, "Expressions": conditions, pipes, calls, attributes, equality of all kinds

1 < 2 < 3                                         #! comparisons do not chain: write (1 < 2) & (2 < 3)
1 == 1 == 1                                       #! comparisons do not chain: write (1 == 1) & (1 == 1)
1 in (1,2) in (3,)                                #! comparisons do not chain: write (1 in (1,2)) and ((1,2) in (3,))
not 1 in (1,2)                                    #=> false
not true == false                                 #=> true
1 and true                                        #! an operand of and must be one boolean, not int: write x != 0
[true, false] and true                            #! an operand of and must be one boolean, not bool[2]: use any(x) or all(x), or where(x, a, b) and & | ~ element by element
[true] and true                                   #=> true
([true] and true).dtype                           #=> bool
kind([true][0] or false)                          #=> bool
true or 1                                         #=> true
false or "a"                                      #! an operand of or must be one boolean, not a string: write len(x) > 0
not 1                                             #! the operand of not must be one boolean, not int: write x != 0
not [true,false]                                  #! the operand of not must be one boolean, not bool[2]: use any(x) or all(x), or where(x, a, b) and & | ~ element by element
not [true]                                        #=> false
kind(not [true])                                  #=> bool
1 if 3 else 2                                     #! a condition must be one boolean, not int: write x != 0
1 if true else 2 if false else 3                  #=> 1
[3,1] |> sort |> sum                              #=> 4
[3,1] |> sort()                                   #=> [1 3]
[3,1] |> sort(descending=true)                    #=> [3 1]
3 |> fn(x) = x + 1                                #! right of |> a function stands in parentheses: x |> (fn(v) = v + 1)
3 |> (fn(x) = x + 1)                              #=> 4
3 |> 4                                            #! right of |> stands a function's name, one call f(k), or a function in parentheses: x |> (fn(v) = v + 1)
3 |> f[0]                                         #! right of |> stands a function's name, one call f(k), or a function in parentheses: x |> (fn(v) = v + 1)
3 |> sort(1)(2)                                   #! right of |> stands a function's name, one call f(k), or a function in parentheses: x |> (fn(v) = v + 1)
1 < 2 |> print                                    #! left of |> stands a comparison: put parentheses around what is meant
1 in (1,) |> print                                #! left of |> stands `in`: put parentheses around what is meant
not true |> print                                 #! left of |> stands `not`: put parentheses around what is meant
true and false |> print                           #! left of |> stands `and`: put parentheses around what is meant
(1 < 2) |> print                                  #=> true
1 + 2 |> print                                    #=> 3
1 if true else 2 |> print                         #=> 1
-3 |> abs                                         #=> 3
x = (1,2) |> sum; x                               #=> 3
r = record(f=fn(x) = x * 2); 4 |> r.f             #=> 8
4 |> r.f(1)(2)                                    #! right of |> stands a function's name, one call f(k), or a function in parentheses: x |> (fn(v) = v + 1)
[1,2] |> np.linalg.norm                           #! unknown name 'np': write the names without np., or import numpy as np first
4 |> (sqrt)                                       #=> 2.0
2 in [1,2,3]                                      #=> true
2 in [[1,2],[3,4]]                                #=> true
[1,2] in [[1,2],[3,4]]                            #! in looks for one element, not i64[2]: use isin(x, values)
"b" in "abc"                                      #=> true
1 in "abc"                                        #! in a string only a string can be looked for, not int
"a" in ("a", 1)                                   #=> true
1.0 in (1, 2)                                     #=> true
[1] in ([1], 2)                                   #=> true
none in (none, 1)                                 #=> true
1 in range(0)                                     #=> false
2.0 in range(3)                                   #=> true
2.5 in range(3)                                   #=> false
"a" in range(3)                                   #=> false
1 in 5                                            #! in looks into a tuple, range, array or string, not int
1 in record(a=1)                                  #! in looks into a tuple, range, array or string, not a record: use fields(r)
"a" in record(a=1)                                #! in looks into a tuple, range, array or string, not a record: use fields(r)
"a" in [1,2]                                      #=> false
nan in [nan]                                      #=> false
fn(x) = x, 3                                      #=> (fn(x), 3)
(fn(x) = x, 3)                                    #=> (fn(x), 3)
map(fn(x) { return x + 1 }, (1,2))                #=> (2, 3)
(fn() = 5)()                                      #=> 5
f = fn(x, y=2, r...) = x + y + len(r); f(1, 2, 3) #=> 4
f = fn(a, b) = a - b; f((1,2)...)                 #=> -1
f = fn(a, b, c) = (a, b, c); f((1,)..., 2, (3,)...) #=> (1, 2, 3)
f = fn(a, b) = (a, b); f(b=1, 2)                  #! an argument without a name cannot follow `b=`
f = fn(a, b) = (a, b); f([1,2]...)                #=> (1, 2)
f = fn(a, b) = (a, b); f("ab"...)                 #=> ('a', 'b')
f = fn(a, b) = (a, b); f(5...)                    #! spreading with ... needs a range, tuple, string or array, not int: write range(n)
f = fn(a, b) = (a, b); f(1, 2,)                   #=> (1, 2)
f = fn(a,) = a; f(1,)                             #=> 1
(1,2,)                                            #=> (1, 2)
[1,2,]                                            #=> [1 2]
(,)                                               #! `,` cannot stand behind `(`
x = [1,2,3]; x[0,]                                #=> 1
a = [[1.,2.],[3.,4.]]; print(a.shape, a.ndim, a.size, a.dtype, a.nbytes, a.T, a.mT, a.real, a.imag) #=> (2, 2) 2 4 f64 32 [[1. 3.]
                                                  #=>  [2. 4.]] [[1. 3.]
                                                  #=>  [2. 4.]] [[1. 2.]
                                                  #=>  [3. 4.]] [[0. 0.]
                                                  #=>  [0. 0.]]
print((1).dtype, (1).shape, 1.5.real, 2j.imag, 5.ndim, true.dtype, 3.size, 3.T) #=> i64 () 1.5 2.0 0 bool 1 3
"abc".size                                        #! a string has no attribute 'size': write len(x)
(1,2).shape                                       #! a tuple of 2 has no attribute 'shape': write len(x)
range(3).size                                     #! a range has no attribute 'size': write len(x)
r = record(shape=7); print(r.shape, r.ndim)       #! the record has no field 'ndim'
r = record(sum=fn(x) = "mine"); r.sum([1])        #=> mine
r = record(a=1); r.sum()                          #! sum: a must be an array, not a record
r = record(a=1); r.a(2)                           #! int cannot be called
r = record(a=1); r.fields()                       #=> ('a',)
np.pi                                             #! unknown name 'np': write the names without np., or import numpy as np first
"abc".upper()                                     #=> ABC
"abc".lenn()                                      #! a string has no attribute 'lenn': did you mean 'len'?
x = [1,2]; x.foo                                  #! i64[2] has no attribute 'foo'
x = [1,2]; x.sum                                  #! i64[2] has no attribute 'sum': it is a function, call it: x.sum()
x = 3; x.append(4)                                #! int has no attribute 'append': write concat((a, b)), or t + (x,) for a tuple
(1,2).map(fn(x) = x)                              #! map: f must be a function, not a tuple of 2: it comes first, map(f, x)
"a" == 1                                          #=> false
(1,2) == (1,2.0)                                  #=> true
(1,[1,2]) == (1,[1,2])                            #=> true
(1,[1,2]) == (1,[1,3])                            #=> false
[1] == (1,)                                       #=> false
[1,2] == none                                     #=> false
none != [1,2]                                     #=> true
none < 1                                          #! cannot compare (<) none and int: none is what a function without return gives
"a" < "b"                                         #=> true
(1,2) < (1,3)                                     #! cannot compare (<) a tuple of 2 and a tuple of 2
f = fn(x) = x; f == f                             #=> true
record(a=1) == record(a=1)                        #=> true
range(3) == range(0,3)                            #=> true
range(3) == (0,1,2)                               #=> false
slice(1) == slice(none, 1)                        #=> true
[1,2].shape == (2,)                               #=> true
"a" + "b" + 1                                     #! cannot add a string and int: write f"{x}{y}" or str(x)
"a" * 3                                           #=> aaa
3 * "a"                                           #=> aaa
(1,) * 3                                          #=> (1, 1, 1)
(1,) + [2]                                        #! cannot add a tuple of 1 and i64[1]: array(t) makes an array of a tuple
(1,) + (2, "x")                                   #=> (1, 2, 'x')
"a" - "b"                                         #! cannot subtract a string and a string
none + 1                                          #! cannot add none and int: none is what a function without return gives
f32 + 1                                           #! cannot add the dtype f32 and int
sum + 1                                           #! cannot add a function and int: call the function, f(x)
-"a"                                              #! cannot negate a string
-(1,2)                                            #! cannot negate a tuple of 2
~1.5                                              #! cannot apply ~ to float: bits are of integers
-true                                             #! cannot negate bool: use & | ^ ~, or i64(m) to count
~true                                             #=> false
~[true, false]                                    #=> [false  true]
1.5 | 2                                           #! cannot apply | to float and int: bits are of integers
1 & true                                          #=> 1
[1,2] & [true,false]                              #=> [1 0]
1 << 2.0                                          #! cannot apply << to int and float: bits are of integers
true << 1                                         #! cannot apply << to bool and int: shifts are of integers: write i64(x)
[true] @ [true]                                   #! cannot matmul bool[1] and bool[1]: use any(x & y), or i64(m) to count
true + true                                       #! cannot add bool and bool: use & | ^ ~, or i64(m) to count
[true] + [true]                                   #! cannot add bool and bool: use & | ^ ~ on booleans, or i64(m) to count
[true] + true                                     #! cannot add bool and true: use & | ^ ~ on booleans, or i64(m) to count
true * 3                                          #=> 3
true / true                                       #! cannot divide bool and bool: use & | ^ ~, or i64(m) to count
true ** true                                      #! cannot apply ** to bool and bool: use & | ^ ~, or i64(m) to count
5 @ 3                                             #! cannot multiply int @ int: @ is for arrays with at least one axis: use *
