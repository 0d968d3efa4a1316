# Order statistics, averages, covariances, reductions without nan.
median([1, 3, 2, 4])                                    #=> 2.5
median([[1, 3, 2], [4, 9, 0]], axis=1)                  #=> [2. 4.]
median([[1, 3, 2], [4, 9, 0]], axis=0, keepdims=true)   #=> [[2.5 6.  1. ]]
median([1, nan, 2])                                     #=> nan
median([[1, nan, 2], [1, 2, 3]], axis=1)                #=> [nan  2.]
median(zeros(0))                                        #=> nan

quantile([1, 2, 3, 4, 10], 0.3)                         #=> 2.2
quantile([1, 2, 3, 4, 10], [0.1, 0.5, 0.99])            #=> [1.4  3.   9.76]
quantile([[1, 2, 3], [4, 5, 7]], [0.25, 0.5], axis=1)   #=> [[1.5 4.5]
                                                        #=>  [2.  5. ]]
quantile([[1, 2, 3], [4, 5, 7]], 0.25, axis=0, keepdims=true) #=> [[1.75 2.75 4.  ]]
quantile([1.0, 2, 3, 4, 10], 0.3, method="lower")       #=> 2.0
quantile([1.0, 2, 3, 4, 10], 0.3, method="higher")      #=> 3.0
quantile([1.0, 2, 3, 4, 10], 0.3, method="nearest")     #=> 2.0
quantile([1.0, 2, 3, 4, 10], 0.3, method="midpoint")    #=> 2.5
quantile([1.0, 2, 3, 4, 10], 0.3, method="hazen")       #=> 2.0
quantile([1.0, 2, 3, 4, 10], 0.3, method="weibull")     #=> 1.8
quantile([1.0, 2, 3, 4, 10], 0.3, method="median_unbiased") #=> 1.9333333333333333
quantile([1.0, 2, 3, 4, 10], 0.3, method="normal_unbiased") #=> 1.95
quantile([1.0, 2, 3, 4, 10], 0.3, method="inverted_cdf") #=> 2.0
quantile([1.0, 2, 3, 4, 10], 0.4, method="averaged_inverted_cdf") #=> 2.5
quantile([1.0, 2, 3, 4, 10], 0.3, method="interpolated_inverted_cdf") #=> 1.5
quantile([1, 2], 1.5)                                   #! value: q must lie from 0

percentile([1, 2, 3, 4], [25, 50])                      #=> [1.75 2.5 ]

quantile([1.0, inf], 0.5)                               #=> nan

ptp([[1, 5], [7, 2]], axis=0)                           #=> [6 3]

average([1, 2, 3], weights=[3, 2, 1])                   #=> 1.6666666666666667
average([[1, 2], [3, 4]], axis=0, weights=[1, 3])       #=> [2.5 3.5]
average([[1, 2], [3, 4]], axis=1, weights=[1.0, 3], returned=true) #=> ([1.75 3.75], [4. 4.])
average([1, 2, 3], returned=true)                       #=> (2.0, 3.0)

cov([[1, 2, 3], [3, 1, 2]])                             #=> [[ 1.  -0.5]
                                                        #=>  [-0.5  1. ]]
cov([1.0, 2, 4], [3, 1, 2])                             #=> [[ 2.33333333 -0.5       ]
                                                        #=>  [-0.5         1.        ]]
cov([[1, 2], [3, 1], [0, 7]], rowvar=false)             #=> [[ 2.33333333 -4.16666667]
                                                        #=>  [-4.16666667 10.33333333]]
cov([[1, 2, 3], [3, 1, 2]], bias=true)                  #=> [[ 0.66666667 -0.33333333]
                                                        #=>  [-0.33333333  0.66666667]]
cov([[1, 2, 3], [3, 1, 2]], aweights=[1, 2, 3])         #=> [[ 0.90909091 -0.18181818]
                                                        #=>  [-0.18181818  0.77272727]]
cov([[1, 2, 3], [3, 1, 2]], fweights=[1, 2, 3])         #=> [[ 0.66666667 -0.13333333]
                                                        #=>  [-0.13333333  0.56666667]]
cov([[1, 2, 3], [3, 1, 2]], fweights=[1, 2, 3], aweights=[0.5, 1, 1], ddof=1) #=> [[0.52 0.04]
                                                                              #=>  [0.04 0.46]]
round(cov([1, 2, 4]), 12)                               #=> 2.333333333333

corrcoef([[1, 2, 3], [3, 1, 2]])                        #=> [[ 1.  -0.5]
                                                        #=>  [-0.5  1. ]]
corrcoef([1, 2, 4], [1, 2, 5])                          #=> [[1.         0.99587059]
                                                        #=>  [0.99587059 1.        ]]

nansum([1, nan, 2])                                     #=> 3.0

nanmean([[1, nan], [3, 4]], axis=0)                     #=> [2. 4.]

nanmin([[1, nan], [nan, nan]], axis=1)                  #=> [ 1. nan]

nanmax([1, nan, 3])                                     #=> 3.0
nanmax([1, 2])                                          #=> 2

nanvar([1, nan, 3, 5], ddof=1)                          #=> 4.0

nanstd([[1, nan], [3, 4]], axis=1)                      #=> [0.  0.5]

nanmedian([[1, nan, 3], [nan, nan, nan], [4, 1, 9]], axis=1) #=> [ 2. nan  4.]
nanmedian([1, nan])                                     #=> 1.0

quantile([1, 2, 9007199254740993], 1, method="higher") #=> 9007199254740993
quantile([1, 2, 3, 4], [0.125, 0.375, 0.5], method="closest_observation") #=> [1 2 2]
average(i8([100, 100]), weights=i8([3, 1]))            #=> 100.0
average([true, false, true, false], weights=[true, true, true, true]) #=> 0.5
nanvar([1.0, nan], ddof=1)                             #=> nan
nanstd([[1.0, nan, 3.0], [4.0, nan, nan]], axis=1, ddof=2) #=> [nan nan]
cov([1, 2, 3], aweights=[1.0, -1.0, 1.0])              #! value: cov: aweights must not be negative
cov([1, 2, 3], fweights=[1.5, 1.0, 1.0])               #! value: cov: fweights must be integers
cov([1, 2, 3], fweights=[1, 1])                        #! shape: cov: 2 fweights for 3 observations
cov([1, 2, 3], ddof=0.5)                               #! value: cov: ddof must be an integer
