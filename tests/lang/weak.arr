# language.md, "Dtypes": weak scalars, casts of literals, overflow, list literals

f64(0.1).dtype                                    #=> f64
i8(127) + i8(1)                                   #=> -128
i8(128)                                           #! 128 does not fit i8: cast the array, i64(x), or make the number fit
i8([128])                                         #! 128 does not fit i8: cast the array, i64(x), or make the number fit
u8(-1)                                            #! -1 does not fit u8: cast the array, i64(x), or make the number fit
u8([1,-1])                                        #! -1 does not fit u8: cast the array, i64(x), or make the number fit
u64(-1)                                           #! -1 does not fit u64: cast the array, i64(x), or make the number fit
u8([300, 1.5])                                    #! 300 does not fit u8: cast the array, i64(x), or make the number fit
i32(1.9)                                          #=> 1
i32(1e20)                                         #=> 2147483647
i32(nan)                                          #=> 0
bool(3)                                           #=> true
f16(1e10)                                         #=> inf
f16([65520.0])                                    #=> [inf]
f16([65519.0])                                    #=> [6.55e+04]
f32([0.1])[0] == 0.1                              #=> true
array([0.1], f32)                                 #=> [0.1]
array([300], u8)                                  #! 300 does not fit u8: cast the array, i64(x), or make the number fit
array([[300]], u8)                                #! 300 does not fit u8: cast the array, i64(x), or make the number fit
array([1.5], i32)                                 #=> [1]
array([1+2j], f32)                                #! a complex number does not convert to f32: use real(x)
f32(1+2j)                                         #! a complex number does not convert to f32: use real(x)
f32([1+2j])                                       #! a complex number does not convert to f32: use real(x)
zeros(3, f16).dtype                               #=> f16
x = u8([1,2]); x + 300                            #! cannot add u8 and 300: 300 does not fit u8; widen the array with i64(x), or its element with int(x)
x = u8([1,2]); x + -1                             #! cannot add u8 and -1: -1 does not fit u8; widen the array with i64(x), or its element with int(x)
x = u8([1,2]); x - 1                              #=> [0 1]
x = u8([1,2]); clip(x, 0, 300)                    #! dtype: clip: a_max 300 does not fit u8: cast the array, i64(x)
x = u8([1,2]); maximum(x, 300)                    #! cannot apply maximum to u8 and 300: 300 does not fit u8; widen the array with i64(x), or its element with int(x)
x = u8([1,2]); x == 300                           #=> [false false]
x = u8([1,2]); print(x < 300, x > -1, x != 1e300, x < 18446744073709551615, 300 > x) #=> [ true  true] [ true  true] [ true  true] [ true  true] [ true  true]
x = u8([1,2]); where([true,false], x, 300)        #! cannot apply where to bool, u8 and 300: 300 does not fit u8; widen the array with i64(x), or its element with int(x)
x = u8([1,2]); x += 300                           #! cannot add u8 and 300: 300 does not fit u8; widen the array with i64(x), or its element with int(x)
x = u8([1,2]); x[0] = 300                         #! 300 does not fit u8: widen the array first, x = i64(x)
x = u8([1,2]); x[0] = -1                          #! -1 does not fit u8: widen the array first, x = i64(x)
x = u8([1,2]); x[0] = 1.0                         #! cannot assign float into u8[2], which would become f64: cast the value with u8(...), or make the array with dtype f64
x = f32([1,2]); x[0] = 1e300; x                   #=> [inf  2.]
x = f32([1,2]); x[0] = 1; x.dtype                 #=> f32
x = f32([1,2]); x[0] = true; x                    #=> [1. 2.]
x = f32([1,2]); x[0] = 1j                         #! cannot assign complex into f32[2], which would become c64: cast the value with f32(...), or make the array with dtype c64
x = [1,2]; x[0] = 1.5                             #! cannot assign float into i64[2], which would become f64: cast the value with i64(...), or make the array with dtype f64
x = [1,2]; x[0] = f32([1])[0]                     #! cannot assign f32[] into i64[2], which would become f32: cast the value with i64(...), or make the array with dtype f32
x = f32([1,2]); x[0] = f64([1.5])[0]              #! cannot assign f64[] into f32[2], which would become f64: cast the value with f32(...), or make the array with dtype f64
x = f32([1,2]); x[0] = [1,2][0]; x.dtype          #=> f32
x = [true,false]; x[0] = 1                        #! cannot assign int into bool[2], which would become i64: cast the value with bool(...), or make the array with dtype i64
x = [1]; x[0] = u64([1])[0]                       #! cannot assign u64[] into i64[1]: cast the value with i64(...)
x = [1]; x[0] = i32([1])[0]; x.dtype              #=> i64
(i32([1]) + 1.5).dtype                            #=> f64
(bool([1]) + 1).dtype                             #=> i64
(bool([1]) + 1.5).dtype                           #=> f64
(f32([1]) + 1j).dtype                             #=> c64
(f16([1]) + 1j).dtype                             #=> c64
(i32([1]) + 1j).dtype                             #=> c128
f32([1]) + 1e300                                  #=> [inf]
f16([1]) * 65520                                  #=> [inf]
i8([1]) * 128                                     #! cannot multiply i8 and 128: 128 does not fit i8; widen the array with i64(x), or its element with int(x)
i8([100]) * 2                                     #=> [-56]
(f16([1]) + bf16([1])).dtype                      #=> f32
(i8([1]) + u8([1])).dtype                         #=> i16
(i64([1]) + u64([1]))                             #! cannot add i64 and u64: no dtype holds both u64 and signed integers; cast one side: i64(x) of the u64, or u64(x) of the other
u64([1]) - i8([1])                                #! cannot subtract u64 and i8: no dtype holds both u64 and signed integers; cast one side: i64(x) of the u64, or u64(x) of the other
u64([18446744073709551615]) > i64([-1])           #=> [ true]
(i32([1]) + u32([1])).dtype                       #=> i64
(i64([1]) * f32([1])).dtype                       #=> f32
(f64([1]) + c64([1])).dtype                       #=> c128
(i64([1]) + c64([1])).dtype                       #=> c64
(f16([1]) + i64([1])).dtype                       #=> f16
9223372036854775807 + 1                           #! integer overflow: 9223372036854775807 + 1 does not fit 64 bits: write float(x) for floats
-9223372036854775807 - 2                          #! integer overflow: -9223372036854775807 - 2 does not fit 64 bits: write float(x) for floats
9223372036854775807 * 2                           #! integer overflow: 9223372036854775807 * 2 does not fit 64 bits: write float(x) for floats
2 ** 63                                           #! integer overflow: 2 ** 63 does not fit 64 bits: write float(x) for floats
2 ** 62 * 2                                       #! integer overflow: 4611686018427387904 * 2 does not fit 64 bits: write float(x) for floats
-(-9223372036854775807 - 1)                       #! integer overflow: -(-9223372036854775808) does not fit 64 bits: write float(x) for floats
1 << 63                                           #! integer overflow: 1 << 63 does not fit 64 bits: write float(x) for floats
1 << 62                                           #=> 4611686018427387904
1 << -1                                           #=> 0
1 >> 100                                          #=> 0
-1 >> 100                                         #=> -1
-1 >> -1                                          #=> -1
abs(-9223372036854775807 - 1)                     #=> -9223372036854775808
5 // 0                                            #=> 0
5 % 0                                             #=> 0
5 / 0                                             #=> inf
5.0 // 0                                          #=> inf
5.0 % 0.0                                         #=> nan
0 ** -1                                           #=> inf
2 ** -1                                           #=> 0.5
(-2) ** -1                                        #=> -0.5
0.0 ** -1                                         #=> inf
[2] ** -1                                         #! cannot apply ** to i64 and -1: an integer to a negative power is no integer; cast first: f64(x)
[2,-1,1,0] ** [-1,-1,-3,-1]                       #=> [ 0 -1  1  0]
i8([2]) ** 7                                      #=> [-128]
(-9223372036854775807 - 1) // -1                  #=> -9223372036854775808
(-9223372036854775807 - 1) % -1                   #=> 0
[-9223372036854775807 - 1] // -1                  #=> [-9223372036854775808]
-[-9223372036854775807 - 1]                       #=> [-9223372036854775808]
[9223372036854775807][0] + 1                      #=> -9223372036854775808
7 // -2                                           #=> -4
-7 % 3                                            #=> 2
7 % -3                                            #=> -2
7.5 // -2                                         #=> -4.0
-7.5 % 2                                          #=> 0.5
1e308 * 10                                        #=> inf
sqrt(-1)                                          #=> nan
log(0)                                            #=> -inf
sqrt(4)                                           #=> 2.0
abs(-3)                                           #=> 3
kind(abs(-3))                                     #=> int
kind(sqrt(2)), kind(minimum(1,2)), kind(floor(1.5)), kind(sum([1])) #=> ('float', 'int', 'float', 'array')
floor(1.5)                                        #=> 1.0
round(2.5), round(2.567, 2), round(25, -1), round(15, -1) #=> (2.0, 2.57, 20, 20)
exp(1000)                                         #=> inf
7 / 2                                             #=> 3.5
6 / 2                                             #=> 3.0
true + 1                                          #=> 2
true + 1.5                                        #=> 2.5
1 + 2j + true                                     #=> (2+2j)
(3+0j) == 3                                       #=> true
1 < 2j                                            #! cannot compare (<) int and complex: complex numbers have no order: compare abs(x) or real(x)
maximum(1j, 2)                                    #! cannot apply maximum to c128 and i64: it is not defined for complex numbers; use real, imag or abs
min([1,2], 3)                                     #! min: a second positional argument has no meaning: write minimum(a, b) for two arrays, min(x, axis=1) for an axis
max([1,2], [3,4])                                 #! max: a second positional argument has no meaning: write maximum(a, b) for two arrays, max(x, axis=1) for an axis
1 == 1.0                                          #=> true
9007199254740993 == 9007199254740992.0            #=> false
18446744073709551615 > 9223372036854775807        #=> true
18446744073709551615 == -1                        #=> false
18446744073709551615 + 0.5                        #=> 1.8446744073709552e+19
u64(18446744073709551615) + u64(1)                #=> 0
-18446744073709551615                             #! 18446744073709551615 is beyond the 64-bit integers: it serves where the other side is u64 or float
18446744073709551615 // 2                         #! 18446744073709551615 is beyond the 64-bit integers: it serves where the other side is u64 or float
[18446744073709551615]                            #=> [18446744073709551615]
[18446744073709551615, 1]                         #=> [18446744073709551615                    1]
[1, 18446744073709551615.0]                       #=> [1.00000000e+00 1.84467441e+19]
array([18446744073709551615], u64)                #=> [18446744073709551615]
array([18446744073709551615, -1], u64)            #! -1 does not fit u64: cast the array, i64(x), or make the number fit
[1, 2.5]                                          #=> [1.  2.5]
[1, true]                                         #=> [1 1]
[true, false]                                     #=> [ true false]
[1, 2j]                                           #=> [1.+0.j 0.+2.j]
["a"]                                             #! an array cannot hold a string: a tuple can, ("a", "b")
[1, "a"]                                          #! an array cannot hold a string: a tuple can, ("a", "b")
[(1,2)]                                           #=> [[1 2]]
[none]                                            #! an array cannot hold none
[[1,2],[3]]                                       #! an array: all parts must have one shape, here are i64[2] and i64[1]: to join them end to end write concat((a, b))
[[1,2],3]                                         #! an array: all parts must have one shape, here are i64[2] and i64[]: to join them end to end write concat((a, b))
[[1,2],[3.5,4]]                                   #=> [[1.  2. ]
                                                  #=>  [3.5 4. ]]
[f32([1]), 0.1]                                   #! an array: all parts must have one shape, here are f32[1] and f64[]: to join them end to end write concat((a, b))
[f32([1,2])[0], 2.5].dtype                        #=> f32
[i32(1), 2].dtype                                 #=> i32
[f32(1), i64(1)].dtype                            #=> f32
[].shape                                          #=> (0,)
[[]].shape                                        #=> (1, 0)
[[],[]].shape                                     #=> (2, 0)
[].dtype                                          #=> f64
[range(3)]                                        #=> [[0 1 2]]
[...]                                             #! an array cannot hold ...
[sum]                                             #! an array cannot hold a function
