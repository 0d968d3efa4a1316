# Indices beyond i64 do not wrap; an empty literal selects nothing.
[1, 2, 3][u64([18446744073709551615])]            #! index: out of range
take([1, 2, 3], u64([18446744073709551615]))      #! index: out of range
x = [1, 2, 3]
x[[]].shape                                       #=> (0,)
x[[]] = 5
x                                                 #=> [1 2 3]

# Two equal gathers that fail carry their error both
x = eval(arange(5) * 1.0)
i = eval(i64([1, 99]))
a = x[i]
b = x[i]
a * b                                             #! index: index 99 is out of range for axis 0 with 5 elements
b                                                 #! index: index 99 is out of range for axis 0 with 5 elements

# Many gathers in one expression, the last of them bad
x[[0, 1]] + x[[1, 2]] + x[[2, 3]] + x[[3, 4]] + x[[0, 2]] + x[[0, 3]] + x[[0, 4]] + x[[1, 3]] + x[[1, 4]] + x[[2, 99]]   #! index: index 99

# A try block in which thousands of gathers run holds none of them
big = eval(arange(10 ** 6) * 1.0)
k = eval(arange(100000))
try { for i in range(2000) { y = big[k + i] } } catch err { y = [err.message] }
y[0]                                              #=> 1999.0
mem().cpu.peak < 10 ** 8                          #=> true
