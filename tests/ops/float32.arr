# The default float as f32: what the builtins make of integers and of nothing.
#: float f32

zeros(2).dtype                                          #=> f32
linspace(0, 1, 3).dtype                                 #=> f32
arange(0, 1, 0.5).dtype                                 #=> f32
rand(2).dtype                                           #=> f32
eye(2).dtype                                            #=> f32
mean([1, 2]).dtype                                      #=> f32
var([1, 2, 4]).dtype                                    #=> f32
std([1, 2, 4])                                          #=> 1.2472191
median([1, 2]).dtype                                    #=> f32
quantile([1, 2], 0.5).dtype                             #=> f32
sigmoid([0, 1]).dtype                                   #=> f32
softmax([0, 1]).dtype                                   #=> f32
cov([[1, 2], [3, 5]]).dtype                             #=> f32
average([1, 2], weights=[1, 1]).dtype                   #=> f32
norm([3, 4]).dtype                                      #=> f32
gradient([1, 2, 4]).dtype                               #=> f32
histogram([1, 2], bins=2)[1].dtype                      #=> f32
mean(f64([1, 2])).dtype                                 #=> f64
mean([16777217, 16777219])                              #=> 1.6777218e+07
