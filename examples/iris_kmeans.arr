# k-means on the iris measurements: three clusters, started from three known flowers.
data = load("data/iris.csv")
x = data[:, :4]
species = i64(data[:, 4])

fn assign(x, centers) {
    d = x[:, newaxis, :] - centers
    return argmin(sum(d * d, axis=-1), axis=1)
}

fn recenter(x, label, k) {
    hot = f64(label[:, newaxis] == arange(k))       # one column a cluster
    return (hot.T @ x) / sum(hot, axis=0)[:, newaxis]
}

centers = x[[0, 50, 100]]
steps = 0
moved = true
while moved {
    before = centers
    label = assign(x, centers)
    centers = recenter(x, label, 3)
    steps += 1
    moved = any(centers != before)
}
inertia = sum((x - centers[label]) ** 2)
counts = sum(i64(label[:, newaxis] == arange(3)), axis=0)
purity = mean(label == species)
print(f"steps {steps}")
print("cluster sizes", counts)
print(f"inertia {float(inertia):.6f}")
print(f"agreement with species {float(purity):.4f}")
