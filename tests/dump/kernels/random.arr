# Draws fuse; the key is a parameter.
seed(1)
eval(4 * mean(rand(1000, f32) ** 2 + rand(1000, f32) ** 2 < 1));
eval(randn(100) * 2 + 1);
eval(randint(0, 6, 100));
