# The language, "Statements": import

import "tests/lang/_modules/shapes.arr" as s
s.area(3)                                         #=> 60
s.area(3, h=1)                                    #=> 30
s.count                                           #=> 2
s.secret()                                        #=> 7
s._secret                                         #! name: private
s.nothing                                         #! name: s has no member
s.cuont                                           #! name: did you mean 'count'?
kind(s)                                           #=> module
s.units.scale                                     #=> 10

# a file runs once a state; its names are its own
import "tests/lang/_modules/shapes.arr" as again
again == s                                        #=> true
count = 100
s.bump()                                          #=> 3
s.area                                            #=> fn area(w, h=count)
fn zeros(n) = "mine"
s.zeros_here()                                    #=> f64
del zeros

# through |>
3 |> s.area(h=1)                                  #=> 30

# each file has its own default float
import "tests/lang/_modules/floats.arr" as f
f.here                                            #=> f32
f.later()                                         #=> f32
zeros(1).dtype                                    #=> f64

# what cannot be imported
import "tests/lang/_modules/no_such_file.arr" as n                    #! io: no_such_file.arr
import no_such_module                             #! name: there is no stdlib module
import "tests/lang/_modules/circle_a.arr" as c                        #! name: in a circle
import "tests/lang/_modules/broken.arr" as b                          #! type: broken.arr:3:7
import "tests/lang/_modules/broken.arr" as b                          #! type: broken.arr:3:7
b                                                 #! name: b
import "import_me_not" as m                       #! io:

# the stdlib
import numpy as np
np.concatenate(([1], [2, 3]))                     #=> [1 2 3]
np.zeros(2)                                       #=> [0. 0.]
np.arctan2(0.0, 1.0)                              #=> 0.0
np.float32([1, 2]).dtype                          #=> f32
np.linalg.norm([3.0, 4.0])                        #=> 5.0
np.random.rand(2, 3).shape                        #=> (2, 3)
np.column_stack(([1, 2], [3, 4]))                 #=> [[1 3]
                                                  #=>  [2 4]]
np.logical_and([true, false], [true, true])       #=> [ true false]
np.power([1, 2, 3], 2)                            #=> [1 4 9]
np.nothing_here                                   #! name: nothing_here
