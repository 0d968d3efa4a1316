# Sets, counts, interpolation.
unique([3, 1, 2, 3, 1])                                 #=> [1 2 3]
unique([[1, 1], [2, 3]], return_counts=true)            #=> ([1 2 3], [2 1 1])
unique([3, 1, 2, 3, 1], return_index=true, return_inverse=true) #=> ([1 2 3], [1 2 0], [2 0 1 2 0])
unique([nan, 1, nan])                                   #=> [ 1. nan]
unique(zeros(0))                                        #=> []

isin([[1, 2], [3, 4]], [2, 4, 9])                       #=> [[false  true]
                                                        #=>  [false  true]]
isin([1, 2], [1], invert=true)                          #=> [false  true]

union1d([3, 1], [2, 3])                                 #=> [1 2 3]

intersect1d([1, 2, 2, 3], [2, 3, 4])                    #=> [2 3]

setdiff1d([1, 2, 3, 2], [2])                            #=> [1 3]

bincount([0, 1, 1, 3, 2, 1, 7])                         #=> [1 3 1 1 0 0 0 1]
bincount([0, 1, 1], weights=[0.5, 1, 1])                #=> [0.5 2. ]
bincount([0, 1], minlength=5)                           #=> [1 1 0 0 0]
bincount([-1, 1])                                       #! value: x must not be negative,

histogram([1, 2, 1, 5, 9], bins=4)                      #=> ([3 0 1 1], [1. 3. 5. 7. 9.])
histogram([1, 2, 1, 5, 9], bins=[0, 2, 5, 9])            #=> ([2 1 2], [0. 2. 5. 9.])
histogram([1, 2, 1, 5, 9], bins=3, range=(0, 6))        #=> ([2 1 1], [0. 2. 4. 6.])
histogram([1, 2, 1], bins=[0, 1, 2, 3], density=true)   #=> ([0.         0.66666667 0.33333333], [0. 1. 2. 3.])
histogram([1, 2, 1], bins=[0, 1, 2, 3], weights=[0.5, 2, 1]) #=> ([0.  1.5 2. ], [0. 1. 2. 3.])
histogram([5, 5], bins=2)                               #=> ([0 2], [4.5 5.  5.5])

digitize([0.2, 6.4, 3.0, 1.6], [0.0, 1.0, 2.5, 4.0, 10.0]) #=> [1 4 3 2]
digitize([1, 3, 5], [1, 3, 5], right=true)              #=> [0 1 2]
digitize([0.2, 6.4, 3.0], [10.0, 4.0, 2.5, 1.0, 0.0])   #=> [4 1 2]

interp([0, 1, 1.5, 2.72, 3.14], [1, 2, 3], [3, 2, 0])   #=> [3.   3.   2.5  0.56 0.  ]
interp(3.14, [1, 2, 3], [3, 2, 0], right=-99.0)         #=> -99.0
interp([-180, -170, -185, 185, -10, -5, 0, 365], [190, -190, 350, -350], [5, 10, 3, 4], period=360) #=> [7.5  5.   8.75 6.25 3.   3.25 3.5  3.75]

unique([[1, 2], [3, 4], [1, 2]], axis=0)                #=> [[1 2]
                                                        #=>  [3 4]]
unique([[2, 1, 2], [3, 0, 3]], axis=1)                  #=> [[1 2]
                                                        #=>  [0 3]]
unique([[3, 4], [1, 2], [3, 4]], axis=0, return_index=true, return_inverse=true, return_counts=true)[1:]  #=> ([1 0], [1 0 1], [1 2])
unique(zeros(0, 2), axis=0).shape                       #=> (0, 2)

# options as NumPy's
unique([1.0, nan, nan], equal_nan=false).shape          #=> (3,)
unique([1.0, nan, nan]).shape                           #=> (2,)
intersect1d([5, 1, 5, 3], [3, 5, 5], return_indices=true)  #=> ([3 5], [3 0], [0 1])
setdiff1d([3, 1, 2, 1], [2], assume_unique=true)        #=> [3 1 1]
isin([1, 2], [2], false, true)                          #=> [ true false]
digitize([6, 5], [6, 4, 2])                             # bins descend
                                                        #=> [0 1]
digitize([6, 5], [6, 4, 2], right=true)                 #=> [1 1]
digitize(1, [1, 3, 2])                                  #! value: bins
