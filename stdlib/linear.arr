# linear - products of vectors and matrices that are compositions of others. Present without an
# import.

# The inner product of all elements, those of a conjugated.
#   vdot([1, 2], [3, 4]) #=> 11
#   vdot([1j], [1j]) #=> (1+0j)
fn vdot(a, b) = dot(conj(ravel(_argument(a, "a"))), ravel(_argument(b, "b")))

# The sum of products over the last axes; with a number the product.
#   inner([1, 2], [3, 4]) #=> 11
#   inner([[1, 2], [3, 4]], [1, 1]) #=> [3 7]
fn inner(a, b) {
    a = _argument(a, "a", "number")
    b = _argument(b, "b", "number")
    if array(a).ndim == 0 or array(b).ndim == 0 { return a * b }
    return tensordot(a, b, ((-1,), (-1,)))
}

# All products of an element of a with an element of b, both as vectors.
#   outer([1, 2], [3, 4]) #=> [[3 4]
#                         #=>  [6 8]]
fn outer(a, b) = ravel(_argument(a, "a"))[:, newaxis] * ravel(_argument(b, "b"))

# The Kronecker product: blocks of b, one for each element of a and times it.
#   kron([1, 10], [1, 2]) #=> [ 1  2 10 20]
fn kron(a, b) {
    a = _argument(a, "a")
    b = _argument(b, "b")
    n = int(maximum(a.ndim, b.ndim))
    s = map(fn(i) = 1, range(n - a.ndim)) + a.shape
    t = map(fn(i) = 1, range(n - b.ndim)) + b.shape
    left = ()
    right = ()
    size = ()
    for i in range(n) {
        left = left + (s[i], 1)
        right = right + (1, t[i])
        size = size + (s[i] * t[i],)
    }
    return reshape(reshape(a, left) * reshape(b, right), size)
}

# The sum along a diagonal of two axes, offset places to the right of the main one.
#   trace([[1, 2], [3, 4]]) #=> 5
#   trace([[1, 2], [3, 4]], offset=1) #=> 2
fn trace(a, offset=0, axis1=0, axis2=1, dtype=none) {
    a = _argument(a, "a")
    if a.ndim < 2 { error("trace: a must have two axes or more, not " + str(a.ndim), "shape") }
    offset = _argument(offset, "offset", "integer")
    axis1 = _argument(axis1, "axis1", "integer")
    axis2 = _argument(axis2, "axis2", "integer")
    x = moveaxis(a, (axis1, axis2), (-2, -1))
    if offset > 0 { x = x[..., offset:] }
    if offset < 0 { x = x[..., -offset:, :] }
    n = int(minimum(x.shape[-2], x.shape[-1]))
    return sum(einsum("...ii->...i", x[..., :n, :n]), axis=-1, dtype=dtype)
}

# The cross product of vectors along axisa of a and axisb of b, the result's along axisc, or all along
# axis. Vectors of two elements lie in the plane: of two of them it is the number that would be the
# third.
#   cross([1, 0, 0], [0, 1, 0]) #=> [0 0 1]
#   cross([1, 2], [3, 4]) #=> -2
fn cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=none) {
    x = _argument(a, "a")
    y = _argument(b, "b")
    if x.ndim == 0 or y.ndim == 0 { error("cross: a and b must be vectors, not numbers", "shape") }
    if axis != none { axis = _argument(axis, "axis", "integer") }
    x = moveaxis(x, _argument(axisa, "axisa", "integer") if axis == none else axis, -1)
    y = moveaxis(y, _argument(axisb, "axisb", "integer") if axis == none else axis, -1)
    axisc = _argument(axisc, "axisc", "integer")
    n = (x.shape[-1], y.shape[-1])
    if n[0] not in (2, 3) or n[1] not in (2, 3) {
        error("cross: the vectors must have 2 or 3 elements, not " + str(n[0]) + " and " + str(n[1]), "shape")
    }
    r = x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]
    if n == (2, 2) { return r }
    p = x[..., 1] * y[..., 2] if n[1] == 3 else none
    q = -x[..., 0] * y[..., 2] if n[1] == 3 else none
    if n[0] == 3 {
        p = p - x[..., 2] * y[..., 1] if n[1] == 3 else -x[..., 2] * y[..., 1]
        q = x[..., 2] * y[..., 0] + q if n[1] == 3 else x[..., 2] * y[..., 0]
    }
    return moveaxis(stack((p, q, r), axis=-1), -1, axisc if axis == none else axis)
}

# The n-th power of square matrices; a negative n takes their inverse.
#   matrix_power([[1, 1], [1, 0]], 5) #=> [[8 5]
#                                     #=>  [5 3]]
fn matrix_power(a, n) {
    a = _argument(a, "a")
    n = _argument(n, "n", "integer")
    if a.ndim < 2 or a.shape[-2] != a.shape[-1] { error("matrix_power: a must be square, not " + str(a.shape), "shape") }
    if n < 0 {
        a = inv(a)
        n = -n
    }
    if n == 0 { return broadcast_to(eye(a.shape[-1], dtype=a.dtype), a.shape) }
    r = none
    while n > 0 {
        if n % 2 == 1 { r = a if r == none else r @ a }
        n = n // 2
        if n > 0 { a = a @ a }
    }
    return r
}
