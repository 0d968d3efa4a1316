# The leading principal components of the digits by power iteration with deflation.
data = load("data/digits.csv")
x = data[:, :64]
x = x - mean(x, axis=0)
c = (x.T @ x) / (x.shape[0] - 1)

fn leading(c, steps) {
    v = ones(c.shape[0]) / sqrt(c.shape[0])
    for k in range(steps) {
        w = c @ v
        v = w / sqrt(sum(w * w))
    }
    return v, sum(v * (c @ v))
}

total = sum(c * eye(64))
for k in range(3) {
    v, variance = leading(c, 500)
    c = c - variance * v[:, newaxis] * v
    print(f"component {k + 1}: variance {float(variance):.4f}, share {float(variance / total):.4f}")
}
