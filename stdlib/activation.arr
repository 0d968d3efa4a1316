# activation - functions of neural networks and their normalisations, made of elementwise work and
# reductions that fuse. Present without an import.

# The logistic function 1 / (1 + exp(-x)), without overflow for any x; within 3 units in the last
# place.
#   sigmoid(0.0) #=> 0.5
#   sigmoid([-1000.0, 1000.0]) #=> [0. 1.]
fn sigmoid(x) {
    e = exp(-abs(x))
    return where(x >= 0, 1.0, e) / (1 + e)
}

# x where it is above 0, else 0; nan stays.
#   relu([-1.5, 2.0]) #=> [0. 2.]
fn relu(x) = maximum(x, 0)

# x times the normal distribution function of x; approx="tanh" takes the approximation by tanh.
# Within 4 units in the last place above 0; below, within 4 + 2 x^2 (4 + 6 x^2 with "tanh"), since
# the rounding of x^2 counts in an exponential. Results below the normal numbers lose more.
#   gelu([0.0, 1.0]) #=> [0.         0.84134475]
#   gelu([1.0], approx="tanh") #=> [0.84119199]
fn gelu(x, approx="none") {
    if approx == "tanh" {
        return x * sigmoid(sqrt(8 / pi) * (x + 0.044715 * x ** 3))
    }
    if approx != "none" { error("gelu: approx must be \"none\" or \"tanh\"", "value") }
    return 0.5 * x * erfc(-x / sqrt(2))
}

# x * sigmoid(x), within 4 units in the last place.
#   silu([0.0, 1.0]) #=> [0.         0.73105858]
fn silu(x) {
    h = exp(-0.5 * abs(x)) # as a square e^-|x| never loses digits below the normal numbers
    return where(x >= 0, x, x * h * h) / (1 + h * h)
}

# log(1 + exp(x)), without overflow; within 3 units in the last place.
#   softplus([0.0, 1000.0]) #=> [6.93147181e-01 1.00000000e+03]
fn softplus(x) = maximum(x, 0) + log1p(exp(-abs(x)))

# exp(x) over its sum along axis (none: over all elements, as SciPy's).
#   softmax([1.0, 1.0]) #=> [0.5 0.5]
#   sum(softmax(zeros(2, 4)), axis=1) #=> [0.5 0.5]
fn softmax(x, axis=none) {
    e = exp(x - max(x, axis=axis, keepdims=true))
    return e / sum(e, axis=axis, keepdims=true)
}

# The logarithm of softmax, without its loss of digits.
#   log_softmax([0.0, 0.0]) #=> [-0.69314718 -0.69314718]
fn log_softmax(x, axis=none) {
    d = x - max(x, axis=axis, keepdims=true)
    return d - log(sum(exp(d), axis=axis, keepdims=true))
}

# log(sum(exp(a))) over axis, without overflow, as SciPy's; where says which elements count.
#   logsumexp([1000.0, 1000.0]) #=> 1000.6931471805599
fn logsumexp(a, axis=none, keepdims=false, where=none) {
    most = max(a, axis=axis, keepdims=true, where=where)
    most = where(isfinite(most), most, 0)
    r = log(sum(exp(a - most), axis=axis, keepdims=true, where=where)) + most
    return r if keepdims else squeeze(r, axis)
}

# (x - mean) / sqrt(var + eps) over axis (an integer or a tuple), then times weight, plus bias where
# they are given.
#   layer_norm([1.0, 3.0], eps=0) #=> [-1.  1.]
fn layer_norm(x, axis=-1, eps=1e-05, weight=none, bias=none) {
    d = x - mean(x, axis=axis, keepdims=true)
    y = d / sqrt(var(x, axis=axis, keepdims=true) + eps)
    if weight != none { y = y * weight }
    if bias != none { y = y + bias }
    return y
}
