#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The steps of the tests of the Debian packages:
#   build CPACK BUILD FOLDER          makes the packages of BUILD in FOLDER
#   fields FOLDER                     what the packages say about themselves, and what is in which
#   install FOLDER ROOT               installs them below ROOT; dpkg checks their dependencies against this machine's packages
#   remove FOLDER ROOT                removes all of them again, with nothing left behind
set -eu
step=$1
shift

field() { dpkg-deb --field "$1" "$2"; }
die() {
  echo "$*" >&2
  exit 1
}
# In a root of its own: this machine's packages count as installed, and none of its files is touched. 77 is "skipped":
# the packages' scripts run in the root as its root.
dpkg_in() {
  local root=$1
  shift
  if [ "$(id -u)" -ne 0 ]; then
    echo "only root may install packages" >&2
    exit 77
  fi
  dpkg --instdir="$root" --admindir="$root/var/lib/dpkg" --log=/dev/null "$@"
}
# with_files_of PROGRAM ROOT: copies the program and the libraries it loads
with_files_of() {
  local file
  for file in "$1" $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*' || true); do
    mkdir -p "$2$(dirname "$file")"
    cp -L "$file" "$2$file"
  done
}
# names FOLDER: the packages in it
names() {
  local package
  for package in "$1"/*.deb; do field "$package" Package; done
}

case $step in
  build)
    cpack=$1 build=$2 folder=$3
    rm -rf "$folder"
    mkdir -p "$(dirname "$folder")"
    "$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$folder" >"$folder.log" 2>&1 || {
      cat "$folder.log" >&2
      exit 1
    }
    rm -rf "$folder/_CPack_Packages"
    ls "$folder"
    ;;
  fields)
    folder=$1
    runtime=$(echo "$folder"/libpianola[0-9]*.deb)
    development=$(echo "$folder"/libpianola-dev_*.deb)
    tools=$(echo "$folder"/pianola-tools_*.deb)
    name=$(field "$runtime" Package)
    version=$(field "$runtime" Version)
    for library in libc6 libhwloc15 libstdc++6; do
      field "$runtime" Depends | grep -q "$library" || die "$name does not depend on $library: $(field "$runtime" Depends)"
    done
    for package in "$development" "$tools"; do
      field "$package" Depends | grep -qF "$name (= $version)" || die "$package does not depend on its own $name"
    done
    for package in "$folder"/*.deb; do
      field "$package" Architecture | grep -qx "$(dpkg --print-architecture)" || die "$package: wrong architecture"
      [ -n "$(field "$package" Maintainer)" ] || die "$package has no maintainer"
      [ "$(field "$package" Version)" = "$version" ] || die "$package has another version than $name"
      outside=$(dpkg-deb --contents "$package" | awk '$6 !~ "^\\./(usr/|$)" { print $6 }')
      [ -z "$outside" ] || die "$package has files outside of /usr: $outside"
    done
    # contains PACKAGE PATTERN
    contains() { grep -q "$2" <<<"$(dpkg-deb --contents "$1")"; }
    contains "$runtime" 'lib/libpianola\.so\.[0-9]* ->' || die "$runtime has no library"
    ! contains "$runtime" 'include/\|libpianola\.so ->' || die "$runtime has what only developers need"
    contains "$development" 'include/Pianola/sycl/sycl\.hpp' || die "$development has no headers"
    contains "$tools" 'bin/pianola$' || die "$tools has no program"
    planner=$(echo "$folder"/libpianola-planner[0-9]*.deb)
    field "$development" Depends | grep -q "libpianola-planner-dev (= $version)" || die "$development lacks its CMake package"
    contains "$planner" 'lib/libpianola-planner\.so\.[0-9]* ->' || die "$planner has no library"
    ! field "$planner" Depends | grep -q "$name\|libhwloc\|libfmt" || die "$planner needs more than planning does"
    contains "$(echo "$folder"/libpianola-planner-dev_*.deb)" 'cmake/Pianola/PianolaConfig\.cmake' || die "no CMake package"
    if [ -e "$(echo "$folder"/python3-pianola_*.deb)" ]; then
      field "$folder"/python3-pianola_*.deb Depends | grep -q 'python3 (<<' || die "python3-pianola is for any Python"
      ! field "$folder"/python3-pianola_*.deb Depends | grep -q 'libpianola' || die "the Python module needs libraries"
    fi
    if [ -e "$(echo "$folder"/pianolacc_*.deb)" ]; then
      field "$folder"/pianolacc_*.deb Depends | grep -q 'clang-19' || die "pianolacc does not depend on clang"
    fi
    ;;
  install)
    folder=$1 root=$2
    rm -rf "$root"
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
    cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
    [ ! -e /var/lib/dpkg/arch ] || cp /var/lib/dpkg/arch "$root/var/lib/dpkg/arch"
    # What the packages' scripts call.
    with_files_of /bin/sh "$root"
    with_files_of /sbin/ldconfig "$root"
    mkdir -p "$root/etc"
    find "$root" ! -type d | LC_ALL=C sort >"$root.before"
    dpkg_in "$root" --install "$folder"/*.deb >"$root.log" 2>&1 || {
      grep -v 'files list file for package' "$root.log" >&2
      exit 1
    }
    for name in $(names "$folder"); do
      dpkg-query --admindir="$root/var/lib/dpkg" --show --showformat='${Package} ${Version} ${db:Status-Status}\n' \
        "$name" | tee "$root.state"
      grep -q ' installed$' "$root.state" || die "$name is not installed"
    done
    grep -qa 'libpianola\.so\.' "$root/etc/ld.so.cache" || die "the loader would not find the library"
    ;;
  remove)
    folder=$1 root=$2
    # shellcheck disable=SC2046  # one word per package is the point
    dpkg_in "$root" --purge $(names "$folder") >"$root.log" 2>&1 || {
      grep -v 'files list file for package' "$root.log" >&2
      exit 1
    }
    left=$(find "$root" ! -type d ! -path "$root/var/lib/dpkg/*" ! -path "$root/etc/ld.so.cache" \
      ! -path "$root/var/cache/ldconfig/*" | LC_ALL=C sort | LC_ALL=C comm -23 - "$root.before")
    [ -z "$left" ] || die "files were left behind: $left"
    ;;
  *)
    die "unknown step '$step'"
    ;;
esac
