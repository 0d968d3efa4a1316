# One kernel for a chain; broadcast, sliced and transposed operands; casts and halves.
a = ones(1000, f32)
b = zeros(1000, f32)
c = full(1000, 2.0, f32)
eval(sqrt(a * a + b * b) * exp(-c));
m = ones(20, 30)
eval(m[:, 1:] - m[:, :-1] * m[0, 1:]);
eval(m.T * 2 + ones(30, 20));
i = arange(100)
eval(where(i % 3 == 0, f16(i) * 0.5, bf16(i) + f32(1)));
eval(u8(i) << 2 | u8(7));
