# The language, "Values"

# arrays are values
a = [1, 2, 3]
b = a
b[0] = 9
a                                                 #=> [1 2 3]
v = a[1:]
v[0] = 7
a                                                 #=> [1 2 3]

# literals
[1, 2.5]                                          #=> [1.  2.5]
[true, false].dtype                               #=> bool
[1, 2].dtype                                      #=> i64
[].shape                                          #=> (0,)
[[1, 2], [3, 4]].shape                            #=> (2, 2)
[[1, 2], [3]]                                     #! shape: concat
[f32([1]), f32([2])].dtype                        #=> f32
[1, 1j]                                           #=> [1.+0.j 0.+1.j]

# tuples
t = (1, "two", [3])
len(t)                                            #=> 3
t[1]                                              #=> two
t[-1]                                             #=> [3]
t[:2]                                             #=> (1, 'two')
(1,)                                              #=> (1,)
()                                                #=> ()
(1, 2) + (3,)                                     #=> (1, 2, 3)
t[5]                                              #! index: 5

# records
r = record(x=1, y=2)
r.x                                               #=> 1
s = record(r, x=3)
s.x                                               #=> 3
r.x                                               #=> 1
fields(r)                                         #=> ('x', 'y')
r.z                                               #! name: z
map(fn(v) = v * 10, r).y                          #=> 20
record(zip(("a", "b"), (1, 2))).b                 #=> 2

# ranges, slices, conversion
len(range(2, 10, 3))                              #=> 3
range(5)[1:3]                                     #=> range(1, 3)
s = slice(1, none, 2)
arange(6)[s]                                      #=> [1 3 5]
zip((1, 2), (3, 4))                               #=> ((1, 3), (2, 4))
enumerate(("a", "b"))                             #=> ((0, 'a'), (1, 'b'))
sorted((3, 1, 2))                                 #=> (1, 2, 3)
zip((1, 2), (3,))                                 #! value:
int("42") + int(3.9)                              #=> 45
float("2.5")                                      #=> 2.5
complex(1, 2)                                     #=> (1+2j)
int("x")                                          #! value: x
kind([1])                                         #=> array
kind(1.5)                                         #=> float

# strings
"abc" + "def"                                     #=> abcdef
"abcdef"[1:3]                                     #=> bc
"añb"[1]                                          #=> ñ
"ab" < "b"                                        #=> true
"abc"[::-1]                                       #=> cba
str(1.5) + "x"                                    #=> 1.5x
repr("a")                                         #=> 'a'
"a" + 1                                           #! type:
