# language.md, "Builtins": text; f-strings of "Lexical"; tuples and records of "Values"

# f-strings: a spec begins at the first `:` outside of brackets, whatever follows it
f"{-5:=5}|{-5:x=6}|{5:=}"                         #=> -   5|-xxxx5|5
f"{true if 1 < 2 else false}"                     #=> true
f"{[1, 2, 3][0:2]} {record(a=1).a}"               #=> [1 2] 1
f"{'abc':05}|{'abc':.2}|{'abc':^7.2s}|{'é':é>3}"  #=> abc00|ab|  ab   |ééé
f"{12345678:,}|{1234567:012,d}|{255:#010x}"       #=> 12,345,678|0,001,234,567|0x000000ff
f"{1e20:g}|{0.5:.0%}|{2.5:.0f}|{-0.0:+}|{nan:6}"  #=> 1e+20|50%|2|-0.0|   nan
f"{1 + 2j:.1f}|{1 + 2j:>8}"                       #=> 1.0+2.0j|  (1+2j)
f"{(1, 'a'):>10}|{none:>6}|{[1, 2]:>7}|"          #=>   (1, 'a')|  none|  [1 2]|
w = 9
f"{pi:{w}.{3}f}|{'x':{'*'}^{w}}"                  #=>     3.142|****x****
f"{[1.5, 2.5]:.2f}"                               #! type: cannot format f64[2] with '.2f': 'f' is for one number
f"{(1, 2):d}"                                     #! type: map(fn(v) = format(v, "d"), x)
f"{1.5:d}"                                        #! type: use .0f, or int(x)
f"{5:s}"                                          #! type: use str(x)
f"{5:.2}"                                         #! value: an integer has no precision
f"{5:q}"                                          #! value: d x b o e f g % s
f"{5:1000001}"                                    #! limit: at most 1000000
f"{}"                                             #! syntax: an expression is missing
f"}"                                              #! syntax: a brace is written }}
x = 3
f"{x!r}"                                          #! syntax: repr(x)
repr("a'b") + repr("\x85\xa0\x01é")               #=> "a'b"'\x85\xa0\x01é'
format("x", 5)                                    #! type: format: spec must be a string

# text
", ".join(("a", "b"))                             #=> a, b
join(("a", "b"), ", ")                            #! type: the separator comes first
join(", ", "ab")                                  #! type: join: parts
join(", ", ("a", 1))                              #! type: join: parts must be a string, not int
join(5, ("a",))                                   #! type: join: sep
split("a,b,,c", ",")                              #=> ('a', 'b', '', 'c')
split(" a  b ")                                   #=> ('a', 'b')
split("a,b", ",", 1)                              #! argument: split
split("a,b", "")                                  #! value: split: sep must not be empty
split("a,b", 5)                                   #! type: split: sep
strip("xyaxy", "yx")                              #=> a
strip("a", 5)                                     #! type: strip: chars
strip(5)                                          #! type: strip: s
replace("aba", "a", "")                           #=> b
replace("aba", "", "x")                           #! value: replace: old must not be empty
replace("aba", "a", 1)                            #! type: replace: new
replace("aba", "a")                               #! argument: replace needs an argument for 'new'
find("héllo", "l")                                #=> 2
find("abc", "z")                                  #=> -1
find("abc", 1)                                    #! type: find: sub
upper("aé1") + lower("AÉ1")                       #=> AÉ1aé1
upper(1)                                          #! type: upper: s
startswith("abc", "ab")                           #=> true
startswith("abc", 1)                              #! type: startswith: prefix
endswith("abc", "bc") and endswith("", "")        #=> true
endswith(1, "a")                                  #! type: endswith: s
"ab" * 2 + 2 * "c"                                #=> ababcc
"abc"[::-1] + "abc"[1:][-1]                       #=> cbac
"abc"[3]                                          #! index: index 3 is out of range for a string of length 3
"abc" < "abd" and "" < "a" and "Z" < "a"          #=> true
"a" + 1                                           #! type: str(x)
"abc".size                                        #! name: len(x)
"abc".uper()                                      #! name: did you mean 'upper'?
int(" -12 ")                                      #=> -12
int("1.5")                                        #! value: int(float(s))
int("9223372036854775808")                        #! value: does not fit 64 bits
int("x1")                                         #! value: int cannot read 'x1'
float("1e400")                                    #=> inf
float("0x1")                                      #! value: float cannot read
complex("1+2j") * 1j                              #=> (-2+1j)
f32("1")                                          #! type: f32(float(s))

# print
print(1, "a", (1, "b"), none, true, 1e16, sep=", ", end=".\n")        #=> 1, a, (1, 'b'), none, true, 1e+16.
print(end="|\n")                                   #=> |
print(1, sep=5)                                   #! type: print: sep
print(1, end=none)                                #! type: print: end
print(1, file=2)                                  #! argument: it has values, sep, end

# tuples and ranges
(1, 2) + (3,)                                     #=> (1, 2, 3)
(1, 2, 3)[::-1][0]                                #=> 3
(1, 2) + [3]                                      #! type: array(t)
[2.5][0] in range(3)                              #=> false
[2][0] in range(3)                                #=> true
1e300 in range(3)                                 #=> false
map(fn(a, b) = a + b, (1, 2), [3, 4])             #=> (4, 6)
map(upper, "abc")                                 #=> ('A', 'B', 'C')
map(3, (1,))                                      #! type: map: f must be a function
zip((1, 2), (3,))                                 #! value: lengths differ: 2 and 1
zip(5)                                            #! type: range(n)
enumerate("ab", 1)                                #=> ((1, 'a'), (2, 'b'))
enumerate("ab", 1.5)                              #! type: enumerate: start
filter(fn(x) = x > 1, [1, 2, 3])                  #=> (2, 3)
filter(1, (1, 2))                                 #! type: filter: f must be a function
filter(fn(x) = x, (1, 2))                         #! type: filter: the answer of f
sorted(("b", "a", "c"), descending=true)          #=> ('c', 'b', 'a')
sorted((1, "a"))                                  #! type: int and a string have no order
sorted((1, 2), reverse=true)                      #! argument: did you mean 'descending'?
sorted((1, 2), key=3)                             #! type: sorted: key must be a function
f64((1, 2))                                       #! type: array(t, f64)
i64(none)                                         #! type: i64: x must be an array

# records
r = record(x=1, y=2)
record(r, x=3)                                    #=> record(x=3, y=2)
r                                                 #=> record(x=1, y=2)
record(zip(("a", "b"), (1, 2)))                   #=> record(a=1, b=2)
record(zip((1, 2), (1, 2)))                       #! type: a field's name
record((1, 2))                                    #! type: record(zip(names, values))
fields(r)                                         #=> ('x', 'y')
fields(3)                                         #! type: fields needs a record
map(fn(v) = v * 2, r)                             #=> record(x=2, y=4)
r.z = (1,)
r.z                                               #=> (1,)
r["x"], r["z"]                                    #=> (1, (1,))
r[0]                                              #! type: by the name of one field
r.w                                               #! name: the record has no field 'w'
r.x.y = 3                                         #! type: only records have assignable fields
(r == record(r)) and len(r) == 3                  #=> true

# time and the rest
time() < clock()                                  #=> true
time(1)                                           #! argument: time takes 0 arguments
sleep(-1)                                         #! value: sleep: seconds must be from 0 to 1e9
sleep("a")                                        #! type: sleep: seconds
bench(3)                                          #! type: bench: f must be a function
bench(fn() = 1, 0)                                #! value: bench: n must be from 1
(result, ms) = bench(fn() = 7)
result                                            #=> 7
exit(256)                                         #! value: exit: code must be from 0 to 255
exists(5)                                         #! type: exists: path
device("gpu")                                     #! device: "cpu", "cuda", "cuda:1" or "auto"
device(5)                                         #! type: device: name
set_default_float(i32)                            #! f32 or f64
help("lenn")                                      #! name: did you mean 'len'?
