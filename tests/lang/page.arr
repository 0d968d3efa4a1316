# language.md, "One page of it": the page itself, on smaller arrays

seed(1)
a = rand(80, 80, f32)
c = a @ a.T
c.shape, c.dtype                                  #=> ((80, 80), f32)
c[0, :4].shape                                    #=> (4,)

fn sigmoid(x) = 1 / (1 + exp(-x))
fn standardize(x, axis=0) {
    m = mean(x, axis=axis, keepdims=true)
    return (x - m) / std(x, axis=axis, keepdims=true)
}
y = a
    |> standardize
    |> sigmoid
y.dtype, y.shape                                  #=> (f32, (80, 80))
abs(mean(y) - 0.5) < 0.05                         #=> true
(a |> standardize(axis=1)).shape                  #=> (80, 80)

fn step(u) {
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u
}
u = zeros(8, 8)
u[0] = 1
for n in range(1000) { u = step(u) }
allclose(u, step(u))                              #=> true
if any(isnan(u)) { error("diverged") }
s, t = (fn(x) = (x, -x))(3)
t                                                 #=> -3
v = u[1:]
v[0] = 9
u[1, 1] < 1                                       #=> true
x = 1; f = fn() = x; x = 2; f()                   #=> 2
fn inside() {
    x = 1
    f = fn() = x
    x = 2
    return f()
}
inside()                                          #=> 1
