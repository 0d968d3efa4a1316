# statistics - spreads, weighted means, covariances, and reductions that leave out nan. Present
# without an import.

# The largest less the smallest element over axis; where says which elements count.
#   ptp([3, 9, 4]) #=> 6
fn ptp(a, axis=none, keepdims=false, where=none) {
    a = _argument(a, "a", "real")
    axis = _argument(axis, "axis", "axes")
    return max(a, axis=axis, keepdims=keepdims, where=where) -
        min(a, axis=axis, keepdims=keepdims, where=where)
}

# Weights in a form that multiplies a: of a's shape, or a vector along the one axis.
fn _weights(a, axis, weights) {
    w = weights
    if w.shape == a.shape { return w }
    if w.ndim != 1 or axis == none or kind(axis) == "tuple" { error("average: weights have shape " + str(w.shape) + ", a has " + str(a.shape), "shape") }
    axis = int(axis)
    if axis < -a.ndim or axis >= a.ndim { error("average: axis " + str(axis) + " is out of range for rank " + str(a.ndim), "index") }
    at = axis + a.ndim if axis < 0 else axis
    if w.shape[0] != a.shape[at] { error("average: " + str(w.shape[0]) + " weights for " + str(a.shape[at]) + " elements", "shape") }
    return reshape(w, map(fn(i) = -1 if i == at else 1, range(a.ndim)))
}

# The mean over axis with weights: an array like a, or a vector along the axis. With returned, the
# tuple of it and the sum of the weights. Weights that sum to 0 are an error.
#   average([1, 2, 3]) #=> 2.0
#   average([1.0, 3.0], weights=[3, 1]) #=> 1.5
fn average(a, axis=none, weights=none, returned=false, keepdims=false) {
    a = _argument(a, "a")
    axis = _argument(axis, "axis", "axes")
    returned = _argument(returned, "returned", "flag")
    if weights == none {
        r = mean(a, axis=axis, keepdims=keepdims)
        return (r, full_like(r, a.size / maximum(r.size, 1))) if returned else r
    }
    w = _weights(a, axis, _argument(weights, "weights"))
    if _is_whole(a) and _is_whole(w) { a = a / 1 } # products would wrap
    total = sum(broadcast_to(w, a.shape), axis=axis, keepdims=keepdims)
    if any(total == 0) { error("average: the weights sum to 0, so that there is no average", "value") }
    r = sum(a * w, axis=axis, keepdims=keepdims) / total
    return (r, r.dtype(total)) if returned else r
}

fn _is_whole(a) = a.dtype not in (f16, bf16, f32, f64, c64, c128)

# Weights of cov: one for each observation, none of them negative.
fn _observed(w, n, name) {
    w = _argument(w, name, "real")
    if w.ndim != 1 { error("cov: " + name + " must be a vector, its shape is " + str(w.shape), "shape") }
    if w.size != n { error("cov: " + str(w.size) + " " + name + " for " + str(n) + " observations", "shape") }
    if any(w < 0) { error("cov: " + name + " must not be negative", "value") }
    return w
}

fn _as_rows(m, rowvar, name) {
    if m.ndim > 2 { error(name + " must have one or two axes, not " + str(m.ndim), "shape") }
    if m.ndim < 2 { return reshape(m, 1, -1) }
    return m if rowvar else m.T
}

# The covariance matrix of variables, one in each row of m (rowvar=false: column), with those of y
# below. The divisor is n - ddof, ddof being 1, or 0 with bias. fweights counts observations,
# aweights weighs them; dtype is what it is computed in. Of one variable it is its variance.
#   cov([[1, 2, 3], [3, 2, 1]]) #=> [[ 1. -1.]
#                               #=>  [-1.  1.]]
#   cov([1, 2, 3]) #=> 1.0
fn cov(m, y=none, rowvar=true, bias=false, ddof=none, fweights=none, aweights=none, dtype=none) {
    rowvar = _argument(rowvar, "rowvar", "flag")
    bias = _argument(bias, "bias", "flag")
    x = _as_rows(_argument(m, "m"), rowvar, "cov: m")
    if y != none {
        y = _as_rows(_argument(y, "y"), rowvar, "cov: y")
        if y.shape[1] != x.shape[1] { error("cov: m has " + str(x.shape[1]) + " observations, y " + str(y.shape[1]), "shape") }
        x = concat((x, y), axis=0)
    }
    if dtype != none { x = array(x, dtype=dtype) }
    if ddof != none {
        share = _argument(ddof, "ddof", "float")
        if share != floor(share) { error("cov: ddof must be an integer, not " + str(ddof), "value") }
    }
    less = ddof if ddof != none else 0 if bias else 1
    w = none
    if fweights != none {
        w = _observed(fweights, x.shape[1], "fweights")
        if any(w != floor(w)) { error("cov: fweights must be integers", "value") }
    }
    if aweights != none {
        aweights = _observed(aweights, x.shape[1], "aweights")
        w = aweights if w == none else w * aweights
    }
    if w == none {
        d = x - mean(x, axis=1, keepdims=true)
        divisor = float(maximum(x.shape[1] - less, 0))
        right = d
    } else {
        total = sum(w)
        d = x - sum(x * w, axis=1, keepdims=true) / total
        divisor = total
        if less != 0 {
            divisor = total - less if aweights == none else total - less * sum(w * aweights) / total
        }
        divisor = maximum(divisor, 0)
        right = d * w
    }
    return squeeze((d @ conj(right.T)) * (1 / divisor))
}

# The matrix of correlation coefficients of variables, as cov takes them.
#   corrcoef([[1, 2, 3], [3, 2, 1]]) #=> [[ 1. -1.]
#                                    #=>  [-1.  1.]]
fn corrcoef(x, y=none, rowvar=true, dtype=none) {
    x = _argument(x, "x")
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0 { return c / c }
    s = sqrt(diag(c).real)
    r = c / s[:, newaxis] / s[newaxis, :]
    return r if r.dtype in (c64, c128) else clip(r, -1, 1)
}

# Is there anything at all that is not nan along the axis?
fn _some(there, axis, keepdims) = any(there, axis=axis, keepdims=keepdims)

fn _is_float(a) = not _is_whole(a)

# The sum over axis of what is not nan; of nothing it is 0. initial is one number more.
#   nansum([1.0, nan, 2.0]) #=> 3.0
fn nansum(a, axis=none, dtype=none, keepdims=false, initial=none, where=true) {
    a = _argument(a, "a")
    axis = _argument(axis, "axis", "axes")
    there = ~isnan(a) & _argument(where, "where", "mask")
    return sum(a, axis=axis, dtype=dtype, keepdims=keepdims, where=there, initial=initial)
}

# The mean over axis of what is not nan; of nothing it is nan.
#   nanmean([1.0, nan, 2.0]) #=> 1.5
fn nanmean(a, axis=none, dtype=none, keepdims=false, where=true) {
    a = _argument(a, "a")
    axis = _argument(axis, "axis", "axes")
    there = ~isnan(a) & _argument(where, "where", "mask")
    return mean(a, axis=axis, dtype=dtype, keepdims=keepdims, where=there)
}

# The smallest element over axis that is not nan; nan where there is none. initial is one
# element more.
#   nanmin([3.0, nan, 2.0]) #=> 2.0
fn nanmin(a, axis=none, keepdims=false, initial=none, where=true) {
    a = _argument(a, "a", "real")
    axis = _argument(axis, "axis", "axes")
    there = ~isnan(a) & _argument(where, "where", "mask")
    r = min(a, axis=axis, keepdims=keepdims, where=there, initial=initial)
    if initial != none { return r }
    return where(_some(there, axis, keepdims), r, nan) if _is_float(a) else r
}

# The largest element over axis that is not nan; nan where there is none. initial is one
# element more.
#   nanmax([3.0, nan, 2.0]) #=> 3.0
fn nanmax(a, axis=none, keepdims=false, initial=none, where=true) {
    a = _argument(a, "a", "real")
    axis = _argument(axis, "axis", "axes")
    there = ~isnan(a) & _argument(where, "where", "mask")
    r = max(a, axis=axis, keepdims=keepdims, where=there, initial=initial)
    if initial != none { return r }
    return where(_some(there, axis, keepdims), r, nan) if _is_float(a) else r
}

# nan where no more than ddof elements are there.
fn _spread(r, there, shape, axis, ddof, keepdims) =
    where(sum(broadcast_to(there, shape), axis=axis, keepdims=keepdims) > ddof, r, nan)

# The variance over axis of what is not nan, as var; nan where no more than ddof elements are left.
#   nanvar([1.0, nan, 3.0]) #=> 1.0
fn nanvar(a, axis=none, dtype=none, ddof=0, keepdims=false, where=true, mean=none, correction=none) {
    a = _argument(a, "a")
    axis = _argument(axis, "axis", "axes")
    there = ~isnan(a) & _argument(where, "where", "mask")
    r = var(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, where=there, mean=mean,
        correction=correction)
    return _spread(r, there, a.shape, axis, ddof if correction == none else correction, keepdims)
}

# The standard deviation over axis of what is not nan, as std; nan where no more than ddof elements
# are left.
#   nanstd([1.0, nan, 3.0]) #=> 1.0
fn nanstd(a, axis=none, dtype=none, ddof=0, keepdims=false, where=true, mean=none, correction=none) {
    a = _argument(a, "a")
    axis = _argument(axis, "axis", "axes")
    there = ~isnan(a) & _argument(where, "where", "mask")
    r = std(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, where=there, mean=mean,
        correction=correction)
    return _spread(r, there, a.shape, axis, ddof if correction == none else correction, keepdims)
}
