# Reductions and accuracy.

# T23: error grows with log n on every axis
x = full((100000, 2), 0.1, f32)
max(abs(sum(x, axis=0) - f32(10000))) < 0.01      #=> true
max(abs(sum(x.T, axis=1) - f32(10000))) < 0.01    #=> true

# T24: more than 2^24 ones
sum(ones(16777216 + 6, f32))                      #=> 1.6777222e+07

# T25: the mean of halves accumulates in f32
mean(full((70000,), 1000.0, f16))                 #=> 1e+03

# T27: variance of offset data
var(f64([1e8, 1e8 + 1, 1e8 + 2]))                 #=> 0.6666666666666666

# T31: nan wins at every position
[max(f64([nan, 1, 2])), max(f64([1, nan, 2])), max(f64([1, 2, nan]))]   #=> [nan nan nan]
min(f64([nan, nan]))                              #=> nan
max(f64([-inf, -inf]))                            #=> -inf
n = 5000
y = arange(n) * 1.0
y[4999] = nan
isnan(max(y))                                     #=> true
isnan(min(y))                                     #=> true

# T32: argmax takes the first nan, ties go to the lowest index
argmax(f64([1, nan, 3, nan]))                     #=> 1
argmax([3, 1, 3])                                 #=> 0
argmin([2, 1, 1])                                 #=> 1

# T34, T36: running sums and sums are the same on every run
s = rand(100000, f32)
array_equal(cumsum(s), cumsum(s))                 #=> true
t = copy(s)
array_equal(sum(s), sum(t))                       #=> true
