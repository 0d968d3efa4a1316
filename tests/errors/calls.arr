# Arguments that do not fit their function.

fn f(a, b=2) = a + b
f()                                               #! argument: f needs an argument for 'a'
f(1, 2, 3)                                        #! argument: f takes 2 arguments, 3 are given
f(1, c=3)                                         #! argument: f has no parameter 'c'
f(1, a=3)                                         #! argument: f gets two values for 'a'
f(1, "x")                                         #! type: cannot add int and a string
fn g(x) = f(x)
g("a")                                            #! type: in g, called at
x = 3
x(1)                                              #! type: x is int and cannot be called
[1, 2](0)                                         #! type: an index is written x[i]
none()                                            #! type: cannot be called
len(3)                                            #! type: no length
len()                                             #! argument: len needs an argument for 'x'
f32(1, 2)                                         #! argument: casts one value
f64("1.5")                                        #! type: float(s)
(1, 2) + 3                                        #! type: array(t)
map(3, (1, 2))                                    #! type: function
1 + none                                          #! type: none
-"a"                                              #! type: cannot negate a string
not 3                                             #! type: != 0
if none { }                                       #! type: != none
while "abc" { }                                   #! type: len(x) > 0
for i in 5 { }                                    #! type: range(n)
for i in zeros(2)[0] { }                          #! type: 0-d array
3 in 5                                            #! type: in looks into
range(0, 5, 0)                                    #! value: the step is 0
int(nan)                                          #! value: nan
int(1e300)                                        #! value: 64 bits
float("1,5")                                      #! value: 1,5
record(1)                                         #! type: record
record((1, 2))                                    #! type: zip(names, values)
fields((1, 2))                                    #! type: record
exit(256)                                         #! value: 255
sorted((1, "a"))                                  #! type: no order
(1, 2)["x"]                                       #! type:
"abc"[3]                                          #! index: 3

# what the graph refuses is said in the builtin's name
put_along_axis([1], [0], range(3), 0)             #! shape: put_along_axis: cannot broadcast i64[3] to [1]
add_at([1], [0], range(3))                        #! shape: add_at: cannot broadcast i64[3] to [1]
pad([1], 10**18)                                  #! limit: pad: shape
matrix_power(ones(2, 2), 1.5)                     #! type: matrix_power: n must be an integer, not float

# operations name their parameter; a dtype that was meant
sqrt("a")                                         #! type: sqrt: x must be an array, not a string
atan2(1.0, none)                                  #! type: atan2: y must be an array
minimum("a", 1)                                   #! type: minimum: x
zeros(2, dtype="float32")                         #! type: zeros: dtype must be a dtype, say f32, not a string
zeros(2, dtype=int)                               #! type: say i64
zeros(2, dtype="x")                               #! type: zeros: dtype must be a dtype, not a string
