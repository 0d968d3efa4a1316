# Reductions at the end of a group, several in one, work on their results, held values on the way.
x = ones(40, 50, f32)
eval(sum(x * x + 1));
eval(mean(x, axis=0));
eval(std(x, axis=1) + max(x, axis=1));
y = x * 3
eval(argmin(y), any(y < 0));
eval(sum(y));
