# Leaves that need no memory: random numbers and ranges; a gather; what a variable holds is stored.
seed(5)
x = rand(100, f32)
y = eval(x * 2 + arange(100))
p = 4 * mean(rand(1000) ** 2 + rand(1000) ** 2 < 1)
q = eval(p)
z = y[[3, 1, 2]] + 1
w = eval(sum(z))
