# A file's own default float.
set_default_float(f32)
here = zeros(1).dtype
fn later() = ([0.5] + 1).dtype
