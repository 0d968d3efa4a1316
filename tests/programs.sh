#!/bin/sh
# The program `arr` from outside: ways to run it, exit statuses, what goes where; examples in C; an
# installation. Usage: programs.sh BUILD-DIRECTORY. Last line: "N passed, N failed, N skipped".
set -u
build=$1
arr=$(realpath "$build/arr")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0 skipped=0
export ARR_CACHE_DIR="" ARR_DEVICE=cpu

# same NAME EXPECTED ACTUAL
same() {
    if [ "$2" = "$3" ]; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    printf 'programs: %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
}
# run NAME STATUS OUTPUT COMMAND...: exit status and standard output
run() {
    name=$1 status=$2 output=$3
    shift 3
    actual=$("$@" 2> "$dir/err")
    same "$name" "$status $output" "$? $actual"
}
has() { # has NAME PART: standard error of the last run
    case $(cat "$dir/err") in *"$2"*) passed=$((passed + 1)) ;;
    *) same "$1" "$2" "$(cat "$dir/err")" ;; esac
}

cat > "$dir/words.arr" <<'A'
print(len(args), args)
A
cat > "$dir/bad.arr" <<'A'
x = 1
print(x)
y = [1, 2] + [1, 2, 3]
print(2)
A
echo 'x = 1
x + 1' > "$dir/unused.arr"
echo 'exit(7)' > "$dir/exit.arr"
mkdir "$dir/sub"
echo 'import "sub/m.arr" as m
print(m.twice(4))' > "$dir/imports.arr"
echo 'fn twice(x) = 2 * x' > "$dir/sub/m.arr"

run "a file and its words" 0 "3 ('a', '-b', '--c')" "$arr" "$dir/words.arr" a -b --c
run "an error ends a script" 1 "1" "$arr" "$dir/bad.arr"
has "the error's place" "bad.arr:3:12"
run "an unused result is an error" 1 "" "$arr" "$dir/unused.arr"
run "exit's status" 7 "" "$arr" "$dir/exit.arr"
run "imports are relative to the file" 0 "8" "$arr" "$dir/imports.arr"
run "no such file" 1 "" "$arr" "$dir/none.arr"
mkfifo "$dir/pipe.npy" "$dir/pipe.csv" "$dir/pipe.arr"
run "a pipe is no .npy" 1 "" timeout -k 1 5 "$arr" -e "load('$dir/pipe.npy')"
has "a pipe is no .npy, why" "it is not a regular file"
for what in "load('$dir/pipe.csv')" "import '$dir/pipe.arr' as m" "save('$dir/pipe.npy', [1])"; do
    run "waiting for a pipe ends by a signal: $what" 124 "" timeout -k 5 0.3 "$arr" -e "$what"
done
(sleep 0.2; echo 1,2; sleep 0.2; echo 3,4) > "$dir/pipe.csv" &
run "a pipe is read as it comes" 0 "[[1 2]
 [3 4]]" timeout -k 1 9 "$arr" -e "load('$dir/pipe.csv')"
run "waiting for a script ends by a signal" 124 "" sh -c "sleep 2 | timeout -k 5 0.3 '$arr'"
run "standard input is closed" 1 "" timeout -k 1 5 sh -c "'$arr' <&-"
has "standard input is closed, why" "cannot read standard input"
run "standard output is closed" 1 "" sh -c "'$arr' -e 'save(\"$dir/o.npy\", [1]); print(2)' >&-"
run "what is printed goes into no file" 0 "[1]" "$arr" -e "load('$dir/o.npy')"
run "a file past the limit" 1 "" sh -c "ulimit -f 1; '$arr' -e 'save(\"$dir/o.npy\", ones(99999))'"
has "a file past the limit, why" "the file is too large"
run "-e twice" 2 "" "$arr" -e 1 -e 2
run "-e shows values" 0 "3
[1 2 3]" "$arr" -e '1 + 2
x = [1, 2, 3]
x'
run "-e, lines that continue" 0 "6
b
c" "$arr" -e '[3, 1, 2]
  # a comment
  .sum()
if false { 1 }

elif true { print("b") }
try { error("c") }
catch e { print(e.message) }'
run "-e, help above a function" 0 "fn f(x)
twice x" "$arr" -e '# twice x
fn f(x) = 2 * x
help(f)'
run "a value that cannot be shown" 1 "" "$arr" -e 'x = 1
tile([1, 2], 10 ** 12)'
has "its place" "-e:2:1"
run "a value that fails when shown" 1 "" "$arr" -e 'x = [1, 2][[5]]
x'
has "where it was needed" "needed at -e:2:1"
run "-e and ;" 0 "" "$arr" -e '1 + 2;'
run "-e and words" 0 "('a', 'b')" "$arr" -e 'args' a b
run "-e, an unfinished text" 1 "" "$arr" -e 'f(1,'
run "-e, an error" 1 "" "$arr" -e 'undefined_name'
has "its message" "undefined_name"
run "a script on standard input" 0 "5" sh -c "echo 'print(2 + 3)' | '$arr'"
run "the same by -" 0 "5" sh -c "echo 'print(2 + 3)' | '$arr' -"
run "- and words" 0 "('a', '-b')" sh -c "echo 'print(args)' | '$arr' - a -b"
run "an error there" 1 "" sh -c "echo 'y = [1] + nothing' | '$arr'"
run "--version" 0 "arr $(sed -n 's/.*ARR_VERSION_[A-Z]* \([0-9]*\)/\1/p' interp/arr.h | paste -sd.)" \
    "$arr" --version
run "unknown option" 2 "" "$arr" --nonsense
run "a bad float" 2 "" "$arr" --float f16 -e 1
run "a bad precision" 2 "" "$arr" --matmul-precision low -e 1
run "a bad device" 2 "" "$arr" --device tpu -e 1
run "bad threads" 2 "" "$arr" --threads many -e 1
run "a bad switch in the environment" 2 "" env ARR_FUSE=7 "$arr" -e 1
run "--float" 0 "f32" "$arr" --float f32 -e 'zeros(3).dtype'
run "--matmul-precision" 0 "high" "$arr" --matmul-precision high -e 'matmul_precision()'
run "--device after = too" 0 "2" "$arr" --device=cpu --threads=1 -e '1 + 1'
same "--help names every switch" "0" "$("$arr" --help | grep -c 'ARR_FUSE' | awk '{ print $1 - 1 }')"
if [ -e /dev/full ]; then
    "$arr" -e 'print(1)' > /dev/full 2> /dev/null
    same "output that does not arrive" 1 $?
fi
# Interrupted: the process ends by the signal, at once.
timeout -s INT 1 "$arr" -e 'while true { x = 1 }' > /dev/null 2>&1
same "SIGINT stops a script" "124" "$?"
timeout -s TERM 1 "$arr" -e 'while true { x = 1 }' > /dev/null 2>&1
same "SIGTERM stops a script" "124" "$?"

# Hosts among the examples print what their head says.
said() { sed -n 's, \*/$,,; s,^\( \*\|//\)\{0\,1\} *prints: ,,p' "$1"; }
for e in examples/*.c examples/*.cpp; do
    name=$(basename "${e%.*}")
    [ -x "$build/examples/$name" ] || continue
    run "$e" 0 "$(said "$e")" "$build/examples/$name"
done
python=build/venv/bin/python
[ -x $python ] || python=${ARR_TEST_PYTHON:-python3}
if [ "$build" = build ] && $python -c 'import numpy; assert numpy.__version__ >= "2.1"' 2> /dev/null; then
    run "examples/numpy_dlpack.py" 0 "$(said examples/numpy_dlpack.py)" \
        $python examples/numpy_dlpack.py build/libarr.so
fi

# What is installed serves a host, by the static and by the shared library.
if make -s install DESTDIR="$dir/root" PREFIX=/usr > "$dir/install" 2>&1; then
    passed=$((passed + 1))
    root="$dir/root/usr"
    cat > "$dir/host.c" <<'C'
#include <arr.h>
#include <stdio.h>
static void out(void *user, const char *text, size_t n) { (void)user; fwrite(text, 1, n, stdout); }
int main(void) {
    arr_config c = ARR_CONFIG_INIT;
    arr_state *A;
    c.write = out;
    if (arr_open(&c, &A) != ARR_OK) return 1;
    arr_status s = arr_eval(A, "print(sum(arange(10)))", "host");
    arr_close(A);
    return s;
}
C
    libs=$(sed -n 's/^Libs.private: //p' "$root/lib/pkgconfig/arr.pc")
    ${CC:-gcc} -std=c11 -I"$root/include" -o "$dir/static" "$dir/host.c" "$root/lib/libarr.a" $libs
    run "a host with libarr.a" 0 45 "$dir/static"
    ${CC:-gcc} -std=c11 -I"$root/include" -o "$dir/shared" "$dir/host.c" -L"$root/lib" -larr
    run "a host with libarr.so" 0 45 env LD_LIBRARY_PATH="$root/lib" "$dir/shared"
    run "the installed program" 0 2 "$root/bin/arr" -e '1 + 1'
    for page in man1/arr.1 man3/libarr.3; do
        if command -v groff > /dev/null; then
            same "the manual page $page" "" "$(groff -man -Tutf8 -ww "$root/share/man/$page" 2>&1 > "$dir/page")"
        fi
    done
    same "libarr(3) tells of every function" "" "$(sed -n 's/^ARR_API .*[ *]\(arr_[a-z_0-9]*\)(.*/\1/p' interp/arr.h |
        while read -r f; do grep -q "$f" "$root/share/man/man3/libarr.3" || echo "$f"; done)"
    if command -v cmake > /dev/null; then
        mkdir -p "$dir/cmake"
        cat > "$dir/cmake/CMakeLists.txt" << 'C'
cmake_minimum_required(VERSION 3.13)
project(host C)
find_package(arr 0.1 REQUIRED)
add_executable(shared ../host.c)
target_link_libraries(shared arr::arr)
add_executable(static ../host.c)
target_link_libraries(static arr::static)
C
        cmake -S "$dir/cmake" -B "$dir/cmake/b" -DCMAKE_PREFIX_PATH="$root" > "$dir/cmake/log" 2>&1 &&
            cmake --build "$dir/cmake/b" >> "$dir/cmake/log" 2>&1 || cat "$dir/cmake/log"
        run "a host by CMake, shared" 0 45 "$dir/cmake/b/shared"
        run "a host by CMake, static" 0 45 "$dir/cmake/b/static"
    fi
else
    same "make install" "" "$(cat "$dir/install")"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
