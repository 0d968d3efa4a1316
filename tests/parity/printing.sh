#!/bin/sh
# Random arrays, numbers and format specs, as NumPy and Python write them and as tests/unit/format
# does: printing.sh PYTHON BUILD. Another seed in SEED tries others.
set -eu
seed=${SEED:-7}
{
    "$1" tests/gen/format_array.py "$seed" 2800
    "$1" tests/gen/numtext.py numbers "$seed" 3000
    "$1" tests/gen/numtext.py specs "$seed" 5000
} | "$2/tests/unit/format" -
