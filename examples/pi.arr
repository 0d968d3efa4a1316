# Pi by random points: nothing of size n is ever stored.
n = int(args[0]) if len(args) > 0 else 2000000
seed(42)
x = rand(n)
y = rand(n)
inside = sum(x * x + y * y < 1)
print(f"{int(inside)} of {n} inside, pi is about {4 * int(inside) / n:.6f}")
