# The numpy module: NumPy's spellings.
import numpy as np
np.concatenate(([1, 2], [3]))                           #=> [1 2 3]
np.arctan2(0.0, -1.0) == np.pi                          #=> true
np.power([2, 3], 2)                                     #=> [4 9]
np.sum(np.ones((2, 3)), axis=0)                         #=> [2. 2. 2.]
np.array([1, 2], np.float32).dtype                      #=> f32
np.linalg.norm([3.0, 4.0])                              #=> 5.0
np.linalg.multi_dot(([[1, 2]], [[3], [4]]))             #=> [[11]]
np.logical_and([1, 0], [2, 3])                          #=> [ true false]
np.newaxis == none                                      #=> true
np.shape([[1, 2, 3]])                                   #=> (1, 3)
np.random.seed(3)
a = np.random.rand(2, 2)
np.random.seed(3)
array_equal(np.random.rand(2, 2), a)                    #=> true
np.random.random((2, 3)).shape                          #=> (2, 3)
np.column_stack(([1, 2], [3, 4]))                       #=> [[1 3]
                                                        #=>  [2 4]]
np.nansum([1, nan])                                     #=> 1.0
np.where([0, 3, 4])                                     #=> ([1 2],)
np.where([true, false], 1, 2)                           #=> [1 2]
np.delete(np.arange(5), [0, -1])                        #=> [1 2 3]
np.array_split(np.arange(5), 2)                         #=> ([0 1 2], [3 4])
np.arange(6).reshape(2, 3)[np.ix_([1, 0], [2, 0])]      #=> [[5 3]
                                                        #=>  [2 0]]
np.diagonal([[1, 2], [3, 4]], 1)                        #=> [2]
np.float64(3)                                           #=> 3.0
rng = np.random.default_rng(5)
x = rng.integers(0, 3, 100, endpoint=true)
(min(x), max(x))                                        #=> (0, 3)
rng.standard_normal((2, 3)).shape                       #=> (2, 3)
np.unique_counts([3, 1, 3]).counts                      #=> [1 2]
np.linalg.trace(np.ones((2, 3, 3)))                     #=> [3. 3.]
np.savez(tmp + "/np.npz", x=[1], y=2)
np.load(tmp + "/np.npz").y                              #=> 2
