# A user's own CUDA C: inputs, scalars of every kind, several outputs, errors of the compiler.
source = """
#define N 4
__device__ float half_of(float x) { return 0.5f * x; }
__global__ void axpy(const float *x, const float *y, double a, long long n, float *out) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = (float)a * x[i] + y[i];
}
extern "C" __global__ void parts(const int *x, int n, bool up, int *q, unsigned char *r) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        q[i] = x[i] / N + up;
        r[i] = (unsigned char)(x[i] % N);
    }
}
__global__ void halves(const unsigned short *x, unsigned short *y) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void broken(const float *x, float *y) {
    y[0] = unknown_thing(x[0]);
}
"""
axpy = cuda_kernel(source, "axpy")
try { _ = axpy(ones(3, f32), ones(3, f32), 2, 3, shape=3) } catch e { print(e.message) }
good = split(source, "__global__ void broken")[0]
axpy = cuda_kernel(good, "axpy")
x = rand(100003, f32)
y = rand(100003, f32)
z = axpy(x, y, 2.5, 100003, shape=x.shape)
assert array_equal(z, f32(2.5) * x + y), "axpy"
assert array_equal(axpy(x[::-1][:1000], y.reshape(-1)[1:1001], 1, 1000, shape=1000), x[::-1][:1000] + y[1:1001]), "views"
parts = cuda_kernel(good, "parts")
q, r = parts(arange(1000, dtype=i32), 1000, true, shape=((1000,), (10, 100)), block=128, grid=2)
assert array_equal(q, i32(arange(1000) // 4 + 1)) and array_equal(r.reshape(-1), u8(arange(1000) % 4)), "parts"
assert r.shape == (10, 100) and r.dtype == u8, "shapes"
h = cuda_kernel(good, "halves")(f16(arange(8)), shape=8, dtype=f16, block=8)
assert array_equal(h, f16(arange(8))), "halves"
assert sum(axpy(ones(10, f32), ones(10, f32), 1, 5, shape=10)) == 10, "outputs begin as zeros"
linkage = """
#define OPENS {
extern "C" { __device__ float one(void) { return 1.0f; } }
const char *brace = "extern \\"C\\" {";
__global__ void outside(float *y) { y[0] = one(); }
extern "C" { __global__ void inside(float *y) { y[0] = one() + 1; } }
extern "C" __launch_bounds__(32) __global__ void itself(float *y) { y[0] = one() + 2; }
"""
for name, i in (("outside", 1), ("inside", 2), ("itself", 3)) {
    assert cuda_kernel(linkage, name)(shape=1, block=32)[0] == i, name
}
print("user kernels: all right")
