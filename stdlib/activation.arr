# activation - functions of neural networks and their normalisations, made of elementwise work and
# reductions that fuse. Present without an import.

# The logistic function 1 / (1 + exp(-x)), without overflow for any x; within 3 units in the last
# place.
#   sigmoid(0.0) #=> 0.5
#   sigmoid([-1000.0, 1000.0]) #=> [0. 1.]
fn sigmoid(x) {
    x = _argument(x, "x", "floats")
    e = exp(-abs(x))
    return where(x >= 0, 1.0, e) / (1 + e)
}

# x where it is above 0, else 0; nan stays.
#   relu([-1.5, 2.0]) #=> [0. 2.]
fn relu(x) = maximum(_argument(x, "x", "real"), 0)

# x times the normal distribution function of x; approx="tanh" takes the approximation by tanh.
# Within 4 units in the last place above 0; below, within 4 + 2 x^2 (4 + 6 x^2 with "tanh"), since
# the rounding of x^2 counts in an exponential. Results below the normal numbers lose more.
#   gelu([0.0, 1.0]) #=> [0.         0.84134475]
#   gelu([1.0], approx="tanh") #=> [0.84119199]
fn gelu(x, approx="none") {
    x = _argument(x, "x", "floats")
    if approx == "tanh" {
        return x * sigmoid(sqrt(8 / pi) * (x + 0.044715 * x ** 3))
    }
    if approx != "none" { error("gelu: approx must be \"none\" or \"tanh\"", "value") }
    return 0.5 * x * erfc(-x / sqrt(2))
}

# x * sigmoid(x), within 4 units in the last place.
#   silu([0.0, 1.0]) #=> [0.         0.73105858]
fn silu(x) {
    x = _argument(x, "x", "floats")
    h = exp(-0.5 * abs(x)) # as a square e^-|x| never loses digits below the normal numbers
    return where(x >= 0, x, x * h * h) / (1 + h * h)
}

# log(1 + exp(x)), without overflow; within 3 units in the last place.
#   softplus([0.0, 1000.0]) #=> [6.93147181e-01 1.00000000e+03]
fn softplus(x) {
    x = _argument(x, "x", "floats")
    return maximum(x, 0) + log1p(exp(-abs(x)))
}

# exp(x) over its sum along axis (none: over all elements, as SciPy's).
#   softmax([1.0, 1.0]) #=> [0.5 0.5]
#   sum(softmax(zeros(2, 4)), axis=1) #=> [0.5 0.5]
fn softmax(x, axis=none) {
    x = _argument(x, "x", "floats")
    axis = _argument(axis, "axis", "axes")
    e = exp(x - max(x, axis=axis, keepdims=true))
    return e / sum(e, axis=axis, keepdims=true)
}

# The logarithm of softmax, without its loss of digits.
#   log_softmax([0.0, 0.0]) #=> [-0.69314718 -0.69314718]
fn log_softmax(x, axis=none) {
    x = _argument(x, "x", "floats")
    axis = _argument(axis, "axis", "axes")
    d = x - max(x, axis=axis, keepdims=true)
    return d - log(sum(exp(d), axis=axis, keepdims=true))
}

# log(sum(b * exp(a))) over axis, without overflow, as SciPy's: b are factors, 1 unless given; of a
# negative sum it is nan, or with return_sign the logarithm of its size in a tuple with its sign.
# where says which elements count.
#   logsumexp([1000.0, 1000.0]) #=> 1000.6931471805599
#   logsumexp([0.0, 0.0], b=[3, 1]) #=> 1.3862943611198906
fn logsumexp(a, axis=none, b=none, keepdims=false, return_sign=false, where=none) {
    a = _argument(a, "a", "floats")
    axis = _argument(axis, "axis", "axes")
    return_sign = _argument(return_sign, "return_sign", "flag")
    keepdims = _argument(keepdims, "keepdims", "flag")
    if where != none { where = _argument(where, "where", "mask") }
    if b != none {
        b = _argument(b, "b", "real")
        a = where(b != 0, a, -inf)
    }
    most = max(a, axis=axis, keepdims=true, where=where)
    most = where(isfinite(most), most, 0)
    e = exp(a - most)
    s = sum(e if b == none else b * e, axis=axis, keepdims=true, where=where)
    r = log(abs(s) if return_sign else s) + most
    if return_sign { return (r, sign(s)) if keepdims else (squeeze(r, axis), sign(squeeze(s, axis))) }
    return r if keepdims else squeeze(r, axis)
}

# (x - mean) / sqrt(var + eps) over axis (an integer or a tuple), then times weight, plus bias where
# they are given.
#   layer_norm([1.0, 3.0], eps=0) #=> [-1.  1.]
fn layer_norm(x, axis=-1, eps=1e-05, weight=none, bias=none) {
    x = _argument(x, "x", "floats")
    axis = _argument(axis, "axis", "axes")
    eps = _argument(eps, "eps", "real")
    d = x - mean(x, axis=axis, keepdims=true)
    y = d / sqrt(var(x, axis=axis, keepdims=true) + eps)
    if weight != none { y = y * _argument(weight, "weight", "number") }
    if bias != none { y = y + _argument(bias, "bias", "number") }
    return y
}
