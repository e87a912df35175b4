#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that Pianola's build, tests and tools need. Does nothing, and needs no
# network, where all of them are there already.
set -eu

packages="build-essential cmake ninja-build ccache git file pkgconf python3
  clang-19 clang-format-19 clang-tidy-19 libomp-19-dev libclang-rt-19-dev
  llvm-19 llvm-19-dev llvm-19-tools libclang-19-dev lld-19 rocm-device-libs
  libfmt-dev nlohmann-json3-dev libcli11-dev libhwloc-dev libdw-dev libboost-dev libboost-context-dev
  libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev
  graphviz libpng-dev libmpfr-dev python3-jsonschema zsh fish
  libamdhip64-dev chromium
  pybind11-dev python3-dev python3-matplotlib python3-pandas
  mkdocs mkdocs-material"
# For the page of `pianola view`; a node from elsewhere brings an npm of its own, which Debian's packages conflict with.
command -v npm >/dev/null 2>&1 || packages="$packages nodejs npm"

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v apt-get >/dev/null 2>&1; then
  echo "install-packages: this system has no apt-get; install the equivalents of these by hand:" >&2
  echo "$packages" >&2
  exit 1
fi

missing=""
for package in $packages; do
  is_installed "$package" || missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "install-packages: everything is installed"
  exit 0
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "install-packages: missing:$missing; run this script as root or install sudo" >&2
    exit 1
  fi
  as_root="sudo"
fi

echo "install-packages: installing$missing"
$as_root apt-get update
# shellcheck disable=SC2086  # one word per package is the point
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y --no-install-recommends $missing
