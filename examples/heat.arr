# The heat equation on a plate: Jacobi steps, the top edge kept at 1.
fn step(u) {
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u
}

n = int(args[0]) if len(args) > 0 else 64
u = zeros(n, n)
u[0] = 1
for k in range(500) { u = step(u) }
if any(isnan(u)) { error("diverged") }
print(f"mean temperature {float(mean(u)):.9f}")
print("centre column", u[::n // 8, n // 2])
