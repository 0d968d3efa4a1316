#!/bin/sh
# Installs what building Arr needs on Debian 12 or Ubuntu 24.04; `setup.sh test` also what the tests
# need. Where everything is there already, nothing is installed and no rights are needed.
set -eu
cd "$(dirname "$0")"

# What building needs: compiler, make, the lexer and parser generators, line editing, vector math,
# and the matrix products' library (opened when the first product runs).
packages="gcc libc6-dev make re2c lemon libreadline-dev libsleef-dev libopenblas0-pthread"
# What the tests need beside: the oracle's Python, a second compiler, the checkers.
test_packages="python3 python3-venv clang clang-format cppcheck"
numpy_oldest=2.3

have() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

missing() {
    for p; do have "$p" || printf '%s ' "$p"; done
}

elsewhere() {
    echo "This is not Debian or Ubuntu. Install the counterparts of these packages, then go on:" >&2
    echo "  $*" >&2
    exit 1
}

install() {
    command -v apt-get >/dev/null || elsewhere "$@"
    as_root=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || {
            echo "setup: root or sudo is needed to install: $*" >&2
            exit 1
        }
        as_root=sudo
    fi
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

new_enough() {
    "$1" - "$numpy_oldest" 2>/dev/null <<'PY'
import sys, numpy
at = lambda v: tuple(int(x) for x in v.split(".")[:2])
sys.exit(at(numpy.__version__) < at(sys.argv[1]))
PY
}

wanted=$packages
[ "${1:-}" != test ] || wanted="$packages $test_packages"
if command -v dpkg-query >/dev/null; then
    # shellcheck disable=SC2086
    lacking=$(missing $wanted)
    # shellcheck disable=SC2086
    [ -z "$lacking" ] || install $lacking
else
    command -v re2c >/dev/null && command -v lemon >/dev/null || elsewhere "$wanted"
fi

# The oracle: NumPy in a virtual environment of the tree's own.
if [ "${1:-}" = test ] && ! new_enough build/venv/bin/python; then
    mkdir -p build
    python3 -m venv --clear build/venv
    build/venv/bin/python -m pip install --quiet --disable-pip-version-check \
        "numpy>=$numpy_oldest"
    new_enough build/venv/bin/python
fi
echo "setup: everything is here"
