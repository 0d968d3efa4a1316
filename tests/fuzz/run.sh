#!/bin/sh
# Coverage-guided fuzzing of the parser and evaluator: run.sh SECONDS. The tests' programs are the
# first corpus; what is found is kept in build/fuzz/corpus, crashes in build/fuzz/found.
set -eu
cd "$(dirname "$0")/../.."
top=$PWD
mkdir -p build/fuzz/corpus build/fuzz/seeds build/fuzz/found build/fuzz/work
for f in $(find tests examples stdlib -name '*.arr' -size -8k ! -path '*/bench/*'); do
    cp "$f" "build/fuzz/seeds/$(echo "$f" | tr / _)"
done
# Every statement of the tests on its own as well: short inputs are mutated best.
grep -h '#[=!]' $(find tests -name '*.arr') | sed 's/ *#[=!].*//' | grep . | sort -u |
    split -l 1 -a 4 - build/fuzz/seeds/line_
cd build/fuzz/work # programs may save files
ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1 \
    exec "$top/build/fuzz/tests/fuzz/fuzz_eval" -max_total_time="$1" -max_len=2000 -timeout=20 \
    -rss_limit_mb=4096 -artifact_prefix="$top/build/fuzz/found/" -print_final_stats=1 \
    "$top/build/fuzz/corpus" "$top/build/fuzz/seeds"
