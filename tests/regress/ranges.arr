# More elements than are run in one go (2^24): the ranges are whole rows, and a transpose is read in
# tiles in each of them.
m = arange(5000 * 4001, dtype=f32).reshape(5000, 4001)
t = -m.T
print(t.shape, t[0, :3], t[4000, -1], t[2001, 2001] == -m[2001, 2001])  #=> (4001, 5000) [   -0. -4001. -8002.] -2.0005e+07 true
print(all(t.T == -m), all((m.T * 2)[1:, ::-1] == m[::-1, 1:].T * 2))    #=> true true
c = i16(arange(300 * 260 * 250) % 7919).reshape(300, 260, 250)
p = c.transpose(2, 0, 1) + i16(1)
print(all(p.transpose(1, 2, 0) == c + i16(1)), p[249, 299, 259])         #=> true 3422
