#!/bin/sh
# Runs the parts of the test suite that are named (build, asan, check) and adds up their closing
# lines. Called by the Makefile from the root, after building. Last line:
# "N passed, N failed, N skipped".
set -u
LC_ALL=C.UTF-8
export LC_ALL
# Nothing of the user's may change a result.
for v in $(env | sed -n 's/^\(ARR_[A-Z_]*\)=.*/\1/p'); do unset "$v"; done
unset OPENBLAS_CORETYPE
export OPENBLAS_NUM_THREADS=1 ARR_CACHE_DIR=
export ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
jobs=$(getconf _NPROCESSORS_ONLN)
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

count() { sed -n "\$s/.*[^0-9]*\b\([0-9][0-9]*\) $1.*/\1/p" "$log"; }

# part NAME COMMAND...: its last line has the counts.
part() {
    name=$1
    shift
    begun=$(date +%s)
    "$@" > "$log" 2>&1
    rc=$?
    p=$(count passed) f=$(count failed) s=$(count skipped)
    if [ -z "$p" ] || { [ $rc != 0 ] && [ "${f:-0}" = 0 ]; }; then
        cat "$log"
        f=$((${f:-0} + 1)) # a crash, or no closing line
    else
        sed '$d' "$log"
    fi
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0})) skipped=$((skipped + ${s:-0}))
    printf '%-24s %6s passed %4s failed %4s skipped %5d s\n' "$name" "${p:-0}" "${f:-0}" \
        "${s:-0}" $(($(date +%s) - begun))
}

python=build/venv/bin/python
[ -x $python ] || python=${ARR_TEST_PYTHON:-python3}

# What every variant runs: tests by example, C hosts, units.
common() {
    part "$1 examples" "$2/tests/run" --jobs "$jobs" --device cpu --tmp "$2/tests/tmp"
    for t in tests/unit/*.c tests/api/*.c; do
        [ -e "$t" ] || continue
        t=${t%.c}
        part "$1 ${t#tests/}" "$2/$t"
    done
}

for what; do
    case $what in
    build)
        common release build
        part "programs" sh tests/programs.sh build
        part "prompt" build/tests/prompt build/arr
        part "real examples" $python tests/examples/check.py build/arr
        part "ops and NumPy" $python tests/parity/ops.py build/arr
        part "programs and NumPy" $python tests/parity/random_programs.py build/arr
        part "printing and NumPy" sh tests/parity/printing.sh $python build
        ;;
    asan) common asan build/asan ;;
    check) part "check" sh tests/check.sh ;;
    *)
        echo "suite: unknown part $what" >&2
        exit 2
        ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
