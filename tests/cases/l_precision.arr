# Precision modes.

# T108: an f32 product keeps f32's accuracy
seed(5)
a = rand(300, 300, f32)
b = rand(300, 300, f32)
max(abs(f64(a @ b) - f64(a) @ f64(b))) / max(f64(a) @ f64(b)) < 1e-6   #=> true

# T109: an f64 request is honoured
(ones(2, f64) + ones(2, f32)).dtype               #=> f64
zeros(2).dtype                                    #=> f64
