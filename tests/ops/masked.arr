# Elements where a mask of the array's own shape holds, in one pass on a GPU: more of them than one
# tile or one group of tiles holds, whatever is pending on either side.
seed(3)
a = rand(200003, f32)
m = a > 0.5
x = a[m]
i = flatnonzero(m)
print(len(x) == int(sum(m)), len(i) == len(x)) #=> true true
print(all(a[i] == x), all(i[1:] > i[:-1])) #=> true true
print(all((a * 2 + 1)[a < 0.01] == a[flatnonzero(a < 0.01)] * 2 + 1)) #=> true
# not contiguous, two axes
b = a[:200000].reshape(400, 500)
print(all(b.T[b.T > 0.9] == b.T.ravel()[flatnonzero(b.T > 0.9)])) #=> true
r, c = nonzero(b > 0.999)
print(all(b[r, c] == b[b > 0.999])) #=> true
# nothing, everything, other dtypes
print(a[a > 2], len(a[a >= 0])) #=> [] 200003
k = arange(200003)
print(k[k % 50001 == 7]) #=> [     7  50008 100009 150010]
print((k % 3 == 0)[k > 200000], (k * 1j)[k == 9], f16(k)[k == 2049], u8(k % 251)[k == 250]) #=> [ true false] [0.+9.j] [2.048e+03] [250]
# both held and pending
y = a * 3 - 1
z = y[y > 1.5]
print(all(z == y[flatnonzero(y > 1.5)]), len(z) == int(sum(y > 1.5))) #=> true true
# where of the same stays what it is
print(all(eval(where(m, a, a)) == a)) #=> true
# what fails does so where it is used
q = a[arange(200003) + 1]
p = q[m]
print(p[:3]) #! index: out of range
