# Elementwise edge cases.

# T38: round keeps the dtype
round([15, 25, 35], -1)                           #=> [20 20 40]
round([15, 25, 35], -1).dtype                     #=> i64
round(f32([0.5, 1.5, 2.5, -0.5]))                 #=> [ 0.  2.  2. -0.]

# T40: arange's length and elements
arange(0, 1, 0.1)                                 #=> [0.  0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9]
arange(0, 1, 0.25)                                #=> [0.   0.25 0.5  0.75]
len(arange(1, 1.3, 0.1))                          #=> 3
arange(0, 1, 0.1)[3] == 0 + 3 * 0.1               #=> true
arange(5, 0)                                      #=> []

# T42: linspace ends exactly at stop and is symmetric
linspace(0, 1, 7)[-1] == 1                        #=> true
x = linspace(-1, 1, 11)
all(x == -flip(x))                                #=> true
linspace(f32(0.0), f32(0.1), 3)[-1] == f32(0.1)   #=> true

# T43: a fused expression has the dtype of the unfused one
((f32([1.5]) * 2 + 1) / 3).dtype                  #=> f32
(sqrt(array([4], i32)) + 1).dtype                 #=> f64
