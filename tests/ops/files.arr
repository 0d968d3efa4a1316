# Files: what is saved comes back; refusals.

save(tmp + "/a.npy", reshape(arange(6, f32), 2, 3))
x = load(tmp + "/a.npy")
x                                                       #=> [[0. 1. 2.]
                                                        #=>  [3. 4. 5.]]
x.dtype                                                 #=> f32
load(tmp + "/a.npy", i64)[1]                            #=> [3 4 5]
load(tmp + "/a.npy", shape=(6,)).shape                  #=> (6,)

# scalars become 0-d arrays
save(tmp + "/s.npy", 2.5)
load(tmp + "/s.npy").shape                              #=> ()
save(tmp + "/s.npy", 7)
load(tmp + "/s.npy").dtype                              #=> i64
save(tmp + "/s.npy", true)
load(tmp + "/s.npy").dtype                              #=> bool
save(tmp + "/s.npy", 1 + 2j)
load(tmp + "/s.npy").dtype                              #=> c128

# an array that was loaded lives on when its file is written over
y = load(tmp + "/a.npy") + 1
save(tmp + "/a.npy", y)
y[0]                                                    #=> [1. 2. 3.]
load(tmp + "/a.npy")[0]                                 #=> [1. 2. 3.]

# every dtype that .npy has
fn round_trip(t) {
    save(tmp + "/t.npy", array([0, 1, 1], t))
    r = load(tmp + "/t.npy")
    return r.dtype == t and bool(array_equal(r, array([0, 1, 1], t)))
}
map(round_trip, (bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, c64, c128))  #=> (true, true, true, true, true, true, true, true, true, true, true, true, true, true)
save(tmp + "/b.npy", bf16([1.0]))                       #! dtype: f32(x)
save(tmp + "/e.npy", zeros(0, 3))
load(tmp + "/e.npy").shape                              #=> (0, 3)

# text
save(tmp + "/a.csv", [[1, 2], [3, 4]])
load(tmp + "/a.csv")                                    #=> [[1 2]
                                                        #=>  [3 4]]
save(tmp + "/v.csv", [0.1, 1e300, -2.5])
load(tmp + "/v.csv")                                    #=> [ 1.0e-001  1.0e+300 -2.5e+000]
save(tmp + "/a.txt", [[1.5, 2], [3, 4]])
load(tmp + "/a.txt")                                    #=> [[1.5 2. ]
                                                        #=>  [3.  4. ]]
save(tmp + "/semi.csv", [[1, 2], [3, 4]], delimiter=";")
load(tmp + "/semi.csv", delimiter=";")[1]               #=> [3 4]
load(tmp + "/a.csv", f32).dtype                         #=> f32
load(tmp + "/a.csv", header=1)                          #=> [[3 4]]
save(tmp + "/c.csv", zeros(2, 2, 2))                    #! shape: two axes

# raw
save(tmp + "/a.bin", i32([1, 2, 3, 4]))
load(tmp + "/a.bin", i32)                               #=> [1 2 3 4]
load(tmp + "/a.bin", i32, (2, -1))                      #=> [[1 2]
                                                        #=>  [3 4]]
load(tmp + "/a.bin", u8).shape                          #=> (16,)
load(tmp + "/a.bin", i32, (2, 3))                       #! io: 16 bytes
load(tmp + "/a.bin")                                    #! value: say what it holds

# what is not there
exists(tmp + "/a.npy")                                  #=> true
exists(tmp + "/none.npy")                               #=> false
load(tmp + "/none.npy")                                 #! io: none.npy
save(tmp + "/none/a.npy", [1])                          #! io:
load(5)                                                 #! type: path must be a string
