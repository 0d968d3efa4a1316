#!/bin/sh
# Speed: run.sh cpu compares with NumPy in one run; run.sh gpu with CuPy, PyTorch and JAX, where they
# can be imported, and against the goals for one H200.
# A quiet machine is wanted; figures are medians in milliseconds unless a row says otherwise.
set -eu
cd "$(dirname "$0")/../.."
unset OPENBLAS_CORETYPE
python=build/venv/bin/python
[ -x $python ] || python=${ARR_TEST_PYTHON:-python3}
case $1 in
cpu) exec $python tests/bench/cpu.py build/arr ;;
gpu)
    ${ARR_TEST_PYTHON:-python3} tests/bench/gpu.py build/arr
    # A whole process with a warm kernel cache, best of three.
    for i in 1 2 3; do
        begun=$(date +%s%N)
        build/arr --device cuda -e 'print(sum(sqrt(rand(2000, 2000, f32))))' > /dev/null
        echo "process that prints one GPU result: $((($(date +%s%N) - begun) / 1000000)) ms (goal 330)"
    done
    ;;
*)
    echo "usage: run.sh cpu|gpu" >&2
    exit 2
    ;;
esac
