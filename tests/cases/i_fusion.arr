# Fusion, compilation, caches.

# T84: a graph built by 10^6 steps runs and frees
x = zeros(3)
for i in range(1000000) { x = x + 1 }
x                                                 #=> [1000000. 1000000. 1000000.]

# T91: other constants and shapes do not reuse old results
fn f(v, k) = v * k + 1
f(f64([1, 2]), 2.0)                               #=> [3. 5.]
f(f64([1, 2]), 3.0)                               #=> [4. 7.]
f(f64([1, 2, 3]), 3.0)                            #=> [ 4.  7. 10.]
