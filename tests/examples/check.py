"""Runs examples/*.arr and compares what they print with NumPy's figures (oracle.py).
Usage: check.py ARR [options for arr]. Last line: "N passed, N failed, N skipped"."""
import contextlib
import glob
import io
import os
import subprocess
import sys

import oracle

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def expected(name):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        getattr(oracle, name)()
    return out.getvalue()


def main():
    arr, options = os.path.abspath(sys.argv[1]), sys.argv[2:]
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(EXAMPLES, "*.arr"))):
        name = os.path.splitext(os.path.basename(path))[0]
        run = subprocess.run([arr, *options, name + ".arr"], cwd=EXAMPLES, capture_output=True,
                             text=True, timeout=300)
        lines = [line.rstrip() for line in run.stdout.splitlines()]
        wanted = [line.rstrip() for line in expected(name).splitlines()]
        if run.returncode == 0 and lines == wanted:
            passed += 1
            continue
        failed += 1
        print(f"examples/{name}.arr: exit status {run.returncode} {run.stderr}")
        for a, b in zip(lines + [""] * len(wanted), wanted):
            if a != b:
                print(f"  expected: {b}\n  actual:   {a}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
