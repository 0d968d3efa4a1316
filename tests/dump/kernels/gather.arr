# Checked gathers, one and two index arrays.
t = arange(50) * 2
eval(t[[3, 1, -1]]);
m = ones(10, 20)
eval(m[[1, 2], [3, 4]] + 1);
eval(m[:, [0, 5]]);
