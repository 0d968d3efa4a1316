# Random numbers.

# T103: a uniform is never 1
seed(1)
max(rand(1000000, f32)) < 1                       #=> true
min(rand(1000000, f32)) >= 0                      #=> true

# T104: element k does not depend on n or on how it is sliced
seed(7)
a = rand(1000)
seed(7)
b = rand(10)
array_equal(a[:10], b)                            #=> true
seed(7)
rand(1000)[3] == a[3]                             #=> true

# T106: no repeats between calls
seed(3)
c = rand(1000)
d = rand(1000)
any(c == d)                                       #=> false
