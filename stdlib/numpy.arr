# numpy - NumPy's spellings for people who port: import numpy as np; np.concatenate((a, b)).
#
# Names that NumPy and Arr share (np.zeros, np.sum, np.pi, ...) are the language's own: a module that
# says _base = true answers them for what it does not bind. Values stay Arr's: slices are values, a
# function changes nothing (np.append gives a new array), dtypes are called f32, i64, ...

_base = true

# ---- dtypes and constants ----

bool_ = bool
int8 = i8
int16 = i16
int32 = i32
int64 = i64
int_ = i64
uint8 = u8
uint16 = u16
uint32 = u32
uint64 = u64
float16 = f16
float32 = f32
float64 = f64
single = f32
double = f64
complex64 = c64
complex128 = c128
euler_gamma = 0.5772156649015329

# ---- making arrays ----

# The array itself, cast where a dtype is given.
fn asarray(a, dtype=none) = array(a) if dtype == none else dtype(array(a))
asanyarray = asarray
ascontiguousarray = asarray
fn fromfunction(f, shape) = f(indices(shape)...)

# ---- joining, splitting, turning ----

concatenate = concat
fn append(a, b, axis=none) {
    return concat((ravel(a), ravel(b))) if axis == none else concat((a, b), axis=axis)
}
fn dstack(xs) = concat(map(_at_least_3d, xs), axis=2)
fn _at_least_3d(x) {
    if x.ndim >= 3 { return x }
    if x.ndim == 2 { return x[:, :, newaxis] }
    return reshape(x, 1, -1, 1)
}
fn column_stack(xs) = concat(map(fn(x) = x[:, newaxis] if x.ndim == 1 else x, xs), axis=1)
row_stack = vstack
fn fliplr(x) = flip(x, axis=1)
fn flipud(x) = flip(x, axis=0)
fn atleast_2d(x) {
    x = atleast_1d(x)
    return x[newaxis, :] if x.ndim == 1 else x
}
fn atleast_3d(x) = _at_least_3d(atleast_1d(x))
fn shape(x) = array(x).shape
fn ndim(x) = array(x).ndim
fn size(x) = array(x).size
fn astype(x, dtype) = dtype(x)
permute_dims = transpose
fn matrix_transpose(x) = x.mT

# ---- arithmetic under its names ----

absolute = abs
fabs = abs
fn add(x, y) = x + y
fn subtract(x, y) = x - y
fn multiply(x, y) = x * y
fn divide(x, y) = x / y
true_divide = divide
fn floor_divide(x, y) = x // y
fn mod(x, y) = x % y
remainder = mod
fn power(x, y) = x ** y
fn float_power(x, y) = f64(x) ** y
fn negative(x) = -x
fn positive(x) = x
fn equal(x, y) = x == y
fn not_equal(x, y) = x != y
fn less(x, y) = x < y
fn less_equal(x, y) = x <= y
fn greater(x, y) = x > y
fn greater_equal(x, y) = x >= y
fn logical_and(x, y) = (x != 0) & (y != 0)
fn logical_or(x, y) = (x != 0) | (y != 0)
fn logical_xor(x, y) = (x != 0) ^ (y != 0)
fn logical_not(x) = x == 0
fn bitwise_and(x, y) = x & y
fn bitwise_or(x, y) = x | y
fn bitwise_xor(x, y) = x ^ y
fn bitwise_not(x) = ~x
invert = bitwise_not
bitwise_invert = bitwise_not
fn left_shift(x, n) = x << n
fn right_shift(x, n) = x >> n
bitwise_count = popcount

# ---- functions ----

arcsin = asin
arccos = acos
arctan = atan
arctan2 = atan2
arcsinh = asinh
arccosh = acosh
arctanh = atanh
conjugate = conj
deg2rad = radians
rad2deg = degrees
rint = round
around = round
fix = trunc
amax = max
amin = min
cumulative_sum = cumsum
cumulative_prod = cumprod
trapz = trapezoid
fn iscomplexobj(x) = array(x).dtype == c64 or array(x).dtype == c128
fn isrealobj(x) = not iscomplexobj(x)
fn isneginf(x) = x == -inf
fn isposinf(x) = x == inf
fn ediff1d(x) = diff(ravel(x))
fn count(x) = count_nonzero(x)

# ---- submodules ----

fn _random(size=()) = rand(size)
fn _standard_normal(size=()) = randn(size)
linalg = record(norm=norm, matmul=matmul, dot=dot, inner=inner, outer=outer, cross=cross,
    trace=trace, tensordot=tensordot, vecdot=vdot, matrix_power=matrix_power, einsum=einsum)
random = record(seed=seed, rand=rand, randn=randn, randint=randint, uniform=uniform, normal=normal,
    exponential=exponential, permutation=permutation, shuffle=shuffle, choice=choice,
    multinomial=multinomial, random=_random, standard_normal=_standard_normal)
