# Draws: sequences, shapes, dtypes, ranges, distributions, refusals.

# the words behind the numbers: element i of draw k after seed(s), on every device
seed(42)
a = rand(4)
b = rand(4)
seed(42)
array_equal(rand(4), a)                                 #=> true
array_equal(rand(4), b)                                 #=> true

# every call is one draw, failed, empty and unused ones too
seed(42)
try { x = rand(-1) } catch err { }
array_equal(rand(4), b)                                 #=> true
seed(42)
x = rand(0)
array_equal(rand(4), b)                                 #=> true
seed(42)
try { x = choice([1, 2], 5, replace=false) } catch err { }
array_equal(rand(4), b)                                 #=> true
seed(42)
x = multinomial(5, [0.5, 0.5])
array_equal(rand(4), b)                                 #=> true

# a lazy draw that is used twice is the same numbers
r = rand(100)
array_equal(r + 0, r * 1)                               #=> true

# shapes and dtypes
rand().shape                                            #=> ()
rand(2, 3).dtype                                        #=> f64
rand(2, f32).dtype                                      #=> f32
rand((2, 3), f16).dtype                                 #=> f16
randn(5, bf16).dtype                                    #=> bf16
randint(10).dtype                                       #=> i64
randint(0, 200, (2, 2), u8).dtype                       #=> u8
uniform([0.0, 5.0], [[1.0], [9.0]]).shape               #=> (2, 2)
normal(f32([0, 1]), 1, (3, 2)).dtype                    #=> f32
exponential(2.0, (2, 2)).shape                          #=> (2, 2)
bernoulli([0.0, 1.0], (3, 2))                           #=> [[false  true]
                                                        #=>  [false  true]
                                                        #=>  [false  true]]
choice(10, (2, 3)).shape                                #=> (2, 3)
choice([[1, 2], [3, 4]], 5, axis=1).shape               #=> (2, 5)
multinomial(10, [0.2, 0.3, 0.5], (4,)).shape            #=> (4, 3)
sum(multinomial(10, [0.2, 0.3, 0.5], (4,)), axis=1)     #=> [10 10 10 10]

# ranges
x = uniform(-2, 3, 10000)
all((x >= -2) & (x < 3))                                #=> true
x = randint(-3, 4, 10000)
(min(x), max(x))                                        #=> (-3, 3)
x = randint(0, 256, 10000, u8)
(min(x), max(x))                                        #=> (0, 255)
x = rand(100000, f16)
max(x) < 1                                              #=> true

# moments, to five standard errors
seed(1)
x = randn(100000)
abs(mean(x)) < 0.016                                    #=> true
abs(std(x) - 1) < 0.012                                 #=> true
x = randn(100000, f32)
abs(mean(x)) < 0.016                                    #=> true
abs(std(x) - 1) < 0.012                                 #=> true
x = exponential(3.0, 100000)
abs(mean(x) - 3) < 0.05                                 #=> true
abs(mean(bernoulli(0.3, 100000)) - 0.3) < 0.0075        #=> true
abs(mean(rand(100000)) - 0.5) < 0.005                   #=> true
c = bincount(choice(3, 100000, p=[0.2, 0.3, 0.5])) / 100000
max(abs(c - [0.2, 0.3, 0.5])) < 0.008                   #=> true
c = bincount(randint(0, 7, 70000))
max(abs(c - 10000)) < 500                               #=> true

# orders
sort(permutation(1000))[999]                            #=> 999
array_equal(permutation(1000), arange(1000))            #=> false
sum(permutation([[1, 2], [3, 4]], axis=1), axis=1)      #=> [3 7]
p = choice(100, 100, replace=false)
array_equal(sort(p), arange(100))                       #=> true
sort(choice(4, 2, replace=false, p=[0.0, 0.5, 0.5, 0.0]))  #=> [1 2]

# refusals
rand(2, i32)                                            #! dtype: random numbers are floats
randint(5, 5)                                           #! value: low must be below high
randint(0, 300, 3, u8)                                  #! value: beyond u8
normal(0, -1, 3)                                        #! value: scale must not be negative
normal(0, [1.0, -1.0])                                  #! value: scale must not be negative
bernoulli(1.5)                                          #! value: p must lie from 0.0 to 1.0
choice(3, 4, replace=false)                             #! value: use replace=true
choice([1, 2], p=[0.5, 0.6])                            #! value: must sum to 1
choice(0, 3)                                            #! value: nothing to choose from
uniform([1.0, 2.0], 3, (3,))                            #! shape: do not broadcast
shuffle(5)                                              #! type: permutation(n)
