# Casts and float classification.

# T16: float to integer saturates, nan is 0, the same for every length (vector bodies and tails)
i32([nan, inf, -inf, 3e9, -3e9, 2.9, -2.9])       #=> [          0  2147483647 -2147483648  2147483647 -2147483648           2
                                                  #=>           -2]
i64([nan, inf, -inf, 1e19])                       #=> [                   0  9223372036854775807 -9223372036854775808
                                                  #=>   9223372036854775807]
x = full((1000,), 3e9)
all(i32(x) == 2147483647)                         #=> true

# T17: negative float to unsigned saturates at 0
u8([-1.0, -0.5, 255.9, 256.0, 1e10, nan])         #=> [  0   0 255 255 255   0]

# T18: promotion is decided before the operation
array([2000000000], i32) * 2.0                    #=> [4.e+09]

# T19: dtype= does not narrow the operands
sum([200, 200, 200], dtype=f64)                   #=> 600.0

# T20: subnormals are kept
f64([5e-324]) * 1.0                               #=> [5.e-324]
f32([1e-45]) + f32([0.0])                         #=> [1.e-45]

# integers wrap among each other
u8(array([257, -1]))                              #=> [  1 255]
i32(array([4294967297]))                          #=> [1]

# T21: a half rounds at every operation, fused or not
x = f16([60000.0, 1.0])
isinf(x * 2 / 4)                                  #=> [ true false]
y = eval(x * 2)
array_equal(y / 4, x * 2 / 4)                     #=> true
f16([2049.0]) + f16([0.5]) - f16([2048.0])        #=> [0.]
