# What is checked of a user's kernel before anything is compiled or run.
source = """
/* __global__ void twice(in a comment) */
__global__ void twice(const float *__restrict__ x, const int n, float k, float *y) { y[0] = k * x[0]; }
template <int N> __global__ void other(float *x, struct pair p, float y[]) {}
__global__ void nothing() {}
"""
k = cuda_kernel(source, "twice")
print(k)                                            #=> fn twice(...)
x = arange(10, dtype=f32)
k(x, 10, shape=(10,))                               #! argument: twice: it has 4 parameters: 2 inputs and 1 outputs are given
k(f64(x), 10, 2.0, shape=10)                        #! dtype: twice: parameter 'x' is float *, not f64[10]: cast it, f32(x)
k(x, 10.5, 2.0, shape=10)                           #! type: twice: parameter 'n' is int, not float
k(x, 10 ** 12, 2.0, shape=10)                       #! value: twice: parameter 'n' is int, which int does not fit
k(x, 10, 1j, shape=10)                              #! type: twice: parameter 'k' is float, not complex
k(x, x, 2.0, shape=10)                              #! type: twice: parameter 'n' is int, not f32[10]
k(x, 10, 2)                                         #! argument: twice: say the output's extents: shape=(n,)
k(x, 10, 2, shape=-1)                               #! value:
k(x, 10, 2, shape=10, dtype=f64)                    #! dtype: twice: output 'y' is float *, not f64
k(x, 10, 2, shape=10, dtype=(f32, f32))             #! argument: twice: 2 dtypes for 1 outputs
k(x, 10, 2, shape=10, block=2048)                   #! value: twice: block's first extent must be from 1 to 1024, not 2048
k(x, 10, 2, shape=10, block=(1, 1, 65))             #! value: twice: block's third extent must be from 1 to 64, not 65
k(x, 10, 2, shape=10, grid=(1, 65536))              #! value: twice: grid's second extent must be from 1 to 65535, not 65536
k(x, 10, 2, shape=10, grid=0)                       #! value: twice: grid's first extent must be from 1 to 2147483647, not 0
k(x, 10, 2, shape=10, block=(32, 64))               #! value: twice: a block has at most 1024 threads, not 2048
k(x, 10, 2, shape=10, grid=(1, 2, 3, 4))            #! value: twice: grid has one to three extents
k(x, 10, 2, shape=10, shared=10 ** 6)               #! value: twice: shared must be at most 49152 bytes
k(x, 10, 2, shape=10, blck=64)                      #! argument: no parameter 'blck': did you mean 'block'?
k("s", 10, 2, shape=10)                             #! type: twice: an input must be an array, not a string
cuda_kernel(source, "other")(x, 1, shape=3)         #! argument: parameter 'x' is an input, which is a value: declare it const float *
cuda_kernel(source, "thrice")                       #! value: cuda_kernel: the source has no __global__ function thrice
cuda_kernel(source, "a b")                          #! value: cuda_kernel: name must be a C identifier of less than 64 letters
cuda_kernel("__global__ void f(float *x", "f")      #! value: the parameters of f cannot be read
cuda_kernel(3, "f")                                 #! type: cuda_kernel: source must be a string, not int
cuda_kernel(source)                                 #! argument: cuda_kernel needs an argument for 'name'
