#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The steps of the install tests:
#   install CMAKE BUILD PREFIX             installs BUILD into PREFIX
#   install-and-move CMAKE BUILD PREFIX    installs elsewhere, then moves the result to PREFIX
#   components CMAKE BUILD PREFIX NAME...  installs these components of BUILD alone into PREFIX
#   consume CMAKE PREFIX PROJECT WORK CXX  builds PROJECT against PREFIX, as C++17, and runs its tests
#   pkg-config PREFIX PROJECT WORK CXX     builds PROJECT with the flags that pkg-config tells, and runs it
#   tool PREFIX                            runs PREFIX/bin/pianola
#   preset CMAKE ROOT WORK                 configures preset install of ROOT in WORK: it builds what is installed alone
set -eu
step=$1
shift

# A prefix must work without help from the environment.
unset PIANOLA_TARGETS PIANOLA_CLANG LD_LIBRARY_PATH CMAKE_PREFIX_PATH Pianola_DIR PIANOLA_DEVICES PIANOLA_RECORD || true

case $step in
  install)
    rm -rf "$3"
    "$1" --install "$2" --prefix "$3" >/dev/null
    ;;
  install-and-move)
    rm -rf "$3" "$3.before"
    "$1" --install "$2" --prefix "$3.before" >/dev/null
    mv "$3.before" "$3"
    if grep -rIlF "$3.before" "$3"; then
      echo "the files above name the prefix they were installed into" >&2
      exit 1
    fi
    ;;
  components)
    cmake=$1 build=$2 prefix=$3
    shift 3
    rm -rf "$prefix"
    for component in "$@"; do "$cmake" --install "$build" --prefix "$prefix" --component "$component" >/dev/null; done
    ;;
  consume)
    cmake=$1 prefix=$2 project=$3 work=$4 cxx=$5
    rm -rf "$work"
    # Not that of pianolacc, whose plugin it would not look at.
    if command -v ccache >/dev/null && [ "${cxx##*/}" != pianolacc ]; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
    "$cmake" -S "$project" -B "$work" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix" -DCMAKE_BUILD_TYPE=Release \
      "-DCMAKE_CXX_COMPILER=$cxx" -DCMAKE_CXX_STANDARD=17 -DCMAKE_CXX_STANDARD_REQUIRED=ON \
      -DCMAKE_CXX_EXTENSIONS=OFF "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror" \
      --no-warn-unused-cli >/dev/null
    "$cmake" --build "$work"
    cd "$work"
    "$(dirname "$cmake")/ctest" --output-on-failure --no-tests=error
    ;;
  pkg-config)
    prefix=$1 project=$2 work=$3 cxx=$4
    rm -rf "$work"
    mkdir -p "$work"
    file=$(find "$prefix" -name pianola.pc)
    export PKG_CONFIG_PATH="${file%/*}"
    pkg-config --print-errors --atleast-version=0.1 pianola
    # Split as a shell does: pkg-config quotes what has to be.
    eval "flags=($(pkg-config --cflags --libs pianola))"
    eval "libraries=$(pkg-config --variable=libdir pianola)"
    "$cxx" -std=c++17 -Wall -Wextra -Werror "$project"/*.cpp -o "$work/program" "${flags[@]}"
    LD_LIBRARY_PATH=$libraries "$work/program" 1
    ;;
  tool)
    "$1/bin/pianola" --help
    "$1/bin/pianola" devices
    "$1/bin/pianola" devices | grep -q openmp
    ;;
  preset)
    rm -rf "$3"
    (cd "$2" && "$1" --preset install -B "$3" >/dev/null)
    ninja -C "$3" -t commands all >"$3/commands.txt"
    sources() { grep -oE -- ' -c [^ ]+' "$3/commands.txt" | cut -c5-; }
    if sources "$@" | grep -E "^($2|$3)/(tests|samples)/"; then
      echo "the sources above are built by preset install, and not installed" >&2
      exit 1
    fi
    for part in executors/runtime compiler/driver tools/pianola executors/cuda; do
      # In the build folder where they are joined.
      sources "$@" | grep -qE "^($2|$3)/$part/" || { echo "preset install does not build $part" >&2; exit 1; }
    done
    echo "$(sources "$@" | sort -u | wc -l) sources"
    ;;
  *)
    echo "unknown step '$step'" >&2
    exit 1
    ;;
esac
