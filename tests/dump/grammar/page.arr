a = rand(8000, 8000, f32)            # lazy: nothing has run yet
c = a @ a.T                          # shape and dtype are known at once, values when needed
print(c[0, :4], mean(c))             # forces c; only what is printed leaves the device

fn sigmoid(x) = 1 / (1 + exp(-x))    # a user function fuses like a builtin
fn standardize(x, axis=0) {
    m = mean(x, axis=axis, keepdims=true)
    return (x - m) / std(x, axis=axis, keepdims=true)
}
y = a
    |> standardize                   # x |> f(k) is f(x, k)
    |> sigmoid

fn step(u) {                         # arguments are values: a function returns what it changed
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u
}
u = zeros(512, 512)
u[0] = 1
for n in range(1000) { u = step(u) }
q, r = qr(rand(100, 20))
if any(isnan(u)) { error("diverged") }
save("u.npy", u)
