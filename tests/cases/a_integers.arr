# Integer semantics: each block carries the id of the report it answers.

# T1: narrow integers accumulate in 64 bits, unsigned in u64, bool counts in i64
sum(full((1000,), 100, u8))                       #=> 100000
sum(full((1000,), 100, u8)).dtype                 #=> u64
sum(full((3,), 2147483647, i32))                  #=> 6442450941
sum(full((3,), 2147483647, i32)).dtype            #=> i64
sum([true, true, false]).dtype                    #=> i64
prod(full((5,), 200, u8))                         #=> 320000000000
cumsum(full((3,), 200, u8))                       #=> [200 400 600]

# T2: the mean of large integers does not wrap
mean(full((4,), 9223372036854775807))             #=> 9.223372036854776e+18
mean(full((4,), 250, u8))                         #=> 250.0

# T3: abs and negation of the least integer wrap
abs(array([-2147483648], i32))                    #=> [-2147483648]
-array([-2147483648], i32)                        #=> [-2147483648]
abs(array([-9223372036854775808]))                #=> [-9223372036854775808]

# T4: the least integer divided by -1 wraps, no signal
array([-2147483648], i32) // -1                   #=> [-2147483648]
array([-9223372036854775808]) // array([-1])      #=> [-9223372036854775808]
array([-9223372036854775808]) % array([-1])       #=> [0]

# T5: floor division and modulo
[7, -7, 7, -7] // [2, 2, -2, -2]                  #=> [ 3 -4 -4  3]
[7, -7, 7, -7] % [2, 2, -2, -2]                   #=> [ 1  1 -1 -1]
[7, -7, 0] // 0                                   #=> [0 0 0]
[7, -7, 0] % 0                                    #=> [0 0 0]
a = [-9, -5, -1, 0, 1, 5, 9]
all(a == 4 * (a // 4) + a % 4)                    #=> true
all(a == -4 * (a // -4) + a % -4)                 #=> true

# T6: floats at infinity and signed zeros
f64([-1.0, 1.0]) // inf                           #=> [-1.  0.]
f64([5.0, -5.0]) % -inf                           #=> [-inf  -5.]
f64([5.0, -5.0]) % inf                            #=> [ 5. inf]
f64([nan]) // 2.0                                 #=> [nan]
signbit(f64([0.0]) % -3.0)                        #=> [ true]

# T7: integer to a negative integer power is never a silent 0
[1, 2, 3] ** -1                                   #! value:
2 ** -1                                           #=> 0.5
[2, 3] ** [2, 3]                                  #=> [ 4 27]

# T10, T11: literals against narrow and wide arrays
array([200], u8) + 100                            #=> [44]
array([200], u8) + 300                            #! dtype: i64(
array([1], u8) < 300                              #=> [ true]
array([-1], i32) < 9223372036854775808            #=> [ true]

# T12: integer products are exact modulo 2^n
array([[123456789, 987654321]]) @ array([[1000000007], [998244353]])   #=> [[1109377138518496836]]
array([[65536, 65536]], i32) @ array([[65536], [3]], i32)              #=> [[196608]]

# T14: booleans
true + true                                       #! dtype: i64(
[true] + [true]                                   #! dtype: i64(
-[true]                                           #! dtype: ~
sum([true, true])                                 #=> 2

# T13: products of narrow integers are exact modulo 2^n, whatever they are accumulated in
full((2, 40), 100, i8) @ full((40, 1), 100, i8)   #=> [[-128]
                                                  #=>  [-128]]
sum(full((40,), 100, i8) * full((40,), 1, i64) * 100)   #=> 400000
