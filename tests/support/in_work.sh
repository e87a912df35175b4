# SPDX-License-Identifier: Apache-2.0
# Sourced by test scripts that have set `work`: goes to that folder, which is empty then.
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() {
  echo "$1" >&2
  exit 1
}

# expect TEXT COMMAND...: the command succeeds and prints TEXT alone.
expect() {
  local wanted=$1 got
  shift
  got=$("$@") || fail "failed: $*"
  [ "$got" = "$wanted" ] || fail "$*: '$got' and not '$wanted'"
}
