# .npy and text files. What np.save writes and every refusal: tests/unit/files.c.

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
