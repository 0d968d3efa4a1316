# The language, "Statements"

# several targets: the whole right side first
a, b = 1, 2
a, b = b, a
(a, b)                                            #=> (2, 1)
p, q = [10, 20]
q                                                 #=> 20
(c, d), e = (1, 2), 3
d                                                 #=> 2
_, f = 5, 6
f                                                 #=> 6
a, b, c = 1, 2                                    #! value: 2 values for 3 names
a, b = [1, 2, 3]                                  #! value: 3 values for 2 names

# op= and targets that are chains
n = 5
n += 2
n *= 3
n                                                 #=> 21
n //= 4
n **= 2
n                                                 #=> 25
n <<= 1
n                                                 #=> 50
x = [1, 2, 3]
x[0] += 10
x                                                 #=> [11  2  3]
x[1:][0] = 7
x                                                 #=> [11  7  3]
g = record(dz=[1, 2, 3], n=0)
g.dz[-1] = 0
g.n += 1
g.dz                                              #=> [1 2 0]
g.n                                               #=> 1
z = arange(6)
z[1:-1][z[1:-1] > 2] = -1
z                                                 #=> [ 0  1  2 -1 -1  5]

# if, while, for
s = 0
for i in range(5) {
    if i == 1 { continue }
    elif i == 4 { break }
    else { s += i }
}
s                                                 #=> 5
while s > 0 { s -= 2 }
s                                                 #=> -1
t = ""
for ch in "añb" { t = ch + t }
t                                                 #=> bña
for k, v in ((1, "x"), (2, "y")) { t += f"{k}{v}" }
t                                                 #=> bña1x2y
m = 0
for row in [[1, 2], [3, 4]] { m += int(sum(row)) }
m                                                 #=> 10
i                                                 #=> 4
if 1 { s = 0 }                                    #! type: != 0
if [true, false] { s = 0 }                        #! type: any
r = 1 if s < 0 else 2
r                                                 #=> 1

# del, assert, error
del r
r                                                 #! name: r
assert 1 < 2, "fine"
assert 1 > 2, "not fine"                          #! assert: not fine
error("stop here")                                #! user: stop here

# try
try { error("inside") } catch err { w = err.message }
w                                                 #=> inside
try { [1, 2] + [1, 2, 3] } catch err { w = err.kind }
w                                                 #=> shape
fn guarded(i) {
    try { return [1, 2, 3][i] } catch err { return -1 }
}
guarded(1)                                        #=> 2
guarded(9)                                        #=> -1

# a failed statement changes nothing
k = 1
k, undefined_name[0] = 2, 3                       #! name: undefined_name
k                                                 #=> 1
