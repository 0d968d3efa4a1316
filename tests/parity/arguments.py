"""Wrong arguments of every builtin: refused, in the name of the function and of the parameter.

    arguments.py ARR [--only TEXT] [options for arr]

CALLS has one right call of each builtin, all parameters given. Each argument is replaced in turn by
values of other kinds, dtypes, shapes and ranges; there are too few and too many arguments, and one
of an unknown name; all by name give what they give by place. A value of a kind that can't be meant must be refused (ACCEPTS lists the others),
with an error of a kind that programs can tell apart, which names the function and the parameter;
nothing may end the program. Elementwise ops are taken from help(). Last line: "N passed, N failed,
N skipped", skipped being builtins that have no call here."""
import re
import sys
import tempfile

import oracle as o

BATCH = 1000
SETUP = """A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
V = [1.0, 2.0, 3.0]
I = [1, 2, 0]
fn same(f, g) {
    seed(1)
    x = repr(f())
    seed(1)
    if repr(g()) != x { error("by name it is " + x) }
}
"""
CALLS = '''
array([1, 2], f32, 2)
zeros(2, 3)
ones(2)
full((2, 3), 1.5, f32)
empty(2)
zeros_like(V, f32, 2)
ones_like(V, f32, 2)
full_like(V, 2, f64, 2)
empty_like(V, f32, 2)
arange(1, 5, 2, f32)
linspace(0, 1, 5, true, false, f32, 0)
logspace(0, 1, 5, true, 10.0, f32, 0)
geomspace(1, 8, 4, true, f32, 0)
eye(2, 3, 1, f32)
identity(2, f32)
diag(V, 1)
tri(2, 3, 1, f32)
tril(A, 1)
triu(A, 1)
tril_indices(3, 1, 4)
triu_indices(3, 1, 4)
fill_diagonal(A, 5.0, false)
meshgrid(V, V)
indices((2, 3), f32, false)
copy(V)
seed(1)
rand(2, 3)
randn(2, 3)
randint(0, 5, 3, i32)
uniform(0.0, 1.0, 3, f32)
normal(0.0, 1.0, 3, f32)
exponential(1.0, 3, f32)
permutation(V, 0)
shuffle(V, 0)
choice(V, 2, true, [0.25, 0.25, 0.5], 0)
bernoulli(0.5, 3, bool)
multinomial(5, [0.5, 0.5], 3)
round(V, 1)
angle(V, true)
divmod(V, 2)
clip(V, 1, 2)
lerp(V, V, 0.5)
nan_to_num(V, 0.0, 1.0, 2.0)
bitcast(V, i64)
polyval(V, V)
sigmoid(V)
relu(V)
gelu(V, "none")
silu(V)
softplus(V)
pow(V, 2)
sum(A, 0, f64, false, 1.0, true)
prod(A, 0, f64, false, 1.0, true)
min(A, axis=0, keepdims=false, where=true, initial=1.0)
max(A, axis=0, keepdims=false, where=true, initial=1.0)
mean(A, 0, f64, false, true)
var(A, 0, f64, 0, false, true, [[1.0, 2.0, 3.0]], 0)
std(A, 0, f64, 0, false, true, [[1.0, 2.0, 3.0]], 0)
any(A, 0, false, true)
all(A, 0, false, true)
argmin(A, 0, false, true)
argmax(A, 0, false, true)
count_nonzero(A, 0, false, true)
norm(A, 2, 0, false)
logsumexp(A, 0, 1.0, false, false, true)
median(A, 0, false)
quantile(A, 0.5, 0, "inverted_cdf", false, A)
percentile(A, 50, 0, "inverted_cdf", false, A)
ptp(A, 0, false, true)
average(A, 0, [1, 2], false, false)
cov(A, A, true, false, 1, [1, 2, 3], [1, 2, 3], f64)
corrcoef(A, A, true, f64)
nansum(A, 0, f64, false, 1.0, true)
nanmean(A, 0, f64, false, true)
nanmin(A, 0, false, 1.0, true)
nanmax(A, 0, false, 1.0, true)
nanvar(A, 0, f64, 0, false, true, [[1.0, 2.0, 3.0]], 0)
nanstd(A, 0, f64, 0, false, true, [[1.0, 2.0, 3.0]], 0)
nanmedian(A, 0, false)
softmax(A, 0)
log_softmax(A, 0)
layer_norm(A, -1, 1e-5, V, V)
cumsum(A, 0, f64)
cumprod(A, 0, f64)
cummax(A, 0)
cummin(A, 0)
diff(A, 1, 0, 1.0, 2.0)
gradient(V, 2.0, axis=0, edge_order=1)
trapezoid(V, V, 1.0, -1)
segment_sum(V, [0, 2, 3])
segment_min(V, [0, 2, 3])
segment_max(V, [0, 2, 3])
reshape(A, (3, 2), order="C")
ravel(A, "C")
flatten(A, "C")
transpose(A, 1, 0)
swapaxes(A, 0, 1)
moveaxis(A, 0, 1)
expand_dims(A, 0)
squeeze([[1.0]], 0)
broadcast_to(V, 2, 3)
concat((V, V), 0, f32)
stack((V, V), 0, f32)
vstack((V, V), f32)
hstack((V, V), f32)
split(V, 3, 0)
tile(V, 2)
repeat(V, 2, 0)
flip(A, 0)
roll(A, 1, 0)
rot90(A, 1, (0, 1))
pad(V, 1, "constant", 0)
take(V, I, 0, "raise")
take_along_axis(V, I, 0)
put_along_axis(V, I, V, 0)
add_at(V, I, V)
min_at(V, I, V)
max_at(V, I, V)
sliding_window(V, 2, 0, 1)
atleast_1d(V)
unravel_index(I, (2, 2), "C")
ravel_multi_index((I, I), (3, 3), "raise", "C")
sort(A, 0, false)
argsort(A, 0, false)
lexsort((V, V), 0)
topk(V, 2, 0, true)
unique(V, false, false, false, none, true)
searchsorted(V, V, "left", I)
nonzero(V)
flatnonzero(V)
argwhere(V)
isin(V, V, false, false)
union1d(V, V)
intersect1d(V, V, false, false)
setdiff1d(V, V, false)
bincount(I, V, 3)
histogram(V, 3, (0, 4), false, V)
digitize(V, V, false)
interp(V, V, V, 0.0, 1.0, 4.0)
allclose(V, V, 1e-5, 1e-8, false)
isclose(V, V, 1e-5, 1e-8, false)
array_equal(V, V, false)
matmul(A, V)
dot(A, V)
vdot(V, V)
inner(V, V)
outer(V, V)
tensordot(A, V, 1)
einsum("ij,j->i", A, V)
kron(V, V)
trace(A, 0, 0, 1, f64)
cross(V, V, -1, -1, -1, none)
matrix_power(eye(2), 2)
exists("x")
print("", sep="", end="")
format(1.5, ".2f")
str(V)
repr(V)
len(V)
int(2.5)
float(2)
complex(1, 2)
range(0, 3, 1)
slice(0, 3, 1)
record(x=1)
fields(record(x=1))
zip(V, V)
enumerate(V, 1)
map(abs, V)
filter(isnan, V)
sorted(V, abs, false)
kind(V)
error("x", "user")
bytes("abc")
join(",", ("a", "b"))
strip("abc", "a")
replace("abc", "a", "b")
find("abc", "a")
upper("abc")
lower("abc")
startswith("abc", "a")
endswith("abc", "a")
time()
clock()
sleep(0)
bench(time, 1)
device("cpu")
devices()
to(V, "cpu")
sync()
mem()
eval(V)
explain(V)
set_default_float(f64)
save("x.npy", V)
'''
# kinds that stand for nothing an array function takes
NEVER = ['"text"', "print", '(1, "a")', "record(x=1)", "none", "f32"]
# other dtypes, shapes and ranges: accepted or refused, but never in another's name
OTHERS = ["[1j]", "-99", "99", "1.5", "[[1, 2], [3, 4], [5, 6], [7, 8]]", "true", "nan", "range(3)",
          "zeros(0)", "()", "u64(3)", "f16(1.5)", "[[[[[1.0]]]]]", "2 ** 62", "-inf", "bf16([1.0, 2.0])"]
DTYPED = {"f32"}  # a dtype may stand for any option before dtype=
TEXTS = {'"text"'}
ANY = set(NEVER)
# what of NEVER a parameter takes; "*" for all functions, by the parameter's name
ACCEPTS = {
    "*": {"dtype": {"f32", "none"}, "where": {"none"}, "shape": {"f32"}},
    "print": {"values": ANY, "sep": TEXTS, "end": TEXTS}, "kind": {"x": ANY}, "repr": {"x": ANY}, "str": {"x": ANY},
    "format": {"x": ANY}, "error": {"message": ANY}, "eval": {"values": ANY}, "record": {"x": ANY},
    "zip": {"values": {'"text"', '(1, "a")'}}, "enumerate": {"x": {'"text"', '(1, "a")'}},
    "map": {"f": {"print", "f32"}, "values": {"record(x=1)"}}, "filter": {"f": {"print", "f32"}},
    "sorted": {"x": {'"text"'}, "key": {"f32"}}, "bench": {"f": {"print"}},
    "len": {"x": {'"text"', '(1, "a")', "record(x=1)"}}, "fields": {"r": {"record(x=1)"}},
    "slice": {"lo": {"none"}, "hi": {"none"}}, "bytes": {"x": TEXTS},
    "diff": {"prepend": {"none"}, "append": {"none"}}, "arange": {"stop": {"none"}},
    "join": {"sep": TEXTS}, "strip": {"s": TEXTS, "chars": TEXTS}, "find": {"s": TEXTS, "sub": TEXTS},
    "replace": {"s": TEXTS, "old": TEXTS, "new": TEXTS}, "upper": {"s": TEXTS}, "lower": {"s": TEXTS},
    "startswith": {"s": TEXTS, "prefix": TEXTS}, "endswith": {"s": TEXTS, "suffix": TEXTS},
    "exists": {"path": TEXTS}, "save": {"path": TEXTS},
    "concat": {"axis": {"none"}}, "take_along_axis": {"axis": {"none"}}, "sort": {"axis": {"none"}},
    "argsort": {"axis": {"none"}}, "layer_norm": {"axis": {"none"}},
    "set_default_float": {"dtype": {"f32"}}, "split": {"x": TEXTS},
}
# refused for what is said of another parameter, or of none
ELSEWHERE = {
    ("zeros", "dtype"), ("rand", "dtype"), ("randn", "dtype"), ("meshgrid", "indexing"), ("norm", "axis"),
    ("average", "axis"), ("split", "x"), ("split", "indices_or_sections"), ("complex", "re"),
    ("complex", "im"), ("device", "name"), ("map", "values"), ("filter", "x"), ("sorted", "key"),
    ("map", "f"), ("filter", "f"), ("bench", "f"), ("array", "object"), ("polyval", "p"),
    ("eval", "values"), ("zip", "values"), ("error", "message"), ("explain", "values"), ("sorted", "x"),
    ("enumerate", "x"), ("format", "spec"),
}
NO_END = {"zeros", "ones", "empty", "rand", "randn", "meshgrid", "einsum", "print", "zip", "map", "eval",
          "explain", "gradient", "record", "transpose", "min", "max", "broadcast_to", "reshape", "atleast_1d"}
KINDS = {"type", "dtype", "shape", "value", "argument", "index", "limit", "device", "name", "memory"}
ALONE = {"exit", "load", "cuda_kernel", "help"}  # end the program, or need a file


def split_args(s):
    out, depth, quoted, cur = [], 0, False, ""
    for ch in s:
        quoted ^= ch == '"'
        depth += 0 if quoted else (ch in "([{") - (ch in ")]}")
        if ch == "," and depth == 0 and not quoted:
            out.append(cur.strip())
            cur = ""
        else:
            cur += ch
    return out + [cur.strip()] if cur.strip() else out


def signatures(arr, names):
    """name -> its parameters, in order."""
    program = "".join(f"help({n})\nprint(\"--\")\n" for n in names)
    with tempfile.TemporaryDirectory() as d:
        rc, out, err = o.run(arr, program, d)
    if rc:
        sys.exit(f"arguments.py: help: {err}")
    found = {}
    for n, text in zip(names, out.split("--\n")):
        head = text.splitlines()[0]
        params = split_args(head[head.index("(") + 1:head.rindex(")")])
        found[n] = [re.match(r"\w+", p)[0] for p in params], head
    return found


def builtins(arr):
    with tempfile.TemporaryDirectory() as d:
        out = o.run(arr, "help()", d)[1]
    return out[:out.rindex("help(name)")].split()


class Call:
    def __init__(self, fn, args, what, param=None, value=None):
        self.fn, self.what, self.param, self.value = fn, what, param, value
        self.text = f"{fn}({', '.join(args)})"

    def accepts(self):
        both = [ACCEPTS["*"], ACCEPTS.get(self.fn, {})]
        return any(self.value in d.get(self.param, ()) for d in both)

    def wrong(self, answer, default):
        """What is wrong with the answer, None for nothing."""
        if answer is None:
            return "no answer"
        if answer.startswith("ok"):
            fine = {"right": True, "named": True, "none": default, "many": self.fn in NO_END, "unknown": False,
                    "value": self.value not in NEVER or self.accepts() or
                    self.value == "none" and default}[self.what]
            return None if fine or self.fn == "record" else f"gives {answer[2:]}"
        kind, message = answer[2:].split(" ", 1)
        if self.fn == "error" and kind == "user":
            return None
        if kind not in KINDS and self.what != "named":
            return f"an error of kind {kind}: {message}"
        if self.what in ("right", "named"):
            return f"{kind}: {message}"
        late = re.match(r"index -?\d+ is out of range for axis", message)  # found when the work runs
        if not late and not re.search(rf"\b{self.fn}\b", message):
            return f"does not name the function: {message}"
        if self.what == "value" and self.value in NEVER and not self.named(message):
            return f"does not name {self.param}: {message}"
        return None

    def named(self, message):
        stem = re.sub("s$", "", self.param)
        return self.one or (self.fn, self.param) in ELSEWHERE or re.search(rf"\b{stem}s?\b", message) or \
            self.value in DTYPED and "dtype is given twice" in message


def calls_of(fn, args, params, rest):
    yield Call(fn, args, "right")
    for k, a in enumerate(args):
        m = re.match(r"(\w+)=", a)
        name = m[1] if m else params[min(k, len(params) - 1)]
        for v in NEVER + OTHERS:
            if fn == "sleep" and v in ("99", "2 ** 62") or fn == "device":
                continue
            yield Call(fn, args[:k] + [f"{name}={v}" if m else v] + args[k + 1:], "value", name, v)
    if args:
        yield Call(fn, [], "none")
    plain = [a for a in args if not re.match(r"\w+=", a)]
    yield Call(fn, plain + ["1"] * 12, "many")
    yield Call(fn, args + ["zzz=1"], "unknown")
    if not rest and fn not in ("time", "clock", "mem", "sleep", "bench", "error"):
        named = [a if re.match(r"\w+=", a) else f"{p}={a}" for p, a in zip(params, args)]
        c = Call(fn, named, "named")
        c.text = f"same(fn() = {c.text}, fn() = {fn}({', '.join(args)}))"
        yield c


def main():
    arr, args = sys.argv[1], sys.argv[2:]
    only = None
    if args and args[0] == "--only":
        only, args = args[1], args[2:]
    score = o.Score()
    table = dict(line.split("(", 1) for line in CALLS.strip().splitlines())
    names = builtins(arr)
    sigs = signatures(arr, [n for n in names if n not in ALONE])
    for n, (params, head) in sigs.items():
        if n not in table and re.fullmatch(r"\w+\((x|x, y|x, y, z)\)", head):
            given = "I" if n in ("gcd", "lcm", "popcount") else "V"
            table[n] = ", ".join([given] * len(params)) + ")"
    score.skipped = len([n for n in sigs if n not in table])
    every = []
    for fn, rest in table.items():
        params, head = sigs[fn]
        for c in calls_of(fn, split_args(rest[:-1]), params, "..." in head):
            if only is None or only in c.text:
                c.one = len(params) == 1
                every.append((c, head))
    lines = [f'try {{ r = {c.text}; eval(r); print("\\n@{i} ok", repr(r)) }} '
             f'catch err {{ print("\\n@{i} !", err.kind, err.message) }}\n' for i, (c, _) in enumerate(every)]
    answers = {}
    for at in range(0, len(lines), BATCH):
        with tempfile.TemporaryDirectory() as d:
            rc, out, err = o.run(arr, SETUP + "".join(lines[at:at + BATCH]), d, args)
        score.check(rc == 0, f"arguments.py: exit status {rc}: {err[-500:]}")
        answers |= {int(m[1]): m[2] for m in re.finditer(r"^@(\d+) (.*)$", out, re.M)}
    for i, (c, head) in enumerate(every):
        default = {"value": bool(re.search(rf"\b{c.param}=(none)?[,)]", head)),
                   "none": not re.search(r"\((?!\w+=)(?!\w+\.\.\.)\w", head)}.get(c.what, False)
        why = c.wrong(answers.get(i), default)
        score.check(why is None, f"arguments.py: {c.text}: {why}")
    return score.finish()


if __name__ == "__main__":
    sys.exit(main())
