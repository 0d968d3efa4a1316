# The language, "Shapes and indexing"

x = arange(24).reshape(2, 3, 4)
x[1, 2, 3]                                        #=> 23
x[-1, 0]                                          #=> [12 13 14 15]
x[..., 0]                                         #=> [[ 0  4  8]
                                                  #=>  [12 16 20]]
x[:, 1, ::-1]                                     #=> [[ 7  6  5  4]
                                                  #=>  [19 18 17 16]]
x[:, newaxis].shape                               #=> (2, 1, 3, 4)
x[0, ::2, 1:3]                                    #=> [[ 1  2]
                                                  #=>  [ 9 10]]
x[(1, 2, 3)]                                      #=> 23
x[1][2][3]                                        #=> 23

# one index array
x[[1, 0]].shape                                   #=> (2, 3, 4)
x[0, [2, 0]]                                      #=> [[ 8  9 10 11]
                                                  #=>  [ 0  1  2  3]]
x[0, :, [0, -1]]                                  #=> [[ 0  4  8]
                                                  #=>  [ 3  7 11]]
i = [[0, 1], [2, 0]]
arange(3)[i]                                      #=> [[0 1]
                                                  #=>  [2 0]]

# masks
y = arange(6)
y[y > 2]                                          #=> [3 4 5]
z = arange(6).reshape(2, 3)
z[z % 2 == 0]                                     #=> [0 2 4]
z[[true, false]]                                  #=> [[0 1 2]]
y[[true, false]]                                  #! index:

# several arrays
z[[0, 1], [2, 0]]                                 #=> [2 3]
z[[0, 1], [3, 0]]                                 #! index: 3

# assignment
y[1:3] = 9
y                                                 #=> [0 9 9 3 4 5]
y[::-2] = [1, 2, 3]
y                                                 #=> [0 3 9 2 4 1]
y[y > 3] = 0
y                                                 #=> [0 3 0 2 0 1]
y[[0, 0, 1]] = [5, 6, 7]
y                                                 #=> [6 7 0 2 0 1]
y[y == 0] = [8, 9]
y                                                 #=> [6 7 8 2 9 1]
z[:, 1] = [-1, -2]
z                                                 #=> [[ 0 -1  2]
                                                  #=>  [ 3 -2  5]]
z[0] = 7
z[1, 1:] += 10
z                                                 #=> [[ 7  7  7]
                                                  #=>  [ 3  8 15]]
z[[0, 1], [0, 1]] = [100, 200]
z                                                 #=> [[100   7   7]
                                                  #=>  [  3 200  15]]
y[1:3] = [1, 2, 3]                                #! shape:
z[:, [0, 2]] = 0
z                                                 #=> [[  0   7   0]
                                                  #=>  [  0 200   0]]

# broadcasting
(ones(3, 1) + ones(4)).shape                      #=> (3, 4)
ones(3) + ones(3, 2)                              #! shape: newaxis

# where the axes of several arrays go: to their place, or in front when they stand apart
x = arange(24).reshape(2, 3, 4)
x[:, [0, 1], [1, -1]].shape                       #=> (2, 2)
x[[0, 1], :, [1, 3]].shape                        #=> (2, 3)
x[1, :, [1, 3]].shape                             #=> (2, 3)
x[[[0], [1]], [0, 2]].shape                       #=> (2, 2, 4)
x[:, [0, 1], ..., 1].shape                        #=> (2, 2)
x[[[0], [1]], [0, 2], newaxis, [1, 2]].shape      #=> (2, 2, 1)
x[..., [true, false, true, false], [0]]           #! index: the mask bool[4] does not match i64[2,3,4]: axis 1
x[:, :, [true, false, true, false]].shape         #=> (2, 3, 2)
x[x[:, :, 0] > 4].shape                           #=> (4, 4)
x[[0, 1], x[0, :, 0] > 3]                         #=> [[ 4  5  6  7]
                                                  #=>  [20 21 22 23]]
x[true].shape                                     #=> (1, 2, 3, 4)
x[false].shape                                    #=> (0, 2, 3, 4)
x[[0, 1], [0, 1, 2]]                              #! shape: index arrays i64[2] and i64[3]

# values as indices
at = (1, slice(none, none, -2), 0)
x[at]                                             #=> [20 12]
x[slice(0, 1, 1), range(2), -1]                   #=> [[3 7]]
x[..., newaxis, ::-3].shape                       #=> (2, 3, 1, 2)
x[u8(1), i8(-1), array(0)]                        #=> 20
x[1, 1:1]                                         #=> []
x[0, ..., 1, ...]                                 #! index: one `...`
x[0, 0, 0, 0]                                     #! index: too many indices: 4 for i64[2,3,4]
x["a"]                                            #! type: integers, slices, masks
x[[0.5]]                                          #! type: f64

# an index that is out of range: the axis of what is indexed, when the work runs
x[1, :, [1, 4]]                                   #! index: index 4 is out of range for axis 2 with 4 elements
x[:, [0, -4], [0, 1]]                             #! index: index -4 is out of range for axis 1 with 3 elements
x[:, 3]                                           #! index: index 3 is out of range for axis 1 with 3 elements
y = x[:, [0, 3], [0, 1]]
y.shape                                           #=> (2, 2)
sum(y)                                            #! index: index 3 is out of range for axis 1 with 3 elements
zeros(3, 0)[[7]]                                  #! index: index 7 is out of range for axis 0 with 3 elements
zeros(0, 3)[[0]]                                  #! index: axis 0
zeros(3, 0)[[1, 2]].shape                         #=> (2, 0)
w = x
w[:, [0, 3]] = 1
w                                                 #! index: index 3 is out of range for axis 1 with 3 elements
w = x
w[0, [1, 9], :2] += 1
w                                                 #! index: index 9 is out of range for axis 1 with 3 elements

# the last of equal targets in C order wins; op= reads once
z = zeros(2, 2, i64)
z[[0, 0, 1], [1, 1, 0]] = [1, 2, 3]
z                                                 #=> [[0 2]
                                                  #=>  [3 0]]
z[[[0, 0], [0, 0]]] = arange(8).reshape(2, 2, 2)
z                                                 #=> [[6 7]
                                                  #=>  [3 0]]
z[[0, 0]] += 10
z                                                 #=> [[16 17]
                                                  #=>  [ 3  0]]
z[:, [1, 1]] = [[1, 2], [3, 4]]
z                                                 #=> [[16  2]
                                                  #=>  [ 3  4]]

# chains of indices and fields
g = record(dz=arange(4.0), n=(1, record(x=[1, 2, 3])))
g.dz[-1] = 0
g.dz                                              #=> [0. 1. 2. 0.]
g.n[1].x[2] = 9
g.n[1].x                                          #=> [1 2 9]
g.n[1].x[:2] *= 5
g.n                                               #=> (1, record(x=[ 5 10  9]))
z = arange(6)
z[1:-1][z[1:-1] % 2 == 0] = -1
z                                                 #=> [ 0  1 -1  3 -1  5]
z[::2][1] += 100
z                                                 #=> [ 0  1 99  3 -1  5]
z[[4, 2, 0]][::2] = 7                             # the last step is assigned into what the first gives
z                                                 #=> [ 7  1 99  3  7  5]
t = ([1, 2], 5)
t[0][1] = 8
t                                                 #=> ([1 8], 5)
t[2] = 0                                          #! index: index 2 is out of range for a tuple of length 2

# what is assigned broadcasts; leading extents of 1 may be too many
z = zeros(2, 3, f32)
z[:] = [[[1, 2, 3]]]
z                                                 #=> [[1. 2. 3.]
                                                  #=>  [1. 2. 3.]]
z[:, 0] = [[5, 6]]
z[:, 0]                                           #=> [5. 6.]
z[z > 2] = [0]
z                                                 #=> [[0. 2. 0.]
                                                  #=>  [0. 2. 0.]]
z[:, [true, false, true]] = [[1], [2]]
z                                                 #=> [[1. 2. 1.]
                                                  #=>  [2. 2. 2.]]
z[0] = [1, 2]                                     #! shape: cannot assign f32[2] where the index selects f32[3]
z[z > 100] = zeros(0, f32)
z[1:1] = zeros(0, 3, f32)
z[z > 0] = [1, 2]                                 #! shape: cannot assign f32[2] where the index selects f32[6]

# the dtype stays
z[0] = f64([1, 2, 3])                             #! dtype: cast the value with f32(...)
z[0] = i64([1, 2, 3])
z[0, 0] = 1e300
z[0]                                              #=> [inf  2.  3.]
z[0] = 1j                                         #! dtype: c64
arange(3)[0] == 0.5                               #=> false
y = arange(3)
y[0] = 0.5                                        #! dtype: f64
y[0] = true
y                                                 #=> [1 1 2]
y[0] /= 2                                         #! dtype: cast the value with i64(...)
b = u8([1, 2])
b[0] = 300                                        #! dtype: 300 does not fit u8
b[0] = i64([3])                                   #! dtype: u8(...)
"abc"[0] = "x"                                    #! syntax:
