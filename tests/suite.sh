#!/usr/bin/env bash
# Runs the parts of the test suite that are named (build, asan, check), as many at a time as there are
# cores, and adds up their closing lines. Called by the Makefile from the root, after building. Last
# line: "N passed, N failed, N skipped".
set -u
export LC_ALL=C.UTF-8
# Nothing of the user's may change a result.
for v in $(env | sed -n 's/^\(ARR_[A-Z_]*\)=.*/\1/p'); do unset "$v"; done
unset OPENBLAS_CORETYPE
export OPENBLAS_NUM_THREADS=1 ARR_CACHE_DIR=
export ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
cores=$(getconf _NPROCESSORS_ONLN)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
n=0

# part NAME COMMAND...: runs it beside the others; its last line has the counts.
part() {
    local log
    n=$((n + 1))
    log=$logs/$(printf %03d $n)
    echo "$1" > "$log.name"
    shift
    while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n; done
    {
        local begun=$SECONDS
        "$@" > "$log.out" 2>&1
        echo "$? $((SECONDS - begun))" > "$log.end"
    } &
}

count() { sed -n "\$s/.*[^0-9]*\b\([0-9][0-9]*\) $2.*/\1/p" "$1.out"; }

# Wait for all; what failed is shown whole, then a line for each part, then the sum.
finish() {
    local passed=0 failed=0 skipped=0 log rc seconds p f s
    wait
    for log in "$logs"/*.name; do
        log=${log%.name}
        read -r rc seconds < "$log.end"
        p=$(count "$log" passed) f=$(count "$log" failed) s=$(count "$log" skipped)
        if [ -z "$p" ] || { [ "$rc" != 0 ] && [ "${f:-0}" = 0 ]; }; then
            f=$((${f:-0} + 1)) # a crash, or no closing line
            cat "$log.out"
        else
            sed '$d' "$log.out"
        fi
        passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0})) skipped=$((skipped + ${s:-0}))
        printf '%-28s %6s passed %4s failed %4s skipped %5s s\n' "$(cat "$log.name")" "${p:-0}" \
            "${f:-0}" "${s:-0}" "$seconds"
    done
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}

python=build/venv/bin/python
[ -x $python ] || python=${ARR_TEST_PYTHON:-python3}

# What a variant runs: units, C hosts, tests by example. The CUDA compiler is no code of ours, so its
# test is not repeated under the sanitizers.
variant() {
    local t
    for t in tests/unit/*.c tests/api/*.c; do
        t=${t%.c}
        [ "$1 $t" = "asan tests/unit/nvrtc" ] || part "$1 ${t#tests/}" "$2/$t"
    done
    part "$1 examples" "$2/tests/run" --device cpu --tmp "$2/tests/tmp"
}

for what; do
    case $what in
    build)
        variant release build
        part "programs" sh tests/programs.sh build
        part "prompt" build/tests/prompt build/arr
        part "real examples" $python tests/examples/check.py build/arr
        part "ops and NumPy" $python tests/parity/ops.py build/arr
        part "programs and NumPy" $python tests/parity/random_programs.py build/arr
        for seed in 1 2; do # 20,000 in all; `make programs` has ten times as many
            part "all dtypes and NumPy, $seed" $python -W ignore tests/parity/programs.py build/arr \
                --n 10000 --seed $seed
        done
        part "indexing and NumPy" $python tests/parity/indexing.py build/arr --n 12000
        part "builtins and NumPy" $python -W ignore tests/parity/builtins.py build/arr
        part "numeric builtins and NumPy" $python -W ignore tests/parity/numeric.py build/arr
        part "wrong arguments" $python tests/parity/arguments.py build/arr --device cpu
        part "files and NumPy" $python -W ignore tests/parity/files.py build/arr
        for t in functions casts special draws tree; do
            part "accuracy: $t" $python tests/accuracy/$t.py build/arr
        done
        part "printing and NumPy" sh tests/parity/printing.sh $python build
        part "f-strings and Python" $python tests/parity/format_spec.py build/arr
        ;;
    asan)
        variant asan build/asan
        part "asan wrong arguments" $python tests/parity/arguments.py build/asan/arr --device cpu
        ;;
    check) part "check" sh tests/check.sh ;;
    *)
        echo "suite: unknown part $what" >&2
        exit 2
        ;;
    esac
done
finish
