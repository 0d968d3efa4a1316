# Large arrays between files and a GPU: the same elements, and the rate. args: a folder.
folder = args[0] if len(args) > 0 else "/tmp"
n = 2 ** 28
fn rate(what, bytes, f) {
    r, ms = bench(f, n=3)
    print(f"{what:28s} {float(ms):9.1f} ms {bytes / float(ms) * 1e-6:7.2f} GB/s")
    return r
}
x = eval(rand(n, f32))
path = folder + "/arr-pieces.npy"
raw = folder + "/arr-pieces.raw"
fn save_it() {
    save(path, x)
    return 0
}
_ = rate("save .npy, 1 GiB", 4.0 * n, save_it)
y = rate("load .npy, 1 GiB", 4.0 * n, fn() = load(path))
assert array_equal(x, y), "the array came back changed"
# every other element: made dense before it goes
z = x[::2]
save(raw, z)
assert array_equal(load(raw, f32), z), "a strided array came back changed"
# booleans and complex numbers
m = x > 0.5
save(path, m)
assert array_equal(load(path), m), "booleans came back changed"
c = eval(x[:n // 4] * 1j + 1)
save(path, c)
assert array_equal(load(path), c), "complex numbers came back changed"
print("files: all equal")
