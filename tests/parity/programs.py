"""Random well-typed programs of all dtypes: Arr fused, Arr unfused and NumPy agree, bit for bit.

    programs.py ARR [--n PROGRAMS] [--seed S] [--only I] [options for arr]

Only operations with promised bits are made. Shapes have extents of 0 and 1; there are views, masks,
index arrays, reductions, scans, sorts, assignments, loops and functions. Hundreds of programs share
a process: each is a function, what it returns comes back in one .npz. A program that differs is
shown with as few statements as still differ; `--only I` runs it alone. Last line:
"N passed, N failed, N skipped"."""
import os
import random
import sys
import tempfile

import numpy as np

import oracle as o
import values as v

BATCH = 400
TURNS = 4  # of each program: from the third on its plans are found among those that were kept
REALS = [d for d in o.ALL if d not in o.COMPLEX]
COMPARE = ["<", "<=", ">", ">=", "==", "!="]


class Node:
    """An expression: its text, its dtype ("int" or "float": a host scalar), its value now, and how
    to compute it again from other variables."""

    def __init__(self, text, d, fn, *args):
        self.text, self.d, self.fn, self.args = text, d, fn, args
        self.v = fn(*[a.v for a in args])
        if not self.scalar():
            self.v = np.asarray(self.v)
            assert self.v.dtype == o.NP[d], f"{text}: {self.v.dtype} for {d}"

    def ev(self, env):
        r = self.fn(*[a.ev(env) for a in self.args])
        return r if self.scalar() else np.asarray(r)

    def scalar(self):
        return self.d in ("int", "float")

    def kind(self):
        return {"int": "i", "float": "f"}.get(self.d) or o.kind(self.d)


class Variable(Node):
    def __init__(self, name, d, value):
        self.text, self.d, self.v = name, d, value

    def ev(self, env):
        return env[self.text]


class Literal(Node):
    def __init__(self, value):
        self.text, self.v = repr(value), value
        self.d = "float" if isinstance(value, float) else "int"

    def ev(self, env):
        return self.v


def common(a, b):
    """The dtype in which two operands meet; None where a cast is asked for."""
    if a.scalar():
        a, b = b, a
    if not b.scalar():
        return o.promote(a.d, b.d)
    if b.d == "float":
        return a.d if o.kind(a.d) in "fc" else "f64"
    return "i64" if a.d == "bool" else a.d


def as_dtype(node, d):
    if node.scalar():
        return lambda x: v.to_bf16(np.float32(x)) if d == "bf16" else np.array(x, o.NP[d])
    return lambda x: v.cast(x, node.d, d)


class Program:
    def __init__(self, rng, pool):
        self.rng, self.pool = rng, pool
        self.inputs, self.vars, self.statements = {}, {}, []
        self.count = 0
        for d in rng.sample(o.ALL, rng.randint(2, 4)):
            i = rng.randrange(len(pool[d]))
            name = self.fresh()
            self.inputs[name] = (d, i)
            self.vars[name] = Variable(name, d, pool[d][i])
        for _ in range(rng.randint(2, 8)):
            self.statement(rng.choice([self.bind] * 6 + [self.assign] * 3 + [
                self.scatter, self.mask_assign, self.loop, self.call, self.branch]))
        names = sorted(self.vars, key=lambda n: int(n[1:]))
        self.results = sorted(set([names[-1]] + rng.sample(names, min(len(names), 3))))

    def statement(self, make):
        n, old = len(self.statements), dict(self.vars)
        try:
            make()
        except (ValueError, IndexError): # a mask in a loop gave another shape
            del self.statements[n:]
            self.vars = old

    def fresh(self):
        self.count += 1
        return f"v{self.count}"

    # -- expressions -----------------------------------------------------------------------------

    def variable(self, test=lambda n: True):
        fit = [n for n in self.vars.values() if test(n)]
        return self.rng.choice(fit) if fit else None

    def cast(self, a, d):
        if a.d == d:
            return a
        if o.kind(a.d) == "c" and o.kind(d) != "c":
            a = self.unary("real", a)
        return Node(f"{d}({a.text})", d, as_dtype(a, d), a)

    def number(self, a):
        return self.cast(a, self.rng.choice(o.INTS + o.FLOATS)) if a.d == "bool" else a

    def real(self, a):
        return self.unary("real", a) if a.kind() == "c" else a

    def unary(self, f, a):
        d, k = a.d, a.kind()
        part = {"c64": "f32", "c128": "f64"}.get(d, d)
        plain = {"abs": np.abs, "sign": np.sign, "floor": np.floor, "ceil": np.ceil,
                 "trunc": np.trunc, "round": np.rint, "sqrt": np.sqrt}
        if f in ("real", "imag"):
            return Node(f"{a.text}.{f}", part, lambda x: getattr(x, f).copy(), a)
        if f in ("isnan", "isinf"):
            g = getattr(np, f)
            return Node(f"{f}({a.text})", "bool", lambda x: g(x) if k in "fc" else
                        np.zeros(x.shape, bool), a)
        if f == "-":
            return Node(f"(-{a.text})", d, np.negative, a)
        if f == "~":
            return Node(f"(~{a.text})", d, np.invert, a)
        if f == "conj":
            return Node(f"conj({a.text})", d, np.conj, a)
        if f == "square":
            return Node(f"square({a.text})", d, lambda x: v.binary("*", d)(x, x), a)
        if f[0] == "*":
            n = int(f[2:])
            return Node(f"({a.text} {f})", d, lambda x: v.power(d, x, n), a)
        g = plain[f] if k == "f" or f in ("abs", "sign") else lambda x: x
        return Node(f"{f}({a.text})", d, v.in_dtype(d, g), a)

    def any_unary(self, a):
        if a.d == "bool":
            return self.unary(self.rng.choice(["~", "isnan"]), a)
        fs = ["-", "square", "** 2", "** 3", "isnan", "conj"]
        if a.kind() == "c":
            return self.unary(self.rng.choice(fs + ["real", "imag"]), a)
        fs += ["abs", "sign", "floor", "ceil", "trunc", "round", "isinf"]
        if a.kind() == "f":
            return self.unary(self.rng.choice(fs + ["sqrt", "sqrt"]), a)
        return self.unary(self.rng.choice(fs + ["~"]), a)

    def literal(self, d):
        if o.kind(d) in "fc" and self.rng.random() < 0.5 or self.rng.random() < 0.05:
            return Literal(self.rng.choice([0.5, 1.5, 2.0, 0.1, 3.25, -1.25, 1e-3]))
        return Literal(self.rng.choice([0, 1, 1, 2, 2, 3, 5, 7, 100]))

    def partner(self, a):
        """Another operand that broadcasts with a."""
        if self.rng.random() < 0.3:
            return self.literal(a.d)
        def fits(n):
            pairs = zip(n.v.shape[::-1], a.v.shape[::-1])
            return all(x == y or 1 in (x, y) for x, y in pairs)
        b = self.variable(fits)
        if b is None:
            return self.literal(a.d)
        b = self.view(b, same=True) if self.rng.random() < 0.4 else b
        return self.any_unary(b) if self.rng.random() < 0.3 else b

    def meet(self, a, b):
        """Casts that make the two operands meet."""
        if not b.scalar() and o.promote(a.d, b.d) is None:
            b = self.cast(b, a.d)
        return a, b

    def binary(self, op, a, b):
        d = common(a, b)
        if op == "/" and o.kind(d) in "iu":
            d = "f64"
        out = "bool" if op in COMPARE else d
        fa, fb, f = as_dtype(a, d), as_dtype(b, d), v.binary(op, d)
        text = f"{op}({a.text}, {b.text})" if op.isalpha() else f"({a.text} {op} {b.text})"
        return Node(text, out, lambda x, y: f(fa(x), fb(y)), a, b)

    def any_binary(self, a):
        b = self.partner(a)
        op = self.rng.choice(["+", "-", "*", "+", "-", "*", "/", "//", "%", "minimum", "maximum",
                              "fmin", "fmax"] + COMPARE)
        if self.rng.random() < 0.15 and a.kind() in "biu":
            return self.bits(a)
        if op in COMPARE and a.d == "bool" and b.d == "int":
            b = Literal(1)
        if op not in COMPARE:
            a, b = self.number(a), b if b.scalar() else self.number(b)
        if op not in ("+", "-", "*", "==", "!="):
            a, b = self.real(a), b if b.scalar() else self.real(b)
        a, b = self.meet(a, b)
        if op == "/" and common(a, b) in o.COMPLEX:
            op = "*"
        if op not in ("+", "-", "*", "==", "!=") and common(a, b) in o.COMPLEX:
            op = "+"
        if b.scalar() and op not in COMPARE and self.rng.random() < 0.3:
            return self.binary(op, b, a)
        return self.binary(op, a, b)

    def bits(self, a):
        b = self.partner(a)
        if b.scalar() or b.kind() not in "biu":
            if a.d == "bool":
                return self.unary("~", a)
            b = Literal(self.rng.choice([0, 1, 3, 7, 85]))
        a, b = self.meet(a, b)
        return self.binary(self.rng.choice("&|^"), a, b)

    def choice(self, a):
        c = self.variable(lambda n: n.d == "bool" and fit_shapes(n.v.shape, a.v.shape))
        c = c or self.binary(self.rng.choice(COMPARE[:4]), self.real(self.number(a)), Literal(2))
        b = self.partner(self.number(a))
        a, b = self.number(a), b if b.scalar() else self.number(b)
        a, b = self.meet(a, b)
        d = common(a, b)
        fa, fb = as_dtype(a, d), as_dtype(b, d)
        if not fit_shapes(c.v.shape, np.broadcast_shapes(np.shape(a.v), np.shape(b.v))):
            return a
        return Node(f"where({c.text}, {a.text}, {b.text})", d,
                    lambda m, x, y: np.where(m, fa(x), fb(y)), c, a, b)

    def view(self, a, same=False):
        """A view or rearrangement; same: of the same shape."""
        rng, n = self.rng, a.v.ndim
        if n == 0:
            return a
        axis = rng.randrange(n)
        extent = a.v.shape[axis]
        kinds = ["reverse", "flip", "roll"]
        if not same:
            kinds += ["slice", "slice", "T", "new", "reshape", "ravel", "swap", "integer", "take",
                      "index", "repeat", "broadcast", "squeeze", "tile", "sort"]
        f = rng.choice(kinds)
        at = (slice(None),) * axis
        lead = ":, " * axis
        if f == "reverse":
            return Node(f"{a.text}[{lead}::-1]", a.d, lambda x: x[at + (slice(None, None, -1),)], a)
        if f == "flip":
            return Node(f"flip({a.text}, axis={axis})", a.d, lambda x: np.flip(x, axis), a)
        if f == "roll":
            k = rng.randint(-3, 7)
            return Node(f"roll({a.text}, {k}, axis={axis})", a.d, lambda x: np.roll(x, k, axis), a)
        if f == "slice":
            low, high = (rng.choice([None, rng.randint(-extent - 1, extent + 1)]) for _ in "ab")
            step = rng.choice([None, 1, 2, -1, -2, 3])
            text = f"{'' if low is None else low}:{'' if high is None else high}"
            text += "" if step is None else f":{step}"
            return Node(f"{a.text}[{lead}{text}]", a.d,
                        lambda x: x[at + (slice(low, high, step),)], a)
        if f == "T":
            return Node(f"{a.text}.T", a.d, lambda x: x.T, a)
        if f == "new":
            return Node(f"{a.text}[{lead}newaxis]", a.d, lambda x: x[at + (None,)], a)
        if f == "ravel":
            return Node(f"ravel({a.text})", a.d, lambda x: x.reshape(-1), a)
        if f == "reshape":
            k = rng.choice([1, 2, 3])
            if a.v.size % k or a.v.size == 0:
                return a
            return Node(f"{a.text}.reshape({k}, -1)", a.d, lambda x: x.reshape(k, -1), a)
        if f == "swap":
            b = rng.randrange(n)
            return Node(f"swapaxes({a.text}, {axis}, {b})", a.d, lambda x: x.swapaxes(axis, b), a)
        if f == "squeeze":
            return Node(f"squeeze({a.text})", a.d, np.squeeze, a)
        if f == "broadcast":
            shape = (rng.choice([1, 2, 3]),) + a.v.shape
            return Node(f"broadcast_to({a.text}, {shape})", a.d,
                        lambda x: np.broadcast_to(x, shape), a)
        if f == "repeat":
            return Node(f"repeat({a.text}, 2, axis={axis})", a.d, lambda x: np.repeat(x, 2, axis), a)
        if f == "tile":
            return Node(f"tile({a.text}, (2, 1))", a.d, lambda x: np.tile(x, (2, 1)), a)
        if f == "sort":
            return self.sorting(a, axis)
        if extent == 0:
            return a
        if f == "integer":
            i = rng.randint(-extent, extent - 1)
            return Node(f"{a.text}[{lead}{i}]", a.d, lambda x: x[at + (i,)], a)
        idx = [rng.randint(-extent, extent - 1) for _ in range(rng.randint(1, 4))]
        if f == "take":
            return Node(f"take({a.text}, {idx}, axis={axis})", a.d, lambda x: np.take(x, idx, axis), a)
        return Node(f"{a.text}[{lead}{idx}]", a.d, lambda x: x[at + (np.array(idx),)], a)

    def sorting(self, a, axis):
        a = self.real(a)
        if self.rng.random() < 0.5:
            return Node(f"sort({a.text}, axis={axis})", a.d,
                        lambda x: np.sort(x, axis, kind="stable"), a)
        return Node(f"argsort({a.text}, axis={axis})", "i64",
                    lambda x: np.argsort(x, axis, kind="stable").astype(np.int64), a)

    def reduction(self, a):
        rng, n = self.rng, a.v.ndim
        names = ["sum", "sum", "prod", "any", "all", "count_nonzero"]
        if a.kind() == "f":
            names += ["max", "min", "argmax", "argmin"] + ["mean"] * (a.d in ("f32", "f64"))
        elif a.kind() == "c":
            names = ["sum", "any", "all", "count_nonzero"]
        elif a.kind() in "iu":
            names += ["max", "min", "argmax"]
        name = rng.choice(names)
        one = name.startswith("arg")
        axes = tuple(sorted(rng.sample(range(n), rng.randint(1, 1 if one else n)))) if n else ()
        text = "" if len(axes) == n and rng.random() < 0.6 and not (one and n > 1) else \
            f", axis={axes[0] if len(axes) == 1 and rng.random() < 0.8 else axes}"
        if one and text and n:
            text = f", axis={axes[0]}"
        if n == 0:
            text = ""
        keep = rng.random() < 0.3
        if keep:
            text += ", keepdims=true"
        d = a.d
        if name in ("max", "min", "argmax", "argmin"):
            if 0 in [a.v.shape[k] for k in axes] or a.v.size == 0:
                return a
        if name in ("sum", "prod") and rng.random() < 0.15 and o.kind(d) in "biuf":
            d = rng.choice(["f64", "f32"] if o.kind(d) == "f" else ["f64", "i64", "i32"])
            cast, source = as_dtype(a, d), d
            text += f", dtype={d}"
            out = d if o.kind(d) == "f" else d
            if d == "i32": # accumulated in i64, modulo 2^32
                return Node(f"{name}({a.text}{text})", "i32", lambda x: v.reduce(
                    name, cast(x).astype(np.int64), "i64", axes, keep).astype(np.int32), a)
            return Node(f"{name}({a.text}{text})", out,
                        lambda x: v.reduce(name, cast(x), source, axes, keep), a)
        out = {"sum": v.accumulates(name, d), "prod": v.accumulates(name, d), "any": "bool",
               "all": "bool", "count_nonzero": "i64", "argmax": "i64", "argmin": "i64"}.get(name, d)
        return Node(f"{name}({a.text}{text})", out,
                    lambda x: v.reduce(name, x, d, axes, keep).astype(o.NP[out]), a)

    def scan(self, a):
        if a.v.ndim == 0 or a.v.size == 0:
            return a
        axis = self.rng.randrange(a.v.ndim)
        if a.kind() in "biu":
            name = self.rng.choice(["cumsum", "cumprod"])
            d = v.accumulates(name, a.d)
            return Node(f"{name}({a.text}, axis={axis})", d, lambda x: getattr(np, name)(
                x, axis, dtype=o.NP[d]), a)
        name, a = self.rng.choice(["cummax", "cummin"]), self.real(a)
        return Node(f"{name}({a.text}, axis={axis})", a.d, lambda x: v.running(name, x, axis), a)

    def joined(self, a):
        if a.v.ndim == 0:
            return a
        axis = self.rng.randrange(a.v.ndim)
        f = self.rng.choice(["concat", "stack"])
        b = self.variable(lambda n: n.v.ndim == a.v.ndim and all(
            x == y for k, (x, y) in enumerate(zip(n.v.shape, a.v.shape))
            if k != axis or f == "stack")) or a
        if o.promote(a.d, b.d) is None:
            b = self.cast(b, a.d)
        d = o.promote(a.d, b.d)
        fa, fb = as_dtype(a, d), as_dtype(b, d)
        g = np.concatenate if f == "concat" else np.stack
        return Node(f"{f}(({a.text}, {b.text}), axis={axis})", d,
                    lambda x, y: g((fa(x), fb(y)), axis), a, b)

    def masked(self, a):
        """The elements that a mask picks."""
        if a.v.ndim == 0:
            return a
        b = self.real(self.number(a))
        m = self.binary(self.rng.choice(COMPARE), b, Literal(self.rng.choice([0, 1, 3])))
        return Node(f"{a.text}[{m.text}]", a.d, lambda x, y: x[y], a, m)

    def product(self, a):
        """A product of small integers, exact in every dtype."""
        if a.v.ndim < 1 or a.v.ndim > 2:
            return a
        d = self.rng.choice(["i32", "i64", "u8", "f32", "f64", "c64"])
        a = self.cast(self.binary("%", self.cast(self.real(a), "i64"), Literal(5)), d)
        return Node(f"({a.text} @ {a.text}.T)", d, lambda x, y: (x @ y.T).astype(o.NP[d]), a, a)

    def expr(self, depth):
        a = self.variable()
        for _ in range(depth):
            f = self.rng.choice([self.any_binary] * 6 + [self.any_unary] * 2 + [self.view] * 3 + [
                self.reduction] * 2 + [self.choice, self.scan, self.joined, self.recast,
                self.masked, self.product])
            a = f(a)
            if a.v.size > 20000 or len(a.text) > 400 or a.v.ndim > 5:
                return self.variable()
        return a

    def recast(self, a):
        return self.cast(a, self.rng.choice(o.ALL))

    # -- statements ------------------------------------------------------------------------------

    def add(self, text, run):
        """A statement; run changes a dictionary of values."""
        self.statements.append((text, run))
        env = {n: x.v for n, x in self.vars.items()}
        run(env)
        return env

    def rebind(self, name, d, env):
        value = env[name]
        assert value.dtype == o.NP[d]
        self.vars[name] = Variable(name, d, value)

    def bind(self):
        node = self.expr(self.rng.randint(1, 5))
        name = self.fresh() if self.rng.random() < 0.75 else self.variable().text

        def run(env):
            env[name] = node.ev(env)
        self.rebind(name, node.d, self.add(f"{name} = {node.text}", run))

    def value_for(self, x, shape):
        """Something assignable to elements of x of this shape."""
        node = self.variable(lambda n: fit_shapes(n.v.shape, shape))
        if node is None or self.rng.random() < 0.4:
            return Literal(self.rng.choice([0, 1, 1] if x.d == "bool" else [0, 1, 7, 100])) \
                if x.d != "bool" else None
        if self.rng.random() < 0.4:
            node = self.any_unary(node)
        return self.cast(node, x.d)

    def target(self):
        return self.variable(lambda n: n.v.ndim > 0 and n.d != "bool")

    def assign(self):
        x = self.target()
        if x is None:
            return self.bind()
        items, texts = [], []
        for n in x.v.shape[:self.rng.randint(1, x.v.ndim)]:
            if n and self.rng.random() < 0.3:
                i = self.rng.randint(-n, n - 1)
                items.append(i)
                texts.append(str(i))
                continue
            low, high = (self.rng.choice([None, self.rng.randint(-n - 1, n + 1)]) for _ in "ab")
            step = self.rng.choice([None, 1, 2, -1, -2])
            items.append(slice(low, high, step))
            texts.append(f"{'' if low is None else low}:{'' if high is None else high}" +
                         ("" if step is None else f":{step}"))
        items, place = tuple(items), f"{x.text}[{', '.join(texts)}]"
        node = self.value_for(x, x.v[items].shape)
        if node is None:
            return self.bind()
        op = self.rng.choice(["", "", "+", "*", "-"])
        self.assign_to(x, place, node, op, lambda old: items)

    def assign_to(self, x, place, node, op, where):
        name, d = x.text, x.d
        f, c = v.binary(op, d) if op else None, as_dtype(node, d)

        def run(env):
            new, at = env[name].copy(), where(env)
            value = c(node.ev(env))
            new[at] = f(new[at], value) if op else value
            env[name] = new
        self.rebind(name, d, self.add(f"{place} {op}= {node.text}", run))

    def scatter(self):
        x = self.target()
        if x is None or x.v.shape[0] == 0:
            return self.bind()
        n = x.v.shape[0]
        idx = [self.rng.randint(-n, n - 1) for _ in range(self.rng.randint(1, 6))]
        node = self.value_for(x, (len(idx),) + x.v.shape[1:])
        name = x.text
        if node is None:
            return self.bind()
        c = as_dtype(node, x.d)

        def run(env):
            new = env[name].copy()
            value = np.broadcast_to(c(node.ev(env)), (len(idx),) + new.shape[1:])
            for k, i in enumerate(idx): # the last of a place that comes twice wins
                new[i] = value[k]
            env[name] = new
        self.rebind(name, x.d, self.add(f"{name}[{idx}] = {node.text}", run))

    def mask_assign(self):
        x = self.target()
        if x is None:
            return self.bind()
        m = self.binary(self.rng.choice(COMPARE), self.real(x), Literal(self.rng.choice([0, 1, 3])))
        self.assign_to(x, f"{x.text}[{m.text}]", Literal(self.rng.choice([0, 1, 7])),
                       self.rng.choice(["", "+"]), m.ev)

    def loop(self):
        x = self.target()
        if x is None or x.kind() == "c":
            return self.bind()
        name, d, turns = x.text, x.d, self.rng.randint(1, 5)
        i = Variable("i", "int", 0)
        old, self.vars = self.vars, {name: x}
        body = self.expr(self.rng.randint(1, 2))
        self.vars = old
        if body.v.shape != x.v.shape:
            body = x
        body = self.number(self.real(body))
        step = self.cast(self.binary(self.rng.choice("+*-"), body, i), d)
        replay = [step.ev({name: x.v, "i": 0})]
        if replay[0].shape != x.v.shape:
            return self.bind()

        def run(env):
            for k in range(turns):
                env["i"] = k
                env[name] = step.ev(env)
            env.pop("i", None)
        self.rebind(name, d, self.add(f"for i in range({turns}) {{ {name} = {step.text} }}", run))

    def call(self):
        """A function of one argument, called by name or by `|>`."""
        x = self.variable()
        old = self.vars
        self.vars = {"x": Variable("x", x.d, x.v)}
        node = self.expr(self.rng.randint(1, 4))
        self.vars = old
        name = self.fresh()
        use = self.rng.choice([f"({x.text}) |> f{name}", f"f{name}({x.text})", f"f{name}(x={x.text})"])

        def run(env):
            env[name] = node.ev({"x": env[x.text]})
        text = f"fn f{name}(x) = {node.text}\n{name} = {use}"
        self.rebind(name, node.d, self.add(text, run))

    def branch(self):
        """A condition that forces a value while others are pending."""
        x = self.variable()
        c = self.reduction(x)
        if c.v.size != 1:
            return self.bind()
        c = Node(f"any(({c.text}) != 0)", "bool", lambda y: np.asarray(y != 0).any(), c)
        a, b = self.expr(2), self.expr(2)
        if a.d != b.d:
            b = self.cast(b, a.d)
        name = self.fresh()

        def run(env):
            env[name] = (a if c.ev(env) else b).ev(env)
        text = f"if {c.text} {{ {name} = {a.text} }} else {{ {name} = {b.text} }}"
        self.rebind(name, a.d, self.add(text, run))

    # -- as text -----------------------------------------------------------------------------------

    def text(self, number, statements=None):
        lines = [f"fn p{number}(pool) {{"]
        for name, (d, i) in self.inputs.items():
            field = f"pool.{d}_{i}"
            lines.append(f"{name} = bf16({field})" if d == "bf16" else f"{name} = {field}")
        lines += [t for t, _ in (self.statements if statements is None else statements)]
        return "\n".join(lines) + f"\nreturn ({', '.join(self.results)},)\n}}\n"

    def outcome(self, statements=None):
        """What NumPy gives; None where the statements need one that is missing."""
        env = {n: self.pool[d][i] for n, (d, i) in self.inputs.items()}
        try:
            for _, run in self.statements if statements is None else statements:
                run(env)
            return [env[n] for n in self.results]
        except (KeyError, ValueError, IndexError, AssertionError, TypeError):
            return None


def fit_shapes(a, b):
    """Does a broadcast to b?"""
    return len(a) <= len(b) and all(x in (1, y) for x, y in zip(a[::-1], b[::-1]))


# ---- inputs --------------------------------------------------------------------------------------


def make_pool(seed):
    """Arrays of every dtype and many shapes that go together, with nan, inf, zeros and extremes."""
    rng = np.random.default_rng(seed)
    shapes = [(), (1,), (5,), (3, 5), (3, 1), (1, 5), (2, 3, 5), (4, 4), (0,), (0, 5), (3, 5), (5,),
              (7,), (130,), (2, 1, 1, 5), (3, 3), (37, 5), (4200,)]
    pool = {}
    for d in o.ALL:
        pool[d] = []
        for shape in shapes:
            k = o.kind(d)
            if k in "fc":
                x = rng.normal(0, 4, shape)
                flat = x.reshape(-1)
                for at in range(0, flat.size, 4):
                    flat[at] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 2.5, 1e4])
                if k == "c":
                    x = np.where(np.isfinite(x), x, 1) + 1j * rng.normal(0, 4, shape)
                with np.errstate(all="ignore"):
                    x = np.asarray(x).astype(o.NP[d])
                pool[d].append(v.to_bf16(x) if d == "bf16" else x)
            elif k == "b":
                pool[d].append(np.asarray(rng.integers(0, 2, shape)).astype(bool))
            else:
                info = np.iinfo(o.NP[d])
                x = np.asarray(rng.integers(0 if k == "u" else -9, 10, shape)).astype(o.NP[d])
                if x.size > 2:
                    x.reshape(-1)[1], x.reshape(-1)[-1] = info.max, info.min
                pool[d].append(x)
    return pool


# ---- running -------------------------------------------------------------------------------------


def same(got, want):
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    return bool(((got == want) | ((got != got) & (want != want))).all())


def run_batch(arr, programs, pool, args, fuse):
    """What each program gives: a list of (dtype, array), or a text that says why not."""
    with tempfile.TemporaryDirectory() as fold:
        np.savez(os.path.join(fold, "pool.npz"), **{f"{d}_{i}": x for d in o.ALL
                                                   for i, x in enumerate(pool[d])})
        lines = ['pool = load("pool.npz")']
        names = []
        for number, program, statements in programs:
            lines.append(program.text(number, statements))
            outs = [f"r{number}_{k}" for k in range(len(program.results))]
            shown = " ".join(f"{{{x}.dtype}}" for x in outs)
            lines.append(f"r = ()\ntry {{ for turn in range({TURNS}) {{ r = eval(p{number}(pool)) }} }} "
                         f'catch err {{ print("! {number}", err.message) }}\n'
                         f"if len(r) > 0 {{\n{', '.join(outs)}{',' if len(outs) == 1 else ''} = r\n"
                         f'print(f"= {number} {shown}")\n' + "\n".join(
                             f"if {x}.dtype == bf16 {{ {x} = f32({x}) }}" for x in outs) + "\n"
                         f"}} else {{ {' ; '.join(f'{x} = 0' for x in outs)} }}")
            names += outs
        quoted = ", ".join(f'"{x}"' for x in names)
        lines.append(f'save("out.npz", record(zip(({quoted},), ({", ".join(names)},))))')
        rc, out, err = o.run(arr, "\n".join(lines) + "\n", fold, args, {"ARR_FUSE": fuse})
        heads = {}
        for line in out.splitlines():
            if line[:2] in ("! ", "= "):
                mark, number, rest = line.split(" ", 2)
                heads[int(number)] = (mark, rest)
        files = np.load(os.path.join(fold, "out.npz")) if rc == 0 else {}
        result = {}
        for number, program, _ in programs:
            mark, rest = heads.get(number, ("!", f"exit status {rc}: {err[-300:]}"))
            result[number] = rest if mark == "!" or rc else list(zip(
                rest.split(), [files[f"r{number}_{k}"] for k in range(len(program.results))]))
        return result


def differs(result, want, dtypes):
    if isinstance(result, str):
        return result
    for (d, got), x, t, k in zip(result, want, dtypes, range(9)):
        if d != t or not same(got, x):
            return f"result {k}: {d}{list(got.shape)} {got.reshape(-1)[:6]} is not " \
                   f"{t}{list(x.shape)} {x.reshape(-1)[:6]}"
    return None


def shrink(arr, program, pool, args, fuse):
    """As few statements as still differ."""
    kept = list(program.statements)
    for k in range(len(kept) - 1, -1, -1):
        fewer = kept[:k] + kept[k + 1:]
        want = program.outcome(fewer)
        if want is None:
            continue
        dtypes = [program.vars[n].d for n in program.results]
        if any(x.dtype != o.NP[t] for x, t in zip(want, dtypes)):
            continue
        if differs(run_batch(arr, [(0, program, fewer)], pool, args, fuse)[0], want, dtypes):
            kept = fewer
    return program.text(0, kept)


def main():
    arr, args = sys.argv[1], sys.argv[2:]
    n, seed, only = 2000, 1, None
    while args and args[0] in ("--n", "--seed", "--only"):
        value = int(args[1])
        n, seed, only = (value if args[0] == "--n" else n, value if args[0] == "--seed" else seed,
                         value if args[0] == "--only" else only)
        args = args[2:]
    np.seterr(all="ignore")
    score, shown = o.Score(), 0
    numbers = range(n) if only is None else [only]
    for at in range(0, len(numbers), BATCH):
        pool = make_pool(seed)
        programs = [(i, Program(random.Random(seed * 1000003 + i), pool), None)
                    for i in numbers[at:at + BATCH]]
        for fuse in ("1", "0"):
            results = run_batch(arr, programs, pool, args, fuse)
            for i, program, _ in programs:
                want = [program.vars[x].v for x in program.results]
                dtypes = [program.vars[x].d for x in program.results]
                why = differs(results[i], want, dtypes)
                if why and shown < 8:
                    shown += 1
                    text = shrink(arr, program, pool, args, fuse)
                    why = f"{why}\n{text}"
                score.check(why is None, f"programs.py --seed {seed} --only {i} (ARR_FUSE={fuse}): {why}")
    print(f"seed {seed}")
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
