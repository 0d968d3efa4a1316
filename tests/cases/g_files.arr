# .npy and text files. What np.save writes (T68, T69, T71) and every refusal (T75): tests/unit/files.c and
# tests/parity/files.py.

# T70, T74: written files read back with dtype and shape; what is missing is named
x = arange(6, dtype=i32).reshape(2, 3)
save(tmp + "/a.npy", x)
y = load(tmp + "/a.npy")
print(y, y.dtype, y.shape)                        #=> [[0 1 2]
                                                  #=>  [3 4 5]] i32 (2, 3)
save(tmp + "/b.npy", x.T)
load(tmp + "/b.npy")                              #=> [[0 3]
                                                  #=>  [1 4]
                                                  #=>  [2 5]]
save(tmp + "/c.npy", 2.5)
load(tmp + "/c.npy")                              #=> 2.5
load(tmp + "/missing.npy")                        #! io: no such file
save(tmp + "/d.npy", bf16([1.0]))                 #! dtype: save f32(x)

# Text tables
save(tmp + "/t.csv", f64([[0.1, -2], [1e300, nan]]))
load(tmp + "/t.csv")                              #=> [[ 1.e-001 -2.e+000]
                                                  #=>  [ 1.e+300      nan]]
save(tmp + "/u.csv", [1, 2, 3])
load(tmp + "/u.csv")                              #=> [1 2 3]
load(tmp + "/u.csv", u8).dtype                    #=> u8
save(tmp + "/v.csv", [1, 300])
load(tmp + "/v.csv", u8)                          #! io: line 2, column 1: '300' does not fit u8
save(tmp + "/w.csv", zeros(2, 2, 2))              #! shape: two axes

# T70: what is missing is counted
save(tmp + "/cut.bin", u8([1, 2, 3]))
load(tmp + "/cut.bin", f32)                       #! io: holds 3 bytes, no whole number of f32

# T70c: nothing is mapped, and asking for it says so
load(tmp + "/a.npz", mmap_mode="r")               #! argument: no parameter 'mmap_mode'

# T77: an array outlives its file
x = load(tmp + "/a.npy") * 2
save(tmp + "/a.npy", [1])
x                                                 #=> [[ 0  2  4]
                                                  #=>  [ 6  8 10]]
