#!/bin/sh
# Coverage-guided fuzzing: run.sh SECONDS [TARGET], fuzz_eval unless named. The tests' programs are the
# first corpus of the targets that read text; what is found is kept in build/fuzz/corpus, crashes in
# build/fuzz/found.
set -eu
cd "$(dirname "$0")/../.."
top=$PWD
target=${2:-fuzz_eval}
corpus=$top/build/fuzz/corpus
[ "$target" = fuzz_eval ] || corpus=$top/build/fuzz/corpus_$target
mkdir -p "$corpus" build/fuzz/seeds build/fuzz/found build/fuzz/work
for f in $(find tests examples stdlib -name '*.arr' -size -8k ! -path '*/bench/*'); do
    cp "$f" "build/fuzz/seeds/$(echo "$f" | tr / _)"
done
# Every statement of the tests on its own as well: short inputs are mutated best.
grep -h '#[=!]' $(find tests -name '*.arr') | sed 's/ *#[=!].*//' | grep . | sort -u |
    split -l 1 -a 4 - build/fuzz/seeds/line_
cd build/fuzz/work # programs may save files
ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1 \
    exec "$top/build/fuzz/tests/fuzz/$target" -max_total_time="$1" -max_len=2000 -timeout=20 \
    -rss_limit_mb=4096 -artifact_prefix="$top/build/fuzz/found/" -print_final_stats=1 \
    "$corpus" "$top/build/fuzz/seeds"
