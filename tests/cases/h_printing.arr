# Printing and parsing numbers.

# T78: the shortest text that reads back in the dtype
array([65504], f16)[0]                            #=> 6.55e+04
f32([0.1])                                        #=> [0.1]
f32([16777216.0, 0.1])                            #=> [1.6777216e+07 1.0000000e-01]
print(0.1 + 0.2)                                  #=> 0.30000000000000004

# T80: summaries, empties, nan and inf, negative zero
arange(1001)                                      #=> [   0    1    2 ...  998  999 1000]
f64([nan, inf, -inf, -0.0])                       #=> [ nan  inf -inf  -0.]
zeros(0, 3)                                       #=> []
print(f64([nan, -inf]))                           #=> [ nan -inf]
