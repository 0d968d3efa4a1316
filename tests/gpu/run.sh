#!/bin/sh
# Everything that needs a real GPU; a short table comes last. Name parts where a call is bounded: all of
# them take some fifteen minutes.
#
#   sh tests/gpu/run.sh [FOLDER [PART...]]      from the root
#
# FOLDER holds arr, tests/run and the unit tests kernels_cuda and runtime: build, or build/gpu made by pack.sh (taken
# where it exists). Logs go to $OUT where it is set. Parts, all unless named:
#
#   kernels   random kernel programs and native kernels, CPU against CUDA; cuRAND, cuBLAS; graphs;
#             the C API's memory of the GPU
#   speed     what is promised (promises.arr), every row of tests/bench/gpu.arr, starts
#   examples  tests by example on the CUDA backend
#   lanes     graphs with much that is independent, overlapping and one after another
#   memcheck  kernels, fewer, under compute-sanitizer
#   interrupt Ctrl-C in the middle of GPU work
#   precision errors of products at every matmul_precision
#   files     a user's own kernel; large arrays saved and loaded, with rates
#   real      the examples on real data
#   numpy     indexing, builtins, random programs and ops against NumPy on the CUDA backend, each at
#             most NUMPY_SECONDS (150)
set -u
LC_ALL=C.UTF-8
export LC_ALL
bin=${1:-build/gpu}
[ $# -gt 0 ] && shift
parts=${*:-kernels speed examples lanes memcheck interrupt precision files real numpy}
[ -x "$bin/arr" ] || bin=build
out=${OUT:-build/gpu-out}
mkdir -p "$out"
[ -d "$bin/lib" ] && export LD_LIBRARY_PATH="$bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
for v in $(env | sed -n 's/^\(ARR_[A-Z_]*\)=.*/\1/p'); do unset "$v"; done
unset OPENBLAS_CORETYPE
ARR_CACHE_DIR=$(mktemp -d) # not in $out: compiled kernels are of no use elsewhere
export ARR_CACHE_DIR
trap 'rm -rf "$ARR_CACHE_DIR"' EXIT
table=$out/table
: > "$table"
begun=$(date +%s)
python=${ARR_TEST_PYTHON:-python3}
jobs=$(getconf _NPROCESSORS_ONLN)
[ "$jobs" -gt 8 ] && jobs=8

wanted() { case " $parts " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

# part NAME SECONDS COMMAND...: keeps the log, shows its end if it failed, its last line in the table.
part() {
    name=$1 limit=$2
    shift 2
    t0=$(date +%s)
    timeout "$limit" "$@" > "$out/$name.log" 2>&1
    rc=$?
    last=$(tail -n 1 "$out/$name.log")
    [ $rc = 124 ] && last="stopped after $limit s; last line: $last"
    printf '%-12s rc %3d %4d s  %s\n' "$name" $rc $(($(date +%s) - t0)) "$last" >> "$table"
    [ $rc = 0 ] || { echo "--- $name"; sed '$d' "$out/$name.log" | tail -n "${SHOW:-25}"; }
}

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>&1 | head -n 1
"$bin/arr" --version

wanted kernels && part kernels 100 "$bin/tests/unit/kernels_cuda" 150 11 cuda
wanted kernels && part runtime 100 "$bin/tests/unit/runtime" 1 50 cuda
wanted kernels && part api 60 "$bin/tests/api/cuda"

if wanted speed; then
    echo "--- speed"
    timeout 90 "$bin/arr" --device cuda tests/gpu/promises.arr 2>&1 | tee "$out/promises.log"
    timeout 120 $python tests/bench/gpu.py "$bin/arr" --peers "${PEERS:-}" 2>&1 | tee "$out/goals.log"
    # the first process compiles, the others find the kernels on disk
    for i in 1 2 3 4; do
        t0=$(date +%s%N)
        "$bin/arr" --device cuda -e 'print(sum(sqrt(rand(2000, 2000, f32)) + 1.25))' \
            > "$out/start.log" 2>&1 || cat "$out/start.log"
        printf 'process that prints one GPU result, run %d: %d ms (bound 400 from the second on)\n' \
            $i $((($(date +%s%N) - t0) / 1000000))
    done
    t0=$(date +%s%N)
    "$bin/arr" --device cpu -e '1 + 1' > /dev/null
    printf 'process on the CPU: %d ms (bound 20)\n' $((($(date +%s%N) - t0) / 1000000))
fi

wanted examples && part examples 150 "$bin/tests/run" --jobs "$jobs" --device cuda --tmp "$out/tmp"
# independent work that overlaps gives what work in a row gives
if wanted lanes; then
    for s in 1 0 2; do
        ARR_STREAMS=$s timeout 60 "$bin/arr" --device cuda tests/gpu/lanes.arr 40 400 > "$out/lanes.$s"
    done
    part lanes 5 cmp "$out/lanes.1" "$out/lanes.0"
    part lanes-all 5 cmp "$out/lanes.1" "$out/lanes.2"
fi
if wanted memcheck && command -v compute-sanitizer > /dev/null; then
    SHOW=40 part memcheck 90 compute-sanitizer --target-processes application-only --tool memcheck \
        --error-exitcode 9 \
        "$bin/tests/unit/kernels_cuda" 12 5 cuda small
fi
if wanted interrupt; then
    # Ctrl-C after 4 s: the status of a script's error, soon (the rest is the driver's end)
    for program in 'while true { x = eval(rand(2 ** 28, f32)) }' \
        'x = rand(2 ** 26, f32); for i in range(10 ** 6) { x = sqrt(x * x + 1) }; print(sum(x))'; do
        t0=$(date +%s%N)
        timeout -s INT -k 20 4 "$bin/arr" --device cuda -e "$program" > "$out/interrupt.log" 2>&1
        printf 'interrupted after 4000 ms, ended after %d ms, says: %s\n' \
            $((($(date +%s%N) - t0) / 1000000)) "$(head -n 1 "$out/interrupt.log")"
    done
fi
wanted precision && part precision 60 "$bin/arr" --device cuda tests/gpu/precision.arr
wanted files && part user 30 "$bin/arr" --device cuda tests/gpu/user_kernel.arr
if wanted files; then
    part files 60 "$bin/arr" --device cuda tests/gpu/files.arr "$ARR_CACHE_DIR"
    cat "$out/files.log"
    rm -f "$ARR_CACHE_DIR"/arr-pieces.*
fi
if $python -c 'import numpy' 2> /dev/null; then
    wanted real && part real 60 $python tests/examples/check.py "$bin/arr" --device cuda
    for t in indexing builtins random_programs ops; do
        wanted numpy && part "numpy-$t" "${NUMPY_SECONDS:-150}" \
            $python tests/parity/$t.py "$bin/arr" --device cuda
    done
fi

echo "--- table ($(($(date +%s) - begun)) s)"
cat "$table"
! grep -qv 'rc   0' "$table"
