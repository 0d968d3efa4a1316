# numpy - NumPy's spellings, for people who port: import numpy as np. What NumPy and Arr call the same
# is the same function; the rest are other names of Arr's. Arr's rules hold throughout: nothing is
# changed in place, and `out=` does not exist.
all = all
allclose = allclose
angle = angle
any = any
arange = arange
argmax = argmax
argmin = argmin
argsort = argsort
argwhere = argwhere
array = array
array_equal = array_equal
asanyarray = array
asfortranarray = array
atleast_1d = atleast_1d
average = average
bincount = bincount
broadcast_to = broadcast_to
cbrt = cbrt
ceil = ceil
clip = clip
concat = concat
conj = conj
copy = copy
copysign = copysign
corrcoef = corrcoef
cos = cos
cosh = cosh
count_nonzero = count_nonzero
cov = cov
cross = cross
cumprod = cumprod
cumsum = cumsum
degrees = degrees
diag = diag
diff = diff
digitize = digitize
divmod = divmod
dot = dot
e = e
einsum = einsum
empty = empty
empty_like = empty_like
exp = exp
exp2 = exp2
expand_dims = expand_dims
expm1 = expm1
eye = eye
fill_diagonal = fill_diagonal
flatnonzero = flatnonzero
flip = flip
floor = floor
fmax = fmax
fmin = fmin
fmod = fmod
full = full
full_like = full_like
gcd = gcd
geomspace = geomspace
gradient = gradient
histogram = histogram
hstack = hstack
hypot = hypot
identity = identity
imag = imag
indices = indices
inf = inf
inner = inner
interp = interp
intersect1d = intersect1d
isclose = isclose
isfinite = isfinite
isin = isin
isinf = isinf
isnan = isnan
kron = kron
lcm = lcm
lexsort = lexsort
linspace = linspace
load = load
log = log
log10 = log10
log1p = log1p
log2 = log2
logaddexp = logaddexp
logspace = logspace
matmul = matmul
max = max
maximum = maximum
mean = mean
median = median
meshgrid = meshgrid
min = min
minimum = minimum
moveaxis = moveaxis
nan = nan
nan_to_num = nan_to_num
nanmax = nanmax
nanmean = nanmean
nanmedian = nanmedian
nanmin = nanmin
nanstd = nanstd
nansum = nansum
nanvar = nanvar
newaxis = newaxis
nextafter = nextafter
nonzero = nonzero
ones = ones
ones_like = ones_like
outer = outer
pad = pad
percentile = percentile
pi = pi
polyval = polyval
prod = prod
ptp = ptp
put_along_axis = put_along_axis
quantile = quantile
radians = radians
ravel = ravel
ravel_multi_index = ravel_multi_index
real = real
reciprocal = reciprocal
repeat = repeat
reshape = reshape
roll = roll
rot90 = rot90
round = round
save = save
searchsorted = searchsorted
setdiff1d = setdiff1d
sign = sign
signbit = signbit
sin = sin
sinc = sinc
sinh = sinh
sort = sort
split = split
sqrt = sqrt
square = square
squeeze = squeeze
stack = stack
std = std
sum = sum
swapaxes = swapaxes
take = take
take_along_axis = take_along_axis
tan = tan
tanh = tanh
tensordot = tensordot
tile = tile
trace = trace
transpose = transpose
trapezoid = trapezoid
tri = tri
tril = tril
tril_indices = tril_indices
triu = triu
triu_indices = triu_indices
trunc = trunc
union1d = union1d
unique = unique
unravel_index = unravel_index
var = var
vdot = vdot
vstack = vstack
zeros = zeros
zeros_like = zeros_like

# Other names of the same.
abs = abs
absolute = abs
fabs = abs
concatenate = concat
amax = max
amin = min
around = round
rint = round
fix = trunc
conjugate = conj
arcsin = asin
arccos = acos
arctan = atan
arcsinh = asinh
arccosh = acosh
arctanh = atanh
arctan2 = atan2
acos = acos
asin = asin
atan = atan
acosh = acosh
asinh = asinh
atanh = atanh
atan2 = atan2
rad2deg = degrees
deg2rad = radians
bitwise_count = popcount
permute_dims = transpose
bitwise_invert = fn(x) = ~x
bitwise_left_shift = fn(x1, x2) = x1 << x2
bitwise_right_shift = fn(x1, x2) = x1 >> x2
positive = array
savez = save
savez_compressed = save
asarray = array
ascontiguousarray = array
row_stack = vstack

# Dtypes.
bool = bool
bool_ = bool
int8 = i8
int16 = i16
int32 = i32
int64 = i64
uint8 = u8
uint16 = u16
uint32 = u32
uint64 = u64
float16 = f16
float32 = f32
float64 = f64
single = f32
double = f64
half = f16
complex64 = c64
complex128 = c128

# Operators as functions.
fn add(x1, x2) = x1 + x2
fn subtract(x1, x2) = x1 - x2
fn multiply(x1, x2) = x1 * x2
fn divide(x1, x2) = x1 / x2
fn true_divide(x1, x2) = x1 / x2
fn floor_divide(x1, x2) = x1 // x2
fn mod(x1, x2) = x1 % x2
fn remainder(x1, x2) = x1 % x2
fn power(x1, x2) = x1 ** x2
fn pow(x1, x2) = x1 ** x2
fn negative(x) = -x
fn equal(x1, x2) = x1 == x2
fn not_equal(x1, x2) = x1 != x2
fn less(x1, x2) = x1 < x2
fn less_equal(x1, x2) = x1 <= x2
fn greater(x1, x2) = x1 > x2
fn greater_equal(x1, x2) = x1 >= x2
fn bitwise_and(x1, x2) = x1 & x2
fn bitwise_or(x1, x2) = x1 | x2
fn bitwise_xor(x1, x2) = x1 ^ x2
fn bitwise_not(x) = ~x
fn invert(x) = ~x
fn left_shift(x1, x2) = x1 << x2
fn right_shift(x1, x2) = x1 >> x2
fn logical_and(x1, x2) = (x1 != 0) & (x2 != 0)
fn logical_or(x1, x2) = (x1 != 0) | (x2 != 0)
fn logical_xor(x1, x2) = (x1 != 0) ^ (x2 != 0)
fn logical_not(x) = x == 0

# What NumPy has as functions and Arr as attributes.
fn ndim(a) = array(a).ndim
fn shape(a) = array(a).shape
fn size(a) = array(a).size

# Flips, diagonals and stacks by name.
fn fliplr(m) = flip(m, 1)
fn flipud(m) = flip(m, 0)
fn diagonal(a, offset=0, axis1=0, axis2=1) {
    x = moveaxis(a, (axis1, axis2), (-2, -1))
    if offset > 0 { x = x[..., offset:] }
    if offset < 0 { x = x[..., -offset:, :] }
    n = int(minimum(x.shape[-2], x.shape[-1]))
    return einsum("...ii->...i", x[..., :n, :n])
}
fn column_stack(tup) = stack(tup, axis=1) if array(tup[0]).ndim == 1 else concat(tup, axis=1)
fn dstack(tup) = concat(map(atleast_3d, tup), axis=2)
fn hsplit(ary, indices_or_sections) = split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)
fn vsplit(ary, indices_or_sections) {
    if ary.ndim < 2 { error("vsplit: ary has fewer than 2 axes", "shape") }
    return split(ary, indices_or_sections, 0)
}
fn dsplit(ary, indices_or_sections) = split(ary, indices_or_sections, 2)
fn rollaxis(a, axis, start=0) {
    n = a.ndim
    from = axis + n if axis < 0 else axis
    to = start + n if start < 0 else start
    return moveaxis(a, from, to - 1 if from < to else to)
}
fn unstack(x, axis=0) = map(fn(v) = v, moveaxis(x, axis, 0))
fn atleast_2d(a) {
    x = array(a)
    return x if x.ndim > 1 else reshape(x, 1, -1)
}
fn atleast_3d(a) {
    x = array(a)
    return x if x.ndim > 2 else expand_dims(x, 2) if x.ndim == 2 else reshape(x, 1, -1, 1)
}

# What NumPy does with one argument too, and what it does by pieces.
_pick = where
fn where(condition, x=none, y=none) = nonzero(condition) if x == none else _pick(condition, x, y)
fn select(condlist, choicelist, default=0) {
    r = default
    for i in range(len(condlist)) { r = _pick(condlist[-1 - i], choicelist[-1 - i], r) }
    return r
}
fn append(arr, values, axis=none) =
    concat((ravel(arr), ravel(values))) if axis == none else concat((arr, values), axis)
fn delete(arr, obj, axis=none) {
    x = ravel(arr) if axis == none else array(arr)
    at = 0 if axis == none else axis
    keep = ones(x.shape[at], bool)
    keep[obj] = false
    return take(x, flatnonzero(keep), at)
}
fn array_split(ary, indices_or_sections, axis=0) {
    if kind(indices_or_sections) != "int" { return split(ary, indices_or_sections, axis) }
    n = ary.shape[axis]
    k = indices_or_sections
    return split(ary, map(fn(i) = i * (n // k) + int(minimum(i, n % k)), range(1, k)), axis)
}
fn compress(condition, a, axis=none) = take(a, flatnonzero(condition), axis)
fn extract(condition, arr) = take(ravel(arr), flatnonzero(condition))
fn resize(a, new_shape) {
    x = ravel(a)
    if x.size == 0 { return zeros(new_shape, x.dtype) }
    r = zeros(new_shape, i8)
    return reshape(take(x, arange(r.size) % x.size), r.shape)
}
fn trim_zeros(filt) {
    at = flatnonzero(filt)
    return filt[at[0]:at[-1] + 1] if at.size > 0 else filt[:0]
}
fn broadcast_shapes(shapes...) {
    r = zeros((), bool)
    for s in shapes { r = r | zeros(s, bool) }
    return r.shape
}
fn broadcast_arrays(arrays...) {
    s = broadcast_shapes(map(fn(x) = array(x).shape, arrays)...)
    return map(fn(x) = broadcast_to(x, s), arrays)
}
fn ix_(vectors...) {
    n = len(vectors)
    parts = enumerate(map(fn(v) = flatnonzero(v) if array(v).dtype == bool else v, vectors))
    return map(fn(p) = reshape(p[1], map(fn(i) = -1 if i == p[0] else 1, range(n))), parts)
}
fn apply_along_axis(func1d, axis, arr, args...) {
    x = moveaxis(arr, axis, -1)
    lines = zeros(x.shape[:-1], i8).size
    rows = reshape(x, lines, x.shape[-1])
    r = stack(map(fn(row) = array(func1d(row, args...)), rows))
    r = reshape(r, x.shape[:-1] + r.shape[1:])
    return moveaxis(r, -1, axis) if r.ndim == x.ndim else r
}
fn fromfunction(function, shape, dtype=f64) = function(map(fn(i) = i, indices(shape, dtype))...)
fn partition(a, kth, axis=-1) = sort(a, axis)
fn argpartition(a, kth, axis=-1) = argsort(a, axis)
fn setxor1d(ar1, ar2) = setdiff1d(union1d(ar1, ar2), intersect1d(ar1, ar2))
fn unique_values(x) = unique(x)
fn unique_counts(x) = record(zip(("values", "counts"), unique(x, return_counts=true)))
fn unique_inverse(x) = record(zip(("values", "inverse_indices"), unique(x, return_inverse=true)))
fn unique_all(x) =
    record(zip(("values", "indices", "inverse_indices", "counts"), unique(x, true, true, true)))
fn diag_indices(n, ndim=2) = map(fn(i) = arange(n), range(ndim))
fn diagflat(v, k=0) = diag(ravel(v), k)
fn tril_indices_from(arr, k=0) = tril_indices(arr.shape[0], k, arr.shape[1])
fn triu_indices_from(arr, k=0) = triu_indices(arr.shape[0], k, arr.shape[1])
fn vander(x, N=none, increasing=false) {
    p = arange(array(x).size if N == none else N)
    return array(x)[:, newaxis] ** (p if increasing else flip(p))
}
fn array_equiv(a1, a2) {
    try { return bool(all(array(a1) == array(a2))) } catch e { return false }
}
fn astype(x, dtype) = dtype(x)
fn histogram_bin_edges(a, bins=10, range=none) = histogram(a, bins, range)[1]

# Of real and complex numbers.
fn iscomplex(x) = imag(array(x)) != 0
fn isreal(x) = imag(array(x)) == 0
fn iscomplexobj(x) = array(x).dtype in (c64, c128)
fn isrealobj(x) = array(x).dtype not in (c64, c128)
fn isneginf(x) = isinf(x) & (x < 0)
fn isposinf(x) = isinf(x) & (x > 0)
fn heaviside(x1, x2) = _pick(isnan(x1), nan, _pick(x1 < 0, 0.0, _pick(x1 > 0, 1.0, x2)))
fn logaddexp2(x1, x2) = logaddexp(x1 * log(2.0), x2 * log(2.0)) / log(2.0)
fn modf(x) {
    whole = trunc(x * 1.0)
    return (copysign(_pick(isinf(x), 0.0, x - whole), x), whole)
}
fn float_power(x1, x2) = f64(array(x1)) ** f64(array(x2))
fn ediff1d(ary) = diff(ravel(ary))
fn nanprod(a, axis=none) = prod(_pick(isnan(a), 1, a), axis)
fn nancumsum(a, axis=none) = cumsum(_pick(isnan(a), 0, a), axis)
fn nancumprod(a, axis=none) = cumprod(_pick(isnan(a), 1, a), axis)
fn nanargmax(a, axis=none) = argmax(_pick(isnan(a), -inf, a), axis)
fn nanargmin(a, axis=none) = argmin(_pick(isnan(a), inf, a), axis)

# Products over the last axes, those before being a stack.
fn vecdot(x1, x2, axis=-1) = sum(conj(x1) * x2, axis=axis)
fn matvec(x1, x2) = matmul(x1, array(x2)[..., newaxis])[..., 0]
fn vecmat(x1, x2) = matmul(conj(array(x1))[..., newaxis, :], x2)[..., 0, :]
fn matrix_transpose(x) = swapaxes(x, -1, -2)
fn nanquantile(a, q) = quantile(a[~isnan(a)], q)
fn nanpercentile(a, q) = percentile(a[~isnan(a)], q)
fn cumulative_sum(x, axis=none, dtype=none) = cumsum(x, axis, dtype)
fn cumulative_prod(x, axis=none, dtype=none) = cumprod(x, axis, dtype)
fn loadtxt(fname, delimiter=" ") = load(fname, delimiter=delimiter)
fn savetxt(fname, x, delimiter=" ") { save(fname, x, delimiter=delimiter) }

fn _random(size=none) = uniform(0.0, 1.0, size)
fn _standard_normal(size=none) = normal(0.0, 1.0, size)
fn _integers(low, high=none, size=none, dtype=i64, endpoint=false) {
    lo = low if high != none else 0
    hi = high if high != none else low
    return dtype(randint(lo, hi + 1 if endpoint else hi, size))
}

# The one generator there is, seeded. Its draws are Arr's, not NumPy's.
fn _default_rng(s=none) {
    if s != none { seed(s) }
    return record(
        random=_random, uniform=uniform, normal=normal, standard_normal=_standard_normal,
        exponential=exponential, integers=_integers, choice=choice, permutation=permutation,
        permuted=shuffle, multinomial=multinomial
    )
}

random = record(
    seed=seed, rand=rand, randn=randn, randint=randint, uniform=uniform, normal=normal,
    exponential=exponential, permutation=permutation, shuffle=shuffle, choice=choice,
    multinomial=multinomial, random=_random, random_sample=_random,
    standard_normal=_standard_normal, default_rng=_default_rng
)

fn _chain(arrays) {
    r = arrays[0]
    for a in arrays[1:] {
        if r.ndim > 2 or a.ndim > 2 { error("multi_dot: the arrays must be matrices, or vectors at the ends", "shape") }
        r = r @ a
    }
    return r
}
fn _matrix_norm(x, keepdims=false, ord="fro") = norm(x, ord, (-2, -1), keepdims)
fn _vector_norm(x, axis=none, keepdims=false, ord=2) =
    norm(ravel(x), ord) if axis == none and not keepdims else norm(x, ord, axis, keepdims)
fn _last_diagonal(x, offset=0) = diagonal(x, offset, -2, -1)
fn _last_trace(x, offset=0) = trace(x, offset, -2, -1)

linalg = record(
    norm=norm, matrix_power=matrix_power, multi_dot=_chain, matmul=matmul, outer=outer, cross=cross,
    tensordot=tensordot, trace=_last_trace, vecdot=vecdot, matrix_norm=_matrix_norm,
    vector_norm=_vector_norm, diagonal=_last_diagonal, matrix_transpose=matrix_transpose
)
