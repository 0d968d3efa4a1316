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
# All that the library asks of the system, so that what is not here it cannot do: end the process,
# print, read the environment, take signals, change locale, rounding, umask or working directory.
# NAME=OBJECT: there alone (the process of the compiler's helper, dumps to files).
allowed='
    malloc realloc free memchr memcmp memcpy memmem memmove memset
    strcasecmp strchr strcmp strcpy strcspn strlen strncmp strrchr strspn strstr strtol
    snprintf vsnprintf qsort __ctype_b_loc __errno_location strerror_r=cache_disk
    acos asin atan acoshl asinhl atanhl cbrt cbrtl ceil cos coshl cpow exp exp2 expm1 floor fma fmaf
    fmod fmodf frexp ldexp log log10 log1p log2 pow sin sinhl tan tanhl
    __divti3 __udivti3 __cpu_model _GLOBAL_OFFSET_TABLE_ __sched_cpucount
    open openat close read write pread pwrite stat fstat fstatat access faccessat fchmod fcntl futimens
    rename renameat unlink unlinkat mkdir readlink readlinkat realpath getcwd opendir readdir closedir
    dirfd memfd_create poll syscall=roots glob=cuda_lib globfree=cuda_lib
    fopen=dump fwrite=dump fclose=dump
    clock_gettime time nanosleep getpid getrandom sysconf sched_getaffinity sched_yield madvise
    pthread_attr_destroy pthread_attr_getstack pthread_attr_init pthread_attr_setstacksize
    pthread_cond_broadcast pthread_cond_destroy pthread_cond_init pthread_cond_signal
    pthread_cond_timedwait pthread_cond_wait pthread_condattr_destroy pthread_condattr_init
    pthread_condattr_setclock pthread_create pthread_getattr_np pthread_join pthread_mutex_destroy
    pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_self pthread_sigmask sigfillset
    dladdr dlclose dlerror dlopen dlsym
    _exit=rtc_helper clone=rtc_helper execve=rtc_helper environ=rtc_helper setsid=rtc_helper
    dup2=rtc_helper waitpid=rtc_helper socketpair=rtc_helper send=rtc_helper recv=rtc_helper
    sigemptyset=rtc_helper sigprocmask=rtc_helper kill=rtc_helper
    inflate inflateEnd inflateInit2_ deflate deflateEnd deflateInit2_ crc32_z'
calls() {
    nm --defined-only $library | awk 'NF == 3 { print $3 }' > "$out/own"
    for o in $library; do nm -u "$o" | awk -v o="$o" '{ print $2, o }'; done > "$out/used"
    awk -v allowed="$allowed" '
        BEGIN {
            n = split(allowed, words)
            for (i = 1; i <= n; i++) { split(words[i], w, "="); there[w[1]] = w[2]; known[w[1]] = 1 }
        }
        FILENAME ~ /own$/ { own[$1] = 1; next }
        $1 in own || $1 ~ /^(Sleef_|cuda)/ { next }
        !($1 in known) { print $2 " uses " $1 ", which is not in the list of tests/check.sh"; next }
        there[$1] != "" && $2 !~ "/" there[$1] "[.]o$" { print $2 " uses " $1 }
    ' "$out/own" "$out/used"
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
rule "the library asks the system for what is listed alone" calls
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
