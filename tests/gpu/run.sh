#!/bin/sh
# Everything that needs a real GPU, in one call of less than eight minutes; a short table comes last.
# From the root: sh tests/gpu/run.sh [FOLDER]; FOLDER holds arr, tests/run, tests/unit/kernels_cuda
# (build, or build/gpu made by pack.sh). Logs go to $OUT where it is set.
#
#   parts     examples  tests by example on the CUDA backend
#             kernels   random kernel programs and native kernels, CPU against CUDA; cuRAND, cuBLAS
#             memcheck  the same, fewer, under compute-sanitizer
#             numpy     ops and random programs against NumPy on the CUDA backend
#             api       C hosts: interruption, several states
#             speed     what is promised (promises.arr), every goal (tests/bench/gpu.arr), starts
set -u
LC_ALL=C.UTF-8
export LC_ALL
bin=${1:-build/gpu}
[ -x "$bin/arr" ] || bin=build
out=${OUT:-build/gpu-out}
mkdir -p "$out"
[ -d "$bin/lib" ] && export LD_LIBRARY_PATH="$bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
for v in $(env | sed -n 's/^\(ARR_[A-Z_]*\)=.*/\1/p'); do unset "$v"; done
ARR_CACHE_DIR=$out/cache
export ARR_CACHE_DIR
unset OPENBLAS_CORETYPE
table=$out/table
: > "$table"
begun=$(date +%s)

# part NAME SECONDS COMMAND...: keeps the log, puts the closing line into the table.
part() {
    name=$1 limit=$2
    shift 2
    t0=$(date +%s)
    timeout "$limit" "$@" > "$out/$name.log" 2>&1
    rc=$?
    last=$(tail -n 1 "$out/$name.log")
    [ $rc = 124 ] && last="stopped after $limit s; last line: $last"
    printf '%-10s rc %3d %4d s  %s\n' "$name" $rc $(($(date +%s) - t0)) "$last" >> "$table"
    [ $rc = 0 ] || sed '$d' "$out/$name.log" | tail -n "${SHOW:-25}"
}

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>&1 | head -n 1
"$bin/arr" --version

jobs=$(getconf _NPROCESSORS_ONLN)
[ "$jobs" -gt 8 ] && jobs=8
part kernels 100 "$bin/tests/unit/kernels_cuda" 150 11 cuda
part examples 150 "$bin/tests/run" --jobs "$jobs" --device cuda --tmp "$out/tmp"
if command -v compute-sanitizer > /dev/null; then
    SHOW=40 part memcheck 70 compute-sanitizer --tool memcheck --error-exitcode 9 \
        "$bin/tests/unit/kernels_cuda" 12 5 cuda small
fi
for t in interrupt states; do
    [ -x "$bin/tests/api/$t" ] && ARR_DEVICE=cuda part "api-$t" 30 "$bin/tests/api/$t"
done
python=${ARR_TEST_PYTHON:-python3}
if $python -c 'import numpy' 2> /dev/null; then
    part numpy-ops 60 $python tests/parity/ops.py "$bin/arr" --device cuda
    part numpy-random 60 $python tests/parity/random_programs.py "$bin/arr" --device cuda
fi

echo "--- speed"
timeout 60 "$bin/arr" --device cuda tests/gpu/promises.arr 2>&1 | tee "$out/promises.log"
timeout 100 "$bin/arr" --device cuda tests/bench/gpu.arr 2>&1 | tee "$out/goals.log"
# the first process compiles, the others find the kernels on disk
for i in 1 2 3 4; do
    t0=$(date +%s%N)
    "$bin/arr" --device cuda -e 'print(sum(sqrt(rand(2000, 2000, f32)) + 1.25))' > "$out/start.log" 2>&1
    printf 'process that prints one GPU result, run %d: %d ms (bound 400 from the second on)\n' $i \
        $((($(date +%s%N) - t0) / 1000000))
done
t0=$(date +%s%N)
"$bin/arr" --device cpu -e '1 + 1' > /dev/null
printf 'process on the CPU: %d ms (bound 20)\n' $((($(date +%s%N) - t0) / 1000000))

echo "--- table ($(($(date +%s) - begun)) s)"
cat "$table"
! grep -qv 'rc   0' "$table"
