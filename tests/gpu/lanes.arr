# Graphs with much that is independent: their values, to be compared between streams=1 (one after
# another) and 0 or 2 (overlapping). Words: rounds, side. Run by tests/gpu/run.sh.
rounds = int(args[0])
side = int(args[1])
seed(11)
fn pick(pool) = pool[randint(0, len(pool) - 1)]
fn step(pool) {
    kind = randint(0, 8)
    a = pick(pool)
    b = pick(pool)
    if kind <= 3 { return a @ b / side }
    if kind == 4 { return sort(a, axis=1) }
    if kind == 5 { return cumsum(b, axis=0) / side }
    if kind == 6 { return sqrt(abs(a)) - 0.5 * b }
    if kind == 7 { return a - mean(a, axis=0) }
    c = a + 0.0
    c[2:-2, 1:-1] = b[2:-2, 1:-1] * 0.5
    return c
}
for r in range(rounds) {
    pool = map(fn(k) = eval(rand(side, side, f32) - 0.5), (0, 1, 2, 3))
    for k in range(12) { pool = pool + (step(pool),) }
    last = pool[-1] + pool[-2] + pool[-3] + pool[-4]
    print(r, sum(last), last[3, 5], max(last), sum(pool[5]), sum(pool[8]))
}
