# The language, "Expressions"

1 + 2 * 3 ** 2                                    #=> 19
-2 ** 2                                           #=> -4
2 ** -1                                           #=> 0.5
2 ** 3 ** 2                                       #=> 512
7 // 2                                            #=> 3
-7 % 3                                            #=> 2
7 / 2                                             #=> 3.5
1 | 2 ^ 3 & 4                                     #=> 3
1 << 3 + 1                                        #=> 16
~5                                                #=> -6
not true or true                                  #=> true
1 < 2 and 2 < 3                                   #=> true
1 < 2 < 3                                         #! syntax: (1 < 2) & (2 < 3)
1 and true                                        #! type: != 0
false and (1 // 0 == 0)                           #=> false
2 in (1, 2, 3)                                    #=> true
5 not in [1, 2, 3]                                #=> true
"ell" in "hello"                                  #=> true
3 in range(0, 10, 2)                              #=> false
1 if false else 2                                 #=> 2
"abc" == "abc"                                    #=> true
(1, 2) == (1, 2)                                  #=> true
none == none                                      #=> true
[1, 2] == none                                    #=> false
f32 == f64                                        #=> false

# scalars are exact or an error
9223372036854775807 + 1                           #! value:
2 ** 64                                           #! value:
-9223372036854775808 - 1                          #! value:
2 ** 62                                           #=> 4611686018427387904
1 << 70                                           #! value:
10 ** 3                                           #=> 1000
sqrt(2 * pi)                                      #=> 2.5066282746310002
(1 + 2j) * (3 - 1j)                               #=> (5+5j)

# attributes
a = zeros(2, 3, f32)
a.shape                                           #=> (2, 3)
a.ndim                                            #=> 2
a.size                                            #=> 6
a.dtype                                           #=> f32
a.nbytes                                          #=> 24
a.T.shape                                         #=> (3, 2)
zeros(4, 2, 3).mT.shape                           #=> (4, 3, 2)
a.shap                                            #! name: shape
