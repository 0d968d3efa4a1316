# Elementwise functions that are no single op.
round([1.5, 2.5, -0.5, 2.675], 2)                       #=> [ 1.5   2.5  -0.5   2.68]
round([15, 25, -35], -1)                                #=> [ 20  20 -40]
round(12345.678, -2)                                    #=> 12300.0
round([1e300, 1.5], 2)                                  #=> [1.0e+300 1.5e+000]
round([1.5+2.5j])                                       #=> [2.+2.j]
round(u8([14, 15, 16]), -1)                             #=> [10 20 20]

clip([1, 2, 3, 4], 2, 3)                                #=> [2 2 3 3]
clip([1.5, nan], 0, 1)                                  #=> [ 1. nan]
clip([1, 5], [2, 2], [3, 4])                            #=> [2 4]
clip([1, 2, 3], 3, 1)                                   #=> [1 1 1]

divmod([7, -7], [3, 3])                                 #=> ([ 2 -3], [1 2])
divmod(-7.5, 2)                                         #=> (-4.0, 0.5)

nan_to_num([nan, inf, -inf, 1.0])                       #=> [ 0.00000000e+000  1.79769313e+308 -1.79769313e+308  1.00000000e+000]
nan_to_num([nan, 1], nan=5, posinf=7)                   #=> [5. 1.]

polyval([3, 0, 1], 5)                                   #=> 76
polyval([3, 0, 1], [1, 2])                              #=> [ 4 13]

# the neighbour of a half, on every backend
print(nextafter(f16([0, 1, -1, 65504]), f16([1, 2, -2, inf])) == f16([6e-8, 1.001, -1.001, inf]))  #=> [ true  true  true  true]
print(nextafter(bf16([1, -1]), bf16([2, 1])))  #=> [ 1.01  -0.996]
