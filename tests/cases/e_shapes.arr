# Shapes, broadcasting, slicing, aliasing.

# T44: one against none
(zeros(1) + zeros(0)).shape                       #=> (0,)
(zeros(3, 1) * zeros(1, 0)).shape                 #=> (3, 0)

# T45: a mismatch names both shapes
zeros(3, 4, f32) + zeros(5, f32)                  #! shape: cannot add f32[3,4] and f32[5]

# T46: an inner extent of 0 gives zeros
zeros(2, 0) @ zeros(0, 3)                         #=> [[0. 0. 0.]
                                                  #=>  [0. 0. 0.]]

# T48: empty and clipped slices
[][::-1]                                          #=> []
[1, 2, 3][10::-1]                                 #=> [3 2 1]
[1, 2, 3][:-10:-1]                                #=> [3 2 1]
[1, 2, 3][5:]                                     #=> []

# T50: step 0
[1, 2, 3][::0]                                    #! value: step

# T51: splitting nothing
split(zeros(0), 2)                                #=> ([], [])

# T52: overlapping assignment reads the old values
a = [1, 2, 3, 4, 5]
a[1:] = a[:-1]
a                                                 #=> [1 1 2 3 4]
a[::-1] = a
a                                                 #=> [4 3 2 1 1]
b = [1, 2, 3, 4, 5]
b[:-1] += b[1:]
b                                                 #=> [3 5 7 9 5]

# T56: results of odd strides are fresh and contiguous
m = arange(12).reshape(3, 4)
(m.T + 0).ravel()                                 #=> [ 0  4  8  1  5  9  2  6 10  3  7 11]

# T58: out of range is an error with index and length
m[3]                                              #! index: 3
m[0, -5]                                          #! index: -5
m[[0, 7]]                                         #! index: 7
m[5] = 1                                          #! index: 5

# T60: wrong kinds of index
m["a"]                                            #! type:
m[1.5]                                            #! type:
m[0, 0, 0]                                        #! index:
