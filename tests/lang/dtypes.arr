# The language, "Dtypes": bool i32 i64 u8 f32 f64

# weak scalars
(f32([1]) + 1.5).dtype                            #=> f32
(array([1], i32) + 1).dtype                       #=> i32
(array([1], i32) + 1.5).dtype                     #=> f64
([true] + 1).dtype                                #=> i64
(array([1], u8) + 2).dtype                        #=> u8
array([1], u8) + 300                              #! dtype: i64(
f32([1.0]) + 1e300                                #=> [inf]
array([1], u8) == 300                             #=> [false]
u8(300)                                           #! dtype:
u8([300])                                         #! dtype:

# two arrays
(array([1], i32) + [1]).dtype                     #=> i64
([1] * f32([1])).dtype                            #=> f32
(array([1], u8) + array([1], i32)).dtype          #=> i32
([true] * f64([2])).dtype                         #=> f64
(array([1], u64) + [1])                           #! dtype: i64(
array([1], u64) < [-1]                            #=> [false]

# division and reductions
([7] / 2).dtype                                   #=> f64
[7, 8] / 2                                        #=> [3.5 4. ]
(array([7], i32) // 2).dtype                      #=> i32
mean([1, 2]).dtype                                #=> f64
mean(f32([1, 2])).dtype                           #=> f32
sum(array([1], i32)).dtype                        #=> i64
sum([true, true]).dtype                           #=> i64

# assignment keeps the dtype
x = [1, 2, 3]
x[0] = 1.5                                        #! dtype: i64(
x[0] = true
x                                                 #=> [1 2 3]
y = zeros(2, f32)
y[0] = 1e300
y                                                 #=> [inf  0.]
y[1] = f64([2.5])[0]                              #! dtype: f32(

# casts
i32([1.9, -1.9])                                  #=> [ 1 -1]
bool([0, 2])                                      #=> [false  true]
f64([1, 2])                                       #=> [1. 2.]
f64(1j)                                           #! dtype: real
[true] * 3                                        #=> [3]

# powers and shifts
[2, 3] ** 2                                       #=> [4 9]
f64([2.0]) ** -1                                  #=> [0.5]
[1, 2] << 2                                       #=> [4 8]
[1] << 64                                         #=> [0]
[-8] >> 100                                       #=> [-1]
[1] << -1                                         #=> [0]

# nan wins or loses
minimum(f64([nan, 1]), 0.0)                       #=> [nan  0.]
fmin(f64([nan, 1]), 0.0)                          #=> [0. 0.]
max([1, 2], 3)                                    #! argument: maximum
round(2.5)                                        #=> 2.0
round(f64([1.25, 1.35]), 1)                       #=> [1.2 1.4]

# empties
sum([])                                           #=> 0.0
prod([])                                          #=> 1.0
all([])                                           #=> true
any([])                                           #=> false
mean([])                                          #=> nan
max([])                                           #! value: axis
