# matmul_precision: how f32 products are made on a GPU; of the choice in force when one is built.
matmul_precision()                     #=> highest
matmul_precision("HIGH")
matmul_precision()                     #=> high
matmul_precision("low")                #! value: matmul_precision takes "highest", "high" or "medium", not 'low'
matmul_precision(3)                    #! type: matmul_precision: precision
matmul_precision()                     #=> high
matmul_precision("highest")

# Small integers are exact at every precision, and products at two precisions are two products.
fn whole(m, n, k) = (f32(arange(m * k).reshape(m, k) % 7 - 3), f32(arange(k * n).reshape(k, n) % 5 - 2))
fn all_precisions(x, y) {
    a = x @ y
    matmul_precision("high")
    b = x @ y
    matmul_precision("medium")
    c = x @ y
    matmul_precision("highest")
    return a, b, c
}
fn agree(m, n, k) {
    x, y = whole(m, n, k)
    exact = i64(x) @ i64(y)
    a, b, c = all_precisions(x, y)
    return all(a == exact), all(b == exact), all(c == exact)
}
agree(3, 4, 5)                         #=> (true, true, true)
agree(1, 40, 300)                      #=> (true, true, true)
agree(64, 65, 66)                      #=> (true, true, true)
x = eval(f32(arange(6.0).reshape(2, 3)))
a, b, c = all_precisions(x, x.T)
all(a + b + c == [[15, 42], [42, 150]])  #=> true
all(a == c)                            #=> true
