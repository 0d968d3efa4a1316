# Rows that are walked several times in one go give the bits of single steps: rows of one and of
# several chunks, with and without rests, in every float dtype; results of rows and of elements.
fn softmax_rows(v) {
    e = exp(v - max(v, axis=1, keepdims=true))
    return e / sum(e, axis=1, keepdims=true)
}
fn softmax_steps(v) {
    m = eval(max(v, axis=1, keepdims=true))
    e = eval(exp(v - m))
    s = eval(sum(e, axis=1, keepdims=true))
    return eval(e / s)
}
fn norm_rows(v, w) {
    m = mean(v, axis=1, keepdims=true)
    return (v - m) / sqrt(var(v, axis=1, keepdims=true) + 1e-5) * w, m
}
fn norm_steps(v, w) {
    m = eval(mean(v, axis=1, keepdims=true))
    s = eval(var(v, axis=1, keepdims=true))
    return eval(eval(v - m) / eval(sqrt(s + 1e-5)) * w), m
}
fn spread_rows(v) = max(abs(v - mean(v, axis=1, keepdims=true)), axis=1)
fn spread_steps(v) {
    m = eval(mean(v, axis=1, keepdims=true))
    a = eval(abs(v - m))
    return eval(max(a, axis=1))
}
fn first_rows(v) = where(v == max(v, axis=1, keepdims=true), argmax(v, axis=1)[:, newaxis], -1)
fn first_steps(v) {
    m = eval(max(v, axis=1, keepdims=true))
    k = eval(argmax(v, axis=1))
    return eval(where(v == m, k[:, newaxis], -1))
}
fn log_rows(v) = v - logsumexp(v, axis=1, keepdims=true)
fn log_steps(v) {
    m = eval(max(v, axis=1, keepdims=true))
    s = eval(sum(eval(exp(eval(v - m))), axis=1, keepdims=true))
    return eval(v - eval(eval(log(s)) + m))
}
fn same(a, b) = a.dtype == b.dtype and array_equal(f64(a), f64(b), equal_nan=true)
fn agree(r, c, t) {
    v = eval(t(normal(0, 3, size=(r, c))))
    w = eval(t(rand(c)))
    x, m = norm_rows(v, w)
    y, n = norm_steps(v, w)
    return (same(softmax_rows(v), softmax_steps(v)), same(x, y), same(m, n),
            same(spread_rows(v), spread_steps(v)), same(first_rows(v), first_steps(v)),
            same(log_rows(v), log_steps(v)))
}
seed(11)
for t in (f32, f64, f16, bf16) {
    for s in ((512, 256), (430, 313), (40, 4095), (33, 4096), (32, 4097), (9, 16384)) {
        assert agree(s[0], s[1], t) == (true, true, true, true, true, true), f"{t} {s}"
    }
}
agree(64, 70000, f32)                   #=> (true, true, true, true, true, true)

# Not a number, infinities and zeros of both signs are what they are in single steps.
v = f32(normal(0, 1, size=(300, 500)))
v[3, 7], v[4, 8], v[5, 9], v[6] = nan, inf, -inf, -0.0
v[6, 100] = 0.0
v = eval(v)
same(softmax_rows(v), softmax_steps(v)) #=> true
same(first_rows(v), first_steps(v))     #=> true
first_rows(v)[6, :3]                    #=> [0 0 0]

# Over several last axes; a gather in the chain, in range and not.
t = f64(normal(0, 1, size=(20, 70, 120)))
same(softmax(t, axis=(1, 2)), softmax_steps(t.reshape(20, -1)).reshape(20, 70, 120)) #=> true
k = argmax(t[:, 0], axis=1)
i = eval(randint(0, 500, size=(300, 500)))
p = eval(f32(rand(500)))
same(softmax_rows(take(p, i)), softmax_steps(eval(take(p, i))))                      #=> true
i[17, 3] = 500
softmax_rows(take(p, i))                #! index: index 500 is out of range for axis 0 with 500 elements
