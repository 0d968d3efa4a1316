# Arr: the library, the program `arr`, the tests. GNU make 4.3 or newer.
#
#   make            build/arr, build/libarr.a, build/libarr.so (optimised)
#   make debug      the same below build/debug; asan (address and undefined), tsan likewise
#   make setup      install what building needs; setup-test: what the tests need as well
#   make demo       the main job on real data
#   make test       every test, the suite again under the sanitizers; test-gpu on a GPU, test-tsan,
#                   test-valgrind
#   make check      rules of the source tree;  make bench, bench-gpu: speed
#   make fuzz       any bytes as programs;  make programs: 200,000 random programs against NumPy
#   make install    PREFIX=/usr/local DESTDIR=;  make deb: a Debian package, for the CPU alone
#
# Sources are found by wildcard; objects are built below $(B)/obj, generated text below build/gen.
# The CUDA Toolkit is found through CUDA_PATH, nvcc or /usr/local/cuda; without one, or with
# CUDA=, the build is for the CPU alone.

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

PREFIX ?= /usr/local
# V=1 shows the commands
Q := $(if $(V),,@)
VARIANT ?=
WERROR ?= -Werror

# --- variants -------------------------------------------------------------------------------------

ifeq ($(origin CC),default)
CC := gcc
endif
OPT := -O3
SAN :=
ifeq ($(VARIANT),debug)
OPT := -Og
else ifeq ($(VARIANT),asan)
OPT := -O1
SAN := -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all \
       -fno-omit-frame-pointer
else ifeq ($(VARIANT),tsan)
OPT := -O1
SAN := -fsanitize=thread -fno-omit-frame-pointer
else ifeq ($(VARIANT),deb)
override CUDA :=
else ifeq ($(VARIANT),fuzz)
CC := clang
OPT := -O1
SAN := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
else ifneq ($(VARIANT),)
$(error VARIANT is debug, asan, tsan, deb or fuzz, not '$(VARIANT)')
endif
B := build$(addprefix /,$(VARIANT))
O := $(B)/obj
NDEBUG := $(if $(filter-out deb,$(VARIANT)),,-DNDEBUG)

# --- the CUDA Toolkit -----------------------------------------------------------------------------

# 13.0 is the oldest that has what the device layer calls.
CUDA_OLDEST := 13000
nvcc_root = $(patsubst %/bin/nvcc,%,$(realpath $(shell command -v nvcc)))
has_cuda = $(if $(1),$(if $(wildcard $(1)/include/cuda_runtime_api.h),$(1)))
CUDA := $(firstword $(foreach d,$(CUDA_PATH) $(nvcc_root) /usr/local/cuda,$(call has_cuda,$(d))))
ifneq ($(CUDA),)
CUDA_VERSION := $(shell awk '$$2 == "CUDART_VERSION" { print $$3 }' $(CUDA)/include/cuda_runtime_api.h)
CUDART := $(firstword $(wildcard $(CUDA)/lib64/libcudart_static.a \
                                 $(CUDA)/lib/libcudart_static.a \
                                 $(CUDA)/targets/*/lib/libcudart_static.a))
cuda_headers := $(wildcard $(addprefix $(CUDA)/include/,nvrtc.h cublas_v2.h curand.h))
ifeq ($(shell test $(CUDA_VERSION) -ge $(CUDA_OLDEST) && echo yes),)
$(error The CUDA Toolkit in $(CUDA) is version $(CUDA_VERSION); 13.0 is the oldest that serves. \
        Set CUDA_PATH to another, or say 'make CUDA=' for the CPU alone)
else ifneq ($(words $(CUDART) $(cuda_headers)),4)
$(error The CUDA Toolkit in $(CUDA) lacks libcudart_static.a or the headers of NVRTC, cuBLAS or \
        cuRAND. Set CUDA_PATH to another, or say 'make CUDA=' for the CPU alone)
endif
CUDA_FLAGS := -isystem $(CUDA)/include -DARR_CUDA_PATH='"$(CUDA)"'
NVCC := $(wildcard $(CUDA)/bin/nvcc)
cub_headers := $(wildcard $(foreach d,cccl/cub cub,$(CUDA)/include/$(d)/device/device_radix_sort.cuh))
else
CUDA_FLAGS := -DARR_NO_CUDA
CUDART :=
endif

# --- flags ----------------------------------------------------------------------------------------

CPPFLAGS := -D_GNU_SOURCE -I. -Ibuild -Ibuild/gen $(CUDA_FLAGS) $(NDEBUG)
# What may be uninitialised is guessed differently by every version of gcc and at every level.
# clang says where a loop did not become vector code, as none does below -O2.
WARN := -Wall -Wextra $(if $(findstring clang,$(CC)),-Wno-pass-failed,-Wno-maybe-uninitialized) $(WERROR)
CFLAGS := -std=c11 $(OPT) -g -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno \
          -fno-trapping-math -fwrapv -ffunction-sections -fdata-sections $(SAN)
LDFLAGS := $(SAN) -Wl,--gc-sections -Wl,--as-needed
LIBS := -lsleef -lz $(CUDART) -ldl -lpthread -lrt -lm
# Files for one instruction set; the code that calls them asks the processor first.
ISA_FLAGS = $(if $(filter %_avx2.o,$@),-mavx2 -mfma)$(if $(filter %_avx512.o,$@),-mavx512f \
            -mavx512dq -mavx512bw -mavx512vl) $(NO_TSAN)
# gcc 12's calls into its thread sanitizer lose masks that intrinsics hold (wild stores follow).
NO_TSAN = $(if $(filter tsan/%/sort_cpu_avx512.o,$(@:build/%=%)),-fno-sanitize=thread)

# --- files ----------------------------------------------------------------------------------------

SRC := $(shell find grammar interp runtime kernels -name '*.c' | LC_ALL=C sort)
ifneq ($(shell uname -m),x86_64)
SRC := $(filter-out %_avx2.c %_avx512.c,$(SRC))
endif
PROGRAM_SRC := $(addprefix interp/,main.c repl.c lineedit.c signals.c)
GEN_SRC := build/gen/grammar/lexer.c build/gen/grammar/parse.c build/gen/embed.c
GEN_H := build/gen/grammar/parse.h
EMBEDDED := $(shell find stdlib kernels/templates -name '*.arr' -o -name '*.cu' | LC_ALL=C sort) \
            build/gen/kernels/scalar.cu

LIB_OBJ := $(patsubst %.c,$(O)/%.o,$(filter-out $(PROGRAM_SRC),$(SRC))) \
           $(patsubst build/gen/%.c,$(O)/gen/%.o,$(GEN_SRC))
PROGRAM_OBJ := $(patsubst %.c,$(O)/%.o,$(PROGRAM_SRC))

SONAME := libarr.so.0
API_TESTS := $(patsubst %.c,$(B)/%,$(wildcard tests/api/*.c))
UNIT_TESTS := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/*.c))
RUN_SRC := tests/run.c $(wildcard tests/run_*.c)
TOOLS := $(patsubst %.c,$(B)/%,$(filter-out tests/run_%,$(wildcard tests/*.c)))
EXAMPLES := $(patsubst %,$(B)/%,$(basename $(wildcard examples/*.c $(if $(shell command -v $(CXX)),examples/*.cpp))))

.PHONY: all debug asan tsan tests objects
# Sorting on GPUs by CUB, where there is an nvcc to build it.
CUB := $(if $(VARIANT),,$(if $(NVCC),$(if $(cub_headers),build/libarr_cub.so.0)))
all: $(B)/arr $(B)/libarr.a $(B)/libarr.so $(CUB)
debug asan tsan:
	$(MAKE) VARIANT=$@ all
# Everything that `make test` runs in this variant.
tests: all $(TOOLS) $(API_TESTS) $(UNIT_TESTS) $(EXAMPLES)
objects: $(LIB_OBJ) $(PROGRAM_OBJ)

# --- generated text -------------------------------------------------------------------------------

build/gen/grammar/lexer.c: grammar/lexer.re
	@mkdir -p $(@D)
	$(Q)re2c -o $@ $<

build/gen/grammar/parse.c build/gen/grammar/parse.h &: grammar/parse.y
	@mkdir -p build/gen/grammar
	$(Q)lemon -dbuild/gen/grammar $<
	@touch build/gen/grammar/parse.c build/gen/grammar/parse.h

# The helpers of kernels as the GPU's compiler reads them, without macros: the emitter picks
# definitions out of this text.
build/gen/kernels/scalar.cu: kernels/scalar.h kernels/scalar_complex.h \
    kernels/scalar_logsum.h kernels/scalar_special.h
	@mkdir -p $(@D)
	$(Q)$(CC) -E -P -std=c11 -I. -D__CUDACC_RTC__ -x c $< > $@

# Rewritten when the list changes as well (a file that is gone).
build/gen/embed.list: FORCE
	@mkdir -p $(@D)
	@echo '$(EMBEDDED)' | cmp -s - $@ || echo '$(EMBEDDED)' > $@
build/gen/embed.c: runtime/base/embed.sh build/gen/embed.list $(EMBEDDED)
	$(Q)sh runtime/base/embed.sh $(EMBEDDED) > $@

# --- objects --------------------------------------------------------------------------------------

# Objects are rebuilt when the compiler or its flags change.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo "$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(LIBS)" | cmp -s - $@ || \
	 echo "$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(LIBS)" > $@

COMPILE = $(CC) $(CPPFLAGS) $(CFLAGS) $(ISA_FLAGS) -MMD -MP -c -o $@ $<

$(O)/gen/%.o: build/gen/%.c $(B)/flags | $(GEN_H)
	@mkdir -p $(@D)
	@echo "  cc $@"
	$(Q)$(COMPILE) -w -UNDEBUG -DNDEBUG
$(O)/%.o: %.c $(B)/flags | $(GEN_H)
	@mkdir -p $(@D)
	@echo "  cc $@"
	$(Q)$(COMPILE) $(WARN)

-include $(LIB_OBJ:.o=.d) $(PROGRAM_OBJ:.o=.d)

# --- library and program --------------------------------------------------------------------------

# One object whose internal names are local, so that they cannot clash with a host's.
$(B)/libarr.o: $(LIB_OBJ)
	@echo "  ld $@"
	$(Q)ld -r -o $@.all $^
	$(Q)objcopy --localize-hidden $@.all $@
	@rm -f $@.all
$(B)/libarr.a: $(B)/libarr.o
	@rm -f $@
	$(Q)ar rcs $@ $<
$(B)/libarr.so: $(LIB_OBJ)
	@echo "  ld $@"
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--exclude-libs,ALL $(if $(SAN),,-Wl,-z,defs) $(LDFLAGS) \
	  -o $@ $^ $(LIBS)
	$(Q)ln -sf libarr.so $(B)/$(SONAME)
$(B)/arr: $(PROGRAM_OBJ) $(LIB_OBJ)
	@echo "  ld $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lreadline $(LIBS)

# Machine code for these; newer GPUs translate the PTX of the last. Older ones sort by our kernels.
CUB_ARCHS ?= 80 90
build/libarr_cub.so.0: runtime/device/sort_cub.cu
	@mkdir -p $(@D)
	@echo "  nvcc $@"
	$(Q)$(NVCC) -O3 -std=c++17 -shared -cudart static -Xcompiler -fPIC,-fvisibility=hidden \
	  $(foreach a,$(CUB_ARCHS),-gencode arch=compute_$a,code=sm_$a) \
	  -gencode arch=compute_$(lastword $(CUB_ARCHS)),code=compute_$(lastword $(CUB_ARCHS)) \
	  -Xlinker --exclude-libs,ALL,-soname,libarr_cub.so.0 -o $@ $<

# --- tests and hosts ------------------------------------------------------------------------------

HOST = @echo "  cc $@"; mkdir -p $(@D)
HOST_CC = $(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) $(LDFLAGS) -o $@

$(B)/tests/unit/%: tests/unit/%.c $(LIB_OBJ)
	$(HOST)
	$(Q)$(HOST_CC) $< $(LIB_OBJ) $(LIBS)
$(B)/tests/run: $(RUN_SRC) tests/run.h $(B)/libarr.a
	$(HOST)
	$(Q)$(HOST_CC) $(RUN_SRC) $(B)/libarr.a $(LIBS)
$(B)/tests/%: tests/%.c interp/arr.h $(B)/libarr.a
	$(HOST)
	$(Q)$(HOST_CC) $< $(B)/libarr.a $(LIBS) -lutil
$(B)/examples/%: examples/%.c $(B)/libarr.a
	$(HOST)
	$(Q)$(HOST_CC) -Iinterp $< $(B)/libarr.a $(LIBS)
$(B)/examples/%: examples/%.cpp examples/arr.hpp $(B)/libarr.a
	$(HOST)
	$(Q)$(CXX) -std=c++17 -O2 -g $(WARN) -I. -Iinterp $(SAN) $(LDFLAGS) -o $@ $< $(B)/libarr.a $(LIBS)

.PHONY: print-cuda-flags setup setup-test demo test test-gpu test-tsan test-valgrind check bench bench-gpu fuzz install deb clean FORCE programs

setup:
	sh .ci/setup
setup-test:
	sh .ci/setup test

demo: all
	cd examples && ../$(B)/arr digits_pca.arr

test: tests
	$(MAKE) VARIANT=asan tests
	bash tests/suite.sh build asan check
# What has threads, under the thread sanitizer; the hosts among the tests under valgrind.
# (It does not follow a fork of a process that has threads, as limits makes one.)
TSAN_TESTS := $(addprefix build/tsan/tests/api/,states functions interrupt)
test-tsan:
	$(MAKE) VARIANT=tsan $(TSAN_TESTS) build/tsan/examples/telemetry
	for t in $(TSAN_TESTS) build/tsan/examples/telemetry; do echo $$t && $$t || exit 1; done
test-valgrind: tests
	for t in arrays functions host values states; do echo $$t && \
	  valgrind -q --error-exitcode=9 --leak-check=full build/tests/api/$$t || exit 1; done

test-gpu: tests
	sh tests/gpu/run.sh
print-cuda-flags:
	@echo $(filter-out -DARR_CUDA_PATH=%,$(CUDA_FLAGS))
check: all
	sh tests/check.sh
bench: all
	sh tests/bench/run.sh cpu
bench-gpu: all
	sh tests/bench/run.sh gpu

# Random programs of all dtypes against NumPy: PROGRAMS of them, by SEED.
PROGRAMS ?= 200000
SEED ?= 3
PYTHON ?= build/venv/bin/python
programs: all
	$(PYTHON) -W ignore tests/parity/programs.py $(B)/arr --n $(PROGRAMS) --seed $(SEED)

# Coverage-guided: SECONDS_FUZZ seconds of any bytes as a program.
SECONDS_FUZZ ?= 300
build/fuzz/tests/fuzz/%: tests/fuzz/%.c $(LIB_OBJ)
	$(HOST)
	clang $(CPPFLAGS) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $< $(LIB_OBJ) $(LIBS)
.PHONY: fuzzer
fuzzer: $(patsubst %.c,build/fuzz/%,$(wildcard tests/fuzz/*.c))
fuzz:
	$(MAKE) VARIANT=fuzz fuzzer
	sh tests/fuzz/run.sh $(SECONDS_FUZZ)

VERSION := $(shell awk '/define ARR_VERSION_M|define ARR_VERSION_P/ { v = v s $$3; s = "." } \
                       END { print v }' interp/arr.h)
# What other build systems ask: pkg-config, and CMake's find_package(arr) with arr::arr, arr::static.
define PKG_CONFIG
prefix=$(PREFIX)
Name: arr
Description: embeddable array language
Version: $(VERSION)
Cflags: -I$${prefix}/include
Libs: -L$${prefix}/lib -larr
Libs.private: $(LIBS)
endef
define CMAKE_CONFIG
get_filename_component(_arr "$${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET arr::arr)
  add_library(arr::arr SHARED IMPORTED)
  set_target_properties(arr::arr PROPERTIES IMPORTED_LOCATION "$${_arr}/lib/$(SONAME)"
    IMPORTED_SONAME "$(SONAME)" INTERFACE_INCLUDE_DIRECTORIES "$${_arr}/include")
  add_library(arr::static STATIC IMPORTED)
  set_target_properties(arr::static PROPERTIES IMPORTED_LOCATION "$${_arr}/lib/libarr.a"
    INTERFACE_INCLUDE_DIRECTORIES "$${_arr}/include"
    INTERFACE_LINK_LIBRARIES "$(subst $(space),;,$(LIBS))")
endif()
endef
define CMAKE_VERSION
set(PACKAGE_VERSION "$(VERSION)")
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
endef
space := $(subst ,, )
export PKG_CONFIG CMAKE_CONFIG CMAKE_VERSION

install: to = $(DESTDIR)$(PREFIX)
install: all
	sh .ci/man $(B)/arr interp/arr.h $(B)/man
	install -d $(to)/bin $(to)/include $(to)/lib/pkgconfig $(to)/lib/cmake/arr \
	  $(to)/share/man/man1 $(to)/share/man/man3
	install $(B)/arr $(to)/bin/arr
	install -m 644 interp/arr.h $(to)/include/arr.h
	install -m 644 $(B)/libarr.a $(to)/lib/libarr.a
	install $(B)/libarr.so $(to)/lib/$(SONAME)
	ln -sf $(SONAME) $(to)/lib/libarr.so
	$(if $(CUB),install $(CUB) $(to)/lib/)
	install -m 644 $(B)/man/arr.1 $(to)/share/man/man1/
	install -m 644 $(B)/man/libarr.3 $(to)/share/man/man3/
	printf '%s\n' "$$PKG_CONFIG" > $(to)/lib/pkgconfig/arr.pc
	printf '%s\n' "$$CMAKE_CONFIG" > $(to)/lib/cmake/arr/arr-config.cmake
	printf '%s\n' "$$CMAKE_VERSION" > $(to)/lib/cmake/arr/arr-config-version.cmake

deb:
	rm -rf build/deb/stage
	$(MAKE) VARIANT=deb install DESTDIR=build/deb/stage PREFIX=/usr
	strip build/deb/stage/usr/bin/arr build/deb/stage/usr/lib/$(SONAME)
	strip --strip-debug build/deb/stage/usr/lib/libarr.a
	sh .ci/deb build/deb/stage $(VERSION) build/deb

clean:
	rm -rf build

FORCE:
