#!/bin/sh
# Rules of the source tree that no compiler holds: `make check` builds the objects, then runs this
# from the root. Each rule is one line of the result; a tool that is not installed skips its rule.
# Last line: "N passed, N failed, N skipped".
set -u
LC_ALL=C
export LC_ALL
obj=build/obj
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0 failed=0 skipped=0

sources=$(find grammar interp runtime kernels tests examples -name '*.[ch]')
units=$(find grammar interp runtime kernels -name '*.c')
case $(uname -m) in x86_64) ;; *) units=$(echo "$units" | grep -v '_avx') ;; esac
library=$(find $obj -name '*.o' | grep -vE '/interp/(main|repl|lineedit|signals)\.o$')

# rule NAME COMMAND...: the command prints what breaks the rule.
rule() {
    name=$1
    shift
    if "$@" > "$out/text" 2>&1 && [ ! -s "$out/text" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "check: $name"
        sed 's/^/  /' "$out/text" | head -40
    fi
}
skip() {
    skipped=$((skipped + 1))
    echo "check: $1: skipped, $2"
}

# --- includes follow the arrows -------------------------------------------------------------------

# Layers and what they may include beside runtime/base, the public header and themselves.
arrows() {
    grep -n '^ *# *include *"' $sources grammar/*.re grammar/*.y /dev/null | awk '
    function layer(f) {
        if (f ~ /^runtime\/base\//) return "base"
        if (f ~ /^runtime\/device\//) return "device"
        if (f ~ /^interp\/(main|repl|lineedit|signals)\.[ch]$/) return "program"
        if (f ~ /^gen\/grammar\//) return "grammar"
        if (f ~ /^(grammar|interp|runtime|kernels|tests|examples)\//) {
            sub(/\/.*/, "", f); return f
        }
        return "nothing"
    }
    BEGIN {
        split("grammar:grammar interp:interp,grammar,runtime runtime:runtime,kernels,device " \
              "kernels:kernels,device device:device program:program base:base", rows, " ")
        for (i in rows) { split(rows[i], r, ":"); may[r[1]] = "," r[2] "," }
    }
    {
        split($0, part, ":"); from = part[1]
        match($0, /"[^"]*"/); to = substr($0, RSTART + 1, RLENGTH - 2)
        a = layer(from); b = layer(to)
        if (from ~ /^tests\/(unit|fuzz)\// || a == b) next
        if (b == "base" || to == "interp/arr.h" || to == "arr.h") next
        if (a == "program" && to == "runtime/device/rtc_helper.h") next # what the helper process runs
        if (a == "device" && from ~ /\/cuda/ && b == "device") next
        if (index(may[a], "," b ",") == 0) print from ":" part[2] ": includes " to
    }'
}

# --- symbols --------------------------------------------------------------------------------------

writable_data() {
    for o in $library; do
        objdump -h "$o" | awk -v o="$o" '
            $2 ~ /^\.(data|bss|tdata|tbss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ {
                print o ": section " $2 " is not empty"
            }'
    done
}
exported() {
    nm -D --defined-only build/libarr.so | awk '$3 !~ /^arr_/ { print "libarr.so exports " $3 }'
    nm -g --defined-only build/libarr.a | awk 'NF == 3 && $3 !~ /^arr_/ { print "libarr.a exports " $3 }'
}
# Calls that end, print, or change the host. Children after fork end by _exit.
forbidden='exit|_Exit|quick_exit|abort|printf|vprintf|__printf_chk|puts|putchar|perror|stdout|stderr|stdin|getenv|secure_getenv|setenv|putenv|setlocale|signal|sigaction|longjmp|__longjmp_chk|system'
calls() {
    for o in $library; do
        nm -u "$o" | awk -v o="$o" -v re="^($forbidden)\$" '$2 ~ re { print o " uses " $2 }'
    done
}

# --- text -----------------------------------------------------------------------------------------

format() { clang-format --dry-run -Werror $(echo "$sources" | grep -v '^tests/fuzz/corpus'); }
blanks() {
    find grammar interp runtime kernels stdlib tests examples Makefile README.md .ci -type f \
        ! -path '*/data/*' ! -path '*/corpus/*' ! -path '*/dump/*' \
        \( -name '*.[chy]' -o -name '*.re' -o -name '*.cu' -o -name '*.def' -o -name '*.arr' \
        -o -name '*.sh' -o -name '*.py' -o -name '*.md' -o -name Makefile \) -print0 |
        xargs -0 grep -nE '[[:blank:]]+$' /dev/null
    return 0
}
scripts() { for f in $(find . -name '*.sh' ! -path './build/*') .ci/run .ci/setup; do sh -n "$f"; done; }

# --- other compilers' opinions --------------------------------------------------------------------

cuda=$(MAKEFLAGS= make -s --no-print-directory print-cuda-flags)
clang_warnings() {
    echo "$units $(find tests examples -name '*.c' ! -path '*/fuzz/*')" | tr ' ' '\n' |
        xargs -P 2 -n 8 clang -fsyntax-only -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE \
            -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -I. -Ibuild -Ibuild/gen -Iinterp $cuda
}
cppcheck_warnings() {
    cppcheck --quiet -j 2 --std=c11 --enable=warning --inline-suppr --max-configs=1 \
        --suppress=missingInclude --suppress=unknownMacro --suppress=nullPointer --suppress=zerodivcond \
        --error-exitcode=1 -D_GNU_SOURCE -I. -Ibuild/gen $(echo "$units" | grep -v loops_cpu_avx)
}

rule "includes follow the arrows" arrows
rule "no writable data in the library" writable_data
rule "only arr_ names are exported" exported
rule "no forbidden calls in the library" calls
rule "no blanks at line ends" blanks
rule "scripts parse" scripts
case $(clang-format --version 2>/dev/null) in
*' 14.'*) rule "formatted as .clang-format says" format ;;
*) skip "format" "clang-format 14 is not here" ;;
esac
if command -v clang >/dev/null; then rule "clang warns of nothing" clang_warnings
else skip "clang" "not here"; fi
if command -v cppcheck >/dev/null; then rule "cppcheck warns of nothing" cppcheck_warnings
else skip "cppcheck" "not here"; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
