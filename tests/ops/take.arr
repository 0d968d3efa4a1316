# Elements by index arrays.
take([[1, 2], [3, 4]], [0, 3])                          #=> [1 4]
take([[1, 2], [3, 4]], [1, 1], axis=1)                  #=> [[2 2]
                                                        #=>  [4 4]]
take([1, 2, 3], -1)                                     #=> 3
take([1, 2, 3], [[0, 1], [2, -1]])                      #=> [[1 2]
                                                        #=>  [3 3]]
take([1, 2, 3], 7)                                      #! index: index 7 is out of

take_along_axis([[3, 1, 2], [9, 7, 8]], [[0], [2]], 1)  #=> [[3]
                                                        #=>  [8]]
take_along_axis([[3, 1, 2], [9, 7, 8]], [[0, 1, 1]], 0) #=> [[3 7 8]]
take_along_axis([[3, 1, 2], [9, 7, 8]], [[0], [5]], 1)  #! index: index 5 is out of

put_along_axis([[3, 1], [9, 7]], [[0], [1]], [[5], [6]], 1) #=> [[5 1]
                                                            #=>  [9 6]]

add_at(zeros(3), [0, 0, 2], [1, 2, 3])                  #=> [3. 0. 3.]
add_at(zeros(3, 2), [0, 0, 2], [[1, 2], [3, 4], [5, 6]]) #=> [[4. 6.]
                                                         #=>  [0. 0.]
                                                         #=>  [5. 6.]]
add_at(zeros(3, 2), ([0, 0, 2], [1, 1, 0]), [1, 2, 3])  #=> [[0. 3.]
                                                        #=>  [0. 0.]
                                                        #=>  [3. 0.]]
add_at([1, 2, 3], -1, 10)                               #=> [ 1  2 13]

max_at([1, 2, 3], [0, 0, 1], [5, 4, 0])                 #=> [5 2 3]

unravel_index([5, 7], (3, 4))                           #=> ([1 1], [1 3])
unravel_index(12, (3, 4))                               #! index: indices: 12 is out of range

ravel_multi_index(([1, 2], [3, 0]), (3, 4))             #=> [7 8]
ravel_multi_index(([1, 3], [3, 0]), (3, 4))             #! index: multi_index: 3 is out of range

# what is out of range may wrap or be clipped
take([10, 20, 30], [3, -4], mode="wrap")                #=> [10 30]
take([10, 20, 30], [3, -4], mode="clip")                #=> [30 10]
take([10, 20, 30], [3], mode="near")                    #! value: mode must be one of
take(zeros(0), [0], mode="clip")                        #! index: no elements
take_along_axis(arange(12).reshape(3, 4), [[0, 9]], 1)  #! index: index 9 is out of range for axis 1 with 4 elements
take_along_axis(ones(1, 3), [[0], [2]], 1).shape        #=> (2, 1)
argwhere(5).shape                                       #=> (1, 0)
