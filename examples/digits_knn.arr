# Nearest neighbour on the digits: the first 1,000 teach, the other 797 are asked.
data = load("data/digits.csv")
x = data[:, :64]
y = i64(data[:, 64])
train, test = x[:1000], x[1000:]

# |a - b|^2 = |a|^2 - 2 a.b + |b|^2 : one product instead of a million differences
d = sum(test ** 2, axis=1)[:, newaxis] - 2 * (test @ train.T) + sum(train ** 2, axis=1)
guess = y[:1000][argmin(d, axis=1)]
right = guess == y[1000:]
print(f"accuracy {float(mean(right)):.4f} ({int(sum(right))} of {len(right)})")
for k in range(10) {
    of_k = y[1000:] == k
    print(k, int(sum(right & of_k)), "of", int(sum(of_k)))
}
