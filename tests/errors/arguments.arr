# Wrong arguments of builtins and library functions: the kind of the error, the function's name and
# the parameter's. (tests/parity/arguments.py asks every builtin.)
randint(5, 5)                                            #! value: randint: low must be below high: 5 to 5 is empty
randint(0, 10, dtype=f32)                                #! dtype: randint: dtype must be an integer dtype, not f32
randint(0, 300, 3, u8)                                   #! value: randint: low and high go beyond u8
randint(-1, 5, 3, u8)                                    #! value: randint: low and high go beyond u8
randint(1.5)                                             #! type: randint: low must be an integer, not float: write int(x), or // for /
randint([1, 2])                                          #! shape: randint: low must be one integer, not i64[2]
normal(0, -1, 3)                                         #! value: normal: scale must not be negative
normal(0, [1, -1])                                       #! value: normal: scale must not be negative
normal("a")                                              #! type: normal: loc must be an array, not a string
exponential(-1)                                          #! value: exponential: scale must not be negative
bernoulli(1.5)                                           #! value: bernoulli: p must lie from 0.0 to 1.0
bernoulli(nan)                                           #! value: bernoulli: p must lie from 0.0 to 1.0
bernoulli(0.5, 2, "f32")                                 #! type: bernoulli: dtype must be a dtype, say f32, not a string
choice(0)                                                #! value: choice: there is nothing to choose from: a is empty
choice(2.5)                                              #! shape: choice: a must be an integer or have axes
choice("abc")                                            #! type: choice: a must be an array, not a string
choice([1, 2], 3, false)                                 #! value: choice: 3 different elements cannot be chosen among 2: use replace=true
choice(3, 2, p=[0.5, 0.5])                               #! shape: choice: p has 2 probabilities for 3 elements
choice(2, 2, p=[0.5, 0.6])                               #! value: choice: p must sum to 1, not 1.1: divide it by its sum
choice(2, 2, p=[-0.5, 1.5])                              #! value: choice: p must lie from 0 to 1, element 0 is -0.5
choice(5, 2, p=[1.0, 0, 0, 0, 0], replace=false)         #! value: choice: 2 different elements cannot be chosen among 1: use replace=true
choice([[1, 2]], axis=2)                                 #! value: choice: axis 2 is out of range for rank 2 (-2 to 1)
multinomial(-1, [1.0])                                   #! value: multinomial: n must not be negative, it is -1
multinomial(3, [0.5])                                    #! value: multinomial: pvals must sum to 1, not 0.5: divide it by its sum
multinomial(2, [[1.0]])                                  #! shape: multinomial: pvals must be a vector of probabilities
rand(-1)                                                 #! value: rand: shape: an extent of -1 is negative
rand(2.5)                                                #! type: rand: shape must be an integer, not float: write int(x), or // for /
rand(2, i32)                                             #! dtype: rand: random numbers are floats, not i32: cast the result
rand(2, "f32")                                           #! type: rand: dtype must be a dtype, say f32, not a string
randn(3, c64)                                            #! dtype: randn: random numbers are floats, not c64: cast the result
rand(2 ** 62)                                            #! limit: rand: shape [4611686018427387904] is too large: 8 bytes an element pass 2^63 bytes in all
uniform(0, 1, (2, -1))                                   #! value: uniform: size: an extent of -1 is negative
uniform([1, 2], 3, 3)                                    #! shape: uniform: parameters of shape f64[2] do not broadcast to size f64[3]
uniform(1j)                                              #! dtype: uniform: low must be real
permutation(-1)                                          #! value: permutation: x must not be negative, it is -1
permutation([1, 2], axis=1)                              #! value: permutation: axis 1 is out of range for rank 1 (-1 to 0)
permutation(1.5)                                         #! shape: permutation: x must be an integer or have axes
shuffle(5)                                               #! type: shuffle: x must be an array: permutation(n) shuffles 0 to n - 1
seed(1.5)                                                #! type: seed: s must be an integer, not float: write int(x), or // for /

# options
zeros(2, float)                                          #! type: zeros: dtype must be a dtype, say f64, not a function
ones(2, "f32")                                           #! type: ones: dtype must be a dtype, say f32, not a string
empty(2, "float32")                                      #! type: empty: dtype must be a dtype, say f32, not a string
clip(u8([1]), 0, 300)                                    #! dtype: clip: a_max 300 does not fit u8: cast the array, i64(x)
clip([1], max=1j)                                        #! dtype: clip: a and max must be real, not i64[1] and complex
clip([1, 2], [1, 2, 3], 4)                               #! shape: clip: a and a_min do not broadcast together: i64[2] and i64[3]
angle([1j], 1)                                           #! type: angle: deg must be true or false, not int
nan_to_num([nan], true)                                  #! type: nan_to_num: nan must be a real number, not bool
nan_to_num([nan], posinf=[1, 2])                         #! shape: nan_to_num: posinf, i64[2], does not broadcast to x, f64[1]
average([1, 2], weights=[1, -1])                         #! value: average: the weights sum to 0, so that there is no average
average([[1, 2]], axis=1, weights=[1, 2, 3])             #! shape: average: 3 weights for 2 elements
geomspace(0, 1)                                          #! value: geomspace: start and stop must not be 0
geomspace(-1, 1)                                         #! value: geomspace: start and stop must have one sign: complex ends turn
logspace(0, 1, base="e")                                 #! type: logspace: base must be an array, not a string
norm(eye(2), 2)                                          #! value: norm: ord of a matrix is "fro", 1, -1, inf or -inf, not 2.0: 2, -2 and "nuc" would need svdvals
norm(eye(2), "nuc")                                      #! value: norm: ord is a number, inf, -inf or "fro", not "nuc", which would need svdvals
norm(eye(2), "abc")                                      #! value: norm: ord is a number, inf, -inf or "fro", not "abc"
reshape([1, 2], 2, order="A")                            #! value: reshape: order must be one of "C", "F", not "A"
concat(([1], [2]), dtype="f32")                          #! type: concat: dtype must be a dtype, say f32, not a string
max([1, 2], initial=1.5)                                 #! dtype: max: initial 1.5 does not go into i64: write i64(1.5) or cast the array
sum([1, 2], initial=[1, 2])                              #! shape: sum: initial must be one number
var([1, 2], ddof=1, correction=1)                        #! argument: var: ddof and correction are one: give one
var([[1, 2], [3, 4]], axis=1, mean=[1, 2, 3])            #! shape: var: cannot subtract f64[2,2] and f64[3]: the last axes are 2 and 3
array([1], ndmin=99)                                     #! limit: array: ndmin is at most 32
cummax([1, 2], f32)                                      #! type: cummax: axis must be an integer, not the dtype f32
where([true])                                            #! argument: where needs an argument for 'x'
pad([1], 1, constant_values="a")                         #! type: pad: constant_values must be a number, not a string
pad([1], 1, mode="mean", stat_length="a")                #! type: pad: stat_length must be an integer, not a string
pad([1], 1, mode="mean", stat_length=0)                  #! value: pad: stat_length 0, or an empty axis, has no statistic
pad([1], 1, mode="linear_ramp", end_values="a")          #! type: pad: end_values must be an array, not a string
pad([1], 1, stat_length=2)                               #! argument: pad: stat_length is of modes with a statistic, not of "constant"
pad([1], 1, mode="edge", end_values=2)                   #! argument: pad: end_values are of mode "linear_ramp", not of "edge"
pad([], 1, mode="median")                                #! value: pad: stat_length 0, or an empty axis, has no statistic
quantile([1], 0.5, weights=[1])                          #! value: quantile: weights need method="inverted_cdf", not "linear"
quantile([1], 0.5, method="inverted_cdf", weights=[-1])  #! value: quantile: weights must not be negative
quantile([1, 2], 0.5, method="inverted_cdf", weights=[1, 2, 3]) #! shape: quantile: weights must have a's shape, or be a vector along the one axis: i64[3] for i64[2]
quantile([1], 2)                                         #! value: quantile: q must lie from 0 to 1.0, not 2.0
searchsorted([1, 2], 1, sorter=0)                        #! shape: searchsorted: sorter must hold one index for each element of a
searchsorted([1, 2], 1, sorter=[0])                      #! shape: searchsorted: sorter must hold one index for each element of a
searchsorted(1, 1)                                       #! shape: searchsorted: a must be a sorted vector
histogram([1], "x")                                      #! value: histogram: bins must be one of "auto", "fd", "scott", "rice", "sturges", "sqrt", not "x"
histogram([1], "auto", weights=[1])                      #! argument: histogram: weights need bins that are given, not a rule
histogram([1], 0)                                        #! value: histogram: bins must be 1 or more
histogram([1], 2, range=(3, 1))                          #! value: histogram: the range from 3.0 to 1.0 has no bins: give range=(low, high)
unravel_index([9], (2, 2))                               #! index: unravel_index: indices: 9 is out of range for 4 elements
unravel_index([1], (2, 2), order="A")                    #! value: unravel_index: order must be one of "C", "F", not "A"
ravel_multi_index(([2], [1]), (2, 2))                    #! index: ravel_multi_index: multi_index: 2 is out of range for 2 elements
ravel_multi_index(([2], [1]), (2, 2), mode="x")          #! value: ravel_multi_index: mode must be one of "raise", "wrap", "clip", not "x"
atleast_1d()                                             #! argument: atleast_1d: arys are one array or at most 32
swapaxes([[1]], "a", 0)                                  #! type: swapaxes: axis1 must be an integer, not a string
gradient([1.0, 2.0], "a")                                #! type: gradient: varargs must be an array, not a string
len(3)                                                   #! type: len: int has no length: it has no axes

# functions of the library
sigmoid("a")                                             #! type: sigmoid: x must be an array, not a string
relu([1j])                                               #! dtype: relu: x must be real, not c128[1]: use real(x), imag(x) or abs(x)
softmax([1.0], axis="x")                                 #! type: softmax: axis must be an integer, not a string
softmax([1.0], axis=1)                                   #! value: softmax: max: axis 1 is out of range for rank 1 (-1 to 0)
layer_norm([1.0], axis=f32)                              #! type: layer_norm: axis must be an integer, not the dtype f32
logsumexp([1.0], where=print)                            #! type: logsumexp: where must be an array, not a function
logsumexp([1.0], b="x")                                  #! type: logsumexp: b must be an array, not a string
ptp([1], axis=1)                                         #! value: ptp: max: axis 1 is out of range for rank 1 (-1 to 0)
nansum([1.0], where=[1])                                 #! dtype: nansum: where must be booleans, not i64[1]
nanmax([1j])                                             #! dtype: nanmax: a must be real, not c128[1]: use real(x), imag(x) or abs(x)
nanvar("x")                                              #! type: nanvar: a must be an array, not a string
cov([1, 2], rowvar=1)                                    #! type: cov: rowvar must be true or false, not int
cov([1, 2], [1, 2, 3])                                   #! shape: cov: m has 2 observations, y 3
cov([1, 2], fweights=[1])                                #! shape: cov: 1 fweights for 2 observations
cov(zeros(2, 2, 2))                                      #! shape: cov: m must have one or two axes, not 3
corrcoef("a")                                            #! type: corrcoef: x must be an array, not a string
vdot("a", [1])                                           #! type: vdot: a must be an array, not a string
inner([1], none)                                         #! type: inner: b must be an array, not none
outer([1], "b")                                          #! type: outer: b must be an array, not a string
kron(1, "b")                                             #! type: kron: b must be an array, not a string
trace([1])                                               #! shape: trace: a must have two axes or more, not 1
trace([[1]], offset="a")                                 #! type: trace: offset must be an integer, not a string
cross([1], [1])                                          #! shape: cross: the vectors must have 2 or 3 elements, not 1 and 1
cross(1, 2)                                              #! shape: cross: a and b must be vectors, not numbers
matrix_power([[1]], 1.5)                                 #! type: matrix_power: n must be an integer, not float: write int(x), or // for /
matrix_power([1], 2)                                     #! shape: matrix_power: a must be square, not (1,)
lerp(1, 2, "a")                                          #! type: lerp: t must be an array, not a string
polyval([1], "a")                                        #! type: polyval: x must be an array, not a string
gelu(1.0, approx="x")                                    #! value: gelu: approx must be "none" or "tanh"
