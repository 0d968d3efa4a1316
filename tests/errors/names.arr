# Unknown, hidden and foreign names.

linspac(0, 1, 3)                                  #! name: did you mean 'linspace'?
concatenate((1, 2))                               #! name: concat((a, b))
arctan2(1.0, 2.0)                                 #! name: atan2(y, x)
np.zeros(3)                                       #! name: np.
zzz_nothing_like_it + 1                           #! name: unknown name 'zzz_nothing_like_it'
zeros(2).astype(f32)                              #! name: f32(x)
zeros(2).shpe                                     #! name: did you mean 'shape'?
zeros(2).mean                                     #! name: x.mean()
zeros(2, dtyp=f32)                                #! argument: did you mean 'dtype'?
r = record(alpha=1, beta=2)
r.alhpa                                           #! name: did you mean 'alpha'?

# a hidden name: its call is the builtin, other misuse says where it was hidden
sum = sum([1, 2])
sum([3, 4])                                       #=> 7
sum + "x"                                         #! type: hidden since line 1
sum[0]                                            #! index: del sum uncovers it
del sum
del sum                                           #! name: nothing hides it
del never_bound                                   #! name: never_bound
pi = 3
pi                                                #=> 3
del pi
pi                                                #=> 3.141592653589793
f32 = 1
f32([0.5]).dtype                                  #=> f32
del f32

# names of functions
y = 5
fn bump() { y += 1 }
bump()                                            #! name: take it as an argument and return it
fn poke() { y[0] = 1 }
poke()                                            #! name: take it as an argument and return it
fn early() {
    a = y
    y = 2
    return a
}
early()                                           #! name: take it as an argument and return it
fn drop() { del y }
drop()                                            #! name: y
fn branch(c) {
    if c { t = 1 }
    return t
}
branch(true)                                      #=> 1
branch(false)                                     #! name: t has no value
y                                                 #=> 5
