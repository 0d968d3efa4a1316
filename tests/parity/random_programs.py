"""Random well-typed programs: Arr fused, Arr unfused and NumPy must agree, bit for bit.

    random_programs.py ARR [--n PROGRAMS] [--seed S] [--only I] [options for arr]

Only operations with promised bits are made, so there is nothing to tolerate; sums go
through the tree in oracle.py. With `--device cuda` the fused run is compared with the CPU as well.
A failure names its seed and number; `--only I` prints and runs that program alone. Last line:
"N passed, N failed, N skipped"."""
import os
import random
import sys
import tempfile

import numpy as np

import oracle as o

DTYPES = ["bool", "i32", "i64", "u8", "f32", "f64"]
NAME = {np.dtype(o.NP[d]): d for d in DTYPES}
DIMS = [1, 2, 3, 5, 8]


def dtype_of(v):
    return NAME[v.dtype]


def is_scalar(v):
    return isinstance(v, (int, float))


def common(a, b):
    """The dtype that two operands meet in, one of them perhaps a weak scalar."""
    if is_scalar(a):
        a, b = b, a
    d = dtype_of(a)
    if not is_scalar(b):
        return o.promote(d, dtype_of(b))
    if isinstance(b, float):
        return d if o.kind(d) == "f" else "f64"
    return "i64" if d == "bool" else d


def convert(v, d):
    if is_scalar(v):
        return np.array(v, dtype=o.NP[d])
    return o.cast(v, dtype_of(v), d) if dtype_of(v) != d else v


def apply(op, a, b):
    d = common(a, b)
    if op == "/" and o.kind(d) in "biu":
        d = "f64"
    x, y = convert(a, d), convert(b, d)
    with np.errstate(all="ignore"):
        r = {
            "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
            "//": np.floor_divide, "%": np.remainder, "&": np.bitwise_and, "|": np.bitwise_or,
            "^": np.bitwise_xor, "<": np.less, "<=": np.less_equal, ">": np.greater,
            ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal, "minimum": np.minimum,
            "maximum": np.maximum,
        }[op](x, y)
    return np.asarray(r)


def total(v, axis, name):
    """sum, prod, mean, max, min, any along one axis (none: all), with Arr's result dtypes."""
    d = dtype_of(v)
    t = np.moveaxis(v, axis, -1) if axis is not None else v.reshape(-1)
    rows = t.reshape(-1, t.shape[-1])
    shape = t.shape[:-1]
    if name in ("max", "min", "any"):
        r = {"max": np.max, "min": np.min, "any": np.any}[name](t, axis=-1)
        return np.asarray(r)
    with np.errstate(all="ignore"):
        if o.kind(d) == "f":
            f = (lambda a, b: a * b) if name == "prod" else (lambda a, b: a + b)
            r = np.array([o.tree(list(row), f) for row in rows], dtype=v.dtype).reshape(shape)
            return r / v.dtype.type(t.shape[-1]) if name == "mean" else r
        acc = np.uint64 if o.kind(d) == "u" else np.int64
        f = np.prod if name == "prod" else np.sum
        return np.asarray(f(t, axis=-1, dtype=acc)).astype(acc)


class Node:
    """An expression: its text, and its value from an environment."""

    def __init__(self, text, ev):
        self.text, self.source = text, ev

    def ev(self, env):
        v = self.source(env)
        return np.asarray(v) if isinstance(v, np.generic) else v


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.env, self.inputs, self.lines = {}, {}, []
        self.count = 0

    # -- expressions -----------------------------------------------------------------------------

    def literal(self, d):
        if o.kind(d) == "f" and self.rng.random() < 0.5:
            v = self.rng.choice([0.5, 1.5, 2.0, 0.1, 3.25, -1.25])
        else:
            v = self.rng.randint(1, 9)
        return Node(repr(v), lambda env: v)

    def variable(self, names=None):
        name = self.rng.choice(names or sorted(self.env))
        return Node(name, lambda env: env[name])

    def new_array(self, shape):
        n, k = int(np.prod(shape)), self.rng.randint(2, 9)
        text = f"(arange({n}) % {k}).reshape({', '.join(map(str, shape))})" if shape else \
            f"arange({k + 1})[{k}]"
        return Node(text, lambda env: (np.arange(n) % k).reshape(shape) if shape else
                    np.asarray(np.arange(k + 1)[k]))

    def fit(self, node, shape):
        """A view of the node's value that broadcasts to the shape, or None."""
        v = node.ev(self.env)
        if v.shape == shape:
            if v.ndim == 2 and shape[0] == shape[1] and self.rng.random() < 0.5:
                return Node(f"{node.text}.T", lambda env: node.ev(env).T)
            if v.ndim and self.rng.random() < 0.3:
                return Node(f"{node.text}[::-1]", lambda env: node.ev(env)[::-1])
            return node
        if v.ndim == 2 and v.shape[::-1] == shape:
            return Node(f"{node.text}.T", lambda env: node.ev(env).T)
        if v.ndim == len(shape) and all(a >= b for a, b in zip(v.shape, shape)):
            parts = []
            for a, b in zip(v.shape, shape):
                step = self.rng.choice([1, 1, 2]) if a >= 2 * b else 1
                low = self.rng.randint(0, a - (b - 1) * step - 1)
                parts.append(slice(low, low + (b - 1) * step + 1, step))
            text = ", ".join(f"{s.start}:{s.stop}" + (f":{s.step}" if s.step > 1 else "")
                             for s in parts)
            return Node(f"{node.text}[{text}]", lambda env: node.ev(env)[tuple(parts)])
        if v.ndim < len(shape) and v.shape == shape[len(shape) - v.ndim:]:
            return node
        if v.ndim == 1 and len(shape) == 2 and v.shape[0] == shape[0]:
            return Node(f"{node.text}[:, newaxis]", lambda env: node.ev(env)[:, None])
        if v.size == int(np.prod(shape)) and shape:
            text = ", ".join(map(str, shape))
            return Node(f"{node.text}.reshape({text})", lambda env: node.ev(env).reshape(shape))
        return None

    def leaf(self, shape):
        for _ in range(6):
            fitted = self.fit(self.variable(), shape)
            if fitted:
                return fitted
        return self.new_array(shape)

    def dtype(self, node):
        v = node.ev(self.env)
        return "scalar" if is_scalar(v) else dtype_of(v)

    def cast(self, node, d):
        return Node(f"{d}({node.text})", lambda env: convert(node.ev(env), d))

    def binary(self, op, a, b):
        text = f"{op}({a.text}, {b.text})" if op.isalpha() else f"({a.text} {op} {b.text})"
        return Node(text, lambda env: apply(op, a.ev(env), b.ev(env)))

    def number(self, node):
        """Not boolean: arithmetic between booleans is an error."""
        d = self.dtype(node)
        return self.cast(node, self.rng.choice(["i32", "f32", "u8"])) if d == "bool" else node

    def signed(self, node):
        return self.cast(node, "i64") if self.dtype(node) == "u8" else node

    def operand(self, shape, depth, d):
        return self.literal(d) if self.rng.random() < 0.3 else self.number(self.expr(shape, depth))

    def expr(self, shape, depth):
        if depth <= 0:
            return self.leaf(shape)
        return self.rng.choice([self.arithmetic] * 5 + [self.comparison, self.choice, self.unary,
                                self.unary, self.reduction, self.bits, self.recast,
                                self.gather, self.joined])(shape, depth - 1)

    def arithmetic(self, shape, depth):
        a = self.number(self.expr(shape, depth))
        b = self.operand(shape, depth, self.dtype(a))
        op = self.rng.choice(["+", "-", "*", "+", "-", "*", "/", "//", "%"])
        return self.binary(op, a, b) if self.rng.random() < 0.8 else self.binary(op, b, a)

    def comparison(self, shape, depth):
        a = self.number(self.expr(shape, depth))
        b = self.operand(shape, depth, self.dtype(a))
        return self.binary(self.rng.choice(["<", "<=", ">", ">=", "==", "!="]), a, b)

    def choice(self, shape, depth):
        c = self.comparison(shape, depth)
        a, b = self.number(self.expr(shape, depth)), self.number(self.expr(shape, depth))

        def ev(env):
            x, y = a.ev(env), b.ev(env)
            d = common(x, y)
            return np.where(c.ev(env), convert(x, d), convert(y, d))
        return Node(f"where({c.text}, {a.text}, {b.text})", ev)

    def unary(self, shape, depth):
        a = self.signed(self.number(self.expr(shape, depth)))
        f = self.rng.choice(["-", "abs", "sqrt", "floor", "square", "maximum", "isnan", "**3"])
        if f == "-":
            return Node(f"(-{a.text})", lambda env: -a.ev(env))
        if f == "maximum":
            return self.binary("maximum", a, Node("2", lambda env: 2))
        if f == "sqrt":
            def ev(env):
                v = a.ev(env)
                return np.sqrt(np.abs(v.astype(np.float64 if o.kind(dtype_of(v)) in "iu" else
                                               v.dtype)))
            return Node(f"sqrt(abs({a.text}))" if o.kind(self.dtype(a)) == "f" else
                        f"sqrt(abs(f64({a.text})))", ev)
        if f == "**3":
            return Node(f"({a.text} ** 3)", lambda env: a.ev(env) * a.ev(env) * a.ev(env))
        fn = {"abs": np.abs, "floor": np.floor, "square": np.square, "isnan": np.isnan}[f]
        return Node(f"{f}({a.text})", lambda env: np.asarray(
            fn(a.ev(env)) if f != "floor" or o.kind(dtype_of(a.ev(env))) == "f" else a.ev(env)))

    def bits(self, shape, depth):
        a = self.expr(shape, depth)
        if o.kind(self.dtype(a)) == "f":
            a = self.cast(a, "i32")
        if self.dtype(a) == "bool":
            return self.binary(self.rng.choice("&|^"), a, self.comparison(shape, depth))
        b = Node(str(k := self.rng.randint(0, 7)), lambda env: k)
        return self.binary(self.rng.choice("&|^"), a, b)

    def recast(self, shape, depth):
        return self.cast(self.expr(shape, depth), self.rng.choice(DTYPES))

    def reduction(self, shape, depth):
        axis = self.rng.randint(0, len(shape))
        extra = self.rng.choice([2, 3, 7, 40] if int(np.prod(shape)) < 200 else [2, 3])
        a = self.expr(shape[:axis] + (extra,) + shape[axis:], depth)
        full = a.ev(self.env)
        if full.ndim != len(shape) + 1:
            return a if full.ndim <= len(shape) and full.shape == shape else self.leaf(shape)
        name = self.rng.choice(["sum", "sum", "mean", "max", "min", "prod", "any"])
        a = self.signed(a)
        if name == "mean" and o.kind(self.dtype(a)) != "f":
            a = self.cast(a, "f64")
        return Node(f"{name}({a.text}, axis={axis})", lambda env: total(a.ev(env), axis, name))

    def gather(self, shape, depth):
        if not shape:
            return self.leaf(shape)
        a = self.expr(shape, depth)
        if a.ev(self.env).shape != shape:
            return a
        idx = [self.rng.randint(-shape[0], shape[0] - 1) for _ in range(min(shape[0], 20))]
        idx = (idx * (shape[0] // len(idx) + 1))[: shape[0]]
        if len(idx) > 40:
            return Node(f"flip({a.text}, axis=0)", lambda env: np.flip(a.ev(env), 0))
        return Node(f"{a.text}[[{', '.join(map(str, idx))}]]" if a.text.isidentifier() else
                    f"({a.text})[[{', '.join(map(str, idx))}]]", lambda env: a.ev(env)[idx])

    def joined(self, shape, depth):
        if not shape or shape[0] < 2:
            return self.leaf(shape)
        cut = self.rng.randint(1, shape[0] - 1)
        a = self.expr((cut,) + shape[1:], depth)
        b = self.expr((shape[0] - cut,) + shape[1:], depth)
        va, vb = a.ev(self.env), b.ev(self.env)
        if va.ndim != len(shape) or vb.ndim != len(shape) or va.shape[1:] != vb.shape[1:]:
            return self.leaf(shape)

        def ev(env):
            x, y = a.ev(env), b.ev(env)
            d = o.promote(dtype_of(x), dtype_of(y))
            return np.concatenate([convert(x, d), convert(y, d)])
        return Node(f"concat(({a.text}, {b.text}))", ev)

    # -- statements ------------------------------------------------------------------------------

    def shape(self):
        if self.rng.random() < 0.15:
            return self.rng.choice([(4500,), (70, 130), (9000,), (3, 33, 65)])
        return tuple(self.rng.choice(DIMS) for _ in range(self.rng.randint(0, 3)))

    def bind(self, name, node, indent=""):
        self.lines.append(f"{indent}{name} = {node.text}")
        self.env[name] = np.array(node.ev(self.env))

    def fresh(self):
        self.count += 1
        return f"v{self.count}"

    def add_inputs(self):
        for d in DTYPES:
            name, shape = f"in_{d}", self.shape() or (4,)
            g = np.random.default_rng(self.rng.getrandbits(32))
            if o.kind(d) == "f":
                v = g.normal(0, 4, shape).astype(o.NP[d])
                v.reshape(-1)[:: max(1, v.size // 3)] = self.rng.choice([0.0, np.inf, np.nan, -2.5])
            else:
                v = g.integers(0, 2 if d == "bool" else 200, shape).astype(o.NP[d])
            self.inputs[name] = self.env[name] = v
            self.lines.append(f'{name} = load("{name}.npy")')

    def assign(self):
        self.bind(self.fresh(), self.expr(self.shape(), self.rng.randint(1, 5)))

    def assign_slice(self):
        """x[...] = e, x keeping its dtype."""
        names = [n for n in self.env if self.env[n].ndim]
        name = self.rng.choice(sorted(names))
        x = self.env[name]
        parts, text = [], []
        for n in x.shape:
            low = self.rng.randint(0, n - 1)
            high = self.rng.randint(low + 1, n)
            step = self.rng.choice([1, 1, 2, -1])
            if step < 0:
                parts.append(slice(None, None, -1))
                text.append("::-1")
            else:
                parts.append(slice(low, high, step))
                text.append(f"{low}:{high}" + (f":{step}" if step > 1 else ""))
        target = x[tuple(parts)]
        node = self.cast(self.expr(target.shape, self.rng.randint(0, 3)), dtype_of(x))
        v = node.ev(self.env)
        self.lines.append(f"{name}[{', '.join(text)}] = {node.text}")
        fresh = x.copy()
        fresh[tuple(parts)] = v
        self.env[name] = fresh

    def assign_mask(self):
        name = self.rng.choice(sorted(n for n in self.env if o.kind(dtype_of(self.env[n])) in "if"))
        x = self.env[name]
        if not x.ndim:
            return self.assign()
        k = self.rng.randint(0, 5)
        self.lines.append(f"{name}[{name} > {k}] = {k}")
        fresh = x.copy()
        fresh[x > k] = k
        self.env[name] = fresh

    def loop(self):
        name = self.rng.choice(sorted(n for n in self.env if self.env[n].dtype != bool))
        x = self.env[name]
        d, turns = dtype_of(x), self.rng.randint(2, 6)
        counter = Node("i", lambda env: env["i"])
        body = self.expr(x.shape, 2)
        if body.ev(self.env).shape != x.shape:
            body = self.variable([name])
        step = self.cast(self.binary(self.rng.choice(["+", "*", "-"]), self.number(body), counter)
                         if self.dtype(body) != "bool" else body, d)
        self.lines.append(f"for i in range({turns}) {{ {name} = {step.text} }}")
        for i in range(turns):
            self.env["i"] = i
            self.env[name] = np.array(step.ev(self.env))
        del self.env["i"]

    def call(self):
        """A user function of the arguments; it fuses as its text would."""
        a = self.variable(sorted(n for n in self.env if self.env[n].dtype != bool))
        self.count += 1
        f = f"f{self.count}"
        k = self.rng.randint(1, 5)
        self.lines.append(f"fn {f}(x, k={k}) {{ y = x * k; return y + x }}")
        node = Node(f"{f}({a.text})", lambda env: apply("+", apply("*", a.ev(env), k), a.ev(env)))
        self.bind(self.fresh(), node)

    def build(self):
        self.add_inputs()
        for _ in range(self.rng.randint(3, 10)):
            self.rng.choice([self.assign] * 4 + [self.assign_slice] * 2 + [self.assign_mask,
                            self.loop, self.call])()
        for name in sorted(self.env):
            self.lines.append(f'save("out_{name}.npy", {name})')
        return self


def same(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        return bool(((a == b) | (np.isnan(a) & np.isnan(b))).all())
    return bool((a == b).all())


def differs(program, directory):
    for name, want in sorted(program.env.items()):
        if not os.path.exists(os.path.join(directory, f"out_{name}.npy")):
            return f"{name} was not saved"
        got = np.load(os.path.join(directory, f"out_{name}.npy"))
        if not same(got, want):
            return f"{name}: {got.dtype}{list(got.shape)} {got.reshape(-1)[:6]} is not " \
                   f"{want.dtype}{list(want.shape)} {want.reshape(-1)[:6]}"
    return None


def main():
    arr, args = sys.argv[1], sys.argv[2:]
    n, seed, only = 120, 1, None
    while args and args[0] in ("--n", "--seed", "--only"):
        v = int(args[1])
        n, seed, only = (v if args[0] == "--n" else n, v if args[0] == "--seed" else seed,
                         v if args[0] == "--only" else only)
        args = args[2:]
    score = o.Score()
    np.seterr(all="ignore")
    for i in range(n) if only is None else [only]:
        program = Program(random.Random(seed * 100003 + i)).build()
        text = "\n".join(program.lines) + "\n"
        if only is not None:
            print(text)
        for fuse in ("1", "0"):
            with tempfile.TemporaryDirectory() as directory:
                for name, v in program.inputs.items():
                    np.save(os.path.join(directory, name + ".npy"), v)
                rc, _, err = o.run(arr, text, directory, args, {"ARR_FUSE": fuse})
                why = f"exit status {rc}: {err}" if rc else differs(program, directory)
                score.check(why is None, f"random_programs.py --seed {seed} --only {i} "
                                         f"(ARR_FUSE={fuse}): {why}")
    print(f"seed {seed}")
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
