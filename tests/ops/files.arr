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
save(tmp + "/bool.bin", u8([0, 1, 7, 255]))
b = load(tmp + "/bool.bin", bool)
b, sum(b), i64(b), ~b                                   #=> ([false  true  true  true], 3, [0 1 1 1], [ true false false false])
load(tmp + "/a.bin", i32, (2, 3))                       #! io: 16 bytes
load(tmp + "/a.bin")                                    #! value: say what it holds

# what is not there
exists(tmp + "/a.npy")                                  #=> true
exists(tmp + "/none.npy")                               #=> false
load(tmp + "/none.npy")                                 #! io: none.npy
save(tmp + "/none/a.npy", [1])                          #! io:
load(5)                                                 #! type: path must be a string

# archives
save(tmp + "/z.npz", x=[1, 2], y=eye(2, dtype=f32), s=true)
z = load(tmp + "/z.npz")
fields(z)                                               #=> ('x', 'y', 's')
z.y                                                     #=> [[1. 0.]
                                                        #=>  [0. 1.]]
z.s.dtype                                               #=> bool
save(tmp + "/z.npz", record(u=z.x + 1))
load(tmp + "/z.npz").u                                  #=> [2 3]
save(tmp + "/z.npz", [7])
load(tmp + "/z.npz").arr_0                              #=> [7]
z = load("tests/ops/data/deflated.npz")                 # by np.savez_compressed
sum(z.a)                                                #=> 4950.0
z.b                                                     #=> [[0 1 2]
                                                        #=>  [3 4 5]]
z.b.dtype                                               #=> i32
save(tmp + "/z.npy", x=[1])                             #! argument: .npz
save(tmp + "/z.npz")                                    #! argument: save(path, x)
load(tmp + "/a.npy", i64, header=2)[0, 0]               #=> 1

# pictures
p = u8(reshape(arange(24), 2, 4, 3) * 10)
save(tmp + "/p.png", p)
array_equal(load(tmp + "/p.png"), p)                    #=> true
save(tmp + "/g.png", u16([[0, 65535], [256, 1]]))
load(tmp + "/g.png")                                    #=> [[    0 65535]
                                                        #=>  [  256     1]]
save(tmp + "/m.png", [[true, false]])
load(tmp + "/m.png")                                    #=> [[255   0]]
p = load("tests/ops/data/interlaced.png")               # a palette of 2 bits, interlaced
p.shape                                                 #=> (5, 9, 3)
p[3, 1]                                                 #=> [9 8 7]
p[2, :3, 1]                                             #=> [  0 255   0]
save(tmp + "/f.png", [[0.5]])                           #! dtype: u8(round(x * 255))
save(tmp + "/f.png", u8([1]))                           #! shape: height
