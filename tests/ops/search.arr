# Order, places, closeness.
sort([3, 1, 2])                                         #=> [1 2 3]
sort([[3, 1], [2, 4]], axis=0)                          #=> [[2 1]
                                                        #=>  [3 4]]
sort([[3, 1], [2, 4]], axis=none)                       #=> [1 2 3 4]
sort([nan, 2, -inf, 1])                                 #=> [-inf   1.   2.  nan]

argsort([3, 1, 2, 1])                                   #=> [1 3 2 0]
argsort([[3, 1], [2, 4]], axis=0)                       #=> [[1 0]
                                                        #=>  [0 1]]

lexsort(([1, 5, 1, 4, 3, 4, 4], [9, 4, 0, 4, 0, 2, 1])) #=> [2 4 6 5 3 1 0]

searchsorted([1, 2, 3, 4, 5], 3)                        #=> 2
searchsorted([1, 2, 3, 4, 5], 3, side="right")          #=> 3
searchsorted([1, 2, 3, 4, 5], [-10, 10, 2, 3])          #=> [0 5 1 2]
searchsorted([1.0, 2, nan], [nan, 1.5])                 #=> [2 1]
searchsorted(zeros(0), [1.0])                           #=> [0]
searchsorted([1, 2, 2, 2, 3], [2, 2.5])                 #=> [1 4]

nonzero([[3, 0, 0], [0, 4, 0], [5, 6, 0]])              #=> ([0 1 2 2], [0 1 0 1])

flatnonzero([-2, -1, 0, 1, 2])                          #=> [0 1 3 4]

argwhere([[0, 1], [2, 0]])                              #=> [[0 1]
                                                        #=>  [1 0]]

isclose([1e10, 1e-7], [1.00001e10, 1e-8])               #=> [ true false]
isclose([1.0, nan], [1.0, nan], equal_nan=true)         #=> [ true  true]
isclose([1, 2], [1, 3])                                 #=> [ true false]
isclose(inf, inf)                                       #=> true

allclose([1e10, 1e-8], [1.00001e10, 1e-9])              #=> true

array_equal([1, nan], [1, nan])                         #=> false
array_equal([1, nan], [1, nan], equal_nan=true)         #=> true
