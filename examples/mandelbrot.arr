# The Mandelbrot set without complex numbers: 60 turns over all points at once.
w, h = 72, 28
cr = linspace(-2.1, 0.7, w)
ci = linspace(-1.2, 1.2, h)[:, newaxis]
x = zeros(h, w)
y = zeros(h, w)
count = zeros(h, w, i64)
for k in range(60) {
    inside = x * x + y * y <= 4
    count = count + inside
    x, y = where(inside, x * x - y * y + cr, x), where(inside, 2 * x * y + ci, y)
}
shades = " .:-=+*#%@"
for row in count {
    line = ""
    for c in row { line = line + shades[minimum((int(c) * 9) // 60, 9)] }
    print(line)
}
print("points that stayed:", int(sum(count == 60)), "turns in all:", int(sum(count)))
