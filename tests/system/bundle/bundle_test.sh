#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bundle_test.sh folder|archive|errors BUNDLE PROGRAM BUILD WORK
set -u -o pipefail
what=$1 bundle=$2 program=$3 build=$4 work=$5
name=$(basename "$program")
rm -rf "$work"
mkdir -p "$work"
export LC_ALL=C

fail() {
  echo "$*" >&2
  exit 1
}

# check_bundle FOLDER: it runs on its own, and loads nothing from elsewhere but the C library.
check_bundle() {
  local folder=$1 output libraries
  cd / || exit 1
  # What hwloc may load of the machine is not ours.
  export HWLOC_PLUGINS_PATH="$folder/none"
  output=$(env -i HWLOC_PLUGINS_PATH="$HWLOC_PLUGINS_PATH" PIANOLA_DEVICES=openmp,simulated:2 "$folder/bin/$name") || fail "it does not run: $output"
  [ "$(grep -c ': OK$' <<<"$output")" -eq 3 ] || fail "it does not find all devices: $output"
  libraries=$(env -i HWLOC_PLUGINS_PATH="$HWLOC_PLUGINS_PATH" LD_DEBUG=libs PIANOLA_DEVICES=simulated:1 "$folder/bin/$name" 2>&1 | sed -n 's/.*calling init: //p')
  grep -q "/lib/pianola/libpianola-simulated.so$" <<<"$libraries" || fail "the plugin is not loaded: $libraries"
  grep -q "$build/lib" <<<"$libraries" && fail "it still needs the build: $libraries"
  while IFS= read -r library; do
    case $library in
      "$folder"/*) ;;
      */ld-linux-*.so.* | */libc.so.6 | */libm.so.6 | */libdl.so.2 | */libpthread.so.0 | */librt.so.1) ;;
      *) fail "it takes $library from the system" ;;
    esac
  done <<<"$libraries"
  env -i ldd "$folder/bin/$name" | grep -E 'not found|libstdc\+\+|libgcc_s' |
    grep -vF "$folder/" && fail "ldd finds the above outside"
  return 0
}

# refused TEXT ARGUMENT...: exit status 2, one line with the text, and nothing left behind.
refused() {
  local text=$1 output status
  shift
  output=$("$bundle" "$@" 2>&1)
  status=$?
  [ $status -eq 2 ] || fail "bundle $*: exit status $status: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || fail "bundle $*: more than one line: $output"
  grep -qF "$text" <<<"$output" || fail "bundle $*: says '$output' and not '$text'"
}

case $what in
  folder)
    echo data >"$work/data.txt"
    output=$("$bundle" "$program" -o "$work/made" --add "$work/data.txt:share/data.txt") || exit 1
    grep -q 'needs the GNU C library 2\.' <<<"$output" || fail "it does not say what it needs: $output"
    [ "$(cat "$work/made/share/data.txt")" = data ] || fail "--add does not add"
    [ ! -e "$work/made/lib/pianola/libpianola-compiler.so" ] || fail "the compiler is no backend"
    # Moved, so that nothing of where it was made can help.
    mv "$work/made" "$work/moved"
    check_bundle "$work/moved"
    ;;
  archive)
    "$bundle" "$program" -o "$work/packed.tar.gz" --plugins simulated || exit 1
    mkdir "$work/elsewhere"
    tar -xzf "$work/packed.tar.gz" -C "$work/elsewhere" || exit 1
    check_bundle "$work/elsewhere/packed"
    [ "$(ls "$work/elsewhere/packed/lib/pianola")" = libpianola-simulated.so ] || fail "--plugins does not choose"
    ;;
  errors)
    refused "there is no program" "$work/missing" -o "$work/a"
    echo text >"$work/text"
    refused "ldd $work/text" "$work/text" -o "$work/a"
    refused "there is no backend 'tpu'" "$program" -o "$work/a" --plugins tpu
    refused "the bundle already has bin" "$program" -o "$work/a" --add "$work:bin"
    refused "must be inside the bundle" "$program" -o "$work/a" --add "$work/text:../text"
    refused "two programs are called $name" "$program" "$program" -o "$work/a"
    [ ! -e "$work/a" ] || fail "a failed bundle is left behind"
    mkdir "$work/a"
    refused "is there already" "$program" -o "$work/a"
    ;;
esac
