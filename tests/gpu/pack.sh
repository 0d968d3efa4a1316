#!/bin/sh
# Packs what run.sh needs on a machine that has a GPU but nothing to build with: the program, the
# test runner and the unit tests, stripped, and the shared libraries that such a machine may lack.
# From the root, after `make tests`:  sh tests/gpu/pack.sh [BUILD]  ->  build/gpu/
set -eu
build=${1:-build}
to=build/gpu
rm -rf $to
mkdir -p $to/tests/unit $to/tests/api $to/lib
for f in arr tests/run tests/unit/kernels_cuda tests/unit/runtime tests/api/cuda tests/api/limits_cuda; do
    [ -x "$build/$f" ] || { echo "pack: $build/$f is missing" >&2; exit 1; }
    strip -o "$to/$f" "$build/$f"
done
ldd $to/arr $to/tests/run | awk '/=> \// { print $3 }' | sort -u |
    grep -E '/lib(sleef|z|readline|tinfo|gomp)\.' | while read -r f; do
    cp -L "$f" $to/lib/
done
[ ! -f build/libarr_cub.so.0 ] || cp build/libarr_cub.so.0 $to/lib/
du -sh $to
