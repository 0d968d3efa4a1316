"""f-strings against Python's format: random values with random specs.
Usage: format_spec.py ARR. Last line: "N passed, N failed, N skipped".

A spec that Python refuses must be refused here too."""
import random
import subprocess
import sys
import tempfile

SEED, COUNT = 20250101, 6000
# as a program writes them
VALUES = ["0", "5", "-7", "255", "1234567", "-9223372036854775808", "0.0", "-0.0", "1.5", "-2.5",
          "0.1", "123456.789", "1e16", "1e-5", "1e300", "5e-324", "inf", "-inf", "nan", "99.995",
          "9.5", "0.5", "1e22", "12345678.9", '"abc"', '"h\u00e9\u00e9"', '""', "true", "(2+3j)",
          "1.5j"]


def python_value(text):
    return eval(text, {"inf": float("inf"), "nan": float("nan"), "true": True})


def random_spec(rng):
    pick = lambda p, words: str(rng.choice(words)) if rng.random() < p else ""
    spec = ""
    if rng.random() < 0.4:
        spec = pick(0.6, "*0\u00e9 x<=") + rng.choice("<>^=")
    spec += pick(0.3, "+- ") + pick(0.2, "#") + pick(0.2, "0") + pick(0.5, [1, 3, 7, 10, 20])
    spec += pick(0.25, ",_") + pick(0.4, [".0", ".1", ".2", ".3", ".7", ".17"])
    return spec + pick(0.8, "dxboefg%sXEGF")


def expected(value, spec):
    try:
        return "=" + format(value, spec) + "|"
    except ValueError:
        return "refused"


def main():
    rng = random.Random(SEED)
    cases = []
    while len(cases) < COUNT:
        text, spec = rng.choice(VALUES), random_spec(rng)
        if text != "true" or spec:  # without a spec a boolean is spelt as Arr spells it
            cases.append((text, spec, expected(python_value(text), spec)))
    with tempfile.NamedTemporaryFile("w", suffix=".arr", encoding="utf-8") as f:
        for text, spec, _ in cases:
            f.write('try { print(f"={%s:%s}|") } catch e { print("refused") }\n' % (text, spec))
        f.flush()
        run = subprocess.run([sys.argv[1], "--device", "cpu", f.name], capture_output=True,
                             encoding="utf-8")
    got = run.stdout.split("\n")
    failed = 0
    for i, (text, spec, want) in enumerate(cases):
        if i < len(got) and got[i] == want:
            continue
        failed += 1
        if failed <= 20:
            print(f"FAIL {text} with '{spec}': {got[i] if i < len(got) else run.stderr!r}, "
                  f"Python: {want}")
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return failed > 0


sys.exit(main())
