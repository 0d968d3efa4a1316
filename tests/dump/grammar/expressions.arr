# precedence, loosest first
x = a if b else c if d else e
y = a |> f |> m.g(1, k=2) |> (fn(v) = v + 1)
a or b and not c == d | e ^ f & g << h + i * -j ** -k ** l
a not in b or not c in d
-2 ** 2 - -2
(a < b) & (b < c)
a - b + c * d / e // f % g @ h
~a >> 2
# literals
n = (1_000, 0xff, 0b101, 0o17, 9223372036854775807, 9223372036854775808, -9223372036854775808)
r = [1.5, .5, 1e-3, 1., 1_0.2_5e+1_0, 2j, 1.5j, 1e-3j]
t = (), (1,), (1, 2), [], [[1, 2], [3, 4],]
s = "a\n\t\"\\\x41\u{1F600}\0" + 'it\'s' + """two
"lines" ""\""""
b = true, false, none
# calls, indices, fields
f(x, xs..., k=v, w=fn(a, b=1, rest...) = a,)
x[..., 1, 1:2, ::2, :, -1::-1, none, m & n,]
x.f(y).g[1](2)
1.T
x
    .sum()      # a comment between
    # and another

    .T
# f-strings
f"x = {x:.3f} {{}} {x:>{w}.{p}f}{a, b}{r[1:2]:}" + f'{"q"}{f"{x}"}'
f"""{
    x}
{y}"""
