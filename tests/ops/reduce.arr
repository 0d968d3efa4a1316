# Reductions with axes, masks and dtypes.
sum([[1, 2], [3, 4]], axis=1)                           #=> [3 7]
sum([[1, 2], [3, 4]], axis=(0, 1))                      #=> 10
sum([[1, 2], [3, 4]], axis=-1, keepdims=true)           #=> [[3]
                                                        #=>  [7]]
sum([true, true, false])                                #=> 2
sum([1.5, 2.5], dtype=i64)                              #=> 3
sum(zeros(0, 3), axis=0)                                #=> [0. 0. 0.]
sum(zeros(0, 3), axis=1)                                #=> []
sum([1, 2, 3], where=[true, false, true])               #=> 4
sum([[1, 2], [3, 4]], where=[true, false])              #=> 4

prod([1.5, 2, 3])                                       #=> 9.0
prod([[1, 2], [3, 4]], axis=0)                          #=> [3 8]

min([[3, 1], [2, 4]], axis=0)                           #=> [2 1]

max([[3, 1], [2, 4]], axis=1, keepdims=true)            #=> [[3]
                                                        #=>  [4]]
max([nan, 1.0])                                         #=> nan

min(zeros(0))                                           #! value: cannot apply min to f64[0]:

max([1, 2, 3], axis=2)                                  #! value: axis 2 is out of

argmax([[1, 5], [7, 2]])                                #=> 2
argmax([[1, 5], [7, 2]], axis=0)                        #=> [1 0]

argmin([[1, 5], [7, 2]], axis=1, keepdims=true)         #=> [[0]
                                                        #=>  [1]]

mean([1, 2, 3, 4])                                      #=> 2.5
mean([[1, 2], [3, 4]], axis=0)                          #=> [2. 3.]
mean(f32([1, 2, 4]))                                    #=> 2.3333333
mean(f16([1, 2, 4])).dtype                              #=> f16
mean([1, 2, 3], where=[true, false, true])              #=> 2.0
mean([1+2j, 3])                                         #=> (2+1j)
mean([true, false])                                     #=> 0.5

var([1, 2, 3, 4])                                       #=> 1.25
var([1, 2, 3, 4], ddof=1)                               #=> 1.6666666666666667
var([1, 2, 3, 4], ddof=4)                               #=> inf
var([1+1j, 2-3j, 4])                                    #=> 4.444444444444445

std([1.0, 2, 4])                                        #=> 1.247219128924647
std([[1.0, 2], [3, 7]], axis=0)                         #=> [1.  2.5]

var([1.0, 2, 3, 9], where=[true, true, true, false])    #=> 0.6666666666666666

std([[1.0, 2], [3, 7]], axis=1, keepdims=true, ddof=1)  #=> [[0.70710678]
                                                        #=>  [2.82842712]]

any([[0, 0], [0, 1]], axis=0)                           #=> [false  true]

all([[1, 0], [1, 1]], axis=1)                           #=> [false  true]
all([nan, 1.0])                                         #=> true

any([0, 1], where=[true, false])                        #=> false

count_nonzero([[1, 0], [2, 3]], axis=0)                 #=> [2 1]
count_nonzero([1.5, 0, nan])                            #=> 2
