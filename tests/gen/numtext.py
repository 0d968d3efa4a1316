"""Number texts and format specs as Python and NumPy write them, for tests/unit/format.c.

    python3 tests/gen/numtext.py numbers SEED COUNT > tests/dump/format/numbers.txt
    python3 tests/gen/numtext.py specs SEED COUNT > tests/dump/format/specs.txt

Cases are drawn at random, but the hard ones are always there: half-way values, the ends of the
ranges, powers of two.
"""

import random
import struct
import sys
from decimal import Decimal, getcontext

import numpy as np

getcontext().prec = 1200


def bits(d):
    return struct.pack(">d", d).hex()


def any_double():
    while True:
        d = struct.unpack(">d", random.randbytes(8))[0]
        if d - d == 0:
            return d


def some_double():
    kind = random.randrange(6)
    if kind == 0:
        return any_double()
    if kind == 1:
        return 2.0 ** random.randint(-1074, 1023)
    if kind == 2:
        return random.randint(0, 2**60) / 2 ** random.randint(0, 40)
    if kind == 3:
        return round(random.uniform(-1000, 1000), random.randint(0, 8))
    if kind == 4:
        return float("%de%d" % (random.randint(0, 10 ** random.randint(1, 17)),
                                random.randint(-330, 290)))
    return struct.unpack(">d", struct.pack(">Q", random.getrandbits(random.randint(1, 52))))[0]


def case(line, expected):
    print(line, expected, "=", sep="\n")


def number():
    d = some_double()
    case("repr f64 " + bits(d), repr(d))
    h, w = random.getrandbits(16), random.getrandbits(32)
    case("repr f16 %x" % h, str(np.frombuffer(struct.pack("<H", h), "<f2")[0]))
    case("repr f32 %x" % w, str(np.frombuffer(struct.pack("<I", w), "<f4")[0]))
    w = int(np.float32(round(random.uniform(0, 100), 3)).view("u4"))
    case("repr f32 %x" % w, str(np.uint32(w).view("f4")))
    t, p = random.choice("eEfFgG"), random.choice([0, 1, 2, 3, 6, 15, 17, 20, 40])
    a = random.random() < 0.3
    if abs(d) < 1e40:
        case("format %s %d %d %s" % (t, p, a, bits(d)), format(abs(d), "#" * a + ".%d" % p + t))
    for text in ("%.*e" % (random.randint(0, 25), d), "%.*f" % (random.randint(0, 25), d)):
        if len(text) < 80:
            case("parse " + text, bits(float(text)))


def hard_numbers():
    for text in """0 -0 1e400 1e-400 inf -inf Infinity 1. .5 4.9e-324 2.4703282292062327e-324
            2.4703282292062328e-324 2.2250738585072011e-308 1.7976931348623158e308
            1.7976931348623159e308 123456789012345678901234567890 9007199254740993 0.1e1 1E5 +2
            9007199254740993.0000000000000000000000000000000001 00001.5000""".split():
        case("parse " + text, bits(float(text)))
    for text in ["", ".", "-", "e5", "1e", "1e+", "1_0", "0x1", " 1", "1 ", "nane", "infi", "--1"]:
        case("parse " + text, "bad")
    for _ in range(60):
        d = abs(any_double())
        half = (Decimal(d) + Decimal(float(np.nextafter(d, np.inf)))) / 2
        text = format(half, "e")
        mantissa, _, exponent = text.partition("e")
        for m in (mantissa, mantissa + "1", mantissa[:20]):
            case("parse " + m + "e" + exponent, bits(float(m + "e" + exponent)))


def spec():
    kind = random.choice(["int", "int", "float", "float", "float", "complex", "str", "bool"])
    types = {"int": "dboxXeEfFgG%", "float": "eEfFgG%", "complex": "eEfFgG", "str": "s",
             "bool": "dx"}[kind]
    fill = random.choice(["", "", "", "*", "é", "0", " "])
    align = random.choice("<>^=") if fill or random.random() < 0.3 else ""
    text = (fill if align else "") + align
    text += random.choice(["", "", "", "+", "-", " "]) + random.choice(["", "", "", "#"])
    text += random.choice(["", "", "0"]) + random.choice(["", "", "1", "7", "12", "25"])
    text += random.choice(["", "", "", ",", "_"])
    text += random.choice(["", "", ".0", ".1", ".3", ".10", ".17"])
    text += random.choice(["", types[random.randrange(len(types))], random.choice("dboxXeEfFgG%s")])
    if kind == "int":
        value = random.choice([0, 1, -1, random.randint(-10**6, 10**6), -(2**63), 2**64 - 1,
                               random.randint(-2**63, 2**63)])
    elif kind == "float":
        value = random.choice([0.0, -0.0, 1.0, float("inf"), float("-inf"), float("nan"), 0.5, 1e16,
                               123456.789, 9.995, some_double(), some_double(), 1e22, 99.5, 0.0001])
        if abs(value) > 1e60 and value - value == 0:
            value = 1 / 3
    elif kind == "complex":
        value = complex(random.choice([0.0, -0.0, 1.0, -2.5, 1e20, float("nan")]),
                        random.choice([0.0, 1.0, -2.5, 1234.5, float("inf")]))
    elif kind == "bool":
        value = random.random() < 0.5
    else:
        value = random.choice(["", "abc", "größer", "日本語テキスト", "a b", "0123456789"])
    try:
        expected = format(value, text)
    except ValueError:
        expected = "error"
    expected = expected.replace("True", "true").replace("False", "false")
    if "{" in text or "|" in text:
        return
    shown = str(value).lower() if kind == "bool" else str(value)
    case("spec %s:%s|%s" % (kind, text, shown), expected)


def main():
    what, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    random.seed(seed)
    np.seterr(all="ignore")
    if what == "numbers":
        hard_numbers()
    for _ in range(count):
        number() if what == "numbers" else spec()


main()
