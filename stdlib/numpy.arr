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
where = where
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
fn diagonal(a, offset=0) = diag(a, offset)
fn column_stack(tup) = stack(tup, axis=1) if array(tup[0]).ndim == 1 else concat(tup, axis=1)
fn dstack(tup) = stack(tup, axis=-1)
fn matrix_transpose(x) = swapaxes(x, -1, -2)
fn nanquantile(a, q) = quantile(a[~isnan(a)], q)
fn nanpercentile(a, q) = percentile(a[~isnan(a)], q)
fn cumulative_sum(x, axis=none, dtype=none) = cumsum(x, axis, dtype)
fn cumulative_prod(x, axis=none, dtype=none) = cumprod(x, axis, dtype)
fn loadtxt(fname, delimiter=" ") = load(fname, delimiter=delimiter)
fn savetxt(fname, x, delimiter=" ") { save(fname, x, delimiter=delimiter) }

fn _random(size=none) = uniform(0.0, 1.0, size)

random = record(
    seed=seed, rand=rand, randn=randn, randint=randint, uniform=uniform, normal=normal,
    exponential=exponential, permutation=permutation, shuffle=shuffle, choice=choice,
    multinomial=multinomial, random=_random, random_sample=_random
)

linalg = record(
    norm=norm, matrix_power=matrix_power, multi_dot=fn(arrays) = _chain(arrays), matmul=matmul,
    outer=outer, cross=cross, tensordot=tensordot, trace=trace, vecdot=fn(x1, x2) = sum(conj(x1) * x2, axis=-1)
)

fn _chain(arrays) {
    r = arrays[0]
    for a in arrays[1:] { r = r @ a }
    return r
}
