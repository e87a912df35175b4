#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# driver_test.sh NAME PIANOLACC CLANG CMAKE WORK MOVED_PREFIX: runs test_NAME in the empty folder WORK.
set -eu -o pipefail
name=$1 pianolacc=$2 clang=$3 cmake=$4 work=$5 moved_prefix=$6
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/sources
unset PIANOLA_TARGETS PIANOLA_CLANG PIANOLA_DEVICES CPATH LIBRARY_PATH LD_LIBRARY_PATH
export LC_ALL=C CCACHE_DIR="$work/ccache"
. "$here/../../support/in_work.sh"

# holds TEXT PART..., lacks TEXT PART...
holds() {
  local text=$1 part
  for part in "${@:2}"; do [[ $text == *"$part"* ]] || fail "no '$part' in: $text"; done
}
lacks() {
  local text=$1 part
  for part in "${@:2}"; do [[ $text != *"$part"* ]] || fail "there is '$part' in: $text"; done
}

# refuses MESSAGE-PART... -- COMMAND...: exit status 2 and one line on standard error with all these parts.
refuses() {
  local parts=() status=0 text
  while [ "$1" != -- ]; do parts+=("$1"); shift; done
  shift
  text=$("$@" 2>&1) || status=$?
  [ $status -eq 2 ] || fail "$*: status $status and not 2: $text"
  [ "$(wc -l <<<"$text")" -eq 1 ] || fail "more than one line: $text"
  holds "$text" 'pianolacc: error: ' "${parts[@]}"
}

dry() { "$pianolacc" --pianola-dry-run "$@"; }

# No grep -q behind a pipe: the writer would fail once grep has seen enough.
has_kernels() { nm "$1" | grep pianola_register_images >/dev/null; }
has_section() { readelf -SW "$1" | grep -F "$2" >/dev/null; }

empty_program() { echo 'int main() {}' >"${1:-empty.cpp}"; }

# ---- options

test_help_names_each_option() {
  local text option
  text=$("$pianolacc" --help)
  for option in targets device-pass check-accesses sub-group-size dry-run save-temps cuda-path rocm-path unit no-headers no-link launch; do
    holds "$text" "--pianola-$option"
  done
  holds "$text" PIANOLA_CLANG PIANOLA_TARGETS "$clang --help"
}

test_sub_groups_are_of_a_size_that_there_is() {
  empty_program
  holds "$(dry --pianola-sub-group-size=32 -c empty.cpp)" ' -DPIANOLA_SUB_GROUP_SIZE=32 '
  refuses "--pianola-sub-group-size: there are no sub-groups of '24' work-items" -- "$pianolacc" --pianola-sub-group-size=24 -c empty.cpp
}

test_accesses_are_checked_where_that_is_asked_for() {
  empty_program
  holds "$(dry --pianola-check-accesses -c empty.cpp)" ' -DPIANOLA_CHECK_ACCESSES=1 ' ' -pianola-check-accesses '
  refuses "--pianola-check-accesses takes no value" -- "$pianolacc" --pianola-check-accesses=1 -c empty.cpp
}

test_the_version_is_followed_by_that_of_clang() {
  local text
  text=$("$pianolacc" --version)
  [[ ${text%%$'\n'*} =~ ^pianolacc\ [0-9.]+$ ]] || fail "the first line is not ours: $text"
  [ "${text#*$'\n'}" = "$("$clang" --version)" ] || fail "clang's version is missing: $text"
}

test_questions_to_clang_are_passed_on() {
  expect "$("$clang" -dumpmachine)" "$pianolacc" -dumpmachine
  expect "$("$clang" -print-search-dirs)" "$pianolacc" -print-search-dirs
}

test_unknown_options_are_refused() {
  refuses "unknown option '--pianola-foo'" -- "$pianolacc" --pianola-foo -c a.cpp
  refuses "takes no value" -- "$pianolacc" --pianola-dry-run=yes -c a.cpp
  refuses "needs a value" "=TEXT" -- "$pianolacc" --pianola-unit -c a.cpp
  refuses "--pianola-cuda-path: there is no folder './none'" -- "$pianolacc" --pianola-cuda-path=./none -c a.cpp
  refuses "--pianola-rocm-path: there is no folder './none'" -- "$pianolacc" --pianola-rocm-path=./none -c a.cpp
}

test_an_option_of_ours_as_the_value_of_one_of_clangs_is_left_alone() {
  holds "$(dry -c a.cpp -MF --pianola-foo)" "-MF --pianola-foo"
}

test_wrong_targets_are_refused_with_those_that_there_are() {
  local target
  for target in tpu cuda:sm_20 cuda:gfx90a hip:sm_90 hip:gfx cuda: simulated:2 'cuda:sm_90;;host'; do
    refuses "--pianola-targets: " "cuda:sm_NN" "hip:gfxNNN" "simulated" -- "$pianolacc" "--pianola-targets=$target" -c a.cpp
  done
  refuses "'hip' needs an architecture" -- "$pianolacc" --pianola-targets=hip -c a.cpp
  refuses "needs a value" -- "$pianolacc" --pianola-targets= -c a.cpp
  refuses "PIANOLA_TARGETS: there is no target 'tpu'" -- env PIANOLA_TARGETS=tpu "$pianolacc" -c a.cpp
}

test_targets_are_collected_once_each() {
  local text
  text=$(dry -c a.cpp '--pianola-targets=host;cuda:sm_90,hip:gfx90a' --pianola-targets=cuda,simulated --pianola-targets=cuda:sm_90)
  holds "$text" "-pianola-targets=cuda:sm_90,hip:gfx90a,cuda:sm_75,simulated "
  lacks "$(dry -c a.cpp --pianola-targets=host)" "pianola-targets"
}

test_targets_come_from_the_environment_unless_an_option_names_some() {
  export PIANOLA_TARGETS='cuda:sm_80;hip:gfx1030'
  holds "$(dry -c a.cpp)" "-pianola-targets=cuda:sm_80,hip:gfx1030 "
  lacks "$(dry -c a.cpp --pianola-targets=host)" "pianola-targets"
}

test_options_of_dpcpp_do_not_reach_clang() {
  local plain text
  plain=$(dry --pianola-unit=one -fsycl -c a.cpp -O2)
  holds "$plain" "-DSYCL_LANGUAGE_VERSION="
  plain=$(dry --pianola-unit=one -c a.cpp -O2)
  lacks "$plain" "SYCL_LANGUAGE_VERSION"
  text=$(dry --pianola-unit=one -fsycl -fno-sycl -c a.cpp -fsycl-unnamed-lambda -fno-sycl-rdc -O2 -fsycl-targets=spir64_gen,spir64 \
    -Xs '-device pvc' -Xsycl-target-backend=spir64_gen '-device pvc' -Xsycl-target-frontend -O3 -sycl-std=2020)
  [ "$text" = "$plain" ] || fail "not the same command: $text"
  holds "$(dry a.o -fsycl -Xs -ze-intel-greater-than-4GB-buffer-required -o a)" "a.o -o a "
  # In a response file, too; and the value of an option of clang's is none.
  echo '-fsycl -O2' >options
  lacks "$(dry -c a.cpp @options)" "-fsycl" "@options"
  holds "$(dry -c a.cpp -MF -fsycl)" "-MF -fsycl"
  echo '--offload-arch=sm_90' >value
  text=$(dry -c a.cpp -fsycl-targets=nvptx64-nvidia-cuda -Xsycl-target-backend @value)
  holds "$text" "-pianola-targets=cuda:sm_90 "
  lacks "$text" "@value" "offload-arch"
  lacks "$(dry -c a.cpp -Xspirv-translator -foo)" "-foo"
  refuses "-Xs needs a value" -- "$pianolacc" -c a.cpp -Xs
  refuses "-fsycl-device-only: code for devices is part of the object file" -- "$pianolacc" -fsycl -fsycl-device-only -c a.cpp
}

test_targets_of_dpcpp_are_followed() {
  holds "$(dry -c a.cpp -fsycl -fsycl-targets=nvptx64-nvidia-cuda)" "-pianola-targets=cuda:sm_75 "
  holds "$(dry -c a.cpp -fsycl -fsycl-targets=nvptx64-nvidia-cuda,amdgcn-amd-amdhsa,spir64 \
    -Xsycl-target-backend=nvptx64-nvidia-cuda --cuda-gpu-arch=sm_80 -Xsycl-target-backend=amdgcn-amd-amdhsa \
    --offload-arch=gfx90a,gfx908)" "-pianola-targets=cuda:sm_80,hip:gfx90a,hip:gfx908 "
  holds "$(dry -c a.cpp -fsycl-targets=nvidia_gpu_sm_90,amd_gpu_gfx1030)" "-pianola-targets=cuda:sm_90,hip:gfx1030 "
  holds "$(PIANOLA_TARGETS=simulated dry -c a.cpp -fsycl -fsycl-targets=spir64)" "-pianola-targets=simulated "
  lacks "$(PIANOLA_TARGETS=simulated dry -c a.cpp -fsycl-targets=nvidia_gpu_sm_90)" "simulated"
  refuses "-fsycl-targets=amdgcn-amd-amdhsa needs an architecture" -- "$pianolacc" -fsycl-targets=amdgcn-amd-amdhsa -c a.cpp
  refuses "-fsycl-targets: there is no target 'tpu'" -- "$pianolacc" -fsycl-targets=tpu -c a.cpp
  refuses "-fsycl-targets: there is no target 'cuda:sm_1'" -- "$pianolacc" -fsycl-targets=nvidia_gpu_sm_1 -c a.cpp
}

# clang's own -fsycl compiles without exceptions.
test_programs_compiled_as_for_dpcpp_can_catch() {
  cat >throws.cpp <<'CODE'
#include <stdexcept>
#include <sycl/sycl.hpp>
__attribute__((noinline)) void refuse() { throw std::runtime_error("no"); }
int main() {
  try {
    refuse();
  } catch (const std::runtime_error&) {
    sycl::queue().single_task([] {}).wait();
    return 0;
  }
  return 1;
}
CODE
  "$pianolacc" -fsycl -fsycl-targets=spir64 -O1 throws.cpp -Xs '-device pvc' -o throws
  PIANOLA_DEVICES=openmp ./throws
}

# Where libraries ask, too, and with the version that the headers have.
test_the_version_of_sycl_is_known_from_the_beginning_as_with_dpcpp() {
  cat >version.cpp <<'CODE'
#ifndef SYCL_LANGUAGE_VERSION
#error "not known"
#endif
#include <sycl/sycl.hpp>
CODE
  "$pianolacc" -fsycl -Werror -fsyntax-only version.cpp
}

# ask_for_device_code FILE: a program whose kernel returns 2 where it is parsed for devices, and 1 elsewhere, and a header for
# devices.
ask_for_device_code() {
  cat >"$1" <<'CODE'
#include <sycl/sycl.hpp>
#ifdef __SYCL_DEVICE_ONLY__
#include "device.hpp"
#else
inline int where() { return 1; }
#endif
CODE
  echo 'inline int where() { return 2; }' >device.hpp
  kernel_that_asks >>"$1"
}
kernel_that_asks() {
  cat <<'CODE'
int main() {
  sycl::queue q;
  int* seen = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { seen[0] = where(); }).wait();
  return where() == 1 ? seen[0] : 99;
}
CODE
}

# returns STATUS COMMAND...
returns() {
  local status=0
  PIANOLA_DEVICES=openmp "${@:2}" || status=$?
  [ $status -eq "$1" ] || fail "${*:2}: status $status and not $1"
}

test_kernels_are_parsed_again_where_the_program_asks() {
  ask_for_device_code asks.cpp
  "$pianolacc" -O1 asks.cpp -o asks
  returns 2 ./asks
  "$pianolacc" -O1 --pianola-device-pass=off asks.cpp -o asks
  returns 1 ./asks
  # In preprocessed source the question has been answered.
  "$pianolacc" -E asks.cpp -o answered.ii
  "$pianolacc" answered.ii -o answered
  returns 1 ./answered
}

test_kernels_are_parsed_again_everywhere_where_the_user_says_so() {
  cat >asks.cpp <<'CODE'
#include <sycl/sycl.hpp>
int main() {}
CODE
  "$pianolacc" --pianola-device-pass=on asks.cpp -o asks
  returns 0 ./asks
  holds "$(dry --pianola-device-pass=on -c asks.cpp)" " -pianola-device-pass=on"
  lacks "$(dry -c asks.cpp)" "device-pass"
  refuses "--pianola-device-pass: it is auto, on or off, not 'yes'" -- "$pianolacc" --pianola-device-pass=yes -c asks.cpp
  refuses "--pianola-device-pass needs a value" -- "$pianolacc" --pianola-device-pass -c asks.cpp
}

test_headers_of_kernels_alone_are_dependencies() {
  ask_for_device_code asks.cpp
  "$pianolacc" -MD -MF all.d -c asks.cpp -o asks.o
  "$pianolacc" -MMD -MF user.d -c asks.cpp -o asks.o
  holds "$(cat all.d)" device.hpp sycl/sycl.hpp
  holds "$(cat user.d)" device.hpp
  lacks "$(cat user.d)" stddef.h
}

test_a_precompiled_header_is_read_again_for_kernels() {
  ask_for_device_code all.hpp
  sed -i '/^int main/,$d; 1i #pragma once' all.hpp
  kernel_that_asks >asks.cpp
  "$pianolacc" -x c++-header all.hpp -o all.hpp.pch
  "$pianolacc" -include all.hpp asks.cpp -o asks
  returns 2 ./asks
  "$pianolacc" -Xclang -include-pch -Xclang all.hpp.pch -Xclang -include -Xclang all.hpp asks.cpp -o asks
  returns 2 ./asks
}

test_kernels_that_do_not_compile_for_devices_are_errors() {
  local text
  ask_for_device_code asks.cpp
  echo '#error not for devices' >device.hpp
  if text=$("$pianolacc" -c asks.cpp -o asks.o 2>&1); then fail "it compiles"; fi
  holds "$text" "not for devices" "--pianola-device-pass=off" "device.hpp:1:"
  [ ! -e asks.o ] || fail "there is an object file"
  "$pianolacc" -c --pianola-device-pass=off asks.cpp -o asks.o
}

test_a_dry_run_prints_a_command_and_runs_nothing() {
  local text
  empty_program "it's empty.cpp"
  text=$(dry -O2 "it's empty.cpp" -o program)
  [ ! -e program ] || fail "the command was run"
  bash -c "$text"
  ./program
}

test_options_reach_the_plugin() {
  local text
  mkdir cuda rocm
  text=$(dry -c a.cpp --pianola-cuda-path=cuda --pianola-rocm-path=rocm --pianola-save-temps=temps)
  holds "$text" "-pianola-cuda-path=$work/cuda" "-pianola-rocm-path=$work/rocm" "-pianola-save-temps=$work/temps"
  lacks "$text" "pianola-fast-math"
  [ ! -e temps ] || fail "a dry run made a folder"
  holds "$(dry -c a.cpp -ffast-math)" "-pianola-fast-math"
  holds "$(dry -c a.cpp -Ofast)" "-pianola-fast-math"
  lacks "$(dry -c a.cpp -ffast-math -fno-fast-math)" "pianola-fast-math"
}

unit_of() { grep -oE 'pianola-unit=[0-9a-f]{16} ' <<<"$*"; }

test_each_command_is_a_unit_of_its_own() {
  local one
  one=$(unit_of "$(dry -c a.cpp)")
  [ "$one" = "$(unit_of "$(dry -c a.cpp)")" ] || fail "the unit changes from run to run"
  [ "$one" != "$(unit_of "$(dry -c b.cpp)")" ] || fail "another file is the same unit"
  [ "$one" != "$(unit_of "$(dry -c a.cpp -DX)")" ] || fail "another macro gives the same unit"
  [ "$(unit_of "$(dry -c a.cpp -DX -D Y)")" != "$(unit_of "$(dry -c a.cpp -DX-D Y)")" ] || fail "words run together"
  mkdir folder
  cd folder
  [ "$one" != "$(unit_of "$(dry -c a.cpp)")" ] || fail "another folder gives the same unit"
}

test_a_named_unit_depends_on_nothing_else() {
  local one
  one=$(unit_of "$(dry --pianola-unit=mine -c a.cpp)")
  [ "$one" = "$(unit_of "$(dry --pianola-unit=mine -c b.cpp -O2)")" ] || fail "it depends on the arguments"
  [ "$one" != "$(unit_of "$(dry --pianola-unit=other -c a.cpp)")" ] || fail "two names are one unit"
}

test_the_library_is_linked_only_where_there_is_linking() {
  local flag
  holds "$(dry a.cpp)" " -lpianola"
  holds "$(dry a.o -shared -o liba.so)" " -lpianola"
  holds "$(dry -MD -MF d -c a.cpp)" "-isystem"
  for flag in -c -S -E -M -MM -fsyntax-only --precompile -r -static -nostdlib -nodefaultlibs --pianola-no-link; do
    lacks "$(dry $flag a.cpp)" "-lpianola"
  done
  lacks "$(dry a.hpp)" "-lpianola"
  lacks "$(dry -x c++-header a.cpp -o a.pch)" "-lpianola"
  lacks "$(dry -v)" "-lpianola" "-fplugin"
  holds "$(dry -o -c a.cpp)" " -lpianola"  # a file called -c
}

test_headers_can_be_left_to_the_project() {
  holds "$(dry -c a.cpp)" "-isystem"
  lacks "$(dry -c --pianola-no-headers a.cpp)" "-isystem"
}

test_files_behind_two_hyphens_are_files() {
  empty_program
  "$pianolacc" -o program -- empty.cpp
  ./program
  holds "$(dry -o program -- --pianola-foo.cpp)" "-- --pianola-foo.cpp"
}

test_clang_can_be_chosen() {
  empty_program
  refuses "PIANOLA_CLANG='./none': there is no such program" -- env PIANOLA_CLANG=./none "$pianolacc" -c empty.cpp
  refuses "PIANOLA_CLANG='g++': it must be clang++ 19" "g++" -- env PIANOLA_CLANG=g++ "$pianolacc" -c empty.cpp
  refuses "PIANOLA_CLANG='/bin/true': it must be clang++ 19" -- env PIANOLA_CLANG=/bin/true "$pianolacc" -c empty.cpp
  refuses "PIANOLA_CLANG='no-such-clang': there is no such program" -- env PIANOLA_CLANG=no-such-clang "$pianolacc" -c empty.cpp
  ln -s "$clang" my-clang
  holds "$(PIANOLA_CLANG=./my-clang dry -c empty.cpp)" "./my-clang --driver-mode=g++"
  PIANOLA_CLANG=./my-clang "$pianolacc" -c empty.cpp
  holds "$(PIANOLA_CLANG=my-clang PATH="$work:$PATH" dry -c empty.cpp)" "$work/my-clang "
}

test_the_exit_status_is_that_of_clang() {
  local status=0
  echo 'int main() { return x; }' >wrong.cpp
  "$pianolacc" -c wrong.cpp 2>messages || status=$?
  [ $status -eq 1 ] || fail "status $status"
  grep -q "undeclared identifier 'x'" messages
  "$pianolacc" 2>messages && fail "no input is no error"
  grep -q 'no input files' messages
}

test_a_signal_ends_clang_itself() {
  local status=0 process
  mkfifo source.cpp
  "$pianolacc" -fsyntax-only source.cpp &
  process=$!
  # Once it has opened the file it is clang's front end.
  exec 3>source.cpp
  kill -TERM $process
  wait $process || status=$?
  exec 3>&-
  [ $status -eq 143 ] || fail "status $status"
}

# While it links it waits for clang.
test_a_signal_while_linking_ends_clang_too() {
  local status=0 process child
  mkfifo source.cpp
  "$pianolacc" source.cpp -o program &
  process=$!
  exec 3>source.cpp
  child=$(pgrep -P $process)
  kill -TERM $process
  wait $process || status=$?
  if kill -0 "$child" 2>/dev/null; then fail "clang goes on"; fi
  exec 3>&-
  [ $status -eq 143 ] || fail "status $status"
}

# ---- launcher

test_as_a_launcher_it_takes_the_place_of_the_compiler() {
  local text
  text=$("$pianolacc" --pianola-dry-run --pianola-targets=simulated --pianola-launch=/opt/cc /opt/cc -c a.cpp -o /opt/cc)
  holds "$text" "-c a.cpp -o /opt/cc" "-pianola-targets=simulated"
  expect "$pianolacc --pianola-no-headers -c a.cpp" "$pianolacc" --pianola-no-headers --pianola-launch=/opt/cc echo /opt/cc -c a.cpp
  refuses "--pianola-launch=/opt/cc: the compiler to replace must follow" -- "$pianolacc" --pianola-launch=/opt/cc -c a.cpp
}

# ---- what a compiler does

test_compiles_and_links_in_one_step() {
  "$pianolacc" -std=c++17 -O2 -Wall -Wextra -Werror "$sources/barrier.cpp" -o program
  expect 30 ./program
  has_kernels program || fail "the kernel is not compiled"
}

test_works_with_any_optimisation_and_debug_information() {
  local flags
  for flags in "-O0 -g" "-O1" "-O3 -g -march=native" "-O2 -flto" "-O2 -save-temps=obj" "-O2 -fPIE -pie -std=c++23"; do
    # shellcheck disable=SC2086  # several flags
    "$pianolacc" $flags "$sources/barrier.cpp" -o program
    expect 30 ./program
  done
}

test_several_files_may_have_kernels_of_the_same_name() {
  "$pianolacc" -O1 "$sources/main.cpp" "$sources/three/scale.cpp" "$sources/five/scale.cpp" -o program
  expect 30 ./program
}

test_objects_of_the_same_command_in_two_folders_can_be_linked() {
  local part
  for part in three five; do
    mkdir $part
    (cd $part && "$pianolacc" -O1 -I "$sources" -c "-iquote$sources/$part" -x c++ - -o scale.o <<<'#include "scale.cpp"')
  done
  "$pianolacc" "$sources/main.cpp" three/scale.o five/scale.o -o program
  expect 30 ./program
}

test_a_static_library_may_have_kernels() {
  "$pianolacc" -O1 -c "$sources/three/scale.cpp" -o three.o
  "$pianolacc" -O1 -c "$sources/five/scale.cpp" -o five.o
  ar rcs libscale.a three.o five.o
  "$pianolacc" "$sources/main.cpp" -L. -lscale -o program
  expect 30 ./program
}

test_a_shared_library_may_have_kernels() {
  "$pianolacc" -O1 -fPIC -shared "$sources/three/scale.cpp" -o libthree.so
  "$pianolacc" -O1 -fPIC -shared "$sources/five/scale.cpp" -o libfive.so
  "$pianolacc" "$sources/main.cpp" -L. -lthree -lfive "-Wl,-rpath,$work" -o program
  expect 30 ./program
}

test_objects_link_with_those_of_another_compiler() {
  local folders=() folder library
  while IFS= read -r folder; do folders+=("-I$folder"); done \
    < <("$pianolacc" --pianola-dry-run -c a.cpp | grep -oE '\-isystem [^ ]+' | cut -d ' ' -f 2)
  library=$(dirname "$pianolacc")/../lib
  g++ -std=c++17 -O1 "${folders[@]}" -c "$sources/three/scale.cpp" -o three.o
  has_kernels three.o && fail "g++ compiled kernels"
  "$pianolacc" -O1 -c "$sources/five/scale.cpp" -o five.o
  "$pianolacc" "$sources/main.cpp" three.o five.o -o program
  expect 30 ./program
  g++ "$sources/main.cpp" three.o five.o "-L$library" "-Wl,-rpath,$library" -lpianola -o program
  expect 30 ./program
}

test_response_files_are_read() {
  echo '"-DTEXT=a b" '\''-O1'\'' -o prog\ ram' >plain.rsp
  echo '@plain.rsp --pianola-targets=cuda:sm_90' >own.rsp
  local text
  text=$(dry @plain.rsp -c a.cpp)
  holds "$text" " @plain.rsp -c a.cpp"
  text=$(dry @own.rsp -c a.cpp)
  holds "$text" "'-DTEXT=a b' -O1 -o 'prog ram' -c a.cpp" "-pianola-targets=cuda:sm_90"
  holds "$(dry @none.rsp)" "@none.rsp"
  "$pianolacc" @plain.rsp "$sources/barrier.cpp"
  expect 30 "./prog ram"
  [ "$(unit_of "$(dry @plain.rsp a.cpp)")" != "$(echo -O0 >plain.rsp; unit_of "$(dry @plain.rsp a.cpp)")" ] ||
    fail "the words in a response file do not count for the unit"
}

test_paths_may_have_spaces() {
  mkdir "a folder"
  cp -r "$sources"/* "a folder"
  "$pianolacc" -O1 -c "a folder/three/scale.cpp" -o "a folder/three.o"
  "$pianolacc" "a folder/main.cpp" "a folder/three.o" "a folder/five/scale.cpp" -o "a folder/program"
  expect 30 "a folder/program"
}

test_preprocesses_and_lists_dependencies() {
  local text
  [ "$("$pianolacc" -E -P -x c++ - <<<'__PIANOLACC__')" = 1 ] || fail "__PIANOLACC__ is not 1"
  text=$("$pianolacc" -M "$sources/barrier.cpp")
  holds "$text" barrier.o: sycl/sycl.hpp
  text=$("$pianolacc" -MM "$sources/barrier.cpp")
  holds "$text" barrier.o:
  lacks "$text" sycl/sycl.hpp
  "$pianolacc" -MD -MF deps -MT target -c "$sources/barrier.cpp"
  grep -q '^target:' deps
}

# Headers that only the user changes are a list without the compiler.
test_objects_depend_on_the_compiler_where_all_dependencies_are_listed() {
  local flags
  for flags in "-MD -MF deps" "-O1 -MD -MT x.o -MF deps" "-MD -MF deps -x c++-header"; do
    # shellcheck disable=SC2086
    "$pianolacc" $flags -c "$sources/barrier.cpp" -o x.o
    holds "$(cat deps)" /lib/pianola/pianola-compiler.sum barrier.cpp
  done
  "$pianolacc" -MMD -MF deps -c "$sources/barrier.cpp"
  lacks "$(cat deps)" pianola-compiler
  lacks "$("$pianolacc" -MM "$sources/barrier.cpp")" pianola-compiler
}

test_preprocessed_sources_and_assembly_can_be_compiled() {
  "$pianolacc" -O1 -E "$sources/barrier.cpp" -o barrier.ii
  "$pianolacc" -O1 -S barrier.ii -o barrier.s
  "$pianolacc" -c barrier.s -o barrier.o
  "$pianolacc" barrier.o -o program
  expect 30 ./program
}

test_ir_can_be_compiled_further() {
  "$pianolacc" -O1 -S -emit-llvm "$sources/barrier.cpp" -o barrier.ll
  "$pianolacc" -O1 barrier.ll -o program
  expect 30 ./program
}

test_c_and_assembly_are_compiled_too() {
  echo 'int answer(void) { int class = 3; return class; }' >answer.c
  printf '.text\n.globl other\nother: ret\n.section .note.GNU-stack,"",@progbits\n' >other.s
  printf '#define X .text\nX\n.section .note.GNU-stack,"",@progbits\n' >more.S
  echo 'extern "C" int answer(); int main() { return answer() - 3; }' >main.cpp
  "$pianolacc" -Wall -Wextra -Werror -x c -c answer.c -o answer.o
  "$pianolacc" -Werror main.cpp answer.o other.s more.S -o program
  ./program
}

test_only_checks_or_only_prints() {
  "$pianolacc" -fsyntax-only -Werror "$sources/barrier.cpp"
  holds "$("$pianolacc" '-###' "$sources/barrier.cpp" 2>&1)" '"-cc1"' libpianola-compiler.so '"-lpianola"'
  [ -z "$(ls)" ] || fail "there are files: $(ls)"
}

test_adds_nothing_to_programs_without_kernels() {
  local flags
  cp "$sources/main.cpp" "$sources/scale.hpp" .
  for flags in -O0 "-O2 -g" "-O2 -gline-tables-only" "-Os -ffunction-sections"; do
    # shellcheck disable=SC2086
    "$pianolacc" $flags -c main.cpp -o ours.o
    # shellcheck disable=SC2086
    "$clang" $flags -c main.cpp -o theirs.o
    cmp ours.o theirs.o
  done
  empty_program
  "$pianolacc" -Wall -Wextra -Werror empty.cpp -o program
  readelf -d program | grep NEEDED | grep pianola && fail "the library is needed"
  "$pianolacc" -static empty.cpp -o program
  ./program
}

test_gives_no_debug_information_unless_asked() {
  "$pianolacc" -O2 -c "$sources/barrier.cpp" -o plain.o
  has_section plain.o .debug_ && fail "there is debug information"
  "$pianolacc" -O2 -g -c "$sources/barrier.cpp" -o debug.o
  has_section debug.o .debug_info || fail "there is no debug information"
}

test_no_warning_about_options_that_were_not_the_users() {
  "$pianolacc" -Weverything -Werror -Wno-c++98-compat -Wno-poison-system-directories -c "$sources/main.cpp"
  "$pianolacc" -Weverything -Werror main.o "$sources/three/scale.cpp" "$sources/five/scale.cpp" -Wno-error -w -o program
  expect 30 ./program
}

test_headers_can_be_precompiled() {
  echo '#include <sycl/sycl.hpp>' >all.hpp
  "$pianolacc" -O1 -x c++-header all.hpp -o all.pch
  "$pianolacc" -O1 -include-pch all.pch "$sources/barrier.cpp" -o program
  expect 30 ./program
  has_kernels program || fail "the kernel is not compiled"
  "$pianolacc" all.hpp
  [ -s all.hpp.pch ] || [ -s all.hpp.gch ] || fail "no precompiled header"
}

test_a_fixed_unit_gives_the_same_object_in_every_folder() {
  local folder
  mkdir one two
  for folder in one two; do
    (cd $folder && "$pianolacc" -O1 --pianola-unit=text -x c++ -c - -o scale.o <"$sources/barrier.cpp")
  done
  cmp one/scale.o two/scale.o
}

test_ccache_works_as_its_launcher() {
  command -v ccache >/dev/null || fail "ccache is missing"
  local round
  for round in 1 2; do
    ccache "$pianolacc" -O1 -c "$sources/barrier.cpp" -o barrier.o
    "$pianolacc" barrier.o -o program
    expect 30 ./program
  done
  ccache --print-stats | grep -E '^(direct|preprocessed)_cache_hit[[:space:]]+1$' || fail "no hit in round $round"
  has_kernels barrier.o
}

test_temporary_files_are_kept_where_asked() {
  "$pianolacc" -O1 --pianola-targets=simulated --pianola-save-temps=a/b -c "$sources/barrier.cpp"
  [ -n "$(ls a/b)" ] || fail "the folder is empty"
  touch file
  refuses "--pianola-save-temps: cannot make the folder '$work/file/x'" -- "$pianolacc" --pianola-save-temps=file/x -c a.cpp
}

# ---- build systems and installations

build_and_run() {
  local generator=$1
  shift
  "$cmake" -S "$here/project" -B build -G "$generator" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang-19 \
    "$@" >log || fail "$(cat log)"
  "$cmake" --build build >log || fail "$(cat log)"
  expect 30 build/program
  has_kernels build/libthree.a
  "$cmake" --install build --prefix installed >log || fail "$(cat log)"
  LD_LIBRARY_PATH=$work/installed/lib expect 30 installed/bin/program
}

test_cmake_builds_an_unmodified_project_with_ninja() { build_and_run Ninja "-DCMAKE_CXX_COMPILER=$pianolacc"; }

test_cmake_builds_an_unmodified_project_with_make() {
  build_and_run "Unix Makefiles" "-DCMAKE_CXX_COMPILER=$pianolacc"
}

test_a_moved_prefix_compiles_and_runs() {
  lacks "$("$moved_prefix/bin/pianolacc" --pianola-dry-run a.cpp)" "$(dirname "$(dirname "$pianolacc")")/lib"
  "$moved_prefix/bin/pianolacc" -O1 "$sources/barrier.cpp" -o program
  expect 30 ./program
  readelf -d program | grep -F "$moved_prefix/lib" >/dev/null || fail "the program takes its library from elsewhere"
}

test_a_moved_prefix_is_found_through_a_link() {
  mkdir bin
  ln -s "$moved_prefix/bin/pianolacc" bin/pianolacc
  PATH=$work/bin:$PATH pianolacc -O1 "$sources/barrier.cpp" -o program
  expect 30 ./program
}

test_cmake_builds_an_unmodified_project_with_a_moved_prefix() {
  build_and_run Ninja "-DCMAKE_CXX_COMPILER=$moved_prefix/bin/pianolacc"
}

# compiles_again BUILD: how many files.
compiles_again() {
  "$cmake" --build "$1" >log || fail "$(cat log)"
  grep -c 'Building CXX object' log || true
}

test_cmake_compiles_again_when_the_compiler_of_a_moved_prefix_is_another() {
  local sum
  sum=$(find "$moved_prefix" -name pianola-compiler.sum)
  build_and_run Ninja "-DCMAKE_CXX_COMPILER=$moved_prefix/bin/pianolacc"
  [ "$(compiles_again build)" -eq 0 ] || fail "$(cat log)"
  touch "$sum"
  [ "$(compiles_again build)" -gt 1 ] || fail "$(cat log)"
  [ "$(compiles_again build)" -eq 0 ] || fail "$(cat log)"
}

test_a_plugin_that_is_missing_is_named() {
  mkdir -p broken/bin
  cp "$pianolacc" broken/bin
  refuses "the compiler plugin is missing: $work/broken/lib" -- broken/bin/pianolacc -c a.cpp
}

# use_package CXX [-DNAME=VALUE...] with the body of CMakeLists.txt on standard input.
use_package() {
  local cxx=$1
  shift
  {
    echo 'cmake_minimum_required(VERSION 3.16)'
    echo 'project(p LANGUAGES CXX)'
    echo 'find_package(Pianola REQUIRED)'
    cat
  } >CMakeLists.txt
  "$cmake" -S . -B build -G Ninja "-DCMAKE_PREFIX_PATH=$moved_prefix" -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_CXX_COMPILER=$cxx" -DCMAKE_CXX_FLAGS=-Werror "-DSOURCES=$sources" "$@" >log 2>&1 || return 1
  "$cmake" --build build >>log 2>&1
}

readonly one_program='add_executable(program ${SOURCES}/barrier.cpp)
add_sycl_to_target(TARGET program SOURCES ${SOURCES}/barrier.cpp)'

test_add_sycl_to_target_uses_the_pianolacc_of_a_moved_prefix_with_clang() {
  use_package clang++-19 <<<"$one_program" || fail "$(cat log)"
  has_kernels build/program || fail "the kernel is not compiled: $(cat log)"
  expect 30 build/program
}

test_add_sycl_to_target_can_leave_the_pianolacc_of_a_moved_prefix_alone() {
  use_package clang++-19 -DPIANOLA_USE_COMPILER=OFF <<<"$one_program" || fail "$(cat log)"
  has_kernels build/program && fail "the kernel is compiled"
  grep -q 'compiled without pianolacc: PIANOLA_USE_COMPILER is off' log || fail "$(cat log)"
  expect 30 build/program
}

test_add_sycl_to_target_tells_why_gxx_does_not_use_the_pianolacc_of_a_moved_prefix() {
  use_package g++ <<<"$one_program" || fail "$(cat log)"
  has_kernels build/program && fail "the kernel is compiled"
  grep -q 'is not clang 19; configure with -DCMAKE_CXX_COMPILER=' log || fail "$(cat log)"
  expect 30 build/program
}

test_add_sycl_to_target_works_when_the_compiler_is_the_pianolacc_of_a_moved_prefix() {
  use_package "$moved_prefix/bin/pianolacc" "-DPIANOLA_TARGETS=host;simulated" <<<"$one_program" || fail "$(cat log)"
  has_kernels build/program || fail "the kernel is not compiled"
  grep -q -- '--pianola-targets=simulated' build/build.ninja
  expect 30 build/program
}

test_add_sycl_to_target_takes_targets_with_a_moved_prefix() {
  use_package clang++-19 -DCMAKE_CXX_COMPILER_LAUNCHER=ccache <<<"${one_program/%\)/ TARGETS simulated host)}" || fail "$(cat log)"
  grep -q -- '--pianola-targets=simulated .*ccache' build/CMakeFiles/rules.ninja
  expect 30 build/program
  has_kernels build/program
  use_package g++ -DCMAKE_CXX_COMPILER=g++ --fresh <<<"${one_program/%\)/ TARGETS cuda:sm_90)}" && fail "g++ for a GPU"
  tr '\n' ' ' <log | tr -s ' ' >flat
  grep -q "'program' is to be compiled for cuda:sm_90, which only pianolacc can do" flat || fail "$(cat log)"
}

test_add_sycl_to_target_links_for_devices_with_a_moved_prefix() {
  use_package clang++-19 <<<'add_executable(program ${SOURCES}/external/half.cpp ${SOURCES}/external/halves.cpp)
add_sycl_to_target(TARGET program TARGETS simulated)' || fail "$(cat log)"
  expect 49 build/program
  strings build/program | grep -x pianola-sim >/dev/null || fail "the kernel has no image"
}

declare -F "test_$name" >/dev/null || fail "there is no test_$name"
"test_$name"
