# Size: beyond 2^31 elements, without storing them.

# T61: sums, positions and elements
sum(full((2 ** 31 + 1,), 1, u8))                  #=> 2147483649
x = arange(2 ** 31 + 2)
x[2 ** 31 + 1]                                    #=> 2147483649
x[-3:]                                            #=> [2147483647 2147483648 2147483649]

# T61c: large extents work or say so
zeros(2 ** 31 + 5, u8).size                       #=> 2147483653
zeros(2 ** 40, 2 ** 40)                           #! 1099511627776

# T63: products of extents are 64 bits wide
zeros(50000, 50000).size                          #=> 2500000000
zeros(50000, 50000).ravel().shape                 #=> (2500000000,)

# T67: positions are i64
argmax(zeros(10)).dtype                           #=> i64
argsort([3, 1, 2]).dtype                          #=> i64
